"""Coefficients: over the strength of the penalty, and one by one with their intervals.

    ŵ(λ) = argmin_w  data term + λ Ω(w),    θ(λ) = Ω(ŵ(λ))                                         (1)

Efron, Hastie, Johnstone & Tibshirani (2004), figure 1, doi:10.1214/009053604000000067.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes

from gnomon._typing import ArrayLike
from gnomon.plot._style import ACCENT, COLORS, INK, MUTED, SECOND, GivenAxes, dress, new_axes, new_panels

__all__ = ["coefficient_path", "coefficients"]


def coefficient_path(
    lams: ArrayLike,
    coefs: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    over: Literal["lam", "norm"] = "lam",
    chosen: float | None = None,
    knots: bool = False,
    n_labels: int = 8,
    ax: GivenAxes = None,
) -> dict[str, Axes]:
    """Coefficients and the number of non-zeros over λ, or over ‖w‖₁.

    Parameters
    ----------
    lams : array of shape (k,)
        Values of λ (or α, or C), from the strongest penalty to the weakest, as `gnomon.linear.path` gives them.
    coefs : array of shape (k, d)
        One row of coefficients for each λ.
    names : sequence of str, optional
        Names of the d features.
    over : {"lam", "norm"}, default="lam"
        Horizontal axis: λ, logarithmic (without 0 and ∞), or θ = ‖w‖₁, over which a lasso is piecewise linear.
    chosen : float, optional
        A λ to mark.
    knots : bool, default=False
        Mark every λ: for the knots of an exact path.
    n_labels : int, default=8
        How many of the largest final coefficients are labelled.
    ax : pair of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "coefficients" and "nonzeros".

    References
    ----------
    Efron, B., Hastie, T., Johnstone, I. & Tibshirani, R. (2004). Least angle regression. doi:10.1214/009053604000000067

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> panels = plot.coefficient_path([4.0, 2.0, 1.0], [[5 / 3, 0], [2, 0], [13 / 6, -1 / 6]])
    >>> panels["nonzeros"].lines[0].get_ydata()
    array([1, 1, 2])
    """
    lams, coefs = np.asarray(lams, dtype=float), np.asarray(coefs, dtype=float)
    if coefs.ndim != 2 or coefs.shape[:1] != lams.shape:
        raise ValueError(f"coefs has shape {coefs.shape} and lams {lams.shape}; give one row of coefficients per λ")
    if over not in ("lam", "norm"):
        raise ValueError(f"over={over!r} is unknown; choose 'lam' or 'norm'")
    shown = (lams > 0) & np.isfinite(lams) if over == "lam" else np.full(lams.shape, True)
    lams, coefs = lams[shown], coefs[shown]
    x = lams if over == "lam" else np.abs(coefs).sum(axis=1)
    ratios = {"gridspec_kw": {"height_ratios": [3, 1]}, "sharex": True}
    panels = new_panels(ax, ["coefficients", "nonzeros"], columns=1, width=5.6, height=2.4, **ratios)
    top, low = panels.values()
    for j, column in enumerate(coefs.T):
        top.plot(x, column, "o-" if knots else "-", color=COLORS[j % len(COLORS)], linewidth=1.4, markersize=3)
    low.step(x, np.count_nonzero(coefs, axis=1), where="post", color=ACCENT, linewidth=1.6)
    if x[0] != x[-1]:
        low.set_xlim(x[0], x[-1])
    top.axhline(0.0, color=MUTED, linewidth=0.8, zorder=0)
    _mark(panels, lams, x, chosen)
    label = _direction(panels, over)
    _label_ends(top, x, coefs, names, n_labels)
    dress(top, y="coefficient")
    dress(low, x=label, y="non-zeros")
    return panels


def coefficients(
    coef: ArrayLike,
    names: Sequence[str] | None = None,
    *,
    intervals: ArrayLike | None = None,
    sort: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Coefficients as labelled bars, with their intervals.

    Parameters
    ----------
    coef : array of shape (d,)
    names : sequence of str, optional
    intervals : array of shape (d, 2), optional
        Lower and upper end of each.
    sort : bool, default=True
        Largest modulus on top; otherwise in the order given.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.coefficients([0.5, -2.0], ["age", "dose"], intervals=[[0.1, 0.9], [-2.5, -1.5]])
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['dose', 'age']
    """
    coef = np.ravel(np.asarray(coef, dtype=float))
    names = [f"$x_{{{j + 1}}}$" for j in range(coef.size)] if names is None else [str(name) for name in names]
    if len(names) != coef.size:
        raise ValueError(f"names has {len(names)} entries for {coef.size} coefficients; give one each")
    order = np.argsort(-np.abs(coef), kind="stable") if sort else np.arange(coef.size)
    ax = new_axes(ax, height=0.9 + 0.28 * max(coef.size, 4))
    place = np.arange(coef.size)
    ax.barh(place, coef[order], height=0.62, color=[ACCENT if w >= 0 else SECOND for w in coef[order]], alpha=0.85)
    if intervals is not None:
        ends = np.asarray(intervals, dtype=float)[order]
        ax.hlines(place, *ends.T, color=INK, linewidth=1.4)
        ax.plot(ends.ravel(), np.repeat(place, 2), "|", color=INK, markersize=7)
    ax.axvline(0.0, color=MUTED, linewidth=0.9)
    ax.set_yticks(place, [names[j] for j in order])
    ax.invert_yaxis()
    return dress(ax, x="coefficient", grid="x")


def _direction(panels, over):
    if over == "norm":
        return "$\\theta = \\|w\\|_1$"
    for ax in panels.values():
        ax.set_xscale("log")
    return "$\\lambda$ (weaker to the right)"


def _mark(panels, lams, x, chosen):
    if chosen is None:
        return
    place = x[np.argmin(np.abs(lams - chosen))]
    for ax in panels.values():
        ax.axvline(place, color=INK, linewidth=1.0, linestyle=(0, (4, 3)))


def _label_ends(ax, x, coefs, names, n_labels):
    """Name the largest coefficients where their lines end, moved apart so that no two names overlap."""
    d, last = coefs.shape[1], coefs[-1]
    names = [f"$w_{{{j + 1}}}$" for j in range(d)] if names is None else list(names)
    shown = [j for j in np.argsort(-np.abs(last), kind="stable")[:n_labels] if last[j] != 0.0]
    shown.sort(key=lambda j: last[j])
    low, high = np.min(coefs), np.max(coefs)
    gap, height = 0.055 * (high - low), -np.inf
    for j in shown:
        height = max(last[j], height + gap)
        where: dict[str, Any] = {
            "xy": (x[-1], last[j]),
            "xytext": (1.015, height),
            "textcoords": ("axes fraction", "data"),
        }
        style: dict[str, Any] = {
            "fontsize": 8.5,
            "va": "center",
            "color": COLORS[j % len(COLORS)],
            "annotation_clip": False,
        }
        ax.annotate(str(names[j]), **where, **style)
