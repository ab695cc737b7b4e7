"""Any regressor, acting under asymmetric costs.

    a(x) = the c₁/(c₁ + c₂) quantile of Y given x;    of N(μ(x), σ²(x)) it is  μ(x) + σ(x) Φ⁻¹(c₁/(c₁ + c₂))        (1)

c₁ is paid for each unit that the truth lies above the action, c₂ for each unit below. Koenker & Bassett (1978),
Regression quantiles, doi:10.2307/1913643; Gneiting (2011), Making and evaluating point forecasts,
doi:10.1198/jasa.2011.r10138.
"""

from __future__ import annotations

from inspect import signature
from typing import Any, Self

import numpy as np
from scipy.special import ndtri
from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin
from sklearn.utils import Tags, get_tags
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import AnyRows, ArrayLike, Floats, Folds, Positive
from gnomon.base import given_rows, naming_columns
from gnomon.base.estimator import Estimator
from gnomon.base.labels import read_targets
from gnomon.base.routing import routed, router
from gnomon.decision._bayes_action import quantile_of
from gnomon.decision._wrapper import Learner, like
from gnomon.numerics.validation import check_part
from gnomon.numerics.weights import check_weights

__all__ = ["DecisionRegressor"]


class DecisionRegressor(RegressorMixin, MetaEstimatorMixin, Estimator):
    """A regressor that returns the action of least expected cost, equation (1).

    The law of Y given x is what `predict_dist` of the regressor says, or ``predict(X, return_std=True)``, taken as
    normal; else a normal law with the spread of the residuals, the same everywhere.

    Parameters
    ----------
    estimator : regressor
    under, over : float, default=1.0
        c₁ > 0 and c₂ > 0, which may be changed after the fit. Equal costs give the median.
    cv : int, splitter or iterable of (train, test), optional
        Folds whose residuals give the spread, where the regressor gives none: those of the training rows, which are
        too small for a flexible regressor, by default.

    Attributes
    ----------
    estimator_ : regressor
    sigma_ : float or None
        The root of the mean squared residual, where the regressor gives no law.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Gneiting, T. (2011). Making and evaluating point forecasts. doi:10.1198/jasa.2011.r10138

    Koenker, R. & Bassett, G. (1978). Regression quantiles. doi:10.2307/1913643

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from gnomon.decision import DecisionRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(20_000, 1))
    >>> y = 10.0 * X[:, 0] + rng.normal(size=20_000)
    >>> buyer = DecisionRegressor(LinearRegression(), under=9.0, over=1.0).fit(X, y)
    >>> round(float(np.mean(y <= buyer.predict(X))), 2)
    0.9
    """

    def __init__(self, estimator: BaseEstimator, under: Positive = 1.0, over: Positive = 1.0, *, cv: Folds = None):
        self.estimator = estimator
        self.under = under
        self.over = over
        self.cv = cv

    def fit(self, X: AnyRows, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Fit the regressor, and the spread of its residuals where it is needed.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
        **fit_params
            For the regressor and the splitter, by scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        check_part("estimator", self.estimator, "fit", "predict")
        X = given_rows(self, self.estimator, X, reset=True)
        y = read_targets(self, X, y).astype(float)
        sent = routed(self, "fit", sample_weight, fit_params)
        params = dict(sent.estimator.fit)
        passed = params.pop("sample_weight", None)
        weights = None if passed is None else check_weights(passed, np.empty((len(y), 0)))
        learner = Learner(self, self.estimator, X, y, weights, params, sent.splitter.split)
        self.estimator_, self.sigma_ = learner.fit(), None
        if self._law is None:
            rows, found = (
                (np.arange(len(y)), _point(self.estimator_, X))
                if self.cv is None
                else learner.held_out(self.cv, _point)
            )
            s = None if weights is None else weights[rows]
            # Scaled first, so that squares neither overflow nor vanish.
            unit = float(np.max(np.abs(y[rows] - found))) or 1.0
            self.sigma_ = unit * float(np.sqrt(np.average(((y[rows] - found) / unit) ** 2, weights=s)))
        return self

    def predict(self, X: AnyRows) -> Floats:
        """The best action.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        rows = given_rows(self, self.estimator, X, reset=False)
        share = self.under / (self.under + self.over)
        with naming_columns(self, rows):
            if self._law == "predict_dist":
                law = self.estimator_.predict_dist(rows)
                if not isinstance(law, tuple):
                    return like(np.ravel(quantile_of(law, share)), X)
                mean, sd = law[0], np.sqrt(law[1])
            elif self._law == "return_std":
                mean, sd = self.estimator_.predict(rows, return_std=True)
            else:
                mean, sd = _point(self.estimator_, rows), np.asarray(self.sigma_)
        return like(np.ravel(mean) + np.ravel(sd) * ndtri(share), X)

    @property
    def _law(self) -> str | None:
        """How the regressor gives the law of Y: `predict_dist`, `return_std`, or not at all."""
        if getattr(self.estimator_, "predict_dist", None) is not None:
            return "predict_dist"
        return "return_std" if "return_std" in signature(self.estimator_.predict).parameters else None

    def get_metadata_routing(self) -> MetadataRouter:
        """How scikit-learn routes metadata to the regressor and the splitter; the weights are used here too."""
        return router(self, estimator=self.estimator, splitter=self.cv).add_self_request(self)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if isinstance(self.estimator, BaseEstimator):
            tags.input_tags = get_tags(self.estimator).input_tags
            tags.regressor_tags.poor_score = True
        return tags


def _point(model: Any, X: Any) -> Floats:
    return np.ravel(np.asarray(model.predict(X), dtype=float))
