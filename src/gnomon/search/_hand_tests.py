"""The branches of one test, as written, as the test of a node.

    {≤ t, > t}   {< t, = t, > t}   {= t, ≠ t}   {Σ c_j x_j ≤ t, > t}   sets of categories   each may add "missing"   (1)

Nothing else is disjoint and takes everything, so nothing else passes: an error says which values have two branches, or
none. "else" takes what is left, missing values alone if that is all. Knuth, The Art of Computer Programming 1, §2.3, on
such trees.
"""

from __future__ import annotations

from math import inf, nextafter
from typing import Any, NamedTuple

import numpy as np

__all__ = ["HandTest", "fork_test", "is_sum"]

COMPARISONS = ("≤", "<", ">", "≥", "=", "≠")
WAYS = ("<", "=", ">")


class HandTest(NamedTuple):
    """A test: the cases in the order of its branches, and what a `Tree` keeps of it.

    `missing` is the branch of missing values, −1 if they stay, None if nothing is said; `codes` are the categories that
    each branch takes, None for numbers.
    """

    cases: list
    feature: int
    threshold: float
    missing: Any
    packed: Any = None
    codes: Any = None


def fork_test(fork, place_of, words, possible):
    """The test of a fork; `possible` has by column the categories that can reach it."""
    terms = _one_quantity(fork)
    columns = [place_of[name] for name, _ in terms]
    is_category = [words.values[j] is not None for j in columns]
    if not is_sum(terms) and is_category[0]:
        return _categories(fork, columns[0], words, possible)
    if any(is_category):
        wrong = terms[is_category.index(True)][0]
        raise ValueError(f"{fork.place}: {wrong!r} holds categories, which cannot be added up; use other columns")
    return _numbers(fork, terms, columns)


def is_sum(terms):
    """Whether terms are more than a single column."""
    return len(terms) > 1 or any(c != 1.0 for _, c in terms)


def _one_quantity(fork):
    named = [case.terms for case in fork.cases if case.terms]
    if not named:
        raise ValueError(f"{fork.place}: 'else' stands alone; write at least one test before it")
    for case in fork.cases:
        if case.terms and case.terms != named[0]:
            raise ValueError(
                f"{case.place}: this branch tests {_name(case.terms)}, the one before it {_name(named[0])}; all "
                "branches of a node test the same, so indent it below another branch"
            )
    if len(fork.cases) < 2 and not fork.stop:
        raise ValueError(f"{fork.place}: {_name(named[0])} has a single branch; add the others, or 'else:'")
    rest = [case for case in fork.cases if case.op == "else"]
    if len(rest) + fork.stop > 1:
        raise ValueError(f"{rest[-1].place}: 'else' stands twice below {fork.place}; leave one of the two out")
    return named[0]


def _name(terms):
    return " + ".join(repr(name) if c == 1.0 else f"{c!r}*{name!r}" for name, c in terms)


def _missing_branch(fork, cases):
    """The branch of missing values: the one that says so, or "else"; −1 for "else: stop", None if nothing is said."""
    takers = [b for b, case in enumerate(cases) if case.missing or (case.op == "is" and case.value == "missing")]
    if len(takers) > 1:
        raise ValueError(f"{cases[takers[1]].place}: missing values have a branch already; leave one of the two out")
    takers += [b for b, case in enumerate(cases) if case.op == "else"]
    return takers[0] if takers else (-1 if fork.stop else None)


def _numbers(fork, terms, columns):
    for case in fork.cases:
        if case.op == "in" or (case.op in COMPARISONS and not isinstance(case.value, (int, float))):
            raise ValueError(
                f"{case.place}: {_name(terms)} holds numbers, and {case.value!r} is none; compare by ≤ and >, or "
                "declare the column's categories"
            )
    ops: dict = {}
    for case in fork.cases:
        key = case.value if case.op == "is" else case.op
        if key in ops:
            raise ValueError(f"{case.place}: two branches ask the same of {_name(terms)}; write ≤ t and > t")
        ops[key] = case
    cases, packed, t = _sides(fork, terms, ops)
    if is_sum(terms):
        if packed is not None or t == inf:
            raise ValueError(f"{fork.place}: a weighted sum is compared by ≤ t and > t alone; write it so")
        weights = [c for _, c in terms]
        packed, t = (2, [*columns, -1], np.zeros(len(columns) + 1), [*weights, t]), np.nan
    cases = _with_the_rest(fork, terms, cases)
    return HandTest(cases, columns[0], t, _missing_branch(fork, cases), packed)


def _sides(fork, terms, ops):
    """The branches that numbers take, in the order of the test; the packed test, and its threshold."""
    compared = set(ops) - {"known", "missing", "else"}
    if not compared:
        known = ops.get("known") or ops.get("else")
        if known is None:
            raise ValueError(f"{fork.place}: known values of {_name(terms)} have no branch; add one, or 'else:'")
        return [known], None, inf
    if {"=", "≠"} & compared or {"<", ">"} <= compared:
        return *_three_ways(fork, terms, {key: ops[key] for key in ops if key in compared or key == "else"}), np.nan
    first, second, t = _two_sides(fork, terms, ops)
    return [first, second], None, t


def _with_the_rest(fork, terms, cases):
    """The branches of numbers, then that of missing values alone, which may be "else"; no other may be left."""
    for case in fork.cases:
        if any(case is taken for taken in cases):
            continue
        is_gap = case.op == "is" and case.value == "missing"
        if not is_gap and (case.op != "else" or _says_missing(fork.cases)):
            raise ValueError(f"{case.place}: what this branch takes of {_name(terms)} has one already; leave it out")
        cases = [*cases, case]
    return cases


def _says_missing(cases):
    return any(case.missing or (case.op == "is" and case.value == "missing") for case in cases)


def _two_sides(fork, terms, ops):
    """The branch x ≤ t, the branch x > t, and t."""
    below, above = ops.get("≤") or ops.get("<"), ops.get(">") or ops.get("≥")
    first, second = below or ops.get("else"), above or ops.get("else")
    if first is None or second is None:
        raise ValueError(f"{fork.place}: some values of {_name(terms)} have no branch; add the other side, or 'else:'")
    # x < t asks the same as x ≤ the number before t.
    ends = [nextafter(case.value, -inf) if case.op in ("<", "≥") else float(case.value)
            for case in (below, above) if case is not None]  # fmt: skip
    if ends[0] != ends[-1]:
        what = "have two branches" if ends[0] > ends[-1] else "have no branch"
        low, high = sorted([below.value, above.value])
        raise ValueError(f"{above.place}: values of {_name(terms)} between {low} and {high} {what}; use one threshold")
    return first, second, ends[0]


def _three_ways(fork, terms, ops):
    """The branches of x < t, x = t and x > t that there are, and the packed test."""
    if "≠" in ops or set(ops) == {"=", "else"}:
        return _one_number(fork, terms, ops)
    absent = [op for op in WAYS if op not in ops]
    if len(absent) == 1 and "else" in ops:
        ops, absent = {**ops, absent[0]: ops["else"]}, []
    present = [op for op in WAYS if op in ops]
    values = {float(ops[op].value) for op in present if ops[op].op != "else"}
    if len(values) > 1 or set(ops) - {*WAYS, "else"}:
        raise ValueError(f"{fork.place}: three ways of {_name(terms)} are < t, = t and > t with one t; write these")
    if len(present) < 2 or (absent and not fork.stop):
        raise ValueError(f"{fork.place}: {_name(terms)} {absent[0]} t has no branch; add it, or 'else: stop'")
    branches = [present.index(op) if op in present else -1 for op in WAYS]
    return [ops[op] for op in present], (1, [0, 0, 0], branches, [values.pop(), 0.0, 0.0])


def _one_number(fork, terms, ops):
    """The branches of x = t and x ≠ t in the order in which they stand, and the packed test."""
    values = {float(ops[op].value) for op in ("=", "≠") if op in ops}
    # Where both are written, "else" is left for missing values.
    ops = {op: case for op, case in ops.items() if op != "else" or not {"=", "≠"} <= set(ops)}
    if len(values) > 1 or len(ops) != 2 or set(ops) - {"=", "≠", "else"}:
        raise ValueError(f"{fork.place}: beside {_name(terms)} ≠ t stands = t, with one t, or 'else:'; write it so")
    here = next(b for b, op in enumerate(ops) if op == "=" or (op == "else" and "≠" in ops))
    return list(ops.values()), (1, [0, 0, 0], [1 - here, here, 1 - here], [values.pop(), 0.0, 0.0])


def _categories(fork, j, words, possible):
    values, name = words.values[j], words.names[j]
    code_of = _code_of(values)
    left = set(possible.get(j, range(len(values))))
    codes = [_codes(case, code_of, values, name) for case in fork.cases]
    taken = set()
    for case, part in zip(fork.cases, codes, strict=True):
        twice = sorted(taken & part)
        if twice:
            raise ValueError(f"{case.place}: {values[twice[0]]!r} of {name!r} has a branch already; leave one out")
        taken |= part
    rest = [b for b, case in enumerate(fork.cases) if case.op == "else"]
    if rest:
        codes[rest[0]] = set(range(len(values))) - taken
    elif left - taken and not fork.stop:
        absent = [values[code] for code in sorted(left - taken)]
        raise ValueError(f"{fork.place}: {name!r} has no branch for {absent}; add one, or 'else:'")
    pairs = sorted((code, b) for b, part in enumerate(codes) for code in part)
    packed = (0, [code for code, _ in pairs], [b for _, b in pairs], [0.0] * len(pairs))
    reach = [frozenset(part & left) for part in codes]
    return HandTest(list(fork.cases), j, np.nan, _missing_branch(fork, fork.cases), packed, reach)


def _code_of(values):
    """Codes by value, by how a value is written, and for truth values, which tables hold as 0 and 1, by their words."""
    by_text = {str(value): code for code, value in enumerate(values)}
    truth = {"false": 0, "true": 1} if tuple(values) == (0, 1) else {}
    return {**truth, **by_text, **{value: code for code, value in enumerate(values)}}


def _codes(case, code_of, values, name):
    if case.op == "else" or (case.op == "is" and case.value == "missing"):
        return set()
    if case.op == "is":
        return set(range(len(values)))
    if case.op not in ("=", "in"):
        raise ValueError(f"{case.place}: {name!r} holds categories, which have no order; write = or in, not {case.op}")
    listed = case.value if case.op == "in" else [case.value]
    unknown = [value for value in listed if value not in code_of and str(value) not in code_of]
    if unknown:
        raise ValueError(f"{case.place}: {unknown[0]!r} is no value of {name!r}; its values are {list(values)}")
    return {code_of.get(value, code_of.get(str(value))) for value in listed}
