"""`gnomon cluster`: from a file to groups, their meaning, labels and a model; and to an honest “none”."""

import csv
import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score
from typer.testing import CliRunner

from gnomon.cli._app import app
from gnomon.datasets import make_customers
from gnomon.io import load, notes, read_table
from real_data import data_path

FILES = ["groups.csv", "model.skops", "report.html"]


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def gnomon(*arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.output


def left(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def customers(n=120):
    """Four groups; numbers with gaps, a category that goes with the groups, an identifier, a column named group."""
    made = make_customers(random_state=0)
    rows = np.random.default_rng(0).permutation(len(made.data))[:n]
    frame = pd.DataFrame(made.data[rows], columns=made.feature_names).round(1)
    frame.insert(0, "customer", [f"C{k:03d}" for k in rows])
    frame["town"] = np.array(["Rome", "Oslo", "Rome", "Bari"])[made.target[rows]]
    frame["shoe"] = np.random.default_rng(1).normal(42.0, 2.0, size=n).round()
    frame["group"] = np.arange(n) % 2
    frame.iloc[::25, 1] = np.nan
    return frame, made.target[rows]


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    """One run on the table of customers, whose files several tests look at."""
    folder = tmp_path_factory.mktemp("customers")
    frame, truth = customers()
    frame.to_csv(folder / "shop.csv", index=False)
    told = gnomon("cluster", folder / "shop.csv", "--drop", "group", "--out", folder / "out")
    return folder, frame, truth, " ".join(told.split())


@pytest.mark.spec("UNS-050", "UNS-053", "UNS-056", "UNS-058", "UNS-060")
def test_the_screen_says_how_many_groups_there_are_and_what_they_are_like(story):
    folder, _, _, told = story
    assert left(folder / "out") == FILES
    assert "shop.csv: 120 rows, 7 columns" in told
    assert "gap statistic: 8 groups" in told
    assert "prediction strength: 4 groups" in told
    assert "The 120 rows form 4 groups of" in told
    assert "Prediction strength speaks for 4 and the gap statistic for 8, and the smaller one counts." in told
    assert "Identifier columns. Columns like an identifier, different in nearly every row: customer" in told
    assert re.search(r"town mostly (Oslo|Bari)", told)
    assert "low Annual Income" in told


@pytest.mark.spec("UNS-020", "UNS-023")
def test_the_labels_stand_beside_the_rows_and_the_model_repeats_them(story):
    folder, frame, truth, _ = story
    with open(folder / "out" / "groups.csv", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    labels = [int(row["group (gnomon)"]) for row in rows]
    assert adjusted_rand_score(truth, labels) > 0.9
    assert [row["customer"] for row in rows] == frame["customer"].tolist()
    assert [row["town"] for row in rows] == frame["town"].tolist()
    sizes = np.bincount(labels)[1:]
    assert sizes.tolist() == sorted(sizes, reverse=True)
    again = gnomon("predict", folder / "out" / "model.skops", folder / "shop.csv")
    told = list(csv.DictReader(again.splitlines()))
    assert list(told[0]) == ["customer", "group", "oddness"]
    assert [int(row["group"]) for row in told] == labels
    ours = np.array([float(row["oddness"]) for row in rows])
    assert np.allclose(ours, [float(row["oddness"]) for row in told], rtol=1e-5)
    for number in np.unique(labels):  # the root mean square of the rows of a group is the unit
        assert np.sqrt(np.mean(ours[np.array(labels) == number] ** 2)) == pytest.approx(1.0, rel=1e-4)


def test_one_new_row_is_placed_and_strange_ones_are_noted(story, tmp_path):
    folder, _, _, _ = story
    new = tmp_path / "new.csv"
    new.write_text("Spending Score,town,Annual Income,Age,shoe\n90,Rome,30,25,42\n20,Nice,65,,41\n", encoding="utf-8")
    result = run("predict", folder / "out" / "model.skops", new)
    assert result.exit_code == 0
    assert "never seen, taken as a rare one: Nice" in " ".join(result.stderr.split())
    groups = [row["group"] for row in csv.DictReader(result.stdout.splitlines())]
    with open(folder / "out" / "groups.csv", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    young = [row["group (gnomon)"] for row in rows if row["Age"] and float(row["Age"]) < 30 and row["town"] == "Rome"]
    assert groups[0] == max(set(young), key=young.count)
    refused = run("predict", folder / "out" / "model.skops", new, "--proba")
    assert refused.exit_code == 2
    assert "this model was made by gnomon cluster" in refused.output


@pytest.mark.spec("UNS-058", "UNS-059", "UNS-060", "UNS-062", "UNS-063")
def test_the_page_stands_alone_and_explains_the_groups(story):
    folder, _, _, _ = story
    html = (folder / "out" / "report.html").read_text(encoding="utf-8")
    assert "http" not in html
    assert not re.search(r'(src|href)="(?!#)', html)
    assert html.count("<svg") == 9  # the map, four curves, four columns of numbers
    assert html.count('role="img"') == html.count("<svg")
    for head in ("The groups", "The rows on a map", "How many groups?", "What sets the groups apart",
                 "Rules that tell the groups", "How sure are they?", "Odd rows", "Using the groups"):  # fmt: skip
        assert f"<h2>{head}</h2>" in html
    found = notes(folder / "out" / "model.skops")
    assert found["task"] == "cluster"
    assert found["found"]
    assert found["fidelity_of_rules"] > 0.9
    for group in found["groups"]:
        assert group["stability"] > 0.9
        assert all(trait.split(":")[0] in html for trait in group["traits"])
    assert any(
        "Annual Income ≤" in rule or "Annual Income >" in rule for rules in found["rules"].values() for rule in rules
    )
    assert list(found["separation"])[-1] == "shoe"  # which has nothing to do with the groups
    assert found["separation"]["shoe"] < 0.2 < 0.7 < found["separation"]["Annual Income"]
    odd = found["oddest_rows"][0]
    labels = read_table(folder / "out" / "groups.csv")
    assert np.argmax(labels["oddness"].astype(float)) == odd - 1


@pytest.mark.spec("UNS-050", "UNS-053")
def test_noise_has_no_groups_and_is_told_so(tmp_path):
    x = np.random.default_rng(0).normal(size=(120, 3))
    pd.DataFrame(x, columns=["a", "b", "c"]).to_csv(tmp_path / "noise.csv", index=False)
    told = json.loads(gnomon("cluster", tmp_path / "noise.csv", "-o", tmp_path / "out", "--json"))
    assert not told["found"]
    assert told["n_groups"] == 1
    assert {told["asked_of_the_table"][name]["verdict"] for name in ("gap", "prediction_strength")} == {"no groups"}
    html = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "No groups were found among the 120 rows." in html
    assert "Rules that tell the groups" not in html
    assert set(read_table(tmp_path / "out" / "groups.csv")["group"].tolist()) == {"1"}
    assert set(load(tmp_path / "out" / "model.skops").predict(read_table(tmp_path / "noise.csv")).tolist()) == {1}


@pytest.mark.spec("UNS-046", "UNS-032")
@pytest.mark.parametrize("method", ["k-medoids", "ward"])
def test_a_number_and_a_method_can_be_given(tmp_path, method):
    frame, truth = customers(60)
    frame.drop(columns=["group", "town", "shoe"]).to_csv(tmp_path / "shop.csv", index=False)
    options = ("--clusters", 2, "--method", method, "--seed", 3, "-o", tmp_path / "out", "--json")
    told = json.loads(gnomon("cluster", tmp_path / "shop.csv", *options))
    assert told["method"] == method
    assert told["n_groups"] == told["asked"] == 2
    assert told["found"]
    titles = [warning["title"] for warning in told["warnings"]]
    assert "Another number than the table shows" in titles
    labels = np.array([int(group) for group in read_table(tmp_path / "out" / "groups.csv")["group"].tolist()])
    # Two of four groups are joined in each half, never divided.
    assert all(np.mean(labels[truth == k] == np.bincount(labels[truth == k]).argmax()) > 0.9 for k in range(4))


ROWS = "a,b,c\n" + "".join(f"{i * 37 % 101},{i * 53 % 89},{'xyz'[i % 3]}\n" for i in range(30))
BAD = {
    "absent": (None, (), "no such file"),
    "one row": ("a,b\n1,2\n", (), "at least 20 rows are needed to say whether there are groups, and the table has 1"),
    "one row, two groups": ("a,b\n1,2\n", ("-k", "2"), "--clusters 2 is not possible"),
    "constant columns": ("a,b\n" + 30 * "1,x\n", (), "no column is left"),
    "too many groups": (ROWS, ("-k", "16"), "table of length 30; give a number from 2 to 15"),
    "more than differ": ("a,b\n" + 15 * "1,x\n2,x\n", ("-k", "3"), "only 2 rows differ"),
    "unknown method": (ROWS, ("--method", "magic"), "give one of: k-means, k-medoids, ward"),
    "unknown column": (ROWS, ("--drop", "z"), "--drop: no column z"),
    "unknown type": (ROWS, ("--type", "a=magic"), "give one of number, category, date, text"),
    "text": (ROWS, ("--type", "c=text"), "--type c=text: groups are made of numbers, dates and categories"),
    "nothing left": (ROWS, ("--drop", "a", "--drop", "b", "--drop", "c"), "no column is left"),
    "ragged": ("a,b\n1,2\n1\n", (), "line 3 has 1 field"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_ends_in_a_sentence_and_code_2(tmp_path, case):
    content, options, sentence = BAD[case]
    path = tmp_path / "x.csv"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    result = run("cluster", path, "-o", tmp_path / "out", *options)
    assert result.exit_code == 2, result.output
    assert sentence in " ".join(result.output.split())
    assert left(tmp_path) == ([] if content is None else ["x.csv"])


def test_an_interruption_leaves_nothing(tmp_path, monkeypatch):
    (tmp_path / "x.csv").write_text(ROWS, encoding="utf-8")

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("gnomon.report._clusters.group_stability", interrupt)
    result = run("cluster", tmp_path / "x.csv", "-k", "2", "-o", tmp_path / "out")
    assert result.exit_code == 130
    assert "nothing was written" in result.output
    assert left(tmp_path) == ["x.csv"]


@pytest.mark.spec("UNS-058", "UNS-065")
def test_states_by_their_crimes(tmp_path):
    """The table of the labs: two groups, of which one has all that is violent."""
    told = json.loads(
        gnomon("cluster", data_path("rbooks/datasets_USArrests.csv.gz"), "-o", tmp_path / "out", "--json")
    )
    assert told["n_groups"] == 2
    assert told["columns"]["rownames"] == "identifier"
    assert list(told["separation"])[-1] == "UrbanPop"
    html = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "component 1 (62% of the variance)" in html
    assert "component 2 (25%)" in html
    rows = read_table(tmp_path / "out" / "groups.csv")
    violent = rows["rownames"][rows["group"] == "2"].tolist()
    assert {"Florida", "California", "Nevada", "Georgia"} <= set(violent)
    assert "Vermont" not in violent
