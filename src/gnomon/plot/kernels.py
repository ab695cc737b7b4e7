"""Kernels as curves, and their Gram matrices.

    k(0, r) over the distance r,    K_ij = k(x_i, x_j),    λ_1 ≥ λ_2 ≥ … of K                      (1)

Rasmussen & Williams (2006), figures 4.1 and 4.2; Schölkopf & Smola (2002), section 2.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from gnomon._typing import ArrayLike
from gnomon.kernels import RBF, BSpline, CatmullRom, Kernel, Laplacian, Matern, RationalQuadratic, Sinc, gram_matrix
from gnomon.plot._style import (
    ACCENT,
    DIVERGING,
    MUTED,
    SECOND,
    SEQUENTIAL,
    GivenAxes,
    dress,
    new_axes,
    new_panels,
    styles,
)

__all__ = ["gram_and_spectrum", "gram_sparsity", "kernel_shapes"]

SHAPES: dict[str, dict[str, Kernel]] = {
    "Gaussian": {f"$\\ell$ = {scale:g}": RBF(scale) for scale in (0.5, 1.0, 2.0)},
    "Matérn": {"ν = ½": Laplacian(), "ν = 3/2": Matern(1.0, 1.5), "ν = 5/2": Matern(1.0, 2.5), "ν = ∞": RBF()},
    "rational quadratic": {f"α = {alpha:g}": RationalQuadratic(1.0, alpha) for alpha in (0.5, 1.0, 4.0)},
    "on a grid": {**{f"$B_{n}$": BSpline(n) for n in (0, 1, 2, 3)}, "Catmull–Rom": CatmullRom(), "sinc": Sinc()},
}


def kernel_shapes(
    kernels: Mapping[str, Mapping[str, Kernel]] | None = None, *, limit: float = 3.5, ax: GivenAxes = None
) -> dict[str, Axes]:
    """Kernels of one column over the distance, in panels.

    Parameters
    ----------
    kernels : dict of str to dict of str to Kernel, optional
        For each panel, kernels by label; widths, Matérn kernels, rational quadratic ones and those of grids by default.
    limit : float, default=3.5
        Largest distance shown.
    ax : dict or array of matplotlib Axes, optional
        One for each panel.

    Returns
    -------
    dict of str to matplotlib Axes

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.kernels import RBF, Wendland
    >>> panels = plot.kernel_shapes({"compact or not": {"RBF": RBF(), "Wendland": Wendland(2.0)}}, limit=2.0)
    >>> [float(line.get_ydata()[-1].round(4)) for line in panels["compact or not"].lines]
    [0.1353, 0.0]
    """
    kernels = kernels or SHAPES
    panels = new_panels(ax, kernels, columns=2, width=4.4, height=2.9)
    r = np.linspace(-limit, limit, 701)
    for title, axes in panels.items():
        for (name, kernel), (color, dash) in zip(kernels[title].items(), styles(len(kernels[title])), strict=True):
            values = kernel.gram(np.zeros((1, 1)), r[:, None]).ravel()
            axes.plot(r, values, color=color, linestyle=dash, linewidth=1.8, label=name)
        dress(axes, x="distance $r$", y="$k(r)$", title=title, legend="upper right")
        axes.set_xlim(-limit, limit)
    return panels


def gram_sparsity(kernel: Kernel, X: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Where the Gram matrix of a kernel differs from zero.

    Parameters
    ----------
    kernel : Kernel
        Zero beyond a distance, such as `gnomon.kernels.Wendland`.
    X : array-like of shape (n, d)
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.kernels import Wendland
    >>> ax = plot.gram_sparsity(Wendland(1.5), np.arange(30.0)[:, None])
    >>> ax.get_title(loc="left")
    '9.8 % of 900 entries'
    """
    K: Any = gram_matrix(X, kernel, sparse=True)
    ax = new_axes(ax, width=3.8, height=3.8)
    n = K.shape[0]
    ax.spy(K, markersize=max(0.4, 170.0 / n), color=ACCENT, marker="s")
    dress(ax, x="row $j$", y="row $i$", title=f"{100.0 * K.nnz / n**2:.2g} % of {n**2} entries", grid=None)
    ax.xaxis.set_ticks_position("bottom")
    return ax


def gram_and_spectrum(kernel: Kernel, X: ArrayLike, *, ax: GivenAxes = None) -> dict[str, Axes]:
    """The Gram matrix as a heat map, and its eigenvalues; negative ones, which no kernel has, in another colour.

    Parameters
    ----------
    kernel : Kernel
    X : array-like of shape (n, d)
        Rows in the order in which they are shown.
    ax : dict or array of two matplotlib Axes, optional

    Returns
    -------
    dict with the Axes "gram" and "spectrum"

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.kernels import RBF
    >>> panels = plot.gram_and_spectrum(RBF(), np.arange(3.0)[:, None])
    >>> panels["spectrum"].lines[0].get_ydata().round(6)
    array([1.928096, 0.864665, 0.207239])
    """
    K = kernel.gram(X)
    panels = new_panels(ax, ["gram", "spectrum"], width=3.9, height=3.3)
    signed = bool(np.min(K) < 0.0)
    most = float(np.max(np.abs(K)))
    look: dict[str, Any] = {"cmap": DIVERGING, "vmin": -most} if signed else {"cmap": SEQUENTIAL, "vmin": 0.0}
    image = panels["gram"].imshow(K, vmax=most, interpolation="nearest", **look)
    panels["gram"].figure.colorbar(image, ax=panels["gram"], shrink=0.85)
    dress(panels["gram"], x="row $j$", y="row $i$", title="Gram matrix", grid=None)
    values = np.linalg.eigvalsh(K)[::-1]
    order = np.arange(1, len(values) + 1)
    rounding = len(values) * float(np.finfo(K.dtype).eps) * float(np.max(np.abs(values)))
    axes = panels["spectrum"]
    for chosen, color, marker, name in (
        (values > rounding, ACCENT, "o", "positive"),
        (values < -rounding, SECOND, "v", "negative: −λ"),
    ):
        if chosen.any():
            axes.plot(order[chosen], np.abs(values[chosen]), color=color, marker=marker, ms=3.5, lw=0.8, label=name)
    axes.set_yscale("log")
    axes.locator_params(axis="x", integer=True)
    axes.axhline(rounding, color=MUTED, linewidth=0.8, linestyle=":", label="rounding")
    dress(axes, x="number $i$", y="eigenvalue $λ_i$", title="spectrum", legend="best")
    return panels
