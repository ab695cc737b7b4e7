"""Laws of finite approximations of kernels: Fourier features, landmarks, and the coordinates that are kept of them."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.kernel_approximation import Nystroem as SklearnNystroem

from gnomon.features import EmpiricalKernelMap, KernelFeatureSelection, Nystroem, PolynomialMap, RandomFourierFeatures
from gnomon.features._kept_coordinates import CosineCoordinates
from gnomon.kernels import RBF, Laplacian, Linear, Matern, Polynomial

RNG = np.random.default_rng(7)
X = RNG.normal(size=(30, 3))
STATIONARY = {
    "rbf": RBF(1.5),
    "ard": RBF(np.array([0.5, 1.0, 3.0])),
    "laplacian": Laplacian(2.0),
    "matern": Matern(1.2, nu=2.5),
    "sum": 0.5 * RBF(1.0) + 2.0 * Matern(2.0),
    "product": RBF(2.0) * Laplacian(3.0),
}


@pytest.mark.spec("UNS-L38", "UNS-102", "KER-014")
@pytest.mark.parametrize("name", STATIONARY)
@pytest.mark.parametrize("paired", [True, False])
def test_inner_products_estimate_the_kernel(name, paired):
    kernel = STATIONARY[name]
    K = kernel.gram(X)
    D = 4000
    Z = RandomFourierFeatures(kernel, D, paired=paired, random_state=0).fit_transform(X)
    assert Z.shape[1] == (2 * D if paired else D)
    # Each product of a frequency has a variance of at most k(0)², twice that with offsets.
    assert np.max(np.abs(Z @ Z.T - K)) < 5.0 * K[0, 0] * np.sqrt((1.0 if paired else 2.0) / D)
    if paired:
        assert np.diag(Z @ Z.T) == pytest.approx(np.diag(K), rel=1e-12)


@pytest.mark.spec("UNS-L38", "UNS-102")
def test_the_error_falls_with_the_root_of_the_number_of_frequencies():
    K = RBF(1.0).gram(X)

    def error(D, seeds=8, **options):
        maps = [RandomFourierFeatures(RBF(1.0), D, random_state=s, **options).fit_transform(X) for s in range(seeds)]
        return np.sqrt(np.mean([np.mean((Z @ Z.T - K) ** 2) for Z in maps]))

    assert error(100) / error(1600) == pytest.approx(4.0, rel=0.25)
    # Orthogonal directions vary less.
    assert error(30, 60, orthogonal=True) < 0.95 * error(30, 60)


@pytest.mark.spec("UNS-102")
def test_orthogonal_frequencies_and_what_has_none():
    found = RandomFourierFeatures(RBF(2.0), 6, orthogonal=True, random_state=0).fit(X).frequencies_
    for block in (found[:3], found[3:]):
        G = block @ block.T
        assert pytest.approx(np.diag(np.diag(G)), abs=1e-12) == G
    with pytest.raises(ValueError, match="orthogonal"):
        RandomFourierFeatures(STATIONARY["ard"], orthogonal=True).fit(X)
    with pytest.raises(ValueError, match="spectrum"):
        RandomFourierFeatures(Linear()).fit(X)


@pytest.mark.spec("UNS-G52", "UNS-102")
def test_two_frequencies_by_hand():
    model = RandomFourierFeatures("rbf", 2, random_state=0).fit(np.zeros((1, 2)))
    model.frequencies_ = np.array([[1.0, 0.0], [0.0, 2.0]])
    z, other = model.transform([[0.5, 0.25], [1.0, -1.0]])
    assert z == pytest.approx([0.620545, 0.620545, 0.339005, 0.339005], abs=1e-6)
    assert z @ other == pytest.approx(0.038219, abs=1e-6)


R4 = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [3.0, 3.0]])


@pytest.mark.spec("UNS-G51", "UNS-104")
def test_two_landmarks_of_four_rows():
    phi = Nystroem(gamma=0.5, landmarks=R4[[0, 3]]).fit(R4)
    Z = phi.transform(R4)
    assert Z[1] == pytest.approx([0.606531, 0.001466], abs=1e-6)
    assert (Z @ Z.T)[1, 1] == pytest.approx(0.367881, abs=1e-6)
    assert np.linalg.norm(RBF(gamma=0.5).gram(R4) - Z @ Z.T) == pytest.approx(0.893951, abs=1e-6)


@pytest.mark.spec("UNS-L38", "UNS-104", "UNS-103", "KER-014")
@pytest.mark.parametrize("landmarks", ["random", "kmeans", "leverage", "given"])
def test_landmarks_bound_the_kernel_from_below(landmarks):
    kernel = Matern(1.5)
    K = kernel.gram(X)
    options = {"landmarks": X[:9] if landmarks == "given" else landmarks, "n_components": 9, "random_state": 0}
    phi = Nystroem(kernel, **options).fit(X)
    Z = phi.transform(X)
    off = np.linalg.eigvalsh(K - Z @ Z.T)
    assert off[0] > -1e-10
    assert off[-1] > 1e-3
    if landmarks != "kmeans":
        rows = phi.component_indices_ if landmarks != "given" else np.arange(9)
        assert (Z @ Z.T)[rows] == pytest.approx(K[rows], abs=1e-9)
    exact = Nystroem(kernel, n_components=30, random_state=0).fit_transform(X)
    assert exact @ exact.T == pytest.approx(K, abs=1e-9)
    # With every row a landmark it is the empirical map, up to a rotation.
    rotated = EmpiricalKernelMap(kernel).fit_transform(X)
    assert rotated @ rotated.T == pytest.approx(exact @ exact.T, abs=1e-9)


@pytest.mark.spec("UNS-104")
def test_good_landmarks_are_better_than_random_ones():
    rng = np.random.default_rng(0)
    # Many rows in one place, few in others.
    rows = np.vstack([0.05 * rng.normal(size=(300, 2)), rng.uniform(-4, 4, size=(40, 2))])
    K = RBF(1.0).gram(rows)

    def error(landmarks):
        maps = [Nystroem(RBF(1.0), n_components=25, landmarks=landmarks, random_state=s) for s in range(5)]
        return np.mean([np.linalg.norm(K - Z @ Z.T) for Z in (m.fit_transform(rows) for m in maps)])

    plain = error("random")
    assert error("leverage") < 0.8 * plain
    assert error("kmeans") < 0.5 * plain


@pytest.mark.spec("UNS-104")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"gamma": 0.3},
        {"kernel": "poly", "degree": 2, "coef0": 0.5},
        {"kernel": "linear"},
        {"kernel": "laplacian"},
        {"kernel": "sigmoid", "gamma": 0.5},
        {"kernel": lambda a, b, power: float(1.0 + sum(a * b)) ** power, "kernel_params": {"power": 2}},
    ],
)
@pytest.mark.filterwarnings("ignore::gnomon.kernels.NotPSDWarning")
def test_landmarks_are_those_of_scikit_learn(options):
    peer = SklearnNystroem(n_components=6, random_state=3, **options).fit(X)
    model = Nystroem(n_components=6, random_state=3, **options).fit(X)
    assert np.array_equal(model.component_indices_, peer.component_indices_)
    assert np.array_equal(model.components_, peer.components_)
    if options.get("kernel") != "linear":
        assert model.transform(X) == pytest.approx(peer.transform(X), abs=1e-5)
    Z, other = model.transform(X), peer.transform(X)
    assert pytest.approx(other @ other.T, abs=1e-5) == Z @ Z.T


@pytest.mark.spec("UNS-104")
def test_rounding_in_single_precision_is_no_feature():
    rows = np.random.default_rng(0).normal(size=(300, 3)).astype(np.float32)
    kernel = Polynomial(2, scale=1 / 3)
    K = kernel.gram(rows.astype(float))
    Z = Nystroem(kernel, n_components=100, random_state=0).fit_transform(rows)
    assert Z.dtype == np.float32
    assert np.max(np.abs(Z @ Z.T - K)) < 1e-4 * K.max()


@pytest.mark.spec("UNS-104")
def test_landmarks_of_other_rows():
    K = RBF(1.0).gram(X)
    plain = Nystroem(RBF(1.0), n_components=8, random_state=0).fit(X)
    given = Nystroem("precomputed", n_components=8, random_state=0).fit(K)
    assert given.transform(K) == pytest.approx(plain.transform(X), abs=1e-10)
    same = Nystroem(RBF(1.0), n_components=8, random_state=0).fit(sparse.csr_matrix(X))
    assert same.transform(sparse.csr_matrix(X)) == pytest.approx(plain.transform(X), abs=1e-10)
    with pytest.warns(UserWarning, match="n_components > n_samples"):
        Nystroem(n_components=40).fit(X)
    with pytest.raises(ValueError, match="kmeans"):
        Nystroem(landmarks="kmeans", n_components=3).fit(sparse.csr_matrix(X))
    with pytest.raises(ValueError, match="landmarks"):
        Nystroem("precomputed", landmarks=X[:2]).fit(K)


MAPS = {
    "paired": RandomFourierFeatures(RBF(1.0), 40, random_state=0),
    "single": RandomFourierFeatures(RBF(1.0), 80, paired=False, random_state=0),
    "landmarks": Nystroem(RBF(1.0), n_components=20, random_state=0),
    "polynomial": PolynomialMap(3),
    "weighted": PolynomialMap(3, weights="kernel", c0=0.5),
}


@pytest.mark.spec("UNS-L39", "UNS-105", "KER-014")
@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("selector", ["l1", "forward", "leverage", SelectKBest(f_regression, k=6)])
def test_kept_coordinates_are_columns_of_the_map(name, selector):
    y = np.sin(X[:, 0]) + X[:, 1] ** 2
    model = KernelFeatureSelection(MAPS[name], selector, n_keep=6)
    with warnings.catch_warnings():
        # A constant column has no F.
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)
        model.fit(X, y)
    assert len(model.kept_) == 6
    full = MAPS[name].fit(X)
    new = X[::2] + 0.1
    assert model.transform(new) == pytest.approx(full.transform(new)[:, model.kept_], abs=1e-9)
    assert model.get_feature_names_out().tolist() == full.get_feature_names_out()[model.kept_].tolist()


@pytest.mark.spec("UNS-105")
def test_what_is_left_evaluates_only_the_kept_coordinates():
    model = KernelFeatureSelection(MAPS["paired"], n_keep=5).fit(X, X[:, 0])
    assert isinstance(model.coordinates_, CosineCoordinates)
    assert model.coordinates_.frequencies.shape == (5, 3)


@pytest.mark.spec("UNS-105")
@pytest.mark.parametrize("selector", ["l1", "forward"])
def test_useful_coordinates_are_found(selector):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(200, 5))
    y = 3.0 * rows[:, 0] * rows[:, 3] - rows[:, 2] ** 2 + 0.01 * rng.normal(size=200)
    model = KernelFeatureSelection(PolynomialMap(2), selector, n_keep=2).fit(rows, y)
    assert set(model.get_feature_names_out()) == {"x0 x3", "x2^2"}
    labels = np.where(y > 0, "high", "low")
    classes = KernelFeatureSelection(PolynomialMap(2), selector, n_keep=1).fit(rows, labels)
    assert classes.get_feature_names_out().tolist() == ["x0 x3"]
    with pytest.raises(ValueError, match="requires y"):
        KernelFeatureSelection(PolynomialMap(2), selector, n_keep=2).fit(rows)
    with pytest.raises(ValueError, match="n_keep"):
        KernelFeatureSelection(PolynomialMap(1), selector, n_keep=30).fit(rows, y)
    with pytest.raises(ValueError, match="basis"):
        KernelFeatureSelection(PolynomialMap(2, basis="legendre"), selector, n_keep=2).fit(rows, y)
