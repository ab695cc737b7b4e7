"""Trees: drawn, beside the regions that they make, as one rule, and the impurities by which they grow.

    region of a leaf = the rows that pass all tests on its path: a polygon, cut out of the plane test by test        (1)

Breiman et al. (1984), Classification and Regression Trees, doi:10.1201/9781315139470; the cutting: Sutherland & Hodgman
(1974), Reentrant polygon clipping, doi:10.1145/360767.360802.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike
from gnomon.plot._style import (
    INK,
    MUTED,
    GivenAxes,
    check_columns,
    class_color,
    class_names,
    dress,
    new_axes,
    new_panels,
    scatter_classes,
    scatter_rows,
    styles,
    window,
)
from gnomon.plot._tree_layout import LABEL, branch_label, fill_color, lay_out, tally
from gnomon.search import Tree, explain_row, tree_rules
from gnomon.search.conditions import branch_conditions
from gnomon.trees import impurity
from gnomon.trees.single_row import one_row

__all__ = ["impurity_curves", "rule_stump", "tree", "tree_regions"]

LEVEL = 1.25
"""Inches between levels of a tree."""

SIZE = 8.5


def tree(
    model: BaseEstimator,
    *,
    x: ArrayLike | Mapping[str, Any] | None = None,
    max_depth: int | None = None,
    digits: int = 3,
    ax: Axes | None = None,
) -> Axes:
    """A tree: test, rows, classes, answer and impurity of every node, coloured by class and purity.

    Parameters
    ----------
    model : fitted estimator with `tree_` and `words_`
    x : one row, or a dict of its columns, optional
        Its way is drawn bold, all else pale.
    max_depth : int, optional
        What is deeper is only counted; by default as deep as stays readable.
    digits : int, default=3
        Significant digits of thresholds and impurities.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Reingold, E. M. & Tilford, J. S. (1981). Tidier drawings of trees. doi:10.1109/TSE.1981.234519

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.trees import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [3.0]], ["low", "low", "high"])
    >>> ax = plot.tree(model)
    >>> ax.texts[2].get_text().splitlines()
    ['x0?', '3 rows', 'high: 1 · low: 2', 'low, H = 0.444']
    """
    grown = own_trees("model", model, Tree)
    way = None if x is None else _way(model, x)
    boxes, width = lay_out(grown, model.words_, max_depth=max_depth, digits=digits)
    return _draw(model, boxes, width, ax, way)


def own_trees(name, model, kind):
    """The `Tree` or `Forest` of a fitted model; a model of another library has none of these kinds."""
    check_is_fitted(model)
    found = getattr(model, "tree_" if kind is Tree else "forest_", None)
    if not isinstance(found, kind):
        raise TypeError(f"{name}={model!r} has no {kind.__name__} of this library; give a fitted model of gnomon.trees")
    return found


def _way(model, x):
    """The nodes that a row passes; of several ways, that of most of its weight."""
    explained = explain_row(model.tree_, model.words_, one_row(model, x, model.words_.names))
    return {0, *(step.child for step in explained.steps)}


def _draw(model, boxes, width, ax, way=None, *, fits=False):
    """Edges, boxes, and on every edge what it asks; letters shrink unless the axes are known to be large enough."""
    deepest = max(box.depth for box in boxes)
    fits = fits or ax is None
    ax = new_axes(ax, width=max(3.0, width + 0.3), height=0.35 + LEVEL * (deepest + 0.75))
    place = {box.node: (box.x, -LEVEL * box.depth) for box in boxes}
    size = SIZE if fits else SIZE * _shrink(ax, width, LEVEL * (deepest + 0.75))
    for box in boxes:
        on_way = way is None or box.node in way
        if box.parent >= 0:
            (a, b), (c, d) = place[box.parent], place[box.node]
            bold = way is not None and on_way
            ax.plot([a, c], [b, d], color=INK if bold else "#AAAAAA", linewidth=2.4 if bold else 1.1, zorder=1)
            label = {"fontsize": size, "color": INK if on_way else MUTED, "ha": "center", "va": "center"}
            ground = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
            ax.text(a + LABEL * (c - a), b + LABEL * (d - b), box.edge, bbox=ground, zorder=2, **label)
    for box in boxes:
        _draw_box(ax, model, box, place[box.node], size, way)
    ax.set(xlim=(-0.1, width + 0.1), ylim=(-LEVEL * (deepest + 0.42), 0.42 * LEVEL))
    ax.set_axis_off()
    return ax


def _draw_box(ax, model, box, place, size, way):
    on_way = way is None or box.node in way
    bold = way is not None and on_way
    style = {
        "boxstyle": "round,pad=0.45,rounding_size=0.6" if model.tree_.is_leaf[box.node] else "round,pad=0.45",
        "facecolor": fill_color(model.tree_, model.words_, box.node) if on_way else "#F7F7F7",
        "edgecolor": INK if bold else MUTED if on_way else "#CCCCCC",
        "linewidth": 1.8 if bold else 0.8,
        "linestyle": (0, (3, 2)) if box.is_cut else "-",
    }
    text = {"fontsize": size, "color": INK if on_way else "#999999", "linespacing": 1.3}
    ax.text(*place, "\n".join(box.lines), bbox=style, ha="center", va="center", zorder=3, **text)


def _shrink(ax, width, height):
    """By how much letters must shrink where axes are given that are smaller than the tree needs."""
    inches = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    return float(np.clip(min(inches.width / width, inches.height / height), 0.35, 1.0))


def tree_regions(
    model: BaseEstimator,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    max_depth: int | None = None,
    digits: int = 3,
    ax: GivenAxes = None,
) -> dict[str, Axes]:
    """The regions of a tree of two columns of numbers, and the tree beside them; leaves have the same numbers in both.

    Parameters
    ----------
    model : fitted estimator with `tree_` and `words_`, of two columns
        Its tests may be of single columns or of weighted sums.
    X : array or data frame of shape (n, 2)
    y : array of shape (n,), optional
        Labels of the rows, which are drawn then.
    max_depth : int, optional
        How deep the tree beside the regions is drawn.
    digits : int, default=3
        Significant digits of thresholds and impurities.
    ax : pair of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "regions" and "tree".

    References
    ----------
    Sutherland, I. E. & Hodgman, G. W. (1974). Reentrant polygon clipping. doi:10.1145/360767.360802

    Examples
    --------
    >>> from gnomon import plot
    >>> from gnomon.datasets import make_diagonal
    >>> from gnomon.trees import DecisionTreeClassifier
    >>> X, y = make_diagonal(60, random_state=0)
    >>> panels = plot.tree_regions(DecisionTreeClassifier(max_depth=2).fit(X, y), X, y)
    >>> list(panels), len(panels["regions"].patches)
    (['regions', 'tree'], 4)
    """
    if own_trees("model", model, Tree).n_features != 2 or any(values is not None for values in model.words_.values):
        raise ValueError(f"the tree reads {list(model.words_.names)}; regions are drawn of two columns of numbers")
    rows = check_columns("X", X, 2)
    low, high = window(rows, margin=0.06)
    cells = _cells(model, low, high)
    numbers = {node: i + 1 for i, node in enumerate(np.flatnonzero(model.tree_.is_leaf).tolist())}
    boxes, width = lay_out(model.tree_, model.words_, max_depth=max_depth, digits=digits, numbers=numbers)
    deepest = max(box.depth for box in boxes)
    fits = ax is None
    if fits:
        height = max(3.8, LEVEL * (deepest + 0.9))
        ax = new_panels(None, ["regions", "tree"], width=0.5 * (width + 4.6), height=height,
                        gridspec_kw={"width_ratios": [4.4, width + 0.2]})  # fmt: skip
    panels = new_panels(ax, ["regions", "tree"])
    _paint(panels["regions"], model, cells, numbers, high - low)
    if y is not None and model.words_.classes is not None:
        scatter_classes(panels["regions"], rows, np.asarray(y), size=16)
    elif y is not None:
        scatter_rows(panels["regions"], rows, s=14, color=INK, linewidth=0.0, zorder=3)
    panels["regions"].set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    x_name, y_name = map(str, model.words_.names)
    legend = "upper right" if y is not None and model.words_.classes is not None else None
    dress(panels["regions"], x=x_name, y=y_name, grid=None, legend=legend)
    _draw(model, boxes, width, panels["tree"], fits=fits)
    return panels


def _cells(model, low, high):
    """The polygon of every leaf within the window, by (1)."""
    tree = model.tree_
    corners = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
    polygons = {0: corners}
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        whole = polygons.pop(node)
        for child, condition in zip(tree.children(node), branch_conditions(tree, node, model.words_), strict=True):
            w = np.zeros(2)
            for j, c in condition.terms:
                w[j] += c
            if condition.is_empty:
                # A branch of missing values only has no region in the plane.
                polygons[child] = whole[:0]
                continue
            part = _clip(whole, w, condition.high[0]) if np.isfinite(condition.high[0]) else whole
            polygons[child] = _clip(part, -w, -condition.low[0]) if np.isfinite(condition.low[0]) else part
    return polygons


def _clip(polygon, w, t):
    """The part of a convex polygon where w·x ≤ t."""
    kept = []
    for a, b in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        fa, fb = float(a @ w) - t, float(b @ w) - t
        if fa <= 0.0:
            kept.append(a)
        if (fa < 0.0 < fb) or (fb < 0.0 < fa):
            kept.append(a + (b - a) * fa / (fa - fb))
    return np.array(kept).reshape(-1, 2)


def _paint(ax, model, cells, numbers, span):
    for node, polygon in sorted(cells.items(), key=lambda cell: cell[0]):
        if len(polygon) < 3:
            continue
        color = fill_color(model.tree_, model.words_, node)
        ax.fill(*polygon.T, facecolor=color, edgecolor="white", linewidth=1.4, zorder=1)
        room = np.ptp(polygon, axis=0) / span
        if np.min(room) > 0.04:
            at = polygon.mean(axis=0)
            halo = {"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.75}
            ax.text(*at, str(numbers[node]), fontsize=8.5, color=INK, ha="center", va="center", bbox=halo, zorder=4)


def rule_stump(model: BaseEstimator, *, digits: int = 3, ax: Axes | None = None) -> Axes:
    """One test and its branches: for every value how many rows have which class, and what is predicted.

    Parameters
    ----------
    model : fitted classifier with `tree_` and `words_`
        Its tree tests one column.
    digits : int, default=3
        Significant digits of thresholds and impurities.
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
    >>> from gnomon import plot
    >>> from gnomon.datasets import load_weather_play
    >>> from gnomon.trees import HandTreeClassifier
    >>> weather = load_weather_play(as_frame=True)
    >>> rule = {"outlook": {"overcast": "?", "rainy": "?", "sunny": "?"}}
    >>> ax = plot.rule_stump(HandTreeClassifier(rule).fit(weather.data, weather.target))
    >>> [label.get_text().splitlines()[0] for label in ax.get_xticklabels()]
    ['overcast', 'rainy', 'sunny']
    """
    grown, words = own_trees("model", model, Tree), model.words_
    tested = np.unique(grown.feature[~grown.is_leaf])
    if len(tested) != 1 or words.classes is None:
        names = [words.names[j] for j in tested]
        raise ValueError(f"the tree tests {names}; draw a classifier that tests one column, or use plot.tree")
    rules = tree_rules(grown, words, stops=False)
    counts = np.array([rule.answer * rule.weight for rule in rules])
    ax = new_axes(ax, width=max(4.2, 1.5 * len(rules) + 1.2), height=4.0)
    tops = _stack(ax, counts, words.classes)
    most, middle = float(np.max(tops)), 0.5 * (len(rules) - 1)
    for b, top in enumerate(tops):
        ax.plot([middle, b], [1.42 * most, top + 0.03 * most], color="#AAAAAA", linewidth=1.2, zorder=1)
    style = {
        "boxstyle": "round,pad=0.5",
        "facecolor": fill_color(grown, words, 0),
        "edgecolor": MUTED,
        "linewidth": 0.8,
    }
    said = f"{words.names[tested[0]]}?\n{tally(words.classes, counts.sum(axis=0))}"
    ax.text(middle, 1.42 * most, said, ha="center", va="center", fontsize=9.5, color=INK, bbox=style, zorder=3)
    wrong = tops - counts.max(axis=1)
    ax.set_xticks(range(len(rules)), [_rule_label(r, words, digits, e) for r, e in zip(rules, wrong, strict=True)])
    ax.set(xlim=(-0.6, len(rules) - 0.4), ylim=(0.0, 1.62 * most))
    dress(
        ax, y="rows", legend="upper right", grid=None, title=f"{_errors(float(np.sum(wrong)))} in {tops.sum():.4g} rows"
    )
    ax.set_yticks([tick for tick in ax.get_yticks() if 0.0 <= tick <= most])
    ax.spines["left"].set_bounds(0.0, most)
    return ax


def _stack(ax, counts, classes):
    """Bars of the classes on top of each other, with their counts; return how high they are."""
    tops = np.zeros(len(counts))
    for k, name in enumerate(class_names(classes)):
        ax.bar(range(len(counts)), counts[:, k], 0.56, tops, color=class_color(k, len(classes)), alpha=0.78, label=name)
        for b in np.flatnonzero(counts[:, k] > 0.0):
            at = tops[b] + 0.5 * counts[b, k]
            ax.text(b, at, f"{counts[b, k]:.4g}", ha="center", va="center", color="white", fontsize=9)
        tops += counts[:, k]
    return tops


def _rule_label(rule, words, digits, wrong):
    """A branch: what it asks, what it predicts, how often that is wrong."""
    answer = class_names(words.classes)[int(np.argmax(rule.answer))]
    return f"{branch_label(rule.conditions[0], words, digits)}\n→ {answer}\n{_errors(wrong)}"


def _errors(amount):
    return "no errors" if amount < 1e-9 else f"{amount:.4g} error{'' if abs(amount - 1.0) < 1e-9 else 's'}"


def impurity_curves(
    *,
    kinds: Sequence[Literal["gini", "entropy", "log_loss", "misclassification"]] = (
        "misclassification",
        "gini",
        "entropy",
    ),
    half_entropy: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Impurities of a node of two classes over the share of one of them.

    Parameters
    ----------
    kinds : sequence of str, default=("misclassification", "gini", "entropy")
        As in `gnomon.trees.impurity`.
    half_entropy : bool, default=True
        Also half the entropy, which shares its largest value with the other two.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees, §4.2.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> from gnomon import plot
    >>> ax = plot.impurity_curves()
    >>> [line.get_label() for line in ax.lines]
    ['misclassification', 'Gini', 'entropy', 'entropy / 2']
    """
    ax = new_axes(ax, width=5.2, height=3.7)
    p = np.linspace(0.0, 1.0, 401)
    curves = {kind.replace("gini", "Gini"): impurity(np.column_stack([p, 1.0 - p]), kind) for kind in kinds}
    if half_entropy:
        curves["entropy / 2"] = 0.5 * impurity(np.column_stack([p, 1.0 - p]), "entropy")
    for (name, height), (color, dash) in zip(curves.items(), styles(len(curves)), strict=True):
        ax.plot(p, height, color=color, linestyle=dash, linewidth=2.0, label=name)
    ax.set(xlim=(0, 1), ylim=(0, None))
    return dress(ax, x="share $p$ of one class", y="impurity $H$", legend="outside")
