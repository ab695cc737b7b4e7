"""Laws of principal components."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import LinAlgWarning, subspace_angles
from sklearn.decomposition import PCA as TheirPCA
from sklearn.pipeline import make_pipeline

from gnomon.decomposition import PCA, choose_n_components, intrinsic_dimension
from gnomon.features import Whitener
from gnomon.generative import LinearDiscriminantAnalysis
from gnomon.numerics.centred_rows import rows_about
from gnomon.numerics.principal import principal_components

EXACT = ("full", "covariance_eigh", "dual", "arpack")


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    return rng.normal(size=(60, 7)) * 0.5 ** np.arange(7) @ np.linalg.qr(rng.normal(size=(7, 7)))[0] + 4.0


@pytest.mark.spec("UNS-L24", "UNS-067")
def test_components_explain_more_than_any_other_directions(rows):
    found = PCA(2, ddof=0).fit(rows)
    left = PCA(ddof=0).fit(rows).explained_variance_[2:].sum()
    assert found.reconstruction_error(rows) == pytest.approx(left, rel=1e-10)
    centred = rows - rows.mean(axis=0)
    for seed in range(50):
        W = np.linalg.qr(np.random.default_rng(seed).normal(size=(7, 2)))[0]
        assert np.mean(np.sum((centred - centred @ W @ W.T) ** 2, axis=1)) > left
    w = found.components_[0]
    best = centred @ w
    for z in (best + 0.1, 1.1 * best):
        assert np.sum((centred - np.outer(z, w)) ** 2) > np.sum((centred - np.outer(best, w)) ** 2)
    np.testing.assert_allclose(np.outer(best / 2, 2 * w), np.outer(best, w))
    power = PCA(1, svd_solver="power", random_state=0).fit(rows)
    np.testing.assert_allclose(power.components_[0], w, atol=1e-9)
    assert power.error_estimate_ < 1e-10


@pytest.mark.spec("UNS-L25", "UNS-064", "UNS-068", "UNS-069")
@pytest.mark.parametrize("shape", [(60, 7), (20, 90)])
def test_all_solvers_find_the_same_subspace(shape):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(shape[0], min(shape))) * 0.6 ** np.arange(min(shape)) @ rng.normal(size=(min(shape), shape[1]))
    s = rng.integers(1, 3, size=shape[0]).astype(float)
    for weights in (None, s):
        full = PCA(3, svd_solver="full").fit(X, sample_weight=weights)
        Z = full.transform(X)
        repeated = X if weights is None else np.repeat(X, s.astype(int), axis=0)
        covariance = np.cov(full.transform(repeated).T)
        np.testing.assert_allclose(covariance, np.diag(full.explained_variance_), atol=1e-10 * covariance.max())
        assert np.all(np.diff(full.explained_variance_ratio_) <= 0.0)
        total = np.trace(np.cov(repeated.T))
        np.testing.assert_allclose(full.explained_variance_ratio_, full.explained_variance_ / total)
        np.testing.assert_allclose(full.singular_values_**2 / (len(repeated) - 1), full.explained_variance_)
        np.testing.assert_allclose(full.transform(X), Z)
        for solver in (*EXACT, "randomized", "incremental"):
            other = PCA(3, svd_solver=solver, random_state=0).fit(X, sample_weight=weights)
            angle = np.max(subspace_angles(other.components_.T, full.components_.T))
            assert angle < (1e-6 if solver != "randomized" else 1e-4), solver
            np.testing.assert_allclose(other.explained_variance_, full.explained_variance_, rtol=1e-6)
            np.testing.assert_allclose(other.noise_variance_, full.noise_variance_, rtol=1e-5)


@pytest.mark.spec("UNS-069", "UNS-110")
def test_sparse_rows_are_centred_without_filling_them():
    X = sparse.random(300, 40, density=0.1, format="csr", random_state=0)
    dense = PCA(5, svd_solver="full").fit(X.toarray())
    for solver in ("arpack", "covariance_eigh", "randomized", "auto"):
        found = PCA(5, svd_solver=solver, random_state=0, iterated_power=40).fit(X)
        np.testing.assert_allclose(found.explained_variance_, dense.explained_variance_, rtol=1e-6)
        np.testing.assert_allclose(np.abs(found.transform(X)), np.abs(dense.transform(X.toarray())), atol=1e-3)
        assert found.error_estimate_ < 1e-3
    few = PCA(5, svd_solver="randomized", random_state=0, iterated_power=0).fit(X)
    assert few.error_estimate_ > 1e-2  # one pass over a flat spectrum is not enough, and says so


@pytest.mark.spec("UNS-L26", "UNS-066")
def test_uncentred_direction_is_that_of_a_large_mean(rows):
    mean = np.arange(1.0, 8.0)
    cosines = [
        abs(PCA(1, center=False).fit(rows - rows.mean(axis=0) + c * mean).components_[0] @ mean) / np.linalg.norm(mean)
        for c in (0.0, 1.0, 100.0)
    ]
    assert cosines[0] < cosines[1] < cosines[2]
    assert cosines[2] > 1.0 - 1e-6


@pytest.mark.spec("UNS-L27", "UNS-070", "UNS-110")
def test_chunks_in_any_order_give_the_whole(rows):
    whole = PCA(3).fit(rows)
    order = np.random.default_rng(0).permutation(60)
    for cuts in ([10, 25], [1, 59], [30]):
        chunks = np.split(rows[order], cuts)
        streamed = PCA(3).fit_chunks(chunks)
        first = PCA(3).fit_chunks(chunks[:1])
        merged = PCA.merge(first, PCA(3).fit_chunks(chunks[1:]))
        for other in (streamed, merged):
            np.testing.assert_allclose(other.components_, whole.components_, atol=1e-10)
            np.testing.assert_allclose(other.explained_variance_, whole.explained_variance_, rtol=1e-10)
            np.testing.assert_allclose(other.mean_, whole.mean_, rtol=1e-12)
    np.testing.assert_allclose(PCA(3).fit(np.repeat(rows, 2, axis=0)).components_, whole.components_, atol=1e-10)
    # Weights, functions that begin a pass, and sparse chunks.
    weights = np.random.default_rng(1).integers(1, 4, size=60)
    heavy = PCA(3).fit(np.repeat(rows, weights, axis=0))
    pairs = [(rows[part], weights[part]) for part in np.array_split(np.arange(60), 4)]
    for chunks in (iter(pairs), lambda: iter(pairs), [(sparse.csr_array(A), s) for A, s in pairs]):
        streamed = PCA(3).fit_chunks(chunks)
        np.testing.assert_allclose(streamed.components_, heavy.components_, atol=1e-10)
        np.testing.assert_allclose(streamed.explained_variance_, heavy.explained_variance_, rtol=1e-10)
    with pytest.raises(ValueError, match="partial_fit"):
        PCA.merge(whole, first)
    with pytest.raises(ValueError, match="holds no table"):
        PCA().fit_chunks([])


@pytest.mark.spec("UNS-070")
def test_components_stand_for_rows_that_have_low_rank():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3)) @ rng.normal(size=(3, 30)) + 5.0
    model = PCA(4, svd_solver="incremental")
    for chunk in np.split(X, 9):
        model.partial_fit(chunk)
    whole = PCA(3).fit(X)
    np.testing.assert_allclose(model.explained_variance_[:3], whole.explained_variance_, rtol=1e-8)
    assert np.max(subspace_angles(model.components_[:3].T, whole.components_.T)) < 1e-6


@pytest.mark.spec("UNS-L41", "UNS-073")
@pytest.mark.parametrize("solver", EXACT[:3])
def test_whitening_leaves_out_what_is_only_rounding(solver):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 8)) + 1e3
    with pytest.warns(LinAlgWarning, match="5 of 8 components"):
        found = PCA(whiten=True, svd_solver=solver).fit(X)
    Z = found.transform(X)
    assert Z.shape == (200, 3)
    np.testing.assert_allclose(np.cov(Z.T), np.eye(3), atol=1e-6)
    np.testing.assert_allclose(found.inverse_transform(Z), X, rtol=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LinAlgWarning)
        white = PCA(whiten="zca", ddof=0).fit(X)
        same = Whitener().fit(X)
    np.testing.assert_allclose(white.transform(X), same.transform(X), atol=1e-5)
    assert list(white.get_feature_names_out()[:2]) == ["pca0", "pca1"]


@pytest.mark.spec("UNS-075")
def test_the_density_of_a_plane_is_normal(rows):
    from scipy.stats import multivariate_normal

    found = PCA(2).fit(rows)
    law = multivariate_normal(found.mean_, found.get_covariance())
    np.testing.assert_allclose(found.score_samples(rows), law.logpdf(rows), rtol=1e-9)
    np.testing.assert_allclose(found.get_precision() @ found.get_covariance(), np.eye(7), atol=1e-9)
    drawn = found.sample(20_000, random_state=0)
    np.testing.assert_allclose(np.cov(drawn.T), found.get_covariance(), atol=0.05)
    np.testing.assert_allclose(drawn.mean(axis=0), found.mean_, atol=0.05)
    with pytest.raises(ValueError, match="singular"):
        PCA(2).fit(np.outer(np.arange(5.0), [1.0, 2.0, 3.0])).score_samples(np.ones((1, 3)))


@pytest.mark.spec("UNS-071", "UNS-074")
def test_how_many_components():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 3)) @ rng.normal(size=(3, 10)) + 0.2 * rng.normal(size=(150, 10))
    for rule in ("mle", "parallel", "elbow"):
        assert PCA(rule, random_state=0).fit(X).n_components_ == choose_n_components(X, method=rule).n_components
    assert {
        choose_n_components(X, method=rule).n_components for rule in ("mle", "parallel", "likelihood", "cells")
    } == {3}
    held_out = choose_n_components(X, method="likelihood").scores
    assert np.argmax(held_out) == 3
    with pytest.raises(ValueError, match="falls with every component"):
        choose_n_components(X, method="reconstruction")
    # The error of held-out rows falls with every component, so it could not choose.
    errors = [PCA(m).fit(X[:100]).reconstruction_error(X[100:]) for m in range(1, 10)]
    assert np.all(np.diff(errors) < 0.0)
    assert PCA(1.0).fit(X).n_components_ == 10
    noise = rng.normal(size=(300, 6))
    assert choose_n_components(noise, method="parallel").n_components <= 1
    curled = np.column_stack([np.cos(t := rng.uniform(0, 6, size=800)), np.sin(t), t, rng.uniform(size=800)])
    assert round(intrinsic_dimension(curled)) == 2
    assert intrinsic_dimension(noise, "participation") == pytest.approx(6, rel=0.1)


@pytest.mark.spec("UNS-071")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 9}, "between 0 and 7"),
        ({"n_components": -1}, "between 0 and 7"),
        ({"n_components": 1.5}, r"share in \(0, 1\]"),
        ({"n_components": "most"}, "n_components='most'"),
        ({"n_components": 7, "svd_solver": "arpack"}, "between 1 and 6"),
        ({"n_components": 0.5, "svd_solver": "randomized"}, "needs all components"),
        ({"n_components": 2, "svd_solver": "power"}, "one component"),
        ({"n_components": 0.5, "svd_solver": "incremental"}, "whole number"),
    ],
)
def test_numbers_that_cannot_be(rows, options, message):
    with pytest.raises(ValueError, match=message):
        PCA(**options).fit(rows)


@pytest.mark.spec("UNS-076")
def test_components_before_another_model(rows):
    y = rows[:, 0] > rows[:, 0].mean()
    model = make_pipeline(PCA(2), LinearDiscriminantAnalysis()).fit(rows, y)
    assert model[:-1].get_feature_names_out().tolist() == ["pca0", "pca1"]
    assert model.score(rows, y) > 0.7
    scores = TheirPCA(2).fit_transform(rows)
    np.testing.assert_allclose(np.abs(model[:-1].transform(rows)), np.abs(scores), atol=1e-10)
    np.testing.assert_array_equal(model.predict(rows), LinearDiscriminantAnalysis().fit(scores, y).predict(scores))


def test_few_digits_stay_few():
    X = np.random.default_rng(0).normal(size=(50, 6)).astype(np.float32)
    found = PCA(2).fit(X)
    assert found.transform(X).dtype == found.components_.dtype == np.float32
    offset = PCA(2).fit(X.astype(float) + 1e8)
    np.testing.assert_allclose(offset.explained_variance_, PCA(2).fit(X.astype(float)).explained_variance_, rtol=1e-6)


@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_single_precision_finds_what_double_does(offset):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 12)) * np.linspace(4.0, 1.0, 12) + offset
    X = X.astype(np.float32)
    found, exact = PCA(4).fit(X), PCA(4).fit(X.astype(float))
    assert found.explained_variance_.dtype == np.float32
    np.testing.assert_allclose(found.explained_variance_, exact.explained_variance_, rtol=1e-5)
    np.testing.assert_allclose(found.components_, exact.components_, atol=2e-5)
    parts = PCA(4).fit_chunks([X[:1000], X[1000:]])
    np.testing.assert_allclose(parts.explained_variance_, exact.explained_variance_, rtol=1e-5)


@pytest.mark.parametrize("fit", ["fit", "partial_fit"])
def test_sums_show_the_values_that_cannot_be(fit):
    X = np.random.default_rng(0).normal(size=(3000, 4))
    X[:, 2] = 0.0  # a column of zeros has no square to lose
    getattr(PCA(2, svd_solver="covariance_eigh"), fit)(X)
    for value, message in (
        (np.nan, "NaN in column 1 .1 row"),
        (np.inf, "infinity .* in column 1"),
        (1e200, "column 1 of X has entries of about 1e.200, whose squares"),
    ):
        bad = X.copy()
        bad[1234, 1] = value
        with pytest.raises(ValueError, match=message):
            getattr(PCA(2, svd_solver="covariance_eigh"), fit)(bad)
    X[:, 2] = 1e-160
    with pytest.raises(ValueError, match="column 2 of X has entries of about 1e-160"):
        getattr(PCA(2, svd_solver="covariance_eigh"), fit)(X)


def test_routes_agree_about_any_centre(rows):
    about = rows_about(rows, np.linspace(1, 2, 60), center=False)
    values = [principal_components(about, 2, route=route).values for route in EXACT]
    np.testing.assert_allclose(values, [values[0]] * len(EXACT), rtol=1e-9)


@pytest.mark.spec("UNS-064", "UNS-075")
@pytest.mark.parametrize("options", [{}, {"whiten": True}, {"whiten": "zca"}, {"center": False}], ids=repr)
def test_there_and_back_and_drawn_anew(options):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(80, 3)) * [3.0, 2.0, 1.5] + 5.0
    found = PCA(**options).fit(X)
    np.testing.assert_allclose(found.inverse_transform(found.transform(X)), X, rtol=1e-9)
    # Noise of the size of the components: λ itself is the variance along an axis, and σ² that across.
    few = PCA(1).fit(X)
    drawn = few.sample(40_000, random_state=0) @ np.linalg.svd(few.components_)[2].T
    np.testing.assert_allclose(
        np.var(drawn, axis=0), [few.explained_variance_[0], few.noise_variance_, few.noise_variance_], rtol=0.05
    )


@pytest.mark.spec("UNS-067", "UNS-L25")
@pytest.mark.parametrize("unit", [1e-100, 1e-20, 1e20, 1e100])
@pytest.mark.parametrize("solver", ["power", "full", "covariance_eigh", "dual", "arpack", "randomized"])
def test_components_are_the_same_in_any_unit(solver, unit):
    X = np.random.default_rng(2).normal(size=(40, 4)) * [4.0, 2.0, 1.0, 0.5] + 3.0
    plain, other = (PCA(1, svd_solver=solver, random_state=0).fit(rows) for rows in (X, unit * X))
    np.testing.assert_allclose(other.components_, plain.components_, atol=1e-6)
    np.testing.assert_allclose(other.explained_variance_ratio_, plain.explained_variance_ratio_, rtol=1e-8)
    assert other.error_estimate_ < 1e-5
