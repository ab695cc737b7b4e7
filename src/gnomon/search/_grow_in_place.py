"""Exact trees of a large table of numbers, which is read in place, without a coded copy.

    nodes of many rows:  cuts found in intervals of the columns of X (`_intervals`), one node after the other
    subtrees of few:     coded exactly and grown by `grow_tree`, many at a time, and put in place of their roots     (1)

The tree is that of `grow_tree` on `code_columns(X)`, but for the rounding of sums, without a code for each cell: beside
X there are the numbers of rows, and for each thread what a few thousand rows take, or the cells of one column where the
bounds of its intervals tell nothing. Alsabti, Ranka & Singh (1998), CLOUDS: a decision tree
classifier for large datasets, KDD-98; subtrees in memory: Gehrke, Ramakrishnan & Ganti (2000), RainForest,
doi:10.1023/A:1009839829793.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gnomon._jit import compiled, jit_no_alloc
from gnomon._typing import Array, ArrayLike, Floats, Integers
from gnomon.numerics.parallel import team
from gnomon.search._criterion import SumCriterion
from gnomon.search._grow import UNLIMITED, Grower, capacity_for, deepest, grow, rows_of
from gnomon.search._growers import require_traits
from gnomon.search._intervals import (
    INTERVALS,
    ROWS_IN_CACHE,
    best_collected_cut,
    bound_intervals,
    collect,
    divide_rows,
    tally_intervals,
)
from gnomon.search._nodes import Limits, assess_node, make_children, record_split
from gnomon.search._read_off import read_nodes
from gnomon.search._work import make_nodes
from gnomon.search.columns import rank_columns
from gnomon.search.tree import FIELDS, Tests, Tree
from gnomon.search.units import in_safe_units

__all__ = ["SMALL_SUBTREE", "grow_in_place"]

SMALL_SUBTREE = 2048
"""Most rows of a subtree that is coded."""

RANGE_SAMPLE = 255
"""Rows from which the range of a column is estimated that intervals divide."""

WIDE_RANGE = 4.0
"""Outlying values are left out of the range of a column if it is more than so many times that of the middle 96 %."""


@in_safe_units
def grow_in_place(
    X: Floats,
    y: Array,
    criterion: SumCriterion,
    *,
    sample_weight: ArrayLike | None = None,
    max_depth: int | None = None,
    min_samples_split: int = 2,
    min_samples_leaf: int = 1,
    min_weight_leaf: float = 0.0,
    min_impurity: float = 0.0,
    min_gain: float = 0.0,
    n_jobs: int | None = None,
) -> Tree:
    """Grow the tree of binary cuts (1).

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Numbers, NaN where missing, in single or double precision and any order.
    y, criterion, sample_weight
        As in `grow_tree`; the criterion must have a `monotone_worth`, on which bounds of intervals rest.
    max_depth, min_samples_split, min_samples_leaf, min_weight_leaf, min_impurity, min_gain
        As in `grow_tree`.
    n_jobs : int, optional
        Threads that share the columns of large nodes and take one small subtree each; the tree does not depend on it.

    Returns
    -------
    Tree

    References
    ----------
    Alsabti, K., Ranka, S. & Singh, V. (1998). CLOUDS: a decision tree classifier for large datasets. KDD-98.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, grow_in_place
    >>> x = np.linspace(0.0, 1.0, 5001)[:, None]
    >>> grow_in_place(x, (x[:, 0] > 0.3).astype(int), Gini(2)).threshold[0].round(6)
    np.float64(0.3001)
    """
    require_traits("grow_in_place", criterion)
    w = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    y = y.astype(np.int32, copy=False) if criterion.classes else y
    limits = {
        "min_samples_split": min_samples_split, "min_samples_leaf": min_samples_leaf,
        "min_weight_leaf": min_weight_leaf, "min_impurity": min_impurity, "min_gain": min_gain,
    }  # fmt: skip
    with team(n_jobs) as run:
        top = _IntervalSplitter(X, y, criterion, w, rows_of(w), max_depth, limits, run)
        made = grow(top, top.nodes, UNLIMITED)
        tree, order = read_nodes(top.nodes[:made].view(np.ndarray), top.sums[:made], criterion, X.shape[1])
        opened = top.nodes.view(np.ndarray)[order]

        def below(k: int) -> Tree:
            node = opened[k]
            rows, depth = top.rows[node["start"] : node["stop"]], int(node["depth"])
            left = None if max_depth is None else max_depth - depth
            return _subtree(X[rows], y[rows], criterion, w[rows], left, limits)

        small = np.flatnonzero((tree.n_rows <= SMALL_SUBTREE) & tree.is_leaf & (tree.impurity > 0.0)).tolist()
        return _graft(tree, dict(zip(small, run(below, small), strict=True)))


def _subtree(X, y, criterion, w, max_depth, limits):
    """The exact tree of few rows."""
    columns = rank_columns(X)
    grower = Grower(columns, y, criterion, w, most_rows=len(X), max_depth=max_depth, unrolled=True, **limits)
    return grower.grow(np.arange(len(X), dtype=np.int32), 0)[0]


class _IntervalSplitter:
    """Splits nodes of many rows by the best cut of any column; nodes of few rows stay as they are."""

    def __init__(self, X, y, criterion, w, rows, max_depth, limits, run):
        n, p = X.shape
        width, used = criterion.size + 1, criterion.fixed_width()
        capacity = capacity_for(len(rows), max_depth, limits["min_samples_leaf"], None)
        self.X, self.y, self.w, self.rows, self.run = X, np.ravel(y), w, rows, run
        self.outputs, self.criterion = y.size // n, compiled(used)
        self.nodes, self.sums = make_nodes(capacity, len(rows)), np.empty((capacity, width))
        # Without `counting`, limits on numbers of rows are not checked.
        self.limits = compiled(Limits(
            deepest(max_depth), max(limits["min_samples_split"], 2),
            float(limits["min_samples_leaf"]), float(limits["min_weight_leaf"]), float(limits["min_gain"]), p, False,
            limits["min_samples_leaf"] > 1, self.outputs, 0, 0.0, False, 0,
        ))  # fmt: skip
        self.purest = criterion.purest(float(limits["min_impurity"]))
        self.histograms = np.empty((p, (INTERVALS + 1) * width))
        self.bounds = np.empty((p, INTERVALS))
        self.flags, self.spare = np.empty(len(rows), dtype=np.uint8), np.empty(len(rows), dtype=np.int32)

    def examine(self, nodes, first, made):
        """Find the cut of each new node of many rows, and divide its rows."""
        for node in range(first, made):
            rows = self.rows[nodes.start[node] : nodes.stop[node]]
            sums = np.zeros(6 * self.sums.shape[1])
            assessed = _sum_and_assess(
                self.criterion, self.limits, self.y, self.w, rows, nodes, node, sums, self.purest
            )
            self.sums[node] = sums[: self.sums.shape[1]]
            if not assessed.open or len(rows) <= SMALL_SUBTREE:
                continue
            best = self._best(_NodeData(rows, sums, assessed.scale, *_ranges(self.X, rows)))
            if _record_split(nodes, node, best, assessed, self.limits):
                left = divide_rows(self.X, best.feature, best.threshold, best.missing, rows, self.flags, self.spare)
                nodes.middle[node] = nodes.start[node] + left
                # Guards against endless division if rounding made a cut of sums that leaves all rows on one side.
                nodes.gain[node] = nodes.gain[node] if 0 < left < len(rows) else -1.0

    def divide(self, nodes, node, made):
        """Make the children of a node."""
        _make_children(nodes, node, made)
        return 2

    def _best(self, node_data):
        """The best cut of all columns; of equal ones that of the first."""
        p = self.X.shape[1]
        threads = min(self.run.n_jobs, p)
        ends = np.concatenate(
            self.run(lambda k: self._bound_columns(node_data, k * p // threads, (k + 1) * p // threads), range(threads))
        )
        # The most promising column first: its best cut rules out most of the others. The margin exceeds the rounding
        # of bounds and the tolerance within which merits are equal.
        first, margin = int(np.argmax(ends)), 4.0 * node_data.scale
        found = {first: self._search(node_data, first, ends[first] - margin)}
        least = max(ends[first], found[first].score) - margin
        others = [j for j in np.flatnonzero(np.max(self.bounds, axis=1) >= least) if j != first]
        found.update(zip(others, self.run(lambda j: self._search(node_data, j, least), others), strict=True))
        best = found[min(found)]
        for j in sorted(found):
            best = found[j] if found[j].score > best.score + node_data.scale else best
        return best

    def _bound_columns(self, node_data, first, last):
        """The best merit at the ends of intervals of the columns first … last − 1; fills their part of `bounds`."""
        sums, ends = node_data.sums.copy(), np.empty(last - first)
        histograms, bounds = self.histograms[first:last], self.bounds[first:last]
        tally_intervals(
            self.criterion, self.outputs, self.X, node_data.rows, self.y, self.w, first, node_data.low,
            node_data.per_unit, histograms, np.empty(ROWS_IN_CACHE * self.outputs, dtype=self.y.dtype),
            *np.empty((2, ROWS_IN_CACHE)),
        )  # fmt: skip
        bound_intervals(self.criterion, self.limits, histograms, sums, bounds, ends)
        return ends

    def _search(self, node_data, j, least):
        """The best cut of column j, where some interval may hold one of merit `least`."""
        rows, low, per_unit = node_data.rows, node_data.low[j], node_data.per_unit[j]
        values, places = np.empty(len(rows) + 1, dtype=self.X.dtype), np.empty(len(rows) + 1, dtype=np.int32)
        kept = collect(self.X, rows, j, low, per_unit, self.bounds[j], least, values, places)
        order = np.argsort(values[:kept])
        return best_collected_cut(
            self.criterion, self.limits, j, values, places, order, low, per_unit, self.histograms[j], self.y, self.w,
            node_data.sums.copy(), node_data.scale,
        )  # fmt: skip


class _NodeData(NamedTuple):
    """A node: its rows, its sums (with space for five more groups), the rounding of merits, the intervals."""

    rows: Integers
    sums: Floats
    scale: float
    low: Floats
    per_unit: Floats


def _ranges(X, rows):
    """Where the intervals of each column begin, and how many there are in a unit.

    Outlying values must not make intervals wide. The range affects the speed of the search, not its result.
    """
    some = np.sort(X[rows[:: len(rows) // RANGE_SAMPLE + 1]].astype(float), axis=0)
    last, each = np.sum(some == some, axis=0) - 1, np.arange(X.shape[1])
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        low, high = some[0], some[last, each]
        most = some[last // 50, each], some[last - last // 50, each]
        outlying = (most[0] < most[1]) & (high - low > WIDE_RANGE * (most[1] - most[0]))
        low, high = np.where(outlying, most, (low, high))
        per_unit = INTERVALS / (high - low)
    # Without a finite range all rows are in one interval.
    useful = np.isfinite(per_unit) & np.isfinite(low) & (per_unit > 0.0)
    return np.where(useful, low, 0.0), np.where(useful, per_unit, 0.0)


@jit_no_alloc
def _sum_and_assess(criterion, limits, y, w, rows, nodes, node, sums, purest):
    """The sums of the rows, and what a split of the node must beat."""
    for i in range(len(rows)):
        criterion.tally(sums, 0, y, rows[i], w[rows[i]])
    return assess_node(criterion, limits, nodes, node, sums, None, purest)


@jit_no_alloc
def _record_split(nodes, node, best, assessed, limits):
    return record_split(nodes, node, best, assessed, limits, None)


@jit_no_alloc
def _make_children(nodes, node, made):
    make_children(nodes, node, made)


def _graft(tree, grown):
    """The tree with trees in place of some of its leaves."""
    sizes = np.ones(tree.node_count, dtype=np.int64)
    for leaf, other in grown.items():
        sizes[leaf] = other.node_count
    place = np.concatenate([[0], np.cumsum(sizes)])
    parts = {name: _spread(getattr(tree, name), place) for name in FIELDS}
    parts["ends"][place[:-1]] = place[tree.ends]
    inner = ~tree.is_leaf
    parts["nodes"]["right"][place[:-1][inner]] = place[tree.nodes["right"][inner]]
    for leaf, other in grown.items():
        here = slice(place[leaf], place[leaf + 1])
        for name in FIELDS:
            parts[name][here] = getattr(other, name)
        parts["ends"][here] += np.int32(place[leaf])
        parts["nodes"]["right"][here] += np.where(other.is_leaf, 0, np.int32(place[leaf]))
    return replace(tree, tests=Tests.none(place[-1]), **parts)


def _spread(values, place):
    """An array for all nodes, those of the top where they will stand."""
    spread = np.empty((place[-1], *values.shape[1:]), dtype=values.dtype)
    spread[place[:-1]] = values
    return spread
