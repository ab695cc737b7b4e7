"""Data for the rows: made from fixed seeds, so that every run and every contestant sees the same numbers."""

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from scipy import sparse

__all__ = ["dense_classes", "dense_regression", "digits", "make", "sparse_classes", "sparse_regression", "text"]

REAL = Path(os.environ.get("GNOMON_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


def make(X, y, **more):
    return SimpleNamespace(X=X, y=y, sparse=sparse.issparse(X), **more)


def dense_regression(n, d, *, n_nonzero=None, noise=1.0, dtype="float64", correlation=0.0):
    """y = Xw + noise; neighbouring columns have the given correlation, `n_nonzero` of the weights are not zero."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d), dtype=dtype)
    for j in range(1, d) if correlation else ():
        X[:, j] = correlation * X[:, j - 1] + np.sqrt(1 - correlation**2) * X[:, j]
    return make(X, X @ _weights(rng, d, n_nonzero, dtype) + noise * rng.standard_normal(n, dtype=dtype))


def sparse_regression(n, d, *, density, n_nonzero):
    """The same with a sparse X of the given density."""
    rng = np.random.default_rng(0)
    X = _sparse(rng, n, d, density)
    z = X @ _weights(rng, d, n_nonzero, float)
    return make(X.tocsc(), z + 0.5 * z.std() * rng.standard_normal(n))


def dense_classes(n, d, *, noise=1.0):
    """Labels 0 and 1 from a noisy linear score."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    score = X @ (rng.standard_normal(d) / np.sqrt(d)) + noise * rng.logistic(size=n) * 0.5
    return make(X, (score > 0).astype(int))


def sparse_classes(n, d, *, density, n_nonzero):
    """Labels 0 and 1 from a noisy score that depends on few columns of a sparse X."""
    rng = np.random.default_rng(0)
    X = _sparse(rng, n, d, density)
    z = X @ _weights(rng, d, n_nonzero, float)
    return make(X, (z + 0.5 * z.std() * rng.standard_normal(n) > np.median(z)).astype(int))


def text(n, d, *, length=80):
    """Two topics over a vocabulary with Zipf's frequencies, as tf–idf rows of unit length."""
    rng = np.random.default_rng(0)
    frequency = 1.0 / np.arange(1, d + 1)
    tilt = np.exp(0.7 * rng.standard_normal(d))
    y = rng.integers(0, 2, n)
    words = np.empty((n, length), dtype=np.int64)
    for topic, p in enumerate((frequency * tilt, frequency / tilt)):
        words[y == topic] = rng.choice(d, size=(int(np.sum(y == topic)), length), p=p / p.sum())
    rows = np.repeat(np.arange(n), length)
    X = sparse.csr_matrix((np.ones(n * length), (rows, words.ravel())), shape=(n, d))
    X.sum_duplicates()
    idf = np.log((1.0 + n) / (1.0 + np.bincount(X.indices, minlength=d))) + 1.0
    X.data = (1.0 + np.log(X.data)) * idf[X.indices]
    norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    return make(sparse.csr_matrix(sparse.diags(1.0 / norms) @ X), y)


def digits(n, *, size=28):
    """`n` images of ten digits: MNIST repeated with small shifts and noise where it is at hand, else made up."""
    rng = np.random.default_rng(0)
    path = REAL / "images" / "mnist_12k_2k.npz"
    images, labels = _mnist(path) if path.exists() and size == 28 else _blobs(rng, size)
    chosen = np.concatenate([rng.permutation(len(labels)) for _ in range(-(-n // len(labels)))])[:n]
    X = images[chosen]
    for shift in (-1, 1):
        moved = rng.random(n) < 0.3
        X[moved] = np.roll(X[moved], shift, axis=1 + int(shift > 0))
    X = X.reshape(n, -1).astype(float) / 255.0 + 0.02 * rng.random((n, size * size))
    return make(X, labels[chosen])


def _mnist(path):
    with np.load(path) as file:
        return file["X_train"], file["y_train"].astype(int)


def _blobs(rng, size):
    """Ten smooth patterns, each blurred by noise: as hard for a linear model as handwritten digits."""
    grid = np.linspace(0, np.pi, size)
    waves = rng.standard_normal((10, 4, 4))
    basis = np.array([np.cos(k * grid) for k in range(4)])
    patterns = np.einsum("cij,ik,jl->ckl", waves, basis, basis)
    labels = rng.integers(0, 10, 12000)
    return 80 + 30 * (patterns[labels] + 2.5 * rng.standard_normal((12000, size, size))), labels


def _sparse(rng, n, d, density):
    per_row = max(1, round(density * d))
    indices = rng.integers(0, d, size=(n, per_row))
    starts = np.arange(0, n * per_row + 1, per_row)
    X = sparse.csr_matrix((rng.standard_normal(n * per_row), indices.ravel(), starts), (n, d))
    X.sum_duplicates()
    return X


def _weights(rng, d, n_nonzero, dtype):
    w = np.zeros(d, dtype=dtype)
    support = rng.permutation(d)[: n_nonzero or d]
    w[support] = rng.standard_normal(support.size)
    return w
