"""Any detector with its threshold chosen by cross-validation on labelled rows.

    ε* = argmax over ε of the mean over folds f of metric(y_f, [score_f ≤ ε])                               (1)

In every fold the detector is fitted to the good rows among the training rows and scores the rows left out, good and
bad; at the end it is fitted to all good rows. Kohavi (1995), A study of cross-validation and bootstrap for accuracy
estimation and model selection, IJCAI.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin, clone
from sklearn.utils import Tags, _safe_indexing, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.validation import _check_method_params, _num_samples, check_is_fitted

from gnomon._typing import ArrayLike, Bools, Floats, Folds, Integers, MatrixLike
from gnomon.anomaly._base import decisions, like, verdicts
from gnomon.anomaly._labels import anomalous, require_anomalies
from gnomon.anomaly.gaussian_detector import GaussianDetector
from gnomon.anomaly.threshold import Metric, Placement, best_place, candidates, check_beta, metric_values, placed
from gnomon.base import read_rows
from gnomon.base.estimator import Estimator
from gnomon.base.folds import read_folds
from gnomon.base.routing import asking, routed, router
from gnomon.numerics.validation import check_label, check_part

__all__ = ["TunedDetector"]


class TunedDetector(OutlierMixin, Estimator):
    """A detector whose threshold maximises a metric on labelled rows that it has not seen, equation (1).

    Labels are 1 for anomalous and 0 for good; no anomalous row is ever fitted. Without labels, ``fit(X)`` takes all
    rows as good and keeps the detector's own threshold.

    Parameters
    ----------
    detector : estimator, optional
        Anything with `fit` and `score_samples` whose scores are low for odd rows: a detector of this package or of
        scikit-learn, or a pipeline that ends in one. `GaussianDetector` by default.
    cv : int, splitter or iterable of (train, validation), default=5
        Folds, stratified where an int; every fold needs an anomalous row to score.
    metric : {"f1", "fbeta"} or callable (y, flagged) → float, default="f1"
    beta : float, default=1.0
        β of "fbeta"; other metrics refuse one.
    placement : {"score", "midpoint"}, default="score"
        At a score, or half way to the next one above.
    anomaly_label : label, optional
        The label of anomalous rows, all others being good; without it y must hold 1 and 0.

    Attributes
    ----------
    detector_ : estimator
        Fitted to all good rows.
    threshold_ : float
        ε*: a row is an anomaly when its score is ≤ this. NaN where no labels were given.
    value_ : float
        The mean metric there; NaN likewise.
    thresholds_, values_ : ndarray
        All candidates, ascending, and the mean metric at each.
    offset_ : float
        `decision_function` is `score_samples` less this.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Kohavi, R. (1995). A study of cross-validation and bootstrap for accuracy estimation and model selection. IJCAI.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.anomaly import TunedDetector
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[rng.normal(size=(200, 2)), rng.normal(6.0, 1.0, size=(10, 2))]
    >>> tuned = TunedDetector().fit(X, np.repeat([0, 1], [200, 10]))
    >>> tuned.value_, tuned.predict([[0.0, 0.0], [7.0, 5.0]])
    (1.0, array([ 1, -1]))
    """

    def __init__(
        self,
        detector: BaseEstimator | None = None,
        cv: Folds = 5,
        *,
        metric: Metric = "f1",
        beta: float = 1.0,
        placement: Placement = "score",
        anomaly_label: object = None,
    ):
        self.detector = detector
        self.cv = cv
        self.metric = metric
        self.beta = beta
        self.placement = placement
        self.anomaly_label = anomaly_label

    def fit(self, X: MatrixLike, y: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Choose the threshold by cross-validation, then fit the detector to all good rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), optional
            1 for anomalous, 0 for good.
        **fit_params
            For the detector and the splitter, by scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        check_part("detector", self.detector, "fit", "score_samples")
        check_label("anomaly_label", self.anomaly_label)
        check_beta(self.metric, self.beta)
        read_rows(self, X, skip_check_array=True)
        (X,) = indexable(X)
        if _num_samples(X) == 0:
            raise ValueError("X has 0 sample(s), and a detector learns from good rows; give at least one row")
        X = _doubles(X)
        sent = routed(self, "fit", params=fit_params)
        learn = _Learner(self._detector(), X, sent.detector.fit)
        if y is None:
            return self._untuned(learn(np.arange(_num_samples(X))))
        bad = anomalous(y, _num_samples(X), self.anomaly_label)
        if np.all(bad):
            raise ValueError(f"all of n_samples={len(bad)} rows are anomalous; a detector needs good rows (y = 0)")
        # First, so that the detector itself raises the error about rows that cannot be fitted.
        self.detector_ = learn(np.flatnonzero(~bad))
        scored = [_held_out(learn, bad, *fold) for fold in self._folds(X, bad, sent.splitter.split)]
        self.thresholds_, self.values_ = self._mean_values(scored)
        best = best_place(self.values_, self.metric)
        self.threshold_, self.value_ = placed(self.thresholds_, best, self.placement), float(self.values_[best])
        self.offset_ = float(np.nextafter(self.threshold_, np.inf))
        return self

    def score_samples(self, X: MatrixLike) -> Floats:
        """The scores of the detector.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return like(self._scores(X), X)

    def decision_function(self, X: MatrixLike) -> Floats:
        """Score less offset: negative for anomalies.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return like(decisions(self._scores(X), self.offset_), X)

    def predict(self, X: MatrixLike) -> Integers:
        """−1 for anomalies, +1 for good rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int of shape (n_samples,)
        """
        return verdicts(decisions(self._scores(X), self.offset_))

    def fit_predict(self, X: MatrixLike, y: ArrayLike | None = None) -> Integers:
        """`fit`, then `predict` of the same rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), optional

        Returns
        -------
        ndarray of int of shape (n_samples,)
        """
        return self.fit(X, y).predict(X)

    def get_metadata_routing(self) -> MetadataRouter:
        """How scikit-learn routes metadata to the detector and the splitter."""
        return router(self, detector=self._detector(), splitter=self.cv)

    def _detector(self) -> Any:
        return asking(GaussianDetector()) if self.detector is None else self.detector

    def _scores(self, X: MatrixLike) -> Floats:
        check_is_fitted(self)
        return np.asarray(self.detector_.score_samples(_doubles(X)), dtype=float)

    def _untuned(self, fitted: BaseEstimator) -> Self:
        if getattr(fitted, "offset_", None) is None:
            raise ValueError(
                f"y=None leaves the threshold to the detector, and {type(fitted).__name__} has none of its own (no "
                "offset_); give labels y, 1 for anomalous and 0 for good"
            )
        self.detector_, self.offset_ = fitted, float(fitted.offset_)
        self.threshold_, self.value_ = np.nan, np.nan
        self.thresholds_, self.values_ = np.empty(0), np.empty(0)
        return self

    def _folds(self, X: Any, bad: Bools, params: dict[str, Any]) -> list[tuple[Integers, Integers]]:
        named = "" if self.anomaly_label is None else f", with anomaly_label={self.anomaly_label!r},"
        require_anomalies(bad, f"y of n_samples={len(bad)}{named}")
        if isinstance(self.cv, Integral) and np.sum(bad) < self.cv:
            raise ValueError(
                f"cv={self.cv} folds need an anomalous row each and y has {np.sum(bad)}; give cv ≤ {np.sum(bad)}, or "
                "set the threshold without labels"
            )
        return read_folds(self.cv, X, bad, classifier=True, **params)

    def _mean_values(self, scored: list[tuple[Floats, Bools]]) -> tuple[Floats, Floats]:
        """Every score of any fold as a candidate, and the mean metric at each; all folds count alike."""
        thresholds = np.unique(np.concatenate([[-np.inf], *(scores for scores, _ in scored)]))
        curves = [candidates(scores, bad).at(-thresholds) for scores, bad in scored]
        pairs = zip(curves, scored, strict=True)
        return thresholds, np.mean([metric_values(self.metric, self.beta, c, *rows) for c, rows in pairs], axis=0)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._detector()).input_tags
        return tags


def _doubles(X: Any) -> Any:
    """X, an array in single precision as doubles, so that rounded scores do not cross the threshold."""
    return X.astype(float) if getattr(X, "dtype", None) == np.float32 else X


class _Learner(NamedTuple):
    """Fits a clone of the detector to some of the rows, with what it asked for."""

    detector: Any
    X: Any
    params: Mapping[str, Any]

    def __call__(self, rows: Integers) -> Any:
        params = _check_method_params(self.X, params=self.params, indices=rows)
        return clone(self.detector).fit(_safe_indexing(self.X, rows), **params)


def _held_out(learn: _Learner, bad: Bools, train: Integers, held_out: Integers) -> tuple[Floats, Bools]:
    """Scores and labels of the rows left out, by a detector of the good rows among the others."""
    require_anomalies(bad[held_out], "a fold of y")
    scores = learn(train[~bad[train]]).score_samples(_safe_indexing(learn.X, held_out))
    return np.asarray(scores, dtype=float), bad[held_out]
