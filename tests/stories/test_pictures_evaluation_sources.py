"""The pictures of where errors come from, of rare classes, and of learning that asks."""

import numpy as np
import pytest
from matplotlib.contour import ContourSet
from sklearn.linear_model import LogisticRegression

from gnomon import plot
from gnomon.decision import ActiveLearner, LabelCurves, simulate_active_learning
from gnomon.features import RandomUnderSampler, ResampledClassifier
from pictures import clouds, labelled, lines


@pytest.mark.spec("EVA-P16")
def test_questions_lie_near_the_boundary_in_their_order():
    X, y = clouds([(0, 0), (2.2, 1.2)], n=80, scale=0.8), np.repeat(["no", "yes"], 80)
    learner = ActiveLearner(LogisticRegression(), random_state=3).run(X, lambda rows: y[rows], 20)
    ax = plot.query_order(X, y, learner.queried_, model=learner)
    labelled(ax)
    marks = ax.collections[-1]
    np.testing.assert_allclose(marks.get_offsets(), X[learner.queried_])
    np.testing.assert_array_equal(marks.get_array(), np.arange(1, 21))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["no", "yes"]


@pytest.mark.spec("EVA-P16")
def test_label_curves_have_bands():
    X, y = clouds([(0, 0), (2.2, 1.2)], n=150, scale=0.9, seed=1), np.repeat([0, 1], 150)
    rows = np.random.default_rng(0).permutation(300)
    pool, test = rows[:150], rows[150:]
    curves = simulate_active_learning(
        LogisticRegression(), X[pool], y[pool], X[test], y[test], n_labels=20, n_repeats=4, random_state=0
    )
    ax = plot.label_curves(curves, target=0.85, score="accuracy")
    labelled(ax)
    names = list(lines(ax))
    assert names[0].startswith("margin (")
    known = ~np.any(np.isnan(curves.scores["margin"]), axis=0)
    np.testing.assert_allclose(lines(ax)[names[0]].get_ydata(), curves.scores["margin"][:, known].mean(axis=0))
    one = plot.label_curves(LabelCurves(np.array([1, 2]), {"margin": np.array([[0.5, 0.6]])}))
    assert len(one.collections) == 1


@pytest.mark.spec("EVA-P07")
def test_boundaries_move_towards_the_common_class():
    X = np.r_[clouds([(0, 0)], n=190), clouds([(1.6, 1.2)], n=10, seed=1)]
    y = np.repeat(["good", "bad"], [190, 10])
    models = {
        "plain": LogisticRegression().fit(X, y),
        "weights": LogisticRegression(class_weight="balanced").fit(X, y),
        "resampled, shifted back": ResampledClassifier(
            LogisticRegression(), RandomUnderSampler(random_state=0), prior="train"
        ).fit(X, y),
    }
    panels = plot.rare_class(models, X, y, costs=(19.0, 1.0))
    labelled(*panels.values())
    names = [text.get_text() for text in panels["boundaries"].get_legend().get_texts()]
    assert names == ["bad", "good", "plain", "weights", "resampled, shifted back"]
    drawn = [c for c in panels["boundaries"].collections if isinstance(c, ContourSet)]
    for model in list(models.values())[:2]:
        on_line = [np.max(np.abs(model.decision_function(c.get_paths()[0].vertices))) < 0.05 for c in drawn]
        assert any(on_line)
    with pytest.raises(ValueError, match="of two"):
        plot.rare_class({"three": LogisticRegression().fit(X, np.arange(200) % 3)}, X, y)
