"""Laws of matrix factorisations: no update raises the objective, factors obey, and named cases are found again."""

import itertools
import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import subspace_angles
from scipy.optimize import nnls
from sklearn.exceptions import ConvergenceWarning

from gnomon.decomposition import NMF, PCA, DictionaryLearning, MatrixFactorization
from gnomon.optim import Factors, beta_divergence, factorize, half_square
from gnomon.optim.factor_rows import descend
from gnomon.optim.factors import (
    AtMost,
    Constraint,
    Free,
    NonNegative,
    OneHot,
    Orthonormal,
    Proximal,
    Simplex,
    Support,
    UnitBall,
    as_constraint,
)
from gnomon.penalties import L1, L2

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 8)) + 0.5
MASK = RNG.random(size=(3, 8)) < 0.6
MASK[:, 0] = True


def obeys_ball(F):
    return np.all(np.linalg.norm(F, axis=0) <= 1.0 + 1e-12)


LEFT = {
    "free": (Free(), lambda F: True),
    "ridge": (L2(0.3), lambda F: True),
    "non-negative": (NonNegative(), lambda F: np.all(F >= 0.0)),
    "elastic": (NonNegative(l1=0.2, l2=0.1), lambda F: np.all(F >= 0.0)),
    "lasso": (L1(0.3), lambda F: np.any(F == 0.0)),
    "one hot": (OneHot(), lambda F: np.all(np.sort(F, axis=1) == [0.0, 0.0, 1.0])),
    "simplex": (Simplex(), lambda F: np.all(F >= 0.0) and np.allclose(F.sum(axis=1), 1.0)),
    "at most two": (AtMost(2), lambda F: np.all(np.sum(F != 0.0, axis=1) <= 2)),
    "orthonormal": (Orthonormal(), lambda F: np.allclose(F.T @ F, np.eye(3))),
    "box": (Proximal(lambda F, step: np.clip(F, -0.5, 0.5)), lambda F: np.all(np.abs(F) <= 0.5)),
}
RIGHT = {
    "free": (Free(), lambda F: True),
    "unit ball": (UnitBall(), obeys_ball),
    "non-negative": (NonNegative(), lambda F: np.all(F >= 0.0)),
    "pattern": (Support(MASK), lambda F: np.all(F.T[~MASK] == 0.0)),
    "orthonormal": (Orthonormal(), lambda F: np.allclose(F.T @ F, np.eye(3))),
}


@pytest.mark.spec("UNS-L35", "UNS-091", "UNS-092")
@pytest.mark.parametrize(("left", "right"), [*itertools.product(LEFT, RIGHT)])
def test_no_update_raises_the_objective_and_factors_obey(left, right):
    (a, obeys_left), (b, obeys_right) = LEFT[left], RIGHT[right]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = MatrixFactorization(3, left=a, right=b, random_state=0, max_iter=60).fit(X)
    objective = found.history_["objective"]
    assert np.all(np.diff(objective) <= 1e-9 * objective[0])
    assert obeys_left(found.codes_)
    assert obeys_right(found.components_.T)
    rest = as_constraint(a).value(found.codes_) + as_constraint(b).value(found.components_.T)
    error = 0.5 * np.sum((X - found.codes_ @ found.components_) ** 2)
    assert found.objective_ == pytest.approx(error + rest)
    assert found.reconstruction_err_ == pytest.approx(np.sqrt(2 * error))
    # Codes of rows with H fixed obey too, and are as good. "Orthonormal" is no law of single rows, and "at most two"
    # has many local minima.
    if left not in ("orthonormal", "at most two"):
        Z = found.transform(X)
        assert obeys_left(Z) or left == "lasso"
        assert half_square(X, Z, found.components_) + as_constraint(a).value(Z) <= found.objective_ * (1 + 1e-6)


@pytest.mark.spec("UNS-L35", "UNS-091")
def test_named_models_are_cases():
    pca = MatrixFactorization(2, right=Orthonormal(), init="random", random_state=0, tol=1e-13).fit(X)
    uncentred = PCA(2, center=False).fit(X)
    assert np.max(subspace_angles(pca.components_.T, uncentred.components_.T)) < 1e-4
    best = uncentred.reconstruction_error(X, reduction="sum")
    assert 2 * pca.objective_ == pytest.approx(best, rel=1e-8)
    # Every assignment of eight rows to two groups, and the best of ten starts.
    few = X[:8]
    costs = []
    for labels in itertools.product((0, 1), repeat=8):
        groups = [few[np.array(labels) == k] for k in (0, 1)]
        costs.append(sum(np.sum((g - g.mean(axis=0)) ** 2) for g in groups if len(g)))
    groups = MatrixFactorization(2, left=OneHot(), init="kmeans", n_init=10, random_state=0).fit(few)
    assert 2 * groups.objective_ == pytest.approx(min(costs))
    assert np.min(groups.restarts_) == pytest.approx(groups.objective_)
    # Constraints only raise the cost.
    assert 2 * groups.objective_ >= PCA(2, center=False).fit(few).reconstruction_error(few, reduction="sum")
    assert not np.any(MatrixFactorization(2, left=L1(1e6), random_state=0).fit(X).codes_)


@pytest.mark.spec("UNS-096")
def test_cells_that_are_missing():
    rng = np.random.default_rng(1)
    truth = rng.normal(size=(40, 2)) @ rng.normal(size=(2, 10))
    known = rng.random(size=truth.shape) < 0.6
    holes = np.where(known, truth, np.nan)
    found = MatrixFactorization(2, random_state=0, tol=1e-14, max_iter=20_000).fit(holes, mask=known)
    np.testing.assert_allclose(found.codes_ @ found.components_, truth, atol=1e-3)
    assert np.all(np.diff(found.history_["objective"]) <= 1e-12)
    # What stands in a cell of weight 0 does not matter; a weight of all ones is no mask.
    other = np.where(known, truth, 1e6)
    again = MatrixFactorization(2, random_state=0, tol=1e-14, max_iter=20_000).fit(other, mask=known)
    np.testing.assert_allclose(again.components_, found.components_)
    plain = MatrixFactorization(2, random_state=0).fit(truth).components_
    np.testing.assert_allclose(
        MatrixFactorization(2, random_state=0).fit(truth, mask=np.ones_like(truth)).components_, plain, rtol=1e-6
    )
    # Cells count by their weights.
    weights = rng.random(size=truth.shape)
    noisy = truth + rng.normal(size=truth.shape)
    found = MatrixFactorization(2, random_state=0, tol=1e-13, max_iter=20_000).fit(noisy, mask=weights)
    off = weights * (noisy - found.codes_ @ found.components_)
    assert found.objective_ == pytest.approx(0.5 * np.sum(off**2 / weights))
    assert found.objective_ == pytest.approx(found.history_["objective"][-1])
    assert np.abs(off @ found.components_.T).max() < 1e-3 * np.abs((weights * noisy) @ found.components_.T).max()
    with pytest.raises(ValueError, match="known"):
        MatrixFactorization(2).fit(holes, mask=np.ones_like(truth))
    with pytest.raises(ValueError, match=r"weights in \[0, 1\]"):
        MatrixFactorization(2).fit(truth, mask=2.0 * known)


@pytest.mark.spec("UNS-093")
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_non_negative_parts(kind):
    rng = np.random.default_rng(0)
    parts = np.abs(rng.normal(size=(50, 3))) @ np.abs(rng.normal(size=(3, 12)))
    model = NMF(3, tol=1e-7, max_iter=2000)
    W = model.fit_transform(kind(parts))
    assert np.all(W >= 0.0)
    assert np.all(model.components_ >= 0.0)
    assert np.all(np.diff(model.history_["objective"]) <= 1e-9 * model.history_["objective"][0])
    np.testing.assert_allclose(W @ model.components_, parts, atol=0.05 * parts.max())
    # Codes of rows are non-negative least squares.
    model.set_params(tol=1e-12)
    for row, code in zip(parts[:5], model.transform(kind(parts[:5])), strict=True):
        np.testing.assert_allclose(code, nnls(model.components_.T, row)[0], atol=1e-4)
    scaled = NMF(3, normalize="rows", tol=1e-7, max_iter=2000)
    codes = scaled.fit_transform(kind(parts))
    np.testing.assert_allclose(scaled.components_.sum(axis=1), 1.0)
    np.testing.assert_allclose(codes @ scaled.components_, W @ model.components_, atol=1e-6)
    np.testing.assert_allclose(scaled.transform(kind(parts)), codes, atol=1e-2 * codes.max())
    sparser = NMF(3, alpha_W=1.0, l1_ratio=1.0, max_iter=5000).fit_transform(kind(parts))
    assert np.mean(sparser == 0.0) > np.mean(W == 0.0)


@pytest.mark.spec("UNS-093")
@pytest.mark.parametrize(
    "prices", [{"alpha_W": 0.02}, {"alpha_W": 0.02, "alpha_H": 0.01, "l1_ratio": 0.5}, {"alpha_H": 0.1}]
)
@pytest.mark.parametrize("loss", [{}, {"solver": "mu"}, {"solver": "mu", "beta_loss": "kullback-leibler"}])
def test_scaled_patterns_with_a_price_belong_to_their_codes(prices, loss):
    """The codes are those of `transform`, and the objective is (1) of what is returned."""
    parts = np.abs(RNG.normal(size=(40, 4))) @ np.abs(RNG.normal(size=(4, 15))) + 0.1
    model = NMF(3, normalize="rows", max_iter=5000, **{"alpha_W": 0.0, **prices}, **loss)
    W = model.fit_transform(parts)
    H, rho = model.components_, prices.get("l1_ratio", 0.0)
    np.testing.assert_allclose(H.sum(axis=1), 1.0)
    np.testing.assert_allclose(model.transform(parts), W, rtol=1e-9, atol=1e-12)
    fit = beta_divergence(parts, W, H, 1.0 if "beta_loss" in loss else 2.0)
    a, b = model.alpha_W, model.alpha_W if model.alpha_H == "same" else model.alpha_H
    price = [size * np.sum(rho * F + 0.5 * (1 - rho) * F**2) for size, F in [(15 * a, W), (40 * b, H)]]
    assert model.objective_ == pytest.approx(fit + sum(price), rel=1e-9)
    assert model.reconstruction_err_ == pytest.approx(np.sqrt(2.0 * fit), rel=1e-9)


@pytest.mark.spec("UNS-093")
@pytest.mark.parametrize(
    ("options", "change", "message"),
    [
        ({}, -1.0, "Negative values"),
        ({"beta_loss": "kullback-leibler"}, 0.0, "solver='mu'"),
        ({"beta_loss": "itakura-saito", "solver": "mu"}, 0.0, "contains zeros"),
        ({"init": "custom"}, 0.0, "needs W of shape"),
        ({"n_components": 9, "init": "nndsvd"}, 0.0, "n_components=9"),
    ],
)
def test_what_a_non_negative_factorisation_refuses(options, change, message):
    table = np.abs(RNG.normal(size=(6, 4)))
    table[0, 0] = change
    with pytest.raises(ValueError, match=message):
        NMF(**{"n_components": 2, **options}).fit(table)


@pytest.mark.spec("UNS-092", "UNS-L35")
@pytest.mark.parametrize("constraint", [NonNegative(), NonNegative(l1=0.3, l2=0.2), NonNegative(l1=0.3, lower=-np.inf)])
def test_rows_of_a_factor_are_updated_as_if_alone(constraint):
    rng = np.random.default_rng(4)
    for m in (1, 3, 4, 9):
        A = rng.normal(size=(m, 12)) + 0.5
        G, B, F = A @ A.T, rng.normal(size=(150, 12)) @ A.T, np.abs(rng.normal(size=(150, m)))
        args = (constraint.l1, constraint.l2, constraint.lower, 40, 0.0)
        together, alone = F.copy(), F.copy()
        off = descend(together, G, B, *args)
        each = [descend(alone[i : i + 1], G, B[i : i + 1], *args) for i in range(150)]
        np.testing.assert_allclose(together, alone, atol=1e-12)
        assert off == pytest.approx(sum(each))
        # What the violations of the first sweep of one coordinate are, by the slope.
        if m == 1:
            slope = F * (G[0, 0] + constraint.l2) - B + constraint.l1
            assert off == pytest.approx(np.sum(np.abs(slope)))
    # A pattern that nothing uses loses its codes where they cost something, and keeps them where they do not.
    idle = np.ones((70, 2))
    descend(idle, np.diag([1.0, 0.0]), np.tile([2.0, 0.0], (70, 1)), *args)
    assert np.all(idle[:, 1] == (0.0 if constraint.l1 else 1.0))


@pytest.mark.spec("UNS-L35", "UNS-093")
def test_rounds_go_beyond_the_last_updates_and_never_up():
    rng = np.random.default_rng(6)
    table = rng.gamma(0.5, size=(120, 6)) @ rng.gamma(0.5, size=(6, 30)) * rng.uniform(0.5, 1.5, size=(120, 30))
    start = Factors(rng.random((120, 6)), rng.random((6, 30)))

    class Plain(NonNegative):
        def beyond(self, F, before, beta):
            return F

    sides = {kind: (kind(), kind()) for kind in (NonNegative, Plain)}
    slow, fast = (factorize(table, start, *sides[kind], tol=1e-9, max_iter=3000) for kind in (Plain, NonNegative))
    assert np.all(np.diff(fast.history["objective"]) <= 0.0)
    reached = np.argmax(fast.history["objective"] <= slow.objective * (1.0 + 1e-4))
    assert 0 < reached < 0.7 * slow.n_iter
    value = half_square(table, *fast.w)
    assert fast.objective == pytest.approx(value, rel=1e-10)
    F, before = np.array([[0.0, 1.0, 0.2]]), np.array([[0.5, 0.5, 1.0]])
    np.testing.assert_allclose(NonNegative().beyond(F, before, 0.5), [[0.0, 1.25, 0.0]])
    assert NonNegative(lower=-np.inf).beyond(F, before, 0.5) is F


def test_a_constraint_that_raises_the_objective_is_caught():
    class Wrong(Constraint):
        def update(self, F, G, B):
            return F + 1.0

    with pytest.raises(ArithmeticError, match="must not"):
        factorize(X, Factors(np.zeros((30, 2)), np.zeros((2, 8))), Wrong(), Wrong())


@pytest.mark.spec("UNS-L35", "UNS-093", "UNS-094", "UNS-091")
@pytest.mark.parametrize("unit", [1e-100, 1e-20, 1e-3, 1e20, 1e100])
def test_factors_are_as_good_in_any_unit(unit):
    """½ ‖X − ZH‖² is a square of the unit of X, and what is small is small in that unit."""
    rng = np.random.default_rng(8)
    X = rng.gamma(0.5, size=(40, 3)) @ rng.gamma(0.5, size=(3, 6)) + 0.1 * rng.random((40, 6))
    for make in (
        lambda s: NMF(2, tol=1e-5, max_iter=2000),
        lambda s: NMF(2, init="random", random_state=0, tol=1e-5, max_iter=2000),
        lambda s: NMF(2, solver="mu", tol=1e-5, max_iter=5000),
        lambda s: MatrixFactorization(2, left=NonNegative(), tol=1e-8, max_iter=2000, random_state=0),
    ):
        plain, other = make(1.0).fit(X), make(unit).fit(unit * X)
        assert other.reconstruction_err_ / unit == pytest.approx(plain.reconstruction_err_, rel=1e-2)
    plain, other = (DictionaryLearning(3, alpha=0.1 * s, max_iter=300).fit(s * X) for s in (1.0, unit))
    assert other.objective_ / unit / unit == pytest.approx(plain.objective_, rel=1e-3)
