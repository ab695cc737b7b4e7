"""The nearest rows by Euclidean distance, by comparison with every row.

    d² = ‖q − x‖²  ≥  ‖a‖² + ‖b‖² − 2 aᵀb − (d + 16) u (‖a‖ + ‖b‖)²                                (1)

a and b are q and x after a shift and a change of unit, rounded to a precision with unit roundoff u. The products are
one call of BLAS per tile. Only where the right-hand side of (1) does not exceed the k-th distance found so far is d²
computed, from the differences, in double precision: distances, ties and rows far from the origin are exact, and single
precision suffices for the screen. The bound is that of Higham (2002), Accuracy and Stability of Numerical Algorithms,
section 3.1, for sums of d products, with 16 u for the rounding of a, b, their squares and the sum of the three.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.extmath import row_norms

from gnomon._jit import jit, subroutine
from gnomon._typing import Floats, Integers, is_sparse
from gnomon.numerics.neighbors._heap import empty_heaps, offer, sort_heaps
from gnomon.numerics.neighbors._points import StoredRows, stored_rows
from gnomon.numerics.neighbors._radius import Pairs, RadiusNeighbors, from_pairs, joined_pairs
from gnomon.numerics.neighbors._result import (
    Neighbors,
    apart_from_far,
    pairs_apart_from_far,
    without_self,
)
from gnomon.numerics.parallel import blas_threads, split_rows, team
from gnomon.numerics.scale import PowerOfTwo

__all__ = ["EuclideanIndex", "euclidean_index"]

TILE = 256
"""Stored rows of a tile."""

BLOCK = 1024
"""Queries of a tile: a megabyte of float32 with `TILE` rows."""

TRIAL = 64
"""Queries that are searched first, to see how many comparisons the screen leaves."""

COARSE = 0.05
"""If single precision leaves more than this share of the comparisons, double precision is used for the others."""

LANES = 64
"""Entries of a tile that are compared with the cut at once."""

DENSE_ENTRIES = 2**22
"""Entries of a block of sparse queries that is made dense."""


@subroutine
def _may_hold(products: Floats, squares: Floats, cut: float) -> bool:
    """Whether any of the sums is not above the cut; without a branch, so that it is vectorised."""
    found = 0
    for j in range(products.shape[0]):
        found |= not (products[j] + squares[j] > cut)
    return found != 0


@jit
def screen_tile(
    products: Floats,
    squares: Floats,
    start: int,
    queries: Any,
    first: int,
    stored: Any,
    unit: float,
    slack: Floats,
    cuts: Floats,
    distances: Floats,
    rows: Integers,
) -> int:
    """Offer the rows of a tile that pass the screen (1) to the heaps of their queries; how many passed.

    `products` are −2 aᵀb, `squares` ‖b‖², `slack` the bound less ‖a‖², `unit` the square of the screen's unit.
    """
    passed = 0
    for i in range(products.shape[0]):
        # A cut has the precision of the products, so that they are compared without conversion.
        cuts[i] = distances[i, 0] * unit + slack[i]
        cut = cuts[i]
        for part in range(0, products.shape[1], LANES):
            stop = min(part + LANES, products.shape[1])
            if not _may_hold(products[i, part:stop], squares[part:stop], cut):
                continue
            for j in range(part, stop):
                if products[i, j] + squares[j] > cut:
                    continue
                passed += 1
                offer(distances[i], rows[i], queries.squared_distance(first + i, stored, start + j), start + j)
                cuts[i] = distances[i, 0] * unit + slack[i]
                cut = cuts[i]
    return passed


@jit
def count_tile(products: Floats, squares: Floats, cuts: Floats) -> int:
    """How many entries of a tile are not above the cuts of their queries."""
    passed = 0
    for i in range(products.shape[0]):
        for j in range(products.shape[1]):
            passed += not (products[i, j] + squares[j] > cuts[i])
    return passed


@jit
def fill_tile(
    products: Floats,
    squares: Floats,
    start: int,
    queries: Any,
    first: int,
    stored: Any,
    cuts: Floats,
    most: float,
    pairs: Pairs,
) -> int:
    """Write the pairs at most `most` apart, with their distances, to `pairs`; how many there are."""
    found = 0
    for i in range(products.shape[0]):
        for part in range(0, products.shape[1], LANES):
            stop = min(part + LANES, products.shape[1])
            if not _may_hold(products[i, part:stop], squares[part:stop], cuts[i]):
                continue
            for j in range(part, stop):
                if products[i, j] + squares[j] > cuts[i]:
                    continue
                apart = np.sqrt(queries.squared_distance(first + i, stored, start + j))
                if apart <= most:
                    pairs.queries[found], pairs.rows[found], pairs.distances[found] = first + i, start + j, apart
                    found += 1
    return found


class Screen(NamedTuple):
    """Stored rows shifted to their mean, in a unit in which none is longer than about one, in tiles."""

    tiles: list[Any]
    squares: Floats
    reach: Floats
    shift: Floats | None
    scale: float

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.squares.dtype

    def queries(self, Q: Any) -> tuple[Floats, Floats]:
        """−2a and ‖a‖ of other rows, dense, with the same shift and unit."""
        Q = Q.tocsr().toarray() if is_sparse(Q) else Q
        A = ((Q if self.shift is None else Q - self.shift) * self.scale).astype(self.dtype)
        norms = row_norms(A.astype(np.float64, copy=False))
        return A * A.dtype.type(-2.0), norms

    def slack(self, norms: Floats, number: int) -> Floats:
        """The last term of (1) for the rows of a tile, less ‖a‖²."""
        columns = self.tiles[number].shape[1]
        bound = (columns + 16) * float(np.finfo(self.dtype).eps) / 2.0
        return bound * (norms + self.reach[number]) ** 2 - norms**2

    def products(self, A: Floats, tile: Any, room: Floats) -> Floats:
        """A Bᵀ for the rows B of a tile, in `room`, without gaps: kernels are compiled for one layout."""
        m, n = len(A), tile.shape[0]
        out = room[: m * n].reshape(m, n)
        if isinstance(tile, np.ndarray):
            return np.matmul(A, tile.T, out=out)
        out[...] = (tile @ A.T).T
        return out


def make_screen(X: Any, dtype: Any) -> Screen:
    """The screen of rows X in some precision."""
    shift: Floats | None = None if is_sparse(X) else np.atleast_1d(np.mean(X, axis=0, dtype=np.float64))
    B: Any = X if shift is None else X - shift
    scale = 1.0 / PowerOfTwo.of(2.0, B).value
    B = (B * scale).astype(dtype)
    squares = row_norms(B.astype(np.float64, copy=False), squared=True)
    starts = range(0, X.shape[0], TILE)
    tiles = [B[start : start + TILE] for start in starts]
    reach = np.sqrt([np.max(squares[start : start + TILE]) for start in starts])
    return Screen(tiles, squares.astype(dtype), reach, shift, scale)


class EuclideanIndex(NamedTuple):
    """Rows that are searched by comparison with all of them.

    Fields
    ------
    stored : StoredRows
    screen : Screen

    References
    ----------
    Higham, N. J. (2002). Accuracy and Stability of Numerical Algorithms, section 3.1. doi:10.1137/1.9780898718027

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.neighbors._euclidean import euclidean_index
    >>> rows = 1e8 + np.array([[0.0], [1.0], [2.0], [1.0]])
    >>> euclidean_index(rows).nearest(np.array([[1e8 + 1.25]]), 3)
    Neighbors(indices=array([[1, 3, 2]]), distances=array([[0.25, 0.25, 0.75]]))
    """

    stored: StoredRows
    screen: Screen

    def __len__(self) -> int:
        return len(self.stored)

    def nearest(self, queries: Any, k: int, n_jobs: int | None = None) -> Neighbors:
        """The k nearest rows of each query."""
        return apart_from_far(queries, self.stored.largest, k, 2.0, lambda rows: self._search(rows, k, n_jobs))

    def nearest_others(self, k: int, n_jobs: int | None = None) -> Neighbors:
        """The k nearest rows of each row, itself left out."""
        return without_self(self.nearest(self.stored.values * self.stored.unit, k + 1, n_jobs))

    def within(self, queries: Any, radius: float, n_jobs: int | None = None) -> RadiusNeighbors:
        """All rows at most `radius` from each query."""
        asked = self.stored.values * self.stored.unit if queries is None else queries
        n, largest = len(self), self.stored.largest
        pairs = pairs_apart_from_far(asked, largest, n, radius, 2.0, lambda rows: self._near(rows, radius, n_jobs))
        everything = from_pairs(pairs, asked.shape[0], n)
        return everything.without_self() if queries is None else everything

    def _near(self, queries: Any, radius: float, n_jobs: int | None) -> Pairs:
        Q = self.stored.like(queries)
        dense_columns = Q.values.shape[1] if is_sparse(Q.values) else 0
        with team(blas_threads() if n_jobs is None else n_jobs) as run:
            first, others = _blocks(len(Q), dense_columns, run.n_jobs)
            pairs = joined_pairs(run(lambda block: pairs_in_block(self, Q, block, radius), [first, *others]))
        return pairs._replace(distances=pairs.distances * self.stored.unit)

    def _search(self, queries: Any, k: int, n_jobs: int | None) -> Neighbors:
        Q = self.stored.like(queries)
        heaps = empty_heaps(len(Q), k)
        screen, dense_columns = self.screen, Q.values.shape[1] if is_sparse(Q.values) else 0
        with team(blas_threads() if n_jobs is None else n_jobs) as run:
            first, others = _blocks(len(Q), dense_columns, run.n_jobs)
            (passed,) = run(lambda block: search_block(self.stored, screen, Q, block, heaps), [first])
            if passed > COARSE and screen.dtype != np.float64:
                screen = make_screen(self.stored.values, np.float64)
            run(lambda block: search_block(self.stored, screen, Q, block, heaps), others)
        distances, rows = heaps
        sort_heaps(distances, rows)
        return Neighbors(rows, np.sqrt(distances) * self.stored.unit)


def euclidean_index(X: Any) -> EuclideanIndex:
    """An index of the rows of a dense or sparse matrix."""
    stored = stored_rows(X)
    return EuclideanIndex(stored, make_screen(stored.values, np.float64 if is_sparse(stored.values) else np.float32))


def search_block(
    stored: StoredRows, screen: Screen, Q: StoredRows, block: slice, heaps: tuple[Floats, Integers]
) -> float:
    """Fill the heaps of a block of queries; the share of comparisons that passed the screen."""
    A, norms = screen.queries(Q.values[block])
    cuts, room = np.empty(len(A), dtype=A.dtype), np.empty(len(A) * TILE, dtype=A.dtype)
    distances, rows = heaps[0][block], heaps[1][block]
    passed = 0
    for number, tile in enumerate(screen.tiles):
        start = number * TILE
        slack = screen.slack(norms, number)
        squares = screen.squares[start : start + tile.shape[0]]
        products = screen.products(A, tile, room)
        passed += screen_tile(
            products, squares, start, Q.compiled, block.start, stored.compiled, screen.scale**2, slack, cuts,
            distances, rows,
        )  # fmt: skip
    return passed / (len(A) * len(stored))


def pairs_in_block(index: EuclideanIndex, Q: StoredRows, block: slice, radius: float) -> Pairs:
    """The pairs of a block of queries and stored rows at most `radius` apart, in the unit of the index."""
    stored, screen = index
    A, norms = screen.queries(Q.values[block])
    room, most = np.empty(len(A) * TILE, dtype=A.dtype), radius / stored.unit
    parts = []
    for number, tile in enumerate(screen.tiles):
        start = number * TILE
        slack = screen.slack(norms, number)
        with np.errstate(over="ignore"):  # a cut of infinity lets every row pass
            cuts = (np.square(most * screen.scale) * (1.0 + 1e-6) + slack).astype(A.dtype)
        squares = screen.squares[start : start + tile.shape[0]]
        products = screen.products(A, tile, room)
        size = count_tile(products, squares, cuts)
        pairs = Pairs(np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64), np.empty(size))
        found = fill_tile(products, squares, start, Q.compiled, block.start, stored.compiled, cuts, most, pairs)
        parts.append(Pairs(pairs.queries[:found], pairs.rows[:found], pairs.distances[:found]))
    return joined_pairs(parts)


def _blocks(m: int, dense_columns: int, threads: int) -> tuple[slice, list[slice]]:
    """Queries in a small block, then in equal ones, as many for each thread; smaller where sparse ones become dense."""
    size = max(1, min(BLOCK, DENSE_ENTRIES // max(1, dense_columns)))
    first = min(TRIAL, size, m)
    count = threads * -(-(m - first) // (size * threads))
    return slice(0, first), [slice(first + b.start, first + b.stop) for b in split_rows(m - first, count) if m > first]
