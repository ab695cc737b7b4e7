"""How a tree is written by hand: indented text, or nested dicts and tuples.

    outlook = sunny:                         {"outlook": {"sunny": {"humidity": {"high": "no", …}}, …}}             (1)
        humidity = high: no                  ("temperature", 25.0, below, above)
        humidity = normal: yes               ("outlook", {"sunny", "rainy"}, among, others)

Both become forks and leaves that remember where they stand, so that an error can say so. After the listings of
Quinlan (1993), C4.5: Programs for Machine Learning, ISBN 978-1-55860-238-0.
"""

from __future__ import annotations

import json
import numbers
import re
from typing import Any, NamedTuple, TypeAlias

from gnomon.search.words import NUMBER, Cell, ColumnName, Label

__all__ = ["Case", "Leaf", "RuleFork", "parse"]

OPERATORS = {"<=": "≤", ">=": "≥", "≤": "≤", "≥": "≥", "<": "<", ">": ">", "=": "=", "==": "=", "≠": "≠", "!=": "≠"}
QUOTED = r'"(?:[^"\\]|\\.)*"'
OPERATOR = re.compile(r"<=|>=|==|!=|≤|≥|≠|<|>|=|(?<=\s)in(?=\s)|(?<=\s)is(?=\s)")
TERM = re.compile(rf"\s*(?P<sign>[+-]?)\s*(?P<coef>[\d.]+(?:[eE][+-]?\d+)?)\s*\*\s*(?P<name>{QUOTED}|[^\W\d]\w*)")
SIZE = re.compile(r"\((?P<rows>\d+) rows?(?:, weight (?P<weight>[-+.\deE]+))?\)\s*$")
KEY = re.compile(r"(<=|>=|==|!=|≤|≥|≠|<|>|=)\s*([-+.\deE]+)")
OR_MISSING = re.compile(r"(?:^|\s)or missing$")
BRACED = re.compile(r"\{(.*)\}\s*$")

TreeSpec: TypeAlias = Any
"""Text, ``{column: {value: …}}``, ``(column, threshold or values, first, second)``, or the label of a lone leaf."""


class Leaf(NamedTuple):
    """An answer: a label, or None if it is left open; weights of classes and rows where they are given."""

    place: str
    label: Label = None
    counts: dict[Label, float] | None = None
    rows: int | None = None
    weight: float | None = None


class Case(NamedTuple):
    """One branch of a fork: `op` is ≤, <, >, ≥, =, "in", "is" (known or missing) or "else"."""

    place: str
    terms: tuple[tuple[ColumnName, float], ...]
    op: str
    value: Cell | list[Cell]
    missing: bool
    below: RuleFork | Leaf


class RuleFork(NamedTuple):
    """A test with its branches; `stop`: rows that no branch takes stay."""

    place: str
    cases: list[Case]
    stop: bool = False


def parse(spec: TreeSpec) -> RuleFork | Leaf:
    """Text, or dicts and tuples, as a `RuleFork` or a `Leaf`."""
    if isinstance(spec, str) and (":" in spec or "\n" in spec or "{" in spec):
        return _parse_text(spec)
    return _parse_nested(spec, "the root")


def _parse_text(text):
    lines = []
    for number, line in enumerate(text.expandtabs(4).split("\n"), 1):
        stripped = re.sub(r"^[|\s]+", "", line).rstrip()
        if stripped and not stripped.startswith("#"):
            lines.append((len(line) - len(line.lstrip("| ")), stripped, f"line {number}"))
    if not lines:
        raise ValueError("the text of the tree is empty; write a line for each branch, as 'outlook = sunny: yes'")
    root, end = _block(lines, 0, lines[0][0])
    if end < len(lines):
        raise ValueError(f"{lines[end][2]}: {lines[end][1]!r} is indented less than the first line; indent it alike")
    return root


def _block(lines, start, indent):
    """The fork whose branches begin at line `start`, or a lone leaf; and the line after it."""
    place = lines[start][2]
    if _colon(lines[start][1]) < 0:
        return _leaf(lines[start][1], place), start + 1
    cases, stop = [], False
    while start < len(lines) and lines[start][0] == indent:
        _, line, where = lines[start]
        colon = _colon(line)
        if colon < 0:
            raise ValueError(f"{where}: {line!r} has no colon after its test; write as 'outlook = sunny: yes'")
        test, rest = line[:colon].strip(), line[colon + 1 :].strip()
        start += 1
        deeper = start < len(lines) and lines[start][0] > indent
        if rest and deeper:
            raise ValueError(f"{lines[start][2]}: nothing may be indented below {line!r}, which has its answer already")
        if not rest and not deeper:
            raise ValueError(f"{where}: {line!r} has no answer; write one after the colon, or indent a test below")
        if test == "else" and rest == "stop":
            stop = True
            continue
        below, start = (_leaf(rest, where), start) if rest else _block(lines, start, lines[start][0])
        cases.append(_case(test, where, below))
    if start < len(lines) and lines[start][0] > indent:
        raise ValueError(
            f"{lines[start][2]}: {lines[start][1]!r} is indented unlike its neighbours; align the branches"
        )
    return RuleFork(place, cases, stop), start


def _colon(line):
    """Where the test of a line ends: the first colon outside quotation marks and braces; −1 if there is none."""
    bare = _bare(line)
    brace = bare.find("{")
    colon = bare.find(":")
    if 0 <= brace < colon:
        closing = bare.find("}", brace)
        colon = -1 if closing < 0 else bare.find(":", closing)
    return colon


def _bare(text):
    """The text with all that stands between quotation marks blotted out."""
    return re.sub(QUOTED, lambda match: "_" * len(match[0]), text)


def _case(test, place, below):
    missing = OR_MISSING.search(test) is not None
    test = test.removesuffix("or missing").strip() if missing else test
    if test == "else":
        return Case(place, (), "else", None, missing, below)
    found = OPERATOR.search(_bare(test))
    if found is None or not test[: found.start()].strip() or not test[found.end() :].strip():
        raise ValueError(
            f"{place}: {test!r} is no test; write as 'outlook = sunny', 'age ≤ 30' or 'sky in {{red, grey}}'"
        )
    name, op, rest = test[: found.start()].strip(), found[0], test[found.end() :].strip()
    terms = _terms(name, place)
    if op == "is":
        if rest not in ("missing", "known"):
            raise ValueError(f"{place}: {test!r} is no test; after 'is' comes 'missing' or 'known'")
        return Case(place, terms, "is", rest, missing, below)
    if op == "in":
        if not (rest.startswith("{") and rest.endswith("}")):
            raise ValueError(f"{place}: {rest!r} is no set; write as '{{red, grey}}'")
        return Case(place, terms, "in", [_value(part, place) for part in _split(rest[1:-1])], missing, below)
    return Case(place, terms, OPERATORS[op], _value(rest, place), missing, below)


def _terms(name, place):
    """A column with the coefficient 1, or the terms of a weighted sum."""
    found, at = [], 0
    while match := TERM.match(name, at):
        found.append((_unquoted(match["name"], place), float(match["sign"] + match["coef"])))
        at = match.end()
    return tuple(found) if found and not name[at:].strip() else ((_unquoted(name, place), 1.0),)


def _unquoted(text, place):
    return _from_json(text, place) if text.startswith('"') else text


def _from_json(text, place):
    try:
        return json.loads(text)
    except ValueError as error:
        raise ValueError(
            f'{place}: {text!r} cannot be read ({error}); quote words as "so", list numbers as [1, 2]'
        ) from None


def _value(text, place):
    """A quoted string, a number if it looks like one, else the word itself."""
    text = text.strip()
    if text.startswith('"') or not NUMBER.fullmatch(text):
        return _unquoted(text, place)
    return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)


def _split(text):
    """Parts between commas that stand outside quotation marks."""
    return [part.strip() for part in re.findall(rf"(?:{QUOTED}|[^,])+", text)]


def _leaf(text, place):
    size = SIZE.search(text)
    rows = weight = None
    if size:
        text, rows = text[: size.start()].strip(), int(size["rows"])
        weight = None if size["weight"] is None else float(size["weight"])
    counts = None
    braced = BRACED.search(_bare(text))
    if braced:
        pairs = [part.rpartition(":") for part in _split(text[braced.start(1) : braced.end(1)])]
        counts = {_value(label, place): _amount(amount, place) for label, _, amount in pairs}
        text = text[: braced.start()].strip()
    if text.startswith("["):
        return Leaf(place, _from_json(text, place), counts, rows, weight)
    label = None if text in ("?", "") else _value(text, place)
    if label is None and counts:
        label = max(counts, key=lambda key: counts[key])
    return Leaf(place, label, counts, rows, weight)


def _amount(text, place):
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{place}: {text.strip()!r} is no weight of a class; write as '{{no: 1, yes: 3}}'") from None


def _parse_nested(spec, place):
    if isinstance(spec, tuple):
        return _parse_tuple(spec, place)
    if not isinstance(spec, dict):
        return Leaf(place, spec if spec != "?" else None)
    if spec and all(isinstance(value, numbers.Real) for value in spec.values()):
        counts = {label: float(value) for label, value in spec.items()}
        return Leaf(place, max(counts, key=lambda key: counts[key]), counts)
    if len(spec) != 1 or not isinstance(next(iter(spec.values())), dict):
        raise ValueError(
            f"{place}: {spec!r} is neither {{column: {{value: …}}}} with one column nor {{label: weight}}; write one"
        )
    (name, branches), stop = next(iter(spec.items())), False
    cases = []
    for key, below in branches.items():
        where = f"{_within(place)}{name} → {key}"
        if key == "else" and below == "stop":
            stop = True
        else:
            cases.append(_keyed(((name, 1.0),), key, where, _parse_nested(below, where)))
    return RuleFork(f"{_within(place)}{name}", cases, stop)


def _within(place):
    return "" if place == "the root" else f"{place} → "


def _keyed(terms, key, place, below):
    """A branch from its key: a comparison, a value or several, None for missing, "else" for the rest."""
    if key == "else":
        return Case(place, (), "else", None, False, below)
    if key is None:
        return Case(place, terms, "is", "missing", False, below)
    found = KEY.fullmatch(key.strip()) if isinstance(key, str) else None
    if found:
        return Case(place, terms, OPERATORS[found[1]], float(found[2]), False, below)
    if isinstance(key, (tuple, frozenset)):
        values = [value for value in key if value is not None]
        return Case(place, terms, "in", values, len(values) < len(key), below)
    return Case(place, terms, "=", key, False, below)


def _parse_tuple(spec, place):
    if len(spec) != 4:
        raise ValueError(
            f"{place}: {spec!r} has {len(spec)} parts; write (column, threshold or set of values, first, second)"
        )
    name, split, first, second = spec
    terms, here = ((name, 1.0),), f"{_within(place)}{name}"
    if isinstance(split, numbers.Real):
        ops = [("≤", float(split)), (">", float(split))]
    elif isinstance(split, (set, frozenset, list, tuple)):
        ops = [("in", list(split)), ("else", None)]
    else:
        ops = [("=", split), ("else", None)]
    places = [f"{here} → {'first' if b == 0 else 'second'}" for b in range(2)]
    below = [_parse_nested(part, where) for part, where in zip((first, second), places, strict=True)]
    return RuleFork(here, [
        Case(where, () if op == "else" else terms, op, value, False, part)
        for where, (op, value), part in zip(places, ops, below, strict=True)
    ])  # fmt: skip
