"""Systems with a tridiagonal matrix.

    aᵢ xᵢ₋₁ + bᵢ xᵢ + cᵢ xᵢ₊₁ = yᵢ,    i = 0 … n − 1                                                     (1)
    forward   mᵢ = bᵢ − aᵢ uᵢ₋₁,  uᵢ = cᵢ/mᵢ,  y'ᵢ = (yᵢ − aᵢ y'ᵢ₋₁)/mᵢ;    backward   xᵢ = y'ᵢ − uᵢ xᵢ₊₁      (2)

Thomas' algorithm (2) takes O(n) operations. It is stable where the diagonal dominates the rows or the columns, and
for symmetric positive definite matrices; elsewhere LAPACK's elimination, which exchanges rows, is used. In the cyclic
system x₋₁ = xₙ₋₁ and xₙ = x₀: its two corners are a matrix of rank one beside a tridiagonal one (Sherman–Morrison).
Golub & Van Loan (2013), Matrix Computations, section 4.3; Press et al. (2007), Numerical Recipes, section 2.7.3.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

from gnomon._jit import jit
from gnomon._typing import ArrayLike, Floats
from gnomon.numerics.linalg._lines import WIDTH, Lines, as_lines, gather, scatter

__all__ = ["tridiagonal_solve"]


class Bands(NamedTuple):
    """a, b and c of (1), each of length n."""

    lower: Floats
    diagonal: Floats
    upper: Floats


def tridiagonal_solve(
    lower: ArrayLike,
    diagonal: ArrayLike,
    upper: ArrayLike,
    Y: ArrayLike,
    *,
    cyclic: bool = False,
    axis: int = 0,
) -> Floats:
    """x of (1) for every line of Y along one axis.

    Parameters
    ----------
    lower, diagonal, upper : float or array-like of shape (n,)
        a, b and c; a number stands for n equal ones. a₀ and cₙ₋₁ are the corners of the cyclic system, and else not
        used.
    Y : array-like
        With n entries along `axis`.
    cyclic : bool, default=False
        Whether the last entry precedes the first.
    axis : int, default=0

    Returns
    -------
    ndarray of the shape of Y

    References
    ----------
    Golub, G. & Van Loan, C. (2013). Matrix Computations, section 4.3. Johns Hopkins.

    Examples
    --------
    Coefficients of the cubic B-splines that take the values 1, 3 and 2 at 0, 1 and 2:

    >>> import numpy as np
    >>> from gnomon.numerics.linalg import tridiagonal_solve
    >>> c = tridiagonal_solve(1 / 6, 2 / 3, 1 / 6, [1.0, 3.0, 2.0])
    >>> K = np.array([[4.0, 1.0, 0.0], [1.0, 4.0, 1.0], [0.0, 1.0, 4.0]]) / 6.0
    >>> (K @ c).round(12)
    array([1., 3., 2.])
    """
    lines = as_lines(Y, axis)
    given = {"lower": lower, "diagonal": diagonal, "upper": upper}
    bands = Bands(*(_band(name, values, lines.n) for name, values in given.items()))
    if lines.values.size == 0:
        return lines.values
    _solve_cyclic(bands, lines) if cyclic else _solve(bands, lines)
    return lines.values


def _band(name: str, values: ArrayLike, n: int) -> Floats:
    band: Any = np.asarray(values, dtype=float)
    if band.shape not in ((), (n,)) or not np.all(np.isfinite(band)):
        raise ValueError(
            f"{name} must be a number or {n} of them, one for each entry of Y along its axis, all finite; "
            f"found shape {band.shape}"
        )
    return np.broadcast_to(band, (n,)).copy()


def _solve(bands: Bands, lines: Lines) -> None:
    """(1) in place, by (2) where that is stable."""
    a, b, c = bands
    n = lines.n
    if _dominates(a, b, c) or _is_definite(a, b, c):
        _sweep(lines.values.reshape(-1), n, lines.inner, a, b, c, np.empty(n), np.empty((n, WIDTH)))
        return
    stored = np.zeros((3, n))
    stored[0, 1:], stored[1], stored[2, :-1] = c[:-1], b, a[1:]
    columns = lines.values.reshape(-1, n, lines.inner).transpose(1, 0, 2).reshape(n, -1)
    try:
        found = linalg.solve_banded((1, 1), stored, columns.astype(float), check_finite=False)
    except linalg.LinAlgError:
        raise ValueError("the tridiagonal matrix is singular; its rows leave some entry free") from None
    lines.values[...] = found.reshape(n, -1, lines.inner).transpose(1, 0, 2).reshape(lines.values.shape)


def _solve_cyclic(bands: Bands, lines: Lines) -> None:
    """(1) with both corners, in place: (T + uvᵀ)x = y with x = p − q (vᵀp)/(1 + vᵀq), Tp = y, Tq = u."""
    a, b, c = bands
    n = lines.n
    if n < 3:
        matrix = np.array([[b[0] + a[0] + c[0]]]) if n == 1 else np.array([[b[0], a[0] + c[0]], [a[1] + c[1], b[1]]])
        _solve_small(matrix, lines)
        return
    corner = -b[0] if b[0] != 0.0 else 1.0
    T = Bands(a, b.copy(), c)
    T.diagonal[0] -= corner
    T.diagonal[-1] -= a[0] * c[-1] / corner
    u = np.zeros(n)
    u[0], u[-1] = corner, c[-1]
    side = Lines(u, n, 1)
    _solve(T, side)
    _solve(T, lines)
    cube = lines.values.reshape(-1, n, lines.inner)
    below = 1.0 + u[0] + a[0] / corner * u[-1]
    if abs(below) < n * np.finfo(float).eps * (1.0 + abs(u[0]) + abs(a[0] / corner * u[-1])):
        raise ValueError("the cyclic tridiagonal matrix is singular; its rows leave some entry free")
    share = (cube[:, 0] + a[0] / corner * cube[:, -1]) / below
    cube -= u[None, :, None].astype(cube.dtype) * share[:, None, :]


def _solve_small(matrix: Floats, lines: Lines) -> None:
    cube = lines.values.reshape(-1, len(matrix), lines.inner)
    try:
        cube[...] = np.einsum("ij,ojk->oik", linalg.inv(matrix), cube)
    except linalg.LinAlgError:
        raise ValueError("the cyclic tridiagonal matrix is singular; its rows leave some entry free") from None


def _dominates(a: Floats, b: Floats, c: Floats) -> bool:
    """Whether each diagonal entry is at least the rest of its row, or of its column."""
    below, above = np.abs(np.append(0.0, a[1:])), np.abs(np.append(c[:-1], 0.0))
    rows = below + above
    columns = np.append(np.abs(a[1:]), 0.0) + np.append(0.0, np.abs(c[:-1]))
    size = np.abs(b)
    return bool(np.all(size > 0.0) and (np.all(size >= rows) or np.all(size >= columns)))


def _is_definite(a: Floats, b: Floats, c: Floats) -> bool:
    """Whether the matrix is symmetric and its Cholesky factor exists."""
    if not np.array_equal(a[1:], c[:-1]) or not np.all(b > 0.0):
        return False
    try:
        linalg.cholesky_banded(np.vstack([b, np.append(c[:-1], 0.0)]), lower=True, check_finite=False)
    except linalg.LinAlgError:
        return False
    return True


@jit
def _sweep(flat: Floats, n: int, inner: int, a: Floats, b: Floats, c: Floats, u: Floats, block: Floats) -> None:
    """(2) for all lines, in place; u and block, of shape (n, WIDTH), are for its own use."""
    m = b.copy()
    for i in range(1, n):
        u[i - 1] = c[i - 1] / m[i - 1]
        m[i] = b[i] - a[i] * u[i - 1]
    lines, width = flat.size // n, block.shape[1]
    starts = np.zeros(width, dtype=np.int64)
    for first in range(0, lines, width):
        last = min(first + width, lines)
        gather(flat, n, inner, first, last, starts, block)
        for j in range(width):
            block[0, j] /= m[0]
        for i in range(1, n):
            low, under = a[i], 1.0 / m[i]
            for j in range(width):
                block[i, j] = (block[i, j] - low * block[i - 1, j]) * under
        for i in range(n - 2, -1, -1):
            above = u[i]
            for j in range(width):
                block[i, j] -= above * block[i + 1, j]
        scatter(block, n, inner, last - first, starts, flat)
