"""Mixtures of rows that come in chunks."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from gnomon.generative import GaussianMixture

MEANS = [[-5.0, 0.0], [5.0, 0.0], [0.0, 8.0]]
START = {"weights_init": [0.3, 0.3, 0.4], "means_init": MEANS}
COVARIANCES = {
    "full": [4.0 * np.eye(2)] * 3,
    "tied": 4.0 * np.eye(2),
    "diag": np.full((3, 2), 4.0),
    "spherical": np.full(3, 4.0),
    "tied_diag": np.full(2, 4.0),
    "tied_spherical": 4.0,
}


def clouds(n=300):
    return make_blobs(n, centers=[[-6.0, 0.0], [6.0, 0.0], [0.0, 9.0]], cluster_std=2.5, random_state=0)[0]


def same(a, b, atol=1e-9):
    np.testing.assert_allclose(a.weights_, b.weights_, atol=atol)
    np.testing.assert_allclose(a.means_, b.means_, atol=atol)
    np.testing.assert_allclose(a.covariances_, b.covariances_, atol=atol)
    assert a.n_iter_ == b.n_iter_
    assert a.lower_bound_ == pytest.approx(b.lower_bound_, abs=atol)


@pytest.mark.spec("GEN-070", "GEN-067")
@pytest.mark.parametrize("kind", COVARIANCES)
def test_em_over_chunks_makes_the_steps_of_the_whole_table(kind):
    X = clouds()
    options = {"covariance_type": kind, "covariances_init": COVARIANCES[kind], "tol": 1e-6, "max_iter": 300, **START}
    whole = GaussianMixture(3, **options).fit(X)
    same(GaussianMixture(3, **options).fit_chunks([X[:40], X[40:45], X[45:]]), whole)
    same(GaussianMixture(3, **options).fit_chunks(lambda: (X[i : i + 70] for i in range(0, 300, 70))), whole)


@pytest.mark.spec("GEN-070", "GEN-071", "GEN-080", "GEN-L10")
def test_chunks_with_gaps_weights_and_hard_assignment():
    X = clouds()
    weights = np.random.default_rng(0).integers(1, 4, size=300)
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    for algorithm in ("soft", "hard"):
        options = {"covariances_init": COVARIANCES["full"], "algorithm": algorithm, "on_empty": "keep", **START}
        whole = GaussianMixture(3, **options).fit(X, sample_weight=weights)
        parts = [(X[:100], weights[:100]), (X[100:], weights[100:])]
        same(GaussianMixture(3, **options).fit_chunks(parts), whole)


@pytest.mark.spec("GEN-070")
def test_a_file_of_row_groups_is_fitted_without_being_loaded(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    X = clouds(2000)
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"a": X[:, 0], "b": X[:, 1]}), path, row_group_size=250)
    sizes = []

    def chunks():
        file = pq.ParquetFile(path)
        for number in range(file.num_row_groups):
            frame = file.read_row_group(number).to_pandas()
            sizes.append(len(frame))
            yield frame

    options = {"covariances_init": COVARIANCES["full"], **START}
    model = GaussianMixture(3, **options).fit_chunks(chunks)
    assert max(sizes) == 250
    assert model.feature_names_in_.tolist() == ["a", "b"]
    same(model, GaussianMixture(3, **options).fit(X))
    started = GaussianMixture(3, random_state=0).fit_chunks(chunks)
    head = next(chunks())
    assert started.score(head) == pytest.approx(model.score(head), abs=0.05)


@pytest.mark.spec("GEN-070")
def test_what_cannot_be_done_in_chunks_is_refused():
    X = clouds(60)
    with pytest.raises(ValueError, match="can be read only once"):
        GaussianMixture(2).fit_chunks(part for part in [X, X])
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        GaussianMixture(2).fit_chunks([])
    with pytest.raises(ValueError, match="need all rows at once"):
        GaussianMixture(2, init_params="lbg").fit_chunks([X])
    with pytest.raises(ValueError, match="on_empty='reseed' needs all rows"):
        GaussianMixture(2, algorithm="hard").fit_chunks([X])
    with pytest.raises(ValueError, match="features"):
        GaussianMixture(2).fit_chunks([X, X[:, :1]])


@pytest.mark.spec("GEN-070", "GEN-067")
def test_stepwise_em_sees_every_chunk_once_and_comes_near_the_fit_of_all():
    X = np.random.default_rng(0).permutation(clouds(4000))
    model = GaussianMixture(3, random_state=0)
    for part in np.array_split(X, 40):
        model.partial_fit(part)
    whole = GaussianMixture(3, random_state=0).fit(X)
    assert model.n_iter_ == 40
    order, other = np.argsort(model.means_[:, 0]), np.argsort(whole.means_[:, 0])
    np.testing.assert_allclose(model.means_[order], whole.means_[other], atol=0.4)
    assert model.score(X) > whole.score(X) - 0.02
    before = whole.means_
    assert np.max(np.abs(whole.partial_fit(X[:1000]).means_ - before)) < 0.5
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :1])
