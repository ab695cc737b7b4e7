"""The splitter of tests of any form, with rows of any weight.

    at a node:  score the tests of every column that is left, choose one, send each row down its branch              (1)

A row whose value a test needs and that has none goes, by `missing`, where its group went (``"own_value"``), down every
branch with the share n_branch / n_known of its weight (``"fractional"``: Quinlan 1993, C4.5, chapter 3), or where the
best back-up test sends it (``"surrogate"``: Breiman et al. 1984, §5.3, doi:10.1201/9781315139470). It is run by the
text of `grow`, as Python.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._typing import Array, Bools, Floats, Integers
from gnomon.search._choices import ChoiceRule, NodeContext, ScoredTest, best_of_column
from gnomon.search._column_tests import ELSEWHERE, TABLE, FormOfTest, Grouping, NodeTest, drawn
from gnomon.search._criterion import Criterion
from gnomon.search._cuts import TIE
from gnomon.search._nodes import ROUNDING
from gnomon.search._oblique_tests import oblique_families
from gnomon.search._surrogates import find_surrogates, follow_surrogates
from gnomon.search._work import make_nodes
from gnomon.search.columns import Columns
from gnomon.search.tree import LEAF

MissingRows: TypeAlias = Literal["own_value", "fractional", "surrogate"]
CutSums: TypeAlias = Callable[[Floats], tuple[float, float]]
ObliqueDirections: TypeAlias = Callable[[Floats, Array, Floats, bool, CutSums, np.random.Generator], Floats]
"""(Z, y, w, classes, cut_sums, rng) → directions, one per row."""


class GrowingNodes:
    """The table of nodes that `grow` fills, which is enlarged as they are made."""

    def __init__(self, n):
        self.table = make_nodes(64, n)

    def __getattr__(self, name):
        return self.table[name]

    def reserve(self, size):
        """Enlarge the table to at least `size` nodes."""
        if size > len(self.table):
            more = np.zeros(max(size, 2 * len(self.table)), dtype=self.table.dtype)
            more[: len(self.table)] = self.table
            self.table = more.view(np.recarray)


class Bounds(NamedTuple):
    """When a node is divided."""

    max_depth: int
    min_rows_split: int
    min_rows: float
    min_mass: float
    min_impurity: float
    min_gain: float
    max_features: int
    max_leaves: int


class Forms(NamedTuple):
    """What tests there are: functions of a `Grouping` for numbers and categories, oblique directions or None, how one
    test is chosen, whether it is searched or drawn, whether columns are tested again, and declared values."""

    numbers: FormOfTest
    categories: FormOfTest
    oblique: ObliqueDirections | None
    choice: ChoiceRule
    random: bool
    reuse: bool
    declared: Integers


class OpenNode(NamedTuple):
    """An open node: its rows, their weights in it, which columns it may test, and the node above."""

    rows: Integers
    w: Floats
    allowed: Bools
    parent: int


class NodeSummary(NamedTuple):
    """What is kept of a node: worth, number of rows, weight, answer."""

    worth: float
    n_rows: float
    mass: float
    answer: Floats


@dataclass(eq=False)
class GeneralSplitter:
    """Proposes tests column by column; keeps what each node found and where its rows went."""

    columns: Columns
    criterion: Criterion
    y: Array
    forms: Forms
    bounds: Bounds
    missing: MissingRows
    rng: np.random.Generator
    held: dict[int, OpenNode] = field(default_factory=dict)
    found: dict[int, ScoredTest] = field(default_factory=dict)
    surrogates: dict[int, tuple[NodeTest, ...]] = field(default_factory=dict)
    summaries: list[NodeSummary] = field(default_factory=list)
    leaves: int = 1

    def examine(self, nodes, first, made):
        """Find the test of each new node."""
        for node in range(first, made):
            nodes.gain[node], nodes.feature[node] = -1.0, LEAF
            summary = self._summarise(self.held[node])
            self.summaries.append(summary)
            best = self._best(self.held[node], summary) if self._open(summary, nodes.depth[node]) else None
            if best is None or best.gain < self.bounds.min_gain - TIE * abs(summary.worth):
                del self.held[node]
                continue
            self.found[node] = best
            nodes.gain[node], nodes.feature[node] = max(0.0, best.gain), best.feature

    def divide(self, nodes, node, made):
        """Make the children of a node; none if there would be more leaves than allowed."""
        found, held = self.found[node], self.held.pop(node)
        k = len(found.masses)
        if self.leaves + k - 1 > self.bounds.max_leaves:
            return 0
        self.leaves += k - 1
        branch = self._branches(node, found, held)
        allowed = held.allowed if self.forms.reuse else held.allowed & (np.arange(len(held.allowed)) != found.feature)
        shares = found.masses / np.sum(found.masses)
        nodes.reserve(made + k)
        nodes.first[node] = made
        for b in range(k):
            # A row that no branch takes goes down each of them, with the share of those that are known.
            here = (branch == b) | ((branch == ELSEWHERE) & (shares[b] > 0.0))
            w = np.where(branch[here] == b, 1.0, shares[b]) * held.w[here]
            self.held[made + b] = OpenNode(held.rows[here], w, allowed, node)
            nodes.depth[made + b], nodes.first[made + b] = nodes.depth[node] + 1, 0
        return k

    def values(self, rows):
        """A function that gives the values of some rows in one column."""
        columns = self.columns

        def of(j):
            known = columns.low[columns.starts[j] : columns.starts[j] + columns.sizes[j]]
            return np.append(known, np.nan)[columns.codes[j][rows]]

        return of

    def _summarise(self, held):
        if len(held.rows) == 0:
            # A declared value that no row has: the answer of the node above.
            return NodeSummary(0.0, 0.0, 0.0, self.summaries[held.parent].answer)
        groups = self._groups(held, np.zeros(len(held.rows), dtype=np.int64), 1)
        whole = groups.each()[0]
        return NodeSummary(float(whole.worth), float(whole.count), float(whole.mass), groups.answers[0])

    def _open(self, summary, depth):
        bounds = self.bounds
        return (
            summary.n_rows >= bounds.min_rows_split
            and depth < bounds.max_depth
            and -summary.worth > (bounds.min_impurity + ROUNDING) * summary.mass
        )

    def _groups(self, held, group, k):
        return self.criterion.groups(self.y[held.rows], held.w, group, k)

    def _best(self, held, summary):
        candidates = []
        order = np.flatnonzero(held.allowed)
        if self.bounds.max_features < len(held.allowed):
            order = self.rng.permutation(order)
        for turn, j in enumerate(order):
            if turn >= self.bounds.max_features and candidates:
                break
            found = self.column_best(held, summary, j)
            if found is not None:
                candidates.append(found)
        candidates.sort(key=lambda found: found.feature)
        if self.forms.oblique is not None:
            candidates.extend(self._oblique(held, summary))
        chosen = self.forms.choice.between(candidates, self._context(summary)) if candidates else None
        return None if chosen is None else self._complete(chosen)

    def column_best(self, held, summary, j):
        """The best test of column j in a node, or None."""
        g, lost = self._grouping(held, j)
        if g is None:
            return None
        forms, is_category = self.forms, self.columns.category[j]
        tests = forms.categories if is_category else forms.numbers
        families = drawn(tests, g, is_category, self.rng) if forms.random else tests(g)
        here = self._context(summary, lost, held)
        return best_of_column(int(j), families, here, forms.choice, 0 if is_category else len(g.values))

    def root_scores(self):
        """(gain, split information, their ratio, H(split)) of the best test of each column at the root, or None."""
        held = self.held[0]
        summary = self._summarise(held)
        scores = []
        for j in range(len(held.allowed)):
            best = self.column_best(held, summary, j)
            gain = None if best is None else best.gain / summary.mass
            impurity = -summary.worth / summary.mass
            scores.append(None if best is None else (gain, best.info, gain / best.info, impurity - gain))
        return scores

    def _grouping(self, held, j):
        """The rows by value, None if they have but one; those that a test would not place, as a mask or None."""
        codes, size, at = self.columns.codes[j][held.rows], self.columns.sizes[j], self.columns.starts[j]
        lost = codes == size if self.missing != "own_value" else np.zeros(len(codes), dtype=bool)
        lost = lost if np.any(lost) else None
        if lost is not None:
            held, codes = OpenNode(held.rows[~lost], held.w[~lost], held.allowed, held.parent), codes[~lost]
        present, group = np.unique(codes, return_inverse=True)
        k = len(present)
        if k < 2:
            return None, lost
        missing = k - 1 if present[-1] == size else -1
        known = present[: k if missing < 0 else k - 1].astype(np.int64)
        groups = self._groups(held, group.astype(np.int64), k)
        return Grouping(j, groups, self.columns.low[at + known], self.columns.high[at + known], missing), lost

    def _context(self, summary, lost=None, held=None):
        """What scores need to know, with the worth of the rows that are not `lost`."""
        worth = summary.worth
        if lost is not None:
            known = OpenNode(held.rows[~lost], held.w[~lost], held.allowed, held.parent)
            worth = self._summarise(known).worth
        scale = TIE * abs(summary.worth)
        return NodeContext(worth, summary.mass, self.bounds.min_rows, self.bounds.min_mass, scale)

    def _oblique(self, held, summary):
        found = []
        for families, lost in oblique_families(self, held):
            here = self._context(summary, lost if np.any(lost) else None, held)
            best = best_of_column(len(held.allowed), families, here, self.forms.choice, 0)
            if best is not None:
                found.append(best._replace(feature=int(best.test.feature)))
        return found

    def _complete(self, found):
        """The test with branches for declared values, and with the branch of rows that it cannot place."""
        if found.test.kind == TABLE and self.forms.declared[found.feature] > 0:
            found = self._with_declared(found, self.forms.declared[found.feature])
        if self.missing != "own_value" or (found.missing < 0 and len(found.masses) == 2):
            return found._replace(missing=int(np.flatnonzero(found.masses == np.max(found.masses))[-1]))
        return found

    def _with_declared(self, found, declared):
        masses = np.zeros(declared + (found.missing >= 0))
        masses[found.test.cells] = found.masses[found.test.branches]
        if found.missing >= 0:
            masses[declared] = found.masses[found.missing]
        everything = np.arange(declared)
        test = found.test._replace(cells=everything, branches=everything, coefs=np.zeros(declared))
        return found._replace(test=test, masses=masses, missing=declared if found.missing >= 0 else ELSEWHERE)

    def _branches(self, node, found, held):
        """The branch of each row; `ELSEWHERE` for those that go down every one."""
        values = self.values(held.rows)
        branch = found.test.branch_of(values)
        if self.missing == "fractional":
            return branch
        if self.missing == "surrogate":
            self.surrogates[node] = find_surrogates(found.test, branch, held.w, held.rows, self.columns)
            branch = follow_surrogates(self.surrogates[node], branch, values)
        return np.where(branch == ELSEWHERE, found.missing, branch)
