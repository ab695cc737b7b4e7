"""The picture of coding matrices: what is drawn is what was computed."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from gnomon import plot
from gnomon.multiclass import OutputCodeClassifier, code_report, coding_matrix


def signs_and_distances(panels):
    return (np.asarray(panels[name].images[0].get_array()) for name in ("code", "distances"))


@pytest.mark.spec("TRE-P13")
@pytest.mark.parametrize(
    ("word", "C", "title", "promise"),
    [
        ("exhaustive", 4, "all distances 4", "repairs 1 wrong answer"),
        ("ovo", 5, "all distances 5.5", "repairs no wrong answer"),
        ("ecoc", 11, "distances 18 to 22", "repairs 8 wrong answers"),
        ("random_sparse", 26, None, "repairs nothing for sure"),
        ("ovr", 60, "all distances 2", "repairs no wrong answer"),
    ],
)
def test_signs_and_row_distances(word, C, title, promise):
    code = coding_matrix(word, C, random_state=0)
    panels = plot.code_map(code)
    signs, distances = signs_and_distances(panels)
    np.testing.assert_array_equal(signs, code)
    off = ~np.eye(C, dtype=bool)
    np.testing.assert_array_equal(distances[off], code_report(code).row_distances[off])
    assert title in (None, panels["distances"].get_title("left"))
    assert panels["distances"].get_xlabel() == promise
    legend = [text.get_text() for text in panels["code"].get_legend().get_texts()]
    assert legend == (["+1", "−1", "0, takes no part"] if np.any(code == 0) else ["+1", "−1"])
    written = {text.get_text() for text in panels["distances"].texts}
    assert written == ({f"{d:g}" for d in distances[off]} if C <= 12 else set())
    # The rows of both panels are level.
    panels["code"].figure.canvas.draw()
    left, right = (panels[name].get_position() for name in ("code", "distances"))
    assert (left.y0, left.y1) == pytest.approx((right.y0, right.y1))


@pytest.mark.spec("TRE-P13")
def test_a_model_brings_its_classes_along():
    iris = load_iris()
    model = OutputCodeClassifier(GaussianNB(), code="ovo").fit(iris.data, iris.target_names[iris.target])
    panels = plot.code_map(model)
    names = ["setosa", "versicolor", "virginica"]
    assert [tick.get_text() for tick in panels["code"].get_yticklabels()] == names
    assert [tick.get_text() for tick in panels["distances"].get_xticklabels()] == names
    _, axes = plt.subplots(1, 2)
    again = plot.code_map(model.code_book_, ["a", "b", "c"], ax=axes)
    assert again["code"] is axes[0]
    assert [tick.get_text() for tick in axes[0].get_yticklabels()] == ["a", "b", "c"]


@pytest.mark.spec("TRE-P13")
def test_what_is_no_code_is_refused():
    with pytest.raises(ValueError, match="only −1, 0 and 1"):
        plot.code_map([[1, 3], [-1, 1]])
    with pytest.raises(ValueError, match="2 names for the 3 rows"):
        plot.code_map(coding_matrix("ovr", 3), ["a", "b"])
    with pytest.raises(ValueError, match="1 axes for the 2 panels"):
        plot.code_map(coding_matrix("ovr", 3), ax=plt.subplots()[1])
