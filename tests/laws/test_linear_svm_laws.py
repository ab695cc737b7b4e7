"""Laws of linear SVMs: scaling, hard margins, weights, priors, certificates, one optimum for all solvers."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from gnomon.linear import LinearSVC, LinearSVM, distance, margin, widest_margin
from gnomon.losses import HingeLoss, LogisticLoss, MulticlassHinge
from gnomon.numerics.design import Design
from gnomon.optim import Problem, fit_linear, multiclass_dual, qp
from gnomon.optim.gradient_linear import ApproximateZerosWarning
from gnomon.penalties import L1, L2


def rows(seed=0, n=60, d=4, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X @ np.linspace(1.0, -1.0, d) + noise * rng.normal(size=n) > 0.2, 1.0, -1.0)


@pytest.mark.spec("LIN-L30", "LIN-007")
@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
@pytest.mark.parametrize("c", [0.5, 3.0])
def test_the_margin_rescales_weights_and_penalty(c, intercept):
    """w*_c(ρ) = c w*_1(cρ)."""
    X, y = rows()
    wide = qp(Problem(Design(X, intercept), y, HingeLoss(margin=c), L2(0.7), np.ones(60)))
    unit = qp(Problem(Design(X, intercept), y, HingeLoss(), L2(0.7 * c), np.ones(60)))
    np.testing.assert_allclose(wide.w, c * unit.w, atol=1e-8)


@pytest.mark.spec("LIN-L30", "LIN-140")
def test_weak_penalties_give_the_hard_margin_and_strong_ones_wide_margins():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 2)) + np.array([2.5, 0.0]) * np.repeat([1.0, -1.0], 20)[:, None]
    y = np.repeat([1.0, -1.0], 20)
    hard = widest_margin(X, y)
    soft = LinearSVM(lam=1e-9, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(soft.coef_[0] * hard.gamma, hard.direction, atol=1e-6)
    X, y = rows(noise=2.0)
    models = [LinearSVM(lam=lam).fit(X, y) for lam in (1e-4, 1e-2, 1.0)]
    widths = [1.0 / np.linalg.norm(model.coef_) for model in models]
    losses = [np.mean(np.maximum(0.0, 1.0 - y * model.decision_function(X))) for model in models]
    assert np.all(np.diff(widths) > 0.0)
    assert np.all(np.diff(losses) > 0.0)


@pytest.mark.spec("LIN-L31", "LIN-141")
@pytest.mark.parametrize("n", [6, 60])
def test_weights_lie_in_the_span_of_the_points_on_the_wrong_side_of_the_margin(n):
    X, y = rows(n=n, d=10)
    model = LinearSVM(C=0.5).fit(X, y)
    alpha, m = model.dual_coef_[0], y * model.decision_function(X)
    np.testing.assert_allclose(model.coef_[0], X.T @ (alpha * y), atol=1e-9)
    assert abs(alpha @ y) < 1e-9
    assert np.all(alpha[m > 1.0 + 1e-7] < 1e-9)
    np.testing.assert_allclose(alpha[m < 1.0 - 1e-7], 0.5, atol=1e-9)
    assert np.all(LogisticLoss().gradient(y, y * m) != 0.0)


@pytest.mark.spec("LIN-143", "LIN-L32")
@pytest.mark.parametrize(
    "model",
    [LinearSVM(C=0.3), LinearSVM(loss="squared_hinge", C=0.3, tol=1e-9), LinearSVM(penalty="l1", lam=0.02)],
    ids=["hinge", "squared_hinge", "l1"],
)
def test_integer_class_weights_repeat_rows(model):
    X, y = rows(seed=3)
    weighted = model.fit(X, y).set_params(class_weight={-1.0: 1, 1.0: 3}).fit(X, y)
    coef, b, objective = weighted.coef_, weighted.intercept_, weighted.objective_
    times = np.where(y > 0, 3, 1)
    repeated = model.set_params(class_weight=None).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(coef, repeated.coef_, atol=1e-6)
    np.testing.assert_allclose(b, repeated.intercept_, atol=1e-6)
    assert objective == pytest.approx(repeated.objective_)
    by_row = model.fit(X, y, sample_weight=times)
    np.testing.assert_allclose(coef, by_row.coef_, atol=1e-6)


@pytest.mark.spec("LIN-143", "LIN-L32")
def test_only_the_ratio_of_costs_matters_and_each_row_has_its_own_box():
    X, y = rows(seed=4)
    one = LinearSVM(C=0.2, class_weight={-1.0: 1.0, 1.0: 4.0}).fit(X, y)
    other = LinearSVM(C=0.8, class_weight={-1.0: 0.25, 1.0: 1.0}).fit(X, y)
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-9)
    s = np.random.default_rng(0).uniform(0.1, 2.0, size=60)
    model = LinearSVM(C=0.5).fit(X, y, sample_weight=s)
    inside = y * model.decision_function(X) < 1.0 - 1e-7
    np.testing.assert_allclose(model.dual_coef_[0][inside], 0.5 * s[inside], atol=1e-9)


@pytest.mark.spec("LIN-143")
def test_prior_sets_the_box_of_each_class():
    X, y = rows(seed=5)
    share, pi = np.mean(y > 0), 0.1
    model = LinearSVM(C=0.5, prior=pi).fit(X, y)
    by_hand = LinearSVM(C=0.5, class_weight={-1.0: (1.0 - pi) / (1.0 - share), 1.0: pi / share}).fit(X, y)
    np.testing.assert_allclose(model.coef_, by_hand.coef_, atol=1e-10)
    np.testing.assert_allclose(model.intercept_, by_hand.intercept_, atol=1e-10)
    inside = y * model.decision_function(X) < 1.0 - 1e-7
    box = 0.5 * np.where(y > 0, pi / share, (1.0 - pi) / (1.0 - share))
    np.testing.assert_allclose(model.dual_coef_[0][inside], box[inside], atol=1e-9)
    np.testing.assert_allclose(
        LinearSVM(C=0.5, prior=share).fit(X, y).coef_, LinearSVM(C=0.5).fit(X, y).coef_, atol=1e-9
    )


@pytest.mark.spec("LIN-144")
def test_confidence_is_the_modulus_of_the_score():
    X, y = rows(seed=6, n=100)
    model = LinearSVM().fit(X, y)
    f = model.decision_function(X)
    np.testing.assert_allclose(f, np.linalg.norm(model.coef_) * distance(X, model.coef_[0], model.intercept_[0]))
    np.testing.assert_array_equal(model.predict(X), np.where(f > 0.0, 1.0, -1.0))
    np.testing.assert_allclose(y * f, margin(X, y, model.coef_[0], model.intercept_[0]))
    # It is no probability, and none is offered; but sure answers are more often right.
    assert "predict_proba" not in dir(model)
    assert np.max(np.abs(f)) > 1.0
    right, order = (np.sign(f) == y), np.argsort(np.abs(f))
    assert np.mean(right[order[50:]]) > np.mean(right[order[:50]])


@pytest.mark.spec("LIN-141", "LIN-140")
@pytest.mark.parametrize("shape", [(50, 5), (30, 80)])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_exact_solvers_of_the_hinge_agree(shape, form):
    X, y = rows(seed=8, n=shape[0], d=shape[1])
    path = LinearSVM(C=2.0, solver_options={"method": "path"}).fit(form(X), y)
    rounds = LinearSVM(C=2.0, solver_options={"method": "multipliers", "tol": 1e-10}).fit(form(X), y)
    assert path.dual_gap_ <= 1e-9 * path.objective_
    assert rounds.objective_ == pytest.approx(path.objective_, rel=1e-9)
    np.testing.assert_allclose(rounds.coef_, path.coef_, atol=1e-4)
    closed = {"C": 2.0, "penalize_intercept": True}
    a, b = (LinearSVM(**closed, solver=solver, tol=1e-10).fit(form(X), y) for solver in ("qp", "dcd"))
    np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-6)


@pytest.mark.spec("LIN-141")
@pytest.mark.parametrize("solver", ["gd", "sgd", "asgd", "pegasos"])
def test_approximate_solvers_come_close(solver):
    X, y = rows(seed=9, n=200)
    exact = LinearSVM(lam=0.1).fit(X, y)
    options = {"tol": 1e-9} if solver == "gd" else {"tol": None}
    with pytest.warns(ConvergenceWarning, match="not converged"):
        near = LinearSVM(lam=0.1, solver=solver, max_iter=200, solver_options=options).fit(X, y)
    assert exact.objective_ <= near.objective_ <= 1.02 * exact.objective_


def test_a_limit_that_was_not_given_is_named_without_a_value():
    X, y = rows()
    with pytest.warns(ConvergenceWarning, match="; raise max_iter, loosen tol"):
        LinearSVM(solver="sgd", solver_options={"tol": None}).fit(X, y)


@pytest.mark.spec("LIN-141")
def test_solvers_say_what_they_need():
    X, y = rows()
    with pytest.raises(ValueError, match="a penalised intercept or none"):
        LinearSVM(solver="dcd").fit(X, y)
    with pytest.raises(ValueError, match="a differentiable loss"):
        LinearSVM(solver="lbfgs").fit(X, y)
    with pytest.raises(ValueError, match="the hinge loss"):
        LinearSVM(loss="squared_hinge", solver="qp").fit(X, y)
    with pytest.raises(ValueError, match="set the scaling"):
        LinearSVM(C=1.0, lam=0.1).fit(X, y)
    with pytest.raises(ValueError, match="C=-1"):
        LinearSVM(C=-1.0).fit(X, y)


@pytest.mark.spec("LIN-142", "LIN-L41")
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_l1_zeros_are_exact_except_along_sub_gradients(loss):
    rng = np.random.default_rng(10)
    X = rng.normal(size=(80, 15))
    y = np.where(X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=80) > 0.0, 1, -1)
    model = LinearSVM(loss=loss, penalty="l1", lam=0.1, tol=1e-9 if loss == "hinge" else None).fit(X, y)
    assert 0 < np.count_nonzero(model.coef_) < 8
    with pytest.warns(ConvergenceWarning), pytest.warns(ApproximateZerosWarning):
        rough = LinearSVM(loss=loss, penalty="l1", lam=0.1, solver="subgradient", max_iter=200).fit(X, y)
    assert np.count_nonzero(rough.coef_) == 15
    assert rough.objective_ > model.objective_


def test_crammer_and_singer_reach_the_optimum_of_the_joint_hinge():
    rng = np.random.default_rng(11)
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 3, size=60)
    problem = Problem(Design(X, "penalized"), y, MulticlassHinge(), L2(1.0, half=True), np.ones(60), n_scores=3)
    solution = multiclass_dual(problem, tol=1e-9, max_iter=100_000)
    assert solution.dual_gap < 1e-7
    for _ in range(20):
        assert problem.value(solution.w + 1e-3 * rng.normal(size=15)) >= solution.objective - 1e-9
    model = LinearSVC(multi_class="crammer_singer", tol=1e-9, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(np.column_stack([model.coef_, model.intercept_]), solution.w.reshape(3, 5), atol=1e-5)


@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_scales_of_the_columns(scale):
    X, y = rows()
    model = LinearSVM(C=1.0 / scale**2).fit(scale * X, y)
    reference = LinearSVM(C=1.0).fit(X, y)
    np.testing.assert_allclose(scale * model.coef_, reference.coef_, rtol=1e-6, atol=1e-8)


def test_floats_of_single_precision_stay_single():
    X, y = rows()
    for model in (LinearSVM(), LinearSVM(penalize_intercept=True, solver="dcd")):
        assert model.fit(X.astype(np.float32), y).coef_.dtype == np.float32


def test_l1_strength_scales_like_the_penalty():
    X, y = rows()
    problem = Problem(Design(X), y, HingeLoss(), L1(1.0), np.ones(60))
    assert fit_linear(problem.design, y, problem.loss, problem.penalty).stop_reason == "exact"


@pytest.mark.spec("LIN-142")
@pytest.mark.parametrize("shape", [(60, 4), (40, 100)])
@pytest.mark.parametrize("C", [1.0, 1e3, 1e6, 1e9])
@pytest.mark.parametrize("machine", [LinearSVC, LinearSVM])
def test_sparse_svc_is_called_converged_only_near_the_minimum(machine, C, shape):
    """A loss of C at w = 0 says nothing about what is left of (1) at the minimum."""
    X, y = rows(3, *shape)
    words = {"penalty": "l1", "loss": "squared_hinge", "C": C}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = machine(**words).fit(X, y)
    best = machine(**words, tol=1e-10, max_iter=10_000).fit(X, y)
    assert model.converged_ == (not said)
    assert not model.converged_ or model.dual_gap_ <= 1e-4 * model.objective_
    assert best.converged_
    assert model.objective_ - model.dual_gap_ <= best.objective_ * (1.0 + 1e-9)
    assert best.objective_ <= model.objective_ * (1.0 + 1e-9) <= 2.0 * best.objective_
