"""The pictures of boundaries and feature maps: what is drawn is what was computed."""

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from gnomon import plot
from gnomon.datasets import (
    make_center_corner,
    make_informative_pair,
    make_linear_outliers,
    make_quadratic_boundary,
    make_threshold,
)
from gnomon.features import GreedySelector, PolarFeatures, PosNegPart, Waterfall, Whitener
from gnomon.linear import LinearModelClassifier, LinearSVM
from gnomon.numerics.special import sigmoid
from pictures import labelled, lines


@pytest.mark.spec("LIN-P13")
def test_a_far_point_moves_least_squares_only():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal([-1.5, 0], 0.5, (40, 2)), rng.normal([1.5, 0], 0.5, (40, 2))])
    y = np.repeat([0, 1], 40)
    models = {
        "least squares": LinearModelClassifier(loss="squared", lam=1e-6, objective="sum"),
        "logistic": LinearModelClassifier(loss="logistic", lam=1e-3),
        "SVM": LinearSVM(C=1.0),
    }
    panels = plot.far_point(models, X, y, [[40.0, 40.0]] * 5, 1)
    labelled(panels["without"])
    angle = {}
    for name, ax in panels.items():
        assert set(models) == set(lines(ax))
        angle[name] = {model: _direction(lines(ax)[model].get_xydata()) for model in models}
    turned = {model: abs(angle["with"][model] - angle["without"][model]) for model in models}
    for robust in ("logistic", "SVM"):
        assert turned["least squares"] > 10 * turned[robust]
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
    maps = {"parts": PosNegPart(), "waterfall": Waterfall(breaks=(1.0, 3.0))}
    panels = plot.feature_curves(maps, x)
    assert not any(hasattr(given, "n_features_in_") for given in maps.values())
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
    curve = lines(panels["X"])["boundary"].get_xydata()
    np.testing.assert_allclose(model.decision_function(curve[np.isfinite(curve[:, 0])]), 0.0, atol=1e-8)
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
    makers = (make_center_corner, make_linear_outliers, make_quadratic_boundary, make_threshold)
    given = LogisticRegression(C=100.0)
    panels = plot.nonlinear_problems(given)
    assert len(panels) == 8
    assert not hasattr(given, "coef_")
    titles = list(dict.fromkeys(title for title, _ in panels))
    for title, make in zip(titles, makers, strict=True):
        X, y, mapping = make(random_state=0, return_map=True)
        Z = mapping.fit_transform(X)
        model = LogisticRegression(C=100.0).fit(Z, y)
        assert model.score(Z, y) > LogisticRegression(C=100.0).fit(X, y).score(X, y)
        for k, (before, after) in enumerate(zip(*(points(panels[title, space]) for space in "XZ"), strict=True)):
            np.testing.assert_allclose(before, X[y == k])
            if Z.shape[1] == 2:
                np.testing.assert_allclose(after, Z[y == k])
            else:
                np.testing.assert_allclose(after[:, 0], model.decision_function(Z[y == k]))
    X, y = make_center_corner(shape="ring", random_state=0)
    for center, at in ((None, 0.0), ("mean", X.mean(axis=0)), ([1.0, -2.0], [1.0, -2.0])):
        panels = plot.polar_remap(X, y, center=center)
        labelled(*panels.values())
        for k, (before, after) in enumerate(zip(*map(points, panels.values()), strict=True)):
            moved = X[y == k] - at
            np.testing.assert_allclose(before, X[y == k])
            np.testing.assert_allclose(after, np.column_stack([np.hypot(*moved.T), np.arctan2(*moved.T[::-1])]))


def points(ax):
    return [np.asarray(part.get_offsets()) for part in ax.collections if isinstance(part, PathCollection)]


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
