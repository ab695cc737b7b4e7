"""Pictures of Gaussian processes: what is drawn is what was computed."""

import numpy as np
import pytest
from mpl_toolkits.mplot3d.art3d import Path3DCollection, Poly3DCollection
from numpy.testing import assert_allclose

from gnomon import plot
from gnomon.gp import GaussianProcessClassifier, GaussianProcessRegressor, ThinPlateSpline
from gnomon.kernels import RBF, Constant, Matern, Wendland
from gnomon.plot.boundary import grid_over
from pictures import labelled

X = np.array([[0.0], [0.7], [1.5], [2.6], [4.0]])
Y = np.sin(2.0 * X[:, 0])


@pytest.mark.spec("GP-P01")
def test_prior_draws():
    kernels = {"RBF": RBF(0.7), "Matérn ½": 4.0 * Matern(0.7, nu=0.5)}
    panels = plot.process_draws(kernels, n_draws=3, random_state=1)
    rough = [np.sum(np.diff(line.get_ydata()) ** 2) for line in panels["Matérn ½"].lines]
    smooth = [np.sum(np.diff(line.get_ydata()) ** 2) for line in panels["RBF"].lines]
    assert min(rough) > 10.0 * max(smooth)
    x = panels["RBF"].lines[0].get_xdata()
    expected = GaussianProcessRegressor(RBF(0.7)).sample_prior(x[:, None], 3, random_state=1)
    assert_allclose(panels["RBF"].lines[2].get_ydata(), expected[:, 2])
    band = panels["Matérn ½"].collections[0].get_paths()[0].vertices[:, 1]
    assert_allclose([band.min(), band.max()], [-4.0, 4.0])
    for ax in panels.values():
        labelled(ax)


def width(ax, place, which):
    """How high a band is at a place."""
    vertices = ax.collections[which].get_paths()[0].vertices
    return np.ptp(vertices[np.isclose(vertices[:, 0], place), 1])


@pytest.mark.spec("GP-P02")
def test_a_posterior_with_its_bands_and_draws():
    exact = GaussianProcessRegressor(RBF(0.7), noise=0.0, optimizer=None).fit(X, Y)
    ax = plot.process_band(exact, X, Y, n_draws=3)
    assert max(width(ax, place, 1) for place in X[:, 0]) < 1e-6
    draws = [line for line in ax.lines if line.get_linewidth() == 0.8]
    assert len(draws) == 3
    for line in draws:
        assert_allclose(np.interp(X[:, 0], *line.get_data()), Y, atol=1e-5)
    noisy = GaussianProcessRegressor(RBF(0.7), noise=0.04, optimizer=None).fit(X, Y)
    ax = plot.process_band(noisy, X, Y)
    mean, latent = noisy.predict([[1.5]], return_std=True)
    assert width(ax, 1.5, 1) == pytest.approx(4.0 * latent.item())
    assert width(ax, 1.5, 0) == pytest.approx(4.0 * np.sqrt(latent.item() ** 2 + 0.04))
    assert np.interp(1.5, *ax.lines[0].get_data()) == pytest.approx(mean.item())
    labelled(ax)


@pytest.mark.spec("GP-P03")
def test_kernels_cardinal_functions_and_taps_of_grids():
    panels = plot.grid_taps(["linear", "bspline3", "catmull_rom", "sinc"], t=0.25)
    whole = np.arange(-4, 5)
    for line in panels["cardinal"].lines:
        assert_allclose(np.interp(whole, *line.get_data()), whole == 0, atol=1e-6)
    taps = {line.get_label(): line.get_ydata() for line in panels["taps"].lines}
    assert_allclose(taps["linear"][4:6], [0.75, 0.25])
    assert_allclose(taps["catmull_rom"][3:7], [-0.0703125, 0.8671875, 0.2265625, -0.0234375], atol=1e-9)
    assert_allclose(panels["kernel"].lines[1].get_ydata()[400], 2.0 / 3.0)
    model = GaussianProcessRegressor(Matern(1.0, nu=1.5), noise=0.0, optimizer=None).fit(X, Y)
    ax = plot.cardinal_functions(model, X, rows=[1, 3])
    assert_allclose(np.interp(X[:, 0], *ax.lines[1].get_data()), [0.0, 0.0, 0.0, 1.0, 0.0], atol=1e-8)
    labelled(ax)


@pytest.mark.spec("GP-P04")
def test_the_sparsity_of_a_gram_matrix():
    rows = np.random.default_rng(0).uniform(0.0, 6.0, (40, 2))
    ax = plot.gram_sparsity(Wendland(1.5), rows)
    shown = len(ax.lines[0].get_xdata())
    assert shown == np.count_nonzero(Wendland(1.5).gram(rows))


@pytest.mark.spec("GP-P05")
def test_a_thin_plate_with_its_points():
    rows = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 1.0], [3.0, 1.0], [0.5, 0.5]])
    values = np.array([0.0, 0.0, 0.0, 0.0, 1.0])
    model = ThinPlateSpline(smoothing=0.1).fit(rows, values)
    ax = plot.spline_surface(model, rows, values, resolution=21)
    points = next(part for part in ax.collections if isinstance(part, Path3DCollection))
    assert_allclose(np.transpose(points._offsets3d), np.column_stack([rows, values]))
    surface = next(part for part in ax.collections if isinstance(part, Poly3DCollection))
    corners = np.vstack([vertices[:, :3] for vertices in surface._faces])
    assert_allclose(model.predict(corners[:, :2]), corners[:, 2], atol=1e-12)
    assert np.ptp(corners[:, 0]) > 2.0 * np.ptp(corners[:, 1])
    gaps = [np.ptp(line.get_data_3d()[2]) for line in ax.lines]
    assert_allclose(gaps, np.abs(model.predict(rows) - values))
    assert (ax.get_xlabel(), ax.get_zlabel()) == ("$x_1$", "$f$")


@pytest.mark.spec("GP-P07")
def test_the_surface_of_a_classifier():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((40, 2))
    labels = (np.sum(rows**2, axis=1) > 1.5).astype(int)
    model = GaussianProcessClassifier(4.0 * RBF(1.0), optimizer=None).fit(rows, labels)
    panels = plot.latent_surface(model, rows, labels, resolution=30)
    border = panels["mean"].collections[1].get_paths()[0].vertices
    assert_allclose(model.predict_proba(border)[:, 1], 0.5, atol=0.05)
    assert panels["deviation"].get_title("left") == "latent sd"
    points = grid_over(rows, 30)[2]
    mean, variance = model.predict_latent(points)
    shown = {name: panels[name].collections[0] for name in panels}
    for name, values in (
        ("probability", model.predict_proba(points)[:, 1]), ("mean", mean), ("deviation", np.sqrt(variance)),
    ):  # fmt: skip
        assert_allclose([shown[name].zmin, shown[name].zmax], [values.min(), values.max()])
    assert panels["probability"].get_title("left") == "P(1 | x)"
    three = GaussianProcessClassifier(optimizer=None).fit(rows, labels + (rows[:, 0] > 1.0))
    with pytest.raises(ValueError, match="this picture is of two"):
        plot.latent_surface(three, rows, labels)


@pytest.mark.spec("GP-P08")
def test_contours_of_the_evidence():
    rows = np.arange(8.0)[:, None]
    y = np.array([0.1, 0.7, 1.2, -0.1, -0.6, -1.2, -0.1, 0.9])
    model = GaussianProcessRegressor(Constant(1.0) * RBF(1.0), noise="learn").fit(rows, y)
    ax = plot.evidence_contours(model, (1, 2), spread=1.0, resolution=31)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("k2__length_scale", "noise")
    assert_allclose(np.ravel(ax.lines[0].get_data()), [1.0076, 0.06826], rtol=1e-3)
    inner = ax.collections[1].get_paths()[-1].vertices
    inside = [model.log_marginal_likelihood(np.log([0.5329376, *place])) for place in inner[::7]]
    assert_allclose(inside, model.log_marginal_likelihood_value_ - 0.25, atol=0.03)


@pytest.mark.spec("GP-P09")
def test_parallel_coordinates_coloured_by_class():
    rows = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [5.0, 6.0, 7.0]])
    ax = plot.parallel_coordinates(rows, [0, 0, 1], scale="raw", summary=False)
    colors = {line.get_ydata()[0]: line.get_color() for line in ax.lines if len(line.get_ydata()) == 3}
    assert sorted(colors) == [0.0, 1.0, 5.0]
    assert colors[0.0] == colors[1.0] != colors[5.0]
    assert colors[0.0] == plot.parallel_coordinates(rows[:2], [0, 0], scale="raw").lines[0].get_color()
