"""Laplace distribution.

    log p(x) = −|x − μ| / b − log(2b)                                                             (1)

Laplace (1774); Kotz, Kozubowski & Podgórski (2001), doi:10.1007/978-1-4612-0173-1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon.distributions._base import Distribution, positive
from gnomon.numerics.energy import Energy

__all__ = ["Laplace"]


@dataclass(frozen=True)
class Laplace(Distribution):
    """Laplace law of one variable, with variance 2b².

    Parameters
    ----------
    mean : float or ndarray, default=0.0
    scale : float or ndarray, default=1.0
        b > 0.

    References
    ----------
    Kotz, S., Kozubowski, T. & Podgórski, K. (2001). The Laplace Distribution and Generalizations.
    doi:10.1007/978-1-4612-0173-1

    Examples
    --------
    >>> from gnomon.distributions import Laplace
    >>> round(float(Laplace(0.0, 2.0).log_density(2.0)), 7)
    -2.3862944
    """

    mean: Any = 0.0
    scale: Any = 1.0

    def __post_init__(self):
        positive(scale=self.scale)

    @property
    def var(self):
        """2b²."""
        return 2.0 * self.scale**2

    @property
    def energy(self):
        return Energy("modulus", 1.0 / self.scale, self.mean)

    @classmethod
    def from_energy(cls, energy):
        """The Laplace law with −log p = factor · |x| + constant."""
        if energy.shape != "modulus":
            raise ValueError(f"energy={energy!r} is not a modulus; a Laplace law belongs to an L1 penalty")
        return cls(energy.center, 1.0 / energy.factor)

    def log_density(self, x):
        return -np.abs(x - self.mean) / self.scale - np.log(2.0 * self.scale)

    def sample(self, n, rng):
        shape = np.broadcast_shapes(np.shape(self.mean), np.shape(self.scale))
        return rng.laplace(self.mean, self.scale, size=(n, *shape))

    def quantile(self, p):
        # Both branches are evaluated, so each gets only the half that it is meant for.
        below, above = np.minimum(p, 0.5), np.minimum(1.0 - np.asarray(p), 0.5)
        return self.mean + self.scale * (np.log(2.0 * below) - np.log(2.0 * above))
