"""Ranks of a new score among calibration scores: what conformal prediction rests on.

    q = inf {v : Σ_{i: sᵢ ≤ v} wᵢ ≥ c (Σᵢ wᵢ + w)}                                                             (1)
    p(s) = (Σ_{i: sᵢ > s} wᵢ + u (Σ_{i: sᵢ = s} wᵢ + w)) / (Σᵢ wᵢ + w)                                          (2)

sᵢ are the scores of n calibration rows and w the weight of the new row, whose own score counts as +∞ in (1). With
weights of one, q is the ⌈(n+1)c⌉-th smallest score, +∞ where that exceeds n; a new score is at most q with probability
≥ c if all n + 1 are exchangeable. p ≤ 1 − c exactly where s > q; u = 1 counts ties in full, u ~ U(0, 1) makes p exactly
uniform. Vovk, Gammerman & Shafer (2005), doi:10.1007/b106715; weights: Tibshirani, Barber, Candès & Ramdas (2019),
Conformal prediction under covariate shift, NeurIPS 32, arXiv:1904.06019.
"""

from __future__ import annotations

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.numerics.validation import check_interval

__all__ = ["conformal_quantile", "exceeding_mass"]

# Sums of weights reach c times their total only up to rounding; a rank is a whole number, so this moves none.
ROUNDING = 8.0 * np.finfo(float).eps


def conformal_quantile(
    scores: ArrayLike, coverage: float, weights: ArrayLike | None = None, new_weight: ArrayLike = 1.0
) -> Floats:
    """Equation (1): the bound that a new score keeps with probability `coverage`.

    Parameters
    ----------
    scores : array-like of shape (n,) or (m, n)
        Calibration scores; or for each of m new rows its own.
    coverage : float
        c in (0, 1).
    weights : array-like of shape (n,), optional
        Of the calibration rows; one by default.
    new_weight : float or array-like of shape (m,), default=1.0
        Of the new rows.

    Returns
    -------
    ndarray of shape (m,)
        Of one entry where there are neither m rows of scores nor m new weights; +∞ where the calibration rows weigh too
        little for the coverage.

    References
    ----------
    Tibshirani, R. J., Barber, R. F., Candès, E. J. & Ramdas, A. (2019). Conformal prediction under covariate shift.
    NeurIPS 32. arXiv:1904.06019

    Examples
    --------
    The ⌈10 · 0.8⌉-th smallest of nine scores; of four there is none:

    >>> from gnomon.infer import conformal_quantile
    >>> conformal_quantile([3, 1, 4, 1, 5, 9, 2, 6, 5], 0.8)
    array([6.])
    >>> conformal_quantile([3, 1, 4, 1], 0.9)
    array([inf])
    """
    check_interval("coverage", coverage, 0.0, 1.0, closed="neither")
    s, new = np.atleast_2d(np.asarray(scores, dtype=float)), np.atleast_1d(np.asarray(new_weight, dtype=float))
    n = s.shape[1]
    w = np.ones(n) if weights is None else np.asarray(weights, dtype=float)
    target = coverage * (np.sum(w) + new) * (1.0 - ROUNDING)
    if len(target) == 1 and np.all(w == new[0]) and new[0] > 0.0:
        # A partition is several times faster than a sort.
        k = int(np.ceil(coverage * (n + 1) * (1.0 - ROUNDING)))
        return np.full(len(s), np.inf) if k > n else np.partition(s, k - 1, axis=1)[:, k - 1]
    targets = np.broadcast_to(target, max(len(s), len(target))).reshape(len(s), -1)
    return np.concatenate([_reached(*pair, w) for pair in zip(s, targets, strict=True)])


def _reached(scores: Floats, targets: Floats, weights: Floats) -> Floats:
    """The least of the scores up to which the weights sum to each target; +∞ where all do not."""
    order = np.argsort(scores)
    place = np.searchsorted(np.cumsum(weights[order]), targets)
    return np.append(scores[order], np.inf)[place]


def exceeding_mass(
    scores: ArrayLike, weights: ArrayLike, at: ArrayLike, *, slack: float = 0.0
) -> tuple[Floats, Floats]:
    """The weight of the scores above each value of `at`, and of those equal to it: the sums of equation (2).

    Parameters
    ----------
    scores, weights : array-like of shape (n,)
    at : array-like of any shape
    slack : float, default=0.0
        Values that differ by no more are equal.

    Returns
    -------
    above, equal : ndarray of the shape of `at`

    References
    ----------
    Vovk, V., Gammerman, A. & Shafer, G. (2005). Algorithmic Learning in a Random World. doi:10.1007/b106715

    Examples
    --------
    >>> from gnomon.infer import exceeding_mass
    >>> exceeding_mass([1.0, 2.0, 2.0, 3.0], [1.0, 1.0, 1.0, 5.0], [2.0, 4.0])
    (array([5., 0.]), array([2., 0.]))
    """
    s, w = np.asarray(scores, dtype=float), np.asarray(weights, dtype=float)
    order = np.argsort(s)
    tail = np.append(np.cumsum(w[order][::-1])[::-1], 0.0)
    above = tail[np.searchsorted(s[order], np.asarray(at) + slack, side="right")]
    return above, tail[np.searchsorted(s[order], np.asarray(at) - slack, side="left")] - above
