"""The pictures of support vector machines: what is drawn is what was computed."""

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.contour import ContourSet
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPRegressor

from gnomon import plot
from gnomon.datasets import make_margin_outlier
from gnomon.kernels import RBF, Laplacian, Polynomial
from gnomon.svm import SVC, SVR, KernelPerceptron, NestedOneClassSVM
from pictures import clouds, labelled, lines

X, Y = make_moons(60, noise=0.2, random_state=0)


@pytest.mark.spec("KER-P04")
def test_regions_of_several_machines():
    models = {
        "perceptron": KernelPerceptron(kernel=RBF(0.7)),
        "ℓ = 0.1": SVC(kernel=RBF(0.1)),
        "ℓ = 1": SVC(kernel=RBF(1.0)),
        "C = 100": SVC(kernel=RBF(1.0), C=100.0),
        "Laplacian": SVC(kernel=Laplacian(1.0)),
        "degree 3": SVC(kernel=Polynomial(3)),
    }
    fitted = {name: model.fit(X, Y) for name, model in models.items()}
    panels = plot.boundary_panels(fitted, X, Y, resolution=50)
    assert list(panels) == list(models)
    labelled(*panels.values())
    shades = {name: np.asarray(axes.collections[0].get_array()).ravel() for name, axes in panels.items()}
    low, high = panels["ℓ = 1"].get_xlim(), panels["ℓ = 1"].get_ylim()
    A, B = np.meshgrid(np.linspace(*low, 50), np.linspace(*high, 50))
    for name, model in fitted.items():
        np.testing.assert_array_equal(shades[name], model.predict(np.column_stack([A.ravel(), B.ravel()])))
    assert sum(axes.get_legend() is not None for axes in panels.values()) == 1


@pytest.mark.spec("KER-P05")
def test_margin_support_vectors_and_slacks():
    rows = clouds([(0.0, 0.0), (2.5, 1.0)], n=15, scale=0.7)
    labels = np.repeat([0, 1], 15)
    model = SVC(kernel="linear", C=0.5).fit(rows, labels)
    ax = plot.svm_margin(model, rows, labels, others={"another": ([1.0, 0.0], -1.2)})
    labelled(ax)
    shown = {c.get_label(): c.get_offsets() for c in ax.collections}
    assert [-1.0, 0.0, 1.0] in [list(c.levels) for c in ax.collections if isinstance(c, ContourSet)]
    rings = {c.get_label(): c.get_sizes() for c in ax.collections if isinstance(c, PathCollection)}
    # Beyond the margin a ring is the larger the larger the slack.
    order = np.argsort(model.slack_[model.point_classes_ == "bound"])
    assert np.all(np.diff(rings["α = C"][order]) > 0.0)
    assert len(np.unique(rings["on the margin"].round(3))) == 1
    np.testing.assert_allclose(shown["on the margin"], rows[model.point_classes_ == "margin"])
    np.testing.assert_allclose(shown["α = C"], rows[model.point_classes_ == "bound"])
    assert "another" in lines(ax)
    np.testing.assert_allclose(lines(ax)["another"].get_xdata(), 1.2)
    slacks = [line.get_xydata() for line in ax.lines if len(line.get_xdata()) == 2 and line.get_label() != "another"]
    assert len(slacks) == np.sum(model.slack_ > 1e-6)
    for start, end in slacks:
        # Each ends on the margin of its side.
        assert abs(abs(model.decision_function([end])[0]) - 1.0) < 1e-6
        assert np.any(np.all(rows == start, axis=1))
    with pytest.raises(ValueError, match="two classes"):
        plot.svm_margin(SVC().fit(rows, np.arange(30) % 3), rows, labels)


@pytest.mark.spec("KER-P06")
def test_primal_and_dual_close_in():
    rng = np.random.default_rng(0)
    big = rng.normal(size=(1200, 2))
    model = SVC(C=10.0, tol=1e-4, shrinking=False).fit(big, (big**2).sum(axis=1) + rng.normal(size=1200) > 1.4)
    ax = plot.primal_dual(model.history_)
    labelled(ax)
    primal, dual = (lines(ax)[name].get_ydata() for name in ("primal", "dual"))
    assert len(primal) > 3
    assert np.all(primal >= dual)
    assert primal[-1] == pytest.approx(model.objective_, rel=1e-6)
    assert primal[-1] - dual[-1] == pytest.approx(model.dual_gap_, rel=1e-3, abs=1e-9)
    assert np.all(np.diff(dual) >= -1e-9 * abs(dual[-1]))


@pytest.mark.spec("KER-P07")
def test_losses_of_machines():
    shown = lines(plot.margin_losses())
    m = shown["hinge"].get_xdata()
    np.testing.assert_allclose(shown["hinge"].get_ydata(), np.maximum(0.0, 1.0 - m))
    np.testing.assert_allclose(shown["squared hinge"].get_ydata(), np.maximum(0.0, 1.0 - m) ** 2)
    np.testing.assert_allclose(shown["perceptron"].get_ydata(), np.maximum(0.0, -m))
    assert any("logistic" in name for name in shown)


@pytest.mark.spec("KER-P08")
def test_search_over_price_and_width():
    grid = {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1, 1.0, 10.0]}
    search = GridSearchCV(SVC(), grid, cv=3).fit(X, Y)
    ax = plot.search_map(search, "C", "gamma", score="accuracy")
    labelled(ax)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    table = ax.collections[0].get_array()
    np.testing.assert_allclose(np.ravel(table.T), search.cv_results_["mean_test_score"])
    chosen = lines(ax)["chosen"]
    assert (chosen.get_xdata()[0], chosen.get_ydata()[0]) == tuple(search.best_params_.values())


@pytest.mark.spec("KER-P08", "KER-069")
def test_hard_and_soft_with_one_outlier():
    """Separable classes: the hard margin makes no error on its rows, and more than the soft one on others."""
    rows, labels = make_margin_outlier(random_state=0)
    others, truth = make_margin_outlier(2000, sd=1.0, outlier=False, random_state=1)
    models = {"hard": SVC(kernel="linear", C=np.inf), "soft": SVC(kernel="linear", C=1.0)}
    fitted = {name: model.fit(rows, labels) for name, model in models.items()}
    assert fitted["hard"].score(rows, labels) == 1.0
    assert fitted["soft"].score(others, truth) > fitted["hard"].score(others, truth) + 0.05
    panels = plot.boundary_panels(fitted, rows, labels, resolution=40)
    hard, soft = (np.asarray(axes.collections[0].get_array()) for axes in panels.values())
    assert np.mean(hard != soft) > 0.05


@pytest.mark.spec("KER-P11")
def test_nested_contours_of_a_machine():
    rows = clouds([(0.0, 0.0), (3.0, 1.0)], n=40)
    model = NestedOneClassSVM((0.5, 0.8, 0.95), kernel=RBF(1.0)).fit(rows)
    ax = plot.nested_regions(model, rows, resolution=60)
    labelled(ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["rows", "50 %", "80 %", "95 %"]
    curves = [c for c in ax.collections if hasattr(c, "levels") and list(c.levels) == [0.0]]
    assert len(curves) == 3
    # The outermost is drawn first; every point of a contour is at the threshold of its level.
    for m, curve in zip((2, 1, 0), curves, strict=True):
        points = np.vstack([path.vertices for path in curve.get_paths()])
        assert np.max(np.abs(model.decision_function(points)[:, m])) < 0.02 * model.offset_[m]


@pytest.mark.spec("KER-P14")
def test_waves_of_nets_and_machines():
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0.0, 4.0, 40))[:, None]
    net = MLPRegressor(hidden_layer_sizes=(5,), activation="tanh", solver="lbfgs", max_iter=500, random_state=0)
    models = {"net": net.fit(x, np.sin(2.0 * x[:, 0])), "SVR": SVR(C=10.0).fit(x, np.sin(2.0 * x[:, 0]))}
    panels = plot.fit_panels(models, x, np.sin(2.0 * x[:, 0]), truth=lambda x: np.sin(2.0 * x))
    assert list(panels) == ["net", "SVR"]
    ax = plot.hidden_sum(net, x)
    labelled(ax)
    shown = lines(ax)
    where = shown["sum"].get_xdata()
    np.testing.assert_allclose(shown["sum"].get_ydata(), net.predict(where[:, None]), atol=1e-10)
    units = [line.get_ydata() for line in ax.lines if line is not shown["sum"]]
    assert len(units) == 5
    np.testing.assert_allclose(np.sum(units, axis=0) + net.intercepts_[1][0], shown["sum"].get_ydata(), atol=1e-10)
    with pytest.raises(ValueError, match="one hidden layer"):
        plot.hidden_sum(MLPRegressor(hidden_layer_sizes=(2, 2), solver="lbfgs").fit(x, x[:, 0]), x)
