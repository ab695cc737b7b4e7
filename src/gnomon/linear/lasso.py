"""Lasso regression.

    minimise over w, b    ½ Σᵢ sᵢ (xᵢᵀw + b − yᵢ)² / Σᵢ sᵢ  +  α ‖w‖₁                                  (1)

or, with a bound in place of α:    minimise the squares  subject to  ‖w‖₁ ≤ θ                          (2)

Tibshirani (1996), doi:10.1111/j.2517-6161.1996.tb02080.x. α is scikit-learn's; the textbook form Σ(…)² + λ‖w‖₁ and its
kin are reached by `objective` and `lam`. The path of (1) is piecewise linear, so (2) and the map between λ and θ are
exact: `gnomon.optim.lasso_knots`.
"""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Count, Floats, Matrix, NonNegative, RandomState, is_sparse
from gnomon.linear._forms import check_constraint, lam_of, named_form
from gnomon.linear._knots import weighted_knots
from gnomon.linear._sparse import SparseObjective, SparseRegressor, scaled_form
from gnomon.numerics.validation import check_non_negative
from gnomon.optim import CoordinateOrder, LassoKnots
from gnomon.penalties import convert_lam
from gnomon.penalties.forms import Objective, Scaling

__all__ = ["Lasso"]


class Lasso(SparseRegressor):
    """Lasso regression, equation (1) or (2), with a duality gap.

    Takes scikit-learn's parameters with scikit-learn's meaning; those from `objective` on are added.

    Parameters
    ----------
    alpha : float, default=1.0
        α of equation (1).
    fit_intercept : bool, default=True
        Whether there is a b, never penalised unless `penalize_intercept`.
    precompute : bool or array-like of shape (n_features, n_features), default=False
        The Gram matrix XᵀX, which is compared with X, or whether to make one: a wish, since that of a working set is
        made where it is faster. As in scikit-learn, a given one is not used where X must be centred, with a warning,
        nor for a sparse X.
    copy_X : bool, default=True
        Ignored: X is never written to.
    max_iter : int, default=1000
        Passes over a working set.
    tol : float, default=1e-4
        Stop when the duality gap is at most `tol` times the objective of the best constant.
    warm_start : bool, default=False
        Start from the coefficients of the last fit.
    positive : bool, default=False
        Require w ≥ 0.
    random_state : None or int
        Seeds the order of coordinates for ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        The order of coordinates.
    objective : {"sum", "mean", "sum_half", "mean_half", "C", "loss_mean"}, optional
        The textbook form in which `lam` is given.
    lam : float, optional
        λ (for "C": C) of that form, in place of `alpha`; 1 when only `objective` is given.
    solver : str, default="cd"
        "cd", or another solver of `gnomon.optim.fit_linear` that can use the penalty: "fista", "ista", and for contrast
        "subgradient", whose zeros are only approximate.
    penalize_intercept : bool, default=False
        Treat b as the weight of a constant column, penalised like the others.
    constraint : float, optional
        θ of equation (2), in place of `alpha`; dense X, one target.
    store_path : bool, default=False
        Keep the exact path of the fit, for `theta_for` and `lam_for`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    sparse_coef_ : CSR matrix
    multiplier_ : float
        The λ that belongs to `constraint`, in the form `objective` (α if there is none). If the bound is idle, 0; ∞ in
        the forms with λ on the loss.
    knots_ : LassoKnots or None
        The exact path, if `store_path` or `constraint`.
    dual_gap_, objective_ : float, or list over targets
        In the units of what was minimised; scikit-learn's scale unless `objective` says otherwise.
    n_iter_, converged_, stop_reason_, history_
        How the fit went; lists over targets if there are several.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Tibshirani, R. (1996). Regression shrinkage and selection via the lasso. doi:10.1111/j.2517-6161.1996.tb02080.x

    Examples
    --------
    >>> from gnomon.linear import Lasso
    >>> X, y = [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, -1.0]], [2.0, 2.0, 0.0, 3.0]
    >>> model = Lasso(objective="sum", lam=1.0, fit_intercept=False, tol=1e-15, store_path=True).fit(X, y)
    >>> model.coef_.round(6), round(model.objective_, 6)
    (array([ 2.166667, -0.166667]), 2.833333)
    >>> round(model.lam_for(2.0), 6), round(model.theta_for(4.0), 6)
    (2.0, 1.666667)
    >>> Lasso(objective="sum", constraint=2.0, fit_intercept=False, tol=1e-15).fit(X, y).coef_.round(6)
    array([2., 0.])
    """

    multiplier_: float
    knots_: LassoKnots | None

    def __init__(
        self,
        alpha: NonNegative = 1.0,
        *,
        fit_intercept: bool = True,
        precompute: bool | ArrayLike = False,
        copy_X: bool = True,
        max_iter: Count = 1000,
        tol: NonNegative = 1e-4,
        warm_start: bool = False,
        positive: bool = False,
        random_state: RandomState = None,
        selection: CoordinateOrder = "cyclic",
        objective: Objective | None = None,
        lam: NonNegative | None = None,
        solver: str = "cd",
        penalize_intercept: bool = False,
        constraint: NonNegative | None = None,
        store_path: bool = False,
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.objective = objective
        self.lam = lam
        self.solver = solver
        self.penalize_intercept = penalize_intercept
        self.constraint = constraint
        self.store_path = store_path

    def theta_for(self, lam: float) -> float:
        """‖ŵ‖₁ of the minimiser for another λ, in the form of this model."""
        path = self._known_path()
        rho = convert_lam(check_non_negative("lam", lam), self._given(), "sum", n=self._total, penalty="l1")
        return float(np.abs(path.at(0.5 * rho)).sum())

    def lam_for(self, theta: float) -> float:
        """The λ, in the form of this model, whose minimiser has ‖ŵ‖₁ = θ; without a penalty where θ is no bound."""
        return self._lam(self._known_path().tau_for(check_non_negative("theta", theta)))

    def _share(self) -> float:
        return 1.0

    def _given(self) -> Scaling:
        return (named_form(self, "alpha", objective="sum", lam=1.0) or ("alpha_lasso",))[0]

    def _lam(self, tau: float) -> float:
        """λ in the form of this model for the threshold τ = ρ/2."""
        return lam_of(2.0 * tau, self._given(), self._total, "l1")

    def _known_path(self) -> LassoKnots:
        check_is_fitted(self, "coef_")
        if self.knots_ is None:
            raise ValueError("the path was not kept; set store_path=True and fit again")
        return self.knots_

    def _form(self, X: Matrix, Y: Floats, weights: Floats) -> SparseObjective:
        wanted = self.store_path or self.constraint is not None
        knots = self._knots(X, Y, weights) if wanted else None
        self.knots_ = knots
        if knots is None or self.constraint is None:
            return scaled_form(self, 1.0, self._total)
        check_constraint(self)
        form = scaled_form(self, 1.0, self._total)
        tau = knots.tau_for(check_non_negative("constraint", self.constraint))
        self.multiplier_ = self._lam(tau)
        if tau == 0.0:
            return form._replace(penalty=form.penalty.scaled(0.0))
        if self._given() in ("C", "loss_mean"):
            return form._replace(scale=form.scale * self.multiplier_)
        return form._replace(penalty=form.penalty.scaled(self.multiplier_))

    def _knots(self, X: Matrix, Y: Floats, weights: Floats) -> LassoKnots:
        if is_sparse(X) or Y.shape[1] != 1 or self.positive or self.penalize_intercept:
            raise ValueError(
                "constraint and store_path need dense X, one target, positive=False and penalize_intercept=False; "
                "use alpha or lam instead"
            )
        return weighted_knots(X, Y[:, 0], weights, intercept=self.fit_intercept)[0]
