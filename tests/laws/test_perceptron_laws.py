"""Laws of the perceptron family: Novikoff's bound, the span of the rows, costs, pockets, averages, margins."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedShuffleSplit

from gnomon.linear import (
    AveragedPerceptron,
    LinearSVM,
    Perceptron,
    VotedPerceptron,
    distance,
    margin,
    mistake_bound,
    update_gain,
    widest_margin,
)
from gnomon.losses import PerceptronLoss
from gnomon.numerics.design import Design
from gnomon.optim import Problem, is_separable, perceptron, sgd
from gnomon.optim._perceptron import Patience
from gnomon.penalties import NoPenalty

TEXTBOOK = {"tol": None, "fit_intercept": False, "max_iter": 100_000}
XOR = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]), np.array([-1, 1, 1, -1])


def separable(seed, n=12, d=3, gap=0.2):
    """Rows that a random direction separates with some margin."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=d)
    u /= np.linalg.norm(u)
    X = rng.normal(size=(n, d))
    y = np.where(X @ u > 0.0, 1.0, -1.0)
    return X + gap * y[:, None] * u, y, u


def overlapping(seed, n=60, d=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X @ np.ones(d) + 1.5 * rng.normal(size=n) > 0.0, 1, -1)


@pytest.mark.spec("LIN-L27", "LIN-108", "LIN-100")
def test_novikoff_on_300_random_sets():
    for seed in range(300):
        X, y, u = separable(seed)
        run = perceptron(Design(X, "none"), y, np.ones(len(y)), np.zeros((1, 3)), keep_log=True, max_iter=10_000)
        assert run.stop_reason == "perfect"
        assert run.details["n_updates"] <= mistake_bound(X, y) <= mistake_bound(X, y, u) + 1e-9
        rows = run.details["log"][:, 1]
        w = np.cumsum(y[rows, None] * X[rows], axis=0)
        k, gamma, radius = np.arange(1, len(rows) + 1), np.min(margin(X, y, u)), np.max(update_gain(X))
        assert np.all(w @ u >= k * gamma - 1e-9)
        assert np.all(np.sum(w**2, axis=1) <= k * radius + 1e-9)
        np.testing.assert_allclose(run.w[0], w[-1], atol=1e-9)


@pytest.mark.spec("LIN-L27", "LIN-L31", "LIN-100")
@pytest.mark.parametrize("selection", ["cyclic", "shuffle", "random", "first_misclassified", "random_misclassified"])
@pytest.mark.parametrize("mode", ["online", "batch"])
def test_weights_are_counted_mistakes_and_the_rate_only_rescales(selection, mode):
    X, y, _ = separable(5, n=30)
    one, half = (Perceptron(**TEXTBOOK, selection=selection, mode=mode, eta0=eta).fit(X, y) for eta in (1.0, 0.25))
    assert one.converged_
    assert np.all(margin(X, y, one.coef_[0]) > 0.0)
    np.testing.assert_allclose(one.coef_[0], X.T @ (one.mistake_counts_ * y), atol=1e-10)
    np.testing.assert_allclose(half.coef_, 0.25 * one.coef_, atol=1e-12)
    assert one.n_updates_ == np.sum(one.mistake_counts_)


@pytest.mark.spec("LIN-L27", "LIN-108")
@pytest.mark.parametrize("selection", ["shuffle", "random", "random_misclassified"])
def test_the_solver_draws_whatever_stands_for_the_generator(selection):
    X, y, _ = separable(3, n=200)

    def log(selection, random_state):
        design, start = Design(X, intercept="none"), np.zeros((1, 3))
        words = {"selection": selection, "random_state": random_state, "max_iter": 1, "keep_log": True}
        return perceptron(design, y, np.ones(len(y)), start, **words).details["log"]

    assert log(selection, 7).tolist() == log(selection, np.random.RandomState(7)).tolist()
    others = [log("cyclic", None).tolist(), log("first_misclassified", None).tolist()]
    assert log(selection, None).tolist() not in others


def test_one_update_raises_the_margin_of_its_example():
    X, y, _ = separable(1)
    start = np.array([[0.1, -0.4, 0.2]])
    start *= -y[4] * np.sign(X[4] @ start[0])
    for eta in (1.0, 0.3):
        options = {"eta": eta, "selection": iter([np.array([4])]), "max_iter": 1}
        after = perceptron(Design(X, "none"), y, np.ones(len(y)), start, **options).w[0]
        gain = margin(X[4:5], y[4:5], after) - margin(X[4:5], y[4:5], start[0])
        assert gain[0] == pytest.approx(update_gain(X[4], eta))


@pytest.mark.spec("LIN-L28", "LIN-103")
@pytest.mark.parametrize("selection", ["cyclic", "shuffle", "random_misclassified"])
def test_overlapping_classes_do_not_converge_but_the_pocket_improves(selection):
    words = {"selection": selection, "tol": None, "fit_intercept": False, "max_iter": 30}
    with pytest.warns(ConvergenceWarning, match="pocket"):
        last = Perceptron(**words).fit(*XOR)
    assert (last.converged_, last.stop_reason_, last.n_iter_) == (False, "max_iter", 30)
    X, y = overlapping(0)
    with pytest.warns(ConvergenceWarning):
        kept = Perceptron(**words, pocket=True).fit(X, y)
    errors = kept.history_["error"]
    assert np.all(np.diff(errors) <= 0.0)
    assert np.mean(margin(X, y, kept.coef_[0]) <= 0.0) == pytest.approx(errors[-1])
    with pytest.warns(ConvergenceWarning):
        plain = Perceptron(**words).fit(X, y)
    assert kept.score(X, y) >= plain.score(X, y)


@pytest.mark.spec("LIN-103")
def test_pocket_counts_weights_and_keeps_the_earlier_of_equals():
    X, y = np.array([[1.0], [1.0], [1.0]]), np.array([1, -1, -1])
    words = {"selection": "cyclic", "tol": None, "fit_intercept": False, "max_iter": 4, "pocket": True}
    with pytest.warns(ConvergenceWarning):
        heavy = Perceptron(**words).fit(X, y, sample_weight=[5.0, 1.0, 1.0])
    assert heavy.predict([[1.0]])[0] == 1
    with pytest.warns(ConvergenceWarning):
        light = Perceptron(**words).fit(X, y)
    assert light.predict([[1.0]])[0] == -1
    # w = 0, w = 1 − 1 = 0 …: the first of the weights with two errors or fewer is kept.
    assert light.history_["error"][0] == light.history_["error"][-1]


@pytest.mark.spec("LIN-L28", "LIN-108")
def test_orders_find_different_planes_none_wider_than_the_svm():
    X, y, _ = separable(3, n=40, d=2)
    widest = widest_margin(X, y)
    hard = LinearSVM(C=1e8, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(hard.coef_[0] / np.linalg.norm(hard.coef_), widest.direction, atol=1e-6)
    assert np.min(y * distance(X, hard.coef_[0])) == pytest.approx(widest.gamma, rel=1e-6)
    models = [Perceptron(**TEXTBOOK, selection="shuffle", random_state=seed).fit(X, y) for seed in range(5)]
    planes = [model.coef_[0] / np.linalg.norm(model.coef_) for model in models]
    assert len(np.unique(np.round(planes, 6), axis=0)) > 1
    assert all(0.0 < np.min(margin(X, y, u)) <= widest.gamma + 1e-12 for u in planes)


@pytest.mark.spec("LIN-L29", "LIN-104", "LIN-105")
def test_votes_and_averages_beat_the_last_weights_on_noisy_data():
    last, averaged, voted = [], [], []
    for seed in range(30):
        (X, y), (X_new, y_new) = overlapping(seed), overlapping(seed + 1000, n=400)
        common = {"random_state": seed, "max_iter": 5}
        mean = AveragedPerceptron(**common).fit(X, y)
        averaged.append(mean.score(X_new, y_new))
        last.append(np.mean((X_new @ mean.last_coef_[0] + mean.last_intercept_[0] > 0) == (y_new > 0)))
        voted.append(VotedPerceptron(**common).fit(X, y).score(X_new, y_new))
    assert np.mean(averaged) > np.mean(last)
    assert np.mean(voted) > np.mean(last)


@pytest.mark.spec("LIN-105")
@pytest.mark.parametrize("average", ["all", "last_k", "every_n"])
def test_averages_over_visits(average):
    X, y = overlapping(2, n=20)
    window = {"all": None, "last_k": 7, "every_n": 3}[average]
    model = AveragedPerceptron(average, window=window, selection="cyclic", fit_intercept=False, max_iter=3).fit(X, y)
    w, trail = np.zeros(4), []
    for i in np.tile(np.arange(20), 3):
        if y[i] * (X[i] @ w) <= 0.0:
            w = w + y[i] * X[i]
        trail.append(w)
    kept = {"all": trail, "last_k": trail[-7:], "every_n": trail[2::3]}[average]
    np.testing.assert_allclose(model.coef_[0], np.mean(kept, axis=0), atol=1e-12)
    np.testing.assert_allclose(model.last_coef_[0], w, atol=1e-12)


@pytest.mark.spec("LIN-106", "LIN-L32")
def test_costs_change_the_slope_of_the_loss_only():
    X, y = overlapping(4)
    weights = {-1: 1.0, 1: 3.0}
    with pytest.warns(ConvergenceWarning):
        model = Perceptron(selection="cyclic", tol=None, max_iter=3, fit_intercept=False, class_weight=weights).fit(
            X, y
        )
    signs = y.astype(float)
    s = np.where(y == 1, 3.0, 1.0)
    problem = Problem(Design(X, "none"), signs, PerceptronLoss(), NoPenalty(), s)
    options = {"schedule": lambda t: 1.0, "sampling": "cyclic", "scale": "raw", "tol": None, "max_iter": 3}
    # The raw direction is n sᵢ ℓ' xᵢ: a rate of 1/n gives the perceptron's step.
    path = sgd(
        problem, np.zeros(4), **{**options, "schedule": lambda t: 1.0 / len(y)}, check_every=3 * len(y), iterates=True
    )
    np.testing.assert_allclose(model.coef_[0], path.history["iterates"][-1], atol=1e-10)
    # What is right stays free, what is wrong costs in proportion.
    z = np.linspace(-2.0, 2.0, 9)
    np.testing.assert_allclose(3.0 * PerceptronLoss().value(1.0, z), np.maximum(0.0, -3.0 * z))


@pytest.mark.spec("LIN-101")
def test_starts():
    X, y, _ = separable(8, n=30)
    u = np.array([0.3, -1.0, 2.0])
    first = Perceptron(**TEXTBOOK, selection="cyclic", init=u).fit(X, y)
    np.testing.assert_allclose(first.coef_[0], u + X.T @ (first.mistake_counts_ * y), atol=1e-10)
    with_b = Perceptron(selection="cyclic", tol=None, init=np.append(u, -0.5), max_iter=10_000).fit(X, y)
    counts = with_b.mistake_counts_ * y
    np.testing.assert_allclose(with_b.intercept_, [-0.5 + counts.sum()], atol=1e-10)
    again, other, same = (
        Perceptron(**TEXTBOOK, selection="cyclic", init="random", random_state=seed).fit(X, y).coef_
        for seed in (0, 1, 0)
    )
    np.testing.assert_array_equal(again, same)
    assert not np.allclose(again, other)
    with pytest.raises(ValueError, match="init='ones'"):
        Perceptron(init="ones").fit(X, y)
    with pytest.raises(ValueError, match="init of shape"):
        Perceptron(init=np.ones(7)).fit(X, y)


@pytest.mark.spec("LIN-102")
def test_batch_steps_sum_all_mistakes():
    X, y = overlapping(6)
    with pytest.warns(ConvergenceWarning):
        model = Perceptron(mode="batch", tol=None, max_iter=2, fit_intercept=False, eta0=0.5).fit(X, y)
    w = 0.5 * X.T @ y
    wrong = y * (X @ w) <= 0.0
    np.testing.assert_allclose(model.coef_[0], w + 0.5 * X[wrong].T @ y[wrong], atol=1e-12)


@pytest.mark.spec("LIN-107")
@pytest.mark.parametrize("mode", ["online", "batch"])
def test_joint_classes_separate_what_can_be_separated(mode):
    rng = np.random.default_rng(0)
    W = rng.normal(size=(4, 3))
    X = rng.normal(size=(200, 3))
    z = X @ W.T
    clear = np.partition(z, -2, axis=1)
    keep = clear[:, -1] - clear[:, -2] > 0.3
    X, y = X[keep], np.argmax(z[keep], axis=1)
    model = Perceptron(selection="cyclic", tol=None, multi_class="joint", mode=mode, max_iter=20_000).fit(X, y)
    assert model.converged_
    np.testing.assert_array_equal(model.predict(X), y)
    # Every update adds to one class what it takes from another.
    np.testing.assert_allclose(model.coef_.sum(axis=0), 0.0, atol=1e-9)


@pytest.mark.spec("LIN-108")
def test_margins_agree_with_separability():
    for seed in range(10):
        X, y, _ = separable(seed, n=8)
        assert widest_margin(X, y).gamma > 0.0
        assert is_separable(X, y)
    X, y = XOR
    assert widest_margin(X, y).gamma == 0.0
    assert mistake_bound(X, y) == np.inf
    assert mistake_bound(sparse.csr_array(X), np.array([-1, 1, 1, 1])) == pytest.approx(27.0)
    np.testing.assert_allclose(distance(X, [0.0, 3.0, 4.0], b=5.0), (X @ [0, 3, 4] + 5.0) / 5.0)
    with pytest.raises(ValueError, match="w=0"):
        distance(X, np.zeros(3))
    with pytest.raises(ValueError, match="labels −1 and"):
        margin(X, [0, 1, 1, 1], np.ones(3))


def test_sparse_rows_are_rows():
    X, y = overlapping(9)
    words = {"selection": "cyclic", "tol": None, "max_iter": 4}
    with pytest.warns(ConvergenceWarning):
        a = Perceptron(**words).fit(X, y)
    with pytest.warns(ConvergenceWarning):
        b = Perceptron(**words).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-12)
    np.testing.assert_allclose(a.intercept_, b.intercept_, atol=1e-12)
    for model in (AveragedPerceptron(), VotedPerceptron()):
        dense, thin = model.fit(X, y).decision_function(X), model.fit(sparse.csr_array(X), y).decision_function(X)
        np.testing.assert_allclose(dense, thin, atol=1e-9)


def test_partial_fit_continues():
    X, y = overlapping(3)
    model = Perceptron(shuffle=False)
    for _ in range(3):
        model.partial_fit(X, y, classes=[-1, 1])
    whole = Perceptron(shuffle=False, tol=None, max_iter=3).fit(X, y)
    assert not whole.converged_
    np.testing.assert_allclose(model.coef_, whole.coef_, atol=1e-12)
    with pytest.raises(ValueError, match="labels \\[5\\]"):
        model.partial_fit(X[:1], [5])


def shrunken(X, y, decay, passes):
    """The penalised steps with every coordinate shrunk at every visit."""
    (l2, l1), w, had, owed = decay, np.zeros(X.shape[1]), np.zeros(X.shape[1]), 0.0
    for i in np.tile(np.arange(len(y)), passes):
        wrong = y[i] * (X[i] @ w) <= 0.0
        w = max(0.0, 1.0 - l2) * w + wrong * y[i] * X[i]
        owed += l1
        before = w.copy()
        paying = (X[i] != 0.0) & (w != 0.0)
        w[paying & (w > 0.0)] = np.maximum(0.0, w - (owed + had))[paying & (w > 0.0)]
        w[paying & (before < 0.0)] = np.minimum(0.0, w + (owed - had))[paying & (before < 0.0)]
        had += w - before
    return w


@pytest.mark.spec("LIN-100")
@pytest.mark.parametrize(
    "decay", [(0.0, 0.01), (0.01, 0.0), (0.02, 0.005), (0.6, 0.01), (1.0, 0.0), (1.5, 0.1)], ids=str
)
def test_lazy_shrinkage_is_shrinkage(decay):
    X, y = overlapping(11, n=80, d=12)
    X[np.random.default_rng(0).random(X.shape) < 0.6] = 0.0
    signs, options = y.astype(float), {"decay": decay, "patience": Patience(0.0, 10), "max_iter": 3}
    run = perceptron(Design(sparse.csr_array(X), "none"), signs, np.ones(80), np.zeros((1, 12)), **options)
    assert run.n_iter == 3
    np.testing.assert_allclose(run.w[0], shrunken(X, signs, decay, 3), atol=1e-12)


@pytest.mark.spec("LIN-100")
def test_a_penalised_visit_costs_the_entries_of_its_row():
    n, d = 20_000, 500_000
    rng = np.random.default_rng(0)
    columns, data = rng.integers(0, d, size=2 * n), rng.normal(size=2 * n)
    X = sparse.csr_array((data, columns, np.arange(0, 2 * n + 1, 2)), shape=(n, d))
    # Ten thousand million operations a pass if every visit looked at every coordinate.
    model = Perceptron(penalty="elasticnet", alpha=1e-5).fit(X, rng.integers(0, 2, size=n))
    assert model.n_iter_ > 1
    assert np.all(model.coef_[0, np.setdiff1d(np.arange(d), columns)] == 0.0)


@pytest.mark.spec("LIN-100")
def test_decay_needs_visits_to_every_row():
    X, y = overlapping(1)
    for words in ({"mode": "batch"}, {"selection": "first_misclassified"}):
        with pytest.raises(ValueError, match="mode='online' and a selection that visits every row"):
            perceptron(Design(X), y.astype(float), np.ones(len(y)), np.zeros((1, 5)), decay=(0.1, 0.0), **words)


@pytest.mark.spec("LIN-100")
@pytest.mark.parametrize(
    "words", [{"penalty": "l1"}, {"early_stopping": True}, {"init": "random", "selection": "random"}], ids=str
)
def test_threads_change_nothing(words):
    X, y = load_digits(return_X_y=True)
    one, four = (
        Perceptron(n_jobs=jobs, max_iter=40, random_state=np.random.RandomState(3), **words).fit(X, y)
        for jobs in (1, 4)
    )
    np.testing.assert_array_equal(one.coef_, four.coef_)
    np.testing.assert_array_equal(one.intercept_, four.intercept_)
    np.testing.assert_array_equal(one.mistake_counts_, four.mistake_counts_)
    np.testing.assert_array_equal(one.history_["objective"], four.history_["objective"])


@pytest.mark.spec("LIN-100")
@pytest.mark.parametrize(
    "words", [{"selection": "cyclic"}, {"selection": "first_misclassified"}, {"mode": "batch"}], ids=str
)
def test_a_row_without_weight_is_no_mistake(words):
    X, y, _ = separable(7, n=20)
    clear = Perceptron(**TEXTBOOK, **words).fit(X, y)
    muddled = Perceptron(**TEXTBOOK, **words).fit(
        np.vstack([X, X[:5]]), np.append(y, -y[:5]), sample_weight=np.repeat([1.0, 0.0], [20, 5])
    )
    assert muddled.stop_reason_ == "perfect"
    np.testing.assert_allclose(muddled.coef_, clear.coef_, atol=1e-12)
    np.testing.assert_array_equal(muddled.mistake_counts_, np.append(clear.mistake_counts_, np.zeros(5)))


@pytest.mark.spec("LIN-100")
def test_held_out_rows_are_judged_by_the_weights_themselves():
    X, y = load_digits(return_X_y=True)
    y = y % 2
    words = {"penalty": "l2", "alpha": 0.01, "early_stopping": True}
    model = Perceptron(**words).fit(X, y)
    assert model.stop_reason_ == "validation"
    held_out = next(StratifiedShuffleSplit(test_size=0.1, random_state=0).split(X, y))[1]
    scores = []
    for passes in range(1, model.n_iter_ + 1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            scores.append(Perceptron(**words, max_iter=passes).fit(X, y).score(X[held_out], y[held_out]))
    # The last five passes, and no five before, bring nothing.
    gains = np.array(scores) >= np.maximum.accumulate(np.append(-1.0, scores[:-1])) + 1e-3
    waits = np.diff(np.append(np.flatnonzero(gains), model.n_iter_))
    assert np.all(waits[:-1] <= 5)
    assert waits[-1] == 6


@pytest.mark.parametrize("scale", [1e160, 1e200, 1e307])
@pytest.mark.parametrize(
    "model",
    [
        Perceptron(),
        Perceptron(mode="batch"),
        Perceptron(pocket=True),
        Perceptron(penalty="l2"),
        Perceptron(early_stopping=True),
        Perceptron(selection="random_misclassified", tol=None, max_iter=5),
        Perceptron(multi_class="joint"),
        Perceptron(init="linear_regression"),
        AveragedPerceptron(),
        VotedPerceptron(),
    ],
    ids=repr,
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_beyond_the_range_of_numbers_are_refused_in_words(model, scale, n_classes):
    X, y = overlapping(0)
    with pytest.raises(ValueError, match="the arithmetic overflowed; scale the columns of X"):
        model.fit(scale * X, y if n_classes == 2 else np.arange(len(y)) % 3)
