"""The pruning path of a tree: what it costs to have fewer leaves.

    R_α(T) = R(T) + α·#leaves(T);   tree k is the smallest minimiser for α_k ≤ α < α_{k+1}                      (1)

Breiman, Friedman, Stone & Olshen (1984), figure 3.2 and §3.4, doi:10.1201/9781315139470.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from gnomon.plot._style import ACCENT, INK, MUTED, SECOND, GivenAxes, dress, new_panels
from gnomon.trees import PruningChoice

__all__ = ["pruning_curves"]


def pruning_curves(choice: PruningChoice, *, ax: GivenAxes = None) -> dict[str, Axes]:
    """Training error, cross-validated error and number of leaves over α, with the trees of both rules marked.

    Parameters
    ----------
    choice : PruningChoice
        What `gnomon.trees.prune_cv` returns.
    ax : pair of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "errors" and "leaves". The band is one standard error wide on each side; the axis of α is linear up to the first
        price at which a link is cut and logarithmic from there.

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees, §3.4.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from gnomon import plot
    >>> from gnomon.trees import DecisionTreeClassifier, prune_cv
    >>> choice = prune_cv(DecisionTreeClassifier(), *load_iris(return_X_y=True))
    >>> panels = plot.pruning_curves(choice)
    >>> [text.get_text() for text in panels["errors"].get_legend().get_texts()][:2]
    ['training', 'cross-validation']
    """
    ratios = {"gridspec_kw": {"height_ratios": [2, 1]}, "sharex": True}
    panels = new_panels(ax, ["errors", "leaves"], columns=1, width=5.8, height=2.3, **ratios)
    top, low = panels.values()
    x, last = choice.alphas, _beyond(choice.alphas)
    _steps(top, x, last, choice.training_errors, color=SECOND, linestyle=(0, (5, 2)), label="training")
    _steps(top, x, last, choice.errors, color=ACCENT, label="cross-validation")
    edges = np.append(x, last)
    below, above = (np.append(values, values[-1]) for values in _band(choice))
    top.fill_between(edges, below, above, step="post", color=ACCENT, alpha=0.15, linewidth=0)
    _steps(low, x, last, choice.leaves, color=INK, label="leaves")
    _mark(panels, choice, edges, choice.least, "least", marker="o", markersize=6)
    _mark(panels, choice, edges, choice.one_se, "one standard error", marker="s", markersize=11)
    for axes in panels.values():
        axes.set_xscale("symlog", linthresh=x[1] if len(x) > 1 else 1.0, linscale=0.4)
        axes.set_xlim(0.0, last)
    low.set_yscale("log")
    low.yaxis.set_major_formatter(lambda leaves, _: f"{leaves:g}")
    dress(top, y="error", legend="best")
    dress(low, x="price of a leaf $\\alpha$", y="leaves")
    return panels


def _beyond(alphas):
    """Where the picture ends, so that the root alone has a step of its own."""
    return float(alphas[-1] * 2.0) if len(alphas) > 1 else 1.0


def _steps(ax, x, last, values, **style):
    ax.plot(np.append(x, last), np.append(values, values[-1]), drawstyle="steps-post", linewidth=1.7, **style)


def _band(choice):
    return np.maximum(choice.errors - choice.standard_errors, 0.0), choice.errors + choice.standard_errors


def _mark(panels, choice, edges, place, word, **style):
    """A point in the middle of the step of a tree, in both panels; both can be seen where the rules agree."""
    left, right = edges[place], edges[place + 1]
    middle = np.sqrt(left * right) if left > 0.0 else 0.5 * right
    top, low = panels.values()
    style |= {
        "markerfacecolor": "none",
        "markeredgecolor": INK,
        "markeredgewidth": 1.5,
        "linestyle": "none",
        "zorder": 4,
    }
    leaves = int(choice.leaves[place])
    name = f"{word}: {leaves} {'leaf' if leaves == 1 else 'leaves'}"
    top.plot([middle], [choice.errors[place]], label=name, **style)
    low.plot([middle], [leaves], **style)
    for ax in (top, low):
        ax.axvline(middle, color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
