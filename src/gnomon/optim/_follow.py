"""The loop around every iterative solver.

    w₀ → w₁ → w₂ → …    until a stop rule is met, `max_iter` is reached, or F diverges                (1)

A solver is a generator that yields a `Check` for its start and after every iteration. `follow` runs it: it keeps the
history and the best iterate, asks the stop rule and the callback, stops at `max_iter`, and calls it divergence when
the objective is no longer finite or exceeds 10⁶ · max(1, F(w₀)). An interrupt from the keyboard ends the run with the
best result so far. So no solver has stopping code of its own.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Iterator
from typing import Any, Literal, TypeAlias

import numpy as np

from gnomon._typing import Floats
from gnomon.optim.rules import Check, StopRule
from gnomon.optim.solution import Callback, Row, Solution, State, StopReason, Trace

__all__ = ["Checks", "Descent", "follow", "follow_to_rounding"]

Checks: TypeAlias = Iterator[Check[Floats]]
"""A solver at work: where it stands at its start and after every iteration."""

Descent: TypeAlias = Generator[Check[Floats], None, float]
"""A solver that ends by itself, and then returns the fall of F that its last direction promised in vain."""

BLOW_UP = 1e6


def follow(
    checks: Iterable[Check[State]],
    rule: StopRule,
    *,
    max_iter: int,
    callback: Callback | None = None,
    iterates: bool = False,
    keep: Literal["best", "last"] = "best",
) -> Solution[State]:
    """Run the solver `checks` until `rule` stops it and return the `Solution`.

    Parameters
    ----------
    checks : iterator of Check
        Ends by itself when no further step is possible; that is no convergence.
    rule : StopRule
    max_iter : int
        Largest `Check.iteration` to reach.
    callback : callable, optional
        Called with each row of the history; True stops ("callback").
    iterates : bool, default=False
        Keep every w in the history.
    keep : {"best", "last"}, default="best"
        What is returned where `max_iter`, time or the callback ended the run: "last" suits objectives with noise.

    Returns
    -------
    Solution
        At the last iterate if a rule was met (or the one that the rule restores), otherwise as `keep` says; after
        divergence or an interrupt always at the best one.

    References
    ----------
    Nocedal, J. & Wright, S. (2006). Numerical Optimization, section 3.1. doi:10.1007/978-0-387-40065-5

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim._follow import follow
    >>> from gnomon.optim.stopping import Check, ObjectiveChange
    >>> halving = (Check(k, np.array([2.0**-k]), 2.0**-k) for k in range(100))
    >>> solution = follow(halving, ObjectiveChange(1e-3), max_iter=100)
    >>> solution.stop_reason, solution.n_iter, solution.w
    ('no_change', 10, array([0.00097656]))
    """
    if max_iter < 0:
        raise ValueError(f"max_iter={max_iter!r} must be ≥ 0; give the largest number of iterations")
    trace, memory = Trace(callback), rule.start()
    best: Check[State] | None = None
    last: Check[State] | None = None
    ceiling: float | None = None
    reason: StopReason | None = None
    met = False
    try:
        for last in checks:
            ceiling = ceiling or _ceiling(last)
            best = last if best is None or _better(last, best) else best
            memory, verdict = rule.look(memory, last)
            asked = trace.add(**_row(last, iterates), **rule.columns(memory))
            reason, met = _why(last, verdict, ceiling, asked, max_iter)
            if reason:
                break
    except KeyboardInterrupt:
        if best is None:
            raise
        reason = "interrupted"
    if last is None or best is None:
        raise ValueError("checks has no item; a solver must yield one for its start")
    ended = met or (keep == "last" and reason not in ("diverged", "interrupted"))
    kept = rule.restore(memory) or (last if ended else best)
    return Solution(
        w=kept.w,
        objective=kept.objective,
        n_iter=last.iteration,
        converged=met,
        stop_reason=reason or "no_change",
        history=trace.history,
        dual_gap=kept.gap,
        gradient_norm=kept.kkt if math.isnan(kept.gradient_norm) else kept.gradient_norm,
    )


def follow_to_rounding(checks: Descent, rule: StopRule, **options: Any) -> Solution[Floats]:
    """`follow`, for a descent that returns the predicted decrease −∇Fᵀp · step of a last direction p that failed.

    If that decrease is below the rounding error of F, or the gradient below that of the largest gradient met, this is
    convergence: no test can be met more closely. A search that failed with more to gain is not.
    """
    ending = _Ending(checks)
    solution = follow(ending, rule, **options)
    rests = solution.stop_reason == "no_change" and ending.at_rest(solution)
    return solution._replace(converged=solution.converged or rests)


class _Ending:
    """The checks, up to where neither F nor ‖∇F‖∞ has fallen for some of them, and how they ended."""

    def __init__(self, checks: Descent, *, patience: int = 10) -> None:
        self._checks, self._patience = checks, patience
        self._largest, self._promise = 0.0, math.inf

    def __iter__(self) -> Checks:
        self._promise = yield from self._until_stale()

    def _until_stale(self) -> Descent:
        best, lowest, stale = None, math.inf, 0
        while stale < self._patience:
            try:
                check = next(self._checks)
            except StopIteration as end:
                return end.value
            yield check
            fell = best is None or check.objective < best - _noise(best)
            stale = 0 if fell or check.gradient_norm < lowest else stale + 1
            best, lowest = check.objective if fell else best, min(lowest, check.gradient_norm)
            self._largest = max(self._largest, check.gradient_norm)
        # Only steps at the level of rounding are left.
        return 0.0

    def at_rest(self, solution: Solution[Floats]) -> bool:
        """Whether rounding is all that kept the gradient from the tolerance."""
        eps = float(np.finfo(solution.w.dtype).eps)
        flat = solution.gradient_norm <= 64.0 * eps * self._largest
        return flat or abs(self._promise) <= max(1e-13, 16.0 * eps) * abs(solution.objective)


def _better(check: Check[Any], best: Check[Any]) -> bool:
    """Whether F is lower; where rounding hides that, whether the gradient is smaller."""
    if abs(check.objective - best.objective) <= _noise(best.objective) and not math.isnan(check.gradient_norm):
        return check.gradient_norm < best.gradient_norm
    return -math.inf < check.objective < best.objective


def _noise(objective: float) -> float:
    """The rounding error of a sum over many rows."""
    return 64.0 * float(np.finfo(float).eps) * abs(objective)


def _ceiling(check: Check[Any]) -> float:
    if not math.isfinite(check.objective):
        raise ValueError(f"the objective is {check.objective} at the start; give a start where it is finite")
    return BLOW_UP * max(1.0, check.objective)


def _row(check: Check[Any], iterates: bool) -> Row:
    known = {"gradient_norm": check.gradient_norm, "kkt": check.kkt, "gap": check.gap}
    row = {name: value for name, value in known.items() if not math.isnan(value)}
    kept = {"iterates": np.array(check.w)} if iterates else {}
    return {"iteration": check.iteration, "objective": check.objective, **row, **check.more, **kept}


def _why(
    check: Check[Any], verdict: StopReason | None, ceiling: float, asked: bool, max_iter: int
) -> tuple[StopReason | None, bool]:
    """(reason to stop or None, whether it is a met test)."""
    if not -math.inf < check.objective <= ceiling:
        return "diverged", False
    if verdict:
        return verdict, verdict not in ("time", "max_iter")
    if asked:
        return "callback", False
    return ("max_iter" if check.iteration >= max_iter else None), False
