"""Golden values of random projections and random hidden layers."""

import numpy as np
import pytest

from gnomon.features import ExtremeLearningRegressor, johnson_lindenstrauss_min_dim
from gnomon.features._hidden_layer import HiddenLayer


@pytest.mark.spec("UNS-G49", "UNS-098")
def test_how_many_directions():
    n = [1000, 1000, 10**6, 10**6]
    assert johnson_lindenstrauss_min_dim(n, eps=[0.1, 0.5, 0.1, 0.5]).tolist() == [5921, 332, 11842, 664]
    assert johnson_lindenstrauss_min_dim(1000, eps=0.5, delta=0.01) == 443


@pytest.mark.spec("UNS-G53", "UNS-107")
@pytest.mark.parametrize(
    ("alpha", "beta", "at"),
    [(0.0, [-20.212797, 8.897288, 16.985849], 0.828468), (0.1, [0.048161, 0.210083, 0.327582], 0.384409)],
)
def test_output_weights_of_three_units(monkeypatch, alpha, beta, at):
    layer = HiddenLayer(
        "sigmoid", np.array([[1.0, -1.0, 2.0]]), np.array([0.0, 0.5, -1.0]), np.zeros(1), np.ones(1), 1.0
    )
    monkeypatch.setattr("gnomon.features.extreme_learning.draw_layer", lambda *_: layer)
    X, t = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 0.0])
    model = ExtremeLearningRegressor(3, alpha, fit_intercept=False).fit(X, t)
    assert model.coef_.ravel() == pytest.approx(beta, abs=1e-6)
    assert model.predict([[1.5]]) == pytest.approx(at, abs=1e-6)
    assert alpha or model.predict(X) == pytest.approx(t, abs=1e-9)
