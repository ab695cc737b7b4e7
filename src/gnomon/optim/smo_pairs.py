"""Steps of two variables on a small dense problem.

    minimise over β    ½ βᵀKβ + (g − Kβ₀)ᵀβ + Σᵢ εᵢ|βᵢ|,    l ≤ β ≤ u,    Σᵢ βᵢ = Σᵢ β₀ᵢ               (1)

from β₀, where g is the gradient. A pair moves by ±δ, which keeps the sum. The variable that grows has the least
derivative upwards; the one that falls promises the largest decrease of F to second order (Fan, Chen & Lin 2005,
JMLR 6, 1889–1918, WSS 2). A step ends at a bound or at the kink of |β|. Curvatures are at least `floor`, so a kernel
that is not positive semi-definite also gives steps that descend.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._jit import jit_no_alloc, jitable
from gnomon._typing import Floats

__all__ = ["PairState", "descend_pairs"]


class PairState(NamedTuple):
    """Problem (1) and where it stands; β, g and the one-sided slopes are written to.

    `ups` and `downs` are what the derivatives upwards and downwards have beyond g: ±ε, or ±∞ at a bound.
    """

    K: Floats
    diagonal: Floats
    lower: Floats
    upper: Floats
    epsilon: Floats
    beta: Floats
    g: Floats
    ups: Floats
    downs: Floats


@jit_no_alloc
def descend_pairs(state: PairState, floor: float, tol: float, max_steps: int) -> tuple[int, float]:
    """Up to `max_steps` steps, until no pair violates by more than `tol`; their number and the last violation."""
    K, diagonal, g, beta, ups, downs = state.K, state.diagonal, state.g, state.beta, state.ups, state.downs
    violation = np.inf
    for step in range(max_steps):
        i, least = _steepest_up(g, ups)
        j, violation = _best_partner(K[i], diagonal, diagonal[i], g, downs, least, floor)
        if j < 0 or violation <= tol:
            return step, violation
        length = (g[j] + downs[j] - least) / max(diagonal[i] + diagonal[j] - 2.0 * K[i, j], floor)
        room_i, room_j = _room_up(state, i), _room_down(state, j)
        length = min(length, room_i, room_j)
        before_i, before_j = beta[i], beta[j]
        # What reaches a bound or zero is exactly there.
        beta[i] = _end_up(state, i) if length == room_i else before_i + length
        beta[j] = _end_down(state, j) if length == room_j else before_j - length
        for k in (i, j):
            ups[k] = (
                np.inf if beta[k] >= state.upper[k] else (state.epsilon[k] if beta[k] >= 0.0 else -state.epsilon[k])
            )
            downs[k] = (
                -np.inf if beta[k] <= state.lower[k] else (state.epsilon[k] if beta[k] > 0.0 else -state.epsilon[k])
            )
        _update(g, K[i], K[j], beta[i] - before_i, beta[j] - before_j)
    return max_steps, violation


@jitable
def _steepest_up(g: Floats, ups: Floats) -> tuple[int, float]:
    i, least = 0, np.inf
    for k in range(len(g)):
        slope = g[k] + ups[k]
        if slope < least:
            i, least = k, slope
    return i, least


@jitable
def _best_partner(
    row: Floats, diagonal: Floats, own: float, g: Floats, downs: Floats, least: float, floor: float
) -> tuple[int, float]:
    """The variable whose fall gains most, −1 for none, and the largest violation."""
    j, best, most = -1, 0.0, 0.0
    for k in range(len(g)):
        fall = g[k] + downs[k] - least
        if fall > 0.0:
            most = max(most, fall)
            gain = fall * fall / max(own + diagonal[k] - 2.0 * row[k], floor)
            if gain > best:
                j, best = k, gain
    return j, most


@jitable
def _end_up(state: PairState, i: int) -> float:
    return 0.0 if state.beta[i] < 0.0 and state.epsilon[i] > 0.0 else state.upper[i]


@jitable
def _end_down(state: PairState, j: int) -> float:
    return 0.0 if state.beta[j] > 0.0 and state.epsilon[j] > 0.0 else state.lower[j]


@jitable
def _room_up(state: PairState, i: int) -> float:
    return _end_up(state, i) - state.beta[i]


@jitable
def _room_down(state: PairState, j: int) -> float:
    return state.beta[j] - _end_down(state, j)


@jitable
def _update(g: Floats, row_i: Floats, row_j: Floats, rise: float, drop: float) -> None:
    for k in range(len(g)):
        g[k] += rise * row_i[k] + drop * row_j[k]
