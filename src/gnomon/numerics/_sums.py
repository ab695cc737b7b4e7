"""Sums inside kernels, taken in whatever order is fastest.

    Σ_i x_i, in several partial sums that are added at the end                                                    (1)

A loop that adds to one number waits for every sum before the next, and whatever else it does then waits too: kernels
put their terms into an array and sum that. Higham (1993), The accuracy of floating point summation,
doi:10.1137/0914050: partial sums only lessen the bound on the error.
"""

from gnomon._jit import inner_reordering
from gnomon._typing import Floats

__all__ = ["sum_of"]


@inner_reordering
def sum_of(x: Floats) -> float:
    """(1)."""
    total = 0.0
    for i in range(len(x)):
        total += x[i]
    return total
