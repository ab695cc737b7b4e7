"""A tree as rules: one for each leaf, with one condition for each column.

    if low < x₁ ≤ high and x₂ ∈ {v, v′} then answer                                                                 (1)

The tests of a path that ask the same column meet in one condition. The rules are disjoint and cover everything:
exactly one fires for each row. Rules of the same label that differ in one condition only can be joined without changing
any prediction, and the rules of one label, joined by "or", are its disjunctive normal form. Quinlan (1987), Generating
production rules from decision trees, IJCAI-87.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from gnomon._typing import Array, Bools, Floats
from gnomon.numerics.validation import check_choice
from gnomon.search.conditions import Condition, Terms, branch_conditions, stop_condition
from gnomon.search.dialects import PYTHON, SQL, TEXT, say_all, say_any
from gnomon.search.tree import Tree
from gnomon.search.words import Label, Words, count_rows, spell

__all__ = ["Rule", "Rules", "tree_rules"]

DIALECTS = {"text": TEXT, "sql": SQL, "python": PYTHON}

Way: TypeAlias = dict[Terms, Condition]
"""The conditions on a path, by their quantity."""


@dataclass(frozen=True, eq=False)
class Rule:
    """If all conditions hold, then the answer, equation (1) of the module.

    Parameters
    ----------
    conditions : tuple of Interval or OneOf
        At most one for each quantity.
    answer : ndarray
        Class frequencies, or a mean.
    weight, n_rows : float and int
        Of the training rows for which it fired.
    label : object
        What it predicts.
    node : int
        The node that it describes; −1 if rules were joined.

    References
    ----------
    Quinlan, J. R. (1987). Generating production rules from decision trees. IJCAI-87, 304-307.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, code_columns, grow_tree, tree_rules
    >>> tree = grow_tree(code_columns(np.array([[1.0], [2.0], [3.0]])), np.array([0, 1, 1]), Gini(2))
    >>> rule = tree_rules(tree)[1]
    >>> rule.n_rows, rule.answer, rule.fires(np.array([[1.0], [2.0]]))
    (2, array([0., 1.]), array([False,  True]))
    """

    conditions: tuple[Condition, ...]
    answer: Floats
    weight: float
    n_rows: int
    label: Label
    node: int = -1

    def fires(self, X: Array) -> Bools:
        """Whether the rule holds for each row of X, coded as `Tree.apply` takes it."""
        return np.all([np.ones(len(X), dtype=bool), *(condition.holds(X) for condition in self.conditions)], axis=0)


class Rules(tuple[Rule, ...]):
    """The rules of a tree.

    Parameters
    ----------
    rules : iterable of Rule
    words : Words

    References
    ----------
    Quinlan, J. R. (1987). Generating production rules from decision trees. IJCAI-87, 304-307.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, code_columns, grow_tree, tree_rules
    >>> X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 1, 1, 0])
    >>> rules = tree_rules(grow_tree(code_columns(X), y, Gini(2)))
    >>> print(rules.to_text())
    if x0 ≤ 1.5 then 0 (1 of 1 rows)
    if 1.5 < x0 ≤ 3.5 then 1 (2 of 2 rows)
    if x0 > 3.5 then 0 (1 of 1 rows)
    >>> rules.to_dnf(0)
    '(x0 ≤ 1.5) or (x0 > 3.5)'
    """

    words: Words

    def __new__(cls, rules: Iterable[Rule], words: Words) -> Self:
        """The rules, which speak these words."""
        found = super().__new__(cls, rules)
        found.words = words
        return found

    def __getnewargs__(self) -> tuple[tuple[Rule, ...], Words]:
        """What copies are made of."""
        return tuple(self), self.words

    def __str__(self) -> str:
        return self.to_text()

    def fires(self, X: Array) -> Bools:
        """Which rule holds for which row: a matrix of truth values, one column per rule."""
        return np.column_stack([rule.fires(X) for rule in self])

    def simplify(self) -> Rules:
        """Fewer rules that predict the same: those of one label that differ in one condition are joined."""
        rules, before = list(self), len(self) + 1
        while len(rules) < before:
            before = len(rules)
            for key in {condition.key: None for rule in rules for condition in rule.conditions}:
                rules = _joined_over(key, rules)
        return Rules(rules, self.words)

    def complete(self) -> Rules:
        """The rules for rows without missing values and without values that are no category; they mention neither."""
        found = []
        for rule in self:
            known = [condition.complete(self.words.values[condition.columns[0]]) for condition in rule.conditions]
            if not any(condition.is_empty for condition in known):
                asked = (condition for condition in known if not replace(condition, missing=True).is_whole)
                found.append(replace(rule, conditions=tuple(asked)))
        return Rules(found, self.words)

    def to_text(self, decimals: int | None = None) -> str:
        """One line per rule."""
        return "\n".join(
            f"if {say_all(rule.conditions, self.words, TEXT, decimals)} then {_outcome(rule, self.words)}"
            for rule in self
        )

    def to_dnf(self, label: Label, dialect: Literal["text", "sql", "python"] = "text") -> str:
        """The disjunctive normal form of a label: the conditions of its rules, joined by "or"."""
        language = DIALECTS[check_choice("dialect", dialect, DIALECTS)]
        if self.words.classes is not None and label not in self.words.classes.tolist():
            raise ValueError(f"label={label!r} is no class; choose from {self.words.classes.tolist()}")
        chosen = [rule for rule in self if rule.label == label]
        return say_any([say_all(rule.conditions, self.words, language) for rule in chosen], language)

    def to_sql(self) -> str:
        """A CASE expression that gives the label; its columns are those of the table."""
        if any(isinstance(rule.label, list) for rule in self):
            raise ValueError("the tree answers with several numbers, and a CASE expression gives one; use to_python()")
        lines = [
            f"    WHEN {say_all(rule.conditions, self.words, SQL)} THEN {SQL.constant(rule.label)}" for rule in self
        ]
        return "\n".join(["CASE", *lines, "END"])

    def to_python(self, name: str = "predict") -> str:
        """The source of a function from a row, a dict by column, to the label; it imports `datetime` for dates."""
        nan = 'float("nan")'
        lines = [
            f"def {name}(row):",
            f"    row = {{name: {nan} if value is None else value for name, value in row.items()}}",
        ]
        for rule in self:
            lines += [
                f"    if {say_all(rule.conditions, self.words, PYTHON)}:",
                f"        return {PYTHON.constant(rule.label)}",
            ]
        source = "\n".join(lines) + "\n"
        return f"import datetime\n\n\n{source}" if ".fromisoformat(" in source else source


def tree_rules(tree: Tree, words: Words | None = None, *, stops: bool = True) -> Rules:
    """The rules of a tree, in the order of its leaves.

    Parameters
    ----------
    tree : Tree
    words : Words, optional
        x0, x1, … and the numbers of classes by default.
    stops : bool, default=True
        Also the rules of rows that no branch of an inner node takes, because a value is missing or was never met.

    Returns
    -------
    Rules

    References
    ----------
    Quinlan, J. R. (1987). Generating production rules from decision trees. IJCAI-87, 304-307.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import SquaredError, code_columns, grow_tree, tree_rules
    >>> tree = grow_tree(code_columns(np.array([[1.0], [2.0]])), np.array([[3.0], [5.0]]), SquaredError())
    >>> [rule.label for rule in tree_rules(tree)]
    [3.0, 5.0]
    """
    if words is None:
        classes = np.arange(tree.answers.shape[1]) if tree.answers.shape[1] > 1 else None
        words = Words.plain(tree, classes)
    found = []
    ways: dict[int, Way] = {0: {}}
    for node in range(tree.node_count):
        way = ways.pop(node)
        stop = stop_condition(tree, node, words)
        if tree.is_leaf[node] or (stops and stop is not None):
            found.append(_rule(tree, words, node, _met(way, stop) if stop is not None else way))
        if not tree.is_leaf[node]:
            conditions = branch_conditions(tree, node, words)
            ways.update(zip(tree.children(node), (_met(way, condition) for condition in conditions), strict=True))
    return Rules(found, words)


def _met(way: Way, condition: Condition) -> Way:
    # Conditions of one key are of one class.
    known: Any = way.get(condition.key)
    return {**way, condition.key: condition if known is None else known.meet(condition)}


def _rule(tree: Tree, words: Words, node: int, way: Way) -> Rule:
    stopped = not tree.is_leaf[node]
    answer = tree.answers[node]
    weight, n_rows = (0.0, 0) if stopped else (float(tree.weight[node]), int(tree.n_rows[node]))
    return Rule(tuple(way.values()), answer, weight, n_rows, words.label(answer), node)


def _joined_over(key: Terms, rules: Iterable[Rule]) -> list[Rule]:
    """Join what differs in the condition of one quantity alone."""
    groups: dict[tuple[str, bool, frozenset[Condition]], list[Rule]] = {}
    for rule in rules:
        rest = tuple(condition for condition in rule.conditions if condition.key != key)
        groups.setdefault((repr(rule.label), len(rest) < len(rule.conditions), frozenset(rest)), []).append(rule)
    found = []
    for (_, differ, _), group in groups.items():
        found += _join_group(key, group) if differ else group
    return found


def _join_group(key: Terms, group: list[Rule]) -> list[Rule]:
    """Neighbours first, what is only missing last, so that each need be held against the one before it alone."""
    # Conditions of one key are of one class.
    pairs: list[tuple[Any, Rule]] = [(_condition(rule, key), rule) for rule in group]
    done: list[tuple[Any, Rule]] = []
    for condition, rule in sorted(pairs, key=lambda pair: pair[0].place):
        joined = done[-1][0].join(condition) if done else None
        if joined is None:
            done.append((condition, rule))
        else:
            done[-1] = (joined, _pooled(done[-1][1], rule))
    return [_with_condition(rule, key, condition) for condition, rule in done]


def _condition(rule: Rule, key: Terms) -> Condition:
    return next(condition for condition in rule.conditions if condition.key == key)


def _with_condition(rule: Rule, key: Terms, new: Condition) -> Rule:
    kept = (new if old.key == key else old for old in rule.conditions if old.key != key or not new.is_whole)
    return replace(rule, conditions=tuple(kept))


def _pooled(first: Rule, second: Rule) -> Rule:
    """The rows of two rules together."""
    weight = first.weight + second.weight
    share = first.weight / weight if weight > 0.0 else 0.5
    answer = share * first.answer + (1.0 - share) * second.answer
    return replace(first, answer=answer, weight=weight, n_rows=first.n_rows + second.n_rows, node=-1)


def _outcome(rule: Rule, words: Words) -> str:
    """The label, and of the rows for which the rule fired those that have it."""
    if words.classes is None:
        return f"{rule.label!r} ({count_rows(rule.n_rows)})"
    if rule.weight == 0.0:
        return spell(rule.label)
    return f"{spell(rule.label)} ({rule.weight * float(np.max(rule.answer)):.10g} of {rule.weight:.10g} rows)"
