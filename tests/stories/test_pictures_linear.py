"""The pictures of linear models: what is drawn is what was computed, with labels, on any axes, without traces."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from gnomon import plot
from gnomon.datasets import make_center_corner, make_informative_pair, make_threshold
from gnomon.features import GreedySelector, PolarFeatures, PolynomialMap, PosNegPart, Waterfall, Whitener
from gnomon.linear import BayesianLinearRegression, LinearModelClassifier, LinearRegression, Ridge, path
from gnomon.losses import AbsoluteLoss, HingeLoss, LogisticLoss, PinballLoss, SquaredLoss, Weighted, ZeroOneLoss
from gnomon.numerics.design import Design
from gnomon.numerics.special import sigmoid
from gnomon.optim import Problem, applicable_solvers, dual_coordinate_ascent, gradient_descent, lbfgs, newton
from gnomon.optim.schedules import Capped, Constant, Inverse
from gnomon.penalties import L0, L1, L2

A = np.array([[1.0, 0], [1, 1], [1, 2]]), np.array([0.0, 1, 1])
B = np.array([[1.0, 0], [1, 1], [0, 1], [1, -1]]), np.array([2.0, 2, 0, 3])
TWO = np.array([[0.0, 0], [1, 0], [0, 2], [1, 2]]), np.array([-1, -1, 1, 1])


def lines(ax):
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


def labelled(*axes):
    assert all(ax.get_xlabel() and ax.get_ylabel() for ax in axes)


def wave(n=15, seed=0):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(0, 1, n))
    return x[:, None], np.sin(2 * np.pi * x) + 0.2 * rng.standard_normal(n)


@pytest.mark.spec("LIN-P01")
def test_losses_over_the_residual():
    ax = plot.regression_losses()
    labelled(ax)
    r = ax.lines[0].get_xdata()
    for line, p in zip(ax.lines, (0.5, 1.0, 2.0, 4.0), strict=True):
        np.testing.assert_allclose(line.get_ydata(), np.abs(r) ** p)
    ax = plot.regression_losses({"median": AbsoluteLoss(), "quantile": PinballLoss(3.0, 1.0)}, limit=1.0)
    np.testing.assert_allclose(lines(ax)["quantile"].get_ydata()[[0, -1]], [1.0, 3.0])


@pytest.mark.spec("LIN-P02")
def test_losses_over_the_margin():
    ax = plot.margin_losses()
    labelled(ax)
    drawn = {name: line.get_ydata() for name, line in lines(ax).items()}
    m = ax.lines[0].get_xdata()
    assert list(drawn)[:6] == ["0/1", "perceptron", "hinge", "squared hinge", "logistic / log 2", "squared"]
    np.testing.assert_allclose(drawn["hinge"], np.maximum(0, 1 - m))
    np.testing.assert_allclose(drawn["0/1"], ZeroOneLoss().value(1.0, m))
    for bound in ("hinge", "squared hinge", "logistic / log 2", "squared"):
        assert np.all(drawn[bound] >= drawn["0/1"] - 1e-12)


@pytest.mark.spec("LIN-P02")
def test_costs_change_only_the_slopes():
    ax = plot.cost_slopes(HingeLoss(), costs=(5.0, 2.0))
    labelled(ax)
    z = ax.lines[0].get_xdata()
    weighted = Weighted(HingeLoss(), (2.0, 5.0))
    np.testing.assert_allclose(ax.lines[0].get_ydata(), weighted.value(1.0, z))
    np.testing.assert_allclose(ax.lines[1].get_ydata(), weighted.value(-1.0, z))


@pytest.mark.spec("LIN-P02")
def test_dual_tangents_touch_the_logistic_loss_from_below():
    ax = plot.dual_tangents((0.2, 0.5))
    labelled(ax)
    loss, first, second, touch = ax.lines
    for tangent in (first, second):
        assert np.all(tangent.get_ydata() <= loss.get_ydata() + 1e-12)
    np.testing.assert_allclose(sigmoid(-touch.get_xdata()), [0.2, 0.5])


@pytest.mark.spec("LIN-P03")
def test_fits_of_several_degrees_and_their_errors():
    X, y = wave()
    models = {
        f"degree {k}": make_pipeline(PolynomialMap(k, include_bias=False), LinearRegression()).fit(X, y)
        for k in (1, 3, 10)
    }
    ax = plot.fits(models, X, y, truth=lambda x: np.sin(2 * np.pi * x))
    labelled(ax)
    assert set(lines(ax)) == {*models, "truth"}
    line = lines(ax)["degree 3"]
    np.testing.assert_allclose(line.get_ydata(), models["degree 3"].predict(line.get_xdata()[:, None]))
    np.testing.assert_allclose(ax.collections[0].get_offsets(), np.column_stack([X, y]))
    panels = plot.fit_panels(models, X, y)
    assert [panel.get_title(loc="left") for panel in panels.values()] == list(models)


@pytest.mark.spec("LIN-P03")
def test_errors_and_norm_over_the_degree_or_the_penalty():
    X, y = wave()
    X_new, y_new = wave(200, seed=1)
    degrees = np.arange(1, 10)
    models = [make_pipeline(PolynomialMap(k, include_bias=False), LinearRegression()).fit(X, y) for k in degrees]
    train, test = ([np.mean((t - m.predict(Z)) ** 2) for m in models] for Z, t in ((X, y), (X_new, y_new)))
    norm = [np.linalg.norm(m[-1].coef_) for m in models]
    ax = plot.complexity_curve(degrees, train, test, norm=norm)
    labelled(ax)
    np.testing.assert_allclose(lines(ax)["training error"].get_ydata(), train)
    np.testing.assert_allclose(lines(ax)["validation error"].get_ydata(), test)
    assert ax.lines[2].get_xdata()[0] == degrees[np.argmin(test)]
    np.testing.assert_allclose(ax.figure.axes[-1].lines[0].get_ydata(), norm)
    assert plot.complexity_curve([0.1, 1.0], [1, 2], [2, 1], name="λ", log=True).get_xscale() == "log"


@pytest.mark.spec("LIN-P04")
def test_geometry_of_least_squares():
    model = LinearRegression(fit_intercept=False).fit(*A)
    ax = plot.least_squares_geometry(*A)
    assert f"{model.residual_norm_:.3g}" in ax.texts[-1].get_text()
    assert len(ax.collections) == 1 + 2 + 3  # the plane, two columns, and y, ŷ, r
    names = {text.get_text() for text in ax.texts}
    assert {"$y$", "$\\hat y = Hy$", "col $X$", "$x_{1}$", "$x_{2}$"} <= names
    # Exact for any number of rows.
    rng = np.random.default_rng(0)
    plot.least_squares_geometry(rng.standard_normal((20, 3)), rng.standard_normal(20))


@pytest.mark.spec("LIN-P05")
@pytest.mark.parametrize(
    ("ball", "theta", "expected"), [("l1", 2.0, (2.0, 0.0)), ("l2", 2.0, (1.4, -0.2)), ("l0", None, (7 / 3, 0.0))]
)
def test_the_ball_touches_the_contour_at_the_constrained_optimum(ball, theta, expected):
    ax = plot.penalty_geometry(*B, ball, theta=theta)
    labelled(ax)
    np.testing.assert_allclose(lines(ax)["constrained optimum"].get_xydata()[0], expected, atol=1e-6)
    np.testing.assert_allclose(lines(ax)["least squares"].get_xydata()[0], [7 / 3, -1 / 3])


@pytest.mark.spec("LIN-P05")
def test_inactive_bounds_and_penalty_curves():
    free = plot.penalty_geometry(*B, "l1", theta=100.0)
    np.testing.assert_allclose(lines(free)["constrained optimum"].get_xydata()[0], [7 / 3, -1 / 3])
    ax = plot.penalty_curves()
    labelled(ax)
    w = ax.lines[0].get_xdata()
    for line, penalty in zip(ax.lines, (L0(), L1(), L2()), strict=True):
        np.testing.assert_allclose(line.get_ydata(), penalty.term(w))


@pytest.mark.spec("LIN-P06")
def test_coefficient_path_over_lambda_and_norm():
    found = path(*B, SquaredLoss(), L1(), lams=[14.0, 4.0, 2.0, 1.0], fit_intercept=False)
    panels = plot.coefficient_path(found.lams, found.coefs, names=["a", "b"], chosen=2.0)
    labelled(panels["nonzeros"])
    top, low = panels["coefficients"], panels["nonzeros"]
    np.testing.assert_allclose(top.lines[0].get_ydata(), [0, 5 / 3, 2, 13 / 6], atol=1e-6)
    np.testing.assert_allclose(top.lines[0].get_xdata(), [14, 4, 2, 1])
    np.testing.assert_array_equal(low.lines[0].get_ydata(), [0, 1, 1, 2])
    assert {text.get_text() for text in top.texts} == {"a", "b"}
    assert top.lines[-1].get_xdata()[0] == 2.0
    knots = path(*B, SquaredLoss(), L1(), exact=True, fit_intercept=False)
    panels = plot.coefficient_path(knots.lams, knots.coefs, over="norm", knots=True)
    np.testing.assert_allclose(panels["coefficients"].lines[0].get_xdata(), knots.norms)
    assert panels["coefficients"].lines[0].get_marker() == "o"


@pytest.mark.spec("LIN-P07")
def test_priors_posterior_and_band():
    ax = plot.prior_densities(2.0)
    labelled(ax)
    w = ax.lines[0].get_xdata()
    for line in ax.lines:  # both are densities of standard deviation 2
        np.testing.assert_allclose(np.trapezoid(line.get_ydata() * w**2, w), 4.0, rtol=0.1)
    X, y = wave()
    model = BayesianLinearRegression(sigma2=0.04).fit(X, y)
    joint = BayesianLinearRegression(sigma2=0.25, fit_intercept=False).fit(*A).posterior_
    ax = plot.posterior_ellipses({"posterior": (joint.mean, joint.cov)}, truth=[0.2, 0.5])
    labelled(ax)
    np.testing.assert_allclose(ax.patches[0].center, [0.1860465, 0.4651163], atol=1e-6)
    area = np.pi / 4 * ax.patches[1].width * ax.patches[1].height
    np.testing.assert_allclose(area, np.pi * 5.991465 * np.sqrt(np.linalg.det(joint.cov)), rtol=1e-5)
    x = np.linspace(0, 1, 50)
    mean, std = model.predict(x[:, None], return_std=True)
    ax = plot.predictive_band(x, mean, std, data=(X[:, 0], y))
    labelled(ax)
    np.testing.assert_allclose(lines(ax)["mean"].get_ydata(), mean)
    edge = ax.collections[0].get_paths()[0].vertices[:, 1]
    np.testing.assert_allclose([edge.min(), edge.max()], [(mean - 2 * std).min(), (mean + 2 * std).max()])


def logistic_problem(intercept="penalized"):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 5)) * np.geomspace(1, 0.1, 5)
    y = np.where(X[:, 0] + 0.5 * rng.standard_normal(80) > 0, 1.0, -1.0)
    return Problem(Design(X, intercept=intercept), y, LogisticLoss(), L2(1.0, half=True), np.ones(80))


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
    schedules = {"constant": Constant(0.1), "inverse": Inverse(1.0), "capped": Capped()}
    ax = plot.schedule_curves(schedules, n_steps=50)
    labelled(ax)
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


@pytest.mark.spec("LIN-P13")
def test_a_far_point_moves_least_squares_only():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal([-1.5, 0], 0.5, (40, 2)), rng.normal([1.5, 0], 0.5, (40, 2))])
    y = np.repeat([0, 1], 40)
    models = {
        "least squares": LinearModelClassifier(loss="squared", lam=1e-6, objective="sum"),
        "logistic": LinearModelClassifier(loss="logistic", lam=1e-3),
    }
    panels = plot.far_point(models, X, y, [[40.0, 40.0]] * 5, 1)
    labelled(panels["without"])
    angle = {}
    for name, ax in panels.items():
        assert set(models) == set(lines(ax))
        angle[name] = {model: _direction(lines(ax)[model].get_xydata()) for model in models}
    turned = {model: abs(angle["with"][model] - angle["without"][model]) for model in models}
    assert turned["least squares"] > 10 * turned["logistic"]
    assert len(panels["with"].collections[1].get_offsets()) == 45


def _direction(ends):
    (x0, y0), (x1, y1) = ends
    return np.arctan2(y1 - y0, x1 - x0) % np.pi


@pytest.mark.spec("LIN-P14")
def test_sigmoid_and_probability_surface():
    ax = plot.sigmoid_and_sign()
    labelled(ax)
    z = ax.lines[0].get_xdata()
    np.testing.assert_allclose(ax.lines[0].get_ydata(), sigmoid(z))
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), z > 0)
    X, y = make_threshold(random_state=0)
    model = LinearModelClassifier(loss="logistic", lam=0.01).fit(X, y)
    ax = plot.probability_surface(model, X, y)
    labelled(ax)
    half = ax.collections[1].get_paths()[2].vertices
    np.testing.assert_allclose(model.predict_proba(half)[:, 1], 0.5, atol=1e-3)
    ax = plot.probability_surface(model, X, kind="surface")
    assert ax.get_zlabel() == "probability"


@pytest.mark.spec("LIN-P15")
def test_curves_of_feature_maps_and_monomials():
    x = np.array([-1.0, 0.5, 2.0, 5.0])
    panels = plot.feature_curves({"parts": PosNegPart(), "waterfall": Waterfall(breaks=(1.0, 3.0))}, x)
    drawn = np.column_stack([line.get_ydata() for line in panels["waterfall"].lines])
    np.testing.assert_allclose(drawn, [[-1, 0, 0], [0.5, 0, 0], [1, 1, 0], [1, 2, 2]])
    assert len(panels["parts"].lines) == 2
    assert list(plot.feature_curves())[2:] == ["cap at 2", "indicator x > 0", "winsorised"]
    grid = plot.monomials(2)
    assert list(grid) == ["$1$", "$x_1$", "$x_2$", "$x_1^2$", "$x_1 x_2$", "$x_2^2$"]
    cross = grid["$x_1 x_2$"].images[0].get_array()
    np.testing.assert_allclose(cross[0, 0], 1.0)
    np.testing.assert_allclose(cross[0, -1], -1.0)


@pytest.mark.spec("LIN-161", "LIN-P16")
def test_the_boundary_goes_through_the_inverse_where_there_is_one():
    X, y = make_center_corner(shape="ring", random_state=0)
    model = make_pipeline(PolarFeatures(), LogisticRegression()).fit(X, y)
    ax = plot.decision_boundary(model, X, y)
    labelled(ax)
    curve = lines(ax)["boundary"].get_xydata()
    curve = curve[np.isfinite(curve[:, 0])]
    assert len(curve) > 500
    np.testing.assert_allclose(model.decision_function(curve), 0.0, atol=1e-8)
    # The same curve by the grid, to the width of a cell.
    ax = plot.decision_boundary(model, X, y, method="grid")
    assert "boundary" not in lines(ax)
    contour = ax.collections[1].get_paths()[0].vertices
    nearest = np.min(np.linalg.norm(contour[:, None] - curve[None], axis=2), axis=1)
    assert np.quantile(nearest, 0.9) < 0.05


@pytest.mark.spec("LIN-161", "LIN-P16")
def test_the_boundary_is_found_by_grid_where_no_inverse_exists():
    X, y = make_threshold(random_state=0)
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    assert "boundary" not in lines(plot.decision_boundary(tree, X, y))
    quadratic = make_pipeline(PolynomialFeatures(2), StandardScaler(), LogisticRegression()).fit(X, y)
    ax = plot.decision_boundary(quadratic, X, y)
    contour = ax.collections[1].get_paths()[0].vertices
    np.testing.assert_allclose(quadratic.decision_function(contour), 0.0, atol=0.05)
    with pytest.raises(ValueError, match="use method='grid'"):
        plot.decision_boundary(quadratic, X, y, method="inverse")
    three = LogisticRegression().fit(X, np.digitize(X[:, 0], [-0.5, 1.0]))
    assert len(plot.decision_boundary(three, X).collections) >= 3


@pytest.mark.spec("LIN-P16")
def test_boundary_in_x_and_plane_in_z():
    X, y = make_center_corner(random_state=0)
    model = make_pipeline(PolarFeatures(), LogisticRegression()).fit(X, y)
    panels = plot.boundary_in_both(model, X, y)
    labelled(*panels.values())
    ends = lines(panels["Z"])["boundary"].get_xydata()
    np.testing.assert_allclose(ends @ model[-1].coef_[0] + model[-1].intercept_, 0.0, atol=1e-9)
    Z = model[:-1].transform(X)
    np.testing.assert_allclose(panels["Z"].collections[1].get_offsets(), Z[y == 1])
    # More than two columns: the plane is seen along itself, the first coordinate is the score.
    many = make_pipeline(PolynomialFeatures(2, include_bias=False), LogisticRegression()).fit(X, y)
    panels = plot.boundary_in_both(many, X, y)
    score = panels["Z"].collections[1].get_offsets()[:, 0]
    np.testing.assert_allclose(score, many.decision_function(X)[y == 1])


@pytest.mark.spec("LIN-P16")
def test_four_problems_and_the_polar_remap():
    panels = plot.nonlinear_problems(LogisticRegression(C=100.0))
    assert len(panels) == 8
    assert all(panels[key].collections for key in panels)
    X, y = make_center_corner(shape="ring", random_state=0)
    panels = plot.polar_remap(X, y)
    labelled(*panels.values())
    after = panels["after"].collections[0].get_offsets()
    np.testing.assert_allclose(after[:, 0], np.linalg.norm(X[y == 0], axis=1))


@pytest.mark.spec("LIN-P17")
def test_whitening_steps():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 2)) @ np.array([[2.0, 1.2], [0.0, 0.5]]) + [3.0, 2.0]
    panels = plot.whitening_steps(X)
    assert list(panels) == ["raw", "centred", "whitened", "unit length"]
    points = {name: np.asarray(ax.collections[0].get_offsets()) for name, ax in panels.items()}
    np.testing.assert_allclose(points["raw"], X)
    np.testing.assert_allclose(points["centred"].mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(points["whitened"], Whitener().fit_transform(X))
    np.testing.assert_allclose(np.linalg.norm(points["unit length"], axis=1), 1.0)
    assert len(plot.whitening_steps(X, X[:, 0] > 3)["raw"].collections) == 2


@pytest.mark.spec("LIN-P18")
def test_selection_errors_and_boundaries_of_subsets():
    X, y = make_informative_pair(random_state=0)
    runs = {
        direction: GreedySelector("least_squares", direction, stop="full_path").fit(X, y).errors_
        for direction in ("forward", "backward")
    }
    ax = plot.selection_errors(runs)
    labelled(ax)
    for name, errors in runs.items():
        np.testing.assert_allclose(lines(ax)[name].get_ydata(), errors)
    pair = X[:, :2]
    ax = plot.subset_boundaries(LogisticRegression(), pair, y)
    labelled(ax)
    first, second, both = ax.lines
    assert np.ptp(first.get_xdata()) == 0.0  # one feature: a line across its axis
    assert np.ptp(second.get_ydata()) == 0.0
    fitted = LogisticRegression().fit(pair, y)
    np.testing.assert_allclose(both.get_xydata() @ fitted.coef_[0] + fitted.intercept_, 0.0, atol=1e-9)
    counts = sum(patch.get_height() for patch in ax.child_axes[0].patches)
    assert counts == len(y)


@pytest.mark.spec("LIN-P19")
def test_coefficients_as_bars_with_intervals():
    data = load_diabetes()
    model = Ridge(alpha=0.1).fit(data.data, data.target)
    spread = np.linspace(10, 50, 10)
    intervals = np.column_stack([model.coef_ - spread, model.coef_ + spread])
    ax = plot.coefficients(model.coef_, data.feature_names, intervals=intervals)
    order = np.argsort(-np.abs(model.coef_))
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], model.coef_[order])
    assert [text.get_text() for text in ax.get_yticklabels()] == [data.feature_names[j] for j in order]
    np.testing.assert_allclose(ax.collections[0].get_segments()[0][:, 0], intervals[order[0]])
    assert ax.get_xlabel()


def test_pictures_draw_on_the_axes_they_are_given_and_change_nothing_else():
    before = dict(mpl.rcParams)
    figure, grid = plt.subplots(1, 2)
    assert plot.margin_losses(ax=grid[0]) is grid[0]
    panels = plot.polar_remap(*TWO, ax=grid)
    assert list(panels.values()) == list(grid)
    assert plt.get_fignums() == [figure.number]
    assert dict(mpl.rcParams) == before
    with pytest.raises(ValueError, match="give as many"):
        plot.polar_remap(*TWO, ax=grid[:1])


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plot.penalty_geometry(np.ones((3, 3)), np.ones(3)), "two columns"),
        (lambda: plot.penalty_geometry(*B, "l3"), "choose 'l1'"),
        (lambda: plot.coefficient_path([1.0], np.ones((2, 2))), "one row of coefficients per λ"),
        (lambda: plot.coefficient_path([1.0], np.ones((1, 2)), over="time"), "choose 'lam'"),
        (lambda: plot.coefficients([1.0], ["a", "b"]), "give one each"),
        (lambda: plot.convergence({"a": {"iteration": [0]}}), "none of the histories"),
        (lambda: plot.convergence({}, x="day"), "choose from"),
        (lambda: plot.primal_dual({"iteration": [0], "objective": [1.0]}), "neither 'dual' nor 'gap'"),
        (lambda: plot.decision_lines({"tree": DecisionTreeClassifier().fit(*TWO)}, *TWO), "coefficient vector"),
        (lambda: plot.decision_boundary(None, *TWO, method="magic"), "choose 'auto'"),
        (lambda: plot.solver_race(logistic_problem("free"), ["dcd"]), "cannot solve this"),
        (lambda: plot.probability_surface(LogisticRegression().fit(*TWO), TWO[0], kind="bars"), "choose 'contours'"),
    ],
)
def test_bad_requests_say_what_to_do(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_keep_their_names(frame):
    X, y = make_center_corner(random_state=0)
    X = frame(dict(zip(["east", "north"], X.T, strict=True)))
    model = make_pipeline(PolarFeatures(), LogisticRegression()).fit(X, y)
    ax = plot.decision_boundary(model, X, y)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("east", "north")
    assert plot.probability_surface(model, X, y).get_xlabel() == "east"
    plot.boundary_in_both(model, X, y)
    line = LinearRegression().fit(X[["east"]], y)
    assert plot.fits({"line": line}, X[["east"]], y).get_xlabel() == "east"


def test_degenerate_data_can_be_drawn():
    one = np.array([[1.0, 1.0]])
    plot.whitening_steps(np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 3.5]]))
    plot.decision_lines({"line": (np.array([1.0, 0.0]), -1.0)}, one, [1])
    plot.fits({}, np.ones((3, 1)), np.ones(3))
    plot.coefficients([0.0])
    plot.errors_per_update([0.0])
    solution = Problem(Design(np.eye(2)), np.ones(2), SquaredLoss(), L2(1.0), np.ones(2))
    plot.solver_race(solution, ["newton"])
