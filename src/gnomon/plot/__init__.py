"""Pictures: each a function of fitted models or arrays that returns the axes it drew on.

Every function takes ``ax=`` (or makes a figure), labels what it draws, uses a palette that colour-blind readers can
tell apart, changes nothing global and never shows or saves anything.
"""

from gnomon.plot.bayes import posterior_ellipses, prior_densities
from gnomon.plot.boundary import decision_boundary, decision_lines
from gnomon.plot.classifiers import boundary_in_both, far_point, probability_surface
from gnomon.plot.convergence import convergence, early_stopping, primal_dual, solver_race, update_ratio
from gnomon.plot.descent import descent_paths, schedule_curves
from gnomon.plot.features import feature_curves, monomials, nonlinear_problems, polar_remap, whitening_steps
from gnomon.plot.fits import complexity_curve, fit_panels, fits, predictive_band
from gnomon.plot.geometry import least_squares_geometry
from gnomon.plot.losses import cost_slopes, dual_tangents, margin_losses, regression_losses, sigmoid_and_sign
from gnomon.plot.path import coefficient_path, coefficients
from gnomon.plot.penalties import penalty_curves, penalty_geometry
from gnomon.plot.perceptron import errors_per_update, margin_picture, perceptron_lines
from gnomon.plot.selection import selection_errors, subset_boundaries

__all__ = [
    "boundary_in_both",
    "coefficient_path",
    "coefficients",
    "complexity_curve",
    "convergence",
    "cost_slopes",
    "decision_boundary",
    "decision_lines",
    "descent_paths",
    "dual_tangents",
    "early_stopping",
    "errors_per_update",
    "far_point",
    "feature_curves",
    "fit_panels",
    "fits",
    "least_squares_geometry",
    "margin_losses",
    "margin_picture",
    "monomials",
    "nonlinear_problems",
    "penalty_curves",
    "penalty_geometry",
    "perceptron_lines",
    "polar_remap",
    "posterior_ellipses",
    "predictive_band",
    "primal_dual",
    "prior_densities",
    "probability_surface",
    "regression_losses",
    "schedule_curves",
    "selection_errors",
    "sigmoid_and_sign",
    "solver_race",
    "subset_boundaries",
    "update_ratio",
    "whitening_steps",
]
