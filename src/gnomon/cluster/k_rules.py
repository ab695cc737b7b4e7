"""Rules that say how many clusters there are, from numbers alone.

    elbow:     s_k = −Δlog J / Δlog k,   e_k = s_k − s_{k+1},   the k of largest e_k                      (1)
    penalty:   argmin_k J_k + λ k, which changes at the slopes of the lower hull of (k, J_k)             (2)
    gap:       the least k with Gap(k) ≥ Gap(k+1) − s_{k+1}                                             (3)
    BIC:       −2ℓ + p log n of a hard mixture of spheres,  σ² = J/(nd)                                  (4)

Structureless rows have s_k ≈ 2/d for every k, so their elbow is no elbow. Tibshirani, Walther & Hastie (2001),
doi:10.1111/1467-9868.00293; Pelleg & Moore (2000), ICML; Anderson & Darling (1952), doi:10.1214/aoms/1177729437.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr

from gnomon._typing import ArrayLike, Floats, Integers

__all__ = [
    "Elbow",
    "PenaltyPath",
    "anderson_darling",
    "capacity_at",
    "elbow",
    "gap_choice",
    "penalty_path",
    "prediction_strength",
    "sphere_bic",
]


class Elbow(NamedTuple):
    """Equation (1).

    Fields
    ------
    k : int or None
        None where no bend is stronger than asked for.
    slopes : ndarray
        s_k for every k but the first.
    strengths : ndarray
        e_k for every k but the first and the last.

    References
    ----------
    Tibshirani, R., Walther, G. & Hastie, T. (2001). Estimating the number of clusters in a data set via the gap
    statistic. doi:10.1111/1467-9868.00293

    Examples
    --------
    >>> from gnomon.cluster.k_rules import elbow
    >>> elbow([1, 2, 3, 4], [1000, 500, 333.3, 250]).k is None
    True
    """

    k: int | None
    slopes: Floats
    strengths: Floats


def elbow(ks: ArrayLike, costs: ArrayLike, min_strength: float = 1.0) -> Elbow:
    """The sharpest bend of the cost on logarithmic axes; a cost of zero ends the search at its k.

    References
    ----------
    Tibshirani, R., Walther, G. & Hastie, T. (2001). Estimating the number of clusters in a data set via the gap
    statistic. doi:10.1111/1467-9868.00293

    Examples
    --------
    >>> from gnomon.cluster.k_rules import elbow
    >>> found = elbow([1, 2, 3, 4, 5, 6], [1000, 400, 100, 85, 74, 66])
    >>> found.k, found.strengths.round(3)
    (3, array([-2.097,  2.854, -0.056, -0.006]))
    """
    k, J = np.asarray(ks, dtype=float), np.asarray(costs, dtype=float)
    zero = np.flatnonzero(J <= 0.0)
    if len(zero):
        return Elbow(int(k[zero[0]]), np.full(len(k) - 1, np.nan), np.full(max(len(k) - 2, 0), np.nan))
    slopes = -np.diff(np.log(J)) / np.diff(np.log(k))
    strengths = slopes[:-1] - slopes[1:]
    best = int(np.argmax(strengths)) if len(strengths) else -1
    answer = int(k[best + 1]) if best >= 0 and strengths[best] >= min_strength else None
    return Elbow(answer, slopes, strengths)


class PenaltyPath(NamedTuple):
    """Equation (2) for every λ: ks[i] is best between breaks[i − 1] and breaks[i], from large k to small.

    References
    ----------
    Kulis, B. & Jordan, M. I. (2012). Revisiting k-means: new algorithms via Bayesian nonparametrics. ICML.

    Examples
    --------
    >>> from gnomon.cluster.k_rules import penalty_path
    >>> path = penalty_path([1, 2, 3], [10.0, 4.0, 3.0])
    >>> path.breaks, path.ks, path.at(2.0)
    (array([1., 6.]), array([3, 2, 1]), 2)
    """

    breaks: Floats
    ks: Integers

    def at(self, lam: float) -> int:
        """The best k for one λ; of two, the smaller."""
        return int(self.ks[int(np.searchsorted(self.breaks, lam, side="right"))])


def penalty_path(ks: ArrayLike, costs: ArrayLike) -> PenaltyPath:
    """The best k for every price of a cluster.

    References
    ----------
    Kulis, B. & Jordan, M. I. (2012). Revisiting k-means: new algorithms via Bayesian nonparametrics. ICML.

    Examples
    --------
    >>> from gnomon.cluster.k_rules import penalty_path
    >>> penalty_path([1, 2, 3, 4], [37.071429, 8.525, 2.5, 1.291667]).breaks.round(3)
    array([ 1.208,  6.025, 28.546])
    """
    k, J = np.asarray(ks), np.asarray(costs, dtype=float)
    order = np.argsort(-k)
    hull: list[int] = []
    for i in order:
        # Fewer clusters at no higher cost are better for every λ.
        while hull and J[i] <= J[hull[-1]]:
            hull.pop()
        # A point above the line between its neighbours is best for no λ.
        while len(hull) > 1 and _slope(k, J, hull[-2], hull[-1]) >= _slope(k, J, hull[-1], i):
            hull.pop()
        hull.append(int(i))
    breaks = np.array([_slope(k, J, a, b) for a, b in pairwise(hull)])
    return PenaltyPath(breaks, k[hull])


def _slope(k: Integers, J: Floats, a: int, b: int) -> float:
    return float((J[b] - J[a]) / (k[a] - k[b]))


def gap_choice(ks: ArrayLike, gaps: ArrayLike, errors: ArrayLike, rule: str = "first_se") -> int:
    """Equation (3), or with the rule "max" the least k within one error of the largest gap.

    References
    ----------
    Tibshirani, R., Walther, G. & Hastie, T. (2001). Estimating the number of clusters in a data set via the gap
    statistic. doi:10.1111/1467-9868.00293

    Examples
    --------
    >>> from gnomon.cluster.k_rules import gap_choice
    >>> gap_choice([1, 2, 3, 4, 5], [0.2, 0.5, 0.9, 0.88, 0.93], [0.02, 0.03, 0.04, 0.05, 0.04])
    3
    """
    k, g, s = np.asarray(ks), np.asarray(gaps, dtype=float), np.asarray(errors, dtype=float)
    if rule == "max":
        top = int(np.argmax(g))
        return int(k[int(np.argmax(g >= g[top] - s[top]))])
    enough = np.flatnonzero(g[:-1] >= g[1:] - s[1:])
    return int(k[enough[0]] if len(enough) else k[-1])


def sphere_bic(sizes: ArrayLike, cost: float, d: int) -> float:
    """Equation (4) for clusters of these sizes with the k-means cost J, in d columns; −∞ for a cost of zero.

    References
    ----------
    Pelleg, D. & Moore, A. (2000). X-means: extending k-means with efficient estimation of the number of clusters. ICML.

    Examples
    --------
    >>> from gnomon.cluster.k_rules import sphere_bic
    >>> round(sphere_bic([2, 5], 8.525, 2), 6)
    52.836754
    """
    m = np.asarray(sizes, dtype=float)
    m = m[m > 0.0]
    n, k = float(m.sum()), len(m)
    if cost <= 0.0:
        return -np.inf
    loglik = float(np.sum(m * np.log(m / n))) - 0.5 * n * d * (np.log(2.0 * np.pi * cost / (n * d)) + 1.0)
    return float(-2.0 * loglik + (k * d + (k - 1) + 1) * np.log(n))


def anderson_darling(x: ArrayLike) -> tuple[float, float]:
    """A² of normality with estimated mean and variance (n − 1), and A²(1 + 4/n − 25/n²).

    References
    ----------
    Anderson, T. W. & Darling, D. A. (1952). Asymptotic theory of certain "goodness of fit" criteria.
    doi:10.1214/aoms/1177729437

    Examples
    --------
    >>> from gnomon.cluster.k_rules import anderson_darling
    >>> [round(value, 6) for value in anderson_darling(range(10))]
    [0.141109, 0.162276]
    """
    v = np.sort(np.asarray(x, dtype=float))
    n = len(v)
    z = (v - v.mean()) / v.std(ddof=1)
    i = np.arange(1, n + 1)
    square = -n - float(np.mean((2 * i - 1) * (log_ndtr(z) + log_ndtr(-z[::-1]))))
    return square, square * (1.0 + 4.0 / n - 25.0 / n**2)


def prediction_strength(labels: ArrayLike, predicted: ArrayLike) -> float:
    """Over the clusters of `labels`, the least share of their pairs that `predicted` keeps together.

    References
    ----------
    Tibshirani, R. & Walther, G. (2005). Cluster validation by prediction strength. doi:10.1198/106186005X59243

    Examples
    --------
    >>> from gnomon.cluster.k_rules import prediction_strength
    >>> round(prediction_strength([0, 0, 0, 1, 1], [0, 0, 1, 1, 1]), 6)
    0.333333
    """
    a, b = np.asarray(labels), np.asarray(predicted)
    shares = []
    for cluster in np.unique(a):
        n = int(np.sum(a == cluster))
        counts = np.unique(b[a == cluster], return_counts=True)[1]
        # A cluster of one row has no pair that could be parted.
        shares.append(1.0 if n < 2 else float(np.sum(counts * (counts - 1)) / (n * (n - 1))))
    return min(shares)


def capacity_at(beta: float, sizes: ArrayLike, first: ArrayLike, second: ArrayLike) -> float:
    """H(n_j/n) + mean_i [log Σ_j e^{−β(ε+ε')} − log Σ_j e^{−βε} − log Σ_j e^{−βε'}], in nats.

    Parameters
    ----------
    beta : float
    sizes : array-like of shape (k,)
        Of the clusters of the first half.
    first, second : array-like of shape (n, k)
        ε and ε': squared distances of matched rows of both halves to their centres.

    References
    ----------
    Buhmann, J. M. (2010). Information theoretic model validation for clustering. doi:10.1109/ISIT.2010.5513616

    Examples
    --------
    >>> from gnomon.cluster.k_rules import capacity_at
    >>> round(capacity_at(0.0, [2, 2], [[0.0, 9.0]] * 4, [[0.0, 9.0]] * 4), 6)
    0.0
    """
    p = np.asarray(sizes, dtype=float)
    p = p[p > 0.0] / p.sum()
    e, f = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    terms = [np.logaddexp.reduce(-beta * cost, axis=1) for cost in (e + f, e, f)]
    return float(-np.sum(p * np.log(p)) + np.mean(terms[0] - terms[1] - terms[2]))
