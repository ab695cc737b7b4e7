"""Every option of the networks does what its row says: defaults, words, weights, scalings, draws of rows, refusals."""

import inspect
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from gnomon.linear import Ridge
from gnomon.losses import AbsoluteLoss, HuberLoss, PinballLoss, SquaredLoss
from gnomon.neural import (
    Autoencoder,
    MLPClassifier,
    MLPRegressor,
    NetworkClassifier,
    NetworkRegressor,
    NeuralNetwork,
    _estimator,
    invariance_report,
    pretrain,
)
from gnomon.neural._fit import HeldOut, fit_network
from gnomon.neural._options import TrainingOptions
from gnomon.neural._targets import HeadTargets, NumberTargets, class_loss
from gnomon.neural.layers import (
    ConstantInit,
    Conv2D,
    Dense,
    Dropout,
    Glorot,
    LeakyReLU,
    Maxout,
    PReLU,
)
from gnomon.optim import Rprop
from gnomon.optim.schedules import ConstantRate, InverseT0, Power
from gnomon.optim.updates import Adam

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
NUMBERS = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]
LABELS = np.digitize(NUMBERS, [-0.5, 0.7])
EXACT = {"solver": "lbfgs", "tol": 1e-8, "max_iter": 5000, "random_state": 0}
STILL = {"solver": "sgd", "learning_rate_init": 1e-14, "momentum": 0.0, "max_iter": 1, "random_state": 0}
"""One epoch that leaves the first weights as they are."""


def quiet(model, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*args, **kwargs)


@pytest.mark.spec("NEU-017", "NEU-036")
def test_slopes_that_are_learned():
    layers = [Dense(4, PReLU()), Dense(3, PReLU(shared=True)), Dense(2, "tanh")]
    model = quiet(NetworkRegressor(layers, max_iter=3, random_state=0), X, NUMBERS)
    assert [a.shape for a in model.alphas_] == [(4,), (1,)]
    assert all(np.shares_memory(a, model.theta_) for a in model.alphas_)
    conv = NeuralNetwork([Conv2D(3, 2, activation=PReLU()), Dense(1)], (1, 4, 4))
    assert conv.nodes[0].size == 3 * 4 + 3 + 3
    # Penalties leave slopes alone, and a shared slope adds up what all units say.
    net = NeuralNetwork([Dense(3, PReLU(shared=True)), Dense(1)], 3)
    theta = net.init(np.random.default_rng(0))
    plain, decayed = (net.value_and_gradient(theta, X, NUMBERS, alpha=alpha)[1] for alpha in (0.0, 50.0))
    place = slice(12, 13)
    np.testing.assert_array_equal(plain[place], decayed[place])
    step = 1e-6 * np.eye(len(theta))[12]
    up, down = (net.problem(X, NUMBERS).value(theta + sign * step) for sign in (1, -1))
    assert plain[12] == pytest.approx((up - down) / 2e-6, rel=1e-6)


@pytest.mark.spec("NEU-018")
def test_groups_may_share_linear_units():
    net = NeuralNetwork([Maxout(2, groups=[(0, 1), (1,)], bias=False)], 1)
    # Unit 1 is the largest of both: the gradients of both outputs add up.
    gradient = net.value_and_gradient(np.array([1.0, 2.0]), [[1.0]], [[0.0, 0.0]])[1]
    assert gradient.tolist() == [0.0, 4.0]


@pytest.mark.spec("NEU-001", "NEU-070", "NEU-073")
def test_rows_of_a_batch():
    for solver, n, rows in (("adam", 500, 200), ("sgd", 150, 150), ("gd", 500, 500), ("rprop", 500, 500)):
        assert TrainingOptions(solver=solver).rows_of_a_batch(n) == rows
    assert TrainingOptions(solver="gd", batch_size=30).rows_of_a_batch(500) == 30
    assert TrainingOptions(batch_size=1).rows_of_a_batch(500) == 1


@pytest.mark.spec("NEU-070", "NEU-110")
def test_rows_are_drawn_as_asked():
    seen = []

    def noted(rows, y, rng):
        seen.append(rows[:, 0].copy())
        return rows, y

    numbered, p = np.arange(60.0)[:, None], np.r_[np.zeros(50), np.full(10, 0.1)]
    for sampling, shuffle in (("shuffle", True), ("shuffle", False), ("uniform", True), (p, True)):
        seen.clear()
        options = {"max_iter": 2, "batch_size": 20, "augment": noted, "standardize": False, "random_state": 0}
        quiet(MLPRegressor(hidden_layer_sizes=(), sampling=sampling, shuffle=shuffle, **options), numbered, NUMBERS)
        epochs = np.concatenate(seen).reshape(2, 60)
        if isinstance(sampling, np.ndarray):
            assert epochs.min() >= 50
        elif sampling == "uniform":
            assert len(np.unique(epochs[0])) < 60
        else:
            np.testing.assert_array_equal(np.sort(epochs, axis=1), [np.arange(60)] * 2)
            assert np.array_equal(epochs[0], np.arange(60)) != shuffle
    with pytest.raises(ValueError, match="sampling='balanced' draws classes alike, and needs one label for each row"):
        MLPRegressor(sampling="balanced").fit(X, NUMBERS)
    with pytest.raises(ValueError, match="shuffle=False takes the rows in their order"):
        MLPRegressor(sampling="uniform", shuffle=False).fit(X, NUMBERS)
    with pytest.raises(ValueError, match="sampling='uniform' cannot be used by solver='lbfgs'"):
        MLPRegressor(sampling="uniform", solver="lbfgs").fit(X, NUMBERS)


@pytest.mark.spec("EVA-056", "NEU-070")
@pytest.mark.parametrize("make", [MLPClassifier, NetworkClassifier])
def test_classes_are_drawn_alike(make):
    seen, labels = [], np.array(["a"] * 50 + ["b"] * 7 + ["c"] * 3)

    def noted(rows, y, rng):
        seen.append(rows[:, 0].copy())
        return rows, y

    numbered = np.c_[np.arange(60.0), X]
    options = {"batch_size": 20, "standardize": False, "random_state": 0, "tol": 0.0, "n_iter_no_change": 100}
    model = make(sampling="balanced", augment=noted, max_iter=40, **options)
    quiet(model, numbered, labels)
    counts = np.bincount(np.concatenate(seen).astype(int), minlength=60)
    np.testing.assert_allclose([counts[labels == c].sum() / counts.sum() for c in "abc"], 1 / 3, atol=0.03)
    np.testing.assert_allclose(counts[57:] / counts[57:].sum(), 1 / 3, atol=0.06)
    # Rows held out are not drawn, and one epoch draws alike too.
    seen.clear()
    quiet(model.set_params(early_stopping=True, validation_fraction=0.4, max_iter=20), numbered, labels)
    assert len(np.unique(np.concatenate(seen))) <= 36
    model.set_params(early_stopping=False, augment=None).partial_fit(numbered, labels)
    # What is drawn alike counts alike, as by weights of the classes.
    shares = {
        way: quiet(make(learning_rate_init=0.05, max_iter=60, **options, **{way: "balanced"}), 0.0 * X, labels)
        .predict_proba(0.0 * X[:1])[0]
        for way in ("sampling", "class_weight")
    }  # fmt: skip
    np.testing.assert_allclose(shares["sampling"], 1 / 3, atol=0.15)
    np.testing.assert_allclose(shares["class_weight"], 1 / 3, atol=0.15)
    for solver in ("lbfgs", "newton"):
        with pytest.raises(ValueError, match="sampling='balanced' cannot be used by solver"):
            make(sampling="balanced", solver=solver).fit(X, labels)


@pytest.mark.spec("NEU-002", "NEU-010", "NEU-065", "NEU-066", "NEU-037")
def test_first_weights_are_the_layers_own():
    listed = MLPRegressor(hidden_layer_sizes=(4,), init=[ConstantInit(0.5), np.arange(4.0)[:, None]], **STILL)
    model = quiet(listed, X, NUMBERS)
    np.testing.assert_allclose(model.coefs_[0], 0.5, atol=1e-9)
    np.testing.assert_allclose(model.coefs_[1][:, 0], np.arange(4.0), atol=1e-9)
    words = quiet(MLPRegressor(hidden_layer_sizes=(200,), init="glorot_uniform", **STILL), X, NUMBERS)
    assert np.abs(words.coefs_[0]).max() <= np.sqrt(6 / 203) < 0.2
    own = [Dense(4, init=ConstantInit(2.0), bias_init=-1.0), Dense(4, init="he_uniform")]
    model = quiet(NetworkRegressor(own, **STILL), X, NUMBERS)
    np.testing.assert_allclose(model.coefs_[0], 2.0, atol=1e-9)
    np.testing.assert_allclose(model.intercepts_[0], -1.0, atol=1e-9)
    assert np.abs(model.coefs_[1]).max() <= np.sqrt(6 / 4)


@pytest.mark.spec("NEU-061", "NEU-062", "NEU-018")
def test_first_weights_know_the_layers_around_them():
    net = NeuralNetwork([Dense(100, init=Glorot(fan_out="next")), Dense(900, init=Glorot(fan_out="next"))], 100)
    first, last = (views[0] for views in net.views(net.init(np.random.default_rng(0))).values())
    assert first.var() == pytest.approx(2 / (100 + 900), rel=0.05)
    assert last.var() == pytest.approx(2 / (100 + 900), rel=0.02)
    for layer, variance in (
        (Dense(300, LeakyReLU(1.0)), 1 / 300), (Dense(300, PReLU(0.5)), 1.6 / 300), (Maxout(150), 2 / 300),
        (Dense(300, init="he_normal"), 2 / 300),
    ):  # fmt: skip
        net = NeuralNetwork([layer], 300)
        assert net.views(net.init(np.random.default_rng(0)))[net.nodes[0].name][0].var() == pytest.approx(
            variance, rel=0.03
        )


@pytest.mark.spec("NEU-010", "NEU-090", "NEU-091", "NEU-092")
def test_penalties_are_the_layers_own():
    layers = [Dense(4, l2=5.0, l1=0.5), Dense(3, l2=0.0, l1=0.0, max_norm=2.0), Dense(2)]
    groups = {group.name: group for group in NeuralNetwork(layers, 3).groups(alpha=1.0, l1=0.1, max_norm=7.0)}
    weights = [groups[f"dense_{k}.W"] for k in (1, 2, 3)]
    assert [(g.l2, g.l1, g.max_norm) for g in weights] == [(5.0, 0.5, 7.0), (0.0, 0.0, 2.0), (1.0, 0.1, 7.0)]
    assert groups["dense_1.b"].l2 == groups["dense_1.b"].l1 == 0.0
    net = NeuralNetwork(layers, 3)
    theta = net.init(np.random.default_rng(0)) + 0.1
    square = sum(l2 * np.sum(net.views(theta)[f"dense_{k}"][0] ** 2) for k, l2 in ((1, 5.0), (2, 0.0), (3, 1.0)))
    values = [net.problem(X, X[:, :2], alpha=alpha).value(theta) for alpha in (1.0, 0.0)]
    alone = NeuralNetwork([Dense(4), Dense(3), Dense(2)], 3).problem(X, X[:, :2]).value(theta)
    assert values[0] == pytest.approx(alone + 0.5 * square / 60)
    assert values[1] == pytest.approx(alone + 2.5 * np.sum(net.views(theta)["dense_1"][0] ** 2) / 60)


@pytest.mark.spec("NEU-090", "NEU-091")
@pytest.mark.parametrize(
    ("objective", "alpha", "l1"),
    [("sum_half", 3.0, 3.0), ("sum", 1.5, 3.0), ("mean_half", 0.05, 0.05), ("mean", 0.025, 0.05)],
)
def test_forms_of_the_objective(objective, alpha, l1):
    expected = MLPRegressor(hidden_layer_sizes=(), alpha=3.0, **EXACT).fit(X, NUMBERS)
    found = MLPRegressor(hidden_layer_sizes=(), alpha=alpha, objective=objective, **EXACT).fit(X, NUMBERS)
    np.testing.assert_allclose(found.coefs_[0], expected.coefs_[0], atol=1e-6)
    assert found.objective_ == pytest.approx(expected.objective_)
    options = {"hidden_layer_sizes": (), "alpha": 0.0, "solver": "gd", "max_iter": 3, "random_state": 0}
    by_l1 = quiet(MLPRegressor(l1=l1, objective=objective, **options), X, NUMBERS)
    np.testing.assert_allclose(by_l1.theta_, quiet(MLPRegressor(l1=3.0, **options), X, NUMBERS).theta_)


@pytest.mark.spec("NEU-090")
def test_biases_are_penalised_only_if_asked():
    shifted = NUMBERS + 5.0
    ridge = MLPRegressor(hidden_layer_sizes=(), alpha=30.0, **EXACT).fit(X, shifted)
    np.testing.assert_allclose(ridge.predict(X), Ridge(alpha=30.0).fit(X, shifted).predict(X), atol=1e-5)
    ones = np.c_[X, np.ones(60)]
    homogeneous = np.linalg.solve(ones.T @ ones + 30.0 * np.eye(4), ones.T @ shifted)
    all_in = MLPRegressor(hidden_layer_sizes=(), alpha=30.0, penalize_intercept=True, **EXACT).fit(X, shifted)
    np.testing.assert_allclose([*all_in.coefs_[0][:, 0], all_in.intercepts_[0][0]], homogeneous, atol=1e-6)


@pytest.mark.spec("NEU-091")
def test_l1_of_solvers_without_a_proximal_step_is_a_slope():
    net, rate, start = NeuralNetwork([Dense(1)], 3), 1e-3, np.array([0.5, -0.5, 0.0, 0.2])
    gradient = net.value_and_gradient(start, X, NUMBERS)[1]
    for solver in ("adam", "rprop"):
        options = TrainingOptions(solver=solver, alpha=0.0, l1=6e7, max_iter=1, batch_size=60, random_state=0)
        loss = SquaredLoss(half=True)
        end = fit_network(net, X, NUMBERS[:, None], None, loss=loss, start=start, options=options).theta
        # So strong a penalty decides every sign but that of the weight that is zero and of the bias.
        expected = -rate * np.sign([1.0, -1.0, gradient[2], gradient[3]])
        np.testing.assert_allclose(end - start, expected, rtol=1e-4)


@pytest.mark.spec("NEU-040", "NEU-044", "NEU-041", "NEU-042", "NEU-043")
def test_words_of_losses():
    y = RNG.normal(size=20)
    kinds = {"squared_error": SquaredLoss(half=True), "absolute_error": AbsoluteLoss(), "huber": HuberLoss()}
    for word, loss in {**kinds, "pinball": PinballLoss()}.items():
        assert NumberTargets.of(word, y).loss == loss
    names = {
        "log_loss": ("BinaryCrossEntropy", "SoftmaxLoss"), "hinge": ("HingeLoss", "MulticlassHinge"),
        "squared_hinge": ("SquaredHingeLoss",) * 2, "perceptron": ("PerceptronLoss",) * 2,
        "two_term": ("TwoTermCrossEntropy",) * 2,
    }  # fmt: skip
    for word, expected in names.items():
        assert tuple(type(class_loss(word, k)).__name__ for k in (2, 3)) == expected
    with pytest.raises(ValueError, match="loss='huber' is unknown; choose from"):
        MLPClassifier(loss="huber").fit(X, LABELS)


@pytest.mark.spec("NEU-045")
def test_outputs_count_as_asked():
    Y, net = X[:, :2] + 1.0, NeuralNetwork([Dense(2)], 3)
    theta = net.init(np.random.default_rng(0))
    errors = 0.5 * np.mean((net.output(theta, X) - Y) ** 2, axis=0)
    loss = SquaredLoss(half=True)
    for given, weights in ((loss, [3.0, 0.5]), ([loss, loss], [3.0, 0.5]), (loss, 2.0)):
        expected = np.broadcast_to(weights, 2) @ errors
        value, gradient = net.problem(X, Y, loss=given, output_weights=weights).value_and_gradient(theta)
        assert value == pytest.approx(expected)
        plain = net.value_and_gradient(theta, X, Y)[1]
        np.testing.assert_allclose(net.views(gradient)["dense_1"][1], net.views(plain)["dense_1"][1] * weights)
    heads = {"a": "squared_error", "b": "squared_error"}
    options = {"hidden_layer_sizes": (), "alpha": 0.0, "solver": "gd", "max_iter": 1, "random_state": 0}
    start, counted = (
        quiet(MLPRegressor(heads, output_weights=c, **options), X, {"a": Y[:, 0], "b": Y[:, 1]})
        for c in (None, {"a": 4.0})
    )
    first = quiet(MLPRegressor(heads, output_weights={"b": 0.0}, **options), X, {"a": Y[:, 0], "b": Y[:, 1]})
    assert counted.loss_ == pytest.approx(start.loss_ + 3 * first.loss_)
    with pytest.raises(ValueError, match=r"output_weights=\[-1.0, 1.0\] must be ≥ 0"):
        MLPRegressor(output_weights=[-1.0, 1.0]).fit(X, Y)
    for word in ("hinge", "squared_hinge", "perceptron", "two_term"):
        kinds = HeadTargets.of({"a": word, "b": "log_loss"}, {"a": LABELS, "b": NUMBERS > 0.0}).heads
        assert [len(head.classes) for head in kinds.values()] == [3, 2]
    targets = HeadTargets.of(heads, {"a": NUMBERS, "b": NUMBERS})
    assert targets.score({"a": NUMBERS, "b": NUMBERS}, {"a": NUMBERS, "b": 0 * NUMBERS + NUMBERS.mean()}, None) == 0.5


@pytest.mark.spec("NEU-048", "NEU-093")
def test_weights_of_classes_and_of_rows_multiply():
    s, options = RNG.uniform(0.5, 2.0, 60), {"hidden_layer_sizes": (), "alpha": 1.0, **EXACT}
    mass = np.bincount(LABELS, s)
    for given, factors in (({0: 2.0, 2: 0.5}, np.array([2.0, 1.0, 0.5])), ("balanced", s.sum() / (3 * mass))):
        both = MLPClassifier(class_weight=given, **options).fit(X, LABELS, s)
        alone = MLPClassifier(**options).fit(X, LABELS, s * factors[LABELS])
        np.testing.assert_allclose(both.theta_, alone.theta_, atol=1e-10)
    with pytest.raises(ValueError, match="class_weight='balanced' needs all rows"):
        MLPClassifier(class_weight="balanced").partial_fit(X, LABELS, classes=[0, 1, 2])
    # Held-out rows count as those of training do, whoever holds them out.
    given = {"class_weight": {0: 9.0}, "max_iter": 3, "hidden_layer_sizes": (), "random_state": 0}
    for monitor in ("loss", "score", "accuracy"):
        held = X[:20], LABELS[:20], s[:20]
        model = quiet(MLPClassifier(monitor=monitor, **given), X, LABELS, validation_data=held)
        w = s[:20] * np.where(LABELS[:20] == 0, 9.0, 1.0)
        p = model.predict_proba(X[:20])
        right = np.average(np.argmax(p, axis=1) == LABELS[:20], weights=w)
        loss = np.average(-np.log(p[np.arange(20), LABELS[:20]]), weights=w)
        best = model.best_epoch_ - 1
        if monitor != "loss":
            assert model.validation_scores_[best] == pytest.approx(right)
        # Without the penalty, as the loss of the rows.
        assert model.validation_loss_curve_[best] == pytest.approx(loss, abs=1e-5)


@pytest.mark.spec("NEU-033")
def test_refits_know_weights_and_penalty():
    s = RNG.uniform(0.5, 2.0, 60)
    model = quiet(NetworkRegressor([Dense(5, "tanh")], max_iter=1, random_state=0), X, NUMBERS)
    A = np.tanh(X @ model.coefs_[0] + model.intercepts_[0])
    model.refit_output(X, NUMBERS, lam=0.7, sample_weight=s)
    np.testing.assert_allclose(model.predict(X), Ridge(alpha=0.7).fit(A, NUMBERS, s).predict(A), atol=1e-9)


@pytest.mark.spec("NEU-077", "NEU-078", "NEU-074", "NEU-071")
def test_solvers_and_rates_by_word():
    assert TrainingOptions(beta_1=0.5, beta_2=0.7, epsilon=0.1).rule == Adam(0.5, 0.7, 0.1)
    for nesterov in (True, False):
        assert TrainingOptions(solver="sgd", nesterovs_momentum=nesterov).rule.nesterov == nesterov
    given = {"solver": "sgd", "learning_rate_init": 0.3}
    for word, schedule in (
        ("constant", ConstantRate(0.3)), ("power", Power(0.3, 0.8)), ("invscaling", Power(0.3, 0.8)),
        ("inv_t0", InverseT0(0.3)),
    ):  # fmt: skip
        assert TrainingOptions(learning_rate=word, power_t=0.8, **given).schedule == schedule
    # An exponent of zero is a constant rate, as in scikit-learn.
    assert TrainingOptions(learning_rate="invscaling", power_t=0, **given).schedule == ConstantRate(0.3)
    drops = TrainingOptions(learning_rate="plateau", **given).drops
    assert (drops.factor, drops.times) == (0.1, 2)
    # So are a momentum of one, which forgets nothing, and a share of zero that nobody asks for.
    options = {"hidden_layer_sizes": (), "solver": "sgd", "learning_rate_init": 1e-4, "max_iter": 2, "random_state": 0}
    for given in ({"momentum": 1}, {"validation_fraction": 0}):
        assert np.all(np.isfinite(quiet(MLPRegressor(**given, **options), X, NUMBERS).theta_))
    with pytest.raises(ValueError, match="validation_fraction=0 must be"):
        MLPRegressor(early_stopping=True, validation_fraction=0).fit(X, NUMBERS)


@pytest.mark.spec("NEU-073")
def test_variants_of_rprop_by_definition():
    path = np.array([1.0, 1.0, -1.0, -1.0, 1.0])
    moves = {
        # Steps of .1 and .12; where the sign changes the last one is taken back, and the next compares nothing.
        "rprop+": [-0.1, -0.12, 0.12, 0.06, -0.06],
        "irprop-": [-0.1, -0.12, 0.0, 0.06, 0.0],
        "rprop": [-0.1, -0.125, 0.0875, 0.109375, -0.0765625],
    }
    for variant, expected in moves.items():
        rule, theta, found = Rprop(variant, start=0.1, largest=50.0), np.zeros(1), []
        memory = rule.memory(theta)
        for t, slope in enumerate(path, 1):
            before = theta[0]
            rule.step(theta, np.array([slope]), memory, rate=1.0, momentum=0.0, t=t)
            found.append(theta[0] - before)
        np.testing.assert_allclose(found, expected, atol=1e-15)


@pytest.mark.spec("NEU-073")
def test_rprop_takes_a_tenth_of_the_rows_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        MLPRegressor(hidden_layer_sizes=(3,), solver="rprop", batch_size=6, max_iter=1, random_state=0).fit(X, NUMBERS)
        with pytest.raises(UserWarning, match="give larger batches"):
            MLPRegressor(hidden_layer_sizes=(3,), solver="rprop", batch_size=5, max_iter=1).fit(X, NUMBERS)


@pytest.mark.spec("NEU-075", "NEU-076")
def test_descents_are_the_ones_that_are_asked_for():
    with pytest.raises(ValueError, match="is for at most 2000; the network has 2501, choose 'lbfgs'"):
        MLPRegressor(hidden_layer_sizes=(500,), solver="bfgs").fit(X, NUMBERS)
    options = {"hidden_layer_sizes": (4,), "activation": "tanh", "max_iter": 4, "random_state": 0}
    names = [{"solver": word} for word in ("lbfgs", "bfgs", "cg")]
    names += [{"solver": "newton", "curvature": word} for word in ("gauss_newton", "hessian")]
    ends = [quiet(MLPRegressor(**options, **given), X, NUMBERS).theta_ for given in names]
    assert all(np.abs(a - b).max() > 1e-6 for i, a in enumerate(ends) for b in ends[:i])


@pytest.mark.spec("NEU-081", "NEU-083")
def test_gradients_and_saturation_are_looked_at():
    options = {"hidden_layer_sizes": (4,), "solver": "gd", "learning_rate_init": 0.1, "tol": 0.0, "random_state": 0}
    model = MLPRegressor(tol_grad=0.3, max_iter=500, **options).fit(X, NUMBERS)
    assert (model.stop_reason_, model.converged_) == ("tol", True)
    assert model.history_["gradient_norm"][-1] <= 0.3 < np.min(model.history_["gradient_norm"][1:-1])
    with pytest.raises(ValueError, match=r"tol_grad=0\.3 needs full batches"):
        MLPRegressor(tol_grad=0.3, batch_size=10).fit(X, NUMBERS)
    wide = 20.0 * X
    given = {"activation": "sigmoid", "track_objective": True, "max_iter": 2}
    model = quiet(MLPRegressor(**options, **given), wide, NUMBERS)
    np.testing.assert_allclose(model.history_["full_objective"][-1], model.objective_)
    p = 1.0 / (1.0 + np.exp(-(wide @ model.coefs_[0] + model.intercepts_[0])))
    assert 0.1 < model.history_["saturation"][-1, 0] < 1.0
    assert model.history_["saturation"][-1, 0] == pytest.approx(np.mean(p * (1 - p) < 0.05 * 0.25))


@pytest.mark.spec("NEU-067", "NEU-093")
def test_the_start_with_the_best_score_is_kept():
    options = {"hidden_layer_sizes": (2,), "max_iter": 30, "learning_rate_init": 0.05, "random_state": 1}
    held = X[:20], NUMBERS[:20]
    model = quiet(MLPRegressor(n_restarts=5, **options), X[20:], NUMBERS[20:], validation_data=held)
    assert np.ptp(model.restarts_) > 0.0
    assert model.restarts_.max() == model.best_validation_score_ == pytest.approx(model.score(*held))


@pytest.mark.spec("NEU-092", "NEU-113")
def test_norms_of_filters_are_bounded():
    layers = [Conv2D(3, 2, activation="relu", max_norm=0.2), Dense(4, "relu")]
    options = {"engine": "numpy", "max_iter": 3, "learning_rate_init": 0.1, "random_state": 0, "standardize": False}
    model = quiet(NetworkRegressor(layers, (2, 3, 3), **options), RNG.normal(size=(60, 18)), NUMBERS)
    norms = np.sqrt(np.sum(model.coefs_[0] ** 2, axis=(1, 2, 3)))
    assert norms.shape == (3,)
    np.testing.assert_allclose(norms, 0.2, rtol=1e-12)


@pytest.mark.spec("NEU-093")
def test_an_improvement_is_more_than_tol():
    ticks = iter(range(100))
    options = TrainingOptions(n_iter_no_change=2, tol=1.0, max_iter=50, random_state=0)
    held = HeldOut(lambda theta: float(next(ticks)), lambda theta: 0.0)
    net = NeuralNetwork([Dense(1)], 3)
    found = fit_network(net, X, NUMBERS[:, None], None, loss=SquaredLoss(), options=options, held=held)
    # Scores 0, 1, 2, 3: each is larger by tol, none by more.
    assert (found.solution.n_iter, found.restarts[0]) == (4, 3.0)


@pytest.mark.spec("NEU-094", "NEU-096")
def test_units_are_dropped_where_it_is_said(monkeypatch):
    options = {"hidden_layer_sizes": (6, 4), "max_iter": 2, "random_state": 0}
    model = quiet(MLPClassifier(keep_input=0.9, keep_hidden=0.6, **options), X, LABELS)
    kinds = [layer.kept if isinstance(layer, Dropout) else layer.units for layer in model.network_.layers]
    assert kinds == [0.9, 6, 0.6, 4, 0.6, 3]
    assert Dropout(drop=0.2).kept == pytest.approx(0.8)
    # All rows are given to the same sub-networks, in whatever blocks they are predicted.
    whole = model.predict_sampled(X, 3, random_state=0)
    monkeypatch.setattr(_estimator, "SHORTEST", 7)
    monkeypatch.setattr(_estimator, "NUMBERS", 1)
    np.testing.assert_allclose(model.predict_sampled(X, 3, random_state=0), whole, atol=1e-12)


@pytest.mark.spec("NEU-130", "NEU-131", "NEU-133")
def test_parts_of_an_autoencoder():
    options = {"max_iter": 2, "random_state": 0}
    own = quiet(Autoencoder(2, (5, 4), "relu", code_activation="identity", **options), X)
    assert [layer.units for layer in own.network_.layers] == [5, 4, 2, 4, 5, 3]
    assert own.transform(X).min() < 0.0
    same = quiet(Autoencoder(2, (5,), "relu", **options), X)
    assert same.transform(X).min() >= 0.0
    # Weights are repetitions for the exact solution too, and components have the signs of scikit-learn's PCA.
    s = RNG.integers(0, 3, 60)
    linear = {"activation": "identity", "solver": "svd"}
    weighted, repeated = (
        Autoencoder(2, **linear).fit(X, sample_weight=s),
        Autoencoder(2, **linear).fit(X.repeat(s, axis=0)),
    )
    np.testing.assert_allclose(weighted.transform(X), repeated.transform(X), atol=1e-12)
    assert weighted.objective_ == pytest.approx(repeated.objective_)
    W = (
        Autoencoder(3, **linear)
        .fit(X)
        .encoder_.network.views(Autoencoder(3, **linear).fit(X).encoder_.theta)["encoder_1"][0]
    )
    assert np.all(W[np.argmax(np.abs(W), axis=0), np.arange(3)] > 0.0)
    huber = quiet(Autoencoder(1, loss="huber", **options), X)
    value = HuberLoss().value(X, huber.reconstruct(X)).sum(axis=1).mean()
    assert huber.objective_ == pytest.approx(value)
    assert own.reconstruction_error(X, reduction="mean") == pytest.approx(own.reconstruction_error(X) / 60)


@pytest.mark.spec("NEU-112")
def test_changes_of_scores_are_means():
    model = quiet(MLPRegressor(hidden_layer_sizes=(), solver="lbfgs", random_state=0), X, NUMBERS)
    moves = RNG.normal(size=X.shape)
    found = invariance_report(model, X, lambda c: lambda rows, y, rng: (rows + c * moves, y), [0, 2], method="predict")
    change = np.mean(np.abs(2.0 * moves @ model.coefs_[0]))
    np.testing.assert_allclose(found.score_change, [0.0, change], atol=1e-12)
    assert found.unchanged.tolist() == [1.0, 0.0]


@pytest.mark.spec("NEU-135")
def test_every_hidden_layer_is_pretrained():
    net = NeuralNetwork([Dense(4, "tanh"), Dense(3, "tanh"), Dense(1)], 3)
    start, learned = net.init(np.random.default_rng(0)), pretrain(net, X, random_state=0)
    kept = [np.array_equal(net.views(start)[name][0], net.views(learned)[name][0]) for name in net.shapes]
    assert kept == [False, False, True]
    for wrong in ({"noise": -1.0}, {"max_iter": 0}, {"learning_rate_init": 0.0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            pretrain(net, X, **wrong)
    with pytest.raises(ValueError, match="X contains NaN"):
        pretrain(net, np.full((3, 3), np.nan))


@pytest.mark.spec("NEU-001")
def test_parameters_are_spread_over_both_kinds():
    for mlp, layered in ((MLPClassifier, NetworkClassifier), (MLPRegressor, NetworkRegressor)):
        ours, theirs = (set(inspect.signature(cls).parameters) for cls in (mlp, layered))
        assert ours - theirs == {"hidden_layer_sizes", "activation", "init", "keep_hidden", "keep_input"}
        assert theirs - ours == {"layers", "input_shape", "module", "device", "masks"}
