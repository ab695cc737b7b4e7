"""Targets as networks are trained on them, and predictions back in the user's terms.

    y  →  code(y),  one index, or a number for every column of Z        Z  →  label, probability or mean             (1)

A value of one of these classes stands between an estimator and its network: it knows the loss, how many columns the
output has, how y is coded for the loss, and what the scores Z say. Bishop (2006), section 5.2; several outputs with
losses of their own: Caruana (1997), doi:10.1023/A:1007379606734.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, r2_score

from gnomon._typing import Array, Floats
from gnomon.losses import (
    AbsoluteLoss,
    BinaryCrossEntropy,
    HingeLoss,
    HuberLoss,
    LogPoissonLoss,
    Loss,
    MulticlassHinge,
    PerceptronLoss,
    PinballLoss,
    SoftmaxLoss,
    SquaredHingeLoss,
    SquaredLoss,
    TwoTermCrossEntropy,
)

__all__ = ["ClassTargets", "HeadTargets", "LabelTargets", "NumberTargets", "class_loss", "number_loss"]

OF_NUMBERS: dict[str, Callable[[], Loss]] = {
    "squared_error": lambda: SquaredLoss(half=True),
    "absolute_error": AbsoluteLoss,
    "huber": HuberLoss,
    "pinball": PinballLoss,
    "poisson": LogPoissonLoss,
    "log_loss": BinaryCrossEntropy,
}
"""Losses of one number by their words; "log_loss" is that of a number in [0, 1]."""

OF_CLASSES: dict[str, tuple[Callable[[], Loss], Callable[[], Loss]]] = {
    "log_loss": (BinaryCrossEntropy, SoftmaxLoss),
    "two_term": (TwoTermCrossEntropy, TwoTermCrossEntropy),
    "hinge": (HingeLoss, MulticlassHinge),
    "squared_hinge": (SquaredHingeLoss, SquaredHingeLoss),
    "perceptron": (PerceptronLoss, PerceptronLoss),
}
"""Losses of classes by their words: of two, and of more."""

DOMAINS: dict[str, tuple[Callable[[Floats], bool], str]] = {
    "real": (lambda y: True, "numbers"),
    "count": (lambda y: bool(np.all(y >= 0.0)), "numbers ≥ 0"),
    "positive": (lambda y: bool(np.all(y > 0.0)), "numbers > 0"),
    "unit": (lambda y: bool(np.all((y >= 0.0) & (y <= 1.0))), "numbers in [0, 1]"),
    "sign": (lambda y: bool(np.all(np.abs(y) == 1.0)), "−1 and 1"),
}
"""What y may be, by `Loss.targets`."""


def number_loss(loss: str | Loss) -> Loss:
    """The loss of numbers that a word or a value stands for."""
    found = loss if isinstance(loss, Loss) else _known(loss, OF_NUMBERS)()
    if found.targets not in DOMAINS:
        raise ValueError(f"loss={loss!r} is one of classes; give a loss of numbers, or use a classifier")
    return found


def class_loss(loss: str | Loss, n_classes: int) -> Loss:
    """The loss of so many classes that a word or a value stands for."""
    found = loss if isinstance(loss, Loss) else _known(loss, OF_CLASSES)[n_classes > 2]()
    if found.targets not in ("index", "unit", "sign"):
        raise ValueError(f"loss={loss!r} is one of numbers; choose from {list(OF_CLASSES)} or give a loss of classes")
    return found


def _known(loss: str, words: Mapping[str, Any]) -> Any:
    if not isinstance(loss, str) or loss not in words:
        raise ValueError(f"loss={loss!r} is unknown; choose from {list(words)} or give one of gnomon.losses")
    return words[loss]


@dataclass(frozen=True)
class ClassTargets:
    """One label for each row."""

    classes: Array
    loss: Loss

    @property
    def width(self) -> int:
        """How many columns Z has: one for two classes, unless the loss takes a row of scores."""
        return 1 if len(self.classes) == 2 and self.loss.targets != "index" else len(self.classes)

    @property
    def activation(self) -> str:
        """What turns scores into probabilities, in scikit-learn's words."""
        if not self.probable:
            return "identity"
        return "logistic" if self.loss.targets != "index" else "softmax"

    @property
    def probable(self) -> bool:
        """Whether scores have probabilities."""
        return type(self.loss).inverse is not Loss.inverse

    def index(self, y: Array) -> Array:
        """The place of each label among the classes; ValueError for labels that are none of them."""
        index = np.searchsorted(self.classes, y).clip(max=len(self.classes) - 1)
        strange = self.classes[index] != y
        if np.any(strange):
            raise ValueError(
                f"y has {np.asarray(y)[strange][0]!r}, which is none of the classes {self.classes.tolist()}; "
                "drop such rows, or fit with all classes"
            )
        return index

    def code(self, y: Array) -> Array:
        """y as the loss takes it."""
        index = self.index(y)
        if self.loss.targets == "index":
            return index
        ones = index[:, None] == (np.arange(self.width) if self.width > 1 else 1)
        return ones.astype(float) if self.loss.targets == "unit" else np.where(ones, 1.0, -1.0)

    def decision(self, Z: Floats) -> Floats:
        """A number for each row and class, or for two classes one that speaks for the second."""
        return Z[:, 0] if self.width == 1 else (Z[:, 1] - Z[:, 0] if len(self.classes) == 2 else Z)

    def predict(self, Z: Floats) -> Array:
        """The class with the largest score; of two the second where its score is above zero."""
        if len(self.classes) == 2:
            return self.classes[(self.decision(Z) > 0.0).astype(int)]
        return self.classes[np.argmax(Z, axis=1)]

    def proba(self, Z: Floats) -> Floats:
        """P(class | row)."""
        p = np.asarray(self.loss.inverse(Z))
        if self.width == 1:
            return np.column_stack([self.loss.inverse(-Z[:, 0]), p[:, 0]])
        return p / np.sum(p, axis=1, keepdims=True)

    def score(self, y: Array, predicted: Array, s: Floats | None) -> float:
        """Accuracy."""
        return float(accuracy_score(y, predicted, sample_weight=s))


@dataclass(frozen=True)
class LabelTargets:
    """An indicator matrix: any number of labels for each row, each with a sigmoid of its own."""

    n_labels: int
    loss: Loss

    activation = "logistic"
    probable = True

    @property
    def classes(self) -> Array:
        """The numbers of the labels."""
        return np.arange(self.n_labels)

    @property
    def width(self) -> int:
        """One column for each label."""
        return self.n_labels

    def code(self, y: Array) -> Array:
        """Zeros and ones as numbers."""
        if np.ndim(y) != 2 or np.shape(y)[1] != self.n_labels:
            raise ValueError(f"y has shape {np.shape(y)}; it must have a column for each of {self.n_labels} labels")
        return np.asarray(y, dtype=float)

    def decision(self, Z: Floats) -> Floats:
        return Z

    def predict(self, Z: Floats) -> Array:
        """1 where the probability is above one half."""
        return (Z > 0.0).astype(int)

    def proba(self, Z: Floats) -> Floats:
        return np.asarray(self.loss.inverse(Z))

    def score(self, y: Array, predicted: Array, s: Floats | None) -> float:
        """The share of rows whose labels are all right."""
        return float(accuracy_score(y, predicted, sample_weight=s))


@dataclass(frozen=True)
class NumberTargets:
    """Numbers, one or several for each row; one loss for all columns, or one for each."""

    loss: Loss | tuple[Loss, ...]
    width: int
    single: bool

    @classmethod
    def of(cls, loss: str | Loss | Sequence[str | Loss], y: Floats) -> NumberTargets:
        """The targets of an array; ValueError where the losses are not as many as its columns."""
        width = 1 if y.ndim == 1 else y.shape[1]
        if isinstance(loss, (str, Loss)):
            return cls(number_loss(loss), width, y.ndim == 1)
        if len(loss) != width:
            raise ValueError(f"loss={loss!r} has {len(loss)} losses for {width} columns of y; give one for each")
        return cls(tuple(number_loss(one) for one in loss), width, y.ndim == 1)

    @property
    def losses(self) -> tuple[Loss, ...]:
        """The loss of every column."""
        return self.loss if isinstance(self.loss, tuple) else (self.loss,) * self.width

    @property
    def activation(self) -> str:
        """What turns scores into means, in scikit-learn's words."""
        words = {LogPoissonLoss: "exp", BinaryCrossEntropy: "logistic"}
        return words.get(type(self.losses[0]), "identity")

    def code(self, y: Array) -> Array:
        """A column for every number; ValueError for numbers that the loss does not know."""
        columns = np.asarray(y, dtype=float).reshape(len(y), -1)
        if columns.shape[1] != self.width:
            raise ValueError(
                f"y has {columns.shape[1]} columns; the network was built for {self.width}, so give as many"
            )
        for loss, column in zip(self.losses, columns.T, strict=True):
            inside, allowed = DOMAINS[loss.targets]
            if not inside(column):
                raise ValueError(f"loss={loss!r} is for y that are {allowed}; change the loss, or those rows")
        return columns

    def decision(self, Z: Floats) -> Floats:
        return Z

    def predict(self, Z: Floats) -> Array:
        """The mean, or whatever the loss estimates."""
        found = Z if self.activation == "identity" and not isinstance(self.loss, tuple) else self._means(Z)
        return found[:, 0] if self.single else found

    def _means(self, Z: Floats) -> Floats:
        return np.column_stack([np.asarray(loss.inverse(z)) for loss, z in zip(self.losses, Z.T, strict=True)])

    def score(self, y: Array, predicted: Array, s: Floats | None) -> float:
        """R²."""
        return float(r2_score(y, predicted, sample_weight=s))


@dataclass(frozen=True)
class HeadTargets:
    """Several outputs by name, each with targets of its own."""

    heads: Mapping[str, NumberTargets | ClassTargets]

    single = False

    @classmethod
    def of(cls, losses: Mapping[str, Any], y: Mapping[str, Any]) -> HeadTargets:
        """The targets of a dict of arrays; a loss of row scores makes its head one of classes."""
        if set(losses) != set(y):
            raise ValueError(f"loss has the heads {sorted(losses)} and y {sorted(y)}; give the same names to both")
        return cls({name: _head(loss, np.asarray(y[name])) for name, loss in losses.items()})

    @property
    def loss(self) -> dict[str, Any]:
        """The loss of every head."""
        return {name: head.loss for name, head in self.heads.items()}

    @property
    def width(self) -> int:
        """Columns of all heads."""
        return sum(head.width for head in self.heads.values())

    @property
    def activation(self) -> str:
        """Of the first head."""
        return next(iter(self.heads.values())).activation

    def code(self, y: Mapping[str, Any]) -> dict[str, Array]:
        return {name: head.code(np.asarray(y[name])) for name, head in self.heads.items()}

    def predict(self, Z: Mapping[str, Floats]) -> dict[str, Array]:
        return {name: head.predict(Z[name]) for name, head in self.heads.items()}

    def score(self, y: Mapping[str, Any], predicted: Mapping[str, Array], s: Floats | None) -> float:
        """The mean over the heads: R² of numbers, accuracy of classes."""
        return float(np.mean([head.score(y[name], predicted[name], s) for name, head in self.heads.items()]))


def _head(loss: Any, y: Array) -> NumberTargets | ClassTargets:
    words = [word for word in OF_CLASSES if word not in OF_NUMBERS]
    of_classes = loss.targets == "index" if isinstance(loss, Loss) else loss in words
    if of_classes or y.dtype.kind not in "fiu":
        classes = np.unique(y)
        return ClassTargets(classes, class_loss(loss, len(classes)))
    return NumberTargets.of(loss, y)
