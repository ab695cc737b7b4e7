"""How solvers approach the optimum.

    F(w_k) − F*   over iterations, passes and seconds;    primal ≥ F* ≥ dual                        (1)

Bottou, Curtis & Nocedal (2018), doi:10.1137/16M1080173.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from matplotlib.axes import Axes

from gnomon._typing import ArrayLike, Floats
from gnomon.optim import SOLVERS, Problem, applicable_solvers
from gnomon.plot._style import (
    ACCENT,
    COLORS,
    INK,
    MARKERS,
    SECOND,
    GivenAxes,
    dress,
    drop_legend,
    new_axes,
    new_panels,
    styles,
)

__all__ = ["convergence", "early_stopping", "primal_dual", "solver_race", "update_ratio"]

History: TypeAlias = Mapping[str, ArrayLike]
"""What a solver recorded at every check, as in `history_`."""

Abscissa: TypeAlias = Literal["iteration", "epoch", "seconds"]

LABELS = {
    "iteration": "iterations",
    "epoch": "passes over the data",
    "seconds": "seconds",
    "objective": "objective $-$ best",
    "gap": "duality gap",
    "gradient_norm": "largest entry of the gradient",
    "kkt": "largest violation of optimality",
}


def convergence(
    histories: Mapping[str, History],
    *,
    x: Abscissa = "iteration",
    y: Literal["objective", "gap", "gradient_norm", "kkt"] = "objective",
    best: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Objective, gap or gradient over iterations, passes or seconds, for several runs.

    Parameters
    ----------
    histories : dict of str to history
        By label: the ``history_`` of an estimator or the ``history`` of a `Solution`.
    x : {"iteration", "epoch", "seconds"}, default="iteration"
        Horizontal axis; a history without "epoch" counts iterations as passes.
    y : {"objective", "gap", "gradient_norm", "kkt"}, default="objective"
        Vertical axis, logarithmic. The objective is drawn above `best`.
    best : float, optional
        F*; by default the least objective of all histories.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Bottou, L., Curtis, F. E. & Nocedal, J. (2018). Optimization methods for large-scale machine learning.
    doi:10.1137/16M1080173

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> history = {"iteration": np.arange(3), "objective": np.array([4.0, 2.0, 1.5])}
    >>> ax = plot.convergence({"gd": history}, best=1.0)
    >>> ax.lines[0].get_ydata()
    array([3. , 1. , 0.5])
    """
    for name, value in (("x", x), ("y", y)):
        if value not in LABELS:
            raise ValueError(f"{name}={value!r} is unknown; choose from {list(LABELS)}")
    known = {name: history for name, history in histories.items() if y in history}
    if not known:
        raise ValueError(f"y={y!r} is in none of the histories {list(histories)}; choose another")
    if best is None and y == "objective":
        best = min(np.nanmin(history["objective"]) for history in known.values())
    ax = new_axes(ax)
    for k, ((name, history), (color, dash)) in enumerate(zip(known.items(), styles(len(known)), strict=True)):
        values = np.asarray(history[y], dtype=float)
        place = _abscissa(history, x)
        if y == "objective" and best is not None:
            place, values = _down_to_rounding(place, values - best, 1e-14 * max(abs(best), 1e-300))
        mark = MARKERS[(k + k // len(MARKERS)) % len(MARKERS)]
        style: dict[str, Any] = {"color": color, "linestyle": dash, "linewidth": 1.7, "marker": mark, "markersize": 4}
        ax.plot(place, values, label=name, markevery=max(1, len(values) // 8), **style)
    ax.set_yscale("log")
    return dress(ax, x=LABELS[x], y=LABELS[y], legend="best")


def solver_race(
    problem: Problem,
    solvers: Sequence[str] | None = None,
    *,
    max_iter: int = 300,
    tol: float = 1e-12,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    best: float | None = None,
    ax: GivenAxes = None,
) -> dict[str, Axes]:
    """Every solver that can minimise one problem, started at zero: objective above the optimum over time and passes.

    Each solver runs once before it is timed, so that no compilation is drawn.

    Parameters
    ----------
    problem : gnomon.optim.Problem
    solvers : sequence of str, optional
        Keys of ``gnomon.optim.SOLVERS``; all that apply by default.
    max_iter : int, default=300
    tol : float, default=1e-12
        Tight, so that the curves run down to rounding.
    options : dict of str to dict, optional
        Further options by solver: ``{"sgd": {"random_state": 0}}``.
    best : float, optional
        F*; by default the least objective that any of them reached.
    ax : pair of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "seconds" and "passes".

    References
    ----------
    Bottou, L., Curtis, F. E. & Nocedal, J. (2018). Optimization methods for large-scale machine learning.
    doi:10.1137/16M1080173

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> from gnomon.losses import SquaredLoss
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import Problem
    >>> from gnomon.penalties import L2
    >>> X, y = np.array([[1.0, 0], [1, 1], [1, 2]]), np.array([0.0, 1, 1])
    >>> problem = Problem(Design(X), y, SquaredLoss(), L2(1.0), np.ones(3))
    >>> panels = plot.solver_race(problem, ["lbfgs", "newton"])
    >>> [line.get_label() for line in panels["seconds"].lines]
    ['lbfgs', 'newton']
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"problem={problem!r} is no Problem of gnomon.optim; solver_race needs one to solve")
    names = applicable_solvers(problem) if solvers is None else list(solvers)
    if unknown := [name for name in names if name not in applicable_solvers(problem)]:
        raise ValueError(f"solvers has {unknown}, which cannot solve this; choose from {applicable_solvers(problem)}")
    histories = {name: _run(problem, name, tol, max_iter, (options or {}).get(name, {})) for name in names}
    panels = new_panels(ax, ["seconds", "passes"], width=4.2, height=3.8, sharey=True)
    units: tuple[Abscissa, ...] = ("seconds", "epoch")
    for axes, x in zip(panels.values(), units, strict=True):
        convergence(histories, x=x, best=best, ax=axes)
        axes.set_xscale("log")
    panels["passes"].set_ylabel("")
    drop_legend(panels["seconds"])
    # In order of arrival; then those that did not arrive, the lowest final value first.
    curves = sorted(
        panels["seconds"].lines, key=lambda line: (np.asarray(line.get_ydata())[-1], np.asarray(line.get_xdata())[-1])
    )
    shown = {line.get_label(): line for line in panels["passes"].lines}
    order = [shown[line.get_label()] for line in curves]
    panels["passes"].legend(handles=order, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=9)
    return panels


def primal_dual(history: History, *, x: Abscissa = "iteration", ax: Axes | None = None) -> Axes:
    """The bracket primal ≥ F* ≥ dual closing around the optimum.

    Parameters
    ----------
    history : dict
        With "objective" (or "primal") and "dual", or "objective" and "gap".
    x : {"iteration", "epoch", "seconds"}, default="iteration"
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Shalev-Shwartz, S. & Zhang, T. (2013). Stochastic dual coordinate ascent methods. JMLR 14, 567–599.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> history = {"iteration": np.arange(3), "objective": np.array([3.0, 2.5, 2.1]), "gap": np.array([2.0, 1.0, 0.2])}
    >>> ax = plot.primal_dual(history)
    >>> ax.lines[1].get_ydata().round(6)
    array([1. , 1.5, 1.9])
    """
    primal = np.asarray(history.get("primal", history["objective"]), dtype=float)
    if "dual" not in history and "gap" not in history:
        raise ValueError(f"history has {list(history)}, neither 'dual' nor 'gap'; use a solver that computes a dual")
    dual = np.asarray(history["dual"], dtype=float) if "dual" in history else primal - history["gap"]
    dual = np.where(np.isfinite(dual), dual, np.nan)
    # Some solvers compute the primal value at a few of their checks only.
    known = np.isfinite(primal)
    ax, place = new_axes(ax), np.asarray(_abscissa(history, x))[known]
    primal, dual = primal[known], dual[known]
    ax.plot(place, primal, "o-", color=ACCENT, markersize=3.5, linewidth=1.7, label="primal")
    ax.plot(place, dual, "s--", color=SECOND, markersize=3.5, linewidth=1.7, label="dual")
    ax.fill_between(place, dual, primal, color=ACCENT, alpha=0.1, linewidth=0, label="gap")
    if np.sum(np.isfinite(dual)) > 3:
        # The first values are often so far away that the gap would be invisible.
        low, high = np.nanmin(dual[1:]), np.nanmax(primal[1:])
        ax.set_ylim(low - 0.08 * (high - low), high + 0.08 * (high - low))
    return dress(ax, x=LABELS[x], y="objective", legend="best")


def update_ratio(history: History, *, ax: Axes | None = None) -> Axes:
    """‖Δw‖/‖w‖ of each update: far above 10⁻³ the steps are long, far below they are short.

    Parameters
    ----------
    history : dict
        With "iteration" and "update_ratio".
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Bottou, L. (2012). Stochastic gradient descent tricks. doi:10.1007/978-3-642-35289-8_25

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> ax = plot.update_ratio({"iteration": np.arange(3), "update_ratio": np.array([np.nan, 0.1, 0.01])})
    >>> float(ax.lines[0].get_ydata()[2])
    0.01
    """
    ax = new_axes(ax)
    ax.plot(history["iteration"], history["update_ratio"], "o-", color=ACCENT, markersize=3, linewidth=1.4)
    ax.axhline(1e-3, color=INK, linewidth=1.0, linestyle=(0, (4, 3)))
    ax.set_yscale("log")
    return dress(ax, x=LABELS["iteration"], y="$\\|\\Delta w\\| / \\|w\\|$")


def early_stopping(
    history: History, *, y: str = "validation", lower_is_better: bool = False, ax: Axes | None = None
) -> Axes:
    """The training objective and the validation score, with the point whose weights are kept.

    Parameters
    ----------
    history : dict
        With "iteration", "objective" and `y`.
    y : str, default="validation"
        Which column is watched.
    lower_is_better : bool, default=False
        Whether the best value of it is the least.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The training objective is drawn on a twin of it, ``ax.figure.axes[-1]``.

    References
    ----------
    Prechelt, L. (1998). Early stopping, but when? doi:10.1007/3-540-49430-8_3

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> score = np.array([0.5, 0.8, 0.7])
    >>> ax = plot.early_stopping({"iteration": np.arange(3), "objective": np.ones(3), "validation": score})
    >>> [float(v) for v in ax.lines[1].get_xydata()[0]]
    [1.0, 0.8]
    """
    ax = new_axes(ax)
    place, watched = np.asarray(history["iteration"]), np.asarray(history[y], dtype=float)
    best = int(np.nanargmin(watched) if lower_is_better else np.nanargmax(watched))
    ax.plot(place, watched, color=SECOND, linewidth=1.9, label=y)
    ax.plot(place[best], watched[best], "o", color=SECOND, markersize=8, label=f"kept: iteration {place[best]:g}")
    ax.axvline(place[best], color=INK, linewidth=1.0, linestyle=(0, (4, 3)))
    twin = ax.twinx()
    twin.plot(place, history["objective"], color=COLORS[0], linewidth=1.5, linestyle=(0, (5, 2)))
    twin.set_ylabel("training objective (dashed)", color=COLORS[0])
    twin.tick_params(axis="y", colors=COLORS[0], labelsize=9)
    twin.spines[["top", "left"]].set_visible(False)
    return dress(ax, x=LABELS["iteration"], y=y, legend="best")


def _abscissa(history: History, x: Abscissa) -> Floats:
    return np.asarray(history["iteration"] if x == "epoch" and "epoch" not in history else history[x], dtype=float)


def _down_to_rounding(place: Floats, values: Floats, floor: float) -> tuple[Floats, Floats]:
    """The curve up to the first value at the rounding floor."""
    arrived = np.flatnonzero(values <= floor)
    end = arrived[0] + 1 if arrived.size else len(values)
    return place[:end], np.maximum(values[:end], floor)


def _run(problem: Problem, name: str, tol: float, max_iter: int, options: Mapping[str, Any]) -> History:
    """The history of the second of two runs."""
    start = np.zeros(problem.size, dtype=problem.design.dtype)
    with warnings.catch_warnings():
        # Not every solver converges; that is what the plot shows.
        warnings.simplefilter("ignore")
        SOLVERS[name].run(problem, start.copy(), max_iter=2, tol=tol, **options)
        return SOLVERS[name].run(problem, start, max_iter=max_iter, tol=tol, **options).history
