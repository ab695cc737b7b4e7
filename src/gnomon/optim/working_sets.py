"""Kernel duals with constraints on the rows of a matrix, by working sets.

    minimise over B, Bᵢ ∈ Sᵢ    Q(B) = Σ_c w_c [½ B_cᵀ K B_c + d_cᵀ B_c],    B of shape (n, m)                     (1)

The rows that violate their optimality conditions most are solved among themselves by a compiled loop on their own
square of K, then one product with their rows of K moves all scores F = KB. So a loop works on a matrix that stays in
the processor's cache, kernel values are computed by BLAS in blocks, and K is never needed at once. Joachims (1998),
Making large-scale SVM learning practical, section 3; Wen et al. (2018), ThunderSVM, JMLR 19(21).
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple, Protocol

import numpy as np

from gnomon._jit import compiled, jit_no_alloc, verb
from gnomon._typing import Floats, Integers
from gnomon.optim._follow import Checks, follow
from gnomon.optim._kernel_blocks import RowCache
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import KKT, Check

__all__ = ["Look", "RowProgram", "SetProgram", "certified", "descend_rows", "row_excesses"]

SIZE = 512
"""Rows of a working set: a square of two megabytes."""

SHARE = 0.1
"""A working set is solved to this share of the violation at its start."""

FLOOR = 1e-12
"""Least curvature of a row, as a share of the largest: rows of a kernel that is none may have none."""

STEPS = 1000
"""Steps for each row of a working set, at most."""


class RowProgram:
    """The sets Sᵢ of (1), their linear terms, and the two verbs that a descent over rows needs.

    Examples
    --------
    >>> from gnomon.optim.working_sets import RowProgram
    >>> from gnomon.optim._multiclass_kernel_dual import JointMargins
    >>> issubclass(JointMargins, RowProgram)
    True
    """

    @verb
    def excess(self, i: int, curvature: float, B: Floats, F: Floats, row: Floats) -> float:
        """By how much row i violates its optimality conditions, in units of the scores; `row` is spare memory."""
        raise NotImplementedError

    @verb
    def settle(self, i: int, curvature: float, B: Floats, F: Floats, row: Floats) -> None:
        """Write to `row` the minimiser of (1) over row i, the others fixed; `curvature` is K_ii."""
        raise NotImplementedError


class Look(NamedTuple):
    """What is known at a point B with scores F.

    Fields
    ------
    kkt : float
        The largest violation of the optimality conditions, in units of the scores.
    priority : ndarray of shape (n,)
        The larger, the more a row belongs to the next working set.
    objective, gap : float
        The primal objective of the scores, and its distance from the dual one.
    intercept : ndarray of shape (m,)
        b of the primal point.
    """

    kkt: float
    priority: Floats
    objective: float
    gap: float
    intercept: Floats


class SetProgram(Protocol):
    """A problem (1) as `solve_sets` takes it."""

    def look(self, B: Floats, F: Floats) -> Look:
        """Violations and certificates at B."""
        ...

    def solve(self, rows: Integers, K: Floats, B: Floats, F: Floats, tol: float) -> Floats:
        """The rows of B that solve (1) among themselves; K, B and F are those of `rows`, and B, F may be written to."""
        ...


def solve_sets(source: RowCache, program: SetProgram, B: Floats, tol: float) -> Checks:
    """Yield a check for the start B and after every working set; ends where rounding lets nothing move."""
    F = _scores(source, B)
    # Equal priorities, as at B = 0, must not make a working set of one class.
    shuffled = np.random.default_rng(0).permutation(len(B))
    size, last = min(SIZE, len(B), source.capacity), np.empty(0, dtype=np.int64)
    for iteration in itertools.count():
        look = program.look(B, F)
        yield Check(iteration, B.copy(), look.objective, kkt=look.kkt, gap=look.gap)
        rows = last = _next_set(look.priority, last, size, shuffled)
        goal = tol if size == len(B) else max(tol, SHARE * look.kkt)
        change = program.solve(rows, source.block(rows), B[rows], F[rows], goal) - B[rows]
        if not np.any(change):
            return
        F += source.multiply(rows, change)
        B[rows] += change


def _next_set(priority: Floats, last: Integers, size: int, shuffled: Integers) -> Integers:
    """The rows of highest priority, and half of the last set: of rows that leave at once, most would come back."""
    fresh = np.argsort(-priority[shuffled], kind="stable")
    new = shuffled[fresh[: size if size == len(priority) else size // 2]]
    kept = np.setdiff1d(last, new)
    kept = kept[np.argsort(-priority[kept], kind="stable")][: size - len(new)]
    more = np.setdiff1d(shuffled[fresh[:size]], np.concatenate([new, kept]))[: size - len(new) - len(kept)]
    return np.sort(np.concatenate([new, kept, more]))


def _scores(source: RowCache, B: Floats) -> Floats:
    """F = KB, from the rows of K at which B is not zero."""
    support = np.flatnonzero(np.any(B != 0.0, axis=1))
    return source.multiply(support, B[support])


def certified(
    source: RowCache, program: SetProgram, B: Floats, *, tol: float, max_iter: int, callback: Callback | None
) -> Solution[Floats]:
    """The solution from the start B, its certificates computed from the scores anew."""
    found = follow(solve_sets(source, program, B, tol), KKT(tol), max_iter=max_iter, callback=callback)
    F = _scores(source, found.w)
    look = program.look(found.w, F)
    details = {"kkt": look.kkt, "scores": F}
    return found._replace(objective=look.objective, dual_gap=look.gap, intercept=look.intercept, details=details)


def descend_rows(program: Any, K: Floats, B: Floats, F: Floats, tol: float) -> Floats:
    """Solve (1) over all rows of a square K, one row after the other, that of largest gain first; B and F in place."""
    diagonal = np.diag(K)
    curvatures = np.maximum(diagonal, max(FLOOR * float(np.max(diagonal, initial=0.0)), 1e-290))
    _descend(compiled(program), K, curvatures, B, F, tol, STEPS * len(K), np.empty(B.shape[1]))
    return B


def row_excesses(program: Any, curvatures: Floats, B: Floats, F: Floats) -> Floats:
    """`excess` of every row."""
    found = np.empty(len(B))
    _look(compiled(program), curvatures, B, F, np.empty(B.shape[1]), found)
    return found


@jit_no_alloc
def _look(program: RowProgram, curvatures: Floats, B: Floats, F: Floats, row: Floats, found: Floats) -> None:
    for i in range(B.shape[0]):
        found[i] = program.excess(i, curvatures[i], B, F, row)


@jit_no_alloc
def _descend(
    program: RowProgram, K: Floats, curvatures: Floats, B: Floats, F: Floats, tol: float, steps: int, row: Floats
) -> None:
    n, m = B.shape
    for _ in range(steps):
        best, gain, worst = -1, 0.0, 0.0
        for i in range(n):
            excess = program.excess(i, curvatures[i], B, F, row)
            worst = max(worst, excess)
            if excess * excess > gain * curvatures[i]:
                best, gain = i, excess * excess / curvatures[i]
        if worst <= tol or best < 0:
            return
        program.settle(best, curvatures[best], B, F, row)
        moved = False
        for c in range(m):
            row[c], B[best, c] = row[c] - B[best, c], row[c]
            moved = moved or row[c] != 0.0
        if not moved:
            return
        for j in range(n):
            for c in range(m):
                F[j, c] += K[best, j] * row[c]
