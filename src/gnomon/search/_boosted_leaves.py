"""What a tree of gradients becomes before it is added: values of leaves, edges of bins, gains.

    value of a node = −G / (H + λ),   or the shift that makes the loss of its rows least                           (1)

G and H are sums of gradients and curvatures over the rows of the node. Friedman (2001), doi:10.1214/aos/1013203451.
"""

from dataclasses import replace

import numpy as np

from gnomon._jit import jit
from gnomon.search.columns import midpoint

__all__ = ["add_answers", "at_bin_edges", "newton_values", "shift_values", "with_gains"]


def newton_values(tree, parts, g, h, lam):
    """Minus G / (H + λ) of every node, with G and H."""
    total = np.zeros((tree.node_count, 2))
    _sums(parts.rows, parts.start, parts.stop, tree.children_right, g, h, total)
    bend = total[:, 1] + lam
    values = np.where(bend > 1e-150, -total[:, 0] / np.where(bend > 1e-150, bend, 1.0), 0.0)
    return values, total


@jit
def _sums(rows, start, stop, right, g, h, total):
    for node in range(len(right) - 1, -1, -1):
        if right[node] >= 0:
            for s in range(2):
                total[node, s] = total[node + 1, s] + total[right[node], s]
        else:
            for i in range(start[node], stop[node]):
                total[node, 0] += g[rows[i]]
                total[node, 1] += h[rows[i]]


def shift_values(nodes, parts, loss, residuals, weights, between):
    """The best shift of the rows of some nodes, zero at the others."""
    values = np.zeros(len(parts.start))
    for node in nodes:
        rows = parts.rows[parts.start[node] : parts.stop[node]]
        values[node] = loss.best_shift(residuals[rows], weights[rows], between)
    return values


def with_gains(tree, total, lam):
    """The tree whose impurities make its gains those of Newton's steps: minus worth per weight, from zero up."""
    worth = 0.5 * total[:, 0] ** 2 / np.maximum(total[:, 1] + lam, 1e-300)
    mean = worth / np.maximum(total[:, 1], 1e-300)
    return replace(tree, impurity=np.max(mean) - mean, weight=total[:, 1])


def at_bin_edges(tree, columns):
    """The tree with every threshold moved to the edge of its bin, wherever the rows of the node lie beside it."""
    nodes = tree.nodes.copy()
    _move_to_edges(nodes["feature"], nodes["threshold"], columns.starts, columns.low, columns.high)
    return replace(tree, nodes=nodes)


@jit
def _move_to_edges(feature, threshold, starts, low, high):
    for node in range(len(feature)):
        j = feature[node]
        if j < 0 or not np.isfinite(threshold[node]):
            continue
        first, last = starts[j], starts[j + 1] - 1
        while first < last:
            middle = (first + last + 1) // 2
            if high[middle] <= threshold[node]:
                first = middle
            else:
                last = middle - 1
        if first + 1 < starts[j + 1]:
            threshold[node] = midpoint(high[first], low[first + 1])


def add_answers(tree, parts, columns, scores):
    """Add to every score the answer of its leaf: by the parts for rows that grew the tree, by codes for the others."""
    seen = np.zeros(len(scores), dtype=bool)
    _add(parts.rows, parts.start, parts.stop, tree.children_right, tree.answers[:, 0], scores, seen)
    if not np.all(seen):
        others = np.flatnonzero(~seen)
        scores[others] += tree.predict(columns.values(others))[:, 0]


@jit
def _add(rows, start, stop, right, answers, scores, seen):
    for node in range(len(right)):
        if right[node] < 0:
            for i in range(start[node], stop[node]):
                scores[rows[i]] += answers[node]
                seen[rows[i]] = True
