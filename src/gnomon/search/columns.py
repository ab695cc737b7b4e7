"""Columns of a table as whole-number codes, in which trees search for splits.

    code(x) = number of bins whose values are all smaller;  codes a < b are cut at (high_a + low_b) / 2           (1)

With as many bins as distinct values the search is exact; with at most 255, bins hold nearly equal numbers of rows
(quantiles of at most 200 000 of them) and a code is one byte. A column with no more distinct values than bins is exact
either way (above 200 000 rows, if the sample has all of them). Cells that are missing have the code after the last.
Categories are their own codes. Thresholds are numbers, so that prediction needs no bins: Ke et al. (2017), LightGBM,
NeurIPS 30, and Breiman et al. (1984), doi:10.1201/9781315139470, for the midpoint.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from gnomon._jit import jit, jit_no_alloc, jitable, noun, subroutine
from gnomon._typing import ArrayLike, Bools, Floats, Integers, Matrix, is_sparse
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.weights import weighted_quantile

__all__ = ["Columns", "code_columns", "midpoint"]

SAMPLE = 200_000
"""Rows from which quantiles are taken."""


@noun
class Columns:
    """Codes of all cells, column by column.

    Parameters
    ----------
    codes : ndarray of shape (n_features, n_samples)
        Unsigned whole numbers; `sizes[j]` marks a missing cell of column j.
    sizes : ndarray of shape (n_features,)
        Number of codes of each column.
    category : ndarray of bool of shape (n_features,)
        Whether the codes have no order.
    starts : ndarray of shape (n_features + 1,)
        Where the bins of each column begin in `low` and `high`.
    low, high : ndarray
        Smallest and largest value in each bin.
    edges : ndarray
        The largest number that is coded as each bin; +∞ for the last of a column. Empty where every value is a bin,
        which ends halfway to the next.

    References
    ----------
    Ke, G. et al. (2017). LightGBM: a highly efficient gradient boosting decision tree. NeurIPS 30.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import code_columns
    >>> columns = code_columns(np.array([[1.0], [5.0], [np.nan], [2.0]]))
    >>> columns.codes
    array([[0, 2, 3, 1]], dtype=uint8)
    """

    codes: Integers
    sizes: Integers
    category: Bools
    starts: Integers
    low: Floats
    high: Floats
    edges: Floats

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.codes.shape[1]

    @cached_property
    def has_categories(self) -> bool:
        """Whether the codes of some column have no order."""
        return bool(np.any(self.category))

    @cached_property
    def without_gaps(self) -> bool:
        """Whether no cell is missing."""
        return all(np.max(codes, initial=0) < size for codes, size in zip(self.codes, self.sizes, strict=True))

    @cached_property
    def bounded(self) -> bool:
        """Whether every column has a range, and that is finite."""
        if np.any(self.sizes < 1):
            return False
        with np.errstate(over="ignore", invalid="ignore"):
            return bool(np.all(np.isfinite(self.high[self.starts[1:] - 1] - self.low[self.starts[:-1]])))

    def take(self, features: Integers) -> Columns:
        """Some of the columns."""
        parts = [slice(self.starts[j], self.starts[j + 1]) for j in features]
        sizes = self.sizes[features]
        bins = [_join(values[part] for part in parts) for values in (self.low, self.high, self.edges)]
        return Columns(
            self.codes[features], sizes, self.category[features], np.concatenate([[0], np.cumsum(sizes)]), *bins
        )

    def widened(self) -> Columns:
        """The same with codes of four bytes, so that few rows need kernels of one type."""
        return self if self.codes.dtype == np.uint32 else replace(self, codes=self.codes.astype(np.uint32))

    def values(self, rows: Integers) -> Floats:
        """The cells of some rows as numbers that every cut sends where it sends the cells: the least of their bins."""
        out = np.empty((len(rows), len(self.sizes)))
        for j, size in enumerate(self.sizes):
            low = np.append(self.low[self.starts[j] : self.starts[j + 1]], np.nan)
            out[:, j] = low[np.minimum(self.codes[j, rows], size)]
        return out


@jitable
def midpoint(low: float, high: float) -> float:
    """Halfway between two numbers; the lower one where rounding would give the upper.

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> from gnomon.search import midpoint
    >>> midpoint(1.0, 4.0)
    2.5
    """
    middle = 0.5 * low + 0.5 * high
    return middle if low <= middle < high else low


def code_columns(
    X: Matrix,
    *,
    category: ArrayLike | None = None,
    bins: int | None = None,
    weights: Floats | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> Columns:
    """Code the columns of X.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        Numbers, NaN where missing; categories as whole numbers from 0.
    category : array-like of bool of shape (n_features,), optional
        Which columns are categories; none by default.
    bins : int, optional
        Most bins of a column of numbers, 2 to 255; None is one for each distinct value.
    weights : ndarray of shape (n_samples,), optional
        Bins hold nearly equal weights instead of numbers of rows.
    n_jobs : int, optional
        Threads, over columns.
    random_state : int, default=0
        Draws the rows from which quantiles are taken, if there are more than 200 000.

    Returns
    -------
    Columns

    References
    ----------
    Ke, G. et al. (2017). LightGBM: a highly efficient gradient boosting decision tree. NeurIPS 30.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import code_columns
    >>> columns = code_columns(np.arange(1000.0)[:, None], bins=4)
    >>> columns.low
    array([  0., 250., 500., 750.])
    """
    n, p = X.shape
    category = np.zeros(p, dtype=bool) if category is None else np.asarray(category, dtype=bool)
    X = X.tocsc() if is_sparse(X) else X
    sample = _sample(n, bins, random_state)
    weights = None if weights is None or np.all(weights == weights[0]) else weights[sample]

    def code(j):
        return _code(_cells(X, j), category[j], bins, sample, weights)

    codes, tables = _all_codes(code, np.empty((p, n), dtype=np.uint32 if bins is None else np.uint8), n_jobs)
    sizes = np.array([table[0] for table in tables], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    if bins is not None:
        return Columns(codes, sizes, category, starts, *(_join(table[k] for table in tables) for k in (1, 2, 3)))
    values = np.empty(starts[-1])

    def fill(j):
        here = values[starts[j] : starts[j + 1]]
        here[:] = np.arange(sizes[j]) if category[j] else _values(_cells(X, j), codes[j], sizes[j])

    map_chunks(fill, range(p), n_jobs)
    return Columns(codes, sizes, category, starts, values, values, np.zeros(0))


def rank_columns(X: Floats) -> Columns:
    """`code_columns` of a few rows of numbers, without bins: all columns at once, codes always of four bytes."""
    n, p = X.shape
    cells = np.ascontiguousarray(X.T, dtype=float)
    codes, values, starts = np.empty((p, n), dtype=np.uint32), np.empty(p * n), np.zeros(p + 1, dtype=np.int64)
    _rank(cells, np.argsort(cells, axis=1), codes, values, starts)
    values = values[: starts[-1]]
    return Columns(codes, np.diff(starts), np.zeros(p, dtype=bool), starts, values, values, np.zeros(0))


@jit
def _rank(cells, order, codes, values, starts):
    """Number the distinct values of each column, one column after the other; what is missing comes last."""
    used = 0
    for j in range(len(cells)):
        for i in order[j]:
            x = cells[j, i]
            if x == x and (used == starts[j] or x != values[used - 1]):
                values[used] = x
                used += 1
            codes[j, i] = used - starts[j] - (x == x)
        starts[j + 1] = used


def _all_codes(code, codes, n_jobs):
    """The codes of all columns, and what else is known of each.

    Those that fit are written to `codes`, so that they are not in memory twice.
    """

    def work(j):
        found, *table = code(j)
        if found.itemsize > codes.itemsize:
            return found, table
        codes[j] = found
        return None, table

    done = map_chunks(work, range(len(codes)), n_jobs)
    known = codes.astype(_code_type(max((table[0] for _, table in done), default=0)), copy=False)
    for j, (found, _) in enumerate(done):
        if found is not None:
            known[j] = found
    return known, [table for _, table in done]


def _join(parts):
    return np.concatenate([np.zeros(0), *parts])


def _code_type(size):
    """One byte where it is enough, else four: no other types, as kernels are compiled for each."""
    return np.uint8 if size <= 255 else np.uint32


def _sample(n, bins, random_state):
    if bins is None or n <= SAMPLE:
        return slice(None)
    return np.sort(np.random.default_rng(random_state).choice(n, SAMPLE, replace=False))


def _cells(X, j):
    if is_sparse(X):
        return X[:, [j]].toarray()[:, 0].astype(float)
    return np.ascontiguousarray(X[:, j], dtype=float)


def _code(x, is_category, bins, sample, weights):
    """Codes of one column, how many there are, and with `bins` the least and largest value of each and the edges."""
    if is_category:
        size = int(np.nanmax(x, initial=-1.0)) + 1
        codes = np.where(np.isnan(x), size, x).astype(_code_type(size))
        return codes, size, *(() if bins is None else [np.arange(size, dtype=float)] * 3)
    if bins is None:
        return _ranks(x)
    edges = _edges(x[sample], bins, weights)
    size = 0 if len(edges) == 0 and np.all(np.isnan(x)) else len(edges) + 1
    codes, low, high = np.empty(len(x), dtype=np.uint8), np.full(size, np.inf), np.full(size, -np.inf)
    ends = np.full(255, np.inf)
    ends[: len(edges)] = edges
    _fill(x, ends, codes, low, high)
    return codes, size, low, high, np.append(edges, np.inf)[:size]


def _between(values):
    """Halfway between neighbours in a sorted array, as `midpoint` takes it."""
    with np.errstate(invalid="ignore"):
        middle = 0.5 * values[:-1] + 0.5 * values[1:]
    return np.where((values[:-1] <= middle) & (middle < values[1:]), middle, values[:-1])


def _ranks(x):
    """How many distinct values are smaller than each; how many there are."""
    order = np.argsort(x)
    ordered = x[order]
    known = int(np.searchsorted(ordered, np.inf, side="right"))
    new = np.empty(len(x), dtype=bool)
    new[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    new[known:] = False
    if known < len(x):
        new[known] = True
    size = int(np.sum(new[:known]))
    codes = np.empty(len(x), dtype=_code_type(size))
    codes[order] = np.cumsum(new) - 1
    return codes, size


def _values(x, codes, size):
    """The value of each code."""
    # Missing cells have the code `size`.
    values = np.empty(size + 1)
    values[codes] = x
    return values[:size]


def _edges(x, bins, weights):
    """Where bins end, halfway between values if there are at most `bins`, else at quantiles."""
    known = ~np.isnan(x)
    x = x if np.all(known) else x[known]
    ordered = np.sort(x)
    values = ordered[np.append(True, ordered[1:] != ordered[:-1])] if len(x) else ordered
    if len(values) <= bins:
        # Rare values outside a sample share the bins of those in it.
        return _between(values)
    shares = np.linspace(0.0, 100.0, bins + 1)[1:-1] / 100.0
    with np.errstate(invalid="ignore"):
        ends = _quantiles(ordered, shares) if weights is None else weighted_quantile(x, shares, weights[known])
    ends = np.unique(ends)
    return ends[ends < ordered[-1]]


def _quantiles(ordered, shares):
    """The least number that a share of all does not exceed; halfway to the next where it is a share exactly."""
    ranks = len(ordered) * shares - 1.0
    below = np.floor(ranks)
    lower, upper = ordered[np.clip([below, below + 1.0], 0, len(ordered) - 1).astype(int)]
    # The midpoint of two infinite numbers is NaN.
    return np.where(ranks == below, upper - 0.5 * (upper - lower), upper)


@jit_no_alloc
def _fill(x, ends, codes, low, high):
    """The number of ends below each value, and the least and the largest value of each code."""
    for i in range(np.uint64(len(x))):
        codes[i] = _count_below(ends, x[i])
    for i in range(len(x)):
        if np.isnan(x[i]):
            codes[i] = len(low)
        else:
            c = codes[i]
            low[c] = x[i] if x[i] < low[c] else low[c]
            high[c] = x[i] if x[i] > high[c] else high[c]


@subroutine
def _count_below(ends, number):
    """How many of 255 sorted numbers are below one: eight steps of a binary search without branches."""
    count = np.uint64(0)
    for step in range(8):
        half = np.uint64(128) >> np.uint64(step)
        count += half * np.uint64(ends[count + half - np.uint64(1)] < number)
    return count
