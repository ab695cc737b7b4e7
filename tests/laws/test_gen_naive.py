"""Naive Bayes: what every one of the classifiers keeps to."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.special import expit, logsumexp
from sklearn.base import clone

from gnomon.decision import CalibratedScorer
from gnomon.distributions import (
    BetaBernoulli,
    DirichletCategorical,
    MultivariateNormal,
    Normal,
    NormalInverseGammaModel,
)
from gnomon.evaluation import calibration_error, reliability
from gnomon.generative import (
    BernoulliNB,
    CategoricalNB,
    GaussianClassifier,
    GaussianMixture,
    GaussianNB,
    JointTableClassifier,
    MultinomialNB,
    NaiveBayes,
)
from gnomon.testing import check_input_untouched, check_save_load

RNG = np.random.default_rng(0)
N, D = 90, 4
Y = RNG.choice(np.array(["a", "b", "c"]), N)
SHIFT = np.searchsorted(["a", "b", "c"], Y)[:, None]
NUMBERS = RNG.normal(size=(N, D)) + SHIFT
COUNTS = RNG.poisson(1.0 + SHIFT * np.array([0.0, 1.0, 0.5, 0.0]))
BITS = (NUMBERS > 0.5).astype(float)
WORDS = np.array(["red", "green", "blue", "grey"], dtype=object)[np.minimum(COUNTS, 3)]
GAPPY = np.where(RNG.random((N, D)) < 0.15, np.nan, NUMBERS)
MIXED = pd.DataFrame({"color": WORDS[:, 0], "size": NUMBERS[:, 0], "open": BITS[:, 1] > 0, "weight": GAPPY[:, 2]})

MODELS = {
    "gaussian": (GaussianNB(), NUMBERS),
    "gaussian, gaps": (GaussianNB(), GAPPY),
    "shared": (GaussianNB(variance="shared", priors="uniform"), NUMBERS),
    "floor": (GaussianNB(var_floor=2.0, feature_weight=[1.0, 2.0, 0.0, 0.5]), NUMBERS),
    "gaussian mode": (GaussianNB(estimate="map", parameter_prior=NormalInverseGammaModel()), GAPPY),
    "gaussian predictive": (GaussianNB(estimate="predictive", parameter_prior=NormalInverseGammaModel()), GAPPY),
    "counts": (MultinomialNB(), COUNTS),
    "sparse counts": (MultinomialNB(alpha=0.1, feature_weight=[1.0, 2.0, 0.0, 0.5]), sparse.csr_array(COUNTS)),
    "burstiness": (MultinomialNB(estimate="predictive", parameter_prior=DirichletCategorical(np.ones(D))), COUNTS),
    "bits": (BernoulliNB(), BITS),
    "bits, gaps": (
        BernoulliNB(estimate="map", parameter_prior=BetaBernoulli(2.0, 3.0)),
        np.where(GAPPY > 0, GAPPY, GAPPY),
    ),
    "words": (CategoricalNB(), WORDS),
    "words, state": (CategoricalNB(missing="state", prior_alpha=1.0), np.where(np.isnan(GAPPY), None, WORDS)),
    "codes": (CategoricalNB(feature_weight=[1.0, 2.0, 0.0, 0.5]), COUNTS),
    "mixed": (NaiveBayes(), MIXED),
    "mixed, state": (NaiveBayes(missing="state"), MIXED),
    "histograms": (NaiveBayes("histogram"), MIXED),
    "kernels": (NaiveBayes("kde"), NUMBERS),
    "groups": (
        NaiveBayes([([0, 1], MultivariateNormal), (2, Normal.family(ddof=1)), ([3], GaussianMixture(1))]),
        NUMBERS,
    ),
    "joint": (JointTableClassifier(alpha=0.5), np.minimum(COUNTS[:, :2], 2)),
}
ALL = pytest.mark.parametrize(("model", "X"), MODELS.values(), ids=MODELS)


def take(X, rows):
    return X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]


def two_classes(X):
    rows = np.flatnonzero(Y != "c")
    return take(X, rows), Y[rows]


@ALL
@pytest.mark.spec("GEN-L10", "GEN-033")
def test_a_weight_is_so_many_rows(model, X):
    w = np.random.default_rng(1).integers(0, 4, N)
    repeated = np.repeat(np.arange(N), w)
    weighted = clone(model).fit(X, Y, sample_weight=w)
    copied = clone(model).fit(take(X, repeated), Y[repeated])
    for ask in ("predict_joint_log_proba", "predict_proba", "score_samples"):
        a, b = (getattr(fitted, ask)(take(X, repeated)) for fitted in (weighted, copied))
        np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(weighted.class_count_, copied.class_count_)


EXACT = ("counts", "sparse counts", "bits", "words", "words, state", "codes", "joint")


@pytest.mark.parametrize("name", [name for name in MODELS if name != "groups"])
@pytest.mark.spec("GEN-L02", "GEN-041")
def test_chunks_give_what_all_rows_give(name):
    model, X = MODELS[name]
    whole, chunked = clone(model).fit(X, Y), clone(model)
    for rows in np.array_split(np.argsort(Y, kind="stable"), 5):  # later chunks bring new classes and new values
        chunked.partial_fit(take(X, rows), Y[rows], classes=["a", "b", "c"])
    a, b = whole.predict_joint_log_proba(X), chunked.predict_joint_log_proba(X)
    if name in EXACT:
        np.testing.assert_array_equal(a, b)
    else:
        np.testing.assert_allclose(a, b, rtol=1e-9)
    np.testing.assert_array_equal(whole.class_count_, chunked.class_count_)


@ALL
@pytest.mark.spec("GEN-L11")
def test_posteriors_are_probabilities_and_the_evidence_is_not_needed(model, X):
    fitted = clone(model).fit(X, Y)
    joint, posterior = fitted.predict_joint_log_proba(X), fitted.predict_proba(X)
    np.testing.assert_allclose(np.sum(posterior, axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(joint - logsumexp(joint, axis=1)[:, None], fitted.predict_log_proba(X), atol=1e-10)
    np.testing.assert_array_equal(fitted.classes_[np.argmax(joint, axis=1)], fitted.predict(X))


@pytest.mark.spec("GEN-L11")
def test_two_thousand_columns_do_not_underflow():
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], 30)
    X = rng.normal(size=(60, 2000)) + 0.1 * y[:, None]
    counts = rng.poisson(1.0, (60, 2000))
    for model, data in ((GaussianNB(), X), (MultinomialNB(), counts), (BernoulliNB(), X), (CategoricalNB(), counts)):
        logs = model.fit(data, y).predict_log_proba(data)
        assert np.all(np.isfinite(logs))
        assert np.min(model.predict_joint_log_proba(data)) < -745.0  # the product itself is zero


@ALL
@pytest.mark.spec("GEN-L12", "GEN-027", "GEN-028")
def test_new_priors_move_the_log_odds_and_nothing_else(model, X):
    fitted = clone(model).fit(X, Y)
    old, new = fitted.class_prior_, np.array([0.2, 0.7, 0.1])
    moved = fitted.log_odds(X, "b", "a", priors=new) - fitted.log_odds(X, "b", "a")
    np.testing.assert_allclose(moved, np.log(new[1] / new[0]) - np.log(old[1] / old[0]), atol=1e-10)
    np.testing.assert_allclose(
        fitted.llr(X, "b", "a"), fitted.log_odds(X, "b", "a") - np.log(old[1] / old[0]), atol=1e-10
    )
    np.testing.assert_allclose(fitted.predict_proba(X, priors=dict(zip("abc", new, strict=True))).sum(axis=1), 1.0)


@pytest.mark.spec("GEN-L12", "GEN-058", "GEN-050", "GEN-047", "GEN-048")
@pytest.mark.parametrize("name", ["shared", "counts", "bits"])
def test_in_linear_models_priors_move_the_intercept_only(name):
    model, X = MODELS[name]
    X, y = two_classes(X)
    key = "priors" if name == "shared" else "class_prior"
    a, b = (clone(model).set_params(**{key: p}).fit(X, y) for p in ([0.5, 0.5], [0.2, 0.8]))
    np.testing.assert_array_equal(a.coef_, b.coef_)
    assert (b.intercept_ - a.intercept_)[0] == pytest.approx(np.log(4.0))
    np.testing.assert_allclose(X @ a.coef_[0] + a.intercept_, a.decision_function(X), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(a.linear_form_(X), a.llr(X), rtol=1e-10, atol=1e-12)
    many = clone(model).fit(*((MODELS[name][1], Y)))
    assert many.coef_.shape == (3, D)
    scores = MODELS[name][1] @ many.coef_.T + many.intercept_
    np.testing.assert_allclose(scores - logsumexp(scores, axis=1)[:, None], many.predict_log_proba(MODELS[name][1]))


@pytest.mark.spec("GEN-058")
@pytest.mark.parametrize("name", ["gaussian", "words", "mixed", "burstiness", "joint"])
def test_what_is_not_linear_has_no_coefficients(name):
    model, X = MODELS[name]
    fitted = clone(model).fit(X, Y)
    for attribute in ("linear_form_", "coef_", "intercept_"):
        with pytest.raises(AttributeError):
            getattr(fitted, attribute)


@ALL
@pytest.mark.spec("GEN-L13", "GEN-028")
def test_the_decision_function_is_the_log_odds(model, X):
    X, y = two_classes(X)
    fitted = clone(model).fit(X, y)
    f = fitted.decision_function(X)
    np.testing.assert_allclose(expit(f), fitted.predict_proba(X)[:, 1], rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(f, fitted.log_odds(X), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(fitted.predict(X) == fitted.classes_[1], f > 0.0)


@pytest.mark.spec("GEN-L14", "GEN-049")
def test_gaussian_naive_bayes_is_the_diagonal_gaussian_classifier():
    naive = GaussianNB(var_smoothing=0).fit(NUMBERS, Y)
    diagonal = GaussianClassifier("diag").fit(NUMBERS, Y)
    np.testing.assert_allclose(naive.theta_, diagonal.means_, rtol=1e-14)
    np.testing.assert_allclose(naive.var_, diagonal.covariances_, rtol=1e-13)
    np.testing.assert_allclose(naive.predict_log_proba(NUMBERS), diagonal.predict_log_proba(NUMBERS), rtol=1e-11)
    shared = GaussianNB(variance="shared", var_smoothing=0).fit(NUMBERS, Y)
    tied = GaussianClassifier("tied_diag").fit(NUMBERS, Y)
    np.testing.assert_allclose(shared.predict_log_proba(NUMBERS), tied.predict_log_proba(NUMBERS), rtol=1e-10)
    assert naive.n_parameters_ == diagonal.n_parameters_
    assert shared.n_parameters_ == tied.n_parameters_


@pytest.mark.spec("GEN-L14")
def test_a_mixture_of_diagonal_laws_is_not_naive():
    mixture = GaussianMixture(2, covariance_type="diag", means_init=[[1, 1], [-1, -1]], reg_covar=0.0)
    z = np.random.default_rng(3).normal(size=(20_000, 2))
    X = np.vstack([z + 1.0, -z - 1.0])
    fitted = mixture.fit(X)
    w, means = fitted.weights_, fitted.means_
    assert w @ (means[:, 0] * means[:, 1]) - (w @ means[:, 0]) * (w @ means[:, 1]) == pytest.approx(1.0, abs=0.1)


@pytest.mark.spec("GEN-L21", "GEN-047")
def test_counts_and_tokens_are_the_same_words():
    model = MultinomialNB().fit(COUNTS, Y)
    np.testing.assert_allclose(model.llr(3 * COUNTS, "a", "b"), 3.0 * model.llr(COUNTS, "a", "b"), rtol=1e-11)
    # One row for each word: the same π, and posteriors of a document from the product over its tokens.
    rows, words = np.nonzero(COUNTS)
    repeats = COUNTS[rows, words]
    tokens, labels = np.repeat(words, repeats), np.repeat(Y[rows], repeats)
    by_token = CategoricalNB(min_categories=D).fit(tokens[:, None], labels)
    np.testing.assert_allclose(by_token.feature_log_prob_[0], model.feature_log_prob_, rtol=1e-13)
    terms = by_token.class_log_likelihood(np.arange(D)[:, None])
    difference = model.class_log_likelihood(COUNTS) - COUNTS @ terms
    np.testing.assert_allclose(difference, np.repeat(difference[:, :1], 3, axis=1), atol=1e-10)
    assert np.all(difference[:, 0] > -1e-10)


@ALL
@pytest.mark.spec("GEN-L23", "GEN-032", "GEN-042")
def test_an_explanation_adds_up(model, X):
    fitted = clone(model).fit(X, Y)
    for i in (0, 17, 50):
        row = take(X, [i])
        why = fitted.explain(row)
        np.testing.assert_allclose(
            why.log_joint, fitted.class_log_likelihood(row)[0] + fitted.class_log_prior_, rtol=1e-10, atol=1e-12
        )
        np.testing.assert_allclose(why.posterior, fitted.predict_proba(row)[0], rtol=1e-9, atol=1e-14)
        assert why.log_evidence == pytest.approx(fitted.score_samples(row)[0])
        assert "posterior" in why.table()


@pytest.mark.spec("GEN-L23", "GEN-042", "GEN-011")
def test_groups_are_fitted_by_themselves_and_their_logs_add():
    groups = [([0, 1], MultivariateNormal), (2, "kde"), (3, "histogram")]
    whole = NaiveBayes(groups).fit(NUMBERS, Y)
    parts = [
        NaiveBayes([(list(range(np.size(cols))) if np.ndim(cols) else 0, density)]).fit(
            NUMBERS[:, np.atleast_1d(cols)], Y
        )
        for cols, density in groups
    ]
    total = sum(
        part.class_log_likelihood(NUMBERS[:, np.atleast_1d(cols)])
        for part, (cols, _) in zip(parts, groups, strict=True)
    )
    np.testing.assert_allclose(whole.class_log_likelihood(NUMBERS), total, rtol=1e-12)


@pytest.mark.spec("GEN-L23", "GEN-034")
@pytest.mark.parametrize(
    "name", ["gaussian", "gaussian predictive", "bits", "words", "mixed", "histograms", "groups", "joint"]
)
def test_without_any_cell_the_posterior_is_the_prior(name):
    model, X = MODELS[name]
    fitted = clone(model).fit(X, Y)
    nothing = pd.DataFrame({c: [None] for c in X.columns}) if isinstance(X, pd.DataFrame) else [[None] * X.shape[1]]
    if name in ("gaussian", "gaussian predictive", "bits"):
        nothing = np.full((1, D), np.nan)
    np.testing.assert_allclose(fitted.predict_proba(nothing)[0], fitted.class_prior_, rtol=1e-12)


@pytest.mark.spec("GEN-L23")
def test_a_column_that_is_copied_counts_so_often():
    for model, X in ((GaussianNB(var_smoothing=0), NUMBERS), (BernoulliNB(), BITS), (CategoricalNB(), WORDS)):
        once = clone(model).fit(X[:, :1], Y).llr(X[:, :1], "a", "b")
        thrice = clone(model).fit(np.tile(X[:, :1], 3), Y).llr(np.tile(X[:, :1], 3), "a", "b")
        np.testing.assert_allclose(thrice, 3.0 * once, rtol=1e-10, atol=1e-10)


@pytest.mark.spec("GEN-L24", "GEN-052")
def test_naive_bayes_learns_sooner_and_the_joint_table_later():
    rng = np.random.default_rng(4)

    def draw(n, dependent):
        y = rng.integers(0, 2, n)
        X = (rng.random((n, 6)) < np.where(y[:, None] == 1, 0.65, 0.35)).astype(int)
        X[:, 1] = np.where(rng.random(n) < dependent, X[:, 0], X[:, 1])
        return X, y

    def losses(n, dependent):
        train, (X, y) = draw(n, dependent), draw(20_000, dependent)
        models = (CategoricalNB(min_categories=2), JointTableClassifier(alpha=1, categories=[[0, 1]] * 6))
        fitted = [model.fit(*train) for model in models]
        log_loss = [-np.mean(model.predict_log_proba(X)[np.arange(len(y)), y]) for model in fitted]
        return np.array(log_loss), np.array([model.score(X, y) for model in fitted])

    small, large = losses(60, 0.0)[0], losses(60_000, 0.0)[0]
    assert small[0] < small[1] - 0.02
    assert abs(large[0] - large[1]) < 0.005
    accuracy = losses(60_000, 0.3)[1]
    assert abs(accuracy[0] - accuracy[1]) < 0.02


@ALL
@pytest.mark.spec("GEN-031")
def test_the_log_likelihood_separates_over_classes(model, X):
    fitted = clone(model).fit(X, Y)
    total = fitted.log_likelihood(X, Y)
    parts = [fitted.log_likelihood(take(X, np.flatnonzero(c == Y)), Y[c == Y]) for c in "abc"]
    assert total == pytest.approx(sum(parts), rel=1e-12)
    joint = fitted.class_log_likelihood(X) + fitted.class_log_prior_
    assert total == pytest.approx(float(np.sum(joint[np.arange(N), SHIFT[:, 0]])), rel=1e-12)


@ALL
@pytest.mark.spec("GEN-030")
def test_draws_have_the_form_of_the_rows(model, X):
    fitted = clone(model).fit(X, Y)
    rows, labels = fitted.sample(50, random_state=0)
    assert rows.shape == (50, X.shape[1])
    assert set(labels) <= set("abc")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        assert fitted.predict(rows).shape == (50,)


@pytest.mark.spec("GEN-030")
@pytest.mark.parametrize("name", ["gaussian", "counts", "bits", "codes"])
def test_a_model_of_draws_is_the_model(name):
    model, X = MODELS[name]
    fitted = clone(model).fit(X, Y)
    rows, labels = fitted.sample(40_000, random_state=1)
    again = clone(model).fit(rows.astype(float) if name != "codes" else rows.astype(int), labels)
    near = {"gaussian": "theta_", "codes": "class_prior_"}.get(name, "feature_log_prob_")
    np.testing.assert_allclose(getattr(again, near), getattr(fitted, near), atol=0.1)


@pytest.mark.parametrize("name", ["gaussian", "shared", "counts", "bits", "codes", "groups", "kernels", "joint"])
def test_models_leave_their_input_alone_and_can_be_saved(name):
    model, X = MODELS[name]
    check_input_untouched(model, X, Y)
    check_save_load(model, X, Y)


@pytest.mark.spec("GEN-054")
def test_naive_posteriors_of_repeated_columns_are_too_sure_until_they_are_calibrated():
    """Every column six times: the log-odds are six times what they should be."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    x = 0.5 * y[:, None] + rng.normal(size=(2000, 2))
    X, train, test = np.tile(x, 6), slice(1000), slice(1000, None)
    errors = {}
    for name, model in {
        "once": GaussianNB().fit(x[train], y[train]),
        "repeated": GaussianNB().fit(X[train], y[train]),
        "calibrated": CalibratedScorer(GaussianNB()).fit(X[train], y[train]),
    }.items():
        p = model.predict_proba((x if name == "once" else X)[test])[:, 1]
        errors[name] = calibration_error(y[test], p, n_bins=10, n_resamples=200, random_state=0)
        curve = reliability(y[test], p, n_bins=10)
        sure = np.max(np.abs(curve.predicted - curve.observed))
        assert (sure > 0.2) == (name == "repeated"), name
    assert errors["repeated"].p_value < 0.01 < min(errors["once"].p_value, errors["calibrated"].p_value)
    assert errors["calibrated"].estimate.value < 0.3 * errors["repeated"].estimate.value
