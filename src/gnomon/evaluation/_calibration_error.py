"""The expected calibration error.

    ECE = Σ_k (n_k/n) |ō_k − p̄_k|,    RMS: (Σ_k (n_k/n) (ō_k − p̄_k)²)^½,    max: max_k |ō_k − p̄_k|                 (1)

ECE is biased. A calibrated model has ō_k ≠ p̄_k by chance, so its ECE is positive, the more so the more bins and the
fewer rows; too few bins hide errors that cancel within them. So the value comes with what a calibrated model with the
same probabilities would show: events drawn with P = p. Bins of equal weight are "adaptive". Naeini, Cooper & Hauskrecht
(2015), doi:10.1609/aaai.v29i1.9602; Nixon et al. (2019), arXiv:1904.01685; the bias: Roelofs et al. (2022),
arXiv:2012.08668; events drawn from the forecasts: Bröcker & Smith (2007), doi:10.1175/WAF993.1.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from gnomon._typing import ArrayLike, Floats, RandomState
from gnomon.evaluation._bins import Bins, BinSums, Strategy, read_forecasts
from gnomon.numerics.curves import ratio
from gnomon.numerics.estimates import Estimate
from gnomon.numerics.random import check_rng
from gnomon.numerics.resampling import bootstrap, estimate_of, replicates
from gnomon.numerics.validation import check_choice

__all__ = ["CalibrationError", "calibration_error", "expected_calibration_error"]

Norm: TypeAlias = Literal["l1", "l2", "max"]
N_BINS = 15
"""As Guo et al. (2017) take, and most who report (1) after them."""


class CalibrationError(NamedTuple):
    """The error (1), and what chance alone makes of it.

    Fields
    ------
    estimate : Estimate
        The error with its bootstrap interval. Both are biased upwards.
    by_chance : float
        The mean error of a calibrated model with the same probabilities and the same number of rows.
    p_value : float
        How often such a model shows an error as large: small values speak against calibration.

    References
    ----------
    Bröcker, J. & Smith, L. A. (2007). Increasing the reliability of reliability diagrams. doi:10.1175/WAF993.1

    Examples
    --------
    >>> from gnomon.evaluation import calibration_error
    >>> calibration_error([0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5], random_state=0).estimate.value
    0.0
    >>> print(calibration_error([0, 1] * 50, [0.9] * 100, random_state=0))
    0.4 (95 % interval 0.3 to 0.5), by chance 0.02399, p = 0.000999
    """

    estimate: Estimate
    by_chance: float
    p_value: float

    def __str__(self) -> str:
        return f"{self.estimate}, by chance {self.by_chance:.4g}, p = {self.p_value:.3g}"


def calibration_error(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    norm: Norm = "l1",
    strategy: Strategy = "uniform",
    n_bins: int = N_BINS,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> CalibrationError:
    """The (adaptive) expected calibration error (1), with an interval and its size by chance.

    Parameters
    ----------
    y_true : array-like of shape (n,)
    proba : array-like of shape (n,) or (n, n_classes)
        P(positive). Of several columns (labels sorted) the largest is taken, and the event is that it was right.
    norm : {"l1", "l2", "max"}, default="l1"
        ECE, root mean square, or the largest deviation of a bin.
    strategy : {"uniform", "quantile", "distinct"}, default="uniform"
        Bins of equal width, of equal weight (adaptive ECE), or of one probability each.
    n_bins : int, default=15
    pos_label, sample_weight, level, n_resamples, n_jobs, random_state
        As in `metric_interval`.

    Returns
    -------
    CalibrationError

    References
    ----------
    Naeini, M. P., Cooper, G. F. & Hauskrecht, M. (2015). Obtaining well calibrated probabilities using Bayesian
    binning. doi:10.1609/aaai.v29i1.9602

    Roelofs, R., Cain, N., Shlens, J. & Mozer, M. C. (2022). Mitigating bias in calibration error estimation.
    arXiv:2012.08668.

    Examples
    --------
    A perfect model of 200 rows has an ECE of 8 %; chance explains it:

    >>> import numpy as np
    >>> from gnomon.evaluation import calibration_error
    >>> rng = np.random.default_rng(1)
    >>> p = rng.random(200)
    >>> found = calibration_error(rng.random(200) < p, p, random_state=0)
    >>> round(found.estimate.value, 2), round(found.by_chance, 2), found.p_value > 0.05
    (0.08, 0.09, True)
    """
    bins = _bins(y_true, proba, norm, strategy, n_bins, pos_label, sample_weight)
    rng = check_rng(random_state)
    value = _error(bins.sums(bins.weights), norm)
    found = replicates(
        lambda w: _error(bins.sums(w), norm), bootstrap(bins.weights), n_resamples, random_state=rng, n_jobs=n_jobs
    )
    rows = np.maximum(1.0, np.round(bins.weights)).astype(int)
    chance = np.array(
        [_error(bins.sums(bins.weights, rng.binomial(rows, bins.p) / rows), norm) for _ in range(n_resamples)]
    )
    p_value = (1.0 + np.sum(chance >= value - 1e-12)) / (1.0 + n_resamples)
    return CalibrationError(estimate_of(value, found, level), float(np.mean(chance)), float(p_value))


def expected_calibration_error(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    norm: Norm = "l1",
    strategy: Strategy = "uniform",
    n_bins: int = N_BINS,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """The error (1) alone: the value of `calibration_error`, which says how much of it chance explains.

    Parameters
    ----------
    y_true, proba, norm, strategy, n_bins, pos_label, sample_weight
        As in `calibration_error`.

    Returns
    -------
    float

    References
    ----------
    Naeini, M. P., Cooper, G. F. & Hauskrecht, M. (2015). Obtaining well calibrated probabilities using Bayesian
    binning. doi:10.1609/aaai.v29i1.9602

    Examples
    --------
    Two of three events where 0.9 was forecast, none of one where 0.1 was:

    >>> from gnomon.evaluation import expected_calibration_error
    >>> round(expected_calibration_error([1, 1, 0, 0], [0.9, 0.9, 0.9, 0.1]), 6)  # (|2 − 2.7| + |0 − 0.1|)/4
    0.2
    """
    bins = _bins(y_true, proba, norm, strategy, n_bins, pos_label, sample_weight)
    return _error(bins.sums(bins.weights), norm)


def _bins(
    y_true: ArrayLike,
    proba: ArrayLike,
    norm: Norm,
    strategy: Strategy,
    n_bins: int,
    pos_label: object,
    sample_weight: ArrayLike | None,
) -> Bins:
    check_choice("norm", norm, get_args(Norm))
    return read_forecasts(y_true, proba, strategy, n_bins, pos_label, sample_weight)


def _error(sums: BinSums, norm: Norm) -> float:
    weight, gap = sums.weight, np.abs(sums.events - sums.predicted)
    if norm == "l1":
        return float(np.sum(gap) / np.sum(weight))
    each = _of_bins(gap, weight)
    return float(np.max(each)) if norm == "max" else float(np.sqrt(weight @ each**2 / np.sum(weight)))


def _of_bins(gap: Floats, weight: Floats) -> Floats:
    # Sums of an empty bin are differences of equal running sums, zero but for rounding.
    return ratio(gap, np.where(weight > 1e-9, weight, 0.0), otherwise=0.0)
