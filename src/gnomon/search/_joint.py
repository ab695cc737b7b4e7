"""Columns whose histograms are filled together.

    joint code of a row = number of the combination of codes it has, among those that occur;  256 at most          (1)
    sums of a code of one column = Σ sums of the joint codes that hold it                                           (2)

Columns of few codes, of codes that tell each other, or of which one is nearly always the same, are read once for all:
adding up the joint codes is little beside reading the rows. Ke et al. (2017), LightGBM, NeurIPS 30, bundle columns of
which only one differs from zero; here the combinations are counted, so that sums are exact whatever they are.

Consecutive additions to one sum wait for each other: each loads what the one before has stored. A code that many rows
have therefore gets several joint codes, which its rows take in turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._jit import jit

__all__ = ["Joint", "each_alone", "join_columns"]

MOST_JOINT_CODES = 256
"""Joint codes that fit in a byte."""

CROWDED = (16, 8, 4, 2)
"""A code that more than one of so many rows have is divided; the first of these that leaves at most 256 codes."""

GROUPS_TRIED = 8
"""The last groups to which a column may be joined: to try all pairs of many columns costs more than it saves."""

SUM_COST = 4
"""The cost of adding up one joint code, in rows read."""


class Joint(NamedTuple):
    """Groups of columns: `members` from `starts[b]` to `starts[b + 1]` have the joint codes `codes[b]`.

    The sums of joint code c are entry ``places[b] + c`` of a histogram: in place of a column's own, or after those of
    all columns. ``parts[c, k]`` is the entry of the code that the k-th member has in joint code c. With less than
    `fewest` rows, adding up joint codes takes longer than reading the columns one by one.
    """

    codes: np.ndarray
    sizes: np.ndarray
    starts: np.ndarray
    members: np.ndarray
    parts: np.ndarray
    places: np.ndarray
    fewest: int

    @property
    def n_entries(self):
        """How many groups of sums a histogram has."""
        return int(np.max(self.places + self.sizes, initial=0))


def each_alone(columns):
    """Groups of one column each."""
    p = len(columns.sizes)
    parts, places = np.zeros((0, 0), dtype=np.uint32), columns.starts[:-1] + np.arange(p)
    return Joint(columns.codes, columns.sizes + 1, np.arange(p + 1), np.arange(p), parts, places, 0)


def join_columns(columns):
    """Groups by (1), columns of few codes first, each joined to the first group with which it has few combinations."""
    groups = []
    for j in np.argsort(columns.sizes, kind="stable"):
        codes, size = columns.codes[j], int(columns.sizes[j]) + 1
        for b in range(max(0, len(groups) - GROUPS_TRIED), len(groups)):
            joined = _joined(groups[b], codes, size)
            if joined is not None:
                groups[b] = *joined, [*groups[b][2], int(j)]
                break
        else:
            groups.append((codes, np.arange(size, dtype=np.uint8)[None], [int(j)]))
    groups = [(*_in_turn(codes, parts), members) for codes, parts, members in groups]
    alone = each_alone(columns)
    own = np.array([len(parts) > 1 or parts.shape[1] > columns.sizes[members[0]] + 1 for _, parts, members in groups])
    if not np.any(own):
        return alone
    counts = np.array([len(members) for _, _, members in groups])
    sizes = np.array([codes.shape[1] for _, codes, _ in groups])
    starts, members = np.concatenate([[0], np.cumsum(counts)]), np.concatenate([group[2] for group in groups])
    parts = np.zeros((MOST_JOINT_CODES, len(members)), dtype=np.uint32)
    for k, codes in enumerate(code for group in groups for code in group[1]):
        parts[: len(codes), k] = alone.places[members[k]] + codes
    places = np.where(own, alone.n_entries + np.cumsum(own * sizes) - sizes, alone.places[members[starts[:-1]]])
    fewest = SUM_COST * int(np.sum(own * sizes * counts)) // max(1, len(members) - len(groups))
    return Joint(np.array([group[0] for group in groups]), sizes, starts, members, parts, places, fewest)


def _joined(group, codes, size):
    """The joint codes of a group and one more column, and their parts; None if there are too many."""
    known = group[1].shape[1]
    if known + size > MOST_JOINT_CODES + 1:
        return None
    place = np.full(known * size, -1, dtype=np.int64)
    _mark(group[0], codes, size, place)
    found = np.flatnonzero(place >= 0)
    if len(found) > MOST_JOINT_CODES:
        return None
    place[found] = np.arange(len(found))
    together = np.empty(len(codes), dtype=np.uint8)
    _look_up(group[0], codes, size, place, together)
    return together, np.vstack([group[1][:, found // size], (found % size).astype(np.uint8)])


def _in_turn(codes, parts):
    """Codes and parts with several codes for each that many rows have, as far as they fit in a byte."""
    shares = np.bincount(codes, minlength=parts.shape[1]) / len(codes)
    tried = (np.maximum(1, np.ceil(many * shares).astype(np.int64)) for many in CROWDED)
    times = next((times for times in tried if np.sum(times) <= MOST_JOINT_CODES), None)
    if times is None or np.all(times == 1):
        return codes, parts
    more = len(times) + np.cumsum(times - 1) - times
    numbered = np.empty_like(codes)
    _take_turns(codes, times, more, numbered)
    return numbered, np.hstack([parts, np.repeat(parts, times - 1, axis=1)])


@jit
def _take_turns(codes, times, more, out):
    for i in range(len(codes)):
        turn = i % times[codes[i]]
        out[i] = codes[i] if turn == 0 else more[codes[i]] + turn


@jit
def _mark(one, two, size, place):
    for i in range(len(one)):
        place[np.int64(one[i]) * size + two[i]] = 0


@jit
def _look_up(one, two, size, place, out):
    for i in range(len(one)):
        out[i] = place[np.int64(one[i]) * size + two[i]]
