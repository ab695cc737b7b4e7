"""Least pinball losses of unions of groups of rows, by a Fenwick tree.

    L(S) = min over q    Σ_{i in S} w_i ρ(y_i − q),    ρ(u) = α u if u > 0, else (α − 1) u                          (1)

q is a weighted α-quantile. The targets of a node are ranked once; a Fenwick tree over ranks holds Σ w and Σ w y of the
rows taken so far, finds q by descent and both sums below it on the way, so all prefixes of m rows cost O(m log m):
Fenwick (1994), doi:10.1002/spe.4380240306; the quantile as minimiser: Koenker & Bassett (1978), doi:10.2307/1913643.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import jit, subroutine

EQUAL_WEIGHTS = 1e-12
"""Cumulated weights closer than this, relative to their total, are equal."""


@jit
def prefix_losses(y, rank, w, rows, ends, alpha, losses):
    """(1) of ``rows[:ends[c]]`` for every c; `y` ascends, row i stands at ``y[rank[i]]``."""
    weights, values = np.zeros(len(y) + 1), np.zeros(len(y) + 1)
    taken = 0
    for c in range(len(ends)):
        while taken < ends[c]:
            i = rows[taken]
            add_row(weights, values, len(y), rank[i], w[i], y[rank[i]])
            taken += 1
        losses[c] = least_loss(y, weights, values, len(y), alpha)


@subroutine
def clear(weights, values, m):
    """An empty Fenwick tree over m ranks; entry 0 holds the totals."""
    for i in range(m + 1):
        weights[i] = 0.0
        values[i] = 0.0


@subroutine
def add_row(weights, values, m, rank, w, y):
    """Add one row."""
    weights[0] += w
    values[0] += w * y
    at = rank + 1
    while at <= m:
        weights[at] += w
        values[at] += w * y
        at += at & -at


@subroutine
def least_loss(y, weights, values, m, alpha):
    """(1) of the rows added so far. The longest run of ranks that weighs less than α of all ends before q."""
    mass, total = weights[0], values[0]
    at, below, sum_below = _descend(weights, values, m, alpha * mass * (1.0 - EQUAL_WEIGHTS))
    q = y[min(at, m - 1)]
    # Rows at q itself add nothing, so it does not matter on which side they are counted.
    above = (total - sum_below) - q * (mass - below)
    return max(0.0, alpha * above + (1.0 - alpha) * (q * below - sum_below))


@subroutine
def middle_quantile(y, weights, values, m, alpha):
    """The minimiser of (1) for the rows added so far, halfway where two rows bound it."""
    first, _, _ = _descend(weights, values, m, alpha * weights[0] * (1.0 - EQUAL_WEIGHTS))
    last, _, _ = _descend(weights, values, m, alpha * weights[0] * (1.0 + EQUAL_WEIGHTS))
    return 0.5 * y[min(first, m - 1)] + 0.5 * y[min(last, m - 1)]


@subroutine
def _descend(weights, values, m, limit):
    """The largest run of ranks that weighs less than `limit`: how many, and Σ w and Σ w y of these."""
    step = 1
    while 2 * step <= m:
        step *= 2
    at, below, sum_below = 0, 0.0, 0.0
    while step > 0:
        if at + step <= m and below + weights[at + step] < limit:
            at += step
            below += weights[at]
            sum_below += values[at]
        step //= 2
    return at, below, sum_below


@subroutine
def quantile_and_loss(y, w, start, stop, alpha):
    """The minimiser of (1) and its value for ``y[start:stop]``, which ascends; halfway where two rows bound it."""
    mass = 0.0
    for i in range(start, stop):
        mass += w[i]
    q, cumulated = 0.0, 0.0
    for i in range(start, stop):
        cumulated += w[i]
        q = y[i]
        if cumulated >= alpha * mass * (1.0 - EQUAL_WEIGHTS):
            if cumulated <= alpha * mass * (1.0 + EQUAL_WEIGHTS) and i + 1 < stop:
                q = 0.5 * q + 0.5 * y[i + 1]
            break
    loss = 0.0
    for i in range(start, stop):
        u = y[i] - q
        loss += w[i] * (alpha * u if u > 0.0 else (alpha - 1.0) * u)
    return q, loss


@jit
def segment_losses(y, w, starts, alpha, losses, quantiles):
    """(1) and its minimiser for every segment ``starts[g]:starts[g + 1]``, in which y ascends."""
    for g in range(len(starts) - 1):
        quantiles[g], losses[g] = quantile_and_loss(y, w, starts[g], starts[g + 1], alpha)
