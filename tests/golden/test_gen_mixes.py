"""Golden values of mixtures of any family, of semi-supervised EM and of open sets."""

import numpy as np
import pytest

from gnomon.distributions import Bernoulli, MultivariateNormal, Normals, Poisson
from gnomon.generative import GaussianClassifier, MixtureModel, OpenSetClassifier, SemiSupervisedClassifier
from gnomon.optim import GaussianEM, NormalMixture

ONE_STEP = pytest.mark.filterwarnings("ignore:EM did not converge in 1 iterations")


@ONE_STEP
@pytest.mark.spec("GEN-G41", "GEN-066")
def test_g41_one_step_for_two_poisson_laws():
    model = MixtureModel([Poisson(1.0), Poisson(8.0)], max_iter=1).fit([[0], [1], [2], [8], [9]])
    assert model.weights_[0] == pytest.approx(0.587356, abs=5e-7)
    rates = [float(law.rate[0]) for law in model.components_]
    np.testing.assert_allclose(rates, [0.981712, 8.296213], rtol=0.0, atol=5e-7)
    np.testing.assert_allclose(model.history_["objective"], [-11.149833, -11.053274], rtol=0.0, atol=5e-7)


@ONE_STEP
@pytest.mark.spec("GEN-G42", "GEN-066")
def test_g42_one_step_for_two_laws_of_three_bits():
    X = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]])
    laws = [Bernoulli([0.7, 0.5, 0.3]), Bernoulli([0.3, 0.5, 0.7])]
    gamma = MixtureModel.from_laws(laws).predict_proba(X)[:, 0]
    np.testing.assert_allclose(gamma, [0.844828, 0.844828, 0.155172, 0.155172], rtol=0.0, atol=5e-7)
    model = MixtureModel(laws, max_iter=1).fit(X)
    np.testing.assert_allclose(model.components_[0].p, [0.844828, 0.5, 0.155172], rtol=0.0, atol=5e-7)
    np.testing.assert_allclose(model.history_["objective"], [-7.724086, -6.761442], rtol=0.0, atol=5e-7)


@pytest.mark.spec("GEN-G44", "GEN-085")
@pytest.mark.parametrize(
    ("share", "w0", "means"), [(1.0, 0.496897, [-1.198761, 1.382741]), (0.5, 0.497784, [-1.428705, 1.558323])]
)
def test_g44_one_semi_supervised_step(share, w0, means):
    X, labels = np.array([[-2.0], [2.0], [-1.0], [0.0], [1.5]]), np.array([0, 1, -1, -1, -1])
    steps = GaussianEM(X, np.where(labels < 0, share, 1.0), "diag", labels=labels)
    theta = NormalMixture(np.full(2, 0.5), Normals([[-2.0], [2.0]], [[1.0], [1.0]], "diag"))
    posterior, before = steps.e_step(theta)
    new = steps.m_step(posterior)
    assert new.weights[0] == pytest.approx(w0, abs=5e-7)
    np.testing.assert_allclose(new.laws.means.ravel(), means, rtol=0.0, atol=5e-7)
    if share == 1.0:
        np.testing.assert_allclose(new.laws.covariances.ravel(), [0.570461, 0.577547], rtol=0.0, atol=5e-7)
        assert before == pytest.approx(-9.971656, abs=5e-7)
        assert steps.e_step(new)[1] == pytest.approx(-8.347842, abs=5e-7)


@pytest.mark.spec("GEN-G44", "GEN-085")
def test_g44_the_classifier_makes_the_same_steps():
    X, y = np.array([[-2.0], [2.0], [-1.0], [0.0], [1.5]]), [0, 1, -1, -1, -1]
    labels = np.array(y)
    joint = GaussianClassifier.from_parameters([[-2.0], [2.0]], [[[1.0]], [[1.0]]]).predict_joint_log_proba(X)
    gamma = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))
    gamma[labels == 0], gamma[labels == 1] = [1.0, 0.0], [0.0, 1.0]
    np.testing.assert_allclose(gamma[:, 0], [1.0, 0.0, 0.982014, 0.5, 0.002473], rtol=0.0, atol=5e-7)
    steps = GaussianEM(X, None, "full", labels=labels)
    model = SemiSupervisedClassifier(tol=1e-10, max_iter=2000).fit(X, y)
    theta = NormalMixture(model.class_prior_, model.model_.laws_)
    after = steps.m_step(steps.e_step(theta)[0])
    np.testing.assert_allclose(after.laws.means, theta.laws.means, atol=1e-4)
    assert steps.e_step(theta)[1] == pytest.approx(model.objective_, abs=1e-9)
    assert model.objective_ > -8.347842


@pytest.mark.spec("GEN-G47", "GEN-084")
def test_g47_two_classes_and_the_rest():
    known = GaussianClassifier.from_parameters([[0.0, 0.0], [4.0, 0.0]], [np.eye(2), np.eye(2)])
    other = MixtureModel.from_laws(
        [MultivariateNormal([0.0, 6.0], 4.0 * np.eye(2)), MultivariateNormal([8.0, 8.0], 9.0 * np.eye(2))]
    )
    model = OpenSetClassifier.from_densities(known, other, other_prior=0.2)
    assert model.classes_.tolist() == [-1, 0, 1]
    np.testing.assert_allclose(model.class_prior_, [0.2, 0.4, 0.4])
    proba = model.predict_proba([[1.0, 0.5], [1.0, 3.0], [2.0, 9.0]])[:, [1, 2, 0]]
    expected = [[0.979610, 0.017942, 0.002448], [0.267133, 0.004893, 0.727974]]
    np.testing.assert_allclose(proba[:2], expected, rtol=0.0, atol=5e-7)
    assert model.predict([[1.0, 0.5], [1.0, 3.0], [2.0, 9.0]]).tolist() == [0, -1, -1]
