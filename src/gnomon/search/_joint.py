"""Columns whose histograms are filled together.

    joint code of a row = number of the combination of codes it has, among those that occur;  256 at most          (1)
    sums of a code of one column = Σ sums of the joint codes that hold it                                           (2)

Columns of few codes, of codes that tell each other, or of which one is nearly always the same, are read once for all:
adding up the joint codes is little beside reading the rows. Ke et al. (2017), LightGBM, NeurIPS 30, bundle columns of
which only one differs from zero; here the combinations are counted, so that sums are exact whatever they are.
"""

from typing import NamedTuple

import numpy as np

from gnomon._jit import jit

__all__ = ["Joint", "each_alone", "join_columns"]

MOST = 256
"""Joint codes that a byte can tell."""

OPEN = 8
"""Groups to which a column is tried to be joined: all pairs of many columns would take longer than they save."""


class Joint(NamedTuple):
    """Groups of columns: `members` from `starts[b]` to `starts[b + 1]` have the joint codes `codes[b]`.

    ``parts[k, c]`` is the code of the k-th member for joint code c; `sums` are those of joint codes.
    """

    codes: np.ndarray
    sizes: np.ndarray
    starts: np.ndarray
    members: np.ndarray
    parts: np.ndarray
    sums: np.ndarray


def each_alone(columns):
    """Groups of one column each."""
    p = len(columns.sizes)
    none = np.zeros((0, 0), dtype=np.uint8), np.zeros((0, 0))
    return Joint(columns.codes, columns.sizes + 1, np.arange(p + 1), np.arange(p), *none)


def join_columns(columns, width):
    """Groups by (1), columns of few codes first, each joined to the first group with which it has few combinations."""
    groups = []
    for j in np.argsort(columns.sizes, kind="stable"):
        codes, size = columns.codes[j], int(columns.sizes[j]) + 1
        for b in range(max(0, len(groups) - OPEN), len(groups)):
            joined = _joined(groups[b], codes, size)
            if joined is not None:
                groups[b] = *joined, [*groups[b][2], int(j)]
                break
        else:
            groups.append((codes, np.arange(size, dtype=np.uint8)[None], [int(j)]))
    if len(groups) == len(columns.sizes):
        return each_alone(columns)
    parts = np.zeros((len(columns.sizes), MOST), dtype=np.uint8)
    for row, part in zip(parts, (part for group in groups for part in group[1]), strict=True):
        row[: len(part)] = part
    counts = [len(group[2]) for group in groups]
    return Joint(
        np.array([group[0] for group in groups]), np.array([group[1].shape[1] for group in groups]),
        np.concatenate([[0], np.cumsum(counts)]), np.concatenate([group[2] for group in groups]), parts,
        np.empty((len(groups), MOST * width)),
    )  # fmt: skip


def _joined(group, codes, size):
    """The joint codes of a group and one more column, and their parts; None if there are too many."""
    known = group[1].shape[1]
    if known + size > MOST + 1:
        return None
    place = np.full(known * size, -1, dtype=np.int64)
    _mark(group[0], codes, size, place)
    found = np.flatnonzero(place >= 0)
    if len(found) > MOST:
        return None
    place[found] = np.arange(len(found))
    together = np.empty(len(codes), dtype=np.uint8)
    _look_up(group[0], codes, size, place, together)
    return together, np.vstack([group[1][:, found // size], (found % size).astype(np.uint8)])


@jit
def _mark(one, two, size, place):
    for i in range(len(one)):
        place[np.int64(one[i]) * size + two[i]] = 0


@jit
def _look_up(one, two, size, place, out):
    for i in range(len(one)):
        out[i] = place[np.int64(one[i]) * size + two[i]]
