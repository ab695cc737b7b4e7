"""Laws of multi-class support vector machines and of nested one-class machines."""

from itertools import permutations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import LinearConstraint, minimize
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from gnomon.kernels import RBF, CallableKernel, Linear
from gnomon.optim import multiclass_kernel_dual
from gnomon.optim.class_cycles import class_potentials, least_mean_cycle
from gnomon.penalties import convert_lam
from gnomon.penalties.forms import OBJECTIVES
from gnomon.svm import MulticlassSVC

X, Y = make_blobs(60, centers=4, n_features=3, cluster_std=3.0, random_state=0)
S = np.random.default_rng(0).integers(0, 3, 60).astype(float)
VARIANTS = [("ww", None), ("ww", False), ("ww_nobias", None), ("ww_nobias", True), ("cs", None), ("cs", False)]


def scores(model, X):
    """f_k also for two classes."""
    return model._expansion().scores(np.asarray(X, dtype=float))


def primal(model, X, y, C, s):
    """The objective by its definition, from f and the norm of f − b."""
    f, index = scores(model, X), np.searchsorted(model.classes_, y)
    own = f[np.arange(len(f)), index][:, None]
    others = np.arange(f.shape[1]) != index[:, None]
    unit = 1.0 if model.variant == "cs" else 2.0
    lacking = np.maximum(0.0, unit + f - own) * others
    loss = lacking.max(axis=1) if model.variant == "cs" else lacking.sum(axis=1)
    penalty = 0.5 * np.sum(np.square(model.rkhs_norm()))
    if (model.variant == "cs" and model.fit_intercept is not False) or (
        model.variant == "ww_nobias" and model.fit_intercept
    ):
        penalty += 0.5 * np.sum(model.intercept_**2)
    return penalty + C * float(s @ loss)


@pytest.mark.spec("KER-072", "KER-073", "KER-074", "KER-075")
@pytest.mark.parametrize(("variant", "intercept"), VARIANTS)
def test_gap_bounds_the_distance_to_the_minimum(variant, intercept):
    """The objective is the formula's, and no coefficients or intercepts nearby have one below objective − gap."""
    model = MulticlassSVC(variant, C=0.7, kernel=RBF(2.0), fit_intercept=intercept, tol=1e-8).fit(X, Y, S)
    assert model.objective_ == pytest.approx(primal(model, X, Y, 0.7, S), rel=1e-9)
    assert 0.0 <= model.dual_gap_ < 1e-5 * model.objective_
    assert model.kkt_residual_ <= 1e-8
    np.testing.assert_allclose(model.dual_coef_.sum(axis=0), 0.0, atol=1e-12)
    assert abs(model.intercept_.sum()) < 1e-9
    rough = MulticlassSVC(variant, C=0.7, kernel=RBF(2.0), fit_intercept=intercept, tol=0.3).fit(X, Y, S)
    assert rough.objective_ - rough.dual_gap_ <= model.objective_ <= rough.objective_
    assert rough.objective_ > model.objective_


@pytest.mark.spec("KER-072")
def test_free_intercept_is_that_of_a_general_program():
    """The dual by SciPy's solver with the equalities written out, on a table where cycles of three classes occur."""
    rng = np.random.default_rng(3)
    X, y, C = rng.normal(size=(9, 2)), np.repeat(np.arange(3), 3), rng.uniform(0.2, 1.0, 9)
    K = RBF(0.8).gram(X)
    others = np.arange(3) != y[:, None]

    def coefficients(a):
        B = np.zeros((9, 3))
        B[others] = -a
        B[~others] = -B.sum(axis=1)
        return B

    def value(a):
        B = coefficients(a)
        return 0.5 * np.sum(B * (K @ B)) - 2.0 * a.sum()

    balance = np.array([coefficients(e).sum(axis=0) for e in np.eye(18)]).T
    found = minimize(
        value,
        np.zeros(18),
        bounds=list(zip(np.zeros(18), np.repeat(C, 2), strict=True)),
        constraints=LinearConstraint(balance[:2], 0.0, 0.0),
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-14},
    )
    ours = multiclass_kernel_dual(RBF(0.8).against(X), y, C, free_intercept=True, tol=1e-10)
    np.testing.assert_allclose(ours.w, coefficients(found.x), atol=1e-5)
    np.testing.assert_allclose(ours.w.sum(axis=0), 0.0, atol=1e-13)


@pytest.mark.spec("KER-072")
def test_potentials_are_those_of_the_least_cycle():
    """Over random graphs: no cycle, found by enumeration, is below the mean, and potentials make all arcs reach it."""
    rng = np.random.default_rng(0)
    for K in (2, 3, 4):
        cost = rng.normal(size=(K, K))
        np.fill_diagonal(cost, np.inf)
        means = [np.mean(cost[list(c), list(np.roll(c, -1))]) for c in _cycles(K)]
        found = least_mean_cycle(cost)
        assert found.mean == pytest.approx(min(means))
        assert np.mean(cost[found.nodes, np.roll(found.nodes, -1)]) == pytest.approx(found.mean)
        b = class_potentials(cost)
        assert np.all((cost + b - b[:, None]) >= min(found.mean, 0.0) - 1e-12)
        assert b.sum() == pytest.approx(0.0, abs=1e-12)


def _cycles(K):
    return [c for size in range(2, K + 1) for c in permutations(range(K), size) if c[0] == min(c)]


@pytest.mark.spec("KER-L31")
def test_two_classes_are_the_binary_machine():
    X, y = make_blobs(50, centers=2, cluster_std=4.0, random_state=1)
    binary = SVC(C=0.8, gamma=0.1, tol=1e-8).fit(X, y)
    joint = MulticlassSVC("ww", C=0.8, gamma=0.1, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(joint.decision_function(X), binary.decision_function(X), atol=1e-6)
    np.testing.assert_array_equal(joint.predict(X), binary.predict(X))
    # Without an intercept: the box-constrained dual of the same kernel, with twice the C.
    K = Linear().gram(X) * np.outer(2.0 * y - 1, 2.0 * y - 1)
    found = minimize(
        lambda a: (0.5 * a @ K @ a - a.sum(), K @ a - 1.0),
        np.zeros(50),
        jac=True,
        bounds=[(0.0, 0.2)] * 50,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-12, "maxiter": 10000},
    )
    singer = MulticlassSVC("cs", C=0.1, kernel="linear", fit_intercept=False, tol=1e-9).fit(X, y)
    expected = X @ (X.T @ (found.x * (2.0 * y - 1)))
    np.testing.assert_allclose(singer.decision_function(X), expected, atol=1e-4)


@pytest.mark.spec("KER-L31")
@pytest.mark.parametrize("variant", ["ww", "ww_nobias", "cs"])
def test_functions_sum_to_zero_and_losses_vanish_at_the_margin(variant):
    model = MulticlassSVC(variant, C=1e3, kernel=RBF(1.0), tol=1e-8).fit(X, Y)
    f = model.decision_function(X)
    np.testing.assert_allclose(f.sum(axis=1), 0.0, atol=1e-9)
    index = np.searchsorted(model.classes_, Y)
    rest = np.where(np.arange(4) == index[:, None], -np.inf, f).max(axis=1)
    # C is large enough for every loss to vanish: f_y ≥ max other + m.
    assert np.min(f[np.arange(60), index] - rest) == pytest.approx(1.0 if variant == "cs" else 2.0, abs=1e-6)


@pytest.mark.spec("KER-072", "KER-073", "KER-074")
@pytest.mark.parametrize("variant", ["ww", "ww_nobias", "cs"])
def test_weights_scalings_tables_and_kernels(variant):
    """Weights are repetitions, λ is C in another form, a sparse table and a given matrix are the same rows."""
    fit = {"kernel": RBF(2.0), "tol": 1e-7}
    model = MulticlassSVC(variant, C=0.5, **fit).fit(X, Y, S)
    expected = scores(model, X)
    twice = MulticlassSVC(variant, C=0.5, **fit).fit(np.repeat(X, S.astype(int), axis=0), np.repeat(Y, S.astype(int)))
    np.testing.assert_allclose(scores(twice, X), expected, atol=1e-4)
    for objective in OBJECTIVES[:4] + OBJECTIVES[5:]:
        lam = convert_lam(0.5, "C", objective, n=S.sum())
        other = MulticlassSVC(variant, objective=objective, lam=lam, **fit).fit(X, Y, S)
        np.testing.assert_allclose(scores(other, X), expected, atol=1e-4)
        assert other.dual_gap_ <= 1e-5 * other.objective_
    half = MulticlassSVC(variant, objective="sum_half", lam=2.0, **fit).fit(X, Y, S)
    assert half.objective_ == pytest.approx(2.0 * model.objective_, rel=1e-5)
    np.testing.assert_allclose(
        MulticlassSVC(variant, C=0.5, **fit).fit(sparse.csr_array(X), Y, S).decision_function(X), expected, atol=1e-4
    )
    K = RBF(2.0).gram(X)
    given = MulticlassSVC(variant, C=0.5, kernel="precomputed", tol=1e-7).fit(K, Y, S)
    np.testing.assert_allclose(given.decision_function(K), expected, atol=1e-4)
    with pytest.raises(ValueError, match="exclude each other"):
        MulticlassSVC(variant, C=0.5, lam=1.0).fit(X, Y)


@pytest.mark.spec("KER-072")
def test_class_weight_is_a_price():
    weighted = MulticlassSVC("cs", class_weight={0: 2.0, 1: 1.0, 2: 1.0, 3: 0.5}, tol=1e-8).fit(X, Y)
    by_rows = MulticlassSVC("cs", gamma=0.5 / weighted._kernel.length_scale**2, tol=1e-8)
    by_rows.fit(X, Y, np.array([2.0, 1.0, 1.0, 0.5])[Y])
    np.testing.assert_allclose(weighted.decision_function(X), by_rows.decision_function(X), atol=1e-5)


@pytest.mark.spec("KER-075")
@pytest.mark.parametrize(("variant", "intercept"), VARIANTS)
def test_the_class_is_that_of_the_largest_score(variant, intercept):
    words = np.array(list("dcba"))[Y]
    model = MulticlassSVC(variant, kernel=RBF(2.0), fit_intercept=intercept).fit(X, words)
    f = model.decision_function(X[::3])
    by_hand = RBF(2.0).gram(X[::3], model.support_vectors_) @ model.dual_coef_.T + model.intercept_
    np.testing.assert_allclose(f, by_hand, atol=1e-10)
    np.testing.assert_array_equal(model.predict(X[::3]), np.array(list("abcd"))[np.argmax(by_hand, axis=1)])


@pytest.mark.spec("KER-075")
def test_refused_rows_have_small_scores():
    model = MulticlassSVC(kernel="linear", reject_threshold=0.6).fit(X, Y)
    top = model.decision_function(X).max(axis=1)
    labels = model.predict(X)
    np.testing.assert_array_equal(labels == -1, top < 0.6)
    assert 0 < np.sum(labels == -1) < len(X)
    words = MulticlassSVC(kernel="linear", reject_threshold=0.6).fit(X, np.array(list("abcd"))[Y])
    np.testing.assert_array_equal(words.predict(X) == "reject", top < 0.6)
    with pytest.raises(ValueError, match="reject_label=2 is one of the classes"):
        MulticlassSVC(reject_threshold=0.6, reject_label=2).fit(X, Y)
    with pytest.raises(ValueError, match="no row can be refused"):
        MulticlassSVC(reject_label=-5).fit(X, Y)


def test_objects_and_a_working_set_smaller_than_the_table():
    common = CallableKernel(lambda a, b: float(len(set(a) & set(b))), pairwise=True)
    names = ["tea", "eat", "sun", "nun", "box", "fox"] * 3
    model = MulticlassSVC("cs", kernel=common).fit(names, [0, 0, 1, 1, 2, 2] * 3)
    assert model.predict(["tee", "sunny"]).tolist() == [0, 1]
    rng = np.random.default_rng(0)
    big = rng.normal(size=(700, 2))
    labels = (big[:, 0] > 0).astype(int) + (big[:, 1] > 0)
    for variant in ("ww", "cs"):
        found = MulticlassSVC(variant, C=0.5, tol=1e-5, cache_size=3).fit(big, labels)
        assert found.n_iter_ > 1
        assert found.dual_gap_ < 1e-3 * found.objective_


def test_short_runs_say_so():
    big = np.random.default_rng(0).normal(size=(600, 2))
    with pytest.warns(ConvergenceWarning, match="not converged after 1 iterations"):
        model = MulticlassSVC(max_iter=1, C=100.0).fit(big, np.arange(600) % 3)
    assert not model.converged_
    with pytest.raises(ValueError, match="only one class"):
        MulticlassSVC().fit(X, Y, (Y == 0).astype(float))


@pytest.mark.parametrize("offset", [1e4, 1e8])
def test_rows_far_from_zero_have_the_same_machine_where_the_intercept_is_free(offset):
    model = MulticlassSVC("ww", kernel="linear", tol=1e-6).fit(X, Y)
    far = MulticlassSVC("ww", kernel="linear", tol=1e-6).fit(X + offset, Y)
    assert far.converged_
    assert far.objective_ == pytest.approx(model.objective_, rel=1e-6)
    np.testing.assert_allclose(scores(far, X + offset), scores(model, X), rtol=0.0, atol=1e-4 + 1e-14 * offset)
