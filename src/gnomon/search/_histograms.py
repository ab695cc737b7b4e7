"""Histograms of nodes: sums per code of every column, kept while a node is open.

    histogram of a child = histogram of its parent − histogram of its sibling                                     (1)

Only the rows of the smaller child are read. Ke et al. (2017), LightGBM, NeurIPS 30. Histograms of open nodes stand in
slots; a node without one (too few rows, or no slot is free) has its rows grouped directly.
"""

import numpy as np

from gnomon._jit import inner
from gnomon._vectors import add_four

FEWEST = 512
"""Nodes of fewer rows are not worth a histogram of 256 bins per column."""

BLOCK = 4096

FOUR = 4
"""The sums of a group, where there are so many, are those of one vector."""

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
def assign_slots(nodes, first, made, slots, max_depth):
    """Give the nodes first … made − 1, the root or two siblings, their slots; the one to fill from rows, −1 if none."""
    for node in range(first, made):
        nodes.slot[node] = -1
    small = first
    if made - first == 2 and nodes.stop[first + 1] - nodes.start[first + 1] < nodes.stop[first] - nodes.start[first]:
        small = first + 1
    large = first if made - first == 1 else 2 * first + 1 - small
    enough = nodes.stop[large] - nodes.start[large] >= FEWEST and nodes.depth[large] < max_depth
    parent = slots[ABOVE] if first > 0 else -1
    if not enough or slots[FREE] == 0 or (first > 0 and parent < 0):
        release(slots, parent)
        return -1
    slots[FREE] -= 1
    nodes.slot[small] = slots[FIRST + slots[FREE]]
    if first > 0:
        nodes.slot[large] = parent
    return small


@inner
def fetch_terms(criterion, y, w, rows, terms, first, last):
    """Put what each of the rows number first … last − 1 adds to the sums of a group side by side, by fours."""
    for s in range(first, last):
        row = rows[s]
        for k in range(FOUR):
            terms[s * FOUR + k] = 0.0
        criterion.tally(terms, s * FOUR, y, row, w[row])


@inner
def tally_groups(columns, joint, codes, criterion, limits, rows, fetched, histograms, slot, parent, first, last, spare):
    """Fill the columns of the groups first … last − 1 of a histogram from rows, and take it from the parent's.

    Targets stand side by side. By blocks of rows, which stay in cache while the columns see them, and by two groups,
    which share what is read of a row; the last of an odd number is tallied into `spare` too.
    """
    width, q, histogram = np.uint64(criterion.width()), limits.outputs, histograms[slot]
    y, w, terms = fetched
    for b in range(first, last):
        _clear(columns, joint, criterion, histogram, b)
    for block in range(0, len(rows), BLOCK):
        # Numbers that cannot be negative need no look whether they count from the end.
        here, w_here, y_here = rows[block : block + BLOCK], w[block : block + BLOCK], y[block * q : (block + BLOCK) * q]
        terms_here = terms[block * FOUR : (block + BLOCK) * FOUR]
        for b in range(first, last, 2):
            c = min(b + 1, last - 1)
            one, place = codes[b], _alone_at(columns, joint, criterion, b)
            sums_one = histogram[place:] if place >= 0 else joint.sums[b]
            two, place = codes[c], _alone_at(columns, joint, criterion, c)
            sums_two = spare if c == b else (histogram[place:] if place >= 0 else joint.sums[c])
            if criterion.width() == FOUR:
                for s in range(len(here)):
                    row, i = np.uint32(here[s]), np.uint64(s * FOUR)
                    add_four(sums_one, np.uint64(one[row]) * width, terms_here, i)
                    add_four(sums_two, np.uint64(two[row]) * width, terms_here, i)
                continue
            for s in range(len(here)):
                row, weight = np.uint32(here[s]), w_here[s]
                at_one, at_two = np.uint64(one[row]) * width, np.uint64(two[row]) * width
                if limits.counting:
                    sums_one[at_one] += 1.0
                    sums_two[at_two] += 1.0
                criterion.weigh(sums_one, at_one, y_here, s, weight)
                criterion.weigh(sums_two, at_two, y_here, s, weight)
    for b in range(first, last):
        _spread(columns, joint, criterion, histogram, b)
        if parent >= 0:
            _take_away(columns, joint, criterion, histograms[parent], histogram, b)


@inner
def _alone_at(columns, joint, criterion, b):
    """Where the one column of group b begins in a histogram; −1: there are several, tallied by joint codes."""
    start = joint.starts[b]
    return _place(columns, criterion, joint.members[start]) if joint.starts[b + 1] == start + 1 else np.int64(-1)


@inner
def _clear(columns, joint, criterion, histogram, b):
    for k in range(joint.starts[b], joint.starts[b + 1]):
        j = joint.members[k]
        for s in range(_place(columns, criterion, j), _place(columns, criterion, j + 1)):
            histogram[s] = 0.0
    if _alone_at(columns, joint, criterion, b) < 0:
        for s in range(joint.sizes[b] * criterion.width()):
            joint.sums[b, s] = 0.0


@inner
def _spread(columns, joint, criterion, histogram, b):
    """From the sums of joint codes to those of each column."""
    width = criterion.width()
    alone = _alone_at(columns, joint, criterion, b) >= 0
    for k in range(joint.starts[b], joint.starts[b] if alone else joint.starts[b + 1]):
        place = _place(columns, criterion, joint.members[k])
        for c in range(joint.sizes[b]):
            at = place + joint.parts[k, c] * width
            for s in range(width):
                histogram[at + s] += joint.sums[b, c * width + s]


@inner
def _take_away(columns, joint, criterion, parents, histogram, b):
    for k in range(joint.starts[b], joint.starts[b + 1]):
        j = joint.members[k]
        for s in range(_place(columns, criterion, j), _place(columns, criterion, j + 1)):
            parents[s] -= histogram[s]


@inner
def _place(columns, criterion, j):
    """Where column j begins in a histogram."""
    return (columns.starts[j] + j) * criterion.width()


@inner
def add_up(width, size, histogram, sums, at):
    """The sums of a node: those of its codes of the first column."""
    for s in range(width):
        sums[at + s] = 0.0
        for c in range(size + 1):
            sums[at + s] += histogram[c * width + s]
