"""Plots: functions of fitted models or arrays that return the axes they drew on.

Every function takes ``ax=`` (or makes a figure), labels what it draws, uses a palette that colour-blind readers can
tell apart, changes nothing global and never shows or saves anything.
"""

from gnomon.plot._class_densities import class_densities, gaussian_boundaries, generative_overview
from gnomon.plot._convergence import convergence, early_stopping, primal_dual, solver_race, update_ratio
from gnomon.plot._fits import complexity_curve, fit_panels, fits, predictive_band
from gnomon.plot.active import label_curves, query_order
from gnomon.plot.anomalies import anomaly_contours, nested_contours, split_diagram, threshold_choice
from gnomon.plot.bayes import posterior_ellipses, prior_densities
from gnomon.plot.boosting import boosting_bound, boosting_rounds
from gnomon.plot.boundary import decision_boundary, decision_lines
from gnomon.plot.classifiers import boundary_in_both, far_point, probability_surface
from gnomon.plot.codes import code_map
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
from gnomon.plot.kernels import gram_and_spectrum, gram_sparsity, kernel_shapes
from gnomon.plot.laws import conjugate_update, law_densities, normality
from gnomon.plot.losses import cost_slopes, dual_tangents, margin_losses, regression_losses, sigmoid_and_sign
from gnomon.plot.metrics import confusion_table, cost_curves, error_rates, metric_over_threshold, reliability_diagram
from gnomon.plot.mixtures import density_spikes, mixture_curves, mixture_levels, responsibility_colors
from gnomon.plot.multiclass import decision_dag, one_vs_one_regions, one_vs_rest_regions
from gnomon.plot.path import coefficient_path, coefficients
from gnomon.plot.penalties import penalty_curves, penalty_geometry
from gnomon.plot.perceptron import errors_per_update, margin_picture, perceptron_lines
from gnomon.plot.pruning import pruning_curves
from gnomon.plot.regions import class_regions, few_labels
from gnomon.plot.risks import learning_curves, split_panels
from gnomon.plot.score_curves import det_curves, precision_recall_curves, roc_and_precision_recall, roc_curves
from gnomon.plot.selection import selection_errors, subset_boundaries
from gnomon.plot.trees import impurity_curves, rule_stump, tree, tree_regions

__all__ = [
    "anomaly_contours",
    "asymmetric_cost",
    "bayes_error_plot",
    "bias_variance_curves",
    "bias_variance_terms",
    "boosting_bound",
    "boosting_rounds",
    "bootstrap_trees",
    "boundary_in_both",
    "calibrated_scores",
    "class_densities",
    "class_regions",
    "code_map",
    "coefficient_path",
    "coefficients",
    "complexity_curve",
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
    "density_spikes",
    "descent_paths",
    "det_curves",
    "doubt_zone",
    "dual_tangents",
    "early_stopping",
    "em_course",
    "em_panels",
    "error_rates",
    "error_source_bars",
    "errors_per_update",
    "evidence_waterfall",
    "far_point",
    "feature_curves",
    "few_labels",
    "fit_panels",
    "fits",
    "forest_importances",
    "forest_nearness",
    "gaussian_boundaries",
    "generative_overview",
    "gram_and_spectrum",
    "gram_sparsity",
    "impurity_curves",
    "kernel_shapes",
    "label_curves",
    "law_densities",
    "learning_curves",
    "least_squares_geometry",
    "margin_losses",
    "margin_picture",
    "metric_over_threshold",
    "mixture_curves",
    "mixture_levels",
    "monomials",
    "nested_contours",
    "nonlinear_problems",
    "normality",
    "one_vs_one_regions",
    "one_vs_rest_regions",
    "oob_curve",
    "penalty_curves",
    "penalty_geometry",
    "perceptron_lines",
    "polar_remap",
    "posterior_bars",
    "posterior_ellipses",
    "precision_recall_curves",
    "prediction_intervals",
    "predictive_band",
    "primal_dual",
    "prior_densities",
    "probability_surface",
    "pruning_curves",
    "query_order",
    "rare_class",
    "regression_losses",
    "reliability_diagram",
    "responsibility_colors",
    "roc_and_precision_recall",
    "roc_curves",
    "rule_stump",
    "schedule_curves",
    "selection_errors",
    "set_sizes",
    "shattering",
    "sigmoid_and_sign",
    "soft_against_hard",
    "solver_race",
    "split_diagram",
    "split_panels",
    "splitting_panels",
    "subset_boundaries",
    "threshold_choice",
    "tree",
    "tree_regions",
    "update_ratio",
    "whitening_steps",
]
