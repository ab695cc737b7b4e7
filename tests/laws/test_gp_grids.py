"""Laws of interpolation on grids."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from gnomon.gp import GaussianProcessRegressor, GridInterpolator, grid_kernel_matrix, spline_prefilter
from gnomon.kernels import RBF, BSpline, CatmullRom, Matern, RationalQuadratic, Sinc, TensorProduct, Wendland
from gnomon.numerics.linalg import BandedPrecision, NotPositiveDefiniteError, recursive_filter, tridiagonal_solve

NAMES = ("nearest", "linear", "bspline2", "bspline3", "bspline4", "bspline5", "catmull_rom", "sinc", "lanczos")
BOUNDARIES = ("gp", "mirror", "periodic")


def noise(*shape):
    return np.random.default_rng(0).standard_normal(shape)


def along(matrix, Y, axis):
    return np.moveaxis(np.tensordot(matrix, Y, (1, axis)), 0, axis)


@pytest.mark.spec("GP-020")
@pytest.mark.parametrize("dominant", [True, False])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 50])
def test_tridiagonal_systems(n, dominant):
    a, b, c = noise(3, n)
    b = b + 5.0 if dominant else b
    T = np.diag(b) + np.diag(a[1:], -1) + np.diag(c[:-1], 1)
    C = T.copy()
    C[0, -1] += a[0]
    C[-1, 0] += c[-1]
    for shape, axis in (((n,), 0), ((n, 20), 0), ((3, n), -1), ((2, n, 3), 1), ((40, n), 1)):
        Y = noise(*shape)
        assert_allclose(along(T, tridiagonal_solve(a, b, c, Y, axis=axis), axis), Y, atol=1e-9)
        assert_allclose(along(C, tridiagonal_solve(a, b, c, Y, axis=axis, cyclic=True), axis), Y, atol=1e-9)


@pytest.mark.spec("GP-020")
def test_tridiagonal_systems_in_units_and_bad_ones():
    Y = noise(7)
    plain = tridiagonal_solve(1.0, 4.0, 1.0, Y)
    for scale in (1e-150, 1e150):
        assert_allclose(tridiagonal_solve(scale, 4.0 * scale, scale, Y) * scale, plain, rtol=1e-13)
        assert_allclose(tridiagonal_solve(1.0, 4.0, 1.0, Y * scale) / scale, plain, rtol=1e-13)
    single = tridiagonal_solve(1.0, 4.0, 1.0, Y.astype(np.float32))
    assert single.dtype == np.float32
    assert_allclose(single, plain, rtol=1e-5)
    with pytest.raises(ValueError, match="tridiagonal matrix is singular"):
        tridiagonal_solve(1.0, 0.0, 1.0, np.ones(3))
    with pytest.raises(ValueError, match="cyclic tridiagonal matrix is singular"):
        tridiagonal_solve(-1.0, 2.0, -1.0, np.ones(5), cyclic=True)
    with pytest.raises(ValueError, match="upper must be a number or 3 of them"):
        tridiagonal_solve(1.0, 4.0, [1.0, 1.0], np.ones(3))
    with pytest.raises(ValueError, match="Y contains NaN or infinity"):
        tridiagonal_solve(1.0, 4.0, 1.0, [1.0, np.nan])
    with pytest.raises(ValueError, match="axis=2 of Y, which has 1 dim"):
        tridiagonal_solve(1.0, 4.0, 1.0, np.ones(3), axis=2)


@pytest.mark.spec("GP-020")
@pytest.mark.parametrize(("width", "asked"), [(0, 2), (1, 3), (2, 2), (3, 7), (2, 0)])
def test_systems_with_a_band(width, asked):
    n = 12
    A = 10.0 * np.eye(n)
    bands = np.zeros((width + 1, n))
    for k in range(1, width + 1):
        v = noise(n - k)
        A += np.diag(v, k) + np.diag(v, -k)
    for k in range(width + 1):
        bands[k, : n - k] = np.diag(A, k)
    found, inverse = BandedPrecision.of_bands(bands), np.linalg.inv(A)
    assert_allclose(A @ found.solve(noise(n, 2)), noise(n, 2), atol=1e-12)
    assert_allclose(found.log_det, np.linalg.slogdet(A)[1])
    assert_allclose(found.dense(), inverse, atol=1e-14)
    assert_allclose(found.diagonal(), np.diag(inverse))
    near = found.near_diagonal(asked)
    for k in range(asked + 1):
        assert_allclose(near[k, : n - k], np.diag(inverse, k), atol=1e-14)
    with pytest.raises(NotPositiveDefiniteError, match="band is not positive definite"):
        BandedPrecision.of_bands(-bands)


@pytest.mark.spec("GP-L13", "GP-034", "GP-035")
@pytest.mark.parametrize("order", [2, 3, 4, 5])
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_filters_solve_the_system_of_their_boundary(order, boundary):
    for n in (2, 3, 5, 8, 60):
        K = grid_kernel_matrix(f"bspline{order}", n, boundary)
        for shape, axis in (((n,), 0), ((n, 3), 0), ((2, n), 1)):
            Y = noise(*shape)
            c = spline_prefilter(Y, order, boundary, axis)
            assert_allclose(along(K, c, axis), Y, atol=1e-12)
            dense = np.moveaxis(np.linalg.solve(K, np.moveaxis(Y, axis, 0)), 0, axis)
            assert_allclose(c, dense, atol=1e-13 * np.linalg.cond(K))


@pytest.mark.spec("GP-L13")
@pytest.mark.parametrize("order", [2, 3])
def test_far_from_the_borders_boundaries_agree(order):
    Y = noise(60)
    gp, mirror, periodic = (spline_prefilter(Y, order, boundary) for boundary in BOUNDARIES)
    pole = abs(BSpline(order).poles[0])
    distance = np.minimum(np.arange(60), np.arange(59, -1, -1))
    allowed = 50.0 * pole**distance + 1e-13
    assert np.all(np.abs(gp - mirror) <= allowed)
    assert np.all(np.abs(periodic - mirror) <= allowed)
    assert np.max(np.abs(gp - mirror)) > 0.01


@pytest.mark.spec("GP-L12", "GP-031")
@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("kernel", NAMES)
def test_values_are_met_on_the_grid(kernel, boundary):
    Y = noise(9, 6, 2)
    axes = (np.linspace(-3.0, 1.0, 9), np.arange(6.0)[::-1] * 1e-3 + 5.0)
    model = GridInterpolator(kernel, boundary=boundary).fit(axes, Y)
    rows = np.array([[a, b] for a in axes[0] for b in axes[1]])
    mean, std = model.predict(rows, return_std=True)
    assert_allclose(mean, Y.reshape(-1, 2), atol=1e-12)
    assert np.max(std) < 1e-6
    assert_allclose(model.predict_grid(axes), Y, atol=1e-12)
    order = np.random.default_rng(1).permutation(54)
    again = GridInterpolator(kernel, boundary=boundary).fit(rows[order], Y.reshape(-1, 2)[order])
    new = np.column_stack([np.linspace(-2.9, 0.9, 7), np.linspace(5.0001, 5.0049, 7)])
    if boundary != "periodic":
        assert_allclose(again.predict(new), model.predict(new), atol=1e-11)


@pytest.mark.spec("GP-L12")
@pytest.mark.parametrize("kernel", [BSpline(n) for n in range(10)] + [CatmullRom()], ids=repr)
def test_taps_are_the_kernel_and_sum_to_one(kernel):
    first, C, lag = kernel.stencil
    t = np.linspace(0.0, 1.0, 11)[1:-1] - lag
    taps = np.vander(t, C.shape[1], increasing=True) @ C.T
    points = first + np.arange(len(C))
    assert_allclose(taps, kernel.value(t[:, None] - points), atol=1e-14)
    assert_allclose(taps.sum(axis=1), 1.0)


@pytest.mark.spec("GP-031")
@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("kernel", ["linear", "bspline2", "bspline3", "bspline5", "catmull_rom", "sinc", "lanczos"])
def test_derivatives_are_limits_of_differences(kernel, boundary):
    if kernel == "sinc" and boundary != "gp":
        with pytest.raises(ValueError, match="need boundary='gp'"):
            GridInterpolator(kernel, boundary=boundary).fit(noise(8)).predict([[1.0]], derivative=1)
        return
    model = GridInterpolator(kernel, boundary=boundary).fit((0.5 * np.arange(8), np.arange(5.0) - 2.0), noise(8, 5))
    X, h = np.array([[0.3, 0.7], [1.9, -1.6], [3.41, 1.9]]), 1e-5
    for d in range(2):
        e = h * np.eye(2)[d]
        slope = (model.predict(X + e) - model.predict(X - e)) / (2.0 * h)
        assert_allclose(model.predict(X, derivative=np.eye(2, dtype=int)[d]), slope, rtol=1e-6, atol=1e-8)
    if kernel in ("bspline3", "bspline5"):
        second = (model.predict(X, derivative=(1, 0)) - model.predict(X - [h, 0.0], derivative=(1, 0))) / h
        assert_allclose(model.predict(X, derivative=(2, 0)), second, atol=2e-3)
        mixed = (model.predict(X + np.array([0.0, h]), derivative=(1, 0)) - model.predict(X, derivative=(1, 0))) / h
        assert_allclose(model.predict(X, derivative=(1, 1)), mixed, atol=2e-3)
        assert_allclose(
            model.predict_grid([X[:, 0], X[:, 1]], derivative=(1, 1)).diagonal(), model.predict(X, derivative=(1, 1))
        )
    if (kernel, boundary) == ("linear", "periodic"):
        return  # which has a kink at the last point
    ends = model.predict(np.array([[0.0, 0.0], [3.5, 0.0]]) + 1e-9 * np.array([[1.0], [-1.0]]), derivative=(1, 0))
    assert_allclose(model.predict([[0.0, 0.0], [3.5, 0.0]], derivative=(1, 0)), ends, atol=1e-6)


@pytest.mark.spec("GP-031")
@pytest.mark.parametrize(
    "kernel", [RBF(0.8), Matern(0.8, nu=1.5), Wendland(1.7), RBF(0.8) * Matern(0.8, nu=2.5)], ids=repr
)
def test_derivatives_of_other_kernels(kernel):
    model = GridInterpolator(kernel, boundary="gp").fit([0.5 * np.arange(8)], noise(8))
    X, h = np.array([[0.3], [1.9], [3.41]]), 1e-5
    if not isinstance(kernel, RBF | Matern | Wendland):
        with pytest.raises(ValueError, match="has no derivative of order 1 here"):
            model.predict(X, derivative=1)
        return
    slope = (model.predict(X + h) - model.predict(X - h)) / (2.0 * h)
    assert_allclose(model.predict(X, derivative=1), slope, rtol=1e-6)
    with pytest.raises(ValueError, match="has no derivative of order 2 here"):
        model.predict(X, derivative=2)


@pytest.mark.spec("GP-L14", "GP-036", "GP-031")
@pytest.mark.parametrize(
    "kernel",
    [
        TensorProduct([BSpline(3, step=0.5), BSpline(2)]),
        TensorProduct([Wendland(1.7), CatmullRom()]),
        TensorProduct([Matern(0.6), BSpline(3, step=2.0)]),
        2.0 * RBF([0.4, 0.9]),
        TensorProduct([Sinc(0.5), BSpline(5)]),
    ],
    ids=repr,
)
def test_axis_by_axis_is_the_dense_process(kernel):
    axes = 0.5 * np.arange(7), np.arange(5.0)
    X = np.array([[a, b] for a in axes[0] for b in axes[1]])
    y = noise(len(X))
    new = np.column_stack([np.linspace(0.1, 2.9, 9), np.linspace(3.8, 0.1, 9)])
    model = GridInterpolator(kernel, boundary="gp").fit(axes, y.reshape(7, 5))
    mean, std = model.predict(new, return_std=True)
    K, k = kernel.gram(X), kernel.gram(X, new)
    assert_allclose(mean, k.T @ np.linalg.solve(K, y), atol=1e-9)
    variance = kernel.diag(new) - np.sum(k * np.linalg.solve(K, k), axis=0)
    assert_allclose(std**2, variance, atol=1e-10)
    dense = GaussianProcessRegressor(kernel, noise=0.0, optimizer=None, solver="cholesky").fit(X, y)
    assert_allclose(mean, dense.predict(new), atol=1e-9)
    whole, spread = model.predict_grid([new[:, 0], new[:, 1]], return_std=True)
    assert_allclose(whole.diagonal(), mean, atol=1e-12)
    assert_allclose(spread.diagonal(), std, atol=1e-9)


@pytest.mark.spec("GP-L14", "GP-031", "GP-036")
def test_three_axes_are_the_dense_process():
    kernel = TensorProduct([BSpline(3), Matern(0.8), RBF(0.5)])
    axes = np.arange(5.0), np.arange(4.0), np.array([0.0, 0.7, 1.4])
    X = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    y, new = noise(len(X)), np.random.default_rng(1).uniform(0.0, [4.0, 3.0, 1.4], (6, 3))
    mean, std = GridInterpolator(kernel, boundary="gp").fit(axes, y.reshape(5, 4, 3)).predict(new, return_std=True)
    K, k = kernel.gram(X), kernel.gram(X, new)
    assert_allclose(mean, k.T @ np.linalg.solve(K, y), atol=1e-9)
    assert_allclose(std**2, kernel.diag(new) - np.sum(k * np.linalg.solve(K, k), axis=0), atol=1e-10)


@pytest.mark.spec("GP-036")
def test_variances_depend_on_the_place_within_a_cell():
    model = GridInterpolator("bspline3").fit(noise(60))
    t = np.array([0.1, 0.4, 0.9])
    inside = [model.predict((i + t)[:, None], return_std=True)[1] for i in (25, 30, 33)]
    assert_allclose(inside[1:], [inside[0], inside[0]], rtol=1e-9)
    assert model.predict([[0.5]], return_std=True)[1] > inside[0].max()
    other = GridInterpolator("bspline3").fit(1e150 * noise(60)).predict([[25.1]], return_std=True)[1]
    assert_allclose(other, inside[0][0])
    around = GridInterpolator("bspline3", boundary="periodic").fit(noise(60))
    assert_allclose(*around.predict([[0.5], [59.5]], return_std=True)[1])
    dense = GridInterpolator(RBF(0.7), boundary="periodic").fit(noise(20))
    assert_allclose(*dense.predict([[0.5], [13.5]], return_std=True)[1], rtol=1e-6)
    banded = GridInterpolator(Wendland(2.5), boundary="periodic").fit(noise(20))
    assert_allclose(*banded.predict([[0.5], [19.5]], return_std=True)[1], rtol=1e-9)


@pytest.mark.spec("GP-035")
@pytest.mark.parametrize(
    "kernel", [RBF(0.7), Wendland(2.5), Matern(0.9), 2.0 * BSpline(3), BSpline(3, step=1.5)], ids=repr
)
@pytest.mark.parametrize("boundary", ["mirror", "periodic"])
def test_boundaries_of_any_kernel_are_sums_over_periods(kernel, boundary):
    n, Y = 12, noise(12)
    model = GridInterpolator(kernel, boundary=boundary).fit(Y)
    K = grid_kernel_matrix(kernel, n, boundary)
    assert_allclose(K @ model.coef_, Y, atol=1e-10)
    # The coefficients continued by hand, far enough.
    reach = np.arange(-10 * n, 11 * n)
    if boundary == "mirror":
        turned = reach % (2 * n - 2)
        c = model.coef_[np.minimum(turned, 2 * n - 2 - turned)]
    else:
        c = model.coef_[reach % n]
    x = np.array([[0.2], [3.7], [10.9]])
    assert_allclose(model.predict(x), kernel.gram(x, reach[:, None].astype(float)) @ c, atol=1e-10)


@pytest.mark.spec("GP-035")
def test_outside_of_the_grid():
    Y = np.array([1.0, 3.0, 2.0, 5.0])
    new = np.array([[-1.5], [1.0], [4.0]])
    for kernel in ("linear", "bspline3", "sinc"):
        make = lambda how, kernel=kernel: GridInterpolator(kernel, extrapolate=how).fit([np.arange(4.0)], Y)  # noqa: E731
        assert_allclose(make("nearest").predict(new), [1.0, 3.0, 5.0], atol=1e-12)
        assert_allclose(make("linear").predict(new), [1.0 - 1.5 * 2.0, 3.0, 5.0 + 3.0], atol=1e-11)
        assert_allclose(make("mean").predict(new), [2.75, 3.0, 2.75], atol=1e-12)
        assert_allclose(make("mean").predict_grid([new[:, 0]]), [2.75, 3.0, 2.75], atol=1e-12)
        with pytest.raises(ValueError, match=r"2 of 3 points are outside of the grid along axis 0, such as -1\.5"):
            make(None).predict(new)
        with pytest.raises(ValueError, match="derivatives exist inside only"):
            make("nearest").predict(new, derivative=1)
    far = GridInterpolator("bspline3", extrapolate="nearest").fit(Y).predict([[-9.0], [-1.0]], return_std=True)[1]
    assert_allclose(far[0] ** 2, 2.0 / 3.0)
    assert far[1] < far[0]
    around = GridInterpolator("bspline3", boundary="periodic").fit(Y)
    assert_allclose(around.predict([[-0.5], [11.5]]), around.predict([[3.5], [3.5]]), atol=1e-12)
    plane = np.add.outer(2.0 * np.arange(3.0), np.arange(4.0))
    line = GridInterpolator("linear", extrapolate="linear").fit(plane)
    assert_allclose(line.predict([[-1.0, 5.0], [4.0, 1.0]]), [3.0, 9.0])
    mean = GridInterpolator("linear", extrapolate="mean").fit(plane).predict_grid([[0.0, 5.0], [1.0, -1.0]])
    assert_allclose(mean, [[1.0, plane.mean()], [plane.mean(), plane.mean()]])


@pytest.mark.spec("GP-037")
def test_ideal_interpolation():
    n = np.arange(16.0)
    wave = lambda x: 1.0 + np.cos(2 * np.pi * 3 * x / 16) - 2.0 * np.sin(2 * np.pi * 7 * x / 16)  # noqa: E731
    x = np.linspace(0.0, 15.0, 40)
    ideal = GridInterpolator("sinc", boundary="periodic").fit([n], wave(n))
    assert_allclose(ideal.predict(x[:, None]), wave(x), atol=1e-12)
    odd = np.arange(15.0)
    slow = lambda x: np.sin(2 * np.pi * 7 * x / 15)  # noqa: E731
    assert_allclose(
        GridInterpolator("sinc", boundary="periodic").fit(slow(odd)).predict([[3.3]]), slow(3.3), atol=1e-12
    )
    even = np.cos(np.pi * 5 * n / 15)
    assert_allclose(GridInterpolator("sinc").fit(even).predict(x[:, None]), np.cos(np.pi * 5 * x / 15), atol=1e-12)
    errors = {}
    smooth = np.sin(2 * np.pi * n / 8)
    for kernel in ("linear", "catmull_rom", Sinc(window=2.0), Sinc(window=5.0)):
        found = GridInterpolator(kernel, boundary="periodic").fit(smooth).predict(x[:, None])
        errors[repr(kernel)] = np.max(np.abs(found - np.sin(2 * np.pi * x / 8)))
    linear, cubic, two, five = errors.values()
    assert cubic < 0.5 * linear
    assert five < 0.5 * two
    # Catmull–Rom is a compact sinc: equal on the grid, near between.
    r = np.linspace(-2.0, 2.0, 81)
    assert np.max(np.abs(CatmullRom().value(r) - Sinc(window=2.0).value(r))) < 0.05
    windowed = GridInterpolator("lanczos", boundary="gp").fit((np.arange(9.0),), np.eye(9)).predict([[4.3]])[0]
    assert_allclose(
        windowed[2:8], np.sinc(np.arange(-2, 4) - 0.3) * np.sinc((np.arange(-2, 4) - 0.3) / 3.0), atol=1e-12
    )
    slope = (Sinc(window=3.0).value(r + 1e-6) - Sinc(window=3.0).value(r - 1e-6)) / 2e-6
    assert_allclose(Sinc(window=3.0).derivative(r), slope, atol=1e-8)


@pytest.mark.spec("GP-030", "GP-L16")
def test_kernels_of_grids_stay_on_their_grid():
    half = 0.5 * np.arange(8)
    with pytest.raises(ValueError, match=r"covariance on its own grid only, and the axis has the step 0.5"):
        GridInterpolator(BSpline(2)).fit([half], np.sin(half))
    assert GridInterpolator(BSpline(2, step=0.5)).fit([half], np.sin(half)).predict([[0.5]]) == pytest.approx(
        np.sin(0.5)
    )
    assert GridInterpolator(BSpline(2)).fit([2.0 * np.arange(4)], np.ones(4)).kernels_ == [BSpline(2)]
    scattered = np.random.default_rng(0).uniform(size=(9, 2))
    with pytest.raises(ValueError, match="the 9 rows of X are not a full grid"):
        GridInterpolator().fit(scattered, scattered[:, 0])


@pytest.mark.spec("GP-L16")
def test_splines_tend_to_the_gaussian():
    x = np.linspace(-8.0, 8.0, 4001)
    errors = []
    for n in (1, 3, 7, 15):
        v = (n + 1) / 12.0
        B = BSpline(n).value(x)
        assert_allclose(np.trapezoid(x * x * B, x), v, rtol=1e-4)
        errors.append(np.max(np.abs(B - np.exp(-0.5 * x * x / v) / np.sqrt(2.0 * np.pi * v))) * np.sqrt(v))
    # Relative to the height the error falls like 1/n.
    assert all(b < 0.6 * a for a, b in pairwise(errors))
    assert errors[-1] < 0.005


@pytest.mark.spec("GP-031")
@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_units(scale):
    Y, x = noise(9), np.linspace(0.1, 7.9, 11)[:, None]
    for kernel in ("bspline3", "sinc", "catmull_rom", "bspline5"):
        for boundary in BOUNDARIES:
            plain = GridInterpolator(kernel, boundary=boundary).fit(Y).predict(x)
            values = GridInterpolator(kernel, boundary=boundary).fit(scale * Y).predict(x)
            assert_allclose(values / scale, plain, rtol=1e-11, atol=1e-12)
            axis = GridInterpolator(kernel, boundary=boundary).fit([scale * np.arange(9.0)], Y)
            assert_allclose(axis.predict(scale * x), plain, rtol=1e-9, atol=1e-11)
            slope = GridInterpolator("bspline3").fit([scale * np.arange(9.0)], Y).predict(scale * x, derivative=1)
            assert_allclose(scale * slope, GridInterpolator().fit(Y).predict(x, derivative=1), rtol=1e-9)
    shifted = GridInterpolator().fit([1e8 + np.arange(9.0)], Y).predict(1e8 + x)
    assert_allclose(shifted, GridInterpolator().fit(Y).predict(x), atol=1e-6)


@pytest.mark.spec("GP-031")
def test_precision_order_and_single_targets():
    Y = noise(12, 10)
    new = np.column_stack([np.linspace(0, 11, 30), np.linspace(9, 0, 30)])
    plain = GridInterpolator().fit(Y).predict(new)
    single = GridInterpolator().fit(Y.astype(np.float32))
    assert single.coef_.dtype == np.float32
    assert single.predict(new).dtype == np.float32
    assert_allclose(single.predict(new), plain, atol=1e-5)
    frozen = np.asfortranarray(Y)
    frozen.setflags(write=False)
    assert_allclose(GridInterpolator().fit(frozen).predict(new), plain, rtol=1e-14)
    assert_allclose(GridInterpolator().fit(Y[::-1, ::-1][::-1, ::-1]).predict(new), plain, rtol=1e-14)
    image = np.arange(12, dtype=np.uint8).reshape(3, 4)
    assert_allclose(GridInterpolator("linear").fit(image).predict([[1.0, 2.5]]), 6.5)
    assert GridInterpolator().fit(Y).score(new, plain) == 1.0
    cube = noise(5, 4, 3)
    at = np.array([[1.2, 2.3, 0.7]])
    whole = GridInterpolator().fit(cube)
    assert_allclose(whole.predict(at), whole.predict_grid(at.T).ravel(), rtol=1e-12)


@pytest.mark.spec("GP-031")
def test_rows_of_a_data_frame_have_names():
    frame = pd.DataFrame([[a, b] for a in (0.0, 1.0) for b in (0.0, 1.0, 2.0)], columns=["east", "north"])
    y = frame["east"] - 2.0 * frame["north"]
    model = GridInterpolator("linear").fit(frame, y)
    assert model.feature_names_in_.tolist() == ["east", "north"]
    assert_allclose(model.predict(frame), y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["north", "east"]])
    assert "feature_names_in_" not in vars(model.fit(np.zeros((2, 3))))


@pytest.mark.parametrize(
    ("fit", "text"),
    [
        (lambda: GridInterpolator().fit([1.0, np.nan, 2.0]), "contains NaN or infinity"),
        (lambda: GridInterpolator().fit([1.0]), "axis 0 has 1 point; a grid needs at least two"),
        (lambda: GridInterpolator().fit(np.empty((0, 3))), "give at least one value"),
        (lambda: GridInterpolator().fit(["a", "b"]), "must hold real numbers"),
        (lambda: GridInterpolator().fit([[0.0, 1.0, 3.0]], [1.0, 2.0, 3.0]), "axis 0 is not regular"),
        (lambda: GridInterpolator().fit([np.ones(3)], [1.0, 2.0, 3.0]), "axis 0 is not regular"),
        (
            lambda: GridInterpolator().fit([np.arange(3.0)], np.ones(4)),
            r"the axes have \(3,\) points and y has shape \(4,\)",
        ),
        (lambda: GridInterpolator(boundary="zero").fit([1.0, 2.0]), "boundary='zero'"),
        (lambda: GridInterpolator(extrapolate="cubic").fit([1.0, 2.0]), "extrapolate='cubic'"),
        (lambda: GridInterpolator("cubic").fit([1.0, 2.0]), "kernel='cubic'"),
        (lambda: GridInterpolator(Matern()).fit(np.ones((3, 3))), "is no product over the 2 axes"),
        (lambda: GridInterpolator(RationalQuadratic()).fit(np.ones(5)), "has not vanished after 64"),
        (lambda: GridInterpolator(RBF(30.0), boundary="periodic").fit(np.ones(9)), "choose a shorter length scale"),
        (lambda: GridInterpolator().fit([1.0, 2.0]).predict([[np.nan]]), "X contains NaN in column 0"),
        (lambda: GridInterpolator().fit([1.0, 2.0]).predict([[0.5, 0.5]]), "2 features"),
        (lambda: GridInterpolator().fit([1.0, 2.0]).predict_grid([[0.5], [0.5]]), "axes has 2 entries"),
        (lambda: GridInterpolator().fit([1.0, 2.0]).predict_grid([[[0.5]]]), "one-dimensional coordinates"),
        (lambda: GridInterpolator().fit([1.0, 2.0]).predict([[0.5]], derivative=(1, 0)), "for each of 1 axes"),
        (lambda: GridInterpolator().fit([1.0, 2.0]).predict([[0.5]], derivative=-1), "must be a whole number"),
        (lambda: GridInterpolator().fit([1.0, 2.0]).predict([[0.5]], derivative=4), "no derivative of order 4"),
        (lambda: GridInterpolator().fit([1.0, 2.0]).predict([[0.5]], True, derivative=1), "not that of a derivative"),
        (lambda: spline_prefilter([1.0, 2.0], 12), "order=12"),
        (lambda: spline_prefilter([1.0, 2.0], 3, "zero"), "boundary='zero'"),
        (lambda: spline_prefilter([1.0, 2.0], axis=1), "axis=1 of Y"),
        (lambda: recursive_filter([1.0, 2.0], [1.5]), "must be numbers between -1 and 1"),
        (lambda: grid_kernel_matrix("bspline3", 1), "n=1"),
        (lambda: grid_kernel_matrix("bspline9", 4), "kernel='bspline9' is unknown; choose from"),
        (lambda: GridInterpolator(RBF([1.0, 2.0])).fit(np.ones(5)), r"length_scale has shape \(2,\); give one number"),
    ],
)
def test_what_cannot_be_used(fit, text):
    with pytest.raises(ValueError, match=text):
        fit()


def test_jitter_is_stated():
    with pytest.warns(UserWarning, match="added to the diagonal of the kernel matrix of an axis"):
        model = GridInterpolator(RBF(8.0), boundary="gp").fit(np.sin(np.arange(30.0)))
    assert model.jitter_ > 0.0


def test_one_entry_is_its_own_coefficient():
    assert spline_prefilter([[3.0]], 3).tolist() == [[3.0]]
    assert spline_prefilter([3.0], 3, "periodic").tolist() == [3.0]
    assert_allclose(spline_prefilter([3.0], 3, "gp"), 4.5)
    given = np.array([1.0, 2.0])
    same = spline_prefilter(given, 1)
    same[0] = 9.0
    assert given[0] == 1.0
