"""Losses of boosted trees by name or as objects, and predictions from their scores.

    ŷ = argmax_k P(k | F(x))   or   ℓ.inverse(F(x))                                                                (1)

Names are those of scikit-learn's estimators; in place of a name any `gnomon.losses.Loss` that is a sum over rows may be
given. Friedman (2001), doi:10.1214/aos/1013203451.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, Floats, Integers, Sparse, TableLike
from gnomon.base.going_on import check_known_classes
from gnomon.losses import AbsoluteLoss, ExponentialLoss, LogisticLoss, Loss, PinballLoss, SoftmaxLoss, SquaredLoss
from gnomon.numerics.scale import PowerOfTwo
from gnomon.numerics.validation import check_choice
from gnomon.search.boosting_scores import flat_scores
from gnomon.search.units import Units, safe_unit
from gnomon.trees._targets import as_classes

__all__ = [
    "BoostedClassifier",
    "BoostedRegressor",
    "class_loss",
    "class_targets",
    "decision_scores",
    "degree_of",
    "mean_loss_of",
    "n_scores_of",
]

CLASS_LOSSES = {
    "log_loss": lambda n_classes: LogisticLoss() if n_classes <= 2 else SoftmaxLoss(),
    "exponential": lambda n_classes: ExponentialLoss(),
}

CLASS_TARGETS = {
    "sign": lambda index, n_classes: np.where(index == n_classes - 1, 1.0, -1.0),
    "unit": lambda index, n_classes: np.where(index == n_classes - 1, 1.0, 0.0),
    "index": lambda index, n_classes: index,
}

DEGREES = {SquaredLoss: 2, AbsoluteLoss: 1, PinballLoss: 1}

RANGES = {
    "count": (lambda y: np.all(y >= 0.0) and np.sum(y) > 0.0, "non-negative y and sum(y) > 0"),
    "positive": (lambda y: np.all(y > 0.0), "strictly positive y"),
    "unit": (lambda y: np.all((y >= 0.0) & (y <= 1.0)), "y between 0 and 1"),
    "real": (lambda y: True, ""),
}


def class_loss(loss: Any, n_classes: int, names: Sequence[str]) -> Loss:
    """The loss for classes that a name or an object stands for."""
    if not isinstance(loss, Loss):
        loss = CLASS_LOSSES[check_choice("loss", loss, names)](n_classes)
    _check_usable(loss, CLASS_TARGETS, "for classes")
    if loss.targets != "index" and n_classes > 2:
        raise ValueError(
            f"loss={loss!r} tells two classes apart and y has {n_classes}; use 'log_loss', or reduce the problem with "
            "gnomon.multiclass"
        )
    scores = np.zeros((1, n_scores_of(loss, n_classes)))
    if scores.shape[1] > 1 and np.shape(loss.inverse(scores)) != scores.shape:
        raise ValueError(
            f"loss={loss!r} has not one score for each class, and boosted trees have a tree for each; give one without "
            "a reference class"
        )
    return loss


def n_scores_of(loss: Loss, n_classes: int) -> int:
    """Scores of a row, and trees of a round: one for a binary loss, else one for each class."""
    return max(n_classes, 2) if loss.targets == "index" else 1


def class_targets(loss: Loss, index: Integers, n_classes: int) -> Array:
    """Indices of classes as the loss takes them."""
    return CLASS_TARGETS[loss.targets](index, n_classes)


def degree_of(loss: Loss) -> int | None:
    """k if the loss of c·y and c·F is that of y and F times c^k; None where it is not."""
    return DEGREES.get(type(loss))


def mean_loss_of(loss: Any, names: dict[str, Callable[[], Loss]], y: Array) -> Loss:
    """The loss for numbers that a name (a key of `names`) or an object stands for; y must be in its range."""
    found = loss if isinstance(loss, Loss) else names[check_choice("loss", loss, names)]()
    _check_usable(found, RANGES, "for numbers")
    holds, words = RANGES[found.targets]
    if not holds(y):
        raise ValueError(
            f"loss={loss!r} requires {words}; y lies between {np.min(y):.6g} and {np.max(y):.6g}: mend y, or choose "
            "another loss"
        )
    return found


def _check_usable(loss: Loss, targets: Iterable[str], words: str) -> None:
    if not (loss.additive and loss.trainable and loss.targets in targets):
        raise ValueError(
            f"loss={loss!r} takes targets of the kind {loss.targets!r} and cannot be boosted {words}; give a loss that "
            f"is a sum over rows, has a gradient, and takes one of {sorted(targets)}"
        )


class BoostedClassifier(ClassifierMixin):
    """Classes and their probabilities from scores; `_above` decides a tie of two classes, P = ½."""

    classes_: Array
    _loss: Loss

    def decision_function(self, X: TableLike | Sparse) -> Floats:
        """F(x): one score for two classes, else one for each class."""
        return decision_scores(self._scores(X))

    def predict_proba(self, X: TableLike | Sparse) -> Floats:
        """The probability of every class."""
        return self._shares(self._scores(X))

    def predict_log_proba(self, X: TableLike | Sparse) -> Floats:
        """The logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: TableLike | Sparse) -> Array:
        """The class with the largest probability."""
        best = self._best(self._scores(X))
        return self.classes_[best]

    def staged_predict_proba(self, X: TableLike | Sparse) -> Iterator[Floats]:
        """`predict_proba` after every round."""
        yield from map(self._shares, self._staged_scores(X))

    def staged_predict(self, X: TableLike | Sparse) -> Iterator[Array]:
        """`predict` after every round."""
        for scores in self._staged_scores(X):
            yield self.classes_[self._best(scores)]

    def _learn_classes(self, y: Array, names: Sequence[str]) -> tuple[Array, Integers]:
        """Set classes and loss; (targets as the loss takes them, the index of each row's class)."""
        classes, index = as_classes(y)
        if self._continues():
            check_known_classes(self.classes_, classes)
        self.classes_ = classes
        self._loss = class_loss(self.loss, len(self.classes_), names)
        return class_targets(self._loss, index, len(self.classes_)), index

    def _labels(self, target: Array) -> Array:
        """The labels of coded targets."""
        return self.classes_[target if len(self.classes_) > 2 else np.where(target > 0, len(self.classes_) - 1, 0)]

    def _has_shares(self) -> bool:
        return type(self._loss).inverse is not Loss.inverse

    def _shares(self, scores: Floats) -> Floats:
        if not self._has_shares():
            raise AttributeError(
                f"loss={self._loss!r} maps scores to no probabilities; use decision_function, or calibrate the model"
            )
        if len(self.classes_) == 1:
            return np.ones((len(scores), 1))
        p = self._loss.inverse(flat_scores(scores))
        return p if p.ndim == 2 else np.column_stack([1.0 - p, p])

    def _best(self, scores: Floats) -> Integers:
        if len(self.classes_) == 1:
            return np.zeros(len(scores), dtype=int)
        if scores.shape[1] > 1:
            return np.argmax(scores, axis=1)
        middle = self._loss.link(0.5) if self._has_shares() else 0.0
        return self._above(scores[:, 0], middle).astype(int)


class BoostedRegressor(RegressorMixin):
    """Predictions from scores by the inverse link of the loss."""

    baseline_: Floats
    history_: dict[str, Floats]
    _loss: Loss
    _degree: int | None

    def _target_units(self, y: Array, stops_early: bool) -> Units:
        """The units in which rounds are made: others than those of y where squares of it would be no numbers."""
        unit = PowerOfTwo() if self._degree is None else safe_unit(y)
        given = vars(self)
        unscaled = {
            "init": given.get("init") is not None and given["init"] != "zero",
            "warm_start": given["warm_start"],
            "min_impurity_decrease": given.get("min_impurity_decrease", 0.0) > 0.0,
            "ccp_alpha": given.get("ccp_alpha", 0.0) > 0.0,
            "early stopping": stops_early,
        }
        for name, used in unscaled.items():
            if used and not unit.is_one:
                raise ValueError(
                    f"y is of the order 2^{unit.exponent}, where sums of squares are no numbers, and {name} is in the "
                    "units of y; divide y by a constant, or leave it out"
                )
        return Units(target=unit, impurity=unit.to_the(self._degree or 0))

    def _in_units_of_y(self, units: Units) -> Self:
        """The model of scaled targets, scaled back."""
        if not units.plain:
            self.baseline_ = units.target.outward(self.baseline_)
            self._set_rounds([[units.restored(tree) for tree in trees] for trees in self.rounds_])
            self._join_rounds()
            self.history_ = {
                name: values if name in ("iteration", "seconds") else units.impurity.outward(values)
                for name, values in self.history_.items()
            }
        return self

    def predict(self, X: TableLike | Sparse) -> Floats:
        """The mean, median or quantile that minimises the loss."""
        check_is_fitted(self, "forests_")
        return self._loss.inverse(self._scores(X)[:, 0])

    def staged_predict(self, X: TableLike | Sparse) -> Iterator[Floats]:
        """`predict` after every round."""
        for scores in self._staged_scores(X):
            yield self._loss.inverse(scores[:, 0])

    def _labels(self, target: Array) -> Array:
        """Numbers are their own targets."""
        return target


def decision_scores(scores: Floats) -> Floats:
    """F(x) as scikit-learn returns it: one score for two classes, the difference where each has its own."""
    return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else flat_scores(scores)
