"""Evaluation: metrics, curves and their intervals, sources of error, diagnosis of under- and over-fitting, and what one
law loses against another."""

from gnomon.distributions import cross_entropy, entropy, kl_divergence
from gnomon.evaluation._confusion_matrix import ConfusionMatrix, confusion_matrix
from gnomon.evaluation._diagnose_fit import FitDiagnosis, diagnose_fit
from gnomon.evaluation._dominates import dominates
from gnomon.evaluation._eer import EqualErrorRate, eer
from gnomon.evaluation._error_curves import ErrorCurves, error_curves, score_curve
from gnomon.evaluation._error_sources import ErrorSources, error_sources
from gnomon.evaluation._mcnemar import McNemarTest, mcnemar
from gnomon.evaluation._metric_difference import MetricDifference, metric_difference
from gnomon.evaluation._metric_interval import metric_interval
from gnomon.evaluation._metric_words import CurveStatistic
from gnomon.evaluation._operating_point import OperatingPoint, operating_point
from gnomon.evaluation._pr_area import pr_area
from gnomon.evaluation._rates import RateRow, Rates, rates

__all__ = [
    "ConfusionMatrix",
    "CurveStatistic",
    "EqualErrorRate",
    "ErrorCurves",
    "ErrorSources",
    "FitDiagnosis",
    "McNemarTest",
    "MetricDifference",
    "OperatingPoint",
    "RateRow",
    "Rates",
    "confusion_matrix",
    "cross_entropy",
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
    "operating_point",
    "pr_area",
    "rates",
    "score_curve",
]
