"""Golden values of nearest neighbours, landmarks and networks of radial functions."""

import numpy as np
import pytest

from gnomon.neighbors import KNeighborsClassifier, KNeighborsRegressor

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
