"""`gnomon warmup`: run every job that compiles kernels, so that the first use of each is fast.

Families register jobs of their own; to these comes a study in small of every task, on the way of `gnomon learn`
and `gnomon cluster`.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Collection, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

from rich.console import Console
from rich.progress import track

from gnomon._registry import discover, register_warmup, warmups
from gnomon.cli._guard import errors
from gnomon.io import UserError

__all__ = ["run"]


def run(words: Collection[str] = (), *, jobs: int, quiet: bool) -> None:
    """Run the work on `jobs` processes, with a bar; what fails is a fault of gnomon."""
    names = _chosen(words)
    done = _in_processes(names, jobs) if jobs > 1 else map(_warm, names)
    console = errors()
    start = time.perf_counter()
    hidden = quiet or not console.is_terminal
    for _ in track(done, "compiling", len(names), console=console, transient=True, disable=hidden):
        pass
    seconds = time.perf_counter() - start
    Console(quiet=quiet, highlight=False).print(f"{len(names)} groups of kernels are ready ({seconds:.1f} s)")


def _chosen(words: Collection[str]) -> list[str]:
    """The groups that have one of the words in their names; all if there are no words."""
    _collect()
    names = [name for name, _ in warmups()]
    if unknown := [word for word in words if not any(word in name for name in names)]:
        raise UserError(f"no group of kernels is called {', '.join(unknown)}; there are: {'; '.join(names)}")
    return [name for name in names if not words or any(word in name for word in words)]


def _collect() -> None:
    """Register every job."""
    from gnomon.report.rehearsal import REHEARSALS

    discover()
    for name, job in REHEARSALS.items():
        register_warmup(name, job)


def _warm(name: str) -> None:
    with warnings.catch_warnings():
        # What a fit to a few made-up rows warns of means nothing to the user.
        warnings.simplefilter("ignore")
        dict(warmups())[name]()


def _in_processes(names: list[str], jobs: int) -> Iterator[None]:
    """Numba compiles one kernel at a time in a process, hence the processes; what one has compiled the others load."""
    with ProcessPoolExecutor(min(jobs, len(names)), get_context("spawn"), initializer=_collect) as pool:
        for work in as_completed([pool.submit(_warm, name) for name in names]):
            yield work.result()
