"""A classifier that may say "don't know".

    ŷ(x) = the most probable class  if  max_k P(k | x) ≥ 1 − c,    else rejected                                     (1)

c is what a rejection costs where a mistake costs 1. Chow (1970), On optimum recognition error and reject tradeoff,
doi:10.1109/TIT.1970.1054406; El-Yaniv & Wiener (2010), On the foundations of noise-free selective classification, JMLR
11.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import _safe_indexing

from gnomon._typing import AnyRows, Array, ArrayLike, Floats, Folds, NonNegative, ProperShare, available_if
from gnomon.base import naming_columns
from gnomon.base.delegation import base_has
from gnomon.base.labels import read_labels
from gnomon.base.spare_labels import check_spare, spare_label
from gnomon.decision._confidence import confidence
from gnomon.decision._wrapper import WrappedClassifier
from gnomon.decision.application import as_labels
from gnomon.numerics.curves import threshold_curve
from gnomon.numerics.weights import check_weights, weighted_quantile

__all__ = ["RejectClassifier", "RejectCurve", "reject_curve"]

# 1 − c and a probability that equals it but for rounding are a tie, which decides.
_TIE = 1e-12


class RejectClassifier(WrappedClassifier):
    """A classifier with the further action "reject", equation (1).

    Exactly one of `cost`, `threshold` and `coverage` says when.

    Parameters
    ----------
    estimator : classifier
        With `predict_proba`; with `decision_function` alone, `threshold` and `coverage` are on |s|, or on the lead of
        the best class over the second.
    cost : float, optional
        c ≥ 0 of (1); for K classes, 1 − 1/K and more never rejects.
    threshold : float, optional
        The confidence that is needed: a probability, or a margin.
    coverage : float in (0, 1), optional
        The share of rows that is to be decided. The threshold is the greatest with which at least this share of the
        out-of-fold rows is decided; rows of equal confidence are decided together.
    cv : int, splitter or iterable of (train, test), optional
        Folds for `coverage`, by default 5; the other ways need none, and refuse it.
    reject_label : label, optional
        What `predict` returns for rejected rows: −1 for classes that are numbers, "reject" for strings, by default. It
        must not be a class.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    estimator_ : classifier
    threshold_ : float
        Rows with less confidence are rejected.
    reject_label_ : label
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Chow, C. K. (1970). On optimum recognition error and reject tradeoff. doi:10.1109/TIT.1970.1054406

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from gnomon.decision import RejectClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, y = np.r_[rng.normal(-1, 1, (99, 1)), rng.normal(1, 1, (99, 1))], np.repeat(["a", "b"], 99)
    >>> RejectClassifier(GaussianNB(), cost=0.2).fit(X, y).predict([[-2.0], [0.1], [2.0]]).tolist()
    ['a', 'reject', 'b']
    """

    def __init__(
        self,
        estimator: BaseEstimator,
        cost: NonNegative | None = None,
        *,
        threshold: NonNegative | None = None,
        coverage: ProperShare | None = None,
        cv: Folds = None,
        reject_label: object = None,
    ):
        self.estimator = estimator
        self.cost = cost
        self.threshold = threshold
        self.coverage = coverage
        self.cv = cv
        self.reject_label = reject_label

    def fit(self, X: AnyRows, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Fit the classifier, and find the threshold.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
        **fit_params
            For the classifier and the splitter, by scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        learner = self._learner(X, y, sample_weight, fit_params)
        given = {name: getattr(self, name) for name in ("cost", "threshold", "coverage")}
        if sum(value is not None for value in given.values()) != 1:
            raise ValueError(
                f"{given} must say in one way when rows are rejected; give one of cost, threshold, coverage"
            )
        if self.cv is not None and self.coverage is None:
            raise ValueError(f"cv={self.cv!r} is for coverage, and the threshold is given without it; leave cv out")
        self.reject_label_ = check_spare(
            "reject_label", spare_label(self.reject_label, self.classes_, "reject"), self.classes_
        )
        self.estimator_ = learner.fit()
        if self.cost is not None:
            if getattr(self.estimator_, "predict_proba", None) is None:
                raise ValueError(
                    f"cost needs probabilities, which {type(self.estimator_).__name__} lacks; calibrate it by "
                    "CalibratedScorer, or give threshold or coverage"
                )
            self.threshold_ = 1.0 - self.cost
        elif self.threshold is not None:
            self.threshold_ = float(self.threshold)
        else:
            rows, sure = learner.held_out(self.cv, lambda model, X: _judged(model, X)[1])
            weights = np.ones(len(learner.y)) if learner.weights is None else learner.weights
            self.threshold_ = -float(weighted_quantile(-sure, given["coverage"], weights[rows], between="lower"))
        return self

    def predict(self, X: AnyRows) -> Array:
        """The class, or `reject_label_`.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        rows = self._rows(X)
        with naming_columns(self, rows):
            labels, sure = _judged(self.estimator_, rows)
        decided = sure >= self.threshold_ * (1.0 - _TIE)
        found = np.where(decided, np.searchsorted(self.classes_, labels), len(self.classes_))
        return as_labels([*self.classes_.tolist(), self.reject_label_])[found]

    def score(self, X: AnyRows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The share of rows whose class is right; a rejected row is not.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        float
        """
        labels = read_labels(self, X, y)
        weights = check_weights(sample_weight, np.empty((len(labels), 0)))
        # Labels and `reject_label` may be of several kinds, which metrics of scikit-learn refuse.
        return float(np.average(self.predict(X) == labels, weights=weights))

    @available_if(base_has("predict_proba"))
    def predict_proba(self, X: AnyRows) -> Floats:
        """P(k | x) of the classifier, for rejected rows too.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        rows = self._rows(X)
        with naming_columns(self, rows):
            return self.estimator_.predict_proba(rows)


def _judged(model: Any, X: Any) -> tuple[Array, Floats]:
    """The most probable class and its probability; of margins the class, and |s| or the lead over the second."""
    if getattr(model, "predict_proba", None) is not None:
        # `predict` of a classifier may follow other scores than its probabilities.
        p = np.asarray(model.predict_proba(X), dtype=float)
        return np.asarray(model.classes_)[np.argmax(p, axis=1)], np.max(p, axis=1)
    s = np.asarray(model.decision_function(X), dtype=float)
    lead = np.abs(s) if s.ndim == 1 else np.diff(np.partition(s, -2, axis=1)[:, -2:], axis=1)[:, 0]
    return np.asarray(model.predict(X)), lead


class RejectCurve(NamedTuple):
    """Coverage and error among the decided rows, over the confidence that is needed.

    Fields
    ------
    threshold : ndarray of shape (m,)
        Falling, from the greatest confidence of any row.
    coverage : ndarray of shape (m,)
        The share of rows that are decided, rising to 1.
    error : ndarray of shape (m,)
        The share of mistakes among them.

    References
    ----------
    Chow, C. K. (1970). On optimum recognition error and reject tradeoff. doi:10.1109/TIT.1970.1054406

    Examples
    --------
    >>> from gnomon.decision import reject_curve
    >>> reject_curve([0, 1], [[0.9, 0.1], [0.6, 0.4]]).error
    array([0. , 0.5])
    """

    threshold: Floats
    coverage: Floats
    error: Floats


def reject_curve(y_true: ArrayLike, proba: ArrayLike, sample_weight: ArrayLike | None = None) -> RejectCurve:
    """How the error among the decided rows falls as more rows are rejected.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels; the columns of `proba` are the distinct ones, sorted.
    proba : array-like of shape (n_samples, n_classes)
    sample_weight : array-like of shape (n_samples,), optional

    Returns
    -------
    RejectCurve

    References
    ----------
    Chow, C. K. (1970). On optimum recognition error and reject tradeoff. doi:10.1109/TIT.1970.1054406

    Examples
    --------
    >>> from gnomon.decision import reject_curve
    >>> found = reject_curve([0, 1, 1], [[0.9, 0.1], [0.3, 0.7], [0.6, 0.4]])
    >>> found.threshold, found.coverage.round(4), found.error.round(4)
    (array([0.9, 0.7, 0.6]), array([0.3333, 0.6667, 1.    ]), array([0.    , 0.    , 0.3333]))
    """
    p, y = np.asarray(proba, dtype=float), np.asarray(y_true)
    weights = check_weights(sample_weight, np.empty((len(y), 0)))
    labels = np.unique(y)
    if p.ndim != 2 or p.shape != (len(y), len(labels)):
        raise ValueError(f"proba of shape {p.shape} must have a column for each of the labels {labels.tolist()[:5]}")
    sure = confidence(p, "max")
    correct = _safe_indexing(labels, np.argmax(p, axis=1)) == y
    used = weights > 0.0
    curve = threshold_curve(sure[used], correct[used], weights[used])[1:]
    decided = curve.tp + curve.fp
    return RejectCurve(curve.thresholds, decided / (curve.positives + curve.negatives), curve.fp / decided)
