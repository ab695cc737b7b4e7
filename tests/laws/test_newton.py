"""Laws of Newton's method and of re-weighted least squares."""

import numpy as np
import pytest

from gnomon.losses import CallableLoss, LogisticLoss, SoftmaxLoss, SquaredLoss
from gnomon.numerics.design import Design
from gnomon.optim import SOLVERS, Problem, bfgs, fit_linear, irls, newton, positive_factor
from gnomon.optim.smooth_linear import newton_linear
from gnomon.penalties import L2, NoPenalty

RNG = np.random.default_rng(0)
X = RNG.standard_normal((200, 4))
SIGN = np.where(X @ [1.0, -1.0, 0.5, 0.0] + RNG.logistic(size=200) > 0.3, 1.0, -1.0)
WEIGHTS = RNG.random(200)


def problem(penalty, intercept="free", A=None):
    return Problem(Design(X if A is None else X @ A, intercept), SIGN, LogisticLoss(), penalty, WEIGHTS)


@pytest.mark.spec("LIN-080", "LIN-L26")
def test_convergence_is_quadratic():
    p = problem(NoPenalty())
    run = newton(p.value_and_gradient, np.zeros(5), hessian=p.hessian, tol=1e-14, iterates=True)
    errors = np.linalg.norm(run.history["iterates"] - run.w, axis=1)
    errors = errors[(errors > 1e-7) & (errors < 1.0)]
    slopes = np.diff(np.log(errors[1:])) / np.diff(np.log(errors[:-1]))
    assert len(slopes) >= 1
    assert np.all(slopes > 1.7)


@pytest.mark.spec("LIN-080", "LIN-L12")
def test_iterates_do_not_feel_a_change_of_coordinates():
    A = RNG.standard_normal((4, 4)) + 3.0 * np.eye(4)
    plain, turned = problem(NoPenalty(), "none"), problem(NoPenalty(), "none", A)
    runs = [
        newton(p.value_and_gradient, np.zeros(4), hessian=p.hessian, iterates=True).history for p in (plain, turned)
    ]
    np.testing.assert_allclose(runs[0]["iterates"], runs[1]["iterates"] @ A.T, atol=1e-8)


@pytest.mark.spec("LIN-125")
@pytest.mark.parametrize("penalty", [NoPenalty(), L2(2.0), L2(0.5, half=True)])
@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
def test_irls_takes_the_steps_of_newton(penalty, intercept):
    p = problem(penalty, intercept)
    start = np.zeros(p.size)
    a = irls(p, start, iterates=True)
    b = newton(p.value_and_gradient, start, hessian=p.hessian, iterates=True)
    count = min(a.n_iter, b.n_iter)
    np.testing.assert_allclose(a.history["iterates"][:count], b.history["iterates"][:count], atol=1e-9)


@pytest.mark.spec("LIN-125")
def test_irls_step_is_a_weighted_ridge_regression_without_a_half():
    """β ← (I + XᵀWX)⁻¹XᵀWz with W = (λ/n) diag(σ(1 − σ)) and z = Xβ + y/σ(yXβ), in the loss_mean form."""
    lam, n = 3.0, len(X)
    p = Problem(Design(X, "none"), SIGN, LogisticLoss(), L2(1.0, half=True), np.full(n, lam / n))
    beta = np.array([0.1, -0.2, 0.3, 0.0])
    score = X @ beta
    sigma = 1.0 / (1.0 + np.exp(-score))
    W = lam / n * sigma * (1.0 - sigma)
    z = score + SIGN * (1.0 + np.exp(-SIGN * score))
    by_hand = np.linalg.solve(np.eye(4) + (X * W[:, None]).T @ X, (X * W[:, None]).T @ z)
    rows = np.vstack([np.sqrt(W)[:, None] * X, np.eye(4)])
    ridge = np.linalg.lstsq(rows, np.concatenate([np.sqrt(W) * z, np.zeros(4)]), rcond=None)[0]
    step = irls(p, beta, max_iter=1, iterates=True).history["iterates"][1]
    np.testing.assert_allclose(step, by_hand, atol=1e-12)
    np.testing.assert_allclose(step, ridge, atol=1e-12)


@pytest.mark.spec("LIN-080")
def test_step_halving_saves_a_start_from_which_newton_diverges():
    def f(w):
        return float(np.sqrt(1.0 + w[0] ** 2)), w / np.sqrt(1.0 + w**2)

    solution = newton(f, np.array([3.0]), hessian=lambda w: np.diag((1.0 + w**2) ** -1.5), tol=1e-10)
    assert abs(solution.w[0]) < 1e-10
    assert np.min(solution.history["step"][1:]) < 1.0


@pytest.mark.spec("LIN-080")
def test_a_singular_hessian_is_lifted():
    twice = np.column_stack([X[:, 0], X[:, 0]])
    p = Problem(Design(twice, "none"), SIGN, LogisticLoss(), NoPenalty(), WEIGHTS)
    one = Problem(Design(X[:, :1], "none"), SIGN, LogisticLoss(), NoPenalty(), WEIGHTS)
    assert newton_linear(p, np.zeros(2)).objective == pytest.approx(newton_linear(one, np.zeros(1)).objective)
    assert irls(p, np.zeros(2)).w == pytest.approx(np.full(2, 0.5 * newton_linear(one, np.zeros(1)).w[0]))
    with pytest.raises(ValueError, match="not finite"):
        positive_factor(np.array([[np.nan]]))


def test_reused_factors_save_hessians():
    p = problem(L2(1.0))
    counts = []
    for reuse in (0.0, 0.5):
        asked = []

        def hessian(w, asked=asked):
            asked.append(w)
            return p.hessian(w)

        solution = newton(p.value_and_gradient, np.zeros(5), hessian=hessian, reuse=reuse, tol=1e-9)
        assert solution.converged
        counts.append(len(asked))
    assert counts[1] < counts[0]


@pytest.mark.parametrize(("K", "reference"), [(2, False), (3, False), (4, False), (3, True), (4, True)])
def test_hessian_of_the_softmax_is_the_derivative_of_its_gradient(K, reference):
    y = RNG.integers(0, K, 200)
    p = Problem(Design(X), y, SoftmaxLoss(reference=reference), L2(1.0), WEIGHTS, K - reference)
    theta = RNG.standard_normal(p.size)
    numeric = np.array(
        [
            (p.value_and_gradient(theta + h)[1] - p.value_and_gradient(theta - h)[1]) / 2e-6
            for h in 1e-6 * np.eye(p.size)
        ]
    )
    np.testing.assert_allclose(p.hessian(theta), numeric, atol=1e-5)


@pytest.mark.parametrize("solver", ["newton", "irls", "lbfgs"])
def test_rounding_ends_a_descent_and_that_is_convergence(solver):
    """Targets so large that no gradient can be as small as `tol`."""
    y = 1e12 * (X @ [1.0, -1.0, 0.5, 0.0] + RNG.standard_normal(200))
    problem = Problem(Design(X), y, SquaredLoss(), L2(1.0), np.ones(200))
    solution = SOLVERS[solver].run(problem, np.zeros(5))
    assert solution.converged
    assert solution.stop_reason == "no_change"
    assert solution.n_iter < 50
    assert solution.dual_gap <= 1e-12 * solution.objective


def test_of_points_that_rounding_cannot_tell_apart_the_flattest_is_kept():
    """Heavy rows in large units: F has its last digit long before ∇F is small."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(5000, 5))
    y = np.sign(A @ np.arange(1.0, 6.0) + rng.normal(size=5000))
    design = Design(A * [1.0, 10.0, 100.0, 1e3, 1e4])
    solution = fit_linear(design, y, LogisticLoss(), L2(1.0), np.full(5000, 1e5), solver="lbfgs")
    assert solution.converged
    assert solution.n_iter < 100
    assert solution.gradient_norm <= 2.0 * np.min(solution.history["gradient_norm"])
    assert solution.dual_gap <= 1e-12 * solution.objective


CAUCHY = CallableLoss(
    lambda y, z: np.log1p((y - z) ** 2),
    lambda y, z: 2.0 * (z - y) / (1.0 + (y - z) ** 2),
    curvature=lambda y, z: 2.0 * (1.0 - (y - z) ** 2) / (1.0 + (y - z) ** 2) ** 2,
    convex=False,
    smoothness=2.0,
)


def test_newton_descends_a_loss_that_bends_downwards():
    y = X @ [1.0, -1.0, 0.5, 0.0] + RNG.standard_cauchy(200)
    p = Problem(Design(X), y, CAUCHY, L2(0.1), WEIGHTS)
    solution = fit_linear(Design(X), y, CAUCHY, L2(0.1), WEIGHTS, solver="newton")
    assert solution.converged
    assert solution.gradient_norm < 1e-7
    assert solution.objective == pytest.approx(bfgs(p.value_and_gradient, np.zeros(5)).objective)
    theta = np.zeros(5)
    numeric = np.array([(p.value_and_gradient(h)[1] - p.value_and_gradient(-h)[1]) / 2e-6 for h in 1e-6 * np.eye(5)])
    np.testing.assert_allclose(p.hessian(theta), numeric, atol=1e-5)
    with pytest.raises(ValueError, match="negative curvature"):
        fit_linear(Design(X), y, CAUCHY, L2(0.1), WEIGHTS, solver="irls")
