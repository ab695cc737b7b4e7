"""Golden values of the schedules."""

import math

import numpy as np
import pytest

from gnomon.optim.schedules import Capped, InverseT0, Power


@pytest.mark.spec("LIN-G26", "LIN-090")
def test_rates():
    capped = Capped()
    # The golden value counts steps from 1, a schedule completed updates from 0.
    np.testing.assert_allclose(
        [capped(step - 1) for step in (1, 1000, 1001, 2000)], [0.1, 0.1, 0.0999001, 0.05], rtol=0, atol=5e-8
    )
    total, squares = capped.series
    assert math.isinf(total)
    assert round(squares, 6) == 19.995002
    np.testing.assert_allclose([InverseT0(1.0, t0=10.0)(t) for t in (0, 10, 90)], [1.0, 0.5, 0.1])
    np.testing.assert_allclose([Power(1.0, 0.75)(t) for t in (0, 1, 15)], [1.0, 0.5946036, 0.125], rtol=0, atol=5e-8)
