"""Curves with confidence bands.

    TPR at FPR x,  precision at recall x,  FNR at FPR x;    bands from m(x; c),  c ~ Multinomial(N; w/N)          (1)

Rows are sorted once; each resample is a vector of counts. In large samples, pointwise bands cover the true curve at any
one x with the probability `level`, simultaneous ones at all x together. In small ones they cover less where the curve
reaches 0 or 1: no resample of rows without an error has one. Campbell (1994), Advances in statistical methodology for
the evaluation of diagnostic and laboratory tests, doi:10.1002/sim.4780130513; Davis & Goadrich (2006),
doi:10.1145/1143844.1143874.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from scipy.special import ndtr

from gnomon._typing import ArrayLike, Floats, RandomState
from gnomon.evaluation._metric_interval import resampled
from gnomon.evaluation._metric_words import read_metric_rows
from gnomon.numerics.curves import ThresholdCurve
from gnomon.numerics.ranked_scores import rank_scores
from gnomon.numerics.resampling import band_of
from gnomon.numerics.validation import check_choice, check_numbers

__all__ = ["CurveBand", "curve_band"]

BandSpace: TypeAlias = Literal["roc", "pr", "det"]
BandKind: TypeAlias = Literal["pointwise", "simultaneous"]
BandMethod: TypeAlias = Literal["bootstrap", "stratified"]


class CurveBand(NamedTuple):
    """A curve (1) and its band.

    Fields
    ------
    x, y, low, high : ndarray of shape (m,)
    space : {"roc", "pr", "det"}
    kind : {"pointwise", "simultaneous"}
    level : float
    prevalence : float
        The share of positives: the precision of a random order.

    References
    ----------
    Campbell, G. (1994). Advances in statistical methodology for the evaluation of diagnostic and laboratory tests.
    doi:10.1002/sim.4780130513

    Examples
    --------
    >>> from gnomon.evaluation import curve_band
    >>> band = curve_band([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], grid=[0.0, 0.5], random_state=0)
    >>> band.y.tolist()
    [0.5, 1.0]
    """

    x: Floats
    y: Floats
    low: Floats
    high: Floats
    space: BandSpace
    kind: BandKind
    level: float
    prevalence: float


def curve_band(
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    space: BandSpace = "roc",
    kind: BandKind = "pointwise",
    method: BandMethod = "stratified",
    grid: ArrayLike | None = None,
    pos_label: object = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> CurveBand:
    """A ROC, precision-recall or DET curve with its confidence band, equation (1).

    Parameters
    ----------
    y_true : array-like of shape (n,)
    scores : array-like of shape (n,)
        Greater is more positive; ±∞ is allowed.
    space : {"roc", "pr", "det"}, default="roc"
        TPR over FPR, precision over recall, or FNR over FPR.
    kind : {"pointwise", "simultaneous"}, default="pointwise"
    method : {"bootstrap", "stratified"}, default="stratified"
        Resampled rows, or resampled rows of each class, whose sizes stay; with `groups`, "bootstrap".
    grid : array-like, optional
        Where the curve is taken; 201 equal steps by default, of a DET curve equal in the quantiles of a normal law.
    pos_label, groups, sample_weight, level, n_resamples, n_jobs, random_state
        As in `metric_interval`.

    Returns
    -------
    CurveBand

    References
    ----------
    Campbell, G. (1994). Advances in statistical methodology for the evaluation of diagnostic and laboratory tests.
    doi:10.1002/sim.4780130513

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.evaluation import curve_band
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(500) < 0.5
    >>> band = curve_band(y, rng.normal(1.5 * y), grid=[0.1, 0.2], random_state=0)
    >>> band.low.round(3), band.y.round(3), band.high.round(3)
    (array([0.516, 0.695]), array([0.596, 0.771]), array([0.7  , 0.843]))
    """
    check_choice("space", space, get_args(BandSpace))
    check_choice("kind", kind, get_args(BandKind))
    check_choice("method", method, get_args(BandMethod))
    x = _grid(space) if grid is None else np.atleast_1d(check_numbers("grid", grid))
    if x.ndim != 1 or not np.all((x >= 0.0) & (x <= 1.0)):
        raise ValueError(f"grid goes from {np.min(x):g} to {np.max(x):g}; give rates, between 0 and 1")
    rows = read_metric_rows(y_true, scores, sample_weight, groups, pos_label)
    positive = rows.positive()
    ranked = rank_scores(rows.prediction, positive)

    def points(w: Floats) -> Floats:
        curve = ranked.curve(w)
        whole = curve.positives > 0.0 and curve.negatives > 0.0
        return _heights(curve, space, x) if whole else np.full(len(x), np.nan)

    value = points(rows.weights)
    rows = rows._replace(y=positive)
    found = resampled(points, rows, method, n_resamples, n_jobs, random_state)
    low, high = band_of(value, found, level, simultaneous=kind == "simultaneous")
    prevalence = float(rows.weights @ positive / np.sum(rows.weights))
    return CurveBand(x, value, np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0), space, kind, level, prevalence)


def _grid(space: BandSpace) -> Floats:
    return ndtr(np.linspace(-3.5, 3.5, 201)) if space == "det" else np.linspace(0.0, 1.0, 201)


def _heights(curve: ThresholdCurve, space: BandSpace, x: Floats) -> Floats:
    if space == "pr":
        return curve.precision_at(x)
    return curve.tpr_at(x) if space == "roc" else 1.0 - curve.tpr_at(x)
