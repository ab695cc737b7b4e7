"""Divisive clustering.

    begin with all rows in one cluster; split one cluster into two, until k are left or none is worth it             (1)

    bisect      split the cluster with the largest inertia (or the most rows) by 2-means
    diana       split the cluster with the largest diameter: the row with the largest mean distance leaves it, then
                every row that is nearer, in the mean, to those that left than to those that stay
    principal   split the cluster with the largest inertia by the sign of its first principal component

Steinbach, Karypis & Kumar (2000), KDD workshop on text mining; Kaufman & Rousseeuw (1990), chapter 6,
doi:10.1002/9780470316801; Boley (1998), doi:10.1023/A:1009740529316.
"""

from __future__ import annotations

from typing import ClassVar, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Count, Floats, Integers, MatrixLike, NonNegative, Seed, available_if
from gnomon.base import is_given_matrix, validate_rows
from gnomon.base.estimator import Estimator
from gnomon.cluster._base import check_n_clusters, warn_if_few
from gnomon.cluster._pairs import Metric, distance_matrix
from gnomon.cluster._tree import has_inversions
from gnomon.numerics.scale import PowerOfTwo
from gnomon.optim import kmeans, nearest_center, seed_centers
from gnomon.optim.center_distances import row_unit

__all__ = ["DivisiveClustering"]


def _has_rows(model: DivisiveClustering) -> bool:
    return not is_given_matrix(model.metric)


class DivisiveClustering(ClusterMixin, Estimator):
    """A tree of splits from all rows downwards, equation (1).

    Parameters
    ----------
    n_clusters : int or None, default=2
        None goes down to single rows, or to `threshold`.
    method : {"bisect", "diana", "principal"}, default="bisect"
    split : {"inertia", "largest"}, default="inertia"
        Of "bisect" and "principal": which cluster is split, that of the largest sum of squares or that of most rows.
    threshold : float, optional
        Split no cluster whose inertia ("bisect", "principal") or diameter ("diana") is at most this.
    metric : str or callable, default="euclidean"
        Of "diana": a metric of scikit-learn, a function of two rows, or "precomputed".
    n_init : int, default=5
        Of "bisect": starts of each 2-means.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    n_clusters_ : int
    merges_ : ndarray of shape (n_clusters_ - 1, 4)
        The splits in reverse, in SciPy's form, as merges of the clusters in `labels_`: cluster, cluster, height, rows.
        The height is the diameter ("diana"), else √(2ΔJ), where ΔJ is how much the split lowers the inertia.
    heights_ : ndarray of shape (n_clusters_ - 1,)
        Of the splits, the first one first.
    has_inversions_ : bool
        Whether a split lies above one before it.
    history_ : dict of str to ndarray
        "objective": the inertia of all clusters, before the first split and after each; with "diana" the largest
        diameter.
    inertia_ : float
        Its end; not with "diana".

    References
    ----------
    Steinbach, M., Karypis, G. & Kumar, V. (2000). A comparison of document clustering techniques. KDD workshop.

    Kaufman, L. & Rousseeuw, P. J. (1990). Finding groups in data. doi:10.1002/9780470316801

    Boley, D. (1998). Principal direction divisive partitioning. doi:10.1023/A:1009740529316

    Examples
    --------
    >>> from gnomon.cluster import DivisiveClustering
    >>> X = [[0.0], [1.0], [3.0], [8.0]]
    >>> DivisiveClustering(None, method="diana").fit(X).heights_
    array([8., 3., 1.])
    >>> DivisiveClustering(None, random_state=0).fit(X).history_["objective"].round(6)
    array([38.      ,  4.666667,  0.5     ,  0.      ])
    """

    _stored: ClassVar[dict[str, str]] = {"_means": "(k, n_features)"}

    def __init__(
        self,
        n_clusters: Count | None = 2,
        *,
        method: Literal["bisect", "diana", "principal"] = "bisect",
        split: Literal["inertia", "largest"] = "inertia",
        threshold: NonNegative | None = None,
        metric: Metric = "euclidean",
        n_init: Count = 5,
        random_state: Seed = None,
    ):
        self.n_clusters = n_clusters
        self.method = method
        self.split = split
        self.threshold = threshold
        self.metric = metric
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: object = None) -> Self:
        """Split until (1) ends.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or a matrix of distances for "diana"
        y : ignored

        Returns
        -------
        self
        """
        X = validate_rows(self, X, order="C")
        n = len(X)
        k = n if self.n_clusters is None else self.n_clusters
        check_n_clusters(k, n)
        self._refuse()
        unit = row_unit(X) if self.method != "diana" else PowerOfTwo()
        ways: dict[str, type[Way]] = {"bisect": _Bisect, "diana": _Diana, "principal": _Principal}
        way = ways[self.method].of(self, unit.inward(X).astype(float))
        least = 0.0 if self.threshold is None else float(unit.outward(self.threshold, -2))
        self._keep(X, *_divide(way, n, k, least), unit)
        if self.n_clusters is not None and self.threshold is None:
            warn_if_few(self.labels_, k)
        return self

    @available_if(_has_rows)
    def predict(self, X: MatrixLike) -> Integers:
        """The cluster whose mean is nearest; the lowest of several.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of int of shape (n_samples,)
        """
        check_is_fitted(self)
        return nearest_center(validate_rows(self, X, reset=False, order="C"), self._means)[0].astype(np.int32)

    def _refuse(self) -> None:
        if self.method != "diana" and self.metric != "euclidean":
            raise ValueError(f"metric={self.metric!r} has no meaning for method={self.method!r}; use 'diana'")
        if self.method == "diana" and self.split != "inertia":
            raise ValueError("method='diana' splits the cluster of the largest diameter; leave out split=")

    def _keep(self, X: Floats, leaves: list[_Node], splits: list[_Node], sizes: Floats, unit: PowerOfTwo) -> None:
        diana = self.method == "diana"
        self.labels_ = np.empty(len(X), dtype=np.int32)
        for j, leaf in enumerate(leaves):
            self.labels_[leaf.rows] = j
        self.n_clusters_ = len(leaves)
        self.heights_ = unit.outward(np.array([node.height for node in splits]))
        self.merges_ = _merges(leaves, splits, self.heights_)
        self.has_inversions_ = has_inversions(self.heights_[::-1])
        self.history_ = {"iteration": np.arange(len(sizes)), "objective": unit.outward(sizes, 2)}
        if not diana:
            self.inertia_ = float(unit.outward(sizes[-1], 2))
        if _has_rows(self):
            self._means = np.array([X[leaf.rows].mean(axis=0) for leaf in leaves])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = not _has_rows(self)
        return tags


class _Node:
    """A cluster, its size in the sense of the method, and its parts once it is split."""

    def __init__(self, rows: Integers, size: float, worth: float) -> None:
        self.rows, self.size, self.worth = rows, size, worth
        self.parts: tuple[_Node, _Node] | None = None
        self.height = 0.0


class _Inertia(NamedTuple):
    """Clusters measured by their sums of squares."""

    X: Floats
    by_rows: bool
    n_init: int
    rng: np.random.RandomState

    @classmethod
    def of(cls, model: DivisiveClustering, X: Floats) -> Self:
        return cls(X, model.split == "largest", model.n_init, check_random_state(model.random_state))

    def measure(self, rows: Integers) -> tuple[float, float]:
        """Its size, and what decides which cluster is split."""
        # From one of the rows: rows that are equal have no size, not that of the rounding of their mean.
        inside = self.X[rows] - self.X[rows[0]]
        size = float(np.sum((inside - inside.mean(axis=0)) ** 2))
        return size, float(len(rows)) if self.by_rows else size

    @staticmethod
    def total(sizes: list[float]) -> float:
        return float(np.sum(sizes))

    @staticmethod
    def height(size: float, parts: list[float]) -> float:
        return float(np.sqrt(max(0.0, 2.0 * (size - sum(parts)))))


class _Bisect(_Inertia):
    def halves(self, rows: Integers) -> tuple[Integers, Integers]:
        """By the best of several runs of 2-means."""
        inside = self.X[rows]
        starts = [inside[seed_centers(inside, 2, self.rng)] for _ in range(self.n_init)]
        labels = min((kmeans(inside, start) for start in starts), key=lambda run: run.objective).labels
        return rows[labels == labels[0]], rows[labels != labels[0]]


class _Principal(_Inertia):
    def halves(self, rows: Integers) -> tuple[Integers, Integers]:
        """By the sign of the first principal component."""
        inside = self.X[rows] - self.X[rows[0]]
        centred = inside - inside.mean(axis=0)
        scores = centred @ np.linalg.svd(centred, full_matrices=False)[2][0]
        first = (scores > 0.0) == (scores[0] > 0.0)
        return rows[first], rows[~first]


class _Diana(NamedTuple):
    """Clusters measured by their diameters."""

    D: Floats

    @classmethod
    def of(cls, model: DivisiveClustering, X: Floats) -> Self:
        return cls(distance_matrix(X, model.metric))

    def measure(self, rows: Integers) -> tuple[float, float]:
        """Its diameter, twice."""
        size = float(np.max(self.D[np.ix_(rows, rows)]))
        return size, size

    @staticmethod
    def total(sizes: list[float]) -> float:
        return max(sizes)

    @staticmethod
    def height(size: float, parts: list[float]) -> float:
        return size

    def halves(self, rows: Integers) -> tuple[Integers, Integers]:
        """The splinter group of Kaufman & Rousseeuw (1990), section 6.1."""
        D = self.D[np.ix_(rows, rows)]
        left = np.zeros(len(rows), dtype=bool)
        left[np.argmax(D.sum(axis=1))] = True
        while np.count_nonzero(~left) > 1:
            stay = np.flatnonzero(~left)
            to_stay = D[np.ix_(stay, stay)].sum(axis=1) / (len(stay) - 1)
            gain = to_stay - D[np.ix_(stay, np.flatnonzero(left))].mean(axis=1)
            if not np.max(gain) > 0.0:
                break
            left[stay[np.argmax(gain)]] = True
        first = left == left[0]
        return rows[first], rows[~first]


Way: TypeAlias = _Bisect | _Principal | _Diana


def _divide(way: Way, n: int, k: int, least: float) -> tuple[list[_Node], list[_Node], Floats]:
    """Clusters at the end, those that were split in order, and the total size before the first split and after each."""
    everything = np.arange(n)
    leaves, splits = [_Node(everything, *way.measure(everything))], []
    sizes = [way.total([leaf.size for leaf in leaves])]
    while len(leaves) < k:
        can = [leaf for leaf in leaves if len(leaf.rows) > 1 and leaf.size > least]
        if not can:
            break
        node = max(can, key=lambda leaf: leaf.worth)
        first, second = way.halves(node.rows)
        node.parts = (_Node(first, *way.measure(first)), _Node(second, *way.measure(second)))
        node.height = way.height(node.size, [part.size for part in node.parts])
        place = leaves.index(node)
        leaves[place : place + 1] = node.parts
        splits.append(node)
        sizes.append(way.total([leaf.size for leaf in leaves]))
    return leaves, splits, np.array(sizes)


def _merges(leaves: list[_Node], splits: list[_Node], heights: Floats) -> Floats:
    """The splits from the last to the first, as merges."""
    number = {id(leaf): j for j, leaf in enumerate(leaves)}
    merges = np.empty((len(splits), 4))
    for i, (node, height) in enumerate(zip(reversed(splits), heights[::-1], strict=True)):
        low, high = sorted(number[id(part)] for part in node.parts or ())
        merges[i] = low, high, height, len(node.rows)
        number[id(node)] = len(leaves) + i
    return merges
