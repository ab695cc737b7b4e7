"""Categories as what the target is in the mean over the rows of a level, drawn towards the mean of all rows.

    e(l) = ȳ + n_l (ȳ_l − ȳ)/(n_l + m),    m = max(1, k W/(B − W)),    k = (n − Σ n_l²/n)/(L − 1)                (1)

W and B are the mean squares within and between the L levels, so that m is the variance of rows over that of levels, as
an analysis of variance finds them; where B ≤ W the levels say nothing, and e = ȳ. Of classes, y is one where a row is
of the class and zero elsewhere. The rows that are learned from get e from the other parts of five: from all of them, a
level of one row would tell its own target. Micci-Barreca (2001), doi:10.1145/507533.507538; Searle (1971), Linear
Models, section 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.model_selection import KFold

from gnomon._typing import Array, Floats, Integers
from gnomon.io import Table
from gnomon.report._kinds import ColumnKind
from gnomon.report.of_columns import OfColumns, words_of

__all__ = ["LevelMeans", "shrunk_means"]

PARTS = 5


class LevelMeans(TransformerMixin, OfColumns):
    """Equation (1) of every column, then zero mean and unit variance.

    Parameters
    ----------
    kinds : list of ColumnKind
    """

    _stored: ClassVar[dict[str, str]] = {"shown_": "array of str or numbers"}

    def __init__(self, kinds: Sequence[ColumnKind]):
        self.kinds = kinds

    def fit(self, table: Table, y: Array | None = None) -> Self:
        """Learn the means of all levels."""
        self.fit_transform(table, y)
        return self

    def fit_transform(self, table: Table, y: Array | None = None) -> Floats:
        """The matrix of the rows that are learned from, each by rows of other parts."""
        if y is None:
            raise ValueError("means of levels need y, the targets of the rows")
        T = self._targets(np.asarray(y))
        self.overall_ = T.mean(axis=0)
        self.levels_, self.means_, apart = [], [], []
        for kind in self.kinds:
            levels, codes = np.unique(words_of(table[kind.name]), return_inverse=True)
            self.levels_.append(levels.tolist())
            self.means_.append(shrunk_means(codes, T, len(levels)))
            apart.append(_by_other_parts(codes, T, len(levels)))
        M = np.hstack(apart)
        self.center_, spread = M.mean(axis=0), M.std(axis=0)
        self.scale_ = np.where(spread > 0.0, spread, 1.0)
        return (M - self.center_) / self.scale_

    def transform(self, table: Table) -> Floats:
        """A dense matrix; a level never seen has the mean of all rows."""
        found = []
        for kind, levels, means in zip(self.kinds, self.levels_, self.means_, strict=True):
            places = {level: k for k, level in enumerate(levels)}
            codes = np.array([places.get(word, len(levels)) for word in words_of(table[kind.name]).tolist()], dtype=int)
            found.append(np.vstack([means, self.overall_])[codes])
        return (np.hstack(found) - self.center_) / self.scale_

    def names(self) -> list[str]:
        """The column, and of what the mean is."""
        of = [f"share of {name}" for name in self.shown_] if len(self.shown_) else ["mean of the target"]
        return [f"{kind.name}: {what}" for kind in self.kinds for what in of]

    def levels(self) -> list[list[str]]:
        """None: no column stands for a level."""
        return [[] for _ in self.kinds]

    def units(self) -> Floats:
        """Means and standard deviations."""
        return np.stack([self.center_, self.scale_])

    def _targets(self, y: Array) -> Floats:
        """The target as columns: the number, or whether it is a class; of two classes, the second."""
        if y.dtype.kind in "fiu":
            self.shown_: Array = np.array([], dtype=str)
            return y[:, None].astype(float)
        classes = np.unique(y)
        self.shown_ = classes[1:] if len(classes) == 2 else classes
        return (y[:, None] == self.shown_).astype(float)


def shrunk_means(codes: Integers, T: Floats, n_levels: int) -> Floats:
    """(1) of each level, for every column of `T`; of a level without rows, ȳ.

    Examples
    --------
    Two levels that differ by 2: n = 4, W = 1, B = 4 and k = 2, so m = max(1, 2/3).

    >>> import numpy as np
    >>> from gnomon.report.level_means import shrunk_means
    >>> T = np.array([[0.0], [2 ** 0.5], [2.0], [2.0 + 2 ** 0.5]])
    >>> shrunk_means(np.array([0, 0, 1, 1]), T, 3).round(3).tolist()
    [[1.04], [2.374], [1.707]]
    """
    sizes, mean = np.bincount(codes, minlength=n_levels).astype(float), T.mean(axis=0)
    sums = np.stack([np.bincount(codes, column, n_levels) for column in (T - mean).T], axis=1)
    n, L = len(T), int(np.count_nonzero(sizes))
    if not 1 < L < n:
        return np.tile(mean, (n_levels, 1))
    between = np.sum(sums**2 / np.maximum(sizes, 1.0)[:, None], axis=0)
    within = np.maximum(np.sum((T - mean) ** 2, axis=0) - between, 0.0)
    B, W, k = between / (L - 1), within / (n - L), (n - np.sum(sizes**2) / n) / (L - 1)
    excess = B - W
    m = np.where(excess > 0.0, np.maximum(k * W / np.where(excess > 0.0, excess, 1.0), 1.0), np.inf)
    return mean + sums / (sizes[:, None] + m)


def _by_other_parts(codes: Integers, T: Floats, n_levels: int) -> Floats:
    found = np.empty_like(T)
    for others, part in KFold(min(PARTS, len(T)), shuffle=True, random_state=0).split(T):
        found[part] = shrunk_means(codes[others], T[others], n_levels)[codes[part]]
    return found
