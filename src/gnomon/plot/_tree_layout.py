"""The layout of a tree: positions of the nodes, and their text.

    width(node) = max(width of its words, Σ width(children)),    a parent stands above the middle of its children    (1)

Reingold & Tilford (1981), Tidier drawings of trees, doi:10.1109/TSE.1981.234519.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from matplotlib.colors import to_hex, to_rgb

from gnomon._typing import Array, Floats
from gnomon.plot._style import SEQUENTIAL, class_color, class_names
from gnomon.search import Tree
from gnomon.search.conditions import Interval, OneOf, Reach, branch_conditions, narrowed, reached
from gnomon.search.words import Words, count_rows

__all__ = ["LABEL", "Box", "branch_label", "fill_color", "lay_out", "tally"]

MOST_LEAVES = 24
MOST_CLASSES = 4
LETTER = 0.078
"""Width of a letter of the boxes in inches."""

GAP = 0.34
"""Inches between boxes."""

LABEL = 0.58
"""Where the words of an edge stand, as a share of the way down."""

LIST = 3
"""Categories that an edge names before it counts."""


class Box(NamedTuple):
    """A node on the page: its lines, its place in inches, the box above it, and what the edge from there says."""

    node: int
    lines: list[str]
    x: float
    depth: int
    parent: int
    edge: str
    is_cut: bool


def lay_out(
    tree: Tree, words: Words, *, max_depth: int | None = None, digits: int = 3, numbers: Mapping[int, int] | None = None
) -> tuple[list[Box], float]:
    """The boxes of a tree down to a depth, and the width of the page."""
    depth = _shown_depth(tree) if max_depth is None else max_depth
    shown = [node for node in range(tree.node_count) if tree.depth[node] <= depth]
    cut = {node: not tree.is_leaf[node] and tree.depth[node] == depth for node in shown}
    lines = {node: _lines(tree, words, node, cut[node], digits, numbers) for node in shown}
    labels = branch_labels(tree, words, digits)
    width: dict[int, float] = {}
    for node in reversed(shown):
        below = 0.0 if cut[node] else sum(width[child] for child in tree.children(node))
        # At the height of its label an edge has covered only a part of the distance from its parent.
        label = (LETTER * len(labels.get(node, "")) + 0.5 * GAP) / LABEL
        width[node] = max(below, LETTER * max(map(len, lines[node])) + GAP, label)
    left, x = {0: 0.0}, dict[int, float]()
    for node in shown:
        children = [] if cut[node] else tree.children(node)
        start = left[node] + 0.5 * (width[node] - sum(width[child] for child in children))
        for child in children:
            left[child] = start
            start += width[child]
    for node in reversed(shown):
        children = [] if cut[node] else tree.children(node)
        x[node] = 0.5 * (x[children[0]] + x[children[-1]]) if children else left[node] + 0.5 * width[node]
    boxes = [
        Box(node, lines[node], x[node], int(tree.depth[node]), int(tree.parent[node]), labels.get(node, ""), cut[node])
        for node in shown
    ]
    return boxes, width[0]


def _shown_depth(tree: Tree) -> int:
    """The largest depth at which the page stays readable."""
    for depth in range(tree.max_depth, 1, -1):
        ends = np.sum(tree.is_leaf & (tree.depth < depth)) + np.sum(tree.depth == depth)
        if ends <= MOST_LEAVES:
            return depth
    return min(1, tree.max_depth) if tree.max_depth < 2 else 2


def branch_labels(tree: Tree, words: Words, digits: int = 3) -> dict[int, str]:
    """For every node but the root, what its branch asks, without the name of the column."""
    labels: dict[int, str] = {}
    reach: dict[int, Reach] = {0: {}}
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        conditions = narrowed(branch_conditions(tree, node, words), reach[node])
        for child, condition in zip(tree.children(node), conditions, strict=True):
            reach[child] = reached(condition, reach[node])
            labels[child] = branch_label(condition, words, digits)
    return labels


def branch_label(condition: Interval | OneOf, words: Words, digits: int) -> str:
    """What a condition asks, without the name of the column."""
    known = _interval(condition, digits) if isinstance(condition, Interval) else _values(condition, words)
    missing = "missing" if condition.missing and (condition.mention_missing or not known) else ""
    return " or ".join(filter(None, [known, missing])) or "known"


def _interval(condition: Interval, digits: int) -> str:
    (low, strict), (high, included) = condition.low, condition.high
    if condition.is_empty:
        return ""
    if low == high:
        return f"= {spoken(low, digits)}"
    above = f"{'>' if strict else '≥'} {spoken(low, digits)}" if np.isfinite(low) else ""
    below = f"{'≤' if included else '<'} {spoken(high, digits)}" if np.isfinite(high) else ""
    ends = f"{spoken(low, digits)} to {spoken(high, digits)}" if above and below else above or below
    holes = [f"≠ {spoken(hole, digits)}" for hole in sorted(condition.holes)]
    return ", ".join(filter(None, [ends, *holes]))


def _values(condition: OneOf, words: Words) -> str:
    met = words.values[condition.column] or ()
    values = ["missing" if met[code] is None else str(met[code]) for code in sorted(condition.codes)]
    return (
        ", ".join(values)
        if len(values) <= LIST
        else f"{', '.join(values[: LIST - 1])} or {len(values) - LIST + 1} more"
    )


def _lines(
    tree: Tree, words: Words, node: int, is_cut: bool, digits: int, numbers: Mapping[int, int] | None
) -> list[str]:
    """Test or answer; rows; classes; impurity."""
    answer, rows = tree.answers[node], int(tree.n_rows[node])
    said = _answer(answer, words, digits)
    lines = [said if tree.is_leaf[node] else _quantity(tree, words, node, digits)]
    if numbers is not None and node in numbers:
        lines[0] = f"leaf {numbers[node]}: {lines[0]}"
    if tree.weight[0] > 0.0:
        lines.append(count_rows(rows))
        amounts = answer * tree.weight[node]
        if words.classes is not None and 0 < np.sum(amounts > 0.0) <= MOST_CLASSES:
            lines.append(tally(words.classes, amounts))
        impurity = f"H = {spoken(tree.impurity[node], digits)}"
        lines.append(impurity if tree.is_leaf[node] else f"{said}, {impurity}")
    if is_cut:
        inside = slice(node, tree.ends[node])
        lines.append(f"… {int(np.sum(tree.is_leaf[inside]))} leaves below")
    return lines


def _answer(answer: Floats, words: Words, digits: int) -> str:
    if words.classes is not None:
        return class_names(words.classes)[int(np.argmax(answer))]
    return ", ".join(f"{spoken(value, digits)}" for value in answer)


def tally(classes: Array, amounts: Floats) -> str:
    """The weights of the classes that there are."""
    pairs = zip(classes.tolist(), amounts, strict=True)
    return " · ".join(f"{name}: {amount:.4g}" for name, amount in pairs if amount > 0.0)


def _quantity(tree: Tree, words: Words, node: int, digits: int) -> str:
    """The column that a node tests, or the weighted sum."""
    k = tree.tests.which[node]
    if k < 0 or tree.tests.test(k)[0] != 2:
        return f"{words.names[tree.feature[node]]}?"
    _, cells, _, coefs = tree.tests.test(k)
    pairs = [(c, words.names[j]) for j, c in zip(cells[:-1], coefs[:-1], strict=True) if c != 0.0]
    text = " ".join(f"{'−' if c < 0 else '+'} {spoken(abs(c), digits)} {name}" for c, name in pairs)
    return f"{text.removeprefix('+ ')}?"


def spoken(value: float, digits: int) -> str:
    """A number with some significant digits, without an exponent where it is of common size."""
    if value != 0.0 and not 1e-4 <= abs(value) < 1e7:
        return f"{value:.{digits}g}"
    return np.format_float_positional(value, precision=digits, fractional=False, unique=False, trim="-")


def fill_color(tree: Tree, words: Words, node: int) -> str:
    """The colour of the class, paler the less pure the node is; of means, darker the larger they are."""
    answer = tree.answers[node]
    if words.classes is None:
        low, high = np.min(tree.answers[:, 0]), np.max(tree.answers[:, 0])
        return to_hex(SEQUENTIAL(0.55 * (answer[0] - low) / max(high - low, 1e-300)))
    K = len(words.classes)
    k = int(np.argmax(answer))
    purity = 1.0 if K == 1 else (answer[k] - 1.0 / K) / (1.0 - 1.0 / K)
    share = 0.06 + 0.5 * float(purity)
    return to_hex(tuple(share * np.array(to_rgb(class_color(k, K))) + (1.0 - share)))
