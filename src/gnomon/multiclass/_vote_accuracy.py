"""How often the plurality of independent voters is right.

    P(N_1 > N_k for all k > 1),    (N_1, …, N_C) ~ Multinomial(T, p)                                         (1)

With two classes p_1 > ½ suffices for (1) → 1 as T grows (Condorcet 1785); with more classes p_1 > 1/C does not, if the
errors agree on one class: a weak learner of many classes has no such guarantee. Mukherjee & Schapire (2013), A theory
of multiclass boosting, JMLR 14, 437–497.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import poisson

from gnomon._typing import ArrayLike, Floats
from gnomon.numerics.validation import check_integer

__all__ = ["vote_accuracy"]


def vote_accuracy(n_members: int, p: ArrayLike) -> float:
    """The probability (1) that the first class gets more votes than every other; a tie is no win.

    Parameters
    ----------
    n_members : int
        T, the number of independent voters.
    p : array-like of shape (n_classes,)
        The probability of each vote, that of the right class first; they sum to one.

    Returns
    -------
    float

    References
    ----------
    Mukherjee, I. & Schapire, R. E. (2013). A theory of multiclass boosting. JMLR 14, 437–497.

    Levin, B. (1981). A representation for multinomial cumulative distribution functions. doi:10.1214/aos/1176345593

    Examples
    --------
    >>> from gnomon.multiclass import vote_accuracy
    >>> round(vote_accuracy(101, [0.4, 0.3, 0.3]), 4), round(vote_accuracy(101, [0.4, 0.6, 0.0]), 4)
    (0.7951, 0.0209)
    """
    T = check_integer("n_members", n_members, 1)
    p = _checked(p)
    # Levin (1981), eq. 1: multinomial counts are independent Poisson counts, given their sum.
    law = [poisson.pmf(np.arange(T + 1), T * share) for share in p]
    wins = 0.0
    for votes in range(1, T + 1):
        others = np.ones(1)
        for counts in law[1:]:
            others = np.convolve(others, counts[:votes])[: T + 1]
        rest = T - votes
        wins += law[0][votes] * (others[rest] if rest < len(others) else 0.0)
    return float(wins / poisson.pmf(T, T))


def _checked(p: ArrayLike) -> Floats:
    try:
        p = np.asarray(p, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"p={p!r} must be a list of numbers, one for each class; give probabilities") from error
    if p.ndim != 1 or len(p) == 0 or not np.all(p >= 0.0) or not abs(np.sum(p) - 1.0) < 1e-6:
        raise ValueError(
            f"p={p.tolist()} must be numbers ≥ 0 that sum to 1, one for each class; divide them by their sum"
        )
    return p
