"""What classifiers and regressors by nearest neighbours share: stored rows, a metric or a kernel, and the search.

    N_k(x) = the k stored rows nearest to x,    d(x, x') by a metric, or  d² = k(x, x) + k(x', x') − 2 k(x, x')     (1)

Of rows at equal distance the one of lower index is nearer. Cover & Hart (1967), doi:10.1109/TIT.1967.1053964.
"""

from __future__ import annotations

import numbers
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.base import MultiOutputMixin, clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.neighbors import sort_graph_by_row_values
from sklearn.utils import Tags, check_array
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from gnomon._typing import Array, ArrayLike, Floats, Folds, Integers, is_sparse
from gnomon.base import count_rows, is_given_matrix, kernel_rows, validate_rows, warn_of_wild_scales
from gnomon.base.estimator import Estimator
from gnomon.kernels import Against, Kernel, KernelLike, read_kernel, warn_unless_psd
from gnomon.neighbors._error_curve import ErrorCurve
from gnomon.neighbors._metrics import Algorithm, EffectiveMetric, MetricLike, check_sparse, read_metric
from gnomon.numerics.neighbors import BlockIndex, Neighbors, RowIndex, index_rows
from gnomon.numerics.validation import check_choice

__all__ = ["Neighborhood", "NeighborsModel", "Weights"]

Weights: TypeAlias = Literal["uniform", "distance"] | Kernel | Callable[[Any], Any] | None

GRAPHS = ("csr", "csc", "coo", "lil")
"""Formats of sparse distances that keep zeros which are stored."""

MOST_KS = 100
"""Numbers of neighbours that are compared where none are given."""

ROUNDING = 8
"""Squared distances in a feature space below so many units in the last place of k(x, x) are zero."""


class Neighborhood(NamedTuple):
    """Neighbours of some rows, and these rows; None for the stored ones."""

    neighbors: Neighbors
    rows: Any

    def first(self, k: int) -> Neighborhood:
        """The nearest k."""
        return Neighborhood(self.neighbors.first(k), self.rows)


class NeighborsModel(MultiOutputMixin, Estimator):
    """Base of the models of this module; a subclass says what its neighbours predict."""

    _stored: ClassVar[dict[str, str]] = {"_fit_X": "(n_samples_fit, n_columns)"}

    n_neighbors: int | None
    weights: Weights
    algorithm: Algorithm
    leaf_size: int
    p: float | None
    metric: MetricLike
    metric_params: dict[str, Any] | None
    n_jobs: int | None
    kernel: KernelLike | None

    # Fitting.

    def _fit_rows(self, X: Any, y: Any, **target: Any) -> Array:
        """Store the rows and make them ready for searches; the target as it was given."""
        rows, y = self._read(X, y, multi_output=True, sparse_target=True, **target)
        if is_sparse(y):
            y = y.tocsr().toarray()
        if self.kernel is None:
            found = read_metric(self.metric, self.metric_params, self.p, self.algorithm)
            rows = self._check_distances(rows, square=True)
            check_sparse(rows, found.metric, self.algorithm)
            self._kernel = None
        else:
            self._check_kernel()
            found = EffectiveMetric("kernel", {})
            self._kernel = read_kernel(self.kernel, rows, names=getattr(self, "feature_names_in_", None))
            if self._kernel.cpd_order != 1:
                # Of one that is positive on sums of zero, (1) is a distance too: Schölkopf & Smola (2002), section 2.4.
                warn_unless_psd(self._kernel.against(rows), stacklevel=4)
        self.effective_metric_, self.effective_metric_params_ = found
        if found.columns_alike:
            warn_of_wild_scales(self, rows, self._kernel, stacklevel=4)
        self._fit_X = rows
        self.n_samples_fit_ = count_rows(rows)
        self._index = self._make_index()
        return y

    def _read(self, X: Any, y: Any = "no_validation", *, reset: bool = True, **target: Any) -> Any:
        options: dict[str, Any] = {"accept_sparse": "csr", "dtype": "numeric", "order": "C", "reset": reset, **target}
        if self.kernel is not None:
            return kernel_rows(self, X, y, kernel=self.kernel, **{**options, "dtype": (np.float64, np.float32)})
        if self._given_distances and sparse.issparse(X) and X.format not in GRAPHS:
            raise TypeError(
                f"Sparse matrix in {X.format!r} format is not supported due to its handling of explicit zeros; give "
                f"distances as one of {', '.join(GRAPHS)}"
            )
        return validate_rows(self, X, y, finite=not self._gaps, **options)

    @property
    def _gaps(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "nan_euclidean"

    @property
    def _given_distances(self) -> bool:
        return is_given_matrix(self.metric)

    def _check_distances(self, D: Any, *, square: bool = False) -> Any:
        """Distances that were given: not negative, and sorted in each row where they are sparse."""
        if not self._given_distances:
            return D
        D = check_array(D, accept_sparse=GRAPHS, ensure_non_negative=True, input_name="X")
        if square and D.shape[0] != D.shape[1]:
            raise ValueError(f"Precomputed matrix must be square. Input is a {D.shape[0]}x{D.shape[1]} matrix.")
        return sort_graph_by_row_values(D, copy=True) if is_sparse(D) else D

    def _check_kernel(self) -> None:
        usable = {"metric": ("minkowski",), "p": (2,), "metric_params": (None,), "algorithm": ("auto", "brute")}
        unused = [f"{name}={value!r}" for name in usable if (value := getattr(self, name)) not in usable[name]]
        if unused:
            raise ValueError(f"kernel={self.kernel!r} gives the distance; leave out {', '.join(unused)}")
        if is_given_matrix(self.kernel):
            raise ValueError(
                "kernel='precomputed' does not say how long queries are in the feature space; give distances, with "
                "metric='precomputed'"
            )

    def _make_index(self) -> RowIndex:
        if self._kernel is not None:
            against = self._kernel.against(self._fit_X)
            own = against.diag()
            return BlockIndex(self.n_samples_fit_, lambda rows: kernel_distances(against, own, rows), self._fit_X)
        return index_rows(
            self._fit_X,
            metric=self.effective_metric_,
            params=self.effective_metric_params_,
            method="brute" if is_sparse(self._fit_X) else self.algorithm,
            k=self.n_neighbors,
            leaf_size=self.leaf_size,
        )

    def __getstate__(self) -> dict[str, Any]:
        # An index is made again from the rows: trees are large, and functions cannot be saved.
        return {name: value for name, value in super().__getstate__().items() if name != "_index"}

    def _searched(self) -> RowIndex:
        if "_index" not in vars(self):
            self._index = self._make_index()
        return self._index

    @property
    def effective_dof_(self) -> float:
        """n/k: k rows share each degree of freedom."""
        check_is_fitted(self)
        return self.n_samples_fit_ / self._k(None)

    # Predicting, which a subclass writes.

    @abstractmethod
    def _predicted(self, found: Neighborhood) -> Array:
        """What the neighbours predict."""

    @abstractmethod
    def _losses(self, y: Array, predicted: Array) -> Floats:
        """The loss of each row."""

    @abstractmethod
    def _stored_target(self) -> Array:
        """The target of the stored rows as it was given."""

    def error_curve(
        self,
        X: Any = None,
        y: ArrayLike | None = None,
        ks: ArrayLike | None = None,
        *,
        loo: bool = False,
        cv: Folds | None = None,
    ) -> ErrorCurve:
        """The error for several numbers of neighbours, from one search (one in each fold).

        Parameters
        ----------
        X, y : rows and target, optional
            Those that were fitted give the training error, others an estimate of the error to come. Not with `loo` or
            `cv`, which use the rows that were fitted.
        ks : array-like of int, optional
            Numbers of neighbours; by default 1, 2, … up to a hundred or as many as there are.
        loo : bool, default=False
            Each stored row is predicted by the others: leave-one-out cross-validation.
        cv : int, splitter or iterable, optional
            Each stored row is predicted by those of the other folds.

        Returns
        -------
        ErrorCurve
        """
        check_is_fitted(self)
        inside = loo or cv is not None
        if inside == (X is not None) or inside == (y is not None) or (loo and cv is not None):
            given = {"X": X is not None, "y": y is not None, "loo=True": loo, "cv": cv is not None}
            found = ", ".join(name for name in given if given[name]) or "nothing"
            raise ValueError(f"give X and y, or loo=True, or cv; found {found}")
        if cv is not None:
            return self._folded_curve(cv, ks)
        target = self._stored_target() if loo else check_array(y, ensure_2d=False, dtype=None, input_name="y")
        return self._curve(None if loo else X, target, ks)

    def _curve(self, X: Any, y: Array, ks: ArrayLike | None) -> ErrorCurve:
        n = self.n_samples_fit_
        numbers = read_ks(ks, n - (X is None))
        found = self._find(X, int(numbers.max()))
        check_consistent_length(found.neighbors.indices, y)
        errors = [float(np.mean(self._losses(y, self._predicted(found.first(k))))) for k in numbers]
        return ErrorCurve(numbers, np.array(errors), n / numbers)

    def _folded_curve(self, cv: Folds, ks: ArrayLike | None) -> ErrorCurve:
        """The curves of the folds, each with the weight of its rows."""
        y = self._stored_target()
        splits = list(check_cv(cv, y, classifier=is_classifier(self)).split(self._fit_X, y))
        numbers = read_ks(ks, min(len(train) for train, _ in splits))
        total, rows = np.zeros(len(numbers)), 0
        for train, test in splits:
            model = clone(self).fit(*_safe_split(self, self._fit_X, y, train))
            X_test, y_test = _safe_split(self, self._fit_X, y, test, train)
            total += len(test) * model._curve(X_test, y_test, numbers).errors
            rows += len(test)
        return ErrorCurve(numbers, total / rows, self.n_samples_fit_ / numbers)

    # Searching.

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Integers | tuple[Floats, Integers]:
        """The nearest stored rows of each row of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), distances of shape (n_queries, n_stored) with
                ``metric="precomputed"``, or None
            None for the stored rows, none of which is its own neighbour.
        n_neighbors : int, optional
            As in the constructor by default.
        return_distance : bool, default=True

        Returns
        -------
        distances : ndarray of shape (n_queries, n_neighbors)
            Only with ``return_distance=True``.
        indices : ndarray of int of shape (n_queries, n_neighbors)
        """
        check_is_fitted(self)
        indices, distances = self._find(X, self._k(n_neighbors)).neighbors
        return (distances, indices) if return_distance else indices

    def kneighbors_graph(
        self,
        X: Any = None,
        n_neighbors: int | None = None,
        mode: Literal["connectivity", "distance"] = "connectivity",
    ) -> Any:
        """The graph from rows of X to their nearest stored rows.

        Parameters
        ----------
        X, n_neighbors
            As in `kneighbors`.
        mode : {"connectivity", "distance"}, default="connectivity"
            Entries are ones, or distances.

        Returns
        -------
        CSR matrix of shape (n_queries, n_stored)
        """
        check_is_fitted(self)
        check_choice("mode", mode, ["connectivity", "distance"])
        indices, distances = self._find(X, self._k(n_neighbors)).neighbors
        m, k = indices.shape
        data = np.ones(m * k) if mode == "connectivity" else np.ravel(distances)
        return sparse.csr_matrix((data, np.ravel(indices), np.arange(0, m * k + 1, k)), shape=(m, self.n_samples_fit_))

    def _k(self, n_neighbors: int | None) -> int:
        k: Any = self.n_neighbors if n_neighbors is None else n_neighbors
        if not isinstance(k, numbers.Integral) or isinstance(k, bool):
            raise TypeError(f"n_neighbors={k!r} does not take {type(k)} value, enter integer value")
        if k <= 0:
            raise ValueError(f"Expected n_neighbors > 0. Got {k}")
        return int(k)

    def _find(self, X: Any, k: int) -> Neighborhood:
        rows = None if X is None else self._check_distances(self._read(X, reset=False))
        n = self.n_samples_fit_
        m = n if rows is None else count_rows(rows)
        if k > n - (rows is None):
            raise ValueError(
                f"Expected n_neighbors {'<' if rows is None else '<='} n_samples_fit, but n_neighbors = {k}, "
                f"n_samples_fit = {n}, n_samples = {m}"
            )
        index = self._searched()
        if self._given_distances and rows is not None and is_sparse(rows) != is_sparse(self._fit_X):
            # A search of distances that are given asks the queries alone, which are entries of a graph where sparse.
            index = index_rows(rows, metric="precomputed")
        found = index.nearest_others(k, self.n_jobs) if rows is None else index.nearest(rows, k, self.n_jobs)
        return Neighborhood(found, rows)

    def _neighbor_weights(self, found: Neighborhood) -> Floats | None:
        """A weight for each neighbour; None where all are equal."""
        if self.weights is None or (isinstance(self.weights, str) and self.weights == "uniform"):
            return None
        if isinstance(self.weights, Kernel):
            return self._kernel_weights(self.weights, found)
        if isinstance(self.weights, str):
            return inverse_distances(found.neighbors.distances)
        return np.asarray(self.weights(found.neighbors.distances))

    def _kernel_weights(self, kernel: Kernel, found: Neighborhood) -> Floats:
        """k(x, x_i) for each query and each of its neighbours."""
        if self._given_distances:
            raise ValueError(
                f"weights={kernel!r} needs rows, and only distances were given; use a function of distances"
            )
        kernel = kernel.located(getattr(self, "feature_names_in_", None))
        stored = kernel.prepare(self._fit_X)
        P = stored if found.rows is None else kernel.prepare(found.rows, like=stored)
        m, k = found.neighbors.indices.shape
        return kernel.pairs(P, stored, np.repeat(np.arange(m), k), found.neighbors.indices.ravel()).reshape(m, k)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._given_distances
        tags.input_tags.positive_only = self._given_distances
        tags.input_tags.allow_nan = self._gaps
        return tags


def kernel_distances(against: Against, own: Floats, rows: Any) -> Floats:
    """Distances (1) in the feature space; rounding is zero."""
    lengths = np.add.outer(against.kernel.diag(rows), own)
    S = lengths - 2.0 * against.gram(rows)
    S[ROUNDING * np.finfo(S.dtype).eps * lengths > S] = 0.0
    return np.sqrt(S)


def inverse_distances(distances: Floats) -> Floats:
    """1/d; where a neighbour is at distance zero, one for each such neighbour and zero for the others."""
    with np.errstate(divide="ignore"):
        weights = 1.0 / distances
    same = np.isinf(weights)
    return np.where(np.any(same, axis=1)[:, None], same.astype(weights.dtype), weights)


def read_ks(ks: ArrayLike | None, most: int) -> Integers:
    """Numbers of neighbours to compare."""
    if ks is None:
        return np.arange(1, min(most, MOST_KS) + 1)
    numbers = np.atleast_1d(np.asarray(ks))
    if (
        numbers.ndim != 1
        or not len(numbers)
        or numbers.dtype.kind not in "iu"
        or not 1 <= numbers.min() <= numbers.max() <= most
    ):
        raise ValueError(
            f"ks={ks!r} must be whole numbers from 1 to {most}, the number of rows to choose from; give others"
        )
    return numbers
