"""What a tree of gradients becomes before it is added: values of leaves.

    value of a node = −G / (H + λ),   or the shift that makes the loss of its rows least                           (1)

G and H are sums of gradients and curvatures over the rows of the node. Friedman (2001), doi:10.1214/aos/1013203451.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import jit_no_alloc

__all__ = ["add_answers", "newton_values", "shift_values"]


def newton_values(tree, parts, g, h, lam):
    """Minus G / (H + λ) of every node."""
    total = np.zeros((tree.node_count, 2))
    _sums(parts.rows, parts.start, parts.stop, tree.children_right, g, h, total)
    curvature = total[:, 1] + lam
    return np.where(curvature > 1e-150, -total[:, 0] / np.where(curvature > 1e-150, curvature, 1.0), 0.0)


@jit_no_alloc
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


def add_answers(tree, parts, columns, scores):
    """Add to every score the answer of its leaf: by the parts for rows that grew the tree, by their bins for others."""
    _add(parts.rows, parts.start, parts.stop, tree.ends, tree.answers[:, 0], scores)
    if len(parts.rows) < len(scores):
        others = np.setdiff1d(np.arange(len(scores)), parts.rows)
        scores[others] += tree.predict(columns.values(others))[:, 0]


@jit_no_alloc
def _add(rows, start, stop, ends, answers, scores):
    for node in range(len(ends)):
        # A leaf is the whole of its subtree.
        if ends[node] == node + 1:
            for i in range(start[node], stop[node]):
                scores[rows[i]] += answers[node]
