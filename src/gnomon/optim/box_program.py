"""A convex quadratic program over a box, with at most one equality.

    minimise over x    ½ xᵀHx + cᵀx,    0 ≤ x ≤ h,    aᵀx = s                                          (1)

A primal–dual interior point (Mehrotra 1992, doi:10.1137/0802028) comes near the solution; there the variables that are
not at a bound solve linear equations, which gives the digits that an interior point lacks. Each step solves equations
with H + D for a diagonal D. Where H = AAᵀ + diag r has fewer columns A than rows,

    (D + AAᵀ)⁻¹ = D⁻¹ − D⁻¹A (I + AᵀD⁻¹A)⁻¹ AᵀD⁻¹                                                      (2)

needs a factor of their number alone: Fine & Scheinberg (2001), JMLR 2, 243–264.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from scipy import linalg

from gnomon._typing import Bools, Floats

__all__ = ["BoxProgram", "Curvature", "DenseCurvature", "FeatureCurvature"]

Solve: TypeAlias = Callable[[Floats], Floats]


class Curvature(Protocol):
    """H of (1)."""

    def times(self, x: Floats) -> Floats:
        """Hx."""

    def plus(self, D: Floats) -> Solve:
        """What solves equations with H + diag D; LinAlgError where rounding leaves no factor."""

    def among(self, free: Bools) -> Floats:
        """H of these variables alone."""


class DenseCurvature(NamedTuple):
    """H as a matrix."""

    H: Floats

    def times(self, x: Floats) -> Floats:
        return self.H @ x

    def plus(self, D: Floats) -> Solve:
        factor = linalg.cho_factor(self.H + np.diag(D), lower=True, check_finite=False)
        return lambda right: linalg.cho_solve(factor, right, check_finite=False)

    def among(self, free: Bools) -> Floats:
        return self.H[np.ix_(free, free)]


class FeatureCurvature(NamedTuple):
    """H = AAᵀ + diag r."""

    A: Floats
    r: Floats

    def times(self, x: Floats) -> Floats:
        return self.A @ (self.A.T @ x) + self.r * x

    def plus(self, D: Floats) -> Solve:
        inverse = 1.0 / (self.r + D)
        scaled = self.A * np.sqrt(inverse)[:, None]
        M = scaled.T @ scaled
        M[np.diag_indices_from(M)] += 1.0
        factor = linalg.cho_factor(M, lower=True, check_finite=False)

        def solve(right: Floats) -> Floats:
            u = linalg.cho_solve(factor, self.A.T @ (inverse * right), check_finite=False)
            return inverse * (right - self.A @ u)

        return solve

    def among(self, free: Bools) -> Floats:
        A = self.A[free]
        return A @ A.T + np.diag(self.r[free])


@dataclass
class BoxProgram:
    """(1) and the point of the path: x, the multipliers z, v of its bounds and y of the sum, and the room w = h − x."""

    H: Curvature
    c: Floats
    h: Floats
    a: Floats
    total: float | None
    x: Floats
    w: Floats
    z: Floats
    v: Floats
    y: float = 0.0

    @classmethod
    def start(cls, H: Curvature, c: Floats, h: Floats, a: Floats, total: float | None) -> BoxProgram:
        """The program at the start of the path: in the middle of the box, with multipliers as large as its slopes."""
        bounded = np.isfinite(h)
        x = np.where(bounded, 0.5 * h, 0.5)
        most = max(1.0, float(np.max(np.abs(H.times(x) + c), initial=0.0)))
        z, v = np.full(len(x), most), most * bounded
        return cls(H, c, h, a, total, x, np.where(bounded, h - x, np.inf), z, v)

    @property
    @np.errstate(over="ignore", invalid="ignore")
    def complementarity(self) -> float:
        """Mean of x z and (h − x) v; infinite where the box is too wide for its slopes."""
        bounded = np.isfinite(self.h)
        count = len(self.x) + int(np.sum(bounded))
        return (float(self.x @ self.z) + float(self.w[bounded] @ self.v[bounded])) / max(count, 1)

    @property
    @np.errstate(over="ignore", invalid="ignore")
    def value(self) -> float:
        """½ xᵀHx + cᵀx; no number where that overflows."""
        return float(self.x @ (0.5 * self.H.times(self.x) + self.c))

    @np.errstate(over="ignore", invalid="ignore")
    def advance(self) -> bool:
        """One predictor–corrector step; False where no factorisation exists any more, or a number."""
        theta = self.z / self.x + np.divide(self.v, self.w)
        try:
            solve = self.H.plus(theta)
        except (linalg.LinAlgError, ValueError):
            return False
        mu, zero = self.complementarity, np.zeros_like(self.x)
        slope = self.H.times(self.x) + self.c - self.a * self.y - self.z + self.v
        dx, dz, dv, _ = self._direction(solve, slope, zero, zero)
        t = self._longest(dx, dz, dv, 1.0)
        bounded = np.isfinite(self.h)
        after = float((self.x + t * dx) @ (self.z + t * dz))
        after += float((self.w - t * dx)[bounded] @ (self.v + t * dv)[bounded])
        center = mu * (after / (len(self.x) + int(np.sum(bounded))) / mu) ** 3 if mu > 0.0 else 0.0
        dx, dz, dv, dy = self._direction(solve, slope, center - dx * dz, np.where(bounded, center + dx * dv, 0.0))
        t = self._longest(dx, dz, dv, 0.99)
        self.x, self.w = self.x + t * dx, np.where(bounded, self.w - t * dx, np.inf)
        self.z, self.v, self.y = self.z + t * dz, self.v + t * dv, self.y + t * dy
        return bool(np.all(np.isfinite(self.x)) and np.min(self.x) > 0.0 and np.min(self.w) > 0.0)

    def _direction(
        self, solve: Solve, slope: Floats, low: Floats, high: Floats
    ) -> tuple[Floats, Floats, Floats, float]:
        """Newton's direction to x z = low, (h − x) v = high."""
        to_low, to_high = low / self.x - self.z, np.divide(high, self.w) - self.v
        dx, dy = solve(to_low - to_high - slope), 0.0
        if self.total is not None:
            u = solve(self.a)
            dy = (self.total - float(self.a @ (self.x + dx))) / float(self.a @ u)
            dx = dx + dy * u
        return dx, to_low - self.z / self.x * dx, to_high + np.divide(self.v, self.w) * dx, dy

    def _longest(self, dx: Floats, dz: Floats, dv: Floats, share: float) -> float:
        """The step ≤ 1 that goes `share` of the way to the boundary."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = [-dx / self.x, dx / self.w, -dz / self.z, np.where(self.v > 0.0, -dv / self.v, 0.0)]
        ratio = max(float(np.max(r, initial=0.0)) for r in ratios)
        return min(1.0, share / ratio) if ratio > 0.0 else 1.0

    def places(self) -> tuple[Bools, Bools]:
        """Which variables are at 0 and at h, as the path points to: nearer, in units of h, than their slope is to 0."""
        unit = np.where(np.isfinite(self.h), self.h, 1.0)
        low = self.x < unit * self.z
        return low, ~low & (self.w < unit * self.v)

    def polished(self) -> Floats:
        """x with the variables at the bounds that the path points to, and the others solved for."""
        low, high = self.places()
        x = np.where(low, 0.0, np.where(high, self.h, self.x))
        return self._solved(x, ~low & ~high)

    def _solved(self, x: Floats, free: Bools) -> Floats:
        """The least change of the free variables that makes their slopes equal, and zero without a sum."""
        count = int(np.sum(free))
        if count == 0:
            return x
        border = 0 if self.total is None else 1
        M = np.zeros((count + border, count + border))
        M[:count, :count] = self.H.among(free)
        right = np.zeros(count + border)
        right[:count] = -(self.H.times(x) + self.c)[free]
        if self.total is not None:
            M[:count, count], M[count, :count] = -self.a[free], -self.a[free]
            right[count] = float(self.a @ x) - self.total
        change = linalg.lstsq(M, right, lapack_driver="gelsy", check_finite=False)[0][:count]
        moved = x.copy()
        moved[free] = np.clip(x[free] + change, 0.0, self.h[free])
        return moved
