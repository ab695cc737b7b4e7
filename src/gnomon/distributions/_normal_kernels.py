"""The loops of `Normals`: rows in tiles, whitened squares, responsibilities, and the sums of equation (2) there.

    T   rows as columns of a tile, (d, TILE)             U      Lⱼ⁻¹ by rows; its diagonals where those are all
    R   log joints, then γ times weight, (k, TILE)       F, S   Σ γz and Σ γzzᵀ, z = x − μ; S in the shape of U

A tile of rows stays in cache while densities, responsibilities and sums are computed for all laws. A chunk of rows is
one call: threads that took the GIL for every tile would spend more time waiting than working. Bishop (2006), Pattern
Recognition and Machine Learning, section 9.2.
"""

from __future__ import annotations

import math

import numpy as np

from gnomon._jit import jit_no_alloc, subroutine, subroutine_reassoc
from gnomon._typing import Floats, Integers
from gnomon.numerics.exponentials import exp_of_negative

__all__ = ["fill_log_densities", "sums_of_responsibilities"]

TILE = 128


def fill_log_densities(X: Floats, means: Floats, U: Floats, const: Floats, out: Floats) -> None:
    """out = const − ½ ‖L⁻¹(x − μ)‖² for every row and law."""
    k, d = means.shape
    T, Z, y, R = (np.zeros(shape) for shape in ((d, TILE), (d, TILE), TILE, (k, TILE)))
    _score(X, means, _narrow(U), const, T, Z, y, R, out)


def sums_of_responsibilities(
    X: Floats, s: Floats, labels: Integers, owners: Integers, means: Floats, U: Floats, const: Floats, *, hard: bool
) -> tuple[Floats, Floats, Floats, float]:
    """N, F, S of equation (2) and the log-likelihood."""
    k, d = means.shape
    T, Z, V = (np.zeros((d, TILE)) for _ in range(3))
    y, weight, top, sums = (np.zeros(TILE) for _ in range(4))
    N, F, S, R = np.zeros(k), np.zeros((k, d)), np.zeros(U.shape), np.zeros((k, TILE))
    own = weight, np.zeros(TILE, dtype=labels.dtype), owners, hard
    total = _sum(X, s, labels, means, _narrow(U), const, T, Z, V, y, R, own, (top, sums), N, F, _narrow(S))
    return N, F, S, total


def _narrow(U: Floats) -> Floats:
    """A view without the last axis where that has one column: kernels are compiled for one number of axes."""
    return U.reshape(U.shape[:2]) if U.shape[2] == 1 else U


@jit_no_alloc
def _score(
    X: Floats, means: Floats, U: Floats, const: Floats, T: Floats, Z: Floats, y: Floats, R: Floats, out: Floats
) -> None:
    for first in range(0, X.shape[0], TILE):
        size = _load(X, first, T)
        if U.ndim == 2:
            _fill_diagonal(T, means, U, const, y, R)
        else:
            _fill(T, means, U, const, Z, y, R)
        for j in range(R.shape[0]):
            for t in range(size):
                out[first + t, j] = R[j, t]


@jit_no_alloc
def _sum(
    X: Floats,
    s: Floats,
    labels: Integers,
    means: Floats,
    U: Floats,
    const: Floats,
    T: Floats,
    Z: Floats,
    V: Floats,
    y: Floats,
    R: Floats,
    own: tuple[Floats, Integers, Integers, bool],
    work: tuple[Floats, Floats],
    N: Floats,
    F: Floats,
    S: Floats,
) -> float:
    total = 0.0
    weight, label, owners, hard = own
    for first in range(0, X.shape[0], TILE):
        size = _load(X, first, T)
        for t in range(TILE):
            weight[t] = s[first + t] if t < size else 0.0
            label[t] = labels[first + t] if t < size else -1
        if U.ndim == 2:
            _fill_diagonal(T, means, U, const, y, R)
        else:
            _fill(T, means, U, const, Z, y, R)
        total += _share(R, weight, label, owners, hard, *work)
        if U.ndim == 2:
            _add_diagonal(T, means, R, N, F, S)
        else:
            _add(T, means, R, Z, V, N, F, S)
    return total


@subroutine
def _load(X: Floats, first: int, T: Floats) -> int:
    """Fill a tile with the rows from `first` on and return their number; columns beyond keep finite numbers."""
    size = min(TILE, X.shape[0] - first)
    for a in range(X.shape[1]):
        for t in range(size):
            T[a, t] = X[first + t, a]
    return size


@subroutine_reassoc
def _fill(T: Floats, means: Floats, U: Floats, const: Floats, Z: Floats, y: Floats, R: Floats) -> None:
    """R = const − ½ ‖L⁻¹(x − μ)‖²."""
    for j in range(R.shape[0]):
        for t in range(TILE):
            R[j, t] = const[j]
        for a in range(T.shape[0]):
            center, c = means[j, a], U[j, a, a]
            for t in range(TILE):
                Z[a, t] = T[a, t] - center
                y[t] = c * Z[a, t]
            for b in range(a % 4):
                c = U[j, a, b]
                for t in range(TILE):
                    y[t] += c * Z[b, t]
            for b in range(a % 4, a, 4):
                # Four columns at a time, since every pass loads and stores y.
                c0, c1, c2, c3 = U[j, a, b], U[j, a, b + 1], U[j, a, b + 2], U[j, a, b + 3]
                for t in range(TILE):
                    y[t] += c0 * Z[b, t] + c1 * Z[b + 1, t] + c2 * Z[b + 2, t] + c3 * Z[b + 3, t]
            for t in range(TILE):
                R[j, t] -= 0.5 * y[t] * y[t]


@subroutine_reassoc
def _fill_diagonal(T: Floats, means: Floats, U: Floats, const: Floats, y: Floats, R: Floats) -> None:
    """The same where L is diagonal."""
    for j in range(R.shape[0]):
        for t in range(TILE):
            y[t] = 0.0
        for a in range(T.shape[0]):
            center, c = means[j, a], U[j, a]
            for t in range(TILE):
                z = c * (T[a, t] - center)
                y[t] += z * z
        for t in range(TILE):
            R[j, t] = const[j] - 0.5 * y[t]


@subroutine_reassoc
def _share(R: Floats, s: Floats, labels: Integers, owners: Integers, hard: bool, top: Floats, sums: Floats) -> float:
    """Turn log joints into γ times weight, in place, and return the log-likelihood; `hard` makes γ 0 or 1."""
    total = 0.0
    for t in range(TILE):
        top[t] = -np.inf
        sums[t] = 0.0
    labelled = False
    for t in range(TILE):
        labelled |= labels[t] >= 0
    for j in range(R.shape[0]):
        for t in range(TILE if labelled else 0):
            R[j, t] = -np.inf if labels[t] >= 0 and owners[j] != labels[t] else R[j, t]
        for t in range(TILE):
            top[t] = max(top[t], R[j, t])
    for j in range(R.shape[0]):
        for t in range(TILE):
            R[j, t] = R[j, t] - top[t] if top[t] > -np.inf else -np.inf
        if hard:
            for t in range(TILE):
                R[j, t] = 1.0 if R[j, t] == 0.0 and sums[t] == 0.0 else 0.0
        else:
            for t in range(TILE):
                R[j, t] = exp_of_negative(R[j, t])
        for t in range(TILE):
            sums[t] += R[j, t]
    for t in range(TILE):
        possible = sums[t] > 0.0
        if s[t] > 0.0:
            total += s[t] * (top[t] + math.log(sums[t]) if possible else top[t])
        sums[t] = s[t] / sums[t] if possible else 0.0
    for j in range(R.shape[0]):
        for t in range(TILE):
            R[j, t] *= sums[t]
    return total


@subroutine_reassoc
def _add(T: Floats, means: Floats, R: Floats, Z: Floats, V: Floats, N: Floats, F: Floats, S: Floats) -> None:
    """Add a tile to N, F and S."""
    for j in range(R.shape[0]):
        weight = 0.0
        for t in range(TILE):
            weight += R[j, t]
        N[j] += weight
        for a in range(T.shape[0] if weight > 0.0 else 0):
            center, moved = means[j, a], 0.0
            for t in range(TILE):
                z = T[a, t] - center
                Z[a, t] = z
                V[a, t] = R[j, t] * z
                moved += R[j, t] * z
            F[j, a] += moved
            for b in range(a + 1):
                product = 0.0
                for t in range(TILE):
                    product += V[a, t] * Z[b, t]
                S[j, a, b] += product


@subroutine_reassoc
def _add_diagonal(T: Floats, means: Floats, R: Floats, N: Floats, F: Floats, S: Floats) -> None:
    """The same where only the diagonal of S is wanted."""
    for j in range(R.shape[0]):
        weight = 0.0
        for t in range(TILE):
            weight += R[j, t]
        N[j] += weight
        for a in range(T.shape[0] if weight > 0.0 else 0):
            center, moved, spread = means[j, a], 0.0, 0.0
            for t in range(TILE):
                z = T[a, t] - center
                moved += R[j, t] * z
                spread += R[j, t] * z * z
            F[j, a] += moved
            S[j, a] += spread
