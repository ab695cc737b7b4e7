"""Principal components as a density.

    p(x) = N(x; x̄, C),    C = W (Λ − σ²I) Wᵀ + σ²I                                                   (1)

    −2 log p(x) = d log 2π + Σⱼ log λⱼ + (d − m) log σ² + Σⱼ zⱼ²/λⱼ + ‖x − x̂‖²/σ²                    (2)

with z = Wᵀ(x − x̄) and x̂ = x̄ + Wz: along the m components the variances are Λ, in every other direction σ², which is
the mean of the eigenvalues that were left out. Tipping & Bishop (1999), doi:10.1111/1467-9868.00196.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import Floats

__all__ = ["ComponentDensity"]


class ComponentDensity(NamedTuple):
    """The density (1).

    Fields
    ------
    mean : ndarray of shape (d,)
    axes : ndarray of shape (m, d)
        Wᵀ.
    variances : ndarray of shape (m,)
        Λ.
    noise : float
        σ².

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decomposition._component_density import ComponentDensity
    >>> density = ComponentDensity(np.zeros(2), np.array([[1.0, 0.0]]), np.array([4.0]), 0.25)
    >>> density.covariance().tolist()
    [[4.0, 0.0], [0.0, 0.25]]
    >>> by_hand = -0.5 * (2 * np.log(2 * np.pi) + np.log(4.0 * 0.25) + 2.0**2 / 4.0 + 1.0**2 / 0.25)
    >>> bool(np.isclose(density.log_density(np.array([[2.0, 1.0]]))[0], by_hand))
    True
    """

    mean: Floats
    axes: Floats
    variances: Floats
    noise: float

    def covariance(self) -> Floats:
        """C."""
        above = np.maximum(self.variances - self.noise, 0.0)
        return (self.axes.T * above) @ self.axes + self.noise * np.eye(self.axes.shape[1], dtype=self.axes.dtype)

    def precision(self) -> Floats:
        """C⁻¹ = W (Λ⁻¹ − I/σ²) Wᵀ + I/σ²."""
        variances, noise = self._proper()
        outside = 1.0 / noise
        inverse = (self.axes.T * (1.0 / variances - outside)) @ self.axes + outside * np.eye(self.axes.shape[1])
        return inverse.astype(self.axes.dtype)

    def log_density(self, X: Floats) -> Floats:
        """(2) of every row."""
        variances, noise = self._proper()
        m, d = self.axes.shape
        centred = X - self.mean.astype(X.dtype, copy=False)
        Z = centred @ self.axes.T.astype(X.dtype, copy=False)
        off = centred - Z @ self.axes
        squares = np.sum(Z**2 / variances, axis=1) + np.einsum("ij,ij->i", off, off) / noise
        log_det = float(np.sum(np.log(variances)) + ((d - m) * np.log(noise) if m < d else 0.0))
        return (-0.5 * (d * np.log(2.0 * np.pi) + log_det + squares)).astype(X.dtype)

    def sample(self, n: int, rng: Any) -> Floats:
        """n rows drawn from it."""
        above = np.sqrt(np.maximum(self.variances - self.noise, 0.0))
        noise = np.sqrt(self.noise) * rng.normal(size=(n, self.axes.shape[1]))
        return self.mean + (rng.normal(size=(n, len(above))) * above) @ self.axes + noise

    def _proper(self) -> tuple[Floats, float]:
        """Λ and σ², infinite where no direction is left over for it; an error where C is singular."""
        m, d = self.axes.shape
        if m < d and not self.noise > 0.0:
            raise ValueError(
                f"the rows have no variance outside the {m} components, so their density in {d} columns is singular; "
                "ask for fewer components"
            )
        variances = np.maximum(self.variances.astype(float), self.noise)
        if m and not variances.min() > 0.0:
            raise ValueError("a component has no variance, so the density is singular; ask for fewer components")
        return variances, self.noise if m < d else np.inf
