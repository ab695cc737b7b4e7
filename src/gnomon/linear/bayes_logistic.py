"""Bayesian logistic regression.

    P(yᵢ | w, b) = σ(yᵢ (xᵢᵀw + b)),    w ~ N(0, β²I);    p(w, b | y) ≈ N(θ̂, H⁻¹)                    (1)
    P(y = +1 | x) = E[σ(f)],    f ~ N(θ̂ᵀx, xᵀH⁻¹x)                                                 (2)

θ̂ is the minimiser of the L2-penalised logistic loss with ρ = 1/(2β²), found by Newton's method; H is the Hessian there.
The mode alone is not the prediction: (2) moves probabilities towards one half where the data say little. Spiegelhalter
& Lauritzen (1990), doi:10.1002/net.3230200507; MacKay (1992), doi:10.1162/neco.1992.4.5.720.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse
from scipy.special import logit
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, ArrayLike, Floats, Integers, Matrix, MatrixLike, Numbers, RandomState
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.distributions import MultivariateNormal
from gnomon.infer import LaplaceApproximation, SigmoidAverage, laplace_at, sigmoid_average
from gnomon.linear._prior import ParameterPrior, as_prior
from gnomon.linear._scores import intercept_of
from gnomon.losses import LogisticLoss
from gnomon.numerics.design import Design
from gnomon.numerics.weights import check_weights
from gnomon.optim import Problem, Solution, fit_linear, warn_unless_converged
from gnomon.optim.units import column_extent, refuse_far
from gnomon.penalties import from_prior

__all__ = ["BayesianLogisticRegression"]


class BayesianLogisticRegression(ClassifierMixin, Estimator):
    """Logistic regression with Laplace's approximation (1) of the posterior and averaged probabilities (2).

    More than two classes are treated one against the rest, and their probabilities made to sum to one.

    Parameters
    ----------
    parameter_prior : None, float, pair or Distribution, default=None
        The variance β² of the prior N(0, β²I), or that law itself, also as the pair (0, β²I); None is β² = 1.
    integration : {"quadrature", "mackay", "erf", "samples", "mode"}, default="quadrature"
        How (2) is computed, see `gnomon.infer.sigmoid_average`.
    fit_intercept : bool, default=True
        Whether there is an intercept b.
    penalize_intercept : bool, default=False
        Whether b has the prior of the coefficients; otherwise it is flat.
    n_samples : int, default=1000
        Draws for ``integration="samples"``.
    tol : float, default=1e-8
        Newton's method ends where no entry of the gradient is larger.
    max_iter : int, default=100
        Most Newton steps.
    random_state : int, Generator or RandomState, optional
        Seed of these draws.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The mode θ̂, without the intercept.
    intercept_ : ndarray of shape (1,) or (n_classes,)
    map_ : ndarray
        The mode, the intercept last; one row per class if there are more than two.
    posterior_ : MultivariateNormal, or list of them
        N(θ̂, H⁻¹), the intercept last: `mean`, `cov`, `sample(n, rng)`, `interval(level)`.
    log_evidence_ : float or ndarray
        Laplace's approximation of log p(y); a flat prior counts with density one.
    n_iter_ : ndarray
    converged_ : bool
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    MacKay, D. J. C. (1992). The evidence framework applied to classification networks. doi:10.1162/neco.1992.4.5.720

    Spiegelhalter, D. J. & Lauritzen, S. L. (1990). Sequential updating of conditional probabilities on directed
    graphical structures. doi:10.1002/net.3230200507

    Examples
    --------
    >>> from gnomon.linear import BayesianLogisticRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    >>> model = BayesianLogisticRegression(penalize_intercept=True).fit(X, y)
    >>> model.map_.round(7), round(model.log_evidence_, 7)
    (array([ 0.3009516, -0.2221191]), -3.544838)
    >>> model.predict_proba([[4.0]])[:, 1].round(7)
    array([0.6466121])
    """

    classes_: Array
    coef_: Floats
    intercept_: Floats
    map_: Floats
    posterior_: MultivariateNormal | list[MultivariateNormal]
    log_evidence_: Numbers
    n_iter_: Integers
    converged_: bool
    _laws: list[MultivariateNormal]

    def __init__(
        self,
        parameter_prior: ParameterPrior = None,
        *,
        integration: SigmoidAverage = "quadrature",
        fit_intercept: bool = True,
        penalize_intercept: bool = False,
        n_samples: int = 1000,
        tol: float = 1e-8,
        max_iter: int = 100,
        random_state: RandomState = None,
    ):
        self.parameter_prior = parameter_prior
        self.integration = integration
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.n_samples = n_samples
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the mode and the Hessian there.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            Weight 2 is the row twice.
        """
        X, y = validate_rows(self, X, y, accept_sparse="csr")
        check_classification_targets(y)
        weights = check_weights(sample_weight, X)
        self.classes_, index = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y has 1 class only, {self.classes_[0]}; give rows of at least two classes")
        # The covariance is as accurate as the mode, so both are found in double precision.
        rows, weights = X.astype(float, copy=False), weights.astype(float, copy=False)
        if self.fit_intercept:
            refuse_far(*column_extent(rows), vars(self).get("feature_names_in_"))
        signs = [np.where(index == k, 1.0, -1.0) for k in self._positive()]
        solutions, found = zip(*[self._fit_one(rows, sign, weights) for sign in signs], strict=True)
        self.coef_ = np.stack([solution.w for solution in solutions]).astype(X.dtype)
        self.intercept_ = np.array([solution.intercept for solution in solutions], dtype=X.dtype)
        self.n_iter_ = np.array([solution.n_iter for solution in solutions])
        self.converged_ = all(solution.converged for solution in solutions)
        self._laws = [fit.law for fit in found]
        modes, evidences = np.stack([fit.mode for fit in found]), np.array([fit.log_evidence for fit in found])
        binary = len(found) == 1
        self.map_, self.posterior_ = (modes[0], self._laws[0]) if binary else (modes, self._laws)
        self.log_evidence_ = float(evidences[0]) if binary else evidences
        return self

    def decision_function(self, X: MatrixLike) -> Floats:
        """Log-odds of the averaged probability (2), per class if there are more than two."""
        p = self._averages(X)
        # A probability that rounds to 0 or 1 is the most extreme that doubles can represent.
        tiny, one = np.finfo(float).tiny, 1.0 - 0.5 * np.finfo(float).eps
        odds = logit(np.clip(p, tiny, one)).astype(self.coef_.dtype, copy=False)
        return odds[:, 0] if len(self._laws) == 1 else odds

    def predict_proba(self, X: MatrixLike) -> Floats:
        """P(class | x), averaged over the posterior."""
        return self._probabilities(X).astype(self.coef_.dtype, copy=False)

    def predict_log_proba(self, X: MatrixLike) -> Floats:
        """log P(class | x)."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: MatrixLike) -> Array:
        """The most probable class; one half goes to the first."""
        best = np.argmax(self._probabilities(X), axis=1)
        return self.classes_[best]

    def predict_latent(self, X: MatrixLike) -> tuple[Floats, Floats]:
        """Mean and variance of the score f in (2), of shape (n,), or (n, n_classes) for more than two classes."""
        mean, variance = self._latent(X)
        return (mean[:, 0], variance[:, 0]) if len(self._laws) == 1 else (mean, variance)

    def _positive(self) -> Sequence[int]:
        """Indices of the classes that are set against the rest."""
        return [1] if len(self.classes_) == 2 else range(len(self.classes_))

    def _fit_one(self, X: Matrix, y: Floats, weights: Floats) -> tuple[Solution[Floats], LaplaceApproximation]:
        prior = as_prior(self.parameter_prior)
        penalty = from_prior(prior)
        if not penalty.smooth:
            raise ValueError(f"parameter_prior={prior!r} has a kink, and (1) needs curvature; give Normal(0, variance)")
        problem = Problem(Design(X, intercept=intercept_of(self)), y, LogisticLoss(), penalty, weights)
        options: dict[str, Any] = {"solver": "newton", "tol": self.tol, "max_iter": self.max_iter}
        solution = fit_linear(problem.design, y, problem.loss, problem.penalty, weights, **options)
        warn_unless_converged(solution, self.max_iter, stacklevel=4)
        mode = np.append(solution.w, solution.intercept) if self.fit_intercept else solution.w
        m = problem.design.n_penalized
        log_joint = float(prior.joint(m).log_density(np.zeros(m))) - solution.objective
        return solution, laplace_at(mode, problem.hessian(mode), log_joint)

    def _latent(self, X: MatrixLike) -> tuple[Floats, Floats]:
        check_is_fitted(self, "coef_")
        X = validate_rows(self, X, reset=False, accept_sparse="csr")
        mean = X @ self.coef_.T + self.intercept_
        rows = X.toarray() if sparse.issparse(X) else X
        rows = np.column_stack([rows, np.ones(len(rows), dtype=X.dtype)]) if self.fit_intercept else rows
        return mean, np.column_stack([np.sum((rows @ law.factor) ** 2, axis=1) for law in self._laws])

    def _averages(self, X: MatrixLike) -> Floats:
        mean, variance = self._latent(X)
        options: dict[str, Any] = {"n_samples": self.n_samples, "random_state": self.random_state}
        return sigmoid_average(mean, variance, self.integration, **options)

    def _probabilities(self, X: MatrixLike) -> Floats:
        p = self._averages(X)
        if len(self._laws) == 1:
            return np.column_stack([1.0 - p, p])
        # Where every class is impossible none is more likely than another.
        total = np.sum(p, axis=1, keepdims=True)
        return np.divide(p, total, out=np.full_like(p, 1.0 / p.shape[1]), where=total > 0.0)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
