"""Gaussian processes: their draws, bands and weights, splines of scattered points, and the evidence.

    f ~ GP(m, k),    f | y,    E f(x) = Σᵢ wᵢ(x) yᵢ,    log p(y | θ)                                          (1)

Rasmussen & Williams (2006), figures 2.2, 2.6, 3.3 and 5.3; Unser (1999), figure 2, doi:10.1109/79.799930.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm
from matplotlib.ticker import MaxNLocator
from sklearn.base import BaseEstimator

from gnomon._typing import ArrayLike, Floats
from gnomon.gp import GaussianProcessRegressor, GridInterpolator
from gnomon.kernels import Kernel
from gnomon.plot._fits import predictive_band
from gnomon.plot._style import (
    DIVERGING,
    INK,
    MUTED,
    SECOND,
    SEQUENTIAL,
    GivenAxes,
    axis_names,
    check_columns,
    dress,
    new_axes,
    new_panels,
    rows_like,
    scatter_classes,
    styles,
)
from gnomon.plot.boundary import grid_over

__all__ = [
    "cardinal_functions",
    "evidence_contours",
    "grid_taps",
    "latent_surface",
    "process_band",
    "process_draws",
    "spline_surface",
]


def process_draws(
    kernels: Mapping[str, Kernel],
    *,
    window: tuple[float, float] = (0.0, 5.0),
    n_draws: int = 4,
    random_state: int = 0,
    ax: GivenAxes = None,
) -> dict[str, Axes]:
    """Draws of functions before any observation, a panel for each kernel of one column.

    Parameters
    ----------
    kernels : dict of str to Kernel
        By title.
    window : (low, high), default=(0, 5)
    n_draws : int, default=4
    random_state : int, default=0
        The same for all kernels, so that panels differ by their kernels alone.
    ax : dict or array of matplotlib Axes, optional

    Returns
    -------
    dict of str to matplotlib Axes

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.kernels import RBF, Matern
    >>> panels = plot.process_draws({"smooth": RBF(), "rough": Matern(nu=0.5)}, n_draws=2)
    >>> len(panels["rough"].lines)
    2
    """
    panels = new_panels(ax, kernels, width=3.6, height=2.7, sharey=True)
    x = np.linspace(*window, 400)
    for title, axes in panels.items():
        process = GaussianProcessRegressor(kernels[title])
        draws = process.sample_prior(x[:, None], n_draws, random_state=random_state)
        spread = process.predict(x[:, None], return_std=True)[1]
        axes.fill_between(x, -2.0 * spread, 2.0 * spread, color=MUTED, alpha=0.15, linewidth=0)
        for draw, (color, _) in zip(draws.T, styles(n_draws), strict=True):
            axes.plot(x, draw, color=color, linewidth=1.4)
        dress(axes, x="$x$", y="$f(x)$", title=title)
        axes.set_xlim(*window)
    return panels


def process_band(
    model: GaussianProcessRegressor,
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_draws: int = 0,
    truth: Callable[[Floats], ArrayLike] | None = None,
    window: tuple[float, float] | None = None,
    random_state: int = 0,
    ax: Axes | None = None,
) -> Axes:
    """A process of one column after its observations: its mean, bands of f and of an observation, and draws of f.

    Parameters
    ----------
    model : fitted GaussianProcessRegressor
    X : array of shape (n, 1)
    y : array of shape (n,)
    n_draws : int, default=0
        Draws of f.
    truth : callable, optional
        The function that made the data.
    window : (low, high), optional
        The range of the data, and a fifth of it on each side.
    random_state : int, default=0
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.gp import GaussianProcessRegressor
    >>> X, y = np.array([[0.0], [1.0]]), np.array([1.0, 2.0])
    >>> ax = plot.process_band(GaussianProcessRegressor(noise=0.1, optimizer=None).fit(X, y), X, y, n_draws=3)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['prediction, ±2 sd', 'function, ±2 sd', 'mean', 'data', 'draws']
    """
    places = check_columns("X", X, 1)[:, 0]
    low, high = (np.min(places), np.max(places)) if window is None else window
    pad = 0.2 * (high - low) if window is None else 0.0
    # The places of the observations are among those that are drawn: there a band without noise has no width.
    x = np.union1d(np.linspace(low - pad, high + pad, 400), places[(places >= low - pad) & (places <= high + pad)])
    points = rows_like(X, x[:, None])
    mean, latent = model.predict(points, return_std=True)
    whole = model.predict(points, return_std=True, include_noise=True)[1]
    ax = predictive_band(x, mean, whole, latent_std=latent, data=(places, y), truth=truth, ax=ax)
    if n_draws:
        draws = model.sample_posterior(points, n_draws, random_state=random_state)
        for number, draw in enumerate(draws.T):
            ax.plot(x, draw, color=SECOND, linewidth=0.8, alpha=0.8, label="draws" if number == 0 else None)
    ax.set_xlim(x[0], x[-1])
    return dress(ax, x="$x$", y="$y$", legend="outside")


def cardinal_functions(
    model: GaussianProcessRegressor, X: ArrayLike, *, rows: Sequence[int] | None = None, ax: Axes | None = None
) -> Axes:
    """The weight of each of some observations in the mean, over the places where it is taken.

    Parameters
    ----------
    model : fitted GaussianProcessRegressor
        Of one column.
    X : array of shape (n, 1)
        The rows of the fit.
    rows : sequence of int, optional
        Which observations; five in the middle by default.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    Without noise a weight is 1 at its own observation and 0 at the others:

    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.gp import GaussianProcessRegressor
    >>> X = np.arange(6.0)[:, None]
    >>> ax = plot.cardinal_functions(GaussianProcessRegressor(noise=0.0, optimizer=None).fit(X, X[:, 0]), X, rows=[2])
    >>> x, w = ax.lines[0].get_data()
    >>> np.interp(X[:, 0], x, w).round(6) + 0.0
    array([0., 0., 1., 0., 0., 0.])
    """
    places = check_columns("X", X, 1)[:, 0]
    middle = len(places) // 2
    chosen = np.argsort(places)[max(0, middle - 2) : middle + 3] if rows is None else rows
    x = np.union1d(np.linspace(places.min(), places.max(), 600), places)
    W = model.cardinal_weights(rows_like(X, x[:, None]))
    ax = new_axes(ax, width=6.0)
    for i, (color, dash) in zip(chosen, styles(len(chosen)), strict=True):
        ax.plot(x, W[:, i], color=color, linestyle=dash, linewidth=1.6, label=f"$x_i$ = {places[i]:.3g}")
    ax.plot(places, np.zeros_like(places), "|", color=INK, markersize=9)
    return dress(ax, x="$x$", y="weight $w_i(x)$", legend="outside")


def grid_taps(
    kernels: Sequence[Any] = ("linear", "bspline2", "bspline3", "catmull_rom", "sinc"),
    *,
    reach: int = 4,
    t: float = 0.25,
    ax: GivenAxes = None,
) -> dict[str, Axes]:
    """Kernels of a unit grid, the cardinal functions that they give, and the weights of the values at one place.

    Parameters
    ----------
    kernels : sequence of str or Kernel
        As in `gnomon.gp.GridInterpolator`.
    reach : int, default=4
        Steps on each side.
    t : float, default=0.25
        The place between two points of the grid whose weights are drawn.
    ax : dict or array of three matplotlib Axes, optional

    Returns
    -------
    dict with the Axes "kernel", "cardinal" and "taps"

    Examples
    --------
    >>> from gnomon import plot
    >>> panels = plot.grid_taps(["linear"], t=0.3)
    >>> [float(v) for v in panels["taps"].lines[0].get_ydata().round(3)]
    [0.0, 0.0, 0.0, 0.0, 0.7, 0.3, 0.0, 0.0, 0.0]
    """
    panels = new_panels(ax, ["kernel", "cardinal", "taps"], width=4.2, height=3.1)
    x, grid = np.linspace(-reach, reach, 801), np.arange(-reach, reach + 1)
    # A grid so long that its ends are not seen from the middle.
    far = 30 + reach
    unit = (np.arange(2 * far + 1) == far).astype(float)
    for kernel, (color, dash) in zip(kernels, styles(len(kernels)), strict=True):
        filter_ = GridInterpolator(kernel, extrapolate="mean").fit(unit)
        name = kernel if isinstance(kernel, str) else repr(kernel)
        look: dict[str, Any] = {"color": color, "linestyle": dash, "linewidth": 1.6, "label": name}
        values = filter_.kernels_[0].gram(x[:, None], np.zeros((1, 1))).ravel()
        panels["kernel"].plot(x, values, **look)
        panels["cardinal"].plot(x, filter_.predict(x[:, None] + far), **look)
        # By shifts of the grid the weight of the value at j is the cardinal function at t − j.
        panels["taps"].plot(grid, filter_.predict(t - grid[:, None] + far), marker="o", markersize=4, **look)
    dress(panels["kernel"], x="$x$", y="$k(x)$", title="kernel", legend="upper right")
    dress(panels["cardinal"], x="$x$", y="weight of the value at 0", title="cardinal function")
    dress(panels["taps"], x="point $j$ of the grid", y="weight", title=f"taps at t = {t:g}")
    return panels


def spline_surface(model: BaseEstimator, X: ArrayLike, y: ArrayLike, *, resolution: int = 60, ax: Any = None) -> Axes:
    """A function of two columns as a surface, with the points that it passes through or near.

    Parameters
    ----------
    model : fitted regressor
        Such as `gnomon.gp.ThinPlateSpline`.
    X : array of shape (n, 2)
    y : array of shape (n,)
    resolution : int, default=60
    ax : matplotlib Axes in three dimensions, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.gp import ThinPlateSpline
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.5]])
    >>> ax = plot.spline_surface(ThinPlateSpline().fit(X, [0, 0, 0, 0, 1]), X, [0, 0, 0, 0, 1])
    >>> ax.get_xlabel()
    '$x_1$'
    """
    names, rows = axis_names(X), check_columns("X", X, 2)
    A, B, points = grid_over(X, resolution)
    Z = np.asarray(model.predict(points)).reshape(A.shape)
    values = np.asarray(y, dtype=float)
    ax = new_axes(ax, width=6.0, height=4.6, projection="3d")
    space: Any = ax
    space.plot_surface(A, B, Z, cmap=SEQUENTIAL, alpha=0.6, linewidth=0, antialiased=True)
    ax.contour(A, B, Z, levels=10, colors=MUTED, linewidths=0.5)
    space.scatter(
        rows[:, 0], rows[:, 1], values, color=SECOND, edgecolor="white", s=36, depthshade=False, label="points"
    )
    # What smoothing leaves between the surface and a point.
    for row, value, fitted in zip(rows, values, np.asarray(model.predict(X)), strict=True):
        ax.plot([row[0]] * 2, [row[1]] * 2, [value, fitted], color=SECOND, linewidth=1.0)
    ax.set(xlabel=names[0], ylabel=names[1], zlabel="$f$")
    return ax


def latent_surface(
    model: BaseEstimator, X: ArrayLike, y: ArrayLike, *, resolution: int = 100, ax: GivenAxes = None
) -> dict[str, Axes]:
    """A Gaussian process classifier of two classes and columns: its probability, and the latent mean and deviation.

    Parameters
    ----------
    model : fitted GaussianProcessClassifier
    X : array of shape (n, 2)
    y : array of shape (n,)
    resolution : int, default=100
    ax : dict or array of three matplotlib Axes, optional

    Returns
    -------
    dict with the Axes "probability", "mean" and "deviation"

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.gp import GaussianProcessClassifier
    >>> X, y = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [3.0, 1.0]]), [0, 0, 1, 1]
    >>> panels = plot.latent_surface(GaussianProcessClassifier().fit(X, y), X, y, resolution=20)
    >>> list(panels)
    ['probability', 'mean', 'deviation']
    """
    names = axis_names(X)[:2]
    A, B, points = grid_over(X, resolution)
    mean, variance = model.predict_latent(points)
    if np.ndim(mean) > 1:
        raise ValueError(f"the model has {len(model.classes_)} classes; this picture is of two, give another model")
    panels = new_panels(ax, ["probability", "mean", "deviation"], width=4.1, height=3.3)
    most = float(np.max(np.abs(mean)))
    parts: dict[str, tuple[Floats, dict[str, Any]]] = {
        "probability": (model.predict_proba(points)[:, 1], {"cmap": DIVERGING, "levels": np.linspace(0.0, 1.0, 21)}),
        "mean": (mean, {"cmap": DIVERGING, "levels": np.linspace(-most, most, 21)}),
        "deviation": (np.sqrt(variance), {"cmap": SEQUENTIAL, "levels": 16}),
    }
    titles = {"probability": f"P({model.classes_[1]} | x)", "mean": "latent mean", "deviation": "latent sd"}
    for name, (values, look) in parts.items():
        axes = panels[name]
        filled = axes.contourf(A, B, values.reshape(A.shape), alpha=0.85, **look)
        axes.figure.colorbar(filled, ax=axes, shrink=0.85, ticks=MaxNLocator(6))
        axes.contour(A, B, mean.reshape(A.shape), levels=[0.0], colors=INK, linewidths=1.4)
        scatter_classes(axes, X, y, size=18)
        dress(axes, x=names[0], y=names[1], title=titles[name], grid=None)
    return panels


def evidence_contours(
    model: GaussianProcessRegressor,
    pair: tuple[int, int] = (0, 1),
    *,
    spread: float = 2.5,
    resolution: int = 30,
    ax: Axes | None = None,
) -> Axes:
    """log p(y) over two hyper-parameters around those that were found, the others fixed there.

    Parameters
    ----------
    model : fitted GaussianProcessRegressor
    pair : (int, int), default=(0, 1)
        Places in θ, of which the noise is the last where it was learned.
    spread : float, default=2.5
        How far log θ goes on each side.
    resolution : int, default=30
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.gp import GaussianProcessRegressor
    >>> from gnomon.kernels import RBF
    >>> X = np.arange(8.0)[:, None]
    >>> model = GaussianProcessRegressor(RBF(), noise="learn").fit(X, np.sin(X[:, 0]) + [0, 0.2] * 4)
    >>> plot.evidence_contours(model, resolution=5).get_xlabel()
    'length_scale'
    """
    theta, names = model.hyperparameters()
    i, j = pair
    offsets = np.linspace(-spread, spread, resolution)
    values = np.empty((resolution, resolution))
    for a, first in enumerate(offsets):
        for b, second in enumerate(offsets):
            moved = theta.copy()
            moved[i] += first
            moved[j] += second
            values[b, a] = model.log_marginal_likelihood(moved)
    best = model.log_marginal_likelihood_value_
    ax = new_axes(ax, width=5.4, height=4.2)
    across, up = np.exp(theta[i] + offsets), np.exp(theta[j] + offsets)
    # Steps that grow away from the maximum, where the surface is steep.
    levels: Floats = best - np.array([64.0, 32.0, 16.0, 8.0, 4.0, 2.0, 1.0, 0.25])
    shown = np.maximum(values, levels[0])  # as far down as the levels go
    edges = [*levels, best + 1e-9]
    # The same step of colour for each level, however far apart they are.
    filled = ax.contourf(across, up, shown, edges, cmap=SEQUENTIAL, norm=BoundaryNorm(edges, SEQUENTIAL.N))
    ax.contour(across, up, shown, levels=levels, colors=MUTED, linewidths=0.6)
    ax.figure.colorbar(filled, ax=ax, label="$\\log p(y)$", shrink=0.9)
    ax.plot(np.exp(theta[i]), np.exp(theta[j]), marker="P", color=SECOND, markeredgecolor="white", markersize=10)
    ax.set_xscale("log")
    ax.set_yscale("log")
    return dress(ax, x=names[i], y=names[j], grid=None)
