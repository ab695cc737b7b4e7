"""A classifier whose probabilities are kept away from zero.

    p'_k = (n p_k + 1) / (n + K),    n the rows of training, K the classes                                   (1)

A forest says 0 of a class that no tree has seen nearby, for which the log loss has no bound. (1) is Laplace's rule of
succession with all rows as witnesses: it moves no probability by more than K / n.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from gnomon._typing import Array, ArrayLike, Floats

__all__ = ["SpreadShares"]


class SpreadShares(ClassifierMixin, BaseEstimator):
    """Equation (1) around a classifier.

    Parameters
    ----------
    forest : classifier

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from gnomon.trees._spread_shares import SpreadShares
    >>> model = SpreadShares(DummyClassifier(strategy="constant", constant=1)).fit(np.zeros((8, 1)), [0, 1] * 4)
    >>> model.predict_proba(np.zeros((1, 1)))
    array([[0.1, 0.9]])
    """

    def __init__(self, forest: BaseEstimator):
        self.forest = forest

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit the classifier."""
        self.forest_ = clone(self.forest).fit(X, y)
        self.classes_, self.n_rows_ = self.forest_.classes_, len(np.asarray(y))
        return self

    @property
    def feature_importances_(self) -> Floats:
        """Those of the classifier."""
        return self.forest_.feature_importances_

    def predict_proba(self, X: Any) -> Floats:
        """(1)."""
        said = self.forest_.predict_proba(X)
        return (self.n_rows_ * said + 1.0) / (self.n_rows_ + said.shape[1])

    def predict(self, X: Any) -> Array:
        """The most probable class."""
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]
