"""Similarity to landmarks.

    h(x) = Σ_i s_i y_i k(x, x_i),    or normalised    h(x) = Σ_i s_i y_i k(x, x_i) / Σ_i s_i k(x, x_i)               (1)

The sum of the values at landmarks, each as strong as x is similar to it; nothing is fitted. Normalised it is the
average of Nadaraya (1964), doi:10.1137/1109020, and Watson (1964), Sankhyā A 26, 359–372.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, ArrayLike, Floats, MatrixLike, Positive
from gnomon.base import is_given_matrix, kernel_of, kernel_rows, take_rows, warn_of_wild_scales
from gnomon.base.estimator import Estimator
from gnomon.kernels import KernelLike
from gnomon.numerics.validation import FLOATS
from gnomon.numerics.weights import check_weights

__all__ = ["SimilarityModel"]


class SimilarityModel(MultiOutputMixin, RegressorMixin, Estimator):
    """Superposition (1) of the values at landmarks.

    Parameters
    ----------
    landmarks : array-like of int, optional
        Which of the rows given to `fit` are landmarks; all by default.
    kernel : Kernel, callable or str, default="rbf"
        k.
    normalize : bool, default=False
        Divide by the sum of similarities. Without, h may exceed the largest value.
    gamma : float or {"scale", "auto"}, default="scale"
        γ of a kernel that is named: a number, 1/(d Var X) or 1/d.

    Attributes
    ----------
    landmarks_ : ndarray, sparse matrix or list
        The landmarks.
    values_ : ndarray
        Their values, times their weights.
    n_parameters_ : int
        As many as there are values: it grows with the rows.

    References
    ----------
    Nadaraya, E. A. (1964). On estimating regression. doi:10.1137/1109020

    Examples
    --------
    >>> from gnomon.kernels import RBF
    >>> from gnomon.neighbors import SimilarityModel
    >>> points, values = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [1.0, 1.0, 0.0]
    >>> SimilarityModel(kernel=RBF(1.0)).fit(points, values).predict([[0.5, 0.0]])  # 2 exp(−1/8)
    array([1.76499381])
    >>> SimilarityModel(kernel=RBF(1.0), normalize=True).fit(points, values).predict([[0.5, 0.0]])
    array([0.76730346])
    """

    _stored: ClassVar[dict[str, str]] = {"_columns": "int (k,)", "_shares": "(n,)"}

    def __init__(
        self,
        landmarks: ArrayLike | None = None,
        kernel: KernelLike = "rbf",
        normalize: bool = False,
        *,
        gamma: Positive | Literal["scale", "auto"] = "scale",
    ):
        self.landmarks = landmarks
        self.kernel = kernel
        self.normalize = normalize
        self.gamma = gamma

    def fit(self, X: MatrixLike | list[Any], y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Store the landmarks and their values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a square matrix with
                ``kernel="precomputed"``, or a list of objects for a kernel of pairs
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), optional
            s.

        Returns
        -------
        self
        """
        options: dict[str, Any] = {"accept_sparse": "csr", "multi_output": True, "y_numeric": True}
        rows, y = kernel_rows(self, X, y, kernel=self.kernel, **options)
        n = len(y)
        kind = y.dtype if y.dtype in FLOATS else float
        weights = np.ones(n) if sample_weight is None else check_weights(sample_weight, np.empty((n, 0)))
        chosen = self._chosen(n)
        used = chosen[weights[chosen] > 0.0]
        self._columns = used
        self.landmarks_: Any = take_rows(rows, used)
        self._shares = weights[used].astype(kind)
        self.values_ = (y.astype(kind).T[..., used] * self._shares).T
        landmarks: Any = self.landmarks_
        self._kernel = kernel_of(self, landmarks, weights=self._shares)
        warn_of_wild_scales(self, landmarks, self._kernel)
        self.n_parameters_ = self.values_.size
        return self

    def predict(self, X: MatrixLike | list[Any]) -> Floats:
        """h(x).

        Parameters
        ----------
        X : as in `fit`; with ``kernel="precomputed"`` of shape (n_queries, n_samples)

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
        """
        check_is_fitted(self)
        rows = kernel_rows(self, X, kernel=self.kernel, accept_sparse="csr", reset=False)
        K = rows[:, self._columns] if is_given_matrix(self.kernel) else self._kernel.against(self.landmarks_).gram(rows)
        total = K @ self.values_
        return (total.T / self._masses(K)).T if self.normalize else total

    def _masses(self, K: Floats) -> Floats:
        """Σ s k(x, x_i), refused where it is zero."""
        masses = K @ self._shares
        if np.any(masses == 0.0):
            lost = np.flatnonzero(masses == 0.0)
            raise ValueError(
                f"{len(lost)} rows (first: row {lost[0]}) are similar to no landmark, so that h is 0/0 there; choose "
                "a wider kernel, or normalize=False"
            )
        return masses

    def _chosen(self, n: int) -> Array:
        """The rows that are landmarks."""
        if self.landmarks is None:
            return np.arange(n)
        chosen = np.asarray(self.landmarks)
        whole = chosen.ndim == 1 and len(chosen) > 0 and chosen.dtype.kind in "iu"
        if not (whole and chosen.min() >= 0 and chosen.max() < n):
            raise ValueError(f"landmarks={self.landmarks!r} must be numbers of rows from 0 to {n - 1}; give others")
        return chosen

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = is_given_matrix(self.kernel)
        # Nothing is fitted: values far from the landmarks are near zero.
        tags.regressor_tags.poor_score = True
        return tags
