"""Design matrices, dense or sparse, with or without an intercept.

    z = X w + b                                                                                   (1)

A `Design` is X together with the way b is treated. Solvers see the packed parameter θ = (w, b) — or (w,) when there is
no intercept — and never ask whether X is sparse: whole-matrix products go through `apply` and `adjoint`, loops over
rows or columns through `rows` and `columns`, which are sets of vectors with the compiled verbs ``dot(i, v)``,
``add(i, c, v)`` and ``squared_norm(i)``; ``index(i, k)``, k < ``count(i)``, names the columns that are stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias, overload

import numpy as np
from scipy import sparse

from gnomon._jit import jit, noun, verb
from gnomon._typing import Array, Compressed, Floats, Integers, Matrix, Numbers, is_sparse

__all__ = ["DenseVectors", "Design", "SparseVectors", "canonical", "vectors"]


Intercept: TypeAlias = Literal["free", "penalized", "none"]


@noun
class DenseVectors:
    """The rows of a C-contiguous matrix, each followed by the constant `bias` unless that is zero.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.design import DenseVectors
    >>> float(DenseVectors(np.array([[1.0, 2.0]]), bias=1.0).dot(0, np.array([3.0, 4.0, 0.5])))
    11.5
    """

    A: Floats
    bias: float = 0.0

    @verb
    def dot(self, i: int, v: Floats) -> float:
        # Four accumulators: with one, every addition would wait for the latency of the last.
        a, b, c, e = 0.0, 0.0, 0.0, 0.0
        d: int = self.A.shape[1]
        for j in range(0, d - d % 4, 4):
            a += self.A[i, j] * v[j]
            b += self.A[i, j + 1] * v[j + 1]
            c += self.A[i, j + 2] * v[j + 2]
            e += self.A[i, j + 3] * v[j + 3]
        for j in range(d - d % 4, d):
            a += self.A[i, j] * v[j]
        if self.bias != 0.0:
            a += self.bias * v[d]
        return (a + b) + (c + e)

    @verb
    def add(self, i: int, c: float, v: Floats) -> None:
        for j in range(self.A.shape[1]):
            v[j] += c * self.A[i, j]
        if self.bias != 0.0:
            v[self.A.shape[1]] += c * self.bias

    @verb
    def squared_norm(self, i: int) -> float:
        total = self.bias * self.bias
        for j in range(self.A.shape[1]):
            total += self.A[i, j] * self.A[i, j]
        return total

    @verb
    def count(self, i: int) -> int:
        return self.A.shape[1]

    @verb
    def index(self, i: int, k: int) -> int:
        return k


@noun
class SparseVectors:
    """The rows of a CSR matrix with `d` columns, each followed by the constant `bias` unless that is zero.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from gnomon.numerics.design import SparseVectors
    >>> A = csr_array([[0.0, 2.0]])
    >>> float(SparseVectors(A.data, A.indices, A.indptr, 2, bias=1.0).dot(0, np.array([3.0, 4.0, 0.5])))
    8.5
    """

    data: Floats
    indices: Integers
    indptr: Integers
    d: int
    bias: float = 0.0

    @verb
    def dot(self, i: int, v: Floats) -> float:
        total = 0.0
        for k in range(self.indptr[i], self.indptr[i + 1]):
            total += self.data[k] * v[self.indices[k]]
        if self.bias != 0.0:
            total += self.bias * v[self.d]
        return total

    @verb
    def add(self, i: int, c: float, v: Floats) -> None:
        for k in range(self.indptr[i], self.indptr[i + 1]):
            v[self.indices[k]] += c * self.data[k]
        if self.bias != 0.0:
            v[self.d] += c * self.bias

    @verb
    def squared_norm(self, i: int) -> float:
        total = self.bias * self.bias
        for k in range(self.indptr[i], self.indptr[i + 1]):
            total += self.data[k] * self.data[k]
        return total

    @verb
    def count(self, i: int) -> int:
        return self.indptr[i + 1] - self.indptr[i]

    @verb
    def index(self, i: int, k: int) -> int:
        return self.indices[self.indptr[i] + k]


Vectors: TypeAlias = DenseVectors | SparseVectors


@dataclass(frozen=True, eq=False)
class Design:
    """X and the treatment of the intercept: (1) as a linear map of the packed parameter θ.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, d)
    intercept : {"free", "penalized", "none"}, default="free"
        A free b is never penalised; a penalised one is the weight of a further, constant column; none is b = 0.
    bias : float, default=1.0
        The value of that constant column.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.design import Design
    >>> design = Design(np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> design.apply(np.array([1.0, 1.0, 0.5]))
    array([3.5, 7.5])
    >>> design.adjoint(np.array([1.0, 1.0]))
    array([4., 6., 2.])
    >>> design.split(np.array([1.0, 1.0, 0.5]))
    (array([1., 1.]), 0.5)
    """

    X: Matrix
    intercept: Intercept = "free"
    bias: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "X", _summed(self.X))

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.X.shape[0]

    @property
    def d(self) -> int:
        """Number of columns of X."""
        return self.X.shape[1]

    @property
    def width(self) -> int:
        """Length of θ for one score."""
        return self.d + (self.intercept != "none")

    @property
    def n_penalized(self) -> int:
        """How many leading entries of θ the penalty acts on."""
        return self.d + (self.intercept == "penalized")

    @property
    def dtype(self) -> np.dtype[Any]:
        """Floating type of X; θ and scores have it too."""
        return self.X.dtype

    @property
    def sparse(self) -> bool:
        """Whether X is sparse."""
        return is_sparse(self.X)

    def apply(self, theta: Floats) -> Floats:
        """The scores X w + b: shape (n,) for θ of shape (width,), (n, K) for θ of shape (K, width)."""
        z = _product(self.X, theta[..., : self.d].T)
        return z if self.intercept == "none" else z + self.bias * theta[..., self.d]

    def adjoint(self, g: Floats) -> Floats:
        """The transpose of `apply`: Xᵀg and the sum of g, packed like θ."""
        back = _product(self.X.T, g).T
        if self.intercept == "none":
            return back
        total = self.bias * np.sum(g, axis=0, dtype=g.dtype)
        return np.concatenate(
            [back, np.atleast_1d(total)[..., None] if back.ndim > 1 else np.atleast_1d(total)], axis=-1
        )

    def block(self, rows: slice) -> Self:
        """The design of a slice of rows, as a view."""
        if not is_sparse(self.X):
            return replace(self, X=self.X[rows])
        X, start, stop = self.X.tocsr(), rows.start, rows.stop
        first, last = X.indptr[start], X.indptr[stop]
        parts = (X.data[first:last], X.indices[first:last], X.indptr[start : stop + 1] - first)
        block = type(X)(parts, shape=(stop - start, self.d))
        # Rows of a canonical matrix are canonical; if the matrix is not, SciPy checks the part when it needs to know.
        block.has_canonical_format = X.has_canonical_format
        return replace(self, X=block)

    def dense(self) -> Floats:
        """The rows as a dense matrix of that width, the constant column included."""
        X = self.X.toarray() if is_sparse(self.X) else self.X
        return X if self.intercept == "none" else np.hstack([X, np.full((self.n, 1), self.bias, dtype=self.dtype)])

    def split(self, theta: Floats) -> tuple[Floats, Numbers]:
        """(w, b) of the packed parameter; b is a float for one score, an array for several, 0.0 when there is none."""
        if self.intercept == "none":
            return theta, 0.0
        b = self.bias * theta[..., self.d]
        return theta[..., : self.d], (float(b) if theta.ndim == 1 else b)

    @cached_property
    def rows(self) -> Vectors:
        """The rows of X (with the constant column, if any) for compiled loops."""
        return vectors(self.X, 0.0 if self.intercept == "none" else self.bias)

    @cached_property
    def columns(self) -> Vectors:
        """The columns of X, without the constant one, for compiled loops."""
        return vectors(self.X.T)


def _product(A: Matrix, v: Floats) -> Floats:
    """A v; where v is zero, as at the start of most solvers, without a pass over A."""
    return A @ v if v.any() else np.zeros((A.shape[0], *v.shape[1:]), dtype=np.result_type(A.dtype, v.dtype))


@overload
def canonical(X: Compressed) -> Compressed: ...
@overload
def canonical(X: Array) -> Array: ...
def canonical(X: Matrix) -> Matrix:
    """X; if it is sparse with duplicate or unsorted entries, a copy in canonical format.

    Kernels treat every stored entry as a whole one, and the squares of parts do not add up to the square of their sum.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from gnomon.numerics.design import canonical
    >>> halves = csr_array(([1.0, 2.0], [0, 0], [0, 2]), shape=(1, 1))
    >>> halves.nnz, canonical(halves).nnz, canonical(halves).data
    (2, 1, array([3.]))
    """
    if not is_sparse(X) or X.format not in ("csr", "csc") or X.has_canonical_format:
        return X
    whole: Compressed = X.copy()
    whole.sum_duplicates()
    return whole


def vectors(A: Matrix, bias: float = 0.0) -> Vectors:
    """The rows of A, each followed by `bias` unless that is zero, for compiled loops.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.design import vectors
    >>> float(vectors(np.array([[1.0, 2.0]])).dot(0, np.array([3.0, 4.0])))
    11.0
    """
    if is_sparse(A):
        A = sparse.csr_matrix(A) if A.format != "csr" else A
        indices, indptr = _unsigned(A)
        return SparseVectors(A.data, indices, indptr, A.shape[1], bias)
    return DenseVectors(np.ascontiguousarray(A), bias)


def _unsigned(A: Compressed) -> Iterator[Integers]:
    # Unsigned indices avoid the branch by which Numba wraps negative ones around; kernels run twice as fast.
    return (index.view(f"u{index.dtype.itemsize}") for index in (A.indices, A.indptr))


def _summed(X: Matrix) -> Matrix:
    """X, or `canonical(X)` if an entry is stored in several parts; the order of entries is left alone."""
    if not is_sparse(X) or X.format not in ("csr", "csc") or X.has_canonical_format:
        return X
    indices, indptr = _unsigned(X)
    last = np.full(X.shape[X.format == "csr"], len(indptr), dtype=indptr.dtype)
    return canonical(X) if _in_parts(indices, indptr, last) else X


@jit
def _in_parts(indices: Integers, indptr: Integers, last: Integers) -> bool:
    """Whether a row names a column twice; `last` holds the last row in which each column was seen."""
    for i in range(indptr.shape[0] - 1):
        for k in range(indptr[i], indptr[i + 1]):
            if last[indices[k]] == i:
                return True
            last[indices[k]] = i
    return False
