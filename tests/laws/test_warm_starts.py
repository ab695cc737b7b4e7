"""Fits that go on with the last one, to other rows, columns, classes and targets."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier, is_regressor

import public_names
from gnomon.generative import GaussianMixture
from gnomon.gp import GaussianProcessClassifier
from gnomon.infer import CLASS_LINKS, laplace_classes
from gnomon.kernels import RBF
from gnomon.linear import ElasticNet, Lasso, LogisticRegression
from gnomon.neural import MLPClassifier, MLPRegressor
from gnomon.testing._tables import example_table, outputs_of
from gnomon.trees import (
    BaggingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomTreesEmbedding,
)
from many_checks import over

SHORT = {"max_iter": 20, "random_state": 0}
WARM = [
    *(e for e in public_names.estimators() if "warm_start" in e.get_params(deep=False)),
    *(GaussianProcessClassifier(multi_class=how) for how in ("softmax", "one_vs_one")),
    GaussianMixture(3, covariance_type="diag"),
    BaggingClassifier(LogisticRegression(), 3),
    HistGradientBoostingClassifier(max_iter=3, early_stopping=True),
    MLPClassifier(hidden_layer_sizes=(3,), **SHORT),
    MLPRegressor(hidden_layer_sizes=(3,), **SHORT),
]
# Their start is only a start: the answer is that of a fit from nothing.
ONE_ANSWER = (ElasticNet, GaussianProcessClassifier, Lasso, LogisticRegression)

pytestmark = pytest.mark.filterwarnings("ignore")


def other_tables(estimator, X, y):
    yield "fewer rows", X[:40], y[:40]
    yield "more rows", np.vstack([X, X + 0.1]), np.hstack([y, y])
    yield "fewer columns", X[:, :2], y
    yield "more columns", np.hstack([X, X[:, :2] ** 2]), y
    if is_classifier(estimator):
        yield "another class", X, np.where(np.arange(len(y)) < 10, 5, y)
        some = y != y.max()
        yield "fewer classes", X[some], y[some]
        yield "other classes", X, np.array(["no", "or", "yes"])[y]
    if is_regressor(estimator):
        yield "several targets", X, np.column_stack([y, y**2 + 1.0])


def answers(model, X):
    if getattr(model, "multi_class", "") == "one_vs_one":
        return {"predict": model.predict(X)}
    return outputs_of(model, X)


@over(WARM)
def test_other_tables_are_as_from_the_beginning_or_refused(estimator):
    """A sentence of what differs, or answers for the table at hand."""
    X, y = example_table(estimator, n_rows=60, n_columns=3)
    begun = clone(estimator).set_params(warm_start=True)
    begun.set_params(**({"random_state": 0} if "random_state" in begun.get_params() else {}))
    for what, rows, targets in other_tables(estimator, X, y):
        model = clone(begun).fit(X, y)
        for size in ("n_estimators", "max_iter"):
            if size in model.get_params(deep=False):
                model.set_params(**{size: getattr(model, size) + 2})
        try:
            model.fit(rows, targets)
        except ValueError as error:
            assert not what.endswith("rows"), what
            assert any(word in str(error) for word in ("warm_start", "features", "1d array", "built for")), what  # noqa: PT017
            continue
        given = answers(model, rows)
        assert all(len(values) == len(rows) for values in given.values()), what
        if is_classifier(model):
            np.testing.assert_array_equal(model.classes_, np.unique(targets), err_msg=what)
        if isinstance(model, ONE_ANSWER):
            cold = answers(clone(model).set_params(warm_start=False).fit(rows, targets), rows)
            for name, values in given.items():
                if values.dtype.kind == "f":
                    np.testing.assert_allclose(values, cold[name], atol=1e-2 * np.max(np.abs(cold[name])), err_msg=what)


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(3, random_state=0, bootstrap=False, max_features=None),
        HistGradientBoostingClassifier(max_iter=3),
        GradientBoostingRegressor(n_estimators=3, random_state=0),
        RandomTreesEmbedding(3, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_categories_keep_the_codes_of_the_trees_that_know_them(model):
    table = pd.DataFrame({"kind": list("abcd") * 20, "size": np.arange(80.0)})
    y = np.isin(table["kind"], ["a", "c"]).astype(int)
    model = clone(model).set_params(warm_start=True).fit(table, y)
    before = outputs_of(model, table)
    size = "max_iter" if "max_iter" in model.get_params() else "n_estimators"
    # Of rows without the first two kinds the others would be the first.
    some = table["kind"].isin(["c", "d"]).to_numpy()
    model.set_params(**{size: 4}).fit(table[some], y[some])
    assert model.coding_.domains[0].labels.tolist() == list("abcd")
    if isinstance(model, RandomForestClassifier):
        np.testing.assert_allclose(
            3 * before["predict_proba"], sum(t.predict_proba(table) for t in model.estimators_[:3])
        )
    if isinstance(model, GradientBoostingRegressor):
        np.testing.assert_allclose(model.predict(table[some]), y[some], atol=0.9)
    with pytest.raises(ValueError, match="feature"):
        model.set_params(**{size: 5}).fit(table.rename(columns={"kind": "other"}), y)


def test_the_start_of_another_problem_is_refused():
    X = np.linspace(0.0, 1.0, 6)[:, None]
    found = laplace_classes(RBF().gram(X), np.array([1.0, -1, 1, -1, 1, 1]), CLASS_LINKS["logit"])
    with pytest.raises(ValueError, match=r"start has scores of shape \(6,\)"):
        laplace_classes(RBF().gram(X[:4]), np.array([1.0, -1, 1, -1]), CLASS_LINKS["logit"], start=found)
