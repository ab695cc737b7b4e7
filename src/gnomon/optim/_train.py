"""Training by mini-batches.

    θ ← step(θ, ∇f_B(θ)),    B the next rows of an epoch; then L1 and max-norm by proximal step and projection     (1)

for the problems of `gnomon.optim.batch_problem` and the solvers of `gnomon.optim.updates`; `_training` takes the steps.
An epoch is a pass over the rows; what is recorded and decided (history, rates that adapt, stopping) waits for its end,
so that an update costs little more than its gradient. Robbins & Monro (1951), doi:10.1214/aoms/1177729586; early
stopping: Prechelt (1998), doi:10.1007/3-540-49430-8_3.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gnomon._typing import Floats, RandomState
from gnomon.numerics.parts import Run, in_turn
from gnomon.numerics.validation import check_integer
from gnomon.optim._follow import follow
from gnomon.optim._train_options import AdaptRatio, Clock, RowSampling
from gnomon.optim._training import Training, Watch
from gnomon.optim._training_state import TrainingState
from gnomon.optim.batch_problem import BatchProblem
from gnomon.optim.group_steps import add_l1_slopes, l1_value
from gnomon.optim.rules import StopRule
from gnomon.optim.schedules import RateLike
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stalls import BestColumn, RateDrops, Stalls
from gnomon.optim.stopping import AnyOf, GradientNorm, NoImprovement, TimeLimit
from gnomon.optim.updates import UpdateRule

__all__ = ["train"]


def train(
    problem: BatchProblem,
    theta: Floats,
    *,
    solver: str | UpdateRule = "adam",
    schedule: RateLike | None = None,
    per: Clock = "update",
    momentum: RateLike = 0.0,
    batch_size: int | None = None,
    sampling: RowSampling = "shuffle",
    adapt_ratio: AdaptRatio = None,
    tol: float | None = 1e-4,
    n_iter_no_change: int = 10,
    tol_grad: float | None = None,
    max_iter: int = 200,
    drops: RateDrops | None = None,
    time_limit: float | None = None,
    validation: Callable[[Floats], float] | None = None,
    track_objective: bool = False,
    watch: Watch | None = None,
    stop: StopRule | None = None,
    callback: Callback | None = None,
    random_state: RandomState = None,
    state: TrainingState | None = None,
    save: Callable[[Callable[[], TrainingState]], None] | None = None,
    certify: bool = True,
    run: Run = in_turn,
) -> Solution[Floats]:
    """Minimise J of a `BatchProblem` by (1).

    Parameters
    ----------
    problem : BatchProblem
    theta : ndarray
        Start; it is not written to.
    solver : {"gd", "sgd", "adam", "rprop", "rprop+", "irprop-"} or UpdateRule, default="adam"
    schedule : float, str, Schedule or callable, optional
        Rates η_t, 1e-3 by default; Rprop has none.
    per : {"update", "epoch", "row"}, default="update"
        What t of the schedule counts; "row", the rows seen before the epoch, is how scikit-learn counts.
    momentum : float, Schedule or callable, default=0.0
        m of gradient steps, by the epoch, for example `Ramp`.
    batch_size : int, optional
        Rows of an update. By default all for "gd" and Rprop, otherwise min(200, n).
    sampling : {"shuffle", "cyclic", "uniform"} or ndarray of shape (n,), default="shuffle"
        A new order in each epoch, the given order, rows with replacement, or with these probabilities.
    adapt_ratio : tuple of two floats or "normalise", optional
        (low, high): at the end of an epoch whose median ‖ΔW‖/‖W‖ is below low the rate grows by 1.5, above high it is
        halved. "normalise": the rate of each layer is η_t ‖W‖/‖∇W‖, so that the ratio is η_t (gradient steps only).
    tol : float or None, default=1e-4
        Stop when the mean loss of an epoch has not fallen by tol for more than `n_iter_no_change` epochs; None never.
    n_iter_no_change : int, default=10
    tol_grad : float, optional
        Stop at ‖∇J‖∞ ≤ tol_grad; needs full batches.
    max_iter : int, default=200
        Epochs.
    drops : RateDrops, optional
        What is done to the rate at the first stalls, which would stop the training otherwise.
    time_limit : float, optional
        Seconds, looked at after each epoch.
    validation : callable, optional
        θ → score on held-out rows, larger is better. It replaces the test of the loss, and the best θ is returned.
    track_objective : bool, default=False
        Note J over all rows after every epoch, as "full_objective".
    watch : callable, optional
        θ → a dict of further columns of the history.
    stop : StopRule, optional
        A further rule.
    callback : callable, optional
        Called with the row of each epoch; True stops.
    random_state : int, Generator, RandomState or None, default=None
        The order of rows. With `state`, a Generator of the kind that made it.
    state : TrainingState, optional
        Where to go on from, instead of `theta`.
    save : callable, optional
        Called after every epoch with a function that returns the `TrainingState`.
    certify : bool, default=True
        Evaluate J and its gradient over all rows at the end; otherwise `objective` is the mean loss of the last epoch.
    run : callable (function, items) → list, optional
        What updates the parts of a large θ, a `Team` of threads for example; by default one after the other.

    Returns
    -------
    Solution
        `objective` and `gradient_norm` are those over all rows at `w`; the history has, for each epoch, the mean
        "objective" of its batches, "updates", "rate", "momentum", and for each group "gradient_norms" and the median
        "update_ratio" of a sample of its updates. `details` has "last", θ at the end of the run, and "state".

    References
    ----------
    Bottou, L., Curtis, F. E. & Nocedal, J. (2018). Optimization methods for large-scale machine learning.
    doi:10.1137/16M1080173

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import ParameterGroup, train
    >>> class Line:
    ...     n_rows, size, dtype, x = 50, 1, np.dtype(float), np.linspace(-1.0, 1.0, 50)
    ...     groups = (ParameterGroup("slope", 0, 1, (1, 1), "weight", 0),)
    ...     def batch_value_and_gradient(self, theta, rows, gradient):
    ...         residual = (theta[0] - 2.0) * self.x[rows]
    ...         gradient[0] = np.mean(residual * self.x[rows])
    ...         return float(0.5 * np.mean(residual**2))
    ...     def value_and_gradient(self, theta):
    ...         gradient = np.empty(1)
    ...         return self.batch_value_and_gradient(theta, slice(None), gradient), gradient
    ...     def value(self, theta):
    ...         return self.value_and_gradient(theta)[0]
    >>> train(Line(), np.zeros(1), schedule=0.1, batch_size=10, tol=1e-9, random_state=0).w.round(3)
    array([2.])
    """
    at = Training.of(problem, theta, solver, schedule, per, momentum, batch_size, sampling, adapt_ratio, random_state)
    at.track_objective, at.validation, at.watch, at.save, at.run = track_objective, validation, watch, save, run
    if state is not None:
        at.resume(state)
    if tol_grad is not None and at.batch_size < problem.n_rows:
        raise ValueError(f"tol_grad={tol_grad!r} needs full batches; give batch_size={problem.n_rows} or tol_grad=None")
    rule = AnyOf(
        (
            *(() if tol_grad is None else (GradientNorm(tol_grad),)),
            *(() if time_limit is None else (TimeLimit(time_limit),)),
            *_patience(validation is not None, tol, n_iter_no_change, drops),
            *(() if stop is None else (stop,)),
        )
    )
    told = at.listening(callback, drops)
    solution = follow(at.checks(), rule, max_iter=max_iter, callback=told, keep="last")
    solution = _certified(problem, at, solution) if certify else solution
    return solution._replace(details={**solution.details, "last": at.theta, "state": at.state()})


def _patience(
    validated: bool, tol: float | None, n_iter_no_change: int, drops: RateDrops | None
) -> tuple[StopRule, ...]:
    epochs = check_integer("n_iter_no_change", n_iter_no_change, 0) + 1
    if tol is None and not validated:
        return ()
    rule = BestColumn("validation", epochs, tol or 0.0) if validated else NoImprovement(tol or 0.0, epochs)
    return (rule if drops is None else Stalls(rule, drops.times),)


def _certified(problem: BatchProblem, at: Training, solution: Solution[Floats]) -> Solution[Floats]:
    """The solution with J and its gradient over all rows at w."""
    value, gradient = problem.value_and_gradient(solution.w)
    slopes = np.array(gradient)
    add_l1_slopes(solution.w, at.layout, slopes)
    details = {"advice": at.blame()} if solution.stop_reason == "diverged" else {}
    norm = float(np.max(np.abs(slopes), initial=0.0))
    return solution._replace(objective=value + l1_value(solution.w, at.layout), gradient_norm=norm, details=details)
