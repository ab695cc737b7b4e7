"""Decisions: from predictions to actions, and the confidence in them."""

from gnomon.decision._confidence import confidence

__all__ = ["confidence"]
