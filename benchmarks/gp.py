"""Gaussian processes: targets for their speed, memory and first call."""

from importlib import import_module

import numpy as np

from benchmarks import _data
from benchmarks._row import Peer, Row

__all__ = ["PACKAGES", "ROWS"]

PACKAGES = ("gnomon.gp",)

NOISE, WIDTH = 0.1, 2.0
"""Where searches for hyper-parameters start."""

RADIUS = 4.0
"""Of a compact kernel, in mean distances of neighbouring points: about 50 of them are within it."""


def waves(n, d, n_new=0):
    """A smooth function of which some columns matter more than others, and normal noise."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (n + n_new, d))
    f = np.sin(2.0 * X[:, 0]) + 0.5 * X[:, 1] ** 2 + 0.3 * X[:, 2] * X[:, 0]
    y = (f - f.mean()) / f.std() + 0.2 * rng.standard_normal(n + n_new)
    return _data.make(X[:n], y[:n], new=X[n:], true=f[n:])


def rings(n, d):
    """Two classes, one around the other."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    return _data.make(X, (np.sum(X[:, :2] ** 2, axis=1) + 0.5 * rng.standard_normal(n) > 1.5).astype(int))


def scattered(n):
    """Points in a square, whose density does not depend on their number."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0.0, np.sqrt(n), (2 * n, 2))
    f = np.sin(0.2 * X[:, 0]) * np.cos(0.3 * X[:, 1])
    return _data.make(X[:n], f[:n] + 0.1 * rng.standard_normal(n), new=X[n:], true=f[n:])


def picture(n):
    """An image of n × n values."""
    rng = np.random.default_rng(0)
    return _data.make(rng.standard_normal((n, n)), np.empty(0), zoomed=[np.linspace(0.0, n - 1.0, 2 * n - 1)] * 2)


def regression(data):
    from gnomon.gp import GaussianProcessRegressor
    from gnomon.kernels import RBF, Constant

    kernel = Constant(1.0) * RBF(np.full(data.X.shape[1], WIDTH))
    model = GaussianProcessRegressor(kernel, noise="learn").fit(data.X, data.y)
    return np.exp(np.append(model.kernel_.theta, np.log(model.noise_)))


def peer_regression(data):
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    kernel = ConstantKernel(1.0) * RBF(np.full(data.X.shape[1], WIDTH)) + WhiteKernel(NOISE)
    return np.exp(GaussianProcessRegressor(kernel, alpha=0.0).fit(data.X, data.y).kernel_.theta)


def gpy_regression(data):
    import GPy

    d = data.X.shape[1]
    model = GPy.models.GPRegression(
        data.X, data.y[:, None], GPy.kern.RBF(d, lengthscale=np.full(d, WIDTH), ARD=True), noise_var=NOISE
    )
    model.optimize()
    return np.concatenate([model.kern.variance, model.kern.lengthscale, model.likelihood.variance])


def lost_evidence(data, found):
    """−log p(y) for each row, of the hyper-parameters (amplitude, length scales, noise)."""
    from scipy.linalg import cho_factor, cho_solve
    from scipy.spatial.distance import pdist, squareform

    A = found[0] * np.exp(-0.5 * squareform(pdist(data.X / found[1:-1], "sqeuclidean")))
    A[np.diag_indices_from(A)] += found[-1]
    factor = cho_factor(A, lower=True, overwrite_a=True)
    n = len(data.y)
    whole = 0.5 * data.y @ cho_solve(factor, data.y) + np.sum(np.log(np.diag(factor[0]))) + 0.5 * n * np.log(2 * np.pi)
    return float(whole) / n


def classification(module, kernels):
    """Fit with learned hyper-parameters, and the evidence of the result."""

    def run(data):
        nouns = import_module(kernels)
        constant = getattr(nouns, "ConstantKernel", None) or nouns.Constant
        kernel = constant(1.0) * nouns.RBF(1.0)
        return import_module(module).GaussianProcessClassifier(kernel).fit(data.X, data.y)

    return run


def lost_class_evidence(data, model):
    """−log q(y) for each row."""
    return -model.log_marginal_likelihood_value_ / len(data.y)


def conditioned(module, kernels):
    """Fit with given hyper-parameters, and mean and standard deviation at new rows."""

    def run(data):
        kernel = import_module(kernels).RBF(1.5)
        model = import_module(module).GaussianProcessRegressor(kernel, alpha=NOISE, optimizer=None)
        return model.fit(data.X, data.y).predict(data.new, return_std=True)

    return run


def prediction(module, kernels):
    """Mean and standard deviation at new rows, of a model that is fitted once."""
    fitted = {}

    def run(data):
        key = data.X.shape
        if key not in fitted:
            kernel = import_module(kernels).RBF(1.5)
            model = import_module(module).GaussianProcessRegressor(kernel, alpha=NOISE, optimizer=None)
            fitted[key] = model.fit(data.X, data.y)
        return fitted[key].predict(data.new, return_std=True)

    return run


def draws(module, kernels):
    """Joint draws at new rows, of a model that is fitted once."""
    fitted = {}

    def run(data):
        key = data.X.shape
        if key not in fitted:
            kernel = import_module(kernels).RBF(1.5)
            model = import_module(module).GaussianProcessRegressor(kernel, alpha=NOISE, optimizer=None)
            fitted[key] = model.fit(data.X, data.y)
        return fitted[key].sample_y(data.new, 50, random_state=0)

    return run


def lost_mean(data, found):
    """Mean square of the error of the mean of the draws."""
    return float(np.mean((found.mean(axis=1) - data.true) ** 2) / np.var(data.true))


def gpy_prediction(data, fitted={}):  # noqa: B006
    import GPy

    key = data.X.shape
    if key not in fitted:
        kernel = GPy.kern.RBF(key[1], lengthscale=1.5)
        fitted[key] = GPy.models.GPRegression(data.X, data.y[:, None], kernel, noise_var=NOISE)
    mean, variance = fitted[key].predict(data.new, include_likelihood=False)
    return mean[:, 0], np.sqrt(variance[:, 0])


def lost_prediction(data, found):
    """Mean negative log-density of the true values by (mean, std), less the noise."""
    mean, std = found
    return float(np.mean(0.5 * ((data.true - mean) / data.true.std()) ** 2) + np.mean(std))


def compact(data):
    from gnomon.gp import GaussianProcessRegressor
    from gnomon.kernels import Wendland

    model = GaussianProcessRegressor(Wendland(RADIUS, smoothness=2), alpha=NOISE, optimizer=None, solver="sparse")
    return model.fit(data.X, data.y).predict(data.new), model.log_marginal_likelihood_value_


def compact_by_hand(data):
    """What a user of SciPy writes: trees of the points, and a sparse factor."""
    from scipy import sparse
    from scipy.sparse.linalg import splu
    from scipy.spatial import cKDTree

    def near(tree, other):
        K = tree.sparse_distance_matrix(other, RADIUS, output_type="coo_matrix").tocsr()
        r = K.data / RADIUS
        K.data = (1.0 - r) ** 4 * (4.0 * r + 1.0)
        return K

    tree, n = cKDTree(data.X), len(data.y)
    factor = splu(
        near(tree, tree).tocsc() + NOISE * sparse.identity(n, format="csc"),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    coef, log_det = factor.solve(data.y), np.sum(np.log(factor.U.diagonal()))
    evidence = -0.5 * (data.y @ coef + log_det + n * np.log(2.0 * np.pi))
    return near(cKDTree(data.new), tree) @ coef, evidence


def lost_compact(data, found):
    """−log p(y) for each row, and the mean square of the error at new ones."""
    mean, evidence = found
    return float(np.mean((mean - data.true) ** 2) - evidence / len(data.y))


def spline_filter(data):
    from gnomon.gp import spline_prefilter

    return spline_prefilter(data.X, 3, "mirror")


def ndimage_filter(data):
    from scipy import ndimage

    return ndimage.spline_filter(data.X, 3, mode="mirror")


def missed_values(data, c):
    """The largest difference of the splines with these coefficients from the values."""
    from scipy import ndimage

    taps = np.array([1.0, 4.0, 1.0]) / 6.0
    again = ndimage.convolve1d(ndimage.convolve1d(c, taps, 0, mode="mirror"), taps, 1, mode="mirror")
    return float(np.max(np.abs(again - data.X)))


def zoom(data):
    from gnomon.gp import GridInterpolator

    return GridInterpolator("bspline3").fit(data.X).predict_grid(data.zoomed)


def ndimage_zoom(data):
    from scipy import ndimage

    return ndimage.zoom(data.X, [len(axis) / len(data.X) for axis in data.zoomed], order=3, mode="mirror")


def missed_pixels(data, image):
    """At the pixels of the image that was zoomed."""
    return float(np.max(np.abs(image[::2, ::2] - data.X)))


PEERS = (
    Peer("scikit-learn", "scikit-learn", peer_regression),
    Peer("GPy", "GPy", gpy_regression),
)
OURS, THEIRS = ("gnomon.gp", "gnomon.kernels"), ("sklearn.gaussian_process", "sklearn.gaussian_process.kernels")

ROWS = (
    *(
        Row(
            name=f"GaussianProcessRegressor, one width for each of 6 columns, n = {n}, evidence maximised",
            make=waves,
            size={"n": n, "d": 6},
            quick={"n": 60, "d": 3},
            ours=regression,
            peers=PEERS,
            quality=lost_evidence,
            targets={"scikit-learn": 3.0, "GPy": 3.0},
            tolerance=1e-4,
        )
        for n in (800, 3000)
    ),
    *(
        Row(
            name=f"GaussianProcessClassifier, n = {n}, evidence maximised",
            make=rings,
            size={"n": n, "d": 4},
            quick={"n": 50, "d": 2},
            ours=classification(*OURS),
            peers=(Peer("scikit-learn", "scikit-learn", classification(*THEIRS)),),
            quality=lost_class_evidence,
            targets={"scikit-learn": 3.0},
            tolerance=1e-4,
        )
        for n in (400, 2000)
    ),
    Row(
        name="GaussianProcessRegressor, 500 rows, mean and standard deviation of 100k points",
        make=waves,
        size={"n": 500, "d": 4, "n_new": 100_000},
        quick={"n": 50, "d": 3, "n_new": 100},
        ours=prediction(*OURS),
        peers=(Peer("scikit-learn", "scikit-learn", prediction(*THEIRS)), Peer("GPy", "GPy", gpy_prediction)),
        quality=lost_prediction,
        targets={"scikit-learn": 3.0, "GPy": 3.0},
    ),
    Row(
        name="GaussianProcessRegressor, n = 10 000, hyper-parameters given, 1000 predictions",
        make=waves,
        size={"n": 10_000, "d": 4, "n_new": 1000},
        quick={"n": 60, "d": 3, "n_new": 20},
        ours=conditioned(*OURS),
        peers=(Peer("scikit-learn", "scikit-learn", conditioned(*THEIRS)),),
        quality=lost_prediction,
        targets={"scikit-learn": np.nan},
        memory=({"n": 10_000, "d": 4, "n_new": 1000},),
        memory_limit=None,
    ),
    Row(
        name="GaussianProcessRegressor, 50 joint draws at 1500 points",
        make=waves,
        size={"n": 500, "d": 4, "n_new": 1500},
        quick={"n": 50, "d": 3, "n_new": 60},
        ours=draws(*OURS),
        peers=(Peer("scikit-learn", "scikit-learn", draws(*THEIRS)),),
        quality=lost_mean,
        targets={"scikit-learn": 3.0},
        tolerance=0.05,
    ),
    Row(
        name="GaussianProcessRegressor, Wendland kernel, 100k scattered points and as many new ones",
        make=scattered,
        size={"n": 100_000},
        quick={"n": 300},
        ours=compact,
        peers=(Peer("SciPy", "SciPy's tree and sparse factor", compact_by_hand),),
        quality=lost_compact,
        targets={"SciPy": 1.0},
        ladder=tuple({"n": n} for n in (6_000, 12_000, 25_000, 50_000)),
        memory=({"n": 100_000},),
        memory_limit=2000.0,
    ),
    Row(
        name="spline_prefilter, cubic, image of 1000×1000",
        make=picture,
        size={"n": 1000},
        quick={"n": 20},
        ours=spline_filter,
        peers=(Peer("SciPy", "scipy.ndimage.spline_filter", ndimage_filter),),
        quality=missed_values,
        targets={"SciPy": 1.0},
        tolerance=1e-9,
    ),
    Row(
        name="GridInterpolator, cubic, image of 1000×1000 to 1999×1999",
        make=picture,
        size={"n": 1000},
        quick={"n": 20},
        ours=zoom,
        peers=(Peer("SciPy", "scipy.ndimage.zoom", ndimage_zoom),),
        quality=missed_pixels,
        targets={"SciPy": 1.0},
        tolerance=1e-9,
    ),
)
