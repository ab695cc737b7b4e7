"""The pictures of intervals and sets: what is drawn is what was computed."""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB

from gnomon import plot
from gnomon.decision import ConformalClassifier, ConformalRegressor
from pictures import labelled, lines


def test_intervals_stand_in_the_order_of_their_predictions():
    X, y = load_diabetes(return_X_y=True)
    model = ConformalRegressor(Ridge(0.1), random_state=0).fit(X[::2], y[::2])
    found, prediction = model.predict_interval(X[1::2]), model.predict(X[1::2])
    ax = plot.prediction_intervals(found, y[1::2], prediction)
    drawn = lines(ax)["prediction"].get_ydata()
    np.testing.assert_array_equal(drawn, np.sort(prediction))
    segments = np.array(ax.collections[0].get_segments())
    np.testing.assert_allclose(segments[:, :, 1].T, [found.low, found.high])
    np.testing.assert_array_equal(np.argsort(segments[:, 0, 0]), np.argsort(prediction))
    hits = found.covers(y[1::2])
    assert [len(points.get_offsets()) for points in ax.collections[1:]] == [hits.sum(), (~hits).sum()]
    labelled(ax)
    plt.close("all")


def test_coverage_and_size_of_several_models():
    X, y = load_diabetes(return_X_y=True)
    curves = {}
    for alpha in (0.1, 10.0):
        model = ConformalRegressor(Ridge(alpha), random_state=0).fit(X[::2], y[::2])
        curves[f"λ = {alpha:g}"] = model.coverage_curve(X[1::2], y[1::2])
    panels = plot.coverage_curves(curves, size="mean width")
    for name, curve in curves.items():
        np.testing.assert_array_equal(
            lines(panels["size"])[name].get_xydata(), np.column_stack([curve.reached, curve.size])
        )
    assert len(panels["coverage"].containers) == 2
    labelled(*panels.values())
    plt.close("all")


def test_sizes_of_sets_and_how_often_they_hold_the_truth():
    X, y = load_iris(return_X_y=True)
    sets = (
        ConformalClassifier(GaussianNB(), method="cross", random_state=0).fit(X[::2], y[::2]).predict_set(X[1::2], 0.97)
    )
    ax = plot.set_sizes(sets, y[1::2])
    heights = np.array([bar.get_height() for bar in ax.patches]).reshape(2, 4)
    np.testing.assert_allclose(heights.sum(axis=0), np.bincount(sets.size, minlength=4) / 75)
    np.testing.assert_allclose(heights[0].sum(), sets.covers(y[1::2]).mean())
    labelled(ax)
    plt.close("all")
