"""Where k-means starts.

    "k-means++"          rows drawn by their squared distance from those drawn before
    "random"             different rows
    "farthest"           the row that is farthest from those taken before
    "random_partition"   means of groups that are drawn                                              (1)
    "agglomerative"      means of the clusters of a tree of merges, of all rows or of a sample
    array, callable      what they say

All starts are drawn before the first run, so that runs on any number of threads see the same ones.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from sklearn.utils.validation import check_array

from gnomon._typing import ArrayLike, Floats, Integers, Matrix, is_sparse
from gnomon.cluster.agglomerative import AgglomerativeClustering
from gnomon.numerics.sharing import read_only
from gnomon.numerics.streaming import group_moments
from gnomon.optim import seed_centers

__all__ = ["Init", "Starts", "dense", "filled"]

Init: TypeAlias = (
    Literal["k-means++", "random", "farthest", "random_partition", "agglomerative"] | Callable[..., Any] | ArrayLike
)

WHOLE = 2000
"""Rows of which a tree is made; of more, a sample of as many or of three for each cluster (Cutting et al. 1992)."""

RANDOM_RUNS = 10
"""Runs where a single one would depend on luck."""


class Starts(NamedTuple):
    """How starts are made."""

    init: Any
    n_clusters: int
    n_init: int | Literal["auto"] = "auto"
    n_local_trials: int | Literal["auto"] = "auto"
    first: int | Literal["random"] = "random"
    linkage: Any = "median"
    init_size: int | None = None

    def draw(self, X: Matrix, weights: Floats, rng: np.random.RandomState) -> list[Floats]:
        """Centres to start from, one array for each run."""
        self._refuse_unused()
        if not isinstance(self.init, str) and not callable(self.init):
            return [self._given(X)]
        random = callable(self.init) or self.init in ("random", "random_partition")
        n_init = (RANDOM_RUNS if random else 1) if self.n_init == "auto" else self.n_init
        return [self._one(X, weights, rng) for _ in range(n_init)]

    def _one(self, X: Matrix, weights: Floats, rng: np.random.RandomState) -> Floats:
        k = self.n_clusters
        if callable(self.init):
            given = self.init(read_only(X), k, random_state=rng)
            centers = check_array(given, dtype=X.dtype, order="C", accept_sparse="csr")
            return self._checked(dense(centers), X)
        if self.init == "random_partition":
            return _random_partition(X, k, weights, rng)
        if self.init == "agglomerative":
            return self._bottom_up(X, weights, rng)
        rows = seed_centers(
            X,
            k,
            rng,
            weights,
            method=self.init,
            n_trials=None if self.n_local_trials == "auto" else self.n_local_trials,
            first=None if self.first == "random" else self.first,
        )
        return dense(X[rows])

    def _bottom_up(self, X: Matrix, weights: Floats, rng: np.random.RandomState) -> Floats:
        """Means of the clusters of a tree: Buckshot of Cutting et al. (1992), doi:10.1145/133160.133214."""
        k, n = self.n_clusters, int(np.count_nonzero(weights))
        size = (n if n <= WHOLE else max(WHOLE, 3 * k)) if self.init_size is None else self.init_size
        if size < k:
            raise ValueError(f"init_size={size} must be at least n_clusters={k}")
        rows = seed_centers(X, min(size, n), rng, weights, method="random") if size < n else np.flatnonzero(weights)
        sample, s = dense(X[rows]), weights[rows]
        if len(rows) == 1:
            return sample
        labels = AgglomerativeClustering(k, linkage=self.linkage).fit(sample).labels_
        return group_moments(sample, labels, k, s, diagonal=True).mean.astype(X.dtype)

    def _given(self, X: Matrix) -> Floats:
        if self.n_init not in ("auto", 1):
            warnings.warn(
                f"Explicit initial center position passed: performing only one init instead of n_init={self.n_init}",
                RuntimeWarning,
                stacklevel=4,
            )
        return self._checked(check_array(self.init, dtype=X.dtype, copy=True, order="C"), X)

    def _checked(self, centers: Floats, X: Matrix) -> Floats:
        wanted = (self.n_clusters, X.shape[1])
        if centers.shape != wanted:
            raise ValueError(f"the initial centers have the shape {centers.shape}; give an array of shape {wanted}")
        return centers

    def _refuse_unused(self) -> None:
        """An option of another start is refused."""
        table = (
            ("n_local_trials", "auto", "k-means++"),
            ("first", "random", "farthest"),
            ("linkage", "median", "agglomerative"),
            ("init_size", None, "agglomerative"),
        )
        for name, default, start in table:
            value = getattr(self, name)
            if value != default and not (isinstance(self.init, str) and self.init == start):
                raise ValueError(f"{name}={value!r} has no meaning for this init; leave it out, or use init={start!r}")


def _random_partition(X: Matrix, k: int, weights: Floats, rng: np.random.RandomState) -> Floats:
    """Means of groups drawn at random; a group without rows gets one."""
    groups = rng.randint(k, size=X.shape[0])
    means = group_moments(X, groups, k, weights, diagonal=True).mean
    empty = np.flatnonzero(np.bincount(groups, weights, k) == 0.0)
    means[empty] = dense(X[seed_centers(X, len(empty), rng, weights, method="random")]) if len(empty) else 0.0
    return means.astype(X.dtype)


def dense(X: Matrix) -> Floats:
    """X as an array."""
    return np.ascontiguousarray(X.toarray() if is_sparse(X) else X)


def filled(labels: Integers, k: int, weights: Floats) -> Integers:
    """Labels in which every cluster has a row: those without take one of the largest cluster."""
    labels = labels.copy()
    used = weights > 0.0
    for j in np.flatnonzero(np.bincount(labels[used], minlength=k) == 0):
        largest = np.argmax(np.bincount(labels[used], minlength=k))
        labels[np.flatnonzero(used & (labels == largest))[-1]] = j
    return labels
