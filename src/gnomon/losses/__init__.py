"""Losses: what a model pays for predicting the score z when the truth is y."""

from gnomon._jit import noun
from gnomon.losses._base import Loss
from gnomon.losses.logistic import LogisticLoss
from gnomon.losses.squared import SquaredLoss

__all__ = ["LogisticLoss", "Loss", "SquaredLoss", "noun"]
