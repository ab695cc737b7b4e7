"""Kernels: one formula of two objects, an algebra that keeps it valid, and its exact gradients."""

from __future__ import annotations

from gnomon.kernels._algebra import KernelProduct, KernelSum
from gnomon.kernels._base import Against, Hyperparameter, Kernel, noun
from gnomon.kernels._check_kernel import (
    KernelReport,
    NotPSDWarning,
    check_kernel,
    is_psd,
    refuse_off_grid,
    warn_unless_psd,
)
from gnomon.kernels._evaluate import contract_tiles, slope_sums
from gnomon.kernels._functions import KernelExponential, KernelPower, PolynomialOf
from gnomon.kernels._geometry import distance_to_mean, kernel_distance
from gnomon.kernels._gram_matrix import components, gram_matrix
from gnomon.kernels._mapped import Normalized, OnColumns, Warped
from gnomon.kernels._mercer import MercerExpansion, MercerReport, mercer_check, mercer_expansion
from gnomon.kernels._read_kernel import KERNEL_NAMES, KernelLike, read_kernel
from gnomon.kernels._semi_parametric import semi_parametric
from gnomon.kernels._spectral_minimum import spectral_minimum
from gnomon.kernels.chi_squared import AdditiveChi2, Chi2
from gnomon.kernels.compact import Spherical, Truncated, Wendland
from gnomon.kernels.constant import Constant, White
from gnomon.kernels.cosine import Cosine
from gnomon.kernels.dot_product import DotProduct, Linear, Polynomial
from gnomon.kernels.given import CallableKernel, FeatureMapKernel, Precomputed
from gnomon.kernels.grid import BSpline, CatmullRom, GridKernel, Sinc, Stencil, is_cardinal
from gnomon.kernels.laplacian import GammaExponential, Laplacian
from gnomon.kernels.matern import Matern
from gnomon.kernels.per_column import Additive, TensorProduct
from gnomon.kernels.periodic import ExpSineSquared, PeriodicSine
from gnomon.kernels.radial import Radial
from gnomon.kernels.rational_quadratic import RationalQuadratic
from gnomon.kernels.rbf import RBF
from gnomon.kernels.sigmoid import Sigmoid
from gnomon.kernels.thin_plate import ThinPlate

__all__ = [
    "KERNEL_NAMES",
    "RBF",
    "Additive",
    "AdditiveChi2",
    "Against",
    "BSpline",
    "CallableKernel",
    "CatmullRom",
    "Chi2",
    "Constant",
    "Cosine",
    "DotProduct",
    "ExpSineSquared",
    "FeatureMapKernel",
    "GammaExponential",
    "GridKernel",
    "Hyperparameter",
    "Kernel",
    "KernelExponential",
    "KernelLike",
    "KernelPower",
    "KernelProduct",
    "KernelReport",
    "KernelSum",
    "Laplacian",
    "Linear",
    "Matern",
    "MercerExpansion",
    "MercerReport",
    "Normalized",
    "NotPSDWarning",
    "OnColumns",
    "PeriodicSine",
    "Polynomial",
    "PolynomialOf",
    "Precomputed",
    "Radial",
    "RationalQuadratic",
    "Sigmoid",
    "Sinc",
    "Spherical",
    "Stencil",
    "TensorProduct",
    "ThinPlate",
    "Truncated",
    "Warped",
    "Wendland",
    "White",
    "check_kernel",
    "components",
    "contract_tiles",
    "distance_to_mean",
    "gram_matrix",
    "is_cardinal",
    "is_psd",
    "kernel_distance",
    "mercer_check",
    "mercer_expansion",
    "noun",
    "read_kernel",
    "refuse_off_grid",
    "semi_parametric",
    "slope_sums",
    "spectral_minimum",
    "warn_unless_psd",
]
