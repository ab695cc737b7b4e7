"""What a check says to the reader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

__all__ = ["GRAVITY", "Finding", "Gravity"]

Gravity: TypeAlias = Literal["grave", "warning", "note"]
GRAVITY = get_args(Gravity)


@dataclass(frozen=True)
class Finding:
    """One warning: how grave it is, its title and what to do."""

    level: Gravity
    title: str
    text: str
