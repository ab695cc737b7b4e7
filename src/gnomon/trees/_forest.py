"""Forests: growing many trees, averaging them, and their out-of-bag error.

    F(x) = (1/T) Σ_t answer of tree t at x                                                                        (1)

Breiman (2001), doi:10.1023/A:1010933404324. Row i is out of the bag of about 37 % of the trees; these predict it
without having seen it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Generic, Literal, Self, TypeAlias, TypeVar

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import r2_score
from sklearn.utils import Tags, compute_class_weight
from sklearn.utils.validation import check_is_fitted, column_or_1d

from gnomon._typing import Array, ArrayLike, Floats, Integers, Matrix, Numbers, Sparse, TableLike
from gnomon.base.callbacks import CallbackSupportMixin, Tasks, fit_tasks
from gnomon.base.coded_rows import Coding, fitted_rows
from gnomon.base.going_on import check_known_classes, check_known_outputs
from gnomon.base.progress import progress_of
from gnomon.numerics.random import check_rng, spawn_seeds
from gnomon.numerics.scale import PowerOfTwo
from gnomon.search import Criterion, Forest, Tree, code_columns, grow_forest, prune_tree
from gnomon.search.units import units_of
from gnomon.trees._bags import Draw, DrawnBags, bag_size
from gnomon.trees._cost import RowPredictor, TreeTimes, timed
from gnomon.trees._criteria import class_criterion, mean_criterion
from gnomon.trees._grown_forest import GrownForest, TreeAnswers, tree_answers
from gnomon.trees._growth import MaxFeatures, bins_of, growth_options, resolve_max_features
from gnomon.trees._out_of_bag import RunningMeans, accuracy_loss, out_of_bag, squared_loss
from gnomon.trees._outputs import ClassCounts, ClassLabels, ClassShares, counts_of, labels_of, refuse_several, shares_of
from gnomon.trees._targets import TreeClassWeight, as_classes, as_targets, center_of, check_targets, tree_weights
from gnomon.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["BaseForest", "ForestClassifier", "ForestRegressor"]

Voting: TypeAlias = Literal["soft", "hard"]

OutOfBagScore: TypeAlias = bool | Callable[[Array, Array], float]
"""Whether rows are scored out of bag, or the function of the truth and the predictions that scores them."""

ForestClassWeight: TypeAlias = TreeClassWeight | Literal["balanced_subsample"]

Member = TypeVar("Member", DecisionTreeClassifier, DecisionTreeRegressor)

SHARED = (
    "criterion", "max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf", "max_features",
    "max_leaf_nodes", "min_impurity_decrease", "ccp_alpha", "monotonic_cst", "min_impurity", "categorical_features",
    "categories", "categorical_split", "unseen",
)  # fmt: skip
"""Parameters that a forest hands to its trees."""


class BaseForest(CallbackSupportMixin, GrownForest, Generic[Member]):
    """Growing; `splitter` is a parameter or a class attribute.

    With `_draws_without_replacement`, `max_samples` applies without `bootstrap` too.
    """

    _kind: type[Member]
    _bags: DrawnBags
    _seed: int
    _draws_without_replacement = False

    forest_: Forest
    coding_: Coding
    n_outputs_: int
    n_features_in_: int
    oob_score_: float
    oob_errors_: Floats

    def _grow(
        self,
        X: Matrix,
        y: Array,
        criterion: Criterion,
        weights: Floats,
        told: Tasks,
        balanced: Callable[[Floats], Floats] | None = None,
        center: Numbers = 0.0,
    ) -> None:
        """Grow the trees; `center` is what was subtracted from y."""
        n_trees, alpha = int(self.n_estimators), self.ccp_alpha
        if self._continues():
            check_known_outputs(self.n_outputs_, y.size // len(y))
        self.n_outputs_ = y.size // len(y)
        keep = self._kept(n_trees)
        draw = self._draw(weights)
        units = units_of(criterion, y, weights)
        weights = units.weights(weights)
        before, n_kept = (DrawnBags(), 0) if keep is None else (self._bags, len(keep))
        self._bags = before.extended(n_kept, spawn_seeds(self._seed, n_trees), draw)
        features = _subspaces(self.max_features_tree, X.shape[1])
        width = X.shape[1] if features is None else len(features(0))
        total = float(np.sum(weights)) if draw.size is None else draw.size
        options = growth_options(self, int(np.sum(weights > 0.0)), X.shape[1], total)
        options = units._replace(weight=PowerOfTwo()).limits(options)
        options["max_features"] = resolve_max_features(self.max_features, width)
        columns = code_columns(
            X, category=self.coding_.category, bins=bins_of(self.binning, X.shape[0]), n_jobs=self.n_jobs
        )

        times = TreeTimes(self._bags, self._tree_seconds[:n_kept] if n_kept else ())
        # A bag has as many rows as it draws, whatever the unit of the weights.
        seen = units if draw.size is None else units._replace(weight=PowerOfTwo())

        def bag_weights(counts):
            if draw.size is None:
                return weights
            return counts if balanced is None else counts * balanced(counts)

        def finish(tree):
            tree = prune_tree(tree, units.impurity.inward(alpha)) if alpha > 0.0 else tree
            times.stop()
            return replace(seen.restored(tree), class_counts=criterion.class_counts)

        self.forest_ = grow_forest(
            columns, units.targets(y), criterion, times, weights=bag_weights, features=features, after=keep,
            finish=finish, n_jobs=self.n_jobs, progress=self._progress(X, y, keep, n_trees, center, told),
            splitter=self.splitter, **options,
            categorical_split=self.categorical_split,
        )  # fmt: skip
        self._tree_seconds = [times.seconds[t] for t in range(len(self.forest_))]
        if len(self.forest_) < n_trees:
            warnings.warn(
                f"interrupted after {len(self.forest_)} of {n_trees} trees, which are kept; fit again with "
                "warm_start=True to grow the others",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _new_trees(self) -> int:
        """How many trees a fit is to grow."""
        return max(int(self.n_estimators) - (len(self.forest_) if self._continues() else 0), 0)

    def _progress(
        self, X: Matrix, y: Array, keep: Forest | None, n_trees: int, center: Numbers, told: Tasks
    ) -> Callable[[int, Tree], None] | None:
        """The progress callback of `grow_forest`; with `oob_score` it reports the out-of-bag error so far."""
        report = told.reported(progress_of(self.verbose, "tree"))
        if report is None:
            return None
        note = self._errors(X, y, keep, center) if self.verbose and self.oob_score else lambda t, tree: ""

        def tell(t, tree):
            report(t + 1, n_trees, note(t, tree))
            told.go_on()

        return tell

    def _errors(self, X, y, keep, center):
        """From a tree to a note of the error of all so far."""
        means = RunningMeans(self._bags, X, y + center, self._loss)

        def error(t, tree, center=center):
            rows, answers = means.ask(t, self._voting(Forest.of([tree])))
            return means.add(rows, answers + center)

        if keep is not None:
            for t in range(len(keep)):
                error(t, keep.tree(t), center=0.0)
        return lambda t, tree: f", out-of-bag error {error(t, tree):.4g}"

    def _kept(self, n_trees: int) -> Forest | None:
        """The forest that `warm_start` continues, whose seeds begin the same sequence; None if all trees are new."""
        if not self._continues():
            self._seed = int(check_rng(self.random_state).integers(0, 2**63))
            return None
        n_kept = len(self.forest_)
        if n_kept > n_trees:
            raise ValueError(
                f"n_estimators={n_trees} is less than the {n_kept} trees that warm_start=True keeps; give as many"
            )
        if n_kept == n_trees:
            warnings.warn(
                f"n_estimators={n_trees} trees are there already: Warm-start fitting without increasing n_estimators "
                "does not fit new trees; give more, or warm_start=False",
                UserWarning,
                stacklevel=4,
            )
        return self.forest_

    def _draw(self, weights: Floats) -> Draw:
        """How the rows of new trees are drawn."""
        n = len(weights)
        if self.max_samples is not None and not (self.bootstrap or self._draws_without_replacement):
            raise ValueError(
                f"max_samples={self.max_samples!r} has no effect with bootstrap=False: `max_samples` cannot be set if "
                "`bootstrap=False`; either switch to `bootstrap=True` or leave it out"
            )
        if not self._draws() and self.oob_score:
            raise ValueError("oob_score=True needs bootstrap=True: otherwise no row is out of any bag; set bootstrap")
        others = [draw.n for draw in self._bags.draws if draw.n != n] if self._continues() else []
        if self.oob_score and others:
            raise ValueError(
                f"X has {n} rows and the trees that warm_start=True keeps were grown from {others[0]}, so it is "
                "unknown which rows these have seen; give the same rows, or oob_score=False"
            )
        if not self._draws():
            return Draw(n)
        return Draw.of(weights, bag_size(self.max_samples, weights), replace=bool(self.bootstrap))

    def _draws(self) -> bool:
        """Whether each tree sees a sample of the rows."""
        return self.bootstrap or (self._draws_without_replacement and self.max_samples is not None)

    def _continues(self) -> bool:
        return self.warm_start and "forest_" in vars(self)

    @property
    def estimator_(self) -> Member:
        """An unfitted tree with the parameters of the forest."""
        return self._kind(splitter=self.splitter, **{name: getattr(self, name) for name in SHARED})

    @property
    def estimators_(self) -> list[Member]:
        """The trees, as estimators."""
        if "forest_" not in vars(self):
            raise AttributeError("estimators_ exists after fit")
        return [self._member(t) for t in range(len(self.forest_))]

    @property
    def estimators_samples_(self) -> list[Integers]:
        """The rows in the bag of each tree, with repetitions."""
        return [self._bags.rows(t).astype(np.int32) for t in range(len(self.forest_))]

    @property
    def feature_importances_(self) -> Floats:
        """Mean of the trees' importances by impurity; they favour columns of many values."""
        check_is_fitted(self, "forest_")
        each = [self.forest_.tree(t).compute_feature_importances() for t in range(len(self.forest_))]
        total = np.sum([share for share in each if np.sum(share) > 0.0] or [each[0]], axis=0)
        return total / max(np.sum(total), 1e-300)

    def _member(self, t: int) -> Member:
        tree = self.estimator_.set_params(random_state=self._bags.seeds[t] % 2**31)
        for name in ("coding_", "n_features_in_", "feature_names_in_", "n_outputs_", "_flat"):
            if name in vars(self):
                setattr(tree, name, getattr(self, name))
        tree.tree_ = self.forest_.tree(t)
        return tree

    def __getitem__(self, t: int) -> Member:
        return self._member(range(len(self.forest_))[t])

    def __iter__(self) -> Iterator[Member]:
        return iter(self.estimators_)


class ForestClassifier(ClassifierMixin, BaseForest[DecisionTreeClassifier]):
    """A mean of classification trees."""

    classes_: ClassLabels
    n_classes_: ClassCounts
    oob_decision_function_: Floats

    _kind = DecisionTreeClassifier
    _loss = staticmethod(accuracy_loss)

    @timed
    def fit(self, X: TableLike | Sparse, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the trees of (1)."""
        coded, y = fitted_rows(self, X, y, multi_output=True, goes_on=self._continues())
        self._n_rows = coded.shape[0]
        with fit_tasks(self, "tree", self._new_trees(), X=X, y=y) as told:
            return self._fit_classes(coded, y, told, sample_weight)

    def _fit_classes(self, X: Matrix, y: Array, told: Tasks, sample_weight: ArrayLike | None = None) -> Self:
        hard = self.voting == "hard"
        classes, index = as_classes(y)
        if self._continues():
            check_known_classes(self.classes_, classes)
        self.classes_ = classes
        self.n_classes_ = counts_of(self.classes_)
        criterion = class_criterion(self.criterion, self.classes_)
        refuse_several(self.classes_, **{"voting='hard'": hard})
        class_weight: Any = self.class_weight
        per_bag = False
        if isinstance(class_weight, str) and self.warm_start:
            warnings.warn(
                f"class_weight={class_weight!r} is computed from the rows of each fit, and warm_start=True keeps trees "
                "of others; give a dict of weights, computed from all rows, if they are fitted in parts",
                UserWarning,
                stacklevel=4,
            )
        if isinstance(class_weight, str) and class_weight == "balanced_subsample":
            # Where every tree sees all rows, all bags have the same class weights.
            per_bag = self._draws()
            class_weight = None if per_bag else "balanced"
        weights = tree_weights(sample_weight, X, class_weight, self.classes_, index, balance="weights")
        self._grow(X, index, criterion, weights, told, _balance(index) if per_bag else None)
        if self.oob_score:
            found, self.oob_errors_ = out_of_bag(self._voters, self._bags, X, index, accuracy_loss, n_jobs=self.n_jobs)
            self.oob_decision_function_ = self._by_output(found)
            self.oob_score_ = self._score_classes(y, found)
        return self

    def _by_output(self, answers: Floats) -> Floats:
        """Out-of-bag answers as scikit-learn shapes them: rows by classes, by outputs where there are several."""
        return answers if self.n_outputs_ == 1 else answers.reshape(len(answers), self.n_outputs_, -1).swapaxes(1, 2)

    def _score_classes(self, y: Array, answers: Floats) -> float:
        known = ~np.isnan(answers[:, 0])
        chosen = labels_of(self.classes_, answers[known])
        truth = np.reshape(y, np.shape(y)[: 1 + (self.n_outputs_ > 1)])[known]
        if callable(self.oob_score):
            return float(self.oob_score(truth, chosen))
        return 1.0 - accuracy_loss(self._truth(truth), answers[known])

    def _truth(self, y: ArrayLike) -> Integers:
        if self.n_outputs_ == 1:
            return _codes(np.asarray(y), self.classes_)
        return np.column_stack([_codes(*pair) for pair in zip(np.transpose(y), self.classes_, strict=True)])

    def predict_proba(self, X: TableLike | Sparse) -> ClassShares:
        """Mean class frequencies of the leaves; with ``voting="hard"`` the share of trees that vote for a class.

        Of several outputs a list with those of each.
        """
        answers = self._means(X)
        return shares_of(self.classes_, answers)

    def predict_log_proba(self, X: TableLike | Sparse) -> ClassShares:
        """The logarithms of `predict_proba`."""
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return [np.log(some) for some in shares] if self.n_outputs_ > 1 else np.log(shares)

    def predict(self, X: TableLike | Sparse) -> Array:
        """The class with the largest probability."""
        answers = self._means(X)
        return labels_of(self.classes_, answers)

    def predict_trees(self, X: TableLike | Sparse) -> TreeAnswers:
        """The class frequencies of every tree, with their mean and their spread.

        Returns
        -------
        TreeAnswers
            `each` of shape (n_estimators, n_samples, n_classes), `mean` and `std` over the trees; of several outputs
            the frequencies of the classes of one stand after those of the other, as many as the largest number.
        """
        rows = self._rows(X)
        return tree_answers(self.forest_, rows, self.n_jobs)

    def compile_row(self) -> RowPredictor:
        """A function from one row, a float array that is not checked, to its class: the fastest way for single rows."""
        check_is_fitted(self, "forest_")
        finish = (
            (lambda answers: self.classes_[answers.argmax()])
            if self.n_outputs_ == 1
            else (lambda answers: labels_of(self.classes_, answers[None])[0])
        )
        return RowPredictor(self._voters, finish)

    def _member(self, t: int) -> DecisionTreeClassifier:
        tree = super()._member(t)
        tree.n_classes_ = self.n_classes_
        several = self.n_outputs_ > 1
        tree.classes_ = [np.arange(len(labels)) for labels in self.classes_] if several else np.arange(self.n_classes_)
        return tree

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        return tags


def _codes(y: Array, classes: Array) -> Integers:
    """The index of every label."""
    unknown = np.setdiff1d(y, classes)
    if len(unknown):
        raise ValueError(f"y has {unknown.tolist()[0]!r}, which is none of the classes {classes.tolist()} of fit")
    return np.searchsorted(classes, y)


def _balance(index: Integers) -> Callable[[Floats], Floats]:
    """From the counts of rows in a bag to factors that make classes equal in it, multiplied over outputs."""

    def balanced(counts: Floats) -> Floats:
        drawn = np.repeat(np.arange(len(index)), counts.astype(np.int64))
        factor = np.ones(len(index))
        for column in index.reshape(len(index), -1).T:
            present = np.unique(column[drawn])
            by_class = np.ones(int(np.max(column)) + 1)
            by_class[present] = compute_class_weight("balanced", classes=present, y=column[drawn])
            factor *= by_class[column]
        return factor

    return balanced


class ForestRegressor(RegressorMixin, BaseForest[DecisionTreeRegressor]):
    """A mean of regression trees."""

    oob_prediction_: Floats

    _kind = DecisionTreeRegressor
    _loss = staticmethod(squared_loss)

    @timed
    def fit(self, X: TableLike | Sparse, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the trees of (1)."""
        coded, y = fitted_rows(self, X, y, multi_output=True, y_numeric=True, goes_on=self._continues())
        y = column_or_1d(y, warn=True) if np.shape(y)[1:] == (1,) else y
        self._n_rows = coded.shape[0]
        targets = as_targets(y)
        criterion = mean_criterion(self.criterion, targets.shape[1])
        check_targets(targets, criterion)
        self._flat = np.ndim(y) == 1
        weights = tree_weights(sample_weight, coded)
        center = center_of(targets, weights, criterion)
        before = len(self.forest_) if self._continues() else 0
        with fit_tasks(self, "tree", self._new_trees(), X=X, y=y) as told:
            self._grow(coded, targets - center, criterion, weights, told, center=center)
            answers = self.forest_.whole.answers
            answers[self.forest_.roots[before] :] += center
            if self.oob_score:
                found, self.oob_errors_ = out_of_bag(
                    self._voters, self._bags, coded, targets, squared_loss, n_jobs=self.n_jobs
                )
                self.oob_prediction_ = found[:, 0] if self._flat else found
                known = ~np.isnan(found[:, 0])
                truth = targets[:, 0] if self._flat else targets
                scorer = self.oob_score if callable(self.oob_score) else r2_score
                self.oob_score_ = float(scorer(truth[known], self.oob_prediction_[known]))
        return self

    def _truth(self, y: ArrayLike) -> Floats:
        return as_targets(y)

    def predict(self, X: TableLike | Sparse) -> Floats:
        """The mean answer of the trees."""
        answers = self._means(X)
        return answers[:, 0] if self._flat else answers

    def predict_trees(self, X: TableLike | Sparse) -> TreeAnswers:
        """The answer of every tree, with their mean and their spread.

        Returns
        -------
        TreeAnswers
            `each` of shape (n_estimators, n_samples) or (n_estimators, n_samples, n_outputs), `mean` and `std` over
            the trees.
        """
        rows = self._rows(X)
        answers = tree_answers(self.forest_, rows, self.n_jobs)
        return TreeAnswers(*(part[..., 0] for part in answers)) if self._flat else answers

    def compile_row(self) -> RowPredictor:
        """A function from one row, a float array that is not checked, to its prediction: the fastest for one row."""
        check_is_fitted(self, "forest_")
        T = len(self.forest_)
        return RowPredictor(self.forest_, lambda answers: answers[0] / T if self._flat else answers / T)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def _subspaces(max_features_tree: MaxFeatures, p: int) -> Callable[[int], Integers] | None:
    """From the seed of a tree to the columns that it may test; None: all."""
    k = resolve_max_features(max_features_tree, p)
    if k == p:
        return None

    def draw(seed: int) -> Integers:
        return np.sort(np.random.default_rng([seed, 1]).permutation(p)[:k])

    return draw
