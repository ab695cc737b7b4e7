"""The ways to make k groups that `gnomon cluster` offers, each with what stands for a group.

    k-means: means      k-medoids: rows of the table      ward: means of the clusters of a tree of merges       (1)

Methods that compare all pairs of rows are fitted to a sample of a long table; the other rows go to the nearest
representative (Kaufman & Rousseeuw 1990, CLARA, doi:10.1002/9780470316801).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone

from gnomon._typing import Floats, Integers
from gnomon._words import ClusterMethod
from gnomon.cluster import AgglomerativeClustering, KMeans, KMedoids

__all__ = ["METHODS", "Way"]


class Way(NamedTuple):
    """One method: what builds it for trials and for the final fit, its representatives, and how many rows it takes."""

    name: str
    trial: BaseEstimator
    final: Callable[[int, int], Any]
    representatives: Callable[[Any, Floats], Floats]
    most_rows: int
    rows_to_try: int
    note: str

    def quick(self, k: int, seed: int) -> Any:
        """The clusterer of trials, with k groups."""
        known = self.trial.get_params()
        given = {"n_clusters": k, "random_state": seed}
        return clone(self.trial).set_params(**{name: value for name, value in given.items() if name in known})


def group_means(X: Floats, labels: Integers) -> Floats:
    """The mean of the rows of each label."""
    return np.array([X[labels == j].mean(axis=0) for j in range(labels.max() + 1)])


METHODS: dict[ClusterMethod, Way] = {
    "k-means": Way(
        "k-means",
        KMeans(n_init=3, certificate=False),
        lambda k, seed: KMeans(k, n_init=20, random_state=seed),
        lambda model, X: model.cluster_centers_,
        most_rows=2_000_000,
        rows_to_try=1_500,
        note="each row belongs to the nearest of k means, which make the squared distances least",
    ),
    "k-medoids": Way(
        "k-medoids",
        KMedoids(),
        lambda k, seed: KMedoids(k, random_state=seed),
        lambda model, X: model.cluster_centers_,
        most_rows=4_000,
        rows_to_try=300,
        note="each row belongs to the nearest of k typical rows, which make the distances least; odd rows count less",
    ),
    "ward": Way(
        "Ward's method",
        AgglomerativeClustering(),
        lambda k, seed: AgglomerativeClustering(k),
        lambda model, X: group_means(X, model.labels_),
        most_rows=4_000,
        rows_to_try=300,
        note="single rows are merged, step by step, so that the squares within groups grow least",
    ),
}
