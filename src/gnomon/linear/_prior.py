"""The prior of the coefficients, from what the user wrote.

None, "normal" → N(0, I)    β² → N(0, β²I)    (m₀, S₀) → N(m₀, S₀)    "laplace" → Laplace(0, 1)    (1)
"""

from __future__ import annotations

from numbers import Real
from typing import Literal, TypeAlias

from gnomon._typing import ArrayLike
from gnomon.distributions import Distribution, Laplace, MultivariateNormal, Normal
from gnomon.numerics.validation import check_positive

__all__ = ["ParameterPrior", "as_prior"]

PriorWord: TypeAlias = Literal["normal", "laplace"]
ParameterPrior: TypeAlias = float | tuple[ArrayLike, ArrayLike] | PriorWord | Distribution | None

WORDS: dict[str, Distribution] = {"normal": Normal(0.0, 1.0), "laplace": Laplace(0.0, 1.0)}


def as_prior(parameter_prior: ParameterPrior) -> Distribution:
    """A distribution, by (1); a distribution is returned as it is."""
    match parameter_prior:
        case None:
            return WORDS["normal"]
        case str() if parameter_prior in WORDS:
            return WORDS[parameter_prior]
        case Real():
            return Normal(0.0, check_positive("parameter_prior", parameter_prior))
        case [mean, cov]:
            return MultivariateNormal(mean, cov)
        case Distribution():
            return parameter_prior
    raise ValueError(
        f"parameter_prior={parameter_prior!r} is not a prior; give a variance, a pair (mean, covariance), "
        f"a distribution or one of {list(WORDS)}"
    )
