"""Thin-plate splines and kriging."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import CubicSpline

from gnomon.gp import GaussianProcessRegressor, ThinPlateSpline
from gnomon.kernels import Spherical

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.5]])
LIFTED = np.array([0.0, 0.0, 0.0, 0.0, 1.0])
MEUSE = Path(__file__).parents[3] / "shared/data/gp/meuse.csv"


@pytest.mark.spec("GP-G20", "GP-026", "GP-027", "GP-029")
def test_a_plate_lifted_in_the_middle():
    plate = ThinPlateSpline().fit(SQUARE, LIFTED)
    assert_allclose(plate.weights_, [-0.480898347] * 4 + [1.923593388], rtol=1e-8)
    assert_allclose(plate.affine_, [2.0 / 3.0, 0.0, 0.0], atol=1e-12)
    found = plate.predict([[0.25, 0.25], [0.5, 0.0], [2.0, 2.0]])
    assert_allclose(found, [0.588570709, 0.365863294, -1.026771820], rtol=1e-8)
    assert_allclose(plate.bending_energy_, 48.345174846)
    smoothed = ThinPlateSpline(0.1).fit(SQUARE, LIFTED).predict(SQUARE)
    assert_allclose(smoothed, [0.038768082] * 4 + [0.844927674], rtol=1e-7)


@pytest.mark.spec("GP-G21", "GP-027")
def test_the_side_condition_is_kept():
    plate = ThinPlateSpline().fit(SQUARE, LIFTED)
    T = np.hstack([np.ones((5, 1)), SQUARE])
    assert_allclose(T.T @ plate.weights_, 0.0, atol=1e-12)
    assert np.max(np.abs(plate.weights_ + 1.154156033)) > 0.5


@pytest.mark.spec("GP-G22", "GP-028", "GP-L11")
def test_one_column_is_the_natural_cubic_spline():
    x, y = np.array([0.0, 1.0, 2.5, 4.0]), np.array([0.0, 2.0, 1.0, 3.0])
    new = np.array([0.5, 1.7, 3.0])
    plate = ThinPlateSpline().fit(x[:, None], y)
    assert_allclose(plate.predict(new[:, None]), [1.256756757, 1.706882883, 1.246246246], rtol=1e-8)
    spline = CubicSpline(x, y, bc_type="natural")
    assert_allclose(plate.predict(new[:, None]), spline(new), rtol=1e-10)
    t = np.linspace(0.0, 4.0, 100_001)
    assert_allclose(plate.bending_energy_, np.trapezoid(spline(t, 2) ** 2, t), rtol=1e-6)


@pytest.mark.spec("GP-L11", "GP-028", "GP-029")
@pytest.mark.parametrize("d", [1, 2, 3, 5])
@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e4])
def test_laws_of_plates(d, unit):
    rng = np.random.default_rng(d)
    X, new = rng.standard_normal((20, d)), rng.standard_normal((5, d))
    y = np.sin(X).sum(axis=1)
    plate = ThinPlateSpline().fit(unit * X + 7.0, y)
    base = ThinPlateSpline().fit(X, y)
    assert_allclose(plate.predict(unit * X + 7.0), y, atol=1e-8)
    assert_allclose(plate.predict(unit * new + 7.0), base.predict(new), atol=1e-7)
    # The formula in the user's units, from the reported coefficients.
    r = np.linalg.norm(new[:, None] - X[None], axis=2)
    phi = {1: r**3, 2: r**2 * np.log(r)}.get(d, -r)
    assert_allclose(base.affine_[0] + new @ base.affine_[1:] + phi @ base.weights_, base.predict(new), atol=1e-8)
    slope = np.arange(1.0, d + 1.0)
    plane = ThinPlateSpline().fit(X, 3.0 + X @ slope)
    assert_allclose(plane.weights_, 0.0, atol=1e-9)
    assert_allclose(plane.affine_, [3.0, *slope], atol=1e-9)
    turn = np.linalg.qr(rng.standard_normal((d, d)))[0]
    assert_allclose(ThinPlateSpline().fit(X @ turn, y).predict(new @ turn), base.predict(new), atol=1e-8)
    weights = rng.integers(0, 3, 20)
    weighted = ThinPlateSpline(0.3).fit(X, y, sample_weight=weights)
    repeated = ThinPlateSpline(0.3).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_allclose(weighted.predict(new), repeated.predict(new), atol=1e-6)
    both = ThinPlateSpline(0.3).fit(X, np.column_stack([y, 2.0 * y]))
    assert_allclose(both.predict(new)[:, 1], 2.0 * both.predict(new)[:, 0])


@pytest.mark.spec("GP-L11", "GP-027")
def test_no_other_function_through_the_points_bends_less():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(12, 2))
    y = np.sin(4.0 * X[:, 0]) + X[:, 1] ** 2
    least = ThinPlateSpline().fit(X, y).bending_energy_
    for _ in range(10):
        more = np.vstack([X, rng.uniform(size=(1, 2))])
        other = ThinPlateSpline().fit(more, np.append(y, rng.standard_normal()))
        assert other.bending_energy_ >= least - 1e-9


@pytest.mark.spec("GP-027")
def test_points_that_leave_the_plane_free():
    with pytest.raises(ValueError, match="all on one line"):
        ThinPlateSpline().fit([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], [0.0, 1.0, 2.0])
    with pytest.raises(ValueError, match="give at least 5 points in general position"):
        ThinPlateSpline().fit(np.eye(4), np.ones(4))
    with pytest.raises(ValueError, match="rows 0 and 1 of X are equal"):
        ThinPlateSpline().fit([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [0.0, 1.0, 2.0, 3.0])


@pytest.mark.spec("GP-G31")
@pytest.mark.skipif(not MEUSE.exists(), reason="the data are not here")
def test_kriging_a_river_bank():
    table = np.genfromtxt(MEUSE, delimiter=",", names=True, dtype=None, encoding="utf-8")
    X, y = np.column_stack([table["x"], table["y"]]), np.log(table["zinc"])
    model = GaussianProcessRegressor(0.5906078 * Spherical(897.0209), noise=0.05066243, mean="constant", optimizer=None)
    mean, std = model.fit(X, y).predict(
        [[181180.0, 333740.0], [181140.0, 333700.0]], return_std=True, include_noise=True
    )
    assert_allclose(mean, [6.49962408, 6.62235552], rtol=1e-7)
    assert_allclose(std**2, [0.31980839, 0.25202049], rtol=1e-6)
