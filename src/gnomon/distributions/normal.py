"""Normal distributions.

    log p(x) = −½ (x − μ)ᵀ Σ⁻¹ (x − μ) − ½ log |2πΣ|                                               (1)
    μ̂ = Σ sᵢ xᵢ / W,    Σ̂ = Σ sᵢ (xᵢ − μ̂)(xᵢ − μ̂)ᵀ / (W − ddof),    W = Σ sᵢ                       (2)
    x_m | x_o  ~  N(μ_m + B (x_o − μ_o), Σ_mm − B Σ_om),    B = Σ_mo Σ_oo⁻¹                          (3)

ddof = 0 is maximum likelihood. Gauss (1809), Theoria motus; Bishop (2006), Pattern Recognition and Machine Learning,
section 2.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal, Self, TypeAlias, get_args

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky
from scipy.linalg.blas import dtrsm
from scipy.special import ndtri

from gnomon._typing import ArrayLike, Floats, Numbers
from gnomon.distributions._base import Distribution, Frozen, Prior, check_points, check_sample, frozen
from gnomon.numerics.energy import Energy
from gnomon.numerics.special import LOG_2PI
from gnomon.numerics.streaming import Moments, group_moments, moments
from gnomon.numerics.validation import check_choice
from gnomon.numerics.weights import residual_weight

__all__ = ["MultivariateNormal", "Normal"]

CovarianceType: TypeAlias = Literal["full", "diag", "spherical"]
COVARIANCE_TYPES: tuple[CovarianceType, ...] = get_args(CovarianceType)


@dataclass(frozen=True, init=False)
class Normal(Distribution):
    """Normal law N(μ, σ²) of one variable, or one per entry of the arrays given.

    Parameters
    ----------
    mean : float or ndarray, default=0.0
    var : float or ndarray, default=1.0
        σ² ≥ 0.
    std : float or ndarray, optional
        σ, in place of `var`.

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 2.3.

    Examples
    --------
    >>> from gnomon.distributions import Normal
    >>> round(float(Normal(0.0, 4.0).log_density(2.0)), 7)
    -2.1120857
    >>> low, high = Normal(0.0, std=2.0).interval(0.95)
    >>> round(float(low), 4), round(float(high), 4)
    (-3.9199, 3.9199)
    >>> Normal.fit([1.0, 2.0, 3.0, 4.0]), Normal.fit([1.0, 2.0, 3.0], ddof=1).var
    (Normal(mean=2.5, var=1.25), 1.0)
    """

    mean: Numbers = 0.0
    var: Numbers = 1.0

    def __init__(self, mean: Numbers = 0.0, var: Numbers | None = None, *, std: Numbers | None = None) -> None:
        if var is not None and std is not None:
            raise ValueError(f"var={var!r} and std={std!r} exclude each other; give one of them")
        var = (1.0 if std is None else np.square(std)) if var is None else var
        if not np.all(np.asarray(var) >= 0.0) or not np.all(np.isfinite(mean)):
            raise ValueError(f"var={var!r} must be ≥ 0 and mean={mean!r} finite; give such numbers")
        object.__setattr__(self, "mean", mean)
        object.__setattr__(self, "var", var)

    @classmethod
    def statistics(cls, X: ArrayLike, sample_weight: ArrayLike | None = None) -> Moments:
        X, weights = check_sample(X, sample_weight)
        part = group_moments(X.reshape(len(X), -1), np.zeros(len(X), dtype=int), 1, weights, diagonal=True)
        shape = X.shape[1:]
        return type(part)(float(part.weight[0]), part.mean.reshape(shape), part.scatter.reshape(shape))

    @classmethod
    def from_statistics(cls, statistics: Moments, *, ddof: float = 0, prior: Prior | None = None) -> Self:
        if prior is not None:
            return prior.mode_given(statistics)
        var = statistics.scatter / _divisor(statistics.weight, ddof)
        return cls(statistics.mean, var) if np.ndim(var) else cls(float(statistics.mean), float(var))

    @property
    def n_parameters(self) -> int:
        return 2 * int(np.prod(self._shape, dtype=int))

    @property
    def mode(self) -> Numbers:
        return self.mean

    @property
    def std(self) -> Numbers:
        """σ."""
        return np.sqrt(self.var)

    @property
    def energy(self) -> Energy:
        return Energy("square", 0.5 / self.var, self.mean)

    @classmethod
    def from_energy(cls, energy: Energy) -> Self:
        """The normal law with −log p = factor · x² + constant."""
        if energy.shape != "square":
            raise ValueError(f"energy={energy!r} is not a square; a normal law belongs to an L2 penalty")
        return cls(energy.center, 0.5 / energy.factor)

    def joint(self, d: int) -> MultivariateNormal:
        return MultivariateNormal(np.full(d, 1.0) * self.mean, np.full(d, 1.0) * self.var, "diag")

    @property
    def _shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(np.shape(self.mean), np.shape(self.var))

    def log_density(self, x: ArrayLike) -> Numbers:
        off = check_points(x, self._shape) - self.mean
        spread = np.asarray(self.var) > 0.0
        var = self.var if np.all(spread) else np.where(spread, self.var, 1.0)
        with np.errstate(over="ignore"):
            out = -0.5 * (off**2 / var + np.log(var) + LOG_2PI)
        # With variance zero all probability is at the mean.
        return out if np.all(spread) else np.where(spread, out, np.where(off == 0.0, np.inf, -np.inf))

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        return self.mean + self.std * rng.standard_normal((n, *self._shape))

    def quantile(self, p: ArrayLike) -> Numbers:
        return self.mean + self.std * ndtri(p)

    def expected_log_density(self, other: Distribution) -> Numbers:
        # Quadratic in x: two moments of any law suffice.
        square = other.var + (other.mean - self.mean) ** 2
        return -0.5 * (square / self.var + np.log(self.var) + LOG_2PI)


@dataclass(frozen=True, eq=False)
class MultivariateNormal(Distribution):
    """Normal law N(μ, Σ) of a vector.

    Parameters
    ----------
    mean : ndarray of shape (d,)
    cov : ndarray of shape (d, d), (d,) or ()
        Σ, positive definite; for "diag" its diagonal (d,), for "spherical" one number.
    covariance_type : {"full", "diag", "spherical"}, default="full"

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
    >>> law.condition([0], [3.0]).mean, law.condition([0], [3.0]).cov
    (array([1.5]), array([[1.5]]))
    >>> MultivariateNormal.fit([[0.0, 0.0], [2.0, 4.0]], covariance_type="diag").cov
    array([1., 4.])
    """

    mean: Frozen
    cov: Frozen
    covariance_type: CovarianceType = "full"

    vectors = True
    summed_options: ClassVar[tuple[str, ...]] = ("covariance_type",)

    def __post_init__(self) -> None:
        mean, cov = np.asarray(self.mean, dtype=float), np.asarray(self.cov, dtype=float)
        kind = check_choice("covariance_type", self.covariance_type, COVARIANCE_TYPES)
        wanted = {"full": 2 * mean.shape, "diag": mean.shape, "spherical": ()}[kind]
        if mean.ndim != 1 or cov.shape != wanted:
            raise ValueError(
                f"mean of shape {mean.shape} does not fit a {kind} cov of shape {cov.shape}; give (d,) and {wanted}"
            )
        if not np.all(np.isfinite(mean)) or not np.allclose(cov, cov.T, rtol=1e-6, atol=1e-9 * np.max(np.abs(cov))):
            raise ValueError("mean and cov must be finite and cov symmetric; give a mean vector and a covariance")
        object.__setattr__(self, "mean", frozen(mean))
        object.__setattr__(self, "cov", frozen(cov))
        # The Cholesky factor, which every method needs, also proves that Σ is positive definite.
        _ = self.factor

    @classmethod
    def statistics(
        cls, X: ArrayLike, sample_weight: ArrayLike | None = None, *, covariance_type: CovarianceType = "full"
    ) -> Moments:
        X, weights = check_sample(X, sample_weight, vectors=True)
        if check_choice("covariance_type", covariance_type, COVARIANCE_TYPES) == "full":
            return moments(X, weights)
        part = group_moments(X, np.zeros(len(X), dtype=int), 1, weights, diagonal=True)
        return type(part)(float(part.weight[0]), part.mean[0], part.scatter[0])

    @classmethod
    def from_statistics(
        cls,
        statistics: Moments,
        *,
        covariance_type: CovarianceType = "full",
        ddof: float = 0,
        prior: Prior | None = None,
    ) -> Self:
        if prior is not None:
            return prior.mode_given(statistics)
        cov = statistics.scatter / _divisor(statistics.weight, ddof)
        return cls(statistics.mean, np.mean(cov) if covariance_type == "spherical" else cov, covariance_type)

    @cached_property
    def factor(self) -> Floats:
        """The lower triangular L with L Lᵀ = Σ; its diagonal (or one number) where Σ is diagonal."""
        if self.covariance_type != "full":
            if not np.all(self.cov > 0.0):
                raise ValueError(_not_definite(np.min(self.cov)))
            return np.sqrt(self.cov)
        try:
            return cholesky(self.cov, lower=True)
        except LinAlgError:
            raise ValueError(_not_definite(np.linalg.eigvalsh(self.cov)[0])) from None

    @property
    def cov_matrix(self) -> Floats:
        """Σ as a matrix, whatever the type."""
        return self.cov if self.covariance_type == "full" else np.diag(self.var)

    @property
    def var(self) -> Floats:
        """The diagonal of Σ: the variances of the coordinates."""
        return np.diag(self.cov) if self.covariance_type == "full" else np.full(self.mean.size, 1.0) * self.cov

    @property
    def n_parameters(self) -> int:
        d = self.mean.size
        return d + {"full": d * (d + 1) // 2, "diag": d, "spherical": 1}[self.covariance_type]

    @property
    def mode(self) -> Floats:
        return self.mean

    @property
    def std(self) -> Floats:
        """Standard deviations of the coordinates."""
        return np.sqrt(self.var)

    @property
    def energy(self) -> Energy:
        if not np.array_equal(self.cov_matrix, self.var[0] * np.eye(self.mean.size)):
            raise ValueError("cov is not a multiple of the identity, so −log p is no sum of equal terms")
        return Energy("square", 0.5 / self.var[0], self.mean)

    def joint(self, d: int) -> MultivariateNormal:
        if self.mean.size != d:
            raise ValueError(f"{self!r} is a law of {self.mean.size} coordinates where {d} are wanted; give others")
        return self

    @property
    def log_det(self) -> float:
        """log |Σ|."""
        root = np.diag(self.factor) if self.covariance_type == "full" else np.full(self.mean.size, 1.0) * self.factor
        return 2.0 * float(np.sum(np.log(root)))

    def mahalanobis(self, x: ArrayLike) -> Numbers:
        """(x − μ)ᵀ Σ⁻¹ (x − μ), the squared distance, of every row."""
        x = np.asarray(x, dtype=float)
        if x.shape[-1:] != self.mean.shape or x.ndim > 2:
            raise ValueError(f"x has shape {x.shape}; give rows of {self.mean.size} numbers")
        x = check_points(x)
        with np.errstate(over="ignore"):
            out = np.sum(self._whiten(np.atleast_2d(x - self.mean)) ** 2, axis=0)
        return out[0] if x.ndim == 1 else out

    def log_density(self, x: ArrayLike) -> Numbers:
        return -0.5 * (self.mahalanobis(x) + self.log_det + self.mean.size * LOG_2PI)

    def marginal(self, idx: ArrayLike) -> MultivariateNormal:
        """The law of the coordinates `idx`."""
        at = np.asarray(idx)
        cov = {"full": lambda: self.cov[np.ix_(at, at)], "diag": lambda: self.cov[at], "spherical": lambda: self.cov}
        return MultivariateNormal(self.mean[at], cov[self.covariance_type](), self.covariance_type)

    def condition(self, idx: ArrayLike, values: ArrayLike) -> MultivariateNormal:
        """The law of the other coordinates, in order, given that those of `idx` have `values`: equation (3)."""
        idx, values = np.asarray(idx), np.asarray(values, dtype=float)
        rest = np.setdiff1d(np.arange(self.mean.size), idx)
        if values.shape != idx.shape or rest.size + idx.size != self.mean.size or rest.size == 0:
            raise ValueError(f"idx={idx.tolist()} and values={values.tolist()} must pair some of the coordinates")
        if self.covariance_type != "full":
            return self.marginal(rest)
        cross = self.cov[np.ix_(rest, idx)]
        B = cho_solve((self.marginal(idx).factor, True), cross.T).T
        cov = self.cov[np.ix_(rest, rest)] - B @ cross.T
        return MultivariateNormal(self.mean[rest] + B @ (values - self.mean[idx]), 0.5 * (cov + cov.T))

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        z = rng.standard_normal((n, self.mean.size))
        return self.mean + (z @ self.factor.T if self.covariance_type == "full" else z * self.factor)

    def quantile(self, p: ArrayLike) -> Numbers:
        """Quantiles of every coordinate by itself."""
        return self.mean + self.std * ndtri(p)

    def expected_log_density(self, other: Distribution) -> Numbers:
        # Quadratic in x: two moments of any law suffice.
        spread = float(np.trace(self._whiten(self._whiten(other.cov_matrix))))
        return -0.5 * (self.mahalanobis(other.mean) + spread + self.log_det + self.mean.size * LOG_2PI)

    def _whiten(self, Z: Floats) -> Floats:
        """L⁻¹ Zᵀ, for Σ = L Lᵀ."""
        if self.covariance_type == "full":
            # LAPACK's trtrs would start all BLAS threads even for two columns.
            return dtrsm(1.0, self.factor, Z.T, lower=1)
        return (Z / self.factor).T


def _divisor(weight: float, ddof: float) -> float:
    left = float(residual_weight(weight, ddof))
    if not left > 0.0:
        raise ValueError(f"a total weight of {weight:g} leaves nothing to divide by at ddof={ddof}; add rows")
    return left


def _not_definite(smallest: Numbers) -> str:
    return (
        f"cov is not positive definite: its least eigenvalue is {smallest:.3g}; give more rows or fewer columns, or "
        "add to its diagonal"
    )
