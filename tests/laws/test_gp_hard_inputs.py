"""Gaussian processes where numbers are hard: noise of many sizes, drifts far from zero, kernels that are none."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from gnomon.gp import GaussianProcessRegressor, ThinPlateSpline
from gnomon.gp._observations import CRITERIA
from gnomon.kernels import RBF, Constant

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
@pytest.mark.parametrize("restarts", [0, 2])
def test_an_interrupt_keeps_the_best_so_far(at, restarts, monkeypatch):
    (value_of, slopes_of), values = CRITERIA["lml"], []

    def interrupted(found):
        values.append(value_of(found))
        if len(values) == at + 1:
            raise KeyboardInterrupt
        return values[-1]

    monkeypatch.setitem(CRITERIA, "lml", (interrupted, slopes_of))
    model = GaussianProcessRegressor(Constant(1.0) * RBF(1.0), alpha=0.1, n_restarts_optimizer=restarts, random_state=0)
    with pytest.warns(ConvergenceWarning, match="the best so far is kept"):
        model.fit(X, Y)
    assert model.stop_reason_ == "interrupted"
    assert not model.converged_
    assert model.objective_ == max(values[:at])
    assert model.objective_ == model.log_marginal_likelihood_value_


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
