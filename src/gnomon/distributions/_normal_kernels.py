"""The loops of `Normals`: tiles of rows, whitened squares, responsibilities, and the sums of equation (2) there.

    Xt    the tile, one column per row of X          U     Lⱼ⁻¹ by rows; one column where it is diagonal
    R     log joints, then γ times weight            F, S  Σ γz and Σ γzzᵀ, z = x − μ; one column where U has one

Bishop (2006), Pattern Recognition and Machine Learning, section 9.2.
"""

import math

import numpy as np

from gnomon._jit import jit, reordering
from gnomon.numerics._exponentials import exponentials

__all__ = ["TILE", "fill_log_densities", "sum_responsibilities"]

TILE = 128


@jit
def fill_log_densities(X, means, U, const, out):
    """out = const − ½ ‖L⁻¹(x − μ)‖² for every row and law."""
    n, d = X.shape
    Xt, Z, y, q = np.empty((d, TILE)), np.empty((d, TILE)), np.empty(TILE), np.empty(TILE)
    for start in range(0, n, TILE):
        m = min(TILE, n - start)
        _load(X, start, m, Xt)
        for j in range(means.shape[0]):
            _whitened_squares(Xt, m, means[j], U[j], Z, y, q)
            for t in range(m):
                out[start + t, j] = const[j] - 0.5 * q[t]


@jit
def sum_responsibilities(X, s, labels, owners, means, U, const, hard):
    """N, F, S of equation (2) and the log-likelihood."""
    n, d = X.shape
    k = means.shape[0]
    N, F, S, total = np.zeros(k), np.zeros((k, d)), np.zeros((k, d, U.shape[2])), 0.0
    Xt, Z, V, R = np.empty((d, TILE)), np.empty((d, TILE)), np.empty((d, TILE)), np.empty((k, TILE))
    y, q = np.empty(TILE), np.empty(TILE)
    for start in range(0, n, TILE):
        m = min(TILE, n - start)
        rows = slice(start, start + m)
        _load(X, start, m, Xt)
        for j in range(k):
            _whitened_squares(Xt, m, means[j], U[j], Z, y, q)
            for t in range(m):
                R[j, t] = const[j] - 0.5 * q[t]
        _find_top(R, m, labels[rows], owners, q)
        total += _share_hard(R, s[rows], q) if hard else _share_soft(R, s[rows], q, y)
        for j in range(k):
            N[j] += _add_tile(Xt, m, means[j], R[j], Z, V, F[j], S[j])
    return N, F, S, total


@jit
def _load(X, start, m, Xt):
    for t in range(m):
        for a in range(X.shape[1]):
            Xt[a, t] = X[start + t, a]


@reordering
def _whitened_squares(Xt, m, mean, U, Z, y, q):
    """q = ‖L⁻¹(x − μ)‖² for the m columns of the tile Xt; Z and y are room to work."""
    diagonal = U.shape[1] == 1
    q[:m] = 0.0
    for a in range(Xt.shape[0]):
        center, c = mean[a], U[a, 0 if diagonal else a]
        if diagonal:
            for t in range(m):
                z = c * (Xt[a, t] - center)
                q[t] += z * z
            continue
        for t in range(m):
            Z[a, t] = Xt[a, t] - center
            y[t] = c * Z[a, t]
        for b in range(a):
            c = U[a, b]
            for t in range(m):
                y[t] += c * Z[b, t]
        for t in range(m):
            q[t] += y[t] * y[t]


@jit
def _find_top(R, m, labels, owners, top):
    """The greatest log joint of every row, −∞ being that of a law of another class than the row's."""
    top[:m] = -np.inf
    for j in range(R.shape[0]):
        for t in range(m):
            R[j, t] = -np.inf if labels[t] >= 0 and owners[j] != labels[t] else R[j, t]
            top[t] = max(top[t], R[j, t])


@jit
def _share_hard(R, s, top):
    """All weight of a row to the first law with the greatest log joint, none where all are impossible."""
    total = 0.0
    for t in range(len(s)):
        left = s[t] if top[t] > -np.inf else 0.0
        for j in range(R.shape[0]):
            R[j, t], left = (left, 0.0) if R[j, t] == top[t] else (0.0, left)
        total += s[t] * top[t]
    return total


@jit
def _share_soft(R, s, top, sums):
    """Turn log joints into γ times weight, in place, and return the log-likelihood."""
    m, total = len(s), 0.0
    power = np.empty(m)
    bits = power.view(np.int64)
    sums[:m] = 0.0
    for j in range(R.shape[0]):
        for t in range(m):
            R[j, t] = R[j, t] - top[t] if top[t] > -np.inf else -np.inf
        exponentials(R[j], m, power, bits)
        for t in range(m):
            sums[t] += R[j, t]
    for t in range(m):
        possible = sums[t] > 0.0
        total += s[t] * (top[t] + math.log(sums[t]) if possible else top[t])
        sums[t] = s[t] / sums[t] if possible else 0.0
    for j in range(R.shape[0]):
        for t in range(m):
            R[j, t] *= sums[t]
    return total


@reordering
def _add_tile(Xt, m, mean, r, Z, V, F, S):
    """Add a tile to F and S of one law, and return what it adds to N."""
    diagonal, weight = S.shape[1] == 1, 0.0
    for t in range(m):
        weight += r[t]
    if weight == 0.0:
        return 0.0
    for a in range(Xt.shape[0]):
        center, moved, spread = mean[a], 0.0, 0.0
        if diagonal:
            for t in range(m):
                z = Xt[a, t] - center
                moved += r[t] * z
                spread += r[t] * z * z
            S[a, 0] += spread
            F[a] += moved
            continue
        for t in range(m):
            Z[a, t] = Xt[a, t] - center
            V[a, t] = r[t] * Z[a, t]
            moved += V[a, t]
        F[a] += moved
        for b in range(a + 1):
            product = 0.0
            for t in range(m):
                product += V[a, t] * Z[b, t]
            S[a, b] += product
    return weight
