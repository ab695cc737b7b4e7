"""Reduced-error pruning: a subtree stays if it is better on rows that did not grow it.

    from the leaves up:  cut t  if  e(t) ≤ Σ_children e(pruned child),   e = loss of held-out rows            (1)

Errors are counted for classes, squared differences added for numbers; at equality the smaller tree stays. Of all
subtrees the result has the least loss on the held-out rows, and of these it is the smallest. Quinlan (1987),
Simplifying decision trees, doi:10.1016/S0020-7373(87)80053-6.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from gnomon._jit import choose, compiled, jit, noun
from gnomon._typing import ArrayLike, Matrix, Numbers
from gnomon.losses import SquaredLoss
from gnomon.numerics.scale import PowerOfTwo
from gnomon.numerics.validation import check_choice
from gnomon.search.cut import cut_at, least_cuts
from gnomon.search.place import place_rows
from gnomon.search.tree import Tree
from gnomon.search.units import safe_unit

__all__ = ["prune_reduced_error"]


@noun
class _Unequal:
    """One for a wrong class."""

    def value(self, y: Numbers, z: Numbers) -> Numbers:
        return choose(y != z, 1.0, 0.0)


HeldOutLoss: TypeAlias = Literal["misclassification", "squared_error"]

LOSSES = {"misclassification": _Unequal(), "squared_error": SquaredLoss()}


def prune_reduced_error(
    tree: Tree,
    X: Matrix,
    y: ArrayLike,
    *,
    loss: HeldOutLoss = "misclassification",
    sample_weight: ArrayLike | None = None,
) -> Tree:
    """Cut every subtree that does not lower the loss of the rows X, y.

    Parameters
    ----------
    tree : Tree
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        Rows that did not grow the tree, as `Tree.apply` takes them.
    y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Indices of classes, or numbers.
    loss : {"misclassification", "squared_error"}, default="misclassification"
        What (1) adds up over rows; outputs are averaged.
    sample_weight : ndarray of shape (n_samples,), optional

    Returns
    -------
    Tree

    References
    ----------
    Quinlan, J. R. (1987). Simplifying decision trees. doi:10.1016/S0020-7373(87)80053-6

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, code_columns, grow_tree, prune_reduced_error
    >>> x, y = np.arange(1.0, 9.0)[:, None], np.array([0, 0, 0, 1, 0, 1, 1, 1])
    >>> tree = grow_tree(code_columns(x), y, Gini(2))
    >>> prune_reduced_error(tree, np.array([[2.0], [4.6], [8.0]]), np.array([0, 1, 1])).threshold.tolist()
    [3.5, -2.0, -2.0]
    """
    formula = LOSSES[check_choice("loss", loss, LOSSES)]
    answers = np.argmax(tree.answers, axis=1)[:, None] if loss == "misclassification" else tree.answers
    targets = np.ascontiguousarray(np.atleast_2d(np.asarray(y, dtype=float).T).T)
    unit = PowerOfTwo() if loss == "misclassification" else safe_unit(targets)
    answers, targets = (np.ascontiguousarray(unit.inward(part.astype(float))) for part in (answers, targets))
    passing, stopping = np.zeros(tree.node_count), np.zeros(tree.node_count)
    w = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
    ends = place_rows(tree, X, None if w is None else safe_unit(w).inward(w))
    _held_out(compiled(formula), targets, *ends, answers, tree.parent, passing, stopping)
    return cut_at(tree, least_cuts(tree, passing, stopping))


@jit
def _held_out(loss, y, rows, at, w, answers, parent, passing, stopping):
    """The loss of each node over the rows that pass it, and over those that stop there."""
    q = y.shape[1]
    for i in range(len(w)):
        node = at[i]
        while node >= 0:
            total = 0.0
            for o in range(q):
                total += loss.value(y[rows[i], o], answers[node, o])
            passing[node] += w[i] * total / q
            if node == at[i]:
                stopping[node] += w[i] * total / q
            node = parent[node]
