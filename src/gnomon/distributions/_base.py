"""What a distribution is.

    E_P[f(X)] = ∫ f(x) p(x) dx,    H(P, Q) = −E_P[log q(X)],    H(P) = H(P, P)                      (1)
    ℓ(θ) = Σᵢ sᵢ log p(xᵢ; θ),     θ̂ = argmax ℓ = g(Σᵢ sᵢ T(xᵢ))                                    (2)

A distribution is an immutable value with a log-density, a sampler and its moments, and is made from data through sums
over rows that add (2): `statistics`, then `from_statistics`. A law of one variable may have arrays of parameters: then
it is one independent law per column, and the verbs work elementwise; a law of vectors takes rows. Cover & Thomas
(2006), doi:10.1002/047174882X; on sufficient statistics: Fisher (1922), doi:10.1098/rsta.1922.0009.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Protocol, Self, TypeAlias

import numpy as np
from scipy.integrate import quad

from gnomon._typing import ArrayLike, Floats, MatrixLike, Numbers
from gnomon.numerics.energy import Energy
from gnomon.numerics.validation import assert_finite

__all__ = ["Distribution", "DistributionFamily", "Statistics"]

Frozen: TypeAlias = Floats | Any
"""A field that may be given as anything array-like and is kept as an array: one annotation stands for both."""


class Prior(Protocol):
    """What an estimate asks of a prior: a law of the parameters, or a conjugate model."""

    def mode_given(self, statistics: Any, /) -> Any: ...


@dataclass(frozen=True, eq=False)
class Statistics:
    """Sums over rows, which add field by field; the base of what `Distribution.statistics` returns.

    Parameters
    ----------
    weight : float or ndarray
        Σ sᵢ.

    References
    ----------
    Fisher, R. A. (1922). On the mathematical foundations of theoretical statistics. doi:10.1098/rsta.1922.0009

    Examples
    --------
    A fit to the sum is the fit to all rows:

    >>> from gnomon.distributions import Normal
    >>> parts = Normal.statistics([1.0, 2.0]) + Normal.statistics([6.0])
    >>> parts.weight, Normal.from_statistics(parts) == Normal.fit([1.0, 2.0, 6.0])
    (3.0, True)
    """

    weight: Numbers

    def __add__(self, other: Self) -> Self:
        return type(self)(*(getattr(self, part.name) + getattr(other, part.name) for part in fields(self)))


class Distribution(ABC):
    """Base of every distribution.

    Attributes
    ----------
    mean, var
        The first moment and the second central one; a law of vectors also has `cov`.
    vectors : bool
        Whether one observation is a row (a law of vectors) or an entry (one law per column).
    n_parameters : int
        Free parameters.

    References
    ----------
    Cover, T. & Thomas, J. (2006). Elements of Information Theory. doi:10.1002/047174882X

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import Normal
    >>> law = Normal(mean=1.0, var=4.0)
    >>> round(float(law.log_density(1.0)), 7)
    -1.6120857
    >>> law.sample(2, np.random.default_rng(0)).shape
    (2,)
    >>> x = np.array([1.0, 2.0, 3.0, 6.0])
    >>> Normal.fit(x) == Normal.from_statistics(Normal.statistics(x[:1]) + Normal.statistics(x[1:]))
    True
    """

    mean: Any
    var: Any
    cov: Any
    summed_options: ClassVar[tuple[str, ...]] = ()
    """The options of `fit` that change what is summed, and so are also options of `statistics`."""

    @property
    def vectors(self) -> bool:
        """Whether one observation is a row."""
        return False

    @abstractmethod
    def log_density(self, x: Any) -> Numbers:
        """log p(x); the logarithm of a probability for a discrete law; −inf outside the support."""

    @abstractmethod
    def sample(self, n: int, rng: np.random.Generator) -> Any:
        """n independent draws, along the first axis, from the generator `rng`."""

    def density(self, x: Any) -> Numbers:
        """p(x)."""
        return np.exp(self.log_density(x))

    def row_log_density(self, X: MatrixLike) -> Floats:
        """log p of every row: for independent laws per column, the sum over columns."""
        out = np.asarray(self.log_density(X))
        return out if out.ndim <= 1 else sum_of_logs(out.reshape(len(out), -1))

    def observed_log_density(self, X: Floats) -> Floats:
        """log p of every row of X from the cells that are there; the others (NaN) are integrated out."""
        seen = ~np.isnan(X)
        if not self.vectors:
            return sum_of_logs(np.where(seen, self.log_density(np.where(seen, X, 0.0)), 0.0))
        out = np.zeros(len(X))
        for pattern in np.unique(seen, axis=0):
            rows, columns = np.all(seen == pattern, axis=1), np.flatnonzero(pattern)
            if len(columns):
                law = self if np.all(pattern) else self.marginal(columns)
                out[rows] = law.row_log_density(X[np.ix_(rows, columns)])
        return out

    def marginal(self, idx: ArrayLike) -> Distribution:
        """The law of the coordinates `idx` of a law of vectors."""
        raise ValueError(f"{type(self).__name__} has no marginals; fill the missing cells, or take MultivariateNormal")

    @classmethod
    def fit(cls, X: MatrixLike, sample_weight: ArrayLike | None = None, **options: Any) -> Self:
        """The law of greatest likelihood, equation (2); with `prior` among the options, the posterior mode.

        Parameters
        ----------
        X : array-like of shape (n,) or (n, d)
        sample_weight : array-like of shape (n,), optional
            A weight of two is the row twice.
        **options
            Those of `from_statistics` and `statistics`.
        """
        summed = {name: options[name] for name in cls.summed_options if name in options}
        return cls.from_statistics(cls.statistics(X, sample_weight, **summed), **options)

    # Each distribution defines what a row is and which options there are.
    @classmethod
    def statistics(cls, X: Any, sample_weight: ArrayLike | None = None, *args: Any, **options: Any) -> Any:
        """Sums over the rows of X that determine the estimate; those of two sets of rows add with ``+``."""
        raise NotImplementedError(f"{cls.__name__} is not estimated from data")

    @classmethod
    def from_statistics(cls, statistics: Any, *args: Any, **options: Any) -> Self:
        """The law of greatest likelihood (or posterior density under `prior`), given the sums."""
        raise NotImplementedError(f"{cls.__name__} is not estimated from data")

    @classmethod
    def family(cls, **options: Any) -> DistributionFamily:
        """This class with options of `fit` fixed; it has `fit`, `statistics` and `from_statistics` itself."""
        return DistributionFamily(cls, options)

    @property
    def n_parameters(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} does not count its parameters")

    @property
    def mode(self) -> Any:
        """The most probable value."""
        raise NotImplementedError(f"{type(self).__name__} has no mode in closed form")

    @property
    def cov_matrix(self) -> Floats:
        """The covariance of a law of vectors, as a matrix."""
        return self.cov

    @property
    def energy(self) -> Energy:
        """−log p as a word and a factor, for the losses and penalties that are made of it."""
        raise ValueError(f"{self!r} is not the energy of a named loss or penalty")

    def joint(self, d: int) -> Distribution:
        """The law of a vector of d coordinates: independent copies, or the law itself if it is one of vectors."""
        raise ValueError(f"{self!r} has no joint law for {d} coordinates; choose Normal or MultivariateNormal")

    def quantile(self, p: ArrayLike) -> Numbers:
        """The x with P(X ≤ x) = p."""
        raise NotImplementedError(f"{type(self).__name__} has no quantiles")

    def interval(self, level: float = 0.95) -> tuple[Numbers, Numbers]:
        """The central interval (low, high) of probability `level`."""
        if not 0.0 < level < 1.0:
            raise ValueError(f"level={level!r} must be in (0, 1); 0.95 is usual")
        return self.quantile(0.5 - 0.5 * level), self.quantile(0.5 + 0.5 * level)

    def expect(
        self, f: Callable[[Any], Any], *, n_samples: int | None = None, rng: int | np.random.Generator | None = None
    ) -> Numbers:
        """E[f(X)] by a sum or by quadrature, or as the mean over `n_samples` draws from the generator `rng`."""
        if n_samples is None:
            return self.integrate(f)
        return np.mean([f(x) for x in self.sample(n_samples, np.random.default_rng(rng))], axis=0)

    def rule(self) -> tuple[Floats, Floats] | None:
        """Points and weights with E[f(X)] ≈ Σ wᵢ f(xᵢ), or None where adaptive quadrature over quantiles serves."""
        return plane_rule(self) if self.vectors else None

    def integrate(self, f: Callable[[Any], Any]) -> Numbers:
        """E[f(X)] without draws."""
        rule = self.rule()
        if rule is not None:
            return np.tensordot(rule[1], np.asarray([f(x) for x in rule[0]]), axes=1)
        # Rounding must not carry p to 0 or 1, where quantiles may be infinite.
        low, high = np.finfo(float).tiny, 1.0 - np.finfo(float).epsneg
        cuts = (1e-6, 0.5, 1.0 - 1e-6)
        return quad(lambda p: f(self.quantile(min(max(p, low), high))), 0.0, 1.0, points=cuts, limit=200)[0]

    def expected_log_density(self, other: Distribution) -> Numbers:
        """E[log p(X)] of this density p under the law `other` of X; −inf where p = 0 has positive probability."""
        return other.integrate_log_density(self)

    def integrate_log_density(self, other: Distribution) -> Numbers:
        """E[log q(X)] of the density q of `other` under this law."""
        rule = self.rule()
        if rule is not None:
            logs = np.where(rule[1] > 0.0, other.log_density(rule[0]), 0.0)
            return float(rule[1] @ logs)
        if np.any(np.isneginf(other.log_density(self.quantile(np.linspace(0.0005, 0.9995, 1000))))):
            return -np.inf
        return self.integrate(other.log_density)

    def entropy(self) -> Numbers:
        """H(P) in nats."""
        return -self.expected_log_density(self)


@dataclass(frozen=True)
class DistributionFamily:
    """A class of distributions with fixed options, to be fitted later.

    Parameters
    ----------
    law : type
        A subclass of `Distribution`.
    options : dict
        Of its `fit`.

    References
    ----------
    Fisher, R. A. (1922). On the mathematical foundations of theoretical statistics. doi:10.1098/rsta.1922.0009

    Examples
    --------
    >>> from gnomon.distributions import Normal
    >>> unbiased = Normal.family(ddof=1)
    >>> unbiased.fit([1.0, 2.0, 3.0]).var
    1.0
    """

    law: type[Distribution]
    options: dict[str, Any] = field(default_factory=dict)

    def fit(self, X: MatrixLike, sample_weight: ArrayLike | None = None) -> Distribution:
        """`Distribution.fit` with these options."""
        return self.law.fit(X, sample_weight, **self.options)

    def statistics(self, X: MatrixLike, sample_weight: ArrayLike | None = None) -> Any:
        """`Distribution.statistics` with those of the options that it has."""
        summed = {name: self.options[name] for name in self.law.summed_options if name in self.options}
        return self.law.statistics(X, sample_weight, **summed)

    def from_statistics(self, statistics: Any) -> Distribution:
        """`Distribution.from_statistics` with these options."""
        return self.law.from_statistics(statistics, **self.options)


def plane_rule(law: Distribution, *, half: int = 160, reach: float = 6.0) -> tuple[Floats, Floats]:
    """Points and weights with E[f(X)] ≈ Σ wᵢ f(xᵢ) for a smooth density of two variables.

    The trapezoidal rule after x = μ + σ sinh(t), which is exponentially exact for smooth decaying integrands; Trefethen
    & Weideman (2014), doi:10.1137/130932132.
    """
    center, spread = np.asarray(law.mean, dtype=float), np.sqrt(law.var)
    if center.shape != (2,) or not np.all(np.isfinite([center, spread])):
        raise NotImplementedError(
            f"no rule for integrals over {type(law).__name__} with mean {center}; give n_samples, for draws instead"
        )
    t = np.linspace(-reach, reach, 2 * half + 1)
    u, step = np.sinh(t), np.cosh(t) * (t[1] - t[0])
    grid = np.stack(np.meshgrid(u, u, indexing="ij"), axis=-1).reshape(-1, 2)
    points = center + spread * grid
    weights = np.outer(step, step).ravel() * np.prod(spread) * law.density(points)
    kept = weights > 1e-18 * np.max(weights)
    return points[kept], weights[kept]


def sum_of_logs(factors: Floats) -> Floats:
    """Σⱼ log pⱼ of every row; a factor 0 makes the row impossible, even next to an infinite one."""
    with np.errstate(invalid="ignore"):
        out = np.sum(factors, axis=1)
    return np.where(np.isnan(out) & np.any(np.isneginf(factors), axis=1), -np.inf, out)


def positive(**values: ArrayLike) -> None:
    """Refuse parameters that are not finite numbers above zero."""
    for name, value in values.items():
        if not (np.all(np.asarray(value) > 0.0) and np.all(np.isfinite(value))):
            raise ValueError(f"{name}={value!r} must be > 0 and finite; give a positive number")


def finite(**values: ArrayLike) -> None:
    """Refuse parameters that are not finite numbers."""
    for name, value in values.items():
        if not np.all(np.isfinite(value)):
            raise ValueError(f"{name}={value!r} must be finite; give a number")


def frozen(values: ArrayLike) -> Numbers:
    """The values as a float or as a read-only copy."""
    out = np.array(values, dtype=float)
    out.flags.writeable = False
    return out if out.ndim else float(out)


def as_numbers(X: ArrayLike, name: str) -> Floats:
    """X as floats; strings are refused."""
    try:
        return np.asarray(X, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} holds what is no number ({error}); code categories as 0, 1, … first") from None


def check_points(x: ArrayLike, shape: tuple[int, ...] = ()) -> Floats:
    """Where a density is asked for, as floats: finite, and of a shape that goes with that of the parameters."""
    x = as_numbers(x, "x")
    assert_finite(x, "x")
    try:
        np.broadcast_shapes(x.shape, shape)
    except ValueError:
        raise ValueError(f"x has shape {x.shape}; give one that goes with parameters of shape {shape}") from None
    return x


def check_sample(
    X: ArrayLike, sample_weight: ArrayLike | None = None, *, vectors: bool = False
) -> tuple[Floats, Floats]:
    """X and its weights as float arrays; errors name what was found. Entries for laws of one variable, else rows."""
    X = as_numbers(X, "X")
    if X.ndim not in ((2,) if vectors else (1, 2)):
        wanted = "(n, d)" if vectors else "(n,) or (n, d)"
        raise ValueError(f"X has shape {X.shape}; give an array of shape {wanted}")
    if len(X) == 0:
        raise ValueError("X has no rows; at least one is needed")
    assert_finite(X)
    weights = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    if weights.shape != (len(X),):
        raise ValueError(f"sample_weight has shape {weights.shape}; give one weight for each of the {len(X)} rows")
    if not np.all(weights >= 0.0) or not 0.0 < np.sum(weights) < np.inf:
        raise ValueError("sample_weight must be ≥ 0, finite and not all zero; remove rows or repair their weights")
    return X, weights


def met_rows(X: ArrayLike, sample_weight: ArrayLike | None = None) -> tuple[Floats, Floats]:
    """`check_sample`, and only the rows that have weight: others may lie outside the support."""
    X, weights = check_sample(X, sample_weight)
    met = weights > 0.0
    return X[met], weights[met]
