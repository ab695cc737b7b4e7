"""The assignment step of k-means with bounds on distances.

    δ(x, c_z) ≤ u,   l_g ≤ δ(x, c_j) for every other centre j of group g,                                (1)

    u < max(l_g, ½ min_{j∈g} δ(c_z, c_j))   ⇒   no centre of group g is nearer to x than c_z              (2)

and after the centres moved by Δ_j, (1) holds for u + Δ_z and l_g − max_{j∈g, j≠z} Δ_j by the triangle inequality. One
group is the algorithm of Hamerly (2010), doi:10.1137/1.9781611972801.12; a group for each centre that of Elkan (2003),
ICML; k/10 groups of neighbouring centres that of Ding et al. (2015), Yinyang k-means, ICML. Bounds are widened by the
rounding of distances, and (2) is strict, so that the labels are exactly those of comparing all distances. Of the rows
for which (2) fails all distances are computed, many rows at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._jit import jit, jit_no_alloc, subroutine
from gnomon._typing import Floats, Integers
from gnomon.optim.center_distances import Rows

__all__ = [
    "NO_MOVES",
    "BlockSpace",
    "CenterGroups",
    "Centers",
    "DistanceBounds",
    "Moves",
    "Tally",
    "add_tally",
    "assign_rows",
    "forget_bounds",
    "new_bounds",
    "new_tally",
]


class CenterGroups(NamedTuple):
    """Centres in groups: those of group g have the numbers starts[g] … starts[g + 1] − 1."""

    starts: Integers
    of: Integers
    """The group of each centre."""
    rank: Integers
    """Which centre comes first where two are equally near."""


class Centers(NamedTuple):
    """Centres, and what products of rows with them need: equation (2) of `center_distances`."""

    points: Floats
    groups: CenterGroups
    shift: Floats
    """m, in double precision."""
    offset: Floats
    """m in the precision of the rows."""
    twice: Floats
    """−2 (c − m), in the precision of products."""
    squares: Floats
    """‖c − m‖², likewise."""


class DistanceBounds(NamedTuple):
    """u of each row and l of each row and group, equation (1)."""

    upper: Floats
    lower: Floats


class Moves(NamedTuple):
    """How far centres moved, and how far apart they are."""

    shift: Floats
    """Δ of each centre."""
    largest: Floats
    """max Δ of each group."""
    who: Integers
    """The centre that moved so far."""
    others: Floats
    """max Δ of the others of its group."""
    half: Floats
    """½ min_{j∈g} δ(c_z, c_j) for each centre z and group g."""


NO_MOVES = Moves(np.empty(0), np.empty(0), np.empty(0, dtype=np.int64), np.empty(0), np.empty((0, 0)))
"""What is given where there are no bounds."""


class BlockSpace(NamedTuple):
    """Memory that is kept from block to block: to get so much anew, page by page, would cost as much as its use."""

    found: Integers
    """As many as a block has rows."""
    block: Floats
    scores: Floats


class Tally(NamedTuple):
    """What a step changed: the sums of the rows of each centre, and the objective."""

    sums: Floats
    weight: Floats
    members: Integers
    """Rows of positive weight."""
    gain: Floats
    """The decrease of Σ s D."""
    changed: Integers
    """How many rows of positive weight changed their centre."""
    undecided: Integers
    """For how many rows products left open which centre is the nearest."""


def new_bounds(n: int, n_groups: int) -> DistanceBounds:
    """Bounds that hold for any centres."""
    return DistanceBounds(np.full(n, np.inf), np.zeros((n, n_groups)))


def new_tally(k: int, d: int) -> Tally:
    """A tally of no rows."""
    count = [np.zeros(size, dtype=np.int64) for size in (k, 1, 1)]
    return Tally(np.zeros((k, d)), np.zeros(k), count[0], np.zeros(1), count[1], count[2])


@jit_no_alloc
def add_tally(sums: Floats, carry: Floats, weight: Floats, members: Integers, tally: Tally) -> None:
    """Add a tally to sums, whose rounding is added to `carry`."""
    for j in range(len(weight)):
        weight[j] += tally.weight[j]
        members[j] += tally.members[j]
        for f in range(sums.shape[1]):
            a, b = sums[j, f], tally.sums[j, f]
            new = a + b
            lost_by_b, lost_by_a = (a - new) + b, (b - new) + a
            sums[j, f] = new
            carry[j, f] += lost_by_b if abs(a) >= abs(b) else lost_by_a


@subroutine
def _move_row(
    rows: Rows,
    i: int,
    weight: float,
    old: int,
    new: int,
    before: float,
    after: float,
    shift: Floats,
    tally: Tally,
) -> None:
    """Count row i, at squared distance `before` from centre `old`, to centre `new`; old is −1 at first."""
    if weight == 0.0:
        return
    rows.add_to(i, weight, shift, tally.sums[new])
    tally.weight[new] += weight
    tally.members[new] += 1
    tally.changed[0] += 1
    if old < 0:
        tally.gain[0] -= weight * after
        return
    rows.add_to(i, -weight, shift, tally.sums[old])
    tally.weight[old] -= weight
    tally.members[old] -= 1
    tally.gain[0] += weight * (before - after)


@jit
def assign_rows(
    rows: Rows,
    weights: Floats,
    norms: Floats,
    centers: Centers,
    moves: Moves,
    bounds: DistanceBounds,
    space: BlockSpace,
    first: int,
    last: int,
    labels: Integers,
    tally: Tally,
) -> None:
    """Assign the rows first:last, a block at a time; with bounds only those whose centre may have changed.

    One call without a return to Python, so that threads do not wait for each other; `norms` are ‖x − m‖² of the rows.
    """
    k, length, start = len(centers.points), len(space.found), first
    while start < last:
        if len(bounds.upper) > 0:
            m, start = find_open(rows, centers.points, moves, bounds, labels, start, last, space.found)
        else:
            m = min(length, last - start)
            for r in range(m):
                space.found[r] = start + r
            start += m
        which, scores = space.found[:m], space.scores[: k * m].reshape(k, m)
        rows.products(which, centers.twice, centers.offset, space.block, scores)
        assign_open(rows, weights, norms, centers, bounds, scores, which, labels, tally)


@jit
def find_open(
    rows: Rows,
    centers: Floats,
    moves: Moves,
    bounds: DistanceBounds,
    labels: Integers,
    first: int,
    last: int,
    found: Integers,
) -> tuple[int, int]:
    """The next rows from `first` whose centre may not be the nearest one: how many, and where to go on."""
    n_found, i, wide = 0, first, 1.0 + rows.relative
    while i < last and n_found < len(found):
        z = labels[i]
        settled = z >= 0 and _follow(i, z, moves, bounds) == 0
        if z >= 0 and not settled:
            bounds.upper[i] = np.sqrt(rows.square_to(i, centers[z])) * wide
            settled = _n_open(i, z, moves, bounds) == 0
        if not settled:
            found[n_found] = i
            n_found += 1
        i += 1
    return n_found, i


@subroutine
def _follow(i: int, z: int, moves: Moves, bounds: DistanceBounds) -> int:
    """Move the bounds of row i with the centres; for how many groups (2) fails."""
    bounds.upper[i] += moves.shift[z]
    for g in range(bounds.lower.shape[1]):
        bounds.lower[i, g] -= moves.others[g] if moves.who[g] == z else moves.largest[g]
    return _n_open(i, z, moves, bounds)


@subroutine
def _n_open(i: int, z: int, moves: Moves, bounds: DistanceBounds) -> int:
    """For how many groups (2) fails."""
    u, n_open = bounds.upper[i], 0
    for g in range(bounds.lower.shape[1]):
        n_open += not (u < bounds.lower[i, g] or u < moves.half[z, g])
    return n_open


@jit
def assign_open(
    rows: Rows,
    weights: Floats,
    norms: Floats,
    centers: Centers,
    bounds: DistanceBounds,
    scores: Floats,
    found: Integers,
    labels: Integers,
    tally: Tally,
) -> None:
    """Assign rows to their nearest centres by −2xᵀc in `scores`, a line for each centre."""
    starts, squares, points = centers.groups.starts, centers.squares, centers.points
    t, m = len(starts) - 1, len(found)
    least, second = np.empty((t, m), dtype=scores.dtype), np.empty((t, m), dtype=scores.dtype)
    who = np.empty((t, m), dtype=np.int32)
    for g in range(t):
        _two_least(scores, squares, starts[g], starts[g + 1], least[g], second[g], who[g])
    reach, wide = float(squares.max()), 1.0 + rows.relative
    for r in range(m):
        i = found[r]
        rounding = rows.relative * (norms[i] + reach) + rows.lost
        old, new = labels[i], _least(r, rounding, least, second, who)
        if new < 0:
            tally.undecided[0] += 1
            new = _nearest(rows, i, r, centers, scores, 2.0 * rounding, least)
        if new != old:
            labels[i] = new
            before = rows.square_to(i, points[old]) if old >= 0 else 0.0
            after = rows.square_to(i, points[new])
            _move_row(rows, i, weights[i], old, new, before, after, centers.shift, tally)
            if len(bounds.upper) > 0:
                bounds.upper[i] = np.sqrt(after) * wide
        if len(bounds.upper) > 0:
            for g in range(t):
                value = second[g, r] if who[g, r] == new else least[g, r]
                bounds.lower[i, g] = np.sqrt(max(0.0, value + norms[i] - rounding)) / wide


@subroutine
def _two_least(scores: Floats, squares: Floats, lo: int, hi: int, least: Floats, second: Floats, who: Integers) -> None:
    """The least and second least V of the centres lo:hi, and whose the least is, for every row."""
    least[:], second[:], who[:] = np.inf, np.inf, lo
    for j in range(lo, hi):
        line, square = scores[j], squares[j]
        for r in range(len(least)):
            value, last = line[r] + square, least[r]
            less = value < last
            rest = last if less else value
            second[r] = rest if rest < second[r] else second[r]
            least[r] = value if less else last
            who[r] = j if less else who[r]


@subroutine
def _least(r: int, rounding: float, least: Floats, second: Floats, who: Integers) -> int:
    """The centre with the least V, or −1 where rounding leaves it open."""
    first = 0
    for g in range(1, len(least)):
        first = g if least[g, r] < least[first, r] else first
    other = second[first, r]
    for g in range(len(least)):
        other = least[g, r] if g != first and least[g, r] < other else other
    return int(who[first, r]) if other - least[first, r] > 2.0 * rounding else -1


@subroutine
def _nearest(rows: Rows, i: int, r: int, centers: Centers, scores: Floats, margin: float, least: Floats) -> int:
    """The nearest centre by (1), of those whose V is the least but for `margin`; the lowest rank of several."""
    limit, best, square = least[:, r].min() + margin, -1, np.inf
    rank = centers.groups.rank
    for j in range(len(centers.points)):
        if scores[j, r] + centers.squares[j] <= limit:
            found = rows.square_to(i, centers.points[j])
            if found < square or (found == square and rank[j] < rank[best]):
                best, square = j, found
    return best


@jit_no_alloc
def forget_bounds(bounds: DistanceBounds, i: int) -> None:
    """Make the bounds of row i hold for any centres."""
    bounds.upper[i] = np.inf
    bounds.lower[i, :] = 0.0
