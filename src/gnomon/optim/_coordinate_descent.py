"""Coordinate descent with working sets.

    minimise over w, b    Σᵢ sᵢ ℓ(yᵢ, xᵢᵀw + b) + Σⱼ Ωⱼ(wⱼ)                                         (1)

    wⱼ ← prox(wⱼ − gⱼ/hⱼ, 1/hⱼ),    gⱼ, hⱼ the slope and curvature of the loss along coordinate j       (2)

Only a working set of coordinates is visited: the support and those that violate the optimality conditions most. On it
the loss is replaced by its quadratic model (for the squared loss, itself), b is eliminated, and (2) is repeated; a line
search makes each model step a descent of (1). The duality gap, over all coordinates, decides when to stop. Where models
are poor, as for a squared hinge with more columns than rows, the solution is approached along decreasing strengths.
Tseng & Yun (2009), doi:10.1007/s10107-007-0170-0; Lee, Sun & Saunders (2014), doi:10.1137/130921428; working sets:
Massias, Gramfort & Salmon (2018), arXiv:1802.07481; decreasing strengths: Friedman, Hastie & Tibshirani (2010),
doi:10.18637/jss.v033.i01.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse

from gnomon._typing import Floats, Integers, Matrix, NDArray, RandomState, is_sparse
from gnomon.numerics.design import Design
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_choice
from gnomon.optim.duality import balanced_scores, dual_at
from gnomon.optim.edge import edge_in_words
from gnomon.optim.problem import Problem
from gnomon.optim.quadratic_model import QuadraticModel
from gnomon.optim.solution import Callback, Solution, StopReason, Trace
from gnomon.optim.units import RELATIVE, natural_problem
from gnomon.penalties import Penalty

__all__ = ["CoordinateOrder", "coordinate_descent", "coordinate_path"]

CoordinateOrder: TypeAlias = Literal["cyclic", "random"]

SMALLEST_SET = 64
NEWTON_STEPS = 5  # quadratic models of one working set before all coordinates are checked again
MOST_CUTS = 2  # steps that the line search shortens a lot, and
PATIENCE = 200  # passes, after which the solution is approached along a path of decreasing penalties
ROUNDING = 64.0 * np.finfo(float).eps  # of a violation, relative to its initial value
AT_REST = 1e-6  # of Σᵢ |gᵢ xᵢⱼ|: the line search sees no change of F below its square
DECADES = 15  # of strengths above that of the penalty


def coordinate_descent(
    problem: Problem,
    theta: Floats,
    *,
    tol: float = 1e-4,
    relative_to: Literal["null", "objective"] = "null",
    max_iter: int = 1000,
    selection: CoordinateOrder = "cyclic",
    random_state: RandomState = 0,
    callback: Callback | None = None,
) -> Solution[Floats]:
    """Minimise (1) by (2) on working sets.

    Parameters
    ----------
    problem : Problem
        A smooth loss of one score with a curvature, and a separable penalty.
    theta : ndarray
        Where to start.
    tol : float, default=1e-4
        Stop when the duality gap is at most `tol` times what `relative_to` names; without a conjugate, when the
        largest violation of the optimality conditions is at most `tol` times its start value.
    relative_to : {"null", "objective"}, default="null"
        The loss of the best constant prediction, or (1) itself, which may be far less; (1) must then be positive.
    max_iter : int, default=1000
        Passes over a working set, in all.
    selection : {"cyclic", "random"}, default="cyclic"
        The order of the coordinates.
    random_state : int, Generator, RandomState or None, default=0
        Seeds that order when it is random.
    callback : callable, optional
        Called with each row of the history; a true result stops the solver.

    Returns
    -------
    Solution

    References
    ----------
    Tseng, P. & Yun, S. (2009). A coordinate gradient descent method for nonsmooth separable minimization.
    doi:10.1007/s10107-007-0170-0

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import SquaredLoss
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import Problem, coordinate_descent
    >>> from gnomon.penalties import L1
    >>> design = Design(np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), intercept="none")
    >>> problem = Problem(design, np.array([0.0, 1.0, 1.0]), SquaredLoss(), L1(0.5), np.ones(3))
    >>> coordinate_descent(problem, np.zeros(2), tol=1e-10).w.round(7)
    array([0.0833333, 0.5      ])
    """
    check_choice("relative_to", relative_to, ("null", "objective"))
    descent, trace = _begin(problem, theta, selection, random_state), Trace(callback)
    descent.by_objective = relative_to == "objective"
    patience = max_iter if problem.loss.quadratic else PATIENCE
    direct = descent.run(problem.penalty, tol, max_iter, trace, patience=patience)
    lost = direct.stop_reason == "max_iter" and direct.n_iter < max_iter
    return descent.detour(direct, problem.penalty, tol, max_iter, trace) if lost else direct


def coordinate_path(
    problem: Problem,
    penalties: Iterable[Penalty],
    theta: Floats,
    *,
    tol: float = 1e-4,
    max_iter: int = 1000,
    selection: CoordinateOrder = "cyclic",
    random_state: RandomState = 0,
    callback: Callback | None = None,
) -> Iterator[Solution[Floats]]:
    """Yield the `Solution` of (1) for each penalty in turn, each started from the one before.

    The columns and Gram matrix of the working set are kept along the path.

    Parameters
    ----------
    problem : Problem
    penalties : iterable of Penalty
        Each takes the place of the problem's own; strengths that fall make the starts good ones.
    theta : ndarray
        Where to start.
    tol, max_iter, selection, random_state, callback
        As in `coordinate_descent`, for each penalty.

    References
    ----------
    Friedman, J., Hastie, T. & Tibshirani, R. (2010). Regularization paths for generalized linear models via coordinate
    descent. doi:10.18637/jss.v033.i01

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import SquaredLoss
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import Problem, coordinate_path
    >>> from gnomon.penalties import L1, NoPenalty
    >>> design = Design(np.eye(2), intercept="none")
    >>> problem = Problem(design, np.array([3.0, 1.0]), SquaredLoss(), NoPenalty(), np.ones(2))
    >>> [solution.w.round(6).tolist() for solution in coordinate_path(problem, [L1(4.0), L1(1.0)], np.zeros(2))]
    [[1.0, 0.0], [2.5, 0.5]]
    """
    natural = natural_problem(problem, RELATIVE, alike=True)
    if natural is not None:
        problem, theta = natural.problem, natural.inward(theta)
        callback = None if callback is None else natural.heard(callback)
    descent = _begin(problem, theta, selection, random_state)
    for penalty in penalties:
        here = None if natural is None else natural.under(penalty)
        found = descent.run(here.problem.penalty if here else penalty, tol, max_iter, Trace(callback))
        yield here.reported(found) if here else found


def _begin(problem: Problem, theta: Floats, selection: CoordinateOrder, random_state: RandomState) -> _Descent:
    check_choice("selection", selection, ("cyclic", "random"))
    seed = 0 if selection == "cyclic" else 1 + int(check_rng(random_state).integers(2**31))
    return _Descent(problem, np.array(theta, dtype=problem.design.dtype), np.array([seed], dtype=np.uint64))


class DescentLook(NamedTuple):
    """Loss, objective, duality gap, best dual value, violations and the largest, gradients in scores and in w."""

    loss: float
    objective: float
    gap: float
    dual: float
    violations: Floats
    worst: float
    g: Floats
    v: Floats


class _Descent:
    """The state of a path: coefficients, scores, working set."""

    def __init__(self, problem: Problem, theta: Floats, seed: NDArray[np.uint64]) -> None:
        self.problem, self.seed = problem, seed
        self.free = problem.design.intercept == "free"
        self.X = columns_of(problem.design)
        self.w = theta[: self.X.shape[1]].astype(float)
        self.z = np.asarray(problem.scores(theta), dtype=float)
        if self.free:
            self.z = balanced_scores(problem, self.z)
        null = np.zeros_like(self.z) + problem.offset
        self.null = balanced_scores(problem, null) if self.free else null
        self.scale, self.by_objective = problem.at_scores(self.null)[0], False
        self.model: QuadraticModel | None = None
        self.at: tuple[float, Floats, Floats] | None = None
        self.cuts = 0
        self.target = _least_set(self.X)

    def detour(
        self, direct: Solution[Floats], penalty: Penalty, tol: float, max_iter: int, trace: Trace
    ) -> Solution[Floats]:
        """Start again from w = 0, along strengths that decrease to that of `penalty`, and return the better end.

        Where the curvature of the loss jumps, a model far from the solution is poor; along the path it is always near.
        """
        spent, factors = direct.n_iter, _falling(penalty, self.X.T @ self.problem.at_scores(self.null)[1])
        if len(factors):
            self.w, self.z, self.at = np.zeros_like(self.w), self.null, None
        for factor in factors:
            loose = max(tol, 0.001 * factor / factors[0])
            spent = self.run(penalty.scaled(factor), loose, max_iter, Trace(None), spent).n_iter
        found = self.run(penalty, tol, max_iter, trace, spent)
        better = found if found.converged or found.objective <= direct.objective else direct
        return better._replace(n_iter=found.n_iter, history=trace.history)

    def run(
        self, penalty: Penalty, tol: float, max_iter: int, trace: Trace, spent: int = 0, patience: float = np.inf
    ) -> Solution[Floats]:
        """Alternate between checks of all coordinates and descent on a working set; `spent` passes are already made.

        After `patience` passes it gives up if models were wrong repeatedly.
        """
        here, epochs, idle, self.cuts = self._look(penalty, -np.inf), spent, 0, 0
        small = tol * here.worst
        # The duality gap decides, unless rounding keeps it above the tolerance for ever.
        least = ROUNDING * here.worst if self.by_objective else 1e-6 * small
        while True:
            stopped = trace.add(epochs, here.objective, gap=here.gap, gradient_norm=here.worst, working_set=self.target)
            enough = tol * (here.objective if self.by_objective else self.scale)
            reason = reason_to_stop(here.gap, here.worst, enough, least if np.isfinite(here.gap) else small, idle)
            # Every penalty gets at least one descent, even if the last solution is within the tolerance for it.
            met = reason and (epochs > spent or here.worst == 0.0)
            lost = epochs >= patience and self.cuts >= MOST_CUTS and np.isfinite(here.gap)
            if met or stopped or lost or epochs >= max_iter:
                break
            limit = max_iter if epochs >= patience else int(min(patience, max_iter))
            epochs += self._descend(penalty, here, limit - epochs)
            before, here = here, self._look(penalty, here.dual)
            still = here.objective >= before.objective - 1e-15 * abs(before.objective)
            idle = idle + 1 if still and here.worst >= 0.5 * before.worst else 0
        converged = bool(reason) and (reason != "no_change" or at_rest(self.X, here))
        return solution_at(
            self._theta(), here, epochs, reason or ("callback" if stopped else "max_iter"), converged, trace
        )

    def _look(self, penalty: Penalty, best: float) -> DescentLook:
        """All that is known at the current coefficients; `best` is the highest dual value so far."""
        loss, g, v = self._gradient()
        objective, violations = loss + penalty.value(self.w), penalty.gap(self.w, v)
        dual = max(best, dual_at(self.problem, penalty, g, v))
        gap = max(objective - dual, 0.0) if np.isfinite(dual) else np.nan
        return DescentLook(loss, objective, gap, dual, violations, float(violations.max(initial=0.0)), g, v)

    def _gradient(self) -> tuple[float, Floats, Floats]:
        """Loss, its gradient in the scores and in all coefficients; kept from the end of one penalty to the next."""
        if self.at is None:
            loss, g = self.problem.at_scores(self.z)
            self.at = loss, g, np.asarray(self.X.T @ g.astype(self.X.dtype), dtype=float)
        return self.at

    def _working_set(self, violations: Floats) -> Integers:
        """The support and the worst violators, at least twice as many as last time coefficients were found."""
        support = np.flatnonzero(self.w)
        self.target = min(max(2 * support.size, self.target), violations.size)
        score = violations.copy()
        score[support] = np.inf
        chosen = np.argpartition(-score, self.target - 1)[: self.target]
        return np.sort(chosen[score[chosen] > 0.0])

    def _descend(self, penalty: Penalty, here: DescentLook, max_epochs: int) -> int:
        """Model steps on one working set until the violations there are a part of what they are everywhere."""
        epochs, problem = 0, self.problem
        # A quadratic model that is only an approximation deserves fewer passes.
        tol = (0.1 if problem.loss.quadratic else 0.3) * here.worst
        chosen, g, v = self._working_set(here.violations), here.g, here.v
        for _ in range(1 if problem.loss.quadratic else NEWTON_STEPS):
            model = self._model(chosen)
            W, old = model.W, self.w[model.W]
            w, passes = model.minimize(penalty, old, v[W], tol=tol, max_epochs=max_epochs - epochs, seed=self.seed)
            epochs += passes
            self._step(penalty, model, w - old, g)
            if problem.loss.quadratic or epochs >= max_epochs:
                break
            g = problem.at_scores(self.z)[1]
            v = np.zeros_like(v)
            v[W] = model.gradient(g)
            if np.max(penalty.gap(self.w[W], v[W]), initial=0.0) <= tol:
                break
        return epochs

    def _model(self, chosen: Integers) -> QuadraticModel:
        if self.model is None or not self.problem.loss.quadratic:
            D = self.problem.weights * self.problem.loss.curvature(self.problem.y, self.z)
            _refuse_edge(self.problem, D, self._gradient()[1])
            # A saturated row has no curvature; the floor keeps the quadratic model well defined.
            D = np.maximum(np.asarray(D, dtype=float), 1e-10 * max(np.max(D), np.finfo(float).tiny))
            self.model = QuadraticModel(self.X, D.astype(self.X.dtype), centred=self.free)
        self.model.include(chosen)
        return self.model

    def _step(self, penalty: Penalty, model: QuadraticModel, delta: Floats, g: Floats) -> None:
        """Move along the model's step: all of it for a quadratic loss, else as far as (1) falls (Tseng & Yun, (7))."""
        W, t, self.at = model.W, 1.0, None
        change = model.scores(delta)
        if not self.problem.loss.quadratic:
            t = self._line_search(penalty, W, delta, change, g)
            self.cuts += 0.0 < t < 0.5
        self.w[W] = self.w[W] + t * delta if t < 1.0 else self.w[W] + delta
        self.z = self.z + t * change
        if self.free and not self.problem.loss.quadratic:
            self.z = balanced_scores(self.problem, self.z)

    def _line_search(self, penalty: Penalty, W: Integers, delta: Floats, change: Floats, g: Floats) -> float:
        here = penalty.value(self.w[W])
        start = self.problem.at_scores(self.z)[0] + here
        predicted = float(np.sum(g * change)) + penalty.value(self.w[W] + delta) - here
        t = 1.0
        for _ in range(40):
            value = self.problem.at_scores(self.z + t * change)[0] + penalty.value(self.w[W] + t * delta)
            if value <= start + 0.01 * t * predicted + 1e-12 * abs(start):
                return t
            t *= 0.5
        return 0.0

    def _theta(self) -> Floats:
        """(w, b): b is what the scores have beyond Xw and the offset, the same for every row."""
        w = self.w.astype(self.problem.design.dtype)
        if not self.free:
            return w
        support = np.flatnonzero(w)
        s, beyond = self.problem.weights, self.z - self.X[:, support] @ w[support] - self.problem.offset
        theta = np.empty(w.size + 1, dtype=w.dtype)
        theta[:-1], theta[-1] = w, (s * beyond).sum() / s.sum() / self.problem.design.bias
        return theta


def at_rest(X: Any, here: DescentLook) -> bool:
    """Whether the violations are rounding errors of Σᵢ gᵢ xᵢⱼ; elsewhere steps failed with more to gain."""
    share = max(AT_REST, 64.0 * float(np.finfo(X.dtype).eps))
    return here.worst < share * float(np.max(abs(X).T @ np.abs(here.g), initial=0.0))


def solution_at(
    theta: Floats, here: DescentLook, n_iter: int, reason: StopReason, converged: bool, trace: Trace
) -> Solution[Floats]:
    """The `Solution` with θ and what is known there."""
    return Solution(
        theta,
        here.objective,
        n_iter,
        converged=converged,
        stop_reason=reason,
        history=trace.history,
        dual_gap=here.gap,
        gradient_norm=here.worst,
    )


def reason_to_stop(
    gap: float, worst: float, enough: float, small: float, idle: int
) -> Literal["gap", "kkt", "no_change", ""]:
    """Which test is met; without a useful dual point (no conjugate, no strength) the violation decides."""
    if np.isfinite(gap) and gap <= enough:
        return "gap"
    if worst <= small:
        return "kkt"
    return "no_change" if idle >= 2 else ""


def _refuse_edge(problem: Problem, curvature: Floats, slope: Floats) -> None:
    """ValueError where a score has come so near to the edge of its domain that its slope or curvature overflows."""
    finite = np.isfinite(curvature) & np.isfinite(slope)
    if not np.all(finite):
        words = edge_in_words(problem, int(np.argmin(finite)))
        raise ValueError(f"{words}, or another solver; columns of X, or a y, of huge entries divide by their scale")


def _falling(penalty: Penalty, v: Floats) -> list[float]:
    """Powers of ten, falling, that as factors of the penalty do not yet keep w = 0; empty if none in reach does."""
    if vars(penalty).get("strength", 0.0) == 0.0:
        return []
    factors = [10.0**k for k in range(DECADES, 0, -1)]
    short = [factor for factor in factors if np.max(penalty.scaled(factor).gap(np.zeros_like(v), v), initial=0.0) > 0.0]
    return short if len(short) < DECADES else []


def _least_set(X: Matrix) -> int:
    """How many columns make a pass over them cost as much as what is done for all rows anyway."""
    per_column = X.nnz / X.shape[1] if is_sparse(X) else X.shape[0]
    return max(SMALLEST_SET, int(10 * X.shape[0] / max(per_column, 1.0)))


def columns_of(design: Design) -> Matrix:
    """X with columns at hand, and the constant column among them when b is penalised."""
    X = design.X
    if design.intercept == "penalized":
        constant = np.full((design.n, 1), design.bias, dtype=design.dtype)
        X = sparse.hstack([X, constant]) if is_sparse(X) else np.hstack([X, constant])
    return sparse.csc_matrix(X) if sparse.issparse(X) else X
