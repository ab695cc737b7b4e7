"""Histograms of nodes: sums per code of every column, kept while a node is open.

    histogram of a child = histogram of its parent − histogram of its sibling                                     (1)

Only the rows of the smaller child are read. Ke et al. (2017), LightGBM, NeurIPS 30. Histograms of open nodes stand in
slots; a node without one (too few rows, or no slot is free) has its rows grouped directly.
"""

import numpy as np

from gnomon._jit import inner

FEWEST = 512
"""Nodes of fewer rows are not worth a histogram of 256 bins per column."""

HERE, ABOVE, FREE, FIRST = range(4)
"""Places in the array of slots: that of the node at hand, its parent's, how many more are free, the first of these."""


def free_slots(count):
    """All of `count` slots free."""
    return np.concatenate([[-1, -1, count], np.arange(count)]).astype(np.int64)


@inner
def release(slots, slot):
    """Give a slot back; −1 is none."""
    if slot >= 0:
        slots[FIRST + slots[FREE]] = slot
        slots[FREE] += 1


@inner
def tally_nodes(columns, codes, criterion, limits, y, w, rows, nodes, first, made, work):
    """Give the nodes first … made − 1, the root or two siblings, their slots, and fill these."""
    slots = work.slots
    for node in range(first, made):
        nodes.slot[node] = -1
    small = first
    if made - first == 2 and nodes.stop[first + 1] - nodes.start[first + 1] < nodes.stop[first] - nodes.start[first]:
        small = first + 1
    large = first if made - first == 1 else 2 * first + 1 - small
    enough = nodes.stop[large] - nodes.start[large] >= FEWEST
    parent = slots[ABOVE] if first > 0 else -1
    if not enough or slots[FREE] == 0 or (first > 0 and parent < 0):
        release(slots, parent)
        return
    slots[FREE] -= 1
    slot = slots[FIRST + slots[FREE]]
    nodes.slot[small] = slot
    part = rows[nodes.start[small] : nodes.stop[small]]
    _tally(columns, codes, criterion, limits, y, w, part, work.y, work.w, work.histograms[slot])
    if first > 0:
        nodes.slot[large] = parent
        for s in range(work.histograms.shape[1]):
            work.histograms[parent, s] -= work.histograms[slot, s]


@inner
def _tally(columns, codes, criterion, limits, y, w, rows, y_here, w_here, histogram):
    q, width = limits.outputs, criterion.width()
    for s in range(len(histogram)):
        histogram[s] = 0.0
    for s in range(len(rows)):
        for o in range(q):
            y_here[s * q + o] = y[rows[s] * q + o]
        w_here[s] = w[rows[s]]
    for j in range(len(columns.sizes)):
        start = np.uint64(columns.starts[j] + j)
        column = codes[j]
        for s in range(len(rows)):
            # Numbers that cannot be negative need no look whether they count from the end.
            at = (start + np.uint64(column[np.uint32(rows[s])])) * np.uint64(width)
            if limits.counting:
                histogram[at] += 1.0
            criterion.weigh(histogram, at, y_here, s, w_here[s])


@inner
def add_up(width, size, histogram, sums, at):
    """The sums of a node: those of its codes of the first column."""
    for s in range(width):
        sums[at + s] = 0.0
        for c in range(size + 1):
            sums[at + s] += histogram[c * width + s]
