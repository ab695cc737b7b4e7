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
    # Ours can place new rows, and theirs not. Two children stand in the order of their numbers, as in SciPy; theirs of
    # single linkage in the order in which rows were found.
    single = [row for row in rows if row[0].get("linkage") == "single" and "connectivity" not in row[0]]
    found = walk("AgglomerativeClustering", AgglomerativeClustering, [row for row in rows if row not in single])
    found += walk("AgglomerativeClustering", AgglomerativeClustering, single, also=["children_"])
    assert not [difference for difference in found if "predict: one of the two" not in difference]


def test_children_of_single_linkage():
    theirs, ours = (
        c(linkage="single").fit(X) for c in (sklearn.cluster.AgglomerativeClustering, AgglomerativeClustering)
    )
    np.testing.assert_array_equal(np.sort(theirs.children_, axis=1), ours.children_)


def test_the_same_parameters():
    pair = sklearn.cluster.AgglomerativeClustering, AgglomerativeClustering
    theirs, ours = ({name: p.default for name, p in inspect.signature(c).parameters.items()} for c in pair)
    assert theirs == ours


def test_equally_distant_rows():
    """Of ties any pair may come first, and rounding decides in either; whichever it is, the tree is one of Ward's."""
    grid = DATA["integers"][0]
    ours = AgglomerativeClustering().fit(grid)
    assert np.sum(ours.heights_**2) / 2.0 == pytest.approx(np.sum((grid - grid.mean(axis=0)) ** 2))
