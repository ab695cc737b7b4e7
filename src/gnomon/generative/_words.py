"""Words that several models have for the same choice."""

from __future__ import annotations

from typing import Literal, TypeAlias

__all__ = ["Assignment", "CategoryGaps", "Estimation", "Gaps", "UnknownValues", "ZeroPolicy"]

Estimation: TypeAlias = Literal["mle", "map", "predictive"]
"""Greatest likelihood; greatest posterior density; or no point estimate but the predictive law."""

Gaps: TypeAlias = Literal["marginalize", "error"]
"""Missing cells are integrated out, or refused."""

CategoryGaps: TypeAlias = Literal["marginalize", "state", "error"]
"""The same for columns of categories, where "missing" may also be a value of its own."""

UnknownValues: TypeAlias = Literal["floor", "ignore", "error"]
"""A value that its column does not have counts as never met, has the factor one, or is refused."""

ZeroPolicy: TypeAlias = Literal["prior", "raise"]
"""A row of density zero under every class has the prior as its posterior, or is refused."""

Assignment: TypeAlias = Literal["soft", "hard"]
"""EM shares a row by its responsibilities, or gives it to one component."""
