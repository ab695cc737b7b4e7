"""Parts of a matrix.

K_ij = R[s_i, c_j]                                                                            (1)
"""

from __future__ import annotations

from gnomon._jit import jit_no_alloc
from gnomon._typing import Floats, Integers

__all__ = ["collect_columns"]


@jit_no_alloc
def collect_columns(K: Floats, rows: Floats, slots: Integers, columns: Integers) -> None:
    """K = rows[slots, columns], equation (1).

    References
    ----------
    Harris, C. R. et al. (2020). Array programming with NumPy. doi:10.1038/s41586-020-2649-2

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.gather import collect_columns
    >>> K = np.empty((1, 2))
    >>> collect_columns(K, np.arange(6.0).reshape(2, 3), np.array([1]), np.array([2, 0]))
    >>> K
    array([[5., 3.]])
    """
    for i in range(len(slots)):
        row = rows[slots[i]]
        for j in range(len(columns)):
            K[i, j] = row[columns[j]]
