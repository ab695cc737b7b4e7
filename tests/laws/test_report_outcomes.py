"""Scores of each class and rows to look at, against scikit-learn and by hand."""

import re

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

from gnomon.io import Table
from gnomon.report import learn, page
from gnomon.report._judge import Judgement
from gnomon.report._outcomes import scores_by_class, unsure_cases, worst_cases
from gnomon.report.scores import Forecast

CLASSES = ("a", "b", "c")


def judged(y, proba):
    proba = np.array(proba)
    said = np.array(CLASSES)[np.argmax(proba, axis=1)]
    return Judgement(np.array(y), Forecast(said, proba, np.array(CLASSES)), {}, {}, {})


def drawn(n=60):
    rng = np.random.default_rng(0)
    return judged(rng.choice(CLASSES, n), rng.dirichlet(np.ones(3), n))


def test_scores_of_each_class_are_those_of_scikit_learn():
    judgement = drawn()
    precision, recall, f1, rows = precision_recall_fscore_support(
        judgement.y, judgement.forecast.predicted, labels=list(CLASSES)
    )
    for k, found in enumerate(scores_by_class(judgement, CLASSES)):
        assert (found.name, found.rows) == (CLASSES[k], rows[k])
        assert [found.precision, found.recall, found.f1] == pytest.approx([precision[k], recall[k], f1[k]])
        assert found.precision_interval[0] < found.precision < found.precision_interval[1]
        assert found.recall_interval[0] < found.recall < found.recall_interval[1]


def test_ten_rows_are_shown_at_the_most():
    judgement, table = drawn(), Table({"x": np.arange(60.0)})
    for cases in (worst_cases, unsure_cases):
        assert len(cases(judgement, table, np.arange(60), ["x"])) == 10
    numbers = Judgement(np.arange(60.0), Forecast(np.zeros(60)), {}, {}, {})
    assert [case.row for case in worst_cases(numbers, table, np.arange(60), ["x"])] == list(range(60, 50, -1))


def test_a_class_that_is_never_called_has_no_precision():
    lacking = scores_by_class(judged(["a", "b"], [[1, 0, 0], [1, 0, 0]]), CLASSES)
    assert np.isnan(lacking[1].precision)
    assert lacking[1].recall == 0.0
    assert np.isnan(lacking[2].recall)


def test_the_worst_rows_are_wrong_and_the_unsure_ones_undecided():
    proba = [[0.9, 0.1, 0.0], [0.34, 0.33, 0.33], [0.1, 0.9, 0.0], [0.6, 0.4, 0.0]]
    judgement = judged(["a", "a", "c", "b"], proba)
    table = Table({"x": np.arange(4.0)})
    worst = worst_cases(judgement, table, np.array([10, 20, 30, 40]), ["x"])
    assert [(case.row, case.truth, case.said) for case in worst] == [(31, "c", "b"), (41, "b", "a")]
    assert worst[0].cells == (("x", "2"),)
    unsure = unsure_cases(judgement, table, np.arange(4), ["x"])
    assert [case.row for case in unsure] == [2, 4, 1, 3]
    assert unsure[0].measure == "0.340 against 0.330"


def test_numbers_that_are_far_off_are_named():
    judgement = Judgement(np.array([1.0, 2.0, 9.0]), Forecast(np.array([1.5, 2.0, 4.0])), {}, {}, {})
    table = Table({"x": np.arange(3.0)})
    worst = worst_cases(judgement, table, np.arange(3), ["x"])
    assert [case.row for case in worst] == [3, 1, 2]
    assert worst[0].measure == "5.000 off"
    assert unsure_cases(judgement, table, np.arange(3), ["x"]) == []


def test_cells_are_shown_as_a_person_writes_them():
    judgement = Judgement(np.array([1.0, 9.0]), Forecast(np.array([1.5, 4.0])), {}, {}, {})
    days = np.array(["2026-01-25", "2026-02-03T10:30:00"], dtype="datetime64[s]")
    table = Table({"x": [1.6473390663561, 123456789.0], "day": days, "code": ["a1", "0123456789012"]})
    worst = worst_cases(judgement, table, np.arange(2), ["x", "day", "code"])
    assert [[cell for _, cell in case.cells] for case in worst] == [
        ["123456789", "2026-02-03T10:30:00", "0123456789012"], ["1.647339", "2026-01-25", "a1"]
    ]  # fmt: skip


def test_the_report_counts_rows_as_the_file_does(only):
    """The target of one row in five is missing; numbers must still be those of the file."""
    only("logistic regression", "decision tree")
    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    y = np.where(x + 0.3 * rng.normal(size=300) > 0, "up", "down").astype(object)
    y[::5] = None
    table = Table({"x": x, "y": y})
    study = learn(table, "y")
    assert study.worst
    for case in (*study.worst, *study.unsure):
        assert y[case.row - 1] == case.truth
        assert float(dict(case.cells)["x"]) == pytest.approx(x[case.row - 1])
    html = page(study, table)
    assert "Rows that the model gets most wrong" in html
    assert "gnomon predict model.skops new.csv --proba\ngnomon serve model.skops" in html
    assert "precision" in html
    # On a screen of 400 px the cells of a row stand below each other, each behind the heading of its column.
    width, rules = re.search(r"@media \(max-width: (\d+)rem\) \{(.*?)\n\}", html, re.DOTALL).groups()
    assert int(width) * 16 > 400
    assert "table.stack td { display: block; }" in rules
    assert "content: attr(data-label)" in rules
    columns = re.search(r"feature columns?</summary>.*?</table>", html, re.DOTALL)[0]
    assert '<table class="stack">' in columns
    headings = re.findall(r"<th\b[^>]*>(.*?)</th>", columns)
    assert re.findall(r'data-label="(.*?)"', columns) == headings[1:] == [
        "taken as", "missing", "different", "for example"
    ]  # fmt: skip
