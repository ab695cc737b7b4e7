"""`gnomon warmup`: run every registered job that compiles kernels, so that the first use of each is fast."""

import time

from rich.console import Console
from rich.progress import track

from gnomon._registry import discover, warmups
from gnomon.cli._guard import errors

__all__ = ["run"]


def run(*, quiet: bool) -> None:
    """Run the jobs one after the other, with a bar; a job that fails is a fault of gnomon."""
    discover()
    jobs = warmups()
    console = errors()
    start = time.perf_counter()
    for _, job in track(jobs, "compiling", console=console, transient=True, disable=quiet or not console.is_terminal):
        job()
    seconds = time.perf_counter() - start
    Console(quiet=quiet, highlight=False).print(f"{len(jobs)} groups of kernels are ready ({seconds:.1f} s)")
