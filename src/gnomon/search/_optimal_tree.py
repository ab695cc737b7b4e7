"""Trees of small depth that are proved to be best.

    minimise over all trees T of depth ≤ d    Σ_{leaves l} n_l H(l) / N  +  λ · #leaves                            (1)

Dynamic programming over sets of rows: the best tree of a set is a leaf, or a cut with the best trees of its two sides.
Sets that were met are kept (Aglin, Nijssen & Schaus 2020, DL8.5, doi:10.1609/aaai.v34i04.5711), depth two is solved by
sums over pairs of cuts (Demirović et al. 2022, MurTree, JMLR 23(26)), and between two cuts of a column that were
weighed, bounds rule out what cannot win: more rows never cost less, and to remove a row lowers the cost by at most the
largest cost of that row (Briţa, van der Linden & Demirović 2025, ConTree, doi:10.1609/aaai.v39i11.33210). To find the
smallest tree is NP-complete: Hyafil & Rivest (1976), doi:10.1016/0020-0190(76)90095-8. Meant for d ≤ 4.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from time import monotonic
from typing import NamedTuple

import numpy as np

from gnomon._jit import compiled
from gnomon._typing import Array, ArrayLike, Floats
from gnomon.search._criterion import SumCriterion
from gnomon.search._cut_columns import CutPlan, cut_columns, fork_of
from gnomon.search._growers import require_traits
from gnomon.search._pair_sums import best_cut, best_pair, make_sorted, open_cuts, sort_rows
from gnomon.search.assemble import Fork
from gnomon.search.columns import Columns

__all__ = ["OptimalTree", "optimal_tree"]

SLACK = 1e-11
"""Costs nearer than this share of the root's are equal."""

MOST_SETS = 300_000
"""Sets of rows that are kept."""


class OptimalTree(NamedTuple):
    """What `optimal_tree` found.

    Parameters
    ----------
    fork : Fork or None
        The tests, for `assemble_tree`.
    objective : float
        (1) of the tree.
    lower_bound : float
        No tree of this depth has a smaller (1).
    n_sets : int
        How many sets of rows were solved.
    interrupted : bool, default=False
        Whether the user ended the search.

    References
    ----------
    Aglin, G., Nijssen, S. & Schaus, P. (2020). Learning optimal decision trees using caching branch-and-bound search.
    doi:10.1609/aaai.v34i04.5711

    Examples
    --------
    >>> from gnomon.search import OptimalTree
    >>> OptimalTree(None, 0.5, 0.25, 1).proved
    False
    """

    fork: Fork | None
    objective: float
    lower_bound: float
    n_sets: int
    interrupted: bool = False

    @property
    def proved(self) -> bool:
        """Whether the tree is proved to be best."""
        return self.lower_bound >= self.objective


def optimal_tree(
    columns: Columns,
    y: Array,
    criterion: SumCriterion,
    *,
    sample_weight: ArrayLike | None = None,
    max_depth: int = 2,
    leaf_penalty: float = 0.0,
    row_bounds: Floats | None = None,
    time_limit: float | None = None,
    progress: Callable[[int, int, float], object] | None = None,
) -> OptimalTree:
    """Minimise (1) over all trees of cuts of numbers and of one category against the others.

    Parameters
    ----------
    columns : Columns
        From `code_columns`; of numbers every cut is tried, with what is missing on either side.
    y : ndarray
        As `grow_tree` takes it.
    criterion : SumCriterion
        Compiled, with a `monotone_worth`: n H never falls when rows are added.
    sample_weight : ndarray of shape (n_samples,), optional
    max_depth : int, default=2
    leaf_penalty : float, default=0.0
        λ ≥ 0.
    row_bounds : ndarray of shape (n_samples,), optional
        The most that one row can add to Σ n_l H(l) of any tree; infinite by default.
    time_limit : float, optional
        Seconds after which the best tree so far is returned, as it is after an interruption from the keyboard.
    progress : callable, optional
        Called with the number of columns that were tried as the first test, of all columns, and (1) of the best tree so
        far.

    Returns
    -------
    OptimalTree

    References
    ----------
    Demirović, E. et al. (2022). MurTree: optimal decision trees via dynamic programming and search. JMLR 23(26).

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Misclassification, code_columns, optimal_tree
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> found = optimal_tree(code_columns(X), np.array([0, 1, 1, 0]), Misclassification(2))
    >>> found.objective, found.proved
    (0.0, True)
    """
    require_traits("optimal_tree", criterion)
    deadline = None if time_limit is None else monotonic() + time_limit
    w = np.ones(columns.n_samples) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    used = np.flatnonzero(w)
    cells = cut_columns(columns, used)
    codes, group = np.unique(cells.codes, axis=1, return_inverse=True)
    group = group.reshape(-1)
    sums = criterion.groups(y[used], w[used], group, codes.shape[1]).sums
    row_bounds = np.full(columns.n_samples, np.inf) if row_bounds is None else row_bounds
    total = float(np.sum(criterion.masses(sums)))

    def report(column: int, cost: float) -> None:
        if progress is not None:
            progress(column + 1, len(codes), cost / total)

    search = _Search(
        criterion, codes, sums, np.bincount(group, row_bounds[used], codes.shape[1]), leaf_penalty * total, deadline
    )
    found = search.solve(np.arange(codes.shape[1]), max_depth, np.inf, report)
    fork = fork_of(found.plan, cells, columns, used, w)
    lower = found.cost if found.lower >= found.cost - search.slack else found.lower
    return OptimalTree(fork, found.cost / total, lower / total, search.solved, search.interrupted)


class FoundTree(NamedTuple):
    """A tree of a set of rows: its cost, a bound on the cost of all, and its cuts (column, code, left, right)."""

    cost: float
    lower: float
    plan: CutPlan | None


class _Search:
    """The state of one search; rows with equal codes in all columns are merged."""

    def __init__(self, criterion, codes, sums, row_bounds, penalty, deadline):
        self.criterion, self.record, self.width = criterion, compiled(criterion), criterion.size + 1
        self.codes = np.ascontiguousarray(codes, dtype=np.int32)
        self.order = np.argsort(self.codes, axis=1, kind="stable").astype(np.int32)
        self.sums, self.flat, self.row_bounds = sums, np.ravel(sums), row_bounds
        # Rows with equal codes in all columns share a leaf: no tree is better on them than one answer for all.
        self.floors = np.maximum(-criterion.worths(sums), 0.0)
        self.penalty, self.deadline = penalty, deadline
        self.sorted = make_sorted(*self.codes.shape, int(np.max(self.codes, initial=0)) + 1, self.width)
        self.inside = np.zeros(self.codes.shape[1], dtype=bool)
        self.known: dict = {}
        self.solved, self.interrupted = 0, False
        self.slack = SLACK * max(float(-criterion.worths(np.sum(sums, axis=0)[None])[0]), np.finfo(float).tiny)

    @property
    def expired(self):
        """Whether the time is over."""
        return self.interrupted or (self.deadline is not None and monotonic() > self.deadline)

    @contextmanager
    def interruptible(self):
        """Work whose interruption ends the search, and leaves what was found before."""
        try:
            yield
        except KeyboardInterrupt:
            self.interrupted = True

    def solve(self, rows, depth, upper, report=None):
        """The best tree of some rows, or, if none costs less than `upper`, a bound that says so."""
        floor = float(np.sum(self.floors[rows])) + self.penalty
        leaf = float(-self.criterion.worths(np.sum(self.sums[rows], axis=0)[None])[0]) + self.penalty
        if depth == 0 or leaf <= floor + self.penalty + self.slack:
            return FoundTree(leaf, leaf, None)
        key = (self._key(rows), depth)
        kept = self.known.get(key)
        if kept is not None and (kept.lower >= kept.cost - self.slack or kept.lower >= upper):
            return kept
        found = kept or FoundTree(leaf, floor, None)
        if floor >= upper or self.expired:
            return found
        self.solved += 1
        with self.interruptible():
            solver = self._shallow if depth <= 2 else self._deep
            found = solver(rows, depth, upper, floor, report)
        if len(self.known) < MOST_SETS:
            self.known[key] = found
        return found

    def _key(self, rows):
        self.inside[:] = False
        self.inside[rows] = True
        return np.packbits(self.inside).tobytes()

    def _shallow(self, rows, depth, upper, floor, report):
        """Depth one and two, column by column of the first cut."""
        data, whole = self.sorted, np.sum(self.sums[rows], axis=0)
        self.inside[:] = False
        self.inside[rows] = True
        sort_rows(self.order, self.codes, self.inside, self.flat, self.width, data)
        cost, column, code = best_cut(self.record, data, whole, self.penalty, self.slack)
        best = FoundTree(cost, cost, None if column < 0 else (column, code, None, None))
        if depth == 1:
            return best
        cuts = np.empty((2, len(rows), 2), dtype=np.int32)
        for a in range(len(data.sizes)):
            with self.interruptible():
                best = self._pair(rows, a, whole, best, upper, cuts)
                if report is not None:
                    report(a, best.cost)
            if best.cost <= floor + self.slack:
                break
            if self.expired:
                return best._replace(lower=floor)
        return best._replace(lower=min(best.cost, upper))

    def _pair(self, rows, a, whole, best, upper, cuts):
        """The best tree of depth two whose first cut is in column a, if it is better than `best`."""
        data, bounds, limit = self.sorted, self._bounds(rows, a), min(best.cost, upper)
        t = best_pair(
            self.record, data, self.flat, whole, a, len(rows), self.penalty, self.slack, limit, bounds, cuts
        )  # fmt: skip
        if t < 0:
            return best
        sides = (None if b < 0 else (int(b), int(c), None, None) for b, c in cuts[:, t])
        return FoundTree(float(bounds[0, t] + bounds[1, t]), best.lower, (a, int(data.codes[a, t]), *sides))

    def _deep(self, rows, depth, upper, floor, report):
        """A first cut in each column, after the best tree of one depth less has set the cost to beat."""
        best = self.solve(rows, depth - 1, upper)._replace(lower=floor)
        for a in range(len(self.codes)):
            if self.expired:
                return best
            if best.cost <= floor + self.slack:
                break
            with self.interruptible():
                best = self._column(rows, depth, a, best, upper)
                if report is not None:
                    report(a, best.cost)
        return best if self.expired else best._replace(lower=min(best.cost, upper))

    def _column(self, rows, depth, a, best, upper):
        """Weigh the cuts of one column, in the middle of what bounds leave open."""
        bounds, codes = self._bounds(rows, a), np.unique(self.codes[a, rows])
        gaps = [(0, bounds.shape[1])]
        while gaps and not self.expired:
            limit = min(best.cost, upper)
            first, t, last = open_cuts(*bounds, *gaps.pop(), limit - self.slack)
            if first >= 0:
                best = self._weigh(rows, depth, (a, int(codes[t])), bounds[:2, t], best, limit)
                gaps += [(first, t), (t + 1, last + 1)]
        return best

    def _bounds(self, rows, a):
        """For each cut of a column the least costs of its two sides, and the sum of `row_bounds` on the left."""
        rank = np.unique(self.codes[a, rows], return_inverse=True)[1]
        floors = np.cumsum(np.bincount(rank, self.floors[rows]))
        row_bounds = np.cumsum(np.bincount(rank, self.row_bounds[rows]))
        floors, most = floors[:-1], floors[-1]
        return np.stack([floors + self.penalty, most - floors + self.penalty, row_bounds[:-1]])

    def _weigh(self, rows, depth, cut, least, best, limit):
        """Solve both sides of a cut as far as they may win, and note in `least` what they cost at least."""
        is_left = self.codes[cut[0], rows] <= cut[1]
        left = self.solve(rows[is_left], depth - 1, limit - least[1])
        least[0] = max(least[0], left.lower)
        if least[0] + least[1] >= limit - self.slack:
            return best
        right = self.solve(rows[~is_left], depth - 1, limit - left.lower)
        least[1] = max(least[1], right.lower)
        if left.cost + right.cost >= best.cost - self.slack:
            return best
        return FoundTree(left.cost + right.cost, best.lower, (*cut, left.plan, right.plan))
