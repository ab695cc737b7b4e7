"""A change of units changes no linear model: the same predictions, and certificates that are true."""

import warnings
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from gnomon.distributions import Normal
from gnomon.linear import (
    GLM,
    BayesianLinearRegression,
    BayesianLogisticRegression,
    BestSubset,
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LeastSquaresClassifier,
    LinearModelClassifier,
    LinearModelRegressor,
    LinearRegression,
    LinearSVC,
    LinearSVM,
    LogisticRegression,
    Ridge,
    RidgeCV,
    path,
)
from gnomon.losses import (
    AbsoluteLoss,
    BinaryCrossEntropy,
    HingeLoss,
    HuberLoss,
    LogisticLoss,
    LpLoss,
    PinballLoss,
    SoftmaxLoss,
    SquaredHingeLoss,
    SquaredLoss,
)
from gnomon.numerics.design import Design
from gnomon.optim import SOLVERS, ApproximateZerosWarning, Problem, applicable_solvers, fit_linear, is_separable
from gnomon.optim.units import ABSOLUTE, natural_problem
from gnomon.penalties import L0, L1, L2, ElasticNetPenalty, NoPenalty, Penalty
from many_checks import check_all

RNG = np.random.default_rng(0)
B = RNG.normal(size=(24, 2))
TARGET = B @ [2.0, -1.0] + 0.3 * RNG.normal(size=24)
SIGN = np.where(TARGET + RNG.normal(size=24) > 0.0, 1, -1)
CLASSES = np.digitize(TARGET + RNG.normal(size=24), [-1.0, 1.0])
COUNT = np.round(np.exp(B @ [0.5, -0.3] + 0.5))
POSITIVE = np.exp(B @ [0.5, -0.3] + 0.3 * RNG.normal(size=24))
SHARE = 1.0 / (1.0 + np.exp(-TARGET - RNG.normal(size=24)))
WEIGHTS = RNG.uniform(0.5, 2.0, 24)


class Units(NamedTuple):
    """X = c (B + offset), y = d (target + level), weights times s."""

    c: float = 1.0
    offset: float = 0.0
    d: float = 1.0
    level: float = 0.0
    s: float = 1.0

    @property
    def X(self):
        return self.c * B + self.c * self.offset

    def y(self, target):
        return self.d * target + self.d * self.level

    @property
    def digits(self):
        """What rounding of the data themselves may change, relative to predictions of size one."""
        return 50.0 * np.finfo(float).eps * (self.offset + self.level)


SCALES = [Units(c=c) for c in (1e-150, 1e-8, 1e-3, 1e3, 1e8, 1e150)]
OFFSETS = [Units(offset=o) for o in (1e3, 1e8, 1e12)] + [Units(c=1e-100, offset=1e9)]
TARGETS = [Units(d=d) for d in (1e-150, 1e-8, 1e8, 1e150)] + [Units(level=o) for o in (1e8, 1e12)]
MASSES = [Units(s=s) for s in (1e-150, 1e-8, 1e8, 1e150)]
MIXED = [Units(1e-60, 1e6, 1e50, 1e7, 1e-40)]


def fit(make, units, target, y_moves, *, X=None):
    """(model, whether it warned of convergence) in other units; any other warning is an error."""
    model = make(units if y_moves else units._replace(d=1.0))
    y = units.y(target) if y_moves else target
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(units.X if X is None else X, y, sample_weight=units.s * WEIGHTS)
    others = [w for w in caught if not issubclass(w.category, (ConvergenceWarning, ApproximateZerosWarning))]
    assert not others, others[0].message
    return model, any(issubclass(w.category, ConvergenceWarning) for w in caught)


def predictions(model, units, y_moves):
    if hasattr(model, "decision_function"):
        z = model.decision_function(units.X)
        return z if z.ndim == 1 else z - np.mean(z, axis=1, keepdims=True)
    z = model.predict(units.X)
    return (z / units.d - units.level) if y_moves else z


def check_equivariant(make, target, units, y_moves=False, tol=1e-6):
    plain, _ = fit(make, Units(), target, y_moves)
    base = predictions(plain, Units(), y_moves)

    def case(there):
        model, warned = fit(make, there, target, y_moves)
        assert warned or np.all(model.converged_ if hasattr(model, "converged_") else True)
        np.testing.assert_allclose(
            predictions(model, there, y_moves), base, rtol=0.0, atol=(tol + there.digits) * np.max(np.abs(base))
        )

    check_all((f"{make.__name__} {there}", lambda there=there: case(there)) for there in units)


def lasso(solver):
    def make(u):
        return Lasso(0.01 * u.c * u.d, solver=solver, tol=1e-9, max_iter=20_000)

    return make


def elastic_net(u):
    norm, square = 0.005 * u.c * u.d, 0.005 * u.c * u.c
    return ElasticNet(norm + square, l1_ratio=norm / (norm + square), tol=1e-9)


@pytest.mark.parametrize("solver", ["cd", "fista", "ista"])
def test_the_lasso(solver):
    check_equivariant(lasso(solver), TARGET, SCALES + OFFSETS + TARGETS + MASSES + MIXED, y_moves=True)


def test_elastic_net_and_cross_validated_paths():
    # Both parts of the penalty fit into one strength and one share only near each other.
    near = [Units(c=c) for c in (1e-8, 1e8)] + OFFSETS[:3]
    check_equivariant(elastic_net, TARGET, near + TARGETS[-2:] + MASSES, y_moves=True)
    check_equivariant(
        lambda u: LassoCV(cv=3, alphas=10, tol=1e-9), TARGET, SCALES + OFFSETS + TARGETS + MIXED, y_moves=True
    )
    alike = [Units(c=c, d=c) for c in (1e-150, 1e-8, 1e8, 1e150)]
    check_equivariant(lambda u: ElasticNetCV(cv=3, alphas=10, tol=1e-9), TARGET, alike + OFFSETS[:3], y_moves=True)


FAMILIES = {"gaussian": TARGET, "poisson": COUNT, "gamma": POSITIVE, "inverse_gaussian": POSITIVE, "binomial": SHARE}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("solver", ["irls", "newton", "lbfgs", "bfgs", "cg", "cd", "gd"])
def test_generalised_linear_models(family, solver):
    link = "log" if family in ("gamma", "inverse_gaussian") else None
    if solver == "cd" and family not in ("gaussian", "binomial"):
        return
    for alpha in (0.0, 0.1):

        def make(u, alpha=alpha):
            return GLM(family, link=link, alpha=alpha * u.c**2, solver=solver, max_iter=3000)

        y_moves = family == "gaussian"
        units = SCALES + OFFSETS + MASSES + (TARGETS if y_moves else [])
        check_equivariant(make, FAMILIES[family], units, y_moves=y_moves)


@pytest.mark.parametrize("there", [Units(c=1e-150), Units(c=1e100), Units(offset=1e8), Units(c=1e8, offset=1e10)])
def test_inference_of_generalised_linear_models(there):
    plain, moved = GLM("poisson").fit(B, COUNT), GLM("poisson").fit(there.X, COUNT)
    tol = 1e-8 + there.digits
    np.testing.assert_allclose(moved.deviance_, plain.deviance_, rtol=tol)
    np.testing.assert_allclose(there.c * there.c * moved.covariance_[1:, 1:], plain.covariance_[1:, 1:], rtol=tol)
    np.testing.assert_allclose(moved.summary().p[1:], plain.summary().p[1:], rtol=1e3 * tol)


LEAST_SQUARES = ("lbfgs", "newton", "irls", "cd", "sag", "gd", "momentum", "bfgs", "cg", "fista", "ista")


@pytest.mark.parametrize("solver", LEAST_SQUARES)
def test_least_squares_and_ridge_by_iteration(solver):
    units = SCALES + OFFSETS + TARGETS + MASSES + MIXED
    check_equivariant(lambda u: LinearRegression(solver=solver), TARGET, units, y_moves=True)
    if solver not in ("momentum", "bfgs", "cg"):

        def ridge(u):
            return Ridge(0.1 * u.c**2 * u.s, solver=solver, tol=1e-8, max_iter=5000)

        check_equivariant(ridge, TARGET, units[:-1], y_moves=True)


def test_models_in_closed_form():
    units = SCALES + OFFSETS + TARGETS + MASSES
    check_equivariant(lambda u: LinearRegression(), TARGET, units, y_moves=True)
    for solver in ("auto", "cholesky", "dual", "svd", "lsqr", "sparse_cg"):
        ridge = partial(Ridge, solver=solver, tol=1e-8)
        check_equivariant(lambda u, ridge=ridge: ridge(0.1 * u.c**2 * u.s), TARGET, units, y_moves=True)
    alphas = np.array([0.1, 1.0, 10.0])
    check_equivariant(lambda u: RidgeCV(u.c**2 * u.s * alphas), TARGET, units, y_moves=True)
    check_equivariant(lambda u: BestSubset(1), TARGET, units, y_moves=True)
    check_equivariant(lambda u: LeastSquaresClassifier(), SIGN, SCALES + OFFSETS + MASSES)


def svm(penalty):
    def make(u):
        return LinearSVM(penalty=penalty, C=u.c ** (-1 if penalty == "l1" else -2) / u.s)

    return make


def svc(**words):
    def make(u):
        C = u.c ** (-1 if words.get("penalty") == "l1" else -2) / u.s
        return LinearSVC(C=C, intercept_scaling=u.c, tol=1e-8, max_iter=50_000, random_state=0, **words)

    return make


def test_support_vector_machines():
    for penalty in ("l1", "l2"):
        check_equivariant(svm(penalty), SIGN, SCALES + OFFSETS + MASSES)
    # Their intercept is penalised, as a column: they know no offset.
    for words in ({}, {"loss": "hinge"}, {"penalty": "l1", "dual": False}, {"dual": True}):
        check_equivariant(svc(**words), SIGN, SCALES + MASSES)
    check_equivariant(svc(multi_class="crammer_singer"), CLASSES, SCALES + MASSES, tol=1e-5)


def logistic(solver, **words):
    def make(u):
        norm = u.c if words.get("l1_ratio") == 1.0 else u.c**2
        return LogisticRegression(C=words.get("C", 1.0 / norm / u.s), solver=solver, tol=1e-8, max_iter=3000, **extra)

    extra = {name: value for name, value in words.items() if name != "C"}
    return make


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cg", "newton-cholesky", "sag", "gd", "irls"])
def test_logistic_regression(solver):
    units = SCALES + OFFSETS + MASSES
    check_equivariant(logistic(solver), SIGN, units, tol=1e-5)
    if solver != "irls":
        check_equivariant(logistic(solver), CLASSES, units, tol=1e-5)
    if solver == "lbfgs":
        check_equivariant(logistic("saga", l1_ratio=1.0), SIGN, units, tol=1e-5)
        check_equivariant(logistic(solver, C=np.inf), SIGN, units, tol=1e-5)


def test_bayesian_models():
    def known(u):
        return BayesianLinearRegression(0.1 * u.d**2, Normal(0.0, (u.d / u.c) ** 2))

    units = [there for there in SCALES + OFFSETS + TARGETS if there.d in (1.0, 1e-8, 1e8)]
    check_equivariant(known, TARGET, units, y_moves=True)
    check_equivariant(
        lambda u: BayesianLinearRegression(optimize_evidence=True), TARGET, SCALES + OFFSETS, y_moves=True
    )
    check_equivariant(lambda u: BayesianLogisticRegression(Normal(0.0, u.c**-2)), SIGN, SCALES + OFFSETS[:1])
    far = Units(offset=1e8)
    with pytest.raises(ValueError, match=r"column x0 is .* subtract its mean"):
        BayesianLogisticRegression().fit(far.X, SIGN)
    with pytest.raises(ValueError, match=r"column x0 is .* subtract its mean"):
        _ = BayesianLinearRegression().fit(far.X, TARGET).posterior_


LOSSES = {
    "squared": (SquaredLoss(), TARGET, 2.0),
    "huber": (HuberLoss(0.5), TARGET, 2.0),
    "absolute": (AbsoluteLoss(), TARGET, 1.0),
    "pinball": (PinballLoss(2.0, 1.0), TARGET, 1.0),
    "power": (LpLoss(1.5), TARGET, 1.5),
    "cross entropy": (BinaryCrossEntropy(), SHARE, 0.0),
    "logistic": (LogisticLoss(), SIGN, 0.0),
    "hinge": (HingeLoss(), SIGN, 0.0),
    "squared hinge": (SquaredHingeLoss(), SIGN, 0.0),
    "softmax": (SoftmaxLoss(), CLASSES, 0.0),
}
PENALTIES = [NoPenalty(), L1(0.3), L2(0.3)]
STOCHASTIC = dict.fromkeys(("sgd", "asgd", "pegasos"), 1e-3)
"""Solvers that stop where F settles: how near to the least F that is."""
LONGEST = dict.fromkeys(SOLVERS, 3000) | dict.fromkeys(("gd", "momentum", "subgradient", "ista"), 200)


def build(name):
    numbers = name in ("squared", "huber", "absolute", "pinball", "power", "cross entropy")
    form = LinearModelRegressor if numbers else LinearModelClassifier
    return partial(form, lam=1.0, objective="sum")


def in_units(loss, penalty, power, u):
    """Both in the units `u`, and the unit of F."""
    value = u.s * u.d**power
    moved = HuberLoss(loss.delta * u.d) if isinstance(loss, HuberLoss) else loss
    return moved, penalty.in_units(u.c / u.d, 1.0 / value), value


def true_objective(model, u, y, loss, penalty):
    """F at the coefficients as they are, in extended precision."""
    X, w = u.X.astype(np.longdouble), np.atleast_2d(model.coef_).astype(np.longdouble)
    z = X @ w.T + np.asarray(model.intercept_, dtype=np.longdouble)
    s = (u.s * WEIGHTS).astype(np.longdouble)
    values = loss.value(y, z) if loss.targets == "index" else loss.value(y.astype(np.longdouble), z[:, 0])
    return np.sum(s * values) + np.sum(penalty.term(w), dtype=np.longdouble)


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_penalty_and_solver_tells_the_truth_in_every_unit(name):
    loss, target, power = LOSSES[name]
    moves = power > 0.0
    units = [Units(), Units(1e-120, 1e8, 1e60, 1e7, 1e-30)]
    for penalty in PENALTIES:
        problem = Problem(Design(B), target, loss, penalty, np.ones(24), 3 if name == "softmax" else 1)
        found = {}

        def case(solver, u, penalty=penalty, found=found):
            u = u if moves else u._replace(d=1.0, level=0.0)
            here, there, value = in_units(loss, penalty, power, u)
            model, warned = fit(
                lambda _: build(name)(here, there, solver=solver, max_iter=LONGEST[solver]), u, target, moves
            )
            truth = true_objective(model, u, u.y(target) if moves else target, here, there) / value
            np.testing.assert_allclose(model.objective_ / value, float(truth), rtol=1e-9 + rounding(u))
            found[solver, u] = float(truth), model.dual_gap_ / value, warned

        solvers = [s for s in applicable_solvers(problem) if s not in STOCHASTIC or penalty.smooth]
        check_all((f"{s} {u} {penalty}", lambda s=s, u=u: case(s, u)) for s in solvers for u in units)
        for (solver, u), (F, gap, warned) in found.items():
            least = min(value for value, _, _ in found.values())
            message = f"{solver} {u} {penalty}: {F} where {least} is possible, gap {gap}"
            assert not gap < F - least - (1e-7 + rounding(u)) * abs(least), message
            assert warned or F - least <= STOCHASTIC.get(solver, 1e-5) * abs(least), message


def rounding(u):
    """What the rounding of z in doubles, inside the loss of the estimator, may change."""
    return 1e3 * np.finfo(float).eps * (u.offset + u.level)


@pytest.mark.parametrize("there", [Units(offset=1e8), Units(c=1e-150), Units(c=1e120, d=1e-30)])
def test_paths_and_separation(there):
    target, tol = there.y(TARGET), 1e-6 + there.digits
    plain = path(B, TARGET, SquaredLoss(), L1(), n_lams=4)
    moved = path(there.X, target, SquaredLoss(), L1(), n_lams=4)
    np.testing.assert_allclose(moved.lams / there.c / there.d, plain.lams, rtol=tol)
    np.testing.assert_allclose(moved.coefs * there.c / there.d, plain.coefs, rtol=tol, atol=tol)
    assert is_separable(there.X, SIGN).kind == is_separable(B, SIGN).kind == "overlap"
    found = is_separable(there.X, B[:, 0] > 0.0)
    assert found.kind == "complete"
    assert found.margin > 1e-4 * there.c


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_rows_and_single_precision_are_moved_too(dtype):
    X = np.column_stack([B[:, 0] + 1e4, np.where(RNG.random(24) < 0.5, B[:, 1], 0.0), 1e-8 * B[:, 1]]).astype(dtype)
    y = TARGET.astype(dtype)
    for make in (lambda: LinearRegression(solver="lbfgs"), lambda: Lasso(0.01), lambda: GLM("gaussian")):
        dense = make().fit(X, y).predict(X)
        for format in (sparse.csr_array, sparse.csc_array):
            found = make().fit(format(X), y).predict(X)
            np.testing.assert_allclose(found, dense, rtol=0.0, atol=1e-4 if dtype == np.float64 else 2e-2)


def test_data_of_ordinary_size_are_left_alone():
    for loss, target in ((SquaredLoss(), TARGET), (LogisticLoss(), SIGN.astype(float))):
        for X in (B, 100.0 * B + 300.0, sparse.csr_array(np.where(B > 0.0, B, 0.0))):
            problem = Problem(Design(X), target, loss, L2(1.0), np.full(24, 1.0 / 24.0))
            assert natural_problem(problem, ABSOLUTE) is None


class Fourth(Penalty):
    """A user's penalty without a change of units."""

    smooth = True

    def term(self, w):
        return w**4

    def slope(self, w):
        return 4.0 * w**3

    def prox(self, x, step):
        raise NotImplementedError

    def gap(self, w, g):
        return np.abs(g + 4.0 * w**3)


def test_a_penalty_without_units_allows_offsets():
    far = Units(offset=1e8)
    here, there = (fit_linear(Design(u.X), TARGET, SquaredLoss(), Fourth(), tol=1e-8) for u in (Units(), far))
    np.testing.assert_allclose(there.w, here.w, atol=1e-6)


@pytest.mark.parametrize("penalty", [*PENALTIES, L0(0.3), L2(0.3, half=True), ElasticNetPenalty(0.3, 0.5)], ids=str)
def test_a_penalty_in_other_units_is_the_same_function(penalty):
    w = np.array([3.0, -0.5, 0.0])
    for unit, value in ((0.25, 8.0), (1e100, 1e150)):
        np.testing.assert_allclose(penalty.in_units(unit, value).value(w / unit), penalty.value(w) / value, rtol=1e-12)


@pytest.mark.parametrize("name", [name for name, (_, _, power) in LOSSES.items() if power > 0.0])
def test_a_loss_of_the_residual_in_other_units_is_the_same_function(name):
    loss, _, _ = LOSSES[name]
    y, z = np.array([1.0, -2.0, 0.5]), np.array([0.2, 0.1, 4.0])
    for unit, level in ((0.25, 3.0), (1e60, 1e60)):
        inside, factor = loss.rescaled(unit)
        left = loss.value(level + unit * y, level + unit * z)
        np.testing.assert_allclose(left, factor * inside.value(y, z), rtol=1e-12)


def test_steps_that_the_user_gives_are_in_the_units_of_the_data():
    tiny = Units(c=1e-8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ConvergenceWarning, match="scale the columns"):
            LinearRegression(solver="gd", solver_options={"step": 0.01}).fit(tiny.X, TARGET)
    run = fit_linear(Design(1e3 * B), TARGET, SquaredLoss(), solver="gd", step=1e-9, max_iter=5, iterates=True)
    w = np.zeros(3)
    for seen in run.history["iterates"]:
        np.testing.assert_allclose(seen, w)
        r = 1e3 * B @ w[:2] + w[2] - TARGET
        w = w - 1e-9 * 2.0 * np.append(1e3 * B.T @ r, np.sum(r))


def test_history_and_callbacks_speak_in_the_units_of_the_data():
    rows, u = [], Units(c=1e-8, d=1e8, s=1e-30)
    for solver in SOLVERS:
        problem = Problem(Design(u.X), u.y(TARGET), SquaredLoss(), L2(0.0), u.s * WEIGHTS)
        if solver not in applicable_solvers(problem):
            continue
        rows.clear()
        found = fit_linear(
            problem.design, problem.y, problem.loss, problem.penalty, problem.weights, solver=solver,
            callback=lambda row: rows.append(row["objective"]), max_iter=50,
        )  # fmt: skip
        np.testing.assert_array_equal(rows, found.history["objective"])
        assert found.history["objective"][0] <= u.s * u.d**2 * float(WEIGHTS @ TARGET**2) * (1.0 + 1e-12)
        assert found.objective <= np.min(rows) * (1.0 + 1e-9)


UNPENALISED = [
    LinearRegression(), LinearRegression(fit_intercept=False), LinearRegression(positive=True),
    LinearRegression(solver="normal"), *(Ridge(alpha=0.0, solver=word) for word in ("auto", "cholesky", "svd", "lsqr")),
    Ridge(alpha=0.0, positive=True),
]  # fmt: skip


@pytest.mark.parametrize("scale", [1e-300, 1e-155, 1e155, 1e300, 1e307])
def test_columns_at_the_ends_of_the_range_of_floats(scale):
    for model in UNPENALISED:
        expected, found = clone(model).fit(B, TARGET), clone(model).fit(B * scale, TARGET)
        assert found.predict(B * scale) == pytest.approx(expected.predict(B), rel=1e-9), model
        assert found.objective_ == pytest.approx(expected.objective_, rel=1e-9), model


@pytest.mark.parametrize("scale", [1e-310, 1e-320])
def test_a_column_whose_coefficient_overflows_is_named(scale):
    for model in UNPENALISED:
        with pytest.raises(ValueError, match=r"column [01] of X has entries of about .*StandardScaler"):
            clone(model).fit(B * scale, TARGET)
    for penalised in (Lasso(), ElasticNet(), LassoCV(cv=3)):
        with pytest.raises(ValueError, match=r"scale the columns of X .*alpha"):
            penalised.fit(B * scale, TARGET)
