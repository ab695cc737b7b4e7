"""`gnomon serve`: a model file answers over HTTP, on this machine alone unless another address is asked for."""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from gnomon._extras import need
from gnomon.cli._guard import Stopped, errors
from gnomon.cli._predict import telling_warnings
from gnomon.io import UserError
from gnomon.serve import Asked, RequestLimits, asgi_app, open_model
from gnomon.serve.turns import OverdueError

__all__ = ["run"]

LOOPBACK = "127.0.0.1"
WAITING = 1024
"""Connections that the system holds until they are accepted."""
SECONDS_TO_FINISH = 5
"""After these, uvicorn cancels what is at work; by then nothing is."""


def run(
    model: Path,
    host: str | None,
    port: int,
    *,
    proba: bool,
    threshold: float | None,
    ids: Sequence[str],
    limits: tuple[float, int, float, int],
    reading: Mapping[str, Any],
) -> None:
    """Answer until interrupted."""
    need("gnomon serve", "starlette", "uvicorn")
    import uvicorn

    from gnomon.cli._connections import TellingServer, protocol_within

    with telling_warnings():
        opened = open_model(model)
    bounds = RequestLimits(*limits)
    names = () if host is None else (host, socket.gethostname())
    app = asgi_app(
        opened,
        Asked(proba, threshold, ids),
        limits=bounds,
        reading=reading,
        names=names,
        complain=lambda text: errors().print(text, markup=False),
    )
    service, told = app.state.service, sys.unraisablehook
    sys.unraisablehook = lambda fault: None if fault.exc_type is OverdueError else told(fault)
    with _listening(host or LOOPBACK, port) as place:
        config = uvicorn.Config(
            app, http=protocol_within(bounds.seconds), ws="none", loop="asyncio", lifespan="off", log_config=None,
            access_log=False, proxy_headers=False, server_header=False, timeout_graceful_shutdown=SECONDS_TO_FINISH,
        )  # fmt: skip
        # What interrupts comes again from uvicorn when it has ended.
        with suppress(KeyboardInterrupt, Stopped):
            public = host is not None and not _is_loopback(host)
            TellingServer(config, lambda: _tell(place, model, public=public), service.end_within).run(sockets=[place])
    sys.unraisablehook = told
    errors().print("stopped", markup=False)
    if service.turns.busy:
        # Python would wait for the thread of an answer that nobody is waiting for.
        sys.stdout.flush()
        os._exit(0)


def _listening(host: str, port: int) -> socket.socket:
    """A socket that takes connections, so that the address is true when it is told."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=WAITING)
    except OSError as error:
        reason = (os.strerror(error.errno) if error.errno else str(error)).lower()
        raise UserError(
            f"cannot listen at {host}, port {port}: {reason}; give another --port, or --port 0 for a free one"
        ) from error


def _tell(place: socket.socket, model: Path, *, public: bool) -> None:
    host, port = place.getsockname()[:2]
    if public:
        errors().print(
            f"warning: others in the network can ask this model at {host}, without a password and unencrypted; leave "
            "out --host to answer this machine alone",
            markup=False,
        )
    name = f"[{host}]" if ":" in host else host
    sys.stdout.write(f"{model} answers at http://{name}:{port}/ until Ctrl-C\n")
    sys.stdout.flush()


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
