"""Clusters from pairwise distances or similarities alone.

    minimise    Σⱼ Σ_{pairs in j} δ(x, y) / aⱼ    or maximise    Σⱼ Σ_{pairs in j} ρ(x, y) / aⱼ,   aⱼ = 1 or nⱼ     (1)

without representatives. Späth (1980), Cluster analysis algorithms, chapter 3, ISBN 978-0-85312-141-1.
"""

from __future__ import annotations

import warnings
from typing import ClassVar, Literal, Self

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Count, Floats, Integers, MatrixLike, Seed
from gnomon.base import is_given_matrix, validate_rows
from gnomon.base.estimator import Estimator
from gnomon.cluster._base import best_run, check_n_clusters, run_all, warn_if_few, warn_unless_settled
from gnomon.cluster._pairs import Metric, Similarity, distance_matrix, similarity_matrix
from gnomon.cluster._starts import filled
from gnomon.numerics.weights import check_weights
from gnomon.optim import PairMoves, move_by_pairs

__all__ = ["PairwiseClustering"]


class PairwiseClustering(ClusterMixin, Estimator):
    """A local optimum of (1) under moves of single rows, the best of several starts.

    Parameters
    ----------
    n_clusters : int, default=8
    metric : str or callable, default="euclidean"
        δ: a metric of scikit-learn, a function of two rows, or "precomputed".
    similarity : str, callable or Kernel, optional
        ρ, in place of δ: "cosine", a kernel, a function of two rows, or "precomputed".
    normalise : {"none", "size"}, default="none"
        a: "size" divides the sum of each cluster by the number of its rows; with ``metric="sqeuclidean"`` that is the
        cost of k-means.
    n_init : int, default=10
        Starts, each a random partition.
    max_iter : int, default=300
        Passes over the rows.
    random_state : int, RandomState or None, default=None
    n_jobs : int, optional

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    objective_ : float
        (1).
    n_iter_, converged_, stop_reason_, history_
        Of the run that was kept.
    restarts_ : ndarray
        (1) of every run.

    References
    ----------
    Späth, H. (1980). Cluster analysis algorithms. Ellis Horwood.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.cluster import PairwiseClustering
    >>> X = np.array([[1, 1], [1.5, 2], [3, 4], [5, 7], [3.5, 5], [4.5, 5], [3.5, 4.5]])
    >>> round(PairwiseClustering(2, random_state=0).fit(X).objective_, 6)
    17.318648
    """

    _stored: ClassVar[dict[str, str]] = {"_rows": "(n, n_columns)", "_shares": "(n, k)", "_pairs": "(k,)"}

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        metric: Metric = "euclidean",
        similarity: Similarity | None = None,
        normalise: Literal["none", "size"] = "none",
        n_init: Count = 10,
        max_iter: Count = 300,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ):
        self.n_clusters = n_clusters
        self.metric = metric
        self.similarity = similarity
        self.normalise = normalise
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: MatrixLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Optimise (1).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a matrix of distances or similarities
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        X = validate_rows(self, X, accept_sparse="csr", order="C")
        n, k = X.shape[0], self.n_clusters
        check_n_clusters(k, n)
        weights = check_weights(sample_weight, X).astype(float)
        M, sign = self._matrix(X)
        self._rows = X
        rng = check_random_state(self.random_state)
        starts = [filled(rng.randint(k, size=n), k, weights) for _ in range(self.n_init)]

        def run(start: Integers, n_jobs: int) -> PairMoves:
            by_size = self.normalise == "size"
            return move_by_pairs(sign * M, start, weights, k, by_size=by_size, max_iter=self.max_iter)

        runs = run_all(run, starts, self.n_jobs)
        found = best_run(runs)
        self.labels_, self.objective_ = found.labels.astype(np.int32), sign * found.objective
        self.n_iter_, self.converged_ = found.n_iter, found.converged
        self.stop_reason_ = found.stop_reason
        self.history_ = {"iteration": np.arange(len(found.history)), "objective": sign * found.history}
        self.restarts_ = sign * np.array([one.objective for one in runs])
        warn_if_few(self.labels_[weights > 0.0], k, X[weights > 0.0])
        warn_unless_settled(found.converged, self.stop_reason_, self.max_iter, self.history_)
        self._shares = np.zeros((n, k))
        self._shares[np.arange(n), found.labels] = weights
        off = sign * (M - np.diag(np.diag(M)))
        self._pairs = 0.5 * np.einsum("ij,ij->j", self._shares, off @ self._shares)
        return self

    def predict(self, X: MatrixLike) -> Integers:
        """The cluster that a row of weight one joins at the least cost, all others staying where they are.

        Parameters
        ----------
        X : as in `fit`; with "precomputed" of shape (n_samples, n_training_rows)

        Returns
        -------
        labels : ndarray of int of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_rows(self, X, reset=False, accept_sparse="csr", order="C")
        if self.similarity is None:
            joined = distance_matrix(X, self.metric, self._rows) @ self._shares
        else:
            joined = -similarity_matrix(X, self.similarity, self._rows) @ self._shares
        if self.normalise == "size":
            sizes = self._shares.sum(axis=0)
            joined = (self._pairs + joined) / (sizes + 1.0) - self._pairs / sizes
        return np.argmin(joined, axis=1).astype(np.int32)

    def _matrix(self, X: Floats) -> tuple[Floats, float]:
        """What is summed over pairs, and the sign with which that is minimised."""
        if self.similarity is None:
            return distance_matrix(X, self.metric), 1.0
        M = similarity_matrix(X, self.similarity)
        off = M - np.diag(np.diag(M))
        if self.normalise == "none" and np.min(off) >= 0.0:
            warnings.warn(
                "all similarities are ≥ 0, so their sum is largest with all rows but few in one cluster; use "
                "normalise='size'",
                UserWarning,
                stacklevel=3,
            )
        return M, -1.0

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        given = self.metric if self.similarity is None else self.similarity
        tags.input_tags.pairwise = is_given_matrix(given)
        return tags
