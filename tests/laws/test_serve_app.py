"""The application of `gnomon serve` without a server: limits, refusals, and what every answer says to a browser."""

import asyncio
import json
import threading
import time

import numpy as np
import pytest

from gnomon.io import ModelFileError, Table, UserError, save
from gnomon.report._kinds import infer_kinds
from gnomon.serve import Answers, Asked, OpenModel, RequestLimits, asgi_app, open_model
from gnomon.serve import app as serve_app
from gnomon.serve.bodies import table_of_rows
from gnomon.serve.limits import RefusedError
from gnomon.serve.turns import Turns
from small_server import write_model

pytest.importorskip("starlette", reason="gnomon serve is an extra")

ROW = {"income": 40.5, "years": 3, "home": "own"}
CSV = b"customer no,income,years,home\n" + b'c7,"\xe2\x82\xac 30,5",4,own\n' * 3


@pytest.fixture(scope="module")
def of_classes(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "repaid.skops"
    write_model(path, "repaid")
    return open_model(path)


class Request:
    """A request whose body comes in parts; how many of them were asked for."""

    def __init__(self, parts):
        self.left, self.n_read = list(parts), 0

    async def receive(self):
        self.n_read += 1
        part = self.left.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(self.left)}


def ask(app, method, path, body=b"", **headers):
    """Status, headers and text of the answer; `body` may be a `Request`."""
    request = body if isinstance(body, Request) else Request([body])
    named = {"host": "localhost", **headers}
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "path": path,
        "raw_path": path.encode(), "query_string": b"", "root_path": "", "scheme": "http", "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
        "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in named.items()],
    }  # fmt: skip
    sent = []

    async def send(message):
        sent.append(message)

    asyncio.run(app(scope, request.receive, send))
    start, *rest = sent
    told = {name.decode(): value.decode() for name, value in start["headers"]}
    return start["status"], told, b"".join(part.get("body", b"") for part in rest).decode()


def ask_json(app, rows=ROW, **headers):
    status, told, text = ask(app, "POST", "/predict", json.dumps(rows).encode(), content_type="application/json",
                             **headers)  # fmt: skip
    return status, told, json.loads(text)


def test_rows_of_a_table_are_counted(of_classes):
    for most, status in ((3, 200), (2, 413)):
        app = asgi_app(of_classes, limits=RequestLimits(rows=most))
        found, _, text = ask(app, "POST", "/predict", CSV, content_type="text/csv")
        assert found == status
        assert (status == 200) or "3 rows are too many at once; send at most 2" in text


def test_a_body_too_large_is_read_to_its_end_only_if_that_is_near(of_classes, monkeypatch):
    """A body of 1000 bytes is allowed, and 1000 more are read away so that the client hears the answer."""
    monkeypatch.setattr(serve_app, "MOST_READ_AWAY", 1_000)
    app = asgi_app(of_classes, limits=RequestLimits(megabytes=0.001))
    for parts, n_read in (([b" " * 500] * 3, 3), ([b" " * 500] * 9, 5)):
        request = Request(parts)
        status, headers, text = ask(app, "POST", "/predict", request, content_type="application/json")
        assert (status, request.n_read, headers["connection"]) == (413, n_read, "close")
        assert "more than 0.001 MB" in text
    request = Request([b" "])
    status, *_ = ask(app, "POST", "/predict", request, content_type="application/json", content_length="1001")
    assert (status, request.n_read) == (413, 0)


def test_an_answer_that_takes_too_long_is_not_waited_for_and_the_next_is_given(of_classes, monkeypatch):
    app = asgi_app(of_classes, limits=RequestLimits(seconds=0.2, requests=1))
    answers, go = OpenModel.answers, threading.Event()
    monkeypatch.setattr(OpenModel, "answers", lambda *given: (go.wait(2.0), answers(*given))[1])
    try:
        status, headers, told = ask_json(app)
    finally:
        go.set()
    assert (status, headers["retry-after"]) == (503, "1")
    assert "no answer within 0.2 seconds; send fewer rows" in told["error"]
    monkeypatch.setattr(OpenModel, "answers", answers)
    app = asgi_app(of_classes, limits=RequestLimits(requests=1))
    assert [ask_json(app)[0] for _ in range(3)] == [200] * 3


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [(ValueError("a secret"), 500, "gnomon failed: ValueError; see what the server printed"),
     (MemoryError(), 413, "not enough memory for these rows; send fewer")],
)  # fmt: skip
def test_a_fault_of_ours_is_told_to_who_runs_the_server_and_not_to_who_asks(
    of_classes, monkeypatch, error, status, said
):
    heard = []

    def broken(*given):
        raise error

    monkeypatch.setattr(OpenModel, "answers", broken)
    found, _, told = ask_json(asgi_app(of_classes, complain=heard.append))
    assert (found, told["error"]) == (status, said)
    assert heard == (["ValueError: a secret. This is a fault of gnomon."] if status == 500 else [])


def test_every_answer_tells_a_browser_to_keep_it_apart(of_classes):
    app = asgi_app(of_classes)
    answers = [ask(app, "GET", path)[1] for path in ("/", "/health", "/schema", "/nowhere")]
    answers += [ask_json(app)[1], ask(app, "POST", "/predict", CSV, content_type="text/csv")[1]]
    for headers in answers:
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert headers["cross-origin-resource-policy"] == headers["referrer-policy"] == "same-origin"
    assert answers[0]["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in answers[0]["content-security-policy"]


HOSTS = {
    "a name that was given": ({"host": "desk.home:8000"}, 200),
    "another one": ({"host": "evil.example"}, 400),
    "an address": ({"host": "[::1]:8000"}, 200),
    "its own page": ({"host": "desk.home:8000", "origin": "http://desk.home:8000"}, 200),
    "a page at another port": ({"host": "desk.home:8000", "origin": "http://desk.home:9000"}, 403),
}


@pytest.mark.parametrize("case", HOSTS)
def test_names_that_were_given_are_those_of_this_machine(of_classes, case):
    headers, status = HOSTS[case]
    assert ask_json(asgi_app(of_classes, names=["Desk.Home"]), **headers)[0] == status


def test_the_threshold_of_the_server_holds_for_every_answer(of_classes):
    rows = [{**ROW, "income": float(income)} for income in range(10, 60)]
    _, _, found = ask_json(asgi_app(of_classes, Asked(threshold=0.8)), rows)
    shares = [one["probabilities"]["yes"] for one in found["predictions"]]
    assert 0 < sum(share > 0.8 for share in shares) < sum(share > 0.5 for share in shares)
    assert [one["prediction"] for one in found["predictions"]] == ["yes" if p > 0.8 else "no" for p in shares]


@pytest.mark.parametrize("mark", ["x", "é", "𝒳", '"'])
def test_notes_in_a_header_are_few_and_short(of_classes, monkeypatch, mark):
    monkeypatch.setattr(OpenModel, "remarks", lambda *given: [f"{k} " + mark * 400 for k in range(20)])
    _, headers, _ = ask(asgi_app(of_classes), "POST", "/predict", CSV, content_type="text/csv")
    notes = json.loads(headers["gnomon-notes"])
    assert 0 < len(notes) <= 12
    assert len(headers["gnomon-notes"]) < 4000
    assert [note.split()[0] for note in notes] == [str(k) for k in range(len(notes))]
    assert {len(note) for note in notes} == {300}


@pytest.mark.parametrize("works", ["in Python", "in compiled code"])
def test_an_answer_that_takes_too_long_does_not_keep_others_waiting(of_classes, monkeypatch, works):
    """A loop of Python is stopped; a long step, which cannot be, gets a thread of its own."""
    answers, done, stopped = OpenModel.answers, threading.Event(), []

    def endless(*given):
        try:
            if works == "in compiled code":
                done.wait(60.0)
            while True:
                pass
        finally:
            stopped.append(True)

    app = asgi_app(of_classes, limits=RequestLimits(seconds=0.3, requests=2))
    monkeypatch.setattr(OpenModel, "answers", endless)
    assert ask_json(app)[0] == 503
    monkeypatch.setattr(OpenModel, "answers", answers)
    try:
        assert ask_json(app)[0] == 200
        assert stopped == ([True] if works == "in Python" else [])
    finally:
        done.set()
    end = time.monotonic() + 10.0
    while app.state.service.turns.busy and works == "in Python" and time.monotonic() < end:
        time.sleep(0.01)
    assert stopped or works == "in compiled code"


def test_requests_beyond_the_places_wait_their_time_and_are_refused_then(of_classes, monkeypatch):
    async def both(turns):
        loop = asyncio.get_running_loop()
        async with turns.place(loop.time() + 1.0):
            with pytest.raises(RefusedError, match="1 requests are at work"):
                async with turns.place(loop.time() + 0.05):
                    pytest.fail("there was no place")
            monkeypatch.setattr("gnomon.serve.turns.MOST_WAITING", 0)
            with pytest.raises(RefusedError, match="0 requests are waiting"):
                async with turns.place(loop.time() + 60.0):
                    pytest.fail("there was no place")
            monkeypatch.undo()
            waiting = asyncio.create_task(self_contained(turns, loop.time() + 60.0))
            await asyncio.sleep(0.05)
            assert not waiting.done()
        await waiting

    async def self_contained(turns, end):
        async with turns.place(end):
            pass

    asyncio.run(both(Turns(1)))


def test_numbers_of_json_keep_their_digits_and_infinite_ends_are_null():
    kinds = infer_kinds(Table({"x": ["0.5", "1.5"]}), ["x"])
    table, _ = table_of_rows([{"x": 0.123456789012345}, {"x": 123456789012345}], kinds)
    assert table["x"].tolist() == ["0.123456789012345", "123456789012345"]
    rows = Answers({}, {"prediction": [1.0], "low": [-np.inf], "high": [np.inf]}).rows()
    assert rows == [{"prediction": 1.0, "low": None, "high": None}]


@pytest.mark.parametrize("task", ["regression", "anomaly", "cluster"])
def test_notes_of_another_task_than_the_model_are_refused(of_classes, tmp_path, task):
    save(of_classes.pipeline, tmp_path / "model.skops", **{**of_classes.facts, "task": task})
    with pytest.raises(ModelFileError, match=f"the notes are of {task}, the model is of classification"):
        open_model(tmp_path / "model.skops")


def test_a_table_without_a_row_is_refused(of_classes):
    with pytest.raises(UserError, match="no rows to predict"):
        of_classes.answers(Table({"income": [], "years": [], "home": []}))
