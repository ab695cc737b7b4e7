"""Small models in files, without a study, and `gnomon serve` in a process of its own."""

import http.client
import json
import signal
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import Pipeline

from gnomon.decision import ConformalRegressor
from gnomon.io import Table, save
from gnomon.report._kinds import infer_kinds
from gnomon.report.deployment import Deployed
from gnomon.report.prepare import Preparer
from gnomon.report.typical_rows import row_notes

SCRIPT = "<script>alert(1)</script>"
N = 120


def loans():
    """Incomes as money with a decimal comma, years with gaps, a category with a level that looks like a tag."""
    rng = np.random.default_rng(0)
    income = rng.gamma(4.0, 8.0, N)
    years = rng.integers(0, 30, N).astype(float)
    home = rng.choice(["rented", "own", SCRIPT], N)
    repaid = np.where(0.12 * income + (home == "own") + rng.normal(size=N) > 3.8, "yes", "no")
    money = [f"€ {value:.2f}".replace(".", ",") for value in income]
    gaps = ["" if k % 9 == 0 else f"{value:.0f}" for k, value in enumerate(years)]
    columns = {"customer no": [f"c{k}" for k in range(N)], "income": money, "years": gaps, "home": home}
    return Table({**columns, "repaid": repaid, "amount": income * 3.0 + (home == "own")}, decimal=",")


def write_model(path, target):
    """The file of a model of `loans`: of classes with costs, or of numbers with intervals."""
    table = loans()
    kinds = tuple(infer_kinds(table, ["income", "years", "home"]).values())
    prepare = Preparer(kinds).fit(table)
    rows, y = prepare.transform(table), table[target]
    if target == "repaid":
        fitted = LogisticRegression(max_iter=500).fit(rows, np.array(y.tolist()))
        costs = np.array([[0.0, 1.0], [5.0, 0.0]])
        last = Deployed(fitted, costs=costs, actions=["refuse", "grant"])
    else:
        fitted = LinearRegression().fit(rows, y)
        sets = ConformalRegressor(fitted, method="prefit").fit(rows, y)
        last = Deployed(fitted, sets=sets)
    task = "classification" if target == "repaid" else "regression"
    columns = {"customer no": "identifier", **{kind.name: kind.kind for kind in kinds}}
    reading = {"delimiter": None, "encoding": "utf-8", "header": None, "missing": ["-9"]}
    notes = {"task": task, "target": target, "columns": columns, "reading": reading, **row_notes(table, kinds)}
    save(Pipeline([("prepare", prepare), ("model", last)]), path, **notes)


class Client:
    """Requests to the server of one process."""

    def __init__(self, job, port):
        self.job, self.port = job, port

    def ask(self, method, path, body=None, **headers):
        """Status, headers and body of an answer; underscores of names of headers are hyphens."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            line.request(method, path, body.encode() if isinstance(body, str) else body, named)
            answer = line.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            line.close()

    def json(self, rows):
        """The answer to rows as JSON."""
        status, _, text = self.ask("POST", "/predict", json.dumps(rows), content_type="application/json")
        return status, json.loads(text)


@contextmanager
def serving(model, *options):
    """A server of this model file on a port of its own; at the end it has stopped without a fault."""
    command = [sys.executable, "-W", "error", "-m", "gnomon", "serve", str(model), "--port", "0", *options]
    job = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = job.stdout.readline()
    assert said, job.communicate()[1]
    try:
        yield Client(job, int(said.split("/ until")[0].rpartition(":")[2]))
    finally:
        if job.poll() is None:
            job.send_signal(signal.SIGINT)
        _, told = job.communicate(timeout=120)
        assert (job.returncode, told) == (0, "stopped\n")
