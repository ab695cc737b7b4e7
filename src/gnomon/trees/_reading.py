"""Trees of estimators as rules, text, explanations and importances.

    x → (test, value, branch, answer before → after), …        leaf → rule        column → importance              (1)

`gnomon.search` does the work; an estimator supplies the names of columns, categories and classes, and the coded rows.
Quinlan (1987), Generating production rules from decision trees, IJCAI-87.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Floats, Integers, Sparse, TableLike
from gnomon.base.coded_rows import Coding, new_rows
from gnomon.numerics.validation import check_choice
from gnomon.search import (
    Forest,
    Rules,
    Tree,
    TreeExplanation,
    Words,
    explain_forest,
    explain_row,
    tree_importance,
    tree_rules,
    tree_text,
)
from gnomon.search.conditions import usual_branch
from gnomon.search.filled_gaps import filled_tests
from gnomon.trees._cost import CostMixin
from gnomon.trees._fill import filled
from gnomon.trees._outputs import check_answers, refuse_several
from gnomon.trees._pseudo_counts import smoothed_tree
from gnomon.trees.single_row import Row, one_row

__all__ = [
    "Dialect",
    "ForestReadingMixin",
    "GrownTreeMixin",
    "ImportanceKind",
    "RuleRows",
    "TreeMixin",
    "TreeReadingMixin",
    "takes_tables",
]

RuleRows: TypeAlias = Literal["all", "complete"]
Dialect: TypeAlias = Literal["text", "sql", "python"]
ImportanceKind: TypeAlias = Literal["samples", "tests", "depth", "impurity"]

MODELS = "leaves answer with models of their rows"
PARTS = "rows with a missing or new value go down every branch in parts"
BACKUPS = "rows with a missing or new value follow back-up tests"
FILLED = "missing values are filled in before tests of weighted sums, or of branches that not every value has"


class TreeReadingMixin:
    """Rules, text and importances of an estimator with a `tree_`, its `coding_`, and `_rows(X)`, which codes rows."""

    tree_: Tree
    coding_: Coding
    _rows: Callable[..., Any]

    @property
    def words_(self) -> Words:
        """Names of columns, values of categories, labels of classes."""
        check_is_fitted(self, "tree_")
        return _words(self)

    def explain(self, x: Row) -> TreeExplanation:
        """Why the tree answers as it does for one row.

        Parameters
        ----------
        x : array-like of shape (n_features,), dict by column, or table of one row

        Returns
        -------
        TreeExplanation
            Its `steps` (test, value of x, branch, answer before and after) and the `contributions` of the columns,
            which add up: answer = root + Σ contributions. ``print`` shows both.
        """
        words = self.words_
        if "models" in self.tree_.extra:
            raise ValueError(f"{MODELS}, which tests alone do not explain; fit with leaf_model='constant'")
        return explain_row(smoothed_tree(self.tree_), words, one_row(self, x, words.names))

    def to_rules(self, *, simplify: bool = False, rows: RuleRows = "all") -> Rules:
        """One rule for each leaf, disjoint, the tests of a column merged to one interval or set.

        Parameters
        ----------
        simplify : bool, default=False
            Join rules of one label that differ in a single column.
        rows : {"all", "complete"}, default="all"
            "all": exactly one rule fires for every row, including rows that stop at an inner node because no branch
            takes their missing or unknown value. "complete": only rules for rows without such values.

        Returns
        -------
        Rules
            A sequence of `Rule` with `to_text()`, `to_sql()`, `to_python()` and `to_dnf(label)`.

        Raises
        ------
        ValueError
            If rules cannot express the tree: leaves hold models; or, with ``rows="all"``, the tree was grown with
            ``missing="fractional"`` or ``"surrogate"``, where more than the tested column decides the branch.
        """
        check_choice("rows", rows, ("all", "complete"))
        words = self.words_
        tree, reason = _describable_tree(self, words)
        if reason == MODELS:
            raise ValueError(f"{reason}, and no rule says so; fit with leaf_model='constant'")
        if reason is not None and rows == "all":
            raise ValueError(f"{reason}, and no rule says so; ask for rows='complete'")
        rules = tree_rules(tree, words, stops=reason is None)
        rules = rules if rows == "all" else rules.complete()
        return rules.simplify() if simplify else rules

    def to_dnf(self, label: object, *, simplify: bool = True, dialect: Dialect = "text", rows: RuleRows = "all") -> str:
        """When the tree predicts a label: an OR of ANDs, in words, as an SQL condition or as a Python one.

        Parameters
        ----------
        label : object
        simplify : bool, default=True
        dialect : {"text", "sql", "python"}, default="text"
        rows : {"all", "complete"}, default="all"
            As in `to_rules`.
        """
        return self.to_rules(simplify=simplify, rows=rows).to_dnf(label, dialect)

    def to_sql(self, *, simplify: bool = True, rows: RuleRows = "all") -> str:
        """A CASE expression over the columns that gives what the tree predicts, NULL for what is missing.

        Parameters
        ----------
        simplify : bool, default=True
        rows : {"all", "complete"}, default="all"
            As in `to_rules`; of other rows than these the expression is NULL.
        """
        return self.to_rules(simplify=simplify, rows=rows).to_sql()

    def to_python(self, name: str = "predict", *, simplify: bool = True, rows: RuleRows = "all") -> str:
        """The source of a function from a row, a dict by column, to what the tree predicts.

        Parameters
        ----------
        name : str, default="predict"
        simplify : bool, default=True
        rows : {"all", "complete"}, default="all"
            As in `to_rules`; of other rows than these the function gives None.
        """
        return self.to_rules(simplify=simplify, rows=rows).to_python(name)

    def export_text(self, *, decimals: int | None = None, max_depth: int | None = None, counts: bool = True) -> str:
        """The tree as indented text, which `Tree.from_rules` reads back.

        What tests and answers cannot express (fractional rows, surrogate tests, models in leaves) is noted in a first
        line that begins with "#" and is not read back.

        Parameters
        ----------
        decimals : int, optional
            Decimals that are shown; by default numbers are exact.
        max_depth : int, optional
            Deeper nodes are left out; such text cannot be read back.
        counts : bool, default=True
            Whether leaves show the weights of their classes, or their rows.
        """
        words = self.words_
        tree, reason = _describable_tree(self, words)
        tree = _with_default_branches(tree) if reason in (PARTS, BACKUPS) else tree
        text = tree_text(tree, words, decimals=decimals, max_depth=max_depth, counts=counts)
        return text if reason is None else f"# {reason}\n{text}"

    def importance(self, kind: ImportanceKind = "impurity") -> Floats:
        """The importance of each column for the tree.

        Parameters
        ----------
        kind : {"samples", "tests", "depth", "impurity"}, default="impurity"
            "samples": the share of the training weight whose path tests the column at least once; "tests": how often a
            row is tested on it, on average; "depth": the depth of its shallowest test, the depth of the tree if there
            is none, so that small is important; "impurity": the impurity that its tests take away, divided by the sum.
            The last favours columns of many values, and may order columns the other way round than the first three.

        Returns
        -------
        ndarray of shape (n_features,)
        """
        check_is_fitted(self, "tree_")
        return tree_importance(self.tree_, kind)


class TreeMixin(CostMixin, TreeReadingMixin):
    """Adds leaves and paths of rows; `check_input` is there for scikit-learn's signature and has no effect."""

    def check_consistent(self) -> None:
        """Refuse a tree of other columns or classes than those of the model."""
        if "tree_" in vars(self):
            check_answers(self, self.tree_)

    def apply(self, X: TableLike | Sparse, check_input: bool = True) -> Integers:
        """The number of the leaf of every row."""
        rows = self._rows(X)
        return self.tree_.apply(rows)

    def decision_path(self, X: TableLike | Sparse, check_input: bool = True) -> csr_array:
        """A sparse matrix that marks the nodes on the path of every row."""
        rows = self._rows(X)
        return self.tree_.decision_path(rows)

    def get_depth(self) -> int:
        """How many tests lead to the deepest leaf."""
        check_is_fitted(self, "tree_")
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        check_is_fitted(self, "tree_")
        return self.tree_.n_leaves


class GrownTreeMixin(TreeMixin, BaseEstimator):
    """Adds what trees grown from a table share: coding of new rows, and importances."""

    def _rows(self, X: TableLike | Sparse) -> Any:
        """New rows as numbers; missing cells are filled if they were when the tree grew."""
        check_is_fitted(self, "tree_")
        X = new_rows(self, X)
        return filled(X, self._fill_codes) if "fill_values_" in vars(self) else X

    @property
    def feature_importances_(self) -> Floats:
        """Σ over nodes testing j of (n/N)·gain, normalised; it favours columns of many values."""
        check_is_fitted(self, "tree_")
        return self.tree_.compute_feature_importances()

    def __sklearn_tags__(self) -> Tags:
        return takes_tables(super().__sklearn_tags__())


def takes_tables(tags: Tags) -> Tags:
    """Tags of an estimator that takes numbers, sparse or dense, and strings, with missing values."""
    tags.input_tags.sparse = True
    tags.input_tags.allow_nan = True
    tags.input_tags.categorical = True
    tags.input_tags.string = True
    return tags


class ForestReadingMixin:
    """Explanations of an estimator with a `forest_`, its `coding_`, and `_rows(X)`, which codes rows."""

    forest_: Forest
    coding_: Coding

    @property
    def words_(self) -> Words:
        """Names of columns, values of categories, labels of classes."""
        check_is_fitted(self, "forest_")
        return _words(self)

    def explain(self, x: Row) -> TreeExplanation:
        """What each column contributed to the answer for one row: means over the trees.

        With ``voting="hard"`` nodes answer with their vote, so that the answer is the share of trees that vote for a
        class.

        Parameters
        ----------
        x : array-like of shape (n_features,), dict by column, or table of one row

        Returns
        -------
        TreeExplanation
        """
        words = self.words_
        trees = [self._voters.tree(t) for t in range(len(self.forest_))]
        return explain_forest(trees, words, one_row(self, x, words.names))

    @property
    def _voters(self) -> Forest:
        """The forest whose answers are averaged: class frequencies, or votes."""
        return self._voting(self.forest_)

    def _voting(self, forest: Forest) -> Forest:
        return forest.votes if vars(self).get("voting") == "hard" else forest


def _describable_tree(estimator: Any, words: Words) -> tuple[Tree, str | None]:
    """The tree with tests that describe where rows go, and what they cannot describe; None if they are complete."""
    tree, known = estimator.tree_, vars(estimator)
    if "models" in tree.extra:
        return tree, MODELS
    if "fractional" in tree.extra or "surrogates" in tree.extra:
        return replace(tree, missing=np.full_like(tree.missing, -1)), PARTS if "fractional" in tree.extra else BACKUPS
    if "fill_values_" not in known:
        return tree, None
    described = filled_tests(tree, known["_fill_codes"], [words.size(j) for j in range(tree.n_features)])
    return (tree, FILLED) if described is None else (described, None)


def _with_default_branches(tree: Tree) -> Tree:
    """The tree that sends missing values to the heavier of two branches: the default, which text does not mention."""
    usual = [usual_branch(tree, node) for node in range(tree.node_count)]
    return replace(tree, missing=np.array(usual, dtype=tree.missing.dtype))


def _words(estimator: Any) -> Words:
    classes = vars(estimator).get("classes_")
    refuse_several(classes, **{"describing a tree in words": True})
    return Words.of(estimator.coding_.names, estimator.coding_.domains, classes)
