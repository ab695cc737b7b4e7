"""What `fit` forgets and `partial_fit` goes on with, for every estimator that has both."""

import numpy as np
import pytest
from sklearn.base import clone, is_classifier

import public_names
from gnomon.decomposition import PCA
from gnomon.generative import GaussianMixture, GaussianNB, JointTableClassifier
from gnomon.linear import LinearRegression, Perceptron
from gnomon.multiclass import OneVsOneClassifier, OneVsRestClassifier
from gnomon.neural import MLPClassifier, MLPRegressor, NetworkClassifier, NetworkRegressor
from gnomon.neural.layers import Dense
from gnomon.testing._tables import example_table, outputs_of
from many_checks import over

FEW = {"max_iter": 20, "random_state": 0}
# Of one component there is nothing to see in its answers; of numbers, a joint table has too many cells.
OTHERWISE = {"GaussianMixture", "JointTableClassifier"}
STREAMS = [
    *(e for e in public_names.estimators() if hasattr(e, "partial_fit") and type(e).__name__ not in OTHERWISE),
    GaussianMixture(2),
    JointTableClassifier(alpha=1.0),
    MLPClassifier(hidden_layer_sizes=(3,), **FEW),
    MLPRegressor(hidden_layer_sizes=(3,), **FEW),
    NetworkClassifier((Dense(3),), solver="adam", **FEW),
    NetworkRegressor((Dense(3),), solver="adam", **FEW),
    OneVsOneClassifier(GaussianNB()),
    OneVsRestClassifier(Perceptron(random_state=0)),
    PCA(2, svd_solver="incremental"),
]

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def tables(estimator):
    """A of five columns and other classes, in other units; B and C of three columns."""
    (A, a), (BC, bc) = (example_table(estimator, n_rows=40, n_columns=d) for d in (5, 3))
    a = np.array(["other", "words", "here"])[a] if is_classifier(estimator) else 10.0 * a
    if isinstance(estimator, JointTableClassifier):
        A, BC = A[:, :4] > 0.0, BC > 0.0
    return (10.0 * A, a), (BC[:25], bc[:25]), (BC[25:], bc[25:])


def seeded(estimator):
    seeds = {name: 0 for name in estimator.get_params() if name.split("__")[-1] == "random_state"}
    return clone(estimator).set_params(**seeds)


def part(model, X, y):
    known = {"classes": np.unique(y)} if is_classifier(model) and not hasattr(model, "classes_") else {}
    return model.partial_fit(X, y, **known)


def answers(model, X):
    return [values for _, values in sorted(outputs_of(model, X).items())]


def assert_same(given, wanted, X):
    assert {name for name in vars(given) if name.endswith("_")} == {name for name in vars(wanted) if name.endswith("_")}
    ours, theirs = outputs_of(given, X), outputs_of(wanted, X)
    for method in theirs:
        np.testing.assert_array_equal(ours[method], theirs[method], err_msg=method)


@over(STREAMS)
def test_fit_begins_anew_and_rows_after_it_go_on(estimator):
    A, B, C = tables(estimator)
    after = part(seeded(estimator), *A).fit(*B)
    alone = seeded(estimator).fit(*B)
    assert_same(after, alone, B[0])
    assert_same(part(after, *C), part(alone, *C), B[0])
    anew = part(seeded(estimator), *C)
    assert not all(np.array_equal(*pair) for pair in zip(answers(alone, B[0]), answers(anew, B[0]), strict=True))


@over([PCA(), LinearRegression(), LinearRegression(fit_intercept=False), GaussianNB()])
def test_rows_after_a_fit_are_as_if_all_had_been_fitted(estimator):
    """Where the answer is a function of sums over the rows, of any columns, weights and targets."""
    (X, y), s = example_table(estimator), np.random.default_rng(0).uniform(1.0, 2.0, 60)
    X = X + 3.0
    for Y in [y] if is_classifier(estimator) else [y, np.column_stack([y, X[:, 0] ** 2])]:
        parts = clone(estimator).fit(X[:35], Y[:35], sample_weight=s[:35])
        parts = parts.partial_fit(X[35:50], Y[35:50], sample_weight=s[35:50])
        parts = parts.partial_fit(X[50:], Y[50:], sample_weight=s[50:])
        whole = clone(estimator).fit(X, Y, sample_weight=s)
        for given, wanted in zip(answers(parts, X), answers(whole, X), strict=True):
            np.testing.assert_allclose(given, wanted, atol=1e-9)
        for name in {"n_samples_", "residual_norm_", "explained_variance_"} & set(vars(whole)):
            np.testing.assert_allclose(vars(parts)[name], vars(whole)[name], err_msg=name)
