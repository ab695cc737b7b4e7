"""What machines say of their scores: distances, margins, and probabilities from rows that were left out."""

import numpy as np
import pytest

from gnomon.kernels import RBF, Linear, Polynomial
from gnomon.svm import SVC
from gnomon.svm._platt import sigmoid_of_left_out

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3)) + np.array([1.0, -0.5, 0.0])
Y = (X[:, 0] + 0.5 * RNG.normal(size=40) > 1.0).astype(int)
THREE = Y + (X[:, 1] > 0.0)
KERNELS = [RBF(1.5), Linear(), Polynomial(2)]
INTERCEPTS = [{}, {"penalize_intercept": True}, {"fit_intercept": False}]


@pytest.mark.spec("KER-066", "KER-057")
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("intercept", INTERCEPTS, ids=str)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_distances_are_in_units_of_the_norm_of_f_without_b(kernel, intercept, loss):
    model = SVC(C=0.7, kernel=kernel, loss=loss, tol=1e-8, **intercept).fit(X, Y)
    beta = np.zeros(40)
    beta[model.support_] = model.dual_coef_[0]
    norm = np.sqrt(beta @ kernel.gram(X) @ beta)
    assert model.margin_ == pytest.approx(1.0 / norm, rel=1e-6)
    np.testing.assert_allclose(model.distance(X), model.decision_function(X) / norm, rtol=1e-6)
    assert model.rkhs_norm() == pytest.approx(norm, rel=1e-6)
    if isinstance(kernel, Linear):
        # The distance from the plane, by the plane.
        w = model.coef_[0]
        np.testing.assert_allclose(model.distance(X), (X @ w + model.intercept_[0]) / np.linalg.norm(w), rtol=1e-5)
        on_plane = X - model.distance(X)[:, None] * w / np.linalg.norm(w)
        np.testing.assert_allclose(model.decision_function(on_plane), 0.0, atol=1e-6)


@pytest.mark.spec("KER-066", "KER-076")
@pytest.mark.parametrize("intercept", INTERCEPTS, ids=str)
@pytest.mark.parametrize("shape", ["ovo", "ovr"])
def test_each_problem_of_several_classes_has_its_own_margin(intercept, shape):
    model = SVC(kernel=RBF(1.5), multi_class=shape, decision_function_shape=shape, tol=1e-8, **intercept)
    model.fit(X, THREE)
    scores = model.decision_function(X)
    problems = [(0, 1), (0, 2), (1, 2)] if shape == "ovo" else [(None, 0), (None, 1), (None, 2)]
    for p, (a, b) in enumerate(problems):
        rows = np.isin(THREE, [a, b]) if shape == "ovo" else np.full(40, True)
        two = SVC(kernel=RBF(1.5), tol=1e-8, **intercept).fit(X[rows], THREE[rows] == b)
        assert model.margin_[p] == pytest.approx(two.margin_, rel=1e-5)
        np.testing.assert_allclose(np.abs(model.distance(X)[:, p]), np.abs(scores[:, p]) / two.rkhs_norm(), rtol=1e-4)


@pytest.mark.spec("KER-066")
@pytest.mark.parametrize("n", [20, 43])
def test_sigmoids_are_fitted_to_five_folds_of_scores_that_were_left_out(n):
    signs, folds = np.where(np.arange(n) % 3 == 0, 1.0, -1.0), []
    given = signs * RNG.uniform(-0.5, 2.0, size=n)

    def scores(train, test):
        folds.append(test)
        np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(n))
        return given[test]

    A, B = sigmoid_of_left_out(signs, scores, np.random.RandomState(0))
    assert len(folds) == 5
    assert {len(test) for test in folds} <= {n // 5, n // 5 + 1}
    np.testing.assert_array_equal(np.sort(np.concatenate(folds)), np.arange(n))
    # At the optimum the probabilities of all rows, and those times their scores, have the sums of Platt's targets.
    up = np.count_nonzero(signs > 0.0)
    targets = np.where(signs > 0.0, (up + 1.0) / (up + 2.0), 1.0 / (n - up + 2.0))
    excess = 1.0 / (1.0 + np.exp(A * given + B)) - targets
    np.testing.assert_allclose([np.sum(excess), excess @ given], 0.0, atol=1e-6)
