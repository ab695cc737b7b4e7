"""Penalties: what a model pays for its coefficients."""

from gnomon._jit import noun
from gnomon.penalties._base import Penalty
from gnomon.penalties.l1 import L1

__all__ = ["L1", "Penalty", "noun"]
