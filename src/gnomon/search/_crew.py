"""Threads that share the work on one node.

    word = (turn, first, last) of the pieces left;    who moves the word by one has the piece at that end         (1)

The grower writes down a task, then the word. Grower and helpers take pieces, some rows or columns each, while there are
any, and the grower waits for those that others have begun: a helper that comes late finds nothing to take, one that
never comes is not missed. The grower takes the last and helpers the first, so that most of what one has written in its
cache it reads again. What is done to a piece does not depend on who does it, so that the tree is the same to the
last bit. Herlihy (1991), Wait-free synchronization, doi:10.1145/114005.102808, for the swap.
"""

from typing import NamedTuple

import numpy as np

from gnomon._jit import atomic_add, atomic_load, atomic_store, atomic_swap, inner, pause

# Places on the desk; what several threads write stands in lines of cache of its own.
WORD, DONE, HELPERS, TASK, NODE, OTHER = 0, 8, 16, 17, 18, 19

TALLY, SEARCH, MARK = range(3)
"""Tasks: fill the histogram of a node, find the best split of each column, mark the rows that go left."""

BITS = 21
MOST_PIECES = (1 << BITS) - 1
STOP = -1


class Crew(NamedTuple):
    """The desk, and what was found in each column: the fields of `Found` and the value between the sides.

    Columns are taken in their `order`.
    """

    desk: np.ndarray
    found: np.ndarray
    scale: np.ndarray
    order: np.ndarray


def make_crew(helpers, order):
    """A crew of one grower and so many helpers."""
    desk = np.zeros(24, dtype=np.int64)
    desk[HELPERS] = helpers
    return Crew(desk, np.empty((len(order), 6)), np.zeros(1), order)


@inner
def begin(desk, task, node, other, pieces):
    """Write down a task, its node, and the parent or the column it is about, and begin a turn."""
    desk[TASK], desk[NODE], desk[OTHER] = task, node, other
    atomic_store(desk, DONE, 0)
    atomic_store(desk, WORD, (((atomic_load(desk, WORD) >> 2 * BITS) + 1) << 2 * BITS) + pieces)


@inner
def take(desk, at_end):
    """A piece by (1), or −1."""
    while True:
        word = atomic_load(desk, WORD)
        first, last = (word >> BITS) & MOST_PIECES, word & MOST_PIECES
        if word == STOP or first == last:
            return -1
        if atomic_swap(desk, WORD, word, word - 1 if at_end else word + (1 << BITS)):
            return last - 1 if at_end else first


@inner
def finish(desk):
    """Say that a piece is done."""
    atomic_add(desk, DONE, 1)


@inner
def wait(desk, pieces):
    """Wait for the pieces that others have begun."""
    while atomic_load(desk, DONE) < pieces:
        pause()
