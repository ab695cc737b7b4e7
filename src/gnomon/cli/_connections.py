"""What `gnomon serve` does otherwise than uvicorn.

It tells its address when an interrupt ends it in order; and connections on which no request comes are closed, where
uvicorn would wait for its head for ever.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["TellingServer", "protocol_within"]


class TellingServer(uvicorn.Server):
    """A server that calls `tell` when it answers, and when it has taken over the signals that end it.

    Examples
    --------
    >>> import pytest
    >>> uvicorn = pytest.importorskip("uvicorn")
    >>> from gnomon.cli._connections import TellingServer
    >>> issubclass(TellingServer, uvicorn.Server)
    True
    """

    def __init__(self, config: uvicorn.Config, tell: Callable[[], None]) -> None:
        super().__init__(config)
        self._tell = tell

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer, and tell."""
        await super().startup(sockets)
        self._tell()


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
