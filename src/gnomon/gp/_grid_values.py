"""Sums of coefficients of a grid with separable weights.

    f(x) = Σ_{j₁ … j_D} w₁(x₁, j₁) ⋯ w_D(x_D, j_D) c_{j₁ … j_D}                                              (1)

At scattered points all products are summed, taps^D for each; on a grid of new points one axis after another, the last
one first, whose results are the shortest lines.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import jit, jit_no_alloc
from gnomon._typing import Floats
from gnomon.gp._grid_axis import Taps

__all__ = ["at_points", "on_axes"]


def at_points(C: Floats, taps: list[Taps]) -> Floats:
    """(1) at q points for coefficients of shape (n₁, …, n_D, m), of shape (q, m)."""
    q, most = len(taps[0].places), max(t.places.shape[1] for t in taps)
    index = np.zeros((len(taps), q, most), dtype=np.int64)
    weight = np.zeros((len(taps), q, most))
    for d, (i, w) in enumerate(taps):
        index[d, :, : i.shape[1]], weight[d, :, : i.shape[1]] = i, w
    counts = np.array([t.places.shape[1] for t in taps])
    out = np.zeros((q, C.shape[-1]))
    _at_points(C.reshape(-1, C.shape[-1]), np.array(C.shape[:-1]), counts, index, weight, out)
    return out.astype(C.dtype, copy=False)


def on_axes(C: Floats, taps: list[Taps]) -> Floats:
    """(1) at all combinations of new coordinates, of shape (q₁, …, q_D, m)."""
    for d in range(len(taps) - 1, -1, -1):
        shape = C.shape
        inner = int(np.prod(shape[d + 1 :]))
        out = np.empty((*shape[:d], len(taps[d].places), *shape[d + 1 :]), dtype=C.dtype)
        index, weight = (np.ascontiguousarray(part) for part in taps[d])
        _on_axis(C.reshape(-1, shape[d], inner), index, weight, out.reshape(-1, len(index), inner))
        C = out
    return C


@jit
def _at_points(C, shape, counts, index, weight, out):
    """The products of all axes but the last by an odometer; along the last one a sum."""
    D, q, _ = index.shape
    place = np.zeros(D, dtype=np.int64)
    last = D - 1
    for i in range(q):
        place[:] = 0
        while True:
            factor, row = 1.0, 0
            for d in range(last):
                factor *= weight[d, i, place[d]]
                row = (row + index[d, i, place[d]]) * shape[d + 1]
            for t in range(counts[last]):
                w, at = factor * weight[last, i, t], row + index[last, i, t]
                for k in range(C.shape[1]):
                    out[i, k] += w * C[at, k]
            d = last - 1
            while d >= 0:
                place[d] += 1
                if place[d] < counts[d]:
                    break
                place[d] = 0
                d -= 1
            if d < 0:
                break


@jit_no_alloc
def _on_axis(C, index, weight, out):
    """Along the middle axis."""
    outer, q, inner = out.shape
    taps = index.shape[1]
    for o in range(outer):
        for i in range(q):
            if inner == 1:
                total = 0.0
                for t in range(taps):
                    total += weight[i, t] * C[o, index[i, t], 0]
                out[o, i, 0] = total
                continue
            w, at = weight[i, 0], index[i, 0]
            for k in range(inner):
                out[o, i, k] = w * C[o, at, k]
            for t in range(1, taps):
                w, at = weight[i, t], index[i, t]
                for k in range(inner):
                    out[o, i, k] += w * C[o, at, k]
