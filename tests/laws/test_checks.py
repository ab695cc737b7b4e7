"""What losses and penalties claim of themselves, checked numerically; the checks themselves; separability."""

import inspect

import numpy as np
import pytest
from scipy import sparse

import gnomon.losses
import gnomon.penalties
from gnomon.losses import (
    BinaryCrossEntropy,
    BinomialFamily,
    CallableLoss,
    CLogLogLink,
    DevianceLoss,
    GammaFamily,
    GaussianFamily,
    HingeLoss,
    LogisticLoss,
    LogitLink,
    LogLink,
    Loss,
    LpLoss,
    PinballLoss,
    PoissonFamily,
    ProbitLink,
    SoftmaxLoss,
    SquaredLoss,
    TweedieFamily,
    Weighted,
)
from gnomon.numerics.design import Design
from gnomon.numerics.special import sigmoid
from gnomon.optim import Problem, check_convex, check_gradient, fit_linear, is_separable
from gnomon.penalties import L0, L1, L2, ElasticNetPenalty, Penalty
from stable_ids import stable_repr

CLASSES = 3


def found(module, base):
    """Every public class of the noun."""
    members = (getattr(module, name) for name in module.__all__)
    return [cls for cls in members if inspect.isclass(cls) and issubclass(cls, base) and cls is not base]


# Instances beyond the default one; a class that cannot be made without arguments must be here.
MORE = {
    CallableLoss: [CallableLoss(lambda y, z: np.log(np.cosh(y - z)), smoothness=1.0)],
    Weighted: [Weighted(LogisticLoss(), (2.0, 5.0)), Weighted(SoftmaxLoss(), (1.0, 2.0, 3.0))],
    LpLoss: [LpLoss(1.0), LpLoss(1.5), LpLoss(2.0), LpLoss(4.0), LpLoss(0.5)],
    DevianceLoss: [
        DevianceLoss(PoissonFamily(), LogLink()),
        DevianceLoss(GammaFamily(), LogLink()),
        DevianceLoss(TweedieFamily(1.5), LogLink()),
        DevianceLoss(TweedieFamily(2.5), LogLink()),
        DevianceLoss(BinomialFamily(), LogitLink()),
        DevianceLoss(BinomialFamily(), ProbitLink()),
        DevianceLoss(BinomialFamily(), CLogLogLink()),
        DevianceLoss(GaussianFamily(), LogLink()),
    ],
    SquaredLoss: [SquaredLoss(), SquaredLoss(half=True)],
    HingeLoss: [HingeLoss(), HingeLoss(margin=0.5)],
    PinballLoss: [PinballLoss(3.0, 1.0)],
    L2: [L2(0.7), L2(0.7, half=True)],
    ElasticNetPenalty: [ElasticNetPenalty(2.0, 0.3), ElasticNetPenalty(2.0, 0.3, half=True)],
}


def instances(module, base):
    return [noun for cls in found(module, base) for noun in (MORE[cls] if cls in MORE else [cls()])]


LOSSES = instances(gnomon.losses, Loss)
PENALTIES = instances(gnomon.penalties, Penalty)


def targets(loss, n, rng):
    draw = {
        "real": lambda: rng.normal(size=n),
        "sign": lambda: rng.choice([-1.0, 1.0], size=n),
        "unit": lambda: rng.random(n),
        "count": lambda: rng.poisson(2.0, size=n).astype(float),
        "positive": lambda: rng.gamma(2.0, size=n),
        "index": lambda: np.arange(n) % CLASSES,
    }
    return draw[loss.targets]()


def problem_of(loss, penalty, rng, n=9, d=2):
    """The regularised risk of a linear model: an affine map, a sum of losses and a penalty."""
    K = CLASSES if loss.targets == "index" else 1
    design = Design(rng.normal(size=(n, d)), intercept="free")
    return Problem(design, targets(loss, n, rng), loss, penalty, rng.random(n) + 0.5, K)


@pytest.mark.spec("LIN-L01")
@pytest.mark.parametrize("loss", LOSSES, ids=stable_repr)
def test_a_loss_is_convex_exactly_if_it_says_so(loss):
    rng = np.random.default_rng(0)
    K = CLASSES if loss.targets == "index" else 1
    verdicts = []
    for y in targets(loss, 6, rng):
        points = 3.0 * rng.normal(size=(40, 1, K) if K > 1 else (40, 1))
        rows = np.array([y])
        gradient = (lambda z, rows=rows: loss.gradient(rows, z)) if loss.trainable and loss.convex else None
        report = check_convex(
            lambda z, rows=rows: float(np.sum(loss.value(rows, z))), points, gradient=gradient, n_trials=150
        )
        verdicts.append(report.passed)
    assert all(verdicts) == loss.convex


@pytest.mark.spec("LIN-145", "LIN-L01", "LIN-L03")
@pytest.mark.parametrize("loss", [loss for loss in MORE[DevianceLoss] if loss.convex], ids=stable_repr)
def test_a_convex_deviance_is_convex_and_has_its_gradient_far_out(loss):
    rng = np.random.default_rng(7)
    z = np.append(rng.uniform(-30.0, 30.0, size=60), [-30.0, -8.5, -3.6, 3.6, 8.5, 30.0])
    for y in (*targets(loss, 3, rng), 1.0):
        rows = np.array([y])

        def both(z, rows=rows):
            return float(np.sum(loss.value(rows, z))), loss.gradient(rows, z)

        report = check_convex(lambda z, f=both: f(z)[0], z[:, None], gradient=lambda z, f=both: f(z)[1])
        assert report, report
        for score in z:
            slope = check_gradient(both, np.array([score]))
            assert slope, (y, score, slope)


@pytest.mark.spec("LIN-L01")
@pytest.mark.parametrize("penalty", PENALTIES, ids=stable_repr)
def test_a_penalty_is_convex_exactly_if_it_says_so(penalty):
    # Kinks and jumps lie on the axes, so the grid has points on them.
    points = np.array([[a, b] for a in (-2.0, -0.3, 0.0, 0.5, 2.0) for b in (-1.0, 0.0, 1.5)])
    slope = penalty.slope if penalty.convex else None
    assert check_convex(penalty.value, points, gradient=slope).passed == penalty.convex


@pytest.mark.spec("LIN-L01")
@pytest.mark.parametrize("loss", [loss for loss in LOSSES if loss.convex and loss.additive], ids=stable_repr)
def test_a_sum_of_convex_losses_of_affine_scores_with_a_convex_penalty_is_convex(loss):
    rng = np.random.default_rng(1)
    for penalty in (penalty for penalty in PENALTIES if penalty.convex):
        problem = problem_of(loss, penalty, rng)
        points = rng.normal(size=(20, problem.size))

        def gradient(theta, problem=problem):
            return problem.value_and_gradient(theta)[1]

        report = check_convex(problem.value, points, gradient=gradient, n_trials=100)
        assert report, report


@pytest.mark.spec("LIN-L01")
@pytest.mark.parametrize(
    "loss", [loss for loss in LOSSES if loss.convex and loss.smooth and loss.targets != "index"], ids=stable_repr
)
def test_the_hessian_of_a_convex_risk_is_positive_semidefinite(loss):
    rng = np.random.default_rng(2)
    problem = problem_of(loss, L2(0.1), rng)
    points = rng.normal(size=(10, problem.size))
    assert check_convex(problem.value, points, hessian=problem.hessian, n_trials=20)


@pytest.mark.spec("LIN-L03", "LIN-017")
@pytest.mark.parametrize("loss", [loss for loss in LOSSES if loss.smooth], ids=stable_repr)
def test_the_gradient_of_a_smooth_loss_is_its_central_difference(loss):
    rng = np.random.default_rng(3)
    y = targets(loss, 12, rng)
    z = 3.0 * rng.normal(size=(12, CLASSES) if loss.targets == "index" else 12)

    def fun(z):
        return (float(np.sum(loss.value(y, z))), loss.gradient(y, z))

    report = check_gradient(fun, z, tol=1e-6, eps=1e-6)
    assert report, report


@pytest.mark.spec("LIN-L03")
@pytest.mark.parametrize("loss", [loss for loss in LOSSES if loss.smooth], ids=stable_repr)
def test_the_gradient_of_a_smooth_risk_is_its_central_difference(loss):
    rng = np.random.default_rng(4)
    problem = problem_of(loss, L2(0.3), rng)
    assert check_gradient(problem.value_and_gradient, rng.normal(size=problem.size), tol=1e-6)


@pytest.mark.spec("LIN-L03")
def test_logistic_loss_and_cross_entropy_are_one_function():
    z = np.linspace(-40.0, 40.0, 801)
    for y in (-1.0, 1.0):
        c = 0.5 * (y + 1.0)
        a, b = LogisticLoss().value(y, z), BinaryCrossEntropy().value(c, z)
        np.testing.assert_allclose(a, b, rtol=1e-15, atol=1e-15)
    np.testing.assert_allclose(sigmoid(-z), 1.0 - sigmoid(z), atol=1e-15)


@pytest.mark.spec("LIN-L03")
def test_maximum_likelihood_and_minimum_cross_entropy_have_one_argmin():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 3))
    y = np.where(rng.random(80) < sigmoid(X @ [1.0, -1.0, 0.5]), 1.0, -1.0)
    likelihood = fit_linear(Design(X), y, LogisticLoss(), solver="newton", tol=1e-10)
    entropy = fit_linear(Design(X), 0.5 * (y + 1.0), BinaryCrossEntropy(), solver="newton", tol=1e-10)
    np.testing.assert_allclose(likelihood.w, entropy.w, atol=1e-9)
    # −log of the Bernoulli likelihood, written out, is the objective.
    p = sigmoid(X @ likelihood.w + likelihood.intercept)
    assert likelihood.objective == pytest.approx(-np.sum(np.log(np.where(y > 0, p, 1.0 - p))), rel=1e-12)


@pytest.mark.spec("LIN-L03")
def test_cross_entropy_is_least_at_the_truth():
    rng = np.random.default_rng(6)
    for p in (0.05, 0.3, 0.5, 0.9):
        q = rng.uniform(0.01, 0.99, size=200)

        def value(q, p=p):
            return -p * np.log(q) - (1.0 - p) * np.log1p(-q)

        assert np.all(value(q) >= value(p))
        score = BinaryCrossEntropy().link(p)
        assert BinaryCrossEntropy().gradient(p, score) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.spec("LIN-017")
def test_a_wrong_gradient_is_found_and_located():
    def wrong(w):
        g = 3.0 * w**2
        g[1] += 0.01
        return float(np.sum(w**3)), g

    report = check_gradient(wrong, np.array([1.0, 0.5, -2.0]))
    assert not report
    assert report.where == (1,)
    assert report.max_error == pytest.approx(0.01, rel=1e-4)
    with pytest.raises(ValueError, match="they must be equal"):
        check_gradient(lambda w: (0.0, np.zeros(2)), np.zeros(3))


@pytest.mark.spec("LIN-017")
@pytest.mark.parametrize("test", ["chord", "first_order", "hessian"])
def test_each_condition_of_convexity_finds_a_saddle(test):
    H = np.diag([1.0, -0.5])
    points = np.random.default_rng(0).normal(size=(30, 2))
    value = {"chord": lambda w: float(w @ H @ w)}.get(test, lambda w: 0.0)
    more = {"first_order": {"gradient": lambda w: np.sign(np.sum(w)) * np.ones(2)}, "hessian": {"hessian": lambda w: H}}
    report = check_convex(value, points, **more.get(test, {}))
    assert not report
    assert report.test == test
    assert report.violation > 0.1


@pytest.mark.spec("LIN-017")
def test_a_loss_of_the_users_own_is_checked_and_fitted():
    huber = CallableLoss(
        lambda y, z: np.where(np.abs(y - z) < 1.0, 0.5 * (y - z) ** 2, np.abs(y - z) - 0.5),
        lambda y, z: np.clip(z - y, -1.0, 1.0),
        smoothness=1.0,
    )
    y = np.array([0.0, 0.3, -1.0])
    assert check_gradient(
        lambda z: (float(np.sum(huber.value(y, z))), huber.gradient(y, z)), np.array([0.2, 3.0, -4.0])
    )
    assert check_convex(lambda z: float(np.sum(huber.value(y, z))), 3 * np.random.default_rng(0).normal(size=(20, 3)))
    X = np.linspace(0.0, 1.0, 20)[:, None]
    t = 2.0 * X[:, 0] + 1.0
    t[-1] += 100.0
    solution = fit_linear(Design(X), t, huber, solver="fista", tol=1e-8, max_iter=20000)
    assert solution.converged
    assert abs(solution.w[0] - 2.0) < 0.7  # the outlier pulls with force 1 only
    squares = fit_linear(Design(X), t, SquaredLoss(), solver="lbfgs")
    assert abs(squares.w[0] - 2.0) > 10.0


@pytest.mark.spec("LIN-108")
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
def test_separability_is_decided_with_a_proof(make):
    rng = np.random.default_rng(7)
    for shift, kind in ((3.0, "complete"), (0.0, "overlap")):
        X = rng.normal(size=(60, 3))
        y = np.where(np.arange(60) % 2, "yes", "no")
        X[y == "yes"] += shift * np.array([1.0, 1.0, -1.0])
        X *= [1.0, 1e4, 1e-4]
        answer = is_separable(make(X), y)
        signs = np.where(y == "yes", 1.0, -1.0)
        assert answer.kind == kind
        if kind == "complete":
            assert bool(answer)
            margins = signs * (X @ answer.w + answer.b) / np.linalg.norm(answer.w)
            assert margins.min() == pytest.approx(answer.margin)
            assert answer.margin > 0.0
        else:
            # A positive combination that vanishes: no hyperplane can have all these rows on its side.
            lam = answer.multipliers
            assert np.all(lam >= 1.0 - 1e-6)
            np.testing.assert_allclose((lam * signs) @ X / (lam @ np.abs(X)), 0.0, atol=1e-9)
            assert (lam @ signs) / lam.sum() == pytest.approx(0.0, abs=1e-9)


@pytest.mark.spec("LIN-108")
def test_weak_separation_and_the_origin_are_told_apart():
    x = np.array([[0.0], [1.0], [1.0], [2.0]])
    answer = is_separable(x, [0, 0, 1, 1])
    assert answer.kind == "quasi"
    assert not answer
    assert answer.strict.tolist() == [True, False, False, True]
    assert is_separable([[1.0], [2.0]], [0, 1]).separable
    assert not is_separable([[1.0], [2.0]], [0, 1], fit_intercept=False)
    xor = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]
    assert is_separable(xor, [0, 0, 1, 1]).kind == "overlap"
    with pytest.raises(ValueError, match="3 classes"):
        is_separable([[0.0], [1.0], [2.0]], [0, 1, 2])


def test_every_noun_is_among_the_cases():
    assert {type(loss) for loss in LOSSES} == set(found(gnomon.losses, Loss))
    assert {type(penalty) for penalty in PENALTIES} == set(found(gnomon.penalties, Penalty))
    assert any(not loss.convex for loss in LOSSES)
    assert isinstance(next(p for p in PENALTIES if not p.convex), L0)
    assert any(isinstance(p, L1) for p in PENALTIES)
