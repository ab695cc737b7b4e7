"""Laws of regression in the p-norm."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize, sparse

from gnomon.linear import LinearRegression, LpRegression, NonConvexWarning
from gnomon.numerics.design import Design
from gnomon.optim import lp_norm

NORMS = (1, 1.05, 1.3, 2, 3, 8, 40, np.inf)


def regression(n=60, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X @ [1.0, -2.0, 0.5][:d] + 0.4 + rng.standard_t(2, n)


def cost(r, p, s):
    return np.max(np.abs(r[s > 0])) if p == np.inf else np.sum(s * np.abs(r) ** p)


@pytest.mark.spec("LIN-051")
@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_minimum_is_certified(p, fit_intercept):
    X, y = regression()
    s = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    model = LpRegression(p, fit_intercept=fit_intercept).fit(X, y, s)
    value = cost(y - model.predict(X), p, s)
    assert_allclose(model.objective_, value)
    assert model.converged_
    assert 0.0 <= model.dual_gap_ <= 1e-9 * value
    rng = np.random.default_rng(2)
    for size in (1e-1, 1e-3):
        w = model.coef_ + size * rng.standard_normal(3)
        b = model.intercept_ + size * rng.standard_normal() * fit_intercept
        assert cost(y - X @ w - b, p, s) >= value * (1 - 1e-12)


@pytest.mark.spec("LIN-051")
@pytest.mark.parametrize("p", [1, 1.5, 3])
def test_weight_two_is_the_row_twice(p):
    X, y = regression()
    s = np.random.default_rng(1).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), s)
    assert_allclose(LpRegression(p).fit(X, y, s).objective_, LpRegression(p).fit(X[rows], y[rows]).objective_)


@pytest.mark.spec("LIN-051")
def test_medians_means_and_midranges():
    y = np.array([0.0, 1.0, 5.0, 7.0, 100.0])
    X = np.zeros((5, 1))
    assert_allclose(LpRegression(1).fit(X, y).intercept_, np.median(y))
    assert_allclose(LpRegression(np.inf).fit(X, y).intercept_, 50.0)
    X, y = regression()
    assert_allclose(LpRegression(2).fit(X, y).coef_, LinearRegression().fit(X, y).coef_)
    quantile = optimize.linprog(
        np.r_[np.zeros(4), np.ones(120)],
        A_eq=np.hstack([X, np.ones((60, 1)), np.eye(60), -np.eye(60)]),
        b_eq=y,
        bounds=[(None, None)] * 4 + [(0, None)] * 120,
    )
    assert_allclose(LpRegression(1).fit(X, y).objective_, quantile.fun)


@pytest.mark.spec("LIN-051")
def test_below_one_is_flagged_and_ignores_more_outliers():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (60, 1))
    y = 2.0 * x[:, 0] + 1.0
    y[:25] += rng.uniform(5, 10, 25)
    with pytest.warns(NonConvexWarning, match="not convex"):
        model = LpRegression(0.5, random_state=0).fit(x, y)
    assert_allclose([model.coef_[0], model.intercept_], [2.0, 1.0], atol=1e-6)
    assert len(model.restarts_) == 10
    assert_allclose(model.objective_, np.min(model.restarts_))
    assert np.isnan(model.dual_gap_)


@pytest.mark.parametrize("p", [1, 1.5, 4, np.inf])
def test_sparse_float32_and_dependent_columns(p):
    X, y = regression()
    expected = LpRegression(p).fit(X, y)
    assert_allclose(LpRegression(p).fit(sparse.csr_array(X), y).coef_, expected.coef_, atol=1e-6)
    assert LpRegression(p).fit(X.astype(np.float32), y).coef_.dtype == np.float32
    doubled = LpRegression(p).fit(np.column_stack([X, X[:, 0]]), y)
    assert_allclose(doubled.objective_, expected.objective_, rtol=1e-7)


@pytest.mark.parametrize("p", [1, 1.5, 4, np.inf])
def test_an_exact_fit_costs_nothing(p):
    X, _ = regression()
    model = LpRegression(p).fit(X, X @ [1.0, 2.0, 3.0] + 1.0)
    assert_allclose(model.coef_, [1.0, 2.0, 3.0], atol=1e-9)
    assert model.objective_ < 1e-9


def test_errors_say_what_to_do():
    X, y = regression()
    with pytest.raises(ValueError, match=r"p=0 must be a number > 0"):
        LpRegression(0).fit(X, y)
    with pytest.raises(ValueError, match="tol=0"):
        LpRegression(1.5, tol=0).fit(X, y)


@pytest.mark.parametrize("p", [1.3, 3.0, 8.0])
def test_the_objective_and_the_gap_are_those_of_the_solution(p):
    """Also short of convergence, where the last step still changes much."""
    X, y = regression()
    s = np.ones(60)
    best = lp_norm(Design(X), y, p, s).objective
    for max_iter in (1, 2, 200):
        short = lp_norm(Design(X), y, p, s, max_iter=max_iter)
        assert_allclose(short.objective, cost(y - Design(X).apply(short.w), p, s), rtol=1e-12)
        assert short.objective - best <= short.dual_gap + 1e-9 * best


def test_below_one_a_run_that_was_cut_short_does_not_say_converged():
    X, y = regression()
    short = lp_norm(Design(X), y, 0.5, np.ones(60), max_iter=5, random_state=0)
    assert (short.converged, short.stop_reason, short.n_iter) == (False, "max_iter", 5)
    assert lp_norm(Design(X), y, 0.5, np.ones(60), random_state=0).converged


def residuals(model, X, y):
    """y − Xw − b without rounding but of the result."""
    w, b = [Fraction(float(v)) for v in model.coef_], Fraction(float(model.intercept_))
    rows = ([Fraction(float(v)) for v in x] for x in X)
    terms = zip(y, rows, strict=True)
    return [Fraction(float(t)) - b - sum(v * c for v, c in zip(x, w, strict=True)) for t, x in terms]


def exact_cost(model, X, y, p, s, unit=1.0):
    """(1) for residuals in units of `unit` and weights in units of the largest."""
    r = np.array([float(v / Fraction(unit)) for v in residuals(model, X, y)])
    return cost(r, p, s / np.max(s))


UNITS = {
    "columns 1e-150": lambda X, y, s: (X * 1e-150, y, s, 1.0),
    "columns 1e-10": lambda X, y, s: (X * 1e-10, y, s, 1.0),
    "columns 1e150": lambda X, y, s: (X * 1e150, y, s, 1.0),
    "columns apart": lambda X, y, s: (X * [1e-150, 1e150], y, s, 1.0),
    "target 1e-150": lambda X, y, s: (X, y * 1e-150, s, 1e-150),
    "target 1e150": lambda X, y, s: (X, y * 1e150, s, 1e150),
    "weights 1e-200": lambda X, y, s: (X, y, s * 1e-200, 1.0),
    "weights 1e200": lambda X, y, s: (X, y, s * 1e200, 1.0),
}
NEAR = (1, 1.05, 1.5, 2, 3, np.inf)


def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24, 2))
    return X, X @ [2.0, -1.0] + 0.3 * rng.normal(size=24), rng.integers(0, 3, 24).astype(float)


@pytest.mark.spec("LIN-051")
@pytest.mark.filterwarnings("ignore:the least value")
@pytest.mark.parametrize("p", NEAR)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_units_change_nothing_but_the_units(p, fit_intercept):
    X, y, s = table()
    plain = LpRegression(p, fit_intercept=fit_intercept).fit(X, y, s)
    best = exact_cost(plain, X, y, p, s)
    for name, change in UNITS.items():
        X_, y_, s_, unit = change(X, y, s)
        model = LpRegression(p, fit_intercept=fit_intercept).fit(X_, y_, s_)
        assert model.converged_, name
        assert_allclose(exact_cost(model, X_, y_, p, s_, unit), best, rtol=2e-10, err_msg=name)
        assert_allclose(model.predict(X_) / unit, plain.predict(X), atol=1e-5, err_msg=name)
        power = 1.0 if p == np.inf else p
        if unit == 1.0 or p in (1, 1.5, np.inf):
            factor = unit**power * (1.0 if p == np.inf else np.max(s_))
            assert_allclose(model.objective_ / factor, best, rtol=2e-10, err_msg=name)
            assert 0.0 <= model.dual_gap_ <= 2e-10 * model.objective_, name


@pytest.mark.spec("LIN-051")
@pytest.mark.parametrize("p", NEAR)
@pytest.mark.parametrize(
    ("of_X", "of_y"), [(1e7, 0.0), (1e8, 0.0), (1e9, 0.0), (1e12, 0.0), (0.0, 1e9), (1e12, 1e9)], ids=str
)
def test_offsets_lose_no_digit_that_the_data_hold(p, of_X, of_y):
    """The same table without the offset, an exact subtraction, has the same minimum."""
    X, y, s = table()
    X, y = X + of_X, y + of_y
    model, near = LpRegression(p).fit(X, y, s), LpRegression(p).fit(X - of_X, y - of_y, s)
    reached, best = exact_cost(model, X, y, p, s), exact_cost(near, X - of_X, y - of_y, p, s)
    lost = 20.0 * np.spacing(abs(model.intercept_))
    assert model.converged_
    assert best * (1 - 1e-9) <= reached <= best * (1 + 1e-9 + lost)
    weight = 1.0 if p == np.inf else np.max(s)
    assert_allclose(model.objective_, reached * weight, rtol=1e-9)
    assert (reached - best) * weight <= model.dual_gap_ + 1e-9 * best


@pytest.mark.parametrize("p", NEAR)
def test_a_certificate_is_true_where_columns_nearly_agree(p):
    """Without an intercept an offset cannot be taken away: the two columns differ in their last eight digits."""
    X, y, s = table()
    X, y = X + 1e8, y + 1e8
    model = LpRegression(p, fit_intercept=False).fit(X, y, s)
    reached, weight = exact_cost(model, X, y, p, s), 1.0 if p == np.inf else np.max(s)
    assert_allclose(model.objective_, reached * weight, rtol=1e-5)
    rng = np.random.default_rng(1)
    base = np.array([1.0, -1.0]) / np.sqrt(2)
    for size in (1e-1, 1e-3):
        other = LpRegression(p, fit_intercept=False)
        other.coef_, other.intercept_ = model.coef_ + size * rng.normal() * base, 0.0
        assert exact_cost(other, X, y, p, s) * weight >= model.objective_ - model.dual_gap_


@pytest.mark.parametrize("p", NEAR)
def test_the_certificate_is_that_of_the_coefficients_as_stored(p):
    X, y, s = table()
    X = X.astype(np.float32)
    model = LpRegression(p).fit(X, y, s)
    weight = 1.0 if p == np.inf else np.max(s)
    assert model.coef_.dtype == np.float32
    assert_allclose(model.objective_, exact_cost(model, X, y, p, s) * weight, rtol=1e-13)


def test_outliers_do_not_drown_the_other_rows():
    """In 1e12 ± the mean of y keeps four decimals."""
    X, y, _ = table()
    y[:3] += 1e12
    assert_allclose(LpRegression(1).fit(X, y).coef_, LpRegression(1).fit(X, np.minimum(y, 1e3)).coef_, atol=1e-4)


def test_a_value_that_floats_cannot_hold_is_said():
    X, y, s = table()
    for unit, given in ((1e150, np.inf), (1e-150, 0.0)):
        with pytest.warns(RuntimeWarning, match="divide y" if given else "multiply y"):
            model = LpRegression(3).fit(X, unit * y, s)
        assert model.objective_ == given
        assert_allclose(model.coef_ / unit, LpRegression(3).fit(X, y, s).coef_)
    with pytest.raises(ValueError, match=r"coefficient of column 1 would be about .* scale column 1 of X, or y"):
        LpRegression(1).fit(X * [1.0, 1e-200], y * 1e200)


@pytest.mark.parametrize("p", [1, 1.05, 3, 40, 1000, np.inf])
def test_more_columns_than_rows_fit_exactly(p):
    X, y = regression()
    model = LpRegression(p).fit(np.column_stack([X[:4], X[:4] ** 2]), y[:4])
    assert model.converged_
    assert model.objective_ <= 1e-12


def test_a_large_sparse_table_stays_sparse_and_is_certified():
    rng = np.random.default_rng(0)
    X = sparse.random_array((3000, 100), density=0.02, rng=rng, format="csr")
    X = sparse.hstack([X, sparse.csr_array(1e9 + rng.normal(size=(3000, 1)))], format="csr")
    y = X[:, [0]].toarray().ravel() + rng.standard_t(2, 3000)
    model, dense = LpRegression(1.5).fit(X, y), LpRegression(1.5).fit(X.toarray(), y)
    assert_allclose(model.objective_, dense.objective_, rtol=1e-8)
    assert model.converged_
    assert_allclose(model.predict(X), dense.predict(X), atol=1e-5)
