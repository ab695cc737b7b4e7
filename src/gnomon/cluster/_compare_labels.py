"""Clusters beside known labels.

    N[k, c] = rows of cluster k with label c,    purity = (1/n) Σ_k max_c N[k, c]                  (1)

The matched accuracy pairs clusters with labels one to one, as well as possible: the assignment problem of Kuhn (1955),
doi:10.1002/nav.3800020109. Indices corrected for chance: Hubert & Arabie (1985), doi:10.1007/BF01908075; Vinh, Epps &
Bailey (2010), JMLR 11.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn import metrics
from sklearn.utils.validation import check_consistent_length, column_or_1d

from gnomon._typing import Array, ArrayLike, Integers
from gnomon.numerics.coding import label_index

__all__ = ["LabelComparison", "compare_labels"]


class LabelComparison(NamedTuple):
    """How clusters and labels agree.

    Fields
    ------
    table : ndarray of int of shape (n_clusters, n_classes)
        Equation (1).
    clusters, classes : ndarray
    purity, matched_accuracy : float
    adjusted_rand, normalized_mutual_info, adjusted_mutual_info, homogeneity, completeness : float
        As in scikit-learn; 1 for perfect agreement, the adjusted ones about 0 by chance.

    References
    ----------
    Hubert, L. & Arabie, P. (1985). Comparing partitions. doi:10.1007/BF01908075

    Examples
    --------
    >>> from gnomon.cluster import compare_labels
    >>> print(compare_labels([0, 0, 1, 1], ["cat", "cat", "dog", "cat"]))
    cluster  cat  dog
          0    2    0
          1    1    1
    purity 0.75, matched accuracy 0.75, adjusted Rand 0.00, NMI 0.34
    """

    table: Integers
    clusters: Array
    classes: Array
    purity: float
    matched_accuracy: float
    adjusted_rand: float
    normalized_mutual_info: float
    adjusted_mutual_info: float
    homogeneity: float
    completeness: float

    def __str__(self) -> str:
        heads = ["cluster", *map(str, self.classes)]
        cells = [heads, *([str(label), *map(str, row)] for label, row in zip(self.clusters, self.table, strict=True))]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(cell.rjust(w) for cell, w in zip(line, widths, strict=True)) for line in cells]
        return "\n".join(lines) + (
            f"\npurity {self.purity:.2f}, matched accuracy {self.matched_accuracy:.2f}, adjusted Rand "
            f"{self.adjusted_rand:.2f}, NMI {self.normalized_mutual_info:.2f}"
        )


def compare_labels(labels: ArrayLike, y: ArrayLike) -> LabelComparison:
    """The table of clusters and known labels, and every usual index of their agreement.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Clusters.
    y : array-like of shape (n,)
        Known labels.

    Returns
    -------
    LabelComparison

    References
    ----------
    Hubert, L. & Arabie, P. (1985). Comparing partitions. doi:10.1007/BF01908075

    Examples
    --------
    >>> from gnomon.cluster import compare_labels
    >>> found = compare_labels([1, 1, 0, 0], ["a", "a", "b", "b"])
    >>> found.purity, found.matched_accuracy, found.adjusted_rand
    (1.0, 1.0, 1.0)
    """
    check_consistent_length(labels, y)
    k, clusters = label_index(column_or_1d(labels))
    c, classes = label_index(column_or_1d(y))
    table = np.zeros((len(clusters), len(classes)), dtype=np.int64)
    np.add.at(table, (k, c), 1)
    rows, columns = linear_sum_assignment(-table)
    return LabelComparison(
        table,
        clusters,
        classes,
        float(table.max(axis=1).sum() / len(k)),
        float(table[rows, columns].sum() / len(k)),
        float(metrics.adjusted_rand_score(c, k)),
        float(metrics.normalized_mutual_info_score(c, k)),
        float(metrics.adjusted_mutual_info_score(c, k)),
        float(metrics.homogeneity_score(c, k)),
        float(metrics.completeness_score(c, k)),
    )
