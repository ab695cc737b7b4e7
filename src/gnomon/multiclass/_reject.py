"""Refusing to answer: which rows, under which label, and how often.

    refuse x  where  max_k s_k(x) < θ   or   s_(1)(x) − s_(2)(x) < m                                       (1)

s are scores or probabilities of the classes, larger is better, θ is `reject_threshold` and m `reject_margin`. Chow
(1970), On optimum recognition error and reject tradeoff, doi:10.1109/TIT.1970.1054406.

A reduction descends from `RejectingClassifier` and says, in `_decide`, which class is best for each row, which rows
are refused, and, in `_may_refuse`, whether anybody asked for refusals; `fit` calls `_settle_reject_label` once
`classes_` is known.
"""

from abc import abstractmethod
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_consistent_length

from gnomon.numerics.validation import check_interval, check_non_negative
from gnomon.numerics.weights import check_weights

__all__ = ["AnswerReport", "RejectingClassifier", "insert_label", "reject_label_for", "weak_rows"]

_WORDS = "USO"


class AnswerReport(NamedTuple):
    """How often a classifier answers, and how often it is right when it does.

    Parameters
    ----------
    coverage : float
        Weighted share of the rows that got an answer.
    accuracy : float
        Weighted share of right answers among these; NaN without any.
    n_rejected : int
        Number of rows that got none.
    """

    coverage: float
    accuracy: float
    n_rejected: int


def weak_rows(scores, threshold=None, margin=None):
    """The rows that equation (1) refuses, as a mask; a limit that is None refuses nothing.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        Larger is better. With one class there is no second, and only `threshold` can refuse.
    threshold, margin : float, optional
    """
    refused = np.zeros(len(scores), dtype=bool)
    if threshold is not None:
        refused |= np.max(scores, axis=1) < check_interval("reject_threshold", threshold, -np.inf, np.inf)
    if margin is not None and check_non_negative("reject_margin", margin) > 0.0 and scores.shape[1] > 1:
        top = np.partition(scores, -2, axis=1)[:, -2:]
        # Two infinite scores are equally good.
        refused |= np.where(top[:, 0] == top[:, 1], 0.0, top[:, 1] - top[:, 0]) < margin
    return refused


def reject_label_for(classes, given=None):
    """The label of refused rows: `given`, or −1 for numbers and "reject" for strings; ValueError if it is a class."""
    words = classes.dtype.kind in _WORDS
    label = ("reject" if words else -1) if given is None else given
    if np.ndim(label) != 0 or (np.asarray(label).dtype.kind in _WORDS) != words:
        raise ValueError(
            f"reject_label={label!r} is of another kind than the classes {classes.tolist()}; give a number for "
            "numbers, a string for strings"
        )
    if label in classes.tolist():
        raise ValueError(
            f"reject_label={label!r} is one of the classes {classes.tolist()}; set reject_label to another label"
        )
    return label


def insert_label(labels, rejected, label):
    """`labels` with `label` in the rows that are `rejected`, in a type that holds both."""
    return np.where(rejected, np.asarray(label, dtype=object if labels.dtype.kind == "O" else None), labels)


class RejectingClassifier(ClassifierMixin, BaseEstimator):
    """A classifier whose `predict` may say that it does not know."""

    @abstractmethod
    def _decide(self, X):
        """For every row the index of the best class, and whether the row is refused."""

    @abstractmethod
    def _may_refuse(self):
        """Whether the parameters ask for refusals."""

    def _settle_reject_label(self):
        """Set `reject_label_`: None where nothing is ever refused, so that −1 may be a class."""
        self.reject_label_ = reject_label_for(self.classes_, self.reject_label) if self._may_refuse() else None

    def predict(self, X):
        """The class of every row, `reject_label_` where the answer is refused.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        index, rejected = self._decide(X)
        labels = self.classes_[index]
        return labels if self.reject_label_ is None else insert_label(labels, rejected, self.reject_label_)

    def is_rejected(self, X):
        """Whether the answer is refused, for every row of `X`.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of bool of shape (n_samples,)
        """
        return self._decide(X)[1]

    def answer_report(self, X, y, sample_weight=None):
        """Coverage, and accuracy on the rows that are answered; `score` counts a refusal as an error.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        AnswerReport
            With the fields `coverage`, `accuracy` and `n_rejected`.
        """
        index, rejected = self._decide(X)
        y = np.asarray(y)
        check_consistent_length(index, y)
        weights = check_weights(sample_weight, np.empty((len(index), 0)))
        right = self.classes_[index] == y
        answered = float(np.sum(weights[~rejected]))
        hits = float(np.sum(weights[~rejected & right]))
        accuracy = hits / answered if answered > 0.0 else float("nan")
        return AnswerReport(answered / float(np.sum(weights)), accuracy, int(np.sum(rejected)))
