"""Laws of training by mini-batches, on a linear problem in a few lines of NumPy."""

import warnings

import numpy as np
import pytest

from gnomon.optim import DivergenceWarning, GradientSteps, ParameterGroup, Rprop, train, warn_unless_converged
from gnomon.optim.schedules import Inverse, InverseT0, Ramp


class Line:
    """f = scale · mean of ½(xᵀw + b − y)²: what a linear model hands to the loop."""

    dtype = np.dtype(float)

    def __init__(self, n=60, noise=0.1, scale=1.0, **group):
        rng = np.random.default_rng(0)
        self.X = rng.normal(size=(n, 3))
        self.y = self.X @ [1.0, -2.0, 0.0] + 0.5 + noise * rng.normal(size=n)
        self.n_rows, self.size, self.scale, self.seen = n, 4, scale, []
        self.groups = (
            ParameterGroup("line.weight", 0, 3, (3, 1), "weight", 0, **group),
            ParameterGroup("line.bias", 3, 4, (1,), "bias", 0),
        )

    @property
    def solution(self):
        return np.linalg.lstsq(np.column_stack([self.X, np.ones(self.n_rows)]), self.y)[0]

    def batch_value_and_gradient(self, theta, rows, gradient):
        self.seen.append(np.arange(self.n_rows)[rows])
        X, residual = self.X[rows], self.X[rows] @ theta[:3] + theta[3] - self.y[rows]
        gradient[:3], gradient[3] = self.scale * X.T @ residual / len(X), self.scale * np.mean(residual)
        return float(self.scale * 0.5 * np.mean(residual**2))

    def value_and_gradient(self, theta):
        gradient = np.empty(4)
        return self.batch_value_and_gradient(theta, slice(None), gradient), gradient

    def value(self, theta):
        return self.value_and_gradient(theta)[0]


@pytest.mark.spec("NEU-073", "NEU-074")
@pytest.mark.parametrize("solver", ["gd", "adam", "rprop+", "irprop-", Rprop(largest=1.0)])
def test_a_linear_model_is_trained_by_every_solver(solver):
    line = Line()
    rate = {"gd": 0.5, "adam": 0.05}.get(solver) if isinstance(solver, str) else None
    options = {"batch_size": 60, "tol": None, "tol_grad": 1e-6, "max_iter": 5000}
    solution = train(line, np.zeros(4), solver=solver, schedule=rate, **options)
    assert solution.stop_reason == "tol"
    np.testing.assert_allclose(solution.w, line.solution, atol=1e-4)


@pytest.mark.spec("NEU-L15")
def test_heavy_ball_is_the_difference_form():
    rng = np.random.default_rng(1)
    rates, slopes, m = rng.uniform(0.01, 0.3, 20), rng.normal(size=20), 0.7
    theta, rule = np.zeros(1), GradientSteps()
    memory, path = rule.memory(theta), [0.0, 0.0]
    for t in range(20):
        rule.step(theta, slopes[t : t + 1], memory, rate=rates[t], momentum=m, t=t + 1)
        path.append(path[-1] - rates[t] * slopes[t] + m * (path[-1] - path[-2]))
        np.testing.assert_allclose(theta[0], path[-1], rtol=1e-12, atol=1e-14)
    for t in range(200):
        before = theta[0]
        rule.step(theta, np.ones(1), memory, rate=0.1, momentum=m, t=t + 21)
    np.testing.assert_allclose(before - theta[0], 0.1 / (1.0 - m))


@pytest.mark.spec("NEU-L16")
def test_rprop_sees_signs_only():
    one, many = (train(Line(scale=c), np.zeros(4), solver="rprop", tol=None, max_iter=40) for c in (1.0, 1000.0))
    np.testing.assert_array_equal(one.w, many.w)
    rule, theta = Rprop(), np.zeros(50)
    memory, rng = rule.memory(theta), np.random.default_rng(0)
    for t in range(100):
        rule.step(theta, rng.normal(size=50) + 2.0 * (np.arange(50) < 5), memory, rate=1.0, momentum=0.0, t=t + 1)
        assert np.all((memory[0] >= 1e-7) & (memory[0] <= 1e-2))


@pytest.mark.spec("NEU-L18")
def test_a_decreasing_rate_ends_below_a_constant_one():
    line = Line(noise=1.0)

    def end(schedule, seed):
        options = {"solver": "sgd", "batch_size": 1, "tol": None, "max_iter": 30, "random_state": seed}
        return train(line, np.zeros(4), schedule=schedule, **options).objective

    falling = [end(InverseT0(0.2, 60.0), seed) for seed in range(10)]
    constant = [end(0.2, seed) for seed in range(10)]
    assert np.median(falling) < np.median(constant)


@pytest.mark.spec("NEU-L19")
def test_the_best_validated_weights_are_returned():
    line, scores = Line(noise=1.0), []

    def score(theta):
        scores.append(-abs(float(theta[0]) - 0.6))
        return scores[-1]

    solution = train(line, np.zeros(4), solver="sgd", schedule=0.02, batch_size=5, validation=score, random_state=0)
    assert solution.stop_reason == "validation"
    assert -abs(float(solution.w[0]) - 0.6) == max(scores) == np.max(solution.history["validation"][1:])
    assert not np.array_equal(solution.w, solution.details["last"])


@pytest.mark.spec("NEU-L20", "NEU-091")
def test_norms_are_kept_and_l1_gives_zeros():
    seen = []
    options = {"solver": "sgd", "schedule": 0.1, "batch_size": 10, "tol": None, "max_iter": 30, "random_state": 0}
    limited = train(Line(max_norm=0.7), np.zeros(4), callback=lambda row: seen.append(row), **options)
    assert np.linalg.norm(limited.w[:3]) == pytest.approx(0.7)
    assert len(seen) == 31
    sparse = train(Line(l1=0.3), np.zeros(4), **options)
    assert sparse.w[2] == 0.0
    assert np.all(sparse.w[:2] != 0.0)
    smooth = Line().value_and_gradient(sparse.w)[0]
    assert sparse.objective == pytest.approx(smooth + 0.3 * np.sum(np.abs(sparse.w[:3])))


@pytest.mark.spec("NEU-070")
def test_every_epoch_visits_every_row_once():
    line = Line(n=23)
    train(line, np.zeros(4), solver="sgd", schedule=0.01, batch_size=5, max_iter=2, random_state=0)
    batches = line.seen[1:-1]
    assert [len(rows) for rows in batches] == [5, 5, 5, 5, 3] * 2
    first, second = np.concatenate(batches[:5]), np.concatenate(batches[5:])
    np.testing.assert_array_equal(np.sort(first), np.arange(23))
    np.testing.assert_array_equal(np.sort(second), np.arange(23))
    assert not np.array_equal(first, second)


@pytest.mark.spec("NEU-072", "NEU-083")
def test_the_history_knows_momentum_rate_and_sizes():
    solution = train(Line(), np.ones(4), solver="sgd", schedule=0.01, momentum=Ramp(0.5, 0.9, 4), tol=None, max_iter=5)
    np.testing.assert_allclose(solution.history["momentum"][1:], [0.5, 0.6, 0.7, 0.8, 0.9])
    assert solution.history["gradient_norms"].shape == solution.history["update_ratio"].shape == (6, 2)
    assert np.all(solution.history["rate"] == 0.01)


@pytest.mark.spec("NEU-077")
def test_what_the_clock_of_a_schedule_counts():
    options = {"solver": "sgd", "schedule": Inverse(0.1), "batch_size": 20, "tol": None, "max_iter": 3}
    rates = {
        per: train(Line(), np.zeros(4), per=per, **options).history["rate"][1:] for per in ("epoch", "row", "update")
    }
    np.testing.assert_allclose(rates["epoch"], 0.1 / np.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(rates["row"], 0.1 / np.array([1.0, 61.0, 121.0]))
    np.testing.assert_allclose(rates["update"], 0.1 / np.array([1.0, 4.0, 7.0]))


@pytest.mark.spec("NEU-079")
def test_the_rate_follows_the_update_ratio():
    options = {"solver": "sgd", "batch_size": 20, "tol": None, "max_iter": 4, "random_state": 0}
    small = train(Line(), np.ones(4), schedule=1e-6, adapt_ratio=(1e-3, 1e-1), **options).history["rate"][1:]
    np.testing.assert_allclose(small, 1e-6 * 1.5 ** np.arange(4))
    large = train(Line(), np.ones(4), schedule=0.5, adapt_ratio=(1e-9, 1e-8), **options).history["rate"][1:]
    np.testing.assert_allclose(large, 0.5 * 0.5 ** np.arange(4))


@pytest.mark.spec("NEU-081")
def test_a_loss_that_rests_ends_the_training():
    solution = train(Line(), np.zeros(4), solver="gd", schedule=0.5, n_iter_no_change=3)
    assert (solution.stop_reason, solution.converged) == ("no_change", True)
    limited = train(Line(), np.zeros(4), solver="gd", schedule=0.5, time_limit=0.0)
    assert (limited.stop_reason, limited.converged) == ("time", False)


@pytest.mark.spec("NEU-082")
def test_divergence_names_the_group_and_keeps_the_best():
    solution = train(Line(), np.zeros(4), solver="sgd", schedule=50.0, batch_size=5, random_state=0)
    assert solution.stop_reason == "diverged"
    np.testing.assert_array_equal(solution.w, np.zeros(4))
    with pytest.warns(DivergenceWarning, match=r"update \d+, in line\.(weight|bias)"):
        warn_unless_converged(solution, 200)


class Told:
    """A problem whose losses are told: at the start, and after the first update."""

    n_rows, size, dtype, groups = 1, 1, np.dtype(float), (ParameterGroup("told", 0, 1, (1,), "bias", 0),)

    def __init__(self, start, then):
        self.start, self.then = start, then

    def batch_value_and_gradient(self, theta, rows, gradient):
        gradient[0] = 1.0
        return self.then

    def value_and_gradient(self, theta):
        return self.start, np.ones(1)

    def value(self, theta):
        return self.start


@pytest.mark.spec("NEU-082")
@pytest.mark.parametrize("start", [0.01, 10.0])
def test_a_loss_a_million_times_the_first_or_one_is_divergence(start):
    bound = 1e6 * max(1.0, start)
    for then, ends in ((0.99 * bound, "max_iter"), (1.01 * bound, "diverged"), (np.nan, "diverged")):
        solution = train(Told(start, then), np.zeros(1), solver="gd", tol=None, max_iter=1)
        assert solution.stop_reason == ends
        assert (solution.w[0] != 0.0) == (ends == "max_iter")


@pytest.mark.spec("NEU-007")
def test_an_interrupt_keeps_the_best():
    line, step = Line(), Line.batch_value_and_gradient

    def interrupted(theta, rows, gradient):
        if len(line.seen) == 40:
            line.batch_value_and_gradient = lambda *given: step(line, *given)
            raise KeyboardInterrupt
        return step(line, theta, rows, gradient)

    line.batch_value_and_gradient = interrupted
    solution = train(line, np.zeros(4), solver="sgd", schedule=0.01, batch_size=10, random_state=0)
    assert solution.stop_reason == "interrupted"
    assert 0.0 < solution.objective < Line().value_and_gradient(np.zeros(4))[0]


@pytest.mark.parametrize(
    "options",
    [
        {"solver": "newtonn"},
        {"solver": "rprop", "schedule": 0.1},
        {"solver": "adam", "momentum": 0.5},
        {"solver": "adam", "adapt_ratio": "normalise"},
        {"solver": "rprop", "adapt_ratio": (0.1, 0.2)},
        {"batch_size": 0},
        {"batch_size": 5, "tol_grad": 1e-3},
        {"sampling": "random"},
        {"per": "second"},
    ],
)
def test_what_a_solver_cannot_use_is_refused(options):
    with pytest.raises(ValueError, match=next(reversed(options))):
        train(Line(), np.zeros(4), **options)


def test_rprop_warns_of_small_batches():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        train(Line(), np.zeros(4), solver="rprop", batch_size=2, max_iter=1, tol=None)
    assert "larger batches" in str(caught[0].message)
