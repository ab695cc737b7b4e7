"""Exponentials and logarithms without branches or calls, so that loops over them are vectorised (SIMD).

    eˣ = 2ⁿ eʳ,    n = round(x / log 2),    |r| = |x − n log 2| ≤ ½ log 2,    eʳ = Σ_{i ≤ 12} rⁱ/i!                  (1)
    log(1 + e) = 2 artanh s = 2 Σ_{i ≤ 16} s²ⁱ⁺¹/(2i + 1),    s = e/(2 + e) ≤ ⅓                                      (2)
    tanh x = sign(x) t/(2 − t),    t = 1 − e^{−2|x|} = (1 − 2ⁿ) − 2ⁿ(eʳ − 1),    which cancels nowhere               (3)

The error of either series is below 2⁻⁵³, that of the whole a few units in the last place. Muller (2016), Elementary
Functions, section 11.1, doi:10.1007/978-1-4899-7983-4; log 2 in two parts: Cody & Waite (1980), Software Manual for the
Elementary Functions, chapter 6.
"""

from __future__ import annotations

import math

import numpy as np

from gnomon._jit import bits_of, in_kernels, of_bits, subroutine_fma
from gnomon._typing import Elementwise

__all__ = ["exp_of_negative", "log1p_of_share", "tanh"]

_LEAST = -708.0  # below, 2ⁿ would not be a normal number, and the exponential is taken as 0
_LOG2_HIGH, _LOG2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_PER_LOG2 = 1.0 / math.log(2.0)
_ROUNDER = 1.5 * 2.0**52  # adding it rounds to an integer, which is then in the lowest bits
_C3, _C4, _C5, _C6, _C7, _C8, _C9, _C10, _C11, _C12 = (1.0 / math.factorial(i) for i in range(3, 13))
_D0, _D1, _D2, _D3, _D4, _D5, _D6, _D7, _D8 = (2.0 / (2 * i + 1) for i in range(9))
_D9, _D10, _D11, _D12, _D13, _D14, _D15, _D16 = (2.0 / (2 * i + 1) for i in range(9, 17))


# Estrin's scheme (1960): pairs, pairs of pairs and so on are independent, which Horner's chain of additions is not.


@subroutine_fma
def _parts(x: float) -> tuple[float, float]:
    """eʳ − 1 and 2ⁿ of (1), for x ≥ `_LEAST`."""
    power = x * _PER_LOG2 + _ROUNDER
    n = power - _ROUNDER
    r = (x - n * _LOG2_HIGH) - n * _LOG2_LOW
    r2 = r * r
    r4 = r2 * r2
    low = (0.5 + r * _C3) + r2 * (_C4 + r * _C5)
    high = (_C6 + r * _C7) + r2 * (_C8 + r * _C9) + r4 * ((_C10 + r * _C11) + r2 * _C12)
    # 2ⁿ is the double whose exponent bits are n + 1023.
    return r + r2 * (low + r4 * high), of_bits((bits_of(power) + 1023) << 52)


@subroutine_fma
def _exp(x: float) -> float:
    series, power = _parts(_LEAST if x < _LEAST else x)
    return 0.0 if x < _LEAST else (1.0 + series) * power


@subroutine_fma
def _tanh(x: float) -> float:
    twice = -2.0 * abs(x)
    series, power = _parts(_LEAST if twice < _LEAST else twice)
    t = (1.0 - power) - power * series
    size = t / (2.0 - t)
    return size if x > 0.0 else (-size if x < 0.0 else x)


@subroutine_fma
def _log1p(e: float) -> float:
    s = e / (2.0 + e)
    q = s * s
    q2 = q * q
    q4 = q2 * q2
    low = (_D1 + q * _D2) + q2 * (_D3 + q * _D4) + q4 * ((_D5 + q * _D6) + q2 * (_D7 + q * _D8))
    high = (_D9 + q * _D10) + q2 * (_D11 + q * _D12) + q4 * ((_D13 + q * _D14) + q2 * (_D15 + q * _D16))
    return s * _D0 + s * q * (low + q4 * q4 * high)


@in_kernels(lambda x: _exp(x))
def exp_of_negative(x: Elementwise) -> Elementwise:
    """eˣ for x ≤ 0, for loops that should be vectorised.

    References
    ----------
    Muller, J.-M. (2016). Elementary Functions, section 11.1. doi:10.1007/978-1-4899-7983-4

    Examples
    --------
    >>> from gnomon.numerics.exponentials import exp_of_negative
    >>> float(exp_of_negative(0.0))
    1.0
    """
    return np.exp(x)


@in_kernels(lambda e: _log1p(e))
def log1p_of_share(e: Elementwise) -> Elementwise:
    """log(1 + e) for 0 ≤ e ≤ 1, for loops that should be vectorised.

    References
    ----------
    Muller, J.-M. (2016). Elementary Functions, section 11.1. doi:10.1007/978-1-4899-7983-4

    Examples
    --------
    >>> from gnomon.numerics.exponentials import log1p_of_share
    >>> round(float(log1p_of_share(1.0)), 6)
    0.693147
    """
    return np.log1p(e)


@in_kernels(lambda x: _tanh(x))
def tanh(x: Elementwise) -> Elementwise:
    """The hyperbolic tangent, for loops that should be vectorised.

    References
    ----------
    Muller, J.-M. (2016). Elementary Functions, section 11.1. doi:10.1007/978-1-4899-7983-4

    Examples
    --------
    >>> from gnomon.numerics.exponentials import tanh
    >>> round(float(tanh(0.5)), 7)
    0.4621172
    """
    return np.tanh(x)
