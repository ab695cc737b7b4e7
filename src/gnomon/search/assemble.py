"""A tree from its tests, nested as they are asked.

    fork = (test, the forks or leaves of its branches)    →    nodes in preorder, answers estimated from rows       (1)

What a search that does not grow from the root down finds (one rule, a tree that is proved best) becomes a `Tree`
here. Preorder: Knuth, The Art of Computer Programming 1, §2.3.1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._typing import Array, ArrayLike, Matrix
from gnomon.search._criterion import Criterion
from gnomon.search.refit import refit_nodes
from gnomon.search.tree import LEAF, NODE, Entries, Tests, Tree
from gnomon.search.units import units_of

__all__ = ["Fork", "assemble_tree"]


class Fork(NamedTuple):
    """A test of one column and what stands below it.

    Parameters
    ----------
    feature : int
    threshold : float
        The largest value that goes to the first branch; NaN for a table.
    missing : int
        The branch of missing values; −1: they stop here.
    branches : tuple
        A fork, or None for a leaf.
    table : tuple of two sequences, optional
        Codes of categories (ascending) and the branch of each.

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> from gnomon.search.assemble import Fork
    >>> Fork(0, 2.5, 1, (None, None)).threshold
    2.5
    """

    feature: int
    threshold: float
    missing: int
    branches: tuple[Fork | None, ...]
    table: tuple[Entries, Entries] | None = None


def assemble_tree(
    root: Fork | None, X: Matrix, y: Array, criterion: Criterion, *, sample_weight: ArrayLike | None = None
) -> Tree:
    """The tree of a fork, or of None for a single leaf, by (1).

    Parameters
    ----------
    root : Fork or None
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        As `Tree.apply` takes it.
    y : ndarray
        As `grow_tree` takes it.
    criterion : Criterion
        Estimates the answers; a node without rows answers as all rows do.
    sample_weight : ndarray of shape (n_samples,), optional

    Returns
    -------
    Tree

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini
    >>> from gnomon.search.assemble import Fork, assemble_tree
    >>> x, y = np.array([[1.0], [2.0], [3.0]]), np.array([0, 1, 0])
    >>> tree = assemble_tree(Fork(0, 1.5, 0, (None, None)), x, y, Gini(2))
    >>> tree.n_rows, tree.answers[2]
    (array([3, 1, 2]), array([0.5, 0.5]))
    """
    listed: list[tuple[Fork | None, int]] = []
    _list(root, listed)
    n = len(listed)
    nodes = np.empty(n, dtype=NODE)
    nodes["feature"] = [LEAF if fork is None else fork.feature for fork, _ in listed]
    nodes["threshold"] = [LEAF if fork is None else fork.threshold for fork, _ in listed]
    ends = np.array([end for _, end in listed], dtype=np.int32)
    nodes["right"] = [-1 if fork is None else ends[node + 1] for node, (fork, _) in enumerate(listed)]
    by_table = np.array([fork is not None and fork.table is not None for fork, _ in listed])
    tables = [fork.table for fork, _ in listed if fork is not None and fork.table is not None]
    packed = [(0, cells, branches, np.zeros(len(cells))) for cells, branches in tables]
    w = np.ones(X.shape[0]) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    units = units_of(criterion, y, w)
    y, w = units.targets(y), units.weights(w)
    whole = criterion.groups(y, w, np.zeros(X.shape[0], dtype=np.int64), 1)
    tree = Tree(
        nodes=nodes, answers=np.repeat(whole.answers, n, axis=0), impurity=np.zeros(n), weight=np.zeros(n),
        n_rows=np.zeros(n, dtype=np.int64), ends=ends, n_features=X.shape[1],
        missing=np.array([0 if fork is None else fork.missing for fork, _ in listed], dtype=np.int16),
        tests=Tests.of(np.where(by_table, np.cumsum(by_table) - 1, -1), packed),
    )  # fmt: skip
    return units.restored(refit_nodes(tree, X, y, criterion, sample_weight=w))


def _list(fork: Fork | None, listed: list[tuple[Fork | None, int]]) -> None:
    """Append (fork, end of its subtree) for every node, in preorder."""
    node = len(listed)
    listed.append((fork, 0))
    for branch in () if fork is None else fork.branches:
        _list(branch, listed)
    listed[node] = (fork, len(listed))
