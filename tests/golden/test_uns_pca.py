"""Golden values of principal components."""

import numpy as np
import pytest

from gnomon.decomposition import PCA, intrinsic_dimension
from gnomon.decomposition._how_many import count_by_share

Q8 = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1], [3, 2], [4, 2], [3, 3], [4, 4]])
T9 = np.array([[0.0, 0, 0], [1, 0, 1], [0, 1, 0], [3, 3, 1], [4, 3, 0], [3, 4, 1], [0, 5, 2], [1, 6, 3], [1, 5, 3]])
SOLVERS = ("auto", "full", "covariance_eigh", "dual")


@pytest.mark.spec("UNS-G33", "UNS-065", "UNS-068")
@pytest.mark.parametrize("solver", SOLVERS)
def test_components_of_eight_points(solver):
    found = PCA(ddof=0, svd_solver=solver).fit(Q8)
    np.testing.assert_allclose(found.mean_, [2.0, 1.625])
    np.testing.assert_allclose(found.explained_variance_, [3.908568, 0.325807], atol=5e-7)
    np.testing.assert_allclose(found.explained_variance_ratio_, [0.923057, 0.076943], atol=5e-7)
    np.testing.assert_allclose(found.components_, [[0.779005, 0.627018], [-0.627018, 0.779005]], atol=5e-7)
    np.testing.assert_allclose(found.singular_values_, [5.591829, 1.614451], atol=5e-7)
    np.testing.assert_allclose(found.transform(Q8)[[0, 7], 0], [-2.576914, 3.047177], atol=5e-7)
    np.testing.assert_allclose(found.transform([[2.0, 3.0]]), [[0.862150, 1.071132]], atol=5e-7)
    np.testing.assert_allclose(PCA().fit(Q8).explained_variance_, [4.466935, 0.372350], atol=5e-7)
    np.testing.assert_allclose(found.get_covariance(), [[2.5, 1.75], [1.75, 1.734375]], atol=1e-12)


@pytest.mark.spec("UNS-G34", "UNS-072", "UNS-075")
def test_one_component_of_eight_points():
    found = PCA(1).fit(Q8)
    assert found.reconstruction_error(Q8, reduction="sum") == pytest.approx(2.606453, abs=5e-7)
    assert found.reconstruction_error(Q8) == pytest.approx(0.325807, abs=5e-7)
    np.testing.assert_allclose(
        found.inverse_transform(found.transform([[4.0, 4.0]])), [[4.373766, 3.535635]], atol=5e-7
    )
    assert found.noise_variance_ == pytest.approx(0.372350, abs=5e-7)
    assert found.score(Q8) == pytest.approx(-2.967268, abs=5e-7)
    assert found.compression_ratio_ == (8 + 2 + 2) / 16


@pytest.mark.spec("UNS-G35", "UNS-066")
@pytest.mark.parametrize("solver", SOLVERS)
def test_directions_through_the_origin(solver):
    found = PCA(center=False, ddof=0, svd_solver=solver).fit(Q8)
    np.testing.assert_allclose(found.explained_variance_, [10.549144, 0.325856], atol=5e-7)
    np.testing.assert_allclose(found.components_[0], [0.777129, 0.629341], atol=5e-7)
    mean = Q8.mean(axis=0)
    assert found.components_[0] @ mean / np.linalg.norm(mean) == pytest.approx(0.9999987, abs=5e-8)
    np.testing.assert_array_equal(found.mean_, 0.0)


@pytest.mark.spec("UNS-G36", "UNS-073")
@pytest.mark.parametrize(
    ("whiten", "ddof", "expected"),
    [
        ("pca", 1, (-1.219256, -0.019414)),
        (True, 0, (-1.303440, -0.020755)),
        ("zca", 1, (-0.937633, -0.779620)),
        ("zca", 0, (-1.002372, -0.833448)),
    ],
)
def test_whitened_row(whiten, ddof, expected):
    found = PCA(whiten=whiten, ddof=ddof).fit(Q8)
    np.testing.assert_allclose(found.transform(Q8)[0], expected, atol=5e-7)
    np.testing.assert_allclose(found.inverse_transform(found.transform(Q8)), Q8, atol=1e-12)


@pytest.mark.spec("UNS-G37", "UNS-071", "UNS-074")
def test_shares_are_of_variances():
    values = np.array([4.0, 1.0, 0.25])
    assert [count_by_share(values, 5.25, r) for r in (0.75, 0.8, 0.96, 1.0)] == [1, 2, 3, 3]
    rows = np.diag(np.sqrt(6.0 * values))
    six = np.vstack([rows, -rows])  # covariance (1/n) with these eigenvalues times two
    assert PCA(0.75).fit(six).n_components_ == 1
    assert intrinsic_dimension(six, "participation") == pytest.approx(1.615385, abs=5e-7)
    assert intrinsic_dimension(six, "share") == 2


@pytest.mark.spec("UNS-G38")
def test_components_of_nine_points():
    np.testing.assert_allclose(PCA().fit(T9).explained_variance_, [6.039009, 2.408974, 0.274239], atol=5e-7)
    np.testing.assert_allclose(PCA().fit(T9).components_[0], [0.111073, 0.905307, 0.409978], atol=5e-7)
    assert [round(PCA(m).fit(T9).score(T9), 6) for m in (1, 2)] == [-5.283137, -4.781992]
