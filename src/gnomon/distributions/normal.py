"""Normal distributions.

    log p(x) = −½ (x − μ)ᵀ Σ⁻¹ (x − μ) − ½ log |2πΣ|                                               (1)

Gauss (1809), Theoria motus; Bishop (2006), Pattern Recognition and Machine Learning, section 2.3.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.special import ndtri

from gnomon.distributions._base import Distribution
from gnomon.numerics.energy import Energy

__all__ = ["MultivariateNormal", "Normal"]

LOG_2PI = np.log(2.0 * np.pi)


@dataclass(frozen=True)
class Normal(Distribution):
    """Normal law N(μ, σ²) of one variable, or one per entry of the arrays given.

    Parameters
    ----------
    mean : float or ndarray, default=0.0
    variance : float or ndarray, default=1.0
        σ² ≥ 0.

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 2.3.

    Examples
    --------
    >>> from gnomon.distributions import Normal
    >>> round(float(Normal(0.0, 4.0).log_density(2.0)), 7)
    -2.1120857
    >>> low, high = Normal(0.0, 4.0).interval(0.95)
    >>> round(float(low), 4), round(float(high), 4)
    (-3.9199, 3.9199)
    """

    mean: Any = 0.0
    variance: Any = 1.0

    def __post_init__(self):
        if not np.all(np.asarray(self.variance) >= 0.0):
            raise ValueError(f"variance={self.variance!r} must be ≥ 0; give a non-negative number")

    @property
    def std(self):
        """σ."""
        return np.sqrt(self.variance)

    @property
    def energy(self):
        return Energy("square", 0.5 / self.variance, self.mean)

    @classmethod
    def from_energy(cls, energy):
        """The normal law with −log p = factor · x² + constant."""
        if energy.shape != "square":
            raise ValueError(f"energy={energy!r} is not a square; a normal law belongs to an L2 penalty")
        return cls(energy.center, 0.5 / energy.factor)

    def joint(self, d):
        return MultivariateNormal(np.full(d, 1.0) * self.mean, np.diag(np.full(d, 1.0) * self.variance))

    def log_density(self, x):
        return -0.5 * ((x - self.mean) ** 2 / self.variance + np.log(self.variance) + LOG_2PI)

    def sample(self, n, rng):
        shape = np.broadcast_shapes(np.shape(self.mean), np.shape(self.variance))
        return self.mean + self.std * rng.standard_normal((n, *shape))

    def quantile(self, p):
        return self.mean + self.std * ndtri(p)

    def expected_log_density(self, other):
        # Quadratic in x: two moments of any law suffice.
        square = other.variance + (other.mean - self.mean) ** 2
        return -0.5 * (square / self.variance + np.log(self.variance) + LOG_2PI)


@dataclass(frozen=True, eq=False)
class MultivariateNormal(Distribution):
    """Normal law N(μ, Σ) of a vector.

    Parameters
    ----------
    mean : ndarray of shape (d,)
    cov : ndarray of shape (d, d)
        Σ, positive definite.

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 2.3.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import MultivariateNormal
    >>> law = MultivariateNormal(np.zeros(2), np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> round(float(law.log_density(np.array([1.0, 1.0]))), 7)
    -2.7205165
    """

    mean: Any
    cov: Any

    def __post_init__(self):
        mean, cov = np.asarray(self.mean, dtype=float), np.asarray(self.cov, dtype=float)
        if mean.ndim != 1 or cov.shape != (mean.size, mean.size):
            raise ValueError(f"mean of shape {mean.shape} does not fit cov of shape {cov.shape}; give (d,) and (d, d)")
        object.__setattr__(self, "mean", mean)
        object.__setattr__(self, "cov", cov)

    @cached_property
    def factor(self):
        """The lower triangular L with L Lᵀ = Σ."""
        try:
            return cholesky(self.cov, lower=True)
        except LinAlgError:
            smallest = np.linalg.eigvalsh(self.cov)[0]
            raise ValueError(f"cov is not positive definite: its least eigenvalue is {smallest:.3g}") from None

    @property
    def variance(self):
        """The diagonal of Σ: the variances of the coordinates."""
        return np.diag(self.cov)

    @property
    def std(self):
        """Standard deviations of the coordinates."""
        return np.sqrt(self.variance)

    @property
    def energy(self):
        if not np.array_equal(self.cov, self.cov[0, 0] * np.eye(self.mean.size)):
            raise ValueError("cov is not a multiple of the identity, so −log p is no sum of equal terms")
        return Energy("square", 0.5 / self.cov[0, 0], self.mean)

    def joint(self, d):
        if self.mean.size != d:
            raise ValueError(f"{self!r} is a law of {self.mean.size} coordinates where {d} are wanted; give others")
        return self

    @property
    def log_det(self):
        """log |Σ|."""
        return 2.0 * float(np.sum(np.log(np.diag(self.factor))))

    def log_density(self, x):
        white = solve_triangular(self.factor, np.atleast_2d(x - self.mean).T, lower=True)
        out = -0.5 * (np.sum(white**2, axis=0) + self.log_det + self.mean.size * LOG_2PI)
        return out[0] if np.ndim(x) == 1 else out

    def sample(self, n, rng):
        return self.mean + rng.standard_normal((n, self.mean.size)) @ self.factor.T

    def quantile(self, p):
        """Quantiles of every coordinate by itself."""
        return self.mean + self.std * ndtri(p)

    def expected_log_density(self, other):
        white = solve_triangular(self.factor, np.column_stack([other.mean - self.mean, other.factor]), lower=True)
        return -0.5 * (float(np.sum(white**2)) + self.log_det + self.mean.size * LOG_2PI)
