"""Paired tests of models on the same folds.

    t = d̄ / √((1/k + n_test/n_train) s²),    s² the variance of the k differences dⱼ,    k − 1 degrees of freedom    (1)

Training rows overlap between folds, so the differences are correlated; with 1/k alone the test finds differences that
are not there. Nadeau & Bengio (2003), Inference for the generalization error, doi:10.1023/A:1024068626366.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

from gnomon._typing import ArrayLike
from gnomon.numerics.estimates import Estimate
from gnomon.numerics.validation import check_interval, check_numbers, check_positive

__all__ = ["PairedTest", "corrected_t_test"]


class PairedTest(NamedTuple):
    """A mean difference, and how surprising it is if there is none.

    Fields
    ------
    difference : Estimate
        Its mean and interval.
    statistic : float
        t of equation (1).
    p_value : float
        Two-sided.
    dof : int
        Degrees of freedom.

    References
    ----------
    Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. doi:10.1023/A:1024068626366

    Examples
    --------
    >>> from gnomon.evaluation import corrected_t_test
    >>> print(corrected_t_test([0.01, 0.03, 0.02, 0.02, 0.02], test_share=0.2).difference)
    0.02 (95 % interval 0.00683 to 0.03317)
    """

    difference: Estimate
    statistic: float
    p_value: float
    dof: int


def corrected_t_test(differences: ArrayLike, *, test_share: float, level: float = 0.95) -> PairedTest:
    """The corrected resampled t test (1) of the differences of two models over the same folds.

    Parameters
    ----------
    differences : array-like of shape (k,)
        Score of the first model less that of the second, for each fold.
    test_share : float
        The share of the rows that each fold holds out, n_test/(n_train + n_test): 1/k for k folds.
    level : float, default=0.95
        Of the interval of the mean difference.

    Returns
    -------
    PairedTest
        Where all differences are the same, the statistic is 0 (for zeros, p = 1) or infinite (p = 0).

    References
    ----------
    Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. doi:10.1023/A:1024068626366

    Examples
    --------
    >>> from gnomon.evaluation import corrected_t_test
    >>> found = corrected_t_test([0.01, 0.03, 0.02, 0.02, 0.02], test_share=0.2)
    >>> round(found.statistic, 6), round(found.p_value, 6)
    (4.21637, 0.013517)
    """
    d = check_numbers("differences", differences)
    if d.ndim != 1 or len(d) < 2 or not np.all(np.isfinite(d)):
        raise ValueError(f"differences has shape {d.shape}; give at least 2 finite numbers, one for each fold")
    share = check_interval("test_share", test_share, 0.0, 1.0, closed="neither")
    check_interval("level", level, 0.0, 1.0, closed="neither")
    k, mean = len(d), float(np.mean(d))
    # Equal differences have no spread, but their mean may be rounded.
    spread = 0.0 if np.ptp(d) == 0.0 else float(np.std(d, ddof=1))
    error = float(np.sqrt(1.0 / k + check_positive("test_share", share / (1.0 - share)))) * spread
    statistic = mean / error if error > 0.0 else float(np.copysign(np.inf, mean)) if mean else 0.0
    half = float(student.ppf(0.5 + 0.5 * level, k - 1)) * error
    p_value = float(2.0 * student.sf(abs(statistic), k - 1))
    return PairedTest(Estimate(mean, error, mean - half, mean + half, level), statistic, p_value, k - 1)
