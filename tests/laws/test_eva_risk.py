"""Risk: on rows, of a generator, by folds and by the bootstrap."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris, make_classification
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.metrics import average_precision_score, f1_score, log_loss, make_scorer, roc_auc_score
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    ShuffleSplit,
    cross_val_predict,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from gnomon.distributions import Normal
from gnomon.evaluation import (
    BootstrapError,
    BootstrapSplit,
    OraclePredictor,
    bootstrap_error,
    compare_models,
    cv_risk,
    empirical_risk,
    generalization_report,
    loo_residuals,
    loo_risk,
    train_val_test_split,
    true_risk,
)
from gnomon.features import PolynomialMap
from gnomon.generative import (
    GaussianNB,
)
from gnomon.linear import LinearRegression, LogisticRegression, Ridge
from gnomon.losses import (
    AbsoluteLoss,
    HingeLoss,
    LogisticLoss,
    SoftmaxLoss,
    SquaredLoss,
    ZeroOneLoss,
)


def regression(n=30, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X[:, 0] - X[:, 1] + 0.5 * rng.standard_normal(n)


def classes(n=45, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    mix = np.array([[1.0, 0.4, 0.0], [0.0, 1.0, 0.2], [0.0, 0.0, 2.0]])
    return rng.standard_normal((n, 3)) @ mix + 0.7 * y[:, None] + 5.0, np.array(["a", "b", "c"])[y]


# Risk on rows and of a generator


@pytest.mark.spec("EVA-001")
@pytest.mark.parametrize("loss", [ZeroOneLoss(), HingeLoss(), LogisticLoss()])
def test_risks_of_the_classes_add_up(loss):
    rng = np.random.default_rng(0)
    y, z = rng.choice(["no", "yes"], 40), rng.standard_normal(40)
    s = rng.integers(0, 4, 40).astype(float)
    signs = np.where(y == "yes", 1.0, -1.0) if loss.targets == "sign" else (y == "yes").astype(float)
    by_hand = s @ loss.value(signs, z)
    for reduction, divisor in (("sum", 1.0), ("mean", s.sum())):
        total = empirical_risk(y, z, loss, reduction=reduction, sample_weight=s)
        parts = empirical_risk(y, z, loss, reduction=reduction, per_class=True, sample_weight=s)
        assert total == pytest.approx(by_hand / divisor)
        assert sum(parts) == pytest.approx(total)
        assert parts.positive == pytest.approx(s[y == "yes"] @ loss.value(signs, z)[y == "yes"] / divisor)
    twice = np.repeat(np.arange(40), s.astype(int))
    assert empirical_risk(y[twice], z[twice], loss) == pytest.approx(empirical_risk(y, z, loss, sample_weight=s))


@pytest.mark.spec("EVA-001")
def test_risks_of_numbers_and_of_many_classes():
    rng = np.random.default_rng(0)
    y, z = rng.standard_normal(9), rng.standard_normal(9)
    assert empirical_risk(y, z, SquaredLoss()) == pytest.approx(np.mean(SquaredLoss().value(y, z)))
    assert empirical_risk(y, z, AbsoluteLoss(), reduction="sum") == pytest.approx(np.sum(np.abs(y - z)))
    assert empirical_risk(y, z, lambda y, z: (y - z) ** 4) == pytest.approx(np.mean((y - z) ** 4))
    scores, index = rng.standard_normal((9, 3)), np.arange(9) % 3
    expected = np.mean(SoftmaxLoss().value(index, scores))
    assert empirical_risk(np.array(["a", "b", "c"])[index], scores, SoftmaxLoss()) == pytest.approx(expected)
    two = index < 2
    assert empirical_risk(index[two], scores[two], SoftmaxLoss()) == pytest.approx(
        np.mean(SoftmaxLoss().value(index[two], scores[two]))
    )
    as_columns = empirical_risk(pl.Series(y), pd.Series(z), SquaredLoss())
    assert as_columns == pytest.approx(empirical_risk(y, z, SquaredLoss()))
    infinite = empirical_risk([0.0, 1.0], [np.inf, 1.0], SquaredLoss(), sample_weight=[0.0, 1.0])
    assert infinite == 0.0


@pytest.mark.spec("EVA-001")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0, 1], [np.nan, 1.0], SquaredLoss()), "NaN"),
        (([], [], SquaredLoss()), "0 rows"),
        (([0, 1], [1.0], SquaredLoss()), "one prediction"),
        (([1, 1], [0.5, 1.0], HingeLoss()), "label 1 alone"),
        (([0, 1, 2], [0.5, 1.0, 2.0], HingeLoss()), "3 labels"),
        ((["a", "b"], np.zeros((2, 3)), SoftmaxLoss()), "a column for each"),
        (([0.0, 1.0], [0.0, 1.0], lambda y, z: 0.0), "give one each"),
    ],
)
def test_risks_that_do_not_exist_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        empirical_risk(*arguments)


def noisy_square(n, rng):
    X = rng.uniform(-1, 1, (n, 1))
    return X, X[:, 0] ** 2 + 0.5 * rng.standard_normal(n)


def two_blobs(n, rng):
    y = rng.integers(0, 2, n)
    return rng.standard_normal((n, 1)) + 2.0 * y[:, None] - 1.0, y


def of_blobs(X):
    return 1.0 / (1.0 + np.exp(-2.0 * X[:, 0]))


@pytest.mark.spec("EVA-002", "EVA-L01")
def test_the_empirical_risk_of_a_fixed_rule_converges():
    rule = LinearRegression().fit(*noisy_square(20, np.random.default_rng(1)))
    slope, b = rule.coef_[0], rule.intercept_
    # E(x² − b)² + slope²/3 + noise, for x uniform in (−1, 1).
    exact = 1 / 5 - 2 * b / 3 + b**2 + slope**2 / 3 + 0.25
    found = true_risk(rule, noisy_square, random_state=0)
    assert abs(found.value - exact) < 4 * found.standard_error
    assert found.low < exact < found.high
    with pytest.raises(ValueError, match="n_samples"):
        true_risk(rule, noisy_square, n_samples=1)


@pytest.mark.spec("EVA-003")
def test_the_oracle_has_the_least_risk():
    def law(X):
        return Normal(X[:, 0] ** 2, 0.25)

    X, y = noisy_square(200, np.random.default_rng(0))
    oracle = OraclePredictor(law).fit(X, y)
    assert true_risk(oracle, noisy_square, random_state=0).value == pytest.approx(0.25, abs=0.005)
    fitted = make_pipeline(PolynomialMap(2, include_bias=False), LinearRegression()).fit(X, y)
    assert true_risk(fitted, noisy_square, random_state=0).value > true_risk(oracle, noisy_square, random_state=0).value
    quantile = OraclePredictor(law, "pinball", tau=0.9).fit(X, y)
    assert np.mean(y <= quantile.predict(X)) == pytest.approx(0.9, abs=0.06)
    np.testing.assert_allclose(quantile.predict(X), law(X).quantile(0.9))
    X, y = two_blobs(500, np.random.default_rng(0))
    best = OraclePredictor(of_blobs, "zero_one").fit(X, y)
    assert true_risk(best, two_blobs, random_state=0).value == pytest.approx(0.158655, abs=0.005)
    # As any estimator: in cross-validation its risk is its risk.
    assert cv_risk(best, X, y).risk.value == pytest.approx(np.mean(best.predict(X) != y))
    assert loo_risk(best, X[:20], y[:20]).value == np.mean(best.predict(X[:20]) != y[:20])
    with pytest.raises(ValueError, match="conditional=None"):
        OraclePredictor().fit(X, y)
    with pytest.raises(ValueError, match="2 probabilities, y has 3"):
        OraclePredictor(of_blobs, "zero_one").fit(X, np.arange(500) % 3).predict(X)


@pytest.mark.spec("EVA-L02")
def test_training_rows_flatter_and_test_rows_do_not():
    rng = np.random.default_rng(0)

    def sampler(n, rng):
        X = rng.standard_normal((n, 4))
        return X, X[:, 0] + rng.standard_normal(n)

    train, test, true = [], [], []
    for _ in range(300):
        (X, y), (A, b) = sampler(12, rng), sampler(12, rng)
        w = LinearRegression().fit(X, y)
        train.append(empirical_risk(y, w.predict(X), SquaredLoss()))
        test.append(empirical_risk(b, w.predict(A), SquaredLoss()))
        true.append(1.0 + np.sum((w.coef_ - [1, 0, 0, 0]) ** 2) + w.intercept_**2)
    gap = np.array(test) - true
    assert abs(np.mean(gap)) < 4 * np.std(gap) / np.sqrt(300)
    assert np.mean(train) < np.mean(true) - 4 * np.std(np.subtract(true, train)) / np.sqrt(300)


@pytest.mark.spec("EVA-L03")
@pytest.mark.parametrize("alpha", [0.0, 3.0])
def test_optimism_of_a_linear_smoother_is_its_trace(alpha):
    rng = np.random.default_rng(0)
    n, sigma = 15, 0.7
    X = rng.standard_normal((n, 3))
    truth = X @ [1.0, 2.0, 0.0]
    H = Ridge(alpha).fit(X, truth).hat_matrix(X)
    train, fresh = truth + sigma * rng.standard_normal((2, 4000, n))
    fitted = train @ H.T
    gaps = np.mean((fresh - fitted) ** 2 - (train - fitted) ** 2, axis=1)
    expected = 2 * sigma**2 * np.trace(H) / n
    assert abs(np.mean(gaps) - expected) < 4 * np.std(gaps) / np.sqrt(4000)


# Splits


@pytest.mark.spec("EVA-004")
def test_three_parts_are_disjoint_and_keep_what_they_should():
    X, y = make_classification(200, weights=[0.8], random_state=0)
    frame = pd.DataFrame(X)
    parts = train_val_test_split(frame, y, stratify=y, random_state=0)
    assert [len(part) for part in parts] == [120, 40, 40] * 2
    assert sorted(np.concatenate([part.index for part in parts[:3]])) == list(range(200))
    shares = [np.mean(part) for part in parts[3:]]
    np.testing.assert_allclose(shares, np.mean(y), atol=0.01)
    groups = np.arange(200) // 7
    by_group = train_val_test_split(groups, groups=groups, sizes=(0.5, 0.25, 0.25), random_state=0)
    assert not set(by_group[0]) & set(by_group[1]) | set(by_group[1]) & set(by_group[2])
    assert sum(map(len, by_group)) == 200
    np.testing.assert_array_equal(
        train_val_test_split(y, random_state=3)[0], train_val_test_split(y, random_state=3)[0]
    )
    assert [len(part) for part in train_val_test_split(y, sizes=(100, 60, 40))] == [100, 60, 40]


@pytest.mark.spec("EVA-004")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sizes": (0.5, 0.2, 0.2)}, "sum 1"),
        ({"sizes": (0.5, 0.5, 0.0)}, "> 0"),
        ({"sizes": (0.99, 0.005, 0.005)}, "empty"),
        ({"groups": np.zeros(10), "stratify": np.zeros(10)}, "both given"),
        ({"groups": np.zeros(3)}, "one for each"),
    ],
)
def test_parts_that_cannot_be_made_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        train_val_test_split(np.arange(10), **options)


@pytest.mark.spec("EVA-012")
def test_bootstrap_splits():
    X = np.zeros((30, 1))
    for train, test in BootstrapSplit(20, random_state=0).split(X):
        assert len(train) == 30
        assert not set(train) & set(test)
        assert set(train) | set(test) == set(range(30))
    shared = 0
    for train, test in BootstrapSplit(20, mode="inside", random_state=0).split(X):
        assert len(train) + len(test) == 30
        assert not set(train) & set(test)
    for train, test in BootstrapSplit(20, mode="inside", allow_copies=True, random_state=0).split(X):
        assert len(train) + len(test) == 30
        shared += len(set(train) & set(test))
    assert shared > 20
    groups = np.repeat(np.arange(6), 5)
    for train, test in BootstrapSplit(5, random_state=0).split(X, groups=groups):
        assert not set(groups[train]) & set(groups[test])
        assert set(np.bincount(groups[train])) <= {0, 5, 10, 15, 20, 25, 30}
    first = [train.tolist() for train, _ in BootstrapSplit(3, random_state=7).split(X)]
    assert first == [train.tolist() for train, _ in BootstrapSplit(3, random_state=7).split(X)]
    for options, words in (
        ({"mode": "out"}, "mode"),
        ({"allow_copies": True}, "inside"),
        ({"test_size": 1.0}, "test_s"),
    ):
        with pytest.raises(ValueError, match=words):
            BootstrapSplit(3, **options)
    with pytest.raises(ValueError, match="at least 2"):
        next(BootstrapSplit(3).split(np.zeros((1, 1))))


# Cross-validation


@pytest.mark.spec("EVA-006", "EVA-005")
def test_folds_are_those_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    model = GaussianNB()
    np.testing.assert_allclose(cv_risk(model, X, y).folds, 1 - cross_val_score(model, X, y))
    scores = cross_val_score(model, X, y, cv=7, scoring="f1_macro")
    found = cv_risk(model, X, y, cv=7, scoring="f1_macro")
    np.testing.assert_allclose(found.folds, -scores)
    assert found.risk.value == pytest.approx(-np.mean(scores))
    assert found.risk.standard_error == pytest.approx(np.std(scores, ddof=1) / np.sqrt(7))
    random = ShuffleSplit(8, train_size=50, random_state=0)
    assert cv_risk(model, X, y, cv=random).folds.shape == (8,)
    A, b = regression()
    expected = -cross_val_score(LinearRegression(), A, b, scoring="neg_mean_squared_error")
    np.testing.assert_allclose(cv_risk(LinearRegression(), A, b, n_jobs=2).folds, expected)


@pytest.mark.spec("EVA-006")
def test_a_pooled_score_is_that_of_all_held_out_answers():
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], np.array(["x", "y"])[y[50:] - 1]
    folds = list(KFold(4, shuffle=True, random_state=0).split(X))
    model = TheirLogistic()
    predicted = np.concatenate([clone(model).fit(X[a], y[a]).predict(X[b]) for a, b in folds])
    truth = np.concatenate([y[b] for _, b in folds])
    f1 = make_scorer(f1_score, pos_label="x")
    pooled = cv_risk(model, X, y, cv=folds, scoring=f1, aggregate="pooled").risk.value
    assert -pooled == pytest.approx(f1_score(truth, predicted, pos_label="x"))
    assert pooled != cv_risk(model, X, y, cv=folds, scoring=f1).risk.value
    for word in ("roc_auc", "neg_log_loss"):
        assert np.isfinite(cv_risk(model, X, y, cv=folds, scoring=word, aggregate="pooled").risk.value)
    assert np.isfinite(cv_risk(LinearSVC(), X, y, cv=folds, scoring="roc_auc", aggregate="pooled").risk.value)
    logistic = cv_risk(model, X, y, cv=folds, loss=LogisticLoss(), aggregate="pooled").risk.value
    assert logistic == pytest.approx(
        cv_risk(model, X, y, cv=folds, scoring="neg_log_loss", aggregate="pooled").risk.value
    )


@pytest.mark.spec("EVA-006")
@pytest.mark.parametrize(
    ("scoring", "metric"),
    [
        ("neg_log_loss", lambda y, p: -log_loss(y, p)),
        ("roc_auc", lambda y, p: roc_auc_score(y, p[:, 1])),
        ("average_precision", lambda y, p: average_precision_score(y, p[:, 1])),
        ("f1", lambda y, p: f1_score(y, p[:, 1] > 0.5)),
    ],
)
@pytest.mark.parametrize("folds", ["one row", "one class"])
def test_folds_that_no_score_can_judge_alone_are_pooled(folds, scoring, metric):
    X, y = classes(60)
    y = (y != "a").astype(int)
    order = np.argsort(y, kind="stable")
    cv = LeaveOneOut() if folds == "one row" else [(np.setdiff1d(order, t), t) for t in np.array_split(order, 12)]
    p = cross_val_predict(GaussianNB(), X, y, cv=cv, method="predict_proba")
    found = cv_risk(GaussianNB(), X, y, cv=cv, scoring=scoring, aggregate="pooled")
    assert found.risk.value == pytest.approx(-metric(y, p))
    assert 0.0 < found.risk.standard_error < 0.2
    assert found.risk.low < found.risk.value < found.risk.high
    assert len(found.folds) == len(found.sizes) == len(list(cv.split(X)) if folds == "one row" else cv)


@pytest.mark.spec("EVA-006")
def test_the_error_of_a_pooled_mean_of_equal_folds_is_that_of_the_folds():
    X, y = regression(40)
    folds, pooled = (cv_risk(LinearRegression(), X, y, aggregate=word) for word in ("folds", "pooled"))
    assert pooled.risk == pytest.approx(folds.risk)
    np.testing.assert_allclose(pooled.folds, folds.folds)
    scored = cv_risk(LinearRegression(), X, y, scoring="neg_mean_squared_error", aggregate="pooled")
    assert scored.risk == pytest.approx(folds.risk)


@pytest.mark.spec("EVA-006")
@pytest.mark.parametrize("model", [GaussianNB(), TheirLogistic()], ids=str)
@pytest.mark.parametrize("lacking", [0, 2])
def test_pooled_answers_know_the_classes_of_every_model(model, lacking):
    X, y = load_iris(return_X_y=True)
    X, y = X[::3], np.array(["a", "b", "c"])[y[::3]]
    first = np.flatnonzero(y == y[17 * lacking])  # all rows of one class, which the first model has never seen
    rest = np.setdiff1d(np.arange(50), first)
    pairs = [(np.setdiff1d(np.arange(50), test), test) for test in (first, rest[::2], rest[1::2])]
    proba = np.zeros((50, 3))
    for train, test in pairs:
        fitted = clone(model).fit(X[train], y[train])
        proba[np.ix_(test, np.searchsorted(["a", "b", "c"], fitted.classes_))] = fitted.predict_proba(X[test])
    found = cv_risk(model, X, y, cv=pairs, scoring="neg_log_loss", aggregate="pooled").risk
    assert found.value == pytest.approx(log_loss(y, proba))
    error = cv_risk(model, X, y, cv=pairs, aggregate="pooled").risk
    assert error.value == pytest.approx(np.mean(np.array(["a", "b", "c"])[np.argmax(proba, axis=1)] != y))
    found = cv_risk(model, X, y, cv=pairs, loss=SoftmaxLoss(), aggregate="pooled").risk.value
    assert found == np.inf  # the class that its model has not seen


@pytest.mark.spec("EVA-006")
@pytest.mark.parametrize("judge", [cv_risk, lambda model, *data, **given: compare_models([model], *data, **given)])
def test_a_fold_of_one_class_is_refused_in_a_sentence(judge):
    X, y = classes(30)
    with pytest.raises(ValueError, match=r"log_loss.* judge 1 rows of the classes \['a'\] by a model .*pooled"):
        judge(GaussianNB(), X, y, cv=LeaveOneOut(), scoring="neg_log_loss")
    lacking = [(np.flatnonzero(y != "c"), np.arange(30))]
    with pytest.raises(ValueError, match=r"judge 30 rows .* by a model of the classes \['a', 'b'\]: .*pooled"):
        judge(GaussianNB(), X, y, cv=lacking, scoring="neg_log_loss")


@pytest.mark.spec("EVA-006")
def test_groups_stay_whole_and_weights_count():
    X, y = regression(40)
    groups = np.arange(40) // 4
    seen = []

    class Spy(DummyRegressor):
        def fit(self, X, y, sample_weight=None):
            seen.append(set(X[:, 0].tolist()))
            return super().fit(X, y, sample_weight)

    rows = np.column_stack([groups.astype(float), X])
    cv_risk(Spy(), rows, y, groups=groups, cv=3)
    assert all(len(s) in (6, 7) for s in seen)
    expected = -cross_val_score(
        LinearRegression(), X, y, groups=groups, cv=GroupKFold(3), scoring="neg_mean_squared_error"
    )
    np.testing.assert_allclose(cv_risk(LinearRegression(), X, y, groups=groups, cv=3).folds, expected)
    s = np.r_[np.zeros(10), np.ones(20), np.full(10, 2.0)]
    gone = cv_risk(LinearRegression(), X, y, sample_weight=s)
    np.testing.assert_allclose(gone.folds, cv_risk(LinearRegression(), X[10:], y[10:], sample_weight=s[10:]).folds)
    repeated, group_of = np.repeat(np.arange(40), s.astype(int)), np.repeat(groups, s.astype(int))
    whole = cv_risk(LinearRegression(), X[repeated], y[repeated], groups=group_of, cv=[(a, b) for a, b in (
        (np.flatnonzero(group_of % 2 == k), np.flatnonzero(group_of % 2 != k)) for k in range(2))])  # fmt: skip
    pairs = [(np.flatnonzero(groups % 2 == k), np.flatnonzero(groups % 2 != k)) for k in range(2)]
    np.testing.assert_allclose(cv_risk(LinearRegression(), X, y, sample_weight=s, cv=pairs).folds, whole.folds)


@pytest.mark.spec("EVA-006")
def test_what_cross_validation_refuses():
    X, y = regression()
    s = np.ones(30)
    cases = [
        ({"loss": SquaredLoss(), "scoring": "r2"}, "both given"),
        ({"loss": HingeLoss()}, "over classes"),
        ({"aggregate": "mean"}, "aggregate"),
        ({"cv": [(np.arange(5), [])]}, "without rows"),
        ({"sample_weight": -s}, "sample_weight"),
        ({"sample_weight": s, "scoring": lambda model, X, y: 0.0}, "takes no sample_weight"),
        ({"groups": np.zeros(3)}, "inconsistent"),
    ]
    for options, words in cases:
        with pytest.raises(ValueError, match=words):
            cv_risk(LinearRegression(), X, y, **options)
    with pytest.raises(ValueError, match="takes no sample_weight"):
        cv_risk(KNeighborsRegressor(), X, y, sample_weight=s)
    with pytest.raises(ValueError, match="NaN"):
        cv_risk(LinearRegression(), X, np.where(np.arange(30) == 3, np.nan, y))
    with pytest.raises(ValueError, match="no rows"):
        cv_risk(LinearRegression(), np.empty((0, 2)), [])
    with pytest.raises(ValueError, match="two classes"):
        cv_risk(GaussianNB(), *classes(), loss=HingeLoss())


@pytest.mark.spec("EVA-006")
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, np.asfortranarray, lambda X: X.astype(np.float32)])
def test_rows_of_every_kind(make):
    X, y = classes()
    frozen = np.array(X)
    frozen.setflags(write=False)
    rows = make([*frozen.T] if make is pl.DataFrame else frozen)
    plain = cv_risk(GaussianNB(), frozen, y).risk.value
    assert cv_risk(GaussianNB(), rows, pd.Series(y) if make is pd.DataFrame else y).risk.value == pytest.approx(plain)
    assert loo_risk(GaussianNB(), rows, y).value == pytest.approx(loo_risk(GaussianNB(), X, y).value)


@pytest.mark.spec("EVA-007", "EVA-L04")
def test_n_folds_are_leave_one_out():
    X, y = regression(12)
    folds = cv_risk(KNeighborsRegressor(3), X, y, cv=KFold(12)).folds
    np.testing.assert_array_equal(folds, cv_risk(KNeighborsRegressor(3), X, y, cv=LeaveOneOut()).folds)
    assert loo_risk(KNeighborsRegressor(3), X, y).value == pytest.approx(np.mean(folds))
    np.testing.assert_allclose(loo_residuals(KNeighborsRegressor(3), X, y) ** 2, folds)


@pytest.mark.spec("EVA-L04")
def test_leave_one_out_is_unbiased_for_one_row_less_and_folds_come_nearer():
    rng, n, repeats = np.random.default_rng(0), 12, 100
    risks, smaller = {k: [] for k in (2, 4, n)}, []
    for _ in range(repeats):
        X, eps = rng.standard_normal((n, 2)), rng.standard_normal(n)
        y = X[:, 0] + eps
        for k in (2, 4):
            risks[k].append(cv_risk(LinearRegression(), X, y, cv=k).risk.value)
        risks[n].append(loo_risk(LinearRegression(), X, y).value)
        w = LinearRegression().fit(X[1:], y[1:])
        smaller.append(1.0 + np.sum((w.coef_ - [1, 0]) ** 2) + w.intercept_**2)
    error = np.array(risks[n]) - smaller
    assert abs(np.mean(error)) < 4 * np.std(error) / np.sqrt(repeats)
    # Fits of fewer rows are worse, so the bias of few folds is upwards.
    for few, many in ((2, 4), (4, n)):
        step = np.subtract(risks[few], risks[many])
        assert np.mean(step) > 2 * np.std(step) / np.sqrt(repeats)


# Bootstrap


class Memory(ClassifierMixin, BaseEstimator):
    """Knows the rows it has seen by heart, and guesses at the others."""

    def fit(self, X, y):
        self.known_, self.classes_ = dict(zip(X[:, 0], y, strict=True)), np.unique(y)
        return self

    def predict(self, X):
        return np.array([self.known_.get(x, self.classes_[0]) for x in X[:, 0]])


@pytest.mark.spec("EVA-013")
def test_a_memory_of_random_labels_is_no_better_than_chance():
    rng = np.random.default_rng(0)
    X, y = np.arange(200.0)[:, None], rng.integers(0, 2, 200)
    found = bootstrap_error(Memory(), X, y, n_resamples=50, random_state=0)
    assert found.training == 0.0
    share = np.mean(y)
    assert found.no_information == pytest.approx(2 * share * (1 - share))
    assert found.value == pytest.approx(0.5, abs=0.05)
    assert found._replace(method=".632").value < 0.36


@pytest.mark.spec("EVA-013")
@pytest.mark.parametrize(("err", "loob", "gamma"), [(0.1, 0.6, 0.4), (0.0, 0.9, 0.5), (0.2, 0.35, 0.3)])
def test_an_error_out_of_bag_counts_no_more_than_chance(err, loob, gamma):
    assert BootstrapError(err, loob, gamma).overfitting == 1.0
    assert BootstrapError(err, loob, gamma).value == pytest.approx(gamma)
    assert BootstrapError(err, loob, gamma, ".632").value == pytest.approx(0.368 * err + 0.632 * loob)
    assert BootstrapError(err, loob, gamma, "loob").value == loob


class Contrary(ClassifierMixin, BaseEstimator):
    """Right on the rows that it has seen, and wrong on all others."""

    def fit(self, X, y):
        self.classes_, self.seen_ = np.unique(y), set(X[:, 0].tolist())
        return self

    def predict(self, X):
        truth = X[:, 0].astype(int) % 2
        return np.where([x in self.seen_ for x in X[:, 0]], truth, 1 - truth)


@pytest.mark.spec("EVA-013")
def test_a_model_that_is_always_wrong_out_of_bag_is_as_bad_as_chance():
    X = np.arange(40.0)[:, None]
    found = bootstrap_error(Contrary(), X, X[:, 0].astype(int) % 2, n_resamples=40, random_state=0)
    assert (found.training, found.out_of_bag, found.no_information) == (0.0, 1.0, 0.5)
    assert found.value == 0.5


@pytest.mark.spec("EVA-013")
@pytest.mark.parametrize("loss", [None, SoftmaxLoss()], ids=str)
@pytest.mark.parametrize("model", [GaussianNB(), TheirLogistic()], ids=str)
def test_resamples_without_a_class_are_judged_too(model, loss):
    X, y = load_iris(return_X_y=True)
    rows = np.r_[0:20, 50:70, 100]
    found = bootstrap_error(model, X[rows], y[rows], loss=loss, n_resamples=30, random_state=0)
    assert found.out_of_bag >= 0.0


@pytest.mark.spec("EVA-013")
def test_bootstrap_errors_by_hand():
    X, y = regression(15)
    splits = list(BootstrapSplit(40, random_state=3).split(X))
    losses = np.full((40, 15), np.nan)
    for b, (train, test) in enumerate(splits):
        losses[b, test] = (y[test] - LinearRegression().fit(X[train], y[train]).predict(X[test])) ** 2
    found = bootstrap_error(LinearRegression(), X, y, n_resamples=40, random_state=3, n_jobs=2)
    assert found.out_of_bag == pytest.approx(np.mean(np.nanmean(losses, axis=0)))
    predicted = LinearRegression().fit(X, y).predict(X)
    assert found.no_information == pytest.approx(np.mean((y[:, None] - predicted) ** 2))
    assert found.training == pytest.approx(np.mean((y - predicted) ** 2))
    options = {"sample_weight": np.r_[np.ones(15), np.zeros(15)], "n_resamples": 40, "random_state": 3}
    weighted = bootstrap_error(LinearRegression(), np.r_[X, X], np.r_[y, y + 9], **options)
    assert weighted[:3] == pytest.approx(found[:3])
    with pytest.warns(UserWarning, match="every sample"):
        bootstrap_error(LinearRegression(), X, y, n_resamples=1, random_state=0)
    with pytest.raises(ValueError, match="method"):
        bootstrap_error(LinearRegression(), X, y, method="632")


# Report


@pytest.mark.spec("EVA-014")
def test_the_report_of_the_gap():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 30))
    y = X[:, 0] + rng.standard_normal(60)
    wide = generalization_report(LinearRegression(), X, y, reference=1.0)
    narrow = generalization_report(LinearRegression(), X[:, :1], y, reference=1.0)
    assert wide.gap.value == pytest.approx(wide.validation.value - wide.train.value)
    assert wide.gap.value > 5 * narrow.gap.value
    assert wide.norm > narrow.norm
    assert wide.excess == pytest.approx(wide.validation.value - 1.0)
    assert "above the floor" in str(wide)
    report = generalization_report(GaussianNB(), *classes(60), scoring="accuracy")
    assert report.n_parameters == GaussianNB().fit(*classes(60)).n_parameters_
    assert np.isnan(report.norm)
    assert -1.0 <= report.validation.value <= 0.0


@pytest.mark.spec("EVA-L07")
def test_repeats_make_a_split_estimate_less_variable():
    X, y = classes(60)
    splits = [ShuffleSplit(8, test_size=0.25, random_state=k) for k in range(25)]
    risks = np.array([cv_risk(GaussianNB(), X, y, cv=split).folds for split in splits])
    assert np.var(np.mean(risks, axis=1)) < 0.5 * np.var(risks[:, 0])
    assert np.isnan(cv_risk(GaussianNB(), X, y, cv=ShuffleSplit(1, random_state=0)).risk.standard_error)


@pytest.mark.spec("EVA-019")
def test_what_was_trained_for_and_what_is_wanted_may_differ():
    X, y = make_classification(120, weights=[0.85], random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        errors = cv_risk(LogisticRegression(), X, y).risk.value
        wanted = cv_risk(LogisticRegression(), X, y, scoring="f1").risk.value
        ranked = cv_risk(LogisticRegression(), X, y, scoring="roc_auc").risk.value
        hinge = cv_risk(LogisticRegression(), X, y, loss=HingeLoss()).risk.value
    constant = cv_risk(DummyClassifier(), X, y).risk.value
    assert errors < constant
    assert -1.0 < wanted < 0.0
    assert -1.0 < ranked < -0.5
    assert hinge >= errors
