"""AdaBoost at work.

    w ∝ exp(−y F),    F = Σ α_l f_l,    training error ≤ mean exp(−y F) = Π 2 √(ε_l (1 − ε_l))                       (1)

Freund & Schapire (1997), doi:10.1006/jcss.1997.1504; Friedman, Hastie & Tibshirani (2000), doi:10.1214/aos/1016218223.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from gnomon._typing import ArrayLike
from gnomon.plot._style import (
    ACCENT,
    DASHES,
    DIVERGING,
    INK,
    MARKERS,
    MUTED,
    SECOND,
    GivenAxes,
    axis_names,
    class_color,
    class_names,
    classes_of,
    dress,
    new_axes,
    new_panels,
    rows_like,
    scatter_rows,
    window,
)
from gnomon.trees import AdaBoostClassifier

__all__ = ["boosting_bound", "boosting_rounds"]

RESOLUTION = 120
LARGEST = 260.0
"""Area in square points of the heaviest row."""


def boosting_rounds(
    model: AdaBoostClassifier, X: ArrayLike, y: ArrayLike, *, rounds: Sequence[int] | None = None, ax: GivenAxes = None
) -> dict[str, Axes]:
    """AdaBoost of two classes in the plane: the rows and the boundary of each learner, and the sum.

    A panel for each of some rounds has the rows with areas as their weights (1) before the round, those that are hard
    having grown, and the sides of the learner that is added; the last panel has F after all rounds, its zero line bold.

    Parameters
    ----------
    model : AdaBoostClassifier
        Fitted to two classes and two columns.
    X : array or data frame of shape (n, 2)
    y : array of shape (n,)
        The rows and labels of `fit`.
    rounds : sequence of int, optional
        Which rounds, from 1; by default the first three.
    ax : dict or array of matplotlib Axes, optional
        One for each round, and one for F.

    Returns
    -------
    dict of matplotlib Axes by name: "round 1", …, "F"

    References
    ----------
    Freund, Y. & Schapire, R. E. (1997). A decision-theoretic generalization of on-line learning and an application to
    boosting. doi:10.1006/jcss.1997.1504

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.trees import AdaBoostClassifier
    >>> X, y = np.array([[0.0, 0], [1, 2], [2, 1], [3, 3]]), np.array([0, 1, 0, 1])
    >>> panels = plot.boosting_rounds(AdaBoostClassifier(n_estimators=3).fit(X, y), X, y, rounds=[1])
    >>> list(panels)
    ['round 1', 'F']
    """
    labels, index = classes_of(y)
    if len(labels) != 2 or np.shape(X)[1] != 2:
        raise ValueError(
            f"X has {np.shape(X)[1]} columns and y {len(labels)} classes; a plane shows two of each: give two columns "
            "and two classes, and a model fitted to them"
        )
    rounds = _chosen(model, rounds)
    panels = new_panels(ax, [*(f"round {r}" for r in rounds), "F"], columns=4 if len(rounds) < 4 else 3)
    points, grid, (low, high) = _plane(X)
    sign = 2.0 * index - 1.0
    staged = [np.zeros(len(sign)), *model.staged_additive_score(X)]
    names = axis_names(X)
    for r in rounds:
        panel = panels[f"round {r}"]
        side = (model.estimators_[r - 1].predict(rows_like(X, points)) == labels[1]).astype(float) - 0.5
        _paint(panel, grid, side, 2.0)
        _bubbles(panel, np.asarray(X), index, labels, np.exp(-sign * staged[r - 1]))
        error, alpha = model.estimator_errors_[r - 1], model.alphas_[r - 1]
        title = f"round {r}:  $\\varepsilon$ = {error:.3f},  $\\alpha$ = {alpha:.2f}"
        _finish(panel, names, low, high, title)
    F = model.additive_score(rows_like(X, points))
    _paint(panels["F"], grid, F, float(np.max(np.abs(F))) or 1.0)
    _bubbles(panels["F"], np.asarray(X), index, labels, np.ones(len(sign)))
    _finish(panels["F"], names, low, high, f"$F$ after {model.n_iter_} rounds", legend="upper right")
    return panels


def boosting_bound(model: AdaBoostClassifier, *, ax: Axes | None = None) -> Axes:
    """Per round of AdaBoost: the training error, and the mean exponential loss that bounds it.

    The loss of discrete AdaBoost of two classes at the learning rate 1 is the product Π 2√(ε(1 − ε)) of (1), as long as
    every learner errs; it is drawn as marks. Held-out losses are drawn where the model has them.

    Parameters
    ----------
    model : AdaBoostClassifier
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Freund, Y. & Schapire, R. E. (1997). A decision-theoretic generalization of on-line learning and an application to
    boosting. doi:10.1006/jcss.1997.1504

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.trees import AdaBoostClassifier
    >>> model = AdaBoostClassifier(n_estimators=3).fit(np.arange(10)[:, None], [1, 1, 1, 0, 0, 0, 1, 1, 1, 0])
    >>> ax = plot.boosting_bound(model)
    >>> ax.lines[0].get_ydata().round(4)
    array([0.9165, 0.7521, 0.5802])
    """
    _check_rounds(model)
    ax, history = new_axes(ax), model.history_
    turn = history["iteration"]
    ax.plot(turn, history["objective"], color=ACCENT, linewidth=2.0, label="mean $e^{-yF}$")
    if model.n_classes_ == 2 and model.variant == "discrete" and model.learning_rate == 1.0:
        # A learner without errors has an infinite optimal step, so its own step is not the optimum.
        error = model.estimator_errors_[: model.n_iter_]
        error = error[error > 0.0]
        look: dict[str, Any] = {
            "linestyle": "",
            "marker": "o",
            "markersize": 5,
            "markerfacecolor": "white",
            "markeredgecolor": ACCENT,
        }
        ax.plot(
            turn[: len(error)],
            np.cumprod(2.0 * np.sqrt(error * (1.0 - error))),
            markevery=max(1, len(turn) // 12),
            label="$\\prod 2\\sqrt{\\varepsilon(1-\\varepsilon)}$",
            **look,
        )
    if "validation" in history:
        ax.plot(turn, history["validation"], color=MUTED, linestyle=DASHES[1], label="held-out $e^{-yF}$")
    ax.step(turn, history["error"], where="mid", color=SECOND, linewidth=1.8, label="training error")
    ax.set_ylim(bottom=0.0)
    ax.locator_params(axis="x", integer=True)
    return dress(ax, x="round", y="loss, error", legend="upper right")


def _check_rounds(model):
    if not model.n_iter_:
        raise ValueError(
            "model has no rounds, as its first learner had no edge over chance; fit AdaBoostClassifier with a stronger "
            "estimator"
        )


def _chosen(model, rounds):
    """The rounds to draw, of those that the model has."""
    _check_rounds(model)
    rounds = list(range(1, min(3, model.n_iter_) + 1) if rounds is None else rounds)
    if not rounds or not all(1 <= r <= model.n_iter_ for r in rounds):
        raise ValueError(
            f"rounds={rounds} must lie between 1 and {model.n_iter_}, those of the model; give at least one of them"
        )
    return rounds


def _plane(X):
    """Points of a grid over the rows, the grid, and its corners."""
    low, high = window(np.asarray(X, dtype=float))
    grid = np.meshgrid(*(np.linspace(a, b, RESOLUTION) for a, b in zip(low, high, strict=True)))
    return np.column_stack([part.ravel() for part in grid]), grid, (low, high)


def _paint(ax, grid, values, largest):
    """Values of the grid from one class's colour to the other's, with the line where they change sign."""
    values = values.reshape(grid[0].shape)
    ax.pcolormesh(
        *grid, values, cmap=DIVERGING, vmin=-1.4 * largest, vmax=1.4 * largest, shading="auto", rasterized=True
    )
    if np.min(values) < 0.0 < np.max(values):
        ax.contour(*grid, values, levels=[0.0], colors=[INK], linewidths=1.6)


def _bubbles(ax, X, index, labels, weights):
    """Rows as marks whose areas are their weights."""
    area = 16.0 * weights / np.mean(weights)
    area = np.minimum(area, LARGEST)
    for k, name in enumerate(class_names(labels)):
        own = index == k
        look: dict[str, Any] = {
            "color": class_color(k, 2),
            "marker": MARKERS[k],
            "edgecolor": "white",
            "linewidth": 0.5,
            "alpha": 0.85,
        }
        scatter_rows(ax, X[own], s=area[own], zorder=3, label=name, **look)


def _finish(ax, names, low, high, title, legend=None):
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    dress(ax, x=names[0], y=names[1], title=title, grid=None, legend=legend)
