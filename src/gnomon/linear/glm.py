"""Generalised linear models.

    minimise over w, b    (1/n) Σᵢ sᵢ ½ d(yᵢ, μᵢ) + α (r ‖w‖₁ + ½(1 − r) ‖w‖²),    g(μ) = Xw + b + offset      (1)

with n = Σ sᵢ, d the unit deviance of the family and g the link. Fitted by iteratively re-weighted least squares: Nelder
& Wedderburn (1972), doi:10.2307/2344614. At α = 0 the estimates are maximum likelihood and asymptotically normal with
covariance φ (XᵀWX)⁻¹: McCullagh & Nelder (1989), section 4.4, doi:10.1007/978-1-4899-3242-6.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Self, TypeAlias

import numpy as np
from scipy import linalg, stats
from scipy.sparse.linalg import lsmr
from sklearn.base import RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_array, check_is_fitted

from gnomon._typing import ArrayLike, CountOrZero, Floats, Matrix, MatrixLike, NonNegative, Share
from gnomon.base import validate_rows
from gnomon.base.callbacks import CallbackSupportMixin, fit_tasks
from gnomon.base.estimator import Estimator
from gnomon.linear._nouns import check_targets, named
from gnomon.linear._report import most_iterations
from gnomon.linear._separation import warn_if_separated
from gnomon.losses import (
    BinomialFamily,
    CLogLogLink,
    DevianceLoss,
    Family,
    GammaFamily,
    GaussianFamily,
    IdentityLink,
    InverseGaussianFamily,
    InverseLink,
    Link,
    LogitLink,
    LogLink,
    Loss,
    PoissonFamily,
    ProbitLink,
    TweedieFamily,
)
from gnomon.numerics.design import Design
from gnomon.numerics.linalg import fits_beside
from gnomon.numerics.weights import check_weights, residual_weight
from gnomon.optim import Problem, Solution, fit_linear, positive_factor, warn_unless_converged
from gnomon.optim.solution import History, StopReason
from gnomon.optim.units import inverse_hessian, value_at
from gnomon.penalties import L1, L2, ElasticNetPenalty, NoPenalty, Penalty

__all__ = ["GLM", "GLMSummary"]

FamilyWord: TypeAlias = Literal["gaussian", "binomial", "poisson", "gamma", "inverse_gaussian", "tweedie"]
LinkWord: TypeAlias = Literal["identity", "logit", "probit", "cloglog", "log", "inverse"]

FAMILIES: dict[FamilyWord, Family] = {
    "gaussian": GaussianFamily(),
    "binomial": BinomialFamily(),
    "poisson": PoissonFamily(),
    "gamma": GammaFamily(),
    "inverse_gaussian": InverseGaussianFamily(),
    "tweedie": TweedieFamily(1.5),
}
LINKS: dict[LinkWord, Link] = {
    "identity": IdentityLink(),
    "logit": LogitLink(),
    "probit": ProbitLink(),
    "cloglog": CLogLogLink(),
    "log": LogLink(),
    "inverse": InverseLink(),
}

LARGEST_COVARIANCE = 4096
"""Columns up to which the covariance of an unpenalised fit is formed, whatever X weighs."""


class GLMSummary(NamedTuple):
    """A row per coefficient, the intercept (if any) first.

    Fields
    ------
    names : list of str
    coef : ndarray
    se : ndarray
        Standard errors.
    z : ndarray
        coef/se: normal where the dispersion is known, else Student's t with `df` degrees of freedom, and printed as t.
    p : ndarray
        Two-sided p-values.
    df : float
        Residual degrees of freedom; inf where the dispersion is known.

    References
    ----------
    McCullagh, P. & Nelder, J. (1989). Generalized Linear Models, section 4.4. doi:10.1007/978-1-4899-3242-6

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.linear import GLM
    >>> X, y = np.arange(4.0)[:, None], np.array([1.0, 1.0, 3.0, 6.0])
    >>> GLM("poisson").fit(X, y).summary().se.round(4)
    array([0.7996, 0.3258])
    """

    names: list[str]
    coef: Floats
    se: Floats
    z: Floats
    p: Floats
    df: float

    def __str__(self) -> str:
        width = max(len(name) for name in self.names)
        law = "t" if np.isfinite(self.df) else "z"
        head = f"{'':{width}}  {'coef':>10}  {'se':>10}  {law:>8}  {'p':>8}"
        rows = zip(self.names, self.coef, self.se, self.z, self.p, strict=True)
        return "\n".join([head, *(f"{n:{width}}  {c:10.4f}  {s:10.4f}  {z:8.3f}  {p:8.4f}" for n, c, s, z, p in rows)])


class GLM(CallbackSupportMixin, RegressorMixin, Estimator):
    """Generalised linear model E[y | x] = g⁻¹(xᵀw + b + offset): the mean deviance of a family plus a penalty.

    Parameters
    ----------
    family : {"gaussian", "binomial", "poisson", "gamma", "inverse_gaussian", "tweedie"} or Family, default="gaussian"
        "tweedie" has power 1.5; ``gnomon.losses.TweedieFamily(p)`` any other.
    link : {"identity", "logit", "probit", "cloglog", "log", "inverse"} or Link, optional
        The usual one of the family by default: identity, logit, log, inverse, log, log.
    alpha : float, default=0.0
        Strength of the penalty in (1).
    l1_ratio : float in [0, 1], default=0.0
        Share r of the L1 norm.
    fit_intercept : bool, default=True
    solver : str, default="auto"
        "auto" is "irls", or "cd" with an L1 norm, or "lbfgs" where a d × d matrix would take several times the memory
        of X, as for a sparse X of many columns (without a penalty, whose covariance is such a matrix, only from 4096
        columns on or for n < d); any solver of `gnomon.optim.fit_linear` that suits.
    tol : float, default=1e-8
        Stop when no entry of the gradient of (1) exceeds it ("cd": see there).
    max_iter : int, default=100

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    deviance_, null_deviance_ : float
        Σ sᵢ d(yᵢ, μᵢ) of the model, and of the best constant mean (with the offset, if any).
    dispersion_ : float
        φ: one for binomial and Poisson, else Pearson's Σ sᵢ (yᵢ − μᵢ)²/V(μᵢ) over the residual degrees of freedom.
    df_resid_ : float
        n less the number of parameters.
    covariance_ : ndarray or None
        Covariance of (b, w); None with a penalty, and where "auto" avoids the d × d matrix.
    objective_ : float
    n_iter_ : int
    converged_ : bool
    stop_reason_ : str
    history_ : dict of ndarray
    gradient_norm_ : float
    n_parameters_ : int
    n_features_in_ : int

    References
    ----------
    Nelder, J. & Wedderburn, R. (1972). Generalized linear models. doi:10.2307/2344614

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.linear import GLM
    >>> X, y = np.arange(4.0)[:, None], np.array([1.0, 1.0, 3.0, 6.0])
    >>> model = GLM("poisson").fit(X, y)
    >>> round(model.intercept_, 7), model.coef_.round(7), round(model.deviance_, 7)
    (-0.3261639, array([0.7002005]), 0.2583671)
    >>> model.predict([[2.0]]).round(3)
    array([2.928])
    """

    coef_: Floats
    intercept_: float
    deviance_: float
    null_deviance_: float
    dispersion_: float
    df_resid_: float
    covariance_: Floats | None
    n_parameters_: int
    objective_: float
    n_iter_: int
    converged_: bool
    stop_reason_: StopReason
    history_: History
    gradient_norm_: float

    def __init__(
        self,
        family: FamilyWord | Family = "gaussian",
        link: LinkWord | Link | None = None,
        *,
        alpha: NonNegative = 0.0,
        l1_ratio: Share = 0.0,
        fit_intercept: bool = True,
        solver: str = "auto",
        tol: NonNegative = 1e-8,
        max_iter: CountOrZero = 100,
    ):
        self.family = family
        self.link = link
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        targets = named("family", self.family, FAMILIES).targets
        tags.target_tags.positive_only = targets in ("positive", "count")
        return tags

    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Self:
        """Minimise (1); `offset` is a known part of the linear predictor, one number per row."""
        X, y = validate_rows(self, X, y, accept_sparse="csr", y_numeric=True)
        loss = self._loss()
        check_targets(loss.family, loss.targets, y)
        weights, y = check_weights(sample_weight, X), y.astype(X.dtype)
        total = float(np.sum(weights, dtype=float))
        design = Design(X, intercept="free" if self.fit_intercept else "none")
        known = _offset(offset, X)
        start = _start(loss, design, y, weights, known)
        solver = self._solver(X)
        with fit_tasks(self, "iteration", most_iterations(self, solver, 1), X=X, y=y) as told:
            solution = fit_linear(
                design, y, loss, self._penalty(), weights / np.asarray(total, dtype=X.dtype), start=start, offset=known,
                solver=solver, tol=self.tol, max_iter=self.max_iter, callback=told.rows(),
            )  # fmt: skip
            warn_unless_converged(solution, self.max_iter)
            self.coef_, self.intercept_ = solution.w, float(solution.intercept)
            self._report(solution)
            self._diagnose(Problem(design, y, loss, NoPenalty(), weights, 1, known))
            if loss.targets == "unit" and self.alpha == 0.0 and np.all((y == 0.0) | (y == 1.0)):
                z = _as_log_odds(loss.g, X @ self.coef_ + self.intercept_)
                self.converged_ &= not warn_if_separated(z, X, y.astype(int), weights, fit_intercept=self.fit_intercept)
        return self

    def predict(self, X: MatrixLike, offset: ArrayLike | None = None) -> Floats:
        """The mean μ for every row."""
        check_is_fitted(self)
        X = validate_rows(self, X, reset=False, accept_sparse="csr")
        return self._loss().inverse(X @ self.coef_ + self.intercept_ + _offset(offset, X))

    def summary(self) -> GLMSummary:
        """Coefficients with standard errors, z and p values; needs α = 0."""
        check_is_fitted(self)
        if self.alpha > 0.0:
            raise ValueError(
                f"alpha={self.alpha!r}: penalised estimates are biased and have no such errors; set alpha=0"
            )
        if self.covariance_ is None:
            d = self.n_features_in_
            raise ValueError(f"X has {d} columns, whose {d} × {d} covariance would outweigh it; give fewer columns")
        names = [f"x{j}" for j in range(self.n_features_in_)]
        names = list(vars(self).get("feature_names_in_", names))
        coef = np.append(self.intercept_, self.coef_) if self.fit_intercept else self.coef_
        se = np.sqrt(np.diagonal(self.covariance_))
        z = coef / se
        df = self.df_resid_ if self._loss().family.dispersed else np.inf
        p = 2.0 * stats.t.sf(np.abs(z), df) if np.isfinite(df) else 2.0 * stats.norm.sf(np.abs(z))
        return GLMSummary((["intercept"] if self.fit_intercept else []) + names, coef, se, z, p, df)

    def _loss(self) -> DevianceLoss:
        family = named("family", self.family, FAMILIES)
        return DevianceLoss(family, family.default_link if self.link is None else named("link", self.link, LINKS))

    def _penalty(self) -> Penalty:
        alpha, r = self.alpha, self.l1_ratio
        if alpha == 0.0:
            return NoPenalty()
        return {0.0: L2(alpha, half=True), 1.0: L1(alpha)}.get(float(r), ElasticNetPenalty(alpha, r, half=True))

    def _solver(self, X: Matrix) -> str:
        if self.solver != "auto":
            return self.solver
        if self.alpha > 0.0 and self.l1_ratio > 0.0:
            return "cd"
        return "irls" if self._forms_matrix(X) else "lbfgs"

    def _forms_matrix(self, X: Matrix) -> bool:
        """Whether a d × d matrix is small beside X, or is what an unpenalised fit is asked for."""
        n, d = X.shape
        return fits_beside(X, d) or (self.alpha == 0.0 and d <= min(n, LARGEST_COVARIANCE))

    def _report(self, solution: Solution[Floats]) -> None:
        for name in ("objective", "n_iter", "converged", "stop_reason", "history", "gradient_norm"):
            setattr(self, f"{name}_", getattr(solution, name))
        self.n_parameters_ = len(self.coef_) + bool(self.fit_intercept)

    def _diagnose(self, problem: Problem) -> None:
        """Deviances, dispersion and covariance at the solution; `problem` is (1) without penalty, times n."""
        theta = np.append(self.coef_, self.intercept_) if self.fit_intercept else self.coef_
        self.deviance_ = 2.0 * value_at(problem, theta)
        self.null_deviance_ = 2.0 * _null_loss(problem)
        self.df_resid_ = float(residual_weight(np.sum(problem.weights, dtype=float), self.n_parameters_))
        family = self._loss().family
        self.dispersion_ = _dispersion(problem, family, theta, self.df_resid_) if family.dispersed else 1.0
        self.covariance_ = None
        if self.alpha == 0.0 and self._forms_matrix(problem.design.X):
            cov = self.dispersion_ * inverse_hessian(problem, theta, _inverse_information)
            order = np.roll(np.arange(len(theta)), 1) if self.fit_intercept else np.arange(len(theta))
            self.covariance_ = cov[np.ix_(order, order)]


def _dispersion(problem: Problem, family: Family, theta: Floats, df: float) -> float:
    """Pearson's Σ s (y − μ)²/V(μ) over the residual degrees of freedom; nan where there are none."""
    mean = problem.loss.inverse(problem.scores(theta))
    squares = (problem.y - mean) ** 2 / family.variance(mean)
    return float(problem.weights @ squares) / df if df > 0 else np.nan


def _inverse_information(H: Floats) -> Floats:
    return linalg.cho_solve(positive_factor(H), np.eye(len(H), dtype=H.dtype))


def _null_loss(problem: Problem) -> float:
    """Σ s ½d of the best constant score beside the offset, found in b alone."""
    design = Design(np.empty((problem.design.n, 0), dtype=problem.design.dtype))
    b = _start(problem.loss, design, problem.y, problem.weights, problem.offset)
    solution = fit_linear(
        design, problem.y, problem.loss, NoPenalty(), problem.weights / np.sum(problem.weights), start=b,
        offset=problem.offset, solver="irls", tol=1e-10,
    )  # fmt: skip
    return solution.objective * float(np.sum(problem.weights, dtype=float))


def _start(loss: Loss, design: Design, y: Floats, weights: Floats, offset: float | Floats) -> Floats:
    """b = g(ȳ) and w = 0; without an intercept the w that comes nearest to it on the scale of the link."""
    mean = np.average(y, weights=weights)
    if loss.targets == "unit":
        mean = (mean * len(y) + 0.5) / (len(y) + 1.0)
    theta = np.zeros(design.width, dtype=design.dtype)
    level = float(loss.link(mean if mean != 0.0 else 0.1))
    if design.intercept == "free":
        theta[-1] = level - np.average(np.broadcast_to(offset, len(y)), weights=weights)
        return theta
    return lsmr(design.X, level - offset + np.zeros(len(y)))[0].astype(design.dtype)


def _as_log_odds(link: Link, z: Floats) -> Floats:
    """The scores with their own signs but the size of the log-odds, which says under any link how sure they are."""
    return np.sign(z) * np.nan_to_num(np.abs(link.log_mean(z) - link.log_rest(z)))


def _offset(offset: ArrayLike | None, X: Matrix) -> float | Floats:
    if offset is None:
        return 0.0
    offset = check_array(offset, ensure_2d=False, dtype=X.dtype, input_name="offset")
    if offset.shape != (X.shape[0],):
        raise ValueError(f"offset has shape {offset.shape}, but X has {X.shape[0]} rows; give one number per row")
    return offset
