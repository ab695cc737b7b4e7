"""Golden values of the solvers of networks: the tanh net N of the specification, written out in NumPy."""

import numpy as np
import pytest

from gnomon.optim import GradientSteps, ParameterGroup, Rprop, train
from gnomon.optim._follow import follow
from gnomon.optim.batch_problem import ParameterLayout
from gnomon.optim.group_steps import group_sizes, limit_norms, normalise_rates
from gnomon.optim.schedules import Capped, InverseT0
from gnomon.optim.stopping import Check, Validation

START = np.array([0.5, -0.3, 0.1, 0.2, 0.1, -0.2, 0.7, -0.4, -0.6, 0.9, 0.05, 0.0])


class Net:
    """J = (1/n)[Σ ½‖f(x) − y‖² + (α/2) Σ ‖W‖²] with f = tanh(XW₁ + b₁)W₂ + b₂."""

    n_rows, size, dtype = 2, 12, np.dtype(float)
    X, Y = np.array([[1.0, 2.0], [-1.0, 0.5]]), np.array([[1.0, 0.0], [0.0, 2.0]])

    def __init__(self, alpha=0.0, **hidden):
        self.alpha = alpha
        self.groups = (
            ParameterGroup("hidden.weight", 0, 4, (2, 2), "weight", 0, **hidden),
            ParameterGroup("hidden.bias", 4, 6, (2,), "bias", 0),
            ParameterGroup("out.weight", 6, 10, (2, 2), "weight", 1),
            ParameterGroup("out.bias", 10, 12, (2,), "bias", 1),
        )

    def batch_value_and_gradient(self, theta, rows, gradient):
        X, Y = self.X[rows], self.Y[rows]
        W1, b1, W2, b2 = theta[:4].reshape(2, 2), theta[4:6], theta[6:10].reshape(2, 2), theta[10:]
        A = np.tanh(X @ W1 + b1)
        delta = (A @ W2 + b2 - Y) / len(X)
        back = delta @ W2.T * (1.0 - A**2)
        decay = self.alpha / self.n_rows
        parts = X.T @ back + decay * W1, back.sum(0), A.T @ delta + decay * W2, delta.sum(0)
        gradient[:] = np.concatenate([part.ravel() for part in parts])
        return float(0.5 * len(X) * np.sum(delta**2) + 0.5 * decay * (np.sum(W1**2) + np.sum(W2**2)))

    def value_and_gradient(self, theta):
        gradient = np.empty(12)
        return self.batch_value_and_gradient(theta, slice(None), gradient), gradient

    def value(self, theta):
        return self.value_and_gradient(theta)[0]


def trained(steps, net=None, **options):
    return train(net or Net(), START, max_iter=steps, tol=None, track_objective=True, **options)


def values(steps, **options):
    return trained(steps, **options).history["full_objective"][1:]


@pytest.mark.spec("NEU-G05")
def test_gradient_descent():
    solution = trained(3, solver="gd", schedule=0.1)
    np.testing.assert_allclose(solution.history["full_objective"][1:], [0.6071915, 0.4705933, 0.3697104], atol=5e-8)
    np.testing.assert_allclose(solution.w[:4], [0.5622588, -0.4581148, 0.1110336, 0.2603091], atol=5e-8)


@pytest.mark.spec("NEU-G06", "NEU-090")
def test_weight_decay():
    solution = trained(1, net=Net(0.1), solver="gd", schedule=0.1)
    np.testing.assert_allclose(solution.history["full_objective"], [0.8673123, 0.6682917], atol=5e-8)
    np.testing.assert_allclose(solution.w[:4], [0.5223546, -0.3595353, 0.0979488, 0.2375075], atol=5e-8)


@pytest.mark.spec("NEU-G07", "NEU-071")
def test_heavy_ball():
    found = values(3, solver="gd", schedule=0.1, momentum=0.5)
    np.testing.assert_allclose(found, [0.6071915, 0.4031822, 0.2524054], atol=5e-8)


@pytest.mark.spec("NEU-G08", "NEU-074")
def test_adam():
    found = values(3, solver="adam", schedule=0.01)
    np.testing.assert_allclose(found, [0.7735873, 0.7361092, 0.6994670], atol=5e-8)
    W1 = trained(2, solver="adam", schedule=0.01).w[:4]
    np.testing.assert_allclose(W1, [0.5199914, -0.3199930, 0.0837496, 0.2199724], atol=5e-8)


@pytest.mark.spec("NEU-G09", "NEU-073")
def test_rprop():
    solution = trained(3, solver="rprop")
    np.testing.assert_allclose(solution.history["full_objective"][1:], [0.8081718, 0.8033217, 0.7972799], atol=5e-8)
    np.testing.assert_allclose(solution.w[:4], [0.5038125, -0.3038125, 0.0961875, 0.2038125], atol=5e-8)


@pytest.mark.spec("NEU-G11", "NEU-079")
def test_update_ratio():
    solution = trained(1, solver="gd", schedule=0.1)
    np.testing.assert_allclose(solution.history["update_ratio"][1, [0, 2]], [0.1222470, 0.0178332], atol=5e-8)
    gradient = Net().value_and_gradient(START)[1]
    scaled, layout = gradient.copy(), ParameterLayout.of(Net().groups)
    normalise_rates(START, scaled, layout)
    np.testing.assert_allclose(1e-3 * scaled[:6] / gradient[:6], 8.180161e-4, rtol=1e-6)
    normalised = trained(1, solver="gd", schedule=1e-3, adapt_ratio="normalise")
    np.testing.assert_allclose(normalised.history["update_ratio"][1, [0, 2]], 1e-3)


@pytest.mark.spec("NEU-G19", "NEU-092")
def test_max_norm():
    theta = np.array([3.0, 1.0, 0.0, 4.0, 2.0, 0.0])
    limit_norms(theta, ParameterLayout.of([ParameterGroup("w", 0, 6, (2, 3), "weight", 0, max_norm=3.0)]))
    np.testing.assert_allclose(theta, [1.8, 1.0, 0.0, 2.4, 2.0, 0.0])
    solution = trained(1, net=Net(max_norm=0.5), solver="gd", schedule=0.1)
    np.testing.assert_allclose(solution.w[:4], [0.4914296, -0.3610353, 0.0921791, 0.2385075], atol=5e-8)


@pytest.mark.spec("NEU-G21")
def test_rprop_on_a_parabola():
    path = [0.019, 0.01775, 0.0161875, 0.0142344, 0.0117930, 0.0087412, 0.0049265, 0.0001581]
    path += [-0.0058023, -0.0016300, 0.0035854, -0.0000654]
    np.testing.assert_allclose(_rprop_path(lambda t, w: w, 12, 0.02)[0], path, atol=5e-8)
    np.testing.assert_allclose(_rprop_path(lambda t, w: float(t != 1), 4)[1], [1e-3, 7e-4, 4.9e-4, 6.125e-4])
    taus = _rprop_path(lambda t, w: 1.0, 12)[1]
    assert taus[10] < 1e-2
    assert taus[11] == 1e-2


def _rprop_path(slope, steps, start=0.0):
    theta, rule, path, taus = np.array([start]), Rprop(), [], []
    memory = rule.memory(theta)
    for t in range(steps):
        rule.step(theta, np.array([slope(t, theta[0])]), memory, rate=1.0, momentum=0.0, t=t + 1)
        path.append(theta[0])
        taus.append(memory[0][0])
    return path, taus


@pytest.mark.spec("NEU-G22")
def test_momentum_has_the_rate_inside():
    theta, rule, path = np.zeros(1), GradientSteps(), []
    memory = rule.memory(theta)
    for t, rate in enumerate((0.1, 0.1, 0.01, 0.01), start=1):
        rule.step(theta, np.ones(1), memory, rate=rate, momentum=0.5, t=t)
        path.append(theta[0])
    np.testing.assert_allclose(path, [-0.1, -0.25, -0.335, -0.3875])


@pytest.mark.spec("NEU-G24")
@pytest.mark.parametrize(("p", "stop", "best"), [(0, 3, 2), (1, 4, 2), (2, 8, 5), (3, 9, 9)])
def test_early_stopping(p, stop, best):
    errors = [0.5, 0.4, 0.45, 0.42, 0.38, 0.39, 0.40, 0.41, 0.37]
    checks = (Check(k, np.array([k]), 1.0) for k in range(1, 10))
    solution = follow(checks, Validation(lambda w: -errors[int(w[0]) - 1], p + 1), max_iter=9)
    assert (solution.n_iter, int(solution.w[0])) == (stop, best)


@pytest.mark.spec("NEU-G25")
def test_schedules():
    np.testing.assert_allclose([Capped()(t - 1) for t in (1, 1000, 1001, 2000)], [0.1, 0.1, 0.0999001, 0.05], atol=5e-8)
    np.testing.assert_allclose([InverseT0(0.1, 100.0)(t) for t in (0, 100, 900)], [0.1, 0.05, 0.01])


def test_group_sizes_of_zeros_are_not_numbers():
    layout, ratios, norms = ParameterLayout.of(Net().groups), np.empty(4), np.empty(4)
    group_sizes(np.zeros(12), np.ones(12), np.ones(12), layout, ratios, norms)
    assert np.all(np.isnan(ratios))
    np.testing.assert_allclose(norms, [2.0, np.sqrt(2.0), 2.0, np.sqrt(2.0)])
