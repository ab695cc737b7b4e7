"""Laws of the dual problem of kernel machines and of its solver."""

import numpy as np
import pytest
from scipy import optimize, sparse

from gnomon.kernels import RBF, CallableKernel, Linear, Precomputed
from gnomon.optim import KernelDual, smo
from gnomon.optim._kernel_blocks import RowCache
from gnomon.optim.smo_pairs import PairState, descend_pairs

n = 40
rng = np.random.default_rng(0)
X = rng.normal(size=(n, 3))
signs = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0.0, 1.0, -1.0)
curve = np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=n)
prices = rng.uniform(0.5, 2.0, size=n)


def classification(C, **more):
    return KernelDual(signs, np.where(signs > 0, 0.0, -C), np.where(signs > 0, C, 0.0), **more)


PROBLEMS = {
    "classification": classification(1.0),
    "prices": classification(prices),
    "no intercept": classification(1.0, total=None),
    "squared hinge": classification(np.inf, ridge=0.5 / prices),
    "regression": KernelDual(curve, -prices, prices, epsilon=0.1),
    "regression without intercept": KernelDual(curve, -prices, prices, epsilon=0.1, total=None),
    "squared tube": KernelDual(curve, np.full(n, -np.inf), np.full(n, np.inf), epsilon=0.1, ridge=0.5 / prices),
    "one class": KernelDual(np.zeros(n), np.zeros(n), np.ones(n), total=0.3 * n),
}
KERNELS = {"rbf": RBF(gamma=0.5), "linear": Linear(), "poly": (Linear(1.0)) ** 2}


def reference(K, problem):
    """F of (1) by another way: β = p − m with both parts ≥ 0, solved by SciPy."""
    M = K + np.diag(np.zeros(n) if problem.ridge is None else problem.ridge)
    top, bottom = np.minimum(problem.upper, 1e3), np.minimum(-problem.lower, 1e3)

    def value(v):
        beta = v[:n] - v[n:]
        g = M @ beta - problem.target
        F = 0.5 * beta @ (g - problem.target) + problem.epsilon * v.sum()
        return F, np.concatenate([g + problem.epsilon, problem.epsilon - g])

    start = np.concatenate([np.maximum(problem.start(), 0), np.maximum(-problem.start(), 0)])
    signs_ = np.concatenate([np.ones(n), -np.ones(n)])
    equality = {"type": "eq", "fun": lambda v: signs_ @ v - problem.total, "jac": lambda v: signs_}
    sums = [] if problem.total is None else [equality]
    bounds = [(0.0, b) for b in np.concatenate([top, bottom])]
    found = optimize.minimize(
        value, start, jac=True, bounds=bounds, constraints=sums, method="SLSQP", options={"maxiter": 500, "ftol": 1e-12}
    )
    return found.fun


@pytest.mark.spec("KER-056", "KER-058", "KER-L21")
@pytest.mark.parametrize("name", PROBLEMS)
def test_optimum_is_that_of_a_general_solver_and_certified(name):
    problem = PROBLEMS[name]
    for kernel in KERNELS.values():
        found = smo(kernel.against(X), problem, tol=1e-9)
        K = kernel.gram(X)
        assert found.converged
        assert np.all((found.w >= problem.lower) & (found.w <= problem.upper))
        if problem.total is not None:
            assert np.sum(found.w) == pytest.approx(problem.total, abs=1e-10)
        assert found.objective == pytest.approx(problem.objective(found.w, K @ found.w), rel=1e-10)
        assert 0.0 <= found.dual_gap <= 1e-6 * max(1.0, abs(found.objective))
        assert found.objective <= reference(K, problem) + 1e-6 * abs(found.objective) + 1e-12


@pytest.mark.spec("KER-L21")
@pytest.mark.parametrize("name", PROBLEMS)
def test_weak_duality_for_any_feasible_point_and_any_intercept(name):
    problem, K = PROBLEMS[name], KERNELS["rbf"].gram(X)
    best = smo(KERNELS["rbf"].against(X), problem, tol=1e-9).objective
    for seed in range(20):
        draw = np.random.default_rng(seed)
        # A mixture of feasible points is feasible; the ends are the optimum's vertices of a random linear problem.
        high, low = np.minimum(problem.upper, 3.0), np.maximum(problem.lower, -3.0)
        cost = draw.normal(size=n)
        equality = {} if problem.total is None else {"A_eq": np.ones((1, n)), "b_eq": [problem.total]}
        beta = optimize.linprog(cost, bounds=np.column_stack([low, high]), **equality).x * draw.uniform()
        beta = beta if problem.total in (None, 0.0) else beta * problem.total / beta.sum()
        beta = np.clip(beta, problem.lower, problem.upper)
        f, b = K @ beta, draw.normal() if problem.total is not None else 0.0
        primal = 0.5 * beta @ f + b * (problem.total or 0.0) + np.sum(problem.losses(problem.target - f - b))
        value = problem.objective(beta, f)
        assert problem.gap(beta, f, b) == pytest.approx(value + primal, abs=1e-9 * (1 + abs(primal)))
        assert value >= best - 1e-7
        assert -primal <= best + 1e-7


@pytest.mark.spec("KER-058")
@pytest.mark.parametrize("name", PROBLEMS)
def test_blocks_cache_shrinking_and_start_change_nothing_but_the_way(name):
    problem, against = PROBLEMS[name], KERNELS["rbf"].against(X)
    plain = smo(against, problem, tol=1e-8)
    small = 3 * 8 * n / 2**20
    ways = [
        {"working_set": 2},
        {"working_set": 6},
        {"working_set": 6, "shrinking": False},
        {"working_set": 6, "cache_size": small},
        {"start": plain.w},
    ]
    for way in ways:
        found = smo(against, problem, tol=1e-8, **way)
        assert found.converged
        assert found.objective == pytest.approx(plain.objective, rel=1e-7)
        np.testing.assert_allclose(found.details["scores"], plain.details["scores"], atol=1e-5)
    assert smo(against, problem, tol=1e-8, start=plain.w).n_iter == 0


@pytest.mark.spec("KER-058")
def test_shrinking_leaves_rows_out_and_the_end_is_checked_on_all():
    rows = np.random.default_rng(1).normal(size=(400, 2))
    y = np.where(rows[:, 0] * rows[:, 1] > 0.0, 1.0, -1.0)
    problem = KernelDual(y, np.where(y > 0, 0.0, -10.0), np.where(y > 0, 10.0, 0.0))
    found = smo(RBF().against(rows), problem, tol=1e-4, working_set=16)
    assert found.history["active"].min() < 240
    assert found.gradient_norm <= 1e-4
    g = problem.gradient(found.w, RBF().gram(rows) @ found.w)
    assert problem.range(found.w, g).violation <= 1.01e-4
    assert smo(RBF().against(rows), problem, tol=1e-4, working_set=16, shrinking=False).history["active"].min() == 400


@pytest.mark.spec("KER-058")
def test_cache_bounds_memory_and_refuses_less_than_two_rows():
    with pytest.raises(ValueError, match=r"cache_size.*step needs 2"):
        smo(RBF().against(X), PROBLEMS["classification"], cache_size=1.5 * 8 * n / 2**20)


@pytest.mark.spec("KER-006")
def test_a_kernel_that_is_none_ends_at_a_stationary_point():
    K = np.tanh(X @ X.T - 1.0)
    problem = PROBLEMS["classification"]
    found = smo(Precomputed().against(K), problem)
    assert np.linalg.eigvalsh(K)[0] < -1.0
    assert found.converged
    assert problem.range(found.w, problem.gradient(found.w, K @ found.w)).violation <= 1e-3 * 1.01


def test_kernels_that_are_functions_or_single_precision():
    problem, plain = PROBLEMS["classification"], smo(Linear().against(X), PROBLEMS["classification"])
    for against in (CallableKernel(lambda A, B: A @ B.T).against(X), Linear().against(X.astype(np.float32))):
        found = smo(against, problem, working_set=8)
        assert found.objective == pytest.approx(plain.objective, rel=1e-3)
        assert found.converged


@pytest.mark.spec("KER-061")
@pytest.mark.parametrize("name", PROBLEMS)
def test_a_linear_kernel_by_its_columns_is_the_same_kernel(name):
    problem, plain = PROBLEMS[name], Precomputed().against(X @ X.T)
    expected = smo(plain, problem, tol=1e-8)
    for rows in (X, sparse.csr_matrix(X)):
        found = smo(Linear().against(rows), problem, tol=1e-8, working_set=6, cache_size=1e-9)
        assert found.objective == pytest.approx(expected.objective, rel=1e-6, abs=1e-10)


@pytest.mark.spec("KER-058")
def test_single_precision_ends_with_a_gradient_in_double():
    rows = np.random.default_rng(2).normal(size=(300, 6))
    y = np.where(rows[:, 0] * rows[:, 1] + 0.3 * rows[:, 2] > 0.0, 1.0, -1.0)
    problem = KernelDual(y, np.where(y > 0, 0.0, -1.0), np.where(y > 0, 1.0, 0.0))
    against = RBF(2.0).against(rows)
    assert against.single().rows(np.arange(2)).dtype == np.float32
    found = smo(against, problem, tol=1e-3, working_set=32)
    exact = RBF(2.0).gram(rows) @ found.w
    np.testing.assert_allclose(found.details["scores"], exact, atol=1e-12)
    assert problem.range(found.w, problem.gradient(found.w, exact)).violation <= 1e-3


@pytest.mark.spec("KER-058")
def test_a_start_that_is_optimal_is_kept():
    """In single precision too, whose gradient at the start is too rough to say so."""
    rows = np.random.default_rng(2).normal(size=(300, 6))
    y = np.where(rows[:, 0] * rows[:, 1] + 0.3 * rows[:, 2] > 0.0, 1.0, -1.0)
    problem = KernelDual(y, np.where(y > 0, 0.0, -1.0), np.where(y > 0, 1.0, 0.0))
    first = smo(RBF(2.0).against(rows), problem, working_set=32)
    again = smo(RBF(2.0).against(rows), problem, working_set=32, start=first.w)
    assert again.converged
    assert again.n_iter == 0
    np.testing.assert_array_equal(again.w, first.w)
    np.testing.assert_allclose(again.details["scores"], RBF(2.0).gram(rows) @ first.w, atol=1e-12)


@pytest.mark.spec("KER-058")
def test_the_partner_of_a_step_is_chosen_to_second_order():
    """Of two variables that may fall the second has the smaller slope, and by its curvature the larger gain."""
    K, g = np.diag([1.0, 400.0, 1.0]), np.array([-1.0, 1.0, 0.5])
    ups, downs = np.array([0.0, np.inf, np.inf]), np.array([-np.inf, 0.0, 0.0])
    beta = np.array([0.0, 5.0, 5.0])
    state = PairState(K, np.diag(K).copy(), np.zeros(3), np.full(3, 9.0), np.zeros(3), beta, g, ups, downs)
    assert descend_pairs(state, 1e-12, 1e-3, 1)[0] == 1
    np.testing.assert_allclose(beta, [0.75, 5.0, 4.25])
    np.testing.assert_allclose(g, [-0.25, 1.0, -0.25])


@pytest.mark.spec("KER-058")
def test_rows_that_were_used_last_stay_in_the_cache():
    asked = []

    def gaussian(A, B):
        asked.append(len(A))
        return RBF(1.0).gram(A, B)

    cache = RowCache(CallableKernel(gaussian).against(X), megabytes=6 * 8 * n / 2**20)
    for rows in ([0, 1], [2, 3], [4, 5], [0, 1], [6, 7]):
        cache.block(np.array(rows))
    asked.clear()
    cache.block(np.array([0, 1, 4, 5]))
    assert not asked
    cache.block(np.array([2, 3]))
    assert sum(asked) == 2


@pytest.mark.spec("KER-058")
@pytest.mark.parametrize("name", PROBLEMS)
def test_the_tolerance_is_that_of_the_largest_violation(name):
    for tol in (0.3, 0.1, 0.03, 0.01, 1e-3):
        found = smo(KERNELS["rbf"].against(X), PROBLEMS[name], tol=tol, working_set=4)
        assert found.stop_reason == "kkt"
        assert found.gradient_norm <= tol
