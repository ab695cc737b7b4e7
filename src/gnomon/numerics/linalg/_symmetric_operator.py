"""Products with a dense symmetric matrix, one vector at a time.

    S v    from the entries of S on one side of its diagonal                                       (1)

A product is as slow as the entries are fetched from memory, and BLAS's for symmetric matrices fetches half of them;
Krylov methods, which multiply with one vector after the other, gain the most. Lawson, Hanson, Kincaid & Krogh (1979),
doi:10.1145/355841.355847, and level 2 of BLAS: Dongarra et al. (1988), doi:10.1145/42288.42291.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import get_blas_funcs
from scipy.sparse.linalg import LinearOperator

from gnomon._typing import Floats

__all__ = ["symmetric_operator"]


def symmetric_operator(S: Floats) -> LinearOperator:
    """The operator v ↦ S v for Krylov methods.

    Parameters
    ----------
    S : ndarray of shape (n, n), of float32 or float64
        Symmetric; of a C-contiguous one the lower triangle is read.

    Returns
    -------
    LinearOperator

    References
    ----------
    Dongarra, J. J., Du Croz, J., Hammarling, S. & Hanson, R. J. (1988). An extended set of Fortran basic linear algebra
    subprograms. doi:10.1145/42288.42291

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import symmetric_operator
    >>> symmetric_operator(np.array([[2.0, 1.0], [1.0, 3.0]])) @ np.array([1.0, -1.0])
    array([ 1., -2.])
    """
    # The upper triangle of the transpose, which for BLAS is a matrix by columns and needs no copy.
    by_columns = np.ascontiguousarray(S).T
    (symv,) = get_blas_funcs(["symv"], (by_columns,))
    return LinearOperator(
        S.shape, matvec=lambda v: symv(1.0, by_columns, np.ravel(v)), matmat=lambda V: S @ V, dtype=S.dtype
    )
