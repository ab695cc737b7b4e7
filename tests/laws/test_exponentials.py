"""Exponentials and logarithms by vectors: few units in the last place, nothing where the exponential is nothing."""

import numpy as np
import pytest

from gnomon._jit import DISABLED, jit_no_alloc
from gnomon.distributions import Normals
from gnomon.numerics.exponentials import exp_of_negative, log1p_of_share, tanh


@jit_no_alloc
def _fill(x, found, logarithm):
    for i in range(len(x)):
        found[i] = log1p_of_share(x[i]) if logarithm else exp_of_negative(x[i])


def in_kernel(x, logarithm=False):
    found = np.empty(len(x))
    _fill(np.asarray(x), found, logarithm)
    return found


@pytest.mark.parametrize("reach", [1e-18, 1e-3, 0.35, 1.0, 30.0, 708.0])
def test_the_error_of_exponentials_is_two_units_in_the_last_place(reach):
    x = -reach * np.random.default_rng(0).random(2000)
    expected = np.exp(x)
    assert np.max(np.abs(in_kernel(x) - expected) / np.spacing(expected)) <= 2.0


@pytest.mark.parametrize("reach", [1e-300, 1e-18, 1e-3, 0.35, 1.0])
def test_the_error_of_logarithms_is_three_units_in_the_last_place(reach):
    x = reach * np.random.default_rng(0).random(2000)
    expected = np.log1p(x)
    assert np.max(np.abs(in_kernel(x, logarithm=True) - expected) / np.spacing(expected)) <= 3.0


@jit_no_alloc
def _fill_tanh(x, found):
    for i in range(len(x)):
        found[i] = tanh(x[i])


@pytest.mark.parametrize("reach", [1e-300, 1e-18, 1e-3, 0.35, 1.0, 30.0, 1e4])
def test_the_error_of_hyperbolic_tangents_is_six_units_in_the_last_place(reach):
    x = reach * np.random.default_rng(0).uniform(-1.0, 1.0, 2000)
    found, expected = np.empty(len(x)), np.tanh(x)
    _fill_tanh(x, found)
    assert np.max(np.abs(found - expected) / np.spacing(np.abs(expected))) <= 6.0
    ends = np.empty(4)
    _fill_tanh(np.array([0.0, np.inf, -np.inf, np.nan]), ends)
    assert np.array_equal(ends, [0.0, 1.0, -1.0, np.nan], equal_nan=True)


def test_ends():
    assert in_kernel([0.0, -0.0]).tolist() == [1.0, 1.0]
    # Plain Python has NumPy's, which go on below the least normal number.
    least = np.exp(-709.0) if DISABLED else 0.0
    assert in_kernel([-709.0, -1e308, -np.inf]).tolist() == [least, 0.0, 0.0]
    assert in_kernel([0.0], logarithm=True).tolist() == [0.0]
    assert np.all(np.isnan([in_kernel([np.nan]), in_kernel([np.nan], logarithm=True)]))


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
