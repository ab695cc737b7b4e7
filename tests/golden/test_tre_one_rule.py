"""Golden values of the one rule: the weather table, by words and by numbers."""

import numpy as np
import pytest

from gnomon.datasets import load_weather_play
from gnomon.trees import OneRule

TEMPERATURE = [85, 80, 83, 70, 68, 65, 64, 72, 69, 75, 75, 72, 81, 71]
HUMIDITY = [85, 90, 86, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 91]
PLAY = list("nnyyynynyyyyyn")


@pytest.mark.spec("TRE-G05", "TRE-001", "TRE-002", "TRE-004")
def test_weather_by_words():
    weather = load_weather_play(as_frame=True)
    rule = OneRule().fit(weather.data, weather.target)
    np.testing.assert_array_equal(rule.errors_, [4, 5, 4, 5])
    assert rule.feature_ == 0
    table = rule.rules_
    assert table.column == "outlook"
    assert table.conditions == ("outlook = overcast", "outlook = rainy", "outlook = sunny")
    assert table.labels.tolist() == ["yes", "yes", "no"]
    np.testing.assert_array_equal(table.counts, [[0, 4], [2, 3], [3, 2]])
    np.testing.assert_array_equal(table.errors, [0, 2, 2])
    sunny = weather.data[weather.data["outlook"] == "sunny"]
    np.testing.assert_allclose(rule.predict_proba(sunny)[:, 1], 2 / 5)
    assert set(rule.predict(sunny)) == {"no"}
    assert np.sum(rule.predict(weather.data) != weather.target) == 4


@pytest.mark.spec("TRE-G06", "TRE-003")
@pytest.mark.parametrize(
    ("column", "min_bucket", "cuts", "labels", "errors"),
    [
        (TEMPERATURE, 3, [77.5], ["y", "n"], 5),
        (HUMIDITY, 3, [82.5, 95.5], ["y", "n", "y"], 3),
        (HUMIDITY, 6, [82.5], ["y", "n"], 4),
    ],
)
def test_weather_by_numbers(column, min_bucket, cuts, labels, errors):
    rule = OneRule(min_bucket=min_bucket).fit(np.array(column, dtype=float)[:, None], PLAY)
    inner = ~rule.tree_.is_leaf
    assert rule.tree_.threshold[inner].tolist() == cuts
    assert rule.rules_.labels.tolist() == labels
    assert rule.errors_.tolist() == [errors]
    assert int(np.sum(rule.predict(np.array(column)[:, None]) != np.array(PLAY))) == errors
