"""The error of a model on a subset of the columns.

    L̂(S) = mean over folds k of  error of  (model fitted to x_S without fold k)  on fold k               (1)

The empty subset has a constant prediction: the mean, or the most frequent class. Kohavi & John (1997), Wrappers for
feature subset selection, doi:10.1016/S0004-3702(97)00043-X.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import make_scorer, zero_one_loss
from sklearn.utils import Bunch, InputTags, check_X_y, get_tags
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_method_params, _get_feature_names

from gnomon._typing import Array, ArrayLike, Bools, Floats, Folds, Integers, MatrixLike, Scoring
from gnomon.base.folds import read_folds
from gnomon.base.routing import default_scorer
from gnomon.base.targets import check_target
from gnomon.features._base import Columns, column_indices
from gnomon.features._least_squares_error import LeastSquaresError
from gnomon.numerics.validation import check_choice

__all__ = ["subset_score"]

TIE = 1e-10
"""Errors that differ by less than this share of them, or of the error of the constant prediction, are equal."""

SubsetModel: TypeAlias = BaseEstimator | Literal["least_squares"]
"""What is fitted to a subset: an estimator, or linear regression with an intercept by a compiled loop."""


NOTHING = Bunch(estimator=Bunch(fit={}), splitter=Bunch(split={}), scorer=Bunch(score={}))
"""No metadata for any part."""


class SubsetError(Protocol):
    """The function S ↦ L̂(S), S as a row of booleans."""

    def __call__(self, mask: Bools) -> float: ...

    def many(self, masks: Bools) -> Floats: ...


def subset_score(
    estimator: SubsetModel,
    X: MatrixLike,
    y: ArrayLike,
    columns: Columns,
    *,
    cv: Folds = None,
    scoring: Scoring = None,
) -> float:
    """Cross-validated error L̂(S) of an estimator on the columns S.

    Parameters
    ----------
    estimator : estimator or "least_squares"
        Any classifier or regressor; it is cloned, not fitted. "least_squares" is linear regression with an intercept,
        by a compiled loop.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Targets.
    columns : sequence of int or str
        S, by position or name; the empty sequence gives the constant prediction.
    cv : int, splitter or iterable, optional
        As in scikit-learn; 5 folds by default.
    scoring : str or callable, optional
        A scorer of scikit-learn, whose negative is the error. By default the error is the mean squared error of
        regressors and the rate of wrong classes of classifiers.

    Returns
    -------
    float

    References
    ----------
    Kohavi, R. & John, G. H. (1997). Wrappers for feature subset selection. doi:10.1016/S0004-3702(97)00043-X

    Examples
    --------
    >>> from gnomon.features import subset_score
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 2.0], [3.0, 0.0]], [1.0, 3.0, 5.0, 7.0]
    >>> [round(subset_score("least_squares", X, y, S, cv=4), 6) for S in ([], [0], [0, 1])]
    [8.888889, 0.0, 0.0]
    """
    names = _get_feature_names(X)
    options = accepted(estimator)
    y = check_target(y, numeric=options["y_numeric"])
    X, y = check_X_y(X, y, multi_output=True, **options)
    mask = np.zeros(X.shape[1], dtype=bool)
    mask[column_indices(columns, X.shape[1], () if names is None else names)] = True
    return subset_error(estimator, X, y, cv, scoring)(mask)


def accepted(estimator: SubsetModel) -> dict[str, Any]:
    """What an estimator accepts, as options of scikit-learn's validation."""
    if isinstance(estimator, str):
        check_choice("estimator", estimator, ["least_squares"])
        tags = InputTags()
    else:
        tags = get_tags(estimator).input_tags
    return {
        "accept_sparse": "csc" if tags.sparse else False,
        "ensure_all_finite": "allow-nan" if tags.allow_nan else True,
        "y_numeric": isinstance(estimator, str) or is_regressor(estimator),
    }


def subset_error(
    estimator: SubsetModel,
    X: Any,
    y: Array,
    cv: Folds,
    scoring: Scoring,
    n_jobs: int | None = None,
    sent: Bunch = NOTHING,
) -> SubsetError:
    """The function S ↦ L̂(S), S as a row of booleans; the folds are drawn once, so that subsets are comparable."""
    if not isinstance(estimator, str):
        return _EstimatorError(estimator, X, y, cv, scoring, n_jobs, sent)
    if scoring is not None or y.ndim != 1:
        raise ValueError(
            "estimator='least_squares' works with one target and scoring=None; otherwise give an estimator, for "
            "example sklearn.linear_model.LinearRegression()"
        )
    return LeastSquaresError(X, y, read_folds(cv, X, y, **sent.splitter.split), n_jobs)


def error_scorer(estimator: SubsetModel, scoring: Scoring) -> Any:
    """The scorer whose negative is the error of an estimator; None where a compiled loop computes it."""
    if isinstance(estimator, str):
        return None
    wrong = make_scorer(zero_one_loss, greater_is_better=False)
    return default_scorer(estimator, scoring, wrong if is_classifier(estimator) else "neg_mean_squared_error")


class _EstimatorError:
    """L̂ of equation (1) for any estimator; of the metadata `sent`, the constant prediction reads the weights alone."""

    def __init__(
        self, estimator: BaseEstimator, X: Any, y: Array, cv: Folds, scoring: Scoring, n_jobs: int | None, sent: Bunch
    ):
        classifies = is_classifier(estimator)
        self.estimator = estimator
        self.constant = DummyClassifier() if classifies else DummyRegressor()
        self.X, self.y = X, y
        self.sent = sent
        self.folds = read_folds(cv, X, y, classifier=classifies, **sent.splitter.split)
        self.scorer = error_scorer(estimator, scoring)
        self.n_jobs = n_jobs

    def __call__(self, mask: Bools) -> float:
        """L̂(S)."""
        return self._one(mask)

    def many(self, masks: Bools) -> Floats:
        """L̂ of every subset, given as a row of booleans."""
        return np.array(Parallel(n_jobs=self.n_jobs)(delayed(self._one)(mask) for mask in masks))

    def _one(self, mask: Bools) -> float:
        # A constant prediction reads no column, but scikit-learn wants at least one.
        model, X = (self.estimator, self.X[:, mask]) if np.any(mask) else (self.constant, self.X[:, :1])
        X = X.tocsr() if sparse.issparse(X) else X
        params = self.sent.estimator.fit
        if model is self.constant:
            params = {name: value for name, value in params.items() if name == "sample_weight"}
        return float(-np.mean([self._score(clone(model), X, params, *fold) for fold in self.folds]))

    def _score(self, model: BaseEstimator, X: Any, params: Mapping[str, Any], train: Integers, test: Integers) -> float:
        model.fit(X[train], self.y[train], **_check_method_params(X, params=params, indices=train))
        extra = _check_method_params(X, params=self.sent.scorer.score, indices=test)
        return self.scorer(model, X[test], self.y[test], **extra)


def first_smallest(errors: Floats, scale: float) -> int:
    """The position of the first error that ties with the smallest; one that is no number never does."""
    known = ~np.isnan(errors)
    if not np.any(known):
        raise ValueError(
            "the error of every subset is NaN, so none is the best; look for columns or targets whose squares "
            "overflow, and for a scoring that is not defined on the folds"
        )
    least = float(np.min(errors[known]))
    return int(np.flatnonzero(errors <= least + tie_width(least, scale))[0])


def tie_width(error: float, scale: float) -> float:
    """How much larger an error must be to count as larger; `scale` is the error of the constant prediction.

    Two errors that are zero but for rounding tie only in units of what a prediction without columns would cost.
    """
    return TIE * max(abs(error), abs(scale))
