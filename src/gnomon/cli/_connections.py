"""Connections to `gnomon serve` on which no request comes are closed; uvicorn would wait for its head for ever."""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["protocol_within"]


def protocol_within(seconds: float) -> type[H11Protocol]:
    """The protocol of a server that gives a client so many seconds, or up to twice as many, for the head of a request.

    Examples
    --------
    >>> import pytest
    >>> _ = pytest.importorskip("uvicorn")
    >>> from gnomon.cli._connections import protocol_within
    >>> protocol_within(30.0).seconds
    30.0
    """
    return type("TimedProtocol", (_TimedProtocol,), {"seconds": seconds})


class _TimedProtocol(H11Protocol):
    seconds: float
    timer: asyncio.TimerHandle

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self.timer.cancel()
        super().connection_lost(exc)

    def _watch(self) -> None:
        self.timer = self.loop.call_later(self.seconds, self._look, self.cycle)

    def _look(self, before: Any) -> None:
        """Close the connection if since the last look no request has come and none is being answered."""
        at_rest = self.cycle is None or self.cycle.response_complete
        if at_rest and self.cycle is before:
            self.transport.abort()
        else:
            self._watch()
