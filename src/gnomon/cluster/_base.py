"""What clusterers share.

1 ≤ k ≤ n                                                                                       (1)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from threading import Event
from typing import Any, Protocol, TypeVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from gnomon._typing import Floats, Integers
from gnomon.numerics.parallel import blas_threads, map_until_interrupt
from gnomon.optim.center_distances import dense_rows
from gnomon.optim.solution import History, StopReason

__all__ = [
    "best_run",
    "check_n_clusters",
    "run_all",
    "same_partition",
    "warn_if_few",
    "warn_unless_settled",
]

Run = TypeVar("Run", bound="Ended")


class Ended(Protocol):
    """The end of a run: labels, the objective, which is minimised, and why it ended."""

    @property
    def labels(self) -> Integers: ...
    @property
    def objective(self) -> float: ...
    @property
    def stop_reason(self) -> StopReason: ...


def check_n_clusters(k: int, n: int) -> None:
    """Refuse more clusters than rows: (1)."""
    if k > n:
        raise ValueError(f"n_samples={n} should be >= n_clusters={k}; give more rows or fewer clusters")


def run_all(run: Callable[[Any, int], Run], starts: Sequence[Any], n_jobs: int | None) -> list[Run]:
    """``run(start, n_jobs)`` for every start: a single one on all threads, several each on one of them.

    After a run that was interrupted none begins.
    """
    threads = n_jobs or blas_threads()
    within = threads if len(starts) == 1 else 1
    interrupted = Event()

    def one(start: Any) -> Run:
        if interrupted.is_set():
            raise KeyboardInterrupt
        found = run(start, within)
        if found.stop_reason == "interrupted":
            interrupted.set()
        return found

    return map_until_interrupt(one, starts, threads)


def best_run(runs: Sequence[Run]) -> Run:
    """The run of least objective; one that has the same clusters as an earlier one differs from it by rounding."""
    best = runs[0]
    for run in runs[1:]:
        if run.objective < best.objective and not same_partition(run.labels, best.labels):
            best = run
    return best


def same_partition(a: Integers, b: Integers) -> bool:
    """Whether two labellings are the same up to the numbers of the clusters."""
    pairs = np.unique(np.stack([a, b]), axis=1).shape[1]
    return pairs == len(np.unique(a)) == len(np.unique(b))


def warn_if_few(labels: Integers, k: int, rows: Any = None, *, stacklevel: int = 3) -> None:
    """Say that fewer clusters than asked for have rows, or that fewer `rows` are distinct.

    Where every cluster is kept from being empty, rows that are the same are in several, and only `rows` can tell.
    """
    found = len(np.unique(labels))
    if rows is not None:
        found = min(found, _distinct(rows, k))
    if found < k:
        message = (
            f"Number of distinct clusters ({found}) found smaller than n_clusters ({k}). Possibly due to duplicate "
            "points in X; give fewer n_clusters"
        )
        warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel)


def _distinct(rows: Any, most: int) -> int:
    """Distinct rows, counted up to `most`."""
    seen = set[bytes]()
    for i in range(rows.shape[0]):
        if len(seen) == most:
            break
        # −0 is 0.
        seen.add((dense_rows(rows, [i]) + 0.0).tobytes())
    return len(seen)


def warn_unless_settled(converged: bool, reason: str, max_iter: int, history: History, *, stacklevel: int = 3) -> None:
    """Say how much the last iteration gained where `max_iter` ended the run, or that an interrupt did."""
    if converged or reason == "callback":
        return
    if reason == "interrupted":
        done = history["iteration"][-1]
        message = f"interrupted after {done} iterations, whose clusters are kept; fit again for the rest"
        warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel)
        return
    last: Floats = np.diff(history["objective"])[-1:]
    gained = f" (the last iteration lowered the objective by {-last[0]:.3g})" if len(last) else ""
    message = f"not converged in {max_iter} iterations{gained}; raise max_iter={max_iter}, or loosen tol"
    warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel)
