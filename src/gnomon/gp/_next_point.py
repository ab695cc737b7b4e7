"""The next point: many candidates, then ascent from the best.

    maximise over the points of a space    A(columns of the point)                                    (1)

Candidates are a scrambled Sobol sequence of the unit cube and places around the best points that are known; all points
where the space has few. The real parameters of the best of them then ascend together by L-BFGS-B, Byrd et al. (1995),
doi:10.1137/0916069: the sum of their A is separable, and one search costs less than ten.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from scipy import optimize
from scipy.stats import qmc

from gnomon._typing import Floats, Integers
from gnomon.gp._acquisition import Aim
from gnomon.gp.space import Codes, Space
from gnomon.numerics.parallel import blas_threads, calm_blas, map_chunks, split_rows

__all__ = ["Candidates", "best_point"]

BLOCK = 1 << 14
KEPT = 1 << 17
"""Up to so many candidates stay in memory from one question to the next."""
ROWS = 1 << 12
"""Rows whose covariances with a hundred known points stay in the cache; fewer, and threads wait for the interpreter."""
SHORT_LIST = 256
"""Candidates whose A is computed again in double precision."""
POLISHED = 10
LOCAL, STEPS = 1000, (0.1, 0.01, 0.001)
ASCENT = {"maxiter": 50, "maxcor": 20, "ftol": 1e-9}


class CandidateBlock(NamedTuple):
    """Places of the unit cube, and their columns in single precision."""

    U: Floats
    Z: Floats


class Candidates:
    """The same `n` candidates for every question, in blocks."""

    def __init__(self, space: Space, n: int, seed: int):
        self._space, self._n, self._seed = space, n, seed
        all_points = space.enumerate(n)
        self.complete = all_points is not None
        self.size = n if all_points is None else len(all_points)
        self._kept = [self._block(all_points)] if all_points is not None else None

    def blocks(self) -> Iterator[CandidateBlock]:
        """All candidates."""
        if self._kept is not None:
            return iter(self._kept)
        made = self._made()
        if self._n > KEPT:
            return made
        self._kept = list(made)
        return iter(self._kept)

    def _made(self) -> Iterator[CandidateBlock]:
        points = qmc.Sobol(len(self._space), scramble=True, seed=np.random.default_rng(self._seed))
        left = self._n
        while left > 0:
            U = points.random(BLOCK)[:left]
            left -= len(U)
            yield self._block(self._space.existing(U))

    def _block(self, U: Floats) -> CandidateBlock:
        return CandidateBlock(U, self._space.columns(U).astype(np.float32))


def best_point(
    space: Space,
    aim: Aim,
    candidates: Candidates,
    known: Floats,
    seen: Collection[Codes],
    rng: np.random.Generator,
    n_jobs: int | None = None,
) -> Codes:
    """The point (1), among those that were not seen while there are others.

    Parameters
    ----------
    space : Space
    aim : Aim
        A.
    candidates : Candidates
    known : ndarray of shape (k, d)
        Places around which others are tried.
    seen : collection of codes
    rng : numpy.random.Generator
    n_jobs : int, optional
        Threads; None for as many as BLAS has.
    """
    most, workers = SHORT_LIST + len(seen), blas_threads() if n_jobs is None else n_jobs
    # Threads of BLAS would be woken for thousands of small matrices; those here take candidates.
    with calm_blas(0):
        listed = _short_list(space, aim.quick(), candidates, known, most, rng, workers)
        return _best_of_list(space, aim, listed, seen)


def _best_of_list(space: Space, aim: Aim, listed: Floats, seen: Collection[Codes]) -> Codes:
    """The best point of a short list, after ascent from its first ones."""
    values = aim.value(space.columns(listed))
    first = list(islice(_unseen(space, listed[np.argsort(-values, kind="stable")], seen), POLISHED))
    if not first:
        # Every candidate is a point that was seen: they are asked again, as a function with noise may be.
        return space.codes_at(listed[[np.argmax(values)]])[0]
    U = np.array([u for u, _ in first])
    ends = np.vstack([_ascended(space, aim, U), U])
    order = np.argsort(-aim.value(space.columns(ends)), kind="stable")
    return next(code for _, code in _unseen(space, ends[order], seen))


def _short_list(
    space: Space,
    quick: Aim,
    candidates: Candidates,
    known: Floats,
    most: int,
    rng: np.random.Generator,
    n_jobs: int,
) -> Floats:
    """The best candidates of every block, by single precision."""
    kept = [_best_of(quick, block, most, n_jobs) for block in candidates.blocks()]
    if not candidates.complete:
        near = space.nearby(known[rng.integers(0, len(known), LOCAL)], rng.choice(STEPS, LOCAL), rng)
        kept.append(_best_of(quick, CandidateBlock(near, space.columns(near).astype(np.float32)), most, n_jobs))
    values, places = np.concatenate([v for v, _ in kept]), np.vstack([U for _, U in kept])
    return places[_greatest(values, most)]


def _best_of(quick: Aim, block: CandidateBlock, most: int, n_jobs: int) -> tuple[Floats, Floats]:
    parts = split_rows(len(block.Z), -(-len(block.Z) // ROWS))
    values = np.concatenate(map_chunks(lambda rows: quick.value(block.Z[rows]), parts, n_jobs))
    best = _greatest(values, most)
    return values[best], block.U[best]


def _greatest(values: Floats, most: int) -> Integers:
    """Where the greatest values are, in their order."""
    if len(values) <= most:
        return np.arange(len(values))
    return np.sort(np.argpartition(-values, most)[:most])


def _unseen(space: Space, U: Floats, seen: Collection[Codes]) -> Iterator[tuple[Floats, Codes]]:
    """Places of points that were not seen, each point once."""
    passed: set[Codes] = set()
    for u in U:
        code = space.codes_at(u[None, :])[0]
        if code not in seen and code not in passed:
            passed.add(code)
            yield u, code


def _ascended(space: Space, aim: Aim, U: Floats) -> Floats:
    """Places whose real parameters ascended, all in one search; those that came out worse stay."""
    free = space.is_real & ~np.isnan(U)
    if not np.any(free):
        return U
    Z, real = space.columns(U), space.is_real[space.groups]
    moved = np.zeros(Z.shape, dtype=bool)
    moved[:, real] = free[:, space.is_real]

    def cost(x: Floats) -> tuple[float, Floats]:
        Z[moved] = x
        value, slopes = aim.value_and_slopes(Z)
        return -float(np.sum(value)), -slopes[moved]

    found = optimize.minimize(
        cost, Z[moved], method="L-BFGS-B", jac=True, bounds=[(0.0, 1.0)] * int(free.sum()), options=ASCENT
    )
    ends = U.copy()
    ends[free] = np.clip(found.x, 0.0, 1.0)
    return ends
