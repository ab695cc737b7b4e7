"""Inference: pure functions from laws and arrays to posteriors. They know no estimator."""

from gnomon.infer._conformal_quantile import conformal_quantile, exceeding_mass
from gnomon.infer._expected_cost import Decisions, dominant_action, expected_cost
from gnomon.infer._grid_posterior import GridPosterior, grid_posterior
from gnomon.infer._laplace import LaplaceApproximation, laplace, laplace_at
from gnomon.infer._sigmoid_average import SIGMOID_AVERAGES, SigmoidAverage, sigmoid_average

__all__ = [
    "SIGMOID_AVERAGES",
    "Decisions",
    "GridPosterior",
    "LaplaceApproximation",
    "SigmoidAverage",
    "conformal_quantile",
    "dominant_action",
    "exceeding_mass",
    "expected_cost",
    "grid_posterior",
    "laplace",
    "laplace_at",
    "sigmoid_average",
]
