"""Boundaries of classifiers of two features.

    {x : wᵀφ(x) + b = 0}                                                                          (1)

Where the feature map φ can be inverted, the straight line in its image is carried back by φ⁻¹ and the curve is exact;
elsewhere a grid of points is classified. Abu-Mostafa, Magdon-Ismail & Lin (2012), section 3.4, ISBN 978-1-60049-006-4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, to_rgb
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from gnomon._typing import ArrayLike, Floats
from gnomon.plot._style import (
    INK,
    axis_names,
    class_color,
    classes_of,
    dress,
    new_axes,
    rows_like,
    scatter_classes,
    styles,
    window,
)

__all__ = ["decision_boundary", "decision_lines"]

Grid: TypeAlias = tuple[Floats, Floats, Any]
"""Both coordinates on a lattice, and its points as rows in the form of X."""


def decision_boundary(
    model: BaseEstimator,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    method: Literal["auto", "inverse", "grid"] = "auto",
    resolution: int = 240,
    ax: Axes | None = None,
) -> Axes:
    """The boundary (1) of a fitted classifier of two features, its regions, and the data.

    Parameters
    ----------
    model : fitted classifier
        Linear, or a scikit-learn pipeline of feature maps and a classifier, or any other.
    X : array of shape (n, 2)
    y : array of shape (n,), optional
        Labels to colour the points by.
    method : {"auto", "inverse", "grid"}, default="auto"
        "inverse" carries the line wᵀz + b = 0 back through `inverse_transform`, "grid" classifies a grid; "auto" takes
        the first where the map is invertible onto two columns and the classifier is linear and binary.
    resolution : int, default=240
        Points along each side of the grid, and along the line.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        With the method "inverse" the boundary is the line labelled "boundary".

    References
    ----------
    Abu-Mostafa, Y. S., Magdon-Ismail, M. & Lin, H.-T. (2012). Learning From Data, section 3.4. ISBN 978-1-60049-006-4

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from gnomon import plot
    >>> X, y = np.array([[0.0, 0], [1, 0], [0, 2], [1, 2]]), np.array([0, 0, 1, 1])
    >>> ax = plot.decision_boundary(LogisticRegression().fit(X, y), X, y)
    >>> bool(np.allclose(ax.lines[0].get_ydata(), 1.0, atol=0.01))
    True
    """
    rows, (x_name, y_name) = two_columns(X), axis_names(X)[:2]
    route = _route(model, method)
    ax = new_axes(ax, width=4.6, height=4.0)
    low, high = window(rows)
    grid = grid_over(X, resolution)
    _shade(ax, model, grid)
    if route == "inverse":
        curve = _carried_back(model, X, grid, resolution)
        ax.plot(*curve.T, color=INK, linewidth=1.8, label="boundary")
    else:
        contour_lines(ax, model, grid)
    if y is not None:
        scatter_classes(ax, rows, y)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    return dress(ax, x=x_name, y=y_name, legend="best" if y is not None else None, grid=None)


def decision_lines(
    models: Mapping[str, BaseEstimator | tuple[ArrayLike, float]], X: ArrayLike, y: ArrayLike, *, ax: Axes | None = None
) -> Axes:
    """The boundaries of several linear classifiers over one set of points.

    Parameters
    ----------
    models : dict of str to fitted linear classifier, or to (w, b)
        By label.
    X : array of shape (n, 2)
    y : array of shape (n,)
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems. doi:10.1111/j.1469-1809.1936.tb02137.x

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> X, y = np.array([[0.0, 0], [1, 0], [0, 2], [1, 2]]), np.array([0, 0, 1, 1])
    >>> ax = plot.decision_lines({"w = (0, 1), b = −1": (np.array([0.0, 1.0]), -1.0)}, X, y)
    >>> [float(v) for v in ax.lines[0].get_ydata()]
    [1.0, 1.0]
    """
    rows, (x_name, y_name) = two_columns(X), axis_names(X)[:2]
    ax = new_axes(ax, width=5.8, height=4.0)
    low, high = window(rows)
    scatter_classes(ax, rows, y)
    for (name, model), (color, dash) in zip(models.items(), styles(len(models)), strict=True):
        w, b = model if isinstance(model, tuple) else weights_of(model)
        ax.plot(*line_ends(w, b, low, high).T, color=color, linestyle=dash, linewidth=1.9, label=name)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    return dress(ax, x=x_name, y=y_name, legend="outside")


def line_ends(w: ArrayLike, b: float, low: Floats, high: Floats) -> Floats:
    """The two points where the line wᵀx + b = 0 leaves the box, or NaN where it misses it."""
    w = np.asarray(w, dtype=float)
    ends = []
    for j in range(2):
        for edge in (low[j], high[j]):
            if w[1 - j] != 0.0:
                other = -(b + w[j] * edge) / w[1 - j]
                if low[1 - j] - 1e-12 <= other <= high[1 - j] + 1e-12:
                    ends.append((edge, other) if j == 0 else (other, edge))
    return np.array([ends[0], ends[-1]]) if len(ends) > 1 else np.full((2, 2), np.nan)


def two_columns(X: ArrayLike) -> Floats:
    X = np.asarray(X, dtype=float)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError(f"X has shape {X.shape}; this picture has two axes, give two columns")
    return X


def one_column(X: ArrayLike) -> Floats:
    """The column of a table that has one."""
    X = np.asarray(X, dtype=float)
    if X.ndim != 2 or X.shape[1] != 1:
        raise ValueError(f"X has shape {X.shape}; this picture has one feature, give one column")
    return X[:, 0]


def weights_of(model: BaseEstimator) -> tuple[Floats, float]:
    """w and b of a linear classifier of two classes; ValueError where it has none."""
    coef = np.atleast_2d(getattr(model, "coef_", np.empty((0, 0))))
    if coef.shape[0] != 1:
        raise ValueError(f"{model!r} has no single coefficient vector `coef_`; give a linear classifier of two classes")
    return coef[0], float(np.ravel(model.intercept_)[0])


def _parts(model: BaseEstimator) -> tuple[Pipeline | None, BaseEstimator]:
    """(map or None, last step) of a pipeline or a bare classifier."""
    if isinstance(model, Pipeline):
        return (model[:-1] if len(model.steps) > 1 else None), model[-1]
    return None, model


def _route(model: BaseEstimator, method: str) -> str:
    if method not in ("auto", "inverse", "grid"):
        raise ValueError(f"method={method!r} is unknown; choose 'auto', 'inverse' or 'grid'")
    if method == "grid":
        return "grid"
    before, last = _parts(model)
    coef = np.atleast_2d(getattr(last, "coef_", np.empty((0, 0))))
    possible = coef.shape == (1, 2) and (before is None or callable(getattr(before, "inverse_transform", None)))
    if method == "inverse" and not possible:
        raise ValueError(
            "method='inverse' needs a linear classifier of two classes on two columns, after maps with "
            "inverse_transform; use method='grid'"
        )
    return "inverse" if possible else "grid"


def _carried_back(model: BaseEstimator, X: ArrayLike, grid: Grid, resolution: int) -> Floats:
    """Points of the boundary in x: the line in z, sampled, through φ⁻¹; NaN where it leaves the picture."""
    before, last = _parts(model)
    w, b = weights_of(last)
    low, high = window(two_columns(X))
    if before is None:
        return line_ends(w, b, low, high)
    Z = np.asarray(before.transform(grid[2]))
    ends = line_ends(w, b, Z.min(axis=0), Z.max(axis=0))
    if not np.all(np.isfinite(ends)):
        return np.full((1, 2), np.nan)
    z = ends[0] + np.linspace(0.0, 1.0, 8 * resolution)[:, None] * (ends[1] - ends[0])
    x = np.asarray(before.inverse_transform(z))
    # A point of the line that is not the image of any x is mapped back to another place.
    good = np.all(np.isclose(before.transform(rows_like(X, x)), z, rtol=1e-6, atol=1e-9), axis=1)
    good &= np.all((x >= low) & (x <= high), axis=1)
    return np.where(good[:, None], x, np.nan)


def grid_over(X: ArrayLike, resolution: int, *, margin: float = 0.12) -> Grid:
    """Two matrices of coordinates that cover X, and the same points as rows of the kind that X has."""
    low, high = window(two_columns(X), margin=margin)
    A, B = np.meshgrid(*(np.linspace(low[j], high[j], resolution) for j in range(2)))
    return A, B, rows_like(X, np.column_stack([A.ravel(), B.ravel()]))


def _shade(ax: Axes, model: BaseEstimator, grid: Grid) -> None:
    """Faint regions in the colours of the classes."""
    A, B, points = grid
    labels, index = classes_of(model.predict(points))
    order = np.searchsorted(model.classes_, labels)
    n = len(model.classes_)
    tints = [0.82 + 0.18 * np.array(to_rgb(class_color(k, n))) for k in range(n)]
    paint: dict[str, Any] = {"cmap": ListedColormap(tints), "vmin": -0.5, "vmax": n - 0.5, "rasterized": True}
    ax.pcolormesh(A, B, order[index].reshape(A.shape), **paint)


def contour_lines(ax: Axes, model: BaseEstimator, grid: Grid) -> None:
    """The curves between regions: where the score changes sign, or else between classes."""
    points = grid[2]
    score = getattr(model, "decision_function", None)
    if callable(score):
        leads = leads_of(np.asarray(score(points)))
    else:
        leads = [np.where(model.predict(points) == label, 0.5, -0.5) for label in model.classes_]
    zero_lines(ax, grid, leads, colors=[INK] * len(leads), linewidths=1.8)


def zero_lines(ax: Axes, grid: Grid, values: Iterable[Floats], *, colors: Sequence[str], **options: Any) -> None:
    """Where each of several functions on the grid changes sign, in a colour of its own."""
    A, B = grid[:2]
    for value, color in zip(values, colors, strict=True):
        if value.min() < 0.0 < value.max():
            ax.contour(A, B, np.reshape(value, A.shape), levels=[0.0], colors=[color], **options)


def leads_of(scores: Floats) -> list[Floats]:
    """The score itself for two classes; for more, by how much each class leads the best other one."""
    if scores.ndim == 1:
        return [scores]
    columns = np.arange(scores.shape[1])
    if len(columns) < 2:
        return []
    return [scores[:, k] - scores[:, columns != k].max(axis=1) for k in columns]
