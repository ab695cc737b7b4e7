"""Which categories a cluster is rich in.

    lift_kc = (share of category c in cluster k) / (share of c in all rows)                         (1)

1 is as everywhere, 2 twice as often. Brin, Motwani, Ullman & Tsur (1997), doi:10.1145/253260.253325.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from gnomon._typing import Array, ArrayLike, Floats, TableLike
from gnomon.numerics.coding import label_index
from gnomon.numerics.tables import as_table
from gnomon.numerics.weights import check_weights

__all__ = ["CategoryTable", "category_counts"]


class CategoryTable(NamedTuple):
    """Categories of one column by cluster.

    Fields
    ------
    name : str
    categories : tuple
        Missing cells are the category None.
    clusters : ndarray of shape (k,)
    counts, shares, lift : ndarray of shape (k, n_categories)
        Shares are of the cluster.

    References
    ----------
    Brin, S., Motwani, R., Ullman, J. D. & Tsur, S. (1997). Dynamic itemset counting and implication rules for market
    basket data. doi:10.1145/253260.253325

    Examples
    --------
    >>> from gnomon.cluster import category_counts
    >>> (town,) = category_counts([["Rome"], ["Rome"], ["Oslo"], ["Rome"]], [0, 0, 1, 1])
    >>> town.dominant(0), town.lift.round(2).tolist()
    (('Rome', 1.0), [[0.0, 1.33], [2.0, 0.67]])
    """

    name: str
    categories: tuple[Any, ...]
    clusters: Array
    counts: Floats
    shares: Floats
    lift: Floats

    def dominant(self, k: int) -> tuple[Any, float]:
        """The most frequent category of the cluster of place k, and its share."""
        best = int(np.argmax(self.counts[k]))
        return self.categories[best], float(self.shares[k, best])


def category_counts(
    frame: TableLike, labels: ArrayLike, sample_weight: ArrayLike | None = None
) -> tuple[CategoryTable, ...]:
    """Counts, shares and lift of the categories of every column that has categories.

    Parameters
    ----------
    frame : array-like or data frame of shape (n, d)
        Columns of strings, truth values or a categorical type; columns of numbers are passed over.
    labels : array-like of shape (n,)
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    tuple of CategoryTable

    References
    ----------
    Brin, S., Motwani, R., Ullman, J. D. & Tsur, S. (1997). Dynamic itemset counting and implication rules for market
    basket data. doi:10.1145/253260.253325

    Examples
    --------
    >>> from gnomon.cluster import category_counts
    >>> category_counts([["red"], ["red"], ["blue"]], ["a", "a", "b"])[0].counts.tolist()
    [[0.0, 2.0], [1.0, 0.0]]
    """
    table = as_table(frame)
    given = column_or_1d(labels)
    check_consistent_length(range(len(table)), given)
    weights = check_weights(sample_weight, np.empty((len(table), 1)))
    index, clusters = label_index(given)
    if not table.categorical:
        raise ValueError(f"none of the columns {list(table.names)} holds categories; give columns of strings")
    return tuple(
        _counts(table.names[j], table.column(j).cells.tolist(), index, clusters, weights) for j in table.categorical
    )


def _counts(name: str, cells: list[Any], index: Array, clusters: Array, weights: Floats) -> CategoryTable:
    known = dict.fromkeys(cells)
    categories = tuple(sorted((c for c in known if c is not None), key=lambda c: (str(type(c)), c)))
    categories += (None,) if None in known else ()
    place = {category: c for c, category in enumerate(categories)}
    counts = np.zeros((len(clusters), len(categories)))
    np.add.at(counts, (index, np.array([place[cell] for cell in cells])), weights)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    overall = counts.sum(axis=0) / counts.sum()
    lift = np.divide(shares, overall, out=np.zeros_like(shares), where=overall > 0.0)
    return CategoryTable(name, categories, clusters, counts, shares, lift)
