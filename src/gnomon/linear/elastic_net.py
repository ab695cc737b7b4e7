"""Elastic net regression.

    minimise over w, b    ½ Σᵢ sᵢ (xᵢᵀw + b − yᵢ)² / Σᵢ sᵢ  +  α r ‖w‖₁  +  ½ α (1 − r) ‖w‖²            (1)

Zou & Hastie (2005), doi:10.1111/j.1467-9868.2005.00503.x. r = 1 is the lasso, r = 0 ridge. α is scikit-learn's; the
textbook forms Σ(…)² + λ(r‖w‖₁ + (1 − r)‖w‖²) and their kin are reached by `objective` and `lam`.
"""

from __future__ import annotations

from gnomon._typing import ArrayLike, Count, NonNegative, RandomState, Share
from gnomon.linear._sparse import SparseRegressor
from gnomon.optim import CoordinateOrder
from gnomon.penalties.forms import Objective

__all__ = ["ElasticNet"]


class ElasticNet(SparseRegressor):
    """Elastic net regression, equation (1), with a duality gap.

    Takes scikit-learn's parameters with scikit-learn's meaning; those from `objective` on are added.

    Parameters
    ----------
    alpha : float, default=1.0
        α of equation (1).
    l1_ratio : float, default=0.5
        r of equation (1), between 0 and 1.
    fit_intercept, precompute, copy_X, max_iter, tol, warm_start, positive, random_state, selection
        As in `Lasso`, with its defaults.
    objective, lam, solver, penalize_intercept
        As in `Lasso`; λ is the strength of both parts together.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    sparse_coef_ : CSR matrix
    dual_gap_, objective_ : float, or list over targets
        In the units of what was minimised.
    n_iter_, converged_, stop_reason_, history_
        How the fit went; lists over targets if there are several.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Zou, H. & Hastie, T. (2005). Regularization and variable selection via the elastic net.
    doi:10.1111/j.1467-9868.2005.00503.x

    Examples
    --------
    >>> from gnomon.linear import ElasticNet
    >>> X, y = [[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [0.0, 1.0, 1.0]
    >>> model = ElasticNet(objective="sum", lam=1.0, fit_intercept=False, tol=1e-15).fit(X, y)
    >>> model.coef_.round(7)
    array([0.1341463, 0.4268293])
    >>> bool(model.dual_gap_ < 1e-9)
    True
    """

    def __init__(
        self,
        alpha: NonNegative = 1.0,
        *,
        l1_ratio: Share = 0.5,
        fit_intercept: bool = True,
        precompute: bool | ArrayLike = False,
        max_iter: Count = 1000,
        copy_X: bool = True,
        tol: NonNegative = 1e-4,
        warm_start: bool = False,
        positive: bool = False,
        random_state: RandomState = None,
        selection: CoordinateOrder = "cyclic",
        objective: Objective | None = None,
        lam: NonNegative | None = None,
        solver: str = "cd",
        penalize_intercept: bool = False,
    ):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.copy_X = copy_X
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.objective = objective
        self.lam = lam
        self.solver = solver
        self.penalize_intercept = penalize_intercept

    def _share(self) -> float:
        return self.l1_ratio
