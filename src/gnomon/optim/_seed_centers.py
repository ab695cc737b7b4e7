"""Rows to start k-means from.

    P(i) = sᵢ D²(i) / Σ s D²,      D(i) = distance of row i from the nearest row that was chosen          (1)

Arthur & Vassilvitskii (2007), k-means++, ACM-SIAM SODA, 1027–1035: one draw for each centre makes the expected cost at
most 8 (ln k + 2) times the least; the best of several draws is better in practice, but without that guarantee. The
farthest row instead of a random one: Gonzalez (1985), doi:10.1016/0304-3975(85)90224-5, covers the rows by balls of at
most twice the least radius.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from gnomon._jit import jit
from gnomon._typing import ArrayLike, Floats, Integers, Matrix
from gnomon.numerics.parallel import blas_threads, map_chunks
from gnomon.numerics.validation import check_choice, check_integer
from gnomon.optim.center_distances import Rows, center_rows, dense_rows, row_chunks, row_unit

__all__ = ["Generator", "seed_centers"]

Generator: TypeAlias = np.random.Generator | np.random.RandomState


def seed_centers(
    X: Matrix,
    k: int,
    random_state: Generator,
    sample_weight: ArrayLike | None = None,
    *,
    method: Literal["k-means++", "random", "farthest"] = "k-means++",
    n_trials: int | None = None,
    first: int | None = None,
    n_jobs: int | None = None,
) -> Integers:
    """k rows of X to start from.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
    k : int
        At most the number of rows of positive weight.
    random_state : numpy.random.RandomState or Generator
    sample_weight : ndarray of shape (n,), optional
    method : {"k-means++", "random", "farthest"}, default="k-means++"
        "random" takes k different rows, in proportion to their weights; "farthest" the row that is farthest from those
        it has.
    n_trials : int, optional
        Candidates of "k-means++" for each centre, of which the best is kept; 2 + log k by default.
    first : int, optional
        The row to begin with; drawn in proportion to the weights by default.
    n_jobs : int, optional
        Threads; by default as many as BLAS may use. They do not change the result.

    Returns
    -------
    ndarray of int of shape (k,)
        Which rows.

    References
    ----------
    Arthur, D. & Vassilvitskii, S. (2007). k-means++: the advantages of careful seeding. ACM-SIAM SODA, 1027-1035.

    Gonzalez, T. (1985). Clustering to minimize the maximum intercluster distance. doi:10.1016/0304-3975(85)90224-5

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import seed_centers
    >>> X = np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> sorted((seed_centers(X, 2, np.random.default_rng(0)) > 1).tolist())
    [False, True]
    >>> seed_centers(X, 3, np.random.default_rng(0), method="farthest", first=1)
    array([1, 3, 0])
    """
    check_choice("method", method, ["k-means++", "random", "farthest"])
    n = X.shape[0]
    weights = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    check_integer("k", k, low=1, high=int(np.count_nonzero(weights)))
    share = weights / np.sum(weights)
    if method == "random":
        return random_state.choice(n, size=k, replace=False, p=share)
    start = int(random_state.choice(n, p=share)) if first is None else check_integer("first", first, 0, n - 1)
    seeds = _Seeds(row_unit(X).inward(X), weights, start, n_jobs or blas_threads())
    trials = 2 + int(np.log(k)) if n_trials is None else check_integer("n_trials", n_trials, 1)
    for _ in range(1, k):
        seeds.add(seeds.drawn(trials, random_state) if method == "k-means++" else seeds.farthest())
    return np.array(seeds.chosen)


class _Seeds:
    """The rows that were chosen, and for each row which of them is nearest, and how near."""

    def __init__(self, X: Matrix, weights: Floats, start: int, n_jobs: int) -> None:
        self.X, self.rows, self.weights, self.n_jobs = X, center_rows(X), weights, n_jobs
        self.chunks = row_chunks(X.shape[0], 8 * X.shape[1])
        self.chosen: list[int] = []
        self.closest, self.nearest = np.full(len(weights), np.inf), np.zeros(len(weights), dtype=np.int64)
        # Σ s D² of each piece of the rows.
        self.mass = np.zeros(len(self.chunks))
        self.add(np.array([start]))

    def drawn(self, trials: int, random_state: Generator) -> Integers:
        """Rows drawn by (1)."""
        ends = np.cumsum(self.mass)
        if ends[-1] == 0.0:
            # Every row coincides with one that was chosen: any other will do.
            return random_state.permutation(np.setdiff1d(np.flatnonzero(self.weights > 0.0), self.chosen))[:1]
        marks = random_state.uniform(size=trials) * ends[-1]
        pieces = _place(ends, marks)
        return np.array(
            [self._drawn_from(j, mark - (ends[j] - self.mass[j])) for j, mark in zip(pieces, marks, strict=True)]
        )

    def _drawn_from(self, piece: int, mark: float) -> int:
        """The row of a piece up to which (1) adds up to the mark."""
        part = self.chunks[piece]
        return part.start + int(_place(np.cumsum(self.closest[part] * self.weights[part]), mark))

    def farthest(self) -> Integers:
        """The row of positive weight that is farthest from those that were chosen, and is none of them."""
        far = np.where(self.weights > 0.0, self.closest, -1.0)
        far[self.chosen] = -1.0
        return np.array([np.argmax(far)])

    def add(self, candidates: Integers) -> None:
        """Add the candidate that leaves the least sum of squares."""
        C = dense_rows(self.X, candidates).astype(self.X.dtype)
        norms = np.einsum("ij,ij->i", C, C, dtype=float)
        others = dense_rows(self.X, self.chosen or candidates)
        # Half the distance from a row that was chosen; the rows nearer to that one are not nearer to the candidate.
        half = 0.25 * np.array([np.sum((others - c) ** 2, axis=1) for c in C.astype(float)])
        half *= 1.0 - 8.0 * self.rows.relative
        after = np.empty((len(C), len(self.closest)))

        def work(part: slice) -> Floats:
            bounds = (part.start, part.stop)
            return _squares_after(self.rows, C, norms, half, self.closest, self.nearest, self.weights, *bounds, after)

        sums = np.array(map_chunks(work, self.chunks, self.n_jobs))
        best = int(np.argmin(np.sum(sums, axis=0)))
        np.copyto(self.nearest, len(self.chosen), where=after[best] < self.closest)
        self.closest, self.mass = after[best], sums[:, best]
        self.chosen.append(int(candidates[best]))


def _place(ends: Floats, marks: ArrayLike) -> Integers:
    """In which of the intervals that end there each mark lies; never in an empty one."""
    return np.searchsorted(ends, np.clip(marks, 0.0, np.nextafter(ends[-1], 0.0)), side="right")


@jit
def _squares_after(
    rows: Rows,
    C: Floats,
    norms: Floats,
    half: Floats,
    closest: Floats,
    nearest: Integers,
    weights: Floats,
    first: int,
    last: int,
    after: Floats,
) -> Floats:
    """Squared distances from the nearest seed once each candidate is one, and their weighted sums."""
    sums = np.zeros(len(C))
    for i in range(first, last):
        for c in range(len(C)):
            square = closest[i]
            if half[c, nearest[i]] < square:
                square = min(square, rows.quick_square_to(i, C[c], norms[c]))
            after[c, i] = square
            sums[c] += weights[i] * square
    return sums
