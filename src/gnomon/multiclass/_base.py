"""What all reductions share: rows, weights and other parameters for the base estimator, and the methods that it has.

    base  f_l : x → ±1, fitted to problem l;    reduction  (f_1(x), …, f_L(x)) → class                      (1)

Allwein, Schapire & Singer (2000), Reducing multiclass to binary, JMLR 1, 113–141.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping
from sklearn.utils.multiclass import _check_partial_fit_first_call, type_of_target
from sklearn.utils.validation import _num_samples, check_consistent_length, column_or_1d

from gnomon._typing import AnyRows, Array, ArrayLike, Bools, Floats, Integers, MatrixLike
from gnomon.base import FittedColumns, given_rows, offers, refit_columns
from gnomon.base.callbacks import CallbackSupportMixin
from gnomon.base.columns import ConstantSide
from gnomon.base.estimator import Estimator
from gnomon.base.outputs import Output
from gnomon.base.refusal import AnswerReport, Refusal, insert_label
from gnomon.base.routing import routed
from gnomon.base.targets import check_target
from gnomon.numerics.coding import BinaryProblem
from gnomon.numerics.weights import check_weights

__all__ = [
    "Problems",
    "Reduction",
    "Wanted",
    "continue_fits",
    "given_params",
    "predictor",
    "single_labels",
]

Target = TypeVar("Target", bound=MatrixLike)

Problems: TypeAlias = list[Callable[[], BinaryProblem]]
"""As `fit_columns` takes them: made when their turn comes."""

Wanted: TypeAlias = Literal["auto"] | Output
"""What the base is asked for; "auto" is the best that it has."""


def predictor(name: str, estimator: BaseEstimator) -> BaseEstimator:
    """`estimator` if it can predict; ValueError where it cannot."""
    if getattr(estimator, "predict", None) is None:
        raise ValueError(f"{name}={estimator!r} has no predict; give a classifier or a regressor")
    return estimator


def single_labels(y: MatrixLike) -> Array:
    """One label for each row; ValueError for a multi-label target."""
    y = check_target(y)
    if type_of_target(y, input_name="y").startswith("multilabel"):
        raise ValueError(
            "y is a multi-label target, of which a row may have several classes; use OneVsRestClassifier, or give one "
            "label for each row"
        )
    return column_or_1d(y, warn=True)


def given_params(
    owner: BaseEstimator, method: str, X: AnyRows, sample_weight: ArrayLike | None, params: dict[str, Any]
) -> tuple[Floats | None, dict[str, Any]]:
    """Checked weights, and what else the base gets; with routing only what it asked for."""
    params = dict(routed(owner, method, sample_weight, params).estimator[method])
    weights = params.pop("sample_weight", None)
    return None if weights is None else check_weights(weights, np.empty((_num_samples(X), 0))), params


def continue_fits(
    owner: Reduction,
    X: AnyRows,
    y: MatrixLike,
    classes: ArrayLike | None,
    sample_weight: ArrayLike | None,
    params: dict[str, Any],
    problems: Callable[..., Problems],
) -> FittedColumns:
    """`partial_fit` of the base for the problems of more rows, (X, y, weights, first) → problems."""
    first = _check_partial_fit_first_call(owner, classes)
    X = given_rows(owner, owner.estimator, X, reset=first)
    weights, params = given_params(owner, "partial_fit", X, sample_weight, params)
    made = problems(X, y, weights, first=first)
    old = [clone(owner.estimator) for _ in made] if first else owner.estimators_
    if any(isinstance(estimator, ConstantSide) for estimator in old):
        raise ValueError(
            "a class had no rows in fit, so an answer is constant and cannot be continued; begin with partial_fit"
        )
    new = refit_columns(old, X, made, weights=weights, params=params, n_jobs=owner.n_jobs)
    return FittedColumns(new, [None] * len(new))


class Reduction(CallbackSupportMixin, MetaEstimatorMixin, ClassifierMixin, Estimator, ABC):
    """A classifier made of binary fits of `estimator`, which may reject rows.

    `fit` calls `_settle_reject_label` once `classes_` is known; `predict` gives `_answers`.
    """

    # Weights are for the base, which asks for them or does not.
    __metadata_request__fit: ClassVar = {"sample_weight": UNUSED}

    @abstractmethod
    def _decide(self, X: AnyRows) -> tuple[Integers, Bools]:
        """For every row the index of the best class, and whether the row is refused."""

    @abstractmethod
    def _may_refuse(self) -> bool:
        """Whether the parameters ask for refusals."""

    def _refusal(self) -> Refusal:
        return Refusal(self.reject_threshold, self.reject_margin, self.reject_label).checked()

    def _settle_reject_label(self) -> None:
        """Set `reject_label_`: None where nothing is ever refused, so that −1 may be a class."""
        self.reject_label_ = self._refusal().label_for(self.classes_) if self._may_refuse() else None

    def _answers(self, X: AnyRows) -> Array:
        """The class of every row, or the label of refusals; both by the parameters as they are now."""
        index, rejected = self._decide(X)
        labels = self.classes_[index]
        if not self._may_refuse():
            return labels
        return insert_label(labels, rejected, self._refusal().label_for(self.classes_))

    def is_rejected(self, X: AnyRows) -> Bools:
        """Whether the answer is refused, for every row of `X`.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of bool of shape (n_samples,)
        """
        return self._decide(X)[1]

    def answer_report(self, X: AnyRows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> AnswerReport:
        """Coverage, and accuracy on the rows that are answered; `score` counts a refusal as an error.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        AnswerReport
            With the fields `coverage`, `accuracy` and `n_rejected`.
        """
        index, rejected = self._decide(X)
        y = np.asarray(y)
        check_consistent_length(index, y)
        weights = check_weights(sample_weight, np.empty((len(index), 0)))
        right = self.classes_[index] == y
        answered = float(np.sum(weights[~rejected]))
        hits = float(np.sum(weights[~rejected & right]))
        accuracy = hits / answered if answered > 0.0 else float("nan")
        return AnswerReport(answered / float(np.sum(weights)), accuracy, int(np.sum(rejected)))

    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        return len(self.classes_)

    def _kind(self, wanted: Wanted) -> Output:
        """What the base is asked for: `wanted`, or for "auto" the best that it has."""
        found = offers(predictor("estimator", self.estimator))
        if wanted == "auto":
            return found[0]
        if wanted not in found:
            raise ValueError(
                f"{type(self.estimator).__name__} gives {found}, not {wanted!r}; choose one of these, or wrap the "
                "estimator by sklearn.calibration.CalibratedClassifierCV to get probabilities"
            )
        return wanted

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags

    def get_metadata_routing(self) -> MetadataRouter:
        """How scikit-learn routes metadata to the base.

        Returns
        -------
        MetadataRouter
        """
        methods = MethodMapping().add(caller="fit", callee="fit").add(caller="partial_fit", callee="partial_fit")
        return MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=methods)
