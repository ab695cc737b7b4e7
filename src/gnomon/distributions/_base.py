"""What a distribution is.

    E_P[f(X)] = ∫ f(x) p(x) dx,    H(P, Q) = −E_P[log q(X)],    H(P) = H(P, P)                      (1)

A distribution is an immutable value with a log-density, a sampler and its moments. Parameters may be arrays: then it is
one independent law per entry, and the verbs work elementwise. Cover & Thomas (2006), doi:10.1002/047174882X.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from scipy.integrate import quad

__all__ = ["Distribution"]


class Distribution(ABC):
    """Base of every distribution.

    Attributes
    ----------
    mean, variance
        The first moment and the second central one; a law of vectors has `cov` instead of the latter.

    References
    ----------
    Cover, T. & Thomas, J. (2006). Elements of Information Theory. doi:10.1002/047174882X

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import Normal
    >>> law = Normal(mean=1.0, variance=4.0)
    >>> round(float(law.log_density(1.0)), 7)
    -1.6120857
    >>> law.sample(2, np.random.default_rng(0)).shape
    (2,)
    """

    mean: Any

    @abstractmethod
    def log_density(self, x):
        """log p(x); the logarithm of a probability for a discrete law."""

    @abstractmethod
    def sample(self, n, rng):
        """n independent draws, along the first axis, from the generator `rng`."""

    @property
    def energy(self):
        """−log p as a word and a factor, for the losses and penalties that are made of it."""
        raise ValueError(f"{self!r} is not the energy of a named loss or penalty")

    def joint(self, d):
        """The law of a vector of d coordinates: independent copies, or the law itself if it is one of vectors."""
        raise ValueError(f"{self!r} has no joint law for {d} coordinates; choose Normal or MultivariateNormal")

    def quantile(self, p):
        """The x with P(X ≤ x) = p."""
        raise NotImplementedError(f"{type(self).__name__} has no quantiles")

    def interval(self, level=0.95):
        """The central interval (low, high) of probability `level`."""
        if not 0.0 < level < 1.0:
            raise ValueError(f"level={level!r} must be in (0, 1); 0.95 is usual")
        return self.quantile(0.5 - 0.5 * level), self.quantile(0.5 + 0.5 * level)

    def expect(self, f):
        """E[f(X)] by adaptive quadrature over the quantiles, for one continuous variable."""
        value, _ = quad(lambda p: f(self.quantile(p)), 0.0, 1.0, points=(1e-6, 0.5, 1.0 - 1e-6), limit=200)
        return value

    def expected_log_density(self, other):
        """E[log p(X)] of this density p under the law `other` of X."""
        return other.expect(self.log_density)

    def entropy(self):
        """H(P) in nats."""
        return -self.expected_log_density(self)


def positive(**values):
    """Refuse parameters that are not above zero."""
    for name, value in values.items():
        if not np.all(np.asarray(value) > 0.0):
            raise ValueError(f"{name}={value!r} must be > 0; give a positive number")
