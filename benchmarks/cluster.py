"""Clustering: targets for its speed."""

import warnings
from functools import partial
from importlib import import_module

import numpy as np
from scipy.spatial.distance import pdist, squareform

from benchmarks import _data, _real
from benchmarks._row import Peer, Row

__all__ = ["PACKAGES", "ROWS"]

PACKAGES = ("gnomon.cluster",)


def groups(n, d, k, dtype="float64"):
    """Normal groups that overlap, and rows to start from."""
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(k, d))[rng.integers(k, size=n)] + rng.normal(size=(n, d))).astype(dtype)
    return _data.make(X, np.zeros(0), k=k, start=X[rng.permutation(n)[:k]])


def seeded(module, **options):
    """k-means++ and Lloyd's iteration."""

    def run(data):
        return import_module(module).KMeans(data.k, random_state=0, **options).fit(data.X).cluster_centers_

    return run


def from_start(module, max_iter, **options):
    """So many iterations from given rows."""

    def run(data):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = import_module(module).KMeans(data.k, init=data.start, n_init=1, tol=0, max_iter=max_iter, **options)
            return model.fit(data.X).cluster_centers_

    return run


def faiss(max_iter):
    """The same by faiss, on all rows."""

    def run(data):
        import faiss

        faiss.omp_set_num_threads(2)
        n, d = data.X.shape
        model = faiss.Kmeans(d, data.k, niter=max_iter, max_points_per_centroid=n, seed=1)
        model.train(data.X, init_centroids=data.start)
        return model.centroids

    return run


def cost(data, centers):
    """The cost of k-means on the first rows, over that of one centre."""
    X = data.X[:20_000].astype(float)
    squares = -2.0 * X @ centers.T.astype(float) + np.sum(centers.astype(float) ** 2, axis=1)
    one = np.mean(np.sum((X - X.mean(axis=0)) ** 2, axis=1))
    return float(np.mean(squares.min(axis=1) + np.sum(X**2, axis=1)) / one)


def distances(n, d, k):
    """Distances of normal groups, and medoids to start from."""
    data = groups(n, d, k)
    data.D = squareform(pdist(data.X))
    data.rows = np.random.default_rng(1).permutation(n)[:k]
    return data


def our_medoids(data):
    from gnomon.cluster import KMedoids

    return KMedoids(data.k, metric="precomputed", init=data.rows).fit(data.D).medoid_indices_


def their_medoids(n_cpu):
    def run(data):
        import kmedoids

        return kmedoids.fasterpam(data.D, np.asarray(data.rows, dtype=np.uint64), max_iter=100, n_cpu=n_cpu).medoids

    return run


def medoid_cost(data, rows):
    """Mean distance from the medoids, over that from the first row."""
    return float(data.D[:, np.asarray(rows, dtype=int)].min(axis=1).mean() / data.D[0].mean())


def our_ward(data):
    from gnomon.cluster import AgglomerativeClustering

    return AgglomerativeClustering(data.k).fit(data.X).heights_


def scipy_ward(data):
    from scipy.cluster.hierarchy import linkage

    return linkage(data.X, "ward")[:, 2]


def fastcluster_ward(data):
    import fastcluster

    return fastcluster.linkage_vector(data.X, "ward")[:, 2]


def ward_error(data, heights):
    """Σ h²/2 is the total sum of squares."""
    total = np.sum((data.X - data.X.mean(axis=0)) ** 2)
    return float(abs(np.sum(heights**2) / 2.0 - total) / total)


def digits(n, k):
    """Handwritten digits, and rows to start from."""
    data = _real.usps(n)
    return _data.make(data.X, data.y, k=k, start=data.X[np.random.default_rng(0).permutation(len(data.X))[:k]])


def mnist(n, k):
    """Larger images of digits, and rows to start from."""
    data = _data.digits(n)
    return _data.make(data.X, data.y, k=k, start=data.X[np.random.default_rng(0).permutation(len(data.X))[:k]])


def cover(n, k):
    """Forest cover with seven groups of rows, those of the kinds of trees."""
    data = _real.cover(n)
    return _data.make(data.X, data.y, k=k, labels=data.y)


def labelled_groups(n, d, k):
    """Normal groups, with the group that each row is nearest to."""
    data = groups(n, d, k)
    data.labels = np.argmin(np.sum(data.start**2, axis=1) - 2.0 * data.X @ data.start.T, axis=1)
    return data


def our_silhouettes(data):
    from gnomon.cluster import silhouettes

    return silhouettes(data.X, data.labels)


def their_silhouettes(module):
    def run(data):
        return import_module(module).silhouette_samples(data.X, data.labels)

    return run


def silhouette_error(data, scores):
    """The largest error of some rows, by the definition."""
    rows = np.linspace(0, len(data.X) - 1, 50).astype(int)
    worst = 0.0
    for i in rows:
        distances, own = np.linalg.norm(data.X - data.X[i], axis=1), data.labels[i]
        means = np.bincount(data.labels, distances) / np.bincount(data.labels)
        size = np.sum(data.labels == own)
        a, b = means[own] * size / max(size - 1, 1), np.min(np.delete(means, own))
        worst = max(worst, abs(scores[i] - ((b - a) / max(a, b) if size > 1 else 0.0)))
    return worst


def spectral(module, **options):
    """The labels of a cut of the graph of rows."""

    def run(data):
        model = import_module(module).SpectralClustering(data.k, random_state=0, **data.options, **options)
        return model.fit(data.X).labels_

    return run


def graph(n, d, k, affinity):
    """Groups whose rows are similar to their neighbours, and the weights of the graph's edges."""
    from sklearn.metrics.pairwise import rbf_kernel
    from sklearn.neighbors import kneighbors_graph

    data = groups(n, d, k)
    data.options = {"affinity": affinity, **({"gamma": 1.0 / d} if affinity == "rbf" else {"n_neighbors": 10})}
    if affinity == "rbf":
        data.W = rbf_kernel(data.X, gamma=1.0 / d)
    else:
        near = kneighbors_graph(data.X, 10, include_self=True)
        data.W = (0.5 * (near + near.T)).tolil()
    data.W[np.arange(n), np.arange(n)] = 0.0
    data.W = data.W if affinity == "rbf" else data.W.tocsr()
    return data


def normalized_cut(data, labels):
    """The normalised cut of the labels, over the number of clusters."""
    members = np.eye(data.k)[labels]
    degrees = np.asarray(data.W.sum(axis=1)).ravel()
    inside = np.sum(members * np.asarray(data.W @ members), axis=0)
    return float(np.mean(1.0 - inside / np.maximum(degrees @ members, 1e-300)))


ROWS = (
    Row(
        name="KMeans 300k×30, 50 clusters, k-means++",
        make=groups,
        size={"n": 300_000, "d": 30, "k": 50},
        quick={"n": 1000, "d": 3, "k": 5},
        ours=seeded("gnomon.cluster"),
        peers=(
            Peer("scikit-learn", "scikit-learn", seeded("sklearn.cluster")),
            Peer("scikit-learn-intelex", "scikit-learn-intelex", seeded("sklearnex.cluster")),
        ),
        quality=cost,
        targets={"scikit-learn": 2.0, "scikit-learn-intelex": 1.0},
        tolerance=1e-2,
        ladder=tuple({"n": n, "d": 30, "k": 50} for n in (37_500, 75_000, 150_000, 300_000)),
        memory=({"n": 300_000, "d": 30, "k": 50},),
    ),
    Row(
        name="KMeans 300k×30 float32, 50 clusters, 25 iterations",
        make=partial(groups, dtype="float32"),
        size={"n": 300_000, "d": 30, "k": 50},
        quick={"n": 1000, "d": 3, "k": 5},
        ours=from_start("gnomon.cluster", 25),
        peers=(
            Peer("scikit-learn", "scikit-learn", from_start("sklearn.cluster", 25)),
            Peer("scikit-learn-intelex", "scikit-learn-intelex", from_start("sklearnex.cluster", 25)),
            Peer("faiss", "faiss", faiss(25)),
        ),
        quality=cost,
        targets={"scikit-learn": 1.0, "scikit-learn-intelex": 1.0, "faiss": 1.0},
        tolerance=1e-3,
    ),
    Row(
        name="KMedoids 5k, 20 clusters, from distances",
        make=distances,
        size={"n": 5000, "d": 10, "k": 20},
        quick={"n": 200, "d": 3, "k": 3},
        ours=our_medoids,
        peers=tuple(Peer("kmedoids", f"kmedoids, {n} thread{'s'[: n - 1]}", their_medoids(n)) for n in (1, 2)),
        quality=medoid_cost,
        targets={"kmedoids": 1.0},
        tolerance=1e-2,
    ),
    Row(
        name="Ward's tree 10k×10",
        make=groups,
        size={"n": 10_000, "d": 10, "k": 10},
        quick={"n": 300, "d": 3, "k": 3},
        ours=our_ward,
        peers=(
            Peer("SciPy", "SciPy", scipy_ward),
            Peer("fastcluster", "fastcluster", fastcluster_ward),
        ),
        quality=ward_error,
        targets={"SciPy": 1.0, "fastcluster": 1.0},
        tolerance=1e-9,
        memory=({"n": 10_000, "d": 10, "k": 10},),
        # The tree and a list of neighbours beside ten columns; all distances would be a thousand times the rows.
        memory_limit=5.0,
    ),
    Row(
        name="silhouettes 20k×20, 20 clusters",
        make=labelled_groups,
        size={"n": 20_000, "d": 20, "k": 20},
        quick={"n": 300, "d": 3, "k": 3},
        ours=our_silhouettes,
        peers=(Peer("scikit-learn", "scikit-learn", their_silhouettes("sklearn.metrics")),),
        quality=silhouette_error,
        targets={"scikit-learn": 2.0},
        ladder=tuple({"n": n, "d": 20, "k": 20} for n in (5000, 10_000, 20_000)),
        memory=({"n": 20_000, "d": 20, "k": 20},),
        memory_limit=50.0,
    ),
    Row(
        name="silhouettes of forest cover (real)",
        make=partial(cover, k=7),
        size={"n": 8000},
        quick={"n": 500},
        ours=our_silhouettes,
        peers=(Peer("scikit-learn", "scikit-learn", their_silhouettes("sklearn.metrics")),),
        quality=silhouette_error,
        targets={"scikit-learn": 2.0},
    ),
    Row(
        name="SpectralClustering 5k×10, 10 clusters, RBF",
        make=partial(graph, affinity="rbf"),
        size={"n": 5000, "d": 10, "k": 10},
        quick={"n": 300, "d": 3, "k": 3},
        ours=spectral("gnomon.cluster"),
        peers=(Peer("scikit-learn", "scikit-learn", spectral("sklearn.cluster")),),
        quality=normalized_cut,
        targets={"scikit-learn": 2.0},
        tolerance=5e-3,
        ladder=tuple({"n": n, "d": 10, "k": 10} for n in (1250, 2500, 5000)),
    ),
    Row(
        name="SpectralClustering 5k×10, 10 clusters, neighbours",
        make=partial(graph, affinity="nearest_neighbors"),
        size={"n": 5000, "d": 10, "k": 10},
        quick={"n": 300, "d": 3, "k": 3},
        ours=spectral("gnomon.cluster"),
        peers=(Peer("scikit-learn", "scikit-learn", spectral("sklearn.cluster")),),
        quality=normalized_cut,
        targets={"scikit-learn": 2.0},
        tolerance=5e-3,
    ),
    Row(
        name="KMeans of USPS digits, 50 clusters, 25 iterations (real)",
        make=partial(digits, k=50),
        size={"n": 7291},
        quick={"n": 500},
        ours=from_start("gnomon.cluster", 25),
        peers=(Peer("scikit-learn", "scikit-learn", from_start("sklearn.cluster", 25)),),
        quality=cost,
        targets={"scikit-learn": 1.0},
        tolerance=1e-6,
    ),
    Row(
        name="KMeans of MNIST digits 12k×784, 100 clusters, 25 iterations (real)",
        make=partial(mnist, k=100),
        size={"n": 12_000},
        quick={"n": 500},
        ours=from_start("gnomon.cluster", 25),
        peers=(
            Peer("scikit-learn", "scikit-learn", from_start("sklearn.cluster", 25)),
            Peer("scikit-learn-intelex", "scikit-learn-intelex", from_start("sklearnex.cluster", 25)),
        ),
        quality=cost,
        targets={"scikit-learn": 1.0, "scikit-learn-intelex": 1.0},
        tolerance=1e-4,
    ),
    Row(
        name="Ward's tree of 4000 USPS digits (real)",
        make=partial(digits, k=10),
        size={"n": 4000},
        quick={"n": 300},
        ours=our_ward,
        peers=(
            Peer("SciPy", "SciPy", scipy_ward),
            Peer("fastcluster", "fastcluster", fastcluster_ward),
        ),
        quality=ward_error,
        targets={"SciPy": 1.0, "fastcluster": 1.0},
        tolerance=1e-9,
    ),
)
