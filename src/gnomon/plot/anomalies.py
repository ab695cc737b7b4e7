"""Anomaly detection: the contour of a density, the choice of its level, and the rows that decide it.

    x is flagged  ⇔  p(x) ≤ ε,        ε* = argmax_ε Fβ(ε) on validation rows                             (1)

Bishop (1994), doi:10.1049/ip-vis:19941330; Hyndman (1996), Computing and graphing highest density regions,
doi:10.1080/00031305.1996.10473566; Fawcett (2006), doi:10.1016/j.patrec.2005.10.010.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from sklearn.base import BaseEstimator

from gnomon._typing import ArrayLike
from gnomon.anomaly import AnomalySplit, ThresholdChoice
from gnomon.plot._style import (
    ACCENT,
    COLORS,
    INK,
    MUTED,
    SECOND,
    SEQUENTIAL,
    GivenAxes,
    axis_names,
    dress,
    new_axes,
    new_panels,
    scatter_rows,
    window,
)
from gnomon.plot.boundary import grid_over, two_columns

__all__ = ["anomaly_contours", "nested_contours", "split_diagram", "threshold_choice"]

_DEEPEST = 12.0
"""Log-densities more than this below the greatest, and below every level, are drawn alike."""


def anomaly_contours(
    detectors: Mapping[str, BaseEstimator],
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    resolution: int = 200,
    ax: GivenAxes = None,
) -> dict[str, Axes]:
    """Detectors of two features side by side: log-density, its level ε, and the rows that are flagged.

    Parameters
    ----------
    detectors : dict of str to fitted detector
        By title, with `score_samples`, `predict` and `offset_`: for instance the normal law with diagonal and with full
        covariance.
    X : array of shape (n, 2)
    y : array of shape (n,), optional
        1 for rows known to be anomalous, drawn as triangles, 0 for good ones.
    resolution : int, default=200
    ax : array or dict of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        The flagged rows are the collection labelled "flagged", the level is the second collection.

    References
    ----------
    Bishop, C. M. (1994). Novelty detection and neural network validation. doi:10.1049/ip-vis:19941330

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.anomaly import GaussianDetector
    >>> X = np.random.default_rng(0).standard_normal((100, 2))
    >>> panels = plot.anomaly_contours({"full": GaussianDetector().fit(X)}, X)
    >>> [c.get_label() for c in panels["full"].collections if not c.get_label().startswith("_")]
    ['good', 'flagged']
    """
    rows = two_columns(X)
    bad = np.zeros(len(rows), dtype=bool) if y is None else np.asarray(y).astype(bool)
    panels = new_panels(ax, detectors, columns=3, width=4.0, height=3.8, sharex=True, sharey=True)
    for title, axes in panels.items():
        detector = detectors[title]
        _log_density(axes, detector, X, [float(detector.offset_)], resolution)
        axes.plot([], [], color=INK, linewidth=1.8, label="$p(x) = \\varepsilon$")
        scatter_rows(axes, rows[~bad], s=13, color=INK, alpha=0.55, linewidth=0, zorder=3, label="good")
        if bad.any():
            scatter_rows(
                axes, rows[bad], s=34, color=SECOND, marker="^", edgecolor="white", zorder=4, label="anomalous"
            )
        out = np.asarray(detector.predict(X)) == -1
        ring: dict[str, Any] = {"facecolor": "none", "edgecolor": SECOND, "linewidth": 1.4}
        scatter_rows(axes, rows[out], s=90, zorder=5, label="flagged", **ring)
        dress(axes, x=axis_names(X)[0], y=axis_names(X)[1], title=title, grid=None)
    first, *others = panels.values()
    first.legend(loc="best", fontsize=9, labelcolor=INK, framealpha=0.8, edgecolor="none")
    for axes in others:
        axes.set_ylabel("")
    return panels


def nested_contours(
    model: BaseEstimator, X: ArrayLike, levels: Mapping[str, float], *, resolution: int = 200, ax: Axes | None = None
) -> Axes:
    """Several levels of one density: each region holds the next.

    Parameters
    ----------
    model : fitted density or detector
        With `score_samples`.
    X : array of shape (n, 2)
    levels : dict of str to float
        log ε by label, such as the share of probability inside: ``{"50 %": -2.5, "95 %": -4.8}``.
    resolution : int, default=200
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The labels of the contours are its texts.

    References
    ----------
    Hyndman, R. J. (1996). Computing and graphing highest density regions. doi:10.1080/00031305.1996.10473566

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.generative import GaussianMixture
    >>> X = np.random.default_rng(0).standard_normal((100, 2))
    >>> ax = plot.nested_contours(GaussianMixture().fit(X), X, {"95 %": -4.8, "50 %": -2.5})
    >>> sorted(text.get_text() for text in ax.texts)
    ['50 %', '95 %']
    """
    rows = two_columns(X)
    ax = new_axes(ax, width=4.8, height=4.2)
    ordered = dict(sorted(levels.items(), key=lambda item: item[1]))
    drawn = _log_density(ax, model, X, list(ordered.values()), resolution)
    names = ax.clabel(drawn, fmt=dict(zip(drawn.levels, ordered, strict=True)), fontsize=9.5, inline=False, zorder=6)
    for name in names:
        name.set(bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.2, "alpha": 0.9}, rotation=0.0)
    scatter_rows(ax, rows, s=12, color=INK, alpha=0.5, linewidth=0, zorder=3, label="rows")
    return dress(ax, x=axis_names(X)[0], y=axis_names(X)[1], grid=None)


def threshold_choice(choice: ThresholdChoice, *, metric: str = "$F_1$", ax: GivenAxes = None) -> dict[str, Axes]:
    """The metric over log ε with the chosen point, and that point on the precision-recall and ROC curves.

    Parameters
    ----------
    choice : ThresholdChoice
        What `gnomon.anomaly.select_threshold` returns.
    metric : str, default="$F_1$"
        Its name.
    ax : three matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "metric", "precision-recall" and "ROC"; in each the last line is the chosen point.

    References
    ----------
    Fawcett, T. (2006). An introduction to ROC analysis. doi:10.1016/j.patrec.2005.10.010

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.anomaly import select_threshold
    >>> panels = plot.threshold_choice(select_threshold([-1.0, -2.0, -3.0, -9.0], [0, 0, 1, 1]))
    >>> [float(v) for v in panels["metric"].lines[-1].get_xydata()[0]]
    [-3.0, 1.0]
    """
    t, values, curve = np.asarray(choice.thresholds), np.asarray(choice.values), choice.curve
    best = int(np.argmax(values))
    panels = new_panels(ax, ["metric", "precision-recall", "ROC"], width=3.5, height=3.2)
    finite = np.isfinite(t)
    panels["metric"].step(t[finite], values[finite], where="post", color=ACCENT, linewidth=1.8)
    panels["metric"].axvline(choice.threshold, color=MUTED, linestyle=":", linewidth=1.3)
    _chosen(panels["metric"], choice.threshold, choice.value)
    dress(panels["metric"], x="$\\log\\, \\varepsilon$", y=metric, title=f"{metric} = {choice.value:.3f}")
    recall, fpr = ("recall", curve.recall), ("false positive rate", curve.fpr)
    pr = (recall, ("precision", curve.precision), curve.average_precision, "steps-pre")
    roc = (fpr, ("true positive rate", curve.tpr), curve.roc_auc, "default")
    for axes, ((x_name, x), (y_name, y), area, style) in zip(list(panels.values())[1:], (pr, roc), strict=True):
        axes.plot(x, y, color=ACCENT, linewidth=1.8, drawstyle=style)
        _chosen(axes, x[best], y[best])
        axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.05))
        dress(axes, x=x_name, y=y_name, title=f"area {area:.3f}")
    panels["ROC"].legend(loc="lower right", fontsize=9, frameon=False)
    return panels


def split_diagram(y: ArrayLike, parts: Mapping[str, ArrayLike] | AnomalySplit, *, ax: Axes | None = None) -> Axes:
    """How many good and bad rows went to training, validation and test.

    Parameters
    ----------
    y : array of shape (n,)
        1 for anomalous, 0 for good.
    parts : dict of str to array of int, or named tuple of arrays
        Row numbers by name, such as what `gnomon.anomaly.anomaly_split` returns.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The width of a box is the share of the good rows, and of the bad rows, that it holds; the counts are its texts.

    References
    ----------
    Chandola, V., Banerjee, A. & Kumar, V. (2009). Anomaly detection: a survey. doi:10.1145/1541880.1541882

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.anomaly import anomaly_split
    >>> y = np.repeat([0, 1], [10_000, 20])
    >>> ax = plot.split_diagram(y, anomaly_split(y, random_state=0))
    >>> [text.get_text() for text in ax.texts]
    ['6 000', '2 000', '2 000', '10', '10']
    """
    bad = np.asarray(y).astype(bool)
    parts = parts._asdict() if isinstance(parts, tuple) else parts
    ax = new_axes(ax, width=6.6, height=2.5)
    for row, kind in enumerate((~bad, bad)):
        counts = {name: int(np.sum(kind[np.asarray(index)])) for name, index in parts.items()}
        shares = np.array(list(counts.values())) / max(int(np.sum(kind)), 1)
        starts = np.cumsum(shares) - shares
        for k, (name, count) in enumerate(counts.items()):
            if count:
                text = f"{count:,}".replace(",", " ")
                _box(ax, (starts[k], 1.0 - row), shares[k], text, COLORS[k % len(COLORS)], "_box" if row else name)
    ax.set(xlim=(0.0, 1.0), ylim=(-0.5, 1.5), xticks=[0.0, 0.25, 0.5, 0.75, 1.0], yticks=[1.0, 0.0])
    ax.set_xticklabels(["0 %", "25 %", "50 %", "75 %", "100 %"])
    ax.set_yticklabels(["good", "bad"])
    dress(ax, x="share of the rows of the kind", y="rows", legend="outside", grid=None)
    return ax


def _log_density(ax, model, X, levels, resolution):
    """Shades of the log-density, and its contours at ascending levels, which are returned."""
    A, B, points = grid_over(X, resolution, margin=0.2)
    z = np.asarray(model.score_samples(points), dtype=float).reshape(A.shape)
    top = float(np.max(z))
    low = min(top - _DEEPEST, *levels)
    shades = np.linspace(low, top + 1e-9, 10)
    ax.contourf(A, B, np.maximum(z, low), levels=shades, cmap=SEQUENTIAL, alpha=0.55)
    style: dict[str, Any] = {"colors": [INK], "linewidths": 1.8, "linestyles": "-", "zorder": 3.5}
    # Far from the data the density underflows to zero, and −∞ cannot be interpolated.
    drawn = ax.contour(A, B, np.maximum(z, low - _DEEPEST), levels=levels, **style)
    low, high = window(two_columns(X), margin=0.2)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    return drawn


def _chosen(ax: Axes, x: float, y: float) -> None:
    ax.plot([x], [y], "o", color=SECOND, markersize=8, markeredgecolor="white", label="chosen", zorder=4)


def _box(ax: Axes, start: tuple[float, float], width: float, text: str, color: str, name: str) -> None:
    """A box from `start`, a place and a row, with a text in it."""
    left, middle = start
    style: dict[str, Any] = {"facecolor": color, "edgecolor": "white", "linewidth": 2.0, "label": name}
    ax.add_patch(Rectangle((left, middle - 0.32), width, 0.64, **style))
    ax.text(left + 0.5 * width, middle, text, ha="center", va="center", color="white", fontsize=10, weight="bold")
