"""A model file behind HTTP, in a process of its own: the numbers of `gnomon predict`, and refusals that say why."""

import csv
import html
import io
import json
import signal
import socket
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from urllib.parse import urlencode

import numpy as np
import pytest
from typer.testing import CliRunner

from gnomon.cli._app import app
from small_server import SCRIPT, N, loans, serving, write_model

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are interrupted otherwise there")
pytest.importorskip("starlette", reason="gnomon serve is an extra")

ROW = {"income": 40.5, "years": 3, "home": "own"}
HEAD = "customer no,income,years,home\n"
LINES = HEAD + 'c7,"€ 30,5",4,own\nc8,"€ 3,25",,rented\nc9,"€ 99,0",-9,boat\n'
ROWS = [
    {"income": 30.5, "years": 4, "home": "own"},
    {"income": "€ 3,25", "years": None, "home": "rented"},
    {"income": 99, "years": -9, "home": "boat"},
]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for target in ("repaid", "amount"):
        write_model(folder / f"{target}.skops", target)
    return folder


@pytest.fixture(scope="module")
def server(files):
    """A server with small limits and the options of `predicted`."""
    with serving(files / "repaid.skops", "--proba", "--size-limit", "0.05", "--row-limit", "900") as client:
        yield client


@pytest.fixture(scope="module")
def of_numbers(files):
    """A server that waits two seconds for a body, and takes one request at a time."""
    with serving(files / "amount.skops", "--time-limit", "2", "--request-limit", "1") as client:
        yield client


def predicted(model, text, *options):
    """What `gnomon predict` says of these lines: its output, and its notes."""
    result = CliRunner().invoke(app, ["predict", str(model), *options], input=text)
    assert result.exit_code == 0, result.stderr
    return result.stdout, [line.removeprefix("note: ") for line in result.stderr.splitlines()]


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_is_answered_as_the_command_does(server, files):
    status, headers, text = server.ask("POST", "/predict", LINES, content_type="text/csv; charset=utf-8")
    output, notes = predicted(files / "repaid.skops", LINES, "--proba")
    assert (status, headers["Content-Type"], text) == (200, "text/csv; charset=utf-8", output)
    assert json.loads(headers["Gnomon-Notes"]) == notes
    assert len(notes) == 1
    assert "boat" in notes[0]
    assert list(rows_of(text)[0]) == [
        "customer no",
        "prediction",
        "decision",
        "probability of no",
        "probability of yes",
    ]
    latin = LINES.replace("€", "EUR").replace("boat", "été").encode("latin-1")
    status, headers, _ = server.ask("POST", "/predict", latin, content_type="text/csv; charset=latin-1")
    assert status == 422  # another currency is no number of this column
    bare = LINES.removeprefix(HEAD)
    assert server.ask("POST", "/predict", bare, content_type="text/csv; header=absent")[0] == 422


def test_json_says_what_csv_says(server, of_numbers):
    status, found = server.json(ROWS)
    assert status == 200
    _, headers, text = server.ask("POST", "/predict", LINES, content_type="text/csv")
    assert found["notes"] == json.loads(headers["Gnomon-Notes"])
    for said, row in zip(found["predictions"], rows_of(text), strict=True):
        assert (said["prediction"], said["decision"]) == (row["prediction"], row["decision"])
        assert said["probabilities"] == {name: float(row[f"probability of {name}"]) for name in ("no", "yes")}
    _, alone = server.json(ROWS[0])
    np.testing.assert_allclose(
        [*alone["predictions"][0]["probabilities"].values()], [*found["predictions"][0]["probabilities"].values()]
    )
    _, found = of_numbers.json(ROWS)
    _, _, text = of_numbers.ask("POST", "/predict", LINES, content_type="text/csv")
    for said, row in zip(found["predictions"], rows_of(text), strict=True):
        assert said == {name: float(row[name]) for name in ("prediction", "low", "high")}
        assert said["low"] < said["prediction"] < said["high"]


def test_columns_that_nobody_knows_are_named_and_ignored(server):
    _, plain = server.json(ROW)
    _, more = server.json({**ROW, "moon": "full", "repaid": "yes", "customer no": "c3"})
    assert plain["notes"] == []
    assert more["notes"] == ["columns that the model does not know are ignored: moon"]
    assert more["predictions"] == plain["predictions"]


BAD_JSON = {
    "no JSON": ("{", 400, "no JSON"),
    "nothing": ("", 400, "no JSON"),
    "no text": (b"\xff\xfe{}", 400, "no JSON"),
    "NaN": ('{"income": NaN, "years": 1, "home": "own"}', 400, "NaN is no number of JSON"),
    "infinity": ('{"income": -Infinity, "years": 1, "home": "own"}', 400, "-Infinity is no number"),
    "beyond floats": ('{"income": 1e999, "years": 1, "home": "own"}', 400, "beyond the largest number"),
    "many digits": ('{"income": ' + "9" * 5000 + ', "years": 1, "home": "own"}', 400, "no JSON"),
    "very deep": ("[" * 20_000, 400, "no JSON"),
    "half a character": ('{"income": 1, "years": 1, "home": "\\ud800"}', 400, "surrogate"),
    "a column twice": ('{"income": 1, "income": 2, "years": 1, "home": "own"}', 400, "'income' occurs more than once"),
    "a number": ("3", 422, "row 1 is a number"),
    "no rows": ("[]", 422, "there are no rows"),
    "a row of values": ("[[1, 2, 3]]", 422, "row 1 is a list"),
    "a column missing": ('{"income": 1, "home": "own"}', 422, "missing: years; give null"),
    "in one row": (json.dumps([ROW, {"income": 1}]), 422, "row 2: columns that the model needs are missing: years"),
    "a list in a cell": ('{"income": [1], "years": 1, "home": "own"}', 422, "income is a list; give a number"),
    "a word for a number": ('{"income": "much", "years": 1, "home": "own"}', 422, "'much', which is no number"),
    "a truth value": ('{"income": true, "years": 1, "home": "own"}', 422, "income is 'true', which is no number"),
    "too many rows": (json.dumps([{}] * 901), 413, "901 rows are too many at once; send at most 900"),
    "too large": (json.dumps([ROW] * 3000), 413, "more than 0.05 MB"),
}


@pytest.mark.parametrize("case", BAD_JSON)
def test_what_cannot_be_answered_is_refused_and_says_why(server, case):
    body, status, sentence = BAD_JSON[case]
    found, headers, text = server.ask("POST", "/predict", body, content_type="application/json")
    assert (found, headers["Content-Type"]) == (status, "application/json")
    told = json.loads(text)
    assert told["status"] == status
    assert sentence in told["error"]
    assert server.json(ROW)[0] == 200


BAD_CSV = {
    "no rows": (HEAD, 400, "the body: the file has a header but no rows"),
    "a line too long": (HEAD + "1,2,3,4,5,6\n1,2\n", 400, "line 2 has 6 fields"),
    "a column missing": ("income,home\n€ 1,own\n", 422, "columns that the model needs are missing: years"),
    "compressed": (b"\x1f\x8b\x08\x00abc", 415, "compressed or Parquet"),
    "no text": (HEAD.encode() + b"\xff,1,2,3\n", 400, "is no utf-8 text"),
    "a column twice": ("home,home,income,years\na,b,1,2\n", 400, "more than once"),
    "many columns": ("," * 20_000 + "\n", 413, "the first line has more than 10000 fields"),
}


@pytest.mark.parametrize("case", BAD_CSV)
def test_bad_tables_are_refused_and_say_why(server, case):
    body, status, sentence = BAD_CSV[case]
    found, _, text = server.ask("POST", "/predict", body, content_type="text/csv")
    assert found == status
    assert sentence in json.loads(text)["error"]


HEADERS = {
    "another type": ({"content_type": "application/x-pickle"}, 415),
    "no type": ({}, 415),
    "another charset": ({"content_type": "application/json; charset=utf-16"}, 415),
    "packed": ({"content_type": "application/json", "content_encoding": "gzip"}, 415),
    "a name of another machine": ({"content_type": "application/json", "host": "evil.example"}, 400),
    "a name that is none": ({"content_type": "application/json", "host": "[::1"}, 400),
    "the page of another site": ({"content_type": "application/json", "origin": "https://evil.example"}, 403),
    "a page without a site": ({"content_type": "application/json", "origin": "null"}, 403),
    "localhost": ({"content_type": "application/json", "host": "localhost:1"}, 200),
}


@pytest.mark.parametrize("case", HEADERS)
def test_types_hosts_and_origins_are_checked(server, case):
    headers, status = HEADERS[case]
    found, answered, _ = server.ask("POST", "/predict", json.dumps(ROW), **headers)
    assert found == status
    assert not [name for name in answered if name.lower().startswith("access-control")]


def test_methods_and_addresses(server):
    status, headers, _ = server.ask("GET", "/predict")
    assert (status, headers["Allow"]) == (405, "POST")
    assert server.ask("OPTIONS", "/predict")[0] == 405
    status, _, text = server.ask("DELETE", "/")
    assert status == 405
    assert "error" in json.loads(text)
    assert server.ask("GET", "/etc/passwd")[0] == 404
    status, _, text = server.ask("GET", "/health")
    assert (status, json.loads(text)["status"], json.loads(text)["target"]) == (200, "ok", "repaid")
    _, _, text = server.ask("GET", "/schema")
    schema = json.loads(text)
    assert schema["required"] == ["income", "years", "home"]
    assert schema["properties"]["home"]["examples"] == sorted(["own", "rented", SCRIPT])
    typical = {name: column["default"] for name, column in schema["properties"].items()}
    status, found = server.json(typical)
    assert (status, found["notes"]) == (200, [])


def half_a_body(port):
    """A connection on which a body has begun, of which no more comes."""
    line = socket.create_connection(("127.0.0.1", port), timeout=120)
    head = "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
    line.sendall(head.encode())
    return line


def test_a_body_that_does_not_come_is_given_up(of_numbers):
    with half_a_body(of_numbers.port) as line:
        assert line.recv(1000).startswith(b"HTTP/1.1 408")
    assert of_numbers.json(ROW)[0] == 200


def test_a_connection_without_a_request_is_closed(of_numbers):
    """Nothing at all, half a head, and half a head after an answer: each ends after four seconds at the latest."""
    whole = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with ExitStack() as stack:
        lines = {}
        for sent in (b"", whole[:20], whole + whole[:20]):
            lines[sent] = stack.enter_context(socket.create_connection(("127.0.0.1", of_numbers.port), timeout=60))
            lines[sent].sendall(sent)
        for sent, line in lines.items():
            heard = b"".join(iter(lambda line=line: line.recv(4096), b""))
            assert heard.count(b"HTTP/1.1 200") == len(sent) // len(whole)
    assert of_numbers.json(ROW)[0] == 200


def test_one_request_too_many_waits_for_a_place(of_numbers):
    with half_a_body(of_numbers.port) as line:
        assert of_numbers.json(ROW)[0] in (200, 503)
        assert line.recv(1000).startswith(b"HTTP/1.1 408")
    assert of_numbers.json(ROW)[0] == 200


def test_a_burst_of_requests_is_answered(server):
    with ThreadPoolExecutor(200) as clients:
        assert list(clients.map(lambda _: server.json(ROW)[0], range(200))) == [200] * 200


@pytest.mark.parametrize("path", ["/", "/health", "/schema"])
def test_the_head_of_what_can_be_read_is_given_alone(server, path):
    status, headers, body = server.ask("HEAD", path)
    assert (status, body) == (200, "")
    assert int(headers["Content-Length"]) > 0
    assert server.ask("HEAD", "/predict")[0] == 405


@pytest.mark.parametrize("path", ["/", "/health", "/nowhere", "/predict", "/predict/", "/%2e%2e/health"])
@pytest.mark.parametrize("method", ["GET", "DELETE", "HEAD"])
def test_a_strange_host_hears_nothing_of_addresses(server, method, path):
    assert server.ask(method, path, Host="evil.example")[0] == 400


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_server_that_is_ended_at_work_refuses_in_order_and_is_gone_soon(files, name):
    """Large bodies, and half a one; `serving` looks at what the server prints."""
    many = [ROW] * 60_000
    with serving(files / "repaid.skops") as client, ThreadPoolExecutor(8) as clients:
        with half_a_body(client.port) as line:
            asked = [clients.submit(client.json, many) for _ in range(7)]
            time.sleep(2.0)
            client.job.send_signal(signal.Signals[name])
            begun = time.monotonic()
            client.job.wait(60)
            seconds = time.monotonic() - begun
            assert line.recv(1000).startswith(b"HTTP/1.1 503")
        found = [work.result() for work in asked]
    assert seconds < 5.0
    assert {status for status, _ in found} <= {200, 503}
    assert {told["error"] for status, told in found if status == 503} <= {
        "the server is ending; ask again when it is back"
    }


def test_many_clients_at_once_get_their_own_answers(server):
    rng = np.random.default_rng(1)
    asked = [{"income": float(v), "years": int(v) % 30, "home": "own"} for v in rng.gamma(4.0, 8.0, 200)]
    asked = [{**row, **({"home": f"level {k}"} if k % 3 == 0 else {})} for k, row in enumerate(asked)]
    _, whole = server.json(asked)

    def client(k):
        return [server.json(row) for row in asked[25 * k : 25 * (k + 1)]]

    with ThreadPoolExecutor(8) as clients:
        found = [answer for answers in clients.map(client, range(8)) for answer in answers]
    for k, ((status, said), expected) in enumerate(zip(found, whole["predictions"], strict=True)):
        assert status == 200
        (one,) = said["predictions"]
        np.testing.assert_allclose(one["probabilities"]["yes"], expected["probabilities"]["yes"])
        # A note belongs to the request that caused it.
        assert [f"level {k}" in note for note in said["notes"]] == [True] * (k % 3 == 0)


def test_the_form_answers_without_scripts_and_says_why(server):
    status, headers, page = server.ask("GET", "/", accept="text/html")
    assert status == 200
    assert "script" not in headers["Content-Security-Policy"]
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert SCRIPT not in page
    assert html.escape(SCRIPT) in page
    fields = urlencode({"income": "€ 90,0", "years": "", "home": SCRIPT})
    kind = "application/x-www-form-urlencoded"
    status, _, page = server.ask("POST", "/", fields, content_type=kind, origin=f"http://127.0.0.1:{server.port}")
    assert status == 200
    assert SCRIPT not in page
    assert "<script" not in page
    assert "Decision: <b>" in page
    _, said = server.json({"income": 90, "years": None, "home": SCRIPT})
    _, typical = server.json({"income": typical_income(), "years": None, "home": SCRIPT})
    (one,), (other,) = said["predictions"], typical["predictions"]
    change = one["probabilities"][one["prediction"]] - other["probabilities"][one["prediction"]]
    assert f"{change:+.4g}" in page
    assert f"{one['probabilities'][one['prediction']]:.4f}" in page


def typical_income():
    """The lower median as it is written in the file."""
    incomes = sorted(float(cell.removeprefix("€ ").replace(",", ".")) for cell in loans()["income"].tolist())
    return incomes[(N - 1) // 2]


BAD_FORMS = {
    "a word for a number": ({"income": "<b>much</b>", "years": "1", "home": "own"}, 422, "which is no number"),
    "a field missing": ({"income": "€ 1,0"}, 422, "are missing: years, home"),
    "too many fields": ({f"f{k}": "" for k in range(200)}, 400, "no fields of a form"),
}


@pytest.mark.parametrize("case", BAD_FORMS)
def test_bad_fields_are_a_page_that_says_why(server, case):
    fields, status, sentence = BAD_FORMS[case]
    found, headers, page = server.ask(
        "POST", "/", urlencode(fields), content_type="application/x-www-form-urlencoded", accept="text/html"
    )
    assert (found, headers["Content-Type"]) == (status, "text/html; charset=utf-8")
    assert sentence in page
    assert "<b>much" not in page


def run(*arguments):
    return CliRunner().invoke(app, ["serve", *map(str, arguments)])


def test_a_model_that_was_tampered_with_is_not_served(files, tmp_path):
    whole = (files / "repaid.skops").read_bytes()
    middle = len(whole) // 2
    cases = {
        "flipped": whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :],
        "short": whole[:middle],
        "foreign": foreign(
            files / "repaid.skops", '"LogisticRegression"', '"system"', '"sklearn.linear_model._logistic"', '"os"'
        ),
    }
    for name, content in cases.items():
        (tmp_path / f"{name}.skops").write_bytes(content)
        result = run(tmp_path / f"{name}.skops", "--port", "0")
        assert result.exit_code == 2, name
        assert result.stderr.startswith("error: ")
        assert result.stdout == ""
    assert "os.system" in result.stderr


def foreign(path, *pairs):
    """The bytes of a model file in which the description of types says another thing."""
    out = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name == "schema.json":
                for before, after in zip(pairs[::2], pairs[1::2], strict=True):
                    assert before.encode() in text
                    text = text.replace(before.encode(), after.encode())
            new.writestr(name, text)
    return out.getvalue()


def test_what_cannot_be_served_is_said(files, tmp_path, monkeypatch):
    assert "no such file" in run(tmp_path / "m.skops").stderr
    assert "--proba is for classification" in run(files / "amount.skops", "--proba").stderr
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = run(files / "amount.skops", "--port", taken.getsockname()[1])
    assert result.exit_code == 2
    assert "already in use; give another --port" in result.stderr
    monkeypatch.setitem(sys.modules, "starlette", None)
    assert "pip install 'gnomon[app]'" in run(files / "amount.skops").stderr


@pytest.mark.skipif(sys.platform != "linux", reason="there, other addresses of the machine need names")
def test_it_listens_at_one_address_of_this_machine(server):
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", server.port), timeout=60)


def test_an_interrupt_as_soon_as_the_address_is_told_ends_it_in_order(files):
    """`serving` interrupts it and looks at what it says."""
    with serving(files / "amount.skops") as client:
        assert client.port > 0


def test_an_open_quotation_mark_is_noted(server):
    body = HEAD + 'c7,€ 30,4,own\nc8,€ 3,4,"own\n'
    status, headers, _ = server.ask("POST", "/predict", body, content_type="text/csv")
    assert status == 200
    assert any("is never closed" in note for note in json.loads(headers["Gnomon-Notes"]))
