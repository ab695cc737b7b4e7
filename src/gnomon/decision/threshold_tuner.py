"""A threshold for one application.

    empirical:    t = argmin over t of the detection cost on rows that the classifier has not seen                  (1)
    theoretical:  t = −logit π̃, for log-likelihood ratios                                                  (2)

H_T is decided for a score > t. Brümmer & du Preez (2006), doi:10.1016/j.csl.2005.08.001; Sheng & Ling (2006),
Thresholding for making classifiers cost-sensitive, AAAI.
"""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import AnyRows, Array, ArrayLike, Floats, Folds
from gnomon.base import naming_columns
from gnomon.base.parameters import check_parameters
from gnomon.base.scores import log_posteriors, posterior_priors
from gnomon.base.trials import read_trials
from gnomon.decision._min_dcf import least_cost, threshold_costs
from gnomon.decision._wrapper import Learner, WrappedClassifier, like, log_scores, scores_of
from gnomon.decision.application import Application
from gnomon.numerics.validation import check_numbers

__all__ = ["ThresholdTuner"]


class ThresholdTuner(WrappedClassifier):
    """A two-class classifier with the threshold of an application, equation (1) or (2).

    Parameters
    ----------
    app : Application, optional
        Of two classes; equal priors and costs by default.
    estimator : classifier, optional
        Its scores are thresholded. Without one, X holds the scores themselves, one for each row, of rows that the model
        behind them has not seen.
    method : {"empirical", "theoretical"}, default="empirical"
        By (1), on out-of-fold scores; or by (2), for which the probabilities of the estimator are taken as calibrated,
        and the prior that they were learned under is removed: that of weights, resamples or `priors` of the estimator,
        else the shares of the classes among its training rows.
    cv : int, splitter or iterable of (train, test), optional
        Folds for the scores of (1), by default 5; refused where there are no scores to make, by (2) and without an
        estimator.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    estimator_ : classifier or None
    threshold_ : float
        t; ∞ where rejecting all is cheapest, −∞ where accepting all is.
    cost_ : float
        The normalised cost at t of the scores that it was chosen for; of (2), that of the training rows.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Brümmer, N. & du Preez, J. (2006). Application-independent evaluation of speaker detection.
    doi:10.1016/j.csl.2005.08.001

    Sheng, V. S. & Ling, C. X. (2006). Thresholding for making classifiers cost-sensitive. AAAI, 476–481.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decision import Application, ThresholdTuner
    >>> s, y = np.array([-2, -1, -0.5, 0.2, 0.3, 1.5, 2, -0.1]), [0, 0, 1, 0, 1, 1, 1, 0]
    >>> tuner = ThresholdTuner(Application(0.8)).fit(s, y)
    >>> tuner.threshold_, tuner.cost_, tuner.predict([-1.0, 0.0])
    (-0.75, 0.5, array([0, 1]))
    """

    def __init__(
        self,
        app: Application | None = None,
        *,
        estimator: BaseEstimator | None = None,
        method: Literal["empirical", "theoretical"] = "empirical",
        cv: Folds = None,
    ):
        self.app = app
        self.estimator = estimator
        self.method = method
        self.cv = cv

    def fit(self, X: AnyRows, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Fit the classifier, and choose the threshold.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features); or (n_samples,) scores
        y : array-like of shape (n_samples,)
            Of two classes; the greater label is the positive one.
        sample_weight : array-like of shape (n_samples,), optional
        **fit_params
            For the classifier and the splitter, by scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        app = Application(0.5) if self.app is None else self.app
        if self.cv is not None and (self.estimator is None or self.method == "theoretical"):
            raise ValueError(
                f"cv={self.cv!r} is for out-of-fold scores of an estimator, which method={self.method!r} with "
                f"estimator={self.estimator!r} does not use; leave cv out"
            )
        if self.estimator is None:
            check_parameters(self)
            if fit_params:
                raise ValueError(
                    f"{sorted(fit_params)} are for an estimator and its folds, and there is none; leave them out"
                )
            self.estimator_, self._log_odds = None, 0.0
            scores, labels, weights = _one_column(X), np.asarray(y), sample_weight
        else:
            learner = self._learner(X, y, sample_weight, fit_params)
            if len(self.classes_) != 2:
                raise ValueError(
                    f"Only binary classification is supported. The type of the target is {type_of_target(y)}, with "
                    f"{len(self.classes_)} class(es); for more use BayesDecisionClassifier"
                )
            self.estimator_ = learner.fit()
            scores, labels, weights = self._scores_for_choice(learner)
        trials = read_trials(labels, scores, None, weights)
        curve = trials.curve()
        if self.estimator is None:
            self.classes_ = np.array(trials.labels)
        if self.method == "theoretical":
            self.threshold_ = app.threshold
            self.cost_ = float(threshold_costs(curve.at([self.threshold_], strict=True), app, normalize=True)[0])
        else:
            self.cost_, self.threshold_ = least_cost(curve, app, normalize=True)
        return self

    def decision_function(self, X: AnyRows) -> Floats:
        """Score less threshold: positive where H_T is decided.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self, "threshold_")
        if self.estimator is None:
            return like(self._above(_one_column(X)), X)
        rows = self._rows(X)
        with naming_columns(self, rows):
            return like(self._above(self._output(self.estimator_, rows) - self._log_odds), X)

    def predict(self, X: AnyRows) -> Array:
        """The class on this side of the threshold.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        return self.classes_[(scores > 0.0).astype(int)]

    def _above(self, scores: Floats) -> Floats:
        """Score less threshold; a threshold of ∓∞ accepts or rejects all, infinite scores included."""
        return scores - self.threshold_ if np.isfinite(self.threshold_) else np.full_like(scores, -self.threshold_)

    def _scores_for_choice(self, learner: Learner) -> tuple[Floats, Array, Floats | None]:
        self._log_odds = 0.0
        if self.method == "empirical":
            rows, scores = learner.held_out(self.cv, self._output, self.classes_)
            return scores, learner.y[rows], None if learner.weights is None else learner.weights[rows]
        if getattr(self.estimator_, "predict_proba", None) is None:
            raise ValueError(
                f"method='theoretical' needs calibrated probabilities, which {type(self.estimator_).__name__} lacks; "
                "wrap it by CalibratedScorer, or choose method='empirical'"
            )
        reject, accept = posterior_priors(self.estimator_, learner.y, learner.weights).within
        self._log_odds = float(np.log(accept / reject))
        return self._output(self.estimator_, learner.X) - self._log_odds, learner.y, learner.weights

    def _output(self, model: Any, X: Any) -> Floats:
        if self.method == "empirical":
            return scores_of(model, X)
        return log_scores(log_posteriors(model, X))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.one_d_array = self.estimator is None
        return tags


def _one_column(X: Any) -> Floats:
    if sparse.issparse(X):
        raise TypeError(
            f"X is a sparse matrix of shape {X.shape}; without an estimator it must be one score for each row, so give "
            "an estimator to score such rows, or X.toarray()"
        )
    s = check_numbers("X", X)
    s = s[:, 0] if s.ndim == 2 and s.shape[1] == 1 else s
    if s.ndim != 1:
        raise ValueError(f"X of shape {s.shape} must be one score for each row; give an estimator to score such rows")
    return s
