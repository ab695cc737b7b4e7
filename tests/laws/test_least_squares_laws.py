"""Laws of least squares."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from gnomon.linear import LeastSquaresClassifier, LinearRegression, LpRegression, Ridge
from gnomon.numerics.linalg import RankWarning
from many_checks import check_contract, over

CLOSED = ("normal", "cholesky", "qr", "svd", "pinv")
ITERATIVE = ("gd", "momentum", "lbfgs", "bfgs", "cg", "newton", "cd", "fista", "ista", "sag")


def regression(n=60, d=4, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + rng.standard_normal(d)
    return X, X @ rng.standard_normal(d) + 0.3 + noise * rng.standard_normal(n)


@pytest.mark.filterwarnings("ignore:X has rank")
@over([LinearRegression(solver="cholesky"), Ridge(solver="svd"), LpRegression(4.0)])
def test_the_contract_of_scikit_learn(estimator):
    closed = {"check_non_transformer_estimators_n_iter": "as in scikit-learn, closed forms of Ridge have n_iter_ None"}
    check_contract(estimator, closed if isinstance(estimator, Ridge) else None)


@pytest.mark.spec("LIN-L05", "LIN-033")
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_projection(fit_intercept, weighted):
    X, y = regression()
    s = np.random.default_rng(1).integers(1, 4, len(y)).astype(float) if weighted else np.ones(len(y))
    model = LinearRegression(fit_intercept=fit_intercept).fit(X, y, sample_weight=s)
    full = np.column_stack([X, np.ones(len(X))]) if fit_intercept else X
    r = y - model.predict(X)
    assert_allclose(full.T @ (s * r), 0.0, atol=1e-11)
    H = model.hat_matrix(X, s)
    assert_allclose(H @ y, model.predict(X))
    assert_allclose(H @ H, H, atol=1e-12)
    # With weights H is symmetric in the inner product that they define.
    assert_allclose(s[:, None] * H, (s[:, None] * H).T, atol=1e-12)
    assert_allclose(np.diag(H), model.leverages(X, s))
    assert_allclose(np.trace(H), full.shape[1])
    inverse = np.linalg.pinv(full)
    assert_allclose(inverse @ full, np.eye(full.shape[1]), atol=1e-12)
    assert not np.allclose(full @ inverse, np.eye(len(full)))


@pytest.mark.spec("LIN-L05", "LIN-033")
def test_cost_is_zero_exactly_in_the_column_space():
    X, y = regression()
    inside = X @ [1.0, 2.0, 3.0, 4.0] + 5.0
    exact = LinearRegression().fit(X, inside)
    assert exact.in_column_space(X, inside)
    assert_allclose(exact.residual_norm_, 0.0, atol=1e-12)
    assert_allclose(X.T @ (inside - exact.predict(X)), 0.0, atol=1e-11)
    assert not exact.in_column_space(X, y)
    assert LinearRegression().fit(X, y).residual_norm_ > 0.1
    assert not LinearRegression(fit_intercept=False).fit(X, y).in_column_space(X, inside)


@pytest.mark.spec("LIN-033")
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_leave_one_out_is_refitting(fit_intercept):
    X, y = regression(n=15)
    s = np.random.default_rng(2).uniform(0.5, 2, 15)
    model = LinearRegression(fit_intercept=fit_intercept).fit(X, y, s)
    left = [np.delete(np.arange(15), i) for i in range(15)]
    again = LinearRegression(fit_intercept=fit_intercept)
    expected = [y[i] - again.fit(X[k], y[k], s[k]).predict(X[[i]])[0] for i, k in enumerate(left)]
    assert_allclose(model.loo_residuals(X, y, s), expected)


@pytest.mark.spec("LIN-L06", "LIN-031", "LIN-036")
@pytest.mark.parametrize("solver", [*CLOSED, "lsmr", *ITERATIVE])
def test_all_solvers_agree(solver):
    X, y = regression()
    expected = LinearRegression(solver="svd").fit(X, y)
    options = {"max_iter": 20_000} if solver in ITERATIVE else None
    model = LinearRegression(solver=solver, tol=1e-12, solver_options=options).fit(X, y)
    assert_allclose(model.coef_, expected.coef_, atol=1e-8)
    assert_allclose(model.intercept_, expected.intercept_, atol=1e-8)
    assert_allclose(model.objective_, expected.objective_)
    if solver in ITERATIVE:
        assert model.converged_
        assert model.n_iter_ >= 1
        assert len(model.history_["objective"]) == len(model.history_["iteration"])


@pytest.mark.spec("LIN-036")
def test_the_start_is_free_and_sgd_comes_near():
    X, y = regression(n=200, noise=0.01)
    expected = LinearRegression().fit(X, y)
    start = [10.0, -10.0, 5.0, 0.0, 3.0]
    model = LinearRegression(solver="gd", tol=1e-12, start=start, solver_options={"max_iter": 20_000}).fit(X, y)
    assert_allclose(model.coef_, expected.coef_, atol=1e-8)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    target = LinearRegression().fit(Z, y)
    with pytest.warns(Warning, match="not converged"):
        near = LinearRegression(solver="sgd", tol=1e-12, solver_options={"max_iter": 300, "random_state": 0}).fit(Z, y)
    assert_allclose(near.coef_, target.coef_, atol=0.05)


@pytest.mark.spec("LIN-L06", "LIN-032")
def test_gradient_descent_from_zero_finds_the_least_norm():
    X, y = regression(n=20, d=3)
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    with pytest.warns(RankWarning, match="rank 3 but 4 columns"):
        expected = LinearRegression(fit_intercept=False).fit(X, y)
    assert_allclose(expected.coef_, np.linalg.pinv(X) @ y)
    options = {"max_iter": 100_000}
    found = LinearRegression(fit_intercept=False, solver="gd", tol=1e-12, solver_options=options).fit(X, y)
    assert_allclose(found.coef_, expected.coef_, atol=1e-8)


@pytest.mark.spec("LIN-032")
@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e9])
def test_rank_does_not_depend_on_units(scale):
    X, y = regression(d=3)
    X = X * [1.0, scale, 1.0]
    model = LinearRegression().fit(X, y)
    assert model.rank_ == 3
    assert model.condition_ < 100
    assert_allclose(model.singular_, np.linalg.svd(X - X.mean(axis=0), compute_uv=False))
    with pytest.warns(RankWarning):
        LinearRegression().fit(np.column_stack([X, X @ [1.0, 1.0, 2.0]]), y)
    with pytest.warns(RankWarning):
        constant = LinearRegression().fit(np.column_stack([X, np.full(len(X), 0.1)]), y)
    assert_allclose(constant.coef_, [*model.coef_, 0.0], atol=1e-9)


@pytest.mark.spec("LIN-030", "LIN-L12")
def test_predictions_survive_a_change_of_basis():
    X, y = regression()
    change = np.random.default_rng(3).standard_normal((4, 4))
    expected = LinearRegression().fit(X, y).predict(X)
    assert_allclose(LinearRegression().fit(X @ change, y).predict(X @ change), expected)
    ridge = Ridge(2.0).fit(X, y).predict(X)
    rotation = np.linalg.qr(change)[0]
    assert_allclose(Ridge(2.0).fit(X @ rotation, y).predict(X @ rotation), ridge)
    assert np.max(np.abs(Ridge(2.0).fit(X @ change, y).predict(X @ change) - ridge)) > 1e-3


@pytest.mark.spec("LIN-L10")
def test_nested_bases():
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(-1, 1, 9))[:, None]
    y = np.sin(3 * x[:, 0]) + 0.1 * rng.standard_normal(9)
    models = [LinearRegression().fit(x ** np.arange(1, k + 1), y) for k in range(1, 9)]
    errors = [model.residual_norm_ for model in models]
    assert all(b <= a * (1 + 1e-9) + 1e-9 for a, b in itertools.pairwise(errors))
    assert errors[-1] < 1e-9
    assert np.linalg.norm(models[-1].coef_) > 20 * np.linalg.norm(models[2].coef_)


@pytest.mark.spec("LIN-030")
def test_targets_are_independent():
    X, y = regression()
    Y = np.column_stack([y, -2 * y + X[:, 0], X[:, 1]])
    model = LinearRegression().fit(X, Y)
    assert model.coef_.shape == (3, 4)
    for j in range(3):
        alone = LinearRegression().fit(X, Y[:, j])
        assert_allclose(model.coef_[j], alone.coef_, atol=1e-12)
        assert_allclose(model.intercept_[j], alone.intercept_, atol=1e-12)
        assert_allclose(model.sigma2_[j], alone.sigma2_, atol=1e-20)


@pytest.mark.spec("LIN-034")
@pytest.mark.parametrize("solver", ["cholesky", "qr", "lsmr"])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_weight_two_is_the_row_twice(solver, as_sparse):
    if as_sparse and solver == "qr":
        pytest.skip("QR is dense")
    X, y = regression(n=40)
    s = np.random.default_rng(4).integers(0, 4, 40)
    rows = np.repeat(np.arange(40), s)
    make = sparse.csr_array if as_sparse else np.asarray
    weighted = LinearRegression(solver=solver, tol=1e-13, ddof="rank").fit(make(X), y, s)
    repeated = LinearRegression(solver=solver, tol=1e-13, ddof="rank").fit(make(X[rows]), y[rows])
    scaled = LinearRegression(fit_intercept=False, solver="qr").fit(
        np.sqrt(s)[:, None] * np.column_stack([X, np.ones(40)]), np.sqrt(s) * y
    )
    assert_allclose(weighted.coef_, repeated.coef_, atol=1e-9)
    assert_allclose(weighted.intercept_, repeated.intercept_, atol=1e-9)
    assert_allclose(weighted.sigma2_, repeated.sigma2_)
    assert_allclose([*weighted.coef_, weighted.intercept_], scaled.coef_, atol=1e-9)


@pytest.mark.spec("LIN-035")
def test_gaussian_likelihood():
    X, y = regression(n=30)
    model = LinearRegression().fit(X, y)
    rss, n = model.residual_norm_**2, len(y)
    assert_allclose(model.sigma2_, rss / n)
    assert_allclose(LinearRegression(ddof="rank").fit(X, y).sigma2_, rss / (n - 5))
    expected = -n / 2 * np.log(2 * np.pi * model.sigma2_) - rss / (2 * model.sigma2_)
    assert_allclose(model.log_likelihood(X, y), expected)
    mean, variance = model.predict_dist(X)
    assert_allclose(mean, model.predict(X))
    assert_allclose(variance, model.sigma2_)
    _, wide = model.predict_dist(X, parameter_uncertainty=True)
    assert_allclose(wide, model.sigma2_ * (1 + model.leverages(X)))


@pytest.mark.spec("LIN-L20")
def test_error_falls_with_the_root_of_n_and_a_little_ridge_helps():
    rng = np.random.default_rng(0)
    w = np.array([1.0, -1.0, 0.5])

    def mean_error(n, fit, repeats=200):
        errors = []
        for _ in range(repeats):
            X = rng.standard_normal((n, 3))
            errors.append(np.sum((fit(X, X @ w + rng.standard_normal(n)) - w) ** 2))
        return np.mean(errors)

    def ols(X, y):
        return LinearRegression(fit_intercept=False).fit(X, y).coef_

    small, large = mean_error(25, ols), mean_error(400, ols)
    assert 3.0 < np.sqrt(small / large) < 5.6
    # Gauss-Markov: another linear unbiased estimator, least squares on half of the rows, varies more.
    assert mean_error(25, lambda X, y: ols(X[:12], y[:12])) > 1.5 * small
    # A biased one may win: ridge with the ρ = d σ²/‖w‖² of Hoerl & Kennard.
    assert mean_error(6, lambda X, y: Ridge(3 / (w @ w), fit_intercept=False).fit(X, y).coef_) < mean_error(6, ols)


def test_chunks_are_the_whole():
    X, y = regression(n=500)
    s = np.random.default_rng(5).uniform(0.1, 2, 500)
    whole = LinearRegression().fit(X, y, s)
    model = LinearRegression()
    for rows in np.array_split(np.arange(500), 7):
        model.partial_fit(X[rows], y[rows], s[rows])
    assert_allclose(model.coef_, whole.coef_)
    assert_allclose(model.intercept_, whole.intercept_)
    assert_allclose(model.sigma2_, whole.sigma2_)
    assert_allclose(model.standard_errors()[0], whole.standard_errors()[0])


@pytest.mark.parametrize("solver", ["auto", "cholesky", "qr", "svd"])
def test_float32_stays_and_keeps_its_digits(solver):
    X, y = regression(n=3000, d=8)
    X = X.astype(np.float32) + 100
    y = y.astype(np.float32)
    model = LinearRegression(solver=solver).fit(X, y)
    exact = LinearRegression().fit(X.astype(float), y.astype(float))
    assert model.coef_.dtype == model.predict(X).dtype == np.float32
    assert_allclose(model.coef_, exact.coef_, rtol=1e-5)


def test_refinement_reaches_the_accuracy_of_qr():
    rng = np.random.default_rng(0)
    n, d = 20_000, 6
    X = rng.standard_normal((n, d))
    X[:, 1] = X[:, 0] + 1e-5 * X[:, 1]
    w = np.arange(1.0, d + 1)
    y = X @ w + 1.0
    model = LinearRegression().fit(X, y)
    assert model.solver_ == "cholesky"
    assert_allclose(model.coef_, w, rtol=1e-9)
    X[:, 1] = X[:, 0] + 1e-9 * rng.standard_normal(n)
    assert LinearRegression().fit(X, y).solver_ == "qr"


UNITS = {
    "columns 1e-160": (lambda X, y, s: (X * 1e-160, y, s), 1.0),
    "columns 1e160": (lambda X, y, s: (X * 1e160, y, s), 1.0),
    "columns 1e300": (lambda X, y, s: (X * 1e300, y, s), 1.0),
    "columns apart": (lambda X, y, s: (X * 10.0 ** np.array([-150, 150, 0, 9]), y, s), 1.0),
    "target 1e-150": (lambda X, y, s: (X, y * 1e-150, s), 1e-150),
    "target 1e150": (lambda X, y, s: (X, y * 1e150, s), 1e150),
    "weights 1e-300": (lambda X, y, s: (X, y, s * 1e-300), 1.0),
    "weights 1e300": (lambda X, y, s: (X, y, s * 1e300), 1.0),
}


@pytest.mark.parametrize("solver", ["auto", *CLOSED, "lsmr"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_units_change_nothing_but_the_units(solver, fit_intercept):
    X, y = regression(n=60, d=4)
    s = np.random.default_rng(1).integers(0, 3, 60).astype(float)
    options = {"solver": solver, "fit_intercept": fit_intercept, "tol": 1e-12}
    plain = LinearRegression(**options).fit(X, y, s)
    for name, (change, unit) in UNITS.items():
        if solver == "lsmr" and name == "columns apart":
            continue
        X_, y_, s_ = change(X, y, s)
        model = LinearRegression(**options).fit(X_, y_, s_)
        assert_allclose(model.predict(X_) / unit, plain.predict(X), rtol=1e-8, err_msg=name)
        assert_allclose(model.residual_norm_ / unit / np.sqrt(np.max(s_) / 2.0), plain.residual_norm_, err_msg=name)


def test_units_in_which_squares_or_columns_are_lost_are_said():
    X, y = regression(n=60, d=4)
    plain = LinearRegression().fit(X, y)
    for unit, given in ((1e200, "above .* given as inf"), (1e-200, "below .* multiply y")):
        with pytest.warns(RuntimeWarning, match=given):
            model = LinearRegression().fit(X, unit * y)
        assert_allclose(model.predict(X) / unit, plain.predict(X))
    apart = X * 10.0 ** np.array([0, -9, 0, 0])
    with pytest.warns(ConvergenceWarning, match="before column 1 of X was fitted.*Scale the columns"):
        LinearRegression(solver="lsmr").fit(apart, y)
    with pytest.raises(ValueError, match=r"column 2 of X is more than .* smaller"):
        LinearRegression(solver="lsmr").fit(X * [1.0, 1.0, 1e-200, 1e200], y)
    with pytest.raises(ValueError, match=r"column 1 of X has entries of about .* scale that column"):
        LinearRegression().partial_fit(X * [1.0, 1e-160, 1.0, 1.0], y)


@pytest.mark.parametrize("solver", ["auto", *CLOSED])
def test_a_matrix_without_full_rank_is_noticed(solver):
    """The sum of two columns is one in floats only up to rounding."""
    X, y = regression(n=60, d=4)
    X = np.column_stack([X, X[:, 0] + np.pi * X[:, 1]])
    for data in (X, X * 1e-9, X * 1e170, X * [1.0, 1e9, 1.0, 1e-9, 1.0]):
        with pytest.raises(ValueError, match="rank 4 but 5 columns"):
            LinearRegression(solver=solver, on_singular="raise").fit(data, y)
        quiet = LinearRegression(solver=solver, on_singular="ignore").fit(data, y)
        with pytest.warns(RankWarning):
            told = LinearRegression(solver=solver).fit(data, y)
        assert quiet.rank_ == told.rank_ == 4
        least = LinearRegression(solver="svd", on_singular="ignore").fit(data, y)
        assert_allclose(quiet.predict(data), least.predict(data), rtol=1e-6)
        assert_allclose(np.linalg.norm(quiet.coef_), np.linalg.norm(least.coef_), rtol=1e-6)


def test_the_solution_of_least_norm_is_that_of_the_units_given():
    X, y = regression(n=60, d=4)
    X = np.column_stack([X, X[:, 0] + np.pi * X[:, 1]]) * [1e-5, 1e3, 1.0, 1.0, 1.0]
    null = np.array([1e5, np.pi * 1e-3, 0.0, 0.0, -1.0])
    for solver in CLOSED:
        w = LinearRegression(solver=solver, on_singular="ignore").fit(X, y).coef_
        assert abs(w @ null) <= 1e-9 * np.linalg.norm(w) * np.linalg.norm(null)


REFUSED = [
    ({"solver": "lsmr", "on_singular": "raise"}, "on_singular='raise' needs a solver that finds the rank"),
    ({"solver": "gd", "on_singular": "raise"}, "on_singular='raise' needs a solver that finds the rank"),
    ({"solver": "lbfgs", "on_singular": "ignore"}, "on_singular='ignore' needs a solver that finds the rank"),
    ({"solver": "qr", "start": [0.0]}, "start=.* is an option of iterative solvers"),
    ({"solver_options": {"max_iter": 9}}, "solver_options=.* is an option of iterative solvers"),
    ({"ddof": -3.7}, "ddof=-3.7"),
    ({"ddof": "ranks"}, "ddof='ranks'"),
    ({"ddof": True}, "ddof=True"),
]


@pytest.mark.parametrize(("change", "message"), REFUSED)
def test_options_that_a_solver_cannot_use_are_refused(change, message):
    X, y = regression(n=20)
    with pytest.raises((ValueError, TypeError), match=message):
        LinearRegression(**change).fit(X, y)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"positive": True}, "positive=True needs a closed form, not partial_fit"),
        ({"solver": "qr"}, "solver of partial_fit='qr' is unknown"),
        ({"start": [0.0]}, "partial_fit is none"),
        ({"on_singular": "cry"}, "on_singular='cry'"),
    ],
)
def test_options_that_sums_of_parts_cannot_use_are_refused(change, message):
    X, y = regression(n=20)
    with pytest.raises(ValueError, match=message):
        LinearRegression(**change).partial_fit(X, y)


def test_a_sparse_matrix_too_wide_for_a_factor_refuses_to_say_its_rank():
    X = sparse.random_array((700, 600), density=0.01, rng=np.random.default_rng(0), format="csr")
    X = sparse.hstack([X, X[:, [0]]], format="csr")
    with pytest.raises(ValueError, match=r"on_singular='raise' needs .* 'lsmr' does not"):
        LinearRegression(solver="cholesky", on_singular="raise").fit(X, np.arange(700.0))


def test_nonnegative():
    X, y = regression(n=80)
    y = y - 3 * X[:, 0]
    for data in (X, np.asfortranarray(X)):
        model = LinearRegression(positive=True).fit(data, y)
        assert np.all(model.coef_ >= 0.0)
        gradient = X.T @ (y - model.predict(X))
        assert np.all(gradient <= 1e-9)
        assert_allclose(gradient[model.coef_ > 0], 0.0, atol=1e-9)


@pytest.mark.spec("LIN-L36")
def test_order_of_classes_matters_only_to_integer_codes():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 2)) + np.repeat([[0, 0], [3, 0], [0, 3]], 30, axis=0)
    t = np.repeat(["a", "b", "c"], 30)
    renamed = np.array(["c", "a", "b"])[np.repeat([0, 1, 2], 30)]
    back = dict(zip("cab", "abc", strict=True))
    one = LeastSquaresClassifier().fit(X, t).predict(X)
    assert one.tolist() == [back[label] for label in LeastSquaresClassifier().fit(X, renamed).predict(X)]
    with pytest.warns(UserWarning, match="order"):
        one = LeastSquaresClassifier(coding="integer").fit(X, t).predict(X)
    with pytest.warns(UserWarning, match="order"):
        other = LeastSquaresClassifier(coding="integer").fit(X, renamed).predict(X)
    assert one.tolist() != [back[label] for label in other]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"solver": "magic"}, "solver='magic' is unknown; choose from"),
        ({"on_singular": "cry"}, "on_singular='cry' is unknown"),
        ({"positive": True, "solver": "gd"}, "positive=True needs a closed form"),
    ],
)
def test_errors_say_what_to_do(change, message):
    with pytest.raises(ValueError, match=message):
        LinearRegression(**change).fit([[1.0], [2.0]], [1.0, 2.0])


def test_bad_rows_are_named():
    X = np.ones((5000, 5))
    X[3, 1] = X[7, 1] = np.nan
    for solver in ("auto", "qr"):
        with pytest.raises(ValueError, match=r"X contains NaN in column 1 \(2 rows\)"):
            LinearRegression(solver=solver).fit(X, np.ones(5000))
    with pytest.raises(ValueError, match=r"sample_weight\[0\]=.* is negative"):
        LinearRegression().fit([[1.0], [2.0]], [1.0, 2.0], sample_weight=[-1, 1])
    with pytest.raises(ValueError, match="solver='qr' needs a dense X"):
        LinearRegression(solver="qr").fit(sparse.csr_array(np.eye(3)), np.ones(3))
