"""Kernels: targets for Gram matrices and the first call."""

import numpy as np

from benchmarks import _data
from benchmarks._row import Peer, Row

__all__ = ["PACKAGES", "ROWS"]

PACKAGES = ("gnomon.kernels",)
LENGTH_SCALE = 3.0


def normal_rows(n, d):
    """Rows of independent normal columns."""
    return _data.make(np.random.default_rng(0).standard_normal((n, d)), np.zeros(n))


def scattered_rows(n):
    """Points of a square whose side grows with their number: about forty neighbours each."""
    rng = np.random.default_rng(0)
    return _data.make(rng.uniform(0.0, np.sqrt(n), (n, 2)), np.zeros(n))


def gram(build):
    """The Gram matrix of a kernel of ours."""

    def run(data):
        import gnomon.kernels

        return build(gnomon.kernels).gram(data.X)

    return run


def pairwise(name, **options):
    """That of scikit-learn's function of this name."""

    def run(data):
        from sklearn.metrics import pairwise

        return getattr(pairwise, name)(data.X, **options)

    return run


def process_kernel(data):
    """That of the kernel of scikit-learn's Gaussian processes."""
    from sklearn.gaussian_process.kernels import Matern

    return Matern(LENGTH_SCALE, nu=1.5)(data.X)


def error_of(formula):
    """The largest error of some entries, computed one by one."""

    def quality(data, K):
        n = len(data.X)
        i, j = np.random.default_rng(1).integers(0, n, size=(2, 500))
        found = np.array([K[a, b] for a, b in zip(i, j, strict=True)])
        return float(np.max(np.abs(found - formula(data.X[i] - data.X[j]))))

    return quality


def gaussian(D):
    return np.exp(-np.sum(D**2, axis=1) / (2.0 * LENGTH_SCALE**2))


def matern(D):
    z = np.sqrt(3.0 * np.sum(D**2, axis=1)) / LENGTH_SCALE
    return (1.0 + z) * np.exp(-z)


def laplacian(D):
    return np.exp(-np.sum(np.abs(D), axis=1) / LENGTH_SCALE)


def wendland(D):
    u = np.minimum(np.sqrt(np.sum(D**2, axis=1)) / LENGTH_SCALE, 1.0)
    return (1.0 - u) ** 4 * (4.0 * u + 1.0)


def sparse_gram(data):
    from gnomon.kernels import Wendland, gram_matrix

    return gram_matrix(data.X, Wendland(LENGTH_SCALE), sparse=True)


def neighbours_graph(data):
    """Distances by scikit-learn's graph of neighbours, then the formula."""
    from sklearn.neighbors import radius_neighbors_graph

    K = radius_neighbors_graph(data.X, LENGTH_SCALE, mode="distance", include_self=True, n_jobs=2)
    u = np.minimum(K.data / LENGTH_SCALE, 1.0)
    K.data = (1.0 - u) ** 4 * (4.0 * u + 1.0)
    return K


def polynomial(data):
    from gnomon.kernels import Polynomial

    return Polynomial(5).gram(data.X)


def polynomial_map(data):
    """The same by the features that the kernel stands for."""
    from gnomon.kernels import Polynomial

    Z = Polynomial(5).features(data.X)
    return Z @ Z.T


def error_of_polynomial(data, K):
    exact = (1.0 + data.X @ data.X.T) ** 5
    return float(np.max(np.abs(K - exact)) / np.max(exact))


def dense(name, d, ours, peer, formula, target):
    """One row: a dense Gram matrix of 5000 rows."""
    return Row(
        name=f"{name}, {d} columns",
        make=normal_rows,
        size={"n": 5000, "d": d},
        quick={"n": 300, "d": d},
        ours=gram(ours),
        peers=(Peer("scikit-learn", "scikit-learn", peer),),
        quality=error_of(formula),
        targets={"scikit-learn": target},
        tolerance=1e-9,
        memory_limit=None,
    )


ROWS = [
    dense(
        "Gaussian Gram matrix",
        20,
        lambda kernels: kernels.RBF(LENGTH_SCALE),
        pairwise("rbf_kernel", gamma=0.5 / LENGTH_SCALE**2),
        gaussian,
        2.0,
    ),
    dense(
        "Gaussian Gram matrix",
        200,
        lambda kernels: kernels.RBF(LENGTH_SCALE),
        pairwise("rbf_kernel", gamma=0.5 / LENGTH_SCALE**2),
        gaussian,
        1.2,
    ),
    dense("Matérn Gram matrix", 20, lambda kernels: kernels.Matern(LENGTH_SCALE), process_kernel, matern, 5.0),
    dense(
        "Laplacian Gram matrix",
        20,
        lambda kernels: kernels.Laplacian(LENGTH_SCALE),
        pairwise("laplacian_kernel", gamma=1.0 / LENGTH_SCALE),
        laplacian,
        2.0,
    ),
    Row(
        name="sparse Gram matrix of a compact kernel",
        make=scattered_rows,
        size={"n": 50_000},
        quick={"n": 300},
        ours=sparse_gram,
        peers=(Peer("scikit-learn", "radius_neighbors_graph", neighbours_graph),),
        quality=error_of(wendland),
        targets={"scikit-learn": 1.0},
        tolerance=1e-9,
        memory_limit=None,
    ),
    Row(
        name="polynomial kernel of degree 5, 20 columns",
        make=normal_rows,
        size={"n": 200, "d": 20},
        quick={"n": 20, "d": 4},
        ours=polynomial,
        peers=(Peer("its map", "explicit features", polynomial_map),),
        quality=error_of_polynomial,
        targets={"its map": 100.0},
        tolerance=1e-9,
        memory_limit=None,
    ),
]
