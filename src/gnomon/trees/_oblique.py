"""Directions for oblique tests.

    lda       v = S_W⁻¹ (μ_1 − μ_0), the largest class against the rest
    logistic  v minimises Σ w_i log(1 + exp(−y_i (z_iᵀv + b))) + λ‖v‖²/2
    random    p sparse vectors, v_j = ±1 with probability s/2 each, else 0
    oc1       one weight at a time is moved to its best value, from several starts, until no move helps              (1)

Z has the standardised columns of the node. With numbers as targets, lda is the least-squares direction and logistic
separates targets above their mean from the others. Fisher (1936), doi:10.1111/j.1469-1809.1936.tb02137.x; sparse
projections: Tomita et al. (2020), JMLR 21(104), and Li, Hastie & Church (2006), doi:10.1145/1150402.1150436; hill
climbing: Murthy, Kasif & Salzberg (1994), arXiv:cs/9408103.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from gnomon._typing import Array, Floats
from gnomon.losses import LogisticLoss
from gnomon.numerics.design import Design
from gnomon.numerics.linalg import ridge
from gnomon.optim import fit_linear
from gnomon.penalties import L2

__all__ = ["DIRECTIONS", "Direction", "DirectionRule"]

DirectionRule: TypeAlias = Literal["lda", "logistic", "random", "oc1"]

CutScore: TypeAlias = Callable[[Floats], tuple[float, float]]
"""From projections of the rows to the score and the threshold of their best cut."""

Direction: TypeAlias = Callable[[Floats, Array, Floats, bool, CutScore, np.random.Generator], Floats]
"""(Z, y, weights, whether y are classes, score of cuts, rng) → directions, one per row."""

RIDGE = 1e-8
"""Ridge of lda relative to the weight: it only selects among directions that the rows do not determine."""

LOGISTIC_RIDGE = 1e-3
RESTARTS = 4
JUMPS = 5
"""Random starts and random moves of the hill climbing, in addition to the deterministic ones."""


def _response(y: Array, w: Floats, classes: bool) -> Floats:
    """One number per row: whether it is of the largest class, or the mean of its targets."""
    if classes:
        return (y == np.argmax(np.bincount(y, weights=w))).astype(float)
    return np.mean(y.reshape(len(w), -1), axis=1)


def lda_direction(
    Z: Floats, y: Array, w: Floats, classes: bool, cut_sums: CutScore, rng: np.random.Generator
) -> Floats:
    """For two groups Fisher's direction is that of least squares on their indicator."""
    return ridge(Z, _response(y, w, classes)[:, None], RIDGE * np.sum(w), w).coef.reshape(1, -1)


def logistic_direction(
    Z: Floats, y: Array, w: Floats, classes: bool, cut_sums: CutScore, rng: np.random.Generator
) -> Floats:
    """The logistic direction of the largest class against the rest."""
    response = _response(y, w, classes)
    sign = np.where(response > np.average(response, weights=w), 1.0, -1.0)
    penalty = L2(LOGISTIC_RIDGE * float(np.sum(w)), half=True)
    return fit_linear(Design(Z), sign, LogisticLoss(), penalty, w, max_iter=1000).w.reshape(1, -1)


def random_directions(
    Z: Floats, y: Array, w: Floats, classes: bool, cut_sums: CutScore, rng: np.random.Generator
) -> Floats:
    """As many sparse random vectors as columns, of √p entries on average."""
    p = Z.shape[1]
    share = max(1.0 / np.sqrt(p), min(1.0, 2.0 / p))
    return rng.choice([-1.0, 0.0, 1.0], size=(p, p), p=[share / 2.0, 1.0 - share, share / 2.0])


def oc1_direction(
    Z: Floats, y: Array, w: Floats, classes: bool, cut_sums: CutScore, rng: np.random.Generator
) -> Floats:
    """The best of several climbs: from the best single column, from lda, and from random directions."""
    p = Z.shape[1]
    singles = np.eye(p)
    start = singles[int(np.argmax([cut_sums(Z @ v)[0] for v in singles]))]
    starts = [start, lda_direction(Z, y, w, classes, cut_sums, rng)[0], *rng.normal(size=(RESTARTS, p))]
    climbed = [_climb(Z, v, cut_sums, rng) for v in starts]
    return climbed[int(np.argmax([score for score, _ in climbed]))][1][None]


def _climb(Z: Floats, v: Floats, cut_sums: CutScore, rng: np.random.Generator) -> tuple[float, Floats]:
    """From the hyperplane Zv ≤ t: sweeps over its weights, and random directions where no weight can be improved."""
    score, t = cut_sums(Z @ v)
    jumps = 0
    while jumps <= JUMPS:
        before = score
        for step in np.eye(len(v)):
            score, v, t = _move(Z, v, t, score, step, cut_sums)
        if score <= before:
            jumps += 1
            score, v, t = _move(Z, v, t, score, rng.normal(size=len(v)), cut_sums)
    return score, v


def _move(
    Z: Floats, v: Floats, t: float, score: float, step: Floats, cut_sums: CutScore
) -> tuple[float, Floats, float]:
    """The best a in  zᵀv + a (zᵀstep − c) ≤ t  with c below all zᵀstep: row i is left of it while a ≤ turning_i."""
    along = Z @ step
    c = np.min(along) - 1.0
    turning = (t - Z @ v) / (along - c)
    worth, a = cut_sums(turning)
    if worth <= score + 1e-9 * abs(score):
        return score, v, t
    return worth, v + a * step, t + a * c


DIRECTIONS: dict[str, Direction] = {
    "lda": lda_direction,
    "logistic": logistic_direction,
    "random": random_directions,
    "oc1": oc1_direction,
}
