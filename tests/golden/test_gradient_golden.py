"""Golden values of gradient descent, its step rules and momentum (the data sets A and B of the specification)."""

import numpy as np
import pytest

from gnomon.losses import SquaredLoss
from gnomon.numerics.design import Design
from gnomon.optim import Problem, fit_linear, gradient_descent
from gnomon.optim.momentum import half_life, memory_of, weight_of
from gnomon.optim.steps import BoldDriver
from gnomon.penalties import L2, NoPenalty

X = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
y = np.array([0.0, 1.0, 1.0])
A = Problem(Design(X, intercept="none"), y, SquaredLoss(), NoPenalty(), np.ones(3))
ZERO = np.zeros(2)


def iterates(**options):
    return gradient_descent(A.value_and_gradient, ZERO, iterates=True, tol=0.0, **options)


@pytest.mark.spec("LIN-G19", "LIN-070", "LIN-095")
def test_gradient_descent_with_a_constant_step():
    J0, g0 = A.value_and_gradient(ZERO)
    assert J0 == 2.0
    assert g0.tolist() == [-4.0, -6.0]
    history = iterates(step=0.1, max_iter=3).history
    np.testing.assert_allclose(history["iterates"], [[0, 0], [0.4, 0.6], [0.2, 0.36], [0.264, 0.48]], atol=1e-15)
    np.testing.assert_allclose(history["objective"], [2.0, 0.52, 0.24, 0.185408], atol=1e-15)
    assert len({len(column) for column in history.values()}) == 1
    limit = 1.0 / np.linalg.eigvalsh(X.T @ X)[-1]
    assert round(limit, 7) == 0.1396204
    assert iterates(step=0.999 * limit, max_iter=20000).objective == pytest.approx(1.0 / 6.0)
    assert iterates(step=1.01 * limit, max_iter=20000).stop_reason == "diverged"


@pytest.mark.spec("LIN-G20", "LIN-071")
@pytest.mark.parametrize("known", [True, False])
def test_exact_line_search(known):
    product = (lambda w, v: 2.0 * X.T @ (X @ v)) if known else None
    history = iterates(step="exact", hessian_product=product, max_iter=3).history
    np.testing.assert_allclose(history["step"][1:], [0.0698925, 0.5909091, 0.0698925], rtol=0, atol=5e-8)
    np.testing.assert_allclose(history["iterates"][1], [0.2795699, 0.4193548], rtol=0, atol=5e-8)
    assert round(history["objective"][1], 7) == 0.1827957
    assert round(history["objective"][3], 7) == 0.1666679


@pytest.mark.spec("LIN-G20", "LIN-071")
def test_exact_line_search_of_a_linear_model_uses_its_hessian():
    options = {"solver": "gd", "step": "exact", "max_iter": 3}
    history = fit_linear(Design(X, intercept="none"), y, SquaredLoss(), **options).history
    np.testing.assert_allclose(history["step"][1:], [0.0698925, 0.5909091, 0.0698925], rtol=0, atol=5e-8)


@pytest.mark.spec("LIN-G21", "LIN-072")
def test_bold_driver_undoes_bad_steps():
    seen = []

    def fun(w):
        seen.append(A.value_and_gradient(w)[0])
        return A.value_and_gradient(w)

    solution = gradient_descent(fun, ZERO, step="bold_driver", max_iter=2)
    np.testing.assert_allclose(seen, [2.0, 322.0, 69.0, 12.25, 1.3125, 1.0520508], rtol=0, atol=5e-8)
    np.testing.assert_allclose(solution.history["step"][1:], [0.125, 0.13125])
    assert solution.history["rejected"][1:].tolist() == [3, 0]
    kept = gradient_descent(A.value_and_gradient, ZERO, step=BoldDriver(undo=False), max_iter=1)
    assert kept.history["objective"][1] == 322.0


@pytest.mark.spec("LIN-G22", "LIN-077")
@pytest.mark.parametrize(
    "options",
    [
        {"momentum": 0.5, "step": 0.1},
        {"momentum": 0.5, "step": 0.2, "momentum_form": "ema"},
        {"memory": memory_of(0.5), "step": 0.2, "momentum_form": "ema"},
        {"memory": memory_of(0.5), "step": 0.1},
        {"momentum": lambda t: 0.5, "step": 0.1},
    ],
)
def test_momentum_in_both_forms(options):
    w = iterates(max_iter=3, **options).history["iterates"]
    np.testing.assert_allclose(w[1:], [[0.4, 0.6], [0.4, 0.66], [0.164, 0.39]], atol=1e-14)


@pytest.mark.spec("LIN-G23")
def test_the_ridge_step_is_weight_decay():
    design = Design(X, intercept="none")
    options = {"solver": "gd", "step": 0.1, "start": np.ones(2), "max_iter": 1, "iterates": True}
    w = fit_linear(design, y, SquaredLoss(), L2(1.0), **options).history["iterates"][1]
    np.testing.assert_allclose(w, [0.0, -0.2], atol=1e-15)
    decay = (1.0 - 2.0 * 0.1) * np.ones(2) - 0.1 * 2.0 * X.T @ (X @ np.ones(2) - y)
    np.testing.assert_allclose(w, decay, atol=1e-15)


@pytest.mark.spec("LIN-G25", "LIN-077")
def test_the_memory_of_a_moving_average():
    assert round(memory_of(0.2), 6) == 4.481420
    assert round(half_life(0.2), 6) == 3.106284
    assert weight_of(memory_of(0.2)) == pytest.approx(0.2)
    # The gradient at time t is the unit vector eₜ, so the last move shows the weight of each gradient by its age.
    time = iter(range(100))
    options = {"momentum": 0.2, "momentum_form": "ema", "step": 1.0, "max_iter": 3, "iterates": True}
    path = gradient_descent(lambda w: (1.0, np.eye(4)[next(time)]), np.zeros(4), **options).history["iterates"]
    np.testing.assert_allclose((path[2] - path[3])[:3][::-1], [0.2, 0.16, 0.128])
