"""Binary splits of coded columns: the compiled splitter.

    maximise over columns j and cuts c    merit(left) + merit(right)                                             (1)

`examine` takes a node from its rows to its best split and divides the rows in place; `divide` makes its children.
Columns are drawn anew at every node where `max_features` asks for fewer than all (Breiman 2001,
doi:10.1023/A:1010933404324). Of equal splits the lowest column wins, of columns that are drawn the first, then the
lowest cut.

Fields that a tree does not need are None: `joint` where no node keeps a histogram, `queue` without helpers, `block`
where no subtree is copied, `constraints` where any split may follow any other. Numba specialises functions by the type
of None, so that the branches that use these fields are not compiled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._jit import (
    atomic_load,
    inlined_subroutine,
    inlined_verb,
    jit_no_alloc,
    noun,
    outermost_jit,
    pause,
    subroutine,
)
from gnomon.numerics.parallel import SPINS
from gnomon.search._column_splits import Found
from gnomon.search._cuts import CHOSEN, DIRECTION, HIGH, LOW, MIDDLE, TIE
from gnomon.search._groups import LEFT, ORDER, PRESENT
from gnomon.search._histograms import (
    CURRENT,
    PARENT,
    add_up,
    assign_slots,
    fetch_rows,
    release,
    tally_groups,
)
from gnomon.search._joint import Joint
from gnomon.search._monotone import bound_children
from gnomon.search._nodes import Limits, assess_node, begin_block, draw_columns, make_children, record_split
from gnomon.search._partition import flag_rows, partition, partition_by_flags, set_sides
from gnomon.search._task_queue import (
    ARGUMENT,
    FLAG,
    HELPERS,
    REMAINING,
    SEARCH,
    STOP,
    TALLY,
    TASK,
    TASK_NODE,
    TaskQueue,
    finish_piece,
    publish,
    take_piece,
    wait_for,
)
from gnomon.search._work import SubtreeBlock, Work

ROWS_PER_PIECE = 8192
"""Rows of a piece in which one thread flags those that go left."""


@jit_no_alloc
def unload(block, rows):
    """Translate row numbers within the block back to those of the table."""
    for i in range(block.place[0], block.place[1]):
        rows[i] = block.rows[rows[i]]
    block.place[0], block.place[1] = -1, -1


class PathConstraints(NamedTuple):
    """What a split demands of those below it: 1 or −1 for columns with which answers rise or fall; groups of columns of
    which one must hold all columns of a path, and which of them each node leaves open."""

    monotone: np.ndarray
    together: np.ndarray
    open_groups: np.ndarray


@subroutine
def _load(block, codes, q, y, w, rows, start, stop):
    """Copy the rows of a subtree into the block, unless it is loaded, so that all its nodes read from cache."""
    if block.place[0] == start:
        return
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
    constraints: PathConstraints | None
    y: np.ndarray
    w: np.ndarray
    rows: np.ndarray
    node_sums: np.ndarray
    work: Work
    block: SubtreeBlock | None
    queue: TaskQueue | None
    joint: Joint | None
    alone: Joint | None

    @inlined_verb
    def examine(self, nodes, first, made):
        _examine(self, self.work.histograms, self.block, self.constraints, self.queue, nodes, first, made)

    @inlined_verb
    def divide(self, nodes, node, made):
        _divide(self.work.histograms, self.block, self.constraints, nodes, node, made)
        return 2


@inlined_subroutine
def _examine(splitter, histograms, block, constraints, queue, nodes, first, made):
    criterion, limits, work = splitter.criterion, splitter.limits, splitter.work
    bounds, codes, y, w, inside = work.bounds, splitter.columns.codes, splitter.y, splitter.w, False
    if block is not None and nodes.block[first] >= 0:
        _load(block, codes, limits.outputs, y, w, splitter.rows, nodes.block[first], nodes.block_stop[first])
        codes, y, w, inside = block.codes, block.y, block.w, True
    if histograms is not None:
        _keep_histograms(splitter, nodes, first, made, codes, y, w, inside)
    for node in range(first, made):
        here = nodes[node]
        rows = splitter.rows[here.start : here.stop]
        _add_up(
            histograms, here.slot, splitter.columns.sizes[0], criterion, limits.outputs, y, w, rows, work.y, work.w,
            work.sums, limits.total,
        )  # fmt: skip
        for s in range(criterion.width()):
            splitter.node_sums[node, s] = work.sums[limits.total + s]
        if constraints is not None:
            bounds[LOW], bounds[HIGH] = here.low, here.high
        assessed = assess_node(criterion, limits, nodes, node, work.sums, bounds, work.purest[0])
        if assessed.open:
            best = _best_split(splitter, queue, constraints, nodes, node, codes, rows, assessed, inside)
            if record_split(nodes, node, best, assessed, limits, bounds):
                size, chosen = splitter.columns.sizes[here.feature], work.groups[LEFT]
                if queue is not None and not inside and len(rows) >= max(2 * ROWS_PER_PIECE, size):
                    left = _partition_together(splitter, nodes, node, rows)
                else:
                    left = partition(here, codes[here.feature], size, rows, work.side, work.flags, work.rows, chosen)
                here.middle = here.start + left
    if histograms is not None:
        _release_leaves(histograms, nodes, first, made)


@inlined_subroutine
def _divide(histograms, block, constraints, nodes, node, made):
    make_children(nodes, node, made)
    here = nodes[node]
    if histograms is not None:
        histograms.slots[PARENT] = here.slot
    if block is not None:
        begin_block(nodes, node, made, len(block.w))
    if constraints is not None:
        for child in range(made, made + 2):
            for g in range(len(constraints.together)):
                constraints.open_groups[child, g] = (
                    constraints.open_groups[node, g] and constraints.together[g, here.feature]
                )
        bound_children(nodes, node, made, constraints.monotone[here.feature])


@subroutine
def _keep_histograms(splitter, nodes, first, made, codes, y, w, inside):
    """Give new nodes their histograms, if a slot is free and they have enough rows."""
    slots = splitter.work.histograms.slots
    parent = slots[PARENT] if first > 0 else -1
    node = assign_slots(nodes, first, made, slots, splitter.limits)
    if node >= 0:
        _fill_histogram(splitter, splitter.queue, nodes, node, parent, codes, y, w, inside)


@subroutine
def _fill_histogram(splitter, queue, nodes, node, parent, codes, y, w, inside):
    """Fill the histogram of a node from its rows, and subtract it from its parent's, which becomes its sibling's."""
    rows = nodes.stop[node] - nodes.start[node]
    joint = splitter.alone if inside or rows < splitter.joint.fewest else splitter.joint
    groups = len(joint.sizes)
    if queue is not None and rows >= splitter.limits.fewest and not inside:
        _run_task(splitter, nodes, TALLY, node, parent, -(-groups // _groups_of_a_piece(queue, groups)))
    else:
        _tally(splitter, nodes, node, parent, joint, codes if inside else joint.codes, y, w, splitter.work, 0, groups)


@subroutine
def _release_leaves(histograms, nodes, first, made):
    """Release the slots of nodes that stay leaves."""
    for node in range(first, made):
        if nodes.gain[node] < 0.0:
            release(histograms.slots, nodes.slot[node])


@subroutine
def _groups_of_a_piece(queue, groups):
    """Groups per piece: one piece per thread, as each fetches the rows anew; a multiple of 4, as groups are filled."""
    return 4 * -(-groups // (4 * (1 + queue.state[HELPERS])))


@subroutine
def _columns_of_a_piece(queue):
    """Columns per piece: two pieces per thread; with more, a compare-and-swap costs as much as a column's search."""
    return -(-len(queue.order) // (2 * (1 + queue.state[HELPERS])))


@subroutine
def _tally(splitter, nodes, node, parent, joint, codes, y, w, work, first, last):
    tally_groups(
        splitter.columns, joint, codes, splitter.criterion, splitter.limits,
        splitter.rows[nodes.start[node] : nodes.stop[node]], y, w, work.histograms, nodes.slot[node], parent, first,
        last,
    )  # fmt: skip


@subroutine
def _best_split(splitter, queue, constraints, nodes, node, codes, rows, assessed, inside):
    """The best split of the columns drawn, of more where these have none; ``groups[LEFT]`` has the codes of a set.

    The search ends where the merit is perfect.
    """
    columns, limits, work = splitter.columns, splitter.limits, splitter.work
    scale, stepping = assessed.scale, assessed.perfect == np.inf
    p, bounds = len(columns.sizes), work.bounds
    many = nodes.slot[node] >= 0 or len(rows) >= limits.fewest
    shared = many and not inside and limits.max_features >= p
    if queue is not None and shared:
        queue.scale[0] = scale
        _run_task(splitter, nodes, SEARCH, node, -1, -(-p // _columns_of_a_piece(queue)))
    best, drawn = Found(-np.inf, np.int64(-1), np.int64(0), 0.0, np.int64(-1)), 0
    while drawn < p and best.feature < 0:
        # Numba's min and max are functions that are compiled for each pair of types.
        stop_at = limits.max_features if limits.max_features > drawn else drawn + 1
        stop_at = draw_columns(work.features, work.seed, drawn, stop_at if stop_at < p else p)
        while drawn < stop_at and best.score < assessed.perfect:
            j = work.features[drawn]
            drawn += 1
            if constraints is not None:
                if not _may_follow(constraints, node, j):
                    continue
                bounds[DIRECTION] = constraints.monotone[j]
            if queue is not None and shared:
                found = _read(queue.found[j])
                if constraints is not None:
                    bounds[MIDDLE] = queue.found[j, 5]
            else:
                found = splitter.kinds.split_column(columns, codes, splitter.criterion, limits, work, j, rows, scale)
            # Newton gains: the tolerance is relative to the gain, as the merit of a balanced node is zero.
            if found.score > best.score + (TIE * abs(found.score) if stepping else scale):
                best = found
                if constraints is not None:
                    bounds[CHOSEN] = bounds[MIDDLE]
                if queue is None or not shared:
                    _keep_set(work.side, found, work.groups)
    if queue is not None and shared and np.isnan(best.threshold):
        # The set of categories is in the working arrays of the thread that found it: searched again.
        if constraints is not None:
            bounds[DIRECTION] = constraints.monotone[best.feature]
        splitter.kinds.split_column(columns, codes, splitter.criterion, limits, work, best.feature, rows, scale)
        _keep_set(work.side, best, work.groups)
    return best


@subroutine
def _keep_set(side, found, groups):
    if side is None:
        return
    for g in range(found.cut if np.isnan(found.threshold) else 0):
        groups[LEFT, g] = groups[PRESENT, groups[ORDER, g]]


@subroutine
def _read(row):
    return Found(row[0], np.int64(row[1]), np.int64(row[2]), row[3], np.int64(row[4]))


@subroutine
def _run_task(splitter, nodes, task, node, argument, pieces):
    """Run a task on the grower and its helpers."""
    publish(splitter.queue.state, task, node, argument, pieces)
    _work_on_task(splitter, nodes, splitter.work, True)
    wait_for(splitter.queue.state, pieces)


@subroutine
def _work_on_task(splitter, nodes, work, grower):
    """Take pieces of the current task while there are any; whether there was one."""
    state = splitter.queue.state
    piece = take_piece(state, grower)
    some = piece >= 0
    while piece >= 0:
        if state[TASK] == TALLY:
            _tally_piece(splitter, splitter.joint, nodes, work, piece)
        elif state[TASK] == SEARCH:
            size, order = _columns_of_a_piece(splitter.queue), splitter.queue.order
            for k in range(piece * size, min((piece + 1) * size, len(order))):
                _search(splitter, splitter.constraints, nodes, state[TASK_NODE], work, order[k])
        else:
            here, shared = nodes[state[TASK_NODE]], splitter.work
            rows, codes = splitter.rows[here.start : here.stop], splitter.columns.codes[here.feature]
            first, last = piece * ROWS_PER_PIECE, min((piece + 1) * ROWS_PER_PIECE, len(rows))
            flag_rows(codes, rows, shared.side, shared.flags, first, last)
        finish_piece(state)
        piece = take_piece(state, grower)
    return some


@subroutine
def _tally_piece(splitter, joint, nodes, work, piece):
    """Fill some groups of the histogram of the task's node."""
    if joint is None:
        return
    node, parent = splitter.queue.state[TASK_NODE], splitter.queue.state[ARGUMENT]
    groups = splitter.alone if nodes.stop[node] - nodes.start[node] < joint.fewest else joint
    size = _groups_of_a_piece(splitter.queue, len(groups.sizes))
    first, last = piece * size, min((piece + 1) * size, len(groups.sizes))
    _tally(splitter, nodes, node, parent, groups, groups.codes, splitter.y, splitter.w, work, first, last)


@subroutine
def _search(splitter, constraints, nodes, node, work, j):
    """Find the best split of a column, in the working arrays of the calling thread."""
    criterion, limits, queue, here = splitter.criterion, splitter.limits, splitter.queue, nodes[node]
    _set_current(work.histograms, here.slot)
    for s in range(criterion.width()):
        work.sums[limits.total + s] = splitter.node_sums[node, s]
    if constraints is not None:
        work.bounds[LOW], work.bounds[HIGH], work.bounds[DIRECTION] = here.low, here.high, constraints.monotone[j]
    rows, columns = splitter.rows[here.start : here.stop], splitter.columns
    found = splitter.kinds.split_column(columns, columns.codes, criterion, limits, work, j, rows, queue.scale[0])
    to = queue.found[j]
    to[0], to[1], to[2], to[3], to[4] = found.score, found.feature, found.cut, found.threshold, found.missing
    if constraints is not None:
        to[5] = work.bounds[MIDDLE]


@outermost_jit
def run_helper(splitter, nodes, work):
    """Take pieces of the grower's tasks, in working arrays of one's own, until it stops; False if idle for long."""
    idle = 0
    while idle < SPINS:
        if atomic_load(splitter.queue.state, REMAINING) == STOP:
            return True
        idle = 0 if _work_on_task(splitter, nodes, work, False) else idle + 1
        pause()
    return False


@subroutine
def _may_follow(constraints, node, j):
    """Whether some group that holds all columns above the node holds column j too; without groups any may follow."""
    for g in range(len(constraints.together)):
        if constraints.open_groups[node, g] and constraints.together[g, j]:
            return True
    return len(constraints.together) == 0


@subroutine
def _set_current(histograms, slot):
    """Set the slot of the current node's histogram."""
    if histograms is not None:
        histograms.slots[CURRENT] = slot


@subroutine
def _add_up(histograms, slot, size, criterion, outputs, y, w, rows, y_here, w_here, sums, at):
    """The sums of the node, from its histogram or from its rows, whose targets and weights are copied."""
    _set_current(histograms, slot)
    if histograms is not None and slot >= 0:
        add_up(criterion.width(), size, histograms.sums[slot], sums, at)
        return
    fetch_rows(outputs, y, w, rows, y_here, w_here)
    for s in range(criterion.width()):
        sums[at + s] = 0.0
    criterion.weigh_all(sums, at, y_here, w_here, len(rows))


@subroutine
def _partition_together(splitter, nodes, node, rows):
    """`partition`, with the helpers."""
    work, here, chosen = splitter.work, nodes[node], splitter.work.groups[LEFT]
    size = splitter.columns.sizes[here.feature]
    set_sides(here, size, chosen, work.side, True)
    _run_task(splitter, nodes, FLAG, node, -1, -(-len(rows) // ROWS_PER_PIECE))
    set_sides(here, size, chosen, work.side, False)
    return partition_by_flags(work.flags, rows, work.rows)
