"""Inference: pure functions from laws and arrays to posteriors. They know no estimator."""

from gnomon.infer.grid_posterior import GridPosterior, grid_posterior
from gnomon.infer.laplace import LaplaceApproximation, laplace, laplace_at
from gnomon.infer.sigmoid_average import sigmoid_average

__all__ = ["GridPosterior", "LaplaceApproximation", "grid_posterior", "laplace", "laplace_at", "sigmoid_average"]
