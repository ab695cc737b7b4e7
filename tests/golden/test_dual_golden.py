"""Golden values of the hinges and of the solvers of linear SVMs: dual ascent, dual Newton, Pegasos."""

import numpy as np
import pytest

from gnomon.losses import HingeLoss, LogisticLoss, PerceptronLoss, SquaredHingeLoss
from gnomon.numerics.design import Design
from gnomon.optim import Problem, dual_coordinate_ascent, dual_newton, pegasos
from gnomon.penalties import L2

MARGINS = np.array([2.0, 1.0, 0.5, 0.0, -1.0])
FIVE = np.array([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [3.0, 0.0], [0.5, 0.5]])
SIGNS = np.array([-1.0, -1.0, 1.0, 1.0, 1.0])


def five_points(loss):
    """C = 1, the intercept as a penalised column of ones."""
    return Problem(Design(FIVE, intercept="penalized"), SIGNS, loss, L2(1.0, half=True), np.ones(5))


def pair(loss, lam):
    """½w² + (λ/2) Σ ℓ over (1, 1) and (−1, −1)."""
    X, y = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    return Problem(Design(X, intercept="none"), y, loss, L2(1.0, half=True), np.full(2, lam / 2.0))


@pytest.mark.spec("LIN-G40", "LIN-007", "LIN-008", "LIN-006")
@pytest.mark.parametrize("y", [1.0, -1.0])
def test_hinges(y):
    z = y * MARGINS
    np.testing.assert_array_equal(HingeLoss().value(y, z), [0.0, 0.0, 0.5, 1.0, 2.0])
    np.testing.assert_array_equal(SquaredHingeLoss().value(y, z), [0.0, 0.0, 0.25, 1.0, 4.0])
    np.testing.assert_array_equal(PerceptronLoss().value(y, z), [0.0, 0.0, 0.0, 0.0, 1.0])
    # At the kinks the hinge rests and the perceptron moves.
    np.testing.assert_array_equal(HingeLoss().gradient(y, z), -y * np.array([0, 0, 1, 1, 1]))
    np.testing.assert_array_equal(SquaredHingeLoss().gradient(y, z), -y * np.array([0, 0, 1, 2, 4]))
    np.testing.assert_array_equal(PerceptronLoss().gradient(y, z), -y * np.array([0, 0, 0, 1, 1]))


@pytest.mark.spec("LIN-G37", "LIN-085")
def test_passes_of_dual_newton():
    """One Newton step per coordinate and pass, in order, from the middle of the box."""
    passes = [(0.3888889, 0.4012346), (0.4009802, 0.4010665)]
    for count, expected in enumerate(passes, start=1):
        options = {"inner": "one_step", "order": "cyclic", "max_iter": count, "tol": 0.0}
        alpha = dual_newton(pair(LogisticLoss(), 1.0), **options).details["alpha"]
        np.testing.assert_allclose(alpha / 0.5, expected, rtol=0, atol=5e-8)


@pytest.mark.spec("LIN-G37", "LIN-085", "LIN-086")
@pytest.mark.parametrize("inner", ["exact", "one_step"])
@pytest.mark.parametrize(("lam", "w"), [(1.0, 0.4010581), (2.0, 0.6748316), (10.0, 1.6335062)])
def test_logistic_pair_by_the_dual(lam, w, inner):
    solution = dual_newton(pair(LogisticLoss(), lam), inner=inner, tol=1e-12)
    assert solution.w[0] == pytest.approx(w, abs=5e-8)
    # w = (λ/n) Σ αᵢyᵢxᵢ with the textbook's fractions α.
    np.testing.assert_allclose(solution.details["alpha"] / (lam / 2.0), w / lam, rtol=0, atol=5e-8)
    assert solution.dual_gap == pytest.approx(0.0, abs=1e-12)
    if lam == 1.0:
        assert solution.objective == pytest.approx(0.5930146, abs=5e-8)
        assert solution.history["dual"][-1] == pytest.approx(0.5930146, abs=5e-8)


@pytest.mark.spec("LIN-G37", "LIN-084")
@pytest.mark.parametrize("solver", [dual_coordinate_ascent, dual_newton])
@pytest.mark.parametrize("lam", [0.25, 0.5, 1.0, 2.0, 10.0])
def test_svm_pair_is_the_smaller_of_one_and_lambda(lam, solver):
    solution = solver(pair(HingeLoss(), lam), tol=1e-12)
    assert solution.w[0] == pytest.approx(min(1.0, lam), abs=1e-12)
    assert np.all(solution.details["alpha"] <= lam / 2.0)
    assert solution.dual_gap == pytest.approx(0.0, abs=1e-12)


@pytest.mark.spec("LIN-G47", "LIN-084")
def test_first_pass_of_dual_coordinate_ascent():
    options = {"order": "cyclic", "shrinking": False, "extrapolation": False, "max_iter": 1, "tol": 0.0}
    solution = dual_coordinate_ascent(five_points(HingeLoss()), **options, check_every=1)
    np.testing.assert_allclose(solution.details["alpha"], [1.0, 0.0, 0.4, 0.0, 0.8], atol=1e-15)
    back = five_points(HingeLoss()).design.adjoint(solution.details["alpha"] * SIGNS)
    np.testing.assert_allclose(back, [1.2, 0.4, 0.2], atol=1e-15)


@pytest.mark.spec("LIN-G47", "LIN-084", "LIN-086")
@pytest.mark.parametrize(
    ("loss", "alpha", "optimum"),
    [
        (HingeLoss(), [1.0, 0.75, 0.75, 0.0, 1.0], 2.875),
        (SquaredHingeLoss(), [1.9504950, 0.9009901, 0.5148515, 0.0, 2.3118812], 2.8391089),
    ],
    ids=["hinge", "squared_hinge"],
)
@pytest.mark.parametrize(
    "options",
    [{}, {"order": "cyclic"}, {"order": "cyclic", "shrinking": False, "extrapolation": False}],
    ids=["default", "cyclic", "plain"],
)
def test_end_of_dual_coordinate_ascent(loss, alpha, optimum, options):
    solution = dual_coordinate_ascent(five_points(loss), tol=1e-12, max_iter=100_000, **options)
    assert solution.stop_reason == "kkt"
    np.testing.assert_allclose(solution.details["alpha"], alpha, rtol=0, atol=5e-8)
    assert solution.objective == pytest.approx(optimum, abs=5e-8)
    assert solution.history["dual"][-1] == pytest.approx(optimum, abs=5e-8)
    assert solution.dual_gap == pytest.approx(0.0, abs=1e-10)


@pytest.mark.spec("LIN-G49", "LIN-087")
@pytest.mark.parametrize("sampling", ["uniform", "cyclic"])
def test_pegasos_on_a_single_pair(sampling):
    design = Design(np.array([[1.0]]), intercept="none")
    problem = Problem(design, np.array([1.0]), HingeLoss(), L2(0.5, half=True), np.ones(1))
    options = {"sampling": sampling, "max_iter": 5, "tol": None, "iterates": True}
    w = pegasos(problem, np.zeros(1), **options).history["iterates"][1:, 0]
    np.testing.assert_allclose(w, [2.0, 1.0, 0.6666667, 1.0, 0.8], rtol=0, atol=5e-8)
    # The ball of radius 1/√λ, which holds the minimiser, cuts the first step short.
    kept = pegasos(problem, np.zeros(1), projection=True, **options).history["iterates"][1:, 0]
    assert kept[0] == pytest.approx(np.sqrt(2.0))
    assert np.all(kept <= np.sqrt(2.0) + 1e-15)
