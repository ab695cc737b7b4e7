"""What a process is conditioned on, and the criteria of its hyper-parameters.

    A(θ) = K(θ) + σ² diag(s),    C(θ) = log p(y | θ)  or  Σᵢ log p(yᵢ | y₋ᵢ, θ),    ∂C = Σ G ∘ ∂A       (1)

Rasmussen & Williams (2006), section 5.4. The noise σ² is the last entry of θ where it is learned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._typing import Floats
from gnomon.distributions import Distribution
from gnomon.gp._scoring import Scored, ScoredCriterion
from gnomon.gp._tuning import Criterion
from gnomon.infer import Conditioned, EntrySlopes, condition
from gnomon.kernels import Kernel, contract_tiles, slope_sums
from gnomon.numerics.linalg import CholeskyPrecision, NotPositiveDefiniteError, factor_covariance
from gnomon.numerics.parallel import calm_blas

__all__ = [
    "CRITERIA",
    "QUIET",
    "Noise",
    "NoisyRows",
    "Parameters",
    "Tune",
    "covariance",
    "criterion",
    "log_priors",
    "named",
    "read_laws",
    "scored_evidence",
]

Tune: TypeAlias = Literal["lml", "loo"]


QUIET = 4
"""A search factors dozens of matrices with other work between: threads that LAPACK wakes each time, and that wait for
each other, are worth it from this many times as many rows on as for one matrix."""

MOST_TARGETS = 8
"""Each of them costs another product of matrices for the information."""


class Noise(NamedTuple):
    """Variances σ²s of the errors of observations.

    Fields
    ------
    level : float
        σ².
    shares : ndarray of shape (n,)
        s, one over the weight of a row.
    bounds : (low, high) or None
        Of σ² where it is learned.
    """

    level: float
    shares: Floats
    bounds: tuple[float, float] | None

    @property
    def variances(self) -> Floats:
        """σ²s."""
        return self.level * self.shares


class NoisyRows(NamedTuple):
    """Rows, targets less their known mean, and the columns of a drift.

    Fields
    ------
    rows : array or list of n objects
    y : ndarray of shape (n, m)
    H : ndarray of shape (n, p) or None
    """

    rows: Any
    y: Floats
    H: Floats | None


class Parameters(NamedTuple):
    """A kernel and the noise, as one vector θ.

    Fields
    ------
    kernel : Kernel
    noise : Noise
    """

    kernel: Kernel
    noise: Noise

    @property
    def theta(self) -> Floats:
        """Logarithms of what is free."""
        return np.append(self.kernel.theta, [] if self.noise.bounds is None else np.log(self.noise.level))

    @property
    def bounds(self) -> Floats:
        """Of θ, of shape (p, 2)."""
        own = self.kernel.bounds
        return own if self.noise.bounds is None else np.vstack([own, np.log(self.noise.bounds)])

    def at(self, theta: Floats) -> Parameters:
        """The same with other values."""
        if self.noise.bounds is None:
            return Parameters(self.kernel.with_theta(theta), self.noise)
        return Parameters(self.kernel.with_theta(theta[:-1]), self.noise._replace(level=float(np.exp(theta[-1]))))


def named(parameters: Parameters) -> list[str]:
    """A name for each entry of θ."""
    names = []
    for h in parameters.kernel.hyperparameters:
        names += [h.name] if len(h.values) == 1 else [f"{h.name}[{j}]" for j in range(len(h.values))]
    return names if parameters.noise.bounds is None else [*names, "noise"]


def covariance(parameters: Parameters, rows: Any) -> Floats:
    """A of (1)."""
    A = np.asarray(parameters.kernel.gram(rows), dtype=float)
    A = A.copy() if parameters.kernel.whole or not A.flags.writeable else A
    A[np.diag_indices_from(A)] += parameters.noise.variances
    return A


def factored(parameters: Parameters, data: NoisyRows, *, jitter: bool) -> Conditioned:
    """The process after its observations, by a dense factor."""
    precision = factor_covariance(covariance(parameters, data.rows), jitter=jitter, overwrite=True)
    return condition(precision, data.y, data.H)


def criterion(
    data: NoisyRows, start: Parameters, tune: Tune, prior: Mapping[str, Distribution] | None = None
) -> Criterion:
    """C of (1) and its gradient as a function of θ, −∞ where A is not positive definite."""
    value_of, slopes_of = CRITERIA[tune]
    laws = read_laws(start, prior)

    def evaluate(theta: Floats) -> tuple[float, Floats]:
        with calm_blas(len(data.y) // QUIET):
            parameters = start.at(theta)
            found = _attempt(parameters, data)
            if found is None:
                return -np.inf, np.zeros_like(theta)
            extra, slopes = log_priors(laws, theta)
            return value_of(found) + extra, _gradient(parameters, data, slopes_of(found)) + slopes

    return evaluate


def scored_evidence(
    data: NoisyRows, start: Parameters, tune: Tune, prior: Mapping[str, Distribution] | None = None
) -> ScoredCriterion | None:
    """The same with the average information; None for a criterion or for so many targets that it is no gain."""
    if tune != "lml" or data.y.shape[1] > MOST_TARGETS:
        return None
    laws = read_laws(start, prior)

    def evaluate(theta: Floats) -> Scored:
        with calm_blas(len(data.y) // QUIET):
            parameters = start.at(theta)
            found = _attempt(parameters, data)
            if found is None:
                return Scored(-np.inf, np.zeros_like(theta), np.eye(len(theta)))
            extra, slopes = log_priors(laws, theta)
            gradient = _gradient(parameters, data, found.evidence_slopes()) + slopes
            information = found.average_information(_changes(parameters, data, found.coef))
            return Scored(found.log_evidence() + extra, gradient, information + np.diag(_prior_curvature(laws, theta)))

    return evaluate


def _attempt(parameters: Parameters, data: NoisyRows) -> Conditioned | None:
    """The process after its observations, where A is positive definite."""
    try:
        return factored(parameters, data, jitter=False)
    except (NotPositiveDefiniteError, np.linalg.LinAlgError):
        return None


def _gradient(parameters: Parameters, data: NoisyRows, G: EntrySlopes) -> Floats:
    """Σ G ∘ ∂A for each entry of θ."""
    kernel, noise = parameters.kernel, parameters.noise
    gradient = np.asarray(contract_tiles(kernel, kernel.prepare(data.rows), G.tile), dtype=float)
    return gradient if noise.bounds is None else np.append(gradient, G.diagonal() @ noise.variances)


def _changes(parameters: Parameters, data: NoisyRows, coef: Floats) -> Floats:
    """∂A coef for each entry of θ."""
    kernel, noise = parameters.kernel, parameters.noise
    changes = slope_sums(kernel, kernel.prepare(data.rows), coef)
    return changes if noise.bounds is None else np.concatenate([changes, (noise.variances[:, None] * coef)[None]])


def read_laws(start: Parameters, prior: Mapping[str, Distribution] | None) -> list[Distribution | None]:
    """A law, or none, for each entry of θ."""
    names = named(start)
    unknown = sorted(set(prior or {}) - set(names))
    if unknown:
        raise ValueError(f"prior names {unknown[0]!r}, which is not learned; the names are {names}")
    return [(prior or {}).get(name) for name in names]


def log_priors(laws: list[Distribution | None], theta: Floats) -> tuple[float, Floats]:
    """Σ log prior(θⱼ) and its derivative by central differences."""
    value, slopes, h = 0.0, np.zeros_like(theta), 1e-5
    for j, law in enumerate(laws):
        if law is not None:
            below, here, above = (float(law.log_density(np.array([theta[j] + s]))[0]) for s in (-h, 0.0, h))
            value, slopes[j] = value + here, (above - below) / (2.0 * h)
    return value, slopes


def _prior_curvature(laws: list[Distribution | None], theta: Floats) -> Floats:
    """−∂² log prior, or zero where a law is not concave."""
    found, h = np.zeros_like(theta), 1e-3
    for j, law in enumerate(laws):
        if law is not None:
            below, here, above = (float(law.log_density(np.array([theta[j] + s]))[0]) for s in (-h, 0.0, h))
            found[j] = max(0.0, (2.0 * here - below - above) / h**2)
    return found


CRITERIA: dict[Tune, tuple[Callable[[Conditioned], float], Callable[[Conditioned], EntrySlopes]]] = {
    "lml": (Conditioned.log_evidence, Conditioned.evidence_slopes),
    "loo": (Conditioned.left_out_score, Conditioned.left_out_slopes),
}
"""Value and slopes G of (1)."""


def lower_factor(found: Conditioned) -> Floats:
    """L of a dense factor, zero above its diagonal."""
    if not isinstance(found.precision, CholeskyPrecision):
        raise AttributeError("L_ is the factor of solver='cholesky'; this fit used another solver")
    return np.tril(found.precision.lower)
