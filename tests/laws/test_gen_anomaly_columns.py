"""Columns of anomaly detectors: ratios, shifted logarithms, units, and the report on their normality."""

import inspect

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.pipeline import make_pipeline

from gnomon.anomaly import (
    DensityDetector,
    GaussianDetector,
    LogShift,
    gaussianity_report,
)
from gnomon.datasets import make_datacenter
from gnomon.distributions import KDE
from gnomon.features import RatioFeatures
from gnomon.generative import GaussianMixture


@pytest.mark.spec("GEN-L50", "GEN-093", "GEN-101", "GEN-090")
def test_odd_combinations_need_a_full_covariance_or_a_ratio():
    X, y = make_datacenter(2000, 20, random_state=0)
    good, odd = X[y == 0], X[y == 1]
    ratio = make_pipeline(RatioFeatures([(1, 2)]), GaussianDetector("diag", level=0.999))
    caught = {
        "diag": np.mean(GaussianDetector("diag", level=0.999).fit(good).predict(odd) == -1),
        "full": np.mean(GaussianDetector("full", level=0.999).fit(good).predict(odd) == -1),
        "ratio": np.mean(ratio.fit(good).predict(odd) == -1),
    }
    assert caught["diag"] == 0.0
    assert caught["full"] == caught["ratio"] == 1.0


@pytest.mark.spec("GEN-093")
def test_ratios_and_products_by_name_with_safe_zeros():
    frame = pd.DataFrame({"load": [1.0, 4.0, 0.0], "traffic": [2.0, 0.5, 1.0]})
    made = RatioFeatures([("load", "traffic")], [("load", "traffic")], keep="none").set_output(transform="pandas")
    assert list(made.fit_transform(frame).columns) == ["load/traffic", "load*traffic"]
    odd = pd.DataFrame({"load": [3.0, 0.0, 3.0], "traffic": [0.0, 0.0, -0.1]})
    assert made.transform(odd)["load/traffic"].tolist() == [6.0, 0.0, -6.0]
    huge = RatioFeatures([(0, 1)], [(0, 0)], floor=1e-300).fit([[1.0, 1.0]]).transform([[1e300, 0.0]])
    assert np.all(np.isfinite(huge))
    with pytest.raises(ValueError, match="pairs of columns"):
        RatioFeatures([(0, 1, 1)]).fit([[1.0, 2.0]])


@pytest.mark.spec("GEN-L51", "GEN-095")
@pytest.mark.parametrize(("shift", "spread"), [(0.0, 0.5), (-3.0, 1.0), (100.0, 0.8)])
def test_a_shifted_logarithm_makes_shifted_log_normal_columns_more_nearly_normal(shift, spread):
    x = shift + np.random.default_rng(0).lognormal(1.0, spread, (500, 1))
    found = LogShift().fit(x)
    before, after = (stats.shapiro(rows).statistic for rows in (x, found.transform(x)))
    assert after > max(before, 0.99)
    assert found.k_[0] > -np.min(x)
    nearby = [stats.shapiro(np.log(x + found.k_[0] + step * np.ptp(x))).statistic for step in (0.01, 0.1)]
    smaller = [stats.shapiro(np.log(x - np.min(x) + part * (np.min(x) + found.k_[0]))).statistic for part in (0.5, 0.9)]
    assert after >= max(*nearby, *smaller) - 1e-7
    np.testing.assert_allclose(found.inverse_transform(found.transform(x)), x, rtol=1e-9)


@pytest.mark.spec("GEN-095")
def test_outside_the_domain_a_row_is_refused_or_flagged():
    x = np.random.default_rng(0).lognormal(size=(300, 1))
    with pytest.raises(ValueError, match="on_domain='flag'"):
        LogShift(k=0.0).fit(x).transform([[-1.0]])
    for dtype in (np.float64, np.float32):
        for model in (GaussianDetector(), DensityDetector(KDE, contamination=0.0), DensityDetector(GaussianMixture(2))):
            chain = make_pipeline(LogShift(k=0.0, on_domain="flag"), model).fit(x.astype(dtype))
            assert chain.predict(np.array([[-1.0], [1.0]], dtype=dtype)).tolist()[1] == 1
            assert chain.score_samples(np.array([[-1.0]], dtype=dtype))[0] < -1e6
    assert LogShift(k=0.0).fit(x.astype(np.float32)).transform(x.astype(np.float32)).dtype == np.float32
    with pytest.raises(ValueError, match="must exceed"):
        LogShift(k=-10.0).fit(x)


@pytest.mark.spec("GEN-095")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("center", "spread"), [(1e6, 1.0), (-1e6, 1e-3), (0.0, 1e-200), (0.0, 1e30)])
def test_training_rows_are_always_within_the_domain(dtype, center, spread):
    x = (center + spread * np.random.default_rng(0).lognormal(size=(50, 1))).astype(dtype)
    assert np.all(np.isfinite(LogShift().fit(x).transform(x)))


@pytest.mark.spec("GEN-095")
def test_densities_in_original_units_integrate_to_one():
    x = 2.0 + np.random.default_rng(0).lognormal(size=(200, 1))
    shift = LogShift().fit(x)
    law = GaussianDetector().fit(shift.transform(x))
    grid = np.linspace(-shift.k_[0] + 1e-9, 400.0, 400_001)[:, None]
    density = np.exp(law.score_samples(shift.transform(grid)) + shift.log_jacobian(grid))
    assert np.trapezoid(density, grid[:, 0]) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.spec("GEN-094")
def test_the_report_on_columns_agrees_with_scipy_and_suggests():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({
        "normal": rng.normal(size=800), "right": rng.lognormal(size=800), "left": -rng.lognormal(size=800),
        "heavy": rng.standard_t(3, 800), "flat": rng.uniform(size=800), "still": np.ones(800),
    })  # fmt: skip
    report = gaussianity_report(X)
    told = {column.name: column.suggestion for column in report.columns}
    assert told == {
        "normal": "none", "right": "LogShift", "left": "LogShift of −x", "heavy": "QuantileTransformer",
        "flat": "PowerTransformer", "still": "drop",
    }  # fmt: skip
    right = report.columns[1]
    assert right.skewness == pytest.approx(stats.skew(X["right"]))
    assert right.kurtosis == pytest.approx(stats.kurtosis(X["right"]))
    assert right.statistic == pytest.approx(stats.shapiro(X["right"]).statistic)
    assert np.isnan(report.mardia_skewness)
    assert "try LogShift of −x" in str(report)


@pytest.mark.spec("GEN-094")
def test_many_rows_take_anderson_darling_and_mardia_judges_the_whole_table():
    rng = np.random.default_rng(1)
    normal, curved = rng.normal(size=(6000, 2)), rng.normal(size=(6000, 2))
    curved[:, 1] += 0.3 * curved[:, 0] ** 2
    report = gaussianity_report(normal)
    assert [column.test for column in report.columns] == ["anderson", "anderson"]
    known = stats.anderson(normal[:, 0], method="interpolate") if _has_method() else stats.anderson(normal[:, 0])
    assert report.columns[0].statistic == pytest.approx(known.statistic)
    assert min(report.skewness_p_value, report.kurtosis_p_value) > 0.001
    assert gaussianity_report(curved).skewness_p_value < 1e-6
    one = gaussianity_report(normal[:500, :1])
    assert one.mardia_skewness == pytest.approx(stats.skew(normal[:500, 0]) ** 2)
    assert one.mardia_kurtosis == pytest.approx(stats.kurtosis(normal[:500, 0]) + 3.0)
    few, many = normal[:8, :], normal[:8, :2]
    wide = rng.normal(size=(40, 7))
    Z = np.linalg.svd(wide - wide.mean(0), full_matrices=False)[0] * np.sqrt(40)
    assert gaussianity_report(wide).mardia_skewness == pytest.approx(np.sum((Z @ Z.T) ** 3) / 40**2)
    assert gaussianity_report(few) == gaussianity_report(many)


def _has_method():
    return "method" in inspect.signature(stats.anderson).parameters
