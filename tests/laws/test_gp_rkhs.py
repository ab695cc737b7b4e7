"""Laws of the inner product of a kernel, of its inverse on a grid, and of variograms."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gnomon.gp import GaussianProcessRegressor, inverse_kernel, rkhs_inner, variogram
from gnomon.kernels import RBF, BSpline, Constant, Linear, Matern, TensorProduct, Wendland
from real_data import data_path

LINE = np.linspace(-20.0, 20.0, 400, endpoint=False)
ROUGH = [Matern(1.0, nu=0.5), Constant(2.0) * Matern(0.7, nu=1.5), Wendland(3.0, smoothness=2)]


def at(kernel, place):
    """k(·, place) on the line."""
    return kernel.gram(LINE[:, None], [[place]])[:, 0]


@pytest.mark.spec("GP-L19", "GP-047", "GP-G30")
@pytest.mark.parametrize("kernel", ROUGH, ids=repr)
def test_the_reproducing_property(kernel):
    f = 0.3 * at(kernel, -2.0) - 1.5 * at(kernel, 0.5) + at(kernel, 3.0)
    for place in (-2.0, 0.5, 1.7):
        i = np.argmin(np.abs(LINE - place))
        assert_allclose(rkhs_inner(f, at(kernel, place), kernel, LINE), f[i], atol=1e-8)
    assert_allclose(
        rkhs_inner(at(kernel, 0.7), at(kernel, -0.5), kernel, LINE), kernel.gram([[0.7]], [[-0.5]]).item(), atol=1e-8
    )
    pairs = ([0.3, -1.5, 1.0], [[-2.0], [0.5], [3.0]])
    assert_allclose(rkhs_inner(pairs, pairs, kernel), rkhs_inner(f, f, kernel, LINE), rtol=1e-7)


@pytest.mark.spec("GP-G30", "GP-047")
def test_the_inner_product_of_two_exponentials():
    k = Matern(1.0, nu=0.5)
    expected = 0.301194212
    assert_allclose(rkhs_inner(([1.0], [[0.7]]), ([1.0], [[-0.5]]), k), expected, atol=1e-9)
    assert_allclose(rkhs_inner(at(k, 0.7), at(k, -0.5), k, LINE), expected, atol=1e-8)


@pytest.mark.spec("GP-L19")
@pytest.mark.parametrize("boundary", ["periodic", "zero"])
def test_the_norm_of_exponential_covariance_is_that_of_sobolev(boundary):
    x = np.linspace(-12.0, 12.0, 4800, endpoint=False)
    f = np.exp(-0.5 * x**2)
    slope = -x * f
    square = 0.5 * np.sum(f**2 + slope**2) * (x[1] - x[0])
    assert_allclose(rkhs_inner(f, f, Matern(1.0, nu=0.5), x, boundary=boundary), square, rtol=1e-4)


@pytest.mark.spec("GP-047")
def test_two_axes_and_functions_beyond_the_grid():
    axes = [np.arange(16.0), np.arange(10.0)]
    kernel = TensorProduct([Wendland(2.5, smoothness=2)] * 2)
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    rng = np.random.default_rng(0)
    f, g = rng.standard_normal((2, 160))
    # As zero beyond the grid, and on a ring of twice its length: fᵀK⁻¹g of the circulant matrix there.
    found = rkhs_inner(f.reshape(16, 10), g.reshape(16, 10), kernel, axes, boundary="zero")
    wide = np.stack(np.meshgrid(np.arange(32.0), np.arange(20.0), indexing="ij"), axis=-1).reshape(-1, 2)
    gap = np.abs(wide[:, None] - wide)
    gap = np.minimum(gap, np.array([32.0, 20.0]) - gap).reshape(-1, 2)
    K = kernel.gram(gap, np.zeros((1, 2))).reshape(len(wide), len(wide))
    inside = np.all(wide < [16.0, 10.0], axis=1)
    F, G = np.zeros((2, len(wide)))
    F[inside], G[inside] = f, g
    assert np.array_equal(wide[inside], points)
    assert_allclose(found, F @ np.linalg.solve(K, G), rtol=1e-8)


@pytest.mark.spec("GP-047", "GP-048")
@pytest.mark.parametrize("boundary", ["periodic", "zero"])
def test_a_kernel_that_is_wider_than_the_grid_is_summed_over_periods(boundary):
    x, kernel = np.arange(8.0), Matern(3.0, nu=1.5)
    n = 8 if boundary == "periodic" else 16
    gap = np.subtract.outer(np.arange(n), np.arange(n)).astype(float)
    K = sum(kernel.gram((gap + n * m).reshape(-1, 1), [[0.0]]).reshape(n, n) for m in range(-12, 13))
    f, g = np.zeros((2, n))
    f[:8], g[:8] = np.random.default_rng(0).standard_normal((2, 8))
    assert_allclose(rkhs_inner(f[:8], g[:8], kernel, x, boundary=boundary), f @ np.linalg.solve(K, g), rtol=1e-8)
    inverse = inverse_kernel(kernel, x, boundary=boundary)
    assert_allclose(np.fft.ifftshift(inverse.values), np.linalg.inv(K)[:, 0], atol=1e-8)


@pytest.mark.spec("GP-048")
@pytest.mark.parametrize("kernel", [*ROUGH, BSpline(3, step=0.1)], ids=repr)
def test_the_inverse_kernel_convolves_to_one(kernel):
    found = inverse_kernel(kernel, LINE)
    assert found.n_dropped == 0
    near = at(kernel, 0.0)
    ring = np.fft.ifft(np.fft.fft(np.fft.ifftshift(found.values)) * np.fft.fft(np.fft.ifftshift(near))).real
    assert_allclose(ring, np.eye(1, len(LINE))[0], atol=1e-6)
    assert found.offsets[0][len(LINE) // 2] == 0.0


@pytest.mark.spec("GP-048", "GP-047")
def test_frequencies_that_a_smooth_kernel_lacks_are_dropped_and_said():
    found = inverse_kernel(RBF(1.0), LINE)
    assert 0 < found.n_dropped < len(LINE)
    smooth, rough = at(RBF(2.0), 0.0), np.sign(np.sin(LINE + 0.05))
    assert np.isfinite(rkhs_inner(smooth, smooth, RBF(1.0), LINE))
    with pytest.warns(UserWarning, match="frequencies were left out"):
        rkhs_inner(rough, rough, RBF(1.0), LINE)


def test_what_has_no_inner_product_is_refused():
    ones = np.ones(len(LINE))
    with pytest.raises(ValueError, match="is not stationary"):
        rkhs_inner(ones, ones, Linear() + RBF(), LINE)
    with pytest.raises(ValueError, match="does not vanish within"):
        rkhs_inner(ones, ones, Constant(1.0), LINE)
    with pytest.raises(ValueError, match="f has shape"):
        rkhs_inner(ones[:5], ones, RBF(), LINE)
    with pytest.raises(ValueError, match="must be a pair"):
        rkhs_inner(ones, ones, RBF())
    with pytest.raises(ValueError, match="is not regular"):
        inverse_kernel(RBF(), np.array([0.0, 1.0, 3.0]))
    pair = ([1.0], [[0.0]])
    for options in ({"boundary": "mirror"}, {"tol": -1.0}):
        for ask in (lambda: rkhs_inner(pair, pair, RBF(), **options), lambda: inverse_kernel(RBF(), LINE, **options)):  # noqa: B023
            with pytest.raises(ValueError, match=r"boundary='mirror' is unknown|tol=-1\.0 must be ≥ 0"):
                ask()


@pytest.mark.spec("GP-049")
def test_a_scalar_product_with_a_matrix_and_its_metric():
    rng = np.random.default_rng(0)
    Y, Z, B = rng.standard_normal((4, 3)), rng.standard_normal((5, 3)), rng.standard_normal((3, 3))
    A = B @ B.T + np.eye(3)
    root = np.linalg.cholesky(A)
    assert_allclose(Linear().warp(lambda rows: rows @ root).gram(Y, Z), Y @ A @ Z.T)
    gap = Y[:, None] - Z
    mahalanobis = np.einsum("ijd,de,ije->ij", gap, A, gap)
    assert_allclose(RBF(0.8, metric=A).gram(Y, Z), np.exp(-0.5 * mahalanobis / 0.64))
    a = GaussianProcessRegressor(RBF(0.8, metric=A), alpha=0.1, optimizer=None).fit(Y, Y[:, 0])
    b = GaussianProcessRegressor(RBF(0.8), alpha=0.1, optimizer=None).fit(Y @ root, Y[:, 0])
    assert_allclose(a.predict(Z), b.predict(Z @ root))


@pytest.mark.spec("GP-010")
def test_kriging_names_are_other_names_of_means():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(20, 2))
    y, new = 3.0 + X[:, 0] + 0.1 * rng.standard_normal(20), rng.uniform(size=(5, 2))
    for name, mean in (("simple", None), ("ordinary", "constant"), ("universal", "linear")):
        a, b = (GaussianProcessRegressor(RBF(0.3), noise=0.01, mean=m, optimizer=None).fit(X, y) for m in (name, mean))
        for found, expected in zip(a.predict(new, return_std=True), b.predict(new, return_std=True), strict=True):
            assert np.array_equal(found, expected)
    with pytest.raises(ValueError, match=r"mean='median' is unknown; choose from .*'ordinary'"):
        GaussianProcessRegressor(mean="median").fit(X, y)


@pytest.mark.spec("GP-010")
def test_a_variogram_by_definition():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (60, 2)).astype(float), rng.standard_normal(60)
    edges = np.array([0.0, 1.0, 2.0, 3.5])
    found = variogram(X, y, bins=edges)
    i, j = np.triu_indices(60, 1)
    r, g = np.linalg.norm(X[i] - X[j], axis=1), 0.5 * (y[i] - y[j]) ** 2
    for b, (low, high) in enumerate(pairwise(edges)):
        inside = (r > low) & (r <= high) | ((b == 0) & (r == 0.0))
        assert found.n_pairs[b] == inside.sum()
        assert_allclose([found.distance[b], found.semivariance[b]], [r[inside].mean(), g[inside].mean()])
    with pytest.raises(ValueError, match="give one of them"):
        variogram(X, y, bins=edges, cutoff=2.0)
    with pytest.raises(ValueError, match="all rows are at one place"):
        variogram(np.zeros((3, 2)), y[:3])
    with pytest.raises(ValueError, match="give two rows at least"):
        variogram(X[:1], y[:1])


@pytest.mark.spec("GP-010")
def test_the_variogram_of_zinc_is_that_of_gstat():
    table = np.genfromtxt(data_path("gp/meuse.csv"), delimiter=",", names=True, dtype=None, encoding="utf-8")
    found = variogram(np.column_stack([table["x"], table["y"]]), np.log(table["zinc"]))
    assert found.n_pairs.tolist() == [57, 299, 419, 457, 547, 533, 574, 564, 589, 543, 500, 477, 452, 457, 415]
    assert_allclose(found.distance[[0, 1, -1]], [79.29244, 163.97367, 1543.20248], rtol=1e-7)
    assert_allclose(found.semivariance[[0, 1, 2, -1]], [0.1234479, 0.2162185, 0.3027859, 0.5748227], rtol=1e-6)
