"""Laws of the feature maps and preparation steps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.linalg import LinAlgWarning
from scipy.special import eval_chebyt, eval_legendre
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer, Normalizer, StandardScaler

from gnomon.datasets import make_center_corner
from gnomon.features import (
    AddBias,
    BasisExpansion,
    Cap,
    ColumnSubset,
    MaxNormScaler,
    PolarFeatures,
    PolynomialMap,
    PosNegPart,
    QuadraticExpansion,
    Waterfall,
    Whitener,
    Winsorizer,
    WithinClassWhitener,
    polynomial_columns,
)
from gnomon.numerics.scatter import between_class_cov, within_class_cov
from gnomon.numerics.streaming import moments


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(40, 3))


@pytest.mark.spec("LIN-150")
def test_bias_column_stands_last_or_first(X):
    assert_array_equal(AddBias().fit_transform(X), np.column_stack([X, np.ones(40)]))
    first = AddBias(position="first")
    assert_array_equal(first.fit_transform(X), np.column_stack([np.ones(40), X]))
    assert_array_equal(first.inverse_transform(first.transform(X)), X)
    y = X @ [1.0, -2.0, 3.0] + 4.0
    assert_allclose(LinearRegression(fit_intercept=False).fit(AddBias().fit_transform(X), y).coef_, [1, -2, 3, 4])


@pytest.mark.spec("LIN-L38", "LIN-152")
@pytest.mark.parametrize("d", [1, 2, 4])
@pytest.mark.parametrize("k", [0, 1, 2, 5])
@pytest.mark.parametrize("c0", [0.0, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("homogeneous", [False, True])
def test_kernel_weights_give_the_polynomial_kernel(d, k, c0, homogeneous):
    rng = np.random.default_rng(d + 10 * k)
    A, B = rng.normal(size=(5, d)), rng.normal(size=(6, d))
    phi = PolynomialMap(k, weights="kernel", c0=c0, homogeneous=homogeneous).fit(A)
    kernel = (A @ B.T + (0.0 if homogeneous else c0)) ** k
    assert_allclose(phi.transform(A) @ phi.transform(B).T, kernel, rtol=1e-10, atol=1e-13 * np.abs(kernel).max())
    assert phi.transform(A).shape[1] == polynomial_columns(d, k, homogeneous=homogeneous)


@pytest.mark.spec("LIN-151")
@pytest.mark.parametrize(("basis", "polynomial"), [("chebyshev", eval_chebyt), ("legendre", eval_legendre)])
def test_orthogonal_bases_are_products_of_polynomials(basis, polynomial):
    X = np.random.default_rng(1).uniform(-1, 1, size=(20, 3))
    phi = PolynomialMap(4, basis=basis, domain=(-1, 1)).fit(X)
    expected = np.prod(polynomial(phi.powers_[None], X[:, None, :]), axis=2)
    assert_allclose(phi.transform(X), expected, atol=1e-12)
    assert phi.get_feature_names_out()[4].endswith("2(x0)")


@pytest.mark.spec("LIN-151")
@pytest.mark.parametrize("basis", ["chebyshev", "legendre"])
def test_degree_one_hundred_is_usable_in_an_orthogonal_basis(basis):
    x = 5 + 3 * np.cos(np.linspace(0, np.pi, 200))[:, None]
    y = np.sin(20 * x[:, 0]) * np.exp(-x[:, 0])
    design = PolynomialMap(100, basis=basis).fit_transform(x)
    assert np.linalg.cond(design) < 30
    fitted = make_pipeline(PolynomialMap(100, basis=basis), LinearRegression()).fit(x, y).predict(x)
    assert_allclose(fitted, y, atol=1e-8)


@pytest.mark.spec("LIN-151")
def test_constant_column_has_a_place_in_an_orthogonal_basis():
    phi = PolynomialMap(3, basis="chebyshev").fit_transform(np.full((4, 1), 7.0))
    assert_allclose(phi, np.tile([1.0, 0.0, -1.0, 0.0], (4, 1)))


@pytest.mark.spec("LIN-151", "LIN-155")
@pytest.mark.parametrize(
    "phi",
    [
        PolynomialMap(2),
        PolynomialMap(3, include_bias=False),
        PolynomialMap(4, weights="kernel", c0=0.5),
        PolynomialMap(3, homogeneous=True),
        QuadraticExpansion(),
        QuadraticExpansion(symmetric=True),
        AddBias(),
        PosNegPart(),
        Cap(0.3),
        MaxNormScaler(),
        ColumnSubset([2, 0]),
    ],
    ids=repr,
)
def test_sparse_rows_equal_dense_rows(phi):
    X = sparse.random_array((30, 6), density=0.3, format="csr", rng=0)
    X.data -= 0.4
    X = sparse.vstack([X, sparse.csr_array((1, 6))], format="csr")
    mapped = phi.fit(X).transform(X)
    assert sparse.issparse(mapped)
    assert_allclose(mapped.toarray(), phi.fit(X.toarray()).transform(X.toarray()), rtol=1e-13)


@pytest.mark.spec("LIN-153")
def test_basis_expansion_of_rows_and_columns(X):
    phi = BasisExpansion([(0, np.sin), (-1, np.abs), lambda X: X.sum(axis=1), lambda X: X[:, :2] ** 2]).fit(X)
    expected = np.column_stack([np.sin(X[:, 0]), np.abs(X[:, 2]), X.sum(axis=1), X[:, :2] ** 2])
    assert_allclose(phi.design_matrix(X), expected)
    assert_array_equal(phi.transform(X), phi.design_matrix(X))
    assert phi.get_feature_names_out().tolist() == ["sin(x0)", "absolute(x2)", "f2", "f3_0", "f3_1"]
    y = 2 * np.sin(X[:, 0]) - X.sum(axis=1)
    assert_allclose(make_pipeline(phi, LinearRegression()).fit(X, y).predict(X), y, atol=1e-10)


@pytest.mark.spec("LIN-153")
def test_basis_expansion_says_what_is_wrong_with_a_function(X):
    with pytest.raises(ValueError, match="one value per row"):
        BasisExpansion([lambda X: X[:3]]).fit(X)
    with pytest.raises(ValueError, match="NaN or infinite"), np.errstate(all="ignore"):
        BasisExpansion([(0, np.log)]).fit(X)
    with pytest.raises(ValueError, match="makes no column"):
        BasisExpansion([]).fit(X)


@pytest.mark.spec("LIN-154")
def test_column_subset_by_index_or_name(X):
    pd = pytest.importorskip("pandas")
    assert_array_equal(ColumnSubset([2, 0]).fit_transform(X), X[:, [2, 0]])
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    subset = ColumnSubset(["c", "a"]).set_output(transform="pandas").fit(frame)
    assert subset.transform(frame).columns.tolist() == ["c", "a"]
    # The same S at prediction: a frame with other columns is refused, not silently reordered.
    with pytest.raises(ValueError, match="feature names"):
        subset.transform(frame[["b", "a", "c"]])
    with pytest.raises(ValueError, match=r"columns \['d'\] are not in X"):
        ColumnSubset(["d"]).fit(frame)


@pytest.mark.spec("LIN-L38", "LIN-155")
def test_quadratic_form_is_linear_in_the_expansion(X):
    A = np.random.default_rng(1).normal(size=(3, 3))
    b = np.array([1.0, 2.0, 3.0])
    expected = np.einsum("ni,ij,nj->n", X, A, X) + X @ b
    stacked = np.concatenate([A.ravel(order="F"), b])
    assert_allclose(QuadraticExpansion().fit_transform(X) @ stacked, expected, rtol=1e-12)


@pytest.mark.spec("LIN-155")
def test_symmetric_expansion_is_the_same_penalised_model(X):
    y = np.sin(X).sum(axis=1)
    full, half = QuadraticExpansion(), QuadraticExpansion(symmetric=True)
    assert_allclose(full.fit_transform(X) @ full.transform(X).T, half.fit_transform(X) @ half.transform(X).T)
    one = make_pipeline(full, Ridge(0.7)).fit(X, y).predict(X)
    assert_allclose(make_pipeline(half, Ridge(0.7)).fit(X, y).predict(X), one, rtol=1e-9)


@pytest.mark.spec("LIN-L38", "LIN-156", "LIN-157")
@pytest.mark.parametrize(
    "phi", [PosNegPart(), Waterfall(breaks=[-0.5, 0.0, 2.0]), Waterfall(quantiles=[0.2, 0.9])], ids=repr
)
def test_parts_add_up_to_the_column(phi, X):
    Z = phi.fit_transform(X)
    assert_allclose(phi.inverse_transform(Z), X, rtol=1e-15, atol=1e-16)
    if isinstance(phi, Waterfall):
        assert (Z.reshape(40, 3, -1)[:, :, 1:] >= 0).all()


@pytest.mark.spec("LIN-157")
def test_waterfall_takes_breaks_per_column_or_from_quantiles(X):
    own = Waterfall(breaks=[[0.0], [1.0, 2.0], [-1.0]]).fit(X)
    assert own.transform(X).shape == (40, 7)
    assert own.get_feature_names_out()[2:5].tolist() == ["x1[-inf, 1]", "x1[1, 2]", "x1[2, inf]"]
    assert_allclose(np.concatenate(Waterfall(quantiles=[0.5]).fit(X).breaks_), np.median(X, axis=0))
    with pytest.raises(ValueError, match="must be finite and increase"):
        Waterfall(breaks=[2.0, 1.0]).fit(X)


@pytest.mark.spec("LIN-158")
def test_cap_and_strict_indicator(X):
    assert_array_equal(Cap(0.2).fit_transform(X), np.minimum(X, 0.2))
    assert_array_equal(Cap([0.0, 1.0, np.inf]).fit_transform(X), np.minimum(X, [0.0, 1.0, np.inf]))
    indicator = make_pipeline(Cap(3.0), Binarizer()).fit_transform([[-1.0], [0.0], [1e-300], [5.0]])
    assert indicator.ravel().tolist() == [0, 0, 1, 1]


@pytest.mark.spec("LIN-159")
def test_winsoriser_clips_new_rows_to_training_limits(X):
    winsorizer = Winsorizer().fit(X)
    assert_allclose([winsorizer.lower_, winsorizer.upper_], np.quantile(X, [0.05, 0.95], axis=0))
    large = winsorizer.transform([[1e6, -1e6, 0.0], [1e300, -1e300, 0.0]])
    assert_array_equal(large[0], large[1])
    given = Winsorizer(limits=(-1.0, [0.0, 1.0, np.inf])).fit_transform(X)
    assert_array_equal(given, np.clip(X, -1.0, [0.0, 1.0, np.inf]))


@pytest.mark.spec("LIN-L38", "LIN-160")
@pytest.mark.parametrize("center", [None, "mean", [0.5, -1.0, 2.0, 0.0]], ids=["origin", "mean", "given"])
@pytest.mark.parametrize("angle", ["raw", "sincos"])
@pytest.mark.parametrize("shape", [{"hyperspherical": True}, {"columns": [(0, 2)]}, {"columns": [(3, 1), (0, 2)]}])
def test_polar_map_inverts(center, angle, shape):
    X = np.random.default_rng(3).normal(size=(30, 4))
    polar = PolarFeatures(center, angle=angle, **shape).fit(X)
    assert_allclose(polar.inverse_transform(polar.transform(X)), X, atol=1e-14)
    assert len(polar.get_feature_names_out()) == polar.transform(X).shape[1]


@pytest.mark.spec("LIN-160")
def test_polar_angle_is_that_of_atan2(X):
    polar = PolarFeatures().fit_transform(X[:, :2])
    assert_array_equal(polar[:, 1], np.arctan2(X[:, 1], X[:, 0]))
    same = PolarFeatures(hyperspherical=True).fit_transform(X[:, :2])
    assert_array_equal(polar, same)
    r = PolarFeatures(hyperspherical=True).fit_transform(X)
    assert_allclose(r[:, 0], np.linalg.norm(X, axis=1))
    assert ((r[:, 1] >= 0) & (r[:, 1] <= np.pi)).all()
    assert PolarFeatures().fit_transform([[-1.0, -0.0]]).tolist() == [[1.0, np.pi]]


@pytest.mark.spec("LIN-160")
def test_sine_and_cosine_do_not_jump():
    near = np.array([[-1.0, 1e-9], [-1.0, -1e-9]])
    raw, smooth = (PolarFeatures(angle=angle).fit_transform(near) for angle in ("raw", "sincos"))
    assert abs(raw[0, 1] - raw[1, 1]) > 6
    assert_allclose(smooth[0], smooth[1], atol=1e-8)


@pytest.mark.spec("LIN-160")
def test_polar_map_of_named_pairs_passes_the_rest_on():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"north": [3.0], "age": [7.0], "east": [4.0]})
    polar = PolarFeatures(columns=[("east", "north")]).set_output(transform="pandas").fit_transform(frame)
    assert polar.columns.tolist() == ["r(east,north)", "theta(east,north)", "age"]
    assert_allclose(polar.iloc[0], [5.0, np.arctan2(3, 4), 7.0])
    with pytest.raises(ValueError, match="hyperspherical=True"):
        PolarFeatures().fit(frame)


@pytest.mark.spec("LIN-L39", "LIN-160", "LIN-186")
def test_polar_map_separates_rings():
    X, y = make_center_corner(800, shape="ring", noise=0.1, random_state=0)
    plain = LinearDiscriminantAnalysis().fit(X, y).score(X, y)
    polar = make_pipeline(PolarFeatures(), LinearDiscriminantAnalysis()).fit(X, y).score(X, y)
    assert 0.5 <= plain <= 0.6
    assert polar == 1.0


@pytest.mark.spec("LIN-170")
def test_centring_subtracts_the_training_mean(X):
    scaler = make_pipeline(StandardScaler(with_std=False), AddBias()).fit(X)
    assert_allclose(scaler.transform(X[:5])[:, :3], X[:5] - X.mean(axis=0))
    assert_allclose(scaler.inverse_transform(scaler.transform(X[:5])), X[:5], rtol=1e-12)


@pytest.mark.spec("LIN-171", "LIN-L39")
def test_standardising_has_variance_one_and_leaves_constant_columns_at_zero(X):
    Z = make_pipeline(StandardScaler(), ColumnSubset()).fit_transform(np.column_stack([X, np.full(40, 3.0)]))
    assert_allclose(Z[:, :3].var(axis=0, ddof=0), 1.0)
    assert_array_equal(Z[:, 3], 0.0)


@pytest.mark.spec("LIN-L39", "LIN-172")
@pytest.mark.parametrize("kind", ["zca", "pca", "cholesky"])
@pytest.mark.parametrize("ddof", [0, 1])
def test_whitened_covariance_is_the_identity(kind, ddof):
    X = np.random.default_rng(0).normal(size=(50, 4)) @ np.random.default_rng(1).normal(size=(4, 4)) + 7
    whitener = Whitener(kind=kind, ddof=ddof).fit(X)
    Z = whitener.transform(X)
    assert_allclose(np.cov(Z.T, ddof=ddof), np.eye(4), atol=1e-10)
    assert_allclose(Z.mean(axis=0), 0, atol=1e-12)
    assert_allclose(whitener.inverse_transform(Z), X, rtol=1e-10)


@pytest.mark.spec("LIN-172")
def test_kinds_of_whitening_have_their_shapes():
    X = np.random.default_rng(0).normal(size=(50, 3)) @ np.diag([1.0, 5.0, 0.2])
    zca, pca, lower = (Whitener(kind=kind).fit(X).whitening_ for kind in ("zca", "pca", "cholesky"))
    assert_allclose(zca, zca.T, atol=1e-12)
    assert_allclose(np.triu(lower, 1), 0, atol=1e-12)
    assert (np.diag(lower) > 0).all()
    # Largest eigenvalue first, and the rows of P are orthogonal eigenvectors over its root.
    scales = np.linalg.norm(pca, axis=1)
    assert (np.diff(scales) > 0).all()
    assert_allclose(pca @ pca.T, np.diag(scales**2), atol=1e-10)


@pytest.mark.spec("LIN-172")
def test_singular_covariance_warns_and_is_dropped_or_floored(X):
    doubled = np.column_stack([X, X[:, 0]])
    with pytest.warns(LinAlgWarning, match="1 of 4 eigenvalues"):
        pca = Whitener(kind="pca").fit(doubled)
    assert pca.transform(doubled).shape == (40, 3)
    assert pca.rank_ == 3
    assert_allclose(np.cov(pca.transform(doubled).T, ddof=0), np.eye(3), atol=1e-10)
    assert_allclose(pca.inverse_transform(pca.transform(doubled)), doubled, atol=1e-10)
    with pytest.warns(LinAlgWarning, match="dropped"):
        zca = Whitener().fit(doubled)
    covariance = np.cov(zca.transform(doubled).T, ddof=0)
    assert_allclose(covariance @ covariance, covariance, atol=1e-9)
    with pytest.warns(LinAlgWarning, match="raised"):
        floored = Whitener(singular="floor", tol=1e-3).fit(doubled)
    assert_allclose(floored.inverse_transform(floored.transform(doubled)), doubled, atol=1e-9)
    with pytest.raises(ValueError, match="every column is constant"):
        Whitener().fit(np.ones((5, 2)))


@pytest.mark.spec("LIN-173")
@pytest.mark.parametrize("kind", ["zca", "pca", "cholesky"])
def test_within_class_covariance_becomes_the_identity(kind):
    rng = np.random.default_rng(2)
    y = np.repeat(["a", "b", "c"], [20, 30, 10])
    X = rng.normal(size=(60, 3)) @ rng.normal(size=(3, 3)) + np.repeat(rng.normal(size=(3, 3)) * 4, [20, 30, 10], 0)
    index = np.unique(y, return_inverse=True)[1]
    Z = WithinClassWhitener(kind=kind).fit(X, y).transform(X)
    assert_allclose(within_class_cov(Z, index, 3), np.eye(3), atol=1e-10)
    assert_allclose(Z.mean(axis=0), 0, atol=1e-12)
    assert_allclose(within_class_cov(X, index, 3) + between_class_cov(X, index, 3), np.cov(X.T, ddof=0), rtol=1e-10)


@pytest.mark.spec("LIN-172", "LIN-173")
def test_weight_two_is_the_row_twice(X):
    s = np.random.default_rng(0).integers(0, 3, 40)
    y = np.arange(40) % 2
    twice, labels = np.repeat(X, s, axis=0), np.repeat(y, s)
    assert_allclose(
        Whitener(ddof=1).fit(X, sample_weight=s).whitening_, Whitener(ddof=1).fit(twice).whitening_, rtol=1e-9
    )
    within = WithinClassWhitener()
    assert_allclose(within.fit(X, y, sample_weight=s).whitening_, WithinClassWhitener().fit(twice, labels).whitening_)


@pytest.mark.spec("LIN-174")
def test_usual_order_centre_whiten_length(X):
    prepared = make_pipeline(StandardScaler(with_std=False), Whitener(), Normalizer()).fit(X)
    assert_allclose(np.linalg.norm(prepared.transform(X), axis=1), 1.0)
    kept = make_pipeline(MaxNormScaler(), Normalizer()).fit_transform(np.array([[3.0, 4.0], [0.0, 0.0]]))
    assert_allclose(kept, [[0.6, 0.8], [0.0, 0.0]])


@pytest.mark.spec("LIN-175")
@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e200])
def test_one_factor_makes_the_longest_row_one(X, scale):
    scaler = MaxNormScaler().fit(X * scale)
    lengths = np.linalg.norm(scaler.transform(X * scale), axis=1)
    assert_allclose(lengths.max(), 1.0)
    assert_allclose(lengths, np.linalg.norm(X, axis=1) / np.linalg.norm(X, axis=1).max())
    assert_allclose(scaler.inverse_transform(scaler.transform(X * scale)), X * scale)
    assert_array_equal(MaxNormScaler().fit_transform(np.zeros((2, 2))), np.zeros((2, 2)))


@pytest.mark.spec("LIN-172")
def test_covariance_of_rows_far_from_zero(X):
    assert_allclose(moments(X + 1e8).covariance(), np.cov(X.T, ddof=0), rtol=1e-5)


@pytest.mark.parametrize(
    "phi",
    [
        PolynomialMap(3),
        PolynomialMap(3, basis="legendre"),
        QuadraticExpansion(symmetric=True),
        Waterfall(),
        Winsorizer(),
        Cap(0.5),
        PosNegPart(),
        PolarFeatures("mean", hyperspherical=True),
        Whitener(),
        MaxNormScaler(),
        AddBias(),
    ],
    ids=repr,
)
@pytest.mark.spec("LIN-150", "LIN-151", "LIN-155", "LIN-156", "LIN-157", "LIN-158", "LIN-159", "LIN-160", "LIN-172")
def test_single_precision_stays_and_input_is_not_touched(phi, X):
    single = X.astype(np.float32)
    single.setflags(write=False)
    before = single.copy()
    Z = phi.fit_transform(single)
    assert Z.dtype == np.float32
    assert_array_equal(single, before)
    assert_allclose(Z, phi.fit(X).transform(X), rtol=1e-3, atol=1e-4)


def test_squares_that_overflow_are_refused_by_the_column():
    X = np.random.default_rng(0).normal(size=(20, 3)) * [1.0, 1e160, 1.0]
    for made in (PolynomialMap(2), QuadraticExpansion()):
        for data in (X, sparse.csr_array(X)):
            with pytest.raises(ValueError, match=r"products with column 1 of X.* overflow .*scale that column first"):
                made.fit_transform(data)
    for made in (Whitener(), WithinClassWhitener()):
        for unit in (1.0, 1e-320):
            with pytest.raises(ValueError, match=r"column 1 of X has entries .*scale that column first"):
                made.fit(X * [1.0, unit, 1.0], np.repeat([0, 1], 10))
    assert np.isfinite(PolynomialMap(2).fit_transform(X * [1.0, 1e-160, 1.0])).all()
