"""
Why accuracy lies
=================

One payment in a hundred is a fraud. Who never suspects anybody is right 99 times in a hundred, and of no use. What to
measure instead, what resampling does, and how to take back what it did to the probabilities.
"""

import warnings

import numpy as np
from sklearn.model_selection import cross_val_score

from gnomon import plot
from gnomon.decision import Application, BayesDecisionClassifier, act_dcf, remove_prior, shift_prior
from gnomon.evaluation import (
    ImbalanceWarning,
    RandomClassifier,
    metric_interval,
    rates,
    reliability,
    score_curve,
    warn_if_imbalanced,
)
