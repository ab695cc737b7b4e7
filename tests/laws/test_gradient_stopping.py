"""Stop rules, histories, interruption: what `follow` promises for every solver that runs under it."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from gnomon.linear import LinearModelClassifier, LinearModelRegressor
from gnomon.losses import SquaredLoss
from gnomon.numerics.design import Design
from gnomon.optim import DivergenceWarning, Problem, bfgs, dual_gap, gradient_descent, proximal_gradient
from gnomon.optim._follow import follow
from gnomon.optim.stopping import (
    KKT,
    Check,
    DualityGap,
    GradientNorm,
    ObjectiveChange,
    ParameterChange,
    Validation,
)
from gnomon.penalties import L1, L2


def bowl(w):
    return float(w @ w), 2.0 * w


def run(**options):
    return gradient_descent(bowl, np.array([3.0, -4.0]), step=0.25, **{"tol": 0.0, "max_iter": 200, **options})


@pytest.mark.spec("LIN-093")
def test_each_rule_stops_at_the_first_check_that_meets_it():
    reached = run(tol=1e-3)
    norms = reached.history["gradient_norm"]
    assert (reached.stop_reason, reached.converged) == ("tol", True)
    assert norms[-1] <= 1e-3 < norms[-2]
    assert norms[-1] == pytest.approx(np.max(np.abs(2.0 * reached.w)))

    still = run(tol_obj=1e-4)
    J = still.history["objective"]
    change = np.abs(np.diff(J)) / np.maximum(1.0, J[1:])
    assert (still.stop_reason, still.converged) == ("no_change", True)
    assert change[-1] <= 1e-4 < change[-2]

    parked = run(stop=ParameterChange(1e-3), iterates=True)
    w = parked.history["iterates"]
    moved = np.max(np.abs(np.diff(w, axis=0)), axis=1) / np.maximum(1.0, np.max(np.abs(w[1:]), axis=1))
    assert parked.stop_reason == "no_change"
    assert moved[-1] <= 1e-3 < moved[-2]

    out_of_time = run(max_iter=3)
    assert (out_of_time.stop_reason, out_of_time.converged, out_of_time.n_iter) == ("max_iter", False, 3)


@pytest.mark.spec("LIN-093")
def test_gap_and_kkt_rules_read_certificates():
    problem = Problem(Design(np.eye(2), intercept="none"), np.array([3.0, 0.2]), SquaredLoss(), L1(1.0), np.ones(2))
    solution = proximal_gradient(problem.data_term, np.zeros(2), L1(1.0), step=0.1, tol=1e-3)
    assert solution.stop_reason == "kkt"
    kkt = solution.history["kkt"]
    assert kkt[-1] <= 1e-3 < kkt[-2]
    gaps = (
        Check(k, w, problem.value(w), gap=dual_gap(problem, w))
        for k, w in enumerate(np.array([2.5 - 2.0**-k, 0.0]) for k in range(50))
    )
    solution = follow(gaps, DualityGap(1e-4), max_iter=50)
    assert solution.stop_reason == "gap"
    assert solution.dual_gap <= 1e-4 < solution.history["gap"][-2]


def test_a_solver_without_a_start_is_refused_in_words():
    with pytest.raises(ValueError, match="must yield one for its start"):
        follow(iter(()), DualityGap(1e-4), max_iter=50)


@pytest.mark.spec("LIN-093")
def test_validation_stops_after_its_patience_and_restores_the_best_weights():
    target = np.array([1.0, -4.0 / 3.0])  # passed on the way to the minimum

    def score(w):
        return -float(np.sum((w - target) ** 2))

    solution = run(stop=Validation(score, patience=4), iterates=True)
    scores = solution.history["validation"]
    best = int(np.argmax(scores))
    assert (solution.stop_reason, solution.converged) == ("validation", True)
    assert len(scores) == best + 1 + 4
    np.testing.assert_array_equal(solution.w, solution.history["iterates"][best])
    assert solution.objective == solution.history["objective"][best]
    # The best weights are kept too when something else ends the run.
    np.testing.assert_array_equal(run(stop=Validation(score, patience=400)).w, solution.w)


@pytest.mark.spec("LIN-093")
def test_rules_combine():
    either = run(stop=GradientNorm(1e-2) | ObjectiveChange(1e-12))
    both = run(stop=GradientNorm(1e-2) & ObjectiveChange(1e-12))
    assert either.stop_reason == "tol"
    assert both.stop_reason == "tol"
    assert either.n_iter < both.n_iter
    assert len(run(stop=(GradientNorm(1e-9) | Validation(lambda w: 1.0, patience=2))).history["validation"]) == 3
    for rule in (GradientNorm, KKT, DualityGap, ObjectiveChange, ParameterChange):
        with pytest.raises(ValueError, match="tol=-1 must be ≥ 0"):
            rule(-1)
    with pytest.raises(ValueError, match="patience=0"):
        Validation(len, patience=0)
    with pytest.raises(ValueError, match="max_iter=-1"):
        run(max_iter=-1)


@pytest.mark.spec("LIN-095")
@pytest.mark.parametrize("solve", [gradient_descent, bfgs])
def test_the_history_has_one_row_per_check_in_columns_of_one_length(solve):
    rows = []
    solution = solve(bowl, np.array([3.0, -4.0]), callback=rows.append, iterates=True, tol=1e-9)
    history = solution.history
    assert {"iteration", "objective", "seconds", "gradient_norm", "step", "iterates"} <= set(history)
    assert {len(column) for column in history.values()} == {solution.n_iter + 1}
    assert history["iteration"].tolist() == list(range(solution.n_iter + 1))
    assert np.all(np.diff(history["seconds"]) >= 0.0)
    np.testing.assert_array_equal(history["iterates"][-1], solution.w)
    assert [row["objective"] for row in rows] == history["objective"].tolist()


@pytest.mark.spec("LIN-095")
def test_the_update_ratio_is_the_length_of_the_step_over_that_of_w():
    history = run(max_iter=5, iterates=True).history
    w = history["iterates"]
    expected = np.linalg.norm(np.diff(w, axis=0), axis=1) / np.linalg.norm(w[1:], axis=1)
    np.testing.assert_allclose(history["update_ratio"][1:], expected)


def test_a_callback_can_stop_and_an_interrupt_keeps_the_best_result():
    stopped = run(callback=lambda row: row["iteration"] == 4)
    assert (stopped.stop_reason, stopped.converged, stopped.n_iter) == ("callback", False, 4)

    def impatient(row):
        if row["iteration"] == 6:
            raise KeyboardInterrupt

    interrupted = run(callback=impatient)
    assert (interrupted.stop_reason, interrupted.converged, interrupted.n_iter) == ("interrupted", False, 6)
    assert interrupted.objective == pytest.approx(25.0 * 0.25**6)

    def never(w):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gradient_descent(never, np.ones(1))


@pytest.mark.spec("LIN-094")
def test_estimators_warn_when_they_diverge_or_stop_short():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    with pytest.warns(DivergenceWarning, match="smaller step"):
        model = LinearModelRegressor(solver="gd", solver_options={"step": 10.0}).fit(X, y)
    assert model.stop_reason_ == "diverged"
    assert np.all(np.isfinite(model.coef_))
    assert model.objective_ == np.nanmin(model.history_["objective"])
    with pytest.warns(ConvergenceWarning, match="raise max_iter=2"):
        model = LinearModelClassifier(solver="gd", max_iter=2).fit(X, np.sign(y))
    assert not model.converged_
    assert LinearModelRegressor(penalty=L2(0.1)).fit(X, y).converged_
