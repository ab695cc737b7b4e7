"""The largest eigenvalues of a symmetric matrix.

    S v = λ v,    the m largest λ                                                                  (1)

A part of the spectrum comes from multiple relatively robust representations, which can fail where many eigenvalues are
equal; divide and conquer, which finds all, then takes over. Dhillon & Parlett (2004), doi:10.1016/j.laa.2003.12.028.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from scipy import linalg

from gnomon._typing import Floats

__all__ = ["top_eigh"]


def top_eigh(S: Floats, m: int) -> tuple[Floats, Floats]:
    """The m largest eigenvalues, in rising order, and their eigenvectors as columns.

    Parameters
    ----------
    S : ndarray of shape (n, n)
        Symmetric and finite; the lower triangle is read.
    m : int
        From 0 to n.

    Returns
    -------
    values : ndarray of shape (m,)
    vectors : ndarray of shape (n, m)

    References
    ----------
    Dhillon, I. S. & Parlett, B. N. (2004). Multiple representations to compute orthogonal eigenvectors of symmetric
    tridiagonal matrices. doi:10.1016/j.laa.2003.12.028

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import top_eigh
    >>> top_eigh(np.diag([3.0, 1.0, 2.0]), 2)[0]
    array([2., 3.])
    """
    n = len(S)
    # From a sixth of the spectrum on, all of it is found as fast as a part.
    if 0 < 6 * m <= n:
        with suppress(np.linalg.LinAlgError):
            return linalg.eigh(S, check_finite=False, subset_by_index=(n - m, n - 1))
    values, V = linalg.eigh(S, check_finite=False, driver="evd")
    return values[n - m :], V[:, n - m :]
