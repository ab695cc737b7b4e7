"""The reproducing kernel Hilbert space of a kernel, for checks of what a kernel means.

    ⟨Σᵢ αᵢ k(xᵢ, ·), Σⱼ βⱼ k(zⱼ, ·)⟩ = Σᵢⱼ αᵢ βⱼ k(xᵢ, zⱼ)                                             (1)
    ⟨f, g⟩ = (2π)^(−D) ∫ F(f) F(g)* / F(k₀) dω = ∫ g (k₀⁻¹ ∗ f) dx,    k₀⁻¹ = F⁻¹(1/F(k₀))              (2)

for a stationary kernel k(x, x') = k₀(x − x'). On a periodic grid of N points (2) is the finite sum
(1/N) Σ_ω F(f) F(g)* / F(k₀) of discrete Fourier transforms, in which the step of the grid cancels: it is fᵀK⁻¹g with
the circulant matrix K. Wahba (1990), Spline Models for Observational Data, section 1.2; Schölkopf & Smola (2002),
section 4.4.1.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import product
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._typing import Array, ArrayLike, Bools, Floats
from gnomon.gp._grid_reading import as_values, regular_step
from gnomon.kernels import Kernel
from gnomon.numerics.validation import check_choice, check_non_negative

__all__ = ["InverseKernel", "inverse_kernel", "rkhs_inner"]

Continuation: TypeAlias = Literal["periodic", "zero"]
Expansion: TypeAlias = tuple[ArrayLike, ArrayLike]

IMAGES = 50
"""Periods on each side from which a kernel reaches into the grid; one that reaches further has no periodic form."""
LOST = 1e-8
"""Share of the squares of f that dropped frequencies may have without a word."""


class Spectrum(NamedTuple):
    """F(k₀) on the grid, and the frequencies at which it is too small to divide by."""

    values: Array
    dropped: Bools

    def divide(self, transform: Array) -> Array:
        """transform / F(k₀), zero at the dropped frequencies."""
        return np.where(self.dropped, 0.0, transform) / np.where(self.dropped, 1.0, self.values)


class InverseKernel(NamedTuple):
    """k₀⁻¹ of (2).

    Fields
    ------
    values : ndarray of shape (n_1, …, n_D)
        At the differences `offsets`; k₀⁻¹ ∗ k₀ is 1 at the difference zero and 0 elsewhere, up to what was dropped.
    offsets : list of ndarray
        Differences along each axis, zero in the middle.
    n_dropped : int
        Frequencies where F(k₀) is below the tolerance.

    References
    ----------
    Wahba, G. (1990). Spline Models for Observational Data, section 1.2. doi:10.1137/1.9781611970128

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.gp import inverse_kernel
    >>> from gnomon.kernels import BSpline
    >>> inverse_kernel(BSpline(1), np.arange(5.0)).values
    array([0., 0., 1., 0., 0.])
    """

    values: Floats
    offsets: list[Floats]
    n_dropped: int


def rkhs_inner(
    f: ArrayLike | Expansion,
    g: ArrayLike | Expansion,
    kernel: Kernel,
    grid: ArrayLike | Sequence[ArrayLike] | None = None,
    *,
    boundary: Continuation = "periodic",
    tol: float = 1e-13,
) -> float:
    """The inner product of two functions in the space of a kernel: (1), or (2) on a grid.

    Parameters
    ----------
    f, g : (coef, rows), or arrays of values
        Without a grid, pairs of coefficients of shape (n,) and rows of shape (n, d): the functions Σ coefᵢ k(xᵢ, ·).
        With one, values at its points.
    kernel : Kernel
        With a grid, stationary: k(x, x') depends on x − x' only.
    grid : array-like, or a list of one array for each axis, optional
        Equally spaced coordinates.
    boundary : {"periodic", "zero"}, default="periodic"
        How f and g continue beyond the grid: periodically, or as zero over as many points again.
    tol : float, default=1e-13
        Frequencies where F(k₀) is below `tol` times its maximum are left out of (2); a warning says so where f or g
        has a part there that counts.

    Returns
    -------
    float

    References
    ----------
    Wahba, G. (1990). Spline Models for Observational Data, section 1.2. doi:10.1137/1.9781611970128

    Examples
    --------
    The reproducing property, ⟨k(·, a), k(·, b)⟩ = k(a, b), in both forms:

    >>> import numpy as np
    >>> from gnomon.gp import rkhs_inner
    >>> from gnomon.kernels import Matern
    >>> k, x = Matern(1.0, nu=0.5), np.linspace(-40.0, 40.0, 800, endpoint=False)
    >>> round(rkhs_inner(([1.0], [[0.7]]), ([1.0], [[-0.5]]), k), 9)
    0.301194212
    >>> f, g = k.gram(x[:, None], [[0.7], [-0.5]]).T
    >>> round(rkhs_inner(f, g, k, x), 9)
    0.301194212
    """
    check_choice("boundary", boundary, ("periodic", "zero"))
    check_non_negative("tol", tol)
    if grid is None:
        return _of_expansions(f, g, kernel)
    axes = _axes(grid)
    F, G = (_transform(part, name, axes, boundary) for part, name in ((f, "f"), (g, "g")))
    spectrum = _spectrum(kernel, axes, boundary, tol)
    lost = max(_share(np.abs(part) ** 2, spectrum.dropped) for part in (F, G))
    if lost > LOST:
        warnings.warn(
            f"{int(spectrum.dropped.sum())} of {F.size} frequencies were left out, at which the kernel has less than "
            f"tol={tol:g} of its largest value and the functions {lost:.2g} of their squares: their norm is larger, or "
            "infinite; choose a rougher kernel, or smoother functions",
            UserWarning,
            stacklevel=2,
        )
    return float(np.sum((spectrum.divide(F) * np.conj(G)).real) / F.size)


def inverse_kernel(
    kernel: Kernel,
    grid: ArrayLike | Sequence[ArrayLike],
    *,
    boundary: Continuation = "periodic",
    tol: float = 1e-13,
) -> InverseKernel:
    """The function k₀⁻¹ of (2) on a grid, whose convolution with k₀ is one at zero and zero elsewhere.

    Parameters
    ----------
    kernel, grid, boundary, tol : as in `rkhs_inner`
        With ``boundary="zero"`` the differences reach over twice the grid.

    Returns
    -------
    InverseKernel

    References
    ----------
    Wahba, G. (1990). Spline Models for Observational Data, section 1.2. doi:10.1137/1.9781611970128

    Examples
    --------
    That of exp(−|x|) looks at the nearest neighbours only, as its process is a Markov chain:

    >>> import numpy as np
    >>> from gnomon.gp import inverse_kernel
    >>> from gnomon.kernels import Matern
    >>> inverse_kernel(Matern(1.0, nu=0.5), np.arange(9.0)).values.round(3) + 0.0
    array([ 0.   ,  0.   ,  0.   , -0.425,  1.313, -0.425,  0.   ,  0.   ,  0.   ])
    """
    check_choice("boundary", boundary, ("periodic", "zero"))
    check_non_negative("tol", tol)
    axes = _axes(grid)
    spectrum = _spectrum(kernel, axes, boundary, tol)
    values = np.fft.fftshift(np.fft.ifftn(spectrum.divide(np.ones_like(spectrum.values))).real)
    offsets = [regular_step(x, d) * np.fft.fftshift(_steps(_size(len(x), boundary))) for d, x in enumerate(axes)]
    return InverseKernel(values, offsets, int(spectrum.dropped.sum()))


def _of_expansions(f: Any, g: Any, kernel: Kernel) -> float:
    """(1)."""
    parts = []
    for name, pair in (("f", f), ("g", g)):
        if len(pair) != 2 or np.shape(pair[0]) != np.shape(pair[1])[:1]:
            raise ValueError(
                f"{name} must be a pair (coef, rows) with one coefficient for each row, or values with the grid given"
            )
        parts.append((np.asarray(pair[0], dtype=float), np.asarray(pair[1], dtype=float)))
    (alpha, X), (beta, Z) = parts
    return float(alpha @ kernel.gram(X, Z) @ beta)


def _share(squares: Floats, some: Bools) -> float:
    return float(np.sum(squares[some]) / max(np.sum(squares), np.finfo(float).tiny))


def _axes(grid: Any) -> list[Floats]:
    """Coordinates along each axis; one array of numbers is one axis."""
    given = grid if isinstance(grid, list | tuple) and len(grid) and np.ndim(grid[0]) == 1 else [grid]
    axes = [as_values(axis, f"axis {d} of grid") for d, axis in enumerate(given)]
    if any(axis.ndim != 1 for axis in axes):
        raise ValueError(f"grid has axes of shapes {[a.shape for a in axes]}; give one array of coordinates for each")
    return axes


def _size(n: int, boundary: Continuation) -> int:
    return n if boundary == "periodic" else 2 * n


def _steps(n: int) -> Floats:
    """0, 1, 2, …, −2, −1: differences on a ring of n points, in the order of a Fourier transform."""
    return np.rint(np.fft.fftfreq(n) * n)


def _transform(values: Any, name: str, axes: list[Floats], boundary: Continuation) -> Array:
    shape = tuple(len(x) for x in axes)
    table = as_values(values, name)
    if table.shape != shape:
        raise ValueError(f"{name} has shape {table.shape}; give one value for each point of the grid, {shape}")
    return np.fft.fftn(table, s=[_size(n, boundary) for n in shape], axes=range(len(shape)))


def _spectrum(kernel: Kernel, axes: list[Floats], boundary: Continuation, tol: float) -> Spectrum:
    """F(k₀) of the kernel summed over all periods."""
    steps = [regular_step(x, d) for d, x in enumerate(axes)]
    sizes = [_size(len(x), boundary) for x in axes]
    _check_stationary(kernel, axes)
    F = np.fft.fftn(_ring(kernel, steps, sizes)).real
    largest = float(np.max(F))
    if np.min(F) < -1e-10 * largest:
        raise ValueError(
            f"F(k₀) is {np.min(F):.3g} at one frequency and {largest:.3g} at another: {kernel!r} has no Hilbert space "
            "on this grid; choose a kernel that is positive definite"
        )
    return Spectrum(F, largest * tol > F)


def _ring(kernel: Kernel, steps: list[float], sizes: list[int]) -> Floats:
    """k₀ at all differences, summed over periods until those further away add nothing."""
    mesh = np.meshgrid(*(h * _steps(n) for h, n in zip(steps, sizes, strict=True)), indexing="ij")
    rows = np.stack([axis.ravel() for axis in mesh], axis=1)
    period = np.abs(steps) * np.array(sizes)
    origin = np.zeros((1, len(sizes)))
    total = np.zeros(len(rows))
    for reach in range(IMAGES + 1):
        shell = [m for m in product(range(-reach, reach + 1), repeat=len(sizes)) if max(map(abs, m)) == reach]
        added = np.sum([kernel.gram(rows + np.array(m) * period, origin)[:, 0] for m in shell], axis=0)
        total += added
        if reach and np.max(np.abs(added)) <= 1e-16 * np.max(np.abs(total)):
            return total.reshape(sizes)
    raise ValueError(
        f"{kernel!r} does not vanish within {IMAGES} periods of the grid; choose one that decays, or a longer grid"
    )


def _check_stationary(kernel: Kernel, axes: list[Floats]) -> None:
    """Refuse a kernel that looks at more than differences, as far as three points of the grid show it."""
    first, middle, last = np.array([[x[0], x[len(x) // 2], x[-1]] for x in axes], dtype=float).T
    at_one_place = kernel.diag(np.stack([first, middle, last]))
    apart = kernel.gram(np.stack([first, last - (middle - first)]), np.stack([middle, last])).diagonal()
    if not (
        np.allclose(at_one_place, at_one_place[0], rtol=1e-9) and np.isclose(apart[0], apart[1], rtol=1e-7, atol=1e-12)
    ):
        raise ValueError(f"{kernel!r} is not stationary; give one that is a function of x − x'")
