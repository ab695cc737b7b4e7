"""Pictures of a report: each says in words what is to be seen, and none is squeezed by one bad model."""

import re
from html import unescape

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor

from gnomon._registry import Candidate, Facts
from gnomon.report._judge import Importance, Judgement
from gnomon.report._pictures import (
    picture_of_candidates,
    picture_of_importances,
    picture_of_target,
    pictures_of_judgement,
    right_edge,
)
from gnomon.report._target import Target
from gnomon.report._trials import Entrant, Trial
from gnomon.report.scores import SCORES, Forecast, score_all

rng = np.random.default_rng(0)
RMSE = SCORES["regression"][0]


def name_of(svg):
    """The name that a screen reader says."""
    found = re.search(r'<svg[^>]* role="img" aria-label="([^"]*)"', svg)
    assert found, svg[:300]
    return unescape(found.group(1))


def trial(name, loss, spread=0.01):
    candidate = Candidate(name, "regression", lambda facts, seed: DummyRegressor(), 1.0)
    scores = {"RMSE": np.full(5, loss)}
    return Trial(Entrant(candidate, Facts("regression", 10, 1), "columns"), scores, {"RMSE": spread})


def target(task, y):
    return Target("answer", task, y, np.arange(len(y)), "", len(y), 0)


def judgement(task, y, forecast):
    return Judgement(y, forecast, score_all(SCORES[task], y, forecast), {}, {})


def test_every_picture_says_what_is_to_be_seen():
    y = np.array(["<no>"] * 70 + ['"yes"'] * 30)
    proba = np.clip(np.column_stack([y == '"yes"', y == "<no>"]) * 0.5 + 0.25 * rng.uniform(size=(100, 1)), 0.01, 0.99)
    classes = ('"yes"', "<no>")
    predicted = np.where(np.arange(100) % 10 == 0, '"yes"', y)
    numbers = rng.normal(size=60)
    of_classes = pictures_of_judgement(
        judgement(
            "classification", y, Forecast(predicted, proba / proba.sum(axis=1, keepdims=True), np.array(classes))
        ),
        classes,
    )
    of_numbers = pictures_of_judgement(judgement("regression", numbers, Forecast(numbers * 0.9)), ())
    told = {
        "classes": (
            picture_of_target(target("classification", y)),
            'rows of each class of answer: <no> 70 (70%), "yes" 30',
        ),
        "numbers": (picture_of_target(target("regression", numbers)), "Histogram of answer: from"),
        "importances": (
            picture_of_importances([Importance("age", 0.5, 0.1, 5, "RMSE")], RMSE),
            "important first: age 0.50",
        ),
        "confusion": (of_classes[0][0], 'of 30 "yes", 30 are called so; of 70 <no>, 63 are called so'),
        "roc": (of_classes[1][0], "ROC curve of the held-out rows for <no>"),
        "precision and recall": (of_classes[2][0], "at recall 0.8"),
        "calibration": (of_classes[3][0], "were forecast"),
        "fit": (of_numbers[0][0], "correlation 1.00"),
        "residuals": (of_numbers[1][0], "nine of ten between"),
    }
    for svg, words in told.values():
        assert words in name_of(svg)
        assert "<no>" not in svg


def test_the_candidates_are_told_best_first():
    good, bad, baseline = trial("good", 1.0), trial("bad", 2.0), trial("baseline", 3.0)
    words = name_of(picture_of_candidates([baseline, bad, good], good, RMSE))
    assert "the best first: good 1.000 ± 0.010 (chosen), bad 2.000 ± 0.010; baseline 3.000" in words


EDGES = {
    "all before the baseline": ([0.4, 0.5, 0.6], 1.0, None),
    "one far worse than the baseline": ([0.4, 0.5, 0.6, 30.0], 1.0, (1.0, 1.2)),
    "a baseline far away": ([0.40, 0.41, 0.42], 50.0, (0.42, 1.0)),
    "a bad model before a baseline far away": ([0.40, 0.41, 0.42, 30.0], 50.0, (0.42, 1.0)),
    "one model": ([0.4], 1.0, None),
    "all worse than the baseline": ([2.0, 3.0], 1.0, None),
    "all alike": ([1.0, 1.0, 1.0], 1.0, None),
}


@pytest.mark.parametrize("case", EDGES)
def test_the_edge_keeps_most_models_apart(case):
    losses, baseline, between = EDGES[case]
    edge = right_edge(losses, baseline)
    if between is None:
        assert edge == np.inf
        return
    assert between[0] < edge < between[1]
    shown = [loss for loss in losses if loss <= edge]
    assert len(shown) >= len(losses) / 2
    assert (max(shown) - min(shown)) / (edge - min(shown)) > 0.1


def test_a_model_beyond_the_edge_is_shown_with_its_number():
    field = [trial("baseline", 1.0), trial("a", 0.4), trial("b", 0.5), trial("lost", 30.0)]
    svg = picture_of_candidates(field, field[1], RMSE)
    assert ">30.00<" in svg
    assert "lost 30.00" in name_of(svg)
