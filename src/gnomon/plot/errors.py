"""Where the error comes from: bias, variance and noise; model, estimation and optimisation; labellings that fail.

    error = bias² + variance + noise,    excess error = model + estimation + optimisation                      (1)

Geman, Bienenstock & Doursat (1992), doi:10.1162/neco.1992.4.1.1; Bottou & Bousquet (2008), The tradeoffs of large scale
learning, NIPS 20; Vapnik & Chervonenkis (1971), doi:10.1137/1116025.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from gnomon._typing import ArrayLike, Floats
from gnomon.evaluation import BiasVarianceCurve, ErrorSources, n_dichotomies
from gnomon.linear import widest_margin
from gnomon.optim import is_separable
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
    scatter_rows,
    styles,
    window,
)
from gnomon.plot.boundary import line_ends, two_columns

__all__ = ["bias_variance_terms", "error_source_bars", "shattering"]


def bias_variance_terms(
    curve: BiasVarianceCurve, *, x: str | None = None, log: bool = False, ax: Axes | None = None
) -> Axes:
    """Error, bias², variance and noise over complexity, λ, or the number of trees.

    Parameters
    ----------
    curve : BiasVarianceCurve
        From ``bias_variance(…, param=(name, values))``.
    x : str, optional
        What the axis calls the parameter; its name by default.
    log : bool, default=False
        Whether its values stand on a logarithmic axis.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Geman, S., Bienenstock, E. & Doursat, R. (1992). Neural networks and the bias/variance dilemma.
    doi:10.1162/neco.1992.4.1.1

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.evaluation import BiasVarianceCurve, split_predictions
    >>> parts = [split_predictions([[1.0], [2.0]], [0.0]), split_predictions([[0.5], [1.0]], [0.0])]
    >>> ax = plot.bias_variance_terms(BiasVarianceCurve("alpha", [0.0, 1.0], parts))
    >>> [line.get_label() for line in ax.lines]
    ['error', 'bias²', 'variance']
    """
    ax, values = new_axes(ax), curve.values
    terms = {"error": curve.of("total"), "bias²": curve.of("bias"), "variance": curve.of("variance")}
    for (color, dash), (name, term) in zip(styles(3), terms.items(), strict=True):
        ax.plot(values, term, color=color, linestyle=dash, marker="o", markersize=4, label=name)
    noise = curve.of("noise")[0]
    if noise > 0.0:
        ax.axhline(noise, color=MUTED, linewidth=1.0, linestyle=":", label="noise")
    if log:
        powers = np.log2(np.asarray(values, dtype=float))
        ax.set_xscale("log", base=2 if np.allclose(powers, np.rint(powers)) else 10)
        ax.minorticks_off()
    if len(values) <= 12:
        ax.set_xticks(values, [f"{value:g}" for value in values])
    if min(np.min(term) for term in terms.values()) >= 0.0:
        ax.set_ylim(bottom=0.0)
    return dress(ax, x=curve.parameter if x is None else x, y="mean squared error", legend="best")


def error_source_bars(
    sources: Mapping[Any, ErrorSources], *, x: str = "rows", log: bool = False, ax: Axes | None = None
) -> Axes:
    """The three error sources as stacked bars, over rows or iterations; what is negative hangs below zero.

    Parameters
    ----------
    sources : dict from a number or a word to ErrorSources
        One bar each.
    x : str, default="rows"
        What these numbers are.
    log : bool, default=False
        A logarithmic axis of errors, on which each bar reaches its excess error from the smallest one shown.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Bottou, L. & Bousquet, O. (2008). The tradeoffs of large scale learning. NIPS 20, 161–168.

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.evaluation import ErrorSources
    >>> ax = plot.error_source_bars({10: ErrorSources(0.5, 0.2, 0.1, 1.0), 100: ErrorSources(0.5, 0.02, 0.1, 1.0)})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['model', 'estimation', 'optimisation']
    """
    ax = new_axes(ax)
    places, above, below = np.arange(len(sources)), np.zeros(len(sources)), np.zeros(len(sources))
    for name, term, color in zip(("model", "estimation", "optimisation"), ErrorSources._fields, COLORS, strict=False):
        height = np.array([getattr(each, term) for each in sources.values()])
        bottom = np.where(height >= 0.0, above, below)
        ax.bar(places, height, 0.72, bottom=bottom, color=color, alpha=0.85, label=name)
        above, below = above + np.maximum(height, 0.0), below + np.minimum(height, 0.0)
    ax.set_xticks(places, [f"{key:g}" if isinstance(key, (int, float)) else str(key) for key in sources])
    if log:
        ax.set_yscale("log")
    else:
        ax.axhline(0.0, color=INK, linewidth=0.8)
    return dress(ax, x=x, y="excess error", legend="upper right", grid="y")


def shattering(X: ArrayLike, *, fit_intercept: bool = True, columns: int = 8, ax: GivenAxes = None) -> dict[str, Axes]:
    """All labellings of a few points in the plane, a line through those that a line can give, and the others marked.

    Parameters
    ----------
    X : array of shape (n, 2)
        At most 5 points.
    fit_intercept : bool, default=True
        Whether lines may miss the origin.
    columns : int, default=8
        Panels in a row.
    ax : 2^n matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        By the labelling as a string of + and −.

    References
    ----------
    Vapnik, V. N. & Chervonenkis, A. Y. (1971). On the uniform convergence of relative frequencies of events to their
    probabilities. doi:10.1137/1116025

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> panels = plot.shattering(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    >>> len(panels), list(panels)[1]
    (8, '−−+')
    """
    rows = two_columns(X)
    if len(rows) > 5:
        raise ValueError(f"X has {len(rows)} points, of which {2 ** len(rows)} panels would be drawn; give at most 5")
    given = {tuple(signs) for signs in n_dichotomies(rows, fit_intercept=fit_intercept).labellings.tolist()}
    every = {"".join("−+"[sign > 0] for sign in signs): signs for signs in product([-1, 1], repeat=len(rows))}
    panels = new_panels(ax, every, columns=columns, width=1.35, height=1.45)
    for name, signs in every.items():
        _labelling(panels[name], rows, np.array(signs), signs in given, fit_intercept)
        label_panel(panels[name], name)
    return panels


def _labelling(ax: Axes, rows: Any, signs: Any, possible: bool, fit_intercept: bool) -> None:
    low, high = window(rows, margin=0.35)
    for sign, color, marker in ((1, ACCENT, MARKERS[0]), (-1, SECOND, MARKERS[1])):
        scatter_rows(ax, rows[signs == sign], s=34, color=color, marker=marker, edgecolor="white", zorder=3)
    if not possible:
        ax.set_facecolor("#F6D9C8")
        ax.plot([0, 1], [0, 1], color=SECOND, linewidth=1.2, transform=ax.transAxes)
        ax.plot([0, 1], [1, 0], color=SECOND, linewidth=1.2, transform=ax.transAxes)
    elif np.ptp(signs) > 0:
        ax.plot(*line_ends(*_line_between(rows, signs, fit_intercept), low, high).T, color=INK, linewidth=1.3)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xticks=[], yticks=[])
    for spine in ax.spines.values():
        spine.set_color(MUTED)


def _line_between(rows: Floats, signs: Any, fit_intercept: bool) -> tuple[Floats, float]:
    """w and b of the line that stays farthest from all points."""
    # The offset counts in the length of the direction; the greater the constant column, the less it does.
    constant = 30.0 if fit_intercept else 0.0
    middle, half = np.mean(rows, axis=0) if fit_intercept else np.zeros(2), float(np.max(np.ptp(rows, axis=0))) / 2.0
    u = widest_margin(np.column_stack([(rows - middle) / half, np.full(len(rows), constant)]), signs).direction
    if u is None:
        # Points of both classes all but coincide: any line between them looks the same.
        found = is_separable(rows, signs, fit_intercept=fit_intercept)
        return found.w, found.b
    w = u[:2] / half
    return w, float(constant * u[2] - w @ middle)
