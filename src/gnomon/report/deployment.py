"""The model that a study writes: the chosen one, and what stands between its forecasts and an action.

    log p_k = α log p̂_k + γ_k + const,    p'_k ∝ p_k π'_k/π_k,    a* = argmin_a Σ_k C[a, k] p'_k                (1)

A calibration map, a threshold, another prior, costs and a coverage are each there or not. Elkan (2001); Saerens,
Latinne & Decaestecker (2002), doi:10.1162/089976602753284446; Vovk, Gammerman & Shafer (2005), doi:10.1007/b106715.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from gnomon._typing import Array, ArrayLike, Floats, Matrix, available_if
from gnomon.decision import ConformalClassifier, ConformalRegressor, ScoreCalibrator
from gnomon.infer import expected_cost
from gnomon.numerics.weights import effective_train_prior, shift_prior
from gnomon.report._calibrate import log_probabilities
from gnomon.report.aims import Stakes

__all__ = ["Deployed", "deployed"]


def _has_classes(self: Any) -> bool:
    return hasattr(self.model, "classes_")


def _has_costs(self: Any) -> bool:
    return self.costs is not None


class Deployed(BaseEstimator):
    """Equation (1) around a fitted model; there is nothing to fit.

    Parameters
    ----------
    model : fitted estimator
    calibrator : ScoreCalibrator, optional
        From log-probabilities of the classes.
    threshold : float, optional
        Of two classes: the probability from which the second is predicted; by default the more probable one is.
    train_prior, prior : ndarray of shape (n_classes,), optional
        π of the training rows, and π' of the rows to come.
    costs : ndarray of shape (n_actions, n_classes), optional
        C.
    actions : list of str, optional
        What the rows of C are called.
    sets : ConformalClassifier or ConformalRegressor, optional
        Around this model without `prior`, calibrated by rows that it has not seen.

    References
    ----------
    Saerens, M., Latinne, P. & Decaestecker, C. (2002). Adjusting the outputs of a classifier to new a priori
    probabilities. doi:10.1162/089976602753284446

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from gnomon.report.deployment import Deployed
    >>> X, y = np.zeros((10, 1)), ["bad"] * 3 + ["good"] * 7
    >>> costs = np.array([[5.0, 0.0], [0.0, 1.0]])
    >>> model = Deployed(DummyClassifier().fit(X, y), costs=costs, actions=["grant", "refuse"])
    >>> model.predict(X[:1]), model.decide(X[:1]), model.expected_costs(X[:1])
    (array(['good'], dtype='<U4'), array(['refuse'], dtype='<U6'), array([[1.5, 0.7]]))
    """

    def __init__(
        self,
        model: BaseEstimator,
        *,
        calibrator: ScoreCalibrator | None = None,
        threshold: float | None = None,
        train_prior: ArrayLike | None = None,
        prior: ArrayLike | None = None,
        costs: ArrayLike | None = None,
        actions: list[str] | None = None,
        sets: ConformalClassifier | ConformalRegressor | None = None,
    ):
        self.model = model
        self.calibrator = calibrator
        self.threshold = threshold
        self.train_prior = train_prior
        self.prior = prior
        self.costs = costs
        self.actions = actions
        self.sets = sets

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def classes_(self) -> Array:
        """Those of the model."""
        return self.model.classes_

    def fit(self, X: Matrix, y: ArrayLike) -> Deployed:
        """Nothing: the model was fitted before."""
        return self

    def predict(self, X: Matrix) -> Array:
        """The most probable class, the second of two from the threshold on, or the number that the model says."""
        if not _has_classes(self):
            return self.model.predict(X)
        if self.threshold is not None:
            return self.classes_[(self.predict_proba(X)[:, 1] >= self.threshold).astype(int)]
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    @available_if(_has_classes)
    def predict_proba(self, X: Matrix) -> Floats:
        """The probabilities p' of (1)."""
        proba = self.model.predict_proba(X)
        if self.calibrator is not None:
            proba = self.calibrator.predict_proba(log_probabilities(proba))
        if self.prior is None or self.train_prior is None:
            return proba
        return shift_prior(proba, self.train_prior, self.prior)

    @available_if(_has_costs)
    def decide(self, X: Matrix) -> Array:
        """The action a* of (1) for each row."""
        return np.asarray(self.actions)[expected_cost(self.predict_proba(X), np.asarray(self.costs)).actions]

    @available_if(_has_costs)
    def expected_costs(self, X: Matrix) -> Floats:
        """What each action costs in the mean, for each row."""
        return expected_cost(self.predict_proba(X), np.asarray(self.costs)).costs


def deployed(
    model: Any,
    y: Array,
    calibrator: ScoreCalibrator | None,
    stakes: Stakes | None,
    sets: Any = None,
    threshold: float | None = None,
) -> Deployed:
    """The fitted model with these parts; `y` are the training labels."""
    shares = None if stakes is None else effective_train_prior(y)
    return Deployed(
        model,
        calibrator=calibrator,
        threshold=threshold,
        train_prior=shares,
        prior=None if stakes is None else stakes.priors,
        costs=None if stakes is None else stakes.costs,
        actions=None if stakes is None else list(stakes.actions),
        sets=sets,
    )
