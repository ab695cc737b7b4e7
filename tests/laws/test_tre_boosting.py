"""Laws of boosting."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_classification, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from gnomon.losses import (
    BinaryCrossEntropy,
    ExponentialLoss,
    HingeLoss,
    HuberLoss,
    LogisticLoss,
    Loss,
    MaxLoss,
    SoftmaxLoss,
    SquaredHingeLoss,
    SquaredLoss,
    ZeroOneLoss,
    noun,
)
from gnomon.search import adaboost
from gnomon.trees import (
    AdaBoostClassifier,
    DecisionStump,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)

pd = pytest.importorskip("pandas")

CANCER = load_breast_cancer(return_X_y=True)
IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
MOONS = make_moons(200, noise=0.25, random_state=0)
XOR = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])

CLASSIFIERS = [
    AdaBoostClassifier(n_estimators=15),
    GradientBoostingClassifier(n_estimators=8, binning=None),
    HistGradientBoostingClassifier(max_iter=8, min_samples_leaf=1),
]
REGRESSORS = [
    GradientBoostingRegressor(n_estimators=8),
    HistGradientBoostingRegressor(max_iter=8, min_samples_leaf=1),
]


def name_of(model):
    return type(model).__name__


@pytest.mark.spec("TRE-L25", "TRE-070")
@pytest.mark.parametrize("weighted", [False, True])
def test_the_loss_is_the_product_of_normalisers(weighted):
    X, y = MOONS
    s = np.random.default_rng(0).uniform(0.5, 2.0, len(y)) if weighted else np.ones(len(y))
    model = AdaBoostClassifier(n_estimators=25).fit(X, y, s)
    sign, errors = np.where(y == 1, 1.0, -1.0), model.estimator_errors_
    products = np.cumprod(2.0 * np.sqrt(errors * (1.0 - errors)))
    np.testing.assert_allclose(model.history_["objective"], products)
    for F, product in zip(model.staged_additive_score(X), products, strict=True):
        assert np.average(np.exp(-sign * F), weights=s) == pytest.approx(product)
        assert np.average((F > 0) != (y == 1), weights=s) <= product
    assert np.all(np.diff(products) < 0.0)
    assert np.all(errors < 0.5)


@pytest.mark.spec("TRE-L25", "TRE-L27")
@pytest.mark.parametrize(("X", "y"), [MOONS, IRIS])
def test_the_last_learner_is_no_better_than_chance_under_the_new_weights(X, y):
    K = len(np.unique(y))

    def learn(w):
        stump = DecisionStump().fit(X, y, w)
        return stump, stump.predict_proba(X)

    found = adaboost(learn, y, K, 10, keep_weights=True)
    for stump, w in zip(found.models, found.weights[1:], strict=True):
        assert np.sum(w[stump.predict(X) != y]) == pytest.approx(1.0 - 1.0 / K, abs=1e-9)


@pytest.mark.spec("TRE-L27")
def test_weights_are_the_slope_of_the_exponential_loss():
    X, y = MOONS
    sign = np.where(y == 1, 1.0, -1.0)
    found = adaboost(lambda w: _stump(X, y, w), y, 2, 5, keep_weights=True)
    F = found.scores[:, 1]
    slope = -ExponentialLoss().gradient(sign, F)
    np.testing.assert_allclose(slope / np.sum(np.abs(slope)), sign * found.weights[-1], rtol=1e-9)
    # The learner of the least weighted error maximises Σ w y f.
    best = DecisionStump("misclassification").fit(X, y, found.weights[-1])
    f = np.where(best.predict(X) == 1, 1.0, -1.0)
    for j in range(2):
        for t in np.unique(X[:, j]):
            other = np.where(X[:, j] <= t, 1.0, -1.0)
            assert abs(np.sum(found.weights[-1] * sign * other)) <= np.sum(found.weights[-1] * sign * f) + 1e-12


def _stump(X, y, w):
    stump = DecisionStump().fit(X, y, w)
    return stump, stump.predict_proba(X)


@pytest.mark.spec("TRE-L27", "TRE-074")
def test_several_classes_with_two_are_two_classes():
    X, y = MOONS
    sign, w = np.where(y == 1, 1.0, -1.0), np.full(len(y), 1.0 / len(y))
    model, F = AdaBoostClassifier(n_estimators=6).fit(X, y), np.zeros(len(y))
    for stump, alpha in zip(model.estimators_, model.alphas_, strict=True):
        f = np.where(DecisionStump().fit(X, y, w).predict(X) == 1, 1.0, -1.0)
        np.testing.assert_array_equal(f, np.where(stump.predict(X) == 1, 1.0, -1.0))
        error = np.sum(w[f != sign])
        assert alpha == pytest.approx(0.5 * np.log((1.0 - error) / error))
        F += alpha * f
        w = w * np.exp(-alpha * sign * f)
        w /= np.sum(w)
    np.testing.assert_allclose(model.additive_score(X), F)


@pytest.mark.spec("TRE-L26", "TRE-072", "TRE-071")
def test_xor_is_too_much_for_stumps_and_not_for_halfspaces():
    X, y = XOR
    with pytest.raises(ValueError, match=r"worse than random.*on_no_edge"):
        AdaBoostClassifier().fit(X, y)
    with pytest.warns(ConvergenceWarning, match="no edge"):
        model = AdaBoostClassifier(on_no_edge="constant").fit(X, y, [1, 1, 1, 1])
    assert model.stop_reason_ == "no_edge"
    np.testing.assert_allclose(model.predict_proba(X), 0.5)
    rng = np.random.default_rng(0)
    corners = rng.uniform(-1, 1, (150, 2))
    label = (corners[:, 0] * corners[:, 1] > 0).astype(int)
    linear = AdaBoostClassifier("linear", n_estimators=80).fit(corners, label)
    assert linear.score(corners, label) > 0.85
    assert np.all(np.diff(linear.history_["objective"]) < 0.0)


@pytest.mark.spec("TRE-072")
def test_without_an_edge_the_constant_is_the_heaviest_class():
    X, y = np.zeros((5, 1)), np.array(["a", "b", "b", "a", "b"])
    weights = [1.5, 1.0, 1.0, 1.5, 1.0]
    with pytest.warns(ConvergenceWarning):
        model = AdaBoostClassifier(on_no_edge="constant", proba="logistic").fit(X, y, weights)
    assert model.stop_reason_ == "no_edge"
    assert model.n_iter_ == 0


@pytest.mark.spec("TRE-072")
def test_how_rounds_end():
    X, y = np.arange(8.0)[:, None], np.repeat([0, 1], 4)
    stopped = AdaBoostClassifier(n_estimators=7).fit(X, y)
    assert stopped.stop_reason_ == "perfect"
    assert stopped.converged_
    np.testing.assert_array_equal(stopped.estimator_weights_, [1.0] + [0.0] * 6)
    np.testing.assert_array_equal(stopped.estimator_errors_, [0.0] + [1.0] * 6)
    clipped = AdaBoostClassifier(on_perfect="clip").fit(X, y)
    assert clipped.alphas_[0] == pytest.approx(0.5 * np.log(15.0))
    assert AdaBoostClassifier(n_estimators=3).fit(*MOONS).stop_reason_ == "max_iter"
    held = AdaBoostClassifier(n_estimators=400, n_iter_no_change=10, random_state=0).fit(*MOONS)
    assert held.stop_reason_ == "validation"
    assert len(held.history_["validation"]) == held.n_iter_ < 400


@pytest.mark.spec("TRE-073")
@pytest.mark.parametrize("variant", ["discrete", "real", "gentle"])
@pytest.mark.parametrize(("X", "y"), [CANCER, IRIS])
def test_confidence_rated_learners_lower_the_same_loss(variant, X, y):
    model = AdaBoostClassifier(n_estimators=12, variant=variant).fit(X, y)
    assert np.all(np.diff(model.history_["objective"]) < 0.0)
    assert model.score(X, y) > 0.93
    F, K = model.additive_score(X), len(np.unique(y))
    margin = np.where(y == 1, F, -F) if K == 2 else F[np.arange(len(y)), y] / (K - 1)
    assert np.mean(np.exp(-margin)) == pytest.approx(model.history_["objective"][-1])


@pytest.mark.spec("TRE-073")
def test_real_and_gentle_leaves():
    X, y = MOONS
    p = DecisionStump().fit(X, y).predict_proba(X)[:, 1]
    real = AdaBoostClassifier(n_estimators=1, variant="real").fit(X, y)
    np.testing.assert_allclose(real.additive_score(X), 0.5 * np.log(p / (1.0 - p)))
    gentle = AdaBoostClassifier(n_estimators=1, variant="gentle").fit(X, y)
    np.testing.assert_allclose(gentle.additive_score(X), 2.0 * p - 1.0)
    tree = DecisionTreeRegressor(max_depth=1).fit(X, 2.0 * y - 1.0)
    by_numbers = AdaBoostClassifier(DecisionTreeRegressor(max_depth=1), n_estimators=1, variant="gentle").fit(X, y)
    np.testing.assert_allclose(by_numbers.additive_score(X), tree.predict(X))
    least = AdaBoostClassifier(LinearRegression(), n_estimators=5, variant="gentle").fit(X, y)
    assert least.score(X, y) > 0.8
    with pytest.raises(ValueError, match="regressor"):
        AdaBoostClassifier(LinearRegression()).fit(X, y)
    line = LinearRegression().fit(X, 2.0 * y - 1.0).predict(X)
    squares = AdaBoostClassifier("linear", n_estimators=1, variant="gentle").fit(X, y)
    np.testing.assert_allclose(squares.additive_score(X), line, atol=1e-3)


class Plain(ClassifierMixin, BaseEstimator):
    """Nearest centre, without weights or probabilities."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.centers_ = np.stack([np.asarray(X)[np.asarray(y) == label].mean(axis=0) for label in self.classes_])
        return self

    def predict(self, X):
        distances = np.linalg.norm(np.asarray(X)[:, None] - self.centers_, axis=2)
        return self.classes_[np.argmin(distances, axis=1)]


@pytest.mark.spec("TRE-071")
@pytest.mark.parametrize("estimator", [None, "stump", "linear", LogisticRegression(), Plain(), KNeighborsClassifier(9),
                                       DecisionTreeClassifier(max_depth=2)], ids=str)  # fmt: skip
@pytest.mark.parametrize(("X", "y"), [MOONS, IRIS])
def test_base_learners(estimator, X, y):
    model = AdaBoostClassifier(estimator, n_estimators=8, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.78
    again = AdaBoostClassifier(estimator, n_estimators=8, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))
    names = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    labels = np.array(["one", "two", "three"])[y]
    framed = AdaBoostClassifier(estimator, n_estimators=4, random_state=0).fit(names, labels)
    assert set(framed.predict(names)) <= set(labels)


class Seeing(Plain):
    """Remembers its rows."""

    def fit(self, X, y):
        self.seen_ = np.ravel(X)
        return super().fit(X, y)


@pytest.mark.spec("TRE-071")
def test_a_base_without_weights_gets_rows_drawn_by_weight():
    x = np.arange(200.0)[:, None]
    heavy = x[:, 0] < 20.0
    y = (x[:, 0] % 20.0 >= 10.0).astype(int)
    model = AdaBoostClassifier(Seeing(), n_estimators=1, random_state=0).fit(x, y, np.where(heavy, 1.0, 1e-12))
    seen = model.estimators_[0].seen_
    assert len(seen) == 200
    assert set(seen) == set(x[heavy, 0])


@pytest.mark.spec("TRE-071")
@pytest.mark.parametrize("estimator", [None, "stump", "linear", DecisionTreeClassifier(max_depth=2)], ids=str)
@pytest.mark.parametrize(("X", "y"), [MOONS, IRIS])
def test_a_base_with_weights_takes_them_as_copies_of_rows(estimator, X, y):
    times = 1 + 3 * (np.arange(len(y)) % 4 == 0)
    weighted = AdaBoostClassifier(estimator, n_estimators=3, random_state=0).fit(X, y, times)
    copied = AdaBoostClassifier(estimator, n_estimators=3, random_state=0).fit(
        np.repeat(X, times, 0), np.repeat(y, times)
    )
    np.testing.assert_allclose(weighted.decision_function(X), copied.decision_function(X), atol=1e-6)


@pytest.mark.spec("TRE-071")
def test_a_base_without_probabilities_is_named():
    with pytest.raises(ValueError, match=r"predict_proba.*variant='real'"):
        AdaBoostClassifier(Plain(), variant="real").fit(*MOONS)
    with pytest.raises(ValueError, match="estimator='tree'"):
        AdaBoostClassifier("tree").fit(*MOONS)


@pytest.mark.spec("TRE-005")
def test_stumps_take_words_gaps_and_either_side():
    frame = pd.DataFrame({"sky": ["sun", "rain", None, "sun", "fog"], "t": [1.0, np.nan, 3.0, 4.0, 5.0]})
    y = np.array(["out", "in", "in", "out", "in"])
    stump = DecisionStump().fit(frame, y)
    assert stump.tree_.node_count == 3
    np.testing.assert_array_equal(stump.predict(frame), y)
    assert "sky" in stump.export_text()
    x = np.arange(6.0)[:, None]
    for labels in ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0]):
        assert DecisionStump("misclassification").fit(x, labels).score(x, labels) == 1.0
    errors = [DecisionStump(c).fit(*MOONS).score(*MOONS) for c in ("misclassification", "gini", "entropy")]
    assert errors[0] == max(errors)


@pytest.mark.spec("TRE-L08", "TRE-070", "TRE-075")
@pytest.mark.parametrize("model", CLASSIFIERS, ids=name_of)
def test_weight_two_is_the_row_twice_for_classes(model):
    X, y = IRIS[0][:, :3].round(0), IRIS[1]
    s = np.random.default_rng(1).integers(0, 4, len(y)).astype(float)
    rows = np.repeat(np.arange(len(y)), s.astype(int))
    np.testing.assert_allclose(
        model.fit(X, y, s).predict_proba(X), model.fit(X[rows], y[rows]).predict_proba(X), atol=1e-8
    )


@pytest.mark.spec("TRE-L08", "TRE-075")
@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "quantile"])
@pytest.mark.parametrize("model", REGRESSORS, ids=name_of)
def test_weight_two_is_the_row_twice_for_numbers(model, loss):
    X, y = DIABETES[0][:120].round(2), DIABETES[1][:120]
    s = np.random.default_rng(1).integers(0, 4, len(y)).astype(float)
    rows = np.repeat(np.arange(len(y)), s.astype(int))
    model.set_params(loss=loss, **({"quantile": 0.7} if "quantile" in model.get_params() else {"alpha": 0.7}))
    weighted, repeated = model.fit(X, y, s).predict(X), model.fit(X[rows], y[rows]).predict(X)
    np.testing.assert_allclose(weighted[s > 0], repeated[s > 0], rtol=1e-6)


@noun
class LogCosh(Loss):
    """A loss of the user's."""

    def value(self, y, z):
        return np.logaddexp(y - z, z - y) - np.log(2.0)

    def gradient(self, y, z):
        return np.tanh(z - y)

    def curvature(self, y, z):
        return 1.0 - np.tanh(z - y) ** 2


@pytest.mark.spec("TRE-075")
@pytest.mark.parametrize("cls", [GradientBoostingRegressor, HistGradientBoostingRegressor])
@pytest.mark.parametrize("loss", [HuberLoss(30.0), SquaredLoss()])
def test_any_loss_of_numbers(cls, loss):
    X, y = DIABETES
    model = cls(loss=loss).fit(X, y)
    objective = model.history_["objective"]
    assert objective[-1] < 0.6 * np.mean(loss.value(y, model.baseline_[0]))
    assert np.mean(loss.value(y, model.predict(X))) == pytest.approx(objective[-1])


@pytest.mark.spec("TRE-075")
def test_a_loss_of_the_users_and_losses_by_name_are_one_engine():
    X, y = DIABETES
    own = HistGradientBoostingRegressor(loss=LogCosh(), max_iter=20, learning_rate=0.5).fit(X, y / 50.0)
    assert own.history_["objective"][-1] < 0.7 * own.history_["objective"][0]
    by_name = HistGradientBoostingRegressor(max_iter=5).fit(X, y)
    by_object = HistGradientBoostingRegressor(loss=SquaredLoss(half=True), max_iter=5).fit(X, y)
    np.testing.assert_array_equal(by_name.predict(X), by_object.predict(X))


@pytest.mark.spec("TRE-075")
@pytest.mark.parametrize("cls", [GradientBoostingClassifier, HistGradientBoostingClassifier])
@pytest.mark.parametrize(
    "loss", [LogisticLoss(), ExponentialLoss(), SquaredHingeLoss(), HingeLoss(), BinaryCrossEntropy()]
)
def test_any_loss_of_two_classes(cls, loss):
    X, y = CANCER
    model = cls(loss=loss).fit(X[:, :6], y)
    assert model.score(X[:, :6], y) > 0.95
    if isinstance(loss, (HingeLoss, SquaredHingeLoss)):
        with pytest.raises(AttributeError, match="calibrate"):
            model.predict_proba(X[:, :6])
    else:
        assert np.mean(model.predict_proba(X[:, :6])[:, 1]) == pytest.approx(np.mean(y), abs=0.02)


@pytest.mark.spec("TRE-075")
def test_losses_that_cannot_be_boosted_are_refused():
    with pytest.raises(ValueError, match="cannot be boosted"):
        HistGradientBoostingClassifier(loss=ZeroOneLoss()).fit(*CANCER)
    with pytest.raises(ValueError, match="cannot be boosted"):
        HistGradientBoostingRegressor(loss=MaxLoss()).fit(*DIABETES)
    with pytest.raises(ValueError, match="tells two classes apart"):
        GradientBoostingClassifier(loss="exponential").fit(*IRIS)
    with pytest.raises(ValueError, match="non-negative y"):
        HistGradientBoostingRegressor(loss="poisson").fit(DIABETES[0], -DIABETES[1])
    assert HistGradientBoostingClassifier(loss=SoftmaxLoss(), max_iter=3).fit(*IRIS).score(*IRIS) > 0.9


@pytest.mark.spec("TRE-075")
@pytest.mark.parametrize("model", [
    GradientBoostingRegressor(n_estimators=12, subsample=0.6, max_features=0.5, random_state=3, warm_start=True),
    HistGradientBoostingRegressor(max_iter=12, max_features=0.5, random_state=3, warm_start=True),
    GradientBoostingRegressor(n_estimators=12, loss="huber", random_state=3, warm_start=True),
], ids=["exact", "histograms", "huber"])  # fmt: skip
def test_going_on_is_as_if_never_stopped(model):
    X, y = DIABETES
    rounds = model._rounds_name
    whole = clone(model).set_params(warm_start=False).fit(X, y)
    expected, history = whole.predict(X), whole.history_["objective"]
    fresh = clone(model).set_params(**{rounds: 5}).fit(X, y)
    assert fresh.n_iter_ == 5
    fresh.set_params(**{rounds: 12}).fit(X, y)
    np.testing.assert_allclose(fresh.predict(X), expected, rtol=1e-10)
    np.testing.assert_allclose(fresh.history_["objective"], history, rtol=1e-10)
    with pytest.raises(ValueError, match="warm_start"):
        fresh.set_params(**{rounds: 3}).fit(X, y)


@pytest.mark.spec("TRE-075")
@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("cls", [GradientBoostingRegressor, HistGradientBoostingRegressor])
def test_monotone_columns_are_monotone_for_every_loss(cls, loss):
    X, y = DIABETES
    model = cls(loss=loss, monotonic_cst=[0, 0, 1, -1] + [0] * 6).fit(X, y)
    rows = np.repeat(X[::20], 30, axis=0)
    for j, sign in ((2, 1.0), (3, -1.0)):
        moved = rows.copy()
        moved[:, j] = np.tile(np.linspace(-0.15, 0.2, 30), len(X[::20]))
        assert np.all(sign * np.diff(model.predict(moved).reshape(-1, 30), axis=1) >= -1e-9)
    free = cls(loss=loss).fit(X, y)
    assert free.history_["objective"][-1] < model.history_["objective"][-1]


@pytest.mark.spec("TRE-075", "TRE-025")
def test_a_monotone_tree_is_monotone():
    X, y = DIABETES
    tree = DecisionTreeRegressor(monotonic_cst=[0, 0, 1] + [0] * 7, min_samples_leaf=5).fit(X, y)
    rows = np.repeat(X[::10], 40, axis=0)
    rows[:, 2] = np.tile(np.linspace(-0.15, 0.2, 40), len(X[::10]))
    assert np.all(np.diff(tree.predict(rows).reshape(-1, 40), axis=1) >= -1e-9)
    label = (y > 140).astype(int)
    classes = DecisionTreeClassifier(monotonic_cst=[0, 0, 1] + [0] * 7, min_samples_leaf=5).fit(X, label)
    p = classes.predict_proba(rows)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert np.all(np.diff(p[:, 1].reshape(-1, 40), axis=1) >= -1e-9)


@pytest.mark.spec("TRE-075")
def test_columns_meet_as_they_may():
    X, y = DIABETES
    model = HistGradientBoostingRegressor(interaction_cst=[[0, 2], [2, 3, 8]], max_iter=30).fit(X, y)
    for trees in model.rounds_:
        tree = trees[0]
        for leaf in np.flatnonzero(tree.is_leaf):
            used = {int(tree.feature[node]) for node in tree.path(leaf)[:-1]}
            assert used <= {0, 2} or used <= {2, 3, 8} or used <= {1, 4, 5, 6, 7, 9}
    for wrong in (3, [[0, 99]], "triples", [3]):
        with pytest.raises(ValueError, match=r"interaction_cst|Interaction"):
            HistGradientBoostingRegressor(interaction_cst=wrong).fit(X, y)


@pytest.mark.spec("TRE-075")
@pytest.mark.parametrize("model", CLASSIFIERS[1:], ids=name_of)
def test_threads_do_not_matter(model):
    X, y = IRIS
    one = model.set_params(n_jobs=1).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(one, model.set_params(n_jobs=3).fit(X, y).predict_proba(X))


@pytest.mark.spec("TRE-075")
def test_a_monitor_and_a_scorer_may_stop():
    X, y = CANCER
    seen = []

    def monitor(turn, model, state):
        seen.append(turn)
        return turn == 3 and model.score(X, y) > 0.5

    model = GradientBoostingClassifier(n_estimators=20).fit(X, y, monitor=monitor)
    assert seen == [0, 1, 2, 3]
    assert model.n_estimators_ == 4
    asked = []

    def scorer(model, rows, labels):
        asked.append(len(rows))
        return np.mean(model.predict(rows) == labels)

    early = HistGradientBoostingClassifier(scoring=scorer, early_stopping=True, n_iter_no_change=3, random_state=0)
    early.fit(X, y)
    assert early.n_iter_ < 100
    assert len(asked) == 2 * (early.n_iter_ + 1)
    train = HistGradientBoostingClassifier(early_stopping=True, validation_fraction=None, max_iter=5).fit(X, y)
    assert len(train.validation_score_) == 0
    assert len(train.train_score_) == 6


@pytest.mark.spec("TRE-075", "TRE-030")
@pytest.mark.parametrize("cls", [GradientBoostingClassifier, HistGradientBoostingClassifier, AdaBoostClassifier])
def test_frames_with_words_gaps_and_new_values(cls):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({
        "word": rng.choice(["red", "green", "blue"], 200), "flag": rng.random(200) > 0.5,
        "number": np.where(rng.random(200) < 0.2, np.nan, rng.normal(size=200)),
    })  # fmt: skip
    y = np.where((frame["word"] == "red") | (frame["number"].fillna(9.0) > 1.0), "yes", "no")
    model = cls().fit(frame, y)
    assert model.score(frame, y) > 0.9
    new = pd.DataFrame({"word": ["mauve", None], "flag": [True, False], "number": [np.nan, 0.0]})
    assert np.all(np.isfinite(model.predict_proba(new)))


@pytest.mark.spec("TRE-L26")
def test_boosted_stumps_beat_boosted_full_trees_on_noise():
    """A report: with a fifth of the labels wrong, full trees learn the noise by heart."""
    X, y = make_classification(600, 10, n_informative=4, flip_y=0.4, random_state=1)
    train = np.arange(600) < 300
    stumps = AdaBoostClassifier(n_estimators=30).fit(X[train], y[train])
    full = AdaBoostClassifier(DecisionTreeClassifier(min_samples_leaf=2), n_estimators=30).fit(X[train], y[train])
    assert stumps.score(X[~train], y[~train]) >= full.score(X[~train], y[~train]) - 0.02
