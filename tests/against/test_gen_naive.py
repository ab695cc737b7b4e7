"""Naive Bayes beside scikit-learn's: the same parameters, attributes and numbers."""

import inspect

import numpy as np
import pytest
import sklearn.naive_bayes as peer
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, load_wine

import gnomon.generative as ours

DIGITS = load_digits(return_X_y=True)
PAIRS = ("BernoulliNB", "CategoricalNB", "GaussianNB", "MultinomialNB")
ATTRIBUTES = {
    "BernoulliNB": ("feature_count_", "feature_log_prob_", "class_log_prior_", "class_count_"),
    "CategoricalNB": ("category_count_", "feature_log_prob_", "class_log_prior_", "class_count_", "n_categories_"),
    "GaussianNB": ("theta_", "var_", "epsilon_", "class_prior_", "class_count_"),
    "MultinomialNB": ("feature_count_", "feature_log_prob_", "class_log_prior_", "class_count_"),
}
CASES = {
    "gaussian, iris": ("GaussianNB", {}, load_iris(return_X_y=True)),
    "gaussian, wine": ("GaussianNB", {"priors": [0.2, 0.3, 0.5], "var_smoothing": 1e-3}, load_wine(return_X_y=True)),
    "gaussian, digits": ("GaussianNB", {}, DIGITS),
    "multinomial": ("MultinomialNB", {}, DIGITS),
    "multinomial, sparse": ("MultinomialNB", {"alpha": 0.1}, (sparse.csr_matrix(DIGITS[0]), DIGITS[1])),
    "multinomial, whole numbers": ("MultinomialNB", {"fit_prior": False}, (DIGITS[0].astype(int), DIGITS[1])),
    "multinomial, alphas": ("MultinomialNB", {"alpha": np.arange(1.0, 65.0)}, DIGITS),
    "multinomial, priors": ("MultinomialNB", {"class_prior": np.arange(1.0, 11.0) / 55.0}, DIGITS),
    "bernoulli": ("BernoulliNB", {}, DIGITS),
    "bernoulli, sparse": ("BernoulliNB", {"binarize": 3.0, "alpha": 0.5}, (sparse.csc_array(DIGITS[0]), DIGITS[1])),
    "bernoulli, as it is": ("BernoulliNB", {"binarize": None}, (DIGITS[0] > 7, DIGITS[1])),
    "categorical": ("CategoricalNB", {}, DIGITS),
    "categorical, least": ("CategoricalNB", {"min_categories": 20, "alpha": 0.2}, (DIGITS[0].astype(int), DIGITS[1])),
    "categorical, each": ("CategoricalNB", {"min_categories": np.arange(17, 81), "fit_prior": False}, DIGITS),
}


def flat(value):
    return np.concatenate([np.ravel(part) for part in value]) if isinstance(value, list) else np.asarray(value, float)


@pytest.mark.spec("GEN-043", "GEN-044", "GEN-047", "GEN-048", "GEN-049", "GEN-026")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_the_same_numbers(case, weighted):
    name, options, (X, y) = CASES[case]
    s = np.random.default_rng(0).uniform(0.5, 2.0, len(y)) if weighted else None
    if weighted and name == "GaussianNB":
        # scikit-learn takes the largest variance without the weights, so that a weight is not a repeated row; without
        # smoothing constant columns must go.
        X, options = X[:, np.min([np.std(X[y == c], axis=0) for c in np.unique(y)], axis=0) > 0.0], {"var_smoothing": 0}
    mine, theirs = (getattr(package, name)(**options).fit(X, y, s) for package in (ours, peer))
    for attribute in ATTRIBUTES[name]:
        a, b = (flat(getattr(model, attribute)) for model in (mine, theirs))
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-20)
    np.testing.assert_array_equal(mine.classes_, theirs.classes_)
    for ask in ("predict_proba", "predict_log_proba", "predict_joint_log_proba"):
        a, b = getattr(mine, ask)(X), getattr(theirs, ask)(X)
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-11 * np.max(np.abs(b)))
    np.testing.assert_array_equal(mine.predict(X), theirs.predict(X))
    assert mine.score(X, y) == theirs.score(X, y)


@pytest.mark.spec("GEN-043", "GEN-047", "GEN-048", "GEN-049")
@pytest.mark.parametrize("name", PAIRS)
def test_the_same_parameters_and_attributes(name):
    mine, theirs = getattr(ours, name), getattr(peer, name)
    here, there = inspect.signature(mine).parameters, inspect.signature(theirs).parameters
    assert {key: value.default for key, value in there.items()}.items() <= {
        key: value.default for key, value in here.items()
    }.items()
    X, y = np.abs(DIGITS[0]), DIGITS[1]
    fitted, known = mine().fit(X, y), theirs().fit(X, y)
    public = [key for key in vars(known) if key.endswith("_") and not key.startswith("_")]
    assert not [key for key in public if not hasattr(fitted, key)]
    for method in ("partial_fit", "predict_joint_log_proba", "predict_log_proba", "predict_proba", "score"):
        assert callable(getattr(fitted, method))


@pytest.mark.spec("GEN-L02", "GEN-047", "GEN-048", "GEN-043", "GEN-049")
@pytest.mark.parametrize("name", PAIRS)
def test_the_same_chunks(name):
    X, y = DIGITS
    mine, theirs = getattr(ours, name)(), getattr(peer, name)()
    if name == "GaussianNB":
        # scikit-learn keeps the largest variance of the last chunk, not of all rows.
        mine, theirs = (model.set_params(var_smoothing=1e-16) for model in (mine, theirs))
    for rows in np.array_split(np.arange(len(y)), 7):
        mine.partial_fit(X[rows], y[rows], classes=np.arange(10))
        theirs.partial_fit(X[rows], y[rows], classes=np.arange(10))
    whole = clone(mine).fit(X, y)
    key = "var_" if name == "GaussianNB" else "feature_log_prob_"
    np.testing.assert_allclose(flat(getattr(mine, key)), flat(getattr(theirs, key)), rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(flat(getattr(mine, key)), flat(getattr(whole, key)), rtol=1e-12, atol=1e-20)
    if name != "GaussianNB":
        np.testing.assert_array_equal(flat(getattr(mine, key)), flat(getattr(whole, key)))


def test_a_class_not_met_yet_has_prior_zero():
    X, y = DIGITS
    few = y < 5
    for name in PAIRS:
        options = {"min_categories": 17} if name == "CategoricalNB" else {}
        model = getattr(ours, name)(**options).partial_fit(X[few], y[few], classes=np.arange(10))
        posterior = model.predict_proba(X)
        assert np.all(posterior[:, 5:] == 0.0)
        np.testing.assert_allclose(posterior.sum(axis=1), 1.0)
