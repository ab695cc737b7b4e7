"""From a table to a matrix: the first step of every pipeline that the command builds.

numbers     median in place of missing, a column that says where, then zero mean and unit variance
dates       days since 1970, month, weekday and hour on the circle, then as numbers
categories  as the model says that it wants them (`CODINGS`); rare levels share one name, missing is a level
clock       of the dates that order the rows: hour and weekday, as they are and on the circle
text        term frequency × inverse document frequency of words, pairs of words, and runs of two to five letters; for
            models of few columns, the fifty directions in which texts differ most (latent semantic analysis)

Deerwester et al. (1990), doi:10.1002/(SICI)1097-4571(199009)41:6<391::AID-ASI1>3.0.CO;2-9.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted

from gnomon._registry import LevelCoding
from gnomon._typing import Array, Floats, NDArray
from gnomon.io import Table
from gnomon.io.tables import TableError, as_float, as_table, listed, to_text
from gnomon.report._kinds import ColumnKind
from gnomon.report.level_means import LevelMeans
from gnomon.report.of_columns import OfColumns, words_of

__all__ = ["CODINGS", "Preparer", "ShownLevels"]

Detail: TypeAlias = Literal["full", "plain"]
"""What is made of numbers and dates: all that may tell something, or one column each."""

MOST_TERMS = 30_000
TOPICS = 50
OF_TERMS: tuple[LevelCoding, ...] = ("columns", "means")
"""The codings for models of many columns."""
NARROW = 200
DENSE_AT_LEAST = 0.3
RARE_LEVEL = "(rare)"
WORD = r"(?u)\b\w+\b"


class ShownLevels(NamedTuple):
    """One way to show categories to a model: rows that a level needs for a name of its own, most such levels, words."""

    least: int
    most: int
    text: str


CODINGS: dict[LevelCoding, ShownLevels] = {
    # A level of one row tells a penalised model nothing; its coefficient is better spent on levels never seen.
    "columns": ShownLevels(2, 1_000, "one column of zeros and ones per level"),
    # A density needs several rows for each of its dimensions.
    "frequent": ShownLevels(5, 40, "one column of zeros and ones for each of the forty most frequent levels"),
    "means": ShownLevels(1, 0, "the mean of the target over the rows of a level, drawn towards that of all rows"),
    "words": ShownLevels(2, 1_000, "as they are: a test asks whether a level is in a set of levels"),
}


class Preparer(TransformerMixin, OfColumns):
    """Turn a table into a matrix as the module's docstring says.

    Parameters
    ----------
    kinds : tuple of ColumnKind
        The columns to use, by name; a table may hold them in any order, with others between.
    levels : {"columns", "frequent", "means", "words"}, default="columns"
        How categories are shown to the model, a key of `CODINGS`; "means" need the target in `fit`.
    detail : {"full", "plain"}, default="full"
        "full" adds where numbers are missing, and the place of a date in year, week and day; "plain" makes one column
        of each number or date, for distances, in which every column counts alike.
    """

    def __init__(self, kinds: tuple[ColumnKind, ...], levels: LevelCoding = "columns", detail: Detail = "full"):
        self.kinds = kinds
        self.levels = levels
        self.detail = detail

    def fit(self, X: Table, y: Array | None = None) -> Self:
        """Learn medians, scales, levels and words from the rows of `X`."""
        self._learn(as_table(X), y)
        return self

    def fit_transform(self, X: Table, y: Array | None = None, **fit_params: object) -> Any:
        """The matrix of the rows that are learned from; each text is taken apart once, no row knows its own target."""
        return self._joined(self._learn(as_table(X), y))

    def transform(self, X: Table) -> Any:
        """The matrix of `X`; an error names the columns that are missing."""
        check_is_fitted(self)
        table = as_table(X)
        absent = [kind.name for kind in self.kinds if kind.name not in table.columns]
        if absent:
            raise TableError(f"columns that the model needs are missing: {listed(absent)}; add them")
        return self._joined([block.transform(table) for block in self.blocks_])

    def _learn(self, table: Table, y: Array | None) -> list[Any]:
        """Fit the blocks, and decide whether matrices are sparse; return those of the blocks."""
        self.blocks_ = _blocks(self.kinds, self.levels, self.detail)
        parts = [block.fit_transform(table, y) for block in self.blocks_]
        width = sum(part.shape[1] for part in parts)
        filled = sum(part.count_nonzero() if sp.issparse(part) else part.size for part in parts)
        self.sparse_ = bool(width > NARROW and filled < DENSE_AT_LEAST * width * len(table))
        self.n_features_out_ = width
        levels = [kind.name for kind in self.kinds if kind.kind == "category"]
        self.levels_ = {name: sorted(set(to_text(table[name]).tolist())) for name in levels}
        return parts

    def _joined(self, parts: list[Any]) -> Any:
        if self.sparse_:
            return sp.hstack(parts, format="csr")
        return np.hstack([part.toarray() if sp.issparse(part) else part for part in parts])

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """The names of the columns of the matrix."""
        check_is_fitted(self)
        return np.array([name for block in self.blocks_ for name in block.names()], dtype=object)

    def spans(self) -> Iterator[tuple[ColumnKind, slice, list[str]]]:
        """Each column of a "plain" table without text, its columns of the matrix, and what levels these stand for."""
        check_is_fitted(self)
        start = 0
        for block in self.blocks_:
            for kind, levels in zip(block.kinds, block.levels(), strict=True):
                end = start + max(len(levels), 1)
                yield kind, slice(start, end), levels
                start = end

    def units(self) -> Floats:
        """Centre and scale of each column of the matrix: what it holds is (value − centre) / scale."""
        check_is_fitted(self)
        return np.hstack([block.units() for block in self.blocks_])


class Numbers(TransformerMixin, OfColumns):
    """The block of numbers and dates.

    Parameters
    ----------
    kinds : list of ColumnKind
    detail : {"full", "plain"}
    """

    def __init__(self, kinds: Sequence[ColumnKind], detail: Detail):
        self.kinds = kinds
        self.detail = detail

    def fit(self, table: Table, y: object = None) -> Self:
        """Learn medians and scales."""
        raw = self._raw(table)
        # Squares of the largest and the smallest floats are no numbers; a power of two changes no digit.
        largest = np.nanmax(np.abs(raw), axis=0, initial=0.0)
        self.unit_ = np.exp2(np.floor(np.log2(np.where(largest > 0.0, largest, 1.0))))
        full = self.detail == "full"
        imputer = SimpleImputer(strategy="median", add_indicator=full, keep_empty_features=True)
        self.steps_ = make_pipeline(imputer, StandardScaler()).fit(raw / self.unit_)
        return self

    def transform(self, table: Table) -> Floats:
        """A dense matrix without gaps."""
        return self.steps_.transform(self._raw(table) / self.unit_)

    def names(self) -> list[str]:
        """The column, or the column and the part of a date, or that it is missing."""
        raw = [label for kind in self.kinds for label in _LABELS[kind.kind](kind.name)[: self._parts]]
        return raw + [f"{raw[j]} is missing" for j in self._gaps]

    def levels(self) -> list[list[str]]:
        """None: numbers have no levels."""
        return [[] for _ in self.kinds]

    def units(self) -> Floats:
        """Means and standard deviations."""
        unit = np.append(self.unit_, np.ones(len(self._gaps)))
        return np.stack([self.steps_[-1].mean_ * unit, self.steps_[-1].scale_ * unit])

    def _raw(self, table: Table) -> Floats:
        return np.column_stack([_VALUES[kind.kind](table[kind.name], kind)[:, : self._parts] for kind in self.kinds])

    @property
    def _parts(self) -> int | None:
        """How many of the columns of a number or a date are taken; None for all."""
        return None if self.detail == "full" else 1

    @property
    def _gaps(self) -> list[int]:
        """The columns that have one that says where they are missing."""
        indicator = self.steps_[0].indicator_
        return [] if indicator is None else indicator.features_.tolist()


class Levels(TransformerMixin, OfColumns):
    """The block of categories.

    Parameters
    ----------
    kinds : list of ColumnKind
    coding : {"columns", "frequent", "words"}
    """

    def __init__(self, kinds: Sequence[ColumnKind], coding: LevelCoding):
        self.kinds = kinds
        self.coding = coding

    def fit(self, table: Table, y: object = None) -> Self:
        """Learn the levels of every column that have a name of their own, and those of a matrix of zeros and ones."""
        self.known_ = [_frequent(words, CODINGS[self.coding]) for words in self._words(table)]
        self.encoder_ = OneHotEncoder(handle_unknown="ignore").fit(self._named(table))
        return self

    def transform(self, table: Table) -> Any:
        """A sparse matrix of zeros and ones, or the words; a level never seen counts as a rare one."""
        named = self._named(table)
        return named if self.coding == "words" else self.encoder_.transform(named)

    def names(self) -> list[str]:
        """The column, and its level where that has a column of its own."""
        if self.coding == "words":
            return [kind.name for kind in self.kinds]
        pairs = zip(self.kinds, self.encoder_.categories_, strict=True)
        return [f"{kind.name} = {level}" for kind, levels in pairs for level in levels]

    def levels(self) -> list[list[str]]:
        """The levels of every column that have a column of the matrix."""
        return [levels.tolist() for levels in self.encoder_.categories_]

    def units(self) -> Floats:
        """Zeros and ones are as they are."""
        return _as_they_are(len(self.names()))

    def _words(self, table: Table) -> list[Array]:
        return [words_of(table[kind.name]) for kind in self.kinds]

    def _named(self, table: Table) -> Array:
        pairs = zip(self._words(table), self.known_, strict=True)
        named = [np.where(np.isin(words, np.array(known, words.dtype)), words, RARE_LEVEL) for words, known in pairs]
        return np.column_stack([words.astype(object) for words in named])


def _frequent(words: Array, coding: ShownLevels) -> list[str]:
    """The levels with rows enough, of many the most frequent."""
    levels, counts = np.unique(words, return_counts=True)
    order = np.argsort(-counts, kind="stable")[: coding.most]
    return levels[np.sort(order[counts[order] >= coding.least])].tolist()


class TextBlock(BaseEstimator):
    """The block of one column of free text.

    Parameters
    ----------
    kind : ColumnKind
    coding : {"columns", "frequent", "means", "words"}
        "columns" and "means" make a column of each term; the others, of topics.
    """

    def __init__(self, kind: ColumnKind, coding: LevelCoding):
        self.kind = kind
        self.coding = coding

    def fit(self, table: Table, y: object = None) -> Self:
        """Learn the terms and how rare they are; of topics, the directions."""
        self.fit_transform(table)
        return self

    def fit_transform(self, table: Table, y: object = None) -> Any:
        """What `transform` returns of the rows that are learned from."""
        rows = self._raw(table)
        known = (vectorizer for vectorizer in _vectorizers() if _has_terms(vectorizer, rows))
        self.vectorizers_ = list(known if self.coding in OF_TERMS else islice(known, 1))
        terms = _side_by_side([vectorizer.fit_transform(rows) for vectorizer in self.vectorizers_], len(rows))
        size = 0 if self.coding in OF_TERMS else min(TOPICS, *(n - 1 for n in terms.shape))
        self.topics_ = TruncatedSVD(size, random_state=0).fit(terms) if size > 0 else None
        return self._of_terms(terms)

    def transform(self, table: Table) -> Any:
        """A sparse matrix of weights, or a dense one of topics."""
        rows = self._raw(table)
        return self._of_terms(
            _side_by_side([vectorizer.transform(rows) for vectorizer in self.vectorizers_], len(rows))
        )

    def names(self) -> list[str]:
        """The column and the term or the number of the topic."""
        if self.topics_ is not None:
            return [f"{self.kind.name}: topic {k + 1}" for k in range(self.topics_.n_components)]
        return [
            f"{self.kind.name}: {sign}{term}{sign}"
            for vectorizer, sign in zip(self.vectorizers_, ("", "’"), strict=False)
            for term in vectorizer.get_feature_names_out()
        ]

    def units(self) -> Floats:
        """Weights are as they are."""
        return _as_they_are(len(self.names()))

    def __getstate__(self) -> dict[str, Any]:
        """With all terms as one text: a model file that held the place of each by itself took half a minute."""
        state = super().__getstate__()
        if "vectorizers_" not in state:
            return state
        terms = json.dumps([vectorizer.get_feature_names_out().tolist() for vectorizer in self.vectorizers_])
        return {**state, "vectorizers_": [_without_terms(one) for one in self.vectorizers_], "terms": terms}

    def __setstate__(self, state: dict[str, Any]) -> None:
        kept = {name: value for name, value in state.items() if name != "terms"}
        super().__setstate__(kept)
        for vectorizer, terms in zip(kept.get("vectorizers_", []), json.loads(state.get("terms", "[]")), strict=False):
            vectorizer.vocabulary_ = {term: place for place, term in enumerate(terms)}

    def _of_terms(self, terms: Any) -> Any:
        return terms if self.topics_ is None else self.topics_.transform(terms)

    def _raw(self, table: Table) -> list[str]:
        return to_text(table[self.kind.name]).tolist()


def _vectorizers() -> list[TfidfVectorizer]:
    """Of words and pairs of them, and of runs of letters within words, each in two rows at least."""
    shared = {"sublinear_tf": True, "max_features": MOST_TERMS, "min_df": 2}
    return [
        TfidfVectorizer(token_pattern=WORD, ngram_range=(1, 2), **shared),
        TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), **shared),
    ]


def _without_terms(vectorizer: TfidfVectorizer) -> TfidfVectorizer:
    bare = copy.copy(vectorizer)
    del bare.vocabulary_
    return bare


def _side_by_side(parts: list[Any], n: int) -> Any:
    return sp.hstack(parts, format="csr") if parts else sp.csr_matrix((n, 0))


def _has_terms(vectorizer: TfidfVectorizer, rows: list[str]) -> bool:
    """Whether any term stands in two rows."""
    analyze, seen = vectorizer.build_analyzer(), set[str]()
    for row in rows:
        terms = set(analyze(row))
        if not seen.isdisjoint(terms):
            return True
        seen |= terms
    return False


def _as_they_are(width: int) -> Floats:
    return np.stack([np.zeros(width), np.ones(width)])


def _blocks(kinds: Sequence[ColumnKind], coding: LevelCoding, detail: Detail) -> list[Any]:
    numbers = [kind for kind in kinds if kind.kind in _VALUES]
    levels = [kind for kind in kinds if kind.kind == "category"]
    blocks: list[Any] = [Numbers(numbers, detail)] if numbers else []
    blocks += [LevelMeans(levels) if coding == "means" else Levels(levels, coding)] if levels else []
    return blocks + [TextBlock(kind, coding) for kind in kinds if kind.kind == "text"]


def _parts_of_dates(values: Array, kind: ColumnKind) -> Floats:
    """Days since 1970, and the position in year, week and day as points of the circle."""
    when = kind.read(values)
    days = as_float(when)
    start = as_float(when.astype("datetime64[Y]").astype("datetime64[s]"))
    turns = np.column_stack([(days - start) / 365.25, (days + 3) / 7, days]) % 1.0
    return np.column_stack([days, np.sin(2 * np.pi * turns), np.cos(2 * np.pi * turns)])


def _parts_of_clocks(values: Array, kind: ColumnKind) -> Floats:
    """Hour and weekday as numbers, which end where the next day or week begins, and as points of the circle."""
    days = as_float(kind.read(values))
    turns = np.column_stack([days % 1.0, (days + 3) / 7 % 1.0])
    return np.column_stack([turns * [24.0, 7.0], np.sin(2 * np.pi * turns), np.cos(2 * np.pi * turns)])


_VALUES = {
    "number": lambda values, kind: kind.read(values)[:, None],
    "date": _parts_of_dates,
    "clock": _parts_of_clocks,
}
_LABELS = {
    "number": lambda name: [name],
    "date": lambda name: [name, *(f"{name} {f} of {p}" for f in ("sine", "cosine") for p in ("year", "week", "day"))],
    "clock": lambda name: [
        f"hour of {name}", f"weekday of {name}",
        *(f"{name} {f} of {p}" for f in ("sine", "cosine") for p in ("day", "week")),
    ],
}  # fmt: skip
