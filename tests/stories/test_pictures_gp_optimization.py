"""The pictures of a search for a minimum: what is drawn is what the optimiser knows."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

from gnomon import plot
from gnomon.gp import BayesianOptimizer, Integer, Real
from pictures import labelled, lines


def told(space, function, n=6):
    optimizer = BayesianOptimizer(space, n_initial_points=4, n_candidates=300, random_state=0)
    for _ in range(n):
        point = optimizer.ask()
        optimizer.tell(point, function(point))
    return optimizer


@pytest.mark.spec("GP-P06")
def test_a_step_shows_law_acquisition_and_the_next_point():
    optimizer = told({"x": Real(0.0, 1.0)}, lambda p: (6 * p["x"] - 2) ** 2 * np.sin(12 * p["x"] - 4))
    before = optimizer.state()
    panels = plot.optimization_step(optimizer)
    assert optimizer.state() == before
    drawn = lines(panels["surrogate"])
    x, mean = drawn["mean"].get_data()
    np.testing.assert_allclose(mean, optimizer.predict([{"x": value} for value in x])[0])
    band = panels["surrogate"].collections[0].get_paths()[0].vertices
    assert band[:, 1].max() > mean.max()
    points = panels["surrogate"].collections[1].get_offsets()
    np.testing.assert_allclose(points[:, 1], optimizer.history_["loss"])
    next_x = drawn["asked next"].get_xdata()[0]
    curve = panels["acquisition"].lines[0]
    # The next point is where the acquisition is greatest.
    assert abs(next_x - curve.get_xdata()[np.argmax(curve.get_ydata())]) < 0.01
    assert next_x == optimizer.ask()["x"]
    assert panels["surrogate"].get_ylabel() == "loss"
    labelled(panels["acquisition"])
    plt.close("all")


@pytest.mark.spec("GP-P06")
def test_a_step_along_one_of_several_parameters():
    space = {
        "kind": ["a", "b"],
        "C": Real(1e-2, 1e2, log=True),
        "n": Integer(1, 5),
        "degree": Integer(2, 4, when={"n": [4, 5]}),
    }
    optimizer = told(
        space, lambda p: np.log10(p["C"]) ** 2 + (p["n"] - 3) ** 2 + p.get("degree", 0) + (p["kind"] == "a")
    )
    panels = plot.optimization_step(optimizer, "n")
    assert lines(panels["surrogate"])["mean"].get_xdata().tolist() == [1, 2, 3, 4, 5]
    assert lines(panels["surrogate"])["mean"].get_marker() == "o"
    assert plot.optimization_step(optimizer)["surrogate"].get_xscale() == "log"
    with pytest.raises(ValueError, match=r"along='kind' is no number .* choose from \['C', 'n'"):
        plot.optimization_step(optimizer, "kind")
    plt.close("all")


@pytest.mark.spec("GP-P06")
def test_the_best_so_far_of_several_searches():
    runs = np.array([[3.0, np.nan, 1.0], [2.0, 5.0, 2.0], [np.nan, 1.0, 0.5]])
    ax = plot.best_so_far({"one": [2.0, 3.0, 1.0], "many": runs})
    np.testing.assert_array_equal(lines(ax)["one"].get_ydata(), [2.0, 2.0, 1.0])
    np.testing.assert_array_equal(lines(ax)["many"].get_ydata()[1:], [2.0, 1.0])
    labelled(ax)
    ax.set_xlim(0.9, 3.1)
    assert all(tick == round(tick) for tick in ax.get_xticks())
    ax = plot.best_so_far({"one": [2.0, 3.0, 1.0]}, optimum=0.5)
    np.testing.assert_array_equal(lines(ax)["one"].get_ydata(), [1.5, 1.5, 0.5])
    assert ax.get_yscale() == "log"
    plt.close("all")
