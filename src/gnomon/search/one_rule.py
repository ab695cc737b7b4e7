"""One column as a rule: its values, or intervals of them, with the classes of their rows.

    parts of the rows by x_j;  errors = Σ_parts (n_part − max_k n_part,k)                                           (1)

Every category is a part. Numbers are cut into buckets: in ascending order a bucket takes values until some class has
`min_bucket` rows in it, goes on while the next value has rows of that class only, and ends; then neighbours with the
same most frequent class become one, and cuts lie halfway. What is missing is one more part. Holte (1993), Very simple
classification rules perform well on most commonly used datasets, doi:10.1023/A:1022631118932.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from gnomon._jit import jit
from gnomon._typing import Array, Floats, Integers
from gnomon.search.assemble import Fork
from gnomon.search.columns import Columns, midpoint

__all__ = ["ColumnRule", "column_rule"]


@dataclass(frozen=True, eq=False)
class ColumnRule:
    """The parts of one column, (1).

    Parameters
    ----------
    feature : int
    cuts : ndarray of shape (n_parts − 1,) or None
        Where numbers are cut; None for categories.
    codes : tuple of lists of int
        The categories of each part; empty for numbers.
    counts : ndarray of shape (n_parts, n_classes)
        Weights of the classes in each part: in the order of values, then the declared categories without rows, then
        what is missing.
    has_missing : bool
        Whether the last part is that of missing values.

    References
    ----------
    Holte, R. C. (1993). Very simple classification rules perform well on most commonly used datasets.
    doi:10.1023/A:1022631118932

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import code_columns, column_rule
    >>> columns = code_columns(np.array([[1.0], [2.0], [3.0], [np.nan]]))
    >>> rule = column_rule(columns, 0, np.array([0, 0, 1, 1]), np.ones(4), 2, min_bucket=1)
    >>> rule.cuts, rule.errors, rule.has_missing
    (array([2.5]), 0.0, True)
    """

    feature: int
    cuts: Floats | None
    codes: tuple[list[int], ...]
    counts: Floats
    has_missing: bool

    @property
    def errors(self) -> float:
        """Weight of the rows that are not of the most frequent class of their part."""
        return float(np.sum(self.counts) - np.sum(np.max(self.counts, axis=1)))

    @property
    def gap(self) -> int | None:
        """The code of a missing category in the tree of the rule, which a value that was never met has not; or None."""
        apart = self.cuts is None and self.has_missing and len(self.counts) > 1
        return sum(len(part) for part in self.codes) if apart else None

    @property
    def fork(self) -> Fork | None:
        """The rule as a tree of its parts; None if there is one part only."""
        parts = len(self.counts)
        if parts == 1:
            return None
        if self.cuts is None:
            pairs = sorted((code, b) for b, part in enumerate(self.codes) for code in part)
            pairs += [] if self.gap is None else [(self.gap, parts - 1)]
            codes, branches = zip(*pairs, strict=True)
            return Fork(self.feature, np.nan, -1, (None,) * parts, (codes, branches))
        return self._chain(self.cuts)

    def _chain(self, cuts: Floats) -> Fork:
        """x ≤ first cut, else x ≤ second cut, …; what is missing leaves at the first."""
        if len(cuts) == 0:
            return Fork(self.feature, inf, 1, (None, None))
        mass = np.sum(self.counts, axis=1)
        below: Fork | None = None
        for b in range(len(cuts) - 1, 0, -1):
            heavier = int(np.sum(mass[b + 1 : len(cuts) + 1]) > mass[b])
            below = Fork(self.feature, float(cuts[b]), heavier, (None, below))
        sides = (None, below, None) if self.has_missing else (None, below)
        return Fork(self.feature, float(cuts[0]), 2 if self.has_missing else -1, sides)


def column_rule(
    columns: Columns,
    j: int,
    y: Integers,
    sample_weight: Floats,
    n_classes: int,
    *,
    min_bucket: float = 6,
    n_values: int = 0,
) -> ColumnRule:
    """The rule of column j.

    Parameters
    ----------
    columns : Columns
        From `code_columns`.
    j : int
    y : ndarray of int of shape (n_samples,)
        Classes from 0.
    sample_weight : ndarray of shape (n_samples,)
    n_classes : int
    min_bucket : float, default=6
        Weight of one class that completes a bucket.
    n_values : int, default=0
        How many values a category is declared to have.

    Returns
    -------
    ColumnRule

    References
    ----------
    Holte, R. C. (1993). Very simple classification rules perform well on most commonly used datasets.
    doi:10.1023/A:1022631118932

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import code_columns, column_rule
    >>> columns = code_columns(np.array([[0.0], [1.0], [1.0], [0.0]]), category=[True])
    >>> column_rule(columns, 0, np.array([0, 1, 0, 0]), np.ones(4), 2).counts
    array([[2., 0.],
           [1., 1.]])
    """
    size = int(columns.sizes[j])
    cell = columns.codes[j].astype(np.int64) * n_classes + y
    counts: Array = np.bincount(cell, sample_weight, (size + 1) * n_classes).reshape(size + 1, n_classes)
    met = np.sum(counts, axis=1) > 0.0
    has_missing = bool(met[size])
    present = np.flatnonzero(met[:size])
    last = counts[size:] if has_missing else counts[:0]
    if columns.category[j]:
        unmet = sorted(set(range(max(size, n_values))) - set(present.tolist()))
        codes = [[int(code)] for code in present] + ([unmet] if unmet else [])
        empty = np.zeros((len(codes) - len(present), n_classes))
        return ColumnRule(j, None, tuple(codes), np.vstack([counts[present], empty, last]), has_missing)
    cuts, buckets = _buckets(counts[present], float(min_bucket))
    at, after = present[cuts], present[cuts + 1]
    start = columns.starts[j]
    pairs = zip(columns.high[start + at], columns.low[start + after], strict=True)
    thresholds = np.array([midpoint(low, high) for low, high in pairs])
    return ColumnRule(j, thresholds, (), np.vstack([buckets, last]), has_missing)


def _buckets(counts: Floats, least: float) -> tuple[Integers, Floats]:
    """The values after which buckets end, without the last, and the weights of the classes in each."""
    if len(counts) == 0:
        return np.zeros(0, dtype=np.int64), counts
    last = np.zeros(len(counts), dtype=bool)
    _mark_ends(counts, least, last)
    ends = np.flatnonzero(last)
    sums = np.add.reduceat(counts, np.concatenate([[0], ends[:-1] + 1]), axis=0)
    winner = np.argmax(sums, axis=1)
    # Merged: a bucket ends where the next has another winner.
    ends = ends[np.append(winner[1:] != winner[:-1], True)]
    return ends[:-1], np.add.reduceat(counts, np.concatenate([[0], ends[:-1] + 1]), axis=0)


@jit
def _mark_ends(counts, least, last):
    n, k = counts.shape
    held = np.zeros(k)
    for i in range(n):
        held += counts[i]
        best = np.argmax(held)
        if held[best] >= least:
            # Holte (1993): the bucket goes on while only its class follows.
            last[i] = i + 1 == n or np.sum(counts[i + 1]) > counts[i + 1, best]
        if last[i]:
            held[:] = 0.0
    last[n - 1] = True
