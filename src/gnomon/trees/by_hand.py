"""Trees written by hand, as estimators.

    structure: given        answer of a leaf: given, or estimated from the rows that reach it                        (1)

An expert's tree predicts without being fitted, and can be exported, plotted and scored like a grown one. `fit` and
`fill_leaves` keep its tests and estimate the answers of its leaves, so that cross-validation can judge its structure.
Hunt, Marin & Stone (1966), Experiments in Induction, ISBN 978-0-12-362350-4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self, TypeAlias

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin, is_regressor
from sklearn.utils import Tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from gnomon import search
from gnomon._typing import Array, ArrayLike, Floats, Integers, Matrix, TableLike
from gnomon.base import table_rows
from gnomon.base.coded_rows import Coding, Unseen, new_rows
from gnomon.base.estimator import Estimator
from gnomon.numerics.coding import label_index
from gnomon.numerics.domains import Domain, ordered
from gnomon.numerics.tables import Column, FeatureTable, as_table
from gnomon.numerics.validation import check_choice
from gnomon.search import Words, read_tree, refit_nodes
from gnomon.search.by_hand import mentioned_values
from gnomon.trees._cost import timed
from gnomon.trees._criteria import CLASS_CRITERIA, MEAN_CRITERIA, ClassCriterionWord, MeanCriterionWord
from gnomon.trees._reading import TreeMixin
from gnomon.trees._targets import as_classes, as_targets, check_targets, tree_weights

__all__ = ["HandTreeClassifier", "HandTreeRegressor", "Tree"]

TreeRules: TypeAlias = Any
"""Text, nested dicts, tuples or a label, as `gnomon.search.read_tree` takes them: a label may be anything."""


class Tree(search.Tree):
    """A tree as flat arrays, which can be made from rules.

    Parameters
    ----------
    nodes, answers, impurity, weight, n_rows, missing, ends, n_features, tests, extra
        As in `gnomon.search.Tree`.

    References
    ----------
    Quinlan, J. R. (1986). Induction of decision trees. doi:10.1007/BF00116251

    Examples
    --------
    >>> from gnomon.datasets import load_weather_play
    >>> from gnomon.trees import Tree
    >>> model = Tree.from_rules('''
    ... outlook = overcast: yes
    ... outlook = sunny:
    ...     humidity = high: no
    ...     humidity = normal: yes
    ... outlook = rainy:
    ...     windy = true: no
    ...     windy = false: yes
    ... ''')
    >>> weather = load_weather_play(as_frame=True)
    >>> model.score(weather.data, weather.target)
    1.0
    >>> model.to_dnf("no", rows="complete")
    '(outlook = sunny and humidity = high) or (outlook = rainy and windy = true)'
    """

    @classmethod
    def from_rules(
        cls,
        rules: TreeRules,
        *,
        columns: Sequence[str] | None = None,
        categories: Mapping[str, Sequence[Any]] | None = None,
        classes: Sequence[Any] | None = None,
    ) -> HandTreeClassifier | HandTreeRegressor:
        """A model that predicts by rules alone, without being fitted.

        Parameters
        ----------
        rules : str, dict, tuple or label
            As in `gnomon.search.read_tree`: text with a branch to a line and what lies below it indented, as
            `export_text` writes it; nested dicts ``{column: {value: …}}``; or tuples ``(column, threshold or values,
            first, second)``.
        columns : sequence, optional
            The columns of tables to predict; by default those that the rules mention. They are found by name, in an
            array as x0, x1, …; an array may also have exactly these columns in this order.
        categories : dict, optional
            The values of columns; by default those that the rules mention.
        classes : sequence, optional
            The labels; by default those that the rules mention.

        Returns
        -------
        HandTreeClassifier or HandTreeRegressor
            The second if the answers are fractional numbers.
        """
        tree, words = read_tree(rules, columns=columns, categories=categories, classes=classes)
        kind = HandTreeRegressor if words.classes is None else HandTreeClassifier
        model = kind(rules, categories=categories)
        model.tree_, model.n_features_in_ = tree, len(words.names)
        domains = [None if values is None else Domain(len(values), values) for values in words.values]
        model.coding_ = Coding(words.names, tuple(domains))
        if words.classes is not None:
            model.classes_, model.n_classes_ = words.classes, len(words.classes)
        model._by_name = True
        return model


class _HandTree(TreeMixin, Estimator):
    """Rows of a hand-written tree, shared by classifier and regressor."""

    _by_name = False

    def _read(self, X: TableLike, y: ArrayLike, **options: Any) -> tuple[Floats, Array, Any]:
        """Table and targets checked, columns coded, and the tree as written."""
        check_choice("unseen", self.unseen, ("missing", "error"))
        table, y = table_rows(self, X, y, y_numeric=is_regressor(self), **options)
        self._by_name = False
        rules = "?" if self.rules is None else self.rules
        self.coding_ = _coding(table, self.categories or {}, mentioned_values(rules))
        return self.coding_.matrix(table), y, rules

    def _rows(self, X: TableLike) -> Floats:
        check_is_fitted(self, "tree_")
        if not self._by_name:
            return new_rows(self, X)
        return self.coding_.matrix(_named_columns(X, self.coding_, _columns_tested_by_value(self.tree_)), self.unseen)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


class HandTreeClassifier(ClassifierMixin, _HandTree):
    """A classification tree whose tests are given.

    `fit` estimates the class frequencies of its leaves, equation (1) of the module; `Tree.from_rules` makes one that
    answers as it was written.

    Parameters
    ----------
    rules : str, dict, tuple or label, optional
        As in `Tree.from_rules`; None is a single leaf, which answers with the class frequencies of all rows.
    categories : dict, optional
        The values of columns; by default those of the table and of the rules.
    criterion : {"gini", "entropy", "log_loss", "misclassification"}, default="gini"
        The impurity that nodes show.
    unseen : {"missing", "error"}, default="missing"
        How to treat a value that occurs neither in the rules nor in `fit`.

    Attributes
    ----------
    tree_ : gnomon.search.Tree
    classes_ : ndarray
    n_classes_, n_features_in_ : int

    References
    ----------
    Hunt, E. B., Marin, J. & Stone, P. J. (1966). Experiments in Induction. ISBN 978-0-12-362350-4

    Examples
    --------
    >>> from gnomon.trees import HandTreeClassifier
    >>> model = HandTreeClassifier(("x0", 2.5, "?", "?")).fit([[1], [2], [3], [4]], ["a", "b", "b", "b"])
    >>> model.predict_proba([[0], [9]])
    array([[0.5, 0.5],
           [0. , 1. ]])
    """

    classes_: Array
    n_classes_: int
    n_features_in_: int

    def __init__(
        self,
        rules: TreeRules | None = None,
        *,
        categories: Mapping[str, Sequence[Any]] | None = None,
        criterion: ClassCriterionWord = "gini",
        unseen: Unseen = "missing",
    ):
        self.rules = rules
        self.categories = categories
        self.criterion = criterion
        self.unseen = unseen

    @timed
    def fit(self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Estimate the leaves; one that no row reaches keeps the answer that was written, or takes that above it."""
        X, y, rules = self._read(X, y)
        self.classes_, index = as_classes(y)
        self.n_classes_ = len(self.classes_)
        words = Words.of(self.coding_.names, self.coding_.domains, self.classes_)
        self.tree_ = self._filled(read_tree(rules, words=words, new_labels="open")[0], X, index, sample_weight)
        return self

    def fill_leaves(self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Estimate the leaves anew, keeping columns, categories and classes."""
        rows = self._rows(X)
        check_consistent_length(rows, y)
        self.tree_ = self._filled(self.tree_, rows, label_index(y, self.classes_)[0], sample_weight)
        return self

    def _filled(self, tree: search.Tree, X: Matrix, index: Integers, sample_weight: ArrayLike | None) -> search.Tree:
        criterion = CLASS_CRITERIA[check_choice("criterion", self.criterion, CLASS_CRITERIA)]
        weights = tree_weights(sample_weight, X)
        return refit_nodes(tree, X, index, criterion(self.n_classes_), sample_weight=weights)

    def predict_proba(self, X: TableLike) -> Floats:
        """The class frequencies of the leaf of every row."""
        rows = self._rows(X)
        return self.tree_.predict(rows)

    def predict(self, X: TableLike) -> Array:
        """The most frequent class of the leaf of every row."""
        shares = self.predict_proba(X)
        return self.classes_[np.argmax(shares, axis=1)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # The accuracy depends on the rules that the user wrote.
        tags.classifier_tags.poor_score = True
        return tags


class HandTreeRegressor(RegressorMixin, _HandTree):
    """A regression tree whose tests are given.

    `fit` estimates the means of its leaves, equation (1) of the module.

    Parameters
    ----------
    rules, categories, unseen
        As in `HandTreeClassifier`.
    criterion : {"squared_error", "friedman_mse", "poisson"}, default="squared_error"
        The impurity that nodes show.

    Attributes
    ----------
    tree_ : gnomon.search.Tree
    n_features_in_ : int

    References
    ----------
    Hunt, E. B., Marin, J. & Stone, P. J. (1966). Experiments in Induction. ISBN 978-0-12-362350-4

    Examples
    --------
    >>> from gnomon.trees import HandTreeRegressor
    >>> HandTreeRegressor(("x0", 2.5, "?", "?")).fit([[1], [2], [3], [4]], [1, 2, 8, 9]).predict([[0], [9]])
    array([1.5, 8.5])
    """

    def __init__(
        self,
        rules: TreeRules | None = None,
        *,
        categories: Mapping[str, Sequence[Any]] | None = None,
        criterion: MeanCriterionWord = "squared_error",
        unseen: Unseen = "missing",
    ):
        self.rules = rules
        self.categories = categories
        self.criterion = criterion
        self.unseen = unseen

    @timed
    def fit(self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Estimate the leaves; one that no row reaches keeps the answer that was written, or takes that above it."""
        X, y, rules = self._read(X, y)
        words = Words.of(self.coding_.names, self.coding_.domains)
        self.tree_ = self._filled(read_tree(rules, words=words)[0], X, y, sample_weight)
        return self

    def fill_leaves(self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Estimate the leaves anew, keeping columns and categories."""
        rows = self._rows(X)
        check_consistent_length(rows, y)
        self.tree_ = self._filled(self.tree_, rows, y, sample_weight)
        return self

    def _filled(self, tree: search.Tree, X: Matrix, y: ArrayLike, sample_weight: ArrayLike | None) -> search.Tree:
        criterion = MEAN_CRITERIA[check_choice("criterion", self.criterion, MEAN_CRITERIA)].of(1)
        targets, weights = check_targets(as_targets(y), criterion), tree_weights(sample_weight, X)
        # Differences from the mean keep the digits of small variances; the deviance needs the counts themselves.
        center = np.average(targets, axis=0, weights=weights) * criterion.centred
        moved = tree.with_answers(tree.answers - center)
        filled = refit_nodes(moved, X, targets - center, criterion, sample_weight=weights)
        return filled.with_answers(filled.answers + center)

    def predict(self, X: TableLike) -> Floats:
        """The mean of the leaf of every row."""
        rows = self._rows(X)
        answers = self.tree_.predict(rows)
        return answers[:, 0] if answers.shape[1] == 1 else answers

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags


def _named_columns(X: TableLike | FeatureTable, coding: Coding, by_value: set[int]) -> FeatureTable:
    """The columns that the rules name, found by name; an array has x0, x1, …, or exactly these columns in order.

    Of columns outside `by_value` only the presence of a value matters.
    """
    table = X if isinstance(X, FeatureTable) else as_table(X)
    absent = [name for name in coding.names if name not in table.names]
    nameless = isinstance(X, (np.ndarray, list, tuple)) or not any(isinstance(name, str) for name in table.names)
    if absent and not (nameless and len(table.names) == len(coding.names)):
        raise ValueError(
            f"X has no column {absent[0]!r}, which the rules name; it has {list(table.names)}: rename its columns, or "
            f"give the {len(coding.names)} columns {list(coding.names)} in this order as an array"
        )
    places = range(len(coding.names)) if absent else [table.names.index(name) for name in coding.names]
    columns = [_truth_as_words(table.column(j), domain) for j, domain in zip(places, coding.domains, strict=True)]
    return FeatureTable(coding.names, None, tuple(
        column if j in by_value else _presence(column, domain)
        for j, (column, domain) in enumerate(zip(columns, coding.domains, strict=True))
    ))  # fmt: skip


def _columns_tested_by_value(tree: search.Tree) -> set[int]:
    """The columns whose values are compared; of the others a test asks only whether the value is missing."""
    inner = np.flatnonzero(~tree.is_leaf & (tree.threshold != np.inf))
    oblique = [tree.tests.test(k)[1] for k in tree.tests.which[inner] if k >= 0 and tree.tests.kinds[k] == 2]
    return {*tree.feature[inner].tolist(), *(int(j) for cells in oblique for j in cells)}


def _presence(column: Column, domain: Domain | None) -> Column:
    """A column of strings for which the rules list no values: 0 where it has a value, NaN where it is missing."""
    if domain is not None or column.is_number:
        return column
    return Column(np.where(column.missing, np.nan, 0.0))


def _truth_as_words(column: Column, domain: Domain | None) -> Column:
    """Booleans as the strings "true" and "false", where the rules use strings for them."""
    words = {} if domain is None else {value.lower(): value for value in domain.values or () if isinstance(value, str)}
    if not _is_truth(column) or not words:
        return column
    word_of = {0.0: words.get("false"), 1.0: words.get("true")}
    return Column(np.array([word_of.get(cell) for cell in column.cells.tolist()], dtype=object), is_category=True)


def _is_truth(column: Column) -> bool:
    return column.is_category and column.is_number


def _coding(
    table: FeatureTable, categories: Mapping[str, Sequence[Any]], mentioned: Mapping[Any, Iterable[Any]]
) -> Coding:
    """The domains of columns that are categories by their type, or that the rules test as such."""
    unknown = [name for name in categories if name not in table.names]
    if unknown:
        raise ValueError(f"categories names {unknown[0]!r}, which X does not have; it has {list(table.names)}")
    domains = []
    for j, name in enumerate(table.names):
        column, values = table.column(j), {*mentioned.get(name, ()), *mentioned.get(j, ())}
        listed = categories.get(name)
        is_category = column.is_category or values or listed is not None
        domains.append(_domain(column, listed, values) if is_category else None)
    return Coding(table.names, tuple(domains))


def _domain(column: Column, listed: Sequence[Any] | None, mentioned: set[Any]) -> Domain:
    if listed is not None:
        return Domain(len(listed), tuple(listed), declared=True)
    if _is_truth(column):
        mentioned = {value for value in mentioned if str(value).lower() not in ("false", "true")}
        met = (False, True)
    else:
        met = column.declared or ordered(set(column.cells[~column.missing].tolist()))
    known = {str(value) for value in met}
    new = tuple(value for value in ordered(mentioned) if value not in met and str(value) not in known)
    values = tuple(met) + new if column.declared else ordered(tuple(met) + new)
    return Domain(len(values), values)
