"""The perceptron: learn from mistakes only.

    at a mistake, yᵢ xᵢᵀw ≤ 0:    w ← w + η sᵢ yᵢ xᵢ                                                  (1)

Rosenblatt (1958), doi:10.1037/h0042519. It is stochastic gradient descent on the perceptron loss max(0, −y xᵀw). On
separable data it makes at most (R/γ)² mistakes (Novikoff 1962). With K weight vectors a mistake is
s_y ≤ max_{j≠y} s_j, and then w_y ← w_y + η sᵢ xᵢ, w_j ← w_j − η sᵢ xᵢ for the best wrong class (Crammer & Singer 2003,
JMLR 3, 951–991). The pocket keeps the weights with the fewest errors so far (Gallant 1990, doi:10.1109/72.80230).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from sklearn.utils import check_random_state

from gnomon._typing import Array, Floats, Integers, Seed
from gnomon.numerics.design import Design
from gnomon.numerics.gram_design import GramDesign
from gnomon.numerics.validation import check_choice
from gnomon.optim._perceptron_passes import (
    Frame,
    Pass,
    Shrinkage,
    batch_pass,
    margins_of,
    mean_loss,
    mistakes_of,
    picking_pass,
    visiting_pass,
)
from gnomon.optim.rounding import refuse_overflow
from gnomon.optim.solution import Callback, Solution, StopReason, Trace

__all__ = ["SELECTIONS", "Patience", "Selection", "perceptron", "visits"]

Selection: TypeAlias = Literal["cyclic", "shuffle", "random", "first_misclassified", "random_misclassified"]

SELECTIONS: tuple[Selection, ...] = get_args(Selection)
"""Which example is looked at next."""


class Patience(NamedTuple):
    """Stop when `score(theta)`, smaller is better, has not fallen by `tol` for `rounds` passes.

    Parameters
    ----------
    tol : float
    rounds : int
    score : callable, optional
        By default the mean loss that was met in the pass.

    References
    ----------
    Prechelt, L. (1998). Early stopping - but when? doi:10.1007/3-540-49430-8_3

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import Patience, perceptron
    >>> X, signs = np.array([[1.0], [2.0], [3.0]]), np.array([1.0, -1.0, 1.0])
    >>> solution = perceptron(Design(X), signs, np.ones(3), np.zeros((1, 2)), patience=Patience(tol=1e-3, rounds=5))
    >>> solution.stop_reason, solution.n_iter
    ('no_change', 7)
    """

    tol: float
    rounds: int
    score: Callable[[Floats], float] | None = None


@np.errstate(over="ignore", invalid="ignore")
def perceptron(
    design: Design | GramDesign,
    target: Array,
    weights: Floats,
    theta: Floats,
    *,
    eta: float = 1.0,
    intercept_rate: float = 1.0,
    selection: Selection | Iterator[Integers] = "cyclic",
    mode: Literal["online", "batch"] = "online",
    pocket: bool = False,
    decay: tuple[float, float] | None = None,
    patience: Patience | None = None,
    max_iter: int = 1000,
    keep_log: bool = False,
    random_state: Seed = None,
    callback: Callback | None = None,
) -> Solution[Floats]:
    """Run (1) until no mistake is left.

    Parameters
    ----------
    design : Design of gnomon.numerics.design, or GramDesign of gnomon.numerics.gram_design
    target : ndarray of shape (n,)
        −1 or +1 for one weight vector; the index of the class for several.
    weights : ndarray of shape (n,)
        sᵢ.
    theta : ndarray of shape (1, width) or (K, width)
        Start.
    eta : float, default=1.0
    intercept_rate : float, default=1.0
        Share of a step that b takes.
    selection : str or iterator of ndarray, default="cyclic"
        A word of `SELECTIONS`, or the visits of every pass as arrays of row numbers.
    mode : {"online", "batch"}, default="online"
        Move at every mistake, or once per pass by the sum over all mistakes.
    pocket : bool, default=False
        Return the weights with the least weighted training error, the earliest among equals.
    decay : tuple (l2, l1), optional
        Amounts by which every visit shrinks w: by the factor 1 − l2, and towards zero by l1 in modulus, which a
        coordinate pays when a row that holds it is visited (Tsuruoka, Tsujii & Ananiadou 2009, ACL 47, 477–485).
    patience : Patience, optional
        A rule that stops before all mistakes are gone; without it, only a pass without mistakes counts as convergence.
    max_iter : int, default=1000
        Passes over the data.
    keep_log : bool, default=False
        Return all updates in order.
    random_state : int, RandomState or None, default=None
    callback : callable, optional
        Called with each row of the history; True stops.

    Returns
    -------
    Solution
        `objective` is the mean loss; `details` holds "counts" (updates of every row), "n_updates", "visits" and, on
        request, "log", the (visit, row) of every update, visits counted from 1.

    References
    ----------
    Rosenblatt, F. (1958). The perceptron. doi:10.1037/h0042519

    Examples
    --------
    The logical OR takes nine updates:

    >>> import numpy as np
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import perceptron
    >>> X, y = np.array([[1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1.0]]), np.array([-1.0, 1.0, 1.0, 1.0])
    >>> solution = perceptron(Design(X, intercept="none"), y, np.ones(4), np.zeros((1, 3)))
    >>> solution.w, solution.details["n_updates"], solution.n_iter, solution.stop_reason
    (array([[-1.,  2.,  2.]]), 9, 6, 'perfect')
    """
    check_choice("mode", mode, ("online", "batch"))
    book = _Book(design.n, keep_log)
    frame = Frame.of(design, target, weights, eta, intercept_rate, theta, book)
    step = _stepper(frame, selection, mode, decay, check_random_state(random_state))
    best = _Pocket(frame) if pocket else None
    trace, rule = Trace(callback), _Waiting(patience)
    reason: StopReason = "max_iter"
    met, iteration = False, 0
    for iteration in range(1, max_iter + 1):
        loss, mistakes, moved = step(best)
        row = {"mistakes": mistakes} | ({} if best is None else {"error": best.error})
        asked = trace.add(iteration, loss, **row)
        reason, met = _verdict(frame, mistakes, moved, rule, loss, asked)
        if reason != "max_iter":
            break
    theta = frame.theta if best is None else best.theta
    margins = margins_of(frame, theta)[0]
    refuse_overflow(theta, margins)
    return Solution(
        w=theta,
        objective=mean_loss(frame, margins),
        n_iter=iteration,
        converged=met,
        stop_reason=reason,
        history=trace.history,
        details=book.details(),
    )


def visits(selection: Selection, n: int, rng: np.random.RandomState) -> Iterator[Integers]:
    """The row numbers of every pass, without end, for the words that do not look at mistakes."""
    while True:
        if selection == "random":
            yield rng.randint(n, size=n)
        else:
            yield rng.permutation(n) if selection == "shuffle" else np.arange(n)


class _Book:
    """Counts, and on request the order, of the updates."""

    def __init__(self, n: int, keep_log: bool) -> None:
        self.counts: Integers = np.zeros(n, dtype=np.int64)
        self.visits, self._keep = 0, keep_log
        self._pages: list[Integers] = []

    def add(self, rows: Integers, when: Integers, visited: int) -> None:
        """Note updates of `rows`, already counted, at the visits `when` (from 0) of the `visited` ones that follow."""
        if self._keep:
            self._pages.append(np.column_stack([self.visits + 1 + when, rows]))
        self.visits += visited

    def details(self) -> dict[str, Any]:
        """What `perceptron` returns about the updates."""
        log = {"log": np.concatenate([np.empty((0, 2), dtype=np.int64), *self._pages])} if self._keep else {}
        return {"counts": self.counts, "n_updates": int(np.sum(self.counts)), "visits": self.visits, **log}


class _Pocket:
    """The best weights so far."""

    def __init__(self, frame: Frame) -> None:
        self.frame, self.theta, self.error = frame, frame.theta, np.inf
        self.offer()

    def offer(self) -> None:
        """Keep the current weights if their error is smaller."""
        frame, theta = self.frame, self.frame.theta
        wrong = mistakes_of(frame, margins_of(frame, theta)[0])
        error = float(np.sum(frame.s[wrong]) / np.sum(frame.s))
        if error < self.error:
            self.theta, self.error = theta, error


class _Waiting:
    """The memory of a `Patience`."""

    def __init__(self, patience: Patience | None) -> None:
        self.patience, self.best, self.stale = patience, np.inf, 0

    @property
    def reason(self) -> StopReason:
        """The stop reason."""
        return "no_change" if self.patience is None or self.patience.score is None else "validation"

    def over(self, theta: Floats, loss: float) -> bool:
        """Whether to stop."""
        if self.patience is None:
            return False
        now = loss if self.patience.score is None else self.patience.score(theta)
        self.stale = self.stale + 1 if now > self.best - self.patience.tol else 0
        self.best = min(self.best, now)
        return self.stale >= self.patience.rounds


def _verdict(
    frame: Frame, mistakes: int, moved: bool, rule: _Waiting, loss: float, asked: bool
) -> tuple[StopReason, bool]:
    """The reason to stop ("max_iter" to go on), and whether it is a met test."""
    if rule.over(frame.theta, loss):
        return rule.reason, True
    # Random visits may have missed a misclassified row, and `patience` has its own stop reason.
    if rule.patience is None and mistakes == 0 and not len(mistakes_of(frame, margins_of(frame, frame.theta)[0])):
        return "perfect", True
    if not moved:
        return "no_change", False
    return ("callback" if asked else "max_iter"), False


def _stepper(
    frame: Frame,
    selection: Selection | Iterator[Integers],
    mode: Literal["online", "batch"],
    decay: tuple[float, float] | None,
    rng: np.random.RandomState,
) -> Callable[[_Pocket | None], Pass]:
    """A function that makes one pass and returns the mean loss met, the mistakes, and False if none can ever follow."""
    if isinstance(selection, str):
        check_choice("selection", selection, SELECTIONS)
        orders = visits(selection, frame.design.n, rng)
    else:
        orders = selection
    picking = isinstance(selection, str) and selection.endswith("misclassified")
    if decay is not None and (mode == "batch" or picking or len(frame.W) > 1):
        raise ValueError(
            f"decay={decay!r} goes with one weight vector, mode='online' and a selection that visits every row; "
            "give decay=None"
        )
    if mode == "batch":
        return lambda pocket: batch_pass(frame, pocket)
    if picking:
        return lambda pocket: picking_pass(frame, pocket, None if selection == "first_misclassified" else rng)
    shrinkage = Shrinkage.of(decay or (0.0, 0.0), frame.W)
    return lambda pocket: visiting_pass(frame, pocket, next(orders), shrinkage)
