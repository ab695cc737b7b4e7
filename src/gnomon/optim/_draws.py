"""Where the rows of stochastic solvers come from.

    E[(κ sᵢ / pᵢ) ∇ℓᵢ] = κ Σᵢ sᵢ ∇ℓᵢ    for i drawn with probability pᵢ                                  (1)

so that a single row is an unbiased estimate of the whole sum, times κ. Needell, Srebro & Ward (2016),
doi:10.1007/s10107-015-0864-7.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, NamedTuple, Self, TypeAlias

import numpy as np
from sklearn.utils import check_random_state

from gnomon._typing import Floats, Integers, Seed
from gnomon.numerics.validation import check_choice
from gnomon.optim.problem import Problem

__all__ = ["Draws", "Sampling", "Scale"]

Sampling: TypeAlias = Literal["uniform", "shuffle", "cyclic", "balanced"] | Floats
"""The order of the rows by its name, or their probabilities."""

Scale: TypeAlias = Literal["mean", "raw"]


class Draws(NamedTuple):
    """Where rows come from: a stream of indices, κ sᵢ/pᵢ and κ of (1), and the problem whose F is descended."""

    next: Callable[[int], Integers]
    factor: Floats
    kappa: float
    target: Problem

    @classmethod
    def of(cls, problem: Problem, sampling: Sampling, *, correct: bool, scale: Scale, random_state: Seed) -> Self:
        n, s = problem.design.n, problem.weights.astype(float)
        kappa = {"mean": 1.0 / float(np.sum(s)), "raw": 1.0}[check_choice("scale", scale, ("mean", "raw"))]
        p = _probabilities(problem, sampling)
        share = np.full(n, 1.0 / n) if p is None or not correct else p
        reachable = share > 0.0
        if np.any(s[~reachable] > 0.0):
            raise ValueError(
                "sampling gives probability 0 to rows of positive weight; give them some, or correct=False"
            )
        factor = np.divide(kappa * s, share, out=np.zeros(n), where=reachable)
        target = problem if p is None or correct else replace(problem, weights=(n * p * s).astype(problem.design.dtype))
        return cls(_stream(sampling, p, n, check_random_state(random_state)), factor, kappa, target)


def _probabilities(problem: Problem, sampling: Sampling) -> Floats | None:
    """pᵢ; None for the orders in which every row comes equally often."""
    n = problem.design.n
    if np.ndim(sampling) > 0:
        p = np.asarray(sampling, dtype=float)
        if p.shape != (n,) or np.any(p < 0) or not np.sum(p) > 0:
            raise ValueError(f"sampling of shape {p.shape} must hold {n} probabilities ≥ 0, not all zero")
        return p / np.sum(p)
    check_choice("sampling", sampling, ("uniform", "shuffle", "cyclic", "balanced"))
    if sampling != "balanced":
        return None
    _, label, count = np.unique(problem.y, return_inverse=True, return_counts=True)
    return 1.0 / (len(count) * count[label])


def _stream(sampling: Sampling, p: Floats | None, n: int, rng: np.random.RandomState) -> Callable[[int], Integers]:
    """A function that gives the next m row numbers."""
    if p is not None:
        return lambda m: rng.choice(n, size=m, p=p)
    if sampling == "uniform":
        return lambda m: rng.randint(n, size=m)
    rest = np.empty(0, dtype=np.int64)

    def following(m: int) -> Integers:
        nonlocal rest
        while rest.size < m:
            rest = np.concatenate([rest, rng.permutation(n) if sampling == "shuffle" else np.arange(n)])
        taken, rest = rest[:m], rest[m:]
        return taken

    return following
