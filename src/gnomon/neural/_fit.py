"""The fit of a network to rows: one function for every estimator that has a network inside.

    θ* = argmin_θ J(θ; X, y, s)  from a start that is drawn,  or from the best of several    (1)

(network, rows, targets, weights, options) → `Trained`, a value. The options choose the engine that evaluates J and ∇J,
and the solver of `gnomon.optim` that is given them: mini-batches (`train`) or a descent on the whole objective. Rows
held out choose the epoch that is returned. Prechelt (1998), doi:10.1007/3-540-49430-8_3; restarts: Iyer & Rhinehart
(1999), doi:10.1109/72.750573.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import Array, Floats
from gnomon.neural._checkpoint import Checkpoint
from gnomon.neural._descents import descend
from gnomon.neural._engines import engine_name, passes_of
from gnomon.neural._options import TrainingOptions
from gnomon.neural._symmetric_start import warn_if_symmetric
from gnomon.neural._tolerances import is_stuck, tolerance_units
from gnomon.numerics.parallel import blas_threads, calm_blas, map_until_interrupt, team
from gnomon.numerics.parts import Run
from gnomon.numerics.random import check_rng, spawn_seeds
from gnomon.optim import BatchProblem, Solution, TrainingState, train
from gnomon.optim.rounding import refuse_overflow
from gnomon.optim.solution import Callback, Row

__all__ = ["HeldOut", "Trained", "fit_network"]

LARGE_PRODUCT = 10**9
"""Multiply-adds from which on a product gains from BLAS's threads."""

STOPPED = {
    "time": "The time limit ended the training; raise time_limit",
    "interrupted": "The training was interrupted and the best weights were kept; fit with warm_start=True to go on",
}


class HeldOut(NamedTuple):
    """Rows that no gradient sees, and what is measured on them.

    Fields
    ------
    score : callable
        θ → a number, larger is better.
    loss : callable
        θ → the mean loss on these rows, without penalties.
    """

    score: Callable[[Floats], float]
    loss: Callable[[Floats], float]


class Trained(NamedTuple):
    """The end of a fit.

    Fields
    ------
    theta : ndarray
    solution : Solution
        Of the start that was kept; its history has a row for the start and for every epoch.
    restarts : ndarray
        The final value of every start: J, or with held-out rows the best score.
    state : TrainingState or None
        From which `fit_network` goes on; None after a descent on the whole objective.
    """

    theta: Floats
    solution: Solution[Floats]
    restarts: Floats
    state: TrainingState | None


def fit_network(
    network: Any,
    X: Any,
    y: Any,
    s: Floats | None,
    *,
    loss: Any,
    options: TrainingOptions,
    output_weights: Any = None,
    held: HeldOut | None = None,
    start: Floats | None = None,
    draw: Callable[[np.random.Generator], Floats] | None = None,
    state: TrainingState | None = None,
    epochs: int | None = None,
    watch: Callable[[Floats], Mapping[str, Any]] | None = None,
    callback: Callback | None = None,
    file: Checkpoint | None = None,
) -> Trained:
    """Train a network by (1).

    Parameters
    ----------
    network : NeuralNetwork
    X, y
        As ``NeuralNetwork.problem`` takes them.
    s : ndarray of shape (n,) or None
        Weights of the rows.
    loss : Loss, sequence of Loss, or dict of these by output
    options : TrainingOptions
    output_weights : sequence of float, or dict by output, optional
        What each loss counts.
    held : HeldOut, optional
        Early stopping: the epoch with the best score is returned.
    start : ndarray, optional
        θ to begin at, instead of a draw.
    draw : callable, optional
        generator → θ to begin at, instead of that of the network; each start has its own generator.
    state : TrainingState, optional
        Where to go on from.
    epochs : int, optional
        So many and no test of convergence, as ``partial_fit`` asks; otherwise as `options` says.
    watch : callable, optional
        θ → further columns of the history.
    callback : callable, optional
        Called with each row of the history; True stops.
    file : Checkpoint, optional
        Where the training is kept, and from which it goes on.
    """
    check_network(network, options)
    passes = passes_of(options.engine, network, device=options.device, masks=options.masks)
    total = float(_rows_of(X) if s is None else np.sum(s, dtype=float))
    given = {
        **options.penalties(total), "loss": loss, "output_weights": output_weights, "augment": options.augment,
        "passes": passes,
    }  # fmt: skip
    begin = draw or (lambda rng: network.init(rng, _dtype_of(X)))

    def run(seed: Any) -> Solution[Floats]:
        rng = check_rng(seed)
        theta = begin(rng) if start is None else start
        if start is None and state is None:
            warn_if_symmetric(network, theta)
        # Arithmetic that overflows ends as divergence, or is refused below.
        calm, threads = _blas(network, options, _rows_of(X)), _threads(network, options, _rows_of(X))
        with calm, team(threads) as together, np.errstate(over="ignore", invalid="ignore"):
            problem = network.problem(X, y, s, **given, rng=rng, run=together)
            solution = _solve(problem, theta, options, held, state, epochs, watch, callback, rng, together, file)
        refuse_overflow(solution.w, solution.objective)
        return solution if not is_stuck(problem, solution) else _doubted(solution)

    once = options.n_restarts == 1
    seeds = [options.random_state] if once else spawn_seeds(options.random_state, options.n_restarts)
    runs = map_until_interrupt(run, seeds, options.n_jobs)
    ends = np.array([_end(solution, held) for solution in runs])
    best = runs[int(np.argmin(ends))]
    return Trained(best.w, best, ends if held is None else -ends, best.details.get("state"))


def _end(solution: Solution[Floats], held: HeldOut | None) -> float:
    """What is least for the start to be kept."""
    return solution.objective if held is None else -float(np.nanmax(solution.history["validation"]))


def _solve(
    problem: BatchProblem,
    theta: Floats,
    options: TrainingOptions,
    held: HeldOut | None,
    state: TrainingState | None,
    epochs: int | None,
    watch: Callable[[Floats], Mapping[str, Any]] | None,
    callback: Callback | None,
    rng: np.random.Generator,
    run: Run,
    file: Checkpoint | None,
) -> Solution[Floats]:
    """One start: a descent on the whole objective, or mini-batches."""
    score = None if held is None else held.score
    if options.full_batch:
        return _explained(descend(problem, theta, options, score, callback))
    state = file.state if file is not None and file.state is not None else state
    first = 0 if state is None else state.epoch
    rate, rule = options.schedule, options.rule
    solution = train(
        problem,
        theta,
        solver=rule,
        schedule=rate,
        per=options.clock,
        momentum=options.momentum if rule.has_momentum else 0.0,
        batch_size=options.rows_of_a_batch(problem.n_rows),
        sampling="cyclic" if not options.shuffle else options.sampling,  # type: ignore[arg-type]
        adapt_ratio=options.adapt_ratio,
        tol=None if epochs is not None else options.tol * (tolerance_units(problem).loss if held is None else 1.0),
        tol_grad=options.tol_grad,
        n_iter_no_change=options.patience,
        max_iter=options.max_iter if epochs is None else first + epochs,
        drops=options.drops if epochs is None else None,
        time_limit=options.time_limit,
        validation=score,
        watch=_columns(held, watch),
        track_objective=options.track_objective,
        callback=callback if file is None or callback is None else _after(first, callback),
        random_state=rng,
        state=state,
        save=None if file is None else file.save,
        certify=epochs is None,
        run=run,
    )
    if file is not None:
        file.close(solution.details["state"])
    return _explained(solution)


def _columns(
    held: HeldOut | None, watch: Callable[[Floats], Mapping[str, Any]] | None
) -> Callable[[Floats], Mapping[str, Any]] | None:
    """What is noted after every epoch besides what `train` notes."""
    if held is None:
        return watch
    more = watch or (lambda theta: {})
    return lambda theta: {"validation_loss": held.loss(theta), **more(theta)}


def _after(first: int, callback: Callback) -> Callback:
    """The callback, for rows that were not told of before."""
    return lambda row: row["iteration"] > first and bool(callback(row))


def _explained(solution: Solution[Floats]) -> Solution[Floats]:
    """With advice for the ways to end that more epochs would not have mended."""
    advice = STOPPED.get(solution.stop_reason)
    return solution if advice is None else solution._replace(details={**solution.details, "advice": advice})


def _doubted(solution: Solution[Floats]) -> Solution[Floats]:
    """A rest that is no convergence."""
    advice = "the loss did not fall by more than its rounding; scale X and y, or give a larger rate"
    return solution._replace(converged=False, details={**solution.details, "advice": advice})


def check_network(network: Any, options: TrainingOptions) -> None:
    """ValueError where the solver cannot train these layers, or a file cannot keep what they learn."""
    kept = [layer for layer in network.layers if layer.remembers]
    if kept and options.checkpoint is not None:
        raise ValueError(
            f"checkpoint={str(options.checkpoint)!r} keeps parameters, and {kept[0]!r} has more, as running means; "
            "leave one out"
        )
    own = [(group.layer, name, getattr(group, name)) for group in network.groups() for name in ("l1", "max_norm")]
    if options.full_batch and (given := [each for each in own if each[2]]):
        layer, name, value = given[0]
        raise ValueError(
            f"{name}={value!r} of layer {layer!r} cannot be used by solver={options.solver!r}, which needs one smooth "
            f"objective; choose 'adam', 'sgd', 'gd' or 'rprop', or leave {name} out"
        )
    if network.random and options.full_batch:
        drawn = [type(layer).__name__ for layer in network.layers if layer.random]
        raise ValueError(
            f"solver={options.solver!r} needs an objective without chance, and layers has {drawn[0]}; "
            "choose 'adam', 'sgd', 'gd' or 'rprop', or leave that layer out"
        )


def _blas(network: Any, options: TrainingOptions, n: int) -> AbstractContextManager[Any]:
    """One thread for BLAS, unless every product of an update is large."""
    return nullcontext() if _has_large_products(network, options, n) else calm_blas(0)


def _threads(network: Any, options: TrainingOptions, n: int) -> int:
    """As many threads of our own as BLAS may have, where neither BLAS nor PyTorch uses them."""
    ours = engine_name(options.engine, network, device=options.device) == "numpy"
    return blas_threads() if ours and not _has_large_products(network, options, n) else 1


def _has_large_products(network: Any, options: TrainingOptions, n: int) -> bool:
    rows = n if options.full_batch else options.rows_of_a_batch(n)
    sizes: Sequence[int] = [p.size for node in network.nodes for p in node.parameters if len(p.shape) > 1]
    return bool(sizes) and rows * min(sizes) > LARGE_PRODUCT


def _rows_of(X: Any) -> int:
    table = next(iter(X.values())) if isinstance(X, Mapping) else X
    return int(table.shape[0])


def _dtype_of(X: Any) -> Any:
    table: Array = next(iter(X.values())) if isinstance(X, Mapping) else X
    return table.dtype


def progress(options: TrainingOptions, report: Any) -> Callback | None:
    """A callback that tells a report of every epoch and its loss; None where nobody listens."""
    if report is None:
        return None

    def told(row: Row) -> None:
        if row["iteration"]:
            score = f", validation {row['validation']:.4g}" if "validation" in row else ""
            report(int(row["iteration"]), options.max_iter, f": loss {row['objective']:.6g}{score}")

    return told
