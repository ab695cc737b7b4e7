"""Decisions: from predictions to what to do, and how sure to be of it."""

from gnomon.decision._confidence import confidence

__all__ = ["confidence"]
