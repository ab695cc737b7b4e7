"""Distances of rows, dense or sparse, from centres.

    D(i, j) = Σ_f (x_if − c_jf)²                                                                     (1)

computed from the differences, in double precision: no digits cancel, however far from zero the rows lie. It is the
same number wherever it is computed. Products of matrices give the scores of many rows at once,

    V(i, j) = ‖c_j − m‖² − 2 (xᵢ − m)ᵀ(c_j − m) = D(i, j) − ‖xᵢ − m‖² ± ε(i),                             (2)

where m is the mean; what they leave open within the rounding ε is decided by (1). So the nearest centre is the same by
whatever way it is found, and the products may be taken in single precision, where they are twice as fast. On rounding
of sums of products: Higham (2002), section 3.1, doi:10.1137/1.9780898718027.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from gnomon._jit import compiled, jit, jitable, noun, subroutine_reassoc, verb
from gnomon._typing import ArrayLike, Compressed, Floats, Integers, Matrix, is_sparse
from gnomon.numerics.parallel import split_rows
from gnomon.numerics.scale import PowerOfTwo

__all__ = [
    "SIZES",
    "DenseRows",
    "Rows",
    "SparseRows",
    "all_distances",
    "center_rows",
    "check_objective",
    "dense_rows",
    "own_squares",
    "row_chunks",
    "row_unit",
]

TILE = 4
"""Sums that (1) is added up in: an addition to a single one would wait for the last."""

HALF_DIGITS = 1e-8
"""A difference that is smaller, compared with its terms, has lost half of its digits."""

SIZES = (1e-6, 1e15)
"""Largest entries whose squares, and those of differences in their last digits, are ordinary numbers in single
precision."""

LOST = 1e-29
"""What a product of numbers below the upper one of `SIZES` loses at most where it vanishes in single precision."""


@noun
class DenseRows:
    """The rows of a C-contiguous matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.center_distances import DenseRows
    >>> A = np.array([[1.0, 2.0]])
    >>> float(DenseRows(A, A, 1e-15, 0.0).square_to(0, np.array([1.0, 5.0])))
    9.0
    """

    A: Floats
    ready: Floats
    """The rows in the precision of products; none where they have another, and blocks of them are converted."""
    relative: float
    """Rounding of (1) and of products, relative to their terms."""
    lost: float
    """Rounding of products beside that, where their terms vanish."""

    @verb
    def square_to(self, i: int, c: Floats) -> float:
        """(1) for one centre."""
        return _square(self.A[i], c)

    @verb
    def quick_square_to(self, i: int, c: Floats, norm: float) -> float:
        """(1) to at least half of its digits, for a centre of that squared norm."""
        return _quick_square(self.A[i], c)

    @verb
    def add_to(self, i: int, weight: float, shift: Floats, total: Floats) -> None:
        """Add weight · (xᵢ − shift) to `total`."""
        for f in range(self.A.shape[1]):
            total[f] += weight * (np.float64(self.A[i, f]) - shift[f])

    @verb
    def products(self, which: Integers, twice: Floats, shift: Floats, block: Floats, out: Floats) -> None:
        """−2 (xᵢ − shift)ᵀcⱼ of some rows, a line for each centre; `block` has room for the rows."""
        m, d = len(which), self.A.shape[1]
        if 0 < m <= len(self.ready) and which[m - 1] - which[0] == m - 1 and not np.any(shift):
            np.dot(twice, self.ready[which[0] : which[0] + m].T, out)
            return
        part = block[: m * d].reshape(m, d)
        for r in range(m):
            i = which[r]
            for f in range(d):
                part[r, f] = self.A[i, f] - shift[f]
        np.dot(twice, part.T, out)


@noun
class SparseRows:
    """The rows of a CSR matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from gnomon.optim.center_distances import SparseRows
    >>> A = csr_array([[0.0, 2.0]])
    >>> float(SparseRows(A.data, A.indices, A.indptr, 1e-15, 0.0).square_to(0, np.array([1.0, 5.0])))
    10.0
    """

    data: Floats
    indices: Integers
    indptr: Integers
    relative: float
    lost: float

    @verb
    def square_to(self, i: int, c: Floats) -> float:
        total, f = 0.0, 0
        for p in range(self.indptr[i], self.indptr[i + 1]):
            while f < self.indices[p]:
                total += np.float64(c[f]) * np.float64(c[f])
                f += 1
            apart = np.float64(self.data[p]) - np.float64(c[f])
            total += apart * apart
            f += 1
        while f < len(c):
            total += np.float64(c[f]) * np.float64(c[f])
            f += 1
        return total

    @verb
    def quick_square_to(self, i: int, c: Floats, norm: float) -> float:
        total, size = norm, norm
        for p in range(self.indptr[i], self.indptr[i + 1]):
            x, y = np.float64(self.data[p]), np.float64(c[self.indices[p]])
            total += x * (x - 2.0 * y)
            size += x * x
        return total if total > HALF_DIGITS * size else self.square_to(i, c)

    @verb
    def add_to(self, i: int, weight: float, shift: Floats, total: Floats) -> None:
        for p in range(self.indptr[i], self.indptr[i + 1]):
            total[self.indices[p]] += weight * self.data[p]

    @verb
    def products(self, which: Integers, twice: Floats, shift: Floats, block: Floats, out: Floats) -> None:
        k = len(twice)
        line = block[:k]
        for r in range(len(which)):
            line[:] = 0
            for p in range(self.indptr[which[r]], self.indptr[which[r] + 1]):
                x, f = self.data[p], self.indices[p]
                for j in range(k):
                    line[j] += x * twice[j, f]
            out[:, r] = line


Rows: TypeAlias = DenseRows | SparseRows


@jitable
def _square(x: Floats, c: Floats) -> float:
    a, b, e, g = 0.0, 0.0, 0.0, 0.0
    d = len(c)
    for f in range(0, d - d % TILE, TILE):
        p, q = np.float64(x[f]) - np.float64(c[f]), np.float64(x[f + 1]) - np.float64(c[f + 1])
        r, s = np.float64(x[f + 2]) - np.float64(c[f + 2]), np.float64(x[f + 3]) - np.float64(c[f + 3])
        a += p * p
        b += q * q
        e += r * r
        g += s * s
    for f in range(d - d % TILE, d):
        p = np.float64(x[f]) - np.float64(c[f])
        a += p * p
    return (a + b) + (e + g)


@subroutine_reassoc
def _quick_square(x: Floats, c: Floats) -> float:
    total = 0.0
    for f in range(len(c)):
        apart = x[f] - c[f]
        total += apart * apart
    return total


@jit
def own_squares(rows: Rows, centers: Floats, labels: Integers, first: int, last: int, squares: Floats) -> None:
    """(1) for the centre of each row."""
    for i in range(first, last):
        squares[i] = rows.square_to(i, centers[labels[i]])


@jit
def all_distances(rows: Rows, centers: Floats, first: int, last: int, out: Floats) -> None:
    """√(1) for every centre."""
    for i in range(first, last):
        for j in range(len(centers)):
            out[i, j] = np.sqrt(rows.square_to(i, centers[j]))


def center_rows(X: Matrix, precision: np.dtype[Any] | None = None) -> Rows:
    """Rows of a matrix in the form in which the kernels of this module take them.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
    precision : dtype, optional
        Of products; that of X by default.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.center_distances import center_rows
    >>> center_rows(np.eye(2)).A.shape
    (2, 2)
    """
    precision = X.dtype if precision is None else precision
    d, limits = X.shape[1], np.finfo(precision)
    # Of a sum of d products, of its terms where they were rounded before, and of what is added to it.
    relative = 0.5 * (d + 8) * float(limits.eps)
    lost = (d + 8) * LOST if precision == np.float32 else 0.0
    if is_sparse(X):
        sorted_rows: Compressed = X.tocsr()
        if not sorted_rows.has_canonical_format:
            sorted_rows = sorted_rows.copy()
            sorted_rows.sum_duplicates()
        return compiled(SparseRows(sorted_rows.data, sorted_rows.indices, sorted_rows.indptr, relative, lost))
    A = np.ascontiguousarray(X)
    ready = A if precision == A.dtype else np.empty((0, d), dtype=precision)
    return compiled(DenseRows(A, ready, relative, lost))


def row_chunks(n: int, work: int) -> list[slice]:
    """Rows in pieces for threads, the same for any number of threads; `work` is what one row costs."""
    return split_rows(n, max(1, min(16, n * work // 2**18)))


def dense_rows(X: Matrix, which: ArrayLike) -> Floats:
    """Some rows as an array of doubles."""
    part: Matrix = X[np.asarray(which)]
    return (part.toarray() if is_sparse(part) else part).astype(float)


def row_unit(X: Matrix) -> PowerOfTwo:
    """The unit in which squares of the entries of X neither overflow nor vanish; mostly one."""
    return PowerOfTwo.of(X, within=SIZES)


def check_objective(objective: float, *, is_zero: bool) -> None:
    """Refuse an objective of squared distances that overflows, or that is zero where the distances are not."""
    if np.isfinite(objective) and (objective != 0.0 or is_zero):
        return
    raise ValueError(
        f"distances in X are too {'small' if objective == 0.0 else 'large'}: floats cannot hold their squares, and the "
        f"objective would be {objective:g}; scale all of X by one factor, a power of ten"
    )
