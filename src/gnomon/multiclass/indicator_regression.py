"""Regression on codes of classes.

    one-hot:  g fitted to e_y ∈ {0, 1}^C,  ŷ = argmax_k g_k(x)                                             (1)
    integer:  g fitted to y ∈ {0, …, C − 1},  ŷ = g(x) rounded                                             (2)

Least squares on e_y estimates E[e_y | x], the posteriors; a linear g masks a class between two others. Integers put the
classes on a line in an arbitrary order: a baseline only. Hastie, Tibshirani & Friedman (2009), The
Elements of Statistical Learning, section 4.2, doi:10.1007/978-0-387-84858-7.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_regressor
from sklearn.multioutput import MultiOutputRegressor
from sklearn.utils import Tags, get_tags
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from gnomon._typing import AnyRows, Array, ArrayLike, Floats
from gnomon.base import given_rows
from gnomon.base.estimator import Estimator
from gnomon.base.routing import routed, router
from gnomon.base.weights import weight_parameter
from gnomon.multiclass._base import predictor, single_labels
from gnomon.numerics.coding import encode_labels
from gnomon.numerics.coding.labels import Coding
from gnomon.numerics.weights import check_weights

__all__ = ["IndicatorRegression"]

ClassCoding: TypeAlias = Literal["onehot", "integer"]

_CODES: dict[ClassCoding, Coding] = {"onehot": "one_hot", "integer": "index"}
"""What `encode_labels` calls the codings."""


class IndicatorRegression(MetaEstimatorMixin, ClassifierMixin, Estimator):
    """A classifier made of any regressor, equation (1) or (2).

    The special case of linear least squares is `gnomon.linear.LeastSquaresClassifier`.

    Parameters
    ----------
    regressor : regressor
        One that takes several targets at once is fitted once; of any other there is one fit for each class.
    coding : {"onehot", "integer"}, default="onehot"
        "onehot" does not depend on the order of the classes. "integer" does: it is kept as a negative baseline.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    regressor_ : regressor
        Fitted to the codes.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 4.2.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from gnomon.multiclass import IndicatorRegression
    >>> X, y = np.arange(9.0)[:, None], np.repeat(["a", "b", "c"], 3)
    >>> model = IndicatorRegression(KNeighborsRegressor(3)).fit(X, y)
    >>> model.predict([[1.0], [4.0], [7.0]]).tolist()
    ['a', 'b', 'c']
    >>> model.decision_function([[3.0]]).round(2).tolist()
    [[0.33, 0.67, 0.0]]
    """

    def __init__(self, regressor: BaseEstimator, *, coding: ClassCoding = "onehot"):
        self.regressor = regressor
        self.coding = coding

    # Weights are for the regressor, which asks for them or does not.
    __metadata_request__fit: ClassVar = {"sample_weight": UNUSED}

    def fit(self, X: AnyRows, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Fit the regressor to the codes of the classes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Whatever the regressor takes.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
        **fit_params
            For the regressor, by scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        if not is_regressor(predictor("regressor", self.regressor)):
            raise ValueError(f"regressor={self.regressor!r} is no regressor; for classifiers use OneVsRestClassifier")
        X = given_rows(self, self.regressor, X, reset=True)
        labels = single_labels(y)
        check_consistent_length(X, labels)
        target, self.classes_ = encode_labels(labels, _CODES[self.coding])
        several = target.ndim == 1 or get_tags(self.regressor).target_tags.multi_output
        self.regressor_ = clone(self.regressor) if several else MultiOutputRegressor(clone(self.regressor))
        params = dict(routed(self, "fit", sample_weight, fit_params).regressor.fit)
        weights = params.pop("sample_weight", None)
        weights = None if weights is None else check_weights(weights, np.empty((len(target), 0)))
        self.regressor_.fit(X, target.astype(float), **weight_parameter(self.regressor, weights), **params)
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """How scikit-learn routes metadata to the regressor."""
        return router(self, regressor=self.regressor)

    def decision_function(self, X: AnyRows) -> Floats:
        """g_k(x), or −|g(x) − k| for integers; for two classes that of the second minus that of the first.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
        """
        S = self._scores(X)
        return S[:, -1] - S[:, 0] if S.shape[1] <= 2 else S

    def predict(self, X: AnyRows) -> Array:
        """The class with the largest score; ties go to the first.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self._scores(X)
        return self.classes_[np.argmax(scores, axis=1)]

    def _scores(self, X: AnyRows) -> Floats:
        check_is_fitted(self)
        g = self.regressor_.predict(given_rows(self, self.regressor, X, reset=False))
        if self.coding == "integer":
            return -np.abs(np.reshape(g, (-1, 1)) - np.arange(len(self.classes_), dtype=g.dtype))
        return np.reshape(g, (len(g), len(self.classes_)))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.regressor).input_tags
        return tags
