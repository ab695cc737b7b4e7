"""Acquisitions at points of the specification, and the search for the minimum of Forrester's function."""

import numpy as np
import pytest

from gnomon.gp import BayesianOptimizer, Real
from gnomon.infer import ExpectedImprovement, LowerConfidenceBound, MeanRatio, ProbabilityOfImprovement

MINIMUM = -6.020740056


@pytest.mark.spec("GP-053", "GP-054", "GP-G24")
@pytest.mark.parametrize(
    ("acquisition", "expected"),
    [
        (ProbabilityOfImprovement(), 0.579259709),
        (ProbabilityOfImprovement(xi=0.01), 0.571423716),
        (ExpectedImprovement(), 0.253447318),
        (ExpectedImprovement(xi=0.01), 0.247693876),
        (LowerConfidenceBound(kappa=2.0), -0.8),
        (MeanRatio(), 0.4),
    ],
    ids=repr,
)
def test_one_candidate(acquisition, expected):
    found = acquisition.value(np.array([0.2]), np.array([0.5]), 0.3)
    np.testing.assert_allclose(found, [expected], atol=1e-9)


@pytest.mark.spec("GP-G25")
@pytest.mark.parametrize(
    ("acquisition", "values", "preferred"),
    [
        (ProbabilityOfImprovement(), (1.0, 0.598706326), 0),
        (ExpectedImprovement(), (0.02, 0.107268940), 1),
        (MeanRatio(), (280.0, 1.25), 1),
    ],
    ids=lambda case: type(case).__name__,
)
def test_which_of_two_candidates_is_preferred(acquisition, values, preferred):
    mean, std = np.array([0.28, 0.25]), np.array([0.001, 0.2])
    np.testing.assert_allclose(acquisition.value(mean, std, 0.3), values, atol=1e-9)
    assert np.argmax(acquisition.merit(mean, std, 0.3).value) == preferred


def forrester(x):
    return (6.0 * x - 2.0) ** 2 * np.sin(12.0 * x - 4.0)


def excess_after_fifteen(acquisition, seed):
    optimizer = BayesianOptimizer(
        {"x": Real(0.0, 1.0)}, acquisition, n_initial_points=3, n_candidates=1000, random_state=seed
    )
    for _ in range(15):
        point = optimizer.ask()
        optimizer.tell(point, forrester(point["x"]))
    return optimizer.best_loss_ - MINIMUM


@pytest.mark.spec("GP-L21", "GP-G23")
def test_forrester_in_fewer_evaluations_than_a_grid():
    grid = np.linspace(0.0, 1.0, 20)
    np.testing.assert_allclose(forrester(grid).min() - MINIMUM, 0.208, atol=1e-3)
    assert max(excess_after_fifteen("ei", seed) for seed in (0, 1)) < 0.01


@pytest.mark.slow
@pytest.mark.spec("GP-G23")
def test_forrester_from_every_seed():
    assert [seed for seed in range(10) if not excess_after_fifteen("ei", seed) < 0.01] == []
    # The printed rule does not know the best so far; where its minimum is not zero it stays at what it knows.
    assert sum(excess_after_fifteen("ratio", seed) < 0.01 for seed in range(4)) == 0
