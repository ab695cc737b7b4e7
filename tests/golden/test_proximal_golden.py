"""Golden values of the proximal gradient method (data set B of the specification)."""

import numpy as np
import pytest

from gnomon.losses import SquaredLoss
from gnomon.numerics.design import Design
from gnomon.optim import Problem, fit_linear, proximal_gradient
from gnomon.penalties import L1

X = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, -1.0]])
y = np.array([2.0, 2.0, 0.0, 3.0])


@pytest.mark.spec("LIN-G24", "LIN-082")
def test_ista_on_orthogonal_columns():
    problem = Problem(Design(X, intercept="none"), y, SquaredLoss(), L1(2.0), np.ones(4))
    options = {"step": 1.0 / 12.0, "max_iter": 4, "iterates": True}
    history = proximal_gradient(problem.data_term, np.zeros(2), L1(2.0), **options).history
    np.testing.assert_allclose(history["iterates"][1:, 0], [1.0, 1.5, 1.75, 1.875])
    assert np.all(history["iterates"][:, 1] == 0.0)
    np.testing.assert_allclose(history["objective"][1:], [8.0, 5.75, 5.1875, 5.046875])


@pytest.mark.spec("LIN-082")
def test_the_default_step_is_one_over_twice_the_largest_eigenvalue():
    for solver in ("ista", "fista"):
        solution = fit_linear(Design(X, intercept="none"), y, SquaredLoss(), L1(2.0), solver=solver, tol=1e-12)
        # XᵀX = 3I, so that L = 6.
        assert solution.history["step"][1] == pytest.approx(1.0 / 6.0, rel=1e-3)
        np.testing.assert_allclose(solution.w, [2.0, 0.0], atol=1e-12)
        assert solution.objective == pytest.approx(5.0)
        assert solution.dual_gap == pytest.approx(0.0, abs=1e-10)
