"""Laws of losses: derivatives, conjugates, proximal steps, bounds, and the identities between them."""

import pickle

import numpy as np
import pytest

from gnomon._jit import compiled, jit
from gnomon.losses import (
    AbsoluteLoss,
    BinaryCrossEntropy,
    CallableLoss,
    ExponentialLoss,
    HingeLoss,
    LogisticLoss,
    LpLoss,
    MaxLoss,
    MulticlassHinge,
    OneVsRestCrossEntropy,
    PerceptronLoss,
    PinballLoss,
    SoftmaxLoss,
    SquaredHingeLoss,
    SquaredLoss,
    TwoTermCrossEntropy,
    Weighted,
    ZeroOneLoss,
    class_risks,
)
from gnomon.numerics.design import Design
from gnomon.numerics.special import sigmoid
from gnomon.optim import Problem, fit_linear
from gnomon.penalties import L2, NoPenalty

Z = np.linspace(-4.0, 4.0, 33) + 0.0123
SCALAR = [
    SquaredLoss(),
    SquaredLoss(half=True),
    AbsoluteLoss(),
    LpLoss(1.0),
    LpLoss(1.5),
    LpLoss(4.0),
    PinballLoss(3.0, 1.0),
    LogisticLoss(),
    BinaryCrossEntropy(),
    ExponentialLoss(),
    Weighted(LogisticLoss(), (2.0, 0.5)),
    Weighted(HingeLoss(), (1.0, 3.0)),
    Weighted(BinaryCrossEntropy(), (1.0, 4.0)),
]
VECTOR = [
    OneVsRestCrossEntropy(),
    TwoTermCrossEntropy(),
    MulticlassHinge(),
    Weighted(SoftmaxLoss(), (1.0, 2.0, 3.0)),
    Weighted(MulticlassHinge(), (1.0, 2.0, 3.0)),
]
TARGETS = {"real": (-1.3, 0.0, 2.0), "sign": (-1.0, 1.0), "unit": (0.0, 0.3, 1.0)}
CASES = [pytest.param(loss, y, id=f"{loss}-{y}") for loss in SCALAR for y in TARGETS[loss.targets]]


def difference(f, z, h=1e-6):
    return (f(z + h) - f(z - h)) / (2.0 * h)


@pytest.mark.spec("LIN-001", "LIN-002", "LIN-004", "LIN-009", "LIN-010", "LIN-015", "LIN-016", "LIN-L03")
@pytest.mark.parametrize(("loss", "y"), CASES)
def test_gradient_and_curvature_are_derivatives(loss, y):
    np.testing.assert_allclose(loss.gradient(y, Z), difference(lambda z: loss.value(y, z), Z), rtol=1e-6, atol=1e-8)
    if not isinstance(loss, Weighted) or loss.smooth:
        slope = difference(lambda z: loss.gradient(y, z), Z)
        np.testing.assert_allclose(loss.curvature(y, Z), slope, rtol=1e-5, atol=1e-8)
        assert np.all(loss.curvature(y, Z) <= loss.smoothness * (1.0 + 1e-12))


@pytest.mark.spec("LIN-001", "LIN-002", "LIN-004", "LIN-009", "LIN-010", "LIN-015", "LIN-016")
@pytest.mark.parametrize(("loss", "y"), CASES)
def test_fenchel_young(loss, y):
    """ℓ(z) + ℓ*(u) ≥ u z, with equality at u = ℓ'(z)."""
    u = loss.gradient(y, Z)
    np.testing.assert_allclose(loss.value(y, Z) + loss.conjugate(y, u), u * Z, rtol=1e-9, atol=1e-9)
    others = np.random.default_rng(0).normal(size=(50, 1))
    assert np.all(loss.value(y, Z) + loss.conjugate(y, others) >= others * Z - 1e-9)


def assert_no_better(f, found, grid):
    assert f(found) <= np.min(f(grid)) + 1e-12


def without_prox(loss):
    inner = loss.loss if isinstance(loss, Weighted) else loss
    return type(inner).prox is LogisticLoss.prox


@pytest.mark.spec("LIN-001", "LIN-002", "LIN-004", "LIN-015")
@pytest.mark.parametrize(("loss", "y"), [case for case in CASES if not without_prox(case.values[0])])
def test_prox_is_the_minimiser(loss, y):
    for z in (-2.0, 0.1, 3.0):
        for step in (0.2, 1.5):
            found = float(loss.prox(y, z, step))
            grid = found + np.linspace(-3.0, 3.0, 60001)
            assert_no_better(lambda v, y=y, z=z, t=step: 0.5 * (v - z) ** 2 + t * loss.value(y, v), found, grid)


def test_a_loss_without_a_closed_prox_says_so():
    with pytest.raises(NotImplementedError, match="LogisticLoss has no closed proximal step"):
        LogisticLoss().prox(1.0, 0.0, 1.0)


@pytest.mark.spec("LIN-001")
def test_residuals_and_the_gradient_of_the_objective():
    rng = np.random.default_rng(0)
    X, y, w = rng.normal(size=(7, 3)), rng.normal(size=7), rng.normal(size=3)
    problem = Problem(Design(X, intercept="none"), y, SquaredLoss(), NoPenalty(), np.ones(7))
    r = SquaredLoss().residual(y, X @ w)
    value, gradient = problem.value_and_gradient(w)
    np.testing.assert_allclose(r, y - X @ w)
    np.testing.assert_allclose(value, r @ r)
    np.testing.assert_allclose(gradient, 2.0 * X.T @ (X @ w - y))
    np.testing.assert_allclose(SquaredLoss(half=True).gradient(y, X @ w), X @ w - y)


@pytest.mark.spec("LIN-002", "LIN-L01")
def test_powers_are_convex_from_one_on():
    a, b = np.array([0.1, 1.0]), np.array([2.0, 0.3])
    for p, convex in ((0.5, False), (1.0, True), (1.5, True), (2.0, True), (4.0, True)):
        loss = LpLoss(p)
        chord = 0.5 * (loss.value(0.0, a) + loss.value(0.0, b)) - loss.value(0.0, 0.5 * (a + b))
        assert loss.convex is convex
        assert np.all(chord >= -1e-15) == convex
        assert loss.gradient(1.0, 1.0) == 0.0
    assert LpLoss(2.0).smooth
    assert not LpLoss(1.5).smooth
    assert LpLoss(1.5).curvature(1.0, 1.0) == np.inf
    assert LpLoss(0.5).conjugate(0.0, 0.1) == np.inf
    with pytest.raises(ValueError, match=r"p=0\.0 must be > 0"):
        LpLoss(0.0)


@pytest.mark.spec("LIN-003")
def test_largest_residual_is_not_a_sum_and_solvers_refuse_it():
    y, z = np.array([0.0, 1.0, -5.0]), np.array([1.0, 1.0, -2.0])
    assert MaxLoss().value(y, z) == 3.0
    np.testing.assert_array_equal(MaxLoss().gradient(y, z), [0.0, 0.0, 1.0])
    rng = np.random.default_rng(0)
    for _ in range(20):
        other = rng.normal(size=3)
        assert MaxLoss().value(y, other) >= 3.0 + MaxLoss().gradient(y, z) @ (other - z) - 1e-12
    with pytest.raises(ValueError, match="no solver can minimise loss=MaxLoss"):
        fit_linear(Design(np.ones((3, 1))), y, MaxLoss())
    with pytest.raises(ValueError, match="needs a loss that is a sum over rows"):
        fit_linear(Design(np.ones((3, 1))), y, MaxLoss(), solver="lbfgs")


@pytest.mark.spec("LIN-004")
@pytest.mark.parametrize(("c1", "c2"), [(3.0, 1.0), (1.0, 1.0), (1.0, 9.0)])
def test_best_constant_of_pinball_is_the_quantile(c1, c2):
    y = np.sort(np.random.default_rng(1).exponential(size=200))
    costs = [np.sum(PinballLoss(c1, c2).value(y, c)) for c in y]
    level = PinballLoss(c1, c2).level
    assert level == pytest.approx(c1 / (c1 + c2))
    assert abs((np.argmin(costs) + 1) / 200 - level) <= 1.01 / 200
    with pytest.raises(ValueError, match="must be ≥ 0"):
        PinballLoss(-1.0, 1.0)


@pytest.mark.spec("LIN-005", "LIN-L02")
def test_zero_one_loss_evaluates_and_is_bounded_by_the_logistic():
    z = np.linspace(-5.0, 5.0, 1001)
    for y in (-1.0, 1.0):
        errors = ZeroOneLoss().value(y, z)
        assert set(errors) == {0.0, 1.0}
        assert np.all(LogisticLoss().value(y, z) / np.log(2.0) >= errors - 1e-15)
        assert np.count_nonzero(difference(lambda v, y=y: ZeroOneLoss().value(y, v), z)) <= 1
    np.testing.assert_array_equal(ZeroOneLoss().value(np.array([1.0, -1.0]), np.zeros(2)), [1.0, 0.0])
    with pytest.raises(NotImplementedError, match="surrogate"):
        ZeroOneLoss().gradient(1.0, 0.0)
    for solver in ("auto", "lbfgs", "cd"):
        with pytest.raises(ValueError, match="ZeroOneLoss"):
            fit_linear(Design(np.ones((2, 1))), np.array([1.0, -1.0]), ZeroOneLoss(), solver=solver)


@pytest.mark.spec("LIN-009", "LIN-010", "LIN-L03")
def test_logistic_is_cross_entropy_and_sigmoid_is_odd():
    z = np.linspace(-700.0, 700.0, 2801)
    for y in (-1.0, 1.0):
        coded = BinaryCrossEntropy().value((y + 1.0) / 2.0, z)
        np.testing.assert_allclose(LogisticLoss().value(y, z), coded, rtol=1e-15, atol=1e-15)
        np.testing.assert_allclose(
            LogisticLoss().gradient(y, z), BinaryCrossEntropy().gradient((y + 1.0) / 2.0, z), rtol=1e-15, atol=1e-15
        )
        np.testing.assert_allclose(LogisticLoss().gradient(y, z), -y * sigmoid(-y * z), rtol=1e-15)
    np.testing.assert_allclose(sigmoid(-z), 1.0 - sigmoid(z), atol=1e-15)
    p = sigmoid(z[np.abs(z) < 30.0])
    np.testing.assert_allclose(
        BinaryCrossEntropy().value(0.3, z[np.abs(z) < 30.0]), -0.3 * np.log(p) - 0.7 * np.log1p(-p), rtol=1e-3
    )


@pytest.mark.spec("LIN-009", "LIN-L04")
def test_tails_of_the_logistic_loss():
    assert LogisticLoss().value(1.0, 30.0) * np.exp(30.0) == pytest.approx(1.0, abs=1e-12)
    assert LogisticLoss().value(1.0, -1e4) / 1e4 == pytest.approx(1.0)
    assert LogisticLoss().value(1.0, 1000.0) == 0.0
    assert LogisticLoss().value(1.0, -1000.0) == 1000.0
    # Solvers take all three at once, by another formula.
    z = np.array([-1e4, -1000.0, -30.0, -1.0, 0.0, 1.0, 30.0, 1000.0, 1e4])
    for y in (1.0, -1.0):
        value, gradient, curvature = LogisticLoss().value_gradient_curvature(y, z)
        np.testing.assert_allclose(value, LogisticLoss().value(y, z), rtol=1e-14)
        np.testing.assert_allclose(gradient, LogisticLoss().gradient(y, z), rtol=1e-14)
        np.testing.assert_allclose(curvature, LogisticLoss().curvature(y, z), rtol=1e-14)


@pytest.mark.spec("LIN-L04")
@pytest.mark.parametrize("loss", [*SCALAR, *VECTOR], ids=repr)
def test_no_overflow_at_large_margins(loss):
    for size in (1e4, -1e4):
        y, z = (np.array([0, 1]), np.array([[size, 0.0, -size], [0.0, size, size]]))
        if loss.targets != "index":
            y, z = np.array(TARGETS[loss.targets]), np.full(len(TARGETS[loss.targets]), size)
        with np.errstate(all="raise", under="ignore"):
            assert np.all(np.isfinite(loss.value(y, z)))
            assert np.all(np.isfinite(loss.gradient(y, z)))


@pytest.mark.spec("LIN-012", "LIN-013", "LIN-014", "LIN-016")
@pytest.mark.parametrize("loss", VECTOR, ids=repr)
def test_vector_losses_have_the_gradient_they_say(loss):
    rng = np.random.default_rng(3)
    y, z = rng.integers(3, size=40), 2.0 * rng.normal(size=(40, 3))
    for k in range(3):
        step = 1e-6 * np.eye(3)[k]
        slope = (loss.value(y, z + step) - loss.value(y, z - step)) / 2e-6
        np.testing.assert_allclose(loss.gradient(y, z)[:, k], slope, atol=1e-7)


@pytest.mark.spec("LIN-012", "LIN-L01")
def test_two_term_cross_entropy_doubles_for_two_classes_and_is_not_convex():
    rng = np.random.default_rng(0)
    y, z = rng.integers(2, size=30), rng.normal(size=(30, 2))
    np.testing.assert_allclose(TwoTermCrossEntropy().value(y, z), 2.0 * SoftmaxLoss().value(y, z))
    np.testing.assert_allclose(TwoTermCrossEntropy().gradient(y, z), 2.0 * SoftmaxLoss().gradient(y, z), atol=1e-14)
    assert not TwoTermCrossEntropy().convex
    a, b = 3.0 * rng.normal(size=(2, 5000, 3))
    y = np.zeros(5000, dtype=int)
    value = TwoTermCrossEntropy().value
    assert np.any(value(y, 0.5 * (a + b)) > 0.5 * (value(y, a) + value(y, b)) + 1e-9)


@pytest.mark.spec("LIN-013")
def test_one_vs_rest_is_a_sum_of_binary_losses_and_not_softmax():
    rng = np.random.default_rng(0)
    y, z = rng.integers(3, size=20), rng.normal(size=(20, 3))
    codes = np.eye(3)[y]
    np.testing.assert_allclose(OneVsRestCrossEntropy().value(y, z), BinaryCrossEntropy().value(codes, z).sum(axis=1))
    assert np.all(OneVsRestCrossEntropy().value(y, z) > SoftmaxLoss().value(y, z))
    u = OneVsRestCrossEntropy().gradient(y, z)
    np.testing.assert_allclose(
        OneVsRestCrossEntropy().value(y, z) + OneVsRestCrossEntropy().conjugate(y, u), np.sum(u * z, axis=1)
    )


@pytest.mark.spec("LIN-014", "LIN-L01")
def test_multiclass_hinge_is_convex_with_its_conjugate():
    rng = np.random.default_rng(0)
    y, a, b = rng.integers(4, size=200), 2.0 * rng.normal(size=(200, 4)), 2.0 * rng.normal(size=(200, 4))
    loss = MulticlassHinge()
    g = loss.gradient(y, a)
    assert np.all(loss.value(y, b) >= loss.value(y, a) + np.sum(g * (b - a), axis=1) - 1e-12)
    np.testing.assert_allclose(loss.value(y, a) + loss.conjugate(y, g), np.sum(g * a, axis=1), atol=1e-12)
    assert np.all(loss.conjugate(y, g + 0.5) == np.inf)


@jit
def total(loss, y, z):
    value, slope = 0.0, 0.0
    for i in range(len(z)):
        value += loss.value(y[i], z[i])
        slope += loss.gradient(y[i], z[i])
    return value, slope


@pytest.mark.spec("LIN-016")
@pytest.mark.parametrize("loss", SCALAR, ids=repr)
def test_kernels_and_arrays_share_one_formula(loss):
    """Also where a noun holds a noun."""
    y = np.resize(TARGETS[loss.targets], len(Z))
    value, slope = total(compiled(loss), y, Z)
    np.testing.assert_allclose(value, np.sum(loss.value(y, Z)))
    np.testing.assert_allclose(slope, np.sum(loss.gradient(y, Z)))


@pytest.mark.spec("LIN-016")
def test_weighting_by_class_is_weighting_the_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.where(rng.random(60) < 0.4, 1.0, -1.0)
    loss = Weighted(LogisticLoss(), costs=(2.0, 5.0))
    design = Design(X)
    by_class = fit_linear(design, y, loss, L2(0.1), solver="lbfgs", tol=1e-10)
    by_row = fit_linear(design, y, LogisticLoss(), L2(0.1), np.where(y > 0, 5.0, 2.0), solver="lbfgs", tol=1e-10)
    np.testing.assert_allclose(by_class.w, by_row.w, atol=1e-7)
    ratio = fit_linear(design, y, Weighted.by_ratio(LogisticLoss(), 2.5), L2(0.05), solver="lbfgs", tol=1e-10)
    np.testing.assert_allclose(by_class.w, ratio.w, atol=1e-7)
    assert loss.cost_ratio == 2.5


@pytest.mark.spec("LIN-016")
def test_weighted_refuses_what_has_no_classes_or_no_price():
    with pytest.raises(ValueError, match="has no classes"):
        Weighted(SquaredLoss(), (1.0, 2.0))
    with pytest.raises(ValueError, match="one price per class"):
        Weighted(LogisticLoss(), (1.0, 2.0, 3.0))
    with pytest.raises(ValueError, match="must be > 0"):
        Weighted(LogisticLoss(), (1.0, 0.0))
    with pytest.raises(ValueError, match="no price for class 2"):
        Weighted(SoftmaxLoss(), (1.0, 2.0)).value(np.array([0, 1, 2]), np.zeros((3, 3)))


class Scorer:
    classes_ = np.array(["a", "b", "c"])

    def decision_function(self, X):
        return X

    def predict(self, X):
        return self.classes_[np.argmax(X, axis=1)]


@pytest.mark.spec("LIN-016")
def test_class_risks_by_errors_or_by_any_loss():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), np.array(["a", "b", "c"])[rng.integers(3, size=50)]
    s = rng.integers(1, 4, size=50)
    errors = class_risks(Scorer(), X, y, sample_weight=s)
    wrong = Scorer().predict(X) != y
    np.testing.assert_allclose(errors.risks, [np.sum(s[wrong & (y == c)]) for c in "abc"])
    losses = class_risks(Scorer(), X, y, loss=SoftmaxLoss())
    index = np.searchsorted(Scorer.classes_, y)
    assert losses.total() == pytest.approx(np.sum(SoftmaxLoss().value(index, X)))
    assert losses.total((1.0, 2.0, 3.0)) == pytest.approx(
        np.sum(Weighted(SoftmaxLoss(), (1.0, 2.0, 3.0)).value(index, X))
    )
    np.testing.assert_allclose(losses.means * losses.counts, losses.risks)
    with pytest.raises(ValueError, match="labels outside"):
        class_risks(Scorer(), X, np.resize(["a", "z"], 50))
    with pytest.raises(ValueError, match="not a loss over classes"):
        class_risks(Scorer(), X, y, loss=SquaredLoss())
    with pytest.raises(ValueError, match="one score per class"):
        class_risks(Scorer(), X[:3], y[:3], loss=HingeLoss())
    assert np.isnan(class_risks(Scorer(), X[:1], y[:1]).means).sum() == 2


@pytest.mark.parametrize(
    "loss",
    [
        *SCALAR,
        HingeLoss(),
        SquaredHingeLoss(),
        PerceptronLoss(),
    ],
)
def test_single_precision_stays_and_does_not_overflow(loss):
    y = np.array([1.0, 0.0, 1.0] if loss.targets == "unit" else [1.0, -1.0, 1.0], dtype=np.float32)
    z = np.array([-100.0, 0.5, 3.0], dtype=np.float32)
    for verb in (loss.value, loss.gradient, loss.curvature):
        try:
            found = verb(y, z)
        except NotImplementedError:
            continue
        assert found.dtype == np.float32
        assert np.all(np.isfinite(found))


def test_the_curvature_of_the_logistic_loss_has_two_equal_tails():
    z = np.array([30.0, 50.0, 700.0])
    for loss in (LogisticLoss(), BinaryCrossEntropy()):
        np.testing.assert_allclose(loss.curvature(1.0, z), np.exp(-z), rtol=1e-12)
        np.testing.assert_array_equal(loss.curvature(1.0, z), loss.curvature(1.0, -z))


def cross_entropy_of(y, z):
    return SoftmaxLoss().value(y, z)


@pytest.mark.spec("LIN-017")
def test_a_callable_loss_of_several_scores_is_differentiated_in_each():
    rng = np.random.default_rng(0)
    y, z = np.array([0, 1, 2]), rng.normal(size=(3, 3))
    own = pickle.loads(pickle.dumps(CallableLoss(cross_entropy_of, targets="index")))
    np.testing.assert_allclose(own.gradient(y, z), SoftmaxLoss().gradient(y, z), atol=1e-9)
    np.testing.assert_allclose(own.curvature(y, z), SoftmaxLoss().curvature(y, z), atol=1e-5)
    with pytest.raises(ValueError, match="targets='signs' is unknown"):
        CallableLoss(cross_entropy_of, targets="signs")


@pytest.mark.spec("LIN-017")
def test_a_callable_loss_fits_like_the_loss_it_copies():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.where(rng.random(60) < 0.4, 1.0, -1.0)
    own = CallableLoss(lambda y, z: np.logaddexp(0.0, -y * z), targets="sign", smoothness=0.25)
    np.testing.assert_allclose(own.gradient(y, X[:, 0]), LogisticLoss().gradient(y, X[:, 0]), atol=1e-9)
    np.testing.assert_allclose(own.curvature(y, X[:, 0]), LogisticLoss().curvature(y, X[:, 0]), atol=1e-5)
    found = fit_linear(Design(X), y, own, L2(0.1), solver="lbfgs", tol=1e-7)
    copied = fit_linear(Design(X), y, LogisticLoss(), L2(0.1), solver="lbfgs", tol=1e-9)
    np.testing.assert_allclose(found.w, copied.w, atol=1e-6)
    assert Weighted(own, (1.0, 2.0)).record is None
