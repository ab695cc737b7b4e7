"""Evaluation: how good a model is, where its errors come from, and which of several to choose."""

from gnomon.distributions import cross_entropy, entropy, kl_divergence
from gnomon.evaluation._bootstrap_error import BootstrapError, bootstrap_error
from gnomon.evaluation._compare_models import ModelComparison, compare_models
from gnomon.evaluation._cv_risk import CvRisk, cv_risk
from gnomon.evaluation._diagnose_fit import FitDiagnosis, diagnose_fit
from gnomon.evaluation._error_sources import ErrorSources, error_sources
from gnomon.evaluation._generalization_report import GeneralizationReport, generalization_report
from gnomon.evaluation._learning_curve_rate import LearningRate, learning_curve_rate, required_n
from gnomon.evaluation._leave_one_out import gcv, loo_residuals, loo_risk
from gnomon.evaluation._nested_cv import NestedScore, nested_cv
from gnomon.evaluation._paired_tests import PairedTest, corrected_t_test
from gnomon.evaluation._risks import ClassRisk, empirical_risk, true_risk
from gnomon.evaluation._select_model import ModelSelection, select_model
from gnomon.evaluation._train_val_test_split import train_val_test_split
from gnomon.evaluation.bootstrap_split import BootstrapSplit
from gnomon.evaluation.oracle import OraclePredictor

__all__ = [
    "BootstrapError",
    "BootstrapSplit",
    "ClassRisk",
    "CvRisk",
    "ErrorSources",
    "FitDiagnosis",
    "GeneralizationReport",
    "LearningRate",
    "ModelComparison",
    "ModelSelection",
    "NestedScore",
    "OraclePredictor",
    "PairedTest",
    "bootstrap_error",
    "compare_models",
    "corrected_t_test",
    "cross_entropy",
    "cv_risk",
    "diagnose_fit",
    "empirical_risk",
    "entropy",
    "error_sources",
    "gcv",
    "generalization_report",
    "kl_divergence",
    "learning_curve_rate",
    "loo_residuals",
    "loo_risk",
    "nested_cv",
    "required_n",
    "select_model",
    "train_val_test_split",
    "true_risk",
]
