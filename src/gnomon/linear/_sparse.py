"""What the lasso and the elastic net share: one fit, in any of the scalings of λ.

A Σᵢ sᵢ (yᵢ − xᵢᵀw − b)² + B (r ‖w‖₁ + (1 − r) ‖w‖²)                                            (1)
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Floats, Matrix, MatrixLike, Numbers, Sparse
from gnomon.base import validate_rows
from gnomon.base.callbacks import CallbackSupportMixin, Tasks, fit_tasks
from gnomon.base.estimator import Estimator
from gnomon.linear._forms import Strength, named_form
from gnomon.linear._report import PerTarget, most_iterations, report_each
from gnomon.linear._scores import as_columns, as_csr, intercept_of, linear_scores, set_coefficients
from gnomon.linear._sparse_path import check_precompute, enet_path
from gnomon.losses import SquaredLoss
from gnomon.numerics.design import Design
from gnomon.numerics.validation import check_interval, check_non_negative
from gnomon.numerics.weights import check_weights
from gnomon.optim import Solution, fit_linear, warn_unless_converged
from gnomon.penalties import ElasticNetPenalty, objective_form
from gnomon.penalties.forms import OBJECTIVES, Scaling

__all__ = ["SparseObjective", "SparseRegressor", "scaled_form"]


class SparseObjective(NamedTuple):
    """Equation (1) as nouns: the loss, the factor of the weights, and the penalty."""

    loss: SquaredLoss
    scale: float
    penalty: ElasticNetPenalty

    @property
    def rho(self) -> float:
        """B/A, the strength that all scalings share; a halved square has half the smoothness of r²."""
        return self.penalty.strength / (0.5 * self.loss.smoothness * self.scale)


def scaled_form(estimator: BaseEstimator, l1_ratio: float, total: float) -> SparseObjective:
    """(1) from the parameters of an estimator: scikit-learn's `alpha`, or `lam` with its `objective`."""
    check_interval("l1_ratio", l1_ratio, 0.0, 1.0)
    named = named_form(estimator, "alpha", objective="sum", lam=1.0)
    if named is None:
        check_non_negative("alpha", estimator.alpha)
        penalty = ElasticNetPenalty(estimator.alpha, l1_ratio, half=True, positive=estimator.positive)
        return SparseObjective(SquaredLoss(half=True), 1.0 / total, penalty)
    form = objective_form(*named, total)
    penalty = ElasticNetPenalty(form.strength, l1_ratio, half=form.half, positive=estimator.positive)
    return SparseObjective(SquaredLoss(), form.loss_scale, penalty)


class SparseRegressor(CallbackSupportMixin, MultiOutputMixin, RegressorMixin, Estimator):
    """Base of the regressors with an L1 part; a subclass says its parameters and its share r."""

    coef_: Floats
    intercept_: Numbers
    objective_: PerTarget
    dual_gap_: Numbers
    n_iter_: PerTarget
    converged_: PerTarget
    stop_reason_: PerTarget
    history_: PerTarget

    path = staticmethod(enet_path)

    def _share(self) -> float:
        raise NotImplementedError

    # As in scikit-learn, `check_input` is no metadata of the rows.
    __metadata_request__fit: ClassVar = {"check_input": UNUSED}

    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, check_input: bool = True
    ) -> Self:
        """Minimise (1): b is eliminated, coordinate descent finds w.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), optional
        check_input : bool, default=True
            For scikit-learn's signature: rows are checked in any case, which costs little beside the descent.

        Returns
        -------
        self
        """
        X, y = validate_rows(self, X, y, accept_sparse=("csc", "csr"), multi_output=True, y_numeric=True)
        if self.solver != "cd" and self.selection != "cyclic":
            raise ValueError(
                f"selection={self.selection!r} is for solver='cd', not {self.solver!r}, which moves all coordinates at "
                "once; leave it out"
            )
        if self.alpha == 0.0:
            warnings.warn("alpha=0 is no lasso and slow to converge; use LinearRegression", stacklevel=2)
        Y, weights = as_columns(y.astype(X.dtype, copy=False)), check_weights(sample_weight, X)
        check_precompute(self.precompute, X, weights, centred=self.fit_intercept)
        self._total = float(weights.sum(dtype=float))
        form = self._form(X, Y, weights)
        design = Design(X, intercept=intercept_of(self))
        most = most_iterations(self, self.solver, Y.shape[1])
        with fit_tasks(self, "iteration", most, X=X, y=y) as told:
            solutions = [self._solve(design, Y[:, k], form, weights, k, told) for k in range(Y.shape[1])]
            W = np.column_stack([s.w for s in solutions])
            set_coefficients(self, W, [s.intercept for s in solutions], y.astype(X.dtype, copy=False))
            # As in scikit-learn, a single column of targets gives a flat `coef_` and an `intercept_` of one entry.
            self.coef_ = self.coef_.ravel() if W.shape[1] == 1 else self.coef_
            self.intercept_ = self.intercept_ if self.fit_intercept else 0.0
            self._strength = Strength(form.rho, form.penalty.l1_ratio, form.penalty.half, self._total)
            report_each(self, solutions)
            self.dual_gap_ = np.asarray(self.dual_gap_, dtype=X.dtype)[()]
            return self

    def predict(self, X: MatrixLike) -> Floats:
        """X w + b.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        return linear_scores(self, X)

    @property
    def sparse_coef_(self) -> Sparse:
        """`coef_` as a CSR matrix."""
        check_is_fitted(self, "coef_")
        return as_csr(self.coef_)

    def lam_in(self, name: Scaling) -> float:
        """The λ of this fit in another scaling: one of the six, or "alpha_lasso".

        Scalings that halve the square of an elastic net and those that do not ("sum", "mean") share no λ for one
        `l1_ratio`: the error says which λ and share are the same fit.
        """
        check_is_fitted(self, "coef_")
        return self._strength.lam_in(name, (*OBJECTIVES, "alpha_lasso"))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _form(self, X: Matrix, Y: Floats, weights: Floats) -> SparseObjective:
        return scaled_form(self, self._share(), self._total)

    def _solve(
        self, design: Design, y: Floats, form: SparseObjective, weights: Floats, k: int, told: Tasks
    ) -> Solution[Floats]:
        s = (form.scale * weights).astype(design.dtype)
        options: dict[str, Any] = {
            "tol": self.tol,
            "max_iter": self.max_iter,
            "callback": told.rows(),
        }
        if self.solver == "cd":
            options |= {"selection": self.selection, "random_state": self.random_state}
        start = self._start(design, k) if self.warm_start else None
        y = np.ascontiguousarray(y)
        found = fit_linear(design, y, form.loss, form.penalty, s, solver=self.solver, start=start, **options)
        return warn_unless_converged(found, self.max_iter, stacklevel=5)

    def _start(self, design: Design, k: int) -> Floats | None:
        """The last solution for target k, where it has as many columns."""
        before = np.atleast_2d(vars(self).get("coef_", np.empty((0, 0))))
        if k >= len(before) or before.shape[1] != design.X.shape[1]:
            return None
        w = before[k]
        if design.intercept == "none":
            return w
        b = np.broadcast_to(self.intercept_, len(before))[k]
        return np.append(w, b).astype(design.dtype)
