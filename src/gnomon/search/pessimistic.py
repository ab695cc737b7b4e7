"""Pessimistic pruning: half an error is added for every leaf.

    leaf E(t) + ½,    subtree s = Σ_leaves (E + ½),    cut t  if  E(t) + ½ ≤ s + √(s (N − s) / N)             (1)

E are the errors of the rows that grew the tree. From the root down each subtree is judged once, as it was grown, and
what is below a cut is not looked at. Quinlan (1987), Simplifying decision trees, doi:10.1016/S0020-7373(87)80053-6.
"""

from __future__ import annotations

import numpy as np

from gnomon.search._cuts import TIE
from gnomon.search.cut import add_up, cut_at
from gnomon.search.tree import Tree

__all__ = ["prune_pessimistic"]


def prune_pessimistic(tree: Tree) -> Tree:
    """Cut a classification tree by (1).

    Parameters
    ----------
    tree : Tree
        Its answers are class frequencies.

    Returns
    -------
    Tree

    References
    ----------
    Quinlan, J. R. (1987). Simplifying decision trees. doi:10.1016/S0020-7373(87)80053-6

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, code_columns, grow_tree, prune_pessimistic
    >>> x, y = np.arange(1.0, 9.0)[:, None], np.array([0, 0, 0, 1, 0, 1, 1, 1])
    >>> prune_pessimistic(grow_tree(code_columns(x), y, Gini(2))).threshold.tolist()
    [3.5, -2.0, -2.0]
    """
    errors = tree.weight * (1.0 - np.max(tree.answers, axis=1)) + 0.5
    s = add_up(np.where(tree.is_leaf, errors, 0.0), tree.parent)
    spread = np.sqrt(s * np.maximum(tree.weight - s, 0.0) / np.maximum(tree.weight, 1e-300))
    return cut_at(tree, errors <= (s + spread) * (1.0 + TIE))
