"""What classifiers and regressors with a network answer.

    classifier   ŷ = argmax_k Z_k,  or for two classes 1[Z > 0];   P(k | x) = softmax(Z)_k or σ(Z)    (1)
    regressor    ŷ = Z, or the mean that the loss makes of it    (2)

Bishop (2006), Pattern Recognition and Machine Learning, section 5.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_consistent_length, column_or_1d

from gnomon._typing import Array, ArrayLike, Floats, MatrixLike, available_if, is_sparse
from gnomon.base.going_on import check_known_classes
from gnomon.base.rows import validate_rows
from gnomon.base.targets import check_target
from gnomon.losses import Loss
from gnomon.neural._built import is_least_squares
from gnomon.neural._estimator import NetworkEstimator
from gnomon.neural._options import DESCENTS
from gnomon.neural._targets import ClassTargets, HeadTargets, LabelTargets, NumberTargets, class_loss
from gnomon.numerics.weights import class_weights

__all__ = ["ClassAnswers", "NumberAnswers"]


def _by_batches(model: Any) -> bool:
    """Whether the solver can go on with new rows; AttributeError where not, as scikit-learn has it."""
    if isinstance(model.solver, str) and model.solver in DESCENTS:
        raise AttributeError(
            f"partial_fit is for solvers by mini-batches, not for solver={model.solver!r}; choose 'adam' or 'sgd'"
        )
    return True


def _has_proba(model: Any) -> bool:
    """Whether scores have probabilities; AttributeError where not."""
    loss = model.loss
    if not (type(loss).inverse is not Loss.inverse if isinstance(loss, Loss) else loss in ("log_loss", "two_term")):
        raise AttributeError(f"loss={loss!r} gives scores without probabilities; choose 'log_loss', or calibrate them")
    return True


class ClassAnswers(ClassifierMixin, NetworkEstimator):
    """Labels, scores and probabilities by (1)."""

    loss: Any
    class_weight: Any
    classes_: Array

    def _read(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        X, y = validate_rows(self, X, y, reset=reset, accept_sparse="csr", multi_output=True, sparse_target=True)
        y = np.asarray(y.toarray()) if is_sparse(y) else y  # type: ignore[attr-defined]
        y = column_or_1d(y, warn=True) if y.ndim == 2 and y.shape[1] == 1 else y
        check_classification_targets(y)
        if type_of_target(y).endswith("multioutput"):
            raise ValueError("y has several columns of classes; give one column, an indicator matrix, or use heads")
        return X, y

    def _find_targets(self, y: Any, known: Any) -> Any:
        if known is not None:
            self._check_known(y, known)
            return known
        targets = self._targets_of(np.unique(y)) if y.ndim == 1 else self._label_targets(y.shape[1])
        self.classes_ = targets.classes
        return targets

    def _check_known(self, y: Array, known: Any) -> None:
        if self.warm_start:
            check_known_classes(known.classes, np.unique(y) if y.ndim == 1 else np.arange(y.shape[1]))

    def _targets_of(self, classes: Array) -> ClassTargets:
        if len(classes) < 2:
            raise ValueError(f"y has one class, {classes.tolist()}; a classifier needs two or more classes")
        return ClassTargets(classes, class_loss(self.loss, len(classes)))

    def _label_targets(self, n_labels: int) -> LabelTargets:
        loss = class_loss(self.loss, 2)
        if loss.targets != "unit":
            raise ValueError(f"loss={self.loss!r} has no probability for every label; give 'log_loss'")
        return LabelTargets(n_labels, loss)

    def _class_factors(self, y: Array, targets: Any, s: Floats | None) -> Floats | None:
        if self.class_weight is None:
            return None
        if not isinstance(targets, ClassTargets):
            raise ValueError(f"class_weight={self.class_weight!r} is for one label per row; give sample_weight instead")
        counted = class_weights(y, sample_weight=s) if isinstance(self.class_weight, str) else self.class_weight
        unknown = set(counted) - set(targets.classes.tolist())
        if unknown:
            raise ValueError(
                f"class_weight names {sorted(unknown, key=str)} and the classes are {targets.classes.tolist()}; give "
                "weights of these"
            )
        factors = np.array([float(counted.get(label, 1.0)) for label in targets.classes.tolist()])
        if np.any(factors < 0.0) or not np.any(factors > 0.0):
            raise ValueError(f"class_weight={self.class_weight!r} must be numbers ≥ 0, not all zero; give others")
        return factors

    def _labels(self, y: Array, targets: Any) -> Array | None:
        return y if isinstance(targets, ClassTargets) else None

    @available_if(_by_batches)
    def partial_fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        classes: ArrayLike | None = None,
    ) -> Self:
        """Train for one epoch over these rows; the first call needs all `classes`."""
        known = None
        if isinstance(self.class_weight, str):
            raise ValueError("class_weight='balanced' needs all rows; give partial_fit a dict of weights")
        if not hasattr(self, "theta_"):
            several = type_of_target(y).startswith("multilabel")
            if classes is None and not several:
                raise ValueError("classes must be passed on the first call to partial_fit; give all labels")
            known = self._label_targets(np.shape(y)[1]) if several else self._targets_of(np.unique(np.asarray(classes)))
            self.classes_ = known.classes
        elif classes is not None and not np.array_equal(self.classes_, np.unique(classes)):
            raise ValueError(f"classes={classes!r} is not the same as on last call to partial_fit: {self.classes_!r}")
        return self._partial_fit(X, y, sample_weight, known)

    def predict(self, X: MatrixLike) -> Array:
        """The class of each row, or the indicators of its labels."""
        Z = self._scores(X)
        return self._targets.predict(Z)

    def decision_function(self, X: MatrixLike) -> Floats:
        """Z, a column for each class; of two classes one number that speaks for the second."""
        Z = self._scores(X)
        return self._targets.decision(Z)

    @available_if(_has_proba)
    def predict_proba(self, X: MatrixLike) -> Floats:
        """P(class | row); of an indicator matrix P(label | row)."""
        Z = self._scores(X)
        return self._targets.proba(Z)

    @available_if(_has_proba)
    def predict_log_proba(self, X: MatrixLike) -> Floats:
        """Logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _answers_of_sub_networks(self) -> Callable[[Any], Floats]:
        _has_proba(self)
        return lambda Z: self._targets.proba(Z)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


class NumberAnswers(RegressorMixin, NetworkEstimator):
    """Numbers by (2), in one column, several, or heads by name."""

    loss: Any

    def _read(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        if not isinstance(y, Mapping):
            X, y = validate_rows(self, X, y, reset=reset, accept_sparse="csr", multi_output=True, y_numeric=True)
            y = column_or_1d(y, warn=True) if y.ndim == 2 and y.shape[1] == 1 else y
            return X, y
        X = validate_rows(self, X, reset=reset, accept_sparse="csr")
        heads = {name: check_target(part, name=f"y[{name!r}]") for name, part in y.items()}
        check_consistent_length(X, *heads.values())
        return X, heads

    def _find_targets(self, y: Any, known: Any) -> Any:
        if known is not None:
            return known
        if isinstance(y, dict) != isinstance(self.loss, Mapping):
            raise ValueError(f"loss={self.loss!r} and y must both be dicts of heads, or neither; change one of them")
        return HeadTargets.of(self.loss, y) if isinstance(y, dict) else NumberTargets.of(_losses(self.loss), y)

    @available_if(_by_batches)
    def partial_fit(self, X: MatrixLike, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Train for one epoch over these rows."""
        return self._partial_fit(X, y, sample_weight, None)

    def predict(self, X: MatrixLike) -> Any:
        """What the loss estimates for each row; a dict of these where there are heads."""
        Z = self._scores(X)
        return self._targets.predict(Z)

    def _answers_of_sub_networks(self) -> Callable[[Any], Floats]:
        return lambda Z: self._targets.predict(Z)

    def refit_output(
        self, X: MatrixLike, y: ArrayLike, lam: float = 0.0, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Solve the linear output layer by least squares, Σ sᵢ‖f(xᵢ) − yᵢ‖² + lam ‖W‖², and leave the rest as it is."""
        if not is_least_squares(self._targets.loss):
            raise ValueError(f"loss={self.loss!r} has no closed fit of the output; refit_output is for squared errors")
        return self._refit_output(X, y, lam, sample_weight)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def _losses(loss: Any) -> str | Loss | Sequence[str | Loss]:
    return loss if isinstance(loss, (str, Loss)) else tuple(loss)
