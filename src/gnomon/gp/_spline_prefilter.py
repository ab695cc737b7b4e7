"""Coefficients of B-splines that take given values on a grid.

    Σ_j B_n(i − j) c_j = y_i                                                                          (1)

The filter (B_n(−⌊n/2⌋), …, B_n(⌊n/2⌋)) is inverted by a causal and an anticausal recursion for each of its ⌊n/2⌋
zeros inside the unit circle: 2√2 − 3 for n = 2, √3 − 2 for n = 3. Unser, Aldroubi & Eden (1991),
doi:10.1109/34.75515.
"""

from __future__ import annotations

from gnomon._typing import ArrayLike, Floats
from gnomon.gp._grid_axis import Boundary, GridAxis
from gnomon.gp._grid_reading import as_values
from gnomon.kernels import BSpline
from gnomon.numerics.validation import check_choice, check_integer

__all__ = ["spline_prefilter"]

MOST = 9
"""Beyond this order a pole is so near to −1 that its recursion loses digits."""


def spline_prefilter(Y: ArrayLike, order: int = 3, boundary: Boundary = "mirror", axis: int | None = None) -> Floats:
    """c of (1) for the values Y.

    Parameters
    ----------
    Y : array-like
        Values on a regular grid of any number of dimensions.
    order : int, default=3
        n, from 0 to 9.
    boundary : {"mirror", "periodic", "gp"}, default="mirror"
        How c continues beyond the grid: "mirror" has c₋ⱼ = cⱼ, "periodic" cⱼ₊ₙ = cⱼ; "gp" ends with the grid, where c
        are the coefficients of the posterior mean of a Gaussian process with the kernel B_n (a system with a band,
        which no recursion with constant coefficients solves).
    axis : int, optional
        One axis; None for all in turn.

    Returns
    -------
    ndarray of the shape of Y

    References
    ----------
    Unser, M., Aldroubi, A. & Eden, M. (1991). Fast B-spline transforms for continuous image representation and
    interpolation. doi:10.1109/34.75515

    Examples
    --------
    On the grid the splines take the values that were given: (c_{i−1} + 4c_i + c_{i+1})/6 = y_i.

    >>> import numpy as np
    >>> from gnomon.gp import spline_prefilter
    >>> c = spline_prefilter([1.0, 3.0, 2.0, 5.0, 4.0])
    >>> c.round(6)
    array([-0.839286,  4.678571,  0.125   ,  6.821429,  2.589286])
    >>> ((c[:-2] + 4 * c[1:-1] + c[2:]) / 6).round(12)
    array([3., 2., 5.])
    """
    check_integer("order", order, 0, MOST)
    check_choice("boundary", boundary, ("mirror", "periodic", "gp"))
    values = as_values(Y)
    if axis is not None:
        check_integer("axis", axis)
    if axis is not None and not -values.ndim <= axis < values.ndim:
        raise ValueError(f"axis={axis} of Y, which has {values.ndim} dimensions; give one that it has, or None for all")
    for one in range(values.ndim) if axis is None else (axis,):
        values, _ = GridAxis(BSpline(int(order)), 0.0, 1.0, values.shape[one], boundary).coefficients(values, one)
    return values.copy() if values is Y else values
