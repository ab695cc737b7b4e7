"""Support vector machines: regions, margins and slacks, the choice of their parameters, nested contours.

    f(x) = 0, ±1,        ξᵢ = max(0, 1 − yᵢ f(xᵢ)),        {x : f_m(x) > 0} for each level m                    (1)

Cortes & Vapnik (1995), doi:10.1007/BF00994018; Lee & Scott (2010), doi:10.1109/TSP.2009.2036071.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from sklearn.base import BaseEstimator

from gnomon._typing import ArrayLike, Floats
from gnomon.plot._style import (
    ACCENT,
    INK,
    MUTED,
    SECOND,
    SEQUENTIAL,
    GivenAxes,
    axis_names,
    classes_of,
    dress,
    drop_legend,
    new_axes,
    new_panels,
    scatter_classes,
    scatter_rows,
    styles,
    window,
)
from gnomon.plot.boundary import decision_boundary, grid_over, line_ends, two_columns
from gnomon.svm import SVC, NestedOneClassSVM

__all__ = ["boundary_panels", "hidden_sum", "nested_regions", "search_map", "svm_margin"]

RINGS = {"margin": INK, "bound": SECOND}
"""Support vectors on the margin, and those whose multiplier is at its bound."""


def boundary_panels(
    models: Mapping[str, BaseEstimator],
    X: ArrayLike,
    y: ArrayLike,
    *,
    columns: int = 3,
    resolution: int = 160,
    ax: GivenAxes = None,
) -> dict[str, Axes]:
    """Regions of several classifiers of two features, side by side.

    Parameters
    ----------
    models : dict of str to fitted classifier
        By title, for instance one kernel with several widths.
    X : array of shape (n, 2)
    y : array of shape (n,)
    columns : int, default=3
        Panels in a row.
    resolution : int, default=160
    ax : array or dict of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.kernels import RBF
    >>> from gnomon.svm import SVC
    >>> X, y = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), np.array([0, 0, 1, 1])
    >>> models = {f"ℓ = {width}": SVC(kernel=RBF(width)).fit(X, y) for width in (0.2, 1.0)}
    >>> list(plot.boundary_panels(models, X, y))
    ['ℓ = 0.2', 'ℓ = 1.0']
    """
    panels = new_panels(ax, models, columns=columns, width=3.3, height=3.0, sharex=True, sharey=True)
    names = axis_names(X)
    for number, (title, axes) in enumerate(panels.items()):
        decision_boundary(models[title], X, y, method="grid", resolution=resolution, ax=axes)
        dress(axes, x=names[0], y=names[1], title=title, grid=None)
        if number:
            drop_legend(axes)
    return panels


def svm_margin(
    model: SVC,
    X: ArrayLike,
    y: ArrayLike,
    *,
    others: Mapping[str, tuple[ArrayLike, float]] | None = None,
    resolution: int = 240,
    ax: Axes | None = None,
) -> Axes:
    """The boundary f = 0 and the margin f = ±1 of a machine of two classes, its support vectors and slacks.

    Slacks are drawn as lines to the margin of a linear kernel, along its normal; of other kernels they are the sizes of
    the rings.

    Parameters
    ----------
    model : fitted SVC
    X, y : arrays of shape (n, 2) and (n,)
        The training rows.
    others : dict of str to (w, b), optional
        Other lines that separate the classes.
    resolution : int, default=240
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The support vectors are the collections "on the margin" and "α = C", slacks the lines labelled "slack".

    References
    ----------
    Cortes, C. & Vapnik, V. (1995). Support-vector networks. doi:10.1007/BF00994018

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.svm import SVC
    >>> X = np.array([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [3.0, 0.0], [0.5, 0.5]])
    >>> y = np.array([-1, -1, 1, 1, 1])
    >>> ax = plot.svm_margin(SVC(kernel="linear").fit(X, y), X, y)
    >>> [len(c.get_offsets()) for c in ax.collections if c.get_label() in ("on the margin", "α = C")]
    [2, 2]
    """
    if len(model.classes_) != 2:
        raise ValueError(f"a margin is drawn for two classes; the model has {len(model.classes_)}")
    rows, (x_name, y_name) = two_columns(X), axis_names(X)[:2]
    ax = new_axes(ax, width=6.2, height=4.4)
    low, high = window(rows)
    A, B, points = grid_over(X, resolution)
    f = model.decision_function(points).reshape(A.shape)
    for (name, (w, b)), (_, dash) in zip((others or {}).items(), styles(len(others or {})), strict=True):
        ax.plot(*line_ends(w, b, low, high).T, color=MUTED, linewidth=1.0, linestyle=dash, label=name)
    ax.contourf(A, B, f, levels=[-1.0, 1.0], colors=[ACCENT], alpha=0.08)
    ax.contour(A, B, f, levels=[-1.0, 0.0, 1.0], colors=[MUTED, INK, MUTED], linewidths=[1.1, 2.0, 1.1])
    ax.plot([], [], color=INK, linewidth=2.0, label="$f = 0$")
    ax.plot([], [], color=MUTED, linewidth=1.1, label="$f = \\pm 1$")
    scatter_classes(ax, rows, y, size=26)
    slack = np.nan_to_num(model.slack_)
    for kind, name in (("margin", "on the margin"), ("bound", "α = C")):
        chosen = model.point_classes_ == kind
        size = 95.0 + 60.0 * np.minimum(slack[chosen], 3.0)
        scatter_rows(
            ax, rows[chosen], s=size, facecolor="none", edgecolor=RINGS[kind], linewidth=1.4, zorder=5, label=name
        )
    _draw_slacks(ax, model, rows, y, slack)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    return dress(ax, x=x_name, y=y_name, legend="outside", grid=None)


def _draw_slacks(ax: Axes, model: SVC, rows: Floats, y: ArrayLike, slack: Floats) -> None:
    """From each row inside the margin to its side of it: ξ/‖w‖ along w."""
    coef = getattr(model, "coef_", None)
    if coef is None:
        return
    w = np.ravel(coef)
    sign = 2.0 * classes_of(y)[1] - 1.0
    ends = rows + (sign * slack / float(w @ w))[:, None] * w
    for number, i in enumerate(np.flatnonzero(slack > 1e-6)):
        pair = np.array([rows[i], ends[i]])
        ax.plot(*pair.T, color=SECOND, linewidth=1.1, zorder=2, label="slack" if number == 0 else None)


def search_map(search: BaseEstimator, x: str, y: str, *, score: str = "score", ax: Axes | None = None) -> Axes:
    """The mean score of a grid search over two parameters, both on logarithmic scales, and the pair that was chosen.

    Parameters
    ----------
    search : fitted GridSearchCV
    x, y : str
        Names of the parameters, for instance "C" and "gamma".
    score : str, default="score"
        What the colours are called.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The scores are the values of its first collection, y by x.

    References
    ----------
    Hsu, C.-W., Chang, C.-C. & Lin, C.-J. (2003). A practical guide to support vector classification.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV
    >>> from gnomon import plot
    >>> from gnomon.svm import SVC
    >>> X = np.random.default_rng(0).normal(size=(40, 2))
    >>> grid = {"C": [0.1, 1.0], "gamma": [0.1, 1.0, 10.0]}
    >>> ax = plot.search_map(GridSearchCV(SVC(), grid, cv=2).fit(X, X[:, 0] > 0), "C", "gamma")
    >>> ax.collections[0].get_array().shape
    (3, 2)
    """
    found: Any = search
    columns = [np.array([float(params[name]) for params in found.cv_results_["params"]]) for name in (x, y)]
    (across, i), (up, j) = (np.unique(values, return_inverse=True) for values in columns)
    table = np.full((len(up), len(across)), np.nan)
    table[j, i] = found.cv_results_["mean_test_score"]
    ax = new_axes(ax, width=5.2, height=4.0)
    image = ax.pcolormesh(across, up, table, cmap=SEQUENTIAL, shading="nearest")
    ax.figure.colorbar(image, ax=ax, shrink=0.85, label=score)
    best = found.best_params_
    ax.plot([best[x]], [best[y]], marker="o", ms=9, mfc="none", mec=SECOND, mew=2.0, linestyle="", label="chosen")
    ax.set(xscale="log", yscale="log")
    return dress(ax, x=x, y=y, legend="best", grid=None)


def nested_regions(model: NestedOneClassSVM, X: ArrayLike, *, resolution: int = 240, ax: Axes | None = None) -> Axes:
    """The contours of a nested one-class machine of two features, each inside the next.

    Parameters
    ----------
    model : fitted NestedOneClassSVM
    X : array of shape (n, 2)
    resolution : int, default=240
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Lee, G. & Scott, C. (2010). Nested support vector machines. doi:10.1109/TSP.2009.2036071

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.svm import NestedOneClassSVM
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> ax = plot.nested_regions(NestedOneClassSVM((0.5, 0.9)).fit(X), X, resolution=60)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['rows', '50 %', '90 %']
    """
    rows, names = two_columns(X), axis_names(X)
    ax = new_axes(ax, width=5.8, height=4.2)
    A, B, points = grid_over(X, resolution, margin=0.25)
    index = model.region_index(points).reshape(A.shape)
    count = len(model.levels_)
    shades = SEQUENTIAL(np.linspace(0.85, 0.15, count))
    scatter_rows(ax, rows, s=12, color=INK, alpha=0.55, linewidth=0, zorder=4, label="rows")
    f = model.decision_function(points)
    for m in reversed(range(count)):
        ax.contourf(A, B, (index <= m).astype(float), levels=[0.5, 1.5], colors=[shades[m]])
        ax.contour(A, B, f[:, m].reshape(A.shape), levels=[0.0], colors=[INK], linewidths=1.0)
    for m in range(count):
        ax.plot([], [], color=shades[m], linewidth=7, label=f"{100 * model.levels_[m]:g} %")
    return dress(ax, x=names[0], y=names[1], legend="outside", grid=None)


def hidden_sum(net: BaseEstimator, X: ArrayLike, *, resolution: int = 400, ax: Axes | None = None) -> Axes:
    """A network of one feature and one hidden layer of tanh, as the sum of its scaled units.

    Parameters
    ----------
    net : fitted MLPRegressor
        With ``activation="tanh"`` and one hidden layer.
    X : array of shape (n, 1)
        The range that is drawn.
    resolution : int, default=400
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The units are faint, the line "sum" is what the network predicts.

    References
    ----------
    Cybenko, G. (1989). Approximation by superpositions of a sigmoidal function. doi:10.1007/BF02551274

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neural_network import MLPRegressor
    >>> from gnomon import plot
    >>> X = np.linspace(-1, 1, 20)[:, None]
    >>> net = MLPRegressor(hidden_layer_sizes=(3,), activation="tanh", solver="lbfgs", random_state=0)
    >>> net = net.fit(X, X[:, 0] ** 3)
    >>> ax = plot.hidden_sum(net, X)
    >>> x = ax.lines[-1].get_xdata()
    >>> len(ax.lines), bool(np.allclose(ax.lines[-1].get_ydata(), net.predict(x[:, None])))
    (4, True)
    """
    found: Any = net
    if found.activation != "tanh" or len(found.coefs_) != 2 or len(found.coefs_[0]) != 1:
        raise ValueError("the picture is of one feature and one hidden layer with activation='tanh'")
    low, high = float(np.min(np.asarray(X))), float(np.max(np.asarray(X)))
    x = np.linspace(low, high, resolution)
    units = np.tanh(x[:, None] * found.coefs_[0] + found.intercepts_[0]) * found.coefs_[1][:, 0]
    ax = new_axes(ax)
    for k in range(units.shape[1]):
        ax.plot(x, units[:, k], color=MUTED, linewidth=0.9, alpha=0.7, label="$a_k\\tanh$" if k == 0 else None)
    ax.plot(x, units.sum(axis=1) + found.intercepts_[1][0], color=ACCENT, linewidth=2.2, label="sum")
    return dress(ax, x=axis_names(X)[0], y="output", legend="best")
