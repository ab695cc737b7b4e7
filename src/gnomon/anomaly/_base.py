"""What every detector offers: scikit-learn's outlier methods over a score and a threshold.

    decision(x) = score(x) − offset,      predict(x) = −1 (anomalous) if decision(x) < 0, else +1 (good)            (1)
    offset = the next number above the threshold, so that score = threshold is an anomaly                        (2)

scikit-learn keeps decision = 0 as good, and the rule p(x) ≤ ε flags equality: (2) reconciles the two exactly. Pedregosa
et al. (2011), https://jmlr.org/papers/v12/pedregosa11a.html.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Floats, Integers
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.numerics.curves import threshold_curve
from gnomon.numerics.validation import check_choice, check_interval
from gnomon.numerics.weights import check_weights

__all__ = [
    "TIES",
    "Detector",
    "Tie",
    "WeightedDetector",
    "contamination_threshold",
    "decisions",
    "like",
    "one_given",
    "verdicts",
]

Tie: TypeAlias = Literal["anomaly", "normal"]
"""What a score equal to the threshold is."""

TIES = get_args(Tie)


class Detector(OutlierMixin, Estimator, ABC):
    """Base of the detectors: `fit`, scores and predictions are final, subclasses define the hooks."""

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Learn what good rows look like, and set the threshold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Good rows, or rows that are mostly good.
        y : ignored
            Present by convention.

        Returns
        -------
        self
        """
        return self._fit(X)

    def score_samples(self, X: ArrayLike) -> Floats:
        """The score of every row; low scores are anomalous.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        X = self._checked(X)
        return like(self._scores(X), X)

    def decision_function(self, X: ArrayLike) -> Floats:
        """Score less offset, equation (1): negative for anomalies.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        X = self._checked(X)
        return like(decisions(self._scores(X), self.offset_), X)

    def predict(self, X: ArrayLike) -> Integers:
        """−1 for anomalies, +1 for good rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int of shape (n_samples,)
        """
        # In double precision: single precision may round a decision to zero.
        return verdicts(decisions(self._scores(self._checked(X)), self.offset_))

    def set_threshold(self, threshold: float) -> Self:
        """Flag rows by another threshold from now on, such as that of `select_threshold`.

        Parameters
        ----------
        threshold : float
            The greatest score of an anomaly.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        return self._flag_up_to(threshold)

    def _flag_up_to(self, threshold: float) -> Self:
        threshold = float(check_interval("threshold", threshold))
        self._note_threshold(threshold)
        above = check_choice("tie", self.tie, TIES) == "anomaly"
        self.offset_ = float(np.nextafter(threshold, np.inf)) if above else threshold
        return self

    def _checked(self, X: ArrayLike) -> Floats:
        check_is_fitted(self)
        return validate_rows(self, X, reset=False)

    def _fit(self, X: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        check_choice("tie", self.tie, TIES)
        X = validate_rows(self, X)
        weights = None if sample_weight is None else check_weights(sample_weight, X)
        self._learn(X, weights)
        return self._flag_up_to(float(self._threshold(X, weights)))

    @abstractmethod
    def _learn(self, X: Floats, weights: Floats | None) -> None:
        """Fit the model of good rows; `weights` may be None."""

    @abstractmethod
    def _scores(self, X: Floats) -> Floats:
        """The scores of checked rows."""

    @abstractmethod
    def _threshold(self, X: Any, weights: Floats | None) -> float:
        """The greatest score that is an anomaly; `X` is None where the rows came in batches and are gone."""

    @abstractmethod
    def _note_threshold(self, threshold: float) -> None:
        """Keep it as an attribute in the user's unit."""


class WeightedDetector(Detector):
    """Base of the detectors whose model is a sum over rows."""

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn what good rows look like, and set the threshold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Good rows, or rows that are mostly good.
        y : ignored
            Present by convention.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of two is the row twice.

        Returns
        -------
        self
        """
        return self._fit(X, sample_weight)


def decisions(scores: Floats, offset: float) -> Floats:
    """scores − offset, with 0 where both are the same infinity."""
    with np.errstate(invalid="ignore"):
        return np.where(scores == offset, 0.0, scores - offset)


def like(values: Floats, X: object) -> Floats:
    """Single precision where the rows are an array in single precision."""
    return values.astype(np.float32) if getattr(X, "dtype", None) == np.float32 else values


def verdicts(decision: Floats) -> Integers:
    """−1 where the decision is negative, else +1."""
    return np.where(decision < 0.0, -1, 1)


def contamination_threshold(scores: Floats, share: float, weights: Floats | None = None) -> float:
    """The greatest score with at most `share` of the weight at or below it; −∞ where one row is already more."""
    check_interval("contamination", share, 0.0, 1.0, closed="left")
    weights = np.ones(len(scores)) if weights is None else weights
    scores, weights = scores[weights > 0.0], weights[weights > 0.0]
    curve = threshold_curve(-scores, np.zeros(len(scores)), weights)
    cuts = -curve.thresholds
    # 0.29 · 100 is slightly below 29 in binary; rounding must not change the number of rows.
    few = curve.fp <= share * curve.fp[-1] * (1.0 + 1e-12)
    # Equal rows may have scores that differ by rounding; they are flagged together or not at all.
    apart = np.r_[~np.isclose(cuts[1:], cuts[:-1], rtol=1e-12, atol=0.0), True]
    allowed = np.flatnonzero(few & apart)
    return cuts[allowed[-1]] if allowed.size else -np.inf


def one_given(**options: float | None) -> tuple[str | None, Any]:
    """Name and value of the only option that is not None, or (None, None); two exclude each other."""
    given = {name: value for name, value in options.items() if value is not None}
    if len(given) > 1:
        given_as = " and ".join(f"{name}={value!r}" for name, value in given.items())
        raise ValueError(f"{given_as} exclude each other; give one of {list(options)}, or none for level=")
    return next(iter(given.items()), (None, None))
