"""Naive Bayes taken apart: counts, posterior, and the evidence of each feature.

    log P(1 | x)/P(0 | x) = log π₁/π₀ + Σ_g [log f_g(x | 1) − log f_g(x | 0)]                            (1)

Good (1950), Probability and the Weighing of Evidence, calls the terms weights of evidence; Kononenko (1993), Inductive
and Bayesian learning in medical diagnosis, doi:10.1080/08839519308949993, reads classifiers by them.
"""

from __future__ import annotations

from collections.abc import Sequence

import narwhals as nw
import numpy as np
from matplotlib.axes import Axes

from gnomon._typing import ArrayLike, Floats
from gnomon.generative import Explanation
from gnomon.plot._style import (
    ACCENT,
    INK,
    MUTED,
    SECOND,
    SEQUENTIAL,
    GivenAxes,
    class_color,
    dress,
    new_axes,
    new_panels,
)

__all__ = ["count_tables", "evidence_waterfall", "posterior_bars"]

_NOTHING = 1e-12


def count_tables(
    X: ArrayLike, y: ArrayLike, *, names: Sequence[str] | None = None, alpha: float | None = None, ax: GivenAxes = None
) -> dict[str, Axes]:
    """How often each value of each feature comes with each class: all that categorical naive Bayes learns.

    Parameters
    ----------
    X : data frame, or array of shape (n, d)
        Categories; gaps (None) are not counted.
    y : array of shape (n,)
    names : sequence of str, optional
        Of the columns, where X is an array.
    alpha : float, optional
        Also write the smoothed share (n + α)/(N + αV) below each count, N being the count of the class.
    ax : array or dict of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        By feature; the counts are the images, classes down and values across.

    References
    ----------
    Quinlan, J. R. (1986). Induction of decision trees. doi:10.1007/BF00116251

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> X = np.array([["sunny"], ["rainy"], ["sunny"]])
    >>> panels = plot.count_tables(X, ["no", "yes", "yes"], names=["outlook"])
    >>> panels["outlook"].images[0].get_array().astype(int).tolist()
    [[0, 1], [1, 1]]
    """
    columns = _columns(X, names)
    classes, index = np.unique(np.asarray(y), return_inverse=True)
    tables = {name: _counted(column, index, len(classes)) for name, column in columns.items()}
    panels = new_panels(ax, tables, columns=4, width=2.9, height=2.0)
    for name, axes in panels.items():
        values, counts = tables[name]
        axes.imshow(counts, cmap=SEQUENTIAL, vmin=0, vmax=1.6 * max(1, counts.max()), aspect="auto")
        shares = None if alpha is None else (counts + alpha) / (counts.sum(axis=1, keepdims=True) + alpha * len(values))
        for (c, v), count in np.ndenumerate(counts):
            text = f"{count}" if shares is None else f"{count}\n{shares[c, v]:.2f}"
            axes.text(v, c, text, ha="center", va="center", color=INK, fontsize=9)
        axes.set_xticks(range(len(values)), values)
        axes.set_yticks(range(len(classes)), [str(label) for label in classes])
        dress(axes, title=name, grid=None)
        axes.tick_params(length=0)
    return panels


def posterior_bars(explanation: Explanation, *, ax: Axes | None = None) -> Axes:
    """Prior and posterior probability of each class for one row.

    Parameters
    ----------
    explanation : Explanation
        What `explain` of a generative classifier returns.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Good, I. J. (1950). Probability and the Weighing of Evidence. Griffin, London.

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.generative import CategoricalNB
    >>> model = CategoricalNB().fit([[0], [0], [1], [1]], ["no", "no", "no", "yes"])
    >>> ax = plot.posterior_bars(model.explain([[1]]))
    >>> [round(float(bar.get_width()), 3) for bar in ax.patches]
    [0.75, 0.25, 0.643, 0.357]
    """
    classes = [str(label) for label in explanation.classes]
    ax, place = new_axes(ax, width=5.0, height=0.7 + 0.6 * len(classes)), np.arange(len(classes))
    colors = [class_color(k, len(classes)) for k in range(len(classes))]
    before = ax.barh(place - 0.2, explanation.prior, height=0.34, color=MUTED, alpha=0.5)
    after = ax.barh(place + 0.2, explanation.posterior, height=0.34, color=colors)
    for bars in (before, after):
        ax.bar_label(bars, fmt="%.3f", padding=3, fontsize=9, color=INK)
    ax.set_yticks(place, classes)
    ax.set_xlim(0.0, 1.12)
    ax.invert_yaxis()
    return dress(ax, x="prior (grey) and posterior probability", y="class", grid="x")


def evidence_waterfall(
    explanation: Explanation, *, positive: int = -1, negative: int = 0, top: int = 12, ax: Axes | None = None
) -> Axes:
    """The log-odds of one row as a sum: the prior, then the evidence of each feature, equation (1).

    Parameters
    ----------
    explanation : Explanation
        What `explain` of a generative classifier returns.
    positive, negative : int, default=-1 and 0
        Positions of two classes among the classes: bars to the right speak for the first of them.
    top : int, default=12
        Features shown, the strongest first; the others are summed up in one bar.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Kononenko, I. (1993). Inductive and Bayesian learning in medical diagnosis. doi:10.1080/08839519308949993

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.generative import CategoricalNB
    >>> model = CategoricalNB().fit([[0], [0], [1], [1]], ["no", "no", "no", "yes"])
    >>> ax = plot.evidence_waterfall(model.explain([[1]]))
    >>> widths = [float(bar.get_width()) for bar in ax.patches]
    >>> bool(np.isclose(sum(widths[:-1]), widths[-1]))
    True
    """
    names, steps = _steps(explanation, positive, negative, top)
    ends = np.cumsum(steps)
    starts = ends - steps
    ax = new_axes(ax, width=6.0, height=1.0 + 0.32 * (len(steps) + 1))
    place = np.arange(len(steps))
    colors = [ACCENT if step >= 0 else SECOND for step in steps]
    bars = ax.barh(place, steps, left=starts, height=0.66, color=colors)
    ax.bar_label(bars, labels=[_signed(step) for step in steps], padding=3, fontsize=9, color=INK)
    total = ax.barh(len(steps), ends[-1], height=0.66, color=INK)
    ax.bar_label(total, labels=[_signed(ends[-1])], padding=3, fontsize=9, color=INK)
    for k, end in enumerate(ends):
        ax.plot([end, end], [k - 0.33, k + 1.33], color=MUTED, linewidth=0.8, label="_step")
    ax.axvline(0.0, color=INK, linewidth=1.0)
    ax.set_yticks(np.arange(len(steps) + 1), [*names, "log-odds"])
    ax.invert_yaxis()
    low, high = min(0.0, *ends), max(0.0, *ends)
    pad = 0.16 * (high - low) or 1.0
    ax.set_xlim(low - pad, high + pad)
    against, for_it = explanation.classes[negative], explanation.classes[positive]
    return dress(ax, x=f"← {against}    log-odds    {for_it} →", y="evidence", grid="x")


def _steps(explanation: Explanation, positive: int, negative: int, top: int) -> tuple[list[str], Floats]:
    """Names and log-ratios: the prior, the strongest factors, and the sum of the others."""
    ratios = np.asarray(explanation.log_ratio(positive, negative), dtype=float)
    prior = float(np.log(explanation.prior[positive]) - np.log(explanation.prior[negative]))
    if not np.all(np.isfinite([prior, *ratios])):
        raise ValueError("a class has probability zero, so the log-odds are infinite; smooth the model (alpha > 0)")
    order = np.argsort(-np.abs(ratios), kind="stable")
    # A term that is the same in both classes, such as a multinomial coefficient, is no evidence.
    order = order[np.abs(ratios[order]) > _NOTHING]
    names = ["prior", *(explanation.names[g] for g in order[:top])]
    steps = [prior, *ratios[order[:top]]]
    if len(order) > top:
        names.append(f"{len(order) - top} others")
        steps.append(float(np.sum(ratios[order[top:]])))
    return names, np.array(steps)


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def _columns(X, names):
    """Columns by name, of a data frame or an array."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if frame is not X:
        return {str(name): np.asarray(frame[name].to_list(), dtype=object) for name in frame.columns}
    X = np.asarray(X, dtype=object)
    if X.ndim != 2:
        raise ValueError(f"X has shape {X.shape}; give rows, an array of shape (n, d)")
    names = [f"$x_{{{j + 1}}}$" for j in range(X.shape[1])] if names is None else list(names)
    return dict(zip(names, X.T, strict=True))


def _counted(column, index, n_classes):
    """The values of a column in order, and a table of counts, classes by values."""
    there = np.array([value is not None and value == value for value in column], dtype=bool)
    text = np.array([str(value) for value in column[there]])
    values, codes = np.unique(text, return_inverse=True)
    counts = np.zeros((n_classes, len(values)), dtype=int)
    np.add.at(counts, (index[there], codes), 1)
    return values, counts
