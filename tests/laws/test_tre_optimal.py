"""Laws of optimal trees: equal to enumeration, never worse than greedy, and honest about what is not proved."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning

from gnomon.search import Misclassification, code_columns, optimal_tree
from gnomon.search import _optimal_tree as searching
from gnomon.trees import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    HandTreeClassifier,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
)


def _best(X, depth, cost, penalty):
    """Minimal Σ cost(leaf) + penalty·leaves over all trees of cuts x ≤ t, by trying each one."""

    @cache
    def solve(rows, d):
        best = cost(list(rows)) + penalty
        if d == 0:
            return best
        for j in range(X.shape[1]):
            for t in sorted({X[i, j] for i in rows})[:-1]:
                left = frozenset(i for i in rows if X[i, j] <= t)
                best = min(best, solve(left, d - 1) + solve(rows - left, d - 1))
        return best

    return solve(frozenset(range(len(X))), depth)


def _table(seed, n=14, p=3, values=4):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, values, (n, p)).astype(float)
    return X, rng.integers(0, 3, n), rng.integers(1, 4, n).astype(float), rng.normal(size=n)


@pytest.mark.spec("TRE-L16", "TRE-051")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("depth", [0, 1, 2, 3])
@pytest.mark.parametrize("penalty", [0.0, 0.05])
def test_errors_are_those_of_enumeration(seed, depth, penalty):
    X, y, w, _ = _table(seed)

    def errors(rows):
        return np.sum(w[rows]) - np.max(np.bincount(y[rows], w[rows]))

    tree = OptimalTreeClassifier(depth, leaf_penalty=penalty).fit(X, y, sample_weight=w)
    expected = _best(X, depth, errors, penalty * np.sum(w)) / np.sum(w)
    assert tree.objective_ == pytest.approx(expected)
    own = np.sum(w * (tree.predict(X) != y)) / np.sum(w) + penalty * tree.get_n_leaves()
    assert tree.objective_ == pytest.approx(own)
    assert tree.get_depth() <= depth
    assert tree.proved_
    assert tree.gap_ == 0.0
    assert tree.lower_bound_ == tree.objective_


@pytest.mark.spec("TRE-L16", "TRE-051")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_squared_error_is_that_of_enumeration(seed, depth):
    X, _, w, y = _table(seed)

    def spread(rows):
        return np.sum(w[rows] * (y[rows] - np.average(y[rows], weights=w[rows])) ** 2)

    tree = OptimalTreeRegressor(depth, leaf_penalty=0.01).fit(X, y, sample_weight=w)
    expected = _best(X, depth, spread, 0.01 * np.sum(w)) / np.sum(w)
    assert tree.objective_ == pytest.approx(expected)
    own = np.average((tree.predict(X) - y) ** 2, weights=w) + 0.01 * tree.get_n_leaves()
    assert tree.objective_ == pytest.approx(own)
    assert tree.proved_


@pytest.mark.spec("TRE-L16", "TRE-051")
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_never_worse_than_greedy_and_never_worse_with_depth(load):
    X, y = load(return_X_y=True)
    errors = []
    for depth in range(4):
        tree = OptimalTreeClassifier(depth).fit(X, y)
        greedy = DecisionTreeClassifier(max_depth=depth).fit(X, y)
        assert tree.proved_
        assert tree.objective_ == pytest.approx(np.mean(tree.predict(X) != y))
        assert tree.objective_ <= np.mean(greedy.predict(X) != y)
        errors.append(tree.objective_)
    assert errors == sorted(errors, reverse=True)


@pytest.mark.spec("TRE-L16", "TRE-051")
def test_a_regression_tree_beats_the_greedy_one():
    X, y = load_diabetes(return_X_y=True)
    spreads = [OptimalTreeRegressor(depth).fit(X, y).objective_ for depth in range(3)]
    assert spreads == sorted(spreads, reverse=True)
    greedy = DecisionTreeRegressor(max_depth=2).fit(X, y)
    assert spreads[2] < np.mean((greedy.predict(X) - y) ** 2)
    several = OptimalTreeRegressor(1).fit(X, np.column_stack([y, -y]))
    assert several.objective_ == pytest.approx(spreads[1])
    np.testing.assert_allclose(several.predict(X)[:, 0], -several.predict(X)[:, 1])


@pytest.mark.spec("TRE-L16", "TRE-L08")
def test_bounds_of_rows_change_nothing_but_the_work():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    columns = code_columns(X)
    plain = optimal_tree(columns, y, Misclassification(2), max_depth=3)
    bounded = optimal_tree(columns, y, Misclassification(2), max_depth=3, row_bounds=np.ones(60))
    assert plain.objective == bounded.objective
    assert plain.proved
    w = rng.integers(0, 3, 60)
    weighted = OptimalTreeClassifier(2).fit(X, y, sample_weight=w)
    repeated = OptimalTreeClassifier(2).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert weighted.objective_ == pytest.approx(repeated.objective_)
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))


def _mixed():
    rng = np.random.default_rng(3)
    hue = rng.choice(["red", "green", "blue"], 90).astype(object)
    size = np.round(rng.normal(size=90), 1)
    y = np.where((hue == "green") ^ (size > 0.2), "a", "b")
    missing = rng.random(90) < 0.2
    y[missing] = np.where(hue[missing] == "red", "a", "b")
    size[missing] = np.nan
    hue[rng.random(90) < 0.1] = None
    return pd.DataFrame({"hue": hue, "size": size}), y


@pytest.mark.spec("TRE-051", "TRE-L10")
def test_categories_and_gaps_are_cut_and_the_tree_reads_like_any_other():
    X, y = _mixed()
    tree = OptimalTreeClassifier(3).fit(X, y)
    greedy = DecisionTreeClassifier(max_depth=3, categorical_split="equality").fit(X, y)
    assert tree.objective_ <= np.mean(greedy.predict(X) != y)
    assert tree.objective_ == pytest.approx(np.mean(tree.predict(X) != y))
    np.testing.assert_allclose(tree.predict_proba(X).sum(axis=1), 1.0)
    np.testing.assert_array_equal(tree.to_rules().fires(tree._rows(X)).sum(axis=1), 1)
    again = HandTreeClassifier(tree.export_text()).fit(X, y)
    np.testing.assert_array_equal(again.predict(X), tree.predict(X))
    assert tree.explain(X.iloc[0].to_dict()).label == tree.predict(X.iloc[:1])[0]
    assert tree.apply(X).shape == (90,)
    assert set(tree.predict(pd.DataFrame({"hue": ["pink"], "size": [0.0]}))) <= {"a", "b"}
    shares = [OptimalTreeClassifier(d).fit(X, y).objective_ for d in range(4)]
    assert shares == sorted(shares, reverse=True)


@pytest.mark.spec("TRE-051")
def test_a_category_against_the_others_is_exact():
    X, y, w, _ = _table(5, values=4)
    tree = OptimalTreeClassifier(2, categorical_features=[0, 1, 2]).fit(X, y, sample_weight=w)
    one_hot = np.column_stack([X[:, j] != v for j in range(3) for v in range(4)]).astype(float)
    assert tree.objective_ == pytest.approx(OptimalTreeClassifier(2).fit(one_hot, y, sample_weight=w).objective_)


@pytest.mark.spec("TRE-051")
def test_out_of_time_there_is_a_tree_a_bound_and_a_warning():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 6)), rng.integers(0, 2, 200)
    with pytest.warns(ConvergenceWarning, match="time_limit=0"):
        tree = OptimalTreeClassifier(4, time_limit=0.0).fit(X, y)
    assert not tree.proved_
    assert 0.0 <= tree.lower_bound_ < tree.objective_
    assert tree.gap_ == pytest.approx((tree.objective_ - tree.lower_bound_) / tree.objective_)
    with pytest.warns(ConvergenceWarning, match="gap"):
        longer = OptimalTreeClassifier(5, time_limit=1.0).fit(X, y)
    assert longer.objective_ < tree.objective_
    assert longer.objective_ == pytest.approx(np.mean(longer.predict(X) != y))


@pytest.mark.spec("TRE-051")
def test_bins_are_fewer_thresholds():
    X, y = load_iris(return_X_y=True)
    exact, coarse = OptimalTreeClassifier(2).fit(X, y), OptimalTreeClassifier(2, binning=4).fit(X, y)
    assert exact.objective_ <= coarse.objective_ == pytest.approx(np.mean(coarse.predict(X) != y))
    assert OptimalTreeClassifier(2, binning=255).fit(X, y).objective_ == exact.objective_


@pytest.mark.spec("TRE-051")
@pytest.mark.parametrize("options", [{"max_depth": -1}, {"leaf_penalty": -0.1}, {"time_limit": -1.0}])
def test_bad_options_are_named(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        OptimalTreeClassifier(**options).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.spec("TRE-051")
@pytest.mark.parametrize(("depth", "after"), [(2, 3), (3, 2), (4, 40)])
def test_an_interrupted_search_keeps_its_best_tree(depth, after, monkeypatch):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(120, 5)), rng.integers(0, 2, 120)
    calls, weigh = [], searching.best_pair

    def interrupted(*arguments):
        calls.append(None)
        if len(calls) == after:
            raise KeyboardInterrupt
        return weigh(*arguments)

    monkeypatch.setattr(searching, "best_pair", interrupted)
    with pytest.warns(ConvergenceWarning, match="an interruption ended the search"):
        tree = OptimalTreeClassifier(depth).fit(X, y)
    assert len(calls) == after
    assert not tree.proved_
    assert tree.lower_bound_ < tree.objective_ == pytest.approx(np.mean(tree.predict(X) != y))
    assert tree.objective_ <= OptimalTreeClassifier(1).fit(X, y).objective_


@pytest.mark.spec("TRE-051")
@pytest.mark.parametrize("depth", [2, 3])
def test_progress_is_reported(depth, capsys):
    X, y = load_iris(return_X_y=True)
    tree = OptimalTreeClassifier(depth, binning=8, verbose=1).fit(X, y)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in lines] == [f"first test in column {j} of 4" for j in range(1, 5)]
    assert float(lines[-1].split()[-1]) == pytest.approx(tree.objective_, abs=1e-6)
