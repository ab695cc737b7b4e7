"""A queue of the pieces of one task, which the thread that grows a tree shares with its helpers.

    remaining = (turn, first, last), packed in 64 bits;    a compare-and-swap that moves one end by 1 takes a piece  (1)

The grower writes a task, then `remaining`. Grower and helpers take pieces, some rows or columns each, while there are
any, and the grower waits for those that helpers have begun: a helper that comes late finds nothing to take, and the
grower does the work alone if none comes. The grower takes pieces from the end and helpers from the front, so that most
of what a thread has written is still in its cache when it reads it. The result of a piece does not depend on the
thread, so that trees are the same to the last bit. Herlihy (1991), Wait-free synchronization,
doi:10.1145/114005.102808, for compare-and-swap.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._jit import atomic_add, atomic_load, atomic_store, atomic_swap, pause, subroutine

# Entries of the state. Those that several threads write are in cache lines of their own, against false sharing.
REMAINING, DONE, HELPERS, TASK, TASK_NODE, ARGUMENT = 0, 8, 16, 17, 18, 19

TALLY, SEARCH, FLAG = range(3)
"""Tasks: fill the histogram of a node, find the best split of each column, flag the rows that go left."""

INDEX_BITS = 21
MOST_PIECES = (1 << INDEX_BITS) - 1
STOP = -1


class TaskQueue(NamedTuple):
    """The state, and what was found in each column: the fields of `Found` and the value between the sides.

    Columns are taken in their `order`.
    """

    state: np.ndarray
    found: np.ndarray
    scale: np.ndarray
    order: np.ndarray


def make_queue(helpers, order):
    """An empty queue for one grower and so many helpers."""
    state = np.zeros(24, dtype=np.int64)
    state[HELPERS] = helpers
    return TaskQueue(state, np.empty((len(order), 6)), np.zeros(1), order)


@subroutine
def publish(state, task, node, argument, pieces):
    """Write a task, its node and its argument (a parent or a column), then begin a turn with all its pieces."""
    state[TASK], state[TASK_NODE], state[ARGUMENT] = task, node, argument
    atomic_store(state, DONE, 0)
    atomic_store(state, REMAINING, (((atomic_load(state, REMAINING) >> 2 * INDEX_BITS) + 1) << 2 * INDEX_BITS) + pieces)


@subroutine
def take_piece(state, at_end):
    """A piece by (1), or −1."""
    while True:
        remaining = atomic_load(state, REMAINING)
        first, last = (remaining >> INDEX_BITS) & MOST_PIECES, remaining & MOST_PIECES
        if remaining == STOP or first == last:
            return -1
        if atomic_swap(state, REMAINING, remaining, remaining - 1 if at_end else remaining + (1 << INDEX_BITS)):
            return last - 1 if at_end else first


@subroutine
def finish_piece(state):
    """Count a piece as done."""
    atomic_add(state, DONE, 1)


@subroutine
def wait_for(state, pieces):
    """Spin until the pieces that helpers have begun are done."""
    while atomic_load(state, DONE) < pieces:
        pause()
