"""Lasso with α chosen by cross-validation.

    minimise over w, b    ½ Σᵢ sᵢ (xᵢᵀw + b − yᵢ)² / Σᵢ sᵢ  +  α ‖w‖₁,    α = argmin of the error left out       (1)

Tibshirani (1996), doi:10.1111/j.2517-6161.1996.tb02080.x; paths: Friedman, Hastie & Tibshirani (2010),
doi:10.18637/jss.v033.i01.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from gnomon._typing import ArrayLike, Count, Folds, NonNegative, Positive, RandomState, Verbosity
from gnomon.linear._errors import Rule
from gnomon.linear._sparse_cv import SparseRegressorCV
from gnomon.linear._sparse_path import lasso_path
from gnomon.optim import CoordinateOrder

__all__ = ["LassoCV"]


class LassoCV(SparseRegressorCV):
    """Lasso, equation (1), with α from a warm-started path in every fold.

    Takes scikit-learn's parameters with scikit-learn's meaning; `rule` is added.

    Parameters
    ----------
    eps : float, default=1e-3
        The least α of the grid as a share of the largest.
    alphas : int or array-like, default=100
        The number of values in a geometric grid, or the values.
    fit_intercept : bool, default=True
        Whether there is a free b.
    precompute : "auto", bool or array-like of shape (n_features, n_features), default="auto"
        As in `Lasso`.
    copy_X : bool, default=True
        Ignored: X is never written to.
    max_iter, tol
        As in `Lasso`.
    cv : int, splitter or iterable, optional
        None is 5 folds.
    verbose : int or bool, default=False
        1: about ten lines of progress on stderr; more: a line for each path.
    n_jobs : int, optional
        Threads over the folds, as in joblib.
    positive, random_state, selection
        As in `Lasso`.
    rule : {"min", "1se"}, default="min"
        "1se" takes the largest α whose mean error is within one standard error of the least.

    Attributes
    ----------
    alpha_ : float
        The chosen α.
    l1_ratio_ : float
        1, the lasso's share of ‖w‖₁ in an elastic net.
    alphas_ : ndarray of shape (n_alphas,)
        The values tried, falling.
    mse_path_ : ndarray of shape (n_alphas, n_folds)
        Mean squared error on the rows that each fold leaves out.
    coef_, intercept_, dual_gap_, objective_, n_iter_, converged_, stop_reason_, history_
        As in `Lasso`, of the fit to all rows.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Friedman, J., Hastie, T. & Tibshirani, R. (2010). Regularization paths for generalized linear models via coordinate
    descent. doi:10.18637/jss.v033.i01

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.linear import LassoCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((80, 30))
    >>> y = 2 * X[:, 0] - X[:, 1] + rng.standard_normal(80)
    >>> best, sparing = LassoCV().fit(X, y), LassoCV(rule="1se").fit(X, y)
    >>> bool(sparing.alpha_ > best.alpha_), np.flatnonzero(sparing.coef_)
    (True, array([0, 1]))
    """

    path = staticmethod(lasso_path)

    def __init__(
        self,
        *,
        eps: Positive = 1e-3,
        alphas: int | ArrayLike = 100,
        fit_intercept: bool = True,
        precompute: Literal["auto"] | bool | ArrayLike = "auto",
        max_iter: Count = 1000,
        tol: NonNegative = 1e-4,
        copy_X: bool = True,
        cv: Folds = None,
        verbose: Verbosity = False,
        n_jobs: int | None = None,
        positive: bool = False,
        random_state: RandomState = None,
        selection: CoordinateOrder = "cyclic",
        rule: Rule = "min",
    ):
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.copy_X = copy_X
        self.cv = cv
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.rule = rule

    def _shares(self) -> Sequence[float]:
        return [1.0]
