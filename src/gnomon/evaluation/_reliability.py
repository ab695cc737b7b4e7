"""Reliability diagrams.

    ō_k against p̄_k,    k = 1 … bins;    a calibrated model has ō_k ≈ p̄_k                                       (1)

with Wilson's interval of each frequency ō_k. Where the generator is known, the mean of the true P(y | x) stands beside
it, which has no sampling error. Murphy & Winkler (1977), doi:10.2307/2346866; DeGroot & Fienberg (1983), The comparison
and evaluation of forecasters, doi:10.2307/2987588.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.evaluation._bins import Strategy, read_forecasts
from gnomon.numerics.estimates import share_interval
from gnomon.numerics.weights import check_weights

__all__ = ["Reliability", "reliability"]


class Reliability(NamedTuple):
    """The bins (1) that have rows.

    Fields
    ------
    predicted, observed : ndarray of shape (k,)
        p̄ and ō.
    low, high : ndarray of shape (k,)
        Of ō.
    counts : ndarray of shape (k,)
        Weights of the bins.
    truth : ndarray of shape (k,) or None
        Means of the true probabilities, where they were given.
    level : float

    References
    ----------
    Murphy, A. H. & Winkler, R. L. (1977). Reliability of subjective probability forecasts of precipitation and
    temperature. doi:10.2307/2346866

    Examples
    --------
    >>> from gnomon.evaluation import reliability
    >>> bins = reliability([0, 0, 1, 1], [0.1, 0.1, 0.1, 0.9], n_bins=2)
    >>> bins.predicted.round(4).tolist(), bins.observed.round(4).tolist(), bins.counts.tolist()
    ([0.1, 0.9], [0.3333, 1.0], [3.0, 1.0])
    """

    predicted: Floats
    observed: Floats
    low: Floats
    high: Floats
    counts: Floats
    truth: Floats | None
    level: float


def reliability(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    n_bins: int = 10,
    strategy: Strategy = "uniform",
    true_proba: ArrayLike | None = None,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
    level: float = 0.95,
) -> Reliability:
    """Frequencies of the event against predicted probabilities, equation (1).

    Parameters
    ----------
    y_true : array-like of shape (n,)
    proba : array-like of shape (n,) or (n, n_classes)
        P(positive). Of several columns (labels sorted) the largest is taken, and the event is that it was right.
    n_bins : int, default=10
    strategy : {"uniform", "quantile", "distinct"}, default="uniform"
        Bins of equal width, of equal weight, or of one probability each; `n_bins` is for the first two.
    true_proba : array-like of shape (n,), optional
        The true probability of the event, where it is known.
    pos_label : label or "rare", optional
        The greater of two labels by default.
    sample_weight : array-like of shape (n,), optional
    level : float, default=0.95
        Of the intervals.

    Returns
    -------
    Reliability

    References
    ----------
    DeGroot, M. H. & Fienberg, S. E. (1983). The comparison and evaluation of forecasters. doi:10.2307/2987588

    Examples
    --------
    Naive Bayes counts copies of one feature as independent witnesses, and is too sure:

    >>> import numpy as np
    >>> from gnomon.evaluation import reliability
    >>> from gnomon.generative import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 1000)
    >>> X = np.repeat(rng.normal(y)[:, None], 10, axis=1)
    >>> bins = reliability(y, GaussianNB().fit(X, y).predict_proba(X)[:, 1], n_bins=5)
    >>> bool(bins.low[0] > bins.predicted[0]), bool(bins.high[-1] < bins.predicted[-1])
    (True, True)
    """
    bins = read_forecasts(y_true, proba, strategy, n_bins, pos_label, sample_weight)
    weight, predicted, events = bins.sums(bins.weights)
    filled = weight > 0.0
    n, k = weight[filled], np.clip(events[filled], 0.0, weight[filled])
    low, high = share_interval(k, n, level)
    truth = None
    if true_proba is not None:
        known = check_weights(sample_weight, np.zeros((len(np.asarray(y_true)), 1))) > 0.0
        q = np.asarray(true_proba, dtype=float)
        if q.shape != known.shape or not np.all((q >= 0.0) & (q <= 1.0)):
            raise ValueError(f"true_proba of shape {q.shape} must be one probability for each of {len(known)} rows")
        truth = bins.sums(bins.weights, q[known][bins.rising]).events[filled] / n
    return Reliability(predicted[filled] / n, k / n, low, high, n, truth, level)
