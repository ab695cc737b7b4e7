"""Exponentials by vectors: two units in the last place, nothing where the exponential is nothing."""

import numpy as np
import pytest

from gnomon.distributions import Normals
from gnomon.numerics._exponentials import exponentials


def exp(x):
    found, power = np.array(x, dtype=float), np.empty(len(x))
    exponentials(found, power, power.view(np.int64))
    return found


@pytest.mark.parametrize("reach", [1e-18, 1e-3, 0.35, 1.0, 30.0, 708.0])
def test_the_error_is_two_units_in_the_last_place(reach):
    x = -reach * np.random.default_rng(0).random(2000)
    expected = np.exp(x)
    assert np.max(np.abs(exp(x) - expected) / np.spacing(expected)) <= 2.0


def test_ends():
    assert exp([0.0, -0.0]).tolist() == [1.0, 1.0]
    assert exp([-709.0, -1e308, -np.inf]).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.spec("GEN-103")
@pytest.mark.parametrize("covariance_type", ["full", "diag"])
@pytest.mark.parametrize("assignment", ["soft", "hard"])
def test_rows_that_no_law_allows_belong_to_none(covariance_type, assignment):
    """Without a warning: their class has no law, so that every log joint is −∞."""
    cov = np.tile(np.eye(2), (2, 1, 1)) if covariance_type == "full" else np.ones((2, 2))
    laws = Normals(np.array([[0.0, 0.0], [1.0, 1.0]]), cov, covariance_type)
    found = laws.responsibilities(
        np.zeros((3, 2)), np.log([0.5, 0.5]), labels=np.array([-1, 0, 7]), assignment=assignment
    )
    assert found.log_likelihood == -np.inf
    assert found.moments.weight.sum() == pytest.approx(2.0)


@pytest.mark.spec("GEN-103")
@pytest.mark.parametrize("covariance_type", ["full", "diag"])
def test_sums_in_tiles_are_the_sums_over_rows(covariance_type):
    rng = np.random.default_rng(1)
    X, s, log_w = rng.normal(size=(300, 3)), rng.random(300), np.log([0.2, 0.3, 0.5])
    roots = rng.normal(size=(3, 3, 3))
    cov = roots @ roots.transpose(0, 2, 1) + np.eye(3) if covariance_type == "full" else 0.5 + rng.random((3, 3))
    laws = Normals(rng.normal(size=(3, 3)), cov, covariance_type)
    found = laws.responsibilities(X, log_w, s)
    joint = laws.log_densities(X) + log_w
    evidence = np.logaddexp.reduce(joint, axis=1)
    gamma = s[:, None] * np.exp(joint - evidence[:, None])
    mean = gamma.T @ X / gamma.sum(0)[:, None]
    scatter = np.stack([(X - mean[j]).T @ (gamma[:, j, None] * (X - mean[j])) for j in range(3)])
    if covariance_type == "diag":
        scatter = np.diagonal(scatter, axis1=1, axis2=2)
    np.testing.assert_allclose(found.moments.weight, gamma.sum(0), rtol=1e-12)
    np.testing.assert_allclose(found.moments.mean, mean, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found.moments.scatter, scatter, rtol=1e-10, atol=1e-12)
    assert found.log_likelihood == pytest.approx(s @ evidence, rel=1e-13)
