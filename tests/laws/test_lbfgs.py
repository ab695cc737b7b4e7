"""Laws of L-BFGS and of its line search."""

import numpy as np
import pytest
from scipy import optimize
from sklearn.datasets import load_digits

from daily import daily
from gnomon.losses import LogisticLoss, SoftmaxLoss, SquaredHingeLoss
from gnomon.numerics.design import Design
from gnomon.optim import Problem, fit_linear, lbfgs, newton, strong_wolfe
from gnomon.optim.stopping import ObjectiveChange
from gnomon.penalties import L2
from real_data import data_path


def rosenbrock(w):
    a, b = 1.0 - w[:-1], w[1:] - w[:-1] ** 2
    g = np.zeros_like(w)
    g[:-1] += -2.0 * a - 400.0 * w[:-1] * b
    g[1:] += 200.0 * b
    return float(a @ a + 100.0 * b @ b), g


def quadratic(condition, d=30):
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.standard_normal((d, d)))[0]
    H = (Q * np.logspace(0, np.log10(condition), d)) @ Q.T
    center = rng.standard_normal(d)
    return H, center, lambda w: (float(0.5 * (w - center) @ H @ (w - center)), H @ (w - center))


@pytest.mark.spec("LIN-081")
@pytest.mark.parametrize("d", [2, 10, 50])
def test_finds_the_bottom_of_a_curved_valley(d):
    calls = []

    def both(w):
        calls.append(w)
        return rosenbrock(w)

    solution = lbfgs(both, np.full(d, -1.2), tol=1e-9)
    assert solution.stop_reason == "tol"
    np.testing.assert_allclose(solution.w, 1.0, atol=1e-8)
    peer = optimize.minimize(rosenbrock, np.full(d, -1.2), jac=True, method="L-BFGS-B", options={"maxiter": 5000})
    assert len(calls) <= 3 * peer.nfev


@pytest.mark.spec("LIN-081")
def test_objective_never_rises_and_history_is_complete():
    _, _, fun = quadratic(1e4)
    solution = lbfgs(fun, np.zeros(30), tol=1e-8, iterates=True)
    assert np.all(np.diff(solution.history["objective"]) <= 0.0)
    assert {len(column) for column in solution.history.values()} == {solution.n_iter + 1}
    assert solution.history["iterates"].shape == (solution.n_iter + 1, 30)


@pytest.mark.spec("LIN-081")
def test_the_hessian_as_preconditioner_needs_one_step():
    H, center, fun = quadratic(1e6)
    plain = lbfgs(fun, np.zeros(30), tol=1e-6)
    solution = lbfgs(fun, np.zeros(30), tol=1e-6, precondition=lambda v: np.linalg.solve(H, v))
    np.testing.assert_allclose(solution.w, center, atol=1e-8)
    assert solution.n_iter <= 2 < plain.n_iter


@pytest.mark.spec("LIN-081")
def test_a_refreshed_preconditioner_needs_fewer_steps():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((300, 8)) * np.logspace(0, 2, 8)
    sign = np.where(X[:, 0] + 0.1 * rng.standard_normal(300) > 0.0, 1.0, -1.0)
    p = Problem(Design(X), sign, LogisticLoss(), L2(0.01), np.ones(300))
    first = np.linalg.inv(p.hessian(np.zeros(9)))
    options = {"tol": 1e-6, "precondition": lambda v: first @ v}
    fixed = lbfgs(p.value_and_gradient, np.zeros(9), **options)

    def refresh(w):
        return lambda v: np.linalg.solve(p.hessian(w), v)

    fresh = lbfgs(p.value_and_gradient, np.zeros(9), refresh=refresh, **options)
    assert fresh.n_iter < fixed.n_iter
    assert fresh.objective == pytest.approx(fixed.objective)


@pytest.mark.spec("LIN-081")
def test_more_memory_needs_fewer_steps():
    _, _, fun = quadratic(1e4)
    steps = [lbfgs(fun, np.zeros(30), tol=1e-8, memory=m).n_iter for m in (2, 30)]
    assert steps[1] < steps[0]


def softmax_table(kind):
    """Standardised columns, 0/1 columns with few ones among them, and rare classes."""
    rng = np.random.default_rng(3)
    n, K = 4500, 4
    X = rng.standard_normal((n, 12)) @ np.diag(np.logspace(0, 1, 12)) @ rng.standard_normal((12, 12))
    rare = rng.random((n, 8)) < 0.002
    rare[:3] = True
    X = np.hstack([X, rare])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    z = X @ rng.standard_normal((20, K)) + [0.0, -1.0, -3.0, -5.0] + 2.0 * rng.gumbel(size=(n, K))
    rows = slice(None) if kind == "sampled" else slice(900)
    return X[rows], np.argmax(z, axis=1)[rows]


@pytest.mark.spec("LIN-081")
@pytest.mark.parametrize("reference", [False, True])
@pytest.mark.parametrize("strength", [1e-3, 10.0])
@pytest.mark.parametrize("kind", ["sampled", "whole"])
def test_a_softmax_with_rare_classes_and_columns_takes_few_steps(kind, strength, reference):
    X, y = softmax_table(kind)
    p = Problem(Design(X), y, SoftmaxLoss(reference=reference), L2(strength, half=True), np.ones(len(y)), 4 - reference)
    nouns = (p.design, p.y, p.loss, p.penalty, p.weights)
    exact = newton(p.value_and_gradient, np.zeros(p.size), hessian=p.hessian, tol=1e-7 * len(y), max_iter=300)
    run = {"solver": "lbfgs", "n_scores": p.n_scores, "tol": 1e-7 * len(y), "max_iter": 300}
    # From zero, and from scores that are all shifted alike: only the penalty takes that back.
    for theta, most in ((None, 60), (np.full(p.size, 0.3), 150)):
        found = fit_linear(*nouns, start=theta, **run)
        assert found.stop_reason == "tol"
        assert found.objective <= exact.objective + 1e-6 * abs(exact.objective)
        assert found.n_iter <= most


@pytest.mark.spec("LIN-081")
def test_a_softmax_that_is_sure_of_most_rows_takes_few_steps():
    """Such rows have almost no curvature: a matrix in which they count like the others takes five times as many."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:600, X[:600].std(axis=0) > 0.0] / 16.0, y[:600]
    run = {"solver": "lbfgs", "n_scores": 10, "tol": 1e-4, "max_iter": 1000}
    found = fit_linear(Design(X), y, SoftmaxLoss(), L2(0.01, half=True), np.ones(600), **run)
    assert found.stop_reason == "tol"
    assert found.n_iter <= 60


@pytest.mark.parametrize("seed", [0, 3, 5])
def test_rounding_does_not_grow_along_the_way(seed):
    """Fewer different rows than columns, separable classes: the same sum in another order leads to the same place."""
    rng = np.random.default_rng(seed)
    X, y = np.tile(rng.random((15, 30)), (2, 1)), np.tile(rng.integers(0, 3, 15), 2)
    again = rng.permutation(np.repeat(np.arange(30), 2))
    run = {"solver": "lbfgs", "n_scores": 3, "tol": 40.0}
    found = [
        fit_linear(Design(A), t, SoftmaxLoss(), L2(1.0, half=True), np.full(len(t), weight), **run)
        for A, t, weight in ((X, y, 2e4), (X[again], y[again], 1e4))
    ]
    assert found[0].n_iter == found[1].n_iter >= 8
    np.testing.assert_allclose(found[0].w @ X.T, found[1].w @ X.T, rtol=1e-6, atol=1e-6)


def test_stops_by_rules_and_by_the_callback():
    _, _, fun = quadratic(1e4)
    assert lbfgs(fun, np.zeros(30), max_iter=3, tol=0.0).stop_reason == "max_iter"
    assert lbfgs(fun, np.zeros(30), tol=0.0, stop=ObjectiveChange(1e-3)).stop_reason == "no_change"
    assert lbfgs(fun, np.zeros(30), tol=0.0, callback=lambda row: row["iteration"] == 2).n_iter == 2
    ended = lbfgs(fun, np.zeros(30), tol=0.0, max_iter=10000)
    assert ended.stop_reason == "no_change"
    assert ended.converged


def test_bad_arguments():
    with pytest.raises(ValueError, match="refresh_first=0 must be ≥ 1"):
        lbfgs(rosenbrock, np.zeros(2), refresh_first=0)
    with pytest.raises(ValueError, match="memory=0 must be ≥ 1"):
        lbfgs(rosenbrock, np.zeros(2), memory=0)
    with pytest.raises(ValueError, match="descends"):
        strong_wolfe(rosenbrock, np.zeros(2), np.array([-1.0, 0.0]), *rosenbrock(np.zeros(2)))


@pytest.mark.slow
def test_real_tables_take_no_more_steps_than_of_scipy():
    """Ill-conditioned softmax: columns of forest cover with few ones, classes of 33 to 3921 rows."""
    table = np.loadtxt(data_path("tabular/covtype_sample.csv.gz"), delimiter=",", skiprows=1)[:8000]
    X, y = table[:, :-1], np.unique(table[:, -1], return_inverse=True)[1]
    X = X[:, X.std(axis=0) > 0.0]
    p = Problem(Design((X - X.mean(axis=0)) / X.std(axis=0)), y, SoftmaxLoss(), L2(0.1, half=True), np.ones(8000), 7)
    found = fit_linear(p.design, y, p.loss, p.penalty, p.weights, solver="lbfgs", n_scores=7, tol=0.8)
    options = {"gtol": 0.8, "ftol": 1e-16, "maxiter": 1000, "maxfun": 2000}
    peer = optimize.minimize(p.value_and_gradient, np.zeros(p.size), jac=True, method="L-BFGS-B", options=options)
    assert found.converged
    assert found.objective <= peer.fun
    assert found.n_iter <= peer.nit // 3


@pytest.mark.spec("LIN-073")
@pytest.mark.parametrize("first", [1e-6, 1e-2, 1.0, 1e3])
@pytest.mark.parametrize(
    "fun",
    [
        lambda w: (float(np.sum(np.cosh(w))), np.sinh(w)),
        lambda w: (float(np.sum(-w / (w**2 + 2.0))), (w**2 - 2.0) / (w**2 + 2.0) ** 2),
        lambda w: (float(np.sum(-np.log(w) + w)) if np.all(w > 0) else np.inf, 1.0 - 1.0 / np.where(w > 0, w, np.nan)),
    ],
)
def test_line_search_meets_the_strong_wolfe_conditions(fun, first):
    w = np.array([0.3])
    f, g = fun(w)
    found = strong_wolfe(fun, w, -g, f, g, step=first, c1=1e-4, c2=0.4)
    slope = float(-g @ g)
    assert found.found
    assert found.value <= f + 1e-4 * found.step * slope
    assert abs(found.gradient @ -g) <= 0.4 * abs(slope)


def large(name):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((30000, 6)) * [1.0, 10.0, 0.1, 1.0, 1.0, 1.0]
    X[:, 5] = rng.random(30000) < 5e-4
    z = X[:, 0] + 0.1 * X[:, 1] + X[:, 5] + rng.logistic(size=30000)
    sign, weights, single = np.where(z > 0.5, 1.0, -1.0), rng.random(30000), np.float32
    return {
        "logistic": lambda: Problem(Design(X), sign, LogisticLoss(), L2(1.0), weights),
        "single precision": lambda: Problem(
            Design(X.astype(single)), sign.astype(single), LogisticLoss(), L2(1.0), weights.astype(single)
        ),
        "squared hinge": lambda: Problem(Design(X, "none"), sign, SquaredHingeLoss(), L2(1.0), weights),
        "softmax": lambda: Problem(Design(X), np.digitize(z, [-1.0, 1.0]), SoftmaxLoss(), L2(1.0), weights, 3),
    }[name]()


@pytest.mark.spec("LIN-081")
@pytest.mark.parametrize("name", daily(["logistic", "single precision", "squared hinge", "softmax"], "logistic"))
def test_a_sample_of_the_rows_only_speeds_up(name):
    """With many rows the start and the preconditioner come from a sample; the minimiser is that of all rows."""
    problem = large(name)
    single = problem.design.dtype == np.float32
    tol = 1.0 if single else 1e-4
    run = {"tol": tol, "max_iter": 2000}
    nouns = (problem.design, problem.y, problem.loss, problem.penalty, problem.weights)
    sampled = fit_linear(*nouns, solver="lbfgs", n_scores=problem.n_scores, **run)
    plain = fit_linear(*nouns, solver="lbfgs", n_scores=problem.n_scores, precondition=None, **run)
    exact = newton(problem.value_and_gradient, np.zeros(problem.size), hessian=problem.hessian, tol=tol)
    assert sampled.converged
    assert sampled.n_iter < plain.n_iter
    assert sampled.objective <= exact.objective * (1.0 + (1e-6 if single else 1e-9))
    assert sampled.dual_gap <= 1e-3 * sampled.objective
    assert sampled.w.dtype == problem.design.dtype
