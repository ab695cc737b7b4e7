"""Kernel ridge regression with λ chosen by leave-one-out.

    LOO(λ) = Σᵢ sᵢ (yᵢ − ŷ₋ᵢ(λ))² / Σᵢ sᵢ,    yᵢ − ŷ₋ᵢ = βᵢ / [(K + λS⁻¹)⁻¹]ᵢᵢ                          (1)

Exact, and without refits: one eigendecomposition of K serves all rows and all λ. Wahba (1990), section 4.2,
doi:10.1137/1.9781611970128; Rasmussen & Williams (2006), section 5.4.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from gnomon._typing import ArrayLike, Floats, Integers, MatrixLike, NonNegative, Numbers
from gnomon.base import float_type, kernel_of, kernel_rows, warn_of_wild_scales
from gnomon.kernels import Kernel, KernelLike, warn_unless_psd
from gnomon.numerics.linalg import KernelRidgePath, KernelRidgeSolution, kernel_ridge_path
from gnomon.numerics.validation import check_positive
from gnomon.numerics.weights import check_weights
from gnomon.svm._expansion import Expansion
from gnomon.svm.kernel_machine import KernelMachine
from gnomon.svm.kernel_ridge import Parametric, ridge_scores, set_solution, trend_columns

__all__ = ["KernelRidgeCV"]


class KernelRidgeCV(MultiOutputMixin, RegressorMixin, KernelMachine):
    """Kernel ridge regression with `alpha` chosen by leave-one-out, equation (1).

    Left out, row i is predicted by the fit to the others. With ŷ₋ᵢ in place of yᵢ the fit to all rows is that one, so
    ŷ₋ᵢ = Σⱼ Hᵢⱼ yⱼ + Hᵢᵢ (ŷ₋ᵢ − yᵢ) with the matrix H = K(K + λS⁻¹)⁻¹ that maps y to its fit, and
    yᵢ − ŷ₋ᵢ = (yᵢ − ŷᵢ)/(1 − Hᵢᵢ), which is (1) since y − ŷ = λS⁻¹β and I − H = λS⁻¹(K + λS⁻¹)⁻¹. With K = UΛUᵀ every
    further λ costs n² operations.

    Parameters
    ----------
    alphas : array-like, default=(0.1, 1.0, 10.0)
        The λ > 0 to choose from, in the scaling of `KernelRidge`.
    kernel, gamma, degree, coef0, kernel_params, parametric
        As in `KernelRidge`.
    alpha_per_target : bool, default=False
        Choose for each target separately.

    Attributes
    ----------
    alpha_ : float or ndarray of shape (n_targets,)
    best_score_ : float or ndarray of shape (n_targets,)
        −LOO at `alpha_`.
    scores_ : ndarray of shape (n_alphas,) or (n_alphas, n_targets)
        −LOO at every λ.
    loo_residuals_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        yᵢ − ŷ₋ᵢ at `alpha_`.
    effective_dof_ : float or ndarray of shape (n_targets,)
        tr H at `alpha_`, with one for each free coefficient of `parametric`.
    effective_dof_path_ : ndarray of shape (n_alphas,)
    dual_coef_path_ : ndarray of shape (n_alphas, n_samples) or (n_alphas, n_samples, n_targets)
    dual_coef_, X_fit_, intercept_, parametric_coef_, linear_coef_, n_parameters_
        As in `KernelRidge`.
    objective_ : float
        Σ s r² + λ‖f‖², summed over targets.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Wahba, G. (1990). Spline Models for Observational Data, section 4.2. doi:10.1137/1.9781611970128

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.svm import KernelRidge, KernelRidgeCV
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 1.0])
    >>> model = KernelRidgeCV([0.1, 1.0], kernel="rbf", gamma=0.5).fit(X, y)
    >>> model.alpha_, model.loo_residuals_.round(7), round(model.effective_dof_, 7)
    (0.1, array([-0.4347217,  0.5090154,  0.3052079]), 2.52155)
    >>> others = KernelRidge(0.1, kernel="rbf", gamma=0.5).fit(X[1:], y[1:])
    >>> (y[0] - others.predict(X[:1])).round(7)
    array([-0.4347217])
    """

    alpha_: Numbers
    best_score_: Numbers
    scores_: Floats
    loo_residuals_: Floats
    effective_dof_: Numbers
    effective_dof_path_: Floats
    dual_coef_path_: Floats
    dual_coef_: Floats
    X_fit_: Any

    def __init__(
        self,
        alphas: ArrayLike = (0.1, 1.0, 10.0),
        *,
        kernel: KernelLike = "linear",
        gamma: NonNegative | None = None,
        degree: NonNegative = 3,
        coef0: float = 1.0,
        kernel_params: Mapping[str, Any] | None = None,
        parametric: Parametric = None,
        alpha_per_target: bool = False,
    ):
        self.alphas = alphas
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.parametric = parametric
        self.alpha_per_target = alpha_per_target

    def fit(self, X: MatrixLike | list[Any], y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose λ by (1), and fit with it.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a square matrix with
                ``kernel="precomputed"``, or a list of objects for a kernel of pairs
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), optional
            A row is left out with all its weight.

        Returns
        -------
        self
        """
        options: dict[str, Any] = {"accept_sparse": "csr", "multi_output": True, "y_numeric": True, "copy": True}
        rows, y = kernel_rows(self, X, y, kernel=self.kernel, ensure_min_samples=2, **options)
        Y = np.reshape(y, (len(y), -1)).astype(float_type(rows), copy=False)
        s, alphas = check_weights(sample_weight, Y), self._alphas()
        self._kernel, self.X_fit_ = kernel_of(self, rows, pairs=True), rows
        warn_of_wild_scales(self, rows, self._kernel)
        against, H = self._kernel.against(rows), trend_columns(self.parametric, rows, self._kernel)
        if isinstance(self.kernel, Kernel):
            warn_unless_psd(against)
        # A row of weight zero takes no part: it is left out already.
        used = np.flatnonzero(s > 0.0)
        K = against.matrix() if len(used) == len(s) else against.take(used).matrix()
        path = kernel_ridge_path(K, Y[used], s[used], None if H is None else H[used])
        self._choose(path, alphas, s[used])
        self._set(path, alphas, used, y)
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
        return ridge_scores(self, self._rows(X))

    def _expansion(self) -> Expansion:
        return Expansion(self._kernel, self.X_fit_, self.dual_coef_, self.intercept_)

    def _alphas(self) -> Floats:
        alphas = np.atleast_1d(np.asarray(self.alphas, dtype=float))
        if alphas.ndim != 1 or alphas.size == 0:
            raise ValueError(f"alphas={self.alphas!r} must be a list of numbers > 0; give at least one")
        return np.array([check_positive("alphas", float(alpha)) for alpha in alphas])

    def _choose(self, path: KernelRidgePath, alphas: Floats, s: Floats) -> None:
        """The λ of least LOO for all targets, or for each."""
        unit = float(np.max(np.abs(path.P), initial=0.0)) or 1.0
        squares = np.array([np.average((path.loo_residuals(a) / unit) ** 2, axis=0, weights=s) for a in alphas])
        squares = squares if self.alpha_per_target else np.mean(squares, axis=1, keepdims=True)
        self._places: Integers = np.argmin(squares, axis=0)
        with np.errstate(over="ignore"):
            scores = -unit * (unit * squares)
        self.scores_ = scores if scores.shape[1] > 1 else scores[:, 0]
        best = scores[self._places, np.arange(scores.shape[1])]
        self.best_score_ = best if len(best) > 1 else float(best[0])

    def _set(self, path: KernelRidgePath, alphas: Floats, used: Integers, y: Floats) -> None:
        """β, c and what leave-one-out says at the λ of every target."""
        k, n = path.P.shape[1], len(y)
        places, targets = np.broadcast_to(self._places, (k,)), np.arange(k)
        fits = [path.at(a) for a in alphas]
        coefs = np.zeros((len(alphas), n, k), dtype=path.U.dtype)
        coefs[:, used] = [fit.coef for fit in fits]
        trends = np.array([fit.trend for fit in fits])
        rss, squares = np.array([fit.rss for fit in fits]), np.array([fit.squares for fit in fits])
        best = KernelRidgeSolution(
            coefs[places, :, targets].T, trends[places, :, targets].T, rss[places, targets], squares[places, targets]
        )
        with np.errstate(over="ignore"):
            self.objective_ = float(np.sum(best.rss + alphas[places] * best.squares))
        set_solution(self, best, y.ndim)
        self.dual_coef_path_ = coefs if y.ndim == 2 else coefs[:, :, 0]
        self.effective_dof_path_ = np.array([path.dof(a) for a in alphas])
        several = len(self._places) > 1
        self.alpha_ = alphas[places] if several else float(alphas[places[0]])
        self.effective_dof_ = (
            self.effective_dof_path_[places] if several else float(self.effective_dof_path_[places[0]])
        )
        residuals = y - ridge_scores(self, self.X_fit_) if len(used) < n else np.empty(y.shape, dtype=path.U.dtype)
        found = {p: path.loo_residuals(alphas[p]) for p in set(places.tolist())}
        left = np.column_stack([found[p][:, j] for j, p in enumerate(places)])
        residuals[used] = left.reshape((len(used), *y.shape[1:]))
        self.loo_residuals_ = residuals
