"""k-means of rows that come in chunks.

    cⱼ ← Σ_chunks Σ_{i in j} sᵢ xᵢ / Σ_chunks Σ_{i in j} sᵢ                                            (1)

Lloyd's iteration is a sum over rows, so each pass over the chunks is one of its steps, in the memory of one chunk; the
bound on the cost is made of such sums too. Lloyd (1982), doi:10.1109/TIT.1982.1056489.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from operator import add
from typing import NamedTuple, TypeAlias

import numpy as np

from gnomon._typing import Floats, Matrix, is_sparse
from gnomon.numerics.scale import PowerOfTwo, largest_entry
from gnomon.numerics.streaming import Moments, group_moments
from gnomon.optim.center_distances import SIZES, dense_rows
from gnomon.optim.center_search import nearest_center
from gnomon.optim.kmeans_certificate import BoundSums, bound_of_sums
from gnomon.optim.solution import Callback, History, StopReason, Trace

__all__ = ["ChunkedKMeans", "kmeans_chunks"]

Reader: TypeAlias = Callable[[], Iterable[tuple[Matrix, Floats]]]
"""Begins a pass over pairs (rows, weights)."""


class ChunkedKMeans(NamedTuple):
    """The end of Lloyd's iteration over chunks.

    Fields
    ------
    centers : ndarray of shape (k, d)
    objective : float
        The cost J.
    n_iter : int
        How often centres were moved, or found not to move.
    converged : bool
    history : dict of str to ndarray
    stop_reason : str
    n_relocated : int
    spread : ndarray of shape (k,)
        The root mean square of the distances of the rows of each centre.
    radius : float
        The largest distance of a row from its centre.
    lower_bound : float
        No centres have a lower J; nan where it was not asked for.

    References
    ----------
    Lloyd, S. (1982). Least squares quantization in PCM. doi:10.1109/TIT.1982.1056489

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import kmeans_chunks
    >>> X = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> found = kmeans_chunks(lambda: [(X[:3], np.ones(3)), (X[3:], np.ones(1))], X[:2], certificate=True)
    >>> found.spread, found.radius, round(found.lower_bound, 9)
    (array([0.5, 0.5]), 0.5, 0.0)
    """

    centers: Floats
    objective: float
    n_iter: int
    converged: bool
    history: History
    stop_reason: StopReason
    n_relocated: int
    spread: Floats
    radius: float
    lower_bound: float


def kmeans_chunks(
    read: Reader,
    centers: Floats,
    *,
    tol: float = 0.0,
    max_iter: int = 300,
    certificate: bool = False,
    callback: Callback | None = None,
    n_jobs: int | None = None,
) -> ChunkedKMeans:
    """Minimise the cost of k-means by passes over chunks, from given centres.

    A pass before them finds the unit of the rows, another one the bound where it is asked for. Of the centres without
    rows the first moves, in each pass, to the row that is farthest from its centre.

    Parameters
    ----------
    read : callable
        Begins a pass over pairs (rows, weights).
    centers : ndarray of shape (k, d)
    tol : float, default=0.0
        Stop when the centres move, in sum of squares, by at most this times the mean variance of the columns.
    max_iter : int, default=300
        Passes.
    certificate : bool, default=False
        Compute the lower bound.
    callback : callable, optional
        Called with each row of the history; True stops.
    n_jobs : int, optional

    Returns
    -------
    ChunkedKMeans

    References
    ----------
    Lloyd, S. (1982). Least squares quantization in PCM. doi:10.1109/TIT.1982.1056489

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import kmeans_chunks
    >>> X = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> found = kmeans_chunks(lambda: [(X[:3], np.ones(3)), (X[3:], np.ones(1))], X[:2])
    >>> found.centers.ravel(), found.objective
    (array([ 0.5, 10.5]), 1.0)
    """
    unit, bound = _first_look(read, len(centers), certificate, n_jobs)
    trace, n_iter, n_relocated = Trace(callback), 0, 0
    centers = unit.inward(np.array(centers))
    now = _pass(read, unit, centers, n_jobs)
    allowed = tol * now.variance
    reason: StopReason | None = "callback" if trace.add(0, unit.outward(now.objective, 2)) else None
    try:
        while reason is None and n_iter < max_iter:
            moved, n_moved = now.means(centers)
            change = float(np.sum((moved.astype(float) - centers) ** 2))
            if change == 0.0:
                reason, n_iter = "no_change", n_iter + 1
                break
            now, centers, n_iter = _pass(read, unit, moved, n_jobs), moved, n_iter + 1
            n_relocated += n_moved
            asked = trace.add(n_iter, unit.outward(now.objective, 2))
            reason = "tol" if change <= allowed and not n_moved else "callback" if asked else None
    except KeyboardInterrupt:
        reason = "interrupted"
    ended: StopReason = reason or "max_iter"
    return ChunkedKMeans(
        unit.outward(centers),
        float(unit.outward(now.objective, 2)),
        n_iter,
        ended in ("tol", "no_change"),
        trace.history,
        ended,
        n_relocated,
        unit.outward(now.spread),
        float(unit.outward(np.sqrt(now.farthest))),
        float(unit.outward(bound, 2)),
    )


class _Pass(NamedTuple):
    """What one pass over the chunks finds for some centres.

    Fields
    ------
    groups : Moments
        Of the rows of each centre.
    squares : ndarray of shape (k,)
        Σ s ‖x − c‖² of the rows of each centre.
    far : ndarray of shape (d,)
        The row that is farthest from its centre, and `farthest` the square of that distance.
    """

    groups: Moments
    squares: Floats
    far: Floats
    farthest: float

    @property
    def objective(self) -> float:
        """J."""
        return float(np.sum(self.squares))

    @property
    def variance(self) -> float:
        """The mean variance of the columns over all rows."""
        inside = self.groups.pooled()
        between = np.asarray(self.groups.weight) @ (self.groups.mean - inside.mean) ** 2
        return float(np.mean(inside.scatter + between) / inside.weight)

    @property
    def spread(self) -> Floats:
        """Root mean squares of the distances."""
        weight = np.asarray(self.groups.weight)
        return np.sqrt(np.divide(self.squares, weight, out=np.zeros_like(weight), where=weight > 0.0))

    def means(self, centers: Floats) -> tuple[Floats, int]:
        """The means of the rows, and how many of the centres without rows went to one."""
        empty = np.flatnonzero(np.asarray(self.groups.weight) == 0.0)
        moved = self.groups.mean.copy()
        moved[empty] = centers[empty]
        if not len(empty) or self.farthest == 0.0:
            return moved.astype(centers.dtype), 0
        moved[empty[0]] = self.far
        return moved.astype(centers.dtype), 1


def _pass(read: Reader, unit: PowerOfTwo, centers: Floats, n_jobs: int | None) -> _Pass:
    """The rows of all chunks assigned to the nearest centres, in multiples of the unit."""
    parts, squares, farthest, far = [], np.zeros(len(centers)), -1.0, centers[0].astype(float)
    for chunk, weights in read():
        X = unit.inward(chunk)
        labels, apart = nearest_center(X, centers, n_jobs=n_jobs)
        parts.append(group_moments(X, labels, len(centers), weights, diagonal=True, n_jobs=n_jobs))
        squares += np.bincount(labels, weights * apart, len(centers))
        i = int(np.argmax(np.where(weights > 0.0, apart, -1.0)))
        if apart[i] > farthest:
            farthest, far = float(apart[i]), dense_rows(X, [i])[0]
    return _Pass(reduce(add, parts), squares, far, farthest)


def _first_look(read: Reader, k: int, certificate: bool, n_jobs: int | None) -> tuple[PowerOfTwo, float]:
    """The unit of the rows, and the bound on J in squares of it; nan where it was not asked for."""
    unit = PowerOfTwo.of(max(largest_entry(X) for X, _ in read()), within=SIZES)
    if not certificate:
        return unit, np.nan
    sums, shift = list[BoundSums](), None
    for chunk, weights in read():
        X = unit.inward(chunk)
        if not is_sparse(X):
            # About one place for all chunks, near the rows: else the differences of their means would lose digits.
            shift = X.mean(axis=0) if shift is None else shift
            X = X - shift
        sums.append(BoundSums.of(X, weights, n_jobs=n_jobs))
    return unit, bound_of_sums(reduce(add, sums), k)
