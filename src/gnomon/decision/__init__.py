"""Decisions: from predictions to actions, their confidence, sets with a guarantee, and which labels to ask for."""

from __future__ import annotations

from gnomon.decision._bayes_action import ActionChoice, bayes_action
from gnomon.decision._bayes_decision import bayes_decision, bayes_threshold, cost_threshold, expected_cost
from gnomon.decision._bayes_error_curve import BayesErrorCurve, bayes_error_curve
from gnomon.decision._bayes_risk import bayes_risk
from gnomon.decision._cllr import ScoreSplit, calibration_split, cllr, min_cllr, proper_score
from gnomon.decision._confidence import confidence
from gnomon.decision._conformal import CoverageCurve
from gnomon.decision._empirical_risk import dcf, empirical_bayes_risk
from gnomon.decision._min_dcf import MinimumCost, act_dcf, calibration_loss, min_dcf
from gnomon.decision._population_minimizer import population_minimizer
from gnomon.decision._set_scores import AdaptiveScore
from gnomon.decision._simulate_active_learning import LabelCurves, simulate_active_learning
from gnomon.decision.active import ActiveLearner
from gnomon.decision.application import Application
from gnomon.decision.calibrated_scorer import CalibratedScorer
from gnomon.decision.conformal_classifier import ConformalClassifier, PredictionSets
from gnomon.decision.conformal_regressor import ConformalRegressor, PredictionIntervals
from gnomon.decision.decision_classifier import BayesDecisionClassifier
from gnomon.decision.decision_regressor import DecisionRegressor
from gnomon.decision.reject_classifier import RejectClassifier, RejectCurve, reject_curve
from gnomon.decision.score_calibrator import ScoreCalibrator
from gnomon.decision.score_fusion import ScoreFusion
from gnomon.decision.scorers import cost_scorer, dcf_scorer
from gnomon.decision.strategies import CommitteeDisagreement, ExpectedErrorReduction, LearningState
from gnomon.decision.threshold_tuner import ThresholdTuner
from gnomon.numerics.weights import class_weights, effective_train_prior, remove_prior, shift_prior

__all__ = [
    "ActionChoice",
    "ActiveLearner",
    "AdaptiveScore",
    "Application",
    "BayesDecisionClassifier",
    "BayesErrorCurve",
    "CalibratedScorer",
    "CommitteeDisagreement",
    "ConformalClassifier",
    "ConformalRegressor",
    "CoverageCurve",
    "DecisionRegressor",
    "ExpectedErrorReduction",
    "LabelCurves",
    "LearningState",
    "MinimumCost",
    "PredictionIntervals",
    "PredictionSets",
    "RejectClassifier",
    "RejectCurve",
    "ScoreCalibrator",
    "ScoreFusion",
    "ScoreSplit",
    "ThresholdTuner",
    "act_dcf",
    "bayes_action",
    "bayes_decision",
    "bayes_error_curve",
    "bayes_risk",
    "bayes_threshold",
    "calibration_loss",
    "calibration_split",
    "class_weights",
    "cllr",
    "confidence",
    "cost_scorer",
    "cost_threshold",
    "dcf",
    "dcf_scorer",
    "effective_train_prior",
    "empirical_bayes_risk",
    "expected_cost",
    "min_cllr",
    "min_dcf",
    "population_minimizer",
    "proper_score",
    "reject_curve",
    "remove_prior",
    "shift_prior",
    "simulate_active_learning",
]
