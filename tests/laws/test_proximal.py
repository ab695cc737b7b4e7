"""Laws of proximal and projected gradient: monotone descent, exact zeros, certificates."""

import numpy as np
import pytest

from gnomon.losses import LogisticLoss, SoftmaxLoss, SquaredHingeLoss, SquaredLoss
from gnomon.numerics.design import Design
from gnomon.optim import OnPart, Problem, fit_linear, projected_gradient, proximal_gradient
from gnomon.optim.gradient_linear import ApproximateZerosWarning
from gnomon.penalties import L0, L1, L2, ElasticNetPenalty, NoPenalty


def data(seed=0, n=60, d=8, classes=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 1.0
    z = X[:, 0] - 2.0 * X[:, 1] + 0.5 * rng.normal(size=n)
    y = (
        z
        if classes is None
        else np.sign(z - np.median(z))
        if classes == 2
        else np.digitize(z, np.quantile(z, [0.3, 0.6]))
    )
    return X, y


PROBLEMS = [
    (SquaredLoss(), None, L1(20.0)),
    (SquaredLoss(half=True), None, ElasticNetPenalty(10.0, 0.7)),
    (LogisticLoss(), 2, L1(3.0)),
    (SquaredHingeLoss(), 2, L1(12.0)),
    (SoftmaxLoss(), 3, L1(2.0)),
]


@pytest.mark.spec("LIN-L15", "LIN-082")
@pytest.mark.parametrize(("loss", "classes", "penalty"), PROBLEMS, ids=repr)
@pytest.mark.parametrize("factor", [1.0, 0.4])
def test_ista_never_raises_the_objective_for_steps_up_to_one_over_L(loss, classes, penalty, factor):
    X, y = data(classes=classes)
    K = classes if loss.targets == "index" else 1
    problem = Problem(Design(X), y, loss, penalty, np.ones(len(y)), K)
    step = factor / problem.lipschitz
    options = {"solver": "ista", "step": step, "n_scores": K, "max_iter": 300, "tol": 1e-9}
    objective = fit_linear(Design(X), y, loss, penalty, **options).history["objective"]
    assert np.all(np.diff(objective) <= 1e-12 * np.abs(objective[:-1]))
    assert objective[-1] < objective[0]


@pytest.mark.spec("LIN-L15")
@pytest.mark.parametrize("seed", range(5))
def test_orthonormal_columns_have_closed_forms(seed):
    rng = np.random.default_rng(seed)
    X = np.linalg.qr(rng.normal(size=(20, 5)))[0]
    y = rng.normal(size=20) + X @ [3.0, -2.0, 0.0, 1.0, 0.3]
    c, rho = X.T @ y, 1.3

    def fit(penalty):
        return fit_linear(Design(X, intercept="none"), y, SquaredLoss(), penalty, solver="ista", tol=1e-12).w

    np.testing.assert_allclose(fit(L1(rho)), np.sign(c) * np.maximum(np.abs(c) - rho / 2.0, 0.0), atol=1e-10)
    np.testing.assert_allclose(fit(L2(rho)), c / (1.0 + rho), atol=1e-10)
    np.testing.assert_allclose(fit(L0(rho)), np.where(c**2 > rho, c, 0.0), atol=1e-10)


@pytest.mark.spec("LIN-082", "LIN-L41")
@pytest.mark.parametrize(("loss", "classes", "penalty"), PROBLEMS, ids=repr)
@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
def test_fista_ista_and_backtracking_agree_and_zeros_are_exact(loss, classes, penalty, intercept):
    X, y = data(classes=classes)
    K = classes if loss.targets == "index" else 1
    design = Design(X, intercept=intercept)
    fits = [
        fit_linear(design, y, loss, penalty, n_scores=K, tol=1e-7, max_iter=50000, **options)
        for options in (
            {"solver": "fista"},
            {"solver": "ista"},
            {"solver": "fista", "step": "backtracking"},
            {"solver": "fista", "restart": False, "check_every": 1},
        )
    ]
    for fit in fits:
        assert fit.converged
        assert fit.stop_reason == "kkt"
        np.testing.assert_allclose(fit.w, fits[0].w, atol=1e-5)
        # Softmax scores may be shifted in common.
        shift = [np.mean(b) if K > 1 else 0.0 for b in (fit.intercept, fits[0].intercept)]
        np.testing.assert_allclose(fit.intercept - shift[0], fits[0].intercept - shift[1], atol=1e-5)
        np.testing.assert_array_equal(fit.w == 0.0, fits[0].w == 0.0)
        assert 0.0 <= fit.dual_gap < 1e-4
    assert np.any(fits[0].w == 0.0)
    assert fits[0].n_iter < fits[1].n_iter


@pytest.mark.spec("LIN-L41", "LIN-044")
@pytest.mark.parametrize(("loss", "classes", "penalty"), PROBLEMS[:4], ids=repr)
def test_proximal_steps_give_zeros_and_sub_gradients_never_do(loss, classes, penalty):
    X, y = data(classes=classes)
    exact = fit_linear(Design(X), y, loss, penalty, solver="fista", tol=1e-9, max_iter=20000)
    with pytest.warns(ApproximateZerosWarning, match="only approximate"):
        rough = fit_linear(Design(X), y, loss, penalty, solver="subgradient", max_iter=2000)
    assert np.sum(exact.w == 0.0) >= 3
    assert np.sum(rough.w == 0.0) == 0
    assert rough.objective > exact.objective
    assert rough.objective < exact.objective * 1.15
    assert not rough.converged


@pytest.mark.spec("LIN-082")
def test_centred_coordinates_change_the_speed_and_not_the_answer():
    X, y = data()
    X = X + 50.0  # columns far from zero
    fast = fit_linear(Design(X), y, SquaredLoss(), L1(5.0), solver="fista", tol=1e-6, max_iter=20000)
    assert fast.converged
    assert fast.n_iter < 500
    assert fast.dual_gap < 1e-6
    reference = fit_linear(Design(X), y, SquaredLoss(), L1(5.0), solver="cd", tol=1e-12)
    np.testing.assert_allclose(fast.w, reference.w, atol=1e-6)
    assert fast.intercept == pytest.approx(reference.intercept, abs=1e-4)
    path = fit_linear(Design(X), y, SquaredLoss(), L1(5.0), solver="ista", iterates=True, max_iter=5)
    problem = Problem(Design(X), y, SquaredLoss(), L1(5.0), np.ones(len(y)))
    values = [problem.value(theta) for theta in path.history["iterates"]]
    np.testing.assert_allclose(values, path.history["objective"], rtol=1e-9)


@pytest.mark.spec("LIN-082")
def test_projected_gradient_meets_the_constraint_and_its_optimality_conditions():
    X, y = data(d=5)
    fun = Problem(Design(X, intercept="none"), y, SquaredLoss(), NoPenalty(), np.ones(60)).value_and_gradient
    for project, inside in (
        (lambda x: np.maximum(x, 0.0), lambda w: np.all(w >= 0.0)),
        (lambda x: L1().project(x, 1.0), lambda w: np.sum(np.abs(w)) <= 1.0 + 1e-12),
        (lambda x: x / max(1.0, np.linalg.norm(x)), lambda w: np.linalg.norm(w) <= 1.0 + 1e-12),
    ):
        solution = projected_gradient(fun, project, np.full(5, 7.0), tol=1e-8, max_iter=20000)
        assert solution.converged
        assert inside(solution.w)
        rng = np.random.default_rng(0)
        g = fun(solution.w)[1]
        others = np.array([project(3.0 * rng.normal(size=5)) for _ in range(200)])
        assert np.all((others - solution.w) @ g >= -1e-5)


@pytest.mark.spec("LIN-082")
def test_the_constrained_lasso_at_the_norm_of_the_penalised_one_is_the_same_point():
    X, y = data(d=5)
    design = Design(X, intercept="none")
    lasso = fit_linear(design, y, SquaredLoss(), L1(10.0), solver="fista", tol=1e-10, max_iter=20000)
    fun = Problem(design, y, SquaredLoss(), NoPenalty(), np.ones(60)).value_and_gradient
    radius = np.sum(np.abs(lasso.w))
    ball = projected_gradient(fun, lambda x: L1().project(x, radius), np.zeros(5), tol=1e-10, max_iter=20000)
    np.testing.assert_allclose(ball.w, lasso.w, atol=1e-7)


def test_a_penalty_on_a_part_leaves_the_rest_free():
    penalty = OnPart(L1(1.0), [0, 2])
    w, g = np.array([3.0, 5.0, 0.2]), np.array([-1.0, 0.5, 0.3])
    assert penalty.value(w) == pytest.approx(3.2)
    np.testing.assert_allclose(penalty.prox(w, 1.0), [2.0, 5.0, 0.0])
    np.testing.assert_allclose(penalty.gap(w, g), [0.0, 0.5, 1.3])
    assert w.tolist() == [3.0, 5.0, 0.2]


def test_a_penalty_that_is_not_convex_must_reach_a_fixed_point():
    # Every w with zero gradient is stationary for L0, and so is w = 0; only fixed points of the step count.
    y = np.array([3.0, 0.1])

    def fun(w):
        return (float((w - y) @ (w - y)), 2.0 * (w - y))

    for start in (y, np.zeros(2)):
        solution = proximal_gradient(fun, start, L0(1.0), lipschitz=2.0)
        assert solution.converged
        assert solution.w.tolist() == [3.0, 0.0]


def test_wrong_options_are_refused():
    def fun(w):
        return (float(w @ w), 2.0 * w)

    for options, words in (
        ({"acceleration": "nesterov"}, "acceleration='nesterov' is unknown"),
        ({"step": 0.0}, "step=0.0 is not allowed"),
        ({"step": "armijo"}, "step='armijo' is not allowed"),
        ({"check_every": 0}, "check_every=0"),
    ):
        with pytest.raises(ValueError, match=words.replace(".", r"\.")):
            proximal_gradient(fun, np.ones(2), L1(1.0), **options)
