"""Alternating minimisation.

    for every block k in turn:    s ← argmin over block k of F(s), the other blocks fixed                (1)

No step of (1) can raise F, so F converges when it is bounded below, to a value that no single block can improve.
`alternate` runs any such scheme — k-means, matrix factorisation, EM — and refuses a step that breaks the promise.
Bertsekas (2016), Nonlinear Programming, section 3.7, ISBN 978-1-886529-05-2; Csiszár & Tusnády (1984), Statistics and
Decisions, Supplement 1, 205–237.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import count

from gnomon.optim._follow import follow
from gnomon.optim.rules import StopRule
from gnomon.optim.solution import Callback, Solution, State
from gnomon.optim.stopping import Check, ObjectiveChange, default_rule

__all__ = ["alternate"]


def alternate(
    objective: Callable[[State], float],
    steps: Sequence[Callable[[State], State]],
    start: State,
    *,
    tol: float = 1e-9,
    stop: StopRule | None = None,
    max_iter: int = 1000,
    slack: float = 1e-10,
    callback: Callback | None = None,
) -> Solution[State]:
    """Minimise F(s) by (1).

    Parameters
    ----------
    objective : callable
        s → F(s).
    steps : sequence of callables
        Each s → s with its own block minimised (or at least not worse).
    start : any
        The first state s: an array, a tuple of arrays, any value that the steps understand and do not modify.
    tol : float, default=1e-9
        Stop when a round changes F by at most tol · max(1, |F|).
    stop : StopRule, optional
        A further rule.
    max_iter : int, default=1000
        Rounds over all blocks.
    slack : float, default=1e-10
        A rise of F by at most slack · max(1, |F|) is rounding.
    callback : callable, optional
        Gets each row of the history; may return True to stop.

    Returns
    -------
    Solution
        With the state in `w`.

    Raises
    ------
    ArithmeticError
        If a step raises F: it does not minimise its block.

    References
    ----------
    Csiszár, I. & Tusnády, G. (1984). Information geometry and alternating minimization procedures. Statistics and
    Decisions, Supplement 1, 205–237.

    Examples
    --------
    The best rank-one approximation u vᵀ of a matrix:

    >>> import numpy as np
    >>> from gnomon.optim import alternate
    >>> A = np.array([[2.0, 1.0], [4.0, 2.0]])
    >>> solution = alternate(
    ...     lambda s: float(np.sum((A - np.outer(*s)) ** 2)),
    ...     [lambda s: (A @ s[1] / (s[1] @ s[1]), s[1]), lambda s: (s[0], A.T @ s[0] / (s[0] @ s[0]))],
    ...     (np.ones(2), np.ones(2)),
    ... )
    >>> np.outer(*solution.w).round(6)
    array([[2., 1.],
           [4., 2.]])
    """
    if not steps:
        raise ValueError("steps is empty; give one function per block")
    rule = default_rule(ObjectiveChange(tol), None, stop)
    return follow(_rounds(objective, steps, start, slack), rule, max_iter=max_iter, callback=callback)


def _rounds(
    objective: Callable[[State], float], steps: Sequence[Callable[[State], State]], state: State, slack: float
) -> Iterator[Check[State]]:
    now = float(objective(state))
    yield Check(0, state, now)
    for t in count(1):
        for k, step in enumerate(steps):
            state = step(state)
            before, now = now, float(objective(state))
            if now > before + slack * max(1.0, abs(before)) or math.isnan(now):
                raise ArithmeticError(
                    f"steps[{k}] raised the objective from {before:.10g} to {now:.10g} in round {t}; "
                    "it must minimise its block with the others fixed"
                )
        yield Check(t, state, now)
