"""Evaluation: metrics, curves and their intervals, sources of error, diagnosis of under- and over-fitting, and what one
law loses against another."""

from gnomon.distributions import cross_entropy, entropy, kl_divergence
from gnomon.evaluation._brier_decomposition import BrierDecomposition, brier_decomposition
from gnomon.evaluation._calibration_error import CalibrationError, calibration_error
from gnomon.evaluation._confusion_matrix import ConfusionMatrix, confusion_matrix
from gnomon.evaluation._cost_curve import CostEnvelope, cost_curve
from gnomon.evaluation._cost_ratio_curve import CostRatioCurve, cost_ratio_curve
from gnomon.evaluation._curve_band import CurveBand, curve_band
from gnomon.evaluation._diagnose_fit import FitDiagnosis, diagnose_fit
from gnomon.evaluation._dominates import dominates
from gnomon.evaluation._eer import EqualErrorRate, eer
from gnomon.evaluation._error_curves import ErrorCurves, error_curves, score_curve
from gnomon.evaluation._error_sources import ErrorSources, error_sources
from gnomon.evaluation._mcnemar import McNemarTest, mcnemar
from gnomon.evaluation._metric_difference import MetricDifference, metric_difference
from gnomon.evaluation._metric_interval import metric_interval
from gnomon.evaluation._metric_table import Gap, MetricTable, metric_table
from gnomon.evaluation._metric_words import CurveStatistic
from gnomon.evaluation._operating_point import CurveMetric, OperatingPoint, curve_metric, operating_point
from gnomon.evaluation._pr_area import pr_area
from gnomon.evaluation._rates import RateRow, Rates, rates
from gnomon.evaluation._reliability import Reliability, reliability
from gnomon.evaluation.random_classifier import RandomClassifier

__all__ = [
    "BrierDecomposition",
    "CalibrationError",
    "ConfusionMatrix",
    "CostEnvelope",
    "CostRatioCurve",
    "CurveBand",
    "CurveMetric",
    "CurveStatistic",
    "EqualErrorRate",
    "ErrorCurves",
    "ErrorSources",
    "FitDiagnosis",
    "Gap",
    "McNemarTest",
    "MetricDifference",
    "MetricTable",
    "OperatingPoint",
    "RandomClassifier",
    "RateRow",
    "Rates",
    "Reliability",
    "brier_decomposition",
    "calibration_error",
    "confusion_matrix",
    "cost_curve",
    "cost_ratio_curve",
    "cross_entropy",
    "curve_band",
    "curve_metric",
    "diagnose_fit",
    "dominates",
    "eer",
    "entropy",
    "error_curves",
    "error_sources",
    "kl_divergence",
    "mcnemar",
    "metric_difference",
    "metric_interval",
    "metric_table",
    "operating_point",
    "pr_area",
    "rates",
    "reliability",
    "score_curve",
]
