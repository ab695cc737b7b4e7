"""Golden values of densities, divergences, conditional laws, histograms, kernel densities and conjugate models."""

import numpy as np
import pytest

from gnomon.distributions import (
    KDE,
    Bernoulli,
    Beta,
    BetaBernoulli,
    DirichletCategorical,
    Histogram,
    MultivariateNormal,
    Normal,
    NormalInverseGammaModel,
    NormalInverseWishartModel,
    NormalKnownCov,
    kl_divergence,
)


def digits(n):
    return {"abs": 0.5001 * 10.0**-n, "rel": 0.0}


@pytest.mark.spec("GEN-G19", "GEN-017")
def test_one_positive_label():
    assert Bernoulli.fit([1]).p == 1.0
    model = BetaBernoulli(2.0, 2.0).update([1])
    assert model == BetaBernoulli(3.0, 2.0)
    assert model.map() == pytest.approx(2 / 3)
    assert model.mean() == pytest.approx(3 / 5)
    assert BetaBernoulli(1.0, 1.0).update([1]).map() == 1.0


@pytest.mark.spec("GEN-G20", "GEN-008", "GEN-017")
def test_seven_of_ten():
    prior, x = BetaBernoulli(2.0, 3.0), [1] * 7 + [0] * 3
    model = prior.update(x)
    assert model == BetaBernoulli(9.0, 6.0)
    assert Bernoulli.fit(x).p == pytest.approx(0.7)
    assert model.map() == pytest.approx(8 / 13)
    assert model.mean() == pytest.approx(0.6)
    assert model.predictive().density(1) == pytest.approx(0.6)
    assert np.exp(model.log_evidence([1, 1])) == pytest.approx(0.375)
    assert np.exp(prior.log_evidence(x)) == pytest.approx(6.660007e-4, rel=1e-7)
    assert Beta(2.0, 3.0).density(0.5) / (0.5 * 0.5**2) == pytest.approx(12.0)


@pytest.mark.spec("GEN-G21", "GEN-018")
def test_counts_of_three_values():
    prior, x = DirichletCategorical(np.ones(3)), np.repeat([0, 1, 2], [2, 3, 5])
    model = prior.update(x)
    np.testing.assert_allclose(model.alpha, [3, 4, 6])
    np.testing.assert_allclose(model.mean(), np.array([3, 4, 6]) / 13)
    np.testing.assert_allclose(model.map(), [0.2, 0.3, 0.5])
    assert prior.log_evidence(x) == pytest.approx(-12.021669, **digits(6))
    assert prior.log_evidence(x, ordered=False) == pytest.approx(-np.log(66))


@pytest.mark.spec("GEN-G22", "GEN-019")
def test_normal_with_known_variance():
    prior = NormalKnownCov(0.0, 1.0, 1.0)
    model = prior.update([1.0, 2.0, 3.0])
    assert (model.mean(), model.law.var) == (pytest.approx(1.5), pytest.approx(0.25))
    assert model.predictive().var == pytest.approx(1.25)
    assert prior.log_evidence([1.0, 2.0, 3.0]) == pytest.approx(-5.949963, **digits(6))


@pytest.mark.spec("GEN-G23", "GEN-020")
def test_normal_inverse_gamma():
    prior = NormalInverseGammaModel(0.0, 1.0, 1.0, 1.0)
    model = prior.update([1.0, 2.0, 3.0])
    np.testing.assert_allclose([model.loc, model.kappa, model.a, model.b], [1.5, 4.0, 2.5, 3.5])
    assert model.predictive().df == pytest.approx(5.0)
    assert model.predictive().scale ** 2 == pytest.approx(1.75)
    assert prior.log_evidence([1.0, 2.0, 3.0]) == pytest.approx(-6.297187, **digits(6))


@pytest.mark.spec("GEN-G24", "GEN-021")
def test_normal_inverse_wishart():
    X = np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 1.0]])
    prior = NormalInverseWishartModel(np.zeros(2), 1.0, np.eye(2), 4.0)
    model, psi = prior.update(X), np.array([[3.75, 0.5], [0.5, 2.0]])
    np.testing.assert_allclose(model.loc, [0.75, 0.5])
    assert (model.df, model.kappa) == (7.0, 4.0)
    np.testing.assert_allclose(model.scale, psi)
    np.testing.assert_allclose(model.map().cov, psi / 11)
    np.testing.assert_allclose(model.map(which="marginal").cov, psi / 10)
    np.testing.assert_allclose(model.mean().cov, psi / 4)
    assert model.predictive().df == 6.0
    np.testing.assert_allclose(model.predictive().shape, psi * 5 / 24)
    assert prior.log_evidence(X) == pytest.approx(-9.739086, **digits(6))


@pytest.mark.spec("GEN-G30", "GEN-004")
def test_densities_of_normal_laws():
    assert Normal(0.0, 1.0).density(0.0) == pytest.approx(0.398942, **digits(6))
    assert Normal(0.0, 1.0).density(1.0) == pytest.approx(0.241971, **digits(6))
    assert Normal(0.0, std=0.1).density(0.0) == pytest.approx(3.989423, **digits(6))
    assert Normal(0.0, 4.0).density(1.0) * Normal(1.0, 9.0).density(2.0) == pytest.approx(0.022144, **digits(6))
    assert Normal.fit([1.0, 2.0, 3.0, 4.0]).var == pytest.approx(1.25)
    assert Normal.fit([1.0, 2.0, 3.0, 4.0], ddof=1).var == pytest.approx(1.666667, **digits(6))


@pytest.mark.spec("GEN-G31", "GEN-012")
def test_divergences():
    p, q = [0.5, 0.5], [0.9, 0.1]
    assert kl_divergence(p, q) == pytest.approx(0.510826, **digits(6))
    assert kl_divergence(q, p) == pytest.approx(0.368064, **digits(6))
    assert kl_divergence(Normal(0.0, 1.0), Normal(1.0, 4.0)) == pytest.approx(0.443147, **digits(6))
    assert kl_divergence(Normal(1.0, 4.0), Normal(0.0, 1.0)) == pytest.approx(1.306853, **digits(6))
    plus = MultivariateNormal([1.0, 0.0], [[1.0, 0.3], [0.3, 2.0]])
    minus = MultivariateNormal([-1.0, 0.5], [[0.7, -0.2], [-0.2, 1.0]])
    assert kl_divergence(plus, minus) == pytest.approx(3.237630, **digits(6))


@pytest.mark.spec("GEN-G32", "GEN-004")
@pytest.mark.parametrize(("std", "expected"), [(1.0, 0.918939), (0.01, -3.686232), (1e-4, -8.291402)])
def test_a_narrow_density_has_a_negative_energy(std, expected):
    assert -Normal(3.0, std=std).log_density(3.0) == pytest.approx(expected, **digits(6))


@pytest.mark.spec("GEN-G46", "GEN-005")
def test_conditioning():
    law = MultivariateNormal([1.0, 2.0, 3.0], [[2.0, 0.5, 0.3], [0.5, 1.0, 0.2], [0.3, 0.2, 1.5]])
    rest = law.condition([0], [3.0])
    np.testing.assert_allclose(rest.mean, [2.5, 3.3])
    np.testing.assert_allclose(rest.cov, [[0.875, 0.125], [0.125, 1.455]])


@pytest.mark.spec("GEN-G54", "GEN-010")
def test_histogram_and_kernel_density():
    x, edges, middles = [0.1, 0.2, 0.4, 0.9], [0.0, 0.25, 0.5, 1.0], [0.1, 0.3, 0.7]
    np.testing.assert_allclose(Histogram.fit(x, bins=edges).density(middles), [2.0, 1.0, 0.5])
    smooth = Histogram.fit(x, bins=edges, alpha=1.0).density(middles)
    np.testing.assert_allclose(smooth, [1.714286, 1.142857, 0.571429], atol=5e-7)
    assert KDE.fit(x, bandwidth=0.5).density(0.3) == pytest.approx(0.672271, **digits(6))
