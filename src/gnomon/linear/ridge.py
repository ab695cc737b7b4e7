"""Ridge regression.

    minimise over w, b    Σᵢ sᵢ (yᵢ − xᵢᵀw − b)² + ρ ‖w‖²        w = (ZᵀZ + ρI)⁻¹Zᵀy = Zᵀ(ZZᵀ + ρI)⁻¹y         (1)

or, with a bound in place of ρ:    minimise Σ sᵢ rᵢ²  subject to  ‖w‖² ≤ θ                                        (2)

Hoerl & Kennard (1970), doi:10.1080/00401706.1970.10488634. ρ is scikit-learn's `alpha`; the six textbook forms of λ are
reached by `objective` and `lam`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import (
    ArrayLike,
    Count,
    Floats,
    Integers,
    Matrix,
    MatrixLike,
    NonNegative,
    Numbers,
    Seed,
    available_if,
    is_sparse,
)
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.linear._forms import check_constraint, is_smoother, lam_of, named_form
from gnomon.linear._iterative import iterate
from gnomon.linear._scores import SPARSE_FORMATS, as_columns, linear_scores
from gnomon.numerics.linalg import (
    Norms,
    RidgeSolution,
    Rows,
    gcv_score,
    hat_matrix,
    leverages,
    loo_residuals,
    ridge,
    ridge_norms,
    ridge_path,
)
from gnomon.numerics.streaming import Moments
from gnomon.numerics.validation import assert_finite, check_choice, check_non_negative
from gnomon.numerics.weights import check_weights
from gnomon.penalties import L2, Form, convert_lam, objective_form
from gnomon.penalties.forms import OBJECTIVES, Objective, Scaling

__all__ = ["Ridge"]

_CLOSED = {
    "auto": "auto",
    "cholesky": "cholesky",
    "dual": "dual",
    "svd": "svd",
    "lsqr": "lsqr",
    "sparse_cg": "lsqr",
}
_ALIASES = {"saga": "sag"}
_DENSE_CENTRED = ("cholesky", "svd", "saga")
_STOCHASTIC = ("sgd", "asgd", "sag", "saga", "pegasos")


class Ridge(MultiOutputMixin, RegressorMixin, Estimator):
    """Ridge regression, equation (1), penalised or constrained, with its degrees of freedom and leave-one-out errors.

    Takes scikit-learn's parameters with scikit-learn's meaning; those from `objective` on are added.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1.0
        ρ of equation (1), one for all targets or one each.
    fit_intercept : bool, default=True
        Whether b is free; otherwise b = 0.
    copy_X : bool, default=True
        Ignored: X is never written to.
    max_iter : int, optional
        Of iterative solvers, "lsqr" and "sparse_cg"; as in scikit-learn, closed forms ignore it.
    tol : float, default=1e-4
        Likewise.
    solver : str, default="auto"
        "cholesky" (primal), "dual", "svd", "lsqr" and "sparse_cg" (both Krylov solvers on the rows), or an iterative
        solver of `gnomon.optim.fit_linear` ("gd", "sgd", "sag", "saga", "lbfgs" …). "auto": primal for n ≥ d, dual for
        d > n, "svd" where neither can be trusted, "lsqr" for sparse X with many columns. As in scikit-learn, "svd"
        takes no sparse X, and "cholesky" and "saga" no sparse X with an intercept; with it "sag" is "sparse_cg", unless
        tol > 1e-4 and `max_iter` is None, which is slow and warned of.
    positive : bool, default=False
        Require w ≥ 0, by non-negative least squares; for solver "auto" or "lbfgs".
    random_state : None, int or RandomState
        Of stochastic solvers; as in scikit-learn, the others ignore it.
    objective : {"sum", "mean", "sum_half", "mean_half", "C", "loss_mean"}, optional
        The textbook form in which `lam` is given; "sum" is (1).
    lam : float, optional
        λ (for "C": C) of that form; in place of `alpha`. Default 1 when only `objective` is given.
    constraint : float, optional
        θ of equation (2), in place of `alpha`; targets are bounded one by one.
    penalize_intercept : bool, default=False
        Treat b as the weight of a constant column, penalised like the others.
    store_loo : bool, default=False
        Compute `loo_residuals_` in `fit`; the method `loo_residuals` gives them at any time.
    start : array-like, optional
        Where iterative solvers start: w, followed by b if there is one.
    solver_options : dict, optional
        Further options of an iterative solver.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    rho_ : float or ndarray of shape (n_targets,)
        ρ of equation (1), whatever it was called.
    multiplier_ : float or ndarray
        λ that belongs to `constraint`, in the form `objective`. Where the bound is idle, 0; ∞ in the forms with λ on
        the loss.
    effective_dof_ : float or ndarray
        tr H = Σ σⱼ²/(σⱼ² + ρ), and one more for a free b; absent for solvers that do not find it.
    loo_residuals_ : ndarray of the shape of y
        yᵢ − ŷ₋ᵢ, if `store_loo`.
    objective_ : float
        The value of what was minimised, in the form that was chosen, summed over targets.
    solver_ : str
        The solver that was used.
    n_iter_ : ndarray of shape (n_targets,) or None
        Iterations for each target; None for closed forms.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Hoerl, A. E. & Kennard, R. W. (1970). Ridge regression: biased estimation for nonorthogonal problems.
    doi:10.1080/00401706.1970.10488634

    Examples
    --------
    >>> from gnomon.linear import Ridge
    >>> X, y = [[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [0.0, 1.0, 1.0]
    >>> model = Ridge(alpha=1.0, fit_intercept=False, store_loo=True).fit(X, y)
    >>> model.coef_.round(7), round(model.effective_dof_, 7), model.loo_residuals_.round(7)
    (array([0.2, 0.4]), 1.3333333, array([-0.3333333,  0.5454545,  0.       ]))
    >>> bound = Ridge(constraint=0.2, fit_intercept=False).fit(X, y)
    >>> bound.coef_.round(7), round(bound.multiplier_, 7)
    (array([0.2, 0.4]), 1.0)
    """

    coef_: Floats
    intercept_: Numbers
    rho_: Numbers
    multiplier_: Numbers
    effective_dof_: Numbers
    loo_residuals_: Floats
    objective_: float
    solver_: str
    n_iter_: Integers | None

    def __init__(
        self,
        alpha: float | ArrayLike = 1.0,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: Count | None = None,
        tol: NonNegative = 1e-4,
        solver: str = "auto",
        positive: bool = False,
        random_state: Seed = None,
        objective: Objective | None = None,
        lam: NonNegative | None = None,
        constraint: NonNegative | None = None,
        penalize_intercept: bool = False,
        store_loo: bool = False,
        start: ArrayLike | None = None,
        solver_options: Mapping[str, Any] | None = None,
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.positive = positive
        self.random_state = random_state
        self.objective = objective
        self.lam = lam
        self.constraint = constraint
        self.penalize_intercept = penalize_intercept
        self.store_loo = store_loo
        self.start = start
        self.solver_options = solver_options

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1), or (2) if a constraint is given.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        X, y = validate_rows(self, X, y, finite=False, accept_sparse=SPARSE_FORMATS, multi_output=True, y_numeric=True)
        if self.store_loo and (self.positive or self.constraint is not None):
            raise ValueError(
                "store_loo=True needs ŷ = H y, which positive and constraint exclude; leave one of them out"
            )
        method = self._method(X)
        rows = self._rows(X, sample_weight, y=y.astype(X.dtype, copy=False))
        sums = self._checked_sums(rows)
        rho = self._rho(rows, sums)
        closed = "auto" if self.positive or np.all(np.isinf(rho)) else _CLOSED.get(method)
        found = self._solve(rows, rho, closed, sums) if closed else self._iterate(rows, rho, method)
        return self._set(found, rho, rows, y)

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

    def lam_in(self, name: Scaling) -> Numbers:
        """The λ of this fit in another form: one of the six, "alpha_ridge" or "C"."""
        check_is_fitted(self, "rho_")
        check_choice("name", name, (*OBJECTIVES, "alpha_ridge"))
        return _each(self.rho_, lambda rho: lam_of(rho, name, self._total))

    def theta_for(self, lam: float) -> Numbers:
        """‖ŵ‖² of the minimiser for another λ, in the form of this model."""
        rho = convert_lam(check_non_negative("lam", lam), self.objective or "sum", "sum", n=self._total)
        return self._shaped(self._norms().at(rho))

    def lam_for(self, theta: float) -> Numbers:
        """The λ, in the form of this model, whose minimiser has ‖ŵ‖² = θ; without a penalty where θ is no bound."""
        rho = self._norms().bound(check_non_negative("theta", theta))
        return _each(self._shaped(rho), lambda r: lam_of(r, self.objective or "sum", self._total))

    def leverages(self, X: ArrayLike, sample_weight: ArrayLike | None = None) -> Floats:
        """The diagonal of the hat matrix, for the X of `fit` and one ρ for all targets."""
        rows, rho = self._training(X, sample_weight)
        return leverages(rows.X, rho=rho, weights=rows.weights, intercept=rows.intercept)

    def hat_matrix(self, X: ArrayLike, sample_weight: ArrayLike | None = None) -> Floats:
        """H with ŷ = H y, for the X of `fit` and one ρ for all targets."""
        rows, rho = self._training(X, sample_weight)
        return hat_matrix(rows.X, rho=rho, weights=rows.weights, intercept=rows.intercept)

    @available_if(is_smoother)
    def loo_residuals(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Floats:
        """yᵢ − ŷ₋ᵢ = rᵢ/(1 − hᵢ) without refitting, for the X and y of `fit`.

        Where λ is a penalty on the mean loss, the fit without row i has the smaller ρ of the rows that are left. A row
        is left out with all its weight; one that alone determines its own fit has the residual +inf, with a warning.
        """
        check_is_fitted(self, "rho_")
        X = validate_rows(self, X, reset=False, accept_sparse=SPARSE_FORMATS)
        y = np.asarray(y, dtype=float)
        return self._loo(self._rows(X, sample_weight, y=y)).reshape(y.shape)

    def gcv(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Generalised cross-validation (1/n) Σ r²/(1 − tr H/n)², for the X and y of `fit`; mean over targets."""
        rows, _ = self._training(X, sample_weight)
        if "effective_dof_" not in vars(self):
            raise ValueError(f"solver={self.solver_!r} does not find effective_dof_; fit with solver='auto' or 'svd'")
        s = np.ones(rows.shape[0]) if rows.weights is None else rows.weights
        rss = s @ as_columns(np.asarray(y) - self.predict(X)) ** 2
        return float(np.mean(gcv_score(rss, self.effective_dof_, rows.total)))

    def dual_coefficients(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Floats:
        """α = s r/ρ, with w = Σ αᵢ (xᵢ − x̄), for the X and y of `fit` and ρ > 0."""
        rows, rho = self._training(X, sample_weight)
        if rho == 0.0:
            raise ValueError("ρ = 0 has no dual coefficients, which are residuals divided by it; fit with alpha > 0")
        r = np.asarray(y) - self.predict(X)
        s = 1.0 if rows.weights is None else rows.weights if r.ndim == 1 else rows.weights[:, None]
        return s * r / rho

    def _loo(self, rows: Rows) -> Floats:
        """yᵢ − ŷ₋ᵢ of every row and target, with the ρ that the fit without row i has."""
        s = np.ones(rows.shape[0]) if rows.weights is None else rows.weights
        rho = np.broadcast_to(np.atleast_1d(self.rho_), rows.Y.shape)
        if (named := named_form(self, "alpha", objective="sum", lam=1.0)) is not None:
            objective, lam = named
            each = {one: convert_lam(lam, objective, "sum", n=rows.total - one) for one in np.unique(s[s < rows.total])}
            rho = np.broadcast_to(np.array([each.get(one, 0.0) for one in s])[:, None], rows.Y.shape)
        if np.all(rho > 0.0):
            return ridge_path(rows, float(np.min(rho))).loo_residuals_by_row(rho)
        found = ridge(rows.X, rows.Y, rho[0], rows.weights, intercept=rows.intercept)
        fitted, out = rows.X @ found.coef + found.intercept, np.empty(rows.Y.shape)
        for k, strength in enumerate(rho[0]):
            h = leverages(rows.X, rho=float(strength), weights=rows.weights, intercept=rows.intercept)
            out[:, k] = loo_residuals(rows.Y[:, k] - fitted[:, k], h)
        return out

    def _rows(self, X: Any, sample_weight: ArrayLike | None, y: Floats | None = None) -> Rows:
        weights = None if sample_weight is None else check_weights(sample_weight, X)
        X = X.tocsr() if sparse.issparse(X) else X
        if self.fit_intercept and self.penalize_intercept:
            ones = np.ones((X.shape[0], 1), dtype=X.dtype)
            X = sparse.hstack([X, ones], format="csr") if sparse.issparse(X) else np.hstack([X, ones])
        Y = np.empty((X.shape[0], 0)) if y is None else as_columns(y)
        return Rows(X, Y, weights, self.fit_intercept and not self.penalize_intercept)

    def _method(self, X: Matrix) -> str:
        """The solver, unless it cannot do what is asked: non-negative weights, a sparse X, or its centring."""
        if self.positive and self.solver not in ("auto", "lbfgs"):
            raise ValueError(f"positive=True is for solver='auto' or 'lbfgs', not {self.solver!r}; choose one of these")
        if not is_sparse(X):
            return self.solver
        if self.fit_intercept and self.solver in _DENSE_CENTRED:
            raise ValueError(
                f"solver={self.solver!r} cannot fit the intercept of a sparse X; choose 'auto', 'lsqr', 'sparse_cg' or "
                "'sag', or set fit_intercept=False"
            )
        if self.solver == "svd":
            raise TypeError("solver='svd' needs a dense X; choose another solver, or give X.toarray()")
        if self.solver != "sag" or not self.fit_intercept:
            return self.solver
        slow = self.max_iter is None and self.tol > 1e-4
        if slow:
            warnings.warn(
                f"solver='sag' needs many passes to fit the intercept of a sparse X; choose 'auto' or 'sparse_cg', or "
                f"a tol below {self.tol:g} and a max_iter",
                stacklevel=3,
            )
        return "sag" if slow else "sparse_cg"

    def _checked_sums(self, rows: Rows) -> Moments | None:
        """The moments, where the primal form will need them; finite means prove that X is finite."""
        primal = rows.shape[0] >= rows.shape[1] and not sparse.issparse(rows.X) and not self.positive
        sums = rows.moments() if primal and self.solver in ("auto", "cholesky") else None
        if sums is None or not np.all(np.isfinite(sums.mean)):
            assert_finite(rows.X, columns=getattr(self, "feature_names_in_", None))
        return sums

    def _rho(self, rows: Rows, sums: Moments | None) -> Floats:
        """ρ of (1) for every target, from whichever of the parameters was given."""
        k = rows.shape[2]
        if self.constraint is not None:
            check_constraint(self)
            return ridge_norms(rows, sums).bound(float(check_non_negative("constraint", self.constraint)))
        if (named := named_form(self, "alpha", objective="sum", lam=1.0)) is not None:
            objective, lam = named
            return np.full(k, convert_lam(lam, objective, "sum", n=rows.total))
        alpha = np.ravel(np.asarray(self.alpha, dtype=float))
        if alpha.size not in (1, k):
            raise ValueError(f"alpha has {alpha.size} values for {k} targets; give one number, or one per target")
        for value in alpha:
            check_non_negative("alpha", float(value))
        return np.array(np.broadcast_to(alpha, (k,)))

    def _solve(self, rows: Rows, rho: Floats, method: str, sums: Moments | None) -> RidgeSolution:
        if np.all(np.isinf(rho)):
            return _constant(rows)
        options: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter} if method in ("auto", "lsqr") else {}
        options |= {"intercept": rows.intercept, "method": method, "positive": self.positive, "sums": sums}
        return ridge(rows.X, rows.Y, rho, rows.weights, **options)

    def _iterate(self, rows: Rows, rho: Floats, method: str) -> RidgeSolution:
        forms = [self._form(r, rows.total) for r in rho]
        options: dict[str, Any] = {"tol": self.tol, **({} if self.max_iter is None else {"max_iter": self.max_iter})}
        options |= {"random_state": self.random_state} if method in _STOCHASTIC else {}
        options |= self.solver_options or {}
        # Only `alpha` can differ between targets, and its form leaves the loss as it is.
        options |= {"start": self.start, "loss_scale": forms[0].loss_scale}
        penalties = [L2(form.strength, half=form.half) for form in forms]
        w, b, rss = iterate(self, rows, penalties, _ALIASES.get(method, method), **options)
        passes: Any = self.n_iter_
        return RidgeSolution(w, b, rss, None, method, n_iter=passes)

    def _form(self, rho: float, total: float) -> Form:
        """A and B of the form in which the objective is written."""
        objective = self.objective or "sum"
        return objective_form(objective, lam_of(rho, objective, total), total)

    def _set(self, found: RidgeSolution, rho: Floats, rows: Rows, y: Floats) -> Self:
        w, b = found.coef, found.intercept
        if self.fit_intercept and self.penalize_intercept:
            w, b = w[:-1], w[-1]
        dtype = rows.X.dtype
        # As in scikit-learn, a single column of targets gives a flat `coef_` and an `intercept_` of one entry.
        self.coef_ = np.ascontiguousarray((w[:, 0] if w.shape[1] == 1 else w.T), dtype=dtype)
        self.intercept_ = (dtype.type(b[0]) if y.ndim == 1 else b.astype(dtype)) if self.fit_intercept else 0.0
        self._single = w.shape[1] == 1
        self._total, self._system = rows.total, (found.method, found.system)
        self.rho_, self.solver_ = self._shaped(rho), found.method
        passes = found.n_iter
        self.n_iter_ = None if passes is None else np.array(np.broadcast_to(passes, w.shape[1]), dtype=np.int32)
        if self.constraint is not None:
            self.multiplier_ = _each(self.rho_, lambda r: lam_of(r, self.objective or "sum", self._total))
        # Left from an earlier fit, whose solver computed it while this one may not.
        self.__dict__.pop("effective_dof_", None)
        if found.dof is not None:
            self.effective_dof_ = self._shaped(found.dof)
        self.objective_ = self._value(found, rho)
        if self.store_loo:
            self.loo_residuals_ = self._loo(rows).reshape(y.shape)
        return self

    def _value(self, found: RidgeSolution, rho: Floats) -> float:
        if np.any(np.isinf(rho)):
            return float(np.sum(found.rss))
        penalty = 0.0 if self.constraint is not None else rho
        scale = 1.0 if self.objective is None else self._form(rho[0], self._total).loss_scale
        # The root first: coefficients of tiny columns have squares that overflow, which ρ = 0 does not count.
        return float(scale * np.sum(found.rss + np.sum((np.sqrt(penalty) * found.coef) ** 2, axis=0)))

    def _norms(self) -> Norms:
        check_is_fitted(self, "rho_")
        method, system = self._system
        if not system:
            raise ValueError(f"solver={method!r} keeps no sums to answer from; fit with solver='auto' or 'svd'")
        empty = np.empty(0)
        return RidgeSolution(empty, empty, empty, None, method, system).norms()

    def _shaped(self, values: Floats) -> Numbers:
        return float(values[0]) if self._single else np.asarray(values)

    def _one_rho(self) -> float:
        rho = np.atleast_1d(self.rho_)
        if np.any(rho != rho[0]):
            raise ValueError(f"the targets have different alpha {rho.tolist()} and leverages; fit them one by one")
        return float(rho[0])

    def _training(self, X: ArrayLike, sample_weight: ArrayLike | None) -> tuple[Rows, float]:
        check_is_fitted(self, "rho_")
        return self._rows(validate_rows(self, X, reset=False), sample_weight), self._one_rho()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.solver != "svd" and not (self.fit_intercept and self.solver in _DENSE_CENTRED)
        return tags


def _constant(rows: Rows) -> RidgeSolution:
    """θ = 0: w = 0 and b = ȳ."""
    n, d, k = rows.shape
    _, y_mean = rows.means()
    s = np.ones(n) if rows.weights is None else rows.weights
    rss = s @ (rows.Y - y_mean) ** 2
    return RidgeSolution(np.zeros((d, k)), y_mean, rss, np.full(k, float(rows.intercept)), "bound")


def _each(values: Numbers, function: Callable[[float], float]) -> Numbers:
    return function(values) if np.ndim(values) == 0 else np.array([function(value) for value in values])
