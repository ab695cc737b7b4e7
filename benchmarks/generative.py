"""Generative models: targets for their speed, memory and first call."""

from functools import partial
from importlib import import_module

import numpy as np

from benchmarks import _data, _real
from benchmarks._row import Peer, Row

__all__ = ["PACKAGES", "ROWS"]

PACKAGES = ("gnomon.generative", "gnomon.anomaly")


def fit(module, name, **options):
    """Fit the estimator `name` of `module`, mixtures from the start that the data carry."""

    def run(data):
        return getattr(import_module(module), name)(**options, **getattr(data, "start", {})).fit(data.X, data.y)

    return run


ours = partial(fit, "gnomon.generative")


def peer(module, name, **options):
    return (Peer("scikit-learn", "scikit-learn", fit(module, name, **options)),)


def mixture(n, d, k, covariance_type="full", dtype="float64"):
    """Rows of a mixture whose components overlap, and one start for all contestants."""
    rng = np.random.default_rng(0)
    centers = 2.0 * rng.standard_normal((k, d))
    roots = 0.4 * rng.standard_normal((k, d, d)) + np.eye(d)
    index = rng.integers(k, size=n)
    X = np.empty((n, d), dtype=dtype)
    for j in range(k):
        X[index == j] = centers[j] + rng.standard_normal((int(np.sum(index == j)), d)) @ roots[j]
    data = _data.make(X, index)
    unit = {"full": np.tile(np.eye(d) / 4.0, (k, 1, 1)), "diag": np.full((k, d), 0.25)}[covariance_type]
    data.start = {
        "weights_init": np.full(k, 1.0 / k),
        "means_init": centers + rng.standard_normal((k, d)),
        "precisions_init": unit,
    }
    return data


def digits_mixture(n=7291, k=10):
    """Handwritten digits, and a start at rows drawn from them."""
    data = _real.usps(n)
    spread = np.var(data.X, axis=0) + 0.01
    data.start = {
        "weights_init": np.full(k, 1.0 / k),
        "means_init": data.X[np.random.default_rng(0).permutation(n)[:k]],
        "precisions_init": np.tile(1.0 / spread, (k, 1)),
    }
    return data


def mean_nll(data, model):
    """Mean negative log-likelihood, over that of one normal law with the variances of the columns."""
    single = 0.5 * np.sum(np.log(2.0 * np.pi * np.var(data.X, axis=0)) + 1.0)
    return -float(np.mean(model.score_samples(data.X))) / abs(single)


def accuracy_missed(data, model):
    """Share of the rows that are predicted wrongly."""
    return float(np.mean(model.predict(data.X) != data.y))


def classes(n, d, k=5):
    """Normal classes with covariances of their own."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((n, d)), rng.integers(k, size=n)
    X *= 0.5 + rng.random((k, d))[y]
    X += rng.standard_normal((k, d))[y]
    X[:, 1:] += 0.5 * X[:, :-1]
    return _data.make(X, y)


def documents(n, d, density=0.001):
    """Counts of words in three topics."""
    data = _data.sparse_classes(n, d, density=density, n_nonzero=d // 10)
    data.X = data.X.tocsr()
    data.X.data = np.ceil(5.0 * np.abs(data.X.data) / np.max(np.abs(data.X.data)))
    return data


def log_loss(data, model):
    """Mean log-loss on the first rows, over log k."""
    few = slice(0, 20_000)
    p = model.predict_proba(data.X[few])[np.arange(min(20_000, len(data.y))), data.y[few]]
    return float(-np.mean(np.log(np.maximum(p, 1e-300)))) / np.log(len(model.classes_))


def fitted_mixture(n, d, k):
    """Rows, and mixtures of ours and of scikit-learn with the same parameters."""
    data = mixture(n, d, k)
    data.model = ours("GaussianMixture", n_components=k, max_iter=5, tol=1e3)(data)
    data.peer = fit("sklearn.mixture", "GaussianMixture", n_components=k, max_iter=5, tol=1e3)(data)
    data.expected = data.peer.score_samples(data.X)
    return data


def score_error(data, found):
    """Largest relative error of the log-densities."""
    return float(np.max(np.abs(found - data.expected) / (1.0 + np.abs(data.expected))))


def em_row(name, size, quick, covariance_type="full", **more):
    k = size["k"]
    options = {"n_components": k, "covariance_type": covariance_type, "tol": 1e-3, "max_iter": 100}
    return Row(
        name=name,
        make=partial(mixture, covariance_type=covariance_type),
        size=size,
        quick=quick,
        ours=ours("GaussianMixture", **options),
        peers=peer("sklearn.mixture", "GaussianMixture", **options),
        quality=mean_nll,
        targets={"scikit-learn": 4.0},
        **more,
    )


ROWS = (
    em_row(
        "GaussianMixture, full, 30k×20, 10 components",
        {"n": 30_000, "d": 20, "k": 10},
        {"n": 500, "d": 3, "k": 10},
        ladder=tuple({"n": n, "d": 20, "k": 10} for n in (7500, 15_000, 30_000, 60_000)),
    ),
    em_row(
        "GaussianMixture, diag, 30k×20, 10 components",
        {"n": 30_000, "d": 20, "k": 10},
        {"n": 500, "d": 3, "k": 10},
        covariance_type="diag",
    ),
    em_row(
        "GaussianMixture, full, 1M×10, 5 components",
        {"n": 1_000_000, "d": 10, "k": 5},
        {"n": 500, "d": 3, "k": 5},
        memory=({"n": 1_000_000, "d": 10, "k": 5},),
    ),
    Row(
        name="GaussianNB 1M×50",
        make=classes,
        size={"n": 1_000_000, "d": 50},
        quick={"n": 1000, "d": 5},
        ours=ours("GaussianNB"),
        peers=peer("sklearn.naive_bayes", "GaussianNB"),
        quality=log_loss,
        targets={"scikit-learn": 2.0},
        ladder=tuple({"n": n, "d": 50} for n in (50_000, 100_000, 200_000, 400_000)),
        memory=({"n": 1_000_000, "d": 50},),
    ),
    Row(
        name="MultinomialNB, sparse 1M×10k, density 0.1 %",
        make=documents,
        size={"n": 1_000_000, "d": 10_000},
        quick={"n": 1000, "d": 200},
        ours=ours("MultinomialNB"),
        peers=peer("sklearn.naive_bayes", "MultinomialNB"),
        quality=log_loss,
        targets={"scikit-learn": 1.5},
    ),
    Row(
        name="LinearDiscriminantAnalysis 500k×100",
        make=classes,
        size={"n": 500_000, "d": 100},
        quick={"n": 1000, "d": 5},
        ours=ours("LinearDiscriminantAnalysis"),
        peers=peer("sklearn.discriminant_analysis", "LinearDiscriminantAnalysis"),
        quality=log_loss,
        targets={"scikit-learn": 2.0},
        memory=({"n": 500_000, "d": 100},),
    ),
    Row(
        name="QuadraticDiscriminantAnalysis 500k×100",
        make=classes,
        size={"n": 500_000, "d": 100},
        quick={"n": 1000, "d": 5},
        ours=ours("QuadraticDiscriminantAnalysis"),
        peers=peer("sklearn.discriminant_analysis", "QuadraticDiscriminantAnalysis"),
        quality=log_loss,
        targets={"scikit-learn": 2.0},
    ),
    Row(
        name="scores of a normal law, 300k×20",
        make=partial(fitted_mixture, k=1),
        size={"n": 300_000, "d": 20},
        quick={"n": 500, "d": 3},
        ours=lambda data: data.model.score_samples(data.X),
        peers=(Peer("scikit-learn", "scikit-learn", lambda data: data.peer.score_samples(data.X)),),
        quality=score_error,
        targets={"scikit-learn": 3.0},
    ),
    Row(
        name="scores of a mixture of 5, 300k×20",
        make=partial(fitted_mixture, k=5),
        size={"n": 300_000, "d": 20},
        quick={"n": 500, "d": 3},
        ours=lambda data: data.model.score_samples(data.X),
        peers=(Peer("scikit-learn", "scikit-learn", lambda data: data.peer.score_samples(data.X)),),
        quality=score_error,
        targets={"scikit-learn": 3.0},
    ),
    Row(
        name="GaussianMixture, diag, of USPS digits, 7291×256, 10 components",
        make=digits_mixture,
        size={},
        quick={"n": 500},
        ours=ours("GaussianMixture", n_components=10, covariance_type="diag", reg_covar=0.01),
        peers=peer("sklearn.mixture", "GaussianMixture", n_components=10, covariance_type="diag", reg_covar=0.01),
        quality=mean_nll,
        targets={"scikit-learn": 1.0},
    ),
    Row(
        name="LinearDiscriminantAnalysis of USPS digits, 7291×256",
        make=_real.usps,
        size={},
        quick={"n": 1000},
        ours=ours("LinearDiscriminantAnalysis"),
        peers=peer("sklearn.discriminant_analysis", "LinearDiscriminantAnalysis"),
        quality=accuracy_missed,
        targets={"scikit-learn": 1.0},
        tolerance=1e-3,
    ),
    Row(
        name="GaussianNB of forest cover, 8000×54, 7 classes",
        make=_real.cover,
        size={},
        quick={"n": 1000},
        ours=ours("GaussianNB"),
        peers=peer("sklearn.naive_bayes", "GaussianNB"),
        quality=accuracy_missed,
        targets={"scikit-learn": 1.0},
        tolerance=1e-3,
    ),
)
