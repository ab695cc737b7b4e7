"""Golden values of best subset regression."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gnomon.linear import BestSubset

X = np.array([[10.0, 9.0], [9.0, 10.0], [10.0, 11.0], [11.0, 10.0]])
Y = np.array([1.0, -1.0, -1.0, 1.0])


@pytest.mark.spec("LIN-G14", "LIN-045", "LIN-046", "LIN-052", "LIN-L16")
def test_a_size_that_no_lambda_reaches():
    model = BestSubset(lam=1.0, fit_intercept=False).fit(X, Y)
    assert_allclose(model.rss_by_size_, [4.0, 3.9900498, 0.0], rtol=0, atol=5e-8)
    assert model.n_nonzero_ == 2
    assert model.lam_for(1) is None
    assert_allclose(model.lam_for(2), (0.0, 2.0), atol=1e-9)
    assert_allclose(model.lam_for(0)[0], 2.0)
    assert np.isinf(model.lam_for(0)[1])
    assert [model.theta_for(lam) for lam in (0.1, 1.9, 2.1, 50.0)] == [2, 2, 0, 0]
    assert BestSubset(lam=2.1, fit_intercept=False).fit(X, Y).n_nonzero_ == 0
    for bound in ({"max_nonzero": 1}, {"constraint": 1}):
        assert BestSubset(fit_intercept=False, **bound).fit(X, Y).n_nonzero_ == 1
    # Of sizes that are equally good the smallest.
    one = BestSubset(fit_intercept=False).fit(np.eye(3), [2.0, 0.0, 0.0])
    assert [one.theta_for(lam) for lam in (0.0, 3.9, 4.0)] == [1, 1, 0]


@pytest.mark.spec("LIN-G10", "LIN-L15")
def test_identity():
    model = BestSubset(lam=1.0, fit_intercept=False).fit(np.eye(3), [3.0, -0.2, -2.0])
    assert_allclose(model.coef_, [3.0, 0.0, -2.0])
    assert model.coef_[1] == 0.0
