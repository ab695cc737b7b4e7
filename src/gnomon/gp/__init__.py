"""Gaussian processes, and splines that are their limits."""

from gnomon.gp.classifier import GaussianProcessClassifier
from gnomon.gp.regressor import GaussianProcessRegressor
from gnomon.gp.thin_plate_spline import ThinPlateSpline

__all__ = ["GaussianProcessClassifier", "GaussianProcessRegressor", "ThinPlateSpline"]
