"""Gram matrices in tiles.

    K[I, J] = k(P[I], Q[J])  for tiles I × J that stay in the processor's cache                    (1)

Each tile is one call of BLAS and one pass of the formula over its result; a symmetric matrix needs the tiles on and
above the diagonal. As many threads as BLAS has here work on tiles, each with BLAS on one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy import sparse

from gnomon._typing import Floats
from gnomon.numerics.parallel import blas_threads, map_tiles

if TYPE_CHECKING:
    from gnomon.kernels._base import Kernel

__all__ = ["contract_tiles", "evaluate", "evaluate_sparse", "slope_sums", "weighted_sums"]

Tile: TypeAlias = tuple[slice, slice, Any, Any]
"""Which rows and columns, and both prepared."""

TILE = 240
"""Rows of a tile, and half its columns: one megabyte of float64. At a power of two the entries of a column would all
fall into a few sets of the cache, and a transposed copy take five times as long."""

ENTRIES = 1 << 24
"""Most entries of a matrix that is soon forgotten, of a kernel without tiles."""

PAIRS = 1 << 17
"""Pairs that are compared at once."""


def evaluate(kernel: Kernel, P: Any, Q: Any, n_jobs: int | None = None) -> Floats:
    """The matrix k(p_i, q_j) of prepared rows; where P is Q, symmetric to the bit.

    Parameters
    ----------
    kernel : Kernel
    P, Q : prepared rows
    n_jobs : int, optional
        Threads; None for as many as BLAS has.

    Returns
    -------
    ndarray of shape (len(P), len(Q))

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import RBF
    >>> from gnomon.kernels._evaluate import evaluate
    >>> P = RBF().prepare(np.zeros((2, 1)))
    >>> evaluate(RBF(), P, P)
    array([[1., 1.],
           [1., 1.]])
    """
    n, m = len(P), len(Q)
    if kernel.whole or (n <= TILE and m <= TILE):
        return kernel.cross(P, Q)
    symmetric = P is Q
    first = kernel.cross(P.take(slice(0, 1)), Q.take(slice(0, 1)))
    K = np.empty((n, m), dtype=first.dtype)
    tiles = _symmetric_tiles(P) if symmetric else _tiles(P, Q)

    def fill(tile: Tile) -> None:
        I, J, rows, columns = tile
        K[I, J] = values = kernel.cross(rows, columns)
        if symmetric and I != J:
            K[J, I] = values.T

    map_tiles(fill, tiles, blas_threads() if n_jobs is None else n_jobs)
    return K


def evaluate_sparse(kernel: Kernel, P: Any, Q: Any) -> Any:
    """The matrix k(p_i, q_j) as a CSR array, from the pairs where it may differ from zero; None where that is all.

    Parameters
    ----------
    kernel : Kernel
    P, Q : prepared rows

    Returns
    -------
    CSR array of shape (len(P), len(Q)), or None

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import Wendland
    >>> from gnomon.kernels._evaluate import evaluate_sparse
    >>> P = Wendland().prepare(np.array([[0.0], [0.5], [3.0]]))
    >>> evaluate_sparse(Wendland(), P, P).nnz
    5
    """
    pattern = kernel.pattern(P, Q)
    if pattern is None:
        return None
    j = pattern.indices
    i = np.repeat(np.arange(len(P), dtype=j.dtype), np.diff(pattern.indptr))
    parts = [kernel.pairs(P, Q, i[cut], j[cut]) for cut in _cuts(len(i), PAIRS)]
    values = np.concatenate(parts) if parts else np.empty(0)
    K = sparse.csr_array((values, j, pattern.indptr), shape=(len(P), len(Q)))
    K.eliminate_zeros()
    return K


def weighted_sums(kernel: Kernel, P: Any, Q: Any, coef: Floats) -> Floats:
    """Σ_j coef_j k(p_i, q_j) of prepared rows, tile by tile: the matrix is never whole.

    Parameters
    ----------
    kernel : Kernel
    P, Q : prepared rows
    coef : ndarray of shape (len(Q),) or (len(Q), p)

    Returns
    -------
    ndarray of shape (len(P),) or (len(P), p)

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import Linear
    >>> from gnomon.kernels._evaluate import weighted_sums
    >>> P = Linear().prepare(np.array([[1.0], [2.0]]))
    >>> weighted_sums(Linear(), P, P, np.array([1.0, 10.0]))
    array([21., 42.])
    """
    if kernel.whole:
        cuts = _cuts(len(P), max(1, ENTRIES // max(1, len(Q))))
        return np.concatenate([kernel.cross(P.take(I), Q) @ coef for I in cuts])
    first = kernel.cross(P.take(slice(0, 1)), Q.take(slice(0, 1)))
    sums = np.zeros((len(P), *coef.shape[1:]), dtype=np.result_type(first, coef))
    columns = [(J, Q.take(J)) for J in _cuts(len(Q), 2 * TILE)]

    def work(I: slice) -> None:
        rows = P.take(I)
        for J, others in columns:
            sums[I] += kernel.cross(rows, others) @ coef[J]

    map_tiles(work, _cuts(len(P), TILE), blas_threads())
    return sums


def contract_tiles(kernel: Kernel, P: Any, tile: Callable[[slice, slice], Floats]) -> Floats:
    """Σ_ij G_ij ∂K_ij/∂θ of prepared rows for a symmetric G, tile by tile: no other matrix is whole.

    Parameters
    ----------
    kernel : Kernel
    P : prepared rows
    tile : callable
        (I, J) → G[I, J] as an array of its own, for equal slices and for I before J.

    Returns
    -------
    ndarray of shape (len(kernel.theta),)

    References
    ----------
    Rasmussen, C. E. & Williams, C. K. I. (2006). Gaussian Processes for Machine Learning, equation 5.9. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import RBF, contract_tiles
    >>> X, G = np.array([[0.0], [1.0]]), np.ones((2, 2))
    >>> found = contract_tiles(RBF(), RBF().prepare(X), lambda I, J: G[I, J].copy())
    >>> bool(np.allclose(found, RBF().pullback(X, None, G)))
    True
    """
    n = len(P)
    if kernel.whole or n <= TILE:
        return kernel.contract(P, P, tile(slice(0, n), slice(0, n)))

    def work(part: Tile) -> Floats:
        I, J, rows, columns = part
        G = tile(I, J)
        if I != J:
            G *= 2.0
        return kernel.contract(rows, columns, G)

    return np.sum(map_tiles(work, _symmetric_tiles(P), blas_threads()), axis=0)


def slope_sums(kernel: Kernel, P: Any, coef: Floats) -> Floats:
    """(∂K/∂θ) coef of the prepared rows with each other, tile by tile, of shape (p, n, columns of coef).

    Parameters
    ----------
    kernel : Kernel
    P : prepared rows
    coef : ndarray of shape (len(P), r)

    Returns
    -------
    ndarray of shape (len(kernel.theta), len(P), r)

    References
    ----------
    Gilmour, A. R., Thompson, R. & Cullis, B. R. (1995). Average information REML. doi:10.2307/2533274

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import Constant, slope_sums
    >>> k = Constant(2.0)
    >>> slope_sums(k, k.prepare(np.zeros((2, 1))), np.array([[1.0], [3.0]]))[0]
    array([[8.],
           [8.]])
    """
    n = len(P)
    if kernel.whole or n <= TILE:
        return kernel.slope_products(P, P, np.ones((n, n)), coef)
    found = np.zeros((len(kernel.theta), *coef.shape))
    columns = [(J, P.take(J)) for J in _cuts(n, TILE)]

    def work(I: slice) -> None:
        rows = P.take(I)
        for J, others in columns:
            # One object for both sides says that a tile is symmetric.
            Q, one = rows if I == J else others, np.ones((len(rows), len(others)))
            found[:, I] += kernel.slope_products(rows, Q, one, coef[J])

    map_tiles(work, _cuts(n, TILE), blas_threads())
    return found


def _tiles(P: Any, Q: Any) -> Iterator[Tile]:
    """Tiles of all pairs."""
    columns = [(J, Q.take(J)) for J in _cuts(len(Q), 2 * TILE)]
    for I in _cuts(len(P), TILE):
        rows = P.take(I)
        yield from ((I, J, rows, others) for J, others in columns)


def _symmetric_tiles(P: Any) -> Iterator[Tile]:
    """Tiles on and above the diagonal; one object for both sides of those on it, which says that they are symmetric."""
    parts = [(I, P.take(I)) for I in _cuts(len(P), TILE)]
    for number, (I, rows) in enumerate(parts):
        yield from ((I, J, rows, others) for J, others in parts[number:])


def _cuts(n: int, size: int) -> Iterator[slice]:
    return (slice(start, min(start + size, n)) for start in range(0, n, size))
