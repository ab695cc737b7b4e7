"""Errors that the user can fix become one sentence and exit code 2, without a traceback.

A signal to terminate becomes an exception, so that unfinished files are removed; the exit code is 128 + its number, as
shells have it (IEEE Std 1003.1-2017, §2.8.2).
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

from gnomon._extras import MissingPackageError
from gnomon.cli import memory_limit
from gnomon.io import UserError

__all__ = ["ENDING", "TO_COMPILE", "Stopped", "errors", "guarded"]

DEBUG = "GNOMON_DEBUG"
ENDING = [signal.Signals[name] for name in ("SIGINT", "SIGTERM", "SIGHUP") if name in signal.Signals.__members__]
"""Requests to end that a process can answer; not every system has all of them."""


TO_COMPILE = 1_200_000_000
"""Bytes of address space that fits need, compilation of their kernels included: LLVM aborts the process with less."""


class Stopped(BaseException):
    """A signal asks the process to end. Solvers keep their best result at a KeyboardInterrupt; a command must not."""


def errors() -> Console:
    """The console for everything that is not the result: standard error."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


@contextmanager
def guarded(*, memory: int = 0) -> Iterator[None]:
    """Run a command's work, which needs so many bytes; turn what goes wrong into a sentence and an exit code."""
    try:
        _refuse_less_than(memory)
        with _stoppable():
            yield
    except (MissingPackageError, UserError) as error:
        _say(f"error: {error}")
        raise typer.Exit(2) from None
    except (KeyboardInterrupt, Stopped) as request:
        _say("interrupted; nothing was written")
        raise typer.Exit(128 + (request.args or (signal.SIGINT,))[0]) from None
    except BrokenPipeError:
        # The reader of our output has gone, for instance `| head`; Python must not try to flush into it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        _say(f"error: {(error.strerror or str(error)).lower()}{place}; nothing was written")
        raise typer.Exit(2) from None
    except MemoryError:
        _say("error: not enough memory for this file; give a sample of its rows")
        raise typer.Exit(2) from None
    except Exception as error:
        if os.environ.get(DEBUG):
            raise
        _say(f"gnomon failed: {type(error).__name__}: {error}. This is a fault of gnomon; nothing was written.")
        _say(f"Set {DEBUG}=1 for the traceback, and report it please.")
        raise typer.Exit(1) from None


@contextmanager
def _stoppable() -> Iterator[None]:
    """Raise `Stopped` at the first signal of `ENDING` and ignore the next, which would interrupt the clean-up."""
    # Signals that the parent ignores, as with nohup, stay ignored; only the main thread may install handlers.
    main = threading.current_thread() is threading.main_thread()
    before = {s: signal.getsignal(s) for s in ENDING if main and signal.getsignal(s) is not signal.SIG_IGN}

    def stop(number, frame):
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        raise Stopped(number)

    for each in before:
        signal.signal(each, stop)
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _refuse_less_than(memory: int) -> None:
    if (limit := memory_limit()) < memory:
        raise UserError(
            f"the process is limited to {limit / 1e6:.0f} MB of memory, and to compile what fits takes "
            f"{memory / 1e6:.0f}; raise the limit (ulimit -v)"
        )


def _say(text: str) -> None:
    errors().print(text, markup=False)
