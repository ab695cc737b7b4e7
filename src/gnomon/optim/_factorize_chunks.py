"""Factorisation of rows that come in chunks.

    H ← argmin over H of Σ_c ½ ‖X_c − Z_c H‖² + Ω_H(H),    Z_c = argmin over Z of ½ ‖X_c − Z H‖² + Ω_Z(Z)      (1)

H sees the rows by Σ_c Z_cᵀZ_c and Σ_c X_cᵀZ_c alone, so each pass over the chunks is a round of the alternation, in the
memory of one chunk, whatever the chunks are. The codes are found anew in every pass, from zero. Cichocki & Phan (2009),
doi:10.1587/transfun.E92.A.708; sums in place of rows: Mairal et al. (2010), JMLR 11, 19–60.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import Floats, is_sparse
from gnomon.optim._follow import follow
from gnomon.optim.factors import Constraint
from gnomon.optim.rules import Check, StopRule
from gnomon.optim.solution import Callback, Solution

__all__ = ["code_rows", "factorize_chunks"]

REST = 1e-10
"""Codes are found when a round of sweeps meets violations below this share of the first."""

MOST_ROUNDS = 100


def factorize_chunks(
    read: Callable[[], Iterable[Any]],
    H: Floats,
    left: Constraint,
    right: Constraint,
    *,
    stop: StopRule,
    max_iter: int = 200,
    callback: Callback | None = None,
) -> Solution[Floats]:
    """Minimise ½ ‖X − Z H‖² + Ω_Z(Z) + Ω_H(H) by passes over chunks of rows.

    Parameters
    ----------
    read : callable
        Begins a pass over arrays or sparse matrices of shape (n_c, d).
    H : ndarray of shape (m, d)
        Where to start.
    left, right : Constraint
        Of Z and of H, whose updates know their violations.
    stop : StopRule
        Its `kkt` is the violation of the optimality conditions of H, as a share of that at the start.
    max_iter : int, default=200
        Passes after the first.
    callback : callable, optional

    Returns
    -------
    Solution
        With H in `w`.

    References
    ----------
    Cichocki, A. & Phan, A.-H. (2009). Fast local algorithms for large scale nonnegative matrix and tensor
    factorizations. doi:10.1587/transfun.E92.A.708

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import factorize_chunks
    >>> from gnomon.optim.factors import NonNegative
    >>> from gnomon.optim.stopping import KKT
    >>> chunks = [np.array([[1.0, 2.0]]), np.array([[2.0, 4.0], [3.0, 6.0]])]
    >>> found = factorize_chunks(lambda: chunks, np.ones((1, 2)), NonNegative(), NonNegative(), stop=KKT(1e-8))
    >>> (found.w / found.w[0, 0]).round(6), round(found.objective, 12)
    (array([[1., 2.]]), 0.0)
    """
    return follow(_passes(read, H, left, right), stop, max_iter=max_iter, callback=callback)


def code_rows(X: Any, H: Floats, left: Constraint) -> Floats:
    """Z of (1) for rows X, to rounding.

    References
    ----------
    Cichocki, A. & Phan, A.-H. (2009). Fast local algorithms for large scale nonnegative matrix and tensor
    factorizations. doi:10.1587/transfun.E92.A.708

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import code_rows
    >>> from gnomon.optim.factors import NonNegative
    >>> code_rows(np.array([[3.0, -1.0]]), np.eye(2), NonNegative())
    array([[3., 0.]])
    """
    G, B = H @ H.T, np.asarray(X @ H.T)
    Z, first = left.update_from(np.zeros_like(B), G, B)
    for _ in range(MOST_ROUNDS):
        Z, off = left.update_from(Z, G, B)
        if not off > REST * first:
            break
    return Z


class _Sums(NamedTuple):
    """What a pass adds up: ZᵀZ, XᵀZ, ‖X‖² and Ω_Z(Z)."""

    G: Floats
    B: Floats
    square: float
    penalty: float

    def __add__(self, other: _Sums) -> _Sums:  # type: ignore[override]
        return _Sums(self.G + other.G, self.B + other.B, self.square + other.square, self.penalty + other.penalty)


def _passes(
    read: Callable[[], Iterable[Any]], H: Floats, left: Constraint, right: Constraint
) -> Iterator[Check[Floats]]:
    first = np.nan
    for iteration in count():
        sums = _Sums(np.zeros((len(H), len(H)), H.dtype), np.zeros(H.T.shape, H.dtype), 0.0, 0.0)
        for X in read():
            Z = code_rows(X, H, left)
            square = float(X.multiply(X).sum() if is_sparse(X) else np.vdot(X, X))  # type: ignore[attr-defined]
            sums += _Sums(Z.T @ Z, np.asarray(X.T @ Z), square, left.value(Z))
        fit = 0.5 * (sums.square - 2.0 * float(np.sum(sums.B * H.T)) + float(np.sum(sums.G * (H @ H.T))))
        moved, violation = right.update_from(np.ascontiguousarray(H.T), sums.G, sums.B)
        first = violation if iteration == 0 else first
        share = violation / first if first > 0.0 else violation
        yield Check(iteration, H, max(fit, 0.0) + sums.penalty + right.value(H.T), kkt=share)
        H = np.ascontiguousarray(moved.T)
