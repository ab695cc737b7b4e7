"""Kernels of one column for values on a grid.

    B-splines: B_n = B_0 ∗ B_{n−1},  B_0 = 1 on (−½, ½];    sinc: sin(πx)/(πx);
    Catmull–Rom: 1 − 5x²/2 + 3|x|³/2 for |x| ≤ 1,  2 − 4|x| + 5x²/2 − |x|³/2 for |x| ≤ 2          (1)

x is the distance in steps of the grid. n B_n(x) = ((n+1)/2 + x) B_{n−1}(x + ½) + ((n+1)/2 − x) B_{n−1}(x − ½). Odd
B-splines and sinc are positive semi-definite, the others on the grid only, where their Fourier series is not negative.
De Boor (2001), A Practical Guide to Splines, chapter IX; Keys (1981), doi:10.1109/TASSP.1981.1163711.
"""

from abc import abstractmethod

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.kernels._base import Kernel, Psd, noun
from gnomon.kernels._rows import SHARP_SQUARES, Separation
from gnomon.kernels.radial import DistanceKernel, check_positive

__all__ = ["BSpline", "CatmullRom", "GridKernel", "Sinc", "is_cardinal"]


class GridKernel(DistanceKernel):
    """A function of the distance along one column, in steps."""

    step: float

    @abstractmethod
    def value(self, x: ArrayLike) -> Floats:
        """(1) of signed distances, in steps."""

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


@noun
class Sinc(GridKernel):
    """sin(πx)/(πx), the kernel of functions without frequencies above half of one per step.

    Parameters
    ----------
    step : float, default=1.0
        Of the grid.

    References
    ----------
    Unser, M. (2000). Sampling: 50 years after Shannon. doi:10.1109/5.843002

    Examples
    --------
    >>> from gnomon.kernels import Sinc
    >>> Sinc().gram([[0.0]], [[0.3]]).round(10)
    array([[0.85839369]])
    """

    step: float = 1.0

    def __post_init__(self) -> None:
        check_positive(self, "step", self.step)

    def value(self, x: ArrayLike) -> Floats:
        """sin(πx)/(πx)."""
        return np.sinc(np.asarray(x, dtype=float))

    def unit_spectrum(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Uniform up to half a frequency per step."""
        return rng.uniform(-np.pi, np.pi, size=(n, d))


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
