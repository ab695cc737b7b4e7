"""Newton's method on the primal problem of a kernel machine.

    minimise over β, b    P = ½ βᵀKβ + b s + Σᵢ Lᵢ(tᵢ − [Kβ]ᵢ − b)                                       (1)

L is quadratic between 0 and its bound, linear beyond: the squared hinge, or the hinge with a rounded corner (Huber). At
the residuals z of a point each row is of one of three kinds: without loss (βᵢ = 0), quadratic, or linear (βᵢ at its
bound); Newton's step solves (K_QQ + R_QQ) β_Q + b = t_Q ∓ ε − K_QL β_L for the quadratic ones, and P is searched along
it. With the right kinds one step is exact, so that a few suffice. Chapelle (2007), Training a support vector machine in
the primal, doi:10.1162/neco.2007.19.5.1155.

A loss with a corner, r = 0, is rounded by r = tol/(2 max u), which moves the optimality conditions by less than tol.
"""

import itertools
from typing import NamedTuple

import numpy as np
from scipy import linalg

from gnomon._typing import Floats
from gnomon.kernels import Against
from gnomon.optim._follow import Checks, follow
from gnomon.optim.kernel_dual import KernelDual
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import KKT, Check

__all__ = ["LARGEST_MATRIX", "kernel_newton"]

LARGEST_MATRIX = 5000
"""Rows of a kernel matrix that is held at once: 200 megabytes."""

ROUNDED = 0.5
"""Share of the tolerance that rounding of a corner may use."""

SHORTEST = 2.0**-30
"""Shortest step of the search."""


def kernel_newton(
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
        Newton steps; 200 by default.
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
    >>> from gnomon.optim import KernelDual, kernel_newton
    >>> y = np.array([-1.0, 1.0])
    >>> problem = KernelDual(y, np.array([-np.inf, 0.0]), np.array([0.0, np.inf]), ridge=np.full(2, 0.5))
    >>> found = kernel_newton(Linear().against(np.array([[-1.0], [1.0]])), problem)
    >>> found.w, found.n_iter, round(found.dual_gap, 12)
    (array([-0.4,  0.4]), 1, 0.0)
    """
    if not problem.bounded:
        raise ValueError("a hard margin has no loss to differentiate; use smo or kernel_qp")
    K = against.matrix().astype(float)
    bound = float(np.max(np.maximum(problem.upper, -problem.lower), initial=0.0))
    smooth = problem if problem.ridge is not None else _rounded(problem, ROUNDED * tol / max(bound, 1e-290))
    limit = 200 if max_iter is None else max_iter
    found = follow(_descend(K, problem, smooth), KKT(tol), max_iter=limit, callback=callback)
    return problem.certified(found, K @ found.w)


def _rounded(problem: KernelDual, width: float) -> KernelDual:
    return problem._replace(ridge=np.full(len(problem.target), width))


class _Point(NamedTuple):
    """β, b and f = Kβ."""

    beta: Floats
    b: float
    f: Floats

    def value(self, problem: KernelDual) -> float:
        """P of (1)."""
        losses = problem.losses(problem.target - self.f - self.b)
        return 0.5 * float(self.beta @ self.f) + self.b * (problem.total or 0.0) + float(np.sum(losses))

    def towards(self, other: "_Point", t: float) -> "_Point":
        """The point at the share t of the way."""
        pairs = zip(self, other, strict=True)
        return _Point(*(mine + t * (theirs - mine) for mine, theirs in pairs))


def dual_point(problem: KernelDual, z: Floats) -> Floats:
    """∂L/∂z: the β that the residuals ask for, in its box."""
    assert problem.ridge is not None
    reach = np.sign(z) * np.maximum(np.abs(z) - problem.epsilon, 0.0) / problem.ridge
    return np.clip(reach, problem.lower, problem.upper)


def _descend(K: Floats, problem: KernelDual, smooth: KernelDual) -> Checks:
    n = len(K)
    point = _Point(np.zeros(n), 0.0, np.zeros(n))
    for iteration in itertools.count():
        yield _check(iteration, point, K, problem, smooth)
        new = _newton_point(point, K, smooth)
        value, t = point.value(smooth), 1.0
        while t > SHORTEST and not (next_point := point.towards(new, t)).value(smooth) < value:
            t *= 0.5
        if t <= SHORTEST:
            return
        point = next_point


def _check(iteration: int, point: _Point, K: Floats, problem: KernelDual, smooth: KernelDual) -> Check[Floats]:
    """The dual point of the residuals, whose conditions are those of the problem that was asked for."""
    beta, kkt, gap = point.beta, np.nan, np.nan
    asked = dual_point(smooth, smooth.target - point.f - point.b)
    # At the solution β is what its residuals ask for; sums and bounds hold only there.
    if iteration > 0 and np.allclose(asked, beta, rtol=1e-9, atol=1e-9 * float(np.max(np.abs(beta), initial=0.0))):
        beta = _in_box(problem, beta)
        f = K @ beta
        g = problem.gradient(beta, f)
        kkt, gap = problem.range(beta, g).violation, problem.gap(beta, f, problem.intercept(beta, g))
    return Check(iteration, beta, point.value(problem), kkt=kkt, gap=gap)


def _in_box(problem: KernelDual, beta: Floats) -> Floats:
    """β with rounding at its bounds removed."""
    bound = np.maximum(problem.upper, -problem.lower)
    edge = 1e-12 * np.where(np.isfinite(bound), bound, float(np.max(np.abs(beta), initial=0.0)))
    beta = np.where(np.abs(beta) <= edge, 0.0, beta)
    beta = np.where(beta >= problem.upper - edge, problem.upper, beta)
    return np.where(beta <= problem.lower + edge, problem.lower, beta)


def _newton_point(point: _Point, K: Floats, problem: KernelDual) -> _Point:
    """Where Newton's step leads: rows keep the kind that their residuals have now."""
    assert problem.ridge is not None
    z = problem.target - point.f - point.b
    beta = dual_point(problem, z)
    quadratic = (beta != 0.0) & (beta > problem.lower) & (beta < problem.upper)
    fixed = np.where(quadratic, 0.0, beta)
    Q = np.flatnonzero(quadratic)
    border = 0 if problem.total is None else 1
    M, right = np.zeros((len(Q) + border, len(Q) + border)), np.zeros(len(Q) + border)
    M[: len(Q), : len(Q)] = K[np.ix_(Q, Q)] + np.diag(problem.ridge[Q])
    at_bound = np.flatnonzero(fixed)
    right[: len(Q)] = problem.target[Q] - problem.epsilon * np.sign(z[Q]) - K[np.ix_(Q, at_bound)] @ fixed[at_bound]
    b = point.b
    if problem.total is not None and len(Q):
        M[: len(Q), -1] = M[-1, : len(Q)] = 1.0
        right[-1] = problem.total - float(np.sum(fixed))
    elif problem.total is not None:
        # Without a curved loss b is where the sum of the slopes changes sign.
        b, M, right = _best_intercept(problem, K @ fixed), M[:0, :0], right[:0]
    if len(Q):
        found = linalg.solve(M, right, assume_a="sym", check_finite=False)
        fixed[Q], b = found[: len(Q)], float(found[-1]) if border else 0.0
    return _Point(fixed, b, K @ fixed)


def _best_intercept(problem: KernelDual, f: Floats) -> float:
    """The b at which the β of the residuals sum to s, by bisection."""
    z = problem.target - f
    low, high = float(np.min(z)) - problem.epsilon - 1.0, float(np.max(z)) + problem.epsilon + 1.0
    for _ in range(100):
        b = 0.5 * (low + high)
        total = float(np.sum(dual_point(problem, z - b)))
        low, high = (b, high) if total > (problem.total or 0.0) else (low, b)
    return 0.5 * (low + high)
