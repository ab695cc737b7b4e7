"""The assignment step of k-means with bounds on distances.

    δ(x, c_z) ≤ u,   l_g ≤ δ(x, c_j) for every other centre j of group g,                                (1)

    u < max(l_g, ½ min_{j∈g} δ(c_z, c_j))   ⇒   no centre of group g is nearer to x than c_z              (2)

and after the centres moved by Δ_j, (1) holds for u + Δ_z and l_g − max_{j∈g, j≠z} Δ_j by the triangle inequality. One
group is the algorithm of Hamerly (2010), doi:10.1137/1.9781611972801.12; a group for each centre that of Elkan (2003),
ICML; k/10 groups of neighbouring centres that of Ding et al. (2015), Yinyang k-means, ICML. Bounds are widened by the
rounding of distances, and (2) is strict, so that the labels are exactly those of comparing all distances.
"""

from typing import NamedTuple

import numpy as np

from gnomon._jit import jit, jit_no_alloc, subroutine
from gnomon._typing import Floats, Integers
from gnomon.optim.center_distances import first_of

__all__ = ["Bounds", "Groups", "Moves", "Tally", "assign_by_bounds", "assign_by_scores", "new_bounds", "new_tally"]


class Groups(NamedTuple):
    """Centres in groups: those of group g have the numbers starts[g] … starts[g + 1] − 1."""

    starts: Integers
    of: Integers
    """The group of each centre."""
    rank: Integers
    """Which centre comes first where two are equally near."""


class Bounds(NamedTuple):
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


class Tally(NamedTuple):
    """What a step changed: the sums of the rows of each centre, and the objective."""

    sums: Floats
    weight: Floats
    members: Integers
    """Rows of positive weight."""
    totals: Floats
    """The decrease of Σ s D; how many rows of positive weight changed their centre."""


def new_bounds(n: int, n_groups: int) -> Bounds:
    """Bounds that hold for any centres."""
    return Bounds(np.full(n, np.inf), np.zeros((n, n_groups)))


def new_tally(k: int, d: int) -> Tally:
    """A tally of no rows."""
    return Tally(np.zeros((k, d)), np.zeros(k), np.zeros(k, dtype=np.int64), np.zeros(2))


@subroutine
def _move_row(rows, i, weight, old, new, before, after, shift, tally):
    """Count row i, at squared distance `before` from centre `old`, to centre `new`; old is −1 at first."""
    if weight == 0.0:
        return
    rows.add_to(i, weight, shift, tally.sums[new])
    tally.weight[new] += weight
    tally.members[new] += 1
    tally.totals[1] += 1.0
    if old < 0:
        tally.totals[0] -= weight * after
        return
    rows.add_to(i, -weight, shift, tally.sums[old])
    tally.weight[old] -= weight
    tally.members[old] -= 1
    tally.totals[0] += weight * (before - after)


@jit
def assign_by_bounds(rows, weights, centers, table, groups, moves, bounds, shift, first, last, labels, tally):
    """Assign rows first:last to their nearest centres, with bounds that hold for the centres before their moves."""
    values = np.empty(len(centers), dtype=centers.dtype)
    for i in range(first, last):
        old = labels[i]
        z = max(old, 0)
        if _settled(i, z, moves, bounds):
            continue
        before = rows.square_to(i, centers[z])
        new, square = _search(rows, i, z, before, centers, table, groups, moves, bounds, values)
        if new != old:
            labels[i] = new
            _move_row(rows, i, weights[i], old, new, before, square, shift, tally)


@subroutine
def _settled(i, z, moves, bounds):
    """Move the bounds of row i with the centres; whether (2) holds for every group."""
    u = bounds.upper[i] + moves.shift[z]
    bounds.upper[i] = u
    settled = True
    for g in range(bounds.lower.shape[1]):
        moved = moves.others[g] if moves.who[g] == z else moves.largest[g]
        bounds.lower[i, g] -= moved
        settled = settled and u < max(bounds.lower[i, g], moves.half[z, g])
    return settled


@subroutine
def _search(rows, i, z, square, centers, table, groups, moves, bounds, values):
    """The nearest centre of row i, with bounds made tight for the groups that were looked at."""
    wide = 1.0 + rows.relative
    u = np.sqrt(square) * wide
    lower = bounds.lower
    for g in range(lower.shape[1]):
        if u < max(lower[i, g], moves.half[z, g]):
            continue
        lo, hi = groups.starts[g], groups.starts[g + 1]
        absolute = rows.squares_to(i, table, lo, hi, values)
        best, value, second = first_of(rows, i, centers, groups.rank, values, absolute, lo, hi, z)
        lower[i, g] = _below(value, absolute, rows.relative)
        if best < 0 or value - absolute - rows.relative * value > square * wide:
            continue
        found = rows.square_to(i, centers[best])
        if found < square or (found == square and groups.rank[best] < groups.rank[z]):
            lower[i, g] = _below(second, absolute, rows.relative)
            own = groups.of[z]
            lower[i, own] = min(lower[i, own], u / (wide * wide))
            z, square, u = best, found, np.sqrt(found) * wide
    bounds.upper[i] = u
    return z, square


@subroutine
def _below(value, absolute, relative):
    """A lower bound on the distance of which `value` is V."""
    if value == np.inf:
        return np.inf
    return np.sqrt(max(0.0, value * (1.0 - 2.0 * relative) - absolute)) * (1.0 - relative)


@jit
def assign_by_scores(rows, weights, centers, rank, scores, norms, reach, shift, first, labels, tally):
    """Assign rows to their nearest centres by scores ‖c‖² − 2xᵀc of rows `first` and those after it."""
    k = len(centers)
    for r in range(len(scores)):
        i = first + r
        absolute = 4.0 * rows.relative * (norms[r] + reach)
        new = first_of(rows, i, centers, rank, scores[r], absolute, 0, k, -1)[0]
        old = labels[i]
        if new != old:
            labels[i] = new
            before = rows.square_to(i, centers[old]) if old >= 0 else 0.0
            _move_row(rows, i, weights[i], old, new, before, rows.square_to(i, centers[new]), shift, tally)


@jit_no_alloc
def forget_bounds(bounds, i):
    """Make the bounds of row i hold for any centres."""
    bounds.upper[i] = np.inf
    bounds.lower[i, :] = 0.0
