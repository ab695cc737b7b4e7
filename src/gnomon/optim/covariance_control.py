"""What keeps the covariances of a mixture from degenerating.

    Σ = S/N,    Σ = S/N + ν²I,    Σ = S/N with eigenvalues ≥ ψ,    Σ = (S + Ψ)/(N + ν₀ + d + 1)                  (1)

Maximum likelihood has no maximum: a component that shrinks onto a row raises ℓ without bound (Day, 1969,
doi:10.1093/biomet/56.3.463). The second form of (1) is simple and maximises nothing, so ℓ may fall in a step; the third
is the maximum under Σ ⪰ ψI (Hathaway, 1985, doi:10.1214/aos/1176349557), the fourth that of the posterior under an
inverse-Wishart law (Fraley & Raftery, 2007, doi:10.1007/s00357-007-0004-5), and neither lets its objective fall.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gnomon._typing import Floats
from gnomon.distributions import Normals
from gnomon.distributions.normals import MixtureCovarianceType, covariances_of

__all__ = ["AddedVariance", "CovarianceControl", "CovarianceFloor", "CovariancePrior"]


@dataclass(frozen=True)
class CovarianceControl:
    """What keeps covariances from degenerating; this one does nothing, and is maximum likelihood.

    A control has three verbs: `covariances` of the M-step, the `log_prior` it adds to ℓ, and `allows_fall`, whether ℓ
    may fall in a step.

    References
    ----------
    Day, N. E. (1969). Estimating the components of a mixture of normal distributions. doi:10.1093/biomet/56.3.463

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import CovarianceControl
    >>> CovarianceControl().covariances(np.array([[[4.0]]]), np.array([2.0]), "full")
    array([[[2.]]])
    """

    def covariances(self, scatter: Floats, weight: Floats, covariance_type: MixtureCovarianceType) -> Floats:
        """Covariances of a type from the scatter and the weight of every component."""
        return covariances_of(scatter, weight, covariance_type)

    def log_prior(self, laws: Normals) -> float:
        """What is added to ℓ."""
        return 0.0

    @property
    def allows_fall(self) -> bool:
        return False


@dataclass(frozen=True)
class AddedVariance(CovarianceControl):
    """Σ + ν²I after every M-step: simple, and no maximisation of anything, so ℓ may fall.

    Parameters
    ----------
    value : float
        ν² ≥ 0.

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 9.2.1.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import AddedVariance
    >>> AddedVariance(0.5).covariances(np.array([[4.0]]), np.array([2.0]), "diag")
    array([[2.5]])
    """

    value: float

    def covariances(self, scatter: Floats, weight: Floats, covariance_type: MixtureCovarianceType) -> Floats:
        cov = covariances_of(scatter, weight, covariance_type)
        return cov + self.value * (np.eye(cov.shape[-1]) if covariance_type in ("full", "tied") else 1.0)

    @property
    def allows_fall(self) -> bool:
        return self.value > 0.0


@dataclass(frozen=True)
class CovarianceFloor(CovarianceControl):
    """Eigenvalues below ψ raised to ψ: the maximum of ℓ under Σ ⪰ ψI, so ℓ never falls.

    Parameters
    ----------
    value : float
        ψ > 0.

    References
    ----------
    Hathaway, R. J. (1985). A constrained formulation of maximum-likelihood estimation for normal mixture distributions.
    doi:10.1214/aos/1176349557

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import CovarianceFloor
    >>> CovarianceFloor(1.5).covariances(np.array([[[2.0, 1.0], [1.0, 2.0]]]), np.array([1.0]), "full")
    array([[[2.25, 0.75],
            [0.75, 2.25]]])
    """

    value: float

    def covariances(self, scatter: Floats, weight: Floats, covariance_type: MixtureCovarianceType) -> Floats:
        cov = covariances_of(scatter, weight, covariance_type)
        if covariance_type not in ("full", "tied"):
            return np.maximum(cov, self.value)
        values, U = np.linalg.eigh(cov)
        return np.where(
            np.min(values, axis=-1)[..., None, None] >= self.value,
            cov,
            (U * np.maximum(values, self.value)[..., None, :]) @ np.swapaxes(U, -1, -2),
        )


@dataclass(frozen=True)
class CovariancePrior(CovarianceControl):
    """An inverse-Wishart law over every covariance, Σ = (S + Ψ)/(N + ν₀ + d + 1): penalised ℓ never falls.

    Parameters
    ----------
    scale : ndarray of shape (d, d)
        Ψ.
    df : float
        ν₀.

    References
    ----------
    Fraley, C. & Raftery, A. (2007). Bayesian regularization for normal mixture estimation and model-based clustering.
    doi:10.1007/s00357-007-0004-5

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import CovariancePrior
    >>> CovariancePrior(np.array([[2.0]]), 1.0).covariances(np.array([[[4.0]]]), np.array([3.0]), "full")
    array([[[1.]]])
    """

    scale: Floats
    df: float

    def covariances(self, scatter: Floats, weight: Floats, covariance_type: MixtureCovarianceType) -> Floats:
        Psi = np.asarray(self.scale, dtype=float)
        # Tied covariances share one prior.
        share = 1.0 / len(weight) if covariance_type.startswith("tied") else 1.0
        Psi = Psi if scatter.ndim == 3 else np.diag(Psi)
        return covariances_of(scatter + share * Psi, weight + share * (self.df + len(Psi) + 1.0), covariance_type)

    def log_prior(self, laws: Normals) -> float:
        tied = laws.covariance_type.startswith("tied")
        distinct = [laws[j] for j in range(1 if tied else len(laws))]
        Psi = np.asarray(self.scale, dtype=float)
        factor = self.df + len(Psi) + 1.0
        return -0.5 * sum(
            factor * law.log_det + float(np.trace(np.linalg.solve(law.cov_matrix, Psi))) for law in distinct
        )
