"""`gnomon warmup`: run every registered job that compiles kernels, so that the first use of each is fast."""

import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

from rich.console import Console
from rich.progress import track

from gnomon._registry import discover, warmups
from gnomon.cli._guard import errors

__all__ = ["run"]


def run(*, jobs: int, quiet: bool) -> None:
    """Run the work on `jobs` processes, with a bar; what fails is a fault of gnomon."""
    discover()
    names = [name for name, _ in warmups()]
    done = _in_processes(names, jobs) if jobs > 1 else map(_warm, names)
    console = errors()
    start = time.perf_counter()
    hidden = quiet or not console.is_terminal
    for _ in track(done, "compiling", len(names), console=console, transient=True, disable=hidden):
        pass
    seconds = time.perf_counter() - start
    Console(quiet=quiet, highlight=False).print(f"{len(names)} groups of kernels are ready ({seconds:.1f} s)")


def _warm(name: str) -> None:
    dict(warmups())[name]()


def _in_processes(names: list[str], jobs: int) -> Iterator[None]:
    """Numba compiles one kernel at a time in a process, hence the processes; what one has compiled the others load."""
    with ProcessPoolExecutor(jobs, get_context("spawn"), initializer=discover) as pool:
        for work in as_completed([pool.submit(_warm, name) for name in names]):
            yield work.result()
