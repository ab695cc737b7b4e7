"""Golden values of the generic model: one minimiser in six scalings."""

import numpy as np
import pytest

from gnomon.linear import LinearModelRegressor
from gnomon.penalties import convert_lam

LAMS = {"sum": 2.0, "mean": 2.0 / 3.0, "sum_half": 4.0, "mean_half": 4.0 / 3.0, "C": 0.25, "loss_mean": 0.75}


@pytest.mark.spec("LIN-G05")
@pytest.mark.parametrize("objective", LAMS)
def test_six_scalings_of_one_ridge(objective):
    x = np.array([1.0, 2.0, 3.0])
    assert convert_lam(2.0, "sum", objective, n=3) == pytest.approx(LAMS[objective])
    options = {"objective": objective, "lam": LAMS[objective], "fit_intercept": False, "tol": 1e-12}
    assert LinearModelRegressor(**options).fit(x[:, None], x).coef_[0] == pytest.approx(0.875)
