"""The nearest centre of every row.

    z(i) = argminⱼ ‖xᵢ − cⱼ‖²,   the lowest index of several                                          (1)

Rows are taken in blocks that stay in the cache; their scores are a product of matrices, in single precision as long as
that decides most rows. With bounds from an earlier search only the rows whose centre may have changed are taken. Lloyd
(1982), doi:10.1109/TIT.1982.1056489.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gnomon._typing import Floats, Integers, Matrix, is_sparse
from gnomon.numerics.parallel import blas_threads, map_chunks, team
from gnomon.optim.center_bounds import (
    NO_MOVES,
    BlockSpace,
    CenterGroups,
    Centers,
    DistanceBounds,
    Moves,
    Tally,
    assign_rows,
    new_bounds,
    new_tally,
)
from gnomon.optim.center_distances import all_distances, center_rows, own_squares, row_chunks, row_unit

__all__ = ["CenterSearch", "distances_to", "nearest_center", "one_group", "shift_of", "squares_to_own"]

BLOCK = 2**17
"""Entries of a block of rows and scores: both stay in the cache of a core."""

UNDECIDED = 0.05
"""The share of rows that single precision leaves open from which on products are in double precision."""

Map = Callable[[Callable[[slice], Any], list[slice]], list[Any]]
"""What runs a function over pieces of the rows, as `team` gives it."""


class CenterSearch:
    """Rows, ready to be assigned to centres many times.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
        In units in which squares neither overflow nor vanish.
    shift : ndarray of shape (d,)
        About where the rows are, as `shift_of` has it; zero for a sparse matrix.
    n_centers : int
        How many there will be.
    run : callable
        What runs a function over pieces of the rows.

    References
    ----------
    Lloyd, S. (1982). Least squares quantization in PCM. doi:10.1109/TIT.1982.1056489

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.center_search import CenterSearch, one_group
    >>> search = CenterSearch(np.array([[0.0], [3.0]]), np.zeros(1), 2, lambda f, parts: [f(part) for part in parts])
    >>> labels = np.full(2, -1)
    >>> tallies = search.assign(np.array([[1.0], [5.0]]), np.ones(2), one_group(2), labels)
    >>> labels, tallies[0].weight
    (array([0, 0]), array([2., 0.]))
    """

    def __init__(self, X: Matrix, shift: Floats, n_centers: int, run: Map) -> None:
        self.precision = X.dtype if is_sparse(X) else np.dtype(np.float32)
        self.X, self.rows, self.shift, self.run = X, center_rows(X, self.precision), shift, run
        self.chunks = row_chunks(X.shape[0], n_centers * X.shape[1])
        self._spaces: list[BlockSpace] = []
        self._tallies: dict[int, Tally] = {}
        at_shift = np.zeros(X.shape[0], dtype=np.int64)
        self.norms = self.own_squares(shift[None].astype(X.dtype), at_shift)

    def own_squares(self, centers: Floats, labels: Integers) -> Floats:
        """‖xᵢ − c‖² for the centre of each row."""
        squares = np.empty(len(labels))
        self.run(lambda part: own_squares(self.rows, centers, labels, part.start, part.stop, squares), self.chunks)
        return squares

    def assign(
        self,
        centers: Floats,
        weights: Floats,
        groups: CenterGroups,
        labels: Integers,
        moves: Moves | None = None,
        bounds: DistanceBounds | None = None,
    ) -> list[Tally]:
        """Make `labels` those of (1), and say what that changed; with bounds, these are kept true.

        The tallies hold until the next call.
        """
        placed = self._placed(centers, groups)
        length = max(1, BLOCK // sum(centers.shape))
        steps, kept = NO_MOVES if moves is None else moves, new_bounds(0, 0) if bounds is None else bounds

        def work(part: slice) -> Tally:
            tally, space = self._tally(part.start, centers.shape), self._space(length, placed.twice)
            chunk = (part.start, part.stop)
            assign_rows(self.rows, weights, self.norms, placed, steps, kept, space, *chunk, labels, tally)
            self._spaces.append(space)
            return tally

        tallies = self.run(work, self.chunks)
        if self.precision != self.X.dtype and sum(tally.undecided[0] for tally in tallies) > UNDECIDED * len(labels):
            self.precision, self.rows = self.X.dtype, center_rows(self.X)
        return tallies

    def _placed(self, centers: Floats, groups: CenterGroups) -> Centers:
        """Centres about the shift."""
        offset = self.shift.astype(centers.dtype)
        C = centers - offset
        squares, twice = np.einsum("ij,ij->i", C, C).astype(self.precision), (-2.0 * C).astype(self.precision)
        # The products of sparse rows go along the centres, those of dense ones along the columns.
        twice = np.asfortranarray(twice) if is_sparse(self.X) else twice
        return Centers(centers, groups, self.shift, offset, twice, squares)

    def _tally(self, start: int, shape: tuple[int, ...]) -> Tally:
        """The tally of the rows that begin there, emptied: its memory is that of the last search."""
        tally = self._tallies.get(start)
        if tally is None or tally.sums.shape != shape:
            self._tallies[start] = tally = new_tally(*shape)
        for part in tally:
            part[...] = 0
        return tally

    def _space(self, length: int, twice: Floats) -> BlockSpace:
        """Memory for a block that no other thread has now."""
        try:
            space: BlockSpace | None = self._spaces.pop()
        except IndexError:
            space = None
        size = length * len(twice)
        if space is None or (len(space.found), len(space.scores), space.block.dtype) != (length, size, twice.dtype):
            width = 1 if is_sparse(self.X) else self.X.shape[1]
            block = np.empty(max(length * width, len(twice)), twice.dtype)
            space = BlockSpace(np.empty(length, dtype=np.int64), block, np.empty(size, twice.dtype))
        return space


def one_group(k: int) -> CenterGroups:
    """All centres in a group."""
    return CenterGroups(np.array([0, k]), np.zeros(k, dtype=np.int64), np.arange(k))


def shift_of(mean: Floats, spread: float) -> Floats:
    """What is subtracted from rows before products: their mean where it is far from zero, and otherwise nothing.

    With ‖mean‖² at most `spread`, the mean of ‖xᵢ − mean‖², the mean of ‖xᵢ‖² is at most twice that: the rounding of
    products hardly grows, and the rows need not be copied.
    """
    return mean if mean @ mean > spread else np.zeros_like(mean)


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
    unit = row_unit(X)
    X, centers = unit.inward(X.astype(dtype, copy=False)), unit.inward(np.array(centers, dtype, order="C"))
    mean = np.mean(centers, axis=0).astype(float)
    spread = float(np.sum(np.var(centers, axis=0, dtype=float)))
    shift = np.zeros(X.shape[1]) if is_sparse(X) else shift_of(mean, spread)
    labels = np.full(X.shape[0], -1)
    with team(n_jobs or blas_threads()) as run:
        search = CenterSearch(X, shift, len(centers), run)
        search.assign(centers, np.zeros(len(labels)), one_group(len(centers)), labels)
        return labels, unit.outward(search.own_squares(centers, labels), 2)


def squares_to_own(X: Matrix, centers: Floats, labels: Integers, *, n_jobs: int | None = None) -> Floats:
    """Squared distance of each row from the centre that its label says.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
    centers : ndarray of shape (k, d)
    labels : ndarray of int of shape (n,)
    n_jobs : int, optional
        Threads; by default as many as BLAS may use.

    Returns
    -------
    ndarray of shape (n,)

    References
    ----------
    Higham, N. J. (2002). Accuracy and stability of numerical algorithms, section 1.7. doi:10.1137/1.9780898718027

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import squares_to_own
    >>> squares_to_own(np.array([[0.0], [3.0]]), np.array([[1.0], [5.0]]), np.array([1, 0]))
    array([25.,  4.])
    """
    unit = row_unit(X)
    rows, C = center_rows(unit.inward(X)), unit.inward(np.array(centers, X.dtype, order="C"))
    squares, chunks = np.empty(X.shape[0]), row_chunks(X.shape[0], X.shape[1])
    map_chunks(
        lambda part: own_squares(rows, C, labels, part.start, part.stop, squares), chunks, n_jobs or blas_threads()
    )
    return unit.outward(squares, 2)


def distances_to(X: Matrix, centers: Floats, *, n_jobs: int | None = None) -> Floats:
    """Distances of all rows from all centres, each computed from the difference.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
    centers : ndarray of shape (k, d)
    n_jobs : int, optional
        Threads; by default as many as BLAS may use.

    Returns
    -------
    ndarray of shape (n, k)

    References
    ----------
    Higham, N. J. (2002). Accuracy and stability of numerical algorithms, section 1.7. doi:10.1137/1.9780898718027

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import distances_to
    >>> distances_to(np.array([[0.0, 3.0]]), np.array([[4.0, 0.0], [0.0, 0.0]]))
    array([[5., 3.]])
    """
    dtype, unit = np.result_type(X, centers), row_unit(X)
    X, centers = unit.inward(X.astype(dtype, copy=False)), unit.inward(np.array(centers, dtype, order="C"))
    rows, out = center_rows(X), np.empty((X.shape[0], len(centers)), dtype)
    chunks = row_chunks(X.shape[0], centers.size)
    map_chunks(lambda part: all_distances(rows, centers, part.start, part.stop, out), chunks, n_jobs or blas_threads())
    return unit.outward(out)
