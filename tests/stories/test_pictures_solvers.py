"""The pictures of solvers at work: convergence, descent, schedules, the perceptron."""

import numpy as np
import pytest

from gnomon import plot
from gnomon.optim import applicable_solvers, dual_coordinate_ascent, gradient_descent, lbfgs, newton
from gnomon.optim.schedules import Capped, ConstantRate, Inverse
from pictures import TWO, labelled, lines, logistic_problem


@pytest.mark.spec("LIN-P08")
def test_convergence_of_several_solvers():
    problem = logistic_problem()
    start = np.zeros(problem.size)
    histories = {
        "lbfgs": lbfgs(problem.value_and_gradient, start).history,
        "gd": gradient_descent(problem.value_and_gradient, start, max_iter=50, tol=1e-3).history,
    }
    best = min(history["objective"].min() for history in histories.values())
    for x in ("iteration", "epoch", "seconds"):
        ax = plot.convergence(histories, x=x)
        labelled(ax)
        assert list(lines(ax)) == ["lbfgs", "gd"]
        assert ax.get_yscale() == "log"
        for name, line in lines(ax).items():
            expected = histories[name].get(x, histories[name]["iteration"])
            np.testing.assert_allclose(line.get_xdata(), expected[: len(line.get_xdata())])
    drawn = lines(ax)["gd"].get_ydata()
    np.testing.assert_allclose(drawn, np.maximum(histories["gd"]["objective"] - best, 1e-14 * best)[: len(drawn)])
    ax = plot.convergence(histories, y="gradient_norm")
    np.testing.assert_allclose(lines(ax)["lbfgs"].get_ydata(), histories["lbfgs"]["gradient_norm"])


@pytest.mark.spec("LIN-P08")
def test_the_primal_dual_bracket():
    problem = logistic_problem()
    history = dual_coordinate_ascent(problem, np.zeros(problem.size), check_every=1).history
    ax = plot.primal_dual(history)
    labelled(ax)
    primal, dual = (lines(ax)[name].get_ydata() for name in ("primal", "dual"))
    assert np.all(primal >= dual - 1e-9)
    np.testing.assert_allclose(primal - dual, history["gap"], atol=1e-9)


@pytest.mark.spec("LIN-P08")
def test_the_race_runs_every_applicable_solver():
    problem = logistic_problem()
    panels = plot.solver_race(problem, max_iter=30)
    assert list(lines(panels["seconds"])) == applicable_solvers(problem)
    assert list(lines(panels["passes"])) == applicable_solvers(problem)
    newton_curve = lines(panels["passes"])["newton"].get_ydata()
    assert newton_curve[-1] < 1e-10 * newton_curve[0]
    assert panels["seconds"].get_xlabel() == "seconds"


@pytest.mark.spec("LIN-P09")
def test_descent_paths_are_the_iterates():
    Q = np.array([[4.0, 1.5], [1.5, 1.0]])

    def fun(w):
        return float(0.5 * w @ Q @ w), Q @ w

    start = np.array([2.0, 1.0])
    paths = {
        "gradient descent": gradient_descent(fun, start, step=0.2, iterates=True).history["iterates"],
        "line search": gradient_descent(fun, start, step="exact", iterates=True).history["iterates"],
        "Newton": newton(fun, start, hessian=lambda w: Q, iterates=True).history["iterates"],
    }
    ax = plot.descent_paths(fun, paths, minimum=[0, 0])
    labelled(ax)
    for name, line in zip(paths, ax.lines, strict=False):
        np.testing.assert_allclose(line.get_xydata(), paths[name])
        assert line.get_label() == f"{name}, {len(paths[name]) - 1}"
    assert ax.lines[-1].get_label() == "minimum"


@pytest.mark.spec("LIN-P10")
def test_schedules_updates_and_early_stopping():
    schedules = {"constant": ConstantRate(0.1), "inverse": Inverse(1.0), "capped": Capped()}
    ax = plot.schedule_curves(schedules, n_steps=50)
    labelled(ax)
    for name, schedule in schedules.items():
        np.testing.assert_allclose(lines(ax)[name].get_ydata(), [schedule(t) for t in range(50)])
    np.testing.assert_allclose(lines(ax)["inverse"].get_ydata(), 1.0 / np.arange(1, 51))
    problem = logistic_problem()
    iterates = gradient_descent(problem.value_and_gradient, np.zeros(problem.size), iterates=True, max_iter=40).history
    w = iterates["iterates"]
    ratio = np.append(np.nan, np.linalg.norm(np.diff(w, axis=0), axis=1) / np.linalg.norm(w[1:], axis=1))
    ax = plot.update_ratio({"iteration": iterates["iteration"], "update_ratio": ratio})
    labelled(ax)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), ratio)
    score = np.array([0.5, 0.7, 0.8, 0.75])
    history = {"iteration": np.arange(4), "objective": np.array([4.0, 2, 1, 0.5]), "validation": score}
    ax = plot.early_stopping(history)
    labelled(ax)
    assert tuple(ax.lines[1].get_xydata()[0]) == (2.0, 0.8)
    ax = plot.early_stopping(history | {"validation": -score}, lower_is_better=True)
    assert tuple(ax.lines[1].get_xydata()[0]) == (2.0, -0.8)


def perceptron_run(X, y, passes=20):
    """The weights after every mistake, and the training error with them, in the order of the rows."""
    Z, w, weights = np.column_stack([X, np.ones(len(X))]), np.zeros(X.shape[1] + 1), []
    for i in np.tile(np.arange(len(Z)), passes):
        if y[i] * (Z[i] @ w) <= 0:
            w = w + y[i] * Z[i]
            weights.append(w)
    weights = np.array(weights)
    return weights, np.mean(y[:, None] * (Z @ weights.T) <= 0, axis=0)


@pytest.mark.spec("LIN-P11")
def test_the_margin_and_the_lines_of_a_perceptron():
    X, y = TWO
    w, b = np.array([0.0, 2.0]), -2.0
    ax = plot.margin_picture(w, b, X, y)
    labelled(ax)
    assert ax.texts[0].get_text() == "$\\gamma = 1$"
    solid, *margins = ax.lines
    np.testing.assert_allclose(solid.get_ydata(), 1.0)
    assert sorted(line.get_ydata()[0] for line in margins) == [0.0, 2.0]
    weights, errors = perceptron_run(X, y)
    assert errors[-1] == 0.0
    ax = plot.perceptron_lines(weights[:, :2], weights[:, 2], X, y)
    labelled(ax)
    shown = weights[np.any(weights[:, :2] != 0, axis=1)]
    assert len(ax.lines) == len(shown)
    for line, v in zip(ax.lines, shown, strict=True):
        points = line.get_xydata()
        if np.all(np.isfinite(points)):
            np.testing.assert_allclose(points @ v[:2] + v[2], 0.0, atol=1e-9)
    assert ax.lines[-1].get_linewidth() > ax.lines[0].get_linewidth()


@pytest.mark.spec("LIN-P12")
def test_errors_of_perceptron_and_pocket():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    y = np.where(X[:, 0] - X[:, 1] + 0.8 * rng.standard_normal(60) > 0, 1, -1)
    errors = perceptron_run(X, y)[1]
    ax = plot.errors_per_update(errors)
    labelled(ax)
    np.testing.assert_allclose(lines(ax)["perceptron"].get_ydata(), errors)
    pocket = lines(ax)["pocket"].get_ydata()
    np.testing.assert_allclose(pocket, np.minimum.accumulate(errors))
    assert list(lines(plot.errors_per_update(errors, pocket=False))) == ["perceptron"]
