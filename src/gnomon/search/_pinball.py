"""Least pinball losses of unions of groups of rows, by a Fenwick tree.

    L(S) = min over q    Σ_{i in S} w_i ρ(y_i − q),    ρ(u) = α u if u > 0, else (α − 1) u                          (1)

q is a weighted α-quantile. The targets of a node are ranked once; a Fenwick tree over ranks holds Σ w and Σ w y of the
rows taken so far, finds q by descent and both sums below it on the way, so all prefixes of m rows cost O(m log m):
Fenwick (1994), doi:10.1002/spe.4380240306; the quantile as minimiser: Koenker & Bassett (1978), doi:10.2307/1913643.
"""

import numpy as np

from gnomon._jit import jit

SAME = 1e-12
"""Cumulated weights closer than this, relative to their total, are equal."""


@jit
def prefix_losses(y, rank, w, rows, ends, alpha, losses):
    """(1) of ``rows[:ends[c]]`` for every c; `y` ascends, row i stands at ``y[rank[i]]``."""
    n = len(y)
    weights, values = np.zeros(n + 1), np.zeros(n + 1)
    top = 1
    while 2 * top <= n:
        top *= 2
    mass, total, taken = 0.0, 0.0, 0
    for c in range(len(ends)):
        while taken < ends[c]:
            i = rows[taken]
            at = rank[i] + 1
            mass += w[i]
            total += w[i] * y[rank[i]]
            while at <= n:
                weights[at] += w[i]
                values[at] += w[i] * y[rank[i]]
                at += at & -at
            taken += 1
        losses[c] = _least(y, weights, values, top, alpha, mass, total)


@jit
def _least(y, weights, values, top, alpha, mass, total):
    """The largest run of ranks whose weight is below α of all ends just before the quantile."""
    at, below, sum_below, step = 0, 0.0, 0.0, top
    while step > 0:
        if at + step < len(weights) and below + weights[at + step] < alpha * mass * (1.0 - SAME):
            at += step
            below += weights[at]
            sum_below += values[at]
        step //= 2
    q = y[min(at, len(y) - 1)]
    # Rows at q itself add nothing, so it does not matter on which side they are counted.
    above = (total - sum_below) - q * (mass - below)
    return max(0.0, alpha * above + (1.0 - alpha) * (q * below - sum_below))


@jit
def segment_losses(y, w, starts, alpha, losses, quantiles):
    """(1) and its minimiser for every segment ``starts[g]:starts[g + 1]``, in which y ascends."""
    for g in range(len(starts) - 1):
        mass = 0.0
        for i in range(starts[g], starts[g + 1]):
            mass += w[i]
        q, cumulated = 0.0, 0.0
        for i in range(starts[g], starts[g + 1]):
            cumulated += w[i]
            q = y[i]
            if cumulated >= alpha * mass * (1.0 - SAME):
                # All between two rows minimise if the share is met exactly; the middle is the usual median.
                if cumulated <= alpha * mass * (1.0 + SAME) and i + 1 < starts[g + 1]:
                    q = 0.5 * q + 0.5 * y[i + 1]
                break
        loss = 0.0
        for i in range(starts[g], starts[g + 1]):
            u = y[i] - q
            loss += w[i] * (alpha * u if u > 0.0 else (alpha - 1.0) * u)
        losses[g] = loss
        quantiles[g] = q
