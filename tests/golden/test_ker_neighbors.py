"""Golden values of nearest neighbours, landmarks and networks of radial functions."""

import numpy as np
import pytest

from gnomon.kernels import RBF
from gnomon.neighbors import KNeighborsClassifier, KNeighborsRegressor, RBFNetworkRegressor, SimilarityModel
from gnomon.numerics.linalg import RankWarning
from gnomon.optim import _radial_network

x = np.array([0.0, 1.0, 2.0, 4.0, 7.0])[:, None]
y = np.array([0, 0, 1, 1, 1])


@pytest.mark.spec("KER-G49", "KER-081", "KER-083")
def test_five_points_on_a_line():
    assert KNeighborsRegressor(3).fit(x, y).predict([[3.0]])[0] == pytest.approx(2 / 3, abs=1e-15)
    assert KNeighborsRegressor(3, weights="distance").fit(x, y).predict([[3.0]])[0] == pytest.approx(0.8, abs=1e-15)
    curve = KNeighborsRegressor().fit(x, y).error_curve(x, y, range(1, 6))
    np.testing.assert_allclose(curve.errors, [0.0, 0.05, 0.1555556, 0.175, 0.24], atol=5e-8)
    np.testing.assert_array_equal(curve.effective_dof, 5 / np.arange(1, 6))
    assert KNeighborsClassifier(3).fit(x, y).predict([[3.0]])[0] == 1


@pytest.mark.spec("KER-G46", "KER-088")
def test_interpolation_of_three_points():
    x, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 1.0])
    for gamma, weights, at, value in [
        (1.0, [-0.3326131, 0.8699799, 0.6860443], 0.5, 0.4908103),
        (0.5, [-0.8448678, 1.3234131, 0.3116498], 1.5, 1.1686495),
    ]:
        model = RBFNetworkRegressor("all", gamma=gamma, mode="interpolate").fit(x, y)
        np.testing.assert_allclose(model.coef_, weights, atol=5e-8)
        assert model.predict([[at]])[0] == pytest.approx(value, abs=5e-8)


@pytest.mark.spec("KER-G47", "KER-089", "KER-090")
def test_two_centres_and_four_points():
    x, y, centers = np.arange(4.0)[:, None], np.array([0.0, 1.0, 1.0, 0.0]), [[0.5], [2.5]]
    fixed = RBFNetworkRegressor(centers, gamma=1.0).fit(x, y)
    np.testing.assert_allclose(fixed.coef_, 0.6354975, atol=5e-8)
    assert fixed.objective_ == pytest.approx(0.8761862399, abs=5e-11)
    problem = _radial_network.RadialProblem(
        _radial_network.scaled_squares(x, np.array(centers), np.ones(1)), y[:, None], np.ones(4), 0.0, False, False
    )
    assert problem.reduced(np.zeros(1))[1][0] == pytest.approx(0.2201428096, abs=5e-11)
    learned = RBFNetworkRegressor(centers, gamma=1.0, learn_gamma=True, tol=1e-12).fit(x, y)
    assert learned.gamma_ == pytest.approx(0.5 * np.log(2.0), abs=1e-6)
    assert learned.objective_ == pytest.approx(0.72, abs=1e-12)
    np.testing.assert_allclose(learned.coef_, 0.4652833, atol=1e-6)


@pytest.mark.spec("KER-G48", "KER-084", "KER-013")
def test_three_landmarks():
    points, values, at = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [1.0, 1.0, 0.0], [[0.5, 0.0]]
    model = SimilarityModel(kernel=RBF(1.0)).fit(points, values)
    assert model.predict(at)[0] == pytest.approx(1.7649938052, abs=5e-11)
    assert model.set_params(normalize=True).predict(at)[0] == pytest.approx(0.7673034624, abs=5e-11)
    nearest = KNeighborsRegressor(1, kernel=RBF(1.0)).fit([[0.0]], [1.0])
    assert nearest.kneighbors([[1.0]])[0].item() == pytest.approx(0.8870956434, abs=5e-11)


@pytest.mark.spec("KER-G50", "KER-L39", "KER-088")
def test_a_singular_matrix_of_radial_functions():
    X = np.random.default_rng(0).normal(size=(20, 2))
    y = X[:, 0] + 1.0
    model = RBFNetworkRegressor("all", gamma=0.001, mode="interpolate")
    with pytest.warns(RankWarning, match="condition number"):
        model.fit(X, y)
    assert model.condition_ > 1e16
    # Of least norm among those that fit to the precision that is left.
    assert np.linalg.norm(model.coef_) < 1e7
    np.testing.assert_allclose(model.predict(X), y, atol=1e-3)
