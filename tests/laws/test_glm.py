"""Laws of generalised linear models."""

import itertools
import warnings

import numpy as np
import pytest
from scipy import sparse, stats
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from gnomon.linear import GLM, LinearRegression, LogisticRegression
from gnomon.losses import (
    BinomialFamily,
    CLogLogLink,
    DevianceLoss,
    GammaFamily,
    GaussianFamily,
    IdentityLink,
    InverseGaussianFamily,
    InverseLink,
    LogitLink,
    LogLink,
    PoissonFamily,
    ProbitLink,
    TweedieFamily,
)
from many_checks import check_contract, over

RNG = np.random.default_rng(0)
X = RNG.standard_normal((200, 3))
ETA = X @ [0.5, -0.3, 0.0] + 0.2
TARGETS = {
    "gaussian": ETA + RNG.standard_normal(200),
    "binomial": (RNG.random(200) < 1.0 / (1.0 + np.exp(-ETA))).astype(float),
    "poisson": RNG.poisson(np.exp(ETA)).astype(float),
    "gamma": RNG.gamma(2.0, np.exp(ETA) / 2.0),
    "inverse_gaussian": RNG.wald(np.exp(ETA), 3.0),
    "tweedie": RNG.gamma(2.0 * np.maximum(RNG.poisson(1.0, 200), 1e-12), np.exp(ETA)) * (RNG.random(200) > 0.2),
}
FAMILIES = [
    GaussianFamily(),
    BinomialFamily(),
    PoissonFamily(),
    GammaFamily(),
    InverseGaussianFamily(),
    TweedieFamily(1.3),
]
LINKS = [IdentityLink(), LogitLink(), ProbitLink(), CLogLogLink(), LogLink(), InverseLink()]


@over([GLM("poisson"), GLM("gamma", "log")])
def test_the_contract_of_scikit_learn(estimator):
    check_contract(estimator)


@pytest.mark.spec("LIN-L37", "LIN-145")
def test_gaussian_is_least_squares_and_binomial_is_logistic_regression():
    y = TARGETS["gaussian"]
    gaussian = GLM(tol=1e-12).fit(X, y)
    ols = LinearRegression().fit(X, y)
    np.testing.assert_allclose(gaussian.coef_, ols.coef_, atol=1e-12)
    assert gaussian.intercept_ == pytest.approx(ols.intercept_)
    assert gaussian.deviance_ == pytest.approx(np.sum((y - ols.predict(X)) ** 2))
    assert gaussian.dispersion_ == pytest.approx(gaussian.deviance_ / (200 - 4))
    y = TARGETS["binomial"]
    binomial = GLM("binomial", tol=1e-12).fit(X, y)
    logistic = LogisticRegression(C=np.inf, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(binomial.coef_, logistic.coef_[0], atol=1e-9)
    np.testing.assert_allclose(binomial.predict(X), logistic.predict_proba(X)[:, 1], atol=1e-9)
    assert binomial.deviance_ == pytest.approx(-2.0 * logistic.log_likelihood(X, y))
    ridge = GLM("binomial", alpha=0.1, tol=1e-12).fit(X, y)
    same = LogisticRegression(objective="mean_half", lam=0.1, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(ridge.coef_, same.coef_[0], atol=1e-9)


@pytest.mark.spec("LIN-145")
@pytest.mark.parametrize("link", LINKS, ids=lambda link: type(link).__name__)
def test_links_invert_and_have_the_slope_they_say(link):
    z = np.linspace(0.3, 2.5, 12) * (1.0 if isinstance(link, InverseLink) else 0.5)
    np.testing.assert_allclose(link.score(link.mean(z)), z, rtol=1e-9)
    numeric = (link.mean(z + 1e-6) - link.mean(z - 1e-6)) / 2e-6
    np.testing.assert_allclose(link.mean_slope(z), numeric, rtol=1e-7)
    for extreme in (-1e3, 1e3):
        assert np.all(np.isfinite([link.mean(np.array(extreme)), link.mean_slope(np.array(extreme))]))


@pytest.mark.spec("LIN-145")
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: type(family).__name__)
def test_deviance_is_the_integral_of_the_residual_over_the_variance(family):
    y, mean = 0.3, np.linspace(0.1, 0.9, 9)
    slope = (family.deviance(y, mean + 1e-6) - family.deviance(y, mean - 1e-6)) / 2e-6
    np.testing.assert_allclose(slope, -2.0 * (y - mean) / family.variance(mean), rtol=1e-6, atol=1e-6)
    assert family.deviance(y, y) == pytest.approx(0.0, abs=1e-12)
    assert np.all(family.deviance(y, mean) >= -1e-12)


@pytest.mark.spec("LIN-145")
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: type(family).__name__)
@pytest.mark.parametrize("link", LINKS, ids=lambda link: type(link).__name__)
def test_gradient_of_the_deviance_loss(family, link):
    loss = DevianceLoss(family, link)
    y, z = 0.4, np.linspace(1.2, 2.0, 5) if isinstance(link, InverseLink) else np.linspace(0.2, 0.8, 5)
    z = z - 1.0 if isinstance(link, LogLink) else z
    numeric = (loss.value(y, z + 1e-6) - loss.value(y, z - 1e-6)) / 2e-6
    np.testing.assert_allclose(loss.gradient(y, z), numeric, rtol=1e-5, atol=1e-8)
    bend = (loss.gradient(link_mean := loss.inverse(z), z + 1e-6) - loss.gradient(link_mean, z - 1e-6)) / 2e-6
    np.testing.assert_allclose(loss.curvature(y, z), bend, rtol=1e-5)


@pytest.mark.spec("LIN-145")
@pytest.mark.parametrize("name", TARGETS)
def test_score_equations_hold(name):
    """With a canonical link Xᵀ(y − μ) = 0; with any link Σ (y − μ) μ'/V x = 0."""
    model = GLM(name, tol=1e-10, max_iter=1000).fit(X, TARGETS[name])
    loss = model._loss()
    g = loss.gradient(TARGETS[name], X @ model.coef_ + model.intercept_)
    np.testing.assert_allclose(np.append(X.T @ g, g.sum()) / 200, 0.0, atol=1e-8)
    assert 0.0 <= model.deviance_ <= model.null_deviance_
    constant = GLM(name, tol=1e-10, max_iter=1000).fit(np.zeros((200, 1)), TARGETS[name])
    assert constant.deviance_ == pytest.approx(model.null_deviance_, rel=1e-8)
    assert len(str(model.summary()).splitlines()) == 5


@pytest.mark.spec("LIN-145")
@pytest.mark.parametrize("name", TARGETS)
def test_the_head_of_a_summary_names_the_law_of_its_p_values(name):
    """Of a dispersion that is estimated Student's t, otherwise the normal law."""
    summary = GLM(name, tol=1e-10, max_iter=1000).fit(X[:20], TARGETS[name][:20]).summary()
    word, law = ("z", stats.norm) if name in ("binomial", "poisson") else ("t", stats.t(20 - 4))
    assert str(summary).splitlines()[0].split() == ["coef", "se", word, "p"]
    np.testing.assert_allclose(summary.p, 2.0 * law.sf(np.abs(summary.coef / summary.se)))


@pytest.mark.spec("LIN-145")
def test_offset_is_a_known_part_of_the_predictor():
    y, exposure = TARGETS["poisson"], np.exp(RNG.random(200))
    model = GLM("poisson", tol=1e-11).fit(X, y, offset=np.log(exposure))
    rate = GLM("poisson", tol=1e-11).fit(X, y / exposure, sample_weight=exposure)
    np.testing.assert_allclose(model.coef_, rate.coef_, atol=1e-8)
    assert model.intercept_ == pytest.approx(rate.intercept_, abs=1e-8)
    np.testing.assert_allclose(model.predict(X, offset=np.log(exposure)), exposure * model.predict(X))
    flat = GLM("poisson", tol=1e-11).fit(X, y, offset=np.full(200, 3.0))
    assert flat.intercept_ == pytest.approx(GLM("poisson", tol=1e-11).fit(X, y).intercept_ - 3.0)


@pytest.mark.spec("LIN-145")
@pytest.mark.parametrize("name", ["gaussian", "binomial", "poisson"])
def test_l1_by_two_solvers(name):
    offset = 0.1 * RNG.random(200)
    words = {"alpha": 0.08, "l1_ratio": 1.0, "tol": 1e-9, "max_iter": 20000}
    model = GLM(name, **words).fit(X, TARGETS[name], offset=offset)
    other = GLM(name, solver="fista", **words).fit(X, TARGETS[name], offset=offset)
    assert np.any(model.coef_ == 0.0)
    np.testing.assert_allclose(model.coef_, other.coef_, atol=1e-5)
    assert model.intercept_ == pytest.approx(other.intercept_, abs=1e-5)
    with pytest.raises(ValueError, match="set alpha=0"):
        model.summary()


@pytest.mark.spec("LIN-145")
def test_estimates_have_the_covariance_they_say():
    draws = []
    for _ in range(300):
        y = RNG.poisson(np.exp(ETA)).astype(float)
        draws.append(np.append(*(lambda m: (m.intercept_, m.coef_))(GLM("poisson").fit(X, y))))
    se = GLM("poisson").fit(X, np.exp(ETA)).summary().se
    np.testing.assert_allclose(np.std(draws, axis=0), se, rtol=0.15)


def test_weights_are_repetitions_and_sparse_is_dense():
    y, weights = TARGETS["poisson"], RNG.integers(0, 4, 200)
    weighted = GLM("poisson").fit(X, y, sample_weight=weights)
    repeated = GLM("poisson").fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-8)
    np.testing.assert_allclose(weighted.summary().se, repeated.summary().se, rtol=1e-6)
    np.testing.assert_allclose(GLM("poisson").fit(sparse.csr_array(X), y).coef_, GLM("poisson").fit(X, y).coef_)
    single = GLM("poisson", tol=1e-5).fit(X.astype(np.float32), y)
    assert single.coef_.dtype == np.float32


@pytest.mark.parametrize(
    ("model", "y", "message"),
    [
        (GLM("poisson"), -TARGETS["poisson"] - 1.0, "needs numbers ≥ 0"),
        (GLM("gamma"), TARGETS["poisson"], "needs numbers > 0"),
        (GLM("binomial"), TARGETS["poisson"], r"needs numbers in \[0, 1\]"),
        (GLM("cauchy"), TARGETS["gaussian"], "family='cauchy' is unknown"),
        (GLM("poisson", "sqrt"), TARGETS["poisson"], "link='sqrt' is unknown"),
        (GLM(alpha=-1.0), TARGETS["gaussian"], "alpha=-1.0 must be a number ≥ 0"),
    ],
)
def test_bad_words(model, y, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
    with pytest.raises(ValueError, match="one number per row"):
        GLM().fit(X, TARGETS["gaussian"], offset=np.zeros(3))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("family", "link"), [("poisson", "identity"), ("binomial", "identity"), ("binomial", "log")])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_coordinate_descent_stays_where_the_link_is_defined(family, link, l1_ratio):
    # Scores are Xw + b only up to rounding, and the best fit may lie at the edge itself.
    inside = {"identity": lambda z: z > -1e-12, "log": lambda z: z < 1e-12}[link]
    refused = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((40, 2))
        score = 0.3 + X @ [0.4, -0.3]
        y = (rng.random(40) < expit(2.0 * score)) if family == "binomial" else rng.poisson(np.exp(score))
        model = GLM(family, link, alpha=0.02, l1_ratio=l1_ratio, solver="cd", max_iter=500)
        try:
            model.fit(X, y.astype(float))
        except ValueError as error:
            refused.append(str(error))
            continue
        assert np.all(inside(X @ model.coef_ + model.intercept_))
        assert np.isfinite(model.objective_)
        # What is called converged is stationary.
        assert not model.converged_ or model.gradient_norm_ < 1e-5
    assert len(refused) <= 3
    assert all("at the edge of the domain of loss=" in words for words in refused)


# A positive target keeps its mean off zero; a target at the end of its range lets it reach that end.
EDGES = [
    ("poisson", "identity", True), ("binomial", "identity", True), ("binomial", "log", True),
    ("tweedie", "identity", True), ("tweedie", "log", False), ("gamma", "identity", False), ("gamma", "inverse", False),
    ("inverse_gaussian", "identity", False),
]  # fmt: skip


@pytest.mark.parametrize(("family", "link", "reached"), EDGES)
def test_nothing_at_the_edge_of_the_domain_is_called_converged(family, link, reached):
    at_edge = 0
    for seed, solver in itertools.product(range(3), ("irls", "lbfgs", "newton", "cd")):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 2))
        mean = np.exp(0.8 * X[:, 0] - 0.5 * X[:, 1])
        counts = rng.poisson(mean).astype(float)
        whole = {"poisson": counts, "tweedie": counts * rng.gamma(2.0, 0.5, 60), "gamma": rng.gamma(2.0, mean / 2.0)}
        y = whole.get(family, rng.wald(mean, 1.0) if family != "binomial" else 1.0 * (rng.random(60) < expit(mean - 1)))
        # No warning but that of convergence: no division by a variance of zero.
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = GLM(family, link, solver=solver).fit(X, y)
        words = [str(warning.message) for warning in caught]
        assert [warning.category for warning in caught] == [ConvergenceWarning] * (not model.converged_)
        assert not model.converged_ or model.gradient_norm_ < 1e-5, (seed, solver)
        # What is reported belongs to the coefficients that are; the root of a mean of 1e-16 has no digits.
        assert model.deviance_ == pytest.approx(2.0 * 60 * model.objective_, rel=1e-8)
        at_edge += sum("at the edge of the domain of loss=" in text and "link=None" in text for text in words)
    assert (at_edge > 0) == reached
