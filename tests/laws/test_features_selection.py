"""Laws of the selectors."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, LeaveOneOut, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from gnomon.datasets import make_center_corner, make_informative_pair
from gnomon.features import (
    ExhaustiveSelector,
    GreedySelector,
    PolynomialMap,
    SparseSelector,
    subset_score,
)
from gnomon.linear import BestSubset
from gnomon.linear import LinearRegression as OwnLinearRegression


@pytest.fixture
def regression():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6)) @ rng.normal(size=(6, 6))
    return X, X[:, [1, 4]] @ [2.0, -1.0] + rng.normal(size=60)


@pytest.mark.spec("LIN-180")
@pytest.mark.parametrize("columns", [(), (0,), (1, 4), (0, 1, 2, 3, 4, 5)])
def test_least_squares_by_triangles_equals_least_squares_by_rows(columns, regression):
    X, y = regression
    for cv in (5, LeaveOneOut(), KFold(3, shuffle=True, random_state=0)):
        by_rows = subset_score(LinearRegression(), X, y, columns, cv=cv)
        assert_allclose(subset_score("least_squares", X, y, columns, cv=cv), by_rows, rtol=1e-10)


@pytest.mark.spec("LIN-180")
def test_subset_score_is_the_cross_validated_error_of_any_estimator(regression):
    X, y = regression
    knn = KNeighborsRegressor(3)
    assert_allclose(
        subset_score(knn, X, y, [1, 4], cv=4),
        -cross_val_score(knn, X[:, [1, 4]], y, cv=4, scoring="neg_mean_squared_error").mean(),
    )
    labels = np.where(y > 0, "up", "down")
    tree = DecisionTreeClassifier(random_state=0)
    assert_allclose(subset_score(tree, X, labels, [1], cv=4), 1 - cross_val_score(tree, X[:, [1]], labels, cv=4).mean())
    assert_allclose(
        subset_score(tree, X, labels, [1], scoring="roc_auc"),
        -cross_val_score(tree, X[:, [1]], labels, scoring="roc_auc").mean(),
    )


@pytest.mark.spec("LIN-180")
def test_empty_subset_predicts_a_constant(regression):
    X, y = regression
    folds = list(KFold(5).split(X))
    expected = np.mean([np.mean((y[test] - y[train].mean()) ** 2) for train, test in folds])
    assert_allclose(subset_score(LinearRegression(), X, y, [], cv=5), expected)
    labels = np.arange(60) % 3 == 0
    assert_allclose(subset_score(LogisticRegression(), X, labels, [], cv=5), 1 / 3)


@pytest.mark.spec("LIN-181", "LIN-L40")
def test_exhaustive_selection_tries_every_subset(regression):
    X, y = regression
    selector = ExhaustiveSelector("least_squares", cv=5).fit(X, y)
    assert selector.n_subsets_ == 2**6
    assert len(np.unique(selector.subsets_, axis=0)) == 2**6 - 1
    best = min(
        (S for size in range(1, 7) for S in combinations(range(6), size)),
        key=lambda S: subset_score(LinearRegression(), X, y, S, cv=5),
    )
    assert_array_equal(selector.get_support(indices=True), best)
    assert_array_equal(selector.transform(X), X[:, best])
    by_rows = ExhaustiveSelector(LinearRegression(), cv=5).fit(X, y)
    assert_allclose(by_rows.errors_, selector.errors_, rtol=1e-9)
    assert_array_equal(by_rows.support_, selector.support_)


@pytest.mark.spec("LIN-181", "LIN-L40", "LIN-052")
@pytest.mark.parametrize("seed", range(4))
def test_best_subset_is_the_exhaustive_support_of_every_size(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 6)) @ (np.eye(6) + 0.7 * rng.normal(size=(6, 6)))
    y = X @ rng.normal(size=6) + 1.5 + 3.0 * rng.normal(size=40)

    def residual(S):
        A = np.column_stack([X[:, S], np.ones(40)])
        return float(np.sum((y - A @ np.linalg.lstsq(A, y, rcond=None)[0]) ** 2))

    everything = [(np.arange(40), np.arange(40))]
    selector = ExhaustiveSelector("least_squares", cv=everything).fit(X, y)
    assert selector.n_subsets_ == 2**6
    for size in range(1, 7):
        model = BestSubset(size).fit(X, y)
        assert model.exact_
        best = min(combinations(range(6), size), key=residual)
        assert_array_equal(np.flatnonzero(model.support_), best)
        assert_allclose(model.objective_, residual(best), rtol=1e-10)
        of_size = np.flatnonzero(selector.subsets_.sum(axis=1) == size)
        found = of_size[np.argmin(selector.errors_[of_size])]
        assert_array_equal(selector.subsets_[found], model.support_)
        assert_allclose(40 * selector.errors_[found], model.objective_, rtol=1e-9)
    # A price per column between two sizes: the same choice among all 64 subsets.
    rho = 30.0
    subsets = [S for size in range(7) for S in combinations(range(6), size)]
    cheapest = min(subsets, key=lambda S: residual(list(S)) + rho * len(S))
    assert_array_equal(np.flatnonzero(BestSubset(lam=rho).fit(X, y).support_), cheapest)


@pytest.mark.spec("LIN-181")
def test_exhaustive_selection_refuses_many_columns():
    with pytest.raises(ValueError, match=r"21 columns have 2097151 subsets, and max_exhaustive=20"):
        ExhaustiveSelector("least_squares").fit(np.ones((30, 21)), np.arange(30.0))


@pytest.mark.spec("LIN-181")
def test_ties_go_to_the_smallest_subset():
    X, y = make_informative_pair(version="fixed")
    selector = ExhaustiveSelector("least_squares", cv=LeaveOneOut()).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [0, 1]


@pytest.mark.spec("LIN-182", "LIN-184")
def test_forward_path_takes_the_best_column_each_time(regression):
    X, y = regression
    selector = GreedySelector("least_squares", stop="full_path", cv=5).fit(X, y)
    assert sorted(selector.order_) == list(range(6))
    assert selector.errors_[0] == np.inf
    for step in range(6):
        before, taken = list(selector.order_[:step]), selector.order_[step]
        errors = {j: subset_score(LinearRegression(), X, y, [*before, j], cv=5) for j in range(6) if j not in before}
        assert min(errors, key=errors.get) == taken
        assert_allclose(selector.errors_[step + 1], errors[taken], rtol=1e-9)
    best = np.argmin(selector.errors_)
    assert_array_equal(selector.get_support(indices=True), sorted(selector.order_[:best]))
    assert_allclose(selector.error_, selector.errors_.min())


@pytest.mark.spec("LIN-183", "LIN-184")
def test_backward_path_removes_the_least_useful_column_each_time(regression):
    X, y = regression
    selector = GreedySelector("least_squares", direction="backward", stop="full_path", cv=5).fit(X, y)
    assert len(selector.order_) == 5
    assert_allclose(selector.errors_[0], subset_score(LinearRegression(), X, y, range(6), cv=5), rtol=1e-9)
    for step in range(5):
        rest = [j for j in range(6) if j not in selector.order_[:step]]
        errors = {j: subset_score(LinearRegression(), X, y, [i for i in rest if i != j], cv=5) for j in rest}
        assert min(errors, key=errors.get) == selector.order_[step]


@pytest.mark.spec("LIN-184", "LIN-182")
@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_first_rise_is_a_prefix_of_the_full_path_and_a_number_sets_the_size(direction, regression):
    X, y = regression
    options = {"estimator": "least_squares", "direction": direction, "cv": 5}
    full = GreedySelector(stop="full_path", **options).fit(X, y)
    short = GreedySelector(**options).fit(X, y)
    steps = len(short.order_)
    assert_array_equal(short.order_, full.order_[:steps])
    assert (np.diff(short.errors_[1:]) <= 0).all()
    assert steps == len(full.order_) or full.errors_[steps + 1] > full.errors_[steps]
    for size in (1, 3, 6):
        assert GreedySelector(stop=size, **options).fit(X, y).support_.sum() == size
    with pytest.raises(ValueError, match="stop=7"):
        GreedySelector(stop=7, **options).fit(X, y)


@pytest.mark.spec("LIN-182")
def test_ties_continue_and_an_empty_model_may_win():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(20, 1)), rng.normal(size=20)
    # A copy changes nothing: the tie is taken, on the tolerance and not on luck.
    copies = GreedySelector("least_squares").fit(np.column_stack([x, x, x]), y)
    assert copies.order_.tolist() == [0, 1, 2]
    noise = rng.normal(size=(20, 4))
    assert GreedySelector("least_squares", start="empty_model", cv=5).fit(noise, y).support_.sum() == 0
    assert GreedySelector("least_squares", cv=5).fit(noise, y).support_.sum() >= 1
    with pytest.raises(ValueError, match="start='nothing' is unknown"):
        GreedySelector("least_squares", start="nothing").fit(noise, y)


@pytest.mark.spec("LIN-L40", "LIN-180", "LIN-182", "LIN-183")
@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        SVC(kernel="rbf"),
        DecisionTreeClassifier(random_state=0),
        GaussianNB(),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ],
    ids=lambda e: type(e).__name__,
)
@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_selectors_work_with_any_estimator(estimator, direction):
    X, y = make_classification(80, 5, n_informative=2, n_redundant=0, shuffle=False, random_state=0)
    labels = np.where(y == 1, "yes", "no")
    selector = GreedySelector(estimator, direction=direction, cv=3).fit(X, labels)
    assert 1 <= selector.support_.sum() <= 5
    assert selector.transform(X).shape == (80, selector.support_.sum())
    assert_allclose(selector.error_, subset_score(estimator, X, labels, np.flatnonzero(selector.support_), cv=3))


@pytest.mark.spec("LIN-180", "LIN-182")
def test_selectors_pass_on_what_the_estimator_accepts():
    X, y = make_classification(60, 4, n_informative=2, n_redundant=0, random_state=0)
    gaps = np.where(np.random.default_rng(0).uniform(size=X.shape) < 0.1, np.nan, X)
    assert GreedySelector(DecisionTreeClassifier(random_state=0), cv=3).fit(gaps, y).support_.any()
    with pytest.raises(ValueError, match="NaN"):
        GreedySelector(LogisticRegression(), cv=3).fit(gaps, y)
    dense = GreedySelector(LogisticRegression(), cv=3).fit(X, y)
    assert_array_equal(GreedySelector(LogisticRegression(), cv=3).fit(sparse.csr_array(X), y).support_, dense.support_)


@pytest.mark.spec("LIN-185")
def test_sparse_selector_keeps_the_columns_with_a_weight():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 20))
    y = X[:, [2, 7, 11]] @ [3.0, -2.0, 1.0] + 0.1 * rng.normal(size=100)
    selector = SparseSelector(lam=0.5).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [2, 7, 11]
    assert_array_equal(selector.coef_[0] != 0, selector.support_)
    assert (selector.coef_[0, ~selector.support_] == 0).all()
    correlation = 2 * X.T @ (y - y.mean()) / 100
    assert SparseSelector(lam=1.001 * np.abs(correlation).max()).fit(X, y).support_.sum() == 0
    assert SparseSelector(lam=0.999 * np.abs(correlation).max()).fit(X, y).support_.sum() == 1


@pytest.mark.spec("LIN-185")
@pytest.mark.parametrize(("model", "lam"), [("logistic", 0.1), ("svm", 0.4)])
def test_sparse_selector_of_classes(model, lam):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 15))
    two = np.where(X[:, 3] + 0.5 * rng.normal(size=200) > 0, "spam", "ham")
    assert SparseSelector(model, lam=lam).fit(X, two).get_support(indices=True).tolist() == [3]
    three = np.argmax(X[:, [1, 4, 9]], axis=1)
    selector = SparseSelector(model, lam=lam).fit(X, three)
    assert selector.coef_.shape == (3, 15)
    assert_array_equal(np.flatnonzero(selector.support_), [1, 4, 9])
    with pytest.raises(ValueError, match="one class only"):
        SparseSelector(model).fit(X, np.zeros(200, dtype=int))


@pytest.mark.spec("LIN-185")
@pytest.mark.parametrize("model", ["lasso", "logistic", "svm"])
def test_sparse_selector_weights_forms_and_formats(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8))
    y = (X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=60) > 0).astype(float)
    s = rng.integers(0, 3, 60)
    options = {"lam": 0.05, "tol": 1e-10}
    once = SparseSelector(model, **options).fit(X, y, sample_weight=s)
    twice = SparseSelector(model, **options).fit(np.repeat(X, s, axis=0), np.repeat(y, s))
    assert_allclose(once.coef_, twice.coef_, atol=1e-5)
    plain = SparseSelector(model, **options).fit(X, y)
    for form, lam in (("sum", 0.05 * 60), ("C", 1 / (0.05 * 60)), ("loss_mean", 1 / 0.05)):
        other = SparseSelector(model, lam=lam, objective=form, tol=1e-10).fit(X, y)
        assert_allclose(other.coef_, plain.coef_, atol=1e-5)
    assert_allclose(SparseSelector(model, **options).fit(sparse.csr_array(X), y).coef_, plain.coef_, atol=1e-5)
    assert plain.dual_gap_ <= 1e-6


@pytest.mark.spec("LIN-185")
@pytest.mark.parametrize("lam", [1e-2, 1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize("model", ["lasso", "logistic", "svm"])
def test_weak_penalties_on_more_columns_than_rows(model, lam):
    X, y = make_classification(50, 200, n_informative=5, random_state=0)
    sign = 2.0 * y - 1.0
    assert SparseSelector(model, lam=lam).fit(X, sign).converged_
    selector = SparseSelector(model, lam=lam, tol=1e-12).fit(X, sign)
    w = selector.coef_[0]
    z = X @ w + selector.intercept_[0]
    slopes = {
        "lasso": 2 * (z - sign),
        "logistic": -sign / (1 + np.exp(sign * z)),
        "svm": -2 * sign * np.maximum(0, 1 - sign * z),
    }
    v = X.T @ slopes[model] / 50
    # The slope of the mean loss is −λ sign(w) on the support and within ±λ elsewhere, and zero along b.
    assert_allclose(v[selector.support_], -lam * np.sign(w[selector.support_]), rtol=1e-3)
    assert np.abs(v).max() <= lam * (1 + 1e-3)
    assert_allclose(slopes[model].sum(), 0.0, atol=1e-8)


@pytest.mark.spec("LIN-185", "LIN-151")
def test_sparse_selector_finds_the_monomials_of_a_ring():
    X, y = make_center_corner(300, random_state=0)
    model = make_pipeline(PolynomialMap(2, include_bias=False), SparseSelector("logistic", lam=0.05)).fit(X, y)
    names = model.get_feature_names_out()
    assert set(names) == {"x0^2", "x1^2"}


UNITS = {
    "1e-300": lambda X: X * 1e-300,
    "1e-155": lambda X: X * 1e-155,
    "1e300": lambda X: X * 1e300,
    "apart": lambda X: X * 10.0 ** np.array([-150, 0, 150]),
    "+1e8": lambda X: X + 1e8,
    "+1e12": lambda X: X + 1e12,
}


@pytest.mark.parametrize("unit", UNITS)
def test_units_of_columns_change_no_choice_of_least_squares(unit):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = X @ [2.0, -1.0, 0.0] + 0.3 * rng.normal(size=40)
    digits = {"+1e8": 1e-6, "+1e12": 1e-2}.get(unit, 1e-12)
    for selector in (
        GreedySelector("least_squares"),
        GreedySelector("least_squares", direction="backward"),
        ExhaustiveSelector("least_squares"),
    ):
        plain, other = clone(selector).fit(X, y), clone(selector).fit(UNITS[unit](X), y)
        assert other.support_.tolist() == plain.support_.tolist()
        assert other.error_ == pytest.approx(plain.error_, rel=digits)
        assert clone(selector).fit(X, y * 1e140).error_ == pytest.approx(plain.error_ * 1e280)


def test_targets_whose_squares_are_lost_and_errors_that_are_no_numbers_are_said():
    X = np.arange(12.0).reshape(6, 2) ** 2
    with pytest.raises(ValueError, match=r"y varies by about 2.* scale it by a power of ten"):
        GreedySelector("least_squares").fit(X, 1e200 * np.arange(6.0))
    with pytest.raises(ValueError, match="the error of every subset is NaN"):
        GreedySelector(LinearRegression(), scoring=lambda model, X, y: np.nan).fit(X, np.arange(6.0))


@pytest.mark.parametrize(("n", "d"), [(10, 30), (12, 11), (20, 4)])
def test_the_compiled_loop_is_linear_regression_also_where_columns_depend_on_each_other(n, d):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, d)), rng.normal(size=n)
    X = np.column_stack([X, X[:, 0] + np.pi * X[:, 1], np.full(n, 0.1), np.arange(n) == 0])
    for data in (X, 1e-155 * X, X * 10.0 ** rng.integers(-3, 4, d + 3)):
        for columns in (range(d + 3), [0, 1, d], [0, d + 1], [1, d + 2]):
            compiled = subset_score("least_squares", data, y, columns, cv=4)
            peer = subset_score(OwnLinearRegression(on_singular="ignore"), data, y, columns, cv=4)
            assert compiled == pytest.approx(peer, rel=1e-6)
