"""Laws that hold between kernels: sums, products, limits, explicit maps, and what is refused."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from gnomon.features import polynomial_columns
from gnomon.kernels import (
    RBF,
    Additive,
    AdditiveChi2,
    BSpline,
    Chi2,
    Constant,
    Cosine,
    ExpSineSquared,
    GammaExponential,
    Laplacian,
    Linear,
    Matern,
    PeriodicSine,
    Polynomial,
    Radial,
    RationalQuadratic,
    Sigmoid,
    Sinc,
    Spherical,
    TensorProduct,
    ThinPlate,
    Truncated,
    Wendland,
    White,
    check_kernel,
    components,
    gram_matrix,
    is_psd,
    noun,
    semi_parametric,
    warn_unless_psd,
)
from kernel_cases import COMPACT, squares

RNG = np.random.default_rng(0)
X, Z = RNG.normal(size=(12, 3)), RNG.normal(size=(9, 3))


def same(a, b, rtol=1e-12, atol=1e-13):
    np.testing.assert_allclose(a, b, rtol=rtol, atol=atol)


@pytest.mark.spec("KER-033", "KER-034", "KER-035", "KER-036", "KER-008")
def test_the_algebra_is_that_of_the_numbers():
    a, b = RBF(1.3), Polynomial(2, scale=0.2)
    A, B = a.gram(X, Z), b.gram(X, Z)
    same((a + b).gram(X, Z), A + B)
    same((2.5 * a).gram(X, Z), 2.5 * A)
    same((a * 2.5 + 1).gram(X, Z), 2.5 * A + 1)
    same((0 * a).gram(X, Z), 0 * A)
    same((a * b).gram(X, Z), A * B)
    same((b**3).gram(X, Z), B**3)
    same(a.polynomial([1, 0, 2, 0.5]).gram(X, Z), 1 + 2 * A**2 + 0.5 * A**3)
    same(b.exp().gram(X, Z), np.exp(B))
    same(Linear().warp(squares).gram(X, Z), squares(X) @ squares(Z).T)
    same((a + b).normalized().gram(X, Z), (A + B) / np.sqrt(np.multiply.outer((a + b).diag(X), (a + b).diag(Z))))


@pytest.mark.spec("KER-033", "KER-034", "KER-035", "KER-L02", "KER-020", "KER-017")
@pytest.mark.parametrize(
    "build",
    [
        lambda: -1.0 * RBF(),
        lambda: RBF() + -0.5,
        lambda: RBF() ** 0,
        lambda: RBF() ** 1.5,
        lambda: RBF().polynomial([1.0, -0.1]),
        lambda: RBF().polynomial([]),
        lambda: Linear(coef0=-0.1),
        lambda: RBF(0.0),
        lambda: RBF([1.0, -1.0]),
        lambda: RBF(gamma=1.0, bandwidth=2.0),
        lambda: RBF(gamma=-1.0),
        lambda: GammaExponential(1.0, 2.1),
        lambda: GammaExponential(1.0, 0.0),
        lambda: Matern(1.0, 0.0),
        lambda: RationalQuadratic(1.0, -1.0),
        lambda: Laplacian(1.0, "l3"),
        lambda: Laplacian(1.0, metric=[1.0, 2.0]),
        lambda: Wendland(1.0, 3),
        lambda: Wendland(1.0, dim=0),
        lambda: Truncated(RBF(), 0.0),
        lambda: Additive([RBF()], order=2),
        lambda: Additive([RBF(), RBF()], orders=[1, 2], weights=[1.0, -1.0]),
        lambda: Additive([RBF(), RBF()], orders=[1, 2], weights=[1.0]),
        lambda: Additive([RBF(), RBF()], orders=[1, 2], weights=[1.0, np.inf]),
        lambda: TensorProduct([]),
        lambda: ExpSineSquared([1.0, 2.0]),
        lambda: PeriodicSine(0.0),
        lambda: semi_parametric(-1.0, 1.0, 1.0),
        lambda: Chi2(0.0),
        lambda: Sigmoid(-1.0),
    ],
)
def test_what_is_no_kernel_is_refused(build):
    with pytest.raises(ValueError, match=r"must|say the same|belongs"):
        build()


@pytest.mark.spec("KER-L02")
def test_a_difference_of_kernels_is_none():
    assert not is_psd(RBF(1.0).gram(X) - RBF(0.5).gram(X))


@pytest.mark.spec("KER-006")
def test_the_status_of_sums_and_products():
    unknown, no, conditional = Truncated(RBF(), 1.0), Sigmoid(), ThinPlate()
    assert (RBF() + Linear()).psd is True
    assert (RBF() * no).psd is None
    assert (RBF() + no).psd is None
    assert (RBF() + unknown).psd is None
    assert (RBF() + conditional).psd == "conditional"
    assert (RBF() + conditional).cpd_order == 2
    assert (2.0 * conditional).psd == "conditional"
    assert (2.0 * no).psd is False
    assert (conditional * conditional).psd is None
    assert (RBF() * conditional).psd is None
    assert AdditiveChi2().cpd_order == 1


@pytest.mark.spec("KER-006", "KER-028")
def test_a_conditional_kernel_is_positive_beside_its_polynomials():
    rows = X[:, :2]
    K = ThinPlate().gram(rows)
    assert not is_psd(K)
    P = np.column_stack([np.ones(len(rows)), rows])
    Q = np.linalg.qr(P, mode="complete")[0][:, 3:]
    assert np.linalg.eigvalsh(Q.T @ K @ Q)[0] > 0.0
    H = np.eye(12) - 1 / 12
    assert is_psd(H @ AdditiveChi2().gram(np.abs(X)) @ H)
    with pytest.raises(ValueError, match=r"2 column"):
        ThinPlate().gram(X)
    with pytest.raises(ValueError, match=r"degree < 2.*gnomon\.gp\.ThinPlateSpline"):
        warn_unless_psd(ThinPlate().against(rows))


@pytest.mark.spec("KER-036")
def test_an_exponential_that_overflows_says_so():
    with pytest.raises(OverflowError, match="scale the kernel"):
        Linear().exp().gram([[30.0], [1.0]])


@pytest.mark.spec("KER-L04", "KER-018")
def test_gaussian_facts():
    assert check_kernel(RBF(0.7), X).rank == 12
    same(RBF(1.3).diag(X), np.ones(12))
    assert RBF().gram([[0.0]], [[50.0]]).item() == 0.0
    one = RBF(1.3).gram(X, Z)
    same(RBF(gamma=0.5 / 1.3**2).gram(X, Z), one)
    same(RBF(bandwidth=2**0.5 * 1.3).gram(X, Z), one)
    A = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, 0.0], [0.1, 0.0, 0.3]])
    D = X[:, None] - Z[None]
    same(RBF(1.3, metric=A).gram(X, Z), np.exp(-np.einsum("ijd,de,ije->ij", D, A, D) / (2 * 1.3**2)))
    same(RBF(1.0, metric=[1.0, 4.0, 0.25]).gram(X, Z), RBF([1.0, 0.5, 2.0]).gram(X, Z))
    with pytest.raises(ValueError, match="positive definite"):
        RBF(metric=-A).gram(X)


RADIAL = [
    RBF(1.3),
    Laplacian(1.3, "l2"),
    GammaExponential(1.3, 1.5),
    Matern(1.3),
    RationalQuadratic(1.3),
    Wendland(1.9),
    Spherical(1.9),
]


@pytest.mark.spec("KER-L05", "KER-031")
@pytest.mark.parametrize("kernel", RADIAL, ids=repr)
def test_only_the_gaussian_is_the_product_of_its_columns(kernel):
    product = TensorProduct([kernel] * 3).gram(X, Z)
    assert np.allclose(product, kernel.gram(X, Z), atol=1e-12) == isinstance(kernel, RBF)
    by_hand = kernel.on(0) * kernel.on(1) * kernel.on(2)
    same(product, by_hand.gram(X, Z))


@pytest.mark.spec("KER-031")
def test_a_tensor_product_on_a_grid_is_a_kronecker_product_of_its_factors():
    factors = [Matern(0.7), BSpline(1), RBF(1.3)]
    kernel = TensorProduct(factors)
    assert kernel.by_axis(3) == factors
    assert kernel.by_axis(2) is None
    lines = [np.array([0.0, 0.4, 1.0]), np.array([0.0, 0.3]), np.array([-1.0, 0.5])]
    grid = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, 3)
    first, second, third = (k.gram(line[:, None]) for k, line in zip(kernel.by_axis(3), lines, strict=True))
    same(kernel.gram(grid), np.kron(np.kron(first, second), third))


@pytest.mark.spec("KER-L05")
def test_the_product_of_gaussians_is_one():
    same((RBF(bandwidth=0.7) * RBF(bandwidth=1.9)).gram(X, Z), RBF(bandwidth=(0.7**-2 + 1.9**-2) ** -0.5).gram(X, Z))


@pytest.mark.spec("KER-L06", "KER-021", "KER-022", "KER-020")
def test_matern_and_its_relatives():
    r = np.concatenate([[0.0], np.geomspace(1e-9, 30.0, 60)])[:, None]
    zero = np.zeros((1, 1))

    def at(kernel):
        return kernel.gram(zero, r)

    for nu in (0.5, 1.5, 2.5):
        # A ν that differs from the closed one in the last digits takes the general formula.
        same(at(Matern(1.3, nu * (1 + 1e-15))), at(Matern(1.3, nu)), rtol=0.0, atol=1e-12)
    same(at(Matern(1.3, 0.5)), np.exp(-r.T / 1.3))
    same(at(Matern(1.3, np.inf)), at(RBF(1.3)))
    errors = [np.max(np.abs(at(Matern(1.3, nu)) - at(RBF(1.3)))) for nu in (10.0, 100.0, 1e3, 1e6)]
    assert errors[3] < 1e-6 < errors[2] < errors[1] < errors[0]
    same(at(Matern(1.3, 30.0 * (1 - 1e-13))), at(Matern(1.3, 30.0 * (1 + 1e-13))), rtol=0.0, atol=1e-11)
    same(at(RationalQuadratic(1.3, 1e9)), at(RBF(1.3)), rtol=0.0, atol=1e-8)
    same(at(GammaExponential(1.3, 2.0)), at(RBF(bandwidth=1.3)))
    same(at(GammaExponential(1.3, 1.0)), at(Matern(1.3, 0.5)))
    same(at(Laplacian(1.3, "l2")), at(Matern(1.3, 0.5)))


@pytest.mark.spec("KER-L09", "KER-024")
def test_the_sine_kernel_is_blind_to_reflection_and_the_other_is_not():
    gamma, x, z = 1.7, X[:, :1], Z[:, :1]
    sine, circle = PeriodicSine(gamma, 0.8), ExpSineSquared(0.8, 2 * np.pi / gamma)
    for moved in (x + 2 * np.pi / gamma, np.pi / gamma - x):
        same(sine.gram(moved, z), sine.gram(x, z), rtol=1e-10)
    same(sine.gram(x, z), RBF(bandwidth=0.8).warp(lambda A: np.sin(gamma * np.asarray(A))).gram(x, z))
    same(circle.gram(x + 2 * np.pi / gamma, z), circle.gram(x, z), rtol=1e-10)
    assert not np.allclose(circle.gram(np.pi / gamma - x, z), circle.gram(x, z), atol=0.1)


@pytest.mark.spec("KER-L08", "KER-038")
def test_additive_orders_sum_to_the_product_of_one_plus_each():
    parts = [RBF(1.3), Matern(0.8), Laplacian(0.5)]
    by_hand = np.prod([1 + k.on(d).gram(X, Z) for d, k in enumerate(parts)], axis=0) - 1
    same(Additive(parts, orders=[1, 2, 3]).gram(X, Z), by_hand)
    same(sum(Additive(parts, order=q).gram(X, Z) for q in (1, 2, 3)), by_hand)


@pytest.mark.spec("KER-L08", "KER-038")
@pytest.mark.parametrize("options", [{}, {"order": 2}, {"orders": [1, 3], "weights": [0.5, 2.0]}])
def test_a_function_is_the_sum_of_its_components(options):
    rng = np.random.default_rng(11)
    kernel = Additive([RBF(1.3), Matern(0.8), Laplacian(0.5)], **options)
    beta = rng.normal(size=(12, 2))
    parts = components(kernel, beta, Z, X)
    assert parts.shape == (9, {"{}": 3}.get(str(options), 3 if "order" in options else 4), 2)
    same(parts.sum(axis=1), kernel.gram(Z, X) @ beta)
    if not options:
        moved = Z.copy()
        moved[:, 1:] += 5.0
        same(components(kernel, beta, moved, X)[:, 0], parts[:, 0])
    both = kernel + 0.5 * Linear()
    same(components(both, beta, Z, X).sum(axis=1), both.gram(Z, X) @ beta)


@pytest.mark.spec("KER-037", "KER-039")
def test_kernels_of_columns_by_place_and_by_name():
    frame = pd.DataFrame(X, columns=["height", "age", "dose"])
    other = pd.DataFrame(Z, columns=["height", "age", "dose"])
    k = RBF(1.3).on(["dose", "height"]) * Linear(0.5).on("age")
    by_hand = RBF(1.3).gram(X[:, [2, 0]], Z[:, [2, 0]]) * Linear(0.5).gram(X[:, [1]], Z[:, [1]])
    same(k.gram(frame, other), by_hand)
    same(k.gram(frame[["age", "dose", "height"]], other), by_hand)
    same(k.located(["height", "age", "dose"]).gram(X, Z), by_hand)
    same((RBF(1.3).on([2, 0]) * Linear(0.5).on(slice(1, 2))).gram(X, Z), by_hand)
    with pytest.raises(ValueError, match="names, and X has none"):
        k.gram(X)
    with pytest.raises(ValueError, match="'weight' is not a column"):
        RBF().on("weight").gram(frame)


@pytest.mark.spec("KER-040", "KER-016")
def test_a_gaussian_beside_a_line():
    r2 = np.sum((X[:, None] - Z[None]) ** 2, axis=2)
    same(semi_parametric(2.0, 0.7, 0.3).gram(X, Z), 2.0 * np.exp(-r2 / 0.7**2) + 0.3 * X @ Z.T)
    same(Linear(coef0=0.4).gram(X, Z), X @ Z.T + 0.4)


@pytest.mark.spec("KER-032")
def test_white_noise_is_of_rows_not_of_values():
    twice = np.vstack([X, X])
    same(White(0.5).gram(twice), 0.5 * np.eye(24))
    assert not White(0.5).gram(twice, twice).any()
    same(Constant(2.0).gram(X, Z), np.full((12, 9), 2.0))
    same(White(0.5).against(twice).rows(np.array([3, 1])), 0.5 * np.eye(24)[[3, 1]])


@pytest.mark.spec("KER-L03", "KER-009")
@pytest.mark.parametrize("c", [0.0, 0.5, 1.0])
def test_a_polynomial_is_the_inner_product_of_its_features(c):
    rng = np.random.default_rng(11)
    for n in range(1, 5):
        for m in range(1, 6):
            A, B = X[:, [0] * n] + np.arange(n), rng.normal(size=(5, n))
            kernel = Polynomial(m, coef0=c, scale=0.7)
            same(kernel.features(A) @ kernel.features(B).T, (0.7 * A @ B.T + c) ** m, rtol=1e-10, atol=1e-10)
            same(kernel.gram(A, B), (0.7 * A @ B.T + c) ** m, rtol=1e-10, atol=1e-10)
    degree_two = Polynomial(2, coef0=c).features([[3.0, 5.0]]).ravel()
    by_hand = [c, *(2 * c) ** 0.5 * np.array([3.0, 5.0]), 9.0, 2**0.5 * 15.0, 25.0]
    same(degree_two, by_hand if c else by_hand[3:])


@pytest.mark.spec("KER-009")
@pytest.mark.parametrize(
    "kernel",
    [
        Linear(0.5),
        Cosine(),
        Constant(2.0),
        2.0 * Linear() + Polynomial(2),
        Polynomial(3, coef0=0.0),
        Linear(0.3) * Polynomial(2, scale=0.4),
        Linear(0.3) ** 3,
        Linear(0.3).polynomial([0.5, 0.0, 2.0]),
        Polynomial(2).on([0, 2]),
        Polynomial(2).normalized(),
        Linear().warp(np.tanh),
        TensorProduct([Linear(0.2), Polynomial(2), Linear()]),
        Additive([Linear(0.2), Polynomial(2), Linear()], order=2),
    ],
    ids=repr,
)
def test_explicit_maps_of_composed_kernels(kernel):
    same(kernel.features(X) @ kernel.features(Z).T, kernel.gram(X, Z), rtol=1e-11, atol=1e-11)
    assert kernel.features(X.astype(np.float32)).dtype == np.float32
    if "Warped" not in repr(kernel):
        of_sparse = kernel.features(sparse.csr_array(X))
        same(of_sparse.toarray() if sparse.issparse(of_sparse) else of_sparse, kernel.features(X), rtol=1e-12)
    size = kernel.features(X).shape[1]
    assert kernel.map_size(X) == size
    assert kernel.finite_map(X, size - 1) is None
    assert kernel.finite_map(X, size).shape == (12, size)


def test_a_kernel_without_a_finite_map_says_so():
    for kernel in (RBF(), Matern(), RBF() + Linear()):
        with pytest.raises(ValueError, match="EmpiricalKernelMap"):
            kernel.features(X)


@pytest.mark.spec("KER-L42")
def test_a_kernel_needs_a_thousandth_of_what_its_map_fills():
    # The benchmarks time both; here the memory is counted, which every machine has in common.
    rng = np.random.default_rng(11)
    A, B = rng.normal(size=(2, 3, 100))
    tracemalloc.start()
    Polynomial(5).gram(A, B)
    _, used = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    map_of_one_row = A.itemsize * polynomial_columns(100, 5)
    assert map_of_one_row > 1000 * used
    assert Polynomial(3).features(A).nbytes == 3 * A.itemsize * polynomial_columns(100, 3)


@pytest.mark.spec("KER-014")
@pytest.mark.parametrize(
    "kernel",
    [
        RBF([0.7, 1.5, 3.0]),
        RBF(1.3, metric=[[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.3]]),
        Laplacian([0.7, 1.5, 3.0]),
        Laplacian(1.3, "l2"),
        GammaExponential(1.3, 1.4),
        GammaExponential(1.3, 0.7),
        GammaExponential(1.3, 2.0),
        Matern(1.3, 2.0),
        Matern(1.3, np.inf),
        RationalQuadratic(1.3, 0.7),
        ExpSineSquared(0.8, 2.3),
        2.0 * RBF(1.3) + Matern(0.7),
        RBF(1.3) * Matern(0.7),
        Laplacian(1.3) ** 2,
        RBF(1.3).on([0, 2]),
        TensorProduct([RBF(1.3), Sinc(0.7), Matern()]),
    ],
    ids=repr,
)
def test_cosines_of_drawn_frequencies_average_to_the_kernel(kernel):
    n = 40_000
    omega = kernel.sample_spectrum(n, 3, np.random.default_rng(0))
    assert omega.shape == (n, 3)
    differences = np.random.default_rng(1).normal(size=(40, 3))
    found = kernel.diag(np.zeros((1, 3))) * np.cos(differences @ omega.T).mean(axis=1)
    expected = kernel.gram(differences, np.zeros((1, 3))).ravel()
    scale = kernel.diag(np.zeros((1, 3))).item()
    np.testing.assert_allclose(found, expected, atol=4.5 * scale / np.sqrt(2 * n))


def test_a_kernel_without_a_spectrum_says_so():
    for kernel in (Linear(), Wendland(), PeriodicSine(), RBF() + Linear()):
        with pytest.raises(ValueError, match="spectrum"):
            kernel.sample_spectrum(5, 3, np.random.default_rng(0))


@pytest.mark.spec("KER-027", "KER-026")
@pytest.mark.parametrize("case", COMPACT, ids=lambda case: case.name)
def test_the_sparse_gram_matrix_is_the_dense_one(case):
    # Wide rows: most pairs are out of reach.
    A, B = case.sample(60) * 4.0, case.sample(50, seed=1) * 4.0
    for other in (None, B):
        found = gram_matrix(A, case.kernel, other, sparse="auto")
        dense = gram_matrix(A, case.kernel, other)
        assert sparse.issparse(found)
        assert found.nnz == np.count_nonzero(dense)
        same(found.toarray(), dense, atol=1e-14)
    assert found.nnz < 0.5 * dense.size
    K = gram_matrix(A, case.kernel, sparse=True)
    assert (K != K.T).nnz == 0


@pytest.mark.spec("KER-027")
def test_a_sparse_gram_matrix_of_many_rows_needs_little():
    rows = np.random.default_rng(0).uniform(0.0, 100.0, size=(20_000, 2))
    kernel = 0.5 * Wendland(1.0) * RBF(2.0) + White(0.1)
    K = gram_matrix(rows, kernel, sparse="auto")
    assert K.shape == (20_000, 20_000)
    assert 20_000 < K.nnz < 300_000
    same(K.diagonal(), kernel.diag(rows))
    few = np.arange(0, 20_000, 1000)
    same(K[few][:, few].toarray(), kernel.gram(rows[few]) * 1.0, atol=1e-14)
    assert isinstance(gram_matrix(rows[:5], RBF() + Wendland(), sparse="auto"), np.ndarray)
    with pytest.raises(ValueError, match="sparse=True"):
        gram_matrix(rows[:5], RBF(), sparse=True)
    with pytest.raises(ValueError, match="sparse='yes'"):
        gram_matrix(rows[:5], RBF(), sparse="yes")


@pytest.mark.spec("KER-025")
def test_wendland_is_refused_in_more_dimensions_than_it_is_for():
    with pytest.raises(ValueError, match="1 to 2 column"):
        Wendland(1.0, dim=2).gram(X)
    with pytest.raises(ValueError, match="1 to 3 column"):
        Spherical().gram(np.hstack([X, X]))
    same(Wendland(2.0).gram(X, Z), Wendland(2.0, dim=3).gram(X, Z))
    assert not np.allclose(Wendland(2.0, dim=9).gram(X, Z), Wendland(2.0).gram(X, Z))


def test_ten_lines_make_a_kernel():
    @noun
    class Cauchy(Radial):
        def profile(self, s):
            return 1.0 / (1.0 + s)

        def slope(self, s):
            return -1.0 / (1.0 + s) ** 2

    r2 = np.sum((X[:, None] - Z[None]) ** 2, axis=2)
    same(Cauchy(2.0).gram(X, Z), 1.0 / (1.0 + r2 / 4.0))
    same(Cauchy(2.0).gradients(X, Z)[:, :, 0], 2.0 * (r2 / 4.0) / (1.0 + r2 / 4.0) ** 2)
