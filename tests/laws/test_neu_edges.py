"""Networks at the edges: kinks, ties, single precision, sparse rows, large and small units, arguments out of range."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from gnomon.linear import Ridge
from gnomon.neural import (
    Autoencoder,
    GenerativeAdversarialNetwork,
    MLPClassifier,
    MLPRegressor,
    NetworkClassifier,
    NetworkFunction,
    NetworkRegressor,
    NeuralNetwork,
    VariationalAutoencoder,
    _engines,
    approximation_curve,
    check_gradient,
    diagnose,
    dropout_preset,
    exact_network,
    max_cells,
    optimal_discriminator,
    sample_networks,
)
from gnomon.neural._targets import ClassTargets, LabelTargets, class_loss
from gnomon.neural._weight_penalty import WeightPenalty
from gnomon.neural.layers import (
    Activation,
    Add,
    Concat,
    ConstantInit,
    Conv2D,
    Dense,
    DropConnect,
    Dropout,
    GaussianNoise,
    LayerNorm,
    Maxout,
    PReLU,
    Reshape,
    activation_of,
    hard_tanh,
)
from gnomon.optim.updates import Adam

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
NUMBERS = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]
LABELS = np.digitize(NUMBERS, [-0.5, 0.7])


def quiet(model, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*args, **kwargs)


def slopes(phi, z):
    """φ' at z by a network of one layer."""
    net = NeuralNetwork([Dense(1, phi, bias=False)], 1)
    theta = np.append(1.0, [p.init.draw(RNG, p.shape, None)[0] for p in net.nodes[0].parameters[1:]])
    return net.jacobian(theta, np.reshape(z, (-1, 1))).ravel()


@pytest.mark.spec("NEU-014", "NEU-016", "NEU-017", "NEU-019", "NEU-012", "NEU-013")
def test_slopes_at_kinks_and_far_out():
    assert slopes("relu", [-1.0, 0.0, 1e-300]).tolist() == [0.0, 0.0, 1.0]
    assert slopes("leaky_relu", [-1.0, 0.0, 1.0]).tolist() == [0.01, 0.01, 1.0]
    assert slopes(PReLU(), [-1.0, 0.0, 1.0]).tolist() == [0.25, 0.25, 1.0]
    assert slopes(hard_tanh(2.0), [-2.0, -1.99, 2.0, 2.01]).tolist() == [0.0, 1.0, 1.0, 0.0]
    for word, bound in (("sigmoid", 0.0), ("tanh", -1.0)):
        far = activation_of(word).activate(np.array([-1e6, 0.0, 1e6]))
        assert far.tolist() == [bound, (bound + 1.0) / 2.0, 1.0]


@pytest.mark.spec("NEU-041", "NEU-042", "NEU-046", "NEU-047")
def test_ties_and_thresholds():
    two = ClassTargets(np.array(["a", "b"]), class_loss("log_loss", 2))
    assert two.predict(np.array([[-1e-9], [0.0], [1e-9]])).tolist() == ["a", "a", "b"]
    three = ClassTargets(np.array(["a", "b", "c"]), class_loss("log_loss", 3))
    assert three.predict(np.array([[1.0, 1.0, 0.0], [0.0, 2.0, 2.0]])).tolist() == ["a", "b"]
    labels = LabelTargets(2, class_loss("log_loss", 2))
    assert labels.predict(np.array([[0.1, -0.1], [0.0, 1e-9]])).tolist() == [[1, 0], [0, 1]]


@pytest.mark.spec("NEU-074")
def test_adam_flushes_what_would_decay_into_denormals():
    rule, theta = Adam(), np.zeros(2, np.float32)
    memory = rule.memory(theta)
    rule.step(theta, np.array([1e-14, 1e-3], np.float32), memory, rate=0.1, momentum=0.0, t=1)
    assert memory[1][0] == 0.0 < memory[1][1]
    memory[0][:] = 1.05e-30
    rule.step(theta, np.zeros(2, np.float32), memory, rate=0.1, momentum=0.0, t=2)
    assert memory[0].tolist() == [0.0, 0.0]


@pytest.mark.spec("NEU-065")
def test_units_that_differ_on_the_way_out_are_not_symmetric():
    options = {"hidden_layer_sizes": (4,), "max_iter": 1, "random_state": 0}
    model = quiet(MLPRegressor(init=[ConstantInit(0.3), "auto"], **options), X, NUMBERS)
    assert np.ptp(model.coefs_[0][0]) > 0.0


@pytest.mark.spec("NEU-068")
def test_narrow_columns_are_told_too_and_constant_ones_are_not():
    options = {"hidden_layer_sizes": (3,), "max_iter": 1, "random_state": 0}
    # By weight the first column has a deviation below 0.01, by count it has not.
    rows, s = X * [0.5, 1.0, 1.0], np.where(np.abs(X[:, 0]) < 0.1, 1.0, 1e-9)
    with pytest.warns(UserWarning, match=r"1 of 3 columns have standard deviations outside \[0.01, 100\], column 0"):
        quiet(MLPRegressor(**options), rows * [0.1, 1.0, 1.0], NUMBERS, s)
    with pytest.warns(UserWarning, match="column 2"):
        quiet(MLPRegressor(**options), X * [1.0, 1.0, 1e-3], NUMBERS)


@pytest.mark.spec("NEU-136", "NEU-137", "NEU-007")
def test_single_precision_stays_and_double_rows_are_taken():
    single = X.astype(np.float32)
    options = {"max_iter": 2, "random_state": 0}
    for model in (Autoencoder(2, (4,), **options), VariationalAutoencoder(2, (4,), **options)):
        quiet(model, single)
        for verb, rows in ((model.transform, X), (model.inverse_transform, X[:, :2])):
            found = verb(rows)
            assert found.dtype == np.float32
            np.testing.assert_allclose(found, verb(rows.astype(np.float32)), rtol=1e-6)
    assert model.sample(4, random_state=0).dtype == np.float32
    bits = quiet(VariationalAutoencoder(1, decoder="bernoulli", **options), (single > 0).astype(np.float32))
    assert bits.sample(4, random_state=0).dtype == np.float32
    game = GenerativeAdversarialNetwork(1, (4,), max_iter=2, random_state=0).fit(single)
    assert game.sample(3, random_state=0).dtype == game.decision_function(X).dtype == np.float32
    classifier = quiet(MLPClassifier((4,), keep_hidden=0.5, **options), single, LABELS)
    found = sample_networks(classifier.network_, classifier.theta_, X, 3, random_state=0).mean
    np.testing.assert_array_equal(
        found, sample_networks(classifier.network_, classifier.theta_, single, 3, random_state=0).mean
    )
    assert classifier.predict_proba(X).dtype == np.float32


@pytest.mark.spec("NEU-130", "NEU-136", "NEU-137")
def test_rows_far_from_unit_scale_are_told():
    for unit in (1e-6, 1e6):
        for model in (
            Autoencoder(max_iter=1),
            VariationalAutoencoder(max_iter=1),
            GenerativeAdversarialNetwork(max_iter=1),
        ):
            with pytest.warns(UserWarning, match="networks begin with outputs of about one; scale X"):
                quiet(model, unit * X)
    Autoencoder(1, activation="identity", solver="svd").fit(1e6 * X)


@pytest.mark.spec("NEU-001", "NEU-002")
@pytest.mark.parametrize(
    "layers",
    [
        [DropConnect(4, 0.5)], [LayerNorm(), Dense(3)], [Dense(3, name="h"), Concat(after=["input", "h"])], [Maxout(3)],
        [Dropout(0.5), DropConnect(3)], [Dropout(0.5), Dense(3)], [GaussianNoise(0.1), LayerNorm()],
        [Dense(3, name="h"), Add(after=["input", "h"])], [Reshape((3, 1)), Dense(2)],
    ],
)  # fmt: skip
def test_sparse_rows_are_dense_rows_for_every_layer(layers):
    thin = sparse.csr_array(np.where(X > 0.0, X, 0.0))
    options = {"max_iter": 3, "random_state": 0, "batch_size": 20}
    dense, found = (quiet(NetworkClassifier(layers, **options), rows, LABELS) for rows in (thin.toarray(), thin))
    np.testing.assert_allclose(found.predict_proba(thin), dense.predict_proba(thin.toarray()), atol=1e-12)


@pytest.mark.spec("NEU-142", "NEU-053")
def test_pieces_of_sparse_rows():
    net = NeuralNetwork([Dense(4, "relu"), Dense(1)], 3)
    thin = sparse.csr_array(np.where(X > 0.0, X, 0.0))
    f = NetworkFunction(net, net.init(np.random.default_rng(0)))
    for a, b in zip(f.linear_region(thin), f.linear_region(thin.toarray()), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-14)


@pytest.mark.spec("NEU-144")
def test_symmetry_is_judged_at_every_scale():
    for activation, bound in (("relu", 1e90), ("tanh", 1e150)):
        net = NeuralNetwork([Dense(3, activation), Dense(2, activation), Dense(1)], 2)
        theta = net.init(np.random.default_rng(0)) + 0.1
        for unit in (1e-150, 1e-12, 1.0, bound):
            f = NetworkFunction(net, unit * theta)
            assert f.canonical().equivalent(f)
            assert np.all(np.isfinite(f.canonical().theta))
            assert not NetworkFunction(net, 1.01 * f.theta).equivalent(f)


@pytest.mark.spec("NEU-052")
def test_gradients_of_large_objectives_pass(monkeypatch):
    net = NeuralNetwork([Dense(3, "tanh"), Dense(1)], 3)
    for unit in (1e-8, 1.0, 1e5, 1e8):
        assert check_gradient(net, X[:5], unit * NUMBERS[:5])
    # A wrong gradient does not hide behind the rounding of a large objective, nor is the penalty forgotten.
    slope = Activation(np.sin, lambda z: np.cos(z) * np.where(np.abs(z) < 0.1, 1.5, 1.0))
    small = NeuralNetwork([Dense(3, slope), Dense(1)], 3)
    assert not check_gradient(small, 0.01 * X[:5], 1e8 * NUMBERS[:5])
    add = WeightPenalty.add
    monkeypatch.setattr(WeightPenalty, "add", lambda *args: 2.0 * add(*args))
    assert not check_gradient(net, X[:5], NUMBERS[:5], alpha=0.1)


@pytest.mark.spec("NEU-003", "NEU-054", "NEU-030", "NEU-031")
def test_networks_as_values():
    large = NeuralNetwork([Dense(2001, bias=False)], 1)
    with pytest.raises(ValueError, match="hessian is for at most 2000 parameters and the network has 2001"):
        large.hessian(np.zeros(2001), [[1.0]], np.zeros((1, 2001)))
    for layers, kind in ((3, "shallow"), (4, "deep")):
        assert f"{kind} network of {layers} layers" in NeuralNetwork([Dense(2)] * layers, 2).summary()
    with pytest.raises(ValueError, match=r"form a cycle: (b → a → b|a → b → a); a network must be acyclic"):
        NeuralNetwork([Add(name="a", after=["input", "b"]), Dense(3, name="b", after="a")], 3)
    net = NeuralNetwork([Dense(2, "tanh"), Dense(1)], 3)
    theta, v = net.init(np.random.default_rng(0)), np.ones(11)
    # The penalty's part of the curvature is α/n, whatever the weights of the rows.
    s = np.full(60, 2.0)
    more = net.hvp(theta, v, X, NUMBERS, s, alpha=12.0) - net.hvp(theta, v, X, NUMBERS, s)
    np.testing.assert_allclose(more, 0.1 * np.r_[np.ones(6), 0, 0, np.ones(2), 0], atol=1e-12)


@pytest.mark.spec("NEU-004", "NEU-006")
def test_the_engine_is_chosen_by_what_is_there(monkeypatch):
    dense, conv = NeuralNetwork([Dense(2)], 3), NeuralNetwork([Conv2D(1, 2), Dense(2)], (1, 3, 3))
    for there, heavy in ((True, "torch"), (False, "numpy")):
        monkeypatch.setattr("gnomon._extras.find_spec", lambda name, there=there: there or None)
        assert _engines.engine_name("auto", dense) == "numpy"
        assert _engines.engine_name("auto", conv) == _engines.engine_name("auto", dense, device="cuda") == heavy
    with pytest.raises(ImportError, match=r"engine='torch' needs torch; .* pip install 'gnomon\[neural\]', or choose"):
        _engines.engine_name("torch", dense)
    with pytest.raises(ValueError, match="masks='native' needs engine='torch'"):
        NetworkRegressor([Dropout(0.5)], masks="native", engine="numpy").fit(X, NUMBERS)


@pytest.mark.spec("NEU-098", "NEU-137", "NEU-141", "NEU-143", "NEU-145", "NEU-146")
def test_arguments_out_of_range_are_named():
    model = quiet(MLPRegressor(hidden_layer_sizes=(2,), max_iter=1), X, NUMBERS)
    cases = [
        (lambda: dropout_preset(np.inf), "rate=inf"),
        (lambda: dropout_preset(0.1, max_iter=0), "max_iter=0"),
        (lambda: max_cells(-1, 2), "n_hyperplanes=-1"),
        (lambda: exact_network([[0.0], [1.0]], [np.nan, 1]), "y has entries"),
        (lambda: exact_network([[0.0], [0.0]], [[1.0, 2.0], [1.0, 3.0]]), "rows 0 and 1 of X are equal"),
        (lambda: approximation_curve(np.sin, [0]), "widths=0"),
        (lambda: approximation_curve(np.sin, [1], n_points=1), "n_points=1"),
        (lambda: optimal_discriminator(-1.0, 1.0), "p has the value"),
        (lambda: diagnose(model, X * np.nan), "X contains NaN"),
    ]
    for call, word in cases:
        with pytest.raises(ValueError, match=word):
            call()
    with pytest.raises(TypeError, match="has no network; give a NetworkFunction or an estimator"):
        diagnose(Ridge(), X)
    assert optimal_discriminator([1e308, 5e-324, 0.0], [1e308, 5e-324, 2.0]).tolist() == [0.5, 0.5, 0.0]


@pytest.mark.spec("NEU-081")
def test_rest_is_no_convergence_where_the_loss_cannot_be_seen_to_fall():
    options = {"hidden_layer_sizes": (4,), "activation": "tanh", "random_state": 0}
    for solver in ("adam", "lbfgs"):
        with pytest.warns(ConvergenceWarning, match="the loss did not fall by more than its rounding; scale X and y"):
            model = MLPRegressor(solver=solver, **options).fit(X, 1e50 * NUMBERS)
        assert (model.stop_reason_, model.converged_) == ("no_change", False)
    # Nor does it fall from where a training ended; there the gradient is small.
    model = quiet(MLPRegressor(solver="adam", tol=0.1, n_iter_no_change=2, warm_start=True, **options), X, NUMBERS)
    model.set_params(learning_rate_init=1e-15, tol=1.0)
    for _ in range(2):
        model.theta_ = quiet(MLPRegressor(solver="lbfgs", max_iter=2000, **options), X, NUMBERS).theta_
        assert model.fit(X, NUMBERS).converged_
