"""One-vs-rest and one-vs-one against their namesakes in scikit-learn, on real data with 6, 8 and 11 classes."""

import warnings

import numpy as np
import pytest
import sklearn.multiclass as peer
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from gnomon.linear import LeastSquaresClassifier
from gnomon.multiclass import IndicatorRegression, OneVsOneClassifier, OneVsRestClassifier
from reduction_cases import real_table

NAMESAKES = [
    pytest.param(OneVsRestClassifier, peer.OneVsRestClassifier, id="rest"),
    pytest.param(OneVsOneClassifier, peer.OneVsOneClassifier, id="one"),
]


BASES = {
    "logistic": LogisticRegression(C=0.1),
    "svc": SVC(gamma=0.2),
    # liblinear's dual solver draws from one generator of the process, which threads share; the primal one draws none.
    "linear": LinearSVC(C=0.1, dual=False),
    "bayes": GaussianNB(var_smoothing=1e-3),
    "neighbours": KNeighborsClassifier(2),
}


@pytest.mark.spec("TRE-082", "TRE-083", "TRE-086", "TRE-087")
@pytest.mark.parametrize(("ours", "theirs"), NAMESAKES)
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("data", ["glass", "ecoli", "vowel"])
def test_same_answers_as_the_namesake(ours, theirs, base, data):
    X, y = real_table(data)
    train, test = np.arange(len(y)) % 3 != 0, np.arange(len(y)) % 3 == 0
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning)  # ecoli has classes with two rows
        a = ours(BASES[base], n_jobs=2).fit(X[train], y[train])
        b = theirs(BASES[base]).fit(X[train], y[train])
    np.testing.assert_array_equal(a.classes_, b.classes_)
    assert len(a.estimators_) == len(b.estimators_)
    np.testing.assert_array_equal(a.predict(X[test]), b.predict(X[test]))
    for method in ("decision_function", "predict_proba"):
        if getattr(b, method, None) is not None:
            np.testing.assert_allclose(getattr(a, method)(X[test]), getattr(b, method)(X[test]), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("ours", "theirs"), NAMESAKES)
def test_fitted_attributes_of_the_namesake(ours, theirs):
    X, y = real_table("glass")
    a, b = ours(SVC()).fit(X, y), theirs(SVC()).fit(X, y)
    names = [name for name in dir(b) if name.endswith("_") and not name.startswith("_")]
    assert names
    for name in names:
        assert type(getattr(a, name)) is type(getattr(b, name)) or name == "estimators_", name
    assert set(theirs(SVC()).get_params()) <= set(ours(SVC()).get_params())
    assert {name: ours(SVC()).get_params()[name] for name in ("n_jobs",)} == {"n_jobs": None}


@pytest.mark.parametrize(("ours", "theirs"), NAMESAKES)
def test_two_classes(ours, theirs):
    X, y = real_table("vowel")
    X, y = X[y <= 2], y[y <= 2]
    a, b = ours(SVC()).fit(X, y), theirs(SVC()).fit(X, y)
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), rtol=1e-12)
    np.testing.assert_array_equal(a.predict(X), b.predict(X))


@pytest.mark.parametrize(("ours", "theirs"), NAMESAKES)
def test_kernel_values_as_rows(ours, theirs):
    """Each pair takes its own rows and columns of a matrix of kernel values."""
    X, y = real_table("glass")
    K = rbf_kernel(X, gamma=0.2)
    a, b = (cls(SVC(kernel="precomputed")).fit(K, y) for cls in (ours, theirs))
    np.testing.assert_allclose(a.decision_function(K), b.decision_function(K), rtol=1e-12)
    np.testing.assert_array_equal(a.predict(K), ours(SVC(gamma=0.2)).fit(X, y).predict(X))


@pytest.mark.parametrize(("ours", "theirs"), NAMESAKES)
def test_rows_in_pieces(ours, theirs):
    X, y = real_table("vowel")
    a, b = (cls(SGDClassifier(random_state=0)) for cls in (ours, theirs))
    for start in range(0, len(y), 88):
        part = slice(start, start + 88)
        a.partial_fit(X[part], y[part], classes=np.unique(y))
        b.partial_fit(X[part], y[part], classes=np.unique(y))
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), rtol=1e-10)
    np.testing.assert_array_equal(a.predict(X), b.predict(X))


@pytest.mark.spec("TRE-081")
@pytest.mark.parametrize("base", ["logistic", "bayes"])
def test_multi_label(base):
    X, Y = make_multilabel_classification(n_samples=200, n_classes=4, random_state=0)
    a, b = OneVsRestClassifier(BASES[base]).fit(X, Y), peer.OneVsRestClassifier(BASES[base]).fit(X, Y)
    assert a.multilabel_
    np.testing.assert_array_equal(a.predict(X), b.predict(X))
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X))
    assert {0, 1} < set(a.predict(X).sum(axis=1).tolist())  # none, one or several hold


@pytest.mark.parametrize(("ours", "theirs"), NAMESAKES)
@pytest.mark.parametrize(
    "wrap", [lambda base: CalibratedClassifierCV(base, cv=2), lambda base: make_pipeline(StandardScaler(), base)]
)
def test_composed_bases(ours, theirs, wrap):
    X, y = real_table("vowel")
    X, y = X[y <= 4], y[y <= 4]
    a, b = (cls(wrap(LinearSVC(C=0.1, random_state=0))).fit(X, y) for cls in (ours, theirs))
    np.testing.assert_array_equal(a.predict(X), b.predict(X))


@pytest.mark.spec("TRE-085")
def test_calibration_gives_probabilities_where_the_base_has_none():
    X, y = real_table("vowel")
    with pytest.raises(AttributeError, match="predict_proba"):
        OneVsRestClassifier(LinearSVC()).fit(X, y).predict_proba(X)
    P = OneVsRestClassifier(CalibratedClassifierCV(LinearSVC(C=0.1, random_state=0), cv=2)).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1.0)


@pytest.mark.spec("TRE-090")
def test_regression_on_codes_by_least_squares_is_the_linear_special_case():
    X, y = real_table("vowel")
    ours = IndicatorRegression(Ridge(1e-9)).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), LeastSquaresClassifier().fit(X, y).predict(X))
