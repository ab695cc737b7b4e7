"""Distributions from data: statistics that add, weights, greatest likelihood, score equations, consistency."""

from dataclasses import fields, replace

import numpy as np
import pytest

from distribution_cases import CASES, COV, ESTIMATED, MEAN, draws_of, fitted, numbers
from gnomon.distributions import (
    Bernoulli,
    Binomial,
    Categorical,
    Gamma,
    Histogram,
    Laplace,
    Multinomial,
    MultivariateNormal,
    MultivariateT,
    Normal,
    Poisson,
    Product,
    StudentT,
    entropy,
    log_likelihood,
)


@pytest.mark.spec("GEN-001", "GEN-L02")
@pytest.mark.parametrize("name", ESTIMATED)
def test_statistics_of_parts_add_in_any_order(name):
    case, X = CASES[name], draws_of(name, 90)
    law = type(case.law)
    summed = {option: case.options[option] for option in law.summed_options if option in case.options}
    a, b, c = (law.statistics(X[rows], **summed) for rows in (slice(0, 10), slice(10, 50), slice(50, 90)))
    whole = numbers(fitted(name, X))
    for total in (a + b + c, a + (b + c), c + a + b):
        found = numbers(law.from_statistics(total, **case.options))
        if name.startswith("KDE"):  # the centres come in another order
            found, whole = np.sort(found), np.sort(whole)
        np.testing.assert_allclose(found, whole, rtol=1e-8, atol=1e-10)
    family = law.family(**case.options)
    np.testing.assert_allclose(numbers(family.from_statistics(family.statistics(X))), numbers(family.fit(X)))


@pytest.mark.spec("GEN-001", "GEN-009", "GEN-L10")
@pytest.mark.parametrize("name", ESTIMATED)
def test_a_weight_is_a_number_of_repetitions(name):
    X = draws_of(name, 40)
    weights = np.random.default_rng(1).integers(0, 4, size=40)
    weighted, repeated = fitted(name, X, weights), fitted(name, np.repeat(X, weights, axis=0))
    x = draws_of(name, 20, seed=2) if name != "Uniform" else np.repeat(X, weights)[:20]
    np.testing.assert_allclose(weighted.log_density(x), repeated.log_density(x), rtol=1e-6, atol=1e-8)
    scaled = fitted(name, X, 1.0 * weights)
    np.testing.assert_allclose(numbers(scaled), numbers(weighted))


@pytest.mark.spec("GEN-003", "GEN-L05")
@pytest.mark.parametrize("name", [name for name in ESTIMATED if not name.startswith("KDE")])
def test_no_other_parameters_are_more_likely(name):
    X, weights = draws_of(name, 60), np.random.default_rng(3).random(60)
    best = fitted(name, X, weights)
    top = log_likelihood(best, X, weights)
    assert np.isfinite(top)
    rng = np.random.default_rng(4)
    for size in (1e-1, 1e-2, 1e-4):
        for _ in range(20):
            other = _near(best, size, rng, held=CASES[name].options)
            assert log_likelihood(other, X, weights) <= top + 1e-9 * (1.0 + abs(top))


def _near(law, size, rng, held):
    """A law whose parameters differ by about `size`, except those that were not estimated."""
    if isinstance(law, Product):
        return Product([(cols, _near(part, size, rng, {})) for cols, part in law.groups])
    changed = {}
    for name in [part.name for part in fields(law)]:
        value = getattr(law, name)
        if name in held or name in ("edges", "tails", "coefficient", "n_trials", "covariance_type"):
            continue
        shape = np.shape(value)
        noise = size * rng.standard_normal(shape)
        if name == "probabilities":
            changed[name] = value * np.exp(noise) / np.sum(value * np.exp(noise))
        elif name in ("shape", "scale", "cov") and len(shape) == 2:
            step = np.eye(shape[0]) + noise
            changed[name] = step @ value @ step.T
        elif name == "p":
            changed[name] = np.clip(value + noise, 0.0, 1.0)
        else:
            changed[name] = value * (1.0 + np.clip(noise, -0.5, 0.5))
    return replace(law, **changed) if not isinstance(law, Normal) else Normal(**changed)


@pytest.mark.spec("GEN-003", "GEN-L05")
def test_score_equations():
    rng = np.random.default_rng(0)
    bits, codes, X = rng.integers(2, size=50), rng.integers(4, size=50), rng.normal(size=(50, 3))
    assert Bernoulli.fit(bits).p == pytest.approx(np.mean(bits))
    np.testing.assert_allclose(Categorical.fit(codes).probabilities, np.bincount(codes) / 50)
    found = MultivariateNormal.fit(X)
    np.testing.assert_allclose(found.mean, X.mean(axis=0))
    np.testing.assert_allclose(found.cov, np.cov(X.T, ddof=0))
    np.testing.assert_allclose(MultivariateNormal.fit(X, ddof=1).cov, np.cov(X.T))
    assert Normal.fit(X[:, 0]).var == pytest.approx(np.var(X[:, 0]))


@pytest.mark.spec("GEN-L06")
@pytest.mark.parametrize(
    ("law", "estimate"),
    [
        (Normal(1.0, 4.0), lambda x: Normal.fit(x).var - 4.0),
        (Bernoulli(0.3), lambda x: Bernoulli.fit(x).p - 0.3),
        (Poisson(2.0), lambda x: Poisson.fit(x).rate - 2.0),
        (Gamma(2.0, 1.0), lambda x: Gamma.fit(x).a - 2.0),
        (Laplace(0.0, 1.0), lambda x: Laplace.fit(x).loc),
    ],
)
def test_errors_fall_with_the_root_of_the_rows(law, estimate):
    rng = np.random.default_rng(0)
    rmse = {n: np.sqrt(np.mean([estimate(law.sample(n, rng)) ** 2 for _ in range(300)])) for n in (100, 1600)}
    assert 3.2 < rmse[100] / rmse[1600] < 4.9


@pytest.mark.spec("GEN-007", "GEN-004")
def test_the_median_and_the_mean_deviation():
    x = np.array([3.0, -1.0, 7.0, 2.0, 100.0])
    law = Laplace.fit(x)
    assert (law.loc, law.mean, law.mode) == (3.0, 3.0, 3.0)
    assert law.scale == pytest.approx(np.mean(np.abs(x - 3.0)))
    assert Laplace.fit(x[:4]).loc == np.median(x[:4])
    columns = Laplace.fit(np.column_stack([x, -x]))
    np.testing.assert_allclose(columns.loc, [3.0, -3.0])
    assert Normal(0.0, std=3.0) == Normal(0.0, 9.0)
    with pytest.raises(ValueError, match="exclude each other"):
        Normal(0.0, 1.0, std=1.0)


@pytest.mark.spec("GEN-008", "GEN-003")
def test_degrees_of_freedom_are_found():
    x = StudentT(4.0, 1.0, 2.0).sample(4000, np.random.default_rng(0))
    law = StudentT.fit(x)
    assert law.df == pytest.approx(4.0, rel=0.15)
    assert (law.location, law.scale) == (pytest.approx(1.0, abs=0.1), pytest.approx(2.0, rel=0.05))
    X = MultivariateT(5.0, MEAN, COV).sample(3000, np.random.default_rng(0))
    rows = MultivariateT.fit(X)
    assert rows.df == pytest.approx(5.0, rel=0.2)
    np.testing.assert_allclose(rows.shape, COV, rtol=0.1, atol=0.05)


@pytest.mark.spec("GEN-006")
def test_pseudo_counts():
    assert Bernoulli.fit([1, 1], alpha=1.0).p == pytest.approx(3 / 4)
    assert Binomial.fit([2, 4], n_trials=4, alpha=1.0).p == pytest.approx(7 / 10)
    np.testing.assert_allclose(Multinomial.fit([[2, 0], [1, 0]], alpha=0.5).probabilities, [3.5 / 4, 0.5 / 4])
    many = Categorical.fit(np.array([[0, 1], [0, 0]]), n_values=3, alpha=[1.0, 1.0, 2.0])
    np.testing.assert_allclose(many.probabilities, np.array([[3, 1, 2], [2, 2, 2]]) / 6)
    late = Categorical.statistics([0, 1]) + Categorical.statistics([4])
    np.testing.assert_allclose(late.counts, [1, 1, 0, 0, 1])
    np.testing.assert_allclose(Categorical.from_statistics(late, n_values=6).probabilities[-1], 0.0)


@pytest.mark.spec("GEN-006")
def test_zero_times_the_logarithm_of_zero_is_zero():
    assert Bernoulli(0.0).log_density(0) == 0.0
    assert Bernoulli(0.0).log_density(1) == -np.inf
    assert Binomial(3, 1.0).log_density(3) == 0.0
    assert Poisson(0.0).log_density(0) == 0.0
    assert Poisson(0.0).log_density(1) == -np.inf
    assert Multinomial([1.0, 0.0]).log_density([4, 0]) == 0.0
    assert Multinomial([1.0, 0.0]).log_density([4, 1]) == -np.inf
    assert [entropy(law) for law in (Bernoulli(0.0), Poisson(0.0), Categorical([1.0, 0.0]))] == [0.0, 0.0, 0.0]


def test_statistics_are_made_into_laws_with_the_options_they_were_made_with():
    x, edges = np.array([0.1, 0.2, 0.4, 0.9]), [0.0, 0.25, 0.5, 1.0]
    raw, counted = Histogram.statistics(x), Histogram.statistics(x, bins=edges)
    assert Histogram.from_statistics(raw, bins=edges).probabilities == pytest.approx([0.5, 0.25, 0.25])
    assert Histogram.from_statistics(raw, bins=2).edges == pytest.approx([0.1, 0.5, 0.9])
    assert Histogram.from_statistics(counted, bins=edges).edges == pytest.approx(edges)
    for bins in (2, [0.0, 0.5, 1.0]):
        with pytest.raises(ValueError, match=r"bins=.*leave bins out"):
            Histogram.from_statistics(counted, bins=bins)
    with pytest.raises((ValueError, TypeError), match="bins"):
        Histogram.from_statistics(raw, bins="many")
    X = np.array([[0.0, 1.0], [1.0, 5.0], [1.0, 3.0]])
    models = [(0, Bernoulli), (1, Normal.family(ddof=1))]
    sums = Product.statistics(X, models=models)
    assert Product.from_statistics(sums, models=models).n_parameters == Product.from_statistics(sums).n_parameters
    for others in ([(0, Bernoulli), (1, Normal)], Normal, [(0, Bernoulli)]):
        with pytest.raises(ValueError, match=r"models=.*are not those"):
            Product.from_statistics(sums, models=others)
