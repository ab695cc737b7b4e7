"""Perceptron beside its namesake: the same weights, visit by visit."""

import numpy as np
import pytest
from sklearn import linear_model
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning

from gnomon.linear import Perceptron

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


@pytest.mark.spec("LIN-100")
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
@pytest.mark.parametrize("words", WORDS, ids=str)
def test_perceptron_takes_the_same_steps(load, words):
    X, y = load(return_X_y=True)
    ours, theirs = Perceptron(**words).fit(X, y), linear_model.Perceptron(**words).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9, atol=1e-9)
    assert (ours.n_iter_, ours.t_) == (theirs.n_iter_, theirs.t_)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.spec("LIN-100")
def test_perceptron_warns_like_its_namesake():
    X, y = load_breast_cancer(return_X_y=True)
    for peer in (Perceptron, linear_model.Perceptron):
        with pytest.warns(ConvergenceWarning):
            peer(max_iter=2).fit(X, y)
