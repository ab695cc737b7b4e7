"""Entropy, cross-entropy and Kullback–Leibler divergence.

    H(P, Q) = −E_P[log q(X)],    H(P) = H(P, P),    KL(P‖Q) = H(P, Q) − H(P) ≥ 0                    (1)

The first argument is the law of the expectation. H(P, ·) is least at Q = P (Gibbs). Cover & Thomas (2006), chapters 2
and 8, doi:10.1002/047174882X.
"""

import numpy as np

from gnomon.distributions._base import Distribution
from gnomon.distributions.categorical import Categorical

__all__ = ["cross_entropy", "entropy", "kl_divergence"]


def cross_entropy(p, q, *, base=None):
    """H(P, Q) = −E_P[log q(X)]: the mean surprise of who believes Q while P holds.

    Parameters
    ----------
    p, q : Distribution, or array of shape (..., K)
        Arrays are probability vectors (0 log 0 = 0; p > 0 where q = 0 gives infinity), one result per row.
    base : float, optional
        Base of the logarithm: nats by default, 2 for bits.

    Returns
    -------
    float or ndarray

    References
    ----------
    Cover, T. & Thomas, J. (2006). Elements of Information Theory. doi:10.1002/047174882X

    Examples
    --------
    >>> from gnomon.distributions import cross_entropy
    >>> float(cross_entropy([0.5, 0.5], [0.25, 0.75], base=2).round(6))
    1.207519
    """
    return -_law(q).expected_log_density(_law(p)) / _unit(base)


def entropy(p, *, base=None):
    """H(P) = −E_P[log p(X)]; for a density, its differential entropy.

    Parameters
    ----------
    p : Distribution, or array of shape (..., K)
    base : float, optional
        Base of the logarithm: nats by default, 2 for bits.

    Returns
    -------
    float or ndarray

    References
    ----------
    Cover, T. & Thomas, J. (2006). Elements of Information Theory. doi:10.1002/047174882X

    Examples
    --------
    >>> from gnomon.distributions import Normal, entropy
    >>> float(entropy([0.5, 0.25, 0.25], base=2))
    1.5
    >>> round(float(entropy(Normal(0.0, 1.0))), 7)
    1.4189385
    """
    return _law(p).entropy() / _unit(base)


def kl_divergence(p, q, *, base=None):
    """KL(P‖Q) = E_P[log p(X)/q(X)] ≥ 0, zero only for Q = P.

    Parameters
    ----------
    p, q : Distribution, or array of shape (..., K)
        The expectation is under the first.
    base : float, optional
        Base of the logarithm: nats by default, 2 for bits.

    Returns
    -------
    float or ndarray

    References
    ----------
    Kullback, S. & Leibler, R. (1951). On information and sufficiency. doi:10.1214/aoms/1177729694

    Examples
    --------
    >>> from gnomon.distributions import Normal, kl_divergence
    >>> float(kl_divergence([0.5, 0.5], [0.25, 0.75], base=2).round(6))
    0.207519
    >>> round(float(kl_divergence(Normal(1.0, 1.0), Normal(0.0, 4.0))), 7)
    0.4431472
    """
    p, q = _law(p), _law(q)
    return -(q.expected_log_density(p) + p.entropy()) / _unit(base)


def _law(p):
    return p if isinstance(p, Distribution) else Categorical(p)


def _unit(base):
    if base is not None and not (base > 0.0 and base != 1.0):
        raise ValueError(f"base={base!r} must be positive and not 1; 2 gives bits, None nats")
    return 1.0 if base is None else np.log(base)
