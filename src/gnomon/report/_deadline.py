"""A block that ends after so many seconds, whatever it does: what a fit takes is known only when it is over.

The timer of the process interrupts the block between two steps of Python, as Ctrl-C does (setitimer of IEEE Std
1003.1-2017).
"""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["TooLong", "within"]


class TooLong(BaseException):
    """The time of a block is over. A solver, which keeps its best result at a KeyboardInterrupt, passes it on.

    Examples
    --------
    >>> from gnomon.report._deadline import TooLong
    >>> issubclass(TooLong, (Exception, KeyboardInterrupt))
    False
    """


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise `TooLong` in the block after so many seconds.

    Only the main thread can be interrupted, and only where a timer exists that nobody else uses; elsewhere the block
    takes the time that it takes.

    Examples
    --------
    >>> from gnomon.report._deadline import TooLong, within
    >>> with within(10.0):
    ...     sum(range(10))
    45
    >>> try:
    ...     with within(0.01):
    ...         while True:
    ...             pass
    ... except TooLong:
    ...     print("over")
    over
    """
    if math.isinf(seconds) or not _has_timer():
        yield
        return
    inside = True

    def end(number: int, frame: object) -> None:
        if inside:
            raise TooLong

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        inside = False
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _has_timer() -> bool:
    """Whether this thread can be interrupted, and no timer runs and no handler from outside Python is in the way."""
    return (
        "SIGALRM" in signal.Signals.__members__
        and threading.current_thread() is threading.main_thread()
        and signal.getitimer(signal.ITIMER_REAL)[0] == 0.0
        and signal.getsignal(signal.SIGALRM) is not None
    )
