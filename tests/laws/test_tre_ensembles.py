"""Laws of averaging: bagging of any learner, variance and bias, instability, densities."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from gnomon.trees import (
    BaggingClassifier,
    BaggingRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    _bagging,
    structure_stability,
)

IRIS, SPECIES = load_iris(return_X_y=True)


@pytest.mark.spec("TRE-056")
@pytest.mark.parametrize("base", [None, GaussianNB(), KNeighborsClassifier(), Perceptron()], ids=str)
def test_any_classifier_can_be_bagged(base):
    bag = BaggingClassifier(base, 15, oob_score=True, random_state=0).fit(IRIS, SPECIES)
    assert bag.score(IRIS, SPECIES) > 0.85
    assert bag.oob_score_ > 0.65
    np.testing.assert_allclose(bag.predict_proba(IRIS).sum(axis=1), 1.0)
    if getattr(base, "predict_proba", None) is None and base is not None:
        votes = np.mean([member.predict(IRIS)[:, None] == [0, 1, 2] for member in bag], axis=0)
        np.testing.assert_allclose(bag.predict_proba(IRIS), votes)
        assert bag.decision_function(IRIS).shape == (150, 3)
    else:
        np.testing.assert_allclose(bag.predict_proba(IRIS), np.mean([m.predict_proba(IRIS) for m in bag], axis=0))


@pytest.mark.spec("TRE-056")
@pytest.mark.parametrize("base", [KNeighborsClassifier(1), DecisionTreeClassifier(), GaussianNB()], ids=str)
def test_a_member_without_a_class_is_aligned(base):
    names = np.array(["ash", "birch", "cedar"])[SPECIES]
    bag = BaggingClassifier(base, 20, max_samples=4, random_state=0).fit(IRIS, names)
    lacking = [t for t, rows in enumerate(bag.estimators_samples_) if len(set(names[rows])) < 3]
    assert lacking
    shares = bag.predict_proba(IRIS)
    assert shares.shape == (150, 3)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    member = bag.estimators_[lacking[0]]
    missing = np.setdiff1d([0, 1, 2], SPECIES[bag.estimators_samples_[lacking[0]]])
    assert not np.isin(member.predict(IRIS), missing).any()
    assert set(bag.predict(IRIS)) <= set(names)


@pytest.mark.spec("TRE-056")
def test_out_of_bag_answers_of_a_bag():
    bag = BaggingRegressor(LinearRegression(), 30, oob_score=True, random_state=0).fit(IRIS[:, 1:], IRIS[:, 0])
    total, votes = np.zeros(150), np.zeros(150)
    for rows, member in zip(bag.estimators_samples_, bag.estimators_, strict=True):
        out = ~np.isin(np.arange(150), rows)
        total, votes = total + out * member.predict(IRIS[:, 1:]), votes + out
    np.testing.assert_allclose(bag.oob_prediction_, total / votes)
    with pytest.raises(ValueError, match="bootstrap=True"):
        BaggingRegressor(bootstrap=False, oob_score=True).fit(IRIS, SPECIES)
    with pytest.warns(UserWarning, match="bag of every member"):
        few = BaggingClassifier(n_estimators=1, oob_score=True, random_state=0).fit(IRIS, SPECIES)
    np.testing.assert_array_equal(
        np.isnan(few.oob_decision_function_[:, 0]), np.isin(np.arange(150), few.estimators_samples_[0])
    )


@pytest.mark.spec("TRE-056")
def test_rows_are_drawn_in_proportion_to_their_weights():
    weights = np.where(SPECIES == 2, 0.0, np.where(SPECIES == 1, 3.0, 1.0))
    bag = BaggingClassifier(n_estimators=40, random_state=0).fit(IRIS, SPECIES, sample_weight=weights)
    drawn = SPECIES[np.concatenate(bag.estimators_samples_)]
    assert not np.any(drawn == 2)
    assert np.mean(drawn == 1) == pytest.approx(0.75, abs=0.02)
    assert np.all(bag.predict_proba(IRIS)[:, 2] == 0.0)


@pytest.mark.spec("TRE-056")
def test_members_depend_on_their_number_alone(monkeypatch):
    def answers(n, **options):
        return BaggingClassifier(n_estimators=n, random_state=1, **options).fit(IRIS, SPECIES)

    large = answers(12, n_jobs=2)
    np.testing.assert_array_equal(large.predict_proba(IRIS), answers(12).predict_proba(IRIS))
    small = answers(5, warm_start=True)
    for one, other in zip(small, large, strict=False):
        np.testing.assert_array_equal(one.predict_proba(IRIS), other.predict_proba(IRIS))
    more = small.set_params(n_estimators=12).fit(IRIS, SPECIES)
    np.testing.assert_array_equal(more.predict_proba(IRIS), large.predict_proba(IRIS))
    with pytest.raises(ValueError, match="n_estimators=3 is less"):
        more.set_params(n_estimators=3).fit(IRIS, SPECIES)

    def stopping(verbose, what):
        def report(done, total):
            if done == 5:
                raise KeyboardInterrupt

        return report

    monkeypatch.setattr(_bagging, "progress_of", stopping)
    with pytest.warns(ConvergenceWarning, match="interrupted after 4 of 12 members"):
        stopped = answers(12, warm_start=True)
    assert len(stopped) == 4
    assert stopped.predict(IRIS).shape == (150,)
    monkeypatch.undo()
    np.testing.assert_array_equal(stopped.fit(IRIS, SPECIES).predict_proba(IRIS), large.predict_proba(IRIS))


@pytest.mark.spec("TRE-057")
def test_members_see_their_own_columns():
    bag = BaggingClassifier(n_estimators=30, max_features=2, bootstrap=False, random_state=0).fit(IRIS, SPECIES)
    assert all(len(set(columns)) == 2 for columns in bag.estimators_features_)
    assert set(np.concatenate(bag.estimators_features_)) == {0, 1, 2, 3}
    assert all(member.n_features_in_ == 2 for member in bag)
    again = BaggingClassifier(n_estimators=30, max_features=1.0, bootstrap_features=True, random_state=0)
    drawn = again.fit(IRIS, SPECIES).estimators_features_
    assert any(len(set(columns)) < 4 for columns in drawn)
    pasted = BaggingClassifier(n_estimators=3, max_samples=0.5, bootstrap=False, random_state=0).fit(IRIS, SPECIES)
    assert all(len(set(rows)) == 75 for rows in pasted.estimators_samples_)


@pytest.mark.spec("TRE-056", "TRE-057")
def test_bags_take_frames_with_words_and_sparse_rows():
    frame = pd.DataFrame({"long": IRIS[:, 2], "wide": np.where(IRIS[:, 3] > 0.8, "yes", "no"), "gap": IRIS[:, 1]})
    frame.loc[::7, "gap"] = np.nan
    bag = BaggingClassifier(n_estimators=10, max_features=2, random_state=0).fit(frame, SPECIES)
    assert bag.score(frame, SPECIES) > 0.9
    assert bag.feature_names_in_.tolist() == ["long", "wide", "gap"]
    thin = BaggingClassifier(n_estimators=10, random_state=0).fit(sparse.csr_array(IRIS), SPECIES)
    dense = BaggingClassifier(n_estimators=10, random_state=0).fit(IRIS, SPECIES)
    np.testing.assert_array_equal(thin.predict_proba(sparse.csr_array(IRIS)), dense.predict_proba(IRIS))


def signal(X):
    return np.sin(3.0 * X[:, 0]) + X[:, 1] ** 2 - X[:, 2] * X[:, 3]


@pytest.fixture(scope="module")
def redrawn():
    """Predictions at fixed points by models of redrawn training sets, and the truth there."""
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, (150, 6))
    models = {
        "tree": DecisionTreeRegressor(),
        "bagging": RandomForestRegressor(30),
        "forest": RandomForestRegressor(30, max_features=2),
        "extra": ExtraTreesRegressor(30, max_features=1, bootstrap=True),
        "stump": DecisionTreeRegressor(max_depth=1),
        "bagged stumps": BaggingRegressor(DecisionTreeRegressor(max_depth=1), 30),
        "line": LinearRegression(),
        "bagged lines": BaggingRegressor(LinearRegression(), 30),
    }
    found, trees = {name: [] for name in models}, []
    for r in range(25):
        X = rng.uniform(-1, 1, (150, 6))
        y = signal(X) + 0.4 * rng.normal(size=150)
        for name, model in models.items():
            if "random_state" in model.get_params():
                model.set_params(random_state=r)
            found[name].append(model.fit(X, y).predict(points))
        trees.append(models["forest"].predict_trees(points).each)
    return {name: np.array(rows) for name, rows in found.items()}, np.array(trees), signal(points)


@pytest.mark.spec("TRE-L21")
def test_variance_falls_by_averaging_and_by_decorrelating(redrawn):
    answers, _, truth = redrawn
    variance = {name: np.mean(np.var(rows, axis=0)) for name, rows in answers.items()}
    bias = {name: np.mean((np.mean(rows, axis=0) - truth) ** 2) for name, rows in answers.items()}
    error = {name: np.mean((rows - truth) ** 2) for name, rows in answers.items()}
    assert variance["tree"] > 2.0 * variance["bagging"]
    assert variance["bagging"] > variance["forest"]
    assert variance["extra"] < variance["forest"]
    assert bias["extra"] > bias["forest"]
    assert error["forest"] < 0.7 * error["tree"]
    # What is stable gains little.
    gain = {name: variance[f"bagged {name}s"] / variance[name] for name in ("stump", "line")}
    assert gain["line"] > 0.9
    assert variance["bagging"] / variance["tree"] < 0.75 * gain["stump"]


@pytest.mark.spec("TRE-L21")
def test_variance_of_a_mean_of_correlated_trees(redrawn):
    answers, trees, _ = redrawn
    T = trees.shape[1]
    # Of any two trees of a forest over redrawn data; averaged over the points.
    spread = np.mean(np.var(trees, axis=0), axis=0)
    covariances = [np.cov(trees[:, :, i].T, bias=True) for i in range(trees.shape[2])]
    common = np.array([(np.sum(c) - np.trace(c)) / (T * (T - 1)) for c in covariances])
    rho = common / spread
    expected = rho * spread + (1.0 - rho) * spread / T
    np.testing.assert_allclose(np.var(answers["forest"], axis=0), expected, rtol=1e-9)
    assert 0.0 < np.mean(rho) < 0.6
    bagged = np.mean(np.var(answers["bagging"], axis=0)) / np.mean(spread)
    assert np.mean(np.var(answers["forest"], axis=0)) / np.mean(spread) < bagged


@pytest.mark.spec("TRE-L22", "TRE-068")
def test_trees_are_unstable_and_forests_less_so():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 6))
    # Two columns that tell nearly the same.
    X[:, 1] = X[:, 0] + 0.3 * rng.normal(size=160)
    y = (X[:, 0] + X[:, 1] + X[:, 2] + rng.normal(size=160) > 0).astype(int)
    options = {"n_resamples": 20, "random_state": 0}
    models = {"tree": DecisionTreeClassifier(), "forest": RandomForestClassifier(25, bootstrap=False)}
    found = structure_stability(models, X, y, n_jobs=2, **options)
    tree, forest = found["tree"], found["forest"]
    assert np.sum(tree.root) == pytest.approx(1.0)
    assert 0.0 < tree.same_root < 1.0
    assert np.count_nonzero(tree.root) > 1
    assert forest.jaccard > tree.jaccard + 0.1
    assert np.std(forest.depth) < np.std(tree.depth)
    again = structure_stability(DecisionTreeClassifier(), X, y, n_jobs=2, **options)
    np.testing.assert_array_equal(again.root, tree.root)
    # The same rows every time would have been the same tree.
    firm = structure_stability(DecisionTreeClassifier(max_depth=1), X, (X[:, 0] > 0).astype(int), **options)
    assert firm.same_root == firm.jaccard == 1.0
    none = structure_stability(DecisionTreeClassifier(max_depth=0), X, y, **options)
    assert np.sum(none.root) == 0.0

    def disagreement(model):
        draws = [rng.integers(0, 160, 160) for _ in range(8)]
        answers = np.array([model.fit(X[rows], y[rows]).predict(X) for rows in draws])
        return np.mean(answers[:, None] != answers[None])

    assert disagreement(DecisionTreeClassifier()) > disagreement(RandomForestClassifier(25, random_state=0))
