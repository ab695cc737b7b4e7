"""Learning that asks: which rows were asked, in which order, and what that saved.

    s̄(m) ± z s.e.,    the mean score over repetitions after m labels                                             (1)

Settles (2009), Active learning literature survey, figures 1 and 2, University of Wisconsin–Madison TR 1648.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from sklearn.base import BaseEstimator

from gnomon._typing import ArrayLike
from gnomon.decision import LabelCurves
from gnomon.numerics.estimates import normal_quantile
from gnomon.plot._style import INK, axis_names, dress, new_axes, scatter_classes, styles, window
from gnomon.plot.boundary import contour_lines, grid_over, two_columns

__all__ = ["label_curves", "query_order"]


def query_order(
    X: ArrayLike,
    y: ArrayLike,
    queried: ArrayLike,
    *,
    model: BaseEstimator | None = None,
    resolution: int = 160,
    ax: Axes | None = None,
) -> Axes:
    """A pool of two features, the rows that were asked in the order of the questions, and the boundary they led to.

    Parameters
    ----------
    X : array of shape (n, 2)
        The pool.
    y : array of shape (n,)
        The labels, also those that nobody asked for.
    queried : array of int
        Rows of the pool in the order in which they were asked: `queried_` of an `ActiveLearner`.
    model : fitted classifier, optional
        Whose boundary is drawn: the learner.
    resolution : int, default=160
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Settles, B. (2009). Active learning literature survey. University of Wisconsin–Madison TR 1648.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> X = np.random.default_rng(0).uniform(-1, 1, (30, 2))
    >>> plot.query_order(X, X[:, 0] > 0, [3, 1, 4]).get_xlabel()
    '$x_1$'
    """
    rows, asked = two_columns(X), np.asarray(queried, dtype=int)
    ax = new_axes(ax, width=5.6, height=4.2)
    scatter_classes(ax, rows, y, size=14)
    for points in ax.collections:
        points.set_alpha(0.35)
    if model is not None:
        contour_lines(ax, model, grid_over(X, resolution))
    order = np.arange(1, len(asked) + 1)
    # Greys: the colours are those of the classes.
    look: dict[str, Any] = {"cmap": "Greys", "vmin": 1 - 0.1 * len(asked), "edgecolor": INK, "linewidth": 0.9}
    drawn = ax.scatter(rows[asked, 0], rows[asked, 1], c=order, s=64, zorder=4, **look)
    bar = ax.figure.colorbar(drawn, ax=ax, boundaries=np.arange(0.5, len(asked) + 1), values=order)
    bar.set_ticks(np.unique(np.linspace(1, len(asked), min(len(asked), 6)).astype(int)).tolist())
    bar.set_label("question")
    low, high = window(rows)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    x_name, y_name = axis_names(X)[:2]
    above: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": 2, "frameon": False}
    keys: Any = ax.legend(**above, fontsize=9, labelcolor=INK).legend_handles
    for key in keys:
        key.set_alpha(1.0)
    return dress(ax, x=x_name, y=y_name, grid=None)


def label_curves(
    curves: LabelCurves,
    *,
    level: float = 0.95,
    target: float | None = None,
    score: str = "score",
    ax: Axes | None = None,
) -> Axes:
    """(1) of each strategy, with bands over the repetitions.

    Parameters
    ----------
    curves : LabelCurves
        From `simulate_active_learning`.
    level : float, default=0.95
        Of the bands.
    target : float, optional
        A score to be reached, drawn as a line; the legend then gives the median number of labels that it takes.
    score : str, default="score"
        What the axis calls it.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Settles, B. (2009). Active learning literature survey. University of Wisconsin–Madison TR 1648.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.decision import LabelCurves
    >>> half = np.array([[0.5, 0.55, 0.6], [0.5, 0.6, 0.7]])
    >>> plot.label_curves(LabelCurves(np.array([1, 2, 3]), {"margin": half + 0.2, "random": half})).get_xlabel()
    'labels'
    """
    ax, z = new_axes(ax), normal_quantile(level)
    reached = {} if target is None else curves.labels_to_reach(target)
    for (name, rows), (color, dash) in zip(curves.scores.items(), styles(len(curves.scores)), strict=True):
        known = ~np.any(np.isnan(rows), axis=0)
        m, mean = curves.n_labels[known], np.mean(rows[:, known], axis=0)
        error = np.std(rows[:, known], axis=0, ddof=1) / np.sqrt(len(rows)) if len(rows) > 1 else np.zeros(len(mean))
        takes = _takes(float(np.median(reached[name]))) if name in reached else ""
        ax.plot(m, mean, color=color, linestyle=dash, linewidth=1.8, label=name.replace("_", " ") + takes)
        ax.fill_between(m, mean - z * error, mean + z * error, color=color, alpha=0.18, linewidth=0)
    if target is not None:
        ax.axhline(target, color=INK, linewidth=0.9)
    return dress(ax, x="labels", y=score, legend="lower right")


def _takes(n_labels: float) -> str:
    return f" ({n_labels:g} labels)" if np.isfinite(n_labels) else " (not reached)"
