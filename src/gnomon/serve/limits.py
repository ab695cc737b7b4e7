"""What the server accepts at most, and refusals with the status of HTTP that says why (RFC 9110, section 15)."""

from __future__ import annotations

from typing import NamedTuple

from gnomon.io import UserError

__all__ = ["RefusedError", "RequestLimits"]


class RequestLimits(NamedTuple):
    """Bounds that keep one client from taking the whole machine.

    Examples
    --------
    >>> from gnomon.serve import RequestLimits
    >>> RequestLimits(rows=10).rows, RequestLimits().megabytes
    (10, 10.0)
    """

    megabytes: float = 10.0
    rows: int = 100_000
    seconds: float = 30.0
    requests: int = 16

    @property
    def size(self) -> int:
        """Most bytes of a body."""
        return int(self.megabytes * 1_000_000)


class RefusedError(UserError):
    """A request that is refused: its status and, in words, why and what to do."""

    def __init__(self, status: int, text: str):
        super().__init__(text)
        self.status = status
