"""What every linear model shares: scores, and the shapes of coefficients.

z = X w + b                                                                                   (1)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Floats, MatrixLike, Sparse
from gnomon.base import validate_rows
from gnomon.numerics.design import Intercept

__all__ = ["SPARSE_FORMATS", "as_columns", "as_csr", "dense", "intercept_of", "linear_scores", "set_coefficients"]

SPARSE_FORMATS = ("csr", "csc", "coo")
"""The sparse formats that are taken as they are."""


def linear_scores(estimator: BaseEstimator, X: MatrixLike) -> Floats:
    """Equation (1) for new rows, after checking them against those of `fit`."""
    check_is_fitted(estimator, "coef_")
    X = validate_rows(estimator, X, reset=False, accept_sparse=SPARSE_FORMATS)
    return dense(X @ estimator.coef_.T) + estimator.intercept_


def dense(Z: Any) -> Floats:
    """Z as an array."""
    return Z.toarray() if sparse.issparse(Z) else Z


def as_csr(coef: Any) -> Sparse:
    """The coefficients as a CSR matrix, or array where scikit-learn is set to sparse arrays."""
    rows = sparse.csr_array(np.atleast_2d(coef))
    return rows if get_config().get("sparse_interface") == "sparray" else sparse.csr_matrix(rows)


def intercept_of(estimator: BaseEstimator) -> Intercept:
    """How the design treats b, by the words of the estimator: "free", "penalized" like the coefficients, or "none"."""
    if not estimator.fit_intercept:
        return "none"
    return "penalized" if estimator.penalize_intercept else "free"


def as_columns(y: Floats) -> Floats:
    """y as a matrix with one column per target."""
    return y.reshape(len(y), -1)


def set_coefficients(
    estimator: BaseEstimator, coef: Floats, intercept: Floats | Sequence[float | Floats], like: Floats
) -> None:
    """Set `coef_` and `intercept_` from (d, k) and (k,) in the shapes that belong to the targets `like`."""
    dtype = like.dtype
    if like.ndim == 1:
        estimator.coef_ = np.ascontiguousarray(coef[:, 0], dtype=dtype)
        estimator.intercept_ = dtype.type(intercept[0])
    else:
        estimator.coef_ = np.ascontiguousarray(coef.T, dtype=dtype)
        estimator.intercept_ = np.asarray(intercept, dtype=dtype)
