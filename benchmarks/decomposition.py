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


def genes(n, m):
    """Cell lines with the expression of many more genes than there are lines."""
    return _data.make(np.loadtxt(_real.real_path("esl/nci.csv.gz"), delimiter=",", skiprows=1).T[:n], np.zeros(0), m=m)


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


def faiss_axes(data):
    """The axes by faiss, in single precision."""
    import faiss

    faiss.omp_set_num_threads(2)
    model = faiss.PCAMatrix(data.X.shape[1], data.m)
    # By default it looks at a sample of the rows.
    model.max_points_per_d = len(data.X)
    model.train(data.X)
    return faiss.vector_to_array(model.A).reshape(model.d_out, model.d_in)


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


def curves(module, **options):
    """Variances in feature space of the first m kernel components."""

    def run(data):
        model = import_module(module).KernelPCA(data.m, kernel="rbf", gamma=data.gamma, random_state=0, **options)
        return model.fit(data.X).eigenvalues_

    return run


def curved_digits(n, m):
    """Digits, for a kernel that is neither flat nor a spike."""
    data = usps(n, m)
    data.gamma = 1.0 / data.X.shape[1]
    return data


def curved_variance_left(data, values):
    """The share of the variance in feature space outside the components."""
    from sklearn.metrics.pairwise import rbf_kernel

    K = rbf_kernel(data.X, gamma=data.gamma)
    return 1.0 - float(np.sum(values) / (np.trace(K) - len(K) * K.mean()))


def dictionary(module, **options):
    """Codes and atoms, the codes by coordinate descent in both."""

    def run(data):
        model = import_module(module).DictionaryLearning(
            data.m, alpha=1.0, fit_algorithm="cd", transform_algorithm="lasso_cd", random_state=0, **options
        )
        return model.fit(data.X).components_

    return run


def codes_left(data, H):
    """½‖X − ZH‖² + ‖Z‖₁ with the best codes, over its value without codes."""
    from sklearn.decomposition import sparse_encode

    Z = sparse_encode(data.X, H, algorithm="lasso_cd", alpha=1.0, max_iter=10_000)
    value = 0.5 * np.sum((data.X - Z @ H) ** 2) + np.sum(np.abs(Z))
    return float(value / (0.5 * np.sum(data.X**2)))


def centred_digits(n, m):
    """Handwritten digits about their mean."""
    data = usps(n, m)
    data.X = data.X - data.X.mean(axis=0)
    return data


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
        peers=(*pca_peers(), Peer("faiss", "faiss", faiss_axes)),
        quality=variance_left,
        targets=BOTH | {"faiss": 1.0},
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
        ours=factors("gnomon.decomposition", max_iter=50),
        peers=nmf_peers(),
        quality=distance_left,
        targets={"scikit-learn": 2.0},
        tolerance=1e-3,
    ),
    Row(
        name="PCA of gene expression 64×6830, 10 components (real)",
        make=partial(genes, m=10),
        size={"n": 64},
        quick={"n": 20},
        ours=components("gnomon.decomposition"),
        peers=pca_peers(),
        quality=variance_left,
        targets=BOTH,
        tolerance=1e-4,
    ),
    Row(
        name="KernelPCA of 3000 USPS digits, 50 components (real)",
        make=partial(curved_digits, m=50),
        size={"n": 3000},
        quick={"n": 200},
        ours=curves("gnomon.decomposition"),
        peers=tuple(
            Peer("scikit-learn", f"scikit-learn, {way}", curves("sklearn.decomposition", eigen_solver=way))
            for way in ("auto", "arpack", "randomized")
        ),
        quality=curved_variance_left,
        targets={"scikit-learn": 1.0},
        tolerance=1e-4,
    ),
    Row(
        name="DictionaryLearning of 1000 USPS digits, 50 atoms (real)",
        make=partial(centred_digits, m=50),
        size={"n": 1000},
        quick={"n": 100},
        ours=dictionary("gnomon.decomposition", tol=3e-5, max_iter=200),
        peers=tuple(
            Peer(
                "scikit-learn",
                f"scikit-learn, tol={tol:g}",
                dictionary("sklearn.decomposition", tol=tol, max_iter=200),
            )
            for tol in (1e-2, 1e-3, 1e-4)
        ),
        quality=codes_left,
        targets={"scikit-learn": 2.0},
        tolerance=1e-3,
    ),
)
