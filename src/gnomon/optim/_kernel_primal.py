"""Newton's method on the primal problem of a kernel machine.

    minimise over β, b    P = ½ βᵀKβ + b s + Σᵢ Lᵢ(tᵢ − [Kβ]ᵢ − b)                                       (1)

L is quadratic between 0 and its bound, linear beyond: the squared hinge, or the hinge with a rounded corner (Huber). At
the residuals z of a point each row is of one of three kinds: without loss (βᵢ = 0), quadratic, or linear (βᵢ at its
bound); Newton's step solves (K_QQ + R_QQ) β_Q + b = t_Q ∓ ε − K_QL β_L for the quadratic ones, and P is searched along
it. With the right kinds one step is exact, so that a few suffice. Chapelle (2007), Training a support vector machine in
the primal, doi:10.1162/neco.2007.19.5.1155.

A loss with a corner, r = 0, is rounded by r = tol/(2 max u), which moves the optimality conditions by less than tol.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from gnomon._typing import Floats, Integers
from gnomon.kernels import Against
from gnomon.optim._follow import Checks, follow
from gnomon.optim.kernel_dual import KernelDual
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import KKT, Check

__all__ = ["LARGEST_MATRIX", "kernel_primal"]

LARGEST_MATRIX = 5000
"""Rows of a kernel matrix that is held at once: 200 megabytes."""

ROUNDED = 0.5
"""Share of the tolerance that rounding of a corner may use."""

ROUNDING = 1e-14
"""A fall of P by a smaller share is none."""

FEASIBLE = 1e-9
"""How near to s the sum of β must be, as a share of Σ|β|."""

HALVINGS = 40
"""Of the interval in which P has its minimum along a step."""


def kernel_primal(
    against: Against,
    problem: KernelDual,
    *,
    tol: float = 1e-3,
    max_iter: int | None = None,
    callback: Callback | None = None,
) -> Solution[Floats]:
    """Minimise (1).

    Parameters
    ----------
    against : Against
        The kernel and the n rows.
    problem : KernelDual
        With bounds or a ridge.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, in units of f.
    max_iter : int, optional
        Newton steps; 500 by default.
    callback : callable, optional
        Called with each row of the history; True stops.

    Returns
    -------
    Solution
        As from `smo`.

    References
    ----------
    Chapelle, O. (2007). Training a support vector machine in the primal. doi:10.1162/neco.2007.19.5.1155

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import Linear
    >>> from gnomon.optim import KernelDual, kernel_primal
    >>> y = np.array([-1.0, 1.0])
    >>> problem = KernelDual(y, np.array([-np.inf, 0.0]), np.array([0.0, np.inf]), ridge=np.full(2, 0.5))
    >>> found = kernel_primal(Linear().against(np.array([[-1.0], [1.0]])), problem)
    >>> found.w, found.n_iter, round(found.dual_gap, 12)
    (array([-0.4,  0.4]), 1, 0.0)
    """
    if not problem.bounded:
        raise ValueError("a hard margin has no loss to differentiate; use smo or kernel_qp")
    K = against.matrix().astype(float)
    limit = 500 if max_iter is None else max_iter
    found = follow(_descend(K, problem, _roundings(K, problem, tol)), KKT(tol), max_iter=limit, callback=callback)
    beta = problem.settled(problem.balanced(found.w))
    return problem.certified(found._replace(w=beta), K @ beta)


def _roundings(K: Floats, problem: KernelDual, tol: float) -> list[KernelDual]:
    """The problem, or with a corner a series that rounds it less and less: Newton's method needs a start nearby."""
    if problem.ridge is not None:
        return [problem]
    bound = max(float(np.max(np.maximum(problem.upper, -problem.lower), initial=0.0)), 1e-290)
    last, first = ROUNDED * tol / bound, max(float(np.max(np.diag(K), initial=0.0)), 1.0 / bound)
    count = max(int(np.ceil(np.log10(first / last))), 0)
    widths = [last * 10.0**power for power in range(count, -1, -1)]
    return [problem._replace(ridge=np.full(len(problem.target), width)) for width in widths]


class PrimalPoint(NamedTuple):
    """β, b and f = Kβ."""

    beta: Floats
    b: float
    f: Floats

    def value(self, problem: KernelDual) -> float:
        """P of (1)."""
        losses = problem.losses(problem.target - self.f - self.b)
        return 0.5 * float(self.beta @ self.f) + self.b * (problem.total or 0.0) + float(np.sum(losses))

    def towards(self, other: PrimalPoint, t: float) -> PrimalPoint:
        """The point at the share t of the way."""
        beta, f = self.beta + t * (other.beta - self.beta), self.f + t * (other.f - self.f)
        return PrimalPoint(beta, self.b + t * (other.b - self.b), f)


def dual_point(problem: KernelDual, z: Floats) -> Floats:
    """∂L/∂z: the β that the residuals ask for, in its box."""
    assert problem.ridge is not None
    reach = np.sign(z) * np.maximum(np.abs(z) - problem.epsilon, 0.0) / problem.ridge
    return np.clip(reach, problem.lower, problem.upper)


def _descend(K: Floats, problem: KernelDual, roundings: list[KernelDual]) -> Checks:
    """Newton steps for one rounding after the other, each from where the last one ended."""
    n, iteration = len(K), 0
    point = PrimalPoint(np.zeros(n), 0.0, np.zeros(n))
    for smooth in roundings:
        settled = False
        while not settled:
            yield _check(iteration, point, K, problem, final=smooth is roundings[-1])
            new = _newton_point(point, K, smooth)
            kinds = _kinds(smooth, point)
            t = 1.0 if np.array_equal(kinds, _kinds(smooth, new)) else _search(point, new, smooth)
            before, point = point, point.towards(new, t)
            settled = np.array_equal(kinds, _kinds(smooth, new)) or not _falls(before, point, smooth)
            iteration += 1
    yield _check(iteration, point, K, problem, final=True)


def _kinds(problem: KernelDual, point: PrimalPoint) -> Integers:
    """0 without loss, ±1 quadratic, ±2 linear: where two points have the same, a Newton step between them is exact."""
    z = problem.target - point.f - point.b
    beta = dual_point(problem, z)
    return np.sign(beta).astype(int) * (1 + ((beta <= problem.lower) | (beta >= problem.upper)))


def _falls(before: PrimalPoint, after: PrimalPoint, problem: KernelDual) -> bool:
    """Whether P fell by more than its rounding."""
    value = before.value(problem)
    return value - after.value(problem) > ROUNDING * abs(value)


def _search(point: PrimalPoint, new: PrimalPoint, problem: KernelDual) -> float:
    """The share of the way at which P, which is convex, has its minimum; 1 where it falls all the way."""
    step, change, move = new.beta - point.beta, new.f - point.f, new.b - point.b

    def slope(t: float) -> float:
        f, b = point.f + t * change, point.b + t * move
        asked = dual_point(problem, problem.target - f - b)
        linear = float(step @ f) + move * (problem.total or 0.0)
        return linear - float(asked @ (change + move))

    low, high = 0.0, 1.0
    if slope(high) <= 0.0:
        return 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if slope(middle) < 0.0 else (low, middle)
    return low


def _check(iteration: int, point: PrimalPoint, K: Floats, problem: KernelDual, *, final: bool) -> Check[Floats]:
    """P; with the last rounding also violation and gap of the problem that was asked for, where β is feasible."""
    beta, kkt, gap = point.beta, np.nan, np.nan
    if final:
        beta = problem.settled(np.clip(beta, problem.lower, problem.upper))
        f = K @ beta
        g = problem.gradient(beta, f)
        total = 0.0 if problem.total is None else float(np.sum(beta)) - problem.total
        if abs(total) <= FEASIBLE * float(np.sum(np.abs(beta))):
            kkt, gap = problem.range(beta, g).violation, problem.gap(beta, f, problem.intercept(beta, g))
    return Check(iteration, beta, point.value(problem), kkt=kkt, gap=gap)


def _newton_point(point: PrimalPoint, K: Floats, problem: KernelDual) -> PrimalPoint:
    """Where Newton's step leads: rows keep the kind that their residuals have now."""
    assert problem.ridge is not None
    z = problem.target - point.f - point.b
    beta = dual_point(problem, z)
    quadratic = (beta != 0.0) & (beta > problem.lower) & (beta < problem.upper)
    fixed, Q = np.where(quadratic, 0.0, beta), np.flatnonzero(quadratic)
    if not len(Q):
        # Without a curved loss P is linear in b. Where its slope is not zero, the best b alone comes first: some row is
        # then curved, and b with a β of other residuals could lead upwards.
        if problem.total is not None and abs(float(np.sum(fixed)) - problem.total) > FEASIBLE * np.sum(np.abs(fixed)):
            return point._replace(b=_best_intercept(problem, point.f))
        return PrimalPoint(fixed, 0.0 if problem.total is None else _best_intercept(problem, K @ fixed), K @ fixed)
    bound = np.flatnonzero(fixed)
    right = problem.target[Q] - problem.epsilon * np.sign(z[Q]) - K[np.ix_(Q, bound)] @ fixed[bound]
    solved = _solve(K[np.ix_(Q, Q)] + np.diag(problem.ridge[Q]), np.column_stack([right, np.ones(len(Q))]))
    b = 0.0
    if problem.total is not None:
        # β_Q = q − b u with the solutions q of `right` and u of ones; b gives β its sum.
        b = float((np.sum(solved[:, 0]) + np.sum(fixed) - problem.total) / np.sum(solved[:, 1]))
    fixed[Q] = solved[:, 0] - b * solved[:, 1]
    return PrimalPoint(fixed, b, K @ fixed)


def _solve(M: Floats, right: Floats) -> Floats:
    """M⁻¹ right, by Cholesky, or where rounding makes M singular by least squares."""
    try:
        return linalg.cho_solve(linalg.cho_factor(M, lower=True, check_finite=False), right, check_finite=False)
    except linalg.LinAlgError:
        return linalg.lstsq(M, right, lapack_driver="gelsy", check_finite=False)[0]


def _best_intercept(problem: KernelDual, f: Floats) -> float:
    """The b at which the β of the residuals sum to s, by bisection."""
    z = problem.target - f
    low, high = float(np.min(z)) - problem.epsilon - 1.0, float(np.max(z)) + problem.epsilon + 1.0
    for _ in range(100):
        b = 0.5 * (low + high)
        total = float(np.sum(dual_point(problem, z - b)))
        low, high = (b, high) if total > (problem.total or 0.0) else (low, b)
    return 0.5 * (low + high)
