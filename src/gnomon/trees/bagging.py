"""Bagging: any learner, fitted to many samples of the rows and columns, averaged.

    F(x) = (1/T) Σ_t f_t(x),    f_t fitted to rows and columns drawn with or without replacement                   (1)

Bagging: Breiman (1996), doi:10.1007/BF00058655. Pasting, rows without replacement: Breiman (1999),
doi:10.1023/A:1007563306331. Random subspaces, columns: Ho (1998), doi:10.1109/34.709601. Patches, both: Louppe & Geurts
(2012), doi:10.1007/978-3-642-33460-3_28.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _num_samples, column_or_1d

from gnomon._typing import Array, ArrayLike, Count, Floats, RandomState, SomeShare, Sparse, TableLike, Verbosity
from gnomon.base.callbacks import fit_tasks
from gnomon.base.delegation import base_has
from gnomon.base.going_on import check_known_classes, check_known_outputs
from gnomon.base.parameters import store
from gnomon.trees._bagging import Bagging
from gnomon.trees._cost import timed
from gnomon.trees._targets import as_classes
from gnomon.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["BaggingClassifier", "BaggingRegressor"]


class BaggingClassifier(ClassifierMixin, Bagging):
    """Copies of a classifier, each fitted to a sample of the rows and columns, combined by their mean or their votes.

    P(k | x) = (1/T) Σ_t p_tk(x) where the classifier has `predict_proba`, else the share of members that vote for k.
    A member whose sample lacks a class gives it probability zero.

    Parameters
    ----------
    estimator : estimator, optional
        `DecisionTreeClassifier` by default, with 255 bins above 20 000 rows.
    n_estimators : int, default=10
        Number of members T.
    max_samples : int or float, optional
        Rows drawn for each member; as many as there are by default, a float is a fraction of the total weight.
    max_features : int or float, default=1.0
        Columns drawn for each member, fixed for it.
    bootstrap : bool, default=True
        Draw rows with replacement.
    bootstrap_features : bool, default=False
        Draw columns with replacement.
    oob_score : bool, default=False
        Predict every row by the members that did not see it.
    warm_start : bool, default=False
        Keep the members of the last fit and add those that are missing.
    n_jobs : int, optional
        Threads, over members, which are the same for any number.
    random_state : None, int, Generator or RandomState
        Member t depends on it and on t alone.
    verbose : int, default=0
        Report members as they are done.

    Attributes
    ----------
    estimator_ : estimator
        The estimator that members are copies of.
    estimators_ : list of estimators
        Their classes are numbers 0 … K − 1.
    estimators_samples_, estimators_features_ : list of ndarray
        The rows and the columns of each member, with repetitions.
    classes_ : ndarray
    n_classes_, n_features_in_ : int
    oob_score_ : float
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        NaN for a row that every member has seen.

    Notes
    -----
    Rows are drawn in proportion to `sample_weight`, as in scikit-learn.

    References
    ----------
    Breiman, L. (1996). Bagging predictors. doi:10.1007/BF00058655

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from gnomon.trees import BaggingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> bag = BaggingClassifier(KNeighborsClassifier(), 20, max_features=2, oob_score=True, random_state=0).fit(X, y)
    >>> bag.oob_score_ > 0.9
    True
    """

    classes_: Array
    n_classes_: int
    oob_decision_function_: Floats

    _default = DecisionTreeClassifier

    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        n_estimators: Count = 10,
        *,
        max_samples: Count | SomeShare | None = None,
        max_features: Count | SomeShare = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: bool = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
    ):
        store(self, locals())

    @timed
    def fit(
        self, X: TableLike | Sparse, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any
    ) -> Self:
        """Fit the members of (1).

        Parameters
        ----------
        X : table of n rows, of whatever kind the estimator takes
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            Rows are drawn in proportion.
        **fit_params
            For the estimator, by scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        X = self._checked(X, reset=True)
        y = column_or_1d(self._target(y), warn=True)
        check_classification_targets(y)
        classes, index = as_classes(y)
        if self._continues():
            check_known_classes(self.classes_, classes)
        self.classes_ = classes
        self.n_classes_ = len(self.classes_)
        with fit_tasks(self, "member", self._new_members(), X=X, y=y) as told:
            self._fit_members(X, index, sample_weight, fit_params, told)
            if self.oob_score:
                self.oob_decision_function_ = self._out_of_bag(X)
                known = ~np.isnan(self.oob_decision_function_[:, 0])
                chosen = np.argmax(self.oob_decision_function_[known], axis=1)
                self.oob_score_ = float(accuracy_score(index[known], chosen))
        return self

    def predict(self, X: TableLike | Sparse) -> Array:
        """The class with the largest probability, or with the most votes."""
        shares = self.predict_proba(X)
        return self.classes_[np.argmax(shares, axis=1)]

    def predict_proba(self, X: TableLike | Sparse) -> Floats:
        """Mean probabilities of the classes, or shares of votes where the estimator has none."""
        return self._mean(X)

    def predict_log_proba(self, X: TableLike | Sparse) -> Floats:
        """The logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @available_if(base_has("decision_function", Bagging._base))
    def decision_function(self, X: TableLike | Sparse) -> Floats:
        """Mean scores of the members."""
        return self._mean(X, lambda member, rows: member.decision_function(rows))

    def _answers(self, member: Any, X: Any) -> Floats:
        out = np.zeros((_num_samples(X), self.n_classes_))
        if getattr(member, "predict_proba", None) is None:
            out[np.arange(len(out)), member.predict(X)] = 1.0
        else:
            out[:, member.classes_] = member.predict_proba(X)
        return out


class BaggingRegressor(RegressorMixin, Bagging):
    """Copies of a regressor, each fitted to a sample of the rows and columns, averaged: F(x) = (1/T) Σ_t f_t(x).

    Parameters
    ----------
    estimator : estimator, optional
        `DecisionTreeRegressor` by default, with 255 bins above 20 000 rows.
    n_estimators, max_samples, max_features, bootstrap, bootstrap_features
        As in `BaggingClassifier`.
    oob_score, warm_start, n_jobs, random_state, verbose
        Likewise.

    Attributes
    ----------
    estimator_ : estimator
        The estimator that members are copies of.
    estimators_ : list of estimators
    estimators_samples_, estimators_features_ : list of ndarray
        The rows and the columns of each member, with repetitions.
    n_features_in_ : int
    oob_score_ : float
    oob_prediction_ : ndarray of shape (n_samples,)
        NaN for a row that every member has seen.

    References
    ----------
    Breiman, L. (1996). Bagging predictors. doi:10.1007/BF00058655

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from gnomon.trees import BaggingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> BaggingRegressor(n_estimators=30, oob_score=True, random_state=0).fit(X, y).oob_score_ > 0.3
    True
    """

    oob_prediction_: Floats
    _n_outputs: int

    _default = DecisionTreeRegressor

    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        n_estimators: Count = 10,
        *,
        max_samples: Count | SomeShare | None = None,
        max_features: Count | SomeShare = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: bool = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
    ):
        store(self, locals())

    @timed
    def fit(
        self, X: TableLike | Sparse, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any
    ) -> Self:
        """Fit the members of (1).

        Parameters
        ----------
        X : table of n rows, of whatever kind the estimator takes
        y : array-like of shape (n,) or (n, n_outputs)
        sample_weight : array-like of shape (n,), optional
            Rows are drawn in proportion.
        **fit_params
            For the estimator, by scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        X = self._checked(X, reset=True)
        y = self._target(y)
        y = column_or_1d(y, warn=True) if y.ndim == 1 or y.shape[1] == 1 else y
        n_outputs = y.size // len(y)
        if self._continues():
            check_known_outputs(self._n_outputs, n_outputs)
        self._n_outputs = n_outputs
        with fit_tasks(self, "member", self._new_members(), X=X, y=y) as told:
            self._fit_members(X, y, sample_weight, fit_params, told)
            if self.oob_score:
                self.oob_prediction_ = self._out_of_bag(X)
                known = ~np.isnan(self.oob_prediction_.reshape(len(y), -1)[:, 0])
                self.oob_score_ = float(r2_score(y[known], self.oob_prediction_[known]))
        return self

    def predict(self, X: TableLike | Sparse) -> Floats:
        """The mean answer of the members."""
        return self._mean(X)

    def _answers(self, member: Any, X: Any) -> Floats:
        return member.predict(X)
