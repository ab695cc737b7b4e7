"""Laws of the maps by a kernel: empirical coordinates and similarities to landmarks."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_circles
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from gnomon.features import EmpiricalKernelMap, KernelFeatures, PolynomialMap, Whitener
from gnomon.io import load, save
from gnomon.kernels import RBF, CallableKernel, Laplacian, Linear, Matern, NotPSDWarning, Polynomial, Sigmoid
from gnomon.linear import LogisticRegression, Ridge

RNG = np.random.default_rng(0)
X, Z = RNG.normal(size=(25, 3)), RNG.normal(size=(8, 3))
KERNELS = [RBF(1.3), Matern(), Polynomial(2), Linear(), Laplacian(0.5)]


@pytest.mark.spec("KER-010", "KER-L10")
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_inner_products_of_coordinates_are_the_kernel(kernel):
    found = EmpiricalKernelMap(kernel)
    R = found.fit_transform(X)
    np.testing.assert_allclose(R @ R.T, kernel.gram(X), atol=1e-8)
    np.testing.assert_allclose(found.transform(X), R, atol=1e-6)
    # Of a new row with those of the training rows.
    np.testing.assert_allclose(found.transform(Z) @ R.T, _projected(kernel), atol=1e-6)
    np.testing.assert_allclose(np.diag(R.T @ R), found.eigenvalues_, rtol=1e-9)
    few = EmpiricalKernelMap(kernel, 2).fit(X)
    np.testing.assert_allclose(few.embedding_, R[:, :2])
    assert few.transform(Z).shape == (8, 2)


def _projected(kernel):
    """k(z, xᵢ), of what lies in the span of the training rows: all of it."""
    K = kernel.gram(X)
    return kernel.gram(Z, X) @ np.linalg.pinv(K, rcond=1e-10, hermitian=True) @ K


@pytest.mark.spec("KER-L10", "KER-010")
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_a_linear_model_of_the_coordinates_is_the_kernel_model(kernel):
    rng = np.random.default_rng(11)
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=25)
    by_map = make_pipeline(EmpiricalKernelMap(kernel), Ridge(alpha=0.3, fit_intercept=False)).fit(X, y)
    by_kernel = KernelRidge(alpha=0.3, kernel="precomputed").fit(kernel.gram(X), y)
    np.testing.assert_allclose(by_map.predict(Z), by_kernel.predict(kernel.gram(Z, X)), atol=1e-6)


@pytest.mark.spec("KER-010", "KER-003")
def test_the_map_of_matrices_objects_names_and_files(tmp_path):
    by_rows = EmpiricalKernelMap(RBF(1.3)).fit(X)
    by_matrix = EmpiricalKernelMap("precomputed").fit(RBF(1.3).gram(X))
    np.testing.assert_allclose(by_matrix.transform(RBF(1.3).gram(Z, X)), by_rows.transform(Z), atol=1e-8)
    named = EmpiricalKernelMap("rbf", gamma=0.5 / 1.3**2).fit(X)
    np.testing.assert_allclose(named.transform(Z), by_rows.transform(Z), atol=1e-8)
    words = ["tea", "eat", "sun", "sand"]
    common = CallableKernel(_common, pairwise=True)
    R = EmpiricalKernelMap(common).fit_transform(words)
    np.testing.assert_allclose(R @ R.T, common.gram(words), atol=1e-12)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    on = EmpiricalKernelMap(RBF(1.3).on(["a", "c"])).fit(frame)
    np.testing.assert_allclose(on.transform(frame), EmpiricalKernelMap(RBF(1.3)).fit_transform(X[:, [0, 2]]), atol=1e-6)
    with pytest.raises(ValueError, match="features"):
        by_rows.transform(Z[:, :2])
    save(by_rows, tmp_path / "map.skops")
    np.testing.assert_array_equal(load(tmp_path / "map.skops").transform(Z), by_rows.transform(Z))


def _common(a, b):
    return len(set(a) & set(b))


@pytest.mark.spec("KER-010", "KER-006")
def test_a_kernel_that_is_none_is_warned_of():
    with pytest.warns(NotPSDWarning, match="not positive semi-definite"):
        found = EmpiricalKernelMap(Sigmoid()).fit(X)
    assert np.all(found.eigenvalues_ > 0.0)


@pytest.mark.spec("KER-012")
def test_features_are_similarities_to_given_landmarks():
    landmarks = X[:4]
    found = KernelFeatures(landmarks, RBF(1.3)).fit(X)
    np.testing.assert_allclose(found.transform(Z), RBF(1.3).gram(Z, landmarks))
    np.testing.assert_allclose(found.transform(sparse.csr_array(Z)), RBF(1.3).gram(Z, landmarks), rtol=1e-9)
    words = KernelFeatures(["tea", "sun"], CallableKernel(_common, pairwise=True)).fit_transform(["eat", "sand"])
    np.testing.assert_array_equal(words, [[3.0, 0.0], [1.0, 2.0]])
    assert found.get_feature_names_out().tolist() == [f"kernelfeatures{i}" for i in range(4)]
    with pytest.raises(ValueError, match="landmarks have 2 columns"):
        KernelFeatures(landmarks[:, :2]).fit(X)
    with pytest.raises(ValueError, match="precomputed"):
        KernelFeatures(3, "precomputed").fit(RBF().gram(X))


@pytest.mark.spec("KER-012")
def test_landmarks_are_rows_drawn_or_centres():
    rng = np.random.default_rng(11)
    drawn = KernelFeatures(6, RBF(1.3), selection="random", random_state=0).fit(X)
    assert {tuple(row) for row in drawn.landmarks_} <= {tuple(row) for row in X}
    assert len({tuple(row) for row in drawn.landmarks_}) == 6
    assert KernelFeatures(100, RBF(1.3), selection="random", random_state=0).fit(X).landmarks_.shape == (25, 3)
    of_sparse = KernelFeatures(6, RBF(1.3), selection="random", random_state=0).fit(sparse.csr_array(X))
    np.testing.assert_allclose(of_sparse.transform(Z), drawn.transform(Z), rtol=1e-9)
    blobs = np.vstack([c + 0.1 * rng.normal(size=(30, 2)) for c in ([0.0, 0.0], [9.0, 0.0], [0.0, 9.0])])
    centres = KernelFeatures(3, RBF(1.3), random_state=0).fit(blobs).landmarks_
    expected = [blobs[i : i + 30].mean(axis=0) for i in (0, 30, 60)]
    np.testing.assert_allclose(sorted(centres.tolist()), sorted(map(list, expected)), atol=1e-9)
    with pytest.raises(ValueError, match="selection='random'"):
        KernelFeatures(3, RBF(), random_state=0).fit(sparse.csr_array(X))


@pytest.mark.spec("KER-012", "KER-041")
def test_landmarks_separate_rings_in_a_search():
    rows, y = make_circles(200, noise=0.08, factor=0.4, random_state=0)
    model = make_pipeline(KernelFeatures(12, RBF(9.0), random_state=0), LogisticRegression(C=100.0))
    search = GridSearchCV(model, {"kernelfeatures__kernel__length_scale": [0.4, 9.0]}, cv=3).fit(rows, y)
    assert search.best_params_ == {"kernelfeatures__kernel__length_scale": 0.4}
    assert search.best_score_ > 0.98


@pytest.mark.spec("KER-009")
@pytest.mark.parametrize("c", [0.0, 0.5])
def test_the_map_of_features_is_that_of_the_kernel(c):
    kernel = Polynomial(3, coef0=c)
    phi = PolynomialMap(3, weights="kernel", c0=c, homogeneous=c == 0.0).fit(X)
    np.testing.assert_allclose(phi.transform(X), kernel.features(X), rtol=1e-12)


@pytest.mark.spec("KER-015")
def test_kernels_of_distances_need_scaled_columns():
    rows, y = make_circles(200, noise=0.08, factor=0.4, random_state=0)
    stretched = rows * np.array([1.0, 1e4])

    def score(*scaler):
        return cross_val_score(
            make_pipeline(*scaler, EmpiricalKernelMap(RBF(0.5), 30), LogisticRegression()), stretched, y, cv=3
        ).mean()

    assert score() < 0.8
    assert min(score(StandardScaler()), score(MinMaxScaler((-1, 1))), score(Whitener())) > 0.97
