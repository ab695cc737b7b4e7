"""What the estimators of this family share: a classifier inside, its scores, and scores of rows that it has not seen.

    s(x) = decision_function,  else  logit P(T | x)  (two classes)  or  log P(k | x)  (K classes)                   (1)

The logarithm of a probability of zero is that of the least positive number, or, where scores are calibrated, of half
the least probability that was met: beyond all others, and no further than the data show.
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

__all__ = ["Learner", "WrappedClassifier", "has_scores", "least_log", "like", "log_scores", "scores_of"]

LOG_ZERO = float(np.log(np.finfo(float).smallest_subnormal))


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

    @property
    def shares(self) -> Floats:
        """The share of each class among the rows, by weight."""
        used = slice(None) if self.weights is None else self.weights > 0.0
        return effective_train_prior(self.y[used], sample_weight=None if self.weights is None else self.weights[used])

    def held_out(self, cv: Any, output: Any, classes: Array | None = None) -> tuple[Integers, Floats]:
        """The rows that folds leave out, and ``output(model, rows)`` of each by a model of the others.

        ValueError where a fold holds all rows of one of the `classes` that every model must know.
        """
        pairs = read_folds(cv, self.X, self.y, classifier=is_classifier(self.owner), **self.split_params)
        for train, _ in pairs:
            if classes is not None and len(lacking := np.setdiff1d(classes, self.y[train])):
                raise ValueError(
                    f"cv={cv!r} has a fold with all rows of the class(es) {lacking.tolist()[:5]}, of which the model "
                    "without these rows has no scores; give more rows of them, or other folds"
                )
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


def has_scores(model: Any) -> bool:
    """Whether s of (1) is the classifier's own."""
    return getattr(model, "decision_function", None) is not None


def scores_of(model: Any, X: Any, least: float = -np.inf) -> Floats:
    """s of (1): one number for each row of two classes, one for each class of more."""
    if has_scores(model):
        return np.asarray(model.decision_function(X), dtype=float)
    return log_scores(log_posteriors(model, X), least)


def log_scores(log_p: Floats, least: float = -np.inf) -> Floats:
    """s of (1) from log P(k | x): what is below `least` comes between it and half of it, in the same order."""
    log_p = np.asarray(log_p, dtype=float)
    if least == -np.inf:
        log_p = np.where(log_p == -np.inf, LOG_ZERO, log_p)
    else:
        below = np.maximum(least - log_p, 0.0) / np.log(2.0)
        log_p = np.where(below > 0.0, least - np.log(2.0) * (1.0 - 1.0 / (1.0 + below)), log_p)
    return log_p[:, 1] - log_p[:, 0] if log_p.shape[1] == 2 else log_p


def least_log(log_p: Floats) -> float:
    """The least finite of logarithms of which some are those of zero, else −∞."""
    finite = np.isfinite(log_p)
    return -np.inf if np.all(finite) or not np.any(finite) else float(np.min(log_p[finite]))


def like(values: Floats, X: Any) -> Floats:
    """Values in single precision where the rows are."""
    return values.astype(np.float32) if getattr(X, "dtype", None) == np.float32 else values
