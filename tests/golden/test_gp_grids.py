"""Interpolation on grids: filters, taps and variances."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gnomon.gp import GridInterpolator, grid_kernel_matrix, spline_prefilter
from gnomon.kernels import BSpline, CatmullRom

Y = np.array([1.0, 3.0, 2.0, 5.0, 4.0])


@pytest.mark.spec("GP-G10", "GP-032", "GP-036")
def test_linear_interpolation():
    mean, std = GridInterpolator("linear").fit(Y).predict([[1.3], [1.5]], return_std=True)
    assert_allclose(mean, [2.7, 2.5])
    assert_allclose(std**2, [0.42, 0.5])


@pytest.mark.spec("GP-G11", "GP-036")
def test_taps_and_variances_of_catmull_rom():
    impulses = GridInterpolator("catmull_rom").fit((np.arange(10.0),), np.eye(10))
    half, quarter = impulses.predict([[4.5], [4.25]])
    assert_allclose(half[3:7], np.array([-1.0, 9.0, 9.0, -1.0]) / 16.0)
    assert_allclose(quarter[3:7], [-0.0703125, 0.8671875, 0.2265625, -0.0234375])
    std = impulses.predict([[4.5], [4.25]], return_std=True)[1]
    assert std.shape == (2, 10)
    assert_allclose(std[:, 0] ** 2, [0.359375, 0.191162109], rtol=1e-8)


@pytest.mark.spec("GP-G12")
def test_taps_of_cubic_splines():
    C = BSpline(3).stencil.C
    assert_allclose(C @ 0.5 ** np.arange(4), np.array([1.0, 23.0, 23.0, 1.0]) / 48.0)
    assert_allclose(C @ 0.25 ** np.arange(4), [0.0703125, 0.6119791667, 0.3151041667, 0.0026041667], atol=1e-10)


@pytest.mark.spec("GP-G13", "GP-G14", "GP-034", "GP-035")
@pytest.mark.parametrize(
    ("order", "boundary", "expected"),
    [
        (3, "gp", [0.423076923, 4.307692308, 0.346153846, 6.307692308, 4.423076923]),
        (3, "mirror", [-0.839285714, 4.678571429, 0.125, 6.821428571, 2.589285714]),
        (3, "periodic", [-0.818181818, 4.636363636, 0.272727273, 6.272727273, 4.636363636]),
        (2, "gp", [0.716883117, 3.698701299, 1.090909091, 5.755844156, 4.374025974]),
        (2, "mirror", [0.061274510, 3.816176471, 1.041666667, 5.933823529, 3.355392157]),
    ],
)
def test_prefilters(order, boundary, expected):
    assert_allclose(spline_prefilter(Y, order, boundary), expected, atol=1e-9)


@pytest.mark.spec("GP-G15", "GP-034")
def test_the_impulse_response_of_the_cubic_prefilter():
    impulse = np.zeros(81)
    impulse[40] = 1.0
    found = spline_prefilter(impulse)[40:44]
    assert_allclose(found, [1.732050808, -0.464101615, 0.124355653, -0.033320997], atol=1e-9)
    assert_allclose(spline_prefilter(impulse)[40:50], np.sqrt(3.0) * (np.sqrt(3.0) - 2.0) ** np.arange(10), atol=1e-14)


@pytest.mark.spec("GP-G16", "GP-035")
def test_values_between_the_points():
    found = [
        GridInterpolator(kernel, boundary=boundary).fit(Y).predict([[1.5]]).item()
        for kernel, boundary in (("bspline3", "gp"), ("bspline3", "mirror"), ("catmull_rom", "mirror"))
    ]
    assert_allclose(found, [2.370192308, 2.426339286, 2.4375], rtol=1e-9)


@pytest.mark.spec("GP-G17", "GP-L12")
def test_without_the_prefilter_splines_smooth():
    K = grid_kernel_matrix("bspline3", 5, "mirror")
    assert_allclose((K @ Y)[1], 2.5)


@pytest.mark.spec("GP-G18", "GP-036")
def test_variances_half_way_between_points():
    expected = {"linear": 0.5, "bspline2": 0.164213562, "bspline3": 0.096514290, "sinc": 0.009888912}
    for kernel, variance in expected.items():
        model = GridInterpolator(kernel).fit(np.zeros(41))
        assert_allclose(model.predict([[20.5]], return_std=True)[1] ** 2, variance, rtol=1e-7, err_msg=kernel)


@pytest.mark.spec("GP-033")
def test_kernel_matrices_of_the_unit_grid():
    for kernel in ("nearest", "linear", "catmull_rom", CatmullRom(), "sinc"):
        assert_allclose(grid_kernel_matrix(kernel, 6), np.eye(6), atol=1e-15)
    for kernel, taps in (("bspline2", (1 / 8, 3 / 4)), ("bspline3", (1 / 6, 2 / 3))):
        near = np.diag(np.full(5, taps[0]), 1)
        expected = near + near.T + taps[1] * np.eye(6)
        assert_allclose(grid_kernel_matrix(kernel, 6), expected)
        expected[0, 1] = expected[-1, -2] = 2.0 * taps[0]
        assert_allclose(grid_kernel_matrix(kernel, 6, "mirror"), expected)
        round_about = near + near.T + taps[1] * np.eye(6)
        round_about[0, -1] = round_about[-1, 0] = taps[0]
        assert_allclose(grid_kernel_matrix(kernel, 6, "periodic"), round_about)
