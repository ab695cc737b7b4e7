"""Entropy, cross-entropy and Kullback–Leibler divergence.

    H(P, Q) = −E_P[log q(X)],    H(P) = H(P, P),    KL(P‖Q) = H(P, Q) − H(P) ≥ 0                    (1)

The first argument is the law of the expectation. H(P, ·) is least at Q = P (Gibbs). Cover & Thomas (2006), chapters 2
and 8, doi:10.1002/047174882X.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np

from gnomon._typing import ArrayLike, Floats, Numbers, RandomState
from gnomon.distributions._base import Distribution
from gnomon.distributions.categorical import Categorical
from gnomon.numerics.random import check_rng

__all__ = ["MonteCarlo", "cross_entropy", "entropy", "kl_divergence"]

Law: TypeAlias = Distribution | ArrayLike
"""A law; an array holds the probabilities of 0, …, K − 1."""


class MonteCarlo(NamedTuple):
    """A mean over draws.

    Parameters
    ----------
    value : float
    standard_error : float
        The deviation of the terms over the root of their number; zero where the value is infinite, which is certain.

    References
    ----------
    Robert, C. P. & Casella, G. (2004). Monte Carlo Statistical Methods, section 3.2. doi:10.1007/978-1-4757-4145-2

    Examples
    --------
    >>> from gnomon.distributions import Normal, entropy
    >>> found = entropy(Normal(0.0, 1.0), n_samples=10_000, random_state=0)
    >>> abs(found.value - 1.4189385) < 4 * found.standard_error
    True
    """

    value: float
    standard_error: float


@overload
def cross_entropy(
    p: Law, q: Law, *, base: float | None = None, n_samples: None = None, random_state: RandomState = None
) -> Numbers: ...


@overload
def cross_entropy(
    p: Law, q: Law, *, base: float | None = None, n_samples: int, random_state: RandomState = None
) -> MonteCarlo: ...


def cross_entropy(
    p: Law, q: Law, *, base: float | None = None, n_samples: int | None = None, random_state: RandomState = None
) -> Numbers | MonteCarlo:
    """H(P, Q) = −E_P[log q(X)]: the mean of −log q(X) for X drawn from P.

    Parameters
    ----------
    p, q : Distribution, or array of shape (..., K)
        Arrays are probability vectors (0 log 0 = 0; p > 0 where q = 0 gives infinity), one result per row.
    base : float, optional
        Base of the logarithm: nats by default, 2 for bits.
    n_samples : int, optional
        Draws from P for a Monte Carlo estimate. By default the closed form, the sum, or quadrature in one or two
        dimensions; where there is none of them, an error asks for this number.
    random_state : int, Generator or RandomState, optional
        Of the draws.

    Returns
    -------
    float or ndarray; `MonteCarlo` with `n_samples`

    References
    ----------
    Cover, T. & Thomas, J. (2006). Elements of Information Theory. doi:10.1002/047174882X

    Examples
    --------
    >>> from gnomon.distributions import cross_entropy
    >>> float(cross_entropy([0.5, 0.5], [0.25, 0.75], base=2).round(6))
    1.207519
    """
    p, q, unit = _law(p), _law(q), _unit(base)
    if n_samples is None:
        return -q.expected_log_density(p) / unit
    return _mean(lambda x: -q.row_log_density(x) / unit, p, n_samples, random_state)


@overload
def entropy(
    p: Law, *, base: float | None = None, n_samples: None = None, random_state: RandomState = None
) -> Numbers: ...


@overload
def entropy(p: Law, *, base: float | None = None, n_samples: int, random_state: RandomState = None) -> MonteCarlo: ...


def entropy(
    p: Law, *, base: float | None = None, n_samples: int | None = None, random_state: RandomState = None
) -> Numbers | MonteCarlo:
    """H(P) = −E_P[log p(X)]; for a density, its differential entropy.

    Parameters
    ----------
    p : Distribution, or array of shape (..., K)
    base : float, optional
        Base of the logarithm: nats by default, 2 for bits.
    n_samples, random_state
        As for `cross_entropy`.

    Returns
    -------
    float or ndarray; `MonteCarlo` with `n_samples`

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
    p = _law(p)
    if n_samples is not None:
        return cross_entropy(p, p, base=base, n_samples=n_samples, random_state=random_state)
    return p.entropy() / _unit(base)


@overload
def kl_divergence(
    p: Law, q: Law, *, base: float | None = None, n_samples: None = None, random_state: RandomState = None
) -> Numbers: ...


@overload
def kl_divergence(
    p: Law, q: Law, *, base: float | None = None, n_samples: int, random_state: RandomState = None
) -> MonteCarlo: ...


def kl_divergence(
    p: Law, q: Law, *, base: float | None = None, n_samples: int | None = None, random_state: RandomState = None
) -> Numbers | MonteCarlo:
    """KL(P‖Q) = E_P[log p(X)/q(X)] ≥ 0, zero only for Q = P.

    Parameters
    ----------
    p, q : Distribution, or array of shape (..., K)
        The expectation is under the first.
    base : float, optional
        Base of the logarithm: nats by default, 2 for bits.
    n_samples, random_state
        As for `cross_entropy`.

    Returns
    -------
    float or ndarray; `MonteCarlo` with `n_samples`

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
    p, q, unit = _law(p), _law(q), _unit(base)
    if n_samples is None:
        return -(q.expected_log_density(p) + p.entropy()) / unit
    return _mean(lambda x: (p.row_log_density(x) - q.row_log_density(x)) / unit, p, n_samples, random_state)


def _mean(terms: Callable[[Any], Floats], p: Distribution, n: int, random_state: RandomState) -> MonteCarlo:
    values = terms(p.sample(n, check_rng(random_state)))
    if np.any(np.isposinf(values)):
        return MonteCarlo(np.inf, 0.0)
    return MonteCarlo(float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(n)))


def _law(p: Law) -> Distribution:
    return p if isinstance(p, Distribution) else Categorical(p)


def _unit(base: float | None) -> float:
    if base is not None and not (base > 0.0 and base != 1.0):
        raise ValueError(f"base={base!r} must be positive and not 1; 2 gives bits, None nats")
    return 1.0 if base is None else np.log(base)
