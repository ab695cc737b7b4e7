"""Laws of category counts with pseudo-counts: they add, and are the posterior means and modes of a Dirichlet law."""

import numpy as np
import pytest

from gnomon.distributions import CategoryCounts, Dirichlet, DirichletCategorical, pseudo_counts, smooth
from gnomon.distributions.counts import gather
from gnomon.numerics.domains import Domain

DOMAINS = (Domain(3, ("a", "b", "c")), Domain(2))
RNG = np.random.default_rng(0)
CODES = np.column_stack([RNG.integers(5, size=40), RNG.integers(4, size=40)])
INDEX, WEIGHTS = RNG.integers(2, size=40), RNG.integers(1, 4, size=40).astype(float)


def counts_of(rows, domains=DOMAINS):
    weight = np.bincount(INDEX[rows], WEIGHTS[rows], minlength=2)
    return CategoryCounts.of_codes(CODES[rows], ("hue", "size"), domains, INDEX[rows], weight, WEIGHTS[rows])


def test_counts_of_parts_add_to_those_of_the_whole():
    parts, whole = counts_of(slice(15)) + counts_of(slice(15, None)), counts_of(slice(None))
    assert parts.domains == whole.domains
    for found, expected in zip((parts.weight, *parts.counts), (whole.weight, *whole.counts), strict=True):
        assert np.array_equal(found, expected)


def test_counts_are_sums_of_weights():
    for j, counts in enumerate(counts_of(slice(None)).counts):
        for c, v in np.ndindex(counts.shape):
            slot = DOMAINS[j].size + 1 if v == DOMAINS[j].size else v
            assert counts[c, v] == np.sum(WEIGHTS[(CODES[:, j] == slot) & (c == INDEX)])


def test_values_met_in_one_part_alone_keep_their_counts():
    first = CategoryCounts.of_codes(
        np.array([[0], [1]]), ("hue",), (Domain(2, ("a", "c")),), np.zeros(2, int), np.ones(1)
    )
    second = CategoryCounts.of_codes(np.array([[0]]), ("hue",), (Domain(1, ("b",)),), np.zeros(1, int), np.ones(1))
    both = first + second
    assert both.domains[0].values == ("a", "b", "c")
    assert both.counts[0].tolist() == [[1.0, 1.0, 1.0, 0.0]]


@pytest.mark.parametrize("estimate", ["predictive", "map"])
def test_smoothed_counts_are_the_mean_and_the_mode_of_a_posterior(estimate):
    counts, prior = np.array([4.0, 0.0, 2.0]), Dirichlet([2.0, 1.5, 3.0])
    after = DirichletCategorical(prior.alpha + counts).law
    found = smooth(counts, pseudo_counts(1.0, estimate, prior, 3, "a column"))
    np.testing.assert_allclose(found, after.mean if estimate == "predictive" else after.mode, rtol=1e-14)


@pytest.mark.parametrize("missing", ["marginalize", "state"])
def test_the_values_of_a_column_share_all_probability(missing):
    for table in counts_of(slice(None)).tables([0.5, 2.0], missing=missing):
        assert table.is_state == (missing == "state")
        np.testing.assert_allclose(np.sum(table.probabilities, axis=1), 1.0, rtol=1e-14)
        assert len(table.values) == table.probabilities.shape[1]
        assert np.all(table.logs[-1] == 0.0) != table.is_state


@pytest.mark.parametrize(("handle_unknown", "expected"), [("ignore", 1.0), ("floor", 1.0 / (6.0 + 2.0))])
def test_a_value_that_was_never_met_has_the_probability_of_its_pseudo_count(handle_unknown, expected):
    codes, sizes = np.zeros((6, 1), dtype=int), (Domain(2),)
    counts = CategoryCounts.of_codes(codes, ("x",), sizes, np.zeros(6, dtype=int), np.array([6.0]))
    (table,) = counts.tables([1.0], handle_unknown=handle_unknown)
    np.testing.assert_allclose(np.exp(table.logs[2]), expected, rtol=1e-14)


def test_rows_gather_the_factors_of_their_cells():
    tables = [table.logs for table in counts_of(slice(None)).tables([1.0, 1.0])]
    v = np.array([2.0, 0.5])
    expected = [sum(v[j] * tables[j][slot] for j, slot in enumerate(row)) for row in CODES]
    np.testing.assert_allclose(gather(CODES, tables, v), expected, rtol=1e-14)


def test_a_weight_of_zero_drops_a_column_with_impossible_values():
    tables = [np.log(np.full((4, 1), 0.5)), np.full((4, 1), -np.inf)]
    assert gather(np.array([[0, 0]]), tables, np.array([1.0, 0.0]))[0, 0] == np.log(0.5)


def test_draws_follow_the_table():
    (table, _) = counts_of(slice(None)).tables([1.0, 1.0], missing="state")
    drawn = table.sample(1, 20_000, np.random.default_rng(1))
    shares = [np.mean(drawn == value) for value in ["a", "b", "c", None]]
    np.testing.assert_allclose(shares, table.probabilities[1], atol=0.015)
