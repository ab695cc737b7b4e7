"""Rows prepared for comparison by inner products or by distances.

    ‖a − b‖² = ‖a‖² + ‖b‖² − 2 aᵀb                                                                (1)

Columns are shifted by the mean of the first rows before (1), which leaves distances and keeps the digits that a large
offset would take. With few columns the differences themselves are squared: as fast, and without cancellation.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from gnomon._typing import Array, Floats, Integers, is_sparse

__all__ = ["JointRows", "NumericRows", "inner_products", "paired_products", "paired_squares", "squared_distances"]

FEW_COLUMNS = 4
"""Up to so many columns, squared differences are as fast as BLAS."""


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

    def take(self, rows: slice | Integers) -> "NumericRows":
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

    def take(self, rows: slice | Integers) -> "JointRows":
        """Some of the rows."""
        return JointRows(tuple(part.take(rows) for part in self.parts))


def with_squares(values: Any, origin: Floats | None) -> NumericRows:
    """Rows with their squared norms."""
    return NumericRows(values, row_norms(values, squared=True), origin)


def inner_products(P: NumericRows, Q: NumericRows) -> Floats:
    """aᵀb for all pairs of rows."""
    return np.asarray(safe_sparse_dot(P.values, Q.values.T, dense_output=True))


def squared_distances(P: NumericRows, Q: NumericRows) -> Floats:
    """Equation (1) for all pairs of rows; exactly zero on the diagonal where P is Q."""
    dense = not (is_sparse(P.values) or is_sparse(Q.values))
    if dense and P.values.shape[1] <= FEW_COLUMNS:
        return cdist(P.values, Q.values, "sqeuclidean").astype(P.values.dtype, copy=False)
    assert P.squares is not None
    assert Q.squares is not None
    twice = inner_products(P, Q)
    twice *= 2
    # The two norms are added first: then the result is symmetric to the bit where P is Q.
    S = np.add.outer(P.squares, Q.squares)
    S -= twice
    np.maximum(S, 0.0, out=S)
    if P is Q:
        np.fill_diagonal(S, 0.0)
    return S


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
