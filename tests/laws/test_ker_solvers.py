"""Laws over the solvers of kernel machines: one minimum, whichever way it is found."""

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

from gnomon.kernels import RBF, Linear, Polynomial
from gnomon.linear import LinearSVM
from gnomon.optim import KernelDual, kernel_dcd, kernel_pegasos, kernel_primal, kernel_qp, smo
from gnomon.penalties import convert_lam
from gnomon.penalties.forms import OBJECTIVES
from gnomon.svm import SVC, SVR, MulticlassSVC, NotSeparableError

X, Y = make_moons(60, noise=0.3, random_state=0)
S = np.random.default_rng(1).integers(1, 4, 60) / 2.0
T = np.sin(2.0 * X[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=60)
FREE, CLOSED, NONE = {}, {"penalize_intercept": True}, {"fit_intercept": False}


@pytest.mark.spec("KER-L25", "KER-056", "KER-059", "KER-060")
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("kernel", [RBF(0.7), Linear(), Polynomial(3)], ids=["rbf", "linear", "polynomial"])
@pytest.mark.parametrize("intercept", [FREE, CLOSED, NONE], ids=["free", "closed", "none"])
def test_classifiers_agree(loss, kernel, intercept):
    options = {"C": 0.8, "kernel": kernel, "loss": loss, "tol": 1e-7, **intercept}
    expected = SVC(**options).fit(X, Y, S)
    for solver in ("qp", "primal") + (("dcd",) if intercept else ()):
        found = SVC(**options, solver=solver).fit(X, Y, S)
        np.testing.assert_allclose(found.decision_function(X), expected.decision_function(X), atol=2e-5)
        assert found.objective_ == pytest.approx(expected.objective_, rel=1e-6)
        assert 0.0 <= found.dual_gap_ <= 1e-5 * found.objective_
        assert found.kkt_residual_ <= 1e-7
        assert found.converged_


@pytest.mark.spec("KER-L25", "KER-060")
@pytest.mark.parametrize("intercept", [CLOSED, NONE], ids=["closed", "none"])
def test_subgradients_come_near(intercept):
    options = {"C": 0.8, "kernel": RBF(0.7), **intercept}
    expected = SVC(**options, tol=1e-7).fit(X, Y)
    found = SVC(**options, solver="pegasos", gap_tol=3e-3).fit(X, Y)
    assert expected.objective_ <= found.objective_ <= expected.objective_ * 1.004
    assert found.dual_gap_ <= 3e-3 * found.objective_
    weighted = SVC(**options, solver="pegasos", gap_tol=0.02).fit(X, Y, S)
    assert weighted.objective_ <= 1.03 * SVC(**options, tol=1e-7).fit(X, Y, S).objective_
    with pytest.warns(ConvergenceWarning, match="duality gap"):
        SVC(**options, solver="pegasos", gap_tol=1e-9, max_iter=3).fit(X, Y)


@pytest.mark.spec("KER-L25", "KER-077")
@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("intercept", [FREE, NONE], ids=["free", "none"])
def test_regressions_agree(loss, intercept):
    options = {"C": 2.0, "epsilon": 0.1, "kernel": RBF(0.7), "loss": loss, "tol": 1e-7, **intercept}
    expected = SVR(**options).fit(X, T, S)
    for solver in ("qp", "primal") + (("dcd",) if intercept else ()):
        found = SVR(**options, solver=solver).fit(X, T, S)
        np.testing.assert_allclose(found.predict(X), expected.predict(X), atol=2e-5)
        assert found.objective_ == pytest.approx(expected.objective_, rel=1e-5)
    if intercept and loss == "epsilon_insensitive":
        near = SVR(**(options | {"solver": "pegasos", "gap_tol": 0.02})).fit(X, T)
        assert near.dual_gap_ <= 0.02 * near.objective_


@pytest.mark.spec("KER-L25")
@pytest.mark.parametrize("solver", ["smo", "qp", "dcd", "primal"])
def test_all_forms_of_lambda_are_one_machine(solver):
    options = {"kernel": RBF(0.7), "penalize_intercept": True, "solver": solver, "tol": 1e-8}
    expected = SVC(C=0.4, **options).fit(X, Y, S).decision_function(X)
    for objective in [word for word in OBJECTIVES if word != "C"]:
        lam = convert_lam(0.4, "C", objective, n=S.sum())
        found = SVC(objective=objective, lam=lam, **options).fit(X, Y, S)
        np.testing.assert_allclose(found.decision_function(X), expected, atol=1e-5)


@pytest.mark.spec("KER-056", "KER-053")
def test_the_dense_program_is_exact():
    """The hard margin of four points, the multipliers of which are fractions; and no margin where there is none."""
    rows, signs = np.array([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [3.0, 0.0]]), np.array([-1, -1, 1, 1])
    hard = SVC(C=np.inf, kernel="linear", solver="qp").fit(rows, signs)
    np.testing.assert_allclose(hard.alpha_, [0.5, 0.5, 1.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(hard.intercept_, -1.0, atol=1e-9)
    with pytest.raises(NotSeparableError):
        SVC(C=np.inf, kernel="linear", solver="qp").fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    one = KernelDual(np.zeros(60), np.zeros(60), np.full(60, 1.0 / 30.0), total=1.0)
    dense, pairs = kernel_qp(RBF(0.7).against(X), one), smo(RBF(0.7).against(X), one, tol=1e-10)
    np.testing.assert_allclose(dense.w, pairs.w, atol=1e-8)
    assert dense.dual_gap < 1e-12


@pytest.mark.spec("KER-058", "KER-078")
def test_working_sets_keep_the_sum():
    """A one-class machine of more rows than a working set: few can fall, and none may be in a set twice."""
    rows = np.random.default_rng(0).normal(size=(700, 2))
    one = KernelDual(np.zeros(700), np.zeros(700), np.full(700, 1.0 / 140.0), total=1.0)
    found = smo(RBF(0.7).against(rows), one, tol=1e-6)
    assert found.w.sum() == pytest.approx(1.0, abs=1e-10)
    assert found.objective == pytest.approx(kernel_qp(RBF(0.7).against(rows), one).objective, rel=1e-6)


@pytest.mark.spec("KER-059")
def test_columns_are_kept_for_linear_kernels():
    """Rows of a table with few columns: no kernel matrix is made, and the machine is that of the linear family."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(3000, 4))
    labels = (rows @ [1.0, -1.0, 0.5, 0.0] + 0.5 * rng.normal(size=3000) > 0).astype(int)
    kernel = SVC(C=0.1, kernel="linear", penalize_intercept=True, solver="dcd", tol=1e-4, cache_size=1e-3)
    linear = LinearSVM(C=0.1, penalize_intercept=True, solver="dcd", tol=1e-6).fit(rows, labels)
    kernel.fit(rows, labels)
    np.testing.assert_allclose(kernel.coef_, linear.coef_, atol=1e-3)
    assert kernel.dual_gap_ < 1e-3 * kernel.objective_


@pytest.mark.spec("KER-060")
def test_rounded_corners_move_the_conditions_by_less_than_the_tolerance():
    for tol in (0.1, 1e-3, 1e-6):
        found = SVC(C=5.0, kernel=RBF(0.7), solver="primal", tol=tol).fit(X, Y)
        assert found.kkt_residual_ <= tol
        best = SVC(C=5.0, kernel=RBF(0.7), tol=1e-9).fit(X, Y).objective_
        assert best <= found.objective_ + 1e-9
        assert found.objective_ - found.dual_gap_ <= best + 1e-9


def test_what_a_solver_cannot_do_is_refused():
    with pytest.raises(ValueError, match=r"solver='dcd' can't keep the sum of β; set penalize_intercept=True"):
        SVC(solver="dcd").fit(X, Y)
    with pytest.raises(ValueError, match="solver='pegasos' is for losses with a corner"):
        SVC(solver="pegasos", loss="squared_hinge", fit_intercept=False).fit(X, Y)
    with pytest.raises(ValueError, match="solver='primal' needs a finite C"):
        SVC(solver="primal", C=np.inf).fit(X, Y)
    with pytest.raises(ValueError, match=r"gap_tol=0\.1 is not for solver='qp'"):
        SVC(solver="qp", gap_tol=0.1).fit(X, Y)
    with pytest.raises(ValueError, match="more than 2000"):
        SVC(solver="qp").fit(np.zeros((2001, 1)), np.arange(2001) % 2)
    free = KernelDual(np.ones(2), np.zeros(2), np.ones(2))
    for solver in (kernel_dcd, kernel_pegasos):
        with pytest.raises(ValueError, match="use smo"):
            solver(Linear().against(np.ones((2, 1))), free)
    hard = KernelDual(np.ones(2), np.zeros(2), np.full(2, np.inf))
    with pytest.raises(ValueError, match="hard margin"):
        kernel_primal(Linear().against(np.ones((2, 1))), hard)


@pytest.mark.spec("KER-070", "KER-L26")
def test_a_map_and_a_linear_machine_are_a_kernel_machine():
    kernel = Polynomial(degree=3, coef0=1.0)
    by_kernel = SVC(C=0.5, kernel=kernel, tol=1e-8).fit(X, Y)
    columns = kernel.features(X)
    by_map = LinearSVM(C=0.5, solver="qp").fit(columns, Y)
    np.testing.assert_allclose(by_map.decision_function(columns), by_kernel.decision_function(X), atol=1e-5)
    assert by_map.objective_ == pytest.approx(by_kernel.objective_, rel=1e-6)


@pytest.mark.spec("KER-071")
def test_an_l1_penalty_is_for_columns():
    """Of ten columns, eight of noise: an L1 penalty has exact zeros, the kernel machine has none."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 10))
    labels = (rows[:, 0] - rows[:, 1] > 0).astype(int)
    sparse = LinearSVM(penalty="l1", C=0.05, solver="lp").fit(rows, labels)
    assert np.all(sparse.coef_[0, 2:] == 0.0)
    assert np.all(sparse.coef_[0, :2] != 0.0)
    assert np.all(SVC(C=0.05, kernel="linear").fit(rows, labels).coef_ != 0.0)


@pytest.mark.spec("KER-056", "KER-064")
@pytest.mark.parametrize("unit", [1e-150, 1e-4, 1e3])
@pytest.mark.parametrize("intercept", [FREE, NONE], ids=["free", "none"])
def test_the_dense_program_has_units_of_its_own(unit, intercept):
    """Columns of any size beside a price of one: the multipliers are then all at a bound, or few are."""
    model = SVC(kernel="linear", solver="qp", **intercept).fit(unit * X, Y)
    assert model.converged_
    w, signs = model.coef_[0], np.where(Y > 0, 1.0, -1.0)
    dual = np.sum(model.alpha_) - 0.5 * w @ w
    primal = 0.5 * w @ w + np.sum(np.maximum(0.0, 1.0 - signs * (unit * X @ w + model.intercept_)))
    assert model.objective_ == pytest.approx(primal, rel=1e-6)
    assert primal - dual <= 1e-3 * primal
    if not intercept:
        assert abs(float(signs @ model.alpha_)) <= 1e-9 * np.sum(model.alpha_)


@pytest.mark.spec("KER-053")
@pytest.mark.parametrize("solver", ["smo", "qp"])
@pytest.mark.parametrize("unit", [1e-150, 1e150])
def test_hard_margins_at_the_ends_of_the_numbers(solver, unit):
    rows, signs = np.array([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [3.0, 0.0]]), np.array([-1, -1, 1, 1])
    hard = SVC(C=np.inf, kernel="linear", solver=solver, tol=1e-8).fit(unit * rows, signs)
    np.testing.assert_allclose(hard.coef_[0] * unit, [1.0, -1.0], rtol=1e-6)
    assert hard.objective_ * unit * unit == pytest.approx(1.0, rel=1e-6)


@pytest.mark.filterwarnings("error::RuntimeWarning", "ignore:not converged")
def test_a_price_beyond_all_scales_is_no_noise_and_no_false_claim():
    """Overlapping classes in rows of size 10¹⁰⁰: the penalty is nothing beside the losses, and the gap says how far."""
    model = SVC(kernel="linear").fit(1e100 * X, Y)
    signs, f = np.where(Y > 0, 1.0, -1.0), model.decision_function(1e100 * X)
    assert model.objective_ == pytest.approx(np.sum(np.maximum(0.0, 1.0 - signs * f)), rel=1e-6)
    assert model.converged_ or model.dual_gap_ > 1e-3 * model.objective_


@pytest.mark.spec("KER-055", "KER-064")
def test_single_precision_is_read_as_double():
    """As in scikit-learn: a Gram matrix in single precision, of rows far from zero, need not have a minimum."""
    rows = (X + 1000.0).astype(np.float32)
    options = {"kernel": "linear", "loss": "squared_hinge", "penalize_intercept": True, "max_iter": 100_000}
    found, expected = SVC(**options).fit(rows, Y), SVC(**options).fit(rows.astype(float), Y)
    assert found.support_vectors_.dtype == np.float64
    assert found.converged_ == expected.converged_
    np.testing.assert_array_equal(found.decision_function(rows), expected.decision_function(rows))


@pytest.mark.parametrize("unit", [1e-140, 1e8, 1e140])
def test_machines_in_other_units(unit):
    """A linear kernel of rows in another unit, with C divided by its square: the same scores, and a true gap."""
    rows = X - X.mean(axis=0)
    for solver in ("smo", "qp", "primal", "dcd", "pegasos"):
        closed = {"fit_intercept": False} if solver in ("dcd", "pegasos") else {}
        options = {"kernel": "linear", "solver": solver, **closed} | ({} if solver == "pegasos" else {"tol": 1e-5})
        expected = SVC(C=0.1, **options).fit(rows, Y)
        found = SVC(C=0.1 / unit / unit, **options).fit(rows * unit, Y)
        np.testing.assert_allclose(found.decision_function(rows * unit), expected.decision_function(rows), atol=1e-4)
        assert found.dual_gap_ <= (0.011 if solver == "pegasos" else 1e-4) * found.objective_
    for variant in ("ww", "cs"):
        options = {"variant": variant, "kernel": "linear", "fit_intercept": variant == "ww", "tol": 1e-6}
        expected = MulticlassSVC(C=0.1, **options).fit(rows, Y)
        found = MulticlassSVC(C=0.1 / unit / unit, **options).fit(rows * unit, Y)
        np.testing.assert_allclose(found.decision_function(rows * unit), expected.decision_function(rows), atol=1e-4)
