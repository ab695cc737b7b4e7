"""Boosting rounds with exact thresholds: a round, early stopping, and the trees as estimators.

    stop when  held-out loss + tol ≥ each of the last m held-out losses                                             (1)

Rules and names are those of scikit-learn (Pedregosa et al. 2011, JMLR 12); Friedman (2001), doi:10.1214/aos/1013203451.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterator
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from gnomon._typing import Array, Floats, Integers, Matrix, Sparse, TableLike, is_sparse
from gnomon.base.callbacks import Tasks
from gnomon.base.coded_rows import new_rows
from gnomon.losses import LogisticLoss, Loss, SquaredLoss
from gnomon.numerics.validation import check_choice
from gnomon.search import BoostingPlan, Columns, Round, SquaredError, Tree
from gnomon.trees._boosting import (
    BoostedTrees,
    BoostingRows,
    HeldOutLosses,
    Judge,
    Monitor,
    best_constant,
    check_monotone,
    held_rows,
)
from gnomon.trees._growth import bins_of, growth_options, resolve_max_features
from gnomon.trees.decision_tree import DecisionTreeRegressor

__all__ = ["ExactRounds", "VarianceName"]

VarianceName: TypeAlias = Literal["friedman_mse", "squared_error", "deprecated"]

CRITERIA = ("friedman_mse", "squared_error", "deprecated")
"""Names of one criterion; scikit-learn is withdrawing the parameter."""

SHARED = (
    "max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf", "max_features", "max_leaf_nodes",
    "min_impurity_decrease", "ccp_alpha", "categorical_features", "categories", "unseen",
)  # fmt: skip
"""Parameters that the ensemble shares with its trees."""

DOUBLED = (SquaredLoss(half=True), LogisticLoss())
"""Losses whose double, the squared error and the deviance, is reported in `train_score_`."""


class ExactRounds(BoostedTrees):
    """One round: trees by the variance of negative gradients among all thresholds."""

    _rounds_name = "n_estimators"
    min_impurity = 0.0

    init_: Any
    n_estimators_: int
    max_features_: int
    oob_scores_: Floats
    oob_improvement_: Floats
    oob_score_: float

    def _bins(self, n: int) -> int | None:
        return bins_of(self.binning, n)

    def _given_split(self) -> int | None:
        """The seed of the split is `random_state` itself, where it is a number."""
        return int(self.random_state) if isinstance(self.random_state, numbers.Integral) else None

    def _learn(
        self,
        given: TableLike | Sparse,
        X: Matrix,
        y: Array,
        weights: Floats,
        loss: Loss,
        n_scores: int,
        told: Tasks,
        strata: Integers | None = None,
        monitor: Monitor | None = None,
    ) -> Self:
        """Carry out rounds; `given` are the rows before coding, for an estimator in `init`."""
        self.max_features_ = resolve_max_features(self.max_features, self.n_features_in_)
        seed, learn, held = self._new_seed(), np.arange(len(y)), None
        if self.n_iter_no_change is not None:
            learn, held = held_rows(len(y), self.validation_fraction, strata, seed)
        learn = learn[weights[learn] > 0.0]
        if not self._continues():
            self._fit_start(given, y, weights, learn, loss, n_scores)
        rows = BoostingRows(X, y, weights, self._start(given, len(y)))
        validation = None if held is None else HeldOutLosses(rows.part(held), self._kept_sum(X[held]))
        self._factor = 2.0 if loss in DOUBLED else 1.0
        self._fit_rounds(rows.part(learn), loss, n_scores, told, self._judge(validation), monitor, validation)
        return self._unpack()

    def _unpack(self) -> Self:
        """Losses under scikit-learn's names."""
        self.n_estimators_ = self.n_iter_
        known, objective = self.history_, self.history_["objective"]
        drawn = known.get("in_bag", objective)
        self.train_score_ = self._factor * np.where(np.isnan(drawn), objective, drawn)
        for name in ("oob_scores_", "oob_improvement_", "oob_score_"):
            self.__dict__.pop(name, None)
        if "oob" in known:
            self.oob_scores_ = self._factor * known["oob"]
            earlier, before = np.append(np.nan, self.oob_scores_[:-1]), self._factor * known["oob_before"]
            self.oob_improvement_ = np.where(np.isnan(earlier), before, earlier) - self.oob_scores_
            self.oob_score_ = float(self.oob_scores_[-1])
        return self

    def _fit_start(
        self, given: TableLike | Sparse, y: Array, weights: Floats, learn: Integers, loss: Loss, n_scores: int
    ) -> None:
        """Fit F_0: zero, a clone of `init`, or the best constant."""
        self.baseline_ = np.zeros(n_scores)
        if isinstance(self.init, str):
            self.init_ = check_choice("init", self.init, ("zero",))
        elif self.init is None:
            self.baseline_ = best_constant(self._first_loss(), y[learn], weights[learn], n_scores)
            self.init_ = self._constant(y[learn], weights[learn], loss)
        else:
            self.init_ = clone(self.init)
            options = {} if np.all(weights == 1.0) else {"sample_weight": weights[learn]}
            if options and not has_fit_parameter(self.init_, "sample_weight"):
                raise ValueError(
                    f"init={self.init!r}: The initial estimator {type(self.init).__name__} does not support sample "
                    "weights; give one that does, or none"
                )
            rows = given.tocsr() if is_sparse(given) else given
            self.init_.fit(_safe_indexing(rows, learn), self._labels(y[learn]), **options)

    def _start(self, X: TableLike | Sparse, n: int) -> Floats:
        if self.init is None or isinstance(self.init, str):
            return np.tile(self.baseline_, (n, 1))
        return self._init_scores(X)

    def _judge(self, validation: HeldOutLosses | None) -> Judge | None:
        """The function that applies (1) after every round; None without held-out rows."""
        if validation is None:
            return None
        best = np.full(self.n_iter_no_change, np.inf)

        def judge(now: Round) -> str | None:
            loss = self._factor * validation.add(now)
            if not np.any(loss + self.tol < best):
                return "validation"
            best[(now.turn - 1) % len(best)] = loss
            return None

        return judge

    def _plan(self, loss: Loss, n_scores: int, columns: Columns, total: float) -> BoostingPlan:
        if self.l2_regularization > 0.0 and loss.best_shift is not None:
            raise ValueError(
                f"l2_regularization={self.l2_regularization!r} penalises Newton steps, and with loss={self.loss!r} a "
                "leaf takes the value of least loss; leave it out, or choose another loss"
            )
        n = columns.n_samples
        # Shares of rows are those of all rows, shares of weight those of the rows drawn, as in scikit-learn.
        growth = growth_options(self, n, len(columns.sizes), total * max(1, int(self.subsample * n)) / n)
        check_monotone(growth["monotone"], n_scores, columns.category)
        return BoostingPlan(
            loss,
            learning_rate=self.learning_rate,
            lam=self.l2_regularization,
            subsample=self.subsample,
            criterion=SquaredError(),
            n_scores=n_scores,
            n_jobs=self.n_jobs,
            growth=growth,
            adapt=self._adapt(),
            ccp_alpha=self.ccp_alpha,
            between="lower",
            leaf_factor=(n_scores - 1) / n_scores if n_scores > 1 else 1.0,
        )

    def _first_loss(self) -> Loss:
        """The loss that F_0 minimises."""
        return self._loss

    def _adapt(self) -> Callable[[Array, Floats, Floats], Loss] | None:
        """The function that sets the loss of a round, where it changes from round to round."""
        return None

    def apply(self, X: TableLike | Sparse) -> Integers:
        """The number of the leaf of every row in every tree, shape (n_samples, n_estimators) or with a class axis."""
        check_is_fitted(self, "forests_")
        coded = new_rows(self, X)
        return np.stack([forest.leaves(coded, self.n_jobs) for forest in self.forests_], axis=2)

    @property
    def estimators_(self) -> Array:
        """The trees, as regressors of the steps before the learning rate."""
        if "n_iter_" not in vars(self):
            raise AttributeError("estimators_ exists after fit")
        return self[:]

    def _member(self, tree: Tree) -> DecisionTreeRegressor:
        member = DecisionTreeRegressor(**{name: getattr(self, name) for name in SHARED})
        for name in ("coding_", "n_features_in_", "feature_names_in_"):
            if name in vars(self):
                setattr(member, name, getattr(self, name))
        member.tree_ = tree.with_answers(tree.answers / (self.learning_rate or 1.0))
        member.n_outputs_, member.max_features_, member._flat = 1, self.max_features_, True
        return member

    def __len__(self) -> int:
        return self.n_iter_

    def __getitem__(self, which: Any) -> Any:
        width = len(self.forests_)
        picked = np.arange(self.n_iter_ * width).reshape(-1, width)[which]
        made = np.empty(np.shape(picked), dtype=object)
        for place in np.ndindex(made.shape):
            r, k = divmod(int(picked[place]), width)
            made[place] = self._member(self.forests_[k].tree(r))
        return made if made.ndim else made[()]

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, range(self.n_iter_))
