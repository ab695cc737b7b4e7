"""From a prior to its penalty, and back.

    −log p(w) = Ω(w) + constant                                                                   (1)

N(0, β²I) is the L2 penalty ‖w‖²/(2β²), Laplace(0, b) the L1 penalty ‖w‖₁/b. With a negative log-likelihood scale · Σℓ,
the objective Σℓ + Ω/scale has the same minimiser: for Gaussian noise and the squared loss, scale = 1/(2σ²), so that
ridge has ρ = σ²/β² and the lasso ρ = 2σ²/b. Tibshirani (1996), section 5, doi:10.1111/j.2517-6161.1996.tb02080.x.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

import numpy as np

from gnomon.numerics.energy import Energy, HasEnergy
from gnomon.penalties._base import Penalty
from gnomon.penalties.l1 import L1
from gnomon.penalties.l2 import L2

__all__ = ["from_prior", "to_prior"]

PENALTIES: dict[str, type[L1] | type[L2]] = {"square": L2, "modulus": L1}

Law = TypeVar("Law", covariant=True)


class _Family(Protocol[Law]):
    """A class of distributions that is made of an energy."""

    def from_energy(self, energy: Energy, /) -> Law: ...


def from_prior(dist: HasEnergy, *, loss_scale: float = 1.0) -> Penalty:
    """The penalty that is the negative log-density of `dist`, divided by the scale of the loss.

    Parameters
    ----------
    dist : Distribution
        The law of every coefficient, independently: ``Normal(0, β²)``, ``Laplace(0, b)``, or ``MultivariateNormal``
        with mean 0 and covariance β²I.
    loss_scale : float, default=1.0
        The scale with −log p(y | z) = scale · ℓ(y, z), as ``gnomon.losses.from_likelihood`` says: 1/(2σ²) for the
        squared loss, 1 for the logistic.

    Returns
    -------
    Penalty

    References
    ----------
    Tibshirani, R. (1996). Regression shrinkage and selection via the lasso. doi:10.1111/j.2517-6161.1996.tb02080.x

    Examples
    --------
    Ridge with noise variance σ² = 2 and prior variance β² = 4 has ρ = σ²/β²; the lasso ρ = 2σ²/b:

    >>> from gnomon.distributions import Laplace, Normal
    >>> from gnomon.losses import from_likelihood
    >>> from gnomon.penalties import from_prior
    >>> scale = from_likelihood(Normal(0.0, 2.0)).scale
    >>> from_prior(Normal(0.0, 4.0), loss_scale=scale)
    L2(strength=0.5, half=False)
    >>> from_prior(Laplace(0.0, 8.0), loss_scale=scale)
    L1(strength=0.5)
    """
    energy = dist.energy
    if energy.shape not in PENALTIES:
        raise ValueError(f"dist={dist!r} has no named penalty; choose Normal(0, variance) or Laplace(0, scale)")
    if np.any(energy.center):
        raise ValueError(f"dist={dist!r} is not centred at 0; a penalty is least at 0, shift the coefficients first")
    return PENALTIES[energy.shape](energy.factor / loss_scale)


def to_prior(penalty: Penalty, family: _Family[Law], *, loss_scale: float = 1.0) -> Law:
    """The law of the coefficients whose negative log-density is the penalty times the scale of the loss.

    Parameters
    ----------
    penalty : Penalty
        `L2` or `L1`, of positive strength.
    family : type
        The family to express it in, of ``gnomon.distributions``: `Normal` for `L2`, `Laplace` for `L1`.
    loss_scale : float, default=1.0
        As in `from_prior`, whose inverse this is.

    Returns
    -------
    Distribution

    References
    ----------
    Tibshirani, R. (1996). Regression shrinkage and selection via the lasso. doi:10.1111/j.2517-6161.1996.tb02080.x

    Examples
    --------
    >>> from gnomon.distributions import Laplace, Normal
    >>> from gnomon.penalties import L1, L2, to_prior
    >>> to_prior(L2(0.5), Normal, loss_scale=0.25)
    Normal(mean=0.0, var=4.0)
    >>> to_prior(L1(0.5), Laplace)
    Laplace(loc=0.0, scale=2.0)
    """
    energy = penalty.energy
    if not energy.factor > 0.0:
        raise ValueError(f"penalty={penalty!r} has no strength, so its prior is flat; give a strength > 0")
    return family.from_energy(energy._replace(factor=energy.factor * loss_scale))
