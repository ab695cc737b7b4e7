"""The dual problem of a kernel machine as a dense quadratic program.

    minimise over x    ½ xᵀHx + cᵀx,    0 ≤ x ≤ h,    aᵀx = s                                          (1)

The variables are the parts β⁺ and β⁻ of β = β⁺ − β⁻ that their bounds allow: H = aaᵀ ∘ (K + diag r), c = ε − a t with
signs a. A primal–dual interior point (Mehrotra 1992, doi:10.1137/0802028) comes near the solution; there the variables
that are not at a bound solve linear equations, which gives the digits that an interior point lacks. Memory and time
grow with the square and the cube of the number of rows.
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from gnomon._typing import Bools, Floats, Integers
from gnomon.kernels import Against
from gnomon.optim._follow import Checks, follow
from gnomon.optim.kernel_dual import KernelDual
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import KKT, Check

__all__ = ["LARGEST_QP", "kernel_qp"]

LARGEST_QP = 2000
"""Variables that a dense program may have: a step of the interior point is then a second's work."""

NEAR = 1e-4
"""From this share of the first complementarity on, the equations of the free variables are tried."""

VANISHING = 1e-14
"""Without bounds: ‖f‖² below this share of (Σ|β|)² max K_ii means that there is no minimum."""


def kernel_qp(
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
        A positive semi-definite kernel and the n rows.
    problem : KernelDual
    tol : float, default=1e-3
        Largest violation of the optimality conditions at which a solution is accepted, in units of f; what is found is
        usually exact.
    max_iter : int, optional
        Steps of the interior point; 200 by default.
    callback : callable, optional
        Called with each row of the history; True stops.

    Returns
    -------
    Solution
        As from `smo`.

    References
    ----------
    Mehrotra, S. (1992). On the implementation of a primal–dual interior point method. doi:10.1137/0802028

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import Linear
    >>> from gnomon.optim import KernelDual, kernel_qp
    >>> x = np.arange(3.0)
    >>> found = kernel_qp(Linear().against(x[:, None]), KernelDual(x, -np.ones(3), np.ones(3), epsilon=0.5))
    >>> found.w.round(12) + 0.0, round(found.intercept, 12), round(found.objective, 12)
    (array([-0.25,  0.  ,  0.25]), 0.5, -0.125)
    """
    K = against.matrix().astype(float)
    limit = 200 if max_iter is None else max_iter
    found = follow(_iterate(K, problem), KKT(tol), max_iter=limit, callback=callback)
    return problem.certified(found, K @ found.w)


@dataclass
class BoxProgram:
    """(1) and the point of the path: x, the multipliers z, v of its bounds and y of the sum, and the room w = h − x.

    In units of its own, in which the largest slopes and the largest variables are of the order of one.
    """

    H: Floats
    c: Floats
    h: Floats
    a: Floats
    total: float | None
    rows: Integers
    x: Floats
    w: Floats
    z: Floats
    v: Floats
    y: float = 0.0

    @classmethod
    def of(cls, K: Floats, problem: KernelDual) -> "BoxProgram":
        """The program at the start of the path."""
        up, down = np.flatnonzero(problem.upper > 0.0), np.flatnonzero(problem.lower < 0.0)
        rows, a = np.concatenate([up, down]), np.concatenate([np.ones(len(up)), -np.ones(len(down))])
        h = np.concatenate([problem.upper[up], -problem.lower[down]])
        H = np.outer(a, a) * K[np.ix_(rows, rows)]
        if problem.ridge is not None:
            same = rows[:, None] == rows
            H += np.outer(a, a) * same * problem.ridge[rows]
        c = problem.epsilon - a * problem.target[rows]
        x = 0.5 * np.minimum(h, 1.0)
        bounded = np.isfinite(h)
        return cls(H, c, h, a, problem.total, rows, x, np.where(bounded, h - x, np.inf), np.ones(len(x)), 1.0 * bounded)

    @property
    def complementarity(self) -> float:
        """Mean of x z and (h − x) v."""
        bounded = np.isfinite(self.h)
        count = len(self.x) + int(np.sum(bounded))
        return (float(self.x @ self.z) + float(self.w[bounded] @ self.v[bounded])) / max(count, 1)

    def beta(self, x: Floats, n: int) -> Floats:
        """β of a point."""
        beta = np.zeros(n)
        np.add.at(beta, self.rows, self.a * x)
        return beta

    @np.errstate(over="ignore", invalid="ignore")
    def advance(self) -> bool:
        """One predictor–corrector step; False where no factorisation exists any more, or a number."""
        theta = self.z / self.x + np.divide(self.v, self.w)
        try:
            factor = linalg.cho_factor(self.H + np.diag(theta), lower=True, check_finite=False)
        except (linalg.LinAlgError, ValueError):
            return False
        mu, zero = self.complementarity, np.zeros_like(self.x)
        dx, dz, dv, _ = self._direction(factor, zero, zero)
        t = self._longest(dx, dz, dv, 1.0)
        bounded = np.isfinite(self.h)
        after = float((self.x + t * dx) @ (self.z + t * dz))
        after += float((self.w - t * dx)[bounded] @ (self.v + t * dv)[bounded])
        center = mu * (after / (len(self.x) + int(np.sum(bounded))) / mu) ** 3 if mu > 0.0 else 0.0
        dx, dz, dv, dy = self._direction(factor, center - dx * dz, np.where(bounded, center + dx * dv, 0.0))
        t = self._longest(dx, dz, dv, 0.99)
        self.x, self.w = self.x + t * dx, np.where(bounded, self.w - t * dx, np.inf)
        self.z, self.v, self.y = self.z + t * dz, self.v + t * dv, self.y + t * dy
        return bool(np.all(np.isfinite(self.x)) and np.min(self.x) > 0.0 and np.min(self.w) > 0.0)

    def _direction(
        self, factor: tuple[Floats, bool], low: Floats, high: Floats
    ) -> tuple[Floats, Floats, Floats, float]:
        """Newton's direction to x z = low, (h − x) v = high."""
        to_low, to_high = low / self.x - self.z, np.divide(high, self.w) - self.v
        slope = self.H @ self.x + self.c - self.a * self.y - self.z + self.v
        dx, dy = linalg.cho_solve(factor, to_low - to_high - slope, check_finite=False), 0.0
        if self.total is not None:
            u = linalg.cho_solve(factor, self.a, check_finite=False)
            dy = (self.total - float(self.a @ (self.x + dx))) / float(self.a @ u)
            dx = dx + dy * u
        return dx, to_low - self.z / self.x * dx, to_high + np.divide(self.v, self.w) * dx, dy

    def _longest(self, dx: Floats, dz: Floats, dv: Floats, share: float) -> float:
        """The step ≤ 1 that goes `share` of the way to the boundary."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = [-dx / self.x, dx / self.w, -dz / self.z, np.where(self.v > 0.0, -dv / self.v, 0.0)]
        ratio = max(float(np.max(r, initial=0.0)) for r in ratios)
        return min(1.0, share / ratio) if ratio > 0.0 else 1.0

    def polished(self) -> Floats:
        """x with the variables at the bounds that the path points to, and the others solved for."""
        low = self.x < self.z
        high = ~low & (self.w < self.v)
        x = np.where(low, 0.0, np.where(high, self.h, self.x))
        return self._solved(x, ~low & ~high)

    def _solved(self, x: Floats, free: Bools) -> Floats:
        """The least change of the free variables that makes their slopes equal, and zero without a sum."""
        count = int(np.sum(free))
        if count == 0:
            return x
        border = 0 if self.total is None else 1
        M = np.zeros((count + border, count + border))
        M[:count, :count] = self.H[np.ix_(free, free)]
        right = np.zeros(count + border)
        right[:count] = -(self.H[free] @ x + self.c[free])
        if self.total is not None:
            M[:count, count], M[count, :count] = -self.a[free], -self.a[free]
            right[count] = float(self.a @ x) - self.total
        change = linalg.lstsq(M, right, lapack_driver="gelsy", check_finite=False)[0][:count]
        moved = x.copy()
        moved[free] = np.clip(x[free] + change, 0.0, self.h[free])
        return moved


def _units(K: Floats, problem: KernelDual) -> tuple[float, float]:
    """A unit of β and one of f in which the program has numbers of the order of one; powers of two, so that what is at
    a bound in these units is at it in all."""
    curvature = float(np.max(np.diag(K) if problem.ridge is None else np.diag(K) + problem.ridge, initial=0.0))
    slope = float(np.max(np.abs(problem.target), initial=0.0)) + problem.epsilon
    bounds = np.maximum(problem.upper, -problem.lower)
    most = float(np.max(bounds[np.isfinite(bounds)], initial=0.0)) or np.inf
    step = slope / curvature if slope > 0.0 and curvature > 0.0 else np.inf
    beta = min(most, step) if min(most, step) < np.inf else 1.0
    return _power_of_two(beta), _power_of_two(slope or curvature * beta or 1.0)


def _power_of_two(value: float) -> float:
    return math.ldexp(1.0, math.frexp(value)[1])


def _iterate(K: Floats, problem: KernelDual) -> Checks:
    unit, slope = _units(K, problem)
    program = BoxProgram.of(K * (unit / slope), problem.in_units(unit, slope))
    first, scale = program.complementarity, float(np.max(np.diag(K), initial=0.0))
    for iteration in itertools.count():
        near = program.complementarity <= NEAR * first
        points = [program.x, program.polished()] if near else [program.x]
        # Equations of the wrong variables lead astray: the point of the path is then nearer.
        beta = min((unit * program.beta(x, len(K)) for x in points), key=lambda beta: _violation(K, problem, beta))
        f = K @ beta
        g = problem.gradient(beta, f)
        value, kkt, gap = problem.objective(beta, f), np.nan, np.nan
        if near and _feasible(problem, beta):
            kkt, gap = problem.range(beta, g).violation, problem.gap(beta, f, problem.intercept(beta, g))
        total = float(np.sum(np.abs(beta)))
        if not problem.bounded and float(beta @ f) / total <= VANISHING * scale * total:
            value = -np.inf
        yield Check(iteration, beta, value, kkt=kkt, gap=gap, more={"complementarity": program.complementarity})
        if not program.advance():
            return


def _violation(K: Floats, problem: KernelDual, beta: Floats) -> float:
    """The largest violation of the optimality conditions, infinite where β has not its sum."""
    return problem.range(beta, problem.gradient(beta, K @ beta)).violation if _feasible(problem, beta) else np.inf


def _feasible(problem: KernelDual, beta: Floats) -> bool:
    """Whether β has the sum that it must have, up to rounding."""
    if problem.total is None:
        return True
    return abs(float(np.sum(beta)) - problem.total) <= 1e-12 * max(float(np.sum(np.abs(beta))), abs(problem.total))
