"""From the parameter `criterion` of an estimator to a criterion: by name, or one of the user's own.

    "gini" → Gini(K),    "poisson" → PoissonDeviance.of(q),    …,    an object → itself, if it fits y              (1)

Breiman et al. (1984), doi:10.1201/9781315139470. A name stands for a criterion of as many classes or outputs as y has;
an object must have been made for as many.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from gnomon._typing import Array
from gnomon.numerics.validation import check_choice
from gnomon.search import (
    AbsoluteError,
    CountsCriterion,
    Criterion,
    Entropy,
    Gini,
    Misclassification,
    PinballError,
    PoissonDeviance,
    SeveralOutputs,
    SquaredError,
)
from gnomon.trees._outputs import counts_of

__all__ = [
    "CLASS_CRITERIA",
    "MEAN_CRITERIA",
    "ClassCriterionWord",
    "MeanCriterionWord",
    "NumberCriterionWord",
    "TreeCriterionWord",
    "class_criterion",
    "mean_criterion",
    "tree_criterion",
]

ClassCriterionWord: TypeAlias = Literal["gini", "entropy", "log_loss", "misclassification"]
TreeCriterionWord: TypeAlias = ClassCriterionWord | Literal["gain_ratio"]
MeanCriterionWord: TypeAlias = Literal["squared_error", "friedman_mse", "poisson"]
NumberCriterionWord: TypeAlias = MeanCriterionWord | Literal["absolute_error"]

CLASS_CRITERIA = {"gini": Gini, "entropy": Entropy, "log_loss": Entropy, "misclassification": Misclassification}
MEAN_CRITERIA: dict[str, type[SquaredError] | type[PoissonDeviance]] = {
    "squared_error": SquaredError,
    "friedman_mse": SquaredError,
    "poisson": PoissonDeviance,
}
TREE_CRITERIA = {**CLASS_CRITERIA, "gain_ratio": Entropy}


def class_criterion(
    criterion: Any, classes: Array | list[Array], words: Mapping[str, Callable[[int], Any]] = CLASS_CRITERIA
) -> Criterion:
    """The criterion of classes, of one output or a list of those of several."""
    counts: Any = counts_of(classes)
    several = isinstance(classes, list)
    if isinstance(criterion, Criterion):
        return _own_of_classes(criterion, tuple(counts) if several else (counts,))
    kind = words[check_choice("criterion", criterion, words)]
    return SeveralOutputs.of(kind, counts) if several else kind(counts)


def tree_criterion(criterion: Any, classes: Array | list[Array], algorithm: str) -> Criterion:
    """The same for single trees, which also take "gain_ratio" and functions of the class weights of a node."""
    if callable(criterion) and not isinstance(criterion, type):
        return CountsCriterion(len(classes), criterion)
    words = TREE_CRITERIA if algorithm == "cart" else {**TREE_CRITERIA, "gini": Entropy}
    return class_criterion(criterion, classes, words)


def mean_criterion(criterion: Any, n_outputs: int, quantile: float | None = None) -> Criterion:
    """The criterion of numbers; with a `quantile`, the word "quantile" is known."""
    if isinstance(criterion, Criterion):
        return _own_of_numbers(criterion, n_outputs)
    ordered = {"absolute_error": AbsoluteError()}
    if quantile is not None:
        ordered["quantile"] = PinballError(quantile)
    check_choice("criterion", criterion, (*MEAN_CRITERIA, *ordered))
    return ordered[criterion] if criterion in ordered else MEAN_CRITERIA[criterion].of(n_outputs)


def _own_of_classes(criterion: Criterion, counts: tuple[int, ...]) -> Criterion:
    _refuse_gains(criterion)
    if criterion.class_counts != counts:
        made = f"for {_listed(criterion.class_counts)} classes" if criterion.classes else "for numbers"
        raise ValueError(
            f"criterion={criterion!r} is {made}, and y has {_listed(counts)} classes; make one for as many"
        )
    return criterion


def _own_of_numbers(criterion: Criterion, n_outputs: int) -> Criterion:
    _refuse_gains(criterion)
    if criterion.classes or criterion.n_outputs not in (None, n_outputs):
        made = "classes" if criterion.classes else f"{criterion.n_outputs} numbers a row"
        raise ValueError(
            f"criterion={criterion!r} is for {made}, and y has {n_outputs} numbers a row; make one for as many"
        )
    return criterion


def _refuse_gains(criterion: Criterion) -> None:
    if not criterion.is_impurity:
        raise ValueError(
            f"criterion={criterion!r} is what a step of boosting gains, and here it must be an impurity; choose "
            "another, such as Gini or SquaredError, or an estimator that boosts"
        )


def _listed(counts: tuple[int, ...]) -> str:
    return " and ".join(map(str, counts))
