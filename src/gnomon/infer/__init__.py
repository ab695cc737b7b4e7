"""Inference: pure functions from laws and arrays to posteriors. They know no estimator."""

from __future__ import annotations

from gnomon.infer._class_laplace import ClassPosterior, laplace_classes
from gnomon.infer._conformal_quantile import conformal_quantile, exceeding_mass
from gnomon.infer._expected_cost import Decisions, dominant_action, expected_cost
from gnomon.infer._gaussian_process import Conditioned, Left, condition
from gnomon.infer._grid_posterior import GridPosterior, grid_posterior
from gnomon.infer._laplace import LaplaceApproximation, laplace, laplace_at
from gnomon.infer._sigmoid_average import SIGMOID_AVERAGES, SigmoidAverage, sigmoid_average
from gnomon.infer._slice_sample import slice_sample
from gnomon.infer._softmax_laplace import SoftmaxPosterior, laplace_softmax
from gnomon.infer.acquisitions import (
    Acquisition,
    ExpectedImprovement,
    LowerConfidenceBound,
    MeanRatio,
    Merit,
    ProbabilityOfImprovement,
    log_expected_excess,
)
from gnomon.infer.class_links import CLASS_LINKS, ClassLink, Derivatives, LogitClasses, ProbitClasses
from gnomon.infer.entry_slopes import EntrySlopes

__all__ = [
    "CLASS_LINKS",
    "SIGMOID_AVERAGES",
    "Acquisition",
    "ClassLink",
    "ClassPosterior",
    "Conditioned",
    "Decisions",
    "Derivatives",
    "EntrySlopes",
    "ExpectedImprovement",
    "GridPosterior",
    "LaplaceApproximation",
    "Left",
    "LogitClasses",
    "LowerConfidenceBound",
    "MeanRatio",
    "Merit",
    "ProbabilityOfImprovement",
    "ProbitClasses",
    "SigmoidAverage",
    "SoftmaxPosterior",
    "condition",
    "conformal_quantile",
    "dominant_action",
    "exceeding_mass",
    "expected_cost",
    "grid_posterior",
    "laplace",
    "laplace_at",
    "laplace_classes",
    "laplace_softmax",
    "log_expected_excess",
    "sigmoid_average",
    "slice_sample",
]
