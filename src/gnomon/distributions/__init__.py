"""Distributions: laws of chance as immutable values."""

from gnomon.distributions._base import Distribution, Family, Statistics
from gnomon.distributions.discrete import Bernoulli, Categorical
from gnomon.distributions.empirical import Empirical
from gnomon.distributions.information import cross_entropy, entropy, kl_divergence
from gnomon.distributions.laplace import Laplace
from gnomon.distributions.normal import MultivariateNormal, Normal
from gnomon.distributions.normals import Normals, Responsibilities
from gnomon.distributions.student import InverseGamma, MultivariateT, StudentT

__all__ = [
    "Bernoulli",
    "Categorical",
    "Distribution",
    "Empirical",
    "Family",
    "InverseGamma",
    "Laplace",
    "MultivariateNormal",
    "MultivariateT",
    "Normal",
    "Normals",
    "Responsibilities",
    "Statistics",
    "StudentT",
    "cross_entropy",
    "entropy",
    "kl_divergence",
]
