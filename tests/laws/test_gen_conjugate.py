"""Laws of Bayesian estimation: conjugate models beside grids, evidence, summaries, penalties, hyper-parameters."""

from dataclasses import fields, replace

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from sklearn.exceptions import ConvergenceWarning

from gnomon.distributions import (
    Bernoulli,
    Beta,
    BetaBernoulli,
    Binomial,
    Categorical,
    ConjugateModel,
    Dirichlet,
    DirichletCategorical,
    Exponential,
    Gamma,
    InverseGamma,
    InverseWishart,
    Laplace,
    Multinomial,
    MultivariateNormal,
    Normal,
    NormalInverseGamma,
    NormalInverseGammaModel,
    NormalInverseWishart,
    NormalInverseWishartModel,
    NormalKnownCov,
    Poisson,
    conjugate,
    log_likelihood,
)
from gnomon.gp import GaussianProcessRegressor
from gnomon.infer import grid_posterior, laplace
from gnomon.kernels import RBF
from gnomon.losses import from_likelihood
from gnomon.optim import fit_mle, maximize_model_evidence
from gnomon.penalties import from_prior

RNG = np.random.default_rng(0)
BITS = np.array([1, 0, 1, 1, 0, 1, 1])
CODES = np.array([0, 2, 2, 1, 0, 2])
X1 = np.array([0.3, 1.9, -0.4, 1.2, 0.8])
X2 = RNG.normal(size=(6, 2)) + np.array([1.0, -1.0])
COV = np.array([[1.0, 0.3], [0.3, 2.0]])
MODELS = {
    "BetaBernoulli": (BetaBernoulli(2.0, 3.0), BITS),
    "DirichletCategorical": (DirichletCategorical([0.5, 1.0, 2.0]), CODES),
    "NormalKnownCov": (NormalKnownCov(0.5, 2.0, 1.5), X1),
    "NormalKnownCov of rows": (NormalKnownCov([0.0, 1.0], np.eye(2), COV), X2),
    "NormalInverseGammaModel": (NormalInverseGammaModel(0.5, 2.0, 3.0, 1.5), X1),
    "NormalInverseGammaModel of columns": (NormalInverseGammaModel([0.0, 1.0], 2.0, 3.0, [1.5, 1.0]), X2),
    "NormalInverseWishartModel": (NormalInverseWishartModel([0.0, 0.0], 1.5, COV, 5.0), X2),
}
EACH = pytest.mark.parametrize(("model", "X"), MODELS.values(), ids=MODELS)


def numbers(model):
    return np.concatenate([np.ravel(getattr(model, part.name)) for part in fields(model)])


@pytest.mark.spec("GEN-016", "GEN-L02")
@EACH
def test_updates_agree_in_any_order_and_batching(model, X):
    whole = model.update(X)
    assert type(whole) is type(model)
    one_by_one = model
    for i in np.random.default_rng(1).permutation(len(X)):
        one_by_one = one_by_one.update(X[i : i + 1])
    np.testing.assert_allclose(numbers(one_by_one), numbers(whole), rtol=1e-10, atol=1e-12)
    batches = model.update(X[3:]).update(X[:3])
    np.testing.assert_allclose(numbers(batches), numbers(whole), rtol=1e-10, atol=1e-12)
    summed = model.given(model.statistics(X[:2]) + model.statistics(X[2:]))
    np.testing.assert_allclose(numbers(summed), numbers(whole), rtol=1e-10, atol=1e-12)


@pytest.mark.spec("GEN-016", "GEN-L10")
@EACH
def test_a_weight_is_a_number_of_repetitions(model, X):
    weights = np.array([2, 0, 1, 3, 1, 1, 2])[: len(X)]
    again = np.repeat(X, weights, axis=0)
    np.testing.assert_allclose(numbers(model.update(X, weights)), numbers(model.update(again)))
    assert model.log_evidence(X, weights) == pytest.approx(model.log_evidence(again))


@pytest.mark.spec("GEN-016", "GEN-L03")
@EACH
def test_the_evidence_is_the_product_of_predictions(model, X):
    state, total = model, 0.0
    for x in X:
        total += float(np.sum(state.predictive().log_density(x)))
        state = state.update(x[None])
    assert model.log_evidence(X) == pytest.approx(total, rel=1e-10)


@pytest.mark.spec("GEN-L01", "GEN-014", "GEN-017")
def test_beta_is_prior_times_likelihood_on_a_grid():
    model, X = MODELS["BetaBernoulli"]
    grid = np.linspace(0.0, 1.0, 2001)
    found = grid_posterior(Bernoulli, X, model.law, grid)
    after = model.update(X)
    np.testing.assert_allclose(found.density(grid), after.law.density(grid), atol=1e-6)
    assert found.log_evidence == pytest.approx(model.log_evidence(X), abs=1e-6)
    assert found.mean == pytest.approx(after.mean(), abs=1e-6)
    assert found.cov == pytest.approx(after.law.var, abs=1e-6)
    assert found.mode == pytest.approx(after.map(), abs=3e-4)
    np.testing.assert_allclose(found.predictive(np.array([0, 1])), after.predictive().density([0, 1]), atol=1e-6)


@pytest.mark.spec("GEN-L01", "GEN-018")
def test_dirichlet_is_prior_times_likelihood_on_a_grid():
    model, X = DirichletCategorical([1.5, 2.0, 2.5]), CODES
    grid = np.linspace(0.0, 1.0, 81)
    # Outside the triangle there is no law, which the grid takes for impossible.
    found = grid_posterior(
        lambda a, b: Categorical([a, b, 1.0 - a - b]),
        X,
        lambda a, b: float(model.law.log_density([a, b, 1.0 - a - b])),
        grid,
        grid,
    )
    after = model.update(X)
    np.testing.assert_allclose(found.mean, after.mean()[:2], atol=1e-3)
    np.testing.assert_allclose(found.cov, after.law.cov[:2, :2], atol=1e-3)
    assert found.log_evidence == pytest.approx(model.log_evidence(X), abs=5e-3)
    points = np.array([[0.3, 0.2], [0.25, 0.25], [0.1, 0.4]])
    exact = after.law.density(np.column_stack([points, 1.0 - points.sum(axis=1)]))
    np.testing.assert_allclose(found.density(points), exact, rtol=1e-2)


@pytest.mark.spec("GEN-L01", "GEN-019")
def test_a_normal_mean_is_prior_times_likelihood_on_a_grid():
    model, X = MODELS["NormalKnownCov"]
    grid = np.linspace(-8.0, 9.0, 801)
    found = grid_posterior(lambda m: Normal(m, model.cov), X, model.law, grid)
    after = model.update(X)
    np.testing.assert_allclose(found.density(grid), after.law.density(grid), atol=1e-6)
    assert found.log_evidence == pytest.approx(model.log_evidence(X), abs=1e-8)
    np.testing.assert_allclose(found.predictive(X), after.predictive().density(X), atol=1e-8)


@pytest.mark.spec("GEN-L01", "GEN-019")
def test_a_normal_mean_vector_is_prior_times_likelihood_on_a_grid():
    model, X = MODELS["NormalKnownCov of rows"]
    grids = np.linspace(-2.0, 3.5, 45), np.linspace(-4.5, 3.0, 45)
    found = grid_posterior(lambda a, b: MultivariateNormal([a, b], COV), X, model.law, *grids)
    after = model.update(X)
    points = np.stack(np.meshgrid(*grids, indexing="ij"), axis=-1).reshape(-1, 2)
    np.testing.assert_allclose(found.density(points), after.law.density(points), atol=1e-6)
    assert found.log_evidence == pytest.approx(model.log_evidence(X), abs=1e-6)
    np.testing.assert_allclose(found.mean, after.mean(), atol=1e-6)
    np.testing.assert_allclose(found.cov, after.law.cov, atol=1e-6)
    # The precisions of the textbook, formed openly.
    L0, L = np.linalg.inv(model.cov0), np.linalg.inv(COV)
    cov = np.linalg.inv(L0 + len(X) * L)
    np.testing.assert_allclose(after.law.cov, cov)
    np.testing.assert_allclose(after.mean(), cov @ (L0 @ model.mean0 + L @ X.sum(axis=0)))


@pytest.mark.spec("GEN-L01", "GEN-020")
def test_normal_inverse_gamma_is_prior_times_likelihood():
    model, X = MODELS["NormalInverseGammaModel"]
    grids = np.linspace(-3.0, 4.0, 71), np.exp(np.linspace(-3.0, 4.0, 71))
    found = grid_posterior(Normal, X, lambda m, v: float(model.law.log_density((m, v))), *grids)
    after = model.update(X)
    m, v = np.meshgrid(*grids, indexing="ij")
    ratio = found.log_density_grid - after.law.log_density((m, v))
    np.testing.assert_allclose(ratio - ratio[35, 25], 0.0, atol=1e-6)
    assert found.log_evidence == pytest.approx(model.log_evidence(X), abs=1e-2)
    np.testing.assert_allclose(found.mode, after.map(), atol=0.06)


@pytest.mark.spec("GEN-L01", "GEN-021")
def test_normal_inverse_wishart_is_prior_times_likelihood():
    """Along random parameters the posterior density over prior times likelihood is one constant: the evidence."""
    model, X = MODELS["NormalInverseWishartModel"]
    after, draws = model.update(X), model.update(X).law.sample(20, np.random.default_rng(0))
    likelihoods = [log_likelihood(MultivariateNormal(m, C), X) for m, C in zip(*draws, strict=True)]
    evidence = model.law.log_density(draws) + likelihoods - after.law.log_density(draws)
    np.testing.assert_allclose(evidence, model.log_evidence(X), atol=1e-8)


@pytest.mark.spec("GEN-015")
@EACH
def test_three_summaries(model, X):
    after = model.update(X)
    mode, mean = (np.concatenate([np.ravel(part) for part in _parts(point)]) for point in (after.map(), after.mean()))
    assert np.all(np.isfinite(mode))
    assert np.all(np.isfinite(mean))
    # Mode: no draw of the parameters is denser. Mean: that of the draws. Predictive: wider than any plug-in.
    draws = after.law.sample(4000, np.random.default_rng(2))
    assert np.all(after.law.log_density(after.map()) >= after.law.log_density(draws) - 1e-12)
    found = np.concatenate([np.ravel(np.mean(part, axis=0)) for part in _parts(draws)])
    np.testing.assert_allclose(found, mean, atol=0.15)
    assert np.all(after.predictive().var >= after.at(after.mean()).var - 1e-12)


def _parts(point):
    return point if isinstance(point, tuple) else (point,)


@pytest.mark.spec("GEN-016")
@EACH
def test_a_model_is_a_prior_for_fit(model, X):
    after = model.update(X)
    law = type(after.at(after.map()))
    found = law.fit(X, prior=model)
    np.testing.assert_allclose(found.mean, after.at(after.map()).mean)
    np.testing.assert_allclose(found.var, after.at(after.map()).var)


@pytest.mark.spec("GEN-L04", "GEN-017", "GEN-018")
@pytest.mark.parametrize("n", [1, 2, 7, 50])
def test_flat_priors_give_maximum_likelihood(n):
    rng = np.random.default_rng(n)
    bits, codes = rng.integers(2, size=n), rng.integers(4, size=n)
    assert BetaBernoulli(1.0, 1.0).update(bits).map() == pytest.approx(Bernoulli.fit(bits).p)
    found = DirichletCategorical(np.ones(4)).update(codes).map()
    np.testing.assert_allclose(found, Categorical.fit(codes, n_values=4).probabilities)


@pytest.mark.spec("GEN-L04", "GEN-018")
def test_smoothing_is_the_mean_under_alpha_and_the_mode_under_alpha_plus_one():
    alpha = np.array([0.5, 1.0, 2.0])
    smooth = Categorical.fit(CODES, n_values=3, alpha=alpha).probabilities
    np.testing.assert_allclose(DirichletCategorical(alpha).update(CODES).mean(), smooth)
    np.testing.assert_allclose(Categorical.fit(CODES, prior=Dirichlet(alpha + 1.0), n_values=3).probabilities, smooth)


@pytest.mark.spec("GEN-L04")
def test_the_prior_wears_off():
    gaps = []
    for n in (10, 1000, 100_000):
        bits = np.arange(n) % 10 < 3
        model = BetaBernoulli(20.0, 5.0).update(bits)
        gaps.append([abs(model.map() - 0.3), abs(model.mean() - 0.3)])
    gaps = np.array(gaps)
    assert np.all(gaps[1:] < gaps[:-1] / 10.0)
    assert np.all(gaps[-1] < 2e-4)


@pytest.mark.spec("GEN-017")
def test_modes_at_the_ends_and_where_there_is_none():
    assert Beta(0.5, 2.0).mode == 0.0
    assert Beta(2.0, 1.0).mode == 1.0
    with pytest.warns(UserWarning, match="the mode is not unique; the mean is given"):
        assert BetaBernoulli(1.0, 0.5).map() == pytest.approx(2 / 3)
    np.testing.assert_allclose(Dirichlet([0.5, 3.0, 2.0]).mode, [0.0, 2 / 3, 1 / 3])
    with pytest.warns(UserWarning, match="the mode is not unique"):
        np.testing.assert_allclose(Dirichlet([0.5, 0.5]).mode, [0.5, 0.5])


@pytest.mark.spec("GEN-017", "GEN-018")
def test_counts_enter_through_their_statistics():
    assert BetaBernoulli(2.0, 3.0).given(Binomial.statistics([3, 4], n_trials=5)) == BetaBernoulli(9.0, 6.0)
    found = DirichletCategorical(np.ones(3)).given(Multinomial.statistics([[2, 0, 1], [0, 3, 4]]))
    np.testing.assert_allclose(found.alpha, [3, 4, 6])
    prior = BetaBernoulli(2.0, 3.0)
    binomial = sum(np.exp(prior.log_evidence([1, 0], [r, 10 - r], ordered=False)) for r in range(11))
    assert binomial == pytest.approx(1.0)
    exact = stats.betabinom(10, 2.0, 3.0).logpmf(7)
    assert prior.log_evidence([1, 0], [7, 3], ordered=False) == pytest.approx(exact)


@pytest.mark.spec("GEN-006", "GEN-008", "GEN-009")
def test_priors_of_rates_and_variances_give_posterior_modes():
    x = np.array([1, 0, 2, 5])
    assert Poisson.fit(x, prior=Gamma(3.0, 1.0)).rate == pytest.approx((3.0 + 8.0 - 1.0) / (1.0 + 4.0))
    assert Exponential.fit(x, prior=Gamma(3.0, 1.0)).rate == pytest.approx((3.0 + 4.0 - 1.0) / (1.0 + 8.0))
    assert Binomial.fit(x, n_trials=6, prior=Beta(2.0, 2.0)).p == pytest.approx(9.0 / 26.0)
    assert Normal.fit(X1, prior=InverseGamma(2.0, 1.0)).var == pytest.approx(
        (1.0 + 0.5 * np.sum((X1 - X1.mean()) ** 2)) / (2.0 + 1.0 + 0.5 * len(X1))
    )
    S = (X2 - X2.mean(axis=0)).T @ (X2 - X2.mean(axis=0))
    found = MultivariateNormal.fit(X2, prior=InverseWishart(COV, 5.0))
    np.testing.assert_allclose(found.cov, (S + COV) / (len(X2) + 5.0 + 2.0 + 1.0))
    joint = MultivariateNormal.fit(X2, prior=NormalInverseWishart([0.0, 0.0], 1.5, COV, 5.0))
    np.testing.assert_allclose(joint.cov, MODELS["NormalInverseWishartModel"][0].update(X2).map().cov)
    assert Normal.fit(X1, prior=NormalInverseGamma(0.5, 2.0, 3.0, 1.5)).var == pytest.approx(
        MODELS["NormalInverseGammaModel"][0].update(X1).map().var
    )


@pytest.mark.spec("GEN-014")
def test_models_without_a_conjugate_prior():
    x = np.array([0.0, 1.0, 5.0])

    def joint(t):
        return np.exp(Normal(0.0, 100.0).log_density(t) + np.sum(Laplace(t, 1.0).log_density(x)))

    exact = quad(joint, -60.0, 60.0, points=(0.0, 1.0, 5.0), limit=400)[0]
    grid = np.linspace(-25.0, 30.0, 2751)
    found = grid_posterior(Laplace, x, Normal(0.0, 100.0), grid)
    assert found.log_evidence == pytest.approx(np.log(exact), abs=1e-4)
    future = quad(lambda t: joint(t) * Laplace(t).density(2.0), -60.0, 60.0, points=(0.0, 1.0, 2.0, 5.0), limit=400)[0]
    assert found.predictive(2.0) == pytest.approx(future / exact, rel=1e-4)
    assert found.density(1.0) == pytest.approx(joint(1.0) / exact, rel=1e-4)
    assert found.density(99.0) == 0.0
    weighted = grid_posterior(Laplace, [0.0, 1.0], Normal(0.0, 100.0), grid, sample_weight=[2.0, 1.0])
    twice = grid_posterior(Laplace, [0.0, 0.0, 1.0], Normal(0.0, 100.0), grid)
    assert weighted.log_evidence == pytest.approx(twice.log_evidence)


@pytest.mark.spec("GEN-014")
def test_laplace_and_the_grid_agree_where_the_posterior_is_nearly_normal():
    x = Poisson(4.0).sample(400, np.random.default_rng(0))

    def log_joint(t):
        return log_likelihood(Poisson(float(np.exp(t[0]))), x) + float(Normal(0.0, 9.0).log_density(t[0]))

    near = laplace(log_joint, np.array([1.0]))
    grid = grid_posterior(lambda t: Poisson(np.exp(t)), x, Normal(0.0, 9.0), np.linspace(1.0, 1.8, 801))
    assert near.log_evidence == pytest.approx(grid.log_evidence, abs=1e-3)
    assert near.mean[0] == pytest.approx(grid.mean, abs=1e-3)
    assert near.cov[0, 0] == pytest.approx(grid.cov, rel=0.01)
    assert near.density(near.mode) == pytest.approx(grid.density(near.mode[0]), rel=0.01)
    predicted = near.predictive(3, lambda t: Poisson(np.exp(t[0])), n_samples=2000, random_state=0)
    assert predicted == pytest.approx(float(grid.predictive(3)), rel=0.01)


@pytest.mark.spec("GEN-014")
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: grid_posterior(Bernoulli, [1], Beta()), "0 grids were given"),
        (lambda: grid_posterior(Bernoulli, [1], Beta(), [0.5, 0.5]), "grid 0 must be at least two increasing"),
        (lambda: grid_posterior(Exponential, [-1.0], Gamma(1.0, 1.0), [1.0, 2.0]), "choose grids where data"),
    ],
)
def test_grids_that_cannot_serve_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.spec("GEN-022")
def test_the_table_of_conjugate_pairs_names_every_model_and_the_process():
    listed = conjugate.__doc__
    models = [cls.__name__ for cls in ConjugateModel.__subclasses__()]
    assert models
    assert not [name for name in models if name not in listed]
    assert "Gaussian process" in listed
    assert "gnomon.gp" in listed


@pytest.mark.spec("GEN-022")
def test_a_gaussian_process_at_its_points_is_a_normal_vector_observed_twice():
    """f ~ N(0, K) and y | f ~ N(f, σ²I): posterior and evidence are those of a normal mean with known covariance."""
    points, kernel, sigma2 = np.linspace(0.0, 3.0, 6)[:, None], RBF(0.8), 0.3
    seen = np.sin(points[:, 0]) + np.array([[0.1], [-0.3]])
    model = NormalKnownCov(np.zeros(6), kernel.gram(points), sigma2 * np.eye(6)).update(seen)
    process = GaussianProcessRegressor(kernel, alpha=sigma2, optimizer=None)
    process.fit(np.tile(points, (2, 1)), seen.ravel())
    mean, cov = process.predict(points, return_cov=True)
    assert np.allclose(mean, model.mean0, atol=1e-10)
    assert np.allclose(cov, model.cov0, atol=1e-10)
    prior = NormalKnownCov(np.zeros(6), kernel.gram(points), sigma2 * np.eye(6))
    assert process.log_marginal_likelihood_value_ == pytest.approx(prior.log_evidence(seen), abs=1e-9)


@pytest.mark.spec("GEN-023", "GEN-007")
def test_a_prior_is_a_penalty_and_the_mode_a_penalised_fit():
    """Normal(0, β²) ↔ ridge with λ = σ²/β², Laplace(0, b) ↔ lasso with λ = 2σ²/b, in the sum form."""
    sigma2, beta2, b = 0.7, 2.0, 0.9
    scale = from_likelihood(Normal(0.0, sigma2)).scale
    w = np.array([-1.3, 0.2, 2.0])
    for prior, lam, norm in (
        (Normal(0.0, beta2), sigma2 / beta2, np.sum(w**2)),
        (Laplace(0.0, b), 2.0 * sigma2 / b, np.sum(np.abs(w))),
    ):
        penalty = from_prior(prior, loss_scale=scale)
        assert penalty.strength == pytest.approx(lam)
        assert np.sum(penalty.term(w)) == pytest.approx(lam * norm)
        energy = -np.sum(prior.log_density(w)) + np.sum(prior.log_density(np.zeros(3)))
        assert scale * np.sum(penalty.term(w)) == pytest.approx(energy)


@pytest.mark.spec("GEN-024")
def test_hyper_parameters_of_greatest_evidence():
    rng = np.random.default_rng(0)
    truth = Beta(4.0, 8.0)
    groups = [Bernoulli(p).sample(60, rng) for p in truth.sample(150, rng)]
    best = maximize_model_evidence(BetaBernoulli(), groups)
    assert best.converged
    assert best.theta["alpha"] == pytest.approx(4.0, rel=0.3)
    assert best.theta["beta"] == pytest.approx(8.0, rel=0.3)
    model = BetaBernoulli(**best.theta)
    total = sum(model.log_evidence(group) for group in groups)
    assert best.log_likelihood == pytest.approx(total)
    for factor in (0.95, 1.05):
        for name in ("alpha", "beta"):
            other = replace(model, **{name: factor * best.theta[name]})
            assert sum(other.log_evidence(group) for group in groups) < total


@pytest.mark.spec("GEN-024")
def test_hyper_parameters_of_normal_groups_and_those_held():
    rng = np.random.default_rng(0)
    groups = [rng.normal(m, 1.0, size=30) for m in rng.normal(2.0, 0.8, size=50)]
    best = maximize_model_evidence(NormalKnownCov(0.0, 1.0, 1.0), groups)
    assert best.theta["mean0"] == pytest.approx(2.0, abs=0.3)
    assert best.theta["cov0"] == pytest.approx(0.64, rel=0.35)
    assert best.theta["cov"] == pytest.approx(1.0, rel=0.05)
    held = maximize_model_evidence(NormalKnownCov(0.0, 1.0, 1.0), groups, free=["mean0"])
    assert list(held.theta) == ["mean0"]
    assert held.log_likelihood < best.log_likelihood
    rows = [rng.multivariate_normal([0.0, 0.0], np.eye(2), size=10) + rng.normal(size=2) for _ in range(12)]
    wishart = NormalInverseWishartModel([0.0, 0.0], 1.0, np.eye(2), 6.0)
    found = maximize_model_evidence(wishart, rows, free=["kappa", "scale"])
    assert found.log_likelihood > sum(wishart.log_evidence(X) for X in rows)
    with pytest.raises(ValueError, match=r"free=\['df'\] cannot be moved"):
        maximize_model_evidence(wishart, rows, free=["df"])


@pytest.mark.spec("GEN-024")
def test_one_group_leaves_the_prior_without_a_maximum():
    with pytest.warns(ConvergenceWarning, match="a hyper-parameter runs away"):
        found = maximize_model_evidence(BetaBernoulli(), [[1, 0, 1, 1]])
    assert not found.converged


# Maximum likelihood of any density.


@pytest.mark.spec("GEN-003")
@pytest.mark.parametrize(
    ("law", "start", "domains"),
    [
        (Normal, {"mean": 0.0, "var": 1.0}, {"var": "positive"}),
        (Gamma, {"a": 1.0, "b": 1.0}, {"a": "positive", "b": "positive"}),
        (Beta, {"alpha": 1.0, "beta": 1.0}, {"alpha": "positive", "beta": "positive"}),
        (Bernoulli, {"p": 0.5}, {"p": "unit"}),
        (Categorical, {"probabilities": np.full(4, 0.25)}, {"probabilities": "simplex"}),
        (Dirichlet, {"alpha": np.ones(3)}, {"alpha": "positive"}),
        (MultivariateNormal, {"mean": np.zeros(2), "cov": np.eye(2)}, {"cov": "covariance"}),
    ],
    ids=lambda part: getattr(part, "__name__", None),
)
def test_the_numeric_maximum_is_the_closed_one(law, start, domains):
    rng = np.random.default_rng(0)
    X = {
        Normal: rng.normal(3.0, 2.0, 50),
        Gamma: rng.gamma(2.0, 1.5, 50),
        Beta: rng.beta(2.0, 5.0, 50),
        Bernoulli: rng.integers(2, size=50),
        Categorical: rng.integers(4, size=50),
        Dirichlet: rng.dirichlet([2.0, 3.0, 4.0], 50),
        MultivariateNormal: rng.normal(size=(50, 2)) @ np.array([[2.0, 0.0], [0.5, 0.3]]) + 1.0,
    }[law]
    weights = rng.integers(0, 3, size=50)
    found = fit_mle(lambda x, **theta: law(**theta).log_density(x), start, X, weights, domains=domains, tol=1e-7)
    closed = law.fit(X, weights)
    assert found.converged
    assert found.log_likelihood == pytest.approx(log_likelihood(closed, X, weights), abs=1e-7)
    for name, value in found.theta.items():
        np.testing.assert_allclose(value, getattr(closed, name), rtol=1e-4, atol=1e-5)


@pytest.mark.spec("GEN-003")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({"var": -1.0}, [1.0], None), "not inside its domain"),
        (({"var": 1.0}, [1.0, 2.0], [1.0]), "one for each of the terms"),
    ],
)
def test_a_search_that_cannot_start_says_so(arguments, message):
    with pytest.raises(ValueError, match=message):
        fit_mle(lambda x, var: Normal(0.0, var).log_density(x), *arguments, domains={"var": "positive"})
    with pytest.raises(ValueError, match="must pair names of theta0"):
        fit_mle(lambda x, var: x, {"var": 1.0}, [1.0], domains={"var": "cone"})
    with pytest.raises(ValueError, match="a row is impossible at theta0"):
        fit_mle(lambda x, rate: Exponential(rate).log_density(x), {"rate": 1.0}, [-1.0], domains={"rate": "positive"})
