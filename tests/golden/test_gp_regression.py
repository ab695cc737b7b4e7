"""Golden values of Gaussian process regression."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gnomon.gp import GaussianProcessRegressor
from gnomon.kernels import RBF, Constant

TWO = np.array([[0.0], [1.0]]), np.array([1.0, 2.0])
THREE = np.array([[0.0], [1.0], [3.0]]), np.array([1.0, 2.0, 2.0])


@pytest.mark.spec("GP-G01", "GP-003", "GP-004", "GP-007")
def test_two_points_without_noise():
    model = GaussianProcessRegressor(noise=0.0, optimizer=None).fit(*TWO)
    mean, std = model.predict([[0.5]], return_std=True)
    assert_allclose(mean, 1.647955295)
    assert_allclose(std**2, 0.030456371, rtol=1e-7)
    assert_allclose(model.dual_coef_, [-0.337058044, 2.204436038])
    assert model.alpha_ is model.dual_coef_
    assert_allclose(model.cardinal_weights([[0.5]]), [[0.549318432, 0.549318432]])
    assert_allclose(model.log_marginal_likelihood_value_, -3.644446510)
    assert_allclose(model.rkhs_norm() ** 2, 4.071814032)


@pytest.mark.spec("GP-G02", "GP-002")
def test_joint_covariance_of_two_new_points():
    mean, cov = GaussianProcessRegressor(noise=0.0, optimizer=None).fit(*TWO).predict([[0.5], [2.0]], return_cov=True)
    assert_allclose(cov, [[0.030456371, -0.082868169], [-0.082868169, 0.546572344]], rtol=1e-7)
    assert_allclose(mean[1], 1.291442199)


@pytest.mark.spec("GP-G03", "GP-005", "GP-006")
def test_noise():
    model = GaussianProcessRegressor(noise=0.1, optimizer=None).fit(*TWO)
    mean, latent = model.predict([[0.5], [2.0]], return_std=True)
    observed = model.predict([[0.5], [2.0]], return_std=True, include_noise=True)[1]
    assert_allclose(mean, [1.551387719, 1.129513838])
    assert_allclose(latent**2, [0.087270095, 0.613783979], rtol=1e-7)
    assert_allclose(observed**2, [0.187270095, 0.713783979])
    assert_allclose(model.smooth(), [1.013425788, 1.810778953])
    assert_allclose(model.smoother_matrix() @ TWO[1], model.smooth())
    assert_allclose(model.effective_dof_, 1.738754745)
    assert_allclose(np.trace(model.smoother_matrix()), 1.738754745)
    assert_allclose(model.log_marginal_likelihood_value_, -3.577042553)


@pytest.mark.spec("GP-G04", "GP-013")
def test_the_mean_minimises_a_norm():
    model = GaussianProcessRegressor(noise=0.1, optimizer=None).fit(*TWO)
    assert_allclose(model.rkhs_norm() ** 2, 3.290314501)
    assert_allclose(model.map_objective(), 3.650163066)


@pytest.mark.spec("GP-G05", "GP-008", "GP-009")
def test_a_known_mean_and_ordinary_kriging():
    known = GaussianProcessRegressor(noise=0.1, optimizer=None, mean=1.5).fit(*TWO)
    kriged = GaussianProcessRegressor(noise=0.1, optimizer=None, mean="constant").fit(*TWO)
    for model in (known, kriged):
        assert_allclose(model.predict([[0.5], [2.0]]), [1.5, 1.977431259])
    assert_allclose(kriged.beta_, [1.5])
    assert_allclose(kriged.predict([[0.5], [2.0]], return_std=True)[1] ** 2, [0.088271525, 0.886435985], rtol=1e-7)


@pytest.mark.spec("GP-G06", "GP-009")
def test_a_linear_drift():
    model = GaussianProcessRegressor(noise=0.1, optimizer=None, mean="linear").fit(*THREE)
    mean, std = model.predict([[2.0], [6.0]], return_std=True)
    assert_allclose(model.beta_, [1.106476480, 0.362767894])
    assert_allclose(mean, [2.088303682, 3.280065686])
    assert_allclose(std**2, [0.390270435, 6.266920917])
    assert_allclose(model.log_marginal_likelihood_value_, -2.188523310)


@pytest.mark.spec("GP-G07", "GP-022")
def test_the_gradient_of_the_evidence():
    kernel = Constant(1.0) * RBF(1.0)
    model = GaussianProcessRegressor(kernel, noise="learn", optimizer=None).fit(*THREE)
    value, gradient = model.log_marginal_likelihood(np.log([1.0, 1.0, 0.1]), eval_gradient=True)
    assert_allclose(value, -5.946477780)
    assert_allclose(gradient, [1.654519825, 1.940754682, 0.083467510])


@pytest.mark.spec("GP-G08", "GP-023")
def test_leave_one_out():
    model = GaussianProcessRegressor(noise=0.1, optimizer=None).fit(*THREE)
    mean, std = model.loo_predict()
    assert_allclose(mean, [0.999954692, 0.785156125, 0.254591370])
    assert_allclose(std**2, [0.761840513, 0.750385149, 1.078080110])
    assert_allclose(model.loo_residuals_, THREE[1] - mean)
    learned = GaussianProcessRegressor(
        RBF(1.0), noise=0.1, tune="loo", optimizer=lambda cost, start, bounds: (start, cost(start)[0])
    )
    assert_allclose(learned.fit(*THREE).objective_, -4.911111026)


@pytest.mark.spec("GP-G09", "GP-022")
def test_the_maximum_of_the_evidence():
    X, y = np.arange(8.0)[:, None], np.array([0.1, 0.7, 1.2, -0.1, -0.6, -1.2, -0.1, 0.9])
    model = GaussianProcessRegressor(Constant(1.0) * RBF(1.0), noise="learn").fit(X, y)
    assert_allclose(model.kernel_.k1.value, 0.5329376, rtol=1e-4)
    assert_allclose(model.kernel_.k2.length_scale, 1.0076326, rtol=1e-4)
    assert_allclose(model.noise_, 0.0682632, rtol=1e-4)
    assert_allclose(model.log_marginal_likelihood_value_, -7.901538961, atol=1e-8)
    assert model.converged_
    assert model.gradient_norm_ < 1e-4
