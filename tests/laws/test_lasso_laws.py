"""Laws of the lasso and the elastic net."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from gnomon.linear import ElasticNet, ElasticNetCV, Lasso, LassoCV, LogisticRegression, Ridge, _sparse_cv, path
from gnomon.losses import LogisticLoss, SquaredHingeLoss, SquaredLoss
from gnomon.numerics.design import Design
from gnomon.optim import ApproximateZerosWarning, Problem, coordinate_descent, dual_gap, fit_linear, lasso_knots
from gnomon.penalties import L1, L2, ElasticNetPenalty


def make(n=60, d=25, seed=0, shift=2.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + shift
    w = np.where(np.arange(d) < 6, rng.standard_normal(d), 0.0)
    return X, X @ w + 0.5 * rng.standard_normal(n) + 1.0


def rho_max(X, y):
    return 2.0 * np.max(np.abs((X - X.mean(0)).T @ (y - y.mean())))


@pytest.mark.spec("LIN-042", "LIN-L14")
@pytest.mark.parametrize("share", [0.5, 0.1, 0.01])
@pytest.mark.parametrize("kind", [np.asarray, np.asfortranarray, sparse.csr_matrix, sparse.csc_matrix])
def test_optimality_conditions(share, kind):
    X, y = make()
    rho = share * rho_max(X, y)
    model = Lasso(objective="sum", lam=rho, tol=1e-14).fit(kind(X), y)
    pull = 2.0 * X.T @ (y - model.predict(X))
    on = model.coef_ != 0.0
    np.testing.assert_allclose(pull[on], rho * np.sign(model.coef_[on]), rtol=1e-6)
    assert np.all(np.abs(pull[~on]) <= rho * (1 + 1e-9))
    assert abs(np.sum(y - model.predict(X))) < 1e-8
    assert 0.0 <= model.dual_gap_ <= 1e-13 * model.objective_


@pytest.mark.spec("LIN-L14", "LIN-044", "LIN-082")
def test_all_exact_solvers_agree():
    X, y = make()
    rho = 0.05 * rho_max(X, y)
    reference = Lasso(objective="sum", lam=rho, tol=1e-15).fit(X, y)
    fista = Lasso(objective="sum", lam=rho, solver="fista", tol=1e-10, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(fista.coef_, reference.coef_, atol=1e-8)
    knots = lasso_knots(X - X.mean(0), y - y.mean())
    np.testing.assert_allclose(knots.at(rho / 2), reference.coef_, atol=1e-8)
    np.testing.assert_allclose(quadratic_programme(X, y, rho), reference.coef_, atol=1e-6)


def quadratic_programme(X, y, rho):
    """w = u − v with u, v ≥ 0, by SciPy's bounded quasi-Newton method."""
    Z, r, d = X - X.mean(0), y - y.mean(), X.shape[1]

    def value(uv):
        residual = Z @ (uv[:d] - uv[d:]) - r
        gradient = 2.0 * Z.T @ residual
        return residual @ residual + rho * uv.sum(), np.concatenate([gradient + rho, rho - gradient])

    options = {"maxiter": 20_000, "maxfun": 50_000, "ftol": 1e-16, "gtol": 1e-9}
    found = minimize(value, np.zeros(2 * d), jac=True, method="L-BFGS-B", bounds=[(0, None)] * (2 * d), options=options)
    return found.x[:d] - found.x[d:]


@pytest.mark.spec("LIN-042", "LIN-L13")
def test_largest_lambda_and_shrinkage():
    X, y = make()
    top = rho_max(X, y)
    assert not Lasso(objective="sum", lam=top * (1 + 1e-9)).fit(X, y).coef_.any()
    assert Lasso(objective="sum", lam=0.99 * top, tol=1e-12).fit(X, y).coef_.any()
    models = [Lasso(objective="sum", lam=share * top, tol=1e-12).fit(X, y) for share in (0.9, 0.3, 0.1, 0.01)]
    norms = [np.abs(m.coef_).sum() for m in models]
    rss = [np.sum((y - m.predict(X)) ** 2) for m in models]
    assert norms == sorted(norms)
    assert rss == sorted(rss, reverse=True)
    assert np.any(models[1].coef_ == 0.0)
    assert np.all(Ridge(alpha=top).fit(X, y).coef_ != 0.0)


@pytest.mark.spec("LIN-043")
def test_elastic_net_ends_are_lasso_and_ridge():
    X, y = make()
    options = {"objective": "sum", "lam": 3.0, "tol": 1e-15}
    lasso, net = Lasso(**options).fit(X, y), ElasticNet(l1_ratio=1.0, **options).fit(X, y)
    np.testing.assert_allclose(net.coef_, lasso.coef_, atol=1e-9)
    ridge = Ridge(alpha=3.0).fit(X, y)
    np.testing.assert_allclose(ElasticNet(l1_ratio=0.0, **options).fit(X, y).coef_, ridge.coef_, atol=1e-6)


@pytest.mark.spec("LIN-045", "LIN-046", "LIN-L16")
@pytest.mark.parametrize("objective", ["sum", "mean", "C", None])
def test_bound_and_multiplier_are_one_model(objective):
    X, y = make()
    lam = {"C": 0.02, "mean": 0.5, "sum": 30.0}.get(objective)
    given = {"alpha": 0.3} if objective is None else {"objective": objective, "lam": lam}
    free = Lasso(**given, tol=1e-15, store_path=True).fit(X, y)
    theta = np.abs(free.coef_).sum()
    bound = Lasso(objective=objective, constraint=theta, tol=1e-15).fit(X, y)
    np.testing.assert_allclose(bound.coef_, free.coef_, atol=1e-6)
    wanted = free.alpha if objective is None else lam
    assert bound.multiplier_ == pytest.approx(wanted, rel=1e-6)
    assert free.lam_for(theta) == pytest.approx(wanted, rel=1e-6)
    assert free.theta_for(wanted) == pytest.approx(theta, rel=1e-9)


@pytest.mark.spec("LIN-045", "LIN-046")
def test_idle_bound_is_least_squares():
    X, y = make()
    model = Lasso(objective="sum", constraint=1e6, tol=1e-14).fit(X, y)
    exact = np.linalg.lstsq(X - X.mean(0), y - y.mean())[0]
    assert model.multiplier_ == 0.0
    np.testing.assert_allclose(model.coef_, exact, atol=1e-7)
    assert model.lam_for(0.0) == pytest.approx(rho_max(X, y))
    assert model.lam_for(2.0 * np.abs(exact).sum()) == 0.0
    assert model.lam_for(0.999 * np.abs(exact).sum()) > 0.0


@pytest.mark.spec("LIN-044")
def test_subgradient_zeros_are_only_approximate():
    X, y = make()
    with pytest.warns(ConvergenceWarning), pytest.warns(ApproximateZerosWarning):
        model = Lasso(alpha=0.5, solver="subgradient", max_iter=300).fit(X, y)
    assert np.all(model.coef_ != 0.0)


@pytest.mark.spec("LIN-048", "LIN-L13")
@pytest.mark.parametrize(
    ("loss", "penalty"),
    [
        (SquaredLoss(), L1()),
        (SquaredLoss(), L2()),
        (SquaredLoss(), ElasticNetPenalty(1.0, 0.5)),
        (LogisticLoss(), L1()),
        (LogisticLoss(), L2()),
        (SquaredHingeLoss(), L2()),
        (SquaredHingeLoss(), L1()),
    ],
)
def test_path_starts_at_zero_and_grows(loss, penalty):
    X, y = make()
    y = y if loss.targets == "real" else np.sign(y - np.median(y) + 1e-9)
    found = path(X, y, loss, penalty, n_lams=12, eps=1e-2)
    assert np.all(np.diff(found.lams) < 0)
    assert np.all(np.diff(found.norms) >= -1e-7 * found.norms.max())
    if not penalty.smooth:
        assert found.n_nonzero[0] == 0 < found.n_nonzero[1]
    for lam, w in ((found.lams[5], found.coefs[5]),):
        alone = fit_linear(Design(X), y, loss, penalty.scaled(lam), tol=1e-10, max_iter=10_000)
        np.testing.assert_allclose(w, alone.w, atol=2e-5 * max(1.0, np.abs(w).max()))


@pytest.mark.spec("LIN-048")
def test_path_grid_lies_on_the_exact_path():
    X, y = make(seed=3)
    knots = path(X, y, SquaredLoss(), L1(), exact=True)
    grid = path(X, y, SquaredLoss(), L1(), lams=[40.0, 4.0], tol=1e-14)
    exact = lasso_knots(X - X.mean(0), y - y.mean())
    for lam, w in zip(grid.lams, grid.coefs, strict=True):
        np.testing.assert_allclose(exact.at(lam / 2), w, atol=1e-7)
    assert knots.n_nonzero[-1] == X.shape[1]


@pytest.mark.spec("LIN-049")
def test_one_standard_error_rule_is_sparser():
    X, y = make(n=80)
    best, sparing = LassoCV().fit(X, y), LassoCV(rule="1se").fit(X, y)
    assert sparing.alpha_ > best.alpha_
    mean, k = best.mse_path_.mean(1), int(np.argmin(best.mse_path_.mean(1)))
    error = best.mse_path_[k].std(ddof=1) / np.sqrt(5)
    assert mean[np.flatnonzero(best.alphas_ == sparing.alpha_)[0]] <= mean[k] + error
    assert ElasticNetCV(l1_ratio=[0.2, 1.0], rule="1se").fit(X, y).mse_path_.shape == (2, 100, 5)
    huge = LassoCV(rule="1se").fit(X, 1e150 * y)
    assert np.argmin(np.abs(huge.alphas_ - huge.alpha_)) == np.argmin(np.abs(best.alphas_ - sparing.alpha_))


@pytest.mark.spec("LIN-086", "LIN-L25")
@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
@pytest.mark.parametrize(
    ("loss", "penalty"), [(SquaredLoss(), L1(5.0)), (LogisticLoss(), L1(1.0)), (LogisticLoss(), L2(0.5))]
)
def test_gap_bounds_the_distance_to_the_optimum(loss, penalty, intercept):
    X, y = make()
    y = y if loss.targets == "real" else np.sign(y - np.median(y) + 1e-9)
    problem = Problem(Design(X, intercept=intercept), y, loss, penalty, np.ones(len(y)))
    best = coordinate_descent(problem, np.zeros(problem.size), tol=1e-13, max_iter=20_000)
    rng = np.random.default_rng(0)
    for scale in (0.0, 1e-3, 0.1):
        theta = best.w + scale * rng.standard_normal(problem.size)
        assert dual_gap(problem, theta) >= problem.value(theta) - best.objective - 1e-7
    assert np.all(best.history["gap"] >= 0.0)


@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
@pytest.mark.parametrize("penalty", [L1(0.05), L1(0.005), ElasticNetPenalty(0.005, 0.9)], ids=repr)
def test_squared_hinge_with_weak_penalties_on_more_columns_than_rows(penalty, intercept):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 200))
    y = np.sign(X[:, :3].sum(axis=1) + 0.5 * rng.normal(size=50))
    problem = Problem(Design(X, intercept=intercept), y, SquaredHingeLoss(), penalty, np.ones(50))
    found = coordinate_descent(problem, np.zeros(problem.size), tol=1e-6, max_iter=4000)
    assert found.converged
    best = coordinate_descent(problem, np.zeros(problem.size), tol=1e-12, max_iter=20_000)
    assert dual_gap(problem, best.w) <= 1e-6
    assert -1e-9 <= found.objective - best.objective <= found.dual_gap <= 50e-6
    assert np.all(np.diff(found.history["iteration"]) >= 0)
    assert found.objective == pytest.approx(problem.value(found.w), abs=1e-9)
    few = coordinate_descent(problem, np.zeros(problem.size), tol=1e-6, max_iter=250)
    assert few.n_iter <= 250
    assert few.objective <= np.min(few.history["objective"]) + 1e-12


def test_positive_coefficients():
    X, y = make()
    model = Lasso(alpha=0.05, positive=True, tol=1e-13).fit(X, -y)
    assert np.all(model.coef_ >= 0.0)
    gradient = X.T @ (model.predict(X) + y) / len(y)
    on = model.coef_ > 0
    np.testing.assert_allclose(gradient[on], -0.05, atol=1e-6)
    assert np.all(gradient[~on] >= -0.05 - 1e-9)


def test_random_order_reaches_the_same_optimum():
    X, y = make()
    cyclic = Lasso(alpha=0.1, tol=1e-14).fit(X, y)
    shuffled = Lasso(alpha=0.1, tol=1e-14, selection="random", random_state=3).fit(X, y)
    np.testing.assert_allclose(shuffled.coef_, cyclic.coef_, atol=1e-7)


def test_short_run_warns_with_its_gap():
    X, y = make(n=40, d=200)
    with pytest.warns(ConvergenceWarning, match="duality gap"):
        model = Lasso(alpha=1e-3, max_iter=2, tol=1e-12).fit(X, y)
    assert not model.converged_
    assert model.stop_reason_ == "max_iter"


def test_constant_and_duplicated_columns():
    X, y = make()
    X = np.column_stack([X, X[:, 0], np.full(len(y), 7.0)])
    model = Lasso(alpha=0.05, tol=1e-12).fit(X, y)
    assert model.coef_[-1] == 0.0
    assert np.all(np.isfinite(model.coef_))
    assert model.converged_


def test_float32_stays_float32():
    X, y = make()
    model = Lasso(alpha=0.1).fit(X.astype(np.float32), y.astype(np.float32))
    assert model.coef_.dtype == np.float32
    np.testing.assert_allclose(model.coef_, Lasso(alpha=0.1).fit(X, y).coef_, atol=2e-2)


def test_lam_and_alpha_exclude_each_other():
    X, y = make()
    with pytest.raises(ValueError, match="exclude each other"):
        Lasso(alpha=0.5, lam=1.0).fit(X, y)
    with pytest.raises(ValueError, match="choose from"):
        Lasso(objective="average").fit(X, y)
    with pytest.raises(ValueError, match="store_path=True"):
        Lasso().fit(X, y).theta_for(1.0)


def test_offset_is_not_part_of_the_intercept():
    X, y = make()
    offset = np.linspace(-3.0, 5.0, len(y))
    loss, penalty = SquaredLoss(half=True), L1(2.0)
    shifted = fit_linear(Design(X), y + offset, loss, penalty, solver="cd", offset=offset, tol=1e-13)
    plain = fit_linear(Design(X), y, loss, penalty, solver="cd", tol=1e-13)
    np.testing.assert_allclose(shifted.w, plain.w, atol=1e-8)
    assert shifted.intercept == pytest.approx(plain.intercept, abs=1e-7)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csc_matrix])
def test_nearly_interpolating_fit_converges(kind):
    X, y = make(n=60, d=90, seed=2)
    model = Lasso(alpha=1e-4, tol=1e-8).fit(kind(X), y)
    assert model.converged_
    assert np.count_nonzero(model.coef_) < len(y)


@pytest.mark.parametrize("seed", [7, np.random.RandomState(7), np.random.default_rng(7), None])
def test_a_random_order_takes_any_random_state(seed):
    X, y = make()
    ordered, drawn = (Lasso(alpha=0.1, tol=1e-10, **words) for words in ({}, {"selection": "random"}))
    drawn.set_params(random_state=seed)
    np.testing.assert_allclose(drawn.fit(X, y).coef_, ordered.fit(X, y).coef_, atol=1e-5)


def test_an_order_of_coordinates_is_refused_where_all_move_at_once():
    X, y = np.eye(3), np.arange(3.0)
    for cls in (Lasso, ElasticNet):
        for solver in ("fista", "ista"):
            with pytest.raises(ValueError, match=f"selection='random' is for solver='cd', not '{solver}'"):
                cls(solver=solver, selection="random").fit(X, y)


def test_a_seed_repeats_a_random_order_and_what_is_no_seed_is_refused():
    X, y = make()
    runs = [Lasso(alpha=0.1, selection="random", random_state=seed).fit(X, y).coef_ for seed in (3, 3)]
    np.testing.assert_array_equal(*runs)
    with pytest.raises(ValueError, match="random_state"):
        Lasso(selection="random", random_state="three").fit(X, y)
    with pytest.raises(ValueError, match="relative_to='start'"):
        fit_linear(Design(X), y, SquaredLoss(), L1(1.0), solver="cd", relative_to="start")


@pytest.mark.spec("LIN-049")
def test_few_rows_of_a_triangular_factor_are_as_good_as_all(monkeypatch):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((120, 5)) @ rng.standard_normal((5, 5)) + 2.0
    y, weights = X @ [1.0, 0.0, -2.0, 0.0, 0.5] + rng.standard_normal(120), rng.integers(0, 3, 120).astype(float)
    for options in ({}, {"fit_intercept": False}, {"positive": True}, {"l1_ratio": 0.5}):
        for dtype, rtol in ((np.float64, 1e-4), (np.float32, 2e-3)):
            model = ElasticNetCV(**{"l1_ratio": 1.0, "alphas": 8, "eps": 0.01, "cv": 3, "tol": 1e-10} | options)
            rows = (X.astype(dtype), y.astype(dtype), weights)
            few = clone(model).fit(*rows)
            with monkeypatch.context() as patch:
                patch.setattr(_sparse_cv, "MANY_ROWS", np.inf)
                every = clone(model).fit(*rows)
            # Each is certified: the objectives agree to the gap, what they lead to only to its square root.
            np.testing.assert_allclose(few.mse_path_, every.mse_path_, rtol=rtol)
            np.testing.assert_allclose(few.coef_, every.coef_, rtol=rtol, atol=rtol)
            np.testing.assert_allclose(
                few.objective_, every.objective_, rtol=max(rtol**2, 1e-4 * (dtype == np.float32))
            )
            assert few.coef_.dtype == dtype


@pytest.mark.parametrize("tol", [1e-12, 1e-14])
def test_coordinate_descent_stops_where_only_rounding_is_left(tol):
    rng = np.random.default_rng(0)
    alike = rng.normal(size=(60, 1)) + 1e-3 * rng.normal(size=(60, 8))
    for X in (rng.normal(size=(60, 8)), alike, rng.normal(size=(30, 90)), alike * np.logspace(-3, 3, 8) + 10.0):
        y = X[:, 0] + 0.1 * rng.normal(size=len(X))
        options = {"tol": tol, "max_iter": 5000}
        for model in (Lasso(1e-3, **options), LogisticRegression(l1_ratio=1.0, solver="cd", **options)):
            model.fit(X, y if isinstance(model, Lasso) else y > np.median(y))
            assert model.converged_
            assert model.dual_gap_ <= max(tol, 1e-11) * max(1.0, np.sum(y**2))
