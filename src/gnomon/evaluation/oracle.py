"""The best predictions there are, where the generator is known.

    squared: h*(x) = E[Y | x],    0/1: h*(x) = argmax_c P(c | x),    pinball: h*(x) = the τ-quantile of Y given x    (1)

Devroye, Györfi & Lugosi (1996), A Probabilistic Theory of Pattern Recognition, section 2.1,
doi:10.1007/978-1-4612-0711-5.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
from sklearn.utils import ClassifierTags, RegressorTags, Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, ArrayLike, Floats, ProperShare, available_if
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.numerics.coding import label_index
from gnomon.numerics.sharing import read_only
from gnomon.numerics.validation import check_choice
from gnomon.numerics.weights import check_weights

__all__ = ["OraclePredictor"]

OracleLoss: TypeAlias = Literal["squared", "zero_one", "pinball"]


def _classifies(model: OraclePredictor) -> bool:
    return model.loss == "zero_one"


class OraclePredictor(Estimator):
    """The Bayes-optimal rule (1) of a known conditional law, as an estimator: `fit` learns nothing but the classes.

    Parameters
    ----------
    conditional : callable
        ``conditional(X)`` for an array of n rows. For "squared" and "pinball": a law of n numbers, with `mean` and
        `quantile` (those of `gnomon.distributions`) or with ``mean()`` and ``ppf(q)`` (SciPy's); for "squared" the n
        means will do too. For "zero_one": P(c | x) of shape (n, K), or of shape (n,) the P of the second of two.
    loss : {"squared", "zero_one", "pinball"}, default="squared"
    tau : float, default=0.5
        τ of "pinball".

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels of y, for "zero_one".
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Devroye, L., Györfi, L. & Lugosi, G. (1996). A Probabilistic Theory of Pattern Recognition, section 2.1.
    doi:10.1007/978-1-4612-0711-5

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import Normal
    >>> from gnomon.evaluation import OraclePredictor, true_risk
    >>> def law(X):
    ...     return Normal(X[:, 0] ** 2, 0.25)
    >>> oracle = OraclePredictor(law).fit([[0.0]], [0.0])
    >>> oracle.predict([[2.0], [3.0]])
    array([4., 9.])
    >>> def sampler(n, rng):
    ...     X = rng.uniform(-1, 1, (n, 1))
    ...     return X, X[:, 0] ** 2 + 0.5 * rng.standard_normal(n)
    >>> round(true_risk(oracle, sampler, random_state=0).value, 2)
    0.25
    >>> OraclePredictor(law, "pinball", tau=0.975).fit([[0.0]], [0.0]).predict([[2.0]]).round(2)
    array([4.98])
    """

    classes_: Array

    def __init__(
        self,
        conditional: Callable[[Floats], Any] | None = None,
        loss: OracleLoss = "squared",
        *,
        tau: ProperShare = 0.5,
    ):
        self.conditional = conditional
        self.loss = loss
        self.tau = tau

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Note the columns of X and the labels of y.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Of no consequence: nothing is estimated.

        Returns
        -------
        self
        """
        check_choice("loss", self.loss, get_args(OracleLoss))
        if self.conditional is None:
            raise ValueError("conditional=None says nothing of y given X; give the law, a function of X")
        _, y = validate_rows(self, X, y, y_numeric=self.loss != "zero_one")
        check_weights(sample_weight, np.empty((len(y), 0)))
        if _classifies(self):
            self.classes_ = label_index(y)[1]
        return self

    def predict(self, X: ArrayLike) -> Array:
        """h*(x) of every row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        if _classifies(self):
            return self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        law = self._law(X)
        if self.loss == "pinball":
            quantile = getattr(law, "quantile", None) or law.ppf
            return np.asarray(quantile(self.tau), dtype=float)
        mean = law if isinstance(law, np.ndarray) else law.mean
        return np.asarray(mean() if callable(mean) else mean, dtype=float)

    @available_if(_classifies)
    def predict_proba(self, X: ArrayLike) -> Floats:
        """P(c | x) of every row and class, for "zero_one".

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        proba = np.asarray(self._law(X), dtype=float)
        proba = np.column_stack([1.0 - proba, proba]) if proba.ndim == 1 else proba
        if proba.shape[1] != len(self.classes_):
            raise ValueError(f"conditional gives {proba.shape[1]} probabilities, y has {len(self.classes_)} labels")
        return proba

    def _law(self, X: ArrayLike) -> Any:
        check_is_fitted(self, "n_features_in_")
        return self.conditional(read_only(validate_rows(self, X, reset=False)))  # type: ignore[misc]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if _classifies(self):
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags(poor_score=True)
        else:
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags(poor_score=True)
        return tags
