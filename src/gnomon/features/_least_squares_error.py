"""The error of least squares on many subsets of the columns.

    L̂(S) = mean over folds k of (1/n_k) ‖t_y − T_S w‖²,    w = argmin ‖r_y − R_S w‖²                      (1)

[R r_y] and [T t_y] are the triangular factors of the centred training and test rows [X y] of a fold: at most d + 1 rows
instead of n, with the same sums of squares for every S, so a subset costs O(d |S|²) whatever n is. Golub & Van Loan
(2013), Matrix Computations, section 5.3, ISBN 978-1-4214-0794-4. A column that depends on others has weight 0.
"""

from collections.abc import Sequence

import numpy as np
from scipy import linalg

from gnomon._jit import jit
from gnomon._typing import Bools, Floats, Integers
from gnomon.numerics.parallel import map_chunks, split_rows

__all__ = ["LeastSquaresError"]

RANK = 1e-12
"""A column is dependent when the part of it that others do not explain is below this share of its length."""


class LeastSquaresError:
    """L̂ of equation (1) as a function of S; the mean of the training targets stands for the empty subset."""

    def __init__(self, X: Floats, y: Floats, folds: Sequence[tuple[Integers, Integers]], n_jobs: int | None = None):
        Z = np.column_stack([X, y]).astype(float)
        width = Z.shape[1]
        self.R, self.T = np.zeros((len(folds), width, width)), np.zeros((len(folds), width, width))
        for k, (train, test) in enumerate(folds):
            mean = Z[train].mean(axis=0)
            for rows, factors in ((train, self.R), (test, self.T)):
                triangle = linalg.qr(Z[rows] - mean, mode="r", overwrite_a=True, check_finite=False)[0][:width]
                factors[k, :, : len(triangle)] = triangle.T
        self.sizes = np.array([len(test) for _, test in folds])
        self.n_jobs = n_jobs

    def __call__(self, mask: Bools) -> float:
        """L̂(S)."""
        return float(self.many(np.asarray(mask)[None])[0])

    def many(self, masks: Bools) -> Floats:
        """L̂ of every subset, given as a row of booleans."""
        # A few chunks per thread, because subsets of many columns take longer.
        chunks = split_rows(len(masks), max(1, len(masks) // 256))
        parts = map_chunks(lambda here: _errors(self.R, self.T, self.sizes, masks[here]), chunks, self.n_jobs)
        return np.concatenate(parts)


@jit
def _errors(R, T, sizes, masks):
    """R and T hold the factors with a row per column of [X y], so that every loop below runs through memory."""
    d, m = R.shape[1] - 1, R.shape[2]
    errors, rest = np.zeros(len(masks)), np.empty(m)
    A, pivots, w = np.empty((d + 1, m)), np.empty(d, dtype=np.int64), np.empty(d)
    for i in range(len(masks)):
        columns = np.flatnonzero(masks[i])
        s = len(columns)
        for k in range(len(sizes)):
            for c in range(s):
                _put(R[k, columns[c]], A[c])
            _put(R[k, d], A[s])
            _solve(A[: s + 1], pivots, w)
            _put(T[k, d], rest)
            for c in range(s):
                _add(-w[c], T[k, columns[c]], rest)
            errors[i] += _dot(rest, rest) / (sizes[k] * len(sizes))
    return errors


@jit
def _solve(A, pivots, w):
    """argmin ‖b − Σ_c w_c a_c‖ with b the last row of A, by Householder (Golub & Van Loan, algorithm 5.3.2)."""
    s, rank = len(A) - 1, 0
    for j in range(s):
        v = A[j, rank:]
        tail = np.sqrt(_dot(v, v))
        pivots[j] = -1
        if tail <= RANK * np.sqrt(_dot(A[j], A[j])):
            continue
        # The reflection takes v to ∓‖v‖e₁; the sign is the one that does not cancel.
        diagonal = -tail if v[0] > 0.0 else tail
        v[0] -= diagonal
        scale = -2.0 / _dot(v, v)
        for c in range(j + 1, s + 1):
            _add(scale * _dot(v, A[c, rank:]), v, A[c, rank:])
        v[0] = diagonal
        pivots[j] = rank
        rank += 1
    for j in range(s - 1, -1, -1):
        w[j] = 0.0
        if pivots[j] >= 0:
            w[j] = A[s, pivots[j]]
            for c in range(j + 1, s):
                w[j] -= A[c, pivots[j]] * w[c]
            w[j] /= A[j, pivots[j]]


@jit
def _put(a, to):
    # Array to array, what is said of shapes that differ would be compiled too, and for longer than all else.
    for i in range(len(a)):
        to[i] = a[i]


@jit
def _dot(a, b):
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@jit
def _add(c, a, out):
    for i in range(len(a)):
        out[i] += c * a[i]
