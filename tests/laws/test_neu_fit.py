"""Laws of the fit of a network: drops of the rate, resuming, restarts, held-out rows, descents on all rows."""

from contextlib import nullcontext
from dataclasses import dataclass
from threading import get_ident
from time import sleep

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from gnomon.losses import AbsoluteLoss, SquaredLoss
from gnomon.neural import NeuralNetwork, _problem
from gnomon.neural._fit import HeldOut, _blas, fit_network
from gnomon.neural._held_out import TrainingRows, split_rows
from gnomon.neural._options import TrainingOptions
from gnomon.neural._tolerances import tolerance_units
from gnomon.neural.layers import Dense, Layer
from gnomon.numerics.parallel import blas_threads, team
from gnomon.numerics.parts import in_turn
from gnomon.optim import RateDrops, _training, newton_cg, train
from gnomon.optim._follow import follow
from gnomon.optim.schedules import scale_rate
from gnomon.optim.stalls import Stalls
from gnomon.optim.stopping import Check, NoImprovement
from gnomon.optim.updates import Adam, GradientSteps, Rprop, UpdateRule

RNG = np.random.default_rng(0)
X = RNG.uniform(-1.0, 1.0, size=(40, 2))
Y = np.sin(2.0 * X[:, :1]) * X[:, 1:] + 0.05 * RNG.normal(size=(40, 1))
NETWORK = NeuralNetwork([Dense(5, "tanh"), Dense(1)], 2)


def fit(**options):
    given = {key: options.pop(key) for key in ("held", "state", "epochs", "start") if key in options}
    network, loss = options.pop("network", NETWORK), options.pop("loss", SquaredLoss(half=True))
    options = TrainingOptions(**{"random_state": 0, "alpha": 0.1, "solver": "sgd", "batch_size": 8, **options})
    return fit_network(network, X, Y, None, loss=loss, options=options, **given)


@pytest.mark.spec("NEU-G23", "NEU-078")
def test_rates_drop_at_stalls_and_the_third_stops():
    losses = [1, 0.8, 0.7, 0.71, 0.72, 0.73, 0.5, 0.5, 0.5, 0.5, 0.45, 0.45, 0.46, 0.47, 0.1]
    checks = (Check(k, np.zeros(1), loss) for k, loss in enumerate(losses, 1))
    end = follow(checks, Stalls(NoImprovement(0.0, 3), 2), max_iter=100)
    assert (end.n_iter, end.stop_reason) == (14, "no_change")
    assert np.flatnonzero(np.diff(end.history["drops"])).tolist() == [4, 8]
    # After a drop patience begins anew.
    level = follow((Check(k, np.zeros(1), 1.0) for k in range(1, 99)), Stalls(NoImprovement(0.0, 3), 2), max_iter=100)
    assert np.flatnonzero(np.diff(level.history["drops"])).tolist() == [2, 5]
    assert level.n_iter == 10
    found = fit(learning_rate=RateDrops(0.1, 2), learning_rate_init=0.1, n_iter_no_change=2, tol=1e-3, max_iter=500)
    rates = found.solution.history["rate"]
    assert found.solution.stop_reason == "no_change"
    np.testing.assert_allclose(np.unique(rates), [1e-3, 1e-2, 1e-1])


@pytest.mark.spec("NEU-081")
@pytest.mark.parametrize("solver", ["lbfgs", "sgd"])
def test_convergence_is_told_in_units_of_the_targets(solver):
    loss, ones = SquaredLoss(half=True), np.ones(len(Y))
    for s in (None, 3.0 * ones):
        for unit in (1e-3, 1e-6, 1e-150):
            options = TrainingOptions(solver=solver, max_iter=60, alpha=0.0, random_state=0)
            found = fit_network(NETWORK, X, unit * Y, s, loss=loss, options=options).solution
            size = float(np.mean(np.abs(Y - Y.mean())))
            units = tolerance_units(NETWORK.problem(X, unit * Y, s, loss=loss))
            np.testing.assert_allclose(units.gradient, unit * size, rtol=1e-12)
            np.testing.assert_allclose(units.loss, unit**2 * np.var(Y) / 2.0, rtol=1e-9)
            assert not found.converged
            assert found.gradient_norm > options.tol * units.gradient
    # Sizes that are ordinary, or none, leave the tolerance as it is.
    for y, kind in ((Y, loss), (np.zeros_like(Y), loss), (1e-9 * Y, AbsoluteLoss()), (1e-9 + ones[:, None], loss)):
        assert tolerance_units(NETWORK.problem(X, y, loss=kind)) == (1.0, 1.0)


@pytest.mark.spec("NEU-080")
def test_the_rate_of_a_batch_grows_with_the_root_of_its_rows():
    assert scale_rate(0.02, 25) == pytest.approx(0.1)


@pytest.mark.parametrize("solver", ["sgd", "adam", "rprop"])
@pytest.mark.filterwarnings("ignore:.*compares gradients")
def test_a_training_goes_on_to_the_same_bits(solver):
    options = {"solver": solver, "tol": 0.0, "max_iter": 12}
    whole = fit(**options)
    half = fit(**{**options, "max_iter": 5})
    on = fit(**options, state=half.state)
    np.testing.assert_array_equal(on.theta, whole.theta)


@pytest.mark.spec("NEU-005")
def test_blas_keeps_to_one_thread_unless_products_are_large():
    seen = []
    options = TrainingOptions(max_iter=2, tol=0.0, random_state=0)
    loss = SquaredLoss(half=True)
    fit_network(NETWORK, X, Y, None, loss=loss, options=options, callback=lambda row: seen.append(blas_threads()))
    assert set(seen) == {1}
    wide = NeuralNetwork([Dense(4000), Dense(4000)], 4000)
    assert isinstance(_blas(wide, TrainingOptions(batch_size=100), 1000), nullcontext)
    assert not isinstance(_blas(wide, TrainingOptions(batch_size=10), 1000), nullcontext)
    ends_thin = NeuralNetwork([Dense(4000), Dense(10)], 4000)
    assert not isinstance(_blas(ends_thin, TrainingOptions(batch_size=100), 1000), nullcontext)


SEEN: set[int] = set()


@dataclass(frozen=True)
class Told(Layer):
    """The identity; it notes which threads pass through it."""

    def output_shape(self, input_shapes):
        return input_shapes[0]

    def forward(self, parameters, inputs, run):
        SEEN.add(get_ident())
        sleep(1e-3)  # the other thread has time to begin
        return inputs[0], None

    def backward(self, parameters, saved, delta, gradients, run, wants_inputs):
        return [delta]


WIDE = NeuralNetwork([Dense(600, "relu"), Told(), Dense(10)], 100)
ROWS = np.random.default_rng(1).normal(size=(800, 100))
NUMBERS = np.tanh(ROWS[:, :10])


@pytest.mark.spec("NEU-005")
@pytest.mark.parametrize("solver", ["adam", "lbfgs", "rprop"])
def test_threads_share_large_batches_and_change_no_bit(solver):
    options = TrainingOptions(solver=solver, batch_size=400, max_iter=3, tol=0.0, random_state=0, alpha=1.0)
    found = []
    for threads in (1, 2):
        SEEN.clear()
        with threadpool_limits(threads):
            found.append(fit_network(WIDE, ROWS, NUMBERS, None, loss=SquaredLoss(), options=options))
        assert len(SEEN) == threads
    np.testing.assert_array_equal(found[0].theta, found[1].theta)
    assert found[0].solution.objective == found[1].solution.objective


def test_sums_over_parts_of_the_rows_are_those_over_all(monkeypatch):
    s, theta = np.linspace(0.5, 2.0, 800), WIDE.init(np.random.default_rng(0))
    rows = np.random.default_rng(2).permutation(800)[:512]
    found = {}
    for least in (12 * 10**6, 10**12):
        monkeypatch.setattr(_problem, "LEAST_WORK", least)
        problem, gradient = WIDE.problem(ROWS, NUMBERS, s, loss=SquaredLoss(), alpha=3.0), np.empty(WIDE.n_parameters)
        value = problem.batch_value_and_gradient(theta, rows, gradient)
        if least == 12 * 10**6:  # two parts, of a block each
            assert [pattern.shape for pattern in problem.patterns()] == 2 * [(256, 600)]
        found[least] = gradient, value, *problem.value_and_gradient(theta)[::-1], problem.value(theta)
    for part, whole in zip(*found.values(), strict=True):
        np.testing.assert_allclose(part, whole, rtol=1e-9, atol=1e-12)


@dataclass(frozen=True)
class Normed(UpdateRule):
    """A step along the gradient over its norm, which needs all of it."""

    def memory(self, theta):
        return ()

    def step(self, theta, gradient, memory, *, rate, momentum, t):
        theta -= rate * gradient / np.linalg.norm(gradient)


@pytest.mark.parametrize("rule", [Adam(weight_decay=0.1), GradientSteps(), Rprop("rprop+"), Rprop(), Normed()])
def test_updates_in_parts_are_those_of_the_whole(monkeypatch, rule):
    found, sizes = [], []
    with monkeypatch.context() as patch:
        for least in (5, 1000):
            patch.setattr(_training, "LEAST_PART", least)
            problem, theta = NETWORK.problem(X, Y, alpha=0.1), NETWORK.init(np.random.default_rng(0))

            def run(function, parts):
                sizes.append([len(part[0]) for part in parts])
                return in_turn(function, parts)

            given = {"solver": rule, "schedule": None if isinstance(rule, Rprop) else 0.01, "run": run}
            found.append(train(problem, theta, **given, batch_size=40, max_iter=5, random_state=0).w)
    np.testing.assert_array_equal(*found)
    assert sizes == ([] if isinstance(rule, Normed) else 5 * [[5, 5, 5, 6]])


def test_overflow_in_parts_warns_only_where_the_caller_asks():
    problem, theta = WIDE.problem(ROWS, NUMBERS), np.full(WIDE.n_parameters, 1e200)
    with team(2) as run, np.errstate(all="ignore"):
        shared = WIDE.problem(ROWS, NUMBERS, run=run)
        assert not np.isfinite(shared.value(theta))
    with pytest.warns(RuntimeWarning, match="overflow"):
        problem.value(theta)


@pytest.mark.spec("NEU-067", "NEU-005")
def test_restarts_keep_the_lowest_objective():
    found = fit(n_restarts=5, n_jobs=2, max_iter=20, tol=0.0)
    assert found.restarts.shape == (5,)
    assert np.ptp(found.restarts) > 0.0
    assert found.solution.objective == np.min(found.restarts)
    again = fit(n_restarts=5, n_jobs=1, max_iter=20, tol=0.0)
    np.testing.assert_array_equal(again.theta, found.theta)


@pytest.mark.spec("NEU-093", "NEU-L19")
def test_held_out_rows_choose_the_epoch():
    held = HeldOut(lambda theta: -float(np.abs(theta[0] - 0.1)), lambda theta: 1.0)
    for solver in ("sgd", "lbfgs"):
        found = fit(solver=solver, held=held, n_iter_no_change=4, tol=1e-9, learning_rate_init=0.05, max_iter=400)
        scores = found.solution.history["validation"][1:]
        assert held.score(found.theta) == np.max(scores)
        assert found.restarts[0] == np.max(scores)
        assert len(scores) - 1 - np.argmax(scores) == 5
    # Scores that rise by less than tol are no improvement, and the largest is the one that is returned.
    ticks = iter(range(100))
    rising = HeldOut(lambda theta: float(next(ticks)), lambda theta: 1.0)
    found = fit(held=rising, n_iter_no_change=4, tol=10.0, max_iter=50)
    assert found.solution.n_iter == 6
    assert found.restarts[0] == np.max(found.solution.history["validation"][1:])


@pytest.mark.spec("NEU-093")
def test_held_out_rows_have_the_shares_of_the_classes():
    labels = np.repeat([0, 1, 2], [24, 12, 4])
    rows = TrainingRows(np.arange(40.0)[:, None], labels, np.arange(40.0))
    for seed in range(5):
        train, held = split_rows(rows, 0.25, labels, np.random.default_rng(seed))
        assert np.bincount(held.y).tolist() == [6, 3, 1]
        assert sorted([*train.s, *held.s]) == list(range(40))
        assert np.array_equal(held.X[:, 0], held.s)


@pytest.mark.spec("NEU-L17", "NEU-075", "NEU-076")
@pytest.mark.parametrize("solver", ["lbfgs", "bfgs", "cg", "newton", "gd"])
def test_every_descent_reaches_a_small_gradient(solver):
    options = {"solver": solver, "tol": 1e-6, "tol_grad": 6e-6, "max_iter": 30_000, "learning_rate_init": 0.3}
    if solver == "gd":
        options |= {
            "batch_size": 40,
            "tol": 0.0,
            "momentum": 0.97,
            "n_iter_no_change": 10_000,
            "nesterovs_momentum": False,
        }
    found = fit(**options)
    _, gradient = NETWORK.value_and_gradient(found.theta, X, Y, alpha=0.1)
    assert np.max(np.abs(gradient)) < 1e-5
    assert found.solution.converged


@pytest.mark.spec("NEU-L17", "NEU-076")
def test_curvature_products():
    theta, v = NETWORK.init(np.random.default_rng(1)), np.random.default_rng(2).normal(size=NETWORK.n_parameters)
    problem = NETWORK.problem(X, Y, alpha=0.1)
    up, down = (problem.value_and_gradient(theta + h * v)[1] for h in (1e-5, -1e-5))
    np.testing.assert_allclose(problem.curvature_product(theta, "hessian")(v), (up - down) / 2e-5, atol=1e-8)
    product = problem.curvature_product(theta, "gauss_newton")
    G = np.array([product(e) for e in np.eye(NETWORK.n_parameters)])
    assert np.linalg.eigvalsh(0.5 * (G + G.T)).min() > -1e-12
    by_hessian = fit(solver="newton", curvature="hessian", tol=1e-6)
    assert by_hessian.solution.gradient_norm < 1e-6


def test_newton_survives_negative_curvature():
    def saddle(w):
        return w[0] ** 2 + w[1] ** 4 - w[1] ** 2, np.array([2 * w[0], 4 * w[1] ** 3 - 2 * w[1]])

    def product(w):
        H = np.diag([2.0, 12 * w[1] ** 2 - 2.0])
        return lambda v: H @ v

    found = newton_cg(saddle, np.array([1.0, 0.1]), product=product, tol=1e-9)
    np.testing.assert_allclose(found.w, [0.0, 0.5**0.5], atol=1e-7)


@pytest.mark.spec("NEU-091", "NEU-092")
@pytest.mark.parametrize("option", [{"l1": 0.1}, {"max_norm": 3.0}, {"adapt_ratio": (1e-4, 1e-2)}])
def test_descents_refuse_what_is_not_smooth(option):
    with pytest.raises(ValueError, match=next(iter(option))):
        TrainingOptions(solver="lbfgs", **option)


@pytest.mark.spec("NEU-081")
def test_time_and_evaluations_end_a_descent():
    assert fit(solver="lbfgs", time_limit=0.0).solution.stop_reason == "time"
    short = fit(solver="lbfgs", max_fun=3, tol=1e-9).solution
    assert (short.stop_reason, short.converged) == ("max_iter", False)
