"""Golden values of kernels."""

import numpy as np
import pytest
from scipy.stats import norm

from gnomon.features import polynomial_columns
from gnomon.kernels import (
    RBF,
    Additive,
    BSpline,
    CatmullRom,
    Constant,
    ExpSineSquared,
    FeatureMapKernel,
    GammaExponential,
    Laplacian,
    Matern,
    PeriodicSine,
    Polynomial,
    Radial,
    RationalQuadratic,
    Sigmoid,
    Sinc,
    Wendland,
    mercer_expansion,
    noun,
    spectral_minimum,
)

X, Z = np.array([[1.0, 2.0]]), np.array([[3.0, -1.0]])


def at(kernel, *distances):
    """Values at distances along one column."""
    return kernel.gram(np.zeros((1, 1)), np.array(distances)[:, None]).ravel()


def close(found, expected, digits=10):
    np.testing.assert_allclose(np.ravel(found), expected, rtol=0.0, atol=0.6 * 10.0**-digits)


@pytest.mark.spec("KER-G01", "KER-017", "KER-007")
def test_polynomials_of_two_rows():
    def six(A):
        return np.column_stack([np.ones(len(A)), A, A**2, A[:, 0] * A[:, 1]])

    kernels = Polynomial(2, coef0=0.0), Polynomial(2, coef0=1.0), FeatureMapKernel(six)
    assert [k.gram(X, Z).item() for k in kernels] == [1.0, 4.0, 9.0]
    # (xᵀz + 1)³ where nothing is given, and (4 xᵀz + 3)².
    assert [k.gram(X, Z).item() for k in (Polynomial(), Polynomial(2, 3.0, 4.0))] == [8.0, 49.0]


@pytest.mark.spec("KER-G02", "KER-G03", "KER-G04", "KER-018")
def test_gaussian_widths():
    close([RBF(bandwidth=2.0).gram(X, Z), RBF(length_scale=2.0).gram(X, Z)], [0.0387742078, 0.1969116752])
    close(at(RBF(1.0), 2**0.5), 0.3678794412)
    close([at(RBF(bandwidth=0.3), 0.3), at(RBF(bandwidth=0.1), 0.3)], [0.3678794412, 1.234098e-4])
    close([at(RBF(bandwidth=h), 2 * h) for h in (0.1, 1.0, 30.0)], [0.0183156389] * 3)
    product = RBF(bandwidth=0.5) * RBF(bandwidth=1.2)
    close(at(product, 0.1, 0.4, 1.0), at(RBF(bandwidth=0.4615384615), 0.1, 0.4, 1.0))


@pytest.mark.spec("KER-G05", "KER-023")
def test_the_sigmoid_is_no_kernel():
    close(np.linalg.eigvalsh(Sigmoid().gram([[0.1], [2.0]])), [-0.0279238172, 1.0372527836])


@pytest.mark.spec("KER-G06", "KER-024")
def test_periodic_kernels():
    rows = np.array([[0.3], [0.3 + np.pi], [np.pi / 2 - 0.3]])
    close(PeriodicSine(gamma=2.0, bandwidth=1.0).gram(rows, [[0.9]]), [0.8458198706] * 3)
    close(at(ExpSineSquared(1.0, periodicity=np.pi), 0.6), 0.5285371169)


@pytest.mark.spec("KER-G07", "KER-019")
def test_laplacian_norms():
    close([Laplacian(2.0, norm).gram(X, Z) for norm in ("l1", "l2")], [0.0820849986, 0.1648407145])


@pytest.mark.spec("KER-G08", "KER-021")
@pytest.mark.parametrize(
    ("nu", "values"),
    [
        (1.5, [0.7848876540, 0.4833577246, 0.1397313502]),
        (2.5, [0.8286491424, 0.5239941088, 0.1386602191]),
        (2.0, [0.8124194493, 0.5075195091, 0.1392114042]),
    ],
)
def test_matern(nu, values):
    close(at(Matern(1.0, nu), 0.5, 1.0, 2.0), values)


@pytest.mark.spec("KER-G09", "KER-022", "KER-020")
@pytest.mark.parametrize(
    ("kernel", "values"),
    [
        (RationalQuadratic(1.0, 0.5), [0.8944271910, 0.7071067812, 0.4472135955]),
        (RationalQuadratic(1.0, 1.0), [0.8888888889, 0.6666666667, 0.3333333333]),
        (RationalQuadratic(1.0, 2.0), [0.8858131488, 0.64, 0.25]),
        (GammaExponential(1.0, 1.5), [0.7021885013, 0.3678794412, 0.0591057466]),
    ],
    ids=repr,
)
def test_rational_quadratic_and_gamma_exponential(kernel, values):
    close(at(kernel, 0.5, 1.0, 2.0), values)


@pytest.mark.spec("KER-G10", "KER-025")
@pytest.mark.parametrize(
    ("d", "values"),
    [(1, [0.5, 0.3125, 0.171875]), (2, [0.25, 0.1875, 0.1080729167]), (3, [0.25, 0.1875, 0.1080729167])],
)
def test_wendland_at_half_its_reach(d, values):
    half = np.zeros((1, d))
    half[0, 0] = 0.5
    for rows in (half, -half):
        close([Wendland(1.0, m).gram(np.zeros((1, d)), rows) for m in (0, 2, 4)], values)
    if d > 1:
        close([at(Wendland(1.0, m, dim=d), 0.5) for m in (0, 2, 4)], values)


@noun
class Misprinted(Radial):
    """Wendland's C² polynomial of one dimension with the exponent 2."""

    def profile(self, s):
        u = np.sqrt(s)
        return np.maximum(1.0 - u, 0.0) ** 2 * (2.0 * u + 1.0)

    @property
    def cutoff(self):
        return 1.0


@pytest.mark.spec("KER-G11", "KER-L07", "KER-025")
def test_the_exponent_of_wendlands_polynomial_matters():
    grid = 0.25 * np.arange(24)[:, None]
    found = [np.linalg.eigvalsh(k.gram(grid))[0] for k in (Misprinted(2.0), Wendland(2.0))]
    close(found, [-0.0971534764, 0.0029530301])
    assert spectral_minimum(Misprinted(2.0)) < -1e-3


@pytest.mark.spec("KER-G12", "KER-029")
def test_splines_and_sinc():
    close([at(BSpline(n), 0.3) for n in range(4)], [1.0, 0.7, 0.66, 0.5901666667])
    close(at(BSpline(2), 0.0, 1.0), [3 / 4, 1 / 8])
    close(at(BSpline(3), 0.0, 1.0, 2.0), [2 / 3, 1 / 6, 0.0])
    close(at(Sinc(), 0.3), 0.8583936913)
    close(BSpline(0).value([-0.5, -0.49, 0.5, 0.51]), [0.0, 1.0, 1.0, 0.0])
    close(at(CatmullRom(), 0.5, 1.5), [0.5625, -0.0625])


@pytest.mark.spec("KER-G13", "KER-029")
@pytest.mark.parametrize(("n", "difference"), [(3, 0.0243), (5, 0.0142), (7, 0.0092), (11, 0.0050)])
def test_splines_tend_to_the_normal_density(n, difference):
    x = np.linspace(-7.0, 7.0, 4001)
    found = np.max(np.abs(BSpline(n).value(x) - norm.pdf(x, scale=np.sqrt((n + 1) / 12))))
    close(found, difference, digits=4)


@pytest.mark.spec("KER-G14", "KER-005")
def test_spectra_that_are_negative():
    found = [spectral_minimum(k) for k in (BSpline(0), BSpline(2), CatmullRom())]
    np.testing.assert_allclose(found, [-0.21723, -0.010251, -0.005108], rtol=1e-4)
    np.testing.assert_allclose(spectral_minimum(CatmullRom(step=300.0)), found[2], rtol=1e-6)


@pytest.mark.spec("KER-G15")
def test_eigenvalues_of_a_box():
    close(np.linalg.eigvalsh(BSpline(0).gram([[0.0], [0.4], [0.8]])), [1 - 2**0.5, 1.0, 1 + 2**0.5])


@pytest.mark.spec("KER-G16", "KER-017")
def test_a_polynomial_with_a_negative_constant_is_refused_for_a_reason():
    x = np.array([[0.0], [1.0]])
    assert (x @ x.T - 1.0)[0, 0] == -1.0
    close(np.linalg.eigvalsh((x @ x.T - 1.0) ** 2), [(1 - 5**0.5) / 2, (1 + 5**0.5) / 2])
    with pytest.raises(ValueError, match=r"coef0=-1\.0"):
        Polynomial(2, coef0=-1.0)
    with pytest.raises(ValueError, match=r"degree=1\.5"):
        Polynomial(1.5)


@pytest.mark.spec("KER-G17", "KER-009")
def test_columns_of_the_explicit_map():
    sizes = [polynomial_columns(n, m) for n, m in ((2, 2), (10, 5), (100, 5), (10_000, 2))]
    assert sizes == [6, 3003, 96560646, 50015001]
    assert Polynomial(2).features(np.ones((1, 2))).shape[1] == 6
    assert Polynomial(5).features(np.ones((1, 10))).shape[1] == 3003


@pytest.mark.spec("KER-G18", "KER-038")
def test_additive_orders():
    parts = [Constant(0.5), Constant(0.2), Constant(0.8)]
    close([Additive(parts, order=q).gram(np.zeros((1, 3))) for q in (1, 2, 3)], [1.5, 0.66, 0.08])


@pytest.mark.spec("KER-G19", "KER-011")
def test_mercer_eigenvalues():
    rows = np.array([[0.0], [1.0], [2.0]])
    close(np.linalg.eigvalsh(RBF().gram(rows))[::-1], [1.928096, 0.864665, 0.207239], digits=6)
    close(mercer_expansion(RBF(), rows).values, [0.642699, 0.288222, 0.069080], digits=6)
