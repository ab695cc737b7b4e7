"""How much a tree needs each column: four measures that need not agree.

    "samples"   share of the training weight whose path tests j at least once                                   (1)
    "tests"     Σ over nodes testing j of n / N: the mean number of tests of j on the way of a row              (2)
    "depth"     depth of the shallowest node that tests j, the depth of the tree if none does: small is important  (3)
    "impurity"  Σ over nodes testing j of (n/N)·gain, divided by its sum over all columns                       (4)

(4) favours columns of many values, and can order columns the other way round than (1) to (3) do. A weighted sum tests
all columns that it holds; its gain counts for the column under which the node stands. Minimal depth: Ishwaran et al.
(2010), doi:10.1198/jasa.2009.tm08622; (4): Breiman et al. (1984), doi:10.1201/9781315139470.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._typing import Floats
from gnomon.numerics.validation import check_choice
from gnomon.search.tree import Tree

__all__ = ["IMPORTANCES", "Importances", "forest_importance", "tree_importance"]

ImportanceKind: TypeAlias = Literal["samples", "tests", "depth", "impurity"]


class Importances(NamedTuple):
    """The importance of every column in many trees.

    Parameters
    ----------
    mean, std : ndarray of shape (n_features,)
        Over the trees.

    References
    ----------
    Ishwaran, H. et al. (2010). High-dimensional variable selection for survival data. doi:10.1198/jasa.2009.tm08622

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Importances
    >>> mean, std = Importances(np.array([0.75, 0.25]), np.array([0.1, 0.1]))
    >>> int(np.argmax(mean))
    0
    """

    mean: Floats
    std: Floats


def tree_importance(tree: Tree, kind: ImportanceKind = "impurity") -> Floats:
    """The importance of every column of a tree, by (1) to (4).

    Parameters
    ----------
    tree : Tree
    kind : {"samples", "tests", "depth", "impurity"}, default="impurity"

    Returns
    -------
    ndarray of shape (n_features,)

    References
    ----------
    Ishwaran, H. et al. (2010). High-dimensional variable selection for survival data. doi:10.1198/jasa.2009.tm08622

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, code_columns, grow_tree, tree_importance
    >>> X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 0, 0, 1])
    >>> tree = grow_tree(code_columns(X), y, Gini(2))
    >>> tree_importance(tree, "samples"), tree_importance(tree, "depth")
    (array([1. , 0.5]), array([0., 1.]))
    """
    return IMPORTANCES[check_choice("kind", kind, IMPORTANCES)](tree)


def forest_importance(trees: Iterable[Tree], kind: ImportanceKind = "impurity") -> Importances:
    """The means over trees of `tree_importance`, and the standard deviations.

    References
    ----------
    Ishwaran, H. et al. (2010). High-dimensional variable selection for survival data. doi:10.1198/jasa.2009.tm08622

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, code_columns, forest_importance, grow_tree
    >>> X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    >>> trees = [grow_tree(code_columns(X), y, Gini(2)) for y in (np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))]
    >>> forest_importance(trees)
    Importances(mean=array([0.5, 0.5]), std=array([0.5, 0.5]))
    """
    each = np.array([tree_importance(tree, kind) for tree in trees])
    return Importances(np.mean(each, axis=0), np.std(each, axis=0))


def tested_columns(tree: Tree) -> dict[int, list[int]]:
    """For every inner node the columns that it tests."""
    tested = {int(node): [int(tree.feature[node])] for node in np.flatnonzero(~tree.is_leaf)}
    for node in np.flatnonzero(tree.tests.which >= 0):
        kind, cells, _, _ = tree.tests.test(tree.tests.which[node])
        if kind == 2:
            tested[int(node)] = cells[:-1].tolist()
    return tested


def _samples(tree: Tree) -> Floats:
    share = np.zeros(tree.n_features)
    # The first node, in preorder, after whose subtree column j may be tested anew: nodes before it are below a test.
    covered = np.zeros(tree.n_features, dtype=int)
    for node, columns in tested_columns(tree).items():
        for j in columns:
            if node >= covered[j]:
                share[j] += tree.weight[node]
                covered[j] = tree.ends[node]
    return share / _total(tree)


def _tests(tree: Tree) -> Floats:
    total = np.zeros(tree.n_features)
    for node, columns in tested_columns(tree).items():
        total[columns] += tree.weight[node]
    return total / _total(tree)


def _total(tree: Tree) -> float:
    if tree.weight[0] <= 0.0:
        raise ValueError(
            "the tree has seen no rows, so none can be counted; call fill_leaves(X, y), or ask for 'depth'"
        )
    return tree.weight[0]


def _depth(tree: Tree) -> Floats:
    least = np.full(tree.n_features, float(tree.max_depth))
    for node, columns in tested_columns(tree).items():
        least[columns] = np.minimum(least[columns], tree.depth[node])
    return least


def _impurity(tree: Tree) -> Floats:
    _total(tree)
    return tree.compute_feature_importances()


IMPORTANCES = {"samples": _samples, "tests": _tests, "depth": _depth, "impurity": _impurity}
"""From the word to the measure."""
