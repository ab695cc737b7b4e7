"""Laws of dropout and DropConnect: means over masks, scalings, sub-networks."""

import itertools

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning

from gnomon.losses import SoftmaxLoss, SquaredLoss
from gnomon.neural import (
    MLPClassifier,
    MLPRegressor,
    NetworkClassifier,
    NeuralNetwork,
    at_prediction_scale,
    dropout_preset,
    sample_networks,
)
from gnomon.neural._engines import passes_of
from gnomon.neural.layers import Dense, DropConnect, Dropout, Flatten, HardTanh, activation_of
from gnomon.optim import train

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(6, 4)), rng.normal(size=(6, 2))


def sigma(z):
    return 1 / (1 + np.exp(-z))


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@pytest.mark.spec("NEU-L21", "NEU-096")
def test_means_over_all_masks():
    for keep, scaling in itertools.product((0.5, 0.8), ("inverted", "average")):
        linear = NeuralNetwork([Dense(3), Dropout(keep, scaling=scaling), Dense(2)], 4)
        theta = linear.init(np.random.default_rng(1)) + 0.1
        found = sample_networks(linear, theta, X, exact=True)
        assert found.n_networks == 8
        assert np.allclose(found.mean, linear.output(theta, X), atol=1e-13)
        bent = NeuralNetwork([Dense(3, "tanh"), Dropout(keep, scaling=scaling), Dense(2)], 4)
        # The normalised geometric mean of the sub-networks of a softmax (a sigmoid: two scores) is the average network.
        for link, output in ((softmax, softmax), (lambda z: sigma(z[:, :1]), lambda z: sigma(z[:, :1]))):
            log = sample_networks(bent, theta, X, exact=True, link=lambda z, link=link: np.log(link(z))).mean
            other = sample_networks(bent, theta, X, exact=True, link=lambda z, link=link: np.log(1 - link(z))).mean
            total = np.exp(log).sum(axis=1, keepdims=True) if log.shape[1] > 1 else np.exp(log) + np.exp(other)
            assert np.allclose(np.exp(log) / total, output(bent.output(theta, X)), atol=1e-13)
        arithmetic = sample_networks(bent, theta, X, exact=True, link=softmax).mean
        assert not np.allclose(arithmetic, softmax(bent.output(theta, X)), atol=1e-4)


@pytest.mark.spec("NEU-L21", "NEU-095")
def test_inverted_keeps_the_mean_of_z():
    net = NeuralNetwork([Dropout(0.3), Dense(2)], 4)
    theta = net.init(np.random.default_rng(1))
    assert np.allclose(sample_networks(net, theta, X, exact=True).mean, net.output(theta, X), atol=1e-13)


@pytest.mark.spec("NEU-L22", "NEU-095")
def test_scalings_have_equal_paths():
    keep, eta = 0.6, 0.05
    nets = {
        s: NeuralNetwork([Dense(3, "tanh"), Dropout(keep, scaling=s), Dense(2)], 4) for s in ("inverted", "average")
    }
    inverted = nets["inverted"].init(np.random.default_rng(1))
    average = inverted.copy()
    masked = slice(15, 21)
    average[masked] /= keep
    gradient = np.empty_like(inverted)
    for step in range(50):
        draws = nets["average"].draw(np.random.default_rng(step), 6)
        for name, theta in (("inverted", inverted), ("average", average)):
            problem = nets[name].problem(X, Y)
            problem.freeze(draws)
            problem.batch_value_and_gradient(theta, slice(None), gradient)
            rate = np.full(len(theta), eta)
            rate[masked] *= keep**2 if name == "inverted" else 1
            theta -= rate * gradient
    assert np.allclose(at_prediction_scale(nets["average"], average), inverted, atol=1e-12)
    assert np.allclose(nets["average"].output(average, X), nets["inverted"].output(inverted, X), atol=1e-12)


@pytest.mark.spec("NEU-L22", "NEU-094")
def test_keeping_everything_changes_nothing():
    plain = NeuralNetwork([Dense(3, "tanh"), Dense(2)], 4)
    theta, results = plain.init(np.random.default_rng(1)), []
    for layers in ([Dense(3, "tanh"), Dense(2)], [Dense(3, "tanh"), Dropout(1.0), Dense(2)]):
        gradient = np.empty_like(theta)
        problem = NeuralNetwork(layers, 4).problem(X, Y, rng=np.random.default_rng(0))
        results.append((problem.batch_value_and_gradient(theta, slice(None), gradient), gradient.tolist()))
    assert results[0] == results[1]
    assert Dropout(drop=0.2).kept == 0.8


@pytest.mark.spec("NEU-L23", "NEU-094")
def test_inactive_units_have_no_gradient():
    net = NeuralNetwork([Dense(3, "tanh"), Dropout(0.5, per="batch"), Dense(2)], 4)
    theta, gradient = net.init(np.random.default_rng(1)), np.empty(net.n_parameters)
    problem = net.problem(X, Y)
    problem.freeze({"dropout_1": {"mask": np.array([[True, False, True]])}})
    problem.batch_value_and_gradient(theta, slice(None), gradient)
    (W, b), (V, _) = (net.views(gradient)[name] for name in ("dense_1", "dense_2"))
    assert not W[:, 1].any()
    assert b[1] == 0
    assert not V[1].any()
    assert np.all(W[:, [0, 2]] != 0)
    assert np.all(V[[0, 2]] != 0)
    assert net.draw(np.random.default_rng(0), 6)["dropout_1"]["mask"].shape == (1, 3)


@pytest.mark.spec("NEU-094")
def test_the_bias_unit_can_be_dropped_too():
    net = NeuralNetwork([Dropout(0.5, drop_bias=True), Dense(1, bias=False)], 1)
    theta = np.array([2.0, 1.0])
    assert net.output(theta, [[3.0]])[0, 0] == 7
    found = sample_networks(net, theta, np.array([[3.0]]), exact=True)
    assert found.n_networks == 4
    assert found.std[0, 0] ** 2 == pytest.approx(6**2 + 1**2)  # (1 − keep)/keep · Σ (w a)²


@pytest.mark.spec("NEU-094")
def test_sparse_rows_are_dropped_as_dense_ones():
    net = NeuralNetwork([Dropout(0.5), Dense(2)], 4)
    theta = net.init(np.random.default_rng(0))
    found = [
        net.problem(rows, Y, rng=np.random.default_rng(3)).batch_value_and_gradient(
            theta, slice(None), np.empty_like(theta)
        )
        for rows in (X, sparse.csr_array(X))
    ]
    assert found[0] == pytest.approx(found[1], rel=1e-14)


@pytest.mark.spec("NEU-L24", "NEU-096")
def test_sampled_networks_approach_the_exact_mean():
    net = NeuralNetwork([Dense(5, "relu"), Dropout(0.6), Dense(2)], 4)
    theta = net.init(np.random.default_rng(1))
    exact = sample_networks(net, theta, X, exact=True, link=softmax)
    errors = []
    for count in (50, 800):
        runs = [sample_networks(net, theta, X, count, link=softmax, random_state=seed).mean for seed in range(12)]
        errors.append(np.sqrt(np.mean((np.array(runs) - exact.mean) ** 2)))
    assert 2.5 < errors[0] / errors[1] < 6.5  # √(800/50) = 4
    assert sample_networks(net, theta, X, 800, link=softmax, random_state=0).std == pytest.approx(exact.std, rel=0.15)
    wide = NeuralNetwork([Dropout(0.5), Dense(2)], 16)
    with pytest.raises(ValueError, match="at most 15 units and there are 16"):
        sample_networks(wide, wide.init(rng), np.ones((1, 16)), exact=True)
    with pytest.raises(ValueError, match="needs a network with Dropout"):
        sample_networks(NeuralNetwork([Dense(2)], 4), np.zeros(10), X)


@pytest.mark.spec("NEU-L24", "NEU-097")
def test_moments_of_dropconnect():
    for scaling in ("inverted", "average"):
        net = NeuralNetwork([DropConnect(2, 0.7, scaling=scaling, prediction="gaussian")], 4)
        theta = net.init(np.random.default_rng(1)) + 0.1
        found = sample_networks(net, theta, X, exact=True)
        space = net.workspace(float, None)
        mean = space.forward(theta, [X])[0]
        assert np.allclose(found.mean, mean, atol=1e-13)
        assert np.allclose(found.std, space.saved[0].deviation, atol=1e-13)


@pytest.mark.spec("NEU-097")
@pytest.mark.parametrize("engine", ["numpy", "torch"])
@pytest.mark.parametrize(
    "activation", ["relu", "tanh", "sigmoid", "leaky_relu", "softplus", "gelu", "elu", "silu", HardTanh(0.7), "step"],
    ids=str,
)  # fmt: skip
def test_the_mean_over_a_normal_score_is_exact_at_every_spread(activation, engine):
    pytest.importorskip("torch") if engine == "torch" else None
    phi, levels = activation_of(activation), np.linspace(-40.0, 40.0, 400_001)
    for spread in (0.1, 1.0, 10.0, 30.0, 300.0):
        for mean in (-2.0, 0.0, 0.3, 5.0):
            # Of one input 1 with a weight w and keep = ½, z has the mean w + b and the standard deviation w.
            net = NeuralNetwork([DropConnect(1, 0.5, activation, prediction="gaussian")], 1)
            theta = np.array([spread, mean - spread])
            found = net.output(theta, np.ones((1, 1)), passes=passes_of(engine, net)).item()
            # E φ = φ(far left) + ∫ φ'(z) P(Z > z) dz, from differences of φ between many levels; tails by symmetry.
            low, high = mean - 9.0 * spread, mean + 9.0 * spread
            z = np.unique(np.r_[levels, np.linspace(low, high, 400_001), phi.kinks, np.nextafter(phi.kinks, 1.0)])
            z = z[(z >= low) & (z <= high)]
            A = np.empty_like(z)
            phi.forward(z, A, ())
            above = norm.sf(0.5 * (z[1:] + z[:-1]), mean, spread)
            expected = A[0] + np.sum(np.diff(A) * above)
            assert found == pytest.approx(expected, abs=3e-7 * (1.0 + spread))
            if activation == "relu":
                closed = mean * norm.cdf(mean / spread) + spread * norm.pdf(mean / spread)
                assert found == pytest.approx(closed, abs=1e-8 * (1.0 + spread))


@pytest.mark.spec("NEU-097")
def test_predictions_of_dropconnect():
    rows = np.random.default_rng(2).normal(size=(3, 200))
    theta = np.random.default_rng(3).normal(size=201) / 10
    kinds = [NeuralNetwork([DropConnect(1, 0.5, "sigmoid", prediction=p)], 200) for p in ("average", "gaussian")]
    exact = sample_networks(kinds[0], theta, rows, 20_000, random_state=0).mean
    average, gaussian = (np.abs(net.output(theta, rows) - exact).max() for net in kinds)
    assert gaussian < 0.01 < average
    for per, masks in (("batch", 1), ("row", 3)):
        net = NeuralNetwork([DropConnect(1, 0.5, per=per)], 200)
        assert net.draw(np.random.default_rng(0), 3)["dropconnect_1"]["mask"].shape == (masks, 200, 1)


@pytest.mark.spec("NEU-096", "NEU-094")
def test_estimators_ask_their_sub_networks():
    rows, labels = np.random.default_rng(0).normal(size=(60, 4)), np.arange(60) % 3
    options = {"hidden_layer_sizes": (5,), "keep_hidden": 0.6, "max_iter": 5, "random_state": 0}
    with pytest.warns(ConvergenceWarning):
        classifier = MLPClassifier(**options).fit(rows, labels)
    mean, std = classifier.predict_sampled(rows, exact=True, return_std=True)
    expected = sample_networks(classifier.network_, classifier.theta_, rows, exact=True, link=softmax)
    assert np.allclose(mean, expected.mean, atol=1e-12)
    assert np.allclose(std, expected.std, atol=1e-12)
    assert mean.shape == (60, 3)
    many = classifier.predict_sampled(rows, 2000, random_state=0)
    assert np.allclose(many, mean, atol=0.03)
    assert np.array_equal(many, classifier.predict_sampled(rows, 2000, random_state=0))
    assert not np.allclose(mean, classifier.predict_proba(rows), atol=1e-4)
    with pytest.warns(ConvergenceWarning):
        regressor = MLPRegressor(**options, standardize=True).fit(rows, rows[:, 0])
    assert regressor.predict_sampled(rows, exact=True).shape == (60,)
    with pytest.raises(ValueError, match="needs a network with Dropout"), pytest.warns(ConvergenceWarning):
        MLPRegressor(hidden_layer_sizes=(5,), max_iter=2, random_state=0).fit(rows, labels).predict_sampled(rows)


@pytest.mark.spec("NEU-095")
@pytest.mark.parametrize("scaling", ["inverted", "average"])
def test_weights_of_estimators_are_those_of_predictions(scaling):
    rows, labels = np.random.default_rng(0).normal(size=(60, 4)), np.arange(60) % 3
    layers = [Dense(5, "relu"), Dropout(0.5, scaling=scaling)]
    with pytest.warns(ConvergenceWarning):
        model = NetworkClassifier(layers, max_iter=5, random_state=0).fit(rows, labels)
    (W, V), (b, c) = [a.copy() for a in model.coefs_], model.intercepts_
    assert np.allclose(np.maximum(rows @ W + b, 0) @ V + c, model.decision_function(rows), atol=1e-12)
    before = model.theta_.copy()
    model.coefs_ = [W, 2 * V]
    assert np.allclose(np.maximum(rows @ W + b, 0) @ (2 * V) + c, model.decision_function(rows), atol=1e-12)
    model.coefs_ = [W, V]
    assert np.allclose(model.theta_, before, atol=1e-15)


@pytest.mark.spec("NEU-L25")
def test_dropout_makes_random_labels_hard_to_fit():
    draws = np.random.default_rng(0)
    rows, labels = draws.normal(size=(200, 10)), draws.integers(2, size=200)

    def accuracy(keep, units):
        net = NeuralNetwork([Dense(units, "relu"), Dropout(keep), Dense(2)], 10)
        problem = net.problem(rows, labels, loss=SoftmaxLoss(), rng=np.random.default_rng(1))
        start = net.init(np.random.default_rng(2))
        theta = train(problem, start, schedule=0.01, batch_size=200, tol=None, max_iter=800, random_state=0).w
        return np.mean(np.argmax(net.output(theta, rows), axis=1) == labels)

    found = [accuracy(keep, 20) for keep in (1.0, 0.8, 0.5, 0.2)]
    assert found == sorted(found, reverse=True)
    assert found[0] > 0.97
    assert found[-1] < 0.87
    assert accuracy(0.5, 400) > 0.99


@pytest.mark.spec("NEU-098")
def test_preset():
    preset = dropout_preset(0.01, factor=50)
    assert preset["learning_rate_init"] == 0.5
    assert preset["learning_rate"] == "inv_t0"
    assert preset["max_norm"] == 3
    for factor in (5, 200):
        with pytest.raises(ValueError, match=r"factor=.* must be in \[10, 100\]"):
            dropout_preset(0.01, factor=factor)


def test_weights_at_prediction_scale():
    layers = [Dropout(0.8, scaling="average"), Dense(3, "relu"), Dropout(0.5, scaling="average"), Flatten(), Dense(2)]
    net = NeuralNetwork([*layers[:-1], DropConnect(2, 0.9, scaling="average")], 4)
    plain = NeuralNetwork([Dense(3, "relu"), Dense(2)], 4)
    theta = net.init(np.random.default_rng(0)) + 0.1
    assert np.allclose(plain.output(at_prediction_scale(net, theta), X), net.output(theta, X), atol=1e-14)


def test_refusals():
    for keep in (0.0, 1.5, -0.1):
        with pytest.raises(ValueError, match=r"keep=.* in \(0, 1\]"):
            Dropout(keep)
        with pytest.raises(ValueError, match=r"keep=.* in \(0, 1\]"):
            DropConnect(2, keep)
    with pytest.raises(ValueError, match="drop=1"):
        Dropout(drop=1)
    with pytest.raises(ValueError, match="scaling='none'"):
        Dropout(scaling="none")
    with pytest.raises(ValueError, match="per='image'"):
        Dropout(per="image")
    with pytest.raises(ValueError, match="prediction='best'"):
        DropConnect(2, prediction="best")
    net = NeuralNetwork([Dropout(), Dense(2)], 4)
    with pytest.raises(ValueError, match="has no generator; give rng="):
        net.problem(X, Y, loss=SquaredLoss()).batch_value_and_gradient(np.zeros(10), slice(None), np.zeros(10))
