"""Laws of Gaussian process regression."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import kernels as peer

from gnomon.distributions import Normal
from gnomon.gp import GaussianProcessClassifier, GaussianProcessRegressor
from gnomon.gp._observations import Noise, NoisyRows, Parameters, criterion
from gnomon.kernels import (
    RBF,
    BSpline,
    CallableKernel,
    CatmullRom,
    Constant,
    ExpSineSquared,
    Linear,
    Matern,
    RationalQuadratic,
    Sigmoid,
    Sinc,
    TensorProduct,
    Warped,
    Wendland,
)
from gnomon.numerics.linalg import NotPositiveDefiniteError
from gnomon.svm import KernelRidge


def table(n=25, d=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (n, d))
    return X, np.sin(3.0 * X[:, 0]) + X[:, -1] + 0.1 * rng.standard_normal(n)


NEW = np.random.default_rng(9).uniform(-1.5, 1.5, (7, 2))
KERNELS = [
    RBF(0.7),
    RBF(np.array([0.5, 1.5])),
    Constant(2.0) * Matern(0.8, nu=1.5),
    Matern(0.8, nu=2.5) + Constant(0.3) * Linear(),
    RationalQuadratic(0.9, alpha=1.3),
    RBF(0.7).on([0]) * ExpSineSquared(1.2, 2.0).on([1]),
    TensorProduct([RBF(0.5), Matern(1.0, nu=0.5)]),
]


@pytest.mark.spec("GP-L01", "GP-003")
def test_the_variance_does_not_see_the_targets_and_vanishes_at_the_data():
    X, y = table()
    a, b = (GaussianProcessRegressor(Matern(0.5, nu=1.5), noise=0.0, optimizer=None).fit(X, t) for t in (y, y**2 - 7.0))
    assert_allclose(a.predict(NEW, return_std=True)[1], b.predict(NEW, return_std=True)[1], rtol=1e-12)
    mean, std = a.predict(X, return_std=True)
    assert_allclose(mean, y, atol=1e-10)
    assert np.max(std) < 1e-6


@pytest.mark.spec("GP-L02", "GP-002", "GP-011", "GP-001")
def test_points_are_predicted_alone_as_together_and_draws_have_these_moments():
    X, y = table()
    model = GaussianProcessRegressor(RBF(0.7), noise=0.05, mean="linear", optimizer=None).fit(X, y)
    mean, cov = model.predict(NEW, return_cov=True)
    alone = [model.predict(NEW[[i]], return_std=True) for i in range(len(NEW))]
    assert_allclose(mean, [m.item() for m, _ in alone])
    assert_allclose(np.diag(cov), [s.item() ** 2 for _, s in alone], rtol=1e-9)
    draws = model.sample_posterior(NEW, 20_000, random_state=0)
    assert_allclose(draws.mean(axis=1), mean, atol=5.0 * np.sqrt(cov.diagonal().max() / 20_000))
    assert_allclose(np.cov(draws), cov, atol=0.03 * cov.diagonal().max())
    assert_allclose(model.predict(NEW, return_cov=True, include_noise=True)[1], cov + 0.05 * np.eye(7))
    noisy = model.sample_posterior(NEW, 20_000, random_state=0, include_noise=True)
    assert_allclose(np.cov(noisy), cov + 0.05 * np.eye(7), atol=0.03 * cov.diagonal().max())
    prior = GaussianProcessRegressor(RBF(0.7))
    assert_allclose(np.cov(prior.sample_prior(NEW, 20_000, random_state=0)), RBF(0.7).gram(NEW), atol=0.05)
    assert_allclose(prior.sample_y(NEW, 5), prior.sample_prior(NEW, 5, random_state=0))
    assert GaussianProcessRegressor(n_targets=2).sample_prior(NEW, 5).shape == (7, 2, 5)


@pytest.mark.spec("GP-001")
def test_draws_at_places_that_determine_each_other():
    X = np.linspace(0.0, 1.0, 30)[:, None]
    draws = GaussianProcessRegressor(RBF(1.0)).sample_prior(X, 20_000, random_state=0)
    # This matrix has no Cholesky factor in double precision.
    assert_allclose(np.cov(draws), RBF(1.0).gram(X), atol=0.05)


@pytest.mark.spec("GP-011", "GP-012")
def test_draws_of_several_targets_have_the_units_of_each():
    X, y = table()
    model = GaussianProcessRegressor(RBF(0.7), alpha=0.1, normalize_y=True, optimizer=None)
    model.fit(X, np.column_stack([y, 50.0 * y + 7.0]))
    mean, cov = model.predict(NEW, return_cov=True)
    draws = model.sample_y(NEW, 20_000, random_state=0)
    assert draws.shape == (7, 2, 20_000)
    for j in range(2):
        assert_allclose(draws[:, j].mean(axis=1), mean[:, j], atol=0.05 * np.sqrt(cov[..., j].max()))
        assert_allclose(np.cov(draws[:, j]), cov[..., j], atol=0.03 * cov[..., j].max())


@pytest.mark.spec("GP-002", "GP-005")
def test_the_noise_of_an_observation_before_and_after_a_fit():
    X, y = table()
    for options in ({"alpha": 0.3}, {"noise": 0.3}):
        std = GaussianProcessRegressor(**options).predict(NEW, return_std=True, include_noise=True)[1]
        assert_allclose(std**2, 1.3)
    single = GaussianProcessRegressor(RBF(0.7), noise=0.3, optimizer=None).fit(X, y)
    latent, own = (single.predict(NEW, return_std=True, include_noise=n)[1] for n in (False, np.arange(7.0)))
    assert_allclose(own**2, latent**2 + np.arange(7.0))
    several = GaussianProcessRegressor(RBF(0.7), noise=np.full(25, 0.3), optimizer=None).fit(X, y)
    for model, given, text in (
        (single, [-1.0] * 7, "include_noise=-1 is a variance and must be ≥ 0"),
        (single, [1.0, 2.0], r"include_noise must be a scalar or an array .* \(2 != 7\)"),
        (several, True, "the noise of the training rows is an array"),
        (GaussianProcessRegressor(noise="learn"), True, "before a fit needs a noise level, and noise='learn'"),
    ):
        with pytest.raises(ValueError, match=text):
            model.predict(NEW, return_std=True, include_noise=given)


@pytest.mark.spec("GP-006", "GP-013")
def test_what_is_asked_of_the_training_rows_does_not_miss_their_names():
    X, y = table()
    frame = pd.DataFrame(X, columns=["east", "north"])
    a, b = (GaussianProcessRegressor(RBF(0.7), noise=0.1, optimizer=None).fit(rows, y) for rows in (frame, X))
    assert_allclose(a.smooth(), b.predict(X))
    assert_allclose(a.smoother_matrix() @ y, a.smooth())
    assert_allclose(a.map_objective(), b.map_objective())


@pytest.mark.spec("GP-L03")
def test_smoother_kernels_have_smaller_increments():
    X = np.linspace(0.0, 3.0, 60)[:, None]
    sizes = []
    for kernel in (RBF(0.5), Matern(0.5, nu=2.5), Matern(0.5, nu=1.5), Matern(0.5, nu=0.5)):
        draws = GaussianProcessRegressor(kernel).sample_prior(X, 200, random_state=0)
        sizes.append(np.mean(np.diff(draws, axis=0) ** 2))
    assert np.all(np.diff(sizes) > 0.0)


@pytest.mark.spec("GP-L04", "GP-004", "GP-013")
@pytest.mark.parametrize("sigma2", [0.01, 0.3, 5.0])
def test_the_mean_is_kernel_ridge_regression(sigma2):
    X, y = table()
    model = GaussianProcessRegressor(RBF(0.7), alpha=sigma2, optimizer=None).fit(X, y)
    ridge = KernelRidge(alpha=sigma2, kernel=RBF(0.7)).fit(X, y)
    assert_allclose(model.predict(NEW), ridge.predict(NEW), rtol=1e-8)
    assert_allclose(model.dual_coef_, ridge.dual_coef_, rtol=1e-7)
    least, K, rng = model.map_objective(), RBF(0.7).gram(X), np.random.default_rng(0)
    for _ in range(20):
        a = model.dual_coef_ + 0.1 * rng.standard_normal(len(X))
        assert model.map_objective(K @ a, np.sqrt(a @ K @ a)) > least
    d = rng.standard_normal(len(X))
    near = [model.map_objective(K @ a, np.sqrt(a @ K @ a)) for a in (model.dual_coef_ + s * d for s in (-1e-3, 1e-3))]
    assert abs(near[1] - near[0]) < 1e-6 * (near[0] + near[1] - 2.0 * least) + 1e-10 * least


@pytest.mark.spec("GP-L04", "GP-006")
def test_noise_shrinks_towards_the_mean():
    X, y = table()
    fits = [
        GaussianProcessRegressor(RBF(0.7), alpha=s, mean=2.0, optimizer=None).fit(X, y) for s in (0.1, 1.0, 10.0, 1e9)
    ]
    assert np.all(np.diff([fit.effective_dof_ for fit in fits]) < 0.0)
    assert_allclose(fits[-1].predict(NEW), 2.0, atol=1e-6)


@pytest.mark.spec("GP-L05", "GP-008", "GP-009")
def test_means():
    X, y = table()
    slope = lambda rows: 3.0 * rows[:, 0] - 1.0  # noqa: E731
    a = GaussianProcessRegressor(RBF(0.7), alpha=0.1, mean=slope, optimizer=None).fit(X, y)
    b = GaussianProcessRegressor(RBF(0.7), alpha=0.1, optimizer=None).fit(X, y - slope(X))
    assert_allclose(a.predict(NEW), b.predict(NEW) + slope(NEW), rtol=1e-10)
    assert_allclose(a.log_marginal_likelihood_value_, b.log_marginal_likelihood_value_)
    ordinary = GaussianProcessRegressor(RBF(0.7), alpha=0.1, mean="constant", optimizer=None).fit(X, y)
    assert_allclose(ordinary.cardinal_weights(NEW).sum(axis=1), 1.0)
    basis = lambda rows: np.column_stack([np.ones(len(rows)), rows[:, 0] ** 2])  # noqa: E731
    for sigma2 in (1e-3, 10.0):
        model = GaussianProcessRegressor(RBF(0.7), alpha=sigma2, mean=basis, optimizer=None).fit(
            X, 5.0 - 2.0 * X[:, 0] ** 2
        )
        assert_allclose(model.predict(NEW), 5.0 - 2.0 * NEW[:, 0] ** 2, atol=1e-8)
        assert_allclose(model.beta_, [5.0, -2.0], atol=1e-8)
    twice = np.column_stack([X[:, 0], 2.0 * X[:, 0] + 1.0])
    for rows, targets in ((twice, y), (X[:2], y[:2])):
        with pytest.raises(ValueError, match=r"mean='linear' has 3 coefficients, of which \d+ rows determine 2"):
            GaussianProcessRegressor(RBF(0.7), alpha=0.1, mean="linear", optimizer=None).fit(rows, targets)
    with pytest.raises(ValueError, match="mean\\(X\\) contains NaN"):
        GaussianProcessRegressor(mean=lambda rows: np.full(len(rows), np.nan)).fit(X, y)


def on_grid():
    axes = np.linspace(-1.0, 1.0, 6), np.linspace(0.0, 2.0, 5)
    X = np.array([[a, b] for a in axes[0] for b in axes[1]])[np.random.default_rng(0).permutation(30)]
    return X, np.sin(2.0 * X[:, 0]) * X[:, 1]


@pytest.mark.spec("GP-L06", "GP-016", "GP-017", "GP-018", "GP-019", "GP-021")
@pytest.mark.parametrize("mean", [None, "linear"])
def test_all_solvers_agree(mean):
    X, y = on_grid()
    kernel = TensorProduct([Wendland(1.5, smoothness=2), Wendland(1.5, smoothness=2)])
    found = {}
    for solver in ("cholesky", "sparse", "cg", "kronecker"):
        model = GaussianProcessRegressor(kernel, alpha=0.01, mean=mean, solver=solver, optimizer=None).fit(X, y)
        assert model.solver_ == solver
        m, s = model.predict(NEW, return_std=True)
        found[solver] = np.concatenate([m, s, model.predict(NEW, return_cov=True)[1].ravel()])
        if solver != "cg":
            found[solver] = np.append(found[solver], [model.log_marginal_likelihood_value_, *model.loo_residuals_])
    for solver, values in found.items():
        assert_allclose(values, found["cholesky"][: len(values)], rtol=1e-8, atol=1e-9, err_msg=solver)


@pytest.mark.spec("GP-018")
def test_conjugate_gradients_end_where_they_are_told_and_say_how_they_got_there():
    X, y = table(80)
    options = {"alpha": 0.01, "mean": "constant", "optimizer": None}
    exact = GaussianProcessRegressor(RBF(0.7), **options).fit(X, y)
    assert exact.solver_residuals_.size == 0
    errors = []
    for tol in (1e-2, 1e-5, 1e-10):
        model = GaussianProcessRegressor(RBF(0.7), solver="cg", solver_tol=tol, **options).fit(X, y)
        path = model.solver_residuals_
        assert path[0] == 1.0
        assert path[-1] <= tol < np.min(path[:-1])
        errors.append(np.max(np.abs(model.predict(NEW) - exact.predict(NEW))))
    assert errors[2] < 1e-7 < errors[1] < errors[0]
    with pytest.warns(ConvergenceWarning, match="after 3 iterations; give more noise"):
        short = GaussianProcessRegressor(RBF(0.7), solver="cg", solver_max_iter=3, **options).fit(X, y)
    left = (RBF(0.7).gram(X) + 0.01 * np.eye(80)) @ short.alpha_ + short.beta_ - y
    relative = np.linalg.norm(left) / np.linalg.norm(y - short.beta_)
    assert len(short.solver_residuals_) == 4
    assert_allclose(short.solver_residuals_[-1], relative)


@pytest.mark.spec("GP-021")
def test_the_solver_follows_the_data():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(400, 2))
    fit = lambda kernel, rows: GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None).fit(rows, rows[:, 0]).solver_  # noqa: E731
    assert fit(RBF(0.1), X) == "cholesky"
    assert fit(Wendland(0.1, smoothness=2), X) == "sparse"
    assert fit(Wendland(3.0, smoothness=2), X) == "cholesky"
    grid = np.array([[a, b] for a in range(18) for b in range(18)], dtype=float)
    assert fit(RBF(0.5), grid) == "kronecker"
    assert fit(Matern(0.5, nu=1.5), grid) == "cholesky"
    unequal = GaussianProcessRegressor(RBF(0.5), alpha=np.linspace(0.1, 0.2, 324), optimizer=None)
    assert unequal.fit(grid, grid[:, 0]).solver_ == "cholesky"
    with pytest.raises(ValueError, match="and equal noise; found 324 rows"):
        unequal.set_params(solver="kronecker").fit(grid, grid[:, 0])
    with pytest.raises(ValueError, match="solver='kronecker' needs rows that are a full grid"):
        GaussianProcessRegressor(RBF(), solver="kronecker", optimizer=None).fit(X[:20], X[:20, 0])
    with pytest.raises(ValueError, match="solver='sparse' needs a kernel that is zero beyond"):
        GaussianProcessRegressor(RBF(), solver="sparse", optimizer=None).fit(X[:20], X[:20, 0])


@pytest.mark.spec("GP-L08", "GP-022", "GP-023")
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("tune", ["lml", "loo"])
@pytest.mark.parametrize("drift", [False, True])
def test_gradients_of_the_criteria(kernel, tune, drift):
    X, y = table(15)
    data = NoisyRows(X, np.column_stack([y, y**2]), np.hstack([np.ones((15, 1)), X]) if drift else None)
    noise = Noise(0.2, np.linspace(0.5, 2.0, 15), (1e-5, 1e5))
    start = Parameters(kernel, noise)
    C = criterion(data, start, tune, {"noise": Normal(0.0, 2.0)})
    theta = start.theta
    value, gradient = C(theta)
    assert np.isfinite(value)
    h = 1e-5
    steps = h * np.eye(len(theta))
    assert_allclose(gradient, [(C(theta + e)[0] - C(theta - e)[0]) / (2.0 * h) for e in steps], rtol=1e-6, atol=1e-6)


@pytest.mark.spec("GP-L09", "GP-023")
@pytest.mark.parametrize("mean", [None, 1.0, "linear"])
def test_leave_one_out_is_n_refits(mean):
    X, y = table(12)
    alpha = np.linspace(0.05, 0.2, 12)
    model = GaussianProcessRegressor(RBF(0.7), alpha=alpha, mean=mean, optimizer=None).fit(X, y)
    left, std = model.loo_predict()
    for i in range(12):
        rest = np.arange(12) != i
        other = GaussianProcessRegressor(RBF(0.7), alpha=alpha[rest], mean=mean, optimizer=None).fit(X[rest], y[rest])
        m, s = other.predict(X[[i]], return_std=True, include_noise=alpha[[i]])
        assert_allclose([left[i], std[i]], [m.item(), s.item()], rtol=1e-8)


@pytest.mark.spec("GP-002", "GP-005", "GP-011", "GP-013", "GP-023")
def test_normalised_targets_are_a_change_of_units():
    X, y = table()
    y = 50.0 * y + 7.0
    s, c = y.std(), y.mean()
    a = GaussianProcessRegressor(RBF(0.7), noise=0.1, normalize_y=True, optimizer=None).fit(X, y)
    b = GaussianProcessRegressor(Constant(s**2) * RBF(0.7), noise=0.1 * s**2, mean=c, optimizer=None).fit(X, y)
    for noise in (False, True):
        for kind in ("return_std", "return_cov"):
            for x, z in zip(*(m.predict(NEW, **{kind: True}, include_noise=noise) for m in (a, b)), strict=True):
                assert_allclose(x, z, rtol=1e-7, atol=1e-9)
        draws = [m.sample_posterior(NEW, 3, random_state=0, include_noise=noise) for m in (a, b)]
        assert_allclose(*draws, rtol=1e-6)
    for x, z in zip(a.loo_predict(), b.loo_predict(), strict=True):
        assert_allclose(x, z)
    assert_allclose(a.smooth(), b.smooth())
    # ‖f‖ is in the units of f, for the kernel that was given.
    assert_allclose(a.rkhs_norm(), s * b.rkhs_norm())
    assert_allclose(a.map_objective(), s**2 * b.map_objective())


@pytest.mark.spec("GP-L10", "GP-014")
@pytest.mark.parametrize("options", [{}, {"normalize_y": True}, {"mean": "linear"}, {"noise": 0.0}, {"solver": "cg"}])
def test_an_update_is_a_refit(options):
    X, y = table()
    make = lambda: GaussianProcessRegressor(Matern(0.5, nu=1.5), **{"alpha": 0.1, "optimizer": None, **options})  # noqa: E731
    a = make().fit(X[:15], y[:15]).update(X[15:20], y[15:20]).update(X[20:], y[20:])
    b = make().fit(X, y)
    for x, z in zip(a.predict(NEW, return_cov=True), b.predict(NEW, return_cov=True), strict=True):
        assert_allclose(x, z, rtol=1e-7, atol=1e-9)
    assert_allclose(a.y_train_, b.y_train_)


@pytest.mark.spec("GP-014")
def test_an_update_looks_at_pairs_with_new_rows_alone():
    seen = []
    kernel = CallableKernel(lambda a, b: seen.append(1) or np.exp(-0.5 * np.sum((a - b) ** 2)), pairwise=True)
    X, y = table(17)
    model = GaussianProcessRegressor(kernel, noise=0.1, optimizer=None).fit(X[:15], y[:15])
    assert len(seen) >= 15 * 16 // 2
    seen.clear()
    model.update(X[15:], y[15:])
    assert len(seen) <= 15 * 2 + 2 * 2


@pytest.mark.spec("GP-L15", "GP-007")
def test_cardinal_functions():
    X, y = table(10)
    model = GaussianProcessRegressor(Matern(0.5, nu=1.5), noise=0.0, optimizer=None).fit(X, y)
    assert_allclose(model.cardinal_weights(X), np.eye(10), atol=1e-9)
    assert_allclose(model.cardinal_weights(NEW) @ y, model.predict(NEW), rtol=1e-9)


@pytest.mark.spec("GP-G19", "GP-030")
def test_a_kernel_of_grids_is_refused_off_the_grid():
    X = np.arange(0.0, 4.0, 0.5)[:, None]
    k = BSpline(2).gram(X, [[1.25]])
    assert 0.75 - k.T @ np.linalg.solve(BSpline(2).gram(X), k) == pytest.approx(-0.029734848, abs=1e-9)
    model = GaussianProcessRegressor(BSpline(2), noise=0.0, optimizer=None)
    with pytest.raises(NotPositiveDefiniteError, match="covariance on its own grid only"):
        model.fit(X, np.sin(X[:, 0]))
    with pytest.raises(NotPositiveDefiniteError, match="covariance on its own grid only"):
        model.fit(X[::2], np.sin(X[::2, 0])).update(X[1:2], [0.0])
    unit = GaussianProcessRegressor(BSpline(2), noise=0.0, optimizer=None).fit(X[::2], np.sin(X[::2, 0]))
    assert np.all(unit.predict([[1.25]], return_std=True)[1] > 0.0)


OF_GRIDS = {
    "catmull-rom": CatmullRom(),
    "even spline": BSpline(2),
    "box": BSpline(0),
    "lanczos": Sinc(window=3),
    "sum": CatmullRom() + 0.1 * RBF(),
    "product": CatmullRom().on(0) * BSpline(3).on(1),
    "tensor": TensorProduct([RBF(), CatmullRom(step=0.5)]),
    "warped": Warped(BSpline(2), np.negative),
}


@pytest.mark.spec("GP-030")
@pytest.mark.parametrize("name", OF_GRIDS)
def test_every_kernel_of_grids_is_refused_for_scattered_rows(name):
    kernel, d = OF_GRIDS[name], 2 if name in ("product", "tensor") else 1
    scattered = np.random.default_rng(0).uniform(0.0, 6.0, size=(12, d))
    grid = np.random.default_rng(0).permutation(12)[:, None] @ np.full((1, d), 1.0) + 0.25
    for cls in (GaussianProcessRegressor, GaussianProcessClassifier):
        model = cls(kernel, optimizer=None)
        with pytest.raises(ValueError, match=r"grid only.*radial kernel such as RBF"):
            model.fit(scattered, scattered[:, 0] > 3.0)
        assert np.all(np.isfinite(model.fit(grid.astype(np.float32), grid[:, 0] > 3.0).predict(scattered)))
    # Odd splines and sinc are covariances everywhere.
    GaussianProcessRegressor(BSpline(3), alpha=0.1, optimizer=None).fit(scattered[:, :1], scattered[:, 0])


@pytest.mark.spec("GP-008")
@pytest.mark.parametrize("mean", [100.0, lambda X: 100.0 + X[:, 0], -3])
def test_a_known_mean_is_the_centre_of_normalised_targets(mean):
    X, y = table(20)
    m = (lambda Z: np.full(len(Z), float(mean))) if not callable(mean) else mean
    far = np.full((1, X.shape[1]), 1e3)
    model = GaussianProcessRegressor(RBF(), alpha=0.1, mean=mean, normalize_y=True, optimizer=None)
    before = model.sample_prior(far, 2000, random_state=0).mean()
    model.fit(X, y)
    assert_allclose(model.predict(far), m(far))
    s = np.sqrt(np.mean((y - m(X)) ** 2))
    plain = GaussianProcessRegressor(RBF(), alpha=0.1, optimizer=None).fit(X, (y - m(X)) / s)
    assert_allclose(model.predict(NEW), m(NEW) + s * plain.predict(NEW))
    assert before == pytest.approx(m(far)[0], abs=0.1)


@pytest.mark.spec("GP-L22", "GP-012")
def test_order_precision_and_repetition():
    X, y = table(30)
    kernel = Constant(1.0) * RBF(np.array([1.0, 1.0]))
    a = GaussianProcessRegressor(kernel, noise="learn").fit(X, y)
    order = np.random.default_rng(1).permutation(30)
    b = GaussianProcessRegressor(kernel, noise="learn").fit(X[order], y[order])
    assert_allclose(a.predict(NEW), b.predict(NEW), rtol=1e-4, atol=1e-4)
    c = GaussianProcessRegressor(a.kernel_, alpha=a.noise_, optimizer=None)
    first, again = (c.fit(X, y).predict(NEW) for _ in range(2))
    assert np.array_equal(first, again)
    assert_allclose(c.fit(X.astype(np.float32), y).predict(NEW), first, rtol=1e-4, atol=1e-4)
    both = c.fit(X, np.column_stack([y, -2.0 * y]))
    mean, std = both.predict(NEW, return_std=True)
    assert_allclose(mean, np.column_stack([first, -2.0 * first]))
    assert_allclose(std[:, 0], std[:, 1])
    alone = [c.fit(X, t).log_marginal_likelihood_value_ for t in (y, -2.0 * y)]
    assert_allclose(c.fit(X, np.column_stack([y, -2.0 * y])).log_marginal_likelihood_value_, sum(alone))


@pytest.mark.spec("GP-005")
def test_a_weight_is_a_number_of_observations():
    X, y = table(20)
    w = np.random.default_rng(0).integers(0, 4, 20)
    model = GaussianProcessRegressor(RBF(0.7), alpha=0.1, optimizer=None)
    a = model.fit(X, y, sample_weight=w).predict(NEW, return_std=True)
    b = (
        GaussianProcessRegressor(RBF(0.7), alpha=0.1, optimizer=None)
        .fit(np.repeat(X, w, axis=0), np.repeat(y, w))
        .predict(NEW, return_std=True)
    )
    assert_allclose(a, b, rtol=1e-8)


@pytest.mark.spec("GP-025")
def test_fixed_parameters_priors_and_relevance():
    X, y = table(40)
    kernel = Constant(1.0, value_bounds="fixed") * RBF(np.array([1.0, 1.0]))
    free = GaussianProcessRegressor(kernel, alpha=0.01).fit(X, y)
    assert free.kernel_.k1.value == 1.0
    assert free.relevance()["k2__length_scale[0]"] == 1.0 / free.kernel_.k2.length_scale[0]
    tight = GaussianProcessRegressor(kernel, alpha=0.01, prior={"k2__length_scale[0]": Normal(np.log(3.0), 1e-6)}).fit(
        X, y
    )
    assert_allclose(tight.kernel_.k2.length_scale[0], 3.0, rtol=1e-2)
    with pytest.raises(ValueError, match="prior names 'k1__value', which is not learned"):
        GaussianProcessRegressor(kernel, prior={"k1__value": Normal(0.0, 1.0)}).fit(X, y)


@pytest.mark.spec("GP-003")
def test_a_variance_without_digits_is_set_to_zero_and_said():
    places = np.linspace(0.0, 3.0, 8)
    X = np.array([[a, b] for a in places for b in places])
    model = GaussianProcessRegressor(RBF(2.0), noise=0.0, optimizer=None, solver="cg")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, X[:, 0])
        with pytest.warns(UserWarning, match="posterior variance is -.* it is set to 0: the observations leave no dig"):
            std = model.predict(X + 1.0, return_std=True)[1]
    assert np.min(std) == 0.0


@pytest.mark.spec("GP-003")
def test_equal_rows_without_noise():
    X, y = np.array([[0.0], [1.0], [1.0]]), np.array([1.0, 2.0, 2.0])
    model = GaussianProcessRegressor(noise=0.0, optimizer=None).fit(X, y)
    assert len(model.X_train_) == 2
    assert_allclose(model.predict([[0.5]]), 1.647955295)
    with pytest.raises(ValueError, match="rows 1 and 2 of X are equal, their targets differ and their noise is 0"):
        GaussianProcessRegressor(noise=0.0, optimizer=None).fit(X, [1.0, 2.0, 2.5])


@pytest.mark.spec("GP-016")
def test_jitter_is_stated():
    X = np.linspace(0.0, 1.0, 40)[:, None]
    with pytest.warns(UserWarning, match="added to the diagonal"):
        model = GaussianProcessRegressor(RBF(5.0), noise=0.0, optimizer=None).fit(X, np.sin(X[:, 0]))
    assert model.jitter_ == pytest.approx(1e-12)
    with pytest.raises(NotPositiveDefiniteError, match="psd=False"):
        GaussianProcessRegressor(Sigmoid(1.0, 1.0), optimizer=None).fit(table()[0], table()[1])


@pytest.mark.spec("GP-022")
def test_a_parameter_on_its_bound_is_reported():
    X, y = table()
    with pytest.warns(ConvergenceWarning, match="length_scale lies on its upper bound 0.1"):
        GaussianProcessRegressor(RBF(0.05, length_scale_bounds=(0.01, 0.1)), alpha=0.1).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = GaussianProcessRegressor(RBF(1.0), alpha=0.1, n_restarts_optimizer=3, random_state=0, n_jobs=2).fit(
            X, y
        )
    assert len(model.restarts_) == 4
    assert model.objective_ == max(model.restarts_)


@pytest.mark.spec("GP-022")
def test_restarts_find_what_a_bad_start_misses():
    X = np.random.default_rng(1).uniform(0.0, 10.0, (25, 1))
    kernel, y = Constant(1.0) * RBF(30.0), np.sin(6.0 * X[:, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        noise, wave = (
            GaussianProcessRegressor(kernel, noise="learn", n_restarts_optimizer=n, random_state=0).fit(X, y)
            for n in (0, 4)
        )
    assert noise.kernel_.k2.length_scale > 10.0
    assert wave.kernel_.k2.length_scale < 1.0
    assert wave.objective_ > noise.objective_ + 10.0
    assert wave.restarts_[0] == noise.objective_


class WrongGradient(peer.RBF):
    def __call__(self, X, Y=None, eval_gradient=False):
        found = super().__call__(X, Y, eval_gradient)
        return (found[0], -found[1]) if eval_gradient else found


@pytest.mark.spec("GP-022")
def test_a_search_that_stops_short_says_so():
    with pytest.warns(ConvergenceWarning, match="the search for hyper-parameters ended after 0 iterations"):
        model = GaussianProcessRegressor(WrongGradient(1.0), alpha=0.1).fit(*table())
    assert not model.converged_
    assert model.stop_reason_ == "no_change"
    assert model.gradient_norm_ > 1.0


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"alpha": -1.0}, "alpha=-1 is a variance and must be"),
        ({"noise": "much"}, "noise='much'"),
        ({"mean": "quadratic"}, "mean='quadratic'"),
        ({"alpha": [1.0, 2.0]}, "alpha must be a scalar or an array"),
        ({"solver": "qr"}, "solver='qr'"),
        ({"n_targets": 2}, "n_targets"),
    ],
)
def test_options_that_cannot_be_used(options, text):
    with pytest.raises(ValueError, match=text):
        GaussianProcessRegressor(**options).fit(*table())
