"""k-means.

    minimise over centres c₁ … c_k    J = Σᵢ sᵢ minⱼ ‖xᵢ − cⱼ‖²                                        (1)

Lloyd's iteration assigns every row to its nearest centre and moves every centre to the mean of its rows; neither step
raises (1). By the first, J falls by Σ sᵢ (D_old − D_new) over the rows that change their centre; by the second, by
Σⱼ Wⱼ (‖c_old − m‖² − ‖c_new − m‖²), where m is the mean of the rows of centre j and Wⱼ their weight: J is followed
without looking at the other rows. Lloyd (1982), doi:10.1109/TIT.1982.1056489. How the nearest centres are found, by
matrix products or with bounds, changes nothing but the time: `center_search`, `center_bounds`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._typing import ArrayLike, Floats, Integers, Matrix, is_sparse
from gnomon.numerics.parallel import Team, blas_threads, team
from gnomon.numerics.streaming import group_moments
from gnomon.numerics.validation import check_choice, check_integer, check_non_negative
from gnomon.optim.center_bounds import CenterGroups, Moves, Tally, add_tally, forget_bounds, new_bounds, new_tally
from gnomon.optim.center_distances import dense_rows, row_unit
from gnomon.optim.center_search import CenterSearch, nearest_center, shift_of
from gnomon.optim.solution import Callback, History, StopReason, Trace

__all__ = ["Algorithm", "KMeansResult", "OnEmpty", "kmeans"]

Algorithm: TypeAlias = Literal["auto", "lloyd", "hamerly", "elkan", "yinyang"]
OnEmpty: TypeAlias = Literal["farthest", "keep", "drop", "raise"]

PER_GROUP = 10
"""Centres in a group of Yinyang k-means, as in the paper."""

BOUND_BYTES = 2**30
"""Memory that "auto" may spend on bounds."""

SETTLED = 0.05
"""The share of rows that changed their centre below which "auto" keeps bounds."""

ZERO_LENGTH = 1e-12
"""A mean of unit vectors that is shorter than this has no direction."""


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
        How often centres were moved, or found not to move.
    converged : bool
        Whether no label changed, or the centres moved by less than `tol`.
    history : dict of str to ndarray
        "iteration", "objective" after each assignment, and "seconds".
    stop_reason : str
        "no_change", "tol", "max_iter", "callback" or "interrupted".
    n_relocated : int
        How often a centre without rows was moved to a row.
    squares : ndarray of shape (n,)
        The squared distance of every row from its centre.

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
    stop_reason: StopReason
    n_relocated: int
    squares: Floats


def kmeans(
    X: Matrix,
    centers: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    algorithm: Algorithm = "auto",
    tol: float = 0.0,
    max_iter: int = 300,
    on_empty: OnEmpty = "farthest",
    on_sphere: bool = False,
    callback: Callback | None = None,
    n_jobs: int | None = None,
) -> KMeansResult:
    """Minimise (1) by Lloyd's iteration from given centres.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
    centers : ndarray of shape (k, d)
        Where to start; see `seed_centers`.
    sample_weight : ndarray of shape (n,), optional
    algorithm : {"auto", "lloyd", "hamerly", "elkan", "yinyang"}, default="auto"
        How the nearest centres are found: from all distances, by matrix products, or with bounds for all other centres,
        for each centre or for groups of centres. "auto" begins with the first and goes on with the last once few rows
        change their centre. All have the same result.
    tol : float, default=0.0
        Stop when the centres move, in sum of squares, by at most this times the mean variance of the columns.
    max_iter : int, default=300
    on_empty : {"farthest", "keep", "drop", "raise"}, default="farthest"
        What becomes of a centre without rows: it moves to the row that is farthest from its centre, it stays, it is
        left out, or ValueError.
    on_sphere : bool, default=False
        Keep centres at unit length, for rows that have it.
    callback : callable, optional
        Called with each row of the history; True stops.
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
    check_choice("algorithm", algorithm, ["auto", "lloyd", "hamerly", "elkan", "yinyang"])
    check_choice("on_empty", on_empty, ["farthest", "keep", "drop", "raise"])
    n = X.shape[0]
    weights = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    unit = row_unit(X)
    X, start = unit.inward(X), unit.inward(np.array(centers, dtype=X.dtype))
    with team(n_jobs or blas_threads()) as run:
        descent = _KMeansDescent(X, start, weights, algorithm, on_empty, on_sphere, run)
        allowed = tol * descent.variance if tol > 0.0 else -1.0
        found = descent.run(allowed, max_iter, Trace(callback))
    if unit.is_one:
        return found
    history = {**found.history, "objective": unit.outward(found.history["objective"], 2)}
    centers, squares = unit.outward(found.centers), unit.outward(found.squares, 2)
    objective = float(unit.outward(found.objective, 2))
    return found._replace(centers=centers, objective=objective, history=history, squares=squares)


class _Totals(NamedTuple):
    """Sums over the rows of each centre of s (x − shift), s and 1; the first with the rounding that it lost."""

    sums: Floats
    carry: Floats
    weight: Floats
    members: Integers

    def take(self, order: Integers) -> _Totals:
        """Those of some centres."""
        return _Totals(self.sums[order], self.carry[order], self.weight[order], self.members[order])

    def add(self, tally: Tally) -> None:
        """Add those of a tally: Neumaier (1974), doi:10.1002/zamm.19740540106."""
        add_tally(self.sums, self.carry, self.weight, self.members, tally)


class _KMeansDescent:
    """The state of a run: centres, in the order of their groups, labels, and the sums that give the means."""

    def __init__(
        self,
        X: Matrix,
        centers: Floats,
        weights: Floats,
        algorithm: Algorithm,
        on_empty: OnEmpty,
        on_sphere: bool,
        run: Team,
    ) -> None:
        n, d = X.shape
        whole = group_moments(X, np.zeros(n, dtype=np.int64), 1, weights, diagonal=True, n_jobs=run.n_jobs)
        variances = np.ravel(whole.covariance())
        self.variance = float(np.mean(variances))
        mean = whole.mean[0].astype(X.dtype).astype(float)
        shift = np.zeros(d) if is_sparse(X) else shift_of(mean, float(np.sum(variances)))
        self.search = CenterSearch(X, shift, len(centers), run)
        self.weights, self.on_empty, self.on_sphere = weights, on_empty, on_sphere
        # Bounds are made for centres that stay almost where they are; before, most rows would be compared anew.
        self.later: Algorithm | None = _chosen(n, len(centers)) if algorithm == "auto" else None
        self.algorithm: Algorithm = "lloyd" if algorithm == "auto" else algorithm
        self.labels: Integers = np.full(n, -1, dtype=np.int64)
        self.n_relocated = 0
        self._begin(centers, np.arange(len(centers)))

    def run(self, allowed: float, max_iter: int, trace: Trace) -> KMeansResult:
        """Assign and move until nothing changes, centres move by at most `allowed`, or `max_iter`."""
        reason: StopReason | None = None
        n_iter, objective = 0, 0.0
        try:
            while reason is None:
                gain, changed = self._assign()
                objective -= gain
                asked = trace.add(n_iter, objective)
                if n_iter and not changed:
                    reason, n_iter = "no_change", min(n_iter + 1, max_iter)
                elif n_iter == max_iter:
                    reason = "max_iter"
                elif asked:
                    reason = "callback"
                else:
                    relocated, change = self._fill_empty()
                    objective, step = self._move(objective + change)
                    n_iter += 1
                    if self.later is not None and changed <= SETTLED * len(self.labels):
                        self.algorithm, self.later = self.later, None
                        self._regroup(np.arange(len(self.centers)))
                    if step <= allowed and not relocated:
                        objective -= self._assign()[0]
                        trace.add(n_iter, objective)
                        reason = "tol"
        except KeyboardInterrupt:
            if not trace.history:
                raise
            reason = "interrupted"
            self.labels = nearest_center(self.search.X, self.centers)[0]
        return self._result(n_iter, reason, trace.history)

    def _result(self, n_iter: int, reason: StopReason, history: History) -> KMeansResult:
        squares = self.search.own_squares(self.centers, self.labels)
        order = np.argsort(self.groups.rank)
        centers, labels, objective = self.centers[order], self.groups.rank[self.labels], float(self.weights @ squares)
        met = reason in ("no_change", "tol")
        return KMeansResult(centers, labels, objective, n_iter, met, history, reason, self.n_relocated, squares)

    def _begin(self, centers: Floats, rank: Integers) -> Integers:
        """Take these centres, without bounds and without rows; their order."""
        order, starts = _grouped(centers, self.algorithm)
        self.centers = np.ascontiguousarray(centers[order])
        of = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        self.groups = CenterGroups(starts, of, rank[order])
        self.bounds = new_bounds(self.search.X.shape[0] if self.algorithm != "lloyd" else 0, len(starts) - 1)
        k, d = centers.shape
        self.totals = _Totals(np.zeros((k, d)), np.zeros((k, d)), np.zeros(k), np.zeros(k, dtype=np.int64))
        self.moves = self._measure(np.zeros(k))
        return order

    def _assign(self) -> tuple[float, int]:
        """Assign every row to its nearest centre; by how much J fell, and how many rows changed."""
        state = (self.moves, self.bounds) if self.algorithm != "lloyd" else (None, None)
        tallies = self.search.assign(self.centers, self.weights, self.groups, self.labels, *state)
        for tally in tallies:
            self.totals.add(tally)
        return float(sum(tally.gain[0] for tally in tallies)), sum(int(tally.changed[0]) for tally in tallies)

    def _move(self, objective: float) -> tuple[float, float]:
        """Move every centre to the mean of its rows; J after it, and the sum of squares of the moves."""
        old, totals = self.centers, self.totals
        sums, full = totals.sums + totals.carry, totals.members > 0
        means = old.astype(float)
        means[full] = self.search.shift + sums[full] / totals.weight[full, None]
        moved = self._at_unit_length(means) if self.on_sphere else means
        self.centers = moved.astype(old.dtype)
        before, after = (np.sum((centers - means) ** 2, axis=1) for centers in (old, self.centers))
        steps = np.sum((self.centers.astype(float) - old) ** 2, axis=1)
        self.moves = self._measure(np.sqrt(steps))
        return objective - float(totals.weight[full] @ (before - after)[full]), float(np.sum(steps))

    def _measure(self, shift: Floats) -> Moves:
        """How far centres moved, and how far they are from each other, as the bounds need it."""
        k, starts = len(self.centers), self.groups.starts
        if self.algorithm == "lloyd":
            return Moves(shift, shift, self.groups.rank, shift, np.zeros((0, 0)))
        wide = 1.0 + self.search.rows.relative
        shift = shift * wide
        order = np.lexsort((shift, self.groups.of))
        who = order[starts[1:] - 1]
        others = np.where(np.diff(starts) > 1, shift[order[np.maximum(starts[1:] - 2, 0)]], 0.0)
        apart = np.sqrt(_apart(self.centers - self.search.shift, self.search.rows.relative)) * (0.5 / wide)
        apart[np.arange(k), np.arange(k)] = np.inf
        return Moves(shift, shift[who], who, others, np.minimum.reduceat(apart, starts[:-1], axis=1))

    def _fill_empty(self) -> tuple[int, float]:
        """Do with centres without rows what `on_empty` says; how many moved to a row, and what that adds to J."""
        empty = np.flatnonzero(self.totals.members == 0)
        if not len(empty) or self.on_empty == "keep":
            return 0, 0.0
        if self.on_empty == "raise":
            raise ValueError(
                f"{len(empty)} of {len(self.centers)} clusters have no rows; give fewer n_clusters, another start, or "
                "on_empty='farthest'"
            )
        if self.on_empty == "drop":
            self._regroup(np.setdiff1d(np.arange(len(self.centers)), empty))
            return 0, 0.0
        return self._relocate(empty)

    def _regroup(self, kept: Integers) -> None:
        """Go on with these centres, in groups and with bounds made anew."""
        number, totals = np.full(len(self.centers), -1), self.totals
        order = kept[self._begin(self.centers[kept], np.argsort(np.argsort(self.groups.rank[kept])))]
        number[order] = np.arange(len(order))
        self.labels = number[self.labels]
        self.totals = totals.take(order)

    def _relocate(self, empty: Integers) -> tuple[int, float]:
        """Move empty centres to the rows that are farthest from theirs, but to no row that is alone."""
        squares, change, n_moved = self.search.own_squares(self.centers, self.labels), 0.0, 0
        candidates = iter(np.argsort(-squares, kind="stable"))
        for j in sorted(empty, key=lambda j: self.groups.rank[j]):
            i = next((i for i in candidates if self._can_leave(i, squares)), None)
            if i is None:
                break
            there = np.sum((dense_rows(self.search.X, [i]) - self.centers[j]) ** 2)
            change += float(self.weights[i] * (there - squares[i]))
            self._give(i, j)
            n_moved += 1
        self.n_relocated += n_moved
        return n_moved, change

    def _at_unit_length(self, means: Floats) -> Floats:
        """Means divided by their lengths; where it is zero, the row that is farthest from its centre."""
        lengths = np.linalg.norm(means, axis=1)
        none = np.flatnonzero(lengths <= ZERO_LENGTH)
        if len(none):
            far = np.argsort(-self.search.own_squares(self.centers, self.labels), kind="stable")[: len(none)]
            means, lengths = means.copy(), lengths.copy()
            means[none], lengths[none] = dense_rows(self.search.X, far), 1.0
        return means / lengths[:, None]

    def _can_leave(self, i: int, squares: Floats) -> bool:
        return bool(squares[i] > 0.0 and self.weights[i] > 0.0 and self.totals.members[self.labels[i]] > 1)

    def _give(self, i: int, j: int) -> None:
        """Give row i to centre j."""
        tally = new_tally(*self.centers.shape)
        for center, sign in ((j, 1.0), (self.labels[i], -1.0)):
            tally.weight[center] = sign * self.weights[i]
            tally.members[center] = int(sign)
            tally.sums[center] = sign * self.weights[i] * (dense_rows(self.search.X, [i])[0] - self.search.shift)
        self.totals.add(tally)
        self.labels[i] = j
        if self.algorithm != "lloyd":
            forget_bounds(self.bounds, i)


def _chosen(n: int, k: int) -> Algorithm:
    """What "auto" goes on with: bounds for groups of centres, as far as memory allows."""
    return "yinyang" if 8 * n * (1 + _n_groups(k)) <= BOUND_BYTES else "hamerly"


def _n_groups(k: int) -> int:
    return -(-k // PER_GROUP)


def _grouped(centers: Floats, algorithm: Algorithm) -> tuple[Integers, Integers]:
    """The order in which centres of a group are together, and where each group starts in it."""
    k = len(centers)
    t = {"elkan": k, "yinyang": _n_groups(k)}.get(algorithm, 1)
    if t in (1, k):
        return np.arange(k), np.linspace(0, k, t + 1).astype(np.int64)
    seeds = np.linspace(0, k - 1, t).astype(np.int64)
    group = kmeans(centers, centers[seeds], algorithm="hamerly", max_iter=5, n_jobs=1).labels
    sizes = np.bincount(group, minlength=t)
    starts = np.concatenate([[0], np.cumsum(sizes[sizes > 0])])
    return np.argsort(group, kind="stable"), starts


def _apart(C: Floats, relative: float) -> Floats:
    """Lower bounds on the squared distances between centres."""
    norms = np.einsum("ij,ij->i", C, C)
    both = norms[:, None] + norms
    return np.maximum(both - 2.0 * (C @ C.T) - 4.0 * relative * both, 0.0)
