"""Leave-one-out: what estimators publish equals refits."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as TheirLDA
from sklearn.ensemble import RandomForestRegressor as TheirForest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.kernel_ridge import KernelRidge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from gnomon.distributions import Normal
from gnomon.evaluation import (
    gcv,
    loo_residuals,
    loo_risk,
)
from gnomon.features import PolynomialMap
from gnomon.generative import (
    GaussianClassifier,
    GaussianNB,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from gnomon.linear import LinearRegression, LogisticRegression, Ridge
from gnomon.losses import (
    AbsoluteLoss,
    LogisticLoss,
    SoftmaxLoss,
)
from gnomon.numerics.linalg import kernel_loo
from gnomon.trees import RandomForestClassifier, RandomForestRegressor


def regression(n=30, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X[:, 0] - X[:, 1] + 0.5 * rng.standard_normal(n)


def classes(n=45, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    mix = np.array([[1.0, 0.4, 0.0], [0.0, 1.0, 0.2], [0.0, 0.0, 2.0]])
    return rng.standard_normal((n, 3)) @ mix + 0.7 * y[:, None] + 5.0, np.array(["a", "b", "c"])[y]


SMOOTHERS = [
    LinearRegression(),
    LinearRegression(fit_intercept=False),
    Ridge(2.0),
    Ridge(0.0),
    Ridge(objective="mean", lam=0.3),
    Ridge(objective="mean_half", lam=0.3, penalize_intercept=True),
    Ridge(objective="C", lam=2.0, fit_intercept=False),
    Ridge(objective="loss_mean", lam=5.0),
    Ridge(2.0, store_loo=True),
    make_pipeline(PolynomialMap(2, include_bias=False), Ridge(1.0)),
]


@pytest.mark.spec("EVA-008", "EVA-L05")
@pytest.mark.parametrize("model", SMOOTHERS, ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_smoothers_leave_one_out_without_refits(model, weighted):
    X, y = regression(20)
    s = np.random.default_rng(1).uniform(0.2, 2.0, 20) if weighted else None
    short = loo_residuals(model, X, y, sample_weight=s, method="shortcut")
    np.testing.assert_allclose(short, loo_residuals(model, X, y, sample_weight=s, method="refit"), atol=1e-10)
    risk = loo_risk(model, X, y, sample_weight=s)
    assert risk.value == pytest.approx(np.average(short**2, weights=s), rel=1e-12)


@pytest.mark.spec("EVA-008")
def test_several_targets_and_sparse_rows():
    from scipy.sparse import csr_array

    X, y = regression(20)
    Y = np.column_stack([y, y**2])
    for model in (LinearRegression(), Ridge([1.0, 3.0]), Ridge(objective="mean", lam=0.1)):
        short = loo_residuals(model, X, Y, method="shortcut")
        np.testing.assert_allclose(short, loo_residuals(model, X, Y, method="refit"), atol=1e-10)
    for model in (LinearRegression(), Ridge()):
        rows = csr_array(X * (X > 0))
        short = loo_residuals(model, rows, y, method="shortcut")
        np.testing.assert_allclose(short, loo_residuals(model, X * (X > 0), y, method="refit"), atol=1e-8)


@pytest.mark.spec("EVA-008")
def test_what_is_no_smoother_is_refitted():
    X, y = regression(12)
    for model in (LinearRegression(positive=True), Ridge(positive=True), Ridge(constraint=0.5)):
        with pytest.raises(ValueError, match="method='refit'"):
            loo_residuals(model, X, y, method="shortcut")
        with pytest.raises(AttributeError):
            model.fit(X, y).loo_residuals  # noqa: B018
        refits = [
            y[i] - clone(model).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[i : i + 1])[0] for i in range(12)
        ]
        np.testing.assert_allclose(loo_residuals(model, X, y), refits, atol=1e-10)
    with pytest.raises(ValueError, match="store_loo"):
        Ridge(constraint=0.5, store_loo=True).fit(X, y)
    scaled = make_pipeline(StandardScaler(), Ridge(1.0))
    with pytest.raises(ValueError, match="publishes no"):
        loo_residuals(scaled, X, y, method="shortcut")
    expected = [
        y[i] - clone(scaled).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[i : i + 1])[0] for i in range(12)
    ]
    np.testing.assert_allclose(loo_residuals(scaled, X, y), expected)


@pytest.mark.spec("EVA-008")
def test_a_row_that_determines_its_own_fit_is_infinite():
    X = np.column_stack([np.arange(5.0), np.eye(5)[:, 4]])
    with pytest.warns(UserWarning, match="row 4"):
        found = loo_residuals(LinearRegression(), X, np.arange(5.0) ** 2)
    assert found[4] == np.inf
    assert np.all(np.isfinite(found[:4]))


@pytest.mark.spec("EVA-009", "EVA-L05")
def test_kernels_leave_one_out_without_refits():
    X, y = regression(15)
    K = np.exp(-0.5 * np.sum((X[:, None] - X) ** 2, axis=2))
    found = kernel_loo(K, y, 0.3)
    ridge = KernelRidge(alpha=0.3, kernel="rbf", gamma=0.5)
    np.testing.assert_allclose(found.residuals, loo_residuals(ridge, X, y), atol=1e-10)
    process = GaussianProcessRegressor(RBF(1.0), alpha=0.3, optimizer=None)
    density = 0.0
    for i in range(15):
        mean, sd = clone(process).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[i : i + 1], return_std=True)
        assert y[i] - mean[0] == pytest.approx(found.residuals[i], abs=1e-10)
        assert sd[0] ** 2 + 0.3 == pytest.approx(found.variances[i], abs=1e-10)
        density += Normal(mean[0], sd[0] ** 2 + 0.3).log_density(y[i])
    assert found.log_density == pytest.approx(float(density), abs=1e-9)
    twice = kernel_loo(K, np.column_stack([y, -y]), np.full(15, 0.3))
    np.testing.assert_allclose(twice.residuals[:, 1], -found.residuals)
    assert twice.log_density == pytest.approx(2 * found.log_density)
    with pytest.raises(ValueError, match="positive definite"):
        kernel_loo(-K, y, 0.1)


GAUSSIAN = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis("lsqr"),
    LinearDiscriminantAnalysis("eigen", shrinkage=0.3),
    LinearDiscriminantAnalysis(priors=[0.2, 0.3, 0.5]),
    QuadraticDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(reg_param=0.2),
    QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.3),
    GaussianNB(),
    GaussianNB(var_smoothing=0),
    GaussianNB(var_smoothing=0.1, variance="shared"),
    GaussianNB(var_floor=0.5, prior_alpha=2.0, feature_weight=[1.0, 0.5, 2.0]),
    *(
        GaussianClassifier(kind, ddof=1)
        for kind in ("full", "tied", "diag", "spherical", "tied_diag", "tied_spherical")
    ),
    GaussianClassifier("full", shrinkage=0.3),
    GaussianClassifier("tied_diag", shrinkage=0.3, priors="uniform"),
]


@pytest.mark.spec("EVA-010", "EVA-L05")
@pytest.mark.parametrize("model", GAUSSIAN, ids=lambda m: " ".join(repr(m).split()))
@pytest.mark.parametrize("weighted", [False, True])
def test_gaussian_classifiers_leave_one_out_without_refits(model, weighted):
    X, y = classes(24)
    s = np.random.default_rng(1).uniform(0.5, 2.0, 24) if weighted else None
    short = loo_residuals(model, X, y, sample_weight=s, method="shortcut")
    np.testing.assert_allclose(short, loo_residuals(model, X, y, sample_weight=s, method="refit"), atol=1e-10)
    np.testing.assert_allclose(np.sum(short, axis=1), 0.0, atol=1e-12)
    # At other scales of the columns, and far from zero.
    if "shrinkage" not in repr(model) and "reg_param" not in repr(model) and "floor" not in repr(model):
        far = X * 1e3 + 1e6
        short = loo_residuals(model, far, y, sample_weight=s, method="shortcut")
        np.testing.assert_allclose(short, loo_residuals(model, far, y, sample_weight=s, method="refit"), atol=1e-8)


@pytest.mark.spec("EVA-010")
def test_rows_without_which_a_law_is_lost_are_refitted():
    X, y = classes(24)
    # A class of one row is gone without it; a column that only one row moves is constant without it.
    y = np.where(np.arange(24) == 5, "z", y)
    found = loo_residuals(LinearDiscriminantAnalysis(), X, y, method="shortcut")
    np.testing.assert_allclose(found, loo_residuals(TheirLDA(), X, y, method="refit"), atol=1e-9)
    assert found[5, -1] == 1.0
    flat = np.column_stack([X, np.where(np.arange(24) == 4, 1.0, 0.0)])
    found = loo_residuals(LinearDiscriminantAnalysis(), flat, classes(24)[1], method="shortcut")
    np.testing.assert_allclose(found, loo_residuals(TheirLDA(), flat, classes(24)[1]), atol=1e-8)


@pytest.mark.spec("EVA-010")
def test_missing_cells_and_options_without_downdates():
    X, y = classes(24)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    found = loo_residuals(GaussianNB(), X, y, method="shortcut")
    np.testing.assert_allclose(found, loo_residuals(GaussianNB(), X, y, method="refit"), atol=1e-10)
    X, y = classes(24)
    for model in (
        GaussianClassifier(pool=0.5),
        GaussianClassifier(shrinkage="oas"),
        QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
    ):
        with pytest.raises(ValueError, match="method='refit'"):
            loo_risk(model, X, y, method="shortcut")
        assert 0.0 <= loo_risk(model, X, y).value <= 1.0


@pytest.mark.spec("EVA-010", "EVA-L05")
def test_neighbours_by_refits_are_those_without_the_row_itself():
    X, y = classes(20)
    found = loo_residuals(KNeighborsClassifier(3), X, y)
    distances = np.sum((X[:, None] - X) ** 2, axis=2)
    np.fill_diagonal(distances, np.inf)
    nearest = y[np.argsort(distances, axis=1)[:, :3]]
    votes = np.stack([np.mean(nearest == label, axis=1) for label in np.unique(y)], axis=1)
    np.testing.assert_allclose(found, (y[:, None] == np.unique(y)) - votes)


@pytest.mark.spec("EVA-010")
@pytest.mark.parametrize("forest", [RandomForestRegressor, TheirForest])
def test_bagging_answers_out_of_bag(forest):
    X, y = regression(60)
    model = forest(30, random_state=0)
    known = forest(30, oob_score=True, random_state=0).fit(X, y).oob_prediction_
    np.testing.assert_allclose(loo_residuals(model, X, y), y - known)
    A, b = classes(60)
    trees = RandomForestClassifier(30, random_state=0)
    known = clone(trees).set_params(oob_score=True).fit(A, b).oob_decision_function_
    assert loo_risk(trees, A, b).value == np.mean(np.unique(b)[np.argmax(known, axis=1)] != b)
    with pytest.warns(UserWarning, match="do not have OOB scores"):
        few = loo_risk(forest(2, random_state=0), X, y)
    assert np.isfinite(few.value)


@pytest.mark.spec("EVA-010")
def test_losses_of_left_out_rows():
    X, y = classes(24)
    two = y != "c"
    proba = GaussianNB().fit(X[two], y[two]).loo_proba(X[two], y[two])
    own = proba[np.arange(two.sum()), (y[two] == "b").astype(int)]
    assert loo_risk(GaussianNB(), X[two], y[two], loss=LogisticLoss()).value == pytest.approx(-np.mean(np.log(own)))
    of_all = GaussianNB().fit(X, y).loo_proba(X, y)
    own = of_all[np.arange(24), np.searchsorted(["a", "b", "c"], y)]
    assert loo_risk(GaussianNB(), X, y, loss=SoftmaxLoss()).value == pytest.approx(-np.mean(np.log(own)))
    assert loo_risk(GaussianNB(), X, y).value == np.mean(np.array(["a", "b", "c"])[np.argmax(of_all, axis=1)] != y)
    A, b = regression(15)
    absolute = loo_risk(LinearRegression(), A, b, loss=AbsoluteLoss())
    assert absolute.value == pytest.approx(np.mean(np.abs(loo_residuals(LinearRegression(), A, b))))
    names = np.unique(y)
    said = [LinearSVC().fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[[i]])[0] for i in range(24)]
    hard = (y[:, None] == names).astype(float) - (np.array(said)[:, None] == names)
    np.testing.assert_array_equal(loo_residuals(LinearSVC(), X, y), hard)
    for bad, words in (({"method": "guess"}, "method"), ({"level": 1.0}, "level")):
        with pytest.raises(ValueError, match=words):
            loo_risk(LinearRegression(), A, b, **bad)
    with pytest.raises(ValueError, match="1 row"):
        loo_risk(LinearRegression(), A[:1], b[:1])
    with pytest.raises(ValueError, match="neither a classifier"):
        loo_risk(StandardScaler(), A, b)


@pytest.mark.spec("EVA-011")
def test_generalised_cross_validation():
    X, y = regression(40)
    H = Ridge(3.0).fit(X, y).hat_matrix(X)
    r = y - H @ y
    assert gcv(Ridge(3.0), X, y) == pytest.approx(np.mean(r**2) / (1 - np.trace(H) / 40) ** 2)
    # Of equal leverages it is leave-one-out itself.
    line = np.repeat([-1.0, 1.0], 20)[:, None]
    assert gcv(LinearRegression(), line, y) == pytest.approx(loo_risk(LinearRegression(), line, y).value)
    with pytest.warns(UserWarning, match="too small"):
        gcv(LinearRegression(), X[:6], y[:6])
    with pytest.raises(ValueError, match="tr H is unknown"):
        gcv(KNeighborsRegressor(), X, y)
    s = np.arange(40) % 3
    twice = np.repeat(np.arange(40), s)
    assert gcv(Ridge(3.0), X, y, sample_weight=s) == pytest.approx(gcv(Ridge(3.0), X[twice], y[twice]))


@pytest.mark.spec("EVA-L06")
@pytest.mark.filterwarnings("ignore:.*rows determine their own fit:UserWarning")
def test_training_error_falls_with_the_degree_and_leave_one_out_does_not():
    rng = np.random.default_rng(0)
    x = np.linspace(-1, 1, 10)[:, None]
    y = np.sin(3 * x[:, 0]) + 0.2 * rng.standard_normal(10)
    train, loo, norms = [], [], []
    for degree in range(1, 10):
        model = make_pipeline(PolynomialMap(degree, include_bias=False), LinearRegression()).fit(x, y)
        train.append(np.mean((y - model.predict(x)) ** 2))
        norms.append(np.linalg.norm(model[-1].coef_))
        loo.append(loo_risk(model, x, y).value)
    assert np.all(np.diff(train) <= 1e-12)
    assert np.any(np.diff(loo) > 0.0)
    assert train[-1] < 1e-15
    assert norms[-1] > 5 * norms[2]
    assert loo[-1] == np.inf
    fresh = np.linspace(-0.99, 0.99, 50)[:, None]
    best = make_pipeline(PolynomialMap(1 + int(np.argmin(loo)), include_bias=False), LinearRegression()).fit(x, y)
    errors = [np.mean((np.sin(3 * fresh[:, 0]) - one.predict(fresh)) ** 2) for one in (model, best)]
    assert errors[0] > 2 * errors[1]


@pytest.mark.parametrize("options", [{}, {"C": 0.1, "class_weight": {"up": 2.0}}, {"fit_intercept": False}])
@pytest.mark.parametrize("weighted", [False, True])
def test_one_newton_step_is_near_to_refits_of_logistic_regression(options, weighted):
    X, y = regression(60)
    y = np.where(y > 0, "up", "down")
    s = np.random.default_rng(1).uniform(0.5, 2.0, 60) if weighted else None
    model = LogisticRegression(tol=1e-10, max_iter=1000, **options)
    near = loo_residuals(model, X, y, sample_weight=s, method="newton")
    exact = loo_residuals(model, X, y, sample_weight=s, method="refit")
    proba = model.fit(X, y, sample_weight=s).predict_proba(X)
    trained = (y[:, None] == model.classes_) - proba
    # What the step leaves of the optimism is of second order.
    assert np.max(np.abs(near - exact)) < 0.15 * np.max(np.abs(trained - exact))
    risks = [loo_risk(model, X, y, loss=LogisticLoss(), sample_weight=s, method=m).value for m in ("newton", "refit")]
    assert risks[0] == pytest.approx(risks[1], rel=0.01)
    # It is never taken for exact.
    np.testing.assert_array_equal(loo_residuals(model, X, y, sample_weight=s), exact)


def test_one_newton_step_where_there_is_none():
    X, y = classes(24)
    for model, target in ((GaussianNB(), y), (LogisticRegression(solver="liblinear"), y == "a")):
        with pytest.raises(ValueError, match="method='refit'"):
            loo_risk(model, X, target, method="newton")
    with pytest.raises(ValueError, match="3 classes"):
        loo_risk(LogisticRegression(max_iter=1000), X, y, method="newton")
