"""What `find_clusters` is made of: placing, stability, words, warnings; and that it counts every column alike."""

import numpy as np
import pandas as pd
import pytest

from gnomon.cluster import KMeans, KSelection
from gnomon.io import Table, UserError
from gnomon.report import cluster_page, cluster_summary, find_clusters
from gnomon.report._cluster_findings import check_codes, check_filled, check_groups
from gnomon.report._cluster_number import QUESTIONS, Answer, NumberOfGroups
from gnomon.report._cluster_stability import group_stability, stability_words
from gnomon.report._cluster_words import profile_of, rules_in_words, separation
from gnomon.report._kinds import ColumnKind, infer_kinds
from gnomon.report.cluster_pages import cluster_reason, cluster_verdict, labelled_columns
from gnomon.report.placing import NearestGroup, group_spreads
from gnomon.report.prepare import Preparer


def prepared(columns):
    table = Table(columns)
    preparer = Preparer(tuple(infer_kinds(table, table.names).values()), "frequent", "plain").fit(table)
    return table, preparer, preparer.transform(table)


def two_groups(n=40, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.repeat([0, 1], n // 2)
    return {
        "size": 5.0 + 4.0 * labels + rng.normal(0.0, 0.3, n),
        "noise": rng.normal(100.0, 20.0, n),
        "colour": np.where(labels == 0, "red", np.where(np.arange(n) % 4 == 0, "red", "blue")),
        "day": np.datetime64("2020-01-01") + (300 * labels + rng.integers(0, 30, n)).astype("timedelta64[D]"),
    }, labels


def test_plain_preparation_has_one_column_for_each_number_and_date():
    columns, _ = two_groups()
    columns["size"][3] = np.nan
    table, preparer, X = prepared(columns)
    assert preparer.get_feature_names_out().tolist() == ["size", "noise", "day", "colour = blue", "colour = red"]
    assert np.allclose(X[:, :3].mean(axis=0), 0.0)
    assert np.allclose(X[:, :3].std(axis=0), 1.0)
    assert X[:, 3:].var(axis=0).sum() <= 0.5  # two levels together count less than a number
    spans = [(kind.name, span, levels) for kind, span, levels in preparer.spans()]
    assert spans[2:] == [("day", slice(2, 3), []), ("colour", slice(3, 5), ["blue", "red"])]
    center, scale = preparer.units()
    there = np.arange(40) != 3
    assert np.allclose((X * scale + center)[there, 0], columns["size"][there])
    full = Preparer(preparer.kinds, "frequent").fit(table)
    assert full.transform(table).shape[1] == X.shape[1] + 7  # where size is missing, and six places of the day


def test_rows_go_to_the_nearest_representative_and_oddness_is_relative():
    model = NearestGroup(np.array([[0.0, 0.0], [10.0, 0.0]]), np.array([1.0, 2.0]))
    X = np.array([[1.0, 0.0], [10.0, 4.0], [5.0, 0.0]])
    assert model.predict(X).tolist() == [1, 2, 1]
    assert model.oddness(X) == pytest.approx([1.0, 2.0, 5.0])
    squares, labels = np.array([1.0, 4.0, 0.0]), np.array([0, 0, 1])
    assert group_spreads(squares, labels, 2) == pytest.approx([np.sqrt(2.5), np.sqrt(5.0 / 3.0)])
    assert group_spreads(np.zeros(3), labels, 2).tolist() == [1.0, 1.0]


def test_stability_is_one_for_far_groups_and_low_for_cuts_through_a_cloud():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.2, size=(30, 2)) for c in (0.0, 5.0)])

    def make(k, seed):
        return KMeans(k, n_init=3, random_state=seed)

    assert group_stability(X, np.repeat([0, 1], 30), 2, make, 0).tolist() == [1.0, 1.0]
    cloud = rng.normal(size=(60, 5))
    found = group_stability(cloud, make(4, 0).fit(cloud).labels_, 4, make, 0)
    assert np.all(found < 0.75)
    words = [stability_words(s) for s in (0.9, 0.8, 0.7, 0.3, np.nan)]
    assert [text.split(":")[0] for text in words] == [
        "very stable", "stable", "its core is stable, its border is not", "not stable", "too few rows to tell",
    ]  # fmt: skip


@pytest.mark.spec("UNS-058", "UNS-059", "UNS-060", "UNS-062")
def test_groups_are_described_in_the_units_and_words_of_the_table():
    columns, labels = two_groups()
    table, preparer, X = prepared(columns)
    profile = profile_of(table, preparer, X, labels)
    told = [trait.text for trait in profile.traits[1]]
    mean, overall = columns["size"][labels == 1].mean(), columns["size"].mean()
    assert f"size is rather high: {mean:.4g} on average, {overall:.4g} in all rows" in told
    assert "colour is mostly blue: 75% of its rows, 38% of all" in told
    assert any(text.startswith("day is rather late: 2020-1") for text in told)
    assert not any(text.startswith("noise") for text in told)
    assert profile.cells[0][profile.columns.index("colour")] == "red 100%"
    shares = dict(separation(preparer, X, labels))
    assert shares["size"] > 0.95 > shares["colour"] > shares["noise"]
    rules = rules_in_words(preparer, X, labels, 0)
    assert rules.fidelity == 1.0
    assert all(rule.startswith(("size ≤ ", "day ≤ 2020-")) for rule in rules.rules[1])
    only = rules_in_words(*prepared({"colour": columns["colour"], "noise": columns["noise"]})[1:],
                          (columns["colour"] == "blue").astype(int), 0)  # fmt: skip
    assert {rule for found in only.rules.values() for rule in found} in (
        {"colour is blue", "colour is not blue"}, {"colour is red", "colour is not red"},
    )  # fmt: skip


def answers(gap, strength):
    ks = np.arange(1, 7)
    gaps = KSelection(gap, {"k": ks, "cost": np.ones(6), "gap": np.linspace(0.0, 1.0, 6)}, "", "")
    found = KSelection(strength, {"k": ks, "strength": np.linspace(1.0, 0.5, 6)}, "", "")
    return NumberOfGroups(min(gap, strength), tuple(map(Answer, QUESTIONS[:2], (gaps, found))), 100)


@pytest.mark.spec("UNS-050", "UNS-053")
def test_the_smaller_of_two_numbers_counts_and_the_other_is_advised():
    assert answers(4, 4).why == "the gap statistic and prediction strength agree on 4"
    assert answers(4, 4).advice == ""
    assert (
        answers(4, 2).why == "prediction strength speaks for 2 and the gap statistic for 4, and the smaller one counts"
    )
    assert answers(4, 2).advice == "--clusters 4 shows the other number"
    assert answers(1, 3).why.startswith("groups bring rows no closer together")
    assert answers(1, 3).advice == "prediction strength alone speaks for 3 groups; --clusters 3 shows them"
    assert "do not find the same groups (at best, for 2, a strength of 0.90" in answers(5, 1).why


def titles(findings):
    return [finding.title for finding in findings]


def test_warnings_name_the_group_and_what_to_do():
    fine, sizes = [("a", 0.6), ("b", 0.5)], [(60, 0.9), (50, 0.9)]
    assert check_groups(sizes, fine, None, answers(2, 2)) == []
    assert titles(check_groups(sizes, fine, 3, answers(2, 2))) == ["Another number than the table shows"]
    assert titles(check_groups(sizes, fine, 3, answers(1, 2))) == ["No groups were found"]
    assert titles(check_groups([(9, 0.9), (5, 0.9)], fine, 2, None)) == ["Number of groups not checked", "Few rows"]
    assert titles(check_groups([(90, 0.9), (2, 0.9)], fine, None, answers(2, 2))) == ["Tiny groups"]
    assert "group 2 (0.41)" in check_groups([(90, 0.9), (40, 0.41)], fine, None, answers(2, 2))[0].text
    assert titles(check_groups(sizes, [("a", 0.99), ("b", 0.1)], None, answers(2, 2))) == ["Groups of one column"]


def test_codes_and_filled_cells_are_pointed_out():
    table = Table({"code": [1.0, 2.0, 3.0, 1.0], "age": [31.0, 45.0, np.nan, np.nan], "flag": [0.0, 1.0, 0.0, 1.0]})
    used = [ColumnKind(name, "number") for name in table.names]
    (codes,) = check_codes(table, used)
    assert "code" in codes.text
    assert "age" not in codes.text
    assert "flag" not in codes.text
    (filled,) = check_filled(table, used, np.array([1, 1, 2, 2]))
    assert "group 2 (100%), where 50% of all rows have some" in filled.text
    assert check_filled(table, used, np.array([1, 2, 1, 2])) == []


@pytest.fixture(scope="module")
def study():
    columns, labels = two_groups(60)
    table = Table({**columns, "group": np.arange(60.0) % 7})
    return find_clusters(table, drop=["group"]), table, labels


@pytest.mark.spec("UNS-001")
def test_units_and_the_order_of_columns_do_not_matter(study):
    found, table, labels = study
    assert len(found.groups) == 2
    other = Table({"day": table["day"], "noise": 1e-6 * table["noise"], "colour": table["colour"],
                   "size": 3.0 - 1000.0 * table["size"]})  # fmt: skip
    again = find_clusters(other)
    assert np.array_equal(again.labels == again.labels[0], found.labels == found.labels[0])
    assert np.array_equal(found.labels == found.labels[0], labels == labels[0])


def test_the_typical_row_is_the_nearest_to_its_group(study):
    found, table, _ = study
    for group in found.groups:
        members = np.flatnonzero(found.labels == group.number)
        assert group.size == len(members)
        assert found.oddness[group.typical] == found.oddness[members].min()
    assert found.agreement == 1.0
    assert np.array_equal(found.model.predict(table), found.labels)


def test_labels_stand_beside_the_table_under_a_name_of_their_own(study):
    found, table, _ = study
    names = [name for name, _ in labelled_columns(found, table)]
    assert names == [*table.names, "group (gnomon)", "oddness"]


def test_page_summary_and_verdict_tell_the_same(study):
    found, table, _ = study
    assert cluster_verdict(found) == "The 60 rows form 2 groups of 30 and 30 rows."
    html = cluster_page(found, table, source="a <b>table</b>")
    assert "Groups in a &lt;b&gt;table&lt;/b&gt;" in html
    assert cluster_verdict(found) in html
    assert cluster_reason(found).split(".")[0] in html
    told = cluster_summary(found)
    assert [group["rows"] for group in told["groups"]] == [30, 30]
    assert told["separation"].keys() == {"size", "noise", "colour", "day"}


def test_data_frames_and_a_single_column_will_do():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(0.0, 0.2, 30), rng.normal(5.0, 0.2, 30)])
    found = find_clusters(pd.DataFrame({"x": x}), n_clusters=2)
    assert found.map.shape == (60, 1)
    assert sorted(group.size for group in found.groups) == [30, 30]
    assert "<svg" in cluster_page(found, Table({"x": x}))


def test_python_refuses_what_the_command_refuses():
    with pytest.raises(UserError, match="--method 'magic' is unknown; give one of: k-means"):
        find_clusters({"x": np.arange(30.0)}, method="magic")
    with pytest.raises(UserError, match="--clusters 1 is not possible"):
        find_clusters({"x": np.arange(30.0)}, n_clusters=1)
