"""Random features and hash tables: targets for their speed, and the recall of the tables."""

from functools import partial

import numpy as np

from benchmarks import _data, _real
from benchmarks._row import Peer, Row

__all__ = ["PACKAGES", "ROWS"]

PACKAGES = ("gnomon.features",)

NEIGHBORS = 10
QUERIES = 1000


def many_groups(n, d, dtype="float64"):
    """Rows in small tight groups, and queries from the same groups with their true neighbours."""
    rng = np.random.default_rng(0)
    centers = 4.0 * rng.standard_normal((n // 50, d))
    X, Q = (
        (centers[rng.integers(len(centers), size=size)] + rng.standard_normal((size, d))).astype(dtype)
        for size in (n, QUERIES)
    )
    return _data.make(X, np.zeros(0), queries=Q, true=exact_neighbors(X, Q))


def images(n):
    """Handwritten digits, the last of them as queries."""
    X = _real.usps().X[:n]
    queries = X[-min(QUERIES, n // 5) :]
    X = X[: len(X) - len(queries)]
    return _data.make(X, np.zeros(0), queries=queries, true=exact_neighbors(X, queries))


def exact_neighbors(X, Q):
    from sklearn.neighbors import NearestNeighbors

    return NearestNeighbors(n_neighbors=NEIGHBORS, algorithm="brute").fit(X).kneighbors(Q, return_distance=False)


def index(data):
    from gnomon.features import LSHIndex

    return LSHIndex("l2", n_neighbors=NEIGHBORS, n_jobs=2, random_state=0).fit(data.X)


def our_neighbors(data):
    """Fill the tables and search them."""
    return index(data).kneighbors(data.queries, return_distance=False)


def their_neighbors(data):
    from sklearn.neighbors import NearestNeighbors

    model = NearestNeighbors(n_neighbors=NEIGHBORS, algorithm="brute", n_jobs=2).fit(data.X)
    return model.kneighbors(data.queries, return_distance=False)


def faiss_neighbors(data):
    """Signs of faiss, of which the nearest in Hamming distance are compared exactly."""
    import faiss

    faiss.omp_set_num_threads(2)
    X, Q = (np.ascontiguousarray(rows, dtype=np.float32) for rows in (data.X, data.queries))
    codes = faiss.IndexLSH(X.shape[1], 512, True, True)
    model = faiss.IndexRefineFlat(codes)
    model.k_factor = 50
    model.train(X)
    model.add(X)
    return model.search(Q, NEIGHBORS)[1]


def missed(data, rows):
    """The share of true neighbours that were not found: one less the recall."""
    hits = [len(np.intersect1d(found, true)) for found, true in zip(rows, data.true, strict=True)]
    return 1.0 - float(np.sum(hits)) / data.true.size


def table(n, d):
    """Normal rows."""
    return _data.make(np.random.default_rng(0).standard_normal((n, d)), np.zeros(0), gamma=1.0 / d)


def cover(n):
    """Forest cover, standardised."""
    X = _real.cover(n).X
    return _data.make(X, np.zeros(0), gamma=1.0 / X.shape[1])


def our_fourier(data):
    from gnomon.features import RandomFourierFeatures

    model = RandomFourierFeatures("rbf", 500, gamma=data.gamma, paired=False, random_state=0)
    return model.fit_transform(data.X)


def their_fourier(data):
    from sklearn.kernel_approximation import RBFSampler

    return RBFSampler(gamma=data.gamma, n_components=500, random_state=0).fit_transform(data.X)


def kernel_error(data, features):
    """The mean error of inner products of features, of some rows, from the kernel."""
    from sklearn.metrics.pairwise import rbf_kernel

    K = rbf_kernel(data.X[:300], gamma=data.gamma)
    found = np.asarray(features[:300])
    return float(np.mean(np.abs(found @ found.T - K)))


def our_projection(data):
    from gnomon.features import RandomProjection

    return RandomProjection(100, kind=data.kind, random_state=0).fit_transform(data.X)


def their_projection(data):
    from sklearn import random_projection

    family = {"gaussian": "GaussianRandomProjection", "sparse": "SparseRandomProjection"}[data.kind]
    return getattr(random_projection, family)(100, random_state=0).fit_transform(data.X)


def digits(n):
    """Images of digits, for normal directions."""
    return _data.make(_data.digits(n).X, np.zeros(0), kind="gaussian")


def projected_table(n, d, kind):
    data = table(n, d)
    data.kind = kind
    return data


def distance_error(data, Z):
    """The mean relative error of squared distances of consecutive rows."""
    Z = Z[:300].toarray() if not isinstance(Z, np.ndarray) else Z[:300]
    after, before = (np.sum(np.diff(A, axis=0) ** 2, axis=1) for A in (Z, data.X[:300]))
    return float(np.mean(np.abs(after / before - 1.0)))


def index_row(name, make, size, quick, **more):
    """Brute force finds everything, so the tables may miss what is left to a recall of 0.9."""
    return Row(
        name=name,
        make=make,
        size=size,
        quick=quick,
        ours=our_neighbors,
        peers=(Peer("scikit-learn", "brute force", their_neighbors), Peer("faiss", "signs", faiss_neighbors)),
        quality=missed,
        targets={"scikit-learn": np.nan, "faiss": np.nan},
        tolerance=0.12,
        **more,
    )


ROWS = (
    index_row(
        "hash tables 100k×64, 10 nearest of 1000 rows",
        partial(many_groups, d=64),
        {"n": 100_000},
        {"n": 2000},
        ladder=tuple({"n": n} for n in (25_000, 50_000, 100_000)),
    ),
    index_row("hash tables of USPS digits, 10 nearest (real)", images, {"n": 7291}, {"n": 1000}),
    Row(
        name="RandomFourierFeatures 100k×50, 500 columns",
        make=table,
        size={"n": 100_000, "d": 50},
        quick={"n": 500, "d": 5},
        ours=our_fourier,
        peers=(Peer("scikit-learn", "scikit-learn", their_fourier),),
        quality=kernel_error,
        targets={"scikit-learn": 1.0},
        tolerance=5e-3,
        ladder=tuple({"n": n, "d": 50} for n in (12_500, 25_000, 50_000)),
        memory=({"n": 50_000, "d": 50},),
        memory_limit=None,
    ),
    Row(
        name="RandomFourierFeatures of forest cover, 500 columns (real)",
        make=cover,
        size={"n": 8000},
        quick={"n": 500},
        ours=our_fourier,
        peers=(Peer("scikit-learn", "scikit-learn", their_fourier),),
        quality=kernel_error,
        targets={"scikit-learn": 1.0},
        tolerance=5e-3,
    ),
    *(
        Row(
            name=f"RandomProjection 50k×1000 on 100, {kind}",
            make=partial(projected_table, kind=kind),
            size={"n": 50_000, "d": 1000},
            quick={"n": 500, "d": 200},
            ours=our_projection,
            peers=(Peer("scikit-learn", "scikit-learn", their_projection),),
            quality=distance_error,
            targets={"scikit-learn": 1.0},
            tolerance=2e-2,
        )
        for kind in ("gaussian", "sparse")
    ),
    Row(
        name="RandomProjection of MNIST digits 12k×784 on 100 (real)",
        make=digits,
        size={"n": 12_000},
        quick={"n": 500},
        ours=our_projection,
        peers=(Peer("scikit-learn", "scikit-learn", their_projection),),
        quality=distance_error,
        targets={"scikit-learn": 1.0},
        tolerance=2e-2,
    ),
)
