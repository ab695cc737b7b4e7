"""Laws of the best number to act by: samples in any container, discrete laws, costs of any shape, and heavy tails."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

from gnomon.decision import bayes_action
from gnomon.distributions import Binomial, Empirical, Laplace, Normal, Poisson, StudentT


def pinball(under, over):
    return lambda y, a: under * np.maximum(y - a, 0.0) + over * np.maximum(a - y, 0.0)


SAMPLES = [1.0, 2.0, 2.0, 6.0, 7.5]
CONTAINERS = [
    tuple, np.array, pd.Series, pl.Series, pd.Index, Empirical, lambda y: np.array(y, dtype=np.float32),
    lambda y: pd.Series(y, index=range(9, 4, -1)), lambda y: pd.Series(y, dtype="Float64"), lambda y: pl.Series("y", y),
]  # fmt: skip


@pytest.mark.spec("EVA-066")
@pytest.mark.parametrize("cost", ["squared", "absolute", "zero_one", (3.0, 1.0), lambda y, a: (2.0 * y - a) ** 2])
@pytest.mark.parametrize("container", CONTAINERS)
def test_samples_are_samples_in_any_container(container, cost):
    given = np.array(SAMPLES) if container is Empirical else SAMPLES
    assert bayes_action(container(given), cost) == pytest.approx(bayes_action(SAMPLES, cost))


def test_a_pair_of_numbers_is_a_normal_law_and_other_tuples_are_samples():
    assert bayes_action((1.0, 2.0)) == (1.0, 4.0)
    assert bayes_action([1.0, 2.0]) == (1.5, 0.25)
    assert bayes_action((np.float64(1.0), 2)) == (1.0, 4.0)
    assert bayes_action((1.0,)) == (1.0, 0.0)
    for cost in ("absolute", "zero_one", (3.0, 1.0)):
        assert bayes_action((1.0,), cost) == (1.0, 0.0)


@pytest.mark.parametrize("dist", [pd.DataFrame({"a": [1.0, 2.0]}), "12", pd.Series([1.0, np.nan]), np.zeros((3, 1))])
def test_what_is_neither_law_nor_samples_is_refused(dist):
    with pytest.raises((TypeError, ValueError), match="dist"):
        bayes_action(dist)


@pytest.mark.parametrize("law", [stats.norm([0, 1], 1), Normal([0.0, 1.0], 1.0)])
@pytest.mark.parametrize("cost", ["absolute", "zero_one", pinball(1.0, 1.0)])
def test_several_laws_are_refused(law, cost):
    with pytest.raises(ValueError, match="is several laws"):
        bayes_action(law, cost)


@pytest.mark.spec("EVA-066")
def test_the_most_frequent_sample_is_wrong_as_often_as_others_occur():
    assert bayes_action([1.0, 2.0, 2.0, 9.0], "zero_one") == (2.0, 0.5)
    assert bayes_action([3.0, 3.0, 1.0, 1.0], "zero_one") == (1.0, 0.5)
    assert np.isnan(bayes_action([1.0, 2.0], "zero_one").cost)


@pytest.mark.spec("EVA-066")
@pytest.mark.parametrize(
    ("samples", "mode"),
    [
        # Halves: the three of least width, then the two.
        ([0.0, 1.0, 1.5, 4.0, 9.0, 20.0], 1.25),
        ([-20.0, -9.0, -4.0, -1.5, -1.0, 0.0], -1.25),
        # The half around 10 is narrower than that around 0, though the ends of all are further apart.
        ([0.0, 0.5, 1.3, 2.2, 9.7, 9.9, 10.0, 10.4], 9.95),
        # Half of six is three: of four, those on the left would be the narrowest.
        ([0.0, 1.0, 2.3, 3.3, 4.4, 9.4], 2.8),
        ([1.0, 2.0, 4.0], 1.5),
    ],
)
def test_the_mode_of_differing_samples_is_that_of_the_narrowest_half(samples, mode):
    assert bayes_action(samples, "zero_one").action == pytest.approx(mode)


DISCRETE = {
    "poisson": (stats.poisson(3.3), stats.poisson.pmf(np.arange(80), 3.3)),
    "ours": (Poisson(3.3), stats.poisson.pmf(np.arange(80), 3.3)),
    "tied": (stats.poisson(3), stats.poisson.pmf(np.arange(80), 3)),
    "tied, ours": (Poisson(3.0), stats.poisson.pmf(np.arange(80), 3)),
    "binomial": (stats.binom(10, 0.7), stats.binom.pmf(np.arange(80), 10, 0.7)),
    "binomial, ours": (Binomial(10, 0.7), stats.binom.pmf(np.arange(80), 10, 0.7)),
    "geometric": (stats.geom(0.2), stats.geom.pmf(np.arange(800), 0.2)),
    "listed": (stats.rv_discrete(values=([1, 4, 9], [0.2, 0.5, 0.3])), np.eye(80)[[1, 4, 9]].T @ [0.2, 0.5, 0.3]),
}


@pytest.mark.spec("EVA-066")
@pytest.mark.parametrize("name", DISCRETE)
def test_the_values_of_a_discrete_law_are_summed(name):
    law, p = DISCRETE[name]
    k = np.arange(len(p))
    mean = p @ k
    mode = np.argmax(p > np.max(p) * (1.0 - 1e-9))
    assert bayes_action(law, "zero_one") == pytest.approx((mode, 1.0 - p[mode]), abs=1e-12)
    assert bayes_action(law) == pytest.approx((mean, p @ (k - mean) ** 2), rel=1e-12)
    costs = [p @ pinball(3.0, 1.0)(k, a) for a in k]
    for cost in ((3.0, 1.0), pinball(3.0, 1.0)):
        assert bayes_action(law, cost) == pytest.approx((np.argmin(costs), np.min(costs)), rel=1e-7)


@pytest.mark.spec("EVA-066")
def test_values_without_number_stand_for_their_neighbours():
    far = stats.poisson(1e8)
    assert bayes_action(far, "zero_one").action == 1e8
    assert bayes_action(far, "absolute") == pytest.approx((1e8, 7978.8456), rel=1e-6)
    heavy, k = stats.zipf(3.5), np.arange(1.0, 1e6)
    p = stats.zipf.pmf(k, 3.5)
    assert bayes_action(heavy, "absolute") == pytest.approx((1.0, p @ (k - 1.0)), rel=1e-6)
    assert bayes_action(heavy, pinball(9.0, 1.0)).action == np.argmax(np.cumsum(p) >= 0.9) + 1.0


@pytest.mark.spec("EVA-066")
@pytest.mark.parametrize("ratio", [1e-8, 1e-3, 1.0, 30.0, 1e6])
@pytest.mark.parametrize("law", [(0.0, 1.0), stats.expon(), stats.t(3), stats.gumbel_r(5.0, 2.0)])
def test_a_pinball_of_any_slope_is_least_at_its_quantile(law, ratio):
    law = stats.norm(*law) if isinstance(law, tuple) else law
    found = bayes_action(law, pinball(ratio, 1.0))
    # By the share beyond, of which a search can find half of the digits.
    assert law.sf(found.action) * (1.0 + ratio) == pytest.approx(1.0, rel=1e-3)
    assert found.cost == pytest.approx(bayes_action(law, (ratio, 1.0)).cost, rel=1e-6)


@pytest.mark.spec("EVA-066")
@pytest.mark.parametrize("scale", [1e-150, 1e-6, 1.0, 1e6, 1e150])
@pytest.mark.parametrize("factor", [-1e4, -1.0, 0.0, 0.5, 2.0, 1e9])
def test_actions_are_not_bound_to_the_truths(factor, scale):
    draws = scale * np.array([1.0, 2.0, 3.0])
    found = bayes_action(draws, lambda y, a: np.abs(factor * y - a) / scale)
    assert found.action / scale == pytest.approx(2.0 * factor, rel=1e-6, abs=1e-6)
    law = bayes_action((2.0 * scale, scale), lambda y, a: ((factor * y - a) / scale) ** 2)
    assert (law.action / scale, law.cost) == pytest.approx((2.0 * factor, factor**2), rel=1e-6, abs=1e-6)


def test_the_deeper_of_two_valleys_is_found():
    draws = np.r_[np.linspace(-1.0, 1.0, 101), np.linspace(40.0, 41.0, 150)]
    found = bayes_action(draws, lambda y, a: 1.0 - np.exp(-((y - a) ** 2)))
    assert found.action == pytest.approx(40.5, abs=0.01)
    assert bayes_action(draws, lambda y, a: -np.exp(-((a - 1e5) ** 2) / 1e8) + 0.0 * y).action == pytest.approx(1e5)


def test_rare_truths_of_many_samples_count():
    draws = np.r_[np.zeros(99_999), 5.0]
    found = bayes_action(draws, pinball(1e6, 1.0))
    assert found.action == pytest.approx(5.0, abs=1e-6)


@pytest.mark.spec("EVA-066")
@pytest.mark.parametrize("law", [stats.t(2), StudentT(2.0), stats.cauchy(), stats.pareto(1.5), stats.zipf(2.5)])
def test_a_variance_that_is_infinite_is_an_infinite_cost(law):
    assert bayes_action(law).cost == np.inf
    with pytest.warns(UserWarning, match="is infinite"):
        assert bayes_action(law, lambda y, a: (y - a) ** 2).cost == np.inf


@pytest.mark.spec("EVA-066")
def test_a_mean_that_is_infinite_is_an_infinite_cost():
    assert bayes_action(stats.cauchy(), "absolute") == (0.0, np.inf)
    assert bayes_action(stats.pareto(0.5), (3.0, 1.0)) == (stats.pareto(0.5).ppf(0.75), np.inf)
    with pytest.warns(UserWarning, match="is infinite"):
        assert bayes_action(stats.cauchy(), pinball(1.0, 1.0)).cost == np.inf


class ByQuantiles:
    """A law that offers its quantiles alone."""

    def __init__(self, law):
        self.ppf = law.ppf


@pytest.mark.parametrize("law", [stats.norm(1.0, 2.0), stats.expon(), stats.t(5), stats.uniform(), stats.beta(2, 3)])
def test_quantiles_are_all_that_a_law_needs(law):
    for cost in ("squared", "absolute", (5.0, 1.0), lambda y, a: np.abs(y - a) ** 1.5):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found, expected = bayes_action(ByQuantiles(law), cost), bayes_action(law, cost)
        assert found == pytest.approx(expected, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("law", [Laplace(1.0, 2.0), Normal(3.0, 4.0), StudentT(5.0)])
def test_laws_of_this_package_and_of_scipy_agree(law):
    twin = {Laplace: stats.laplace(1.0, 2.0), Normal: stats.norm(3.0, 2.0), StudentT: stats.t(5.0)}[type(law)]
    for cost in ("squared", "absolute", (9.0, 1.0), pinball(9.0, 1.0)):
        assert bayes_action(law, cost) == pytest.approx(bayes_action(twin, cost), rel=1e-5, abs=1e-6)
    assert bayes_action(law, "zero_one").action == law.mode


def test_a_cost_that_falls_without_end_is_told():
    with pytest.warns(UserWarning, match=r"still falls at action=.*there is no least cost"):
        bayes_action((0.0, 1.0), lambda y, a: -a + 0.0 * y)
    with pytest.warns(UserWarning, match="no number, for every action"):
        assert bayes_action([1.0, 2.0], lambda y, a: np.full(2, np.nan)).cost == np.inf


def test_actions_may_be_impossible():
    found = bayes_action(stats.expon(), lambda y, a: (np.log(a) - y) ** 2)
    assert found == pytest.approx((np.e, 1.0), rel=1e-6)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("truths", [[1e300, 2e300, 6e300], [-1e308, 5.0, 1e308]])
def test_costs_of_truths_near_the_ends_of_the_numbers(truths):
    found = bayes_action(truths, lambda y, a: np.abs(y / 4 - a / 4))
    assert found.cost <= np.mean(np.abs(np.divide(truths, 4) - truths[1] / 4)) * (1 + 1e-9)
