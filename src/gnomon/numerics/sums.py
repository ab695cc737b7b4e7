"""Sums in kernels, reordered for SIMD.

    Σ_i x_i, in several partial sums that are added at the end                                                    (1)

A loop with one accumulator is bound by the latency of an addition, and the work on its terms is not vectorised either:
kernels store the terms in an array and sum that. Higham (1993), The accuracy of floating point summation,
doi:10.1137/0914050: partial sums only lower the error bound.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import in_kernels, subroutine_reassoc
from gnomon._typing import Floats

__all__ = ["sum_of"]


@subroutine_reassoc
def _sum(x: Floats) -> float:
    total = 0.0
    for i in range(len(x)):
        total += x[i]
    return total


@in_kernels(lambda x: _sum(x))
def sum_of(x: Floats) -> float:
    """(1), of an array of floats.

    References
    ----------
    Higham, N. J. (1993). The accuracy of floating point summation. doi:10.1137/0914050

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.sums import sum_of
    >>> float(sum_of(np.array([1.0, 2.0, 4.0])))
    7.0
    """
    return float(np.sum(x))
