"""Anomalies in real tables: intrusions, thyroids, space shuttles, hearts."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import IsolationForest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer, StandardScaler

from gnomon.anomaly import (
    CentroidDistanceDetector,
    DensityDetector,
    GaussianDetector,
    LogShift,
    MahalanobisDetector,
    NestedContours,
    TunedDetector,
    evaluate_detectors,
    gaussianity_report,
)
from gnomon.distributions import Histogram, Product
from gnomon.features import RatioFeatures
from gnomon.generative import GaussianMixture
from real_data import data_path


def table(name):
    with np.load(data_path(f"anomaly/{name}.npz"), allow_pickle=False) as stored:
        return stored["X"], stored["y"].astype(int)


@pytest.mark.spec("GEN-099", "GEN-100", "GEN-090")
@pytest.mark.parametrize(
    ("name", "least"), [("38_thyroid", 0.6), ("4_breastw", 0.9), ("31_satimage-2", 0.7), ("42_WBC", 0.6)]
)
def test_a_normal_law_of_good_rows_finds_anomalies_in_real_tables(name, least):
    X, y = table(name)
    found = evaluate_detectors({"normal law": GaussianDetector(shrinkage=0.01)}, X, y, random_state=0).best
    assert found.test > least
    assert found.roc_auc > 0.95
    assert found.accuracy > found.all_good_accuracy
    assert found.base_rate == pytest.approx(1.0 - found.all_good_accuracy)


@pytest.mark.spec("GEN-091", "GEN-092", "GEN-100")
def test_many_detectors_side_by_side_on_the_space_shuttle():
    X, y = table("32_shuttle")
    rows = np.random.default_rng(0).permutation(len(y))[:6000]
    detectors = {
        "normal law": GaussianDetector(shrinkage=1e-3),
        "distance": MahalanobisDetector(shrinkage=1e-3),
        "mixture": DensityDetector(GaussianMixture(4, random_state=0, reg_covar=1e-3), contamination=0.05),
        "histograms": DensityDetector(Product.family(models=Histogram), contamination=0.05),
        "centres": make_pipeline(StandardScaler(), CentroidDistanceDetector(8, random_state=0)),
        "forest": IsolationForest(n_estimators=50, random_state=0),
    }
    found = evaluate_detectors(detectors, X[rows], y[rows], random_state=0)
    told = {row.name: row for row in found.scores}
    assert len(told) == 6
    assert found.best.test > 0.9
    assert told["normal law"].roc_auc == pytest.approx(told["distance"].roc_auc)
    assert min(row.roc_auc for row in found.scores) > 0.8
    assert str(found).count("\n") == 7


@pytest.mark.spec("GEN-094", "GEN-095")
def test_skew_columns_of_the_page_blocks_become_more_nearly_normal():
    X, y = table("27_PageBlocks")
    good = X[y == 0]
    report = gaussianity_report(good)
    skew = [j for j, column in enumerate(report.columns) if column.suggestion == "LogShift"]
    assert len(skew) >= 5
    logs = LogShift().fit(good[:, skew])
    after = gaussianity_report(logs.transform(good[:, skew]))
    before = [abs(report.columns[j].skewness) for j in skew]
    assert all(now < then for now, then in zip([abs(c.skewness) for c in after.columns], before, strict=True))
    chains = {"raw": GaussianDetector(), "logs": make_pipeline(LogShift(on_domain="flag"), GaussianDetector())}
    told = {row.name: row for row in evaluate_detectors(chains, X, y, random_state=0).scores}
    assert told["logs"].pr_auc > told["raw"].pr_auc


@pytest.mark.spec("GEN-096", "GEN-090", "GEN-093")
def test_intrusions_into_a_network():
    frame, later = (
        pd.read_csv(data_path(f"anomaly/nsl_kdd_{part}.txt.gz"), header=None).rename(columns=str)
        for part in ("train_20percent", "test")
    )
    usual = frame[frame["41"] == "normal"].select_dtypes("number").drop(columns="42")
    numbers = [name for name in usual if usual[name].nunique() > 20]
    model = make_pipeline(
        make_column_transformer(("passthrough", numbers)),
        RatioFeatures([(numbers.index("4"), numbers.index("5"))]),  # bytes sent and received
        QuantileTransformer(n_quantiles=200),
        GaussianDetector(shrinkage=0.01),
    )
    y = np.where(frame["41"] == "normal", "normal", "attack")
    some = np.random.default_rng(0).permutation(len(frame))[:6000]
    tuned = TunedDetector(model, cv=3, anomaly_label="attack").fit(frame.iloc[some], y[some])
    assert tuned.value_ > 0.85
    attacks = (later["41"] != "normal").to_numpy()
    flagged = tuned.predict(later) == -1
    known = np.isin(later["41"], frame["41"].unique())
    # A third of the attacks in the later table are of kinds that nobody had seen, and many of them are found too.
    assert np.mean(flagged[attacks & ~known]) > 0.4
    assert np.mean(flagged[attacks]) > 0.6
    assert np.mean(flagged[~attacks]) < 0.2


@pytest.mark.spec("GEN-098")
def test_contours_of_thyroid_measurements_sort_patients_by_how_unusual_they_are():
    X, y = table("38_thyroid")
    contours = NestedContours(GaussianMixture(3, random_state=0), (0.5, 0.9, 0.99), random_state=0).fit(X[y == 0])
    region = contours.region_index(X)
    sick = [np.mean(y[region == k]) for k in range(4)]
    assert sick == sorted(sick)
    assert sick[0] < 0.01 < 0.3 < sick[3]
