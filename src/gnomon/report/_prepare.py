"""From a table to a matrix: the first step of every pipeline that the command builds.

numbers     median in place of missing, a column that says where, then zero mean and unit variance
dates       days since 1970, month, weekday and hour on the circle, then as numbers
categories  one column per level; levels seen fewer than five times, and all beyond forty, share one; missing is a level
text        term frequency × inverse document frequency of the two thousand most frequent words
"""

import re
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, Floats, NDArray
from gnomon.io import Table
from gnomon.io.tables import TableError, as_float, as_table, listed, to_text
from gnomon.report._kinds import ColumnKind

__all__ = ["Preparer"]

LEAST_FREQUENCY = 5
MOST_LEVELS = 40
MOST_WORDS = 2_000
NARROW = 200
DENSE_AT_LEAST = 0.3
MISSING_LEVEL = "(missing)"
WORD = r"(?u)\b\w+\b"


class Preparer(TransformerMixin, BaseEstimator):
    """Turn a table into a matrix as the module's docstring says.

    Parameters
    ----------
    kinds : tuple of ColumnKind
        The columns to use, by name; a table may hold them in any order, with others between.
    """

    def __init__(self, kinds: tuple[ColumnKind, ...]):
        self.kinds = kinds

    def fit(self, X: Table, y: object = None) -> Self:
        """Learn medians, scales, levels and words from the rows of `X`."""
        table = as_table(X)
        self.blocks_ = [block.fit(table) for block in _blocks(self.kinds)]
        parts = [block.transform(table) for block in self.blocks_]
        width = sum(part.shape[1] for part in parts)
        filled = sum(part.count_nonzero() if sp.issparse(part) else part.size for part in parts)
        self.sparse_ = bool(width > NARROW and filled < DENSE_AT_LEAST * width * len(table))
        self.n_features_out_ = width
        levels = [kind.name for kind in self.kinds if kind.kind == "category"]
        self.levels_ = {name: sorted(set(to_text(table[name]).tolist())) for name in levels}
        return self

    def transform(self, X: Table) -> Any:
        """The matrix of `X`; an error names the columns that are missing."""
        check_is_fitted(self)
        table = as_table(X)
        absent = [kind.name for kind in self.kinds if kind.name not in table.columns]
        if absent:
            raise TableError(f"columns that the model needs are missing: {listed(absent)}; add them")
        parts = [block.transform(table) for block in self.blocks_]
        if self.sparse_:
            return sp.hstack(parts, format="csr")
        return np.hstack([part.toarray() if sp.issparse(part) else part for part in parts])

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """The names of the columns of the matrix."""
        check_is_fitted(self)
        return np.array([name for block in self.blocks_ for name in block.names()], dtype=object)

    def units(self) -> Floats:
        """Centre and scale of each column of the matrix: what it holds is (value − centre) / scale."""
        check_is_fitted(self)
        return np.hstack([block.units() for block in self.blocks_])


class Numbers(BaseEstimator):
    """The block of numbers and dates.

    Parameters
    ----------
    kinds : list of ColumnKind
    """

    def __init__(self, kinds: Sequence[ColumnKind]):
        self.kinds = kinds

    def fit(self, table: Table) -> Self:
        """Learn medians and scales."""
        raw = self._raw(table)
        # Squares of the largest and the smallest floats are no numbers; a power of two changes no digit.
        largest = np.nanmax(np.abs(raw), axis=0, initial=0.0)
        self.unit_ = np.exp2(np.floor(np.log2(np.where(largest > 0.0, largest, 1.0))))
        imputer = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
        self.steps_ = make_pipeline(imputer, StandardScaler()).fit(raw / self.unit_)
        return self

    def transform(self, table: Table) -> Floats:
        """A dense matrix without gaps."""
        return self.steps_.transform(self._raw(table) / self.unit_)

    def names(self) -> list[str]:
        """The column, or the column and the part of a date, or that it is missing."""
        raw = [label for kind in self.kinds for label in _LABELS[kind.kind](kind.name)]
        gaps = [raw[j] for j in self.steps_[0].indicator_.features_]
        return raw + [f"{name} is missing" for name in gaps]

    def units(self) -> Floats:
        """Means and standard deviations."""
        unit = np.append(self.unit_, np.ones(len(self.steps_[0].indicator_.features_)))
        return np.stack([self.steps_[-1].mean_ * unit, self.steps_[-1].scale_ * unit])

    def _raw(self, table: Table) -> Floats:
        return np.column_stack([_VALUES[kind.kind](table[kind.name], kind) for kind in self.kinds])


class Levels(BaseEstimator):
    """The block of categories.

    Parameters
    ----------
    kinds : list of ColumnKind
    """

    def __init__(self, kinds: Sequence[ColumnKind]):
        self.kinds = kinds

    def fit(self, table: Table) -> Self:
        """Learn the levels of every column."""
        self.encoder_ = OneHotEncoder(
            handle_unknown="infrequent_if_exist", min_frequency=LEAST_FREQUENCY, max_categories=MOST_LEVELS
        ).fit(self._raw(table))
        return self

    def transform(self, table: Table) -> Any:
        """A sparse matrix of zeros and ones; a level never seen counts as a rare one."""
        return self.encoder_.transform(self._raw(table))

    def names(self) -> list[str]:
        """The column and its level."""
        names = self.encoder_.get_feature_names_out([f"{kind.name} = " for kind in self.kinds])
        return [name.replace(" = _", " = ").replace("infrequent_sklearn", "(rare)") for name in names]

    def units(self) -> Floats:
        """Zeros and ones are as they are."""
        return _as_they_are(len(self.names()))

    def _raw(self, table: Table) -> Array:
        columns = [to_text(table[kind.name]).astype(object) for kind in self.kinds]
        raw = np.column_stack(columns)
        raw[raw == ""] = MISSING_LEVEL
        return raw


class TextBlock(BaseEstimator):
    """The block of one column of free text.

    Parameters
    ----------
    kind : ColumnKind
    """

    def __init__(self, kind: ColumnKind):
        self.kind = kind

    def fit(self, table: Table) -> Self:
        """Learn the words and how rare they are."""
        rows = self._raw(table)
        vectorizer = TfidfVectorizer(token_pattern=WORD, sublinear_tf=True, max_features=MOST_WORDS)
        # Texts without any word give no columns.
        self.vectorizer_ = vectorizer.fit(rows) if any(re.search(WORD, row) for row in rows) else None
        return self

    def transform(self, table: Table) -> Any:
        """A sparse matrix of weights."""
        if self.vectorizer_ is None:
            return sp.csr_matrix((len(table), 0))
        return self.vectorizer_.transform(self._raw(table))

    def names(self) -> list[str]:
        """The column and the word."""
        words = [] if self.vectorizer_ is None else self.vectorizer_.get_feature_names_out()
        return [f"{self.kind.name}: {word}" for word in words]

    def units(self) -> Floats:
        """Weights are as they are."""
        return _as_they_are(len(self.names()))

    def _raw(self, table: Table) -> list[str]:
        return to_text(table[self.kind.name]).tolist()


def _as_they_are(width: int) -> Floats:
    return np.stack([np.zeros(width), np.ones(width)])


def _blocks(kinds):
    numbers = [kind for kind in kinds if kind.kind in ("number", "date")]
    levels = [kind for kind in kinds if kind.kind == "category"]
    blocks = [Numbers(numbers)] if numbers else []
    blocks += [Levels(levels)] if levels else []
    return blocks + [TextBlock(kind) for kind in kinds if kind.kind == "text"]


def _parts_of_dates(values: Array, kind: ColumnKind) -> Floats:
    """Days since 1970, and the position in year, week and day as points of the circle."""
    when = kind.read(values)
    days = as_float(when)
    start = as_float(when.astype("datetime64[Y]").astype("datetime64[s]"))
    turns = np.column_stack([(days - start) / 365.25, (days + 3) / 7, days]) % 1.0
    return np.column_stack([days, np.sin(2 * np.pi * turns), np.cos(2 * np.pi * turns)])


_VALUES = {"number": lambda values, kind: kind.read(values), "date": _parts_of_dates}
_LABELS = {
    "number": lambda name: [name],
    "date": lambda name: [name, *(f"{name} {f} of {p}" for f in ("sine", "cosine") for p in ("year", "week", "day"))],
}
