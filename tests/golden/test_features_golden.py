"""Golden values of the feature maps, preparation steps and selectors, to the digits printed in the specification."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import LeaveOneOut
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gnomon.datasets import make_informative_pair
from gnomon.features import (
    GreedySelector,
    PolarFeatures,
    PolynomialMap,
    PosNegPart,
    QuadraticExpansion,
    Waterfall,
    Whitener,
    Winsorizer,
    WithinClassWhitener,
    polynomial_columns,
    subset_score,
)


@pytest.mark.spec("LIN-G52", "LIN-151")
@pytest.mark.parametrize(("d", "k", "count"), [(2, 2, 6), (10, 5, 3003), (100, 5, 96560646), (10_000, 2, 50015001)])
def test_number_of_monomials(d, k, count):
    assert polynomial_columns(d, k) == count
    refusing = PolynomialMap(k, max_columns=count - 1)
    with pytest.raises(ValueError, match=f"makes {count} columns"):
        refusing.fit(np.ones((1, d)))
    assert PolynomialMap(k, max_columns=count).fit(np.ones((1, d))).n_output_features_ == count


@pytest.mark.spec("LIN-G52", "LIN-152")
def test_number_of_monomials_of_exact_degree():
    assert polynomial_columns(10_000, 2, homogeneous=True) == 50005000
    phi = PolynomialMap(2, homogeneous=True, max_columns=10**8).fit(np.ones((1, 10_000)))
    assert phi.n_output_features_ == 50005000


@pytest.mark.spec("LIN-G52", "LIN-155")
@pytest.mark.parametrize(("d", "count"), [(2, 6), (10, 110), (100, 10100)])
def test_number_of_columns_of_the_quadratic_expansion(d, count):
    assert QuadraticExpansion().fit_transform(np.ones((1, d))).shape[1] == count
    assert QuadraticExpansion(symmetric=True).fit_transform(np.ones((1, d))).shape[1] == d * (d + 1) // 2 + d


@pytest.mark.spec("LIN-G53", "LIN-152")
@pytest.mark.parametrize(
    ("options", "product"),
    [
        ({"degree": 2}, 9),
        ({"degree": 2, "weights": "kernel"}, 4),
        ({"degree": 2, "weights": "kernel", "homogeneous": True}, 1),
        ({"degree": 3, "weights": "kernel", "c0": 2.0}, 27),
    ],
)
def test_inner_product_of_maps(options, product):
    rows = np.array([[1.0, 2.0], [3.0, -1.0]])
    model = PolynomialMap(**options).fit(rows)
    x, z = model.transform(rows)
    assert_allclose(x @ z, product, rtol=1e-12)
    # Columns one by one are those of the map.
    assert_allclose(model.coordinates(np.arange(len(x))).outputs(rows), [x, z], rtol=1e-12)


@pytest.mark.spec("LIN-G53", "LIN-155")
def test_quadratic_expansion():
    assert QuadraticExpansion().fit_transform([[1.0, 2.0]]).tolist() == [[1, 2, 2, 4, 1, 2]]


@pytest.mark.spec("LIN-G54", "LIN-156", "LIN-157")
def test_maps_of_four_numbers():
    x = np.array([[-1.0], [0.5], [2.0], [5.0]])
    parts = [[-1, 0, 0], [0.5, 0, 0], [1, 1, 0], [1, 2, 2]]
    assert Waterfall(breaks=[1, 3]).fit_transform(x).tolist() == parts
    assert PosNegPart().fit_transform(x).tolist() == [[0, 1], [0.5, 0], [2, 0], [5, 0]]


@pytest.mark.spec("LIN-G54", "LIN-159")
def test_winsorised_limits():
    x = np.array([*range(1, 11), 100.0])[:, None]
    winsorizer = Winsorizer(quantiles=(0.1, 0.9)).fit(x)
    assert (winsorizer.lower_, winsorizer.upper_) == (2, 10)
    assert winsorizer.transform(x).ravel().tolist() == [2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10]


@pytest.mark.spec("LIN-G54", "LIN-160")
def test_polar_coordinates_of_two_points():
    polar = PolarFeatures().fit_transform([[1.0, 1.0], [-1.0, 0.0]])
    assert_allclose(polar, [[1.4142136, 0.7853982], [1, np.pi]], rtol=0, atol=5e-8)


@pytest.mark.spec("LIN-G55", "LIN-171")
def test_standardising_divides_by_the_deviation():
    x = np.array([2.0, 4, 4, 4, 5, 5, 7, 9])[:, None]
    scaler = StandardScaler().fit(x)
    assert (scaler.mean_[0], scaler.var_[0], scaler.scale_[0]) == (5, 4, 2)
    assert_allclose(scaler.transform(x).var(), 1.0)
    assert_allclose(((x - x.mean()) / x.var()).var(), 0.25)


@pytest.mark.spec("LIN-G56", "LIN-172")
def test_symmetric_whitening():
    X = np.array([[1.0, 2], [3, 3], [2, 5], [6, 6]])
    whitener = Whitener(kind="zca").fit(X)
    assert_allclose(whitener.covariance_, [[3.5, 2.25], [2.25, 2.5]])
    assert_allclose(whitener.whitening_, [[0.7337941, -0.3735135], [-0.3735135, 0.8998001]], rtol=0, atol=5e-8)
    assert_allclose(whitener.transform(X)[0], [-0.7205612, -1.0525732], rtol=0, atol=5e-8)


@pytest.mark.spec("LIN-G56", "LIN-173")
def test_whitening_within_classes():
    X = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1], [3, 2], [4, 2], [3, 3], [4, 4]])
    whitener = WithinClassWhitener().fit(X, np.repeat(["a", "b"], 4))
    assert_allclose(whitener.covariance_, [[0.25, 0.0625], [0.0625, 0.46875]], rtol=1e-12)
    assert_allclose(whitener.whitening_, [[2.0280920, -0.1573974], [-0.1573974, 1.4772009]], rtol=0, atol=5e-8)


@pytest.mark.spec("LIN-G57", "LIN-151")
def test_condition_of_powers_and_of_orthogonal_polynomials():
    x = np.linspace(0, 1, 200)[:, None]
    powers = np.linalg.cond(PolynomialMap(100, include_bias=False).fit_transform(x))
    assert 1e17 < powers < 1e20
    assert_allclose(np.linalg.cond(PolynomialMap(10).fit_transform(x)), 2.19e7, rtol=5e-3)
    for basis in ("chebyshev", "legendre"):
        assert np.linalg.cond(PolynomialMap(100, basis=basis).fit_transform(x)) < 1e10


@pytest.mark.spec("LIN-G58", "LIN-151")
@pytest.mark.parametrize(
    ("degree", "expected", "half_units"),
    [(1, [4.52e-3, 3.76e-4, 2.193], [5e-6, 5e-7, 5e-4]), (10, [9.11e-6, 5.5e-3, 5.57e4], [5e-9, 5e-5, 50.0])],
)
def test_degree_ten_fits_the_noise(degree, expected, half_units):
    x = np.linspace(0, 1, 12)[:, None]
    y = 2 * x[:, 0] + 1 + 0.1 * np.random.default_rng(0).standard_normal(12)
    model = make_pipeline(PolynomialMap(degree), LinearRegression(fit_intercept=False, tol=1e-15)).fit(x, y)
    train = np.mean((model.predict(x) - y) ** 2)
    # Eleven nodes integrate the squared error to the truth, of degree at most 20, over [0, 1] exactly.
    nodes, weights = np.polynomial.legendre.leggauss(11)
    between = (nodes[:, None] + 1) / 2
    truth = weights / 2 @ (model.predict(between) - 2 * between[:, 0] - 1) ** 2
    found = [train, truth, np.linalg.norm(model[-1].coef_)]
    assert (np.abs(np.subtract(found, expected)) <= half_units).all()


PAIR_ERRORS = [
    ((), 1.3061224),
    ((0,), 1.8717380),
    ((1,), 1.8717380),
    ((2,), 0.8709403),
    ((0, 2), 1.2076616),
    ((1, 2), 1.2291073),
    ((0, 1), 0.0),
    ((0, 1, 2), 0.0),
]


@pytest.mark.spec("LIN-G59", "LIN-180")
@pytest.mark.parametrize("estimator", ["least_squares", LinearRegression()], ids=["word", "estimator"])
@pytest.mark.parametrize(("columns", "error"), PAIR_ERRORS)
def test_errors_of_all_subsets(estimator, columns, error):
    X, y = make_informative_pair(version="fixed")
    assert_allclose(subset_score(estimator, X, y, columns, cv=LeaveOneOut()), error, rtol=0, atol=5e-8)


@pytest.mark.spec("LIN-G59", "LIN-182", "LIN-183", "LIN-L40")
@pytest.mark.parametrize("estimator", ["least_squares", LinearRegression()], ids=["word", "estimator"])
def test_forward_misses_the_pair_that_backward_keeps(estimator):
    X, y = make_informative_pair(version="fixed")
    options = {"estimator": estimator, "cv": LeaveOneOut()}
    assert GreedySelector(**options).fit(X, y).get_support(indices=True).tolist() == [2]
    backward = GreedySelector(direction="backward", **options).fit(X, y)
    assert backward.get_support(indices=True).tolist() == [0, 1]
    on_pair = GreedySelector(direction="backward", **options).fit(X[:, :2], y)
    assert on_pair.support_.all()
    from_infinity = GreedySelector(direction="backward", start=np.inf, **options).fit(X[:, :2], y)
    assert from_infinity.support_.sum() == 1


def forward_by_rows(X, y):
    """The columns that forward search ends with, by least squares on the rows of each of ten consecutive folds."""
    folds = np.array_split(np.arange(len(y)), 10)

    def error(S):
        A, errors = np.column_stack([X[:, S], np.ones(len(y))]), []
        for test in folds:
            train = np.setdiff1d(np.arange(len(y)), test)
            w = np.linalg.lstsq(A[train], y[train], rcond=None)[0]
            errors.append(np.mean((y[test] - A[test] @ w) ** 2))
        return np.mean(errors)

    chosen, before = [], np.inf
    while len(chosen) < X.shape[1]:
        errors = {j: error([*chosen, j]) for j in range(X.shape[1]) if j not in chosen}
        best = min(errors, key=errors.get)
        if errors[best] > before:
            break
        chosen, before = [*chosen, best], errors[best]
    return chosen


@pytest.mark.spec("LIN-G60", "LIN-L40", "LIN-186")
def test_pair_in_thirty_random_samples():
    missed = []
    for seed in range(300):
        X, y = make_informative_pair(60, random_state=seed)
        forward = GreedySelector("least_squares", cv=10).fit(X, y)
        backward = GreedySelector("least_squares", direction="backward", cv=10).fit(X, y)
        missed.append(not forward.support_[:2].all())
        assert backward.get_support(indices=True).tolist() == [0, 1]
        if seed < 30:
            assert forward.order_.tolist() == forward_by_rows(X, y)
    # A sample is missed with probability 0.78, so of thirty 23.5 ± 2.3: the first thirty are no lucky draw.
    assert sum(missed[:30]) >= 20
    assert np.mean(missed) == pytest.approx(0.78, abs=0.05)
