"""Trees of merges or splits.

    two clusters are joined by a bracket at the height of their merge                                    (1)

Eisen et al. (1998), doi:10.1073/pnas.95.25.14863, made such pictures common.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from gnomon._typing import ArrayLike, Floats
from gnomon.plot._style import COLORS, INK, MUTED, dress, new_axes

__all__ = ["dendrogram"]


def dendrogram(
    merges: ArrayLike,
    *,
    cut: float | None = None,
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """A tree of merges (or of splits), with a line at a cut; merges below the one they contain are red.

    Parameters
    ----------
    merges : array of shape (n − 1, 4)
        In SciPy's form: `merges_` of `AgglomerativeClustering` or `DivisiveClustering`.
    cut : float, optional
        The height of a line through the tree; branches below it are coloured by cluster.
    names : sequence of str, optional
        Of the leaves; their numbers by default, where there are at most 60.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        With a line for each merge, in their order.

    References
    ----------
    Eisen, M. B. et al. (1998). Cluster analysis and display of genome-wide expression patterns.
    doi:10.1073/pnas.95.25.14863

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.cluster import AgglomerativeClustering
    >>> tree = AgglomerativeClustering(linkage="average").fit([[0.0], [1.0], [3.0], [8.0]])
    >>> ax = plot.dendrogram(tree.merges_, cut=4.0)
    >>> [round(float(max(line.get_ydata())), 6) for line in ax.lines[:3]]
    [1.0, 2.5, 6.666667]
    """
    Z = np.asarray(merges, dtype=float)
    n = len(Z) + 1
    order = _leaf_order(Z, n)
    at, heights = np.empty(2 * n - 1), np.zeros(2 * n - 1)
    at[order] = np.arange(n)
    ax = new_axes(ax, width=max(4.8, min(12.0, 0.22 * n)), height=3.8)
    colors = _colors(Z, n, cut, order)
    for i, (a, b, height, _) in enumerate(Z):
        low, high = int(a), int(b)
        inverted = height < max(heights[low], heights[high])
        x = [at[low], at[low], at[high], at[high]]
        y = [heights[low], height, height, heights[high]]
        ax.plot(x, y, color="#C0392B" if inverted else colors[i], linewidth=1.3, zorder=3 if inverted else 2)
        at[n + i], heights[n + i] = 0.5 * (at[low] + at[high]), height
    if cut is not None:
        ax.axhline(cut, color=MUTED, linestyle="--", linewidth=1.0)
    if names is not None or n <= 60:
        labels = [str(i) for i in range(n)] if names is None else list(names)
        ax.set_xticks(np.arange(n), [labels[i] for i in order], rotation=90 if names is not None or n > 20 else 0)
    else:
        ax.set_xticks([])
    return dress(ax, x="row" if names is None else "", y="height", grid="y")


def _leaf_order(Z: Floats, n: int) -> list[int]:
    """Leaves from left to right, the children of a merge in the order of their numbers."""
    order, stack = [], [2 * n - 2]
    while stack:
        node = stack.pop()
        if node < n:
            order.append(node)
        else:
            stack += [int(Z[node - n, 1]), int(Z[node - n, 0])]
    return order


def _colors(Z: Floats, n: int, cut: float | None, order: list[int]) -> list[str]:
    """A colour for each merge: that of its cluster below the cut, else grey."""
    if cut is None:
        return [INK] * len(Z)
    root: dict[int, int | None] = {}
    for i in range(len(Z) - 1, -1, -1):
        mine = root.get(n + i, n + i if Z[i, 2] <= cut else None)
        for child in (int(Z[i, 0]), int(Z[i, 1])):
            if mine is not None:
                root[child] = mine
        root[n + i] = mine
    # Clusters take their colours from left to right.
    seen = {root.get(leaf): None for leaf in order if root.get(leaf) is not None}
    number = {cluster: j for j, cluster in enumerate(seen)}
    mine = [root[n + i] for i in range(len(Z))]
    return [INK if cluster is None else COLORS[number[cluster] % len(COLORS)] for cluster in mine]
