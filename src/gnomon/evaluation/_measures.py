"""How a model is judged on rows: a loss of each row, or a scorer.

    risk = Σᵢ sᵢ ℓ(yᵢ, f(xᵢ)) / Σᵢ sᵢ,    or minus the score                                            (1)

By default ℓ is the squared error of a regressor and the 0/1 loss of a classifier. Vapnik (1992), Principles of risk
minimization for learning theory, NIPS 4, 831–838.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.metrics import check_scoring

from gnomon._typing import Array, ArrayLike, Floats, Scoring
from gnomon.losses import Loss
from gnomon.losses.risks import class_targets
from gnomon.numerics.coding import label_index
from gnomon.numerics.sharing import read_only

__all__ = ["GivenLoss", "Measure", "RowLoss", "ScorerRisk", "aligned", "code_targets", "read_loss", "read_measure"]

GivenLoss: TypeAlias = Loss | Callable[[Array, Array], ArrayLike] | None
"""A loss of `gnomon.losses`, a function ``loss(y, predictions)`` of one value for each row, or None for the usual."""

_OVER_CLASSES = ("sign", "unit", "index")


class Measure(Protocol):
    """What judges a fitted model: a risk, the smaller the better."""

    def risk(self, model: Any, X: Any, y: Any, weights: Floats | None) -> float: ...


class RowLoss(NamedTuple):
    """A loss of each row, with what it asks of a model: predictions, or scores over the classes.

    Fields
    ------
    loss : Loss or callable
    classes : ndarray, optional
        Of a classifier; None for a regressor.
    """

    loss: Any
    classes: Array | None

    @property
    def over_scores(self) -> bool:
        """Whether the loss takes scores of classes instead of predictions."""
        return isinstance(self.loss, Loss) and self.loss.targets in _OVER_CLASSES

    def targets(self, y: Array) -> Array:
        """y as the loss takes it."""
        return code_targets(self.loss, y, self.classes)

    def answers(self, model: Any, X: Any) -> Array:
        """What the loss takes of a fitted model."""
        if self.over_scores:
            return self._scores(model, X)
        predicted = np.asarray(model.predict(X))
        return np.asarray(self.loss.link(predicted)) if isinstance(self.loss, Loss) else predicted

    def of_probabilities(self, proba: Floats) -> Array:
        """What the loss takes of a classifier that says P(c | x): log-odds or log P, or the most probable class."""
        assert self.classes is not None
        if not self.over_scores:
            return self.classes[np.argmax(proba, axis=1)]
        with np.errstate(divide="ignore"):
            logs = np.log(proba)
        return logs if self.loss.targets == "index" else logs[:, 1] - logs[:, 0]

    def values(self, targets: Array, answers: Array) -> Floats:
        """ℓ of every row; of several outputs, the mean."""
        formula = self.loss.value if isinstance(self.loss, Loss) else self.loss
        found = np.asarray(formula(targets, answers), dtype=float)
        if found.shape[:1] != (len(targets),):
            raise ValueError(f"loss={self.loss!r} gives the shape {found.shape} for {len(targets)} rows; give one each")
        return found.reshape(len(targets), -1).mean(axis=1)

    def of_rows(self, model: Any, X: Any, y: Array) -> Floats:
        """ℓ(yᵢ, f(xᵢ)) of every row."""
        return self.values(self.targets(y), self.answers(model, X))

    def risk(self, model: Any, X: Any, y: Any, weights: Floats | None) -> float:
        """Equation (1)."""
        return float(np.average(self.of_rows(model, X, y), weights=weights))

    def _scores(self, model: Any, X: Any) -> Array:
        assert self.classes is not None
        function = getattr(model, "decision_function", None)
        if function is None:
            return self.of_probabilities(aligned(model.predict_proba(X), model.classes_, self.classes, 0.0))
        return aligned(function(X), model.classes_, self.classes, -np.inf)


class ScorerRisk(NamedTuple):
    """A scorer of scikit-learn as a risk: minus its score."""

    scorer: Any

    def score(self, model: Any, X: Any, y: Any, weights: Floats | None) -> float:
        """The score itself; ValueError where the classes of these rows are too few for it."""
        given = {} if weights is None else {"sample_weight": weights}
        target = () if y is None else (read_only(y),)
        try:
            return float(self.scorer(model, read_only(X), *target, **given))
        except ValueError as error:
            known = getattr(model, "classes_", None)
            if known is None or y is None or np.array_equal(known, present := np.unique(y)):
                raise
            raise ValueError(
                f"scoring={self.scorer!r} cannot judge {len(y)} rows of the classes {present.tolist()[:5]} by a model "
                f"of the classes {np.asarray(known).tolist()[:5]}: {error}; give folds with rows of every class, or "
                "judge all folds together by cv_risk(aggregate='pooled')"
            ) from error

    def risk(self, model: Any, X: Any, y: Any, weights: Floats | None) -> float:
        """Minus the score."""
        return -self.score(model, X, y, weights)


def read_loss(estimator: BaseEstimator, y: Array, loss: GivenLoss) -> RowLoss:
    """The loss, or the usual one for None."""
    classes = np.unique(y) if is_classifier(estimator) else None
    if loss is None:
        return RowLoss(_squared if classes is None else _differs, classes)
    found = RowLoss(loss, classes)
    if found.over_scores and classes is None:
        raise ValueError(
            f"loss={loss!r} is over classes, and {type(estimator).__name__} is a regressor; choose another"
        )
    if found.over_scores and loss.targets != "index" and len(classes) != 2:  # type: ignore[union-attr,arg-type]
        raise ValueError(f"loss={loss!r} is for two classes, and y has {len(classes)}; choose another")  # type: ignore[arg-type]
    return found


def read_measure(estimator: BaseEstimator, y: Any, loss: GivenLoss, scoring: Scoring, weighted: bool) -> Measure:
    """The loss or the scorer, whichever is given; not both, and no scorer that would ignore weights."""
    if scoring is None:
        return read_loss(estimator, y, loss)
    if loss is not None:
        raise ValueError(f"loss={loss!r} and scoring={scoring!r} are both given; leave one of them out")
    return read_score(estimator, scoring, weighted)


def read_score(estimator: BaseEstimator, scoring: Scoring, weighted: bool) -> ScorerRisk:
    """The scorer; ValueError where there are weights and it takes none."""
    scorer = check_scoring(estimator, scoring)
    parameters = signature(scorer.__call__ if not callable(scoring) else scorer).parameters.values()
    if weighted and not any(p.name == "sample_weight" or p.kind is p.VAR_KEYWORD for p in parameters):
        raise ValueError(f"scoring={scoring!r} takes no sample_weight; leave the weights out, or give one that does")
    return ScorerRisk(scorer)


def code_targets(loss: Any, y: Array, classes: Array | None) -> Array:
    """y as a loss takes it: over classes as numbers, else as it is."""
    if not isinstance(loss, Loss):
        return y
    if loss.targets in _OVER_CLASSES:
        return class_targets(loss, label_index(y, np.unique(y) if classes is None else classes)[0])
    return np.asarray(y, dtype=float)


def aligned(values: ArrayLike, known: Array, classes: Array, fill: float) -> Floats:
    """Columns of the classes that a model knows, in their places among all; `fill` for a class that it has not seen.

    The one score of a model of two classes is that of the second, where the first has zero.
    """
    values = np.asarray(values, dtype=float)
    if np.array_equal(known, classes):
        return values
    values = np.column_stack([np.zeros_like(values), values]) if values.ndim == 1 else values
    out = np.full((len(values), len(classes)), fill)
    out[:, np.searchsorted(classes, known)] = values
    return out


def _squared(y: Array, predicted: Array) -> Floats:
    return (np.asarray(y, dtype=float) - predicted) ** 2


def _differs(y: Array, predicted: Array) -> Floats:
    return (y != predicted).astype(float)
