"""Products with rows seen from a centre, which are not copied.

    Z = diag(√s) (X − 1cᵀ),    Z V = √s (X V − 1cᵀV),    Zᵀ U = Xᵀ W − c 1ᵀW  with  W = √s U                 (1)

The right sides of (1) leave X as it is, sparse or dense; where c is large beside the spread of a dense column their two
terms cancel, and blocks of Z are formed instead. Jolliffe (2002), doi:10.1007/b98835, section 3.5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any, NamedTuple, TypeVar

import numpy as np

from gnomon._typing import Floats, Matrix, is_sparse
from gnomon.numerics._row_sums import is_near_zero, rough_moments
from gnomon.numerics.parallel import blas_threads, map_chunks, split_rows

__all__ = ["RowsAbout", "rows_about"]

Sum = TypeVar("Sum")

BLOCK = 2**16
"""Numbers that are shifted at once: half a megabyte stays in cache."""

PIECES = 8
"""Pieces of rows that threads share."""

SMALL = 2**18
"""Numbers of a table below which threads are not worth waking."""


class RowsAbout(NamedTuple):
    """Rows seen from a centre, dense or sparse, with weights: the matrix Z of equation (1).

    Fields
    ------
    X : ndarray or sparse matrix of shape (n, d)
    center : ndarray of shape (d,)
        c.
    roots : ndarray of shape (n,) or None
        √s; None where all weights are one.
    is_far : bool
        Whether c is large beside the spread of a dense column.

    References
    ----------
    Jolliffe, I. T. (2002). Principal Component Analysis. doi:10.1007/b98835

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.centred_rows import rows_about
    >>> rows = rows_about(np.array([[0.0], [4.0]]), np.array([3.0, 1.0]))
    >>> rows.dense()
    array([[-1.73205081],
           [ 3.        ]])
    >>> rows.scatter_times(np.array([2.0])).round(12), round(rows.square(), 12)
    (array([24.]), 12.0)
    """

    X: Any
    center: Floats
    roots: Floats | None
    is_far: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """n and d."""
        return self.X.shape

    def dense(self) -> Floats:
        """Z itself."""
        X = self.X.toarray() if is_sparse(self.X) else self.X  # type: ignore[attr-defined]
        return _centred(X, self.center, self.roots)

    def times(self, V: Floats) -> Floats:
        """Z V."""
        V = np.ascontiguousarray(V)  # once, and not for every piece
        return np.concatenate(self._in_pieces(lambda piece, rows: piece.times(V)))

    def transposed_times(self, U: Floats) -> Floats:
        """Zᵀ U."""
        return reduce(np.add, self._in_pieces(lambda piece, rows: piece.transposed_times(U[rows])))

    def scatter_times(self, V: Floats) -> Floats:
        """S V = Zᵀ(Z V), for which every row is read once."""
        V = np.ascontiguousarray(V)
        return reduce(np.add, self._in_pieces(lambda piece, rows: piece.scatter_times(V)))

    def square(self) -> float:
        """‖Z‖², the trace of S."""
        about = self if is_sparse(self.X) else self._replace(is_far=True)
        return float(sum(about._in_pieces(lambda piece, rows: piece.square())))

    def _in_pieces(self, work: Callable[[Any, slice], Sum]) -> list[Sum]:
        """``work(piece, rows)`` for pieces of rows, on as many threads as BLAS may use."""
        kind = _FarRows if self.is_far else _NearRows

        def one(rows: slice) -> Sum:
            roots = None if self.roots is None else self.roots[rows]
            return work(kind(_rows_of(self.X, rows), self.center, roots), rows)

        return map_chunks(one, split_rows(self.shape[0], self._count_pieces()), blas_threads())

    def _count_pieces(self) -> int:
        """The same for any number of threads, so that sums are too."""
        X: Any = self.X
        if not is_sparse(self.X):
            return PIECES if X.size > SMALL else 1
        # Columns are not cut; and the results of the pieces, d numbers for a direction, must stay few beside X.
        return min(PIECES, X.nnz // (PIECES * X.shape[1])) if X.format == "csr" else 1


def rows_about(X: Matrix, weights: Floats | None = None, *, center: bool = True) -> RowsAbout:
    """The rows of X about their mean, or about the origin.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, d)
    weights : ndarray of shape (n,), optional
    center : bool, default=True

    Returns
    -------
    RowsAbout

    References
    ----------
    Jolliffe, I. T. (2002). Principal Component Analysis. doi:10.1007/b98835

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.centred_rows import rows_about
    >>> rows_about(np.array([[0.0], [4.0]])).center
    array([2.])
    """
    n, d = X.shape
    s = np.ones(n) if weights is None else weights
    roots = None if weights is None else np.sqrt(s)
    if not center:
        return RowsAbout(X, np.zeros(d), roots)
    unit = s / s.sum()
    if is_sparse(X):
        return RowsAbout(X, np.asarray(X.T @ unit).ravel(), roots)
    # About a rough mean, so that no digits are lost far from zero; in blocks, so that X is not copied.
    rough, variance = rough_moments(X)
    blocks = split_rows(n, max(1, X.size // BLOCK))
    return RowsAbout(
        X, rough + sum(unit[part] @ (X[part] - rough) for part in blocks), roots, not is_near_zero(rough, variance)
    )


class _NearRows(NamedTuple):
    """Rows of which X and c are multiplied apart; squares, which would cancel, are for sparse ones."""

    X: Any
    center: Floats
    roots: Floats | None

    def times(self, V: Floats) -> Floats:
        found = self.X @ V - (self.center @ V).astype(V.dtype)
        return found if self.roots is None else (found.T * self.roots).T

    def transposed_times(self, U: Floats) -> Floats:
        W = U if self.roots is None else (U.T * self.roots).T
        return self.X.T @ W - (np.multiply.outer(self.center, W.sum(axis=0))).astype(U.dtype)

    def scatter_times(self, V: Floats) -> Floats:
        return self.transposed_times(self.times(V))

    def square(self) -> float:
        """Over stored entries and over zeros that are not stored."""
        n, d = self.X.shape
        X = _canonical(self.X.tocsr())
        counts = np.bincount(X.indices, minlength=d)
        off = X.data - self.center[X.indices]
        if self.roots is None:
            return float(off @ off + (n - counts) @ self.center**2)
        s = self.roots**2
        each = np.repeat(s, np.diff(X.indptr))
        # Weights of a column without any zero may sum to their total but for rounding.
        zeros = np.where(counts == n, 0.0, s.sum() - np.bincount(X.indices, each, d))
        return float(each @ off**2 + np.maximum(zeros, 0.0) @ self.center**2)


class _FarRows(NamedTuple):
    """Dense rows of which blocks are centred before they are multiplied."""

    X: Floats
    center: Floats
    roots: Floats | None

    def times(self, V: Floats) -> Floats:
        return np.concatenate([Z @ V for Z, _ in self._blocks()])

    def transposed_times(self, U: Floats) -> Floats:
        return reduce(np.add, (Z.T @ U[rows] for Z, rows in self._blocks()))

    def scatter_times(self, V: Floats) -> Floats:
        return reduce(np.add, (Z.T @ (Z @ V) for Z, _ in self._blocks()))

    def square(self) -> float:
        return float(sum(np.vdot(Z, Z) for Z, _ in self._blocks()))

    def _blocks(self) -> Iterator[tuple[Floats, slice]]:
        for rows in split_rows(len(self.X), max(1, self.X.size // BLOCK)):
            yield _centred(self.X[rows], self.center, None if self.roots is None else self.roots[rows]), rows


def _centred(X: Floats, center: Floats, roots: Floats | None) -> Floats:
    Z = X - center.astype(X.dtype)
    if roots is not None:
        Z *= roots[:, None].astype(X.dtype)
    return Z


def _rows_of(X: Any, rows: slice) -> Any:
    """Rows of X as a view: a slice of a sparse matrix would copy them."""
    if not is_sparse(X):
        return X[rows]
    whole: Any = X
    if rows == slice(0, X.shape[0]):
        return whole
    first, last = whole.indptr[rows.start], whole.indptr[rows.stop]
    parts = (whole.data[first:last], whole.indices[first:last], whole.indptr[rows.start : rows.stop + 1] - first)
    return type(whole)(parts, shape=(rows.stop - rows.start, whole.shape[1]), copy=False)


def _canonical(X: Any) -> Any:
    if X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X
