"""Laws of what clusters mean: profiles, separating columns, categories, rules, maps."""

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsClassifier

from gnomon.cluster import (
    category_counts,
    cluster_profile,
    compare_labels,
    embed,
    explain_clusters,
    feature_separation,
)
from gnomon.trees import DecisionTreeClassifier


@pytest.fixture(scope="module")
def planted():
    """Three groups that differ in the column "dose" alone."""
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 3, size=150)
    frame = pd.DataFrame(rng.normal(size=(150, 4)), columns=["age", "mass", "dose", "pulse"])
    frame["dose"] += 6.0 * labels
    return frame, labels


@pytest.mark.spec("UNS-L23", "UNS-059", "UNS-062")
def test_the_planted_column_separates(planted):
    frame, labels = planted
    assert feature_separation(frame, labels).names[feature_separation(frame, labels).order[0]] == "dose"
    for estimator in (None, DecisionTreeClassifier(max_depth=3)):
        rules = explain_clusters(frame, labels, estimator)
        assert rules.names[int(np.argmax(rules.importances))] == "dose"
        assert rules.fidelity > 0.95
        assert all("dose" in text for texts in rules.rules.values() for text in texts)
        assert "<=" in rules.rules[0][0]
        assert ">" in rules.rules[2][0]


@pytest.mark.spec("UNS-L23", "UNS-058")
def test_a_profile_does_not_depend_on_the_names_of_clusters(planted):
    frame, labels = planted
    found, other = cluster_profile(frame, labels), cluster_profile(frame, np.array(["c", "a", "b"])[labels])
    back = [1, 2, 0]
    assert other.labels.tolist() == ["a", "b", "c"]
    for name in ("size", "share", "center", "median", "sd", "medoid"):
        assert np.array_equal(getattr(found, name)[back], getattr(other, name))
    assert np.array_equal(found.standing.words[back], other.standing.words)
    assert pytest.approx(feature_separation(frame, 2 - labels).F) == feature_separation(frame, labels).F


@pytest.mark.spec("UNS-058")
def test_a_profile_is_that_of_the_definitions(planted):
    frame, labels = planted
    found = cluster_profile(frame, labels)
    X = frame.to_numpy()
    assert found.names == ("age", "mass", "dose", "pulse")
    for k in range(3):
        part = X[labels == k]
        assert found.size[k] == len(part)
        assert found.center[k] == pytest.approx(part.mean(axis=0))
        assert found.median[k] == pytest.approx(np.median(part, axis=0))
        assert found.sd[k] == pytest.approx(part.std(axis=0))
        assert found.standing.z[k] == pytest.approx((part.mean(axis=0) - X.mean(axis=0)) / X.std(axis=0))
        distances = np.sum(((X - part.mean(axis=0)) / X.std(axis=0)) ** 2, axis=1)
        distances[labels != k] = np.inf
        assert found.medoid[k] == np.argmin(distances)
    assert found.standing.words[:, 2].tolist() == ["low", "", "high"]
    assert "dose high" in str(found).splitlines()[2]
    assert found.share.sum() == pytest.approx(1.0)


@pytest.mark.spec("UNS-058", "UNS-059")
def test_a_row_of_weight_two_is_the_row_twice(planted):
    frame, labels = planted
    s = np.arange(150) % 3
    for function in (cluster_profile, feature_separation):
        weighted = function(frame, labels, s)
        repeated = function(frame.loc[np.repeat(np.arange(150), s)], np.repeat(labels, s))
        for a, b in zip(weighted, repeated, strict=True):
            if isinstance(a, np.ndarray) and a.dtype.kind == "f":
                assert a == pytest.approx(b, rel=1e-9)


@pytest.mark.spec("UNS-059")
def test_separation_at_any_scale_and_of_columns_without_spread():
    X = np.array([[0.0, 1.0, 7.0], [1.0, 1.0, 7.0], [5.0, 2.0, 7.0], [6.0, 2.0, 7.0]])
    labels = [0, 0, 1, 1]
    plain = feature_separation(X, labels)
    assert plain.eta_squared.tolist()[1:] == [1.0, 0.0]
    assert plain.F.tolist()[1:] == [np.inf, 0.0]
    for change in (lambda A: A * 1e150, lambda A: A * 1e-150, lambda A: A + 1e8):
        assert feature_separation(change(X), labels).F[0] == pytest.approx(plain.F[0], rel=1e-6)
    with pytest.raises(ValueError, match="1 cluster"):
        feature_separation(X, [1, 1, 1, 1])
    with pytest.raises(ValueError, match="inconsistent"):
        cluster_profile(X, [1, 1])


@pytest.mark.spec("UNS-060")
def test_categories_of_clusters():
    frame = pd.DataFrame(
        {
            "town": ["Rome", "Rome", "Oslo", None, "Oslo", "Oslo"],
            "age": [1.0, 2, 3, 4, 5, 6],
            "paid": pd.Categorical([1, 2, 2, 2, 1, 1]),
        }
    )
    town, paid = category_counts(frame, [0, 0, 0, 1, 1, 1])
    assert (town.name, town.categories) == ("town", ("Oslo", "Rome", None))
    assert town.counts.tolist() == [[1, 2, 0], [2, 0, 1]]
    assert town.dominant(0) == ("Rome", pytest.approx(2 / 3))
    assert town.lift[0] == pytest.approx([2 / 3, 2.0, 0.0])
    assert paid.categories == (1, 2)
    weighted = category_counts(frame, [0, 0, 0, 1, 1, 1], [2, 1, 0, 1, 1, 1])[0]
    assert weighted.counts.tolist() == [[0, 3, 0], [2, 0, 1]]
    with pytest.raises(ValueError, match="categories"):
        category_counts(frame[["age"]], [0] * 6)


@pytest.mark.spec("UNS-061")
def test_agreement_does_not_depend_on_names():
    rng = np.random.default_rng(0)
    y, k = rng.integers(0, 3, size=60), rng.integers(0, 4, size=60)
    found, other = compare_labels(k, y), compare_labels(np.array(list("dbca"))[k], y)
    assert found[3:] == pytest.approx(other[3:])
    perfect = compare_labels((y + 1) % 3, y)
    assert perfect[3:] == pytest.approx([1.0] * 7)


@pytest.mark.spec("UNS-062")
def test_any_classifier_explains(planted):
    frame, labels = planted
    found = explain_clusters(frame, labels, KNeighborsClassifier(5))
    assert found.importances is None
    assert found.rules == {0: [], 1: [], 2: []}
    assert 0.5 < found.fidelity <= 1.0
    # A cluster of one row cannot be in every fold.
    lone = labels.copy()
    lone[0] = 9
    assert explain_clusters(frame, lone).fidelity > 0.9


@pytest.mark.spec("UNS-062")
@pytest.mark.parametrize(("unit", "offset"), [(1e-150, 0.0), (1e-30, 0.0), (1e150, 0.0), (1.0, 1.7e9)])
def test_rules_in_any_units(planted, unit, offset):
    frame, labels = planted
    plain, moved = (explain_clusters(table, labels) for table in (frame, frame * unit + offset))
    assert moved.fidelity == plain.fidelity
    first = [float(found.rules[0][0].split("<= ")[1].split()[0]) for found in (plain, moved)]
    assert (first[1] - offset) / unit == pytest.approx(first[0], rel=1e-3, abs=1e-3 * offset)
    np.testing.assert_array_equal(moved.model.predict((frame * unit + offset).to_numpy()), plain.model.predict(frame))


@pytest.mark.spec("UNS-063")
def test_maps(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5)) @ rng.normal(size=(5, 5)) + 100.0
    ours, peer = embed(X, n_components=3), PCA(3).fit_transform(X)
    assert np.abs(ours) == pytest.approx(np.abs(peer), abs=1e-8)
    two = np.vstack([X[:20], X[:20] + 500.0])
    near = embed(two, "tsne", random_state=0)
    assert near.shape == (40, 2)
    assert explain_clusters(near, np.repeat([0, 1], 20)).fidelity == 1.0
    monkeypatch.setitem(sys.modules, "umap", None)
    with pytest.raises(ImportError, match="umap-learn"):
        embed(X, "umap")
    with pytest.raises(ValueError, match="n_components"):
        embed(X, n_components=6)
    with pytest.raises(ValueError, match="method"):
        embed(X, "magic")
