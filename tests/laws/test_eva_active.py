"""Learning that asks: what is asked, when, how often, and what it is worth."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from gnomon import trees
from gnomon.decision import (
    ActiveLearner,
    CommitteeDisagreement,
    ExpectedErrorReduction,
    LearningState,
    simulate_active_learning,
)
from gnomon.decision.strategies import farthest_first, strategy_of

WORDS = ["margin", "least_confident", "entropy", "expected_error_reduction", "vote_entropy", "consensus_kl", "random"]


def blobs(n=60, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.normal(np.column_stack([2.0 * y, np.cos(y)]), 1.0), y


class Table(ClassifierMixin, BaseEstimator):
    """Probabilities that are the columns of the rows themselves."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.asarray(X, dtype=float)

    def predict(self, X):
        return self.classes_[np.argmax(X, axis=1)]


def table_learner(n_classes, **options):
    return ActiveLearner(Table(), **options).fit(np.eye(n_classes), np.arange(n_classes))


@pytest.mark.spec("EVA-083")
def test_a_pool_is_asked_once_and_every_row_is_taught():
    X, y = blobs()
    learner = ActiveLearner(GaussianNB(), random_state=0)
    assert sorted(learner.run(X, lambda rows: y[rows], len(X), batch_size=7).queried_.tolist()) == list(range(len(X)))
    assert len(learner.y_) == len(X)
    expected = GaussianNB().fit(X[learner.queried_], y[learner.queried_])
    np.testing.assert_array_equal(learner.predict_proba(X), expected.predict_proba(X))
    with pytest.raises(ValueError, match="n=1 rows are wanted of a pool with 0"):
        learner.query(X)
    assert learner.query(X[:5]).shape == (1,)  # another pool


@pytest.mark.spec("EVA-083")
def test_teaching_in_steps_is_fitting_at_once():
    X, y = blobs()
    w = np.arange(60) % 3.0
    steps = ActiveLearner(GaussianNB())
    for part in np.array_split(np.arange(60), 4):
        steps.teach(X[part], y[part], w[part])
    used = w > 0
    at_once = GaussianNB().fit(X[used], y[used], w[used])
    np.testing.assert_allclose(steps.predict_proba(X), at_once.predict_proba(X))
    mixed = ActiveLearner(GaussianNB()).teach(X[:30], y[:30]).teach(X[30:], y[30:], 2.0 * np.ones(30))
    twice = GaussianNB().fit(np.r_[X, X[30:]], np.r_[y, y[30:]])
    np.testing.assert_allclose(mixed.predict_proba(X), twice.predict_proba(X))


@pytest.mark.spec("EVA-084", "EVA-L41")
def test_two_classes_have_one_most_uncertain_row():
    p = np.random.default_rng(0).uniform(0.0, 1.0, 500)
    rows = np.column_stack([1.0 - p, p])
    wanted = int(np.argmin(np.abs(0.5 - p)))
    for word in ("least_confident", "margin", "entropy"):
        assert table_learner(2, strategy=word).query(rows).tolist() == [wanted]
    order = table_learner(2).query(rows, 500)
    np.testing.assert_array_equal(order, np.argsort(np.abs(0.5 - p), kind="stable"))


@pytest.mark.spec("EVA-084")
def test_scores_are_asked_where_they_are_small():
    X, y = blobs(classes=3)
    two = ActiveLearner(LinearSVC(), "distance").fit(X[y < 2], y[y < 2])
    assert two.query(X).tolist() == [int(np.argmin(np.abs(two.decision_function(X))))]
    three = ActiveLearner(LinearSVC(), "distance").fit(X, y)
    leads = np.sort(three.decision_function(X), axis=1)
    assert three.query(X).tolist() == [int(np.argmin(leads[:, -1] - leads[:, -2]))]


@pytest.mark.spec("EVA-084")
def test_ties_go_to_the_first_or_to_any():
    rows = np.full((50, 2), 0.5)
    assert table_learner(2).query(rows, 3).tolist() == [0, 1, 2]
    first = {int(table_learner(2, ties="random", random_state=seed).query(rows)[0]) for seed in range(20)}
    assert len(first) > 5


@pytest.mark.spec("EVA-L41", "EVA-G38")
@pytest.mark.parametrize("threshold", [0.5, 311.5, 700.5, 1022.5])
def test_uncertainty_on_a_noise_free_line_is_bisection(threshold):
    pool = np.arange(1024.0)[:, None]
    truth = pool[:, 0] > threshold
    # C is large enough for a hard margin at a gap of one, whose multiplier is ½·(2/1)².
    learner = ActiveLearner(SVC(kernel="linear", C=1e3), "distance").fit(pool[[0, -1]], truth[[0, -1]])
    learner.run(pool, lambda rows: truth[rows], 10)
    np.testing.assert_array_equal(learner.predict(pool), truth)
    random = ActiveLearner(SVC(kernel="linear", C=1e3), "random", random_state=0).fit(pool[[0, -1]], truth[[0, -1]])
    random.run(pool, lambda rows: truth[rows], 10)
    assert np.mean(random.predict(pool) != truth) > 0.0


@pytest.mark.spec("EVA-085")
def test_without_two_classes_there_is_no_model_and_queries_are_cold():
    X, y = blobs()
    learner = ActiveLearner(LogisticRegression(), random_state=0)
    assert learner.query(X, 3).shape == (3,)
    with pytest.raises(NotFittedError, match=r"classes \[\]"):
        learner.predict(X)
    learner.teach(X[:1], y[:1]).teach(X[2:3], y[2:3])  # one class
    with pytest.raises(NotFittedError, match=r"classes \[0\], and needs two classes and 2 labels"):
        learner.predict(X)
    assert learner.query(X).shape == (1,)
    assert learner.teach(X[1:2], y[1:2]).predict(X).shape == (60,)
    patient = ActiveLearner(LogisticRegression(), min_labels=5).teach(X[:4], y[:4])
    with pytest.raises(NotFittedError, match="5 labels"):
        patient.predict(X)
    with pytest.raises(ValueError, match="only one class"):
        ActiveLearner(LogisticRegression()).fit(X[::2], y[::2])


@pytest.mark.spec("EVA-085")
def test_farthest_first_covers_the_pool():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [10.0]])
    learner = ActiveLearner(GaussianNB(), cold_start="farthest_first")
    assert learner.query(X, 5).tolist() == [3, 4, 0, 1, 2]
    taught = ActiveLearner(GaussianNB(), cold_start="farthest_first").teach(X[[4]], ["a"])
    assert taught.query(X, 2).tolist() == [0, 3]
    np.testing.assert_array_equal(farthest_first(np.zeros((4, 1)), 4), np.arange(4))
    np.testing.assert_array_equal(farthest_first(sparse.csr_array(X), 5), [3, 4, 0, 1, 2])


@pytest.mark.spec("EVA-085")
def test_a_share_of_the_questions_is_random():
    p = np.linspace(0.5, 1.0, 2000)
    rows = np.column_stack([1.0 - p, p])
    asked = table_learner(2, epsilon=0.3, random_state=0).query(rows, 500)
    assert len(set(asked.tolist())) == 500
    assert np.sum(asked >= 500) == pytest.approx(0.3 * 500 * 0.9, abs=40)
    assert np.all(table_learner(2, random_state=0).query(rows, 500) < 500)
    assert np.any(table_learner(2, epsilon=1.0, random_state=0).query(rows, 5) > 4)


def cells(state, i, label, others, remaining):
    """(3) for one row and label, by a fit of everything."""
    model = type(state.model)().fit(np.r_[state.X, i[None]], np.append(state.y, label))
    p = model.predict_proba(others)
    return np.sum(-p * np.log(p)) if remaining == "entropy" else np.sum(1.0 - np.max(p, axis=1))


@pytest.mark.spec("EVA-086")
@pytest.mark.parametrize("remaining", ["entropy", "zero_one"])
@pytest.mark.parametrize("model", [GaussianNB, LogisticRegression])
def test_error_reduction_is_its_definition(remaining, model):
    X, y = blobs(20, seed=3)
    state = LearningState(model(), model().fit(X[:8], y[:8]), X[:8], y[:8])
    pool = X[8:]
    found = ExpectedErrorReduction(remaining, max_candidates=None, max_others=None)(state, pool, None)
    p = state.model.predict_proba(pool)
    for i in range(len(pool)):
        others = np.delete(pool, i, axis=0)
        expected = sum(p[i, k] * cells(state, pool[i], k, others, remaining) for k in (0, 1))
        assert -found[i] == pytest.approx(expected, rel=2e-4)
    few = ExpectedErrorReduction(remaining, max_candidates=3, max_others=5)(state, pool, np.random.default_rng(0))
    assert np.sum(np.isfinite(few)) == 3


@pytest.mark.spec("EVA-084")
@pytest.mark.parametrize("measure", ["vote_entropy", "consensus_kl"])
def test_committees_of_every_kind(measure):
    X, y = blobs(classes=3)
    names = np.array(["ash", "birch", "cedar"])[y]
    frame = pd.DataFrame(X, columns=["a", "b"])
    for members, base in [
        (3, GaussianNB()),
        ("members", RandomForestClassifier(5, random_state=0)),
        ("members", trees.RandomForestClassifier(5, random_state=0)),
        ("members", trees.BaggingClassifier(n_estimators=5, random_state=0)),
        ([GaussianNB(), Perceptron()], GaussianNB()),
    ]:
        learner = ActiveLearner(base, CommitteeDisagreement(measure, members), random_state=0).fit(frame, names)
        assert len(set(learner.query(frame, 5).tolist())) == 5
    state = LearningState(GaussianNB(), GaussianNB().fit(X, y), X, y)
    same = CommitteeDisagreement(measure, [GaussianNB(), GaussianNB()])(state, X, np.random.default_rng(0))
    np.testing.assert_allclose(same, 0.0, atol=1e-12)
    assert strategy_of("bald") == strategy_of("consensus_kl")


def test_a_diverse_batch_is_spread():
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(0.0, 0.01, (50, 2)), rng.normal([0.0, 9.0], 0.01, (50, 2)), rng.normal(4, 3, (400, 2))]
    y = (X[:, 0] > 0).astype(int)
    model = LogisticRegression().fit(X, y)

    def spread(batch):
        rows = X[ActiveLearner(model, batch=batch).fit(X, y).query(X, 8)]
        return np.mean(np.linalg.norm(rows[:, None] - rows[None], axis=2))

    assert spread("diverse") > 1.3 * spread("top")


def test_density_prefers_rows_among_many():
    rows = np.full((21, 2), 0.5)
    rows[0] = [0.45, 0.55]
    lonely = np.r_[rows, [[0.5, 0.5]]]
    # In the first two columns all but one are equally uncertain; two more columns say where rows lie.
    place = np.r_[np.zeros((21, 1)), [[100.0]]]

    class Half(Table):
        def predict_proba(self, X):
            return np.asarray(X)[:, :2]

    learner = ActiveLearner(Half(), density=1.0).fit(np.eye(3), [0, 1, 0])
    order = learner.query(np.c_[lonely, place], 22).tolist()
    assert order[-1] == 21
    plain = ActiveLearner(Half()).fit(np.eye(3), [0, 1, 0])
    assert plain.query(np.c_[lonely, place], 22).tolist()[-1] == 0
    with pytest.raises(ValueError, match="are negative"):
        ActiveLearner(LinearSVC(), "distance", density=1.0).fit(*blobs()).query(blobs()[0])


@pytest.mark.spec("EVA-087")
def test_simulated_curves():
    X, y = blobs(400, seed=1)
    options = {"n_labels": 20, "batch_size": 3, "n_repeats": 4, "random_state": 0}
    first = simulate_active_learning(GaussianNB(), X[:200], y[:200], X[200:], y[200:], **options)
    again = simulate_active_learning(GaussianNB(), X[:200], y[:200], X[200:], y[200:], n_jobs=2, **options)
    assert first.n_labels.tolist() == [3, 6, 9, 12, 15, 18, 20]
    for name in ("margin", "random"):
        np.testing.assert_array_equal(first.scores[name], again.scores[name])
        assert first.scores[name].shape == (4, 7)
    # After the whole pool every curve ends at the score of all its rows on the others.
    small = {"n_labels": 40, "batch_size": 8, "n_repeats": 2, "random_state": 0}
    ends = simulate_active_learning(GaussianNB(), X[:40], y[:40], X[200:], y[200:], **small).scores
    whole = GaussianNB().fit(X[:40], y[:40])
    assert whole.score(X[200:], y[200:]) != whole.score(X[:40], y[:40])
    np.testing.assert_allclose([rows[:, -1] for rows in ends.values()], whole.score(X[200:], y[200:]))
    both = {"mine": ActiveLearner(GaussianNB(), "entropy"), "random": "random"}
    named = simulate_active_learning(GaussianNB(), X[:200], y[:200], X[200:], y[200:], strategies=both, **options)
    np.testing.assert_array_equal(named.scores["random"], first.scores["random"])
    with pytest.raises(ValueError, match="choose from"):
        named.gain("margin")
    reached = first.labels_to_reach(0.5)["random"]
    assert np.all(reached == first.n_labels[np.argmax(first.scores["random"] >= 0.5, axis=1)])
    one = simulate_active_learning(GaussianNB(), X[:200], y[:200] * 0, X[200:], y[200:], n_labels=3, n_repeats=1)
    with pytest.raises(ValueError, match="more labels"):
        one.area()


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("kind", ["array", "float32", "read only", "strided", "sparse", "pandas", "polars", "texts"])
def test_rows_of_every_kind(word, kind):
    X, y = blobs(24)
    names, base = np.array(["no", "yes"])[y], GaussianNB()
    if kind == "sparse":
        X, base = sparse.csr_array(X), LogisticRegression()
    elif kind == "pandas":
        X, names = pd.DataFrame(X, columns=["a", "b"]), pd.Series(names)
    elif kind == "polars":
        X, names = pl.DataFrame(X, schema=["a", "b"]), pl.Series(names)
    elif kind == "strided":
        X = np.asfortranarray(np.repeat(X, 2, axis=0))[::2]
    elif kind == "texts":
        from sklearn.feature_extraction.text import CountVectorizer

        X = [f"word{int(a > 1)} word{2 + int(b > 0)}" for a, b in X]
        base = make_pipeline(CountVectorizer(), LogisticRegression())
    else:
        X = X.astype(np.float32 if kind == "float32" else float)
        X.flags.writeable = kind != "read only"
    truth = np.asarray(names)
    learner = ActiveLearner(base, word, random_state=0)
    learner.run(X, lambda rows: truth[rows], 9, batch_size=3)
    assert set(learner.predict(X)) <= {"no", "yes"}


def test_in_a_pipeline_and_a_search():
    X, y = blobs()
    search = GridSearchCV(
        ActiveLearner(make_pipeline(StandardScaler(), GaussianNB())), {"strategy": ["margin", "entropy"]}
    )
    assert search.fit(X, y).best_score_ > 0.7
    pipe = ActiveLearner(make_pipeline(StandardScaler(), LogisticRegression())).teach(X[:30], y[:30], np.ones(30))
    assert pipe.teach(X[30:], y[30:]).score(X, y) > 0.7


def test_refusals():
    X, y = blobs()
    with pytest.raises(ValueError, match="strategy='luck' is unknown"):
        ActiveLearner(GaussianNB(), "luck").fit(X, y)
    with pytest.raises(ValueError, match="needs probabilities"):
        ActiveLearner(Perceptron()).fit(X, y).query(X)
    with pytest.raises(ValueError, match="needs scores"):
        ActiveLearner(GaussianNB(), "distance").fit(X, y).query(X)
    with pytest.raises(ValueError, match="another kind"):
        ActiveLearner(GaussianNB()).fit(X, y).teach(X[:1], ["yes"])
    with pytest.raises(ValueError, match="mend it"):
        ActiveLearner(GaussianNB(), lambda state, X, rng: np.full(len(X), np.nan)).fit(X, y).query(X)
    with pytest.raises(ValueError, match="needs an ensemble"):
        ActiveLearner(GaussianNB(), CommitteeDisagreement(members="members")).fit(X, y).query(X)
    with pytest.raises(ValueError, match=r"epsilon=1\.5 must be"):
        ActiveLearner(GaussianNB(), epsilon=1.5).query(X)
    with pytest.raises(ValueError, match="zero for every row"):
        ActiveLearner(GaussianNB()).teach(X, y, np.zeros(60))
    with pytest.raises(ValueError, match=r"n=0 must"):
        ActiveLearner(GaussianNB()).query(X, 0)
    with pytest.raises(ValueError, match="features"):
        ActiveLearner(GaussianNB()).fit(X, y).query(X[:, :1])
