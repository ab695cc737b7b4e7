"""Kernel ridge regression.

    minimise over f    Σᵢ sᵢ (yᵢ − f(xᵢ) − h(xᵢ)ᵀc)² + λ ‖f‖²,    f = Σᵢ βᵢ k(xᵢ, ·)                (1)
    dual: (K + λS⁻¹) β = y − Hc,  Hᵀβ = 0        primal, for k = ΦΦᵀ with p columns: (ΦᵀSΦ + λI) w = ΦᵀSy        (2)

Saunders, Gammerman & Vovk (1998), ICML 15, 515–521; the unpenalised part h: Wahba (1990), chapter 1,
doi:10.1137/1.9781611970128.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.base import MultiOutputMixin, RegressorMixin

from gnomon._typing import ArrayLike, Floats, MatrixLike, NonNegative
from gnomon.base import (
    count_rows,
    float_type,
    has_columns,
    is_given_matrix,
    kernel_of,
    kernel_rows,
    warn_of_wild_scales,
)
from gnomon.base.forms import named_form
from gnomon.kernels import Kernel, KernelLike, Linear, warn_unless_psd
from gnomon.numerics.linalg import KernelRidgeSolution, kernel_ridge, ridge
from gnomon.numerics.validation import check_non_negative
from gnomon.numerics.weights import check_weights
from gnomon.penalties import objective_form
from gnomon.penalties.forms import Objective
from gnomon.svm._expansion import Expansion, column_weights
from gnomon.svm.kernel_machine import KernelMachine

__all__ = ["KernelRidge"]

Parametric: TypeAlias = Literal["constant", "linear"] | Callable[[Any], Any] | None


class KernelRidge(MultiOutputMixin, RegressorMixin, KernelMachine):
    """Kernel ridge regression, equation (1).

    Takes scikit-learn's parameters with their meaning; those below `kernel_params` are further ones. By the representer
    theorem f = Σ βᵢ k(xᵢ, ·), so (1) is Σ sᵢ (yᵢ − [Kβ]ᵢ)² + λ βᵀKβ. Its gradient 2K(S(Kβ − y) + λβ) vanishes for
    β = (K + λS⁻¹)⁻¹ y. If k(x, x') = φ(x)ᵀφ(x') with p < n columns, w = Φᵀβ is found from p equations instead of n:
    (ΦᵀSΦ + λI)⁻¹ΦᵀS = Φᵀ(ΦΦᵀ + λS⁻¹)⁻¹, and β = S(y − Φw)/λ. The fit is also the mean of a Gaussian process with
    covariance k and noise variance λ/sᵢ.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1
        λ of (1). With 0 the function of least norm that fits the rows as well as any does.
    kernel : str, Kernel or callable, default="linear"
        A name of scikit-learn, a kernel object, "precomputed", or a function of two rows.
    gamma : float, optional
        Of a kernel that is named; None for 1/d.
    degree, coef0 : float, default=3, 1.0
        Of a kernel that is named.
    kernel_params : dict, optional
        Further arguments of a function.
    objective : {"sum", "mean", "sum_half", "mean_half", "C", "loss_mean"}, optional
        A textbook form of (1): "sum" is (1), "mean" has the mean of the squares, so that nλ takes the place of λ.
    lam : float, optional
        λ in that form (for "C": C), in place of `alpha`; 1 if only `objective` is given.
    parametric : {None, "constant", "linear"} or callable, default=None
        h of (1), with free coefficients: a constant, a constant and the columns of X, or a function of X that gives
        columns. `bumps` and `components` are those of f alone.
    solver : {"auto", "primal", "dual"}, default="auto"
        Which equations of (2) to solve. "primal" needs a kernel with a finite map, a constant h or none, and λ > 0;
        "auto" takes it where it has fewer equations.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        β.
    X_fit_ : ndarray, sparse matrix or list
        The training rows; with ``kernel="precomputed"`` the matrix.
    intercept_ : float or ndarray of shape (n_targets,)
        The coefficient of the constant; 0.0 without one.
    parametric_coef_ : ndarray of shape (q,) or (q, n_targets)
        c of (1), where there is an h.
    linear_coef_ : ndarray of shape (n_features,) or (n_features, n_targets)
        The slope that the fit tends to far from the data, Σⱼ aⱼ Σᵢ βᵢ xᵢⱼ for linear summands Σⱼ aⱼ xⱼ x'ⱼ of the
        kernel, plus that of a linear h; only where there is one of them.
    objective_ : float
        The value of (1), in the form that `objective` names, summed over targets.
    solver_ : str
        "primal" or "dual".
    n_parameters_ : int
        Rows with a dual coefficient.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Saunders, C., Gammerman, A. & Vovk, V. (1998). Ridge regression learning algorithm in dual variables. ICML 15,
    515–521.

    Wahba, G. (1990). Spline Models for Observational Data. doi:10.1137/1.9781611970128

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import RBF, Linear
    >>> from gnomon.svm import KernelRidge
    >>> X, y = np.array([[-1.0], [0.0], [1.0], [2.0]]), np.array([-1.7, -0.2, 2.1, 4.0])
    >>> model = KernelRidge(alpha=0.1, kernel=RBF(bandwidth=1.0) + 0.5 * Linear()).fit(X, y)
    >>> model.linear_coef_.round(7), model.predict([[0.5], [100.0]]).round(7)
    (array([1.3575604]), array([  0.8868861, 135.7560375]))
    >>> K = np.exp(-((X - X.T) ** 2)) + 0.5 * X * X.T
    >>> bool(np.allclose(model.dual_coef_, np.linalg.solve(K + 0.1 * np.eye(4), y)))
    True
    """

    _stored: ClassVar[dict[str, str]] = {"_weights": "(n_columns, n_targets)"}

    dual_coef_: Floats
    X_fit_: Any

    def __init__(
        self,
        alpha: float | ArrayLike = 1,
        *,
        kernel: KernelLike = "linear",
        gamma: NonNegative | None = None,
        degree: NonNegative = 3,
        coef0: float = 1.0,
        kernel_params: Mapping[str, Any] | None = None,
        objective: Objective | None = None,
        lam: NonNegative | None = None,
        parametric: Parametric = None,
        solver: Literal["auto", "primal", "dual"] = "auto",
    ):
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.objective = objective
        self.lam = lam
        self.parametric = parametric
        self.solver = solver

    def fit(self, X: MatrixLike | list[Any], y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a square matrix with
                ``kernel="precomputed"``, or a list of objects for a kernel of pairs
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,) or float, optional

        Returns
        -------
        self
        """
        options: dict[str, Any] = {
            "accept_sparse": ("csr", "csc"),
            "multi_output": True,
            "y_numeric": True,
            "copy": True,
        }
        rows, y = kernel_rows(self, X, y, kernel=self.kernel, **options)
        Y = np.reshape(y, (len(y), -1)).astype(float_type(rows), copy=False)
        s = None if sample_weight is None else check_weights(sample_weight, Y)
        rho, scale = self._strength(Y, s)
        self._kernel, self.X_fit_ = kernel_of(self, rows, pairs=True), rows
        warn_of_wild_scales(self, rows, self._kernel)
        found, self._weights = self._solve(rows, Y, rho, s)
        self.solver_ = "dual" if self._weights is None else "primal"
        self.objective_ = scale * float(np.sum(found.rss + rho * found.squares))
        set_solution(self, found, y.ndim)
        if self._weights is not None and isinstance(self._kernel, Linear):
            # w itself: Σβx has lost its digits where the rows are far from zero.
            w = self._weights[: rows.shape[1]]
            self.linear_coef_ = w if y.ndim == 2 else w[:, 0]
        return self

    def predict(self, X: MatrixLike | list[Any]) -> Floats:
        """f(x) + h(x)ᵀc.

        Parameters
        ----------
        X : as in `fit`; with ``kernel="precomputed"`` of shape (n_samples, n_training_rows)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        rows = self._rows(X)
        if self._weights is None:
            return ridge_scores(self, rows)
        columns: Any = self._kernel.finite_map(rows, len(self._weights))
        scores = columns @ self._weights
        return (scores[:, 0] if self.dual_coef_.ndim == 1 else scores) + self.intercept_

    def _expansion(self) -> Expansion:
        return Expansion(self._kernel, self.X_fit_, self.dual_coef_, self.intercept_)

    def _strength(self, Y: Floats, s: Floats | None) -> tuple[Floats, float]:
        """λ of (1) for every target, and what (1) is multiplied by in the form of the user."""
        total, k = float(len(Y) if s is None else np.sum(s, dtype=float)), Y.shape[1]
        if (named := named_form(self, "alpha", objective="sum", lam=1.0)) is not None:
            form = objective_form(*named, total)
            rho = form.strength * (0.5 if form.half else 1.0) / form.loss_scale
            return np.full(k, rho), form.loss_scale
        alpha = np.ravel(np.asarray(self.alpha, dtype=float))
        if alpha.size not in (1, k):
            raise ValueError(f"alpha has {alpha.size} values for {k} targets; give one number, or one per target")
        for value in alpha:
            check_non_negative("alpha", float(value))
        return np.broadcast_to(alpha, (k,)), 1.0

    def _solve(self, rows: Any, Y: Floats, rho: Floats, s: Floats | None) -> tuple[KernelRidgeSolution, Floats | None]:
        """The solution of (2), and w where the primal equations were solved."""
        against = self._kernel.against(rows)
        if isinstance(self.kernel, Kernel):
            # Names and functions follow scikit-learn, which finds out at the solution.
            warn_unless_psd(against, stacklevel=4)
        columns = self._columns(rows, rho)
        if columns is not None:
            return _primal(columns, Y, rho, s, intercept=self.parametric == "constant")
        H = trend_columns(self.parametric, rows, self._kernel)
        # What the kernel holds, or a function of the user returned, is not ours to destroy.
        return kernel_ridge(against.matrix(), Y, rho, s, H, overwrite=not self._kernel.whole), None

    def _columns(self, rows: Any, rho: Floats) -> Any:
        """Φ where the primal equations are solved, None where the dual ones are."""
        if self.solver == "dual":
            return None
        usable = self.parametric in (None, "constant") and bool(np.all(rho > 0.0)) and has_columns(rows)
        n = count_rows(rows)
        found = self._kernel.finite_map(rows, n - 1 if self.solver == "auto" else 2**31) if usable else None
        if self.solver == "primal" and found is None:
            raise ValueError(
                f"solver='primal' needs a kernel with a finite map, parametric None or 'constant', and alpha > 0; "
                f"found kernel={self._kernel!r}, parametric={self.parametric!r}, alpha={self.alpha!r}; use 'dual'"
            )
        return found


def _primal(
    columns: Any, Y: Floats, rho: Floats, s: Floats | None, *, intercept: bool
) -> tuple[KernelRidgeSolution, Floats]:
    """The equations of p unknowns, as a solution of those of n, and w itself."""
    found = ridge(columns, Y, rho, s, intercept=intercept)
    residuals = Y - columns @ found.coef - found.intercept
    coef = (residuals if s is None else s[:, None] * residuals) / rho
    trend = found.intercept[None, :] if intercept else np.empty((0, Y.shape[1]))
    squares = np.sum(found.coef**2, axis=0)
    weights = found.coef.astype(Y.dtype, copy=False)
    return KernelRidgeSolution(coef.astype(Y.dtype, copy=False), trend, found.rss, squares), weights


def trend_columns(parametric: Parametric, rows: Any, kernel: Kernel) -> Floats | None:
    """H of (1)."""
    if parametric is None:
        return None
    if callable(parametric):
        H = np.asarray(parametric(rows), dtype=float)
        return H[:, None] if H.ndim == 1 else H
    one = np.ones((count_rows(rows), 1))
    if parametric == "constant":
        return one
    if not has_columns(rows) or is_given_matrix(kernel):
        raise ValueError("parametric='linear' needs rows with columns; use 'constant', or a function of the rows")
    dense: Any = rows.toarray() if sparse.issparse(rows) else rows
    return np.hstack([one, dense])


def set_solution(model: Any, found: KernelRidgeSolution, ndim: int) -> None:
    """β and c in the shapes that belong to the targets, and the slope far away."""
    # Contiguous, as a model from a file is: products then round alike.
    parts = (found.coef, found.trend.astype(found.coef.dtype, copy=False))
    beta, c = (np.ascontiguousarray(part if ndim == 2 else part[:, 0]) for part in parts)
    model.dual_coef_ = beta
    named = isinstance(model.parametric, str)
    model.intercept_ = (c[0] if ndim == 2 else float(c[0])) if named else 0.0
    if model.parametric is not None:
        model.parametric_coef_ = c
    if not has_columns(model.X_fit_):
        return
    a = model._kernel.linear_weights(model.X_fit_.shape[1])
    if np.any(a) or model.parametric == "linear":
        slope = column_weights(model.X_fit_, beta) * (a if ndim == 1 else a[:, None]).astype(beta.dtype)
        model.linear_coef_ = slope + c[1:] if model.parametric == "linear" else slope


def ridge_scores(model: Any, rows: Any) -> Floats:
    """f(x) + h(x)ᵀc from the dual coefficients."""
    H = trend_columns(model.parametric, rows, model._kernel)
    scores = Expansion(model._kernel, model.X_fit_, model.dual_coef_).scores(rows)
    return scores if H is None else scores + (H @ model.parametric_coef_).astype(scores.dtype, copy=False)
