"""The single entry point to the solvers of kernel machines with smooth losses.

    minimise over β, b    Σᵢ sᵢ ℓ(yᵢ, [Kβ]ᵢ + b) + ½ βᵀKβ                                           (1)

Newton's method works on β. The other solvers see rows of R, K = RRᵀ, of which (1) is a linear model with w = Rᵀβ; β is
then −sℓ'(y, f), which it equals at the optimum, corrected so that Rᵀβ = w; or αy, from a dual solver. Whatever the
solver, the certificate is computed from K and β. Solvers see K/κ, κs and κβ with κ near the mean of the diagonal of K,
which multiplies (1) by κ: so the units of the kernel do not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gnomon._typing import Floats, Seed
from gnomon.numerics.design import Design
from gnomon.numerics.linalg import kernel_root, refuse_matrix
from gnomon.numerics.scale import PowerOfTwo
from gnomon.optim._fit_linear import fit_linear
from gnomon.optim._kernel_newton import kernel_newton
from gnomon.optim.kernel_problem import KernelProblem
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import RelativeGap
from gnomon.penalties import L2

__all__ = ["KERNEL_SOLVERS", "fit_kernel"]

VALUES = ("objective", "gap", "dual")
"""Columns of the history in units of (1)."""

RESTING = 1e-9
"""Share of the objective below which a gap may be called rounding."""


def fit_kernel(
    problem: KernelProblem,
    *,
    solver: str = "newton",
    tol: float = 1e-6,
    max_iter: int = 1000,
    callback: Callback | None = None,
    random_state: Seed = 0,
) -> Solution[Floats]:
    """Minimise (1).

    Parameters
    ----------
    problem : KernelProblem
    solver : {"newton", "lbfgs", "dual_newton"}, default="newton"
        "newton" needs one score per row, "dual_newton" that, a loss with dual steps and no free intercept.
    tol : float, default=1e-6
        Stop when the duality gap is at most this share of the objective.
    max_iter : int, default=1000
    callback : callable, optional
        Called with each row of the history; True stops.
    random_state : int, RandomState or None, default=0
        Of "dual_newton", which shuffles the rows.

    Returns
    -------
    Solution
        `w` is β, of shape (n,) or (n, K).

    References
    ----------
    Keerthi, S. S., Duan, K. B., Shevade, S. K. & Poo, A. N. (2005). A fast dual algorithm for kernel logistic
    regression. doi:10.1007/s10994-005-0768-5

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import LogisticLoss
    >>> from gnomon.optim import KernelProblem, fit_kernel
    >>> x, y = np.arange(4.0), np.array([-1.0, 1.0, -1.0, 1.0])
    >>> K = np.exp(-0.5 * (x[:, None] - x) ** 2)
    >>> problem = KernelProblem(K, y, LogisticLoss(), np.full(4, 10.0), intercept=False)
    >>> [round(fit_kernel(problem, solver=name, tol=1e-9).objective, 6) for name in ("newton", "lbfgs", "dual_newton")]
    [21.872155, 21.872155, 21.872155]
    """
    if solver not in KERNEL_SOLVERS:
        raise ValueError(f"solver={solver!r} is unknown; choose from {list(KERNEL_SOLVERS)}")
    options = {"max_iter": max_iter, "callback": callback}
    # A row of weight zero takes no part, and has no coefficient.
    used = np.flatnonzero(problem.weights > 0.0)
    part, unit = _natural(problem if len(used) == len(problem.weights) else problem.take(used))
    try:
        found = KERNEL_SOLVERS[solver](part, tol, options, random_state)
    except ValueError:
        # A matrix that is no kernel is refused with its eigenvalue in the units of the user.
        refuse_matrix(problem.K, problem.eps)
        raise
    point = part.at(found.w, start=found.intercept)
    beta = problem.zero
    beta[used] = point.beta / unit
    close = point.gap <= tol * abs(point.objective)
    # A solver that rests at rounding, close to the optimum, has nothing more to give.
    at_rest = found.converged and point.gap <= RESTING * abs(point.objective)
    return found._replace(
        w=beta,
        intercept=point.intercept,
        objective=point.objective / unit,
        dual_gap=point.gap / unit,
        history={name: values / unit if name in VALUES else values for name, values in found.history.items()},
        gradient_norm=point.gradient_norm,
        converged=close or at_rest,
        stop_reason="gap" if close else found.stop_reason,
    )


def _natural(problem: KernelProblem) -> tuple[KernelProblem, float]:
    """The problem with a kernel of unit size, and κ, a power of two, so that nothing is rounded."""
    size = float(np.mean(np.diagonal(problem.K)))
    if not 0.0 < size < np.inf:
        return problem, 1.0
    unit = PowerOfTwo.of(2.0, size).value
    return replace(problem, K=problem.K / unit, weights=problem.weights * unit), unit


def _newton(problem: KernelProblem, tol: float, options: dict[str, Any], seed: Seed) -> Solution[Floats]:
    return kernel_newton(problem, tol=tol, **options)


def _lbfgs(problem: KernelProblem, tol: float, options: dict[str, Any], seed: Seed) -> Solution[Floats]:
    return _on_root(problem, "lbfgs", _first_order(problem, tol) | options)


def _dual_newton(problem: KernelProblem, tol: float, options: dict[str, Any], seed: Seed) -> Solution[Floats]:
    stop = {"tol": 0.0, "stop": RelativeGap(tol), "random_state": seed}
    found = _on_root(problem, "dual_newton", stop | options)
    return found._replace(w=found.details["alpha"] * problem.y)


def _first_order(problem: KernelProblem, tol: float) -> dict[str, float]:
    """The bound on ‖∇F‖∞ that bounds the gap, which is ½‖∇F‖² where the penalty is ½‖w‖² and b is best."""
    return {"tol": float(np.sqrt(2.0 * tol * problem.lower_bound() / (len(problem.K) * problem.n_scores)))}


def _on_root(problem: KernelProblem, solver: str, options: dict[str, Any]) -> Solution[Floats]:
    """The linear model of the rows of R, and its β."""
    root = kernel_root(problem.K, problem.eps)
    design = Design(root.R, "free" if problem.intercept else "none")
    given = (problem.y, problem.loss, L2(1.0, half=True), problem.weights)
    found = fit_linear(design, *given, solver=solver, n_scores=problem.n_scores, **options)
    scores = root.R @ found.w.T + found.intercept
    slopes = problem.losses.at_scores(scores)[1]
    beta = root.lift(np.atleast_2d(found.w), -slopes.reshape(len(slopes), -1))
    return found._replace(w=beta.reshape(slopes.shape))


KERNEL_SOLVERS: dict[str, Callable[..., Solution[Floats]]] = {
    "newton": _newton,
    "lbfgs": _lbfgs,
    "dual_newton": _dual_newton,
}
"""Solvers by name."""
