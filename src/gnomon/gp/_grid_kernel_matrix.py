"""Kernel matrices of regular grids.

    K_ij = Σ_{j'} k(i − j'),  j' all indices that the boundary takes for j                                  (1)

Unser (1999), Splines: a perfect fit for signal and image processing, doi:10.1109/79.799930.
"""

from __future__ import annotations

from gnomon._typing import Floats
from gnomon.gp._grid_axis import Boundary, GridAxis
from gnomon.gp._grid_reading import KernelOfGrid, axis_kernels
from gnomon.numerics.validation import check_choice, check_integer

__all__ = ["grid_kernel_matrix"]


def grid_kernel_matrix(kernel: KernelOfGrid, n: int, boundary: Boundary = "gp") -> Floats:
    """The matrix (1) of the points 0, 1, …, n − 1: values are its product with coefficients.

    Parameters
    ----------
    kernel : str or Kernel
        As in `GridInterpolator`.
    n : int
        At least 2.
    boundary : {"gp", "mirror", "periodic"}, default="gp"
        "gp" for k(i − j) alone.

    Returns
    -------
    ndarray of shape (n, n)

    References
    ----------
    Unser, M. (1999). Splines: a perfect fit for signal and image processing. doi:10.1109/79.799930

    Examples
    --------
    >>> from gnomon.gp import grid_kernel_matrix
    >>> (6.0 * grid_kernel_matrix("bspline3", 4, "mirror")).round(12)
    array([[4., 2., 0., 0.],
           [1., 4., 1., 0.],
           [0., 1., 4., 1.],
           [0., 0., 2., 4.]])
    """
    check_integer("n", n, 2)
    check_choice("boundary", boundary, ("gp", "mirror", "periodic"))
    return GridAxis(axis_kernels(kernel, [1.0])[0], 0.0, 1.0, int(n), boundary).matrix()
