"""Decisions: from predictions to actions, the confidence in them, and which labels to ask for."""

from gnomon.decision._confidence import confidence
from gnomon.decision._simulate_active_learning import LabelCurves, simulate_active_learning
from gnomon.decision.active import ActiveLearner
from gnomon.decision.strategies import CommitteeDisagreement, ExpectedErrorReduction, LearningState
from gnomon.numerics.weights import class_weights, effective_train_prior, remove_prior, shift_prior

__all__ = [
    "ActiveLearner",
    "CommitteeDisagreement",
    "ExpectedErrorReduction",
    "LabelCurves",
    "LearningState",
    "class_weights",
    "confidence",
    "effective_train_prior",
    "remove_prior",
    "shift_prior",
    "simulate_active_learning",
]
