"""Detectors at the edges: flat laws, columns that others explain, streams that begin dully, units, bad calls."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gnomon.anomaly import (
    AnomalySplit,
    DensityDetector,
    GaussianDetector,
    LogShift,
    MahalanobisDetector,
    NestedContours,
    TunedDetector,
    evaluate_detectors,
    gaussianity_report,
    select_threshold,
)
from gnomon.distributions import Beta, Exponential, Gamma, Histogram, StudentT, Uniform

RNG = np.random.default_rng(0)
GOOD = RNG.normal(size=(100, 3))
LABELS = (np.arange(100) % 10 == 0).astype(int)


@pytest.mark.spec("GEN-097")
@pytest.mark.parametrize("law", [Uniform, Exponential, Gamma, Beta, StudentT, Histogram])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999, 0.999999])
def test_levels_of_laws_with_edges_and_flat_parts(law, level):
    """The region holds its level, or more where a flat part belongs to it."""
    X = np.random.default_rng(1).uniform(0.1, 0.9, size=(500, 1))
    detector = DensityDetector(law, level=level, random_state=0).fit(X)
    draws = detector.density_.sample(20_000, np.random.default_rng(2)).reshape(-1, 1)
    held = np.mean(detector.predict(draws) == 1)
    assert held >= level - 4.0 * np.sqrt(level * (1.0 - level) / 10_000) - 1e-3
    if law in (Gamma, StudentT):
        assert held <= level + 4.0 * np.sqrt(level * (1.0 - level) / 20_000) + 1e-3


@pytest.mark.spec("GEN-097")
def test_a_uniform_law_has_no_odd_rows_within():
    X = np.random.default_rng(0).uniform(size=(300, 1))
    detector = DensityDetector(Uniform, random_state=0).fit(X)
    assert np.all(detector.predict(X) == 1)
    assert detector.predict([[2.0]]) == [-1]


@pytest.mark.spec("GEN-090")
@pytest.mark.parametrize("detector", [GaussianDetector(), MahalanobisDetector()])
@pytest.mark.parametrize("seed", range(8))
def test_a_column_that_others_explain_is_refused_whatever_rounding_left(detector, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 3)) * [1.0, 10.0, 100.0] + [3.0, 1e3, 5.0]
    with pytest.raises(ValueError, match=r"combinations of others.*'diag'"):
        detector.fit(np.c_[X, X @ rng.normal(size=3)])


@pytest.mark.spec("GEN-090")
def test_columns_that_are_nearly_alike_are_kept():
    X = np.c_[GOOD, GOOD[:, 0] + 1e-5 * RNG.normal(size=100)]
    assert np.all(np.isfinite(GaussianDetector().fit(X).score_samples(X)))


def test_a_stream_may_begin_with_constant_or_dependent_columns():
    dull, lively = np.c_[np.zeros(20), RNG.normal(size=20)], RNG.normal(size=(20, 2))
    detector = GaussianDetector().partial_fit(dull).partial_fit(lively)
    whole = GaussianDetector().fit(np.r_[dull, lively])
    np.testing.assert_allclose(detector.score_samples(lively), whole.score_samples(lively))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tie": "odd"}, "tie='odd'"),
        ({"contamination": 0.1}, "contamination=0.1.*need all rows"),
        ({"shrinkage": "ledoit_wolf"}, "^shrinkage='ledoit_wolf' needs all rows"),
    ],
)
def test_a_stream_refuses_what_it_cannot_do(options, words):
    with pytest.raises(ValueError, match=words):
        GaussianDetector(**options).partial_fit(GOOD)


def test_a_threshold_must_be_a_number_and_the_detector_fitted():
    detector = GaussianDetector()
    with pytest.raises(ValueError, match="not fitted"):
        detector.set_threshold(-1.0)
    with pytest.raises(ValueError, match="threshold=nan"):
        detector.fit(GOOD).set_threshold(np.nan)
    with pytest.raises(TypeError, match="threshold='low'"):
        detector.set_threshold("low")


@pytest.mark.parametrize("level", ["high", None, [0.5, 0.9]])
def test_a_level_is_one_number(level):
    with pytest.raises(TypeError, match="level="):
        GaussianDetector(level=level).fit(GOOD)


def test_levels_are_numbers():
    with pytest.raises(TypeError, match="levels='abc'"):
        NestedContours(levels="abc").fit(GOOD)
    assert NestedContours(levels=0.5).fit(GOOD).levels_.tolist() == [0.5]


def precision(y, flagged):
    return y @ flagged / flagged.sum() if flagged.any() else np.nan


@pytest.mark.spec("GEN-096")
def test_a_metric_without_a_value_somewhere_does_not_win_there():
    choice = select_threshold([-1.0, -2.0, -9.0], [0, 0, 1], precision)
    assert (choice.threshold, choice.value) == (-9.0, 1.0)
    assert np.isfinite(TunedDetector(metric=precision).fit(GOOD, LABELS).value_)
    with pytest.raises(ValueError, match="NaN at every threshold"):
        select_threshold([-1.0, -2.0], [0, 1], lambda y, flagged: np.nan)


@pytest.mark.spec("GEN-094")
@pytest.mark.parametrize("unit", [1e-300, 1e-200, 1e-20, 1e200, 1e300])
def test_shapes_have_no_unit(unit):
    X = np.random.default_rng(3).lognormal(size=(300, 2))
    found, expected = gaussianity_report(X * unit), gaussianity_report(X)
    for column, same in zip(found.columns, expected.columns, strict=True):
        np.testing.assert_allclose(column[1:3] + column[4:6], same[1:3] + same[4:6], rtol=1e-9)
    np.testing.assert_allclose(found[1:], expected[1:], rtol=1e-9)


@pytest.mark.spec("GEN-094")
def test_skewness_over_pairs_of_rows_is_taken_in_blocks(monkeypatch):
    X = np.random.default_rng(4).lognormal(size=(40, 8))
    whole = gaussianity_report(X)
    monkeypatch.setattr("gnomon.anomaly.gaussianity.MOST_IN_A_BLOCK", 100)
    np.testing.assert_allclose(gaussianity_report(X)[1:], whole[1:])


@pytest.mark.spec("GEN-095")
def test_a_constant_far_from_zero_has_a_logarithm():
    X = np.full((5, 1), 1e20)
    assert np.all(np.isfinite(LogShift().fit(X).transform(X)))


@pytest.mark.spec("GEN-095")
def test_rows_outside_the_logarithm_have_no_density():
    shift = LogShift(1.0, on_domain="flag").fit(np.abs(GOOD))
    assert shift.log_jacobian([[-5.0, 1.0, 1.0], [1.0, 1.0, 1.0]]).round(6).tolist() == [-np.inf, -2.079442]


@pytest.mark.spec("GEN-095")
def test_the_inverse_refuses_other_columns():
    with pytest.raises(ValueError, match=r"1 features.*3 features"):
        LogShift().fit(GOOD).inverse_transform(GOOD[:, :1])


def test_without_labels_a_detector_needs_a_threshold_of_its_own():
    with pytest.raises(ValueError, match=r"Pipeline has none of its own.*give labels"):
        TunedDetector(make_pipeline(StandardScaler(), GaussianDetector())).fit(GOOD)


def test_folds_are_counted_whatever_kind_of_integer():
    with pytest.raises(ValueError, match=r"cv=20.*cv ≤ 10"):
        TunedDetector(cv=np.int64(20)).fit(GOOD, LABELS)


@pytest.mark.spec("GEN-100")
def test_the_protocol_refuses_what_would_flatter():
    good, bad = np.flatnonzero(LABELS == 0), np.flatnonzero(LABELS == 1)
    twice = AnomalySplit(good[:50], np.r_[good[40:70], bad[:5]], np.r_[good[70:], bad[5:]])
    with pytest.raises(ValueError, match=r"in split more than once"):
        evaluate_detectors([GaussianDetector()], GOOD, LABELS, split=twice)
    taught = AnomalySplit(np.r_[good[:50], bad[:2]], np.r_[good[50:70], bad[2:5]], np.r_[good[70:], bad[5:]])
    with pytest.raises(ValueError, match=r"split.train holds 2 anomalous rows"):
        evaluate_detectors([GaussianDetector()], GOOD, LABELS, split=taught)
    nothing = AnomalySplit(good[:50], np.r_[good[50:70], bad], good[70:])
    with pytest.raises(ValueError, match=r"split.test holds 0 anomalous"):
        evaluate_detectors([GaussianDetector()], GOOD, LABELS, split=nothing)
    with pytest.raises(ValueError, match="give a list or a dict"):
        evaluate_detectors(GaussianDetector(), GOOD, LABELS)
