"""Regression by the nearest neighbours.

    ŷ(x) = Σ_{i ∈ N_k(x)} w_i y_i / Σ_{i ∈ N_k(x)} w_i                                                              (1)

With equal weights this is the average of Nadaraya and Watson with a box whose radius is the k-th distance.
Cover (1968), doi:10.1109/TIT.1968.1054098; Nadaraya (1964), doi:10.1137/1109020.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, ArrayLike, Count, Floats, MatrixLike, PositiveOrInfinite
from gnomon.kernels import KernelLike
from gnomon.neighbors._metrics import Algorithm, MetricLike
from gnomon.neighbors._neighbors_model import Neighborhood, NeighborsModel, Weights

__all__ = ["KNeighborsRegressor"]


class KNeighborsRegressor(RegressorMixin, NeighborsModel):
    """Mean (1) of the targets of the k nearest stored rows.

    Parameters
    ----------
    n_neighbors : int, default=5
        k.
    weights : {"uniform", "distance"}, Kernel, callable or None, default="uniform"
        w: equal; 1/d, or equal for rows at distance zero alone where there are any; k(x, x_i) of a kernel; or a
        function of the array of distances.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How neighbours are searched; the result is the same. "auto" is a k-d tree for few columns, else a comparison
        with every row by BLAS.
    leaf_size : int, default=30
        Of trees.
    p : float, default=2
        Exponent of the Minkowski distance.
    metric : str, callable or DistanceMetric, default="minkowski"
        A name of scikit-learn or SciPy, a function of two rows, or "precomputed" for distances in place of rows.
    metric_params : dict, optional
        Further arguments of the metric.
    n_jobs : int, optional
        Threads of the search; None for as many as BLAS has.
    kernel : Kernel, callable or str, optional
        Nearest by the distance in the feature space of a kernel, in place of the metric.

    Attributes
    ----------
    effective_metric_ : str or callable
        The metric by its shortest name, "kernel" where a kernel was given.
    effective_metric_params_ : dict
    effective_dof_ : float
        n/k.
    n_samples_fit_ : int
        n.

    References
    ----------
    Cover, T. (1968). Estimation by the nearest neighbor rule. doi:10.1109/TIT.1968.1054098

    Examples
    --------
    >>> from gnomon.neighbors import KNeighborsRegressor
    >>> x, y = [[0.0], [1.0], [2.0], [4.0], [7.0]], [0, 0, 1, 1, 1]
    >>> KNeighborsRegressor(3).fit(x, y).predict([[3.0]])
    array([0.66666667])
    >>> KNeighborsRegressor(3, weights="distance").fit(x, y).predict([[3.0]])  # (0/2 + 1/1 + 1/1) / (1/2 + 1 + 1)
    array([0.8])
    """

    _stored: ClassVar[dict[str, str]] = {"_y": "float (n_samples_fit,) or (n_samples_fit, n_outputs)"}

    def __init__(
        self,
        n_neighbors: Count | None = 5,
        *,
        weights: Weights = "uniform",
        algorithm: Algorithm = "auto",
        leaf_size: Count = 30,
        p: PositiveOrInfinite | None = 2,
        metric: MetricLike = "minkowski",
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        kernel: KernelLike | None = None,
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.kernel = kernel

    def fit(self, X: MatrixLike | list[Any], y: ArrayLike) -> Self:
        """Store the rows and their targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), distances of shape (n_samples, n_samples) with
                ``metric="precomputed"``, or a list of objects for a kernel of pairs
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)

        Returns
        -------
        self
        """
        self._y = self._fit_rows(X, y, y_numeric=True)
        return self

    def predict(self, X: MatrixLike | list[Any] | None) -> Floats:
        """The mean (1).

        Parameters
        ----------
        X : as in `fit`, distances to the stored rows with ``metric="precomputed"``, or None
            None for the stored rows, none of which counts for itself.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
        """
        check_is_fitted(self)
        return self._predicted(self._find(X, self._k(None)))

    def _predicted(self, found: Neighborhood) -> Floats:
        targets = self._y.reshape(self.n_samples_fit_, -1)[found.neighbors.indices]
        weights = self._neighbor_weights(found)
        if weights is None:
            mean = np.mean(targets, axis=1)
        else:
            mean = np.einsum("mk,mko->mo", weights, targets) / np.sum(weights, axis=1, keepdims=True)
        return mean.reshape(len(mean), *self._y.shape[1:])

    def _losses(self, y: Array, predicted: Array) -> Floats:
        return np.mean((np.asarray(y) - predicted).reshape(len(predicted), -1) ** 2, axis=1)

    def _stored_target(self) -> Array:
        return self._y
