"""Where errors come from, what a curve of errors says, and how sure a classifier is."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline

from gnomon.decision import confidence
from gnomon.evaluation import diagnose_fit, error_sources
from gnomon.features import PolynomialMap
from gnomon.linear import Lasso, LinearRegression, LogisticRegression


def best(X):
    return X @ np.arange(5.0) + 0.5 * X[:, 0] ** 2


def sampler(n, rng):
    X = rng.standard_normal((n, 5))
    return X, best(X) + rng.standard_normal(n)


STRETCH = np.array([10.0, 1.0, 1.0, 1.0, 1.0])


def stretched(n, rng):
    X, y = sampler(n, rng)
    return X * STRETCH, y


@pytest.mark.spec("LIN-038")
def test_three_sources_add_up_and_move_as_they_should():
    tight = Lasso(alpha=1e-4, tol=1e-10)
    few = error_sources(tight, sampler, best, 50, budget={}, random_state=0, n_large=20_000, n_test=20_000)
    many = error_sources(tight, sampler, best, 5_000, budget={}, random_state=0, n_large=20_000, n_test=20_000)
    assert few.estimation > 5 * many.estimation > -0.01
    assert few.optimization == 0.0
    # E(½x²)² − (E ½x²)² = ½ is what a linear function cannot have.
    assert few.model == pytest.approx(0.5, abs=0.1)
    assert few.least_risk == pytest.approx(1.0, abs=0.05)
    with pytest.warns(ConvergenceWarning):
        short = error_sources(
            Lasso(alpha=1e-4, solver="ista", tol=1e-9, max_iter=50_000), stretched, lambda X: best(X / STRETCH), 500,
            budget={"max_iter": 2}, random_state=0, n_large=2_000, n_test=5_000,
        )  # fmt: skip
    assert short.optimization > 0.1
    assert short.excess == pytest.approx(short.model + short.estimation + short.optimization)


@pytest.mark.spec("LIN-050")
def test_norm_explodes_where_the_fit_is_too_complex():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (40, 1))
    y = np.sin(3 * x[:, 0]) + 0.1 * rng.standard_normal(40)
    model = make_pipeline(PolynomialMap(include_bias=False), LinearRegression())
    found = diagnose_fit(model, x, y, "polynomialmap__degree", [1, 3, 5, 18])
    assert found.regimes[0] == "under"
    assert found.regimes[-1] == "over"
    assert found.regimes[found.best] == "good"
    assert found.norms[-1] > 100 * found.norms[1]
    assert found.train[-1] < found.train[1]


@pytest.mark.spec("LIN-130")
def test_confidence_of_a_classifier():
    X, y = load_iris(return_X_y=True)
    proba = LogisticRegression().fit(X, y).predict_proba(X)
    ordered = np.sort(proba, axis=1)
    np.testing.assert_allclose(confidence(proba), ordered[:, -1] - ordered[:, -2])
    two = LogisticRegression().fit(X[:100], y[:100]).predict_proba(X[:100])
    np.testing.assert_allclose(confidence(two), 2 * two.max(axis=1) - 1)
    assert confidence([[0.5, 0.4, 0.1]])[0] == pytest.approx(0.1)
    np.testing.assert_allclose(confidence([[0.5, 0.5]], kind="entropy"), 0.0, atol=1e-15)
    with pytest.raises(ValueError, match="choose from"):
        confidence(proba, kind="luck")
    with pytest.raises(ValueError, match="normalise"):
        confidence([[0.5, 0.9]])
