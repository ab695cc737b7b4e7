"""ROC, precision-recall and DET curves.

    (FPR(t), TPR(t)),    (recall(t), precision(t)),    (Φ⁻¹ FPR(t), Φ⁻¹ FNR(t))                                   (1)

Between two thresholds ROC curves are straight and precision-recall curves bent: FP is linear in TP. Fawcett (2006),
doi:10.1016/j.patrec.2005.10.010; Davis & Goadrich (2006), doi:10.1145/1143844.1143874; Martin et al. (1997), The DET
curve in assessment of detection task performance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from matplotlib.axes import Axes
from scipy.special import ndtr, ndtri

from gnomon._typing import ArrayLike, Floats
from gnomon.evaluation import CostRatioCurve, CurveBand
from gnomon.numerics.curves import ThresholdCurve
from gnomon.plot._style import INK, MUTED, GivenAxes, dress, new_axes, new_panels, styles

__all__ = ["det_curves", "precision_recall_curves", "roc_and_precision_recall", "roc_curves"]

Curves: TypeAlias = ThresholdCurve | Mapping[str, ThresholdCurve]
Bands: TypeAlias = CurveBand | Mapping[str, CurveBand] | None

TICKS = (0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8)


def roc_curves(
    curves: Curves,
    *,
    bands: Bands = None,
    hull: bool = True,
    refits: CostRatioCurve | None = None,
    ax: Axes | None = None,
) -> Axes:
    """ROC curves with the random diagonal, hulls, bands, and the area below a single one.

    Parameters
    ----------
    curves : ThresholdCurve, or mapping of names to them
        From `gnomon.evaluation.score_curve`.
    bands : CurveBand, or mapping of the same names to them, optional
        From ``gnomon.evaluation.curve_band(..., space="roc")``.
    hull : bool, default=True
        Whether to draw convex hulls.
    refits : CostRatioCurve, optional
        Points of models that were fitted anew for other costs.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.evaluation import score_curve
    >>> ax = plot.roc_curves(score_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('false positive rate', 'true positive rate')
    """
    several = _named(curves)
    ax = new_axes(ax, width=4.6, height=4.4)
    ax.plot([0, 1], [0, 1], color=MUTED, linewidth=1.0, linestyle=(0, (4, 3)), label="random")
    for (name, curve), (color, dash) in zip(several.items(), styles(len(several)), strict=True):
        if not _draw_band(ax, bands, name, color, "roc") and len(several) == 1:
            ax.fill_between(curve.fpr, curve.tpr, color=color, alpha=0.1, linewidth=0)
        label = f"{name + ', ' if name else ''}area {curve.roc_auc:.3f}"
        ax.plot(curve.fpr, curve.tpr, color=color, linestyle=dash, linewidth=1.7, label=label)
        if hull:
            corners = curve.hull()
            ax.plot(corners.fpr, corners.tpr, color=color, linewidth=0.8, alpha=0.8,
                    label="hull" if len(several) == 1 else None)  # fmt: skip
    if refits is not None:
        ax.plot(refits.fpr, refits.tpr, "D", color=INK, markersize=4.5, label="refits with other costs")
    _unit_square(ax)
    return dress(ax, x="false positive rate", y="true positive rate", legend="lower right")


def precision_recall_curves(
    curves: Curves, *, bands: Bands = None, iso_f: Sequence[float] = (0.2, 0.4, 0.6, 0.8), ax: Axes | None = None
) -> Axes:
    """Precision-recall curves, bent between thresholds as they are, with the random level and lines of equal F₁.

    Parameters
    ----------
    curves : ThresholdCurve, or mapping of names to them
        From `gnomon.evaluation.score_curve`.
    bands : CurveBand, or mapping of the same names to them, optional
        From ``gnomon.evaluation.curve_band(..., space="pr")``.
    iso_f : sequence of float, default=(0.2, 0.4, 0.6, 0.8)
        Values of F₁ whose lines are drawn.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.evaluation import score_curve
    >>> ax = plot.precision_recall_curves(score_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), iso_f=())
    >>> [line.get_label() for line in ax.lines]
    ['random 0.5', 'average precision 0.833']
    """
    several = _named(curves)
    ax = new_axes(ax, width=4.6, height=4.4)
    for f in iso_f:
        recall = np.linspace(f / (2 - f), 1.0, 100)
        ax.plot(recall, f * recall / (2 * recall - f), color=MUTED, linewidth=0.6, alpha=0.6)
        ax.annotate(f"$F_1$ = {f:g}", (1.03, f / (2 - f)), fontsize=8, color=MUTED, va="center", annotation_clip=False)
    for level in sorted({round(c.positives / (c.positives + c.negatives), 12) for c in several.values()}):
        ax.axhline(level, color=MUTED, linewidth=1.0, linestyle=(0, (4, 3)), label=f"random {level:.3g}")
    for (name, curve), (color, dash) in zip(several.items(), styles(len(several)), strict=True):
        _draw_band(ax, bands, name, color, "pr")
        recall, precision = _bent(curve)
        label = f"{name + ', ' if name else ''}average precision {curve.average_precision:.3f}"
        ax.plot(recall, precision, color=color, linestyle=dash, linewidth=1.7, label=label)
    _unit_square(ax)
    return dress(ax, x="recall", y="precision", legend="best")


def roc_and_precision_recall(curves: Curves, *, ax: GivenAxes = None) -> dict[str, Axes]:
    """The same systems in both planes: one dominates in either or in neither.

    Parameters
    ----------
    curves : ThresholdCurve, or mapping of names to them
        From `gnomon.evaluation.score_curve`.
    ax : two matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "roc" and "pr".

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.evaluation import score_curve
    >>> sorted(plot.roc_and_precision_recall(score_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])))
    ['pr', 'roc']
    """
    panels = new_panels(ax, ["roc", "pr"], width=4.4, height=4.2)
    roc_curves(curves, hull=False, ax=panels["roc"])
    precision_recall_curves(curves, ax=panels["pr"])
    return panels


def det_curves(curves: Curves, *, bands: Bands = None, ax: Axes | None = None) -> Axes:
    """Misses against false alarms on axes of normal quantiles, where normal scores give straight lines.

    Parameters
    ----------
    curves : ThresholdCurve, or mapping of names to them
        From `gnomon.evaluation.score_curve`.
    bands : CurveBand, or mapping of the same names to them, optional
        From ``gnomon.evaluation.curve_band(..., space="det")``.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.evaluation import score_curve
    >>> ax = plot.det_curves(score_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    >>> ax.get_xscale()
    'function'
    """
    several = _named(curves)
    ax = new_axes(ax, width=4.6, height=4.4)
    # Rates of zero and one are infinitely far; they are drawn at the edge.
    edge = 0.4 / max(max(c.positives, c.negatives) for c in several.values())
    low, high = max(edge, 1e-5), 0.9
    for (name, curve), (color, dash) in zip(several.items(), styles(len(several)), strict=True):
        _draw_band(ax, bands, name, color, "det", low)
        fpr, fnr = (np.clip(rate, low / 2, 1 - low / 2) for rate in (curve.fpr, 1.0 - curve.tpr))
        ax.plot(fpr, fnr, color=color, linestyle=dash, linewidth=1.7, drawstyle="default", label=name or None)
    ax.plot([low, high], [low, high], color=MUTED, linewidth=0.8, linestyle=(0, (4, 3)), label="equal error rates")
    for set_scale in (ax.set_xscale, ax.set_yscale):
        set_scale("function", functions=(_probit, _normal))
    ticks = [t for t in TICKS if low <= t <= high]
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(ticks, [f"{100 * t:g}" for t in ticks])
        axis.set_ticks([], minor=True)
    ax.set(xlim=(low, high), ylim=(low, high))
    return dress(ax, x="false positive rate, %", y="false negative rate, %", legend="upper right")


def _probit(x: ArrayLike) -> Floats:
    return ndtri(np.clip(np.asarray(x, dtype=float), 1e-9, 1 - 1e-9))


def _normal(z: ArrayLike) -> Floats:
    return ndtr(np.asarray(z, dtype=float))


def _named(curves: Curves) -> Mapping[str, ThresholdCurve]:
    return curves if isinstance(curves, Mapping) else {"": curves}


def _draw_band(ax: Axes, bands: Bands, name: str, color: str, space: str, least: float = 0.0) -> bool:
    """Shade the band of one system, if there is one."""
    band = bands.get(name) if isinstance(bands, Mapping) else bands
    if band is None:
        return False
    if band.space != space:
        raise ValueError(f"bands are of the space {band.space!r}; this picture needs curve_band(..., space={space!r})")
    low, high = (np.clip(end, least / 2, 1 - least / 2) for end in (band.low, band.high))
    ax.fill_between(band.x, low, high, color=color, alpha=0.18, linewidth=0)
    return True


def _bent(curve: ThresholdCurve) -> tuple[Floats, Floats]:
    """Points of a precision-recall curve: its vertices, and places between them that are far apart."""
    steps = np.where(np.diff(curve.tpr) > 0.002, 12, 1)
    inside = np.arange(np.sum(steps)) - np.repeat(np.cumsum(steps) - steps, steps)
    place = np.append(np.repeat(np.arange(len(steps)), steps) + inside / np.repeat(steps, steps), len(steps))
    tp, fp = (np.interp(place, np.arange(len(curve)), part) for part in (curve.tp, curve.fp))
    kept = tp + fp > 0.0
    recall, precision = tp[kept] / curve.positives, tp[kept] / (tp[kept] + fp[kept])
    return np.append(0.0, recall), np.append(curve.precision_at([0.0]), precision)


def _unit_square(ax: Axes) -> None:
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
