"""What forests share: growing many trees, adding them up, judging them out of bag.

    F(x) = (1/T) Σ_t answer of tree t at x                                                                        (1)

Breiman (2001), doi:10.1023/A:1010933404324. Row i is out of the bag of about 37 % of the trees; these predict it
without having seen it.
"""

import numbers
import sys
import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from gnomon.numerics.random import check_rng, spawn_seeds
from gnomon.numerics.validation import check_choice, check_integer, check_interval
from gnomon.search import Bags, Forest, code_columns, grow_forest, prune_tree
from gnomon.trees._growth import CLASS_CRITERIA, MEAN_CRITERIA, bins_of, growth_options
from gnomon.trees._reading import ReadsForest
from gnomon.trees._rows import fitted_rows, new_rows
from gnomon.trees._targets import as_classes, as_targets, tree_weights
from gnomon.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["ForestClassifier", "ForestRegressor"]

SHARED = (
    "criterion", "max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf", "max_features",
    "max_leaf_nodes", "min_impurity_decrease", "ccp_alpha", "monotonic_cst", "min_impurity", "categorical_features",
    "categories", "categorical_split", "unseen",
)  # fmt: skip
"""Parameters that a forest hands to its trees."""


class _Forest(ReadsForest, BaseEstimator):
    """Growing and applying; `splitter` is a parameter or belongs to the class."""

    def _grow(self, X, y, criterion, weights, balanced=None):
        if self.bootstrap is False and self.oob_score:
            raise ValueError("oob_score=True needs bootstrap=True: otherwise no row is out of any bag; set bootstrap")
        n_trees = check_integer("n_estimators", self.n_estimators, 1)
        # The trees of an earlier fit stay, and their seeds are the first of the same sequence.
        keep = [self.forest_.tree(t) for t in range(len(self.forest_))] if self._continues() else []
        if len(keep) > n_trees:
            raise ValueError(
                f"n_estimators={n_trees} is less than the {len(keep)} trees that warm_start=True keeps; give as many"
            )
        if not keep:
            self._seed = int(check_rng(self.random_state).integers(0, 2**63))
        seeds = tuple(spawn_seeds(self._seed, n_trees))
        positive = np.flatnonzero(weights)
        self._bags = Bags(len(weights), _bag_size(self.max_samples, self.bootstrap, len(weights)), seeds=seeds)
        options = growth_options(self, len(positive), X.shape[1], float(np.sum(weights)))
        bins = bins_of(self.binning, X.shape[0])
        columns = code_columns(X, category=self.coding_.category, bins=bins, n_jobs=self.n_jobs)

        def bag_weights(counts):
            return counts * weights * (1.0 if balanced is None else balanced(counts))

        trees = grow_forest(
            columns, y, criterion, self._bags, weights=bag_weights, first=len(keep), n_jobs=self.n_jobs,
            progress=_progress(self.verbose, n_trees), splitter=self.splitter,
            categorical_split=self.categorical_split, **options,
        )  # fmt: skip
        if self.ccp_alpha > 0.0:
            trees = [prune_tree(tree, self.ccp_alpha) for tree in trees]
        self.forest_ = Forest.of(keep + trees)
        self.n_outputs_ = 1 if criterion.classes else criterion.size - 2

    def _continues(self):
        return self.warm_start and "forest_" in vars(self)

    def _rows(self, X):
        """New rows as numbers."""
        check_is_fitted(self, "forest_")
        return new_rows(self, X)

    def _sums(self, X, **how):
        rows = self._rows(X)
        return self.forest_.sum(rows, self.n_jobs, **how) / len(self.forest_)

    def _oob(self, X, **how):
        """Mean answer of the trees that did not see a row; NaN where all did."""
        total = np.zeros((X.shape[0], self.forest_.whole.answers.shape[1]))
        votes = np.zeros(X.shape[0])
        for t in range(len(self.forest_)):
            out = np.flatnonzero(self._bags.counts(t) == 0)
            total[out] += Forest.of([self.forest_.tree(t)]).sum(X[out], self.n_jobs, **how)
            votes[out] += 1.0
        if np.any(votes == 0.0):
            warnings.warn(
                f"{int(np.sum(votes == 0.0))} rows are in the bag of every tree, so they have no out-of-bag answer "
                "(Some inputs do not have OOB scores); grow more trees",
                UserWarning,
                stacklevel=3,
            )
        with np.errstate(invalid="ignore"):
            return total / votes[:, None]

    def apply(self, X):
        """The number of the leaf of every row in every tree, shape (n_samples, n_estimators)."""
        check_is_fitted(self, "forest_")
        return self.forest_.leaves(new_rows(self, X), self.n_jobs)

    @property
    def estimators_(self):
        """The trees, as estimators."""
        if "forest_" not in vars(self):
            raise AttributeError("estimators_ exists after fit")
        return [self._member(t) for t in range(len(self.forest_))]

    @property
    def estimators_samples_(self):
        """The rows in the bag of each tree, with repetitions."""
        counts = (self._bags.counts(t).astype(int) for t in range(len(self.forest_)))
        return [np.repeat(np.arange(len(c)), c) for c in counts]

    @property
    def feature_importances_(self):
        """Mean of the trees' importances by impurity; they favour columns of many values."""
        check_is_fitted(self, "forest_")
        each = [self.forest_.tree(t).compute_feature_importances() for t in range(len(self.forest_))]
        total = np.sum([share for share in each if np.sum(share) > 0.0] or [each[0]], axis=0)
        return total / max(np.sum(total), 1e-300)

    def _member(self, t):
        tree = self._kind(
            splitter=self.splitter,
            random_state=self._bags.seeds[t] % 2**31,
            **{name: getattr(self, name) for name in SHARED},
        )
        for name in ("coding_", "n_features_in_", "feature_names_in_", "n_outputs_", "_flat"):
            if name in vars(self):
                setattr(tree, name, getattr(self, name))
        tree.tree_ = self.forest_.tree(t)
        return tree

    def __len__(self):
        return len(self.forest_)

    def __getitem__(self, t):
        return self.estimators_[t]

    def __iter__(self):
        return iter(self.estimators_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


class ForestClassifier(ClassifierMixin, _Forest):
    """A mean of classification trees."""

    _kind = DecisionTreeClassifier

    def fit(self, X, y, sample_weight=None):
        """Grow the trees of (1)."""
        criterion = CLASS_CRITERIA[check_choice("criterion", self.criterion, CLASS_CRITERIA)]
        check_choice("voting", self.voting, ("soft", "hard"))
        X, y = fitted_rows(self, X, y)
        self.classes_, index = as_classes(y)
        self.n_classes_ = len(self.classes_)
        by_bag = isinstance(self.class_weight, str) and self.class_weight == "balanced_subsample"
        weights = tree_weights(sample_weight, X, None if by_bag else self.class_weight, self.classes_, index)
        self._grow(X, index, criterion(self.n_classes_), weights, self._balance(index) if by_bag else None)
        if self.oob_score:
            self.oob_decision_function_ = self._oob(X, hard=self.voting == "hard")
            self.oob_score_ = _oob_score(self.oob_score, self.oob_decision_function_, index, _accuracy)
        return self

    def _balance(self, index):
        def balanced(counts):
            drawn = np.repeat(index, counts.astype(int))
            present = np.unique(drawn)
            factor = np.ones(self.n_classes_)
            factor[present] = compute_class_weight("balanced", classes=present, y=drawn)
            return factor[index]

        return balanced

    def predict_proba(self, X):
        """Mean class frequencies of the leaves; with ``voting="hard"`` the share of trees that vote for a class."""
        return self._sums(X, hard=self.voting == "hard")

    def predict_log_proba(self, X):
        """The logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X):
        """The class with the largest probability."""
        shares = self.predict_proba(X)
        return self.classes_[np.argmax(shares, axis=1)]

    def predict_trees(self, X):
        """The class frequencies of every tree, shape (n_estimators, n_samples, n_classes)."""
        check_is_fitted(self, "forest_")
        return _each_answer(self.forest_, new_rows(self, X), self.n_jobs)

    def _member(self, t):
        tree = super()._member(t)
        tree.classes_, tree.n_classes_ = np.arange(self.n_classes_), self.n_classes_
        return tree


class ForestRegressor(RegressorMixin, _Forest):
    """A mean of regression trees."""

    _kind = DecisionTreeRegressor

    def fit(self, X, y, sample_weight=None):
        """Grow the trees of (1)."""
        criterion = MEAN_CRITERIA[check_choice("criterion", self.criterion, MEAN_CRITERIA)]
        X, y = fitted_rows(self, X, y, multi_output=True, y_numeric=True)
        targets = as_targets(y, self.criterion)
        self._flat = np.ndim(y) == 1
        weights = tree_weights(sample_weight, X)
        # Differences from the mean keep the digits of small variances; the deviance needs the counts themselves.
        center = np.average(targets, axis=0, weights=weights) * (self.criterion != "poisson")
        before = len(self.forest_) if self._continues() else 0
        self._grow(X, targets - center, criterion(targets.shape[1] + 2), weights)
        answers = self.forest_.whole.answers
        answers[self.forest_.roots[before] :] += center
        if self.oob_score:
            found = self._oob(X)
            self.oob_prediction_ = found[:, 0] if self._flat else found
            self.oob_score_ = _oob_score(self.oob_score, found, targets, _r2)
        return self

    def predict(self, X):
        """The mean answer of the trees."""
        answers = self._sums(X)
        return answers[:, 0] if self._flat else answers

    def predict_trees(self, X):
        """The answer of every tree, shape (n_estimators, n_samples) or (n_estimators, n_samples, n_outputs)."""
        check_is_fitted(self, "forest_")
        answers = _each_answer(self.forest_, new_rows(self, X), self.n_jobs)
        return answers[:, :, 0] if self._flat else answers

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def store(estimator, given):
    """Keep every parameter of ``__init__`` under its name."""
    for name, value in given.items():
        if name not in ("self", "__class__"):
            setattr(estimator, name, value)


def _each_answer(forest, X, n_jobs):
    leaves = forest.leaves(X, n_jobs)
    return forest.whole.answers[leaves + forest.roots[:-1]].swapaxes(0, 1)


def _bag_size(max_samples, bootstrap, n):
    if not bootstrap:
        if max_samples is not None:
            raise ValueError(f"max_samples={max_samples!r} has no effect with bootstrap=False: `max_samples` cannot be "
                             "set if `bootstrap=False`; either switch to `bootstrap=True` or leave it out")  # fmt: skip
        return None
    if max_samples is None:
        return n
    if isinstance(max_samples, numbers.Integral):
        return check_integer("max_samples", max_samples, 1, n)
    return max(1, round(check_interval("max_samples", max_samples, 0.0, 1.0, closed="right") * n))


def _progress(verbose, n_trees):
    if not verbose:
        return None

    def report(t):
        if verbose > 1 or (t + 1) % max(1, n_trees // 10) == 0:
            sys.stderr.write(f"tree {t + 1} of {n_trees}\n")

    return report


def _oob_score(scorer, answers, truth, default):
    known = ~np.isnan(answers[:, 0])
    return (scorer if callable(scorer) else default)(truth[known], answers[known])


def _accuracy(index, shares):
    return float(np.mean(np.argmax(shares, axis=1) == index))


def _r2(y, answers):
    from sklearn.metrics import r2_score

    return float(r2_score(y, answers))
