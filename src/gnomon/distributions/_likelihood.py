"""Likelihood of a law, given data.

    ℓ(θ) = Σᵢ sᵢ log p_θ(xᵢ)                                                                       (1)

the same for densities and probabilities. Fisher (1922), doi:10.1098/rsta.1922.0009.
"""

from __future__ import annotations

import numpy as np

from gnomon._typing import ArrayLike, MatrixLike
from gnomon.distributions._base import Distribution, check_sample

__all__ = ["likelihood", "log_likelihood"]


def log_likelihood(dist: Distribution, X: MatrixLike, sample_weight: ArrayLike | None = None) -> float:
    """Equation (1): the log-density of independent rows.

    Parameters
    ----------
    dist : Distribution
    X : array-like of shape (n,) or (n, d)
    sample_weight : array-like of shape (n,), optional
        A weight of two is the row twice, and one of zero leaves it out, even where it is impossible.

    Returns
    -------
    float

    References
    ----------
    Fisher, R. A. (1922). On the mathematical foundations of theoretical statistics. doi:10.1098/rsta.1922.0009

    Examples
    --------
    >>> from gnomon.distributions import Bernoulli, log_likelihood
    >>> round(log_likelihood(Bernoulli(0.5), [1, 0, 1]), 7)
    -2.0794415
    """
    logs = np.asarray(dist.row_log_density(X if dist.vectors else np.asarray(X)), dtype=float)
    _, weights = check_sample(np.zeros(logs.shape), sample_weight)
    return float(weights[weights > 0.0] @ logs[weights > 0.0])


def likelihood(dist: Distribution, X: MatrixLike, sample_weight: ArrayLike | None = None) -> float:
    """exp ℓ, the raw product of the densities: it underflows beyond some hundreds of rows, unlike `log_likelihood`.

    Parameters
    ----------
    dist : Distribution
    X : array-like of shape (n,) or (n, d)
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    float

    References
    ----------
    Fisher, R. A. (1922). On the mathematical foundations of theoretical statistics. doi:10.1098/rsta.1922.0009

    Examples
    --------
    >>> from gnomon.distributions import Bernoulli, likelihood
    >>> round(likelihood(Bernoulli(0.5), [1, 0, 1]), 7)
    0.125
    """
    return float(np.exp(log_likelihood(dist, X, sample_weight)))
