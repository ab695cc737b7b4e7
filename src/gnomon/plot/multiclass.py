"""Multi-class reductions in the plane: one-vs-rest, one-vs-one, and the decision graph.

    one-vs-rest:  argmax_k f_k(x),  argmax_k f_k(x)/‖w_k‖,  or the only k with f_k(x) > 0                     (1)
    one-vs-one:   argmax_k v_k(x),  v_k the number of pairs that k wins                                      (2)

f_k is zero on the line of class k: of a regressor it is the prediction minus ½. Rifkin & Klautau (2004), In defense of
one-vs-all classification, JMLR 5, 101–141; Platt, Cristianini & Shawe-Taylor (2000), Large margin DAGs for multiclass
classification, NIPS 12, 547–553.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from scipy.ndimage import distance_transform_edt
from scipy.ndimage import label as connected
from sklearn.base import is_regressor

from gnomon._typing import ArrayLike
from gnomon.base import column_output
from gnomon.multiclass import OneVsOneClassifier, OneVsRestClassifier
from gnomon.multiclass.norms import known_norms
from gnomon.numerics.coding import class_pairs
from gnomon.plot._style import (
    ACCENT,
    FAINT,
    INK,
    MUTED,
    GivenAxes,
    axis_names,
    class_color,
    dress,
    label_panel,
    new_axes,
    new_panels,
    scatter_classes,
    window,
)
from gnomon.plot.boundary import grid_over, leads_of, two_columns, zero_lines
from gnomon.plot.regions import paint_index

__all__ = ["decision_dag", "one_vs_one_regions", "one_vs_rest_regions"]

_TITLES = {
    "lines": "each class against the rest",
    "hard": "one line says yes, or don't know",
    "raw": "largest score $f_k$",
    "normalised": r"largest distance $f_k/\|w_k\|$",
}

_BAND = 0.025
"""Width of the band on the positive side of a line, as a share of the picture's diagonal."""

_NEAR = 0.3
"""How far down an edge its words stand."""

_LONGEST = 40
"""Titles name the classes up to so many characters."""

_SMALLEST = 0.004
"""Regions below this share of the picture carry no text."""


def one_vs_rest_regions(
    model: OneVsRestClassifier, X: ArrayLike, y: ArrayLike | None = None, *, resolution: int = 300, ax: GivenAxes = None
) -> dict[str, Axes]:
    """The binary boundaries of one-vs-rest and three ways to combine them, equation (1).

    Parameters
    ----------
    model : fitted OneVsRestClassifier
        Of three classes or more, whose estimator has scores.
    X : array of shape (n, 2)
    y : array of shape (n,), optional
        Labels to mark the rows by.
    resolution : int, default=300
    ax : four matplotlib Axes, optional
        Three, where there are no distances.

    Returns
    -------
    dict of matplotlib Axes
        "lines": f_k = 0 with a band on the side of class k; "hard": hatched where not exactly one f_k is positive, and
        nobody knows; "raw": the largest score; "normalised": the largest distance from the own line, if the estimator
        has a ‖w‖ by `coef_`, `weight_norm_` or a kernel expansion.

    References
    ----------
    Rifkin, R. & Klautau, A. (2004). In defense of one-vs-all classification. JMLR 5, 101–141.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from gnomon import plot
    >>> from gnomon.multiclass import OneVsRestClassifier
    >>> X, y = np.array([[0.0, 0], [1, 0], [4, 0], [5, 1], [2, 5], [3, 4]]), np.repeat([0, 1, 2], 2)
    >>> panels = plot.one_vs_rest_regions(OneVsRestClassifier(LogisticRegression()).fit(X, y), X, y)
    >>> list(panels)
    ['lines', 'hard', 'raw', 'normalised']
    """
    rows, n = two_columns(X), len(model.classes_)
    if len(model.estimators_) < 3:
        raise ValueError(f"model has {len(model.estimators_)} line; this picture needs three classes or more")
    grid = grid_over(X, resolution)
    F = np.column_stack([column_output(estimator, grid[2], "score") for estimator in model.estimators_])
    F = F - 0.5 if is_regressor(model.estimator) else F
    norms = known_norms(model.estimators_)
    compared = {"raw": F} if norms is None else {"raw": F, "normalised": F / norms}
    positive, colors = F > 0.0, [class_color(k, n) for k in range(n)]
    names = ["lines", "hard", *compared]
    panels = new_panels(ax, names, columns=2, width=4.1, height=3.7, sharex=True, sharey=True)
    _draw_sides(panels["lines"], grid, F, colors)
    paint_index(panels["hard"], grid, np.where(np.sum(positive, axis=1) == 1, np.argmax(positive, axis=1), n), n)
    zero_lines(panels["hard"], grid, F.T, colors=colors, linewidths=2.0)
    for name, scores in compared.items():
        paint_index(panels[name], grid, np.argmax(scores, axis=1), n)
        zero_lines(panels[name], grid, F.T, colors=colors, linewidths=1.0, linestyles="--")
        zero_lines(panels[name], grid, leads_of(scores), colors=[INK] * n, linewidths=1.6)
    for name, axes in panels.items():
        _finish(axes, X, rows, y, _TITLES[name])
        axes.label_outer()
    if y is not None:
        panels["lines"].legend(loc="best", fontsize=8.5, framealpha=0.85, edgecolor="none", labelcolor=INK)
    return panels


def one_vs_one_regions(
    model: OneVsOneClassifier,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    resolution: int = 300,
    ax: Axes | None = None,
) -> Axes:
    """The regions of one-vs-one with their votes, and the lines between the pairs.

    Parameters
    ----------
    model : fitted OneVsOneClassifier
    X : array of shape (n, 2)
    y : array of shape (n,), optional
        Labels to mark the rows by.
    resolution : int, default=300
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        Each text is a vector of votes in the order of the classes; hatched where the votes tie. A line between two
        classes is dashed in the colours of both.

    References
    ----------
    Knerr, S., Personnaz, L. & Dreyfus, G. (1990). Single-layer learning revisited: a stepwise procedure for building
    and training a neural network. doi:10.1007/978-3-642-76153-9_5

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from gnomon import plot
    >>> from gnomon.multiclass import OneVsOneClassifier
    >>> X, y = np.array([[0.0, 0], [1, 0], [4, 0], [5, 1], [2, 5], [3, 4]]), np.repeat([0, 1, 2], 2)
    >>> ax = plot.one_vs_one_regions(OneVsOneClassifier(LogisticRegression()).fit(X, y), X, y)
    >>> "2 1 0" in {text.get_text() for text in ax.texts}
    True
    """
    rows, n = two_columns(X), len(model.classes_)
    ax = new_axes(ax, width=6.2, height=4.8)
    grid = grid_over(X, resolution)
    votes = model.votes(grid[2]).astype(int)
    tied = np.sum(votes == np.max(votes, axis=1, keepdims=True), axis=1) > 1
    paint_index(ax, grid, np.where(tied, n, np.argmax(votes, axis=1)), n)
    for (i, j), estimator in zip(class_pairs(n), model.estimators_, strict=True):
        first = (column_output(estimator, grid[2], "hard") == 0).astype(float)
        _two_colored(ax, grid, first, class_color(i, n), class_color(j, n))
    _write_votes(ax, grid, votes)
    names = ", ".join(map(str, model.classes_))
    _finish(ax, X, rows, y, f"votes of {names}" if len(names) <= _LONGEST else "votes")
    if y is not None:
        dress(ax, x=axis_names(X)[0], y=axis_names(X)[1], legend="outside", grid=None)
    return ax


def decision_dag(model: OneVsOneClassifier, x: ArrayLike | None = None, *, ax: Axes | None = None) -> Axes:
    """The decision graph of one-vs-one, and the path of one row through it.

    Parameters
    ----------
    model : fitted OneVsOneClassifier
        Its `order` is the list from which the losers leave.
    x : array of shape (n_features,), or table of one row, optional
        The row whose way is drawn.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Platt, J. C., Cristianini, N. & Shawe-Taylor, J. (2000). Large margin DAGs for multiclass classification.
    NIPS 12, 547–553.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from gnomon import plot
    >>> from gnomon.multiclass import OneVsOneClassifier
    >>> X, y = np.array([[0.0, 0], [1, 0], [4, 0], [5, 1], [2, 5], [3, 4]]), np.repeat(["a", "b", "c"], 2)
    >>> ax = plot.decision_dag(OneVsOneClassifier(LogisticRegression()).fit(X, y), X[0])
    >>> ax.get_title(loc="left")
    '2 duels for this row: a'
    """
    order = np.asarray(model.classes_ if model.order is None else model.order)
    steps = len(order) - 1
    # Two labels "not …" must fit between neighbours.
    unit = min(1.0 + 0.2 * max(len(str(name)) for name in order), 2.6)
    ax = new_axes(ax, width=unit * steps + 1.6, height=0.95 * steps + 1.0)
    way = _way(model, x, order)
    for level in range(steps):
        for place in range(level + 1):
            out = {0: order[place + steps - level], 1: order[place]}
            for turn, loser in out.items():
                chosen = way[level : level + 2] == [place, place + turn]
                _draw_edge(ax, level, place, turn, f"not {loser}", chosen)
    for level in range(steps + 1):
        for place in range(level + 1):
            _draw_node(ax, model, order, level, place, on_way=way[level : level + 1] == [place])
    title = "decision graph: the loser of each duel leaves"
    if way:
        title = f"{steps} duels for this row: {order[way[-1]]}"
    label_panel(ax, title)
    ax.set(xlim=(-steps / 2 - 0.6, steps / 2 + 0.6), ylim=(-steps - 0.45, 0.4))
    ax.set_axis_off()
    return ax


def _finish(ax, X, rows, y, title):
    if y is not None:
        scatter_classes(ax, rows, y, size=18)
    low, high = window(rows)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    dress(ax, x=axis_names(X)[0], y=axis_names(X)[1], title=title, grid=None)


def _draw_sides(ax, grid, F, colors):
    """f_k = 0 in the colour of class k, with a band on its positive side."""
    A, B = grid[:2]
    band = _BAND * np.hypot(np.ptp(A), np.ptp(B))
    for f, color in zip(F.T, colors, strict=True):
        slope = np.hypot(*np.gradient(np.reshape(f, A.shape), B[:, 0], A[0]))
        distance = np.reshape(f, A.shape) / np.maximum(slope, np.finfo(float).tiny)
        if distance.min() < 0.0 < distance.max():
            ax.contourf(A, B, distance, levels=[0.0, band], colors=[color], alpha=0.3)
    zero_lines(ax, grid, F.T, colors=colors, linewidths=2.0)


def _two_colored(ax, grid, side, color, other):
    """The border of a side of a pair, its dashes in the colours of both classes."""
    if side.min() == side.max():
        return
    found = ax.contour(*grid[:2], side.reshape(grid[0].shape), levels=[0.5], linewidths=0.0)
    for piece in found.allsegs[0]:
        ax.add_line(Line2D(*piece.T, color=color, gapcolor=other, linestyle=(0, (4, 4)), linewidth=2.0, zorder=2.5))


def _write_votes(ax, grid, votes):
    """The vector of votes inside each region that is large enough, at the point furthest from its border."""
    A, B = grid[:2]
    vectors, which = np.unique(votes, axis=0, return_inverse=True)
    which = np.reshape(which, A.shape)
    for v, vector in enumerate(vectors):
        pieces, count = connected(which == v)
        for piece in range(1, count + 1):
            inside = pieces == piece
            if np.mean(inside) < _SMALLEST:
                continue
            depth = distance_transform_edt(np.pad(inside, 1))[1:-1, 1:-1]
            place = np.unravel_index(np.argmax(depth), depth.shape)
            box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "none", "alpha": 0.8}
            words = " ".join(map(str, vector))
            ax.text(A[place], B[place], words, ha="center", va="center", fontsize=9, color=INK, zorder=4, bbox=box)


def _way(model, x, order):
    """For each level of the graph the place of the node that the row visits; empty without a row."""
    if x is None:
        return []
    answer, duels = model.dag_path(x if np.ndim(x) == 2 else np.reshape(x, (1, -1)))
    return [int(np.flatnonzero(order == label)[0]) for label in (*duels[0, :, 0], answer[0])]


def _draw_edge(ax, level, place, turn, words, chosen):
    x, y = place - level / 2, -level
    to_x, to_y = place + turn - (level + 1) / 2, -(level + 1)
    ax.plot([x, to_x], [y, to_y], color=ACCENT if chosen else FAINT, linewidth=3.0 if chosen else 1.4, zorder=1)
    at = {"x": x + _NEAR * (to_x - x) + (0.05 if turn else -0.05), "y": y + _NEAR * (to_y - y), "s": words}
    ax.text(**at, ha="left" if turn else "right", va="center", fontsize=8, color=ACCENT if chosen else MUTED)


def _draw_node(ax, model, order, level, place, *, on_way):
    steps = len(order) - 1
    n = len(order)
    leaf = level == steps
    words = str(order[place]) if leaf else f"{order[place]} | {order[place + steps - level]}"
    color = class_color(int(np.searchsorted(model.classes_, order[place])), n) if leaf else INK
    box = {
        "boxstyle": "round,pad=0.4" if leaf else "round4,pad=0.4",
        "facecolor": "white",
        "edgecolor": ACCENT if on_way else (color if leaf else MUTED),
        "linewidth": 2.4 if on_way else 1.2,
    }
    ax.text(place - level / 2, -level, words, ha="center", va="center", fontsize=10, color=color, bbox=box, zorder=3)
