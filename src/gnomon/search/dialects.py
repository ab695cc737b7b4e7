"""Conditions in words, in SQL and in Python.

    2.5 < x ≤ 4        "x" > 2.5 AND "x" <= 4        row["x"] > 2.5 and row["x"] <= 4                             (1)

A dialect is a noun of few verbs; `say` puts a condition into any of them. SQL and Python say about missing values all
that the tree does, in SQL's logic of three values too; words leave out what goes without saying. SQL: ISO/IEC 9075.
"""

import json
from dataclasses import dataclass
from math import inf

from gnomon.search.conditions import OneOf
from gnomon.search.words import spell, spell_name, spell_number

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

    def total(self, terms, names):
        """A column, or a weighted sum of columns."""
        if terms == ((terms[0][0], 1.0),):
            return self.column(names[terms[0][0]])
        return _weighted(terms, {j: self.column(names[j]) for j, _ in terms})

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

    def not_among(self, column, values):
        """Known or not, none of some values."""
        return f"{column} not in {{{', '.join(map(self.constant, values))}}}"

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

    def total(self, terms, names):
        """Names inside a sum stand between quotation marks, unless they are single words."""
        spoken = {j: names[j] if str(names[j]).isidentifier() else json.dumps(str(names[j])) for j, _ in terms}
        return super().total(terms, names) if len(terms) == 1 else _weighted(terms, spoken)


class _Sql(Dialect):
    """SQL, with NULL for what is missing."""

    def column(self, name):
        return '"' + str(name).replace('"', '""') + '"'

    def constant(self, value):
        return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else spell(value).upper()

    def among(self, column, values):
        if len(values) == 1:
            return f"{column} = {self.constant(values[0])}"
        return f"{column} IN ({', '.join(map(self.constant, values))})"

    def not_among(self, column, values):
        if not values:
            return self.always
        if len(values) == 1:
            return f"({column} <> {self.constant(values[0])} OR {column} IS NULL)"
        return f"({column} NOT IN ({', '.join(map(self.constant, values))}) OR {column} IS NULL)"

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
        return repr(value)

    def among(self, column, values):
        return f"{column} == {values[0]!r}" if len(values) == 1 else f"{column} in {tuple(values)!r}"

    def not_among(self, column, values):
        return f"{column} != {values[0]!r}" if len(values) == 1 else f"{column} not in {tuple(values)!r}"

    def missing(self, columns):
        text = " or ".join(f"{column} != {column}" for column in columns)
        return text if len(columns) == 1 else f"({text})"

    def known(self, columns):
        return " and ".join(f"{column} == {column}" for column in columns)

    def or_missing(self, text, columns):
        return f"({text} or {' or '.join(f'{column} != {column}' for column in columns)})"


TEXT = _Text("≤", "=", "≠", "and", "or", "always", exact=False)
SQL = _Sql("<=", "=", "<>", "AND", "OR", "1 = 1")
PYTHON = _Python("<=", "==", "!=", "and", "or", "True")


def say(condition, words, dialect, decimals=None):
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
    passes = condition.missing and (dialect.exact or condition.told)
    if condition.is_empty:
        return dialect.missing(columns) if condition.missing else f"not {dialect.always}"
    if isinstance(condition, OneOf):
        return _say_set(condition, words, dialect, columns[0], passes)
    text = _say_interval(condition, words, dialect, decimals)
    if text is None:
        return dialect.always if condition.missing else dialect.known(columns)
    return dialect.or_missing(text, columns) if passes else text


def _say_set(condition, words, dialect, column, passes):
    values = words.values[condition.column]
    listed = [values[code] for code in sorted(condition.codes)]
    if passes and dialect.exact:
        # What is not among the categories counts as missing, so that only the others are known to fail.
        return dialect.not_among(column, [v for code, v in enumerate(values) if code not in condition.codes])
    if not passes and len(listed) == condition.size and condition.told:
        return dialect.known([column])
    text = dialect.among(column, listed)
    return dialect.or_missing(text, [column]) if passes else text


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


def say_all(conditions, words, dialect, decimals=None):
    """All of some conditions."""
    parts = [say(condition, words, dialect, decimals) for condition in conditions]
    return f" {dialect.conjunction} ".join(parts) or dialect.always


def say_any(terms, dialect):
    """One of some terms, each the text of conditions that all hold."""
    bracketed = [f"({term})" if len(terms) > 1 else term for term in terms]
    return f" {dialect.disjunction} ".join(bracketed) or f"not {dialect.always}"
