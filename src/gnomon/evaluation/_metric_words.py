"""Metrics as functions of the weights of the rows.

    ratio    m(w) = Σ wᵢ aᵢ / Σ wᵢ bᵢ          accuracy, recall, precision, F₁, mean losses                          (1)
    curve    m(w) = f(TP(·; w), FP(·; w))      areas, equal error rate: the rows are sorted once                    (2)
    any      m(y, prediction) of the rows, each as often as it weighs                                        (3)

What is resampled is w alone. A share is a ratio of zeros and ones: k of n rows. Canty & Ripley, The boot package,
`stype = "f"`; Davison & Hinkley (1997), Bootstrap Methods and their Application, doi:10.1017/CBO9780511802843.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from gnomon._typing import Array, ArrayLike, Bools, Floats
from gnomon.base.trials import positive_rows
from gnomon.evaluation._eer import eer
from gnomon.evaluation._pr_area import pr_area, pr_area_of
from gnomon.numerics.curves import ThresholdCurve, ratio
from gnomon.numerics.ranked_scores import rank_scores
from gnomon.numerics.validation import check_choice, check_interval
from gnomon.numerics.weights import check_weights

__all__ = ["AnyMetric", "BoundMetric", "CurveStatistic", "MetricRows", "bind", "metric_name", "read_metric_rows"]

Statistic: TypeAlias = Callable[[Floats], float]
Terms: TypeAlias = tuple[Floats, Floats]


class CurveStatistic(NamedTuple):
    """A metric (2) that is a function of the curve of counts over thresholds, whose rows are sorted once.

    Fields
    ------
    function : callable (ThresholdCurve) → float
    name : str, default="curve statistic"

    References
    ----------
    Davison, A. C. & Hinkley, D. V. (1997). Bootstrap Methods and their Application. doi:10.1017/CBO9780511802843

    Examples
    --------
    >>> from gnomon.evaluation import CurveStatistic, metric_interval
    >>> best_f = CurveStatistic(lambda curve: curve.f_beta().max(), "best F")
    >>> metric_interval(best_f, [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], method="stratified", random_state=0).value
    0.8
    """

    function: Callable[[ThresholdCurve], float]
    name: str = "curve statistic"


AnyMetric: TypeAlias = str | CurveStatistic | Callable[..., Any]
"""A word, a function of a curve, or any function of (y_true, prediction)."""


class MetricRows(NamedTuple):
    """Rows of positive weight, checked, that metrics are computed from.

    Fields
    ------
    y, prediction : ndarray
    weights : ndarray of shape (n,)
    weighted : bool
        Whether the weights were given.
    groups : ndarray of shape (n,) or None
    pos_label : label, "rare" or None
    threshold : float or None
        Predictions are scores, and s > threshold is called positive; None: they are labels.
    whole : MetricRows or None
        The rows of which these are a part, which may lack some of the labels.
    """

    y: Array
    prediction: Array
    weights: Floats
    weighted: bool
    groups: Array | None
    pos_label: object
    threshold: float | None
    whole: MetricRows | None = None

    @property
    def labels(self) -> Array:
        """All labels, sorted."""
        return np.unique((self.whole or self).y)

    def positive(self) -> Bools:
        """Which rows are positive."""
        if self.whole is None:
            return positive_rows(self.y, self.pos_label, self.weights)[0]
        return self.y == positive_rows(self.whole.y, self.pos_label, self.whole.weights)[1][1]

    def sides(self) -> tuple[Bools, Bools]:
        """Which rows are positive, and which are called so."""
        positive, labels = self.positive(), self.labels
        if self.threshold is not None:
            return positive, self.prediction > self.threshold
        strange = np.setdiff1d(np.unique(self.prediction), labels)
        if len(strange):
            raise ValueError(
                f"predictions such as {strange[0]!r} are none of the labels {labels[:5].tolist()}; give labels, or a "
                "threshold= with scores"
            )
        whole = self.whole or self
        return positive, self.prediction == positive_rows(whole.y, self.pos_label, whole.weights)[1][1]

    def taken(self, rows: Array) -> MetricRows:
        """Some of the rows."""
        groups = None if self.groups is None else self.groups[rows]
        y, prediction, weights = (part[rows] for part in (self.y, self.prediction, self.weights))
        return self._replace(y=y, prediction=prediction, weights=weights, groups=groups)


def read_metric_rows(
    y_true: ArrayLike,
    prediction: ArrayLike,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pos_label: object = None,
    threshold: float | None = None,
) -> MetricRows:
    """Rows for metrics; those of weight zero are left out."""
    y, p = np.asarray(y_true), np.asarray(prediction)
    if y.ndim != 1 or p.shape[:1] != y.shape or p.ndim > 2 or not len(y):
        raise ValueError(
            f"y_true of shape {y.shape} and predictions of shape {p.shape} must be one value, or one row of "
            "probabilities, for each of some rows"
        )
    for name, values in (("y_true", y), ("predictions", p)):
        if values.dtype.kind == "f" and np.any(np.isnan(values)):
            raise ValueError(f"{name} contains NaN in {np.sum(np.isnan(values))} places; repair what made them")
    if threshold is not None:
        check_interval("threshold", threshold)
    labels = None if groups is None else np.asarray(groups)
    if labels is not None and labels.shape != y.shape:
        raise ValueError(f"groups has shape {labels.shape}; give one label for each of {len(y)} rows")
    weights = check_weights(sample_weight, np.zeros((len(y), 1)))
    found = MetricRows(y, p, weights, sample_weight is not None, labels, pos_label, threshold)
    return found if np.all(weights > 0.0) else found.taken(weights > 0.0)


class BoundMetric(NamedTuple):
    """A metric of given rows, as a function of their weights.

    Fields
    ------
    statistic : callable (weights) → float
    share : pair of ndarrays, or None
        a and b of (1) where they are zeros and ones, and the metric is a share of rows.
    is_auc : bool
    """

    statistic: Statistic
    share: Terms | None = None
    is_auc: bool = False


def bind(metric: AnyMetric, rows: MetricRows) -> BoundMetric:
    """A metric of these rows: one place decides how it is computed."""
    known = KNOWN_FUNCTIONS.get(metric, metric) if callable(metric) and not isinstance(metric, tuple) else metric
    if isinstance(known, CurveStatistic):
        return BoundMetric(_curve_statistic(known.function, rows))
    if callable(known):
        return BoundMetric(_any_statistic(known, rows))
    word = check_choice("metric", known, [*CURVES, *SHARES, *RATIOS])
    if word in CURVES:
        return BoundMetric(_curve_statistic(CURVES[word], rows), is_auc=word == "roc_auc")
    if word in SHARES:
        share = SHARES[word](rows)
        return BoundMetric(_ratio_statistic(*share), share=share)
    return BoundMetric(_ratio_statistic(*RATIOS[word](rows)))


def metric_name(metric: AnyMetric) -> str:
    """What a table calls a metric."""
    if isinstance(metric, str):
        return metric
    return str(getattr(metric, "name", None) or getattr(metric, "__name__", None) or metric)


def _curve_statistic(function: Callable[[ThresholdCurve], float], rows: MetricRows) -> Statistic:
    ranked = rank_scores(rows.prediction, rows.positive())

    def statistic(w: Floats) -> float:
        curve = ranked.curve(w)
        # A resample without positives, or without negatives, has no rates.
        return float(function(curve)) if curve.positives > 0.0 and curve.negatives > 0.0 else np.nan

    return statistic


def _ratio_statistic(a: Floats, b: Floats) -> Statistic:
    return lambda w: float(ratio(w @ a, w @ b))


def _any_statistic(function: Callable[..., Any], rows: MetricRows) -> Statistic:
    def statistic(w: Floats) -> float:
        if rows.weighted:
            kept = np.flatnonzero(w > 0.0)
            return float(function(rows.y[kept], rows.prediction[kept], sample_weight=w[kept]))
        kept = np.repeat(np.arange(len(w)), w.astype(int))
        return float(function(rows.y[kept], rows.prediction[kept]))

    return statistic


def _of_sides(terms: Callable[[Bools, Bools], tuple[Array, Array]]) -> Callable[[MetricRows], Terms]:
    def of(rows: MetricRows) -> Terms:
        a, b = terms(*rows.sides())
        return a.astype(float), b.astype(float)

    return of


def _correct(rows: MetricRows) -> Floats:
    if rows.threshold is None:
        return (rows.y == rows.prediction).astype(float)
    positive, called = rows.sides()
    return (positive == called).astype(float)


def _mean_of(losses: Callable[[MetricRows], Floats]) -> Callable[[MetricRows], Terms]:
    return lambda rows: (losses(rows), np.ones(len(rows.y)))


def _probabilities(rows: MetricRows) -> tuple[Floats, Array]:
    """P(class) of every row and class, and the true class of each row."""
    P = np.asarray(rows.prediction, dtype=float)
    if np.any(P < 0.0) or np.any(P > 1.0):
        raise ValueError(f"predictions from {np.min(P):g} to {np.max(P):g} are no probabilities; give some in [0, 1]")
    if P.ndim == 1:
        return np.column_stack([1.0 - P, P]), rows.positive().astype(int)
    labels = rows.labels
    if len(labels) != P.shape[1]:
        raise ValueError(f"predictions have {P.shape[1]} columns for {len(labels)} labels in y_true; give one for each")
    if not np.allclose(np.sum(P, axis=1), 1.0, atol=1e-6):
        raise ValueError("probabilities of some rows do not sum to one; normalise them")
    return P, np.searchsorted(labels, rows.y)


def _log_losses(rows: MetricRows) -> Floats:
    P, index = _probabilities(rows)
    # As in scikit-learn: a certain error costs −log of the least difference from one.
    eps = np.finfo(P.dtype).eps
    return -np.log(np.clip(P[np.arange(len(index)), index], eps, 1.0 - eps))


def _brier_losses(rows: MetricRows) -> Floats:
    P, index = _probabilities(rows)
    square = np.sum((P - np.eye(P.shape[1])[index]) ** 2, axis=1)
    return 0.5 * square if P.shape[1] == 2 else square


def _residuals(rows: MetricRows) -> Floats:
    return np.asarray(rows.y, dtype=float) - np.asarray(rows.prediction, dtype=float)


CURVES: dict[str, Callable[[ThresholdCurve], float]] = {
    "roc_auc": lambda curve: curve.roc_auc,
    "average_precision": lambda curve: curve.average_precision,
    "pr_area": pr_area_of,
    "eer": lambda curve: curve.eer,
}
SHARES: dict[str, Callable[[MetricRows], Terms]] = {
    "accuracy": _mean_of(_correct),
    "error_rate": _mean_of(lambda rows: 1.0 - _correct(rows)),
    "positive_rate": _of_sides(lambda positive, called: (called, np.ones_like(called))),
    "recall": _of_sides(lambda positive, called: (positive & called, positive)),
    "fnr": _of_sides(lambda positive, called: (positive & ~called, positive)),
    "fpr": _of_sides(lambda positive, called: (~positive & called, ~positive)),
    "tnr": _of_sides(lambda positive, called: (~positive & ~called, ~positive)),
    "precision": _of_sides(lambda positive, called: (positive & called, called)),
}
RATIOS: dict[str, Callable[[MetricRows], Terms]] = {
    "f1": _of_sides(lambda positive, called: (2.0 * (positive & called), 1.0 * positive + called)),
    "brier": _mean_of(_brier_losses),
    "log_loss": _mean_of(_log_losses),
    "mean_squared_error": _mean_of(lambda rows: _residuals(rows) ** 2),
    "mean_absolute_error": _mean_of(lambda rows: np.abs(_residuals(rows))),
}
KNOWN_FUNCTIONS: dict[Any, str] = {
    roc_auc_score: "roc_auc",
    average_precision_score: "average_precision",
    pr_area: "pr_area",
    eer: "eer",
}
"""Functions for which a word gives the same value."""
