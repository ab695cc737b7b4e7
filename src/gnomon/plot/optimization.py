"""Searches for a minimum: what an optimiser knows and asks next, and how soon good points were found."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from gnomon._typing import ArrayLike, Floats
from gnomon.gp import BayesianOptimizer
from gnomon.plot._style import ACCENT, INK, MUTED, SECOND, GivenAxes, dress, new_axes, new_panels, styles

__all__ = ["best_so_far", "optimization_step"]


def optimization_step(
    optimizer: BayesianOptimizer, along: str | None = None, *, n_points: int = 301, ax: GivenAxes = None
) -> dict[str, Axes]:
    """The law of the function after what was told, and the acquisition, whose maximum is asked next.

    Of several parameters one varies, and the others are those of the next point. The optimiser is not changed.

    Parameters
    ----------
    optimizer : BayesianOptimizer
        To which at least two losses were told; `optimizer_` of a search.
    along : str, optional
        A parameter that is a number and exists at the next point; the first one by default.
    n_points : int, default=301
    ax : array or dict of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        With the keys "surrogate" and "acquisition".

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.gp import BayesianOptimizer, Real
    >>> optimizer = BayesianOptimizer({"x": Real(0.0, 1.0)}, n_initial_points=3, n_candidates=100, random_state=0)
    >>> for _ in range(4):
    ...     point = optimizer.ask()
    ...     optimizer.tell(point, (point["x"] - 0.3) ** 2)
    >>> sorted(plot.optimization_step(optimizer))
    ['acquisition', 'surrogate']
    """
    dimensions, asked = optimizer.space.dimensions, deepcopy(optimizer).ask()
    name = _numeric(optimizer, asked) if along is None else along
    dimension = dimensions.get(name)
    if dimension is None or name not in _numbers(optimizer, asked):
        raise ValueError(
            f"along={along!r} is no number at the next point {asked!r}; choose from {_numbers(optimizer, asked)}"
        )
    values = list(dict.fromkeys(dimension.value(dimension.code_at(u)) for u in np.linspace(0.0, 1.0, n_points)))
    line = [_changed(optimizer, asked, name, value) for value in values]
    mean, std = optimizer.predict(line)
    panels = new_panels(ax, ("surrogate", "acquisition"), columns=1, width=6.0, height=2.4, sharex=True)
    # Between two whole numbers there is no value: the line leads the eye from one to the next.
    marker = "o" if dimension.size == len(values) else ""
    look: dict[str, Any] = {"color": ACCENT, "linewidth": 1.6, "marker": marker, "markersize": 4}
    _surrogate(panels["surrogate"], optimizer, name, np.array(values, dtype=float), mean, std, look)
    bottom = panels["acquisition"]
    bottom.plot(values, optimizer.acquisition_values(line), **look)
    dress(bottom, x=name, y=f"acquisition ({_name(optimizer)})")
    for panel in panels.values():
        panel.axvline(asked[name], color=SECOND, linestyle=(0, (5, 2)), linewidth=1.3, label="asked next")
        panel.set_xscale(dimension.scale)
    dress(panels["surrogate"], y="loss", title=_title(optimizer, asked, name), legend="outside")
    return panels


def best_so_far(
    losses: Mapping[str, ArrayLike],
    *,
    optimum: float | None = None,
    y: str = "least loss so far",
    ax: Axes | None = None,
) -> Axes:
    """The least loss after every evaluation, of several searches; of many runs their median and quartiles.

    Parameters
    ----------
    losses : dict of array-like of shape (n,) or (n_runs, n)
        In the order of evaluation, by the name of the search; NaN is a run that failed.
    optimum : float, optional
        The least loss there is: curves are then the excess over it, on a logarithmic scale.
    y : str, default="least loss so far"
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.best_so_far({"random": [3.0, 4.0, 1.0], "grid": [[2.0, 2.0, 2.0], [5.0, 1.0, 0.0]]})
    >>> ax.lines[0].get_ydata().tolist()
    [3.0, 3.0, 1.0]
    """
    ax = new_axes(ax)
    for (name, given), (color, dash) in zip(losses.items(), styles(len(losses)), strict=True):
        runs = np.atleast_2d(np.asarray(given, dtype=float))
        best = np.minimum.accumulate(np.where(np.isnan(runs), np.inf, runs), axis=1)
        best = np.where(np.isfinite(best), best, np.nan) - (0.0 if optimum is None else optimum)
        numbers = np.arange(1, best.shape[1] + 1)
        low, middle, high = np.quantile(best, [0.25, 0.5, 0.75], axis=0)
        ax.step(numbers, middle, where="post", color=color, linestyle=dash, linewidth=1.7, label=name)
        if len(runs) > 1:
            ax.fill_between(numbers, low, high, step="post", color=color, alpha=0.13, linewidth=0)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if optimum is not None:
        ax.set_yscale("log")
    return dress(ax, x="evaluations", y=y if optimum is None else "excess over the minimum", legend="best")


def _numbers(optimizer: BayesianOptimizer, point: Mapping[str, Any]) -> list[str]:
    """Parameters that exist at the point and are numbers."""
    return [name for name, d in optimizer.space.dimensions.items() if name in point and d.scale != "none"]


def _numeric(optimizer: BayesianOptimizer, point: Mapping[str, Any]) -> str:
    numbers = _numbers(optimizer, point)
    if not numbers:
        raise ValueError("no parameter of the next point is a number; there is no line to draw along")
    return numbers[0]


def _changed(optimizer: BayesianOptimizer, point: Mapping[str, Any], name: str, value: Any) -> dict[str, Any]:
    """The point with another value; parameters that this makes exist are in the middle of their range."""
    space, U = optimizer.space, optimizer.space.to_unit([point])
    U[0, space.names.index(name)] = space.dimensions[name].unit(space.dimensions[name].code(name, value))
    return space.from_unit(np.nan_to_num(U, nan=0.5))[0]


def _surrogate(
    ax: Axes,
    optimizer: BayesianOptimizer,
    name: str,
    values: Floats,
    mean: Floats,
    std: Floats,
    look: Mapping[str, Any],
) -> None:
    ax.fill_between(values, mean - 2.0 * std, mean + 2.0 * std, color=ACCENT, alpha=0.15, linewidth=0, label="± 2 sd")
    ax.plot(values, mean, label="mean", **look)
    told = [(p[name], loss) for p, loss in zip(optimizer.points_, optimizer.history_["loss"], strict=True) if name in p]
    alone = len(optimizer.space) == 1
    label = "evaluated" if alone else "evaluated elsewhere"
    x, y = np.array(told, dtype=float).T
    ax.scatter(x, y, s=26 if alone else 12, color=INK if alone else MUTED, zorder=3, label=label)


def _name(optimizer: BayesianOptimizer) -> str:
    given = optimizer.acquisition
    return given if isinstance(given, str) else type(given).__name__


def _title(optimizer: BayesianOptimizer, point: Mapping[str, Any], name: str) -> str:
    others = [
        f"{other}={value:.3g}" if isinstance(value, float) else f"{other}={value}"
        for other, value in point.items()
        if other != name
    ]
    text = f"after {len(optimizer.points_)} evaluations"
    return text + (f", at {', '.join(others)}" if others else "")
