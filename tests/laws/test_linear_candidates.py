"""Laws of the models that the linear family offers the command line: how much work they take."""

import numpy as np
import pytest

from gnomon._registry import Facts, candidates, discover
from real_data import data_path

MODELS = ("sparse logistic regression", "logistic regression", "linear support vector machine")


@pytest.fixture(scope="module")
def cover():
    """Forest cover: seven classes of which some are rare, columns that are nearly constant."""
    rows = np.loadtxt(data_path("tabular/covtype_sample.csv.gz"), delimiter=",", skiprows=1, max_rows=6000)
    X, y = rows[:, :-1], rows[:, -1].astype(int)
    X = X[:, X[:1500].std(axis=0) > 0.0]
    return (X - X.mean(axis=0)) / X.std(axis=0), y


@pytest.mark.parametrize("name", MODELS)
def test_many_ill_conditioned_classes_take_few_iterations_however_many_rows_there_are(cover, name):
    discover()
    X, y = cover
    facts = Facts("classification", *X.shape, n_classes=7)
    model = next(each for each in candidates(facts) if each.name == name)
    for n in (1500, 6000):
        # That one stops short would be a warning, which is an error here.
        fitted = model.make(facts, 0).fit(X[:n], y[:n])
        assert np.max(fitted.n_iter_) <= 25, (n, fitted.n_iter_)
