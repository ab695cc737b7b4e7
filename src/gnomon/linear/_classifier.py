"""Scores and classes of linear classifiers, with a fast path for plain arrays.

    z = X Wᵀ + b,    ŷ = classes[1] iff z > t (two classes),    classes[argmax_k z_k] (more)              (1)

Validation must not cost more than the product of one row: a plain floating array of the right width, without column
names to compare, is only checked to be finite. Everything else is fully validated.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, Floats, Matrix, MatrixLike, is_sparse
from gnomon.base import validate_rows
from gnomon.linear._scores import as_csr, dense

__all__ = ["SparseCoefficients", "class_scores", "classes_of", "rows_to_score", "scores_of_rows"]


class SparseCoefficients:
    """The two methods by which a fitted classifier stores W densely, as `fit` leaves it, or as a CSR matrix."""

    coef_: Any

    def sparsify(self) -> Self:
        """Store `coef_` as a CSR matrix, which is smaller where more than half of it is zero; all methods can use it.

        Returns
        -------
        self
        """
        check_is_fitted(self, "coef_")
        self.coef_ = as_csr(self.coef_)
        return self

    def densify(self) -> Self:
        """Store `coef_` as an array, as `fit` does; `partial_fit` and a warm start need it.

        Returns
        -------
        self
        """
        check_is_fitted(self, "coef_")
        self.coef_ = dense(self.coef_)
        return self


def rows_to_score(estimator: BaseEstimator, X: MatrixLike) -> Matrix:
    """X as an array whose product with the coefficients makes sense; ValueError otherwise."""
    fitted = vars(estimator)
    nameless, width = "coef_" in fitted and "feature_names_in_" not in fitted, fitted.get("n_features_in_")
    if nameless and type(X) is np.ndarray and X.ndim == 2 and X.dtype.char in "df" and X.shape[1] == width and len(X):
        # A finite sum proves that every entry is finite.
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(np.add.reduce(X, axis=None)):
                return X
    check_is_fitted(estimator, "coef_")
    return validate_rows(estimator, X, reset=False, accept_sparse=("csr", "csc"))


def class_scores(estimator: BaseEstimator, X: MatrixLike) -> Floats:
    """z of (1) for new rows: shape (n,) where `coef_` has one row, else (n, K)."""
    return scores_of_rows(estimator, rows_to_score(estimator, X))


def scores_of_rows(estimator: BaseEstimator, X: Matrix) -> Floats:
    """z of (1) for rows that have been checked."""
    coef, intercept = estimator.coef_, estimator.intercept_
    if is_sparse(coef):
        Z = dense(X @ estimator.coef_.T) + intercept
        return Z[:, 0] if Z.shape[1] == 1 else Z
    return X @ coef[0] + np.ravel(intercept)[0] if len(coef) == 1 else X @ coef.T + intercept


def classes_of(classes: Array, z: Floats, cut: float = 0.0) -> Array:
    """ŷ of (1) for the scores z; a score equal to the cut belongs to the first class."""
    index = (z > cut).astype(np.intp) if z.ndim == 1 else np.argmax(z, axis=1)
    return classes[index]
