"""Principal components and non-negative factors: targets for their speed and memory."""

from functools import partial
from importlib import import_module

import numpy as np
from scipy import sparse

from benchmarks import _data, _real
from benchmarks._row import Peer, Row

__all__ = ["PACKAGES", "ROWS"]

PACKAGES = ("gnomon.decomposition",)


def low_rank(n, d, m, dtype="float64"):
    """Rows near a subspace of m dimensions whose variances fall, off the origin."""
    rng = np.random.default_rng(0)
    scores = rng.standard_normal((n, m)) / np.sqrt(np.arange(1.0, m + 1.0))
    X = scores @ rng.standard_normal((m, d)) + 0.3 * rng.standard_normal((n, d)) + 1.0
    return _data.make(X.astype(dtype), np.zeros(0), m=m)


def words(n, d, m):
    """Documents of a vocabulary, sparse."""
    data = _data.text(n, d)
    data.m, data.y = m, np.zeros(0)
    return data


def digits(n, m):
    """Images of digits: MNIST where it is at hand."""
    return _data.make(_data.digits(n).X, np.zeros(0), m=m)


def usps(n, m):
    """Handwritten digits of 16×16 pixels, as ink ≥ 0."""
    return _data.make(_real.usps(n).X + 1.0, np.zeros(0), m=m)


def cover(n, m):
    """Forest cover, standardised."""
    return _data.make(_real.cover(n).X, np.zeros(0), m=m)


def components(module, **options):
    """The axes of the first m components, one a row."""

    def run(data):
        return import_module(module).PCA(data.m, random_state=0, **options).fit(data.X).components_

    return run


def truncated(data):
    """scikit-learn's randomised way for sparse rows, about the origin instead of the mean."""
    from sklearn.decomposition import TruncatedSVD

    return TruncatedSVD(data.m, n_iter=7, random_state=0).fit(data.X).components_


def variance_left(data, axes):
    """The share of the variance outside the axes, after they are made orthonormal."""
    Q = np.linalg.qr(np.asarray(axes, dtype=float).T)[0]
    X = data.X[:20_000]
    mean = np.asarray(X.mean(axis=0)).ravel()
    squares = X.multiply(X).sum() if sparse.issparse(X) else np.vdot(X, X)
    total = float(squares) - X.shape[0] * float(mean @ mean)
    return 1.0 - float(np.sum((np.asarray(X @ Q) - mean @ Q) ** 2)) / total


def parts(m):
    """Non-negative rows made of m parts."""

    def make(n, d):
        rng = np.random.default_rng(0)
        codes, patterns = (rng.gamma(0.5, size=shape) for shape in ((n, m), (m, d)))
        return _data.make(codes @ patterns * rng.uniform(0.5, 1.5, size=(n, d)), np.zeros(0), m=m)

    return make


def factors(module, **options):
    """W and H of a non-negative factorisation."""

    def run(data):
        model = import_module(module).NMF(data.m, init="nndsvda", random_state=0, **options)
        return model.fit_transform(data.X), model.components_

    return run


def distance_left(data, found):
    """‖X − WH‖² over ‖X‖²."""
    W, H = found
    return float(np.sum((data.X - W @ H) ** 2) / np.sum(data.X**2))


def pca_peers(**options):
    return (
        Peer("scikit-learn", "scikit-learn", components("sklearn.decomposition", **options)),
        Peer("scikit-learn-intelex", "scikit-learn-intelex", components("sklearnex.decomposition", **options)),
    )


def nmf_peers():
    """Coordinate descent to three tolerances: the fastest that reaches the same distance counts."""
    run = partial(factors, "sklearn.decomposition", max_iter=1000)
    return tuple(Peer("scikit-learn", f"scikit-learn, tol={tol:g}", run(tol=tol)) for tol in (1e-3, 1e-4, 1e-5))


BOTH = {"scikit-learn": 1.0, "scikit-learn-intelex": 1.0}

ROWS = (
    Row(
        name="PCA 500k×200, 20 components",
        make=partial(low_rank, d=200, m=20),
        size={"n": 500_000},
        quick={"n": 2000},
        ours=components("gnomon.decomposition"),
        peers=pca_peers(),
        quality=variance_left,
        targets=BOTH,
        ladder=tuple({"n": n} for n in (62_500, 125_000, 250_000)),
        memory=({"n": 250_000},),
    ),
    Row(
        name="PCA 500k×200 float32, 20 components",
        make=partial(low_rank, d=200, m=20, dtype="float32"),
        size={"n": 500_000},
        quick={"n": 2000},
        ours=components("gnomon.decomposition"),
        peers=pca_peers(),
        quality=variance_left,
        targets=BOTH,
        tolerance=1e-5,
    ),
    Row(
        # Random directions miss a little of a flat spectrum: a thousandth of the variance is allowed to all.
        name="randomised PCA of sparse text 100k×10k, 20 components",
        make=partial(words, d=10_000, m=20),
        size={"n": 100_000},
        quick={"n": 2000},
        ours=components("gnomon.decomposition"),
        peers=(
            Peer("scikit-learn", "arpack", components("sklearn.decomposition", svd_solver="arpack")),
            Peer("scikit-learn", "TruncatedSVD", truncated),
        ),
        quality=variance_left,
        targets={"scikit-learn": 1.0},
        tolerance=1e-3,
        ladder=tuple({"n": n} for n in (12_500, 25_000, 50_000)),
        memory=({"n": 100_000},),
        memory_limit=3.0,
    ),
    Row(
        name="PCA of MNIST digits 12k×784, 50 components (real)",
        make=partial(digits, m=50),
        size={"n": 12_000},
        quick={"n": 2000},
        ours=components("gnomon.decomposition"),
        peers=pca_peers(),
        quality=variance_left,
        targets=BOTH,
        tolerance=1e-4,
    ),
    Row(
        name="PCA of forest cover, 10 components (real)",
        make=partial(cover, m=10),
        size={"n": 8000},
        quick={"n": 1000},
        ours=components("gnomon.decomposition"),
        peers=pca_peers(),
        quality=variance_left,
        targets=BOTH,
    ),
    Row(
        name="NMF 10k×1000, 20 components",
        make=parts(20),
        size={"n": 10_000, "d": 1000},
        quick={"n": 300, "d": 50},
        ours=factors("gnomon.decomposition", tol=1e-5, max_iter=1000),
        peers=nmf_peers(),
        quality=distance_left,
        targets={"scikit-learn": 2.0},
        tolerance=1e-5,
        ladder=tuple({"n": n, "d": 1000} for n in (2500, 5000, 10_000)),
        memory=({"n": 10_000, "d": 1000},),
    ),
    Row(
        name="NMF of USPS digits, 20 components (real)",
        make=partial(usps, m=20),
        size={"n": 7291},
        quick={"n": 300},
        ours=factors("gnomon.decomposition"),
        peers=nmf_peers(),
        quality=distance_left,
        targets={"scikit-learn": 2.0},
        tolerance=1e-3,
    ),
)
