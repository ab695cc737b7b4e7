"""Decisions: from predictions to actions, the confidence in them, and sets that hold the truth with a guarantee."""

from gnomon.decision._confidence import confidence
from gnomon.decision._conformal import CoverageCurve
from gnomon.decision._set_scores import AdaptiveScore
from gnomon.decision.conformal_classifier import ConformalClassifier, PredictionSets
from gnomon.decision.conformal_regressor import ConformalRegressor, PredictionIntervals

__all__ = [
    "AdaptiveScore",
    "ConformalClassifier",
    "ConformalRegressor",
    "CoverageCurve",
    "PredictionIntervals",
    "PredictionSets",
    "confidence",
]
