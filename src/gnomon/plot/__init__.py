"""Plots: functions of fitted models or arrays that return the axes they drew on.

Every function takes ``ax=`` (or makes a figure), labels what it draws, uses a palette that colour-blind readers can
tell apart, changes nothing global and never shows or saves anything. What it cannot draw it refuses in one sentence.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from traceback import walk_tb
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

# ruff: noqa: E402 (what is not installed is named before it is imported)
from gnomon._extras import need

need("gnomon.plot", "matplotlib")

from gnomon.plot._class_densities import class_densities, gaussian_boundaries, generative_overview
from gnomon.plot._convergence import convergence, early_stopping, primal_dual, solver_race, update_ratio
from gnomon.plot._fits import complexity_curve, fit_panels, fits, predictive_band
from gnomon.plot.active import label_curves, query_order
from gnomon.plot.anomalies import anomaly_contours, nested_contours, split_diagram, threshold_choice
from gnomon.plot.bayes import posterior_ellipses, prior_densities
from gnomon.plot.boosting import boosting_bound, boosting_rounds
from gnomon.plot.boundary import decision_boundary, decision_lines
from gnomon.plot.classifiers import boundary_in_both, far_point, probability_surface
from gnomon.plot.cluster_centers import center_cells, cluster_scatter, kmeans_steps
from gnomon.plot.cluster_number import cluster_curve, elbow_curve, penalized_cost
from gnomon.plot.cluster_trees import dendrogram
from gnomon.plot.cluster_views import (
    category_shares,
    cluster_columns,
    cluster_map,
    cluster_panels,
    cluster_profiles,
    cluster_rules,
    label_table,
    silhouette_plot,
)
from gnomon.plot.codes import code_map
from gnomon.plot.components import (
    biplot,
    component_contours,
    directions_compared,
    joint_diagonalization,
    pattern_panels,
    principal_line,
    reconstructions,
    scree,
)
from gnomon.plot.conformal import coverage_curves, prediction_intervals, set_sizes
from gnomon.plot.decisions import asymmetric_cost, bayes_error_plot, calibrated_scores, doubt_zone
from gnomon.plot.descent import descent_paths, schedule_curves
from gnomon.plot.em import component_selection, em_course, em_panels, soft_against_hard, splitting_panels
from gnomon.plot.errors import bias_variance_terms, error_source_bars, shattering
from gnomon.plot.evidence import count_tables, evidence_waterfall, posterior_bars
from gnomon.plot.features import feature_curves, monomials, nonlinear_problems, polar_remap, whitening_steps
from gnomon.plot.forests import bias_variance_curves, bootstrap_trees, forest_importances, forest_nearness, oob_curve
from gnomon.plot.geometry import least_squares_geometry
from gnomon.plot.imbalance import rare_class
from gnomon.plot.kernel_machines import additive_components, bump_sums, kernel_ridge_fits, perceptron_bumps
from gnomon.plot.kernels import gram_and_spectrum, gram_sparsity, kernel_shapes
from gnomon.plot.laws import conjugate_update, law_densities, normality
from gnomon.plot.losses import cost_slopes, dual_tangents, margin_losses, regression_losses, sigmoid_and_sign
from gnomon.plot.machines import boundary_panels, hidden_sum, nested_regions, search_map, svm_margin
from gnomon.plot.metrics import confusion_table, cost_curves, error_rates, metric_over_threshold, reliability_diagram
from gnomon.plot.mixtures import density_spikes, mixture_curves, mixture_levels, responsibility_colors
from gnomon.plot.multiclass import decision_dag, one_vs_one_regions, one_vs_rest_regions
from gnomon.plot.neighbors import (
    landmark_surface,
    neighbor_error_curves,
    network_diagram,
    radial_fits,
    voronoi_cells,
)
from gnomon.plot.network_answers import (
    approximation_curves,
    augmented_copies,
    compare_fits,
    invariance_curve,
    network_spread,
)
from gnomon.plot.network_codes import adversarial_losses, code_curve, generated_samples, latent_grid
from gnomon.plot.network_graphs import dropped_units, equivalent_networks, layer_diagram, shape_diagram, value_diagram
from gnomon.plot.network_inside import (
    activation_curves,
    cell_map,
    feature_maps,
    filters,
    hidden_layers,
    linear_regions,
    pooling_steps,
)
from gnomon.plot.network_training import layer_health, loss_plane, score_histograms, training_report
from gnomon.plot.optimization import best_so_far, optimization_step
from gnomon.plot.parallel import parallel_coordinates
from gnomon.plot.path import coefficient_path, coefficients
from gnomon.plot.penalties import penalty_curves, penalty_geometry
from gnomon.plot.perceptron import errors_per_update, margin_picture, perceptron_lines
from gnomon.plot.processes import (
    cardinal_functions,
    evidence_contours,
    grid_taps,
    latent_surface,
    process_band,
    process_draws,
    spline_surface,
)
from gnomon.plot.pruning import pruning_curves
from gnomon.plot.random_maps import approximation_error, collision_curves, projection_distortion
from gnomon.plot.regions import class_regions, few_labels
from gnomon.plot.risks import learning_curves, split_panels
from gnomon.plot.score_curves import det_curves, precision_recall_curves, roc_and_precision_recall, roc_curves
from gnomon.plot.selection import selection_errors, subset_boundaries
from gnomon.plot.trees import impurity_curves, rule_stump, tree, tree_regions

__all__ = [
    "activation_curves",
    "additive_components",
    "adversarial_losses",
    "anomaly_contours",
    "approximation_curves",
    "approximation_error",
    "asymmetric_cost",
    "augmented_copies",
    "bayes_error_plot",
    "best_so_far",
    "bias_variance_curves",
    "bias_variance_terms",
    "biplot",
    "boosting_bound",
    "boosting_rounds",
    "bootstrap_trees",
    "boundary_in_both",
    "boundary_panels",
    "bump_sums",
    "calibrated_scores",
    "cardinal_functions",
    "category_shares",
    "cell_map",
    "center_cells",
    "class_densities",
    "class_regions",
    "cluster_columns",
    "cluster_curve",
    "cluster_map",
    "cluster_panels",
    "cluster_profiles",
    "cluster_rules",
    "cluster_scatter",
    "code_curve",
    "code_map",
    "coefficient_path",
    "coefficients",
    "collision_curves",
    "compare_fits",
    "complexity_curve",
    "component_contours",
    "component_selection",
    "confusion_table",
    "conjugate_update",
    "convergence",
    "cost_curves",
    "cost_slopes",
    "count_tables",
    "coverage_curves",
    "decision_boundary",
    "decision_dag",
    "decision_lines",
    "dendrogram",
    "density_spikes",
    "descent_paths",
    "det_curves",
    "directions_compared",
    "doubt_zone",
    "dropped_units",
    "dual_tangents",
    "early_stopping",
    "elbow_curve",
    "em_course",
    "em_panels",
    "equivalent_networks",
    "error_rates",
    "error_source_bars",
    "errors_per_update",
    "evidence_contours",
    "evidence_waterfall",
    "far_point",
    "feature_curves",
    "feature_maps",
    "few_labels",
    "filters",
    "fit_panels",
    "fits",
    "forest_importances",
    "forest_nearness",
    "gaussian_boundaries",
    "generated_samples",
    "generative_overview",
    "gram_and_spectrum",
    "gram_sparsity",
    "grid_taps",
    "hidden_layers",
    "hidden_sum",
    "impurity_curves",
    "invariance_curve",
    "joint_diagonalization",
    "kernel_ridge_fits",
    "kernel_shapes",
    "kmeans_steps",
    "label_curves",
    "label_table",
    "landmark_surface",
    "latent_grid",
    "latent_surface",
    "law_densities",
    "layer_diagram",
    "layer_health",
    "learning_curves",
    "least_squares_geometry",
    "linear_regions",
    "loss_plane",
    "margin_losses",
    "margin_picture",
    "metric_over_threshold",
    "mixture_curves",
    "mixture_levels",
    "monomials",
    "neighbor_error_curves",
    "nested_contours",
    "nested_regions",
    "network_diagram",
    "network_spread",
    "nonlinear_problems",
    "normality",
    "one_vs_one_regions",
    "one_vs_rest_regions",
    "oob_curve",
    "optimization_step",
    "parallel_coordinates",
    "pattern_panels",
    "penalized_cost",
    "penalty_curves",
    "penalty_geometry",
    "perceptron_bumps",
    "perceptron_lines",
    "polar_remap",
    "pooling_steps",
    "posterior_bars",
    "posterior_ellipses",
    "precision_recall_curves",
    "prediction_intervals",
    "predictive_band",
    "primal_dual",
    "principal_line",
    "prior_densities",
    "probability_surface",
    "process_band",
    "process_draws",
    "projection_distortion",
    "pruning_curves",
    "query_order",
    "radial_fits",
    "rare_class",
    "reconstructions",
    "regression_losses",
    "reliability_diagram",
    "responsibility_colors",
    "roc_and_precision_recall",
    "roc_curves",
    "rule_stump",
    "schedule_curves",
    "score_histograms",
    "scree",
    "search_map",
    "selection_errors",
    "set_sizes",
    "shape_diagram",
    "shattering",
    "sigmoid_and_sign",
    "silhouette_plot",
    "soft_against_hard",
    "solver_race",
    "spline_surface",
    "split_diagram",
    "split_panels",
    "splitting_panels",
    "subset_boundaries",
    "svm_margin",
    "threshold_choice",
    "training_report",
    "tree",
    "tree_regions",
    "update_ratio",
    "value_diagram",
    "voronoi_cells",
    "whitening_steps",
]


def _refusing(draw: Callable[..., Any]) -> Callable[..., Any]:
    """`draw`, where arguments that lack what it reads are refused by name.

    Pictures read models by their attributes, so that any model that has them is drawn. Only what is missing from an
    argument itself is renamed: an error inside a model, or inside the picture, stays what it is.
    """
    signature = inspect.signature(draw)

    @wraps(draw)
    def drawn(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        for name, value in given.items():
            parameter = signature.parameters[name]
            if value is not parameter.default:
                _check_argument(draw.__name__, name, parameter.annotation.removesuffix(" | None"), value)
        try:
            return draw(*args, **kwargs)
        except NotFittedError:
            raise
        except (AttributeError, LookupError, StopIteration) as error:
            if (refusal := _refusal(draw.__name__, given, error)) is None:
                raise
            raise refusal from None

    # It is found again here, and not where the plain function is: pickled functions are looked up by name.
    drawn.__module__ = __name__
    return drawn


def _check_argument(picture: str, name: str, kind: str, value: Any) -> None:
    """Refuse what is no model, mapping, function or array where the annotation `kind` is of one; entries likewise."""
    if isinstance(value, type) and issubclass(value, BaseEstimator):
        raise TypeError(f"{name}={value.__name__} is a class; {picture} needs an instance, {value.__name__}(…)")
    verbs = ("fit", "predict", "transform")
    if kind == "BaseEstimator" and value is not None and not any(hasattr(value, verb) for verb in verbs):
        raise TypeError(f"{name}={value!r} is no model; {picture} needs one")
    if kind == "ArrayLike" and isinstance(value, BaseEstimator | dict):
        raise TypeError(f"{name}={value!r} is no array; {picture} needs one")
    if kind.startswith("Callable[") and not callable(value):
        raise TypeError(f"{name}={value!r} is no function; {picture} needs one, {kind}")
    if kind.startswith(("Mapping[", "dict[", "History")) and "] | " not in kind:
        if not hasattr(value, "keys"):
            raise TypeError(f"{name}={value!r} is no mapping; {picture} needs one, {kind}")
        for key, entry in value.items():
            _check_argument(picture, f"{name}[{key!r}]", kind.partition(", ")[2].removesuffix("]"), entry)


def _refusal(picture: str, given: dict[str, Any], error: Exception) -> Exception | None:
    """What an argument lacks that a picture looked up in it; None where the error is of another object."""
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    last = frames[-1]
    by_picture = str(last.f_globals.get("__name__")).startswith(__name__)
    if not isinstance(error, AttributeError):
        for name, value in _parts(given) if by_picture else ():
            if isinstance(value, dict) and not value:
                return ValueError(f"{name} is empty; {picture} needs one entry at least")
            here = any(value is local for local in last.f_locals.values())
            if isinstance(error, KeyError) and here and isinstance(value, Mapping) and error.args[0] not in value:
                return ValueError(f"{name} has no entry {error.args[0]!r}, which {picture} draws; it has {list(value)}")
        return None
    holder, lacking = error.obj, error.name
    if holder is None and "attribute_name" in vars(last.f_locals.get("self", error)):
        # Methods that depend on parameters (`available_if`) are refused by their descriptor, which leaves both out.
        holder, lacking = last.f_locals["obj"], last.f_locals["self"].attribute_name
    elif not by_picture:
        return None
    for name, value in _parts(given):
        # Pictures that refit the model do so with a clone.
        mine = holder is value or (isinstance(value, BaseEstimator) and type(holder) is type(value))
        if mine and lacking and not lacking.startswith("_"):
            lack = f"{name}={value!r} has no {lacking}, which {picture} needs"
            fitted = not isinstance(value, BaseEstimator) or _is_fitted(holder)
            return TypeError(f"{lack}; give what has it") if fitted else NotFittedError(f"{lack}; fit it first")
    return None


def _is_fitted(model: BaseEstimator) -> bool:
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def _parts(given: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The arguments by name, and the entries of those that are dicts, lists or tuples."""
    for name, value in given.items():
        yield name, value
        if isinstance(value, list | tuple):
            value = dict(enumerate(value))
        if isinstance(value, dict):
            yield from ((f"{name}[{key!r}]", part) for key, part in value.items())


for _name in __all__:
    globals()[_name] = _refusing(globals()[_name])
