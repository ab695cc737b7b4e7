"""k-medians.

    minimise over centres m₁ … m_k    Σᵢ sᵢ minⱼ ‖xᵢ − mⱼ‖₁                                              (1)

The best centre of a cluster is the (weighted) median of each column; of an even number of rows, the midpoint of the two
in the middle. Bradley, Mangasarian & Street (1997), Clustering via concave minimization, NIPS.
"""

from __future__ import annotations

from typing import Literal, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Count, Floats, Integers, MatrixLike, Seed
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.cluster._base import best_run, check_n_clusters, run_all, warn_if_few, warn_unless_settled
from gnomon.cluster._starts import Init, Starts, filled
from gnomon.numerics.weights import check_weights
from gnomon.optim import Reassigned, reassign

__all__ = ["KMedians"]


class KMedians(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Estimator):
    """Clusters around medians, equation (1): rows far away count by their distance, not its square.

    Parameters
    ----------
    n_clusters : int, default=8
    init : str, callable or array, default="k-means++"
        Where to start, as for `KMeans`.
    n_init : int or "auto", default="auto"
    max_iter : int, default=300
    random_state : int, RandomState or None, default=None
    n_jobs : int, optional

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
    labels_ : ndarray of int of shape (n_samples,)
    objective_ : float
        (1).
    n_iter_, converged_, stop_reason_, history_
        Of the run that was kept.
    restarts_ : ndarray
        (1) of every run.

    References
    ----------
    Bradley, P. S., Mangasarian, O. L. & Street, W. N. (1997). Clustering via concave minimization. NIPS 9.

    Examples
    --------
    >>> from gnomon.cluster import KMedians
    >>> found = KMedians(2, init=[[0.0], [10.0]]).fit([[0.0], [1.0], [5.0], [10.0], [12.0]])
    >>> found.cluster_centers_.ravel(), found.objective_
    (array([ 1., 11.]), 7.0)
    """

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        init: Init = "k-means++",
        n_init: Count | Literal["auto"] = "auto",
        max_iter: Count = 300,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: MatrixLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        X = validate_rows(self, X, order="C")
        k = self.n_clusters
        check_n_clusters(k, X.shape[0])
        weights = check_weights(sample_weight, X).astype(float)
        centers = Starts(self.init, k, self.n_init).draw(X, weights, check_random_state(self.random_state))

        def distances(labels: Integers) -> Floats:
            return _l1(X, _medians(X, labels, weights, k))

        def run(start: Floats, n_jobs: int) -> Reassigned:
            labels = filled(np.argmin(_l1(X, start), axis=1), k, weights)
            return reassign(distances, labels, weights, max_iter=self.max_iter)

        runs = run_all(run, centers, self.n_jobs)
        found = best_run(runs)
        self.labels_, self.objective_ = found.labels.astype(np.int32), found.objective
        self.cluster_centers_ = _medians(X, found.labels, weights, k)
        self.n_iter_, self.converged_ = found.n_iter, found.converged
        self.stop_reason_, self.history_ = found.stop_reason, found.history
        self.restarts_ = np.array([one.objective for one in runs])
        warn_if_few(self.labels_[weights > 0.0], k, X[weights > 0.0])
        warn_unless_settled(found.converged, found.stop_reason, self.max_iter, found.history)
        return self

    def predict(self, X: MatrixLike) -> Integers:
        """The nearest centre of each row; the lowest of several.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of int of shape (n_samples,)
        """
        return np.argmin(self.transform(X), axis=1).astype(np.int32)

    def transform(self, X: MatrixLike) -> Floats:
        """L1 distances from the centres.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        D : ndarray of shape (n_samples, n_clusters)
        """
        check_is_fitted(self)
        return _l1(validate_rows(self, X, reset=False), self.cluster_centers_)

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _l1(X: Floats, centers: Floats) -> Floats:
    return np.stack([np.sum(np.abs(X - center), axis=1) for center in centers], axis=1)


def _medians(X: Floats, labels: Integers, weights: Floats, k: int) -> Floats:
    inside = ((labels == j) & (weights > 0.0) for j in range(k))
    return np.array([_median(X[rows], weights[rows]) for rows in inside], dtype=X.dtype)


def _median(rows: Floats, weights: Floats) -> Floats:
    """The midpoint of the rows between which half of the weight lies, column by column."""
    order = np.argsort(rows, axis=0, kind="stable")
    below = np.cumsum(weights[order], axis=0)
    half = 0.5 * below[-1]
    # Sums of equal weights in another order may differ in their last digits.
    near = 1e-12 * below[-1]
    low, high = (np.argmax(below >= limit, axis=0) for limit in (half - near, half + near))
    values = np.take_along_axis(rows, order, axis=0)
    columns = np.arange(rows.shape[1])
    return 0.5 * values[low, columns] + 0.5 * values[high, columns]
