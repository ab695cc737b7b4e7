"""The command `gnomon`: learn from a file, predict for another, run a demonstration, compile in advance."""

from __future__ import annotations

import sys

from gnomon._extras import MissingPackageError, need

__all__ = ["main"]


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
