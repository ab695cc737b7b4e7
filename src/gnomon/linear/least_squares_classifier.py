"""Classification by least squares.

    minimise over W, b    Σᵢ sᵢ ‖tᵢ − Wxᵢ − b‖²,        t = ±1 (two classes) or one-hot (K classes)              (1)

and predict the sign, or the largest component. A far point on the right side costs as much as one on the wrong side,
and a class between two others is masked: Hastie, Tibshirani & Friedman (2009), section 4.2,
doi:10.1007/978-0-387-84858-7.
"""

from __future__ import annotations

import warnings
from typing import Literal, Self, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags

from gnomon._typing import Array, ArrayLike, Floats, MatrixLike
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.linear._scores import SPARSE_FORMATS, linear_scores
from gnomon.linear.cost import cost_report
from gnomon.numerics.coding import encode_labels, label_index
from gnomon.numerics.linalg import least_squares
from gnomon.numerics.weights import check_weights

__all__ = ["LeastSquaresClassifier"]

Coding: TypeAlias = Literal["one_hot", "integer"]


class LeastSquaresClassifier(ClassifierMixin, Estimator):
    """Least squares on coded labels, equation (1).

    Parameters
    ----------
    coding : {"one_hot", "integer"}, default="one_hot"
        "one_hot": ±1 for two classes, one column per class for more. "integer": the position of the class as a number,
        rounded back; the result then depends on the order of the classes, and a warning says so.
    fit_intercept : bool, default=True
        Whether b is free.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 4.2.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> from gnomon.linear import LeastSquaresClassifier
    >>> model = LeastSquaresClassifier().fit([[0.0], [1.0], [2.0], [4.0], [5.0], [6.0]], [0, 0, 0, 1, 1, 1])
    >>> round(float(-model.intercept_[0] / model.coef_[0, 0]), 7)
    3.0
    """

    classes_: Array
    coef_: Floats
    intercept_: Floats

    def __init__(self, *, coding: Coding = "one_hot", fit_intercept: bool = True):
        self.coding = coding
        self.fit_intercept = fit_intercept

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        X, y = validate_rows(self, X, y, accept_sparse=SPARSE_FORMATS)
        X = X.tocsr() if sparse.issparse(X) else X
        weights = None if sample_weight is None else check_weights(sample_weight, X)
        T = self._targets(y).astype(float)
        method = "cholesky" if sparse.issparse(X) else cost_report(*X.shape).cheapest()
        fit = least_squares(X, T, weights, intercept=self.fit_intercept, method=method)
        self.coef_ = np.ascontiguousarray(fit.coef.T, dtype=X.dtype)
        self.intercept_ = np.asarray(fit.intercept, dtype=X.dtype)
        return self

    def decision_function(self, X: MatrixLike) -> Floats:
        """X Wᵀ + b: one score per row for two classes, one per class for more.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        scores = linear_scores(self, X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: MatrixLike) -> Array:
        """The class of the score: its sign, the largest, or for integer codes the nearest.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        if self.coding == "integer":
            # A score half-way between two codes belongs to the lower one.
            nearest = np.clip(np.ceil(scores - 0.5), 0, len(self.classes_) - 1)
            return self.classes_[nearest.astype(np.int64)]
        index = (scores > 0).astype(np.int64) if scores.ndim == 1 else np.argmax(scores, axis=1)
        return self.classes_[index]

    def _targets(self, y: Array) -> Array:
        index, self.classes_ = label_index(y)
        if len(self.classes_) < 2:
            raise ValueError(f"y has one class only, {self.classes_[0]!r}; give rows of at least two classes")
        if self.coding == "integer":
            warnings.warn(
                "coding='integer' treats the order of the classes as a scale, and the result depends on it; "
                "use coding='one_hot'",
                UserWarning,
                stacklevel=3,
            )
            return index[:, None]
        if len(self.classes_) == 2:
            return encode_labels(y, "sign", classes=self.classes_)[0][:, None]
        return encode_labels(y, "one_hot", classes=self.classes_)[0]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
