"""McNemar's test of two classifiers on the same rows.

    b rows that only the first gets right, c that only the second does;    equal error rates: b ~ Bin(b + c, ½)    (1)
    (|b − c| − 1)²/(b + c) ~ χ²₁                                                                     (2)

McNemar (1947), doi:10.1007/BF02295996; (2) without the 1 has no correction for continuity; Dietterich (1998),
doi:10.1162/089976698300017197, shows that it has the right level for classifiers.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from scipy.special import chdtrc
from scipy.stats import binomtest

from gnomon._typing import ArrayLike
from gnomon.evaluation._metric_words import read_metric_rows
from gnomon.numerics.estimates import Estimate, normal_quantile
from gnomon.numerics.validation import check_choice

__all__ = ["McNemarTest", "mcnemar"]

Method: TypeAlias = Literal["exact", "chi2", "chi2_corrected"]


class McNemarTest(NamedTuple):
    """The result of McNemar's test.

    Fields
    ------
    only_first, only_second : float
        b and c of (1).
    statistic : float
        (2); of the exact test, the smaller of b and c.
    p_value : float
        Of equal error rates, two-sided.
    difference : Estimate
        Of the accuracies, first − second, with its normal interval.

    References
    ----------
    McNemar, Q. (1947). Note on the sampling error of the difference between correlated proportions or percentages.
    doi:10.1007/BF02295996

    Examples
    --------
    >>> from gnomon.evaluation import mcnemar
    >>> mcnemar([0, 1, 1, 0], [0, 1, 1, 0], [0, 1, 1, 1]).p_value
    1.0
    """

    only_first: float
    only_second: float
    statistic: float
    p_value: float
    difference: Estimate


def mcnemar(
    y_true: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    method: Method = "exact",
    sample_weight: ArrayLike | None = None,
    level: float = 0.95,
) -> McNemarTest:
    """Whether two classifiers have equal error rates, from the rows where one of them errs alone.

    Parameters
    ----------
    y_true, first, second : array-like of shape (n,)
        Labels, and the predictions of the two.
    method : {"exact", "chi2", "chi2_corrected"}, default="exact"
        The binomial law (1), or (2) without and with the correction for continuity.
    sample_weight : array-like of shape (n,), optional
        How many rows each one stands for; whole numbers for the exact test.
    level : float, default=0.95
        Of the interval of the difference.

    Returns
    -------
    McNemarTest

    References
    ----------
    McNemar, Q. (1947). Note on the sampling error of the difference between correlated proportions or percentages.
    doi:10.1007/BF02295996

    Examples
    --------
    A hundred rows: 59 that both get right, 6 and 16 that one gets right alone, 19 that both get wrong.

    >>> from gnomon.evaluation import mcnemar
    >>> found = mcnemar([1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 1, 0], sample_weight=[59, 6, 16, 19])
    >>> round(found.p_value, 6), round(found.difference.value, 4)
    (0.052479, -0.1)
    """
    check_choice("method", method, get_args(Method))
    a, b = (read_metric_rows(y_true, prediction, sample_weight) for prediction in (first, second))
    right = a.y == a.prediction, b.y == b.prediction
    alone = [float(np.sum(a.weights[one & ~other])) for one, other in (right, right[::-1])]
    n, gap, total = float(np.sum(a.weights)), alone[0] - alone[1], sum(alone)
    if method == "exact":
        if any(count != round(count) for count in alone):
            raise ValueError(f"method='exact' counts rows, found {alone[0]:g} and {alone[1]:g}; choose 'chi2'")
        statistic = min(alone)
        p = binomtest(int(statistic), int(total)).pvalue if total else 1.0
    else:
        lead = max(0.0, abs(gap) - (method == "chi2_corrected"))
        statistic = lead**2 / total if total else 0.0
        p = chdtrc(1.0, statistic)
    error, z = float(np.sqrt(max(0.0, total - gap**2 / n))) / n, normal_quantile(level)
    difference = Estimate(gap / n, error, gap / n - z * error, gap / n + z * error, level)
    return McNemarTest(alone[0], alone[1], float(statistic), float(p), difference)
