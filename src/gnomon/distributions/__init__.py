"""Probability distributions ("laws") as immutable values."""

from __future__ import annotations

from gnomon.distributions._base import Distribution, DistributionFamily, Statistics
from gnomon.distributions._likelihood import likelihood, log_likelihood
from gnomon.distributions.bernoulli import Bernoulli, Binomial
from gnomon.distributions.beta import Beta
from gnomon.distributions.categorical import Categorical, Multinomial
from gnomon.distributions.conjugate import BetaBernoulli, ConjugateModel, DirichletCategorical
from gnomon.distributions.conjugate_normal import NormalInverseGammaModel, NormalInverseWishartModel, NormalKnownCov
from gnomon.distributions.counts import CategoryCounts, LogTable, pseudo_counts, smooth
from gnomon.distributions.density import density_parameters, fit_density, row_log_density, sample_density
from gnomon.distributions.dirichlet import Dirichlet
from gnomon.distributions.empirical import Empirical
from gnomon.distributions.exponential import Exponential
from gnomon.distributions.gamma import Gamma, InverseGamma
from gnomon.distributions.histogram import Histogram
from gnomon.distributions.information import MonteCarlo, cross_entropy, entropy, kl_divergence
from gnomon.distributions.kde import KDE
from gnomon.distributions.laplace import Laplace
from gnomon.distributions.normal import MultivariateNormal, Normal
from gnomon.distributions.normal_inverse import MeanCov, MeanVar, NormalInverseGamma, NormalInverseWishart
from gnomon.distributions.normals import Normals, Responsibilities
from gnomon.distributions.poisson import Poisson
from gnomon.distributions.product import Product
from gnomon.distributions.student import MultivariateT, StudentT
from gnomon.distributions.uniform import Uniform
from gnomon.distributions.wishart import InverseWishart, Wishart

__all__ = [
    "KDE",
    "Bernoulli",
    "Beta",
    "BetaBernoulli",
    "Binomial",
    "Categorical",
    "CategoryCounts",
    "ConjugateModel",
    "Dirichlet",
    "DirichletCategorical",
    "Distribution",
    "DistributionFamily",
    "Empirical",
    "Exponential",
    "Gamma",
    "Histogram",
    "InverseGamma",
    "InverseWishart",
    "Laplace",
    "LogTable",
    "MeanCov",
    "MeanVar",
    "MonteCarlo",
    "Multinomial",
    "MultivariateNormal",
    "MultivariateT",
    "Normal",
    "NormalInverseGamma",
    "NormalInverseGammaModel",
    "NormalInverseWishart",
    "NormalInverseWishartModel",
    "NormalKnownCov",
    "Normals",
    "Poisson",
    "Product",
    "Responsibilities",
    "Statistics",
    "StudentT",
    "Uniform",
    "Wishart",
    "cross_entropy",
    "density_parameters",
    "entropy",
    "fit_density",
    "kl_divergence",
    "likelihood",
    "log_likelihood",
    "pseudo_counts",
    "row_log_density",
    "sample_density",
    "smooth",
]
