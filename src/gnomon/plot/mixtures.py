"""Mixtures: the density, its components, and how much of each row belongs to which.

    p(x) = Σⱼ wⱼ pⱼ(x),        γⱼ(x) = wⱼ pⱼ(x) / p(x)                                                (1)

Bishop (2006), figures 2.23, 9.5 and 9.7, ISBN 978-0-387-31073-2; McLachlan & Peel (2000), doi:10.1002/0471721182.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from sklearn.base import BaseEstimator

from gnomon._typing import ArrayLike, Floats
from gnomon.plot._gaussians import draw_normals, normals_of, weights_of_components
from gnomon.plot._style import COLORS, INK, MUTED, axis_names, dress, new_axes, rows_like, scatter_rows, styles, window
from gnomon.plot.boundary import grid_over, one_column, two_columns

__all__ = ["density_spikes", "mixture_curves", "mixture_levels", "responsibility_colors"]


def mixture_curves(
    model: BaseEstimator, X: ArrayLike, *, bins: int = 40, resolution: int = 801, ax: Axes | None = None
) -> Axes:
    """A mixture of one feature: histogram of the rows, weighted components, and their sum.

    Parameters
    ----------
    model : fitted GaussianMixture
    X : array of shape (n, 1)
    bins : int, default=40
    resolution : int, default=801
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, figure 2.22. ISBN 978-0-387-31073-2

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.generative import GaussianMixture
    >>> X = np.array([-2.2, -2.0, -1.8, 1.7, 2.0, 2.3])[:, None]
    >>> ax = plot.mixture_curves(GaussianMixture(2, random_state=0).fit(X), X, bins=6)
    >>> [line.get_label() for line in ax.lines]
    ['component 1', 'component 2', 'mixture']
    """
    rows = one_column(X)
    ax = new_axes(ax)
    ax.hist(rows, bins=bins, density=True, color="#DDDDDD", edgecolor="white", linewidth=0.5, label="rows")
    low, high = map(float, window(rows, margin=0.1))
    x = _with_means(low, high, model, resolution)
    parts = weights_of_components(model) * np.exp(normals_of(model).log_densities(x[:, None]))
    for j, (color, dash) in enumerate(styles(parts.shape[1])):
        ax.plot(x, parts[:, j], color=color, linestyle=dash, linewidth=1.8, label=f"component {j + 1}")
    ax.plot(x, parts.sum(axis=1), color=INK, linewidth=1.8, label="mixture")
    return dress(ax, x=axis_names(X)[0], y="density", legend="best")


def mixture_levels(
    model: BaseEstimator,
    X: ArrayLike,
    *,
    shares: Sequence[float] = (0.5, 0.95),
    n_levels: int = 7,
    resolution: int = 200,
    ax: Axes | None = None,
) -> Axes:
    """A mixture of two features: rows, level sets of its density, and an ellipse for each normal component.

    Parameters
    ----------
    model : fitted mixture
        With `score_samples`; a `GaussianMixture` shows its components too.
    X : array of shape (n, 2)
        Rows without labels.
    shares : sequence of float, default=(0.5, 0.95)
        Of each component that its ellipses hold; empty draws the density alone.
    n_levels : int, default=7
        Level sets, each at half of the density of the one inside it.
    resolution : int, default=200
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, figure 2.23. ISBN 978-0-387-31073-2

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.generative import GaussianMixture
    >>> X = np.vstack([np.random.default_rng(0).normal(m, 1.0, (30, 2)) for m in (0.0, 6.0)])
    >>> ax = plot.mixture_levels(GaussianMixture(2, random_state=0).fit(X), X)
    >>> len(ax.patches)
    4
    """
    rows = two_columns(X)
    ax = new_axes(ax, width=4.8, height=4.2)
    A, B, points = grid_over(X, resolution)
    log_density = np.asarray(model.score_samples(points), dtype=float).reshape(A.shape)
    levels = np.max(log_density) + np.log(0.5) * np.arange(n_levels, 0, -1)
    ax.contour(A, B, log_density, levels=levels, colors=MUTED, linewidths=0.9, linestyles="-")
    scatter_rows(ax, rows, s=9, color=MUTED, alpha=0.55, linewidth=0, label="rows")
    limits = ax.axis()
    if shares:
        draw_normals(ax, normals_of(model), levels=shares, fill=0.06)
    ax.axis(limits)
    ax.set_aspect("equal", adjustable="box")
    names = axis_names(X)
    return dress(ax, x=names[0], y=names[1], grid=None)


def responsibility_colors(model: Any, X: ArrayLike, *, ellipses: bool = True, ax: Axes | None = None) -> Axes:
    """Rows of two features in a mix of the colours of the components, by their shares γ in each.

    Parameters
    ----------
    model : fitted mixture, or array of shape (n, k)
        With `predict_proba`; or the responsibilities themselves.
    X : array of shape (n, 2)
    ellipses : bool, default=True
        Whether the normal components of a model are drawn.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The colours are those of the last collection.

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, figure 9.5. ISBN 978-0-387-31073-2

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> ax = plot.responsibility_colors(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.0, 0.0], [1.0, 1.0]]))
    >>> ax.collections[-1].get_facecolors()[:, :3].round(2)
    array([[0.  , 0.45, 0.7 ],
           [0.42, 0.41, 0.35]])
    """
    rows = two_columns(X)
    gamma = np.asarray(model if isinstance(model, np.ndarray) else model.predict_proba(X), dtype=float)
    if len(gamma) != len(rows):
        raise ValueError(f"the responsibilities have {len(gamma)} rows and X has {len(rows)}; give as many")
    ax = new_axes(ax, width=4.6, height=4.2)
    palette = np.array([to_rgb(COLORS[j % len(COLORS)]) for j in range(gamma.shape[1])])
    size = np.clip(8000 / len(rows), 8.0, 24.0)
    scatter_rows(ax, rows, s=size, c=np.clip(gamma @ palette, 0.0, 1.0), edgecolor="white", linewidth=0.3, zorder=3)
    if ellipses and not isinstance(model, np.ndarray):
        draw_normals(ax, normals_of(model), fill=0.04)
    ax.set_aspect("equal", adjustable="box")
    names = axis_names(X)
    return dress(ax, x=names[0], y=names[1])


def density_spikes(
    models: Mapping[str, BaseEstimator], X: ArrayLike, *, resolution: int = 801, ax: Axes | None = None
) -> Axes:
    """Over-fitted mixtures of one feature: spikes on single rows, and what a floor on the variances makes of them.

    The vertical axis is logarithmic, and every mean is a point of the curve, so that no spike is too narrow to be seen.

    Parameters
    ----------
    models : dict of str to fitted mixture
        By label, with `score_samples`.
    X : array of shape (n, 1)
    resolution : int, default=801
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, figure 9.7. ISBN 978-0-387-31073-2

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.generative import GaussianMixture
    >>> X = np.array([0.0, 0.5, 1.0, 5.0])[:, None]
    >>> ax = plot.density_spikes({"no floor": GaussianMixture(2, random_state=0).fit(X)}, X)
    >>> bool(ax.lines[0].get_ydata().max() > 50)
    True
    """
    if not models:
        raise ValueError("models is empty; density_spikes needs one entry at least")
    rows = one_column(X)
    ax = new_axes(ax, width=6.0)
    low, high = map(float, window(rows, margin=0.1))
    top = 0.0
    for (name, model), (color, dash) in zip(models.items(), styles(len(models)), strict=True):
        x = _with_means(low, high, model, resolution)
        density = np.exp(np.asarray(model.score_samples(rows_like(X, x[:, None])), dtype=float))
        ax.plot(x, density, color=color, linestyle=dash, linewidth=1.7, label=name)
        top = max(top, density.max())
    ax.set_yscale("log")
    ax.set_ylim(1e-4 / (high - low), 2.0 * top)
    ax.plot(rows, np.full(len(rows), 1.4e-4 / (high - low)), "|", color=INK, markersize=9, label="rows")
    return dress(ax, x=axis_names(X)[0], y="density", legend="outside")


def _with_means(low: float, high: float, model: BaseEstimator, resolution: int) -> Floats:
    """A grid that is also dense about each mean of a normal component, at its own scale."""
    laws = normals_of(model)
    sd = np.sqrt(laws.cov_matrices()[:, 0, 0])
    near = laws.means[:, :1] + sd[:, None] * np.linspace(-6, 6, 61)
    grid = np.append(np.linspace(low, high, resolution), near)
    return np.unique(grid[(grid >= low) & (grid <= high)])
