"""What `gnomon serve` does otherwise than uvicorn.

It tells its address when an interrupt ends it in order; connections on which no request comes are closed, where
uvicorn would wait for its head for ever; and when it ends, what cannot be answered soon is refused in order, where
uvicorn would cancel it.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["TellingServer", "protocol_within"]


SECONDS_TO_ANSWER, SECONDS_TO_READ = 2.0, 0.5
"""When the server ends: what requests at work have to be answered, and then their clients to read the answer."""


class TellingServer(uvicorn.Server):
    """A server that calls `tell` when it answers, and when it has taken over the signals that end it.

    When it ends it calls `end_within` with the seconds after which everything must be answered.

    Examples
    --------
    >>> import pytest
    >>> uvicorn = pytest.importorskip("uvicorn")
    >>> from gnomon.cli._connections import TellingServer
    >>> issubclass(TellingServer, uvicorn.Server)
    True
    """

    def __init__(self, config: uvicorn.Config, tell: Callable[[], None], end_within: Callable[[float], None]) -> None:
        super().__init__(config)
        self._tell, self._end_within = tell, end_within

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer, and tell."""
        await super().startup(sockets)
        self._tell()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more requests, let those at work be answered, close every connection."""
        self._end_within(SECONDS_TO_ANSWER)
        asyncio.get_running_loop().call_later(SECONDS_TO_ANSWER + SECONDS_TO_READ, self._close)
        await super().shutdown(sockets)

    def _close(self) -> None:
        for connection in list(self.server_state.connections):
            if connection.transport is not None:
                connection.transport.abort()


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
