"""The parameters that every estimator with a network has: names, types and defaults, once.

    MLPClassifier(hidden_layer_sizes, activation, *, solver="adam", …)  =  its own fields and those of its bases     (1)

An estimator is a dataclass that inherits them, so that its constructor takes each as a keyword and type checkers know
it. What a parameter means is said where users read it, at `MLPClassifier`; what goes with what in `_options`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from gnomon._typing import (
    ArrayLike,
    Count,
    CountOrZero,
    NonNegative,
    Positive,
    RandomState,
    Scoring,
    Share,
    Verbosity,
    Within,
)
from gnomon.neural.layers import Initializer
from gnomon.numerics.augment import Augmentation
from gnomon.optim import RateDrops
from gnomon.optim.schedules import Schedule
from gnomon.optim.updates import UpdateRule

__all__ = ["EstimatorParameters", "TrainingParameters"]

Solver: TypeAlias = (
    Literal["adam", "sgd", "gd", "rprop", "rprop+", "irprop-", "lbfgs", "bfgs", "cg", "newton"] | UpdateRule
)
LearningRate: TypeAlias = (
    Literal["constant", "invscaling", "adaptive", "plateau", "inv", "inv_t0", "power", "capped"]
    | Schedule
    | RateDrops
    | Callable[[int], float]
)
Clock: TypeAlias = Literal["update", "epoch", "row"]
Patience: TypeAlias = CountOrZero | Annotated[float, Within(math.inf, math.inf, "both")]
"""Epochs without improvement that are allowed; infinity for any number of them."""
Engine: TypeAlias = Literal["auto", "numpy", "torch"]
Objective: TypeAlias = Literal["sum", "mean", "sum_half", "mean_half"]
Pretraining: TypeAlias = Literal["autoencoder", "rbm"]
FirstWeights: TypeAlias = str | Initializer | Sequence[str | Initializer | ArrayLike]
BelowOne: TypeAlias = Annotated[float, Within(0.0, 1.0, "left")]
AdaptRatio: TypeAlias = tuple[float, float] | Literal["normalise"] | None
RowSampling: TypeAlias = Literal["shuffle", "uniform", "balanced"] | ArrayLike
Augmentations: TypeAlias = Augmentation | Sequence[Augmentation] | None


@dataclass(kw_only=True, eq=False, repr=False, match_args=False)
class TrainingParameters:
    """How a network is trained."""

    solver: Solver = "adam"
    alpha: NonNegative = 1e-4
    l1: NonNegative = 0.0
    objective: Objective = "sum_half"
    penalty_scale: Literal["all", "batch"] = "all"
    penalize_intercept: bool = False
    max_norm: Positive | None = None
    batch_size: Count | Literal["auto"] = "auto"
    sampling: RowSampling = "shuffle"
    shuffle: bool = True
    learning_rate: LearningRate = "constant"
    learning_rate_init: Positive = 1e-3
    power_t: NonNegative = 0.5
    per: Clock | None = None
    momentum: Share | Schedule = 0.9
    nesterovs_momentum: bool = True
    beta_1: BelowOne = 0.9
    beta_2: BelowOne = 0.999
    epsilon: Positive = 1e-8
    adapt_ratio: AdaptRatio = None
    curvature: Literal["gauss_newton", "hessian"] = "gauss_newton"
    max_iter: Count = 200
    max_fun: Count = 15000
    tol: NonNegative = 1e-4
    tol_grad: Positive | None = None
    n_iter_no_change: Patience = 10
    time_limit: NonNegative | None = None
    track_objective: bool = False
    checkpoint: str | os.PathLike[str] | None = None
    n_restarts: Count = 1
    n_jobs: int | None = None
    engine: Engine = "auto"
    augment: Augmentations = None
    random_state: RandomState = None
    verbose: Verbosity = False


@dataclass(kw_only=True, eq=False, repr=False, match_args=False)
class EstimatorParameters(TrainingParameters):
    """Besides: where a fit begins, which rows it holds out, and how it scales columns."""

    warm_start: bool = False
    early_stopping: bool = False
    validation_fraction: BelowOne = 0.1
    monitor: Scoring = "score"
    standardize: bool | None = None
    pretrain: Pretraining | None = None
