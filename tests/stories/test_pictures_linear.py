"""The pictures of linear models: what is drawn is what was computed, with labels, on any axes, without traces."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.contour import ContourSet
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from gnomon import plot
from gnomon.datasets import make_center_corner
from gnomon.features import PolarFeatures, PolynomialMap
from gnomon.linear import BayesianLinearRegression, LinearRegression, Ridge, path
from gnomon.losses import AbsoluteLoss, HingeLoss, PinballLoss, SquaredLoss, Weighted, ZeroOneLoss
from gnomon.numerics.design import Design
from gnomon.numerics.special import sigmoid
from gnomon.optim import Problem
from gnomon.penalties import L0, L1, L2
from pictures import TWO, A, B, labelled, lines, logistic_problem, wave


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
    formulas = {
        "0/1": ZeroOneLoss().value(1.0, m),
        "perceptron": np.maximum(0, -m),
        "hinge": np.maximum(0, 1 - m),
        "squared hinge": np.maximum(0, 1 - m) ** 2,
        "logistic / log 2": np.log1p(np.exp(-m)) / np.log(2.0),
        "squared": (1 - m) ** 2,
    }
    for name, values in formulas.items():
        np.testing.assert_allclose(drawn[name], values, atol=1e-14, err_msg=name)
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
    ax = plot.cost_slopes(costs=(5.0, 2.0))
    np.testing.assert_allclose(ax.lines[0].get_ydata(), 5.0 * np.maximum(0, -ax.lines[0].get_xdata()))


@pytest.mark.spec("LIN-P02")
def test_dual_tangents_touch_the_logistic_loss_from_below():
    ax = plot.dual_tangents((0.2, 0.5))
    labelled(ax)
    loss, first, second, touch = ax.lines
    np.testing.assert_allclose(loss.get_ydata(), np.log1p(np.exp(-loss.get_xdata())))
    np.testing.assert_allclose(sigmoid(-touch.get_xdata()), [0.2, 0.5])
    for tangent, alpha, t, value in zip((first, second), (0.2, 0.5), touch.get_xdata(), touch.get_ydata(), strict=True):
        assert np.all(tangent.get_ydata() <= loss.get_ydata() + 1e-12)
        np.testing.assert_allclose(value, np.log1p(np.exp(-t)))
        np.testing.assert_allclose(tangent.get_ydata(), value - alpha * (tangent.get_xdata() - t), atol=1e-12)


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
    edges = np.vstack([line.get_xydata() for line in ax.lines if line.get_linewidth() == 2.0])
    size = {"l1": np.abs(edges).sum(axis=1), "l2": np.square(edges).sum(axis=1), "l0": np.abs(edges).min(axis=1)}[ball]
    np.testing.assert_allclose(size, theta or 0.0)
    # One of the contours of the error goes through the optimum.
    (contours,) = (found for found in ax.collections if isinstance(found, ContourSet))
    error = float(np.sum(np.square(B[1] - B[0] @ np.array(expected))))
    np.testing.assert_allclose(np.min(np.abs(contours.levels - error)), 0.0, atol=1e-6 * error)
    for level, paths in zip(contours.levels, contours.get_paths(), strict=True):
        drawn = np.sum(np.square(B[1][:, None] - B[0] @ paths.vertices.T), axis=0)
        np.testing.assert_allclose(drawn, level, rtol=0.05)


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
    # Both are densities of standard deviation 2.
    densities = [np.exp(-(w**2) / 8.0) / np.sqrt(8.0 * np.pi), np.exp(-np.abs(w) / np.sqrt(2.0)) / np.sqrt(8.0)]
    for line, density in zip(ax.lines, densities, strict=True):
        np.testing.assert_allclose(line.get_ydata(), density)
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


def test_no_curve_is_left_out_for_want_of_colours():
    many = {str(k): ([0.0, 0.0], np.eye(2)) for k in range(11)}
    assert len(plot.posterior_ellipses(many, levels=(0.5,)).patches) == 11
    assert len(plot.dual_tangents(np.linspace(0.1, 0.9, 11)).lines) == 13


def test_a_path_with_lam_on_the_loss_ends_before_infinity():
    X, y = load_diabetes(return_X_y=True)
    knots = path(X, y, SquaredLoss(), L1(), exact=True, objective="C")
    assert knots.lams[-1] == np.inf
    assert (
        plot.coefficient_path(knots.lams, knots.coefs)["coefficients"].lines[0].get_xdata().size == knots.lams.size - 1
    )


def test_pictures_of_two_classes_refuse_three_and_those_of_maps_a_bare_model():
    X = np.random.default_rng(0).normal(size=(60, 2))
    three = LogisticRegression().fit(X, np.arange(60) % 3)
    with pytest.raises(ValueError, match="this picture is of two"):
        plot.probability_surface(three, X)
    with pytest.raises(ValueError, match="give a pipeline"):
        plot.boundary_in_both(three, X, np.arange(60) % 3)
