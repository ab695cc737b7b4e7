"""What every estimator promises beyond scikit-learn's checks: metadata, model files, threads, callbacks, links."""

import copy
import inspect
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, OutlierMixin, RegressorMixin, clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from skops.io import get_untrusted_types

import public_names
from gnomon.anomaly import TunedDetector
from gnomon.features import ExhaustiveSelector, GreedySelector
from gnomon.generative import DensityGate, SemiSupervisedPipeline
from gnomon.io import load, save
from gnomon.linear import GLM
from gnomon.multiclass import IndicatorRegression, OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from gnomon.testing._tables import example_table, outputs_of
from gnomon.trees import BaggingClassifier, RandomForestClassifier
from many_checks import over

ESTIMATORS = public_names.estimators()
WEIGHTED = [estimator for estimator in ESTIMATORS if "sample_weight" in inspect.signature(estimator.fit).parameters]

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*is deprecated in scikit-learn:FutureWarning"),
]


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def small_table(estimator):
    X, y = example_table(estimator, n_rows=36, n_columns=3)
    return X, y, np.random.default_rng(1).uniform(0.5, 2.0, len(y))


def seeded(estimator):
    """A clone that draws the same every time, with two folds where it has any."""
    model = clone(estimator)
    chosen = {name: 0 for name in model.get_params() if name.split("__")[-1] == "random_state"}
    return model.set_params(**chosen, **({"cv": 2} if "cv" in model.get_params() else {}))


def asked(estimator):
    """A clone that asks for weights, as do all estimators in it that can."""
    model = seeded(estimator)
    for part in [model, *model.get_params().values()]:
        ask = getattr(part, "set_fit_request", None)
        if ask is not None and not inspect.isclass(part) and "sample_weight" in inspect.signature(ask).parameters:
            ask(sample_weight=True)
    return model


def assert_same(model, expected, X):
    given, wanted = outputs_of(model, X), outputs_of(expected, X)
    for method in wanted:
        np.testing.assert_array_equal(given[method], wanted[method], err_msg=method)


@over(WEIGHTED)
def test_weights_reach_every_estimator_that_asks_for_them(estimator, routing):
    X, y, s = small_table(estimator)
    with sklearn.config_context(enable_metadata_routing=False):
        expected = seeded(estimator).fit(X, y, sample_weight=s)
    assert_same(Pipeline([("model", asked(estimator))]).fit(X, y, sample_weight=s), expected, X)
    search = GridSearchCV(asked(estimator), {}, cv=2, scoring=lambda model, X, y: 0.0, error_score="raise")
    assert_same(search.fit(X, y, sample_weight=s).best_estimator_, expected, X)


# Weights are chances of rows in its draws, so it asks for them by default, as its namesake takes them in any case.
ASK_BY_DEFAULT = {"BaggingClassifier", "BaggingRegressor"}


@over(WEIGHTED)
def test_weights_that_nobody_asked_for_are_refused(estimator, routing):
    if type(estimator).__name__ in ASK_BY_DEFAULT:
        assert asked(estimator).get_metadata_routing().consumes("fit", ["sample_weight"])
        return
    X, y, s = small_table(estimator)
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        Pipeline([("model", seeded(estimator))]).fit(X, y, sample_weight=s)


@over(estimator for estimator in ESTIMATORS if "cv" in estimator.get_params())
def test_groups_reach_the_splitter(estimator, routing):
    X, y, _ = small_table(estimator)
    groups = np.arange(len(y)) % 3
    given = list(GroupKFold(3).split(X, y, groups))
    expected = seeded(estimator).set_params(cv=given).fit(X, y)
    model = Pipeline([("model", seeded(estimator).set_params(cv=GroupKFold(3)))]).fit(X, y, groups=groups)
    assert_same(model, expected, X)
    with sklearn.config_context(enable_metadata_routing=False), pytest.raises(ValueError, match="only by routing"):
        seeded(estimator).set_params(cv=GroupKFold(3)).fit(X, y, groups=groups)


def test_an_offset_passes_a_pipeline(routing):
    X, _, offset = small_table(GLM())
    y = np.random.default_rng(2).poisson(np.exp(X[:, 0] + offset))
    model = Pipeline([("model", GLM("poisson").set_fit_request(offset=True))]).fit(X, y, offset=offset)
    assert_same(model, GLM("poisson").fit(X, y, offset=offset), X)


class Spy(BaseEstimator):
    """A part that notes what it is fitted with; the number of a row is the remainder of each of its cells."""

    seen: ClassVar = []

    def fit(self, X, y=None, sample_weight=None, price=None):
        self.seen.append((np.asarray(X)[:, 0] % 1000, sample_weight, price))
        self.classes_ = None if y is None else np.unique(y)
        self.offset_ = 0.0
        return self

    def predict(self, X):
        return np.zeros(len(X), int)

    def score_samples(self, X):
        return -np.asarray(X)[:, 0]


class SpyClassifier(ClassifierMixin, Spy): ...


class SpyRegressor(RegressorMixin, Spy): ...


class SpyDetector(OutlierMixin, Spy): ...


HOLDERS = {
    "BaggingClassifier": (BaggingClassifier(n_estimators=2, random_state=0), {"estimator": SpyClassifier()}),
    "DensityGate": (DensityGate(density=public_names.ANY_ROWS), {"classifier": SpyClassifier()}),
    "ExhaustiveSelector": (ExhaustiveSelector(None, cv=2), {"estimator": SpyClassifier()}),
    "GreedySelector": (GreedySelector(None, cv=2), {"estimator": SpyClassifier()}),
    "IndicatorRegression": (IndicatorRegression(None), {"regressor": SpyRegressor()}),
    "OneVsOneClassifier": (OneVsOneClassifier(None), {"estimator": SpyClassifier()}),
    "OneVsRestClassifier": (OneVsRestClassifier(None), {"estimator": SpyClassifier()}),
    "OutputCodeClassifier": (OutputCodeClassifier(None, random_state=0), {"estimator": SpyClassifier()}),
    "SemiSupervisedPipeline": (SemiSupervisedPipeline(FunctionTransformer()), {"classifier": SpyClassifier()}),
    "TunedDetector": (TunedDetector(cv=2), {"detector": SpyDetector()}),
}


# They use the weights themselves; of the others, scikit-learn refuses weights that no part wants.
READS_WEIGHTS = {"BaggingClassifier", "DensityGate"}


@pytest.mark.parametrize("name", HOLDERS)
def test_a_part_gets_what_it_asks_for_and_no_more(name, routing):
    holder, parts = HOLDERS[name]
    rows = np.arange(24.0)
    X, y = rows[:, None] + 1000.0 * np.arange(3), (rows % 3 == 0).astype(int)
    asking = {role: part.set_fit_request(price=True, sample_weight=False) for role, part in parts.items()}
    sent = {"price": rows} | ({"sample_weight": rows + 1.0} if name in READS_WEIGHTS else {})
    Spy.seen.clear()
    clone(holder).set_params(**asking).fit(X, y, **sent)
    assert Spy.seen
    for fitted_rows, weights, price in Spy.seen:
        np.testing.assert_array_equal(price, fitted_rows)
        # Of a bag, the part gets how often each row was drawn.
        assert weights is None or name == "BaggingClassifier"


def learned(estimator):
    """A fitted model, and the rows it was fitted to."""
    X, y, _ = small_table(estimator)
    return seeded(estimator).fit(X, y), X


@over(ESTIMATORS)
def test_a_model_file_names_types_of_this_package_alone_and_load_trusts_them(estimator, tmp_path):
    model, X = learned(estimator)
    path = tmp_path / "model.skops"
    save(model, path)
    left_to_the_caller = get_untrusted_types(file=path)
    assert not [name for name in left_to_the_caller if not name.startswith("gnomon.")]
    # `load` refuses a file with a type that it does not trust.
    assert_same(load(path), model, X)


THREADS = 4
READERS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "score_samples", "transform", "apply")


def answers_of(model, X, method):
    given = getattr(model, method)(X)
    return given.toarray() if sparse.issparse(given) else given


def check_threads(model, X):
    """What threads read at the same time, each in another order, is what one alone reads."""
    methods = [method for method in READERS if getattr(model, method, None) is not None]
    assert methods
    # Of a copy, so that whatever the model computes once and keeps, it computes among the threads.
    alone = copy.deepcopy(model)
    expected = {method: answers_of(alone, X, method) for method in methods}
    ready = threading.Barrier(THREADS)

    def read(place):
        ready.wait()
        return {method: answers_of(model, X, method) for method in methods[place:] + methods[:place]}

    with ThreadPoolExecutor(THREADS) as pool:
        for given in pool.map(read, range(THREADS)):
            for method in methods:
                np.testing.assert_array_equal(given[method], expected[method], err_msg=method)


@over(ESTIMATORS)
def test_a_model_is_read_by_many_threads_at_once(estimator):
    check_threads(*learned(estimator))


def test_threads_may_read_a_forest_that_has_threads_of_its_own():
    model, X = learned(RandomForestClassifier(8, n_jobs=2, random_state=0))
    check_threads(model, np.tile(X, (40, 1)))
