"""Regions of generative classifiers: mixtures for classes, rows of no known class, rows without labels.

    ŷ(x) = argmax_c π_c f_c(x),    "unknown" where the density of all else is largest                 (1)

Hastie & Tibshirani (1996), doi:10.1111/j.2517-6161.1996.tb02073.x; Scheirer et al. (2013), doi:10.1109/TPAMI.2012.256;
Nigam, McCallum, Thrun & Mitchell (2000), doi:10.1023/A:1007692713085.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, to_rgb
from sklearn.base import BaseEstimator

from gnomon._typing import Array, ArrayLike, Integers
from gnomon.plot._gaussians import draw_normals, normals_of
from gnomon.plot._style import (
    INK,
    MARKERS,
    MUTED,
    GivenAxes,
    axis_names,
    class_color,
    class_names,
    dress,
    label_panel,
    new_axes,
    new_panels,
    scatter_rows,
    window,
)
from gnomon.plot.boundary import Grid, contour_lines, decision_boundary, grid_over, two_columns

__all__ = ["class_regions", "few_labels"]

_UNKNOWN = "#E6E6E6"


def class_regions(
    model: BaseEstimator,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    unknown: Any = None,
    mixtures: Sequence[BaseEstimator] | None = None,
    margin: float = 0.12,
    resolution: int = 400,
    ax: Axes | None = None,
) -> Axes:
    """The region of each class, with a hatched one for rows of no known class, and the components of its density.

    Parameters
    ----------
    model : fitted classifier
        With `predict` and `classes_`, which may or may not have `unknown` among them.
    X : array of shape (n, 2)
    y : array of shape (n,), optional
        Labels to mark the rows by; those equal to `unknown` are grey crosses.
    unknown : label, optional
        What `predict` returns for none of the classes.
    mixtures : sequence of fitted GaussianMixture, optional
        One for each class, drawn as ellipses.
    margin : float, default=0.12
        How far the picture reaches beyond X, as a share of its range.
    resolution : int, default=400
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Scheirer, W. J., Rocha, A., Sapkota, A. & Boult, T. E. (2013). Toward open set recognition.
    doi:10.1109/TPAMI.2012.256

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.generative import GaussianClassifier
    >>> X = np.array([[0.0, 0], [1, 0], [0, 1], [4, 4], [5, 4], [4, 5]])
    >>> model = GaussianClassifier("tied").fit(X, [0, 0, 0, 1, 1, 1])
    >>> ax = plot.class_regions(model, X, [0, 0, 0, 1, 1, 1])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['class 0', 'class 1']
    """
    rows = two_columns(X)
    ax = new_axes(ax, width=5.2, height=4.2)
    known = np.array([label for label in np.asarray(model.classes_).tolist() if label != unknown])
    _paint(ax, model, grid_over(X, resolution, margin=margin), known)
    if y is not None:
        _scatter_known(ax, rows, np.asarray(y), known, unknown)
    low, high = window(rows, margin=margin)
    for k, mixture in enumerate(mixtures or ()):
        draw_normals(ax, normals_of(mixture), colors=[class_color(k, len(known))], fill=0.0)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    names = axis_names(X)
    return dress(ax, x=names[0], y=names[1], legend="outside" if y is not None else None, grid=None)


def few_labels(
    before: BaseEstimator,
    after: BaseEstimator,
    X: ArrayLike,
    y: ArrayLike,
    *,
    unlabeled: Any = -1,
    ax: GivenAxes = None,
) -> dict[str, Axes]:
    """What rows without labels do to a boundary: learnt from the labelled rows alone, and from all.

    Parameters
    ----------
    before, after : fitted classifiers
        Of the labelled rows, and of all.
    X : array of shape (n, 2)
    y : array of shape (n,)
        Labels; `unlabeled`, NaN or None where there is none.
    unlabeled : label, default=-1
    ax : pair of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "labelled rows" and "all rows".

    References
    ----------
    Nigam, K., McCallum, A., Thrun, S. & Mitchell, T. (2000). Text classification from labeled and unlabeled documents
    using EM. doi:10.1023/A:1007692713085

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.generative import GaussianClassifier
    >>> X, y = np.array([[0.0, 0], [1, 0], [0, 1], [4, 4], [5, 4], [4, 5]]), np.array([0, 0, 0, 1, 1, 1])
    >>> model = GaussianClassifier("tied").fit(X, y)
    >>> list(plot.few_labels(model, model, X, np.array([0, -1, -1, 1, -1, -1])))
    ['labelled rows', 'all rows']
    """
    rows, y = two_columns(X), np.asarray(y)
    panels = new_panels(ax, ["labelled rows", "all rows"], width=4.0, height=3.7, sharex=True, sharey=True)
    bare = np.array([label is None or label != label or label == unlabeled for label in y.tolist()])
    known = np.unique(y[~bare].tolist())
    for (name, axes), model in zip(panels.items(), (before, after), strict=True):
        decision_boundary(model, X, method="grid", ax=axes)
        scatter_rows(axes, rows[bare], s=8, color=INK, alpha=0.3, linewidth=0, label="no label")
        _scatter_known(axes, rows[~bare], y[~bare], known, None, size=75)
        label_panel(axes, f"boundary from {name}")
    dress(panels["labelled rows"], x=axis_names(X)[0], y=axis_names(X)[1], legend="best", grid=None)
    panels["all rows"].set_ylabel("")
    return panels


def _paint(ax: Axes, model: BaseEstimator, grid: Grid, known: Array) -> None:
    """Tints of the classes, hatching where none of them is predicted, and the lines between."""
    predicted = np.asarray(model.predict(grid[2]))
    index = np.full(len(predicted), len(known))
    for k, label in enumerate(known):
        index[predicted == label] = k
    paint_index(ax, grid, index, len(known))
    if np.any(index == len(known)):
        # No score changes sign at the boundary of the unknown region, so the regions themselves are outlined.
        index = index.reshape(grid[0].shape)
        for k in np.unique(index[index < len(known)]):
            ax.contour(*grid[:2], (index == k).astype(float), levels=[0.5], colors=INK, linewidths=1.4)
    else:
        contour_lines(ax, model, grid)


def paint_index(ax: Axes, grid: Grid, index: Integers, n: int) -> None:
    """Tints of the classes 0 … n − 1 over a grid, and hatching where the index is n."""
    A, B, index = grid[0], grid[1], np.reshape(index, grid[0].shape)
    tints = [0.82 + 0.18 * np.array(to_rgb(class_color(k, n))) for k in range(n)] + [np.array(to_rgb(_UNKNOWN))]
    ax.pcolormesh(A, B, index, cmap=ListedColormap(tints), vmin=-0.5, vmax=n + 0.5, rasterized=True)
    nowhere = (index == n).astype(float)
    if nowhere.any():
        hatch = ax.contourf(A, B, nowhere, levels=[0.5, 1.5], colors="none", hatches=["///"])
        hatch.set_edgecolor("#BBBBBB")
        hatch.set_linewidth(0.0)


def _scatter_known(ax, rows, y, known, unknown, *, size=24):
    for k, name in enumerate(class_names(known)):
        style: dict[str, Any] = {
            "color": class_color(k, len(known)),
            "marker": MARKERS[k % len(MARKERS)],
            "label": name,
        }
        scatter_rows(ax, rows[y == known[k]], s=size, edgecolor="white", linewidth=0.6, zorder=3, **style)
    if unknown is not None and np.any(y == unknown):
        scatter_rows(ax, rows[y == unknown], s=22, color=MUTED, marker="x", linewidth=1.2, zorder=3, label="unknown")
