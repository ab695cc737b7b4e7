"""Golden values of softmax cross-entropy."""

import numpy as np
import pytest

from gnomon.linear import LogisticRegression
from gnomon.losses import SoftmaxLoss
from gnomon.numerics.special import log_softmax, softmax

SCORES = np.array([[1.0, -1.0, 0.0]])
FIRST = np.array([0])


@pytest.mark.spec("LIN-G41", "LIN-011")
def test_softmax_of_three_scores():
    np.testing.assert_allclose(softmax(SCORES)[0], [0.6652410, 0.0900306, 0.2447285], rtol=0, atol=5e-8)
    np.testing.assert_allclose(np.exp(log_softmax(SCORES)), softmax(SCORES), atol=1e-16)
    assert SoftmaxLoss().value(FIRST, SCORES)[0] == pytest.approx(0.4076060, abs=5e-8)
    gradient = SoftmaxLoss().gradient(FIRST, SCORES)[0]
    np.testing.assert_allclose(gradient, [-0.3347590, 0.0900306, 0.2447285], rtol=0, atol=5e-8)


@pytest.mark.spec("LIN-G41", "LIN-128")
def test_sign_of_the_exponent():
    model = LogisticRegression(sign=-1)
    model.classes_, model.n_features_in_ = np.arange(3), 1
    model.coef_, model.intercept_ = SCORES.T, np.zeros(3)
    np.testing.assert_allclose(model.predict_proba([[1.0]])[0], [0.0900306, 0.6652410, 0.2447285], rtol=0, atol=5e-8)
