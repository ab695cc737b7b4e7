"""Maximum likelihood for any density, and maximum evidence for conjugate models.

    θ̂ = argmax_θ ℓ(θ),    ℓ(θ) = Σᵢ sᵢ log p(xᵢ; θ)                                                 (1)

by L-BFGS over parameters without constraints: a positive number is exp(t), a probability 1/(1 + e^{−t}), a probability
vector softmax(t, 0), a covariance LLᵀ with L lower triangular and the logarithm of its diagonal free. Derivatives are
central differences. Pinheiro & Bates (1996), Unconstrained parametrizations for variance-covariance matrices,
doi:10.1007/BF00140873.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np
from scipy.special import expit, logit
from sklearn.exceptions import ConvergenceWarning

from gnomon._typing import ArrayLike, Floats
from gnomon.distributions import ConjugateModel
from gnomon.optim._lbfgs import lbfgs
from gnomon.optim.line_search import ValueAndGradient
from gnomon.optim.solution import Solution

__all__ = ["MaximumLikelihood", "fit_mle", "maximize_model_evidence"]

Domain: TypeAlias = Literal["real", "positive", "unit", "simplex", "covariance"]

LARGEST = 700.0
"""Exponents beyond which a double overflows."""


class MaximumLikelihood(NamedTuple):
    """The end of (1).

    Parameters
    ----------
    theta : dict of str to float or ndarray
        θ̂.
    log_likelihood : float
        ℓ(θ̂).
    converged : bool
        Whether the slope of ℓ per unit of weight had become small.
    solution : Solution
        Of the search over unconstrained parameters; its objective is −ℓ per unit of weight.

    References
    ----------
    Fisher, R. A. (1922). On the mathematical foundations of theoretical statistics. doi:10.1098/rsta.1922.0009

    Examples
    --------
    >>> from gnomon.distributions import Normal
    >>> from gnomon.optim import fit_mle
    >>> found = fit_mle(lambda x, mean: Normal(mean).log_density(x), {"mean": 0.0}, [1.0, 2.0, 6.0])
    >>> round(found.theta["mean"], 6), found.converged
    (3.0, True)
    """

    theta: dict[str, float | Floats]
    log_likelihood: float
    converged: bool
    solution: Solution[Floats]


def fit_mle(
    log_density: Callable[..., ArrayLike],
    theta0: Mapping[str, ArrayLike],
    X: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    domains: Mapping[str, Domain] | None = None,
    tol: float = 1e-6,
    max_iter: int = 500,
) -> MaximumLikelihood:
    """Maximise (1).

    Parameters
    ----------
    log_density : callable
        (X, **theta) → log p of every row; without `X`, (**theta) → the terms of ℓ.
    theta0 : dict of str to float or array-like
        Where to start, inside the domains.
    X : array-like of shape (n,) or (n, d), optional
    sample_weight : array-like of shape (n,), optional
        A weight of two is the row twice.
    domains : dict of str to {"real", "positive", "unit", "simplex", "covariance"}, optional
        Of parameters that are not any real numbers.
    tol : float, default=1e-6
        Stop where no derivative of ℓ/Σs exceeds it.
    max_iter : int, default=500

    Returns
    -------
    MaximumLikelihood

    References
    ----------
    Pinheiro, J. C. & Bates, D. M. (1996). Unconstrained parametrizations for variance-covariance matrices.
    doi:10.1007/BF00140873

    Examples
    --------
    Weibull's law, which has no closed form:

    >>> import numpy as np
    >>> from gnomon.optim import fit_mle
    >>> def weibull(x, shape, scale):
    ...     return np.log(shape / scale) + (shape - 1) * np.log(x / scale) - (x / scale) ** shape
    >>> x = np.array([0.5, 1.0, 1.5, 2.0, 4.0])
    >>> start, domains = {"shape": 1.0, "scale": 1.0}, {"shape": "positive", "scale": "positive"}
    >>> found = fit_mle(weibull, start, x, domains=domains)
    >>> round(found.theta["shape"], 4), round(found.theta["scale"], 4)
    (1.5826, 2.0188)
    """
    space = _Space(theta0, domains or {})
    data = () if X is None else (np.asarray(X),)

    def terms(t: Floats) -> Floats:
        with np.errstate(all="ignore"):
            return np.atleast_1d(np.asarray(log_density(*data, **space.values(t)), dtype=float))

    first = terms(space.start)
    weights = _checked_weights(sample_weight, first)
    if not np.all(np.isfinite(first[weights > 0.0])):
        raise ValueError("a row is impossible at theta0, where the search must start; give another theta0")
    used, total = weights > 0.0, float(np.sum(weights))

    def loss(t: Floats) -> float:
        value = -float(weights[used] @ terms(t)[used]) / total
        return value if np.isfinite(value) else np.inf

    found = lbfgs(_differentiated(loss), space.start, tol=tol, max_iter=max_iter)
    if not found.converged:
        warnings.warn(
            f"not converged after {found.n_iter} iterations: a derivative of {found.gradient_norm:.2g} is left; "
            "raise max_iter, rescale the data, or start nearer",
            ConvergenceWarning,
            stacklevel=2,
        )
    return MaximumLikelihood(space.values(found.w), -found.objective * total, bool(found.converged), found)


def maximize_model_evidence(
    model: ConjugateModel,
    groups: Sequence[ArrayLike],
    *,
    free: Sequence[str] | None = None,
    tol: float = 1e-6,
    max_iter: int = 500,
) -> MaximumLikelihood:
    """The hyper-parameters of a conjugate model under which the data of all groups are most probable.

    The groups share the prior and have parameters of their own, so that the evidence is ∏_g p(D_g). This is empirical
    Bayes; for linear models see `maximize_evidence`.

    Parameters
    ----------
    model : ConjugateModel
        Where to start.
    groups : sequence of array-like
        The data D_g of every group. With few groups the evidence may grow for ever as the prior narrows.
    free : sequence of str, optional
        The hyper-parameters to move; by default all that have a domain in ``model.domains``.
    tol : float, default=1e-6
    max_iter : int, default=500

    Returns
    -------
    MaximumLikelihood
        Whose `theta` are the hyper-parameters, and `log_likelihood` is the log-evidence; the model is
        ``dataclasses.replace(model, **theta)``.

    References
    ----------
    Robbins, H. (1956). An empirical Bayes approach to statistics. Proc. Third Berkeley Symposium 1, 157–163.

    Examples
    --------
    Successes of five groups, which vary more than chance alone would have it:

    >>> from gnomon.distributions import BetaBernoulli
    >>> from gnomon.optim import maximize_model_evidence
    >>> groups = [[1] * r + [0] * (20 - r) for r in (3, 5, 9, 12, 17)]
    >>> best = maximize_model_evidence(BetaBernoulli(), groups)
    >>> round(best.theta["alpha"], 3), round(best.theta["beta"], 3), round(best.log_likelihood, 4)
    (1.95, 2.249, -62.1753)
    """
    names = tuple(model.domains) if free is None else tuple(free)
    unknown = [name for name in names if name not in model.domains]
    if unknown or not names:
        raise ValueError(f"free={unknown} cannot be moved; choose from {list(model.domains)}")
    parts = [model.statistics(X) for X in groups]

    def evidence(**theta: float | Floats) -> list[float]:
        # Every conjugate model is a frozen dataclass, which the type of the abstract base cannot express.
        moved = replace(cast(Any, model), **theta)
        return [float(np.sum(moved.log_evidence_of(part))) for part in parts]

    start = {name: getattr(model, name) for name in names}
    domains = {name: cast(Domain, model.domains[name]) for name in names}
    found = fit_mle(evidence, start, domains=domains, tol=tol, max_iter=max_iter)
    if _runs_away(evidence, _Space(start, domains), found.solution.w):
        warnings.warn(
            "the evidence has no maximum that the search could find: a hyper-parameter runs away; "
            "give more groups, or hold it by leaving it out of free",
            ConvergenceWarning,
            stacklevel=2,
        )
        return found._replace(converged=False)
    return found


def _runs_away(
    evidence: Callable[..., list[float]],
    space: _Space,
    end: Floats,
    *,
    far: float = 3.0,
    more: float = 2.3,
    slack: float = 1e-3,
) -> bool:
    """Whether the evidence has no maximum and the search ended where it flattens out.

    Then moving ten times further, along all logarithms that moved far, loses no evidence; at a maximum it loses much.
    """
    way = end - space.start
    further = end + more * np.where(np.abs(way) > far, np.sign(way), 0.0)
    if np.array_equal(further, end):
        return False
    return bool(np.sum(evidence(**space.values(further))) > np.sum(evidence(**space.values(end))) - slack)


class _Domain(NamedTuple):
    """To unconstrained numbers and back."""

    free: Callable[[Floats], Floats]
    value: Callable[[Floats, tuple[int, ...]], Floats]


def _simplex_free(p: Floats) -> Floats:
    logs = np.log(p)
    return logs[:-1] - logs[-1]


def _simplex_value(t: Floats, shape: tuple[int, ...]) -> Floats:
    e = np.exp(np.append(t, 0.0) - max(np.max(t), 0.0))
    return e / np.sum(e)


def _covariance_free(cov: Floats) -> Floats:
    L = np.linalg.cholesky(np.atleast_2d(cov))
    return np.concatenate([np.log(np.diag(L)), L[np.tril_indices(len(L), -1)]])


def _covariance_value(t: Floats, shape: tuple[int, ...]) -> Floats:
    d = 1 if shape == () else shape[0]
    L = np.diag(_exp(t[:d]))
    L[np.tril_indices(d, -1)] = t[d:]
    return (L @ L.T).reshape(shape)


def _exp(t: Floats) -> Floats:
    return np.exp(np.clip(t, -LARGEST, LARGEST))


DOMAINS: dict[Domain, _Domain] = {
    "real": _Domain(np.ravel, lambda t, shape: t.reshape(shape)),
    "positive": _Domain(lambda x: np.log(x).ravel(), lambda t, shape: _exp(t).reshape(shape)),
    "unit": _Domain(lambda x: logit(x).ravel(), lambda t, shape: expit(t).reshape(shape)),
    "simplex": _Domain(_simplex_free, _simplex_value),
    "covariance": _Domain(_covariance_free, _covariance_value),
}


class _Space:
    """The parameters side by side, as one vector without constraints."""

    def __init__(self, theta0: Mapping[str, ArrayLike], domains: Mapping[str, Domain]) -> None:
        unknown = [word for word in domains.values() if word not in DOMAINS]
        if unknown or not set(domains) <= set(theta0):
            raise ValueError(f"domains={domains!r} must pair names of theta0 with words among {list(DOMAINS)}")
        self.theta0 = {name: np.asarray(value, dtype=float) for name, value in theta0.items()}
        self.domains = {name: DOMAINS[domains.get(name, "real")] for name in theta0}
        self.parts = [self._free(name) for name in theta0]
        self.start = np.concatenate(self.parts)

    def _free(self, name: str) -> Floats:
        with np.errstate(all="ignore"):
            t = self.domains[name].free(self.theta0[name])
        if not np.all(np.isfinite(t)):
            raise ValueError(f"theta0[{name!r}]={self.theta0[name]} is not inside its domain; give another start")
        return t

    def values(self, t: Floats) -> dict[str, float | Floats]:
        """The parameters of the unconstrained vector t."""
        cuts = np.cumsum([part.size for part in self.parts])[:-1]
        found = zip(self.theta0.items(), np.split(t, cuts), strict=True)
        out = {name: self.domains[name].value(part, start.shape) for (name, start), part in found}
        return {name: value if np.ndim(value) else float(value) for name, value in out.items()}


def _checked_weights(sample_weight: ArrayLike | None, terms: Floats) -> Floats:
    weights = np.ones(terms.shape) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    if weights.shape != terms.shape or not np.all(weights >= 0.0) or not np.sum(weights) > 0.0:
        raise ValueError(
            f"sample_weight of shape {weights.shape} must be ≥ 0, not all zero, one for each of the terms "
            f"{terms.shape} that log_density gives; repair it"
        )
    return weights


def _differentiated(loss: Callable[[Floats], float]) -> ValueAndGradient:
    """t → loss and its central differences."""

    def both(t: Floats) -> tuple[float, Floats]:
        steps = np.diag(np.finfo(float).eps ** (1.0 / 3.0) * np.maximum(1.0, np.abs(t)))
        slopes = [(loss(t + e) - loss(t - e)) / (2.0 * e[j]) for j, e in enumerate(steps)]
        return loss(t), np.array(slopes)

    return both
