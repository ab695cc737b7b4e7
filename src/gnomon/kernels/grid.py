"""Kernels of one column for values on a grid.

    B-splines: B_n = B_0 ∗ B_{n−1},  B_0 = 1 on (−½, ½];    sinc: sin(πx)/(πx), or times sinc(x/a) for |x| < a;
    Catmull–Rom: 1 − 5x²/2 + 3|x|³/2 for |x| ≤ 1,  2 − 4|x| + 5x²/2 − |x|³/2 for |x| ≤ 2          (1)

x is the distance in steps of the grid. n B_n(x) = ((n+1)/2 + x) B_{n−1}(x + ½) + ((n+1)/2 − x) B_{n−1}(x − ½). Odd
B-splines and sinc are positive semi-definite, the others on the grid only, where their Fourier series is not negative.
De Boor (2001), A Practical Guide to Splines, chapter IX; Keys (1981), doi:10.1109/TASSP.1981.1163711.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import cache
from math import comb, factorial
from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.kernels._base import Kernel, Psd, noun
from gnomon.kernels._rows import SHARP_SQUARES, Separation, as_rows
from gnomon.kernels.radial import DistanceKernel, check_positive

__all__ = ["BSpline", "CatmullRom", "GridKernel", "Sinc", "Stencil", "is_cardinal"]


ROUNDING = 1e-6
"""Of whole steps, as single precision holds them."""


class Stencil(NamedTuple):
    """A piecewise polynomial on the points of a grid: k(t − j) = Σ_p C[j − first, p] tᵖ for a point i₀ + t.

    Fields
    ------
    first : int
        The first point of the grid that weighs, counted from i₀.
    C : ndarray of shape (taps, degree + 1)
    lag : float
        i₀ = ⌊x + lag⌋: 0 where pieces end at points of the grid, ½ where they end half way between them.

    References
    ----------
    Unser, M. (1999). Splines: a perfect fit for signal and image processing. doi:10.1109/79.799930

    Examples
    --------
    Weights of linear interpolation, 1 − t and t:

    >>> from gnomon.kernels import BSpline
    >>> BSpline(1).stencil.C
    array([[ 1., -1.],
           [ 0.,  1.]])
    """

    first: int
    C: Floats
    lag: float


class GridKernel(DistanceKernel):
    """A function of the distance along one column, in steps.

    References
    ----------
    Unser, M. (2000). Sampling: 50 years after Shannon. doi:10.1109/5.843002

    Examples
    --------
    >>> from gnomon.kernels import BSpline
    >>> BSpline(3, step=0.5).value([0.0, 1.0]).round(4)
    array([0.6667, 0.1667])
    """

    step: float

    @abstractmethod
    def value(self, x: ArrayLike) -> Floats:
        """(1) of signed distances, in steps."""

    @property
    def stencil(self) -> Stencil | None:
        """The pieces between points of the grid; None where they are no polynomials."""
        return None

    def derivative(self, x: ArrayLike) -> Floats:
        """The slope of (1) at signed distances, both in steps; where there is a stencil it has all derivatives."""
        raise NotImplementedError(f"{type(self).__name__} has no slope of its own; its stencil has them")

    def folded(self, x: ArrayLike, period: int) -> Floats | None:
        """Σ_m value(x + m period) in closed form; None where the sum is finite or there is none."""
        return None

    def on_grid(self, X: Any) -> bool:
        """Whether all rows are whole steps apart, unless it is positive semi-definite everywhere."""
        if self.psd is True:
            return True
        steps = np.ravel(as_rows(X)) / self.step
        steps = steps - steps[0]
        return bool(np.all(np.abs(steps - np.round(steps)) <= ROUNDING * np.maximum(1.0, np.abs(steps))))

    @property
    def scale(self) -> float:
        """The step."""
        return self.step

    @property
    def separation(self) -> Separation:
        """Squares whose roots are taken."""
        return SHARP_SQUARES

    @property
    def columns(self) -> range:
        """One."""
        return range(1, 2)

    def profile(self, s: Floats) -> Floats:
        """The even part of (1), which is symmetric also where B_0 jumps."""
        x = np.sqrt(s)
        return (0.5 * (self.value(x) + self.value(-x))).astype(s.dtype, copy=False)


@noun
class BSpline(GridKernel):
    """The B-spline B_n of one column.

    Parameters
    ----------
    order : int, default=3
        n ≥ 0.
    step : float, default=1.0
        Of the grid.

    References
    ----------
    De Boor, C. (2001). A Practical Guide to Splines, chapter IX. Springer. ISBN 978-0-387-95366-3.

    Examples
    --------
    >>> from gnomon.kernels import BSpline
    >>> [round(BSpline(n).gram([[0.0]], [[0.3]]).item(), 10) for n in range(4)]
    [1.0, 0.7, 0.66, 0.5901666667]
    """

    order: int = 3
    step: float = 1.0

    def __post_init__(self) -> None:
        if isinstance(self.order, bool) or self.order != int(self.order) or self.order < 0:
            raise ValueError(f"order={self.order!r} of BSpline must be a whole number ≥ 0")
        check_positive(self, "step", self.step)

    @property
    def psd(self) -> Psd:
        """Where n is odd; else on the grid."""
        return True if self.order % 2 else "grid"

    @property
    def cutoff(self) -> float:
        """(n + 1)/2."""
        return 0.5 * (self.order + 1)

    def value(self, x: ArrayLike) -> Floats:
        """B_n(x), by the recursion on n."""
        x, n = np.asarray(x, dtype=float), int(self.order)
        # Level m holds B_m at x − (n − m)/2, …, x + (n − m)/2, a step apart.
        level = [((x + shift > -0.5) & (x + shift <= 0.5)).astype(float) for shift in np.arange(n + 1) - 0.5 * n]
        for m in range(1, n + 1):
            at = [x + shift for shift in np.arange(n - m + 1) - 0.5 * (n - m)]
            half = 0.5 * (m + 1)
            level = [((half + t) * level[i + 1] + (half - t) * level[i]) / m for i, t in enumerate(at)]
        return level[0]

    @property
    def stencil(self) -> Stencil:
        """B_n(x) = Σ_k (−1)ᵏ C(n+1, k) (x + (n+1)/2 − k)₊ⁿ/n!, expanded on each piece."""
        return _spline_stencil(int(self.order))

    @property
    def poles(self) -> Floats:
        """Zeros of Σ_k B_n(k) zᵏ inside the unit circle: 2√2 − 3 for n = 2, √3 − 2 for n = 3."""
        if self.order in POLES:
            return np.array(POLES[int(self.order)])
        half = int(self.order) // 2
        roots = np.roots(self.value(np.arange(-half, half + 1.0)))
        return np.sort(roots[np.abs(roots) < 1.0].real)


POLES = {0: (), 1: (), 2: (2.0 * np.sqrt(2.0) - 3.0,), 3: (np.sqrt(3.0) - 2.0,)}
"""In closed form."""


@cache
def _spline_stencil(n: int) -> Stencil:
    """In exact arithmetic: the alternating sum cancels."""
    first = -(n // 2) if n % 2 == 0 else -((n - 1) // 2)
    low = Fraction(0) if n % 2 else Fraction(-1, 2)
    C = np.empty((n + 1, n + 1))
    for row in range(n + 1):
        shifts = [(k, Fraction(n + 1, 2) - (first + row) - k) for k in range(n + 2)]
        signed = [((-1) ** k * comb(n + 1, k), shift) for k, shift in shifts if low + shift >= 0]
        for p in range(n + 1):
            C[row, p] = float(sum(sign * comb(n, p) * shift ** (n - p) for sign, shift in signed) / factorial(n))
    C.setflags(write=False)
    return Stencil(first, C, 0.0 if n % 2 else 0.5)


@noun
class CatmullRom(GridKernel):
    """The cubic kernel of interpolation on a grid.

    Parameters
    ----------
    step : float, default=1.0
        Of the grid.

    References
    ----------
    Keys, R. G. (1981). Cubic convolution interpolation for digital image processing. doi:10.1109/TASSP.1981.1163711

    Examples
    --------
    >>> from gnomon.kernels import CatmullRom
    >>> CatmullRom().gram([[0.0]], [[0.0], [0.5], [1.0], [1.5]])
    array([[ 1.    ,  0.5625,  0.    , -0.0625]])
    """

    step: float = 1.0

    def __post_init__(self) -> None:
        check_positive(self, "step", self.step)

    @property
    def psd(self) -> Psd:
        """On the grid."""
        return "grid"

    @property
    def cutoff(self) -> float:
        """Two."""
        return 2.0

    def value(self, x: ArrayLike) -> Floats:
        """Two cubics."""
        t = np.abs(np.asarray(x, dtype=float))
        near = 1.0 + t * t * (1.5 * t - 2.5)
        far = 2.0 + t * (-4.0 + t * (2.5 - 0.5 * t))
        return np.where(t <= 1.0, near, np.where(t <= 2.0, far, 0.0))

    @property
    def stencil(self) -> Stencil:
        """Four cubics of t."""
        return CUBIC_CONVOLUTION


CUBIC_CONVOLUTION = Stencil(
    -1,
    0.5 * np.array([[0.0, -1.0, 2.0, -1.0], [2.0, 0.0, -5.0, 3.0], [0.0, 1.0, 4.0, -3.0], [0.0, 0.0, -1.0, 1.0]]),
    0.0,
)
"""Keys (1981), equation 13."""


@noun
class Sinc(GridKernel):
    """sin(πx)/(πx), the kernel of functions without frequencies above half of one per step.

    Parameters
    ----------
    step : float, default=1.0
        Of the grid.
    window : float, optional
        a of Lanczos' window sinc(x/a), in steps: the kernel is zero from there on. None for no window.

    References
    ----------
    Unser, M. (2000). Sampling: 50 years after Shannon. doi:10.1109/5.843002

    Duchon, C. E. (1979). Lanczos filtering in one and two dimensions.
    Journal of Applied
    Meteorology 18, 1016–1022.

    Examples
    --------
    >>> from gnomon.kernels import Sinc
    >>> Sinc().gram([[0.0]], [[0.3], [3.5]]).round(8)
    array([[ 0.85839369, -0.09094568]])
    >>> Sinc(window=3.0).gram([[0.0]], [[0.3], [3.5]]).round(8)
    array([[0.8443432, 0.       ]])
    """

    step: float = 1.0
    window: float | None = None

    def __post_init__(self) -> None:
        check_positive(self, "step", self.step)
        if self.window is not None:
            check_positive(self, "window", self.window)

    @property
    def psd(self) -> Psd:
        """Without a window; else on the grid."""
        return True if self.window is None else "grid"

    @property
    def cutoff(self) -> float:
        """The half-width of the window."""
        return np.inf if self.window is None else float(self.window)

    def value(self, x: ArrayLike) -> Floats:
        """sin(πx)/(πx), within the window."""
        x = np.asarray(x, dtype=float)
        if self.window is None:
            return np.sinc(x)
        return np.sinc(x) * np.sinc(x / self.window) * (np.abs(x) < self.window)

    def derivative(self, x: ArrayLike) -> Floats:
        """(cos πx − sinc x)/x, and by the product rule within the window."""
        x = np.asarray(x, dtype=float)
        if self.window is None:
            return _sinc_slope(x)
        u = x / self.window
        slope = _sinc_slope(x) * np.sinc(u) + np.sinc(x) * _sinc_slope(u) / self.window
        return slope * (np.abs(x) < self.window)

    def folded(self, x: ArrayLike, period: int) -> Floats | None:
        """Dirichlet's kernel: sin(πx)/(P sin(πx/P)) for odd periods P, sin(πx)/(P tan(πx/P)) for even ones."""
        if self.window is not None:
            return None
        # Up to half a period from the nearest multiple of it; for even periods (−1)^m of the sine drops out.
        near = np.asarray(x, dtype=float) - period * np.round(np.asarray(x, dtype=float) / period)
        angle = np.pi * near / period
        ratio = np.sinc(near) / np.sinc(near / period)
        return ratio if period % 2 else ratio * np.cos(angle)

    def unit_spectrum(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Uniform up to half a frequency per step."""
        if self.window is not None:
            return Kernel.sample_spectrum(self, n, d, rng)
        return rng.uniform(-np.pi, np.pi, size=(n, d))


def _sinc_slope(x: Floats) -> Floats:
    """By its series where the difference of the formula cancels."""
    small = np.abs(x) < 1e-2
    z = np.where(small, 1.0, x)
    square = (np.pi * x) ** 2
    series = -np.pi * np.pi * x / 3.0 * (1.0 - square / 10.0 * (1.0 - square / 28.0 * (1.0 - square / 54.0)))
    return np.where(small, series, (np.cos(np.pi * z) - np.sinc(z)) / z)


def is_cardinal(kernel: Kernel, *, step: float = 1.0, tol: float = 1e-12) -> bool:
    """Whether a kernel of one column is 1 at distance 0 and 0 at all other multiples of the step.

    Values on the grid are then the coefficients of the function that takes them. Up to 64 steps are looked at.

    Parameters
    ----------
    kernel : Kernel
    step : float, default=1.0
    tol : float, default=1e-12

    Returns
    -------
    bool

    References
    ----------
    Unser, M. (2000). Sampling: 50 years after Shannon. doi:10.1109/5.843002

    Examples
    --------
    >>> from gnomon.kernels import BSpline, CatmullRom, is_cardinal
    >>> [is_cardinal(k) for k in (BSpline(1), BSpline(2), CatmullRom())]
    [True, False, True]
    """
    away = step * np.arange(-64.0, 65.0)[:, None]
    values = kernel.gram(np.zeros((1, 1)), away).ravel()
    return bool(np.all(np.abs(values - (away.ravel() == 0.0)) <= tol))
