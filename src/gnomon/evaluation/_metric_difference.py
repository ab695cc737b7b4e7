"""Two systems on the same rows.

    d = m(y, first) − m(y, second),    d* = the same difference on each resample of the rows                       (1)
    p = 2 min(P(d* ≤ 0), P(d* ≥ 0))                                                                  (2)

Rows are resampled in pairs, so what both systems find hard does not blur the difference. Of two AUC the normal law of
DeLong, DeLong & Clarke-Pearson (1988), doi:10.2307/2531595, does without resamples. Efron & Tibshirani (1993), An
Introduction to the Bootstrap, doi:10.1201/9780429246593.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from scipy.special import ndtr

from gnomon._typing import ArrayLike, Floats, RandomState
from gnomon.evaluation._delong import delong_auc, delong_difference
from gnomon.evaluation._metric_interval import resample_count, resampled
from gnomon.evaluation._metric_words import AnyMetric, bind, read_metric_rows
from gnomon.numerics.estimates import Estimate
from gnomon.numerics.resampling import estimate_of
from gnomon.numerics.validation import check_choice

__all__ = ["MetricDifference", "metric_difference"]

Method: TypeAlias = Literal["bootstrap", "stratified", "delong"]


class MetricDifference(NamedTuple):
    """Two values of a metric, and their difference (1).

    Fields
    ------
    first, second, difference : Estimate
    p_value : float
        Of no difference, two-sided.

    References
    ----------
    Efron, B. & Tibshirani, R. J. (1993). An Introduction to the Bootstrap. doi:10.1201/9780429246593

    Examples
    --------
    >>> from gnomon.evaluation import metric_difference
    >>> metric_difference("accuracy", [0, 1, 1, 0], [0, 1, 1, 0], [0, 1, 1, 1], random_state=0).difference.value
    0.25
    >>> labels = [0, 1] * 50
    >>> print(metric_difference("accuracy", labels, labels, [0, 1, 1, 1] * 25, random_state=0))
    1 and 0.75, difference 0.25 (95 % interval 0.16 to 0.34), p = 0.002
    """

    first: Estimate
    second: Estimate
    difference: Estimate
    p_value: float

    def __str__(self) -> str:
        values = f"{self.first.value:.4g} and {self.second.value:.4g}"
        return f"{values}, difference {self.difference}, p = {self.p_value:.3g}"


def metric_difference(
    metric: AnyMetric,
    y_true: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    method: Method = "bootstrap",
    threshold: float | None = None,
    pos_label: object = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int | None = None,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> MetricDifference:
    """The difference of two systems in any metric, by the same resamples for both.

    Parameters
    ----------
    metric : str, CurveStatistic or callable
        As in `metric_interval`.
    y_true : array-like of shape (n,)
    first, second : array-like
        Predictions of two systems for the same rows.
    method : {"bootstrap", "stratified", "delong"}, default="bootstrap"
        "delong" is for metric="roc_auc".
    threshold, pos_label, groups, sample_weight, level, n_resamples, n_jobs, random_state
        As in `metric_interval`.

    Returns
    -------
    MetricDifference

    References
    ----------
    DeLong, E. R., DeLong, D. M. & Clarke-Pearson, D. L. (1988). Comparing the areas under two or more correlated
    receiver operating characteristic curves: a nonparametric approach. doi:10.2307/2531595

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.evaluation import metric_difference
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(300) < 0.5
    >>> signal = rng.normal(y, 1.0)
    >>> found = metric_difference("roc_auc", y, signal, signal + rng.normal(size=300), method="delong")
    >>> print(found.difference)
    0.07066 (95 % interval 0.02658 to 0.1147)
    >>> round(found.p_value, 4)
    0.0017
    """
    check_choice("method", method, get_args(Method))
    count = resample_count([method], n_resamples, random_state)
    a, b = (
        read_metric_rows(y_true, prediction, sample_weight, groups, pos_label, threshold)
        for prediction in (first, second)
    )
    bound = bind(metric, a), bind(metric, b)
    if method == "delong":
        if not bound[0].is_auc or groups is not None:
            raise ValueError("method='delong' is for metric='roc_auc' without groups; choose 'bootstrap'")
        gap = delong_difference(a, b, level)
        z = abs(gap.value) / gap.standard_error if gap.standard_error > 0.0 else np.inf * (gap.value != 0.0)
        p = 1.0 if np.isnan(z) else float(2.0 * ndtr(-z))
        return MetricDifference(delong_auc(a, level), delong_auc(b, level), gap, p)

    def both(w: Floats) -> Floats:
        return np.array([bound[0].statistic(w), bound[1].statistic(w)])

    value = both(a.weights)
    found = resampled(both, a, method, count, n_jobs, random_state)
    one, two = (estimate_of(float(value[k]), found[:, k], level) for k in (0, 1))
    change = found[:, 0] - found[:, 1]
    return MetricDifference(one, two, estimate_of(float(value[0] - value[1]), change, level), _p_value(change))


def _p_value(change: Floats) -> float:
    """(2), with the sample counted among its resamples, so that it is never zero."""
    good = change[~np.isnan(change)]
    tails = (np.sum(good <= 0.0), np.sum(good >= 0.0))
    return float(min(1.0, 2.0 * (1.0 + min(tails)) / (1.0 + len(good))))
