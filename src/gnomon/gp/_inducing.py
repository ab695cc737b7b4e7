"""A Gaussian process of many rows by its values at a few of them.

    Q = K_fu K_uu⁻¹ K_uf = VᵀV,    Â = Q + D,    B = I + V D⁻¹ Vᵀ                                            (1)
    log p(y) ≥ F = log N(y; 0, Â) − ½ Σᵢ (kᵢᵢ − qᵢᵢ)/dᵢ                                                     (2)
    log p(y) ≤ −½ yᵀ(Â + t I)⁻¹y − ½ log |Â| − (n/2) log 2π,    t = Σᵢ (kᵢᵢ − qᵢᵢ)                          (3)
    E f(x) = v(x)ᵀB⁻¹VD⁻¹y,    var f(x) = k(x, x) − v(x)ᵀ(I − B⁻¹)v(x),    v(x) = L_uu⁻¹k_u(x)              (4)

u are rows of the table, taken greedily where the variance that the others leave is largest, which is a pivoted
Cholesky factorisation. Memory is O(nm), time O(nm²). (1), (2) and (4): Titsias (2009), Variational learning of inducing
variables in sparse Gaussian processes, AISTATS; (3): Titsias (2014), Variational inference for Gaussian and
determinantal point processes; the choice of u: Burt, Rasmussen & van der Wilk (2020), JMLR 21.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

from gnomon._typing import Floats, Integers
from gnomon.base import count_rows, take_rows
from gnomon.distributions import Distribution
from gnomon.gp._observations import NoisyRows, Parameters, log_priors, read_laws
from gnomon.gp._tuning import Criterion, Tuned, tune
from gnomon.infer import Conditioned
from gnomon.kernels import Kernel
from gnomon.numerics.linalg import CholeskyPrecision, NotPositiveDefiniteError, Precision, factor_covariance
from gnomon.numerics.parallel import calm_blas, split_rows

__all__ = [
    "Bound",
    "InducingPrecision",
    "bound_criterion",
    "bound_of",
    "bound_slopes",
    "choose_rows",
    "condition_inducing",
]

BLOCK = 1 << 22
"""Covariances that are in memory at once beside V."""

NOTHING_LEFT = 1e-9
"""Share of the prior variance below which no further row is taken."""


@dataclass(frozen=True)
class InducingPrecision(Precision):
    """What (4) takes from the prior, as a form of the covariances k_u(x): K_uu⁻¹ − L_uu⁻ᵀB⁻¹L_uu⁻¹.

    Parameters
    ----------
    prior : CholeskyPrecision
        Of K_uu.
    inner : CholeskyPrecision
        Of B.
    """

    prior: CholeskyPrecision
    inner: CholeskyPrecision

    @property
    def jitter(self) -> float:  # type: ignore[override]
        """Of K_uu."""
        return self.prior.jitter

    @property
    def log_det(self) -> float:
        """None: the form is not the inverse of a covariance of observations."""
        return float("nan")

    def solve(self, B: Floats) -> Floats:
        """The form times B."""
        v = self.prior.half(B)
        rest = v - self.inner.solve(v)
        return linalg.solve_triangular(self.prior.lower, rest, lower=True, trans="T", check_finite=False)

    def quadratic(self, B: Floats) -> Floats:
        """The form at each column."""
        v = self.prior.half(B)
        return np.einsum("ij,ij->j", v, v) - self.inner.quadratic(v)

    def product(self, B: Floats) -> Floats:
        """The form at all pairs of columns."""
        v = self.prior.half(B)
        return v.T @ v - self.inner.product(v)


class Bound(NamedTuple):
    """(1) and (2) for one θ.

    Fields
    ------
    prior, inner : CholeskyPrecision
        Of K_uu and B.
    V : ndarray of shape (m, n)
    missing : ndarray of shape (n,)
        kᵢᵢ − qᵢᵢ.
    half : ndarray of shape (m, k)
        V D⁻¹ y.
    value : float
        F.
    """

    prior: CholeskyPrecision
    inner: CholeskyPrecision
    V: Floats
    missing: Floats
    half: Floats
    value: float

    def upper(self, y: Floats, d: Floats) -> float:
        """The upper bound (3), summed over the columns of y."""
        n, k = y.shape
        wide = d + float(np.sum(self.missing))
        inner = _inner(self.V, wide)
        part = self.V @ (y / wide[:, None])
        square = float(np.sum(y**2 / wide[:, None]) - np.sum(part * inner.solve(part)))
        shared = self.inner.log_det + float(np.sum(np.log(d))) + n * np.log(2.0 * np.pi)
        return -0.5 * (square + k * shared)


def choose_rows(kernel: Kernel, rows: Any, most: int) -> Integers:
    """At most so many rows: in turn the one of which the others leave the largest variance."""
    given = kernel.against(rows)
    left = np.array(kernel.diag(rows), dtype=float)
    n = count_rows(rows)
    least = NOTHING_LEFT * float(np.max(left))
    G = np.empty((min(most, n), n))
    chosen: list[int] = []
    for j in range(len(G)):
        i = int(np.argmax(left))
        if left[i] <= least:
            break
        row = np.asarray(given.rows(np.array([i])), dtype=float)[0]
        G[j] = (row - G[:j, i] @ G[:j]) / np.sqrt(left[i])
        left = np.maximum(left - G[j] ** 2, 0.0)
        left[i] = 0.0
        chosen.append(i)
    return np.array(chosen, dtype=np.intp)


def bound_of(parameters: Parameters, data: NoisyRows, inducing: Any) -> Bound:
    """(2)."""
    kernel, d = parameters.kernel, parameters.noise.variances
    n, k = data.y.shape
    prior = factor_covariance(np.array(kernel.gram(inducing), dtype=float), overwrite=True)
    given = kernel.against(inducing)
    V = np.empty((len(prior.lower), n), order="F")
    for some in _blocks(n, len(V)):
        V[:, some] = prior.half(np.asarray(given.gram(take_rows(data.rows, some)), dtype=float).T)
    missing = np.maximum(np.asarray(kernel.diag(data.rows), dtype=float) - np.einsum("ij,ij->j", V, V), 0.0)
    inner = _inner(V, d)
    half = V @ (data.y / d[:, None])
    square = float(np.sum(data.y**2 / d[:, None]) - np.sum(half * inner.solve(half)))
    shared = inner.log_det + float(np.sum(np.log(d))) + n * np.log(2.0 * np.pi) + float(np.sum(missing / d))
    return Bound(prior, inner, V, missing, half, -0.5 * (square + k * shared))


def bound_slopes(parameters: Parameters, data: NoisyRows, inducing: Any, found: Bound) -> Floats:
    """∂F/∂θ, that of the noise last where it is learned."""
    kernel, noise = parameters.kernel, parameters.noise
    d, (n, k) = noise.variances, data.y.shape
    V = found.V
    a = (data.y - V.T @ found.inner.solve(found.half)) / d[:, None]
    # W T of dF = tr(T dQ), with W = K_uu⁻¹K_uf, is L_uu⁻ᵀ(½ (Va)aᵀ + ½ k (I − B⁻¹)VD⁻¹).
    Va = V @ a
    P = kernel.prepare(data.rows)
    U = kernel.prepare(inducing, like=P)
    G_uu, gradient = np.zeros((len(V), len(V))), np.zeros(len(kernel.theta))
    explained = np.empty(n)
    for some in _blocks(n, len(V)):
        part = V[:, some]
        solved = found.inner.solve(part)
        explained[some] = np.einsum("ij,ij->j", part, solved)
        T = 0.5 * (Va @ a[some].T + k * (part - solved) / d[some])
        WT = linalg.solve_triangular(found.prior.lower, T, lower=True, trans="T", check_finite=False)
        G_uu -= WT @ part.T
        gradient += kernel.contract(U, P.take(some), 2.0 * WT)
    G_uu = linalg.solve_triangular(found.prior.lower, G_uu.T, lower=True, trans="T", check_finite=False)
    gradient += kernel.contract(U, U, 0.5 * (G_uu + G_uu.T))
    gradient -= 0.5 * k * _diagonal_slopes(kernel, data.rows, 1.0 / d)
    if noise.bounds is None:
        return gradient
    inverse = 1.0 / d - explained / d**2
    by_noise = 0.5 * (np.sum(a**2, axis=1) - k * inverse) + 0.5 * k * found.missing / d**2
    return np.append(gradient, by_noise @ d)


def bound_criterion(
    data: NoisyRows, start: Parameters, inducing: Any, prior: Mapping[str, Distribution] | None = None
) -> Criterion:
    """F and its gradient as a function of θ, −∞ where K_uu is not positive definite."""
    laws = read_laws(start, prior)

    def evaluate(theta: Floats) -> tuple[float, Floats]:
        parameters = start.at(theta)
        try:
            found = bound_of(parameters, data, inducing)
        except (NotPositiveDefiniteError, np.linalg.LinAlgError):
            return -np.inf, np.zeros_like(theta)
        extra, slopes = log_priors(laws, theta)
        return found.value + extra, bound_slopes(parameters, data, inducing, found) + slopes

    return evaluate


def tune_bound(
    data: NoisyRows,
    start: Parameters,
    n_inducing: int,
    prior: Mapping[str, Distribution] | None,
    options: dict[str, Any],
) -> Tuned:
    """The maximum of F, for rows that are chosen again where a first search ended; `options` are those of `tune`."""
    with warnings.catch_warnings():
        # Where the first search ends is only where the second one begins.
        warnings.simplefilter("ignore", ConvergenceWarning)
        theta = tune(_goal(data, start, n_inducing, prior), start.theta, start.bounds, **options).theta
    again = options | {"n_restarts": 0}
    return tune(_goal(data, start.at(theta), n_inducing, prior), theta, start.bounds, **again)


def _goal(data: NoisyRows, here: Parameters, most: int, prior: Mapping[str, Distribution] | None) -> Criterion:
    inducing = take_rows(data.rows, choose_rows(here.kernel, data.rows, most))
    return bound_criterion(data, here, inducing, prior)


def condition_inducing(parameters: Parameters, data: NoisyRows, inducing: Any, found: Bound) -> Conditioned:
    """(4), as a process that was observed at the inducing rows."""
    coef = linalg.solve_triangular(
        found.prior.lower, found.inner.solve(found.half), lower=True, trans="T", check_finite=False
    )
    m, k = coef.shape
    return Conditioned(
        InducingPrecision(found.prior, found.inner), np.zeros((m, k)), coef, np.empty((0, k)), np.empty((m, 0)),
        np.empty((0, 0)), np.zeros((m, k)),
    )  # fmt: skip


def _inner(V: Floats, d: Floats) -> CholeskyPrecision:
    """The factor of B."""
    scaled = V / np.sqrt(d)
    with calm_blas(len(V)):
        B = scaled @ scaled.T
    B[np.diag_indices_from(B)] += 1.0
    if not np.all(np.isfinite(B)):
        raise NotPositiveDefiniteError("the noise is too small for inducing rows; give more (alpha), or noise='learn'")
    return factor_covariance(B, overwrite=True)


def _diagonal_slopes(kernel: Kernel, rows: Any, weights: Floats) -> Floats:
    """Σᵢ wᵢ ∂kᵢᵢ/∂θ by central differences: few kernels say it, and the diagonal costs little."""
    theta, h = kernel.theta, 1e-5
    found = np.zeros_like(theta)
    for j in range(len(theta)):
        step = h * np.eye(len(theta))[j]
        up, down = (np.asarray(kernel.with_theta(theta + s).diag(rows), dtype=float) for s in (step, -step))
        found[j] = weights @ (up - down) / (2.0 * h)
    return found


def _blocks(n: int, m: int) -> list[slice]:
    return split_rows(n, max(1, -(-n * m // BLOCK)))
