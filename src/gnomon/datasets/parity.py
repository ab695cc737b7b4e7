"""Parity of bits: what no test of a single column sees.

    y = x₁ xor x₂ xor … xor x_d    so that    P(y = 1 | any d − 1 of the bits) = ½                                 (1)

With d = 2 it is XOR. Every single test has gain zero until d − 1 of the bits are fixed, and a linear classifier is no
better than a coin: Minsky & Papert (1969), Perceptrons, §3.1, ISBN 978-0-262-63022-1.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from gnomon._typing import Floats, Integers, RandomState
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_choice, check_integer, check_interval, check_non_negative

__all__ = ["make_parity", "make_xor"]

MOST_BITS = 20
"""A truth table of more bits has more than a million rows."""


def make_xor(
    n_samples: int = 4,
    *,
    kind: Literal["corners", "quadrants"] = "corners",
    noise: float = 0.0,
    n_irrelevant: int = 0,
    random_state: RandomState = None,
) -> tuple[Floats, Integers]:
    """Two columns of which the class is the exclusive or: at the four corners, or in the four quadrants.

    Parameters
    ----------
    n_samples : int, default=4
        Rows. At the corners they take turns, so that a multiple of four is balanced and the default is the truth table.
    kind : {"corners", "quadrants"}, default="corners"
        "corners": (0, 0), (0, 1), (1, 0), (1, 1), class 1 where the two differ. "quadrants": uniform on [−1, 1]²,
        class 1 where the signs differ.
    noise : float, default=0.0
        Standard deviation of what is added to the two columns after the class was set.
    n_irrelevant : int, default=0
        Further columns that have nothing to do with the class: bits, or uniform on [−1, 1].
    random_state : int, Generator, RandomState or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, 2 + n_irrelevant)
    y : ndarray of shape (n_samples,)

    References
    ----------
    Minsky, M. & Papert, S. (1969). Perceptrons. ISBN 978-0-262-63022-1

    Examples
    --------
    >>> from gnomon.datasets import make_xor
    >>> X, y = make_xor()
    >>> X.tolist(), y.tolist()
    ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0])
    """
    n = check_integer("n_samples", n_samples, 1)
    check_choice("kind", kind, ("corners", "quadrants"))
    extra, scale = check_integer("n_irrelevant", n_irrelevant, 0), check_non_negative("noise", noise)
    rng = check_rng(random_state)
    if kind == "corners":
        X = _bits(np.arange(n) % 4, 2)
        y, others = X[:, 0] != X[:, 1], rng.integers(0, 2, (n, extra))
    else:
        X = rng.uniform(-1.0, 1.0, (n, 2))
        y, others = (X[:, 0] > 0.0) != (X[:, 1] > 0.0), rng.uniform(-1.0, 1.0, (n, extra))
    return np.column_stack([X + scale * rng.normal(size=(n, 2)), others]), y.astype(np.int64)


def make_parity(
    n_bits: int = 3,
    n_samples: int | None = None,
    *,
    n_irrelevant: int = 0,
    flip: float = 0.0,
    random_state: RandomState = None,
) -> tuple[Floats, Integers]:
    """The parity of the first bits of a row, equation (1).

    Parameters
    ----------
    n_bits : int, default=3
        d, the bits that count.
    n_samples : int, optional
        Rows of bits drawn with probability one half; by default the full truth table of all columns, in order.
    n_irrelevant : int, default=0
        Further bits, which do not count.
    flip : float in [0, 1], default=0.0
        Probability that a label is the wrong one.
    random_state : int, Generator, RandomState or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, n_bits + n_irrelevant)
        Zeros and ones.
    y : ndarray of shape (n_samples,)

    References
    ----------
    Minsky, M. & Papert, S. (1969). Perceptrons. ISBN 978-0-262-63022-1

    Examples
    --------
    >>> from gnomon.datasets import make_parity
    >>> X, y = make_parity(2, n_irrelevant=1)
    >>> X.shape, y.tolist()
    ((8, 3), [0, 0, 1, 1, 1, 1, 0, 0])
    """
    check_integer("n_bits", n_bits, 1)
    width = n_bits + check_integer("n_irrelevant", n_irrelevant, 0)
    check_interval("flip", flip, 0, 1)
    rng = check_rng(random_state)
    if n_samples is None:
        if width > MOST_BITS:
            raise ValueError(f"the truth table of {width} bits has 2**{width} rows; give n_samples=")
        X = _bits(np.arange(2**width), width)
    else:
        X = rng.integers(0, 2, (check_integer("n_samples", n_samples, 1), width)).astype(float)
    wrong = rng.uniform(size=len(X)) < flip
    return X, (np.sum(X[:, :n_bits], axis=1).astype(np.int64) + wrong) % 2


def _bits(numbers: Integers, width: int) -> Floats:
    """The digits of whole numbers in base two, the most significant first."""
    return ((numbers[:, None] >> np.arange(width)[::-1]) & 1).astype(float)
