"""Student's t, of one variable and of a vector.

    p(x) = Γ((ν+d)/2) / (Γ(ν/2) |πνΣ|^½) · (1 + (x − μ)ᵀΣ⁻¹(x − μ)/ν)^{−(ν+d)/2}                     (1)
    σ² ~ InverseGamma(a, b),  x | σ² ~ N(μ, σ²V)    ⇒    x ~ t with ν = 2a, Σ = (b/a) V             (2)

Gelman et al. (2013), Bayesian Data Analysis, sections 3.2 and 14.2, doi:10.1201/b16018.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import gammaln, stdtrit

from gnomon.distributions._base import Distribution, positive
from gnomon.distributions.normal import MultivariateNormal

__all__ = ["MultivariateT", "StudentT"]


@dataclass(frozen=True)
class StudentT(Distribution):
    """Student's t with ν degrees of freedom, moved and scaled.

    Parameters
    ----------
    df : float
        ν > 0. The mean exists for ν > 1, the variance for ν > 2.
    location : float or ndarray, default=0.0
    scale : float or ndarray, default=1.0
        The root of Σ in (1); the standard deviation is scale · √(ν/(ν − 2)).

    References
    ----------
    Gelman, A. et al. (2013). Bayesian Data Analysis, section 3.2. doi:10.1201/b16018

    Examples
    --------
    >>> from gnomon.distributions import StudentT
    >>> law = StudentT(df=5.0, location=1.0, scale=2.0)
    >>> round(float(law.log_density(1.0)), 6), round(law.var, 6)
    (-1.661767, 6.666667)
    """

    df: float
    location: Any = 0.0
    scale: Any = 1.0

    def __post_init__(self):
        positive(df=self.df, scale=self.scale)

    @property
    def mean(self):
        """The location, for ν > 1."""
        return self.location if self.df > 1.0 else np.nan * self.location

    @property
    def var(self):
        """scale² ν/(ν − 2), for ν > 2."""
        return self.scale**2 * (self.df / (self.df - 2.0) if self.df > 2.0 else np.inf)

    @property
    def std(self):
        """The root of the variance."""
        return np.sqrt(self.var)

    def log_density(self, x):
        return _log_t((x - self.location) ** 2 / self.scale**2, self.df, 1, 2.0 * np.log(self.scale))

    def sample(self, n, rng):
        shape = np.broadcast_shapes(np.shape(self.location), np.shape(self.scale))
        return self.location + self.scale * rng.standard_t(self.df, size=(n, *shape))

    def quantile(self, p):
        return self.location + self.scale * stdtrit(self.df, p)


@dataclass(frozen=True, eq=False)
class MultivariateT(Distribution):
    """Student's t of a vector; `shape` is Σ in (1), and the covariance is Σ ν/(ν − 2).

    Parameters
    ----------
    df : float
        ν > 0.
    location : ndarray of shape (d,)
    shape : ndarray of shape (d, d)
        Positive definite.

    References
    ----------
    Gelman, A. et al. (2013). Bayesian Data Analysis, section 14.2. doi:10.1201/b16018

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import MultivariateT
    >>> law = MultivariateT(4.0, np.zeros(2), np.eye(2))
    >>> law.cov
    array([[2., 0.],
           [0., 2.]])
    >>> round(float(law.log_density(np.zeros(2))), 7)
    -1.8378771
    """

    df: float
    location: Any
    shape: Any

    def __post_init__(self):
        positive(df=self.df)

    @cached_property
    def base(self):
        """The normal law with mean μ and covariance Σ."""
        return MultivariateNormal(self.location, self.shape)

    @property
    def mean(self):
        """The location, for ν > 1."""
        return self.base.mean if self.df > 1.0 else np.nan * self.base.mean

    @property
    def cov(self):
        """Σ ν/(ν − 2), for ν > 2."""
        return self.base.cov * (self.df / (self.df - 2.0) if self.df > 2.0 else np.inf)

    @property
    def var(self):
        """The variances of the coordinates."""
        return np.diag(self.cov)

    @property
    def std(self):
        """Standard deviations of the coordinates."""
        return np.sqrt(self.var)

    def log_density(self, x):
        base = self.base
        white = solve_triangular(base.factor, np.atleast_2d(x - base.mean).T, lower=True)
        out = _log_t(np.sum(white**2, axis=0), self.df, base.mean.size, base.log_det)
        return out[0] if np.ndim(x) == 1 else out

    def sample(self, n, rng):
        stretch = np.sqrt(self.df / rng.chisquare(self.df, size=(n, 1)))
        return self.base.mean + stretch * (self.base.sample(n, rng) - self.base.mean)

    def quantile(self, p):
        """Quantiles of every coordinate by itself."""
        return self.base.mean + self.base.std * stdtrit(self.df, p)


def _log_t(square, df, d, log_det):
    norm = gammaln(0.5 * (df + d)) - gammaln(0.5 * df) - 0.5 * d * np.log(np.pi * df)
    return norm - 0.5 * log_det - 0.5 * (df + d) * np.log1p(square / df)
