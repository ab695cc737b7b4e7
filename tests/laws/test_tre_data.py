"""Data for trees: what their makers promise, and what a tree sees in them."""

import numpy as np
import pytest

from criterion_cases import CRITERIA
from gnomon.datasets import load_weather_play, make_diagonal, make_dnf, make_parity, make_xor
from gnomon.search import Gini, SquaredError, code_columns, grow_tree

TWO_CLASSES = [case.criterion for case in CRITERIA.values() if case.criterion.class_counts == (2,)]


WEATHER = """\
sunny hot high false no
sunny hot high true no
overcast hot high false yes
rainy mild high false yes
rainy cold normal false yes
rainy cold normal true no
overcast cold normal true yes
sunny mild high false no
sunny cold normal false yes
rainy mild normal false yes
sunny mild normal true yes
overcast mild high true yes
overcast hot normal false yes
rainy mild high true no"""
"""The table of Quinlan (1986), with cold for cool and rainy for rain."""


@pytest.mark.spec("TRE-076")
def test_weather_has_fourteen_days_and_declared_domains():
    weather = load_weather_play()
    assert weather.data.shape == (14, 4)
    assert weather.feature_names == ["outlook", "temperature", "humidity", "windy"]
    assert sorted(weather.categories[1]) == ["cold", "hot", "mild"]
    assert weather.categories[3] == ["false", "true"]
    assert np.sum(weather.target == "yes") == 9
    days = {" ".join([*day, answer]) for day, answer in zip(weather.data, weather.target, strict=True)}
    assert days == set(WEATHER.splitlines())
    frame = load_weather_play(as_frame=True).data
    assert [list(frame[name].cat.categories) for name in frame] == weather.categories


@pytest.mark.spec("TRE-077", "TRE-L09")
@pytest.mark.parametrize("criterion", TWO_CLASSES)
@pytest.mark.parametrize("copies", [1, 5])
def test_exact_xor_has_no_gain_at_the_root_in_any_column(criterion, copies):
    X, y = make_xor(4 * copies, random_state=0)
    for column in X.T:
        stump = grow_tree(code_columns(column[:, None]), y, criterion, max_depth=1)
        assert stump.n_leaves == 2
        assert stump.gain[0] == pytest.approx(0.0, abs=1e-15)
    whole = grow_tree(code_columns(X), y, criterion)
    assert whole.max_depth == 2
    assert whole.n_leaves == 4
    np.testing.assert_array_equal(whole.predict(X).argmax(axis=1), y)


@pytest.mark.spec("TRE-078", "TRE-L09")
@pytest.mark.parametrize("d", [2, 3, 5])
@pytest.mark.parametrize("criterion", [*TWO_CLASSES, SquaredError()])
def test_parity_hides_until_all_bits_but_one_are_fixed(d, criterion):
    X, y = make_parity(d)
    assert len(X) == 2**d
    assert len(np.unique(X, axis=0)) == 2**d
    tree = grow_tree(code_columns(X), y if criterion.classes else y.astype(float)[:, None], criterion)
    inner = ~tree.is_leaf
    np.testing.assert_allclose(tree.gain[inner & (tree.depth < d - 1)], 0.0, atol=1e-15)
    last = inner & (tree.depth == d - 1)
    np.testing.assert_allclose(tree.gain[last], tree.impurity[last])
    assert tree.max_depth == d
    assert tree.n_leaves == 2**d
    np.testing.assert_array_equal(np.round(tree.predict(X)[:, -1]), y)


@pytest.mark.spec("TRE-078")
def test_parity_noise_and_irrelevant_bits():
    X, y = make_parity(3, 4000, n_irrelevant=2, flip=0.1, random_state=0)
    assert X.shape == (4000, 5)
    assert set(np.unique(X)) == {0.0, 1.0}
    clean = X[:, :3].sum(axis=1).astype(int) % 2
    assert np.mean(clean != y) == pytest.approx(0.1, abs=0.02)
    table, labels = make_parity(2, n_irrelevant=2)
    assert len(table) == 16
    assert np.all(labels == table[:, :2].sum(axis=1) % 2)
    with pytest.raises(ValueError, match="n_samples="):
        make_parity(30)


@pytest.mark.spec("TRE-077")
def test_xor_quadrants_noise_and_irrelevant_columns():
    X, y = make_xor(1001, kind="quadrants", n_irrelevant=3, random_state=0)
    assert X.shape == (1001, 5)
    assert np.all((X[:, 0] * X[:, 1] < 0) == y)
    assert abs(np.corrcoef(X[:, 4], y)[0, 1]) < 0.1
    noisy, labels = make_xor(400, noise=0.1, random_state=0)
    np.testing.assert_array_equal(np.round(noisy).sum(axis=1) == 1, labels)
    assert np.std(noisy - np.round(noisy)) == pytest.approx(0.1, rel=0.1)


@pytest.mark.spec("TRE-079")
@pytest.mark.parametrize("seed", range(3))
def test_a_full_tree_recovers_planted_rules(seed):
    X, y, terms = make_dnf(1900, 6, n_terms=3, n_literals=3, random_state=seed, return_terms=True)
    assert len(terms) == 3
    assert all(len(term) == 3 for term in terms)
    holds = np.any([np.all([X[:, j] == v for j, v in term.items()], axis=0) for term in terms], axis=0)
    np.testing.assert_array_equal(holds, y)
    tree = grow_tree(code_columns(X), y, Gini(2))
    mentioned = sorted({j for term in terms for j in term})
    assert set(tree.feature[~tree.is_leaf]) <= set(mentioned)
    fresh = np.random.default_rng(seed).integers(0, 2, (500, 6)).astype(float)
    truth = np.any([np.all([fresh[:, j] == v for j, v in term.items()], axis=0) for term in terms], axis=0)
    np.testing.assert_array_equal(tree.predict(fresh).argmax(axis=1), truth)


@pytest.mark.spec("TRE-079")
def test_more_terms_than_exist_are_refused():
    with pytest.raises(ValueError, match="n_terms=5"):
        make_dnf(10, 1, n_terms=5, n_literals=1)


@pytest.mark.spec("TRE-079")
def test_a_diagonal_costs_an_axis_parallel_tree_many_steps():
    X, y = make_diagonal(1900, margin=0.01, random_state=0)
    total = X.sum(axis=1)
    assert np.all((total > 1.0) == y)
    assert np.min(np.abs(total - 1.0)) >= 0.01
    columns = code_columns(X)
    assert grow_tree(columns, y, Gini(2)).n_leaves > 20
    assert grow_tree(code_columns(total[:, None]), y, Gini(2)).n_leaves == 2
    assert np.mean(make_diagonal(5000, threshold=0.5, flip=0.0, random_state=1)[1]) == pytest.approx(0.875, abs=0.02)
    with pytest.raises(ValueError, match="margin"):
        make_diagonal(margin=5.0)


@pytest.mark.spec("TRE-077", "TRE-078", "TRE-079")
@pytest.mark.parametrize("make", [make_xor, make_parity, make_dnf, make_diagonal])
def test_a_seed_gives_the_same_rows_again(make):
    for first, again in zip(make(n_samples=20, random_state=3), make(n_samples=20, random_state=3), strict=True):
        np.testing.assert_array_equal(first, again)
