"""A tree for rows as they are, from one that was grown of rows whose gaps were filled.

    missing branch of a node testing x_j  =  branch of the value that fills column j                                (1)

Rules, text and SQL then say about missing cells what filling them in front of the tree does. Little & Rubin (2019),
Statistical Analysis with Missing Data, §4.2, doi:10.1002/9781119482260.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from gnomon._typing import Floats
from gnomon.search._column_tests import ELSEWHERE, OBLIQUE, TABLE, THREE_WAYS, NodeTest
from gnomon.search.tree import PackedTest, Tests, Tree
from gnomon.search.walk import node_test

__all__ = ["filled_tests"]


def filled_tests(tree: Tree, fill: Floats, sizes: Sequence[int]) -> Tree | None:
    """The tree that sends missing cells where `fill` goes, by (1); None if there is none.

    There is none if a weighted sum is tested, of which some terms may be missing, or if a value that is known but was
    not met at a node stays there, since a missing one does not.

    Parameters
    ----------
    tree : Tree
    fill : ndarray of shape (n_features,)
        NaN for a column that has none, and is not tested.
    sizes : sequence of int
        How many categories each column has; 0 for numbers.

    Returns
    -------
    Tree or None

    References
    ----------
    Little, R. J. A. & Rubin, D. B. (2019). Statistical Analysis with Missing Data, §4.2. doi:10.1002/9781119482260

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, code_columns, grow_tree
    >>> from gnomon.search.filled_gaps import filled_tests
    >>> tree = grow_tree(code_columns(np.array([[1.0], [2.0], [2.0]])), np.array([0, 1, 1]), Gini(2))
    >>> filled_tests(tree, np.array([1.2]), [0]).predict(np.array([[np.nan]]))
    array([[1., 0.]])
    """
    tests: list[PackedTest] = [tree.tests.test(k) for k in range(len(tree.tests.kinds))]
    missing = tree.missing.copy()
    for node in np.flatnonzero(~tree.is_leaf):
        test = node_test(tree, int(node))
        branch = int(test.branch_of(lambda j: fill[[j]])[0])
        if test.kind == OBLIQUE:
            return None
        if branch == ELSEWHERE:
            continue
        closed = CLOSED.get(test.kind, _as_it_is)(test, int(missing[node]), sizes[test.feature])
        if np.any(np.asarray(closed.branches) == ELSEWHERE):
            return None
        if tree.tests.which[node] >= 0:
            tests[tree.tests.which[node]] = closed.kind, closed.cells, closed.branches, closed.coefs
        missing[node] = branch
    return replace(tree, missing=missing, tests=Tests.of(tree.tests.which, tests))


def _as_it_is(test: NodeTest, missing: int, size: int) -> NodeTest:
    return test


def _all_ways(test: NodeTest, missing: int, size: int) -> NodeTest:
    """What no row took goes where missing values went."""
    branches = np.asarray(test.branches)
    return test._replace(branches=np.where(branches == ELSEWHERE, missing, branches))


def _whole_table(test: NodeTest, missing: int, size: int) -> NodeTest:
    """Likewise for the categories that the table does not list."""
    goes = np.full(max(size, int(np.max(test.cells, initial=-1)) + 1), missing)
    goes[test.cells] = test.branches
    return test._replace(cells=np.arange(len(goes)), branches=goes, coefs=np.zeros(len(goes)))


CLOSED: dict[int, Callable[[NodeTest, int, int], NodeTest]] = {TABLE: _whole_table, THREE_WAYS: _all_ways}
