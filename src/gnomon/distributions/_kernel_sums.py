"""Sums of normal kernels.

    log Σᵢ pᵢ exp(−½‖q − cᵢ‖²)                                                                     (1)
    exp(−½(t − u)²) = e^{−t²/2} Σₘ tᵐ · e^{−u²/2} uᵐ/m!,    t = q − x,  u = c − x                     (2)

Both leave out the terms that are together below one part in 10¹⁶ of those that are summed: with the centres sorted by
their first coordinate, all beyond a distance. In one dimension (2) sums all centres of a cell round x at once: Yang,
Duraiswami & Gumerov (2003), Improved fast Gauss transform, doi:10.1109/ICCV.2003.1238383. Unlike there, the error is
relative to the sum, as a logarithm needs it: cells too far for the series are summed centre by centre.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._jit import jit
from gnomon._typing import Floats, Integers

__all__ = ["CentreCells", "cell_log_sums", "cells_of", "log_sums"]

WIDTH = 0.5
"""Of a cell, in units of the bandwidth: |u| ≤ ¼."""

FAR = 12.0
"""The largest |t| for which the series is used: |tu| ≤ 3."""

ORDER = 30
"""3³⁰/30! is below 10⁻¹⁶ of e⁻³."""

CROWD = 16
"""Centres in a cell from which on the series is the shorter sum."""


class CentreCells(NamedTuple):
    """Cells that hold centres, from left to right.

    Parameters
    ----------
    middles : ndarray of shape (k,)
        x.
    first : ndarray of shape (k + 1,)
        Where the centres of each cell begin among all.
    moments : ndarray of shape (k, ORDER)
        Σ p e^{−u²/2} uᵐ/m! over the centres of each cell.
    """

    middles: Floats
    first: Integers
    moments: Floats


def cells_of(centers: Floats, shares: Floats) -> CentreCells | None:
    """The cells of sorted centres and the logarithms of their shares; None where they hold few centres each."""
    index = np.floor((centers - centers[0]) / WIDTH)
    starts = np.flatnonzero(np.concatenate([[True], np.diff(index) > 0.0]))
    if len(centers) < CROWD * len(starts):
        return None
    first = np.append(starts, len(centers))
    middles = centers[0] + WIDTH * (index[starts] + 0.5)
    u = centers - np.repeat(middles, np.diff(first))
    term = np.exp(shares - 0.5 * u * u)
    moments = np.empty((len(starts), ORDER))
    for m in range(ORDER):
        moments[:, m] = np.add.reduceat(term, starts)
        term *= u / (m + 1.0)
    return CentreCells(middles, first, moments)


@jit
def log_sums(Q: Floats, C: Floats, shares: Floats, reach: float) -> Floats:
    """(1) of every row q, over the centres near it; C is sorted by its first column, `shares` are log p.

    A term is near if ½(q₁ − c₁)² is at most `reach` above the least exponent met so far.
    """
    n, d = Q.shape
    N = C.shape[0]
    out = np.empty(n)
    for i in range(n):
        middle = np.searchsorted(C[:, 0], Q[i, 0])
        least, total = np.inf, 0.0
        for side in range(2):
            k = middle if side == 0 else middle - 1
            step = 1 if side == 0 else -1
            while 0 <= k < N:
                gap = Q[i, 0] - C[k, 0]
                if 0.5 * gap * gap > least + reach:
                    break
                e = -shares[k]
                for j in range(d):
                    e += 0.5 * (Q[i, j] - C[k, j]) ** 2
                if e < least:
                    total = total * np.exp(e - least) + 1.0
                    least = e
                elif e < np.inf:
                    total += np.exp(least - e)
                k += step
        out[i] = np.log(total) - least if total > 0.0 else -np.inf
    return out


@jit
def cell_log_sums(
    q: Floats, centers: Floats, shares: Floats, reach: float, middles: Floats, first: Integers, moments: Floats
) -> Floats:
    """(1) for one variable by (2), over the cells near each q."""
    n, K, N = q.shape[0], middles.shape[0], centers.shape[0]
    out = np.empty(n)
    for i in range(n):
        near = min(np.searchsorted(centers, q[i]), N - 1)
        if near > 0 and q[i] - centers[near - 1] < centers[near] - q[i]:
            near -= 1
        base = 0.5 * (q[i] - centers[near]) ** 2 - shares[near]
        total = 0.0
        middle = np.searchsorted(middles, q[i])
        for side in range(2):
            k = middle if side == 0 else middle - 1
            step = 1 if side == 0 else -1
            while 0 <= k < K:
                t = q[i] - middles[k]
                gap = max(abs(t) - 0.5 * WIDTH, 0.0)
                if 0.5 * gap * gap > base + reach:
                    break
                if abs(t) <= FAR and first[k + 1] - first[k] > CROWD:
                    series = moments[k, ORDER - 1]
                    for m in range(ORDER - 2, -1, -1):
                        series = series * t + moments[k, m]
                    total += np.exp(base - 0.5 * t * t) * series
                else:
                    for c in range(first[k], first[k + 1]):
                        total += np.exp(base + shares[c] - 0.5 * (q[i] - centers[c]) ** 2)
                k += step
        out[i] = np.log(total) - base if total > 0.0 else -np.inf
    return out
