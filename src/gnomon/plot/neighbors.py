"""Pictures of similarity: cells of nearest neighbours, errors over k, sums of bumps.

    cell of x_i = {x : d(x, x_i) ≤ d(x, x_j) for all j},    h(x) = Σ_k w_k exp(−γ_k ‖x − μ_k‖²) + b                  (1)

Voronoi (1908), doi:10.1515/crll.1908.133.97; Broomhead & Lowe (1988), Complex Systems 2, 321–355.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from scipy.spatial import Voronoi
from sklearn.base import BaseEstimator

from gnomon._typing import ArrayLike, Floats
from gnomon.neighbors import ErrorCurve
from gnomon.optim import radial_design
from gnomon.plot._style import (
    ACCENT,
    DIVERGING,
    INK,
    MUTED,
    SECOND,
    GivenAxes,
    dress,
    new_axes,
    new_panels,
    scatter_rows,
    styles,
    window,
)
from gnomon.plot.boundary import decision_boundary, grid_over, one_column, two_columns

__all__ = ["landmark_surface", "neighbor_error_curves", "network_diagram", "radial_fits", "voronoi_cells"]


def voronoi_cells(
    model: BaseEstimator, X: ArrayLike, y: ArrayLike, *, resolution: int = 300, ax: Axes | None = None
) -> Axes:
    """The cells (1) of the rows, each in the colour of its class, and the regions that they make together.

    Parameters
    ----------
    model : fitted KNeighborsClassifier
        With one neighbour its regions are unions of cells.
    X : array of shape (n, 2)
        The rows that were fitted.
    y : array of shape (n,)
    resolution : int, default=300
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Voronoi, G. (1908). Nouvelles applications des paramètres continus à la théorie des formes quadratiques.
    doi:10.1515/crll.1908.133.97

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.neighbors import KNeighborsClassifier
    >>> X, y = [[0.0, 0], [1, 0], [0, 1], [2, 2], [3, 1]], [0, 0, 0, 1, 1]
    >>> ax = plot.voronoi_cells(KNeighborsClassifier(1).fit(X, y), X, y)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['class 0', 'class 1']
    """
    rows = two_columns(X)
    ax = decision_boundary(model, X, y, method="grid", resolution=resolution, ax=ax)
    low, high = window(rows)
    # Far points around the rows close the outer cells.
    around = np.mean(rows, axis=0) + 1e3 * np.max(high - low) * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
    cells = Voronoi(np.unique(np.vstack([rows, around]), axis=0))
    for a, b in cells.ridge_vertices:
        if min(a, b) >= 0:
            ax.plot(*cells.vertices[[a, b]].T, color=MUTED, linewidth=0.6, zorder=2)
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    return ax


def neighbor_error_curves(
    curves: Mapping[str, ErrorCurve], *, error: str = "error", ax: GivenAxes = None
) -> dict[str, Axes]:
    """Errors over the number of neighbours, and over n/k, the effective number of parameters.

    Parameters
    ----------
    curves : dict of str to ErrorCurve
        By label: of training rows, of others, leave-one-out.
    error : str, default="error"
        What the errors are called.
    ax : two Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "neighbors" and "dof".

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, figure 2.4.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.neighbors import KNeighborsRegressor
    >>> x = np.linspace(0.0, 6.0, 30)[:, None]
    >>> model = KNeighborsRegressor().fit(x, np.sin(x[:, 0]))
    >>> panels = plot.neighbor_error_curves({"leave-one-out": model.error_curve(loo=True)})
    >>> sorted(panels)
    ['dof', 'neighbors']
    """
    panels = new_panels(ax, ("neighbors", "dof"), width=4.4, height=3.4)
    for (name, curve), (color, dash) in zip(curves.items(), styles(len(curves)), strict=True):
        look: dict[str, Any] = {"color": color, "linestyle": dash, "linewidth": 1.6, "label": name}
        panels["neighbors"].plot(curve.ks, curve.errors, **look)
        panels["dof"].plot(curve.effective_dof, curve.errors, **look)
    panels["dof"].set_xscale("log")
    dress(panels["neighbors"], x="neighbours $k$", y=error, legend="best")
    dress(panels["dof"], x="effective parameters $n/k$", y=error)
    return panels


def landmark_surface(model: BaseEstimator, *, resolution: int = 200, ax: Axes | None = None) -> Axes:
    """h(x) of a similarity model of two columns as a map with level lines, and the landmarks with their values.

    Parameters
    ----------
    model : fitted SimilarityModel
    resolution : int, default=200
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Nadaraya, E. A. (1964). On estimating regression. doi:10.1137/1109020

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.kernels import RBF
    >>> from gnomon.neighbors import SimilarityModel
    >>> model = SimilarityModel(kernel=RBF(1.0)).fit([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [1.0, 1.0, 0.0])
    >>> [text.get_text() for text in plot.landmark_surface(model).texts[-3:]]
    ['1', '1', '0']
    """
    rows = two_columns(model.landmarks_)
    A, B, points = grid_over(rows, resolution, margin=0.6)
    surface = np.reshape(model.predict(points), A.shape)
    ax = new_axes(ax, width=5.2, height=4.2)
    reach = float(np.max(np.abs(surface))) or 1.0
    image = ax.pcolormesh(A, B, surface, cmap=DIVERGING, vmin=-reach, vmax=reach, rasterized=True)
    lines = ax.contour(A, B, surface, levels=8, colors=INK, linewidths=0.6)
    ax.clabel(lines, fontsize=7)
    ax.figure.colorbar(image, ax=ax, label="$h(x)$")
    scatter_rows(ax, rows, color=INK, s=28, zorder=3)
    for row, value in zip(rows, np.ravel(model.values_), strict=True):
        ax.annotate(f"{value:.3g}", row, textcoords="offset points", xytext=(6, 5), color=INK, fontsize=9)
    return dress(ax, x="$x_1$", y="$x_2$", grid=None)


def radial_fits(
    models: Mapping[str, BaseEstimator], X: ArrayLike, y: ArrayLike, *, ax: GivenAxes = None
) -> dict[str, Axes]:
    """Fits of networks of one column, each with the weighted bumps, and the b, that it is the sum of.

    Parameters
    ----------
    models : dict of str to fitted RBFNetworkRegressor
        By label; small and large γ, for example.
    X : array of shape (n, 1)
    y : array of shape (n,)
    ax : Axes for each model, optional

    Returns
    -------
    dict of matplotlib Axes

    References
    ----------
    Broomhead, D. S. & Lowe, D. (1988). Multivariable functional interpolation and adaptive networks. Complex Systems 2,
    321–355.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.neighbors import RBFNetworkRegressor
    >>> x, y = np.array([[0.0], [1.0], [2.0]]), [0.0, 1.0, 1.0]
    >>> wide, narrow = (RBFNetworkRegressor("all", gamma=g, mode="interpolate").fit(x, y) for g in (0.5, 20.0))
    >>> list(plot.radial_fits({"γ = 0.5": wide, "γ = 20": narrow}, x, y))
    ['γ = 0.5', 'γ = 20']
    """
    x = one_column(X)
    panels = new_panels(ax, models, width=3.8, height=3.2)
    (low,), (high,) = window(x[:, None], margin=0.25)
    grid = np.linspace(low, high, 400)
    for name, model in models.items():
        panel = panels[name]
        for k, bump in enumerate(_bumps(model, grid).T):
            panel.plot(grid, bump, color=MUTED, linewidth=0.8, label="bumps" if k == 0 else None)
        if model.intercept_ != 0.0:
            panel.plot(grid, np.full(len(grid), model.intercept_), color=MUTED, linestyle=":", label="$b$")
        total = model.predict(grid[:, None])
        panel.plot(grid, total, color=ACCENT, linewidth=1.8, label="their sum")
        # Bumps of opposite signs may be hundreds of times as high as their sum.
        (least,), (most,) = window(np.concatenate([total, np.ravel(y)])[:, None], margin=0.5)
        panel.set_ylim(least, most)
        panel.scatter(x, y, color=SECOND, s=22, zorder=3, label="data")
        dress(panel, x="$x$", y="$h(x)$", title=name)
    next(iter(panels.values())).legend(fontsize=8, loc="best", framealpha=0.8, edgecolor="none")
    return panels


def _bumps(model: BaseEstimator, grid: Floats) -> Floats:
    """w_k exp(−γ_k (x − μ_k)²) for each centre."""
    return radial_design(grid[:, None], model.centers_, model.gamma_) * model.coef_


def network_diagram(model: BaseEstimator, *, most: int = 6, ax: Axes | None = None) -> Axes:
    """The blocks of a network: inputs, radial functions, weights and their sum, with b where there is one.

    Parameters
    ----------
    model : fitted RBFNetworkRegressor of one output
    most : int, default=6
        At most so many inputs and functions are drawn; dots stand for the others.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Broomhead, D. S. & Lowe, D. (1988). Multivariable functional interpolation and adaptive networks. Complex Systems 2,
    321–355.

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.neighbors import RBFNetworkRegressor
    >>> model = RBFNetworkRegressor([[0.5], [2.5]], gamma=1.0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 1, 0])
    >>> [text.get_text() for text in plot.network_diagram(model).texts if "0.6" in text.get_text()]
    ['$w_{1}$ = 0.635', '$w_{2}$ = 0.635']
    """
    K, d = model.centers_.shape
    weights = np.ravel(model.coef_)
    if len(weights) != K:
        raise ValueError(f"the network has {len(weights) // K} outputs; the diagram shows one: fit one column of y")
    ax = new_axes(ax, width=6.2, height=3.8)
    inputs, hidden = _places(d, most), _places(K, most)
    for i, (j, height) in enumerate(inputs):
        _node(ax, 0.0, height, f"$x_{{{j + 1}}}$")
        for _, top in hidden:
            ax.plot([0.14, 0.86], [height, top], color=MUTED, linewidth=0.6, zorder=1)
        if i + 1 == len(inputs) and d > len(inputs):
            ax.text(0.0, height - 0.5, "⋮", ha="center", va="top", color=INK)
    curve, plain = np.linspace(-1.0, 1.0, 60), {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    for i, (k, height) in enumerate(hidden):
        _node(ax, 1.0, height, "")
        ax.plot(
            1.0 + 0.1 * curve, height - 0.12 + 0.26 * np.exp(-6.0 * curve**2), color=ACCENT, linewidth=1.3, zorder=4
        )
        ax.plot([1.14, 2.36], [height, 0.0], color=MUTED, linewidth=0.8, zorder=1)
        ax.text(1.2, height + 0.16, f"$w_{{{k + 1}}}$ = {weights[k]:.3g}", fontsize=8, color=INK, zorder=5, bbox=plain)
        if i + 1 == len(hidden) and len(hidden) < K:
            ax.text(1.0, height - 0.5, "⋮", ha="center", va="top", color=INK)
    _node(ax, 2.5, 0.0, "Σ")
    if model.fit_intercept:
        ax.plot([2.5, 2.5], [-0.62, -0.14], color=MUTED, linewidth=0.8, zorder=1)
        ax.text(2.5, -0.66, f"$b$ = {model.intercept_:.3g}", ha="center", va="top", fontsize=8, color=INK)
    ax.annotate("$h(x)$", (2.64, 0.0), (3.05, 0.0), va="center", color=INK, arrowprops={"arrowstyle": "<-"})
    top = max(height for _, height in [*inputs, *hidden]) + 0.75
    for place, name in [(0.0, "inputs"), (1.0, r"$e^{-\gamma\|x-\mu\|^2}$"), (2.5, "sum")]:
        ax.text(place, top, name, ha="center", color=INK, fontsize=9)
    ax.set_xlim(-0.3, 3.4)
    ax.set_ylim(-top - 0.3, top + 0.4)
    ax.set_axis_off()
    return ax


def _places(count: int, most: int) -> list[tuple[int, float]]:
    """Numbers of the nodes that are drawn, and their heights around zero."""
    shown = min(count, most)
    return [(i, (shown - 1) / 2.0 - i) for i in range(shown)]


def _node(ax: Axes, x: float, y: float, name: str) -> None:
    ax.scatter([x], [y], s=620, facecolor="white", edgecolor=INK, linewidth=1.0, zorder=3)
    ax.text(x, y, name, ha="center", va="center", color=INK, fontsize=10, zorder=5)
