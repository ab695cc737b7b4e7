"""Laws of the step rules."""

from itertools import pairwise

import numpy as np
import pytest

from gnomon.losses import HingeLoss, SquaredLoss
from gnomon.numerics.design import Design
from gnomon.optim import fit_linear, gradient_descent
from gnomon.optim.steps import Armijo, BoldDriver, ExactStep, WolfeStep, as_step_rule
from gnomon.penalties import L1, L2

H = np.diag([1.0, 4.0, 20.0])


def quadratic(w):
    return 0.5 * float(w @ H @ w), H @ w


def quartic(w):
    return float(np.sum(w**4) + 0.5 * w @ w), 4.0 * w**3 + w


RULES = ["auto", "exact", "bold_driver", "armijo", "wolfe", 0.04, Armijo(c=0.3), BoldDriver(0.01), WolfeStep()]


@pytest.mark.spec("LIN-073", "LIN-071")
@pytest.mark.parametrize("step", RULES, ids=repr)
@pytest.mark.parametrize("fun", [quadratic, quartic])
def test_every_rule_descends_to_the_minimum(step, fun):
    solution = gradient_descent(fun, np.array([1.0, -1.5, 0.5]), step=step, tol=1e-7, max_iter=5000)
    assert solution.converged
    np.testing.assert_allclose(solution.w, 0.0, atol=1e-6)
    assert np.all(np.diff(solution.history["objective"]) <= 0.0)
    assert np.all(solution.history["step"][1:] > 0.0)


@pytest.mark.spec("LIN-072")
@pytest.mark.parametrize("undo", [True, False])
@pytest.mark.parametrize(("c_inc", "c_dec"), [(1.05, 0.5), (1.5, 0.25), (1.0, 0.9)])
def test_the_bold_driver_speeds_up_brakes_and_takes_back(c_inc, c_dec, undo):
    rule = BoldDriver(0.2, c_inc=c_inc, c_dec=c_dec, undo=undo)
    start = np.array([1.0, -1.5, 0.5])
    history = gradient_descent(quadratic, start, step=rule, iterates=True, max_iter=12, tol=0).history
    w, eta, steps, rejected = start, 0.2, [], []
    for _ in range(12):
        (now, gradient), tried = quadratic(w), 0
        while undo and quadratic(w - eta * gradient)[0] > now:
            eta, tried = c_dec * eta, tried + 1
        w = w - eta * gradient
        steps.append(eta)
        rejected.append(tried)
        eta *= c_inc if quadratic(w)[0] < now else c_dec
    np.testing.assert_allclose(history["step"][1:], steps, rtol=1e-12)
    np.testing.assert_allclose(history["iterates"][-1], w, rtol=1e-9)
    assert history["rejected"][1:].tolist() == rejected
    assert rejected[0] > 0 if undo else history["objective"][1] > history["objective"][0]


@pytest.mark.spec("LIN-072")
def test_the_bold_driver_keeps_its_step_where_nothing_changes():
    """From ½ a step of 1 along the slope of |w| leads to −½, and back."""

    def modulus(w):
        return float(np.abs(w[0])), np.sign(w)

    options = {"step": BoldDriver(1.0), "iterates": True, "max_iter": 4, "tol": 0}
    history = gradient_descent(modulus, np.array([0.5]), **options).history
    assert history["iterates"].ravel().tolist() == [0.5, -0.5, 0.5, -0.5, 0.5]
    assert history["step"][1:].tolist() == [1.0] * 4
    assert not np.any(history["rejected"][1:])


@pytest.mark.spec("LIN-073")
def test_armijo_accepts_exactly_what_its_condition_allows():
    history = gradient_descent(quartic, np.array([3.0, -2.0]), step=Armijo(), iterates=True, max_iter=20).history
    for w, after, step in zip(history["iterates"], history["iterates"][1:], history["step"][1:], strict=False):
        f, g = quartic(w)
        assert quartic(after)[0] <= f - 1e-4 * step * g @ g
        np.testing.assert_allclose(after, w - step * g)


@pytest.mark.spec("LIN-071")
def test_an_exact_step_makes_successive_gradients_orthogonal():
    history = gradient_descent(quartic, np.array([2.0, -1.0]), step="exact", iterates=True, max_iter=6).history
    gradients = [quartic(w)[1] for w in history["iterates"]]
    for g, h in pairwise(gradients):
        assert abs(g @ h) <= 1e-6 * np.linalg.norm(g) ** 2


@pytest.mark.spec("LIN-073")
def test_wolfe_steps_meet_both_conditions():
    history = gradient_descent(quartic, np.array([2.0, -1.0]), step="wolfe", iterates=True, max_iter=6).history
    for w, after, step in zip(history["iterates"], history["iterates"][1:], history["step"][1:], strict=False):
        (f, g), (f_after, g_after) = quartic(w), quartic(after)
        assert f_after <= f - 1e-4 * step * g @ g
        assert abs(g_after @ g) <= 0.1 * g @ g + 1e-15


def test_a_function_without_a_lower_bound_is_not_called_converged():
    def fall(w):
        return (-float(np.sum(w)), -np.ones_like(w))

    for step in ("exact", "armijo", "bold_driver"):
        with np.errstate(over="ignore"):
            assert not gradient_descent(fall, np.zeros(2), step=step, max_iter=3000).converged


@pytest.mark.spec("LIN-073")
def test_wrong_words_and_numbers_are_refused():
    with pytest.raises(ValueError, match="step='brave' is unknown"):
        as_step_rule("brave")
    with pytest.raises(ValueError, match=r"step=0\.0 must be > 0"):
        gradient_descent(quadratic, np.ones(3), step=0.0)
    with pytest.raises(ValueError, match="no schedule"):
        gradient_descent(quadratic, np.ones(3), step=None)
    with pytest.raises(ValueError, match="leave momentum=0"):
        gradient_descent(quadratic, np.ones(3), step=ExactStep(), momentum=0.5)
    with pytest.raises(ValueError, match="c_dec"):
        BoldDriver(c_dec=1.5)
    with pytest.raises(ValueError, match="shrink"):
        Armijo(shrink=0.0)
    with pytest.raises(ValueError, match="give one of them"):
        gradient_descent(quadratic, np.ones(3), momentum=0.5, memory=3)
    with pytest.raises(ValueError, match="momentum_form='nesterov' is unknown"):
        gradient_descent(quadratic, np.ones(3), momentum_form="nesterov")
    with pytest.raises(ValueError, match="0 < μ ≤ 1"):
        gradient_descent(quadratic, np.ones(3), momentum_form="ema")


@pytest.mark.parametrize("loss", [HingeLoss(), SquaredLoss()], ids=repr)
def test_a_line_search_on_a_sub_gradient_is_refused(loss):
    X, y = np.array([[1.0], [-1.0], [2.0]]), np.array([1.0, -1.0, 1.0])
    penalty = L1(0.1) if isinstance(loss, SquaredLoss) else L2(0.1)
    for step in ("exact", "armijo", "wolfe", "bold_driver"):
        with pytest.raises(ValueError, match="searches along the gradient of a differentiable F"):
            fit_linear(Design(X), y, loss, penalty, solver="gd", step=step)
