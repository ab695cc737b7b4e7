"""Patients with a known probability of a heart attack.

    P(y = 1 | x) = σ(−1.5 + 0.08 (age − 55) + 0.9 male − 0.25 (diet − 5))                          (1)

Data hold what happened, never the probability; here both are known, so that estimated probabilities can be judged.
The form is that of Truett, Cornfield & Kannel (1967), A multivariate analysis of the risk of coronary heart disease in
Framingham, doi:10.1016/0021-9681(67)90082-3; the numbers are invented.
"""

from __future__ import annotations

from typing import Literal, overload

import numpy as np

from gnomon._typing import Floats, Integers, RandomState
from gnomon.numerics.random import check_rng
from gnomon.numerics.special import sigmoid
from gnomon.numerics.validation import check_integer

__all__ = ["make_heart_attack"]


@overload
def make_heart_attack(
    n_samples: int = ..., *, random_state: RandomState = ..., return_probability: Literal[False] = ...
) -> tuple[Floats, Integers]: ...


@overload
def make_heart_attack(
    n_samples: int = ..., *, random_state: RandomState = ..., return_probability: Literal[True]
) -> tuple[Floats, Integers, Floats]: ...


def make_heart_attack(
    n_samples: int = 500, *, random_state: RandomState = None, return_probability: bool = False
) -> tuple[Floats, Integers] | tuple[Floats, Integers, Floats]:
    """Patients, whether each had a heart attack, and the true probability of it, equation (1).

    Parameters
    ----------
    n_samples : int, default=500
        Patients.
    random_state : int, Generator, RandomState or None, default=None
        Seed.
    return_probability : bool, default=False
        Also return P(y = 1 | x).

    Returns
    -------
    X : ndarray of shape (n_samples, 3)
        Age in years, uniform on 30 … 80; sex (0 female, 1 male); diet, a score from 0 (poor) to 10 (healthy).
    y : ndarray of shape (n_samples,)
        1 for a heart attack, drawn with the probability below.
    probability : ndarray of shape (n_samples,)
        P(y = 1 | x); only with ``return_probability=True``.

    References
    ----------
    Truett, J., Cornfield, J. & Kannel, W. (1967). A multivariate analysis of the risk of coronary heart disease in
    Framingham. doi:10.1016/0021-9681(67)90082-3

    Examples
    --------
    >>> from gnomon.datasets import make_heart_attack
    >>> X, y, p = make_heart_attack(20_000, random_state=0, return_probability=True)
    >>> round(float(y.mean()), 2), round(float(p.mean()), 2)
    (0.32, 0.32)
    """
    n, rng = check_integer("n_samples", n_samples, 1), check_rng(random_state)
    age, male, diet = rng.uniform(30.0, 80.0, n), rng.integers(0, 2, n), rng.uniform(0.0, 10.0, n)
    probability = sigmoid(-1.5 + 0.08 * (age - 55.0) + 0.9 * male - 0.25 * (diet - 5.0))
    y = (rng.uniform(size=n) < probability).astype(np.int64)
    X = np.column_stack([age, male, diet])
    return (X, y, probability) if return_probability else (X, y)
