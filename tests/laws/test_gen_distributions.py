"""Laws of every distribution, over one table: densities, domains, refusals, draws, moments, likelihoods."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate

from distribution_cases import CASES, COV, ESTIMATED, ONE_VARIABLE, draws_of, fitted
from gnomon.distributions import (
    KDE,
    Bernoulli,
    Beta,
    Binomial,
    Categorical,
    Dirichlet,
    Exponential,
    Gamma,
    Histogram,
    InverseGamma,
    InverseWishart,
    Laplace,
    Multinomial,
    MultivariateNormal,
    MultivariateT,
    Normal,
    NormalInverseGamma,
    NormalInverseWishart,
    Poisson,
    Product,
    StudentT,
    Uniform,
    Wishart,
    entropy,
    likelihood,
    log_likelihood,
)

# What a density is.


@pytest.mark.spec("GEN-001", "GEN-L08")
@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].kind == "line"])
def test_a_density_of_one_variable_integrates_to_one(name):
    law = CASES[name].law
    cuts = law.quantile(np.array([1e-9, 0.01, 0.1, 0.5, 0.9, 0.99, 1.0 - 1e-9]))
    cuts = np.unique(np.concatenate([cuts, getattr(law, "edges", [])]))
    total = sum(integrate.quad(lambda x: float(law.density(x)), a, b, limit=200)[0] for a, b in pairwise(cuts))
    assert total == pytest.approx(1.0, abs=1e-7)


@pytest.mark.spec("GEN-001", "GEN-006")
@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].kind == "whole"])
def test_probabilities_of_whole_numbers_sum_to_one(name):
    law = CASES[name].law
    assert np.sum(law.density(np.arange(200))) == pytest.approx(1.0, abs=1e-13)


@pytest.mark.spec("GEN-006")
def test_probabilities_of_counts_sum_to_one():
    every = np.array([[a, b, 5 - a - b] for a in range(6) for b in range(6 - a)])
    law = CASES["Multinomial"].law
    assert np.sum(law.density(every)) == pytest.approx(1.0, abs=1e-13)
    assert np.sum(replace(law, coefficient=False).density(every)) < 1.0


@pytest.mark.spec("GEN-L08")
@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].kind == "plane"])
def test_a_density_of_the_plane_integrates_to_one(name):
    law = CASES[name].law
    # The kink of Laplace's density in the product is the reason for its tolerance.
    t = np.linspace(-5.5, 5.5, 801)
    u, step = np.sinh(t), np.cosh(t) * (t[1] - t[0])
    grid = np.stack(np.meshgrid(u, u, indexing="ij"), axis=-1).reshape(-1, 2)
    total = np.sum(np.outer(step, step).ravel() * law.density(law.mean + np.sqrt(law.var) * grid)) * np.prod(
        np.sqrt(law.var)
    )
    assert total == pytest.approx(1.0, abs=1e-4 if name == "Product" else 1e-6)


@pytest.mark.spec("GEN-008", "GEN-L08")
def test_densities_of_simplices_matrices_and_pairs_integrate_to_one():
    dirichlet = CASES["Dirichlet"].law
    a, b = np.meshgrid(np.arange(0.0005, 1.0, 0.001), np.arange(0.0005, 1.0, 0.001))
    inside = a + b < 1.0
    rows = np.stack([a[inside], b[inside], 1.0 - a[inside] - b[inside]], axis=1)
    assert np.sum(dirichlet.density(rows)) * 1e-6 == pytest.approx(1.0, abs=1e-4)
    pair = CASES["NormalInverseGamma"].law
    m, t = np.linspace(-14.0, 16.0, 1001)[:, None], np.linspace(-4.0, 5.0, 301)
    assert np.sum(pair.density((m, np.exp(t))) * np.exp(t)) * 0.03 * 0.03 == pytest.approx(1.0, abs=1e-4)
    for law in (Wishart([[2.0]], 3.0), InverseWishart([[2.0]], 3.0)):
        value, _ = integrate.quad(lambda x, law=law: law.density([[x]]), 0.0, np.inf)
        assert value == pytest.approx(1.0, abs=1e-7)
    for name, other in (("Wishart", Wishart(1.3 * COV, 5.0)), ("InverseWishart", InverseWishart(0.9 * COV, 7.0))):
        X = other.sample(20000, np.random.default_rng(0))
        ratio = np.exp(CASES[name].law.log_density(X) - other.log_density(X))
        assert abs(np.mean(ratio) - 1.0) < 4.0 * np.std(ratio) / np.sqrt(len(ratio))


@pytest.mark.spec("GEN-008")
def test_the_laws_of_matrices_and_pairs_are_the_scalar_ones_in_one_dimension():
    x = 0.8
    assert Wishart([[2.0]], 3.0).log_density([[x]]) == pytest.approx(Gamma(1.5, 0.25).log_density(x))
    assert InverseWishart([[2.0]], 3.0).log_density([[x]]) == pytest.approx(InverseGamma(1.5, 1.0).log_density(x))
    narrow, wide = NormalInverseGamma(1.0, 2.0, 3.0, 1.5), NormalInverseWishart([1.0], 2.0, [[3.0]], 6.0)
    assert wide.log_density(([0.4], [[x]])) == pytest.approx(narrow.log_density((0.4, x)))
    assert wide.entropy() == pytest.approx(narrow.entropy())
    assert Dirichlet([2.0, 3.5]).log_density([0.3, 0.7]) == pytest.approx(Beta(2.0, 3.5).log_density(0.3))
    t = MultivariateT(4.0, [1.0], [[4.0]])
    assert t.log_density([x]) == pytest.approx(StudentT(4.0, 1.0, 2.0).log_density(x))


@pytest.mark.spec("GEN-L08")
@pytest.mark.parametrize(("a", "b", "c"), [(0.5, 0.0, 0.0), (2.0, -3.0, 1.0), (0.01, 0.2, -4.0)])
def test_the_gaussian_integral(a, b, c):
    value = integrate.quad(lambda x: np.exp(-a * x * x + b * x + c), -200.0, 200.0, points=(b / (2 * a),), limit=200)[0]
    assert value == pytest.approx(np.sqrt(np.pi / a) * np.exp(b * b / (4 * a) + c))
    law = Normal(b / (2 * a), 1.0 / (2 * a))
    assert np.log(value) == pytest.approx(-a + b + c - law.log_density(1.0))


# Domains.


@pytest.mark.spec("GEN-001")
@pytest.mark.parametrize("name", CASES)
def test_outside_the_support_there_is_no_density_and_never_nan(name):
    case = CASES[name]
    for x in case.outside:
        assert case.law.log_density(x) == -np.inf
        assert case.law.density(x) == 0.0
    inside = case.law.log_density(draws_of(name, 50))
    assert inside.shape == (50,)
    assert np.all(np.isfinite(inside))


@pytest.mark.spec("GEN-001")
@pytest.mark.parametrize("name", ONE_VARIABLE)
def test_extreme_points_have_a_density_that_is_a_number(name):
    logs = CASES[name].law.log_density(np.array([0.0, 1.0, -1e-300, 1e-300, -1e200, 1e200, 1e15]))
    assert not np.any(np.isnan(logs))
    assert np.all(logs[-3:-1] < -1e2)


@pytest.mark.spec("GEN-001")
@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("name", CASES)
def test_what_is_not_finite_is_refused(name, bad):
    case = CASES[name]
    X = draws_of(name, 8)
    broken = type(X)(*(_spoiled(part, bad) for part in X)) if case.kind == "pair" else _spoiled(X, bad)
    with pytest.raises(ValueError, match=r"NaN|infinity|finite"):
        case.law.log_density(broken)
    if case.estimated:
        with pytest.raises(ValueError, match=r"NaN|infinity|finite"):
            fitted(name, broken)


def _spoiled(X, bad):
    X = np.array(X, dtype=float)
    X.reshape(len(X), -1)[0, 0] = bad
    return X


@pytest.mark.spec("GEN-001")
@pytest.mark.parametrize("name", ESTIMATED)
def test_samples_of_a_wrong_form_are_refused(name):
    X = draws_of(name, 8)
    with pytest.raises(ValueError, match=r"rows|shape|point"):
        fitted(name, X[:0])
    with pytest.raises(ValueError, match="shape"):
        fitted(name, np.zeros((2, 2, 3, 2)))
    with pytest.raises(ValueError, match="one weight for each of the 8 rows"):
        fitted(name, X, np.ones(3))
    for weights in (-np.ones(8), np.zeros(8), np.full(8, np.nan), np.full(8, np.inf)):
        with pytest.raises(ValueError, match="sample_weight must be"):
            fitted(name, X, weights)


@pytest.mark.spec("GEN-001", "GEN-005", "GEN-006", "GEN-008")
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Normal(0.0, -1.0), "var=-1.0 must be ≥ 0"),
        (lambda: Normal(np.nan, 1.0), "mean=nan finite"),
        (lambda: Laplace(np.inf, 1.0), "loc=inf must be finite"),
        (lambda: Bernoulli(-0.1), r"p=-0.1 must be in \[0, 1\]"),
        (lambda: Bernoulli(np.nan), r"p=nan must be in \[0, 1\]"),
        (lambda: Binomial(2.5, 0.5), "n_trials=2.5 must be whole numbers"),
        (lambda: Categorical([0.5, 0.4]), "sum to 1 along the last axis"),
        (lambda: Categorical([1.5, -0.5]), "must be ≥ 0 and sum to 1"),
        (lambda: Multinomial([0.5, 0.5], n_trials=-1), "n_trials=-1 must be"),
        (lambda: Poisson(-1.0), "rate=-1.0 must be ≥ 0"),
        (lambda: Exponential(0.0), "rate=0.0 must be > 0"),
        (lambda: Gamma(1.0, np.inf), "b=inf must be > 0 and finite"),
        (lambda: Beta(0.0, 1.0), "alpha=0.0 must be > 0"),
        (lambda: Dirichlet([1.0, -1.0]), r"must be > 0"),
        (lambda: Dirichlet([1.0]), "at least two entries"),
        (lambda: Uniform(1.0, 1.0), "low=1.0 must be < high=1.0"),
        (lambda: Histogram([0.0, 0.0, 1.0], [0.5, 0.5]), "at least two increasing numbers"),
        (lambda: Histogram([0.0, 1.0], [0.5]), "one for each bin"),
        (lambda: Histogram([0.0, 1.0], [1.0], "open"), "tails='open' is unknown"),
        (lambda: KDE([0.0], 0.0), "bandwidth=0.0 must be > 0"),
        (lambda: KDE([], 1.0), "at least one point"),
        (lambda: KDE([[0.0, 1.0]], [1.0, 1.0, 1.0]), "one for each column"),
        (lambda: MultivariateNormal([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]]), "least eigenvalue is -1"),
        (lambda: MultivariateNormal([0.0, 0.0], [[1.0, 0.2], [0.4, 1.0]]), "cov symmetric"),
        (lambda: MultivariateT(0.0, [0.0], [[1.0]]), "df=0.0 must be > 0"),
        (lambda: StudentT(3.0, 0.0, -1.0), "scale=-1.0 must be > 0"),
        (lambda: Wishart(np.eye(2), 1.0), "df=1.0 must be > d − 1 = 1"),
        (lambda: InverseWishart(-np.eye(2), 4.0), "scale is not positive definite"),
        (lambda: NormalInverseGamma(kappa=0.0), "kappa=0.0 must be > 0"),
        (lambda: NormalInverseWishart([0.0], 1.0, np.eye(2), 4.0), "does not fit scale"),
        (lambda: Product([(0, Normal()), (0, Normal())]), "every column from 0 on once"),
        (lambda: Product([(1, Normal())]), "every column from 0 on once"),
    ],
)
def test_bad_parameters_are_refused_at_construction(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.spec("GEN-001", "GEN-006", "GEN-009")
@pytest.mark.parametrize(
    ("fit", "message"),
    [
        (lambda: Bernoulli.fit([0, 2]), "X holds 2, where successes in 1 trials are whole numbers"),
        (lambda: Binomial.fit([3.5], n_trials=4), "X holds 3.5"),
        (lambda: Poisson.fit([1, -1]), "X holds -1, where counts are whole numbers"),
        (lambda: Categorical.fit([0, 3], n_values=3), "codes are whole numbers ≥ 0 up to 2"),
        (lambda: Multinomial.fit([[1.0, 0.5]]), "X holds 0.5"),
        (lambda: Multinomial.fit([[0, 0]]), "nothing was counted"),
        (lambda: Categorical.fit([0, 1], alpha=-1.0), "alpha=-1.0 must be ≥ 0"),
        (lambda: Categorical.fit([0, 10**12]), "code the values as 0, 1"),
        (lambda: Categorical.fit(["a", "b"]), "X holds what is no number"),
        (lambda: Normal().log_density("a"), "x holds what is no number"),
        (lambda: Exponential.fit([-1.0, 1.0]), "an exponential law has x ≥ 0"),
        (lambda: Exponential.fit([0.0, 0.0]), "rate would be infinite"),
        (lambda: Gamma.fit([0.0, 1.0]), "a gamma law has x > 0"),
        (lambda: Gamma.fit([2.0, 2.0]), "shape would be infinite"),
        (lambda: Beta.fit([0.0, 0.5]), r"outside \(0, 1\)"),
        (lambda: Beta.fit([0.5, 0.5]), "all rows of X are equal"),
        (lambda: Laplace.fit([1.0, 1.0]), "scale would be 0"),
        (lambda: Uniform.fit([1.0]), "low=1.0 must be < high=1.0"),
        (lambda: KDE.fit([1.0, 1.0]), "bandwidth='silverman' is zero"),
        (lambda: KDE.fit([1.0, 2.0], bandwidth="wide"), "bandwidth='wide' is unknown"),
        (lambda: Histogram.fit(np.zeros((3, 2))), "Product.fit"),
        (lambda: Normal.fit([1.0], ddof=1), "leaves nothing to divide by"),
        (lambda: MultivariateNormal.fit([[1.0, 2.0], [2.0, 4.0]]), "not positive definite"),
        (lambda: Wishart.fit([np.eye(2), np.eye(2)]), "df would be infinite"),
        (lambda: NormalInverseGamma.fit([1.0]), "is not estimated from data"),
    ],
)
def test_data_that_a_law_cannot_have_are_refused_with_advice(fit, message):
    with pytest.raises((ValueError, NotImplementedError), match=message):
        fit()


def test_parameters_are_copies_that_nobody_can_change():
    mine = np.array([0.5, 0.5])
    law = Categorical(mine)
    mine[0] = 9.0
    assert law.probabilities[0] == 0.5
    with pytest.raises(ValueError, match="read-only"):
        law.probabilities[0] = 1.0


# Draws and moments.


@pytest.mark.spec("GEN-001", "GEN-008", "GEN-009")
@pytest.mark.parametrize("name", CASES)
def test_draws_have_the_moments_of_the_law(name):
    law, n = CASES[name].law, 40_000
    X = draws_of(name, n, seed=5)
    parts = zip(X, law.mean, law.var, strict=True) if CASES[name].kind == "pair" else [(X, law.mean, law.var)]
    for x, mean, var in parts:
        found = np.mean(x, axis=0)
        assert np.all(np.abs(found - mean) < 4.5 * np.sqrt(var / n) + 1e-12)
        squares = (x - mean) ** 2
        error = np.std(squares, axis=0) / np.sqrt(n)
        assert np.all(np.abs(np.mean(squares, axis=0) - var) < 4.5 * error + 1e-12)
    if CASES[name].kind in ("plane", "simplex", "counts"):
        assert np.max(np.abs(np.cov(X.T) - law.cov_matrix)) < 0.05 * np.max(law.var) + 0.005


@pytest.mark.spec("GEN-001")
@pytest.mark.parametrize("name", CASES)
def test_the_mode_is_the_most_probable_value(name):
    law = CASES[name].law
    top = law.log_density(law.mode)
    assert np.isfinite(top)
    assert np.all(law.log_density(draws_of(name, 500)) <= top + 1e-12)


@pytest.mark.spec("GEN-001", "GEN-012")
@pytest.mark.parametrize("name", CASES)
def test_the_entropy_is_the_mean_surprise(name):
    law = CASES[name].law
    found = entropy(law, n_samples=20_000, random_state=6)
    assert abs(entropy(law) - found.value) <= 4.5 * found.standard_error + 1e-9


@pytest.mark.spec("GEN-001")
@pytest.mark.parametrize("name", CASES)
def test_free_parameters_are_counted(name):
    assert CASES[name].law.n_parameters == CASES[name].n_parameters


@pytest.mark.spec("GEN-001")
@pytest.mark.parametrize("name", ONE_VARIABLE)
def test_quantiles_are_those_of_draws(name):
    law, n = CASES[name].law, 20_000
    x = draws_of(name, n, seed=7)
    for p in (0.02, 0.3, 0.5, 0.9):
        q = law.quantile(p)
        slack = 4.0 * np.sqrt(p * (1.0 - p) / n)
        assert np.mean(x <= q) >= p - slack
        assert np.mean(x < q) <= p + slack
    assert np.shape(law.quantile(np.array([0.1, 0.2, 0.9]))) == (3,)


@pytest.mark.spec("GEN-013")
@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].kind in ("line", "whole", "plane")])
def test_expectations_are_linear_and_give_the_moments(name):
    law, rtol = CASES[name].law, 1e-3 if name == "Product" else 1e-5
    np.testing.assert_allclose(law.expect(lambda x: x), law.mean, rtol=rtol, atol=1e-6)
    np.testing.assert_allclose(law.expect(lambda x: (x - law.mean) ** 2), law.var, rtol=10.0 * rtol, atol=1e-6)
    f, g = np.cos, np.square
    both = law.expect(lambda x: 2.0 * f(x) - 3.0 * g(x))
    np.testing.assert_allclose(both, 2.0 * law.expect(f) - 3.0 * law.expect(g), rtol=1e-4, atol=1e-5)
    drawn = law.expect(f, n_samples=20_000, rng=0)
    np.testing.assert_allclose(drawn, law.expect(f), atol=0.03)


@pytest.mark.spec("GEN-013")
def test_expectations_of_columns_and_of_vectors():
    np.testing.assert_allclose(Bernoulli(np.array([0.2, 0.5])).expect(lambda x: x), [0.2, 0.5])
    np.testing.assert_allclose(Poisson(2.0).expect(lambda k: np.array([k, k * k])), [2.0, 6.0])


@pytest.mark.spec("GEN-013")
def test_laws_of_many_variables_ask_for_draws():
    law = MultivariateT(5.0, np.zeros(3), np.eye(3))
    with pytest.raises(NotImplementedError, match="give n_samples"):
        law.expect(np.sum)
    assert law.expect(lambda x: x[0] ** 2, n_samples=50_000, rng=0) == pytest.approx(5.0 / 3.0, rel=0.1)


# The likelihood.


@pytest.mark.spec("GEN-002")
@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].kind != "pair"])
def test_the_likelihood_of_independent_rows_is_a_product(name):
    law, X = CASES[name].law, draws_of(name, 6)
    assert likelihood(law, X) == pytest.approx(np.prod(law.density(X)))
    weights = np.array([2, 0, 1, 1, 3, 1])
    again = log_likelihood(law, np.repeat(X, weights, axis=0))
    assert log_likelihood(law, X, weights) == pytest.approx(again)


@pytest.mark.spec("GEN-002")
def test_the_logarithm_does_not_underflow_and_weights_of_zero_do_not_count():
    x = np.zeros(5000)
    assert likelihood(Normal(5.0, 1.0), x) == 0.0
    assert log_likelihood(Normal(5.0, 1.0), x) == pytest.approx(5000 * (-12.5 - 0.5 * np.log(2 * np.pi)))
    assert log_likelihood(Exponential(1.0), [-1.0, 2.0], [0.0, 1.0]) == -2.0
