"""The command `gnomon`: learn from a file, predict for another, run a demonstration, compile in advance."""

from __future__ import annotations

from gnomon.cli._app import main

__all__ = ["main"]
