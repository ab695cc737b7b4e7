"""Seconds of work without those of compilation.

seconds = elapsed − (time within which Numba compiled, loaded or waited for a kernel)                     (1)
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from numba.core.event import TimingListener, install_listener

__all__ = ["Stopwatch", "stopwatch"]


class Stopwatch:
    """What `stopwatch` yields; `seconds` is (1), known after the block."""

    seconds: float = float("nan")


@contextmanager
def stopwatch() -> Iterator[Stopwatch]:
    """Measure a block of work.

    Examples
    --------
    >>> from gnomon._jit.timing import stopwatch
    >>> with stopwatch() as watch:
    ...     total = sum(range(1000))
    >>> watch.seconds >= 0.0
    True
    """
    watch, compiling = Stopwatch(), TimingListener()
    start = time.perf_counter()
    with install_listener("numba:compiler_lock", compiling):
        yield watch
    elapsed = time.perf_counter() - start
    watch.seconds = elapsed - (compiling.duration if compiling.done else 0.0)
