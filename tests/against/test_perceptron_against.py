"""Perceptron beside its namesake: the same weights, visit by visit."""

import gzip

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer

from gnomon.linear import Perceptron
from real_data import data_path

WORDS = [
    {},
    {"shuffle": False},
    {"random_state": 3, "eta0": 0.1},
    {"penalty": "l2"},
    {"penalty": "l1"},
    {"penalty": "elasticnet"},
    {"early_stopping": True},
    {"class_weight": "balanced"},
    {"fit_intercept": False, "n_iter_no_change": 2},
]


def load_messages(return_X_y):
    with gzip.open(data_path("text/sms_spam.tsv.gz"), "rt", encoding="utf-8") as file:
        labels, texts = zip(*(line.rstrip("\n").split("\t", 1) for line in file), strict=True)
    return TfidfVectorizer().fit_transform(texts), np.array(labels)


def load_sparse_digits(return_X_y):
    X, y = load_digits(return_X_y=return_X_y)
    return sparse.csr_array(X), y


PENALTIES = [{"penalty": penalty, "alpha": 1e-3} for penalty in ("l1", "l2", "elasticnet")]
OTHERS = [{"eta0": 0.3, "l1_ratio": 0.7}, {"class_weight": "balanced", "fit_intercept": False}]
CASES = [
    *((load, words) for load in (load_breast_cancer, load_iris) for words in WORDS),
    *((load, words) for load in (load_iris, load_digits, load_sparse_digits, load_messages) for words in PENALTIES),
    *((load, PENALTIES[2] | words) for load in (load_iris, load_messages) for words in OTHERS),
    *((load, {"penalty": "l1", "early_stopping": True}) for load in (load_digits, load_messages)),
    (load_messages, {"early_stopping": True, "class_weight": "balanced"}),
    (load_sparse_digits, {}),
]


@pytest.mark.spec("LIN-100")
@pytest.mark.parametrize(("load", "words"), CASES, ids=[f"{load.__name__}-{words}" for load, words in CASES])
def test_perceptron_takes_the_same_steps(load, words):
    X, y = load(return_X_y=True)
    ours, theirs = Perceptron(**words).fit(X, y), linear_model.Perceptron(**words).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-10, atol=1e-10)
    assert (ours.n_iter_, ours.t_) == (theirs.n_iter_, theirs.t_)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.spec("LIN-100")
def test_penalised_rows_of_several_batches_and_weights_take_the_same_steps():
    X, y = load_sparse_digits(return_X_y=True)
    weights = np.random.default_rng(0).integers(0, 3, size=len(y)).astype(float)
    ours, theirs = (peer(penalty="elasticnet", alpha=1e-3) for peer in (Perceptron, linear_model.Perceptron))
    for part in np.array_split(np.arange(len(y)), 3):
        for model in (ours, theirs):
            model.partial_fit(X[part], y[part], classes=np.arange(10), sample_weight=weights[part])
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-10, atol=1e-10)
    for model in (ours, theirs):
        model.set_params(warm_start=True).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10, atol=1e-10)
    assert ours.n_iter_ == theirs.n_iter_


@pytest.mark.spec("LIN-100")
def test_perceptron_warns_like_its_namesake():
    X, y = load_breast_cancer(return_X_y=True)
    for peer in (Perceptron, linear_model.Perceptron):
        with pytest.warns(ConvergenceWarning):
            peer(max_iter=2).fit(X, y)
