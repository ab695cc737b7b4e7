"""Clustering: targets for its speed."""

import warnings
from functools import partial
from importlib import import_module

import numpy as np
from scipy.spatial.distance import pdist, squareform

from benchmarks import _data
from benchmarks._row import Peer, Row

__all__ = ["PACKAGES", "ROWS"]

PACKAGES = ("gnomon.cluster",)


def groups(n, d, k, dtype="float64"):
    """Normal groups that overlap, and rows to start from."""
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(k, d))[rng.integers(k, size=n)] + rng.normal(size=(n, d))).astype(dtype)
    return _data.make(X, None, k=k, start=X[rng.permutation(n)[:k]])


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


def their_medoids(data):
    import kmedoids

    return kmedoids.fasterpam(data.D, np.asarray(data.rows, dtype=np.uint64), max_iter=100, n_cpu=2).medoids


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


ROWS = (
    Row(
        name="KMeans 300k×30, 50 clusters, k-means++",
        make=groups,
        size={"n": 300_000, "d": 30, "k": 50},
        quick={"n": 1000, "d": 3, "k": 5},
        ours=seeded("gnomon.cluster"),
        peers=(Peer("scikit-learn", "scikit-learn", seeded("sklearn.cluster")),),
        quality=cost,
        targets={"scikit-learn": 2.0},
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
            Peer("faiss", "faiss", faiss(25)),
        ),
        quality=cost,
        targets={"scikit-learn": 1.0, "faiss": 1.0},
        tolerance=1e-3,
    ),
    Row(
        name="KMedoids 5k, 20 clusters, from distances",
        make=distances,
        size={"n": 5000, "d": 10, "k": 20},
        quick={"n": 200, "d": 3, "k": 3},
        ours=our_medoids,
        peers=(Peer("kmedoids", "kmedoids", their_medoids),),
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
    ),
)
