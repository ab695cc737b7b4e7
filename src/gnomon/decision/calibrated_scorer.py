"""Any classifier with calibrated scores.

    LLR(x) = calibrator(s(x)),    logit P(T | x) = LLR(x) + logit π                                           (1)

Scores s that are log-odds have the prior of the training rows in them, which the calibrator takes out.
The calibrator is fitted to scores of rows that the classifier was not fitted to: out of folds, or of a set like those
that are to be judged. A model is surer of its own training rows than of others, and would be calibrated to that. Platt
(1999), Probabilistic outputs for support vector machines; Niculescu-Mizil & Caruana (2005), Predicting good
probabilities with supervised learning, doi:10.1145/1102351.1102430.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from scipy import sparse
from scipy.special import softmax
from sklearn.base import BaseEstimator, clone
from sklearn.utils import _safe_indexing, column_or_1d

from gnomon._typing import AnyRows, Array, ArrayLike, Floats, Folds, is_sparse
from gnomon.base import given_rows, naming_columns
from gnomon.base.scores import ScoreType, log_posteriors, posterior_priors
from gnomon.decision._posteriors import check_priors, posteriors
from gnomon.decision._wrapper import Learner, WrappedClassifier, has_scores, least_log, like, log_scores, scores_of
from gnomon.decision.score_calibrator import ScoreCalibrator
from gnomon.numerics.special import sigmoid

__all__ = ["CalibratedScorer"]

NewPrior: TypeAlias = float | ArrayLike | Literal["uniform"] | None


class CalibratedScorer(WrappedClassifier):
    """A classifier whose scores become log-likelihood ratios, equation (1).

    Parameters
    ----------
    estimator : classifier
        With `decision_function` or `predict_proba`.
    calibrator : ScoreCalibrator, optional
        `ScoreCalibrator()` by default.
    cv : int, splitter, iterable of (train, test) or "train", default=5
        Folds that leave out the rows whose scores are calibrated; they are not used where `fit` gets `X_cal`. "train"
        takes the scores of the training rows themselves, which are too good: it needs `allow_train`, and warns.
    prior : float, array-like of shape (n_classes,) or "uniform", optional
        π of probabilities and classes; the shares among the training rows by default.
    allow_train : bool, default=False
        Whether the calibrator may be fitted to scores of the training rows.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    estimator_ : classifier
        Fitted to all training rows.
    calibrator_ : ScoreCalibrator
    prior_ : ndarray of shape (n_classes,)
        π.
    score_type_ : str
        "log_posterior_ratio", of `decision_function`; `llr` has no prior in it.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Niculescu-Mizil, A. & Caruana, R. (2005). Predicting good probabilities with supervised learning.
    doi:10.1145/1102351.1102430

    Brümmer, N. & du Preez, J. (2006). Application-independent evaluation of speaker detection.
    doi:10.1016/j.csl.2005.08.001

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import LinearSVC
    >>> from gnomon.decision import CalibratedScorer
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[rng.normal(-1, 1, (500, 1)), rng.normal(1, 1, (500, 1))]
    >>> model = CalibratedScorer(LinearSVC()).fit(X, np.repeat([0, 1], 500))

    The true log-likelihood ratio is 2x:

    >>> np.abs(model.llr([[-1.0], [0.0], [1.0]]) - [-2.0, 0.0, 2.0]).max() < 0.2
    np.True_
    """

    def __init__(
        self,
        estimator: BaseEstimator,
        calibrator: ScoreCalibrator | None = None,
        cv: Folds | Literal["train"] = 5,
        *,
        prior: NewPrior = None,
        allow_train: bool = False,
    ):
        self.estimator = estimator
        self.calibrator = calibrator
        self.cv = cv
        self.prior = prior
        self.allow_train = allow_train

    def fit(
        self,
        X: AnyRows,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        X_cal: AnyRows | None = None,
        y_cal: ArrayLike | None = None,
        **fit_params: Any,
    ) -> Self:
        """Fit the classifier to all rows, and the calibrator to scores of rows left out.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
        X_cal, y_cal : array-like, optional
            Rows for the calibrator alone, like those that are to be judged; no folds are made then.
        **fit_params
            For the classifier and the splitter, by scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        learner = self._learner(X, y, sample_weight, fit_params)
        if len(self.classes_) < 2:
            raise ValueError(f"y has one class alone, {self.classes_.tolist()}; rows of two classes are needed")
        self.estimator_ = learner.fit()
        self.prior_ = learner.shares if self.prior is None else self._given_prior(len(self.classes_))
        answers, labels, weights = self._calibration_set(learner, X_cal, y_cal)
        own = has_scores(self.estimator_)
        self._least = -np.inf if own else least_log(answers)
        scores = answers if own else log_scores(answers, self._least)
        calibrator = ScoreCalibrator() if self.calibrator is None else self.calibrator
        self.calibrator_ = clone(calibrator).fit(
            scores,
            labels,
            weights,
            score_type=_kind(self.estimator_, learner.X),
            score_prior=posterior_priors(self.estimator_, learner.y, learner.weights).within,
        )
        self.score_type_ = "log_posterior_ratio"
        return self

    def llr(self, X: AnyRows) -> Floats:
        """Log-likelihood ratios, or log-likelihoods of more than two classes up to a constant of the row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        rows = self._rows(X)
        with naming_columns(self, rows):
            return like(self.calibrator_.transform(scores_of(self.estimator_, rows, self._least)), X)

    def decision_function(self, X: AnyRows) -> Floats:
        """Posterior log-odds: the log-likelihood ratio and the log-odds of the prior; of more classes, for each.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        llr = self.llr(X)
        return llr + like(np.log(self.prior_[1:] / self.prior_[0]) if llr.ndim == 1 else np.log(self.prior_), llr)

    def predict_proba(self, X: AnyRows) -> Floats:
        """P(k | x) under the prior.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        llr = self.llr(X)
        return like(posteriors(llr, "llr" if llr.ndim == 1 else "log_likelihood", self.prior_), X)

    def predict(self, X: AnyRows) -> Array:
        """The most probable class.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        return self.classes_[(scores > 0.0).astype(int) if scores.ndim == 1 else np.argmax(scores, axis=1)]

    def _given_prior(self, n_classes: int) -> Floats:
        given: Any = self.prior
        p = check_priors("prior", np.full(n_classes, 1.0 / n_classes) if isinstance(given, str) else given)
        if len(p) != n_classes:
            raise ValueError(f"prior has {len(p)} numbers for {n_classes} classes; give one for each")
        return p

    def _calibration_set(
        self, learner: Learner, X_cal: AnyRows | None, y_cal: ArrayLike | None
    ) -> tuple[Floats, Array, Floats | None]:
        if (X_cal is None) != (y_cal is None):
            raise ValueError("X_cal and y_cal belong together; give both, or neither")
        rows = None if X_cal is None else given_rows(self, self.estimator, X_cal, reset=False)
        if rows is not None and not _same_cells(rows, learner.X):
            labels = column_or_1d(y_cal)
            if unknown := np.setdiff1d(labels, self.classes_).tolist():
                raise ValueError(
                    f"y_cal has {unknown[:5]}, and the training rows {self.classes_.tolist()[:5]}; leave such rows out"
                )
            return _answers(self.estimator_, rows), labels, None
        if rows is not None or (isinstance(self.cv, str) and self.cv == "train"):
            if not self.allow_train:
                raise ValueError(
                    "the calibrator would be fitted to scores of the training rows, which are too good; give folds by "
                    "cv or other rows by X_cal, or set allow_train=True"
                )
            warnings.warn(
                "the calibrator is fitted to scores of the training rows: it will be too sure of others; give folds by "
                "cv or other rows by X_cal",
                stacklevel=3,
            )
            return _answers(self.estimator_, learner.X), learner.y, learner.weights
        rows, answers = learner.held_out(self.cv, _answers, self.classes_)
        return answers, learner.y[rows], None if learner.weights is None else learner.weights[rows]


def _answers(model: Any, X: Any) -> Floats:
    """The classifier's own scores, else log P(k | x)."""
    return scores_of(model, X) if has_scores(model) else log_posteriors(model, X)


def _kind(model: Any, X: Any) -> ScoreType:
    """Whether the scores of a classifier are the logarithms of its probabilities, up to a constant of the row."""
    if not has_scores(model):
        return "log_posterior_ratio"
    if getattr(model, "predict_proba", None) is None:
        return "margin"
    some = _safe_indexing(X, slice(0, 100))
    z, p = scores_of(model, some), np.asarray(model.predict_proba(some), dtype=float)
    own = np.column_stack([sigmoid(-z), sigmoid(z)]) if z.ndim == 1 else softmax(z, axis=1)
    return "log_posterior_ratio" if own.shape == p.shape and np.allclose(own, p, atol=1e-5) else "margin"


def _same_cells(A: Any, B: Any) -> bool:
    if is_sparse(A) and is_sparse(B):
        return A.shape == B.shape and (sparse.csr_array(A) != sparse.csr_array(B)).nnz == 0
    return not is_sparse(A) and not is_sparse(B) and np.array_equal(np.asarray(A), np.asarray(B))
