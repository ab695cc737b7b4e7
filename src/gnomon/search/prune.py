"""Cost-complexity pruning: the weakest links of a tree.

    R_α(T) = R(T) + α·#leaves(T),    R(T) = Σ_leaves R(t),    R(t) = (n_t / N) · loss(t)                      (1)
    g(t) = (R(t) − R(T_t)) / (#leaves(T_t) − 1)                                                               (2)

T_t is the subtree below t. As α rises, the smallest tree that minimises (1) changes where α reaches the least g(t): all
such t become leaves together, the g above them rise, and so on down to the root. The trees are nested. Breiman et al.
(1984), §3.3, doi:10.1201/9781315139470. A heap holds the g; since they only rise, one that is out of date is noticed
when it comes up, which leaves O(n log n) besides the walks from the cuts to the root.
"""

from __future__ import annotations

import heapq
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._jit import jit
from gnomon._typing import Floats, Integers
from gnomon.numerics.validation import check_choice, check_interval
from gnomon.search._cuts import TIE
from gnomon.search.cut import add_up, cut_at
from gnomon.search.tree import Tree

__all__ = ["PruningPath", "node_losses", "prune_tree", "pruning_path"]

NodeLoss: TypeAlias = Literal["impurity", "misclassification"]


class PruningPath(NamedTuple):
    """The trees that minimise R_α, from the largest to the root alone.

    Parameters
    ----------
    alphas : ndarray of shape (n_trees,)
        Rising from 0; tree k is the smallest minimiser of R_α for alphas[k] ≤ α < alphas[k + 1].
    losses : ndarray of shape (n_trees,)
        R of each tree.
    leaves : ndarray of int of shape (n_trees,)
        Its number of leaves.
    links : ndarray of shape (n_nodes,)
        The α from which each node is a leaf; ∞ if it is one already, or goes with a node above it.

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees, §3.3.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, code_columns, grow_tree, pruning_path
    >>> x, y = np.arange(1.0, 9.0)[:, None], np.array([0, 0, 0, 1, 0, 1, 1, 1])
    >>> pruning_path(grow_tree(code_columns(x), y, Gini(2))).leaves
    array([4, 2, 1])
    """

    alphas: Floats
    losses: Floats
    leaves: Integers
    links: Floats


def pruning_path(tree: Tree, *, loss: NodeLoss = "impurity") -> PruningPath:
    """All smallest minimisers of R_α.

    Parameters
    ----------
    tree : Tree
    loss : {"impurity", "misclassification"}, default="impurity"
        The impurity of the nodes, or 1 − max p of the class frequencies that they answer.

    Returns
    -------
    PruningPath

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees, §3.3.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, code_columns, grow_tree, pruning_path
    >>> x, y = np.arange(1.0, 9.0)[:, None], np.array([0, 0, 0, 1, 0, 1, 1, 1])
    >>> path = pruning_path(grow_tree(code_columns(x), y, Gini(2)))
    >>> path.alphas.round(6), path.losses.round(6)
    (array([0. , 0.1, 0.3]), array([0. , 0.2, 0.5]))
    """
    cost, links = node_losses(tree, loss), np.full(tree.node_count, np.inf)
    below = add_up(np.where(tree.is_leaf, cost, 0.0), tree.parent)
    leaves = add_up(tree.is_leaf.astype(np.int64), tree.parent)
    alphas, losses, leaves = _weakest_links(cost, below, leaves, tree.ends, tree.parent, links)
    return PruningPath(np.array(alphas), np.array(losses), np.array(leaves), links)


def prune_tree(tree: Tree, alpha: float, *, loss: NodeLoss = "impurity") -> Tree:
    """The smallest subtree that minimises R_α: links with g ≤ α are cut.

    Parameters
    ----------
    tree : Tree
    alpha : float
        The price α ≥ 0 of a leaf; ∞ leaves the root alone. With 0 only splits that lower R nowhere below them go.
    loss : {"impurity", "misclassification"}, default="impurity"

    Returns
    -------
    Tree

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees, §3.3.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, code_columns, grow_tree, prune_tree
    >>> x, y = np.arange(1.0, 9.0)[:, None], np.array([0, 0, 0, 1, 0, 1, 1, 1])
    >>> tree = grow_tree(code_columns(x), y, Gini(2))
    >>> [prune_tree(tree, alpha).n_leaves for alpha in (0.05, 0.1, 0.3)]
    [4, 2, 1]
    """
    alpha = check_interval("alpha", alpha, 0.0)
    links = pruning_path(tree, loss=loss).links
    # An α of the path, found again with other rounding, must cut the same links.
    return cut_at(tree, links <= alpha * (1.0 + TIE))


def node_losses(tree: Tree, loss: NodeLoss = "impurity") -> Floats:
    """R(t) of every node as if it were a leaf, as in (1).

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees, §3.1.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, code_columns, grow_tree
    >>> from gnomon.search.prune import node_losses
    >>> x, y = np.arange(1.0, 9.0)[:, None], np.array([0, 0, 0, 1, 0, 1, 1, 1])
    >>> node_losses(grow_tree(code_columns(x), y, Gini(2)), "misclassification").round(6)
    array([0.5  , 0.   , 0.125, 0.125, 0.   , 0.   , 0.   ])
    """
    check_choice("loss", loss, ("impurity", "misclassification"))
    each = tree.impurity if loss == "impurity" else 1.0 - np.max(tree.answers, axis=1)
    return tree.weight / tree.weight[0] * each


@jit
def _weakest_links(cost, below, leaves, ends, parent, links):
    """`below` is R(T_t) of every subtree, `leaves` its leaves; both are brought up to date with every cut."""
    heap = [(_g(cost, below, leaves, t), t) for t in range(len(cost)) if ends[t] > t + 1]
    heapq.heapify(heap)
    alpha = 0.0
    alphas, losses, sizes = [], [], []
    gone = np.zeros(len(cost), dtype=np.bool_)
    while len(heap) > 0:
        g, t = heapq.heappop(heap)
        if gone[t]:
            continue
        now = _g(cost, below, leaves, t)
        if now > g:
            heapq.heappush(heap, (now, t))
            continue
        # Links that differ by no more than rounding are cut together.
        if cost[t] - below[t] > alpha * (leaves[t] - 1) + TIE * abs(cost[t]):
            alphas.append(alpha)
            losses.append(below[0])
            sizes.append(leaves[0])
            alpha = g
        links[t] = alpha
        _cut(t, cost, below, leaves, parent)
        for s in range(t + 1, ends[t]):
            gone[s] = True
    alphas.append(alpha)
    losses.append(below[0])
    sizes.append(leaves[0])
    return alphas, losses, sizes


@jit
def _g(cost, below, leaves, t):
    return max(0.0, cost[t] - below[t]) / max(1, leaves[t] - 1)


@jit
def _cut(t, cost, below, leaves, parent):
    """Make t a leaf in the sums of all nodes above it."""
    rise, fewer = cost[t] - below[t], leaves[t] - 1
    below[t], leaves[t] = cost[t], 1
    s = parent[t]
    while s >= 0:
        below[s] += rise
        leaves[s] -= fewer
        s = parent[s]
