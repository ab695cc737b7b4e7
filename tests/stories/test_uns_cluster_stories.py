"""Groups in real tables: seeds of wheat, cell lines, digits, households; and the shirts and customers of the notes."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from gnomon.cluster import (
    AgglomerativeClustering,
    KMeans,
    KMedoids,
    SpectralClustering,
    category_counts,
    cluster_profile,
    compare_labels,
    explain_clusters,
    feature_separation,
    partition_cost,
    select_k,
)
from gnomon.datasets import make_customers, make_tshirts
from gnomon.decomposition import PCA
from real_data import data_path

SEED_COLUMNS = ["area", "perimeter", "compactness", "length", "width", "asymmetry", "groove"]


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


@cache
def seeds():
    table = pd.read_csv(data_path("tabular/wheat-seeds.csv.gz"), header=None)
    return standardised(table.iloc[:, :7].set_axis(SEED_COLUMNS, axis=1)), table[7].to_numpy()


@cache
def cell_lines():
    """64 lines with the expression of 6830 genes, and the cancers that they come from."""
    table = pd.read_csv(data_path("esl/nci.csv.gz"))
    return table.to_numpy().T, np.array([name.split(".")[0] for name in table.columns])


@cache
def digits(n=1500):
    table = pd.read_csv(data_path("esl/zip.train.csv.gz"), nrows=n).to_numpy()
    return table[:, 1:], table[:, 0].astype(int)


@pytest.mark.spec("UNS-006", "UNS-032", "UNS-035", "UNS-043", "UNS-061")
@pytest.mark.parametrize(
    "model",
    [
        KMeans(3, n_init=10, random_state=0),
        KMedoids(3),
        AgglomerativeClustering(3),
        SpectralClustering(3, random_state=0),
    ],
    ids=["k-means", "k-medoids", "ward", "spectral"],
)
def test_varieties_of_wheat_are_found_without_their_names(model):
    X, variety = seeds()
    found = compare_labels(model.fit(X.to_numpy()).labels_, variety)
    assert found.matched_accuracy > 0.9
    assert found.adjusted_rand > 0.74


@pytest.mark.spec("UNS-058", "UNS-059", "UNS-062")
def test_what_sets_the_varieties_apart_is_their_size():
    X, _ = seeds()
    labels = KMeans(3, n_init=10, random_state=0).fit(X.to_numpy()).labels_
    separation = feature_separation(X, labels)
    assert [separation.names[j] for j in separation.order[:2]] == ["area", "perimeter"]
    assert separation.names[separation.order[-1]] == "asymmetry"
    words = [" ".join(cluster_profile(X, labels).words(k)) for k in range(3)]
    assert sum("area high" in text for text in words) == 1
    assert sum("area low" in text for text in words) == 1
    rules = explain_clusters(X, labels)
    assert rules.fidelity > 0.88
    weight = dict(zip(X.columns, rules.importances, strict=True))
    assert weight["asymmetry"] + weight["compactness"] < 0.1
    assert all("perimeter" in rule for rules in rules.rules.values() for rule in rules)


@pytest.mark.spec("UNS-053", "UNS-056")
def test_how_many_varieties_depends_on_who_is_asked():
    X, _ = seeds()
    options = {"estimator": KMeans(n_init=3), "random_state": 0}
    assert select_k(X.to_numpy(), range(1, 6), method="gap", n_references=8, rule="max", **options).k == 3
    assert select_k(X.to_numpy(), range(2, 6), method="silhouette", **options).k == 2


@pytest.mark.spec("UNS-005", "UNS-009")
def test_cancers_in_three_groups_of_cell_lines():
    """Table 14.2 of Hastie, Tibshirani & Friedman (2009): the best of many starts has just these counts."""
    X, cancer = cell_lines()
    model = KMeans(3, n_init=20, random_state=0).fit(X)
    assert model.inertia_ == model.restarts_.min() < 0.99 * model.restarts_.max()
    table = pd.crosstab(cancer, model.labels_).loc[["COLON", "LEUKEMIA", "MELANOMA", "RENAL", "BREAST", "NSCLC"]]
    colon, melanoma, renal = (int(table.loc[name].idxmax()) for name in ("COLON", "MELANOMA", "RENAL"))
    assert table[[renal, melanoma, colon]].to_numpy().tolist() == [
        [0, 0, 7],
        [0, 0, 6],
        [1, 7, 0],
        [9, 0, 0],
        [3, 2, 2],
        [7, 0, 2],
    ]


@pytest.mark.spec("UNS-035", "UNS-036", "UNS-038")
def test_a_tree_of_cell_lines_keeps_leukaemias_together():
    """Complete linkage, cut at four: all leukaemias, with the two copies of a leukaemia line, are one cluster."""
    X, cancer = cell_lines()
    tree = AgglomerativeClustering(4, linkage="complete").fit(X)
    blood = tree.labels_[cancer == "LEUKEMIA"]
    assert len(set(blood)) == 1
    together = set(cancer[tree.labels_ == blood[0]])
    assert together == {"LEUKEMIA", "K562A-repro", "K562B-repro"}
    finer = tree.cut(k=12)
    assert all(len(set(tree.labels_[finer == j])) == 1 for j in range(12))


@pytest.mark.spec("UNS-004", "UNS-021", "UNS-022", "UNS-076")
def test_digits_are_grouped_as_well_in_thirty_components():
    X, digit = digits()
    Z = PCA(30).fit_transform(X)
    assert Z.shape == (1500, 30)
    pixels, few = (KMeans(10, n_init=5, random_state=0).fit(A) for A in (X, Z))
    # The groups found in 30 columns cost hardly more in all 256 than those found there.
    assert partition_cost(X, few.labels_, objective="distance") < 1.01 * pixels.inertia_
    assert compare_labels(few.labels_, digit).purity > 0.7
    finer = KMeans(40, n_init=2, random_state=0).fit(Z[:1000])
    assert compare_labels(finer.predict(Z[1000:]), digit[1000:]).purity > 0.8
    shown = finer.inverse_transform(finer.one_hot(Z[1000:]))
    assert np.sum((shown - Z[1000:]) ** 2) == pytest.approx(-finer.score(Z[1000:]))


@pytest.mark.spec("UNS-060", "UNS-110")
def test_households_of_a_market_study():
    """Whoever lives with parents is young, unmarried and a group of its own; nothing of it was told to k-means."""
    table = pd.read_csv(data_path("esl/marketing.csv.gz"))
    status = table["Status"].map({1: "own", 2: "rent", 3: "with family"})
    used = ["Income", "Age", "Edu", "Household", "Householdu18", "Marital"]
    X = standardised(table[used].fillna(table[used].median())).to_numpy(dtype=np.float32)
    model = KMeans(4, n_init=3, random_state=0).fit(X)
    assert model.cluster_centers_.dtype == np.float32
    (found,) = category_counts(status.to_frame(), model.labels_)
    place = found.categories.index("with family")
    young = int(np.argmin(model.cluster_centers_[:, used.index("Age")]))
    assert np.argmax(found.lift[:, place]) == young
    assert found.lift[young, place] > 2.0
    assert found.categories[-1] is None  # some do not say
    assert found.counts.sum() == len(table)


@pytest.mark.spec("UNS-046", "UNS-108", "UNS-G32")
def test_shirts_in_three_sizes():
    X, size = make_tshirts(random_state=0)
    model = KMeans(3, n_init=10, random_state=0).fit(X)
    order = np.argsort(model.cluster_centers_[:, 0])
    assert np.all(np.diff(model.cluster_centers_[order], axis=0) > 0.0)  # taller is wider
    assert compare_labels(model.labels_, size).matched_accuracy > 0.8


@pytest.mark.spec("UNS-058", "UNS-108")
def test_young_customers_who_spend():
    customers = make_customers(random_state=0)
    frame = pd.DataFrame(customers.data, columns=customers.feature_names)
    labels = KMeans(4, n_init=5, random_state=0).fit(standardised(frame).to_numpy()).labels_
    profile = cluster_profile(frame, labels)
    near = int(np.argmin(np.abs(profile.center - [25.0, 30.0, 90.0]).sum(axis=1)))
    assert np.all(np.abs(profile.center[near] - [25.0, 30.0, 90.0]) < 2.0)
    assert profile.standing.words[near].tolist() == ["low", "low", "high"]
    assert labels[profile.medoid[near]] == near
