"""Two columns that say everything together and nothing alone.

    x₁ = t + y/2,    x₂ = t − y/2,    x₃ = 0.6 y + noise,    y = ±1,  so that  y = x₁ − x₂               (1)

The common part t is much larger than y, so either column alone is nearly useless, and x₃ looks best at first. A search
that adds one column at a time takes x₃ and stops; one that removes them keeps the pair. After Guyon & Elisseeff (2003),
section 3.3, https://jmlr.org/papers/v3/guyon03a.html.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from gnomon._typing import Floats, RandomState
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_choice, check_integer

__all__ = ["make_informative_pair"]

_Y = np.array([1.0, -1.0, -1.0, 1.0, 1.0, -1.0, -1.0, 1.0])
_T = np.array([-40.0, -30.0, -20.0, -10.0, 10.0, 20.0, 30.0, 40.0])
_NOISE = np.array([1.0, -0.5, 0.5, -1.0, 0.5, -1.0, 1.0, -0.5])


def make_informative_pair(
    n_samples: int = 60, *, version: Literal["random", "fixed"] = "random", random_state: RandomState = None
) -> tuple[Floats, Floats]:
    """Rows of equation (1): y = x₁ − x₂, hidden under a large common part t, and a noisy copy x₃ of y.

    Parameters
    ----------
    n_samples : int, default=60
        Rows of the random version, half of them (rounded down) with y = +1.
    version : {"random", "fixed"}, default="random"
        "random": t ~ N(0, 30²), the noise of x₃ ~ N(0, 1). "fixed": eight rows with t = ±10, …, ±40, on which the
        errors of all subsets are known.
    random_state : int, Generator, RandomState or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, 3)
    y : ndarray of shape (n_samples,), in {−1.0, +1.0}

    References
    ----------
    Guyon, I. & Elisseeff, A. (2003). An introduction to variable and feature selection.
    https://jmlr.org/papers/v3/guyon03a.html

    Examples
    --------
    >>> from gnomon.datasets import make_informative_pair
    >>> X, y = make_informative_pair(version="fixed")
    >>> X[:2].tolist(), y[:2].tolist()
    ([[-39.5, -40.5, 1.6], [-30.5, -29.5, -1.1]], [1.0, -1.0])
    """
    if check_choice("version", version, ("random", "fixed")) == "fixed":
        y, t, noise = _Y.copy(), _T, _NOISE
    else:
        n, rng = check_integer("n_samples", n_samples, 1), check_rng(random_state)
        y = rng.permutation(np.where(np.arange(n) < n // 2, 1.0, -1.0))
        t, noise = rng.normal(0.0, 30.0, n), rng.normal(size=n)
    return np.column_stack([t + 0.5 * y, t - 0.5 * y, 0.6 * y + noise]), y
