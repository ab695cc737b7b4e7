"""Laws of random projections, hidden layers and extreme learning machines."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from gnomon.features import (
    ExtremeLearningClassifier,
    ExtremeLearningRegressor,
    RandomHiddenFeatures,
    RandomProjection,
    jl_distortion,
    johnson_lindenstrauss_min_dim,
)
from gnomon.features.extreme_learning import ALPHAS
from gnomon.linear import Ridge

KINDS = {
    "gaussian": {},
    "sparse": {"density": 1 / 3},
    "sign": {},
    "hadamard": {},
}
ACTIVATIONS = ["sigmoid", "tanh", "relu", "cos", "rbf"]


@pytest.fixture
def rng():
    return np.random.default_rng(17)


@pytest.mark.spec("UNS-L36", "UNS-097")
@pytest.mark.parametrize("kind", KINDS)
def test_squared_lengths_are_unbiased(kind, rng):
    x = rng.normal(size=(1, 13))
    m, draws = 8, 600
    ratios = [
        np.sum(RandomProjection(m, kind=kind, random_state=s, **KINDS[kind]).fit_transform(x) ** 2) / np.sum(x**2)
        for s in range(draws)
    ]
    # The variance of a Gaussian projection is 2/m; of the others it is no larger than that times the kurtosis.
    assert abs(np.mean(ratios) - 1.0) < 4.0 * np.sqrt(2.0 / m / draws) * (2.0 if kind == "sparse" else 1.0)
    if kind == "gaussian":
        assert np.var(ratios) == pytest.approx(2.0 / m, rel=0.25)


@pytest.mark.spec("UNS-L36", "UNS-098", "UNS-099")
@pytest.mark.parametrize("kind", KINDS)
def test_all_pairs_are_kept_with_the_number_of_directions_promised(kind, rng):
    X = rng.normal(size=(30, 2000)) * rng.exponential(size=2000)
    eps, delta = 0.5, 0.01
    m = int(johnson_lindenstrauss_min_dim(30, eps=eps, delta=delta))
    kept = [
        jl_distortion(X, RandomProjection(m, kind=kind, random_state=s, **KINDS[kind]).fit_transform(X)).share(eps)
        for s in range(5)
    ]
    assert kept == [1.0] * 5
    few = jl_distortion(X, RandomProjection(5, kind=kind, random_state=0, **KINDS[kind]).fit_transform(X))
    assert few.share(eps) < 0.9


@pytest.mark.spec("UNS-097")
def test_kinds_of_random_directions():
    X = np.eye(16)
    sign = RandomProjection(400, kind="sign", random_state=0).fit(X).components_.toarray()
    assert np.allclose(np.abs(sign), 1 / np.sqrt(400))
    q = 0.25
    default = RandomProjection(400, kind="sparse", random_state=0).fit(X)
    assert default.density_ == pytest.approx(q)
    R = default.components_.toarray()
    assert set(np.round(np.unique(np.abs(R)), 12)) == {0.0, round(1 / np.sqrt(q * 400), 12)}
    assert np.mean(R != 0) == pytest.approx(q, abs=0.02)
    # H of order 16 has orthogonal rows: with all of them the map is a rotation.
    Z = RandomProjection(16, kind="hadamard", random_state=0).fit_transform(X)
    assert pytest.approx(np.eye(16), abs=1e-12) == Z @ Z.T


@pytest.mark.spec("UNS-097")
@pytest.mark.parametrize("kind", KINDS)
def test_map_back_is_the_pseudo_inverse(kind, rng):
    X = rng.normal(size=(4, 11))
    few = RandomProjection(5, kind=kind, random_state=1, **KINDS[kind]).fit(X)
    Z = few.transform(X)
    # Of all rows with this image it is the shortest: mapping it again gives the image, and it is no longer than x.
    back = few.inverse_transform(Z)
    assert few.transform(back) == pytest.approx(Z, abs=1e-10)
    assert np.all(np.sum(back**2, axis=1) <= np.sum(X**2, axis=1) + 1e-12)
    many = RandomProjection(16, kind=kind, random_state=1, **KINDS[kind]).fit(X)
    assert many.inverse_transform(many.transform(X)) == pytest.approx(X, abs=1e-9)


@pytest.mark.spec("UNS-097", "UNS-110")
@pytest.mark.parametrize("kind", KINDS)
def test_sparse_rows_give_the_same_projection(kind, rng):
    X = rng.normal(size=(6, 20)) * (rng.random((6, 20)) < 0.3)
    dense = RandomProjection(3, kind=kind, random_state=0, **KINDS[kind]).fit_transform(X)
    given = RandomProjection(3, kind=kind, random_state=0, **KINDS[kind]).fit_transform(sparse.csr_matrix(X))
    assert (given.toarray() if sparse.issparse(given) else given) == pytest.approx(dense, abs=1e-12)


@pytest.mark.spec("UNS-098")
def test_directions_that_reduce_nothing_are_said():
    with pytest.warns(UserWarning, match="no reduction"):
        model = RandomProjection(eps=0.5, random_state=0).fit(np.eye(5))
    assert model.n_components_ == johnson_lindenstrauss_min_dim(5, eps=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RandomProjection(eps=0.9, random_state=0).fit(np.eye(3, 1000))
    for eps in (0.0, 1.0, -1.0, np.nan):
        with pytest.raises(ValueError, match="eps"):
            johnson_lindenstrauss_min_dim(10, eps=eps)
    with pytest.raises(ValueError, match="n_samples"):
        johnson_lindenstrauss_min_dim(0)
    for options, name in [({"density": 0.5}, "density"), ({"n_components": 2, "delta": 0.1}, "delta")]:
        with pytest.raises(ValueError, match=name):
            RandomProjection(**options).fit(np.eye(3))
    with pytest.raises(ValueError, match="Hadamard"):
        RandomProjection(9, kind="hadamard").fit(np.eye(8))


@pytest.mark.spec("UNS-099")
def test_distortion_compares_pairs():
    X = np.array([[0.0], [1.0], [3.0], [3.0]])
    assert jl_distortion(X, 2 * X).ratios.tolist() == [4.0] * 5
    drawn = jl_distortion(np.arange(100.0)[:, None], np.arange(100.0)[:, None], n_pairs=7, random_state=0)
    assert drawn.ratios.tolist() == [1.0] * 7
    for X, Z, said in [
        (np.eye(2), np.eye(3), "rows"),
        (np.eye(1), np.eye(1), "two"),
        (np.ones((2, 1)),) * 2 + ("equal",),
    ]:
        with pytest.raises(ValueError, match=said):
            jl_distortion(X, Z)


@pytest.mark.spec("UNS-106")
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_units_are_those_of_the_formula(activation, rng):
    X = rng.normal(size=(9, 3)) * [1.0, 1e-6, 1e9] + [0.0, 5.0, -1e12]
    model = RandomHiddenFeatures(4, activation=activation, scale=0.7, random_state=0).fit(X)
    A, b = model.layer_.weights, model.layer_.bias
    x = (X - X.mean(axis=0)) / X.std(axis=0)
    z = x @ A + b
    squares = np.sum((x[:, :, None] - A) ** 2, axis=1)
    expected = {
        "sigmoid": 1 / (1 + np.exp(-z)),
        "tanh": np.tanh(z),
        "relu": np.maximum(z, 0),
        "cos": np.cos(z),
        "rbf": np.exp(-squares / (2 * 0.7**2 * 3)),
    }[activation]
    assert model.transform(X) == pytest.approx(expected, abs=1e-6)
    rows = sparse.csr_matrix(rng.normal(size=(9, 3)))
    both = RandomHiddenFeatures(4, activation=activation, random_state=0).fit(rows.toarray())
    assert both.transform(rows) == pytest.approx(both.transform(rows.toarray()), abs=1e-12)


@pytest.mark.spec("UNS-106")
def test_laws_of_the_weights():
    uniform = RandomHiddenFeatures(5000, scale=2.0, random_state=0).fit(np.eye(2)).layer_.weights
    assert np.all(np.abs(uniform) < 2.0)
    assert np.std(uniform) == pytest.approx(2.0 / np.sqrt(3), rel=0.02)
    normal = RandomHiddenFeatures(5000, weights="normal", random_state=0).fit(np.eye(2)).layer_.weights
    assert np.std(normal) == pytest.approx(1.0, rel=0.02)
    assert np.max(normal) > 3.0


@pytest.mark.spec("UNS-L40", "UNS-107")
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("n", [40, 9])
def test_it_is_ridge_on_the_hidden_features(n, intercept, rng):
    X, Y = rng.normal(size=(n, 3)), rng.normal(size=(n, 2))
    s = rng.integers(1, 4, size=n).astype(float)
    model = ExtremeLearningRegressor(20, 0.1, fit_intercept=intercept, random_state=3).fit(X, Y, s)
    # Primal for many rows, dual for few.
    assert model.solver_ == ("cholesky" if n > 20 else "dual")
    H = model.layer_.outputs(X)
    peer = Ridge(0.1, fit_intercept=intercept, solver="svd").fit(H, Y, sample_weight=s)
    assert pytest.approx(peer.coef_, abs=1e-9) == model.coef_.T
    assert model.predict(X) == pytest.approx(peer.predict(H), abs=1e-9)
    plain = RandomHiddenFeatures(20, random_state=3).fit(X)
    unweighted = ExtremeLearningRegressor(20, 0.1, random_state=3).fit(X, Y)
    assert unweighted.layer_.outputs(X) == pytest.approx(plain.transform(X), abs=0)


@pytest.mark.spec("UNS-L40", "UNS-107")
def test_chunks_are_the_batch_and_square_layers_interpolate(rng):
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    chunks = ExtremeLearningRegressor(15, 0.01, standardize=False, random_state=0)
    for part in np.array_split(np.arange(60), 4):
        chunks.partial_fit(X[part], y[part])
    batch = ExtremeLearningRegressor(15, 0.01, standardize=False, random_state=0).fit(X, y)
    assert chunks.coef_ == pytest.approx(batch.coef_, rel=1e-6, abs=1e-6)
    assert chunks.objective_ == pytest.approx(batch.objective_, rel=1e-8)
    labels = np.digitize(y, [-0.4, 0.4])
    classifier = ExtremeLearningClassifier(15, 0.01, standardize=False, random_state=0)
    for part in np.array_split(np.arange(60), 4):
        classifier.partial_fit(X[part], labels[part], classes=[0, 1, 2])
    whole = ExtremeLearningClassifier(15, 0.01, standardize=False, random_state=0).fit(X, labels)
    assert classifier.decision_function(X) == pytest.approx(whole.decision_function(X), abs=1e-7)
    square = ExtremeLearningRegressor(10, 0.0, scale=4.0, fit_intercept=False, random_state=0).fit(X[:10], y[:10])
    assert square.predict(X[:10]) == pytest.approx(y[:10], abs=1e-6)
    # More units than rows: of all interpolants the shortest.
    wide = ExtremeLearningRegressor(40, 0.0, scale=4.0, fit_intercept=False, random_state=0).fit(X[:10], y[:10])
    H = wide.layer_.outputs(X[:10])
    assert wide.coef_[:, 0] == pytest.approx(np.linalg.pinv(H) @ y[:10], abs=1e-6)


@pytest.mark.spec("UNS-107")
def test_strength_by_leave_one_out_is_that_of_refits(rng):
    X = rng.uniform(-2, 2, size=(25, 1))
    y = np.sin(3 * X[:, 0]) + 0.3 * rng.normal(size=25)
    model = ExtremeLearningRegressor(12, "loo", scale=3.0, random_state=0).fit(X, y)
    H = model.layer_.outputs(X)

    def error(alpha):
        left_out = [
            y[i] - Ridge(alpha).fit(np.delete(H, i, 0), np.delete(y, i)).predict(H[[i]])[0] for i in range(len(y))
        ]
        return np.sum(np.square(left_out))

    least = error(model.alpha_)
    assert least < error(model.alpha_ * 4) + 1e-9
    assert least < error(model.alpha_ / 4) + 1e-9
    with pytest.raises(ValueError, match="loo"):
        model.partial_fit(X, y)


@pytest.mark.spec("UNS-107")
def test_classes_in_chunks_are_checked(rng):
    X = rng.normal(size=(6, 2))
    with pytest.raises(ValueError, match="first call"):
        ExtremeLearningClassifier().partial_fit(X, [0, 1] * 3)
    model = ExtremeLearningClassifier(5, random_state=0).partial_fit(X, [0, 1] * 3, classes=[0, 1])
    with pytest.raises(ValueError, match="differ"):
        model.partial_fit(X, [0, 1] * 3, classes=[0, 2])
    assert model.partial_fit(X, [1, 0] * 3).sums_.weight == 12


@pytest.mark.spec("UNS-099")
def test_pairs_that_are_drawn_are_pairs_of_different_rows():
    X = np.random.default_rng(0).normal(size=(6, 3))
    drawn = jl_distortion(X, 2.0 * X, n_pairs=14, random_state=0).ratios
    assert drawn == pytest.approx(np.full(14, 4.0))
    assert len(jl_distortion(X, X, n_pairs=15).ratios) == len(jl_distortion(X, X, n_pairs=None).ratios) == 15


@pytest.mark.spec("UNS-107")
def test_the_strength_with_the_least_error_of_rows_left_out():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(25, 2))
    y = np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=25)
    options = {"n_hidden": 12, "random_state": 0}
    found = ExtremeLearningRegressor(alpha="loo", **options).fit(X, y)

    def left_out(alpha):
        H = found.layer_.outputs(X)
        errors = []
        for i in range(25):
            keep = np.arange(25) != i
            centre, level = H[keep].mean(axis=0), y[keep].mean()
            A = H[keep] - centre
            beta = np.linalg.solve(A.T @ A + alpha * np.eye(12), A.T @ (y[keep] - level))
            errors.append(y[i] - level - (H[i] - centre) @ beta)
        return np.sum(np.square(errors))

    H = found.layer_.outputs(X)
    grid = np.mean(np.sum((H - H.mean(axis=0)) ** 2, axis=0)) * ALPHAS
    assert found.alpha_ == pytest.approx(grid[np.argmin([left_out(alpha) for alpha in grid])])
