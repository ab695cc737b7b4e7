"""Posteriors of a linear model with Gaussian noise and a Gaussian prior.

    y | w ~ N(Xw, σ²I),  w ~ N(m₀, S₀):    S = (S₀⁻¹ + XᵀX/σ²)⁻¹,    m = S (S₀⁻¹m₀ + Xᵀy/σ²)               (1)
    log p(y) = log N(y; Xm₀, σ²I + XS₀Xᵀ)                                                           (2)
    σ² ~ InverseGamma(a₀, b₀),  w | σ² ~ N(m₀, σ²V₀):    a = a₀ + n/2,
    b = b₀ + ½ (yᵀy + m₀ᵀV₀⁻¹m₀ − mᵀV⁻¹m),    y* ~ t with 2a degrees and scale² (b/a)(1 + xᵀVx)          (3)

With S₀ = LLᵀ and w = m₀ + Lv the prior of v is N(0, I), and the SVD of RL/σ makes (1) to (3) diagonal: nothing is
inverted, and every term of b and of (2) is a sum of positive numbers. A free intercept has a flat prior (in units of
the noise): the rows are centred, (2) and (3) are those of the centred data, and b | w has variance σ²/n. Bishop (2006),
sections 3.3 and 3.5; Gelman et al. (2013), section 14.2, doi:10.1201/b16018.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg
from scipy.special import gammaln

from gnomon.distributions import InverseGamma, MultivariateNormal, MultivariateT, Normal, StudentT

__all__ = ["GaussianPosterior", "StudentPosterior", "joint_mean", "joint_root"]


class _Whitened(NamedTuple):
    """The posterior of (1) with noise variance 1: m, a root of S, Σ s²/(1 + s²), and the parts of (2)."""

    mean: Any
    root: Any
    dof: float
    square: float
    log_det: float


def _condition(summary, prior, scale):
    """`_Whitened` for the rows divided by `scale`."""
    L = prior.factor
    A, b = summary.R @ L / scale, (summary.z - summary.R @ prior.mean) / scale
    U, s, Vt = linalg.svd(A, full_matrices=True)
    s2, c = np.zeros(len(L)), np.zeros(len(L))
    s2[: len(s)], c[: len(s)] = s**2, s * (U.T @ b)
    # Uᵀb has no part outside the span: R has at most as many rows as columns, so U is square.
    square = summary.rest / scale**2 + float(np.sum((U.T @ b) ** 2 / (1.0 + s**2)))
    root = L @ (Vt.T / np.sqrt(1.0 + s2))
    mean = prior.mean + L @ (Vt.T @ (c / (1.0 + s2)))
    return _Whitened(mean, root, float(np.sum(s2 / (1.0 + s2))), square, float(np.sum(np.log1p(s2))))


def joint_mean(summary, w):
    """(w, b) with b = ȳ − x̄ᵀw, or w where there is no intercept."""
    return np.append(w, summary.y_mean - summary.x_mean @ w) if summary.intercept else w


def joint_root(summary, root, noise):
    """A root of the covariance of (w, b): b given w has mean ȳ − x̄ᵀw and variance noise²/n."""
    if not summary.intercept:
        return root
    below = np.append(-summary.x_mean @ root, noise / np.sqrt(summary.total))
    return np.vstack([np.column_stack([root, np.zeros(len(root))]), below])


@dataclass(frozen=True, eq=False)
class _ClosedPosterior:
    """What the posteriors in closed form share; a subclass sets `found`, the whitened posterior."""

    summary: Any
    prior: MultivariateNormal

    effective = float("inf")

    @property
    def dof(self):
        """How many coefficients the data determine."""
        return self.found.dof

    @property
    def mode(self):
        """m, with the intercept."""
        return joint_mean(self.summary, self.found.mean)

    def std(self, X):
        """Standard deviation of the predictive law, noise included."""
        return self.predictive(X, 0.0, include_noise=True).std


@dataclass(frozen=True, eq=False)
class GaussianPosterior(_ClosedPosterior):
    """Equations (1) and (2) for a known σ²."""

    sigma2: float

    def __post_init__(self):
        object.__setattr__(self, "found", _condition(self.summary, self.prior, np.sqrt(self.sigma2)))

    @property
    def noise(self):
        """None: σ² is known."""
        return None

    @property
    def law(self):
        """N(m, S) of the coefficients, the intercept last."""
        root = joint_root(self.summary, self.found.root, np.sqrt(self.sigma2))
        return MultivariateNormal(self.mode, root @ root.T)

    @property
    def log_evidence(self):
        """Equation (2)."""
        scale = self.summary.total * np.log(2.0 * np.pi * self.sigma2)
        return float(-0.5 * (scale + self.found.log_det + self.found.square))

    def predictive(self, X, mean, *, include_noise):
        """N(m, xᵀSx), plus σ² with noise."""
        spread = _spread(self.summary, self.found.root, X, self.sigma2)
        return Normal(mean, spread + self.sigma2 if include_noise else spread)


@dataclass(frozen=True, eq=False)
class StudentPosterior(_ClosedPosterior):
    """Equation (3): the noise variance is unknown."""

    noise_prior: InverseGamma

    def __post_init__(self):
        found = _condition(self.summary, self.prior, 1.0)
        noise = InverseGamma(self.noise_prior.a + 0.5 * self.summary.total, self.noise_prior.b + 0.5 * found.square)
        object.__setattr__(self, "found", found)
        object.__setattr__(self, "noise", noise)

    @property
    def sigma2(self):
        """The posterior mean of σ², or its mode where there is none."""
        return self.noise.mean if self.noise.a > 1.0 else self.noise.mode

    @property
    def law(self):
        """The marginal law of the coefficients, the intercept last: t with 2a degrees and shape (b/a) V."""
        root = joint_root(self.summary, self.found.root, 1.0)
        shape = (self.noise.b / self.noise.a) * (root @ root.T)
        return MultivariateT(2.0 * self.noise.a, self.mode, shape)

    @property
    def log_evidence(self):
        """log p(y), both w and σ² integrated out."""
        a0, b0, a, b = self.noise_prior.a, self.noise_prior.b, self.noise.a, self.noise.b
        gammas = gammaln(a) - gammaln(a0) + a0 * np.log(b0) - a * np.log(b)
        return float(gammas - 0.5 * (self.summary.total * np.log(2.0 * np.pi) + self.found.log_det))

    def predictive(self, X, mean, *, include_noise):
        """t with 2a degrees and scale² (b/a)(1 + xᵀVx), without the 1 for the mean alone."""
        spread = _spread(self.summary, self.found.root, X, 1.0) + (1.0 if include_noise else 0.0)
        return StudentT(2.0 * self.noise.a, mean, np.sqrt(spread * self.noise.b / self.noise.a))


def _spread(summary, root, X, noise):
    """xᵀSx of centred rows, plus the variance of a free intercept."""
    spread = np.sum(((X - summary.x_mean) @ root) ** 2, axis=1)
    return spread + noise / summary.total if summary.intercept else spread
