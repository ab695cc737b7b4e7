"""Laws of EM and of mixtures of normal laws."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from gnomon.distributions import Normals
from gnomon.generative import GaussianClassifier, GaussianMixture
from gnomon.optim import (
    AddedVariance,
    CovarianceControl,
    CovarianceFloor,
    CovariancePrior,
    GaussianEM,
    NormalMixture,
    Restart,
    em,
    em_bound,
    fit_normal_missing,
    kmeans,
)

KINDS = ["full", "tied", "diag", "spherical", "tied_diag", "tied_spherical"]


def blobs(n=300, d=3, k=3, seed=0, spread=3.0):
    rng = np.random.default_rng(seed)
    centers = spread * rng.normal(size=(k, d))
    roots = rng.normal(size=(k, d, d))
    z = rng.integers(k, size=n)
    return centers[z] + np.einsum("nab,nb->na", roots[z], rng.normal(size=(n, d)))


def a_start(X, kind, k, seed=0):
    rng = np.random.default_rng(seed)
    return GaussianEM(X, covariance_type=kind).from_means(np.nan_to_num(X[rng.choice(len(X), k, replace=False)]))


def trajectory(steps, theta, count):
    """θ₀ … θ_count, with ℓ and the posterior of each."""
    out = []
    for _ in range(count + 1):
        posterior, value = steps.e_step(theta)
        out.append((theta, posterior, value))
        theta = steps.m_step(posterior)
        theta = theta.theta if isinstance(theta, Restart) else theta
    return out


def close(theta, other, **tolerance):
    np.testing.assert_allclose(theta.weights, other.weights, **tolerance)
    np.testing.assert_allclose(theta.laws.means, other.laws.means, **tolerance)
    np.testing.assert_allclose(theta.laws.covariances, other.laws.covariances, **tolerance)


@pytest.mark.spec("GEN-L26", "GEN-063", "GEN-075", "GEN-068")
@pytest.mark.parametrize("missing", [0.0, 0.2], ids=["whole", "holes"])
@pytest.mark.parametrize(
    "control",
    [CovarianceControl(), CovarianceFloor(0.5), CovariancePrior(np.eye(3), 2.0)],
    ids=["ml", "floor", "prior"],
)
@pytest.mark.parametrize("kind", KINDS)
def test_soft_em_never_lowers_the_likelihood(kind, control, missing):
    X = blobs()
    X[np.random.default_rng(1).random(X.shape) < missing] = np.nan
    steps = GaussianEM(X, covariance_type=kind, control=control, on_empty="keep")
    result = em(steps.e_step, steps.m_step, a_start(X, kind, 3), tol=0.0, max_iter=40, on_decrease="raise")
    values = result.history["objective"]
    assert result.monotone
    assert np.all(np.diff(values) >= -1e-9 * (1.0 + np.abs(values[:-1])))
    assert values[-1] > values[0]


@pytest.mark.spec("GEN-L26", "GEN-075")
def test_added_variance_may_lower_the_likelihood_and_is_allowed_to():
    X = blobs(spread=0.3)
    steps = GaussianEM(X, control=AddedVariance(1.0), on_empty="keep")
    start = a_start(X, "full", 3)
    with pytest.raises(ArithmeticError, match="which theory forbids"):
        em(steps.e_step, steps.m_step, start, max_iter=50, on_decrease="raise")
    with pytest.warns(ConvergenceWarning, match="fell by"):
        em(steps.e_step, steps.m_step, start, max_iter=50)
    model = GaussianMixture(3, reg_covar=1.0, random_state=0, tol=1e-9, max_iter=500).fit(X)
    assert not model.monotone_


@pytest.mark.spec("GEN-L27", "GEN-063")
@pytest.mark.parametrize("kind", KINDS)
def test_likelihood_is_q_and_entropy_and_divergence(kind):
    X = blobs()
    path = trajectory(GaussianEM(X, covariance_type=kind, on_empty="keep"), a_start(X, kind, 3), 6)
    for (old, _, _), (new, _, value) in pairwise(path):
        before, after = old.log_joint(X), new.log_joint(X)
        bound = em_bound(before, after)
        assert bound.log_likelihood == pytest.approx(value, rel=1e-10)
        assert bound.q >= em_bound(before, before).q - 1e-9
        assert bound.kl >= 0.0
        assert em_bound(before, before).kl == 0.0


@pytest.mark.spec("GEN-L28", "GEN-071")
def test_hard_em_raises_the_complete_likelihood_though_not_always_the_other():
    falls = 0
    for seed in range(40):
        X = blobs(n=60, d=2, seed=seed, spread=1.0)
        steps = GaussianEM(X, covariance_type="tied", assignment="hard", min_count=0.0, on_empty="keep")
        soft = GaussianEM(X, covariance_type="tied")
        path = trajectory(steps, a_start(X, "tied", 3, seed), 8)
        complete = np.array([value for _, _, value in path])
        assert np.all(np.diff(complete) >= -1e-9 * (1.0 + np.abs(complete[:-1])))
        incomplete = np.array([soft.e_step(theta)[1] for theta, _, _ in path])
        falls += np.any(np.diff(incomplete) < -1e-6)
    assert falls > 0


@pytest.mark.spec("GEN-L29", "GEN-069", "GEN-070")
@pytest.mark.parametrize("kind", KINDS)
def test_an_m_step_keeps_the_moments_of_the_sample(kind):
    X = blobs()
    steps = GaussianEM(X, covariance_type=kind, on_empty="keep")
    theta = steps.m_step(steps.e_step(a_start(X, kind, 3))[0])
    mean, cov = X.mean(axis=0), np.cov(X.T, ddof=0)
    np.testing.assert_allclose(theta.weights @ theta.laws.means, mean, atol=1e-10)
    second = np.einsum("k,kab->ab", theta.weights, theta.laws.cov_matrices()) - np.outer(mean, mean)
    second += np.einsum("k,ka,kb->ab", theta.weights, theta.laws.means, theta.laws.means)
    if kind in ("full", "tied"):
        np.testing.assert_allclose(second, cov, atol=1e-9)
    elif kind in ("diag", "tied_diag"):
        np.testing.assert_allclose(np.diag(second), np.diag(cov), atol=1e-9)
    assert np.trace(second) == pytest.approx(np.trace(cov), rel=1e-10)


@pytest.mark.spec("GEN-L30")
@pytest.mark.parametrize("kind", KINDS)
def test_components_that_are_certain_are_the_classes_of_a_gaussian_classifier(kind):
    rng = np.random.default_rng(0)
    y, centers = np.repeat([0, 1, 2], [20, 30, 50]), 1e3 * np.eye(3)
    X = centers[y] + np.array([1.0, 2.0, 4.0])[y][:, None] * rng.normal(size=(100, 3))
    mixture = GaussianMixture(3, covariance_type=kind, reg_covar=0.0, means_init=centers).fit(X)
    classes, shares = GaussianClassifier(kind).fit(X, y), np.array([0.2, 0.3, 0.5])
    np.testing.assert_array_equal(mixture.predict_proba(X), np.eye(3)[y])
    np.testing.assert_allclose(mixture.weights_, shares)
    np.testing.assert_allclose(mixture.means_, classes.means_)
    np.testing.assert_allclose(mixture.covariances_, classes.covariances_, atol=1e-9)
    each = np.array([np.cov(X[y == c].T, ddof=0) for c in range(3)])
    pooled = np.broadcast_to(np.einsum("c,cab->ab", shares, each), (3, 3, 3))
    traces = np.trace(pooled if kind.startswith("tied") else each, axis1=1, axis2=2)
    found = Normals(mixture.means_, mixture.covariances_, kind)
    np.testing.assert_allclose([np.trace(found[c].cov_matrix) for c in range(3)], traces)


@pytest.mark.spec("GEN-L30")
@pytest.mark.parametrize("kind", KINDS)
def test_one_component_is_the_normal_law_at_once(kind):
    X = blobs()
    model = GaussianMixture(1, covariance_type=kind, reg_covar=0.0, tol=1e-9).fit(X)
    law = Normals(X.mean(axis=0)[None], model.covariances_, kind)[0]
    cov = np.cov(X.T, ddof=0)
    shape = {"full": cov, "tied": cov, "diag": np.diag(np.diag(cov)), "tied_diag": np.diag(np.diag(cov))}
    np.testing.assert_allclose(law.cov_matrix, shape.get(kind, np.trace(cov) / 3.0 * np.eye(3)), atol=1e-10)
    np.testing.assert_allclose(model.means_[0], X.mean(axis=0), atol=1e-12)
    assert model.n_iter_ == 2


@pytest.mark.spec("GEN-L31", "GEN-072")
@pytest.mark.parametrize("sigma", [1e-3, 1.0, 50.0])
def test_hard_em_with_uniform_weights_and_a_fixed_sphere_is_k_means(sigma):
    X = blobs(seed=3)
    seeds = X[:3]
    model = GaussianMixture(
        3,
        covariance_type="fixed",
        covariances_init=np.array(sigma**2),
        fix_weights="uniform",
        algorithm="hard",
        means_init=seeds,
    )
    for steps in (1, 2, 3, 4, 500):
        theirs = kmeans(X, seeds, max_iter=steps)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.set_params(max_iter=steps).fit(X)
        np.testing.assert_allclose(model.means_, theirs.centers, atol=1e-9)
        np.testing.assert_array_equal(model.predict(X), theirs.labels)
    assert model.converged_
    assert model.n_parameters_ == 9


@pytest.mark.spec("GEN-L31", "GEN-072")
def test_soft_responsibilities_become_sharp_as_the_sphere_shrinks():
    X = blobs(seed=3)
    laws = Normals(X[:3], np.array(1e-12), "tied_spherical")
    joint = NormalMixture(np.full(3, 1 / 3), laws).log_joint(X)
    gamma = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))
    np.testing.assert_allclose(gamma, np.eye(3)[np.argmax(gamma, axis=1)], atol=1e-12)
    # Soft k-means of sharpness β is the E-step with σ² = 1/(2β).
    beta = 0.7
    squares = ((X[:, None] - X[None, :3]) ** 2).sum(axis=2)
    sharp = np.exp(-beta * squares)
    joint = NormalMixture(np.full(3, 1 / 3), Normals(X[:3], np.array(0.5 / beta), "tied_spherical")).log_joint(X)
    gamma = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))
    np.testing.assert_allclose(gamma, sharp / sharp.sum(axis=1, keepdims=True), atol=1e-12)


@pytest.mark.spec("GEN-L32", "GEN-081")
@pytest.mark.parametrize("kind", KINDS)
def test_at_convergence_another_step_changes_nothing(kind):
    X = blobs()
    model = GaussianMixture(3, covariance_type=kind, reg_covar=0.0, tol=1e-10, max_iter=5000, random_state=0).fit(X)
    assert model.converged_
    assert model.stationarity_gap(X) < 1e-4
    early = GaussianMixture(3, covariance_type=kind, reg_covar=0.0, tol=10.0, random_state=0).fit(X)
    assert early.stationarity_gap(X) > model.stationarity_gap(X)


@pytest.mark.spec("GEN-L32")
@pytest.mark.parametrize(("largest", "unit"), [("weights", 1e-3), ("means", 0.1), ("covariances", 100.0)])
def test_the_gap_is_the_largest_change_by_one_more_step(largest, unit):
    X = unit * blobs()
    model = GaussianMixture(3, reg_covar=0.0, tol=10.0, random_state=0).fit(X)
    after = model.m_step(model.statistics(X))
    changes = {
        "weights": np.max(np.abs(after.weights - model.weights_)),
        "means": np.max(np.abs(after.laws.means - model.means_)),
        "covariances": np.max(np.abs(after.laws.covariances - model.covariances_)),
    }
    assert max(changes, key=changes.get) == largest
    assert model.stationarity_gap(X) == pytest.approx(changes[largest])


@pytest.mark.spec("GEN-L33", "GEN-075")
@pytest.mark.parametrize("kind", KINDS)
def test_eigenvalues_stay_above_the_floor_and_the_added_variance(kind):
    X = np.repeat(blobs(n=12, d=2), 5, axis=0)
    for options, least in (({"cov_floor": 0.3}, 0.3), ({"reg_covar": 0.2}, 0.2)):
        model = GaussianMixture(6, covariance_type=kind, random_state=0, max_iter=300, tol=1e-6, **options).fit(X)
        laws = Normals(model.means_, model.covariances_, kind)
        assert np.min(np.linalg.eigvalsh(laws.cov_matrices())) >= least * (1.0 - 1e-12)


@pytest.mark.spec("GEN-L34")
@pytest.mark.parametrize("seed", range(3))
def test_soft_em_finds_more_likely_overlapping_normals_than_hard(seed):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random(1000) < 0.5, -1.0, 1.0)[:, None] + rng.normal(size=(1000, 1))
    options = {"reg_covar": 0.0, "means_init": [[-1.0], [1.0]], "weights_init": [0.5, 0.5], "tol": 1e-7}
    options |= {"precisions_init": np.ones((2, 1, 1)), "max_iter": 5000}
    soft = GaussianMixture(2, **options).fit(X)
    hard = GaussianMixture(2, **options, algorithm="hard").fit(X)
    assert 17.0 <= hard.nll(X) - soft.nll(X) <= 27.0


@pytest.mark.spec("GEN-L35", "GEN-076")
@pytest.mark.parametrize("seed", range(6))
def test_two_components_on_one_normal(seed):
    X = np.random.default_rng(seed).normal(size=(1000, 2))
    options = {"reg_covar": 0.0, "means_init": [[-1.0, 0.0], [1.0, 0.0]], "weights_init": [0.5, 0.5]}
    options |= {"precisions_init": np.tile(np.eye(2), (2, 1, 1)), "tol": 1e-6, "max_iter": 5000}
    single = -GaussianMixture(1, reg_covar=0.0).fit(X).nll(X)
    soft = GaussianMixture(2, **options).fit(X)
    assert 0.0 <= -soft.nll(X) - single <= 6.0
    hard = GaussianMixture(2, **options, algorithm="hard", on_empty="keep").fit(X)
    apart = np.linalg.norm(hard.means_[0] - hard.means_[1])
    if seed in (0, 2):
        assert apart >= 1.6
        assert single + hard.nll(X) >= 40.0
    else:
        assert np.min(hard.weights_) < 0.02


@pytest.mark.spec("GEN-L37")
def test_full_em_is_affine_equivariant():
    X = blobs()
    rng = np.random.default_rng(5)
    B, t = rng.normal(size=(3, 3)) + 2.0 * np.eye(3), rng.normal(size=3)
    start = a_start(X, "full", 3)
    mapped = NormalMixture(start.weights, Normals(start.laws.means @ B.T + t, B @ start.laws.covariances @ B.T, "full"))
    here = trajectory(GaussianEM(X, on_empty="keep"), start, 8)[-1]
    there = trajectory(GaussianEM(X @ B.T + t, on_empty="keep"), mapped, 8)[-1]
    np.testing.assert_allclose(there[0].laws.means, here[0].laws.means @ B.T + t, atol=1e-8)
    shift = len(X) * np.linalg.slogdet(B)[1]
    assert there[2] == pytest.approx(here[2] - shift, rel=1e-10)
    joint, other = here[0].log_joint(X), there[0].log_joint(X @ B.T + t)
    np.testing.assert_allclose(joint - other, shift / len(X), atol=1e-7)


@pytest.mark.spec("GEN-L37", "GEN-070")
@pytest.mark.parametrize("kind", KINDS)
def test_a_far_origin_does_not_change_the_responsibilities(kind):
    X = blobs()
    options = {"covariance_type": kind, "start": "total", "tol": 1e-6, "max_iter": 500}
    near = GaussianMixture(3, means_init=X[:3], **options).fit(X)
    far = GaussianMixture(3, means_init=X[:3] + 1e6, **options).fit(X + 1e6)
    np.testing.assert_allclose(near.predict_proba(X), far.predict_proba(X + 1e6), atol=1e-6)


@pytest.mark.spec("GEN-L38", "GEN-073")
@pytest.mark.parametrize("init", ["kmeans", "k-means++", "random", "random_from_data"])
def test_the_best_of_several_starts_is_kept(init):
    X = blobs(k=6, spread=2.0, seed=2)
    model = GaussianMixture(6, covariance_type="diag", n_init=8, init_params=init, random_state=0, max_iter=500).fit(X)
    assert len(model.restarts_) == 8
    assert model.objective_ == np.max(model.restarts_)
    assert np.ptp(model.restarts_) > 0.0


@pytest.mark.spec("GEN-L40", "GEN-064")
def test_missing_data_em_is_plain_likelihood_without_holes_and_never_falls_with_them():
    X = blobs(k=1)
    whole = fit_normal_missing(X)
    np.testing.assert_allclose(whole.theta.mean, X.mean(axis=0), atol=1e-10)
    np.testing.assert_allclose(whole.theta.cov, np.cov(X.T, ddof=0), atol=1e-10)
    Y = X.copy()
    Y[np.random.default_rng(0).random(Y.shape) < 0.3] = np.nan
    Y[0] = np.nan
    found = fit_normal_missing(Y)
    assert found.monotone
    assert found.converged
    law = found.theta
    filled = Y.copy()
    for row in filled:
        holes = np.isnan(row)
        if holes.all():
            row[:] = law.mean
        elif holes.any():
            row[holes] = law.condition(np.flatnonzero(~holes), row[~holes]).mean
    assert np.all(np.var(filled, axis=0) < law.var)
    assert found.objective == pytest.approx(
        sum(
            law.marginal(np.flatnonzero(~np.isnan(row))).log_density(row[~np.isnan(row)])
            for row in Y
            if not np.isnan(row).all()
        )
    )


@pytest.mark.spec("GEN-L41", "GEN-077")
@pytest.mark.parametrize("kind", KINDS)
def test_the_gradient_reaches_the_optimum_of_em(kind):
    X = blobs(spread=8.0)
    options = {"covariance_type": kind, "reg_covar": 0.0, "means_init": None, "random_state": 0, "max_iter": 2000}
    ours = GaussianMixture(3, **options, algorithm="gradient", tol=1e-7).fit(X)
    theirs = GaussianMixture(3, **options, tol=1e-10).fit(X)
    assert ours.nll(X) == pytest.approx(theirs.nll(X), abs=1e-4)
    assert ours.converged_


@pytest.mark.spec("GEN-L42", "GEN-078")
@pytest.mark.parametrize("kind", KINDS)
def test_samples_have_the_moments_of_the_model(kind):
    model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(blobs())
    X, z = model.sample(100_000, random_state=1)
    laws = Normals(model.means_, model.covariances_, kind)
    mean = model.weights_ @ model.means_
    cov = np.einsum("k,kab->ab", model.weights_, laws.cov_matrices())
    cov += np.einsum("k,ka,kb->ab", model.weights_, model.means_ - mean, model.means_ - mean)
    error = np.sqrt(np.diag(cov) / len(X))
    assert np.all(np.abs(X.mean(axis=0) - mean) < 4.0 * error)
    assert np.all(np.abs(np.bincount(z) / len(z) - model.weights_) < 4.0 * np.sqrt(0.25 / len(z)))
    again = GaussianMixture(3, covariance_type=kind, means_init=model.means_, tol=1e-6, max_iter=500).fit(X)
    np.testing.assert_allclose(again.means_, model.means_, atol=0.15)


@pytest.mark.spec("GEN-L10", "GEN-080")
@pytest.mark.parametrize("algorithm", ["soft", "hard"])
@pytest.mark.parametrize("kind", KINDS)
def test_integer_weights_are_repeated_rows(kind, algorithm):
    X = blobs(n=80)
    X[::7, 0] = np.nan
    s = np.random.default_rng(0).integers(0, 4, size=len(X)).astype(float)
    options = {"covariance_type": kind, "means_init": np.nan_to_num(X[:3]), "start": "total", "algorithm": algorithm}
    options |= {"max_iter": 300, "tol": 1e-9, "reg_covar": 1e-3}
    weighted = GaussianMixture(3, **options).fit(X, sample_weight=s)
    repeated = GaussianMixture(3, **options).fit(np.repeat(X, s.astype(int), axis=0))
    np.testing.assert_allclose(weighted.means_, repeated.means_, atol=1e-7)
    np.testing.assert_allclose(weighted.covariances_, repeated.covariances_, atol=1e-6)
    assert weighted.lower_bound_ == pytest.approx(repeated.lower_bound_, abs=1e-10)


@pytest.mark.spec("GEN-070")
@pytest.mark.parametrize("kind", KINDS)
def test_statistics_of_batches_add(kind):
    X = blobs()
    model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
    whole = model.statistics(X)
    parts = model.statistics(X[:100]) + model.statistics(X[100:])
    for a, b in zip(whole, parts, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9)
    close(model.m_step(whole), model.m_step(parts), atol=1e-9)


@pytest.mark.spec("GEN-076")
def test_components_without_rows_are_kept_reseeded_dropped_or_refused():
    X = blobs(n=60, d=2)
    far = np.array([[1e4, 1e4]])
    options = {"means_init": np.vstack([X[:2], far]), "start": "total_spherical", "max_iter": 200, "tol": 1e-6}
    options |= {"covariance_type": "spherical", "min_count": 1.0}
    kept = GaussianMixture(3, **options).fit(X)
    assert np.min(kept.weights_) < 1e-3
    assert kept.n_reseeded_ == 0
    reseeded = GaussianMixture(3, **options, on_empty="reseed").fit(X)
    assert reseeded.n_reseeded_ > 0
    assert np.min(reseeded.weights_) * len(X) >= 1.0
    assert reseeded.monotone_
    dropped = GaussianMixture(3, **options, on_empty="drop").fit(X)
    assert len(dropped.weights_) == 2
    assert dropped.n_reseeded_ == 1
    assert dropped.predict_proba(X).shape == (60, 2)
    with pytest.raises(ValueError, match="component 2 has a weight of"):
        GaussianMixture(3, **options, on_empty="raise").fit(X)


@pytest.mark.spec("GEN-076")
def test_a_component_begins_anew_at_the_worst_explained_row_with_the_total_covariance():
    X = np.random.default_rng(0).normal(size=(50, 2))
    X[7], X[8] = [9.0, 9.0], [-5.0, 6.0]
    theta = NormalMixture(
        np.full(2, 0.5), Normals(np.array([[0.0, 0.0], [1e3, 1e3]]), np.stack([np.eye(2)] * 2), "full")
    )
    for weights, worst in ((None, 7), (np.where(np.arange(50) == 7, 0.0, 1.0), 8)):
        steps = GaussianEM(X, weights, on_empty="reseed")
        anew = steps.m_step(steps.e_step(theta)[0])
        assert isinstance(anew, Restart)
        np.testing.assert_array_equal(anew.theta.laws.means[1], X[worst])
        np.testing.assert_allclose(anew.theta.laws.covariances[1], np.cov(X.T, ddof=0, aweights=weights))
    steps = GaussianEM(X, on_empty="keep")
    kept = steps.m_step(steps.e_step(theta)[0])
    assert kept.weights[1] == pytest.approx(10 * np.finfo(float).eps / 50)


@pytest.mark.spec("GEN-076")
def test_a_likelihood_may_fall_where_a_component_begins_anew():
    def run(anew):
        return em(lambda w: (w, -((w - 2.0) ** 2)), lambda w: anew(-9.0) if w == 1.0 else 1.0 + 0.5 * w, 0.0)

    with pytest.warns(ConvergenceWarning, match="fell by 120 in a step"):
        assert not run(float).monotone
    again = run(Restart)
    assert (again.monotone, again.n_restarts) == (True, 1)
    assert np.min(np.diff(again.history["objective"])) == -120.0


@pytest.mark.spec("GEN-076")
def test_a_component_needs_one_row_and_two_where_rows_are_assigned():
    X = np.r_[np.random.default_rng(0).normal(size=30), 50.0][:, None]
    options = {"means_init": [[0.0], [50.0]], "reg_covar": 1e-3}
    assert GaussianMixture(2, **options, on_empty="reseed").fit(X).n_reseeded_ == 0
    assert GaussianMixture(2, **options, algorithm="hard", min_count=1).fit(X).n_reseeded_ == 0
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        assert GaussianMixture(2, **options, algorithm="hard").fit(X).n_reseeded_ > 0


@pytest.mark.spec("GEN-062")
def test_the_driver_hardens_posteriors_and_stops_when_they_repeat():
    X = blobs(n=100, d=2)

    def e_step(means):
        squares = ((X[:, None] - means) ** 2).sum(axis=2)
        return np.exp(-squares), -float(np.sum(np.min(squares, axis=1)))

    def m_step(gamma):
        return gamma.T @ X / gamma.sum(axis=0)[:, None]

    result = em(e_step, m_step, X[:3], hard=True, tol=0.0)
    assert result.stop_reason == "no_change"
    np.testing.assert_allclose(result.theta, kmeans(X, X[:3]).centers, atol=1e-10)
    np.testing.assert_array_equal(np.unique(result.posterior), [0.0, 1.0])


@pytest.mark.spec("GEN-063")
def test_the_driver_reports_restarts_callbacks_interrupts_and_lack_of_convergence():
    def e_step(w):
        return w, -((w - 2.0) ** 2)

    def m_step(w):
        return 1.0 + 0.5 * w

    several = em(e_step, m_step, lambda number: 0.5 * number, n_init=3, max_iter=1)
    assert several.restarts == pytest.approx([-1.0, -0.5625, -0.25])
    assert several.objective == -0.25
    assert several.stop_reason == "max_iter"
    stopped = em(e_step, m_step, 0.0, callback=lambda row: row["iteration"] == 3)
    assert (stopped.stop_reason, stopped.n_iter) == ("callback", 3)

    def interrupted(w):
        if w > 1.8:
            raise KeyboardInterrupt
        return m_step(w)

    result = em(e_step, interrupted, 0.0)
    assert result.stop_reason == "interrupted"
    assert result.theta > 1.8
    with pytest.raises(ValueError, match="n_init=2 starts need theta0 to be a function"):
        em(e_step, m_step, 0.0, n_init=2)
    with pytest.warns(ConvergenceWarning, match="EM did not converge in 2 iterations"):
        GaussianMixture(3, max_iter=2, tol=1e-12, random_state=0).fit(blobs(spread=0.5))


@pytest.mark.spec("GEN-067", "GEN-103")
def test_results_do_not_depend_on_the_number_of_threads():
    X = blobs(n=60_000, d=4)
    one, two = (GaussianMixture(3, random_state=0, n_jobs=jobs).fit(X) for jobs in (1, 2))
    np.testing.assert_array_equal(one.means_, two.means_)
    np.testing.assert_array_equal(one.score_samples(X), two.score_samples(X))


@pytest.mark.spec("GEN-067")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"covariance_type": "round"}, "covariance_type='round'"),
        ({"n_components": 500}, "n_components=500 exceeds n_samples=300"),
        ({"n_components": 0}, "n_components=0"),
        ({"init_params": "magic"}, "init_params='magic'"),
        ({"weights_init": [0.5, 0.6, 0.1]}, "weights_init=.* must be ≥ 0 and sum to 1"),
        ({"means_init": [[0.0]]}, r"means_init has shape \(1, 1\)"),
        ({"precisions_init": -np.tile(np.eye(3), (3, 1, 1))}, "precisions_init is not positive definite"),
        ({"covariance_type": "fixed"}, "needs covariances_init"),
        ({"cov_floor": -1.0}, "cov_floor=-1.0"),
        ({"algorithm": "slow"}, "algorithm='slow'"),
        ({"on_empty": "panic"}, "on_empty='panic'"),
        ({"fix_weights": "none"}, "fix_weights='none'"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_bad_options_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        GaussianMixture(**({"n_components": 3} | change)).fit(blobs())


@pytest.mark.spec("GEN-067", "GEN-075", "GEN-080")
def test_degenerate_rows_have_a_defined_result_or_a_clear_error():
    X = np.zeros((10, 2))
    with pytest.raises(ValueError, match=r"not positive definite.*cov_floor"):
        GaussianMixture(2, reg_covar=0.0, random_state=0).fit(X)
    model = GaussianMixture(2, random_state=0).fit(X)
    assert np.all(np.isfinite(model.predict_proba(X)))
    far = model.predict_proba(np.array([[1e200, -1e200]]))
    np.testing.assert_allclose(far.sum(), 1.0)
    with pytest.raises(ValueError, match="column 1 of X is wholly missing"):
        GaussianMixture(1).fit(np.column_stack([np.arange(5.0), np.full(5, np.nan)]))
    with pytest.raises(ValueError, match="infinity"):
        GaussianMixture(1).fit(np.array([[1.0], [np.inf], [2.0]]))
