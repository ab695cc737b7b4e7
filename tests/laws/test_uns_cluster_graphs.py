"""Laws of graph cuts and spectral clustering."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import cluster as sklearn_cluster
from sklearn.metrics import adjusted_rand_score

from gnomon.cluster import SpectralClustering, graph_cut_cost
from gnomon.kernels import RBF, CallableKernel

RNG = np.random.default_rng(11)
FORMS = ["rw", "sym", "none"]


def rings(n=60, rng=RNG):
    angle = rng.uniform(0, 2 * np.pi, size=2 * n)
    radius = np.repeat([1.0, 3.0], n) + 0.1 * rng.normal(size=2 * n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), np.repeat([0, 1], n)


def blobs(k=3, n=25, rng=RNG):
    centers = 8.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])[:k]
    return np.vstack([c + rng.normal(size=(n, 2)) for c in centers]), np.repeat(np.arange(k), n)


APART = pytest.mark.filterwarnings("ignore:Graph is not fully connected")


@pytest.mark.spec("UNS-L18", "UNS-045")
@pytest.mark.parametrize("form", FORMS)
def test_zero_eigenvalues_are_connected_parts(form):
    blocks = [RNG.random((m, m)) + 0.2 for m in (4, 6, 5)]
    W = np.asarray(sparse.block_diag([b + b.T for b in blocks]).todense())
    with pytest.warns(UserWarning, match="3 parts"):
        model = SpectralClustering(3, affinity="precomputed", laplacian=form, random_state=0).fit(W)
    assert np.sum(model.eigenvalues_ == 0.0) == model.n_connected_ == 3
    assert adjusted_rand_score(np.repeat([0, 1, 2], [4, 6, 5]), model.labels_) == 1.0
    assert model.suggested_k_ == 3
    beside = np.pad(W, (0, 1))
    with pytest.warns(UserWarning, match=r"3 parts|1 of 16 rows"):
        alone = SpectralClustering(3, affinity="precomputed", laplacian=form, random_state=0).fit(beside)
    assert (alone.n_connected_, alone.labels_[-1]) == (4, 3)
    assert alone.eigenvalues_ == pytest.approx(model.eigenvalues_, abs=1e-12)


@pytest.mark.spec("UNS-L18", "UNS-044")
def test_the_relaxation_is_a_lower_bound():
    W = RNG.random((9, 9))
    W = W + W.T
    second = SpectralClustering(2, affinity="precomputed", laplacian="none", random_state=0).fit(W).eigenvalues_[1]
    walk = SpectralClustering(2, affinity="precomputed", laplacian="sym", random_state=0).fit(W).eigenvalues_[1]
    for bits in range(1, 2**8):
        labels = [(bits >> j) & 1 for j in range(8)] + [0]
        assert graph_cut_cost(W, labels, "ratio") >= second - 1e-12
        assert graph_cut_cost(W, labels, "normalized") >= walk - 1e-12


@pytest.mark.spec("UNS-044")
def test_cuts_by_their_definition():
    W = RNG.random((7, 7))
    W = W + W.T
    labels = np.array(list("abacbca"))
    degrees = W.sum(axis=1) - np.diag(W)
    across = {
        j: sum(W[a, b] for a in range(7) for b in range(7) if labels[a] == j != labels[b]) for j in np.unique(labels)
    }
    expected = {
        "cut": sum(across.values()) / 2,
        "ratio": sum(across[j] / np.sum(labels == j) for j in across),
        "normalized": sum(across[j] / degrees[labels == j].sum() for j in across),
    }
    for kind, value in expected.items():
        assert graph_cut_cost(W, labels, kind) == pytest.approx(value)
        assert graph_cut_cost(sparse.csr_matrix(W), labels, kind) == pytest.approx(value)
    for bad, said in [(W[:3], "shape"), (-W, "≥ 0"), (np.triu(W), "transpose")]:
        with pytest.raises(ValueError, match=said):
            graph_cut_cost(bad, labels)
    with pytest.raises(ValueError, match="labels"):
        graph_cut_cost(W, labels[:3])


@APART
@pytest.mark.spec("UNS-L15", "UNS-043", "UNS-042")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("assign", ["kmeans", "cluster_qr", "discretize"])
def test_rings_and_blobs_are_found(form, assign):
    X, y = rings()
    model = SpectralClustering(2, gamma=2.0, laplacian=form, assign_labels=assign, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    X, y = blobs()
    model = SpectralClustering(3, gamma=0.5, laplacian=form, assign_labels=assign, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    # Training rows, met again, stay where they are; rows near them join them.
    assert np.array_equal(model.predict(X), model.labels_)
    assert np.array_equal(model.predict(X + 0.01), model.labels_)


@APART
@pytest.mark.spec("UNS-042")
@pytest.mark.parametrize(
    "options",
    [
        {"affinity": "nearest_neighbors", "n_neighbors": 8},
        {"affinity": "mutual", "n_neighbors": 12},
        {"affinity": "self_tuning", "n_neighbors": 7},
        {"gamma": "median"},
        {"affinity": RBF(1.0)},
        {"affinity": CallableKernel(lambda a, b: np.exp(-np.sum((a - b) ** 2)), pairwise=True)},
        {"affinity": "laplacian", "gamma": 0.5},
    ],
)
def test_every_affinity_finds_blobs(options):
    X, y = blobs(rng=np.random.default_rng(5))
    model = SpectralClustering(3, random_state=0, **options).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    W = model.affinity_matrix_
    assert abs(W - W.T).max() < 1e-12
    assert np.all(W.diagonal() > 0.0)  # a row is similar to itself; no cut sees that
    assert model.eigen_residual_ < 1e-8
    assert np.mean(model.predict(X) == model.labels_) == 1.0


@pytest.mark.spec("UNS-042")
def test_rows_without_an_edge_are_clusters_of_their_own():
    X = np.array([[0.0], [0.1], [2.0], [2.1], [1e4]])
    with pytest.warns(UserWarning, match="1 of 5 rows"):
        model = SpectralClustering(2, random_state=0).fit(X)
    assert model.labels_[4] == 2
    assert len(set(model.labels_[:4])) == 2
    with pytest.raises(ValueError, match="no edge"):
        model.predict([[2e4]])
    with pytest.warns(UserWarning, match="rows"), pytest.raises(ValueError, match="fewer than n_clusters"):
        SpectralClustering(2).fit(1e4 * np.arange(3.0)[:, None])
    with pytest.raises(ValueError, match="n_samples=5"):
        SpectralClustering(6).fit(X)
    with pytest.raises(ValueError, match="amg"):
        SpectralClustering(2, eigen_solver="amg").fit(X)


@APART
@pytest.mark.spec("UNS-043")
@pytest.mark.parametrize("solver", ["arpack", "lobpcg"])
def test_sparse_solvers_find_what_the_dense_one_does(solver, monkeypatch):
    X, _ = blobs(n=40, rng=np.random.default_rng(1))
    options = {"affinity": "nearest_neighbors", "n_neighbors": 6, "random_state": 0}
    dense = SpectralClustering(3, **options).fit(X)
    monkeypatch.setattr("gnomon.cluster.spectral.DENSE", 10)
    found = SpectralClustering(3, eigen_solver=solver, eigen_tol=1e-9 if solver == "lobpcg" else "auto", **options)
    found.fit(X)
    assert found.eigenvalues_[:4] == pytest.approx(dense.eigenvalues_[:4], abs=1e-6)
    assert adjusted_rand_score(found.labels_, dense.labels_) == 1.0


@APART
@pytest.mark.spec("UNS-043")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"gamma": 0.3},
        {"affinity": "nearest_neighbors"},
        {"affinity": "poly", "degree": 2},
        {"assign_labels": "cluster_qr"},
        {"assign_labels": "discretize"},
        {"n_components": 4},
    ],
)
def test_it_is_the_clustering_of_scikit_learn(options):
    X, _ = blobs(k=4, n=20, rng=np.random.default_rng(3))
    X = X / 3.0
    peer = sklearn_cluster.SpectralClustering(4, random_state=0, **options).fit(X)
    ours = SpectralClustering(4, random_state=0, **options).fit(X)
    assert adjusted_rand_score(peer.labels_, ours.labels_) == 1.0


@APART
@pytest.mark.spec("UNS-043")
@pytest.mark.parametrize("form", FORMS)
def test_two_clusters_by_the_sign_of_the_fiedler_vector(form):
    X = np.random.default_rng(4).normal(size=(40, 2)) * [3.0, 1.0]
    options = {"gamma": 0.1, "laplacian": form, "random_state": 0}
    model = SpectralClustering(2, assign_labels="fiedler", **options).fit(X)
    W = model.affinity_matrix_ - np.diag(np.diag(model.affinity_matrix_))
    d = W.sum(axis=1)
    L = np.diag(d) - W if form == "none" else np.eye(40) - W / np.sqrt(np.outer(d, d))
    second = np.linalg.eigh(L)[1][:, 1]
    assert adjusted_rand_score(second > 0.0, model.labels_) == 1.0
    if form != "sym":
        assert np.array_equal(model.predict(X), model.labels_)
    # In two parts the second eigenvector may be any that is constant on them.
    y = np.repeat([0, 1], [5, 2])
    for seed in range(6):
        parts = SpectralClustering(2, affinity="precomputed", laplacian=form, random_state=seed)
        parts.set_params(assign_labels="fiedler", eigen_solver="arpack")
        assert adjusted_rand_score(y, parts.fit((y[:, None] == y).astype(float)).labels_) == 1.0
    for wrong in ({"n_clusters": 3}, {"n_clusters": 2, "n_components": 1}):
        with pytest.raises(ValueError, match="second eigenvector"):
            SpectralClustering(assign_labels="fiedler", **wrong).fit(X)
