"""Cuts of a tree of merges.

    k clusters of n rows: undo the last k − 1 merges                                                   (1)

Merges have SciPy's form: the i-th makes cluster n + i of two others, with a height and a size.
"""

from __future__ import annotations

from heapq import heappush, heappushpop
from typing import NamedTuple

import numpy as np
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

from gnomon._typing import Array, ArrayLike, Floats, Integers

__all__ = ["Cophenetic", "cophenetic", "cut_tree", "has_inversions", "n_at_height"]

ROUNDING = 1e-12
"""A height that is below the last one by less than this share is rounding."""


class Cophenetic(NamedTuple):
    """Heights at which pairs of rows meet, as a matrix, and their correlation with distances; nan without these.

    References
    ----------
    Sokal, R. R. & Rohlf, F. J. (1962). The comparison of dendrograms by objective methods. doi:10.2307/1217208

    Examples
    --------
    >>> from gnomon.cluster import cophenetic
    >>> cophenetic([[0, 1, 1.0, 2], [2, 3, 2.5, 3]]).distances[0]
    array([0. , 1. , 2.5])
    """

    distances: Floats
    correlation: float


def cophenetic(merges: ArrayLike, distances: ArrayLike | None = None) -> Cophenetic:
    """The heights at which pairs of rows are merged, and how well they show the distances.

    Parameters
    ----------
    merges : array-like of shape (n − 1, 4)
        A tree in SciPy's form, as `AgglomerativeClustering.merges_`.
    distances : array-like of shape (n, n), optional
        What the tree was made from.

    Returns
    -------
    Cophenetic

    References
    ----------
    Sokal, R. R. & Rohlf, F. J. (1962). The comparison of dendrograms by objective methods. doi:10.2307/1217208

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.cluster import AgglomerativeClustering, cophenetic
    >>> x = np.array([0.0, 1.0, 3.0, 8.0])
    >>> tree = AgglomerativeClustering(linkage="average").fit(x[:, None])
    >>> round(cophenetic(tree.merges_, abs(x - x[:, None])).correlation, 6)
    0.932011
    """
    Z = np.asarray(merges, dtype=float)
    met = hierarchy.cophenet(Z)
    if distances is None:
        return Cophenetic(squareform(met), np.nan)
    D = np.asarray(distances, dtype=float)
    given = squareform(D, checks=False) if D.ndim == 2 else D
    if len(given) != len(met):
        raise ValueError(f"distances are of {len(given)} pairs, and the tree has {len(met)}; give those of its rows")
    return Cophenetic(squareform(met), float(np.corrcoef(met, given)[0, 1]))


def cut_tree(children: Array, n: int, k: int) -> Integers:
    """Labels of the rows after (1), numbered as in scikit-learn."""
    if not 1 <= k <= n:
        raise ValueError(f"n_clusters={k} must be from 1 to the number of rows, n_samples={n}")
    nodes = [-(2 * n - 2)]
    for _ in range(k - 1):
        low, high = children[-nodes[0] - n]
        heappush(nodes, -int(low))
        heappushpop(nodes, -int(high))
    label = np.full(2 * n - 1, -1, dtype=np.intp)
    label[[-node for node in nodes]] = np.arange(k)
    for i in range(n - 2, -1, -1):
        if label[n + i] >= 0:
            label[children[i]] = label[n + i]
    return label[:n]


def n_at_height(heights: Floats, height: float) -> int:
    """Clusters after all merges up to a height; heights must not fall."""
    if has_inversions(heights):
        raise ValueError(
            "heights of this tree fall at some merges (inversions); cut it by the number of clusters, k= or n_clusters="
        )
    return len(heights) + 1 - int(np.count_nonzero(heights <= height))


def has_inversions(heights: Floats) -> bool:
    """Whether a merge lies below the one before it."""
    return bool(np.any(np.diff(heights) < -ROUNDING * np.abs(heights[1:])))
