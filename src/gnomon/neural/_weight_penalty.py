"""The penalty of the weights of a network, a piece of θ after the other.

    c/2 Σ_l α_l ‖W_l‖²_F,    ∇ ← ∇ + c α_l W_l                                                         (1)

Hoerl & Kennard (1970), doi:10.1080/00401706.1970.10488634. Pieces of a large θ are for threads; what other parts of the
rows gave to the gradient is added in the same pass, while a piece is in the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from gnomon._jit import jit_no_alloc, subroutine, subroutine_reassoc
from gnomon._typing import Floats, Integers
from gnomon.numerics.parts import Run, fixed_parts

__all__ = ["LEAST_PIECE", "WeightPenalty"]

LEAST_PIECE = 2**15
"""Numbers of θ for which a piece of its own is worth having."""


class WeightPenalty:
    """(1) for groups of parameters.

    Parameters
    ----------
    groups : sequence of Group
        Those with a strength l2 are penalised, unless their layer is frozen.
    size : int
        Of θ.
    run : callable (function, items) → list
        What works through the pieces.
    """

    def __init__(self, groups: Sequence[Any], size: int, run: Run) -> None:
        penalised = [group for group in groups if group.l2 and group.trainable]
        self._pieces = [_Piece.of(part, penalised) for part in fixed_parts(size, LEAST_PIECE)]
        self._any, self._run = bool(penalised), run

    def add(self, theta: Floats, gradient: Floats, c: float, others: Floats) -> float:
        """The value; its gradient and the rows of `others` are added to `gradient`, unless that is empty."""
        if not (self._any or len(others)):
            return 0.0
        if len(self._pieces) == 1:
            return float(_add_ridge(theta, gradient, others, c, *self._pieces[0]))
        return sum(self._run(lambda piece: _add_ridge(theta, gradient, others, c, *piece), self._pieces))


class _Piece(NamedTuple):
    """θ[first:last], and the slices of it that are penalised."""

    first: int
    last: int
    starts: Integers
    stops: Integers
    strengths: Floats

    @classmethod
    def of(cls, part: slice, groups: Sequence[Any]) -> Self:
        cuts = [(max(g.where.start, part.start), min(g.where.stop, part.stop), g.l2) for g in groups]
        starts, stops, strengths = np.array([cut for cut in cuts if cut[0] < cut[1]], dtype=float).reshape(-1, 3).T
        return cls(part.start, part.stop, starts.astype(np.int64), stops.astype(np.int64), strengths.copy())


@jit_no_alloc
def _add_ridge(theta, gradient, others, scale, first, last, starts, stops, strengths):
    for k in range(others.shape[0]):
        _add(others[k, first:last], gradient[first:last])
    total = 0.0
    for k in range(starts.shape[0]):
        c = theta.dtype.type(strengths[k] * scale)
        part = theta[starts[k] : stops[k]]
        to = gradient[starts[k] : stops[k]] if gradient.shape[0] > 0 else gradient
        total += 0.5 * c * _add_multiple(part, to, c)
    return total


@subroutine
def _add(part, to):
    for i in range(to.shape[0]):
        to[i] += part[i]


@subroutine_reassoc
def _add_multiple(part, to, c):
    """‖part‖², with c times it added to `to` unless that is empty."""
    square = 0.0
    for i in range(part.shape[0]):
        square += float(part[i]) * float(part[i])
    for i in range(to.shape[0]):
        to[i] += c * part[i]
    return square
