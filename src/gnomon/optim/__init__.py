"""Optimisation: pure functions from nouns and arrays to a `Solution`. They know no estimator."""

from __future__ import annotations

from gnomon.optim._alternate import alternate
from gnomon.optim._bfgs import bfgs
from gnomon.optim._conjugate_gradient import conjugate_gradient
from gnomon.optim._coordinate_descent import CoordinateOrder, coordinate_descent, coordinate_path
from gnomon.optim._dual_coordinate_ascent import dual_coordinate_ascent
from gnomon.optim._dual_newton import dual_newton
from gnomon.optim._em import EMBound, EMResult, Restart, em, em_bound
from gnomon.optim._exact_kmeans import exact_kmeans
from gnomon.optim._exchange_rows import exchange_rows
from gnomon.optim._factorize import Factors, change_in_units, factor_unit, factorize, half_square
from gnomon.optim._factorize_chunks import code_rows, factorize_chunks
from gnomon.optim._faster_pam import Medoids, build_medoids, faster_pam
from gnomon.optim._fit_kernel import KERNEL_SOLVERS, fit_kernel
from gnomon.optim._fit_linear import SOLVERS, Solver, applicable_solvers, fit_linear
from gnomon.optim._fit_mle import MaximumLikelihood, fit_mle, maximize_model_evidence
from gnomon.optim._fit_sigmoid import SigmoidFit, fit_sigmoid
from gnomon.optim._gradient_descent import gradient_descent
from gnomon.optim._irls import irls
from gnomon.optim._kernel_dcd import kernel_dcd
from gnomon.optim._kernel_newton import kernel_newton
from gnomon.optim._kernel_pegasos import kernel_pegasos
from gnomon.optim._kernel_primal import LARGEST_MATRIX, kernel_primal
from gnomon.optim._kernel_qp import LARGEST_QP, kernel_qp
from gnomon.optim._kmeans import KMeansResult, kmeans
from gnomon.optim._kmeans_chunks import ChunkedKMeans, kmeans_chunks
from gnomon.optim._lbfgs import lbfgs
from gnomon.optim._lp_norm import lp_norm
from gnomon.optim._multiclass_dual import multiclass_dual
from gnomon.optim._multiclass_kernel_dual import MulticlassMargin, multiclass_kernel_dual
from gnomon.optim._multiplicative_updates import FactorPenalties, beta_divergence, multiplicative_updates
from gnomon.optim._nested_levels import NestedLevels, nested_levels
from gnomon.optim._newton import newton, positive_factor
from gnomon.optim._newton_cg import newton_cg
from gnomon.optim._pair_moves import PairMoves, move_by_pairs
from gnomon.optim._pegasos import pegasos
from gnomon.optim._perceptron import SELECTIONS, Patience, Selection, perceptron
from gnomon.optim._proximal_gradient import OnPart, projected_gradient, proximal_gradient
from gnomon.optim._proximal_newton import proximal_newton
from gnomon.optim._radial_network import RadialNetwork, radial_design, radial_network
from gnomon.optim._reassign import Reassigned, reassign
from gnomon.optim._sag import sag
from gnomon.optim._seed_centers import seed_centers
from gnomon.optim._sgd import asgd, sgd
from gnomon.optim._smo import smo
from gnomon.optim._sparse_codes import lasso_codes, least_angle_codes, pursuit_codes, threshold_codes
from gnomon.optim._train import train
from gnomon.optim._train_options import UPDATE_RULES
from gnomon.optim._training_state import TrainingState
from gnomon.optim.batch_problem import BatchProblem, CurvatureProblem, ParameterGroup
from gnomon.optim.best_subset import SubsetTable, best_subsets, greedy_subsets, size_intervals
from gnomon.optim.center_search import distances_to, nearest_center, squares_to_own
from gnomon.optim.checks import ConvexityReport, GradientReport, check_convex, check_gradient
from gnomon.optim.clipped import Clipped
from gnomon.optim.covariance_control import AddedVariance, CovarianceControl, CovarianceFloor, CovariancePrior
from gnomon.optim.duality import dual_gap
from gnomon.optim.evidence import Evidence, maximize_evidence
from gnomon.optim.gaussian_em import GaussianEM, NormalMixture, ObservedRows, fit_normal_missing, observed_rows
from gnomon.optim.gaussian_growth import fit_by_gradient, grow_by_splitting, split_components
from gnomon.optim.gradient_linear import ApproximateZerosWarning
from gnomon.optim.kernel_dual import InterceptRange, KernelDual
from gnomon.optim.kernel_problem import KernelPoint, KernelProblem
from gnomon.optim.kmeans_certificate import kmeans_lower_bound
from gnomon.optim.lars import LassoKnots, lasso_knots
from gnomon.optim.line_search import LineStep, strong_wolfe
from gnomon.optim.problem import Problem
from gnomon.optim.separability import Separability, is_separable
from gnomon.optim.solution import (
    DivergenceWarning,
    Solution,
    Trace,
    warn_unless_all_converged,
    warn_unless_converged,
    warn_unless_em_converged,
)
from gnomon.optim.stalls import RateDrops
from gnomon.optim.svm_programs import lp, optimal_intercept, qp
from gnomon.optim.updates import Adam, GradientSteps, Rprop, UpdateRule

__all__ = [
    "KERNEL_SOLVERS",
    "LARGEST_MATRIX",
    "LARGEST_QP",
    "SELECTIONS",
    "SOLVERS",
    "UPDATE_RULES",
    "Adam",
    "AddedVariance",
    "ApproximateZerosWarning",
    "BatchProblem",
    "ChunkedKMeans",
    "Clipped",
    "ConvexityReport",
    "CoordinateOrder",
    "CovarianceControl",
    "CovarianceFloor",
    "CovariancePrior",
    "CurvatureProblem",
    "DivergenceWarning",
    "EMBound",
    "EMResult",
    "Evidence",
    "FactorPenalties",
    "Factors",
    "GaussianEM",
    "GradientReport",
    "GradientSteps",
    "InterceptRange",
    "KMeansResult",
    "KernelDual",
    "KernelPoint",
    "KernelProblem",
    "LassoKnots",
    "LineStep",
    "MaximumLikelihood",
    "Medoids",
    "MulticlassMargin",
    "NestedLevels",
    "NormalMixture",
    "ObservedRows",
    "OnPart",
    "PairMoves",
    "ParameterGroup",
    "Patience",
    "Problem",
    "RadialNetwork",
    "RateDrops",
    "Reassigned",
    "Restart",
    "Rprop",
    "Selection",
    "Separability",
    "SigmoidFit",
    "Solution",
    "Solver",
    "SubsetTable",
    "Trace",
    "TrainingState",
    "UpdateRule",
    "alternate",
    "applicable_solvers",
    "asgd",
    "best_subsets",
    "beta_divergence",
    "bfgs",
    "build_medoids",
    "change_in_units",
    "check_convex",
    "check_gradient",
    "code_rows",
    "conjugate_gradient",
    "coordinate_descent",
    "coordinate_path",
    "distances_to",
    "dual_coordinate_ascent",
    "dual_gap",
    "dual_newton",
    "em",
    "em_bound",
    "exact_kmeans",
    "exchange_rows",
    "factor_unit",
    "factorize",
    "factorize_chunks",
    "faster_pam",
    "fit_by_gradient",
    "fit_kernel",
    "fit_linear",
    "fit_mle",
    "fit_normal_missing",
    "fit_sigmoid",
    "gradient_descent",
    "greedy_subsets",
    "grow_by_splitting",
    "half_square",
    "irls",
    "is_separable",
    "kernel_dcd",
    "kernel_newton",
    "kernel_pegasos",
    "kernel_primal",
    "kernel_qp",
    "kmeans",
    "kmeans_chunks",
    "kmeans_lower_bound",
    "lasso_codes",
    "lasso_knots",
    "lbfgs",
    "least_angle_codes",
    "lp",
    "lp_norm",
    "maximize_evidence",
    "maximize_model_evidence",
    "move_by_pairs",
    "multiclass_dual",
    "multiclass_kernel_dual",
    "multiplicative_updates",
    "nearest_center",
    "nested_levels",
    "newton",
    "newton_cg",
    "observed_rows",
    "optimal_intercept",
    "pegasos",
    "perceptron",
    "positive_factor",
    "projected_gradient",
    "proximal_gradient",
    "proximal_newton",
    "pursuit_codes",
    "qp",
    "radial_design",
    "radial_network",
    "reassign",
    "sag",
    "seed_centers",
    "sgd",
    "size_intervals",
    "smo",
    "split_components",
    "squares_to_own",
    "strong_wolfe",
    "threshold_codes",
    "train",
    "warn_unless_all_converged",
    "warn_unless_converged",
    "warn_unless_em_converged",
]
