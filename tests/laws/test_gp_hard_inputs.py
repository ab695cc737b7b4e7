"""Gaussian processes where numbers are hard: noise of many sizes, drifts far from zero, kernels that are none."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.gaussian_process import kernels as peer

from gnomon.gp import (
    BayesianOptimizer,
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    GridInterpolator,
    Integer,
    Real,
    ThinPlateSpline,
    _observations,
    grid_kernel_matrix,
    inverse_kernel,
    rkhs_inner,
    spline_prefilter,
    variogram,
)
from gnomon.kernels import RBF, CallableKernel, Constant, Wendland
from gnomon.numerics.linalg import NotPositiveDefiniteError

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


@pytest.mark.spec("GP-009")
@pytest.mark.parametrize("far", [1e4, 1e8, 1e12])
def test_a_plane_far_from_zero(far):
    moved, new = X + far, NEW + far
    a = GaussianProcessRegressor(RBF(1.0), alpha=0.1, mean="linear", optimizer=None).fit(moved, Y)
    b = GaussianProcessRegressor(RBF(1.0), alpha=0.1, mean="linear", optimizer=None).fit(moved - far, Y)
    for x, z in zip(a.predict(new, return_cov=True), b.predict(new - far, return_cov=True), strict=True):
        assert_allclose(x, z, rtol=1e-9, atol=1e-12)
    assert_allclose(a.log_marginal_likelihood_value_, b.log_marginal_likelihood_value_, rtol=1e-9)
    assert_allclose(a.beta_[1:], b.beta_[1:], rtol=1e-9)
    assert_allclose(a.beta_[0] + far * np.sum(a.beta_[1:]), b.beta_[0], atol=1e-15 * far + 1e-9)


@pytest.mark.spec("GP-009")
@pytest.mark.parametrize("far", [0.0, 1e6])
def test_noise_is_learned_beside_a_mean_that_is_estimated(far):
    kernel = Constant(1.0) * RBF(1.0)
    near, moved = (GaussianProcessRegressor(kernel, noise="learn", mean="constant").fit(X, Y + c) for c in (0.0, far))
    assert_allclose(moved.noise_, near.noise_, rtol=1e-4)
    assert_allclose(moved.kernel_.theta, near.kernel_.theta, rtol=1e-4)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (np.column_stack([X, np.full(20, 1e8)]), "4 coefficients, of which 20 rows determine 3"),
        (X[:2], "3 coefficients, of which 2 rows determine 2"),
    ],
)
def test_a_drift_that_rows_do_not_determine_is_refused(rows, text):
    with pytest.raises(ValueError, match=text):
        GaussianProcessRegressor(RBF(1.0), alpha=0.1, mean="linear").fit(rows, Y[: len(rows)])


def test_what_is_left_out_must_be_determined_by_the_others():
    model = GaussianProcessRegressor(RBF(1.0), alpha=0.1, mean="linear", optimizer=None).fit(X[:3], Y[:3])
    with pytest.raises(ValueError, match="without row 0 the 3 coefficients of the mean are not determined"):
        model.loo_predict()


def test_the_prior_has_the_noise_that_was_given():
    for options in ({"noise": 0.5}, {"alpha": 0.5}):
        std = GaussianProcessRegressor(RBF(1.0), **options).predict(NEW, return_std=True, include_noise=True)[1]
        assert_allclose(std**2, 1.5)
    with pytest.raises(ValueError, match="before a fit needs a noise level, and noise='learn'"):
        GaussianProcessRegressor(RBF(1.0), noise="learn").predict(NEW, return_std=True, include_noise=True)


@pytest.mark.parametrize(
    ("noise", "text"),
    [
        (np.inf, "alpha=inf is a variance"),
        ([-1.0, *[0.1] * 19], "alpha=-1 is a variance"),
        ([np.nan, *[0.1] * 19], "alpha=nan is a variance"),
        (np.full((20, 1), 0.1), r"alpha has shape \(20, 1\)"),
    ],
)
def test_a_variance_is_finite_and_not_negative(noise, text):
    with pytest.raises(ValueError, match=text):
        GaussianProcessRegressor(RBF(1.0), alpha=noise, optimizer=None).fit(X, Y)
    model = GaussianProcessRegressor(RBF(1.0), alpha=0.1, optimizer=None).fit(X, Y)
    with pytest.raises(ValueError, match=text.replace("alpha", "include_noise")):
        model.predict(X, return_std=True, include_noise=noise)
    with pytest.raises(ValueError, match="mean=inf must be finite"):
        GaussianProcessRegressor(RBF(1.0), mean=np.inf).fit(X, Y)


@pytest.mark.spec("GP-016", "GP-022")
def test_a_search_that_finds_no_covariance_says_so():
    x = np.linspace(0.0, 1.0, 50)[:, None]
    model = GaussianProcessRegressor(Constant(1.0) * RBF(1.0), noise=0.0)
    with (
        pytest.warns(ConvergenceWarning, match="not positive definite wherever"),
        pytest.warns(UserWarning, match="added to the diagonal"),
    ):
        model.fit(x, np.sin(x[:, 0]))
    assert not model.converged_
    assert model.stop_reason_ == "diverged"
    assert model.objective_ == -np.inf
    assert len(model.history_["objective"]) == 1


@pytest.mark.parametrize("at", [1, 4, 9])
@pytest.mark.parametrize(("tune", "restarts"), [("lml", 0), ("lml", 2), ("loo", 0)])
def test_an_interrupt_keeps_the_best_so_far(at, tune, restarts, monkeypatch):
    attempt, values = _observations._attempt, []

    def interrupted(parameters, rows):
        values.append(attempt(parameters, rows).log_evidence())
        if len(values) == at + 1:
            raise KeyboardInterrupt
        return attempt(parameters, rows)

    monkeypatch.setattr(_observations, "_attempt", interrupted)
    model = GaussianProcessRegressor(
        Constant(1.0) * RBF(1.0), alpha=0.1, tune=tune, n_restarts_optimizer=restarts, random_state=0
    )
    with pytest.warns(ConvergenceWarning, match="the best so far is kept"):
        model.fit(X, Y)
    assert model.stop_reason_ == "interrupted"
    assert not model.converged_
    if tune == "lml":
        assert model.objective_ == max(values[:at])
        assert_allclose(model.objective_, model.log_marginal_likelihood_value_, rtol=1e-12)


@pytest.mark.parametrize(
    "ask",
    [
        lambda model: model.loo_predict(),
        lambda model: model.sample_posterior(NEW),
        lambda model: model.smooth(),
        lambda model: model.log_marginal_likelihood(),
        lambda model: model.update(X, Y),
        lambda model: model.hyperparameters(),
        lambda model: model.L_,
    ],
)
def test_what_needs_observations_says_so_before_a_fit(ask):
    with pytest.raises(NotFittedError, match="instance is not fitted yet"):
        ask(GaussianProcessRegressor(RBF(1.0), alpha=0.1))


def test_targets_are_finite_numbers_for_kernels_of_any_rows():
    same = CallableKernel(lambda a, b: float(len(set(a) & set(b))), pairwise=True)
    for y, text in ((["1", "a"], "y holds the str .a. in row 1"), ([1.0, np.nan], "y contains NaN")):
        for kernel, rows in ((same, ["sun", "tea"]), (RBF(1.0), X[:2])):
            with pytest.raises(ValueError, match=text):
                GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None).fit(rows, y)
    model = GaussianProcessRegressor(RBF(1.0), alpha=0.1, optimizer=None).fit(X, Y.astype(str))
    assert_allclose(
        model.predict(NEW), GaussianProcessRegressor(RBF(1.0), alpha=0.1, optimizer=None).fit(X, Y).predict(NEW)
    )


def test_a_bound_of_zero_is_none():
    free = RBF(1.0, length_scale_bounds=(0.0, np.inf))
    assert free.bounds.tolist() == [[-np.inf, np.inf]]
    bounded = GaussianProcessRegressor(RBF(1.0), alpha=0.1).fit(X, Y)
    assert_allclose(GaussianProcessRegressor(free, alpha=0.1).fit(X, Y).kernel_.theta, bounded.kernel_.theta, rtol=1e-4)
    with pytest.raises(ValueError, match="needs finite bounds"):
        GaussianProcessRegressor(free, alpha=0.1, n_restarts_optimizer=1).fit(X, Y)


def test_warnings_of_a_search_are_about_the_line_that_fits():
    with pytest.warns(ConvergenceWarning, match="lies on its upper bound") as said:
        GaussianProcessRegressor(RBF(0.05, length_scale_bounds=(0.01, 0.1)), alpha=0.1).fit(X, Y)
    assert said[0].filename == __file__


def test_the_rkhs_objective_needs_noise():
    with pytest.raises(ValueError, match="divides by the noise of every row"):
        GaussianProcessRegressor(RBF(0.5), noise=0.0, optimizer=None).fit(X, Y).map_objective()


@pytest.mark.spec("GP-014", "GP-L10")
def test_an_update_is_a_refit_also_where_rows_are_hard():
    make = lambda **more: GaussianProcessRegressor(RBF(1.0), **{"alpha": 0.01, "optimizer": None, **more})  # noqa: E731
    w = np.append(np.ones(4), [0.0, 3.0, 0.5, 0.0])
    updated = make(normalize_y=True).fit(X[:12], Y[:12]).update(X[12:], Y[12:], sample_weight=w)
    whole = make(normalize_y=True).fit(X, Y, sample_weight=np.append(np.ones(12), w))
    assert_allclose(updated.predict(NEW, return_cov=True)[1], whole.predict(NEW, return_cov=True)[1], rtol=1e-8)
    assert_allclose(updated.predict(NEW), whole.predict(NEW), rtol=1e-8)
    near = X[:2] + 1e-9
    with pytest.warns(UserWarning, match="added to the diagonal"):
        again = make(noise=0.0).fit(X[:12], Y[:12]).update(near, Y[:2])
    with pytest.warns(UserWarning, match="added to the diagonal"):
        whole = make(noise=0.0).fit(np.vstack([X[:12], near]), np.append(Y[:12], Y[:2]))
    assert again.jitter_ == whole.jitter_
    assert_allclose(again.predict(NEW), whole.predict(NEW), rtol=1e-4)
    with pytest.raises(ValueError, match="y has 2 targets and the fit had 1"):
        make().fit(X, Y).update(X, np.column_stack([Y, Y]))


@pytest.mark.spec("GP-005")
def test_a_weight_is_a_number_of_observations_also_of_what_normalises():
    w = RNG.integers(0, 4, 20)
    make = lambda: GaussianProcessRegressor(RBF(1.0), alpha=0.1, normalize_y=True)  # noqa: E731
    a, b = make().fit(X, Y, sample_weight=w), make().fit(np.repeat(X, w, axis=0), np.repeat(Y, w))
    assert_allclose(a.predict(NEW, return_std=True), b.predict(NEW, return_std=True), rtol=1e-4)


@pytest.mark.parametrize("value", [0.1, 1e8 + 0.1, 1e-200])
def test_constant_targets_have_no_spread_that_could_normalise(value):
    model = GaussianProcessRegressor(RBF(1.0), alpha=0.1, normalize_y=True, optimizer=None).fit(X, np.full(20, value))
    mean, std = model.predict(NEW, return_std=True)
    assert_allclose(mean, value, rtol=1e-12)
    assert np.all(std > 0.1)


@pytest.mark.parametrize("solver", ["cholesky", "sparse", "cg"])
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_one_observation_is_enough(noise, solver):
    kernel = Wendland(3.0)
    model = GaussianProcessRegressor(kernel, noise=noise, solver=solver, optimizer=None).fit(X[:1], Y[:1])
    k = kernel.gram(X[:1], NEW)[0]
    mean, std = model.predict(NEW, return_std=True)
    assert_allclose(mean, k * Y[0] / (1.0 + noise))
    assert_allclose(std**2, 1.0 - k**2 / (1.0 + noise))
    learned = GaussianProcessRegressor(kernel, noise="learn", mean=5.0).fit(X[:1], Y[:1])
    assert np.all(np.isfinite(learned.predict(NEW, return_std=True)))


@pytest.mark.parametrize("value", [0.0, 3.0])
def test_a_search_over_constant_targets_says_which_bounds_it_met(value):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = GaussianProcessRegressor(Constant(1.0) * RBF(1.0), noise="learn").fit(X, np.full(20, value))
    texts = [str(one.message) for one in said]
    for bound in ("k2__length_scale lies on its upper bound", "noise lies on its lower bound"):
        assert any(text.startswith(bound) for text in texts)
    mean, std = model.predict(NEW, return_std=True)
    assert_allclose(mean, value, atol=1e-3)
    assert np.all(std < 1e-3 * max(value, 1.0))


@pytest.mark.spec("GP-039")
@pytest.mark.parametrize("link", ["logit", "probit"])
def test_a_search_for_a_mode_that_is_stuck_says_so(link):
    model = GaussianProcessClassifier(Constant(1e20) * RBF(1.0), optimizer=None, link=link)
    with pytest.warns(ConvergenceWarning, match="give a smaller amplitude"):
        model.fit(X, Y > 0.0)
    assert not model.converged_
    assert GaussianProcessClassifier(Constant(1e6) * RBF(1.0), optimizer=None, link=link).fit(X, Y > 0.0).converged_


@pytest.mark.spec("GP-039", "GP-046")
def test_a_softmax_without_a_mode_within_rounding_ends_soon_and_says_so():
    model = GaussianProcessClassifier(Constant(1e20) * RBF(1.0), optimizer=None, multi_class="softmax")
    with pytest.warns(ConvergenceWarning, match="give a smaller amplitude"):
        model.fit(X, np.digitize(Y, [-0.5, 0.5]))
    assert (model.converged_, model.stop_reason_) == (False, "no_change")
    assert model.n_iter_ < model.max_iter_predict


def negative(a, b):
    return -np.exp(-np.sum((a[:, None] - b) ** 2, axis=-1))


def unknown(a, b):
    return np.full((len(a), len(b)), np.nan)


@pytest.mark.parametrize("multi_class", ["one_vs_rest", "softmax"])
def test_kernels_that_are_no_covariance_of_scores_are_named(multi_class):
    for function, text in ((negative, "not positive semi-definite; CallableKernel"), (unknown, "gives NaN")):
        model = GaussianProcessClassifier(CallableKernel(function), optimizer=None, multi_class=multi_class)
        with pytest.raises(NotPositiveDefiniteError, match=text):
            model.fit(X, Y > 0.0)


@pytest.mark.parametrize("white", [0.0, 0.1])
def test_kernels_of_scikit_learn_with_inducing_rows(white):
    own, theirs = Constant(1.0) * RBF(1.0), peer.ConstantKernel(1.0) * peer.RBF(1.0)
    fixed = peer.WhiteKernel(white, "fixed")
    options = {"noise": "learn", "solver": "inducing", "n_inducing": 20}
    a = GaussianProcessRegressor(theirs + fixed if white else theirs, **options)
    with warnings.catch_warnings():
        # A white part is variance that no inducing row explains.
        warnings.simplefilter("ignore" if white else "error", UserWarning)
        a.fit(X, Y)
    theta = np.append(a.kernel_.theta, np.log(a.noise_))
    value, slopes = a.log_marginal_likelihood(theta, eval_gradient=True)
    steps = 1e-4 * np.eye(len(theta))
    differences = [(a.log_marginal_likelihood(theta + s) - a.log_marginal_likelihood(theta - s)) / 2e-4 for s in steps]
    assert_allclose(slopes, differences, atol=1e-5)
    if not white:
        assert_allclose(value, GaussianProcessRegressor(own, **options).fit(X, Y).objective_, rtol=1e-6)


@pytest.mark.parametrize("tol", [-1.0, np.nan])
def test_the_tolerance_of_a_spectrum_is_a_share(tol):
    x = np.arange(9.0)
    with pytest.raises(ValueError, match="tol="):
        inverse_kernel(RBF(1.0), x, tol=tol)
    with pytest.raises(ValueError, match="tol="):
        rkhs_inner(np.ones(9), np.ones(9), RBF(1.0), x, tol=tol)


@pytest.mark.spec("GP-031")
@pytest.mark.parametrize(("start", "n"), [(0.0, 101), (0.0, 100_001), (2000.0, 1001)])
def test_axes_in_single_precision_are_regular_up_to_their_precision(start, n):
    x = np.linspace(start, start + 1.0, n, dtype=np.float32)
    model = GridInterpolator("linear").fit([x], (x - np.float32(start)).astype(float))
    assert_allclose(model.predict([[start + 0.35]]), 0.35, atol=2e-4 if start else 1e-6)
    with pytest.raises(ValueError, match="axis 0 is not regular"):
        GridInterpolator("linear").fit([np.delete(x, n // 2)], np.zeros(n - 1))
    with pytest.raises(ValueError, match="axis 0 is not regular"):
        GridInterpolator("linear").fit([np.linspace(2000.0, 2001.0, 100_001, dtype=np.float32)], np.zeros(100_001))


@pytest.mark.spec("GP-016", "GP-031")
def test_a_grid_says_by_how_much_jitter_misses_its_values():
    values = np.sin(np.arange(30.0))
    with pytest.warns(UserWarning, match="added to the diagonal of the kernel matrix of an axis") as said:
        model = GridInterpolator(RBF(8.0), boundary="gp").fit(values)
    missed = np.max(np.abs(model.predict(np.arange(30.0)[:, None]) - values))
    assert f"missed by up to {missed:.2g}"[:-1] in str(said[0].message)
    with pytest.raises(NotPositiveDefiniteError, match="shorter length scale"):
        GridInterpolator(RBF(30.0), boundary="gp").fit(RNG.standard_normal((7, 9)))


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: grid_kernel_matrix("cubic", 4), "kernel='cubic' is unknown"),
        (lambda: spline_prefilter(np.ones((3, 3)), axis=(0, 1)), "axis="),
        (lambda: variogram(X, Y, bins=[[0.0, 1.0], [2.0, 3.0]]), "increasing distances"),
        (lambda: variogram(X, Y, cutoff=1e-9), "no two rows are from 0 to 1e-09 apart"),
        (lambda: variogram(sparse.csr_array(X), Y), "X is sparse"),
        (lambda: BayesianOptimizer({"x": Real(0, 1)}).tell({"x": 0.5}, None), "loss=None must be one number"),
        (lambda: BayesianOptimizer({"x": Real(0, 1)}).tell({"x": 0.5}, 1.0, -1.0), "seconds=-1.0 must be"),
        (lambda: BayesianOptimizer({"x": Real(0, 1)}).tell({"x": 0.5}, 1.0, np.inf), "seconds=inf must be"),
    ],
)
def test_what_means_nothing_is_refused(make, text):
    with pytest.raises((ValueError, TypeError), match=text):
        make()


@pytest.mark.spec("GP-050")
@pytest.mark.parametrize("unit", [1e-300, 1e-170, 1e170, 1e300])
def test_questions_do_not_depend_on_the_unit_of_losses(unit):
    asked = []
    for scale in (1.0, unit):
        optimizer = BayesianOptimizer({"x": Real(0.0, 1.0)}, n_initial_points=3, n_candidates=200, random_state=0)
        for _ in range(5):
            point = optimizer.ask()
            optimizer.tell(point, scale * (point["x"] - 0.3) ** 2)
        asked.append([point["x"] for point in optimizer.points_])
    assert_allclose(asked[0], asked[1], atol=1e-4)


@pytest.mark.spec("GP-052")
def test_ranges_that_are_narrow_or_very_wide():
    for low, high in ((1e8, 1e8 + 1e-3), (-1e8, -1e8 + 1e-4), (1.0, 1.0 + 1e-9)):
        narrow = Real(low, high)
        codes = [narrow.code_at(u) for u in np.linspace(0.0, 1.0, 1001)]
        assert len(set(codes)) >= 100
        assert all(narrow.code_at(narrow.unit(code)) == code for code in codes)
    wide = Integer(0, 10**30)
    assert wide.code("x", wide.code_at(1.0)) == 10**30
