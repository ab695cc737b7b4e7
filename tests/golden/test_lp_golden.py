"""Golden values of regression in the p-norm."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gnomon.linear import LpRegression

X, Y = np.arange(5.0)[:, None], np.array([0.0, 1.0, 2.0, 3.0, 14.0])


@pytest.mark.spec("LIN-G15", "LIN-051")
@pytest.mark.parametrize(
    ("p", "slope", "intercept", "cost"),
    [
        (1, 1.0, 0.0, 10.0),
        (1.5, 2.773688, -1.725495, None),
        (2, 3.0, -2.0, 40.0),
        (4, 3.236343, -2.677875, 519.996495),
        (np.inf, 3.5, -3.75, 3.75),
    ],
)
def test_one_outlier(p, slope, intercept, cost):
    model = LpRegression(p).fit(X, Y)
    assert_allclose([model.coef_[0], model.intercept_], [slope, intercept], atol=1e-6)
    assert model.dual_gap_ <= 1e-9 * model.objective_
    if cost is not None:
        assert_allclose(model.objective_, cost, atol=1e-6)


@pytest.mark.spec("LIN-L09")
def test_slope_error_grows_with_p():
    errors = [abs(LpRegression(p).fit(X, Y).coef_[0] - 1.0) for p in (1, 2, 4, np.inf)]
    assert errors == sorted(errors)
    assert len(set(np.round(errors, 6))) == 4
