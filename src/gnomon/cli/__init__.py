"""The command `gnomon`: learn from a file, predict for another, look at a demonstration, compile ahead."""

from gnomon.cli._app import main

__all__ = ["main"]
