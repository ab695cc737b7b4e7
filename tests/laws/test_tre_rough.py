"""Trees, forests and boosting on rough tables: no depth, no values, very many categories, labels of any type."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from daily import daily
from gnomon import trees
from gnomon.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from gnomon.trees import _growth

FEW = {"random_state": 0}
CLASSIFIERS = {
    "DecisionTreeClassifier": {},
    "RandomForestClassifier": {"n_estimators": 4},
    "ExtraTreesClassifier": {"n_estimators": 4},
    "HistGradientBoostingClassifier": {"max_iter": 4, "min_samples_leaf": 1},
    "GradientBoostingClassifier": {"n_estimators": 4},
}


def make(name, **more):
    return getattr(trees, name)(**FEW | CLASSIFIERS[name] | more)


def table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + 0.3 * rng.normal(size=n) > 0.0).astype(int)


@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if not name.startswith("Hist")])
def test_no_depth_is_the_share_of_classes(name):
    X, y = table()
    model = make(name, max_depth=0).fit(X, y)
    shares = model.predict_proba(X)
    assert np.ptp(shares, axis=0).max() == 0.0
    assert abs(shares[0, 1] - y.mean()) < 0.1


def test_boosting_by_histograms_needs_a_depth():
    with pytest.raises(ValueError, match="max_depth=0"):
        make("HistGradientBoostingClassifier", max_depth=0).fit(*table())


@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name != "ExtraTreesClassifier"])
def test_a_column_without_values_changes_nothing(name):
    X, y = table()
    empty = np.column_stack([X, np.full(len(X), np.nan)])
    options = {"max_features": None} if "Forest" in name else {}
    model, other = make(name, **options).fit(empty, y), make(name, **options).fit(X, y)
    assert np.array_equal(model.predict_proba(empty), other.predict_proba(X))


def test_extra_trees_do_not_test_a_column_without_values():
    X, y = table()
    empty = np.column_stack([X, np.full(len(X), np.nan)])
    model = make("ExtraTreesClassifier").fit(empty, y)
    assert model.feature_importances_[3] == 0.0
    assert model.score(empty, y) == 1.0


LABELS = {
    "words": np.array(["no", "yes"]),
    "objects": np.array(["no", "yes"], dtype=object),
    "truth values": np.array([False, True]),
    "numbers far apart": np.array([-7, 10**12]),
    "real numbers": np.array([0.0, 2.0]),
    "bytes": np.array([3, 250], dtype=np.uint8),
}


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_labels_of_any_type_come_back(name, labels):
    X, y = table()
    named = LABELS[labels][y]
    model, plain = make(name).fit(X, named), make(name).fit(X, y)
    assert np.array_equal(model.classes_, LABELS[labels])
    assert model.predict(X).dtype == named.dtype
    assert np.array_equal(model.predict(X), LABELS[labels][plain.predict(X)])


@pytest.mark.parametrize("n", daily([1500, 10**5, 10**6], 1500))
@pytest.mark.parametrize("name", ["DecisionTreeClassifier", "RandomForestClassifier", "HistGradientBoostingClassifier"])
def test_as_many_categories_as_rows(name, n):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"who": pd.Categorical.from_codes(rng.permutation(n), [f"n{i}" for i in range(n)])})
    frame["x"] = rng.normal(size=n)
    y = (rng.random(n) < 0.5 + 0.4 * np.sin(np.arange(n))).astype(int)
    model = make(name, max_leaf_nodes=4, **{"RandomForestClassifier": {"n_estimators": 2}}.get(name, {})).fit(frame, y)
    shares = model.predict_proba(frame[:1000])
    assert np.allclose(shares.sum(axis=1), 1.0)
    # Nobody has met these.
    assert len(model.predict(pd.DataFrame({"who": ["nobody", None], "x": [0.0, 0.0]}))) == 2


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_frames_of_polars_are_those_of_pandas(name):
    X, y = table()
    columns = {"a": X[:, 0], "b": np.where(X[:, 1] > 0, "up", "down"), "c": X[:, 2]}
    one, other = (
        pd.DataFrame(columns).astype({"b": "category"}),
        pl.DataFrame(columns, schema_overrides={"b": pl.Categorical}),
    )
    assert np.array_equal(make(name).fit(one, y).predict_proba(one), make(name).fit(other, y).predict_proba(other))


@pytest.mark.spec("TRE-052")
def test_bins_are_used_from_some_rows_on(monkeypatch):
    X, y = table(600)
    exact = make("RandomForestClassifier", binning=None).fit(X, y)
    binned = make("RandomForestClassifier", binning=255).fit(X, y)
    assert not np.array_equal(exact.forest_.whole.threshold, binned.forest_.whole.threshold)
    auto = make("RandomForestClassifier", binning="auto").fit(X, y)
    assert np.array_equal(auto.forest_.whole.threshold, exact.forest_.whole.threshold)
    monkeypatch.setattr(_growth, "BINNED_FROM", 599)
    auto = make("RandomForestClassifier").fit(X, y)
    assert np.array_equal(auto.forest_.whole.threshold, binned.forest_.whole.threshold)
    one = make("DecisionTreeClassifier").fit(X, y)
    assert np.array_equal(one.tree_.threshold, make("DecisionTreeClassifier", binning=None).fit(X, y).tree_.threshold)


@pytest.mark.parametrize("reduction", [OneVsRestClassifier, OneVsOneClassifier, OutputCodeClassifier])
def test_reductions_of_our_trees_in_pipelines_and_under_calibration(reduction):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=240), "word": rng.choice(["a", "b", "c"], 240)})
    y = np.where(frame["word"] == "a", "one", np.where(frame["x"] > 0.0, "two", "three"))
    base = trees.DecisionTreeClassifier(max_depth=4, leaf_alpha=1.0, random_state=0)
    alone = reduction(base, random_state=0) if reduction is OutputCodeClassifier else reduction(base)
    last = make_pipeline(FunctionTransformer(), alone).fit(frame, y)
    assert last.score(frame, y) > 0.95
    calibrated = CalibratedClassifierCV(alone, cv=3).fit(frame, y)
    shares = calibrated.predict_proba(frame)
    assert np.allclose(shares.sum(axis=1), 1.0)
    assert calibrated.score(frame, y) > 0.9
