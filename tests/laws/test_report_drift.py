"""Whether held-out rows are like the training rows, and which words of texts move forecasts."""

import re

import numpy as np
import pytest
from scipy.stats import chi2_contingency
from sklearn.linear_model import LogisticRegression

from gnomon._registry import Candidate
from gnomon.io import Table
from gnomon.report import learn, page
from gnomon.report._budget import Budget
from gnomon.report._drift import Drift, DriftedColumn, _holm, _of_counts, drift, drift_findings
from gnomon.report._kinds import ColumnKind, clock_of, infer_kinds
from gnomon.report._splits import Split
from gnomon.report._words_that_matter import word_effects

N, TRAIN = 400, np.arange(320)
LATE = np.arange(N) >= 320


def compared(columns, *, by_time=True, order=None, groups=None):
    table = Table(columns)
    order = np.arange(N) if order is None else order
    parts = Split(order[:320], order[320:], [], "", groups, by_time)
    return drift(table, tuple(infer_kinds(table, table.names).values()), parts, 0)


def alike(seed=0):
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(["one", "two", "three", "four"], 6)) + f" {k}" for k in range(N)]
    gaps = np.where(rng.random(N) < 0.2, np.nan, rng.normal(size=N))
    return {"x": rng.normal(size=N), "gaps": gaps, "home": rng.choice(["a", "b", "c"], N), "text": texts}


CHANGES = {
    "x": (lambda c, rng: c["x"] + 1.0 * LATE, "median"),
    "gaps": (lambda c, rng: np.where(LATE & (rng.random(N) < 0.6), np.nan, c["gaps"]), "missing in 2"),
    "home": (lambda c, rng: np.where(LATE, "b", c["home"]), "b in 3"),
    "text": (lambda c, rng: [t + " more of it" * (k >= 320) for k, t in enumerate(c["text"])], "words 7 there, 10"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_a_column_that_changes_is_found_and_said(name):
    columns = alike()
    change, words = CHANGES[name]
    found = compared({**columns, name: change(columns, np.random.default_rng(1))}, by_time=False)
    assert [column.name for column in found.columns] == [name]
    assert words in found.columns[0].how
    (finding,) = drift_findings(found)
    assert name in finding.text


def test_rows_that_are_alike_are_passed_over_in_silence():
    found = [compared(alike(seed), order=np.random.default_rng(seed).permutation(N)) for seed in range(12)]
    assert sum(bool(drift_findings(one)) for one in found) <= 1
    assert np.mean([one.area for one in found]) == pytest.approx(0.5, abs=0.05)
    assert drift_findings(compared(alike(), groups=np.zeros(N))) == []


def test_columns_that_are_almost_the_same_are_no_warning_of_scipy():
    """Of 500 rows and as many, two of which are moved, SciPy's exact sum is more than 1 by rounding."""
    x = np.tile(np.arange(500.0), 2)
    x[500:502] = 1.5
    table = Table({"x": x})
    parts = Split(np.arange(500), np.arange(500, 1000), [], "", None, False)
    assert drift_findings(drift(table, tuple(infer_kinds(table, table.names).values()), parts, 0)) == []


def test_columns_that_change_together_alone_are_found_by_the_classifier():
    """Each column keeps its law; only their relation is another one."""
    columns, rng = alike(), np.random.default_rng(2)
    columns["y"] = np.where(LATE, -1.0, 1.0) * columns["x"] + 0.3 * rng.normal(size=N)
    found = compared(columns)
    assert found.columns == []
    assert found.area > 0.8
    assert "No single column" in drift_findings(found)[0].text


def test_words_are_told_of_their_class_where_the_training_rows_lack_one():
    """The first class is not among the training rows: the probabilities have a column less."""

    class Model:
        classes_ = np.array(["b", "c"])

        def predict_proba(self, table):
            p = 0.2 + 0.5 * np.array(["good" in cell for cell in table["text"].tolist()])
            return np.column_stack([1.0 - p, p])

        def predict(self, table):
            return np.repeat("c", len(table))

    rng = np.random.default_rng(0)
    table = Table({"text": [" ".join(row) for row in rng.choice(["good", "chair", "lamp", "desk"], (80, 3))]})
    (found,) = word_effects(Model(), table, [ColumnKind("text", "text")], ("a", "b", "c"), 0, Budget(None))
    assert (found.word, found.of) == ("good", "b")
    assert found.effect == pytest.approx(-0.5)


class Sums:
    """Says the sum of what its words are worth; some are worth as much as another column says."""

    def __init__(self, worth, doubtful=()):
        self.worth, self.doubtful = worth, doubtful

    def predict(self, table):
        cells = [set(cell.split()) for cell in table["text"].tolist()]
        sure = np.array([sum(self.worth.get(word, 0.0) for word in cell) for cell in cells])
        return sure + table["x"] * np.array([len(cell & {*self.doubtful}) for cell in cells])


def test_a_dozen_words_of_largest_effect_are_told_by_thirty_rows_each():
    words = [f"w{k}" for k in range(20)]
    texts = [" ".join(row) for row in np.random.default_rng(0).permuted(np.tile(words, (200, 1)), axis=1)[:, :8]]
    table = Table({"text": texts, "x": np.zeros(200)})
    model = Sums({word: (-1.0) ** k * (k + 1.0) for k, word in enumerate(words)})
    found = word_effects(model, table, [ColumnKind("text", "text")], (), 0, Budget(None))
    assert [one.word for one in found] == words[:7:-1]
    np.testing.assert_allclose([one.effect for one in found], [(-1.0) ** k * (k + 1.0) for k in range(19, 7, -1)])
    assert {(one.rows, one.of) for one in found} == {(30, "")}
    assert max(one.error for one in found) < 1e-12


def test_words_of_all_rows_and_words_whose_effect_is_in_doubt_are_not_told():
    """`maybe` is worth what another column says, one or its opposite; `the` stands in every row, `twice` in two."""
    rng = np.random.default_rng(0)
    some = rng.random((3, 100)) < 0.5
    cells = [f"the {'good ' * a}{'maybe ' * b}{'chair ' * c}" for a, b, c in some.T.astype(int)]
    table = Table({"text": [cell + "twice" * (k < 2) for k, cell in enumerate(cells)], "x": np.tile([1.0, -1.0], 50)})
    model = Sums({"the": 9.0, "good": 1.0, "twice": 5.0}, ["maybe"])
    (found,) = word_effects(model, table, [ColumnKind("text", "text")], (), 0, Budget(None))
    assert (found.word, found.effect) == ("good", 1.0)


def test_what_orders_the_rows_is_no_drift():
    """Later rows have later dates by design, and other weekdays; nothing else has changed here."""
    table = Table({"day": np.datetime64("2026-01-01T08") + np.arange(N) * np.timedelta64(90, "m"), **alike()})
    clock = clock_of(ColumnKind("day", "date"), table["day"])
    parts = Split(np.arange(320), np.arange(320, N), [], "", None, by_time=True)
    kinds = list(infer_kinds(table, [name for name in table.names if name != "day"]).values())
    found = drift(table, (clock, *kinds), parts, 0)
    assert found.columns == []
    assert not found.found
    assert drift(table, (clock,), parts, 0) is None


def test_few_rows_are_not_compared_and_a_forest_looks_at_later_ones_alone():
    table = Table({"x": np.random.default_rng(0).normal(size=100)})
    kinds = tuple(infer_kinds(table, table.names).values())
    found = {n: drift(table, kinds, Split(np.arange(100 - n), np.arange(100 - n, 100), [], ""), 0) for n in (19, 20)}
    assert found[19] is None
    assert (found[20].columns, found[20].area, found[20].p_value) == ([], None, 1.0)


def test_levels_of_few_rows_count_as_one():
    """Of forty rows each: 30 and 10 of one level, 7 and 20 of another, 3 and 10 of thirteen levels of one row."""
    codes = np.concatenate([np.repeat([0, 1], [30, 7]), [2, 3, 4], np.repeat([0, 1], [10, 20]), np.arange(5, 15)])
    expected = chi2_contingency([[30, 7, 3], [10, 20, 10]]).pvalue
    assert _of_counts(codes, np.arange(80) >= 40) == pytest.approx(expected)
    assert _of_counts(np.arange(80), np.arange(80) >= 40) == 1.0


def test_five_columns_are_named_and_the_others_counted():
    changed = [DriftedColumn(f"c{k}", 0.001, "median 1 there, 2 here") for k in range(7)]
    (finding,) = drift_findings(Drift(changed, 9))
    assert "c4: median 1 there, 2 here; and 2 more. The scores" in finding.text
    assert "c5" not in finding.text


def test_p_values_are_those_of_holm():
    """By hand: 3 · 0.01, 2 · 0.02 and 0.5."""
    np.testing.assert_allclose(_holm([0.5, 0.01, 0.02]), [0.5, 0.03, 0.04])
    np.testing.assert_allclose(_holm([0.03, 0.02]), [0.04, 0.04])


def test_a_later_fifth_that_differs_and_words_that_matter_stand_in_the_report(only):
    only(Candidate("logistic", "classification", lambda facts, seed: LogisticRegression(max_iter=500), 1))
    rng = np.random.default_rng(0)
    words = rng.choice(["good", "bad", "chair", "table", "lamp"], (N, 5))
    score = (words == "good").sum(axis=1) - (words == "bad").sum(axis=1) + 0.3 * rng.normal(size=N)
    table = Table({
        "day": np.datetime64("2026-01-01") + np.arange(N),
        "price": rng.normal(size=N) + 2.0 * LATE,
        "text": [" ".join([*row, str(k)]) for k, row in enumerate(words)],
        "kept": np.where(score > 0.0, "yes", "no"),
    })  # fmt: skip
    study = learn(table, "kept", time="day", single=True)
    assert [column.name for column in study.drift.columns] == ["price"]
    assert study.drift.area > 0.8
    assert "The held-out rows are unlike the training rows" in {finding.title for finding in study.findings}
    effects = {one.word: one.effect for one in study.words}
    assert effects["good"] > 0.05
    assert effects["bad"] < -0.05
    assert {one.word for one in study.words[:2]} == {"good", "bad"}
    html = re.sub(r"\s+", " ", page(study, table))
    assert "Words that matter" in html
    assert "speaks for “yes”" in html
    assert "Are these rows like the training rows?" in html
