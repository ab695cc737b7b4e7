"""Laws of mixtures of any family, of the number of components, of latent classes and of mixtures as class densities."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from gnomon.distributions import Bernoulli, Exponential, MultivariateNormal, Normal, Poisson, StudentT, Uniform
from gnomon.generative import (
    BernoulliNB,
    CategoricalNB,
    GaussianClassifier,
    GaussianMixture,
    GaussianMixtureClassifier,
    LatentClassModel,
    MixtureModel,
    select_components,
)
from gnomon.generative.mixture_model import take_worst
from gnomon.optim import kmeans, seed_centers

NOISY = np.concatenate(
    [np.random.default_rng(0).normal(5.0, 0.5, (300, 1)), np.random.default_rng(1).uniform(0.0, 20.0, (100, 1))]
)


def three_clouds(n, seed=0):
    return make_blobs(n, centers=[[-6.0, 0.0], [6.0, 0.0], [0.0, 9.0]], random_state=seed)[0]


def never_falls(history):
    values = history["objective"]
    return np.all(np.diff(values) >= -1e-9 * (1.0 + np.abs(values[:-1])))


@pytest.mark.spec("GEN-066", "GEN-062", "GEN-063")
@pytest.mark.parametrize("algorithm", ["soft", "hard"])
@pytest.mark.parametrize(
    "components",
    [[Normal, Uniform], [Normal, Normal], [Exponential, Normal], [Normal.family(), Uniform(-1.0, 25.0)]],
    ids=["normal+noise", "normals", "exponential+normal", "a family and a law"],
)
def test_em_never_lowers_the_likelihood_whatever_the_families(components, algorithm):
    model = MixtureModel(components, algorithm=algorithm, random_state=0, on_decrease="raise").fit(NOISY)
    assert model.converged_
    assert model.monotone_
    assert model.n_reseeded_ == 0
    assert never_falls(model.history_)
    np.testing.assert_allclose(np.sum(model.weights_), 1.0)
    if algorithm == "soft":
        assert model.objective_ == pytest.approx(-model.nll(NOISY), abs=1e-6)
    else:
        joint = model._log_joint(NOISY)
        assert model.objective_ == pytest.approx(float(np.sum(np.max(joint, axis=1))), abs=1e-6)


@pytest.mark.spec("GEN-066", "GEN-078")
def test_a_normal_law_in_uniform_noise_is_found_and_drawn_from():
    model = MixtureModel([Normal, Uniform], random_state=0).fit(NOISY)
    assert model.weights_[0] == pytest.approx(0.75, abs=0.03)
    assert model.components_[0].mean[0] == pytest.approx(5.0, abs=0.1)
    assert model.components_[0].var[0] == pytest.approx(0.25, abs=0.05)
    assert model.n_parameters_ == 5
    X, z = model.sample(20_000, random_state=1)
    assert np.mean(z == 0) == pytest.approx(model.weights_[0], abs=0.015)
    assert np.mean(X) == pytest.approx(model.weights_ @ [float(law.mean[0]) for law in model.components_], abs=0.15)


@pytest.mark.spec("GEN-066")
def test_two_normal_families_are_a_gaussian_mixture():
    X = three_clouds(120)
    laws = [MultivariateNormal(mean, 4.0 * np.eye(2)) for mean in ([-5.0, 0.0], [5.0, 0.0], [0.0, 8.0])]
    start = {"means_init": [law.mean for law in laws], "covariances_init": [law.cov for law in laws]}
    gaussian = GaussianMixture(3, reg_covar=0.0, tol=1e-12, weights_init=[1 / 3] * 3, max_iter=200, **start).fit(X)
    model = MixtureModel(laws, tol=1e-12, max_iter=200).fit(X)
    np.testing.assert_allclose(model.weights_, gaussian.weights_, atol=1e-8)
    np.testing.assert_allclose([law.mean for law in model.components_], gaussian.means_, atol=1e-8)
    np.testing.assert_allclose(model.score_samples(X), gaussian.score_samples(X), atol=1e-7)
    np.testing.assert_allclose(model.predict_proba(X), gaussian.predict_proba(X), atol=1e-7)
    for word in ("aic", "bic", "icl"):
        assert getattr(model, word)(X) == pytest.approx(getattr(gaussian, word)(X), abs=1e-5)


@pytest.mark.spec("GEN-L10", "GEN-066", "GEN-080")
@pytest.mark.parametrize("algorithm", ["soft", "hard"])
def test_a_weight_is_a_number_of_rows(algorithm):
    rng = np.random.default_rng(3)
    X, weights = rng.poisson([2.0, 5.0], size=(60, 2)), rng.integers(0, 4, size=60)
    laws = [Poisson([1.0, 4.0]), Poisson([4.0, 6.0])]
    a = MixtureModel(laws, algorithm=algorithm).fit(X, sample_weight=weights)
    b = MixtureModel(laws, algorithm=algorithm).fit(np.repeat(X, weights, axis=0))
    np.testing.assert_allclose(a.weights_, b.weights_, atol=1e-10)
    np.testing.assert_allclose([law.rate for law in a.components_], [law.rate for law in b.components_], atol=1e-9)
    assert a.objective_ == pytest.approx(b.objective_, abs=1e-8)


@pytest.mark.spec("GEN-066", "GEN-076")
def test_empty_components_are_reseeded_dropped_or_refused():
    X = three_clouds(90)[:, :1]
    laws = [Normal(0.0, 30.0), Normal(1e4, 1.0)]
    worst = take_worst(np.tile([1.0, 0.0], (40, 1)), np.array([1]), np.arange(40.0))
    np.testing.assert_array_equal(worst[:, 1] > worst[:, 0], np.arange(40) < 10)
    again = MixtureModel(laws, random_state=0).fit(X)
    assert again.n_reseeded_ >= 1
    assert again.monotone_
    # Of 91 rows the last alone belongs to the second law, which is enough unless more are asked for.
    with_one = np.r_[X, [[1e4]]]
    assert MixtureModel(laws, fixed=[1], random_state=0).fit(with_one).n_reseeded_ == 0
    free = [Normal(0.0, 30.0), Normal(1e4, 1.0)]
    with pytest.raises(ValueError, match="below min_count=2;"):
        MixtureModel(free, on_empty="raise", min_count=2.0).fit(with_one)
    assert np.min(again.weights_) > 0.1
    fewer = MixtureModel(laws, on_empty="drop").fit(X)
    assert len(fewer.components_) == 1
    assert fewer.components_[0].mean[0] == pytest.approx(np.mean(X))
    assert fewer.n_parameters_ == 2
    with pytest.raises(ValueError, match="component 1 has a weight of"):
        MixtureModel(laws, on_empty="raise").fit(X)


@pytest.mark.spec("GEN-066")
def test_fixed_components_stay_and_words_that_are_wrong_are_named():
    box = Uniform(-100.0, 100.0)
    model = MixtureModel([Normal, box], fixed=[1], random_state=0).fit(NOISY)
    assert model.components_[1] is box
    assert model.n_parameters_ == 3
    with pytest.raises(ValueError, match=r"component 0, .*Normal.*is no law"):
        MixtureModel([Normal, Uniform], fixed=[0]).fit(NOISY)
    with pytest.raises(ValueError, match="components is empty"):
        MixtureModel([]).fit(NOISY)
    with pytest.raises(ValueError, match="weights_init"):
        MixtureModel([Normal, Uniform], weights_init=[0.5, 0.6]).fit(NOISY)
    with pytest.raises(ValueError, match="contains NaN"):
        MixtureModel([Normal, Uniform]).fit(np.where(NOISY > 19.0, np.nan, NOISY))


@pytest.mark.spec("GEN-066")
def test_rows_without_density_have_the_weights_as_posterior():
    model = MixtureModel.from_laws([Uniform(0.0, 1.0), Uniform(0.5, 2.0)], [0.25, 0.75])
    np.testing.assert_allclose(model.predict_proba([[9.0], [0.25]]), [[0.25, 0.75], [1.0, 0.0]])
    assert model.score_samples([[9.0]])[0] == -np.inf
    # EM may start outside every support: rows that nobody explains are shared by the weights.
    fitted = MixtureModel([Uniform(0.0, 1.0), Normal(0.5, 0.1)]).fit([[0.1], [0.2], [0.9], [3.0], [4.0]])
    assert np.isfinite(fitted.objective_)


@pytest.mark.spec("GEN-L38", "GEN-063")
def test_starts_end_apart_and_the_best_is_kept():
    X = make_blobs(300, centers=8, random_state=3)[0]
    round_laws = [MultivariateNormal.family(covariance_type="spherical")] * 8
    many = MixtureModel(round_laws, n_init=6, random_state=0, tol=1e-4).fit(X)
    assert np.ptp(many.restarts_) > 1.0
    assert many.objective_ == pytest.approx(np.max(many.restarts_))


@pytest.mark.spec("GEN-L36", "GEN-079")
def test_held_out_likelihood_and_bic_choose_the_true_number_while_training_likelihood_grows():
    X, new = three_clouds(400), three_clouds(400, seed=1)
    chosen = select_components(X, range(1, 7))
    table = chosen.table
    assert chosen.best == 3
    assert table["n_components"][np.argmin(table["bic"])] == 3
    assert table["n_components"][np.argmin(table["icl"])] == 3
    assert np.all(np.diff(table["train"]) > 0.0)
    for word in ("bic", "icl"):
        assert select_components(X, range(1, 7), word).best == 3
    # The loss of k-means on new rows has no such bend.
    rng = np.random.default_rng(0)
    fits = [kmeans(X, X[seed_centers(X, k, rng)]).centers for k in (1, 3, 6, 12, 24)]
    losses = [float(np.sum(np.min(((new[:, None] - c) ** 2).sum(axis=2), axis=1))) for c in fits]
    assert np.all(np.diff(losses) < 0.0)


@pytest.mark.spec("GEN-079", "GEN-074")
def test_one_growth_serves_all_numbers_and_is_that_of_a_single_fit():
    X = three_clouds(150)
    estimator = GaussianMixture(init_params="lbg", lbg_alpha=0.5, tol=1e-11, max_iter=3000)
    chosen = select_components(X, [2, 3], "bic", estimator=estimator)
    alone = GaussianMixture(3, init_params="lbg", lbg_alpha=0.5, tol=1e-11, max_iter=3000).fit(X)
    assert chosen.best == 3
    np.testing.assert_allclose(chosen.best_estimator.means_, alone.means_, atol=1e-4)
    assert chosen.best_estimator.get_params() == alone.get_params()
    assert chosen.table["bic"][1] == pytest.approx(alone.bic(X), abs=1e-4)
    assert chosen.table["aic"][1] == pytest.approx(alone.aic(X), abs=1e-4)


@pytest.mark.spec("GEN-079")
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_one_standard_error_below_the_best_the_fewest_components_are_chosen(seed):
    X = three_clouds(120, seed=seed)
    best, sparing = (select_components(X, [1, 2, 3, 5, 8], rule=rule, cv=10) for rule in ("min", "1se"))
    numbers, cv, se = (sparing.table[name] for name in ("n_components", "cv", "cv_se"))
    assert best.best == numbers[np.argmax(cv)]
    enough = cv >= np.max(cv) - se[np.argmax(cv)]
    assert sparing.best == numbers[enough].min()
    assert (best.rule, sparing.rule) == ("min", "1se")
    single = select_components(X, [1, 3], rule="1se", cv=[(np.arange(60), np.arange(60, 120))])
    assert single.best == 3  # one fold has no spread
    assert single.table["cv_se"].tolist() == [0.0, 0.0]


@pytest.mark.spec("GEN-079", "GEN-L10")
def test_selection_with_weights_and_wrong_words():
    X = three_clouds(90)
    once = select_components(X, [1, 3], "bic", sample_weight=np.full(90, 2.0))
    plain = select_components(X, [1, 3], "bic")
    np.testing.assert_allclose(once.estimators[1].means_, plain.estimators[1].means_, atol=1e-6)
    weighted = select_components(X, [1, 3], cv=3, sample_weight=np.full(90, 2.0))
    np.testing.assert_allclose(weighted.table["cv"], select_components(X, [1, 3], cv=3).table["cv"], atol=1e-6)
    with pytest.raises(ValueError, match="criterion='dic' is unknown"):
        select_components(X, [1], "dic")
    with pytest.raises(ValueError, match="rule='best' is unknown"):
        select_components(X, [1], rule="best")
    with pytest.raises(ValueError, match="needs the standard errors of criterion='cv'"):
        select_components(X, [1], "bic", rule="1se")
    with pytest.raises(ValueError, match="n_components is empty"):
        select_components(X, [])


@pytest.mark.spec("GEN-L39")
def test_the_divergence_from_a_smooth_density_falls_with_the_number_of_components():
    law = StudentT(5.0)
    X = np.asarray(law.sample(20_000, np.random.default_rng(0)))[:, None]
    grid = np.linspace(-12.0, 12.0, 2001)
    p = law.density(grid)
    divergence = []
    for k in (1, 2, 4):
        model = GaussianMixture(k, init_params="lbg", lbg_alpha=0.5, tol=1e-6, max_iter=2000).fit(X)
        log_q = model.score_samples(grid[:, None])
        divergence.append(float(np.trapezoid(p * (np.log(p) - log_q), grid)))
    assert divergence[0] > divergence[1] > divergence[2] > -1e-3
    assert divergence[2] < 0.3 * divergence[0]


@pytest.mark.spec("GEN-065", "GEN-062")
@pytest.mark.parametrize("kind", ["full", "tied", "diag"])
def test_latent_gaussian_classes_are_a_gaussian_mixture(kind):
    X = three_clouds(150)
    gamma = np.eye(3)[GaussianMixture(3, random_state=0).fit_predict(X)] * 0.8 + 0.2 / 3
    latent = LatentClassModel(GaussianClassifier(kind), 3, responsibilities_init=gamma, tol=1e-11).fit(X)
    mixture = GaussianMixture(3, covariance_type=kind, reg_covar=0.0, tol=1e-11, max_iter=500, random_state=0).fit(X)
    assert latent.objective_ == pytest.approx(-mixture.nll(X), abs=1e-6)
    assert never_falls(latent.history_)
    assert latent.n_parameters_ == mixture.n_parameters_
    np.testing.assert_allclose(np.sort(latent.weights_), np.sort(mixture.weights_), atol=1e-5)
    np.testing.assert_allclose(latent.score_samples(X), mixture.score_samples(X), atol=1e-5)


@pytest.mark.spec("GEN-065", "GEN-071")
def test_hard_latent_classes_fit_on_predicted_labels_and_stop_when_these_repeat():
    X = three_clouds(150)
    model = LatentClassModel(GaussianClassifier(), 3, hard=True, random_state=0).fit(X)
    assert model.stop_reason_ == "no_change"
    assert never_falls(model.history_)
    again = GaussianClassifier().fit(X, model.predict(X))
    np.testing.assert_allclose(again.means_, model.classifier_.means_, atol=1e-10)
    assert model.objective_ == pytest.approx(again.log_likelihood(X, model.predict(X)), abs=1e-6)


@pytest.mark.spec("GEN-065", "GEN-L10")
def test_latent_classes_over_naive_bayes_are_a_bernoulli_mixture():
    rng = np.random.default_rng(0)
    p = np.where(rng.integers(2, size=200)[:, None] == 1, [0.9, 0.8, 0.7, 0.9], [0.1, 0.3, 0.2, 0.2])
    X = (rng.random(p.shape) < p).astype(float)
    gamma = rng.dirichlet([1.0, 1.0], size=200)
    model = LatentClassModel(BernoulliNB(alpha=0.0), 2, responsibilities_init=gamma, tol=1e-12, max_iter=5000).fit(X)
    laws = [Bernoulli.fit(X, gamma[:, j]) for j in range(2)]
    mixture = MixtureModel(laws, weights_init=np.mean(gamma, axis=0), tol=1e-12, max_iter=5000).fit(X)
    assert never_falls(model.history_)
    assert model.objective_ == pytest.approx(mixture.objective_, abs=1e-7)
    np.testing.assert_allclose(model.predict_proba(X), mixture.predict_proba(X), atol=1e-5)
    weights = rng.integers(1, 4, size=200)
    a = LatentClassModel(BernoulliNB(), 2, responsibilities_init=gamma).fit(X, sample_weight=weights)
    twice = np.repeat(np.arange(200), weights)
    b = LatentClassModel(BernoulliNB(), 2, responsibilities_init=gamma[twice]).fit(X[twice])
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-8)


@pytest.mark.spec("GEN-065")
def test_latent_classes_of_a_data_frame_of_words():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    z = rng.integers(2, size=300)
    frame = pd.DataFrame(
        {
            "colour": np.where(rng.random(300) < 0.9, np.array(["red", "blue"])[z], "green"),
            "shape": np.where(rng.random(300) < 0.85, np.array(["round", "long"])[z], "flat"),
            "taste": np.where(rng.random(300) < 0.85, np.array(["sweet", "sour"])[z], "none"),
        }
    )
    model = LatentClassModel(CategoricalNB(), 2, n_init=5, random_state=0).fit(frame)
    agreement = np.mean(model.predict(frame) == z)
    assert max(agreement, 1.0 - agreement) > 0.9
    assert model.feature_names_in_.tolist() == ["colour", "shape", "taste"]


@pytest.mark.spec("GEN-L45", "GEN-083")
def test_one_component_for_each_class_is_the_gaussian_classifier():
    X, y = make_blobs(150, centers=3, cluster_std=3.0, random_state=0)
    plain = GaussianMixture(reg_covar=0.0)
    mixture, gaussian = GaussianMixtureClassifier(1, mixture=plain).fit(X, y), GaussianClassifier().fit(X, y)
    np.testing.assert_allclose(mixture.predict_proba(X), gaussian.predict_proba(X), atol=1e-9)
    assert mixture.n_parameters_ == gaussian.n_parameters_
    two = y < 2
    a, b = (model.fit(X[two], y[two]) for model in (mixture, gaussian))
    np.testing.assert_allclose(a.llr(X), b.llr(X), atol=1e-8)


@pytest.mark.spec("GEN-L45", "GEN-083")
def test_mixtures_solve_the_parity_of_bits():
    def table(seed):
        rng = np.random.default_rng(seed)
        corner = rng.integers(2, size=(400, 3))
        return 4.0 * corner + rng.normal(scale=0.6, size=(400, 3)), np.sum(corner, axis=1) % 2

    # The parity of two bits still shows in a correlation; that of three shows in no moment of second order.
    (X, y), (new, truth) = table(0), table(1)
    assert GaussianClassifier().fit(X, y).score(new, truth) < 0.7
    mixture = GaussianMixture(covariance_type="spherical", random_state=0, n_init=5)
    for number in (4, {0: 4, 1: 4}, "cv"):
        most = {"max_components": 4} if number == "cv" else {}
        model = GaussianMixtureClassifier(number, mixture=mixture, **most).fit(X, y)
        assert model.n_components_.tolist() == [4, 4]
        assert model.score(new, truth) > 0.97
    drawn, labels = model.sample(500, random_state=0)
    assert model.score(drawn, labels) > 0.97


@pytest.mark.spec("GEN-083", "GEN-034", "GEN-L10")
def test_mixture_classifiers_take_gaps_and_weights_and_name_the_class_that_is_short():
    X, y = make_blobs(200, centers=2, random_state=0)
    holes = np.array(X)
    holes[::5, 0] = np.nan
    model = GaussianMixtureClassifier(1).fit(holes, y)
    assert model.score(holes, y) > 0.9
    assert np.all(np.isfinite(model.predict_proba([[np.nan, np.nan]])))
    weights = np.random.default_rng(0).integers(1, 4, size=200)
    a = GaussianMixtureClassifier(1).fit(X, y, sample_weight=weights)
    b = GaussianMixtureClassifier(1).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-8)
    with pytest.raises(ValueError, match=r"class 1 .*n_components=9"):
        GaussianMixtureClassifier(9).fit(np.r_[X[y == 0], X[y == 1][:4]], np.repeat([0, 1], [100, 4]))
    with pytest.raises(ValueError, match="no entry for class 1"):
        GaussianMixtureClassifier({0: 2}).fit(X, y)
