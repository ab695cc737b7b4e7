"""Tables that are cut short, mixed up, far too large or empty: an answer or one sentence, within the time limit."""

from __future__ import annotations

import gzip
import io
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from typer.testing import CliRunner

from few_models import only  # noqa: F401
from gnomon._registry import Candidate
from gnomon.cli._app import app

ROWS = 60
LIMIT = 60.0
"""Seconds of a command on a machine that is busy with others; the smallest hang is longer."""

draw = np.random.default_rng(0)
NUMBERS = draw.normal(size=(ROWS, 2)).round(3)
CLASSES = np.where(NUMBERS[:, 0] > 0.0, "yes", "no")


def table(x=None, *, head="x,z,y", end="\n", delimiter=","):
    """Lines of a table whose first column holds the cells `x`."""
    cells = [str(value) for value in NUMBERS[:, 0]] if x is None else [x(i) for i in range(ROWS)]
    lines = [delimiter.join([cell, str(z), y]) for cell, z, y in zip(cells, NUMBERS[:, 1], CLASSES, strict=True)]
    return (end.join([head, *lines]) + end).encode()


def parquet(n):
    stream = io.BytesIO()
    pa.parquet.write_table(pa.table({"x": NUMBERS[:n, 0], "z": NUMBERS[:n, 1], "y": CLASSES[:n].tolist()}), stream)
    return stream.getvalue()


def wide(p):
    cells = ",".join("0.5" for _ in range(p))
    head = ",".join(f"c{j}" for j in range(p))
    return (f"{head},y\n" + "".join(f"{i}{cells},{CLASSES[i]}\n" for i in range(ROWS))).encode()


WHOLE = table()
SPOILED = {
    "empty": b"",
    "one line end": b"\n",
    "blanks": b"   \n \n",
    "a head alone": b"x,z,y\n",
    "one row": b"x,z,y\n1,2,yes\n",
    "cut within a line": WHOLE[:-7],
    "cut within a quoted cell": WHOLE + b'1,2,"ye',
    "an open quotation mark": WHOLE.replace(b"yes", b'"yes', 1),
    "mixed quotation marks": table(lambda i: ['"a\'b"', "'a\"b'", '"a""b"', 'a"b'][i % 4]),
    "NULs": WHOLE.replace(b",", b"\0", 40),
    "a NUL in a cell": table(lambda i: f"{i}\0"),
    "random bytes": draw.bytes(5000),
    "lines of Windows and of others": WHOLE.replace(b"\n", b"\r\n", 20),
    "carriage returns alone": table(end="\r"),
    "two delimiters": WHOLE.replace(b",", b";", 60),
    "names twice": table(head="x,x,y"),
    "names that are empty": table(head=",,y"),
    "a byte order mark": b"\xef\xbb\xbf" + WHOLE,
    "two byte order marks": b"\xef\xbb\xbf" * 2 + WHOLE,
    "UTF-16": WHOLE.decode().encode("utf-16"),
    "UTF-16 without a mark": WHOLE.decode().encode("utf-16-le"),
    "another encoding": table(lambda i: "\xe9").decode().encode("latin-1"),
    "gzip": gzip.compress(WHOLE),
    "gzip cut short": gzip.compress(WHOLE)[:-40],
    "gzip with a wrong byte": gzip.compress(WHOLE)[:60] + b"\0" + gzip.compress(WHOLE)[61:],
    "gzip of 300 MB": gzip.compress(b"a" * 1_000_000) * 300,
    "gzip of many rows alike": gzip.compress((b"1,2," + b"yes" * 1000 + b"\n") * 15_000),
    "Parquet": parquet(ROWS),
    "Parquet without a row": parquet(0),
    "Parquet cut short": parquet(ROWS)[:-100],
    "cells of 500 kB": table(lambda i: f"{i} " + "word " * 100_000),
    "a cell of 30 MB": WHOLE + b"1,2," + b"a" * 30_000_000 + b"\n",
    "a line of 30 MB": b"a" * 30_000_000,
    "30 000 columns": wide(30_000),
    "numbers of 1e39": table(lambda i: "1e39" if i % 6 == 0 else str(i / 7)),
    "numbers of 1e400": table(lambda i: f"{i + 1}e400"),
    "1e400 among others": table(lambda i: "-1e400" if i % 6 == 0 else str(i / 7)),
    "whole numbers of 5000 digits": table(lambda i: f"{i + 1}" + "0" * 5000),
    "numbers of 1.7e308": table(lambda i: ["1.7e308", "-1.7e308"][i % 2]),
    "numbers of 1e200": table(lambda i: f"{i / 7}e200"),
    "numbers of 1e305": table(lambda i: f"{['', '-'][i % 2]}{i / 7}e304"),
    "numbers of 1e-320": table(lambda i: f"{i}e-320"),
    "infinities": table(lambda i: ["inf", "-inf", "nan", "1"][i % 4]),
    "formulas": table(lambda i: f"=cmd|calc!A{i}", head="=HYPERLINK(1),@z,y"),
    "only gaps": table(lambda i: ""),
}


@pytest.fixture(autouse=True)
def one_model(only):  # noqa: F811
    only(
        Candidate("logistic", "classification", lambda facts, seed: LogisticRegression(), 1),
        Candidate("ridge", "regression", lambda facts, seed: Ridge(), 1),
    )


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole")
    (path / "whole.csv").write_bytes(WHOLE)
    result = CliRunner().invoke(app, ["learn", str(path / "whole.csv"), "-t", "y", "-o", str(path), "--single"])
    assert result.exit_code == 0, result.stderr
    return path / "model.skops"


OF_GROUPS = (
    "empty", "gzip of 300 MB", "gzip of many rows alike", "Parquet without a row", "cells of 500 kB", "30 000 columns",
    "numbers of 1e39", "1e400 among others", "numbers of 1.7e308",
    "numbers of 1e200", "numbers of 1e305", "numbers of 1e-320", "infinities", "only gaps",
)  # fmt: skip
COMMANDS = [("learn", case) for case in SPOILED] + [("predict", case) for case in SPOILED]


@pytest.mark.parametrize(("command", "case"), [*COMMANDS, *(("cluster", case) for case in OF_GROUPS)])
@pytest.mark.filterwarnings("default")
def test_a_spoiled_table_is_answered_or_refused_in_a_sentence(tmp_path, model, command, case):
    path, out = tmp_path / "table", tmp_path / "out"
    path.write_bytes(SPOILED[case])
    given = {
        "learn": [path, "-t", "y", "-o", out, "--time-limit", 5],
        "cluster": [path, "-k", 2, "-o", out],
        "predict": [model, path, "-o", out],
    }[command]
    begun = time.monotonic()
    result = CliRunner().invoke(app, [command, *map(str, given)])
    assert time.monotonic() - begun < LIMIT
    assert "gnomon failed" not in result.stderr
    assert "Traceback" not in result.output
    assert result.exit_code == (0 if out.exists() else 2), result.stderr
    assert out.exists() or "error: " in result.stderr
