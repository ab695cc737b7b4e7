"""Classifiers of two features, beyond their boundary: probabilities, the image of a feature map, the pull of one point.

    P(+ | x) = σ(wᵀφ(x) + b)                                                                      (1)

Cox (1958), doi:10.1111/j.2517-6161.1958.tb00292.x; Bishop (2006), figure 4.4, ISBN 978-0-387-31073-2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from gnomon._typing import ArrayLike
from gnomon.plot._style import (
    DIVERGING,
    INK,
    GivenAxes,
    axis_names,
    check_columns,
    dress,
    drop_legend,
    label_panel,
    new_axes,
    new_panels,
    scatter_classes,
    window,
)
from gnomon.plot.boundary import decision_boundary, decision_lines, grid_over, line_ends, two_columns, weights_of

__all__ = ["boundary_in_both", "far_point", "probability_surface"]


def probability_surface(
    model: BaseEstimator,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    kind: Literal["contours", "surface"] = "contours",
    resolution: int = 160,
    ax: Axes | None = None,
) -> Axes:
    """P(positive | x) of a binary classifier of two features, as filled contours or as a surface.

    Parameters
    ----------
    model : fitted classifier with `predict_proba`
    X : array of shape (n, 2)
    y : array of shape (n,), optional
    kind : {"contours", "surface"}, default="contours"
    resolution : int, default=160
    ax : matplotlib Axes, optional
        3-D for a surface.

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Cox, D. R. (1958). The regression analysis of binary sequences. doi:10.1111/j.2517-6161.1958.tb00292.x

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from gnomon import plot
    >>> X, y = np.array([[0.0, 0], [1, 0], [0, 2], [1, 2]]), np.array([0, 0, 1, 1])
    >>> plot.probability_surface(LogisticRegression().fit(X, y), X, y).get_xlabel()
    '$x_1$'
    """
    if len(model.classes_) != 2:
        raise ValueError(f"the model has classes {model.classes_.tolist()}; this picture is of two, give another model")
    check_columns("X", X, 2)
    x_name, y_name = axis_names(X)
    A, B, points = grid_over(X, resolution)
    p = model.predict_proba(points)[:, 1].reshape(A.shape)
    if kind == "surface":
        return _surface(new_axes(ax, width=5.2, height=4.2, projection="3d"), A, B, p, (x_name, y_name))
    if kind != "contours":
        raise ValueError(f"kind={kind!r} is unknown; choose 'contours' or 'surface'")
    ax = new_axes(ax, width=5.2, height=4.0)
    filled = ax.contourf(A, B, p, levels=np.linspace(0, 1, 21), cmap=DIVERGING, alpha=0.65)
    lines = ax.contour(A, B, p, levels=[0.1, 0.25, 0.5, 0.75, 0.9], colors=INK, linewidths=[0.7, 0.7, 1.8, 0.7, 0.7])
    ax.clabel(lines, fmt="%.2g", fontsize=8)
    bar = ax.figure.colorbar(filled, ax=ax, ticks=[0, 0.25, 0.5, 0.75, 1])
    bar.set_label("probability of the positive class")
    bar.outline.set_visible(False)
    if y is not None:
        scatter_classes(ax, X, y)
    return dress(ax, x=x_name, y=y_name, grid=None)


def boundary_in_both(model: Pipeline, X: ArrayLike, y: ArrayLike, *, ax: GivenAxes = None) -> dict[str, Axes]:
    """The boundary of a pipeline in the space of x, and the plane it is in the space of z = φ(x).

    With more than two columns in z, the second panel looks along the plane: the score wᵀz + b across, and the largest
    variation of z within the plane upwards.

    Parameters
    ----------
    model : fitted pipeline of feature maps and a linear classifier of two classes
    X : array of shape (n, 2)
    y : array of shape (n,)
    ax : pair of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "X" and "Z".

    References
    ----------
    Abu-Mostafa, Y. S., Magdon-Ismail, M. & Lin, H.-T. (2012). Learning From Data, section 3.4. ISBN 978-1-60049-006-4

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import FunctionTransformer
    >>> from gnomon import plot
    >>> X, y = np.array([[0.0, 0], [1, 0], [0, 2], [1, 2]]), np.array([0, 0, 1, 1])
    >>> model = make_pipeline(FunctionTransformer(np.square), LogisticRegression()).fit(X, y)
    >>> list(plot.boundary_in_both(model, X, y))
    ['X', 'Z']
    """
    if not isinstance(model, Pipeline):
        raise ValueError(f"{model!r} maps X to nothing; give a pipeline of feature maps and a linear classifier")
    panels = new_panels(ax, ["X", "Z"], width=3.9, height=3.6)
    decision_boundary(model, X, y, ax=panels["X"])
    label_panel(panels["X"], "in $X$")
    Z = np.asarray(model[:-1].transform(X))
    w, b = weights_of(model[-1])
    names = ("$z_1$", "$z_2$")
    if Z.shape[1] != 2:
        Z, w, b = _edge_on(Z, w, b)
        names = ("score $w^\\top z + b$", "along the plane")
    low, high = window(Z)
    scatter_classes(panels["Z"], Z, y)
    panels["Z"].plot(*line_ends(w, b, low, high).T, color=INK, linewidth=1.8, label="boundary")
    panels["Z"].set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    dress(panels["Z"], x=names[0], y=names[1], title="in $Z = \\varphi(X)$")
    return panels


def far_point(
    models: Mapping[str, BaseEstimator], X: ArrayLike, y: ArrayLike, far: ArrayLike, label: Any, *, ax: GivenAxes = None
) -> dict[str, Axes]:
    """What one far point on the right side does to several linear classifiers: before, and with it.

    Parameters
    ----------
    models : dict of str to classifier
        By label; clones are fitted without and with the far point.
    X : array of shape (n, 2)
    y : array of shape (n,)
    far : array of shape (2,) or (m, 2)
        The point or points to add, all of class `label`.
    label : scalar
    ax : pair of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "without" and "with".

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, figure 4.4. ISBN 978-0-387-31073-2

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from gnomon import plot
    >>> X, y = np.array([[0.0, 0], [1, 0], [0, 2], [1, 2]]), np.array([0, 0, 1, 1])
    >>> panels = plot.far_point({"logistic": LogisticRegression()}, X, y, [0.5, 30.0], 1)
    >>> list(panels)
    ['without', 'with']
    """
    X, far = two_columns(X), np.atleast_2d(np.asarray(far, dtype=float))
    both = {"without": (X, np.asarray(y)), "with": (np.vstack([X, far]), np.append(y, [label] * len(far)))}
    panels = new_panels(ax, both, width=4.2, height=3.6)
    for (name, (rows, labels)), axes in zip(both.items(), panels.values(), strict=True):
        fitted = {title: clone(model).fit(rows, labels) for title, model in models.items()}
        decision_lines(fitted, rows, labels, ax=axes)
        label_panel(axes, f"{name} the far point{'' if len(far) == 1 else 's'}")
    panels["with"].set_ylabel("")
    drop_legend(panels["without"])
    return panels


def _surface(ax, A, B, p, names):
    ax.plot_surface(A, B, p, cmap=DIVERGING, vmin=0, vmax=1, linewidth=0, antialiased=True, alpha=0.9)
    ax.contour(A, B, p, levels=[0.5], colors=INK, linewidths=2.0)
    ax.set(xlabel=names[0], ylabel=names[1], zlabel="probability", zlim=(0, 1))
    ax.view_init(elev=28, azim=-125)
    return ax


def _edge_on(Z, w, b):
    """Coordinates (score, largest variation orthogonal to w), in which the plane is the vertical line at zero."""
    score = Z @ w + b
    within = Z - Z.mean(axis=0)
    within = within - np.outer(within @ w, w) / (w @ w)
    along = np.linalg.svd(within, full_matrices=False)[2][0]
    return np.column_stack([score, within @ along]), np.array([1.0, 0.0]), 0.0
