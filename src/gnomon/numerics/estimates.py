"""A number with its uncertainty.

    mean ± z_{(1+c)/2} s.e.,    s.e.² = Σᵢ wᵢ² (xᵢ − mean)² · n/(n−1) / (Σ wᵢ)²                                   (1)
    share of k in n:  the p with (k/n − p)² ≤ z² p(1 − p)/n                                                  (2)

Wilson (1927), Probable inference, the law of succession, and statistical inference, doi:10.1080/01621459.1927.10502953.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from gnomon._typing import ArrayLike, Floats
from gnomon.numerics.validation import check_interval

__all__ = ["Estimate", "mean_estimate", "normal_quantile", "share_interval"]


class Estimate(NamedTuple):
    """A value, its standard error, and an interval that covers the truth with probability `level`.

    Fields
    ------
    value, standard_error, low, high, level : float
        The standard error is nan where the interval was found without one.

    References
    ----------
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference.
    doi:10.1080/01621459.1927.10502953

    Examples
    --------
    >>> from gnomon.numerics.estimates import mean_estimate
    >>> print(mean_estimate([1.0, 2.0, 3.0, 6.0]))
    3 (95 % interval 0.883 to 5.117)
    """

    value: float
    standard_error: float
    low: float
    high: float
    level: float = 0.95

    def __str__(self) -> str:
        return f"{self.value:.4g} ({100 * self.level:.4g} % interval {self.low:.4g} to {self.high:.4g})"


def mean_estimate(x: ArrayLike, weights: ArrayLike | None = None, level: float = 0.95) -> Estimate:
    """The mean of independent rows by (1); a weight counts as often as its row.

    References
    ----------
    Cochran, W. G. (1977). Sampling Techniques, third edition, sections 2.6 and 2.13. Wiley.

    Examples
    --------
    >>> from gnomon.numerics.estimates import mean_estimate
    >>> mean_estimate([0.0, 1.0, 1.0, 0.0]).standard_error.__round__(6)
    0.288675
    """
    values = np.asarray(x, dtype=float)
    w = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=float)
    z = normal_quantile(level)
    total, n = float(np.sum(w)), int(np.sum(w > 0.0))
    mean = float(w @ values / total)
    terms = w * (values - mean)
    # In units of the largest term no square overflows or vanishes.
    unit = float(np.max(np.abs(terms))) or 1.0
    error = unit * float(np.sqrt(np.sum((terms / unit) ** 2) * n / (n - 1)) / total) if n > 1 else np.nan
    return Estimate(mean, error, mean - z * error, mean + z * error, level)


def share_interval(k: ArrayLike, n: ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """Wilson's interval (2) of the share of k in n, elementwise; (0, 1) where n is zero.

    References
    ----------
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference.
    doi:10.1080/01621459.1927.10502953

    Examples
    --------
    >>> from gnomon.numerics.estimates import share_interval
    >>> [round(float(end), 4) for end in share_interval(0, 10)]
    [0.0, 0.2775]
    """
    k, n = np.asarray(k, dtype=float), np.asarray(n, dtype=float)
    z = normal_quantile(level)
    # Without rows both ends come out right, for the half width is then half of z².
    variance = k * (n - k) / np.where(n > 0.0, n, 1.0)
    centre, half = k + 0.5 * z * z, z * np.sqrt(variance + 0.25 * z * z)
    return np.clip((centre - half) / (n + z * z), 0.0, 1.0), np.clip((centre + half) / (n + z * z), 0.0, 1.0)


def normal_quantile(level: float) -> float:
    """z of a two-sided normal interval.

    References
    ----------
    Cochran, W. G. (1977). Sampling Techniques, third edition, sections 2.6 and 2.13. Wiley.

    Examples
    --------
    >>> from gnomon.numerics.estimates import normal_quantile
    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    return float(ndtri(0.5 + 0.5 * check_interval("level", level, 0.0, 1.0, closed="neither")))
