"""Golden values of trees of merges and splits."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from gnomon.cluster import AgglomerativeClustering, DivisiveClustering

LINE = np.array([[0.0], [1.0], [3.0], [8.0]])
PLANE = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 3.0], [7.0, 1.0]])
TRIANGLE = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.9]])


def tree(X, linkage):
    return AgglomerativeClustering(linkage=linkage).fit(X)


@pytest.mark.spec("UNS-G16", "UNS-036", "UNS-037")
@pytest.mark.parametrize(
    ("linkage", "heights"),
    [
        ("single", [1, 2, 5]),
        ("complete", [1, 3, 8]),
        ("average", [1, 2.5, 6.666667]),
        ("weighted", [1, 2.5, 6.25]),
        ("centroid", [1, 2.5, 6.666667]),
        ("median", [1, 2.5, 6.25]),
        ("mean_replacement", [1, 2.5, 6.25]),
        ("ward", [1, 2.886751, 8.164966]),
    ],
)
def test_heights_on_a_line(linkage, heights):
    np.testing.assert_allclose(tree(LINE, linkage).heights_, heights, atol=5e-7)


@pytest.mark.spec("UNS-G16", "UNS-037")
def test_representatives_on_a_line():
    np.testing.assert_allclose(tree(LINE, "centroid").representatives_.ravel(), [0.5, 4 / 3, 3.0])
    np.testing.assert_allclose(tree(LINE, "mean_replacement").representatives_.ravel(), [0.5, 1.75, 4.875])
    assert np.sum(tree(LINE, "ward").heights_ ** 2) / 2.0 == pytest.approx(38.0)


@pytest.mark.spec("UNS-G17", "UNS-036")
@pytest.mark.parametrize(
    ("linkage", "heights"),
    [
        ("single", [2, 3.162278, 5.099020]),
        ("complete", [2, 3.162278, 7.071068]),
        ("average", [2, 3.162278, 6.164881]),
        ("weighted", [2, 3.162278, 6.204799]),
        ("centroid", [2, 3, 6]),
        ("median", [2, 3, 6.020797]),
        ("ward", [2, 3.464102, 7.348469]),
    ],
)
def test_heights_in_the_plane(linkage, heights):
    np.testing.assert_allclose(tree(PLANE, linkage).heights_, heights, atol=5e-7)


@pytest.mark.spec("UNS-G18", "UNS-037", "UNS-038")
def test_inversions():
    for linkage in ("centroid", "median"):
        found = tree(TRIANGLE, linkage)
        np.testing.assert_allclose(found.heights_, [1.0, 0.9])
        assert found.has_inversions_
        with pytest.raises(ValueError, match="inversions"):
            found.cut(height=0.95)
        np.testing.assert_array_equal(np.sort(np.bincount(found.cut(2))), [1, 2])
    np.testing.assert_allclose(tree(TRIANGLE, "ward").heights_, [1.0, 1.039230], atol=5e-7)
    np.testing.assert_allclose(tree(TRIANGLE, "average").heights_, [1.0, 1.029563], atol=5e-7)
    assert not tree(TRIANGLE, "ward").has_inversions_


@pytest.mark.spec("UNS-041")
def test_the_splinter_group_grows_and_the_widest_cluster_is_next():
    X = np.array([[0.0], [1.0], [5.0], [9.0], [10.5]])
    np.testing.assert_allclose(DivisiveClustering(None, method="diana").fit(X).heights_, [10.5, 5.0, 1.5, 1.0])
    for method in ("bisect", "principal"):
        steps = DivisiveClustering(None, method=method, random_state=0).fit(X).history_["objective"]
        np.testing.assert_allclose(steps, [87.2, 15.125, 1.625, 0.5, 0.0], atol=1e-12)


@pytest.mark.spec("UNS-G19", "UNS-041")
def test_splits_of_a_line():
    def cuts(model):
        return [model.set_params(n_clusters=k).fit_predict(LINE) for k in (2, 3)]

    parts = [[0, 0, 0, 1], [0, 0, 1, 2]]
    np.testing.assert_allclose(DivisiveClustering(None, method="diana").fit(LINE).heights_, [8.0, 3.0, 1.0])
    for model in (DivisiveClustering(method=m, random_state=0) for m in ("diana", "bisect", "principal")):
        assert [adjusted_rand_score(found, part) for found, part in zip(cuts(model), parts, strict=True)] == [1.0, 1.0]
    for method in ("bisect", "principal"):
        found = DivisiveClustering(None, method=method, random_state=0).fit(LINE)
        np.testing.assert_allclose(found.history_["objective"], [38.0, 4.666667, 0.5, 0.0], atol=5e-7)
        np.testing.assert_allclose(found.heights_**2 / 2.0, [38.0 - 4.666667, 4.666667 - 0.5, 0.5], atol=1e-6)
