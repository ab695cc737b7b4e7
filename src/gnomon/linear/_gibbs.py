"""The Bayesian lasso: a Laplace prior, explored by Gibbs sampling.

    p(w | σ²) = Πⱼ (λ/2σ) e^{−λ|wⱼ|/σ} = Πⱼ ∫ N(wⱼ; 0, σ²τⱼ²) (λ²/2) e^{−λ²τⱼ²/2} dτⱼ²                  (1)
    w | τ, σ² ~ N(A⁻¹Xᵀy, σ²A⁻¹),  A = XᵀX + diag(τ⁻²);    τⱼ⁻² | w, σ² ~ InverseGaussian(λσ/|wⱼ|, λ²);
    σ² | w, τ ~ InverseGamma(a₀ + (n + d)/2, b₀ + ½‖y − Xw‖² + ½ Σ wⱼ²/τⱼ²)                            (2)

Park & Casella (2008), doi:10.1198/016214508000000337, section 2. With σ² known, the last step is left out and
λ = σ/b makes (1) the law Laplace(0, b) of each coefficient.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gnomon._jit import jit, jitable
from gnomon._typing import Floats
from gnomon.distributions import Empirical, InverseGamma
from gnomon.linear._summary import Summary

__all__ = ["SampledPosterior", "effective_draws", "gibbs_lasso"]

LARGEST = 4096
"""Coefficients that are drawn together at most."""


def gibbs_lasso(
    summary: Summary,
    lam: float,
    sigma2: float,
    *,
    noise_prior: InverseGamma | None = None,
    n_draws: int,
    burn_in: int,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Draws of w and σ² from (2); σ² stays what it is unless it has a prior."""
    d, m = summary.R.shape[1], n_draws + burn_in
    if d > LARGEST:
        raise ValueError(
            f"X has {d} columns, and with a Laplace prior at most {LARGEST} are allowed, because every draw factors a "
            "d × d matrix; select columns first, for instance with Lasso, or give a Gaussian prior"
        )
    noise_b, gammas = np.nan, np.empty(m)
    if noise_prior is not None:
        noise_b, gammas = noise_prior.b, rng.gamma(noise_prior.a + 0.5 * (summary.total + d), size=m)
    chance = rng.standard_normal((m, d)), rng.chisquare(1.0, (m, d)), rng.random((m, d)), gammas
    R, z = np.ascontiguousarray(summary.R), np.ascontiguousarray(summary.z)
    draws, noises = _sweeps(R, z, summary.rest, R.T @ R, R.T @ z, lam, sigma2, noise_b, *chance)
    return draws[burn_in:], noises[burn_in:]


@jit
def _sweeps(
    R: Floats,
    z: Floats,
    rest: float,
    gram: Floats,
    right: Floats,
    lam: float,
    sigma2: float,
    noise_b: float,
    normals: Floats,
    squares: Floats,
    uniforms: Floats,
    gammas: Floats,
) -> tuple[Floats, Floats]:
    """One sweep of (2) per row of the random numbers; `noise_b` is nan where σ² is known."""
    m, d = normals.shape
    draws, noises, A, precision = np.empty((m, d)), np.empty(m), np.empty((d, d)), np.full(d, lam * lam)
    for i in range(m):
        # An assignment of arrays would compile Numba's check of shapes and its message, longer than all else.
        for j in range(d):
            for k in range(d):
                A[j, k] = gram[j, k]
            A[j, j] += precision[j]
        w = draws[i]
        _draw_normal(np.linalg.cholesky(A), right, np.sqrt(sigma2), normals[i], w)
        for j in range(d):
            # A coefficient at zero has an infinite mean, for which the formula holds in the limit.
            mean = lam * np.sqrt(sigma2) / max(abs(w[j]), 1e-100)
            precision[j] = _inverse_gaussian(mean, lam * lam, squares[i, j], uniforms[i, j])
        if not np.isnan(noise_b):
            sigma2 = (noise_b + 0.5 * (rest + _energy(R, z, precision, w))) / gammas[i]
        noises[i] = sigma2
    return draws, noises


@jit
def _draw_normal(L: Floats, right: Floats, sigma: float, noise: Floats, w: Floats) -> None:
    """w ~ N(A⁻¹ right, σ²A⁻¹) with A = LLᵀ: Lv = right, Lᵀw = v + σ · noise."""
    d = len(w)
    for j in range(d):
        total = right[j]
        for k in range(j):
            total -= L[j, k] * w[k]
        w[j] = total / L[j, j]
    for j in range(d - 1, -1, -1):
        total = w[j] + sigma * noise[j]
        for k in range(j + 1, d):
            total -= L[k, j] * w[k]
        w[j] = total / L[j, j]


@jit
def _energy(R: Floats, z: Floats, precision: Floats, w: Floats) -> float:
    """‖z − Rw‖² + Σ wⱼ² τⱼ⁻²."""
    total = 0.0
    for i in range(R.shape[0]):
        r = z[i]
        for j in range(R.shape[1]):
            r -= R[i, j] * w[j]
        total += r * r
    for j in range(R.shape[1]):
        total += precision[j] * w[j] * w[j]
    return total


@jitable
def _inverse_gaussian(mean: float, shape: float, square: float, uniform: float) -> float:
    """A draw by Michael, Schucany & Haas (1976), doi:10.1080/00031305.1976.10479147, in a form that does not cancel."""
    t = 0.5 * mean * square / shape
    stretch = 1.0 + t + np.sqrt(t * (2.0 + t))
    small = mean / stretch
    return small if uniform * (mean + small) <= mean else mean * stretch


def effective_draws(chain: Floats) -> float:
    """m / (1 + 2 Σ ρₖ) with the sum cut where pairs ρ₂ₖ + ρ₂ₖ₊₁ stop being positive: Geyer (1992),
    doi:10.1214/ss/1177011137, section 3.3."""
    m = len(chain)
    spectrum = np.abs(np.fft.rfft(chain - np.mean(chain), 2 * m)) ** 2
    covariance = np.fft.irfft(spectrum)[:m]
    if not covariance[0] > 0.0:
        return float(m)
    pairs = covariance[: m - m % 2].reshape(-1, 2).sum(axis=1) / covariance[0]
    stop = np.argmax(pairs <= 0.0) if np.any(pairs <= 0.0) else len(pairs)
    return m / max(2.0 * float(np.sum(pairs[:stop])) - 1.0, 1.0 / m)


@dataclass(frozen=True, eq=False)
class SampledPosterior:
    """Draws of (w, b) and σ², with the mode that the lasso found; `noisy` says whether σ² was drawn."""

    draws: Floats
    noises: Floats
    mode: Floats
    summary: Summary
    noisy: bool

    log_evidence = dof = float("nan")

    @property
    def effective(self) -> float:
        """The smallest effective sample size of a coefficient."""
        return float(min(effective_draws(column) for column in self.draws.T))

    @property
    def noise(self) -> Empirical | None:
        """The empirical law of σ², or None where it is known."""
        return Empirical(self.noises) if self.noisy else None

    @property
    def law(self) -> Empirical:
        """The empirical law of the draws."""
        return Empirical(self.draws)

    @property
    def mean(self) -> Floats:
        """The mean of the draws."""
        return self.law.mean

    @property
    def sigma2(self) -> float:
        """The mean of the draws of σ²."""
        return float(np.mean(self.noises))

    def predictive(self, X: Floats, mean: Floats, *, include_noise: bool) -> Empirical:
        """The empirical law of the predictions of all draws."""
        d = X.shape[1]
        latent = self.draws[:, :d] @ X.T + (self.draws[:, d:] if self.summary.intercept else 0.0)
        if include_noise:
            # The same noise at every call, so that a prediction is a function of X.
            latent += np.sqrt(self.noises)[:, None] * np.random.default_rng(0).standard_normal(latent.shape)
        return Empirical(latent)

    def std(self, X: Floats) -> Floats:
        """Standard deviation of the predictive law, noise included."""
        rows = np.column_stack([X, np.ones(len(X))]) if self.summary.intercept else X
        return np.sqrt(np.sum((rows @ self.law.cov) * rows, axis=1) + self.sigma2)
