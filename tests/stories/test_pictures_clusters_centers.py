"""Pictures of centres, steps of k-means and trees."""

import numpy as np
import pytest

from gnomon import plot
from gnomon.cluster import AgglomerativeClustering, DivisiveClustering, KMeans, SoftKMeans
from gnomon.optim import nearest_center
from pictures import clouds, labelled


@pytest.mark.spec("UNS-P01")
def test_cells_of_centres():
    X = clouds([(0, 0), (4, 0), (2, 4)])
    model = KMeans(3, random_state=0).fit(X)
    ax = plot.center_cells(model, X)
    labelled(ax)
    np.testing.assert_allclose(ax.collections[-1].get_offsets(), model.cluster_centers_)
    mesh = ax.collections[0]
    drawn = np.asarray(mesh.get_array()).ravel()
    corners = mesh.get_coordinates()
    middle = 0.25 * (corners[:-1, :-1] + corners[1:, :-1] + corners[:-1, 1:] + corners[1:, 1:]).reshape(-1, 2)
    expected = nearest_center(np.ascontiguousarray(middle), model.cluster_centers_)[0]
    assert np.mean(drawn == expected) > 0.99
    # Every row has its own cell: the regions of the nearest neighbour.
    neighbours = plot.center_cells(X[:10], X[:10])
    assert len(np.unique(np.asarray(neighbours.collections[0].get_array()))) == 10


@pytest.mark.spec("UNS-P02")
def test_steps_beside_a_better_optimum():
    X = clouds([(0, 0), (0, 6), (12, 0), (12, 6)], n=20)
    bad, good = np.array([[-0.5, 0.0], [0.5, 0.0], [0.0, 6.0], [12.0, 3.0]]), X[[0, 20, 40, 60]]
    panels = plot.kmeans_steps(X, bad, n_steps=2, best=good)
    assert list(panels) == ["step 0", "step 1", "end", "best", "J"]
    labelled(*panels.values())
    values = panels["J"].lines[0].get_ydata()
    assert np.all(np.diff(values) <= 0.0)
    better = panels["J"].lines[1].get_ydata()[0]
    assert better < 0.5 * values[-1]
    np.testing.assert_allclose(panels["step 0"].collections[-1].get_offsets(), bad)


@pytest.mark.spec("UNS-P07")
def test_clusters_and_shares():
    X = clouds([(0, 0), (3, 0)])
    hard, soft = KMeans(2, random_state=0).fit(X), SoftKMeans(2, random_state=0).fit(X)
    one = plot.cluster_scatter(hard, X)
    labelled(one)
    assert len(np.unique(one.collections[0].get_facecolors(), axis=0)) == 2
    mixed = plot.cluster_scatter(soft, X)
    colors = mixed.collections[0].get_facecolors()[:, :3]
    assert len(np.unique(colors.round(3), axis=0)) > 2
    # A row between the two has a colour between theirs.
    between = np.argmin(np.abs(soft.membership_[:, 0] - 0.5))
    ends = colors[[np.argmin(soft.membership_[:, 0]), np.argmax(soft.membership_[:, 0])]]
    assert np.all(colors[between] >= ends.min(axis=0) - 1e-9)
    assert np.all(colors[between] <= ends.max(axis=0) + 1e-9)


@pytest.mark.spec("UNS-P03")
def test_trees():
    X = clouds([(0, 0), (5, 0), (2, 5)], n=8)
    tree = AgglomerativeClustering(3).fit(X)
    cut = float(np.mean(tree.heights_[-3:-1]))
    ax = plot.dendrogram(tree.merges_, cut=cut)
    labelled(ax)
    brackets = ax.lines[:-1]
    np.testing.assert_allclose([max(line.get_ydata()) for line in brackets], tree.heights_)
    below = {line.get_color() for line, height in zip(brackets, tree.heights_, strict=True) if height <= cut}
    assert len(below) == 3
    np.testing.assert_allclose(ax.lines[-1].get_ydata(), cut)
    # No two brackets cross: leaves of a cluster stand together.
    leaves = [int(label.get_text()) for label in ax.get_xticklabels()]
    assert np.count_nonzero(np.diff(tree.labels_[leaves])) == 2
    inverted = AgglomerativeClustering(linkage="centroid").fit([[0.0, 0.0], [1.0, 0.0], [0.5, 0.9]])
    colors = [line.get_color() for line in plot.dendrogram(inverted.merges_).lines]
    assert colors[0] != colors[1]
    top_down = DivisiveClustering(4, method="diana").fit(X)
    assert len(plot.dendrogram(top_down.merges_, names=list("abcd")).lines) == 3
