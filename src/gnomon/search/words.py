"""Words for a tree: names of columns, values of categories, labels of classes.

    column 2, code 1, class 0    ↔    "humidity", "normal", "no"                                                   (1)

A `Tree` knows numbers only. Its words turn them into what people wrote, and back: Michie (1988), Machine learning
in the next five years, on descriptions that can be read and taught as a criterion of learning.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np

from gnomon._typing import Array, Floats
from gnomon.numerics.domains import Domain
from gnomon.search.tree import Tree

__all__ = ["Words", "count_rows", "spell", "spell_name", "spell_number"]

RESERVED = {"else", "stop", "missing", "known", "?", ""}
PLAIN = re.compile(r"[^\W\d][\w .()/%°+-]*")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf|nan", re.IGNORECASE)
OPERATOR = re.compile(r"\s(in|is|or|and)\s")
ROW_COUNT = re.compile(r"\(\d+ rows?\b")
ColumnName: TypeAlias = Any
"""A string as a rule; any label of a column that can be hashed."""

Cell: TypeAlias = Any
"""A number, a category of any type, or None where it is missing."""

Label: TypeAlias = Any
"""A class of any type, a number, or a list of numbers."""

LARGEST = 2.0**53
"""Whole numbers beyond this have gaps between them, so that their digits say nothing more."""


@dataclass(frozen=True, eq=False)
class Words:
    """What the numbers in a tree stand for.

    Parameters
    ----------
    names : tuple
        The columns.
    values : tuple
        For each column the tuple of its categories, by code, None among them if a missing cell is one; None for a
        column of numbers.
    classes : ndarray, optional
        The labels; None where a tree answers with numbers.

    References
    ----------
    Michie, D. (1988). Machine learning in the next five years. Proceedings of EWSL-88, 107-122.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Words
    >>> words = Words(("humidity", "age"), (("high", "normal"), None), np.array(["no", "yes"]))
    >>> words.cell(0, 1.0), words.cell(1, 31.0), words.label(np.array([0.2, 0.8]))
    ('normal', 31.0, 'yes')
    """

    names: tuple[ColumnName, ...]
    values: tuple[tuple[Cell, ...] | None, ...]
    classes: Array | None = None

    @classmethod
    def of(cls, names: Iterable[ColumnName], domains: Iterable[Domain | None], classes: Array | None = None) -> Self:
        """Words of columns with a `Domain` each, None for numbers."""
        values = [None if domain is None else tuple(domain.labels.tolist()) for domain in domains]
        return cls(tuple(names), tuple(values), classes)

    @classmethod
    def plain(cls, tree: Tree, classes: Array | None = None) -> Self:
        """Words for a tree of which nothing is known: columns x0, x1, …, categories by their codes."""
        codes: list[tuple[Cell, ...] | None] = [None] * tree.n_features
        for node in np.flatnonzero(tree.tests.which >= 0):
            kind, cells, _, _ = tree.tests.test(tree.tests.which[node])
            j = tree.feature[node]
            if kind == 0:
                codes[j] = tuple(range(max(len(codes[j] or ()), int(np.max(cells, initial=-1)) + 1)))
        return cls(tuple(f"x{j}" for j in range(tree.n_features)), tuple(codes), classes)

    def size(self, j: int) -> int:
        """How many categories column j has."""
        return len(self.values[j] or ())

    def cell(self, j: int, x: float) -> Cell:
        """What the number x in column j stands for; None for a missing one."""
        if np.isnan(x):
            return None
        values = self.values[j]
        return float(x) if values is None else values[int(x)]

    def label(self, answer: Floats) -> Label:
        """What a node with this answer predicts: a class, or a number (several outputs: a list)."""
        if self.classes is not None:
            return self.classes[int(np.argmax(answer))].item() if self.classes.dtype.kind != "O" else (
                self.classes[int(np.argmax(answer))]
            )  # fmt: skip
        numbers = np.atleast_1d(answer).tolist()
        return numbers[0] if len(numbers) == 1 else numbers


def spell(value: Cell) -> str:
    """A value as the text of a tree has it: plain where that cannot be mistaken, else between quotation marks.

    Between these stand dates, tuples and all other values that are neither numbers nor strings, as ``str`` has them.

    References
    ----------
    Bray, T. (2017). The JavaScript Object Notation (JSON) data interchange format. doi:10.17487/RFC8259

    Examples
    --------
    >>> from gnomon.search.words import spell
    >>> spell("sunny"), spell("5"), spell(5), spell("a, b")
    ('sunny', '"5"', '5', '"a, b"')
    """
    if isinstance(value, str):
        plain = PLAIN.fullmatch(value) and value == value.strip() and not _mistakable(value)
        return value if plain else json.dumps(value, ensure_ascii=False)
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < LARGEST else repr(number)
    plain_types = (bool, np.bool_, int, np.integer)
    return str(value) if value is None or isinstance(value, plain_types) else json.dumps(str(value), ensure_ascii=False)


def spell_name(name: ColumnName) -> str:
    """The name of a column, as `spell`."""
    return spell(str(name))


def spell_number(value: float, decimals: int | None = None) -> str:
    """A number that reads back as itself, or one rounded to some decimals."""
    return repr(float(value)) if decimals is None else f"{float(value):.{decimals}f}"


def count_rows(n: int) -> str:
    """1 row, 2 rows."""
    return f"{n} row{'' if n == 1 else 's'}"


def _mistakable(text: str) -> bool:
    found = (NUMBER.fullmatch(text), OPERATOR.search(f" {text} "), ROW_COUNT.search(text))
    return text.lower() in RESERVED or any(match is not None for match in found)
