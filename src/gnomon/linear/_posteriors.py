"""Posteriors of a linear model with Gaussian noise and a Gaussian prior.

    y | w ~ N(Xw, σ²I),  w ~ N(m₀, S₀):    S = (S₀⁻¹ + XᵀX/σ²)⁻¹,    m = S (S₀⁻¹m₀ + Xᵀy/σ²)               (1)
    log p(y) = log N(y; Xm₀, σ²I + XS₀Xᵀ)                                                           (2)
    σ² ~ InverseGamma(a₀, b₀),  w | σ² ~ N(m₀, σ²V₀):    a = a₀ + n/2,
    b = b₀ + ½ (yᵀy + m₀ᵀV₀⁻¹m₀ − mᵀV⁻¹m),    y* ~ t with 2a degrees and scale² (b/a)(1 + xᵀVx)          (3)

With S₀ = LLᵀ and w = m₀ + Lv the prior of v is N(0, I), and the SVD of RL/σ makes (1) to (3) diagonal: nothing is
inverted, and every term of b and of (2) is a sum of positive numbers. With RL/σ = U diag(s) Vᵀ

    S = L (V diag(1/(1 + s²)) Vᵀ + I − VVᵀ) Lᵀ                                                     (4)

so for fewer rows than columns everything but S itself is found from V, of the size of the rows. A free intercept has a
flat prior (in units of the noise): the rows are centred, (2) and (3) are those of the centred data, and b | w has
variance σ²/n. Bishop (2006), sections 3.3 and 3.5; Gelman et al. (2013), section 14.2, doi:10.1201/b16018.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import linalg
from scipy.special import gammaln

from gnomon._typing import Floats
from gnomon.distributions import InverseGamma, MultivariateNormal, MultivariateT, Normal, StudentT
from gnomon.linear._summary import Summary
from gnomon.optim.units import refuse_far

__all__ = ["GaussianPosterior", "StudentPosterior", "joint_mean", "joint_root"]


LARGEST = 16_384
"""Coefficients up to which their covariance is formed: 2 GB."""


class _Whitened(NamedTuple):
    """The posterior of (1) with noise variance 1: m, the parts L, V, s² of (4), Σ s²/(1 + s²), and the parts of (2)."""

    mean: Floats
    L: Floats
    V: Floats
    squares: Floats
    dof: float
    square: float
    log_det: float

    def spread(self, X: Floats) -> Floats:
        """xᵀSx of every row: what the data saw of Lᵀx shrinks, the rest does not."""
        rows = _times(X, self.L)
        seen = rows @ self.V
        rest = 0.0 if self.V.shape[0] == self.V.shape[1] else np.sum((rows - seen @ self.V.T) ** 2, axis=1)
        return rest + np.sum(seen**2 / (1.0 + self.squares), axis=1)

    @property
    def root(self) -> Floats:
        """A root of S, d × d: V completed to a basis, with its columns scaled."""
        d, m = self.V.shape
        if d > LARGEST:
            raise ValueError(
                f"posterior_ of {d} coefficients is a matrix of {d} × {d} numbers, and at most {LARGEST} are allowed; "
                "coef_, predict and predict_dist need none; otherwise select columns first"
            )
        others = linalg.qr(self.V)[0][:, m:] if m < d else np.empty((d, 0))
        basis = np.column_stack([self.V / np.sqrt(1.0 + self.squares), others])
        return self.L[:, None] * basis if self.L.ndim == 1 else self.L @ basis


def _condition(summary: Summary, prior: MultivariateNormal, scale: float) -> _Whitened:
    """`_Whitened` for the rows divided by `scale`; nothing larger than the rows is formed."""
    L = prior.factor * np.ones(len(prior.mean)) if prior.covariance_type != "full" else prior.factor
    A, b = _times(summary.R, L) / scale, (summary.z - summary.R @ prior.mean) / scale
    U, s, Vt = linalg.svd(A, full_matrices=False)
    inside, s2 = U.T @ b, s**2
    # Uᵀb has no part outside the span: R has at most as many rows as columns, so U is square.
    square = summary.rest / scale**2 + float(np.sum(inside**2 / (1.0 + s2)))
    mean = prior.mean + _times((s * inside / (1.0 + s2)) @ Vt, L.T)
    dof, log_det = float(np.sum(s2 / (1.0 + s2))), float(np.sum(np.log1p(s2)))
    return _Whitened(mean, L, Vt.T, s2, dof, square, log_det)


def _times(A: Floats, L: Floats) -> Floats:
    """A L, where L may be the diagonal of a diagonal matrix."""
    return A * L if L.ndim == 1 else A @ L


def joint_mean(summary: Summary, w: Floats) -> Floats:
    """(w, b) with b = ȳ − x̄ᵀw, or w where there is no intercept."""
    return np.append(w, summary.y_mean - summary.x_mean @ w) if summary.intercept else w


def joint_root(summary: Summary, root: Floats, noise: float) -> Floats:
    """A root of the covariance of (w, b): b given w has mean ȳ − x̄ᵀw and variance noise²/n."""
    if not summary.intercept:
        return root
    refuse_far(summary.x_mean, np.linalg.norm(summary.R, axis=0) / np.sqrt(summary.total))
    below = np.append(-summary.x_mean @ root, noise / np.sqrt(summary.total))
    return np.vstack([np.column_stack([root, np.zeros(len(root))]), below])


@dataclass(frozen=True, eq=False)
class _ClosedPosterior(ABC):
    """What the posteriors in closed form share; a subclass sets `found`, the whitened posterior."""

    summary: Summary
    prior: MultivariateNormal
    found: _Whitened = field(init=False, repr=False)

    effective = float("inf")

    @property
    def dof(self) -> float:
        """How many coefficients the data determine."""
        return self.found.dof

    @property
    def mode(self) -> Floats:
        """m, with the intercept."""
        return joint_mean(self.summary, self.found.mean)

    @property
    def mean(self) -> Floats:
        """m, with the intercept."""
        return self.mode

    def std(self, X: Floats) -> Floats:
        """Standard deviation of the predictive law, noise included."""
        return self.predictive(X, 0.0, include_noise=True).std

    @abstractmethod
    def predictive(self, X: Floats, mean: float | Floats, *, include_noise: bool) -> Normal | StudentT:
        """The law of y at rows of a given mean; without the noise, that of xᵀw + b."""


@dataclass(frozen=True, eq=False)
class GaussianPosterior(_ClosedPosterior):
    """Equations (1) and (2) for a known σ²."""

    sigma2: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "found", _condition(self.summary, self.prior, np.sqrt(self.sigma2)))

    @property
    def noise(self) -> None:
        """None: σ² is known."""
        return None

    @cached_property
    def law(self) -> MultivariateNormal:
        """N(m, S) of the coefficients, the intercept last."""
        root = joint_root(self.summary, self.found.root, np.sqrt(self.sigma2))
        return MultivariateNormal(self.mode, root @ root.T)

    @property
    def log_evidence(self) -> float:
        """Equation (2)."""
        scale = self.summary.total * np.log(2.0 * np.pi * self.sigma2)
        return float(-0.5 * (scale + self.found.log_det + self.found.square))

    def predictive(self, X: Floats, mean: float | Floats, *, include_noise: bool) -> Normal:
        """N(m, xᵀSx), plus σ² with noise."""
        spread = _spread(self.summary, self.found, X, self.sigma2)
        return Normal(mean, spread + self.sigma2 if include_noise else spread)


@dataclass(frozen=True, eq=False)
class StudentPosterior(_ClosedPosterior):
    """Equation (3): the noise variance is unknown."""

    noise_prior: InverseGamma
    noise: InverseGamma = field(init=False, repr=False)

    def __post_init__(self) -> None:
        found = _condition(self.summary, self.prior, 1.0)
        noise = InverseGamma(self.noise_prior.a + 0.5 * self.summary.total, self.noise_prior.b + 0.5 * found.square)
        object.__setattr__(self, "found", found)
        object.__setattr__(self, "noise", noise)

    @property
    def sigma2(self) -> float:
        """The posterior mean of σ², or its mode where there is none."""
        return self.noise.mean if self.noise.a > 1.0 else self.noise.mode

    @cached_property
    def law(self) -> MultivariateT:
        """The marginal law of the coefficients, the intercept last: t with 2a degrees and shape (b/a) V."""
        root = joint_root(self.summary, self.found.root, 1.0)
        shape = (self.noise.b / self.noise.a) * (root @ root.T)
        return MultivariateT(2.0 * self.noise.a, self.mode, shape)

    @property
    def log_evidence(self) -> float:
        """log p(y), both w and σ² integrated out."""
        a0, b0, a, b = self.noise_prior.a, self.noise_prior.b, self.noise.a, self.noise.b
        gammas = gammaln(a) - gammaln(a0) + a0 * np.log(b0) - a * np.log(b)
        return float(gammas - 0.5 * (self.summary.total * np.log(2.0 * np.pi) + self.found.log_det))

    def predictive(self, X: Floats, mean: float | Floats, *, include_noise: bool) -> StudentT:
        """t with 2a degrees and scale² (b/a)(1 + xᵀVx), without the 1 for the mean alone."""
        spread = _spread(self.summary, self.found, X, 1.0) + (1.0 if include_noise else 0.0)
        return StudentT(2.0 * self.noise.a, mean, np.sqrt(spread * self.noise.b / self.noise.a))


def _spread(summary: Summary, found: _Whitened, X: Floats, noise: float) -> Floats:
    """xᵀSx of centred rows, plus the variance of a free intercept."""
    spread = found.spread(X - summary.x_mean)
    return spread + noise / summary.total if summary.intercept else spread
