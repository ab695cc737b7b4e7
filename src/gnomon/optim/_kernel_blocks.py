"""Blocks and products of a kernel matrix that is never whole.

    K[W, W] for a working set W,    Σ_{k in W} δ_k K[k, ·]                                            (1)

Where K = XXᵀ has few columns X, the second is X(X_Wᵀδ): the weights of a linear model, and no row of K at all.
Rows of K are evaluated in tiles, as many threads as BLAS has, and kept in a buffer of bounded size; when it is full,
rows that were not used for longest give way. Joachims (1999), Making large-scale SVM learning practical, section 11.4.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from gnomon._jit import jit_no_alloc
from gnomon._typing import Floats, Integers, is_sparse
from gnomon.kernels import Against, Linear
from gnomon.numerics.gather import collect_columns
from gnomon.numerics.parallel import blas_threads, map_chunks, map_tiles

__all__ = ["FeatureRows", "KernelBlocks", "RowCache", "kernel_blocks"]

TILE = 512
"""Columns of a tile."""

SMALL = 1 << 22
"""Up to so many entries of rows are added sooner than a second thread wakes."""

WIDE = 2048
"""Most columns of a dense X for which products with it are cheaper than rows of K."""


class KernelBlocks(Protocol):
    """What gives (1): n rows, of which a working set has at most `capacity`, as `dtype`."""

    against: Against
    n: int
    capacity: int
    dtype: Any

    def block(self, chosen: Integers) -> Floats: ...

    def combine(self, chosen: Integers, coefficients: Floats) -> Floats: ...

    def keep(self, active: Integers) -> None: ...


def kernel_blocks(against: Against, megabytes: float) -> KernelBlocks:
    """The way that suits a kernel."""
    return FeatureRows(against) if is_inner(against) else RowCache(against, megabytes)


def is_inner(against: Against) -> bool:
    """Whether K is XXᵀ with columns few enough for products with X."""
    kernel, X = against.kernel, against.prepared
    return isinstance(kernel, Linear) and kernel.coef0 == 0.0 and (is_sparse(X.values) or X.values.shape[1] <= WIDE)


class FeatureRows:
    """K = XXᵀ by its columns.

    Parameters
    ----------
    against : Against
        The linear kernel and its rows, dense or sparse.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import Linear
    >>> from gnomon.optim._kernel_blocks import FeatureRows
    >>> FeatureRows(Linear().against(np.array([[1.0], [2.0], [3.0]]))).combine(np.array([0, 2]), np.array([1.0, -1.0]))
    array([-2., -4., -6.])
    """

    def __init__(self, against: Against) -> None:
        self._set(against)

    def _set(self, against: Against) -> None:
        self.against, self._X = against, against.prepared.values
        self.n = self.capacity = self._X.shape[0]
        self.dtype = self._X.dtype

    def block(self, chosen: Integers) -> Floats:
        """K[W, W]."""
        return self.against.take(chosen).matrix().astype(float, copy=False)

    def combine(self, chosen: Integers, coefficients: Floats) -> Floats:
        """X(X_Wᵀδ)."""
        weights = self._X[chosen].T @ coefficients
        return np.asarray(self._X @ weights).astype(float, copy=False)

    def keep(self, active: Integers) -> None:
        """Leave out all rows but the active ones, which are numbered anew."""
        self._set(self.against.take(active))


class RowCache:
    """Rows of K(B, B) on demand.

    Parameters
    ----------
    against : Against
        A kernel and the rows B.
    megabytes : float
        The most that rows may take.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import Linear
    >>> from gnomon.optim._kernel_blocks import RowCache
    >>> cache = RowCache(Linear().against(np.array([[1.0], [2.0], [3.0]])), megabytes=1.0)
    >>> cache.block(np.array([0, 2]))
    array([[1., 3.],
           [3., 9.]])
    >>> cache.combine(np.array([0, 2]), np.array([1.0, -1.0]))
    array([-2., -4., -6.])
    """

    def __init__(self, against: Against, megabytes: float) -> None:
        self.against, self.n = against, len(against.prepared)
        one = against.rows(np.arange(1))
        self.capacity = min(self.n, int(megabytes * 2**20 // (one.itemsize * self.n)))
        if self.capacity < 2 <= self.n:
            least = 2 * one.itemsize * self.n / 2**20
            raise ValueError(
                f"cache_size={megabytes!r} MB holds {self.capacity} of the {self.n} rows of the kernel matrix, and a "
                f"step needs 2; give at least {least:.2g}"
            )
        self.dtype = one.dtype
        self._buffer = np.empty(self.capacity * self.n, dtype=one.dtype)
        self._forget()

    def _forget(self) -> None:
        self._rows = self._buffer[: self.capacity * self.n].reshape(self.capacity, self.n)
        self._place = np.full(self.n, -1)
        self._owner = np.full(self.capacity, -1)
        self._used = np.zeros(self.capacity, dtype=np.int64)
        self._clock = 0
        width = self.n if self.against.kernel.whole else TILE
        # Cut once: of sparse rows each cut is a copy.
        self._columns = [(J, self.against.prepared.take(J)) for J in self._cuts(width)]

    def block(self, chosen: Integers) -> Floats:
        """K[W, W]; the rows of W are in the cache afterwards, unless W is all of them: none is needed then."""
        if len(chosen) == self.n:
            return self.against.matrix().astype(float, copy=True)
        self._fetch(chosen)
        K = np.empty((len(chosen), len(chosen)))
        collect_columns(K, self._rows, self._place[chosen], chosen)
        return K

    def combine(self, chosen: Integers, coefficients: Floats) -> Floats:
        """Σ_k δ_k K[k, ·] over the chosen rows, from the cache where they are in it."""
        moved = coefficients != 0.0
        chosen, coefficients = chosen[moved], coefficients[moved]
        kept = self._place[chosen] >= 0
        sums = np.zeros(self.n)
        if not np.all(kept):
            sums += self.against.combine_rows(chosen[~kept], coefficients[~kept])
        slots, given = self._place[chosen[kept]], coefficients[kept]

        def work(J: slice) -> None:
            add_rows(sums, self._rows, slots, given, J.start, J.stop)

        threads = blas_threads() if len(slots) * self.n > SMALL else 1
        map_chunks(work, self._cuts(), threads)
        return sums

    def multiply(self, chosen: Integers, B: Floats) -> Floats:
        """K[·, W] B for a matrix B with a row for each of W; rows of W are in the cache then, as far as they fit."""
        product = np.zeros((self.n, B.shape[1]))
        size = min(self.capacity, TILE)
        for start in range(0, len(chosen), size):
            part = chosen[start : start + size]
            self._fetch(part)
            product += self._rows[self._place[part]].T @ B[start : start + size].astype(self.dtype)
        return product

    def keep(self, active: Integers) -> None:
        """Leave out all rows and columns but the active ones, which are numbered anew."""
        owners, n = self._owner, len(active)
        number = np.full(self.n, -1)
        number[active] = np.arange(n)
        slots = np.flatnonzero((owners >= 0) & (number[owners] >= 0))
        compress_rows(self._buffer, slots, active, self.n)
        held, stamps, clock = number[owners[slots]], self._used[slots], self._clock
        self.against, self.n = self.against.take(active), n
        self.capacity = min(n, len(self._buffer) // n)
        self._forget()
        self._owner[: len(held)], self._used[: len(held)], self._clock = held, stamps, clock
        self._place[held] = np.arange(len(held))

    def _cuts(self, width: int = TILE) -> list[slice]:
        return [slice(start, min(start + width, self.n)) for start in range(0, self.n, width)]

    def _fetch(self, chosen: Integers) -> None:
        self._clock += 1
        here = self._place[chosen]
        self._used[here[here >= 0]] = self._clock
        missing = chosen[here < 0]
        if not len(missing):
            return
        slots = np.argsort(self._used, kind="stable")[: len(missing)]
        self._place[self._owner[slots][self._owner[slots] >= 0]] = -1
        self._owner[slots], self._place[missing], self._used[slots] = missing, slots, self._clock
        rows = self.against.prepared.take(missing)

        def work(tile: tuple[slice, Any]) -> None:
            J, columns = tile
            self._rows[slots, J] = self.against.kernel.cross(rows, columns)

        map_tiles(work, self._columns, blas_threads())


@jit_no_alloc
def add_rows(sums: Floats, rows: Floats, slots: Integers, coefficients: Floats, start: int, stop: int) -> None:
    """sums[start:stop] += Σ_k coefficients[k] rows[slots[k], start:stop], four rows in each pass over the sums."""
    alone = len(slots) % 4
    for k in range(alone):
        c, row = coefficients[k], rows[slots[k]]
        for j in range(start, stop):
            sums[j] += c * row[j]
    for k in range(alone, len(slots), 4):
        c0, c1, c2, c3 = coefficients[k], coefficients[k + 1], coefficients[k + 2], coefficients[k + 3]
        r0, r1, r2, r3 = rows[slots[k]], rows[slots[k + 1]], rows[slots[k + 2]], rows[slots[k + 3]]
        for j in range(start, stop):
            sums[j] += (c0 * r0[j] + c1 * r1[j]) + (c2 * r2[j] + c3 * r3[j])


@jit_no_alloc
def compress_rows(buffer: Floats, slots: Integers, active: Integers, width: int) -> None:
    """Move the active columns of the rows in `slots` to the front of the buffer, one row after the other."""
    at = 0
    for slot in slots:
        for j in active:
            buffer[at] = buffer[slot * width + j]
            at += 1
