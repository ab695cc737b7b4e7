"""One rule as a stump: a branch for each value of its column, with the classes of its rows.

    column → value → counts n_vk → argmax_k n_vk                                                              (1)

Holte (1993), Very simple classification rules perform well on most commonly used datasets,
doi:10.1023/A:1022631118932.
"""

import numpy as np
from matplotlib.patches import Rectangle

from gnomon.plot._style import INK, MUTED, class_color, class_names, label_panel, new_axes

__all__ = ["one_rule"]

_TOP, _EDGE, _BAR, _HALF = 1.0, 0.5, 0.06, 0.4
"""Heights of the root and the middle of edges, of a bar, and half its width."""


def one_rule(model, *, max_values=10, ax=None):
    """Draw a fitted `OneRule` by (1).

    Under each value stand its counts, a bar of the shares of the classes, and the class that is predicted.

    Parameters
    ----------
    model : fitted OneRule
    max_values : int, default=10
        Values beyond the heaviest so many are left out, and their number is told.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Holte, R. C. (1993). Very simple classification rules perform well on most commonly used datasets.
    doi:10.1023/A:1022631118932

    Examples
    --------
    >>> from gnomon.datasets import load_weather_play
    >>> from gnomon.plot import one_rule
    >>> from gnomon.trees import OneRule
    >>> weather = load_weather_play(as_frame=True)
    >>> ax = one_rule(OneRule().fit(weather.data, weather.target))
    >>> ax.texts[0].get_text().splitlines()
    ['outlook', '5 no, 9 yes']
    """
    table = model.rules_
    heaviest = np.sort(np.argsort(-table.weight, kind="stable")[:max_values])
    names = [name.removeprefix("class ") for name in class_names(table.classes)]
    ax = new_axes(ax, width=1.2 + 1.5 * len(heaviest), height=3.4)
    middle = 0.5 * (len(heaviest) - 1)
    box = {"boxstyle": "round,pad=0.4", "facecolor": "white", "edgecolor": MUTED}
    whole = _counted(np.sum(table.counts, axis=0), names, ", ")
    ax.text(middle, _TOP, f"{table.column}\n{whole}", ha="center", va="bottom", color=INK, bbox=box, zorder=3)
    for x, v in enumerate(heaviest):
        ax.plot([middle, x], [_TOP, 2 * _BAR], color=MUTED, linewidth=1.0, zorder=1)
        _value(ax, x, middle, table, v, names)
    left = len(table) - len(heaviest)
    label_panel(ax, f"{np.sum(table.errors):.10g} of {np.sum(table.weight):.10g} rows wrong"
                + (f"; {left} lighter values are not drawn" if left else ""))  # fmt: skip
    ax.set(xlim=(-0.7, len(heaviest) - 0.3), ylim=(-0.2 - 0.1 * len(names), 1.5))
    ax.set_axis_off()
    return ax


def _value(ax, x, middle, table, v, names):
    """One branch: the value on its edge, the bar, the label and the counts."""
    column, condition = str(table.column), table.conditions[v]
    short = condition.removeprefix(f"{column} = ").removeprefix(f"{column} is ")
    ground = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    share = (_EDGE - 2 * _BAR) / (_TOP - 2 * _BAR)
    at = x + share * (middle - x)
    ax.text(at, _EDGE, short, ha="center", va="center", fontsize=9, color=INK, bbox=ground, zorder=2)
    left = x - _HALF
    for k, width in enumerate(2 * _HALF * table.counts[v] / table.weight[v]):
        color = class_color(k, len(names))
        ax.add_patch(Rectangle((left, 0.0), width, 2 * _BAR, facecolor=color, edgecolor="white", zorder=2))
        left += width
    winner = int(np.argmax(table.counts[v]))
    ax.text(x, -0.04, names[winner], ha="center", va="top", weight="bold", color=class_color(winner, len(names)))
    ax.text(x, -0.17, _counted(table.counts[v], names, "\n"), ha="center", va="top", fontsize=9, color=INK)


def _counted(counts, names, between):
    return between.join(f"{n:.10g} {name}" for n, name in zip(counts, names, strict=True))
