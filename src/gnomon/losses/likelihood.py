"""From a likelihood to its loss.

    −log p(y | z) = scale · ℓ(y, z) + constant                                                     (1)

Gaussian noise gives the squared loss with scale 1/(2σ²), Laplacian noise the absolute loss with scale 1/b, a Bernoulli
law of the class the logistic loss, a categorical one the softmax loss. Bishop (2006), sections 1.2.5, 3.1.1 and 4.3.
"""

from __future__ import annotations

from typing import NamedTuple

from gnomon.losses._base import Loss
from gnomon.losses.absolute import AbsoluteLoss
from gnomon.losses.logistic import LogisticLoss
from gnomon.losses.softmax import SoftmaxLoss
from gnomon.losses.squared import SquaredLoss
from gnomon.numerics.energy import HasEnergy

__all__ = ["LikelihoodLoss", "from_likelihood"]

LOSSES: dict[str, Loss] = {
    "square": SquaredLoss(),
    "modulus": AbsoluteLoss(),
    "logistic": LogisticLoss(),
    "softmax": SoftmaxLoss(),
}


class LikelihoodLoss(NamedTuple):
    """A loss and its scale in (1).

    Parameters
    ----------
    loss : Loss
    scale : float

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 3.1.1.

    Examples
    --------
    Equation (1) for Gaussian noise, whose constant is −log p at zero residual:

    >>> from gnomon.distributions import Normal
    >>> from gnomon.losses import from_likelihood
    >>> noise = Normal(0.0, 4.0)
    >>> loss, scale = from_likelihood(noise)
    >>> float(scale * loss.value(3.0, 1.0)), float(noise.log_density(0.0) - noise.log_density(2.0))
    (0.5, 0.5)
    """

    loss: Loss
    scale: float


def from_likelihood(dist: HasEnergy) -> LikelihoodLoss:
    """The loss that is the negative log-likelihood of `dist`, the law of the noise (or of the class given its score).

    Parameters
    ----------
    dist : Distribution
        ``Normal(0, σ²)``, ``Laplace(0, b)``, ``Bernoulli(p)`` or ``Categorical(p)``; only the family and the width
        matter, the centre is the prediction.

    Returns
    -------
    LikelihoodLoss
        The loss and its scale in (1). Minimising scale · Σℓ + Ω with Ω from ``gnomon.penalties.from_prior`` finds the
        most probable parameters.

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 3.1.1.

    Examples
    --------
    >>> from gnomon.distributions import Bernoulli, Normal
    >>> from gnomon.losses import from_likelihood
    >>> from_likelihood(Normal(0.0, 0.25))
    LikelihoodLoss(loss=SquaredLoss(half=False), scale=2.0)
    >>> from_likelihood(Bernoulli(0.5)).loss
    LogisticLoss()
    """
    energy = dist.energy
    if energy.shape not in LOSSES:
        raise ValueError(f"dist={dist!r} has no named loss; write one as CallableLoss or choose from {list(LOSSES)}")
    return LikelihoodLoss(LOSSES[energy.shape], energy.factor)
