"""AgglomerativeClustering beside scikit-learn's class of the same name."""

import inspect

import numpy as np
import pytest
import sklearn.cluster
from sklearn.neighbors import kneighbors_graph

from gnomon.cluster import AgglomerativeClustering
from namesakes import DATA, walk

X = DATA["dense"][0]
GRAPH = kneighbors_graph(X, 5, include_self=False)


def distances():
    return np.linalg.norm(X[:, None] - X[None], axis=2), None


ALONE = [
    *(({"n_clusters": k}, "dense") for k in (1, 2, 5, 40, 41, 0, None, 2.5)),
    *(({"linkage": name}, "dense") for name in ("ward", "complete", "average", "single", "other")),
    *(
        ({"metric": metric, "linkage": "average"}, "dense")
        for metric in ("euclidean", "l1", "l2", "manhattan", "cosine", "chebyshev")
    ),
    *(({"n_clusters": None, "distance_threshold": t}, "dense") for t in (0.0, 1.0, 3.0, 1e9, -1.0)),
    ({"distance_threshold": 1.0}, "dense"),
    ({"compute_distances": True}, "dense"),
    ({"metric": "manhattan"}, "dense"),
    ({"n_clusters": None, "distance_threshold": 1.0, "compute_full_tree": False}, "dense"),
]
PAIRS = [
    *(
        ({"linkage": name, "n_clusters": k, "compute_distances": True}, "dense")
        for name in ("ward", "complete", "average", "single")
        for k in (3, 7)
    ),
    *(({"linkage": name, "metric": "precomputed"}, distances) for name in ("complete", "average", "single", "ward")),
    *(
        ({"linkage": name, "connectivity": GRAPH, "compute_full_tree": full, "n_clusters": 4}, "dense")
        for name in ("ward", "complete", "average", "single")
        for full in ("auto", True, False)
    ),
]
KINDS = [({}, name) for name in ("dense", "float32", "wide", "constant column", "one row", "nan", "flat", "csr")]


@pytest.mark.spec("UNS-035", "UNS-038")
@pytest.mark.parametrize("rows", [ALONE, PAIRS, KINDS], ids=["alone", "pairs", "kinds"])
@pytest.mark.filterwarnings("ignore:the number of connected components")
def test_the_same_as_scikit_learn(rows):
    # Ours can place new rows, and theirs not.
    found = walk("AgglomerativeClustering", AgglomerativeClustering, rows)
    assert not [difference for difference in found if "predict: one of the two" not in difference]


@pytest.mark.parametrize("metric", ["euclidean", "l2", "manhattan", "chebyshev", "cosine", "precomputed"])
def test_children_and_labels_of_single_linkage(metric):
    """Two children stand in the order of the walk where scikit-learn walks itself, and labels follow their order."""
    rows = distances()[0] if metric == "precomputed" else X
    classes = sklearn.cluster.AgglomerativeClustering, AgglomerativeClustering
    for k in (2, 5, 9):
        theirs, ours = (c(k, metric=metric, linkage="single").fit(rows) for c in classes)
        np.testing.assert_array_equal(ours.children_, theirs.children_)
        np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    assert np.all(ours.merges_[:, 0] < ours.merges_[:, 1])


def test_the_same_parameters():
    pair = sklearn.cluster.AgglomerativeClustering, AgglomerativeClustering
    theirs, ours = ({name: p.default for name, p in inspect.signature(c).parameters.items()} for c in pair)
    assert theirs == ours


def test_equally_distant_rows():
    """Of ties any pair may come first, and rounding decides in either; whichever it is, the tree is one of Ward's."""
    grid = DATA["integers"][0]
    ours = AgglomerativeClustering().fit(grid)
    assert np.sum(ours.heights_**2) / 2.0 == pytest.approx(np.sum((grid - grid.mean(axis=0)) ** 2))
