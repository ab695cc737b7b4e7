"""Generative models in hard cases: interrupts, weights of zero, empty components, narrow covariances, far rows."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning

from gnomon.distributions import (
    Exponential,
    Gamma,
    InverseGamma,
    Laplace,
    MultivariateNormal,
    MultivariateT,
    Normal,
    Normals,
    Product,
    StudentT,
)
from gnomon.generative import (
    DensityGate,
    DensityImputer,
    GaussianClassifier,
    GaussianMixture,
    GaussianMixtureClassifier,
    GenerativeClassifier,
    LatentClassModel,
    MixtureModel,
    OpenSetClassifier,
    QuadraticDiscriminantAnalysis,
    SemiSupervisedClassifier,
    select_components,
)
from gnomon.numerics.special import log_shares, log_sum_exp
from gnomon.optim import GaussianEM, NormalMixture, em, fit_by_gradient, fit_normal_missing, kmeans


def two_clusters(n=30, seed=0):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(0, 1, (n, 2)), rng.normal(8, 1, (n, 2))])


@pytest.mark.spec("GEN-063")
def test_an_interrupt_in_an_e_step_leaves_parameters_posterior_and_objective_of_one_step():
    calls = []

    def e_step(theta):
        calls.append(theta)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return ("posterior of", theta), -abs(theta - 10.0)

    result = em(e_step, lambda posterior: posterior[1] + 1.0, 0.0)
    assert result.stop_reason == "interrupted"
    assert (result.theta, result.posterior[1], result.objective, result.n_iter) == (2.0, 2.0, -8.0, 2)


@pytest.mark.spec("GEN-063")
@pytest.mark.parametrize("at", [3, 4], ids=["in a step", "in the first step of a start"])
def test_an_interrupt_ends_all_starts_and_keeps_the_best(at):
    calls = []

    def e_step(theta):
        calls.append(theta)
        if len(calls) == at:
            raise KeyboardInterrupt
        return theta, -abs(theta)

    result = em(e_step, lambda theta: theta - 1.0, lambda number: 3.0 - number, n_init=5, max_iter=2)
    assert len(calls) == at
    assert np.sum(np.isfinite(result.restarts)) == 1
    assert result.objective == np.nanmax(result.restarts)


@pytest.mark.spec("GEN-063")
def test_a_start_that_ends_in_not_a_number_is_never_the_best():
    result = em(lambda t: (t, np.nan if t < 0 else -t), lambda t: t, lambda number: number - 1.0, n_init=3, max_iter=3)
    assert result.theta == 0.0
    assert result.objective == 0.0


@pytest.mark.spec("GEN-064", "GEN-080", "GEN-085")
@pytest.mark.parametrize("seed", range(12))
def test_one_step_with_weights_gaps_and_labels_is_the_direct_computation(seed):
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(4, 12)), int(rng.integers(1, 4)), 3
    X = rng.normal(size=(n, d)) * 2.0
    X[rng.random((n, d)) < 0.3] = np.nan
    s, owners = rng.integers(0, 4, n).astype(float), np.array([0, 0, 1])
    s[0] = 1.0
    labels = rng.integers(-1, 2, n)
    roots = rng.normal(size=(k, d, d))
    theta = NormalMixture(
        rng.dirichlet(np.ones(k)), Normals(rng.normal(size=(k, d)), roots @ roots.transpose(0, 2, 1) + 0.3 * np.eye(d))
    )
    found, value = GaussianEM(X, s, labels=labels, owners=owners).e_step(theta)
    N, first, second, total = np.zeros(k), np.zeros((k, d)), np.zeros((k, d, d)), 0.0
    for x, weight, label in zip(X, s, labels, strict=True):
        o, m = np.flatnonzero(~np.isnan(x)), np.flatnonzero(np.isnan(x))
        joint, fills, squares = np.zeros(k), [], []
        for j in range(k):
            mean, cov = theta.laws.means[j], theta.laws.covariances[j]
            allowed = label < 0 or owners[j] == label
            density = multivariate_normal.pdf(x[o], mean[o], cov[np.ix_(o, o)]) if o.size else 1.0
            joint[j] = theta.weights[j] * density * allowed
            gain = cov[np.ix_(m, o)] @ np.linalg.inv(cov[np.ix_(o, o)])
            full, extra = np.array(x), np.zeros((d, d))
            full[m] = mean[m] + gain @ (x[o] - mean[o])
            extra[np.ix_(m, m)] = cov[np.ix_(m, m)] - gain @ cov[np.ix_(o, m)]
            fills.append(full)
            squares.append(np.outer(full, full) + extra)
        gamma = weight * joint / np.sum(joint)
        N += gamma
        first += gamma[:, None] * np.array(fills)
        second += gamma[:, None, None] * np.array(squares)
        total += weight * np.log(np.sum(joint))
    np.testing.assert_allclose(value, total, rtol=1e-9)
    np.testing.assert_allclose(found.moments.weight, N, atol=1e-9)
    np.testing.assert_allclose(found.moments.weight[:, None] * found.moments.mean, first, atol=1e-8)
    np.testing.assert_allclose(found.moments.about_zero(), second, atol=1e-8)


@pytest.mark.spec("GEN-080")
def test_a_row_of_weight_zero_is_no_row_however_far_away():
    X = two_clusters()
    far, weights = np.concatenate([[[1e200, 1e200]], X]), np.r_[0.0, np.ones(60)]
    one, other = (
        GaussianMixture(2, means_init=[[0, 0], [8, 8]], random_state=0).fit(A, sample_weight=s)
        for A, s in ((X, np.ones(60)), (far, weights))
    )
    np.testing.assert_allclose(one.means_, other.means_)
    assert one.lower_bound_ == pytest.approx(other.lower_bound_)
    assert np.isfinite(LatentClassModel(random_state=0).fit(far, sample_weight=weights).objective_)


@pytest.mark.spec("GEN-075", "GEN-080")
def test_the_automatic_floor_counts_weights_and_serves_later_steps():
    X, weights = two_clusters(), np.r_[np.full(30, 3.0), np.ones(30)]
    repeated = np.repeat(X, weights.astype(int), axis=0)
    floors = []
    for A, s in ((X, weights), (repeated, None)):
        model = GaussianMixture(2, cov_floor="auto", means_init=[[0, 0], [8, 8]], random_state=0)
        model.fit(A, sample_weight=s)
        floors.append(model._steps(A, s).control.value)
        np.testing.assert_allclose(model.m_step(model.statistics(A, s)).laws.means, model.means_, rtol=1e-5)
    assert floors[0] == pytest.approx(floors[1])
    assert floors[0] == pytest.approx(1e-6 * np.mean(np.var(repeated, axis=0)))


@pytest.mark.spec("GEN-072", "GEN-076")
def test_an_empty_component_with_fixed_weights_and_covariances_begins_anew():
    options = {"fix_weights": "uniform", "covariance_type": "fixed", "algorithm": "hard"}
    start = {"means_init": [[0, 0], [8, 8], [100, 100]], "weights_init": np.full(3, 1 / 3)}
    for covariances in (1.0, np.ones(2), np.eye(2), np.stack([np.eye(2)] * 3)):
        model = GaussianMixture(3, **options, **start, covariances_init=covariances).fit(two_clusters())
        assert np.all(np.abs(model.means_) < 15.0)
        assert model.n_reseeded_ > 0
        np.testing.assert_allclose(model.weights_, 1 / 3)
    with pytest.raises(ValueError, match="on_empty='drop' needs free weights"):
        GaussianMixture(3, fix_weights="uniform", on_empty="drop").fit(two_clusters())


@pytest.mark.spec("GEN-076")
def test_a_fit_never_ends_with_a_component_where_it_would_begin():
    # Every M-step finds a component with too few rows, so the last one would reseed it once more.
    X = np.concatenate([np.zeros((50, 1)), np.ones((50, 1)), [[30.0]]]) + 0.01 * np.arange(101)[:, None] / 101
    model = GaussianMixture(3, algorithm="hard", min_count=3, max_iter=6, reg_covar=1e-3, random_state=0)
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        model.fit(X)
    joint = model._theta().log_joint(X)
    assert model.objective_ == pytest.approx(np.sum(np.max(joint, axis=1)))


@pytest.mark.spec("GEN-074", "GEN-077")
def test_growth_gives_the_gradient_all_its_components():
    model = GaussianMixture(2, init_params="lbg", algorithm="gradient").fit(two_clusters())
    assert model.means_.shape == (2, 2)
    assert [len(stage.weights) for stage in model.path_] == [1, 2]
    with pytest.raises(ValueError, match="no floor"):
        GaussianMixture(2, algorithm="gradient", cov_floor=1.0).fit(two_clusters())


@pytest.mark.spec("GEN-067")
def test_single_precision_does_not_make_a_narrow_covariance_singular():
    rng = np.random.default_rng(0)
    X = (1e3 * rng.normal(size=(50, 1)) + 1e-2 * rng.normal(size=(50, 3))).astype(np.float32)
    model = GaussianMixture().fit(X)
    assert model.covariances_.dtype == np.float32
    assert np.all(np.isfinite(model.score_samples(X)))


@pytest.mark.spec("GEN-067", "GEN-070")
def test_values_whose_squares_overflow_are_refused_by_name():
    with pytest.raises(ValueError, match="squares overflow; divide"):
        GaussianMixture(2).fit(1e160 * two_clusters())
    with pytest.raises(ValueError, match="covariances_init has shape"):
        GaussianMixture(2, covariance_type="fixed", covariances_init=np.ones((1, 1, 1, 1))).fit(two_clusters())


@pytest.mark.spec("GEN-066", "GEN-067")
def test_rows_of_infinite_or_no_density_have_responsibilities_that_predict_agrees_with():
    mixture = MixtureModel.from_laws([Exponential(1.0), Gamma(0.5, 1.0)], [0.9, 0.1])
    np.testing.assert_array_equal(mixture.predict_proba([[0.0]]), [[0.0, 1.0]])
    model = GaussianMixture(2, random_state=0).fit(two_clusters()[:50])
    far = [[1e200, 0.0]]
    np.testing.assert_allclose(model.predict_proba(far)[0], model.weights_)
    assert model.predict(far)[0] == np.argmax(model.weights_)
    known = GenerativeClassifier.from_densities([Gamma(0.5, 1.0), Exponential(1.0)], priors=[0.0, 1.0])
    np.testing.assert_array_equal(known.predict_proba([[0.0]]), [[0.0, 1.0]])


@pytest.mark.spec("GEN-067")
def test_sums_of_exponentials_of_extreme_rows():
    inf = np.inf
    A = np.array([[-inf, -inf], [inf, 0.0], [np.nan, -inf], [np.nan, inf], [0.0, np.nan], [-1e308, -1e308], [3.0, 3.0]])
    expected = [-inf, inf, np.nan, np.nan, np.nan, -1e308, 3.0 + np.log(2.0)]
    np.testing.assert_array_equal(log_sum_exp(A), expected)
    shares = np.exp(log_shares(np.array([[inf, inf, 0.0], [-inf, -inf, -inf]]), np.log([0.2, 0.6, 0.2])))
    np.testing.assert_allclose(shares, [[0.25, 0.75, 0.0], [0.2, 0.6, 0.2]])


@pytest.mark.spec("GEN-056")
def test_a_class_of_one_row_can_share_a_pooled_covariance_without_bias():
    X, y = two_clusters(), np.r_[np.zeros(30), np.ones(29), 2.0]
    model = GaussianClassifier("tied", ddof=1).fit(X, y)
    within = sum((X[y == c] - X[y == c].mean(axis=0)).T @ (X[y == c] - X[y == c].mean(axis=0)) for c in range(3))
    np.testing.assert_allclose(model.covariances_, within / 57)


@pytest.mark.spec("GEN-083", "GEN-079")
def test_a_class_of_few_rows_has_a_number_of_components_chosen_from_few():
    X = two_clusters()
    model = GaussianMixtureClassifier("cv").fit(X[:36], np.r_[np.zeros(30), np.ones(4), 2, 2])
    assert np.all(model.n_components_[1:] <= [2, 1])


@pytest.mark.spec("GEN-060", "GEN-064")
def test_too_few_incomplete_rows_are_refused_with_remedies_that_exist():
    X = np.array([[np.nan, 1.0], [0.0, 2.0], [1.0, 0.0], [3.0, 1.0], [2.0, 5.0], [1.0, 1.0]])
    with pytest.raises(ValueError, match=r"DensityImputer.*covariance_type='tied'"):
        GaussianClassifier().fit(X, [0, 0, 1, 1, 1, 1])


@pytest.mark.spec("GEN-084")
def test_an_unknown_label_of_another_kind_is_refused():
    with pytest.raises(ValueError, match="unknown_label='reject' is of another kind"):
        OpenSetClassifier(unknown_label="reject", log_threshold=-9.0).fit(two_clusters(), np.repeat([0, 1], 30))


@pytest.mark.spec("GEN-001", "GEN-011")
def test_a_factor_zero_next_to_an_infinite_one_gives_density_zero():
    law = Gamma(np.array([0.5, 2.0]), np.ones(2))
    np.testing.assert_array_equal(law.row_log_density([[0.0, -1.0], [0.0, 1.0]]), [-np.inf, np.inf])
    product = Product([([0], Gamma(0.5, 1.0)), ([1], Exponential(1.0))])
    np.testing.assert_array_equal(product.log_density([[0.0, -1.0], [0.0, 1.0]]), [-np.inf, np.inf])


@pytest.mark.spec("GEN-009", "GEN-066")
@pytest.mark.parametrize("law", [Gamma, InverseGamma, Exponential])
def test_rows_without_weight_may_lie_outside_the_support(law):
    assert law.fit([-1.0, 1.0, 2.0, 4.0], [0, 1, 2, 1]) == law.fit([1.0, 2.0, 2.0, 4.0])


@pytest.mark.spec("GEN-066")
def test_a_law_of_positive_numbers_mixes_with_one_of_all_numbers():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-3, 1, 200), rng.gamma(2, 1, 200)])[:, None]
    model = MixtureModel([Normal(np.array([-3.0]), np.array([1.0])), Gamma(np.array([2.0]), np.array([1.0]))]).fit(X)
    assert model.monotone_
    np.testing.assert_allclose([model.components_[0].mean[0], model.components_[1].mean[0]], [-3.0, 2.0], atol=0.4)


@pytest.mark.spec("GEN-007")
def test_the_parameters_of_a_laplace_law_are_copies():
    loc, scale = np.zeros(2), np.ones(2)
    law = Laplace(loc, scale)
    scale[0] = 5.0
    np.testing.assert_array_equal(law.var, [2.0, 2.0])
    np.testing.assert_array_equal(Laplace([0.0, 1.0], [1.0, 2.0]).var, [2.0, 8.0])


@pytest.mark.spec("GEN-060")
@pytest.mark.parametrize("scale", [1e-150, 1e-80, 1e80, 1e150])
@pytest.mark.parametrize("kind", ["full", "tied"])
@pytest.mark.parametrize("shrinkage", ["ledoit_wolf", "oas"])
def test_the_share_of_shrinkage_does_not_depend_on_the_unit(shrinkage, kind, scale):
    X, y = two_clusters(), np.repeat([0, 1], 30)
    X[:, 0] += X[:, 1] * np.r_[np.ones(30), np.zeros(30)]
    one, other = (GaussianClassifier(kind, shrinkage=shrinkage).fit(u * X, y).shrinkage_ for u in (1.0, scale))
    np.testing.assert_allclose(one, other, rtol=1e-9)
    assert np.all((one > 0.0) & (one <= 1.0))


@pytest.mark.spec("GEN-085", "GEN-060")
def test_a_semi_supervised_fit_says_the_share_of_its_shrinkage():
    X, y = two_clusters(), np.repeat([0, 1], 30)
    y[::3] = -1
    share = SemiSupervisedClassifier(GaussianClassifier(shrinkage="oas")).fit(X, y).model_.shrinkage_
    assert np.all((share >= 0.0) & (share <= 1.0))


@pytest.mark.spec("GEN-079", "GEN-080")
@pytest.mark.parametrize("word", ["train", "bic", "aic", "icl"])
def test_criteria_count_a_weight_of_two_as_the_row_twice(word):
    X, weights = two_clusters(), np.r_[np.full(30, 3), np.ones(30, dtype=int)]
    weighted = select_components(X, [1, 2], "bic", sample_weight=weights)
    repeated = select_components(np.repeat(X, weights, axis=0), [1, 2], "bic")
    np.testing.assert_allclose(weighted.table[word], repeated.table[word], rtol=1e-6)


@pytest.mark.spec("GEN-035")
@pytest.mark.parametrize("strategy", ["mean", "mode", "sample"])
def test_cells_of_far_rows_and_of_fixed_covariances_are_filled_with_numbers(strategy):
    options = {"covariance_type": "fixed", "covariances_init": np.eye(2), "random_state": 0}
    for mixture in (GaussianMixture(2, random_state=0), GaussianMixture(2, **options)):
        imputer = DensityImputer.from_density(mixture.fit(two_clusters()), strategy, random_state=0)
        assert np.all(np.isfinite(imputer.transform([[np.nan, 1e200], [np.nan, 0.0], [np.nan, np.nan]])))


@pytest.mark.spec("GEN-040")
def test_a_class_of_rows_without_weight_passes_no_gate():
    X, y = two_clusters(), np.r_[np.repeat([0, 1], 30)[:-1], 2]
    gate = DensityGate().fit(X, y, sample_weight=np.r_[np.ones(59), 0.0])
    assert gate.classes_.tolist() == gate.classifier_.classes_.tolist() == [0, 1]


@pytest.mark.spec("GEN-076")
def test_a_chunk_that_leaves_a_component_without_rows_does_not_drop_it():
    X = two_clusters()
    model = GaussianMixture(2, on_empty="drop", random_state=0).fit(X)
    for _ in range(3):
        model.partial_fit(X[:6])
    assert model.weights_.shape == (2,)


@pytest.mark.spec("GEN-064")
def test_one_normal_law_of_incomplete_rows_counts_rows_with_weight_only():
    X = np.array([[0.0, 0.0], [2.0, 1.0], [1.0, 2.0], [3.0, 1.0], [4.0, np.nan], [np.nan, 3.0], [1e200, 1e200]])
    one = fit_normal_missing(X[:6]).theta
    other = fit_normal_missing(X, [1, 1, 1, 1, 1, 1, 0]).theta
    np.testing.assert_allclose(one.cov, other.cov)
    with pytest.raises(ValueError, match="column 1 of X is wholly missing"):
        fit_normal_missing([[1.0, np.nan], [2.0, np.nan], [2.0, 1.0]], [1, 1, 0])


@pytest.mark.spec("GEN-008")
def test_student_laws_tend_to_normal_ones_and_keep_their_parameters():
    for df in (1e8, 1e12, 1e15):
        np.testing.assert_allclose(StudentT(df).log_density(1.3), Normal(0.0, 1.0).log_density(1.3), rtol=1e-7)
    scale = np.ones(2)
    law, vector = StudentT([3.0, 4.0], 0.0, scale), MultivariateT(3.0, [0, 1], np.eye(2))
    scale[0] = 9.0
    np.testing.assert_array_equal(law.var, [3.0, 2.0])
    assert vector.location.dtype == float
    assert not vector.location.flags.writeable


@pytest.mark.spec("GEN-072")
def test_the_tolerance_of_k_means_counts_weights():
    X = np.concatenate([two_clusters(), [[1e6, 1e6]]])
    weights, start = np.r_[np.ones(60), 0.0], X[[0, 1]]
    one, other = kmeans(X[:60], start, tol=1e-4), kmeans(X, start, weights, tol=1e-4)
    np.testing.assert_allclose(one.centers, other.centers)
    assert one.n_iter == other.n_iter


@pytest.mark.spec("GEN-077")
def test_the_gradient_refuses_what_it_would_ignore():
    steps = GaussianEM(two_clusters(), labels=np.full(60, -1))
    with pytest.raises(ValueError, match="neither labels nor hard assignment"):
        fit_by_gradient(steps, steps.from_means(np.array([[0.0, 0.0], [8.0, 8.0]])))


@pytest.mark.spec("GEN-001", "GEN-005")
def test_a_normal_law_does_not_change_with_the_arrays_it_was_made_of():
    mean, cov = np.zeros(2), np.eye(2)
    one, several = MultivariateNormal(mean, cov), Normals(mean[None], cov[None])
    before = one.log_density([1.0, 1.0])
    mean[:], cov[:] = 5.0, 7.0
    assert one.log_density([1.0, 1.0]) == before == several.log_densities([[1.0, 1.0]])[0, 0]
    with pytest.raises(ValueError, match="read-only"):
        one.mean[0] = 1.0


@pytest.mark.parametrize("solver", ["svd", "eigen"])
def test_small_columns_are_not_called_dependent(solver):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    small = QuadraticDiscriminantAnalysis(solver=solver)
    with pytest.raises(np.linalg.LinAlgError, match=r"tol=0.0001.*Scale the columns of X, or lower `tol`"):
        small.fit(X * 2.0**-27, y)
    small.set_params(tol=0.0).fit(X * 2.0**-27, y)
    assert (
        small.predict(X * 2.0**-27).tolist()
        == QuadraticDiscriminantAnalysis(solver=solver).fit(X, y).predict(X).tolist()
    )
    with pytest.raises(np.linalg.LinAlgError, match=r"not full rank. Increase the value of `(reg_param|shrinkage)`"):
        small.fit(np.column_stack([X, X[:, 0]]), y)
