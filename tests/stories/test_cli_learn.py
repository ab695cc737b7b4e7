"""A user's day with the command: learn from real tables, read the report, predict new rows."""

import csv
import json
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import LinearSVC
from typer.testing import CliRunner

from gnomon import _registry
from gnomon._registry import Candidate, discover, register
from gnomon.cli._app import app
from gnomon.datasets.embedded import demo_path, make_demo
from gnomon.io import Table, load, notes, read_table
from gnomon.report import learn
from real_data import data_path


@pytest.fixture(autouse=True)
def quick_models(monkeypatch):
    """Models of scikit-learn in the registry, so that a story tells of the command alone."""
    discover()
    monkeypatch.setattr(_registry, "_registered", _registry._Registered())
    register(Candidate("ridge", "regression", lambda f, s: Ridge(), 1, explain=lambda m: m.coef_))
    register(Candidate("logistic", "classification", lambda f, s: LogisticRegression(max_iter=500), 1,
                       explain=lambda m: m.coef_))  # fmt: skip


@pytest.fixture
def gnomon(tmp_path, monkeypatch):
    """The command, run in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, code=0):
        result = CliRunner().invoke(app, [str(a) for a in arguments])
        assert result.exit_code == code, result.output
        return result

    return run


def sample_of(name, rows, tmp_path, seed=0):
    """Some rows of a real file, as CSV."""
    table = read_table(data_path(name))
    chosen = np.random.default_rng(seed).permutation(len(table))[:rows]
    path = tmp_path / "sample.csv"
    write(path, table.take(chosen))
    return path


def write(path, table):
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(table.names)
        writer.writerows(zip(*(table[name].tolist() for name in table.names), strict=True))


class Links(HTMLParser):
    """Every address that a page asks a browser to fetch, and all its text."""

    def __init__(self):
        super().__init__()
        self.fetched, self.text = [], []

    def handle_starttag(self, tag, attrs):
        self.fetched += [value for key, value in attrs if key in ("src", "href", "srcset", "data", "action")]
        self.fetched += re.findall(r"url\(([^)]*)\)", " ".join(str(value) for _, value in attrs))

    def handle_data(self, data):
        self.text.append(data)


def read(path):
    html = path.read_text(encoding="utf-8")
    links = Links()
    links.feed(html)
    return html, links


def test_incomes_of_adults(gnomon, tmp_path):
    """Mixed types and missing values: honest scores, a page that stands alone, a model that predicts."""
    data = sample_of("tabular/adult_train.csv.gz", 3000, tmp_path)
    gnomon("learn", data, "--target", "income", "--out", "result")
    assert sorted(p.name for p in (tmp_path / "result").iterdir()) == ["model.skops", "report.html"]
    found = notes(tmp_path / "result" / "model.skops")
    assert found["task"] == "classification"
    assert found["learned"]
    low, high = found["held_out"]["accuracy"]["interval"]
    assert low < 0.85 < high + 0.01  # linear models reach 0.85 on the published test set
    assert low > found["held_out"]["accuracy"]["baseline"]
    html, links = read(tmp_path / "result" / "report.html")
    assert "http" not in html
    assert all(address.startswith("#") for address in links.fetched)
    # Seven of the target, the models, the judgement and the importances; six columns and the rows.
    assert html.count("<svg") == 7 + 6 + 1
    text = " ".join(links.text)
    for section in (
        "Warnings",
        "The data at a glance",
        "Models tried",
        "Judged once",
        "What the model uses",
        "Provenance",
    ):
        assert section in text
    new = sample_of("tabular/adult_test.csv.gz", 500, tmp_path, seed=1)
    out = gnomon("predict", "result/model.skops", new, "--proba").stdout
    rows = list(csv.DictReader(out.splitlines()))
    truth = read_table(new)["income"].tolist()
    assert np.mean([r["prediction"] == t.rstrip(".") for r, t in zip(rows, truth, strict=True)]) > 0.78
    assert all(abs(float(r["probability of <=50K"]) + float(r["probability of >50K"]) - 1) < 1e-9 for r in rows)


def test_house_prices_of_california(gnomon, tmp_path):
    data = sample_of("tabular/california_housing.csv.gz", 3000, tmp_path)
    result = gnomon("learn", data, "-t", "median_house_value", "--json")
    found = json.loads(result.stdout)
    assert found["task"] == "regression"
    low, high = found["held_out"]["R²"]["interval"]
    assert 0.5 < low < high < 0.75  # linear models reach about 0.64
    assert "Capped target" in [w["title"] for w in found["warnings"]]
    assert (tmp_path / found["report"]).exists()
    predictions = gnomon("predict", found["model"], data, "--out", "predictions.csv")
    assert predictions.stdout == ""
    assert len((tmp_path / "predictions.csv").read_text().splitlines()) == 3001


def test_many_classes_some_of_them_rare(gnomon):
    data = data_path("tabular/ecoli.csv.gz")
    found = json.loads(gnomon("learn", data, "-t", "column_8", "--no-header", "--json").stdout)
    assert found["learned"]
    assert len(found["classes"]) == 5
    assert "Rare classes left out" in [w["title"] for w in found["warnings"]]


@pytest.fixture
def demo(gnomon, tmp_path):
    """The demonstration, run silently, and its table."""
    assert gnomon("demo", "--out", "demo", "--quiet").output == ""
    path, _ = demo_path()
    return read_table(path)


def test_the_demo_says_where_the_report_is(gnomon, tmp_path):
    register(Candidate("margin", "classification", lambda f, s: LinearSVC(), 2, probabilities=False))
    result = gnomon("demo")
    assert "gnomon-demo/report.html" in result.stdout.replace("\\", "/")
    assert (tmp_path / "gnomon-demo" / "report.html").exists()
    found = notes(tmp_path / "gnomon-demo" / "model.skops")
    assert found["learned"]
    single = [t["name"] for t in found["tried"] if not t["name"].startswith("mean of")]
    assert single == ["baseline", "logistic", "margin"]
    assert found["columns"] == {
        "customer_id": "identifier", "joined": "date", "country": "constant", "city": "category", "plan": "category",
        "monthly_fee": "number", "age": "number", "rides_last_month": "number", "rating": "number",
        "newsletter": "category", "message": "text",
    }  # fmt: skip


def test_the_embedded_table_is_what_its_generator_draws():
    assert demo_path()[0].read_text() == make_demo()


def test_new_rows_in_another_order_with_gaps_and_strange_levels(gnomon, demo, tmp_path):
    """Order does not matter, unknown columns are ignored aloud, unknown levels and gaps are borne, absence is not."""
    expected = load(tmp_path / "demo" / "model.skops").predict(demo).tolist()
    shuffled = demo.select([name for name in reversed(demo.names) if name != "cancelled"])
    write(tmp_path / "new.csv", shuffled.replace("surplus", np.ones(len(demo))))
    result = gnomon("predict", "demo/model.skops", "new.csv")
    names = demo["customer_id"].tolist()
    assert result.stdout.splitlines() == ["customer_id,prediction", *map(",".join, zip(names, expected, strict=True))]
    assert "ignored: surplus" in result.stderr

    def all_rows(cell):
        return np.array([cell] * len(demo))

    some = np.where(np.arange(len(demo)) % 2, demo["age"], all_rows("old"))
    strange = shuffled.replace("city", all_rows("Atlantis")).replace("age", some)
    write(tmp_path / "new.csv", strange.replace("message", all_rows("")))
    result = gnomon("predict", "demo/model.skops", "new.csv")
    assert len(result.stdout.splitlines()) == len(demo) + 1
    assert "cells of age are no numbers" in result.stderr
    assert "levels that the model has never seen, taken as a rare one: Atlantis" in result.stderr
    write(tmp_path / "new.csv", strange.replace("age", all_rows("old")))
    assert "the model needs age" in gnomon("predict", "demo/model.skops", "new.csv", code=2).stderr
    write(tmp_path / "new.csv", demo.select(["customer_id", "city"]))
    result = gnomon("predict", "demo/model.skops", "new.csv", "--out", "p.csv", code=2)
    assert "missing: joined, plan" in result.stderr
    assert "customer_id" not in result.stderr
    assert not (tmp_path / "p.csv").exists()


def test_parquet_and_csv_give_the_same_study(gnomon, tmp_path):
    path, target = demo_path()
    table = read_table(path).take(np.arange(150))
    write(tmp_path / "demo.csv", table)
    content = {n: [v or None for v in table[n].tolist()] for n in table.names}
    for name in ("monthly_fee", "age", "rides_last_month", "rating"):
        content[name] = [None if v is None else float(v) for v in content[name]]
    pa.parquet.write_table(pa.table(content), tmp_path / "demo.parquet")
    one = json.loads(gnomon("learn", "demo.csv", "-t", target, "-o", "a", "--json").stdout)
    two = json.loads(gnomon("learn", "demo.parquet", "-t", target, "-o", "b", "--json").stdout)
    assert one["held_out"] == two["held_out"]
    assert one["columns"] == two["columns"]
    by_one, by_two = gnomon("predict", "a/model.skops", "demo.parquet"), gnomon("predict", "b/model.skops", "demo.csv")
    assert by_one.stdout == by_two.stdout


def test_the_same_seed_gives_the_same_answer():
    data = table_of(120, y=noisy)
    one, two, other = (learn(data, "y", seed=seed) for seed in (1, 1, 2))
    assert one.judgement.scores == two.judgement.scores != other.judgement.scores
    assert one.judgement.intervals == two.judgement.intervals


def table_of(n, **more):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(n, 3))
    return {"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], **{name: make(x, rng) for name, make in more.items()}}


def noisy(x, rng):
    return np.where(x[:, 0] + rng.normal(size=len(x)) > 0, "yes", "no")


def titles(study):
    return [f.title for f in study.findings]


def test_noise_is_called_noise():
    study = learn(table_of(300, y=lambda x, rng: rng.choice(["yes", "no"], size=len(x))), "y")
    assert not study.choice.learned
    assert study.choice.trial.candidate.name == "baseline"
    assert titles(study)[0] == "Nothing was learned"


def test_a_leak_is_noticed_and_a_copy_is_left_out():
    data = table_of(300, y=noisy)
    study = learn({**data, "copy": data["y"], "leak": np.where(data["y"] == "yes", 7.0, 3.0)}, "y")
    leak = next(f for f in study.findings if f.title == "Possible leakage")
    assert "leak (1.000)" in leak.text
    assert "Copies of the target" in titles(study)
    assert {k.name: k.reason for k in study.kinds}["copy"] == "copy"


def test_a_leak_in_regression_is_noticed():
    data = table_of(300, y=lambda x, rng: x[:, 0] + rng.normal(size=len(x)))
    assert "Possible leakage" in titles(learn({**data, "leak": 3 * data["y"] + 1}, "y"))
    assert "Possible leakage" not in titles(learn(data, "y"))


def test_imbalance_repeated_rows_and_few_rows_are_noticed():
    data = table_of(150, y=lambda x, rng: np.where(x[:, 0] > 1.5, "rare", "common"))
    assert {"Imbalanced classes", "Few rows"} <= set(titles(learn(data, "y")))
    twice = {name: np.tile(values, 2) for name, values in table_of(200, y=noisy).items()}
    assert "Repeated rows" in titles(learn(twice, "y"))


def test_columns_that_say_nothing_are_left_out_and_kept_on_demand():
    n = 200
    odd = {"id": np.arange(n), "code": np.array([f"k{i}" for i in range(n)]), "same": np.ones(n), "void": [None] * n}
    data = {**table_of(n, y=noisy), **odd}
    study = learn(data, "y", keep=["id"])
    reasons = {k.name: k.reason for k in study.kinds if k.reason}
    assert reasons == {"code": "identifier", "same": "constant", "void": "empty"}
    assert {"Identifier columns", "Constant columns", "Empty columns"} <= set(titles(study))


def test_cells_that_are_no_numbers_and_gaps_are_noticed():
    data = table_of(200, y=noisy)
    words = np.array([f"{v:.3f}" for v in data["a"]], dtype=object)
    words[:3] = "broken"
    gappy = np.where(np.arange(200) % 3 > 0, np.nan, data["b"])
    study = learn({**data, "a": words, "b": gappy}, "y")
    assert {k.name: k.kind for k in study.kinds}["a"] == "number"
    assert {"Unreadable cells", "Mostly missing columns"} <= set(titles(study))


def test_a_model_that_fails_is_listed_with_its_reason(gnomon, tmp_path):
    register(Candidate("broken <b>", "classification", lambda f, s: 1 / 0, 0))
    write(tmp_path / "t.csv", Table(table_of(100, y=noisy)))
    result = gnomon("learn", "t.csv", "-t", "y", "--out", "out")
    assert "ZeroDivisionError" in result.stdout
    html, links = read(tmp_path / "out" / "report.html")
    assert "broken <b>" in " ".join(links.text)
    assert "broken <b>" not in html


def test_strings_of_the_user_are_text_never_markup(gnomon, tmp_path):
    evil = "<script>alert('$x$')</script>"
    data = table_of(200, y=lambda x, rng: np.where(x[:, 0] > 0, evil, "fine & dandy"))
    header = [evil + "a", "b]", "[red]c", "y"]
    with (tmp_path / "evil.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(header)
        writer.writerows(zip(*data.values(), strict=True))
    gnomon("learn", "evil.csv", "-t", "y", "-o", "out")
    html, links = read(tmp_path / "out" / "report.html")
    assert "<script" not in html
    assert evil + "a" in " ".join(links.text)


def test_groups_stay_together_and_the_past_predicts_the_future():
    n = 300
    data = {**table_of(n, y=noisy), "person": np.arange(n) // 5, "day": np.arange(n)[::-1]}
    study = learn(data, "y", group="person")
    persons = data["person"]
    assert not set(persons[study.split.train]) & set(persons[study.split.test])
    for train, test in study.split.folds:
        inside = persons[study.split.train]
        assert not set(inside[train]) & set(inside[test])
    study = learn(data, "y", time="day")
    assert data["day"][study.split.train].max() < data["day"][study.split.test].min()


def test_the_rule_of_choice_takes_the_simplest_of_equals_and_states_it():
    register(Candidate("twin", "classification", lambda f, s: LogisticRegression(max_iter=500, C=0.9), 0.5))
    study = learn(table_of(300, y=noisy), "y")
    assert study.choice.trial.candidate.name == "twin"
    assert study.choice.learned


def test_the_task_is_decided_by_the_rule_and_overridden_by_the_option():
    data = table_of(200, y=lambda x, rng: rng.integers(0, 5, size=len(x)) + np.round(x[:, 0]))
    few = {**data, "y": np.clip(data["y"], 0, 4)}
    assert learn(few, "y").target.task == "classification"
    assert learn(few, "y", task="regression").target.task == "regression"
    assert learn({**data, "y": data["y"] + 0.5}, "y").target.task == "regression"


def test_held_out_rows_play_no_part_in_the_fit():
    """Changing the held-out rows changes neither the comparison nor the model that they judge."""
    data = table_of(300, y=noisy)
    one = learn(data, "y")
    other = {name: np.array(values, copy=True) for name, values in data.items()}
    for name in "abc":
        other[name][one.split.test] += 5
    two = learn(other, "y")
    for a, b in zip(one.trials, two.trials, strict=True):
        np.testing.assert_array_equal(a.scores["log loss"], b.scores["log loss"])
    np.testing.assert_array_equal(one.judged[-1].coef_, two.judged[-1].coef_)


def test_command_line_of_the_process(monkeypatch, capsys):
    from gnomon.cli import main

    monkeypatch.setattr(sys, "argv", ["gnomon", "--version"])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 0
    assert re.fullmatch(r"gnomon \d+\.\d+\.\d+\n", capsys.readouterr().out)


def test_the_options_of_the_race_reach_the_study(gnomon, tmp_path):
    from gnomon.neighbors import KNeighborsClassifier

    register(Candidate("near", "classification", lambda f, s: KNeighborsClassifier(15), 2))
    rows = table_of(
        400, y=lambda x, rng: np.where(x[:, 0] + x[:, 1] * x[:, 2] + 0.7 * rng.normal(size=400) > 0, "p", "q")
    )
    write(tmp_path / "t.csv", Table(rows))
    options = ["learn", "t.csv", "-t", "y", "--rule", "best", "--json", "-o"]
    mixed = json.loads(gnomon(*options, "mixed", "--time-limit", 60).stdout)
    alone = json.loads(gnomon(*options, "alone", "--single", "--no-refit", "--metric", "f1", "--positive", "p").stdout)
    assert [one["name"] for one in mixed["tried"]][-1].startswith("mean of ")
    assert [one["name"] for one in alone["tried"]] == ["baseline", "logistic", "near"]
    assert (mixed["metric"], alone["metric"]) == ("log loss", "f1")
    assert (mixed["refitted"], alone["refitted"]) == (True, False)
    gnomon(*options, "never", "--time-limit", 0, code=2)
