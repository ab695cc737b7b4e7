"""Laws of the search for hyper-parameters: scikit-learn's conventions, no leak, files, interrupts."""

import json
import warnings

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, make_scorer, r2_score
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from gnomon.gp import BayesSearchCV, Category, GPSearchCV, Integer, Real
from gnomon.io import load, save

X, Y = make_classification(90, 6, n_informative=3, random_state=0)
GROUPS = np.repeat(np.arange(30), 3)
SVC_SPACE = {
    "svc__kernel": ["rbf", "poly"],
    "svc__C": Real(1e-2, 1e2, log=True),
    "svc__gamma": Real(1e-3, 1e1, log=True),
    "svc__degree": Integer(2, 3, when={"svc__kernel": "poly"}),
}
FAST = {"n_candidates": 100, "n_initial_points": 4, "cv": 3, "random_state": 0}


def pipeline():
    return Pipeline([("scale", StandardScaler()), ("svc", SVC())])


def search_of(estimator=None, space=SVC_SPACE, n_iter=7, **options):
    return GPSearchCV(estimator or pipeline(), space, n_iter=n_iter, **{**FAST, **options})


@pytest.mark.spec("GP-055")
def test_results_have_the_form_of_a_grid_search():
    found = search_of(return_train_score=True).fit(X, Y)
    grid = GridSearchCV(pipeline(), {"svc__C": [1.0], "svc__degree": [2]}, cv=3, return_train_score=True).fit(X, Y)
    extra = {"param_svc__kernel", "param_svc__gamma"}
    assert set(found.cv_results_) == set(grid.cv_results_) | extra
    assert all(len(column) == 7 for column in found.cv_results_.values())
    assert [type(column) for column in found.cv_results_.values()].count(np.ma.MaskedArray) == 4
    absent = [params["svc__kernel"] == "rbf" for params in found.cv_results_["params"]]
    assert found.cv_results_["param_svc__degree"].mask.tolist() == absent
    assert 0 < sum(absent) < 7
    # Scores are those of a plain cross-validation.
    for params, score in zip(found.cv_results_["params"], found.cv_results_["mean_test_score"], strict=True):
        assert score == pytest.approx(cross_val_score(pipeline().set_params(**params), X, Y, cv=3).mean())
    assert found.best_score_ == found.cv_results_["mean_test_score"].max()
    assert found.best_params_ == found.cv_results_["params"][found.best_index_]
    assert found.cv_results_["rank_test_score"][found.best_index_] == 1
    np.testing.assert_array_equal(
        found.predict(X), clone(pipeline()).set_params(**found.best_params_).fit(X, Y).predict(X)
    )
    assert found.score(X, Y) == accuracy_score(Y, found.predict(X))
    assert BayesSearchCV is GPSearchCV
    # What it learned can be asked further.
    optimizer = found.optimizer_
    assert optimizer.best_loss_ == -found.best_score_
    mean, std = optimizer.predict(found.cv_results_["params"])
    assert np.all(std > 0.0)
    assert np.corrcoef(mean, -found.cv_results_["mean_test_score"])[0, 1] > 0.7
    assert (found.n_iter_, found.stop_reason_, len(found.history_["loss"])) == (7, "max_iter", 7)


@pytest.mark.spec("GP-055")
def test_the_answer_depends_on_the_seed_and_not_on_the_number_of_processes():
    alone = search_of().fit(X, Y).cv_results_
    for other in (search_of(n_jobs=2), search_of()):
        found = other.fit(X, Y).cv_results_
        assert found["params"] == alone["params"]
        np.testing.assert_array_equal(found["mean_test_score"], alone["mean_test_score"])
    assert search_of(random_state=1).fit(X, Y).cv_results_["params"] != alone["params"]
    batches = search_of(n_points=3, n_jobs=2).fit(X, Y).cv_results_["params"]
    assert len(batches) == 7
    assert batches[:4] == alone["params"][:4]
    # The fifth is asked before the score of the fourth is known.
    assert batches[4] != alone["params"][4]


class Recording(TransformerMixin, BaseEstimator):
    """A transformer whose fits are written down: the rows are known by their first column."""

    seen = []  # noqa: RUF012

    def fit(self, X, y=None):
        type(self).seen.append(np.sort(X[:, 0]))
        return self

    def transform(self, X):
        return X


@pytest.mark.spec("GP-055")
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["folds", "groups"])
def test_nothing_is_fitted_to_rows_that_are_tested(groups):
    rows = np.column_stack([np.arange(90.0), X])
    cv = KFold(3, shuffle=True) if groups is None else GroupKFold(3)
    Recording.seen.clear()
    model = Pipeline([("record", Recording()), ("ridge", Ridge())])
    space = {"ridge__alpha": Real(1e-3, 1e3, log=True)}
    search_of(model, space, n_iter=6, cv=cv).fit(rows, X[:, 0], **({} if groups is None else {"groups": groups}))
    *inside, last = Recording.seen
    assert len(last) == 90
    assert {len(rows) for rows in inside} == {60}
    # Folds that are drawn at random are the same for all points.
    assert len({tuple(rows) for rows in inside}) == 3
    if groups is not None:
        for fold in inside:
            assert not set(groups[fold.astype(int)]) & set(np.delete(groups, fold.astype(int)))


@pytest.mark.spec("GP-055")
def test_several_scores():
    scoring = {"accuracy": "accuracy", "loss": "neg_log_loss"}
    model, space = LogisticRegression(), {"C": Real(1e-3, 1e3, log=True)}
    named = search_of(model, space, scoring=scoring, refit="loss").fit(X, Y)
    assert named.multimetric_
    assert named.best_score_ == named.cv_results_["mean_test_loss"].max()
    np.testing.assert_allclose(named.history_["loss"], -named.cv_results_["mean_test_loss"])
    chosen = search_of(model, space, scoring=scoring, refit=lambda results: 2, optimize="accuracy").fit(X, Y)
    assert chosen.best_index_ == 2
    assert chosen.best_params_ == chosen.cv_results_["params"][2]
    np.testing.assert_allclose(chosen.history_["loss"], -chosen.cv_results_["mean_test_accuracy"])
    without = search_of(model, space, scoring=scoring, refit=False, optimize="loss").fit(X, Y)
    assert not hasattr(without, "best_estimator_")
    assert named.cv_results_["params"] == without.cv_results_["params"]
    own = search_of(model, space, scoring=lambda e, X, y: {"a": e.score(X, y), "b": 0.0}, refit="a").fit(X, Y)
    assert own.best_score_ == own.cv_results_["mean_test_a"].max()
    for options in ({"refit": False}, {"refit": lambda results: 0}, {"refit": "loss", "optimize": "recall"}):
        with pytest.raises(ValueError, match=r"name none of the scores \['accuracy', 'loss'\]"):
            search_of(model, space, scoring=scoring, **options).fit(X, Y)
    with pytest.raises(ValueError, match="refit='loss' is none of the scores"):
        search_of(model, space, scoring="accuracy", refit="loss").fit(X, Y)


def test_parts_of_a_pipeline_and_values_of_any_kind():
    svc, forest = SVC(), RandomForestClassifier(5, random_state=0)
    space = {
        "model": [svc, forest],
        "scale": [None, "passthrough", StandardScaler()],
        "model__C": Real(1e-2, 1e2, log=True, when={"model": svc}),
        "model__max_features": Category(["sqrt", None, 0.5], when={"model": forest}),
    }
    model = Pipeline([("scale", StandardScaler()), ("model", svc)])
    found = search_of(model, space, n_iter=10).fit(X, Y)
    kinds = {type(params["model"]).__name__: set(params) for params in found.cv_results_["params"]}
    assert kinds["SVC"] == {"model", "scale", "model__C"}
    assert kinds["RandomForestClassifier"] == {"model", "scale", "model__max_features"}
    assert found.best_estimator_.score(X, Y) > 0.8
    # The values of the space are not fitted themselves.
    assert not hasattr(svc, "support_")


def test_weights_reach_fits_and_scores_as_in_a_grid_search():
    weights = np.random.default_rng(0).random(90)
    space = {"C": Real(1e-3, 1e1, log=True)}
    found = search_of(LogisticRegression(), space).fit(X, Y, sample_weight=weights)
    grid = GridSearchCV(LogisticRegression(), {"C": [found.best_params_["C"]]}, cv=3).fit(X, Y, sample_weight=weights)
    assert found.best_score_ == pytest.approx(grid.best_score_)
    with sklearn.config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=False)
        routed = search_of(model, space, scoring=scorer, cv=GroupKFold(3))
        routed.fit(X, Y, sample_weight=weights, groups=GROUPS)
        again = GridSearchCV(model, {"C": [routed.best_params_["C"]]}, scoring=scorer, cv=GroupKFold(3))
        again.fit(X, Y, sample_weight=weights, groups=GROUPS)
    assert routed.best_score_ == again.best_score_


class Fragile(ClassifierMixin, BaseEstimator):
    """Fits where a > 0.3, best at a = 0.8; counts its fits, and is interrupted at one of them."""

    fits, interrupt_at = 0, None

    def __init__(self, a=0.5):
        self.a = a

    def fit(self, X, y):
        type(self).fits += 1
        if type(self).fits == type(self).interrupt_at:
            raise KeyboardInterrupt
        if self.a < 0.3:
            raise ValueError("a is too small")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[np.zeros(len(X), dtype=int)]

    def score(self, X, y):
        return 1.0 - (self.a - 0.8) ** 2


@pytest.fixture(autouse=True)
def _counted_from_zero():
    Fragile.fits, Fragile.interrupt_at = 0, None


LINE = {"a": Real(0.0, 1.0)}


@pytest.mark.spec("GP-050", "GP-055")
def test_points_whose_fits_fail_are_the_worst_and_end_nothing():
    with (
        pytest.warns(FitFailedWarning, match="All the 3 fits failed"),
        pytest.warns(UserWarning, match="test scores are non-finite"),
    ):
        found = search_of(Fragile(), LINE, n_iter=12).fit(X, Y)
    scores = found.cv_results_["mean_test_score"]
    failed = np.array([params["a"] < 0.3 for params in found.cv_results_["params"]])
    assert len(scores) == 12
    assert failed.any()
    np.testing.assert_array_equal(np.isnan(scores), failed)
    assert abs(found.best_params_["a"] - 0.8) < 0.02
    # Not one point after the first ones is where fits fail.
    assert not failed[5:].any()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitFailedWarning)
        finite = search_of(Fragile(), LINE, n_iter=6, error_score=-1.0).fit(X, Y)
    np.testing.assert_array_equal(finite.cv_results_["mean_test_score"][failed[:6]], -1.0)
    with pytest.raises(ValueError, match="a is too small"):
        search_of(Fragile(), LINE, n_iter=12, error_score="raise").fit(X, Y)
    hopeless = search_of(Fragile(), {"a": Real(0.0, 0.2)})
    with pytest.warns(FitFailedWarning), pytest.raises(ValueError, match="fits failed"):
        hopeless.fit(X, Y)


@pytest.mark.spec("GP-055")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning", "ignore:One or more of the test scores")
@pytest.mark.parametrize("n_points", [1, 3])
def test_a_search_goes_on_from_its_file_as_if_nothing_had_happened(n_points, tmp_path):
    options = {"n_iter": 10, "n_points": n_points}
    whole = search_of(Fragile(), LINE, **options).fit(X, Y)
    Fragile.fits, Fragile.interrupt_at = 0, 20
    path = tmp_path / "search.json"
    cut = search_of(Fragile(), LINE, checkpoint=path, **options).fit(X, Y)
    assert cut.stop_reason_ == "interrupted"
    assert cut.n_iter_ == 6
    assert cut.best_params_ == whole.cv_results_["params"][cut.best_index_]
    assert cut.predict(X).shape == (90,)
    json.loads(path.read_text(encoding="utf-8"))
    Fragile.fits, Fragile.interrupt_at = 0, None
    again = search_of(Fragile(), LINE, checkpoint=path, **options).fit(X, Y)
    # Four points in three folds, and the best on all rows.
    assert Fragile.fits == 4 * 3 + 1
    for name in ("params", "mean_test_score", "split2_test_score", "rank_test_score"):
        np.testing.assert_array_equal(again.cv_results_[name], whole.cv_results_[name])
    assert (again.n_iter_, again.best_index_) == (10, whole.best_index_)
    # A search that is complete tries its last point once more; one that may go further does.
    Fragile.fits = 0
    done = search_of(Fragile(), LINE, checkpoint=path, **options).fit(X, Y)
    assert Fragile.fits == 3 + 1
    assert done.cv_results_["params"] == whole.cv_results_["params"]
    longer = search_of(Fragile(), LINE, checkpoint=path, **{**options, "n_iter": 12}).fit(X, Y)
    assert longer.cv_results_["params"][:10] == whole.cv_results_["params"]
    assert longer.n_iter_ == 12


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning", "ignore:One or more of the test scores")
def test_a_file_of_another_search_is_refused(tmp_path):
    path, weights = tmp_path / "search.json", np.arange(90.0) + 1.0
    ridge = Pipeline([("scale", StandardScaler()), ("ridge", Ridge())])
    space = {"ridge__alpha": Real(1e-3, 1e3, log=True)}
    first = search_of(ridge, space, n_iter=4, n_initial_points=2, checkpoint=path, scoring="r2").fit(X, Y)

    def other(**changes):
        return GPSearchCV(**clone(first).get_params(deep=False)).set_params(n_iter=5, **changes)

    for search, rows, targets, params, sentence in [
        (other(), X + 1.0, Y, {}, "in X;"),
        (other(), X, 1.0 - Y, {}, "in y;"),
        (other(), X, Y, {"ridge__sample_weight": weights}, "in ridge__sample_weight;"),
        (other(space={"ridge__alpha": Real(1e-3, 1e2, log=True)}), X, Y, {}, "in space;"),
        (
            other(estimator__ridge__fit_intercept=False),
            X,
            Y,
            {},
            "in .* and estimator__ridge__fit_intercept;",
        ),
        (other(estimator__scale=MinMaxScaler()), X, Y, {}, "in .*estimator__scale__"),
        (other(scoring="neg_mean_squared_error"), X, Y, {}, "in scoring;"),
        (other(scoring=make_scorer(r2_score)), X, Y, {}, "in scoring;"),
        (other(random_state=1), X, Y, {}, "in random_state;"),
        (other(cv=5), X, Y, {}, "in cv and folds;"),
        (other(cv=KFold(3, shuffle=True)), X, Y, {}, "in cv and folds;"),
        (other(acquisition="pi"), X, Y, {}, "in acquisition;"),
    ]:
        with pytest.raises(ValueError, match=f"is of another fit: it differs {sentence}"):
            search.fit(rows, targets, **params)
    # What bounds the work, and the number of processes, may change; 3 and KFold(3) are the same splits.
    on = other(cv=KFold(3), estimator__verbose=True).fit(X, Y)
    assert on.cv_results_["params"][:4] == first.cv_results_["params"]
    path.write_text("no file of a search")
    with pytest.raises(ValueError, match="is no file of a search"):
        other().fit(X, Y)


def test_folds_may_come_one_by_one():
    found = search_of(LogisticRegression(), {"C": Real(1e-3, 1e3, log=True)}, n_iter=5, cv=KFold(3).split(X)).fit(X, Y)
    assert found.n_splits_ == 3
    assert len(found.cv_results_["split2_test_score"]) == 5


def test_an_interrupt_before_the_first_result_is_an_interrupt():
    Fragile.interrupt_at = 2
    with pytest.raises(KeyboardInterrupt):
        search_of(Fragile(), {"a": Real(0.4, 1.0)}).fit(X, Y)


@pytest.mark.spec("GP-055")
def test_a_finite_space_ends_the_search():
    space = {"C": [0.1, 1.0, 10.0], "fit_intercept": [True, False]}
    with pytest.warns(UserWarning, match="the space has 6 points, fewer than n_iter=20"):
        found = search_of(LogisticRegression(), space, n_iter=20).fit(X, Y)
    grid = GridSearchCV(LogisticRegression(), space, cv=3).fit(X, Y)
    assert (found.n_iter_, found.stop_reason_) == (6, "no_change")
    assert found.best_score_ == grid.best_score_
    assert sorted(map(str, found.cv_results_["params"])) == sorted(map(str, grid.cv_results_["params"]))


def test_a_fitted_search_is_saved_with_what_it_was_told(tmp_path):
    found = search_of(LogisticRegression(), {"C": Real(1e-3, 1e3, log=True)}).fit(X, Y)
    save(found, tmp_path / "search.skops")
    again = load(tmp_path / "search.skops")
    np.testing.assert_array_equal(again.predict(X), found.predict(X))
    assert again.optimizer_.ask() == found.optimizer_.ask()


def test_progress_is_told(capsys):
    search_of(LogisticRegression(), {"C": Real(1e-3, 1e3, log=True)}, n_iter=3, verbose=2).fit(X, Y)
    assert "point 3 of 3: score 0." in capsys.readouterr().err


class Watching:
    """A callback of scikit-learn that counts batches and folds, and asks to stop after some batches."""

    def __init__(self, most):
        self.most, self.ended = most, []

    def setup(self, estimator, context): ...

    def teardown(self, estimator, context): ...

    def on_fit_task_begin(self, estimator, context): ...

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.ended.append(context.task_name)
        return self.ended.count("batch") >= self.most


@pytest.mark.skipif(not hasattr(GPSearchCV, "set_callbacks"), reason="this scikit-learn has no callbacks")
def test_a_callback_may_end_the_search():
    space, watching = {"C": Real(1e-3, 1e3, log=True)}, Watching(5)
    found = search_of(LogisticRegression(), space, n_iter=9).set_callbacks(watching).fit(X, Y)
    assert (found.n_iter_, found.stop_reason_) == (5, "callback")
    assert watching.ended.count("batch") == 5
    assert found.predict(X).shape == (90,)
