"""Pictures of clusters and of their number: what is drawn is what was computed."""

import numpy as np
import pandas as pd
import pytest

from gnomon import plot
from gnomon.cluster import (
    KMeans,
    SpectralClustering,
    category_counts,
    cluster_profile,
    compare_labels,
    explain_clusters,
    select_k,
    silhouettes,
)
from gnomon.datasets import make_customers, make_rings
from gnomon.plot.parallel import _column_order
from pictures import labelled

CUSTOMERS = make_customers(120, random_state=0)
FRAME = pd.DataFrame(CUSTOMERS.data, columns=CUSTOMERS.feature_names)
LABELS = KMeans(4, n_init=3, random_state=0).fit(CUSTOMERS.data).labels_


@pytest.mark.spec("UNS-P04")
def test_elbow_with_its_reference():
    found = select_k(CUSTOMERS.data, range(1, 7), method="elbow", random_state=0)
    ax = plot.elbow_curve(found, n_features=3)
    assert np.array_equal(ax.lines[0].get_ydata(), found.table["cost"])
    k = np.arange(1, 7)
    assert ax.lines[1].get_ydata() == pytest.approx(found.table["cost"][0] * k ** (-2 / 3))
    assert ax.lines[2].get_xdata()[0] == found.k == 4
    assert ax.get_xscale() == "log"
    labelled(ax)
    none = select_k(np.random.default_rng(0).uniform(size=(80, 2)), range(1, 6), method="elbow", random_state=0)
    plain = plot.elbow_curve(none, log=False)
    assert (plain.get_title("left"), plain.get_xscale(), len(plain.lines)) == ("no elbow", "linear", 1)


@pytest.mark.spec("UNS-P05")
def test_penalised_cost_marks_its_minimum():
    ax = plot.penalized_cost([1, 2, 3, 4], [37.07, 8.525, 2.5, 1.29], [1.0, 10.0, 50.0])
    assert [float(line.get_xdata()[0]) for line in ax.lines[1::2]] == [4.0, 2.0, 1.0]
    assert ax.lines[2].get_ydata() == pytest.approx(np.array([37.07, 8.525, 2.5, 1.29]) + 10.0 * np.arange(1, 5))


@pytest.mark.spec("UNS-P06")
@pytest.mark.parametrize(
    ("method", "options", "curves"),
    [
        ("gap", {"n_references": 3}, ["gap"]),
        ("stability", {"n_splits": 3}, ["instability"]),
        ("prediction_strength", {"n_splits": 3}, ["strength"]),
        ("capacity", {"n_splits": 2}, ["capacity"]),
        ("bic", {}, ["bic"]),
        ("heldout", {"n_splits": 2}, ["train", "heldout"]),
    ],
)
def test_curves_over_the_number_of_clusters(method, options, curves):
    found = select_k(CUSTOMERS.data, range(1, 5), method=method, random_state=0, **options)
    ax = plot.cluster_curve(found)
    drawn = [container.lines[0] for container in ax.containers]
    for name, line in zip(curves, drawn, strict=True):
        assert line.get_ydata() == pytest.approx(found.table[name])
    assert ax.get_title("left") == found.verdict
    assert ("error" in found.table) == bool(ax.containers[0].has_yerr)


@pytest.mark.spec("UNS-P08")
def test_methods_side_by_side():
    X, y = make_rings(100, random_state=0)
    labels = {
        "k-means": KMeans(2, random_state=0).fit(X).labels_,
        "spectral": SpectralClustering(2, gamma=2.0, random_state=0).fit(X).labels_,
    }
    panels = plot.cluster_panels(labels, X)
    inside = panels["spectral"].collections[labels["spectral"][0]].get_offsets().data
    assert np.linalg.norm(inside, axis=1).max() < 2.0
    assert sum(len(part.get_offsets()) for part in panels["k-means"].collections) == len(y)


@pytest.mark.spec("UNS-P09")
def test_columns_by_cluster():
    panels = plot.cluster_columns(FRAME, LABELS)
    assert list(panels) == CUSTOMERS.feature_names
    medians = sorted(line.get_ydata()[0] for line in panels["Age"].lines if len(set(line.get_ydata())) == 1)
    expected = sorted(np.median(FRAME["Age"][k == LABELS]) for k in range(4))
    assert set(np.round(expected, 6)) <= set(np.round(medians, 6))
    drawn = plot.cluster_columns(FRAME, LABELS, kind="histogram", columns=[2])["Spending Score"]
    assert sum(bar.get_height() for bar in drawn.patches) == len(FRAME)


@pytest.mark.spec("UNS-P10")
def test_tables_of_clusters():
    profile = cluster_profile(FRAME, LABELS)
    ax = plot.cluster_profiles(profile)
    assert np.asarray(ax.images[0].get_array()) == pytest.approx(profile.standing.z)
    assert ax.texts[0].get_text() == f"{profile.center[0, 0]:.3g}"
    found = compare_labels(LABELS, CUSTOMERS.target)
    table = plot.label_table(found)
    assert [text.get_text() for text in table.texts] == [f"{n:g}" for n in found.table.ravel()]
    towns = category_counts(np.array([["a"], ["b"], ["b"], ["a"]]), [0, 0, 0, 1])[0]
    bars = plot.category_shares(towns)
    assert [bar.get_width() for bar in bars.patches] == pytest.approx([1 / 3, 1.0, 2 / 3, 0.0])


@pytest.mark.spec("UNS-P11")
def test_maps_of_clusters():
    ax = plot.cluster_map(CUSTOMERS.data, LABELS)
    assert sum(len(part.get_offsets()) for part in ax.collections) == len(LABELS)
    assert plot.cluster_map(CUSTOMERS.data, LABELS, n_components=3).get_zlabel() == "third component"
    assert plot.cluster_map(CUSTOMERS.data[:40], LABELS[:40], method="tsne").get_xlabel() == "tsne one"


@pytest.mark.spec("UNS-P12")
def test_rules_of_clusters():
    rules = explain_clusters(FRAME, LABELS)
    ax = plot.cluster_rules(rules)
    assert [text.get_text() for text in ax.texts] == [text for texts in rules.rules.values() for text in texts]
    assert "held-out" in ax.get_title("left")


@pytest.mark.spec("UNS-P13")
def test_silhouettes_are_sorted():
    ax = plot.silhouette_plot(CUSTOMERS.data, LABELS)
    values = silhouettes(CUSTOMERS.data, LABELS)
    assert ax.lines[0].get_xdata()[0] == pytest.approx(values.mean())
    tops = [part.get_paths()[0].vertices[:, 0].max() for part in ax.collections]
    assert tops == pytest.approx([values[k == LABELS].max() for k in range(4)])


@pytest.mark.spec("UNS-P21")
def test_parallel_coordinates():
    ax = plot.parallel_coordinates(FRAME, LABELS, scale="raw", order=[2, 0, 1])
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["Spending Score", "Age", "Annual Income"]
    named = {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}
    for k in range(4):
        assert named[str(k)].get_ydata() == pytest.approx(FRAME.to_numpy()[k == LABELS].mean(axis=0)[[2, 0, 1]])
        band, inside = ax.collections[k].get_paths()[0].vertices, FRAME.to_numpy()[k == LABELS]
        ends = band[band[:, 0] == 0.0, 1]
        assert (ends.min(), ends.max()) == pytest.approx(tuple(np.quantile(inside[:, 2], [0.25, 0.75])))
    spread = plot.parallel_coordinates(FRAME, summary=False, scale="standard")
    rows = np.array([line.get_ydata() for line in spread.lines[: len(FRAME)]])
    np.testing.assert_allclose(rows, (FRAME - FRAME.mean()) / FRAME.std(ddof=0), atol=1e-12)
    plain = plot.parallel_coordinates(FRAME, summary=False, scale="minmax")
    rows = np.array([line.get_ydata() for line in plain.lines[: len(FRAME)]])
    assert (rows.min(), rows.max()) == (0.0, 1.0)
    x = np.random.default_rng(0).normal(size=50)
    near = np.column_stack([x, np.random.default_rng(1).normal(size=50), x + 0.01])
    order = [tick.get_text() for tick in plot.parallel_coordinates(near, order="correlation").get_xticklabels()]
    assert abs(order.index("$x_1$") - order.index("$x_3$")) == 1
    # Each column goes best with the one before it, of those that are left.
    for seed in range(9):
        walk = np.cumsum(np.random.default_rng(seed).normal(size=(50, 6)), axis=1)[:, [3, 0, 5, 1, 4, 2]]
        C, places = np.abs(np.corrcoef(walk, rowvar=False)), _column_order(walk, "correlation")
        for p in range(5):
            assert C[places[p], places[p + 1]] == pytest.approx(max(C[places[p], j] for j in places[p + 1 :]))
