"""k-means.

    minimise over centres c₁ … c_k    Σᵢ sᵢ minⱼ ‖xᵢ − cⱼ‖²                                           (1)

Lloyd's iteration assigns every row to its nearest centre and moves every centre to the mean of its rows; neither step
raises (1). Lloyd (1982), doi:10.1109/TIT.1982.1056489; seeds drawn in proportion to the squared distance from those
already drawn, the best of several trials each: Arthur & Vassilvitskii (2007), k-means++, ACM SODA.
"""

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._typing import ArrayLike, Floats, Integers
from gnomon.numerics.parallel import blas_threads, map_chunks, split_rows
from gnomon.numerics.streaming import group_moments
from gnomon.numerics.validation import check_choice, check_integer, check_non_negative
from gnomon.optim.solution import History

__all__ = ["KMeansResult", "kmeans", "nearest_center", "seed_centers"]

Generator: TypeAlias = np.random.Generator | np.random.RandomState


class KMeansResult(NamedTuple):
    """The end of Lloyd's iteration.

    Parameters
    ----------
    centers : ndarray of shape (k, d)
    labels : ndarray of int of shape (n,)
        The nearest centre of every row; the lowest index of several.
    objective : float
        The value of (1).
    n_iter : int
    converged : bool
        Whether no label changed, or the centres moved by less than `tol`.
    history : dict of str to ndarray
        "iteration" and "objective".

    References
    ----------
    Lloyd, S. (1982). Least squares quantization in PCM. doi:10.1109/TIT.1982.1056489

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import kmeans
    >>> result = kmeans(np.array([[0.0], [1.0], [10.0], [11.0]]), np.array([[0.0], [1.0]]))
    >>> result.centers.ravel(), result.objective, result.converged
    (array([ 0.5, 10.5]), 1.0, True)
    """

    centers: Floats
    labels: Integers
    objective: float
    n_iter: int
    converged: bool
    history: History


def kmeans(
    X: Floats,
    centers: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    tol: float = 0.0,
    max_iter: int = 300,
    n_jobs: int | None = None,
) -> KMeansResult:
    """Minimise (1) by Lloyd's iteration from given centres.

    A centre that loses all its rows moves to the row that is farthest from its own centre.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    centers : ndarray of shape (k, d)
        Where to start; see `seed_centers`.
    sample_weight : ndarray of shape (n,), optional
    tol : float, default=0.0
        Stop when the centres move, in sum of squares, by at most this times the mean variance of the columns.
    max_iter : int, default=300
    n_jobs : int, optional
        Threads; by default as many as BLAS may use.

    Returns
    -------
    KMeansResult

    References
    ----------
    Lloyd, S. (1982). Least squares quantization in PCM. doi:10.1109/TIT.1982.1056489

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import kmeans
    >>> kmeans(np.array([[0.0], [4.0]]), np.array([[1.0]]), sample_weight=np.array([3.0, 1.0])).centers
    array([[1.]])
    """
    check_non_negative("tol", tol)
    check_integer("max_iter", max_iter, low=1)
    centers = np.array(centers, dtype=float)
    weights = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    total = group_moments(X, np.zeros(len(X), dtype=int), 1, weights, diagonal=True, n_jobs=n_jobs)
    allowed = tol * float(np.mean(total.covariance()))
    labels, values, converged = np.full(len(X), -1), [], False
    for _ in range(max_iter):
        last = labels
        labels, squares = nearest_center(X, centers, n_jobs=n_jobs)
        values.append(float(weights @ squares))
        if np.array_equal(labels, last):
            converged = True
            break
        moved = _means(X, labels, squares, weights, centers, n_jobs)
        step, centers = float(np.sum((moved - centers) ** 2)), moved
        if tol > 0.0 and step <= allowed:
            converged = True
            labels, squares = nearest_center(X, centers, n_jobs=n_jobs)
            values.append(float(weights @ squares))
            break
    history = {"iteration": np.arange(len(values)), "objective": np.array(values)}
    return KMeansResult(centers, labels, values[-1], len(values), converged, history)


def nearest_center(X: Floats, centers: Floats, *, n_jobs: int | None = None) -> tuple[Integers, Floats]:
    """The nearest of the centres for every row, and the squared distance to it.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    centers : ndarray of shape (k, d)
    n_jobs : int, optional

    Returns
    -------
    labels : ndarray of int of shape (n,)
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
    shift = np.mean(centers, axis=0)
    C = centers - shift
    norms = np.sum(C * C, axis=1)

    def work(rows: slice) -> tuple[Integers, Floats]:
        labels, squares = np.empty(rows.stop - rows.start, dtype=np.int64), np.empty(rows.stop - rows.start)
        block = max(1, 2**16 // (len(C) + X.shape[1]))
        for start in range(rows.start, rows.stop, block):
            here = slice(start, min(start + block, rows.stop))
            there = slice(start - rows.start, here.stop - rows.start)
            labels[there] = np.argmin(norms - 2.0 * ((X[here] - shift) @ C.T), axis=1)
            # The distance is computed from the difference, without cancellation.
            apart = X[here] - centers[labels[there]]
            squares[there] = np.einsum("ij,ij->i", apart, apart, dtype=float)
        return labels, squares

    chunks = split_rows(len(X), max(1, min(16, X.size * len(C) // 2**18)))
    labels, squares = zip(*map_chunks(work, chunks, n_jobs or blas_threads()), strict=True)
    return np.concatenate(labels), np.concatenate(squares)


def seed_centers(
    X: Floats,
    k: int,
    random_state: Generator,
    sample_weight: ArrayLike | None = None,
    *,
    method: Literal["k-means++", "random"] = "k-means++",
    n_trials: int | None = None,
) -> Integers:
    """k rows of X to start from.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    k : int
        At most the number of rows of positive weight.
    random_state : numpy.random.RandomState or Generator
    sample_weight : ndarray of shape (n,), optional
    method : {"k-means++", "random"}, default="k-means++"
        "random" takes k different rows, in proportion to their weights.
    n_trials : int, optional
        Candidates for each centre, of which the best is kept; 2 + log k by default.

    Returns
    -------
    ndarray of int of shape (k,)
        Which rows.

    References
    ----------
    Arthur, D. & Vassilvitskii, S. (2007). k-means++: the advantages of careful seeding. ACM-SIAM SODA, 1027-1035.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import seed_centers
    >>> X = np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> sorted((seed_centers(X, 2, np.random.default_rng(0)) > 1).tolist())
    [False, True]
    """
    check_choice("method", method, ["k-means++", "random"])
    weights = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    check_integer("k", k, low=1, high=int(np.count_nonzero(weights)))
    share = weights / np.sum(weights)
    if method == "random":
        return random_state.choice(len(X), size=k, replace=False, p=share)
    trials = n_trials or 2 + int(np.log(k))
    chosen = [int(random_state.choice(len(X), p=share))]
    closest = np.sum((X - X[chosen[0]]) ** 2, axis=1, dtype=float)
    for _ in range(1, k):
        best, closest = _best_trial(X, closest, weights, trials, random_state, chosen)
        chosen.append(best)
    return np.array(chosen)


def _best_trial(
    X: Floats, closest: Floats, weights: Floats, trials: int, random_state: Generator, chosen: list[int]
) -> tuple[int, Floats]:
    """The candidate that leaves the least sum of squares, and the distances after it."""
    mass = closest * weights
    if not np.sum(mass) > 0.0:
        # All rows coincide with a seed: any other row will do.
        return int(np.setdiff1d(np.flatnonzero(weights > 0.0), chosen)[0]), closest
    candidates = random_state.choice(len(X), size=trials, p=mass / np.sum(mass))
    after = [np.minimum(closest, np.sum((X - X[row]) ** 2, axis=1, dtype=float)) for row in candidates]
    best = int(np.argmin([weights @ squares for squares in after]))
    return int(candidates[best]), after[best]


def _means(
    X: Floats, labels: Integers, squares: Floats, weights: Floats, centers: Floats, n_jobs: int | None
) -> Floats:
    parts = group_moments(X, labels, len(centers), weights, diagonal=True, n_jobs=n_jobs)
    empty = np.flatnonzero(parts.weight == 0.0)
    means = parts.mean.copy()
    means[empty] = X[np.argsort(-squares * weights, kind="stable")[: empty.size]]
    return means
