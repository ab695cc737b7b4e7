"""Losses: what a model pays for predicting the score z when the truth is y."""

from __future__ import annotations

from gnomon._jit import choose, noun
from gnomon.losses._base import Loss
from gnomon.losses.absolute import AbsoluteLoss, LpLoss
from gnomon.losses.callable import CallableLoss
from gnomon.losses.chebyshev import MaxLoss
from gnomon.losses.cross_entropy import BinaryCrossEntropy, OneVsRestCrossEntropy, TwoTermCrossEntropy
from gnomon.losses.exponential import ExponentialLoss
from gnomon.losses.glm import (
    BinomialFamily,
    DevianceLoss,
    Family,
    GammaFamily,
    GaussianFamily,
    InverseGaussianFamily,
    PoissonFamily,
    TweedieFamily,
)
from gnomon.losses.hinge import HingeLoss
from gnomon.losses.huber import HuberLoss
from gnomon.losses.likelihood import LikelihoodLoss, from_likelihood
from gnomon.losses.links import CLogLogLink, IdentityLink, InverseLink, Link, LogitLink, LogLink, ProbitLink
from gnomon.losses.log_mean import LogGammaLoss, LogPoissonLoss
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
    "BinomialFamily",
    "CLogLogLink",
    "CallableLoss",
    "ClassRisks",
    "DevianceLoss",
    "ExponentialLoss",
    "Family",
    "GammaFamily",
    "GaussianFamily",
    "HingeLoss",
    "HuberLoss",
    "IdentityLink",
    "InverseGaussianFamily",
    "InverseLink",
    "LikelihoodLoss",
    "Link",
    "LogGammaLoss",
    "LogLink",
    "LogPoissonLoss",
    "LogisticLoss",
    "LogitLink",
    "Loss",
    "LpLoss",
    "MaxLoss",
    "MulticlassHinge",
    "OneVsRestCrossEntropy",
    "PerceptronLoss",
    "PinballLoss",
    "PoissonFamily",
    "ProbitLink",
    "SoftmaxLoss",
    "SquaredHingeLoss",
    "SquaredLoss",
    "TweedieFamily",
    "TwoTermCrossEntropy",
    "Weighted",
    "ZeroOneLoss",
    "choose",
    "class_risks",
    "from_likelihood",
    "noun",
]
