"""Distances of rows, dense or sparse, from centres.

    D(i, j) = Σ_f (x_if − c_jf)²                                                                     (1)

computed from the differences, in double precision: no digits cancel, however far from zero the rows lie. A faster
approximation V(i, lo:hi) of many of them at once comes with a bound on its error,

    |V(i, j) − D(i, j)| ≤ ε_abs(i) + ε_rel V(i, j),                                                  (2)

so that only what (2) leaves open is decided by (1). The nearest centre is thus the same by whatever way it is found;
of several the one that comes first in the order of centres. On rounding of sums of products: Higham (2002), section
3.1, doi:10.1137/1.9780898718027.
"""

from typing import Any, TypeAlias

import numpy as np

from gnomon._jit import compiled, jit, noun, subroutine, subroutine_fma, verb
from gnomon._typing import ArrayLike, Compressed, Floats, Integers, Matrix, is_sparse
from gnomon.numerics.parallel import blas_threads, map_chunks, split_rows

__all__ = [
    "CenterTable",
    "DenseRows",
    "SparseRows",
    "center_rows",
    "center_table",
    "dense_rows",
    "first_of",
    "in_unit",
    "nearest_center",
    "own_squares",
    "row_chunks",
    "row_unit",
]

TILE = 4
"""Columns that are added at once: so often a running sum is read and written less."""


HALF_DIGITS = 1e-8
"""A difference that is smaller, compared with its terms, has lost half of its digits."""

SIZES = {"d": (1e-100, 1e100), "f": (1e-6, 1e15)}
"""Largest entries whose squares, and those of differences in their last digits, are ordinary numbers."""


@noun
class DenseRows:
    """The rows of a C-contiguous matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.center_distances import DenseRows
    >>> float(DenseRows(np.array([[1.0, 2.0]]), 1e-15).square_to(0, np.array([1.0, 5.0])))
    9.0
    """

    A: Floats
    relative: float
    """ε_rel."""

    @verb
    def square_to(self, i: int, c: Floats) -> float:
        """(1) for one centre."""
        return _square(self.A[i], c)

    @verb
    def squares_to(self, i: int, table: Any, lo: int, hi: int, out: Floats) -> float:
        """V(i, lo:hi) in `out`; returns ε_abs(i)."""
        _squares(self.A[i], table.columns, lo, hi, out)
        return 0.0

    @verb
    def quick_square_to(self, i: int, c: Floats, norm: float) -> float:
        """(1) to at least half of its digits, for a centre of that squared norm."""
        return _square(self.A[i], c)

    @verb
    def add_to(self, i: int, weight: float, shift: Floats, total: Floats) -> None:
        """Add weight · (xᵢ − shift) to `total`."""
        for f in range(self.A.shape[1]):
            total[f] += weight * (np.float64(self.A[i, f]) - shift[f])


@noun
class SparseRows:
    """The rows of a CSR matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from gnomon.optim.center_distances import SparseRows
    >>> A = csr_array([[0.0, 2.0]])
    >>> float(SparseRows(A.data, A.indices, A.indptr, 1e-15).square_to(0, np.array([1.0, 5.0])))
    10.0
    """

    data: Floats
    indices: Integers
    indptr: Integers
    relative: float

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
    def squares_to(self, i: int, table: Any, lo: int, hi: int, out: Floats) -> float:
        # ‖x − c‖² = ‖c‖² + Σ_f x_f (x_f − 2 c_f), where only the f that are stored count.
        for j in range(lo, hi):
            out[j] = table.norms[j]
        norm = 0.0
        for p in range(self.indptr[i], self.indptr[i + 1]):
            x = self.data[p]
            norm += np.float64(x) * np.float64(x)
            _add_products(x, table.columns[self.indices[p]], lo, hi, out)
        return self.relative * 2.0 * (norm + table.reach)

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


Rows: TypeAlias = DenseRows | SparseRows


@noun
class CenterTable:
    """Centres as the columns of a matrix, with their squared norms, the largest of which is `reach`."""

    columns: Floats
    norms: Floats
    reach: float


@subroutine
def _square(x, c):
    # Four sums: each addition to one would wait for the last.
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


@subroutine_fma
def _squares(x, columns, lo, hi, out):
    d = len(x)
    for j in range(lo, hi):
        out[j] = 0.0
    for f in range(0, d - d % TILE, TILE):
        p, q, r, s = columns[f], columns[f + 1], columns[f + 2], columns[f + 3]
        for j in range(lo, hi):
            a, b, c, e = x[f] - p[j], x[f + 1] - q[j], x[f + 2] - r[j], x[f + 3] - s[j]
            out[j] += (a * a + b * b) + (c * c + e * e)
    for f in range(d - d % TILE, d):
        p = columns[f]
        for j in range(lo, hi):
            a = x[f] - p[j]
            out[j] += a * a


@subroutine_fma
def _add_products(x, column, lo, hi, out):
    for j in range(lo, hi):
        out[j] += x * (x - 2 * column[j])


@subroutine
def first_of(rows, i, centers, rank, values, absolute, lo, hi, own):
    """The nearest of the centres lo:hi but `own`, V of it and the least V of the others; −1 where there is none.

    By V in `values` and, where (2) leaves it open, by (1).
    """
    best, least, second = -1, np.inf, np.inf
    for j in range(lo, hi):
        value = values[j]
        if value < second and j != own:
            if value < least:
                best, least, second = j, value, least
            else:
                second = value
    if best >= 0 and second - least <= 2.0 * (absolute + rows.relative * abs(second)):
        nearest = _first_directly(rows, i, centers, rank, values, absolute, lo, hi, own, least)
        second = second if nearest == best else least
        best = nearest
    return best, least, second


@subroutine
def _first_directly(rows, i, centers, rank, values, absolute, lo, hi, own, least):
    limit = least + 2.0 * absolute + 4.0 * rows.relative * abs(least)
    best, square = -1, np.inf
    for j in range(lo, hi):
        if values[j] <= limit and j != own:
            found = rows.square_to(i, centers[j])
            if found < square or (found == square and rank[j] < rank[best]):
                best, square = j, found
    return best


@jit
def _nearest(rows, centers, table, rank, first, last, labels, squares):
    k = len(centers)
    values = np.empty(k, dtype=centers.dtype)
    for i in range(first, last):
        absolute = rows.squares_to(i, table, 0, k, values)
        labels[i] = first_of(rows, i, centers, rank, values, absolute, 0, k, -1)[0]
        squares[i] = rows.square_to(i, centers[labels[i]])


@jit
def own_squares(rows, centers, labels, first, last, squares):
    """(1) for the centre of each row."""
    for i in range(first, last):
        squares[i] = rows.square_to(i, centers[labels[i]])


def center_rows(X: Matrix) -> Rows:
    """Rows of a matrix in the form in which the kernels of this module take them.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.center_distances import center_rows
    >>> center_rows(np.eye(2)).A.shape
    (2, 2)
    """
    relative = 2.0 * (X.shape[1] + 8) * float(np.finfo(X.dtype).eps)
    if is_sparse(X):
        sorted_rows: Compressed = X.tocsr()
        if not sorted_rows.has_canonical_format:
            sorted_rows = sorted_rows.copy()
            sorted_rows.sum_duplicates()
        return compiled(SparseRows(sorted_rows.data, sorted_rows.indices, sorted_rows.indptr, relative))
    return compiled(DenseRows(np.ascontiguousarray(X), relative))


def center_table(centers: Floats) -> CenterTable:
    """Centres in the form in which the kernels of this module take them."""
    norms = np.einsum("ij,ij->i", centers, centers)
    return compiled(CenterTable(np.ascontiguousarray(centers.T), norms, float(np.max(norms))))


def row_chunks(n: int, work: int) -> list[slice]:
    """Rows in pieces for threads, the same for any number of threads; `work` is what one row costs."""
    return split_rows(n, max(1, min(16, n * work // 2**18)))


def dense_rows(X: Matrix, which: ArrayLike) -> Floats:
    """Some rows as an array of doubles."""
    part = X[np.asarray(which)]
    return (part.toarray() if is_sparse(part) else part).astype(float)


def row_unit(X: Matrix) -> float:
    """A power of two in whose multiples squares of the entries of X neither overflow nor vanish; mostly one."""
    values = X.data if is_sparse(X) else X
    size = float(max(np.max(values, initial=0.0), -np.min(values, initial=0.0)))
    low, high = SIZES[X.dtype.char]
    return 1.0 if low <= size <= high or size == 0.0 else float(2.0 ** np.floor(np.log2(size)))


def in_unit(X: Matrix, unit: float) -> Matrix:
    """X in multiples of a unit."""
    return X if unit == 1.0 else X / X.dtype.type(unit)


def nearest_center(X: Matrix, centers: Floats, *, n_jobs: int | None = None) -> tuple[Integers, Floats]:
    """The nearest of the centres for every row, and the squared distance to it.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
    centers : ndarray of shape (k, d)
    n_jobs : int, optional
        Threads; by default as many as BLAS may use.

    Returns
    -------
    labels : ndarray of int of shape (n,)
        The lowest index of several.
    squares : ndarray of shape (n,)

    References
    ----------
    Lloyd, S. (1982). Least squares quantization in PCM. doi:10.1109/TIT.1982.1056489

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import nearest_center
    >>> nearest_center(np.array([[0.0], [3.0]]), np.array([[1.0], [5.0]]))
    (array([0, 0]), array([1., 4.]))
    """
    dtype = np.result_type(X, centers)
    X, centers = X.astype(dtype, copy=False), np.ascontiguousarray(centers, dtype=dtype)
    unit = row_unit(X)
    X, centers = in_unit(X, unit), centers / dtype.type(unit)
    rows, table, rank = center_rows(X), center_table(centers), np.arange(len(centers))
    labels, squares = np.empty(X.shape[0], dtype=np.int64), np.empty(X.shape[0])

    def work(part: slice) -> None:
        _nearest(rows, centers, table, rank, part.start, part.stop, labels, squares)

    map_chunks(work, row_chunks(X.shape[0], centers.size), n_jobs or blas_threads())
    return labels, squares * (unit * unit)
