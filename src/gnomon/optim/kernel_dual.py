"""The dual problem of every kernel machine with a loss that is piecewise linear or quadratic.

    minimise over β    F(β) = ½ βᵀ(K + diag r)β − tᵀβ + ε‖β‖₁,    l ≤ β ≤ u,    Σᵢ βᵢ = s            (1)

with l ≤ 0 ≤ u; without s there is no equality. Its f(x) = Σᵢ βᵢ k(xᵢ, x) + b is the minimiser of

    P(f, b) = ½‖f − b‖² + b s + Σᵢ Lᵢ(tᵢ − f(xᵢ)),    Lᵢ(z) = max over l ≤ β ≤ u of  βz − ε|β| − ½rᵢβ²      (2)

and F(β) + P = Σᵢ [Lᵢ(zᵢ) − (βᵢzᵢ − ε|βᵢ| − ½rᵢβᵢ²)] ≥ 0, term by term: the duality gap, without cancellation.

    support vector classification     t = y,  β = αy in [0, C] or [−C, 0],  s = 0;    squared hinge: u = ∞, r = 1/(2C)
    support vector regression         t = y,  −C ≤ β ≤ C,  ε > 0,  s = 0
    one-class support vector machine  t = 0,  0 ≤ β ≤ 1/(νn),  s = 1

At β = 0 the derivatives of F upwards and downwards differ by 2ε, so regression needs no second set of variables.
Schölkopf & Smola (2002), chapters 7 to 9; Keerthi et al. (2001), doi:10.1162/089976601300014493.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import Bools, Floats, Integers
from gnomon.optim.solution import Solution

__all__ = ["InterceptRange", "KernelDual"]

ROUNDING = 16.0
"""Rounding of Σβ over many steps, in units of the least of Σ|β|."""


class InterceptRange(NamedTuple):
    """The values of b that the optimality conditions of (1) allow.

    Fields
    ------
    low, high : float
        low ≤ high at the optimum; low − high is the largest violation before.

    References
    ----------
    Keerthi, S. S. et al. (2001). Improvements to Platt's SMO algorithm. doi:10.1162/089976601300014493

    Examples
    --------
    >>> from gnomon.optim import InterceptRange
    >>> InterceptRange(-0.5, 1.0).violation
    0.0
    """

    low: float
    high: float

    @property
    def violation(self) -> float:
        """max(0, low − high)."""
        return max(0.0, self.low - self.high)


class KernelDual(NamedTuple):
    """Equation (1) without its kernel.

    Fields
    ------
    target : ndarray of shape (n,)
        t.
    lower, upper : ndarray of shape (n,)
        l ≤ 0 and u ≥ 0; infinite where there is no bound.
    epsilon : float
        ε ≥ 0.
    total : float or None
        s; None where the intercept is not free.
    ridge : ndarray of shape (n,) or None
        r ≥ 0, on the diagonal of K.

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, chapters 7 to 9. MIT Press.

    Examples
    --------
    The hard margin between 0 and 2 on the line: β = (−½, ½), b = −1, both values ½.

    >>> import numpy as np
    >>> from gnomon.optim import KernelDual
    >>> y = np.array([-1.0, 1.0])
    >>> problem = KernelDual(y, np.array([-9.0, 0.0]), np.array([0.0, 9.0]))
    >>> beta = np.array([-0.5, 0.5])
    >>> f = np.array([[0.0, 0.0], [0.0, 4.0]]) @ beta
    >>> problem.objective(beta, f), problem.gap(beta, f, b=-1.0), problem.intercept(beta, problem.gradient(beta, f))
    (-0.5, 0.0, -1.0)
    """

    target: Floats
    lower: Floats
    upper: Floats
    epsilon: float = 0.0
    total: float | None = 0.0
    ridge: Floats | None = None

    def take(self, rows: Integers) -> KernelDual:
        """The same with some of the variables; `total` is that of all of them."""
        ridge = None if self.ridge is None else self.ridge[rows]
        return self._replace(target=self.target[rows], lower=self.lower[rows], upper=self.upper[rows], ridge=ridge)

    def in_units(self, beta: float, f: float) -> KernelDual:
        """The same problem of β and f in these units, with K · beta / f in the place of K."""
        return KernelDual(
            self.target / f,
            self.lower / beta,
            self.upper / beta,
            self.epsilon / f,
            None if self.total is None else self.total / beta,
            None if self.ridge is None else self.ridge * (beta / f),
        )

    def start(self) -> Floats:
        """A feasible β: zero, or filled from the first row on until the sum is s."""
        beta = np.zeros(len(self.target))
        if not self.total:
            return beta
        room = self.upper if self.total > 0.0 else -self.lower
        filled = np.clip(abs(self.total) - (np.cumsum(room) - room), 0.0, room)
        return np.sign(self.total) * filled

    def gradient(self, beta: Floats, f: Floats) -> Floats:
        """Kβ + rβ − t, the gradient of F without the term of ε, from f = Kβ."""
        return f - self.target if self.ridge is None else f + self.ridge * beta - self.target

    def scores(self, beta: Floats, gradient: Floats) -> Floats:
        """Kβ, from the gradient."""
        f = gradient + self.target
        return f if self.ridge is None else f - self.ridge * beta

    def upward(self, beta: Floats) -> Floats:
        """What the derivative of F upwards has beyond the gradient: ±ε, and ∞ where β can't grow."""
        return np.where(beta < self.upper, np.where(beta >= 0.0, self.epsilon, -self.epsilon), np.inf)

    def downward(self, beta: Floats) -> Floats:
        """What the derivative of F downwards has beyond the gradient: ±ε, and −∞ where β can't fall."""
        return np.where(beta > self.lower, np.where(beta > 0.0, self.epsilon, -self.epsilon), -np.inf)

    def settled(self, beta: Floats) -> Floats:
        """β with what only the rounding of its sum keeps off a bound, or off zero, exactly there.

        Where Σ Cᵢyᵢ = 0 but for rounding, all rows may end at a bound but one, which falls short of it by that rounding
        and would otherwise fix b as a free row does.
        """
        bound = np.maximum(self.upper, -self.lower)
        rounding = ROUNDING * float(np.finfo(float).eps) * float(np.sum(np.abs(beta)))
        edge = np.minimum(rounding, 0.25 * bound)
        beta = np.where(np.abs(beta) <= edge, 0.0, beta)
        beta = np.where(beta >= self.upper - edge, self.upper, beta)
        return np.where(beta <= self.lower + edge, self.lower, beta)

    def balanced(self, beta: Floats) -> Floats:
        """β within its bounds, with the sum s: what is missing is shared by those that have room for it."""
        beta = np.clip(np.where(np.isfinite(beta), beta, 0.0), self.lower, self.upper)
        if self.total is None:
            return beta
        missing = self.total - float(np.sum(beta))
        room = self.upper - beta if missing > 0.0 else beta - self.lower
        free = self.free(beta)
        if float(np.sum(room[free])) > abs(missing):
            room = np.where(free, room, 0.0)
        if np.any(np.isinf(room)):
            room = np.isinf(room).astype(float)
        whole = float(np.sum(room))
        return beta + room * (missing / whole) if whole > 0.0 else beta

    def free(self, beta: Floats) -> Bools:
        """Where F has a derivative: β between its bounds, and not at the kink."""
        inside = (beta > self.lower) & (beta < self.upper)
        return inside if self.epsilon == 0.0 else inside & (beta != 0.0)

    def range(self, beta: Floats, gradient: Floats) -> InterceptRange:
        """The b with derivative upwards ≥ −b ≥ derivative downwards, for all rows."""
        low = -float(np.min(gradient + self.upward(beta), initial=np.inf))
        high = -float(np.max(gradient + self.downward(beta), initial=-np.inf))
        if self.total is None:
            # b = 0 is not free: what it violates is on either side of it.
            return InterceptRange(max(low, 0.0), min(high, 0.0))
        return InterceptRange(low, high)

    def intercept(self, beta: Floats, gradient: Floats) -> float:
        """b: the mean of what the free rows say, or the middle of the range."""
        if self.total is None:
            return 0.0
        free = self.free(beta)
        if np.any(free):
            return -float(np.mean((gradient + self.upward(beta))[free]))
        found = self.range(beta, gradient)
        ends = [end for end in found if np.isfinite(end)]
        return float(np.mean(ends)) if ends else 0.0

    def objective(self, beta: Floats, f: Floats) -> float:
        """F, from f = Kβ."""
        value = float(beta @ (0.5 * self.gradient(beta, f) - 0.5 * self.target))
        return value + self.epsilon * float(np.sum(np.abs(beta)))

    def losses(self, z: Floats) -> Floats:
        """L of (2) at the residuals z = t − f."""
        reach, bound = np.abs(z) - self.epsilon, np.where(z > 0.0, self.upper, -self.lower)
        reach = np.maximum(reach, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.ridge is None:
                return np.where(reach > 0.0, bound * reach, 0.0)
            best = np.minimum(bound, reach / self.ridge)
            value = best * (reach - 0.5 * self.ridge * best)
        return np.where(reach > 0.0, value, 0.0)

    def gap(self, beta: Floats, f: Floats, b: float) -> float:
        """F + P ≥ 0, from f = Kβ.

        Where a loss is infinite, f and b are first scaled until all constraints hold; infinite if none does it.
        """
        z = self.target - f - b
        own = beta * z - self.epsilon * np.abs(beta)
        own = own if self.ridge is None else own - 0.5 * self.ridge * beta**2
        gap = float(np.sum(np.maximum(self.losses(z) - own, 0.0)))
        return gap if np.isfinite(gap) else self._scaled_gap(beta, f, b)

    def _scaled_gap(self, beta: Floats, f: Floats, b: float) -> float:
        """F + P at κf, κb with the least κ that makes tᵢ κ(fᵢ + b) ≥ tᵢ² everywhere: the hard margin."""
        reach = float(np.min((f + b) * self.target / self.target**2, initial=np.inf))
        if self.epsilon > 0.0 or self.total or not reach > 0.0:
            return np.inf
        return max(0.0, self.objective(beta, f) + 0.5 * float(beta @ f) / reach**2)

    @property
    def bounded(self) -> bool:
        """Whether F has a minimum for every kernel: each variable has bounds, or a square of its own."""
        return self.ridge is not None or bool(np.all(np.isfinite(self.lower) & np.isfinite(self.upper)))

    def certified(self, found: Solution[Any], f: Floats) -> Solution[Any]:
        """A solution whose w is β, `settled`, with F, b, the gap and the largest violation from f = Kβ, as `smo`
        returns them."""
        beta = self.settled(found.w)
        g = self.gradient(beta, f)
        b, reach = self.intercept(beta, g), self.range(beta, g)
        return found._replace(
            w=beta,
            objective=self.objective(beta, f),
            intercept=b,
            dual_gap=self.gap(beta, f, b),
            gradient_norm=reach.violation,
            details={**found.details, "range": reach, "scores": f},
        )
