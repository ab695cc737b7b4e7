"""Whether a kernel of the distance is one, by its spectrum.

    F(ω) = ∫ k(r) Ω_D(ωr) r^{D−1} dr,    Ω_D(t) = Γ(D/2) (2/t)^{D/2−1} J_{D/2−1}(t)                (1)

k(‖x − x'‖) is positive semi-definite in D dimensions where its Fourier transform, a multiple of (1), is nowhere
negative: Bochner (1933), doi:10.1007/BF01452844; Schoenberg (1938), doi:10.2307/1968466. A kernel that never becomes
zero is multiplied by a wide Gaussian first, which is a kernel too: it smooths F, and makes it negative nowhere.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import gamma, j0, j1, jv

from gnomon._typing import Floats
from gnomon.kernels._base import Kernel

__all__ = ["spectral_minimum"]

PANELS, NODES = 420, 6
"""Intervals of the quadrature, and Gauss–Legendre nodes in each; knots of splines up to order 7 lie between them."""

FREQUENCIES = 400
"""At which (1) is evaluated, up to HIGHEST / (width of the kernel)."""

HIGHEST = 25.0
TAPER = 5.0
"""Standard deviation of the Gaussian, in widths of the kernel."""


def spectral_minimum(kernel: Kernel, dim: int = 1) -> float:
    """The least value of the Fourier transform, relative to its largest modulus: negative where k is no kernel.

    Parameters
    ----------
    kernel : Kernel
        Of the distance alone.
    dim : int, default=1
        D.

    Returns
    -------
    float
        Values above −1e-12 are rounding.

    References
    ----------
    Schoenberg, I. J. (1938). Metric spaces and completely monotone functions. doi:10.2307/1968466

    Examples
    --------
    >>> from gnomon.kernels import BSpline, CatmullRom, spectral_minimum
    >>> [round(spectral_minimum(k), 5) for k in (BSpline(0), BSpline(2), CatmullRom())]
    [-0.21723, -0.01025, -0.00511]
    """
    if isinstance(dim, bool) or dim != int(dim) or dim < 1:
        raise ValueError(f"dim={dim!r} must be a whole number ≥ 1")
    width = _width(kernel, dim)
    _check_isotropic(kernel, dim, width)
    end = kernel.support_radius
    compact = np.isfinite(end)
    r, weights = _nodes(end if compact else 9.0 * TAPER * width)
    k = _along(kernel, dim, r) * (1.0 if compact else np.exp(-0.5 * (r / (TAPER * width)) ** 2))
    mass = weights * k * (r / width) ** (dim - 1)
    omega = np.linspace(0.0, HIGHEST / width, FREQUENCIES)
    F = _wave(np.multiply.outer(omega, r), dim) @ mass
    best = int(np.argmin(F))
    around = omega[max(best - 1, 0)], omega[min(best + 1, len(omega) - 1)]
    fine = minimize_scalar(lambda w: _wave(w * r, dim) @ mass, bounds=around, method="bounded", options={"xatol": 1e-9})
    return float(min(fine.fun, F[best]) / np.max(np.abs(F)))


def _wave(t: Floats, dim: int) -> Floats:
    """Ω_D(t), 1 at 0."""
    if dim <= 3:
        return np.cos(t) if dim == 1 else j0(t) if dim == 2 else np.sinc(t / np.pi)
    order, away = 0.5 * dim - 1.0, np.where(t > 1e-6, t, 1.0)
    bessel = j1(away) if dim == 4 else jv(order, away)
    return np.where(t > 1e-6, gamma(0.5 * dim) * (2.0 / away) ** order * bessel, 1.0)


def _along(kernel: Kernel, dim: int, r: Floats) -> Floats:
    """k at distances r along the first axis."""
    points = np.zeros((len(r), dim))
    points[:, 0] = r
    return kernel.gram(np.zeros((1, dim)), points).ravel()


def _width(kernel: Kernel, dim: int) -> float:
    """The distance at which the kernel first falls to half of its value at zero."""
    r = np.geomspace(1e-8, 1e8, 3201)
    k = _along(kernel, dim, np.concatenate([[0.0], r]))
    low = np.flatnonzero(k[1:] <= 0.5 * k[0])
    if not k[0] > 0.0 or len(low) == 0:
        raise ValueError(f"{kernel!r} does not fall with the distance, and has no spectrum")
    return float(r[low[0]])


def _nodes(end: float) -> tuple[Floats, Floats]:
    """Gauss–Legendre nodes in equal intervals, of which none has a knot of a spline inside."""
    x, w = np.polynomial.legendre.leggauss(NODES)
    edges = np.linspace(0.0, end, PANELS + 1)
    half = 0.5 * np.diff(edges)[:, None]
    return (edges[:-1, None] + half * (x + 1.0)).ravel(), (half * w).ravel()


def _check_isotropic(kernel: Kernel, dim: int, width: float) -> None:
    """Refuse a kernel that is not a function of the distance."""
    rng = np.random.default_rng(0)
    A, B = width * rng.normal(size=(2, 20, dim))
    P = kernel.prepare(A)
    k = kernel.pairs(P, kernel.prepare(B, like=P), np.arange(20), np.arange(20))
    r = np.linalg.norm(A - B, axis=1)
    if not np.allclose(k, _along(kernel, dim, r), rtol=1e-6, atol=1e-9):
        raise ValueError(f"{kernel!r} is not a function of the distance alone, and has no spectrum in this sense")
