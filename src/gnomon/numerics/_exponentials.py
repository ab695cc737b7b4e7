"""Exponentials of a row of numbers ≤ 0, by vectors; the library's own works on one number at a time in kernels.

    eˣ = 2ⁿ eʳ,    n = round(x / log 2),    |r| = |x − n log 2| ≤ ½ log 2,    eʳ = Σ_{i ≤ 12} rⁱ/i!                  (1)

The error of the series is below 2⁻⁵³, that of the whole two units in the last place. Muller (2016), Elementary
Functions, section 11.1, doi:10.1007/978-1-4899-7983-4; log 2 in two parts: Cody & Waite (1980), Software Manual for the
Elementary Functions, chapter 6.
"""

import math

from gnomon._jit import lean

__all__ = ["exponentials"]

_LEAST = -708.0  # below, 2ⁿ would not be a normal number, and the exponential is taken as 0
_LOG2_HIGH, _LOG2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_ROUNDER = 1.5 * 2.0**52  # a sum with it has its integer part in the lowest bits
_C3, _C4, _C5, _C6, _C7, _C8, _C9, _C10, _C11, _C12 = (1.0 / math.factorial(i) for i in range(3, 13))


@lean
def exponentials(x, power, bits):
    """Replace x, none above 0, by eˣ; `power` is room for as many doubles, and `bits` the same memory as integers.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics._exponentials import exponentials
    >>> x, power = np.array([0.0, -1.0, -np.inf]), np.empty(3)
    >>> exponentials(x, power, power.view(np.int64))
    >>> x.round(15).tolist() == np.exp([0.0, -1.0, -np.inf]).round(15).tolist()
    True
    """
    for t in range(len(x)):
        power[t] = max(x[t], _LEAST) / math.log(2.0) + _ROUNDER
    for t in range(len(x)):
        n = power[t] - _ROUNDER
        r = (max(x[t], _LEAST) - n * _LOG2_HIGH) - n * _LOG2_LOW
        tail = _C7 + r * (_C8 + r * (_C9 + r * (_C10 + r * (_C11 + r * _C12))))
        series = 1.0 + r * (1.0 + r * (0.5 + r * (_C3 + r * (_C4 + r * (_C5 + r * (_C6 + r * tail))))))
        x[t] = series if x[t] >= _LEAST else 0.0
    for t in range(len(x)):
        # 2ⁿ is the double whose bits of the exponent are n + 1023.
        bits[t] = (bits[t] + 1023) << 52
    for t in range(len(x)):
        x[t] *= power[t]
