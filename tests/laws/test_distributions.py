"""Laws of distributions: densities, draws, quantiles and information, beside SciPy's."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from sklearn.metrics import log_loss

from gnomon.distributions import (
    Bernoulli,
    Categorical,
    Empirical,
    InverseGamma,
    Laplace,
    MultivariateNormal,
    MultivariateT,
    Normal,
    StudentT,
    cross_entropy,
    entropy,
    kl_divergence,
)

UNIVARIATE = [
    (Normal(1.0, 4.0), stats.norm(1.0, 2.0)),
    (Laplace(-1.0, 0.7), stats.laplace(-1.0, 0.7)),
    (StudentT(5.0, 1.0, 2.0), stats.t(5.0, 1.0, 2.0)),
    (InverseGamma(4.0, 2.0), stats.invgamma(4.0, scale=2.0)),
]
COV = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, 0.0], [0.1, 0.0, 0.5]])
MULTIVARIATE = [
    (MultivariateNormal(np.arange(3.0), COV), stats.multivariate_normal(np.arange(3.0), COV)),
    (MultivariateT(6.0, np.arange(3.0), COV), stats.multivariate_t(np.arange(3.0), COV, df=6.0)),
]


@pytest.mark.parametrize(("law", "peer"), UNIVARIATE, ids=lambda law: repr(law)[:20])
def test_density_moments_quantiles_and_entropy(law, peer):
    x = np.array([0.2, 1.0, 3.0])
    np.testing.assert_allclose(law.log_density(x), peer.logpdf(x))
    np.testing.assert_allclose([law.mean, law.var], [peer.mean(), peer.var()])
    np.testing.assert_allclose(law.quantile(np.array([0.01, 0.4, 0.99])), peer.ppf([0.01, 0.4, 0.99]), rtol=1e-10)
    np.testing.assert_allclose(law.interval(0.9), peer.interval(0.9))
    np.testing.assert_allclose(law.entropy(), peer.entropy(), rtol=1e-6)
    draws = law.sample(20000, np.random.default_rng(0))
    assert stats.kstest(draws, peer.cdf).pvalue > 1e-3


@pytest.mark.parametrize(("law", "peer"), MULTIVARIATE, ids=lambda law: type(law).__name__)
def test_laws_of_vectors(law, peer):
    x = np.random.default_rng(0).normal(size=(4, 3))
    np.testing.assert_allclose(law.log_density(x), peer.logpdf(x))
    np.testing.assert_allclose(law.log_density(x[0]), peer.logpdf(x[0]))
    draws = law.sample(100000, np.random.default_rng(0))
    np.testing.assert_allclose(draws.mean(axis=0), law.mean, atol=0.03)
    np.testing.assert_allclose(np.cov(draws.T), law.cov, atol=0.1)
    low, high = law.interval(0.9)
    np.testing.assert_allclose(np.mean((draws > low) & (draws < high), axis=0), 0.9, atol=0.01)


def test_arrays_of_parameters_are_independent_laws():
    law = Normal(np.array([0.0, 1.0]), np.array([1.0, 4.0]))
    np.testing.assert_allclose(law.log_density(np.array([0.5, 0.5])), stats.norm([0.0, 1.0], [1.0, 2.0]).logpdf(0.5))
    assert law.sample(5, np.random.default_rng(0)).shape == (5, 2)
    joint = law.joint(2)
    assert joint.log_density(np.array([0.5, 0.5])) == pytest.approx(np.sum(law.log_density(np.array([0.5, 0.5]))))


def test_discrete_laws_sample_what_they_say():
    rng = np.random.default_rng(0)
    p = np.array([[0.2, 0.3, 0.5], [0.9, 0.1, 0.0]])
    draws = Categorical(p).sample(20000, rng)
    for row in range(2):
        np.testing.assert_allclose(np.bincount(draws[:, row], minlength=3) / 20000, p[row], atol=0.02)
    np.testing.assert_allclose(Categorical(p).mean, [1.3, 0.1])
    np.testing.assert_allclose(Categorical(p).var, [0.61, 0.09])
    np.testing.assert_allclose(Categorical(p).log_density(np.array([2, 2])), [np.log(0.5), -np.inf])
    assert Bernoulli(0.3).sample(20000, rng).mean() == pytest.approx(0.3, abs=0.02)
    np.testing.assert_allclose(np.exp(Bernoulli(0.3).log_density([0, 1])), [0.7, 0.3])


def test_an_empirical_law_is_its_draws():
    draws = np.random.default_rng(0).normal(size=(500, 2))
    law = Empirical(draws)
    np.testing.assert_allclose(law.cov, np.cov(draws.T, ddof=0))
    np.testing.assert_allclose(law.quantile(0.25), np.quantile(draws, 0.25, axis=0))
    np.testing.assert_allclose(law.expect(lambda x: x**2), np.mean(draws**2, axis=0))
    assert set(law.sample(9, np.random.default_rng(0)).ravel()) <= set(draws.ravel())


@pytest.mark.spec("LIN-132")
def test_cross_entropy_is_the_mean_log_loss_and_changes_its_unit():
    rng = np.random.default_rng(0)
    proba, y = rng.dirichlet(np.ones(3), size=40), rng.integers(3, size=40)
    mean = np.mean(cross_entropy(np.eye(3)[y], proba))
    assert mean == pytest.approx(log_loss(y, proba))
    np.testing.assert_allclose(
        cross_entropy(proba[0], proba[1], base=2) * np.log(2.0), cross_entropy(proba[0], proba[1])
    )
    assert entropy([0.5, 0.5], base=2) == pytest.approx(1.0)
    assert cross_entropy([1.0, 0.0], [0.0, 1.0]) == np.inf
    assert cross_entropy([1.0, 0.0], [1.0, 0.0]) == 0.0
    with pytest.raises(ValueError, match="base=1 must be positive"):
        entropy([0.5, 0.5], base=1)
    with pytest.raises(ValueError, match="sum to 1"):
        entropy([0.5, 0.6])


@pytest.mark.spec("LIN-132", "LIN-L03")
@pytest.mark.parametrize(
    ("p", "others"),
    [
        (np.array([0.2, 0.3, 0.5]), [np.array([0.3, 0.3, 0.4]), np.array([0.1, 0.1, 0.8])]),
        (Normal(1.0, 2.0), [Normal(1.1, 2.0), Normal(1.0, 2.2), Laplace(1.0, 1.0)]),
        (MULTIVARIATE[0][0], [MultivariateNormal(np.zeros(3), COV), MultivariateNormal(np.arange(3.0), 2.0 * COV)]),
        (Bernoulli(0.3), [Bernoulli(0.5), Bernoulli(0.1)]),
    ],
)
def test_cross_entropy_is_least_at_the_truth(p, others):
    own = cross_entropy(p, p)
    assert own == pytest.approx(entropy(p), rel=1e-6)
    for q in others:
        assert cross_entropy(p, q) > own
        assert kl_divergence(p, q) == pytest.approx(cross_entropy(p, q) - own, rel=1e-5)
    assert kl_divergence(p, p) == pytest.approx(0.0, abs=1e-8)


@pytest.mark.spec("LIN-L03")
def test_maximum_likelihood_and_minimum_cross_entropy_have_one_argmin():
    """Over a Bernoulli parameter: both are least at the observed frequency."""
    y = np.array([1, 0, 1, 1, 0, 1, 1, 0, 1, 0])
    grid = np.linspace(0.01, 0.99, 99)
    likelihood = np.array([np.sum(Bernoulli(q).log_density(y)) for q in grid])
    crossed = np.array([cross_entropy(Bernoulli(y.mean()), Bernoulli(q)) for q in grid])
    np.testing.assert_allclose(-likelihood / len(y), crossed)
    assert grid[np.argmax(likelihood)] == grid[np.argmin(crossed)] == pytest.approx(0.6)


def test_divergences_of_densities_are_integrals():
    p, q = Laplace(0.5, 1.0), Normal(0.0, 2.0)
    density = stats.laplace(0.5, 1.0).pdf
    exact = quad(lambda x: density(x) * (p.log_density(x) - q.log_density(x)), -40.0, 40.0, points=(0.0, 0.5))[0]
    assert kl_divergence(p, q) == pytest.approx(exact, rel=1e-7)
    assert cross_entropy(q, p) == pytest.approx(
        quad(lambda x: -p.log_density(x) * np.exp(q.log_density(x)), -30, 30)[0]
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Normal(0.0, -1.0), "var=-1.0 must be ≥ 0"),
        (lambda: Laplace(0.0, 0.0), "scale=0.0 must be > 0"),
        (lambda: StudentT(0.0), "df=0.0 must be > 0"),
        (lambda: InverseGamma(1.0, np.nan), "b=nan must be > 0"),
        (lambda: Bernoulli(1.2), r"p=1.2 must be in \[0, 1\]"),
        (lambda: MultivariateNormal(np.zeros(2), np.eye(3)), "does not fit a full cov"),
        (lambda: MultivariateNormal(np.zeros(2), np.ones((2, 2))).factor, "not positive definite"),
        (lambda: Normal().interval(1.5), "level=1.5 must be in"),
        (lambda: Laplace().joint(2), "no joint law"),
        (lambda: MultivariateNormal(np.zeros(2), np.eye(2)).joint(3), "law of 2 coordinates where 3"),
    ],
)
def test_bad_parameters_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
