"""Golden values of rare classes."""

import numpy as np
import pytest

from gnomon.decision import class_weights, effective_train_prior, shift_prior
from gnomon.features import RandomOverSampler, RandomUnderSampler
from gnomon.linear import LinearSVM
from gnomon.losses import LogisticLoss, Weighted

Y = np.repeat(["F", "T"], [90, 10])


@pytest.mark.spec("EVA-G31", "EVA-L34", "EVA-057")
def test_a_risk_of_two_costs():
    # Scores at which the plain logistic losses are 3 and 5.
    y, z = np.array([1.0, -1.0]), np.array([-np.log(np.expm1(3.0)), np.log(np.expm1(5.0))])
    np.testing.assert_allclose(LogisticLoss().value(y, z), [3.0, 5.0])
    assert np.sum(Weighted(LogisticLoss(), costs=(2.0, 4.0)).value(y, z)) == pytest.approx(22.0)
    assert 2.0 * np.sum(Weighted.by_ratio(LogisticLoss(), 2.0).value(y, z)) == pytest.approx(22.0)


@pytest.mark.spec("EVA-G31", "EVA-058")
def test_weights_of_ten_among_a_hundred():
    assert class_weights(Y) == pytest.approx({"F": 0.555556, "T": 5.0}, abs=5e-7)
    assert class_weights(Y, prior=0.2) == pytest.approx({"F": 0.888889, "T": 2.0}, abs=5e-7)
    assert class_weights(Y, ratio=9.0) == {"F": 1.0, "T": 9.0}
    np.testing.assert_allclose(effective_train_prior(Y, class_weights(Y, ratio=9.0)), 0.5)
    X = np.random.default_rng(0).normal(np.where(Y == "T", 2.0, 0.0)[:, None], 1.0, (100, 2))
    prior = LinearSVM(C=1.0, prior=0.5, tol=1e-10).fit(X, Y)
    rows = LinearSVM(C=1.0, tol=1e-10).fit(X, Y, np.where(Y == "T", 5.0, 0.5555555555555556))
    np.testing.assert_allclose(prior.coef_, rows.coef_, atol=1e-7)


@pytest.mark.spec("EVA-G31", "EVA-052", "EVA-053")
def test_ten_among_a_hundred_resampled():
    X = np.arange(100.0)[:, None]
    for sampler, n in ((RandomUnderSampler(), 10), (RandomOverSampler(), 90)):
        assert np.unique(sampler.fit_resample(X, Y)[1], return_counts=True)[1].tolist() == [n, n]


@pytest.mark.spec("EVA-G32", "EVA-059")
def test_a_shift_from_a_half_to_a_tenth():
    assert shift_prior([0.8], 0.5, 0.1)[0] == pytest.approx(0.307692, abs=5e-7)
