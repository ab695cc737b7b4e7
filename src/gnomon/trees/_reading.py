"""What estimators tell about their trees: rules, text, reasons, importances.

    x → (test, value, branch, answer before → after), …        leaf → rule        column → importance              (1)

The work is done below, in `gnomon.search`; an estimator adds the words, and the rows as numbers. Quinlan (1987),
Generating production rules from decision trees, IJCAI-87.
"""

import warnings

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gnomon.search import (
    Words,
    explain_forest,
    explain_row,
    tree_importance,
    tree_rules,
    tree_text,
)
from gnomon.search.traverse import as_dense

__all__ = ["HasTree", "ReadsForest", "ReadsTree"]


class ReadsTree:
    """The methods of an estimator that has a `tree_`, its `coding_`, and `_rows(X)` for rows as numbers."""

    @property
    def words_(self):
        """Names of columns, values of categories, labels of classes."""
        check_is_fitted(self, "tree_")
        return _words(self)

    def explain(self, x):
        """Why the tree answers as it does for one row.

        Parameters
        ----------
        x : array-like of shape (n_features,), dict by column, or table of one row

        Returns
        -------
        Explanation
            Its `steps` (test, value of x, branch, answer before and after) and the `contributions` of the columns,
            which add up: answer = root + Σ contributions. ``print`` shows both.
        """
        words = self.words_
        return explain_row(self.tree_, words, _one_row(self, x, words.names))

    def to_rules(self, *, simplify=False, stops=False):
        """One rule for each leaf, disjoint, the tests of a column merged to one interval or set.

        Parameters
        ----------
        simplify : bool, default=False
            Join rules of one label that differ in a single column.
        stops : bool, default=False
            Also tell what happens to rows that no branch of a node takes, because a value is missing or new.

        Returns
        -------
        Rules
            A sequence of `Rule` with `to_text()`, `to_sql()`, `to_python()` and `to_dnf(label)`.
        """
        words = self.words_
        rules = tree_rules(self.tree_, words, stops=stops)
        return rules.simplify() if simplify else rules

    def to_dnf(self, label, *, simplify=True, dialect="text"):
        """When the tree predicts a label: an OR of ANDs, in words, as an SQL condition or as a Python one.

        Parameters
        ----------
        label : object
        simplify : bool, default=True
        dialect : {"text", "sql", "python"}, default="text"
        """
        return self.to_rules(simplify=simplify).to_dnf(label, dialect)

    def to_sql(self, *, simplify=True):
        """A CASE expression over the columns that gives what the tree predicts, NULL for what is missing."""
        return self.to_rules(simplify=simplify, stops=True).to_sql()

    def to_python(self, name="predict", *, simplify=True):
        """The source of a function from a row, a dict by column, to what the tree predicts."""
        return self.to_rules(simplify=simplify, stops=True).to_python(name)

    def export_text(self, *, decimals=None, max_depth=None, counts=True):
        """The tree as indented text, which `Tree.from_rules` reads back.

        Parameters
        ----------
        decimals : int, optional
            Round numbers for the eye; by default they are exact.
        max_depth : int, optional
            Leave out what is deeper; such text does not read back.
        counts : bool, default=True
            Whether leaves show the weights of their classes, or their rows.
        """
        words = self.words_
        return tree_text(self.tree_, words, decimals=decimals, max_depth=max_depth, counts=counts)

    def importance(self, kind="impurity"):
        """How much the tree needs each column.

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


class HasTree(ReadsTree):
    """Besides, what a tree does with rows: leaves and paths."""

    def apply(self, X):
        """The number of the leaf of every row."""
        rows = self._rows(X)
        return self.tree_.apply(rows)

    def decision_path(self, X):
        """A sparse matrix that marks the nodes on the path of every row."""
        rows = self._rows(X)
        return self.tree_.decision_path(rows)

    def get_depth(self):
        """How many tests lead to the deepest leaf."""
        check_is_fitted(self, "tree_")
        return self.tree_.max_depth

    def get_n_leaves(self):
        """The number of leaves."""
        check_is_fitted(self, "tree_")
        return self.tree_.n_leaves


class ReadsForest:
    """The methods of an estimator that has a `forest_`, its `coding_`, and `_rows(X)` for rows as numbers."""

    @property
    def words_(self):
        """Names of columns, values of categories, labels of classes."""
        check_is_fitted(self, "forest_")
        return _words(self)

    def explain(self, x):
        """What each column contributed to the answer for one row: means over the trees.

        Parameters
        ----------
        x : array-like of shape (n_features,), dict by column, or table of one row

        Returns
        -------
        Explanation
        """
        words = self.words_
        return explain_forest(_trees(self), words, _one_row(self, x, words.names))


def _trees(estimator):
    return [estimator.forest_.tree(t) for t in range(len(estimator.forest_))]


def _words(estimator):
    return Words.of(estimator.coding_.names, estimator.coding_.domains, vars(estimator).get("classes_"))


def _one_row(estimator, x, names):
    """One row as numbers: of a dict by column, of values in order, or of a table."""
    if isinstance(x, dict):
        unknown = [name for name in x if name not in names]
        if unknown:
            raise ValueError(f"x names {unknown[0]!r}, which is no column; the columns are {list(names)}")
        x = [x.get(name) for name in names]
    elif np.ndim(x) != 1:
        rows = estimator._rows(x)
        if rows.shape[0] != 1:
            raise ValueError(f"x has {rows.shape[0]} rows; one decision is explained at a time, so give one row")
        return as_dense(rows)[0]
    if len(x) != len(names):
        raise ValueError(f"x has {len(x)} values for the {len(names)} columns {list(names)}; give one for each")
    with warnings.catch_warnings():
        # The values stand in the order of the columns, as was just checked, so that they need no names.
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        return as_dense(estimator._rows(np.array([list(x)], dtype=object)))[0]
