"""Linear algebra: least squares, ridge (primal, dual, path), leverages and leave-one-out, factors, narrow bands."""

from __future__ import annotations

from gnomon.numerics.linalg._coordinates import Coordinates, coordinates
from gnomon.numerics.linalg._kernel_path import KernelRidgePath, kernel_ridge_path
from gnomon.numerics.linalg._kernel_ridge import KernelRidgeSolution, kernel_ridge, refuse_indefinite
from gnomon.numerics.linalg._kernel_root import KernelRoot, kernel_root, refuse_matrix
from gnomon.numerics.linalg._least_squares import LEAST_SQUARES_METHODS, LeastSquares, RankWarning, least_squares
from gnomon.numerics.linalg._recursive_filter import FilterBoundary, recursive_filter
from gnomon.numerics.linalg._ridge import Norms, RidgeSolution, ridge, ridge_norms, solve_secular
from gnomon.numerics.linalg._ridge_path import RidgePath, ridge_path
from gnomon.numerics.linalg._symmetric_operator import symmetric_operator
from gnomon.numerics.linalg._top_eigh import top_eigh
from gnomon.numerics.linalg._tridiagonal_solve import tridiagonal_solve
from gnomon.numerics.linalg.banded_precision import BandedPrecision
from gnomon.numerics.linalg.cholesky import SpdFactor, factor_spd
from gnomon.numerics.linalg.iterative_precision import IterativePrecision
from gnomon.numerics.linalg.kronecker_precision import KroneckerPrecision
from gnomon.numerics.linalg.leverage import (
    KernelLoo,
    gcv_score,
    hat_matrix,
    in_column_space,
    kernel_loo,
    leverages,
    loo_residuals,
)
from gnomon.numerics.linalg.normal import NormalSolution, solve_normal
from gnomon.numerics.linalg.precision import (
    CholeskyPrecision,
    NotPositiveDefiniteError,
    Precision,
    extend_cholesky,
    factor_covariance,
)
from gnomon.numerics.linalg.rows import Rows, binary_exponent, check_coefficients, check_squares, fits_beside
from gnomon.numerics.linalg.sparse_precision import SparsePrecision
from gnomon.numerics.linalg.triangular import Triangle, inverse_root, triangle, triangle_of_moments

__all__ = [
    "LEAST_SQUARES_METHODS",
    "BandedPrecision",
    "CholeskyPrecision",
    "Coordinates",
    "FilterBoundary",
    "IterativePrecision",
    "KernelLoo",
    "KernelRidgePath",
    "KernelRidgeSolution",
    "KernelRoot",
    "KroneckerPrecision",
    "LeastSquares",
    "NormalSolution",
    "Norms",
    "NotPositiveDefiniteError",
    "Precision",
    "RankWarning",
    "RidgePath",
    "RidgeSolution",
    "Rows",
    "SparsePrecision",
    "SpdFactor",
    "Triangle",
    "binary_exponent",
    "check_coefficients",
    "check_squares",
    "coordinates",
    "extend_cholesky",
    "factor_covariance",
    "factor_spd",
    "fits_beside",
    "gcv_score",
    "hat_matrix",
    "in_column_space",
    "inverse_root",
    "kernel_loo",
    "kernel_ridge",
    "kernel_ridge_path",
    "kernel_root",
    "least_squares",
    "leverages",
    "loo_residuals",
    "recursive_filter",
    "refuse_indefinite",
    "refuse_matrix",
    "ridge",
    "ridge_norms",
    "ridge_path",
    "solve_normal",
    "solve_secular",
    "symmetric_operator",
    "top_eigh",
    "triangle",
    "triangle_of_moments",
    "tridiagonal_solve",
]
