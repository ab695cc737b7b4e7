"""One axis of a grid: its kernel, its boundary, and the linear systems that both make.

    f(x) = Σ_j k(x − x_j) c_j,    K c = y,    K_ij = Σ_{j'} k(x_i − x_j')                                 (1)
    var f(x) = k(0) − k(x)ᵀ K⁻¹ k(x)                                                                   (2)

j' runs over all indices that the boundary takes for j: "gp" has j alone, which is the posterior mean of a process
that was observed at the n points; "mirror" continues the coefficients by c₋ⱼ = cⱼ and cₙ₋₁₊ⱼ = cₙ₋₁₋ⱼ; "periodic" by
cⱼ₊ₙ = cⱼ. (2) is that of the observed process: a mirror is no further observation; a period is one, and there k is
summed over it. Unser (1999), Splines: a perfect fit for signal and image processing, doi:10.1109/79.799930.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import fft

from gnomon._typing import Bools, Floats, Integers
from gnomon.kernels import BSpline, GridKernel, Kernel, Radial, is_cardinal
from gnomon.numerics.linalg import (
    BandedPrecision,
    NotPositiveDefiniteError,
    Precision,
    factor_covariance,
    recursive_filter,
    tridiagonal_solve,
)
from gnomon.numerics.parallel import split_rows

__all__ = ["Boundary", "GridAxis", "Taps", "solve_along"]

Boundary: TypeAlias = Literal["mirror", "periodic", "gp"]

MOST_PERIODS = 64
"""Periods after which a kernel that has not vanished is refused: its sum over all of them may have no limit."""

NO_DERIVATIVE = "{!r} has no derivative of order {} here; choose a B-spline of higher order, such as 'bspline5'"
BLOCK = 1 << 20
"""Weights that are in memory at once."""


class Taps(NamedTuple):
    """For each point the entries of c that weigh, and their weights, both of shape (q, taps)."""

    places: Integers
    weights: Floats


@dataclass(frozen=True)
class GridAxis:
    """n points, `step` apart from `start` on, and what (1) says of them.

    Parameters
    ----------
    kernel : Kernel
        Of one column, in the units of the axis.
    start, step : float
        The step may be negative.
    n : int
    boundary : {"mirror", "periodic", "gp"}
    """

    kernel: Kernel
    start: float
    step: float
    n: int
    boundary: Boundary

    # Positions.

    def places(self, x: Floats) -> Floats:
        """Positions in steps from the first point."""
        return (x - self.start) / self.step

    def outside(self, u: Floats) -> Bools:
        """Which positions are not between the first and the last point; a period has no outside."""
        slack = 1e-9 * self.n
        beyond = (u < -slack) | (u > self.n - 1 + slack)
        return np.zeros(u.shape, dtype=bool) if self.boundary == "periodic" else beyond

    # The kernel on the grid.

    @property
    def on_grid(self) -> GridKernel | None:
        """The kernel where it is one of grids with this step."""
        k = self.kernel
        return k if isinstance(k, GridKernel) and np.isclose(k.step, abs(self.step), rtol=1e-9, atol=0.0) else None

    @property
    def cardinal(self) -> bool:
        """Whether K is the identity."""
        return is_cardinal(self.kernel, step=abs(self.step))

    @property
    def reach(self) -> float:
        """Steps beyond which the kernel is zero."""
        return self.kernel.support_radius / abs(self.step)

    def values(self, lags: Floats) -> Floats:
        """k at distances in steps."""
        if (near := self.on_grid) is not None:
            return near.value(lags)
        flat = np.ravel(lags) * abs(self.step)
        return np.asarray(self.kernel.gram(np.zeros((1, 1)), flat[:, None]), dtype=float).reshape(np.shape(lags))

    def folded(self, lags: Floats, period: int) -> Floats:
        """Σ_m k(lag + m period)."""
        near = self.on_grid
        closed = None if near is None else near.folded(lags, period)
        if closed is not None:
            return closed
        total = self.values(lags)
        for m in range(1, MOST_PERIODS + 1):
            more = self.values(lags + m * period) + self.values(lags - m * period)
            total = total + more
            # Lags are less than two periods long, so that at first a term may be zero and a later one not.
            if m > 2 and np.max(np.abs(more), initial=0.0) <= 1e-17 * np.max(np.abs(total), initial=0.0):
                return total
        raise ValueError(
            f"boundary={self.boundary!r} sums {self.kernel!r} over all periods of {period} steps, and it has not "
            f"vanished after {MOST_PERIODS}; choose boundary='gp' or a shorter length scale"
        )

    @property
    def prior(self) -> float:
        """var f(x) before any observation."""
        zero = np.zeros(1)
        return float((self.folded(zero, self.n) if self.boundary == "periodic" else self.values(zero))[0])

    # (1): coefficients.

    def coefficients(self, Y: Floats, axis: int) -> tuple[Floats, float]:
        """c of (1) along one axis of Y, and the jitter that it took."""
        k = self.on_grid
        if self.cardinal:
            return Y, 0.0
        if self.boundary != "gp" and isinstance(k, BSpline):
            return recursive_filter(Y, k.poles, self.boundary, axis), 0.0
        if self.boundary == "periodic":
            return _divide_spectrum(Y, self._eigenvalues(), axis), 0.0
        bands = self._bands(self.boundary == "mirror")
        if bands is not None and len(bands) == 2:
            c = tridiagonal_solve(np.roll(bands[1], 1), bands[0], bands[1], Y, axis=axis)
            jitter = 0.0
        else:
            precision = self._precision(bands)
            c, jitter = solve_along(precision, Y, axis), precision.jitter
        return (c / _ends(self.n, Y.ndim, axis) if self.boundary == "mirror" else c), jitter

    def matrix(self) -> Floats:
        """K of (1)."""
        i = np.arange(self.n)
        if self.boundary == "periodic":
            return self.folded((i[:, None] - i).astype(float), self.n)
        K = self._symmetric(self.boundary == "mirror")
        return K * _ends(self.n, 1, 0) if self.boundary == "mirror" else K

    def _symmetric(self, mirrored: bool) -> Floats:
        """K, for a mirror times 2 in the first and the last column, which makes it symmetric."""
        i = np.arange(float(self.n))
        if not mirrored:
            return self.values(i[:, None] - i)
        period = max(2 * self.n - 2, 1)
        return self.folded(i[:, None] - i, period) + self.folded(i[:, None] + i, period)

    def _bands(self, mirrored: bool) -> Floats | None:
        """The diagonals of `_symmetric` that are not zero, as `BandedPrecision` takes them; None where all are."""
        # At a distance that is equal to the reach the kernel is zero.
        width = int(min(np.ceil(self.reach * (1.0 - 1e-12)), self.n)) - 1 if np.isfinite(self.reach) else self.n
        if width >= self.n // 2:
            return None
        i, bands = np.arange(float(self.n)), np.zeros((max(width, 1) + 1, self.n))
        for k in range(width + 1):
            length = self.n - k
            bands[k, :length] = self.values(np.array([float(k)]))[0]
            if mirrored:
                j = i[:length]
                bands[k, :length] += self.values(2.0 * j + k) + self.values(2.0 * j + k - (2.0 * self.n - 2.0))
        return bands

    def _precision(self, bands: Floats | None) -> Precision:
        """Of `_symmetric`."""
        try:
            if bands is not None:
                return BandedPrecision.of_bands(bands)
            return factor_covariance(self._symmetric(self.boundary == "mirror"), overwrite=True)
        except NotPositiveDefiniteError as error:
            raise NotPositiveDefiniteError(
                f"{error}; {self.kernel!r} (psd={self.kernel.psd!r}) has no inverse on points {abs(self.step):g} "
                "apart, choose another kernel or a shorter length scale"
            ) from None

    def _eigenvalues(self) -> Floats:
        """Of the circulant matrix K of a period."""
        values = fft.rfft(self.folded(np.arange(float(self.n)), self.n)).real
        if np.min(values) <= self.n * np.finfo(float).eps * np.max(np.abs(values)):
            raise NotPositiveDefiniteError(
                f"{self.kernel!r} summed over a period of {self.n} steps has the eigenvalue {np.min(values):.3g} "
                f"beside {np.max(values):.3g}; choose a shorter length scale"
            )
        return values

    # Weights of coefficients, and (2).

    def taps(self, u: Floats, derivative: int = 0) -> Taps:
        """Which coefficients make f, or a derivative of it, at positions u."""
        return self._fold(*self._weights(u, derivative))

    def _weights(self, u: Floats, derivative: int) -> tuple[Integers, Floats]:
        """Points of the endless grid, and k or a derivative of it there; for a kernel without end those of the axis."""
        near = self.on_grid
        stencil = None if near is None else near.stencil
        if stencil is not None:
            if derivative >= stencil.C.shape[1]:
                raise ValueError(NO_DERIVATIVE.format(self.kernel, derivative))
            base = np.floor(u + stencil.lag)
            if self.boundary != "periodic" and stencil.lag == 0.0:
                # The last point ends the last piece.
                base[u == self.n - 1.0] -= 1.0
            index = base[:, None].astype(np.int64) + np.arange(stencil.first, stencil.first + len(stencil.C))
            return index, _polynomials(stencil.C, u - base, derivative) / self.step**derivative
        if np.isfinite(self.reach):
            base = np.ceil(u - self.reach).astype(np.int64)
            index = base[:, None] + np.arange(int(2.0 * self.reach) + 1)
            return index, self._at(u[:, None] - index, derivative)
        index = np.broadcast_to(np.arange(self.n), (len(u), self.n))
        return index, self._at_all(u[:, None] - index, u[:, None] + index, derivative)

    def _at(self, lags: Floats, derivative: int) -> Floats:
        """k at distances in steps, or its slope in units of the axis."""
        if derivative == 0:
            return self.values(lags)
        k, near = self.kernel, self.on_grid
        if derivative == 1 and near is not None:
            return near.derivative(lags) / self.step
        if derivative == 1 and isinstance(k, Radial) and k.metric is None and np.ndim(k.scale) == 0:
            r, degree = lags * self.step / k.scale, k.separation.degree
            inner = degree * np.sign(r) * np.abs(r) ** (degree - 1)
            return inner * k.settled(1).slope(np.abs(r) ** degree) / k.scale
        raise ValueError(NO_DERIVATIVE.format(self.kernel, derivative))

    def _at_all(self, minus: Floats, plus: Floats, derivative: int) -> Floats:
        """Weights of a kernel without end for all coefficients, those beyond the boundary added."""
        if self.boundary == "gp":
            return self._at(minus, derivative)
        if derivative:
            raise ValueError(
                f"derivatives of {self.kernel!r} need boundary='gp', found {self.boundary!r}; or choose a kernel that "
                "is zero beyond some distance"
            )
        if self.boundary == "periodic":
            return self.folded(minus, self.n)
        period = 2 * self.n - 2
        return (self.folded(minus, period) + self.folded(plus, period)) * _ends(self.n, 1, 0)

    def _fold(self, index: Integers, weight: Floats) -> Taps:
        """Indices of the axis for those of the endless grid."""
        if self.boundary == "periodic":
            return Taps(index % self.n, weight)
        if self.boundary == "mirror":
            period = 2 * self.n - 2
            turned = index % period
            return Taps(np.minimum(turned, period - turned), weight)
        return _cut(index, weight, self.n)

    def explained(self, u: Floats) -> Floats:
        """k(x)ᵀK⁻¹k(x) of (2) at positions u, some at a time."""
        if self.boundary == "mirror":
            return GridAxis(self.kernel, self.start, self.step, self.n, "gp").explained(u)
        if np.isfinite(self.reach):
            taps = self.taps(u[:1]).places.shape[1]
            band = self._inverse_band(taps)
            found = [_quadratic(*self._unfolded(part), band) for part in _parts(u, taps)]
        elif self.cardinal:
            found = [np.sum(self._weights(part, 0)[1] ** 2, axis=1) for part in _parts(u, self.n)]
        else:
            precision = factor_covariance(self.matrix(), overwrite=True)
            found = [precision.quadratic(self._weights(part, 0)[1].T) for part in _parts(u, self.n)]
        return np.concatenate(found)

    def _unfolded(self, u: Floats) -> Taps:
        """Weights of neighbouring points in their order, also across the end of a period."""
        index, weight = self._weights(u, 0)
        return Taps(index % self.n, weight) if self.boundary == "periodic" else _cut(index, weight, self.n)

    def _inverse_band(self, taps: int) -> Floats:
        """(K⁻¹)ⱼ₊ₖ,ⱼ in row k."""
        if self.cardinal:
            return np.repeat(np.eye(taps, 1), self.n, axis=1)
        if self.boundary == "periodic":
            inverse = fft.irfft(1.0 / self._eigenvalues(), self.n)
            return np.repeat(inverse[np.arange(taps) % self.n][:, None], self.n, axis=1)
        bands = self._bands(False)
        if bands is not None:
            precision = self._precision(bands)
            assert isinstance(precision, BandedPrecision)
            return precision.near_diagonal(taps - 1)
        Z = factor_covariance(self._symmetric(False), overwrite=True).dense()
        found = np.zeros((taps, self.n))
        for k in range(min(taps, self.n)):
            found[k, : self.n - k] = np.diagonal(Z, k)
        return found


def _parts(u: Floats, taps: int) -> list[Floats]:
    """Positions in blocks whose weights fit into memory."""
    return [u[rows] for rows in split_rows(len(u), max(1, -(-len(u) * taps // BLOCK)))]


def solve_along(precision: Precision, Y: Floats, axis: int) -> Floats:
    """A⁻¹ times the lines of Y along one axis."""
    front = np.moveaxis(Y, axis, 0)
    solved = precision.solve(np.ascontiguousarray(front, dtype=float).reshape(len(front), -1))
    return np.ascontiguousarray(np.moveaxis(solved.reshape(front.shape), 0, axis)).astype(Y.dtype, copy=False)


def _divide_spectrum(Y: Floats, eigenvalues: Floats, axis: int) -> Floats:
    """A circulant matrix inverted by Fourier transforms."""
    shape = [1] * Y.ndim
    shape[axis] = -1
    return fft.irfft(fft.rfft(Y, axis=axis) / eigenvalues.reshape(shape), Y.shape[axis], axis=axis).astype(Y.dtype)


def _ends(n: int, ndim: int, axis: int) -> Floats:
    """½ at both ends of an axis, which a mirror meets once, and 1 between them."""
    ends = np.ones(n)
    ends[[0, -1]] = 0.5
    shape = [1] * ndim
    shape[axis] = -1
    return ends.reshape(shape)


def _polynomials(C: Floats, t: Floats, derivative: int) -> Floats:
    """Derivatives of the polynomials with the coefficients C at t, of shape (q, taps)."""
    for _ in range(derivative):
        C = C[:, 1:] * np.arange(1.0, C.shape[1])
    if C.shape[1] == 0:
        return np.zeros((len(t), len(C)))
    return np.vander(t, C.shape[1], increasing=True) @ C.T


def _cut(index: Integers, weight: Floats, n: int) -> Taps:
    """Points that are not on the axis weigh nothing."""
    inside = (index >= 0) & (index < n)
    return Taps(np.clip(index, 0, n - 1), np.where(inside, weight, 0.0))


def _quadratic(index: Integers, weight: Floats, band: Floats) -> Floats:
    """Σ_ab w_a w_b (K⁻¹)_ab of neighbouring points."""
    total = np.sum(weight**2 * band[0][index], axis=1)
    for lag in range(1, weight.shape[1]):
        near = band[lag][index[:, :-lag]]
        total += 2.0 * np.sum(weight[:, :-lag] * weight[:, lag:] * near, axis=1)
    return total
