"""Detectors beside scikit-learn's and SciPy's, where they do the same."""

import numpy as np
import pytest
from scipy import stats
from sklearn.covariance import OAS, EmpiricalCovariance, LedoitWolf
from sklearn.mixture import GaussianMixture as TheirMixture
from sklearn.neighbors import KernelDensity

from gnomon.anomaly import (
    CentroidDistanceDetector,
    DensityDetector,
    GaussianDetector,
    MahalanobisDetector,
    TunedDetector,
)
from gnomon.distributions import MultivariateNormal
from gnomon.generative import GaussianMixture

RNG = np.random.default_rng(11)
X = RNG.normal(size=(500, 4)) @ RNG.normal(size=(4, 4)) + [1.0, 20.0, -3.0, 0.0]
NEW = 2.0 * RNG.normal(size=(200, 4)) + [1.0, 20.0, -3.0, 0.0]


@pytest.mark.spec("GEN-090")
@pytest.mark.parametrize("kind", ["full", "diag", "spherical"])
def test_gaussian_scores_are_those_of_a_mixture_of_one(kind):
    theirs = TheirMixture(1, covariance_type=kind, reg_covar=0.0).fit(X)
    ours = GaussianDetector(kind).fit(X)
    np.testing.assert_allclose(ours.score_samples(NEW), theirs.score_samples(NEW), rtol=1e-8)
    law = stats.multivariate_normal(ours.location_, ours.covariance_)
    np.testing.assert_allclose(ours.score_samples(NEW), law.logpdf(NEW), rtol=1e-8)


@pytest.mark.spec("GEN-092", "GEN-090")
@pytest.mark.parametrize(
    ("shrinkage", "theirs"), [(None, EmpiricalCovariance()), ("ledoit_wolf", LedoitWolf()), ("oas", OAS())]
)
def test_distances_are_those_of_the_covariance_estimators(shrinkage, theirs):
    ours = MahalanobisDetector(shrinkage=shrinkage).fit(X)
    np.testing.assert_allclose(ours.mahalanobis(NEW), theirs.fit(X).mahalanobis(NEW), rtol=1e-7)


@pytest.mark.spec("GEN-091", "GEN-089")
@pytest.mark.parametrize("density", [TheirMixture(3, random_state=0), KernelDensity(bandwidth=0.7)])
def test_their_densities_serve_as_ours(density):
    detector = DensityDetector(density, contamination=0.05).fit(X)
    np.testing.assert_allclose(detector.score_samples(NEW), density.fit(X).score_samples(NEW))
    assert np.sum(detector.predict(X) == -1) == 25


@pytest.mark.spec("GEN-091")
def test_our_mixture_of_one_is_the_gaussian_detector():
    mixture = DensityDetector(GaussianMixture(1, reg_covar=0.0), contamination=0.1).fit(X)
    single = GaussianDetector(contamination=0.1).fit(X)
    law = DensityDetector(MultivariateNormal, contamination=0.1).fit(X)
    np.testing.assert_allclose(mixture.score_samples(NEW), single.score_samples(NEW), rtol=1e-8)
    np.testing.assert_allclose(law.score_samples(NEW), single.score_samples(NEW), rtol=1e-8)
    assert np.array_equal(mixture.predict(NEW), single.predict(NEW))


@pytest.mark.spec("GEN-092", "GEN-096")
def test_detectors_work_where_scikit_learn_expects_them():
    y = np.r_[np.zeros(500), np.ones(30)]
    rows = np.r_[X, X[:30] + RNG.normal(0.0, 12.0, (30, 4))]
    for detector in (GaussianDetector(), CentroidDistanceDetector(2, random_state=0)):
        tuned = TunedDetector(detector, cv=3).fit(rows, y)
        assert tuned.value_ > 0.6
