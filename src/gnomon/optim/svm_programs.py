"""Support vector machines as quadratic and linear programs.

    minimise over w, b, ξ    Σᵢ sᵢ ξᵢ + Ω(w)    subject to    yᵢ (xᵢᵀw + b) ≥ μ − ξᵢ,  ξᵢ ≥ 0                    (1)

With Ω = (c/2)‖w‖² its dual is a quadratic program with one equality when b is free,

    maximise over 0 ≤ αᵢ ≤ sᵢ, Σᵢ αᵢ yᵢ = 0    D(α) = μ Σᵢ αᵢ − (c/2) ‖w(α)‖²,    w(α) = (1/c) Σᵢ αᵢ yᵢ xᵢ      (2)

`qp` follows the central path of the pair (1), (2): each Newton step is one weighted least-squares problem in (w, b)
(Mehrotra 1992, doi:10.1137/0802028; Ferris & Munson 2002, doi:10.1137/S1052623400374379). The set of margin points that
it ends with is then solved exactly. With more columns than rows, where that is expensive, the rows are first rotated
into their span. With Ω = ρ‖w‖₁, (1) is a linear program: `lp`.

Where no sample lies on the margin, b is an interval; its middle is returned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from scipy import linalg, optimize, sparse

from gnomon._typing import Floats, Integers, Matrix, is_sparse
from gnomon.losses import HingeLoss
from gnomon.numerics.design import Design
from gnomon.optim._dual_coordinate_ascent import dual_coordinate_ascent, start_ascent
from gnomon.optim._follow import Checks, follow
from gnomon.optim.dual_multipliers import multiplier_rounds, with_constant_column
from gnomon.optim.problem import Problem, gram
from gnomon.optim.solution import Callback, Solution, StopReason
from gnomon.optim.stopping import Check, StopRule, default_rule

__all__ = ["lp", "optimal_intercept", "qp"]

# A gap below this fraction of the objective is rounding error.
ROUNDING = 1e-10
# The path factorises a matrix of the order of the smaller of rows and columns at every step: too expensive from here
# on; earlier for sparse rows, which it makes dense and on which dual coordinate ascent does well.
LARGE = {False: 2500, True: 300}


def qp(
    problem: Problem,
    theta: Floats | None = None,
    *,
    method: Literal["auto", "path", "multipliers"] = "auto",
    tol: float | None = None,
    max_iter: int = 100,
    callback: Callback | None = None,
    stop: StopRule | None = None,
) -> Solution[Floats]:
    """Solve (1) with an L2 penalty.

    Parameters
    ----------
    problem : Problem
        Hinge loss, L2 penalty, any intercept.
    theta : ndarray, optional
        Not used: the central path has its own start. It stands here because every solver of a problem takes it.
    method : {"auto", "path", "multipliers"}, default="auto"
        "path": the interior-point method, to the last digits. "multipliers": rounds of dual coordinate ascent, for
        more than a few thousand rows and columns, or a few hundred if sparse. "auto" chooses by size.
    tol : float, optional
        Stop when the duality gap is at most tol times the objective; 1e-12 on the path, 1e-6 with multipliers.
    max_iter : int, default=100
        Newton steps or rounds; some twenty are usual.
    callback : callable, optional
        Called with each row of the history; True stops.
    stop : StopRule, optional
        A further rule.

    Returns
    -------
    Solution
        `details["alpha"]` is α of (2).

    References
    ----------
    Ferris, M. C. & Munson, T. S. (2002). Interior-point methods for massive support vector machines.
    doi:10.1137/S1052623400374379

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import HingeLoss
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import Problem, qp
    >>> from gnomon.penalties import L2
    >>> X, y = np.array([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [3.0, 0.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
    >>> problem = Problem(Design(X), y, HingeLoss(), L2(1.0, half=True), np.full(4, 10.0))
    >>> solution = qp(problem)
    >>> solution.w.round(7), round(solution.objective, 7), round(solution.dual_gap, 7)
    (array([ 1., -1., -1.]), 1.0, 0.0)
    """
    problem.refuse_offset("qp")
    large = min(problem.design.n, problem.design.d) > LARGE[problem.design.sparse]
    run = METHODS.get(("multipliers" if large else "path") if method == "auto" else method)
    if run is None:
        raise ValueError(f"method={method!r} is unknown; choose from {['auto', *METHODS]}")
    return run(problem, tol, max_iter, callback, stop)


def lp(
    problem: Problem,
    theta: Floats | None = None,
    *,
    tol: float = 1e-9,
    max_iter: int | None = None,
    callback: Callback | None = None,
) -> Solution[Floats]:
    """Solve (1) with an L1 penalty as a linear program; zeros are exact.

    Parameters
    ----------
    problem : Problem
        Hinge loss, L1 penalty, any intercept.
    theta : ndarray, optional
        Not used. It stands here because every solver of a problem takes it.
    tol : float, default=1e-9
        Feasibility tolerance of the simplex and interior-point codes.
    max_iter : int, optional
        Largest number of their iterations.
    callback : callable, optional
        Called with the only row of the history.

    Returns
    -------
    Solution
        `details["alpha"]` holds the multipliers of the margin constraints.

    References
    ----------
    Zhu, J., Rosset, S., Hastie, T. & Tibshirani, R. (2003). 1-norm support vector machines. NIPS 16, 49–56.

    Huangfu, Q. & Hall, J. A. J. (2018). Parallelizing the dual revised simplex method. doi:10.1007/s12532-017-0130-5

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import HingeLoss
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import Problem, lp
    >>> from gnomon.penalties import L1
    >>> X, y = np.array([[0.0, 0.0], [1.0, 0.5], [3.0, 0.0], [4.0, 0.5]]), np.array([-1.0, -1.0, 1.0, 1.0])
    >>> solution = lp(Problem(Design(X), y, HingeLoss(), L1(1.0), np.ones(4)))
    >>> solution.w.round(7) + 0.0, round(solution.objective, 7), round(solution.dual_gap, 7)
    (array([ 1.,  0., -2.]), 1.0, 0.0)
    """
    problem.refuse_offset("lp")
    design, y, s = problem.design, problem.y.astype(float), problem.weights.astype(float)
    strength, p = float(problem.penalty.term(1.0)), design.n_penalized
    signed = sparse.diags_array(y) @ _with_constant(design)
    # θ = u − v with u, v ≥ 0, so that |θ| is linear.
    constraints = sparse.hstack([-signed, signed, -sparse.eye_array(design.n)], format="csc")
    price = np.where(np.arange(design.width) < p, strength, 0.0)
    options = {"primal_feasibility_tolerance": tol, "dual_feasibility_tolerance": tol}
    options |= {} if max_iter is None else {"maxiter": max_iter}
    margins = np.full(design.n, -_margin(problem))
    result = optimize.linprog(np.concatenate([price, price, s]), constraints, margins, method="highs", options=options)
    if result.x is None:
        raise RuntimeError(
            f"the linear program was not solved: {result.message} Scale the columns of X, or raise max_iter"
        )
    theta = (result.x[: design.width] - result.x[design.width : 2 * design.width]).astype(design.dtype)
    alpha, objective = -result.ineqlin.marginals, problem.value(theta)
    row = {"iteration": int(result.nit), "objective": objective}
    if callback is not None:
        callback(row)
    return Solution(
        w=theta,
        objective=objective,
        n_iter=int(result.nit),
        converged=result.status == 0,
        stop_reason="exact" if result.status == 0 else "max_iter",
        history={name: np.array([value]) for name, value in row.items()},
        dual_gap=max(objective - _margin(problem) * float(np.sum(alpha)), 0.0),
        details={"alpha": alpha},
    )


def optimal_intercept(f: Floats, y: Floats, s: Floats, margin: float = 1.0) -> float:
    """The b that minimises Σᵢ sᵢ max(0, μ − yᵢ(fᵢ + b)); the middle where an interval of them does.

    The slope in b jumps by sᵢ at yᵢμ − fᵢ, and rises from minus to plus the weight of the two classes.

    References
    ----------
    Cortes, C. & Vapnik, V. (1995). Support-vector networks. doi:10.1007/BF00994018

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.svm_programs import optimal_intercept
    >>> optimal_intercept(np.array([-3.0, 3.0]), np.array([-1.0, 1.0]), np.ones(2))
    0.0
    >>> optimal_intercept(np.array([0.0, 3.0]), np.array([-1.0, 1.0]), np.ones(2))
    -1.5
    """
    kinks = y * margin - f
    order = np.argsort(kinks, kind="stable")
    slope = np.cumsum(s[order]) - np.sum(s[y > 0])
    flat = 1e-10 * np.sum(s)
    first = min(int(np.searchsorted(slope, -flat)), len(kinks) - 1)
    last = min(int(np.searchsorted(slope, flat, side="right")), len(kinks) - 1)
    return float(0.5 * (kinks[order[first]] + kinks[order[last]]))


def _central_path(
    problem: Problem, tol: float | None, max_iter: int, callback: Callback | None, stop: StopRule | None
) -> Solution[Floats]:
    tol = 1e-12 if tol is None else tol
    used = np.flatnonzero(problem.weights > 0)
    narrow, back = _in_span_of_rows(problem.take(used))
    state = _Path(narrow)
    rule = default_rule(_gap_rule(problem, tol), None, stop)
    solution = follow(state.walk(max_iter), rule, max_iter=max_iter, callback=callback)
    ends = [(_with_best_intercept(problem, back(state.theta)), _spread(state.alpha, used, problem))]
    polished = [_spread(alpha, used, problem) for alpha in _polish(narrow, state)]
    ends += [(_theta_of(problem, alpha), alpha) for alpha in polished]
    certified = [(*certificate(problem, theta, alpha), theta, alpha) for theta, alpha in ends]
    objective, gap, theta, alpha = min(certified, key=lambda end: end[1])
    if _gap_rule(problem, max(tol, ROUNDING)).met(gap, objective):
        solution = solution._replace(converged=True, stop_reason="gap")
    theta = theta.astype(problem.design.dtype)
    return solution._replace(w=theta, objective=objective, dual_gap=gap, details={"alpha": alpha})


def _spread(alpha: Floats, used: Integers, problem: Problem) -> Floats:
    """α for all rows: a row of weight zero has none."""
    full = np.zeros(problem.design.n)
    full[used] = alpha
    return full


def _multipliers(
    problem: Problem, tol: float | None, max_iter: int, callback: Callback | None, stop: StopRule | None
) -> Solution[Floats]:
    rule = default_rule(_gap_rule(problem, 1e-6 if tol is None else tol), None, stop)
    if problem.design.intercept != "free":
        # Without the equality there is nothing to multiply: one run of dual coordinate ascent.
        return dual_coordinate_ascent(problem, tol=0.0, max_iter=100 * max_iter, callback=callback, stop=rule)
    closed = with_constant_column(problem)
    state = start_ascent(closed, None, 0)
    rounds = multiplier_rounds(problem, closed, state, certificate, _theta_of)
    solution = follow(rounds, rule, max_iter=max_iter, callback=callback)
    return solution._replace(w=solution.w.astype(problem.design.dtype), details={"alpha": state.alpha})


Method: TypeAlias = Callable[[Problem, float | None, int, Callback | None, StopRule | None], Solution[Floats]]

METHODS: dict[str, Method] = {"path": _central_path, "multipliers": _multipliers}


@dataclass(frozen=True)
class _RelativeGap(StopRule):
    """A gap of `tol` times the objective, or of no more than the rounding of F(0)."""

    tol: float
    rounding: float

    def met(self, gap: float, objective: float) -> bool:
        """Whether the gap is small enough."""
        return gap <= max(self.tol * objective, self.rounding)

    def look(self, memory: None, check: Check[Any]) -> tuple[None, StopReason | None]:
        return None, ("gap" if self.met(check.gap, check.objective) else None)


def _gap_rule(problem: Problem, tol: float) -> _RelativeGap:
    return _RelativeGap(tol, 1e-15 * _margin(problem) * float(np.sum(problem.weights, dtype=float)))


def _margin(problem: Problem) -> float:
    """μ of (1)."""
    return cast(HingeLoss, problem.loss).margin


def _with_constant(design: Design) -> Any:
    constant = np.full((design.n, design.width - design.d), design.bias)
    return sparse.hstack([sparse.csr_array(design.X), sparse.csr_array(constant)], format="csr")


def _in_span_of_rows(problem: Problem) -> tuple[Problem, Callable[[Floats], Floats]]:
    """The same problem in coordinates of the span of the rows, and the way back.

    XXᵀ = LLᵀ with L = UΛ^½, so L has at most as many columns as rows, and w = XᵀUΛ^{−½} w_L.
    """
    design, X = problem.design, problem.design.X
    if design.d <= design.n:
        narrow = Design(X.toarray() if is_sparse(X) else X, design.intercept, design.bias)
        return replace(problem, design=narrow), np.array
    products: Matrix = X @ X.T
    size, U = linalg.eigh(np.asarray(products.toarray() if is_sparse(products) else products, dtype=float))
    keep = size > 1e-14 * max(size[-1], 1e-300)
    U, root = U[:, keep], np.sqrt(size[keep])

    def back(theta: Floats) -> Floats:
        return np.concatenate([X.T @ (U @ (theta[: root.size] / root)), theta[root.size :]])

    return replace(problem, design=Design(U * root, design.intercept, design.bias)), back


Direction: TypeAlias = tuple[Floats, Floats, Floats, Floats]
"""Of θ, α, z and v."""


class _Path:
    """A point near the central path: θ, and positive α and β = s − α, the surplus z over the margin and the slack v."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.c = problem, problem.penalty.strong_convexity
        self.y, self.margin = problem.y.astype(float), _margin(problem)
        self.s = problem.weights.astype(float)
        self.alpha = 0.5 * self.s
        self.beta = self.alpha.copy()
        self.theta = np.zeros(problem.design.width)
        self.z = np.full(problem.design.n, max(self.margin, 1e-12))
        self.v = self.z.copy()

    def walk(self, max_iter: int) -> Checks:
        """Yield a check per Newton step until rounding ends the path."""
        for iteration in range(max_iter + 1):
            objective, gap = certificate(self.problem, self.theta, self.alpha)
            complement = float(np.mean(self.alpha * self.z + self.beta * self.v))
            yield Check(iteration, np.array(self.theta), objective, gap=gap, more={"complementarity": complement})
            if complement <= 1e-18 * self.margin * float(np.max(self.s)) or not self._step(complement):
                return

    def _step(self, complement: float) -> bool:
        """Mehrotra's predictor and corrector; False when the Newton matrix is no longer positive definite."""
        D = self.v / self.beta + self.z / self.alpha
        H = gram(self.problem.design, 1.0 / D)
        index = np.arange(self.problem.design.n_penalized)
        H[index, index] += self.c
        if not np.all(np.isfinite(H)):
            raise ValueError("the squares of X overflowed; scale the columns of X")
        try:
            factor = linalg.cho_factor(H)
        except linalg.LinAlgError:
            return False
        zero = np.zeros_like(D)
        affine = self._direction(factor, D, zero, zero)
        t = _longest(self._ratios(*affine), 1.0)
        after = (self.alpha + t * affine[1]) * (self.z + t * affine[2])
        after = after + (self.beta - t * affine[1]) * (self.v + t * affine[3])
        center = 0.5 * complement * (float(np.mean(after)) / complement) ** 3
        corrected = self._direction(factor, D, center - affine[1] * affine[2], center + affine[1] * affine[3])
        self._move(corrected, _longest(self._ratios(*corrected), 0.995))
        return True

    def _direction(self, factor: tuple[Floats, bool], D: Floats, low: Floats, high: Floats) -> Direction:
        """Newton's direction to αz = low, (s − α)v = high."""
        design = self.problem.design
        rho = self.y * design.apply(self.theta) - self.margin + high / self.beta - low / self.alpha
        right = design.adjoint(self.y * (self.alpha - rho / D))
        right[: design.n_penalized] -= self.c * self.theta[: design.n_penalized]
        d_theta = linalg.cho_solve(factor, right)
        d_alpha = -(self.y * design.apply(d_theta) + rho) / D
        d_z = (low - self.z * d_alpha) / self.alpha - self.z
        d_v = (high + self.v * d_alpha) / self.beta - self.v
        return d_theta, d_alpha, d_z, d_v

    def _ratios(self, d_theta: Floats, d_alpha: Floats, d_z: Floats, d_v: Floats) -> float:
        parts = (d_alpha / self.alpha, -d_alpha / self.beta, d_z / self.z, d_v / self.v)
        return max(float(np.max(-part)) for part in parts)

    def _move(self, direction: Direction, t: float) -> None:
        self.theta = self.theta + t * direction[0]
        # s − α would round to zero near the end of the box.
        self.alpha, self.beta = self.alpha + t * direction[1], self.beta - t * direction[1]
        self.z = self.z + t * direction[2]
        self.v = self.v + t * direction[3]


def _longest(ratio: float, share: float) -> float:
    """The step ≤ 1 that goes `share` of the way to the boundary."""
    return min(1.0, share / ratio) if ratio > 0.0 else 1.0


def certificate(problem: Problem, theta: Floats, alpha: Floats) -> tuple[float, float]:
    """F(θ), and its distance from D at the feasible point nearest to α along a scaling of the heavier class."""
    y, balanced = problem.y, alpha
    if problem.design.intercept == "free":
        up, down = float(np.sum(alpha[y > 0])), float(np.sum(alpha[y < 0]))
        least = min(up, down)
        balanced = alpha * np.where(y > 0, least / max(up, 1e-300), least / max(down, 1e-300))
    back = problem.design.adjoint(balanced * y)[: problem.design.n_penalized]
    dual = _margin(problem) * float(np.sum(balanced)) - problem.penalty.conjugate(back)
    objective = problem.value(theta)
    return objective, max(objective - dual, 0.0)


def _theta_of(problem: Problem, alpha: Floats) -> Floats:
    """(w(α), best b); a penalised b is part of w(α)."""
    return _with_best_intercept(problem, problem.design.adjoint(alpha * problem.y) / problem.penalty.strong_convexity)


def _with_best_intercept(problem: Problem, theta: Floats) -> Floats:
    design = problem.design
    if design.intercept == "free":
        theta[design.d] = 0.0
        b = optimal_intercept(design.apply(theta), problem.y, problem.weights, _margin(problem))
        theta[design.d] = b / design.bias
    return theta


def _polish(problem: Problem, state: _Path, *, largest: int = 3000) -> list[Floats]:
    """α solved exactly with the margin points fixed to those that the path points to; nothing where that fails."""
    design, unit = problem.design, max(state.margin, 1e-12)
    low = state.alpha / state.s < state.z / unit
    high = ~low & (state.beta / state.s < state.v / unit)
    free = ~low & ~high
    count, p = int(np.sum(free)), design.n_penalized
    if design.width + count > largest:
        return []
    alpha = np.where(high, problem.weights, 0.0).astype(float)
    rows = _with_constant(design).toarray()[free] * state.y[free, None]
    K = np.zeros((design.width + count, design.width + count))
    K[np.arange(p), np.arange(p)] = state.c
    K[: design.width, design.width :] = -rows.T
    K[design.width :, : design.width] = rows
    right = np.concatenate([design.adjoint(alpha * state.y), np.full(count, state.margin)])
    alpha[free] = linalg.lstsq(K, right, lapack_driver="gelsy")[0][design.width :]
    inside = np.all(alpha >= -1e-9 * state.s) and np.all(alpha <= state.s * (1.0 + 1e-9))
    return [np.clip(alpha, 0.0, problem.weights)] if inside else []
