"""Bayes' rule over class densities: what every generative classifier keeps to."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import expit, logsumexp
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.neighbors import KernelDensity

from gnomon.decision import confidence
from gnomon.distributions import (
    Bernoulli,
    Laplace,
    MultivariateNormal,
    Normal,
    Product,
    Uniform,
)
from gnomon.generative import (
    GaussianClassifier,
    GaussianMixture,
    GenerativeClassifier,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from gnomon.numerics.weights import class_priors
from gnomon.testing import (
    check_float32_is_kept,
    check_input_untouched,
    check_save_load,
    check_weights_are_repetitions,
)

IRIS = load_iris(return_X_y=True)
TWO = tuple(part[50:] for part in IRIS)
CLASSIFIERS = {
    "normal": GenerativeClassifier(MultivariateNormal),
    "independent": GenerativeClassifier(Normal),
    "laplace": GenerativeClassifier(Laplace),
    "kernel": GenerativeClassifier(KernelDensity(bandwidth=0.5)),
    "full": GaussianClassifier(),
    "tied": GaussianClassifier("tied"),
    "diag": GaussianClassifier("diag", prior_alpha=1.0),
    "tied_diag": GaussianClassifier("tied_diag"),
    "spherical": GaussianClassifier("spherical", ddof=1),
    "tied_spherical": GaussianClassifier("tied_spherical"),
    "shrunk": GaussianClassifier(shrinkage="ledoit_wolf"),
    "oas": GaussianClassifier("tied", shrinkage="oas"),
    "pooled": GaussianClassifier(pool=0.5, shrinkage=0.1),
    "LDA": LinearDiscriminantAnalysis(),
    "LDA eigen": LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
    "QDA": QuadraticDiscriminantAnalysis(),
}
ALL = pytest.mark.parametrize("model", CLASSIFIERS.values(), ids=CLASSIFIERS)


@pytest.mark.spec("GEN-L10", "GEN-033")
@ALL
def test_weights_are_repetitions(model):
    check_weights_are_repetitions(model, tol=1e-7)


@pytest.mark.spec("GEN-041")
@ALL
@pytest.mark.parametrize("check", [check_input_untouched, check_float32_is_kept], ids=lambda check: check.__name__)
def test_estimators_keep_what_they_are_given(model, check):
    check(model)


@pytest.mark.parametrize("name", ["full", "tied", "diag", "normal", "LDA", "QDA"])
def test_a_model_read_from_its_file_is_the_model(name):
    check_save_load(CLASSIFIERS[name])


@pytest.mark.spec("GEN-L11", "GEN-025")
@ALL
def test_posteriors_are_probabilities_and_their_largest_is_that_of_the_joint(model):
    X, y = IRIS
    fitted = model.fit(X, y)
    P = fitted.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1.0, atol=1e-12)
    joint = fitted.predict_joint_log_proba(X)
    np.testing.assert_array_equal(fitted.predict(X), fitted.classes_[np.argmax(joint, axis=1)])
    np.testing.assert_allclose(P, np.exp(joint - logsumexp(joint, axis=1, keepdims=True)), atol=1e-9)
    np.testing.assert_allclose(fitted.score_samples(X), logsumexp(joint, axis=1), atol=1e-9)
    np.testing.assert_allclose(np.exp(fitted.predict_log_proba(X)), P, atol=1e-12)


@pytest.mark.spec("GEN-L11")
@pytest.mark.parametrize(
    "model", [GenerativeClassifier(Normal), GaussianClassifier("tied_diag")], ids=["any", "normal"]
)
def test_two_thousand_features_do_not_underflow(model):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2000)), np.arange(60) % 2
    fitted = model.fit(X, y)
    assert np.all(np.isfinite(fitted.predict_log_proba(X + 10.0)))
    assert np.all(fitted.score_samples(X) < -2000.0)


@pytest.mark.spec("GEN-L13", "GEN-028")
@ALL
def test_two_classes_have_sigmoid_posteriors(model):
    X, y = TWO
    fitted = model.fit(X, y)
    f = fitted.decision_function(X)
    np.testing.assert_allclose(fitted.predict_proba(X)[:, 1], expit(f), rtol=1e-9, atol=1e-15)
    np.testing.assert_array_equal(fitted.predict(X) == 2, f > 0.0)
    prior = fitted.class_log_prior_
    np.testing.assert_allclose(f, fitted.llr(X) + prior[1] - prior[0], atol=1e-9)


@pytest.mark.spec("GEN-L12", "GEN-027", "GEN-028")
@ALL
def test_new_priors_shift_the_log_odds_and_nothing_else(model):
    X, y = TWO
    fitted = model.fit(X, y)
    old, new = fitted.class_prior_, np.array([0.9, 0.1])
    shift = np.log(new[1] / new[0]) - np.log(old[1] / old[0])
    np.testing.assert_allclose(fitted.log_odds(X, priors=new), fitted.log_odds(X) + shift, atol=1e-9)
    np.testing.assert_allclose(fitted.predict_proba(X, priors=new)[:, 1], expit(fitted.log_odds(X) + shift), atol=1e-9)
    np.testing.assert_array_equal(fitted.predict(X, priors=new) == 2, fitted.llr(X) > -np.log(new[1] / new[0]))
    refitted = clone(model).set_params(priors=new)
    if model.get_params().get("pool", 0.0) == 0.0 and not isinstance(model, LinearDiscriminantAnalysis):
        np.testing.assert_allclose(refitted.fit(X, y).llr(X), fitted.llr(X), atol=1e-9)


@pytest.mark.spec("GEN-L12", "GEN-058")
@pytest.mark.parametrize("kind", ["tied", "tied_diag", "tied_spherical"])
def test_in_linear_models_only_the_intercept_moves(kind):
    X, y = IRIS
    a, b = GaussianClassifier(kind).fit(X, y), GaussianClassifier(kind, priors=[0.2, 0.3, 0.5]).fit(X, y)
    np.testing.assert_array_equal(a.coef_, b.coef_)
    np.testing.assert_allclose(b.intercept_ - a.intercept_, np.log(3.0 * np.array([0.2, 0.3, 0.5])))


@pytest.mark.spec("GEN-028")
@ALL
def test_any_two_of_three_classes_have_a_ratio(model):
    X, y = IRIS
    fitted = model.fit(X, y)
    joint = fitted.predict_joint_log_proba(X)
    np.testing.assert_allclose(fitted.log_odds(X, 2, 0), joint[:, 2] - joint[:, 0], rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(fitted.llr(X, 0, 1), -fitted.llr(X, 1, 0), atol=1e-12)
    with pytest.raises(ValueError, match="positive=None is not a class"):
        fitted.llr(X)
    assert fitted.decision_function(X).shape == (len(X), 3)


@pytest.mark.spec("GEN-025")
def test_ties_go_to_the_lowest_index():
    laws = [Normal([0.0], [1.0])] * 3
    model = GenerativeClassifier.from_densities(laws, classes=["b", "c", "a"])
    assert model.predict([[5.0]]).tolist() == ["a"]
    pair = GenerativeClassifier.from_densities(laws[:2])
    assert pair.decision_function([[0.3]]).tolist() == [0.0]
    assert pair.predict([[0.3]]).tolist() == [0]


@pytest.mark.spec("GEN-025")
def test_a_density_for_each_class_of_another_kind():
    rng = np.random.default_rng(1)
    X = np.r_[rng.normal(0, 1, (200, 1)), rng.uniform(3, 5, (200, 1)), rng.laplace(9, 1, (200, 1))]
    y = np.repeat(["n", "u", "l"], 200)
    density = {"n": Normal.family(ddof=1), "u": Uniform, "l": KernelDensity(bandwidth=0.3)}
    model = GenerativeClassifier(density).fit(X, y)
    assert model.score(X, y) > 0.97
    assert [type(law).__name__ for law in model.densities_] == ["KernelDensity", "Normal", "Uniform"]
    with pytest.raises(ValueError, match="no entry for class 'u'"):
        GenerativeClassifier({"n": Normal, "l": Normal}).fit(X, y)


@pytest.mark.spec("GEN-025", "GEN-037")
def test_the_known_generator_has_no_better_classifier():
    laws = [GaussianMixture(1), MultivariateNormal([1.0, 1.0], np.eye(2))]
    laws[0].fit(np.random.default_rng(0).normal(size=(5000, 2)) * [2.0, 0.5])
    oracle = GenerativeClassifier.from_densities(laws, [0.6, 0.4])
    train, test = oracle.sample(1000, random_state=0), oracle.sample(40000, random_state=1)
    for model in (LinearDiscriminantAnalysis(), GaussianClassifier(), GenerativeClassifier(Laplace)):
        assert oracle.score(*test) >= model.fit(*train).score(*test)


@pytest.mark.spec("GEN-026")
def test_priors_are_counted_given_or_smoothed():
    X, y = IRIS
    X, y = X[:130], np.array(["a", "b", "c"])[y[:130]]
    np.testing.assert_allclose(GaussianClassifier("diag").fit(X, y).class_prior_, np.array([50, 50, 30]) / 130)
    smoothed = GaussianClassifier("diag", prior_alpha=2.0).fit(X, y)
    np.testing.assert_allclose(smoothed.class_prior_, np.array([52, 52, 32]) / 136)
    weights = np.where(y == "c", 2.0, 1.0)
    np.testing.assert_allclose(GaussianClassifier("diag").fit(X, y, weights).class_prior_, np.array([5, 5, 6]) / 16)
    np.testing.assert_allclose(GaussianClassifier("diag", priors="uniform").fit(X, y).class_prior_, 1 / 3)
    named = GaussianClassifier("diag", priors={"c": 0.5, "a": 0.2, "b": 0.3}).fit(X, y)
    np.testing.assert_allclose(named.class_prior_, [0.2, 0.3, 0.5])
    np.testing.assert_allclose(np.exp(named.class_log_prior_), named.class_prior_)


@pytest.mark.spec("GEN-026")
@pytest.mark.parametrize(
    "priors", [[0.5, 0.6], [0.5, -0.5], [1.0], {"no": 1.0}, {"no": 0.5, "yes": 0.5, "?": 0.0}, "even", [np.nan, 1.0]]
)
def test_priors_that_are_none_are_refused(priors):
    with pytest.raises(ValueError, match="priors"):
        class_priors(priors, np.array(["no", "yes"]), [3, 4])


@pytest.mark.spec("GEN-029")
def test_evidence_and_the_inclusive_rule_for_outliers():
    model = GenerativeClassifier.from_densities([Normal([0.0], [1.0]), Normal([4.0], [1.0])], [0.25, 0.75])
    x = np.array([[0.0], [2.0], [30.0]])
    p = 0.25 * np.exp(-0.5 * x[:, 0] ** 2) + 0.75 * np.exp(-0.5 * (x[:, 0] - 4.0) ** 2)
    np.testing.assert_allclose(model.score_samples(x), np.log(p / np.sqrt(2.0 * np.pi)))
    cut = model.score_samples(x)[1]
    assert model.is_outlier(x, log_threshold=cut).tolist() == [False, True, True]
    assert model.is_outlier(x, 1e-12).tolist() == [False, False, True]
    with pytest.raises(ValueError, match="exactly one"):
        model.is_outlier(x)


@pytest.mark.spec("GEN-030")
@pytest.mark.parametrize("name", ["normal", "full", "tied", "kernel", "LDA", "QDA"])
def test_samples_have_the_priors_and_the_moments_of_the_model(name):
    X, y = TWO
    model = CLASSIFIERS[name].fit(X[20:], y[20:])
    S, labels = model.sample(20000, random_state=0)
    assert S.shape == (20000, 4)
    np.testing.assert_allclose(np.mean(labels == 2), model.class_prior_[1], atol=0.02)
    np.testing.assert_allclose(S[labels == 2].mean(axis=0), X[50:].mean(axis=0), atol=0.05)
    again, _ = model.sample(20000, random_state=0)
    np.testing.assert_array_equal(S, again)


@pytest.mark.spec("GEN-031")
@ALL
def test_log_likelihood_is_a_sum_over_classes(model):
    X, y = IRIS
    fitted = model.fit(X, y)
    joint = fitted.predict_joint_log_proba(X)
    assert fitted.log_likelihood(X, y) == pytest.approx(joint[np.arange(len(y)), y].sum())
    parts = [fitted.log_likelihood(X[y == c], y[y == c]) for c in range(3)]
    assert fitted.log_likelihood(X, y) == pytest.approx(sum(parts))
    weights = np.arange(len(y)) % 3
    assert fitted.log_likelihood(X, y, weights) == pytest.approx(weights @ joint[np.arange(len(y)), y])


@pytest.mark.spec("GEN-032")
@pytest.mark.parametrize("name", ["full", "diag", "tied_spherical", "normal", "LDA", "QDA"])
def test_the_factors_of_an_explanation_multiply_to_the_joint(name):
    X, y = TWO
    model = CLASSIFIERS[name].fit(pd.DataFrame(X, columns=list("abcd")), y)
    why = model.explain(pd.DataFrame(X[:1], columns=list("abcd")))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        joint = model.predict_joint_log_proba(X[:1])[0]
        posterior = model.predict_proba(X[:1])[0]
    np.testing.assert_allclose(why.log_joint, joint)
    np.testing.assert_allclose(np.log(why.prior) + why.log_factors.sum(axis=0), joint)
    np.testing.assert_allclose(why.posterior, posterior)
    np.testing.assert_allclose(why.log_evidence, logsumexp(joint))
    np.testing.assert_allclose(why.log_ratio(), why.log_factors[:, 1] - why.log_factors[:, 0])
    if name != "normal":
        assert why.names == ("a", "b", "c", "d")
        assert "d" in why.table()


@pytest.mark.spec("GEN-032")
def test_factors_of_independent_columns_are_their_densities():
    X, y = TWO
    model = GaussianClassifier("diag").fit(X, y)
    why = model.explain(X[3])
    for k in range(2):
        law = Normal(model.means_[k], model.covariances_[k])
        np.testing.assert_allclose(why.log_factors[:, k], law.log_density(X[3]))
    with pytest.raises(ValueError, match="one row at a time"):
        model.explain(X[:2])
    missing = model.explain([5.0, np.nan, 4.0, np.nan])
    assert missing.names == ("x0", "x2")


@pytest.mark.spec("GEN-038")
def test_parameters_are_counted():
    X, y = IRIS
    expected = {
        "full": 3 * 4 * 7 // 2,
        "tied": 12 + 10,
        "diag": 24,
        "tied_diag": 16,
        "spherical": 15,
        "tied_spherical": 13,
    }
    for kind, count in expected.items():
        assert GaussianClassifier(kind).fit(X, y).n_parameters_ == count + 2
    assert GenerativeClassifier(Normal).fit(X, y).n_parameters_ == 2 * 3 * 4 + 2
    assert GenerativeClassifier(MultivariateNormal).fit(X, y).n_parameters_ == 42 + 2


@pytest.mark.spec("GEN-039")
@ALL
def test_scores_are_ratios_and_confidence_is_the_lead(model):
    X, y = IRIS
    fitted = model.fit(X, y)
    assert fitted.score_type_ == "llr"
    P = np.sort(fitted.predict_proba(X), axis=1)
    np.testing.assert_allclose(confidence(fitted.predict_proba(X)), P[:, -1] - P[:, -2], atol=1e-12)


@pytest.mark.spec("GEN-046", "GEN-025")
def test_a_row_that_no_class_allows_gets_the_prior():
    laws = [Uniform([0.0], [1.0]), Uniform([1.0], [2.0])]
    model = GenerativeClassifier.from_densities(laws, [0.2, 0.8])
    X = [[0.5], [1.5], [7.0]]
    with pytest.warns(UserWarning, match="1 of 3 rows have density zero"):
        P = model.predict_proba(X)
    np.testing.assert_allclose(P, [[1.0, 0.0], [0.0, 1.0], [0.2, 0.8]])
    with pytest.warns(UserWarning, match="density zero"):
        assert model.predict(X).tolist() == [0, 1, 1]
    with pytest.warns(UserWarning, match="density zero"):
        np.testing.assert_allclose(model.decision_function(X), [-np.inf, np.inf, np.log(4.0)])
    assert model.llr(X).tolist() == [-np.inf, np.inf, 0.0]
    assert model.score_samples(X)[2] == -np.inf
    assert model.is_outlier(X, 1e-300).tolist() == [False, False, True]
    model.zero_policy = "raise"
    with pytest.raises(ValueError, match="first row 2"):
        model.predict_proba(X)
    with pytest.warns(UserWarning, match="density zero"):
        why = GenerativeClassifier.from_densities(laws, [0.2, 0.8]).explain([7.0])
    np.testing.assert_allclose(why.posterior, [0.2, 0.8])


@pytest.mark.spec("GEN-025")
def test_no_posterior_is_ever_not_a_number():
    X, y = TWO
    far = np.array([[1e200, 0, 0, 0], [-1e300, 1e300, 1e300, -1e300], [1e-300, 0, 0, 0]])
    for name in ("full", "tied", "diag", "normal", "LDA", "QDA"):
        model = CLASSIFIERS[name].fit(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            P = model.predict_proba(far)
        assert np.all(np.isfinite(P)), name
        np.testing.assert_allclose(P.sum(axis=1), 1.0)


class Broken(GenerativeClassifier):
    def _class_log_densities(self, X):
        return np.full((len(X), 2), np.nan)


@pytest.mark.spec("GEN-025")
def test_a_density_that_is_not_a_number_is_named():
    model = Broken(Normal).fit([[0.0], [1.0], [2.0], [4.0]], [0, 0, 1, 1])
    with pytest.raises(ValueError, match="density of class 0 at row 0 is not a number"):
        model.predict_proba([[0.0]])


@pytest.mark.spec("GEN-041")
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_booleans_and_labels_of_any_kind(frame):
    table = frame({"height": [1.0, 2.0, 1.5, 4.0, 5.0, 4.5], "wet": [True, True, False, False, False, True]})
    y = ["low", "low", "low", "high", "high", "high"]
    model = GenerativeClassifier(Product.family(models=[(0, Normal), (1, Bernoulli)])).fit(table, y)
    assert model.predict(table).tolist() == y
    assert model.feature_names_in_.tolist() == ["height", "wet"]
    np.testing.assert_allclose(GaussianClassifier("diag").fit(table, y).means_[:, 1], [1 / 3, 2 / 3])
    assert GaussianClassifier("diag").fit(table, np.array([True] * 3 + [False] * 3)).classes_.tolist() == [False, True]


@pytest.mark.spec("GEN-041")
@ALL
def test_contradictory_rows_are_accepted(model):
    X, y = make_blobs(60, centers=3, n_features=3, random_state=0)
    X, y = np.r_[X, X], np.r_[y, (y + 1) % 3]
    P = model.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(P[:60], P[60:])


@pytest.mark.spec("GEN-041")
def test_what_cannot_be_a_table_is_refused():
    with pytest.raises(ValueError, match="class 'b' with 1 rows"):
        GenerativeClassifier(MultivariateNormal).fit([[0.0, 1.0], [1.0, 0.0], [2.0, 2.5], [3.0, 1.0]], list("aaab"))
    with pytest.raises(ValueError, match="infinity"):
        GaussianClassifier().fit([[0.0], [np.inf], [1.0], [2.0]], [0, 0, 1, 1])
    with pytest.raises(TypeError, match="must be a string or a number"):
        GenerativeClassifier(Normal).fit(np.array([[{}], ["a"]], dtype=object), [0, 1])
    with pytest.raises(
        ValueError, match=r"density='normal' must be a class of Distribution, .* an estimator or a dict"
    ):
        GenerativeClassifier("normal").fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="takes no sample_weight"):
        GenerativeClassifier(_Plain()).fit([[0.0], [1.0]], [0, 1], [1.0, 2.0])


class _Plain(KernelDensity):
    def fit(self, X, y=None):
        return super().fit(X)
