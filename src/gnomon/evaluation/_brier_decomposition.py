"""The parts of the Brier score.

    mean (p − y)² = REL − RES + UNC + WITHIN,                                                            (1)
    REL = Σ_k (n_k/n) (p̄_k − ō_k)²,    RES = Σ_k (n_k/n) (ō_k − ō)²,    UNC = ō (1 − ō)                          (2)

Reliability is the loss by miscalibration, resolution what the forecasts know, uncertainty what there was to know;
WITHIN is what bins hide, zero where each holds one probability. REL and RES are biased upwards by the sampling error of
ō_k, the more the smaller the bins; `corrected` takes its estimate off: Σ_k (n_k/n) ō_k(1 − ō_k)/(n_k − 1). Murphy
(1973), doi:10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2; WITHIN: Stephenson, Coelho & Jolliffe (2008),
doi:10.1175/2007WAF2006116.1; the correction: Ferro & Fricker (2012), doi:10.1002/qj.1924.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._typing import ArrayLike, Floats, RandomState
from gnomon.evaluation._bins import Bins, Strategy, read_forecasts
from gnomon.numerics.curves import ratio
from gnomon.numerics.estimates import Estimate
from gnomon.numerics.resampling import bootstrap, estimate_of, replicates

__all__ = ["BrierDecomposition", "brier_decomposition"]


class BrierDecomposition(NamedTuple):
    """The Brier score and its parts (1).

    Fields
    ------
    brier, reliability, resolution, uncertainty, within : Estimate

    References
    ----------
    Murphy, A. H. (1973). A new vector partition of the probability score.
    doi:10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2

    Examples
    --------
    >>> from gnomon.evaluation import brier_decomposition
    >>> parts = brier_decomposition([0, 1, 1, 1], [0.5, 0.5, 1.0, 1.0], random_state=0)
    >>> [round(part.value, 4) for part in parts]
    [0.125, 0.0, 0.0625, 0.1875, 0.0]
    """

    brier: Estimate
    reliability: Estimate
    resolution: Estimate
    uncertainty: Estimate
    within: Estimate


def brier_decomposition(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    strategy: Strategy = "distinct",
    n_bins: int = 10,
    corrected: bool = False,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> BrierDecomposition:
    """Reliability, resolution and uncertainty (2) of probabilities of two classes, with bootstrap intervals.

    Parameters
    ----------
    y_true : array-like of shape (n,)
    proba : array-like of shape (n,)
        P(positive).
    strategy : {"distinct", "uniform", "quantile"}, default="distinct"
        Each probability its own bin, or bins of equal width or weight. Where hardly two rows share a probability,
        choose one of the latter: else reliability and resolution are sampling errors.
    n_bins : int, default=10
    corrected : bool, default=False
        Whether to take off the bias of reliability and resolution. Resamples repeat rows, and have more of it: the
        interval may then lie above the value.
    pos_label, sample_weight, level, n_resamples, n_jobs, random_state
        As in `metric_interval`.

    Returns
    -------
    BrierDecomposition

    References
    ----------
    Ferro, C. A. T. & Fricker, T. E. (2012). A bias-corrected decomposition of the Brier score. doi:10.1002/qj.1924

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.evaluation import brier_decomposition
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> y = rng.random(2000) < p
    >>> options = {"strategy": "quantile", "n_resamples": 50, "random_state": 0}
    >>> plain = brier_decomposition(y, p, **options).reliability.value
    >>> corrected = brier_decomposition(y, p, corrected=True, **options).reliability.value
    >>> 0.0 < abs(corrected) < plain < 0.002
    True
    """
    if np.ndim(proba) != 1:
        raise ValueError(f"proba of shape {np.shape(proba)} must be P(positive), one number for each row")
    bins = read_forecasts(y_true, proba, strategy, n_bins, pos_label, sample_weight)
    value = _parts(bins, bins.weights, corrected)
    found = replicates(
        lambda w: _parts(bins, w, corrected), bootstrap(bins.weights), n_resamples, random_state=random_state,
        n_jobs=n_jobs,
    )  # fmt: skip
    return BrierDecomposition(*(estimate_of(float(value[k]), found[:, k], level) for k in range(len(value))))


def _parts(bins: Bins, w: Floats, corrected: bool) -> Floats:
    weight, predicted, events = bins.sums(w)
    # Sums of an empty bin are differences of equal running sums, zero but for rounding.
    filled = weight > 1e-9
    n_k, n = weight[filled], float(np.sum(w))
    p, o = predicted[filled] / n_k, events[filled] / n_k
    base = float(w @ bins.event) / n
    brier = float(w @ (bins.p - bins.event) ** 2) / n
    rel, res, unc = n_k @ (p - o) ** 2 / n, n_k @ (o - base) ** 2 / n, base * (1.0 - base)
    within = brier - (rel - res + unc)
    if corrected:
        noise = n_k @ (o * (1.0 - o) * ratio(1.0, np.maximum(n_k - 1.0, 0.0), otherwise=0.0)) / n
        more = float(ratio(unc, max(n - 1.0, 0.0), otherwise=0.0))
        rel, res, unc = rel - noise, res - noise + more, unc + more
    return np.array([brier, rel, res, unc, within])
