"""Rows and the clusters that they are in.

    members of k = {i : labelᵢ = k, sᵢ > 0}                                                         (1)

Labels are of any kind that can be sorted; their order is that of the clusters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from gnomon._typing import Array, ArrayLike, Floats, Integers, TableLike
from gnomon.numerics.coding import label_index
from gnomon.numerics.tables import as_table
from gnomon.numerics.weights import check_weights

__all__ = ["ClusterRows", "cluster_rows"]


class ClusterRows(NamedTuple):
    """Rows, weights and the places of their clusters.

    Fields
    ------
    X : ndarray of shape (n, d)
    names : tuple of str
    place : ndarray of int of shape (n,)
        The place of each row's cluster among `clusters`.
    clusters : ndarray of shape (k,)
    weights : ndarray of shape (n,)

    Examples
    --------
    >>> from gnomon.cluster._cluster_rows import cluster_rows
    >>> [members.tolist() for members in cluster_rows([[1.0], [2.0], [3.0]], ["b", "a", "b"]).members()]
    [[1], [0, 2]]
    """

    X: Floats
    names: tuple[str, ...]
    place: Integers
    clusters: Array
    weights: Floats

    def members(self) -> list[Integers]:
        """The rows of every cluster, equation (1)."""
        return [np.flatnonzero((self.place == k) & (self.weights > 0.0)) for k in range(len(self.clusters))]


def cluster_rows(X: TableLike, labels: ArrayLike, sample_weight: ArrayLike | None = None) -> ClusterRows:
    """Check rows, labels and weights; clusters without weight are left out.

    Examples
    --------
    >>> from gnomon.cluster._cluster_rows import cluster_rows
    >>> cluster_rows([[1.0], [2.0]], [3, 1]).clusters
    array([1, 3])
    """
    table = as_table(X)
    numbers = table.numbers(range(len(table.names)))
    rows = check_array(numbers, dtype=np.float64, input_name="X")
    given = column_or_1d(labels)
    check_consistent_length(rows, given)
    weights = check_weights(sample_weight, rows)
    index, clusters = label_index(given[weights > 0.0])
    places = np.full(len(rows), -1, dtype=np.int64)
    places[weights > 0.0] = index
    return ClusterRows(rows, table.names, places, clusters, weights)
