"""Answers that rise or fall with a column.

    below a test of a rising column   answers left ≤ m ≤ answers right,   m = ½ (answer left + answer right)        (1)

The middle m of the two children bounds all nodes below them, so that whatever other columns are tested there, no answer
on the left exceeds one on the right. The bounds are those of LightGBM and of scikit-learn (Pedregosa et al. 2011, JMLR
12); Potharst & Feelders (2002), Classification trees for problems with monotonicity constraints,
doi:10.1145/568574.568577.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import jit, subroutine

__all__ = ["bound_children", "bounded"]


@subroutine
def bound_children(nodes, node, made, direction):
    """(1) for the two children of a growing node, numbered from `made`, whose middle is ``nodes.value``."""
    here = nodes[node]
    for b in range(2):
        child = nodes[made + b]
        child.low, child.high = here.low, here.high
    if direction != 0:
        lower = 0 if direction > 0 else 1
        nodes[made + lower].high = here.value
        nodes[made + 1 - lower].low = here.value


def bounded(tree, values, monotone):
    """Values of nodes as (1) bounds them; `monotone` has 1, −1 or 0 for each column."""
    values = np.array(values, dtype=float)
    low, high = np.full(len(values), -np.inf), np.full(len(values), np.inf)
    _bound(tree.feature, tree.children_right, np.asarray(monotone, dtype=np.int8), values, low, high)
    return values


@jit
def _bound(feature, right, monotone, values, low, high):
    # Parents come before their children, so bounds go down in one pass.
    for node in range(len(feature)):
        values[node] = min(max(values[node], low[node]), high[node])
        if right[node] < 0:
            continue
        a, b = node + 1, np.int64(right[node])
        low[a], high[a] = low[node], high[node]
        low[b], high[b] = low[node], high[node]
        direction = monotone[feature[node]]
        if direction != 0:
            left = min(max(values[a], low[node]), high[node])
            other = min(max(values[b], low[node]), high[node])
            lower, upper = (a, b) if direction > 0 else (b, a)
            high[lower] = 0.5 * left + 0.5 * other
            low[upper] = 0.5 * left + 0.5 * other
