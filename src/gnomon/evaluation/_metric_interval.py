"""Intervals of metrics.

    bootstrap    the (1 ± level)/2 quantiles of m(c),  c ~ Multinomial(N; w/N); stratified: within each class      (1)
    wilson       of a share of k in n:  the p with (k/n − p)² ≤ z² p(1 − p)/n                                  (2)
    delong       of an AUC:  A ± z (S₁₀/n₊ + S₀₁/n₋)^½                                                       (3)

A percentile interval does not correct the bias of its metric: errors of calibration and areas of few rows are pulled
off-centre in resamples, as they are in the sample. Efron (1979), doi:10.1214/aos/1176344552; Wilson (1927),
doi:10.1080/01621459.1927.10502953; DeLong, DeLong & Clarke-Pearson (1988), doi:10.2307/2531595.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from typing import Literal, TypeAlias, get_args

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats, RandomState
from gnomon.evaluation._delong import delong_auc
from gnomon.evaluation._metric_words import AnyMetric, BoundMetric, MetricRows, bind, read_metric_rows
from gnomon.numerics.estimates import Estimate, share_interval
from gnomon.numerics.resampling import bootstrap, estimate_of, replicates
from gnomon.numerics.validation import check_choice

__all__ = ["IntervalMethod", "interval_of", "metric_interval", "resample_count", "resampled"]

IntervalMethod: TypeAlias = Literal["bootstrap", "stratified", "delong", "wilson"]
WITHOUT_RESAMPLES = {"delong", "wilson"}


def metric_interval(
    metric: AnyMetric,
    y_true: ArrayLike,
    prediction: ArrayLike,
    *,
    method: IntervalMethod = "bootstrap",
    threshold: float | None = None,
    pos_label: object = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int | None = None,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> Estimate:
    """Any metric with an interval.

    Parameters
    ----------
    metric : str, CurveStatistic or callable
        A word: "roc_auc", "average_precision", "pr_area", "eer" of scores; "accuracy", "error_rate", "positive_rate",
        "recall", "fnr", "fpr", "tnr", "precision", "f1" of labels, or of scores with a `threshold`; "brier", "log_loss"
        of probabilities; "mean_squared_error", "mean_absolute_error" of numbers. Or any function of
        (y_true, prediction), which with weights is also given ``sample_weight=``; those of scikit-learn are.
        Words and curve statistics need no sorting and no copies for each resample.
    y_true : array-like of shape (n,)
    prediction : array-like of shape (n,) or (n, n_classes)
        Labels, scores, probabilities or numbers: what the metric takes.
    method : {"bootstrap", "stratified", "delong", "wilson"}, default="bootstrap"
        Resampled rows; resampled rows of each class, whose sizes stay; the normal law of an AUC (cut to [0, 1]); the
        score interval of a share ("accuracy" to "precision" above).
    threshold : float, optional
        Rows with a score above it are called positive.
    pos_label : label or "rare", optional
        The greater of two labels by default.
    groups : array-like of shape (n,), optional
        Rows of one group (a speaker, a patient, a day) depend on each other and are resampled together.
    sample_weight : array-like of shape (n,), optional
        How many rows each one stands for, so their sum matters: weight two is the row twice.
    level : float, default=0.95
    n_resamples : int, optional
        Of "bootstrap" and "stratified", by default 1000. The other methods draw nothing and refuse it, and a
        `random_state`.
    n_jobs : int, optional
        Threads for resamples; they change nothing but the time.
    random_state : None, int, Generator or RandomState

    Returns
    -------
    gnomon.numerics.estimates.Estimate

    References
    ----------
    Efron, B. (1979). Bootstrap methods: another look at the jackknife. doi:10.1214/aos/1176344552

    DeLong, E. R., DeLong, D. M. & Clarke-Pearson, D. L. (1988). Comparing the areas under two or more correlated
    receiver operating characteristic curves: a nonparametric approach. doi:10.2307/2531595

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.evaluation import metric_interval
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(400) < 0.4
    >>> score = rng.normal(y, 1.0)
    >>> print(metric_interval("roc_auc", y, score, random_state=0))
    0.765 (95 % interval 0.7166 to 0.8112)
    >>> print(metric_interval("roc_auc", y, score, method="delong"))
    0.765 (95 % interval 0.7171 to 0.8128)
    >>> print(metric_interval("recall", y, score, threshold=0.5, method="wilson"))
    0.6853 (95 % interval 0.6052 to 0.7557)

    Any function will do; here one of scikit-learn, on rows that come in groups of ten:

    >>> from sklearn.metrics import matthews_corrcoef
    >>> groups = np.repeat(np.arange(40), 10)
    >>> print(metric_interval(matthews_corrcoef, y, score > 0.5, groups=groups, n_resamples=100, random_state=0))
    0.3528 (95 % interval 0.2662 to 0.4235)
    """
    count = resample_count([method], n_resamples, random_state)
    rows = read_metric_rows(y_true, prediction, sample_weight, groups, pos_label, threshold)
    return interval_of(metric, rows, method, level, count, n_jobs, random_state)


def resample_count(methods: Collection[str], n_resamples: int | None, random_state: RandomState) -> int:
    """The number of resamples; it is refused, as a seed is, where no method draws any."""
    if set(methods) <= WITHOUT_RESAMPLES:
        for name, value in {"n_resamples": n_resamples, "random_state": random_state}.items():
            if value is not None:
                raise ValueError(
                    f"{name}={value!r} is for resamples, and method {sorted(set(methods))} draws none; leave it out, "
                    "or choose 'bootstrap'"
                )
    return 1000 if n_resamples is None else n_resamples


def interval_of(
    metric: AnyMetric,
    rows: MetricRows,
    method: IntervalMethod,
    level: float,
    n_resamples: int,
    n_jobs: int | None,
    random_state: RandomState,
) -> Estimate:
    """A metric of rows that were read, with its interval."""
    check_choice("method", method, get_args(IntervalMethod))
    bound = bind(metric, rows)
    if method in WITHOUT_RESAMPLES:
        if rows.groups is not None:
            raise ValueError(f"method={method!r} takes rows as independent; with groups choose 'bootstrap'")
        return (_wilson if method == "wilson" else _delong)(metric, bound, rows, level)
    value = bound.statistic(rows.weights)
    return estimate_of(value, resampled(bound.statistic, rows, method, n_resamples, n_jobs, random_state), level)


def resampled(
    statistic: Callable[[Floats], float | Floats],
    rows: MetricRows,
    method: str,
    n_resamples: int,
    n_jobs: int | None,
    random_state: RandomState,
) -> Array:
    """Replicates of a statistic, with a warning where some are undefined."""
    if method == "stratified" and rows.groups is not None:
        raise ValueError(
            "method='stratified' and groups exclude each other: a group may have rows of several classes; choose "
            "'bootstrap' for groups"
        )
    draws = bootstrap(rows.weights, strata=rows.y if method == "stratified" else None, groups=rows.groups)
    if len(draws.strata) > max(2, len(rows.y) // 2):
        raise ValueError(
            f"y_true has {len(draws.strata)} different values in {len(rows.y)} rows, which are no classes; "
            "method='stratified' needs some, choose 'bootstrap'"
        )
    try:
        found = replicates(statistic, draws, n_resamples, random_state=random_state, n_jobs=n_jobs)
    except ValueError as error:
        raise ValueError(
            f"the metric failed on a resample ({error}); where a class was lost, choose method='stratified'"
        ) from error
    if lost := int(np.sum(np.any(np.isnan(found.reshape(len(found), -1)), axis=1))):
        warnings.warn(
            f"{lost} of {n_resamples} resamples have no value of the metric and are left out; where a class was lost, "
            "method='stratified' keeps it",
            stacklevel=3,
        )
    return found


def _wilson(metric: AnyMetric, bound: BoundMetric, rows: MetricRows, level: float) -> Estimate:
    if bound.share is None:
        raise ValueError(f"method='wilson' is for shares of rows, such as 'accuracy' and 'recall'; {metric!r} is none")
    k, n = (float(rows.weights @ part) for part in bound.share)
    low, high = share_interval(k, n, level)
    return Estimate(bound.statistic(rows.weights), np.nan, float(low), float(high), level)


def _delong(metric: AnyMetric, bound: BoundMetric, rows: MetricRows, level: float) -> Estimate:
    if not bound.is_auc:
        raise ValueError(f"method='delong' is for metric='roc_auc'; for {metric!r} choose 'bootstrap'")
    return delong_auc(rows, level)
