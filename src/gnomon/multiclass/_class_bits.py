"""Classes as binary numbers.

    class k ∈ {0, …, C − 1}  ↦  (b_1, …, b_L),  k = Σ_l b_l 2^(L − l),  L = ⌈log₂ C⌉                        (1)

The shortest code that tells C classes apart; one wrong bit is another class. Dietterich & Bakiri (1995), Solving
multiclass learning problems via error-correcting output codes, doi:10.1613/jair.105.
"""

from __future__ import annotations

import numpy as np

from gnomon._typing import Integers
from gnomon.multiclass._fixed_codes import bits
from gnomon.numerics.validation import check_integer

__all__ = ["class_bits"]


def class_bits(n_classes: int) -> Integers:
    """The binary digits of the classes 0 … C − 1, the most significant first, equation (1).

    Parameters
    ----------
    n_classes : int
        C ≥ 1; a single class needs no bit.

    Returns
    -------
    ndarray of int of shape (n_classes, ⌈log₂ n_classes⌉)

    References
    ----------
    Dietterich, T. G. & Bakiri, G. (1995). Solving multiclass learning problems via error-correcting output codes.
    doi:10.1613/jair.105

    Examples
    --------
    >>> from gnomon.multiclass import class_bits
    >>> class_bits(5).tolist()
    [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0]]
    """
    C = check_integer("n_classes", n_classes, 1)
    return bits(np.arange(C), (C - 1).bit_length())
