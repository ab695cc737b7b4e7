"""Distributions: laws of chance as immutable values."""

from gnomon.distributions._base import Distribution
from gnomon.distributions.discrete import Bernoulli, Categorical
from gnomon.distributions.empirical import Empirical
from gnomon.distributions.information import cross_entropy, entropy, kl_divergence
from gnomon.distributions.laplace import Laplace
from gnomon.distributions.normal import MultivariateNormal, Normal
from gnomon.distributions.student import InverseGamma, MultivariateT, StudentT

__all__ = [
    "Bernoulli",
    "Categorical",
    "Distribution",
    "Empirical",
    "InverseGamma",
    "Laplace",
    "MultivariateNormal",
    "MultivariateT",
    "Normal",
    "StudentT",
    "cross_entropy",
    "entropy",
    "kl_divergence",
]
