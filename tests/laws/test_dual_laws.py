"""Laws of the hinges and of the dual solvers: bounds, gaps, optimality conditions, steps and scalings."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from gnomon._jit import compiled, jit
from gnomon.losses import (
    AbsoluteLoss,
    HingeLoss,
    LogisticLoss,
    MulticlassHinge,
    PerceptronLoss,
    PinballLoss,
    SquaredHingeLoss,
    SquaredLoss,
    Weighted,
    ZeroOneLoss,
)
from gnomon.numerics.design import Design
from gnomon.numerics.special import sigmoid
from gnomon.optim import (
    Problem,
    applicable_solvers,
    dual_coordinate_ascent,
    dual_gap,
    dual_newton,
    fit_linear,
    qp,
)
from gnomon.optim.duality import gap_by_gradient
from gnomon.optim.stopping import DualityGap
from gnomon.penalties import L1, L2

HINGES = [PerceptronLoss(), HingeLoss(), HingeLoss(margin=0.4), SquaredHingeLoss()]
DUAL_LOSSES = [HingeLoss(), SquaredHingeLoss(), LogisticLoss()]
SOLVERS = [dual_coordinate_ascent, dual_newton]
Z = np.linspace(-3.0, 3.0, 49) + 0.0123


def make(loss, *, intercept="none", n=40, d=5, seed=0, strength=1.0, form=np.asarray):
    """A problem whose classes overlap, with weights of its own for every row."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.8)
    y = np.where(X[:, 0] - X[:, 1] + 0.8 * rng.normal(size=n) + 0.4 > 0.0, 1.0, -1.0)
    design = Design(form(X), intercept=intercept)
    return Problem(design, y, loss, L2(strength, half=True), rng.uniform(0.2, 2.0, size=n))


def primal_minimum(problem):
    """The minimum by a solver without a dual: Newton, or the quadratic program."""
    solver = "newton" if problem.loss.smooth else "qp"
    return fit_linear(problem.design, problem.y, problem.loss, problem.penalty, problem.weights, solver=solver)


@pytest.mark.spec("LIN-L02", "LIN-006", "LIN-007", "LIN-008")
@pytest.mark.parametrize("y", [-1.0, 1.0])
def test_hinges_bound_the_errors_and_the_perceptron_is_a_hinge_without_margin(y):
    z = np.linspace(-4.0, 4.0, 801)
    errors = (y * z <= 0.0).astype(float)
    assert np.all(errors >= ZeroOneLoss().value(y, z))
    assert np.all(HingeLoss().value(y, z) >= errors)
    assert np.all(SquaredHingeLoss().value(y, z) >= errors)
    np.testing.assert_array_equal(HingeLoss(margin=0.0).value(y, z), PerceptronLoss().value(y, z))
    np.testing.assert_allclose(HingeLoss().value(y, z) ** 2, SquaredHingeLoss().value(y, z))
    # They differ at the kink alone, where the perceptron learns.
    differ = HingeLoss(margin=0.0).gradient(y, z) != PerceptronLoss().gradient(y, z)
    np.testing.assert_array_equal(differ, z == 0.0)
    assert PerceptronLoss().gradient(y, 0.0) == -y
    assert HingeLoss(margin=0.4).gradient(y, 0.4 * y) == 0.0


@pytest.mark.spec("LIN-006", "LIN-007", "LIN-008")
@pytest.mark.parametrize("y", [-1.0, 1.0])
@pytest.mark.parametrize("loss", HINGES, ids=repr)
def test_slopes_and_conjugates_of_the_hinges(loss, y):
    difference = (loss.value(y, Z + 1e-6) - loss.value(y, Z - 1e-6)) / 2e-6
    np.testing.assert_allclose(loss.gradient(y, Z), difference, atol=1e-8)
    grid = np.linspace(-4.0, 4.0, 161)
    value, slope = loss.value(y, grid), loss.gradient(y, grid)
    # A sub-gradient everywhere, the kinks included.
    assert np.all(value[None, :] >= value[:, None] + slope[:, None] * (grid[None, :] - grid[:, None]) - 1e-12)
    np.testing.assert_allclose(value + loss.conjugate(y, slope), slope * grid, atol=1e-12)
    u = -y * np.linspace(-0.5, 1.5, 41)[:, None]
    assert np.all(value + loss.conjugate(y, u) >= u * grid - 1e-12)
    assert np.isinf(loss.conjugate(y, 0.3 * y))
    assert np.isinf(loss.conjugate(y, -1.5 * y)) == (not loss.smooth)


@jit
def _looped(loss, y, z, values, slopes):
    for i in range(z.shape[0]):
        values[i], slopes[i] = loss.value(y, z[i]), loss.gradient(y, z[i])


@pytest.mark.spec("LIN-006", "LIN-007", "LIN-008")
@pytest.mark.parametrize("loss", HINGES, ids=repr)
def test_compiled_hinges_are_the_same_formulas(loss):
    z, values, slopes = np.linspace(-2.0, 2.0, 9), np.empty(9), np.empty(9)
    _looped(compiled(loss), -1.0, z, values, slopes)
    np.testing.assert_array_equal(values, loss.value(-1.0, z))
    np.testing.assert_array_equal(slopes, loss.gradient(-1.0, z))


@pytest.mark.spec("LIN-L25", "LIN-086")
def test_tangent_bound_of_the_logistic_loss():
    t, alpha = np.linspace(-6.0, 6.0, 121)[:, None], np.linspace(0.0, 1.0, 101)[1:-1]
    entropy = -alpha * np.log(alpha) - (1.0 - alpha) * np.log1p(-alpha)
    bound = -alpha * t + entropy
    assert np.all(np.log1p(np.exp(-t)) >= bound - 1e-14)
    # It is what the conjugate says, and touches at α = σ(−t).
    np.testing.assert_allclose(-LogisticLoss().conjugate(1.0, -alpha), entropy, atol=1e-14)
    touching = sigmoid(-t)
    tight = -touching * t - LogisticLoss().conjugate(1.0, -touching)
    np.testing.assert_allclose(tight, LogisticLoss().value(1.0, t), atol=1e-13)


@pytest.mark.spec("LIN-L25", "LIN-086", "LIN-084", "LIN-085")
@pytest.mark.parametrize("intercept", ["none", "penalized"])
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("loss", DUAL_LOSSES, ids=repr)
def test_primal_stays_above_the_dual_and_the_gap_closes(loss, solver, intercept):
    problem = make(loss, intercept=intercept)
    solution = solver(problem, tol=1e-9, check_every=1, max_iter=20_000)
    primal, dual = solution.history["objective"], solution.history["dual"]
    optimum = primal_minimum(problem).objective
    assert len(primal) > 3
    assert np.all(primal >= optimum - 1e-9)
    assert np.all(dual <= optimum + 1e-9)
    assert np.all(np.diff(dual) >= -1e-10)  # every step ascends
    assert solution.stop_reason == "kkt"
    assert 0.0 <= solution.dual_gap < 1e-8
    assert solution.objective == pytest.approx(optimum, rel=1e-9)


@pytest.mark.spec("LIN-086")
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("loss", DUAL_LOSSES, ids=repr)
def test_the_gap_can_stop_a_run(loss, solver):
    problem = make(loss, n=200)
    early = solver(problem, stop=DualityGap(0.5), check_every=1, tol=1e-12)
    late = solver(problem, stop=DualityGap(1e-6), check_every=1, tol=1e-12, max_iter=20_000)
    assert early.stop_reason == late.stop_reason == "gap"
    assert late.dual_gap <= 1e-6 < early.dual_gap <= 0.5
    assert early.n_iter < late.n_iter
    assert early.objective - late.objective <= early.dual_gap


@pytest.mark.spec("LIN-086", "LIN-L25")
@pytest.mark.parametrize("intercept", ["none", "penalized", "free"])
@pytest.mark.parametrize("loss", [HingeLoss(), SquaredHingeLoss()], ids=repr)
def test_gap_of_any_point_bounds_its_distance_from_the_optimum(loss, intercept):
    problem = make(loss, intercept=intercept)
    best = primal_minimum(problem)
    theta = np.r_[best.w, best.intercept][: problem.size]
    rng = np.random.default_rng(0)
    for scale in (0.0, 1e-3, 0.1, 1.0):
        point = theta + scale * rng.normal(size=problem.size)
        assert dual_gap(problem, point) >= problem.value(point) - best.objective - 1e-8


KINKED = [AbsoluteLoss(), PinballLoss(3.0, 1.0), HingeLoss(), Weighted(HingeLoss(), (1.0, 2.0)), MulticlassHinge()]


@pytest.mark.spec("LIN-086")
@pytest.mark.parametrize("penalty", [L2(2.0), L1(2.0)], ids=repr)
@pytest.mark.parametrize("loss", KINKED, ids=repr)
def test_descent_along_sub_gradients_is_certified_with_a_free_intercept(loss, penalty):
    base = make(loss, n=60)
    rng = np.random.default_rng(1)
    score = base.design.X @ rng.normal(size=5) + 0.5 * rng.normal(size=60) + 1.0
    y = {"real": score, "sign": np.where(score > 0.5, 1.0, -1.0), "index": np.digitize(score, [0.0, 2.0])}[loss.targets]
    K = 3 if loss.targets == "index" else 1
    early, late = (
        fit_linear(Design(base.design.X), y, loss, penalty, base.weights, solver="gd", n_scores=K, max_iter=n)
        for n in (200, 2000)
    )
    for solution in (early, late):
        assert 0.0 < solution.dual_gap <= solution.objective
        assert solution.objective - solution.dual_gap <= late.objective
    assert late.objective < early.objective


def hsieh(problem, passes):
    """α ← clip(α − G/(‖x‖² + D), 0, U) with G = y wᵀx − 1 + Dα, in order; w kept up to date. C form."""
    X, y, s = problem.design.X, problem.y, problem.weights
    upper, D = (np.full_like(s, np.inf), 0.5 / s) if problem.loss.smooth else (s, np.zeros_like(s))
    alpha, w = np.zeros_like(s), np.zeros(X.shape[1])
    for i in np.tile(np.arange(len(y)), passes):
        G = y[i] * (w @ X[i]) - 1.0 + D[i] * alpha[i]
        new = np.clip(alpha[i] - G / (X[i] @ X[i] + D[i]), 0.0, upper[i])
        w, alpha[i] = w + (new - alpha[i]) * y[i] * X[i], new
    return alpha, w


@pytest.mark.spec("LIN-084")
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("loss", [HingeLoss(), SquaredHingeLoss()], ids=repr)
def test_steps_are_those_of_hsieh(loss, form):
    options = {"order": "cyclic", "shrinking": False, "extrapolation": False, "tol": 0.0}
    for passes in (1, 2, 7):
        solution = dual_coordinate_ascent(make(loss, form=form), max_iter=passes, **options)
        alpha, w = hsieh(make(loss), passes)
        np.testing.assert_allclose(solution.details["alpha"], alpha, atol=1e-12)
        np.testing.assert_allclose(make(loss).design.adjoint(alpha * make(loss).y), w, atol=1e-12)


@pytest.mark.spec("LIN-084")
@pytest.mark.parametrize("loss", [HingeLoss(), SquaredHingeLoss()], ids=repr)
@pytest.mark.parametrize("order", ["shuffle", "cyclic"])
@pytest.mark.parametrize("shrinking", [True, False])
@pytest.mark.parametrize("extrapolation", [True, False])
def test_order_shrinking_and_extrapolation_change_the_way_and_not_the_end(loss, order, shrinking, extrapolation):
    problem = make(loss, intercept="penalized")
    options = {"order": order, "shrinking": shrinking, "extrapolation": extrapolation}
    solution = dual_coordinate_ascent(problem, tol=1e-10, max_iter=100_000, **options)
    best = primal_minimum(problem)
    assert solution.converged
    np.testing.assert_allclose(solution.w, [*best.w, best.intercept], atol=1e-6)
    assert solution.objective == pytest.approx(best.objective, rel=1e-9)
    again = dual_coordinate_ascent(problem, alpha=solution.details["alpha"], tol=1e-8, **options)
    assert again.n_iter <= 10  # a warm start is at the end already


@pytest.mark.spec("LIN-084", "LIN-085")
@pytest.mark.parametrize("loss", DUAL_LOSSES, ids=repr)
def test_loss_mean_scaling(loss):
    """½‖w‖² + (λ/n) Σ ℓ has w = (λ/n) Σ αᵢyᵢxᵢ with fractions α, in [0, 1] for the hinge and the logistic loss."""
    lam, base = 7.0, make(loss)
    n = base.design.n
    problem = Problem(base.design, base.y, loss, base.penalty, np.full(n, lam / n))
    solution = dual_newton(problem, tol=1e-10)
    fractions = solution.details["alpha"] / (lam / n)
    np.testing.assert_allclose(solution.w, lam / n * (fractions * base.y) @ base.design.X, atol=1e-10)
    assert np.all(fractions >= 0.0)
    if loss.smoothness != 2.0:
        assert np.all(fractions <= 1.0)
    # λ/n = C with ½‖w‖², and twice everything has the same minimiser.
    doubled = Problem(base.design, base.y, loss, L2(2.0, half=True), np.full(n, 2.0 * lam / n))
    twice = dual_coordinate_ascent(doubled, tol=1e-10)
    np.testing.assert_allclose(twice.w, solution.w, atol=1e-7)
    assert twice.objective == pytest.approx(2.0 * solution.objective, rel=1e-9)
    assert twice.dual_gap < 1e-7


@pytest.mark.spec("LIN-085", "LIN-L31")
@pytest.mark.parametrize("inner", ["exact", "one_step"])
def test_dual_newton_finds_the_root_of_every_slope(inner):
    problem = make(LogisticLoss())
    solution = dual_newton(problem, inner=inner, tol=1e-10)
    alpha, s = solution.details["alpha"], problem.weights
    # Every row pulls: α is strictly inside its box.
    assert np.all(alpha > 0.0)
    assert np.all(alpha < s)
    margins = problem.y * problem.design.apply(solution.w)
    np.testing.assert_allclose(margins + np.log(alpha / (s - alpha)), 0.0, atol=1e-8)
    np.testing.assert_allclose(alpha, s * sigmoid(-margins), atol=1e-8)
    smooth = fit_linear(problem.design, problem.y, problem.loss, problem.penalty, s, solver="lbfgs", tol=1e-10)
    np.testing.assert_allclose(solution.w, smooth.w, atol=1e-7)


@pytest.mark.spec("LIN-085")
@pytest.mark.parametrize("scale", [1e-6, 1.0, 100.0])
def test_dual_newton_survives_tiny_and_huge_weights(scale):
    problem = make(LogisticLoss())
    problem = problem.take(np.arange(40), factor=scale)
    solution = dual_newton(problem, tol=1e-6, max_iter=50_000)
    assert solution.converged
    best = fit_linear(problem.design, problem.y, problem.loss, problem.penalty, problem.weights, solver="newton")
    assert solution.objective == pytest.approx(best.objective, rel=1e-6)
    assert np.all(np.isfinite(solution.details["alpha"]))


@pytest.mark.spec("LIN-084", "LIN-L31", "LIN-141")
@pytest.mark.parametrize("intercept", ["none", "penalized", "free"])
def test_optimality_conditions_of_the_hinge(intercept):
    """α = 0 beyond the margin, inside the box on it, α = s within it; with a free b, Σ αᵢyᵢ = 0."""
    problem = make(HingeLoss(), intercept=intercept, n=60)
    solution = qp(problem)
    alpha, s = solution.details["alpha"], problem.weights
    margins = problem.y * problem.design.apply(solution.w)
    inside = (alpha > 1e-9) & (alpha < s - 1e-9)
    assert np.all(margins[alpha <= 1e-9] >= 1.0 - 1e-8)
    assert np.all(margins[alpha >= s - 1e-9] <= 1.0 + 1e-8)
    np.testing.assert_allclose(margins[inside], 1.0, atol=1e-8)
    assert 0 < np.sum(inside) <= problem.size
    # Only points with m ≤ 1 have a gradient, and w is their span.
    w = (alpha * problem.y) @ problem.design.X
    np.testing.assert_allclose(solution.w[:5], w, atol=1e-8)
    assert solution.dual_gap < 1e-9 * solution.objective
    if intercept == "free":
        assert np.sum(alpha * problem.y) == pytest.approx(0.0, abs=1e-9)
    else:
        by_ascent = dual_coordinate_ascent(problem, tol=1e-10)
        np.testing.assert_allclose(by_ascent.w, solution.w, atol=1e-7)


@pytest.mark.spec("LIN-084")
@pytest.mark.parametrize("solver", ["dcd", "dual_newton"])
def test_a_free_intercept_and_an_l1_norm_are_refused_with_the_reason(solver):
    problem = make(HingeLoss(), intercept="free")
    with pytest.raises(ValueError, match="needs a penalised intercept or none"):
        fit_linear(problem.design, problem.y, HingeLoss(), L2(1.0), solver=solver)
    with pytest.raises(ValueError, match="needs an L2 penalty of positive strength"):
        fit_linear(make(HingeLoss()).design, problem.y, HingeLoss(), L1(1.0), solver=solver)


@pytest.mark.spec("LIN-084")
@pytest.mark.parametrize("loss", DUAL_LOSSES, ids=repr)
def test_a_row_of_weight_two_is_two_rows_and_of_weight_zero_none(loss):
    problem = make(loss, intercept="penalized")
    weights = np.resize([0.0, 1.0, 2.0], 40)
    weighted = Problem(problem.design, problem.y, loss, problem.penalty, weights)
    repeated = weighted.take(np.repeat(np.arange(40), weights.astype(int)))
    repeated = Problem(repeated.design, repeated.y, loss, problem.penalty, np.ones(repeated.design.n))
    fits = [dual_coordinate_ascent(case, tol=1e-10, max_iter=20_000) for case in (weighted, repeated)]
    np.testing.assert_allclose(fits[0].w, fits[1].w, atol=1e-7)
    assert fits[0].objective == pytest.approx(fits[1].objective, rel=1e-9)
    assert np.all(fits[0].details["alpha"][weights == 0.0] == 0.0)


@pytest.mark.parametrize("loss", DUAL_LOSSES, ids=repr)
def test_rows_of_zeros_and_float32_do_no_harm(loss):
    problem = make(loss)
    X = problem.design.X.copy()
    X[:3] = 0.0
    wide = dual_coordinate_ascent(
        Problem(Design(X, intercept="none"), problem.y, loss, problem.penalty, problem.weights), tol=1e-9
    )
    single = Problem(
        Design(X.astype(np.float32), intercept="none"),
        problem.y.astype(np.float32),
        loss,
        problem.penalty,
        problem.weights.astype(np.float32),
    )
    narrow = dual_coordinate_ascent(single, tol=1e-4)
    assert wide.converged
    assert narrow.converged
    assert narrow.w.dtype == np.float32
    np.testing.assert_allclose(narrow.w, wide.w, atol=1e-3)


OFFSET = np.linspace(-3.0, 5.0, 40)


@pytest.mark.spec("LIN-093")
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
@pytest.mark.parametrize("loss", [SquaredLoss(), LogisticLoss(), SquaredHingeLoss()], ids=repr)
def test_the_gap_knows_the_known_part_of_the_scores(loss, intercept, sign):
    """It vanishes at the minimum that Newton's method finds and is never less than what is left to fall."""
    problem = replace(make(loss, intercept=intercept), offset=sign * OFFSET)
    nouns = problem.design, problem.y, loss, problem.penalty, problem.weights
    best = fit_linear(*nouns, solver="newton", tol=1e-12, offset=problem.offset)
    theta = best.w if intercept == "none" else np.append(best.w, best.intercept)
    for gap in (dual_gap(problem, theta), best.dual_gap):
        assert gap <= 1e-9 * best.objective
    for t in (0.0, 0.5, 0.99, 1.3):
        left = problem.value(t * theta) - best.objective
        gradient = problem.value_and_gradient(t * theta)[1]
        for gap in (dual_gap(problem, t * theta), gap_by_gradient(problem, t * theta, gradient)):
            assert left - 1e-9 * best.objective <= gap < np.inf


@pytest.mark.spec("LIN-093")
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("intercept", ["free", "none"])
@pytest.mark.parametrize("loss", [SquaredLoss(), LogisticLoss(), SquaredHingeLoss()], ids=repr)
def test_coordinate_descent_with_an_offset_stops_at_the_minimum(loss, intercept, sign):
    problem = make(loss, intercept=intercept)
    nouns = problem.design, problem.y, loss, problem.penalty, problem.weights
    best, found = (fit_linear(*nouns, solver=solver, tol=1e-10, offset=sign * OFFSET) for solver in ("newton", "cd"))
    assert found.stop_reason == "gap"
    assert found.objective == pytest.approx(best.objective, rel=1e-8)
    np.testing.assert_allclose(found.w, best.w, atol=1e-3)


@pytest.mark.parametrize("penalty", [L2(1.0), L1(0.5)], ids=repr)
@pytest.mark.parametrize("intercept", ["free", "none"])
@pytest.mark.parametrize("loss", DUAL_LOSSES, ids=repr)
def test_solvers_without_a_place_for_a_known_part_are_passed_over(loss, intercept, penalty):
    plain = replace(make(loss, intercept=intercept), penalty=penalty)
    without = {"dcd", "dual_newton", "qp", "lp", "pegasos"}
    assert set(applicable_solvers(replace(plain, offset=OFFSET))) == set(applicable_solvers(plain)) - without
    nouns = plain.design, plain.y, loss, penalty, plain.weights
    found = fit_linear(*nouns, offset=OFFSET, **({} if loss.smooth else {"max_iter": 5}))
    assert found.objective < replace(plain, offset=OFFSET).value(np.zeros(plain.size))


def test_a_solver_without_a_place_for_a_known_part_says_so_by_name():
    problem = make(HingeLoss())
    nouns = problem.design, problem.y, problem.loss, problem.penalty, problem.weights
    with pytest.raises(ValueError, match="solver='dcd' needs scores without an offset"):
        fit_linear(*nouns, solver="dcd", offset=OFFSET)
