"""Paths of solvers over two coefficients, and the schedules of their steps.

    w_{t+1} = w_t − η_t ∇F(w_t) + …                                                               (1)

Goh (2017), doi:10.23915/distill.00006; Robbins & Monro (1951), doi:10.1214/aoms/1177729586.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.legend import Legend

from gnomon._typing import ArrayLike, Floats
from gnomon.plot._style import COLORS, INK, MARKERS, SEQUENTIAL, dress, new_axes, styles, window

__all__ = ["descent_paths", "schedule_curves"]


def descent_paths(
    fun: Callable[[Floats], float | tuple[float, Floats]],
    paths: Mapping[str, ArrayLike],
    *,
    minimum: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Iterates of several solvers on the contours of a function of two variables.

    Parameters
    ----------
    fun : callable
        Value at a point of shape (2,), or (value, gradient).
    paths : dict of str to array of shape (k, 2)
        By label: ``history["iterates"]``.
    minimum : array of shape (2,), optional
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Goh, G. (2017). Why momentum really works. doi:10.23915/distill.00006

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> ax = plot.descent_paths(lambda w: float(w @ w), {"gd": np.array([[2.0, 1.0], [1.0, 0.5], [0.0, 0.0]])})
    >>> len(ax.lines)
    1
    """
    curves = {name: np.asarray(path, dtype=float) for name, path in paths.items()}
    if not curves:
        raise ValueError("paths={} has no path; give one at least, as {'gd': history['iterates']}")
    for name, path in curves.items():
        if path.ndim != 2 or path.shape[1] != 2 or not len(path):
            raise ValueError(f"paths[{name!r}] has the shape {path.shape}; it must be (k, 2), a point of each step")
    if minimum is not None and np.shape(minimum) != (2,):
        raise ValueError(f"minimum={minimum!r} must be a point of two numbers, as the paths have")
    ax = new_axes(ax, width=5.2, height=4.2)
    seen = [*curves.values()] if minimum is None else [*curves.values(), np.atleast_2d(minimum)]
    low, high = window(np.concatenate(seen), margin=0.2)
    A, B = np.meshgrid(np.linspace(low[0], high[0], 121), np.linspace(low[1], high[1], 121))
    values = np.array([_value(fun, point) for point in np.column_stack([A.ravel(), B.ravel()])]).reshape(A.shape)
    # Levels evenly spaced in the square root: evenly spaced rings around a quadratic minimum.
    levels = values.min() + (values.max() - values.min()) * np.linspace(0.0, 1.0, 16) ** 2
    ax.contourf(A, B, values, levels=levels, cmap=SEQUENTIAL.reversed(), alpha=0.35)
    ax.contour(A, B, values, levels=levels, colors=COLORS[6], linewidths=0.5, alpha=0.6)
    for k, ((name, path), (color, _)) in enumerate(zip(curves.items(), styles(len(curves)), strict=True)):
        mark: dict[str, Any] = {"marker": MARKERS[k % len(MARKERS)], "markersize": 4.5, "markeredgecolor": "white"}
        ax.plot(*path.T, color=color, linewidth=1.6, label=f"{name}, {len(path) - 1}", **mark)
    if minimum is not None:
        ax.plot(*np.asarray(minimum, dtype=float), "*", color=INK, markersize=12, label="minimum")
    dress(ax, x="$w_1$", y="$w_2$", legend="best", grid=None)
    cast(Legend, ax.get_legend()).set_title("solver, steps", prop=FontProperties(size=9))
    return ax


def schedule_curves(
    schedules: Mapping[str, Callable[[int], float]], *, n_steps: int = 2000, ax: Axes | None = None
) -> Axes:
    """The step size η_t of several schedules, on logarithmic axes.

    Parameters
    ----------
    schedules : dict of str to callable
        By label: a schedule of `gnomon.optim.schedules` or any function of t = 0, 1, 2 …
    n_steps : int, default=2000
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Robbins, H. & Monro, S. (1951). A stochastic approximation method. doi:10.1214/aoms/1177729586

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.schedule_curves({"1/t": lambda t: 1.0 / (1.0 + t)}, n_steps=10)
    >>> float(ax.lines[0].get_ydata()[4])
    0.2
    """
    ax, t = new_axes(ax), np.arange(n_steps)
    for (name, schedule), (color, dash) in zip(schedules.items(), styles(len(schedules)), strict=True):
        rates = [float(schedule(step)) for step in t.tolist()]
        ax.plot(t + 1, rates, color=color, linestyle=dash, linewidth=2.0, label=name)
    ax.set_xscale("log")
    ax.set_yscale("log")
    return dress(ax, x="update $t + 1$", y="step $\\eta_t$", legend="lower left")


def _value(fun: Callable[[Floats], float | tuple[float, Floats]], point: Floats) -> float:
    found = fun(point)
    return float(found[0] if isinstance(found, tuple) else found)
