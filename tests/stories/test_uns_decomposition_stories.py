"""Directions of real tables: arrests in the states, gene expression, handwritten digits, seeds of wheat, irises."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from gnomon.cluster import KMeans, compare_labels
from gnomon.decomposition import PCA, DiscriminantProjection, KernelPCA
from real_data import data_path


@cache
def usps(n=3000):
    """Digits of 16 × 16 pixels in [0, 1]."""
    table = pd.read_csv(data_path("esl/zip.train.csv.gz"), nrows=n).to_numpy()
    return (table[:, 1:] + 1.0) / 2.0, table[:, 0].astype(int)


@pytest.mark.spec("UNS-064", "UNS-065", "UNS-072")
def test_arrests_in_the_states():
    """The lab of James, Witten, Hastie & Tibshirani (2021), §12.5: shares of variance and loadings."""
    table = pd.read_csv(data_path("rbooks/datasets_USArrests.csv.gz")).set_index("rownames")
    X = (table - table.mean()) / table.std(ddof=0)
    model = PCA().fit(X)
    assert model.explained_variance_ratio_ == pytest.approx([0.6201, 0.2474, 0.0891, 0.0434], abs=5e-5)
    assert model.components_[0] == pytest.approx([0.5359, 0.5832, 0.2782, 0.5434], abs=5e-5)
    second = dict(zip(table.columns, model.components_[1], strict=True))
    assert max(second, key=lambda name: abs(second[name])) == "UrbanPop"
    scores = pd.DataFrame(model.transform(X), index=table.index)
    assert scores[0].idxmax() == "Florida"
    assert scores[0].idxmin() == "North Dakota"
    assert scores[1].idxmax() in ("California", "Hawaii")
    raw = PCA(1).fit(table)  # without scaling, the column of the largest numbers is all there is
    assert abs(raw.components_[0][list(table.columns).index("Assault")]) > 0.99
    errors = [PCA(m).fit(X).reconstruction_error(X) for m in (1, 2, 3)]
    assert errors == pytest.approx(4.0 * np.cumsum([0.0434, 0.0891, 0.2474])[::-1], abs=1e-3)


def test_three_kinds_of_iris():
    """Flowers: 92 % of the variance along one direction, three clusters, of which one is a kind by itself."""
    X, kinds = load_iris(return_X_y=True)
    model = PCA(2).fit(X)
    assert model.explained_variance_ratio_ == pytest.approx([0.92461872, 0.05306648], abs=1e-8)
    assert model.components_[0] == pytest.approx([0.36138659, -0.08452251, 0.85667061, 0.3582892], abs=1e-7)
    costs = [KMeans(k, n_init=10, random_state=0).fit(X).inertia_ for k in (1, 2, 3)]
    assert costs == pytest.approx([681.3706, 152.34795, 78.85144], abs=1e-5)
    found = KMeans(3, n_init=10, random_state=0).fit_predict(X)
    agreement = compare_labels(found, kinds)
    assert agreement.matched_accuracy == pytest.approx(134 / 150)
    assert agreement.adjusted_rand == pytest.approx(0.7302, abs=5e-5)
    assert len(set(found[kinds == 0])) == 1
    assert not set(found[kinds == 0]) & set(found[kinds != 0])
    # Nearly all that tells the clusters apart is in the plane of the first two components.
    assert compare_labels(KMeans(3, n_init=10, random_state=0).fit_predict(model.transform(X)), found).purity > 0.99


@pytest.mark.spec("UNS-068")
def test_gene_expression_has_more_columns_than_rows():
    X = pd.read_csv(data_path("esl/nci.csv.gz")).to_numpy().T
    assert X.shape == (64, 6830)
    dual, full = (PCA(10, svd_solver=solver).fit(X) for solver in ("dual", "full"))
    assert np.allclose(dual.components_, full.components_, atol=1e-10)
    assert dual.explained_variance_ratio_ == pytest.approx(full.explained_variance_ratio_)
    assert 0.4 < dual.explained_variance_ratio_.sum() < 0.6
    assert PCA().fit(X).explained_variance_ratio_.sum() == pytest.approx(1.0)


@pytest.mark.spec("UNS-071", "UNS-072")
def test_threes_in_few_components():
    """§14.5.1 of Hastie, Tibshirani & Friedman (2009): 12 of 256 components hold 63 % of the variance of threes, 50 of
    them 90 %."""
    table = pd.read_csv(data_path("esl/zip.train.csv.gz")).to_numpy()
    threes = table[table[:, 0] == 3.0, 1:]
    assert threes.shape == (658, 256)
    shares = np.cumsum(PCA().fit(threes).explained_variance_ratio_)
    assert shares[11] == pytest.approx(0.63, abs=0.005)
    assert shares[49] == pytest.approx(0.90, abs=0.005)
    model = PCA(0.9).fit(threes)
    assert model.n_components_ == int(np.argmax(shares >= 0.9)) + 1
    assert model.compression_ratio_ < 0.3


@pytest.mark.spec("UNS-069", "UNS-071", "UNS-072")
def test_mnist_fits_into_a_quarter():
    with np.load(data_path("images/mnist_12k_2k.npz")) as stored:
        train, test = (stored[name][:1500].reshape(1500, -1) / 255.0 for name in ("X_train", "X_test"))
        digit = stored["y_train"][:1500]
    model = PCA(0.95).fit(train)
    assert 120 < model.n_components_ < 160
    assert model.compression_ratio_ < 0.35
    lost = np.mean(model.reconstruction_error(test)) / test.var(axis=0).sum()
    assert 0.04 < lost < 0.09  # a little more than of the rows that the directions were made of
    quick = PCA(30, svd_solver="randomized", random_state=0).fit(train)
    assert quick.explained_variance_ratio_.sum() == pytest.approx(model.explained_variance_ratio_[:30].sum(), rel=1e-3)
    # Ten clusters are not the ten digits; most of forty are one way of writing one of them.
    few, many = (KMeans(k, n_init=3, random_state=0).fit(quick.transform(train)).labels_ for k in (10, 40))
    assert compare_labels(few, digit).purity + 0.1 < compare_labels(many, digit).purity
    assert compare_labels(many, digit).purity > 0.7


@pytest.mark.spec("UNS-077", "UNS-079")
def test_kernel_components_clean_digits_better_than_linear_ones():
    """Mika et al. (1999): a curved set of digits; the noise of new digits is nearly orthogonal to it."""
    X, digit = usps()
    rng = np.random.default_rng(0)
    train = np.concatenate([np.flatnonzero(digit == d)[:60] for d in range(10)])
    new = np.concatenate([np.flatnonzero(digit == d)[60:70] for d in range(10)])
    noisy, dirty = (X[rows] + rng.normal(0.0, 0.25, size=(len(rows), 256)) for rows in (train, new))

    def left(model):
        return float(np.mean((model.inverse_transform(model.fit(noisy).transform(dirty)) - X[new]) ** 2))

    linear = min(left(PCA(m)) for m in (8, 16, 32, 64))
    curved = left(KernelPCA(100, kernel="rbf", gamma=0.005, fit_inverse_transform=True, alpha=0.005))
    assert curved < 0.9 * linear < 0.6 * float(np.mean((dirty - X[new]) ** 2))


@pytest.mark.spec("UNS-085")
def test_two_directions_tell_the_varieties_of_wheat():
    table = pd.read_csv(data_path("tabular/wheat-seeds.csv.gz"), header=None).to_numpy()
    X, variety = table[:, :7], table[:, 7].astype(int)
    model = DiscriminantProjection().fit(X, variety)
    assert model.transform(X).shape == (210, 2)
    found = KMeans(3, n_init=5, random_state=0).fit(model.transform(X)).labels_
    blind = KMeans(3, n_init=5, random_state=0).fit(PCA(2, whiten=True).fit_transform(X)).labels_
    assert compare_labels(found, variety).matched_accuracy > 0.95 > compare_labels(blind, variety).matched_accuracy
