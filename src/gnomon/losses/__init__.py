"""Losses: what a model pays for predicting the score z when the truth is y."""

from gnomon._jit import choose, noun
from gnomon.losses._base import Loss
from gnomon.losses.absolute import AbsoluteLoss, LpLoss
from gnomon.losses.callable import CallableLoss
from gnomon.losses.chebyshev import MaxLoss
from gnomon.losses.cross_entropy import BinaryCrossEntropy, OneVsRestCrossEntropy, TwoTermCrossEntropy
from gnomon.losses.exponential import ExponentialLoss
from gnomon.losses.hinge import HingeLoss
from gnomon.losses.likelihood import LikelihoodLoss, from_likelihood
from gnomon.losses.logistic import LogisticLoss
from gnomon.losses.multiclass_hinge import MulticlassHinge
from gnomon.losses.perceptron import PerceptronLoss
from gnomon.losses.pinball import PinballLoss
from gnomon.losses.risks import ClassRisks, class_risks
from gnomon.losses.softmax import SoftmaxLoss
from gnomon.losses.squared import SquaredLoss
from gnomon.losses.squared_hinge import SquaredHingeLoss
from gnomon.losses.weighted import Weighted
from gnomon.losses.zero_one import ZeroOneLoss

__all__ = [
    "AbsoluteLoss",
    "BinaryCrossEntropy",
    "CallableLoss",
    "ClassRisks",
    "ExponentialLoss",
    "HingeLoss",
    "LikelihoodLoss",
    "LogisticLoss",
    "Loss",
    "LpLoss",
    "MaxLoss",
    "MulticlassHinge",
    "OneVsRestCrossEntropy",
    "PerceptronLoss",
    "PinballLoss",
    "SoftmaxLoss",
    "SquaredHingeLoss",
    "SquaredLoss",
    "TwoTermCrossEntropy",
    "Weighted",
    "ZeroOneLoss",
    "choose",
    "class_risks",
    "from_likelihood",
    "noun",
]
