"""Conditions in words, in SQL and in Python.

    2.5 < x ≤ 4        "x" > 2.5 AND "x" <= 4        row["x"] > 2.5 and row["x"] <= 4                             (1)

A dialect is a noun of few verbs; `say` puts a condition into any of them. SQL and Python say about missing values all
that the tree does, in SQL's logic of three values too, and that a value which is no category counts as missing; words
leave out what goes without saying. SQL: ISO/IEC 9075.
"""

from __future__ import annotations

import json
from ast import literal_eval
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import singledispatch
from math import inf
from numbers import Real

import numpy as np

from gnomon.search.conditions import Condition, OneOf
from gnomon.search.words import Cell, Words, spell, spell_name, spell_number

__all__ = ["PYTHON", "SQL", "TEXT", "Dialect", "say", "say_all", "say_any"]


@dataclass(frozen=True)
class Dialect:
    """How a language writes comparisons.

    Parameters
    ----------
    at_most, equals, differs, conjunction, disjunction, always : str
        Its words for ≤, =, ≠, and, or, and what is always true.
    exact : bool
        Whether missing values are said even where they just follow the heavier branch.

    References
    ----------
    ISO/IEC 9075-2:2023. Information technology: database languages SQL.

    Examples
    --------
    >>> from gnomon.search import Words
    >>> from gnomon.search.conditions import Interval
    >>> from gnomon.search.dialects import SQL, TEXT, say
    >>> words = Words(("age",), (None,))
    >>> say(Interval.of(0, low=(2.0, True), high=(4.0, True)), words, TEXT)
    '2.0 < age ≤ 4.0'
    >>> say(Interval.of(0, high=(4.0, True), missing=True), words, SQL)
    '("age" <= 4.0 OR "age" IS NULL)'
    """

    at_most: str
    equals: str
    differs: str
    conjunction: str
    disjunction: str
    always: str
    exact: bool = True

    def column(self, name):
        """A column."""
        return spell_name(name)

    def constant(self, value):
        """A category or a label."""
        return spell(value)

    def summand(self, name):
        """A column inside a weighted sum."""
        return self.column(name)

    def total(self, terms, names):
        """A column, or a weighted sum of columns."""
        if terms == ((terms[0][0], 1.0),):
            return self.column(names[terms[0][0]])
        return _weighted(terms, {j: self.summand(names[j]) for j, _ in terms})

    def between(self, value, low, high, number):
        """Above one end and below the other."""
        return f"{self.above(value, low, number)} {self.conjunction} {self.below(value, high, number)}"

    def above(self, value, low, number):
        """Above a lower end."""
        return f"{value} {'>' if low[1] else self.at_most.replace('<', '>').replace('≤', '≥')} {number(low[0])}"

    def below(self, value, high, number):
        """Below an upper end."""
        return f"{value} {self.at_most if high[1] else '<'} {number(high[0])}"

    def among(self, column, values):
        """One of some values."""
        if len(values) == 1:
            return f"{column} {self.equals} {self.constant(values[0])}"
        return f"{column} in {{{', '.join(map(self.constant, values))}}}"

    def outside(self, column, values, *, missing):
        """None of some values; `missing` says whether no value at all passes."""
        listed = [*map(self.constant, values), *([] if missing else ["missing"])]
        return f"{column} not in {{{', '.join(listed)}}}"

    def missing(self, columns):
        """One of the columns has no value."""
        return f" {self.disjunction} ".join(f"{column} is missing" for column in columns)

    def known(self, columns):
        """All columns have values."""
        return f" {self.conjunction} ".join(f"{column} is known" for column in columns)

    def or_missing(self, text, columns):
        """A condition, or no value."""
        return f"{text} or missing"


def _weighted(terms, columns):
    parts = [f"{abs(c)!r}*{columns[j]}" for j, c in terms]
    signs = [" - " if c < 0 else " + " for _, c in terms]
    return ("-" if terms[0][1] < 0 else "") + parts[0] + "".join(map(str.__add__, signs[1:], parts[1:]))


class _Text(Dialect):
    """Words, with intervals as one writes them."""

    def between(self, value, low, high, number):
        if low[0] == high[0]:
            return f"{value} = {number(low[0])}"
        return f"{number(low[0])} {'<' if low[1] else '≤'} {self.below(value, high, number)}"

    def summand(self, name):
        """Between quotation marks, unless it is a single word."""
        return name if str(name).isidentifier() else json.dumps(str(name))


class _Sql(Dialect):
    """SQL, with NULL for what is missing."""

    def column(self, name):
        return '"' + str(name).replace('"', '""') + '"'

    def constant(self, value):
        return _sql_literal(value)

    def among(self, column, values):
        if len(values) == 1:
            return f"{column} = {self.constant(values[0])}"
        return f"{column} IN ({', '.join(map(self.constant, values))})"

    def outside(self, column, values, *, missing):
        if not values:
            return self.always if missing else self.known([column])
        listed = ", ".join(map(self.constant, values))
        text = f"{column} <> {listed}" if len(values) == 1 else f"{column} NOT IN ({listed})"
        # A comparison with NULL is neither true nor false, so that NULL does not pass by itself.
        return self.or_missing(text, [column]) if missing else text

    def missing(self, columns):
        text = " OR ".join(f"{column} IS NULL" for column in columns)
        return text if len(columns) == 1 else f"({text})"

    def known(self, columns):
        return " AND ".join(f"{column} IS NOT NULL" for column in columns)

    def or_missing(self, text, columns):
        return f"({text} OR {' OR '.join(f'{column} IS NULL' for column in columns)})"


class _Python(Dialect):
    """Python, over a dict `row` in which NaN is what is missing; it does not equal itself."""

    def column(self, name):
        return f"row[{name!r}]"

    def constant(self, value):
        return _python_literal(value)

    def _tuple(self, values):
        return f"({', '.join(map(self.constant, values))})"

    def among(self, column, values):
        return f"{column} == {self.constant(values[0])}" if len(values) == 1 else f"{column} in {self._tuple(values)}"

    def outside(self, column, values, *, missing):
        if not values:
            return self.always if missing else self.known([column])
        text = (
            f"{column} != {self.constant(values[0])}" if len(values) == 1 else f"{column} not in {self._tuple(values)}"
        )
        # NaN is no value, so that it passes by itself.
        return text if missing else f"{self.known([column])} and {text}"

    def missing(self, columns):
        text = " or ".join(f"{column} != {column}" for column in columns)
        return text if len(columns) == 1 else f"({text})"

    def known(self, columns):
        return " and ".join(f"{column} == {column}" for column in columns)

    def or_missing(self, text, columns):
        return f"({text} or {' or '.join(f'{column} != {column}' for column in columns)})"


@singledispatch
def _sql_literal(value: Cell) -> str:
    """A value as SQL writes it; what has no literal there (a tuple, an interval) is the string that ``str`` gives."""
    return "'" + str(value).replace("'", "''") + "'"


@_sql_literal.register(type(None))
@_sql_literal.register(np.bool_)
@_sql_literal.register(Real)
def _(value: Cell) -> str:
    return spell(value).upper()


@_sql_literal.register
def _(value: bytes) -> str:
    return f"X'{value.hex().upper()}'"


@_sql_literal.register
def _(value: date) -> str:
    return f"DATE '{value.isoformat()}'"


@_sql_literal.register
def _(value: datetime) -> str:
    return f"TIMESTAMP '{value.isoformat(' ')}'"


@singledispatch
def _python_literal(value: Cell) -> str:
    """A value as Python writes it; one without a literal is refused."""
    try:
        same = literal_eval(repr(value)) == value
    except (ValueError, SyntaxError):
        same = False
    if not same:
        raise ValueError(
            f"{value!r} is a category or a label, and Python has no literal for it; turn the column into strings, "
            "numbers or dates before fit"
        )
    return repr(value)


@_python_literal.register
def _(value: np.generic) -> str:
    return _python_literal(value.item())


@_python_literal.register
def _(value: date) -> str:
    return f"datetime.date.fromisoformat({value.isoformat()!r})"


@_python_literal.register
def _(value: datetime) -> str:
    return f"datetime.datetime.fromisoformat({value.isoformat()!r})"


TEXT = _Text("≤", "=", "≠", "and", "or", "always", exact=False)
SQL = _Sql("<=", "=", "<>", "AND", "OR", "1 = 1")
PYTHON = _Python("<=", "==", "!=", "and", "or", "True")


def say(condition: Condition, words: Words, dialect: Dialect, decimals: int | None = None) -> str:
    """A condition as text.

    References
    ----------
    ISO/IEC 9075-2:2023. Information technology: database languages SQL.

    Examples
    --------
    >>> from gnomon.search import Words
    >>> from gnomon.search.conditions import OneOf
    >>> from gnomon.search.dialects import PYTHON, say
    >>> words = Words(("sky",), (("blue", "grey", "red"),))
    >>> say(OneOf(0, frozenset({0, 2}), 3), words, PYTHON)
    "row['sky'] in ('blue', 'red')"
    """
    columns = [dialect.column(words.names[j]) for j in condition.columns]
    passes = condition.missing and (dialect.exact or condition.mention_missing)
    if isinstance(condition, OneOf):
        return _say_set(condition, words, dialect, columns[0], passes)
    if condition.is_empty:
        return dialect.missing(columns) if condition.missing else f"not {dialect.always}"
    text = _say_interval(condition, words, dialect, decimals)
    if text is None:
        return dialect.always if condition.missing else dialect.known(columns)
    return dialect.or_missing(text, columns) if passes else text


def _say_set(condition, words, dialect, column, passes):
    """Categories; where "missing" is one of them, as None, the rest that passes is what is no category at all."""
    values = words.values[condition.column]
    listed, others = (
        [v for code, v in enumerate(values) if (code in condition.codes) == here] for here in (True, False)
    )
    known, refused = ([v for v in some if v is not None] for some in (listed, others))
    if passes and (dialect.exact or None in others):
        return dialect.outside(column, refused, missing=None not in others)
    gaps = passes or None in listed
    if not dialect.exact and not gaps and len(listed) == condition.size and condition.mention_missing:
        return dialect.known([column])
    if not known:
        return dialect.missing([column]) if gaps or condition.missing else f"not {dialect.always}"
    text = dialect.among(column, known)
    return dialect.or_missing(text, [column]) if gaps else text


def _say_interval(condition, words, dialect, decimals):
    def number(value):
        return spell_number(value, decimals)

    value, low, high = dialect.total(condition.terms, words.names), condition.low, condition.high
    parts = [f"{value} {dialect.differs} {number(hole)}" for hole in sorted(condition.holes)]
    if low[0] > -inf and high[0] < inf:
        parts.insert(0, dialect.between(value, low, high, number))
    elif low[0] > -inf or high[0] < inf:
        side = dialect.above(value, low, number) if high[0] == inf else dialect.below(value, high, number)
        parts.insert(0, side)
    return f" {dialect.conjunction} ".join(parts) or None


def say_all(conditions: Iterable[Condition], words: Words, dialect: Dialect, decimals: int | None = None) -> str:
    """All of some conditions."""
    parts = [say(condition, words, dialect, decimals) for condition in conditions]
    return f" {dialect.conjunction} ".join(parts) or dialect.always


def say_any(terms: Sequence[str], dialect: Dialect) -> str:
    """One of some terms, each the text of conditions that all hold."""
    bracketed = [f"({term})" if len(terms) > 1 else term for term in terms]
    return f" {dialect.disjunction} ".join(bracketed) or f"not {dialect.always}"
