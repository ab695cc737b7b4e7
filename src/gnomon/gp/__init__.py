"""Gaussian processes, splines that are their limits, and searches for the minimum of expensive functions."""

from __future__ import annotations

from gnomon.gp._grid_kernel_matrix import grid_kernel_matrix
from gnomon.gp._rkhs import InverseKernel, inverse_kernel, rkhs_inner
from gnomon.gp._spline_prefilter import spline_prefilter
from gnomon.gp._variogram import Variogram, variogram
from gnomon.gp.bayesian_optimizer import BayesianOptimizer
from gnomon.gp.classifier import GaussianProcessClassifier
from gnomon.gp.dimensions import Category, Dimension, Integer, Real
from gnomon.gp.grid_interpolator import GridInterpolator
from gnomon.gp.regressor import GaussianProcessRegressor
from gnomon.gp.search_cv import BayesSearchCV, GPSearchCV
from gnomon.gp.space import Space
from gnomon.gp.thin_plate_spline import ThinPlateSpline

__all__ = [
    "BayesSearchCV",
    "BayesianOptimizer",
    "Category",
    "Dimension",
    "GPSearchCV",
    "GaussianProcessClassifier",
    "GaussianProcessRegressor",
    "GridInterpolator",
    "Integer",
    "InverseKernel",
    "Real",
    "Space",
    "ThinPlateSpline",
    "Variogram",
    "grid_kernel_matrix",
    "inverse_kernel",
    "rkhs_inner",
    "spline_prefilter",
    "variogram",
]
