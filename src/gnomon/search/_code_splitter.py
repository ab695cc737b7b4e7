"""Binary splits of coded columns: the compiled splitter.

    maximise over columns j and cuts c    merit(left) + merit(right)                                             (1)

`examine` takes a node from its rows to its best split and divides the rows in place; `divide` makes its children.
Columns are drawn anew at every node where `max_features` asks for fewer than all (Breiman 2001,
doi:10.1023/A:1010933404324). Of equal splits the lowest column wins, of columns that are drawn the first, then the
lowest cut.

Where no node keeps a histogram `joint` is None, and without helpers so is `crew`: parts that take them as arguments and
look first whether they are None are compiled without what is done with them.
"""

import numpy as np

from gnomon._jit import atomic_load, inlined_verb, inner, lean, noun, pause, within
from gnomon.numerics.parallel import SPINS
from gnomon.search._column_splits import Found
from gnomon.search._crew import (
    HELPERS,
    MARK,
    NODE,
    OTHER,
    SEARCH,
    STOP,
    TALLY,
    TASK,
    WORD,
    Crew,
    begin,
    finish,
    take,
    wait,
)
from gnomon.search._cuts import CHOSEN, DIRECTION, HIGH, LOW, MIDDLE, TIE
from gnomon.search._groups import LEFT, ORDER, PRESENT
from gnomon.search._histograms import (
    ABOVE,
    HERE,
    add_up,
    assign_slots,
    fetch_rows,
    release,
    tally_groups,
)
from gnomon.search._joint import Joint
from gnomon.search._monotone import bound_children
from gnomon.search._nodes import Limits, begin_block, draw_columns, make_children, settle, weigh_up
from gnomon.search._sift import choose, mark, partition, sift
from gnomon.search._work import Work

ROWS = 8192
"""Rows of a piece that one thread marks."""


@lean
def unload(block, rows):
    """Number the rows of the block as the table does."""
    for i in range(block.place[0], block.place[1]):
        rows[i] = block.rows[rows[i]]
    block.place[0], block.place[1] = -1, -1


@inner
def _load(block, codes, q, y, w, rows, start, stop):
    """Copy the rows of a subtree into the block, where all its nodes find them in cache."""
    unload(block, rows)
    block.place[0], block.place[1] = start, stop
    m = stop - start
    for i in range(m):
        row = rows[start + i]
        block.rows[i] = row
        block.w[i] = w[row]
        for o in range(q):
            block.y[i * q + o] = y[row * q + o]
        rows[start + i] = i
    for j in range(len(codes)):
        for i in range(m):
            block.codes[j, i] = codes[j, block.rows[i]]


@noun
class CodeSplitter:
    """Splits the rows ``rows[start:stop]`` of a node by one coded column."""

    columns: object
    criterion: object
    kinds: object
    limits: Limits
    monotone: np.ndarray
    together: np.ndarray
    open_groups: np.ndarray
    y: np.ndarray
    w: np.ndarray
    rows: np.ndarray
    node_sums: np.ndarray
    work: Work
    crew: Crew | None
    joint: Joint | None
    alone: Joint | None

    @inlined_verb
    def examine(self, nodes, first, made):
        criterion, limits, work = self.criterion, self.limits, self.work
        sums, at, bounds = work.sums, limits.total, work.bounds
        block, place = work.block, nodes.block[first]
        inside = place >= 0
        if inside and block.place[0] != place:
            _load(block, self.columns.codes, limits.outputs, self.y, self.w, self.rows, place, nodes.block_stop[first])
        codes = block.codes if inside else self.columns.codes
        y = block.y if inside else self.y
        w = block.w if inside else self.w
        _keep_histograms(self, self.joint, nodes, first, made, codes, y, w, inside)
        for node in range(first, made):
            start, stop = nodes.start[node], nodes.stop[node]
            rows = self.rows[start:stop]
            work.slots[HERE] = nodes.slot[node]
            _add_up(self.joint, self.columns.sizes[0], criterion, limits, work, y, w, rows)
            for s in range(criterion.width()):
                self.node_sums[node, s] = sums[at + s]
            bounds[LOW], bounds[HIGH] = nodes.low[node], nodes.high[node]
            prospect = weigh_up(criterion, limits, nodes, node, sums, bounds)
            if prospect.open:
                best = _best_split(self, self.crew, nodes, node, codes, rows, prospect.scale, prospect.perfect, inside)
                if settle(nodes, node, best, prospect, limits, bounds):
                    nodes.middle[node] = start + _partition(self, self.crew, nodes, node, best, codes, rows, inside)
        _release_leaves(self.joint, nodes, first, made, work.slots)

    @inlined_verb
    def divide(self, nodes, node, made):
        make_children(nodes, node, made)
        self.work.slots[ABOVE] = nodes.slot[node]
        begin_block(nodes, node, made, len(self.work.block.w))
        for child in range(made, made + 2):
            for g in range(len(self.together)):
                self.open_groups[child, g] = self.open_groups[node, g] and self.together[g, nodes.feature[node]]
        bound_children(nodes, node, made, self.monotone[nodes.feature[node]])
        return 2


@within
def _keep_histograms(splitter, joint, nodes, first, made, codes, y, w, inside):
    """Give new nodes their histograms, as far as there is room and they are worth it."""
    if joint is None:
        return
    slots = splitter.work.slots
    parent = slots[ABOVE] if first > 0 else -1
    node = assign_slots(nodes, first, made, slots, splitter.limits)
    if node >= 0:
        _fill_histogram(splitter, splitter.crew, nodes, node, parent, codes, y, w, inside)


@inner
def _fill_histogram(splitter, crew, nodes, node, parent, codes, y, w, inside):
    """Fill the histogram of a node from its rows, and take it from its parent's, which becomes its sibling's."""
    rows = nodes.stop[node] - nodes.start[node]
    joint = splitter.alone if inside or rows < splitter.joint.fewest else splitter.joint
    groups = len(joint.sizes)
    if crew is not None and rows >= splitter.limits.fewest and not inside:
        _share(splitter, nodes, TALLY, node, parent, -(-groups // _groups_of_a_piece(crew, groups)))
    else:
        _tally(splitter, nodes, node, parent, joint, codes if inside else joint.codes, y, w, splitter.work, 0, groups)


@inner
def _release_leaves(joint, nodes, first, made, slots):
    """Give back what nodes that stay leaves have kept."""
    if joint is None:
        return
    for node in range(first, made):
        if nodes.gain[node] < 0.0:
            release(slots, nodes.slot[node])


@inner
def _groups_of_a_piece(crew, groups):
    """A piece for each thread, as rows are fetched anew for every piece, of fours, as groups are filled."""
    return 4 * -(-groups // (4 * (1 + crew.desk[HELPERS])))


@inner
def _columns_of_a_piece(crew):
    """Two pieces for each thread: of more, the taking would cost as much as the search of a histogram."""
    return -(-len(crew.order) // (2 * (1 + crew.desk[HELPERS])))


@inner
def _tally(splitter, nodes, node, parent, joint, codes, y, w, work, first, last):
    tally_groups(
        splitter.columns, joint, codes, splitter.criterion, splitter.limits,
        splitter.rows[nodes.start[node] : nodes.stop[node]], y, w, work.fetched, work.histograms, nodes.slot[node],
        parent, first, last,
    )  # fmt: skip


@inner
def _best_split(splitter, crew, nodes, node, codes, rows, scale, perfect, inside):
    """The best split of the columns drawn, of more where these have none; ``groups[LEFT]`` has the codes of a set.

    The search ends where the merit is `perfect`.
    """
    columns, limits, work = splitter.columns, splitter.limits, splitter.work
    p, bounds, stepping = len(columns.sizes), work.bounds, perfect == np.inf
    many = nodes.slot[node] >= 0 or len(rows) >= limits.fewest
    shared = many and not inside and limits.max_features >= p
    if crew is not None and shared:
        crew.scale[0] = scale
        _share(splitter, nodes, SEARCH, node, -1, -(-p // _columns_of_a_piece(crew)))
    best, drawn = Found(-np.inf, np.int64(-1), np.int64(0), 0.0, np.int64(-1)), 0
    while drawn < p and best.feature < 0:
        stop_at = draw_columns(work.features, work.seed, drawn, min(p, max(limits.max_features, drawn + 1)))
        while drawn < stop_at and best.score < perfect:
            j = work.features[drawn]
            drawn += 1
            if not _may_follow(splitter.together, splitter.open_groups, node, j):
                continue
            bounds[DIRECTION] = splitter.monotone[j]
            if crew is not None and shared:
                found = _read(crew.found[j])
                bounds[MIDDLE] = crew.found[j, 5]
            else:
                found = splitter.kinds.split_column(columns, codes, splitter.criterion, limits, work, j, rows, scale)
            # What a step gains has no scale of its own, not even at a root where all is balanced.
            if found.score > best.score + (TIE * abs(found.score) if stepping else scale):
                best = found
                bounds[CHOSEN] = bounds[MIDDLE]
                if crew is None or not shared:
                    _keep_set(found, work.groups)
    if crew is not None and shared and np.isnan(best.threshold):
        # Its set was found in the groups of another thread.
        bounds[DIRECTION] = splitter.monotone[best.feature]
        splitter.kinds.split_column(columns, codes, splitter.criterion, limits, work, best.feature, rows, scale)
        _keep_set(best, work.groups)
    return best


@inner
def _keep_set(found, groups):
    for g in range(found.cut if np.isnan(found.threshold) else 0):
        groups[LEFT, g] = groups[PRESENT, groups[ORDER, g]]


@inner
def _read(row):
    return Found(row[0], np.int64(row[1]), np.int64(row[2]), row[3], np.int64(row[4]))


@inner
def _share(splitter, nodes, task, node, other, pieces):
    """Do a task together with the helpers."""
    begin(splitter.crew.desk, task, node, other, pieces)
    _take_part(splitter, nodes, splitter.work, True)
    wait(splitter.crew.desk, pieces)


@inner
def _take_part(splitter, nodes, work, grower):
    """Take pieces and do what the desk says, while there are any; whether there was one."""
    desk = splitter.crew.desk
    piece = take(desk, grower)
    some = piece >= 0
    while piece >= 0:
        if desk[TASK] == TALLY:
            _tally_piece(splitter, splitter.joint, nodes, work, piece)
        elif desk[TASK] == SEARCH:
            size, order = _columns_of_a_piece(splitter.crew), splitter.crew.order
            for k in range(piece * size, min((piece + 1) * size, len(order))):
                _search(splitter, nodes, desk[NODE], work, order[k])
        else:
            rows = splitter.rows[nodes.start[desk[NODE]] : nodes.stop[desk[NODE]]]
            first, last = piece * ROWS, min((piece + 1) * ROWS, len(rows))
            mark(splitter.columns.codes[desk[OTHER]], rows, splitter.work.side, splitter.work.flags, first, last)
        finish(desk)
        piece = take(desk, grower)
    return some


@inner
def _tally_piece(splitter, joint, nodes, work, piece):
    """Fill some groups of the histogram that the desk says."""
    if joint is None:
        return
    node, parent = splitter.crew.desk[NODE], splitter.crew.desk[OTHER]
    groups = splitter.alone if nodes.stop[node] - nodes.start[node] < joint.fewest else joint
    size = _groups_of_a_piece(splitter.crew, len(groups.sizes))
    first, last = piece * size, min((piece + 1) * size, len(groups.sizes))
    _tally(splitter, nodes, node, parent, groups, groups.codes, splitter.y, splitter.w, work, first, last)


@inner
def _search(splitter, nodes, node, work, j):
    """Find the best split of a column in working arrays of any thread."""
    criterion, limits, crew = splitter.criterion, splitter.limits, splitter.crew
    work.slots[HERE] = nodes.slot[node]
    for s in range(criterion.width()):
        work.sums[limits.total + s] = splitter.node_sums[node, s]
    work.bounds[LOW], work.bounds[HIGH] = nodes.low[node], nodes.high[node]
    work.bounds[DIRECTION] = splitter.monotone[j]
    rows, columns = splitter.rows[nodes.start[node] : nodes.stop[node]], splitter.columns
    found = splitter.kinds.split_column(columns, columns.codes, criterion, limits, work, j, rows, crew.scale[0])
    to = crew.found[j]
    to[0], to[1], to[2], to[3], to[4] = found.score, found.feature, found.cut, found.threshold, found.missing
    to[5] = work.bounds[MIDDLE]


@lean
def assist(splitter, nodes, work):
    """Help the grower with its columns, in working arrays of one's own; False if there was nothing to do for long."""
    idle = 0
    while idle < SPINS:
        if atomic_load(splitter.crew.desk, WORD) == STOP:
            return True
        idle = 0 if _take_part(splitter, nodes, work, False) else idle + 1
        pause()
    return False


@inner
def _may_follow(together, open_groups, node, j):
    """Whether some group that holds all columns above the node holds column j too; without groups any may follow."""
    for g in range(len(together)):
        if open_groups[node, g] and together[g, j]:
            return True
    return len(together) == 0


@inner
def _add_up(joint, size, criterion, limits, work, y, w, rows):
    """The sums of the node, of its histogram or of its rows, whose targets and weights are put side by side."""
    sums, at = work.sums, limits.total
    if joint is not None and work.slots[HERE] >= 0:
        add_up(criterion.width(), size, work.histograms[work.slots[HERE]], sums, at)
        return
    fetch_rows(limits.outputs, y, w, rows, work.y, work.w)
    for s in range(criterion.width()):
        sums[at + s] = 0.0
    criterion.weigh_all(sums, at, work.y, work.w, len(rows))


@inner
def _partition(splitter, crew, nodes, node, best, codes, rows, inside):
    """`partition`, with the helpers where there are many rows."""
    work, size, chosen = splitter.work, splitter.columns.sizes[best.feature], splitter.work.groups[LEFT]
    if crew is None or inside or len(rows) < max(2 * ROWS, size):
        return partition(best, codes[best.feature], size, rows, work, chosen)
    choose(best, size, chosen, work.side, True)
    _share(splitter, nodes, MARK, node, best.feature, -(-len(rows) // ROWS))
    choose(best, size, chosen, work.side, False)
    return sift(work.flags, rows, work.rows)
