"""Laws of gradient descent: rates, divergence, local optima, momentum, quasi-Newton methods, alternation."""

import numpy as np
import pytest

from gnomon.linear import cost_report
from gnomon.losses import LogisticLoss, SquaredHingeLoss, SquaredLoss
from gnomon.numerics.design import Design
from gnomon.optim import (
    Problem,
    alternate,
    bfgs,
    conjugate_gradient,
    fit_linear,
    gradient_descent,
    lbfgs,
    newton,
)
from gnomon.optim.schedules import ConstantRate, InverseT0, Power
from gnomon.penalties import L2, NoPenalty


def squares(seed=0, n=30, d=4, condition=10.0):
    """Σr² with a Hessian of the given condition number, and its minimiser."""
    rng = np.random.default_rng(seed)
    U = np.linalg.qr(rng.normal(size=(n, d)))[0]
    V = np.linalg.qr(rng.normal(size=(d, d)))[0]
    X = U @ np.diag(np.geomspace(1.0, condition**-0.5, d)) @ V.T
    y = rng.normal(size=n)
    return Problem(Design(X, intercept="none"), y, SquaredLoss(), NoPenalty(), np.ones(n)), np.linalg.lstsq(X, y)[0]


def quadratic(H):
    return lambda w: (0.5 * float(w @ H @ w), H @ w)


def rosenbrock(w):
    a, b = 1.0 - w[0], w[1] - w[0] ** 2
    return a * a + 100.0 * b * b, np.array([-2.0 * a - 400.0 * w[0] * b, 200.0 * b])


@pytest.mark.spec("LIN-L07", "LIN-070", "LIN-073")
@pytest.mark.parametrize("seed", range(5))
def test_the_gap_shrinks_by_one_minus_mu_over_L(seed):
    problem, best = squares(seed)
    eigenvalues = np.linalg.eigvalsh(problem.hessian(np.zeros(4)))
    mu, L = eigenvalues[0], eigenvalues[-1]
    floor = problem.value(best)
    history = gradient_descent(problem.value_and_gradient, np.zeros(4), lipschitz=L, max_iter=200).history
    gap = history["objective"] - floor
    t = history["iteration"]
    assert np.all(gap <= (1.0 - mu / L) ** t * gap[0] + 1e-14)
    assert np.all(np.diff(history["objective"]) <= 1e-15)
    assert history["step"][1] == pytest.approx(1.0 / L)


@pytest.mark.spec("LIN-L07", "LIN-094")
@pytest.mark.parametrize("seed", range(5))
def test_steps_up_to_the_limit_converge_and_beyond_it_diverge(seed):
    problem, best = squares(seed)
    X = problem.design.X
    limit = 1.0 / np.linalg.eigvalsh(X.T @ X)[-1]
    fits = gradient_descent(problem.value_and_gradient, np.zeros(4), step=0.99 * limit, max_iter=5000, tol=1e-9)
    assert fits.converged
    np.testing.assert_allclose(fits.w, best, atol=1e-6)
    start = np.ones(4)
    wild = gradient_descent(problem.value_and_gradient, start, step=1.05 * limit, max_iter=5000, tol=1e-9)
    assert wild.stop_reason == "diverged"
    assert not wild.converged
    assert wild.objective == wild.history["objective"].min() <= problem.value(start)
    assert problem.value(wild.w) == pytest.approx(wild.objective)


@pytest.mark.spec("LIN-094")
def test_an_objective_that_stops_being_a_number_is_divergence():
    def fun(w):
        return (float("nan") if abs(w[0]) > 2 else float(-(w[0] ** 2))), -2.0 * w

    solution = gradient_descent(fun, np.array([0.5]), step=0.5, max_iter=100)
    assert solution.stop_reason == "diverged"
    assert np.isfinite(solution.objective)
    with pytest.raises(ValueError, match="at the start"):
        gradient_descent(fun, np.array([3.0]), step=0.5)


@pytest.mark.spec("LIN-L08", "LIN-070")
@pytest.mark.parametrize("solve", [gradient_descent, bfgs, conjugate_gradient, lbfgs])
def test_two_starts_end_in_two_wells(solve):
    def wells(w):
        return float((w[0] ** 2 - 1.0) ** 2 + 0.2 * w[0]), np.array([4.0 * w[0] * (w[0] ** 2 - 1.0) + 0.2])

    left, right = (solve(wells, np.array([start])) for start in (-0.8, 0.8))
    assert left.converged
    assert right.converged
    assert left.w[0] < -0.9 < 0.9 < right.w[0]
    assert left.objective < right.objective - 0.3


@pytest.mark.spec("LIN-L22", "LIN-077")
def test_heavy_ball_is_the_difference_form_and_the_moving_average():
    problem, _ = squares()
    m, eta, w0 = 0.7, 0.3, np.ones(4)

    def run(**more):
        return gradient_descent(problem.value_and_gradient, w0, max_iter=30, tol=0.0, iterates=True, **more).history[
            "iterates"
        ]

    ball = run(step=eta, momentum=m)
    average = run(step=eta / (1.0 - m), momentum=1.0 - m, momentum_form="ema")
    w = [w0, w0 - eta * problem.value_and_gradient(w0)[1]]
    for _ in range(29):
        w.append(w[-1] - eta * problem.value_and_gradient(w[-1])[1] + m * (w[-1] - w[-2]))
    np.testing.assert_allclose(ball, w, atol=1e-12)
    np.testing.assert_allclose(average, w, atol=1e-12)


@pytest.mark.spec("LIN-L22")
def test_under_a_constant_gradient_the_step_grows_to_eta_g_over_one_minus_m():
    g = np.array([2.0, -1.0])
    options = {"step": 0.1, "momentum": 0.8, "max_iter": 200, "iterates": True}
    path = gradient_descent(lambda w: (float(w @ g), g), np.zeros(2), **options).history["iterates"]
    np.testing.assert_allclose(path[-2] - path[-1], 0.1 * g / (1.0 - 0.8), rtol=1e-12)
    # With a decaying rate the two forms are no longer one method.
    decaying = {"step": Power(0.1, 0.5), "max_iter": 20}
    ball = gradient_descent(lambda w: (float(w @ g), g), np.zeros(2), momentum=0.8, **decaying).w
    average = {"momentum": 0.2, "momentum_form": "ema", "step": Power(0.5, 0.5), "max_iter": 20}
    assert np.linalg.norm(gradient_descent(lambda w: (float(w @ g), g), np.zeros(2), **average).w - ball) > 0.01


@pytest.mark.spec("LIN-L23", "LIN-077")
def test_momentum_needs_fewer_steps_on_an_ill_conditioned_quadratic():
    H = np.diag(np.geomspace(1.0, 1e-3, 10))
    plain = gradient_descent(quadratic(H), np.ones(10), step=1.0, tol=1e-6, max_iter=50000)
    ball = gradient_descent(quadratic(H), np.ones(10), step=1.0, momentum=0.9, tol=1e-6, max_iter=50000)
    assert plain.converged
    assert ball.converged
    assert ball.n_iter < plain.n_iter / 5


@pytest.mark.spec("LIN-L23", "LIN-077")
def test_an_average_with_a_memory_of_n_gradients_of_single_rows_behaves_like_gradient_descent():
    problem, best = squares(n=50)
    n, X, y = 50, problem.design.X, problem.y
    rows = iter(np.random.default_rng(0).integers(0, n, size=10**6))

    def row(w):
        i = next(rows)
        return problem.value(w), n * 2.0 * (X[i] @ w - y[i]) * X[i]

    options = {"step": 2e-3, "max_iter": 2000, "tol": 0.0, "iterates": True}
    averaged = gradient_descent(row, np.zeros(4), memory=n, momentum_form="ema", **options).history["iterates"]
    single = gradient_descent(row, np.zeros(4), **options).history["iterates"]
    full = gradient_descent(problem.value_and_gradient, np.zeros(4), **options).history["iterates"]
    far = np.linalg.norm(full[0] - best)

    # The direction of the average is close to the full gradient's path; the single rows scatter more.
    def wobble(path):
        return np.linalg.norm(np.diff(path, axis=0), axis=1)[200:2000].std()

    assert wobble(averaged) < wobble(single) / 5
    assert np.linalg.norm(averaged[2000] - full[2000]) < 0.2 * far


@pytest.mark.spec("LIN-L23")
def test_robbins_monro_rates_settle_and_a_constant_rate_plateaus_higher():
    problem, best = squares(n=50, condition=4.0)
    n, X, y = 50, problem.design.X, problem.y
    errors = {}
    for name, step in (("constant", ConstantRate(0.02)), ("decreasing", InverseT0(0.02, t0=100.0))):
        rows = iter(np.random.default_rng(1).integers(0, n, size=10**6))

        def row(w, rows=rows):
            i = next(rows)
            return problem.value(w), n * 2.0 * (X[i] @ w - y[i]) * X[i]

        options = {"step": step, "max_iter": 5000, "tol": 0.0}
        history = gradient_descent(row, np.zeros(4), **options).history
        errors[name] = np.mean(history["objective"][-500:]) - problem.value(best)
    assert errors["decreasing"] < errors["constant"] / 5


@pytest.mark.spec("LIN-L26")
def test_orders_of_convergence_read_from_the_traces():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = np.where(rng.random(200) < 1.0 / (1.0 + np.exp(-X @ [1.0, -2.0, 0.5])), 1.0, -1.0)
    problem = Problem(Design(X, intercept="none"), y, LogisticLoss(), L2(1.0), np.ones(200))
    best = newton(problem.value_and_gradient, np.zeros(3), hessian=problem.hessian, tol=1e-13, max_iter=50).w
    # Gradient descent: the error falls by one factor per step, a straight line in the logarithm.
    path = gradient_descent(
        problem.value_and_gradient, np.zeros(3), lipschitz=problem.lipschitz, iterates=True, tol=1e-7, max_iter=2000
    ).history["iterates"]
    error = np.linalg.norm(path - best, axis=1)
    ratio = error[11:60] / error[10:59]
    assert ratio.std() < 0.05
    assert ratio.max() < 1.0
    # Newton: the logarithm of the error doubles.
    path = newton(problem.value_and_gradient, np.zeros(3), hessian=problem.hessian, tol=1e-13, iterates=True).history[
        "iterates"
    ]
    error = np.linalg.norm(path - best, axis=1)
    late = error[(error < 0.2) & (error > 1e-13)]
    assert len(late) >= 3
    assert np.all(late[1:] <= 2.0 * late[:-1] ** 2)


@pytest.mark.spec("LIN-L26")
def test_the_error_of_stochastic_steps_falls_like_one_over_t():
    rng = np.random.default_rng(0)
    traces = []
    for _ in range(6):
        noise = rng.normal(size=(3001, 10))
        count = iter(range(3001))

        def noisy(w, count=count, noise=noise):
            return (
                0.5 * float(w @ w),
                w + noise[next(count)],
            )

        options = {"step": lambda t: 1.0 / (t + 2.0), "max_iter": 3000, "tol": 0.0}
        traces.append(gradient_descent(noisy, np.ones(10), **options).history["objective"])
    mean = np.mean(traces, axis=0)
    t = np.unique(np.geomspace(30, 3000, 60).astype(int))
    slope = np.polyfit(np.log(t), np.log(mean[t]), 1)[0]
    assert -1.25 < slope < -0.75


@pytest.mark.spec("LIN-081")
@pytest.mark.parametrize("solve", [bfgs, conjugate_gradient])
def test_quasi_newton_and_conjugate_gradients_minimise_smooth_functions(solve):
    solution = solve(rosenbrock, np.array([-1.2, 1.0]), tol=1e-8)
    assert solution.stop_reason == "tol"
    np.testing.assert_allclose(solution.w, [1.0, 1.0], atol=1e-7)
    assert solution.n_iter < 100
    assert solution.gradient_norm <= 1e-8
    H = np.diag(np.geomspace(1.0, 100.0, 6))
    assert solve(quadratic(H), np.ones(6), tol=1e-8).n_iter <= 40


@pytest.mark.spec("LIN-081")
def test_conjugate_gradients_with_near_exact_steps_need_about_d_iterations():
    H = np.diag([1.0, 3.0, 9.0])
    assert conjugate_gradient(quadratic(H), np.ones(3), tol=1e-5).n_iter <= 8


@pytest.mark.spec("LIN-080", "LIN-081")
@pytest.mark.parametrize("loss", [SquaredLoss(), LogisticLoss(), SquaredHingeLoss()], ids=repr)
@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
def test_all_smooth_solvers_find_one_minimiser(loss, intercept):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3)) + 0.5
    y = np.sign(X @ [1.0, -1.0, 0.5] + rng.normal(size=60))
    design, penalty = Design(X, intercept=intercept), L2(0.5)
    best = fit_linear(design, y, loss, penalty, solver="newton", tol=1e-10)
    for solver in ("bfgs", "cg", "gd", "momentum", "ista", "fista"):
        solution = fit_linear(design, y, loss, penalty, solver=solver, tol=1e-8, max_iter=20000)
        assert solution.converged, solver
        np.testing.assert_allclose(solution.w, best.w, atol=1e-7, err_msg=solver)
        assert solution.intercept == pytest.approx(best.intercept, abs=1e-7)
        assert 0.0 <= solution.dual_gap < 1e-9


@pytest.mark.parametrize("solve", [gradient_descent, bfgs, conjugate_gradient])
def test_single_precision_stays_and_the_start_is_left_alone(solve):
    start = np.array([1.0, 2.0], dtype=np.float32)
    start.flags.writeable = False
    H = np.diag(np.array([1.0, 3.0], dtype=np.float32))
    solution = solve(quadratic(H), start, tol=1e-4)
    assert solution.w.dtype == np.float32
    assert solution.converged
    assert start.tolist() == [1.0, 2.0]
    assert solve(quadratic(np.eye(2)), [0, 0]).n_iter == 0


def newton_of_bowl(fun, w0, **options):
    return newton(fun, w0, hessian=lambda w: np.diag(np.full(len(w), 2.0)), **options)


DESCENTS = [bfgs, conjugate_gradient, lbfgs, newton_of_bowl]


@pytest.mark.parametrize("solve", DESCENTS)
@pytest.mark.parametrize("lie", [lambda w: -2.0 * w, lambda w: 2.0 * w * [1.0, -1.0]])
def test_a_function_whose_gradient_lies_is_not_called_converged(solve, lie):
    """At once, or after steps that helped: a search that fails where the gradient is large proves nothing."""
    solution = solve(lambda w: (float(w @ w) + 1.0, lie(w)), np.array([3.0, 2.0]))
    assert not solution.converged
    assert solution.stop_reason == "no_change"
    assert solution.gradient_norm > 0.1


@pytest.mark.parametrize("solve", DESCENTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("floor", [0.0, 1.0, 1e6])
def test_a_descent_to_rounding_is_called_converged(solve, floor, dtype):
    """No tolerance at all: the descent ends where last digits hide every further fall."""
    target = np.array([0.1, -0.3], dtype=dtype)

    def bowl(w):
        r = w - target
        bend = np.array([1.0, 1.5], dtype=dtype)
        return float(np.sum(bend * r**2 + r**4)) + floor, 2.0 * bend * r + 4.0 * r**3

    solution = solve(bowl, np.array([3.0, 2.0], dtype=dtype), tol=0.0)
    assert solution.converged
    np.testing.assert_allclose(solution.w, target, atol=20.0 * np.sqrt(np.finfo(dtype).eps * max(floor, 1e-3)))


@pytest.mark.spec("LIN-083")
def test_alternation_lowers_the_objective_and_refuses_a_step_that_does_not():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(8, 2)) @ rng.normal(size=(2, 6)) + 0.1 * rng.normal(size=(8, 6))

    def cost(s):
        return float(np.sum((A - s[0] @ s[1]) ** 2))

    def left(s):
        return (np.linalg.lstsq(s[1].T, A.T)[0].T, s[1])

    def right(s):
        return (s[0], np.linalg.lstsq(s[0], A)[0])

    solution = alternate(cost, [left, right], (rng.normal(size=(8, 2)), rng.normal(size=(2, 6))))
    assert solution.converged
    assert np.all(np.diff(solution.history["objective"]) <= 1e-10)
    tail = np.linalg.svd(A, compute_uv=False)[2:]
    assert solution.objective == pytest.approx(np.sum(tail**2), rel=1e-6)
    with pytest.raises(ArithmeticError, match=r"steps\[1\] raised the objective"):
        alternate(cost, [left, lambda s: (2.0 * s[0], s[1])], solution.w)
    with pytest.raises(ValueError, match="steps is empty"):
        alternate(cost, [], solution.w)


def logistic_problem(n):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5)) * [1.0, 1.0, 2.0, 0.5, 0.1]
    y = np.where(rng.random(n) < 1.0 / (1.0 + np.exp(-X @ [1.0, -1.0, 0.5, 0.5, 2.0])), 1.0, -1.0)
    return Design(X, intercept="none"), y, LogisticLoss(), L2(1e-3, half=True), np.full(n, 1.0 / n)


@pytest.mark.spec("LIN-L26")
def test_newton_needs_fewer_operations_than_gradient_descent_on_small_data():
    problem = logistic_problem(200)
    cost = cost_report(200, 5)
    by_newton = fit_linear(*problem, solver="irls", tol=1e-7)
    by_gradients = fit_linear(*problem, solver="gd", tol=1e-7, max_iter=20000)
    assert by_newton.converged
    assert by_gradients.converged
    assert by_newton.n_iter * cost["newton"].flops < by_gradients.n_iter * cost["gd"].flops


@pytest.mark.spec("LIN-L26")
def test_steps_by_single_rows_need_fewer_passes_than_full_gradients_on_large_data():
    problem = logistic_problem(100_000)
    best = fit_linear(*problem, solver="newton", tol=1e-10).objective

    def close(solver, passes):
        return fit_linear(*problem, solver=solver, max_iter=passes).objective <= best * 1.002

    assert not close("gd", 20)
    assert close("sgd", 2)
    assert close("dcd", 10)
