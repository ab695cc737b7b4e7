"""Kernels: one formula of two objects, an algebra that keeps it valid, and its exact gradients."""

from gnomon.kernels._algebra import KernelProduct, KernelSum
from gnomon.kernels._base import Against, Hyperparameter, Kernel, noun
from gnomon.kernels._check_kernel import KernelReport, NotPSDWarning, check_kernel, is_psd, warn_unless_psd
from gnomon.kernels._functions import KernelExponential, KernelPower, PolynomialOf
from gnomon.kernels._gram_matrix import gram_matrix
from gnomon.kernels._mapped import Normalized, OnColumns, Warped
from gnomon.kernels._read_kernel import KernelLike, read_kernel
from gnomon.kernels.chi_squared import AdditiveChi2, Chi2
from gnomon.kernels.constant import Constant, White
from gnomon.kernels.cosine import Cosine
from gnomon.kernels.dot_product import DotProduct, Linear, Polynomial
from gnomon.kernels.given import CallableKernel, FeatureMapKernel, Precomputed
from gnomon.kernels.laplacian import GammaExponential, Laplacian
from gnomon.kernels.matern import Matern
from gnomon.kernels.radial import Radial
from gnomon.kernels.rational_quadratic import RationalQuadratic
from gnomon.kernels.rbf import RBF
from gnomon.kernels.sigmoid import Sigmoid

__all__ = [
    "RBF",
    "AdditiveChi2",
    "Against",
    "CallableKernel",
    "Chi2",
    "Constant",
    "Cosine",
    "DotProduct",
    "FeatureMapKernel",
    "GammaExponential",
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
    "Normalized",
    "NotPSDWarning",
    "OnColumns",
    "Polynomial",
    "PolynomialOf",
    "Precomputed",
    "Radial",
    "RationalQuadratic",
    "Sigmoid",
    "Warped",
    "White",
    "check_kernel",
    "gram_matrix",
    "is_psd",
    "noun",
    "read_kernel",
    "warn_unless_psd",
]
