"""The perceptron at work.

    γ = min_i yᵢ (wᵀxᵢ + b) / ‖w‖,    w ← w + η yᵢ xᵢ at every mistake                               (1)

Rosenblatt (1958), doi:10.1037/h0042519; Novikoff (1962); pocket: Gallant (1990), doi:10.1109/72.80230.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from gnomon._typing import ArrayLike
from gnomon.plot._style import (
    ACCENT,
    COLORS,
    INK,
    MUTED,
    SECOND,
    check_columns,
    classes_of,
    dress,
    new_axes,
    scatter_classes,
    window,
)
from gnomon.plot.boundary import line_ends

__all__ = ["errors_per_update", "margin_picture", "perceptron_lines"]


def margin_picture(w: ArrayLike, b: float, X: ArrayLike, y: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """The line wᵀx + b = 0, the points, and the margin γ to the nearest of them.

    Parameters
    ----------
    w : array of shape (2,)
    b : float
    X : array of shape (n, 2)
    y : array of shape (n,)
        Two labels; the larger one is the positive class.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Novikoff, A. B. J. (1962). On convergence proofs on perceptrons. Symposium on the Mathematical Theory of Automata.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> X, y = np.array([[0.0, 0], [1, 0], [0, 2], [1, 2]]), np.array([-1, -1, 1, 1])
    >>> ax = plot.margin_picture(np.array([0.0, 1.0]), -1.0, X, y)
    >>> ax.texts[0].get_text()
    '$\\\\gamma = 1$'
    """
    w, X = check_columns("w", np.reshape(w, (1, -1)), 2)[0], check_columns("X", X, 2)
    sign = 2.0 * classes_of(y)[1] - 1.0
    distance = sign * (X @ w + b) / np.linalg.norm(w)
    nearest = int(np.argmin(distance))
    ax = new_axes(ax, width=5.8, height=4.2)
    low, high = window(X)
    scatter_classes(ax, X, y, size=34)
    ax.plot(*line_ends(w, b, low, high).T, color=INK, linewidth=2.0, label="$w^\\top x + b = 0$")
    shift = max(distance[nearest], 0.0) * np.linalg.norm(w)
    for side in (-shift, shift) if shift else ():
        ax.plot(*line_ends(w, b + side, low, high).T, color=MUTED, linewidth=1.1, linestyle=(0, (5, 3)))
    foot = X[nearest] - sign[nearest] * distance[nearest] * w / np.linalg.norm(w)
    where: dict[str, Any] = {
        "xytext": (7, -4),
        "textcoords": "offset points",
        "color": SECOND,
        "fontsize": 11,
        "zorder": 5,
    }
    where["bbox"] = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.0}
    ax.annotate(f"$\\gamma = {distance[nearest]:.3g}$", 0.5 * (X[nearest] + foot), **where)
    ax.annotate("", X[nearest], foot, arrowprops={"arrowstyle": "<->", "color": SECOND, "linewidth": 1.6, "shrinkB": 4})
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    return dress(ax, x="$x_1$", y="$x_2$", legend="outside")


def perceptron_lines(
    weights: ArrayLike, intercepts: ArrayLike, X: ArrayLike, y: ArrayLike, *, ax: Axes | None = None
) -> Axes:
    """The sequence of lines that a perceptron went through, early ones faint, the last one bold.

    Parameters
    ----------
    weights : array of shape (k, 2)
    intercepts : array of shape (k,)
    X : array of shape (n, 2)
    y : array of shape (n,)
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Rosenblatt, F. (1958). The perceptron. doi:10.1037/h0042519

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> X, y = np.array([[0.0, 0], [1, 0], [0, 2], [1, 2]]), np.array([-1, -1, 1, 1])
    >>> ax = plot.perceptron_lines([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]], [0.0, -2.0, -1.0], X, y)
    >>> len(ax.lines)
    2
    """
    weights, X = check_columns("weights", weights, 2), check_columns("X", X, 2)
    ax = new_axes(ax, width=5.8, height=4.2)
    low, high = window(X)
    scatter_classes(ax, X, y, size=34)
    # The zero vector, at which a perceptron starts, defines no line.
    lines = [(w, b) for w, b in zip(weights, np.ravel(intercepts), strict=True) if np.any(w)]
    for k, (w, b) in enumerate(lines):
        last = k == len(lines) - 1
        style: dict[str, Any] = {"color": INK, "linewidth": 2.4, "label": f"after {k + 1} updates"} if last else {}
        faint: dict[str, Any] = {"color": ACCENT, "linewidth": 1.2, "alpha": 0.15 + 0.7 * k / len(lines)}
        ax.plot(*line_ends(w, b, low, high).T, **(style or faint))
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    return dress(ax, x="$x_1$", y="$x_2$", legend="outside")


def errors_per_update(errors: ArrayLike, *, pocket: bool = True, ax: Axes | None = None) -> Axes:
    """Training errors after every update, and those of the best weights so far, which the pocket keeps.

    Parameters
    ----------
    errors : array of shape (k,)
        Number or share of misclassified points after each update.
    pocket : bool, default=True
        Draw the running minimum.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Gallant, S. I. (1990). Perceptron-based learning algorithms. doi:10.1109/72.80230

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.errors_per_update([4, 2, 3, 1, 2])
    >>> ax.lines[1].get_ydata()
    array([4., 2., 2., 1., 1.])
    """
    errors = np.asarray(errors, dtype=float)
    ax, update = new_axes(ax), np.arange(len(errors))
    ax.plot(update, errors, color=COLORS[5], linewidth=1.3, label="perceptron")
    if pocket:
        ax.step(update, np.minimum.accumulate(errors), where="post", color=SECOND, linewidth=2.2, label="pocket")
    ax.set_ylim(bottom=0.0)
    return dress(ax, x="updates", y="training error", legend="upper right")
