"""The pictures of neighbours, landmarks and radial networks: what is drawn is what was computed."""

import numpy as np
import pytest

from gnomon import plot
from gnomon.kernels import RBF
from gnomon.neighbors import KNeighborsClassifier, KNeighborsRegressor, RBFNetworkRegressor, SimilarityModel
from gnomon.svm import KernelRidge
from pictures import clouds, labelled, lines, wave


@pytest.mark.spec("KER-P13", "KER-082")
def test_cells_of_one_neighbour():
    X, y = clouds([(0, 0), (2, 2)], n=12), np.repeat([0, 1], 12)
    ax = plot.voronoi_cells(KNeighborsClassifier(1).fit(X, y), X, y)
    labelled(ax)
    edges = [line for line in ax.lines if len(line.get_xdata()) == 2]
    assert len(edges) > 24
    # A point of an edge has two nearest rows at one distance.
    for edge in edges:
        middle = np.array([np.mean(edge.get_xdata()), np.mean(edge.get_ydata())])
        if np.abs(middle).max() < 3.0:
            near = np.sort(np.linalg.norm(X - middle, axis=1))
            assert near[1] - near[0] < 1e-6


@pytest.mark.spec("KER-P13", "KER-083")
def test_errors_over_neighbours_and_over_degrees_of_freedom():
    x, y = wave(60)
    x_new, y_new = wave(200, seed=1)
    model = KNeighborsRegressor().fit(x, y)
    curves = {"training": model.error_curve(x, y, range(1, 61)), "new": model.error_curve(x_new, y_new, range(1, 61))}
    panels = plot.neighbor_error_curves(curves, error="mean squared error")
    labelled(*panels.values())
    for name, curve in curves.items():
        np.testing.assert_array_equal(lines(panels["neighbors"])[name].get_ydata(), curve.errors)
        np.testing.assert_array_equal(lines(panels["dof"])[name].get_xdata(), 60 / np.arange(1, 61))


@pytest.mark.spec("KER-P12", "KER-084")
def test_the_surface_of_landmarks():
    model = SimilarityModel(kernel=RBF(0.5)).fit([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [1.0, 1.0, -2.0])
    ax = plot.landmark_surface(model, resolution=50)
    labelled(ax)
    assert [text.get_text() for text in ax.texts][-3:] == ["1", "1", "-2"]
    drawn = ax.collections[0].get_array()
    assert drawn.min() == pytest.approx(model.predict([[0.0, 1.0]])[0], abs=0.05)


@pytest.mark.spec("KER-P12", "KER-085")
def test_small_and_large_widths_as_sums_of_bumps():
    x, y = wave(9)
    models = {
        f"γ = {gamma:g}": RBFNetworkRegressor("all", gamma=gamma, mode="interpolate").fit(x, y)
        for gamma in (30.0, 3000.0)
    }
    panels = plot.radial_fits(models, x, y)
    for panel in panels.values():
        labelled(panel)
        bumps = [line.get_ydata() for line in panel.lines[:-1]]
        assert len(bumps) == 9
        np.testing.assert_allclose(np.sum(bumps, axis=0), lines(panel)["their sum"].get_ydata(), atol=1e-6)


@pytest.mark.spec("KER-P12", "KER-085")
def test_an_intercept_is_one_of_the_terms_that_are_drawn():
    x, y = wave(9)
    model = RBFNetworkRegressor("all", gamma=30.0, lam=1e-3, fit_intercept=True).fit(x, y + 50.0)
    panel = plot.radial_fits({"shifted": model}, x, y + 50.0)["shifted"]
    np.testing.assert_allclose(lines(panel)["$b$"].get_ydata(), model.intercept_)
    terms = [line.get_ydata() for line in panel.lines[:-1]]
    np.testing.assert_allclose(np.sum(terms, axis=0), lines(panel)["their sum"].get_ydata(), atol=1e-6)
    texts = [text.get_text() for text in plot.network_diagram(model).texts]
    assert f"$b$ = {model.intercept_:.3g}" in texts
    assert not any(
        "$b$" in text.get_text()
        for text in plot.network_diagram(RBFNetworkRegressor("all", gamma=30.0, lam=1e-3).fit(x, y)).texts
    )
    ridge = KernelRidge(0.1, kernel=RBF(0.1), parametric="constant").fit(x, y + 50.0)
    drawn = plot.bump_sums({"ridge": ridge})["ridge"].collections
    heights = [part.get_segments()[0][0, 1] for part in drawn if part.get_label() == "$b$"]
    assert heights == [pytest.approx(float(ridge.intercept_))]


@pytest.mark.spec("KER-P12")
def test_the_blocks_of_a_network():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    model = RBFNetworkRegressor(n_centers=8, random_state=0).fit(X, X[:, 0])
    texts = [text.get_text() for text in plot.network_diagram(model, most=4).texts]
    assert [f"$x_{{{j}}}$" in texts for j in (1, 2, 3)] == [True] * 3
    assert sum("$w_" in text for text in texts) == 4
    assert f"$w_{{1}}$ = {model.coef_[0]:.3g}" in texts
    assert texts.count("⋮") == 1
    assert "Σ" in texts
    two = RBFNetworkRegressor(n_centers=8, random_state=0).fit(X, X[:, :2])
    with pytest.raises(ValueError, match="2 outputs"):
        plot.network_diagram(two)
