"""The words of linear models: a strength that is given is used, an idle bound says so, weight zero is no row."""

import re

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from gnomon.linear import (
    GLM,
    BayesianLogisticRegression,
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LeastSquaresClassifier,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    Ridge,
    RidgeCV,
    SeparationWarning,
    path,
)
from gnomon.losses import LogisticLoss, SoftmaxLoss, SquaredLoss
from gnomon.penalties import L1, convert_lam

RNG = np.random.default_rng(5)
X = RNG.standard_normal((40, 3))
Y = X @ [1.0, 2.0, 0.0] + 0.1 * RNG.standard_normal(40)
LABELS = (Y + RNG.standard_normal(40) > 0).astype(int)


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (Ridge(alpha=0.1, objective="mean"), Y),
        (Lasso(alpha=0.1, objective="mean"), Y),
        (ElasticNet(alpha=0.1, objective="sum"), Y),
        (LogisticRegression(C=10.0, objective="mean_half"), LABELS),
        (LinearSVC(C=10.0, objective="mean_half"), LABELS),
    ],
    ids=lambda case: type(case).__name__,
)
def test_a_strength_is_not_passed_over_in_silence(model, y):
    with pytest.raises(ValueError, match="both given and exclude each other"):
        model.fit(X, y)


@pytest.mark.filterwarnings("ignore:penalty is deprecated:FutureWarning")
@pytest.mark.parametrize("words", [{"penalty": None}, {"C": np.inf}])
def test_a_strength_without_a_penalty_is_refused(words):
    with pytest.raises(ValueError, match="no penalty to weigh"):
        LogisticRegression(lam=0.1, **words).fit(X, LABELS)


def test_the_form_c_without_a_number_is_the_parameter_c():
    for C in (1.0, 0.2):
        named = LinearSVC(objective="C", C=C, tol=1e-8).fit(X, LABELS)
        np.testing.assert_allclose(named.coef_, LinearSVC(C=C, tol=1e-8).fit(X, LABELS).coef_, rtol=1e-6)


@pytest.mark.parametrize("objective", ["C", "loss_mean"])
@pytest.mark.parametrize("cls", [Lasso, Ridge])
def test_an_idle_bound_is_no_penalty_also_where_lam_weighs_the_loss(cls, objective):
    model = cls(objective=objective, constraint=1e3, tol=1e-12).fit(X, Y)
    assert model.multiplier_ == np.inf
    assert model.lam_in("sum") == 0.0
    np.testing.assert_allclose(model.coef_, Ridge(alpha=0.0).fit(X, Y).coef_, rtol=1e-5, atol=1e-8)


def test_the_lam_of_a_constrained_lasso_is_its_multiplier():
    model = Lasso(objective="mean", constraint=1.0, tol=1e-12).fit(X, Y)
    assert model.lam_in("mean") == pytest.approx(model.multiplier_)
    assert model.lam_in("sum") == pytest.approx(convert_lam(model.multiplier_, "mean", "sum", n=40, penalty="l1"))


def test_a_path_is_that_of_the_last_fit():
    with pytest.raises(NotFittedError):
        Lasso().theta_for(1.0)
    model = Lasso(store_path=True).fit(X, Y)
    assert model.theta_for(0.1) > 0.0
    with pytest.raises(ValueError, match="the path was not kept"):
        model.set_params(store_path=False).fit(X, -3.0 * Y).theta_for(0.1)


def test_a_bound_of_zero_leaves_the_constant_for_every_solver():
    for solver in ("auto", "lbfgs", "gd"):
        model = Ridge(constraint=0.0, solver=solver).fit(X, Y)
        assert not model.coef_.any()
        assert model.intercept_ == pytest.approx(Y.mean())


def test_dual_coefficients_need_a_penalty():
    with pytest.raises(ValueError, match="fit with alpha > 0"):
        Ridge(alpha=0.0).fit(X, Y).dual_coefficients(X, Y)


def test_the_last_knot_has_no_penalty_in_every_form():
    for objective, end in {"sum": 0.0, "mean_half": 0.0, "C": np.inf, "loss_mean": np.inf}.items():
        lams = path(X, Y, SquaredLoss(), L1(), exact=True, objective=objective).lams
        assert lams[-1] == end
        assert np.all(np.diff(lams) * (1 if end else -1) > 0)


def test_a_path_over_a_constant_target_is_zero():
    found = path(X, np.ones(40), SquaredLoss(), L1(), n_lams=3)
    assert not found.coefs.any()
    np.testing.assert_allclose(found.intercepts, 1.0)


@pytest.mark.parametrize(
    ("y", "loss", "options", "text"),
    [
        (Y[:5], SquaredLoss(), {}, "inconsistent numbers of samples"),
        (np.full(40, np.nan), SquaredLoss(), {}, "NaN"),
        (LABELS, LogisticLoss(), {}, "needs the numbers −1 and"),
        (LABELS, SoftmaxLoss(), {}, "a score for every class"),
        (Y, SquaredLoss(), {"n_lams": 0}, "n_lams=0 must be ≥ 1"),
    ],
)
def test_a_path_refuses_what_it_cannot_follow(y, loss, options, text):
    with pytest.raises(ValueError, match=text):
        path(X, y, loss, L1(), **options)


@pytest.mark.parametrize("model", [LogisticRegression(C=np.inf), GLM("binomial")], ids=["logistic", "glm"])
def test_a_row_without_weight_hides_no_separation(model):
    rows, labels = np.array([[-2.0], [-1.0], [1.0], [2.0], [5.0]]), np.array([0, 0, 1, 1, 0])
    with pytest.warns(SeparationWarning):
        assert not model.fit(rows, labels, np.array([1.0, 1.0, 1.0, 1.0, 0.0])).converged_


def test_a_prior_needs_rows_of_every_class():
    with pytest.raises(ValueError, match=r"\[1\] have none"):
        LogisticRegression(prior=0.5).fit(X, LABELS, (LABELS == 0).astype(float))


@pytest.mark.parametrize("options", [{"l1_ratio": [0.5]}, {"l1_ratio": [0.5, 0.9]}, {"l1_ratio": 0.5}])
@pytest.mark.parametrize("alphas", [7, [0.1, 1.0]])
def test_tables_of_cross_validation_have_the_shapes_of_scikit_learn(options, alphas):
    ours, theirs = (cls(alphas=alphas, **options).fit(X, Y) for cls in (ElasticNetCV, linear_model.ElasticNetCV))
    np.testing.assert_allclose(ours.alphas_, theirs.alphas_)
    assert ours.mse_path_.shape == theirs.mse_path_.shape


ONE_OF_THREE = np.append(LABELS[:-1], 2)


@pytest.mark.filterwarnings("ignore:The least populated class")
@pytest.mark.parametrize(
    ("model", "y", "text"),
    [
        (LassoCV(alphas=0), Y, "alphas=0 must be ≥ 1"),
        (LassoCV(alphas=3.5), Y, "alphas=3.5 must be a whole number"),
        (LassoCV(alphas=[]), Y, "alphas is empty"),
        (LassoCV(eps=-1.0), Y, "eps=-1.0 must be a number > 0"),
        (LogisticRegressionCV(Cs=0), LABELS, "Cs=0 must be ≥ 1"),
        (LogisticRegressionCV(Cs=[]), LABELS, "is empty"),
        (LogisticRegressionCV(l1_ratios=()), LABELS, "is empty"),
        (LogisticRegressionCV(Cs=2), ONE_OF_THREE, r"classes \[2\] without a row"),
    ],
)
def test_a_search_says_what_it_cannot_choose_from(model, y, text):
    with pytest.raises((TypeError, ValueError), match=text):
        model.fit(X, y)


def test_a_prior_may_be_written_as_a_pair():
    number = BayesianLogisticRegression(2.0).fit(X, LABELS)
    pair = BayesianLogisticRegression((np.zeros(3), 2.0 * np.eye(3))).fit(X, LABELS)
    np.testing.assert_allclose(pair.coef_, number.coef_)
    assert pair.log_evidence_ == pytest.approx(number.log_evidence_)
    with pytest.raises(ValueError, match="law of 2 coordinates where 3"):
        BayesianLogisticRegression((np.zeros(2), np.eye(2))).fit(X, LABELS)
    with pytest.raises(ValueError, match="is not a prior"):
        BayesianLogisticRegression((1.0, 2.0, 3.0)).fit(X, LABELS)


def test_an_attribute_is_of_the_last_fit_or_absent():
    model = LinearRegression().fit(X, Y)
    assert model.rank_ == 3
    model.set_params(solver="lbfgs").fit(2.0 * X, Y)
    assert "rank_" not in vars(model)
    for ask in (model.standard_errors, lambda: model.singular_):
        with pytest.raises(ValueError, match="keeps no factor of X"):
            ask()
    wide = sparse.random_array((40, 2000), density=0.01, format="csr", rng=0)
    with pytest.raises(ValueError, match=r"solver='lsmr' keeps no factor .* fit with solver='qr', .* X.toarray"):
        _ = LinearRegression().fit(wide, Y).singular_
    dense = LinearRegression(solver="qr", on_singular="ignore").fit(wide.toarray(), Y)
    centred = wide.toarray() - wide.mean(axis=0)
    np.testing.assert_allclose(dense.singular_[:40], np.linalg.svd(centred, compute_uv=False), atol=1e-8)
    ridge = Ridge().fit(X, Y)
    assert ridge.effective_dof_ > 1.0
    ridge.set_params(solver="lbfgs").fit(X, Y)
    with pytest.raises(ValueError, match="does not find effective_dof_"):
        ridge.gcv(X, Y)


def test_a_score_half_way_between_codes_is_the_lower_class():
    rows, labels = [[0.0], [1.0], [2.0], [3.0]], ["a", "b", "c", "d"]
    with pytest.warns(UserWarning, match="order of the classes"):
        model = LeastSquaresClassifier(coding="integer").fit(rows, labels)
    model.coef_, model.intercept_ = np.array([[1.0]]), np.array([0.0])
    assert model.predict([[0.5], [1.5], [2.5]]).tolist() == ["a", "b", "c"]


def test_probabilities_against_the_rest_survive_underflow():
    model = LogisticRegression(multi_class="ovr").fit(X, np.arange(40) % 3)
    model.coef_, model.intercept_ = np.zeros((3, 3)), np.array([-800.0, -790.0, -795.0])
    p = model.predict_proba(X[:1])
    np.testing.assert_allclose(p.sum(), 1.0)
    np.testing.assert_allclose(np.log(p), model.predict_log_proba(X[:1]))


def test_one_column_of_targets_has_the_shapes_of_scikit_learn():
    for ours, theirs in ((Lasso, linear_model.Lasso), (ElasticNet, linear_model.ElasticNet)):
        model, peer = ours(0.01).fit(X, Y[:, None]), theirs(0.01).fit(X, Y[:, None])
        assert (model.coef_.shape, model.intercept_.shape) == (peer.coef_.shape, peer.intercept_.shape)
        assert model.predict(X).shape == peer.predict(X).shape


FORMS = [(Ridge(), Y), (Lasso(0.1), Y), (ElasticNet(0.1), Y), (LogisticRegression(), LABELS), (LinearSVC(), LABELS)]


@pytest.mark.parametrize(("model", "y"), FORMS, ids=lambda case: type(case).__name__)
def test_an_unknown_form_of_the_strength_is_called_by_its_argument(model, y):
    with pytest.raises(ValueError, match=r"^name='x' is unknown"):
        model.fit(X, y).lam_in("x")


@pytest.mark.parametrize("solver", ["newton-cg", "newton-cholesky", "sag", "lbfgs"])
@pytest.mark.parametrize("words", [{"l1_ratio": 1.0}, {"l1_ratio": 0.5}])
def test_a_solver_that_cannot_use_the_l1_norm_is_called_by_the_word_that_was_given(solver, words):
    for y in (LABELS, np.arange(40) % 3):
        with pytest.raises(ValueError, match=f"^solver='{solver}' needs a smooth penalty"):
            LogisticRegression(solver=solver, **words).fit(X, y)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("model", [LassoCV(), ElasticNetCV(), LogisticRegressionCV(), RidgeCV(cv=5)])
def test_fewer_rows_than_folds_say_what_to_give(model, n):
    with pytest.raises(ValueError, match=r"n_samples=\d; give more rows, or|minimum of 2 is required"):
        model.fit(X[:n], [0, 1, 0][:n])


SHORT = [
    (LogisticRegressionCV(max_iter=3), LABELS), (LassoCV(max_iter=1, tol=1e-12, alphas=9), Y),
    (ElasticNetCV(max_iter=1, tol=1e-12, alphas=9, l1_ratio=[0.2, 0.9]), Y),
    (LinearSVC(max_iter=1, tol=1e-12), np.arange(40) % 3),
    (LogisticRegression(max_iter=1, tol=1e-12, multi_class="ovr", solver="lbfgs"), np.arange(40) % 3),
]  # fmt: skip


@pytest.mark.parametrize(("model", "y"), SHORT, ids=lambda case: type(case).__name__)
def test_many_fits_that_fall_short_are_one_warning_with_their_number(model, y):
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(X + 0.9 * X[:, [1, 2, 0]], y)
    assert len(caught) == 1
    assert re.match(r"\d+ of \d+ fits: not converged after \d+ iterations", str(caught[0].message))


THREE = np.arange(40) % 3


@pytest.mark.parametrize(
    ("fit", "words"),
    [
        *[
            (lambda s=s, n=n: LinearRegression(solver=s, start=np.zeros(n)).fit(X, Y), f"start has {n} entries .* 4")
            for s in ("lbfgs", "sgd")
            for n in (1, 3, 5)
        ],
        (lambda: LinearRegression(solver="lbfgs", fit_intercept=False, start=np.zeros(4)).fit(X, Y), "needs 3"),
        *[
            (lambda c=c: Lasso.path(X, Y, coef_init=c), "coef_init")
            for c in (np.zeros(4), np.zeros((3, 1)), [np.nan] * 3)
        ],
        *[(lambda c=c: Perceptron().fit(X, LABELS, coef_init=c), "coef_init") for c in (np.zeros(2), np.zeros((2, 3)))],
        (lambda: Perceptron().fit(X, THREE, coef_init=np.zeros((2, 3))), r"coef_init .* \(3, 3\)"),
        (lambda: Perceptron().fit(X, LABELS, intercept_init=[0.0, 0.0]), "intercept_init"),
        (lambda: Perceptron(init=np.zeros((2, 3))).fit(X, LABELS), "init"),
    ],
)
def test_a_start_of_another_shape_is_refused_by_name(fit, words):
    with pytest.raises(ValueError, match=words):
        fit()


@pytest.mark.parametrize("y", [LABELS, THREE])
def test_intercepts_to_start_from_need_no_coefficients(y):
    b = np.arange(1.0, 4.0)[: 3 if y is THREE else 1]
    alone = Perceptron(max_iter=1, tol=None).fit(X, y, intercept_init=b)
    both = Perceptron(max_iter=1, tol=None).fit(X, y, coef_init=np.zeros((len(b), 3)), intercept_init=b)
    np.testing.assert_array_equal(alone.coef_, both.coef_)
    assert not np.array_equal(alone.coef_, Perceptron(max_iter=1, tol=None).fit(X, y).coef_)
