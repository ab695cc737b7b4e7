"""What networks answer: fits beside the truth and each other, members of a crowd, copies of a row.

    ‖f − f_H‖ over H;    f(x; r) for masks r of dropout;    f(Tx) against f(x)                                  (1)

Hornik (1991), doi:10.1016/0893-6080(91)90009-T; Srivastava et al. (2014), JMLR 15:1929–1958.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from sklearn.base import BaseEstimator, clone

from gnomon._typing import ArrayLike, Floats
from gnomon.neural import ApproximationCurve, InvarianceReport
from gnomon.neural.function import FunctionLike, as_function
from gnomon.plot._images import show_images
from gnomon.plot._style import (
    ACCENT,
    COLORS,
    INK,
    MUTED,
    SECOND,
    GivenAxes,
    check_columns,
    dress,
    marked_lines,
    new_axes,
    new_panels,
)

__all__ = ["approximation_curves", "augmented_copies", "compare_fits", "invariance_curve", "network_spread"]


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
    marked_lines(
        ax, {f"{name}, $H^{{{-curve.rate:.1f}}}$": (curve.widths, curve.errors) for name, curve in curves.items()}
    )
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
    rows = check_columns("X", X, 1)
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
    model: FunctionLike,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    n_networks: int = 30,
    ax: Axes | None = None,
) -> Axes:
    """Predictions of random sub-networks of dropout over one feature, and those of the average network.

    Parameters
    ----------
    model : NetworkFunction or fitted estimator
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
    model, rows = as_function(model), check_columns("X", X, 1)
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
    if not transformations:
        raise ValueError("transformations={} has no transformation; give one at least")
    rows = []
    for change in transformations.values():
        copies = np.asarray(change(np.repeat(row, n_copies, axis=0), None, rng)[0], dtype=float)
        rows.append(np.r_[row, copies.reshape(n_copies, -1)])
    ax = new_axes(ax, width=1.2 + 1.0 * (n_copies + 1), height=0.5 + 1.0 * len(rows))
    images = np.concatenate(rows).reshape(-1, *shape)
    # The range of the image itself: noise does not make it pale.
    show_images(ax, images, columns=n_copies + 1, low=float(row.min()), high=float(row.max()))
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
    marked_lines(ax, {name: (report.strengths, report.unchanged) for name, report in reports.items()})
    ax.set_ylim(0.0, 1.03)
    return dress(ax, x="strength", y="predictions unchanged", legend="lower left")
