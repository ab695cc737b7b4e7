"""Naive Bayes and bad input: odd types, chunks that fail, classes without rows, options that make no sense."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from gnomon.distributions import Beta, BetaBernoulli, Dirichlet, MultivariateNormal, NormalInverseGammaModel
from gnomon.generative import (
    BernoulliNB,
    CategoricalNB,
    GaussianMixture,
    GaussianNB,
    GenerativeClassifier,
    JointTableClassifier,
    MultinomialNB,
    NaiveBayes,
    dependence_report,
)

RNG = np.random.default_rng(3)
X = np.column_stack([RNG.integers(0, 2, 40), RNG.integers(0, 5, 40)])
Y = np.arange(40) % 2
MODELS = [
    CategoricalNB(),
    MultinomialNB(),
    BernoulliNB(),
    GaussianNB(),
    JointTableClassifier(1.0),
    NaiveBayes(),
    NaiveBayes("histogram"),
]
NAMES = [f"{type(model).__name__}-{number}" for number, model in enumerate(MODELS)]


@pytest.mark.spec("GEN-041")
@pytest.mark.parametrize("dtype", [">f8", ">i4", "f2", "g", "i1", "u8"])
@pytest.mark.parametrize("model", MODELS, ids=NAMES)
def test_the_type_of_numbers_does_not_matter(model, dtype):
    expected = model.fit(X.astype(float), Y).predict_proba(X.astype(float))
    np.testing.assert_allclose(model.fit(X.astype(dtype), Y).predict_proba(X.astype(dtype)), expected, rtol=1e-12)


@pytest.mark.spec("GEN-041")
def test_truth_values_are_categories_in_any_container():
    bits = X > 0
    answers = [
        NaiveBayes().fit(rows, Y).predict_proba(rows) for rows in (bits, bits.tolist(), pd.DataFrame(bits).astype(bool))
    ]
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])
    np.testing.assert_allclose(answers[0], CategoricalNB().fit(bits, Y).predict_proba(bits), rtol=1e-12)


@pytest.mark.spec("GEN-042")
def test_the_order_of_the_columns_of_a_group_does_not_matter():
    one, other = (NaiveBayes([(group, "categorical")]).fit(X, Y) for group in ([0, 1], [1, 0]))
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-12)


@pytest.mark.spec("GEN-047", "GEN-048")
def test_entries_that_are_stored_twice_are_added():
    twice = sparse.csr_array((np.array([0.5, 0.5, 1.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    for model in (MultinomialNB(), BernoulliNB()):
        dense = model.fit(twice.toarray(), [0, 1]).class_log_likelihood(twice.toarray())
        np.testing.assert_allclose(model.fit(twice, [0, 1]).class_log_likelihood(twice), dense, rtol=1e-12)
    assert twice.nnz == 3  # the user's matrix is as it was


@pytest.mark.spec("GEN-034")
def test_a_numeric_category_may_be_missing():
    frame = pd.DataFrame({"a": pd.Categorical([1, 2, 1, None])})
    model = CategoricalNB().fit(frame, [0, 0, 1, 1])
    assert model.category_count_[0].tolist() == [[1.0, 1.0], [1.0, 0.0]]
    np.testing.assert_allclose(model.predict_proba(frame)[3], [0.5, 0.5])


@pytest.mark.spec("GEN-034", "GEN-045")
def test_values_without_a_name_and_the_state_of_gaps_are_drawn_apart():
    rows = np.array([["a"], ["b"], [None], [None]], dtype=object)
    model = CategoricalNB(missing="state", min_categories=4).fit(rows, [0, 0, 0, 0])
    drawn = model.sample(4000, random_state=0)[0][:, 0].tolist()
    p = np.exp(model.feature_log_prob_[0][0])
    shares = [drawn.count(value) / 4000 for value in ("a", "b", 2, 3, None)]
    np.testing.assert_allclose(shares, p, atol=0.03)
    assert p[-1] == max(p)


@pytest.mark.spec("GEN-032", "GEN-034")
@pytest.mark.parametrize("make", [CategoricalNB, NaiveBayes])
def test_an_explanation_has_the_gaps_that_tell_and_no_others(make):
    rows = np.array([["a", "x"], ["b", None], ["a", "y"], ["b", "x"]], dtype=object)
    model = make(missing="state").fit(rows, [0, 0, 1, 1])
    assert model.explain([None, None]).names == ("x1",)
    unnamed = CategoricalNB(missing="state", min_categories=4).fit(rows, [0, 0, 1, 1])
    assert unnamed.explain([None, None]).names == ("x1",)


@pytest.mark.parametrize("model", MODELS, ids=NAMES)
def test_a_chunk_that_was_refused_is_not_counted(model):
    broken = {name: -1.0 for name in ("alpha", "var_smoothing") if name in model.get_params()}
    asked = {name: model.get_params()[name] for name in broken}
    model = type(model)(**{**model.get_params(), **broken})
    with pytest.raises(ValueError, match="must be ≥ 0"):
        model.partial_fit(X, Y, classes=[0, 1])
    model.set_params(**asked).partial_fit(X, Y, classes=[0, 1])
    assert np.sum(model.class_count_) == len(X)


@pytest.mark.parametrize(
    "model", [GaussianNB(priors="uniform"), NaiveBayes(prior_alpha=1.0), NaiveBayes("kde", priors="uniform")]
)
def test_a_class_that_was_promised_but_never_came_has_no_density(model):
    model.partial_fit(X, Y, classes=[0, 1, 2])
    for ask in (model.predict, model.predict_proba, model.score_samples, lambda X: model.sample(len(X), 0)):
        with pytest.raises(ValueError, match=r"class 2 has no rows .* give it the prior 0"):
            ask(X)
    model.set_params(priors=[0.5, 0.5, 0.0]).partial_fit(X, Y)
    assert np.all(model.predict_proba(X)[:, 2] == 0.0)


@pytest.mark.parametrize("model", [CategoricalNB(fit_prior=False), JointTableClassifier(priors="uniform")])
def test_a_table_of_a_class_that_never_came_is_uniform(model):
    model.partial_fit(X, Y, classes=[0, 1, 2])
    np.testing.assert_allclose(np.exp(model.class_log_likelihood(X)[:, 2]), 0.1)
    drawn, labels = model.sample(3000, random_state=1)
    cells = drawn[labels == 2].astype(int)
    np.testing.assert_allclose(np.bincount(cells[:, 1], minlength=5) / len(cells), 0.2, atol=0.06)


@pytest.mark.spec("GEN-051")
@pytest.mark.parametrize("scale", [1e-250, 1e-160, 1e160, 1e250])
@pytest.mark.parametrize("word", ["kde", "histogram"])
def test_densities_of_columns_know_no_scale(word, scale):
    rows = np.random.default_rng(0).normal(size=(60, 2)) + np.arange(60)[:, None] % 2
    expected = NaiveBayes(word).fit(rows, np.arange(60) % 2).predict_proba(rows)
    scaled = NaiveBayes(word).fit(scale * rows, np.arange(60) % 2).predict_proba(scale * rows)
    np.testing.assert_allclose(scaled, expected, atol=1e-9)


def test_what_was_never_seen_cannot_be_drawn():
    gaps = np.column_stack([X[:, 0], np.full(40, np.nan)])
    model = NaiveBayes("kde").fit(gaps, Y)
    with pytest.raises(ValueError, match=r"columns \['x1'\] are missing in every row of class 0"):
        model.sample(3, random_state=0)


def test_drawn_documents_have_the_length_of_the_class_whatever_its_weight():
    model = MultinomialNB().fit(10 * X, Y, sample_weight=np.full(40, 1e-3))
    lengths = model.sample(500, random_state=0)[0].sum(axis=1)
    assert np.mean(lengths) == pytest.approx(10 * X.sum(axis=1).mean(), rel=0.1)


@pytest.mark.spec("GEN-034")
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array, lambda rows: pd.DataFrame(rows, columns=["a", "b"])])
def test_a_count_that_is_missing_is_refused_by_name(make):
    gap = X.astype(float)
    gap[3, 1] = np.nan
    model = MultinomialNB().fit(make(X), Y)
    for ask in (lambda: model.predict(make(gap)), lambda: MultinomialNB().fit(make(gap), Y)):
        with pytest.raises(ValueError, match=r"NaN in column ('b'|1) \(1 row\); impute"):
            ask()


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (
            CategoricalNB(estimate="map", parameter_prior=BetaBernoulli()),
            "must be a DirichletCategorical",
        ),
        (
            MultinomialNB(estimate="map", parameter_prior=Beta(1.0, 1.0)),
            "must be a DirichletCategorical",
        ),
        (BernoulliNB(estimate="map", parameter_prior=Dirichlet([1.0, 1.0])), "must be a BetaBernoulli, a Beta or"),
        (GaussianNB(estimate="map", parameter_prior=Dirichlet([1.0, 1.0])), "must be a NormalInverseGammaModel"),
        (NaiveBayes(None), "models=None must be a sequence or one of"),
        (NaiveBayes([(0, "normal", 1)]), "list of \\(columns, density\\)"),
        (NaiveBayes([(None, "normal")]), "names the column None"),
        (NaiveBayes([(0.5, "normal"), (1, "normal")]), "names the column 0.5"),
        (NaiveBayes([(0, 3), (1, "normal")]), "the density 3, which has no fit"),
        (NaiveBayes([([0, 1], MultivariateNormal)], feature_weight=[1, 2]), "have one factor; give them the same"),
        (CategoricalNB(missing="state", handle_unknown="guess"), "handle_unknown='guess'"),
    ],
    ids=str,
)
def test_options_that_make_no_sense_are_refused_in_fit(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(X, Y)


@pytest.mark.spec("GEN-034")
@pytest.mark.parametrize("density", [MultivariateNormal, GaussianMixture()])
def test_a_block_that_was_fitted_takes_no_more_rows(density):
    gap = X.astype(float)
    gap[0, 0] = np.nan
    for first, second in ((gap, X), (X, gap), (gap, gap)):
        model = NaiveBayes([([0, 1], density)]).partial_fit(first, Y, classes=[0, 1])
        with pytest.raises(ValueError, match="has no statistics that add; call fit with all rows"):
            model.partial_fit(second, Y)


@pytest.mark.spec("GEN-036")
def test_a_conjugate_model_is_a_density_like_any_other():
    rows = X.astype(float)
    prior = NormalInverseGammaModel(0.0, 1.0, 1.0, 1.0)
    law = prior.fit(rows)
    np.testing.assert_array_equal(law.log_density(rows), prior.update(rows).predictive().log_density(rows))
    classifier = GenerativeClassifier(prior).fit(rows, Y)
    np.testing.assert_allclose(
        classifier.predict_proba(rows),
        GaussianNB(estimate="predictive", parameter_prior=prior).fit(rows, Y).predict_proba(rows),
    )


@pytest.mark.spec("GEN-053")
def test_in_a_report_a_weight_of_two_is_the_row_twice_and_zero_is_none():
    rows, y, s = RNG.normal(size=(300, 2)), RNG.integers(0, 2, 300), RNG.integers(0, 3, 300)
    weighted = dependence_report(rows, y, s)
    repeated = dependence_report(np.repeat(rows, s, axis=0), np.repeat(y, s))
    np.testing.assert_allclose(weighted.information, repeated.information, rtol=1e-12)
    np.testing.assert_allclose(weighted.p_values, repeated.p_values, rtol=1e-9)


@pytest.mark.spec("GEN-053")
def test_a_report_tells_a_number_from_its_name_and_takes_many_values():
    mixed = np.array([[1, "a"], ["1", "b"], [1, "a"], ["1", "b"]], dtype=object)
    assert dependence_report(mixed, [0, 0, 0, 0]).information[0, 1] == pytest.approx(np.log(2))
    names = [[f"row {i}", f"{i}"] for i in range(20_000)]
    assert dependence_report(names, np.zeros(20_000, dtype=int)).information[0, 1] == pytest.approx(np.log(20_000))


@pytest.mark.parametrize("make", [list, lambda rows: pd.DataFrame(rows)])
def test_labels_of_several_kinds_are_refused(make):
    with pytest.raises(ValueError, match=r"labels of the kinds \['int', 'str'\]"):
        CategoricalNB().fit(make([["a"], ["b"], ["a"]]), ["yes", 1, "no"])
