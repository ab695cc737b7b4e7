"""Recursive filters along one axis of an array.

    c⁺ᵢ = sᵢ + z c⁺ᵢ₋₁,    cᵢ = z (cᵢ₊₁ − c⁺ᵢ),    times (1 − z)(1 − 1/z)                                  (1)

A causal and an anticausal recursion with the pole z, |z| < 1: the inverse of the filter (1, −z − 1/z, 1)/(2 − z −
1/z), in O(n) operations. Several poles are applied in turn. What precedes the first entry decides the start: `mirror`
continues s₋ᵢ = sᵢ and sₙ₋₁₊ᵢ = sₙ₋₁₋ᵢ, `periodic` s₋ᵢ = sₙ₋ᵢ. Unser, Aldroubi & Eden (1991), Fast B-spline transforms
for continuous image representation and interpolation, doi:10.1109/34.75515.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from gnomon._jit import jit, subroutine
from gnomon._typing import ArrayLike, Floats
from gnomon.numerics.linalg._lines import WIDTH, as_lines, gather, scatter
from gnomon.numerics.validation import check_choice

__all__ = ["FilterBoundary", "recursive_filter"]

FilterBoundary: TypeAlias = Literal["mirror", "periodic"]

VANISHED = 1e-20
"""Powers of a pole below this are left out of the sum that a recursion starts with."""


def recursive_filter(Y: ArrayLike, poles: ArrayLike, boundary: FilterBoundary = "mirror", axis: int = -1) -> Floats:
    """(1) along one axis, for each pole in turn.

    Parameters
    ----------
    Y : array-like
    poles : array-like of shape (p,)
        z, each between −1 and 1 and not 0.
    boundary : {"mirror", "periodic"}, default="mirror"
    axis : int, default=-1

    Returns
    -------
    ndarray of the shape of Y
        In single precision where Y is; the recursions are in double precision.

    References
    ----------
    Unser, M., Aldroubi, A. & Eden, M. (1991). Fast B-spline transforms for continuous image representation and
    interpolation. doi:10.1109/34.75515

    Examples
    --------
    The pole √3 − 2 inverts the filter (1/6, 2/3, 1/6):

    >>> import numpy as np
    >>> from gnomon.numerics.linalg import recursive_filter
    >>> c = recursive_filter([1.0, 3.0, 2.0, 5.0], [np.sqrt(3.0) - 2.0], "periodic")
    >>> (np.roll(c, 1) / 6 + 2 * c / 3 + np.roll(c, -1) / 6).round(12)
    array([1., 3., 2., 5.])
    """
    check_choice("boundary", boundary, ("mirror", "periodic"))
    z = np.atleast_1d(np.asarray(poles, dtype=float))
    if z.ndim != 1 or not np.all((np.abs(z) < 1.0) & (z != 0.0)):
        raise ValueError(f"poles={poles!r} must be numbers between -1 and 1, not 0; give those inside the unit circle")
    lines = as_lines(Y, axis)
    # One entry continues as a constant, which the filter leaves as it is.
    if lines.n > 1 and lines.values.size and len(z):
        _filter(lines.values.reshape(-1), lines.n, lines.inner, z, boundary == "mirror", np.empty((lines.n, WIDTH)))
    return lines.values


@jit
def _filter(flat: Floats, n: int, inner: int, poles: Floats, mirrored: bool, block: Floats) -> None:
    """(1) for all lines, in place; block, of shape (n, WIDTH), is for its own use."""
    lines, width = flat.size // n, block.shape[1]
    starts = np.zeros(width, dtype=np.int64)
    gain = 1.0
    for z in poles:
        gain *= (1.0 - z) * (1.0 - 1.0 / z)
    for first in range(0, lines, width):
        last = min(first + width, lines)
        gather(flat, n, inner, first, last, starts, block)
        for i in range(n):
            for j in range(width):
                block[i, j] *= gain
        for z in poles:
            _start(block, n, z, mirrored)
            for i in range(1, n):
                for j in range(width):
                    block[i, j] += z * block[i - 1, j]
            _turn(block, n, z, mirrored)
            for i in range(n - 2, -1, -1):
                for j in range(width):
                    block[i, j] = z * (block[i + 1, j] - block[i, j])
        scatter(block, n, inner, last - first, starts, flat)


@subroutine
def _start(block: Floats, n: int, z: float, mirrored: bool) -> None:
    """c⁺₀ = Σ_k zᵏ s₋ₖ, one period of it over 1 − z^period, in place of s₀."""
    period, width = 2 * n - 2 if mirrored else n, block.shape[1]
    power, k = z, 1
    while k < period and abs(power) > VANISHED:
        before = (k if k < n else period - k) if mirrored else n - k
        for j in range(width):
            block[0, j] += power * block[before, j]
        power *= z
        k += 1
    for j in range(width):
        block[0, j] /= 1.0 - z**period


@subroutine
def _turn(block: Floats, n: int, z: float, mirrored: bool) -> None:
    """cₙ₋₁ = −z Σ_k zᵏ c⁺ₙ₋₁₊ₖ in place of c⁺ₙ₋₁; for the mirrored line in closed form."""
    width = block.shape[1]
    if mirrored:
        for j in range(width):
            block[n - 1, j] = z / (z * z - 1.0) * (block[n - 1, j] + z * block[n - 2, j])
        return
    power, k = z, 1
    while k < n and abs(power) > VANISHED:
        for j in range(width):
            block[n - 1, j] += power * block[k - 1, j]
        power *= z
        k += 1
    for j in range(width):
        block[n - 1, j] *= -z / (1.0 - z**n)
