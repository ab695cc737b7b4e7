"""The generic linear models: every loss with every penalty, six scalings of one minimiser, the estimator's contract."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model import Ridge as PeerRidge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gnomon.linear import LinearModelClassifier, LinearModelRegressor
from gnomon.losses import (
    AbsoluteLoss,
    BinaryCrossEntropy,
    CallableLoss,
    ExponentialLoss,
    HingeLoss,
    HuberLoss,
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
)
from gnomon.numerics.design import Design
from gnomon.optim import Problem, applicable_solvers, fit_linear
from gnomon.penalties import L1, L2, OBJECTIVES, ElasticNetPenalty, NoPenalty, convert_lam, objective_form
from many_checks import check_contract, over

REGRESSION = [SquaredLoss(), SquaredLoss(half=True), LpLoss(1.5), AbsoluteLoss(), PinballLoss(3.0, 1.0)]
BINARY = [LogisticLoss(), BinaryCrossEntropy(), SquaredHingeLoss(), SquaredLoss(), HingeLoss(), ExponentialLoss()]
JOINT = [SoftmaxLoss(), OneVsRestCrossEntropy(), TwoTermCrossEntropy(), MulticlassHinge()]


@over(
    [
        LinearModelRegressor(penalty="l1", lam=0.1, solver="fista"),
        LinearModelClassifier(loss="softmax"),
        LinearModelClassifier(loss="squared_hinge", penalty=ElasticNetPenalty()),
    ]
)
def test_the_contract_of_scikit_learn(estimator):
    check_contract(estimator)


def regression_data(seed=0, n=40, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ [1.0, -2.0, 0.5] + 1.0 + 0.3 * rng.normal(size=n)


def class_data(seed=0, n=60, K=2):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    return rng.normal(size=(n, 3)) + 2.5 * np.eye(3)[y], y


def fitted(model, X, y, **more):
    """Fit; sub-gradient methods are approximate by nature and say so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y, **more)


@pytest.mark.spec("LIN-053")
@pytest.mark.parametrize("penalty", [L2(), L1(), ElasticNetPenalty(), None], ids=repr)
@pytest.mark.parametrize("loss", REGRESSION, ids=repr)
def test_any_regression_loss_with_any_penalty(loss, penalty):
    X, y = regression_data()
    model = fitted(LinearModelRegressor(loss, penalty, lam=0.5, max_iter=3000), X, y)
    assert model.coef_.shape == (3,)
    # No point nearby is better: the objective is the one that was promised.
    problem = Problem(Design(X), y, loss, (penalty or NoPenalty()).scaled(0.5), np.ones(len(y)))
    theta = np.append(model.coef_, model.intercept_)
    assert problem.value(theta) == pytest.approx(model.objective_, rel=1e-9)
    rng = np.random.default_rng(0)
    slack = 1e-9 if model.converged_ else 2e-3
    for _ in range(50):
        assert problem.value(theta + 0.05 * rng.normal(size=4)) >= model.objective_ * (1.0 - slack)


@pytest.mark.spec("LIN-053")
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("penalty", [L2(), L1()], ids=repr)
@pytest.mark.parametrize("loss", [*BINARY, *JOINT], ids=repr)
def test_any_classification_loss_with_any_penalty(loss, penalty, K):
    X, y = class_data(K=K)
    labels = np.array(["ant", "bee", "cat"])[y]
    model = fitted(LinearModelClassifier(loss, penalty, max_iter=2000), X, labels)
    assert model.score(X, labels) > (0.75 if K == 3 else 0.85)
    assert model.coef_.shape == (K if K > 2 or loss in JOINT else 1, 3)
    score = model.decision_function(X)
    assert score.shape == ((len(y),) if K == 2 else (len(y), K))
    probabilistic = not isinstance(loss, (HingeLoss, SquaredHingeLoss, SquaredLoss, MulticlassHinge, ExponentialLoss))
    if probabilistic:
        p = model.predict_proba(X)
        np.testing.assert_allclose(p.sum(axis=1), 1.0)
        np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(X))
    elif not isinstance(loss, ExponentialLoss):
        assert not hasattr(model, "predict_proba")


@pytest.mark.spec("LIN-053")
def test_named_models_are_instances():
    X, y = load_diabetes(return_X_y=True)
    ours = LinearModelRegressor(lam=0.3, tol=1e-12).fit(X, y)
    peer = PeerRidge(alpha=0.3).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, rtol=1e-5, atol=1e-3)
    X, y = load_iris(return_X_y=True)
    ours = LinearModelClassifier("softmax", objective="C", lam=1.0, tol=1e-8).fit(X, y)
    peer = LogisticRegression(C=1.0, tol=1e-8, max_iter=5000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-5)


@pytest.mark.spec("LIN-053")
def test_every_applicable_solver_reaches_the_minimum_and_others_are_refused_by_name():
    X, y = class_data()
    t = 2.0 * y - 1.0
    problem = Problem(Design(X), t, LogisticLoss(), L2(0.01 * 60, half=True), np.ones(60))
    names = applicable_solvers(problem)
    assert {"cd", "lbfgs", "newton", "bfgs", "cg", "gd", "momentum", "ista", "fista"} <= set(names)
    best = LinearModelClassifier(solver="newton", tol=1e-10).fit(X, y)
    for solver in ("lbfgs", "bfgs", "cg", "gd", "momentum", "ista", "fista"):
        model = LinearModelClassifier(solver=solver, tol=1e-8, max_iter=20000).fit(X, y)
        np.testing.assert_allclose(model.coef_, best.coef_, atol=1e-5, err_msg=solver)
        assert model.objective_ == pytest.approx(best.objective_, abs=1e-10)
        assert model.converged_
        assert model.dual_gap_ < 1e-8 or np.isnan(model.dual_gap_)
        assert model.history_["objective"][-1] == pytest.approx(model.objective_)
    with pytest.raises(ValueError, match=r"solver='newton' needs a smooth penalty; .* choose from \['cd'"):
        LinearModelClassifier(penalty=L1(), solver="newton").fit(X, y)
    with pytest.raises(ValueError, match="solver='magic' is unknown"):
        LinearModelClassifier(solver="magic").fit(X, y)
    with pytest.raises(ValueError, match="a loss that is a sum over rows"):
        LinearModelRegressor(MaxLoss(), solver="gd").fit(X, t)
    with pytest.raises(ValueError, match="no solver can minimise"):
        LinearModelClassifier(ZeroOneLoss()).fit(X, y)


STEEP = [ExponentialLoss(), Weighted(ExponentialLoss(), (1.0, 2.0)), LpLoss(1.5), LpLoss(3.0), LpLoss(4.0)]


@pytest.mark.spec("LIN-053")
@pytest.mark.parametrize("intercept", ["free", "none"])
@pytest.mark.parametrize("loss", STEEP, ids=repr)
def test_a_line_search_needs_no_bound_on_the_curvature(loss, intercept):
    X, y = regression_data()
    y = np.where(y + np.random.default_rng(1).normal(size=len(y)) > 0.0, 1.0, -1.0) if loss.targets == "sign" else y
    problem = Problem(Design(X, intercept=intercept), y, loss, L2(), np.ones(len(y)))
    names = applicable_solvers(problem)
    assert names[0] == "lbfgs"
    assert not {"fista", "ista", "sag", "cd"} & set(names)
    assert ("newton" in names) is loss.curved is (loss != LpLoss(1.5))
    runs = [*({"solver": name, "tol": 1e-6} for name in ("lbfgs", "newton", "bfgs", "cg") if name in names),
            {"solver": "gd", "tol": 1e-5, "step": "armijo", "max_iter": 5000}]  # fmt: skip
    found = [fit_linear(problem.design, y, loss, L2(), **run) for run in runs]
    for run, solution in zip(runs, found, strict=True):
        assert solution.converged, run
        assert 0.0 <= solution.dual_gap < 1e-9, run
        assert solution.objective == pytest.approx(found[0].objective, rel=1e-10), run


SMOOTH = [SquaredLoss(), SquaredLoss(half=True), *BINARY[:3], *JOINT[:2]]


@pytest.mark.spec("LIN-L17")
@pytest.mark.parametrize("penalty", [L2(), L1()], ids=repr)
@pytest.mark.parametrize(
    "loss", [*REGRESSION, *BINARY, *JOINT, PerceptronLoss(), Weighted(HingeLoss(), (1, 2))], ids=repr
)
def test_six_scalings_of_any_loss_are_multiples_of_one_function(loss, penalty):
    rng = np.random.default_rng(0)
    X, y = class_data(n=30)
    y = {"sign": 2.0 * y - 1.0, "index": y}.get(loss.targets, y.astype(float))
    K, kind = (2 if loss.targets == "index" else 1), ("l2" if penalty.smooth else "l1")
    points = rng.normal(size=(20, 4 * K))
    values = []
    for objective in OBJECTIVES:
        form = objective_form(objective, convert_lam(2.0, "sum", objective, n=30, penalty=kind), 30)
        weights, scaled = np.full(30, form.loss_scale), penalty.scaled(form.strength, half=form.half)
        problem = Problem(Design(X), y, loss, scaled, weights, K)
        values.append([problem.value(theta) for theta in points])
    ratios = np.array(values) / values[0]
    np.testing.assert_allclose(ratios, ratios[:, :1] * np.ones(20), rtol=1e-12)


@pytest.mark.spec("LIN-L17")
@pytest.mark.parametrize("penalty", [L2(), L1()], ids=repr)
@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
def test_six_scalings_have_one_minimiser(loss, penalty):
    X, y = class_data(n=30) if loss.targets in ("sign", "unit", "index") else regression_data(n=30)
    kind, rho, n = ("l2" if penalty.smooth else "l1"), 2.0, 30.0
    model = LinearModelClassifier if loss.targets in ("sign", "unit", "index") else LinearModelRegressor
    fits = []
    for objective in OBJECTIVES:
        lam = convert_lam(rho, "sum", objective, n=n, penalty=kind)
        # The optimality conditions are met to the same relative accuracy in every scaling.
        scale = {"C": lam, "loss_mean": lam / n}.get(objective, 1.0 / n if "mean" in objective else 1.0)
        options = {"objective": objective, "lam": lam, "solver": "fista", "tol": 1e-9 * scale, "max_iter": 50000}
        fits.append(model(loss, penalty, **options).fit(X, y))
    for fit in fits:
        assert fit.converged_
        np.testing.assert_allclose(fit.coef_, fits[0].coef_, atol=1e-8)
    ratio = fits[1].objective_ / fits[0].objective_
    assert ratio == pytest.approx(1.0 / n)  # "mean" is "sum" divided by n, in the units that the user chose


@pytest.mark.spec("LIN-L42")
def test_a_surrogate_is_trained_and_the_target_metric_chooses():
    X, y = load_breast_cancer(return_X_y=True)
    pipe = make_pipeline(StandardScaler(), LinearModelClassifier("squared_hinge", objective="mean_half"))
    grid = {"linearmodelclassifier__lam": [1e-4, 1e-2, 1.0, 100.0]}
    search = GridSearchCV(pipe, grid, scoring="accuracy", cv=5).fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    assert search.best_score_ == scores.max() > 0.96
    assert scores[-1] < scores.max()
    # The training objective itself would always prefer the weakest penalty.
    objectives = [
        pipe.set_params(linearmodelclassifier__lam=lam).fit(X, y)[-1].objective_
        for lam in grid["linearmodelclassifier__lam"]
    ]
    assert np.argmin(objectives) == 0


@pytest.mark.spec("LIN-L42")
def test_the_search_works_on_a_hinge_model():
    X, y = class_data(n=80)
    search = GridSearchCV(
        LinearModelClassifier("hinge", solver="gd", max_iter=300),
        {"lam": [1e-3, 1e-1, 10.0]},
        scoring="accuracy",
        cv=3,
    )
    search = fitted(search, X, y)
    assert search.best_score_ > 0.85


@pytest.mark.parametrize("loss", [SquaredLoss(), LogisticLoss(), SoftmaxLoss()], ids=repr)
@pytest.mark.parametrize("objective", ["sum", "mean_half"])
def test_a_weight_of_two_is_the_row_twice(loss, objective):
    X, y = class_data(n=20)
    weights = np.array([1.0, 2.0, 3.0, 0.0] * 5)
    times = np.repeat(np.arange(20), weights.astype(int))
    model = LinearModelClassifier(loss, objective=objective, lam=0.3, tol=1e-10)
    a = model.fit(X, y, sample_weight=weights)
    coef, objective_value = a.coef_, a.objective_
    b = model.fit(X[times], y[times])
    np.testing.assert_allclose(coef, b.coef_, atol=1e-6)
    assert objective_value == pytest.approx(b.objective_)
    price = {0: 1.0, 1: 3.0}
    c = LinearModelClassifier(loss, lam=0.3, class_weight=price, tol=1e-10).fit(X, y)
    d = LinearModelClassifier(loss, lam=0.3, tol=1e-10).fit(X, y, sample_weight=np.where(y == 1, 3.0, 1.0))
    np.testing.assert_allclose(c.coef_, d.coef_, atol=1e-9)


def test_prices_in_the_loss_are_prices_of_the_classes():
    X, y = class_data(n=40)
    inside = LinearModelClassifier(Weighted(LogisticLoss(), (1.0, 4.0)), objective="sum", lam=0.5, tol=1e-10).fit(X, y)
    outside = LinearModelClassifier(objective="sum", lam=0.5, class_weight={0: 1.0, 1: 4.0}, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(inside.coef_, outside.coef_, atol=1e-5)


def test_dense_sparse_single_and_double_agree():
    X, y = class_data()
    X[X < 0.0] = 0.0
    reference = LinearModelClassifier(penalty=L1(), tol=1e-8).fit(X, y)
    for rows in (sparse.csr_matrix(X), sparse.csc_matrix(X), sparse.csr_array(X), np.asfortranarray(X)):
        model = LinearModelClassifier(penalty=L1(), tol=1e-8).fit(rows, y)
        np.testing.assert_allclose(model.coef_, reference.coef_, atol=1e-5)
        np.testing.assert_array_equal(model.predict(rows), reference.predict(X))
    for solver in ("auto", "fista", "ista"):
        single = LinearModelClassifier(penalty=L1(), solver=solver, max_iter=20000).fit(X.astype(np.float32), y)
        assert single.coef_.dtype == np.float32
        np.testing.assert_allclose(single.coef_, reference.coef_, atol=1e-2)


def test_a_user_defined_loss_goes_all_the_way():
    log_cosh = CallableLoss(lambda y, z: np.logaddexp(y - z, z - y) - np.log(2.0), smoothness=1.0)
    X, y = regression_data()
    y[0] = 1e3
    model = LinearModelRegressor(log_cosh, lam=0.01, solver="lbfgs").fit(X, y)
    np.testing.assert_allclose(model.coef_, [1.0, -2.0, 0.5], atol=0.3)


def test_bad_input_is_refused_in_words():
    X, y = regression_data()
    for model, target, words in (
        (LinearModelRegressor("cubic"), y, "loss='cubic' is unknown"),
        (LinearModelRegressor(penalty="l3"), y, "penalty='l3' is unknown"),
        (LinearModelRegressor(LogisticLoss()), y, "is for classes; use LinearModelClassifier"),
        (LinearModelRegressor(BinaryCrossEntropy()), y, "needs numbers in"),
        (LinearModelRegressor(lam=-1.0), y, "lam=-1.0 must be ≥ 0"),
        (LinearModelRegressor(objective="total"), y, "objective='total' is unknown"),
        (LinearModelClassifier(), np.zeros(40, dtype=int), "one class only"),
    ):
        with pytest.raises(ValueError, match=words.replace(".", r"\.")):
            model.fit(X, target)
    with pytest.raises(ValueError, match="negative"):
        LinearModelRegressor().fit(X, y, sample_weight=-np.ones(40))
    with pytest.raises(ValueError, match="NaN in column 1"):
        LinearModelRegressor().fit(np.where(np.arange(3) == 1, np.nan, X), y)
    constant = fitted(LinearModelRegressor(), np.ones((5, 2)), np.arange(5.0))
    assert constant.predict(np.ones((1, 2)))[0] == pytest.approx(2.0)
    one_row = fitted(LinearModelRegressor(), np.ones((1, 2)), np.array([3.0]))
    assert one_row.predict(np.ones((1, 2)))[0] == pytest.approx(3.0)


@pytest.mark.spec("LIN-053")
@pytest.mark.parametrize("level", [0.0, 1e3, -1e6])
def test_the_level_of_the_targets_is_left_to_the_intercept(level):
    """Far from its targets a Huber loss has no curvature from which Newton's method could find b."""
    X, y = regression_data()
    here, there = (
        fit_linear(Design(X), y + shift, HuberLoss(1.0), L1(0.5), solver="cd", tol=1e-10) for shift in (0.0, level)
    )
    assert there.converged
    np.testing.assert_allclose(there.w, here.w, atol=1e-6)
    assert there.intercept == pytest.approx(here.intercept + level, rel=1e-9)


@pytest.mark.spec("LIN-053")
@pytest.mark.parametrize("loss", [SquaredLoss(half=True), LogisticLoss(), SquaredHingeLoss(), HuberLoss(1.0)], ids=repr)
@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_coordinate_descent_ends_where_rounding_hides_all_else(loss, scale):
    rng = np.random.default_rng(0)
    for n, d in ((60, 8), (30, 80)):
        X = scale * (rng.normal(size=(n, d)) + (5.0 if d == 8 else 0.0))
        y = X[:, :3].sum(axis=1) / scale + rng.normal(size=n)
        y = np.where(y > 0.0, 1.0, -1.0) if loss.targets == "sign" else y
        for penalty in (L1(0.5 * scale), ElasticNetPenalty(0.5 * scale, 0.5)):
            found = fit_linear(Design(X), y, loss, penalty, solver="cd", tol=1e-14, max_iter=20_000)
            assert found.converged, (n, d, penalty, found.stop_reason)
            assert found.n_iter < 20_000
