"""The Bayesian lasso: a Laplace prior, explored by Gibbs sampling.

    p(w | σ²) = Πⱼ (λ/2σ) e^{−λ|wⱼ|/σ} = Πⱼ ∫ N(wⱼ; 0, σ²τⱼ²) (λ²/2) e^{−λ²τⱼ²/2} dτⱼ²                  (1)
    w | τ, σ² ~ N(A⁻¹Xᵀy, σ²A⁻¹),  A = XᵀX + diag(τ⁻²);    τⱼ⁻² | w, σ² ~ InverseGaussian(λσ/|wⱼ|, λ²);
    σ² | w, τ ~ InverseGamma(a₀ + (n + d)/2, b₀ + ½‖y − Xw‖² + ½ Σ wⱼ²/τⱼ²)                            (2)

Park & Casella (2008), doi:10.1198/016214508000000337, section 2. With σ² known, the last step is left out and
λ = σ/b makes (1) the law Laplace(0, b) of each coefficient.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from gnomon.distributions import Empirical

__all__ = ["SampledPosterior", "gibbs_lasso"]


def gibbs_lasso(summary, lam, sigma2, *, noise_prior=None, n_draws, burn_in, rng):
    """Draws of w and σ² from (2); σ² stays what it is unless it has a prior."""
    R, z = summary.R, summary.z
    d = R.shape[1]
    gram, right = R.T @ R, R.T @ z
    draws, noises = np.empty((n_draws, d)), np.empty(n_draws)
    precision = np.full(d, lam**2)
    for i in range(-burn_in, n_draws):
        factor = linalg.cholesky(gram + np.diag(precision), lower=True, check_finite=False)
        white = linalg.solve_triangular(factor, right, lower=True, check_finite=False)
        noisy = white + np.sqrt(sigma2) * rng.standard_normal(d)
        w = linalg.solve_triangular(factor, noisy, lower=True, trans="T", check_finite=False)
        # A coefficient at zero would have an infinite mean; the cap is far beyond the bulk of the law of shape λ².
        precision = rng.wald(np.minimum(lam * np.sqrt(sigma2) / np.maximum(np.abs(w), 1e-300), 1e8 * lam**2), lam**2)
        if noise_prior is not None:
            square = summary.rest + np.sum((z - R @ w) ** 2) + np.sum(w**2 * precision)
            sigma2 = (noise_prior.b + 0.5 * square) / rng.gamma(noise_prior.a + 0.5 * (summary.total + d))
        if i >= 0:
            draws[i], noises[i] = w, sigma2
    return draws, noises


@dataclass(frozen=True, eq=False)
class SampledPosterior:
    """Draws of (w, b) and σ², with the mode that the lasso found; `noisy` says whether σ² was drawn."""

    draws: Any
    noises: Any
    mode: Any
    summary: Any
    noisy: bool

    log_evidence = dof = float("nan")

    @property
    def noise(self):
        """The empirical law of σ², or None where it is known."""
        return Empirical(self.noises) if self.noisy else None

    @property
    def law(self):
        """The empirical law of the draws."""
        return Empirical(self.draws)

    @property
    def sigma2(self):
        """The mean of the draws of σ²."""
        return float(np.mean(self.noises))

    def predictive(self, X, mean, *, include_noise):
        """The empirical law of the predictions of all draws."""
        d = X.shape[1]
        latent = self.draws[:, :d] @ X.T + (self.draws[:, d:] if self.summary.intercept else 0.0)
        if include_noise:
            # The same noise at every call, so that a prediction is a function of X.
            latent += np.sqrt(self.noises)[:, None] * np.random.default_rng(0).standard_normal(latent.shape)
        return Empirical(latent)

    def std(self, X):
        """Standard deviation of the predictive law, noise included."""
        rows = np.column_stack([X, np.ones(len(X))]) if self.summary.intercept else X
        return np.sqrt(np.sum((rows @ self.law.cov) * rows, axis=1) + self.sigma2)
