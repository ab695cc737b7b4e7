"""Pictures of decisions: confusion matrices, error rates over a threshold, reliability, costs.

    N[k, a],    FPR(t) and FNR(t),    m(t),    ō against p̄,    NE(x) = FNR x + FPR (1 − x)                     (1)

Fawcett (2006), doi:10.1016/j.patrec.2005.10.010; Drummond & Holte (2006), doi:10.1007/s10994-006-8199-5.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from gnomon._typing import ArrayLike
from gnomon.evaluation import (
    ConfusionMatrix,
    CostEnvelope,
    CurveMetric,
    Reliability,
    curve_metric,
    eer,
    error_curves,
    score_curve,
)
from gnomon.plot._style import INK, MUTED, SEQUENTIAL, dress, new_axes, new_panels, styles

__all__ = ["confusion_table", "cost_curves", "error_rates", "metric_over_threshold", "reliability_diagram"]

WIDE: dict[str, Any] = {"linewidth": 1.7}
PARTS = (("TN", "FP"), ("FN", "TP"))


def confusion_table(matrix: ConfusionMatrix, *, intervals: bool = True, ax: Axes | None = None) -> Axes:
    """A confusion matrix as a heat map: the count in each cell, its share of the true class, and the share's interval.

    Parameters
    ----------
    matrix : gnomon.evaluation.ConfusionMatrix
        In either layout; the axes say which. Two classes are also marked TN, FP, FN, TP.
    intervals : bool, default=True
        Whether to print Wilson's 95 % intervals of the shares.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.evaluation import confusion_matrix
    >>> ax = plot.confusion_table(confusion_matrix([0, 0, 1, 1], [0, 1, 1, 1]))
    >>> ax.get_ylabel(), ax.get_xlabel(), len(ax.texts)
    ('true', 'predicted', 4)
    """
    share = matrix.counts / np.maximum(matrix.true_totals, 1e-300)[:, None]
    shared = matrix._replace(normalize="true")
    low, high = (end if matrix.rows == "true" else end.T for end in shared.interval())
    flip = matrix.rows == "predicted"
    down, across = (matrix.actions, matrix.classes) if flip else (matrix.classes, matrix.actions)
    ax = new_axes(ax, width=1.6 + 1.25 * len(across), height=1.4 + 0.9 * len(down))
    ax.imshow(share.T if flip else share, cmap=SEQUENTIAL, vmin=0.0, vmax=1.0, aspect="auto")
    for (k, a), count in np.ndenumerate(matrix.counts):
        lines = [f"{PARTS[k][a]}  {count:g}" if matrix.counts.shape == (2, 2) else f"{count:g}", f"{share[k, a]:.1%}"]
        if intervals:
            lines.append(f"{100 * low[k, a]:.0f}–{100 * high[k, a]:.0f} %")
        x, y = (k, a) if flip else (a, k)
        color = "white" if share[k, a] > 0.75 else INK
        ax.text(x, y, "\n".join(lines), ha="center", va="center", color=color, fontsize=9)
    ax.set_xticks(range(len(across)), [str(name) for name in across])
    ax.set_yticks(range(len(down)), [str(name) for name in down])
    dress(ax, x=matrix.axes[1], y=matrix.axes[0], title="rows, share of the true class", grid=None)
    ax.tick_params(length=0)
    ax.spines[["left", "bottom"]].set_visible(False)
    return ax


def error_rates(
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    points: Mapping[str, float] | None = None,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Misses and false alarms over the threshold, with the equal error rate and working points.

    Parameters
    ----------
    y_true, scores : array-like of shape (n,)
    points : mapping of str to float, optional
        Thresholds to mark, by name.
    pos_label, sample_weight
        As in `gnomon.evaluation.error_curves`.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.error_rates([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], points={"ours": 0.3})
    >>> [line.get_label() for line in ax.lines[:2]]
    ['false negative rate', 'false positive rate']
    """
    curves = error_curves(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
    equal = eer(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
    ax = new_axes(ax)
    finite = curves.thresholds[np.isfinite(curves.thresholds)]
    low, high = float(np.min(finite)), float(np.max(finite))
    pad = 0.04 * (high - low) or 0.5
    t = np.clip(curves.thresholds, low - pad, high + pad)
    t, fnr, fpr = np.append(t, high + pad), np.append(curves.fnr, 1.0), np.append(curves.fpr, 0.0)
    for (color, dash), (name, rate) in zip(
        styles(2), (("false negative rate", fnr), ("false positive rate", fpr)), strict=True
    ):
        ax.plot(t, rate, drawstyle="steps-post", color=color, linestyle=dash, label=name, **WIDE)
    at = float(np.clip(equal.threshold, low - pad, high + pad))
    ax.plot(at, equal.value, "o", color=INK, markersize=6, label=f"EER {equal.value:.3f}")
    for name, threshold in (points or {}).items():
        ax.axvline(threshold, color=MUTED, linewidth=1.0, linestyle=(0, (4, 3)))
        ax.annotate(name, (threshold, 1.0), xytext=(3, -3), textcoords="offset points", va="top", fontsize=9, color=INK)
    ax.set_xlim(low - pad, high + pad)
    return dress(ax, x="threshold", y="error rate", legend="best")


def metric_over_threshold(
    y_true: ArrayLike,
    scores: ArrayLike,
    metric: CurveMetric | Mapping[str, CurveMetric] = "f_beta",
    *,
    beta: float = 1.0,
    minimize: bool = False,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """A metric at every threshold, with its optimum.

    Parameters
    ----------
    y_true, scores : array-like of shape (n,)
    metric : str, callable, or mapping of names to them, default="f_beta"
        As `maximize` of `gnomon.evaluation.operating_point`.
    beta : float, default=1.0
        Of "f_beta".
    minimize : bool, default=False
        Whether the optimum is the least value, as of a cost.
    pos_label, sample_weight
        As in `gnomon.evaluation.score_curve`.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from gnomon import plot
    >>> cost = {"5 FN + FP": lambda curve: 5 * curve.fn + curve.fp}
    >>> ax = plot.metric_over_threshold([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], cost, minimize=True)
    >>> float(ax.lines[-1].get_xdata()[0])
    0.1
    """
    curve = score_curve(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
    several: Any = metric if isinstance(metric, Mapping) else {_name(metric, beta): metric}
    ax = new_axes(ax)
    finite = curve.thresholds[np.isfinite(curve.thresholds)]
    low, high = float(np.min(finite)), float(np.max(finite))
    pad = 0.04 * (high - low) or 0.5
    t = np.clip(curve.strict_thresholds, low - pad, high + pad)
    best: Any = np.nanargmin if minimize else np.nanargmax
    for (name, one), (color, dash) in zip(several.items(), styles(len(several)), strict=True):
        values = curve_metric(curve, one, beta)
        place = int(best(values))
        label = f"{name}: {values[place]:.3g} at {t[place]:.3g}"
        ax.plot(
            np.append(t[::-1], high + pad), np.append(values[::-1], values[0]), drawstyle="steps-post", color=color,
            linestyle=dash, label=label, **WIDE,
        )  # fmt: skip
        ax.plot(t[place], values[place], "o", color=color, markersize=6)
    return dress(ax, x="threshold (positive above)", y=next(iter(several)) if len(several) == 1 else "metric",
                 legend="best")  # fmt: skip


def _name(metric: Any, beta: float) -> str:
    if metric == "f_beta":
        return f"F{beta:g}"
    return metric if isinstance(metric, str) else "metric"


def reliability_diagram(
    bins: Reliability | Mapping[str, Reliability], *, histogram: bool = True, ax: Any = None
) -> Axes:
    """Observed frequencies with their intervals against predicted probabilities; the diagonal is calibration.

    Parameters
    ----------
    bins : gnomon.evaluation.Reliability, or mapping of names to them
        Where the true probabilities are known, they are drawn too.
    histogram : bool, default=True
        Whether the rows of each bin are counted in a strip below.
    ax : matplotlib Axes, or two of them with a histogram, optional

    Returns
    -------
    matplotlib Axes
        Of the diagram.

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.evaluation import reliability
    >>> ax = plot.reliability_diagram(reliability([0, 0, 1, 1], [0.1, 0.3, 0.4, 0.9], n_bins=2))
    >>> ax.get_xlabel(), len(ax.figure.axes)
    ('predicted probability', 2)
    """
    several = bins if isinstance(bins, Mapping) else {"": bins}
    names = ["diagram", "rows"] if histogram else ["diagram"]
    given = [ax] if ax is not None and not histogram else ax
    panels = new_panels(given, names, columns=1, width=4.8, height=5.4 / len(names), sharex=True,
                        **({"height_ratios": [4, 1]} if histogram else {}))  # fmt: skip
    top = panels["diagram"]
    top.plot([0, 1], [0, 1], color=MUTED, linewidth=1.0, linestyle=(0, (4, 3)), label="calibrated")
    shift = np.linspace(-0.004, 0.004, len(several)) * (len(several) > 1)
    for (name, one), (color, dash), step in zip(several.items(), styles(len(several)), shift, strict=True):
        error = [one.observed - one.low, one.high - one.observed]
        label = name or f"observed, {100 * one.level:g} % intervals"
        top.errorbar(one.predicted + step, one.observed, yerr=error, color=color, linestyle=dash, marker="o",
                     markersize=4.5, capsize=2.5, elinewidth=1.0, label=label, linewidth=1.4)  # fmt: skip
        if one.truth is not None:
            top.plot(one.predicted, one.truth, "_", color=INK, markersize=11, markeredgewidth=2, label="true")
        if histogram:
            panels["rows"].plot(one.predicted, one.counts, color=color, linestyle=dash, marker="o", markersize=3)
    top.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    dress(top, x="" if histogram else "predicted probability", y="observed frequency", legend="upper left")
    if histogram:
        panels["rows"].set_ylim(bottom=0.0)
        dress(panels["rows"], x="predicted probability", y="rows")
        top.set_xlabel("predicted probability")
        top.xaxis.label.set_visible(False)
    return top


def cost_curves(
    curves: CostEnvelope | Mapping[str, CostEnvelope], *, lines: bool = True, ax: Axes | None = None
) -> Axes:
    """The least normalised cost at every operating condition, below the two constant decisions.

    Parameters
    ----------
    curves : gnomon.evaluation.CostEnvelope, or mapping of names to them
    lines : bool, default=True
        Whether to draw, for a single curve, the line of each threshold on its envelope.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.evaluation import cost_curve
    >>> ax = plot.cost_curves(cost_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    >>> ax.get_ylabel()
    'normalised expected cost'
    """
    several = curves if isinstance(curves, Mapping) else {"": curves}
    ax = new_axes(ax)
    if lines and len(several) == 1:
        (one,) = several.values()
        for fpr, fnr in zip(one.fpr[1:-1], one.fnr[1:-1], strict=True):
            ax.plot([0, 1], [fpr, fnr], color=MUTED, linewidth=0.6, alpha=0.6)
    ax.plot([0, 0.5, 1], [0, 0.5, 0], color=MUTED, linestyle=(0, (4, 3)), linewidth=1.2, label="best constant decision")
    for (name, one), (color, dash) in zip(several.items(), styles(len(several)), strict=True):
        label = f"{name or 'best threshold'}, mean {one.area:.3f}"
        ax.plot(one.x, one.cost, color=color, linestyle=dash, label=label, **WIDE)
    ax.set(xlim=(0, 1), ylim=(0, 0.55))
    return dress(ax, x=r"$\pi c_{fn}\,/\,(\pi c_{fn} + (1-\pi) c_{fp})$", y="normalised expected cost", legend="best")
