"""The Gram matrix of a kernel, and the terms of a function that is a sum over its rows.

    K_ij = k(x_i, y_j),    f(x) = Σ_t f_t(x),   f_t(x) = Σ_j β_j k_t(x, y_j)   for k = Σ_t k_t     (1)

Schölkopf & Smola (2002), definition 2.3.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.kernels._base import Kernel
from gnomon.kernels._evaluate import evaluate, evaluate_sparse
from gnomon.kernels._read_kernel import KernelLike, read_kernel

__all__ = ["components", "gram_matrix"]


def gram_matrix(
    X: Any,
    kernel: KernelLike,
    Y: Any = None,
    *,
    n_jobs: int | None = None,
    sparse: bool | Literal["auto"] = False,
) -> Any:
    """The matrix (1) of the rows of X and Y, of X and itself where Y is None.

    Parameters
    ----------
    X, Y : array-like of shape (n, d) and (m, d), or lists of objects for a kernel of objects
    kernel : Kernel, str or callable
    n_jobs : int, optional
        Threads as in joblib; None for as many as BLAS has.
    sparse : bool or "auto", default=False
        A CSR array, from the pairs of rows that are near each other; "auto" where the kernel is zero beyond a distance,
        else an array.

    Returns
    -------
    ndarray or CSR array of shape (n, m)

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, definition 2.3. MIT Press.

    Examples
    --------
    >>> from gnomon.kernels import RBF, Wendland, gram_matrix
    >>> gram_matrix([[0.0], [1.0]], RBF())
    array([[1.        , 0.60653066],
           [0.60653066, 1.        ]])
    >>> gram_matrix([[0.0], [0.5], [9.0]], Wendland(), sparse="auto").nnz
    5
    """
    if not (isinstance(sparse, bool) or sparse == "auto"):
        raise ValueError(f"sparse={sparse!r} must be True, False or 'auto'")
    k: Kernel = read_kernel(kernel, X)
    P, Q = k.prepare_both(X, Y)
    found = evaluate_sparse(k, P, Q) if sparse else None
    if found is None and sparse is True:
        raise ValueError(f"sparse=True: {k!r} is zero beyond no distance; choose a Wendland kernel, or sparse='auto'")
    return evaluate(k, P, Q, n_jobs) if found is None else found


def components(kernel: Kernel, dual_coef: ArrayLike, X: Any, Y: Any) -> Floats:
    """The terms f_t of (1), one for each kernel that `kernel` is a sum of.

    Parameters
    ----------
    kernel : Kernel
        A sum, or `Additive`; see `Kernel.summands`.
    dual_coef : array-like of shape (m,) or (m, outputs)
        β.
    X, Y : rows at which f is wanted, and those that β belongs to

    Returns
    -------
    ndarray of shape (n, terms) or (n, terms, outputs)

    References
    ----------
    Stitson, M. et al. (1999). Support vector regression with ANOVA decomposition kernels. MIT Press.

    Examples
    --------
    >>> from gnomon.kernels import Additive, Linear, components
    >>> components(Additive([Linear(), Linear()]), [2.0], [[3.0, 5.0]], [[1.0, 10.0]])
    array([[  6., 100.]])
    """
    beta = np.asarray(dual_coef)
    return np.stack([term.gram(X, Y) @ beta for term in kernel.summands()], axis=1)
