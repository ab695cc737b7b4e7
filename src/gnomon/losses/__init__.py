"""Losses: what a model pays for predicting the score z when the truth is y."""

from gnomon._jit import noun
from gnomon.losses._base import Loss
from gnomon.losses.hinge import HingeLoss
from gnomon.losses.logistic import LogisticLoss
from gnomon.losses.perceptron import PerceptronLoss
from gnomon.losses.squared import SquaredLoss
from gnomon.losses.squared_hinge import SquaredHingeLoss

__all__ = ["HingeLoss", "LogisticLoss", "Loss", "PerceptronLoss", "SquaredHingeLoss", "SquaredLoss", "noun"]
