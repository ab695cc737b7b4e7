"""The caller's arrays stay as they were, to the bit, whatever estimators and functions of the user do with them."""

import warnings
from contextlib import suppress
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils.validation import has_fit_parameter

import public_names
from gnomon.anomaly import CentroidDistanceDetector, TunedDetector
from gnomon.cluster import (
    AgglomerativeClustering,
    DivisiveClustering,
    KMeans,
    KMedoids,
    PairwiseClustering,
    SoftKMeans,
    SpectralClustering,
)
from gnomon.decomposition import DictionaryLearning, KernelPCA
from gnomon.evaluation import OraclePredictor
from gnomon.features import BasisExpansion, EmpiricalKernelMap, GreedySelector, KernelFeatures, Nystroem
from gnomon.generative import GaussianMixture
from gnomon.gp import GaussianProcessRegressor, GPSearchCV, Real
from gnomon.kernels import CallableKernel, FeatureMapKernel
from gnomon.linear import LinearRegression, LogisticRegression, LogisticRegressionCV, RidgeCV
from gnomon.neighbors import KNeighborsClassifier, KNeighborsRegressor
from gnomon.neural import MLPClassifier, MLPRegressor, NetworkRegressor, invariance_report
from gnomon.neural.layers import Dense, Layer
from gnomon.numerics.sharing import read_only
from gnomon.svm import SVC, SVR, KernelLogisticRegression, KernelPerceptron, KernelRidge, MulticlassSVC, OneClassSVM
from gnomon.testing._tables import example_table, fitted
from gnomon.transfer import AddNoise
from gnomon.trees import HistGradientBoostingClassifier
from many_checks import over

METHODS = (
    "predict", "predict_proba", "predict_log_proba", "decision_function", "score_samples", "transform", "kneighbors",
    "apply", "decision_path", "predict_quantile", "predict_interval", "predict_sampled", "score", "fit_predict",
    "fit_transform", "fit_resample", "partial_fit",
)  # fmt: skip
WITH_TARGETS = ("score", "fit_predict", "fit_transform", "fit_resample", "partial_fit")

RNG = np.random.default_rng(0)
X = np.abs(RNG.normal(size=(30, 3))) + 0.1
LABELS = np.argsort(np.argsort(X[:, 0])) // 15
NUMBERS = X @ [1.0, -1.0, 2.0]


@pytest.fixture(autouse=True)
def _advice_is_allowed():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def refusals(model, X, y):
    """What every method that there is answers where it does not suit the model or the table."""
    found = []
    for name in METHODS:
        try:
            getattr(model, name)(*(X, y) if name in WITH_TARGETS else (X,))
        except (AttributeError, NotImplementedError, TypeError, ValueError, SystemError) as error:
            found.append(f"{name}: {error}")
    return found


def assert_untouched(run, *arrays):
    given = [np.array(values) for values in arrays]
    run(*given)
    for before, after in zip(arrays, given, strict=True):
        assert before.tobytes() == after.tobytes()


@over(public_names.estimators())
def test_no_method_writes_to_what_it_is_given(estimator):
    X, y = example_table(estimator)
    weights = {"sample_weight": np.linspace(0.5, 1.5, len(y))} if has_fit_parameter(estimator, "sample_weight") else {}

    def run(X, y, *weights, writeable=True):
        for values in (X, y, *weights):
            values.flags.writeable = writeable
        model = fitted(estimator, X, y, **dict(zip(["sample_weight"], weights, strict=False)))
        assert not [words for words in refusals(model, X, y) if "read-only" in words]

    assert_untouched(run, X, y, *weights.values())
    assert_untouched(partial(run, writeable=False), X, y, *weights.values())


def spoil(*arrays):
    """What a careless function does to its arguments."""
    for values in arrays:
        if isinstance(values, np.ndarray) and values.ndim:
            values[...] = 7


def distance(a, b):
    found = float(np.abs(a - b).sum())
    spoil(a, b)
    return found


def gram(A, B):
    K = np.exp(-np.sum((np.asarray(A)[:, None] - np.asarray(B)) ** 2, axis=-1))
    spoil(A, B)
    return K


def product(a, b):
    k = float(np.exp(-np.sum((a - b) ** 2)))
    spoil(a, b)
    return k


def scorer(model, X, y):
    found = -float(np.mean(np.ravel(model.predict(X)) != y))
    spoil(X, y)
    return found


def measure(y, p, **more):
    found = float(np.mean(np.asarray(y) == p))
    spoil(y, p)
    return found


def noisy(X, y, rng):
    X += rng.normal(size=X.shape)
    return X, y


def means(X):
    found = X.mean(axis=1)
    spoil(X)
    return found


def first_rows(X, k, random_state):
    found = np.array(X[:k])
    spoil(X)
    return found


def everybody(X):
    spoil(X)
    return np.ones((len(X), len(X)))


class Doubled(Layer):
    """2x, in place."""

    def output_shape(self, input_shapes):
        return input_shapes[0]

    def parameters(self, input_shapes):
        return ()

    def forward(self, parameters, inputs, run):
        inputs[0][...] *= 2.0
        return inputs[0], None

    def backward(self, parameters, saved, delta, gradients, run, wants_inputs):
        return (2.0 * delta,)


FAST = {"max_iter": 3, "random_state": 0}
SMALL = {"hidden_layer_sizes": (3,), **FAST}
CLASSES = [
    KNeighborsClassifier(3, metric=distance),
    KNeighborsClassifier(3, metric=distance, algorithm="brute"),
    KNeighborsClassifier(3, kernel=gram),
    SVC(kernel=gram),
    SVC(kernel=CallableKernel(product, pairwise=True)),
    SVC(kernel=FeatureMapKernel(lambda X: means(X)[:, None])),
    MulticlassSVC(kernel=gram),
    KernelLogisticRegression(kernel=gram),
    KernelPerceptron(kernel=gram),
    GPSearchCV(LogisticRegression(), {"C": Real(0.1, 1.0)}, n_iter=2, n_initial_points=2, scoring=scorer, cv=2),
    LogisticRegressionCV(Cs=2, cv=2, scoring=scorer),
    HistGradientBoostingClassifier(max_iter=3, scoring=scorer, early_stopping=True, validation_fraction=None),
    HistGradientBoostingClassifier(max_iter=3, scoring=scorer, early_stopping=True),
    TunedDetector(CentroidDistanceDetector(1), metric=measure, cv=2, anomaly_label=1),
    GreedySelector(LogisticRegression(), scoring=scorer, cv=2),
    MLPClassifier(**SMALL, augment=noisy),
    MLPClassifier(**SMALL, early_stopping=True, monitor=scorer),
]
NUMBERED = [
    KNeighborsRegressor(3, metric=distance),
    AgglomerativeClustering(2, metric=distance, linkage="average"),
    AgglomerativeClustering(2, connectivity=everybody),
    DivisiveClustering(2, method="diana", metric=distance),
    KMeans(2, init=first_rows),
    KMedoids(2, metric=distance),
    PairwiseClustering(2, metric=distance),
    SpectralClustering(2, affinity=gram),
    KernelPCA(2, kernel=product),
    KernelRidge(kernel=product),
    SVR(kernel=gram),
    OneClassSVM(kernel=gram),
    EmpiricalKernelMap(kernel=gram),
    Nystroem(kernel=product, n_components=5),
    KernelFeatures(kernel=gram, landmarks=5),
    BasisExpansion([means, (1, lambda x: (spoil(x), x)[1])]),
    OraclePredictor(conditional=means),
    RidgeCV(scoring=scorer),
    RidgeCV(scoring=scorer, cv=3),
    GaussianProcessRegressor(mean=means, optimizer=None, alpha=0.1),
    *(
        MLPRegressor(**SMALL, augment=augment, engine=engine, **options)
        for augment in (noisy, [noisy, AddNoise(0.1)])
        for engine in ("numpy", "torch")
        for options in ({}, {"shuffle": False}, {"solver": "rprop"}, {"batch_size": 7})
    ),
    NetworkRegressor([Doubled(), Dense(3)], **FAST),
]


@pytest.mark.parametrize("model", [*CLASSES, *NUMBERED], ids=lambda model: type(model).__name__)
def test_a_function_that_works_in_place_changes_its_own_arrays_only(model):
    def run(X, y):
        # It gets copies, or NumPy refuses its assignment.
        with suppress(ValueError, SystemError):
            model.fit(X, y)
        refusals(model, X, y)

    assert_untouched(run, X, LABELS if model in CLASSES else NUMBERS)


@pytest.mark.spec("NEU-110")
def test_further_functions_that_work_in_place():
    torch = pytest.importorskip("torch")
    model = MLPClassifier(**SMALL).fit(X, LABELS)
    assert_untouched(lambda rows: invariance_report(model, rows, lambda strength: noisy, [1.0]), X)
    held = MLPClassifier(**SMALL, monitor=scorer)
    with pytest.raises(ValueError, match="read-only"):
        held.fit(X, LABELS, validation_data=(X, LABELS))

    def in_place(n_features, n_outputs):
        return torch.nn.Sequential(torch.nn.ReLU(inplace=True), torch.nn.Linear(n_features, n_outputs))

    own = NetworkRegressor(module=in_place, **FAST)
    assert_untouched(lambda X, y: own.fit(X, y).predict(X), X - 0.5, NUMBERS)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_a_view_for_a_function_of_the_user_cannot_be_written(form):
    rows = form(X)
    view = read_only(rows)
    for values in (view,) if isinstance(view, np.ndarray) else (view.data, view.indices, view.indptr):
        with pytest.raises(ValueError, match="read-only"):
            values[...] = 0
    assert abs(view - X).max() == 0.0
    rows *= 2.0


@pytest.mark.parametrize(
    "model",
    [
        KMeans(2, init=X[:2].copy()),
        SoftKMeans(2, init=X[:2].copy()),
        KMedoids(2, init=np.array([3, 9])),
        GaussianMixture(2, means_init=X[:2].copy(), weights_init=np.array([0.3, 0.7])),
        DictionaryLearning(2, dict_init=X[:2].copy(), code_init=X[:, :2].copy(), max_iter=3),
        Nystroem(landmarks=X[:5].copy()),
        GaussianProcessRegressor(alpha=np.full(30, 0.1), optimizer=None),
        MLPRegressor(**SMALL, sampling=np.full(30, 1 / 30)),
        LinearRegression(solver="gd", start=np.zeros(4)),
    ],
    ids=lambda model: type(model).__name__,
)
def test_arrays_among_the_parameters_stay_as_they_were(model):
    given = {name: value.copy() for name, value in model.get_params().items() if isinstance(value, np.ndarray)}
    assert given
    refusals(model.fit(X, NUMBERS), X, NUMBERS)
    for name, value in given.items():
        np.testing.assert_array_equal(getattr(model, name), value)
