"""The command `gnomon`: learn from a file, predict for another, run a demonstration, compile in advance."""

from __future__ import annotations

import math
import sys
from contextlib import suppress

from gnomon._extras import MissingPackageError, need

__all__ = ["main", "memory_limit"]


def main() -> None:
    """Run the command with the arguments of the process.

    Examples
    --------
    >>> import sys
    >>> from gnomon.cli import main
    >>> arguments, sys.argv = sys.argv, ["gnomon", "--version"]
    >>> try:
    ...     main()
    ... except SystemExit as end:
    ...     print("ended with", end.code)
    ... finally:
    ...     sys.argv = arguments
    gnomon ...
    ended with 0
    """
    try:
        need("the command gnomon", "typer", "rich")
        from gnomon.cli._app import app

        app(prog_name="gnomon")
    except MissingPackageError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(2)
    except (ImportError, MemoryError, OSError) as error:
        if math.isinf(limit := memory_limit()):
            raise
        sys.stderr.write(f"error: the process is limited to {limit / 1e6:.0f} MB of memory (ulimit -v): {error}\n")
        sys.exit(2)


def memory_limit() -> float:
    """Bytes of address space that this process may have; infinite where there is no limit.

    Examples
    --------
    >>> from gnomon.cli import memory_limit
    >>> memory_limit() > 1e6
    True
    """
    # The module exists where processes have such limits.
    with suppress(ImportError):
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY:
            return limit
    return math.inf
