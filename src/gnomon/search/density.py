"""Density trees: cells that hold many rows in a small volume.

    f(x) = Σ_l (n_l / N) / V_l · 1[x in cell l]                                                                     (1)
    maximise over columns and cuts    n_L² / V_L + n_R² / V_R                                                      (2)

(2) minimises −Σ (n_l/N)² / V_l, the part of the integrated squared error that depends on the cells: Ram & Gray (2011),
Density estimation trees, doi:10.1145/2020408.2020507. In a node it is f²/φ + (1 − f)²/(1 − φ), with f the share of its
rows and φ the share of its volume that are left. Cells end at a box; a row outside has density zero. Volumes are kept
as logarithms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats
from gnomon.numerics.validation import check_choice
from gnomon.search._grow import CutSearch, grow, leaf_limit
from gnomon.search._read_off import in_preorder
from gnomon.search._work import DEEPEST, make_nodes
from gnomon.search.tree import LEAF, Tests, Tree

__all__ = ["Cells", "density_cells", "grow_density_tree", "measure_density"]

LARGEST_LOG = 690.0
"""Logarithms are clipped to ± this, so that their exponentials are finite."""


class Cells(NamedTuple):
    """The cells of the nodes of a tree.

    Parameters
    ----------
    low, high : ndarray of shape (n_nodes, n_features)
        Corners; a row is in a cell if low < x ≤ high, on the lowest face of the box also if x = low.

    References
    ----------
    Ram, P. & Gray, A. G. (2011). Density estimation trees. doi:10.1145/2020408.2020507

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Cells
    >>> Cells(np.zeros((1, 2)), np.full((1, 2), 3.0)).log_volume()
    array([2.19722458])
    """

    low: Floats
    high: Floats

    def log_volume(self) -> Floats:
        """Logarithms of the volumes; −∞ of a cell without any."""
        with np.errstate(divide="ignore"):
            return np.sum(np.log(np.maximum(self.high - self.low, 0.0)), axis=1)


def density_cells(tree: Tree, low: ArrayLike, high: ArrayLike) -> Cells:
    """The cells of all nodes of a tree of tests x_j ≤ t, within the box from `low` to `high`.

    Parameters
    ----------
    tree : Tree
    low, high : ndarray of shape (n_features,)

    Returns
    -------
    Cells

    References
    ----------
    Ram, P. & Gray, A. G. (2011). Density estimation trees. doi:10.1145/2020408.2020507

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import density_cells, grow_density_tree
    >>> x = np.array([[0.1], [0.2], [0.3], [0.9]])
    >>> tree = grow_density_tree(x, np.zeros(1), np.ones(1), max_leaf_nodes=2)
    >>> density_cells(tree, np.zeros(1), np.ones(1)).high[:, 0]
    array([1.  , 0.25, 1.  ])
    """
    if np.any(tree.tests.which >= 0):
        raise ValueError(
            "the tree has tests other than x ≤ t, whose parts are no cells with a volume; grow it of numbers"
        )
    cells = Cells(
        np.tile(np.asarray(low, float), (tree.node_count, 1)), np.tile(np.asarray(high, float), (tree.node_count, 1))
    )
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        if len(tree.children(node)) != 2:
            raise ValueError(
                f"node {node} of the tree has {len(tree.children(node))} branches, one of them for missing values, "
                "which is no cell with a volume; grow the tree of rows without gaps"
            )
        left, right = tree.children(node)
        j, t = tree.feature[node], tree.threshold[node]
        for child in (left, right):
            cells.low[child], cells.high[child] = cells.low[node], cells.high[node]
        cells.high[left, j] = np.clip(t, cells.low[node, j], cells.high[node, j])
        cells.low[right, j] = cells.high[left, j]
    return cells


def measure_density(
    tree: Tree, X: Floats, low: ArrayLike, high: ArrayLike, *, sample_weight: Floats | None = None
) -> Tree:
    """The tree whose nodes answer with the logarithm of (1), from the rows of X.

    Its impurities are −(n/N)/V with the volume of the box as unit, so that Σ (n/N) H over leaves is what (2) lowers and
    what cost-complexity pruning weighs against the number of leaves.

    Parameters
    ----------
    tree : Tree
        Of tests x_j ≤ t.
    X : ndarray of shape (n_samples, n_features)
        Within the box.
    low, high : ndarray of shape (n_features,)
    sample_weight : ndarray of shape (n_samples,), optional

    Returns
    -------
    Tree

    References
    ----------
    Ram, P. & Gray, A. G. (2011). Density estimation trees. doi:10.1145/2020408.2020507

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import grow_density_tree
    >>> x = np.array([[0.1], [0.2], [0.3], [0.9]])
    >>> tree = grow_density_tree(x, np.zeros(1), np.ones(1), max_leaf_nodes=2)
    >>> np.exp(tree.answers[tree.is_leaf, 0])  # half of the rows in a quarter of the box
    array([2.        , 0.66666667])
    """
    w = np.ones(len(X)) if sample_weight is None else sample_weight
    leaf = tree.apply(X)
    mass: Array = np.bincount(leaf, weights=w, minlength=tree.node_count)
    count = np.bincount(leaf[w > 0.0], minlength=tree.node_count)
    for node in range(tree.node_count - 1, 0, -1):
        mass[tree.parent[node]] += mass[node]
        count[tree.parent[node]] += count[node]
    log_volume = density_cells(tree, low, high).log_volume()
    flat = np.flatnonzero((mass > 0.0) & np.isneginf(log_volume))
    if len(flat):
        raise ValueError(
            f"leaf {flat[-1]} of the tree holds rows on a side of the box and has no volume, so that its density would "
            "be infinite; give a wider box"
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        answers = np.where(mass > 0.0, np.log(mass / mass[0]) - log_volume, -np.inf)
    return Tree(
        nodes=tree.nodes,
        answers=answers[:, None],
        impurity=-np.exp(np.minimum(answers + log_volume[0], LARGEST_LOG)),
        weight=mass,
        n_rows=count,
        missing=tree.missing,
        ends=tree.ends,
        n_features=tree.n_features,
        tests=tree.tests,
    )


def grow_density_tree(
    X: Floats,
    low: ArrayLike,
    high: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    splitter: CutSearch = "best",
    max_depth: int | None = None,
    min_weight_leaf: float = 1.0,
    max_leaf_nodes: int | None = None,
    seed: int = 0,
) -> Tree:
    """Grow a tree whose leaves answer with log densities.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Rows without gaps, within the box.
    low, high : ndarray of shape (n_features,)
        The box.
    sample_weight : ndarray of shape (n_samples,), optional
    splitter : {"best", "random"}, default="best"
        The cut that maximises (2), or a column and a cut between its extremes drawn uniformly.
    max_depth : int, optional
    min_weight_leaf : float, default=1.0
        Least weight of the rows of a leaf.
    max_leaf_nodes : int, optional
        With it the node with the largest gain is divided first.
    seed : int, default=0

    Returns
    -------
    Tree

    References
    ----------
    Ram, P. & Gray, A. G. (2011). Density estimation trees. doi:10.1145/2020408.2020507

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import grow_density_tree
    >>> x = np.array([[0.1], [0.2], [0.3], [0.9]])
    >>> grow_density_tree(x, np.zeros(1), np.ones(1), max_leaf_nodes=2).threshold[0].round(6)
    np.float64(0.25)
    """
    propose = PROPOSALS[check_choice("splitter", splitter, PROPOSALS)]
    w = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    kept = np.flatnonzero(w)
    depth = DEEPEST if max_depth is None else max_depth
    corners = np.array(low, dtype=float), np.array(high, dtype=float)
    chosen = _DensitySplitter(X[kept], w[kept], *corners, propose, depth, min_weight_leaf, np.random.default_rng(seed))
    nodes = make_nodes(2 * len(kept) + 1, len(kept))
    made = grow(chosen, nodes, leaf_limit(max_leaf_nodes))
    found = in_preorder(nodes[:made])
    empty = np.zeros(made)
    tree = Tree(
        nodes=found.records,
        answers=empty[:, None],
        impurity=empty,
        weight=empty,
        n_rows=np.zeros(made, dtype=np.int64),
        missing=found.missing,
        ends=found.ends,
        n_features=X.shape[1],
        tests=Tests.none(made),
    )
    return measure_density(tree, X, low, high, sample_weight=w)


class _DensitySplitter:
    """Keeps the rows and the cell of every open node; `propose` finds a cut."""

    def __init__(self, X, w, low, high, propose, max_depth, min_mass, rng):
        self.X, self.w, self.propose, self.max_depth, self.min_mass, self.rng = X, w, propose, max_depth, min_mass, rng
        self.held, self.total, self.sides = {0: (np.arange(len(X)), low, high)}, np.sum(w), high - low

    def examine(self, nodes, first, made):
        """Find the cut of each new node."""
        for node in range(first, made):
            rows, low, high = self.held[node]
            nodes.gain[node], nodes.feature[node] = -1.0, LEAF
            mass = np.sum(self.w[rows])
            if nodes.depth[node] >= self.max_depth or mass < 2.0 * self.min_mass:
                continue
            j, t, score = self.propose(self.X[rows], self.w[rows], low, high, self.min_mass, self.rng)
            if j < 0:
                continue
            # Shares of all rows and of the box: gains are compared, and have no unit.
            with np.errstate(divide="ignore"):
                share = 2.0 * np.log(mass / self.total) - np.sum(np.log((high - low) / self.sides))
                log_gain = share + np.log(max(score - 1.0, 0.0))
            nodes.gain[node] = np.exp(np.clip(log_gain, -LARGEST_LOG, LARGEST_LOG))
            nodes.feature[node], nodes.threshold[node], nodes.missing[node] = j, t, 0

    def divide(self, nodes, node, made):
        """Make the children of a node."""
        rows, low, high = self.held.pop(node)
        j, t = nodes.feature[node], nodes.threshold[node]
        left = self.X[rows, j] <= t
        nodes.first[node] = made
        for child, here, side, end in ((made, left, high, t), (made + 1, ~left, low, t)):
            corner = side.copy()
            corner[j] = end
            self.held[child] = (rows[here], low, corner) if child == made else (rows[here], corner, high)
            nodes.depth[child], nodes.first[child] = nodes.depth[node] + 1, 0
        return 2


def _score(f, phi):
    return f * f / phi + (1.0 - f) * (1.0 - f) / (1.0 - phi)


def _best(X, w, low, high, min_mass, rng):
    """(column, threshold, score) of the best cut by (2); column −1 if there is none."""
    order = np.argsort(X, axis=0, kind="stable")
    ordered = np.take_along_axis(X, order, axis=0)
    left = np.cumsum(w[order], axis=0)[:-1]
    total = np.sum(w)
    cuts = 0.5 * ordered[:-1] + 0.5 * ordered[1:]
    phi = (cuts - low) / (high - low)
    allowed = (ordered[:-1] < ordered[1:]) & (cuts < ordered[1:]) & (phi > 0.0) & (phi < 1.0)
    allowed &= (left >= min_mass) & (total - left >= min_mass)
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = np.where(allowed, _score(left / total, phi), -np.inf)
    # Of equal scores the lowest column wins, then the lowest cut.
    most = np.max(scores, initial=-np.inf)
    if most == -np.inf:
        return -1, 0.0, 0.0
    j, i = np.argwhere(most * (1.0 - 1e-12) <= scores.T)[0]
    return int(j), float(cuts[i, j]), float(scores[i, j])


def _drawn(X, w, low, high, min_mass, rng):
    """The same of a cut drawn between the extremes of a column drawn; the next column where it leaves too few rows."""
    total = np.sum(w)
    for j in rng.permutation(X.shape[1]):
        least, most = np.min(X[:, j]), np.max(X[:, j])
        t = least + rng.uniform() * (most - least)
        phi = (t - low[j]) / (high[j] - low[j])
        left = np.sum(w[X[:, j] <= t])
        if least <= t < most and 0.0 < phi < 1.0 and min(left, total - left) >= min_mass:
            return int(j), float(t), float(_score(left / total, phi))
    return -1, 0.0, 0.0


PROPOSALS = {"best": _best, "random": _drawn}
"""How a cut is found."""
