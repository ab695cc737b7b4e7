"""Back-up tests for rows whose value the test of a node needs and that have none.

    association = (min(p_L, p_R) − (1 − p_agree)) / min(p_L, p_R)                                                    (1)

For every other column the binary test that agrees most with the chosen one, over rows that both can place; at most
five with positive association, the largest agreement first. A number goes left below or above its cut, a category
where most of its rows went. Breiman et al. (1984), §5.3, doi:10.1201/9781315139470.
"""

from __future__ import annotations

import numpy as np

from gnomon.search._column_tests import ELSEWHERE, OBLIQUE, TABLE, THREE_WAYS, NodeTest
from gnomon.search._cuts import TIE
from gnomon.search.columns import midpoint

MOST_SURROGATES = 5


def find_surrogates(test, branch, w, rows, columns):
    """The back-up tests of a binary test that sends `rows` of weights `w` down `branch`, the best first."""
    found = []
    placed = branch != ELSEWHERE
    for j in range(len(columns.sizes)):
        if j == test.feature and test.kind != OBLIQUE:
            continue
        codes = columns.codes[j][rows]
        both = placed & (codes != columns.sizes[j])
        present, group = np.unique(codes[both], return_inverse=True)
        if len(present) < 2:
            continue
        sides = np.stack([np.bincount(group, w[both] * (branch[both] == b), len(present)) for b in (0, 1)])
        agreed, backup = (_by_table if columns.category[j] else _by_cut)(j, present.astype(np.int64), sides, columns)
        minority = np.min(np.sum(sides, axis=1))
        # (1) is positive when fewer rows disagree than the smaller side has.
        if minority - (np.sum(sides) - agreed) > TIE * np.sum(sides):
            found.append((-agreed / np.sum(sides), j, backup))
    return tuple(backup for _, _, backup in sorted(found, key=lambda item: item[:2])[:MOST_SURROGATES])


def _by_cut(j, present, sides, columns):
    below = np.cumsum(sides, axis=1)[:, :-1]
    above = np.sum(sides, axis=1)[:, None] - below
    agreed = np.stack([below[0] + above[1], below[1] + above[0]])
    flipped, c = np.unravel_index(int(np.argmax(agreed)), agreed.shape)
    at = columns.starts[j] + present
    t = midpoint(columns.high[at[c]], columns.low[at[c + 1]])
    branches = np.array([1, 1, 0] if flipped else [0, 0, 1])
    return agreed[flipped, c], NodeTest(j, np.nan, THREE_WAYS, np.zeros(3, dtype=int), branches, np.full(3, t))


def _by_table(j, present, sides, columns):
    side = (sides[1] > sides[0]).astype(int)
    return np.sum(np.max(sides, axis=0)), NodeTest(j, np.nan, TABLE, present, side, np.zeros(len(present)))


def follow_surrogates(surrogates, branch, values):
    """The branches of rows that the test cannot place, by the first back-up test that can."""
    branch = np.array(branch)
    for backup in surrogates:
        lost = branch == ELSEWHERE
        if not np.any(lost):
            break
        branch[lost] = backup.branch_of(values)[lost]
    return branch
