"""Selection by exact zeros.

    minimise over w, b    A Σᵢ sᵢ ℓ(yᵢ, xᵢᵀw + b) + B ‖w‖₁,    Ŝ = {j : w_j ≠ 0}                       (1)

ℓ is squared (lasso), logistic, or squared hinge (support vector machine); A and B follow from `lam` and `objective`.
Tibshirani (1996), doi:10.1111/j.2517-6161.1996.tb02080.x; Fan et al. (2008), LIBLINEAR, JMLR 9, 1871–1874.
"""

from __future__ import annotations

from typing import Literal, Self

import numpy as np
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, ArrayLike, Bools, Count, Floats, MatrixLike, NonNegative
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.losses import LogisticLoss, SquaredHingeLoss, SquaredLoss
from gnomon.numerics.coding import encode_labels, label_index
from gnomon.numerics.design import Design
from gnomon.numerics.validation import check_choice
from gnomon.numerics.weights import check_weights
from gnomon.optim import fit_linear, warn_unless_converged
from gnomon.penalties import L1, objective_form
from gnomon.penalties.forms import Objective

__all__ = ["SparseSelector"]

LOSSES = {"lasso": SquaredLoss(), "logistic": LogisticLoss(), "svm": SquaredHingeLoss()}


class SparseSelector(SelectorMixin, Estimator):
    """Columns with a non-zero weight in an L1-penalised linear model.

    Several classes are taken one against the rest, several targets one by one; a column is kept if any of the models
    uses it. The penalty depends on the scale of the columns, so standardise them first. scikit-learn's
    `SelectFromModel` does the same for any fitted `coef_`, with a threshold in place of exact zeros.

    Parameters
    ----------
    model : {"lasso", "logistic", "svm"}, default="lasso"
        The loss of equation (1): squared for numbers, logistic or squared hinge for classes.
    lam : float, default=0.01
        Strength of the penalty, in the form that `objective` names.
    objective : {"mean", "sum", "C", "loss_mean", "sum_half", "mean_half"}, default="mean"
        "mean": (1/n) Σℓ + λ‖w‖₁. "sum": Σℓ + λ‖w‖₁. "C": λ Σℓ + ‖w‖₁. "loss_mean": (λ/n) Σℓ + ‖w‖₁. The halved forms
        halve only squared norms. scikit-learn's Lasso has α = λ/2 of "mean".
    fit_intercept : bool, default=True
        Whether there is a free b.
    tol : float, default=1e-6
        Relative duality gap at which to stop.
    max_iter : int, default=10000
        Most passes over the columns.

    Attributes
    ----------
    support_ : ndarray of bool, of shape (n_features_in_,)
        The columns kept.
    coef_ : ndarray of shape (n_models, n_features_in_)
        w of each model.
    intercept_ : ndarray of shape (n_models,)
        b of each model.
    classes_ : ndarray
        The labels; not for "lasso".
    n_iter_ : int
        Passes of the slowest model.
    converged_ : bool
        Whether all models did.
    dual_gap_ : float
        The largest duality gap of the models, in units of the objective.

    References
    ----------
    Tibshirani, R. (1996). Regression shrinkage and selection via the lasso. doi:10.1111/j.2517-6161.1996.tb02080.x

    Fan, R.-E. et al. (2008). LIBLINEAR: a library for large linear classification. JMLR 9, 1871–1874.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.preprocessing import StandardScaler
    >>> from gnomon.features import SparseSelector
    >>> X, y = load_diabetes(return_X_y=True)
    >>> SparseSelector(lam=20.0).fit(StandardScaler().fit_transform(X), y).get_support(indices=True).tolist()
    [2, 3, 6, 8]
    """

    def __init__(
        self,
        model: Literal["lasso", "logistic", "svm"] = "lasso",
        *,
        lam: float = 0.01,
        objective: Objective = "mean",
        fit_intercept: bool = True,
        tol: NonNegative = 1e-6,
        max_iter: Count = 10_000,
    ):
        self.model = model
        self.lam = lam
        self.objective = objective
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1) for every target and keep the columns that are used.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,) or, for "lasso", (n_samples, n_targets)
            Numbers or labels.
        sample_weight : array-like of shape (n_samples,), optional
            Row weights; 2 equals the row twice.

        Returns
        -------
        self
        """
        loss = LOSSES[check_choice("model", self.model, LOSSES)]
        numbers = loss.targets == "real"
        X, y = validate_rows(self, X, y, accept_sparse="csc", multi_output=numbers, y_numeric=numbers)
        weights = check_weights(sample_weight, X)
        form = objective_form(self.objective, self.lam, float(weights.sum()))
        design = Design(X, intercept="free" if self.fit_intercept else "none")
        scaled = form.loss_scale * weights
        solutions = [
            warn_unless_converged(
                fit_linear(design, t, loss, L1(form.strength), scaled, tol=self.tol, max_iter=self.max_iter),
                self.max_iter,
            )
            for t in self._targets(y, X.dtype)
        ]
        self.coef_ = np.array([solution.w for solution in solutions])
        self.intercept_ = np.array([solution.intercept for solution in solutions])
        self.support_ = np.any(self.coef_ != 0, axis=0)
        self.n_iter_ = max(solution.n_iter for solution in solutions)
        self.converged_ = all(solution.converged for solution in solutions)
        self.dual_gap_ = max(solution.dual_gap for solution in solutions)
        return self

    def _targets(self, y: Array, dtype: np.dtype) -> Floats:
        """One vector per model: the targets, or the signs of each class against the rest."""
        if LOSSES[self.model].targets == "real":
            return np.ascontiguousarray(y.reshape(len(y), -1).T, dtype=dtype)
        self.classes_ = label_index(y)[1]
        if len(self.classes_) < 2:
            raise ValueError(f"y has one class only, {self.classes_.tolist()}; model={self.model!r} needs two or more")
        signs = encode_labels(y, "one_hot_sign")[0].T.astype(dtype)
        return signs[1:] if len(signs) == 2 else signs

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags
