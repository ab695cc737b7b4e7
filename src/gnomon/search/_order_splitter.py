"""Binary cuts of numbers under criteria that need the order of the targets: a compiled splitter.

    maximise over columns j and cuts c    −L(rows with code_j ≤ c) − L(rows with code_j > c)                         (1)

L is the least pinball loss (`_pinball`). Rows of a node are sorted by their targets once, and by each column in turn;
one Fenwick tree takes them in from the left, another from the right. Missing rows are tried on either side of every
cut, and against all others. O(m log m) for a column of m rows. Breiman et al. (1984), §8.11,
doi:10.1201/9781315139470.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._jit import inlined_verb, noun, subroutine
from gnomon.search._column_splits import Found, drawn_cut
from gnomon.search._cuts import TIE
from gnomon.search._groups import CODE_SHIFT, ROW_MASK, sort_keys
from gnomon.search._monotone import bound_children
from gnomon.search._nodes import ROUNDING, draw_columns, make_children
from gnomon.search._partition import partition
from gnomon.search._pinball import add_row, clear, least_loss, middle_quantile, quantile_and_loss
from gnomon.search.columns import midpoint
from gnomon.search.tree import LEAF


class OrderWork(NamedTuple):
    """Arrays that are used again at every node.

    By row of the node: `rank` among the targets of each output, `w`, `sequence` in the order of a column. By rank: `y`
    and `ordered_w`. By group: `ends`, `present` codes, `masses`; `losses` to the left and to the right of every cut,
    with missing rows and without, and the `centers` of these parts where a column is monotone; `middle` is that of the
    best cut.
    """

    keys: np.ndarray
    counts: np.ndarray
    rank: np.ndarray
    y: np.ndarray
    ordered_w: np.ndarray
    w: np.ndarray
    sequence: np.ndarray
    ends: np.ndarray
    present: np.ndarray
    masses: np.ndarray
    losses: np.ndarray
    centers: np.ndarray
    middle: np.ndarray
    weights: np.ndarray
    values: np.ndarray
    rows: np.ndarray
    flags: np.ndarray
    features: np.ndarray
    seed: np.ndarray


class MonotoneRange(NamedTuple):
    """Whether answers may only rise (1) or fall (−1) with a column, and between what they must stay."""

    direction: int
    low: float
    high: float


@noun
class OrderSplitter:
    """Splits the rows ``rows[start:stop]`` of a node; `stats` keeps worth, rows, weight and quantiles of nodes."""

    columns: object
    targets: object
    alpha: float
    factor: float
    random: bool
    bounds: object
    monotone: np.ndarray
    w: np.ndarray
    rows: np.ndarray
    stats: np.ndarray
    work: OrderWork

    @inlined_verb
    def examine(self, nodes, first, made):
        bounds, work = self.bounds, self.work
        p = len(self.columns.sizes)
        for node in range(first, made):
            nodes.gain[node] = -1.0
            nodes.feature[node] = LEAF
            rows = self.rows[nodes.start[node] : nodes.stop[node]]
            _sort_targets(self.targets, self.alpha, self.factor, self.w, rows, self.stats[node], work)
            worth, mass = self.stats[node, 0], self.stats[node, 2]
            if (
                len(rows) < bounds.min_rows_split
                or nodes.depth[node] >= bounds.max_depth
                or -worth <= (bounds.min_impurity + ROUNDING) * mass
            ):
                continue
            scale = TIE * abs(worth)
            best = Found(-np.inf, np.int64(-1), np.int64(0), 0.0, np.int64(-1))
            drawn = 0
            while drawn < p and best.feature < 0:
                stop = draw_columns(work.features, work.seed, drawn, min(p, max(bounds.max_features, drawn + 1)))
                while drawn < stop:
                    j = work.features[drawn]
                    drawn += 1
                    # Targets are deviations from the quantile of the node.
                    center = self.stats[node, 3]
                    kept = MonotoneRange(
                        np.int64(self.monotone[j]), nodes.low[node] - center, nodes.high[node] - center
                    )
                    found = _split(
                        self.columns, self.alpha, self.factor, self.random, bounds, kept, j, rows, scale, work
                    )
                    if found.score > best.score + scale:
                        best = found
                        nodes.value[node] = work.middle[0] + center
            if best.feature < 0 or best.score - worth < bounds.min_gain - scale:
                continue
            nodes.gain[node] = max(0.0, best.score - worth)
            nodes.feature[node] = best.feature
            nodes.threshold[node] = best.threshold
            nodes.missing[node] = best.missing
            codes, size = self.columns.codes[best.feature], self.columns.sizes[best.feature]
            left = partition(best, codes, size, rows, None, work.flags, work.rows, None)
            nodes.middle[node] = nodes.start[node] + left

    @inlined_verb
    def divide(self, nodes, node, made):
        make_children(nodes, node, made)
        bound_children(nodes, node, made, self.monotone[nodes.feature[node]])
        return 2


@subroutine
def _sort_targets(targets, alpha, factor, w, rows, stats, work):
    """Ranks of the rows among the targets of each output, and what is kept of the node."""
    m, q = len(rows), len(targets.sizes)
    mass, total = 0.0, 0.0
    for i in range(m):
        work.w[i] = w[rows[i]]
        mass += work.w[i]
    for o in range(q):
        for i in range(m):
            work.keys[0, i] = (np.uint64(targets.codes[o, rows[i]]) << CODE_SHIFT) | np.uint64(i)
        sort_keys(work.keys, work.counts, m, targets.sizes[o])
        for r in range(m):
            i = np.int64(work.keys[0, r] & ROW_MASK)
            work.rank[o, i] = r
            work.ordered_w[r] = work.w[i]
            work.y[o, r] = targets.low[targets.starts[o] + np.int64(work.keys[0, r] >> CODE_SHIFT)]
        quantile, loss = quantile_and_loss(work.y[o], work.ordered_w, 0, m, alpha)
        for r in range(m):
            # Sums of deviations lose fewer digits than sums of targets far from zero.
            work.y[o, r] -= quantile
        total += loss
        stats[3 + o] = quantile
    stats[0], stats[1], stats[2] = -factor * total / q, m, mass


@subroutine
def _split(columns, alpha, factor, random, bounds, kept, j, rows, scale, work):
    """The best cut of column j."""
    size, at, m = columns.sizes[j], columns.starts[j], len(rows)
    k = _group(columns.codes[j], size, rows, work)
    missing = work.present[k - 1] == size
    known = k - 1 if missing else k
    if k < 2:
        return Found(-np.inf, np.int64(-1), np.int64(0), 0.0, np.int64(-1))
    chosen, drawn_at = -1, 0.0
    if random and known > 1:
        code, drawn_at = drawn_cut(columns, at, work.present[0], work.present[known - 1], work.seed)
        chosen = 0
        while chosen + 1 < known and work.present[chosen + 1] <= code:
            chosen += 1
    best, cut, side = _best(alpha, factor, bounds, kept, known, missing, m, chosen, scale, work)
    if cut < 0:
        return Found(-np.inf, np.int64(-1), np.int64(0), 0.0, np.int64(-1))
    a = work.present[cut]
    if cut == known - 1:
        t = np.inf
    elif chosen >= 0:
        t = drawn_at
    else:
        t = midpoint(columns.high[at + a], columns.low[at + work.present[cut + 1]])
    return Found(best, j, a, t, np.int64(1 - side if missing else -1))


@subroutine
def _group(codes, size, rows, work):
    """Rows in the order of their codes; how many codes there are, and for each where it ends and all weight so far."""
    m = len(rows)
    for i in range(m):
        work.keys[0, i] = (np.uint64(codes[rows[i]]) << CODE_SHIFT) | np.uint64(i)
    sort_keys(work.keys, work.counts, m, size)
    k, mass = 0, 0.0
    for r in range(m):
        i = np.int64(work.keys[0, r] & ROW_MASK)
        work.sequence[r] = i
        mass += work.w[i]
        if r + 1 == m or (work.keys[0, r] >> CODE_SHIFT) != (work.keys[0, r + 1] >> CODE_SHIFT):
            work.present[k] = np.int64(work.keys[0, r] >> CODE_SHIFT)
            work.ends[k] = r + 1
            work.masses[k] = mass
            k += 1
    return k


@subroutine
def _best(alpha, factor, bounds, kept, known, missing, m, chosen, scale, work):
    """The best of the cuts after known groups 0, 1, …: its worth, the group, and whether missing rows are left."""
    best, cut, missing_left = -np.inf, -1, 0
    rest = work.ends[known - 1]
    rest_mass = work.masses[known] - work.masses[known - 1] if missing else 0.0
    all_mass = work.masses[known - 1] + rest_mass
    for side in range(2 if missing else 1):
        _pass(alpha, kept.direction != 0, known, m, missing and side == 1, False, work)
        _pass(alpha, kept.direction != 0, known, m, missing and side == 0, True, work)
        for c in range(known if missing and side == 0 else known - 1):
            if chosen >= 0 and c != chosen and c != known - 1:
                continue
            left = work.ends[c] + side * (m - rest)
            mass = work.masses[c] + side * rest_mass
            if min(left, m - left) < bounds.min_rows or min(mass, all_mass - mass) < bounds.min_mass:
                continue
            if kept.direction != 0 and not _in_order(kept, work.centers[0, c], work.centers[1, c]):
                continue
            worth = -factor * (work.losses[0, c] + work.losses[1, c]) / len(work.rank)
            if worth > best + scale:
                best, cut, missing_left = worth, c, side
                work.middle[0] = 0.5 * work.centers[0, c] + 0.5 * work.centers[1, c]
    return best, cut, missing_left


@subroutine
def _in_order(kept, left, right):
    within = min(left, right) >= kept.low and max(left, right) <= kept.high
    return within and kept.direction * (right - left) >= 0.0


@subroutine
def _pass(alpha, centered, known, m, missing, backwards, work):
    """Losses of the groups up to each, or of those after it, with the missing rows where `missing`."""
    out = work.losses[1 if backwards else 0]
    centers = work.centers[1 if backwards else 0]
    for c in range(known):
        out[c] = 0.0
    for o in range(len(work.rank)):
        y, rank = work.y[o], work.rank[o]
        clear(work.weights, work.values, m)
        for r in range(work.ends[known - 1], m if missing else 0):
            i = work.sequence[r]
            add_row(work.weights, work.values, m, rank[i], work.w[i], y[rank[i]])
        for turn in range(known):
            c = known - 1 - turn if backwards else turn
            if backwards:
                out[c] += least_loss(y, work.weights, work.values, m, alpha)
                centers[c] = middle_quantile(y, work.weights, work.values, m, alpha) if centered else 0.0
            for r in range(work.ends[c - 1] if c > 0 else 0, work.ends[c]):
                i = work.sequence[r]
                add_row(work.weights, work.values, m, rank[i], work.w[i], y[rank[i]])
            if not backwards:
                out[c] += least_loss(y, work.weights, work.values, m, alpha)
                centers[c] = middle_quantile(y, work.weights, work.values, m, alpha) if centered else 0.0
