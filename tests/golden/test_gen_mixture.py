"""Golden values of EM and of mixtures of normal laws."""

import numpy as np
import pytest
from scipy import stats

from gnomon.distributions import Normals
from gnomon.generative import GaussianMixture
from gnomon.optim import (
    AddedVariance,
    CovarianceFloor,
    GaussianEM,
    NormalMixture,
    em,
    em_bound,
    fit_normal_missing,
    grow_by_splitting,
    split_components,
)

LINE = np.array([[-1.0], [0.0], [1.0], [2.0]])
PLANE = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [4.0, 4.0], [5.0, 3.0], [4.0, 5.0]])
HOLES = np.array([[0, 0], [2, 1], [1, 2], [3, 1], [4, np.nan], [np.nan, 3]])


def start(means, covariances, kind, weights=None):
    means = np.asarray(means, dtype=float)
    weights = np.full(len(means), 1.0 / len(means)) if weights is None else np.asarray(weights)
    return NormalMixture(weights, Normals(means, covariances, kind))


def after_one(steps, theta):
    return steps.m_step(steps.e_step(theta)[0])


@pytest.mark.spec("GEN-G33", "GEN-068")
@pytest.mark.parametrize(
    ("kind", "covariance", "total"),
    [
        ("full", 30, 44),
        ("diag", 12, 26),
        ("spherical", 3, 17),
        ("tied", 10, 24),
        ("tied_diag", 4, 18),
        ("tied_spherical", 1, 15),
        ("fixed", 0, 14),
    ],
)
def test_g33_parameters_of_three_components_in_four_dimensions(kind, covariance, total):
    X = np.random.default_rng(0).normal(size=(60, 4))
    given = {"covariances_init": np.eye(4)} if kind == "fixed" else {}
    model = GaussianMixture(3, covariance_type=kind, random_state=0, max_iter=500, **given).fit(X)
    assert model.n_parameters_ == total
    assert model.n_parameters_ - 3 * 4 - 2 == covariance


@pytest.mark.spec("GEN-G34", "GEN-069")
def test_g34_responsibilities_of_two_unit_normals():
    theta = start([[-1.0], [1.0]], [1.0], "tied_diag", [0.3, 0.7])
    joint = theta.log_joint(np.array([[0.0], [1.0]]))
    evidence = np.logaddexp.reduce(joint, axis=1)
    np.testing.assert_allclose(np.exp(joint - evidence[:, None]), [[0.3, 0.7], [0.054821, 0.945179]], atol=5e-7)
    assert evidence[1] == pytest.approx(-1.219232, abs=5e-7)


@pytest.mark.spec("GEN-G35", "GEN-069", "GEN-070", "GEN-063")
def test_g35_one_soft_step_on_the_line():
    theta = start([[0.0], [1.0]], 1.0, "tied_spherical")
    steps = GaussianEM(LINE, covariance_type="tied_spherical")
    posterior, before = steps.e_step(theta)
    joint = theta.log_joint(LINE)
    gamma = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))
    np.testing.assert_allclose(gamma[:, 0], [0.817574, 0.622459, 0.377541, 0.182426], atol=5e-7)
    N, mean = posterior.moments.weight, posterior.moments.mean[:, 0]
    np.testing.assert_allclose(N, [2.0, 2.0], atol=1e-12)
    np.testing.assert_allclose(N * mean, [-0.075183, 2.075183], atol=5e-7)
    np.testing.assert_allclose(posterior.moments.about_zero()[:, 0], [1.924817, 4.075183], atol=5e-7)
    new = steps.m_step(posterior)
    np.testing.assert_allclose(new.laws.means.ravel(), [-0.037591, 1.037591], atol=5e-7)
    assert new.laws.covariances == pytest.approx(0.960996, abs=5e-7)
    assert before == pytest.approx(-6.097362, abs=5e-7)
    assert steps.e_step(new)[1] == pytest.approx(-6.087588, abs=5e-7)
    old, now = em_bound(joint, joint), em_bound(joint, new.log_joint(LINE))
    assert [old.q, now.q, now.entropy, now.kl] == pytest.approx([-8.373160, -8.368772, 2.275798, 0.005386], abs=6e-7)


@pytest.mark.spec("GEN-G36", "GEN-071")
def test_g36_one_hard_step_on_the_line():
    theta = start([[0.0], [1.0]], 1.0, "tied_spherical")
    steps = GaussianEM(LINE, covariance_type="tied_spherical", assignment="hard", min_count=0.0)
    posterior, before = steps.e_step(theta)
    np.testing.assert_allclose(posterior.moments.weight, [2.0, 2.0])
    new = steps.m_step(posterior)
    np.testing.assert_allclose(new.laws.means.ravel(), [-0.5, 1.5], atol=1e-12)
    assert new.laws.covariances == pytest.approx(0.25, abs=1e-12)
    soft = GaussianEM(LINE, covariance_type="tied_spherical").e_step(new)[1]
    assert [before, steps.e_step(new)[1], soft] == pytest.approx([-7.448343, -5.675754, -5.639442], abs=5e-7)


@pytest.mark.spec("GEN-G37", "GEN-068")
def test_g37_one_soft_step_in_the_plane():
    means = [[0.0, 0.0], [4.0, 4.0]]
    covariances = {
        "full": 4.0 * np.tile(np.eye(2), (2, 1, 1)),
        "diag": np.full((2, 2), 4.0),
        "spherical": np.full(2, 4.0),
        "tied": 4.0 * np.eye(2),
        "tied_spherical": 4.0,
    }
    found = {}
    for kind, cov in covariances.items():
        theta = start(means, cov, kind)
        steps = GaussianEM(PLANE, covariance_type=kind)
        assert steps.e_step(theta)[1] == pytest.approx(-23.970572, abs=5e-7)
        found[kind] = (new := after_one(steps, theta)), steps.e_step(new)[1]
    joint = start(means, covariances["full"], "full").log_joint(PLANE)
    gamma = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))[:, 0]
    np.testing.assert_allclose(gamma, [0.982014, 0.952574, 0.952574, 0.017986, 0.017986, 0.006693], atol=5e-7)
    full = found["full"][0]
    assert full.weights[0] == pytest.approx(0.488305, abs=5e-7)
    np.testing.assert_allclose(full.laws.means, [[0.389518, 0.379525], [4.188292, 3.872114]], atol=5e-7)
    np.testing.assert_allclose(full.laws.covariances[0], [[0.461654, 0.088165], [0.088165, 0.391675]], atol=5e-7)
    np.testing.assert_allclose(found["spherical"][0].laws.covariances, [0.426665, 0.935636], atol=5e-7)
    tied = [[0.616526, 0.129371], [0.129371, 0.757679]]
    np.testing.assert_allclose(found["tied"][0].laws.covariances, tied, atol=5e-7)
    assert found["tied_spherical"][0].laws.covariances == pytest.approx(0.687103, abs=5e-7)
    wanted = {"full": -15.729901, "diag": -15.366117, "spherical": -15.499037, "tied": -16.205321}
    assert {kind: found[kind][1] for kind in wanted} == pytest.approx(wanted, abs=5e-7)


@pytest.mark.spec("GEN-G38", "GEN-074", "GEN-079")
def test_g38_growth_by_splitting_on_the_line():
    steps = GaussianEM(LINE, covariance_type="tied", on_empty="keep")
    one, two = grow_by_splitting(steps, 2, 0.1, tol=1e-14, max_iter=5000)
    assert one.laws.covariances[0, 0] == pytest.approx(1.25, abs=1e-12)
    np.testing.assert_allclose(split_components(one, 1, 0.1).laws.means.ravel(), [0.611803, 0.388197], atol=5e-7)
    np.testing.assert_allclose(two.laws.means.ravel(), [1.485989, -0.485989], rtol=0.0, atol=5e-7)
    assert two.laws.covariances[0, 0] == pytest.approx(0.277826, abs=1e-6)
    assert [steps.e_step(one)[1], steps.e_step(two)[1]] == pytest.approx([-6.122041, -5.631177], abs=5e-7)
    options = {"covariance_type": "full", "reg_covar": 0.0, "init_params": "lbg", "tol": 1e-14, "max_iter": 5000}
    models = [GaussianMixture(k, **options).fit(LINE) for k in (1, 2)]
    assert [model.bic(LINE) for model in models] == pytest.approx([15.016671, 18.193826], abs=2e-6)
    assert len(models[1].path_) == 2
    with pytest.raises(ValueError, match="lbg_alpha=0"):
        GaussianMixture(2, init_params="lbg", lbg_alpha=0.0).fit(LINE)


@pytest.mark.spec("GEN-G39", "GEN-072")
def test_g39_hard_em_with_a_common_sphere_is_k_means():
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    steps = GaussianEM(
        X,
        covariance_type="tied_spherical",
        assignment="hard",
        fixed_weights=np.full(2, 0.5),
        fixed_covariances=np.array(1.0),
        min_count=0.0,
    )
    theta = start([[0.0], [1.0]], 1.0, "tied_spherical")
    means = []
    for _ in range(2):
        theta = after_one(steps, theta)
        means.append(theta.laws.means.ravel())
    np.testing.assert_allclose(means, [[0.0, 22.0 / 3.0], [0.5, 10.5]], atol=1e-12)


@pytest.mark.spec("GEN-G40", "GEN-075")
def test_g40_a_component_that_collapses_on_a_row():
    x = np.random.default_rng(0).normal(size=1000)
    values = []
    for sigma in (1e-6, 1e-12):
        theta = start([[x[0]], [0.0]], np.array([[sigma**2], [1.0]]), "diag")
        values.append(GaussianEM(x[:, None], covariance_type="diag").e_step(theta)[1])
    assert values == pytest.approx([-2076.438831, -2062.623321], abs=5e-7)
    assert values[1] - values[0] == pytest.approx(6.0 * np.log(10.0), abs=1e-6)


@pytest.mark.spec("GEN-G45", "GEN-064", "GEN-080")
def test_g45_one_step_and_the_limit_with_missing_cells():
    theta = start([[2.0, 1.5]], [[[2.0, 1.0], [1.0, 2.0]]], "full")
    law = theta.laws[0]
    assert law.condition([0], [4.0]).mean[0] == pytest.approx(2.5)
    assert law.condition([1], [3.0]).mean[0] == pytest.approx(2.75)
    steps = GaussianEM(HOLES, on_empty="keep")
    new = after_one(steps, theta)
    np.testing.assert_allclose(new.laws.means[0], [2.125, 1.583333], atol=5e-7)
    wanted = [[1.994792, 0.84375], [0.84375, 1.284722]]
    np.testing.assert_allclose(new.laws.covariances[0], wanted, atol=5e-7)
    filled = np.array([[0, 0], [2, 1], [1, 2], [3, 1], [4, 2.5], [2.75, 3]])
    np.testing.assert_allclose(np.diag(np.cov(filled.T, ddof=0)), [1.744792, 1.034722], atol=5e-7)
    assert [steps.e_step(theta)[1], steps.e_step(new)[1]] == pytest.approx([-15.975590, -15.521672], abs=5e-7)
    limit = fit_normal_missing(HOLES, tol=1e-13)
    np.testing.assert_allclose(limit.theta.mean, [2.259682, 1.553493], rtol=0.0, atol=5e-7)
    assert limit.objective == pytest.approx(-15.410732, abs=5e-7)
    assert limit.monotone


@pytest.mark.spec("GEN-G55", "GEN-075")
def test_g55_floor_and_added_variance():
    scatter, one = np.array([[[2.0, 1.0], [1.0, 2.0]]]), np.ones(1)
    floor = CovarianceFloor(1.5).covariances(scatter, one, "full")[0]
    np.testing.assert_allclose(floor, [[2.25, 0.75], [0.75, 2.25]], atol=1e-12)
    added = AddedVariance(0.5).covariances(scatter, one, "full")[0]
    np.testing.assert_allclose(added, [[2.5, 1.0], [1.0, 2.5]], atol=1e-12)


@pytest.mark.spec("GEN-G41", "GEN-062")
def test_g41_a_step_of_a_poisson_mixture():
    x = np.array([0, 1, 2, 8, 9])

    def e_step(theta):
        weights, rates = theta
        joint = weights * stats.poisson.pmf(x[:, None], rates)
        return joint / joint.sum(axis=1, keepdims=True), float(np.sum(np.log(joint.sum(axis=1))))

    def m_step(gamma):
        return gamma.mean(axis=0), gamma.T @ x / gamma.sum(axis=0)

    first = em(e_step, m_step, (np.full(2, 0.5), np.array([1.0, 8.0])), max_iter=1)
    weights, rates = first.theta
    assert weights[0] == pytest.approx(0.587356, abs=5e-7)
    np.testing.assert_allclose(rates, [0.981712, 8.296213], atol=5e-7)
    np.testing.assert_allclose(first.history["objective"], [-11.149833, -11.053274], atol=5e-7)
