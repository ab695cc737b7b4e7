"""The random baseline.

    ŷ = the last class with probability p, independently of x:    E TPR = E FPR = p                             (1)

Whatever p is, the point lies on the diagonal of the ROC plane. Fawcett (2006), doi:10.1016/j.patrec.2005.10.010.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, ArrayLike, MatrixLike, RandomState, Share
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.numerics.coding import label_index
from gnomon.numerics.random import check_rng
from gnomon.numerics.weights import check_weights

__all__ = ["RandomClassifier"]


class RandomClassifier(ClassifierMixin, Estimator):
    """Predictions by chance, equation (1): what any classifier must beat.

    Parameters
    ----------
    p : float in [0, 1], default=0.5
        The probability of the last class, which of two is the positive one; the others share the rest equally.
    random_state : None, int, Generator or RandomState
        Of the predictions; with None each call draws anew.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Fawcett, T. (2006). An introduction to ROC analysis. doi:10.1016/j.patrec.2005.10.010

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.evaluation import RandomClassifier, rates
    >>> X, y = np.zeros((20_000, 1)), np.arange(20_000) % 4 == 0
    >>> found = rates(y, RandomClassifier(p=0.3, random_state=0).fit(X, y).predict(X)).of(True)
    >>> round(found.tpr, 1), round(found.fpr, 1)
    (0.3, 0.3)
    """

    def __init__(self, p: Share = 0.5, *, random_state: RandomState = None) -> None:
        self.p, self.random_state = p, random_state

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Checked, and not used.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            A label all of whose rows weigh nothing is none.
        """
        X, y = validate_rows(self, X, y)
        self.classes_ = label_index(y[check_weights(sample_weight, X) > 0.0])[1]
        return self

    def predict(self, X: MatrixLike) -> Array:
        """A class for each row, drawn by (1)."""
        check_is_fitted(self)
        n, k = len(validate_rows(self, X, reset=False)), len(self.classes_)
        rng = check_rng(self.random_state)
        others = rng.integers(0, max(1, k - 1), size=n)
        return self.classes_[np.where(rng.random(n) < self.p, k - 1, others)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        tags.non_deterministic = True
        return tags
