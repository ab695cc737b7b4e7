"""Moments that are the check of the rows too.

    max x_ij² ≤ Σᵢ x_ij² ≤ n max x_ij²                                                              (1)

so sums of squares show whether a value may be infinite, not a number, or without a square; only then X is read again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gnomon._typing import Array, Floats, Matrix
from gnomon.numerics.linalg import check_squares
from gnomon.numerics.streaming import Moments, moments
from gnomon.numerics.validation import assert_finite

__all__ = ["check_values", "checked_moments"]

ADVICE = "variances are made of them, so scale that column first, for example with MaxNormScaler"


def checked_moments(X: Matrix, weights: Floats | None, columns: Sequence[object] | Array | None) -> Moments:
    """Sums over the rows, in the precision of X; an error where a value is not finite or has no square.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decomposition._checked_moments import checked_moments
    >>> checked_moments(np.array([[1.0, 1e200], [2.0, 0.0]]), None, None)
    Traceback (most recent call last):
    ...
    ValueError: column 1 of X has entries of about 1e+200, whose squares floats cannot hold; variances are made of ...
    """
    if weights is not None:  # a small weight would hide a value
        check_values(X, columns)
        return moments(X, weights)
    sums = moments(X, single=True)
    check_values(X, columns, sums.mean_square())
    return sums


def check_values(X: Matrix, columns: Sequence[object] | Array | None = None, mean_square: Floats | None = None) -> None:
    """Refuse what is not finite or has no square; where `mean_square` of the columns is given, by (1).

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decomposition._checked_moments import check_values
    >>> check_values(np.array([[np.inf]]), ["age"])
    Traceback (most recent call last):
    ...
    ValueError: X contains infinity (inf, or a value too large for its type) in column 'age' (1 row); clip or drop ...
    """
    if mean_square is None or not np.all(np.isfinite(mean_square)):
        assert_finite(X, columns=columns)
    check_squares(X, ADVICE, mean_square)
