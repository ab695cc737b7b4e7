"""Least-squares regression.

    minimise over w, b    Σᵢ sᵢ (yᵢ − xᵢᵀw − b)²                                                   (1)

which is also maximum likelihood under yᵢ ~ N(xᵢᵀw + b, σ²):

    −log L = (n/2) log(2πσ²) + Σ sᵢ rᵢ² / (2σ²)                                                    (2)

Legendre (1805); Gauss (1809). The closed forms are in `gnomon.numerics.linalg`; Björck (1996),
doi:10.1137/1.9781611971484.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, CountOrZero, Floats, Matrix, MatrixLike, NonNegative, Numbers, available_if
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.linear._forms import is_smoother
from gnomon.linear._iterative import iterate
from gnomon.linear._report import PerTarget
from gnomon.linear._scores import SPARSE_FORMATS, as_columns, linear_scores, set_coefficients
from gnomon.linear.cost import cost_report
from gnomon.numerics.linalg import (
    LEAST_SQUARES_METHODS,
    LeastSquares,
    RankWarning,
    Rows,
    check_squares,
    fits_beside,
    hat_matrix,
    in_column_space,
    inverse_root,
    least_squares,
    leverages,
    loo_residuals,
    triangle_of_moments,
)
from gnomon.numerics.streaming import Moments, moments
from gnomon.numerics.validation import assert_finite, check_choice
from gnomon.numerics.weights import check_weights, residual_weight
from gnomon.optim import SOLVERS
from gnomon.penalties import NoPenalty

__all__ = ["LinearRegression"]

OnSingular: TypeAlias = Literal["warn", "raise", "ignore"]

RANK_REVEALING = ("normal", "cholesky", "qr", "svd", "pinv", "moments")
"""The solvers that find the rank of X."""


class LinearRegression(MultiOutputMixin, RegressorMixin, Estimator):
    """Ordinary and weighted least squares, equation (1), with its geometry and its Gaussian likelihood (2).

    Takes scikit-learn's parameters with scikit-learn's meaning; `solver`, `on_singular`, `ddof`, `start` and
    `solver_options` are added.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether b is free; otherwise b = 0.
    copy_X : bool, default=True
        Accepted for compatibility; X is never written to.
    tol : float, default=1e-6
        Tolerance of the iterative solvers.
    n_jobs : int, optional
        Threads for sums over rows; by default as many as BLAS may use.
    positive : bool, default=False
        Require w ≥ 0.
    solver : str, default="auto"
        "normal" (LU of XᵀX), "cholesky", "qr", "svd", "pinv", "lsmr", or an iterative solver of
        `gnomon.optim.fit_linear` ("gd", "sgd", "lbfgs" …). "auto" is "cholesky" where n ≫ d and the condition number of
        the scaled X is below 10⁷ (with iterative refinement from 10³ on), else "qr"; "lsmr" for a sparse X beside which
        XᵀX would not be small.
    on_singular : {"warn", "raise", "ignore"}, default="warn"
        What to do where X has not full column rank; "warn" and "ignore" take the solution of least norm. Solvers that
        do not find the rank ("lsmr" and the iterative ones) cannot warn, and refuse "raise" and "ignore".
    ddof : int or "rank", default=0
        `sigma2_` = Σ s r² / (n − ddof); "rank" subtracts the number of fitted parameters (the unbiased estimate).
    start : array-like, optional
        Where iterative solvers start: w, followed by b if there is one. Zeros by default; closed forms refuse it.
    solver_options : dict, optional
        Further options of an iterative solver: ``{"max_iter": 1000}`` …; closed forms refuse them.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    rank_ : int
        Rank of the (centred) X; absent for solvers that do not find it.
    singular_ : ndarray
        Singular values of the (centred, weighted) X.
    condition_ : float
        Condition number of that X with columns of length one: what limits the accuracy of `coef_`.
    residual_norm_ : float or ndarray
        Distance √(Σ s r²) of y to the fitted values; the least cost (1) is its square.
    objective_ : float
        The value of (1), summed over targets.
    sigma2_ : float or ndarray
        Estimate of σ².
    solver_ : str
        The solver that was used.
    n_iter_, converged_, stop_reason_, history_
        Of iterative solvers; lists over the targets where there are several.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Gauss, C. F. (1809). Theoria motus corporum coelestium.

    Björck, Å. (1996). Numerical Methods for Least Squares Problems. doi:10.1137/1.9781611971484

    Examples
    --------
    >>> from gnomon.linear import LinearRegression
    >>> X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 1.0]
    >>> model = LinearRegression().fit(X, y)
    >>> model.coef_.round(7), round(float(model.intercept_), 7), model.residual_norm_.round(7)
    (array([0.5]), 0.1666667, np.float64(0.4082483))
    >>> model.leverages(X).round(7), model.loo_residuals(X, y).round(7)
    (array([0.8333333, 0.3333333, 0.8333333]), array([-1. ,  0.5, -1. ]))
    """

    coef_: Floats
    intercept_: Numbers
    rank_: int
    condition_: float
    residual_norm_: Numbers
    objective_: float
    sigma2_: Numbers
    solver_: str
    n_iter_: PerTarget
    converged_: PerTarget
    stop_reason_: PerTarget
    history_: PerTarget
    _sums: Moments | None

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        tol: NonNegative = 1e-6,
        n_jobs: int | None = None,
        positive: bool = False,
        solver: str = "auto",
        on_singular: OnSingular = "warn",
        ddof: CountOrZero | Literal["rank"] = 0,
        start: ArrayLike | None = None,
        solver_options: Mapping[str, Any] | None = None,
    ):
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.tol = tol
        self.n_jobs = n_jobs
        self.positive = positive
        self.solver = solver
        self.on_singular = on_singular
        self.ddof = ddof
        self.start = start
        self.solver_options = solver_options

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        X, y, weights = self._validated(X, y, sample_weight, reset=True)
        method = self._method(X)
        self._check_options(method)
        rows = Rows(X, as_columns(y), weights, self.fit_intercept, self.n_jobs)
        sums = rows.moments() if method in ("cholesky", "normal") else None
        # A finite mean proves that X is finite, so the sums are the check.
        if sums is None or not np.all(np.isfinite(sums.mean)):
            assert_finite(X, columns=getattr(self, "feature_names_in_", None))
        self._sums = None
        return self._set(self._solve(rows, method, sums), y, rows.total)

    def partial_fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1) over these rows and those of earlier calls; d² sums are kept.

        After `fit`, which begins anew, its rows count too, by the factor of its solver. The sums square the condition
        number: for columns that are nearly dependent prefer `fit`.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.

        Returns
        -------
        self
        """
        self._check_options("moments")
        known = self._rows_before()
        X, y, weights = self._validated(X, y, sample_weight, reset=known is None)
        assert_finite(X, columns=getattr(self, "feature_names_in_", None))
        check_squares(X, "partial_fit keeps sums of squares, so scale that column, or use `fit`")
        part = moments(X, weights, targets=as_columns(y), n_jobs=self.n_jobs)
        sums: Moments = part if known is None else known + part
        self._sums = sums
        found = triangle_of_moments(sums, X.shape[1], intercept=self.fit_intercept)
        w, rss = found.least_squares()
        b = found.y_mean - found.x_mean @ w
        fit = LeastSquares(w, b, rss, "moments", found.rank, found.condition, found.R, found.x_mean)
        return self._set(fit, y, sums.weight)

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

    def predict_dist(self, X: ArrayLike, *, parameter_uncertainty: bool = False) -> tuple[Floats, Floats]:
        """Mean and variance of y at new rows under the model (2).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        parameter_uncertainty : bool, default=False
            σ² by default; with True σ²(1 + 1/n + zᵀ(ZᵀZ)⁻¹z), which counts the uncertainty of w and b.

        Returns
        -------
        mean, variance : ndarray of the shape of `predict`
        """
        mean = self.predict(X)
        spread = np.ones(len(mean))
        if parameter_uncertainty:
            root, x_mean = self._root()
            Z = validate_rows(self, X, reset=False) - x_mean
            spread = spread + np.sum((Z @ root) ** 2, axis=1) + self.fit_intercept / self._total
        return mean, np.multiply.outer(spread, self.sigma2_)

    def log_likelihood(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """−(n/2) log(2πσ²) − Σ s r²/(2σ²) with σ² = `sigma2_`, summed over targets."""
        X, y, weights = self._validated(X, y, sample_weight, reset=False)
        r = as_columns(y - self.predict(X))
        s = np.ones(len(r)) if weights is None else weights
        sigma2 = np.atleast_1d(self.sigma2_)
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = -0.5 * np.sum(s) * np.log(2.0 * np.pi * sigma2) - (s @ r**2) / (2.0 * sigma2)
        return float(np.sum(terms))

    def hat_matrix(self, X: ArrayLike, sample_weight: ArrayLike | None = None) -> Floats:
        """H with ŷ = H y, for the X of `fit`."""
        X, weights = self._training_rows(X, sample_weight)
        return hat_matrix(X, weights=weights, intercept=self.fit_intercept)

    def leverages(self, X: MatrixLike, sample_weight: ArrayLike | None = None) -> Floats:
        """The diagonal of the hat matrix, for the X of `fit`."""
        X, weights = self._training_rows(X, sample_weight)
        return leverages(X, weights=weights, intercept=self.fit_intercept)

    @available_if(is_smoother)
    def loo_residuals(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Floats:
        """yᵢ − ŷ₋ᵢ = rᵢ/(1 − hᵢ) without refitting, for the X and y of `fit`.

        A row is left out with all its weight; one that alone determines its own fit has +inf, with a warning.
        """
        return loo_residuals(np.asarray(y) - self.predict(X), self.leverages(X, sample_weight))

    def in_column_space(self, X: ArrayLike, y: ArrayLike) -> bool:
        """Whether some w (and b) reproduces `y` from `X` exactly, up to rounding."""
        X, _ = self._training_rows(X, None)
        return in_column_space(X, np.asarray(y), intercept=self.fit_intercept)

    def standard_errors(self) -> tuple[Floats, Numbers]:
        """Standard errors of `coef_` and of `intercept_`, from the unbiased estimate of σ²."""
        root, x_mean = self._root()
        n_parameters = self.rank_ + self.fit_intercept
        if not self._total > n_parameters:
            raise ValueError(f"{self._total:g} rows leave no residual for {n_parameters} parameters; add rows")
        sigma = self.residual_norm_ / np.sqrt(self._total - n_parameters)
        of_intercept = np.sqrt(1.0 / self._total + np.sum((x_mean @ root) ** 2)) if self.fit_intercept else 0.0
        return np.multiply.outer(sigma, np.sqrt(np.sum(root**2, axis=1))), sigma * of_intercept

    @property
    def singular_(self) -> Floats:
        """Singular values of the centred, weighted X, largest first."""
        return np.linalg.svd(self._factor()[0], compute_uv=False).astype(self.coef_.dtype, copy=False)

    def _method(self, X: Matrix) -> str:
        names = ["auto", *LEAST_SQUARES_METHODS, *SOLVERS]
        check_choice("solver", self.solver, names)
        if self.solver != "auto":
            return self.solver
        if sparse.issparse(X):
            return "cholesky" if X.shape[1] <= 4096 and fits_beside(X, X.shape[1]) else "lsmr"
        return cost_report(*X.shape).cheapest()

    def _check_options(self, method: str) -> None:
        """Refuse options that are wrong, or that `method` (a solver, or "moments" for sums of parts) cannot use."""
        if self.positive and method not in LEAST_SQUARES_METHODS:
            raise ValueError(
                f"positive=True needs a closed form, not {_called(method)}; choose solver from "
                f"{list(LEAST_SQUARES_METHODS)}"
            )
        if self.on_singular != "warn" and method not in RANK_REVEALING:
            raise _no_rank(self.on_singular, method)
        given = [name for name in ("start", "solver_options") if getattr(self, name) is not None]
        if given and method not in SOLVERS:
            raise ValueError(
                f"{given[0]}={getattr(self, given[0])!r} is an option of iterative solvers, and {_called(method)} is "
                f"none; leave it out, or choose solver from {list(SOLVERS)}"
            )
        if method == "moments":
            check_choice("solver of partial_fit", self.solver, ["auto", "normal", "cholesky"])

    def _solve(self, rows: Rows, method: Any, sums: Moments | None) -> LeastSquares:
        if method in LEAST_SQUARES_METHODS:
            options = {"method": method, "positive": self.positive, "tol": self.tol, "sums": sums}
            return least_squares(*rows[:3], intercept=self.fit_intercept, n_jobs=self.n_jobs, **options)
        options = {"tol": self.tol, **(self.solver_options or {})}
        w, b, rss = iterate(self, rows, [NoPenalty()] * rows.shape[2], method, start=self.start, **options)
        return LeastSquares(w, b, rss, method)

    def _set(self, fit: LeastSquares, y: Floats, total: float) -> Self:
        """Unpack a result of least squares into the attributes."""
        for name in ("rank_", "condition_", "_R", "_x_mean"):
            # Left from an earlier fit, whose solver computed it while this one may not.
            self.__dict__.pop(name, None)
        if fit.rank is None and self.on_singular != "warn":
            raise _no_rank(self.on_singular, fit.method)
        if fit.rank is not None:
            self._check_rank(fit)
            self.rank_, self.condition_, self._R, self._x_mean = fit.rank, fit.condition, fit.R, fit.x_mean
        set_coefficients(self, fit.coef, fit.intercept, y)
        if not self.fit_intercept:
            self.intercept_ = 0.0
        self.solver_, self._total = fit.method, total
        subtract = (fit.rank or fit.coef.shape[0]) + self.fit_intercept if self.ddof == "rank" else self.ddof
        rss = fit.rss[0] if y.ndim == 1 else fit.rss
        self.objective_, self.residual_norm_ = float(np.sum(rss)), np.sqrt(rss)
        left = residual_weight(total, subtract)
        self.sigma2_ = rss / left if left > 0.0 else np.full_like(rss, np.nan)[()]
        return self

    def _rows_before(self) -> Moments | None:
        """Sums of the rows so far: of parts, or of a fit, where XᵀX = RᵀR, XᵀY = RᵀR w and YᵀY = wᵀRᵀR w + rss."""
        sums: Moments | None = vars(self).get("_sums")
        if sums is not None or "coef_" not in vars(self):
            return sums
        R, x_mean = self._factor()
        w, rss = as_columns(self.coef_.T), np.square(np.atleast_1d(self.residual_norm_))
        fitted = R @ np.hstack([np.eye(len(w)), w])
        scatter = fitted.T @ fitted
        scatter[len(w) :, len(w) :] += np.diag(rss)
        return Moments(self._total, np.concatenate([x_mean, x_mean @ w + self.intercept_]), scatter)

    def _check_rank(self, fit: LeastSquares) -> None:
        d = fit.coef.shape[0]
        if fit.rank == d or self.on_singular == "ignore":
            return
        centred = " after centring" if self.fit_intercept else ""
        message = f"X has rank {fit.rank} but {d} columns{centred}, so the coefficients are not unique"
        advice = "; drop constant or repeated columns, or add a penalty with gnomon.linear.Ridge"
        if self.on_singular == "raise":
            raise ValueError(message + advice)
        taken = "one of the solutions was" if self.positive else "those of least norm were"
        warnings.warn(f"{message}: {taken} taken{advice}", RankWarning, stacklevel=4)

    def _factor(self) -> tuple[Floats, Floats]:
        """R of the centred, weighted X, and x̄."""
        check_is_fitted(self, "coef_")
        R, x_mean = vars(self).get("_R"), vars(self).get("_x_mean")
        if R is None or x_mean is None:
            raise ValueError(
                f"solver={self.solver_!r} keeps no factor of X to answer from; fit with solver='qr', "
                "and a sparse X as X.toarray()"
            )
        return R, x_mean

    def _root(self) -> tuple[Floats, Floats]:
        R, x_mean = self._factor()
        return inverse_root(R, self.rank_), x_mean

    def _training_rows(self, X: MatrixLike, sample_weight: ArrayLike | None) -> tuple[Any, Floats | None]:
        check_is_fitted(self, "coef_")
        X = validate_rows(self, X, reset=False, accept_sparse="csr")
        return X, None if sample_weight is None else check_weights(sample_weight, X)

    def _validated(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None, *, reset: bool
    ) -> tuple[Any, Floats, Floats | None]:
        X, y = validate_rows(
            self, X, y, reset=reset, finite=False, accept_sparse=SPARSE_FORMATS, multi_output=True, y_numeric=True
        )
        X = X.tocsr() if sparse.issparse(X) else X
        return X, y.astype(X.dtype, copy=False), None if sample_weight is None else check_weights(sample_weight, X)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _called(method: str) -> str:
    return "partial_fit" if method == "moments" else f"solver={method!r}"


def _no_rank(on_singular: OnSingular, method: str) -> ValueError:
    return ValueError(
        f"on_singular={on_singular!r} needs a solver that finds the rank of X, and {method!r} does not; choose solver "
        "from 'qr', 'svd', 'cholesky', 'normal' and 'pinv' (a sparse X as X.toarray()), or leave on_singular='warn'"
    )
