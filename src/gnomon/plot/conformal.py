"""Intervals and sets with a guarantee: how they look, whether they cover, and how large they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from gnomon._typing import ArrayLike
from gnomon.decision import CoverageCurve, PredictionIntervals, PredictionSets
from gnomon.plot._style import ACCENT, INK, MUTED, SECOND, GivenAxes, dress, new_axes, new_panels, styles

__all__ = ["coverage_curves", "prediction_intervals", "set_sizes"]


def prediction_intervals(
    intervals: PredictionIntervals, y: ArrayLike, prediction: ArrayLike | None = None, *, ax: Axes | None = None
) -> Axes:
    """Intervals in the order of the predictions, with the truth: rows that are missed stand out.

    Parameters
    ----------
    intervals : PredictionIntervals
    y : array-like of shape (m,)
    prediction : array-like of shape (m,), optional
        The middle of each interval by default.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.decision import PredictionIntervals
    >>> intervals = PredictionIntervals(np.array([2.0, 0.0]), np.array([4.0, 2.0]))
    >>> plot.prediction_intervals(intervals, [3.5, 7.0]).get_title(loc="left")
    '1 of 2 rows covered (50 %)'
    """
    y, hit = np.asarray(y, dtype=float), intervals.covers(y)
    middle = 0.5 * (intervals.low + intervals.high) if prediction is None else np.asarray(prediction, dtype=float)
    order = np.argsort(middle, kind="stable")
    place = np.empty(len(y))
    place[order] = np.arange(1, len(y) + 1)
    ax = new_axes(ax, width=7.0)
    ax.vlines(place, intervals.low, intervals.high, color=MUTED, alpha=0.45, linewidth=max(0.6, 300.0 / len(y) / 4))
    ax.plot(place[order], middle[order], color=INK, linewidth=1.2, label="prediction")
    ax.scatter(place[hit], y[hit], s=12, color=ACCENT, zorder=3, label="covered")
    ax.scatter(place[~hit], y[~hit], s=22, color=SECOND, marker="X", zorder=4, label="missed")
    title = f"{int(np.sum(hit))} of {len(y)} rows covered ({100 * np.mean(hit):.3g} %)"
    return dress(ax, x="rows, by their prediction", y="target", title=title, legend="upper left")


def coverage_curves(
    curves: CoverageCurve | Mapping[str, CoverageCurve], *, size: str = "mean size of a set", ax: GivenAxes = None
) -> dict[str, Axes]:
    """Coverage that was reached beside coverage that was asked for, and what it costs in size.

    Parameters
    ----------
    curves : CoverageCurve, or dict of them by name
        What `coverage_curve` of a conformal estimator returns.
    size : str, default="mean size of a set"
        What the second axis is called.
    ax : array or dict of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        With the keys "coverage" and "size".

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.decision import CoverageCurve
    >>> half = np.array([0.5])
    >>> panels = plot.coverage_curves(CoverageCurve(half, half, half - 0.1, half + 0.1, 2 * half))
    >>> list(panels)
    ['coverage', 'size']
    """
    named = {"": curves} if isinstance(curves, CoverageCurve) else dict(curves)
    panels = new_panels(ax, ["coverage", "size"], width=4.4, height=3.6)
    ends = [min(curve.asked[0] for curve in named.values()), max(curve.asked[-1] for curve in named.values())]
    panels["coverage"].plot(ends, ends, color=MUTED, linewidth=1.0, linestyle=":", label="as asked")
    for (name, curve), (color, dash) in zip(named.items(), styles(len(named)), strict=True):
        errors = np.maximum([curve.reached - curve.low, curve.high - curve.reached], 0.0)
        look: dict[str, Any] = {"color": color, "linestyle": dash, "label": name or "reached", "linewidth": 1.6}
        panels["coverage"].errorbar(curve.asked, curve.reached, yerr=errors, capsize=2.5, marker="o", ms=3.5, **look)
        panels["size"].plot(curve.reached, curve.size, marker="o", ms=3.5, **look)
    dress(panels["coverage"], x="coverage asked for", y="coverage reached (95 % interval)", legend="upper left")
    dress(panels["size"], x="coverage reached", y=size, legend="upper left" if len(named) > 1 else None)
    return panels


def set_sizes(sets: PredictionSets, y: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """How many rows get a set of each size, and how many of these sets hold the truth.

    Parameters
    ----------
    sets : PredictionSets
    y : array-like of shape (m,)
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.decision import PredictionSets
    >>> sets = PredictionSets(np.array([[True, True], [False, True], [False, True]]), np.array(["no", "yes"]))
    >>> plot.set_sizes(sets, ["no", "no", "yes"]).get_title(loc="left")
    'mean size 1.33, 2 of 3 rows covered (66.7 %)'
    """
    hit, most = sets.covers(y), len(sets.classes)
    covered, missed = (np.bincount(sets.size[some], minlength=most + 1) / len(hit) for some in (hit, ~hit))
    ax, sizes = new_axes(ax), np.arange(most + 1)
    ax.bar(sizes, covered, color=ACCENT, width=0.7, label="the truth is in the set")
    ax.bar(sizes, missed, bottom=covered, color=SECOND, width=0.7, hatch="//", edgecolor="white", label="it is not")
    for size, (inside, outside) in enumerate(zip(covered, missed, strict=True)):
        if inside + outside > 0.0:
            share = f"{100 * inside / (inside + outside):.3g} %"
            ax.annotate(share, (size, inside + outside), xytext=(0, 3), textcoords="offset points", ha="center",
                        fontsize=8.5, color=INK)  # fmt: skip
    ax.set_xticks(sizes)
    ax.margins(y=0.12)
    rows = f"{int(np.sum(hit))} of {len(hit)} rows covered ({100 * np.mean(hit):.3g} %)"
    title = f"mean size {np.mean(sets.size):.3g}, {rows}"
    return dress(ax, x="classes in the set", y="share of rows", title=title, legend="upper right", grid="y")
