"""The loops of `Normals`: rows in tiles, whitened squares, responsibilities, and the sums of equation (2) there.

    T   rows as columns of tiles, (tiles, d, TILE)       U      Lⱼ⁻¹ by rows; one column where it is diagonal
    R   log joints, then γ times weight                  F, S   Σ γz and Σ γzzᵀ, z = x − μ; S in the shape of U

A tile stays in cache while all laws see it, and a block of tiles while it is scored, shared and summed. Work space is
made outside the kernels, which are small and call one another little: each then compiles in half a second. Bishop
(2006), Pattern Recognition and Machine Learning, section 9.2.
"""

import math

import numpy as np

from gnomon._jit import lean, reordering
from gnomon.numerics._exponentials import exponentials

__all__ = ["fill_log_densities", "sums_of_responsibilities"]

TILE = 128
BLOCK = 16 * TILE


def fill_log_densities(X, means, U, const, out):
    """out = const − ½ ‖L⁻¹(x − μ)‖² for every row and law."""
    for rows in _blocks(X):
        R = _joints(_in_tiles(X[rows]), means, U, const)
        out[rows] = R.transpose(0, 2, 1).reshape(-1, len(means))[: len(X[rows])]


def sums_of_responsibilities(X, s, labels, owners, means, U, const, *, hard):
    """N, F, S of equation (2) and the log-likelihood."""
    k, d = means.shape
    N, F, S, total = np.zeros(k), np.zeros((k, d)), np.zeros(U.shape), 0.0
    top, sums, power, Z, V = (np.empty(shape) for shape in (TILE, TILE, TILE, (d, TILE), (d, TILE)))
    add = _add_diagonal if U.shape[2] == 1 else _add
    for rows in _blocks(X):
        T = _in_tiles(X[rows])
        R = _joints(T, means, U, const)
        own = _in_rows(s[rows]), _in_rows(labels[rows])
        total += _share(R, *own, owners, hard, top, sums, power, power.view(np.int64))
        add(T, means, R, Z, V, N, F, S)
    return N, F, S, total


def _blocks(X):
    return [slice(start, start + BLOCK) for start in range(0, len(X), BLOCK)]


def _in_tiles(X):
    """The rows as columns of tiles, (tiles, d, TILE), the last filled up with zeros."""
    T = np.zeros((-(-len(X) // TILE), X.shape[1], TILE))
    _load(X, T)
    return T


def _in_rows(x):
    """One number per row in tiles, (tiles, TILE), the last filled up with zeros."""
    out = np.zeros(-(-len(x) // TILE) * TILE, x.dtype)
    out[: len(x)] = x
    return out.reshape(-1, TILE)


def _joints(T, means, U, const):
    """const − ½ ‖L⁻¹(x − μ)‖² in tiles, (tiles, k, TILE)."""
    R = np.empty((len(T), len(means), TILE))
    fill = _fill_diagonal if U.shape[2] == 1 else _fill
    fill(T, means, U, const, np.empty(T.shape[1:]), np.empty(TILE), R)
    return R


@lean
def _load(X, T):
    for i in range(X.shape[0]):
        for a in range(X.shape[1]):
            T[i // TILE, a, i % TILE] = X[i, a]


@reordering
def _fill(T, means, U, const, Z, y, R):
    """R = const − ½ ‖L⁻¹(x − μ)‖²."""
    for tile in range(R.shape[0]):
        for j in range(R.shape[1]):
            c = const[j]
            for t in range(TILE):
                R[tile, j, t] = c
            for a in range(T.shape[1]):
                center, c = means[j, a], U[j, a, a]
                for t in range(TILE):
                    Z[a, t] = T[tile, a, t] - center
                    y[t] = c * Z[a, t]
                for b in range(a):
                    c = U[j, a, b]
                    for t in range(TILE):
                        y[t] += c * Z[b, t]
                for t in range(TILE):
                    R[tile, j, t] -= 0.5 * y[t] * y[t]


@reordering
def _fill_diagonal(T, means, U, const, Z, y, R):
    """The same where L is diagonal."""
    for tile in range(R.shape[0]):
        for j in range(R.shape[1]):
            for t in range(TILE):
                y[t] = 0.0
            for a in range(T.shape[1]):
                center, c = means[j, a], U[j, a, 0]
                for t in range(TILE):
                    z = c * (T[tile, a, t] - center)
                    y[t] += z * z
            for t in range(TILE):
                R[tile, j, t] = const[j] - 0.5 * y[t]


@reordering
def _share(R, s, labels, owners, hard, top, sums, power, bits):
    """Turn log joints into γ times weight, in place, and return the log-likelihood; `hard` makes γ 0 or 1."""
    total = 0.0
    for tile in range(R.shape[0]):
        for t in range(TILE):
            top[t] = -np.inf
            sums[t] = 0.0
        for j in range(R.shape[1]):
            for t in range(TILE):
                label = labels[tile, t]
                R[tile, j, t] = -np.inf if label >= 0 and owners[j] != label else R[tile, j, t]
                top[t] = max(top[t], R[tile, j, t])
        for j in range(R.shape[1]):
            for t in range(TILE):
                R[tile, j, t] = R[tile, j, t] - top[t] if top[t] > -np.inf else -np.inf
            if hard:
                for t in range(TILE):
                    R[tile, j, t] = 1.0 if R[tile, j, t] == 0.0 and sums[t] == 0.0 else 0.0
            else:
                exponentials(R[tile, j], power, bits)
            for t in range(TILE):
                sums[t] += R[tile, j, t]
        for t in range(TILE):
            possible = sums[t] > 0.0
            if s[tile, t] > 0.0:
                total += s[tile, t] * (top[t] + math.log(sums[t]) if possible else top[t])
            sums[t] = s[tile, t] / sums[t] if possible else 0.0
        for j in range(R.shape[1]):
            for t in range(TILE):
                R[tile, j, t] *= sums[t]
    return total


@reordering
def _add(T, means, R, Z, V, N, F, S):
    """Add tiles to N, F and S."""
    for tile in range(R.shape[0]):
        for j in range(R.shape[1]):
            weight = 0.0
            for t in range(TILE):
                weight += R[tile, j, t]
            N[j] += weight
            for a in range(T.shape[1] if weight > 0.0 else 0):
                center, moved = means[j, a], 0.0
                for t in range(TILE):
                    z = T[tile, a, t] - center
                    Z[a, t] = z
                    V[a, t] = R[tile, j, t] * z
                    moved += R[tile, j, t] * z
                F[j, a] += moved
                for b in range(a + 1):
                    product = 0.0
                    for t in range(TILE):
                        product += V[a, t] * Z[b, t]
                    S[j, a, b] += product


@reordering
def _add_diagonal(T, means, R, Z, V, N, F, S):
    """The same where only the diagonal of S is wanted."""
    for tile in range(R.shape[0]):
        for j in range(R.shape[1]):
            weight = 0.0
            for t in range(TILE):
                weight += R[tile, j, t]
            N[j] += weight
            for a in range(T.shape[1] if weight > 0.0 else 0):
                center, moved, spread = means[j, a], 0.0, 0.0
                for t in range(TILE):
                    z = T[tile, a, t] - center
                    moved += R[tile, j, t] * z
                    spread += R[tile, j, t] * z * z
                F[j, a] += moved
                S[j, a, 0] += spread
