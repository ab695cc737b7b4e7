"""The pictures of multi-class reductions: what is drawn is what was computed."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB

from gnomon import plot
from gnomon.multiclass import OneVsOneClassifier, OneVsRestClassifier
from gnomon.plot._style import COLORS
from pictures import clouds, labelled

CENTRES = [(0, 0), (4, 0.4), (1.5, 3.6), (5, 4)]


def table(n_classes=3):
    y = np.repeat(np.array(["ash", "birch", "cedar", "elm"][:n_classes]), 40)
    return clouds(CENTRES[:n_classes], scale=0.9), y


def painted(ax):
    """The index of the class at each point of the grid, and the points."""
    mesh = ax.collections[0]
    corners = np.asarray(mesh.get_coordinates())
    middle = (corners[1:, 1:] + corners[:-1, :-1]) / 2
    return np.asarray(mesh.get_array()).ravel().astype(int), middle.reshape(-1, 2)


def zero_lines(ax, color):
    """The vertices of all contours in a colour."""
    found = [c for c in ax.collections if len(np.atleast_2d(c.get_edgecolor())) and not c.get_hatch()]
    same = [c for c in found if np.allclose(np.atleast_2d(c.get_edgecolor())[0][:3], to_rgb(color))]
    return np.vstack([path.vertices for c in same for path in c.get_paths() if len(path.vertices)])


@pytest.mark.spec("TRE-P11")
@pytest.mark.parametrize("frame", [False, True])
def test_one_vs_rest_lines_regions_and_refusals(frame):
    X, y = table()
    rows = pd.DataFrame(X, columns=["height", "girth"]) if frame else X
    model = OneVsRestClassifier(LogisticRegression(C=10.0)).fit(rows, y)
    panels = plot.one_vs_rest_regions(model, rows, y, resolution=60)
    assert list(panels) == ["lines", "hard", "raw", "normalised"]
    assert panels["raw"].get_xlabel() == ("height" if frame else "$x_1$")
    w = np.array([fit.coef_[0] for fit in model.estimators_])
    b = np.array([fit.intercept_[0] for fit in model.estimators_])
    for k in range(3):
        on_line = zero_lines(panels["lines"], COLORS[k])
        assert np.median(np.abs(on_line @ w[k] + b[k]) / np.linalg.norm(w[k])) < 0.3  # a band lies beside the line
    names = [text.get_text() for text in panels["lines"].get_legend().get_texts()]
    assert names == ["ash", "birch", "cedar"]
    for name, scale in (("raw", 1.0), ("normalised", np.linalg.norm(w, axis=1))):
        index, points = painted(panels[name])
        np.testing.assert_array_equal(index, np.argmax((points @ w.T + b) / scale, axis=1))
    index, points = painted(panels["hard"])
    positive = points @ w.T + b > 0
    expected = np.where(positive.sum(axis=1) == 1, np.argmax(positive, axis=1), 3)
    np.testing.assert_array_equal(index, expected)
    assert np.any(index == 3)
    assert np.any(painted(panels["raw"])[0] != painted(panels["normalised"])[0])


@pytest.mark.spec("TRE-P11")
def test_lines_of_regressors_are_where_they_say_a_half():
    X, y = table()
    model = OneVsRestClassifier(Ridge()).fit(X, y)
    panels = plot.one_vs_rest_regions(model, X, y, resolution=60)
    index, points = painted(panels["hard"])
    f = np.column_stack([fit.predict(points) for fit in model.estimators_])
    np.testing.assert_array_equal(index, np.where((f > 0.5).sum(axis=1) == 1, np.argmax(f, axis=1), 3))
    norms = [np.linalg.norm(fit.coef_) for fit in model.estimators_]
    np.testing.assert_array_equal(painted(panels["normalised"])[0], np.argmax((f - 0.5) / norms, axis=1))
    on_line = zero_lines(panels["raw"], COLORS[0])
    assert np.max(np.abs(model.estimators_[0].predict(on_line) - 0.5)) < 0.01


@pytest.mark.spec("TRE-P11")
def test_scores_without_a_norm_have_no_distances():
    X, y = table()
    model = OneVsRestClassifier(GradientBoostingClassifier(n_estimators=3)).fit(X, y)
    assert list(plot.one_vs_rest_regions(model, X, y, resolution=30)) == ["lines", "hard", "raw"]


@pytest.mark.spec("TRE-P11")
def test_one_vs_rest_needs_lines_of_three_classes():
    X, y = table(2)
    with pytest.raises(ValueError, match="three classes or more"):
        plot.one_vs_rest_regions(OneVsRestClassifier(LogisticRegression()).fit(X, y), X, y)


@pytest.mark.spec("TRE-P12")
@pytest.mark.parametrize("base", [LogisticRegression(C=10.0), GaussianNB()])
def test_one_vs_one_regions_carry_their_votes(base):
    X, y = table(4)
    model = OneVsOneClassifier(base).fit(X, y)
    ax = plot.one_vs_one_regions(model, X, y, resolution=80)
    labelled(ax)
    assert ax.get_title(loc="left") == "votes of ash, birch, cedar, elm"
    assert len(ax.texts) >= 4
    for text in ax.texts:
        votes = np.array(text.get_text().split(), dtype=float)
        assert votes.sum() == 6
        np.testing.assert_array_equal(model.votes([text.get_position()])[0], votes)
    index, points = painted(ax)
    votes = model.votes(points)
    best = np.max(votes, axis=1)
    tied = np.sum(votes == best[:, None], axis=1) > 1
    # Along a border the middle of a cell may be on the other side than the point that was asked.
    assert np.mean(index == np.where(tied, 4, np.argmax(votes, axis=1))) > 0.97
    pairs = {(line.get_color(), line.get_gapcolor()) for line in ax.lines}
    assert pairs == {(COLORS[i], COLORS[j]) for i in range(4) for j in range(i + 1, 4)}


@pytest.mark.spec("TRE-P12")
@pytest.mark.parametrize("order", [None, ["cedar", "ash", "elm", "birch"]])
def test_the_way_of_a_row_through_the_decision_graph(order):
    X, y = table(4)
    model = OneVsOneClassifier(LogisticRegression(), decision="dag", order=order).fit(X, y)
    answer, duels = model.dag_path(X[60:61])
    ax = plot.decision_dag(model, X[60])
    assert ax.get_title(loc="left") == f"3 duels for this row: {answer[0]}"
    boxes = {text.get_text(): text.get_bbox_patch() for text in ax.texts if text.get_bbox_patch() is not None}
    assert len(boxes) == 10  # six duels and four answers
    on_way = {words for words, box in boxes.items() if box.get_linewidth() > 2}
    assert on_way == {f"{a} | {b}" for a, b in duels[0]} | {str(answer[0])}
    assert sum(line.get_linewidth() > 2 for line in ax.lines) == 3
    empty = plot.decision_dag(model)
    assert not any(line.get_linewidth() > 2 for line in empty.lines)
    frame = pd.DataFrame(X, columns=["height", "girth"])
    named = OneVsOneClassifier(LogisticRegression()).fit(frame, y)
    assert "3 duels" in plot.decision_dag(named, frame.iloc[[60]]).get_title(loc="left")
