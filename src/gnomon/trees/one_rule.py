"""OneR: the most frequent class of each value of one column.

    j = argmin_j Σ_v min_k' Σ_{k ≠ k'} n_jvk,    f(x) = argmax_k n_{j, x_j, k}                                       (1)

n_jvk is the weight of the rows of class k whose column j has the value v (of numbers: lies in bucket v). Holte (1993),
Very simple classification rules perform well on most commonly used datasets, doi:10.1023/A:1022631118932: often almost
as accurate as a tree, and a baseline to know before one is grown.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, ArrayLike, Floats, NonNegative, Positive, Sparse, TableLike
from gnomon.base import table_rows
from gnomon.base.coded_rows import CategoricalFeatures, Coding, fitted_rows, new_rows
from gnomon.base.estimator import Estimator
from gnomon.numerics.domains import Categories, Domain
from gnomon.search import ColumnRule, Misclassification, assemble_tree, code_columns, column_rule, tree_rules
from gnomon.search.dialects import TEXT, say_all
from gnomon.trees._cost import timed
from gnomon.trees._criteria import ClassCriterionWord
from gnomon.trees._forms import smooth_answers
from gnomon.trees._pseudo_counts import smoothed_tree, with_smoothed
from gnomon.trees._reading import TreeMixin, takes_tables
from gnomon.trees._targets import as_classes, tree_weights
from gnomon.trees.impurities import impurity

__all__ = ["OneRule", "RuleTable"]

RuleCriterion: TypeAlias = Literal["errors", "gini", "entropy", "gain_ratio"]

CRITERIA = ("errors", "gini", "entropy", "gain_ratio")


@dataclass(frozen=True, eq=False)
class RuleTable:
    """The classes and counts of each value of a rule's column.

    Parameters
    ----------
    column : object
        The name of the column.
    conditions : tuple of str
        A value or an interval each.
    labels : ndarray of shape (n_values,)
        The most frequent class.
    counts : ndarray of shape (n_values, n_classes)
        Weights of the classes among the rows.
    classes : ndarray of shape (n_classes,)

    References
    ----------
    Holte, R. C. (1993). Very simple classification rules perform well on most commonly used datasets.
    doi:10.1023/A:1022631118932

    Examples
    --------
    >>> from gnomon.trees import OneRule
    >>> print(OneRule().fit([["sun"], ["rain"], ["sun"]], [1, 0, 0]).rules_)
    condition   class  0  1  rows  errors
    x0 = rain   0      1  0     1       0
    x0 = sun    0      1  1     2       1
    """

    column: object
    conditions: tuple[str, ...]
    labels: Array
    counts: Floats
    classes: Array

    @property
    def weight(self) -> Floats:
        """The weight of the rows with each value."""
        return np.sum(self.counts, axis=1)

    @property
    def errors(self) -> Floats:
        """The weight of the rows with each value that are not of its most frequent class."""
        return self.weight - np.max(self.counts, axis=1)

    def __len__(self) -> int:
        return len(self.conditions)

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self) -> str:
        """The table in columns."""
        head, cells = self._cells()
        widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
        # Strings are aligned left, numbers right.
        rows = ("  ".join(_aligned(row, widths)).rstrip() for row in (head, *cells))
        return "\n".join(rows)

    def to_html(self) -> str:
        """The table in HTML."""
        head, cells = self._cells()
        top = "".join(f"<th>{escape(name)}</th>" for name in head)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in cells)
        return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"

    def _repr_html_(self) -> str:
        return self.to_html()

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        head = ["condition", "class", *map(str, self.classes.tolist()), "rows", "errors"]
        numbers = np.column_stack([self.counts, self.weight, self.errors])
        rows = zip(self.conditions, self.labels.tolist(), numbers, strict=True)
        return head, [[condition, str(label), *(f"{n:.10g}" for n in row)] for condition, label, row in rows]


def _aligned(row: list[str], widths: list[int]) -> list[str]:
    return [cell.ljust(w) if c < 2 else cell.rjust(w) for c, (cell, w) in enumerate(zip(row, widths, strict=True))]


class OneRule(ClassifierMixin, TreeMixin, Estimator):
    """Predict the most frequent class of the value of one column, equation (1) of the module.

    A value that `fit` did not see is answered with the class frequencies of all rows; a missing cell is a value of its
    own. Numbers are cut into Holte's buckets: at least `min_bucket` rows of the most frequent class, the last excepted.

    Parameters
    ----------
    feature : object, default="auto"
        The column, by name or number; "auto": the best by `criterion`, the first of several.
    criterion : {"errors", "gini", "entropy", "gain_ratio"}, default="errors"
        What makes a column best: fewest training errors, smallest mean impurity of its values, or largest gain in
        entropy over the entropy of its values.
    alpha : float, default=0.0
        Pseudo-count of every class for each value, when it answers: (n_k + α)/(n + αK).
    min_bucket : float, default=6
        Rows (their weight) of one class that complete a bucket of numbers.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns that are categories: by their type, or by names, numbers or a mask.
    categories : dict or list, optional
        Declared values of categories.

    Attributes
    ----------
    feature_ : int
        The number of the column.
    errors_ : ndarray of shape (n_features,)
        Weight of the training rows that the rule of each column gets wrong.
    scores_ : ndarray of shape (n_features,)
        What `criterion` compares.
    rules_ : RuleTable
        Condition, class, counts and errors of each value; prints as text, shows as HTML.
    tree_ : gnomon.search.Tree
        The rule as a tree, so that it explains itself and turns into rules, text, SQL and Python as trees do.
    class_prior_ : ndarray of shape (n_classes,)
        Class frequencies of all rows.
    classes_ : ndarray

    References
    ----------
    Holte, R. C. (1993). Very simple classification rules perform well on most commonly used datasets.
    doi:10.1023/A:1022631118932

    Examples
    --------
    >>> from gnomon.datasets import load_weather_play
    >>> from gnomon.trees import OneRule
    >>> weather = load_weather_play(as_frame=True)
    >>> rule = OneRule().fit(weather.data, weather.target)
    >>> rule.errors_
    array([4., 5., 4., 5.])
    >>> print(rule.rules_)
    condition           class  no  yes  rows  errors
    outlook = overcast  yes     0    4     4       0
    outlook = rainy     yes     2    3     5       2
    outlook = sunny     no      3    2     5       2
    """

    # `Coding` marks unknown values as missing; `_rows` separates them from missing cells.
    unseen = "missing"

    coding_: Coding
    feature_: int
    errors_: Floats
    scores_: Floats
    rules_: RuleTable
    class_prior_: Floats
    classes_: Array

    def __init__(
        self,
        feature: int | str = "auto",
        *,
        criterion: RuleCriterion = "errors",
        alpha: NonNegative = 0.0,
        min_bucket: Positive = 6,
        categorical_features: CategoricalFeatures = "from_dtype",
        categories: Categories | None = None,
    ):
        self.feature = feature
        self.criterion = criterion
        self.alpha = alpha
        self.min_bucket = min_bucket
        self.categorical_features = categorical_features
        self.categories = categories

    @timed
    def fit(self, X: TableLike | Sparse, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Count, and choose the column by (1)."""
        X, y = fitted_rows(self, X, y)
        self.classes_, index = as_classes(y)
        weights = tree_weights(sample_weight, X)
        columns = code_columns(X, category=self.coding_.category)
        k = len(self.classes_)
        rules = [
            column_rule(
                columns, j, index, weights, k, min_bucket=self.min_bucket, n_values=0 if domain is None else domain.size
            )
            for j, domain in enumerate(self.coding_.domains)
        ]
        self.errors_ = np.array([rule.errors for rule in rules])
        self.scores_ = np.array([_score(rule.counts, self.criterion) for rule in rules])
        self.feature_ = self._chosen()
        rule = rules[self.feature_]
        gaps = np.isnan(X[:, self.feature_]) if rule.gap is not None else []
        tree = assemble_tree(rule.fork, self._marked(X, gaps, rule.gap), index, Misclassification(k),
                             sample_weight=weights)  # fmt: skip
        self.class_prior_ = tree.answers[0].copy()
        if self.alpha > 0.0:
            is_value = (tree.is_leaf & (tree.weight > 0.0))[:, None]
            tree = with_smoothed(tree, np.where(is_value, smooth_answers(tree, self.alpha).answers, tree.answers))
        self.tree_ = tree
        self.coding_ = self._with_gap(rule.gap)
        self.rules_ = self._table(rule)
        return self

    def _marked(self, X: Any, gaps: Any, code: int | None) -> Any:
        """Rows with the code of a missing value where there are `gaps` in the column of the rule."""
        if not np.any(gaps):
            return X
        X = X.copy()
        X[gaps, self.feature_] = code
        return X

    def _with_gap(self, code: int | None) -> Coding:
        """The coding of the columns; None is one more value of the rule's column if missing has its own branch."""
        self._gap = code
        if code is None:
            return self.coding_
        domains: list[Any] = list(self.coding_.domains)
        domains[self.feature_] = Domain(code + 1, (*domains[self.feature_].labels.tolist(), None))
        return Coding(self.coding_.names, tuple(domains))

    def _chosen(self) -> int:
        """The number of the column to use."""
        names = list(self.coding_.names)
        if self.feature == "auto":
            value = -self.scores_ if self.criterion == "gain_ratio" else self.scores_
            best = np.min(value)
            # Equal up to rounding: the first.
            return int(np.argmax(value <= best + 1e-12 * abs(best)))
        if self.feature in names:
            return names.index(self.feature)
        if isinstance(self.feature, (int, np.integer)) and 0 <= self.feature < len(names):
            return int(self.feature)
        raise ValueError(f"feature={self.feature!r} is no column; X has {names}: name one of them, or choose 'auto'")

    def _table(self, rule: ColumnRule) -> RuleTable:
        rules = tree_rules(self.tree_, self.words_, stops=False)
        counts = rule.counts
        shown = np.flatnonzero(np.sum(counts, axis=1) > 0.0)
        conditions = tuple(say_all(rules[b].conditions, self.words_, TEXT) for b in shown)
        labels = self.classes_[np.argmax(counts[shown], axis=1)]
        return RuleTable(self.coding_.names[self.feature_], conditions, labels, counts[shown], self.classes_)

    def _rows(self, X: TableLike | Sparse) -> Any:
        """New rows as numbers."""
        check_is_fitted(self, "tree_")
        rows = new_rows(self, X)
        if self._gap is None:
            return rows
        return self._marked(rows, table_rows(self, X, reset=False).column(self.feature_).missing, self._gap)

    def predict_proba(self, X: TableLike | Sparse) -> Floats:
        """The class frequencies of each row's value."""
        rows = self._rows(X)
        return smoothed_tree(self.tree_).predict(rows)

    def predict(self, X: TableLike | Sparse) -> Array:
        """The most frequent class of each row's value."""
        shares = self.predict_proba(X)
        return self.classes_[np.argmax(shares, axis=1)]

    def __sklearn_tags__(self) -> Tags:
        tags = takes_tables(super().__sklearn_tags__())
        # One column need not separate the classes.
        tags.classifier_tags.poor_score = True
        return tags


def _score(counts: Floats, criterion: RuleCriterion) -> float:
    """The criterion of a column's division; smaller is better, except for the gain ratio."""
    mass = np.sum(counts, axis=1)
    if criterion == "errors":
        return np.sum(mass) - np.sum(np.max(counts, axis=1))
    kind: ClassCriterionWord = "gini" if criterion == "gini" else "entropy"
    mean = np.average(impurity(counts, kind), weights=mass)
    if criterion != "gain_ratio":
        return mean
    information = impurity(mass, "entropy")
    # A column with one value divides nothing: Quinlan (1993), §2.3.
    return (impurity(np.sum(counts, axis=0), kind) - mean) / information if information > 0.0 else -np.inf
