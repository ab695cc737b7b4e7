"""The pictures of boosting: what is drawn is what was computed."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_moons

from gnomon import plot
from gnomon.trees import AdaBoostClassifier
from pictures import labelled, lines

X, Y = make_moons(80, noise=0.2, random_state=0)


@pytest.fixture(scope="module")
def model():
    return AdaBoostClassifier(n_estimators=12).fit(X, Y)


@pytest.mark.spec("TRE-P10")
@pytest.mark.parametrize("frame", [False, True])
def test_weights_grow_on_the_hard_rows(model, frame):
    rows = pd.DataFrame(X, columns=["width", "height"]) if frame else X
    fitted = AdaBoostClassifier(n_estimators=12).fit(rows, Y)
    panels = plot.boosting_rounds(fitted, rows, Y, rounds=[1, 2, 12])
    assert list(panels) == ["round 1", "round 2", "round 12", "F"]
    labelled(*panels.values())
    assert panels["F"].get_xlabel() == ("width" if frame else "$x_1$")
    discs = {name: np.concatenate([c.get_sizes() for c in bubbles(ax)]) for name, ax in panels.items()}
    np.testing.assert_allclose(discs["round 1"], discs["round 1"][0])
    # Round two: the rows that the first stump has wrong weigh (1 − ε)/ε times the others.
    wrong = np.concatenate([model.estimators_[0].predict(X[k == Y]) != k for k in (0, 1)])
    ratio = discs["round 2"][wrong].min() / discs["round 2"][~wrong].max()
    error = model.estimator_errors_[0]
    assert ratio == pytest.approx((1.0 - error) / error)
    assert f"{error:.3f}" in panels["round 1"].get_title(loc="left")
    plt.close("all")


def bubbles(ax):
    return [c for c in ax.collections if c.get_label() in ("class 0", "class 1")]


@pytest.mark.spec("TRE-P10")
def test_stumps_and_their_sum_are_painted(model):
    panels = plot.boosting_rounds(model, X, Y)
    for name, values in (
        ("round 1", lambda x: 2.0 * model.estimators_[0].predict(x) - 1.0),
        ("F", model.additive_score),
    ):
        mesh = panels[name].collections[0]
        corners = np.asarray(mesh.get_coordinates())
        middle = 0.5 * (corners[1:, 1:] + corners[:-1, :-1]).reshape(-1, 2)
        painted = np.asarray(mesh.get_array()).ravel()
        assert np.mean(np.sign(painted) == np.sign(values(middle))) > 0.99
    with pytest.raises(ValueError, match="rounds"):
        plot.boosting_rounds(model, X, Y, rounds=[13])
    with pytest.raises(ValueError, match="two columns"):
        plot.boosting_rounds(model, X[:, :1], Y)
    plt.close("all")


@pytest.mark.spec("TRE-P10", "TRE-L25")
def test_the_loss_bounds_the_error(model):
    ax = plot.boosting_bound(model)
    labelled(ax)
    drawn = {name: line.get_ydata() for name, line in lines(ax).items()}
    np.testing.assert_allclose(drawn["mean $e^{-yF}$"], drawn["$\\prod 2\\sqrt{\\varepsilon(1-\\varepsilon)}$"])
    assert np.all(drawn["training error"] <= drawn["mean $e^{-yF}$"])
    held = AdaBoostClassifier(n_estimators=30, n_iter_no_change=8, random_state=0, variant="real").fit(X, Y)
    drawn = lines(plot.boosting_bound(held))
    assert set(drawn) == {"mean $e^{-yF}$", "held-out $e^{-yF}$", "training error"}
    plt.close("all")
