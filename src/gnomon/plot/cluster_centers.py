"""Clusters around centres: cells, steps of k-means, shares.

    cell of j = {x : ‖x − μⱼ‖ ≤ ‖x − μ_l‖ for all l}, a convex polytope                                   (1)

Voronoi (1908), doi:10.1515/crll.1908.133.97; Lloyd (1982), doi:10.1109/TIT.1982.1056489.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, to_rgb
from sklearn.base import BaseEstimator

from gnomon._typing import ArrayLike, Floats
from gnomon.optim import kmeans, nearest_center
from gnomon.plot._style import COLORS, INK, GivenAxes, axis_names, dress, new_axes, new_panels, scatter_rows
from gnomon.plot.boundary import grid_over, two_columns

__all__ = ["center_cells", "cluster_scatter", "kmeans_steps"]


def center_cells(
    centers: ArrayLike | BaseEstimator, X: ArrayLike, *, resolution: int = 300, ax: Axes | None = None
) -> Axes:
    """The cells (1) of centres, the lines between them, and rows.

    Parameters
    ----------
    centers : array of shape (k, 2), or a fitted model with `cluster_centers_`
        With the rows themselves the cells are those of the nearest neighbour.
    X : array of shape (n, 2)
    resolution : int, default=300
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The last collection are the centres.

    References
    ----------
    Aurenhammer, F. (1991). Voronoi diagrams. doi:10.1145/116873.116880

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> ax = plot.center_cells(np.array([[0.0, 0.0], [2.0, 0.0]]), np.array([[0.0, 1.0], [2.0, -1.0]]))
    >>> ax.collections[-1].get_offsets().tolist()
    [[0.0, 0.0], [2.0, 0.0]]
    """
    C = _centers(centers)
    rows = two_columns(X)
    ax = new_axes(ax, width=4.8, height=4.2)
    A, B, points = grid_over(np.concatenate([rows, C]), resolution)
    labels = nearest_center(np.asarray(points, dtype=float), C)[0].reshape(A.shape)
    shades = ListedColormap([_pale(j) for j in range(len(C))])
    ax.pcolormesh(A, B, labels, cmap=shades, vmin=-0.5, vmax=len(C) - 0.5, shading="nearest", rasterized=True)
    for j in range(len(C) if len(C) > 1 else 0):
        ax.contour(A, B, (labels == j).astype(float), levels=[0.5], colors=INK, linewidths=0.7)
    scatter_rows(ax, rows, s=14, color=[COLORS[j % len(COLORS)] for j in nearest_center(rows, C)[0]], linewidth=0)
    _mark(ax, C)
    names = axis_names(X)
    return dress(ax, x=names[0], y=names[1], grid=None)


def kmeans_steps(
    X: ArrayLike, start: ArrayLike, *, n_steps: int = 3, best: ArrayLike | None = None, ax: GivenAxes = None
) -> dict[str, Axes]:
    """The first steps of Lloyd's iteration, its end, what J was on the way, and beside it a better optimum.

    Parameters
    ----------
    X : array of shape (n, 2)
    start : array of shape (k, 2)
        Centres to start from.
    n_steps : int, default=3
        Assignments that are drawn before the end.
    best : array of shape (k, 2), optional
        A better start; its end is drawn too.
    ax : axes, optional

    Returns
    -------
    dict of str to matplotlib Axes
        "step 0" …, "end", "best" where it is asked for, and "J".

    References
    ----------
    Lloyd, S. (1982). Least squares quantization in PCM. doi:10.1109/TIT.1982.1056489

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [10.0, 0.0], [11.0, 0.0]])
    >>> panels = plot.kmeans_steps(X, X[:2], n_steps=2)
    >>> panels["J"].lines[0].get_ydata().round(6)
    array([181.      ,  21.555556,   1.      ])
    """
    rows = two_columns(X)
    C = np.array(start, dtype=float)
    end = kmeans(rows, C)
    others = {} if best is None else {"best": kmeans(rows, np.array(best, dtype=float))}
    steps = [f"step {i}" for i in range(min(n_steps, end.n_iter))]
    panels = new_panels(ax, [*steps, "end", *others, "J"], columns=3)
    names = axis_names(X)
    for i, name in enumerate(steps):
        centers = C if i == 0 else kmeans(rows, C, max_iter=i).centers
        cost = end.history["objective"][i]
        _draw_step(panels[name], rows, centers, f"after {i} moves, J = {cost:.4g}", names)
    for name, found in {"end": end, **others}.items():
        _draw_step(panels[name], rows, found.centers, f"{name}, J = {found.objective:.4g}", names)
    values = end.history["objective"]
    panels["J"].plot(np.arange(len(values)), values, color=INK, marker="o", markersize=4, label="this start")
    for found in others.values():
        panels["J"].axhline(found.objective, color=COLORS[1], linestyle="--", label="better start")
    panels["J"].locator_params(axis="x", integer=True)
    dress(panels["J"], x="assignment", y="J", legend="best" if others else None)
    return panels


def cluster_scatter(model: BaseEstimator, X: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Rows in the colours of their clusters, and the centres; the colours of a soft model are mixed by its shares.

    Parameters
    ----------
    model : fitted clusterer
        With `labels_`, or with `predict_proba`; its `cluster_centers_` are drawn where it has them.
    X : array of shape (n, 2)
        The training rows.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, figures 9.1 and 9.5. ISBN 978-0-387-31073-2

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.cluster import KMeans
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [5.0, 5.0]])
    >>> ax = plot.cluster_scatter(KMeans(2, init=X[[0, 2]]).fit(X), X)
    >>> len(np.unique(ax.collections[0].get_facecolors(), axis=0))
    2
    """
    rows = two_columns(X)
    shares = _shares(model, X)
    ax = new_axes(ax, width=4.8, height=4.2)
    palette = np.array([to_rgb(COLORS[j % len(COLORS)]) for j in range(shares.shape[1])])
    scatter_rows(ax, rows, s=22, c=np.clip(shares @ palette, 0.0, 1.0), edgecolor="white", linewidth=0.3)
    if vars(model).get("cluster_centers_") is not None:
        _mark(ax, _centers(model))
    names = axis_names(X)
    return dress(ax, x=names[0], y=names[1])


def _shares(model: Any, X: ArrayLike) -> Floats:
    if callable(getattr(model, "predict_proba", None)):
        return np.asarray(model.predict_proba(X), dtype=float)
    labels = np.asarray(model.labels_)
    return np.eye(int(labels.max()) + 1)[labels]


def _centers(given: Any) -> Floats:
    return two_columns(given.cluster_centers_ if isinstance(given, BaseEstimator) else given)


def _pale(j: int) -> tuple[float, float, float]:
    r, g, b = (1.0 - 0.28 * (1.0 - part) for part in to_rgb(COLORS[j % len(COLORS)]))
    return r, g, b


def _mark(ax: Axes, C: Floats) -> None:
    ax.scatter(C[:, 0], C[:, 1], s=90, marker="X", color=INK, edgecolor="white", linewidth=1.0, zorder=5)


def _draw_step(ax: Axes, rows: Floats, C: Floats, title: str, names: list[str]) -> None:
    center_cells(C, rows, resolution=120, ax=ax)
    dress(ax, x=names[0], y=names[1], title=title, grid=None)
