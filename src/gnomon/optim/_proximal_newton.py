"""Proximal Newton method for losses of several scores.

    minimise over W, b    F(W, b) = Σᵢ sᵢ ℓ(yᵢ, W xᵢ + b) + Σₖⱼ Ω(Wₖⱼ)                              (1)

    δ ← argmin gᵀδ + ½ δᵀ(H + μ diag H)δ + Σ Ω(w + δ),    H = ∇² of min over b of the data term        (2)

For K classes the Hessian of a row in its scores is diag(p) − ppᵀ: coordinates of different classes are coupled, and
descent class by class is slow where two classes share rows. (2) is solved over a working set of pairs (k, j), the
support and the worst violators, by coordinate descent on H and Newton steps on the support. μ keeps the model where it
is true: it grows where F falls by much less than (2) promised, and vanishes near the minimum, so that convergence is
that of Newton's method. The duality gap, over all coordinates, decides when to stop. Lee, Sun & Saunders (2014),
doi:10.1137/130921428; μ: Marquardt (1963), doi:10.1137/0111030.
"""

from __future__ import annotations

from typing import Any, Literal, cast

import numpy as np
from scipy import sparse

from gnomon._typing import Bools, Floats, Matrix, is_sparse
from gnomon.losses import SoftmaxLoss
from gnomon.numerics.parallel import split_rows
from gnomon.numerics.validation import check_choice
from gnomon.optim._coordinate_descent import DescentLook, at_rest, columns_of, reason_to_stop, solution_at
from gnomon.optim.duality import balanced_scores, dual_at
from gnomon.optim.problem import Problem
from gnomon.optim.quadratic_model import minimize_gram
from gnomon.optim.solution import Callback, Solution, Trace
from gnomon.penalties import Penalty

__all__ = ["proximal_newton"]

SMALLEST_SET, LARGEST_SET = 64, 4096
"""Pairs of a working set: fewer cost no less than a pass over the rows; the Hessian of more is too large."""

ENTRIES = 2**21
"""Entries of scaled rows that are held at once for a Hessian."""

FIRST_DAMPING = 1.0
"""μ at the start: the Hessian there, where no row is sure, says little of the minimum."""

WORST_RATIO, GOOD_RATIO = 0.25, 0.7
"""Of the promised decrease, what a step must reach, and what lets μ fall."""

RAISE, LOWER = 4.0, 8.0
"""Factors on μ."""

LEAST_DAMPING, MOST_DAMPING = 1e-7, 1e15
MODEL_PASSES = 1000
ACCURACY = 0.1
"""Violations that (2) may leave, as a part of those of (1)."""

NOISE = 1e-13
"""Changes of F below this part of it are rounding."""


def proximal_newton(
    problem: Problem,
    theta: Floats,
    *,
    tol: float = 1e-4,
    relative_to: Literal["null", "objective"] = "null",
    max_iter: int = 100,
    callback: Callback | None = None,
) -> Solution[Floats]:
    """Minimise (1) by (2) on working sets.

    Parameters
    ----------
    problem : Problem
        A softmax and a separable penalty.
    theta : ndarray
        Where to start.
    tol : float, default=1e-4
        Stop when the duality gap is at most `tol` times what `relative_to` names; without a conjugate, when the
        largest violation of the optimality conditions is at most `tol` times its start value.
    relative_to : {"null", "objective"}, default="null"
        The loss of the best constant prediction, or (1) itself, which may be far less; (1) must then be positive.
    max_iter : int, default=100
        Number of models (2).
    callback : callable, optional
        Called with each row of the history; a true result stops the solver.

    Returns
    -------
    Solution

    References
    ----------
    Lee, J., Sun, Y. & Saunders, M. (2014). Proximal Newton-type methods for minimizing composite functions.
    doi:10.1137/130921428

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import SoftmaxLoss
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import Problem, proximal_newton
    >>> from gnomon.penalties import L1
    >>> design = Design(np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]))
    >>> problem = Problem(design, np.array([0, 0, 1, 1, 2, 2]), SoftmaxLoss(), L1(0.5), np.ones(6), 3)
    >>> solution = proximal_newton(problem, np.zeros(6), tol=1e-8)
    >>> solution.w.reshape(3, 2)[:, 0].round(4)
    array([-1.6675,  0.    ,  1.6675])
    >>> solution.stop_reason, bool(solution.dual_gap < 1e-6)
    ('gap', True)
    """
    check_choice("relative_to", relative_to, ("null", "objective"))
    descent, trace = _ModelSteps(problem, theta), Trace(callback)
    null = np.zeros_like(descent.z) + problem.offset
    scale = problem.at_scores(balanced_scores(problem, null) if descent.free else null)[0]
    here, iteration, idle = descent.look(), 0, 0
    first = here.worst
    while True:
        stopped = trace.add(iteration, here.objective, gap=here.gap, gradient_norm=here.worst)
        enough = tol * (here.objective if relative_to == "objective" else scale)
        small = (1e-6 if np.isfinite(here.gap) else 1.0) * tol * first
        reason = reason_to_stop(here.gap, here.worst, enough, small, idle)
        if reason or stopped or iteration >= max_iter:
            break
        descent.step(here)
        before, here, iteration = here, descent.look(here.dual), iteration + 1
        still = here.objective >= before.objective - NOISE * abs(before.objective)
        idle = idle + 1 if still and here.worst >= 0.5 * before.worst else 0
    converged = bool(reason) and (reason != "no_change" or at_rest(descent.X, here))
    why = reason or ("callback" if stopped else "max_iter")
    return solution_at(descent.theta(), here, iteration, why, converged, trace)


class _ModelSteps:
    """W, the scores z, and μ."""

    def __init__(self, problem: Problem, theta: Floats) -> None:
        self.problem, self.penalty = problem, problem.penalty
        self.free = problem.design.intercept == "free"
        self.X: Any = columns_of(problem.design)
        self.w = problem.penalized(theta).astype(float)
        self.z = np.asarray(problem.scores(theta), dtype=float)
        if self.free:
            self.z = balanced_scores(problem, self.z)
        self.damping = FIRST_DAMPING
        self.target = SMALLEST_SET

    def look(self, best: float = -np.inf) -> DescentLook:
        """All that is known here; `best` is the highest dual value so far."""
        loss, g = self.problem.at_scores(self.z)
        v = np.asarray((self.X.T @ g.astype(self.X.dtype)).T, dtype=float)
        objective, violations = loss + self.penalty.value(self.w), self.penalty.gap(self.w, v)
        dual = max(best, dual_at(self.problem, self.penalty, g, v))
        gap = max(objective - dual, 0.0) if np.isfinite(dual) else np.nan
        return DescentLook(loss, objective, gap, dual, violations, float(np.max(violations, initial=0.0)), g, v)

    def step(self, here: DescentLook) -> None:
        """One model (2), with the μ at which F falls as promised."""
        chosen = self._working_set(here.violations)
        model = _PairModel(self.problem, self.X, chosen, self.z)
        old, v = self.w[chosen], here.v[chosen]
        noise, before = NOISE * abs(here.objective), here.loss + self.penalty.value(old)
        while self.damping < MOST_DAMPING:
            w = model.minimize(self.penalty, old, v, self.damping, ACCURACY * here.worst)
            promised = v @ (w - old) + model.curvature(w - old) + self.penalty.value(w) - self.penalty.value(old)
            z = self.z + model.scores(w - old)
            fallen = before - self.problem.at_scores(z)[0] - self.penalty.value(w)
            if fallen + noise >= -WORST_RATIO * promised:
                self._move(chosen, w, z)
                if fallen + noise >= -GOOD_RATIO * promised:
                    self.damping = self.damping / LOWER if self.damping > LEAST_DAMPING else 0.0
                return
            self.damping = RAISE * max(self.damping, LEAST_DAMPING)

    def _move(self, chosen: Bools, w: Floats, z: Floats) -> None:
        self.w[chosen] = w
        self.z = balanced_scores(self.problem, z) if self.free else z

    def _working_set(self, violations: Floats) -> Bools:
        """The support and the worst violators, at least twice as many as last time coefficients were found."""
        support = self.w != 0.0
        self.target = min(max(2 * int(np.sum(support)), self.target), LARGEST_SET)
        # A support that would leave no room for others is judged like them.
        fits = 2 * np.sum(support) <= self.target
        score = np.where(support, np.inf, violations).ravel() if fits else violations.ravel()
        if self.target >= score.size:
            return (score > 0.0).reshape(support.shape)
        chosen = np.zeros(score.size, dtype=bool)
        chosen[np.argpartition(-score, self.target - 1)[: self.target]] = True
        return (chosen & (score > 0.0)).reshape(support.shape)

    def theta(self) -> Floats:
        """(W, b): b is what the scores have beyond XWᵀ, the same for every row."""
        # Zeros of either sign are written as +0.
        w, design = self.w.astype(self.problem.design.dtype) + 0.0, self.problem.design
        if not self.free:
            return np.ravel(w)
        s, beyond = self.problem.weights, self.z - self.X @ w.T - self.problem.offset
        b = s @ beyond / np.sum(s) / design.bias
        return np.ravel(np.hstack([w, b[:, None].astype(w.dtype)]))


class _PairModel:
    """H of (2) over the pairs in `chosen`, at the scores z."""

    def __init__(self, problem: Problem, X: Matrix, chosen: Bools, z: Floats) -> None:
        self.X, self.chosen = X, chosen
        loss = cast(SoftmaxLoss, problem.loss)
        p = loss.masses(z)
        H = _hessian(X, chosen, p, problem.weights)
        self._shift: Floats | None = None
        if problem.design.intercept == "free":
            # The b that minimises the model moves with δ: Schur's complement. All b alike change nothing.
            mixed = _mixed_hessian(X, chosen, p, problem.weights)
            own = loss.total_curvature(problem.y, z, problem.weights)
            self._shift = -np.linalg.lstsq(own, mixed.T, rcond=1e-12)[0]
            H += mixed @ self._shift
        norms = np.diagonal(H)
        # Rows that are all sure have no curvature; the floor lets the penalty decide.
        self.norms = np.maximum(norms, 1e-10 * max(float(np.max(norms, initial=0.0)), np.finfo(float).tiny))
        self.H = H
        self.H[np.diag_indices_from(H)] = self.norms

    def minimize(self, penalty: Penalty, w: Floats, g: Floats, damping: float, tol: float) -> Floats:
        """The w that minimises (2) up to violations of `tol`."""
        H = self.H + np.diag(damping * self.norms) if damping > 0.0 else self.H
        norms, seed = (1.0 + damping) * self.norms, np.zeros(1, dtype=np.uint64)
        return minimize_gram(H, norms, penalty, w.copy(), g.copy(), tol=tol, max_epochs=MODEL_PASSES, seed=seed)[0]

    def curvature(self, delta: Floats) -> float:
        """½ δᵀHδ."""
        return 0.5 * float(delta @ (self.H @ delta))

    def scores(self, delta: Floats) -> Floats:
        """The change of the scores, b included."""
        full = np.zeros(self.chosen.shape, dtype=self.X.dtype)
        full[self.chosen] = delta
        change = np.asarray(self.X @ full.T, dtype=float)
        return change if self._shift is None else change + self._shift @ delta


def _hessian(X: Matrix, chosen: Bools, p: Floats, s: Floats) -> Floats:
    """Σᵢ sᵢ (diag(pᵢ) − pᵢpᵢᵀ) ⊗ xᵢxᵢᵀ over the chosen pairs, class after class."""
    columns, ends = [np.flatnonzero(row) for row in chosen], np.append(0, np.cumsum(np.sum(chosen, axis=1)))
    H = np.zeros((ends[-1], ends[-1]))
    blocks = 1 if is_sparse(X) else -(-X.shape[0] * max(int(ends[-1]), 1) // ENTRIES)
    for rows in split_rows(X.shape[0], blocks):
        part, masses, root = X[rows], p[rows], np.sqrt(s[rows])
        both: list[Any] = [_scaled(part[:, J], root * masses[:, k]) for k, J in enumerate(columns)]
        A: Any = sparse.hstack(both, format="csr") if is_sparse(X) else np.hstack(both)
        H -= _dense(A.T @ A)
        for k, J in enumerate(columns):
            own: Any = _scaled(part[:, J], root * np.sqrt(masses[:, k]))
            H[ends[k] : ends[k + 1], ends[k] : ends[k + 1]] += _dense(own.T @ own)
    return H


def _mixed_hessian(X: Any, chosen: Bools, p: Floats, s: Floats) -> Floats:
    """The second derivatives by the chosen pairs and by b."""
    columns = [np.flatnonzero(row) for row in chosen]
    first = np.asarray(X.T @ (s[:, None] * p).astype(X.dtype), dtype=float)
    parts = []
    for k, J in enumerate(columns):
        mixed = -np.asarray(X[:, J].T @ ((s * p[:, k])[:, None] * p).astype(X.dtype), dtype=float)
        mixed[:, k] += first[J, k]
        parts.append(mixed)
    return np.vstack(parts)


def _scaled(X: Matrix, r: Floats) -> Matrix:
    """diag(r) X."""
    r = r[:, None].astype(X.dtype)
    return X.multiply(r).tocsr() if is_sparse(X) else X * r


def _dense(A: Any) -> Floats:
    dense: Floats = np.asarray(A.toarray() if sparse.issparse(A) else A, dtype=float)
    return dense
