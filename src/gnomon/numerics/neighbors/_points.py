"""Stored rows as kernels compare them: dense or sparse, in a unit in which squares are safe.

    ‖a − b‖² = Σ_j (a_j − b_j)², from the differences, in double precision                           (1)

Rows whose squares would overflow or vanish are divided by a power of two, which changes no digit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from gnomon._jit import compiled, noun, subroutine_reassoc, verb
from gnomon._typing import Floats, Integers, is_sparse
from gnomon.numerics.design import canonical
from gnomon.numerics.scale import PowerOfTwo, largest_entry
from gnomon.numerics.validation import FLOATS

__all__ = ["StoredRows", "stored_rows", "sum_of_squares"]

SAFE = (1e-145, 1e145)
"""Numbers whose squares, and sums of many of them, neither overflow nor lose digits."""


@noun
class DensePoints:
    """Rows of a C-contiguous matrix."""

    A: Floats

    @verb
    def squared_distance(self, i: int, other: Any, j: int) -> float:
        return sum_of_squares(self.A[i], other.A[j])


@noun
class SparsePoints:
    """Rows of a CSR matrix in canonical format."""

    data: Floats
    indices: Integers
    indptr: Integers

    @verb
    def squared_distance(self, i: int, other: Any, j: int) -> float:
        a, b, total = self.indptr[i], other.indptr[j], 0.0
        while a < self.indptr[i + 1] or b < other.indptr[j + 1]:
            left = self.indices[a] if a < self.indptr[i + 1] else np.iinfo(np.int64).max
            right = other.indices[b] if b < other.indptr[j + 1] else np.iinfo(np.int64).max
            difference = 0.0
            if left <= right:
                difference += self.data[a]
                a += 1
            if right <= left:
                difference -= other.data[b]
                b += 1
            total += difference * difference
        return total


@subroutine_reassoc
def sum_of_squares(a: Floats, b: Floats) -> float:
    """‖a − b‖², from the differences, in double precision."""
    total = 0.0
    for j in range(a.shape[0]):
        difference = np.float64(a[j]) - np.float64(b[j])
        total += difference * difference
    return total


class StoredRows(NamedTuple):
    """Rows of numbers whose squares are safe: divided by `unit`, a power of two, which is 1 for most data.

    Fields
    ------
    values : ndarray or CSR matrix of shape (n, d)
    unit : float
    largest : float
        The largest entry that was given, by modulus.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.neighbors._points import stored_rows
    >>> stored_rows(np.array([[3.0]])).unit, stored_rows(np.array([[2.0**600]])).values
    (1.0, array([[1.]]))
    """

    values: Any
    unit: float
    largest: float

    def __len__(self) -> int:
        return self.values.shape[0]

    def like(self, Q: Any) -> StoredRows:
        """Queries as rows of the same kind: dense or sparse, and in the same unit."""
        if is_sparse(self.values) and not is_sparse(Q):
            Q = sparse.csr_array(np.asarray(Q))
        elif is_sparse(Q) and not is_sparse(self.values):
            Q = Q.tocsr().toarray()
        found = as_rows(Q)
        return StoredRows(found if self.unit == 1.0 else found / self.unit, self.unit, self.largest)

    @property
    def compiled(self) -> Any:
        """The rows as kernels take them."""
        if is_sparse(self.values):
            A: Any = self.values
            return compiled(SparsePoints(A.data, A.indices, A.indptr))
        return compiled(DensePoints(self.values))


def stored_rows(X: Any) -> StoredRows:
    """X in another unit where squares would overflow or vanish."""
    rows = as_rows(X)
    largest = float(largest_entry(rows))
    unit = PowerOfTwo.of(largest, within=SAFE)
    return StoredRows(unit.inward(rows), unit.value, largest)


def as_rows(X: Any) -> Any:
    """X as rows of float32 or float64, contiguous, or in canonical CSR format."""
    if is_sparse(X):
        X = canonical(X.tocsr())
        return X if X.dtype in FLOATS else X.astype(np.float64)
    return np.ascontiguousarray(X, dtype=X.dtype if X.dtype in FLOATS else np.float64)
