"""Metrics of groups of rows, side by side.

    m_g = m(rows of group g),    gap = max_g m_g − min_g m_g                                               (1)
    [d − ((v₁ − l₁)² + (u₂ − v₂)²)^½,  d + ((u₁ − v₁)² + (v₂ − l₂)²)^½],    d = v₁ − v₂                          (2)

(2) makes the interval of a difference of two independent groups from their own intervals [l, u]: Zou & Donner (2008),
doi:10.1002/sim.3095; of shares with Wilson's intervals it is that of Newcombe (1998). The largest of many gaps is large
by chance, so its interval has the level 1 − (1 − level)/(number of pairs), which covers all of them together. Metrics
by group: Hardt, Price & Srebro (2016), Equality of opportunity in supervised learning, arXiv:1610.02413.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from itertools import product
from math import comb
from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import ArrayLike, RandomState
from gnomon.evaluation._metric_interval import IntervalMethod, interval_of, resample_count
from gnomon.evaluation._metric_words import AnyMetric, MetricRows, metric_name, read_metric_rows
from gnomon.numerics.estimates import Estimate, normal_quantile
from gnomon.numerics.random import spawn_seeds

__all__ = ["Gap", "MetricTable", "metric_table"]

ALL = "all"


class Gap(NamedTuple):
    """The largest gap (1) of a metric between groups.

    Fields
    ------
    difference : Estimate
        With the interval (2), for all pairs together.
    highest, lowest : label
        The groups.

    References
    ----------
    Zou, G. Y. & Donner, A. (2008). Construction of confidence limits about effect measures: a general approach.
    doi:10.1002/sim.3095

    Examples
    --------
    >>> from gnomon.evaluation import metric_table
    >>> y, called, place = [1, 1, 1, 1, 0, 0], [1, 1, 0, 1, 0, 0], ["n", "n", "s", "s", "n", "s"]
    >>> gap = metric_table(y, called, ["recall"], by=place, method="wilson").gaps["", "recall"]
    >>> gap.highest, gap.lowest, gap.difference.value
    ('n', 's', 0.5)
    """

    difference: Estimate
    highest: object
    lowest: object


class MetricTable(NamedTuple):
    """Metrics of systems and groups.

    Fields
    ------
    cells : dict of (system, group, metric) to Estimate
        The group "all" has all rows; the system of a single prediction is "".
    sizes : dict of group to float
        Their weights.
    gaps : dict of (system, metric) to Gap
        Where there are two groups or more.

    References
    ----------
    Hardt, M., Price, E. & Srebro, N. (2016). Equality of opportunity in supervised learning. arXiv:1610.02413.

    Examples
    --------
    >>> from gnomon.evaluation import metric_table
    >>> table = metric_table([1, 1, 0, 0], [1, 0, 0, 0], ["accuracy", "recall"], method="wilson")
    >>> table.cells["", "all", "recall"].value
    0.5
    """

    cells: dict[tuple[str, Any, str], Estimate]
    sizes: dict[Any, float]
    gaps: dict[tuple[str, str], Gap]

    def records(self) -> list[dict[str, Any]]:
        """A dict for each cell, as data frames take them."""
        keys = ("system", "group", "metric")
        return [
            {**dict(zip(keys, key, strict=True)), "rows": self.sizes[key[1]], **cell._asdict()}
            for key, cell in self.cells.items()
        ]

    def __str__(self) -> str:
        lines = [
            f"{' '.join(part for part in (system, str(group)) if part):<24} {metric:<20} {cell}"
            for (system, group, metric), cell in self.cells.items()
        ]
        lines += [
            f"{' '.join(part for part in (system, 'gap') if part):<24} {metric:<20} {gap.difference}, "
            f"{gap.highest} over {gap.lowest}"
            for (system, metric), gap in self.gaps.items()
        ]
        return "\n".join(lines)


def metric_table(
    y_true: ArrayLike,
    predictions: ArrayLike | Mapping[str, ArrayLike],
    metrics: Sequence[AnyMetric],
    *,
    by: ArrayLike | None = None,
    method: IntervalMethod | Mapping[str, IntervalMethod] = "bootstrap",
    threshold: float | None = None,
    pos_label: object = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int | None = None,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> MetricTable:
    """Metrics with intervals, of all rows and of each group of them, and the largest gap between groups.

    Parameters
    ----------
    y_true : array-like of shape (n,)
    predictions : array-like, or mapping of str to array-like
        Of one system, or of several by their names.
    metrics : sequence of str, CurveStatistic or callable
        As in `metric_interval`.
    by : array-like of shape (n,), optional
        The column whose values split the rows.
    method : str, or mapping of names of metrics to str, default="bootstrap"
        As in `metric_interval`.
    threshold, pos_label, groups, sample_weight, level, n_resamples, n_jobs, random_state
        As in `metric_interval`.

    Returns
    -------
    MetricTable
        A metric that a group has no value of, such as the AUC of rows of one class, is nan there, with a warning.

    References
    ----------
    Hardt, M., Price, E. & Srebro, N. (2016). Equality of opportunity in supervised learning. arXiv:1610.02413.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.evaluation import metric_table
    >>> rng = np.random.default_rng(0)
    >>> y, region = rng.random(600) < 0.5, np.repeat(["north", "south"], 300)
    >>> score = rng.normal(np.where(region == "north", 2.0, 1.0) * y, 1.0)
    >>> table = metric_table(y, score, ["roc_auc"], by=region, random_state=0)
    >>> gap = table.gaps["", "roc_auc"]
    >>> gap.highest, gap.lowest, gap.difference.low > 0
    ('north', 'south', True)
    """
    names = [metric_name(metric) for metric in metrics]
    if isinstance(metrics, str) or not names or len(set(names)) < len(names):
        raise ValueError(f"metrics={names} must be a list of metrics of different names; give at least one")
    normal_quantile(level)
    systems = predictions if isinstance(predictions, Mapping) else {"": predictions}
    methods = method if isinstance(method, Mapping) else dict.fromkeys(names, method)
    if lacking := sorted(set(names) ^ set(methods)):
        raise ValueError(f"method and metrics differ in {lacking}; give a method for each metric")
    count = resample_count(methods.values(), n_resamples, random_state)
    whole = {
        name: read_metric_rows(y_true, prediction, sample_weight, groups, pos_label, threshold)
        for name, prediction in systems.items()
    }
    parts = _split(by, np.shape(y_true)[0], sample_weight)
    options = (count, n_jobs, spawn_seeds(random_state, 1)[0])
    cells, gaps = {}, {}
    for (system, rows), (metric, name) in product(whole.items(), zip(metrics, names, strict=True)):
        for group, part in parts.items():
            cells[system, group, name] = _cell(metric, rows, part, (methods[name], level, *options), (system, group))
        if len(parts) > 2:
            found = {group: cells[system, group, name] for group in list(parts)[1:]}
            gaps[system, name] = _gap(metric, rows, parts, found, (methods[name], level, *options))
    sizes = {group: float(np.sum(rows.weights[part])) for group, part in parts.items()}
    return MetricTable(cells, sizes, gaps)


def _split(by: ArrayLike | None, n: int, sample_weight: ArrayLike | None) -> dict[Any, Any]:
    """The rows of positive weight of each group, as places among them."""
    column = np.zeros(n) if by is None else np.asarray(by)
    if column.shape != (n,):
        raise ValueError(f"by has shape {column.shape}; give one value for each of {n} rows")
    if column.dtype.kind == "f" and np.any(np.isnan(column)):
        raise ValueError(f"by contains NaN in {np.sum(np.isnan(column))} rows; give these rows a group of their own")
    kept = column if sample_weight is None else column[np.asarray(sample_weight) > 0.0]
    parts: dict[Any, Any] = {ALL: slice(None)}
    if by is None:
        return parts
    labels, index = np.unique(kept, return_inverse=True)
    parts |= {label: np.flatnonzero(index == k) for k, label in enumerate(labels.tolist())}
    if len(parts) == len(labels):
        raise ValueError(f"by has the value {ALL!r}, which stands for all rows; rename that group")
    return parts


def _cell(metric: AnyMetric, rows: MetricRows, part: Any, how: tuple[Any, ...], where: tuple[str, Any]) -> Estimate:
    if isinstance(part, slice):
        return interval_of(metric, rows, *how)
    try:
        return interval_of(metric, rows.taken(part)._replace(whole=rows), *how)
    except ValueError as error:
        warnings.warn(f"{metric_name(metric)} of the group {where[1]!r} is nan: {error}", stacklevel=3)
        return Estimate(np.nan, np.nan, np.nan, np.nan, how[1])


def _gap(
    metric: AnyMetric, rows: MetricRows, parts: dict[Any, Any], found: dict[Any, Estimate], how: tuple[Any, ...]
) -> Gap:
    known = {group: cell for group, cell in found.items() if not np.isnan(cell.value)}
    method, level, *rest = how
    if len(known) < 2:
        return Gap(Estimate(np.nan, np.nan, np.nan, np.nan, level), None, None)
    highest = max(known, key=lambda group: known[group].value)
    lowest = min(known, key=lambda group: known[group].value)
    each = 1.0 - (1.0 - level) / comb(len(known), 2)
    v, u = (
        interval_of(metric, rows.taken(parts[group])._replace(whole=rows), method, each, *rest)
        for group in (highest, lowest)
    )
    d = v.value - u.value
    down, up = np.hypot(v.value - v.low, u.high - u.value), np.hypot(v.high - v.value, u.value - u.low)
    error = float(np.hypot(v.standard_error, u.standard_error))
    return Gap(Estimate(d, error, float(d - down), float(d + up), level), highest, lowest)
