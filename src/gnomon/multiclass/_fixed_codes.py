"""Coding matrices that follow from the number of classes alone.

    binary  M_kl = 2 b_l(k) − 1,  l = 0 … ⌈log₂C⌉ − 1                                                          (1)
    exhaustive  M_kl = (−1)^{1 + ⌊l / 2^{C−1−k}⌋},  row 0 all +1,  l = 0 … 2^{C−1} − 2                           (2)
    hamming  the codewords of k = 0 … C−1 in a shortened Hamming or BCH code, 0 → −1, 1 → +1                   (3)

b_l(k) are the bits of k, the most significant first. Dietterich & Bakiri (1995), doi:10.1613/jair.105; Hamming (1950),
doi:10.1002/j.1538-7305.1950.tb00463.x; Bose & Ray-Chaudhuri (1960), doi:10.1016/S0019-9958(60)90287-4.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np

from gnomon._typing import ArrayLike, Integers

__all__ = ["MOST_EXHAUSTIVE", "all_columns", "binary", "bits", "exhaustive", "hamming"]

MOST_EXHAUSTIVE = 11
"""The most classes for which all 2^(C−1) − 1 columns are written down."""

# One primitive polynomial over GF(2) of each degree, its coefficients as bits: Lidl & Niederreiter (1997), table D.
_PRIMITIVE = {
    2: 0b111,
    3: 0b1011,
    4: 0b10011,
    5: 0b100101,
    6: 0b1000011,
    7: 0b10000011,
    8: 0b100011101,
    9: 0b1000010001,
    10: 0b10000001001,
}


def bits(words: ArrayLike, width: int) -> Integers:
    """The binary digits of non-negative integers, the most significant first, one row for each."""
    return np.asarray(words)[:, None] >> np.arange(width - 1, -1, -1) & 1


def binary(n_classes: int) -> Integers:
    """The number of the class in ⌈log₂C⌉ bits: no redundancy."""
    return 2 * bits(np.arange(n_classes), (n_classes - 1).bit_length()) - 1


def exhaustive(n_classes: int) -> Integers:
    """Every way to divide the classes in two, once: equation (2)."""
    if n_classes > MOST_EXHAUSTIVE:
        raise ValueError(
            f"code='exhaustive' would have 2^{n_classes - 1} − 1 columns for {n_classes} classes and is written down "
            f"for at most {MOST_EXHAUSTIVE}; choose 'ecoc', which searches for a short code"
        )
    return all_columns(n_classes)


def all_columns(n_classes: int) -> Integers:
    """The columns of (2), however many they are."""
    code = 2 * bits(np.arange(2 ** (n_classes - 1) - 1), n_classes - 1).T - 1
    return np.vstack([np.ones((1, code.shape[1]), dtype=int), code])


def hamming(n_classes: int, n_errors: int = 1) -> Integers:
    """Codewords at distance ≥ 2·`n_errors` + 1, equation (3); columns in which all words agree are left out."""
    words = _hamming_words(n_classes) if n_errors == 1 else _bch_words(n_classes, n_errors)
    return 2 * words[:, np.ptp(words, axis=0) > 0] - 1


def _hamming_words(n_classes: int) -> Integers:
    """Parity bits at the positions 1, 2, 4, …, the data bits between them; parity p covers the positions with bit p."""
    r = next(r for r in count(2) if (n_classes - 1).bit_length() <= 2**r - 1 - r)
    positions = np.arange(1, 2**r)
    holds_data = positions & (positions - 1) != 0
    words = np.zeros((n_classes, len(positions)), dtype=int)
    words[:, holds_data] = bits(np.arange(n_classes), int(np.sum(holds_data)))
    for p in range(r):
        words[:, 2**p - 1] = np.sum(words[:, positions >> p & 1 == 1], axis=1) % 2
    return words


def _bch_words(n_classes: int, n_errors: int) -> Integers:
    """Systematic words u(x) x^{n−k} + (u(x) x^{n−k} mod g(x)) of the shortest code that holds the classes."""
    for degree, primitive in _PRIMITIVE.items():
        length = 2**degree - 1
        generator = _bch_generator(degree, primitive, n_errors)
        n_checks = generator.bit_length() - 1
        if length - n_checks >= (n_classes - 1).bit_length():
            shifted = [k << n_checks for k in range(n_classes)]
            return bits([word ^ _remainder(word, generator) for word in shifted], length)
    raise ValueError(
        f"n_errors={n_errors} cannot be corrected for {n_classes} classes by a BCH code of at most {length} columns; "
        "choose fewer"
    )


def _bch_generator(degree: int, primitive: int, n_errors: int) -> int:
    """g(x), the product of the distinct minimal polynomials of α, α³, …, α^{2t−1}: Lin & Costello (2004), section 6.1.

    Powers beyond the order 2^m − 1 add nothing new, and g is then x^n − 1 or a divisor that leaves no room for words.
    """
    powers = [1]
    while len(powers) < 2**degree - 1:
        powers.append(_remainder(powers[-1] << 1, primitive))
    # α^i and α^{2i} have the same minimal polynomial, so the least power of each such family stands for it.
    order = len(powers)
    families = {min(i * 2**j % order for j in range(degree)) for i in range(1, 2 * n_errors, 2)}
    factors = {_minimal_polynomial(i, powers) for i in families}
    generator = 1
    for factor in sorted(factors):
        generator = _product(generator, factor)
    return generator


def _minimal_polynomial(i: int, powers: Sequence[int]) -> int:
    """The polynomial of least degree over GF(2) with the root αⁱ; polynomials are tried in the order of their bits."""
    return next(polynomial for polynomial in count(2) if _at_power(polynomial, i, powers) == 0)


def _at_power(polynomial: int, i: int, powers: Sequence[int]) -> int:
    """The value of a polynomial at αⁱ."""
    value = 0
    for j in range(polynomial.bit_length()):
        if polynomial >> j & 1:
            value ^= powers[i * j % len(powers)]
    return value


def _remainder(a: int, b: int) -> int:
    """a mod b, polynomials over GF(2) whose coefficients are bits."""
    while a.bit_length() >= b.bit_length():
        a ^= b << (a.bit_length() - b.bit_length())
    return a


def _product(a: int, b: int) -> int:
    """a · b, polynomials over GF(2) whose coefficients are bits."""
    total = 0
    while b:
        total ^= a if b & 1 else 0
        a, b = a << 1, b >> 1
    return total
