"""Whitening.

    φ(x) = P (x − μ)    with    P S Pᵀ = I                                                          (1)

S is the covariance of the training rows, or the average covariance within the classes. Kessy, Lewin & Strimmer (2018),
doi:10.1080/00031305.2016.1277159.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_array, check_is_fitted

from gnomon._typing import Array, ArrayLike, Floats, NonNegative
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.numerics.coding import label_index
from gnomon.numerics.linalg import check_squares
from gnomon.numerics.scatter import whitening, within_class_cov
from gnomon.numerics.streaming import moments
from gnomon.numerics.validation import FLOATS
from gnomon.numerics.weights import check_weights

__all__ = ["Whitener", "WithinClassWhitener"]


class _Whitening(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator, ABC):
    """Everything but the covariance that becomes the identity."""

    @abstractmethod
    def _covariance(self, X: Floats, y: Any, weights: Floats) -> tuple[Floats, Floats]:
        """Mean μ and covariance S of equation (1)."""

    def _fit(self, X: Floats, y: Any, sample_weight: ArrayLike | None) -> Self:
        check_squares(X, "a covariance is made of them, so scale that column first, for example with MaxNormScaler")
        self.mean_, self.covariance_ = self._covariance(X, y, check_weights(sample_weight, X))
        rounding = 8.0 * np.finfo(X.dtype).eps * np.max(np.abs(X), axis=0)
        white = whitening(self.covariance_, self.kind, self.tol, self.singular, rounding)
        self.whitening_, self.coloring_, self.rank_ = white
        return self

    def transform(self, X: ArrayLike) -> Floats:
        """P (x − μ) of every row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns of `fit`.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = validate_rows(self, X, reset=False)
        return (X - self.mean_.astype(X.dtype)) @ self.whitening_.T.astype(X.dtype)

    def inverse_transform(self, Z: ArrayLike) -> Floats:
        """Rows whose whitening is `Z`; directions that were dropped come back at their mean.

        Parameters
        ----------
        Z : array-like of shape (n_samples, n_components)
            Whitened rows.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        Z = check_array(Z, dtype=FLOATS, input_name="Z")
        if Z.shape[1] != self._n_features_out:
            raise ValueError(f"Z has {Z.shape[1]} columns, whitening makes {self._n_features_out}; give whitened rows")
        return Z @ self.coloring_.T.astype(Z.dtype) + self.mean_.astype(Z.dtype)

    @property
    def _n_features_out(self) -> int:
        return len(self.whitening_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class Whitener(_Whitening):
    """Rows with covariance I: φ(x) = P (x − μ) with P S Pᵀ = I, S the covariance of the training rows.

    After it Euclidean distances are Mahalanobis distances. Sparse input is refused, because centring fills it.

    Parameters
    ----------
    kind : {"zca", "pca", "cholesky"}, default="zca"
        "zca": P = S^{−½}, the symmetric one. "pca": P = Λ^{−½} Uᵀ. "cholesky": P = L⁻¹ with S = L Lᵀ.
    ddof : int, default=0
        S is divided by n − ddof (scikit-learn's PCA whitens with 1).
    tol : float, default=1e-10
        Eigenvalues of S, its columns in units of their standard deviations, below `tol` times the largest count as
        zero, with a warning.
    singular : {"drop", "floor"}, default="drop"
        "drop" ignores their directions, "floor" raises them to `tol` times the largest ("cholesky" always does).

    Attributes
    ----------
    mean_ : ndarray of shape (n_features_in_,)
        μ.
    covariance_ : ndarray of shape (n_features_in_, n_features_in_)
        S.
    whitening_, coloring_ : ndarray
        P, and the matrix that undoes it.
    rank_ : int
        Number of eigenvalues that are not small.

    References
    ----------
    Kessy, A., Lewin, A. & Strimmer, K. (2018). Optimal whitening and decorrelation. doi:10.1080/00031305.2016.1277159

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features import Whitener
    >>> X = np.array([[1.0, 2.0], [3.0, 3.0], [2.0, 5.0], [6.0, 6.0]])
    >>> Z = Whitener().fit_transform(X)
    >>> (Z.T @ Z / 4).round(12) + 0.0
    array([[1., 0.],
           [0., 1.]])
    """

    def __init__(
        self,
        kind: Literal["zca", "pca", "cholesky"] = "zca",
        *,
        ddof: NonNegative = 0,
        tol: float = 1e-10,
        singular: Literal["drop", "floor"] = "drop",
    ):
        self.kind = kind
        self.ddof = ddof
        self.tol = tol
        self.singular = singular

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn μ, S and P.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : ignored
            Present by convention.
        sample_weight : array-like of shape (n_samples,), optional
            Row weights; 2 equals the row twice.

        Returns
        -------
        self
        """
        X = validate_rows(self, X, ensure_min_samples=2)
        return self._fit(X, y, sample_weight)

    def _covariance(self, X: Floats, y: object, weights: Floats) -> tuple[Floats, Floats]:
        rows = moments(X, weights)
        return rows.mean, rows.covariance(self.ddof)


class WithinClassWhitener(_Whitening):
    """Rows whose average covariance within the classes is I: φ(x) = P (x − μ) with P S_W Pᵀ = I.

    S_W = (1/N) Σ_c Σ_{i∈c} (xᵢ − μ_c)(xᵢ − μ_c)ᵀ; μ is the mean of all rows. It is step one of linear discriminant
    analysis by joint diagonalisation. Sparse input is refused, because centring fills it.

    Parameters
    ----------
    kind : {"zca", "pca", "cholesky"}, default="zca"
        "zca": P = U Λ^{−½} Uᵀ, the symmetric one. "pca": P = Λ^{−½} Uᵀ. "cholesky": P = L⁻¹ with S_W = L Lᵀ.
    tol : float, default=1e-10
        Eigenvalues of S_W, its columns in units of their standard deviations, below `tol` times the largest count as
        zero, with a warning.
    singular : {"drop", "floor"}, default="drop"
        "drop" ignores their directions, "floor" raises them to `tol` times the largest ("cholesky" always does).

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    mean_ : ndarray of shape (n_features_in_,)
        μ.
    covariance_ : ndarray of shape (n_features_in_, n_features_in_)
        S_W.
    whitening_, coloring_ : ndarray
        P, and the matrix that undoes it.
    rank_ : int
        Number of eigenvalues that are not small.

    References
    ----------
    Fukunaga, K. (1990). Introduction to Statistical Pattern Recognition, section 10.2. ISBN 978-0-12-269851-4.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features import WithinClassWhitener
    >>> X = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1], [3, 2], [4, 2], [3, 3], [4, 4]])
    >>> WithinClassWhitener().fit(X, list("aaaabbbb")).whitening_.round(7)
    array([[ 2.028092 , -0.1573974],
           [-0.1573974,  1.4772009]])
    """

    def __init__(
        self,
        kind: Literal["zca", "pca", "cholesky"] = "zca",
        *,
        tol: float = 1e-10,
        singular: Literal["drop", "floor"] = "drop",
    ):
        self.kind = kind
        self.tol = tol
        self.singular = singular

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn μ, S_W and P.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Row weights; 2 equals the row twice.

        Returns
        -------
        self
        """
        X, y = validate_rows(self, X, y, ensure_min_samples=2)
        return self._fit(X, y, sample_weight)

    def _covariance(self, X: Floats, y: Array, weights: Floats) -> tuple[Floats, Floats]:
        index, self.classes_ = label_index(y)
        return moments(X, weights).mean, within_class_cov(X, index, len(self.classes_), weights)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
