"""Densities, moments, quantiles, entropies and estimates beside SciPy's and scikit-learn's."""

import numpy as np
import pytest
from scipy import stats
from sklearn.neighbors import KernelDensity

from gnomon.distributions import (
    KDE,
    Bernoulli,
    Beta,
    Binomial,
    Dirichlet,
    Exponential,
    Gamma,
    InverseGamma,
    InverseWishart,
    Laplace,
    Multinomial,
    MultivariateNormal,
    MultivariateT,
    Normal,
    NormalInverseGamma,
    Poisson,
    StudentT,
    Uniform,
    Wishart,
    kl_divergence,
)
from gnomon.optim import fit_mle

COV = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, 0.0], [0.1, 0.0, 0.5]])
POINTS = np.array([-1.3, 0.0, 0.2, 0.7, 1.0, 2.0, 3.0, 5.5])
ONE = [
    (Normal(1.0, 4.0), stats.norm(1.0, 2.0)),
    (Laplace(-1.0, 0.7), stats.laplace(-1.0, 0.7)),
    (StudentT(5.0, 1.0, 2.0), stats.t(5.0, 1.0, 2.0)),
    (Exponential(0.7), stats.expon(scale=1 / 0.7)),
    (Gamma(2.5, 1.5), stats.gamma(2.5, scale=1 / 1.5)),
    (Gamma(0.5, 1.5), stats.gamma(0.5, scale=1 / 1.5)),
    (InverseGamma(5.0, 2.0), stats.invgamma(5.0, scale=2.0)),
    (Beta(2.0, 3.5), stats.beta(2.0, 3.5)),
    (Beta(0.5, 1.0), stats.beta(0.5, 1.0)),
    (Uniform(-1.0, 2.5), stats.uniform(-1.0, 3.5)),
]
WHOLE = [
    (Bernoulli(0.3), stats.bernoulli(0.3)),
    (Binomial(6, 0.3), stats.binom(6, 0.3)),
    (Poisson(2.3), stats.poisson(2.3)),
    (Poisson(4e4), stats.poisson(4e4)),
]


@pytest.mark.spec("GEN-004", "GEN-007", "GEN-008", "GEN-009")
@pytest.mark.parametrize(("law", "peer"), ONE, ids=lambda law: repr(law)[:24])
def test_laws_of_one_variable(law, peer):
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(law.log_density(POINTS), peer.logpdf(POINTS), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose([law.mean, law.var, law.entropy()], [peer.mean(), peer.var(), peer.entropy()], rtol=1e-9)
    np.testing.assert_allclose(law.quantile(np.array([0.01, 0.4, 0.99])), peer.ppf([0.01, 0.4, 0.99]), rtol=1e-9)
    assert stats.kstest(law.sample(5000, np.random.default_rng(0)), peer.cdf).pvalue > 1e-3


@pytest.mark.spec("GEN-006")
@pytest.mark.parametrize(("law", "peer"), WHOLE, ids=lambda law: repr(law)[:24])
def test_laws_of_whole_numbers(law, peer):
    k = np.concatenate([np.arange(-1, 9), [law.mode, 40_000]])
    np.testing.assert_allclose(law.log_density(k), peer.logpmf(k), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose([law.mean, law.var], [peer.mean(), peer.var()])
    np.testing.assert_allclose(law.quantile(np.array([0.01, 0.4, 0.99])), peer.ppf([0.01, 0.4, 0.99]))
    if law.mean < 1e3:  # beyond, the sum of the peer does not converge
        np.testing.assert_allclose(law.entropy(), peer.entropy(), rtol=1e-6)


@pytest.mark.spec("GEN-005", "GEN-006", "GEN-008")
def test_laws_of_vectors_and_matrices():
    rng = np.random.default_rng(0)
    X, m = rng.normal(size=(5, 3)), np.arange(3.0)
    np.testing.assert_allclose(MultivariateNormal(m, COV).log_density(X), stats.multivariate_normal(m, COV).logpdf(X))
    t, peer = MultivariateT(6.0, m, COV), stats.multivariate_t(m, COV, df=6.0)
    np.testing.assert_allclose(t.log_density(X), peer.logpdf(X))
    assert t.entropy() == pytest.approx(peer.entropy())
    p = rng.dirichlet(np.ones(3), size=5)
    dirichlet, peer = Dirichlet([2.0, 0.5, 4.0]), stats.dirichlet([2.0, 0.5, 4.0])
    np.testing.assert_allclose(dirichlet.log_density(p), peer.logpdf(p.T))
    np.testing.assert_allclose(dirichlet.cov, peer.cov())
    assert dirichlet.entropy() == pytest.approx(peer.entropy())
    counts, peer = rng.multinomial(7, [0.2, 0.5, 0.3], size=5), stats.multinomial(7, [0.2, 0.5, 0.3])
    multinomial = Multinomial([0.2, 0.5, 0.3], n_trials=7)
    np.testing.assert_allclose(multinomial.log_density(counts), peer.logpmf(counts))
    np.testing.assert_allclose(multinomial.cov, peer.cov())
    assert multinomial.entropy() == pytest.approx(peer.entropy())
    S = stats.wishart(9, COV).rvs(5, random_state=0)
    for law, peer in (
        (Wishart(COV, 9.0), stats.wishart(9, COV)),
        (InverseWishart(COV, 9.0), stats.invwishart(9, COV)),
    ):
        np.testing.assert_allclose(law.log_density(S), peer.logpdf(np.moveaxis(S, 0, -1)))
        np.testing.assert_allclose(law.mean, peer.mean())
        np.testing.assert_allclose(law.mode, peer.mode())
        np.testing.assert_allclose(law.var, peer.var())
        draws = peer.rvs(20_000, random_state=0)
        # SciPy's entropy of the inverse-Wishart law is not the mean of its own log-densities; the mean is taken.
        surprise = -peer.logpdf(np.moveaxis(draws, 0, -1))
        assert abs(law.entropy() - np.mean(surprise)) < 4.0 * np.std(surprise) / np.sqrt(20_000)


@pytest.mark.spec("GEN-008")
def test_normal_inverse_gamma():
    peer = stats.normal_inverse_gamma(mu=1.0, lmbda=2.0, a=3.0, b=1.5)
    assert NormalInverseGamma(1.0, 2.0, 3.0, 1.5).log_density((0.4, 0.8)) == pytest.approx(peer.logpdf(0.4, 0.8))


@pytest.mark.spec("GEN-003", "GEN-009")
@pytest.mark.parametrize(
    ("law", "peer", "free"),
    [
        (Gamma(2.5, 1.5), stats.gamma, lambda found: (found.a, 0.0, 1.0 / found.b)),
        (InverseGamma(3.0, 1.5), stats.invgamma, lambda found: (found.a, 0.0, found.b)),
        (Beta(2.0, 3.5), stats.beta, lambda found: (found.alpha, found.beta, 0.0, 1.0)),
        (StudentT(4.0, 1.0, 2.0), stats.t, lambda found: (found.df, found.location, found.scale)),
        (Laplace(1.0, 2.0), stats.laplace, lambda found: (found.loc, found.scale)),
        (Exponential(2.0), stats.expon, lambda found: (0.0, 1.0 / found.rate)),
    ],
    ids=lambda part: type(part).__name__,
)
def test_estimates(law, peer, free):
    x = law.sample(200, np.random.default_rng(0))
    found = type(law).fit(x)
    held = {
        stats.t: {},
        stats.laplace: {},
        stats.beta: {"floc": 0.0, "fscale": 1.0},
    }.get(peer, {"floc": 0.0})
    ours, theirs = (peer(*point).logpdf(x).sum() for point in (free(found), peer.fit(x, **held)))
    assert ours >= theirs - 1e-6
    np.testing.assert_allclose(free(found), peer.fit(x, **held), rtol=2e-3, atol=1e-6)


@pytest.mark.spec("GEN-003")
def test_a_law_without_a_closed_form():
    x = stats.weibull_min(1.7, scale=2.0).rvs(300, random_state=0)
    found = fit_mle(
        lambda x, shape, scale: stats.weibull_min(shape, scale=scale).logpdf(x),
        {"shape": 1.0, "scale": 1.0},
        x,
        domains={"shape": "positive", "scale": "positive"},
    )
    shape, _, scale = stats.weibull_min.fit(x, floc=0.0)
    assert found.theta["shape"] == pytest.approx(shape, rel=1e-4)
    assert found.theta["scale"] == pytest.approx(scale, rel=1e-4)


@pytest.mark.spec("GEN-010")
def test_kernel_densities():
    rng = np.random.default_rng(0)
    X, Q, w = rng.normal(size=(400, 2)), 2.0 * rng.normal(size=(50, 2)), rng.random(400)
    ours = KDE.fit(X, w, bandwidth=0.3)
    theirs = KernelDensity(bandwidth=0.3, rtol=0.0).fit(X, sample_weight=w)
    np.testing.assert_allclose(ours.log_density(Q), theirs.score_samples(Q), rtol=1e-8)
    scott = KDE.fit(X[:, 0], bandwidth="scott")
    peer = stats.gaussian_kde(X[:, 0], bw_method=scott.bandwidth / np.std(X[:, 0], ddof=1))
    np.testing.assert_allclose(scott.density(Q[:, 0]), peer(Q[:, 0]), rtol=1e-9)


@pytest.mark.spec("GEN-012")
def test_the_entropy_of_vectors():
    p, q = np.array([0.2, 0.3, 0.5]), np.array([0.4, 0.4, 0.2])
    assert kl_divergence(p, q) == pytest.approx(stats.entropy(p, q))
