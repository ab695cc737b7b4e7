"""Gram matrices in tiles.

    K[I, J] = k(P[I], Q[J])  for tiles I × J that stay in the processor's cache                    (1)

Each tile is one call of BLAS and one pass of the formula over its result; a symmetric matrix needs the tiles on and
above the diagonal. As many threads as BLAS has here work on tiles, each with BLAS on one thread.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from gnomon._typing import Floats
from gnomon.numerics.parallel import blas_threads, map_chunks

if TYPE_CHECKING:
    from gnomon.kernels._base import Kernel

__all__ = ["evaluate", "evaluate_sparse"]

TILE = 240
"""Rows and columns of a tile: half a megabyte of float64. No power of two, at which the entries of a column would all
fall into a few sets of the cache, and a transposed copy take five times as long."""

PAIRS = 1 << 17
"""Pairs that are compared at once."""


def evaluate(kernel: "Kernel", P: Any, Q: Any, n_jobs: int | None = None) -> Floats:
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
    columns = [(J, Q.take(J)) for J in _cuts(m)]

    def fill(row: tuple[int, slice]) -> None:
        number, I = row
        # One object for both sides of a tile on the diagonal, which says that it is symmetric.
        rows = columns[number][1] if symmetric else P.take(I)
        for J, others in columns[number if symmetric else 0 :]:
            tile = kernel.cross(rows, others)
            K[I, J] = tile
            if symmetric and I != J:
                K[J, I] = tile.T

    threads = blas_threads() if n_jobs is None else n_jobs
    map_chunks(fill, enumerate(_cuts(n)), threads)
    return K


def evaluate_sparse(kernel: "Kernel", P: Any, Q: Any) -> Any:
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
    i, j = pattern.nonzero()
    parts = [kernel.pairs(P, Q, i[cut], j[cut]) for cut in _cuts(len(i), PAIRS)]
    values = np.concatenate(parts) if parts else np.empty(0)
    K = sparse.csr_array((values, (i, j)), shape=(len(P), len(Q)))
    K.eliminate_zeros()
    return K


def _cuts(n: int, size: int = TILE) -> Iterator[slice]:
    return (slice(start, min(start + size, n)) for start in range(0, n, size))
