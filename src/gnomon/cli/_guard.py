"""The border: errors that the user can mend become one sentence and exit code 2, without a traceback."""

import os
import sys
from contextlib import contextmanager

import typer
from rich.console import Console

from gnomon.io import UserError

__all__ = ["errors", "guarded"]

DEBUG = "GNOMON_DEBUG"


def errors():
    """The console for everything that is not the result: standard error."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


@contextmanager
def guarded():
    """Run a command's work; turn what goes wrong into a sentence and an exit code."""
    try:
        yield
    except UserError as error:
        _say(f"error: {error}")
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        _say("interrupted; nothing was written")
        raise typer.Exit(130) from None
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


def _say(text):
    errors().print(text, markup=False)
