"""Laplace's approximation of a posterior.

    p(θ) ∝ e^{log p̃(θ)} ≈ N(θ̂, H⁻¹),    θ̂ = argmax log p̃,    H = −∇² log p̃(θ̂)                        (1)
    log ∫ p̃ ≈ log p̃(θ̂) + (d/2) log 2π − ½ log |H|                                                 (2)

Laplace (1774); MacKay (2003), Information Theory, Inference and Learning Algorithms, chapter 27.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import linalg, optimize
from sklearn.exceptions import ConvergenceWarning

from gnomon._typing import ArrayLike, Floats, Numbers, RandomState
from gnomon.distributions import Distribution, MultivariateNormal
from gnomon.numerics.random import check_rng

__all__ = ["LaplaceApproximation", "laplace", "laplace_at"]

RISE = 1e-6
"""What log p̃ may lack at the mode, and so (2), without a word: rounding ends a search with differences there."""


class LaplaceApproximation(NamedTuple):
    """The law (1) and the integral (2).

    Parameters
    ----------
    mode : ndarray of shape (d,)
        θ̂.
    law : MultivariateNormal
        N(θ̂, H⁻¹).
    precision : ndarray of shape (d, d)
        H.
    log_evidence : float
        (2).

    References
    ----------
    MacKay, D. J. C. (2003). Information Theory, Inference and Learning Algorithms, chapter 27.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.infer import laplace_at
    >>> laplace_at(np.zeros(1), np.eye(1), 0.0).law.cov
    array([[1.]])
    """

    mode: Floats
    law: MultivariateNormal
    precision: Floats
    log_evidence: float

    @property
    def mean(self) -> Floats:
        """The mean of the law (1), which is its mode."""
        return self.mode

    @property
    def cov(self) -> Floats:
        """H⁻¹."""
        return self.law.cov

    def density(self, theta: ArrayLike) -> Numbers:
        """The density of the law (1)."""
        return self.law.density(theta)

    def predictive(
        self,
        x: ArrayLike,
        model: Callable[[Floats], Distribution],
        *,
        n_samples: int = 4096,
        random_state: RandomState = None,
    ) -> Numbers:
        """∫ p(x | θ) p(θ) dθ over the law (1), as a mean over draws of θ; `model` is θ → the law of an observation."""
        draws = self.law.sample(n_samples, check_rng(random_state))
        return np.mean([model(theta).density(x) for theta in draws], axis=0)


def laplace_at(mode: Floats, precision: Floats, log_joint: float) -> LaplaceApproximation:
    """Approximation (1) and (2) at a mode that is known.

    Parameters
    ----------
    mode : ndarray of shape (d,)
        θ̂.
    precision : ndarray of shape (d, d)
        H = −∇² log p̃ at θ̂, positive definite.
    log_joint : float
        log p̃(θ̂).

    Returns
    -------
    LaplaceApproximation

    References
    ----------
    MacKay, D. J. C. (2003). Information Theory, Inference and Learning Algorithms, chapter 27.

    Examples
    --------
    A normal density without its constant: the integral is exact.

    >>> import numpy as np
    >>> from gnomon.infer import laplace_at
    >>> found = laplace_at(np.zeros(2), np.diag([1.0, 4.0]), log_joint=0.0)
    >>> bool(np.isclose(found.log_evidence, np.log(2 * np.pi) - np.log(2.0)))
    True
    """
    if not np.all(np.isfinite(precision)):
        raise ValueError(
            "the Hessian at the mode overflows; divide the columns of X by their scale (StandardScaler), or the weights"
        )
    try:
        factor = linalg.cho_factor(precision, lower=True)
    except linalg.LinAlgError:
        raise ValueError(
            "the negative Hessian at the mode is not positive definite: the point is not a maximum, or the data leave "
            "a direction free; start elsewhere or give a proper prior"
        ) from None
    root = linalg.solve_triangular(factor[0], np.eye(len(mode)), lower=True)
    half_log_det = float(np.sum(np.log(np.diag(factor[0]))))
    log_evidence = float(log_joint + 0.5 * len(mode) * np.log(2.0 * np.pi) - half_log_det)
    return LaplaceApproximation(mode, MultivariateNormal(mode, root.T @ root), precision, log_evidence)


def laplace(
    log_p: Callable[[Floats], float],
    x0: ArrayLike,
    *,
    gradient: Callable[[Floats], Floats] | None = None,
    hessian: Callable[[Floats], Floats] | None = None,
    tol: float = 1e-8,
    max_iter: int = 200,
) -> LaplaceApproximation:
    """Approximation (1) and (2) of any log-density, from its mode.

    Parameters
    ----------
    log_p : callable
        θ → log p̃(θ), up to the constant that (2) finds.
    x0 : ndarray of shape (d,)
        Start of the search for the mode.
    gradient : callable, optional
        θ → ∇ log p̃; differences by default.
    hessian : callable, optional
        θ → ∇² log p̃; central differences of the gradient by default.
    tol : float, default=1e-8
        The search (BFGS) ends where ‖∇ log p̃‖∞ ≤ tol (1e-5 where the gradient is found by differences).
    max_iter : int, default=200

    Returns
    -------
    LaplaceApproximation
        With a `ConvergenceWarning` where the search ended short of the mode.

    References
    ----------
    MacKay, D. J. C. (2003). Information Theory, Inference and Learning Algorithms, chapter 27.

    Examples
    --------
    The integral of the gamma function, Γ(11) = 10!, by Stirling's formula, which this is:

    >>> import numpy as np
    >>> from gnomon.infer import laplace
    >>> found = laplace(lambda t: 10.0 * np.log(t[0]) - t[0], np.array([5.0]))
    >>> found.mode.round(4), round(found.log_evidence, 3)
    (array([10.]), 15.096)
    """
    x0 = np.atleast_1d(np.asarray(x0, dtype=float))
    numeric = _differences(lambda t: np.atleast_1d(log_p(t)), 1.0 / 3.0)
    slope = gradient or (lambda t: numeric(t)[0])
    # A gradient by differences is noisy, so its own differences need a longer step.
    curvature = hessian or _differences(slope, 1.0 / 4.0 if gradient is None else 1.0 / 3.0)
    options = {"gtol": tol if gradient is not None else max(tol, 1e-5), "maxiter": max_iter}
    rough = optimize.minimize(lambda t: -log_p(t), x0, jac=lambda t: -slope(t), method="BFGS", options=options)
    mode = rough.x
    if not np.all(np.isfinite(mode)) or not np.isfinite(rough.fun):
        raise ValueError(f"log_p has no finite maximum that the search from x0={x0!r} could find; start elsewhere")
    H = -np.atleast_2d(curvature(mode))
    found = laplace_at(mode, 0.5 * (H + H.T), log_p(mode))
    # Newton's decrement: how much the quadratic model of log p̃ could still increase.
    rise = 0.5 * float(slope(mode) @ found.law.cov @ slope(mode))
    if not rough.success and rise > RISE:
        warnings.warn(
            f"the search for the mode ended where log_p may still rise by {rise:.3g}; raise max_iter={max_iter}, or "
            "give a gradient or another x0",
            ConvergenceWarning,
            stacklevel=2,
        )
    return found


def _differences(function: Callable[[Floats], Floats], power: float) -> Callable[[Floats], Floats]:
    """Central differences with steps ε^power: the matrix of ∂f_i/∂θ_j."""

    def derivative(t: Floats) -> Floats:
        h = np.finfo(float).eps ** power * np.maximum(1.0, np.abs(t))
        steps = np.diag(h)
        columns = [(function(t + e) - function(t - e)) / (2.0 * e[j]) for j, e in enumerate(steps)]
        return np.stack(columns, axis=-1)

    return derivative
