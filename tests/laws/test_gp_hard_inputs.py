"""Gaussian processes where numbers are hard: noise of many sizes, drifts far from zero, kernels that are none."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gnomon.gp import GaussianProcessRegressor, ThinPlateSpline
from gnomon.kernels import RBF

RNG = np.random.default_rng(0)
X, NEW = RNG.uniform(-2.0, 2.0, (20, 2)), RNG.uniform(-2.0, 2.0, (5, 2))
Y = np.sin(X[:, 0]) + 0.1 * RNG.standard_normal(20)


def exact(K, k, y, variances):
    """Mean and variance of a process of unit variance by equation (2)."""
    A = K + np.diag(variances)
    return k.T @ np.linalg.solve(A, y), 1.0 - np.sum(k * np.linalg.solve(A, k), axis=0)


@pytest.mark.parametrize("size", [1e6, 1e14, 1e20, 1e100])
def test_a_few_rows_of_huge_variance_are_left_out_and_spoil_nothing(size):
    alpha = np.full(20, 1e-4)
    alpha[::4] = size
    model = GaussianProcessRegressor(RBF(1.0), alpha=alpha, optimizer=None).fit(X, Y)
    assert model.jitter_ == 0.0
    some = alpha < 1.0
    mean, variance = exact(RBF(1.0).gram(X[some]), RBF(1.0).gram(X[some], NEW), Y[some], alpha[some])
    found, std = model.predict(NEW, return_std=True)
    assert_allclose(found, mean, atol=1e-4)
    assert_allclose(std**2, variance, atol=1e-4)
    weighted = GaussianProcessRegressor(RBF(1.0), alpha=1e-4, optimizer=None)
    assert_allclose(weighted.fit(X, Y, sample_weight=1e-4 / alpha).predict(NEW), found, rtol=1e-9)


def test_jitter_is_in_proportion_to_most_rows_and_not_to_those_of_huge_variance():
    rows = np.vstack([X, X[:5] + 1e-9])
    alpha = np.zeros(25)
    alpha[10] = 1e20
    with pytest.warns(UserWarning, match="was added to the diagonal"):
        model = GaussianProcessRegressor(RBF(1.0), alpha=alpha, optimizer=None).fit(rows, np.append(Y, Y[:5]))
    assert 0.0 < model.jitter_ < 1e-6


@pytest.mark.spec("GP-027", "GP-028")
@pytest.mark.parametrize("scale", [1e-150, 1e-110, 1e110, 1e150])
def test_a_spline_in_any_units_of_its_points(scale):
    places = X[:, :1] * scale
    found = ThinPlateSpline().fit(places, Y).predict(places + 0.01 * scale)
    assert_allclose(found, ThinPlateSpline().fit(X[:, :1], Y).predict(X[:, :1] + 0.01), rtol=1e-8)


@pytest.mark.spec("GP-027")
@pytest.mark.parametrize("weight", [1e-12, 1e-20, 1e-100])
def test_points_of_tiny_weight_leave_a_spline_as_it_is(weight):
    w = np.where(np.arange(20) < 4, weight, 1.0)
    spline = ThinPlateSpline(0.1).fit(X, Y, sample_weight=w)
    without = ThinPlateSpline(0.1).fit(X[4:], Y[4:])
    assert_allclose(spline.predict(NEW), without.predict(NEW), atol=1e-10)
    assert_allclose(spline.objective_, without.objective_, rtol=1e-10)


@pytest.mark.spec("GP-027")
@pytest.mark.parametrize("apart", [1e-9, 1e-11, 1e-15])
def test_a_spline_says_that_it_misses_points_which_are_nearly_equal(apart):
    rows, y = np.vstack([X, X[:1] + apart]), np.append(Y, Y[0] + 1.0)
    with pytest.warns(UserWarning, match="misses their values by up to") as said:
        spline = ThinPlateSpline().fit(rows, y)
    assert f"up to {np.max(np.abs(spline.predict(rows) - y)):.3g}" in str(said[0].message)


def test_equal_points_of_a_spline_that_differ():
    with pytest.raises(ValueError, match="give smoothing > 0, or remove one"):
        ThinPlateSpline().fit(np.vstack([X, X[:1]]), np.append(Y, Y[0] + 1.0))
