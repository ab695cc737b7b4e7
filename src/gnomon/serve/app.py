"""The server's application: what is answered at which address, and what is refused.

    GET /         the form, and POST / its answer as a page
    GET /health   whether the model answers
    GET /schema   the JSON schema of a row
    POST /predict JSON or CSV in, the same out

Against other sites in the user's browser: the Host must be a name of this machine, requests of other origins are
refused, and there is no CORS. Predictions run one after another: their kernels use the cores, and a warning belongs to
the prediction that made it.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
import traceback
from collections.abc import Awaitable, Callable, Collection, Mapping
from email.message import EmailMessage
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import gnomon
from gnomon._extras import need
from gnomon.io import UserError
from gnomon.io.files import csv_text
from gnomon.serve.answers import Asked, OpenModel, warnings_as_notes
from gnomon.serve.bodies import form_fields, json_rows, table_of_csv, table_of_rows
from gnomon.serve.fields import fields_of, row_schema
from gnomon.serve.limits import RefusedError, RequestLimits
from gnomon.serve.pages import Page
from gnomon.serve.turns import Turns
from gnomon.serve.why import explain

__all__ = ["asgi_app"]

MOST_READ_AWAY = 100_000_000
"""Bytes of a body too large that are read on, so that the client hears the answer."""
LONGEST_NOTE, MOST_NOTES, LONGEST_HEADER = 300, 12, 3900
"""Characters of a note and of all in a header, for which servers on the way have 4 kB."""
JSON, CSV, FORM = "application/json", "text/csv", "application/x-www-form-urlencoded"
"""The types of bodies."""
EVERYWHERE = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


def asgi_app(
    model: OpenModel,
    asked: Asked = Asked(),  # noqa: B008
    *,
    limits: RequestLimits = RequestLimits(),  # noqa: B008
    reading: Mapping[str, Any] | None = None,
    names: Collection[str] = (),
    complain: Callable[[str], None] | None = None,
) -> Any:
    """The application for any server of ASGI.

    Parameters
    ----------
    model : OpenModel
    asked : Asked
        What CSV answers hold besides predictions; the threshold holds for all answers.
    limits : RequestLimits
    reading : dict, optional
        Options of reading CSV other than those of the training file.
    names : collection of str, default=()
        Names of this machine that a client may use besides addresses and localhost.
    complain : callable (text), optional
        Told of faults of gnomon itself.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.report import learn
    >>> from gnomon.report.study_files import notes_of
    >>> from gnomon.serve import OpenModel, asgi_app
    >>> x = np.random.default_rng(0).normal(size=100)
    >>> study = learn({"x": x, "y": 2.0 * x}, "y")
    >>> app = asgi_app(OpenModel(study.model, notes_of(study)))
    >>> [route.path for route in app.routes]
    ['/', '/health', '/schema', '/predict']
    """
    need("gnomon.serve.asgi_app", "starlette")
    model.check(asked)
    return _Service(model, asked, limits, model.reading(reading or {}), names, complain or (lambda text: None)).app()


class _Service:
    """The state that requests share: the model, its page, and the one thread that asks it."""

    def __init__(
        self,
        model: OpenModel,
        asked: Asked,
        limits: RequestLimits,
        reading: Mapping[str, Any],
        names: Collection[str],
        complain: Callable[[str], None],
    ):
        self.model, self.asked, self.limits = model, asked, limits
        self.reading, self.names, self.complain = reading, {"localhost", *(n.lower() for n in names)}, complain
        self.fields = fields_of(model)
        self.page = Page(model, self.fields)
        self.turns = Turns(limits.requests)
        self.at_work: set[asyncio.Timeout] = set()

    def app(self) -> Any:
        """Routes with the checks that every request passes."""
        from starlette.applications import Starlette
        from starlette.exceptions import HTTPException
        from starlette.middleware import Middleware
        from starlette.routing import Route

        async def failed(request: Any, error: Any) -> Any:
            text = {404: "there is nothing at this address; see / for the form", 405: "this address has another method"}
            return self._refusal(request, error.status_code, text.get(error.status_code, error.detail), error.headers)

        routes = [
            Route("/", self._guarded(self._form), methods=["GET", "POST"]),
            Route("/health", self._guarded(self._health), methods=["GET"]),
            Route("/schema", self._guarded(self._schema), methods=["GET"]),
            Route("/predict", self._guarded(self._predict), methods=["POST"]),
        ]
        app = Starlette(
            routes=routes, exception_handlers={HTTPException: failed}, middleware=[Middleware(self._checked)]
        )
        app.state.service = self
        return app

    def end_within(self, seconds: float) -> None:
        """Let the requests at work have so many seconds more; those that need longer are refused then."""
        end = asyncio.get_running_loop().time() + seconds
        for scope in self.at_work:
            scope.reschedule(end)

    def _checked(self, app: Any) -> Any:
        """`app` behind the checks of origin, which come before everything that is said of an address."""
        from starlette.requests import Request

        async def run(scope: Any, receive: Any, send: Any) -> None:
            answer = app
            if scope["type"] == "http":
                request = Request(scope)
                try:
                    _refuse_strangers(request, self.names)
                except RefusedError as error:
                    answer = self._refusal(request, error.status, str(error))
            await answer(scope, receive, send)

        return run

    def _guarded(self, answer: Callable[[Any], Awaitable[Any]]) -> Callable[[Any], Awaitable[Any]]:
        """`answer`; what it refuses becomes a page or JSON."""

        async def run(request: Any) -> Any:
            scope = asyncio.timeout(None)
            self.at_work.add(scope)
            try:
                async with scope:
                    return await answer(request)
            except TimeoutError:
                return self._refusal(request, 503, "the server is ending; ask again when it is back")
            except UserError as error:
                return self._refusal(request, _status_of(error), str(error))
            except MemoryError:
                return self._refusal(request, 413, "not enough memory for these rows; send fewer")
            except Exception as error:
                told = f"{type(error).__name__}: {error}. This is a fault of gnomon."
                self.complain(traceback.format_exc() if os.environ.get("GNOMON_DEBUG") else told)
                return self._refusal(
                    request, 500, f"gnomon failed: {type(error).__name__}; see what the server printed"
                )
            finally:
                self.at_work.discard(scope)

        return run

    def _refusal(self, request: Any, status: int, text: str, headers: Mapping[str, str] | None = None) -> Any:
        more = {**(headers or {}), **({"Retry-After": "1"} if status == 503 else {})}
        if status in (408, 413):
            more["Connection"] = "close"
        if "text/html" in request.headers.get("accept", ""):
            return _html(self.page, self.page.refusal(text), status, more)
        return _json({"error": text, "status": status}, status, more)

    async def _health(self, request: Any) -> Any:
        facts = self.model.facts
        told = {"status": "ok", "gnomon": gnomon.__version__, "task": self.model.task, "target": facts["target"]}
        return _json(told)

    async def _schema(self, request: Any) -> Any:
        return _json(row_schema(self.fields, f"a row for the model of {self.model.facts['target'] or self.model.task}"))

    async def _form(self, request: Any) -> Any:
        if request.method != "POST":
            return _html(self.page, self.page.form(self.page.typical))
        _type_of(request, (FORM,))
        return _html(self.page, *await self._work(request, self._answered_form))

    def _answered_form(self, body: bytes) -> tuple[str, int]:
        """The page that answers the fields of the form, and its status."""
        given = form_fields(body, len(self.fields) + 100)
        row = {**self.page.hidden, **given}
        try:
            table, others = table_of_rows([row], self.model.kinds, self.reading.get("missing", ()))
            with warnings_as_notes() as said:
                notes = list(self.model.remarks(table, others))
                answers = self.model.answers(table, self._of_rows)
                why = explain(self.model, table, self.page.typical, self._of_rows)
        except UserError as error:
            return self.page.form(row, error=str(error)), _status_of(error)
        return self.page.form(row, answers=answers, why=why, notes=[*notes, *said]), 200

    async def _predict(self, request: Any) -> Any:
        kind, options = _type_of(request, (JSON, CSV))
        if kind == JSON and options.get("charset", "utf-8").lower() not in ("utf-8", "utf8"):
            raise RefusedError(415, f"JSON is UTF-8, not {options['charset']}; send it so, without another charset")
        text, notes = await self._work(request, partial(self._said, kind, options))
        return _answer(text, kind, notes)

    async def _work(self, request: Any, job: Callable[[bytes], Any]) -> Any:
        """The result of `job(body)` in the thread of answers, within the limits."""
        end = asyncio.get_running_loop().time() + self.limits.seconds
        async with self.turns.place(end):
            body = await _body(request, self.limits, end)
            try:
                return await self.turns.result(partial(job, body), end)
            except TimeoutError:
                raise RefusedError(
                    503, f"no answer within {self.limits.seconds:g} seconds; send fewer rows, or use gnomon predict"
                ) from None

    def _said(self, kind: str, options: Mapping[str, str], body: bytes) -> tuple[str, list[str]]:
        """The answer to a body of this type as text, and the notes."""
        others: list[str] = []
        with warnings_as_notes() as said:
            if kind == CSV:
                table = table_of_csv(body, self.limits.rows, {**self.reading, **_reading_of(options)})
            else:
                rows = json_rows(body, self.limits.rows)
                table, others = table_of_rows(rows, self.model.kinds, self.reading.get("missing", ()))
            notes = list(self.model.remarks(table, others))
            answers = self.model.answers(table, self.asked if kind == CSV else self._of_rows)
        notes += said
        if kind == CSV:
            return csv_text(answers.columns()), notes
        return json.dumps({"predictions": answers.rows(), "notes": notes}), notes

    @property
    def _of_rows(self) -> Asked:
        """What is asked where the answer has room for all: probabilities too, and no identifiers."""
        return Asked(proba=self.model.task == "classification", threshold=self.asked.threshold)


def _status_of(error: UserError) -> int:
    """The status of a refusal; of other errors in rows that could be read, 422."""
    return error.status if isinstance(error, RefusedError) else 422


def _refuse_strangers(request: Any, names: Collection[str]) -> None:
    """Refuse names that an attacker's site can give this machine (rebinding of DNS), and requests from other sites."""
    host = request.headers.get("host", "")
    if not _is_here(host, names):
        raise RefusedError(400, f"the host {host[:100]!r} is no name of this server; use its address or localhost")
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != host:
        raise RefusedError(403, "requests from the pages of other sites are refused; open the form of this server")


def _is_here(host: str, names: Collection[str]) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    if name in names:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _type_of(request: Any, allowed: Collection[str]) -> tuple[str, Mapping[str, str]]:
    """The type of the body, and its options; another type, or a compressed body, is refused."""
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise RefusedError(415, "the body is compressed; send it as it is")
    header = EmailMessage()
    header["content-type"] = request.headers.get("content-type", "text/plain")
    kind = header.get_content_type()
    if kind not in allowed:
        raise RefusedError(
            415, f"a body of the type {kind} is not understood; give the Content-Type {' or '.join(allowed)}"
        )
    return kind, {name.lower(): value for name, value in header["content-type"].params.items()}


def _reading_of(options: Mapping[str, str]) -> dict[str, Any]:
    """What the type of a body of CSV says of how it is read (RFC 4180, section 3)."""
    said: dict[str, Any] = {"encoding": options["charset"]} if "charset" in options else {}
    return {**said, **({"header": options["header"] == "present"} if "header" in options else {})}


async def _body(request: Any, limits: RequestLimits, end: float) -> bytes:
    """The body of a request, if it is small enough and comes in time."""
    from starlette.requests import ClientDisconnect

    parts, size = [], 0
    declared = request.headers.get("content-length", "0")
    too_large = RefusedError(
        413, f"the body has more than {limits.megabytes:g} MB; send fewer rows at once, or use gnomon predict"
    )
    if declared.isdecimal() and int(declared) > MOST_READ_AWAY:
        raise too_large
    try:
        async with asyncio.timeout_at(end):
            async for part in request.stream():
                size += len(part)
                if size <= limits.size:
                    parts.append(part)
                elif size > limits.size + MOST_READ_AWAY:
                    raise too_large
    except TimeoutError:
        raise RefusedError(
            408, f"the body did not arrive within {limits.seconds:g} seconds; send it at once, or a smaller one"
        ) from None
    except ClientDisconnect:
        raise RefusedError(400, "the client went away before its body ended") from None
    if size > limits.size:
        raise too_large
    return b"".join(parts)


def _answer(text: str, kind: str, notes: list[str]) -> Any:
    """Text as it was asked for; CSV has its notes in a header, as a list of JSON."""
    from starlette.responses import Response

    headers = {**EVERYWHERE, **({"Gnomon-Notes": _short(notes)} if kind == CSV and notes else {})}
    return Response(text, headers=headers, media_type=kind)


def _short(notes: list[str]) -> str:
    """A list of JSON with the first notes, as many as a header may hold, where other characters than ASCII take six."""
    said: list[str] = []
    for note in notes[:MOST_NOTES]:
        said.append(note if len(note) <= LONGEST_NOTE else f"{note[: LONGEST_NOTE - 1]}…")
        if len(json.dumps(said)) > LONGEST_HEADER:
            return json.dumps(said[:-1])
    return json.dumps(said)


def _json(content: Any, status: int = 200, more: Mapping[str, str] | None = None) -> Any:
    from starlette.responses import Response

    return Response(json.dumps(content), status, {**EVERYWHERE, **(more or {})}, media_type=JSON)


def _html(page: Page, text: str, status: int = 200, more: Mapping[str, str] | None = None) -> Any:
    from starlette.responses import Response

    headers = {**EVERYWHERE, "Content-Security-Policy": page.policy, "X-Frame-Options": "DENY", **(more or {})}
    return Response(text.encode("utf-8", "replace"), status, headers, media_type="text/html")
