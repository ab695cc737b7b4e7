"""Wishart and inverse-Wishart distributions of positive definite matrices.

    W(V, ν):   log p(X) = ½(ν−d−1) log|X| − ½ tr V⁻¹X − ½νd log 2 − ½ν log|V| − log Γ_d(ν/2)            (1)
    IW(Ψ, ν):  log p(X) = ½ν log|Ψ| − ½νd log 2 − log Γ_d(ν/2) − ½(ν+d+1) log|X| − ½ tr ΨX⁻¹            (2)
    ψ_d(ν̂/2) − d log(ν̂/2) = mean log|X| − log|X̄|,    V̂ = X̄/ν̂                                       (3)

X ~ IW(Ψ, ν) exactly if X⁻¹ ~ W(Ψ⁻¹, ν). Gelman et al. (2013), Bayesian Data Analysis, appendix A,
doi:10.1201/b16018; draws by the triangular factor of Bartlett (1933), doi:10.1017/S0370164600015169.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import brentq
from scipy.special import digamma, multigammaln

from gnomon._typing import ArrayLike, Bools, Floats, Numbers
from gnomon.distributions._base import Distribution, Frozen, Statistics, check_sample
from gnomon.distributions.normal import MultivariateNormal
from gnomon.numerics.streaming import Moments

__all__ = ["InverseWishart", "Wishart", "multidigamma"]


@dataclass(frozen=True, eq=False)
class MatrixSums(Statistics):
    """Σ sᵢ, Σ sᵢ Xᵢ and Σ sᵢ log|Xᵢ|."""

    total: Floats
    logs: float


@dataclass(frozen=True, eq=False)
class Wishart(Distribution):
    """Law (1) of the scatter matrix of ν normal vectors; the conjugate prior of a precision matrix.

    Parameters
    ----------
    scale : array-like of shape (d, d)
        V, positive definite: the mean is νV.
    df : float
        ν > d − 1.

    References
    ----------
    Wishart, J. (1928). The generalised product moment distribution. doi:10.1093/biomet/20A.1-2.32

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import Wishart
    >>> law = Wishart(np.eye(2), 4.0)
    >>> law.mean.tolist(), law.mode.tolist()
    ([[4.0, 0.0], [0.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]])
    >>> round(float(law.log_density(np.eye(2))), 6)
    -4.224171
    """

    scale: Frozen
    df: float

    vectors = True

    def __post_init__(self) -> None:
        _checked_scale(self)

    @classmethod
    def statistics(cls, X: ArrayLike, sample_weight: ArrayLike | None = None) -> MatrixSums:
        """Sums over positive definite matrices X of shape (n, d, d)."""
        X, weights, logs = _matrices(X, sample_weight)
        return MatrixSums(float(np.sum(weights)), np.tensordot(weights, X, 1), float(weights @ logs))

    @classmethod
    def from_statistics(cls, statistics: MatrixSums) -> Self:
        """Equation (3)."""
        return cls(*_solve(statistics))

    @cached_property
    def base(self) -> MultivariateNormal:
        """N(0, V), for the factor of V."""
        return MultivariateNormal(np.zeros(len(self.scale)), self.scale)

    @property
    def mean(self) -> Floats:
        """νV."""
        return self.df * self.scale

    @property
    def var(self) -> Floats:
        """ν(Vᵢⱼ² + VᵢᵢVⱼⱼ), of every entry."""
        diagonal = np.diag(self.scale)
        return self.df * (self.scale**2 + np.outer(diagonal, diagonal))

    @property
    def mode(self) -> Floats:
        """(ν − d − 1)V, for ν ≥ d + 1."""
        d = len(self.scale)
        if self.df < d + 1.0:
            raise ValueError(f"df={self.df!r} is below d + 1 = {d + 1}, where the density has no mode; give more")
        return (self.df - d - 1.0) * self.scale

    @property
    def n_parameters(self) -> int:
        d = len(self.scale)
        return 1 + d * (d + 1) // 2

    def log_density(self, x: ArrayLike) -> Numbers:
        d, nu = len(self.scale), self.df
        X, log_det, inside = _points(x, d)
        trace = np.einsum("...ii->...", _two_sided(self.base.factor, X))
        norm = 0.5 * nu * (d * np.log(2.0) + self.base.log_det) + multigammaln(0.5 * nu, d)
        return np.where(inside, 0.5 * (nu - d - 1.0) * log_det - 0.5 * trace - norm, -np.inf)[()]

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        B = self.base.factor @ _bartlett(n, len(self.scale), self.df, rng)
        return B @ np.swapaxes(B, 1, 2)

    def entropy(self) -> float:
        """½(d+1) log|V| + ½d(d+1) log 2 + log Γ_d(ν/2) − ½(ν−d−1) ψ_d(ν/2) + ½νd."""
        d, nu = len(self.scale), self.df
        out = 0.5 * (d + 1) * (self.base.log_det + d * np.log(2.0)) + multigammaln(0.5 * nu, d) + 0.5 * nu * d
        return float(out - 0.5 * (nu - d - 1.0) * multidigamma(0.5 * nu, d))


@dataclass(frozen=True, eq=False)
class InverseWishart(Distribution):
    """Law (2), the conjugate prior of a covariance matrix.

    Parameters
    ----------
    scale : array-like of shape (d, d)
        Ψ, positive definite: the mean is Ψ/(ν − d − 1), the mode Ψ/(ν + d + 1).
    df : float
        ν > d − 1.

    References
    ----------
    Gelman, A. et al. (2013). Bayesian Data Analysis, appendix A. doi:10.1201/b16018

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import InverseWishart, MultivariateNormal
    >>> law = InverseWishart(6.0 * np.eye(2), 5.0)
    >>> law.mean.tolist(), law.mode.tolist()
    ([[3.0, 0.0], [0.0, 3.0]], [[0.75, 0.0], [0.0, 0.75]])
    >>> MultivariateNormal.fit([[0.0, 0.0], [2.0, 2.0]], prior=law).cov.tolist()
    [[0.8, 0.2], [0.2, 0.8]]
    """

    scale: Frozen
    df: float

    vectors = True

    def __post_init__(self) -> None:
        _checked_scale(self)

    @classmethod
    def statistics(cls, X: ArrayLike, sample_weight: ArrayLike | None = None) -> MatrixSums:
        """Those of the inverse matrices under a Wishart law."""
        X, weights, logs = _matrices(X, sample_weight)
        inverses = np.linalg.solve(X, np.broadcast_to(np.eye(X.shape[1]), X.shape))
        return MatrixSums(float(np.sum(weights)), np.tensordot(weights, inverses, 1), -float(weights @ logs))

    @classmethod
    def from_statistics(cls, statistics: MatrixSums) -> Self:
        """The law whose inverse is the Wishart law of (3)."""
        scale, df = _solve(statistics)
        return cls(np.linalg.solve(scale, np.eye(len(scale))), df)

    @cached_property
    def base(self) -> MultivariateNormal:
        """N(0, Ψ), for the factor of Ψ."""
        return MultivariateNormal(np.zeros(len(self.scale)), self.scale)

    @property
    def mean(self) -> Floats:
        """Ψ/(ν − d − 1), for ν > d + 1."""
        free = self.df - len(self.scale) - 1.0
        return self.scale / free if free > 0.0 else np.full(self.scale.shape, np.inf)

    @property
    def var(self) -> Floats:
        """((ν−d+1)Ψᵢⱼ² + (ν−d−1)ΨᵢᵢΨⱼⱼ) / ((ν−d)(ν−d−1)²(ν−d−3)), of every entry, for ν > d + 3."""
        k, diagonal = self.df - len(self.scale), np.diag(self.scale)
        if k <= 3.0:
            return np.full(self.scale.shape, np.inf)
        top = (k + 1.0) * self.scale**2 + (k - 1.0) * np.outer(diagonal, diagonal)
        return top / (k * (k - 1.0) ** 2 * (k - 3.0))

    @property
    def mode(self) -> Floats:
        """Ψ/(ν + d + 1)."""
        return self.scale / (self.df + len(self.scale) + 1.0)

    @property
    def n_parameters(self) -> int:
        d = len(self.scale)
        return 1 + d * (d + 1) // 2

    @property
    def log_norm(self) -> float:
        """½νd log 2 + log Γ_d(ν/2) − ½ν log|Ψ|."""
        d = len(self.scale)
        return float(0.5 * self.df * (d * np.log(2.0) - self.base.log_det) + multigammaln(0.5 * self.df, d))

    @property
    def mean_log_det(self) -> float:
        """E[log|X|] = log|Ψ| − d log 2 − ψ_d(ν/2)."""
        d = len(self.scale)
        return self.base.log_det - d * np.log(2.0) - multidigamma(0.5 * self.df, d)

    def log_density(self, x: ArrayLike) -> Numbers:
        d = len(self.scale)
        X, log_det, inside = _points(x, d)
        trace = np.trace(np.linalg.solve(X, np.broadcast_to(self.scale, X.shape)), axis1=-2, axis2=-1)
        return np.where(inside, -self.log_norm - 0.5 * (self.df + d + 1.0) * log_det - 0.5 * trace, -np.inf)[()]

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        d = len(self.scale)
        B = np.linalg.solve(_bartlett(n, d, self.df, rng), np.broadcast_to(self.base.factor.T, (n, d, d)))
        return np.swapaxes(B, 1, 2) @ B

    def entropy(self) -> float:
        """log norm + ½(ν + d + 1) E[log|X|] + ½νd."""
        d = len(self.scale)
        return float(self.log_norm + 0.5 * (self.df + d + 1.0) * self.mean_log_det + 0.5 * self.df * d)

    def mode_given(self, statistics: Moments) -> MultivariateNormal:
        """The normal law of greatest posterior density; the prior of its mean is flat."""
        cov = (self.scale + statistics.scatter) / (self.df + statistics.weight + len(self.scale) + 1.0)
        return MultivariateNormal(statistics.mean, cov)


def multidigamma(a: float, d: int) -> float:
    """ψ_d(a) = Σⱼ ψ(a − j/2), the derivative of log Γ_d."""
    return float(np.sum(digamma(a - 0.5 * np.arange(d))))


def _checked_scale(law: Wishart | InverseWishart) -> None:
    scale = np.array(law.scale, dtype=float)
    if scale.ndim != 2 or scale.shape[0] != scale.shape[1]:
        raise ValueError(f"scale has shape {scale.shape}; give a square matrix")
    scale.flags.writeable = False
    object.__setattr__(law, "scale", scale)
    if not len(scale) - 1.0 < law.df < np.inf:
        raise ValueError(f"df={law.df!r} must be > d − 1 = {len(scale) - 1} and finite; give a larger number")
    try:
        _ = law.base
    except ValueError as error:
        raise ValueError(str(error).replace("cov", "scale")) from None


def _points(x: ArrayLike, d: int) -> tuple[Floats, Floats, Bools]:
    """Matrices, their log-determinants, and which of them are symmetric and positive definite; others become I."""
    X = np.asarray(x, dtype=float)
    if X.shape[-2:] != (d, d) or not np.all(np.isfinite(X)):
        raise ValueError(f"x of shape {X.shape} must be finite matrices of shape ({d}, {d}); give such")
    skew = np.max(np.abs(X - np.swapaxes(X, -1, -2)), axis=(-1, -2))
    inside = (skew <= 1e-8 * np.max(np.abs(X), axis=(-1, -2))) & (np.min(np.linalg.eigvalsh(X), axis=-1) > 0.0)
    X = np.where(inside[..., None, None], X, np.eye(d))
    return X, np.linalg.slogdet(X)[1], inside


def _matrices(X: ArrayLike, sample_weight: ArrayLike | None) -> tuple[Floats, Floats, Floats]:
    X = np.asarray(X, dtype=float)
    if X.ndim != 3 or X.shape[1] != X.shape[2]:
        raise ValueError(f"X has shape {X.shape}; give matrices, of shape (n, d, d)")
    _, weights = check_sample(X.reshape(len(X), -1), sample_weight)
    _, logs, inside = _points(X, X.shape[1])
    if not np.all(inside):
        raise ValueError(f"X[{np.flatnonzero(~inside)[0]}] is not positive definite; give covariance matrices")
    return X, weights, logs


def _solve(statistics: MatrixSums) -> tuple[Floats, float]:
    """V̂ and ν̂ of (3): the left side less the right rises with ν."""
    mean = statistics.total / statistics.weight
    d, gap = len(mean), float(np.linalg.slogdet(mean)[1] - statistics.logs / statistics.weight)

    def miss(t: float) -> float:
        half = 0.5 * (d - 1.0 + np.exp(t))
        return multidigamma(half, d) - d * np.log(half) + gap

    if not miss(30.0) > 0.0:
        raise ValueError("all matrices of X are equal, so df would be infinite; add others")
    df = d - 1.0 + float(np.exp(brentq(miss, -30.0, 30.0, xtol=1e-13)))
    return mean / df, df


def _bartlett(n: int, d: int, df: float, rng: np.random.Generator) -> Floats:
    """Lower triangular A with A Aᵀ ~ W(I, ν)."""
    A = np.tril(rng.standard_normal((n, d, d)), -1)
    A[:, np.arange(d), np.arange(d)] = np.sqrt(rng.chisquare(df - np.arange(d), size=(n, d)))
    return A


def _two_sided(L: Floats, X: Floats) -> Floats:
    """L⁻¹ X L⁻ᵀ of every matrix X."""
    half = solve_triangular(L, np.eye(len(L)), lower=True)
    return half @ X @ half.T
