"""Golden values of kernel components and discriminant directions."""

import numpy as np
import pytest

from gnomon.decomposition import PCA, DiscriminantProjection, KernelPCA, fisher_ratio
from gnomon.kernels import RBF, Linear, Polynomial

Q8 = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1], [3, 2], [4, 2], [3, 3], [4, 4]])
Q8_CLASSES = np.repeat([0, 1], 4)
R4 = np.array([[0.0, 0], [1, 0], [0, 1], [3, 3]])
T9 = np.array([[0.0, 0, 0], [1, 0, 1], [0, 1, 0], [3, 3, 1], [4, 3, 0], [3, 4, 1], [0, 5, 2], [1, 6, 3], [1, 5, 3]])
T9_CLASSES = np.repeat([0, 1, 2], 3)


@pytest.mark.spec("UNS-G39", "UNS-077", "UNS-078", "UNS-079")
@pytest.mark.parametrize("options", [{"kernel": "rbf", "gamma": 0.5}, {"kernel": RBF(gamma=0.5)}], ids=["name", "noun"])
def test_kernel_components_of_four_points(options):
    found = KernelPCA(**options).fit(R4)
    np.testing.assert_allclose(found.eigenvalues_, [1.265367, 0.632121, 0.310477], atol=5e-7)
    Z = found.transform(R4)
    np.testing.assert_allclose(Z[0], [-0.379284, 0.0, 0.444478], atol=5e-7)
    np.testing.assert_allclose(Z[3], [0.972422, 0.0, 0.028972], atol=5e-7)
    np.testing.assert_allclose(found.transform([[1.0, 1.0]]), [[-0.175830, 0.0, -0.458766]], atol=5e-7)


@pytest.mark.spec("UNS-G40", "UNS-080", "UNS-L29")
def test_a_kernel_and_its_map_have_the_same_components():
    x, y = R4.T
    mapped = np.column_stack([x**2, np.sqrt(2) * x * y, y**2])
    for values in (
        KernelPCA(kernel=Polynomial(2, coef0=0.0)).fit(R4).eigenvalues_,
        4 * PCA(ddof=0).fit(mapped).explained_variance_,
    ):
        np.testing.assert_allclose(values, [234.327165, 1.0, 0.172835], atol=5e-7)


@pytest.mark.spec("UNS-G41", "UNS-L29")
def test_the_linear_kernel_has_the_components_of_the_rows():
    found = KernelPCA(kernel=Linear()).fit(Q8)
    np.testing.assert_allclose(found.eigenvalues_, [31.268547, 2.606453], atol=5e-7)
    np.testing.assert_allclose(np.abs(found.transform(Q8)), np.abs(PCA().fit_transform(Q8)), atol=1e-12)


@pytest.mark.spec("UNS-G42", "UNS-083", "UNS-084", "UNS-085", "UNS-086")
@pytest.mark.parametrize("solver", ["eigen", "joint_diagonalization", "binary", "svd"])
def test_one_direction_between_two_classes(solver):
    found = DiscriminantProjection(solver=solver).fit(Q8, Q8_CLASSES)
    np.testing.assert_allclose(found.within_, [[0.25, 0.0625], [0.0625, 0.46875]], atol=1e-12)
    np.testing.assert_allclose(found.between_, [[2.25, 1.6875], [1.6875, 1.265625]], atol=1e-12)
    np.testing.assert_allclose(found.eigenvalues_, [10.241379], atol=5e-7)
    np.testing.assert_allclose(found.components_, [[1.745572, 0.517207]], atol=5e-7)
    means = found.components_ @ np.array([Q8[:4].mean(axis=0), Q8[4:].mean(axis=0)]).T
    unit = DiscriminantProjection(solver=solver, scaling="unit").fit(Q8, Q8_CLASSES).components_[0]
    np.testing.assert_allclose(unit, [0.958798, 0.284088], atol=5e-7)
    np.testing.assert_allclose(means / np.linalg.norm(found.components_), [[0.621443, 4.137036]], atol=5e-7)
    angle = np.degrees(np.arccos(unit @ PCA(1).fit(Q8).components_[0]))
    assert angle == pytest.approx(22.326095, abs=5e-6)
    assert fisher_ratio(Q8, Q8_CLASSES, unit).ratio == pytest.approx(10.241379, abs=5e-7)


@pytest.mark.spec("UNS-G43", "UNS-085")
@pytest.mark.parametrize("solver", ["eigen", "joint_diagonalization", "svd"])
def test_two_directions_between_three_classes(solver):
    found = DiscriminantProjection(solver=solver).fit(T9, T9_CLASSES)
    np.testing.assert_allclose(found.eigenvalues_, [21.917145, 12.673764], atol=5e-7)
    np.testing.assert_allclose(
        found.components_, [[0.875093, 2.049720, 0.095964], [2.044353, -0.009078, -1.561227]], atol=5e-7
    )
    lengths = np.linalg.norm(found.components_, axis=1)
    assert found.components_[0] @ found.components_[1] / np.prod(lengths) == pytest.approx(0.282414, abs=5e-7)
    assert fisher_ratio(T9, T9_CLASSES, found.components_.T).ratio == pytest.approx(34.590909, abs=5e-7)
    with pytest.raises(ValueError, match="at most"):
        DiscriminantProjection(3, solver=solver).fit(T9, T9_CLASSES)
