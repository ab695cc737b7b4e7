"""Kernel machines as what they are: sums of bumps, and sums of functions of columns.

    f(x) = b + Σᵢ βᵢ k(xᵢ, x),    f(x) = b + Σⱼ fⱼ(xⱼ) for an additive kernel                       (1)

Schölkopf & Smola (2002), sections 2.2 and 4.6; additive models: Hastie & Tibshirani (1990), chapter 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from gnomon._typing import ArrayLike, Floats
from gnomon.kernels import RBF, ExpSineSquared, Kernel, Laplacian, Linear, Polynomial
from gnomon.numerics.gram_design import GramDesign
from gnomon.optim import perceptron
from gnomon.plot._style import ACCENT, INK, MUTED, SECOND, GivenAxes, dress, new_panels
from gnomon.svm import KernelMachine, KernelRidge

__all__ = ["additive_components", "bump_sums", "kernel_ridge_fits", "perceptron_bumps"]

RIDGE_KERNELS: dict[str, Kernel] = {
    "linear": Linear(coef0=1.0),
    "polynomial": Polynomial(5),
    "Gaussian": RBF(bandwidth=0.8),
    "Laplacian": Laplacian(1.0),
    "semi-parametric": RBF(bandwidth=0.8) + 0.3 * Linear(coef0=1.0),
    "periodic": ExpSineSquared(1.0, 2.0),
}


def bump_sums(models: Mapping[str, KernelMachine], *, ax: GivenAxes = None) -> dict[str, Axes]:
    """Functions of one column as sums of scaled bumps, and of b where there is one, a panel for each model.

    Parameters
    ----------
    models : dict of str to fitted kernel machine
        By title; fitted to rows of one column.
    ax : dict or array of matplotlib Axes, optional

    Returns
    -------
    dict of str to matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.kernels import RBF
    >>> from gnomon.svm import KernelRidge
    >>> X, y = np.arange(5.0)[:, None], np.array([0.0, 1, 0.5, 2, 1])
    >>> panels = plot.bump_sums({"h = 1": KernelRidge(0.1, kernel=RBF(bandwidth=1.0)).fit(X, y)})
    >>> len(panels["h = 1"].lines)
    6
    """
    panels = new_panels(ax, models, width=4.2, height=3.2, sharey=True)
    for title, axes in panels.items():
        model = models[title]
        seen = np.asarray(model.X_fit_)
        x = _between(seen[:, 0])
        bumps = model.bumps(x[:, None])
        for place, bump in enumerate(bumps.T):
            axes.plot(x, bump, color=MUTED, linewidth=0.9, label="bumps $\\beta_i k(x_i, x)$" if place == 0 else None)
        b = float(np.ravel(model.intercept_)[0])
        if b != 0.0:
            axes.hlines(b, x[0], x[-1], color=MUTED, linestyle=":", label="$b$")
        axes.plot(x, bumps.sum(axis=1) + b, color=ACCENT, linewidth=2.2, label="their sum $f$")
        axes.scatter(seen[:, 0], np.zeros(len(seen)), marker="|", s=60, color=INK, zorder=3)
        dress(axes, x="$x$", y="$f(x)$", title=title, legend="best")
    return panels


def perceptron_bumps(
    kernel: Kernel, X: ArrayLike, y: ArrayLike, *, updates: Sequence[int] = (1, 2, 3, 4), ax: GivenAxes = None
) -> dict[int, Axes]:
    """The function of a kernel perceptron on one column before and after some of its updates.

    Parameters
    ----------
    kernel : Kernel
    X : array-like of shape (n, 1)
    y : array-like of shape (n,)
        −1 or +1; rows are visited in order.
    updates : sequence of int, default=(1, 2, 3, 4)
        Which updates are shown, counted from 1.
    ax : dict or array of matplotlib Axes, optional

    Returns
    -------
    dict of int to matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.kernels import RBF
    >>> panels = plot.perceptron_bumps(RBF(0.5), np.arange(4.0)[:, None], [1, -1, -1, 1], updates=(1, 2))
    >>> panels[2].get_title(loc="left")
    'update 2: row 1, $y = -1$'
    """
    rows, signs = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    n = len(signs)
    found = perceptron(GramDesign(kernel.gram(rows)), signs, np.ones(n), np.zeros((1, n)), keep_log=True)
    mistaken = found.details["log"][:, 1]
    if max(updates) > len(mistaken):
        raise ValueError(f"updates={tuple(updates)}: the perceptron made {len(mistaken)}; ask for no later ones")
    x = _between(rows[:, 0])
    steps = signs[mistaken] * kernel.gram(x[:, None], rows[mistaken])
    panels = new_panels(ax, updates, columns=4, width=3.3, height=2.8, sharey=True)
    for number, axes in panels.items():
        before, i = np.sum(steps[:, : number - 1], axis=1), int(mistaken[number - 1])
        axes.axhline(0.0, color=MUTED, linewidth=0.8)
        axes.plot(x, before, color=MUTED, linestyle="--", linewidth=1.5, label="before")
        axes.plot(x, steps[:, number - 1], color=SECOND, linewidth=1.2, label="bump")
        axes.plot(x, before + steps[:, number - 1], color=ACCENT, linewidth=2.0, label="after")
        for sign, marker in ((1.0, "^"), (-1.0, "v")):
            mine = rows[signs == sign, 0]
            axes.scatter(mine, np.zeros(len(mine)), marker=marker, color=INK, s=30, zorder=3)
        axes.scatter(rows[i, 0], 0.0, s=140, facecolors="none", edgecolors=SECOND, linewidths=1.6, zorder=4)
        title = f"update {number}: row {i}, $y = {signs[i]:+.0f}$"
        dress(axes, x="$x$", y="$f(x)$", title=title, legend="best" if number == updates[0] else None)
    return panels


def kernel_ridge_fits(
    X: ArrayLike,
    y: ArrayLike,
    X_test: ArrayLike,
    y_test: ArrayLike,
    *,
    kernels: Mapping[str, Kernel] | None = None,
    alpha: float = 0.1,
    ax: GivenAxes = None,
) -> dict[str, Axes]:
    """Kernel ridge regression on one column with several kernels, and its errors on training and test rows.

    Parameters
    ----------
    X, y : array-like of shape (n, 1) and (n,)
        Training rows.
    X_test, y_test : array-like of shape (m, 1) and (m,)
    kernels : dict of str to Kernel, optional
        By title; linear, polynomial, Gaussian, Laplacian, semi-parametric and periodic ones by default.
    alpha : float, default=0.1
    ax : dict or array of matplotlib Axes, optional

    Returns
    -------
    dict of str to matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.kernels import Linear
    >>> X, y = np.arange(6.0)[:, None], np.arange(6.0)
    >>> panels = plot.kernel_ridge_fits(X, y, X + 0.5, y + 0.5, kernels={"linear": Linear()})
    >>> panels["linear"].get_title(loc="left")
    'linear: error 3e-05, test 3.9e-05'
    """
    kernels = RIDGE_KERNELS if kernels is None else kernels
    rows, new = np.asarray(X, dtype=float), np.asarray(X_test, dtype=float)
    x = _between(np.concatenate([rows[:, 0], new[:, 0]]))
    panels = new_panels(ax, kernels, columns=3, width=3.9, height=2.9, sharex=True, sharey=True)
    for title, axes in panels.items():
        model = KernelRidge(alpha, kernel=kernels[title]).fit(rows, y)
        train, test = (np.mean((model.predict(A) - np.asarray(t)) ** 2) for A, t in ((rows, y), (new, y_test)))
        axes.plot(x, model.predict(x[:, None]), color=ACCENT, linewidth=2.0, label="fit")
        axes.scatter(rows[:, 0], y, s=18, color=INK, zorder=3, label="training rows")
        axes.scatter(new[:, 0], y_test, s=18, facecolors="none", edgecolors=SECOND, zorder=3, label="test rows")
        legend = "best" if title == next(iter(kernels)) else None
        dress(axes, x="$x$", y="$y$", title=f"{title}: error {train:.2g}, test {test:.2g}", legend=legend)
    low, high = np.min([np.min(y), np.min(y_test)]), np.max([np.max(y), np.max(y_test)])
    next(iter(panels.values())).set_ylim(low - 0.3 * (high - low), high + 0.3 * (high - low))
    return panels


def additive_components(
    model: KernelMachine, X: ArrayLike, *, names: Sequence[str] | None = None, ax: GivenAxes = None
) -> dict[str, Axes]:
    """The functions fⱼ(xⱼ) of a model with an additive kernel of order 1, each over its column, with mean zero.

    Parameters
    ----------
    model : fitted kernel machine
        With ``kernel=Additive([k₁, …])``.
    X : array-like of shape (n, d)
        Rows at which they are shown.
    names : sequence of str, optional
        Of the columns.
    ax : dict or array of matplotlib Axes, optional

    Returns
    -------
    dict of str to matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.kernels import RBF, Additive
    >>> from gnomon.svm import KernelRidge
    >>> X = np.random.default_rng(0).uniform(-2, 2, (60, 2))
    >>> model = KernelRidge(0.1, kernel=Additive([RBF(), RBF()])).fit(X, np.sin(X[:, 0]) + X[:, 1] ** 2)
    >>> list(plot.additive_components(model, X))
    ['column 0', 'column 1']
    """
    rows = np.asarray(X, dtype=float)
    parts = model.components(X)
    if parts.ndim != 2 or parts.shape[1] != rows.shape[1]:
        raise ValueError(
            f"the components have shape {parts.shape} for {rows.shape[1]} columns; fit one target with "
            "kernel=Additive([…], order=1), a kernel for each column"
        )
    titles = [f"column {j}" for j in range(rows.shape[1])] if names is None else list(names)
    panels = new_panels(ax, titles, columns=4, width=3.2, height=2.7, sharey=True)
    for j, (title, axes) in enumerate(panels.items()):
        order = np.argsort(rows[:, j])
        f = parts[order, j] - np.mean(parts[:, j])
        axes.plot(rows[order, j], f, color=ACCENT, linewidth=2.0)
        axes.scatter(rows[:, j], np.full(len(rows), np.min(parts - parts.mean(axis=0))), marker="|", s=30, color=MUTED)
        dress(axes, x=title, y=f"$f_{{{j}}}$", grid="y")
    return panels


def _between(values: Floats) -> Floats:
    """Points over the range of the values and a little beyond."""
    pad = 0.08 * float(np.ptp(values))
    return np.linspace(values.min() - pad, values.max() + pad, 401)
