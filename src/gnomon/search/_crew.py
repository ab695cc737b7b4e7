"""Threads that share the work on one node.

    word = turn · 2³² + pieces left;    who moves the word from w to w − 1 has the last of them                  (1)

The grower writes down a task, then the word. Grower and helpers take pieces, some rows or columns each, while there are
any, and the grower waits for those that others have begun: a helper that comes late finds nothing to take, one that
never comes is not missed. What is done to a piece does not depend on who does it, so that the tree is the same to the
last bit. Herlihy (1991), Wait-free synchronization, doi:10.1145/114005.102808, for the swap.
"""

from typing import NamedTuple

import numpy as np

from gnomon._jit import atomic_add, atomic_load, atomic_store, atomic_swap, inner, pause

# Places on the desk; what several threads write stands in lines of cache of its own.
WORD, DONE, HELPERS, TASK, NODE, PARENT = 0, 8, 16, 17, 18, 19

TALLY, SEARCH = range(2)
"""Tasks: fill the histogram of a node, find the best split of each column."""

TURN = 32
LEFT = (1 << TURN) - 1
STOP = -1


class Crew(NamedTuple):
    """The desk, and what was found in each column: the fields of `Found` and the value between the sides."""

    desk: np.ndarray
    found: np.ndarray
    scale: np.ndarray


def make_crew(helpers, n_columns):
    """A crew of one grower and so many helpers."""
    desk = np.zeros(24, dtype=np.int64)
    desk[HELPERS] = helpers
    return Crew(desk, np.empty((n_columns if helpers else 0, 6)), np.zeros(1))


@inner
def begin(desk, task, node, parent, pieces):
    """Write down a task and begin a turn."""
    desk[TASK], desk[NODE], desk[PARENT] = task, node, parent
    atomic_store(desk, DONE, 0)
    atomic_store(desk, WORD, (((atomic_load(desk, WORD) >> TURN) + 1) << TURN) + pieces)


@inner
def take(desk):
    """A piece by (1), or −1."""
    while True:
        word = atomic_load(desk, WORD)
        if word == STOP or word & LEFT == 0:
            return -1
        if atomic_swap(desk, WORD, word, word - 1):
            return (word & LEFT) - 1


@inner
def finish(desk):
    """Say that a piece is done."""
    atomic_add(desk, DONE, 1)


@inner
def wait(desk, pieces):
    """Wait for the pieces that others have begun."""
    while atomic_load(desk, DONE) < pieces:
        pause()
