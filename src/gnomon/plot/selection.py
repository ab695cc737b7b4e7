"""Errors and boundaries of selected features.

    E_i = L̂(S_i),   S_1, S_2, … the sets of a greedy search                                          (1)

Guyon & Elisseeff (2003), figures 1–3, JMLR 3, 1157–1182.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from sklearn.base import BaseEstimator, clone

from gnomon._typing import ArrayLike
from gnomon.plot._style import INK, MUTED, class_color, classes_of, dress, new_axes, styles
from gnomon.plot.boundary import decision_lines, two_columns, weights_of

__all__ = ["selection_errors", "subset_boundaries"]


def selection_errors(
    errors: ArrayLike | dict[str, ArrayLike],
    *,
    sizes: ArrayLike | None = None,
    chosen: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The error E_i of the best set found at each number of features.

    Parameters
    ----------
    errors : array of shape (k,), or dict of str to such arrays
        ``errors_`` of a selector, or of several by label.
    sizes : array of shape (k,), optional
        Numbers of features; 1, 2, … by default.
    chosen : int, optional
        The size to mark; that of the least error of the first by default.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Guyon, I. & Elisseeff, A. (2003). An introduction to variable and feature selection. JMLR 3, 1157–1182.

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.selection_errors([1.3, 0.9, 1.2])
    >>> float(ax.lines[-1].get_xdata()[0])
    2.0
    """
    runs: dict[str, Any] = errors if isinstance(errors, dict) else {"": errors}
    ax = new_axes(ax)
    for (name, values), (color, dash) in zip(runs.items(), styles(len(runs)), strict=True):
        place = np.arange(1, len(values) + 1) if sizes is None else np.asarray(sizes)
        ax.plot(place, values, "o", linestyle=dash, color=color, linewidth=1.7, markersize=5.5, label=name or None)
    first = np.asarray(next(iter(runs.values())), dtype=float)
    place = np.arange(1, len(first) + 1) if sizes is None else np.asarray(sizes)
    best = float(place[int(np.nanargmin(first))] if chosen is None else chosen)
    ax.axvline(best, color=INK, linewidth=1.0, linestyle=(0, (4, 3)))
    ax.locator_params(axis="x", integer=True)
    return dress(ax, x="number of features", y="error $E_i$", legend="best" if any(runs) else None)


def subset_boundaries(
    model: BaseEstimator, X: ArrayLike, y: ArrayLike, *, names: tuple[str, str] = ("x_1", "x_2"), ax: Axes | None = None
) -> Axes:
    """The boundaries of ŵ on feature 1, on feature 2 and on both, with the projections on either axis.

    Parameters
    ----------
    model : linear classifier
        Fitted anew on each subset of the two columns.
    X : array of shape (n, 2)
    y : array of shape (n,)
    names : pair of str, default=("x_1", "x_2")
        Names of the features, in Matplotlib's mathematics.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The projections are inset above it and at its right, ``ax.child_axes``.

    References
    ----------
    Guyon, I. & Elisseeff, A. (2003). An introduction to variable and feature selection. JMLR 3, 1157–1182.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from gnomon import plot
    >>> X, y = np.array([[0.0, 0], [1, 1], [0, 1], [1, 2]]), np.array([0, 0, 1, 1])
    >>> ax = plot.subset_boundaries(LogisticRegression(), X, y)
    >>> len(ax.lines), len(ax.child_axes)
    (3, 2)
    """
    X = two_columns(X)
    subsets = {f"${names[0]}$ alone": [0], f"${names[1]}$ alone": [1], "both": [0, 1]}
    lines = {name: _weights_on(columns, model, X, y) for name, columns in subsets.items()}
    ax = decision_lines(lines, X, y, ax=new_axes(ax, width=5.2, height=4.6))
    _projections(ax, X, y)
    return dress(ax, x=f"${names[0]}$", y=f"${names[1]}$", legend="best")


def _weights_on(columns, model, X, y):
    """w and b of the model fitted to some of the columns; the others have weight zero."""
    part, b = weights_of(clone(model).fit(X[:, columns], y))
    w = np.zeros(2)
    w[columns] = part
    return w, b


def _projections(ax, X, y):
    """Histograms of each class along either axis."""
    labels, index = classes_of(y)
    top = ax.inset_axes([0.0, 1.02, 1.0, 0.16], sharex=ax)
    right = ax.inset_axes([1.02, 0.0, 0.16, 1.0], sharey=ax)
    for j, (strip, turn) in enumerate(((top, "vertical"), (right, "horizontal"))):
        edges = np.linspace(X[:, j].min(), X[:, j].max() + 1e-12, 25)
        for k in range(len(labels)):
            color = class_color(k, len(labels))
            strip.hist(X[index == k, j], bins=edges, orientation=turn, color=color, alpha=0.55)
        strip.set_axis_off()
    ax.spines[["left", "bottom"]].set_color(MUTED)
