"""Laws of the mean and the variance of a normal law together.

    NIG(m, κ, a, b):  σ² ~ InverseGamma(a, b),    μ | σ² ~ N(m, σ²/κ)                                (1)
    NIW(m, κ, Ψ, ν):  Σ ~ InverseWishart(Ψ, ν),   μ | Σ ~ N(m, Σ/κ)                                  (2)

They are the conjugate priors of `Normal` and `MultivariateNormal`. κ counts observations behind m. One observation is a
pair (mean, variance). Murphy (2007), Conjugate Bayesian analysis of the Gaussian distribution, sections 6 and 9;
Gelman et al. (2013), Bayesian Data Analysis, sections 3.3 and 3.6, doi:10.1201/b16018.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gnomon._typing import ArrayLike, Floats, Numbers
from gnomon.distributions._base import Distribution, Frozen, check_points, finite, frozen, positive
from gnomon.distributions.gamma import InverseGamma
from gnomon.distributions.normal import MultivariateNormal, Normal
from gnomon.distributions.student import MultivariateT, StudentT
from gnomon.distributions.wishart import InverseWishart
from gnomon.numerics.special import LOG_2PI
from gnomon.numerics.streaming import Moments

__all__ = ["MeanCov", "MeanVar", "NormalInverseGamma", "NormalInverseWishart"]


class MeanVar(NamedTuple):
    """The parameters of normal laws of one variable.

    Parameters
    ----------
    mean, var : float or ndarray

    References
    ----------
    Gelman, A. et al. (2013). Bayesian Data Analysis, section 3.3. doi:10.1201/b16018

    Examples
    --------
    >>> from gnomon.distributions import NormalInverseGamma
    >>> NormalInverseGamma(0.0, 1.0, 3.0, 4.0).mean
    MeanVar(mean=0.0, var=2.0)
    """

    mean: Numbers
    var: Numbers


class MeanCov(NamedTuple):
    """The parameters of normal laws of vectors.

    Parameters
    ----------
    mean : ndarray of shape (..., d)
    cov : ndarray of shape (..., d, d)

    References
    ----------
    Gelman, A. et al. (2013). Bayesian Data Analysis, section 3.6. doi:10.1201/b16018

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import NormalInverseWishart
    >>> NormalInverseWishart(np.zeros(2), 1.0, 4.0 * np.eye(2), 5.0).mean.cov.tolist()
    [[2.0, 0.0], [0.0, 2.0]]
    """

    mean: Floats
    cov: Floats


@dataclass(frozen=True)
class NormalInverseGamma(Distribution):
    """Law (1) of a mean and a variance; arrays are one law per entry.

    Parameters
    ----------
    loc : float or ndarray, default=0.0
        m.
    kappa, a, b : float or ndarray, default=1.0
        All > 0.

    References
    ----------
    Murphy, K. P. (2007). Conjugate Bayesian analysis of the Gaussian distribution, section 6.

    Examples
    --------
    >>> from gnomon.distributions import Normal, NormalInverseGamma
    >>> law = NormalInverseGamma(0.0, 1.0, 3.0, 4.0)
    >>> law.mode.var, law.marginal_mean.df, law.marginal_var
    (0.8888888888888888, 6.0, InverseGamma(a=3.0, b=4.0))
    >>> round(float(law.log_density((0.0, 1.0))), 6)
    -1.453203
    >>> Normal.fit([1.0, 2.0, 3.0], prior=NormalInverseGamma())
    Normal(mean=1.5, var=0.875)
    """

    loc: Numbers = 0.0
    kappa: Numbers = 1.0
    a: Numbers = 1.0
    b: Numbers = 1.0

    def __post_init__(self) -> None:
        for name in ("loc", "kappa", "a", "b"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        finite(loc=self.loc)
        positive(kappa=self.kappa, a=self.a, b=self.b)

    @property
    def marginal_var(self) -> InverseGamma:
        """The law of σ² alone: inverse-gamma."""
        return InverseGamma(self.a, self.b)

    @property
    def marginal_mean(self) -> StudentT:
        """The law of μ alone: Student's t with 2a degrees of freedom and scale² b/(aκ)."""
        return StudentT(2.0 * self.a, self.loc, np.sqrt(self.b / (self.a * self.kappa)))

    @property
    def mean(self) -> MeanVar:
        """m and b/(a − 1)."""
        return MeanVar(self.loc, self.marginal_var.mean)

    @property
    def var(self) -> MeanVar:
        """The variances of μ and of σ²."""
        return MeanVar(self.marginal_mean.var, self.marginal_var.var)

    @property
    def mode(self) -> MeanVar:
        """m and b/(a + 3/2), the joint mode."""
        return MeanVar(self.loc, self.b / (self.a + 1.5))

    @property
    def n_parameters(self) -> int:
        return 4 * int(np.size(self.loc + self.kappa + self.a + self.b))

    @property
    def log_norm(self) -> Numbers:
        """log Γ(a) − a log b − ½ log κ, what remains of the constant of the joint density but for ½ log 2π."""
        return self.marginal_var.log_norm - 0.5 * np.log(self.kappa)

    def log_density(self, x: tuple[ArrayLike, ArrayLike]) -> Numbers:
        """log p(μ, σ²) of a pair, whose parts may be arrays."""
        mean, var = np.broadcast_arrays(*(check_points(part) for part in x))
        outer = self.marginal_var.log_density(var)
        safe = np.where(var > 0.0, var, 1.0)
        return outer + Normal(self.loc, safe / self.kappa).log_density(mean)

    def sample(self, n: int, rng: np.random.Generator) -> MeanVar:
        """n pairs, as a `MeanVar` of arrays."""
        shape = np.shape(self.loc + self.kappa + self.a + self.b)
        var = self.b / rng.gamma(self.a, size=(n, *shape))
        return MeanVar(self.loc + np.sqrt(var / self.kappa) * rng.standard_normal((n, *shape)), var)

    def entropy(self) -> Numbers:
        """H(σ²) + ½ E[log 2πe σ²/κ]."""
        inner = self.marginal_var
        return inner.entropy() + 0.5 * (LOG_2PI + 1.0 - np.log(self.kappa) + inner.mean_log)

    def given(self, statistics: Moments) -> NormalInverseGamma:
        """The posterior law after data with these moments; Murphy (2007), equations 196 to 200."""
        n, kappa = statistics.weight, self.kappa + statistics.weight
        off = statistics.mean - self.loc
        b = self.b + 0.5 * statistics.scatter + 0.5 * self.kappa * n * off**2 / kappa
        return NormalInverseGamma(self.loc + n * off / kappa, kappa, self.a + 0.5 * n, b)

    def mode_given(self, statistics: Moments) -> Normal:
        """The normal law of greatest posterior density."""
        return Normal(*self.given(statistics).mode)


@dataclass(frozen=True, eq=False)
class NormalInverseWishart(Distribution):
    """Law (2) of a mean vector and a covariance matrix.

    Parameters
    ----------
    loc : array-like of shape (d,)
        m.
    kappa : float
        κ > 0.
    scale : array-like of shape (d, d)
        Ψ, positive definite.
    df : float
        ν > d − 1.

    References
    ----------
    Murphy, K. P. (2007). Conjugate Bayesian analysis of the Gaussian distribution, section 9.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import MultivariateNormal, NormalInverseWishart
    >>> law = NormalInverseWishart(np.zeros(2), 1.0, np.eye(2), 4.0)
    >>> law.mode.cov.tolist(), law.marginal_mean.df
    ([[0.125, 0.0], [0.0, 0.125]], 3.0)
    >>> X = [[1.0, 0.0], [2.0, 1.0], [0.0, 1.0]]
    >>> (11 * MultivariateNormal.fit(X, prior=law).cov).round(7).tolist()
    [[3.75, 0.5], [0.5, 2.0]]
    """

    loc: Frozen
    kappa: float
    scale: Frozen
    df: float

    vectors = True

    def __post_init__(self) -> None:
        loc = frozen(np.atleast_1d(self.loc))
        finite(loc=loc)
        positive(kappa=self.kappa)
        object.__setattr__(self, "loc", loc)
        object.__setattr__(self, "scale", self.marginal_cov.scale)
        if loc.shape != self.scale.shape[:1]:
            raise ValueError(f"loc of shape {loc.shape} does not fit scale of shape {self.scale.shape}; give (d,)")

    @cached_property
    def marginal_cov(self) -> InverseWishart:
        """The law of Σ alone: inverse-Wishart."""
        return InverseWishart(self.scale, self.df)

    @property
    def marginal_mean(self) -> MultivariateT:
        """The law of μ alone: t with ν − d + 1 degrees of freedom and shape Ψ/(κ(ν − d + 1))."""
        df = self.df - len(self.loc) + 1.0
        return MultivariateT(df, self.loc, self.scale / (self.kappa * df))

    @property
    def mean(self) -> MeanCov:
        """m and Ψ/(ν − d − 1)."""
        return MeanCov(self.loc, self.marginal_cov.mean)

    @property
    def var(self) -> MeanCov:
        """The variances of the entries of μ and of Σ."""
        return MeanCov(self.marginal_mean.var, self.marginal_cov.var)

    @property
    def mode(self) -> MeanCov:
        """m and Ψ/(ν + d + 2), the joint mode."""
        return MeanCov(self.loc, self.scale / (self.df + len(self.loc) + 2.0))

    @property
    def n_parameters(self) -> int:
        d = len(self.loc)
        return d + 2 + d * (d + 1) // 2

    @property
    def log_norm(self) -> float:
        """That of the inverse-Wishart law, less ½ d log κ."""
        return self.marginal_cov.log_norm - 0.5 * len(self.loc) * np.log(self.kappa)

    def log_density(self, x: tuple[ArrayLike, ArrayLike]) -> Numbers:
        """log p(μ, Σ) of a pair, or of stacks of means (n, d) and covariances (n, d, d)."""
        mean, cov = check_points(x[0], self.loc.shape), np.asarray(x[1], dtype=float)
        outer = self.marginal_cov.log_density(cov)
        cov = np.where(np.isfinite(outer)[..., None, None], cov, np.eye(len(self.loc)))
        off = (mean - self.loc)[..., None]
        square = self.kappa * np.sum(off * np.linalg.solve(cov, off), axis=(-1, -2))
        constant = len(self.loc) * (LOG_2PI - np.log(self.kappa))
        return outer - 0.5 * (square + np.linalg.slogdet(cov)[1] + constant)

    def sample(self, n: int, rng: np.random.Generator) -> MeanCov:
        """n pairs, as a `MeanCov` of stacks."""
        cov = self.marginal_cov.sample(n, rng)
        z = rng.standard_normal((n, len(self.loc), 1))
        return MeanCov(self.loc + (np.linalg.cholesky(cov) @ z)[..., 0] / np.sqrt(self.kappa), cov)

    def entropy(self) -> float:
        """H(Σ) + ½ E[log|2πe Σ/κ|]."""
        d, inner = len(self.loc), self.marginal_cov
        return inner.entropy() + 0.5 * (d * (LOG_2PI + 1.0 - np.log(self.kappa)) + inner.mean_log_det)

    def given(self, statistics: Moments) -> NormalInverseWishart:
        """The posterior law after data with these moments; Murphy (2007), equations 250 to 254."""
        n, kappa = statistics.weight, self.kappa + statistics.weight
        off = statistics.mean - self.loc
        scale = self.scale + statistics.scatter + (self.kappa * n / kappa) * np.outer(off, off)
        return NormalInverseWishart(self.loc + n * off / kappa, kappa, scale, self.df + n)

    def mode_given(self, statistics: Moments) -> MultivariateNormal:
        """The normal law of greatest posterior density."""
        return MultivariateNormal(*self.given(statistics).mode)
