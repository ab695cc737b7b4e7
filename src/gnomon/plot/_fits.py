"""Curves through data, and the errors of a growing model.

    train error ↓,   validation error ↓ then ↑,   ‖w‖ ↑   as the model grows                         (1)

Bishop (2006), figures 1.4, 1.5 and table 1.1, ISBN 978-0-387-31073-2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from sklearn.base import BaseEstimator

from gnomon._typing import ArrayLike, Floats
from gnomon.plot._style import (
    ACCENT,
    COLORS,
    INK,
    MUTED,
    SECOND,
    GivenAxes,
    axis_names,
    dress,
    drop_legend,
    label_panel,
    new_axes,
    new_panels,
    rows_like,
    styles,
)

__all__ = ["complexity_curve", "fit_panels", "fits", "predictive_band"]


def fits(
    models: Mapping[str, BaseEstimator],
    X: ArrayLike,
    y: ArrayLike,
    *,
    truth: Callable[[Floats], ArrayLike] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Data of one feature and the curves of several fitted models.

    Parameters
    ----------
    models : dict of str to fitted regressor
        By label.
    X : array of shape (n, 1)
    y : array of shape (n,)
    truth : callable, optional
        The function that made the data, drawn in grey.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, figure 1.4. ISBN 978-0-387-31073-2

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyRegressor
    >>> from gnomon import plot
    >>> X, y = np.arange(5.0)[:, None], np.array([0.0, 1, 2, 3, 14])
    >>> ax = plot.fits({"mean": DummyRegressor().fit(X, y)}, X, y)
    >>> float(ax.lines[0].get_ydata()[0])
    4.0
    """
    seen, y = np.asarray(X)[:, 0], np.asarray(y)
    ax = new_axes(ax)
    pad = 0.04 * np.ptp(seen)
    x = np.linspace(seen.min() - pad, seen.max() + pad, 400)
    for (name, model), (color, dash) in zip(models.items(), styles(len(models)), strict=True):
        ax.plot(x, model.predict(rows_like(X, x[:, None])), color=color, linestyle=dash, linewidth=2.0, label=name)
    if truth is not None:
        ax.plot(x, truth(x), color=MUTED, linewidth=1.4, linestyle=(0, (1, 1.5)), label="truth")
    ax.scatter(seen, y, s=24, color=INK, edgecolor="white", linewidth=0.6, zorder=3, label="data")
    reach = np.ptp(y) or 1.0
    ax.set_ylim(y.min() - 0.35 * reach, y.max() + 0.35 * reach)
    return dress(ax, x=axis_names(X)[0], y="$y$", legend="best")


def fit_panels(
    models: Mapping[str, BaseEstimator],
    X: ArrayLike,
    y: ArrayLike,
    *,
    truth: Callable[[Floats], ArrayLike] | None = None,
    ax: GivenAxes = None,
) -> dict[str, Axes]:
    """One panel for each fitted model: too simple, right, too flexible.

    Parameters
    ----------
    models : dict of str to fitted regressor
        By title.
    X, y, truth
        As in `fits`.
    ax : array or dict of matplotlib Axes, optional
        One for each model.

    Returns
    -------
    dict of matplotlib Axes

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, figure 1.4. ISBN 978-0-387-31073-2

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyRegressor
    >>> from gnomon import plot
    >>> X, y = np.arange(5.0)[:, None], np.array([0.0, 1, 2, 3, 14])
    >>> list(plot.fit_panels({"mean": DummyRegressor().fit(X, y)}, X, y))
    ['mean']
    """
    panels = new_panels(ax, models, columns=4, sharey=True)
    for name, axes in panels.items():
        fits({name: models[name]}, X, y, truth=truth, ax=axes)
        drop_legend(axes)
        label_panel(axes, name)
    for axes in list(panels.values())[1:]:
        axes.set_ylabel("")
    return panels


def complexity_curve(
    values: ArrayLike,
    train: ArrayLike,
    validation: ArrayLike,
    *,
    standard_error: ArrayLike | None = None,
    regimes: Sequence[str] | None = None,
    chosen: float | None = None,
    norm: ArrayLike | None = None,
    name: str = "degree",
    log: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Training and validation error over the degree, λ or size of a model, and ‖w‖ on a second axis.

    All but `values`, `train` and `validation` is optional; `gnomon.evaluation.diagnose_fit` computes it.

    Parameters
    ----------
    values : array of shape (k,)
        Degree, λ …
    train, validation : array of shape (k,)
        Errors.
    standard_error : array of shape (k,), optional
        Of the validation errors, drawn as bars; and the level of the least plus its own as a line.
    regimes : sequence of k of "under", "good", "over", optional
        Shades the zones of the values.
    chosen : float, optional
        The simplest value within one standard error of the least, which is marked.
    norm : array of shape (k,), optional
        ‖w‖ of each model.
    name : str, default="degree"
        Label of `values`.
    log : bool, default=False
        Logarithmic horizontal axis.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        ‖w‖ is drawn on a twin of it, ``ax.figure.axes[-1]``.

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, figure 1.5. ISBN 978-0-387-31073-2

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.complexity_curve([1, 2, 3], [1.0, 0.5, 0.1], [1.1, 0.6, 0.9], norm=[1.0, 2.0, 50.0])
    >>> float(ax.lines[-1].get_xdata()[0])
    2.0
    """
    values, validation = np.asarray(values, dtype=float), np.asarray(validation, dtype=float)
    ax = new_axes(ax)
    ax.plot(values, train, "o-", color=ACCENT, markersize=5, linewidth=1.8, label="training error")
    ax.plot(values, validation, "s--", color=SECOND, markersize=5, linewidth=1.8, label="validation error")
    best = values[int(np.argmin(validation))]
    ax.axvline(best, color=INK, linewidth=1.0, linestyle=(0, (4, 3)), label=f"least validation error: {best:g}")
    if log:
        ax.set_xscale("log")
    ax.set_yscale("log")
    if standard_error is not None:
        _one_standard_error(ax, values, validation, np.asarray(standard_error, dtype=float))
    if chosen is not None:
        ax.axvline(
            chosen, color=COLORS[3], linewidth=1.4, linestyle=(0, (1, 1.4)), label=f"one standard error: {chosen:g}"
        )
    if regimes is not None:
        _zones(ax, values, regimes, log=log)
    dress(ax, x=name, y="error", legend="best")
    if norm is not None:
        _norm_axis(ax, values, norm)
    return ax


def predictive_band(
    x: ArrayLike,
    mean: ArrayLike,
    std: ArrayLike,
    *,
    latent_std: ArrayLike | None = None,
    data: tuple[ArrayLike, ArrayLike] | None = None,
    truth: Callable[[Floats], ArrayLike] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """A predictive mean with bands of two standard deviations: of the prediction, and of the latent function.

    Parameters
    ----------
    x : array of shape (k,)
    mean, std : array of shape (k,)
        Mean and standard deviation of y at x.
    latent_std : array of shape (k,), optional
        Standard deviation without the noise.
    data : pair of arrays, optional
        (x, y) to draw as points.
    truth : callable, optional
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, figure 3.8. ISBN 978-0-387-31073-2

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.predictive_band([0.0, 1.0], [0.0, 1.0], [0.5, 1.0])
    >>> len(ax.collections), float(ax.lines[0].get_ydata()[1])
    (1, 1.0)
    """
    x, mean, std = (np.atleast_1d(np.asarray(a, dtype=float)) for a in (x, mean, std))
    order = np.argsort(x)
    x, mean = x[order], mean[order]
    ax = new_axes(ax, width=6.6)
    bands = {"prediction, ±2 sd": (std, 0.18)} | ({} if latent_std is None else {"function, ±2 sd": (latent_std, 0.35)})
    for name, (spread, alpha) in bands.items():
        spread = 2.0 * np.asarray(spread, dtype=float)[order]
        ax.fill_between(x, mean - spread, mean + spread, color=ACCENT, alpha=alpha, linewidth=0, label=name)
    ax.plot(x, mean, color=ACCENT, linewidth=2.0, label="mean")
    if truth is not None:
        ax.plot(x, truth(x), color=MUTED, linewidth=1.4, linestyle=(0, (1, 1.5)), label="truth")
    if data is not None:
        ax.scatter(*data, s=26, color=INK, edgecolor="white", linewidth=0.6, zorder=3, label="data")
    return dress(ax, x="$x$", y="$y$", legend="outside")


def _one_standard_error(ax: Axes, values: Floats, validation: Floats, error: Floats) -> None:
    """Bars of one standard error, and the level up to which a validation error is as good as the least."""
    ax.errorbar(values, validation, yerr=error, fmt="none", ecolor=SECOND, elinewidth=1.0, capsize=2.5)
    best = int(np.argmin(validation))
    ax.axhline(validation[best] + error[best], color=SECOND, linewidth=0.9, linestyle=(0, (1, 2)))


def _zones(ax: Axes, values: Floats, regimes: Sequence[str], *, log: bool) -> None:
    """Shades of neighbouring values with the same regime, named above them; borders lie half way between values."""
    place = np.log(values) if log else values
    order = np.argsort(place)
    place, words = place[order], [regimes[k] for k in order]
    half = np.diff(place) / 2.0
    edges = np.concatenate([[place[0] - half[0]], place[:-1] + half, [place[-1] + half[-1]]]) if len(half) else place
    edges = np.exp(edges) if log else edges
    colors = {"under": COLORS[4], "good": COLORS[2], "over": COLORS[3]}
    start = 0
    for k in range(1, len(words) + 1):
        if k < len(words) and words[k] == words[start]:
            continue
        left, right = edges[start], edges[min(k, len(edges) - 1)]
        ax.axvspan(left, right, color=colors[words[start]], alpha=0.12, linewidth=0)
        middle = np.sqrt(left * right) if log else 0.5 * (left + right)
        ax.text(
            middle,
            1.01,
            words[start],
            ha="center",
            va="bottom",
            color=INK,
            fontsize=9,
            transform=ax.get_xaxis_transform(),
        )
        start = k
    ax.set_xlim(edges[0], edges[-1])


def _norm_axis(ax: Axes, values: ArrayLike, norm: ArrayLike) -> None:
    """‖w‖ on an axis of its own at the right, in its own colour."""
    twin = ax.twinx()
    color = COLORS[2]
    twin.plot(values, norm, "^:", color=color, markersize=5, linewidth=1.4, label="$\\|w\\|$")
    twin.set_yscale("log")
    twin.set_ylabel("$\\|w\\|_2$", color=color)
    twin.tick_params(axis="y", colors=color, labelsize=9)
    twin.spines[["top", "left"]].set_visible(False)
    twin.spines["right"].set_color(color)
