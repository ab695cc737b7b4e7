"""LDA and QDA against scikit-learn's classes of the same names, in the same process."""

from inspect import signature

import numpy as np
import pytest
from sklearn import discriminant_analysis as peer
from sklearn.covariance import OAS, LedoitWolf, ledoit_wolf, oas
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification

from gnomon import generative
from gnomon.generative import GaussianClassifier, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

TABLES = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "breast_cancer": load_breast_cancer(return_X_y=True),
    "wide": make_classification(40, 60, n_informative=10, n_classes=3, random_state=0),
    "collinear": tuple(
        f(*load_iris(return_X_y=True)) for f in (lambda X, y: np.c_[X, X[:, 0] + X[:, 1]], lambda X, y: y)
    ),
}
LDA = [
    {},
    {"priors": [0.2, 0.3, 0.5]},
    {"n_components": 1},
    {"store_covariance": True},
    {"solver": "lsqr"},
    {"solver": "lsqr", "shrinkage": "auto"},
    {"solver": "lsqr", "shrinkage": 0.3},
    {"solver": "lsqr", "covariance_estimator": OAS()},
    {"solver": "eigen"},
    {"solver": "eigen", "shrinkage": "auto"},
    {"solver": "eigen", "shrinkage": 0.3, "priors": [0.2, 0.3, 0.5]},
    {"solver": "eigen", "covariance_estimator": LedoitWolf()},
]
QDA = [
    {},
    {"priors": [0.2, 0.3, 0.5]},
    {"reg_param": 0.2},
    {"store_covariance": True},
    {"solver": "eigen"},
    {"solver": "eigen", "shrinkage": "auto"},
    {"solver": "eigen", "shrinkage": 0.4, "store_covariance": True},
    {"solver": "eigen", "covariance_estimator": OAS()},
]


def pair(ours, theirs, X, y, options):
    classes = len(np.unique(y))
    if "priors" in options and classes == 2:
        options = {**options, "priors": [0.3, 0.7]}
    return ours(**options).fit(X, y), theirs(**options).fit(X, y)


def same_scores(a, b, X, rtol=1e-6, atol=1e-7):
    for method in ("decision_function", "predict_proba"):
        np.testing.assert_allclose(getattr(a, method)(X), getattr(b, method)(X), rtol=rtol, atol=atol, err_msg=method)
    np.testing.assert_array_equal(a.predict(X), b.predict(X))


def same_axes(A, B, tol=1e-6):
    signs = np.sign(np.sum(A * B, axis=0))
    np.testing.assert_allclose(A, B * signs, rtol=tol, atol=tol)


@pytest.mark.spec("GEN-059", "GEN-060")
@pytest.mark.parametrize("options", LDA, ids=str)
@pytest.mark.parametrize("table", ["iris", "wine", "breast_cancer"])
def test_linear_discriminant_analysis(table, options):
    X, y = TABLES[table]
    a, b = pair(LinearDiscriminantAnalysis, peer.LinearDiscriminantAnalysis, X, y, options)
    # Their least squares loses digits by the condition of the covariance, which is 1e12 in the units of these columns.
    atol = 1e-6 if options.get("solver") == "lsqr" and table == "breast_cancer" else 1e-7
    same_scores(a, b, X, atol=atol)
    for name in ("coef_", "intercept_", "means_", "priors_"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-6, atol=atol, err_msg=name)
    for name in ("covariance_", "xbar_", "explained_variance_ratio_"):
        assert (name in vars(a)) == (name in vars(b)), name
        if name in vars(b):
            np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-6, atol=1e-8, err_msg=name)
    if options.get("solver") != "lsqr":
        k = a.transform(X).shape[1]
        same_axes(a.scalings_[:, :k], b.scalings_[:, :k])
        same_axes(a.transform(X), b.transform(X))
        assert a.get_feature_names_out().tolist() == b.get_feature_names_out().tolist()


@pytest.mark.spec("GEN-059")
@pytest.mark.parametrize("table", ["wide", "collinear"])
def test_linear_discriminant_analysis_of_singular_tables(table):
    X, y = TABLES[table]
    a, b = pair(LinearDiscriminantAnalysis, peer.LinearDiscriminantAnalysis, X, y, {})
    same_scores(a, b, X)
    same_axes(a.scalings_, b.scalings_)


@pytest.mark.spec("GEN-059", "GEN-060")
@pytest.mark.parametrize("options", QDA, ids=str)
@pytest.mark.parametrize("table", ["iris", "wine"])
def test_quadratic_discriminant_analysis(table, options):
    X, y = TABLES[table]
    a, b = pair(QuadraticDiscriminantAnalysis, peer.QuadraticDiscriminantAnalysis, X, y, options)
    same_scores(a, b, X)
    for name in ("means_", "priors_", "scalings_"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-6, atol=1e-9, err_msg=name)
    for A, B in zip(a.rotations_, b.rotations_, strict=True):
        same_axes(A, B)
    assert ("covariance_" in vars(a)) == ("covariance_" in vars(b))
    if "covariance_" in vars(b):
        np.testing.assert_allclose(a.covariance_, b.covariance_, rtol=1e-6, atol=1e-9)


@pytest.mark.spec("GEN-059")
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (LinearDiscriminantAnalysis, peer.LinearDiscriminantAnalysis),
        (QuadraticDiscriminantAnalysis, peer.QuadraticDiscriminantAnalysis),
    ],
)
def test_the_same_parameters_with_the_same_defaults(ours, theirs):
    more = {"estimate": "mle", "parameter_prior": None, "missing": "error"}
    assert ours().get_params() == theirs().get_params() | more
    # What may be given by place is the same, in the same order.
    by_place = [[p.name for p in signature(c).parameters.values() if p.kind != p.KEYWORD_ONLY] for c in (ours, theirs)]
    assert by_place[0] == by_place[1]


@pytest.mark.spec("GEN-059")
@pytest.mark.parametrize(
    ("make", "X", "y"),
    [
        (lambda m: m.LinearDiscriminantAnalysis(shrinkage="auto"), *load_iris(return_X_y=True)),
        (lambda m: m.LinearDiscriminantAnalysis(covariance_estimator=OAS()), *load_iris(return_X_y=True)),
        (lambda m: m.LinearDiscriminantAnalysis(n_components=3), *load_iris(return_X_y=True)),
        (lambda m: m.LinearDiscriminantAnalysis(priors=[-1.0, 1.0, 1.0]), *load_iris(return_X_y=True)),
        (lambda m: m.LinearDiscriminantAnalysis(), np.eye(3), np.arange(3)),
        (lambda m: m.QuadraticDiscriminantAnalysis(shrinkage=0.1), *load_iris(return_X_y=True)),
        (lambda m: m.QuadraticDiscriminantAnalysis(), np.eye(3), np.arange(3)),
        (lambda m: m.QuadraticDiscriminantAnalysis(), np.eye(6)[:, :4], np.repeat([0, 1], 3)),
        (lambda m: m.QuadraticDiscriminantAnalysis(), np.ones((6, 2)), np.repeat([0, 1], 3)),
    ],
)
def test_the_same_things_are_refused(make, X, y):
    import gnomon.generative as ours

    with pytest.raises(Exception) as expected:
        make(peer).fit(X, y)
    with pytest.raises(expected.type):
        make(ours).fit(X, y)


@pytest.mark.spec("GEN-059")
def test_priors_that_do_not_sum_to_one_are_divided_by_their_sum():
    X, y = TABLES["iris"]
    with pytest.warns(UserWarning, match="do not sum to 1"):
        model = LinearDiscriminantAnalysis(priors=[1.0, 1.0, 2.0]).fit(X, y)
    np.testing.assert_allclose(model.priors_, [0.25, 0.25, 0.5])


@pytest.mark.spec("GEN-060", "GEN-056")
@pytest.mark.parametrize(("word", "estimator"), [("ledoit_wolf", ledoit_wolf), ("oas", oas)])
@pytest.mark.parametrize("table", ["iris", "wine"])
def test_estimated_shrinkage_is_scikit_learns(table, word, estimator):
    X, y = TABLES[table]
    model = GaussianClassifier(shrinkage=word).fit(X, y)
    for k, label in enumerate(model.classes_):
        cov, s = estimator(X[y == label])
        np.testing.assert_allclose(model.covariances_[k], cov, rtol=1e-9, atol=1e-12)
        assert model.shrinkage_[k] == pytest.approx(s, rel=1e-9)


@pytest.mark.spec("GEN-056", "GEN-059")
class PlainCovariance:
    """No estimator of scikit-learn: `fit` returns nothing, and there are no parameters."""

    def fit(self, X):
        self.covariance_ = np.cov(X.T, bias=True)


@pytest.mark.parametrize("name", ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"])
def test_any_object_with_fit_and_covariance_estimates_covariances(name):
    X, y = load_iris(return_X_y=True)
    solver = {"LinearDiscriminantAnalysis": "lsqr"}.get(name, "eigen")
    given = PlainCovariance()
    ours, theirs = (
        getattr(module, name)(solver=solver, covariance_estimator=given).fit(X, y) for module in (generative, peer)
    )
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)


def test_gaussian_classifiers_are_discriminant_analyses():
    X, y = TABLES["iris"]
    tied, full = GaussianClassifier("tied").fit(X, y), GaussianClassifier("full").fit(X, y)
    lda, qda = peer.LinearDiscriminantAnalysis().fit(X, y), peer.QuadraticDiscriminantAnalysis().fit(X, y)
    np.testing.assert_allclose(tied.predict_proba(X), lda.predict_proba(X), atol=1e-9)
    np.testing.assert_allclose(full.predict_proba(X), qda.predict_proba(X), atol=1e-9)
