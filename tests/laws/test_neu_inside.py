"""Laws of looking inside: cells, linear regions, exact networks, symmetries, approximation, diagnosis."""

from itertools import permutations, product

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from gnomon.kernels import Sigmoid
from gnomon.losses import SoftmaxLoss
from gnomon.neural import (
    Autoencoder,
    HiddenFeatures,
    MLPClassifier,
    NetworkFunction,
    NeuralNetwork,
    approximation_curve,
    diagnose,
    exact_network,
    max_cells,
)
from gnomon.neural._idle_units import watch_saturation
from gnomon.neural.layers import (
    Add,
    Conv2D,
    Dense,
    DropConnect,
    LeakyReLU,
    Maxout,
    NormalInit,
    PReLU,
    Recurrent,
    Reshape,
    hard_tanh,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))


def drawn(layers, seed=0, spread=1.0, inputs=3):
    network = NeuralNetwork(layers, inputs)
    return NetworkFunction(network, spread * np.random.default_rng(seed).normal(size=network.n_parameters))


@pytest.mark.spec("NEU-140")
def test_hidden_values():
    f = drawn([Dense(4, "tanh", name="first"), Dense(2, "relu"), Dense(1)])
    W, b = f.network.views(f.theta)["first"]
    assert np.allclose(f.transform(X, "first"), np.tanh(X @ W + b), atol=1e-14)
    assert np.array_equal(f.transform(X, 0), f.transform(X, "first"))
    assert np.allclose(f.transform(X, "first", values="score"), X @ W + b, atol=1e-14)
    assert f.transform(X).shape == (40, 2)
    with pytest.raises(ValueError, match="layer='last' must be"):
        f.transform(X, "last")


@pytest.mark.spec("NEU-141", "NEU-L30")
def test_cells_are_few_and_pure_ones_are_seen():
    points = np.random.default_rng(1).normal(size=(4000, 2))
    for H, most in ((1, 2), (2, 4), (3, 7), (6, 22)):
        f = drawn([Dense(H, "relu"), Dense(1)], seed=H, inputs=2)
        found = f.encode_cells(points)
        assert len(found.cells) <= found.most == max_cells(H, 2) == most
        assert np.array_equal(found.cells[found.cell], found.codes)
        assert np.array_equal(found.codes, f.transform(points, 0, values="score") > 0)
        assert found.counts.sum() == 4000
    label = found.codes[:, 0]
    assert f.encode_cells(points, label).purity.min() == 1.0
    mixed = f.encode_cells(points, np.arange(4000) % 2).purity
    assert 0.5 <= mixed.min() < 1.0


@pytest.mark.spec("NEU-142", "NEU-L30")
@pytest.mark.parametrize("phi", ["relu", LeakyReLU(0.2), PReLU(), hard_tanh(0.7), "maxout"])
def test_linear_pieces(phi):
    hidden = [Maxout(4), Maxout(3, pieces=3)] if phi == "maxout" else [Dense(5, phi), Dense(4, phi)]
    f = drawn([*hidden, Dense(2)])
    found = f.linear_region(X)
    value = np.einsum("ndo,nd->no", found.A, X) + found.c
    assert np.allclose(f.output(X), value, atol=1e-12)
    near = X + 1e-9 * np.random.default_rng(1).normal(size=X.shape)
    same = np.all(f.linear_region(near).patterns == found.patterns, axis=1)
    assert same.sum() > 30
    assert np.allclose(
        f.output(near)[same], np.einsum("ndo,nd->no", found.A, near)[same] + found.c[same], rtol=0, atol=1e-12
    )
    for region in range(found.n_regions):
        rows = found.region == region
        assert np.ptp(found.A[rows], axis=0).max() < 1e-12
        assert np.ptp(found.c[rows], axis=0).max() < 1e-12
    assert np.allclose(found.A.transpose(0, 2, 1), f.jacobian(X))
    assert 1 < found.n_regions <= 40


def test_slopes_of_a_relu_network_by_its_weights():
    f = drawn([Dense(5, "relu"), Dense(4, "relu"), Dense(2)])
    found = f.linear_region(X)
    (U, _), (V, _), (W, _) = f.network.views(f.theta).values()
    on = found.patterns
    for i in range(len(X)):
        assert np.allclose(found.A[i], (U * on[i, :5]) @ (V * on[i, 5:]) @ W, atol=1e-12)


@pytest.mark.spec("NEU-142")
def test_smooth_networks_have_no_regions():
    with pytest.raises(ValueError, match="layer 'dense_1' is not piecewise linear"):
        drawn([Dense(5, "tanh"), Dense(2)]).linear_region(X)


@pytest.mark.spec("NEU-143", "NEU-L29")
@pytest.mark.parametrize("kind", ["two_layer", "relu", "maxout", "cells"])
def test_exact_networks_have_no_training_error(kind):
    for seed, labels in ((0, [0, 1]), (1, [0, 1, 2]), (2, ["a", "b", "c"])):
        random = np.random.default_rng(seed)
        points = random.normal(size=(25, 3))
        y = np.array(labels)[random.integers(len(labels), size=25)]
        twice = np.r_[np.arange(25), 3, 7]
        found = exact_network(points[twice], y[twice], kind)
        assert found.n_units <= 24
        close = (lambda a, b: np.allclose(a, b, atol=1e-9)) if y.dtype.kind == "i" else np.array_equal
        assert close(found.predict(points[twice]), y[twice])
    if kind != "cells":
        y = random.normal(size=(25, 2))
        assert np.allclose(exact_network(points, y, kind).predict(points), y, atol=1e-9)
        one = exact_network(points[:1], [2.5], kind)
        assert one.predict(points) == pytest.approx(2.5)


def test_exact_networks_refuse_contradictions():
    with pytest.raises(ValueError, match="rows 0 and 2 of X are equal and their y differ"):
        exact_network([[1.0], [2.0], [1.0]], [0, 1, 1])
    with pytest.raises(ValueError, match="does not tell all rows"):
        exact_network([[1.0, 0.0], [1.0, 2.0]], [0, 1], direction=(1, 0))
    with pytest.raises(ValueError, match="kind='three'"):
        exact_network([[1.0]], [0], "three")


@pytest.mark.spec("NEU-144", "NEU-L31")
@pytest.mark.parametrize("activation", ["tanh", "sigmoid", hard_tanh(0.8)])
def test_all_copies_have_one_canonical_form(activation):
    f = drawn([Dense(3, activation), Dense(2, "tanh"), Dense(1)], inputs=2)
    (W, b), (V, c), rest = f.network.views(f.theta).values()
    shift = 1.0 if activation == "sigmoid" else 0.0
    forms, values, points, copies, weights = [], [], X[:, :2], 0, np.linspace(0.5, 2.0, len(X))
    for order, signs in product(permutations(range(3)), product([1.0, -1.0], repeat=3)):
        s = np.array(signs)
        new = c + shift * ((s < 0) @ V)
        parts = [(W * s)[:, order].ravel(), (b * s)[list(order)], (V * s[:, None])[list(order)].ravel(), new]
        copy = NetworkFunction(f.network, np.concatenate([*parts, *(part.ravel() for part in rest)]))
        assert np.allclose(copy.output(points), f.output(points), rtol=0, atol=1e-14)
        forms.append(copy.canonical().theta)
        assert f.equivalent(copy)
        copies += 1
        values.append(f.network.problem(points, X[:, 2:], weights, alpha=0.7, l1=0.2).value(copy.theta))
    assert np.ptp(forms, axis=0).max() < 1e-12
    assert np.ptp(values) < 1e-13 * values[0]
    assert copies * 8 == f.n_symmetries()
    assert np.allclose(f.canonical().output(points), f.output(points), rtol=0, atol=1e-14)
    assert not f.equivalent(NetworkFunction(f.network, f.theta + 1e-3))


@pytest.mark.spec("NEU-144", "NEU-L31")
@pytest.mark.parametrize("activation", ["relu", LeakyReLU(0.3), PReLU()])
def test_rectified_units_can_be_scaled(activation):
    f = drawn([Dense(4, activation), Dense(2)])
    views = [part.copy() for part in f.network.views(f.theta)["dense_1"]]
    V, c = f.network.views(f.theta)["dense_2"]
    order, scales = np.array([2, 0, 3, 1]), np.array([0.1, 3.0, 1.0, 20.0])
    parts = [(views[0] * scales)[:, order], (views[1] * scales)[order], *(a[order] for a in views[2:])]
    theta = np.concatenate([part.ravel() for part in (*parts, (V / scales[:, None])[order], c)])
    copy = NetworkFunction(f.network, theta)
    assert np.allclose(copy.output(X), f.output(X), atol=1e-13)
    assert copy.equivalent(f)
    assert np.allclose(copy.canonical().output(X), f.output(X), atol=1e-13)
    assert f.n_symmetries() == 24


def units_of(activation, *, bias=True, next_bias=True):
    """Weights in, a bias, weights out of four units, of which two are equal, one has no inputs and one no output."""
    layers = [Dense(4, activation, bias=bias), Dense(2, "tanh", bias=next_bias), Dense(1)]
    W, b = np.array([[1.0, 1.0, 0.0, 0.3], [-2.0, -2.0, 0.0, 0.7]]), np.array([0.5, 0.5, -0.4, 0.2]) * bias
    V = np.array([[1.0, 0.5], [-0.3, 2.0], [0.6, -1.0], [0.0, 0.0]])
    rest = [np.array([0.1, -0.2])] * next_bias + [np.array([[1.5], [-0.7]]), np.array([0.3])]
    return NeuralNetwork(layers, 2), W, b, V, rest, bias


def composed(network, W, b, V, rest, bias):
    parts = [W, *([b] if bias else []), V, *rest]
    return NetworkFunction(network, np.concatenate([np.ravel(part) for part in parts]))


@pytest.mark.spec("NEU-144", "NEU-L31")
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("next_bias", [True, False])
@pytest.mark.parametrize("activation", ["tanh", "sigmoid", "relu", hard_tanh(0.8), LeakyReLU(0.3)])
def test_ties_and_units_without_inputs_or_outputs_have_one_form(activation, next_bias, bias):
    network, W, b, V, rest, bias = units_of(activation, bias=bias, next_bias=next_bias)
    f, points = composed(network, W, b, V, rest, bias), X[:, :2]
    # The weights out of equal units may be shared otherwise, and what has no output may have any inputs.
    shared, other = V.copy(), W.copy()
    shared[0] += [0.2, -0.9]
    shared[1] -= [0.2, -0.9]
    other[:, 3] = [-5.0, 4.0]
    signs = np.array([1.0, -1.0, -1.0, 1.0]) if activation in ("tanh", hard_tanh(0.8)) else np.ones(4)
    forms = []
    for order in permutations(range(4)):
        for weights, out in ((W, V), (other, shared)):
            at = list(order)
            copy = composed(network, (weights * signs)[:, at], (b * signs)[at], (out * signs[:, None])[at], rest, bias)
            np.testing.assert_allclose(copy.output(points), f.output(points), rtol=0, atol=1e-14)
            forms.append(copy.canonical().theta)
            assert f.equivalent(copy)
            assert copy.equivalent(f)
    assert np.ptp(forms, axis=0).max() < 1e-14
    np.testing.assert_allclose(f.canonical().output(points), f.output(points), rtol=0, atol=1e-14)
    assert f.canonical().canonical().theta.tolist() == f.canonical().theta.tolist()
    # Other sums of the weights out, or another constant, are another function.
    for moved in (V + [[0.1, 0.0]] * 4, V * [[1.0], [1.0], [1.5], [1.0]]):
        changed = composed(network, W, b, moved, rest, bias)
        assert f.equivalent(changed) == np.allclose(changed.output(points), f.output(points), atol=1e-9)


@pytest.mark.spec("NEU-144", "NEU-L31")
def test_what_falls_away_takes_others_with_it():
    # Two equal units of the second layer cancel, so that one of the first has no output left.
    network = NeuralNetwork([Dense(2, "tanh"), Dense(3, "tanh"), Dense(1)], 1)
    W, V = [[1.0, -0.4]], [[0.0, 0.0, 0.8], [2.0, 2.0, 0.0]]
    f = composed(network, W, [0.1, 0.2], V, [0.3, 0.3, -0.6, 1.5, -1.5, 0.9, 0.7], True)
    g = composed(
        network, [[9.0, 1.0]], [3.0, 0.1], [[0.0, 0.0, 0.0], [0.0, 0.8, 0.0]], [5.0, -0.6, 8.0, 0, 0.9, 0, 0.7], True
    )
    assert f.equivalent(g)
    assert np.count_nonzero(f.canonical().theta) == 6
    # Parallel rectified units are one.
    network = NeuralNetwork([Dense(3, "relu"), Dense(1)], 2)
    W, b = np.array([[1.0, 3.0, 0.1], [2.0, 6.0, 0.2]]), np.array([-0.5, -1.5, -0.05])
    f = composed(network, W, b, [1.0, -2.0, 7.0], [0.4], True)
    g = composed(network, W[:, [1, 0, 0]], b[[1, 0, 0]], [0.0, -4.3, 0.0], [0.4], True)
    np.testing.assert_allclose(f.output(X[:, :2]), g.output(X[:, :2]), atol=1e-14)
    assert f.equivalent(g)
    # Units are told apart whatever their size.
    tiny = np.array([[1e-16, 2e-16, 1.0], [0.0, 0.0, 0.0]])
    network = NeuralNetwork([Dense(3, "tanh"), Dense(1)], 2)
    f = composed(network, tiny, np.zeros(3), [1e16, -1e16, 1.0], [0.0], True)
    np.testing.assert_allclose(f.canonical().output(X[:, :2]), f.output(X[:, :2]), rtol=1e-12)


def test_symmetry_is_for_chains():
    f = drawn([Dense(3, "tanh", name="h"), Add(after=["input", "h"]), Dense(1)])
    with pytest.raises(ValueError, match="layer 'add_1' is not a Dense layer"):
        f.canonical()


@pytest.mark.spec("NEU-145", "NEU-L32")
def test_error_falls_with_width():
    widths = np.array([4, 8, 16, 32, 64])
    found = approximation_curve(np.sin, widths, p=np.inf, box=(0, 2 * np.pi))
    assert np.all(found.errors <= (2 * np.pi / widths) ** 2 / 8)
    assert found.errors[-2] / found.errors[-1] == pytest.approx(4, rel=0.02)
    # Two rectified units are a step between two points already, so a strict fall is asked of the sine only.
    for f, phi in ((np.sin, "tanh"), (lambda x: np.where(x > 3.0, 1.0, 0.0), "relu")):
        options = {"method": "train", "activation": phi, "n_points": 1601, "max_iter": 150}
        trained = approximation_curve(f, [1, 2, 4, 8], box=(0, 2 * np.pi), **options)
        assert np.all(np.diff(trained.errors) < (0 if f is np.sin else 1e-9))
        assert trained.errors[-1] < trained.errors[0] / 4
    plane = approximation_curve(
        lambda x: x[:, 0] * x[:, 1], [1, 6], box=[(-1, 1)] * 2, method="train", n_points=1601, max_iter=100
    )
    assert plane.errors[1] < 0.2 * plane.errors[0]
    with pytest.raises(ValueError, match="one dimension"):
        approximation_curve(np.sin, [3], box=[(0, 1), (0, 1)])


@pytest.mark.spec("NEU-149", "NEU-L37")
def test_kernel_expansion_as_a_network():
    alpha = np.random.default_rng(2).normal(size=40)
    f = NeuralNetwork.from_kernel_expansion(X, alpha, scale=0.5, shift=-0.2)
    new = np.random.default_rng(3).normal(size=(7, 3))
    expansion = Sigmoid(scale=0.5, coef0=-0.2).gram(new, X) @ alpha
    assert np.allclose(f.output(new)[:, 0], expansion, rtol=0, atol=1e-13)


@pytest.mark.spec("NEU-147")
def test_sensitivities_by_differences():
    network = NeuralNetwork([Dense(4, "tanh"), Dense(3, "sigmoid"), Dense(2)], 3)
    theta = network.init(np.random.default_rng(0))
    y = rng.normal(size=(40, 2))
    gradients, deltas = network.problem(X, y).sensitivities(theta)
    assert np.allclose(np.concatenate([g.ravel() for part in gradients.values() for g in part]),
                       network.value_and_gradient(theta, X, y)[1])  # fmt: skip
    for name in ("dense_1", "dense_2", "dense_3"):
        up, down = theta.copy(), theta.copy()
        network.views(up)[name][1][1] += 1e-5
        network.views(down)[name][1][1] -= 1e-5
        one = X[:1], y[:1]
        slope = (network.problem(*one).value(up) - network.problem(*one).value(down)) / 2e-5 / 40
        assert deltas[name][0, 1] == pytest.approx(slope, rel=1e-6)
    found = diagnose(NetworkFunction(network, theta), X, y)
    assert found.layers[1].delta_norm == pytest.approx(np.linalg.norm(deltas["dense_2"]))
    assert found.layers[0].gradient_norm == pytest.approx(np.linalg.norm(gradients["dense_1"][0]))
    assert found.gradient_ratio == pytest.approx(found.layers[0].gradient_norm / found.layers[2].gradient_norm)


@pytest.mark.spec("NEU-146", "NEU-147")
def test_every_sign_is_found_and_only_it():
    network = NeuralNetwork([Dense(8, "tanh"), Dense(3)], 3)
    theta = network.init(np.random.default_rng(0))
    y = rng.integers(3, size=40)
    healthy = NetworkFunction(network, theta)

    def signs(f, **options):
        return {finding.sign for finding in diagnose(f, X, y, loss=SoftmaxLoss(), **options).findings}

    assert signs(healthy, stage="start") == set()
    wide = theta.copy()
    network.views(wide)["dense_1"][0][...] *= 50
    assert signs(NetworkFunction(network, wide)) == {"saturation"}
    assert signs(NetworkFunction(network, wide), stage="start") == {"saturation", "start"}
    for size, sign in ((1e-6, "small_updates"), (0.5, "large_updates")):
        ratio = np.array([[np.nan] * 4, [size, 1e-9, 1e-3, 1e-9]])
        assert signs(healthy, history={"update_ratio": ratio}) == {sign}
    other = X + 1.0, (y + 1) % 3
    assert "over_fitting" in signs(fitted(network, theta, y), validation_data=other)
    deep = NeuralNetwork([*[Dense(30, "relu", init=NormalInit(1.0))] * 6, Dense(3)], 3)
    assert "exploding" not in signs(NetworkFunction(deep, deep.init(np.random.default_rng(0))))
    thin = NeuralNetwork([*[Dense(20, "sigmoid")] * 9, Dense(3)], 3)
    assert signs(NetworkFunction(thin, thin.init(np.random.default_rng(0)))) == {"vanishing"}
    text = str(diagnose(healthy, X, y, loss=SoftmaxLoss()))
    assert "nothing to mend" in text
    assert "dense_2" in text


def fitted(network, theta, y):
    problem = network.problem(X, y, loss=SoftmaxLoss())
    for _ in range(300):
        theta = theta - 0.5 * problem.value_and_gradient(theta)[1]
    return NetworkFunction(network, theta)


@pytest.mark.spec("NEU-140")
def test_hidden_layers_as_features():
    labels = (X[:, 0] * X[:, 1] > 0).astype(int)
    wide = X * [1.0, 50.0, 0.02] + 3.0
    model = MLPClassifier((4,), activation="tanh", solver="lbfgs", alpha=0.1, max_iter=500, tol=1e-3, random_state=0)
    for standardize, rows in ((False, X), (True, wide)):
        net = clone(model).set_params(standardize=standardize).fit(rows, labels)
        features = HiddenFeatures(FrozenEstimator(net)).fit(rows)
        scaled = (rows - rows.mean(axis=0)) / rows.std(axis=0) if standardize else rows
        assert np.allclose(features.transform(rows), np.tanh(scaled @ net.coefs_[0] + net.intercepts_[0]), atol=1e-10)
        assert np.allclose(
            features.transform(rows) @ net.coefs_[1] + net.intercepts_[1], net.decision_function(rows)[:, None]
        )
        refitted = HiddenFeatures(clone(net)).fit(rows, labels)
        assert np.allclose(refitted.transform(rows), features.transform(rows))
    assert features.get_feature_names_out().tolist() == [f"hiddenfeatures{i}" for i in range(4)]


@pytest.mark.spec("NEU-146", "NEU-147")
def test_diagnosis_of_an_estimator():
    labels = np.array(["a", "b"])[(X[:, 0] > 0).astype(int)]
    model = MLPClassifier((6,), activation="tanh", max_iter=30, tol=10.0, alpha=0.0, random_state=0).fit(X, labels)
    found = diagnose(model, X, labels, validation_data=(X, labels))
    codes = (labels == "b").astype(float)
    p = model.predict_proba(X)[:, 1]
    assert found.objective == pytest.approx(-np.mean(codes * np.log(p) + (1 - codes) * np.log(1 - p)))
    assert found.validation_objective == pytest.approx(found.objective)
    groups = model.history_["update_ratio"][-1]
    assert found.layers[0].update_ratio == pytest.approx(groups[0])
    scaled = MLPClassifier((6,), activation="tanh", max_iter=30, tol=10.0, standardize=True, random_state=0)
    wide = X * 1e4
    assert "saturation" not in {f.sign for f in diagnose(scaled.fit(wide, labels), wide, labels).findings}
    coder = Autoencoder(2, activation="identity", solver="svd").fit(X)
    assert diagnose(coder, X, X).objective == pytest.approx(coder.objective_)


@pytest.mark.spec("NEU-146")
def test_idle_units_of_every_layer_with_an_activation():
    layers = [
        Conv2D(3, 2, activation="relu"), Reshape((3, 4)), Recurrent(4, "sigmoid", return_sequences=True),
        Dense(5, "tanh", name="wide"), DropConnect(6, 0.5, "relu"), Dense(2),
    ]  # fmt: skip
    network = NeuralNetwork(layers, (1, 3, 3))
    theta, rows = network.init(np.random.default_rng(0)), rng.normal(size=(30, 9))
    views = network.views(theta)
    # One filter never answers, another at the places of one row only, and so do half of the last units.
    views["conv2d_1"][0][0], views["conv2d_1"][1][:] = 0.0, [-50.0, -50.0, 0.0]
    rows[7, 4] = 1e3 * np.sign(views["conv2d_1"][0][1, 0, 0, 0])
    views["wide"][1][:] = [40.0, 0.0, 0.0, 0.0, 0.0]
    views["dropconnect_1"][1][:3] = -1e3
    found = {layer.name: layer for layer in diagnose(NetworkFunction(network, theta), rows).layers}
    Z = network.forward(theta, rows)[0]
    assert found["conv2d_1"].dead == np.mean(np.all(Z["conv2d_1"] <= 0, axis=(0, 2, 3)))
    assert found["conv2d_1"].dead == pytest.approx(1 / 3)
    assert found["dropconnect_1"].dead == np.mean(np.all(Z["dropconnect_1"] <= 0, axis=0)) >= 0.5
    h = 1 / (1 + np.exp(-Z["recurrent_1"]))
    assert found["recurrent_1"].saturated == pytest.approx(np.mean(h * (1 - h) < 0.05 / 4))
    assert found["wide"].saturated == np.mean(1 - np.tanh(Z["wide"]) ** 2 < 0.05) >= 0.2
    assert np.isnan([found["conv2d_1"].saturated, found["wide"].dead, found["dense_2"].dead]).all()
    # After every epoch the same is noted.
    noted = watch_saturation(network, rows)(theta)["saturation"]
    np.testing.assert_array_equal(noted, [layer.saturated for layer in found.values()])
