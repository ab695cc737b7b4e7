"""Words that several models have for the same choice."""

from __future__ import annotations

from typing import Literal, TypeAlias

from gnomon.distributions.conjugate import Estimation
from gnomon.distributions.counts import CategoryGaps, UnknownValues

__all__ = ["Assignment", "CategoryGaps", "Estimation", "Gaps", "UnknownValues", "ZeroPolicy"]

Gaps: TypeAlias = Literal["marginalize", "error"]
"""Missing cells are integrated out, or refused."""

ZeroPolicy: TypeAlias = Literal["prior", "raise"]
"""A row of density zero under every class has the prior as its posterior, or is refused."""

Assignment: TypeAlias = Literal["soft", "hard"]
"""EM shares a row by its responsibilities, or gives it to one component."""
