"""Elastic net with α and r chosen by cross-validation.

    minimise over w, b    ½ Σᵢ sᵢ (xᵢᵀw + b − yᵢ)² / Σᵢ sᵢ  +  α r ‖w‖₁  +  ½ α (1 − r) ‖w‖²                   (1)

Zou & Hastie (2005), doi:10.1111/j.1467-9868.2005.00503.x; paths: Friedman, Hastie & Tibshirani (2010),
doi:10.18637/jss.v033.i01.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from gnomon._typing import ArrayLike, Count, Floats, Folds, NonNegative, Positive, RandomState, Verbosity
from gnomon.linear._errors import Rule
from gnomon.linear._sparse_cv import SparseRegressorCV
from gnomon.optim import CoordinateOrder

__all__ = ["ElasticNetCV"]


class ElasticNetCV(SparseRegressorCV):
    """Elastic net, equation (1), with α and r from warm-started paths in every fold.

    Takes scikit-learn's parameters with scikit-learn's meaning; `rule` is added.

    Parameters
    ----------
    l1_ratio : float or list of float, default=0.5
        r, or the candidates for it.
    eps, alphas, fit_intercept, precompute, copy_X, max_iter, tol, cv, verbose, n_jobs
        As in `LassoCV`, with its defaults.
    positive, random_state, selection, rule
        As in `LassoCV`, with its defaults.

    Attributes
    ----------
    alpha_ : float
        The chosen α.
    l1_ratio_ : float
        The chosen r.
    alphas_ : ndarray of shape (n_alphas,) or (n_l1_ratio, n_alphas)
        The values tried, falling; a grid for each of several `l1_ratio`, unless `alphas` gave them.
    mse_path_ : ndarray of shape (n_alphas, n_folds) or (n_l1_ratio, n_alphas, n_folds)
        Mean squared error on the rows that each fold leaves out.
    coef_, intercept_, dual_gap_, objective_, n_iter_, converged_, stop_reason_, history_
        As in `ElasticNet`, of the fit to all rows.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Friedman, J., Hastie, T. & Tibshirani, R. (2010). Regularization paths for generalized linear models via coordinate
    descent. doi:10.18637/jss.v033.i01

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.linear import ElasticNetCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((80, 30))
    >>> y = 2 * X[:, 0] - X[:, 1] + rng.standard_normal(80)
    >>> ElasticNetCV(l1_ratio=[0.1, 0.5, 0.9]).fit(X, y).l1_ratio_
    0.9
    """

    def __init__(
        self,
        *,
        l1_ratio: float | ArrayLike = 0.5,
        eps: Positive = 1e-3,
        alphas: int | ArrayLike = 100,
        fit_intercept: bool = True,
        precompute: Literal["auto"] | bool | ArrayLike = "auto",
        max_iter: Count = 1000,
        tol: NonNegative = 1e-4,
        cv: Folds = None,
        copy_X: bool = True,
        verbose: Verbosity = 0,
        n_jobs: int | None = None,
        positive: bool = False,
        random_state: RandomState = None,
        selection: CoordinateOrder = "cyclic",
        rule: Rule = "min",
    ):
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.copy_X = copy_X
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.rule = rule

    def _shares(self) -> Floats:
        return np.atleast_1d(self.l1_ratio)
