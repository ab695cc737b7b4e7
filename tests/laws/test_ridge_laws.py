"""Laws of ridge regression."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.metrics import make_scorer, mean_absolute_error, mean_squared_error
from sklearn.model_selection import KFold

from gnomon.linear import LinearRegression, Ridge, RidgeCV
from gnomon.penalties import OBJECTIVES


def regression(n=40, d=6, seed=0, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) + rng.standard_normal(d)
    return X, X @ rng.standard_normal(d) + 0.7 + noise * rng.standard_normal(n)


@pytest.mark.spec("LIN-L11", "LIN-040")
@pytest.mark.parametrize("shape", [(40, 6), (6, 40), (12, 12)])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_primal_is_dual_is_svd(shape, fit_intercept):
    X, y = regression(*shape)
    Y = np.column_stack([y, X[:, 0]])
    s = np.random.default_rng(1).uniform(0.5, 2, len(y))
    fits = [Ridge(1.5, solver=k, fit_intercept=fit_intercept).fit(X, Y, s) for k in ("cholesky", "dual", "svd", "auto")]
    for fit in fits[1:]:
        assert_allclose(fit.coef_, fits[0].coef_, atol=1e-9)
        assert_allclose(fit.intercept_, fits[0].intercept_, atol=1e-9)
        assert_allclose(fit.effective_dof_, fits[0].effective_dof_)
        assert_allclose(fit.objective_, fits[0].objective_)


@pytest.mark.spec("LIN-L11")
def test_push_through_identity():
    rng = np.random.default_rng(0)
    B = rng.standard_normal((4, 7))
    P, R = (np.eye(k) + 0.1 * np.ones((k, k)) for k in (7, 4))
    left = np.linalg.solve(np.linalg.inv(P) + B.T @ np.linalg.solve(R, B), B.T @ np.linalg.inv(R))
    assert_allclose(left, P @ B.T @ np.linalg.inv(B @ P @ B.T + R), atol=1e-12)
    y = rng.standard_normal(4)
    assert_allclose(
        Ridge(2.0, fit_intercept=False).fit(B, y).coef_,
        B.T @ np.linalg.solve(B @ B.T + 2.0 * np.eye(4), y),
    )


@pytest.mark.spec("LIN-040")
@pytest.mark.parametrize("shape", [(15, 4), (8, 20)])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_leave_one_out_is_refitting(shape, fit_intercept):
    X, y = regression(*shape)
    s = np.random.default_rng(1).uniform(0.5, 2, len(y))
    model = Ridge(2.0, fit_intercept=fit_intercept, store_loo=True).fit(X, y, s)
    expected = []
    for i in range(len(y)):
        k = np.delete(np.arange(len(y)), i)
        again = Ridge(2.0, fit_intercept=fit_intercept).fit(X[k], y[k], s[k])
        expected.append(y[i] - again.predict(X[[i]])[0])
    assert_allclose(model.loo_residuals_, expected)
    assert_allclose(model.loo_residuals(X, y, s), expected)
    assert_allclose(np.trace(model.hat_matrix(X, s)), model.effective_dof_)
    assert_allclose(model.hat_matrix(X, s) @ y, model.predict(X))


@pytest.mark.spec("LIN-L13")
def test_norm_falls_and_error_rises_with_lambda():
    X, y = regression()
    fits = [Ridge(lam).fit(X, y) for lam in (1e-3, 0.1, 1.0, 10.0, 1e3, 1e6)]
    norms = [float(fit.coef_ @ fit.coef_) for fit in fits]
    errors = [float(np.sum((y - fit.predict(X)) ** 2)) for fit in fits]
    assert all(b < a for a, b in itertools.pairwise(norms))
    assert all(b > a for a, b in itertools.pairwise(errors))
    assert norms[-1] < 1e-5
    assert errors[0] >= LinearRegression().fit(X, y).objective_ * (1 - 1e-12)
    assert all(np.all(fit.coef_ != 0.0) for fit in fits)


@pytest.mark.spec("LIN-L15")
def test_orthonormal_columns():
    X, y = regression()
    Q = np.linalg.qr(X)[0]
    assert_allclose(Ridge(3.0, fit_intercept=False).fit(Q, y).coef_, Q.T @ y / 4.0)


@pytest.mark.spec("LIN-L16", "LIN-045", "LIN-046")
@pytest.mark.parametrize("shape", [(40, 6), (6, 40)])
@pytest.mark.parametrize("objective", [None, *OBJECTIVES])
def test_bound_and_price_are_one_model(shape, objective):
    X, y = regression(*shape)
    lam = 0.8
    priced = Ridge(lam=lam, objective=objective).fit(X, y)
    theta = priced.theta_for(lam)
    assert_allclose(theta, priced.coef_ @ priced.coef_)
    bound = Ridge(constraint=theta, objective=objective).fit(X, y)
    assert_allclose(bound.coef_, priced.coef_, atol=1e-8)
    assert_allclose(bound.multiplier_, lam, rtol=1e-6)
    assert_allclose(priced.lam_for(theta), lam, rtol=1e-6)


@pytest.mark.spec("LIN-045", "LIN-046")
def test_ends_of_the_bound():
    X, y = regression()
    ols = LinearRegression().fit(X, y)
    loose = Ridge(constraint=2 * float(ols.coef_ @ ols.coef_)).fit(X, y)
    assert_allclose(loose.coef_, ols.coef_, atol=1e-9)
    assert loose.multiplier_ == 0.0
    assert loose.lam_for(2 * float(ols.coef_ @ ols.coef_)) == 0.0
    shut = Ridge(constraint=0.0).fit(X, y)
    assert_allclose(shut.coef_, 0.0)
    assert_allclose(shut.intercept_, y.mean())
    assert np.isinf(shut.multiplier_)


@pytest.mark.spec("LIN-040")
def test_the_mean_form_scales_with_the_total_weight():
    X, y = regression()
    s = np.full(len(y), 2.0)
    twice = Ridge(lam=0.3, objective="mean").fit(X, y, s)
    assert_allclose(twice.coef_, Ridge(lam=0.3, objective="mean").fit(X, y).coef_, atol=1e-10)
    assert_allclose(twice.rho_, 0.3 * 80)
    rows = np.repeat(np.arange(40), 2)
    assert_allclose(Ridge(2.0).fit(X, y, s).coef_, Ridge(2.0).fit(X[rows], y[rows]).coef_, atol=1e-10)


@pytest.mark.spec("LIN-040")
def test_one_alpha_per_target():
    X, y = regression()
    Y = np.column_stack([y, -y])
    both = Ridge(alpha=[0.5, 5.0]).fit(X, Y)
    for j, alpha in enumerate((0.5, 5.0)):
        alone = Ridge(alpha).fit(X, Y[:, j])
        assert_allclose(both.coef_[j], alone.coef_)
        assert_allclose(both.effective_dof_[j], alone.effective_dof_)
    with pytest.raises(ValueError, match="alpha has 3 values for 2 targets"):
        Ridge(alpha=[1.0, 2.0, 3.0]).fit(X, Y)


@pytest.mark.spec("LIN-041")
@pytest.mark.parametrize(
    ("objective", "decay", "per_row"), [("sum", 2.0, 1.0), ("mean", 2.0, 1 / 3), ("sum_half", 1.0, 1.0)]
)
def test_weight_decay_step(objective, decay, per_row):
    X, y = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([0.0, 1.0, 1.0])
    w, lam, step = np.array([1.0, 1.0]), 1.0, 0.1
    options = {"max_iter": 1, "step": step}
    model = Ridge(lam=lam, objective=objective, fit_intercept=False, solver="gd", start=w, solver_options=options)
    with pytest.warns(Warning, match="not converged"):
        model.fit(X, y)
    gradient = per_row * -2.0 * X.T @ (y - X @ w)
    assert_allclose(model.coef_, (1 - decay * lam * step) * w - step * gradient, atol=1e-14)


@pytest.mark.spec("LIN-041")
@pytest.mark.parametrize("solver", ["gd", "lbfgs", "sag", "saga", "cg", "newton", "cd", "lsqr", "sparse_cg"])
@pytest.mark.parametrize("objective", ["sum", "mean_half"])
def test_iterative_solvers_agree(solver, objective):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 3))
    y = X @ [1.0, -1.0, 0.5] + 0.3 + 0.1 * rng.standard_normal(50)
    expected = Ridge(lam=0.5, objective=objective).fit(X, y)
    options = {} if solver in ("lsqr", "sparse_cg") else {"solver_options": {"max_iter": 20_000}}
    found = Ridge(lam=0.5, objective=objective, solver=solver, tol=1e-12, random_state=0, **options).fit(X, y)
    assert_allclose(found.coef_, expected.coef_, atol=1e-8)
    assert_allclose(found.objective_, expected.objective_)


@pytest.mark.spec("LIN-041")
def test_sgd_comes_near():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    y = X @ [1.0, -1.0, 0.5] + 0.1 * rng.standard_normal(200)
    expected = Ridge(lam=0.1, objective="mean").fit(X, y)
    model = Ridge(lam=0.1, objective="mean", solver="sgd", tol=1e-12, max_iter=200, random_state=0)
    with pytest.warns(Warning, match="not converged"):
        model.fit(X, y)
    assert_allclose(model.coef_, expected.coef_, atol=0.02)


def test_penalised_intercept_is_a_column_of_ones():
    X, y = regression()
    ones = np.column_stack([X, np.ones(len(X))])
    expected = Ridge(1.5, fit_intercept=False).fit(ones, y)
    for make in (np.asarray, sparse.csr_array):
        model = Ridge(1.5, penalize_intercept=True).fit(make(X), y)
        assert_allclose([*model.coef_, model.intercept_], expected.coef_)
        assert_allclose(model.predict(X), expected.predict(ones))


@pytest.mark.parametrize("n_columns", [6, 600])
def test_sparse_is_dense(n_columns):
    rng = np.random.default_rng(0)
    X = sparse.random_array((400, n_columns), density=0.1, rng=rng, format="csr")
    y = rng.standard_normal(400)
    s = rng.uniform(0.5, 2, 400)
    expected = Ridge(0.7).fit(X.toarray(), y, s)
    for make in (sparse.csr_array, sparse.csc_array):
        found = Ridge(0.7).fit(make(X), y, s)
        assert_allclose(found.coef_, expected.coef_, atol=1e-8)


def test_tiny_alpha_on_dependent_columns():
    X, y = regression()
    X = np.column_stack([X, X[:, 0]])
    model = Ridge(1e-10).fit(X, y)
    assert model.solver_ == "svd"
    assert_allclose(model.coef_[0], model.coef_[-1], rtol=1e-3)
    assert_allclose(model.predict(X), LinearRegression().fit(X[:, :-1], y).predict(X[:, :-1]), atol=1e-6)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": -1.0}, "alpha=-1.0 must be ≥ 0"),
        ({"alpha": 2.0, "lam": 1.0}, "exclude each other"),
        ({"lam": 1.0, "constraint": 1.0}, "exclude each other"),
        ({"constraint": -1.0}, "constraint=-1.0 must be a number ≥ 0"),
        ({"objective": "median"}, "objective='median' is unknown"),
        ({"solver": "magic"}, "solver='magic' is unknown"),
        ({"solver": "gd", "positive": True}, "positive=True is for solver='auto' or 'lbfgs'"),
    ],
)
def test_errors_say_what_to_do(parameters, message):
    X, y = regression()
    with pytest.raises(ValueError, match=message):
        Ridge(**parameters).fit(X, y)


def test_nonnegative():
    X, y = regression()
    model = Ridge(0.5, positive=True).fit(X, y)
    gradient = X.T @ (y - model.predict(X)) - 0.5 * model.coef_
    assert np.all(model.coef_ >= 0.0)
    assert np.all(gradient <= 1e-8)
    assert_allclose(gradient[model.coef_ > 0], 0.0, atol=1e-8)


@pytest.mark.spec("LIN-049")
@pytest.mark.parametrize("shape", [(30, 5), (10, 25)])
@pytest.mark.parametrize("gcv_mode", [None, "eigen", "svd"])
def test_leave_one_out_chooses_as_brute_force(shape, gcv_mode):
    X, y = regression(*shape, noise=2.0)
    alphas = np.logspace(-2, 3, 12)
    errors = []
    for alpha in alphas:
        left = [np.delete(np.arange(len(y)), i) for i in range(len(y))]
        r = [y[i] - Ridge(alpha).fit(X[k], y[k]).predict(X[[i]])[0] for i, k in enumerate(left)]
        errors.append(np.mean(np.square(r)))
    model = RidgeCV(alphas, gcv_mode=gcv_mode, store_cv_results=True).fit(X, y)
    assert_allclose(-model.scores_, errors)
    assert_allclose(model.cv_results_.mean(axis=0), errors)
    assert model.alpha_ == alphas[np.argmin(errors)]
    assert_allclose(model.best_score_, -np.min(errors))
    again = Ridge(model.alpha_).fit(X, y)
    assert_allclose(model.coef_, again.coef_, atol=1e-8)
    assert_allclose(model.intercept_, again.intercept_, atol=1e-8)
    assert_allclose(model.effective_dof_, again.effective_dof_)


@pytest.mark.spec("LIN-049")
@pytest.mark.parametrize("cv", [None, 5])
def test_one_standard_error_rule(cv):
    X, y = regression(n=60, noise=3.0)
    alphas = np.logspace(-2, 4, 40)
    best = RidgeCV(alphas, cv=cv, store_cv_results=cv is None).fit(X, y)
    if cv is None:
        errors = best.cv_results_
        mean, spread = errors.mean(axis=0), errors.std(axis=0, ddof=1) / np.sqrt(60)
    else:
        parts = [[1 - Ridge(a).fit(X[i], y[i]).score(X[j], y[j]) for a in alphas] for i, j in KFold(5).split(X)]
        mean, spread = np.mean(parts, axis=0), np.std(parts, axis=0, ddof=1) / np.sqrt(5)
    least = np.argmin(mean)
    expected = alphas[mean <= mean[least] + spread[least]].max()
    model = RidgeCV(alphas, cv=cv, rule="1se").fit(X, y)
    assert best.alpha_ == alphas[least]
    assert model.alpha_ == expected > best.alpha_


@pytest.mark.spec("LIN-049")
@pytest.mark.parametrize("scale", [1e-150, 1e150])
@pytest.mark.parametrize(
    "options", [{}, {"store_cv_results": True}, {"cv": 5}, {"cv": 5, "scoring": "neg_mean_squared_error"}]
)
def test_the_unit_of_y_changes_no_choice(options, scale):
    X, y = regression(n=60, noise=3.0)
    alphas = np.logspace(-2, 4, 40)
    plain = RidgeCV(alphas, rule="1se", **options).fit(X, y)
    scaled = RidgeCV(alphas, rule="1se", **options).fit(X, scale * y)
    assert scaled.alpha_ == plain.alpha_ > RidgeCV(alphas, **options).fit(X, scale * y).alpha_
    assert_allclose(scaled.coef_ / scale, plain.coef_, rtol=1e-6)
    assert np.all(np.isfinite(scaled.scores_))


@pytest.mark.spec("LIN-049")
def test_selection_follows_the_scoring():
    X, y = regression(n=50, noise=2.0)
    y[::10] += 30.0
    alphas = np.logspace(-2, 4, 30)
    absolute = RidgeCV(alphas, scoring="neg_mean_absolute_error", store_cv_results=True).fit(X, y)
    errors = [mean_absolute_error(y, p) for p in absolute.cv_results_.T]
    assert absolute.alpha_ == alphas[np.argmin(errors)]
    assert_allclose(absolute.best_score_, -np.min(errors))
    squared = RidgeCV(alphas).fit(X, y)
    scorer = make_scorer(mean_squared_error, greater_is_better=False)
    assert RidgeCV(alphas, scoring=scorer).fit(X, y).alpha_ == squared.alpha_ != absolute.alpha_
    with pytest.raises(ValueError, match="rule='1se' needs errors row by row"):
        RidgeCV(alphas, scoring="r2", rule="1se").fit(X, y)


@pytest.mark.spec("LIN-049")
def test_targets_choose_alone_or_together():
    X, y = regression()
    Y = np.column_stack([y, np.random.default_rng(1).standard_normal(len(y))])
    alphas = np.logspace(-3, 4, 20)
    alone = RidgeCV(alphas, alpha_per_target=True).fit(X, Y)
    for j in range(2):
        single = RidgeCV(alphas).fit(X, Y[:, j])
        assert alone.alpha_[j] == single.alpha_
        assert_allclose(alone.coef_[j], single.coef_, atol=1e-10)
    together = RidgeCV(alphas, store_cv_results=True).fit(X, Y)
    assert together.alpha_ == alphas[np.argmin(together.cv_results_.mean(axis=(0, 1)))]


WIDE = sparse.random(60, 900, density=0.02, random_state=0, format="csr")


@pytest.mark.parametrize("weights", [None, np.r_[0.0, np.linspace(0.5, 2.0, 59)]], ids=["equal", "weighted"])
@pytest.mark.parametrize("intercept", [True, False])
def test_wide_sparse_rows_are_solved_as_dense_ones_are(intercept, weights):
    """Many columns: the n × n form, without a dense X; its path has the same leave-one-out errors."""
    y = np.random.default_rng(0).normal(size=(60, 2)) + 1.0
    options, alphas = {"fit_intercept": intercept}, np.logspace(-2, 2, 5)
    dense, found = (Ridge(0.5, **options).fit(X, y, sample_weight=weights) for X in (WIDE.toarray(), WIDE))
    assert found.solver_ == "dual"
    assert_allclose(found.coef_, dense.coef_, atol=1e-10)
    assert_allclose(found.effective_dof_, dense.effective_dof_, rtol=1e-10)
    assert_allclose(found.theta_for(2.0), dense.theta_for(2.0), rtol=1e-9)
    keep = {"store_cv_results": True, **options}
    dense, found = (RidgeCV(alphas, **keep).fit(X, y, sample_weight=weights) for X in (WIDE.toarray(), WIDE))
    assert_allclose(found.cv_results_, dense.cv_results_, rtol=1e-8)
    assert_allclose(found.coef_, dense.coef_, atol=1e-10)
    assert found.alpha_ == dense.alpha_


def test_sparse_rows_for_which_no_square_matrix_fits_in_memory():
    X = sparse.random(2500, 3000, density=1e-3, random_state=0, format="csr")
    y = X @ np.random.default_rng(0).normal(size=3000) + 1.0
    found, exact = Ridge(1.0).fit(X, y), Ridge(1.0, solver="dual").fit(X, y)
    assert (found.solver_, exact.solver_) == ("lsqr", "dual")
    assert_allclose(found.coef_, exact.coef_, atol=1e-6)
    assert LinearRegression().fit(X, y).solver_ == "lsmr"
