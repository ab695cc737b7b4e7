"""Evaluation: metrics, curves and their intervals, sources of error, diagnosis of under- and over-fitting, and what one
law loses against another."""

from __future__ import annotations

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
from gnomon.evaluation._brier_decomposition import BrierDecomposition, brier_decomposition
from gnomon.evaluation._calibration_error import CalibrationError, calibration_error, expected_calibration_error
from gnomon.evaluation._compare_models import ModelComparison, compare_models
from gnomon.evaluation._confusion_matrix import ConfusionMatrix, confusion_matrix
from gnomon.evaluation._cost_curve import CostEnvelope, cost_curve
from gnomon.evaluation._cost_ratio_curve import CostRatioCurve, cost_ratio_curve
from gnomon.evaluation._curve_band import CurveBand, curve_band
from gnomon.evaluation._cv_risk import CvRisk, cv_risk
from gnomon.evaluation._diagnose_fit import FitDiagnosis, diagnose_fit
from gnomon.evaluation._dominates import dominates
from gnomon.evaluation._eer import EqualErrorRate, eer
from gnomon.evaluation._error_curves import ErrorCurves, error_curves, score_curve
from gnomon.evaluation._error_sources import ErrorSources, error_sources
from gnomon.evaluation._generalization_report import GeneralizationReport, generalization_report
from gnomon.evaluation._instability import instability
from gnomon.evaluation._learning_curve_rate import LearningRate, learning_curve_rate, required_n
from gnomon.evaluation._leave_one_out import gcv, loo_residuals, loo_risk
from gnomon.evaluation._mcnemar import McNemarTest, mcnemar
from gnomon.evaluation._metric_difference import MetricDifference, metric_difference
from gnomon.evaluation._metric_interval import metric_interval
from gnomon.evaluation._metric_table import Gap, MetricTable, metric_table
from gnomon.evaluation._metric_words import CurveStatistic
from gnomon.evaluation._nested_cv import NestedScore, nested_cv
from gnomon.evaluation._operating_point import CurveMetric, OperatingPoint, curve_metric, operating_point
from gnomon.evaluation._paired_tests import PairedTest, corrected_t_test
from gnomon.evaluation._pr_area import pr_area
from gnomon.evaluation._rates import RateRow, Rates, rates
from gnomon.evaluation._reliability import Reliability, reliability
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
from gnomon.evaluation.random_classifier import RandomClassifier
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
    "BrierDecomposition",
    "CalibrationError",
    "ClassRisk",
    "ConfusionMatrix",
    "CostEnvelope",
    "CostRatioCurve",
    "CurveBand",
    "CurveMetric",
    "CurveStatistic",
    "CvRisk",
    "Dichotomies",
    "EqualErrorRate",
    "ErrorCurves",
    "ErrorSources",
    "FiniteClass",
    "FitDiagnosis",
    "FunctionClass",
    "Gap",
    "GeneralizationReport",
    "ImbalanceWarning",
    "LearningRate",
    "LinearBall",
    "McNemarTest",
    "MetricDifference",
    "MetricTable",
    "ModelComparison",
    "ModelSelection",
    "NestedScore",
    "OperatingPoint",
    "Optimism",
    "OraclePredictor",
    "PairedTest",
    "RandomClassifier",
    "RateRow",
    "Rates",
    "Reliability",
    "SupportVectorBound",
    "bias_variance",
    "bias_variance_bootstrap",
    "bootstrap_error",
    "brier_decomposition",
    "calibration_error",
    "compare_models",
    "confusion_matrix",
    "corrected_t_test",
    "cost_curve",
    "cost_ratio_curve",
    "cross_entropy",
    "curve_band",
    "curve_metric",
    "cv_risk",
    "diagnose_fit",
    "dominates",
    "eer",
    "effective_dof",
    "empirical_risk",
    "entropy",
    "error_curves",
    "error_sources",
    "expected_calibration_error",
    "gcv",
    "generalization_report",
    "growth_function",
    "instability",
    "is_shattered",
    "kl_divergence",
    "learning_curve_rate",
    "loo_residuals",
    "loo_risk",
    "mcnemar",
    "metric_difference",
    "metric_interval",
    "metric_table",
    "n_dichotomies",
    "nested_cv",
    "network_complexity",
    "operating_point",
    "optimism",
    "pr_area",
    "rademacher_bound",
    "rademacher_complexity",
    "rates",
    "reliability",
    "required_n",
    "score_curve",
    "select_model",
    "split_predictions",
    "sv_bound",
    "train_val_test_split",
    "true_risk",
    "vc_bound",
    "vc_dimension",
    "warn_if_imbalanced",
]
