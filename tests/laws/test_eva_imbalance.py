"""Rare classes: resampling, weights, shifts of the prior, and a warning."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression as Peer
from sklearn.metrics import accuracy_score, make_scorer, recall_score
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gnomon.decision import class_weights, effective_train_prior, remove_prior, shift_prior
from gnomon.evaluation import ImbalanceWarning, compare_models, select_model, warn_if_imbalanced
from gnomon.features import SMOTE, RandomOverSampler, RandomUnderSampler, ResampledClassifier
from gnomon.linear import LinearModelClassifier, LinearModelRegressor, LinearSVM, LogisticRegression
from gnomon.losses import HingeLoss, LogisticLoss, PerceptronLoss, Weighted
from gnomon.numerics.curves import threshold_curve
from gnomon.numerics.design import Design
from gnomon.optim import fit_linear, sgd
from gnomon.optim.problem import Problem
from gnomon.penalties import L2
from gnomon.trees import BaggingClassifier, DecisionTreeClassifier

EXACT = {"tol": 1e-11, "max_iter": 10_000}


def rare(n=300, share=0.1, seed=0, names=(0, 1)):
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < share * n).astype(int)[rng.permutation(n)]
    return rng.normal(np.column_stack([1.5 * y, np.zeros(n)]), 1.0), np.array(names)[y]


def counted(y):
    return dict(zip(*(part.tolist() for part in np.unique(y, return_counts=True)), strict=True))


@pytest.mark.spec("EVA-052")
@pytest.mark.parametrize(
    ("options", "sizes"),
    [
        ({}, {"a": 10, "b": 10, "c": 10}),
        ({"ratio": 0.5}, {"a": 20, "b": 20, "c": 10}),
        ({"prior": {"a": 0.5, "b": 0.25, "c": 0.25}}, {"a": 20, "b": 10, "c": 10}),
        ({"prior": "uniform"}, {"a": 10, "b": 10, "c": 10}),
        ({"sizes": {"a": 7}}, {"a": 7, "b": 30, "c": 10}),
    ],
)
def test_leaving_out(options, sizes):
    y = np.repeat(["a", "b", "c"], [60, 30, 10])
    X = np.arange(100.0)[:, None]
    sampler = RandomUnderSampler(**options, random_state=0)
    Xr, yr = sampler.fit_resample(X, y)
    assert counted(yr) == sizes == dict(zip(sampler.classes_, sampler.sizes_, strict=True))
    np.testing.assert_array_equal(Xr, X[sampler.sample_indices_])
    np.testing.assert_array_equal(yr, y[sampler.sample_indices_])
    assert len(set(sampler.sample_indices_.tolist())) == len(yr)


@pytest.mark.spec("EVA-052")
def test_every_row_is_left_out_as_often():
    X, y = np.arange(40.0)[:, None], np.repeat([0, 1], [36, 4])
    kept = np.zeros(40)
    for seed in range(300):
        sampler = RandomUnderSampler(random_state=seed)
        sampler.fit_resample(X, y)
        kept[sampler.sample_indices_] += 1
    assert np.all(kept[36:] == 300)
    # 36 binomial counts: the largest deviation is below four standard deviations.
    assert np.max(np.abs(kept[:36] - 300 / 9)) < 4.0 * np.sqrt(300 / 9 * 8 / 9)
    twice = RandomUnderSampler(replacement=True, random_state=0)
    twice.fit_resample(X, y)
    assert len(twice.sample_indices_) == 8


@pytest.mark.spec("EVA-053")
@pytest.mark.parametrize("method", ["repeat", "bootstrap"])
def test_adding(method):
    y = np.repeat(["a", "b", "c"], [60, 35, 8])
    X = np.arange(103.0)[:, None]
    sampler = RandomOverSampler(method=method, random_state=0)
    Xr, yr = sampler.fit_resample(X, y)
    assert counted(yr) == {"a": 60, "b": 60, "c": 60}
    np.testing.assert_array_equal(Xr, X[sampler.sample_indices_])
    copies = np.bincount(sampler.sample_indices_, minlength=103)
    assert np.all(copies[:60] == 1)
    if method == "repeat":
        assert set(copies[60:95]) == {1, 2}
        assert set(copies[95:]) == {7, 8}
    else:
        assert set(copies[95:]) - {7, 8}
        assert np.max(copies[60:95]) > 2  # fewer copies than rows, drawn with replacement all the same
    again = RandomOverSampler(method=method, random_state=1)
    again.fit_resample(X, y)
    assert np.any(np.bincount(again.sample_indices_, minlength=103) != copies)
    assert counted(RandomOverSampler(ratio=0.5).fit_resample(X, y)[1]) == {"a": 60, "b": 35, "c": 30}
    assert counted(RandomOverSampler(sizes={"c": 9}).fit_resample(X, y)[1]) == {"a": 60, "b": 35, "c": 9}
    assert counted(RandomOverSampler(prior=[0.2, 0.2, 0.6]).fit_resample(X, y)[1]) == {"a": 60, "b": 60, "c": 180}


@pytest.mark.spec("EVA-054")
def test_copies_are_perturbed_and_originals_are_not():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(440, 2)) * [1.0, 50.0], np.repeat([0, 1], [400, 40])
    sampler = RandomOverSampler(noise=0.3, random_state=1)
    Xr, _ = sampler.fit_resample(X, y)
    np.testing.assert_array_equal(Xr[:440], X)
    moved = Xr[440:] - X[sampler.sample_indices_[440:]]
    spread = np.std(X[400:], axis=0)
    np.testing.assert_allclose(np.std(moved, axis=0) / spread, 0.3, rtol=4.0 / np.sqrt(2 * 360))
    np.testing.assert_array_equal(RandomOverSampler(random_state=1).fit_resample(X, y)[0], X[sampler.sample_indices_])


@pytest.mark.spec("EVA-054")
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_columns_that_are_no_numbers_stay(frame):
    X = frame({"size": [1.0, 2.0, 3.0, 8.0, 9.0], "hue": ["r", "g", "r", "b", "b"], "count": [1, 2, 3, 4, 7]})
    sampler = RandomOverSampler(noise=0.1, random_state=0)
    found, y = sampler.fit_resample(X, ["a", "a", "a", "b", "b"])
    assert type(found) is type(X)
    assert list(found["hue"]) == ["r", "g", "r", "b", "b", "b"]
    assert list(found["size"])[:5] == [1.0, 2.0, 3.0, 8.0, 9.0]
    assert list(found["size"])[5] not in (8.0, 9.0)
    assert y == ["a", "a", "a", "b", "b", "b"]


@pytest.mark.spec("EVA-054")
def test_kinds_of_numbers_and_gaps_stay():
    y = ["a", "a", "a", "b"]
    X = np.array([[1.0, 2.0], [3.0, 1.0], [4.0, 4.0], [5.0, np.nan]])
    tables = {
        "array": X.astype(np.float32),
        "pandas": pd.DataFrame({"u": X[:, 0].astype(np.float32), "v": pd.array([2.0, 1.0, 4.0, None], "Float64")}),
        "polars": pl.DataFrame({"u": pl.Series(X[:, 0], dtype=pl.Float32), "v": [2.0, 1.0, 4.0, None]}),
    }
    found = {name: RandomOverSampler(noise=0.1).fit_resample(table, y)[0] for name, table in tables.items()}
    assert found["array"].dtype == np.float32
    assert np.isnan(found["array"][3:, 1]).all()
    assert found["pandas"].dtypes.tolist() == tables["pandas"].dtypes.tolist()
    assert found["pandas"]["v"].isna().sum() == 3
    assert found["polars"].schema == tables["polars"].schema
    assert found["polars"]["v"].null_count() == 3
    assert SMOTE().fit_resample(X[:3].astype(np.float32), ["a", "b", "b"])[0].dtype == np.float32


def test_smote_lies_between_neighbours_of_its_class():
    X, y = rare()
    sampler = SMOTE(k_neighbors=3, random_state=0)
    Xr, yr = sampler.fit_resample(X, y)
    np.testing.assert_array_equal(Xr[:300], X)
    assert counted(yr) == {0: 270, 1: 270}
    mine = X[y == 1]
    for new, source in zip(Xr[300:340], sampler.sample_indices_[300:340], strict=True):
        others = mine[np.argsort(np.linalg.norm(mine - X[source], axis=1))[1:4]]
        along = others - X[source]
        u = np.sum((new - X[source]) * along, axis=1) / np.sum(along**2, axis=1)
        off = np.linalg.norm(new - X[source] - u[:, None] * along, axis=1)
        assert np.any((off < 1e-9) & (u >= 0.0) & (u <= 1.0))
    lonely = SMOTE(random_state=0).fit_resample([[0.0], [1.0], [5.0]], [0, 0, 1])[0]
    assert lonely.ravel().tolist() == [0.0, 1.0, 5.0, 5.0]
    with pytest.raises(ValueError, match="NaN"):
        SMOTE().fit_resample([[0.0], [np.nan], [5.0]], [0, 0, 1])


class Counting(ClassifierMixin, BaseEstimator):
    """It notes how many rows of each class it is fitted to and asked about."""

    seen = []  # noqa: RUF012

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen.append(("fit", counted(y), len(X)))
        return self

    def predict(self, X):
        self.seen.append(("predict", None, len(X)))
        return np.zeros(len(X), int)


@pytest.mark.spec("EVA-055")
def test_only_training_folds_are_resampled():
    X, y = rare()
    Counting.seen.clear()
    model = ResampledClassifier(Counting(), RandomUnderSampler(random_state=0))
    cross_validate(model, X, y, cv=3, scoring="recall")
    fits = [seen for kind, seen, _ in Counting.seen if kind == "fit"]
    asked = [n for kind, _, n in Counting.seen if kind == "predict"]
    assert fits == [{0: 20, 1: 20}] * 3
    assert asked == [100] * 3


@pytest.mark.spec("EVA-055", "EVA-059")
@pytest.mark.parametrize(
    "sampler", [RandomUnderSampler(random_state=0), RandomOverSampler(random_state=0), SMOTE(random_state=0)]
)
def test_shifted_probabilities_are_those_of_the_population(sampler):
    X, y = rare(4000, 0.05)
    plain = GaussianNB().fit(X, y).predict_proba(X)
    shifted = ResampledClassifier(GaussianNB(), sampler, prior="train").fit(X, y)
    np.testing.assert_allclose(shifted.train_prior_, 0.5)
    np.testing.assert_allclose(shifted.prior_, [0.95, 0.05])
    assert np.mean(np.abs(shifted.predict_proba(X) - plain)) < 0.02
    np.testing.assert_array_equal(shifted.predict(X), np.argmax(shifted.predict_proba(X), axis=1))
    left = ResampledClassifier(GaussianNB(), sampler).fit(X, y)
    assert np.mean(np.abs(left.predict_proba(X) - plain)) > 0.1
    np.testing.assert_allclose(
        shifted.predict_proba(X), shift_prior(left.predict_proba(X), [0.5, 0.5], [0.95, 0.05]), atol=1e-12
    )
    given = ResampledClassifier(GaussianNB(), sampler, prior=0.3).fit(X, y)
    np.testing.assert_allclose(given.prior_, [0.7, 0.3])
    assert getattr(ResampledClassifier(Peer(), sampler, prior=0.3).fit(X, y), "decision_function", None) is None


@pytest.mark.spec("EVA-055")
def test_weights_travel_with_their_rows():
    X, y = rare()
    w = np.random.default_rng(1).uniform(0.0, 2.0, 300) * (np.arange(300) % 7 > 0)
    model = ResampledClassifier(GaussianNB(), RandomUnderSampler(random_state=0)).fit(X, y, w)
    used = np.flatnonzero(w > 0)
    sampler = RandomUnderSampler(random_state=0)
    Xr, yr = sampler.fit_resample(X[used], y[used])
    peer = GaussianNB().fit(Xr, yr, w[used][sampler.sample_indices_])
    np.testing.assert_array_equal(model.predict_proba(X), peer.predict_proba(X))
    mass = np.bincount(yr, weights=w[used][sampler.sample_indices_])
    np.testing.assert_allclose(model.train_prior_, mass / mass.sum())


@pytest.mark.spec("EVA-055")
def test_in_a_pipeline_and_a_search_with_frames_and_names():
    X, y = rare(names=("good", "bad"))
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = ResampledClassifier(
        make_pipeline(StandardScaler(), LogisticRegression()), RandomOverSampler(random_state=0)
    )
    search = GridSearchCV(model, {"sampler__ratio": [0.5, 1.0], "estimator__logisticregression__C": [1.0]}, cv=3)
    search.fit(frame, y)
    assert set(search.predict(frame)) == {"good", "bad"}
    sparse_model = ResampledClassifier(Peer(), RandomUnderSampler(random_state=0)).fit(sparse.csr_array(X), y)
    assert sparse_model.predict(sparse.csr_array(X)).shape == (300,)


def test_balanced_bagging_finds_the_rare_class():
    X, y = rare(600, 0.04, seed=2)
    member = ResampledClassifier(DecisionTreeClassifier(max_depth=4), RandomUnderSampler(replacement=True))
    balanced = BaggingClassifier(member, 15, random_state=0).fit(X, y)
    plain = BaggingClassifier(DecisionTreeClassifier(max_depth=4), 15, random_state=0).fit(X, y)
    test_X, test_y = rare(600, 0.04, seed=3)
    assert recall_score(test_y, balanced.predict(test_X)) > recall_score(test_y, plain.predict(test_X)) + 0.3
    first, second = (fit.sampler_.sample_indices_ for fit in balanced.estimators_[:2])
    assert first.tolist() != second.tolist()


def objective(loss, X, y, w, lam):
    return Problem(Design(X, intercept="none"), y, loss, L2(lam), np.ones(len(y))).value(w)


@pytest.mark.spec("EVA-057", "EVA-L34")
@pytest.mark.parametrize("base", [LogisticLoss(), HingeLoss(), PerceptronLoss()], ids=repr)
def test_two_costs_are_one_ratio_and_a_factor(base):
    X, labels = rare()
    y, w = 2.0 * labels - 1.0, np.array([0.3, -0.7])
    both, ratio = Weighted(base, costs=(2.0, 5.0)), Weighted.by_ratio(base, 2.5)
    for z in (X @ w,):
        np.testing.assert_allclose(both.value(y, z), 2.0 * ratio.value(y, z))
        np.testing.assert_allclose(both.gradient(y, z), np.where(y > 0, 5.0, 2.0) * base.gradient(y, z))
    assert objective(both, X, y, w, 0.4) == pytest.approx(2.0 * objective(ratio, X, y, w, 0.2))


@pytest.mark.spec("EVA-057", "EVA-L34")
def test_the_same_minimiser_when_lambda_is_scaled_by_the_cost():
    X, labels = rare()
    y = 2.0 * labels - 1.0
    both = fit_linear(Design(X), y, Weighted(LogisticLoss(), costs=(2.0, 5.0)), L2(0.4), solver="lbfgs", tol=1e-11)
    ratio = fit_linear(Design(X), y, Weighted.by_ratio(LogisticLoss(), 2.5), L2(0.2), solver="lbfgs", tol=1e-11)
    np.testing.assert_allclose(both.w, ratio.w, atol=1e-7)
    by_class = LogisticRegression(C=0.5, class_weight={0: 2.0, 1: 5.0}, **EXACT).fit(X, labels)
    by_ratio = LogisticRegression(C=1.0, class_weight={0: 1.0, 1: 2.5}, **EXACT).fit(X, labels)
    np.testing.assert_allclose(by_class.coef_, by_ratio.coef_, atol=1e-6)


@pytest.mark.spec("EVA-056")
def test_balanced_sampling_minimises_the_balanced_risk():
    X, labels = rare(40, 0.25)
    y = 2.0 * labels - 1.0
    count = np.bincount(labels)
    plain = Problem(Design(X), y, LogisticLoss(), L2(4.0), np.ones(40))
    weights = class_weights(labels)
    balanced = Problem(Design(X), y, LogisticLoss(), L2(4.0), np.array([weights[k] for k in labels]))
    assert weights[1] == 40 / (2 * count[1])
    options = {"sampling": "balanced", "average": "polyak", "average_start": 2000, "max_iter": 1500, "tol": None}
    for target, other, correct in ((plain, balanced, True), (balanced, plain, False)):
        found = sgd(plain, np.zeros(3), correct=correct, random_state=0, **options).w
        best = {
            p: fit_linear(p.design, y, p.loss, p.penalty, p.weights, solver="lbfgs").objective for p in (target, other)
        }
        assert target.value(found) - best[target] < 0.1 * (other.value(found) - best[other])


DRAWING = [
    LogisticRegression(C=0.25),
    LinearModelClassifier(objective="C", lam=0.25),
    LinearModelClassifier("squared", objective="C", lam=0.25),
    LinearSVM("squared_hinge", C=0.25),
]


def gap_of(model, exact, X):
    """How far the scores of a model are from those of another."""
    return float(np.mean((model.decision_function(X) - exact.decision_function(X)) ** 2))


@pytest.mark.spec("EVA-056")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", DRAWING, ids=lambda model: type(model).__name__)
def test_a_linear_model_draws_each_class_as_often_for_its_own_risk_or_for_the_balanced_one(model):
    X, y = rare(40, 0.25)
    q = 1.0 / (2.0 * np.bincount(y)[y])
    plain = clone(model).set_params(tol=1e-9, max_iter=10_000).fit(X, y)
    balanced = clone(model).set_params(tol=1e-9, max_iter=10_000, class_weight="balanced").fit(X, y)
    options = {"average": "polyak", "average_start": 2000, "random_state": 0}
    for target, other, correct in ((plain, balanced, True), (balanced, plain, False)):
        for sampling in ("balanced", q):
            drawn = {"solver": "sgd", "sampling": sampling, "solver_options": options | {"correct": correct}}
            found = clone(model).set_params(max_iter=600, tol=1e-12, **drawn).fit(X, y)
            assert gap_of(found, target, X) < 0.1 * gap_of(found, other, X)


@pytest.mark.spec("EVA-056")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_regressor_draws_rows_by_given_probabilities():
    X, _ = rare(40)
    y = X[:, 0] ** 2
    q = np.arange(1.0, 41.0)
    exact = LinearModelRegressor(lam=1.0).fit(X, y)
    weighed = LinearModelRegressor(lam=1.0).fit(X, y, 40 * q / q.sum())
    for target, other, correct in ((exact, weighed, True), (weighed, exact, False)):
        options = {"average": "polyak", "average_start": 2000, "random_state": 0, "correct": correct}
        words = {"solver": "sgd", "sampling": q, "solver_options": options, "max_iter": 600, "tol": 1e-12}
        found = LinearModelRegressor(lam=1.0, **words).fit(X, y).predict(X)
        assert np.mean((found - target.predict(X)) ** 2) < 0.1 * np.mean((found - other.predict(X)) ** 2)


@pytest.mark.spec("EVA-056")
@pytest.mark.parametrize("model", [*DRAWING, LinearModelRegressor()], ids=lambda model: type(model).__name__)
def test_sampling_is_refused_where_no_rows_are_drawn_or_the_draw_is_unknown(model):
    X, y = rare(40)
    for words, message in (
        (
            {"sampling": "shuffle"},
            r"sampling='shuffle' is for solvers that draw rows so, \['sgd', 'asgd'\], not solver=",
        ),
        ({"solver": "sgd", "sampling": "often"}, "sampling='often'"),
        ({"solver": "sgd", "sampling": np.ones(7)}, r"sampling of shape \(7,\) must hold 40 probabilities"),
        ({"solver": "sgd", "sampling": "cyclic", "solver_options": {"sampling": "cyclic"}}, "both given"),
    ):
        with pytest.raises(ValueError, match=message):
            clone(model).set_params(**words).fit(X, y)
    if isinstance(model, LogisticRegression):
        with pytest.raises(ValueError, match=r"rows so, \['sgd', 'asgd'\], not solver='sag'"):
            clone(model).set_params(solver="sag", sampling="shuffle").fit(X, y)
        given, named = ({"sampling": "cyclic"}, {"solver_options": {"sampling": "cyclic"}})
        found = [clone(model).set_params(solver="sag", max_iter=2000, **words).fit(X, y) for words in (given, named)]
        np.testing.assert_array_equal(found[0].coef_, found[1].coef_)
    if isinstance(model, LinearModelRegressor):
        with pytest.raises(ValueError, match="sampling='balanced'"):
            clone(model).set_params(solver="sgd", sampling="balanced").fit(X, y)


@pytest.mark.spec("EVA-L35", "EVA-053", "EVA-058")
@pytest.mark.parametrize(
    "model", [LogisticRegression(C=0.7, **EXACT), LinearSVM(C=0.7, tol=1e-10), GaussianNB()], ids=repr
)
def test_upsampling_is_weighting(model):
    X, y = rare(200, 0.2)  # 160 and 40: four copies of each
    repeated = clone(model).fit(*RandomOverSampler().fit_resample(X, y))
    weighted = clone(model).fit(X, y, np.where(y == 1, 4.0, 1.0))
    np.testing.assert_allclose(_scores(repeated, X), _scores(weighted, X), atol=1e-5)
    if "class_weight" in model.get_params():
        by_class = clone(model).set_params(class_weight={0: 1.0, 1: 4.0}).fit(X, y)
        np.testing.assert_allclose(_scores(repeated, X), _scores(by_class, X), atol=1e-5)


def _scores(model, X):
    found = getattr(model, "decision_function", None)
    return found(X) if found is not None else model.predict_proba(X)[:, 1]


@pytest.mark.spec("EVA-L35", "EVA-058")
@pytest.mark.parametrize("model", [LogisticRegression(C=0.7, **EXACT), LinearSVM(C=0.7, tol=1e-10)], ids=repr)
def test_a_prior_is_class_weights(model):
    X, y = rare(names=("F", "T"))
    given = clone(model).set_params(prior=0.4).fit(X, y)
    weights = class_weights(y, prior=0.4)
    by_class = clone(model).set_params(class_weight=weights).fit(X, y)
    by_row = clone(model).fit(X, y, np.array([weights[label] for label in y]))
    np.testing.assert_allclose(given.coef_, by_class.coef_, atol=1e-6)
    np.testing.assert_allclose(given.coef_, by_row.coef_, atol=1e-6)
    own = clone(model).set_params(prior=0.1).fit(X, y)  # the share in the data
    np.testing.assert_allclose(own.coef_, clone(model).fit(X, y).coef_, atol=1e-6)
    shares = effective_train_prior(y, weights)
    np.testing.assert_allclose(shares, [0.6, 0.4])


@pytest.mark.spec("EVA-059")
def test_a_prior_is_shifted_and_removed():
    X, y = rare(3000)
    model = LogisticRegression(C=1e6, class_weight="balanced", **EXACT).fit(X, y)
    plain = LogisticRegression(C=1e6, **EXACT).fit(X, y)
    np.testing.assert_allclose(model.train_prior_, effective_train_prior(y, class_weights(y)))
    back = shift_prior(model.predict_proba(X), model.train_prior_, [0.9, 0.1])
    assert np.max(np.abs(back - plain.predict_proba(X))) < 0.06
    np.testing.assert_allclose(model.llr(X), remove_prior(model.decision_function(X), model.train_prior_), atol=1e-12)
    assert np.mean(np.abs(model.llr(X) - remove_prior(plain.decision_function(X), 0.1))) < 0.15
    p, old, new = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]]), np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.3, 0.6])
    likelihoods = np.exp(remove_prior(np.log(p), old))
    np.testing.assert_allclose(likelihoods, p / old)
    joint = likelihoods * new
    np.testing.assert_allclose(shift_prior(p, old, new), joint / joint.sum(axis=1, keepdims=True))


@pytest.mark.spec("EVA-L37")
def test_a_threshold_on_probabilities_is_a_model_trained_with_costs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 2))
    y = (rng.random(60_000) < 1.0 / (1.0 + np.exp(-(1.5 * X[:, 0] - X[:, 1] - 1.0)))).astype(int)
    c_fn, c_fp = 4.0, 1.0
    plain = LogisticRegression(C=1e6).fit(X, y)
    by_threshold = plain.predict_proba(X)[:, 1] > c_fp / (c_fp + c_fn)
    weighted = LogisticRegression(C=1e6, class_weight={0: c_fp, 1: c_fn}).fit(X, y)
    assert np.mean(by_threshold != weighted.predict(X)) < 0.01
    shifted = plain.decision_function(X) + np.log(c_fn / c_fp)
    assert np.mean((shifted > 0) != by_threshold) == 0.0
    np.testing.assert_allclose(shifted, weighted.decision_function(X), atol=0.12)


@pytest.mark.spec("EVA-L38")
def test_rates_rise_with_the_price_of_a_miss():
    rng = np.random.default_rng(0)
    scores, positive = rng.integers(0, 12, 80).astype(float), rng.random(80) < 0.3
    curve = threshold_curve(scores, positive, np.ones(80))
    for direction in (1, -1):  # of equals the first, or the last threshold
        rates = []
        for ratio in np.geomspace(0.05, 50.0, 200):
            cost = (ratio * curve.fn + curve.fp)[::direction]
            best = np.argmin(cost.round(12))
            rates.append((curve.tpr[::direction][best], curve.fpr[::direction][best]))
        steps = np.diff(rates, axis=0)
        assert np.all(steps >= 0.0)
        assert np.any(steps > 0.0)


@pytest.mark.spec("EVA-L40", "EVA-060")
def test_a_constant_classifier_of_a_rare_class():
    X, y = rare(1000, 0.01)
    constant = DummyClassifier(strategy="most_frequent").fit(X, y)
    assert constant.score(X, y) == 0.99
    assert recall_score(y, constant.predict(X)) == 0.0
    curve = threshold_curve(np.zeros(1000), y == 1, np.ones(1000)).at(0.0)
    miss, false_alarm = curve.fn / 10, curve.fp / 990
    # At even odds the best constant answer costs ½, and this one no less.
    assert (0.5 * miss + 0.5 * false_alarm) / min(0.5, 0.5) == 1.0
    with pytest.warns(
        ImbalanceWarning, match=r"class 1 has 1 % of the rows, and accuracy is 0\.99 .* answer 0; score by"
    ):
        assert warn_if_imbalanced(y)


@pytest.mark.spec("EVA-060")
@pytest.mark.parametrize(
    ("scoring", "warned"),
    [
        (None, True),
        ("accuracy", True),
        (["roc_auc", "accuracy"], True),
        ({"mine": make_scorer(accuracy_score)}, True),
        (accuracy_score, True),
        ("f1", False),
        (["roc_auc", "f1"], False),
        (make_scorer(recall_score), False),
        (lambda model, X, y: 0.0, False),
    ],
)
def test_accuracy_alone_is_warned_of(scoring, warned):
    _, y = rare(100, 0.09, names=("good", "bad"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert warn_if_imbalanced(y, scoring) is warned
        assert not warn_if_imbalanced(rare(100, 0.1)[1], scoring)
        assert not warn_if_imbalanced(np.zeros(9), scoring)
        assert not warn_if_imbalanced(y, scoring, sample_weight=np.where(y == "bad", 5.0, 1.0))
    assert [type(each.message) for each in caught] == [ImbalanceWarning] * warned
    assert all(each.filename == __file__ for each in caught)


@pytest.mark.spec("EVA-060")
@pytest.mark.parametrize(
    ("share", "options", "warned"),
    [
        (0.05, {}, True),
        (0.05, {"scoring": "accuracy"}, True),
        (0.05, {"scoring": "roc_auc"}, False),
        (0.2, {}, False),
        (0.2, {"sample_weight": np.where(rare(100, 0.2)[1] == 1, 0.1, 1.0)}, True),
    ],
)
@pytest.mark.parametrize("choose", [select_model, compare_models])
def test_a_choice_by_accuracy_is_warned_of(choose, share, options, warned):
    X, y = rare(100, share)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        choose([DummyClassifier(), GaussianNB()], X, y, **options)
    assert [each.filename for each in caught if each.category is ImbalanceWarning] == [__file__] * warned


@pytest.mark.spec("EVA-060")
def test_many_classes_of_equal_size_are_no_imbalance():
    y = np.repeat(np.arange(12), 20)
    assert not warn_if_imbalanced(y)
    assert not warn_if_imbalanced(np.eye(12)[y])
    with pytest.warns(ImbalanceWarning, match="class 11 has 1"):
        warn_if_imbalanced(y[:-17])


@pytest.mark.spec("EVA-060")
def test_a_loss_of_its_own_is_not_accuracy():
    X, y = rare(100, 0.05)
    found = select_model([GaussianNB()], X, y, loss=lambda y, predicted: (y != predicted) * (1.0 + 9.0 * y))
    assert found.chosen == 0


def test_refusals():
    X, y = rare()
    with pytest.raises(ValueError, match="ratio and prior both say"):
        RandomUnderSampler(ratio=0.5, prior=0.5).fit(X, y)
    with pytest.raises(ValueError, match=r"prior=1\.5"):
        RandomUnderSampler(prior=1.5).fit(X, y)
    with pytest.raises(ValueError, match=r"ratio=2\.0"):
        RandomOverSampler(ratio=2.0).fit(X, y)
    with pytest.raises(ValueError, match="choose RandomOverSampler"):
        RandomUnderSampler(sizes={1: 99}).fit(X, y)
    with pytest.raises(ValueError, match="choose RandomUnderSampler"):
        RandomOverSampler(sizes={0: 9}).fit(X, y)
    with pytest.raises(ValueError, match=r"names \['x'\]"):
        RandomOverSampler(sizes={"x": 9}).fit(X, y)
    with pytest.raises(ValueError, match="sparse"):
        SMOTE().fit_resample(sparse.csr_array(X), y)
    with pytest.raises(ValueError, match="y has 3"):
        RandomUnderSampler(prior=0.5).fit(X, np.arange(300) % 3)
    with pytest.raises(TypeError, match="fit_resample"):
        ResampledClassifier(GaussianNB(), StandardScaler()).fit(X, y)
    with pytest.raises(ValueError, match="no rows"):
        class_weights([])
    with pytest.raises(ValueError, match="at least one needs some"):
        effective_train_prior(y, {0: 0.0, 1: 0.0})
    with pytest.raises(ValueError, match="must sum to 1"):
        shift_prior([[0.0, 0.0]], [0.5, 0.5], [0.1, 0.9])
    one, _ = RandomUnderSampler().fit_resample(X, np.zeros(300))
    assert len(one) == 300
