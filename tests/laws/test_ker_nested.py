"""Laws of nested one-class support vector machines."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import LinearConstraint, minimize
from sklearn.svm import OneClassSVM

from gnomon.kernels import RBF, Linear
from gnomon.optim import nested_levels
from gnomon.svm import NestedOneClassSVM

rng = np.random.default_rng(0)
X = np.vstack([rng.normal(size=(60, 2)), 0.5 * rng.normal(size=(40, 2)) + 4.0])
EVERYWHERE = rng.uniform(-4.0, 7.0, size=(4000, 2))
LEVELS = (0.5, 0.8, 0.95)


@pytest.mark.spec("KER-079", "KER-L34")
@pytest.mark.parametrize("thresholds", ["coverage", "lambda"])
@pytest.mark.parametrize("width", [0.4, 1.0, 3.0])
def test_regions_never_cross(thresholds, width):
    model = NestedOneClassSVM(LEVELS, kernel=RBF(width), thresholds=thresholds).fit(X)
    inside = model.contains(EVERYWHERE)
    assert not np.any(inside[:, :-1] & ~inside[:, 1:])
    assert np.all(np.diff(model.lambda_) < 0.0)
    beta = model.dual_coef_ / model.offset_[:, None]
    assert np.all(np.diff(beta, axis=0) >= -1e-9 * beta.max())


@pytest.mark.spec("KER-L34")
def test_independent_regions_cross():
    """Machines of the same levels, one by one: some points are in a smaller region and not in a larger one."""
    alone = [OneClassSVM(gamma=0.5, nu=1.0 - level, tol=1e-6).fit(X) for level in LEVELS]
    inside = np.column_stack([model.decision_function(EVERYWHERE) > 0.0 for model in alone])
    assert np.any(inside[:, :-1] & ~inside[:, 1:])


@pytest.mark.spec("KER-079")
def test_coverages_are_those_asked_for():
    model = NestedOneClassSVM((0.95, 0.5, 0.8), kernel=RBF(3.0)).fit(X)
    np.testing.assert_array_equal(model.levels_, LEVELS)
    np.testing.assert_allclose(model.coverage_, LEVELS, atol=0.021)
    np.testing.assert_allclose(model.coverage_, model.contains(X).mean(axis=0))
    np.testing.assert_array_equal(model.region_index(X), 3 - model.contains(X).sum(axis=1))
    np.testing.assert_array_equal(model.predict(X) == 1, model.contains(X)[:, -1])


@pytest.mark.spec("KER-079")
def test_program_is_solved():
    """Lee and Scott's program with its levels, by SciPy's solver; the gap bounds the distance to the minimum."""
    x, s = X[::12], np.full(9, 1.0 / 9.0)
    found = nested_levels(RBF(1.0).against(x), s, np.array([0.4, 0.8]), match=False, tol=1e-10)
    lam, K = found.lam, RBF(1.0).gram(x)
    offsets = [OneClassSVM(gamma=0.5, nu=nu, tol=1e-10).fit(x).offset_[0] for nu in (0.6, 0.2)]
    np.testing.assert_allclose(lam, np.array(offsets) / 9, rtol=1e-6)

    def value(a):
        A = a.reshape(9, 2)
        return float(np.sum(np.sum(A * (K @ A), axis=0) / (2.0 * lam) - A.sum(axis=0)))

    order = np.kron(np.eye(9), np.array([[-1.0 / lam[0], 1.0 / lam[1]]]))
    best = minimize(
        value,
        np.zeros(18),
        bounds=[(0.0, 1.0 / 9.0)] * 18,
        constraints=LinearConstraint(order, 0.0, np.inf),
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-15},
    )
    assert found.solution.objective == pytest.approx(best.fun, rel=1e-6)
    np.testing.assert_allclose(found.solution.w, best.x.reshape(9, 2), atol=1e-4)
    rough = nested_levels(RBF(1.0).against(x), s, np.array([0.4, 0.8]), match=False, tol=0.2).solution
    assert rough.objective - rough.dual_gap <= best.fun <= rough.objective


@pytest.mark.spec("KER-079")
def test_weights_tables_and_given_matrices():
    rng = np.random.default_rng(11)
    s = rng.integers(0, 3, 100).astype(float)
    options = {"thresholds": "lambda", "tol": 1e-8}
    model = NestedOneClassSVM(LEVELS, **options).fit(X, sample_weight=s)
    twice = NestedOneClassSVM(LEVELS, **options).fit(np.repeat(X, s.astype(int), axis=0))
    np.testing.assert_allclose(model.decision_function(X), twice.decision_function(X), atol=1e-8)
    dense = model.decision_function(X)
    rows = NestedOneClassSVM(LEVELS, **options).fit(sparse.csr_array(X), sample_weight=s)
    np.testing.assert_allclose(rows.decision_function(X), dense, atol=1e-8)
    K = model._kernel.gram(X)
    given = NestedOneClassSVM(LEVELS, kernel="precomputed", **options).fit(K, sample_weight=s)
    np.testing.assert_allclose(given.decision_function(K), dense, atol=1e-8)


def test_what_is_refused():
    with pytest.raises(ValueError, match="without negative values"):
        NestedOneClassSVM(kernel=Linear()).fit(X)
    with pytest.raises(ValueError, match=r"levels=1\.0 must be in \(0, 1\)"):
        NestedOneClassSVM(levels=(0.5, 1.0)).fit(X)
    with pytest.raises(ValueError, match="give at least one"):
        NestedOneClassSVM(levels=()).fit(X)
