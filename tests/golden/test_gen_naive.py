"""Golden values of naive Bayes: the weather, the books, bits and a mixed table."""

import numpy as np
import pytest

from gnomon.datasets import load_books, load_weather_play
from gnomon.distributions import Categorical
from gnomon.generative import (
    BernoulliNB,
    CategoricalNB,
    GaussianNB,
    JointTableClassifier,
    MultinomialNB,
    NaiveBayes,
    dependence_report,
)

WEATHER = load_weather_play()
BOOKS = load_books()
ROMANCE, MANGA = 1, 0  # places in classes_


def weather_model(alpha, **options):
    return CategoricalNB(alpha=alpha, **options).fit(WEATHER.data, WEATHER.target)


def books_model(alpha=0.0, **options):
    return MultinomialNB(alpha=alpha, **options).fit(BOOKS.data, BOOKS.target)


@pytest.mark.spec("GEN-G01", "GEN-026")
def test_the_days_that_were_counted():
    model = weather_model(0.0)
    assert dict(zip(model.classes_.tolist(), model.class_count_.tolist(), strict=True)) == {"no": 5.0, "yes": 9.0}
    assert len({tuple(row) for row in WEATHER.data}) == 14
    np.testing.assert_allclose(model.class_prior_, [5 / 14, 9 / 14], rtol=1e-15)


TABLES = {
    0.0: {
        "yes": [[4 / 9, 3 / 9, 2 / 9], [3 / 9, 2 / 9, 4 / 9], [3 / 9, 6 / 9], [6 / 9, 3 / 9]],
        "no": [[0, 2 / 5, 3 / 5], [1 / 5, 2 / 5, 2 / 5], [4 / 5, 1 / 5], [2 / 5, 3 / 5]],
    },
    1.0: {
        "yes": [[5 / 12, 4 / 12, 3 / 12], [4 / 12, 3 / 12, 5 / 12], [4 / 11, 7 / 11], [7 / 11, 4 / 11]],
        "no": [[1 / 8, 3 / 8, 4 / 8], [2 / 8, 3 / 8, 3 / 8], [5 / 7, 2 / 7], [3 / 7, 4 / 7]],
    },
}


@pytest.mark.spec("GEN-G02", "GEN-G03", "GEN-043", "GEN-044")
@pytest.mark.parametrize("alpha", TABLES)
def test_tables_of_the_weather(alpha):
    model = weather_model(alpha)
    assert [values.tolist() for values in model.categories_] == WEATHER.categories
    for k, label in enumerate(model.classes_):
        for logs, expected in zip(model.feature_log_prob_, TABLES[alpha][str(label)], strict=True):
            np.testing.assert_allclose(np.exp(logs[k]), expected, rtol=1e-14)


HOT_DAY = [["sunny", "hot", "high", "true"]]


@pytest.mark.spec("GEN-G04", "GEN-043", "GEN-029")
def test_a_hot_day_by_frequencies():
    model = weather_model(0.0)
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba(HOT_DAY)), [[36 / 875, 2 / 567]], rtol=1e-13)
    np.testing.assert_allclose(model.predict_proba(HOT_DAY), [[0.921036, 0.078964]], atol=5e-7)
    np.testing.assert_allclose(np.exp(model.score_samples(HOT_DAY)), [0.04467019], atol=5e-9)


@pytest.mark.spec("GEN-G05", "GEN-044", "GEN-026")
def test_a_hot_day_smoothed():
    model = weather_model(1.0)
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba(HOT_DAY)), [[75 / 2744, 9 / 1694]], rtol=1e-13)
    assert model.predict_proba(HOT_DAY)[0, 1] == pytest.approx(0.162746, abs=5e-7)
    assert weather_model(1.0, prior_alpha=1.0).predict_proba(HOT_DAY)[0, 1] == pytest.approx(0.152529, abs=5e-7)


@pytest.mark.spec("GEN-G06")
@pytest.mark.parametrize(("alpha", "expected"), [(0.0, 0.204583), (1.0, 0.279933)])
def test_a_cold_day(alpha, expected):
    found = weather_model(alpha).predict_proba([["sunny", "cold", "high", "true"]])[0, 1]
    assert found == pytest.approx(expected, abs=5e-7)


@pytest.mark.spec("GEN-G07", "GEN-046")
def test_a_value_never_met_in_a_class_rules_that_class_out():
    day = [["overcast", "hot", "high", "true"]]
    np.testing.assert_array_equal(weather_model(0.0).predict_proba(day), [[0.0, 1.0]])
    assert weather_model(1.0).predict_proba(day)[0, 1] == pytest.approx(0.564435, abs=5e-7)


@pytest.mark.spec("GEN-G08", "GEN-045", "GEN-046", "GEN-034")
def test_fog():
    fog = [["foggy", "hot", "high", "true"]]
    with pytest.warns(UserWarning, match="none of its categories"), pytest.warns(UserWarning, match="density zero"):
        found = weather_model(0.0).predict_proba(fog)
    np.testing.assert_allclose(found, [[0.357143, 0.642857]], atol=5e-7)
    smoothed = weather_model(1.0)
    with pytest.warns(UserWarning, match="'foggy', which is none of its categories"):
        why = smoothed.explain(fog[0])
    np.testing.assert_allclose(np.exp(why.log_factors[0]), [1 / 8, 1 / 12], rtol=1e-13)
    assert why.posterior[1] == pytest.approx(0.205828, abs=5e-7)
    missing = smoothed.predict_proba([[None, "hot", "high", "true"]])[0, 1]
    assert missing == pytest.approx(0.279933, abs=5e-7)
    ignoring = weather_model(1.0, handle_unknown="ignore").predict_proba(fog)[0, 1]
    assert ignoring == pytest.approx(missing, rel=1e-13)


@pytest.mark.spec("GEN-G09")
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_the_one_day_that_is_wrong(alpha):
    wrong = weather_model(alpha).predict(WEATHER.data) != WEATHER.target
    assert WEATHER.data[wrong].tolist() == [["rainy", "cold", "normal", "true"]]


@pytest.mark.spec("GEN-G10", "GEN-052", "GEN-038")
def test_parameters_of_naive_and_joint_tables():
    joint = JointTableClassifier().fit(WEATHER.data, WEATHER.target)
    assert weather_model(0.0).n_parameters_ == 13
    assert joint.n_parameters_ == 71
    bits = JointTableClassifier().fit(np.array([[0, 0, 0], [1, 1, 1]]), [0, 1])
    assert bits.n_cells_ * len(bits.classes_) == 16
    np.testing.assert_array_equal(joint.predict_proba(HOT_DAY), [[1.0, 0.0]])
    smoothed = JointTableClassifier(alpha=1).fit(WEATHER.data, WEATHER.target)
    assert smoothed.predict_proba(HOT_DAY)[0, 1] == pytest.approx(0.450549, abs=5e-7)


@pytest.mark.spec("GEN-G11", "GEN-053")
def test_dependence_of_the_weather_columns():
    found = dependence_report(WEATHER.data, WEATHER.target).information[np.triu_indices(4, 1)]
    expected = [0.290840, 0.154444, 0.216090, 0.290840, 0.117069, 0.042319]
    np.testing.assert_allclose(found, expected, atol=5e-7)


@pytest.mark.spec("GEN-G12", "GEN-047", "GEN-058", "GEN-101")
def test_words_of_the_books():
    model = books_model()
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[ROMANCE]), np.array([20, 10, 1]) / 31, rtol=1e-14)
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[MANGA]), np.array([1, 20, 2]) / 23, rtol=1e-14)
    np.testing.assert_allclose(model.linear_form_.b, [2.697239, -0.991640, -0.991640], atol=5e-7)
    assert model.linear_form_.c == 0.0
    np.testing.assert_allclose(model.llr(BOOKS.data), [23.997472, 19.039271, -19.118844], atol=5e-7)
    np.testing.assert_allclose(model.linear_form_(BOOKS.data), model.llr(BOOKS.data), rtol=1e-13)


@pytest.mark.spec("GEN-G13", "GEN-047", "GEN-027")
def test_probabilities_of_the_books():
    model = books_model()
    density = model.class_log_likelihood(BOOKS.data)
    assert density[0, ROMANCE] == pytest.approx(-3.324737, abs=5e-7)
    assert density[2, MANGA] == pytest.approx(-2.237515, abs=5e-7)
    coefficients = density - model.predict_joint_log_proba(BOOKS.data) + model.class_log_prior_
    np.testing.assert_allclose(coefficients[0, ROMANCE], 6.754604, atol=5e-7)
    np.testing.assert_allclose(coefficients[2, MANGA], 8.577912, atol=5e-7)
    one_each = [[1, 1, 1]]
    assert model.llr(one_each)[0] == pytest.approx(0.713959, abs=5e-7)
    assert model.predict_proba(one_each, priors="uniform")[0, ROMANCE] == pytest.approx(0.671275, abs=5e-7)
    assert model.predict_proba(one_each)[0, ROMANCE] == pytest.approx(0.803309, abs=5e-7)


@pytest.mark.spec("GEN-G14", "GEN-044")
@pytest.mark.parametrize(
    ("alpha", "b"), [(1.0, [2.083111, -0.914891, -0.673729]), (0.5, [2.332393, -0.951617, -0.793393])]
)
def test_smoothed_words(alpha, b):
    np.testing.assert_allclose(books_model(alpha).linear_form_.b, b, atol=5e-7)


@pytest.mark.spec("GEN-G15", "GEN-044")
def test_a_word_that_romance_has_not():
    X, y = BOOKS.data[1:], BOOKS.target[1:]
    hard = MultinomialNB(alpha=0).fit(X, y)
    assert hard.class_log_likelihood([[10, 2, 1]])[0, ROMANCE] == -np.inf
    soft = MultinomialNB(alpha=1).fit(X, y)
    np.testing.assert_allclose(np.exp(soft.feature_log_prob_[ROMANCE]), np.array([11, 9, 1]) / 21, rtol=1e-14)


@pytest.mark.spec("GEN-G16", "GEN-L21")
def test_tokens_and_counts():
    model, tokens, counts = books_model(), [0, 1, 2, 0], [[2, 1, 1]]
    laws = [Categorical(np.exp(logs)) for logs in model.feature_log_prob_]
    ordered = np.array([np.sum(law.log_density(tokens)) for law in laws])
    by_tokens = np.exp(ordered - np.logaddexp(*ordered))  # under equal priors
    assert by_tokens[ROMANCE] == pytest.approx(0.968053, abs=5e-7)
    np.testing.assert_allclose(model.predict_proba(counts, priors="uniform")[0], by_tokens, rtol=1e-13)
    np.testing.assert_allclose(model.class_log_likelihood(counts)[0] - ordered, np.log(12.0), rtol=1e-13)


@pytest.mark.spec("GEN-G17", "GEN-048", "GEN-029")
def test_bits():
    model = BernoulliNB().fit([[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1]], [1, 1, 0, 0])
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), [[1 / 4, 1 / 2, 3 / 4], [3 / 4, 1 / 2, 1 / 2]])
    assert model.predict_proba([[1, 0, 0]])[0, 1] == pytest.approx(6 / 7, rel=1e-14)
    assert model.score_samples([[1, 0, 0]])[0] == pytest.approx(-2.212973, abs=5e-7)


MIXED = [["red", 1.0], ["red", 2.0], ["blue", 3.0], ["blue", 5.0], ["blue", 7.0]], ["a", "a", "a", "b", "b"]


@pytest.mark.spec("GEN-G18", "GEN-042")
@pytest.mark.parametrize("models", ["auto", [(0, "categorical"), (1, "normal")], [([0], Categorical), ([1], "normal")]])
def test_a_mixed_table(models):
    model = NaiveBayes(models, var_smoothing=0.0).fit(*MIXED)
    found = model.predict_joint_log_proba([["blue", 4.0]])
    np.testing.assert_allclose(found, [[-5.143322, -4.122911]], atol=5e-7)
    assert model.predict_proba([["blue", 4.0]])[0, 0] == pytest.approx(0.264947, abs=5e-7)


@pytest.mark.spec("GEN-G43", "GEN-L23")
def test_a_feature_that_is_copied_makes_the_model_too_sure():
    # Classes N(∓1, 1) have llr(x) = 2x.
    X, y = np.array([[-2.0], [0.0], [0.0], [2.0]]), [0, 0, 1, 1]
    found = [
        GaussianNB(var_smoothing=0).fit(np.tile(X, m), y).predict_proba(np.full((1, m), 0.5))[0, 1] for m in (1, 10)
    ]
    np.testing.assert_allclose(found, [0.731059, 0.999955], atol=5e-7)
