"""The intercept of support vector machines, where the optimum leaves it free to move and where it does not."""

import numpy as np
import pytest
from scipy import sparse

from gnomon.svm import SVC, SVR, MulticlassSVC, OneClassSVM

SOLVERS = ("smo", "qp", "primal")


def rare(seed, n=50):
    """Rows of two classes, about one in five of them positive, and their signs."""
    rng = np.random.default_rng(seed)
    y = np.append((rng.random(n - 4) < 0.2).astype(int), [0, 0, 1, 1])
    return rng.normal(size=(n, 3)) + 1.5 * y[:, None], y


def best_intercepts(f, target, low, high, epsilon=0.0, total=0.0):
    """The ends of the set of b that minimise b s + Σ L(t − f − b); L has slope `high` beyond ε, `low` below −ε."""
    kinks = np.sort(np.concatenate([target - f - epsilon, target - f + epsilon]))
    middles = np.concatenate([[kinks[0] - 1.0], 0.5 * (kinks[1:] + kinks[:-1]), [kinks[-1] + 1.0]])
    z = (target - f)[:, None] - middles
    slopes = total - np.sum(np.where(z > epsilon, high[:, None], np.where(z < -epsilon, low[:, None], 0.0)), axis=0)
    ends = np.concatenate([[-np.inf], kinks, [np.inf]])
    flat = np.flatnonzero(np.abs(slopes) <= 1e-10 * np.sum(high - low))
    if len(flat):
        return ends[flat[0]], ends[flat[-1] + 1]
    turn = np.argmax(slopes > 0.0)
    return ends[turn], ends[turn]


def middle(interval):
    ends = [end for end in interval if np.isfinite(end)]
    return sum(ends) / len(ends)


def check_intercept(model, scores, low, high, epsilon, target, unit=1.0, total=0.0):
    """b is the middle of its interval, which is the set of all that minimise the objective; the vectors show which."""
    b = model.intercept_[0]
    interval = best_intercepts(scores - b, target, low, high, epsilon, total)
    np.testing.assert_allclose(model.intercept_interval_[0], interval, atol=1e-5 * unit)
    assert b == pytest.approx(middle(interval), abs=1e-5 * unit)


@pytest.mark.spec("KER-063", "KER-065", "KER-L25")
@pytest.mark.parametrize("option", [{"class_weight": "balanced"}, {"prior": 0.5}, {"prior": 0.3}], ids=str)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_classes_that_weigh_the_same_leave_the_intercept_in_the_middle(option, kernel):
    for seed in range(12):
        X, y = rare(seed)
        for C in (1e-4, 0.01, 0.1):
            found = [SVC(C=C, kernel=kernel, tol=1e-7, solver=word, **option).fit(X, y) for word in SOLVERS]
            bound, signs = C * found[0].class_weight_[y], 2.0 * y - 1.0
            for model in found:
                low, high = np.where(y == 1, 0.0, -bound), np.where(y == 1, bound, 0.0)
                check_intercept(model, model.decision_function(X), low, high, 0.0, signs)
                free = (model.alpha_ > 1e-9 * C) & (model.alpha_ < bound - 1e-9 * C)
                np.testing.assert_array_equal(model.point_classes_ == "margin", free)
                assert np.any(free) == (np.ptp(model.intercept_interval_) < 1e-5)
            for model in found[1:]:
                np.testing.assert_allclose(model.decision_function(X), found[0].decision_function(X), atol=1e-5)


@pytest.mark.spec("KER-063", "KER-064")
@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("form", [np.asarray, np.float32, sparse.csr_array], ids=["double", "single", "sparse"])
def test_the_middle_is_that_in_all_units_and_forms(unit, form):
    X, y = rare(2)
    expected = SVC(kernel="linear", C=0.001, class_weight="balanced").fit(X, y)
    assert np.ptp(expected.intercept_interval_) > 0.5
    found = SVC(kernel="linear", C=0.001 / unit**2, class_weight="balanced").fit(form(unit * X), y)
    np.testing.assert_allclose(found.intercept_interval_, expected.intercept_interval_, atol=1e-4)
    np.testing.assert_allclose(found.intercept_, expected.intercept_, atol=1e-4)


@pytest.mark.spec("KER-063")
def test_weights_of_rows_that_balance_the_classes_do_as_weights_of_classes():
    X, y = rare(5)
    weights = (len(y) / (2 * np.bincount(y)))[y]
    expected = SVC(C=0.01, class_weight="balanced").fit(X, y)
    found = SVC(C=1e-5).fit(X, y, 1e3 * weights)
    np.testing.assert_allclose(found.intercept_interval_, expected.intercept_interval_, atol=1e-9)
    pairs = SVC(C=0.01, class_weight="balanced").fit(np.vstack([X, X + 3.0]), np.concatenate([y, np.full(len(y), 2)]))
    assert np.ptp(pairs.intercept_interval_[0]) > 0.5


@pytest.mark.spec("KER-063", "KER-077", "KER-L25")
@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_regression_of_rows_that_are_all_at_their_bounds(unit):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(20, 2)), unit * rng.normal(size=20)
        weights = rng.permutation(np.repeat([0.1, 0.3, 0.7], 20))[:20] if seed % 2 else np.ones(20)
        found = [SVR(C=1e-4 * unit, epsilon=0.1 * unit, tol=1e-7 * unit, solver=s).fit(X, y, weights) for s in SOLVERS]
        for model in found:
            bound = 1e-4 * unit * weights
            check_intercept(model, model.predict(X), -bound, bound, 0.1 * unit, y, unit)
            np.testing.assert_allclose(model.predict(X), found[0].predict(X), atol=1e-5 * unit)


@pytest.mark.spec("KER-063", "KER-078", "KER-L25")
@pytest.mark.parametrize("nu", [0.1, 0.3, 0.7])
def test_regions_of_rows_that_are_all_at_their_bounds(nu):
    for seed in range(8):
        X = np.random.default_rng(seed).normal(size=(30, 2))
        found = [OneClassSVM(nu=nu, gamma=2.0**-seed, tol=1e-8, solver=word).fit(X) for word in SOLVERS]
        for model in found:
            bounds, zeros = np.ones(30), np.zeros(30)
            check_intercept(model, model.decision_function(X), zeros, bounds, 0.0, zeros, total=30 * nu)
            np.testing.assert_allclose(model.decision_function(X), found[0].decision_function(X), atol=1e-5)


@pytest.mark.spec("KER-063")
def test_all_classes_at_once_with_balanced_weights_are_the_machine_of_two():
    for seed in range(6):
        X, y = rare(seed)
        pair = SVC(C=0.01, class_weight="balanced", tol=1e-6).fit(X, y)
        both = MulticlassSVC("ww", C=0.01, class_weight="balanced", tol=1e-6).fit(X, y)
        np.testing.assert_allclose(both.decision_function(X), pair.decision_function(X), atol=1e-4)
