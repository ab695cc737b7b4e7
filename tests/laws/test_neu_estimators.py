"""Laws of the estimators of networks: special cases, weights, stopping, penalties, starts, several outputs."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_circles, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

from gnomon.linear import LogisticRegression, Ridge
from gnomon.losses import SoftmaxLoss, SquaredLoss, TwoTermCrossEntropy
from gnomon.neural import (
    MLPClassifier,
    MLPRegressor,
    NetworkClassifier,
    NetworkRegressor,
    NeuralNetwork,
    SymmetryWarning,
    _estimator,
    dropout_preset,
)
from gnomon.neural._scaling import Scaling
from gnomon.neural.layers import ConstantInit, Dense, LeakyReLU, Maxout
from gnomon.optim import DivergenceWarning, RateDrops, Rprop
from gnomon.optim.schedules import InverseT0, Ramp

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
LABELS = np.digitize(X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.3 * RNG.normal(size=80), [0.0, 0.8])
NUMBERS = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * RNG.normal(size=80)
XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])
EXACT = {"solver": "lbfgs", "tol": 1e-8, "max_iter": 5000, "random_state": 0}


def quiet(model, *args, **kwargs):
    """A fit whose end by `max_iter` is meant."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*args, **kwargs)


@pytest.mark.spec("NEU-L04", "NEU-032", "NEU-090", "NEU-030")
def test_one_layer_is_a_linear_model():
    ridge = Ridge(alpha=2.0).fit(X, NUMBERS)
    line = MLPRegressor(hidden_layer_sizes=(), alpha=2.0, **EXACT).fit(X, NUMBERS)
    np.testing.assert_allclose(line.predict(X), ridge.predict(X), atol=1e-6)
    for y in (LABELS, (LABELS > 0).astype(int)):
        theirs = LogisticRegression(C=0.5, tol=1e-10).fit(X, y).predict_proba(X)
        ours = MLPClassifier((), alpha=2.0, **EXACT).fit(X, y)
        np.testing.assert_allclose(ours.predict_proba(X), theirs, atol=1e-6)
        assert (ours.depth_, ours.n_layers_) == (1, 2)
    deep = MLPRegressor(hidden_layer_sizes=(4,), activation="identity", alpha=0.0, **EXACT).fit(X, NUMBERS)
    np.testing.assert_allclose(deep.predict(X), Ridge(alpha=0.0).fit(X, NUMBERS).predict(X), atol=1e-4)


@pytest.mark.spec("NEU-L06", "NEU-048", "NEU-G40")
def test_weights_are_repetitions_and_class_weights_are_weights():
    s = RNG.integers(0, 3, size=80).astype(float)
    options = {"hidden_layer_sizes": (3,), "activation": "tanh", "alpha": 1.0, **EXACT}
    weighted = MLPClassifier(**options).fit(X, LABELS, sample_weight=s).predict_proba(X)
    repeated = MLPClassifier(**options).fit(np.repeat(X, s.astype(int), axis=0), np.repeat(LABELS, s.astype(int)))
    np.testing.assert_allclose(weighted, repeated.predict_proba(X), atol=1e-5)
    balanced = MLPClassifier(class_weight="balanced", **options).fit(X, LABELS)
    counts = len(LABELS) / (3 * np.bincount(LABELS))
    by_rows = MLPClassifier(**options).fit(X, LABELS, sample_weight=counts[LABELS])
    np.testing.assert_allclose(balanced.theta_, by_rows.theta_)
    given = MLPClassifier(class_weight=dict(enumerate(counts)), **options).fit(X, LABELS)
    np.testing.assert_allclose(given.theta_, by_rows.theta_)
    four = MLPClassifier((), class_weight="balanced", **EXACT)
    np.testing.assert_allclose(
        four._class_factors(np.array([0, 0, 0, 1]), four._targets_of(np.array([0, 1])), None), [2 / 3, 2]
    )


@pytest.mark.spec("NEU-L07", "NEU-043")
def test_losses_of_rows_do_not_see_a_common_constant():
    Z, y = RNG.normal(size=(20, 4)), RNG.integers(0, 4, size=20)
    for loss in (SoftmaxLoss(), TwoTermCrossEntropy()):
        np.testing.assert_allclose(loss.value(y, Z + 7.0), loss.value(y, Z), atol=1e-10)
        np.testing.assert_allclose(loss.gradient(y, Z).sum(axis=1), 0.0, atol=1e-12)
        extreme = 1e4 * np.sign(Z)
        assert np.all(np.isfinite(loss.value(y, extreme)))
        assert np.all(np.isfinite(loss.gradient(y, extreme)))
    pair, two = Z[:, :2], y % 2
    np.testing.assert_allclose(TwoTermCrossEntropy().value(two, pair), 2 * SoftmaxLoss().value(two, pair), rtol=1e-10)
    model = quiet(MLPClassifier((6,), loss="two_term", solver="lbfgs", random_state=0), X, LABELS)
    assert model.score(X, LABELS) > 0.8
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.spec("NEU-L08")
def test_the_exclusive_or():
    assert max(MLPClassifier((), solver="lbfgs", random_state=k).fit(*XOR).score(*XOR) for k in range(5)) <= 0.75

    def successes(width):
        fits = (
            quiet(MLPClassifier((width,), "tanh", solver="lbfgs", alpha=1e-6, random_state=seed), *XOR)
            for seed in range(40)
        )
        return np.mean([model.score(*XOR) == 1.0 for model in fits])

    shares = [successes(width) for width in (1, 2, 4, 8)]
    np.testing.assert_allclose(shares, [0.0, 0.5, 0.97, 1.0], atol=0.15)
    assert np.all(np.diff(shares) >= 0.0)


@pytest.mark.spec("NEU-L09")
def test_rings():
    rings = make_circles(400, factor=0.5, noise=0.08, random_state=0)
    assert LogisticRegression().fit(*rings).score(*rings) < 0.6
    assert (
        quiet(MLPClassifier((4,), "tanh", solver="lbfgs", n_restarts=3, random_state=0), *rings).score(*rings) >= 0.99
    )


@pytest.mark.spec("NEU-L10", "NEU-067")
def test_starts_reach_different_minima():
    model = quiet(MLPRegressor(hidden_layer_sizes=(2,), activation="tanh", n_restarts=6, **EXACT), X, NUMBERS)
    assert np.ptp(model.restarts_) > 1e-4
    assert model.objective_ == np.min(model.restarts_)


@pytest.mark.spec("NEU-L11")
def test_a_further_unit_cannot_be_worse_and_many_fit_noise():
    options = {"activation": "tanh", "alpha": 0.0, "solver": "lbfgs", "max_iter": 300, "random_state": 0}
    small = quiet(MLPRegressor(hidden_layer_sizes=(2,), **options), X, NUMBERS)
    W, b = small.coefs_, small.intercepts_
    wider = [np.column_stack([W[0], RNG.normal(size=3)]), np.vstack([W[1], np.zeros((1, 1))])]
    grown = MLPRegressor(hidden_layer_sizes=(3,), **options | {"max_iter": 1})
    quiet(grown, X, NUMBERS)
    grown.coefs_, grown.intercepts_ = wider, [np.append(b[0], 0.3), b[1]]
    before = grown.network_.value_and_gradient(grown.theta_, X, NUMBERS[:, None], loss=SquaredLoss(half=True))[0]
    np.testing.assert_allclose(before, small.objective_, rtol=1e-9)
    # Three iterations from a fresh start would not get there.
    assert quiet(grown.set_params(warm_start=True, max_iter=3), X, NUMBERS).objective_ <= before
    noise = RNG.integers(0, 2, size=40)
    big = quiet(MLPClassifier((40,), "tanh", alpha=0.0, solver="lbfgs", random_state=0), X[:40], noise)
    assert big.score(X[:40], noise) == 1.0


@pytest.mark.spec("NEU-L19", "NEU-093")
def test_early_stopping_returns_the_best_epoch_of_rows_it_never_trained_on():
    more = RNG.normal(size=(40, 3))
    held = more, np.digitize(more[:, 0], [0.0, 0.8])
    options = {"hidden_layer_sizes": (8,), "learning_rate_init": 0.01, "max_iter": 300, "random_state": 0}
    model = MLPClassifier(n_iter_no_change=3, **options).fit(X, LABELS, validation_data=held)
    assert model.stop_reason_ == "validation"
    assert model.score(*held) == max(model.validation_scores_) == model.best_validation_score_
    assert model.validation_scores_[model.best_epoch_ - 1] == model.best_validation_score_
    assert len(model.validation_loss_curve_) == model.n_iter_
    # Other held-out rows, the same path: nothing of them is in a gradient.
    other = quiet(MLPClassifier(n_iter_no_change=300, **options), X, LABELS, validation_data=(held[0], held[1][::-1]))
    np.testing.assert_array_equal(other.loss_curve_[: model.n_iter_], model.loss_curve_)
    split = MLPClassifier(early_stopping=True, validation_fraction=0.2, monitor="neg_log_loss", **options)
    assert quiet(split, X, LABELS).t_ == 64 * split.n_iter_
    assert split.best_validation_score_ == max(split.validation_scores_)
    assert quiet(split.set_params(monitor="loss"), X, LABELS).validation_scores_[0] < 0.0


@pytest.mark.spec("NEU-L20", "NEU-091", "NEU-092")
def test_norms_are_bounded_and_l1_gives_zeros():
    options = {"hidden_layer_sizes": (10,), "learning_rate_init": 0.05, "max_iter": 60, "random_state": 0}
    bounded = quiet(MLPClassifier(max_norm=0.5, **options), X, LABELS)
    assert all(np.all(np.linalg.norm(W, axis=0) <= 0.5 + 1e-12) for W in bounded.coefs_)
    whole = quiet(MLPClassifier(max_norm=0.5, penalize_intercept=True, **options), X, LABELS)
    norms = [np.linalg.norm(np.vstack([W, b]), axis=0) for W, b in zip(whole.coefs_, whole.intercepts_, strict=True)]
    assert max(map(np.max, norms)) <= 0.5 + 1e-12
    assert np.linalg.norm(np.vstack([bounded.coefs_[0], bounded.intercepts_[0]]), axis=0).max() > 0.5 + 1e-6
    thin = quiet(MLPClassifier(l1=10.0, solver="sgd", **options), X, LABELS)
    assert np.mean(thin.coefs_[0] == 0.0) > 0.2
    own = [Dense(10, "relu", l1=10.0), Dense(3, l1=0.0, output=True)]
    layered = quiet(
        NetworkClassifier(own, solver="sgd", learning_rate_init=0.05, max_iter=60, random_state=0), X, LABELS
    )
    assert np.mean(layered.coefs_[0] == 0.0) > 0.2
    assert np.all(layered.coefs_[1] != 0.0)


@pytest.mark.slow
@pytest.mark.spec("NEU-L26", "NEU-090", "NEU-094")
def test_regularisers_lower_the_loss_of_new_rows():
    def test_loss(seed, **options):
        X, y = make_classification(1150, 10, n_informative=4, flip_y=0.2, random_state=seed)
        held_out = X[150:], y[150:]
        model = MLPClassifier((100,), learning_rate_init=0.01, random_state=seed, tol=0.0, max_iter=300, **options)
        p = quiet(model, X[:150], y[:150]).predict_proba(held_out[0])
        return -np.mean(np.log(np.maximum(p[np.arange(1000), held_out[1]], 1e-12)))

    plain = np.median([test_loss(seed) for seed in range(6)])
    for options in ({"early_stopping": True, "monitor": "loss"}, {"alpha": 20.0}, {"keep_hidden": 0.5}):
        assert np.median([test_loss(seed, **options) for seed in range(6)]) < plain


@pytest.mark.spec("NEU-L35", "NEU-070", "NEU-007")
def test_seeds_and_partial_fits():
    options = {"hidden_layer_sizes": (6,), "shuffle": False, "random_state": 3, "tol": 0.0}
    whole = quiet(MLPClassifier(max_iter=5, **options), X, LABELS)
    again = quiet(MLPClassifier(max_iter=5, **options), X, LABELS)
    np.testing.assert_array_equal(whole.theta_, again.theta_)
    parts = MLPClassifier(**options)
    for _ in range(5):
        parts.partial_fit(X, LABELS, classes=[0, 1, 2])
    np.testing.assert_array_equal(parts.theta_, whole.theta_)
    np.testing.assert_allclose(parts.loss_curve_, whole.loss_curve_)
    single = quiet(MLPClassifier(max_iter=3, **options), X.astype(np.float32), LABELS)
    assert single.theta_.dtype == single.predict_proba(X.astype(np.float32)).dtype == np.float32
    csr = quiet(MLPClassifier(max_iter=5, **options), sparse.csr_array(X), LABELS)
    np.testing.assert_allclose(csr.theta_, whole.theta_, atol=1e-12)


@pytest.mark.slow
@pytest.mark.spec("NEU-L36")
def test_a_sine_with_and_without_noise():
    from sklearn.svm import SVR

    grid = np.linspace(-1.0, 1.0, 200)

    def error(sizes, sigma, seed):
        rng = np.random.default_rng(seed)
        x = rng.uniform(-1.0, 1.0, 60)
        y = np.sin(2 * np.pi * x) + sigma * rng.normal(size=60)
        options = {"activation": "tanh", "solver": "lbfgs", "alpha": 1e-6, "tol": 1e-6, "max_iter": 2000}
        net = MLPRegressor(hidden_layer_sizes=sizes or (1,), random_state=seed, **options)
        model = SVR(gamma=5.0, C=100.0, epsilon=0.01) if sizes is None else net
        found = quiet(model, x[:, None], y)
        noise = np.mean((found.predict(x[:, None]) - y) ** 2)
        return np.mean((found.predict(grid[:, None]) - np.sin(2 * np.pi * grid)) ** 2), noise

    def median(sizes, sigma):
        return np.median([error(sizes, sigma, seed) for seed in range(8)], axis=0)

    clean = {sizes: median(sizes, 0.0)[0] for sizes in ((1,), (50,), (50, 50), None)}
    assert clean[1,] > 0.1 > clean[None] > clean[50,]
    assert clean[50,] < 1e-3
    assert clean[50, 50] < 1e-3
    noisy = {sizes: median(sizes, 0.5) for sizes in ((50,), (50, 50), None)}
    assert noisy[50, 50][0] > noisy[50,][0] > noisy[None][0]
    assert noisy[50, 50][1] < 0.4 * 0.5**2


@pytest.mark.spec("NEU-033")
def test_frozen_layers_and_the_output_by_least_squares():
    frozen = quiet(NetworkRegressor([Dense(20, "tanh", trainable=False)], max_iter=20, random_state=0), X, NUMBERS)
    start = frozen.network_.views(frozen.network_.init(np.random.default_rng(0)))["dense_1"][0]
    np.testing.assert_array_equal(frozen.coefs_[0], start)
    frozen.refit_output(X, NUMBERS, lam=0.3)
    A = np.tanh(X @ frozen.coefs_[0] + frozen.intercepts_[0])
    np.testing.assert_allclose(frozen.predict(X), Ridge(alpha=0.3).fit(A, NUMBERS).predict(A), atol=1e-8)
    with pytest.raises(ValueError, match="refit_output is for squared errors"):
        quiet(MLPRegressor("absolute_error", (3,)), X, NUMBERS).refit_output(X, NUMBERS)


@pytest.mark.spec("NEU-036", "NEU-G30", "NEU-001")
def test_counts_of_parameters():
    rows = RNG.normal(size=(20, 784))
    model = quiet(MLPClassifier((256, 128), max_iter=1, random_state=0), rows, np.arange(20) % 10)
    assert (model.n_parameters_, model.architecture_, model.depth_, model.n_layers_) == (
        235146,
        "784-256-128-10",
        3,
        4,
    )
    assert "235146 parameters" in model.summary()
    maxout = quiet(NetworkClassifier([Maxout(4, pieces=3)], max_iter=1), X, LABELS)
    assert maxout.n_parameters_ == 3 * (3 + 1) * 4 + (4 + 1) * 3
    assert sum(W.size for W in model.coefs_) + sum(b.size for b in model.intercepts_) == 235146


@pytest.mark.spec("NEU-037")
def test_layers_and_widths_can_be_searched():
    options = {"hidden_layer_sizes": [(2,), (8,)], "activation": ["tanh", LeakyReLU(0.1)]}
    found = GridSearchCV(MLPClassifier(max_iter=5, tol=1.0, n_iter_no_change=0, random_state=0), options, cv=2)
    assert len(found.fit(X, LABELS).cv_results_["params"]) == 4
    lists = {"layers": [(Dense(2, "tanh"),), (Maxout(3),)]}
    other = NetworkClassifier(max_iter=5, tol=1.0, n_iter_no_change=0, random_state=0)
    assert GridSearchCV(other, lists, cv=2).fit(X, LABELS).best_estimator_.network_.layers[0] in (
        Dense(2, "tanh"),
        Maxout(3),
    )


@pytest.mark.spec("NEU-045", "NEU-040")
def test_outputs_with_losses_of_their_own():
    share = 1.0 / (1.0 + np.exp(-X[:, 0]))
    Y = np.column_stack([NUMBERS, share])
    mixed = quiet(MLPRegressor(["squared_error", "log_loss"], (10,), solver="lbfgs", random_state=0), X, Y)
    assert np.all((mixed.predict(X)[:, 1] > 0.0) & (mixed.predict(X)[:, 1] < 1.0))
    assert mixed.score(X, Y) > 0.8
    one = MLPRegressor(hidden_layer_sizes=(), alpha=0.0, output_weights=[3.0, 0.5], **EXACT).fit(X, Y)
    np.testing.assert_allclose(one.predict(X), Ridge(alpha=0.0).fit(X, Y).predict(X), atol=1e-5)
    names = np.array(["low", "middle", "high"])[LABELS]
    heads = MLPRegressor({"size": "squared_error", "kind": "log_loss"}, (10,), solver="lbfgs", random_state=0)
    quiet(heads, X, {"size": NUMBERS, "kind": names})
    found = heads.predict(X)
    assert np.mean(found["kind"] == names) > 0.8
    assert found["size"].shape == (80,)
    huber = quiet(MLPRegressor("huber", (5,), solver="lbfgs", random_state=0), X, Y)
    assert huber.predict(X).shape == (80, 2)
    rates = RNG.poisson(np.exp(0.5 * X[:, 0]))
    assert np.all(quiet(MLPRegressor("poisson", (5,), solver="lbfgs", random_state=0), X, rates).predict(X) > 0.0)
    whole = NetworkRegressor((), loss=SquaredLoss(), alpha=0.0, **EXACT).fit(X, NUMBERS)
    np.testing.assert_allclose(whole.objective_, np.mean((whole.predict(X) - NUMBERS) ** 2))


@pytest.mark.spec("NEU-044", "NEU-046", "NEU-047", "NEU-041", "NEU-042")
def test_labels_margins_and_probabilities():
    two = np.array(["no", "yes"])[(LABELS > 0).astype(int)]
    for loss in ("hinge", "squared_hinge", "perceptron"):
        for y in (two, LABELS):
            model = quiet(MLPClassifier((8,), loss=loss, max_iter=100, learning_rate_init=0.02, random_state=0), X, y)
            assert not hasattr(model, "predict_proba")
            assert model.score(X, y) > 0.7
    model = quiet(MLPClassifier((8,), solver="lbfgs", random_state=0), X, two)
    z = model.decision_function(X)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1.0 / (1.0 + np.exp(-z)))
    np.testing.assert_array_equal(model.predict(X), np.where(z > 0.0, "yes", "no"))
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    Y = np.column_stack([LABELS > 0, LABELS > 1, X[:, 2] > 0]).astype(int)
    several = quiet(MLPClassifier((10,), solver="lbfgs", random_state=0), X, Y)
    np.testing.assert_array_equal(several.predict(X), several.predict_proba(X) > 0.5)
    assert (several.out_activation_, several.n_outputs_, several.score(X, Y) > 0.8) == ("logistic", 3, True)


@pytest.mark.spec("NEU-065")
def test_starts_that_are_given():
    W = [RNG.normal(size=(3, 4)), RNG.normal(size=(4, 1))]
    given = quiet(MLPRegressor(hidden_layer_sizes=(4,), init=W, max_iter=1, learning_rate_init=1e-12), X, NUMBERS)
    np.testing.assert_allclose(given.coefs_[0], W[0], atol=1e-9)
    assert np.all(np.abs(given.intercepts_[0]) < 1e-9)
    with pytest.warns(SymmetryWarning, match="dense_1"):
        model = quiet(MLPRegressor(hidden_layer_sizes=(4,), init=ConstantInit(0.3), max_iter=5), X, NUMBERS)
    assert np.all(model.coefs_[0] == model.coefs_[0][:, :1])
    with pytest.raises(ValueError, match="init has 1 entries for 2 layers"):
        MLPRegressor(hidden_layer_sizes=(4,), init=[W[0]]).fit(X, NUMBERS)


@pytest.mark.spec("NEU-068")
def test_columns_are_scaled_inside():
    wide = X * [1e4, 1.0, 1e-4] + [1e5, 0.0, 0.0]
    s = RNG.uniform(0.5, 2.0, size=80)
    options = {"hidden_layer_sizes": (5,), "solver": "lbfgs", "max_iter": 8, "random_state": 0}
    mean = np.average(wide, axis=0, weights=s)
    sd = np.sqrt(np.average((wide - mean) ** 2, axis=0, weights=s))
    inside = quiet(MLPRegressor(standardize=True, **options), wide, NUMBERS, sample_weight=s)
    before = quiet(MLPRegressor(**options), (wide - mean) / sd, NUMBERS, sample_weight=s)
    np.testing.assert_allclose(inside.predict(wide), before.predict((wide - mean) / sd), atol=1e-6)
    with pytest.warns(UserWarning, match=r"2 of 3 columns have standard deviations outside"):
        quiet(MLPRegressor(**options), wide, NUMBERS)
    for scale in (1e-300, 1e300):
        same = quiet(MLPRegressor(standardize=True, **options), scale * X, NUMBERS)
        np.testing.assert_allclose(
            same.predict(scale * X), quiet(MLPRegressor(standardize=True, **options), X, NUMBERS).predict(X), atol=1e-6
        )
    assert Scaling.of(np.full((10_007, 1), 0.1), None).scale == 1.0
    # A column is constant though the mean of its numbers is not quite its number; no warning, and nothing is blown up.
    flat = np.column_stack([X, np.full(80, 0.1)])
    for rows in (flat, sparse.csr_array(flat)):
        plain = quiet(MLPRegressor(**options), rows, NUMBERS)
    blown = quiet(MLPRegressor(standardize=True, **options), flat, NUMBERS)
    shifted = flat + 1e-9 * (np.arange(4) == 3)
    assert plain.predict(shifted) == pytest.approx(plain.predict(flat), abs=1e-6)
    assert blown.predict(shifted) == pytest.approx(blown.predict(flat), abs=1e-6)
    with pytest.raises(ValueError, match="sparse X"):
        MLPRegressor(standardize=True).fit(sparse.csr_array(X), NUMBERS)


@pytest.mark.spec("NEU-071", "NEU-072", "NEU-073", "NEU-077", "NEU-079", "NEU-083")
def test_solvers_and_schedules_by_word_and_by_value():
    base = {"hidden_layer_sizes": (5,), "max_iter": 8, "tol": 0.0, "random_state": 0, "solver": "sgd"}

    def rates(**options):
        return quiet(MLPRegressor(**{**base, **options}), X, NUMBERS).history_["rate"][1:]

    np.testing.assert_allclose(rates(learning_rate="invscaling"), 1e-3 / np.sqrt(1.0 + 80 * np.arange(8)))
    np.testing.assert_allclose(rates(learning_rate=InverseT0(0.1, 2.0)), 0.1 / (1.0 + np.arange(8) / 2.0))
    assert rates(learning_rate="inv", learning_rate_init=0.5)[1] == 0.25
    assert np.all(rates(learning_rate="capped") == 0.1)
    for per, steps in (("update", 4), ("epoch", 1), ("row", 80)):
        found = rates(learning_rate=InverseT0(0.1, 2.0), batch_size=20, per=per)
        np.testing.assert_allclose(found, 0.1 / (1.0 + steps * np.arange(8) / 2.0))
    stalled = rates(learning_rate="adaptive", tol=10.0, n_iter_no_change=1, learning_rate_init=0.01)
    np.testing.assert_allclose(stalled[:5], [0.01, 0.01, 0.01, 0.002, 0.002])
    ramped = quiet(MLPRegressor(**base, momentum=Ramp(0.5, 0.9, 4), nesterovs_momentum=False), X, NUMBERS)
    np.testing.assert_allclose(ramped.history_["momentum"][1:6], [0.5, 0.6, 0.7, 0.8, 0.9])
    signs = quiet(MLPRegressor(**{**base, "solver": Rprop(start=0.02, largest=0.5)}), X, NUMBERS)
    assert signs.loss_curve_[-1] < signs.loss_curve_[0]
    grown = rates(adapt_ratio=(0.5, 1.0))
    np.testing.assert_allclose(grown, 1e-3 * 1.5 ** np.arange(8))
    tracked = quiet(MLPRegressor(**{**base, "activation": "tanh"}, track_objective=True), X, NUMBERS).history_
    assert {"full_objective", "saturation", "gradient_norms", "update_ratio", "seconds"} <= tracked.keys()
    assert np.all((tracked["saturation"][:, 0] >= 0.0) & (tracked["saturation"][:, 0] <= 1.0))


@pytest.mark.spec("NEU-074", "NEU-081", "NEU-082")
def test_how_trainings_end():
    calm = MLPRegressor(hidden_layer_sizes=(5,), tol=0.5, n_iter_no_change=2, random_state=0).fit(X, NUMBERS)
    assert (calm.stop_reason_, calm.converged_, calm.n_iter_) == ("no_change", True, calm.history_["iteration"][-1])
    with pytest.warns(ConvergenceWarning, match="gradient norm"):
        MLPRegressor(hidden_layer_sizes=(5,), max_iter=2, random_state=0).fit(X, NUMBERS)
    options = {"hidden_layer_sizes": (5,), "tol": 1e9, "max_iter": 30, "random_state": 0}
    with pytest.warns(ConvergenceWarning, match="after 30 iterations"):
        MLPRegressor(n_iter_no_change=np.inf, **options).fit(X, NUMBERS)
    with pytest.warns(UserWarning, match="batch_size=90 is larger than the 80 rows"):
        MLPRegressor(batch_size=90, **options).fit(X, NUMBERS)
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        short = MLPRegressor(hidden_layer_sizes=(5,), time_limit=0.0, random_state=0).fit(X, NUMBERS)
    assert short.stop_reason_ == "time"
    with pytest.warns(DivergenceWarning, match=r"update \d+, in (dense_1|output)\."):
        wild = MLPRegressor(
            hidden_layer_sizes=(5,), solver="sgd", learning_rate_init=1e3, momentum=0.0, random_state=0
        ).fit(X, NUMBERS)
    assert np.all(np.isfinite(wild.theta_))
    assert np.all(np.isfinite(wild.predict(X)))


@pytest.mark.spec("NEU-007")
def test_a_saved_model_answers_and_goes_on_alike(tmp_path):
    from gnomon.io import load, save

    for solver in ("adam", "sgd", "rprop"):
        model = quiet(MLPClassifier((5,), solver=solver, max_iter=3, tol=0.0, random_state=0), X, LABELS)
        save(model, tmp_path / "model.skops")
        again = load(tmp_path / "model.skops")
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        np.testing.assert_array_equal(again.partial_fit(X, LABELS).theta_, model.partial_fit(X, LABELS).theta_)


@pytest.mark.spec("NEU-007")
def test_an_interrupt_keeps_the_best_weights(monkeypatch):
    from gnomon.neural import _estimator

    def interrupting(options, report):
        def told(row):
            if row["iteration"] == 4:
                raise KeyboardInterrupt

        return told

    monkeypatch.setattr(_estimator, "progress", interrupting)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model = MLPRegressor(hidden_layer_sizes=(5,), random_state=0).fit(X, NUMBERS)
    assert (model.stop_reason_, model.n_iter_) == ("interrupted", 4)


@pytest.mark.spec("NEU-007", "NEU-075", "NEU-093")
@pytest.mark.parametrize("options", [{"solver": "lbfgs"}, {"solver": "newton"}, {"early_stopping": True}, {}])
def test_an_interrupt_keeps_the_best_of_every_solver(options):
    seen = []

    def noted(rows, y, rng):
        seen.append(0)
        if len(seen) == 30:
            raise KeyboardInterrupt
        return rows, y

    model = MLPRegressor(hidden_layer_sizes=(5,), batch_size=20, learning_rate_init=0.5, random_state=0, **options)
    if "solver" in options:
        calls = []

        class Slow(SquaredLoss):
            def value(self, y, z):
                calls.append(0)
                if len(calls) == 30:
                    raise KeyboardInterrupt
                return super().value(y, z)

            record = None

        model.set_params(loss=Slow(half=True), batch_size="auto", tol=1e-9)
    else:
        model.set_params(augment=noted, standardize=False)
    with pytest.warns(ConvergenceWarning, match="interrupted and the best weights were kept"):
        model.fit(X, NUMBERS)
    assert model.stop_reason_ == "interrupted"
    if options.get("early_stopping"):
        assert model.best_validation_score_ == max(model.validation_scores_)
    else:
        least = np.min(model.history_["objective"])
        loss = SquaredLoss(half=True).value(NUMBERS, model.predict(X)).mean()
        assert loss <= least * (1.0 + 1e-9) if "solver" in options else loss < model.history_["objective"][0]


@pytest.mark.spec("NEU-007")
def test_progress_names_the_epoch_and_the_loss(capfd):
    options = {"hidden_layer_sizes": (3,), "max_iter": 20, "tol": 0.0, "random_state": 0}
    model = quiet(MLPRegressor(verbose=1, **options), X, NUMBERS)
    lines = capfd.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in lines] == [f"epoch {k} of 20" for k in range(2, 21, 2)]
    assert lines[-1] == f"epoch 20 of 20: loss {model.loss_:.6g}"
    held = quiet(MLPRegressor(verbose=2, early_stopping=True, **options), X, NUMBERS)
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == held.n_iter_
    assert lines[-1].endswith(f", validation {held.validation_scores_[-1]:.4g}")
    quiet(MLPRegressor(**options), X, NUMBERS)
    assert capfd.readouterr().err == ""


@pytest.mark.spec("NEU-098")
def test_the_preset_of_dropout_trains():
    preset = {**dropout_preset(0.01), "max_iter": 60}
    model = quiet(MLPClassifier((30,), random_state=0, **preset), X, LABELS)
    assert model.score(X, LABELS) > 0.5
    assert all(np.all(np.linalg.norm(W, axis=0) <= 3.0 + 1e-9) for W in model.coefs_)


@pytest.mark.spec("NEU-096")
def test_sub_networks_of_an_estimator():
    model = quiet(MLPClassifier((20,), keep_hidden=0.5, max_iter=50, random_state=0), X, LABELS)
    mean, std = model.predict_sampled(X, 400, return_std=True, random_state=0)
    np.testing.assert_allclose(mean.sum(axis=1), 1.0)
    assert np.all(std > 0.0)
    assert np.mean(np.argmax(mean, axis=1) == model.predict(X)) > 0.8
    line = quiet(MLPRegressor(hidden_layer_sizes=(), keep_input=0.8, max_iter=20, random_state=0), X, NUMBERS)
    mean, std = line.predict_sampled(X, 4000, return_std=True, random_state=0)
    # Of a linear network the mean over masks is the average network.
    assert np.all(np.abs(mean - line.predict(X)) < 5.0 * std / np.sqrt(4000.0) + 1e-12)


@pytest.mark.spec("NEU-002", "NEU-010")
def test_lists_and_graphs_of_layers():
    images = X[:, [0, 1, 2, 0]].reshape(80, 1, 2, 2)
    flat = quiet(NetworkClassifier([Dense(4, "tanh")], (1, 2, 2), max_iter=3, random_state=0), images, LABELS)
    as_rows = quiet(NetworkClassifier([Dense(4, "tanh")], max_iter=3, random_state=0), images.reshape(80, 4), LABELS)
    np.testing.assert_array_equal(flat.predict_proba(images), as_rows.predict_proba(images.reshape(80, 4)))
    own = NetworkClassifier([Dense(4, "tanh"), Dense(2, output=True)], max_iter=3)
    with pytest.raises(ValueError, match="width 2 and y needs 3"):
        own.fit(X, LABELS)
    per_layer = [Dense(4, "tanh", l2=50.0, bias=False), Dense(3, "relu", max_norm=0.2)]
    model = quiet(NetworkRegressor(per_layer, max_iter=30, random_state=0), X, NUMBERS)
    assert len(model.intercepts_) == 2
    assert np.all(np.linalg.norm(model.coefs_[1], axis=0) <= 0.2 + 1e-12)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"activation": "swoosh"}, "activation"),
        ({"activation": "step"}, "derivative 0"),
        ({"loss": "squared"}, "loss"),
        ({"solver": "lbfgs", "keep_hidden": 0.5}, "solver"),
        ({"keep_hidden": 0.0}, "keep_hidden"),
        ({"learning_rate_init": 0.0}, "learning_rate_init"),
        ({"hidden_layer_sizes": (3, 0)}, "hidden_layer_sizes"),
        ({"early_stopping": True, "validation_fraction": 0.01}, "validation"),
        ({"checkpoint": "x.npz", "n_restarts": 2}, "checkpoint"),
        ({"class_weight": {7: 2.0}}, "class_weight"),
        ({"objective": "most"}, "objective"),
        ({"solver": "lbfgs", "per": "epoch"}, "per"),
        ({"solver": "rprop", "per": "epoch"}, "per"),
        ({"learning_rate": RateDrops(), "solver": "adam", "monitor": "nothing"}, "monitor"),
        ({"adapt_ratio": (0.1, 0.01)}, r"adapt_ratio=\(0.1, 0.01\) must be \(low, high\)"),
        ({"adapt_ratio": "normalise"}, "adapt_ratio='normalise' cannot be used by Adam"),
        ({"output_weights": [1.0, 2.0, 3.0]}, "output_weights=.* one of whole rows"),
        ({"output_weights": [1.0, np.nan, 3.0]}, "output_weights"),
        ({"solver": "newton", "loss": "two_term"}, "solver='newton' needs the curvature of the loss: TwoTerm"),
        ({"n_iter_no_change": -1}, "n_iter_no_change=-1 must be a whole number ≥ 0 or a number = inf"),
        ({"pretrain": "rbm"}, "pretraining by 'rbm' needs sigmoid layers"),
    ],
)
def test_what_is_wrong_is_refused_by_name(options, word):
    with pytest.raises(ValueError, match=word):
        MLPClassifier(**{"hidden_layer_sizes": (3,), **options}).fit(X, LABELS)


def test_what_is_wrong_with_layers_and_rows_is_named():
    cases = [
        (lambda: NetworkClassifier(["relu"]).fit(X, LABELS), "layers must be a list of gnomon.* and has 'relu'"),
        (lambda: NeuralNetwork([Dense(3, l2=-1.0)], 3), r"l2=-1.0 of Dense\(.* must be ≥ 0 and finite"),
        (lambda: NeuralNetwork([Dense(3, max_norm=0.0)], 3), r"max_norm=0.0 of Dense\(.* must be > 0"),
        (lambda: NetworkClassifier(input_shape=(1, 2, 2)).fit(X, LABELS), "4 numbers and X 3 columns; give the shape"),
        (lambda: MLPClassifier().fit(X, LABELS, validation_data=(X,)), r"validation_data must be \(X, y\) or"),
        (lambda: MLPClassifier().fit(X, LABELS, validation_data=X), "validation_data must be .*, not ndarray"),
        (lambda: MLPRegressor(output_weights=[1.0, 2.0]).fit(X, NUMBERS), r"output_weights=\[1.0, 2.0\] has 2 numbers"),
        (lambda: LeakyReLU(np.nan), "a=nan must be real"),
    ]  # fmt: skip
    for call, words in cases:
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(AttributeError) as refused:
        _ = MLPClassifier(loss="hinge").predict_proba
    assert "loss='hinge' gives scores without probabilities; choose 'log_loss'" in str(refused.value.__cause__)


@pytest.mark.spec("NEU-001")
def test_a_warm_start_takes_the_parameters_of_now():
    options = {"hidden_layer_sizes": (3,), "max_iter": 2, "warm_start": True, "random_state": 0}
    model = quiet(MLPClassifier(**options), X, LABELS)
    same = model.network_
    assert quiet(model, X, LABELS).network_ is same
    quiet(model.set_params(keep_hidden=0.5), X, LABELS)
    assert [type(layer).__name__ for layer in model.network_.layers] == ["Dense", "Dropout", "Dense"]
    with pytest.raises(ValueError, match="goes on with the layers 3-3-3 and the parameters ask for 3-5-3; give those"):
        model.set_params(hidden_layer_sizes=(5,)).fit(X, LABELS)


def test_one_class_and_new_classes_are_refused():
    with pytest.raises(ValueError, match="one class"):
        MLPClassifier().fit(X, np.zeros(80))
    model = MLPClassifier((3,)).partial_fit(X, LABELS, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="none of the classes"):
        model.partial_fit(X, LABELS + 1)
    with pytest.raises(AttributeError, match="partial_fit"):
        MLPClassifier(solver="lbfgs").partial_fit(X, LABELS, classes=[0, 1, 2])


@pytest.mark.spec("NEU-047")
def test_wide_layers_are_predicted_in_blocks_of_rows(monkeypatch):
    model = quiet(NetworkRegressor([Dense(64, "tanh")], max_iter=1, standardize=False, random_state=0), X, NUMBERS)
    rows, sizes, plain = np.tile(X, (8, 1)), [], NeuralNetwork.output

    def output(self, theta, inputs, **more):
        sizes.append(len(inputs))
        return plain(self, theta, inputs, **more)

    whole = model.predict(rows)
    monkeypatch.setattr(_estimator, "NUMBERS", 64 * 300)
    monkeypatch.setattr(NeuralNetwork, "output", output)
    np.testing.assert_allclose(model.predict(rows), whole, rtol=1e-12)
    assert sizes == [300, 300, 40]
