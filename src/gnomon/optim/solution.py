"""What every solver returns, and the record it keeps on the way.

    F(w) − min F ≤ dual_gap,    ‖∇F(w)‖∞ = gradient_norm                                           (1)

A `Solution` is a value: nothing is set behind the caller's back. Its fields have the names of the library's attributes,
so an estimator unpacks it field by field into attributes with a trailing underscore. On gaps as certificates: Boyd &
Vandenberghe (2004), section 5.5.1, doi:10.1017/CBO9780511804441.
"""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from gnomon._typing import Array, Floats

if TYPE_CHECKING:
    from gnomon.optim._em import EMResult

    Result = TypeVar("Result", bound=EMResult[Any, Any])

__all__ = [
    "Callback",
    "DivergenceWarning",
    "History",
    "Row",
    "Solution",
    "State",
    "StopReason",
    "Trace",
    "joined_histories",
    "log_every",
    "log_row",
    "warn_unless_all_converged",
    "warn_unless_converged",
    "warn_unless_em_converged",
]

StopReason: TypeAlias = Literal[
    "tol",
    "gap",
    "kkt",
    "no_change",
    "validation",
    "perfect",
    "exact",
    "max_iter",
    "time",
    "diverged",
    "callback",
    "interrupted",
]
"""Why a solver stopped; the last five are never convergence."""

Row: TypeAlias = dict[str, Any]
"""What is known at a check: "iteration", "objective", "seconds", and numbers or arrays that only some solvers have."""

History: TypeAlias = dict[str, Array]
"""The rows of a run, column by column: arrays of one length."""

Callback: TypeAlias = Callable[[Row], bool | None]
"""What is called with each row as it is noted; True stops the solver."""

State = TypeVar("State")
"""What is minimised over: an array of floats, except where `alternate` is given something else."""


class DivergenceWarning(ConvergenceWarning):
    """The objective grew without bound or stopped being a number; the best iterate was kept.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from gnomon.optim import DivergenceWarning, gradient_descent, warn_unless_converged
    >>> solution = gradient_descent(lambda w: (float(w @ w), 2 * w), np.ones(1), step=1.5, max_iter=10_000)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     kept = warn_unless_converged(solution, 10_000)
    >>> caught[0].category is DivergenceWarning, float(kept.w[0])
    (True, 1.0)
    """


class Solution(NamedTuple, Generic[State]):
    """The end of an optimisation.

    Fields
    ------
    w : ndarray
        The minimiser that was found; from `fit_linear`, the coefficients without the intercept.
    objective : float
        The value of what was minimised, at w.
    n_iter : int
        Iterations (passes over the data for stochastic and coordinate solvers).
    converged : bool
        Whether a test other than `max_iter` or time was met.
    stop_reason : str
        "tol", "gap", "kkt", "no_change", "validation", "perfect", "exact"; or, short of that, "max_iter", "time",
        "diverged", "callback" or "interrupted".
    history : dict of str to ndarray
        Arrays of one length, an entry per check: "iteration", "objective", "seconds" and what else the solver knows.
    intercept : float or ndarray
        b, where the problem has one.
    dual_gap : float
        Primal minus dual objective, a bound on the distance to the optimum; nan where no dual is known.
    gradient_norm : float
        ‖∇‖∞ (of a composite objective: the largest violation of the optimality conditions); nan where not computed.
    details : dict
        What only this solver knows, for example dual variables; "advice": what to do where more iterations do not help.

    References
    ----------
    Boyd, S. & Vandenberghe, L. (2004). Convex Optimization, section 5.5.1. doi:10.1017/CBO9780511804441

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import gradient_descent
    >>> solution = gradient_descent(lambda w: (float(w @ w), 2 * w), np.array([1.0, -2.0]), step=0.25)
    >>> bool(solution.converged), solution.stop_reason, round(solution.objective, 6)
    (True, 'tol', 0.0)
    """

    w: State
    objective: float
    n_iter: int
    converged: bool
    stop_reason: StopReason
    history: History
    intercept: float | Floats = 0.0
    dual_gap: float = np.nan
    gradient_norm: float = np.nan
    details: dict[str, Any] = {}  # noqa: RUF012 - nothing writes to it, and a Solution must stay picklable

    @property
    def outcome(self) -> Solution[None]:
        """How the run ended, without w and its history: what is kept of many runs."""
        advice = {name: words for name, words in self.details.items() if name == "advice"}
        return cast("Solution[None]", self)._replace(w=None, history={}, intercept=0.0, details=advice)


class Trace:
    """Collects one row per check and gives them back as a dict of arrays of one length.

    `callback`, if given, is called with each row (a dict) and may return True to stop the solver.

    Examples
    --------
    >>> from gnomon.optim import Trace
    >>> trace = Trace()
    >>> trace.add(0, objective=2.0)
    False
    >>> trace.add(1, objective=1.0, step=0.5)
    False
    >>> trace.history["objective"], trace.history["step"]
    (array([2., 1.]), array([nan, 0.5]))
    """

    def __init__(self, callback: Callback | None = None) -> None:
        self._rows: list[Row] = []
        self._start = time.perf_counter()
        self._callback = callback

    def add(self, iteration: int, objective: float, **more: Any) -> bool:
        """Note a row; True if the callback asks to stop."""
        row = {"iteration": iteration, "objective": objective, "seconds": time.perf_counter() - self._start, **more}
        self._rows.append(row)
        return bool(self._callback(row)) if self._callback is not None else False

    @property
    def history(self) -> History:
        """The rows so far, column by column; what a row did not say is nan."""
        names = dict.fromkeys(name for row in self._rows for name in row)
        return {name: np.array([row.get(name, np.nan) for row in self._rows]) for name in names}


def joined_histories(first: History, then: History) -> History:
    """The history of a solver that went on where another had ended; the start of the second is the end of the first.

    Examples
    --------
    >>> from gnomon.optim.solution import Trace, joined_histories
    >>> one, two = Trace(), Trace()
    >>> _ = one.add(0, 5.0), one.add(1, 3.0), two.add(0, 3.0), two.add(1, 2.0, step=1.0)
    >>> both = joined_histories(one.history, two.history)
    >>> both["iteration"], both["objective"], both["step"]
    (array([0, 1, 2]), array([5., 3., 2.]), array([nan, nan,  1.]))
    """
    lengths = [len(history["iteration"]) for history in (first, then)]
    joined = {
        name: np.concatenate(
            [history.get(name, np.full(n, np.nan)) for history, n in zip((first, then), lengths, strict=True)]
        )
        for name in dict.fromkeys([*first, *then])
    }
    for name in ("iteration", "seconds"):
        joined[name][lengths[0] :] += first[name][-1]
    return {name: np.delete(values, lengths[0]) for name, values in joined.items()}


def log_row(row: Row) -> None:
    """Send a row of the history to the logger ``gnomon.optim``."""
    logging.getLogger("gnomon.optim").info("%s", row)


def log_every(interval: int) -> Callback:
    """A callback that logs the first row of every run, and each row whose iteration is a multiple of `interval`."""

    def callback(row: Row) -> None:
        if row["iteration"] % interval == 0:
            log_row(row)

    return callback


def warn_unless_converged(solution: Solution[State], max_iter: int | None, *, stacklevel: int = 3) -> Solution[State]:
    """Raise a `ConvergenceWarning` that says how far the solver came and what to do, and return the solution.

    Not where a callback stopped it: that was asked for.

    `max_iter` is None where the solver's own held.

    Examples
    --------
    >>> import warnings
    >>> from gnomon.optim import Solution, warn_unless_converged
    >>> short = Solution([0.5], 1.0, n_iter=7, converged=False, stop_reason="max_iter", history={}, dual_gap=0.25)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = warn_unless_converged(short, max_iter=7)
    >>> print(caught[0].message)
    not converged after 7 iterations (duality gap 0.25); raise max_iter=7, loosen tol, or scale the columns of X
    """
    warn_unless_all_converged([solution], max_iter, stacklevel=stacklevel + 1)
    return solution


def warn_unless_all_converged(
    solutions: Sequence[Solution[State]], max_iter: int | None, *, stacklevel: int = 3
) -> None:
    """One warning for many fits, as folds and paths are: how many fell short, and how far the worst came.

    Examples
    --------
    >>> import warnings
    >>> from gnomon.optim import Solution, warn_unless_all_converged
    >>> short = Solution([0.5], 1.0, n_iter=7, converged=False, stop_reason="max_iter", history={}, dual_gap=0.25)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_unless_all_converged([short, short._replace(converged=True), short], max_iter=7)
    >>> [str(warning.message) for warning in caught]
    ['2 of 3 fits: not converged after 7 iterations (duality gap 0.25); raise max_iter=7, loosen tol, or scale ...']
    """
    short = [solution for solution in solutions if _fell_short(solution)]
    if short:
        worst = max(short, key=_shortfall)
        share = f"{len(short)} of {len(solutions)} fits: " if len(solutions) > 1 else ""
        _warn(worst, max_iter, share, stacklevel + 1)


def _fell_short(solution: Solution[Any]) -> bool:
    return solution.stop_reason == "diverged" or not (solution.converged or solution.stop_reason == "callback")


def _shortfall(solution: Solution[Any]) -> tuple[bool, float, float]:
    """Divergence is worse than any gap; of two fits that know no gap, the gradient decides."""
    gap, norm = np.nan_to_num([solution.dual_gap, solution.gradient_norm])
    return solution.stop_reason == "diverged", float(gap), float(norm)


def _warn(solution: Solution[Any], max_iter: int | None, share: str, stacklevel: int) -> None:
    if solution.stop_reason == "diverged":
        advice = solution.details.get("advice", "Give a smaller step, or scale the columns of X")
        message = f"{share}the objective diverged; the best iterate was kept. {advice}"
        warnings.warn(message, DivergenceWarning, stacklevel=stacklevel)
        return
    reached = {"duality gap": solution.dual_gap, "gradient norm": solution.gradient_norm}
    known = ", ".join(f"{name} {value:.3g}" for name, value in reached.items() if np.isfinite(value))
    limit = "max_iter" if max_iter is None else f"max_iter={max_iter}"
    advice = solution.details.get("advice", f"raise {limit}, loosen tol, or scale the columns of X")
    message = f"{share}not converged after {solution.n_iter} iterations ({known or 'no certificate'}); {advice}"
    warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel)


def warn_unless_em_converged(result: Result, max_iter: int, *, stacklevel: int = 3) -> Result:
    """Raise a `ConvergenceWarning` if EM was stopped by `max_iter`, and return the result.

    Examples
    --------
    >>> import warnings
    >>> from gnomon.optim import em, warn_unless_em_converged
    >>> short = em(lambda w: (w, -((w - 2.0) ** 2)), lambda w: 1.0 + 0.5 * w, 0.0, max_iter=1)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = warn_unless_em_converged(short, max_iter=1)
    >>> print(caught[0].message)
    EM did not converge in 1 iterations (the last one gained 3 in log-likelihood); raise max_iter=1, or loosen tol
    """
    if result.stop_reason == "max_iter" and max_iter > 0:
        gain = np.diff(result.history["objective"])[-1:]
        last = f" (the last one gained {gain[0]:.3g} in log-likelihood)" if len(gain) else ""
        message = f"EM did not converge in {max_iter} iterations{last}; raise max_iter={max_iter}, or loosen tol"
        warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel)
    return result
