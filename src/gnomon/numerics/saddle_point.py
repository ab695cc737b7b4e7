"""Log-densities of counts and of their conjugate laws that keep their digits at any size: Loader's saddle-point form.

    log λᵏe^{−λ}/k! = −D(k, λ) − δ(k) − ½ log 2πk,    D(k, λ) = k log(k/λ) + λ − k ≥ 0               (1)
    δ(k) = log k! − (½ log 2πk + k log k − k) ≈ 1/12k − 1/360k³ + …                                 (2)

In k log λ − λ − log k! terms as large as k log k cancel down to a few nats; in (1) every term is as small as the
result. Laws that condition Poisson counts on their sum (binomial, multinomial) and those with the roles of count and
parameter exchanged (gamma, beta, Dirichlet) are sums of (1). Loader (2000), Fast and accurate computation of binomial
probabilities, https://www.r-project.org/doc/reports/CLoader-dbinom-2002.pdf.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from gnomon._typing import ArrayLike, Bools, Floats, Numbers

__all__ = [
    "log_beta",
    "log_binomial",
    "log_dirichlet_multinomial",
    "log_gamma_ratio",
    "log_multinomial",
    "log_poisson",
    "log_ratio",
    "poisson_deviance",
    "stirling_error",
    "two_product",
]

NEAR = 0.1
"""|k − λ|/(k + λ) below which D is summed as a series; Loader, section 3."""

LARGE = 15.0
"""k from which the series (2) has all digits; Loader, section 2."""

SERIES = 1.0 / np.array([12.0, -360.0, 1260.0, -1680.0, 1188.0, -360360.0 / 691.0, 156.0])
"""Coefficients of k⁻¹, k⁻³, … in (2); Abramowitz & Stegun (1964), 6.1.41."""


def stirling_error(k: ArrayLike) -> Floats:
    """δ(k) of (2), for k > 0.

    References
    ----------
    Loader, C. (2000). Fast and accurate computation of binomial probabilities.

    Examples
    --------
    >>> from gnomon.numerics.saddle_point import stirling_error
    >>> stirling_error([1.0, 100.0]).round(8)
    array([0.08106147, 0.00083333])
    """
    k = np.asarray(k, dtype=float)
    large, small = np.maximum(k, LARGE), np.clip(k, np.finfo(float).smallest_subnormal, LARGE)
    series = np.polynomial.polynomial.polyval((1.0 / large) ** 2, SERIES) / large
    exact = gammaln(small + 1.0) - (0.5 * np.log(2.0 * np.pi * small) + small * np.log(small) - small)
    return np.where(k >= LARGE, series, exact)


def poisson_deviance(
    k: ArrayLike, rate: ArrayLike, excess: ArrayLike | None = None, log_rate: ArrayLike | None = None
) -> Floats:
    """D(k, λ) of (1), half the deviance of a Poisson law: 0 at k = λ, infinite for k > 0 = λ.

    Parameters
    ----------
    k, rate : array-like
        Numbers ≥ 0.
    excess : array-like, optional
        k − λ, where it is known to more digits than the difference of k and λ shows.
    log_rate : array-like, optional
        log λ, where λ itself may under- or overflow.

    References
    ----------
    Loader, C. (2000). Fast and accurate computation of binomial probabilities, section 3.

    Examples
    --------
    >>> from gnomon.numerics.saddle_point import poisson_deviance
    >>> float(poisson_deviance(1e15 + 4e7, 1e15)), float(poisson_deviance(0.0, 3.0))
    (0.7999999893333335, 3.0)
    """
    k, rate = np.broadcast_arrays(np.asarray(k, dtype=float), np.asarray(rate, dtype=float))
    d = k - rate if excess is None else np.broadcast_to(np.asarray(excess, dtype=float), k.shape)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        total = 0.5 * k + 0.5 * rate
        v = np.where(total > 0.0, 0.5 * d / total, 0.0)
        u = np.where(np.abs(v) < NEAR, v, 0.0)
        # log(k/λ) = 2 artanh v, so D = v(k − λ) + 2k (artanh v − v).
        tail = np.polynomial.polynomial.polyval(u * u, 1.0 / np.arange(3.0, 22.0, 2.0))
        logs = log_ratio(k, rate)
        if log_rate is not None:
            logs = np.where(_is_normal(rate), logs, np.log(k) - log_rate)
        far = np.where(k > 0.0, k * logs - d, rate)
        return np.where(np.abs(v) < NEAR, d * u + 2.0 * k * u**3 * tail, far)


def log_poisson(
    k: ArrayLike, rate: ArrayLike, excess: ArrayLike | None = None, log_rate: ArrayLike | None = None
) -> Floats:
    """log λᵏ e^{−λ} / Γ(k + 1) by (1), for whole k and others.

    Parameters
    ----------
    k, rate : array-like
        Numbers ≥ 0.
    excess : array-like, optional
        k − λ, where it is known to more digits.
    log_rate : array-like, optional
        log λ, where λ itself may under- or overflow.

    References
    ----------
    Loader, C. (2000). Fast and accurate computation of binomial probabilities.

    Examples
    --------
    >>> import math
    >>> from gnomon.numerics.saddle_point import log_poisson
    >>> round(float(log_poisson(3, 2.0)), 12) == round(3 * math.log(2.0) - 2.0 - math.log(6.0), 12)
    True
    >>> round(float(log_poisson(1e100, 1e100)), 6)
    -116.048193
    """
    k = np.asarray(k, dtype=float)
    safe = np.where(k > 0.0, k, 1.0)
    own = np.where(k > 0.0, stirling_error(safe) + 0.5 * np.log(2.0 * np.pi) + 0.5 * np.log(safe), 0.0)
    return -poisson_deviance(k, rate, excess, log_rate) - own


def log_ratio(a: ArrayLike, b: ArrayLike) -> Floats:
    """log(a/b) for a, b ≥ 0, also where the quotient under- or overflows.

    References
    ----------
    Higham, N. J. (2002). Accuracy and Stability of Numerical Algorithms, section 2.1. doi:10.1137/1.9780898718027

    Examples
    --------
    >>> from gnomon.numerics.saddle_point import log_ratio
    >>> round(float(log_ratio(1e-300, 1e300)), 6)
    -1381.551056
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        ratio = a / b
        return np.where(_is_normal(ratio), np.log(ratio), np.log(a) - np.log(b))


def _is_normal(a: Floats) -> Bools:
    """Whether a number has all its digits: a subnormal one has lost some, zero or infinity all."""
    return (a >= np.finfo(float).tiny) & (a < np.inf)


def log_multinomial(counts: ArrayLike, probabilities: ArrayLike) -> Floats:
    """log Γ(n + 1) Πⱼ pⱼ^{kⱼ} / Γ(kⱼ + 1), n = Σ kⱼ, along the last axis: Poisson counts, given their sum.

    Probabilities that sum to 1 but for rounding count as if they did exactly.

    References
    ----------
    Loader, C. (2000). Fast and accurate computation of binomial probabilities.

    Examples
    --------
    >>> import math
    >>> from gnomon.numerics.saddle_point import log_multinomial
    >>> round(math.exp(log_multinomial([1, 2, 0], [0.5, 0.25, 0.25])), 12), 3 * 0.5 * 0.25**2
    (0.09375, 0.09375)
    """
    k, p = np.asarray(counts, dtype=float), np.asarray(probabilities, dtype=float)
    n = np.sum(k, axis=-1)
    rate, rest = two_product(n[..., None], p)
    with np.errstate(divide="ignore"):
        log_rate = np.log(n)[..., None] + np.log(p)
    return np.sum(log_poisson(k, rate, (k - rate) - rest, log_rate), axis=-1) - log_poisson(n, n)


def log_binomial(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> Floats:
    """log C(n, k) pᵏ (1 − p)ⁿ⁻ᵏ, for 0 ≤ k ≤ n, whole or not.

    References
    ----------
    Loader, C. (2000). Fast and accurate computation of binomial probabilities, equation 4.

    Examples
    --------
    >>> import math
    >>> from gnomon.numerics.saddle_point import log_binomial
    >>> round(float(log_binomial(2, 5, 0.25)), 12) == round(math.log(10 * 0.25**2 * 0.75**3), 12)
    True
    """
    k, n, p = (np.asarray(a, dtype=float) for a in (k, n, p))
    rate, rest = two_product(n, p)
    # The counts of both outcomes miss their means by the same number.
    excess = (k - rate) - rest
    with np.errstate(divide="ignore"):
        log_rate = np.log(n) + np.log(p)
    return log_poisson(k, rate, excess, log_rate) + log_poisson(n - k, n * (1.0 - p), -excess) - log_poisson(n, n)


def log_beta(x: ArrayLike, a: ArrayLike, b: ArrayLike) -> Floats:
    """log x^{a−1} (1 − x)^{b−1} / B(a, b), for 0 < x < 1.

    References
    ----------
    Loader, C. (2000). Fast and accurate computation of binomial probabilities.

    Examples
    --------
    >>> import math
    >>> from gnomon.numerics.saddle_point import log_beta
    >>> round(float(log_beta(0.25, 2.0, 3.0)), 12) == round(math.log(12 * 0.25 * 0.75**2), 12)
    True
    """
    x, a, b = (np.asarray(v, dtype=float) for v in (x, a, b))
    n, y = a + b, 1.0 - x
    # a − nx = ay − bx, and y is 1 − x but for (1 − y) − x.
    (up, up_rest), (down, down_rest) = two_product(a, y), two_product(b, x)
    excess = (up - down) + (up_rest - down_rest + a * ((1.0 - y) - x))
    up_log, down_log = np.log(n) + np.log(x), np.log(n) + np.log1p(-x)
    up, down = log_poisson(a, n * x, excess, up_log), log_poisson(b, n * y, -excess, down_log)
    return up + down - log_poisson(n, n) + log_ratio(a, x) + log_ratio(b, n) - np.log1p(-x)


def log_dirichlet_multinomial(counts: ArrayLike, alpha: ArrayLike) -> Floats:
    """The multinomial law of counts, averaged over a Dirichlet(α) law of its probabilities, along the last axis.

    log n!/Πⱼkⱼ! · B(α + k)/B(α), n = Σ kⱼ: negative binomial counts, given their sum, each of them kⱼ successes before
    αⱼ failures at the odds n : Σ αⱼ.

    References
    ----------
    Johnson, N. L., Kotz, S. & Balakrishnan, N. (1997). Discrete Multivariate Distributions, chapter 35.

    Examples
    --------
    Under the uniform law of a probability every number of successes is as likely as any other:

    >>> import numpy as np
    >>> from gnomon.numerics.saddle_point import log_dirichlet_multinomial
    >>> np.exp(log_dirichlet_multinomial([[2, 2], [0, 4]], [1.0, 1.0])).round(12)
    array([0.2, 0.2])
    """
    k, a = np.broadcast_arrays(np.asarray(counts, dtype=float), np.asarray(alpha, dtype=float))
    n, A = np.sum(k, axis=-1, keepdims=True), np.sum(a, axis=-1, keepdims=True)
    (up, up_rest), (down, down_rest) = two_product(k, A), two_product(a, n)
    excess = ((up - down) + (up_rest - down_rest)) / (n + A)
    return np.sum(_log_waiting(k, a, n, A, excess), axis=-1) - _log_waiting(n, A, n, A, np.zeros_like(n))[..., 0]


def _log_waiting(k: Floats, a: Floats, n: Floats, A: Floats, excess: Floats) -> Floats:
    """log of k successes before the a-th failure at the odds n : A; `excess` is k less its share of k + a."""
    m = k + a
    both = log_poisson(k, m * (n / (n + A)), excess) + log_poisson(a, m * (A / (n + A)), -excess)
    return both - log_poisson(m, m) + log_ratio(a, m)


def log_gamma_ratio(a: ArrayLike, x: ArrayLike) -> Floats:
    """log Γ(a + x)/Γ(a), for a, x ≥ 0.

    References
    ----------
    Loader, C. (2000). Fast and accurate computation of binomial probabilities.

    Examples
    --------
    >>> import math
    >>> from gnomon.numerics.saddle_point import log_gamma_ratio
    >>> round(float(log_gamma_ratio(4.0, 2.0)), 12) == round(math.log(4 * 5), 12)
    True
    >>> float(log_gamma_ratio(1e15, 2.0)) == 2 * math.log(1e15)
    True
    """
    a, x = np.asarray(a, dtype=float), np.asarray(x, dtype=float)
    large = np.maximum(a, LARGE)
    n = large + x
    by_series = x * np.log(n) + ((large - 0.5) * np.log1p(x / large) - x) + stirling_error(n) - stirling_error(large)
    with np.errstate(invalid="ignore"):
        small = np.where(x > 0.0, gammaln(a + x) - gammaln(a), 0.0)
    return np.where(a >= LARGE, by_series, small)


def two_product(a: ArrayLike, b: ArrayLike) -> tuple[Numbers, Numbers]:
    """a·b rounded, and what the rounding left: their sum is the product exactly.

    References
    ----------
    Dekker, T. J. (1971). A floating-point technique for extending the available precision. doi:10.1007/BF01397083

    Examples
    --------
    >>> from gnomon.numerics.saddle_point import two_product
    >>> high, rest = two_product(1e8 + 1.0, 1e8 - 1.0)
    >>> int(high) + int(rest) == 10**16 - 1
    True
    """
    # Mantissas below one cannot overflow when they are split.
    (a, ea), (b, eb) = np.frexp(np.asarray(a, dtype=float)), np.frexp(np.asarray(b, dtype=float))
    a1, b1 = _upper_half(a), _upper_half(b)
    a2, b2 = a - a1, b - b1
    high = a * b
    rest = ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2
    with np.errstate(over="ignore", under="ignore"):
        product, rest = np.ldexp(high, ea + eb), np.ldexp(rest, ea + eb)
    return product, np.where(np.isfinite(product), rest, 0.0)


def _upper_half(a: Floats) -> Floats:
    raised = a * 134217729.0  # 2²⁷ + 1
    return raised - (raised - a)
