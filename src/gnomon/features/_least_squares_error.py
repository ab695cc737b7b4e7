"""The error of least squares on many subsets of the columns.

    L̂(S) = mean over folds k of (1/n_k) ‖t_y − T_S w‖²,    w = argmin ‖r_y − R_S w‖²                      (1)

[R r_y] and [T t_y] are the triangular factors of the centred training and test rows [X y] of a fold: at most d + 1 rows
instead of n, with the same sums of squares for every S, so a subset costs O(d |S|²) whatever n is. Golub & Van Loan
(2013), Matrix Computations, section 5.3, ISBN 978-1-4214-0794-4. Where columns of S depend on each other, w is the
minimiser of least norm, as in `gnomon.linear.LinearRegression`. Factors are of columns of size one, whose squares
neither overflow nor underflow; L̂ is in the units of y.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import linalg

from gnomon._jit import jit
from gnomon._typing import Bools, Floats, Integers
from gnomon.numerics.linalg import binary_exponent, least_squares
from gnomon.numerics.parallel import map_chunks, split_rows

__all__ = ["LeastSquaresError"]

_SQUARES = 500
"""2^±500 is the range of numbers whose squares floats can hold."""

RANK = 1e-12
"""A column may be dependent when the part of it that others do not explain is below this share of its length."""


class LeastSquaresError:
    """L̂ of equation (1) as a function of S; the mean of the training targets stands for the empty subset."""

    def __init__(self, X: Floats, y: Floats, folds: Sequence[tuple[Integers, Integers]], n_jobs: int | None = None):
        Z, self.exponent = _sized(np.column_stack([X, y]).astype(float))
        if not abs(self.exponent[-1]) < _SQUARES:
            raise ValueError(
                f"y varies by about 2^{self.exponent[-1]}, whose square floats cannot hold; scale it by a power of ten"
            )
        width = Z.shape[1]
        self.R, self.T = np.zeros((len(folds), width, width)), np.zeros((len(folds), width, width))
        for k, (train, test) in enumerate(folds):
            mean = Z[train].mean(axis=0)
            for rows, factors in ((train, self.R), (test, self.T)):
                triangle = linalg.qr(Z[rows] - mean, mode="r", overwrite_a=True, check_finite=False)[0][:width]
                factors[k, :, : len(triangle)] = triangle.T
            # A column that is constant in the training rows has weight 0, not what its rounding errors suggest.
            self.R[k, _is_noise(Z[train] - mean, mean)] = 0.0
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
        errors = np.concatenate(parts)
        # Without full rank the compiled loop says NaN: of many minimisers it would take any.
        for i in np.flatnonzero(np.isnan(errors)):
            errors[i] = self._of_least_norm(np.flatnonzero(masks[i]))
        return np.ldexp(errors, 2 * int(self.exponent[-1]))

    def _of_least_norm(self, columns: Integers) -> float:
        e = self.exponent[columns]
        # Lengths of w are compared in the units of X.
        scale = np.exp2(np.maximum(e - np.max(e), -_SQUARES).astype(float))
        total = 0.0
        for R, T, size in zip(self.R, self.T, self.sizes, strict=True):
            found = least_squares(R[columns].T * scale, R[-1][:, None], intercept=False)
            rest = T[-1] - (T[columns].T * scale) @ found.coef[:, 0]
            total += float(rest @ rest) / (size * len(self.sizes))
        return total


def _sized(Z: Floats) -> tuple[Floats, Integers]:
    """Columns less their mean, divided by powers of two to a size of one, and those powers."""
    first = binary_exponent(Z, axis=0)
    Z = np.ldexp(Z, -first)
    mean = Z.mean(axis=0)
    Z = Z - mean
    Z[:, _is_noise(Z, mean)] = 0.0
    second = binary_exponent(Z, axis=0)
    return np.ldexp(Z, -second), first + second


def _is_noise(Z: Floats, mean: Floats) -> Bools:
    """Which centred columns are only the rounding errors of a constant."""
    return np.max(np.abs(Z), axis=0) <= 4.0 * np.finfo(float).eps * np.abs(mean)


@jit
def _errors(R, T, sizes, masks):
    """R and T hold the factors with a row per column of [X y], so that every loop below runs through memory."""
    d, m = R.shape[1] - 1, R.shape[2]
    errors, rest = np.zeros(len(masks)), np.empty(m)
    A, w, columns = np.empty((d + 1, m)), np.empty(d), np.empty(d, dtype=np.int64)
    for i in range(len(masks)):
        for k in range(len(sizes)):
            s = 0
            for j in np.flatnonzero(masks[i]):
                if _dot(R[k, j], R[k, j]) > 0.0:
                    _put(R[k, j], A[s])
                    columns[s] = j
                    s += 1
            _put(R[k, d], A[s])
            if not _solve(A[: s + 1], w):
                errors[i] = np.nan
                break
            _put(T[k, d], rest)
            for c in range(s):
                _add(-w[c], T[k, columns[c]], rest)
            errors[i] += _dot(rest, rest) / (sizes[k] * len(sizes))
    return errors


@jit
def _solve(A, w):
    """argmin ‖b − Σ_c w_c a_c‖ with b the last row of A, by Householder (Golub & Van Loan, algorithm 5.3.2).

    False where a column depends on those before it.
    """
    s = len(A) - 1
    if s > A.shape[1]:
        return False
    for j in range(s):
        v = A[j, j:]
        tail = np.sqrt(_dot(v, v))
        if tail <= RANK * np.sqrt(_dot(A[j], A[j])):
            return False
        # The reflection takes v to ∓‖v‖e₁; the sign is the one that does not cancel.
        diagonal = -tail if v[0] > 0.0 else tail
        v[0] -= diagonal
        scale = -2.0 / _dot(v, v)
        for c in range(j + 1, s + 1):
            _add(scale * _dot(v, A[c, j:]), v, A[c, j:])
        v[0] = diagonal
    for j in range(s - 1, -1, -1):
        w[j] = A[s, j]
        for c in range(j + 1, s):
            w[j] -= A[c, j] * w[c]
        w[j] /= A[j, j]
    return True


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
