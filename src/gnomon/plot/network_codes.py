"""What networks reproduce, generate and approximate.

    ‖x − x̂‖² over the length of the code;    x = f(z), z on a grid;    ‖f − f_H‖ over H                        (1)

Hinton & Salakhutdinov (2006), doi:10.1126/science.1127647; Kingma & Welling (2014), arXiv:1312.6114, figure 4.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from scipy.stats import norm
from sklearn.base import BaseEstimator, clone

from gnomon._typing import Array, ArrayLike, Floats
from gnomon.neural import ApproximationCurve, InvarianceReport, NetworkFunction
from gnomon.plot._style import (
    ACCENT,
    COLORS,
    INK,
    MARKERS,
    MUTED,
    SECOND,
    GivenAxes,
    dress,
    label_panel,
    new_axes,
    new_panels,
    styles,
)

__all__ = [
    "adversarial_losses",
    "approximation_curves",
    "augmented_copies",
    "code_curve",
    "compare_fits",
    "generated_samples",
    "invariance_curve",
    "latent_grid",
    "network_spread",
]


def code_curve(errors: Mapping[str, Mapping[int, float]], *, y: str = "mean error", ax: Axes | None = None) -> Axes:
    """Reconstruction errors over the number of components, a line for each method.

    Parameters
    ----------
    errors : dict of str to dict of int to float
        By label and number of components.
    y : str, default="mean error"
        What the errors are.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.code_curve({"PCA": {1: 3.0, 2: 1.0}, "autoencoder": {1: 2.0, 2: 0.8}})
    >>> [line.get_label() for line in ax.lines]
    ['PCA', 'autoencoder']
    """
    ax = new_axes(ax)
    for k, ((name, line), (color, dash)) in enumerate(zip(errors.items(), styles(len(errors)), strict=True)):
        mark: dict[str, Any] = {"marker": MARKERS[k % len(MARKERS)], "markersize": 5}
        ax.plot(list(line), list(line.values()), color=color, linestyle=dash, linewidth=1.8, label=name, **mark)
    ax.set_xticks(sorted({k for line in errors.values() for k in line}))
    ax.set_ylim(bottom=0.0)
    return dress(ax, x="components $k$", y=y, legend="upper right")


def generated_samples(
    X: ArrayLike, samples: Mapping[str, ArrayLike], *, shape: tuple[int, int] | None = None, ax: GivenAxes = None
) -> dict[str, Axes]:
    """Data beside what generators make of noise: points of two columns, or images.

    Parameters
    ----------
    X : array-like of shape (n, d)
    samples : dict of str to array-like of shape (m, d)
        By title.
    shape : (height, width), optional
        Rows are images of this shape; 25 of each are shown.
    ax : dict or sequence of matplotlib Axes, optional

    Returns
    -------
    dict of str to matplotlib Axes
        "data", then by title.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> list(plot.generated_samples(np.eye(2), {"noise": np.zeros((3, 2))}))
    ['data', 'noise']
    """
    tables = {"data": np.asarray(X, dtype=float), **{name: np.asarray(s, dtype=float) for name, s in samples.items()}}
    panels = new_panels(ax, tables, width=3.2, height=3.2, **({} if shape else {"sharex": True, "sharey": True}))
    for k, (name, rows) in enumerate(tables.items()):
        panel = panels[name]
        if shape is None:
            panel.scatter(rows[:, 0], rows[:, 1], s=10, color=MUTED if k == 0 else COLORS[(k - 1) % 6], alpha=0.7)
            dress(panel, x="$x_1$", y="$x_2$" if k == 0 else "", title=name, equal=False)
        else:
            _images(panel, rows[:25], shape, 5)
            label_panel(panel, name)
    return panels


def latent_grid(
    decode: Callable[[Floats], Floats], shape: tuple[int, int], *, side: int = 10, ax: Axes | None = None
) -> Axes:
    """The images that a decoder makes of a grid of two codes: quantiles of the normal law in both directions.

    Parameters
    ----------
    decode : callable
        Codes of shape (m, 2) → rows, for example ``model.inverse_transform``.
    shape : (height, width)
        Of a row as an image.
    side : int, default=10
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> ax = plot.latent_grid(lambda Z: np.repeat(Z, 2, axis=1), (2, 2), side=3)
    >>> ax.images[0].get_array().shape  # one pixel apart
    (8, 8)
    """
    z = norm.ppf((np.arange(side) + 0.5) / side)
    A, B = np.meshgrid(z, z[::-1])
    rows = np.asarray(decode(np.column_stack([A.ravel(), B.ravel()])), dtype=float)
    ax = _images(new_axes(ax, width=4.6, height=4.6), rows, shape, side)
    ax.set_axis_on()
    marks = np.linspace(0, side - 1, 3).astype(int)
    ax.set_xticks((marks + 0.5) * (shape[1] + 1) - 1, [f"{z[i]:.1f}" for i in marks])
    ax.set_yticks((marks + 0.5) * (shape[0] + 1) - 1, [f"{z[::-1][i]:.1f}" for i in marks])
    return dress(ax, x="$z_1$", y="$z_2$", grid=None)


def adversarial_losses(history: Mapping[str, Array], *, ax: Axes | None = None) -> Axes:
    """The losses of generator and discriminator over epochs, with log 4, where neither can tell.

    Parameters
    ----------
    history : dict
        `history_` of a `GenerativeAdversarialNetwork`.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.adversarial_losses({"iteration": [1], "generator_loss": [0.7], "discriminator_loss": [1.4]})
    >>> [line.get_label() for line in ax.lines]
    ['discriminator', 'generator', 'log 4: D = ½']
    """
    ax = new_axes(ax)
    for name, color, dash in (("discriminator", ACCENT, "-"), ("generator", SECOND, (0, (5, 2)))):
        ax.plot(history["iteration"], history[f"{name}_loss"], color=color, linestyle=dash, linewidth=1.6, label=name)
    ax.axhline(np.log(4.0), color=INK, linewidth=1.0, linestyle=(0, (1, 1.4)), label="log 4: D = ½")
    return dress(ax, x="epoch", y="loss", legend="best")


def approximation_curves(curves: Mapping[str, ApproximationCurve], *, ax: Axes | None = None) -> Axes:
    """Errors of approximation over the width of the hidden layer, on logarithmic axes.

    Parameters
    ----------
    curves : dict of str to ApproximationCurve
        By label, as `gnomon.neural.approximation_curve` gives them.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.neural import approximation_curve
    >>> ax = plot.approximation_curves({"sine": approximation_curve(np.sin, [2, 4, 8])})
    >>> [line.get_label() for line in ax.lines]
    ['sine, $H^{-2.0}$']
    """
    ax = new_axes(ax)
    for k, ((name, curve), (color, dash)) in enumerate(zip(curves.items(), styles(len(curves)), strict=True)):
        label = f"{name}, $H^{{{-curve.rate:.1f}}}$"
        mark: dict[str, Any] = {"marker": MARKERS[k % len(MARKERS)], "markersize": 5}
        ax.plot(curve.widths, curve.errors, color=color, linestyle=dash, linewidth=1.8, label=label, **mark)
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    p = next(iter(curves.values())).p
    which = r"\infty" if np.isinf(p) else f"{p:g}"
    return dress(ax, x="hidden units $H$", y=rf"$\|f - f_H\|_{{{which}}}$", legend="lower left")


def compare_fits(
    models: Mapping[str, BaseEstimator],
    X: ArrayLike,
    ys: Mapping[str, ArrayLike],
    *,
    truth: Callable[[Floats], ArrayLike] | None = None,
    seeds: Sequence[int] = (0,),
    ax: GivenAxes = None,
) -> dict[tuple[str, str], Axes]:
    """Fits of several regressors to several targets of one feature, and their errors to the truth or the rows.

    Parameters
    ----------
    models : dict of str to regressor
        By label; fitted here.
    X : array-like of shape (n, 1)
    ys : dict of str to array-like of shape (n,)
        By label, for example with and without noise.
    truth : callable, optional
        The function behind the rows: drawn, and what errors are measured against.
    seeds : sequence of int, default=(0,)
        Models with a `random_state` are fitted for each; a model without it has one fit.
    ax : dict or sequence of matplotlib Axes, optional

    Returns
    -------
    dict of (target, model) to matplotlib Axes
        The title of each has the median of the mean squared errors over seeds.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.linear import Ridge
    >>> x = np.linspace(-1, 1, 9)[:, None]
    >>> panels = plot.compare_fits({"ridge": Ridge(1e-9)}, x, {"line": 2 * x[:, 0]}, truth=lambda t: 2 * t)
    >>> panels["line", "ridge"].get_title("left")
    'ridge, line: 0'
    """
    rows = np.asarray(X, dtype=float)
    names = [(target, model) for target in ys for model in models]
    panels = new_panels(ax, names, columns=len(models), width=2.7, height=2.4, sharex=True, sharey=True)
    t = np.linspace(rows.min(), rows.max(), 400)
    for k, (target, name) in enumerate(names):
        panel, y = panels[target, name], np.asarray(ys[target], dtype=float)
        panel.plot(rows[:, 0], y, "o", color=MUTED, markersize=3, alpha=0.7)
        if truth is not None:
            panel.plot(t, truth(t), color=INK, linewidth=1.0, linestyle=(0, (4, 3)))
        errors = []
        for seed in seeds if "random_state" in models[name].get_params() else (None,):
            model = clone(models[name])
            model = (model if seed is None else model.set_params(random_state=seed)).fit(rows, y)
            panel.plot(t, model.predict(t[:, None]), color=COLORS[k % len(models) % 6], linewidth=1.5, alpha=0.85)
            wanted = (y, rows) if truth is None else (np.asarray(truth(t)), t[:, None])
            errors.append(float(np.mean((wanted[0] - model.predict(wanted[1])) ** 2)))
        size = float(np.median(errors))
        dress(panel, title=f"{name}, {target}: {0 if size < 1e-12 else size:.2g}", grid=None)
        spread = np.ptp(y)
        panel.set_ylim(y.min() - 0.3 * spread, y.max() + 0.3 * spread)
    return panels


def network_spread(
    model: NetworkFunction, X: ArrayLike, y: ArrayLike | None = None, *, n_networks: int = 30, ax: Axes | None = None
) -> Axes:
    """Predictions of random sub-networks of dropout over one feature, and those of the average network.

    Parameters
    ----------
    model : NetworkFunction
        Of one input and one output, with `Dropout` layers.
    X : array-like of shape (n, 1)
    y : array-like of shape (n,), optional
        Drawn as points.
    n_networks : int, default=30
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.neural import NetworkFunction, NeuralNetwork
    >>> from gnomon.neural.layers import Dense, Dropout
    >>> network = NeuralNetwork([Dense(8, "tanh"), Dropout(0.5), Dense(1)], 1)
    >>> f = NetworkFunction(network, network.init(np.random.default_rng(0)))
    >>> len(plot.network_spread(f, [[-1.0], [1.0]], n_networks=5).lines)
    6
    """
    rows = np.asarray(X, dtype=float)
    t = np.linspace(rows.min(), rows.max(), 300)[:, None]
    rng, ax = np.random.default_rng(0), new_axes(ax)
    space = model.network.workspace(float, rng)
    for k in range(n_networks):
        space.freeze(model.network.draw(rng, 1))
        f = space.forward(model.theta, [t], training=True)[0]
        ax.plot(t[:, 0], f[:, 0], color=ACCENT, linewidth=0.7, alpha=0.45, label="sub-networks" if k == 0 else None)
    ax.plot(t[:, 0], model.output(t)[:, 0], color=SECOND, linewidth=2.2, label="average network")
    if y is not None:
        ax.plot(rows[:, 0], np.asarray(y), "o", color=INK, markersize=3.5)
    return dress(ax, x="$x$", y="$f(x)$", legend="best")


def augmented_copies(
    x: ArrayLike,
    transformations: Mapping[str, Any],
    shape: tuple[int, int],
    *,
    n_copies: int = 5,
    random_state: int = 0,
    ax: Axes | None = None,
) -> Axes:
    """An image and random copies of it, a row for each transformation.

    Parameters
    ----------
    x : array-like of shape (height · width,)
    transformations : dict of str to callable (X, y, rng) → (X', y)
        By label.
    shape : (height, width)
    n_copies : int, default=5
    random_state : int, default=0
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.numerics.augment import AddNoise
    >>> ax = plot.augmented_copies(np.zeros(4), {"noise": AddNoise(1.0)}, (2, 2), n_copies=3)
    >>> ax.images[0].get_array().shape  # the image and three copies, one pixel apart
    (2, 11)
    """
    row, rng = np.asarray(x, dtype=float).reshape(1, -1), np.random.default_rng(random_state)
    rows = []
    for change in transformations.values():
        copies = np.asarray(change(np.repeat(row, n_copies, axis=0), None, rng)[0], dtype=float)
        rows.append(np.r_[row, copies.reshape(n_copies, -1)])
    ax = new_axes(ax, width=1.2 + 1.0 * (n_copies + 1), height=0.5 + 1.0 * len(rows))
    _images(ax, np.concatenate(rows), shape, n_copies + 1, scale=row)
    ax.set_axis_on()
    ax.set_yticks((np.arange(len(rows)) + 0.5) * (shape[0] + 1) - 1, list(transformations))
    ax.set_xticks([0.5 * shape[1] - 0.5, (0.5 * n_copies + 1) * (shape[1] + 1) - 1], ["original", "copies"])
    ax.tick_params(length=0, labelcolor=INK)
    ax.spines[:].set_visible(False)
    ax.axvline(shape[1], color=INK, linewidth=1.5)
    return ax


def invariance_curve(reports: Mapping[str, InvarianceReport], *, ax: Axes | None = None) -> Axes:
    """The share of predictions that a transformation leaves unchanged, over its strength.

    Parameters
    ----------
    reports : dict of str to InvarianceReport
        By label, as `gnomon.neural.invariance_report` gives them.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.neural import InvarianceReport
    >>> report = InvarianceReport(np.array([0.0, 1.0]), np.array([1.0, 0.8]), np.array([0.0, 0.1]))
    >>> plot.invariance_curve({"shifts": report}).lines[0].get_ydata()
    array([1. , 0.8])
    """
    ax = new_axes(ax)
    for k, ((name, report), (color, dash)) in enumerate(zip(reports.items(), styles(len(reports)), strict=True)):
        mark: dict[str, Any] = {"marker": MARKERS[k % len(MARKERS)], "markersize": 5}
        ax.plot(report.strengths, report.unchanged, color=color, linestyle=dash, linewidth=1.8, label=name, **mark)
    ax.set_ylim(0.0, 1.03)
    return dress(ax, x="strength", y="predictions unchanged", legend="lower left")


def _images(ax: Axes, rows: Floats, shape: tuple[int, int], columns: int, scale: Floats | None = None) -> Axes:
    """Rows as images in a grid, one pixel apart, from white to black over the range of `scale` (else of all)."""
    lines, (h, w) = -(-len(rows) // columns), shape
    sheet = np.full((lines * (h + 1) - 1, columns * (w + 1) - 1), np.nan)
    for k, row in enumerate(rows):
        i, j = divmod(k, columns)
        sheet[i * (h + 1) : i * (h + 1) + h, j * (w + 1) : j * (w + 1) + w] = row.reshape(shape)
    known = rows if scale is None else scale
    ax.imshow(sheet, cmap="gray_r", interpolation="nearest", vmin=float(known.min()), vmax=float(known.max()))
    ax.set_facecolor("#DDE7EE")
    ax.set_axis_off()
    return ax
