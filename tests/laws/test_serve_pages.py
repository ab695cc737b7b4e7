"""Pages of `gnomon serve` for every task, and why a model answers as it does."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.pipeline import Pipeline

from gnomon.datasets import make_engines
from gnomon.io import ModelFileError, Table
from gnomon.report import find_anomalies, find_clusters
from gnomon.report._kinds import ColumnKind
from gnomon.report.prepare import Preparer
from gnomon.report.typical_rows import row_notes
from gnomon.serve import Asked, OpenModel, open_model
from gnomon.serve.fields import fields_of
from gnomon.serve.pages import MOST_FIELDS, Page
from gnomon.serve.why import explain
from small_server import write_model


@pytest.fixture(scope="module")
def of_numbers(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "amount.skops"
    write_model(path, "amount")
    return open_model(path)


def without_labels(study, table, task):
    facts = {"task": task, "target": None, "columns": {kind.name: kind.kind for kind in study.kinds}, "reading": {}}
    return OpenModel(study.model, {**facts, **row_notes(table, study.model[0].kinds)})


def test_effects_are_differences_of_answers(of_numbers):
    typical = {field.name: field.typical for field in fields_of(of_numbers)}
    row = Table({"income": ["€ 90,0"], "years": [typical["years"]], "home": ["own"]}, decimal=",")
    found = explain(of_numbers, row, typical, Asked())

    def said(**cells):
        return of_numbers.answers(Table({**row.columns, **cells}, decimal=",")).said["prediction"][0]

    assert found.value == pytest.approx(said())
    assert [effect.name for effect in found.effects] == ["income", *(["home"] if typical["home"] != "own" else [])]
    for effect in found.effects:
        assert effect.change == pytest.approx(said() - said(**{effect.name: [effect.typical]}))
    assert found.n_without == 3 - len(found.effects)
    calm = explain(of_numbers, Table({name: [cell] for name, cell in typical.items()}), typical, Asked())
    assert calm.effects == []


def test_only_columns_that_are_not_typical_are_asked_about(of_numbers, monkeypatch):
    """A form of some thousand columns asks for one answer more than fields that were changed."""
    typical, sizes = {field.name: field.typical for field in fields_of(of_numbers)}, []
    answers = OpenModel.answers

    def counted(self, table, *asked):
        sizes.append(len(table))
        return answers(self, table, *asked)

    monkeypatch.setattr(OpenModel, "answers", counted)
    row = Table({**{name: [cell] for name, cell in typical.items()}, "income": ["€ 90,0"]}, decimal=",")
    explain(of_numbers, row, typical, Asked())
    assert sizes == [2]


def test_the_words_of_a_text_are_explained_one_by_one():
    """A model that counts one word; the others do nothing, and the text as a whole does what the word does."""

    class Counts(RegressorMixin, BaseEstimator):
        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.array([float(str(cell).lower().count("good")) for cell in X[:, 0]])

    rng = np.random.default_rng(0)
    table = Table({"said": [" ".join(row) for row in rng.choice(["good", "bad", "chair", "lamp", "desk"], (60, 6))]})
    kinds = (ColumnKind("said", "text"),)

    class Raw(Preparer):
        def transform(self, X):
            return np.array(X["said"].tolist(), dtype=object)[:, None]

    facts = {"task": "regression", "target": "y", "columns": {"said": "text"}, "reading": {}, **row_notes(table, kinds)}
    model = OpenModel(Pipeline([("prepare", Raw(kinds).fit(table)), ("model", Counts())]), facts)
    found = explain(model, Table({"said": ["Good lamp, good chair"]}), {"said": ""}, Asked())
    assert [(e.name, e.cell, e.typical, e.change) for e in found.effects] == [
        ("said", "Good lamp, good chair", "", 2.0), ("said: good", "good", "left out", 2.0)
    ]  # fmt: skip
    assert found.n_without == 0


def test_groups_and_anomalies_have_pages_too():
    X, _ = make_engines(100, 10, random_state=0)
    table = Table({"heat": X[:, 0], "vibration": X[:, 1]})
    rng = np.random.default_rng(0)
    groups = Table({"a": rng.normal(size=60) + 9.0 * (np.arange(60) % 2), "b": rng.normal(size=60)})
    for model, rows, words in (
        (without_labels(find_anomalies(table, contamination=0.05), table, "anomaly"), table, "Is a row an anomaly?"),
        (without_labels(find_clusters(groups, n_clusters=2), groups, "cluster"), groups, "Which group is a row in?"),
    ):
        page = Page(model, fields_of(model))
        row = rows.take([0])
        html = page.form(page.typical, answers=model.answers(row), why=explain(model, row, page.typical, Asked()))
        assert words in html
        assert "change that it makes" in html


def test_a_wide_table_shows_its_first_columns_and_keeps_the_others_typical(of_numbers):
    fields = fields_of(of_numbers)
    many = [type(fields[0])(f"c{k}", "number", "1", "number") for k in range(MOST_FIELDS + 5)]
    page = Page(of_numbers, many)
    assert page.hidden == {f"c{k}": "1" for k in range(MOST_FIELDS, MOST_FIELDS + 5)}
    assert "5 more columns stay at their typical values" in page.form({})


def test_a_file_without_typical_cells_is_refused(of_numbers):
    facts = {name: value for name, value in of_numbers.facts.items() if name != "typical"}
    with pytest.raises(ModelFileError, match="'typical'; make the model again"):
        fields_of(OpenModel(of_numbers.pipeline, facts))
    with pytest.raises(ModelFileError, match="no typical cell of income"):
        fields_of(OpenModel(of_numbers.pipeline, {**facts, "typical": {}}))
