"""Whether a kernel is one: on a sample, by its spectrum, by Mercer's theorem; geometry of its feature space."""

import contextlib
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import KernelCenterer

from gnomon.features import EmpiricalKernelMap, Nystroem
from gnomon.kernels import (
    RBF,
    AdditiveChi2,
    BSpline,
    CallableKernel,
    CatmullRom,
    ExpSineSquared,
    Laplacian,
    Linear,
    Matern,
    NotPSDWarning,
    Polynomial,
    Precomputed,
    Radial,
    RationalQuadratic,
    Sigmoid,
    Sinc,
    Spherical,
    TensorProduct,
    ThinPlate,
    Truncated,
    Wendland,
    check_kernel,
    distance_to_mean,
    is_cardinal,
    is_psd,
    kernel_distance,
    mercer_check,
    mercer_expansion,
    noun,
    spectral_minimum,
    warn_unless_psd,
)
from gnomon.neighbors import KNeighborsClassifier, KNeighborsRegressor
from gnomon.svm import (
    SVC,
    SVR,
    KernelLogisticRegression,
    KernelPerceptron,
    KernelRidge,
    KernelRidgeCV,
    MulticlassSVC,
    NestedOneClassSVM,
    OneClassSVM,
)
from kernel_cases import CASES

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))


@pytest.mark.spec("KER-004")
def test_the_report_of_a_matrix():
    rng = np.random.default_rng(11)
    Q = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    values = np.array([3.0, 1.0, 0.5, 0.0, -1e-3])
    K = (Q * values) @ Q.T
    report = check_kernel(0.5 * (K + K.T))
    assert not report
    np.testing.assert_allclose([report.least, report.largest], [-1e-3, 3.0])
    assert report.rank == 3
    assert report.n_rows == 5
    K = (Q * np.maximum(values, 0.0)) @ Q.T
    assert check_kernel(0.5 * (K + K.T))
    K[0, 1] += 1e-3
    report = check_kernel(K)
    assert not report
    assert report.asymmetry == pytest.approx(1e-3)
    lopsided = check_kernel([[1.0, 4.0], [0.0, 1.0]])
    assert (lopsided.least, lopsided.largest, lopsided.asymmetry) == pytest.approx((-1.0, 3.0, 4.0))


@pytest.mark.spec("KER-004")
@pytest.mark.parametrize("scale", [1e-280, 1e-150, 1.0, 1e150, 1e280])
def test_the_verdict_does_not_depend_on_the_scale(scale):
    good, bad = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[1.0, 2.0], [2.0, 1.0]])
    assert is_psd(scale * good)
    assert not is_psd(scale * bad)
    assert check_kernel(scale * bad).least == pytest.approx(-scale)


@pytest.mark.spec("KER-004")
def test_tolerance_rows_and_refusals():
    slightly = np.diag([1.0, -1e-9])
    assert not is_psd(slightly)
    assert is_psd(slightly, tol=1e-8)
    assert not check_kernel(slightly)
    assert check_kernel(slightly, tol=1e-8)
    assert is_psd(np.diag([1.0, -1e-11]))
    assert is_psd(RBF(3.0).gram(X.astype(np.float32)))
    assert is_psd(np.zeros((3, 3)))
    assert is_psd(np.zeros((0, 0)))
    assert not is_psd(-np.eye(2))
    assert is_psd(RBF(), X) == check_kernel(RBF(), X).psd
    with pytest.raises(ValueError, match="square"):
        check_kernel(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="give the rows"):
        check_kernel(RBF())
    with pytest.raises(ValueError, match="not finite"):
        check_kernel(np.full((2, 2), np.nan))
    with pytest.raises(ValueError, match="belongs to a Kernel"):
        check_kernel(np.eye(2), X)


@pytest.mark.spec("KER-006", "KER-023", "KER-026")
def test_what_is_warned_of_and_what_is_refused():
    grid = np.arange(12.0)[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_unless_psd(RBF().against(X))
        warn_unless_psd(CallableKernel(lambda A, B: A @ B.T).against(X))
        warn_unless_psd(Precomputed().against(RBF().gram(X)))
        warn_unless_psd(CatmullRom().against(grid))
    for kernel, rows in [
        (Sigmoid(), X),
        (CallableKernel(lambda A, B: -A @ B.T), X),
        (Precomputed(), RBF(1.0).gram(X) - RBF(0.5).gram(X)),
        (CatmullRom(), 0.3 * grid),
        (BSpline(0), 0.4 * grid),
        (Truncated(RBF(), 1.0), X),
    ]:
        with pytest.warns(NotPSDWarning, match="not positive semi-definite"):
            warn_unless_psd(kernel.against(rows))
    with pytest.raises(ValueError, match="degree < 2"):
        warn_unless_psd(ThinPlate().against(X[:, :2]))
    # A distance of r_max itself is inside.
    np.testing.assert_array_equal(Truncated(RBF(), 2.0).gram([[0.0]], [[2.0], [2.001]]) > 0.0, [[True, False]])
    many = np.linspace(0.0, 100.0, 2000)[:, None]
    with pytest.warns(NotPSDWarning, match="of 300 rows"):
        warn_unless_psd(Truncated(RBF(), 1.0).against(many))


@pytest.mark.spec("KER-006", "KER-026", "KER-023")
@pytest.mark.parametrize("kernel", [Truncated(RBF(), 1.0), Sigmoid()], ids=repr)
@pytest.mark.parametrize(
    "model",
    [
        SVC(), SVR(), OneClassSVM(), MulticlassSVC(), NestedOneClassSVM((0.5, 0.9)), KernelPerceptron(max_iter=5),
        KernelRidge(0.01), KernelRidgeCV(), KernelLogisticRegression(), KNeighborsClassifier(3), KNeighborsRegressor(3),
        Nystroem(n_components=30, random_state=0), EmpiricalKernelMap(),
    ],
    ids=lambda model: type(model).__name__,
)  # fmt: skip
def test_every_model_names_the_least_eigenvalue_where_it_is_called(model, kernel):
    least = np.linalg.eigvalsh(kernel.gram(X))[0]
    # A factorisation fails, or nested regions need values that are not negative.
    with warnings.catch_warnings(record=True) as found, contextlib.suppress(ValueError):
        warnings.simplefilter("always")
        model.set_params(kernel=kernel).fit(X, X[:, 0] > 0.0)
    [warning] = [one for one in found if issubclass(one.category, NotPSDWarning)]
    assert f"{least:.3g}" in str(warning.message)
    assert warning.filename == __file__
    assert all(issubclass(one.category, (NotPSDWarning, ConvergenceWarning)) for one in found)


@pytest.mark.spec("KER-006", "KER-080")
def test_neighbours_need_squares_that_are_not_negative():
    counts = np.abs(X)
    by_counts = KNeighborsRegressor(3, kernel=AdditiveChi2()).fit(counts, X[:, 0])
    distances = np.sqrt(-2.0 * AdditiveChi2().gram(counts))
    expected = KNeighborsRegressor(3, metric="precomputed").fit(distances, X[:, 0]).predict(distances)
    np.testing.assert_allclose(by_counts.predict(counts), expected)
    with pytest.raises(ValueError, match="degree < 2"):
        KNeighborsRegressor(3, kernel=ThinPlate()).fit(X[:, :2], X[:, 0])


@noun
class OfOneDimension(Radial):
    """Wendland's polynomial of one dimension, wherever it is used."""

    smoothness: int = 2

    @property
    def cutoff(self):
        return 1.0

    def profile(self, s):
        return Wendland(1.0, self.smoothness, dim=1).profile(s)


@pytest.mark.spec("KER-L07", "KER-025", "KER-005")
@pytest.mark.parametrize("smoothness", [0, 2, 4])
def test_wendlands_spectrum_is_positive_in_its_dimension_and_not_beyond(smoothness):
    for dim in (1, 2, 3, 4):
        assert spectral_minimum(Wendland(1.7, smoothness), dim) > -1e-12
        assert spectral_minimum(Wendland(1.7, smoothness, dim=dim), 1) > -1e-12
    assert spectral_minimum(OfOneDimension(1.7, smoothness), 1) > -1e-12
    assert spectral_minimum(OfOneDimension(1.7, smoothness), 4) < -1e-9


@pytest.mark.spec("KER-005")
@pytest.mark.parametrize(
    "kernel",
    [
        RBF(1.3),
        Laplacian(1.3, "l2"),
        Matern(1.3),
        RationalQuadratic(1.3, 0.7),
        Sinc(),
        ExpSineSquared(0.8, 2.0),
        BSpline(1),
        BSpline(3, step=40.0),
        2.0 * RBF(0.5) + Matern(),
    ],
    ids=repr,
)
def test_spectra_of_kernels_are_nowhere_negative(kernel):
    assert spectral_minimum(kernel) > -1e-10


@pytest.mark.spec("KER-005")
def test_spectra_that_do_not_exist_are_refused():
    for kernel in (Linear(), TensorProduct([Matern(), Matern()]), Laplacian(), Polynomial()):
        with pytest.raises(ValueError, match=r"distance|columns"):
            spectral_minimum(kernel, 2)
    with pytest.raises(ValueError, match="dim=0"):
        spectral_minimum(RBF(), 0)
    assert spectral_minimum(Spherical(), 3) > -1e-12
    assert spectral_minimum(Truncated(RBF(), 1.5)) < -1e-2


@pytest.mark.spec("KER-005", "KER-L01")
@pytest.mark.parametrize(
    "kernel",
    [
        RBF(0.5),
        Matern(),
        Polynomial(2),
        BSpline(1),
        BSpline(0),
        BSpline(2),
        CatmullRom(),
        Sigmoid(),
        Truncated(RBF(), 1.0),
    ],
    ids=repr,
)
def test_mercers_integral_agrees_with_eigenvalues_on_a_grid(kernel):
    grid = np.linspace(0.0, 5.0, 90)[:, None]
    found = mercer_check(kernel, [(0.0, 5.0)], n_nodes=90)
    assert bool(found) == check_kernel(kernel, grid).psd


@pytest.mark.spec("KER-005")
def test_mercers_integral_is_the_integral():
    found = mercer_check(Linear(), [(-1.0, 2.0)], n_nodes=20)
    # xᵀx' has one eigenfunction, x/‖x‖, with eigenvalue ∫x² = 3.
    assert found.largest == pytest.approx(3.0)
    box = mercer_check(Linear(), [(0.0, 1.0), (0.0, 1.0)], n_nodes=1024, n_functions=40)
    assert box.n_functions == 40
    assert box.psd
    assert not mercer_check(CallableKernel(lambda A, B: -A @ B.T), [(0.0, 1.0), (0.0, 2.0)], n_nodes=64)
    assert not mercer_check(BSpline(2), [(0.0, 5.0)], n_functions=60, random_state=3)
    for wrong in ([(1.0, 0.0)], [1.0, 2.0], [(0.0, 1.0, 2.0)]):
        with pytest.raises(ValueError, match="low < high"):
            mercer_check(RBF(), wrong)
    with pytest.raises(ValueError, match="n_functions=9"):
        mercer_check(RBF(), [(0.0, 1.0)], n_nodes=8, n_functions=9)


@pytest.mark.spec("KER-011")
@pytest.mark.parametrize("kernel", [RBF(1.3), Polynomial(2), Matern()], ids=repr)
def test_mercers_expansion_reproduces_the_kernel(kernel):
    rng = np.random.default_rng(11)
    whole = mercer_expansion(kernel, X)
    np.testing.assert_allclose(whole.gram(X), kernel.gram(X), atol=1e-8)
    phi = whole.functions(X)
    np.testing.assert_allclose(phi.T @ phi / 30, np.eye(phi.shape[1]), atol=1e-4)
    few = mercer_expansion(kernel, X, 4)
    np.testing.assert_allclose(few.values, whole.values[:4])
    # The best approximation of rank 4 (Eckart & Young).
    U, s, _ = np.linalg.svd(kernel.gram(X))
    np.testing.assert_allclose(few.gram(X), (U[:, :4] * s[:4]) @ U[:, :4].T, atol=1e-8)
    new = rng.normal(size=(4, 3))
    assert few.gram(new, X).shape == (4, 30)
    if kernel == Polynomial(2):
        np.testing.assert_allclose(whole.gram(new, X), kernel.gram(new, X), rtol=1e-8, atol=1e-13)


@pytest.mark.spec("KER-011")
def test_what_has_no_expansion_is_refused():
    with pytest.raises(ValueError, match="no Mercer expansion"):
        mercer_expansion(Sigmoid(), X)
    with pytest.raises(ValueError, match="q=31"):
        mercer_expansion(RBF(), X, 31)


@pytest.mark.spec("KER-013")
def test_distances_in_the_feature_space():
    rng = np.random.default_rng(11)
    kernel = Polynomial(2, coef0=0.5)
    Z = rng.normal(size=(7, 3))
    A, B = kernel.features(X), kernel.features(Z)
    squares = np.sum((A[:, None] - B[None]) ** 2, axis=2)
    np.testing.assert_allclose(kernel_distance(kernel, X, Z, squared=True), squares, rtol=1e-9)
    D = kernel_distance(kernel, X)
    np.testing.assert_array_equal(np.diag(D), 0.0)
    np.testing.assert_array_equal(D, D.T)
    weights = rng.uniform(size=7)
    mean = weights @ B / weights.sum()
    expected = np.linalg.norm(A - mean, axis=1)
    np.testing.assert_allclose(distance_to_mean(kernel, X, Z, weights), expected, rtol=1e-9)
    np.testing.assert_allclose(
        distance_to_mean(kernel, X, Z, squared=True), np.sum((A - B.mean(axis=0)) ** 2, axis=1), rtol=1e-9
    )
    cosine = (A / np.linalg.norm(A, axis=1)[:, None]) @ (B / np.linalg.norm(B, axis=1)[:, None]).T
    np.testing.assert_allclose(kernel.normalized().gram(X, Z), cosine, rtol=1e-9)
    centred = KernelCenterer().fit(kernel.gram(X)).transform(kernel.gram(Z, X))
    np.testing.assert_allclose(centred, (B - A.mean(axis=0)) @ (A - A.mean(axis=0)).T, atol=1e-9)
    for wrong in ([1.0], -weights, np.zeros(7)):
        with pytest.raises(ValueError, match="weights"):
            distance_to_mean(kernel, X, Z, wrong)


@pytest.mark.spec("KER-030")
def test_which_kernels_are_cardinal():
    yes, no = (BSpline(0), BSpline(1), CatmullRom(), Sinc()), (BSpline(2), BSpline(3), RBF(), Linear())
    assert all(is_cardinal(k) for k in yes)
    assert not any(is_cardinal(k) for k in no)
    assert is_cardinal(Sinc(step=0.25), step=0.25)
    assert not is_cardinal(Sinc(step=0.25), step=0.1)


@pytest.mark.spec("KER-029", "KER-006")
def test_splines_sum_to_one_and_are_kernels_where_they_say_so():
    x = np.linspace(-3.0, 3.0, 121)[:, None]
    knots = np.arange(-12.0, 13.0)[:, None]
    for n in range(8):
        np.testing.assert_allclose(BSpline(n).gram(x, knots).sum(axis=1), 1.0, rtol=1e-12)
        assert BSpline(n).psd == (True if n % 2 else "grid")
        assert (spectral_minimum(BSpline(n)) > -1e-10) == bool(n % 2)
    np.testing.assert_allclose(CatmullRom().gram(x, knots).sum(axis=1), 1.0, rtol=1e-12)
    # B_n = B_0 ∗ B_{n−1}
    grid = np.linspace(-0.5, 0.5, 2001)
    for n in (1, 2, 3, 4):
        smoothed = [np.trapezoid(BSpline(n - 1).value(t - grid), grid) for t in (0.0, 0.3, 1.1)]
        np.testing.assert_allclose(BSpline(n).value([0.0, 0.3, 1.1]), smoothed, atol=1e-3)


def test_every_status_is_among_those_that_are_known():
    assert {case.kernel.psd for case in CASES} == {True, False, None, "conditional", "grid"}
