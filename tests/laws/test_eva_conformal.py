"""Conformal sets: coverage is what theory says, and every set is the one of the definition."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse, stats
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import BaggingClassifier as PeerBaggingClassifier
from sklearn.ensemble import BaggingRegressor as PeerBaggingRegressor
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.ensemble import RandomForestClassifier as PeerForestClassifier
from sklearn.ensemble import RandomForestRegressor as PeerForestRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import BayesianRidge, LinearRegression, LogisticRegression, QuantileRegressor, Ridge
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut, ShuffleSplit, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeRegressor

import gnomon.linear
from gnomon.decision import AdaptiveScore, ConformalClassifier, ConformalRegressor, PredictionIntervals
from gnomon.infer import conformal_quantile, exceeding_mass
from gnomon.trees import BaggingClassifier, BaggingRegressor, RandomForestClassifier, RandomForestRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X @ [1.0, -2.0, 0.5] + (0.5 + np.abs(X[:, 0])) * RNG.normal(size=60)
NEW = RNG.normal(size=(25, 3))
LABELS = np.array(["a", "b", "c"])[np.digitize(Y, [-1.0, 1.0])]
ZERO = DummyRegressor(strategy="constant", constant=0.0).fit([[0.0]], [0.0])


def definition(low, high, c):
    """[q⁻ of the lower ends, q⁺ of the upper ends] by counting, for one row."""
    n = len(low)
    k = next(k for k in range(1, n + 2) if k >= c * (n + 1) - 1e-9)
    if k > n:
        return -np.inf, np.inf
    return np.sort(low)[::-1][k - 1], np.sort(high)[k - 1]


# ── ranks ──


@pytest.mark.parametrize("n", [1, 4, 9, 10, 19, 99, 100])
@pytest.mark.parametrize("c", [0.05, 0.1, 0.5, 0.55, 0.7, 0.9, 0.95, 0.99])
def test_the_quantile_is_the_score_of_rank_ceil_n_plus_one_times_c(n, c):
    s = np.random.default_rng(n).permutation(n) + 1.0
    k = -(-(n + 1) * round(1000 * c) // 1000)
    assert conformal_quantile(s, c)[0] == (k if k <= n else np.inf)
    # A sum of weights gives the same rank as a count, whatever their unit.
    for unit in (1.0, 0.1, 1e-150, 1e150):
        assert conformal_quantile(s, c, np.full(n, unit), unit)[0] == (k if k <= n else np.inf)


def test_integer_weights_are_repeated_scores():
    rng = np.random.default_rng(0)
    s, w = rng.integers(0, 8, 30).astype(float), rng.integers(0, 4, 30)
    at = np.arange(-1.0, 9.0)
    for c in (0.1, 0.5, 0.8, 0.9, 0.99):
        np.testing.assert_array_equal(conformal_quantile(s, c, w), conformal_quantile(np.repeat(s, w), c))
    for found, expected in zip(
        exceeding_mass(s, w, at), exceeding_mass(np.repeat(s, w), np.ones(w.sum()), at), strict=True
    ):
        np.testing.assert_array_equal(found, expected)


def test_many_rows_of_scores_or_of_new_weights():
    rng = np.random.default_rng(1)
    s, w, new = rng.normal(size=(6, 40)), rng.uniform(0.1, 2.0, 40), rng.uniform(0.1, 9.0, 6)
    each = [conformal_quantile(row, 0.8, w, v)[0] for row, v in zip(s, new, strict=True)]
    np.testing.assert_array_equal(conformal_quantile(s, 0.8, w, new), each)
    shared = [conformal_quantile(s[0], 0.8, w, v)[0] for v in new]
    np.testing.assert_array_equal(conformal_quantile(s[0], 0.8, w, new), shared)
    plain = [conformal_quantile(row, 0.8)[0] for row in s]
    np.testing.assert_array_equal(conformal_quantile(s, 0.8), plain)


# ── coverage ──


@pytest.mark.parametrize(("n", "c"), [(30, 0.9), (99, 0.8)])
def test_coverage_over_calibration_draws_is_a_beta_law(n, c):
    """Given its calibration rows, a split covers with probability 2Φ(q) − 1 here, which is Beta(n + 1 − l, l)."""
    rng, bounds = np.random.default_rng(n), []
    for _ in range(1000):
        model = ConformalRegressor(ZERO, coverage=c, method="prefit").fit(np.zeros((n, 1)), rng.normal(size=n))
        bounds.append(model.predict_interval([[0.0]]).high[0])
    covered = 2.0 * stats.norm.cdf(bounds) - 1.0
    misses = int(np.floor((n + 1) * (1.0 - c) + 1e-9))
    assert stats.kstest(covered, stats.beta(n + 1 - misses, misses).cdf).pvalue > 0.01
    assert stats.kstest(covered, stats.beta(n - misses, misses + 1).cdf).pvalue < 1e-4


@pytest.mark.parametrize("method", ["split", "cross", "jackknife+", "bootstrap"])
@pytest.mark.parametrize("conformity", ["absolute", "normalized", "quantile"])
def test_intervals_cover(method, conformity):
    rng, c, hits = np.random.default_rng(3), 0.8, []
    bounds = (KNeighborsRegressor(15), KNeighborsRegressor(15)) if conformity == "quantile" else None
    options = {"n_resamples": 15} if method == "bootstrap" else {}
    for _ in range({"split": 40, "jackknife+": 2}.get(method, 5)):
        A = rng.normal(size=(240, 2))
        b = A[:, 0] + (0.2 + np.abs(A[:, 1])) * rng.normal(size=240)
        model = ConformalRegressor(
            KNeighborsRegressor(5), coverage=c, method=method, conformity=conformity, bounds=bounds, random_state=0,
            **options,
        )  # fmt: skip
        hits.append(model.fit(A[:40], b[:40]).predict_interval(A[40:]).covers(b[40:]).mean())
    # The theorem promises 1 − 2(1 − c) of the last three, c of the first.
    assert np.mean(hits) > (c if method == "split" else 1.0 - 2.0 * (1.0 - c)) - 0.03


def test_every_class_is_covered():
    A, b = make_classification(
        6000, 6, n_informative=4, n_classes=3, weights=[0.8, 0.15], class_sep=0.7, random_state=0
    )
    train, test = np.arange(1500), np.arange(1500, 6000)
    marginal = ConformalClassifier(GaussianNB(), random_state=0).fit(A[train], b[train])
    by_class = ConformalClassifier(GaussianNB(), by="class", random_state=0).fit(A[train], b[train])
    shares = {
        model: [model.predict_set(A[test]).covers(b[test])[b[test] == k].mean() for k in range(3)]
        for model in (marginal, by_class)
    }
    assert min(shares[marginal]) < 0.7
    # The rarest class calibrates with 19 rows, so its coverage is a draw from Beta(18, 2).
    assert all(low < share for low, share in zip(stats.beta([269, 50, 18], [30, 6, 2]).ppf(0.005), shares[by_class],
                                                 strict=True))  # fmt: skip


def test_every_group_is_covered():
    rng = np.random.default_rng(0)
    A = np.column_stack([rng.normal(size=9000), rng.integers(0, 2, 9000)])
    b = A[:, 0] + np.where(A[:, 1] == 1, 3.0, 0.3) * rng.normal(size=9000)
    test, group = A[3000:], A[3000:, 1]
    for method in ("split", "cross"):
        model = ConformalRegressor(LinearRegression(), method=method, by=1, random_state=0).fit(A[:3000], b[:3000])
        found = model.predict_interval(test)
        hits = found.covers(b[3000:])
        assert abs(hits[group == 0].mean() - 0.9) < 0.03
        assert abs(hits[group == 1].mean() - 0.9) < 0.03
        assert found.width[group == 1].mean() > 5.0 * found.width[group == 0].mean()
        same = clone(model).set_params(by=lambda rows: np.where(rows[:, 1] > 0, "wide", "narrow"))
        np.testing.assert_array_equal(same.fit(A[:3000], b[:3000]).predict_interval(test).low, found.low)
    with pytest.warns(UserWarning, match="there are 0 of weight 0: 1 rows get an infinite set"):
        assert np.isinf(model.predict_interval([[0.0, 7.0]]).width[0])


def test_weights_restore_coverage_under_a_known_shift():
    """New rows are drawn with density ∝ eˣ φ(x), where the noise is larger."""
    rng = np.random.default_rng(0)
    old, new = rng.normal(size=4000), rng.normal(1.0, 1.0, size=4000)
    noise = 0.1 + np.exp(old), 0.1 + np.exp(new)
    b, b_new = noise[0] * rng.normal(size=4000), noise[1] * rng.normal(size=4000)
    rows = new[:, None]
    plain = ConformalRegressor(ZERO, method="prefit").fit(old[:, None], b)
    weighted = ConformalRegressor(ZERO, method="prefit", shift=lambda A: np.exp(A[:, 0])).fit(old[:, None], b)
    assert plain.predict_interval(rows).covers(b_new).mean() < 0.8
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert abs(weighted.predict_interval(rows).covers(b_new).mean() - 0.9) < 0.03


def test_randomised_p_values_are_uniform():
    """A model of four levels has many ties; smoothing them makes p exactly uniform."""
    rng = np.random.default_rng(0)
    p = np.array([[0.1, 0.9], [0.3, 0.7], [0.6, 0.4], [0.8, 0.2]])

    class Levels(DummyClassifier):
        def predict_proba(self, X):
            return p[np.asarray(X)[:, 0].astype(int)]

    model = Levels().fit([[0], [0]], [0, 1])
    A = rng.integers(0, 4, (20_000, 1))
    b = (rng.random(20_000) < p[A[:, 0], 1]).astype(int)
    smooth, plain = (
        ConformalClassifier(model, method="prefit", randomized=r, random_state=0).fit(A[:10_000], b[:10_000])
        for r in (True, False)
    )
    found = smooth.p_values(A[10_000:])[np.arange(10_000), b[10_000:]]
    assert stats.kstest(found, "uniform").pvalue > 0.01
    assert np.all(plain.p_values(A[10_000:])[np.arange(10_000), b[10_000:]] >= found)
    for c in (0.75, 0.85, 0.95):
        assert abs(smooth.predict_set(A[10_000:], c).covers(b[10_000:]).mean() - c) < 0.015
        assert plain.predict_set(A[10_000:], c).covers(b[10_000:]).mean() > c - 0.015


# ── the sets of the definitions ──


def folds_of(method):
    return LeaveOneOut() if method == "jackknife+" else KFold(4)


@pytest.mark.parametrize("c", [0.5, 0.9])
@pytest.mark.parametrize("method", ["cross", "jackknife+"])
@pytest.mark.parametrize("conformity", ["absolute", "quantile"])
def test_intervals_of_models_left_out_are_those_of_the_definition(method, conformity, c):
    options = {"cv": KFold(4)} if method == "cross" else {}
    bounds = (Ridge(1.0), Ridge(30.0)) if conformity == "quantile" else None
    pair = bounds or (Ridge(2.0), Ridge(2.0))
    model = ConformalRegressor(Ridge(2.0), coverage=c, method=method, conformity=conformity, bounds=bounds, **options)
    low, high = np.empty((60, 25)), np.empty((60, 25))
    for train, out in folds_of(method).split(X):
        lower, upper = (clone(part).fit(X[train], Y[train]) for part in pair)
        s = np.maximum(lower.predict(X[out]) - Y[out], Y[out] - upper.predict(X[out]))
        low[out], high[out] = lower.predict(NEW) - s[:, None], upper.predict(NEW) + s[:, None]
    found = model.fit(X, Y).predict_interval(NEW)
    expected = np.array([definition(low[:, j], high[:, j], c) for j in range(25)]).T
    crossed = expected[0] > expected[1]
    np.testing.assert_allclose(found.low[~crossed], expected[0][~crossed], rtol=1e-12)
    np.testing.assert_allclose(found.high[~crossed], expected[1][~crossed], rtol=1e-12)
    np.testing.assert_array_equal(found.width[crossed], 0.0)
    np.testing.assert_array_equal(model.predict(NEW), Ridge(2.0).fit(X, Y).predict(NEW))


@pytest.mark.parametrize(
    "base",
    [
        RandomForestRegressor(40, random_state=0),
        PeerForestRegressor(40, random_state=0),
        BaggingRegressor(LinearRegression(), 40, max_features=2, random_state=0),
        PeerBaggingRegressor(LinearRegression(), 40, max_features=2, random_state=0),
    ],
    ids=lambda base: f"{type(base).__module__.split('.')[0]} {type(base).__name__}",
)
def test_intervals_from_out_of_bag_members_are_those_of_the_definition(base):
    model = ConformalRegressor(base, coverage=0.8, method="bootstrap").fit(X, Y)
    ensemble = clone(base).fit(X, Y)
    np.testing.assert_allclose(model.predict(NEW), ensemble.predict(NEW), rtol=1e-12)
    columns, bags = getattr(ensemble, "estimators_features_", [np.arange(3)] * 40), ensemble.estimators_samples_
    rows = np.vstack([X, NEW])
    each = np.array([tree.predict(rows[:, some]) for tree, some in zip(ensemble.estimators_, columns, strict=True)])
    low, high = np.empty((60, 25)), np.empty((60, 25))
    for i in range(60):
        answers = np.mean([each[t] for t in range(40) if i not in bags[t]], axis=0)
        s = abs(Y[i] - answers[i])
        low[i], high[i] = answers[60:] - s, answers[60:] + s
    found = model.predict_interval(NEW)
    expected = np.array([definition(low[:, j], high[:, j], 0.8) for j in range(25)]).T
    np.testing.assert_allclose([found.low, found.high], expected, rtol=1e-10)


@pytest.mark.parametrize("conformity", ["lac", "aps", "raps", AdaptiveScore(0.3, 1)], ids=str)
@pytest.mark.parametrize("method", ["split", "cross", "jackknife+"])
def test_sets_are_those_of_the_definition(method, conformity):
    options = {"cross": {"cv": KFold(4)}}.get(method, {})
    model = ConformalClassifier(GaussianNB(), method=method, conformity=conformity, random_state=0, **options)
    model.fit(X, LABELS)
    if method == "split":
        out = np.sort(model._left_out.rows)
        pairs = [(np.setdiff1d(np.arange(60), out), out)]
    else:
        pairs = list(folds_of(method).split(X))
    named = {"lac": None, "aps": AdaptiveScore(), "raps": AdaptiveScore(0.01, 5)}
    penalty = named.get(conformity, conformity) if isinstance(conformity, str) else conformity

    def score(p, k):
        if penalty is None:
            return 1.0 - p[k]
        rank = 1 + sum(p[j] > p[k] or (p[j] == p[k] and j < k) for j in range(3))
        return sum(p[j] for j in range(3) if p[j] >= p[k]) + penalty.penalty * max(0, rank - penalty.free_ranks)

    larger, n = np.zeros((25, 3)), 0
    for train, out in pairs:
        member = GaussianNB().fit(X[train], LABELS[train])
        at = [[score(p, k) for k in range(3)] for p in member.predict_proba(NEW)]
        for p, k in zip(member.predict_proba(X[out]), np.searchsorted(["a", "b", "c"], LABELS[out]), strict=True):
            # Sums of probabilities in another order differ by rounding.
            larger += score(p, k) >= np.array(at) - 1e-12
            n += 1
    np.testing.assert_allclose(model.p_values(NEW), (1.0 + larger) / (1.0 + n), rtol=1e-12)
    for c in (0.5, 0.8, 0.9):
        sets = model.predict_set(NEW, c)
        np.testing.assert_array_equal(sets.included, (1.0 + larger) * 1000 > round(1000 * (1.0 - c)) * (n + 1.0))
        np.testing.assert_array_equal(sets.size, [len(labels) for labels in sets.labels()])


def test_a_split_has_the_classes_whose_score_is_at_most_the_quantile():
    model = ConformalClassifier(GaussianNB(), coverage=0.8, random_state=0).fit(X, LABELS)
    bound = conformal_quantile(model.scores_, 0.8)
    np.testing.assert_array_equal(model.predict_set(NEW).included, 1.0 - model.predict_proba(NEW) <= bound)


@pytest.mark.parametrize(
    "base",
    [
        RandomForestClassifier(30, random_state=0),
        PeerForestClassifier(30, random_state=0),
        BaggingClassifier(GaussianNB(), 30, max_features=2, random_state=0),
        PeerBaggingClassifier(GaussianNB(), 30, max_features=2, random_state=0),
    ],
    ids=lambda base: f"{type(base).__module__.split('.')[0]} {type(base).__name__}",
)
def test_p_values_from_out_of_bag_members_are_those_of_the_definition(base):
    model = ConformalClassifier(base, method="bootstrap").fit(X, LABELS)
    ensemble = clone(base).fit(X, LABELS)
    columns, bags = getattr(ensemble, "estimators_features_", [np.arange(3)] * 30), ensemble.estimators_samples_
    rows = np.vstack([X, NEW])
    each = [tree.predict_proba(rows[:, some]) for tree, some in zip(ensemble.estimators_, columns, strict=True)]
    code, larger = np.searchsorted(["a", "b", "c"], LABELS), np.zeros((25, 3))
    for i in range(60):
        answers = np.mean([each[t] for t in range(30) if i not in bags[t]], axis=0)
        larger += answers[i, code[i]] <= answers[60:] + 1e-12
    np.testing.assert_allclose(model.p_values(NEW), (1.0 + larger) / 61.0, rtol=1e-12)


def test_other_estimators_are_fitted_to_resamples():
    model = ConformalRegressor(
        DecisionTreeRegressor(random_state=0), method="bootstrap", n_resamples=30, random_state=1
    )
    left_out = model.fit(X, Y)._left_out
    assert len(left_out.members) == 30
    np.testing.assert_allclose(left_out.shares.sum(axis=0), 1.0)
    # The rows of which a tree may speak are those that it does not reproduce.
    for t in range(30):
        error = np.abs(left_out.members[t][0].predict(X) - Y)
        assert np.all(error[left_out.shares[t] == 0.0] < 1e-12)
        assert np.all(error[left_out.shares[t] > 0.0] > 1e-12)


# ── what can be changed, and what must not matter ──


@pytest.mark.parametrize("method", ["split", "cross", "bootstrap"])
def test_coverage_can_change_without_a_new_fit(method):
    model = ConformalRegressor(Ridge(), coverage=0.6, method=method, random_state=0).fit(X, Y)
    scores, before = model.scores_, model.predict_interval(NEW)
    wide = model.predict_interval(NEW, coverage=0.9)
    assert np.all((wide.low <= before.low) & (wide.high >= before.high))
    later = model.set_params(coverage=0.9).predict_interval(NEW)
    np.testing.assert_array_equal(later, wide)
    assert model.scores_ is scores


def test_the_curve_of_coverage_counts_rows_by_their_weight():
    w = np.random.default_rng(0).integers(0, 3, 60)
    model = ConformalRegressor(Ridge(), random_state=0).fit(X, Y)
    labels = ConformalClassifier(GaussianNB(), random_state=0).fit(X, LABELS)
    for one, y in ((model, Y), (labels, LABELS)):
        found = one.coverage_curve(X, y, [0.3, 0.7], sample_weight=w)
        np.testing.assert_allclose(found, one.coverage_curve(np.repeat(X, w, axis=0), np.repeat(y, w), [0.3, 0.7]))
        assert np.all((found.low < found.reached) & (found.reached < found.high))
        assert found.size[0] < found.size[1]
    np.testing.assert_allclose(found.size[1], np.average(labels.predict_set(X, 0.7).size, weights=w))


@pytest.mark.parametrize("unit", [1e-150, 1e-8, 1e8, 1e150])
@pytest.mark.parametrize("conformity", ["absolute", "normalized", "quantile"])
@pytest.mark.parametrize("method", ["split", "cross"])
def test_intervals_are_in_units_of_y(unit, conformity, method):
    bounds = (gnomon.linear.Ridge(1.0), gnomon.linear.Ridge(9.0)) if conformity == "quantile" else None
    model = ConformalRegressor(
        gnomon.linear.Ridge(), method=method, conformity=conformity, bounds=bounds, random_state=0
    )
    plain, other = (clone(model).fit(X, d * Y).predict_interval(NEW) for d in (1.0, unit))
    np.testing.assert_allclose(np.divide(other, unit), plain, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("shift", [None, lambda rows: np.ones(len(rows)), lambda rows: np.full(len(rows), 7e20)])
@pytest.mark.parametrize("method", ["split", "cross", "prefit"])
def test_equal_weights_are_none(shift, method):
    base = Ridge().fit(X, Y)
    plain, weighted = (
        ConformalRegressor(base, method=method, shift=s, random_state=0).fit(X, Y, **more).predict_interval(NEW)
        for s, more in ((None, {}), (shift, {"sample_weight": np.ones(60)}))
    )
    np.testing.assert_allclose(weighted, plain, rtol=1e-12)
    labels = ConformalClassifier(GaussianNB().fit(X, LABELS), method="prefit").fit(X, LABELS)
    again = clone(labels).set_params(shift=shift, estimator=labels.estimator).fit(X, LABELS)
    np.testing.assert_allclose(again.p_values(NEW), labels.p_values(NEW), rtol=1e-12)


@pytest.mark.parametrize("method", ["prefit", "cross"])
def test_a_weight_is_a_number_of_rows(method):
    w = np.random.default_rng(5).integers(0, 4, 60)
    copies, group = np.repeat(np.arange(60), w), np.arange(60) % 3
    folds = [
        [(np.flatnonzero(g != k), np.flatnonzero(g == k)) for k in range(3)] if method == "cross" else None
        for g in (group, group[copies])
    ]
    for base, target, kind, ask in (
        (Ridge(), Y, ConformalRegressor, "predict_interval"),
        (GaussianNB(), LABELS, ConformalClassifier, "p_values"),
    ):
        base.fit(X, target)
        weighted = kind(base, method=method, cv=folds[0]).fit(X, target, sample_weight=w)
        repeated = kind(base, method=method, cv=folds[1]).fit(X[copies], target[copies])
        np.testing.assert_allclose(getattr(weighted, ask)(NEW), getattr(repeated, ask)(NEW), rtol=1e-9)


@pytest.mark.parametrize("unit", [1e-150, 1e-6])
def test_small_weights_have_no_unit(unit):
    """Weights that are all small, shares of one for example, leave as many rows."""
    w = np.where(np.arange(60) % 3, 1.0, 0.5)
    base = Ridge().fit(X, Y)
    plain, other = (
        ConformalRegressor(base, method="prefit").fit(X, Y, sample_weight=k * w).predict_interval(NEW)
        for k in (1.0, unit)
    )
    np.testing.assert_array_equal(plain, other)


def test_rows_of_weight_zero_are_no_rows():
    w = np.where(np.arange(90) < 60, 1.0, 0.0)
    A, b = np.vstack([X, 50.0 + NEW, NEW[:5]]), np.append(Y, np.full(30, 1e6))
    for method in ("split", "cross", "jackknife+", "bootstrap"):
        model = ConformalRegressor(Ridge(), method=method, random_state=0)
        found = clone(model).fit(A, b, sample_weight=w).predict_interval(NEW)
        np.testing.assert_allclose(found, clone(model).fit(X, Y).predict_interval(NEW), rtol=1e-9)


def test_too_few_rows_give_an_infinite_set_and_say_so():
    base = Ridge().fit(X, Y)
    for n, infinite in ((8, True), (9, False)):
        model = ConformalRegressor(base, coverage=0.9, method="prefit").fit(X[:n], Y[:n])
        labels = ConformalClassifier(GaussianNB().fit(X, LABELS), method="prefit").fit(X[:n], LABELS[:n])
        if infinite:
            with pytest.warns(UserWarning, match="needs calibration rows .* 25 rows get an infinite set"):
                assert np.all(np.isinf(model.predict_interval(NEW).width))
            with pytest.warns(UserWarning, match="infinite set"):
                assert np.all(labels.predict_set(NEW).included)
        else:
            assert np.all(np.isfinite(model.predict_interval(NEW).width))
            labels.predict_set(NEW)
    few = LABELS[(LABELS != "c") | (np.cumsum(LABELS == "c") < 9)]
    by_class = ConformalClassifier(GaussianNB().fit(X, LABELS), method="prefit", by="class")
    by_class.fit(X[: len(few)], few)
    with pytest.warns(UserWarning, match="there are 8 of weight 8"):
        assert np.all(by_class.predict_set(NEW).included[:, 2])


@pytest.mark.parametrize("coverage", [0.0, 1.0, -0.1, 90, np.nan, "most", None, True])
def test_coverage_outside_zero_and_one_is_refused(coverage):
    with pytest.raises((ValueError, TypeError), match="coverage="):
        ConformalRegressor(Ridge(), coverage=coverage).fit(X, Y)
    if coverage is not None:
        model = ConformalRegressor(Ridge(), random_state=0).fit(X, Y)
        with pytest.raises((ValueError, TypeError), match="coverage="):
            model.predict_interval(NEW, coverage=coverage)


REFUSED = [
    ({"cv": 5}, "cv=5 is for method='cross', and method='split' does not use it"),
    ({"method": "cross", "calibration_size": 0.5}, "calibration_size=0.5 is for method='split'"),
    ({"method": "cross", "n_resamples": 5}, "n_resamples=5 is for method='bootstrap'"),
    ({"method": "cross", "cv": ShuffleSplit(3, random_state=0)}, "leaves a row out more than once"),
    ({"spread": Ridge()}, "spread is for conformity='normalized'"),
    ({"bounds": (Ridge(), Ridge())}, "bounds is for conformity='quantile'"),
    ({"conformity": "quantile"}, "Ridge has no parameter `quantile`"),
    ({"conformity": "quantile", "estimator": GradientBoostingRegressor()}, "has no parameter `quantile` in use"),
    ({"conformity": "quantile", "bounds": (Ridge(),)}, "bounds has 1 estimators; give two"),
    ({"conformity": "normalized", "method": "prefit"}, "needs the fitted model of the spread"),
    ({"conformity": "quantile", "method": "prefit"}, "needs the two fitted models"),
    ({"shift": lambda rows: -np.ones(len(rows))}, "one number ≥ 0, finite"),
    ({"shift": lambda rows: np.ones(3)}, r"shape \(3,\); it must give one number"),
    ({"shift": lambda rows: np.zeros(len(rows))}, "shift is zero for every row that calibrates"),
    ({"by": lambda rows: np.ones(3)}, "one group for each of the 60 rows"),
    ({"by": "sex"}, "by='sex' finds no groups"),
    ({"by": 7}, "by=7 finds no groups"),
    ({"estimator": BaggingRegressor(), "method": "bootstrap", "n_resamples": 9}, "those of BaggingRegressor are used"),
    ({"method": "naive"}, "method='naive' is unknown"),
]


@pytest.mark.parametrize(("options", "sentence"), REFUSED, ids=[sentence[:30] for _, sentence in REFUSED])
def test_what_cannot_be_used_is_refused(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        ConformalRegressor(**{"estimator": Ridge(), **options}).fit(X, Y)


def test_probabilities_are_asked_for_where_they_are_needed():
    with pytest.raises(ValueError, match="LinearSVC has no predict_proba, which conformity='aps' needs"):
        ConformalClassifier(LinearSVC(), conformity="aps", random_state=0).fit(X, LABELS)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        ConformalClassifier(GaussianNB(), method="prefit").fit(X, LABELS)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        ConformalRegressor(Ridge(), method="prefit").fit(X, Y)
    with pytest.raises(ValueError, match="KNeighborsRegressor takes no sample_weight"):
        ConformalRegressor(KNeighborsRegressor()).fit(X, Y, sample_weight=np.ones(60))


def test_margins_rank_as_well_as_probabilities():
    """The margin of two classes grows with the probability, so the sets are the same."""
    b = np.where(LABELS == "a", "no", "yes")
    model = LogisticRegression().fit(X, b)

    class Margins(LogisticRegression):
        predict_proba = None

    other = Margins().fit(X, b)
    found = [ConformalClassifier(m, method="prefit").fit(X, b).p_values(NEW) for m in (model, other)]
    np.testing.assert_array_equal(*found)
    assert ConformalClassifier(LinearSVC(), method="cross", random_state=0).fit(X, LABELS).p_values(NEW).shape == (
        25,
        3,
    )


def test_quantile_models_are_made_of_the_estimator():
    rng = np.random.default_rng(0)
    A = rng.uniform(0, 3, (1200, 1))
    b = A[:, 0] + (0.1 + A[:, 0]) * rng.normal(size=1200)
    wide = []
    for base in (
        QuantileRegressor(alpha=0.0),
        make_pipeline(StandardScaler(), GradientBoostingRegressor(loss="quantile", alpha=0.5, n_estimators=30)),
        gnomon.trees.HistGradientBoostingRegressor(loss="quantile", quantile=0.5, max_iter=30),
    ):
        model = ConformalRegressor(base, coverage=0.8, conformity="quantile", random_state=0).fit(A[:600], b[:600])
        found = model.predict_interval(A[600:])
        assert abs(found.covers(b[600:]).mean() - 0.8) < 0.06
        wide.append(found.width[A[600:, 0] > 2.0].mean() / found.width[A[600:, 0] < 1.0].mean())
        # The plain prediction is that of the estimator as it was given: a median.
        assert abs(np.mean(b[600:] < model.predict(A[600:])) - 0.5) < 0.06
    assert min(wide) > 2.0


@pytest.mark.parametrize("spread", [None, KNeighborsRegressor(20), "return_std"])
def test_normalised_intervals_follow_the_spread(spread):
    rng = np.random.default_rng(0)
    A = rng.uniform(0, 3, (900, 1))
    b = A[:, 0] + (0.1 + A[:, 0]) * rng.normal(size=900)
    base = BayesianRidge() if spread == "return_std" else LinearRegression()
    model = ConformalRegressor(base, conformity="normalized", spread=spread, random_state=0).fit(A[:600], b[:600])
    found = model.predict_interval(A[600:])
    assert abs(found.covers(b[600:]).mean() - 0.9) < 0.05
    ratio = found.width[A[600:, 0] > 2.0].mean() / found.width[A[600:, 0] < 1.0].mean()
    assert ratio > 2.0 if spread != "return_std" else ratio < 1.5


# ── the contract ──


def test_pipelines_and_searches():
    pipeline = make_pipeline(StandardScaler(), Ridge())
    inside = ConformalRegressor(pipeline, method="cross", random_state=0).fit(X, Y)
    assert inside.predict_interval(NEW).low.shape == (25,)
    last = make_pipeline(StandardScaler(), ConformalRegressor(Ridge(), random_state=0)).fit(X, Y)
    np.testing.assert_array_equal(last.predict(NEW), last[-1].estimator_.predict(last[0].transform(NEW)))
    grid = {"estimator__alpha": [1e-3, 1e4], "conformity": ["absolute", "normalized"]}
    search = GridSearchCV(ConformalRegressor(Ridge(), random_state=0), grid, cv=3).fit(X, Y)
    assert search.best_params_["estimator__alpha"] == 1e-3
    best = search.best_estimator_
    expected = -np.mean(best.predict_interval(NEW).loss(NEW[:, 0], 0.9))
    assert best.score(NEW, NEW[:, 0]) == pytest.approx(expected)
    assert cross_val_score(last, X, Y, scoring="r2").mean() > 0.2
    grid = {"conformity": ["lac", AdaptiveScore(0.1, 1)], "estimator__var_smoothing": [1e-9, 1e3]}
    search = GridSearchCV(ConformalClassifier(GaussianNB(), random_state=0), grid, cv=3).fit(X, LABELS)
    assert search.best_params_["estimator__var_smoothing"] == 1e-9
    sizes = search.best_estimator_.predict_set(NEW).size
    w = np.arange(25.0)
    assert search.best_estimator_.score(NEW, LABELS[:25], sample_weight=w) == pytest.approx(
        -np.average(sizes, weights=w)
    )
    plain = ConformalClassifier(GaussianNB(), random_state=0)
    assert cross_val_score(plain, X, LABELS, scoring="neg_log_loss").mean() > -1.5


def test_the_score_of_an_interval_is_least_at_the_quantiles():
    y = stats.norm.ppf((np.arange(2000) + 0.5) / 2000)
    best = stats.norm.ppf(0.95)

    def loss(half):
        return PredictionIntervals(np.full(2000, -half), np.full(2000, half)).loss(y, 0.9).mean()

    assert loss(best) < min(loss(0.95 * best), loss(1.05 * best))


@pytest.mark.parametrize("wrap", [lambda model: model, FrozenEstimator], ids=["fitted", "frozen"])
def test_fitted_models_are_kept(wrap):
    base = Ridge().fit(X[:30], Y[:30])
    model = ConformalRegressor(wrap(base), method="prefit").fit(X[30:], Y[30:])
    np.testing.assert_array_equal(model.predict(NEW), base.predict(NEW))
    np.testing.assert_allclose(model.scores_, np.abs(Y[30:] - base.predict(X[30:])))
    spread = Ridge().fit(X[:30], np.ones(30))
    scaled = ConformalRegressor(wrap(base), method="prefit", conformity="normalized", spread=spread).fit(X[30:], Y[30:])
    np.testing.assert_allclose(scaled.predict_interval(NEW), model.predict_interval(NEW))
    ends = ConformalRegressor(wrap(base), method="prefit", conformity="quantile", bounds=(base, base))
    np.testing.assert_allclose(ends.fit(X[30:], Y[30:]).predict_interval(NEW), model.predict_interval(NEW))


def test_a_label_that_the_fitted_model_does_not_know_is_never_covered():
    base = GaussianNB().fit(X[LABELS != "c"], LABELS[LABELS != "c"])
    model = ConformalClassifier(base, method="prefit").fit(X, LABELS)
    assert np.all(np.isinf(model.scores_) == (LABELS == "c"))
    assert not np.any(model.predict_set(NEW, 0.5).covers(np.full(25, "c")))


def test_classes_that_a_fold_lacks_have_probability_zero():
    b = np.where(np.arange(60) < 2, "rare", LABELS)
    folds = [(np.arange(2, 60), np.arange(30)), (np.arange(30), np.arange(30, 60))]
    model = ConformalClassifier(GaussianNB(), method="cross", cv=folds).fit(X, b)
    np.testing.assert_array_equal(model.scores_[:2], 1.0)


@pytest.mark.parametrize("method", ["split", "cross", "bootstrap"])
@pytest.mark.parametrize(
    "base", [gnomon.linear.Ridge(), RandomForestRegressor(20, random_state=0), PeerForestRegressor(20, random_state=0)],
    ids=lambda base: f"{type(base).__module__.split('.')[0]} {type(base).__name__}",
)  # fmt: skip
def test_tables_of_any_kind_give_the_same(method, base):
    model = ConformalRegressor(base, method=method, random_state=0)
    expected = clone(model).fit(X, Y).predict_interval(NEW)
    frozen = [np.array(part) for part in (X, Y)]
    for part in frozen:
        part.flags.writeable = False
    for rows, y, new in (
        (pd.DataFrame(X, columns=list("abc")), pd.Series(Y), pd.DataFrame(NEW, columns=list("abc"))),
        (pl.DataFrame(X, schema=list("abc")), pl.Series(Y), pl.DataFrame(NEW, schema=list("abc"))),
        (np.asfortranarray(X), list(Y), NEW.tolist()),
        (*frozen, NEW),
        # Sparse rows give other trees in scikit-learn.
        *([] if "sklearn" in type(base).__module__ else [(sparse.csr_array(X), Y, sparse.csr_array(NEW))]),
    ):
        np.testing.assert_allclose(clone(model).fit(rows, y).predict_interval(new), expected, rtol=1e-9)


@pytest.mark.slow
def test_columns_of_words_reach_the_members_of_a_forest():
    frame = pd.DataFrame({"x": X[:, 0], "word": np.where(X[:, 1] > 0, "up", "down")})
    model = ConformalRegressor(RandomForestRegressor(20, random_state=0), method="bootstrap", by="word").fit(frame, Y)
    assert np.all(np.isfinite(model.predict_interval(frame).width))


@pytest.mark.parametrize("labels", [LABELS == "a", (LABELS == "a").astype(int), LABELS.astype(object)])
def test_labels_of_any_kind(labels):
    model = ConformalClassifier(KNeighborsClassifier(5), method="cross", random_state=0).fit(X, labels)
    sets = model.predict_set(NEW, 0.8)
    assert {label for row in sets.labels() for label in row} <= set(np.unique(labels).tolist())
    assert sets.covers(model.predict(NEW)).mean() > 0.5


def squares(rows):
    return 1.0 + rows[:, 1] ** 2


def test_results_do_not_depend_on_the_pieces(monkeypatch):
    models = [
        ConformalRegressor(Ridge(), method="cross", random_state=0).fit(X, Y),
        ConformalRegressor(Ridge(), method="cross", random_state=0, by=lambda A: A[:, 0] > 0, shift=squares).fit(X, Y),
    ]
    labels = ConformalClassifier(GaussianNB(), method="bootstrap", conformity="aps", randomized=True, random_state=0)
    labels.fit(X, LABELS)
    before = [model.predict_interval(NEW, 0.7) for model in models], labels.p_values(NEW)
    monkeypatch.setattr("gnomon.decision._conformal.MOST_CELLS", 200)
    for model, expected in zip(models, before[0], strict=True):
        np.testing.assert_allclose(model.predict_interval(NEW, 0.7), expected, rtol=1e-12)
    np.testing.assert_allclose(labels.p_values(NEW), before[1], rtol=1e-12)


def test_rows_in_every_resample_are_left_out_and_said():
    model = ConformalRegressor(Ridge(), method="bootstrap", n_resamples=2, random_state=0)
    with pytest.warns(UserWarning, match="rows are in every resample"):
        model.fit(X, Y)
    assert 0 < len(model.scores_) < 60


@pytest.mark.parametrize("y", [np.append(Y[:-1], np.nan), np.append(Y[:-1], np.inf)])
def test_targets_that_are_no_numbers_are_refused(y):
    with pytest.raises(ValueError, match="y contains"):
        ConformalRegressor(Ridge()).fit(X, y)


def test_one_row_or_one_class_is_refused_by_what_needs_more():
    with pytest.raises(ValueError, match="n_samples=1"):
        ConformalRegressor(Ridge()).fit(X[:1], Y[:1])
    with pytest.raises(ValueError, match="class"):
        ConformalClassifier(LogisticRegression(), random_state=0).fit(X, np.zeros(60))
    with pytest.raises(ValueError, match="n_samples=1 rows are all in every one of the 50 resamples"):
        ConformalRegressor(Ridge(), method="bootstrap").fit(X[:1], Y[:1])
    with pytest.raises(ValueError, match="minimum of 1 is required"):
        ConformalRegressor(Ridge()).fit(X[:0], Y[:0])
