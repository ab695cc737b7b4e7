"""What every linear model shares: scores, and the shapes of coefficients.

z = X w + b                                                                                   (1)
"""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gnomon.base import validate_rows

__all__ = ["SPARSE_FORMATS", "as_columns", "intercept_of", "linear_scores", "set_coefficients"]

SPARSE_FORMATS = ("csr", "csc", "coo")
"""The sparse formats that are taken as they are."""


def linear_scores(estimator, X):
    """Equation (1) for new rows, after checking them against those of `fit`."""
    check_is_fitted(estimator, "coef_")
    X = validate_rows(estimator, X, reset=False, accept_sparse=SPARSE_FORMATS)
    return X @ estimator.coef_.T + estimator.intercept_


def intercept_of(estimator):
    """How the design treats b, by the words of the estimator: "free", "penalized" like the coefficients, or "none"."""
    if not estimator.fit_intercept:
        return "none"
    return "penalized" if estimator.penalize_intercept else "free"


def as_columns(y):
    """y as a matrix with one column per target."""
    return y.reshape(len(y), -1)


def set_coefficients(estimator, coef, intercept, like):
    """Set `coef_` and `intercept_` from (d, k) and (k,) in the shapes that belong to the targets `like`."""
    dtype = like.dtype
    if like.ndim == 1:
        estimator.coef_ = np.ascontiguousarray(coef[:, 0], dtype=dtype)
        estimator.intercept_ = dtype.type(intercept[0])
    else:
        estimator.coef_ = np.ascontiguousarray(coef.T, dtype=dtype)
        estimator.intercept_ = np.asarray(intercept, dtype=dtype)
    return estimator
