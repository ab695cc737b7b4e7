"""A function of many pairs of rows.

    f(a_i, b_j)    for the pairs (i, j) that are listed                                           (1)

in blocks of pairs, so that the memory does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from gnomon._typing import Floats, Integers

__all__ = ["of_pairs", "row_sums"]

ENTRIES = 1_000_000
"""Entries of a block of rows."""


def of_pairs(function: Callable[[Any, Any], Floats], A: Any, B: Any, i: Integers, j: Integers) -> Floats:
    """The function of the rows i of A and j of B, a number for each pair.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features._row_pairs import of_pairs, row_sums
    >>> X = np.array([[0.0, 0.0], [3.0, 4.0]])
    >>> of_pairs(lambda a, b: row_sums(a - b, 2), X, X, np.array([0, 1]), np.array([1, 1]))
    array([25.,  0.])
    """
    out = np.empty(len(i))
    block = max(1, ENTRIES // A.shape[1])
    for start in range(0, len(i), block):
        part = slice(start, start + block)
        out[part] = function(A[i[part]], B[j[part]])
    return out


def row_sums(D: Any, power: int) -> Floats:
    """Σ |d|^power of every row, dense or sparse.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features._row_pairs import row_sums
    >>> row_sums(np.array([[-1.0, 2.0]]), 1)
    array([3.])
    """
    if sparse.issparse(D):
        return np.asarray(abs(D).power(power).sum(axis=1)).ravel()
    return np.abs(D).sum(axis=1) if power == 1 else np.einsum("ij,ij->i", D, D)
