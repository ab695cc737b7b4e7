"""Laws of the modes of discrete laws: the most probable value, and the least of several."""

from fractions import Fraction
from itertools import product
from math import comb, factorial

import numpy as np
import pytest

from gnomon.distributions import Bernoulli, Binomial, Categorical, Histogram, Multinomial, Poisson


def least_best(values, weight):
    """The first of the values of greatest weight, in exact numbers."""
    weights = [weight(value) for value in values]
    return values[weights.index(max(weights))]


@pytest.mark.parametrize("top", range(61))
def test_the_mode_of_a_poisson_law(top):
    rate = Fraction(top, 4)
    exact = least_best(range(40), lambda k: rate**k / factorial(k))
    assert Poisson(float(rate)).mode == exact
    assert Poisson(np.array([float(rate), 3.0])).mode.tolist() == [exact, 2]


@pytest.mark.parametrize("m", [1, 2, 5, 9, 29, 48])
def test_the_mode_of_a_binomial_law(m):
    for j in range(2 * m + 3):
        p = Fraction(j, 2 * (m + 1))
        exact = least_best(range(m + 1), lambda k, p=p: comb(m, k) * p**k * (1 - p) ** (m - k))
        found = Binomial(m, float(p)).mode
        assert (found, type(found)) == (exact, int)
        if m == 1:
            assert Bernoulli(float(p)).mode == exact


def test_modes_of_very_large_numbers_need_no_table():
    assert Poisson(1e15 + 0.5).mode == 10**15
    assert Binomial(10**15, 0.25).mode == 10**15 // 4
    assert Binomial(np.array([10**15, 3]), np.array([0.5, 1.0])).mode.tolist() == [10**15 // 2, 3]


@pytest.mark.parametrize("p", [(0.3, 0.3, 0.4), (0.25, 0.25, 0.25, 0.25), (0.1, 0.45, 0.45), (0.0, 0.5, 0.5)], ids=str)
def test_the_mode_of_categories_and_their_counts(p):
    assert Categorical(p).mode == p.index(max(p))
    m = 7
    rows = [x for x in product(range(m + 1), repeat=len(p)) if sum(x) == m]
    found = Multinomial(p, m).mode
    assert found.sum() == m
    assert Multinomial(p, m).log_density(found) >= np.max(Multinomial(p, m).log_density(np.array(rows))) - 1e-12


@pytest.mark.parametrize("m", [3, 49, 10**9])
def test_counts_of_greatest_probability_have_their_sum(m):
    for p in (np.full(49, 1.0 / 49.0), np.array([0.3, 0.7 + 5e-7])):
        assert Multinomial(p, m).mode.sum() == m


def test_the_first_of_bins_of_equal_density_is_the_mode():
    edges = np.arange(11.0) / 10.0
    assert Histogram(edges, np.full(10, 0.1)).mode == pytest.approx(0.05)
