"""k-means of rows that come in chunks.

    cⱼ ← Σ_chunks Σ_{i in j} sᵢ xᵢ / Σ_chunks Σ_{i in j} sᵢ                                            (1)

Lloyd's iteration is a sum over rows, so each pass over the chunks is one of its steps, in the memory of one chunk.
Lloyd (1982), doi:10.1109/TIT.1982.1056489.
"""

from collections.abc import Callable, Iterable
from functools import reduce
from operator import add

import numpy as np

from gnomon._typing import Floats, Matrix
from gnomon.numerics.streaming import Moments, group_moments
from gnomon.optim._kmeans import KMeansResult
from gnomon.optim.center_distances import dense_rows
from gnomon.optim.center_search import nearest_center
from gnomon.optim.solution import StopReason, Trace

__all__ = ["kmeans_chunks"]


def kmeans_chunks(
    read: Callable[[], Iterable[tuple[Matrix, Floats]]],
    centers: Floats,
    *,
    tol: float = 0.0,
    max_iter: int = 300,
    n_jobs: int | None = None,
) -> KMeansResult:
    """Minimise the cost of k-means by passes over chunks, from given centres.

    A centre without rows moves to the row of the pass that is farthest from its centre.

    Parameters
    ----------
    read : callable
        Begins a pass over pairs (rows, weights).
    centers : ndarray of shape (k, d)
    tol : float, default=0.0
        Stop when the centres move, in sum of squares, by at most this times the mean variance of the columns.
    max_iter : int, default=300
        Passes.
    n_jobs : int, optional

    Returns
    -------
    KMeansResult
        Without labels.

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
    centers, trace, n_iter, n_relocated = np.array(centers), Trace(), 0, 0
    reason: StopReason | None = None
    while True:
        sums, objective, far = _pass(read, centers, n_jobs)
        trace.add(n_iter, objective)
        if reason is not None or n_iter == max_iter:
            break
        empty = np.flatnonzero(sums.weight == 0.0)
        moved = np.where((sums.weight > 0.0)[:, None], sums.mean, centers)
        if len(empty):
            moved[empty[0]] = far
            n_relocated += 1
        moved = moved.astype(centers.dtype)
        step, centers, n_iter = float(np.sum((moved.astype(float) - centers) ** 2)), moved, n_iter + 1
        allowed = tol * float(np.mean(sums.pooled().covariance()))
        if step <= allowed:
            reason = "tol" if step > 0.0 else "no_change"
    labels = np.empty(0, dtype=np.int64)
    ended: StopReason = reason or "max_iter"
    return KMeansResult(centers, labels, objective, n_iter, reason is not None, trace.history, ended, n_relocated)


def _pass(
    read: Callable[[], Iterable[tuple[Matrix, Floats]]], centers: Floats, n_jobs: int | None
) -> tuple[Moments, float, Floats]:
    """The sums of each cluster, J, and the row that is farthest from its centre."""
    parts, objective, farthest, far = [], 0.0, -1.0, centers[0].astype(float)
    for X, weights in read():
        labels, squares = nearest_center(X, centers, n_jobs=n_jobs)
        parts.append(group_moments(X, labels, len(centers), weights, diagonal=True, n_jobs=n_jobs))
        objective += float(weights @ squares)
        i = int(np.argmax(np.where(weights > 0.0, squares, -1.0)))
        if squares[i] > farthest:
            farthest, far = float(squares[i]), dense_rows(X, [i])[0]
    return reduce(add, parts), objective, far
