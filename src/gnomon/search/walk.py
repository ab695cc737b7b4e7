"""The leaves of rows that go down several branches in parts, or follow back-up tests.

    P(row reaches leaf) = Π over nodes of its path of  1 or 0 where the test places the row,
                          n_branch / Σ n_branch where its value is missing                                           (1)

The weights of a row sum to one over the leaves, and its prediction is the sum of their answers with these weights:
Quinlan (1993), C4.5: Programs for Machine Learning, §3.3. With back-up tests (Breiman et al. 1984, §5.3,
doi:10.1201/9781315139470) every row has one leaf of weight one. A tree with neither needs only `leaves_of`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from gnomon._typing import Array, Floats, Integers, Matrix
from gnomon.search._column_tests import COMPARED, ELSEWHERE, NodeTest
from gnomon.search._surrogates import follow_surrogates
from gnomon.search.traverse import as_dense

if TYPE_CHECKING:
    from gnomon.search.tree import Tree

__all__ = ["leaf_weights"]


def leaf_weights(tree: Tree, X: Matrix) -> sparse.csr_array:
    """The matrix of (1), sparse, of shape (n_samples, n_nodes); only the nodes where rows end have entries.

    Parameters
    ----------
    tree : Tree
    X : ndarray or sparse matrix of shape (n_samples, n_features)

    Returns
    -------
    csr_array of shape (n_samples, n_nodes)

    References
    ----------
    Quinlan, J. R. (1993). C4.5: Programs for Machine Learning, §3.3. ISBN 978-1-55860-238-0

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, code_columns, grow_general_tree, leaf_weights
    >>> X, y = np.array([[0.0], [1.0], [1.0], [1.0]]), np.array([0, 1, 1, 1])
    >>> tree = grow_general_tree(code_columns(X), y, Gini(2), missing="fractional")
    >>> leaf_weights(tree, np.array([[np.nan]])).toarray()
    array([[0.  , 0.25, 0.75]])
    """
    X = as_dense(X)
    ended = list(_walk(tree, X))
    rows = np.concatenate([rows for _, rows, _ in ended])
    weights = np.concatenate([w for _, _, w in ended])
    nodes = np.repeat([node for node, _, _ in ended], [len(rows) for _, rows, _ in ended])
    return sparse.csr_array((weights, (rows, nodes)), shape=(X.shape[0], tree.node_count))


def _walk(tree: Tree, X: Array) -> Iterator[tuple[int, Integers, Floats]]:
    """Nodes where rows end, these rows, and their weights there."""
    open_nodes = [(0, np.arange(X.shape[0]), np.ones(X.shape[0]))]
    while open_nodes:
        node, rows, w = open_nodes.pop()
        children = tree.children(node)
        if not children:
            yield node, rows, w
            continue
        branch = _branches(tree, node, X, rows)
        lost = branch == ELSEWHERE
        shares = _shares(tree, node, children)
        if np.any(lost) and shares is None:
            yield node, rows[lost], w[lost]
        for b, child in enumerate(children):
            here = (branch == b) if shares is None else (branch == b) | (lost & (shares[b] > 0.0))
            if np.any(here):
                part = 1.0 if shares is None else np.where(branch[here] == b, 1.0, shares[b])
                open_nodes.append((child, rows[here], w[here] * part))


def _branches(tree: Tree, node: int, X: Array, rows: Integers) -> Integers:
    """The branch of each row; `ELSEWHERE` for rows that the node divides or keeps."""

    def values(j: int) -> Array:
        return X[rows, j]

    branch = node_test(tree, node).branch_of(values)
    if "surrogates" in tree.extra:
        backups = [NodeTest(*test) for test in tree.extra["surrogates"][node]]
        branch = follow_surrogates(backups, branch, values)
    return branch if "fractional" in tree.extra else np.where(branch == ELSEWHERE, tree.missing[node], branch)


def _shares(tree: Tree, node: int, children: list[int]) -> Floats | None:
    """By how much of their weight rows that the test cannot place go down each branch; None: they do not."""
    if "fractional" not in tree.extra:
        return None
    mass = tree.weight[children]
    return mass / np.sum(mass)


def node_test(tree: Tree, node: int) -> NodeTest:
    """The test of a node."""
    k = tree.tests.which[node]
    feature, threshold = int(tree.feature[node]), float(tree.threshold[node])
    return NodeTest(feature, threshold, COMPARED) if k < 0 else NodeTest(feature, threshold, *tree.tests.test(k))
