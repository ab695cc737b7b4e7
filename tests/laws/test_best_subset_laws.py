"""Laws of best subset regression."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from gnomon.linear import BestSubset, LinearRegression
from gnomon.optim import best_subsets, greedy_subsets, size_intervals
from gnomon.penalties import OBJECTIVES, convert_lam


def regression(n=30, d=7, seed=0, noise=2.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) @ (np.eye(d) + 0.7 * rng.standard_normal((d, d)))
    return X, X @ rng.standard_normal(d) + 1.5 + noise * rng.standard_normal(n)


def exhaustive(X, y, k, s):
    def rss(columns):
        if not columns:
            return float(s @ (y - np.average(y, weights=s)) ** 2)
        return float(LinearRegression(on_singular="ignore").fit(X[:, columns], y, s).objective_)

    return min(rss(list(columns)) for columns in itertools.combinations(range(X.shape[1]), k))


@pytest.mark.spec("LIN-052")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shape", [(30, 7), (5, 7), (30, 1)])
def test_leaps_and_bounds_is_exhaustive_search(seed, shape):
    X, y = regression(*shape, seed=seed)
    s = np.random.default_rng(seed).uniform(0.5, 2.0, len(y))
    model = BestSubset(shape[1]).fit(X, y, s)
    assert model.exact_
    expected = [exhaustive(X, y, k, s) for k in range(shape[1] + 1)]
    assert_allclose(model.rss_by_size_, expected, atol=1e-8 * expected[0])
    assert np.all(np.diff(model.rss_by_size_) <= 1e-8)


@pytest.mark.spec("LIN-052")
def test_dependent_columns_do_no_harm():
    X, y = regression(d=5)
    X = np.column_stack([X, X[:, 0], X[:, 1] + X[:, 2], np.ones(len(X))])
    model = BestSubset(3).fit(X, y)
    expected = [exhaustive(X, y, k, np.ones(len(y))) for k in range(4)]
    assert_allclose(model.rss_by_size_, expected, rtol=1e-8)


@pytest.mark.spec("LIN-052", "LIN-045")
@pytest.mark.parametrize("k", [0, 1, 3])
def test_bound(k):
    X, y = regression()
    model = BestSubset(max_nonzero=k).fit(X, y)
    assert model.n_nonzero_ == k == np.sum(model.coef_ != 0.0)
    assert_allclose(np.sum((y - model.predict(X)) ** 2), model.rss_by_size_[k])
    assert_allclose(model.objective_, model.rss_by_size_[k])
    same = BestSubset(constraint=k).fit(X, y)
    assert_allclose(same.coef_, model.coef_)


@pytest.mark.spec("LIN-052", "LIN-046")
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_price_and_interval(objective):
    X, y = regression()
    table = BestSubset(7, objective=objective).fit(X, y)
    reached = [k for k, interval in enumerate(table.lam_intervals_) if interval is not None]
    assert {0, 7} <= set(reached)
    for k in reached:
        low, high = table.lam_for(k)
        inside = np.sqrt(max(low, 1e-3) * min(high, 1e6))
        assert table.theta_for(inside) == k
        model = BestSubset(lam=inside, objective=objective).fit(X, y)
        assert model.n_nonzero_ == k
        rho = convert_lam(inside, objective, "sum", n=len(y), penalty="l1")
        assert rho > 0
        best = np.min(table.rss_by_size_ + rho * np.arange(8))
        assert_allclose(table.rss_by_size_[k] + rho * k, best)


@pytest.mark.spec("LIN-L15")
def test_orthonormal_columns_are_kept_by_their_own_square():
    X, y = regression()
    Q = np.linalg.qr(X)[0]
    rho = float(np.median((Q.T @ y) ** 2))
    model = BestSubset(lam=rho * 1.0001, fit_intercept=False).fit(Q, y)
    expected = np.where((Q.T @ y) ** 2 > rho * 1.0001, Q.T @ y, 0.0)
    assert_allclose(model.coef_, expected, atol=1e-12)


@pytest.mark.spec("LIN-052")
def test_many_columns_are_flagged():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 60))
    y = X[:, [3, 17, 40]] @ [3.0, -2.0, 1.5] + 0.1 * rng.standard_normal(200)
    model = BestSubset(3).fit(X, y)
    assert not model.exact_
    assert np.flatnonzero(model.support_).tolist() == [3, 17, 40]
    assert BestSubset(3, max_exact=60).fit(X, y).exact_
    assert_allclose(BestSubset(3, max_exact=60).fit(X, y).rss_by_size_, model.rss_by_size_)


@pytest.mark.spec("LIN-052")
def test_thresholding_improves_on_forward_selection():
    # Neither column of the pair helps alone; a third that points half-way is taken first.
    t = np.array([-40.0, -30, -20, -10, 10, 20, 30, 40])
    y = np.array([1.0, -1, -1, 1, 1, -1, -1, 1])
    X = np.column_stack([t + 0.5 * y, t - 0.5 * y, 0.6 * y + np.array([1, -0.5, 0.5, -1, 0.5, -1, 1, -0.5])])
    exact = best_subsets(X, y).rss
    greedy = greedy_subsets(X.T @ X, X.T @ y, float(y @ y), max_size=3).rss
    assert np.all(greedy >= exact - 1e-9)
    assert_allclose(exact[2], 0.0, atol=1e-9)


def test_thirty_columns_of_noise():
    rng = np.random.default_rng(0)
    table = best_subsets(rng.standard_normal((100, 24)), rng.standard_normal(100))
    assert table.exact
    assert table.n_nodes < 2**24 / 100


def test_intervals_are_the_lower_hull():
    rng = np.random.default_rng(0)
    rss = np.sort(rng.uniform(0, 10, 9))[::-1]
    intervals = size_intervals(rss)
    for rho in rng.uniform(0, 10, 50):
        k = int(np.argmin(rss + rho * np.arange(9)))
        assert intervals[k][0] <= rho <= intervals[k][1]


def test_sparse_and_errors():
    X, y = regression()
    assert_allclose(BestSubset(2).fit(sparse.csr_array(X), y).coef_, BestSubset(2).fit(X, y).coef_, atol=1e-8)
    with pytest.raises(ValueError, match="exclude each other"):
        BestSubset(2, lam=1.0).fit(X, y)
    with pytest.raises(ValueError, match="max_nonzero=-1 must be"):
        BestSubset(-1).fit(X, y)
