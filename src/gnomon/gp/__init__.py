"""Gaussian processes, and splines that are their limits."""

from gnomon.gp._grid_kernel_matrix import grid_kernel_matrix
from gnomon.gp._spline_prefilter import spline_prefilter
from gnomon.gp.classifier import GaussianProcessClassifier
from gnomon.gp.grid_interpolator import GridInterpolator
from gnomon.gp.regressor import GaussianProcessRegressor
from gnomon.gp.thin_plate_spline import ThinPlateSpline

__all__ = [
    "GaussianProcessClassifier",
    "GaussianProcessRegressor",
    "GridInterpolator",
    "ThinPlateSpline",
    "grid_kernel_matrix",
    "spline_prefilter",
]
