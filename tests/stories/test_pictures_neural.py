"""Pictures of networks: what is drawn is what was computed."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.contour import ContourSet
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge

from gnomon import plot
from gnomon.kernels import RBF
from gnomon.losses import SoftmaxLoss
from gnomon.neural import (
    Autoencoder,
    GenerativeAdversarialNetwork,
    InvarianceReport,
    MLPClassifier,
    NetworkFunction,
    NeuralNetwork,
    approximation_curve,
    diagnose,
)
from gnomon.neural.layers import AvgPool2D, Conv2D, Dense, Dropout, Maxout, MaxPool2D, activation_of
from gnomon.numerics.augment import AddNoise
from gnomon.optim import Adam, GradientSteps, Rprop, lbfgs, train
from gnomon.optim.schedules import Inverse, InverseT0
from gnomon.svm import KernelRidge
from pictures import labelled, lines

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 2))
y = (X[:, 0] * X[:, 1] > 0).astype(int)
N = np.array([0.5, -0.3, 0.1, 0.2, 0.1, -0.2, 0.7, -0.4, -0.6, 0.9, 0.05, 0.0])
SMALL = NetworkFunction(NeuralNetwork([Dense(2, "tanh"), Dense(2)], 2), N)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def drawn(layers, inputs=2, seed=0):
    network = NeuralNetwork(layers, inputs)
    return NetworkFunction(network, np.random.default_rng(seed).normal(size=network.n_parameters))


@pytest.mark.spec("NEU-P01")
def test_activations_and_derivatives():
    words = ("step", "sign", "sigmoid", "tanh", "relu", "leaky_relu", "prelu")
    panels = plot.activation_curves({**{word: activation_of(word) for word in words}, "maxout": Maxout(1)})
    z = panels["tanh"].lines[0].get_xdata()
    assert np.allclose(panels["tanh"].lines[0].get_ydata(), np.tanh(z))
    assert np.allclose(panels["tanh"].lines[1].get_ydata(), 1 - np.tanh(z) ** 2)
    assert set(panels["prelu"].lines[1].get_ydata()) == {0.25, 1.0}
    assert set(panels["step"].lines[0].get_ydata()) == {0.0, 1.0}
    assert len(np.unique(panels["maxout"].lines[1].get_ydata().round(9))) == 2
    assert list(panels) == [*words, "maxout"]


@pytest.mark.spec("NEU-P02")
def test_diagram_with_long_layers():
    ax = plot.layer_diagram(NeuralNetwork([Dense(9, "relu"), Dense(3)], 40), most=4, outputs=["a", "b", "c"])
    assert {"input\n40", "relu\n9", "identity\n3", "⋮", "a", "b", "c", "$x_{40}$", "$a^{(1)}_{9}$"} <= set(texts(ax))
    assert "$x_{4}$" not in texts(ax)
    assert len(ax.lines) == 4 * 4 + 4 * 3


@pytest.mark.spec("NEU-P03")
def test_values_on_a_diagram():
    ax = plot.value_diagram(SMALL, [1.0, 2.0], [1.0, 0.0])
    found = texts(ax)
    f = SMALL.output(np.array([[1.0, 2.0]]))[0]
    assert {f"{v:.2f}" for v in (0.6640368, -0.0996680, *f)} <= set(found)
    assert {f"{w:.2f}" for w in (0.5, -0.3, 0.1, 0.2, 0.7, -0.4, -0.6, 0.9)} <= set(found)
    # At the output δ = f − y.
    assert {rf"$\delta=${v:.2f}" for v in f - np.array([1.0, 0.0])} <= set(found)


@pytest.mark.spec("NEU-P04")
def test_training_report():
    history = {
        "iteration": np.arange(4), "objective": np.array([4.0, 3, 2, 1]), "validation": np.array([0.1, 0.5, 0.9, 0.7]),
        "rate": np.full(4, 0.1), "update_ratio": np.array([[np.nan] * 2, [0.1, 0.2], [0.01, 0.02], [1e-3, 2e-3]]),
    }  # fmt: skip
    panels = plot.training_report(history, groups=["first", "second"])
    assert list(panels) == ["loss", "validation", "rate", "updates"]
    assert panels["loss"].lines[0].get_ydata().tolist() == [4, 3, 2, 1]
    kept = lines(panels["validation"])["kept"]
    assert (kept.get_xdata()[0], kept.get_ydata()[0]) == (2, 0.9)
    assert lines(panels["updates"])["second"].get_ydata()[3] == 2e-3
    assert panels["updates"].get_yscale() == "log"
    labelled(*panels.values())


@pytest.mark.spec("NEU-P05")
def test_schedules():
    ax = plot.schedule_curves({"1/t": Inverse(0.1), "1/(1 + t/100)": InverseT0(0.1, 100)}, n_steps=200)
    assert lines(ax)["1/(1 + t/100)"].get_ydata()[100] == pytest.approx(0.05)
    assert lines(ax)["1/t"].get_ydata()[0] == pytest.approx(0.1)


def worst_of_contours(ax, fun):
    """How far the values of fun on the drawn contours are from their levels, in parts of the range of these."""
    apart, drawn = [], [each for each in ax.collections if isinstance(each, ContourSet)]
    assert {each.filled for each in drawn} == {True, False}
    for each in drawn:
        # The edge of a filled area is between its levels.
        highs = each.levels[1:] if each.filled else each.levels
        for low, high, path in zip(each.levels, highs, each.get_paths(), strict=False):
            values = np.array([fun(point) for point in path.vertices])
            apart.append(np.max(np.abs(values - np.clip(values, low, high)), initial=0.0) / np.ptp(each.levels))
    assert np.count_nonzero(apart) > 10
    return max(apart)


@pytest.mark.parametrize(
    ("paths", "more", "sentence"),
    [
        ({}, {}, "has no path; give one at least"),
        ({"gd": [1.0, 2.0]}, {}, r"paths\['gd'\] has the shape \(2,\); it must be \(k, 2\)"),
        ({"gd": np.zeros((3, 4))}, {}, r"has the shape \(3, 4\)"),
        ({"gd": np.zeros((0, 2))}, {}, r"has the shape \(0, 2\)"),
        ({"gd": np.zeros((3, 2))}, {"minimum": [1.0, 2.0, 3.0]}, "must be a point of two numbers"),
    ],
)
def test_paths_that_cannot_be_drawn_are_refused(paths, more, sentence):
    with pytest.raises(ValueError, match=sentence):
        plot.descent_paths(lambda w: float(w @ w), paths, **more)


@pytest.mark.spec("NEU-P06")
def test_paths_and_planes_of_a_network():
    network = NeuralNetwork([Dense(1, "tanh", bias=False), Dense(1, bias=False)], 1)
    x = np.linspace(-2, 2, 20)[:, None]
    problem = network.problem(x, np.tanh(1.5 * x))
    start = np.array([0.3, 0.4])
    paths = {}
    for name, rule in (
        ("gradient", GradientSteps()),
        ("momentum", GradientSteps()),
        ("Adam", Adam()),
        ("RPROP", Rprop()),
    ):
        seen = [start]
        options = {} if name == "RPROP" else {"schedule": 0.3, "momentum": 0.8 if name == "momentum" else 0.0}
        train(problem, start, solver=rule, batch_size=20, max_iter=15, tol=None, random_state=0,
              watch=lambda theta, seen=seen: seen.append(theta.copy()) or {}, **options)  # fmt: skip
        paths[name] = np.array(seen)
    ax = plot.descent_paths(problem.value, paths, minimum=[1.5, 1.0])
    assert [line.get_label().split(",")[0] for line in ax.lines] == [*paths, "minimum"]
    assert ax.lines[0].get_ydata()[0] == 0.4
    for line, path in zip(ax.lines, paths.values(), strict=False):
        np.testing.assert_array_equal(line.get_xydata(), path)
    # A contour joins points of its level, of a function that is not symmetric in its variables.
    assert worst_of_contours(ax, problem.value) < 0.02
    plane = plot.loss_plane(problem.value, [1.5, 1.0], np.eye(2), reach=0.5, resolution=5)
    assert worst_of_contours(plane, lambda step: problem.value(np.array([1.5, 1.0]) + step)) < 0.05
    along = plot.loss_plane(problem.value, [1.5, 1.0], [1.0, 0.0], resolution=5).lines[0]
    assert along.get_ydata()[2] == pytest.approx(0, abs=1e-12)
    assert along.get_ydata()[0] == pytest.approx(problem.value(np.array([0.5, 1.0])))
    with pytest.raises(ValueError, match="must be one or two vectors of length 2"):
        plot.loss_plane(problem.value, [1.5, 1.0], np.eye(3))


@pytest.mark.spec("NEU-P07")
def test_two_equivalent_networks():
    f = drawn([Dense(3, "tanh"), Dense(1)])
    panels = plot.equivalent_networks({"as drawn": f, "canonical": f.canonical()}, X[:2])
    first, second = ([text for text in texts(panel) if text.startswith("f = ")] for panel in panels.values())
    assert first == second == ["f = " + ", ".join(f"{v:.4f}" for v in f.output(X[:2])[:, 0])]
    widths = [sorted(line.get_linewidth() for line in panel.lines) for panel in panels.values()]
    assert np.allclose(widths[0], widths[1])
    colors = [[line.get_color() for line in panel.lines] for panel in panels.values()]
    assert colors[0] != colors[1]


@pytest.mark.spec("NEU-P08")
def test_dropped_units_and_spread():
    network = NeuralNetwork([Dense(4, "relu"), Dropout(0.5), Dense(1)], 3)
    panels = plot.dropped_units(network, n_masks=3, random_state=1)
    generator = np.random.default_rng(1)
    assert len(panels["all units"].lines) == 3 * 4 + 4
    for i in range(3):
        kept = int(network.draw(generator, 1)["dropout_1"]["mask"].sum())
        panel = panels[f"mask {i + 1}"]
        assert texts(panel).count("×") == 4 - kept
        assert len(panel.lines) == 4 * kept
    f = drawn([Dense(8, "tanh"), Dropout(0.5), Dense(1)], inputs=1)
    ax = plot.network_spread(f, [[-1.0], [1.0]], [0.0, 1.0], n_networks=6)
    mean = lines(ax)["average network"]
    assert np.allclose(mean.get_ydata(), f.output(mean.get_xdata()[:, None])[:, 0])
    spread = np.array([line.get_ydata() for line in ax.lines[:6]])
    assert np.all(spread.std(axis=0)[:50] > 0)


@pytest.mark.spec("NEU-P09")
def test_health_by_layer():
    f = drawn([Dense(6, "tanh"), Dense(5, "relu"), Dense(1)])
    found = diagnose(f, X, y[:, None].astype(float))
    panels = plot.layer_health(found)
    heights = [bar.get_height() for bar in panels["idle units"].patches]
    assert heights[0] == found.layers[0].saturated
    assert heights[4] == found.layers[1].dead
    assert panels["gradients"].lines[1].get_ydata().tolist() == [layer.gradient_norm for layer in found.layers]
    states = {"start": f.theta, "later": 2 * f.theta}
    histograms = plot.score_histograms(f, states, X)
    line = lines(histograms["dense_1"])["later"]
    step = np.diff(line.get_xdata())[0]
    assert np.sum(line.get_ydata()) * step == pytest.approx(1)
    mean = np.sum(line.get_xdata() * line.get_ydata()) * step
    assert mean == pytest.approx(f.network.forward(2 * f.theta, X)[0]["dense_1"].mean(), abs=step)


def _region_numbers(ax, f):
    """The linear region of f at every pixel of a map."""
    left, right, bottom, top = ax.images[0].get_extent()
    A, B = np.meshgrid(np.linspace(left, right, 300), np.linspace(bottom, top, 300))
    return f.linear_region(np.column_stack([A.ravel(), B.ravel()])).region.reshape(300, 300)


@pytest.mark.spec("NEU-P10")
def test_cells_and_regions():
    f = drawn([Dense(3, "relu"), Dense(1)])
    ax = plot.cell_map(f, X, y)
    codes = {"".join(map(str, code)) for code in f.encode_cells(X).cells}
    assert set(texts(ax)) & codes
    assert all(len(text) == 3 and set(text) <= {"0", "1"} for text in texts(ax))
    assert "of at most 7 cells" in ax.get_title("left")
    ax = plot.linear_regions(f, X, y)
    n = int(ax.get_title("left").split()[0])
    assert f.linear_region(X).n_regions <= n <= 7
    assert ax.images[0].get_array().shape == (300, 300)
    # Where two of many regions meet the colour changes, so that all of them are seen.
    many = drawn([Dense(8, "relu"), Dense(1)])
    ax = plot.linear_regions(many, X, y)
    colors, regions = np.asarray(ax.images[0].get_array()), _region_numbers(ax, many)
    assert regions.max() > 15
    for axis in (0, 1):
        assert np.array_equal(np.diff(regions, axis=axis) != 0, np.diff(colors, axis=axis) != 0)


@pytest.mark.spec("NEU-P11")
def test_rows_as_layers_see_them():
    f = drawn([Dense(5, "tanh"), Dense(2, "tanh"), Dense(1)])
    panels = plot.hidden_layers(f, X, y)
    assert list(panels) == ["input", "dense_1", "dense_2", "dense_3"]
    points = np.concatenate([group.get_offsets() for group in panels["dense_2"].collections])
    assert np.allclose(points, np.concatenate([f.transform(X, "dense_2")[y == k] for k in (0, 1)]))
    assert panels["dense_1"].get_xlabel() == "component 1"


@pytest.mark.spec("NEU-P12", "NEU-118")
def test_images_inside_a_convolution():
    network = NeuralNetwork([Conv2D(4, 3, activation="relu"), MaxPool2D(2), Dense(10)], (1, 8, 8))
    f = NetworkFunction(network, network.init(np.random.default_rng(0)))
    ax = plot.shape_diagram(network)
    assert [text.split("\n")[1] for text in texts(ax) if text] == ["1×8×8", "4×6×6", "4×3×3", "10"]
    sheet = plot.filters(f).images[0].get_array()
    W = network.views(f.theta)["conv2d_1"][0]
    assert np.allclose(sheet[:3, :3], W[0, 0])
    assert np.allclose(sheet[4:, 4:], W[3, 0])
    image = rng.random(64)
    maps = plot.feature_maps(f, image).images[0].get_array()
    assert np.allclose(maps[:6, :6], network.forward(f.theta, image[None])[1]["conv2d_1"][0, 0])
    dense = drawn([Dense(4, "relu"), Dense(2)], inputs=(1, 3, 3))
    assert np.allclose(
        plot.filters(dense).images[0].get_array()[:3, :3].ravel(), dense.network.views(dense.theta)["dense_1"][0][:, 0]
    )


@pytest.mark.spec("NEU-P13")
def test_pooling_with_numbers():
    image = [[1, 3, 2, 2], [0, -1, 2, 2], [5, 5, -3, -4], [5, 5, -1, -2]]
    panels = plot.pooling_steps(image, {"max": MaxPool2D(2), "average": AvgPool2D(2)})
    assert texts(panels["max"]) == ["3", "2", "5", "-1"]
    assert texts(panels["average"]) == ["0.75", "2", "5", "-2.5"]
    assert texts(panels["image"])[:5] == ["1", "3", "2", "2", "0"]


@pytest.mark.spec("NEU-P14")
def test_codes_and_reconstructions():
    ax = plot.code_curve({"PCA": {1: 3.0, 2: 1.0}, "network": {1: 2.0, 2: 0.5}})
    assert list(lines(ax)["network"].get_ydata()) == [2.0, 0.5]
    labelled(ax)

    rows = rng.random((20, 16))
    coder = Autoencoder(3, activation="identity", solver="svd").fit(rows)
    panels = plot.reconstructions(rows, {"three numbers": coder}, (4, 4))
    assert np.allclose(panels["three numbers"].images[0].get_array()[:4].ravel(), coder.reconstruct(rows)[0])
    assert "identity\n3" in texts(plot.layer_diagram(coder.network_))


class Sum(RegressorMixin, BaseEstimator):
    """A network as a regressor, with the attributes that scikit-learn's have."""

    activation = "tanh"

    def __init__(self, f=None):
        self.f = f

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.f.output(X)[:, 0]

    @property
    def coefs_(self):
        return [W for W, _ in self.f.network.views(self.f.theta).values()]

    @property
    def intercepts_(self):
        return [b for _, b in self.f.network.views(self.f.theta).values()]


@pytest.mark.spec("NEU-P15")
def test_a_sum_of_units_and_a_sum_of_kernels():
    network = NeuralNetwork([Dense(4, "tanh"), Dense(1)], 1)
    x = np.linspace(-2, 2, 30)[:, None]
    problem = network.problem(x, np.sin(x))
    f = NetworkFunction(network, lbfgs(problem.value_and_gradient, network.init(rng), max_iter=200).w)
    ax = plot.hidden_sum(Sum(f), x)
    units = np.array([line.get_ydata() for line in ax.lines if line.get_label() != "sum"])
    total = lines(ax)["sum"]
    assert np.allclose(total.get_ydata(), f.output(total.get_xdata()[:, None])[:, 0])
    assert len(units) >= 4
    machine = KernelRidge(alpha=0.1, kernel=RBF(1.0)).fit(x, np.sin(x[:, 0]))
    panels = plot.bump_sums({"kernels": machine})
    whole = max(panels["kernels"].lines, key=lambda line: line.get_linewidth())
    assert np.allclose(whole.get_ydata(), machine.predict(np.asarray(whole.get_xdata())[:, None]), atol=1e-6)


class Constant(RegressorMixin, BaseEstimator):
    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full(len(X), float(self.random_state or 0))


@pytest.mark.spec("NEU-P16", "NEU-149")
def test_fits_compared():
    x = np.linspace(-1, 1, 20)[:, None]
    ys = {"plain": x[:, 0], "noise": x[:, 0] + 0.1}
    panels = plot.compare_fits(
        {"constant": Constant(), "kernel": KernelRidge(alpha=1e-6, kernel=RBF(1.0))},
        x,
        ys,
        truth=lambda t: t,
        seeds=(0, 1, 2),
    )
    assert list(panels) == [("plain", "constant"), ("plain", "kernel"), ("noise", "constant"), ("noise", "kernel")]
    # Errors of the constants 0, 1 and 2 to t are E t² + c²: the median is that of 1.
    assert panels["plain", "constant"].get_title("left") == "constant, plain: 1.3"
    curves = [line for line in panels["plain", "constant"].lines if len(line.get_xdata()) == 400]
    assert [line.get_ydata()[0] for line in curves[1:]] == [0.0, 1.0, 2.0]
    assert panels["noise", "kernel"].get_title("left").endswith(": 0.01")


@pytest.mark.spec("NEU-P17")
def test_errors_over_widths():
    curve = approximation_curve(np.sin, [4, 8, 16], p=np.inf, box=(0, 2 * np.pi))
    ax = plot.approximation_curves({"sine": curve})
    assert np.array_equal(ax.lines[0].get_ydata(), curve.errors)
    assert ax.lines[0].get_label() == f"sine, $H^{{{-curve.rate:.1f}}}$"
    assert "infty" in ax.get_ylabel()


@pytest.mark.spec("NEU-P18")
def test_samples_of_generators():
    gan = GenerativeAdversarialNetwork(2, (8,), max_iter=3, random_state=0).fit(X)
    made = gan.sample(30, random_state=0)
    panels = plot.generated_samples(X, {"GAN": made})
    assert np.allclose(panels["GAN"].collections[0].get_offsets(), made)
    assert np.allclose(panels["data"].collections[0].get_offsets(), X)
    ax = plot.adversarial_losses(gan.history_)
    assert np.array_equal(lines(ax)["generator"].get_ydata(), gan.history_["generator_loss"])
    assert lines(ax)["log 4: D = ½"].get_ydata()[0] == pytest.approx(np.log(4))
    grid = plot.latent_grid(lambda Z: np.repeat(Z, 2, axis=1), (2, 2), side=4).images[0].get_array()
    assert grid[0, 0] == pytest.approx(grid[3, 0])
    assert grid[0, 0] < grid[0, 3] < grid[0, 6]
    images = plot.generated_samples(rng.random((25, 4)), {"noise": rng.random((25, 4))}, shape=(2, 2))
    assert images["noise"].images[0].get_array().shape == (14, 14)


@pytest.mark.spec("NEU-P19")
def test_copies_and_invariance():
    image = rng.random(9)
    ax = plot.augmented_copies(image, {"noise": AddNoise(0.1), "none": AddNoise(0.0)}, (3, 3), n_copies=2)
    sheet = ax.images[0].get_array()
    assert np.allclose(sheet[:3, :3].ravel(), image)
    assert not np.allclose(sheet[:3, 4:7].ravel(), image)
    assert np.allclose(sheet[4:, 4:7].ravel(), image)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["noise", "none"]
    report = InvarianceReport(np.array([0.0, 2.0]), np.array([1.0, 0.6]), np.array([0.0, 0.2]))
    ax = plot.invariance_curve({"shift": report})
    assert lines(ax)["shift"].get_ydata().tolist() == [1.0, 0.6]
    labelled(ax)


def test_pictures_take_axes():
    _, axes = plt.subplots(1, 2)
    assert plot.layer_health(diagnose(SMALL, X), ax=axes)["idle units"] is axes[0]
    index = plot.value_diagram(SMALL, [1.0, 2.0], [1], loss=SoftmaxLoss(), ax=plt.subplots()[1])
    assert any("delta" in text for text in texts(index))


PLANE = np.random.default_rng(0).normal(size=(20, 2))
CLASSIFIER = MLPClassifier((4,), "relu", max_iter=3, random_state=0)


@pytest.mark.filterwarnings("ignore:not converged")
def test_pictures_of_functions_take_fitted_estimators_and_frames():
    frame = pd.DataFrame(PLANE, columns=["a", "b"])
    labels = (PLANE[:, 0] > 0.0).astype(int)
    model = CLASSIFIER.fit(frame, labels)
    f = model._as_function()
    for picture in (plot.cell_map, plot.linear_regions, plot.hidden_layers):
        picture(model, frame, labels)
    assert plot.layer_diagram(model).texts
    assert plot.shape_diagram(model).texts
    assert list(plot.score_histograms(model, {"end": model.theta_}, frame)) == ["dense_1", "output"]
    notes = [panel.texts[-1].get_text() for panel in plot.equivalent_networks({"a": model, "b": f}, frame).values()]
    assert notes[0] == notes[1]


@pytest.mark.filterwarnings("ignore:not converged")
@pytest.mark.parametrize(
    ("draw", "sentence"),
    [
        (lambda m: plot.cell_map(m, PLANE[:, :1]), r"X has the shape \(20, 1\); the picture needs rows of 2 columns"),
        (lambda m: plot.linear_regions(m, np.c_[PLANE, PLANE]), r"\(20, 4\); the picture needs rows of 2 columns"),
        (lambda m: plot.network_spread(m, PLANE), r"shape \(20, 2\); the picture needs rows of 1 column"),
        (lambda m: plot.compare_fits({"a": m}, PLANE, {"y": PLANE[:, 0]}), "the picture needs rows of 1 column"),
        (lambda m: plot.generated_samples(PLANE[:, :1], {}), "data has the shape .* needs rows of 2 columns"),
        (lambda m: plot.filters(m), "the weights of layer 'dense_1' are no images"),
        (lambda m: plot.score_histograms(m, {}, PLANE), "thetas={} has no parameters"),
        (lambda m: plot.augmented_copies(PLANE[0], {}, (1, 2)), "transformations={} has no transformation"),
        *(
            (lambda m, draw=draw: draw({}), "there is nothing to draw; give one")
            for draw in (plot.approximation_curves, plot.code_curve, plot.invariance_curve, plot.training_report,
                         plot.activation_curves, lambda none: plot.equivalent_networks(none, PLANE))
        ),
    ],
)  # fmt: skip
def test_pictures_of_networks_refuse_what_they_cannot_draw(draw, sentence):
    with pytest.raises(ValueError, match=sentence):
        draw(CLASSIFIER.fit(PLANE, np.arange(20) % 2))


def test_pictures_of_networks_refuse_other_models():
    for draw in (plot.layer_diagram, plot.filters, lambda m: plot.cell_map(m, PLANE)):
        with pytest.raises(TypeError, match="has no network; give a NetworkFunction or an estimator"):
            draw(Ridge())
