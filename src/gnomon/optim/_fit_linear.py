"""The single entry point to the solvers of linear models.

    minimise over w, b    Σᵢ sᵢ ℓ(yᵢ, xᵢᵀw + b) + Ω(w)                                              (1)

`fit_linear` takes the nouns of (1), finds a solver that can use them, and returns a `Solution`. What a solver needs is
declared with it as a list of named conditions; a new loss or penalty works in every solver whose conditions it meets,
without a change to the solver.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import Array, Floats
from gnomon.losses import Loss
from gnomon.numerics.design import Design
from gnomon.optim._coordinate_descent import coordinate_descent
from gnomon.optim._dual_coordinate_ascent import dual_coordinate_ascent
from gnomon.optim._dual_newton import dual_newton
from gnomon.optim._pegasos import pegasos
from gnomon.optim._proximal_newton import proximal_newton
from gnomon.optim._sag import sag
from gnomon.optim._sgd import asgd, sgd
from gnomon.optim.edge import inspect_edge
from gnomon.optim.gradient_linear import (
    bfgs_linear,
    cg_linear,
    fista_linear,
    gd_linear,
    ista_linear,
    momentum_linear,
    subgradient_linear,
)
from gnomon.optim.problem import Problem
from gnomon.optim.rounding import refuse_overflow
from gnomon.optim.smooth_linear import irls_linear, lbfgs_linear, newton_linear
from gnomon.optim.solution import Solution
from gnomon.optim.svm_programs import lp, qp
from gnomon.optim.units import ABSOLUTE, FIRST_ORDER, RELATIVE, Band, NaturalProblem, natural_problem
from gnomon.penalties import NoPenalty, Penalty

__all__ = ["SOLVERS", "Solver", "applicable_solvers", "fit_linear"]


FREE_STEPS = ("auto", "exact", "bold_driver", "armijo", "wolfe", "backtracking")
"""Words for steps that are found, and so have no units."""


class Solver(NamedTuple):
    """A solver of (1): `run(problem, start, **options)` → Solution in θ, and the conditions it needs.

    Parameters
    ----------
    run : callable
    needs : tuple of callables
        Problem → bool; the docstring of each is the reason that a refusal gives.
    band : Band
        The sizes of columns, targets and weights that it takes as they are (`gnomon.optim.units`).

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import HingeLoss, LogisticLoss
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import SOLVERS, Problem
    >>> from gnomon.penalties import L1
    >>> def needs_met(loss):
    ...     problem = Problem(Design(np.eye(2)), np.array([-1.0, 1.0]), loss, L1(0.1), np.ones(2))
    ...     return [need(problem) for need in SOLVERS["fista"].needs]
    >>> needs_met(LogisticLoss()), needs_met(HingeLoss())
    ([True, True], [False, True])
    """

    run: Callable[..., Solution[Floats]]
    needs: tuple[Callable[[Problem], bool], ...]
    band: Band = ABSOLUTE


def descended_sum(problem: Problem) -> bool:
    """a loss that is a sum over rows and has a gradient to follow"""
    return problem.loss.additive and problem.loss.trainable


def smooth_loss(problem: Problem) -> bool:
    """a loss with a Lipschitz gradient"""
    return problem.loss.smooth


def curved_loss(problem: Problem) -> bool:
    """a smooth loss of one score with a curvature"""
    return problem.loss.smooth and problem.n_scores == 1


def differentiable_loss(problem: Problem) -> bool:
    """a differentiable loss"""
    return problem.loss.differentiable


def twice_differentiable_loss(problem: Problem) -> bool:
    """a loss with a Hessian in its scores"""
    return problem.loss.curved and (problem.n_scores == 1 or problem.loss.by_row)


def hessian_of_scores(problem: Problem) -> bool:
    """a loss of several scores with a Hessian in them"""
    return problem.loss.curved and problem.loss.by_row and problem.n_scores > 1


def smooth_penalty(problem: Problem) -> bool:
    """a smooth penalty"""
    return problem.penalty.smooth


def convex_penalty(problem: Problem) -> bool:
    """a convex penalty"""
    return problem.penalty.convex


def compiled_nouns(problem: Problem) -> bool:
    """a loss and a penalty made with @noun"""
    return problem.loss.record is not None and problem.penalty.record is not None


def dual_steps(problem: Problem) -> bool:
    """a loss with dual steps (hinge, squared hinge, logistic)"""
    return problem.loss.dual_steps


def quadratic_penalty(problem: Problem) -> bool:
    """an L2 penalty of positive strength"""
    return problem.penalty.smooth and problem.penalty.strong_convexity > 0.0


def no_free_intercept(problem: Problem) -> bool:
    """a penalised intercept or none"""
    return problem.design.intercept != "free"


def no_offset(problem: Problem) -> bool:
    """scores without an offset"""
    return not np.any(problem.offset)


def hinge_loss(problem: Problem) -> bool:
    """the hinge loss"""
    return problem.loss.dual_steps and not problem.loss.smooth


def absolute_penalty(problem: Problem) -> bool:
    """a multiple of the L1 norm"""
    at = problem.penalty.term
    return problem.penalty.convex and not problem.penalty.smooth and at(2.0) == 2.0 * at(1.0) == 2.0 * at(-1.0)


def one_score(problem: Problem) -> bool:
    """a loss of one score per row"""
    return problem.n_scores == 1


SOLVERS: dict[str, Solver] = {
    "lbfgs": Solver(lbfgs_linear, (descended_sum, differentiable_loss, smooth_penalty)),
    "cd": Solver(coordinate_descent, (curved_loss, convex_penalty, compiled_nouns), RELATIVE),
    "prox_newton": Solver(proximal_newton, (hessian_of_scores, convex_penalty, compiled_nouns), RELATIVE),
    "newton": Solver(newton_linear, (twice_differentiable_loss, smooth_penalty)),
    "irls": Solver(irls_linear, (curved_loss, smooth_penalty)),
    "dcd": Solver(dual_coordinate_ascent, (dual_steps, quadratic_penalty, no_free_intercept, no_offset), RELATIVE),
    "qp": Solver(qp, (hinge_loss, quadratic_penalty, no_offset)),
    "lp": Solver(lp, (hinge_loss, absolute_penalty, no_offset)),
    "dual_newton": Solver(dual_newton, (dual_steps, quadratic_penalty, no_free_intercept, no_offset), RELATIVE),
    "bfgs": Solver(bfgs_linear, (differentiable_loss, smooth_penalty)),
    "cg": Solver(cg_linear, (differentiable_loss, smooth_penalty)),
    "fista": Solver(fista_linear, (smooth_loss, convex_penalty), FIRST_ORDER),
    "ista": Solver(ista_linear, (smooth_loss,), FIRST_ORDER),
    "gd": Solver(gd_linear, (convex_penalty,), FIRST_ORDER),
    "momentum": Solver(momentum_linear, (convex_penalty,), FIRST_ORDER),
    "subgradient": Solver(subgradient_linear, (convex_penalty,), FIRST_ORDER),
    "sag": Solver(sag, (curved_loss, smooth_penalty, compiled_nouns), FIRST_ORDER),
    "sgd": Solver(sgd, (descended_sum, one_score, convex_penalty, compiled_nouns), FIRST_ORDER),
    "asgd": Solver(asgd, (descended_sum, one_score, convex_penalty, compiled_nouns), FIRST_ORDER),
    "pegasos": Solver(pegasos, (hinge_loss, quadratic_penalty, no_offset), FIRST_ORDER),
}


def fit_linear(
    design: Design,
    y: Array,
    loss: Loss,
    penalty: Penalty | None = None,
    weights: Floats | None = None,
    *,
    solver: str = "auto",
    start: Floats | None = None,
    n_scores: int = 1,
    offset: float | Floats = 0.0,
    **options: Any,
) -> Solution[Floats]:
    """Minimise (1).

    Parameters
    ----------
    design : gnomon.numerics.design.Design
        X and the treatment of b.
    y : ndarray of shape (n,)
        Targets as `loss.targets` says.
    loss : Loss
    penalty : Penalty, optional
    weights : ndarray of shape (n,), optional
        sᵢ; ones by default, so that (1) is the sum form.
    solver : str, default="auto"
        A key of `SOLVERS`, or "auto": the first that can solve the problem.
    start : ndarray, optional
        θ to start from; by default zeros, of a problem far from natural units zeros there.
    n_scores : int, default=1
        Number of scores per row (classes of a softmax).
    offset : float or ndarray of shape (n,), default=0.0
        Known part of the scores.
    **options
        Passed to the solver: `tol`, `max_iter`, `callback` …

    Returns
    -------
    Solution

    References
    ----------
    Parikh, N. & Boyd, S. (2014). Proximal algorithms. doi:10.1561/2400000003

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import SquaredLoss
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import fit_linear
    >>> from gnomon.penalties import L1
    >>> design = Design(np.eye(3), intercept="none")
    >>> fit_linear(design, np.array([3.0, -0.2, -2.0]), SquaredLoss(), L1(1.0)).w
    array([ 2.5,  0. , -1.5])
    """
    weights = np.ones(design.n, dtype=design.dtype) if weights is None else weights
    problem = Problem(design, y, loss, penalty or NoPenalty(), weights, n_scores, offset)
    # Overflow within a step is undone by the solver, or reported here.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        solution = _run(_choose(problem, solver), problem, None if start is None else np.ravel(start), options)
        solution = inspect_edge(problem, solution)
    refuse_overflow(solution.w)
    w, b = design.split(problem.matrix(solution.w))
    return solution._replace(w=w, intercept=b)


def _run(solver: Solver, problem: Problem, start: Floats | None, options: dict[str, Any]) -> Solution[Floats]:
    """Run the solver, in natural units where the problem is far from them."""
    natural = natural_problem(problem, solver.band)
    theta = np.zeros(problem.size, dtype=problem.design.dtype) if start is None else start
    if theta.size != problem.size:
        raise ValueError(f"start has {theta.size} entries and needs {problem.size}: w, then b if there is one")
    if natural is None:
        return solver.run(problem, theta, **options)
    if "tol" in options and options["tol"] is not None:
        options = options | {"tol": options["tol"] * (1.0 if solver.band is RELATIVE else natural.finest)}
    if _own_units(options):
        # Steps that the user gives are numbers in the user's units; only the tolerance is converted.
        return solver.run(problem, theta, **_strict(options, natural))
    return natural.solve(solver.run, start, **options)


def _own_units(options: dict[str, Any]) -> bool:
    """Whether an option is a number, or a function of θ, in the units of the data."""
    given = {name for name in ("schedule", "lipschitz", "stop", "alpha") if options.get(name) is not None}
    return bool(given) or options.get("step", "auto") not in (None, *FREE_STEPS)


def _strict(options: dict[str, Any], natural: NaturalProblem) -> dict[str, Any]:
    unit = min(1.0, natural.value, natural.value / natural.target * float(np.min(natural.scale, initial=1.0)))
    return {name: value * unit if name == "tol" and value is not None else value for name, value in options.items()}


def applicable_solvers(problem: Problem) -> list[str]:
    """The names of the solvers whose conditions the problem meets, best first.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import SquaredLoss
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import Problem, applicable_solvers
    >>> from gnomon.penalties import L1
    >>> problem = Problem(Design(np.eye(2)), np.ones(2), SquaredLoss(), L1(), np.ones(2))
    >>> names = applicable_solvers(problem)
    >>> "cd" in names, "newton" in names
    (True, False)
    """
    return [name for name, solver in SOLVERS.items() if not _lacking(problem, solver)]


def _lacking(problem: Problem, solver: Solver) -> list[str]:
    return [str(need.__doc__) for need in (descended_sum, *solver.needs) if not need(problem)]


def _choose(problem: Problem, name: str) -> Solver:
    lacking = _lacking(problem, SOLVERS[name]) if name in SOLVERS else None
    if lacking == []:
        return SOLVERS[name]
    usable = applicable_solvers(problem)
    if name == "auto" and usable:
        return SOLVERS[usable[0]]
    what = f"loss={problem.loss!r}, penalty={problem.penalty!r}, intercept={problem.design.intercept!r}"
    if lacking:
        raise ValueError(f"solver={name!r} needs {', '.join(lacking)}; for {what} choose from {usable}")
    if name == "auto":
        raise ValueError(f"no solver can minimise {what}; the solvers are {list(SOLVERS)}")
    raise ValueError(f"solver={name!r} is unknown; for {what} choose from {usable}")
