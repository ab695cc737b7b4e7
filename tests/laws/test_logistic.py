"""Laws of logistic regression, binary and multinomial."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline

from gnomon.features import QuadraticExpansion
from gnomon.linear import (
    LinearSVC,
    LinearSVM,
    LogisticRegression,
    LogisticRegressionCV,
    SeparationWarning,
    convert_parametrization,
)
from gnomon.losses import LogisticLoss
from gnomon.optim import check_gradient
from many_checks import check_contract, over

RNG = np.random.default_rng(0)
X = RNG.standard_normal((120, 4)) @ np.diag([1.0, 2.0, 0.5, 1.0])
SCORE = X @ [1.0, -0.5, 1.0, 0.0] + RNG.logistic(size=120)
Y = np.where(SCORE > 0.5, "yes", "no")
Y3 = np.digitize(SCORE, [-1.0, 1.0])
EXACT = {"tol": 1e-10, "max_iter": 100000}


# The defaults, and `LogisticRegressionCV`, are checked with all estimators.
@over([LogisticRegression(solver="newton")])
def test_the_contract_of_scikit_learn(estimator):
    check_contract(estimator)


@pytest.mark.spec("LIN-L04")
def test_tails_of_the_logistic_loss():
    loss = LogisticLoss()
    np.testing.assert_allclose(
        loss.value(1.0, np.array([20.0, 30.0, 700.0])) * np.exp([20.0, 30.0, 700.0]), 1.0, rtol=1e-8
    )
    np.testing.assert_allclose(loss.value(1.0, np.array([-50.0, -1e4])) / [50.0, 1e4], 1.0, rtol=1e-12)
    with np.errstate(all="raise", under="ignore"):
        for m in (-1e4, 1e4):
            parts = [
                loss.value(1.0, m),
                loss.gradient(1.0, m),
                loss.curvature(1.0, m),
                *loss.value_and_gradient(1.0, m),
            ]
            assert np.all(np.isfinite(parts))


def test_value_and_gradient_together_are_value_and_gradient():
    z = np.linspace(-40.0, 40.0, 81)
    for y in (-1.0, 1.0):
        value, gradient = LogisticLoss().value_and_gradient(y, z)
        np.testing.assert_allclose(value, LogisticLoss().value(y, z), rtol=1e-13)
        np.testing.assert_allclose(gradient, LogisticLoss().gradient(y, z), rtol=1e-13)


SOLVERS = ["lbfgs", "newton", "irls", "bfgs", "cg", "gd", "momentum", "ista", "fista", "cd", "sag", "auto"]
WORDS = ["newton-cg", "newton-cholesky", "saga"]


@pytest.mark.spec("LIN-L24", "LIN-124")
@pytest.mark.parametrize("solver", [*SOLVERS, *WORDS])
def test_every_solver_finds_the_same_minimum(solver):
    tol = 1e-12 if solver == "cd" else 1e-9
    model = LogisticRegression(C=0.5, solver=solver, tol=tol, max_iter=100000).fit(X, Y)
    best = LogisticRegression(C=0.5, solver="newton", tol=1e-12).fit(X, Y)
    np.testing.assert_allclose(model.coef_, best.coef_, atol=1e-6)
    np.testing.assert_allclose(model.intercept_, best.intercept_, atol=1e-6)
    assert model.converged_
    assert model.objective_ == pytest.approx(best.objective_, abs=1e-8)


@pytest.mark.spec("LIN-L24", "LIN-124")
@pytest.mark.parametrize("solver", ["dcd", "dual_newton", "liblinear", "lbfgs", "newton"])
def test_every_solver_finds_the_same_minimum_with_a_penalized_intercept(solver):
    words = {"C": 0.5, "penalize_intercept": True}
    model = LogisticRegression(solver=solver, tol=1e-9, max_iter=100000, **words).fit(X, Y)
    best = LogisticRegression(solver="newton", tol=1e-12, **words).fit(X, Y)
    np.testing.assert_allclose(model.coef_, best.coef_, atol=1e-6)
    np.testing.assert_allclose(model.intercept_, best.intercept_, atol=1e-6)


@pytest.mark.spec("LIN-124")
@pytest.mark.parametrize("solver", ["sgd", "asgd"])
def test_stochastic_solvers_come_near(solver):
    best = LogisticRegression(objective="mean_half", lam=0.1, solver="newton").fit(X, Y)
    words = {"objective": "mean_half", "lam": 0.1, "solver": solver, "tol": 1e-4, "max_iter": 1000}
    models = [LogisticRegression(random_state=seed, **words).fit(X, Y) for seed in (0, 0, 1)]
    assert all(model.objective_ <= best.objective_ + 1e-2 for model in models)
    assert np.array_equal(models[0].coef_, models[1].coef_)
    assert not np.array_equal(models[0].coef_, models[2].coef_)


@pytest.mark.spec("LIN-L24")
def test_a_vanishing_penalty_leads_to_maximum_likelihood():
    mle = LogisticRegression(C=np.inf, **EXACT).fit(X, Y)
    for words in ({"objective": "loss_mean", "lam": 1e9}, {"C": 1e7}, {"objective": "mean", "lam": 1e-10}):
        np.testing.assert_allclose(LogisticRegression(**words, **EXACT).fit(X, Y).coef_, mle.coef_, atol=1e-5)
    np.testing.assert_allclose(LogisticRegression(C=np.inf, **EXACT).fit(X, Y).coef_, mle.coef_, atol=1e-10)


@pytest.mark.spec("LIN-L12")
def test_predictions_do_not_feel_a_change_of_coordinates():
    A = RNG.standard_normal((4, 4)) + 2.0 * np.eye(4)
    plain = LogisticRegression(C=np.inf, **EXACT).fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(
        LogisticRegression(C=np.inf, **EXACT).fit(X @ A, Y).predict_proba(X @ A), plain, atol=1e-8
    )
    ridge = LogisticRegression(**EXACT).fit(X, Y).predict_proba(X)
    Q = np.linalg.qr(A)[0]
    np.testing.assert_allclose(LogisticRegression(**EXACT).fit(X @ Q, Y).predict_proba(X @ Q), ridge, atol=1e-8)
    assert np.max(np.abs(LogisticRegression(**EXACT).fit(X @ A, Y).predict_proba(X @ A) - ridge)) > 1e-3


@pytest.mark.spec("LIN-L33", "LIN-126")
def test_mean_probability_is_the_class_frequency():
    model = LogisticRegression(C=np.inf, **EXACT).fit(X, Y)
    frequency = np.mean(Y == "yes")
    assert np.mean(model.predict_proba(X)[:, 1]) == pytest.approx(frequency, abs=1e-9)
    plain = LogisticRegression(objective="mean_half", lam=0.1, **EXACT).fit(X, Y)
    weighted = LogisticRegression(objective="mean_half", lam=0.1, prior=frequency, **EXACT).fit(X, Y)
    np.testing.assert_allclose(weighted.coef_, plain.coef_, atol=1e-9)
    far = LogisticRegression(C=np.inf, prior=0.9, **EXACT).fit(X, Y)
    shifted = model.llr(X) + np.log(9.0)
    assert np.corrcoef(far.decision_function(X), shifted)[0, 1] > 0.98
    assert not np.allclose(far.decision_function(X), shifted, atol=1e-3)


@pytest.mark.spec("LIN-126")
@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(**EXACT),
        LogisticRegression(multi_class="ovr", **EXACT),
        LogisticRegression(class_weight={"a": 2.0, "b": 1.0, "c": 0.5}, **EXACT),
        LinearSVM(C=0.3, solver="qp"),
        LinearSVC(tol=1e-10),
    ],
    ids=["softmax", "ovr", "class weights", "SVM", "SVC"],
)
def test_a_prior_of_several_classes_is_a_weight_for_each(model):
    """The rows of class c weigh n π_c/n_c, where n_c counts the weights that they have already."""
    s, pi = np.random.default_rng(1).integers(0, 4, len(X)).astype(float), np.array([0.2, 0.3, 0.5])
    labels = np.array(["a", "b", "c"])[np.unique(Y3, return_inverse=True)[1]]
    prices = getattr(model, "class_weight", None) or dict.fromkeys("abc", 1.0)
    priced = s * np.array([prices[label] for label in labels])
    counts = np.array([np.sum(priced[labels == c]) for c in "abc"])
    weights = priced * (np.sum(priced) * pi / counts)[np.searchsorted(["a", "b", "c"], labels)]
    found = clone(model).set_params(prior=pi).fit(X, labels, s)
    by_hand = clone(model).set_params(class_weight=None).fit(X, labels, weights)
    np.testing.assert_allclose(found.coef_, by_hand.coef_, atol=1e-6)
    np.testing.assert_allclose(found.intercept_, by_hand.intercept_, atol=1e-6)
    assert np.max(np.abs(found.coef_ - clone(model).fit(X, labels, s).coef_)) > 1e-2


@pytest.mark.spec("LIN-127")
def test_llr_takes_the_effective_prior_off():
    model = LogisticRegression(class_weight={"no": 1.0, "yes": 3.0}).fit(X, Y)
    n = np.array([np.sum(Y == "no"), 3.0 * np.sum(Y == "yes")])
    np.testing.assert_allclose(model.train_prior_, n / n.sum())
    np.testing.assert_allclose(model.llr(X), model.decision_function(X) - np.log(n[1] / n[0]))
    several = LogisticRegression(prior=[0.2, 0.3, 0.5]).fit(X, Y3)
    np.testing.assert_allclose(several.train_prior_, [0.2, 0.3, 0.5])
    np.testing.assert_allclose(several.llr(X), several.predict_log_proba(X) - np.log([0.2, 0.3, 0.5]))


@pytest.mark.spec("LIN-L34", "LIN-128")
def test_full_and_reference_softmax():
    words = {"C": np.inf, **EXACT}
    full = LogisticRegression(**words).fit(X, Y3)
    reference = LogisticRegression(parametrization="reference", **words).fit(X, Y3)
    np.testing.assert_allclose(full.predict_proba(X), reference.predict_proba(X), atol=1e-7)
    moved = clone(full)
    moved.__dict__.update(full.__dict__, coef_=full.coef_ + 1.7, intercept_=full.intercept_ - 3.0)
    np.testing.assert_allclose(moved.predict_proba(X), full.predict_proba(X), atol=1e-12)
    W, b = convert_parametrization(full.coef_, full.intercept_, to="reference")
    np.testing.assert_allclose(W, reference.coef_, atol=1e-5)
    np.testing.assert_allclose(b, reference.intercept_, atol=1e-5)
    first = LogisticRegression(parametrization="reference", reference_class=0, C=0.1, **EXACT).fit(X, Y3)
    assert np.all(first.coef_[0] == 0.0)
    penalized = LogisticRegression(C=0.1, **EXACT).fit(X, Y3)
    np.testing.assert_allclose(penalized.coef_.sum(axis=0), 0.0, atol=1e-8)
    assert not np.allclose(first.predict_proba(X), penalized.predict_proba(X), atol=1e-3)


@pytest.mark.spec("LIN-L34", "LIN-128")
def test_two_classes_in_full_with_lambda_are_binary_with_half_of_it():
    full = LogisticRegression(objective="sum", lam=2.0, multi_class="multinomial", **EXACT).fit(X, Y)
    binary = LogisticRegression(objective="sum", lam=1.0, **EXACT).fit(X, Y)
    np.testing.assert_allclose(full.predict_proba(X), binary.predict_proba(X), atol=1e-8)
    assert full.coef_.shape == (2, 4)
    assert full.decision_function(X).shape == (120,)


@pytest.mark.spec("LIN-128")
@pytest.mark.parametrize("y", [Y, Y3])
def test_sign_changes_coefficients_and_not_predictions(y):
    plain, turned = LogisticRegression().fit(X, y), LogisticRegression(sign=-1).fit(X, y)
    np.testing.assert_allclose(turned.coef_, -plain.coef_)
    np.testing.assert_allclose(turned.predict_proba(X), plain.predict_proba(X))
    np.testing.assert_array_equal(turned.predict(X), plain.predict(X))


@pytest.mark.spec("LIN-129")
def test_one_against_rest_is_k_binary_models():
    model = LogisticRegression(multi_class="ovr", **EXACT).fit(X, Y3)
    for k in range(3):
        binary = LogisticRegression(**EXACT).fit(X, k == Y3)
        np.testing.assert_allclose(model.coef_[k], binary.coef_[0], atol=1e-8)
        np.testing.assert_allclose(model.decision_function(X)[:, k], binary.decision_function(X), atol=1e-7)
    np.testing.assert_array_equal(model.predict(X), np.argmax(model.decision_function(X), axis=1))
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    assert model.n_iter_.shape == (3,)
    assert set(model.history_["problem"]) == {0, 1, 2}


@pytest.mark.spec("LIN-L35", "LIN-121")
@pytest.mark.parametrize("solver", ["lbfgs", "newton"])
def test_separable_classes_without_a_penalty_warn(solver):
    x = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    with pytest.warns(SeparationWarning, match="no maximum"):
        model = LogisticRegression(C=np.inf, solver=solver).fit(x, [0, 0, 1, 1])
    assert not model.converged_
    assert np.all(np.isfinite(model.coef_))
    assert 0.0 < model.objective_ < 0.1
    with pytest.warns(SeparationWarning):
        LogisticRegression(C=np.inf).fit(np.eye(3), [0, 1, 2])
    LogisticRegression(C=1e3).fit(x, [0, 0, 1, 1])


@pytest.mark.spec("LIN-L35", "LIN-121")
def test_quasi_separation_is_found_by_the_linear_programme():
    x = np.column_stack([np.repeat([0.0, 1.0], 20), np.tile([0.0, 1.0], 20)])
    y = np.where(x[:, 0] == 1.0, 1, np.arange(40) % 3 == 0)
    with pytest.warns(ConvergenceWarning):
        model = LogisticRegression(C=np.inf, tol=1e-9, max_iter=60).fit(x, y)
    assert not model.converged_


@pytest.mark.spec("LIN-L35")
def test_training_chooses_no_penalty_and_validation_does_not():
    rng = np.random.default_rng(3)
    A, B = rng.standard_normal((30, 15)), rng.standard_normal((2000, 15))
    train, test = ((M[:, 0] + rng.logistic(size=len(M)) > 0).astype(int) for M in (A, B))
    Cs = np.logspace(-3, 4, 8)
    models = [LogisticRegression(C=C, max_iter=1000).fit(A, train) for C in Cs]
    assert np.argmax([m.log_likelihood(A, train) for m in models]) == len(Cs) - 1
    assert np.argmax([m.log_likelihood(B, test) for m in models]) < len(Cs) - 1


@pytest.mark.spec("LIN-123")
@pytest.mark.parametrize(("solver", "y"), [("cd", Y), ("fista", Y), ("fista", Y3), ("saga", Y), ("saga", Y3)])
@pytest.mark.parametrize("words", [{"l1_ratio": 1.0}, {"l1_ratio": 0.8}])
def test_l1_norms_give_exact_zeros(solver, y, words):
    model = LogisticRegression(C=0.05, solver=solver, tol=1e-7, max_iter=20000, **words).fit(X, y)
    assert np.sum(model.coef_ == 0.0) > 0
    assert np.sum(model.coef_ != 0.0) > 0


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_words_that_scikit_learn_withdraws_are_shares_of_the_l1_norm_with_a_warning():
    cases = [("l2", {}, {}), ("l1", {"l1_ratio": 1.0}, {"l1_ratio": 1.0}), (None, {}, {"C": np.inf})]
    cases += [("elasticnet", {"l1_ratio": ratio}, {"l1_ratio": ratio}) for ratio in (0.0, 1.0)]
    cases += [("elasticnet", {"l1_ratio": 0.3}, {"l1_ratio": 0.3}), ("l1", {}, {"l1_ratio": 1.0})]
    cases += [(word, {"C": np.inf, "l1_ratio": 0.5}, {"C": np.inf}) for word in ("l2", "l1", "elasticnet")]
    for word, given, meant in cases:
        words = {"solver": "saga", "tol": 1e-8, "max_iter": 20_000}
        with pytest.warns(FutureWarning, match="penalty is deprecated in scikit-learn 1.8"):
            model = LogisticRegression(penalty=word, **given, **words).fit(X, Y)
        np.testing.assert_array_equal(model.coef_, LogisticRegression(**meant, **words).fit(X, Y).coef_)
    for word, ratio in (("l1", 0.0), ("l2", 1.0), ("l2", 0.5)):
        with pytest.warns(UserWarning, match="is read with penalty='elasticnet' only"), pytest.warns(FutureWarning):
            LogisticRegression(penalty=word, l1_ratio=ratio, solver="saga", max_iter=2000).fit(X, Y)


@pytest.mark.spec("LIN-123")
def test_penalty_at_which_all_coefficients_vanish():
    code = (Y == "yes").astype(float)
    limit = np.max(np.abs(X.T @ (code - code.mean())))
    words = {"l1_ratio": 1.0, "objective": "sum", "solver": "cd", "tol": 1e-10}
    assert not np.any(LogisticRegression(lam=limit * 1.0001, **words).fit(X, Y).coef_)
    assert np.any(LogisticRegression(lam=limit * 0.999, **words).fit(X, Y).coef_)


@pytest.mark.spec("LIN-120")
def test_prediction():
    model = LogisticRegression().fit(X, Y)
    f = model.decision_function(X)
    p = model.predict_proba(X)
    np.testing.assert_allclose(p[:, 1], 1.0 / (1.0 + np.exp(-f)))
    np.testing.assert_allclose(np.log(p[:, 1] / p[:, 0]), f)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(p))
    np.testing.assert_array_equal(model.predict(X), np.where(f > 0, "yes", "no"))
    assert model.log_likelihood(X, Y) == pytest.approx(np.sum(np.log(np.where(Y == "yes", p[:, 1], p[:, 0]))))
    cautious = LogisticRegression(threshold=0.8).fit(X, Y)
    np.testing.assert_array_equal(cautious.predict(X) == "yes", p[:, 1] > 0.8)
    far = model.predict_log_proba(1e5 * X[:1])
    assert np.all(np.isfinite(far))
    model.coef_, model.intercept_ = np.zeros((1, 4)), np.zeros(1)
    assert np.all(model.predict(X) == "no")


@pytest.mark.spec("LIN-131")
def test_quadratic_expansion_separates_a_disc():
    points = RNG.standard_normal((400, 2))
    inside = np.sum(points**2, axis=1) < 1.2
    linear = LogisticRegression().fit(points, inside).score(points, inside)
    quadratic = make_pipeline(QuadraticExpansion(), LogisticRegression(C=1e3, max_iter=1000)).fit(points, inside)
    assert linear < 0.8 < 0.98 < quadratic.score(points, inside)
    A = np.array([[2.0, 0.5], [0.5, -1.0]])
    b = np.array([1.0, -2.0])
    form = np.einsum("ij,jk,ik->i", points, A, points) + points @ b - 0.3
    weights = np.concatenate([A.ravel(order="F"), b])
    np.testing.assert_allclose(QuadraticExpansion().fit_transform(points) @ weights - 0.3, form, atol=1e-12)


@pytest.mark.spec("LIN-146")
def test_number_of_parameters():
    counts = [
        LogisticRegression().fit(X, Y).n_parameters_,
        LogisticRegression(fit_intercept=False).fit(X, Y).n_parameters_,
        LogisticRegression().fit(X, Y3).n_parameters_,
        LogisticRegression(parametrization="reference").fit(X, Y3).n_parameters_,
        LogisticRegression(parametrization="reference").fit(X, Y).n_parameters_,
    ]
    assert counts == [5, 4, 15, 10, 5]
    sparing = LogisticRegression(C=0.05, l1_ratio=1.0, solver="cd").fit(X, Y)
    assert sparing.n_nonzero_ == np.sum(sparing.coef_ != 0.0) < sparing.n_parameters_ == 5


@pytest.mark.parametrize("y", [Y, Y3])
def test_weights_are_repetitions(y):
    weights = RNG.integers(0, 4, 120)
    for words in ({"C": 2.0}, {"objective": "mean_half", "lam": 0.1}, {"class_weight": "balanced"}):
        weighted = LogisticRegression(**words, **EXACT).fit(X, y, weights)
        repeated = LogisticRegression(**words, **EXACT).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
        np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-7)
        assert weighted.objective_ == pytest.approx(repeated.objective_)


@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
@pytest.mark.parametrize("seed", range(4))
def test_cross_validation_with_weights_is_cross_validation_with_repetitions(solver, seed):
    rng = np.random.default_rng(seed)
    rows, y = rng.random((15, 30)), np.arange(15) % 3
    weights = np.hstack([rng.integers(0, 5, 15), np.ones(30, dtype=int)])
    A, t, group = np.vstack([rows, rows, rows]), np.tile(y, 3), np.repeat([0, 1, 2], 15)
    words = {"Cs": 3, "solver": solver, "tol": 1e-9, "max_iter": 10_000}

    def folds(groups):
        return [(np.flatnonzero(groups != k), np.flatnonzero(groups == k)) for k in range(3)]

    weighted = LogisticRegressionCV(cv=folds(group), **words).fit(A, t, weights)
    A, t, group = (np.repeat(part, weights, axis=0) for part in (A, t, group))
    repeated = LogisticRegressionCV(cv=folds(group), **words).fit(A, t)
    assert weighted.C_ == repeated.C_
    np.testing.assert_allclose(weighted.scores_, repeated.scores_)
    assert weighted.converged_
    assert repeated.converged_
    # (1/n) Σℓ + ‖w‖²/(2nC) is 1/(nC)-strongly convex in w: each fit is that near to the minimum.
    near = 2 * np.sqrt(weighted.coef_.size) * words["tol"] * weights.sum() * weighted.C_
    assert np.linalg.norm(weighted.coef_ - repeated.coef_) <= near
    if solver == "newton":
        np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-7)


@pytest.mark.parametrize("y", [Y, Y3])
@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array, np.asfortranarray])
def test_any_container_gives_the_same_model(y, kind):
    dense = LogisticRegression(**EXACT).fit(X, y)
    other = LogisticRegression(**EXACT).fit(kind(X), y)
    np.testing.assert_allclose(other.coef_, dense.coef_, atol=1e-8)
    np.testing.assert_allclose(other.predict_proba(kind(X)), dense.predict_proba(X), atol=1e-8)


@pytest.mark.parametrize("y", [Y, Y3])
def test_single_precision_stays(y):
    model = LogisticRegression().fit(X.astype(np.float32), y)
    assert model.coef_.dtype == model.intercept_.dtype == np.float32
    assert model.predict_proba(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(model.coef_, LogisticRegression().fit(X, y).coef_, atol=1e-2)


def test_warm_start_begins_at_the_last_solution():
    model = LogisticRegression(warm_start=True, tol=1e-8).fit(X, Y3)
    steps = model.n_iter_[0]
    assert model.fit(X, Y3).n_iter_[0] < steps
    assert np.isfinite(model.set_params(C=2.0).fit(X, Y3).objective_)


def test_gradient_of_what_is_minimized():
    model = LogisticRegression(**EXACT).fit(X, Y)
    sign = np.where(Y == "yes", 1.0, -1.0)

    def objective(theta):
        z = X @ theta[:4] + theta[4]
        g = LogisticLoss().gradient(sign, z)
        value = np.sum(LogisticLoss().value(sign, z)) + 0.5 * theta[:4] @ theta[:4]
        return value, np.append(X.T @ g + theta[:4], np.sum(g))

    theta = np.append(model.coef_[0], model.intercept_[0])
    assert objective(theta)[0] == pytest.approx(model.objective_)
    assert np.max(np.abs(objective(theta)[1])) == pytest.approx(model.gradient_norm_, abs=1e-9)
    assert 0.0 <= model.dual_gap_ < 1e-9
    assert check_gradient(objective, theta + 0.1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"C": -1.0}, "C=-1.0 must be a number > 0"),
        ({"C": 2.0, "lam": 1.0}, "both given"),
        ({"solver": "simplex"}, "solver='simplex' is unknown"),
        ({"penalty": "l3"}, "penalty='l3' is unknown"),
        ({"l1_ratio": 1.0}, "solver='lbfgs' needs a smooth penalty"),
        ({"l1_ratio": 1.5}, "l1_ratio=1.5"),
        ({"objective": "median"}, "objective='median' is unknown"),
        ({"prior": 1.5}, "prior=1.5"),
        ({"prior": [0.2, 0.3, 0.5]}, "must be 2 numbers in"),
        ({"multi_class": "votes"}, "multi_class='votes' is unknown"),
        ({"sign": 2}, "sign=2 is unknown"),
        ({"tol": -1.0}, "tol=-1.0"),
        ({"solver": "dcd"}, "penalised intercept"),
    ],
)
def test_bad_words(words, message):
    with pytest.raises(ValueError, match=message):
        LogisticRegression(**words).fit(X, Y)


def test_bad_data():
    with pytest.raises(ValueError, match="only one class"):
        LogisticRegression().fit(X, np.zeros(120))
    with pytest.raises(ValueError, match="column 1"):
        LogisticRegression().fit(np.where(np.arange(4) == 1, np.nan, X), Y)
    with pytest.raises(ValueError, match="reference_class=7"):
        LogisticRegression(parametrization="reference", reference_class=7).fit(X, Y3)
    with pytest.raises(ValueError, match="liblinear"):
        LogisticRegression(solver="liblinear").fit(X, Y3)
    model = LogisticRegression().fit(X, Y)
    for bad in (np.full((1, 4), np.nan), np.zeros((1, 3)), np.zeros(4)):
        with pytest.raises(ValueError):
            model.predict(bad)
    constant = LogisticRegression().fit(np.ones((120, 2)), Y)
    np.testing.assert_allclose(constant.coef_, 0.0, atol=1e-6)
    with pytest.warns(ConvergenceWarning, match="not converged"):
        assert not LogisticRegression(max_iter=1, tol=1e-12).fit(X, Y).converged_


@pytest.mark.spec("LIN-049")
def test_cross_validation_and_the_one_standard_error_rule():
    best = LogisticRegressionCV(Cs=7, scoring="neg_log_loss").fit(X, Y)
    sparing = LogisticRegressionCV(Cs=7, scoring="neg_log_loss", rule="1se").fit(X, Y)
    means = best.scores_.mean(axis=0)[0]
    errors = best.scores_.std(axis=0, ddof=1)[0] / np.sqrt(5)
    top = np.argmax(means)
    assert best.Cs_[top] == best.C_
    assert sparing.C_ == best.Cs_[np.flatnonzero(means >= means[top] - errors[top])[0]] < best.C_
    np.testing.assert_allclose(best.coef_, LogisticRegression(C=best.C_).fit(X, Y).coef_)
    assert best.coefs_paths_.shape == (5, 1, 7, 1, 5)
    assert best.score(X, Y) == pytest.approx(best.model_.log_likelihood(X, Y) / 120)
    averaged = LogisticRegressionCV(Cs=7, refit=False, fit_intercept=False).fit(X, Y)
    assert averaged.coef_.shape == (1, 4)
    sparse_one = LogisticRegressionCV(Cs=[0.05, 0.1], l1_ratios=(0.5, 1.0), solver="cd").fit(X, Y)
    assert sparse_one.scores_.shape == (5, 2, 2)


@pytest.mark.filterwarnings("ignore:The least populated class")
def test_the_log_loss_knows_classes_that_a_fold_has_no_row_of():
    y = np.r_[np.arange(118) % 2, 2, 2]
    found = LogisticRegressionCV(Cs=[0.1, 1.0], cv=3, scoring="neg_log_loss").fit(X, y)
    assert np.all(np.isfinite(found.scores_))
    by_hand = found.predict_log_proba(X[:118])[np.arange(118), y[:118]]
    assert found.score(X[:118], y[:118]) == pytest.approx(by_hand.mean())


@pytest.mark.parametrize("C", [1e3, 1e6, 1e9])
def test_sparse_fits_are_called_converged_only_near_the_minimum(C):
    """Separable rows: at the minimum little is left of what w = 0 loses, C n log 2."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 100))
    y = X[:, 0] + rng.standard_normal(40) > 0.0
    words = {"l1_ratio": 1.0, "C": C, "solver": "cd"}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = LogisticRegression(**words).fit(X, y)
    best = LogisticRegression(**words, tol=1e-8, max_iter=10_000).fit(X, y)
    assert best.converged_
    assert model.converged_ == (not said)
    assert not model.converged_ or model.dual_gap_ <= 1e-4 * model.objective_
    assert model.objective_ - model.dual_gap_ <= best.objective_ * (1.0 + 1e-7)
    assert model.objective_ <= 2.0 * best.objective_


def test_the_first_steps_of_newton_for_many_scores_are_counted():
    """Iterations, history and `max_iter` count the steps that are left to L-BFGS."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 30)) * np.logspace(0.0, 1.5, 30)
    y = np.argmax(X[:, :4] + rng.gumbel(size=(400, 4)), axis=1)
    model = LogisticRegression(solver="newton-cholesky", tol=1e-8).fit(X, y)
    steps = model.history_["iteration"]
    assert model.n_iter_[0] > 10
    np.testing.assert_array_equal(steps, np.arange(len(steps)))
    assert steps[-1] == model.n_iter_[0]
    assert np.all(np.diff(model.history_["seconds"]) >= 0.0)
    assert np.all(np.diff(model.history_["objective"]) <= 1e-9)
    with pytest.warns(ConvergenceWarning):
        few = LogisticRegression(solver="newton-cholesky", tol=1e-8, max_iter=5).fit(X, y)
    assert few.n_iter_[0] == 5
