"""Held-out rows and folds by themselves: what is kept apart, what is shared out evenly, and what is refused."""

import numpy as np
import pytest

from gnomon.io import Table, UserError
from gnomon.report._splits import split
from gnomon.report._target import read_target


def table_of(n=400, groups=40):
    rng = np.random.default_rng(0)
    rare = rng.permutation(n) < n // 10
    return Table({
        "person": rng.permutation(np.arange(n) % groups), "y": np.where(rare, "rare", "common"),
        "number": rng.normal(size=n), "day": rng.permutation(n),
    })  # fmt: skip


def parts_of(table, target="y", **how):
    return split(table, read_target(table, target), **how)


def in_folds(parts):
    """How often each training row is among those that judge; none learns and judges at once."""
    for train, test in parts.folds:
        assert not set(train.tolist()) & set(test.tolist())
    return np.bincount(np.concatenate([test for _, test in parts.folds]), minlength=len(parts.train))


@pytest.mark.parametrize(("n", "repeats"), [(400, 2), (1240, 2), (1260, 1)])
@pytest.mark.parametrize("target", ["y", "number"])
def test_every_row_judges_as_often_as_any_and_classes_keep_their_shares(n, repeats, target):
    """Few rows are divided twice over, which is said."""
    table = table_of(n)
    parts = parts_of(table, target)
    assert sorted([*parts.train, *parts.test]) == list(range(n))
    assert len(parts.test) == n // 5
    assert set(in_folds(parts)) == {repeats}
    assert len(parts.folds) == 5 * repeats
    assert ("twice over" in parts.rule) is (repeats == 2)
    if target == "y":
        rare = table["y"] == "rare"
        assert rare[parts.test].mean() == pytest.approx(0.1, abs=1.0 / len(parts.test))
        for rows in (test for fold in parts.folds for test in fold):
            assert rare[parts.train][rows].mean() == pytest.approx(0.1, abs=1.5 / len(rows))


@pytest.mark.parametrize("target", ["y", "number"])
def test_rows_of_a_group_are_on_one_side_of_every_split(target):
    table = table_of()
    parts = parts_of(table, target, group="person")
    person = table["person"].astype(int)
    assert sorted([*parts.train, *parts.test]) == list(range(400))
    assert set(person[parts.train]) | set(person[parts.test]) == set(range(40))
    assert not set(person[parts.train]) & set(person[parts.test])
    assert set(in_folds(parts)) == {1}
    for train, test in parts.folds:
        assert not set(person[parts.train][train]) & set(person[parts.train][test])


def test_groups_too_few_to_be_kept_apart_are_refused():
    with pytest.raises(UserError, match="fewer than 10 groups; too few to keep them apart"):
        parts_of(table_of(groups=9), group="person")
    assert parts_of(table_of(groups=10), group="person").groups is not None
    with pytest.raises(UserError, match="give --group or --time, not both"):
        parts_of(table_of(), group="person", time="day")


def test_the_last_fifth_is_held_out_and_earlier_rows_predict_later_ones():
    table = table_of()
    parts = parts_of(table, time="day")
    day = table["day"].astype(int)
    assert sorted(day[parts.test]) == list(range(320, 400))
    assert parts.by_time
    assert [len(train) for train, _ in parts.folds] == [55, 108, 161, 214, 267]
    for train, test in parts.folds:
        assert day[parts.train][train].max() + 1 == day[parts.train][test].min()
    assert sorted(np.concatenate([test for _, test in parts.folds])) == list(range(55, 320))
