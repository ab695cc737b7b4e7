"""Rows prepared for comparison by inner products or by distances.

    ‖a − b‖² = ‖a‖² + ‖b‖² − 2 aᵀb                                                                (1)

Columns are shifted by the middle of the first rows before (1), which leaves distances and keeps the digits that a large
offset would take. With few columns the differences themselves are squared: as fast, and without cancellation. With
more, a distance that is small beside the norms, where (1) cancels, is computed from the differences too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import manhattan_distances
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from gnomon._jit import jit_no_alloc
from gnomon._typing import Array, Floats, Integers, is_sparse
from gnomon.numerics.exponentials import exp_of_negative

__all__ = [
    "CITY_BLOCKS",
    "SHARP_SQUARES",
    "SQUARES",
    "JointRows",
    "NumericRows",
    "Separation",
    "as_rows",
    "gaussians",
    "inner_products",
    "paired_products",
    "same_width",
    "to_dense",
    "weighted_squares",
    "widened",
    "with_squares",
]

FEW_COLUMNS = 4
"""Up to so many columns, squared differences are as fast as BLAS."""

MANY = 0.05
"""From this share of close pairs on, all differences are squared."""


class NumericRows(NamedTuple):
    """Rows of numbers.

    Fields
    ------
    values : ndarray or CSR matrix of shape (n, d)
    squares : ndarray of shape (n,) or None
        Squared norms, where distances are asked for.
    origin : ndarray of shape (d,) or None
        What was subtracted from the rows before anything else.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels._rows import NumericRows, inner_products
    >>> rows = NumericRows(np.array([[3.0, 4.0]]))
    >>> inner_products(rows, rows)
    array([[25.]])
    """

    values: Any
    squares: Floats | None = None
    origin: Floats | None = None

    def __len__(self) -> int:
        return self.values.shape[0]

    def single(self) -> NumericRows | None:
        """The same in single precision; None where that is no gain."""
        if is_sparse(self.values) or self.values.dtype != np.float64:
            return None
        squares = None if self.squares is None else self.squares.astype(np.float32)
        return NumericRows(self.values.astype(np.float32), squares, self.origin)

    def take(self, rows: slice | Integers) -> NumericRows:
        """Some of the rows."""
        squares = None if self.squares is None else self.squares[rows]
        return NumericRows(self.values[rows], squares, self.origin)


class JointRows(NamedTuple):
    """The same rows prepared by several kernels.

    Fields
    ------
    parts : tuple of prepared rows

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import RBF, Linear
    >>> len((RBF() + Linear()).prepare(np.zeros((3, 2))).parts)
    2
    """

    parts: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.parts[0])

    def take(self, rows: slice | Integers) -> JointRows:
        """Some of the rows."""
        return JointRows(tuple(part.take(rows) for part in self.parts))


def with_squares(values: Any, origin: Floats | None) -> NumericRows:
    """Rows with their squared norms."""
    return NumericRows(values, row_norms(values, squared=True), origin)


def inner_products(P: NumericRows, Q: NumericRows) -> Floats:
    """aᵀb for all pairs of rows."""
    return np.asarray(safe_sparse_dot(P.values, Q.values.T, dense_output=True))


def squared_distances(P: NumericRows, Q: NumericRows) -> Floats:
    """Equation (1) for all pairs of rows, for a smooth function of it; exactly zero on the diagonal where P is Q."""
    return _squares(P, Q, sharp=False)


def sharp_squares(P: NumericRows, Q: NumericRows) -> Floats:
    """Equation (1) with small distances to full relative precision, for a function of their root."""
    return _squares(P, Q, sharp=True)


def _squares(P: NumericRows, Q: NumericRows, *, sharp: bool) -> Floats:
    dense = not (is_sparse(P.values) or is_sparse(Q.values))
    assert P.squares is not None
    assert Q.squares is not None
    longest = np.max(P.squares, initial=0.0) + np.max(Q.squares, initial=0.0)
    if dense and (P.values.shape[1] <= FEW_COLUMNS or not np.isfinite(2.0 * longest)):
        return _direct(P, Q)
    # The tile that BLAS fills is worked on in place: each pass over it costs as much as the exponential that follows.
    S = np.asarray(safe_sparse_dot(-2 * P.values, Q.values.T, dense_output=True))
    S += P.squares[:, None]
    S += Q.squares
    np.maximum(S, 0.0, out=S)
    rounding = np.finfo(S.dtype).eps
    if sharp or longest > rounding**-0.3:
        close = np.flatnonzero(rounding**0.4 * longest >= S)
        if dense and len(close) > MANY * S.size:
            return _direct(P, Q)
        S.ravel()[close] = paired_squares(P, Q, *np.divmod(close, S.shape[1]))
    if P is Q:
        np.fill_diagonal(S, 0.0)
        S = 0.5 * (S + S.T)
    return S


def _direct(P: NumericRows, Q: NumericRows) -> Floats:
    """Squared differences; what overflows is a number so large that every kernel of it is zero."""
    S = cdist(P.values, Q.values, "sqeuclidean")
    dtype = np.result_type(P.values, Q.values)
    np.minimum(S, _most(dtype), out=S)
    return S.astype(dtype, copy=False)


def bounded_square(x: Floats) -> Floats:
    """x², or that number where it would overflow."""
    return np.minimum(np.abs(x), np.sqrt(_most(x.dtype)).astype(x.dtype)) ** 2


def _most(dtype: Any) -> Any:
    """A square that is large and far from the end of the numbers."""
    return 1e-3 * np.finfo(dtype).max


def weighted_squares(P: NumericRows, Q: NumericRows, W: Floats, S: Floats, B: Floats) -> Floats:
    """Σ_j W_ij (a_id − b_jd)² B_jr for every column d, of shape (d, n, r), where S are the squared distances.

    Squares are multiplied out, for BLAS; not of rows that are close, whose weights may be large where (1) cancels.
    """
    a, b = to_dense(P.values), to_dense(Q.values)
    assert P.squares is not None
    assert Q.squares is not None
    longest = np.max(P.squares, initial=0.0) + np.max(Q.squares, initial=0.0)
    close = np.flatnonzero(np.finfo(S.dtype).eps ** 0.4 * longest >= S)
    if len(close) > MANY * S.size or not np.isfinite(2.0 * longest):
        return np.stack([(W * bounded_square(a[:, [d]] - b[:, d])) @ B for d in range(a.shape[1])])
    i, j = np.divmod(close, S.shape[1])
    exact = W[i, j] * (a[i] - b[j]).T ** 2
    W[i, j] = 0.0
    bT = b.T[:, :, None]
    # Σ W B, Σ W b B and Σ W b² B for all columns, by one product of matrices.
    powers = np.concatenate([B[None], bT * B, bT**2 * B])
    sums = W @ powers.transpose(1, 0, 2).reshape(len(b), -1)
    none, one, two = np.split(sums.reshape(len(a), len(powers), -1).transpose(1, 0, 2), [1, 1 + len(bT)])
    aT = a.T[:, :, None]
    found = aT**2 * none - 2.0 * aT * one + two
    for d, r in np.ndindex(len(exact), B.shape[1]):
        found[d, :, r] += np.bincount(i, weights=exact[d] * B[j, r], minlength=len(a))
    return found


def city_blocks(P: NumericRows, Q: NumericRows) -> Floats:
    """Σ_d |a_d − b_d| for all pairs of rows."""
    dtype = np.result_type(P.values.dtype, Q.values.dtype)
    if is_sparse(P.values) and is_sparse(Q.values):
        return np.asarray(manhattan_distances(P.values, Q.values)).astype(dtype, copy=False)
    return cdist(to_dense(P.values), to_dense(Q.values), "cityblock").astype(dtype, copy=False)


def paired_blocks(P: NumericRows, Q: NumericRows, i: Integers, j: Integers) -> Floats:
    """Σ_d |a_d − b_d| for the pairs of rows that are listed."""
    return np.asarray(abs(P.values[i] - Q.values[j]).sum(axis=1)).ravel()


def gaussians(P: NumericRows, Q: NumericRows) -> Floats:
    """exp of −½ of equation (1) for all pairs of rows, in as few passes over the result as its precision allows."""
    assert P.squares is not None
    assert Q.squares is not None
    dense = not (is_sparse(P.values) or is_sparse(Q.values))
    if dense and P.values.shape[1] <= FEW_COLUMNS:
        S = np.empty((len(P), len(Q)), dtype=np.result_type(P.values, Q.values))
        exponentials_of_differences(S, np.ascontiguousarray(P.values), np.ascontiguousarray(Q.values.T))
        return S
    longest = np.max(P.squares, initial=0.0) + np.max(Q.squares, initial=0.0)
    if P is Q or not dense or longest > np.finfo(P.squares.dtype).eps ** -0.3:
        S = squared_distances(P, Q)
        S *= -0.5
        return np.exp(S, out=S)
    S = P.values @ Q.values.T
    exponentials(S, (-0.5 * P.squares).astype(S.dtype, copy=False), (-0.5 * Q.squares).astype(S.dtype, copy=False))
    return S


@jit_no_alloc
def exponentials_of_differences(S: Floats, A: Floats, B: Floats) -> None:
    """S_ij = exp(−½ Σ_d (A_id − B_dj)²), without cancellation."""
    for i in range(S.shape[0]):
        row = S[i]
        for j in range(S.shape[1]):
            row[j] = 0.0
        for d in range(A.shape[1]):
            a = A[i, d]
            for j in range(S.shape[1]):
                difference = a - B[d, j]
                row[j] += difference * difference
        for j in range(S.shape[1]):
            row[j] = exp_of_negative(-0.5 * row[j])


@jit_no_alloc
def exponentials(S: Floats, a: Floats, b: Floats) -> None:
    """S_ij = exp(min(S_ij + a_i + b_j, 0)), in one pass."""
    for i in range(S.shape[0]):
        row, own = S[i], a[i]
        for j in range(S.shape[1]):
            x = row[j] + (own + b[j])
            row[j] = exp_of_negative(0.0 if x > 0.0 else x)


def paired_products(P: NumericRows, Q: NumericRows, i: Integers, j: Integers) -> Floats:
    """aᵀb for the pairs of rows that are listed."""
    return _row_sums(P.values[i], Q.values[j])


def paired_squares(P: NumericRows, Q: NumericRows, i: Integers, j: Integers) -> Floats:
    """‖a − b‖² for the pairs of rows that are listed."""
    difference = P.values[i] - Q.values[j]
    return _row_sums(difference, difference)


def _row_sums(A: Any, B: Any) -> Array:
    if is_sparse(A) or is_sparse(B):
        product: Any = A.multiply(B) if is_sparse(A) else B.multiply(A)  # type: ignore[attr-defined]
        return np.asarray(product.sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", A, B)


class Separation(NamedTuple):
    """How far apart two rows are: a sum over the columns, homogeneous in the rows.

    Fields
    ------
    degree : int
        Rows twice as large are 2^degree times as far apart.
    cross : callable (P, Q) → matrix of all pairs
    pairs : callable (P, Q, i, j) → those of the pairs that are listed
    column : callable
        Of differences in one column, its share.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels._rows import CITY_BLOCKS, NumericRows
    >>> CITY_BLOCKS.cross(NumericRows(np.array([[1.0, 2.0]])), NumericRows(np.array([[3.0, -1.0]])))
    array([[5.]])
    """

    degree: int
    cross: Callable[[NumericRows, NumericRows], Floats]
    pairs: Callable[[NumericRows, NumericRows, Integers, Integers], Floats]
    column: Callable[[Floats], Floats]


SQUARES = Separation(2, squared_distances, paired_squares, bounded_square)
SHARP_SQUARES = Separation(2, sharp_squares, paired_squares, bounded_square)
CITY_BLOCKS = Separation(1, city_blocks, paired_blocks, np.abs)


def to_dense(X: Any) -> Array:
    """Rows as an array."""
    return sparse.csr_array(X).toarray() if is_sparse(X) else X


def same_width(kernel: object, X: Any, like: NumericRows | None) -> Any:
    """The rows X, in double precision where those that they are compared with are; refused where these have another
    number of columns."""
    if like is not None and X.shape[1] != like.values.shape[1]:
        raise ValueError(
            f"{type(kernel).__name__} compares rows of {X.shape[1]} columns with rows of {like.values.shape[1]}; "
            "give both the same columns"
        )
    return X if like is None else X.astype(np.result_type(X.dtype, like.values.dtype), copy=False)


def widened(A: Any, B: Any) -> Any:
    """The rows A, in double precision where the rows B that they are compared with may have more than single."""
    return A.astype(np.float64) if _is_single(A) and not _is_single(B) else A


def _is_single(A: Any) -> bool:
    values = A.data if sparse.issparse(A) else A
    return isinstance(values, np.ndarray) and values.dtype == np.float32


def as_rows(A: Any) -> Any:
    """Rows of numbers as a two-dimensional array of floats, or a CSR matrix."""
    if is_sparse(A):
        A = A.tocsr()
        return A if A.dtype.kind == "f" else A.astype(float)
    X = np.asarray(A)
    X = X if X.dtype.kind == "f" and X.dtype.itemsize >= 4 else X.astype(float)
    if X.ndim != 2:
        raise ValueError(f"rows have shape {X.shape}, and a 2D array is needed; use X[:, None] or X[None, :]")
    return X
