"""The pictures of where errors come from, of rare classes, and of learning that asks."""

import numpy as np
import pytest
from matplotlib.contour import ContourSet
from sklearn.linear_model import LogisticRegression

from gnomon import plot
from gnomon.decision import ActiveLearner, LabelCurves, simulate_active_learning
from gnomon.evaluation import ErrorSources, bias_variance, error_sources
from gnomon.features import RandomUnderSampler, ResampledClassifier
from gnomon.linear import Ridge
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


W = np.array([1.0, -2.0, 0.5])


def linear(n, rng):
    X = rng.standard_normal((n, 3))
    return X, X @ W + 0.7 * rng.standard_normal(n)


@pytest.mark.spec("EVA-P03")
def test_terms_of_the_error_over_lambda():
    curve = bias_variance(
        Ridge(), linear, lambda X: X @ W, 8, 60, ("alpha", [0.1, 1.0, 10.0]), n_test=100, random_state=0
    )
    ax = plot.bias_variance_terms(curve, x="$\\lambda$", log=True)
    labelled(ax)
    drawn = lines(ax)
    assert list(drawn) == ["error", "bias²", "variance", "noise"]
    np.testing.assert_array_equal(drawn["variance"].get_ydata(), curve.of("variance"))
    np.testing.assert_array_equal(drawn["bias²"].get_xdata(), [0.1, 1.0, 10.0])
    assert ax.get_xscale() == "log"


@pytest.mark.spec("EVA-P04")
def test_three_sources_as_bars():
    sizes = [10, 40, 160]
    options = {"n_large": 5000, "n_test": 5000, "n_datasets": 5, "random_state": 0}
    found = {n: error_sources(Ridge(1e-6), linear, lambda X: X @ W, n, budget={"alpha": 5.0}, **options) for n in sizes}
    ax = plot.error_source_bars(found, x="N")
    labelled(ax)
    heights = np.array([[bar.get_height() for bar in bars] for bars in ax.containers])
    np.testing.assert_allclose(np.sum(heights, axis=0), [each.excess for each in found.values()])
    below = plot.error_source_bars({"one": ErrorSources(0.5, 0.2, -0.1, 1.0)})
    assert below.containers[2][0].get_y() == 0.0
    assert plot.error_source_bars({1: ErrorSources(0.5, 0.2, 0.1, 1.0)}, log=True).get_yscale() == "log"


@pytest.mark.spec("EVA-P17")
def test_labellings_that_no_line_gives_are_marked():
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    panels = plot.shattering(corners)
    assert len(panels) == 16
    marked = [name for name, ax in panels.items() if ax.get_facecolor()[:3] != (1.0, 1.0, 1.0)]
    assert marked == ["−++−", "+−−+"]
    # The other lines run between the points, half way.
    for name in set(panels) - {*marked, "−−−−", "++++"}:
        (start, end), signs = panels[name].lines[0].get_xydata(), np.array([1 if sign == "+" else -1 for sign in name])
        side = signs * ((end - start) @ [[0, 1], [-1, 0]] @ (corners - start).T) / np.linalg.norm(end - start)
        assert min(side * np.sign(side[0])) > 0.35
    with pytest.raises(ValueError, match="at most 5"):
        plot.shattering(np.zeros((6, 2)))
