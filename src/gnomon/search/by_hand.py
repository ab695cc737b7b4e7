"""Trees written by hand: from text, or nested dicts and tuples, to a `Tree` with its words.

    the branches of a test are disjoint and take every value that can reach them                                     (1)

What breaks (1), an unknown column or an unknown label is an error that says where. Of a node whose leaves have weights
the answer is their weighted mean, else their mean. Experts drew such trees before they were learnt: Hunt, Marin & Stone
(1966), Experiments in Induction; Quinlan (1986), doi:10.1007/BF00116251.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Literal

import numpy as np

from gnomon._typing import ArrayLike
from gnomon.numerics.domains import ordered
from gnomon.numerics.validation import check_choice
from gnomon.search._hand_tests import fork_test, is_sum
from gnomon.search.conditions import usual_branch
from gnomon.search.rule_syntax import Leaf, RuleFork, TreeSpec, parse
from gnomon.search.tree import LEAF, NODE, Tests, Tree
from gnomon.search.words import Cell, ColumnName, Words

__all__ = ["mentioned_values", "read_tree"]

COMPARISONS = {"≤", "<", ">", "≥", "≠"}


def read_tree(
    spec: TreeSpec,
    *,
    columns: Sequence[ColumnName] | None = None,
    categories: Mapping[ColumnName, Iterable[Cell]] | None = None,
    classes: ArrayLike | None = None,
    words: Words | None = None,
    new_labels: Literal["error", "open"] = "error",
) -> tuple[Tree, Words]:
    """Read a tree that was written by hand, or by `tree_text`.

    Parameters
    ----------
    spec : str, dict, tuple or label
        Text, a branch to a line, as "outlook = sunny: no", "age ≤ 30:", "sky in {red, grey}:", "else:", with what lies
        below indented; or ``{column: {value: …}}``, where a value may be a comparison as "<= 30", a tuple of values,
        None for missing or "else"; or ``(column, threshold or values, first, second)``. An answer is a label, a number,
        weights of classes ``{"no": 1, "yes": 3}``, or "?" if it is to be estimated. Missing values go to the branch
        that says "or missing", else to "else:", else with the heavier of two branches if weights are given; if not,
        they stay where they are. So do values that are not among the categories. Where the other branches leave no
        number out, "else:" is for missing values alone.
    columns : sequence, optional
        The columns of the table; by default those that the tree mentions, in this order.
    categories : dict, optional
        The values of columns; by default those that the tree mentions, sorted.
    classes : sequence, optional
        The labels in order; by default those that the tree mentions, sorted. With none of them and a fractional answer,
        the tree predicts numbers.
    words : Words, optional
        All three at once.
    new_labels : {"error", "open"}, default="error"
        Whether a label that is no class is refused, or its leaf left open.

    Returns
    -------
    tree : Tree
    words : Words

    References
    ----------
    Quinlan, J. R. (1986). Induction of decision trees. doi:10.1007/BF00116251

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import read_tree
    >>> tree, words = read_tree("age ≤ 30: low\\nage > 30:\\n    smokes = no: low\\n    smokes = yes: high")
    >>> words.names, words.values, tree.n_leaves
    (('age', 'smokes'), (None, ('no', 'yes')), 3)
    >>> words.label(tree.predict(np.array([[40.0, 1.0]]))[0])
    'high'
    """
    root = parse(spec)
    forks, leaves = _walk(root)
    words = words or _learn_words(forks, leaves, columns, categories, classes)
    check_choice("new_labels", new_labels, ("error", "open"))
    builder = _Builder(words, keep_new=new_labels == "error")
    builder.add(root, {})
    return builder.tree(), words


def mentioned_values(spec: TreeSpec) -> dict[ColumnName, set[Cell]]:
    """The categories that a tree written by hand mentions, by column.

    References
    ----------
    Quinlan, J. R. (1986). Induction of decision trees. doi:10.1007/BF00116251

    Examples
    --------
    >>> from gnomon.search.by_hand import mentioned_values
    >>> mentioned_values(("sky", "red", "no", ("age", 3, "no", "yes")))
    {'sky': {'red'}}
    """
    return _mentioned(_walk(parse(spec))[0])[1]


def _mentioned(forks: Iterable[RuleFork]) -> tuple[set[ColumnName], dict[ColumnName, set[Cell]]]:
    """The columns that are compared as numbers, and the values of those that are tested as categories."""
    numbers: set[ColumnName] = set()
    values: dict[ColumnName, set[Cell]] = {}
    for fork in forks:
        compared = any(case.op in COMPARISONS or is_sum(case.terms) for case in fork.cases)
        for case in fork.cases:
            for name, _ in case.terms:
                if compared:
                    numbers.add(name)
                elif case.op in ("=", "in"):
                    values.setdefault(name, set()).update(case.value if case.op == "in" else [case.value])
    return numbers, {name: found for name, found in values.items() if name not in numbers}


def _walk(root: RuleFork | Leaf) -> tuple[list[RuleFork], list[Leaf]]:
    forks: list[RuleFork] = []
    leaves: list[Leaf] = []
    waiting = [root]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Leaf):
            leaves.append(item)
        else:
            forks.append(item)
            waiting += [case.below for case in reversed(item.cases)]
    return forks, leaves


def _learn_words(forks, leaves, columns, categories, classes):
    mentioned = [(name, case) for fork in forks for case in fork.cases for name, _ in case.terms]
    names = tuple(dict.fromkeys(name for name, _ in mentioned)) if columns is None else tuple(columns)
    place_of = _places(names)
    for name, case in mentioned:
        _position(name, place_of, names, case.place)
    given = {} if categories is None else dict(categories)
    for name in given:
        _position(name, place_of, names, "categories")
    met = {place_of[name]: ordered(values) for name, values in _mentioned(forks)[1].items()}
    listed = {place_of[name]: tuple(value) for name, value in given.items()}
    domains = [listed.get(j, met.get(j)) for j in range(len(names))]
    return Words(names, tuple(domains), _learn_classes(leaves, classes))


def _places(names):
    """Columns by name, and by number where no name is one."""
    return {**{j: j for j in range(len(names))}, **{name: j for j, name in enumerate(names)}}


def _position(name, place_of, names, place):
    if name not in place_of:
        near = get_close_matches(str(name), [str(other) for other in names], 1)
        hint = f"; did you mean {near[0]!r}?" if near else "; name one of them"
        raise ValueError(f"{place}: {name!r} is no column; the columns are {list(names)}{hint}")
    return place_of[name]


def _learn_classes(leaves, classes):
    if classes is not None:
        return np.asarray(classes)
    found = {label for leaf in leaves if leaf.counts for label in leaf.counts}
    plain = [leaf.label for leaf in leaves if leaf.label is not None and not leaf.counts]
    if not found and any(isinstance(label, (float, list)) for label in plain):
        return None
    found |= set(plain)
    if not found:
        raise ValueError("no leaf of the tree has a label; give classes=, or fit the tree to labelled rows")
    labels = ordered(found)
    return np.array(labels) if len({type(label) for label in labels}) == 1 else np.array(labels, dtype=object)


class _Builder:
    """Nodes in preorder, one list per field."""

    def __init__(self, words, keep_new):
        self.keep_new = keep_new
        self.words, self.place_of = words, _places(words.names)
        self.labels = {} if words.classes is None else {label: k for k, label in enumerate(words.classes.tolist())}
        self.feature, self.threshold, self.right, self.ends, self.which = [], [], [], [], []
        self.missing, self.answers, self.weight, self.rows, self.tests = [], [], [], [], []

    def add(self, item, possible):
        """Append a fork or a leaf and all below it; `possible` has the categories that can reach it, by column."""
        node = len(self.feature)
        for column, value in ((self.feature, LEAF), (self.threshold, float(LEAF)), (self.right, -1), (self.ends, 0),
                              (self.which, -1), (self.missing, None), (self.answers, None), (self.weight, 0.0),
                              (self.rows, 0)):  # fmt: skip
            column.append(value)
        if isinstance(item, Leaf):
            self.answers[node], self.weight[node], self.rows[node] = self._answer(item)
        else:
            self._add_fork(node, item, possible)
        self.ends[node] = len(self.feature)

    def _add_fork(self, node, fork, possible):
        for case in fork.cases:
            for name, _ in case.terms:
                _position(name, self.place_of, self.words.names, case.place)
        test = fork_test(fork, self.place_of, self.words, possible)
        self.feature[node], self.threshold[node], self.missing[node] = test.feature, test.threshold, test.missing
        if test.packed is not None:
            self.which[node] = len(self.tests)
            self.tests.append(test.packed)
        for b, case in enumerate(test.cases):
            if b == 1:
                self.right[node] = len(self.feature)
            narrowed = {} if test.codes is None else {test.feature: test.codes[b]}
            self.add(case.below, {**possible, **narrowed})

    def _answer(self, leaf):
        """Answer, weight and rows of a leaf; the answer is None if it is left open."""
        weight = leaf.weight if leaf.weight is not None else float(leaf.rows or 0)
        if self.words.classes is None:
            if leaf.label is not None and not isinstance(leaf.label, (int, float, list)):
                raise ValueError(f"{leaf.place}: {leaf.label!r} is no number; other leaves have fractional numbers")
            return (None if leaf.label is None else np.atleast_1d(leaf.label).astype(float)), weight, leaf.rows or 0
        counts = leaf.counts or ({} if leaf.label is None else {leaf.label: 1.0})
        if not self.keep_new:
            counts = {label: amount for label, amount in counts.items() if self._class(label) is not None}
        amounts = np.zeros(len(self.labels))
        for label, amount in counts.items():
            k = self._class(label)
            if k is None:
                raise ValueError(
                    f"{leaf.place}: {label!r} is no class; the classes are {list(self.labels)}; name one of them"
                )
            amounts[k] += amount
        total = float(np.sum(amounts))
        if leaf.counts:
            weight = 0.0 if leaf.rows == 0 else total
        if np.any(amounts < 0.0) or (leaf.counts and total == 0.0 and self.keep_new):
            raise ValueError(f"{leaf.place}: the weights {leaf.counts} must be ≥ 0 and not all zero; write others")
        rows = leaf.rows if leaf.rows is not None else round(weight)
        return (amounts / total if total > 0.0 else None), weight, rows

    def _class(self, label):
        """The place of a label among the classes, by itself or by how it is written; None if it is not there."""
        by_text = {str(known): k for known, k in self.labels.items()}
        return self.labels.get(label, by_text.get(str(label)))

    def tree(self):
        """The nodes as a tree; what was left open is answered by the node above."""
        n = len(self.feature)
        nodes = np.empty(n, dtype=NODE)
        nodes["feature"], nodes["threshold"], nodes["right"] = self.feature, self.threshold, self.right
        width = next((len(answer) for answer in self.answers if answer is not None), len(self.labels) or 1)
        answers = np.array([np.full(width, np.nan) if answer is None else answer for answer in self.answers])
        tree = Tree(
            nodes=nodes, answers=answers, impurity=np.zeros(n), weight=np.array(self.weight, dtype=float),
            n_rows=np.array(self.rows, dtype=np.int64), missing=np.full(n, -1, dtype=np.int16),
            ends=np.array(self.ends, dtype=np.int32), n_features=len(self.words.names),
            tests=Tests.of(self.which, self.tests),
        )  # fmt: skip
        tree = _summed(tree, is_class=self.words.classes is not None)
        usual = [usual_branch(tree, node) if missing is None else missing for node, missing in enumerate(self.missing)]
        return replace(tree, missing=np.array(usual, dtype=np.int16))


def _summed(tree, *, is_class):
    """Weights, answers and impurities of inner nodes from those of their leaves, then open answers from above."""
    answers, weight, n_rows = tree.answers.copy(), tree.weight.copy(), tree.n_rows.copy()
    for node in range(tree.node_count - 1, -1, -1):
        if not tree.is_leaf[node]:
            here = slice(node, tree.ends[node])
            leaves = np.flatnonzero(tree.is_leaf[here] & ~np.isnan(tree.answers[here, 0])) + node
            weight[node], n_rows[node] = np.sum(weight[leaves]), np.sum(n_rows[leaves])
            if len(leaves):
                shares = weight[leaves] if weight[node] > 0.0 else np.ones(len(leaves))
                answers[node] = np.average(answers[leaves], axis=0, weights=shares)
    is_open = np.isnan(answers[:, 0])
    for node in np.flatnonzero(is_open):
        uniform = np.full(answers.shape[1], 1.0 / answers.shape[1] if is_class else 0.0)
        answers[node] = uniform if node == 0 else answers[tree.parent[node]]
    impurity = 1.0 - np.sum(answers**2, axis=1) if is_class else _variances(tree, answers, weight)
    summed = {"answers": answers, "weight": weight, "n_rows": n_rows, "impurity": np.maximum(impurity, 0.0)}
    return replace(tree, **summed, extra={"open": is_open} if np.any(is_open) else {})


def _variances(tree, answers, weight):
    """Σ (n_c/n) (H(c) + (ȳ_c − ȳ)²), zero in the leaves, of which no more is known than their means."""
    variance = np.zeros(tree.node_count)
    for node in range(tree.node_count - 1, -1, -1):
        children = tree.children(node)
        if children and weight[node] > 0.0:
            spread = np.mean((answers[children] - answers[node]) ** 2, axis=1)
            variance[node] = np.average(variance[children] + spread, weights=weight[children])
    return variance
