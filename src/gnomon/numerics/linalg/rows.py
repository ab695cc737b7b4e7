"""The rows of a regression problem, and the sums over them that solvers need.

    minimise over w, b    Σᵢ sᵢ (yᵢ − xᵢᵀw − b)² + ρ ‖w‖²                                          (1)

With b free, b = ȳ − x̄ᵀw, and (1) is a problem in w for centred rows. The centring is done block by block: no centred
copy of X is made, and the user's arrays are never written to.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple, NoReturn

import numpy as np

from gnomon._typing import Array, Floats, Matrix, is_sparse
from gnomon.numerics.parallel import blas_threads, map_chunks, split_rows
from gnomon.numerics.scale import largest_entry
from gnomon.numerics.streaming import Moments, moments

__all__ = ["Rows", "binary_exponent", "check_coefficients", "check_squares", "fits_beside"]

_SMALL = 2**23
"""Bytes of a square matrix that is formed without a question."""

_RANGE = 400
"""Numbers between 2^-400 and 2^400 have squares, and sums of them, that neither overflow nor underflow."""

_FEW = 4
"""Times the bytes of X that a square matrix of more may take."""


def fits_beside(X: Matrix, m: int) -> bool:
    """Whether an m × m matrix of doubles is small, or at most a few times as large as the entries of X.

    For a sparse X with many columns XᵀX would take far more memory than X.

    Examples
    --------
    >>> from scipy.sparse import random_array
    >>> from gnomon.numerics.linalg import fits_beside
    >>> X = random_array((200, 3000), density=0.01)
    >>> fits_beside(X, 3000), fits_beside(X, 200)
    (False, True)
    """
    stored = X.data.nbytes + 4 * X.nnz if is_sparse(X) else X.nbytes
    return 8 * m * m <= max(_SMALL, _FEW * stored)


class Rows(NamedTuple):
    """X, Y, s and the treatment of b in equation (1).

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, d)
    Y : ndarray of shape (n, k)
    weights : ndarray of shape (n,) or None
    intercept : bool
    n_jobs : int or None

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import Rows
    >>> rows = Rows(np.array([[1.0], [3.0]]), np.array([[2.0], [4.0]]))
    >>> rows.means()
    (array([2.]), array([3.]))
    """

    X: Matrix
    Y: Floats
    weights: Floats | None = None
    intercept: bool = True
    n_jobs: int | None = None

    @property
    def shape(self) -> tuple[int, int, int]:
        """(n, d, k)."""
        n, d = self.X.shape
        return n, d, self.Y.shape[1]

    @property
    def total(self) -> float:
        """Σ sᵢ."""
        return float(self.X.shape[0] if self.weights is None else np.sum(self.weights))

    def in_range(self, most: int = _RANGE) -> tuple[Rows, int, int]:
        """The rows with targets and weights between 2^-most and 2^most, and the powers of two taken out of them."""
        y, s = _excess(self.Y, most), _excess(self.weights, most)
        # Even, so that the square roots of the weights have the same digits.
        s += s % 2
        Y = np.ldexp(self.Y.astype(float), -y) if y else self.Y
        weights = np.ldexp(self.weights.astype(float), -s) if s and self.weights is not None else self.weights
        return self._replace(Y=Y, weights=weights), y, s

    def refuse_overflow(self) -> NoReturn:
        """Name the largest entries, whose sums overflow."""
        sizes = np.concatenate([largest_entry(self.X, axis=0), largest_entry(self.Y, axis=0)]).astype(float)
        j, d = int(np.argmax(sizes)), self.X.shape[1]
        where = f"column {j} of X" if j < d else "y"
        raise ValueError(f"{where} has entries of about {sizes[j]:.3g}, whose sums overflow; divide it by its scale")

    def moments(self) -> Moments:
        """Weight, mean and scatter of [X Y]."""
        return moments(self.X, self.weights, targets=self.Y, n_jobs=self.n_jobs)

    def means(self) -> tuple[Floats, Floats]:
        """x̄ and ȳ, correctly rounded or nearly; zeros where there is no intercept."""
        d, k = self.X.shape[1], self.Y.shape[1]
        if not self.intercept:
            return np.zeros(d), np.zeros(k)
        return _mean(self.X, self.weights), _mean(self.Y, self.weights)

    def centred(self, rows: slice, x_mean: Floats, y_mean: Floats) -> tuple[Floats, Floats]:
        """√s (X − x̄) and √s (Y − ȳ) for a slice of rows, dense and in double precision."""
        Z = (self.X[rows].toarray() if is_sparse(self.X) else self.X[rows]) - x_mean
        T = self.Y[rows] - y_mean
        if self.weights is not None:
            root = np.sqrt(self.weights[rows], dtype=float)[:, None]
            Z, T = Z * root, T * root
        return Z.astype(float, copy=False), T.astype(float, copy=False)

    def roots(self) -> Floats:
        """√sᵢ as a column."""
        return np.ones((self.X.shape[0], 1)) if self.weights is None else np.sqrt(self.weights)[:, None]

    def inner_products(self, x_mean: Floats) -> Floats:
        """(xᵢ − x̄)ᵀ(xⱼ − x̄) for all pairs of rows, without the weights; a sparse X stays sparse."""
        if not is_sparse(self.X):
            Z = self.X.astype(float, copy=False) - x_mean
            return Z @ Z.T
        X = self.X.astype(float, copy=False)
        along = X @ x_mean
        return (X @ X.T).toarray() - along[:, None] - along + x_mean @ x_mean

    def combine(self, A: Floats, x_mean: Floats) -> Floats:
        """(X − x̄)ᵀA for A of shape (n, k), without the weights; a sparse X stays sparse."""
        if not is_sparse(self.X):
            return (self.X - x_mean).T @ A
        return self.X.T @ A - np.outer(x_mean, np.sum(A, axis=0))

    def residual_sums(self, w: Floats, x_mean: Floats, y_mean: Floats) -> tuple[Floats, Floats]:
        """Zᵀ R and the column sums of R², where R = √s (Y − ȳ) − Z w: the gradient and the cost at w."""

        def sums(rows: slice) -> tuple[Floats, Floats]:
            if is_sparse(self.X):
                return self._sparse_residual_sums(rows, w, x_mean, y_mean)
            gradient, cost = np.zeros((len(x_mean), len(y_mean))), np.zeros(len(y_mean))
            for block in _blocks(rows, len(x_mean)):
                Z, T = self.centred(block, x_mean, y_mean)
                R = T - Z @ w
                gradient += Z.T @ R
                cost += np.sum(R * R, axis=0)
            return gradient, cost

        jobs = self.n_jobs or blas_threads()
        parts = map_chunks(sums, split_rows(self.X.shape[0], jobs), jobs)
        gradients, costs = zip(*parts, strict=True)
        return reduce(np.add, gradients), reduce(np.add, costs)

    def _sparse_residual_sums(self, rows: slice, w: Floats, x_mean: Floats, y_mean: Floats) -> tuple[Floats, Floats]:
        X = self.X[rows]
        R = self.Y[rows] - y_mean - (X @ w - x_mean @ w)
        s = 1.0 if self.weights is None else self.weights[rows][:, None]
        return X.T @ (s * R) - np.outer(x_mean, np.sum(s * R, axis=0)), np.sum(s * R * R, axis=0)


def binary_exponent(A: Array, axis: int | None = None) -> Any:
    """e with max |a| in [2^(e−1), 2^e), for the whole array or along an axis; 0 where all are zero.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import binary_exponent
    >>> int(binary_exponent(np.array([3.0, -5.0]))), int(binary_exponent(np.zeros(2)))
    (3, 0)
    """
    return np.frexp(np.max(np.abs(A), axis=axis, initial=0.0))[1]


def check_squares(X: Matrix, advice: str, mean_square: Floats | None = None) -> None:
    """Refuse columns whose squares overflow or underflow, for what is computed from sums of squares alone.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, d)
    advice : str
        What to do.
    mean_square : ndarray of shape (d,), optional
        Of the columns, as they were computed: only columns where it may be wrong are looked at.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import check_squares
    >>> check_squares(np.array([[1.0, 1e-160]]), "scale that column")
    Traceback (most recent call last):
    ...
    ValueError: column 1 of X has entries of about 1e-160, whose squares floats cannot hold; scale that column
    """
    looked_at = np.arange(X.shape[1])
    if mean_square is not None:
        # All entries are at most the limit where the sum of squares is; one is at least it where the mean square is.
        looked_at = np.flatnonzero(~((mean_square * X.shape[0] < 1e280) & (mean_square > 1e-280)))
        if not looked_at.size:
            return
        X = X[:, looked_at]
    size = largest_entry(X, axis=0).astype(float)
    bad = (size > 1e140) | ((size > 0.0) & (size < 1e-140))
    if np.any(bad):
        j = int(np.argmax(bad))
        raise ValueError(
            f"column {looked_at[j]} of X has entries of about {size[j]:.3g}, whose squares floats cannot hold; {advice}"
        )


def check_coefficients(X: Matrix, coef: Floats) -> None:
    """Refuse coefficients (a row per column of X) that overflow.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import check_coefficients
    >>> check_coefficients(np.array([[1.0, 1e-310]]), np.array([[2.0], [np.inf]]))
    Traceback (most recent call last):
    ...
    ValueError: column 1 of X has entries of about 1e-310, so small that its coefficient overflows; multiply it ...
    """
    bad = ~np.all(np.isfinite(coef), axis=1)
    if np.any(bad):
        # Of several, the smallest: rounding carries what overflows to its neighbours.
        size = np.where(bad, largest_entry(X, axis=0).astype(float)[: len(bad)], np.inf)
        j = int(np.argmin(size))
        if size[j] > 1.0:
            raise ValueError(f"y is so large that the coefficient of column {j} of X overflows; divide y by its scale")
        raise ValueError(
            f"column {j} of X has entries of about {size[j]:.3g}, so small that its coefficient overflows; multiply it "
            "by a power of ten (StandardScaler brings every column to size one), or divide y"
        )


def _excess(A: Floats | None, most: int) -> int:
    """The exponent of the largest entry, where it is far from zero."""
    e = 0 if A is None else int(binary_exponent(A))
    return e if abs(e) > most else 0


def _mean(A: Matrix, weights: Floats | None) -> Floats:
    """Σ sᵢ aᵢ / Σ sᵢ, corrected once by the mean of what is left."""
    s = np.ones(A.shape[0]) if weights is None else np.asarray(weights, dtype=float)
    total = np.sum(s)
    first = (A.T @ s) / total
    if is_sparse(A):
        return np.asarray(first)
    rest = sum(s[block] @ (A[block] - first) for block in _blocks(slice(0, A.shape[0]), A.shape[1]))
    return first + rest / total


def _blocks(rows: slice, width: int) -> list[slice]:
    length = max(256, 2**16 // max(1, width))
    return [slice(a, min(a + length, rows.stop)) for a in range(rows.start, rows.stop, length)]
