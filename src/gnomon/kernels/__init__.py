"""Kernels: one formula of two objects, an algebra that keeps it valid, and its exact gradients."""

from gnomon.kernels._algebra import KernelProduct, KernelSum
from gnomon.kernels._base import Against, Hyperparameter, Kernel, noun
from gnomon.kernels._functions import KernelExponential, KernelPower, PolynomialOf
from gnomon.kernels._gram_matrix import gram_matrix
from gnomon.kernels._mapped import Normalized, OnColumns, Warped
from gnomon.kernels._read_kernel import KernelLike, read_kernel
from gnomon.kernels.constant import Constant, White
from gnomon.kernels.dot_product import DotProduct, Linear, Polynomial
from gnomon.kernels.given import CallableKernel, FeatureMapKernel, Precomputed
from gnomon.kernels.radial import Radial
from gnomon.kernels.rbf import RBF

__all__ = [
    "RBF",
    "Against",
    "CallableKernel",
    "Constant",
    "DotProduct",
    "FeatureMapKernel",
    "Hyperparameter",
    "Kernel",
    "KernelExponential",
    "KernelLike",
    "KernelPower",
    "KernelProduct",
    "KernelSum",
    "Linear",
    "Normalized",
    "OnColumns",
    "Polynomial",
    "PolynomialOf",
    "Precomputed",
    "Radial",
    "Warped",
    "White",
    "gram_matrix",
    "noun",
    "read_kernel",
]
