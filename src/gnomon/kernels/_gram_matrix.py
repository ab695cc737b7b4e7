"""The Gram matrix of a kernel.

    K_ij = k(x_i, y_j)                                                                            (1)

Schölkopf & Smola (2002), definition 2.3.
"""

from typing import Any

from gnomon._typing import Floats
from gnomon.kernels._base import Kernel
from gnomon.kernels._evaluate import evaluate
from gnomon.kernels._read_kernel import KernelLike, read_kernel

__all__ = ["gram_matrix"]


def gram_matrix(X: Any, kernel: KernelLike, Y: Any = None, *, n_jobs: int | None = None) -> Floats:
    """The matrix (1) of the rows of X and Y, of X and itself where Y is None.

    Parameters
    ----------
    X, Y : array-like of shape (n, d) and (m, d), or lists of objects for a kernel of objects
    kernel : Kernel, str or callable
    n_jobs : int, optional
        Threads as in joblib; None for as many as BLAS has.

    Returns
    -------
    ndarray of shape (n, m)

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, definition 2.3. MIT Press.

    Examples
    --------
    >>> from gnomon.kernels import RBF, gram_matrix
    >>> gram_matrix([[0.0], [1.0]], RBF())
    array([[1.        , 0.60653066],
           [0.60653066, 1.        ]])
    """
    k: Kernel = read_kernel(kernel, X)
    P = k.prepare(X)
    return evaluate(k, P, P if Y is None else k.prepare(Y, like=P), n_jobs)
