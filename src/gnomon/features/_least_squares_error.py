"""The error of least squares on many subsets of the columns.

    L̂(S) = mean over folds k of (1/n_k) ‖t_y − T_S w‖²,    w = argmin ‖r_y − R_S w‖²                      (1)

[R r_y] and [T t_y] are the triangular factors of the centred training and test rows [X y] of a fold: at most d + 1 rows
instead of n, with the same sums of squares for every S, so a subset costs O(d |S|²) whatever n is. Golub & Van Loan
(2013), Matrix Computations, section 5.3, ISBN 978-1-4214-0794-4. A column that depends on others has weight 0.
"""

import numpy as np
from scipy import linalg

from gnomon._jit import jit
from gnomon.numerics.parallel import map_chunks, split_rows

__all__ = ["LeastSquaresError"]

RANK = 1e-12
"""A column is dependent when the part of it that others do not explain is below this share of its length."""


class LeastSquaresError:
    """L̂ of equation (1) as a function of S; the mean of the training targets stands for the empty subset."""

    def __init__(self, X, y, folds, n_jobs=None):
        Z = np.column_stack([X, y]).astype(float)
        width = Z.shape[1]
        self.R, self.T = np.zeros((len(folds), width, width)), np.zeros((len(folds), width, width))
        for k, (train, test) in enumerate(folds):
            mean = Z[train].mean(axis=0)
            for rows, factors in ((train, self.R), (test, self.T)):
                triangle = linalg.qr(Z[rows] - mean, mode="r", overwrite_a=True, check_finite=False)[0][:width]
                factors[k, : len(triangle)] = triangle
        self.sizes = np.array([len(test) for _, test in folds])
        self.n_jobs = n_jobs

    def __call__(self, mask):
        """L̂(S)."""
        return float(self.many(np.asarray(mask)[None])[0])

    def many(self, masks):
        """L̂ of every subset, given as a row of booleans."""
        # A few chunks per thread, because subsets of many columns take longer.
        chunks = split_rows(len(masks), max(1, len(masks) // 256))
        parts = map_chunks(lambda here: _errors(self.R, self.T, self.sizes, masks[here]), chunks, self.n_jobs)
        return np.concatenate(parts)


@jit
def _errors(R, T, sizes, masks):
    errors = np.zeros(len(masks))
    for i in range(len(masks)):
        columns = np.flatnonzero(masks[i])
        for k in range(len(sizes)):
            w = _solve(R[k][:, columns], R[k][:, -1].copy())
            rest = T[k][:, -1].copy()
            for c in range(len(columns)):
                for row in range(len(rest)):
                    rest[row] -= T[k, row, columns[c]] * w[c]
            errors[i] += np.sum(rest**2) / (sizes[k] * len(sizes))
    return errors


@jit
def _solve(A, b):
    """argmin ‖b − A w‖ by Householder reflections (Golub & Van Loan, algorithm 5.3.2); overwrites A and b."""
    m, s = A.shape
    pivots, rank = np.full(s, -1), 0
    for j in range(s):
        tail = np.sqrt(np.sum(A[rank:, j] ** 2))
        if rank == m or tail <= RANK * np.sqrt(np.sum(A[:, j] ** 2)):
            continue
        v = A[rank:, j].copy()
        v[0] += tail if v[0] > 0.0 else -tail
        scale = 2.0 / np.sum(v**2)
        for c in range(j, s):
            A[rank:, c] -= v * (scale * np.sum(v * A[rank:, c]))
        b[rank:] -= v * (scale * np.sum(v * b[rank:]))
        pivots[j] = rank
        rank += 1
    w = np.zeros(s)
    for j in range(s - 1, -1, -1):
        if pivots[j] >= 0:
            w[j] = (b[pivots[j]] - np.sum(A[pivots[j], j + 1 :] * w[j + 1 :])) / A[pivots[j], j]
    return w
