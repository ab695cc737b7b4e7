"""Any probabilistic classifier, deciding under costs.

    a*(x) = argmin_a Σ_k C[a, k] P'(k | x),    P'(k | x) ∝ P(k | x) π'_k / π_k                                   (1)

π is the prior under which the classifier learned P, π' that to be expected. Elkan (2001), The foundations of
cost-sensitive learning, IJCAI; Saerens, Latinne & Decaestecker (2002), doi:10.1162/089976602753284446.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from gnomon import infer
from gnomon._typing import AnyRows, Array, ArrayLike, Floats
from gnomon.base import naming_columns
from gnomon.base.scores import posterior_priors
from gnomon.decision._wrapper import WrappedClassifier, like
from gnomon.decision.application import Application, action_names, read_costs, warn_if_idle
from gnomon.numerics.validation import check_part
from gnomon.numerics.weights import Priors, class_priors, shift_prior

__all__ = ["BayesDecisionClassifier"]


class BayesDecisionClassifier(WrappedClassifier):
    """A classifier that takes the cheapest action, equation (1).

    Costs, actions and priors may be changed after the fit, by `set_params`: nothing is fitted again.

    Parameters
    ----------
    estimator : classifier
        With `predict_proba`; calibrate others by `CalibratedScorer` first.
    cost_matrix : array-like of shape (n_actions, n_classes) or Application, optional
        C; a row for each action, a column for each class. Without it the most probable class is best. An application
        brings its actions and priors too. Where one action is always best, `fit` warns.
    actions : sequence of labels, optional
        What `predict` returns. By default the actions are the classes, and one more is a refusal (−1 or "reject").
    priors : array-like of shape (n_classes,), dict or "uniform", optional
        π' of (1); by default the shares of the classes among the training rows, or the priors that were given to the
        estimator itself.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    estimator_ : classifier
    class_prior_ : ndarray of shape (n_classes,)
        π: the shares of the classes by weight, unless weights, resamples or `priors` of the estimator change them.
    prior_ : ndarray of shape (n_classes,)
        π', as it is now.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. IJCAI, 973–978.

    Saerens, M., Latinne, P. & Decaestecker, C. (2002). Adjusting the outputs of a classifier to new a priori
    probabilities. doi:10.1162/089976602753284446

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from gnomon.decision import BayesDecisionClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, y = np.r_[rng.normal(-1, 1, (99, 1)), rng.normal(1, 1, (99, 1))], np.repeat(["bad", "good"], 99)
    >>> clerk = BayesDecisionClassifier(GaussianNB(), [[0, 1], [5, 0], [0.5, 0.5]], actions=["refuse", "grant", "ask"])
    >>> clerk.fit(X, y).predict([[-2.0], [0.5], [3.0]]).tolist()
    ['refuse', 'ask', 'grant']
    >>> clerk.set_params(cost_matrix=None, actions=None).predict([[0.5]]).tolist()
    ['good']
    """

    def __init__(
        self,
        estimator: BaseEstimator,
        cost_matrix: ArrayLike | Application | None = None,
        actions: Sequence[Any] | None = None,
        priors: Priors = None,
    ):
        self.estimator = estimator
        self.cost_matrix = cost_matrix
        self.actions = actions
        self.priors = priors

    def fit(self, X: AnyRows, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
        **fit_params
            For the classifier, by scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        learner = self._learner(X, y, sample_weight, fit_params)
        check_part("estimator", self.estimator, "fit", "predict_proba")
        C, names, _ = self._application(None)
        warn_if_idle(C, names.tolist())
        self.estimator_ = learner.fit()
        self.class_prior_, self._meant = posterior_priors(self.estimator_, learner.y, learner.weights)
        return self

    def predict(self, X: AnyRows, cost_matrix: ArrayLike | None = None) -> Array:
        """The cheapest action.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        cost_matrix : array-like of shape (n_actions, n_classes) or (n_samples, n_actions, n_classes), optional
            Costs of these rows, the same for all or one matrix for each, in place of those of the constructor.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        C, names, _ = self._application(cost_matrix)
        return names[infer.expected_cost(self._posterior(X), C).actions]

    def predict_expected_cost(self, X: AnyRows, cost_matrix: ArrayLike | None = None) -> Floats:
        """What each action is expected to cost.

        Parameters
        ----------
        X, cost_matrix
            As in `predict`.

        Returns
        -------
        ndarray of shape (n_samples, n_actions)
        """
        check_is_fitted(self)
        C, _, _ = self._application(cost_matrix)
        return infer.expected_cost(self._posterior(X), C).costs

    def predict_proba(self, X: AnyRows) -> Floats:
        """P'(k | x) of (1).

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return like(self._posterior(X), X)

    @property
    def prior_(self) -> Floats:
        """π' of (1), as it is now."""
        given = self._application(None)[2]
        return self._meant if given is None else given

    def _posterior(self, X: AnyRows) -> Floats:
        rows = self._rows(X)
        with naming_columns(self, rows):
            p = np.asarray(self.estimator_.predict_proba(rows), dtype=float)
        target = self.prior_
        return p if np.array_equal(target, self.class_prior_) else shift_prior(p, self.class_prior_, target)

    def _application(self, cost_matrix: ArrayLike | None) -> tuple[Floats, Array, Floats | None]:
        """C, the names of the actions and π', as they are now."""
        given, actions, priors = self.cost_matrix, self.actions, self.priors
        if isinstance(given, Application):
            if actions is not None or priors is not None:
                raise ValueError("an Application has actions and priors; leave actions and priors out")
            app = given
            given, actions, priors = app.costs, app.actions, app.priors
        given = given if cost_matrix is None else cost_matrix
        K = len(self.classes_)
        C = 1.0 - np.eye(K) if given is None else read_costs(given)
        if C.shape[-1] != K:
            raise ValueError(f"cost_matrix has {C.shape[-1]} columns for the {K} classes {self.classes_.tolist()[:5]}")
        p = None if priors is None else class_priors(priors, self.classes_)
        if p is not None and not np.all(p > 0.0):
            raise ValueError(f"priors={p.tolist()} must be in (0, 1); leave out a class that cannot occur")
        return C, action_names(actions, self.classes_, C.shape[-2]), p
