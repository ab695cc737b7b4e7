"""Laws of the stochastic solvers: directions, batches, orders, momentum, averages, memories, rates."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from gnomon.losses import HingeLoss, LogisticLoss, PerceptronLoss, SquaredHingeLoss, SquaredLoss
from gnomon.numerics.design import Design
from gnomon.numerics.special import sigmoid
from gnomon.optim import (
    Problem,
    asgd,
    dual_coordinate_ascent,
    dual_newton,
    fit_linear,
    gradient_descent,
    pegasos,
    qp,
    sag,
    sgd,
)
from gnomon.optim.schedules import ConstantRate, InverseT0, PegasosRate, Power, RobbinsMonroWarning
from gnomon.penalties import L1, L2, NoPenalty

LOSSES = [SquaredLoss(), LogisticLoss(), HingeLoss(), SquaredHingeLoss(), PerceptronLoss()]
INTERCEPTS = ["free", "penalized", "none"]


def minimum(problem):
    """θ at the minimum of a smooth F, and F there."""
    nouns = problem.design, problem.y, problem.loss, problem.penalty, problem.weights
    best = fit_linear(*nouns, solver="newton", tol=1e-10, offset=problem.offset)
    return np.array([*best.w, best.intercept]), best.objective


def make(loss, penalty=None, intercept="free", *, n=24, d=3, seed=0, weighted=True, form=np.asarray):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    y = np.where(X @ np.linspace(1.0, -1.0, d) + 0.7 * rng.normal(size=n) > 0.3, 1.0, -1.0)
    weights = rng.uniform(0.2, 2.0, size=n) if weighted else np.ones(n)
    return Problem(Design(form(X), intercept=intercept), y, loss, penalty or L2(1.3), weights)


def constant(rate):
    """A fixed rate, without the warning that it cannot converge."""
    return lambda t: rate


def path(problem, theta, steps, *, batch_size=1, **options):
    """The first `steps` + 1 iterates of SGD."""
    passes = steps * batch_size / problem.design.n
    options = {"tol": None, "check_every": 1, "iterates": True, "batch_size": batch_size} | options
    return sgd(problem, theta, max_iter=passes, **options).history["iterates"][: steps + 1]


def row_direction(problem, i, theta):
    """∇ of n sᵢ ℓ(yᵢ, zᵢ) + Ω(w), divided by Σs."""
    n = problem.design.n
    return problem.take([i], factor=float(n)).value_and_gradient(theta)[1] / np.sum(problem.weights)


@pytest.mark.spec("LIN-L21", "LIN-074")
@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_directions_of_single_rows_average_to_the_gradient_of_the_mean_form(loss, intercept):
    problem = make(loss, intercept=intercept)
    n, theta = problem.design.n, np.random.default_rng(1).normal(size=problem.size)
    directions = []
    for i in range(n):
        only = np.eye(n)[i]
        w = path(problem, theta, 1, schedule=constant(0.01), sampling=only, correct=False)
        directions.append((w[0] - w[1]) / 0.01)
    np.testing.assert_allclose(directions[3], row_direction(problem, 3, theta), atol=1e-12)
    full = problem.value_and_gradient(theta)[1] / np.sum(problem.weights)
    np.testing.assert_allclose(np.mean(directions, axis=0), full, atol=1e-12)


@pytest.mark.spec("LIN-L21", "LIN-076")
def test_variance_of_the_direction_falls_with_the_batch():
    problem = make(LogisticLoss())
    theta, spread = np.full(problem.size, 0.3), {}
    for m in (1, 4, 16):
        steps = np.diff(path(problem, theta, 3000, batch_size=m, schedule=constant(1e-9)), axis=0) / 1e-9
        spread[m] = np.sum(np.var(steps, axis=0))
        full = problem.value_and_gradient(theta)[1] / np.sum(problem.weights)
        np.testing.assert_allclose(-steps.mean(axis=0), full, atol=5.0 * np.sqrt(spread[m] / 3000))
    assert spread[1] / spread[4] == pytest.approx(4.0, rel=0.15)
    assert spread[1] / spread[16] == pytest.approx(16.0, rel=0.15)


@pytest.mark.spec("LIN-L21", "LIN-076")
@pytest.mark.parametrize("sampling", ["cyclic", "shuffle"])
@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_a_batch_of_all_rows_is_gradient_descent(loss, intercept, sampling):
    problem = make(loss, intercept=intercept)
    n, total = problem.design.n, float(np.sum(problem.weights))

    def mean_form(theta):
        value, gradient = problem.value_and_gradient(theta)
        return value / total, gradient / total

    options = {"max_iter": 30, "tol": 0.0, "iterates": True}
    for rate in (constant(0.2), Power(0.5, 0.6)):
        full = gradient_descent(mean_form, np.ones(problem.size), step=rate, **options).history["iterates"]
        batch = path(problem, np.ones(problem.size), 30, batch_size=n, sampling=sampling, schedule=rate)
        np.testing.assert_allclose(batch, full, atol=1e-12)


@pytest.mark.spec("LIN-076", "LIN-074")
def test_a_batch_of_all_rows_with_a_kink_is_proximal_gradient_descent():
    penalty = L1(2.0)
    problem = make(LogisticLoss(), penalty)
    total, theta, expected = np.sum(problem.weights), np.ones(4), [np.ones(4)]
    for _ in range(25):
        theta = theta - 0.3 * problem.data_term(theta)[1] / total
        theta[:3] = penalty.prox(theta[:3], 0.3 / total)
        expected.append(theta)
    found = path(problem, np.ones(4), 25, batch_size=problem.design.n, sampling="cyclic", schedule=constant(0.3))
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.spec("LIN-074")
def test_raw_scale_of_the_loss_mean_form():
    """θ ← θ + τ (λ (1 − σ(m)) y x − w)."""
    lam, tau, n = 3.0, 0.1, 24
    problem = make(LogisticLoss(), L2(1.0, half=True), "none", weighted=False)
    problem = problem.take(np.arange(n), factor=lam / n)
    X, y, w = problem.design.X, problem.y, np.ones(3)
    found = path(problem, w, n, sampling="cyclic", scale="raw", schedule=constant(tau))
    for i in range(n):
        np.testing.assert_allclose(found[i], w, atol=1e-13)
        w = w + tau * (lam * (1.0 - sigmoid(y[i] * (X[i] @ w))) * y[i] * X[i] - w)


def picks(steps, **options):
    """Which row each step used: with X = I a step moves the coordinate of its row."""
    y = np.repeat([1.0, -1.0], [15, 5])
    problem = Problem(Design(np.eye(20), intercept="none"), y, LogisticLoss(), NoPenalty(), np.ones(20))
    moves = np.diff(path(problem, np.zeros(20), steps, schedule=constant(1e-3), **options), axis=0)
    assert np.all(np.count_nonzero(moves, axis=1) == 1)
    return np.argmax(moves != 0.0, axis=1)


@pytest.mark.spec("LIN-074")
def test_orders_of_the_rows():
    np.testing.assert_array_equal(picks(40, sampling="cyclic"), np.tile(np.arange(20), 2))
    shuffled = picks(60, sampling="shuffle").reshape(3, 20)
    np.testing.assert_array_equal(np.sort(shuffled, axis=1), np.tile(np.arange(20), (3, 1)))
    assert np.any(shuffled[0] != shuffled[1])
    counts = np.bincount(picks(4000, sampling="uniform"), minlength=20)
    assert np.any(np.bincount(picks(20, sampling="uniform"), minlength=20) > 1)  # with replacement
    np.testing.assert_allclose(counts / 4000, 0.05, atol=4.0 * np.sqrt(0.05 / 4000))
    np.testing.assert_array_equal(picks(30, random_state=3), picks(30, random_state=3))
    assert np.any(picks(30, random_state=3) != picks(30, random_state=4))


@pytest.mark.spec("LIN-075")
def test_the_minority_is_picked_more_often():
    balanced = picks(4000, sampling="balanced")
    assert np.mean(balanced >= 15) == pytest.approx(0.5, abs=0.04)
    p = np.arange(1.0, 21.0)
    counts = np.bincount(picks(4000, sampling=p), minlength=20)
    np.testing.assert_allclose(counts / 4000, p / p.sum(), atol=4.0 * np.sqrt(0.1 / 4000))


@pytest.mark.spec("LIN-075")
@pytest.mark.parametrize("sampling", ["balanced", np.linspace(1.0, 5.0, 24)], ids=["balanced", "probabilities"])
def test_corrected_sampling_minimises_the_risk_and_uncorrected_the_weighted_risk(sampling):
    problem = make(LogisticLoss(), L2(2.0), weighted=False)
    n, count = 24, np.unique(problem.y, return_counts=True)[1]
    p = np.where(problem.y > 0, 0.5 / count[1], 0.5 / count[0]) if isinstance(sampling, str) else sampling / 72.0
    weighted = Problem(problem.design, problem.y, problem.loss, problem.penalty, n * p)
    options = {"sampling": sampling, "average": "polyak", "average_start": 2000, "max_iter": 2000, "tol": None}
    for target, other, correct in ((problem, weighted, True), (weighted, problem, False)):
        theta, objective = minimum(target)
        solution = sgd(problem, np.zeros(4), correct=correct, schedule=InverseT0(0.5, t0=50.0), **options)
        np.testing.assert_allclose(solution.w, theta, atol=0.03)
        assert solution.objective == pytest.approx(objective, rel=1e-4)
        assert solution.objective == pytest.approx(target.value(solution.w), rel=1e-12)
        assert other.value(solution.w) > minimum(other)[1] + 100.0 * (solution.objective - objective)


@pytest.mark.spec("LIN-077", "LIN-074")
@pytest.mark.parametrize("penalty", [L2(1.3), NoPenalty()], ids=repr)
def test_momentum_of_single_rows(penalty):
    problem = make(LogisticLoss(), penalty)
    eta, m, start = 0.05, 0.7, np.ones(4)
    ball = path(problem, start, 40, sampling="cyclic", schedule=constant(eta), momentum=m)
    w = [start, start - eta * row_direction(problem, 0, start)]
    for t in range(1, 40):
        w.append(w[-1] - eta * row_direction(problem, t % 24, w[-1]) + m * (w[-1] - w[-2]))
    np.testing.assert_allclose(ball, w, atol=1e-12)
    # The moving average with μ = 1 − m and rate η/(1 − m) is the same method; a memory of T steps sets μ.
    average = {"sampling": "cyclic", "schedule": constant(eta / (1.0 - m))}
    ema = path(problem, start, 40, momentum=1.0 - m, momentum_form="ema", **average)
    memory = path(problem, start, 40, memory=-1.0 / np.log(m), momentum_form="ema", **average)
    np.testing.assert_allclose(ema, w, atol=1e-12)
    np.testing.assert_allclose(memory, w, atol=1e-12)
    # A schedule of m: ½ at first, then 0.9.
    words = {"sampling": "cyclic", "schedule": constant(eta)}
    late = path(problem, start, 40, momentum=lambda t: 0.5 if t < 20 else 0.9, **words)
    early = path(problem, start, 20, momentum=0.5, **words)
    np.testing.assert_allclose(late[:21], early, atol=1e-14)
    g = row_direction(problem, 39 % 24, late[39])
    np.testing.assert_allclose(late[40], late[39] - eta * g + 0.9 * (late[39] - late[38]), atol=1e-12)


@pytest.mark.spec("LIN-078")
@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize(
    ("penalty", "options"),
    [(L2(1.3), {}), (NoPenalty(), {}), (L2(1.3), {"momentum": 0.5}), (L1(0.4), {}), (L2(1.3), {"batch_size": 3})],
    ids=["l2", "none", "momentum", "l1", "batch"],
)
def test_averages_of_the_iterates(penalty, options, intercept):
    problem = make(LogisticLoss(), penalty, intercept)
    words = {"schedule": Power(0.5, 0.6), "sampling": "shuffle", "random_state": 7, **options}
    theta = np.ones(problem.size)
    plain = path(problem, theta, 60, **words)
    for start in (0, 10):
        mean = path(problem, theta, 60, average="polyak", average_start=start, **words)
        expected = [plain[t] if t <= start else plain[start + 1 : t + 1].mean(axis=0) for t in range(61)]
        np.testing.assert_allclose(mean, expected, atol=1e-12)
    moving, expected = plain[0], [plain[0]]
    for w in plain[1:]:
        moving = 0.8 * moving + 0.2 * w
        expected.append(moving)
    found = path(problem, theta, 60, average="ema", average_weight=0.2, **words)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.spec("LIN-L23", "LIN-074", "LIN-078")
def test_decreasing_rates_converge_and_constant_rates_plateau_higher_unless_averaged():
    problem = make(SquaredHingeLoss(), L2(3.0), n=60)
    least = minimum(problem)[1]
    run = {"max_iter": 500, "tol": None}
    with pytest.warns(RobbinsMonroWarning, match="convergence needs"):
        plateau = sgd(problem, np.zeros(4), schedule=ConstantRate(0.05), **run).history["objective"][-100:]
    decreasing = sgd(problem, np.zeros(4), schedule=InverseT0(0.05, t0=200.0), **run).history["objective"]
    averaged = sgd(problem, np.zeros(4), schedule=constant(0.05), average="polyak", average_start=6000, **run)
    default = sgd(problem, np.zeros(4), **run).history["objective"]
    excess = [np.mean(values[-100:]) - least for values in (plateau, decreasing, default)]
    assert excess[1] < excess[0] / 10
    assert excess[2] < excess[0] / 10
    assert averaged.objective - least < excess[0] / 10


@pytest.mark.spec("LIN-093", "LIN-074")
@pytest.mark.parametrize("penalty", [NoPenalty(), L2(0.3), L2(3.0)], ids=repr)
@pytest.mark.parametrize("loss", [SquaredLoss(), LogisticLoss(), SquaredHingeLoss()], ids=repr)
def test_what_is_said_to_have_settled_is_near_the_minimum(loss, penalty):
    tol, settled = 1e-2, 0
    for units in ([1.0, 1.0, 1.0], [1.0, 0.1, 0.1]):
        problem = make(loss, penalty)
        problem = replace(problem, design=Design(problem.design.X * units))
        least = minimum(problem)[1]
        for solver in (sgd, asgd):
            for seed in range(3):
                found = solver(problem, np.zeros(4), tol=tol, max_iter=300, random_state=seed)
                settled += found.converged
                # Each of the four coordinates may promise as much as the tolerance.
                assert not found.converged or found.objective - least <= 4.0 * tol * max(1.0, least), (solver, units)
    assert settled or not penalty.value(np.ones(1))


@pytest.mark.spec("LIN-L23", "LIN-077")
def test_a_memory_of_n_rows_goes_the_way_of_gradient_descent():
    problem = make(LogisticLoss(), L2(1.0), n=60)
    n, total, rate = 60, float(np.sum(problem.weights)), 0.01
    run = {"schedule": constant(rate), "random_state": 1}
    remembered = path(problem, np.zeros(4), 1500, memory=float(n), momentum_form="ema", **run)
    single = path(problem, np.zeros(4), 1500, **run)
    fun = problem.value_and_gradient
    full = gradient_descent(
        lambda w: tuple(part / total for part in fun(w)), np.zeros(4), step=rate, max_iter=1500, tol=0.0, iterates=True
    ).history["iterates"]

    def wobble(w):
        return np.linalg.norm(np.diff(w, axis=0) - np.diff(full, axis=0), axis=1)[300:].mean()

    assert wobble(remembered) < wobble(single) / 5
    assert np.linalg.norm(remembered[-1] - full[-1]) < 0.1 * np.linalg.norm(full[-1])


@pytest.mark.spec("LIN-L21", "LIN-006")
def test_sgd_on_the_perceptron_loss_is_the_perceptron():
    problem = make(PerceptronLoss(), NoPenalty(), weighted=False)
    X, y, w, mistakes = np.c_[problem.design.X, np.ones(24)], problem.y, np.zeros(4), 0
    found = path(problem, np.zeros(4), 72, sampling="cyclic", schedule=constant(1.0))
    for t in range(72):
        i = t % 24
        if y[i] * (X[i] @ w) <= 0.0:
            w, mistakes = w + y[i] * X[i], mistakes + 1
        np.testing.assert_allclose(found[t + 1], w, atol=1e-12)
    assert 0 < mistakes < 72
    assert np.sum(np.any(np.diff(found, axis=0) != 0.0, axis=1)) == mistakes


def literal_sag(problem, step, passes, *, stored):
    """The algorithm in dense arrays: one gradient per row is renewed, and the mean of all is followed."""
    n, total, p = problem.design.n, np.sum(problem.weights), problem.design.n_penalized
    memory, seen, theta = np.zeros((n, problem.size)), np.zeros(n, dtype=bool), np.ones(problem.size)
    for i in np.tile(np.arange(n), passes):
        row = problem.take([i])
        shrink = np.zeros(problem.size)
        shrink[:p] = problem.penalty.slope(theta[:p]) / total
        seen[i] = True
        if stored:
            memory[i] = n / total * row.data_term(theta)[1] + shrink
            theta = theta - step * memory.mean(axis=0)
        else:
            memory[i] = row.data_term(theta)[1]
            theta = theta - step * (memory.sum(axis=0) / np.sum(problem.weights[seen]) + shrink)
    return theta


@pytest.mark.spec("LIN-079")
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("memory", ["exact", "stored"])
def test_sag_is_its_definition(memory, intercept, form):
    problem = make(LogisticLoss(), L2(1.3), intercept, form=form)
    for passes in (1, 2, 5):
        options = {"penalty_memory": memory, "sampling": "cyclic", "step": 0.05, "tol": 0.0, "max_iter": passes}
        solution = sag(problem, np.ones(problem.size), **options)
        assert np.argmin(solution.history["objective"]) == passes  # so the last iterate is the one returned
        literal = literal_sag(make(LogisticLoss(), L2(1.3), intercept), 0.05, passes, stored=memory == "stored")
        np.testing.assert_allclose(solution.w, literal, atol=1e-12)


@pytest.mark.spec("LIN-079")
@pytest.mark.parametrize("loss", [SquaredLoss(), LogisticLoss(), SquaredHingeLoss()], ids=repr)
def test_sag_converges_linearly_with_its_own_step(loss):
    problem = make(loss, L2(2.0), n=80)
    theta, _ = minimum(problem)
    solution = sag(problem, np.zeros(4), tol=1e-10)
    assert solution.converged
    np.testing.assert_allclose(solution.w, theta, atol=1e-8)
    total = np.sum(problem.weights)
    np.testing.assert_allclose(solution.history["gradient_norm"], total * solution.history["kkt"])
    slope = np.max(np.abs(problem.value_and_gradient(solution.w)[1]))
    assert solution.gradient_norm == pytest.approx(slope, rel=1e-3, abs=1e-12)
    norms = solution.history["kkt"]
    passes = len(norms) - 1
    # Linear: as many passes for the second half of the digits as for the first.
    half = np.argmax(norms <= np.sqrt(norms[0] * norms[-1]))
    assert 0.25 * passes < half < 0.75 * passes
    stored = sag(problem, np.zeros(4), penalty_memory="stored", step=0.05, tol=1e-9, max_iter=3000)
    assert stored.converged
    np.testing.assert_allclose(stored.w, solution.w, atol=1e-6)


@pytest.mark.spec("LIN-087")
@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize(("batch", "projection"), [(1, False), (4, False), (1, True), (6, True)])
def test_pegasos_is_its_definition(batch, projection, intercept):
    problem = make(HingeLoss(), L2(0.4, half=True), intercept)
    n, p, s = problem.design.n, problem.design.n_penalized, problem.weights
    lam, scale = 0.4 / s.sum(), n * s / s.sum()
    X = np.c_[problem.design.X, np.ones(n)][:, : problem.size]
    options = {"batch_size": batch, "projection": projection, "sampling": "cyclic", "check_every": 1}
    found = pegasos(problem, np.zeros(problem.size), **options, tol=None, max_iter=5, iterates=True)
    theta = np.zeros(problem.size)
    for t, w in enumerate(found.history["iterates"][1:], start=1):
        rows = np.arange((t - 1) * batch, t * batch) % n
        active = problem.y[rows] * (X[rows] @ theta) < 1.0
        theta[:p] *= 1.0 - 1.0 / t
        theta = theta + (active * scale[rows] * problem.y[rows]) @ X[rows] / (lam * t * batch)
        if projection:
            theta[:p] *= min(1.0, 1.0 / np.sqrt(lam) / np.linalg.norm(theta[:p]))
        np.testing.assert_allclose(w, theta, rtol=1e-9, atol=1e-10)
        theta = w.copy()


@pytest.mark.spec("LIN-087", "LIN-074")
def test_pegasos_is_sgd_with_its_rate_and_comes_near_the_optimum():
    problem = make(HingeLoss(), L2(2.0, half=True), "none", n=60)
    lam = 2.0 / float(np.sum(problem.weights))
    options = {"sampling": "cyclic", "tol": None, "max_iter": 5, "iterates": True, "check_every": 1}
    own = pegasos(problem, np.zeros(3), **options).history["iterates"]
    same = sgd(problem, np.zeros(3), schedule=PegasosRate(lam), **options).history["iterates"]
    np.testing.assert_allclose(own, same, rtol=1e-9, atol=1e-10)
    best = fit_linear(problem.design, problem.y, problem.loss, problem.penalty, problem.weights, solver="qp")
    near = pegasos(problem, np.zeros(3), tol=None, max_iter=1000, batch_size=5, projection=True)
    assert best.objective <= near.objective < 1.01 * best.objective


@pytest.mark.spec("LIN-L31", "LIN-074")
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_sgd_from_zero_stays_in_the_span_of_the_rows(loss):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(6, 20)), np.where(np.arange(6) % 2, 1.0, -1.0)
    problem = Problem(Design(X, intercept="none"), y, loss, L2(0.3), np.ones(6))
    w = sgd(problem, np.zeros(20), max_iter=5, tol=None, iterates=True).history["iterates"][-1]
    inside = X.T @ np.linalg.lstsq(X.T, w)[0]
    assert np.linalg.norm(w) > 0.01
    np.testing.assert_allclose(w, inside, atol=1e-12)


@pytest.mark.spec("LIN-074", "LIN-078")
@pytest.mark.parametrize("average", [None, "polyak"])
@pytest.mark.parametrize("penalty", [L2(1.3), L1(0.8)], ids=repr)
@pytest.mark.parametrize("intercept", INTERCEPTS)
def test_sparse_rows_take_the_same_steps(penalty, intercept, average):
    options = {"average": average, "schedule": Power(0.5, 0.6)}
    dense = make(LogisticLoss(), penalty, intercept)
    csr = make(LogisticLoss(), penalty, intercept, form=sparse.csr_array)
    expected = path(dense, np.ones(dense.size), 100, **options)
    np.testing.assert_allclose(path(csr, np.ones(csr.size), 100, **options), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sampling": "often"}, "sampling='often' is unknown"),
        ({"sampling": np.ones(3)}, "must hold 24 probabilities"),
        ({"sampling": np.r_[0.0, np.ones(23)]}, "correct=False"),
        ({"batch_size": 0}, "batch_size=0 must be"),
        ({"average": "mean"}, "average='mean' is unknown"),
        ({"scale": "sum"}, "scale='sum' is unknown"),
        ({"kink": "smooth"}, "kink='smooth' is unknown"),
        ({"momentum": 0.5, "memory": 3.0}, "both set the weight"),
        ({"momentum": 1.5}, "0 ≤ m < 1"),
        ({"momentum": 0.0, "momentum_form": "ema"}, "0 < μ ≤ 1"),
        ({"momentum": 0.5, "momentum_form": "nesterov"}, "momentum_form='nesterov' is unknown"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        sgd(make(LogisticLoss()), np.zeros(4), **options)


@pytest.mark.parametrize("memory", ["exact", "stored"])
def test_sag_knows_the_known_part_of_the_scores(memory):
    problem = replace(make(LogisticLoss(), L2(2.0), n=80), offset=np.linspace(-3.0, 4.0, 80))
    theta, _ = minimum(problem)
    step = None if memory == "exact" else 0.05
    found = sag(problem, np.zeros(4), penalty_memory=memory, step=step, tol=1e-9, max_iter=5000)
    np.testing.assert_allclose(found.w, theta, atol=1e-6)


@pytest.mark.parametrize("options", [{}, {"momentum": 0.5}], ids=["plain", "dense"])
def test_sgd_knows_the_known_part_of_the_scores(options):
    problem = replace(make(LogisticLoss(), L2(2.0)), offset=np.linspace(-3.0, 4.0, 24))
    full = {"batch_size": 24, "sampling": "cyclic", "schedule": constant(0.3), "max_iter": 500, "tol": None}
    theta, _ = minimum(problem)
    np.testing.assert_allclose(sgd(problem, np.zeros(4), **full, **options).w, theta, atol=1e-4)


@pytest.mark.parametrize("solver", [pegasos, dual_coordinate_ascent, dual_newton, qp])
def test_solvers_without_a_place_for_a_known_part_refuse_it(solver):
    problem = replace(make(HingeLoss(), L2(2.0), "none"), offset=np.linspace(-3.0, 4.0, 24))
    with pytest.raises(ValueError, match="no place for an offset"):
        solver(problem, np.zeros(3))
