"""A root of a kernel matrix.

    K = R Rᵀ,    R of shape (n, r)                                                                (1)

Rows of R are features whose inner products are the kernel, so any model that is linear in them is the kernel model:
w = Rᵀβ, Rw = Kβ, ‖w‖² = βᵀKβ. R comes from a Cholesky factorisation with complete pivoting, which ends at the numerical
rank r: Higham (2002), section 10.3, doi:10.1137/1.9780898718027.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from gnomon._typing import Floats, Integers
from gnomon.numerics.linalg._kernel_ridge import refuse_indefinite

__all__ = ["KernelRoot", "kernel_root", "refuse_matrix"]


class KernelRoot(NamedTuple):
    """R of equation (1), and the rows at which it is triangular.

    Fields
    ------
    R : ndarray of shape (n, r)
    pivots : ndarray of shape (r,)
        R[pivots] is lower triangular and regular.

    References
    ----------
    Higham, N. J. (2002). Accuracy and Stability of Numerical Algorithms, section 10.3. doi:10.1137/1.9780898718027

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import kernel_root
    >>> K = np.array([[2.0, 1.0, 3.0], [1.0, 1.0, 2.0], [3.0, 2.0, 5.0]])
    >>> root = kernel_root(K)
    >>> root.R.shape, bool(np.allclose(root.R @ root.R.T, K))
    ((3, 2), True)
    >>> beta = root.lift(np.array([[1.0, 2.0]]), np.ones((3, 1)))
    >>> (root.R.T @ beta).ravel().round(12)
    array([1., 2.])
    """

    R: Floats
    pivots: Integers

    def lift(self, W: Floats, near: Floats) -> Floats:
        """β with Rᵀβ = Wᵀ that differs from `near` at the pivots alone; W has a row, and β a column, per function."""
        left = W.T - self.R.T @ near
        beta = near.copy()
        beta[self.pivots] += linalg.solve_triangular(self.R[self.pivots], left, trans=1, lower=True)
        return beta


def kernel_root(K: Floats, eps: float = 2.0**-52) -> KernelRoot:
    """Factor K as in equation (1); ValueError where it is not positive semi-definite.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric.
    eps : float, default=2⁻⁵²
        Relative rounding error of the entries of K; that of single precision where they come from it.

    Returns
    -------
    KernelRoot

    References
    ----------
    Higham, N. J. (2002). Accuracy and Stability of Numerical Algorithms, section 10.3. doi:10.1137/1.9780898718027

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import kernel_root
    >>> kernel_root(np.diag([1.0, -1.0]))
    Traceback (most recent call last):
    ...
    ValueError: the kernel matrix is not positive semi-definite: its least eigenvalue is -1, its largest 1; ...
    """
    n = len(K)
    if not np.all(np.isfinite(K)):
        raise ValueError("the kernel matrix has entries that are not finite; divide the columns of X by their scale")
    least = n * eps * float(np.max(np.diagonal(K), initial=0.0))
    factor, order, rank, _ = lapack.dpstrf(np.array(K, dtype=float, order="F"), tol=least, lower=1, overwrite_a=1)
    R = np.zeros((n, rank))
    R[order - 1] = np.tril(factor)[:, :rank]
    # The factorisation ends where no pivot is positive. Of a matrix with a negative eigenvalue much is then left, which
    # shows in the image of almost every vector.
    probe = np.random.default_rng(0).standard_normal(n)
    image = K @ probe
    if np.linalg.norm(image - R @ (R.T @ probe)) > max(1e-8, 10.0 * n * eps) * np.linalg.norm(image):
        refuse_matrix(K, eps)
    return KernelRoot(R, order[:rank] - 1)


def refuse_matrix(K: Floats, eps: float = 2.0**-52) -> None:
    """ValueError, with the least eigenvalue, where a matrix is not positive semi-definite.

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, section 2.2. ISBN 978-0-262-19475-4.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import refuse_matrix
    >>> refuse_matrix(np.ones((2, 2)))
    """
    values = linalg.eigvalsh(K)
    refuse_indefinite(float(values[0]), float(max(values[-1], 0.0)), len(K), eps)
