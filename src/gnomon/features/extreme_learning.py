"""Extreme learning machines: a random hidden layer, output weights in closed form.

    minimise over β, c    Σᵢ sᵢ ‖tᵢ − βᵀh(xᵢ) − c‖²  +  α ‖β‖²                                      (1)

h is the layer of `RandomHiddenFeatures`. α = 0 gives the shortest minimiser β = H⁺T; α > 0 ridge regression on H, by
the n × n system where there are fewer rows than units. HᵀH and HᵀT are sums over rows, so chunks give the same model.
Huang, Zhu & Siew (2006), doi:10.1016/j.neucom.2005.12.126.
"""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, ArrayLike, Count, Floats, MatrixLike, NonNegative, Positive, Seed
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.features._hidden_layer import Activation, HiddenLayer, LayerDraw, draw_layer
from gnomon.numerics.coding import label_index
from gnomon.numerics.linalg import Rows, least_squares, ridge, ridge_path, triangle_of_moments
from gnomon.numerics.parallel import split_rows
from gnomon.numerics.streaming import Moments, moments
from gnomon.numerics.weights import check_weights

__all__ = ["ExtremeLearningClassifier", "ExtremeLearningRegressor"]

ALPHAS = np.logspace(-8.0, 4.0, 49)
"""Strengths that leave-one-out compares, in units of the mean squared length of the columns of H."""

SPARSE = ("csr", "csc")

BLOCK = 2**15
"""Outputs of hidden units that a prediction has in memory at once."""


class _ExtremeLearning(Estimator):
    """Everything but what the targets mean."""

    layer_: HiddenLayer
    sums_: Moments

    def __init__(
        self,
        n_hidden: Count = 100,
        alpha: NonNegative | Literal["loo"] = 1e-3,
        *,
        activation: Activation = "sigmoid",
        weights: Literal["uniform", "normal"] = "uniform",
        scale: Positive = 1.0,
        standardize: bool = True,
        fit_intercept: bool = True,
        random_state: Seed = None,
    ):
        self.n_hidden = n_hidden
        self.alpha = alpha
        self.activation = activation
        self.weights = weights
        self.scale = scale
        self.standardize = standardize
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def _fit(self, X: Any, T: Floats, sample_weight: ArrayLike | None) -> Self:
        """Draw the layer, minimise (1) on all rows."""
        s = check_weights(sample_weight, X)
        self._draw(X, s)
        rows = Rows(self.layer_.outputs(X), T, None if sample_weight is None else s, self.fit_intercept)
        self.alpha_ = _by_leave_one_out(rows) if self.alpha == "loo" else float(self.alpha)
        found = ridge(*rows[:2], self.alpha_, rows.weights, intercept=self.fit_intercept) if self.alpha_ else None
        found = found or least_squares(*rows[:2], rows.weights, intercept=self.fit_intercept)
        self.coef_, self.intercept_, self.solver_ = found.coef, found.intercept, found.method
        self.objective_ = float(np.sum(found.rss) + self.alpha_ * np.sum(found.coef**2))
        self.sums_ = rows.moments()
        return self

    def _add(self, X: Any, T: Floats, sample_weight: ArrayLike | None) -> Self:
        """Add the sums of these rows to those of the rows before, and minimise (1) for all of them."""
        if self.alpha == "loo":
            raise ValueError("alpha='loo' needs all rows at once, and partial_fit forgets them; give a number")
        s = check_weights(sample_weight, X)
        new = moments(self.layer_.outputs(X), s, targets=T)
        self.sums_ = self.sums_ + new
        self.alpha_, self.solver_ = float(self.alpha), "moments"
        triangle = triangle_of_moments(self.sums_, self.n_hidden, intercept=self.fit_intercept)
        self.coef_, rss, _ = triangle.ridge(np.full(T.shape[1], self.alpha_))
        self.intercept_ = triangle.y_mean - triangle.x_mean @ self.coef_
        self.objective_ = float(np.sum(rss) + self.alpha_ * np.sum(self.coef_**2))
        return self

    def _draw(self, X: Any, s: Floats) -> None:
        draw = LayerDraw(self.n_hidden, self.activation, self.weights, self.scale, self.standardize)
        self.layer_ = draw_layer(X, s, draw, check_random_state(self.random_state))

    def _outputs(self, X: MatrixLike) -> Floats:
        check_is_fitted(self)
        X = validate_rows(self, X, reset=False, accept_sparse="csr")
        out = np.empty((X.shape[0], self.coef_.shape[1]), dtype=X.dtype)
        beta, c = self.coef_.astype(X.dtype), self.intercept_.astype(X.dtype)
        # Hidden units of a few rows at a time: there may be many more of them than columns.
        for rows in split_rows(X.shape[0], -(-X.shape[0] * self.n_hidden // BLOCK)):
            out[rows] = self.layer_.outputs(X[rows]) @ beta + c
        return out

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class ExtremeLearningRegressor(MultiOutputMixin, RegressorMixin, _ExtremeLearning):
    """Regression by a random hidden layer, equation (1).

    Parameters
    ----------
    n_hidden : int, default=100
        Hidden units.
    alpha : float or "loo", default=1e-3
        α; "loo" takes the one of a grid with the least leave-one-out error, in closed form.
    activation, weights, scale, standardize
        Of the layer, as in `RandomHiddenFeatures`.
    fit_intercept : bool, default=True
        Whether c is free; otherwise c = 0.
    random_state : int, RandomState or None, default=None
        Of the layer.

    Attributes
    ----------
    coef_ : ndarray of shape (n_hidden, n_targets)
        β.
    intercept_ : ndarray of shape (n_targets,)
        c.
    alpha_ : float
        α that was used.
    objective_ : float
        The value of (1).
    solver_ : str
        "cholesky", "dual", "svd" or "qr" from the rows, "moments" from sums after `partial_fit`.
    layer_ : HiddenLayer
    sums_ : Moments
        Weight, mean and scatter of (h(x), t).

    References
    ----------
    Huang, G.-B., Zhu, Q.-Y. & Siew, C.-K. (2006). Extreme learning machine: theory and applications.
    doi:10.1016/j.neucom.2005.12.126

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features import ExtremeLearningRegressor
    >>> X = np.linspace(0.0, 6.0, 100)[:, None]
    >>> model = ExtremeLearningRegressor(50, alpha=1e-6, scale=3.0, random_state=0).fit(X, np.sin(X[:, 0]))
    >>> bool(np.max(np.abs(model.predict(X) - np.sin(X[:, 0]))) < 1e-2)
    True
    """

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Draw the layer and minimise (1).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        X, y = validate_rows(self, X, y, accept_sparse=SPARSE, multi_output=True, y_numeric=True)
        self._one = y.ndim == 1
        return self._fit(X, _columns(y, X), sample_weight)

    def partial_fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Add rows to those of earlier calls; the layer is drawn at the first, with the means and sd of its rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        first = "sums_" not in vars(self)
        X, y = validate_rows(self, X, y, reset=first, accept_sparse=SPARSE, multi_output=True, y_numeric=True)
        if first:
            return self.fit(X, y, sample_weight)
        return self._add(X, _columns(y, X), sample_weight)

    def predict(self, X: MatrixLike) -> Floats:
        """βᵀh(x) + c.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        outputs = self._outputs(X)
        return outputs[:, 0] if self._one else outputs


class ExtremeLearningClassifier(ClassifierMixin, _ExtremeLearning):
    """Classification by a random hidden layer: (1) on targets ±1, one column for each class; the largest wins.

    Parameters
    ----------
    n_hidden : int, default=100
        Hidden units.
    alpha : float or "loo", default=1e-3
        α; "loo" takes the one of a grid with the least leave-one-out error, in closed form.
    activation, weights, scale, standardize
        Of the layer, as in `RandomHiddenFeatures`.
    fit_intercept : bool, default=True
        Whether c is free; otherwise c = 0.
    random_state : int, RandomState or None, default=None
        Of the layer.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (n_hidden, n_classes), or (n_hidden, 1) for two classes
        β.
    intercept_ : ndarray
        c.
    alpha_, objective_, solver_, layer_, sums_
        As in `ExtremeLearningRegressor`.

    References
    ----------
    Huang, G.-B., Zhu, Q.-Y. & Siew, C.-K. (2006). Extreme learning machine: theory and applications.
    doi:10.1016/j.neucom.2005.12.126

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features import ExtremeLearningClassifier
    >>> X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), ["no", "yes", "yes", "no"]
    >>> ExtremeLearningClassifier(20, random_state=0).fit(X, y).predict(X).tolist()
    ['no', 'yes', 'yes', 'no']
    """

    classes_: Array

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Draw the layer and minimise (1).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        X, y = validate_rows(self, X, y, accept_sparse=SPARSE)
        index, self.classes_ = label_index(y)
        if len(self.classes_) < 2:
            raise ValueError(f"y has 1 class, {self.classes_[0]!r}; a classifier needs two or more")
        return self._fit(X, _signs(index, len(self.classes_)), sample_weight)

    def partial_fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Add rows to those of earlier calls; the layer is drawn at the first, with the means and sd of its rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like, optional
            All classes; needed in the first call.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        first = "sums_" not in vars(self)
        X, y = validate_rows(self, X, y, reset=first, accept_sparse=SPARSE)
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit; give all labels")
        known = np.unique(np.asarray(classes)) if first else self.classes_
        if not first and classes is not None and not np.array_equal(np.unique(np.asarray(classes)), known):
            raise ValueError(f"classes={classes!r} differ from those of the first call, {known.tolist()}")
        index, self.classes_ = label_index(y, known)
        T = _signs(index, len(known))
        return self._fit(X, T, sample_weight) if first else self._add(X, T, sample_weight)

    def decision_function(self, X: MatrixLike) -> Floats:
        """βᵀh(x) + c.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
        """
        outputs = self._outputs(X)
        return outputs[:, 0] if len(self.classes_) == 2 else outputs

    def predict(self, X: MatrixLike) -> Array:
        """The class with the largest output; of two, the second where the output is positive.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        return self.classes_[(scores > 0.0).astype(int) if scores.ndim == 1 else np.argmax(scores, axis=1)]


def _columns(y: Array, X: Any) -> Floats:
    return y.reshape(len(y), -1).astype(X.dtype, copy=False)


def _signs(index: Array, n_classes: int) -> Floats:
    """±1 for each class; one column for two."""
    if n_classes == 2:
        return 2.0 * index[:, None] - 1.0
    return 2.0 * np.eye(n_classes)[index] - 1.0


def _by_leave_one_out(rows: Rows) -> float:
    """The α of a grid whose leave-one-out residuals have the least weighted sum of squares."""
    x_mean = rows.means()[0]
    unit = float(np.mean(np.sum((np.asarray(rows.X) - x_mean) ** 2, axis=0))) or 1.0
    alphas = unit * ALPHAS
    path = ridge_path(rows, smallest=float(alphas[0]))
    s = np.ones(len(rows.Y)) if rows.weights is None else rows.weights
    errors = np.einsum("i,ikr->r", s, path.loo_residuals(alphas) ** 2)
    return float(alphas[int(np.argmin(errors))])
