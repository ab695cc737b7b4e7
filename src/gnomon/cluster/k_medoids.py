"""k-medoids.

    minimise over rows m₁ … m_k    Σᵢ sᵢ minⱼ δ(xᵢ, mⱼ)                                                  (1)

for any distance δ: a representative is a row, so no mean is needed. Schubert & Rousseeuw (2021),
doi:10.1016/j.is.2021.101804; Kaufman & Rousseeuw (1990), doi:10.1002/9780470316801.
"""

from __future__ import annotations

from typing import Literal, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Count, Floats, Integers, MatrixLike, Seed, available_if
from gnomon.base import is_given_matrix, validate_rows
from gnomon.base.estimator import Estimator
from gnomon.cluster._base import check_n_clusters, warn_if_few, warn_unless_settled
from gnomon.cluster._pairs import Metric, distance_matrix
from gnomon.numerics.validation import check_integer
from gnomon.numerics.weights import check_weights
from gnomon.optim import build_medoids, faster_pam

__all__ = ["KMedoids"]


def _has_rows(model: KMedoids) -> bool:
    """Distances alone do not place new rows."""
    return not is_given_matrix(model.metric)


class KMedoids(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Estimator):
    """Clusters around k of the rows, for any distance, equation (1).

    Parameters
    ----------
    n_clusters : int, default=8
    metric : str or callable, default="euclidean"
        A metric of scikit-learn, a function of two rows, or "precomputed" for a matrix of distances.
    init : {"build", "random"} or array of int, default="build"
        Medoids to start from: each the row that lowers (1) most, random rows, or these rows.
    max_iter : int, default=100
        Passes over the rows.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    medoid_indices_ : ndarray of int of shape (n_clusters,)
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The medoids; None with "precomputed".
    labels_ : ndarray of int of shape (n_samples,)
    objective_, inertia_ : float
        (1).
    n_iter_ : int
    n_swaps_ : int
    converged_ : bool
        Whether no exchange of a medoid for another row lowers (1).
    stop_reason_ : str
    history_ : dict of str to ndarray

    References
    ----------
    Schubert, E. & Rousseeuw, P. J. (2021). Fast and eager k-medoids clustering: O(k) runtime improvement of the PAM,
    CLARA, and CLARANS algorithms. doi:10.1016/j.is.2021.101804

    Examples
    --------
    >>> from gnomon.cluster import KMedoids
    >>> found = KMedoids(2).fit([[0.0], [1.0], [2.0], [10.0], [11.0]])
    >>> found.cluster_centers_.ravel(), found.objective_
    (array([ 1., 10.]), 3.0)
    """

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        metric: Metric = "euclidean",
        init: Literal["build", "random"] | ArrayLike = "build",
        max_iter: Count = 100,
        random_state: Seed = None,
    ):
        self.n_clusters = n_clusters
        self.metric = metric
        self.init = init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a matrix of distances
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        X = validate_rows(self, X, accept_sparse="csr", order="C")
        check_n_clusters(self.n_clusters, X.shape[0])
        weights = check_weights(sample_weight, X).astype(float)
        D = np.ascontiguousarray(distance_matrix(X, self.metric))
        found = faster_pam(D, self._start(D, weights), weights, max_iter=self.max_iter)
        self.medoid_indices_, self.labels_ = found.rows, found.labels.astype(np.int32)
        self.cluster_centers_ = X[found.rows] if _has_rows(self) else None
        self.objective_ = self.inertia_ = found.objective
        self.n_iter_, self.n_swaps_, self.converged_ = found.n_iter, found.n_swaps, found.converged
        self.stop_reason_ = "no_change" if found.converged else "max_iter"
        self.history_ = {"iteration": np.arange(len(found.history)), "objective": found.history}
        warn_if_few(self.labels_[weights > 0.0], self.n_clusters, X[weights > 0.0])
        warn_unless_settled(found.converged, self.stop_reason_, self.max_iter, self.history_)
        return self

    @available_if(_has_rows)
    def predict(self, X: MatrixLike) -> Integers:
        """The nearest medoid of each row; the lowest of several.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of int of shape (n_samples,)
        """
        return np.argmin(self.transform(X), axis=1).astype(np.int32)

    @available_if(_has_rows)
    def transform(self, X: MatrixLike) -> Floats:
        """Distances from the medoids.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        D : ndarray of shape (n_samples, n_clusters)
        """
        check_is_fitted(self)
        rows = validate_rows(self, X, reset=False, accept_sparse="csr", order="C")
        return distance_matrix(rows, self.metric, self.cluster_centers_)

    def _start(self, D: Floats, weights: Floats) -> Integers:
        k, n = self.n_clusters, len(D)
        if isinstance(self.init, str):
            if self.init == "build":
                return build_medoids(D, k, weights)
            used = np.flatnonzero(weights > 0.0)
            check_integer("n_clusters", k, 1, len(used))
            return check_random_state(self.random_state).permutation(used)[:k]
        given = np.asarray(self.init)
        if given.shape != (k,) or given.dtype.kind not in "iu" or len(set(given.tolist())) < k or given.max() >= n:
            raise ValueError(f"init={self.init!r} must name {k} different rows of {n}")
        return given

    @property
    def _n_features_out(self) -> int:
        return len(self.medoid_indices_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.pairwise = not _has_rows(self)
        return tags
