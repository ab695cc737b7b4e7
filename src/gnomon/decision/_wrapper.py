"""What the estimators of this family share: a classifier inside, its scores, and scores of rows that it has not seen.

    s(x) = decision_function,  else  logit P(T | x)  (two classes)  or  log P(k | x)  (K classes)                   (1)

Out-of-fold scores: each row is scored by a model that was fitted to the other folds. Kohavi (1995), A study of
cross-validation and bootstrap for accuracy estimation and model selection, IJCAI.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, is_classifier
from sklearn.utils import Tags, _safe_indexing, get_tags
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import AnyRows, Array, ArrayLike, Floats, Integers
from gnomon.base import given_rows, naming_columns
from gnomon.base.estimator import Estimator
from gnomon.base.folds import read_folds
from gnomon.base.labels import read_labels
from gnomon.base.routing import routed, router
from gnomon.base.scores import log_posteriors
from gnomon.base.weights import fit_rows
from gnomon.numerics.validation import check_part
from gnomon.numerics.weights import check_weights, effective_train_prior

__all__ = ["Learner", "WrappedClassifier", "class_shares", "like", "log_probabilities", "scores_of"]

# A probability nearer to 0 or 1 than single precision resolves is taken as far from it as that.
_RESOLUTION = float(np.finfo(np.float32).eps)


class Learner(NamedTuple):
    """Rows, labels and weights, with the estimator that is to be fitted to all or some of them."""

    owner: BaseEstimator
    estimator: Any
    X: Any
    y: Array
    weights: Floats | None
    params: Mapping[str, Any]
    split_params: Mapping[str, Any]

    def fit(self, rows: Integers | None = None) -> Any:
        """A clone fitted to some rows, by default to all."""
        rows = np.arange(len(self.y)) if rows is None else rows
        # A row of weight zero is no row.
        rows = rows if self.weights is None else rows[self.weights[rows] > 0.0]
        with naming_columns(self.owner, self.X):
            return fit_rows(self.estimator, self.X, self.y, rows, self.weights, self.params)

    def held_out(self, cv: Any, output: Any) -> tuple[Integers, Floats]:
        """The rows that folds leave out, and ``output(model, rows)`` of each by a model of the others."""
        pairs = read_folds(cv, self.X, self.y, classifier=is_classifier(self.owner), **self.split_params)
        found = [output(self.fit(np.asarray(train)), _safe_indexing(self.X, test)) for train, test in pairs]
        return np.concatenate([np.asarray(test) for _, test in pairs]), np.concatenate(found)


class WrappedClassifier(ClassifierMixin, MetaEstimatorMixin, Estimator):
    """A classifier that asks another one, `estimator`."""

    estimator: Any

    def _learner(
        self, X: AnyRows, y: ArrayLike, sample_weight: ArrayLike | None, fit_params: Mapping[str, Any]
    ) -> Learner:
        """The rows, ready to be fitted; sets `classes_`."""
        check_part("estimator", self.estimator, "fit")
        X = given_rows(self, self.estimator, X, reset=True)
        y = read_labels(self, X, y)
        sent = routed(self, "fit", sample_weight, fit_params)
        params, split = (
            dict(sent.estimator.fit),
            dict(sent.splitter.split) if "cv" in self.get_params(deep=False) else {},
        )
        passed = params.pop("sample_weight", None)
        weights = None if passed is None else check_weights(passed, np.empty((len(y), 0)))
        self.classes_ = np.unique(y if weights is None else y[weights > 0.0])
        return Learner(self, self.estimator, X, y, weights, params, split)

    def _rows(self, X: AnyRows) -> Any:
        check_is_fitted(self)
        return given_rows(self, self.estimator, X, reset=False)

    def get_metadata_routing(self) -> MetadataRouter:
        """How scikit-learn routes metadata to the estimator and the splitter; the weights are used here too."""
        parts = {"splitter": self.get_params(deep=False)["cv"]} if "cv" in self.get_params(deep=False) else {}
        parts = {name: part for name, part in parts.items() if part != "train"}
        return router(self, estimator=self.estimator, **parts).add_self_request(self)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if isinstance(self.estimator, BaseEstimator):
            tags.input_tags = get_tags(self.estimator).input_tags
        return tags


def scores_of(model: Any, X: Any) -> Floats:
    """s of (1): one number for each row of two classes, one for each class of more."""
    if getattr(model, "decision_function", None) is not None:
        return np.asarray(model.decision_function(X), dtype=float)
    log_p = log_probabilities(model, X)
    return log_p[:, 1] - log_p[:, 0] if log_p.shape[1] == 2 else log_p


def log_probabilities(model: Any, X: Any) -> Floats:
    """log P(k | x), finite."""
    return np.clip(np.asarray(log_posteriors(model, X), dtype=float), np.log(_RESOLUTION), np.log1p(-_RESOLUTION))


def class_shares(learner: Learner) -> Floats:
    """The share of each class among the rows, by weight."""
    if learner.weights is None:
        return effective_train_prior(learner.y)
    used = learner.weights > 0.0
    return effective_train_prior(learner.y[used], sample_weight=learner.weights[used])


def like(values: Floats, X: Any) -> Floats:
    """Values in single precision where the rows are."""
    return values.astype(np.float32) if getattr(X, "dtype", None) == np.float32 else values
