"""Evaluation: sources of error, under- and over-fitting, complexity, and what one law loses against another."""

from gnomon.base.imbalance import ImbalanceWarning, warn_if_imbalanced
from gnomon.distributions import cross_entropy, entropy, kl_divergence
from gnomon.evaluation._bias_variance import (
    BiasVariance,
    BiasVarianceCurve,
    bias_variance,
    bias_variance_bootstrap,
    split_predictions,
)
from gnomon.evaluation._bootstrap_error import BootstrapError, bootstrap_error
from gnomon.evaluation._compare_models import ModelComparison, compare_models
from gnomon.evaluation._cv_risk import CvRisk, cv_risk
from gnomon.evaluation._diagnose_fit import FitDiagnosis, diagnose_fit
from gnomon.evaluation._error_sources import ErrorSources, error_sources
from gnomon.evaluation._generalization_report import GeneralizationReport, generalization_report
from gnomon.evaluation._instability import instability
from gnomon.evaluation._learning_curve_rate import LearningRate, learning_curve_rate, required_n
from gnomon.evaluation._leave_one_out import gcv, loo_residuals, loo_risk
from gnomon.evaluation._nested_cv import NestedScore, nested_cv
from gnomon.evaluation._paired_tests import PairedTest, corrected_t_test
from gnomon.evaluation._risks import ClassRisk, empirical_risk, true_risk
from gnomon.evaluation._select_model import ModelSelection, select_model
from gnomon.evaluation._train_val_test_split import train_val_test_split
from gnomon.evaluation.bootstrap_split import BootstrapSplit
from gnomon.evaluation.complexity import (
    Optimism,
    SupportVectorBound,
    effective_dof,
    network_complexity,
    optimism,
    sv_bound,
)
from gnomon.evaluation.oracle import OraclePredictor
from gnomon.evaluation.rademacher import FiniteClass, FunctionClass, LinearBall, rademacher_bound, rademacher_complexity
from gnomon.evaluation.shattering import (
    Dichotomies,
    growth_function,
    is_shattered,
    n_dichotomies,
    vc_bound,
    vc_dimension,
)

__all__ = [
    "BiasVariance",
    "BiasVarianceCurve",
    "BootstrapError",
    "BootstrapSplit",
    "ClassRisk",
    "CvRisk",
    "Dichotomies",
    "ErrorSources",
    "FiniteClass",
    "FitDiagnosis",
    "FunctionClass",
    "GeneralizationReport",
    "ImbalanceWarning",
    "LearningRate",
    "LinearBall",
    "ModelComparison",
    "ModelSelection",
    "NestedScore",
    "Optimism",
    "OraclePredictor",
    "PairedTest",
    "SupportVectorBound",
    "bias_variance",
    "bias_variance_bootstrap",
    "bootstrap_error",
    "compare_models",
    "corrected_t_test",
    "cross_entropy",
    "cv_risk",
    "diagnose_fit",
    "effective_dof",
    "empirical_risk",
    "entropy",
    "error_sources",
    "gcv",
    "generalization_report",
    "growth_function",
    "instability",
    "is_shattered",
    "kl_divergence",
    "learning_curve_rate",
    "loo_residuals",
    "loo_risk",
    "n_dichotomies",
    "nested_cv",
    "network_complexity",
    "optimism",
    "rademacher_bound",
    "rademacher_complexity",
    "required_n",
    "select_model",
    "split_predictions",
    "sv_bound",
    "train_val_test_split",
    "true_risk",
    "vc_bound",
    "vc_dimension",
    "warn_if_imbalanced",
]
