"""What every estimator promises beyond scikit-learn's checks: metadata, model files, threads, callbacks, links."""

import copy
import email.message
import functools
import importlib.util
import inspect
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, OutlierMixin, RegressorMixin, clone
from sklearn.exceptions import ConvergenceWarning, UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_html_repr
from skops.io import get_untrusted_types

import public_names
from gnomon.anomaly import TunedDetector
from gnomon.base import callbacks
from gnomon.base.estimator import Estimator, documentation_url
from gnomon.decision import ConformalRegressor
from gnomon.features import ExhaustiveSelector, GreedySelector
from gnomon.generative import DensityGate, GaussianMixture, SemiSupervisedPipeline
from gnomon.io import load, save
from gnomon.linear import GLM, Lasso, LassoCV, LogisticRegression, Perceptron
from gnomon.multiclass import IndicatorRegression, OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from gnomon.neural import MLPClassifier
from gnomon.testing._tables import example_table, outputs_of
from gnomon.trees import (
    AdaBoostClassifier,
    BaggingClassifier,
    HistGradientBoostingRegressor,
    OptimalTreeClassifier,
    RandomForestClassifier,
)
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


# Folds are for a threshold that is found, not for one that a cost gives.
WITH_FOLDS = {"RejectClassifier": {"cost": None, "coverage": 0.8}}


def seeded(estimator):
    """A clone that draws the same every time, with two folds where it has any."""
    model = clone(estimator).set_params(**WITH_FOLDS.get(type(estimator).__name__, {}))
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


def constant(model, X, y):
    """A score for any model."""
    return 0.0


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
    search = GridSearchCV(asked(estimator), {}, cv=2, scoring=constant, error_score="raise")
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
    if isinstance(estimator, BaseSearchCV):
        return  # as in scikit-learn, a search hands groups to its splitter in any case
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
    "ConformalRegressor": (ConformalRegressor(None, method="cross", cv=2), {"estimator": SpyRegressor()}),
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


# A law that is given as a function is code, which no model file may hold.
CODE = ("OraclePredictor",)


@over([estimator for estimator in ESTIMATORS if type(estimator).__name__ not in CODE])
def test_a_model_file_names_types_of_this_package_alone_and_load_trusts_them(estimator, tmp_path):
    model, X = learned(estimator)
    path = tmp_path / "model.skops"
    save(model, path)
    left_to_the_caller = get_untrusted_types(file=path)
    # A search holds its scorer and its splitter, as scikit-learn's do.
    own = ("gnomon.", "sklearn.m") if isinstance(estimator, BaseSearchCV) else ("gnomon.",)
    assert not [name for name in left_to_the_caller if not name.startswith(own)]
    # `load` refuses a file with a type that it does not trust.
    assert_same(load(path), model, X)


THREADS = 4
READERS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "score_samples", "transform")
READERS += ("apply", "kneighbors")


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


@over(estimator for estimator in ESTIMATORS if getattr(estimator, "fit_resample", None) is None)
def test_a_model_is_read_by_many_threads_at_once(estimator):
    check_threads(*learned(estimator))


def test_threads_may_read_a_forest_that_has_threads_of_its_own():
    model, X = learned(RandomForestClassifier(8, n_jobs=2, random_state=0))
    check_threads(model, np.tile(X, (40, 1)))


class Listener:
    """A callback that notes the tasks of every fit, and may ask to stop after some of them."""

    def __init__(self, most=np.inf):
        self.most, self.tasks, self.began, self.ended, self.torn_down = most, [], [], [], 0

    def setup(self, estimator, context): ...

    def teardown(self, estimator, context):
        self.torn_down += 1

    def on_fit_task_begin(self, estimator, context):
        if context.parent is None:
            self.began.append(context.max_subtasks)

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        if context.parent is None:
            self.ended.append(fitted_estimator)
        else:
            self.tasks.append(context.task_id)
        return len(self.tasks) >= self.most


class Following(Listener):
    """A callback that goes from a search to the estimators in it, and counts their fits."""

    max_propagation_depth = None
    fits = 0

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.fits += context.source_estimator_name == "GridSearchCV"


HEARD = [estimator for estimator in ESTIMATORS if getattr(estimator, "set_callbacks", None) is not None]
needs_callbacks = pytest.mark.skipif(not HEARD, reason="this scikit-learn has no callbacks")


@needs_callbacks
def test_long_fits_take_callbacks():
    names = {type(estimator).__name__ for estimator in HEARD}
    solvers = {"Lasso", "LogisticRegression", "LinearSVC", "LinearSVM", "GLM", "Perceptron", "LassoCV"}
    em = {"GaussianMixture", "MixtureModel", "LatentClassModel", "SemiSupervisedClassifier"}
    trees = {"RandomForestClassifier", "ExtraTreesRegressor", "GradientBoostingRegressor", "AdaBoostClassifier"}
    codes = {"OneVsRestClassifier", "OneVsOneClassifier", "OutputCodeClassifier", "AdaBoostECC"}
    assert solvers | em | trees | codes <= names


@needs_callbacks
@over(estimator for estimator in HEARD if not isinstance(estimator, BaseSearchCV))  # a search has tasks in tasks
def test_a_callback_hears_of_every_task_and_changes_nothing(estimator):
    X, y, _ = small_table(estimator)
    quiet, listener = seeded(estimator).fit(X, y), Listener()
    model = seeded(estimator).set_callbacks(listener)
    assert model.get_params().keys() == quiet.get_params().keys()
    assert_same(model.fit(X, y), quiet, X)
    assert listener.tasks == list(range(len(listener.tasks)))
    assert len(listener.tasks) > 0
    assert len(listener.tasks) <= (np.inf if listener.began[0] is None else listener.began[0])
    assert (len(listener.began), len(listener.ended), listener.torn_down) == (1, 1, 1)
    assert_same(listener.ended[0], quiet, X)
    # A clone has the same callbacks, and none of what a fit keeps while it runs.
    assert vars(clone(model)).keys() - vars(clone(quiet)).keys() == {"_skl_callbacks"}
    assert vars(model.set_callbacks()).keys() == vars(quiet).keys()


def checks(history):
    """How many entries of a history are of iterations, and not of a start."""
    return int(np.sum(history["iteration"] > 0))


COUNTED = {
    "coordinate descent": (Lasso(0.001, tol=1e-12), lambda model: checks(model.history_)),
    "solver, one against rest": (LogisticRegression(multi_class="ovr"), lambda model: np.sum(model.n_iter_)),
    "perceptron": (Perceptron(), lambda model: checks(model.history_)),
    "folds": (LassoCV(cv=3, alphas=4), lambda model: 3),
    "network": (MLPClassifier((3,), tol=0.5, n_iter_no_change=2, random_state=0), lambda model: model.n_iter_),
    "EM": (GaussianMixture(2, random_state=0), lambda model: model.n_iter_),
    "forest": (RandomForestClassifier(5, random_state=0), lambda model: 5),
    "bag": (BaggingClassifier(n_estimators=4, random_state=0), lambda model: 4),
    "boosting": (HistGradientBoostingRegressor(max_iter=6), lambda model: model.n_iter_),
    "AdaBoost": (AdaBoostClassifier(n_estimators=5), lambda model: model.n_iter_),
    "columns": (OneVsRestClassifier(LogisticRegression(), n_jobs=2), lambda model: 3),
    "search": (OptimalTreeClassifier(max_depth=2), lambda model: 3),
}


@needs_callbacks
@pytest.mark.parametrize("name", COUNTED)
def test_the_progress_bar_counts_the_tasks(name, capsys):
    from sklearn.callback import ProgressBar, _progressbar

    class Counted(ProgressBar):
        def teardown(self, estimator, context):
            monitor = _progressbar._run_monitors[context.root_uuid]
            super().teardown(estimator, context)
            self.n_tasks = len(monitor.root_rich_task.children)

    estimator, expected = COUNTED[name]
    X, y, _ = small_table(estimator)
    bar = Counted()
    model = clone(estimator).set_callbacks(bar).fit(X, y)
    assert bar.n_tasks == expected(model)
    assert "100%" in capsys.readouterr().out


@needs_callbacks
@pytest.mark.parametrize(
    "name", ["coordinate descent", "solver, one against rest", "perceptron", "network", "EM", "boosting"]
)
def test_a_callback_can_stop_iterations(name):
    estimator, _ = COUNTED[name]
    X, y, _ = small_table(estimator)
    assert clone(estimator).set_callbacks(Listener(most=1)).fit(X, y).stop_reason_ == "callback"


@needs_callbacks
@pytest.mark.parametrize("name", ["forest", "bag"])
def test_a_callback_can_stop_a_forest_which_keeps_its_trees(name):
    estimator, _ = COUNTED[name]
    X, y, _ = small_table(estimator)
    with pytest.warns(ConvergenceWarning, match="interrupted after 2 of"):
        model = clone(estimator).set_callbacks(Listener(most=2)).fit(X, y)
    assert len(model) == 2
    assert_same(model, clone(estimator).set_params(n_estimators=2).fit(X, y), X)


@needs_callbacks
@pytest.mark.parametrize("name", COUNTED)
def test_callbacks_go_through_searches(name):
    from sklearn.callback import ProgressBar

    estimator, _ = COUNTED[name]
    X, y, _ = small_table(estimator)
    quiet = GridSearchCV(estimator, {}, cv=2, scoring=constant).fit(X, y)
    listener = Following()
    told = clone(quiet).set_callbacks(ProgressBar(), listener).fit(X, y)
    assert_same(told.best_estimator_, quiet.best_estimator_, X)
    # Two folds, and all rows.
    assert listener.fits == 3
    cross_val_score(clone(estimator).set_callbacks(ProgressBar()), X, y, cv=2, scoring=constant, error_score="raise")


def test_without_callbacks_in_scikit_learn_there_is_no_method_for_them(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.callback", None)
    spec = importlib.util.spec_from_file_location("callbacks_of_old", callbacks.__file__)
    old = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(old)

    class Model(old.CallbackSupportMixin, BaseEstimator): ...

    assert getattr(Model(), "set_callbacks", None) is None
    with old.fit_tasks(Model(), "iteration", 3) as told:
        assert told.done() is False
        assert told.rows() is None


sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "_ext"))
reference_pages = importlib.import_module("reference_pages")
SITE = "https://pages.example.org/gnomon"


def links_of(estimator):
    return re.findall(r'href="([^"]*)"', estimator_html_repr(estimator))


def links_of_parts(estimator):
    """Where scikit-learn's own estimators within another one are documented."""
    parts = [part for part in estimator.get_params().values() if type(part).__module__.startswith("sklearn")]
    return tuple(part._get_doc_link() for part in parts)


def test_every_estimator_has_one_root():
    assert not [type(estimator).__name__ for estimator in ESTIMATORS if not isinstance(estimator, Estimator)]


@over(ESTIMATORS)
def test_without_a_site_there_is_no_link(estimator, monkeypatch):
    monkeypatch.setattr("gnomon.base.estimator.documentation_url", lambda: None)
    assert estimator._get_doc_link() == ""
    assert not [link for link in links_of(estimator) if not link.startswith(links_of_parts(estimator) or "no part")]


@over(ESTIMATORS)
def test_the_html_of_an_estimator_links_to_its_reference(estimator, monkeypatch):
    monkeypatch.setattr("gnomon.base.estimator.documentation_url", lambda: SITE)
    link = estimator._get_doc_link()
    assert link in links_of(estimator)
    page, name = link.removeprefix(f"{SITE}/reference/").split(".html#")
    assert page in reference_pages.packages()
    assert f".. autoclass:: {name}\n" in reference_page(page)


@functools.cache
def reference_page(package):
    return reference_pages.page(f"gnomon.{package}")


def test_the_site_is_where_the_metadata_of_the_package_say(monkeypatch):
    message = email.message.Message()
    message["Project-URL"] = "Source, https://code.example.org/gnomon"
    monkeypatch.setattr("gnomon.base.estimator.metadata", lambda name: message)
    assert documentation_url.__wrapped__() is None
    message["Project-URL"] = f"Documentation, {SITE}/"
    assert documentation_url.__wrapped__() == SITE
