"""Laws of trees of merges and splits."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist, squareform
from sklearn.neighbors import kneighbors_graph

from gnomon.cluster import AgglomerativeClustering, DivisiveClustering, cophenetic, exact_kmeans
from gnomon.search import LINKAGES, _ward_chain, merge_rows, merge_tree

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
D = squareform(pdist(X))
MONOTONE = ("single", "complete", "average", "weighted", "ward")


def naive(D, linkage):
    """Merge the closest pair, by equation (1) of the module, on all distances."""
    formula, squared = LINKAGES[linkage], linkage in ("centroid", "median", "ward")
    M = {(i, j): D[i, j] ** (2 if squared else 1) for i in range(len(D)) for j in range(i + 1, len(D))}
    sizes, heights = dict.fromkeys(range(len(D)), 1), []
    while M:
        (a, b), between = min(M.items(), key=lambda pair: pair[1])
        heights.append(between**0.5 if squared else between)
        new = len(D) + len(heights) - 1
        for c in [c for c in sizes if c not in (a, b)]:
            ac, bc = M.pop((min(a, c), max(a, c))), M.pop((min(b, c), max(b, c)))
            M[c, new] = formula.joined(ac, bc, between, sizes[a], sizes[b], sizes[c])
        del M[a, b]
        sizes[new] = sizes.pop(a) + sizes.pop(b)
    return np.array(heights)


@pytest.mark.spec("UNS-L17", "UNS-035", "UNS-036", "UNS-039")
@pytest.mark.parametrize("linkage", LINKAGES)
def test_every_algorithm_merges_the_closest_pair(linkage):
    expected = hierarchy.linkage(X, linkage)
    found = merge_tree(D, linkage)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    np.testing.assert_allclose(found[:, 2], naive(D, linkage), rtol=1e-9)
    if linkage in ("single", "ward"):
        np.testing.assert_allclose(merge_rows(X, linkage), expected, rtol=1e-9)
    if linkage in ("single", "complete"):
        # Of equally distant pairs any may be merged first; the heights are the same.
        grid = np.round(X)
        heights = merge_tree(squareform(pdist(grid)), linkage)[:, 2]
        assert np.all(np.diff(heights) >= 0.0)
        if linkage == "single":
            np.testing.assert_allclose(heights, hierarchy.linkage(grid, linkage)[:, 2])


@pytest.mark.spec("UNS-035", "UNS-039")
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_few_directions_rule_out_no_nearest_cluster(scale, monkeypatch):
    """Rows whose variance lies in some of many columns, far from zero, some of them twice."""
    rng = np.random.default_rng(2)
    wide = rng.normal(size=(150, 48)) * 0.8 ** np.arange(48) @ np.linalg.qr(rng.normal(size=(48, 48)))[0] + 5.0
    wide[100:110] = wide[:10]
    wide *= scale
    found, expected = merge_rows(wide, "ward"), merge_tree(squareform(pdist(wide)), "ward")
    np.testing.assert_allclose(found[:, 2], expected[:, 2], rtol=1e-7, atol=1e-7 * scale)
    np.testing.assert_array_equal(found[10:, :2], expected[10:, :2])
    assert np.all(found[:10, 2] == 0.0)
    # Whole numbers have many equal distances, of which the first is taken with and without directions.
    grid = np.round(3.0 * wide / scale)
    assert len(_ward_chain._shadows(grid).columns) < 16
    few = merge_rows(grid, "ward")
    monkeypatch.setattr(_ward_chain, "MANY", 1000)
    np.testing.assert_array_equal(few, merge_rows(grid, "ward"))


@pytest.mark.spec("UNS-L17", "UNS-037")
def test_mean_replacement_is_median_linkage():
    literal, median, centroid = (
        AgglomerativeClustering(linkage=linkage).fit(X) for linkage in ("mean_replacement", "median", "centroid")
    )
    np.testing.assert_array_equal(literal.merges_, median.merges_)
    few = [AgglomerativeClustering(linkage=linkage).fit(X[:2]) for linkage in ("median", "centroid")]
    np.testing.assert_allclose(few[0].representatives_, few[1].representatives_)
    # Each height is the distance of the two representatives.
    for found in (literal, centroid):
        everything = np.concatenate([X, found.representatives_])
        a, b = found.children_.T
        np.testing.assert_allclose(np.linalg.norm(everything[a] - everything[b], axis=1), found.heights_, rtol=1e-9)


@pytest.mark.spec("UNS-L16", "UNS-038", "UNS-040")
@pytest.mark.parametrize("linkage", MONOTONE)
def test_cuts(linkage):
    found = AgglomerativeClustering(linkage=linkage).fit(X)
    assert np.all(np.diff(found.heights_) >= 0.0)
    assert not found.has_inversions_
    cuts = [found.cut(k) for k in range(1, 41)]
    for coarse, fine in pairwise(cuts):
        assert len(np.unique(np.stack([coarse, fine]), axis=1).T) == len(np.unique(fine))
    np.testing.assert_array_equal(found.labels_, cuts[1])
    t = float(np.median(found.heights_))
    assert len(np.unique(found.cut(height=t))) == 40 - np.count_nonzero(found.heights_ <= t)
    if linkage == "single":
        parts = connected_components(t >= D)[1]
        pairs = np.unique(np.stack([parts, found.cut(height=t)]), axis=1)
        assert pairs.shape[1] == len(np.unique(parts))
    if linkage == "ward":
        assert np.sum(found.heights_**2) / 2.0 == pytest.approx(np.sum((X - X.mean(axis=0)) ** 2))
    by_height = AgglomerativeClustering(None, distance_threshold=t, linkage=linkage).fit(X)
    assert by_height.n_clusters_ == np.count_nonzero(found.heights_ >= t) + 1
    means = np.array([X[found.labels_ == j].mean(axis=0) for j in (0, 1)])
    new = RNG.normal(size=(10, 3))
    expected = np.argmin(np.linalg.norm(new[:, None] - means[None], axis=2), axis=1)
    np.testing.assert_array_equal(found.predict(new), expected)
    met = cophenetic(found.merges_, D)
    np.testing.assert_allclose(squareform(met.distances), hierarchy.cophenet(hierarchy.linkage(X, linkage)))
    assert met.correlation == pytest.approx(np.corrcoef(squareform(met.distances), pdist(X))[0, 1])


@pytest.mark.spec("UNS-036", "UNS-038", "UNS-002")
def test_matrices_and_refusals():
    for linkage in ("average", "complete", "single", "weighted"):
        rows, matrix = (
            AgglomerativeClustering(linkage=linkage, metric=metric).fit(given)
            for metric, given in (("manhattan", X), ("precomputed", squareform(pdist(X, "cityblock"))))
        )
        np.testing.assert_allclose(rows.merges_, matrix.merges_)
    for linkage in ("ward", "centroid", "median"):
        squared = AgglomerativeClustering(linkage=linkage, metric="precomputed_squared").fit(D**2)
        np.testing.assert_allclose(squared.merges_, AgglomerativeClustering(linkage=linkage).fit(X).merges_, rtol=1e-8)
        for metric in ("manhattan", "precomputed"):
            with pytest.raises(ValueError, match="Euclidean"):
                AgglomerativeClustering(linkage=linkage, metric=metric).fit(D)
    assert not hasattr(squared, "predict")
    for options in ({"n_clusters": None}, {"distance_threshold": 1.0}):
        with pytest.raises(ValueError, match="Exactly one"):
            AgglomerativeClustering(**options).fit(X)
    with pytest.raises(ValueError, match="exactly one"):
        AgglomerativeClustering().fit(X).cut()
    with pytest.raises(ValueError, match="n_clusters=41"):
        AgglomerativeClustering(41).fit(X)
    for c in (1e-150, 1e150):
        for linkage in ("ward", "single", "centroid", "average"):
            scaled = AgglomerativeClustering(linkage=linkage).fit(c * X)
            np.testing.assert_allclose(scaled.heights_ / c, AgglomerativeClustering(linkage=linkage).fit(X).heights_)


@pytest.mark.spec("UNS-039")
def test_neighbours_restrict_merges():
    graph = kneighbors_graph(X, 4, include_self=False)
    found = AgglomerativeClustering(3, connectivity=graph, linkage="average").fit(X)
    near = (graph + graph.T).toarray() > 0
    for j in range(3):
        rows = np.flatnonzero(found.labels_ == j)
        assert connected_components(near[np.ix_(rows, rows)])[0] == 1
    assert found.merges_[-1, 3] == 40
    with pytest.raises(ValueError, match="connectivity"):
        AgglomerativeClustering(connectivity=graph, linkage="median").fit(X)


@pytest.mark.spec("UNS-041")
@pytest.mark.parametrize("method", ["bisect", "diana", "principal"])
def test_splits(method):
    whole = DivisiveClustering(None, method=method, random_state=0).fit(X)
    assert whole.n_clusters_ == 40
    assert hierarchy.is_valid_linkage(whole.merges_)
    assert np.all(np.diff(whole.history_["objective"]) <= 1e-9)
    few = DivisiveClustering(4, method=method, random_state=0).fit(X)
    np.testing.assert_allclose(few.heights_, whole.heights_[:3])
    np.testing.assert_array_equal(few.merges_[-1, 3], 40)
    assert len(np.unique(few.labels_)) == 4
    if method == "diana":
        rows = [np.flatnonzero(few.labels_ == j) for j in range(4)]
        assert max(D[np.ix_(r, r)].max() for r in rows) == few.history_["objective"][-1]
        matrix = DivisiveClustering(4, method=method, metric="precomputed").fit(D)
        np.testing.assert_array_equal(matrix.labels_, few.labels_)
        limit = DivisiveClustering(None, method=method, threshold=3.0).fit(X)
        rows = [np.flatnonzero(limit.labels_ == j) for j in range(limit.n_clusters_)]
        assert max(D[np.ix_(r, r)].max() for r in rows) <= 3.0
    else:
        J = sum(np.sum((X[few.labels_ == j] - X[few.labels_ == j].mean(axis=0)) ** 2) for j in range(4))
        assert few.inertia_ == pytest.approx(J)
        # The best of several runs of 2-means, not any of them.
        some = [X[i : i + 9] for i in range(0, 31, 3)]
        splits = [DivisiveClustering(2, method=method, n_init=60, random_state=0).fit(rows).inertia_ for rows in some]
        least = np.array([exact_kmeans(rows, 2).objective for rows in some])
        assert method == "principal" or splits == pytest.approx(least)
        assert np.all(splits >= least * (1 - 1e-9))
        limit = DivisiveClustering(None, method=method, threshold=20.0, random_state=0).fit(X)
        means = [X[limit.labels_ == j] for j in range(limit.n_clusters_)]
        assert max(np.sum((A - A.mean(axis=0)) ** 2) for A in means) <= 20.0
        large = DivisiveClustering(4, method=method, split="largest", random_state=0).fit(X)
        assert np.bincount(large.labels_).max() <= np.bincount(few.labels_).max()
    means = np.array([X[few.labels_ == j].mean(axis=0) for j in range(4)])
    np.testing.assert_array_equal(few.predict(means), np.arange(4))
    unused = {"split": "largest"} if method == "diana" else {"metric": "cosine"}
    with pytest.raises(ValueError, match=r"no meaning|leave out"):
        DivisiveClustering(2, method=method, **unused).fit(X)
