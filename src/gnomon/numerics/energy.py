"""The common language of densities, losses and penalties.

    −log p(x) = factor · E(x − center) + constant                                                  (1)

with E named by a word: "square" is x², "modulus" is |x|; "logistic" and "softmax" are the negative log-probabilities of
a class given its scores. A distribution says which E and factor it has; a loss or a penalty is found by the word. So
the packages of nouns translate into each other without importing each other. Bishop (2006), sections 3.1.4 and 3.3.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol

from gnomon._typing import Numbers

__all__ = ["Energy", "HasEnergy"]


class Energy(NamedTuple):
    """Negative log-density up to a constant: `factor` · E(x − `center`), E named by `shape`.

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 3.3.

    Examples
    --------
    >>> from gnomon.distributions import Normal
    >>> Normal(mean=0.0, var=4.0).energy
    Energy(shape='square', factor=0.125, center=0.0)
    """

    shape: Literal["square", "modulus", "logistic", "softmax"]
    factor: Numbers
    center: Numbers = 0.0


class HasEnergy(Protocol):
    """What `energy` is asked of: a distribution, for the packages that cannot import it.

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 3.3.

    Examples
    --------
    >>> from gnomon.distributions import Laplace
    >>> from gnomon.numerics.energy import HasEnergy
    >>> noise: HasEnergy = Laplace(0.0, 2.0)
    >>> noise.energy
    Energy(shape='modulus', factor=0.5, center=0.0)
    """

    @property
    def energy(self) -> Energy: ...
