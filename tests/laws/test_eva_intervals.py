"""Laws of intervals, bands, paired comparisons and tables of metrics."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import binom, chi2, norm
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    brier_score_loss,
    f1_score,
    fbeta_score,
    log_loss,
    mean_absolute_error,
    mean_squared_error,
    precision_score,
    recall_score,
    roc_auc_score,
)

from gnomon.evaluation import (
    CurveStatistic,
    curve_band,
    eer,
    mcnemar,
    metric_difference,
    metric_interval,
    metric_table,
    pr_area,
)
from gnomon.numerics.resampling import bootstrap, replicates

FEW = {"n_resamples": 60, "random_state": 0}
SHARES = np.full(60, 1 / 60)


def trials(n=60, seed=0, separation=1.0):
    rng = np.random.default_rng(seed)
    y = np.concatenate([[0, 1], rng.integers(0, 2, n - 2)])
    return y, np.round(rng.normal(separation * y), 1)


def probability(s):
    return 1 / (1 + np.exp(-s))


SAME = {
    "roc_auc": (lambda y, s: roc_auc_score(y, s), {}),
    "average_precision": (lambda y, s: average_precision_score(y, s), {}),
    "eer": (lambda y, s: eer(y, s).value, {}),
    "pr_area": (lambda y, s: pr_area(y, s), {}),
    "accuracy": (lambda y, s: accuracy_score(y, s > 0.5), {"threshold": 0.5}),
    "recall": (lambda y, s: recall_score(y, s > 0.5), {"threshold": 0.5}),
    "precision": (lambda y, s: precision_score(y, s > 0.5), {"threshold": 0.5}),
    "fpr": (lambda y, s: 1 - recall_score(y == 0, s <= 0.5), {"threshold": 0.5}),
    "f1": (lambda y, s: f1_score(y, s > 0.5), {"threshold": 0.5}),
}


@pytest.mark.parametrize("word", SAME)
def test_sorting_once_is_sorting_every_resample(word):
    y, s = trials()
    function, options = SAME[word]
    for method in ("bootstrap", "stratified"):
        quick = metric_interval(word, y, s, method=method, **options, **FEW)
        plain = metric_interval(function, y, s, method=method, **FEW)
        np.testing.assert_allclose(quick, plain, rtol=1e-10)


PREDICTIONS = {
    "brier": (brier_score_loss, lambda y, s: probability(s)),
    "log_loss": (log_loss, lambda y, s: probability(s)),
    "mean_squared_error": (mean_squared_error, lambda y, s: s),
    "mean_absolute_error": (mean_absolute_error, lambda y, s: s),
    "accuracy": (accuracy_score, lambda y, s: (s > 0).astype(int)),
    "f1": (f1_score, lambda y, s: (s > 0).astype(int)),
}


@pytest.mark.parametrize("word", PREDICTIONS)
def test_words_are_the_metrics_of_scikit_learn(word):
    y, s = trials()
    theirs, prediction = PREDICTIONS[word]
    p = prediction(y, s)
    np.testing.assert_allclose(metric_interval(word, y, p, **FEW), metric_interval(theirs, y, p, **FEW), rtol=1e-10)
    w = np.random.default_rng(0).uniform(0.5, 3, len(y))
    weighed = metric_interval(word, y, p, sample_weight=w, **FEW)
    np.testing.assert_allclose(weighed, metric_interval(theirs, y, p, sample_weight=w, **FEW), rtol=1e-10)
    assert weighed.value == pytest.approx(theirs(y, p, sample_weight=w))


def test_losses_of_several_classes():
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(3), 50)
    y = np.array(["a", "b", "c"])[rng.integers(0, 3, 50)]
    assert metric_interval("log_loss", y, P, **FEW).value == pytest.approx(log_loss(y, P))
    assert metric_interval("brier", y, P, **FEW).value == pytest.approx(brier_score_loss(y, P))
    with pytest.raises(ValueError, match="2 columns"):
        metric_interval("brier", y, P[:, :2] / P[:, :2].sum(axis=1, keepdims=True), **FEW)
    with pytest.raises(ValueError, match="sum to one"):
        metric_interval("brier", y, P / 2, **FEW)


INTERVALS = {
    "auc": lambda y, s, **more: metric_interval("roc_auc", y, s, **more, **FEW),
    "auc stratified": lambda y, s, **more: metric_interval("roc_auc", y, s, method="stratified", **more, **FEW),
    "auc delong": lambda y, s, **more: metric_interval("roc_auc", y, s, method="delong", **more),
    "recall wilson": lambda y, s, **more: metric_interval("recall", y, s, method="wilson", threshold=0.0, **more),
    "brier": lambda y, s, **more: metric_interval("brier", y, probability(s), **more, **FEW),
    "band": lambda y, s, **more: np.concatenate(curve_band(y, s, **more, **FEW)[:4]),
    "band pr": lambda y, s, **more: np.concatenate(curve_band(y, s, space="pr", **more, **FEW)[:4]),
    "difference": lambda y, s, **more: np.r_[metric_difference("roc_auc", y, s, s**2, **more, **FEW).difference],
    "delong difference": lambda y, s, **more: np.r_[
        metric_difference("roc_auc", y, s, s**2, method="delong", **more).difference
    ],
    "mcnemar": lambda y, s, **more: np.r_[mcnemar(y, (s > 0) + 0, (s > 1) + 0, **more)[:4]],
    "table": lambda y, s, **more: np.r_[metric_table(y, s, ["roc_auc"], **more, **FEW).cells["", "all", "roc_auc"]],
}
intervals = pytest.mark.parametrize("function", INTERVALS.values(), ids=INTERVALS)


@intervals
def test_a_weight_counts_rows_in_the_resamples_too(function):
    y, s = trials()
    w = np.random.default_rng(1).integers(0, 4, len(y))
    np.testing.assert_allclose(
        function(y, s, sample_weight=w), function(np.repeat(y, w), np.repeat(s, w)), rtol=1e-9, equal_nan=True
    )


@intervals
def test_intervals_take_labels_and_containers_of_any_kind(function):
    y, s = trials()
    expected = function(y, s)
    words = np.where(y == 1, "yes", "no")
    if function is not INTERVALS["mcnemar"]:
        np.testing.assert_array_equal(function(pd.Series(words), pd.Series(s)), expected)
        np.testing.assert_array_equal(function(pl.Series(words.tolist()), pl.Series(s)), expected)
    np.testing.assert_array_equal(function(y.astype(np.int8), s), expected)


@pytest.mark.spec("EVA-044")
def test_threads_change_nothing():
    y, s = trials(200)
    one, two = (metric_interval("roc_auc", y, s, n_jobs=n, **FEW) for n in (None, 2))
    assert one == two
    np.testing.assert_array_equal(*(curve_band(y, s, n_jobs=n, **FEW).low for n in (None, 2)))


def test_strata_keep_their_size_and_groups_stay_together():
    y, s = trials()
    share = metric_interval(lambda y, s: np.mean(y), y, s, method="stratified", **FEW)
    assert share.standard_error == pytest.approx(0, abs=1e-12)
    four = np.repeat(np.arange(len(y)), 4)
    grouped = metric_interval("roc_auc", y[four], s[four], groups=four, **FEW)
    np.testing.assert_allclose(grouped, metric_interval("roc_auc", y, s, **FEW), rtol=1e-10)
    naive = metric_interval("roc_auc", y[four], s[four], **FEW)
    assert naive.standard_error < 0.7 * grouped.standard_error
    heavy = metric_interval("roc_auc", y, s, groups=np.arange(len(y)), sample_weight=np.full(len(y), 4.0), **FEW)
    np.testing.assert_allclose(heavy, grouped, rtol=1e-10)


def test_counts_are_multinomial():
    for weights in (np.ones(5), np.array([3.0, 1, 1, 0, 0.5]), np.array([100.0, 20, 3, 0, 1]), 1e9 * np.ones(5)):
        draws = bootstrap(weights)
        total = round(float(np.sum(weights)))
        found = replicates(lambda w: w, draws, 4000, random_state=0)
        np.testing.assert_array_equal(found.sum(axis=1), total)
        share = weights / weights.sum()
        error = np.sqrt(total * share * (1 - share) / 4000)
        assert np.all(np.abs(found.mean(axis=0) - total * share) <= 4 * error + 1e-12)
        np.testing.assert_allclose(found.var(axis=0), total * share * (1 - share), rtol=0.15, atol=1e-12)


@pytest.mark.parametrize("method", ["bootstrap", "stratified", "delong"])
def test_intervals_of_an_auc_cover_it(method):
    rng = np.random.default_rng(0)
    truth, draws = norm.cdf(1 / np.sqrt(2)), 120
    covered = 0
    drawn = {} if method == "delong" else {"n_resamples": 100, "random_state": rng}
    for _ in range(draws):
        y = np.arange(120) < 40
        found = metric_interval("roc_auc", y, rng.normal(y), method=method, **drawn)
        covered += found.low <= truth <= found.high
    assert covered / draws > 0.95 - 4 * np.sqrt(0.95 * 0.05 / draws) - 0.01
    assert covered < draws


def test_wilson_covers_small_shares():
    rng = np.random.default_rng(0)
    covered = [
        (found := metric_interval("error_rate", np.zeros(60), (rng.random(60) < 0.05) + 0.0, method="wilson")).low
        <= 0.05
        <= found.high
        for _ in range(400)
    ]
    assert 0.92 < np.mean(covered) < 1


def test_delong_by_definition():
    y, s = trials(40)
    other = np.round(s + np.random.default_rng(3).normal(size=40), 1)

    def components(scores):
        T, F = scores[y == 1][:, None], scores[y == 0]
        kernel = (T > F) + 0.5 * (T == F)
        return kernel.mean(axis=1), kernel.mean(axis=0)

    def error(V10, V01):
        return np.sqrt(np.var(V10, ddof=1) / len(V10) + np.var(V01, ddof=1) / len(V01))

    a, b = components(s), components(other)
    one = metric_interval("roc_auc", y, s, method="delong")
    assert one.standard_error == pytest.approx(error(*a))
    assert one.high == pytest.approx(min(1, one.value + norm.ppf(0.975) * error(*a)))
    found = metric_difference("roc_auc", y, s, other, method="delong")
    expected = error(a[0] - b[0], a[1] - b[1])
    assert found.difference.standard_error == pytest.approx(expected)
    assert found.p_value == pytest.approx(2 * norm.sf(abs(found.difference.value) / expected))
    assert found.first.value - found.second.value == pytest.approx(found.difference.value)
    same = metric_difference("roc_auc", y, s, s, method="delong")
    assert (same.difference.value, same.p_value) == (0, 1)


def test_a_paired_difference_is_sharper_than_two_intervals():
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    s = rng.normal(y)
    better, worse = s, s + 0.5 * rng.normal(size=300)
    found = metric_difference("roc_auc", y, better, worse, n_resamples=400, random_state=0)
    delong = metric_difference("roc_auc", y, better, worse, method="delong")
    assert found.first.low < found.second.high  # the intervals overlap
    assert found.difference.low > 0
    assert found.p_value < 0.05
    assert found.difference.standard_error == pytest.approx(delong.difference.standard_error, rel=0.2)
    swapped = metric_difference("roc_auc", y, worse, better, n_resamples=400, random_state=0)
    assert swapped.difference.value == -found.difference.value
    none = metric_difference("accuracy", y, y, y, **FEW)
    assert (none.difference.value, none.p_value) == (0, 1)


def test_p_values_of_equal_systems_are_uniform():
    rng = np.random.default_rng(0)
    for method in ("bootstrap", "delong"):
        found, drawn = [], {} if method == "delong" else {"n_resamples": 60, "random_state": rng}
        for _ in range(100):
            y = np.arange(80) % 2
            signal = rng.normal(y)
            pair = (signal + rng.normal(size=80) for _ in range(2))
            found.append(metric_difference("roc_auc", y, *pair, method=method, **drawn).p_value)
        assert abs(np.mean(np.array(found) < 0.2) - 0.2) < 4 * np.sqrt(0.16 / 100)


@pytest.mark.parametrize(
    ("method", "statistic", "p"),
    [
        ("exact", 6, 2 * binom.cdf(6, 22, 0.5)),
        ("chi2", 100 / 22, chi2.sf(100 / 22, 1)),
        ("chi2_corrected", 81 / 22, chi2.sf(81 / 22, 1)),
    ],
)
def test_mcnemar(method, statistic, p):
    y, first, second = np.ones(4), [1, 1, 0, 0], [1, 0, 1, 0]
    found = mcnemar(y, first, second, method=method, sample_weight=[59, 6, 16, 19])
    assert (found.only_first, found.only_second) == (6, 16)
    assert found.statistic == pytest.approx(statistic)
    assert found.p_value == pytest.approx(p)
    assert found.difference.value == pytest.approx(-0.1)
    accuracy = metric_difference("accuracy", np.repeat(y, [59, 6, 16, 19]), np.repeat(first, [59, 6, 16, 19]),
                                 np.repeat(second, [59, 6, 16, 19]), random_state=0)  # fmt: skip
    assert accuracy.difference.standard_error == pytest.approx(found.difference.standard_error, rel=0.1)
    equal = mcnemar(y, first, first, method=method)
    assert (equal.p_value, equal.statistic) == (1, 0)


@pytest.mark.parametrize("space", ["roc", "pr", "det"])
def test_bands_cover_the_true_curve(space):
    rng = np.random.default_rng(0)
    grid = np.array([0.2, 0.4, 0.6])
    y = np.arange(200) % 2
    tpr = norm.sf(norm.isf(grid) - 1)
    cut = norm.isf(grid) + 1  # of recall
    truth = {"roc": tpr, "det": 1 - tpr, "pr": grid / (grid + norm.sf(cut))}[space]
    options = {"space": space, "grid": grid, "n_resamples": 60}
    inside = {"pointwise": [], "simultaneous": []}
    for _ in range(60):
        s = rng.normal(y)
        for kind, found in inside.items():
            band = curve_band(y, s, kind=kind, random_state=0, **options)
            found.append((band.low <= truth) & (truth <= band.high))
    assert np.all(np.mean(inside["pointwise"], axis=0) > 0.82)
    assert np.mean(np.all(inside["pointwise"], axis=1)) < np.mean(np.all(inside["simultaneous"], axis=1))
    assert np.mean(np.all(inside["simultaneous"], axis=1)) > 0.82
    assert band.prevalence == 0.5


def test_tables_by_group():
    rng = np.random.default_rng(0)
    y = np.arange(600) % 2
    region = np.repeat(["east", "north", "south"], 200)
    s = rng.normal(y * np.repeat([1.0, 2.0, 0.3], 200))
    table = metric_table(
        y, {"raw": s, "flat": np.zeros(600)}, ["roc_auc", "recall"], by=region, threshold=0.5,
        method={"roc_auc": "delong", "recall": "wilson"},
    )  # fmt: skip
    assert list(table.sizes) == ["all", "east", "north", "south"]
    for group in ("east", "north", "south"):
        rows = region == group
        assert table.cells["raw", group, "roc_auc"].value == pytest.approx(roc_auc_score(y[rows], s[rows]))
        assert table.cells["raw", group, "recall"].value == pytest.approx(recall_score(y[rows], s[rows] > 0.5))
    gap = table.gaps["raw", "roc_auc"]
    assert (gap.highest, gap.lowest) == ("north", "south")
    high, low = (table.cells["raw", g, "roc_auc"].value for g in ("north", "south"))
    assert gap.difference.value == pytest.approx(high - low)
    assert 0 < gap.difference.low < high - low < gap.difference.high
    assert table.gaps["flat", "roc_auc"].difference.value == 0
    assert len(table.records()) == len(table.cells) == 16
    frame = pd.DataFrame(table.records())
    assert set(frame.columns) >= {"system", "group", "metric", "rows", "value", "low", "high"}
    assert "north over south" in str(table)


def test_the_gap_of_two_shares_is_newcombes():
    # Newcombe (1998), table II, example (a), method 10: 56/70 − 48/80.
    y = np.ones(150)
    right = np.r_[np.repeat([1, 0], [56, 14]), np.repeat([1, 0], [48, 32])]
    gap = metric_table(y, right, ["accuracy"], by=np.repeat(["a", "b"], [70, 80]), method="wilson").gaps["", "accuracy"]
    np.testing.assert_allclose(gap.difference[2:4], [0.0524, 0.3339], atol=5e-5)


def test_a_group_without_a_class_is_said_and_others_stand():
    y, by = np.array([0, 1, 0, 1, 1, 1, 1, 1]), np.repeat(["both", "one"], 4)
    called = np.array([0, 1, 1, 1, 1, 0, 1, 1])
    with pytest.warns(UserWarning, match="group 'one' is nan"):
        table = metric_table(y, called, ["roc_auc", "recall"], by=by, method={"roc_auc": "delong", "recall": "wilson"})
    assert np.isnan(table.cells["", "one", "roc_auc"].value)
    assert table.cells["", "one", "recall"].value == 0.75
    assert table.cells["", "both", "roc_auc"].value == 0.75
    assert table.gaps["", "roc_auc"].highest is None


def test_lost_classes_are_said():
    y, s = np.array([0, 0, 0, 0, 1]), np.arange(5.0)
    with pytest.warns(UserWarning, match="resamples have no value"):
        metric_interval("roc_auc", y, s, random_state=0)
    with pytest.warns(UserWarning, match="resamples have no value"):
        band = curve_band(y, s, method="bootstrap", random_state=0)
    assert not np.any(np.isnan(band.low))
    assert metric_interval("roc_auc", y, s, method="stratified", random_state=0).low == 1
    with pytest.raises(ValueError, match="failed on a resample"):
        metric_interval(lambda y, s: log_loss(y, probability(s)), y, s, random_state=0)


def test_curve_statistics_of_any_kind():
    y, s = trials()
    options = {"n_resamples": 4, "random_state": 0}
    best = metric_interval(CurveStatistic(lambda curve: np.max(curve.f_beta(2.0))), y, s, **options)
    by_hand = metric_interval(
        lambda y, s: max(fbeta_score(y, s >= t, beta=2.0, zero_division=0) for t in np.unique(s)), y, s, **options
    )
    np.testing.assert_allclose(best, by_hand, rtol=1e-10)


BAD = {
    "method": (lambda y, s: metric_interval("roc_auc", y, s, method="jackknife"), "choose from"),
    "metric": (lambda y, s: metric_interval("auc", y, s), "choose from"),
    "wilson": (lambda y, s: metric_interval("roc_auc", y, s, method="wilson"), "shares"),
    "delong": (lambda y, s: metric_interval("eer", y, s, method="delong"), "roc_auc"),
    "delong groups": (lambda y, s: metric_interval("roc_auc", y, s, method="delong", groups=y), "independent"),
    "level": (lambda y, s: metric_interval("roc_auc", y, s, level=1.0), "level"),
    "scores as labels": (lambda y, s: metric_interval("recall", y, s), "threshold="),
    "no probabilities": (lambda y, s: metric_interval("brier", y, 3 + s), "no probabilities"),
    "strata of numbers": (lambda y, s: metric_interval("mean_squared_error", s + np.arange(60), s,
                                                       method="stratified"), "no classes"),
    "groups and strata": (lambda y, s: metric_interval("roc_auc", y, s, method="stratified", groups=y), "exclude"),
    "shares as weights": (lambda y, s: metric_interval("roc_auc", y, s, sample_weight=SHARES), "sums to 1"),
    "great weights": (lambda y, s: metric_interval("roc_auc", y, s, sample_weight=np.full(60, 1e150)), "sums to 6e"),
    "band of groups": (lambda y, s: curve_band(y, s, groups=y), "choose 'bootstrap'"),
    "groups": (lambda y, s: metric_interval("roc_auc", y, s, groups=y[1:]), "groups has shape"),
    **{
        f"{name} of {method}": (lambda y, s, options={"method": method, name: value}, metric=metric: metric_interval(
            metric, y, s > 0 if metric == "recall" else s, **options), f"{name}={value} .* leave it out")
        for method, metric in (("delong", "roc_auc"), ("wilson", "recall"))
        for name, value in (("n_resamples", 1000), ("random_state", 0))
    },
    "resamples of a difference": (lambda y, s: metric_difference("roc_auc", y, s, s, method="delong", random_state=1),
                                  "random_state=1 .* leave it out"),
    "resamples of a table": (lambda y, s: metric_table(y, s, ["roc_auc"], method="delong", n_resamples=9),
                             "n_resamples=9 .* leave it out"),
    "few resamples": (lambda y, s: metric_interval("roc_auc", y, s, n_resamples=1), "n_resamples"),
    "one class": (lambda y, s: metric_interval("roc_auc", 0 * y, s), "alone"),
    "nan": (lambda y, s: metric_interval("roc_auc", y, s * np.nan), "NaN"),
    "empty": (lambda y, s: metric_interval("roc_auc", [], []), "some rows"),
    "one positive": (lambda y, s: metric_interval("roc_auc", np.arange(60) == 3, s, method="delong"), "two rows"),
    "grid": (lambda y, s: curve_band(y, s, grid=[0.5, 1.5]), "between 0 and 1"),
    "space": (lambda y, s: curve_band(y, s, space="lift"), "choose from"),
    "lengths": (lambda y, s: metric_difference("roc_auc", y, s, s[1:]), "shape"),
    "delong difference": (lambda y, s: metric_difference("eer", y, s, s, method="delong"), "roc_auc"),
    "metrics": (lambda y, s: metric_table(y, s, "roc_auc"), "list of metrics"),
    "same metric": (lambda y, s: metric_table(y, s, ["roc_auc", "roc_auc"]), "different names"),
    "methods": (lambda y, s: metric_table(y, s, ["roc_auc"], method={"eer": "bootstrap"}), "differ in"),
    "by": (lambda y, s: metric_table(y, s, ["roc_auc"], by=y[1:]), "by has shape"),
    "by nan": (lambda y, s: metric_table(y, s, ["roc_auc"], by=np.where(y, np.nan, 0.0)), "NaN"),
    "by all": (lambda y, s: metric_table(y, s, ["accuracy"], by=np.where(y, "all", "b"), threshold=0), "rename"),
}  # fmt: skip


@pytest.mark.parametrize(("call", "words"), BAD.values(), ids=BAD)
def test_bad_requests_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call(*trials())
