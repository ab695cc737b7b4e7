"""Support vector machines of all classes at once, with kernels.

    minimise    ½ Σ_k ‖w_k‖² + Σᵢ Cᵢ Σ_{k≠yᵢ} max(0, 2 − (f_{yᵢ}(xᵢ) − f_k(xᵢ)))                     "ww"        (1)
    minimise    ½ Σ_k ‖w_k‖² + Σᵢ Cᵢ max(0, 1 + max_{k≠yᵢ} f_k(xᵢ) − f_{yᵢ}(xᵢ))                    "cs"        (2)

with f_k = w_k + b_k. The dual of both is over B of shape (n, K), w_k = Σᵢ Bᵢₖ k(xᵢ, ·):

    minimise    ½ Σ_k B_kᵀ K B_k + m Σᵢ Σ_{k≠yᵢ} Bᵢₖ,    Σ_k Bᵢₖ = 0,    −Cᵢ ≤ Bᵢₖ ≤ 0 for k ≠ yᵢ             (3)

m = 2 for (1); for (2) m = 1, and B_{i,yᵢ} ≤ Cᵢ besides. All of a row is solved at once, as the projection of a point
to a box in a plane. A free b adds Σᵢ Bᵢₖ = 0 for every class, see `class_cycles`. Weston & Watkins (1999), ESANN;
Crammer & Singer (2001), JMLR 2, 265–292; without b: Doğan, Glasmachers & Igel (2011), Fast training of multi-class
support vector machines, DIKU 03/2011.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from gnomon._jit import jitable, noun
from gnomon._typing import Floats, Integers
from gnomon.kernels import Against
from gnomon.optim._kernel_blocks import RowCache
from gnomon.optim.class_cycles import class_arcs, class_potentials, descend_cycles, least_mean_cycle
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.working_sets import Look, RowProgram, SetProgram, certified, descend_rows, row_excesses

__all__ = ["MulticlassMargin", "multiclass_kernel_dual"]

MulticlassMargin: TypeAlias = Literal["ww", "cs"]

EDGE = 1e-12
"""How near a bound, as a share of Cᵢ, a coefficient is at it."""


def multiclass_kernel_dual(
    against: Against,
    y: Integers,
    C: Floats,
    *,
    margin: MulticlassMargin = "ww",
    free_intercept: bool = False,
    tol: float = 1e-3,
    max_iter: int = 1000,
    cache_size: float = 200.0,
    callback: Callback | None = None,
) -> Solution[Floats]:
    """Minimise (1) or (2) by its dual (3).

    Parameters
    ----------
    against : Against
        The kernel and the n training rows.
    y : ndarray of shape (n,)
        Classes as 0 … K − 1, all of them present.
    C : ndarray of shape (n,)
        Cᵢ > 0.
    margin : {"ww", "cs"}, default="ww"
        (1) or (2).
    free_intercept : bool, default=False
        Whether (1) has a b for every class. For a penalised one, add a constant to the kernel.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, in units of the scores.
    max_iter : int, default=1000
        Working sets.
    cache_size : float, default=200
        Megabytes of kernel rows that are kept.
    callback : callable, optional
        Called with each row of the history; True stops.

    Returns
    -------
    Solution
        `w` is B of shape (n, K) and `intercept` of shape (K,); `dual_gap` is computed from the scores anew, and
        ``details["kkt"]`` is the largest violation, ``details["scores"]`` KB.

    References
    ----------
    Doğan, Ü., Glasmachers, T. & Igel, C. (2016). A unified view on multi-class support vector classification. JMLR
    17(45).

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import Linear
    >>> from gnomon.optim import multiclass_kernel_dual
    >>> x = np.arange(6.0)[:, None]
    >>> found = multiclass_kernel_dual(
    ...     Linear().against(x), np.array([0, 0, 1, 1, 2, 2]), np.ones(6), free_intercept=True, tol=1e-9
    ... )
    >>> w = found.w.T @ x[:, 0]
    >>> w.round(4) + 0.0, (9 * found.intercept).round(4), round(9 * found.objective, 4)
    (array([-1.3333,  0.    ,  1.3333]), array([ 26.,   8., -34.]), 64.0)
    """
    if margin == "cs" and free_intercept:
        raise ValueError("margin='cs' has no free intercept; add a constant to the kernel, or use margin='ww'")
    K = int(np.max(y)) + 1
    rows = JointMargins(y.astype(np.int64), C.astype(float), *((2.0, K - 1.0) if margin == "ww" else (1.0, 1.0)))
    program = (_BalancedRows if free_intercept else _JointRows)(rows, against.diag().astype(float))
    source, start = RowCache(against, cache_size), np.zeros((len(y), K))
    return certified(source, program, start, tol=tol, max_iter=max_iter, callback=callback)


@noun
class JointMargins(RowProgram):
    """The rows of (3): classes, bounds, the margin m, and how many times Cᵢ the coefficient of the own class may be.

    Examples
    --------
    One row of the first of three classes, which moves from zero to the end of its box:

    >>> import numpy as np
    >>> from gnomon.optim._multiclass_kernel_dual import JointMargins
    >>> rows, row = JointMargins(np.array([0]), np.array([1.0]), margin=1.0, cap=1.0), np.zeros(3)
    >>> rows.settle(0, 0.1, np.zeros((1, 3)), np.zeros((1, 3)), row)
    >>> row
    array([ 1. , -0.5, -0.5])
    """

    y: Integers
    C: Floats
    margin: float
    cap: float

    def excess(self, i: int, curvature: float, B: Floats, F: Floats, row: Floats) -> float:
        """Σ_k Bᵢₖ = 0 lets one coefficient fall and another rise: the best such exchange."""
        fall, rise, edge = -np.inf, np.inf, EDGE * self.C[i]
        for k in range(B.shape[1]):
            own = k == self.y[i]
            slope = F[i, k] + (0.0 if own else self.margin)
            if B[i, k] > (0.0 if own else -self.C[i]) + edge:
                fall = max(fall, slope)
            if B[i, k] < (self.cap * self.C[i] if own else 0.0) - edge:
                rise = min(rise, slope)
        return max(fall - rise, 0.0)

    def settle(self, i: int, curvature: float, B: Floats, F: Floats, row: Floats) -> None:
        """Bᵢₖ = clip(zₖ − μ) with the μ at which they sum to zero, by Newton's method inside a bracket."""
        low, high = np.inf, -np.inf
        for k in range(B.shape[1]):
            own = k == self.y[i]
            row[k] = B[i, k] - (F[i, k] + (0.0 if own else self.margin)) / curvature
            low = min(low, row[k] - (self.cap * self.C[i] if own else 0.0))
            high = max(high, row[k] + (0.0 if own else self.C[i]))
        mu = 0.5 * (low + high)
        for _ in range(200):
            total, free = 0.0, 0
            for k in range(B.shape[1]):
                clipped = _clipped(row[k] - mu, k == self.y[i], self.C[i], self.cap)
                total += clipped
                free += 1 if clipped == row[k] - mu else 0
            if total > 0.0:
                low = mu
            else:
                high = mu
            newton = mu + total / free if free > 0 else np.inf
            if total == 0.0 or newton == mu:
                break
            # Newton's steps to an end of the bracket would go back and forth between its ends.
            mu = newton if low < newton < high else 0.5 * (low + high)
        rest = 0.0
        for k in range(B.shape[1]):
            row[k] = _clipped(row[k] - mu, k == self.y[i], self.C[i], self.cap)
            rest += 0.0 if k == self.y[i] else row[k]
        row[self.y[i]] = -rest


@jitable
def _clipped(value: float, own: bool, C: float, cap: float) -> float:
    return min(max(value, 0.0), cap * C) if own else min(max(value, -C), 0.0)


class _JointRows(SetProgram):
    """(3) without further constraints."""

    def __init__(self, rows: JointMargins, diagonal: Floats) -> None:
        self.rows, self.diagonal = rows, np.maximum(diagonal, 1e-290)

    def look(self, B: Floats, F: Floats) -> Look:
        excess = row_excesses(self.rows, self.diagonal, B, F)
        return Look(float(np.max(excess)), excess, *self.certificate(B, F), np.zeros(B.shape[1]))

    def solve(self, rows: Integers, K: Floats, B: Floats, F: Floats, tol: float) -> Floats:
        return descend_rows(replace(self.rows, y=self.rows.y[rows], C=self.rows.C[rows]), K, B, F, tol)

    def certificate(self, B: Floats, F: Floats, b: Floats | float = 0.0) -> tuple[float, float]:
        """(1) or (2) at the scores F + b, and its distance from minus the value of (3)."""
        square, others = float(np.vdot(B, F)), np.arange(B.shape[1]) != self.rows.y[:, None]
        Z = F + b
        lacking = np.where(others, np.maximum(self.rows.margin + Z - Z[~others][:, None], 0.0), 0.0)
        loss = np.max(lacking, axis=1) if self.rows.cap == 1.0 else np.sum(lacking, axis=1)
        primal = 0.5 * square + float(self.rows.C @ loss)
        dual = -0.5 * square - self.rows.margin * float(np.sum(B[others]))
        return primal, max(primal - dual, 0.0)


class _BalancedRows(_JointRows):
    """(3) with Σᵢ Bᵢₖ = 0 for every class; b are the multipliers of these."""

    def look(self, B: Floats, F: Floats) -> Look:
        arcs = class_arcs(self.rows.y, self.rows.C, self.rows.margin, B, F)
        worst, b = least_mean_cycle(arcs.cost), class_potentials(arcs.cost)
        priority = row_excesses(self.rows, self.diagonal, B, F + b)
        # With the rows of the worst cycle in it, a working set makes progress.
        priority[arcs.mover[worst.nodes, np.roll(worst.nodes, -1)]] = np.inf
        return Look(max(-worst.mean, 0.0), priority, *self.certificate(B, F, b), b)

    def solve(self, rows: Integers, K: Floats, B: Floats, F: Floats, tol: float) -> Floats:
        return descend_cycles(self.rows.y[rows], self.rows.C[rows], self.rows.margin, K, B, F, tol)
