"""Spherical k-means.

    maximise over unit vectors μ₁ … μ_k    Σᵢ sᵢ maxⱼ cos(xᵢ, μⱼ)                                       (1)

For unit rows ‖x − μ‖² = 2 − 2 cos(x, μ), so that (1) is k-means with centres kept at unit length: the best one of a
cluster is its sum, divided by its length. Dhillon & Modha (2001), doi:10.1023/A:1007612920971.
"""

from __future__ import annotations

from typing import Literal, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Count, Floats, Integers, MatrixLike, NonNegative, Seed
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.cluster._base import best_run, check_n_clusters, run_all, warn_if_few, warn_unless_settled
from gnomon.cluster._pairs import unit_rows
from gnomon.cluster._starts import Init, Starts, dense
from gnomon.numerics.weights import check_weights
from gnomon.optim import KMeansResult, distances_to, kmeans, nearest_center

__all__ = ["SphericalKMeans"]


class SphericalKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Estimator):
    """Clusters of directions, equation (1): for texts and other rows whose lengths mean nothing.

    Parameters
    ----------
    n_clusters : int, default=8
    init : str, callable or array, default="k-means++"
        Where to start, as for `KMeans`, among the rows at unit length.
    n_init : int or "auto", default="auto"
    max_iter : int, default=300
    tol : float, default=0.0
        Stop when the centres move, in sum of squares, by at most this times the mean variance of the unit rows.
    random_state : int, RandomState or None, default=None
    n_jobs : int, optional

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        At unit length.
    labels_ : ndarray of int of shape (n_samples,)
    objective_ : float
        (1).
    n_iter_, converged_, stop_reason_
        Of the run that was kept.
    history_ : dict of str to ndarray
        "objective" is (1) after every assignment.
    restarts_ : ndarray
        (1) of every run.

    References
    ----------
    Dhillon, I. S. & Modha, D. S. (2001). Concept decompositions for large sparse text data using clustering.
    doi:10.1023/A:1007612920971

    Examples
    --------
    >>> from gnomon.cluster import SphericalKMeans
    >>> X = [[1.0, 0.0], [2.0, 0.2], [0.0, 3.0], [0.1, 0.5], [-1.0, 0.1]]
    >>> found = SphericalKMeans(3, init="farthest", random_state=0).fit(X)
    >>> round(found.objective_, 6)
    4.987784
    """

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        init: Init = "k-means++",
        n_init: Count | Literal["auto"] = "auto",
        max_iter: Count = 300,
        tol: NonNegative = 0.0,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: MatrixLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Maximise (1).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            No row may be zero.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        X = validate_rows(self, X, accept_sparse="csr", order="C")
        check_n_clusters(self.n_clusters, X.shape[0])
        rows, weights = unit_rows(X), check_weights(sample_weight, X).astype(float)
        starts = Starts(self.init, self.n_clusters, self.n_init)
        centers = starts.draw(rows, weights, check_random_state(self.random_state))

        def run(start: Floats, n_jobs: int) -> KMeansResult:
            unit = dense(unit_rows(start))
            return kmeans(rows, unit, weights, tol=self.tol, max_iter=self.max_iter, on_sphere=True, n_jobs=n_jobs)

        runs = run_all(run, centers, self.n_jobs)
        found, total = best_run(runs), float(weights.sum())
        self.cluster_centers_, self.labels_ = found.centers, found.labels.astype(np.int32)
        self.objective_ = total - 0.5 * found.objective
        self.n_iter_, self.converged_, self.stop_reason_ = found.n_iter, found.converged, found.stop_reason
        self.history_ = {**found.history, "objective": total - 0.5 * found.history["objective"]}
        self.restarts_ = total - 0.5 * np.array([one.objective for one in runs])
        warn_if_few(self.labels_[weights > 0.0], self.n_clusters)
        warn_unless_settled(found.converged, found.stop_reason, self.max_iter, found.history)
        return self

    def predict(self, X: MatrixLike) -> Integers:
        """The centre with the smallest angle to each row; the lowest of several.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of int of shape (n_samples,)
        """
        check_is_fitted(self)
        rows = unit_rows(validate_rows(self, X, reset=False, accept_sparse="csr", order="C"))
        return nearest_center(rows, self.cluster_centers_, n_jobs=self.n_jobs)[0].astype(np.int32)

    def transform(self, X: MatrixLike) -> Floats:
        """1 − cos of the angles to the centres.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        D : ndarray of shape (n_samples, n_clusters)
        """
        check_is_fitted(self)
        rows = unit_rows(validate_rows(self, X, reset=False, accept_sparse="csr", order="C"))
        return 0.5 * distances_to(rows, self.cluster_centers_, n_jobs=self.n_jobs) ** 2

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
