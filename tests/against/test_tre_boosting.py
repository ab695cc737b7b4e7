"""Gradient boosting beside scikit-learn's, in the same process, on real tables.

Both break ties of equal splits differently (scikit-learn's exact trees by chance, its histograms by the rounding of
single precision), so rows that were learned from agree to rounding while new rows may fall on the other side of a cut
that divides the training rows alike. Gradients with few values make many such ties: of classes in the first round, of
losses with steps for gradients in all. Weights that differ from row to row part them.
"""

import inspect

import numpy as np
import pytest
from sklearn import ensemble
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import mean_pinball_loss

from gnomon import trees
from real_data import data_path

pd = pytest.importorskip("pandas")

NAMES = (
    "GradientBoostingClassifier", "GradientBoostingRegressor", "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
)  # fmt: skip


def both(name, **options):
    """Ours and theirs; the seed decides ties of theirs only."""
    return getattr(trees, name)(**options), getattr(ensemble, name)(**options, random_state=0)


def parting(y):
    """Weights that leave no two splits equal."""
    return np.random.default_rng(0).uniform(0.5, 2.0, len(y))


@pytest.fixture(scope="module")
def phoneme():
    table = pd.read_csv(data_path("tabular/phoneme.csv.gz"), header=None).iloc[::4]
    return table.iloc[:, :-1].to_numpy(np.float32), table.iloc[:, -1].to_numpy()


@pytest.fixture(scope="module")
def covtype():
    table = pd.read_csv(data_path("tabular/covtype_sample.csv.gz"))
    table = table.groupby(table.columns[-1]).head(120)
    return table.iloc[:, :-1].to_numpy(np.float32), table.iloc[:, -1].to_numpy()


@pytest.fixture(scope="module")
def housing():
    table = pd.read_csv(data_path("tabular/california_housing.csv.gz")).iloc[::10]
    return table.drop(columns="median_house_value"), table["median_house_value"].to_numpy() / 1000.0


@pytest.fixture(scope="module")
def spam():
    table = pd.read_csv(data_path("esl/spam.csv.gz")).iloc[::3]
    return table.filter(like="A.").to_numpy(np.float32), table["spam"].to_numpy()


def numbers(housing):
    return housing[0].drop(columns=["ocean_proximity", "total_bedrooms"]).to_numpy(np.float32), housing[1]


@pytest.mark.spec("TRE-075")
@pytest.mark.parametrize("name", NAMES)
def test_parameters_defaults_and_methods(name):
    ours, theirs = (inspect.signature(getattr(module, name)).parameters for module in (trees, ensemble))
    for parameter, found in theirs.items():
        # scikit-learn is withdrawing the criterion of gradient boosting.
        assert parameter == "criterion" or ours[parameter].default == found.default
    methods = [m for m in dir(getattr(ensemble, name)) if not m.startswith(("_", "set_", "get_metadata"))]
    assert not [m for m in methods if m not in dir(getattr(trees, name)) and m != "n_iter_"]
    fits = [inspect.signature(getattr(module, name).fit).parameters for module in (trees, ensemble)]
    assert list(fits[0]) == list(fits[1])


@pytest.mark.spec("TRE-075")
@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
@pytest.mark.parametrize("options", [{}, {"max_depth": None, "max_leaf_nodes": 6}, {"min_samples_leaf": 15}])
def test_two_classes_by_exact_trees(phoneme, loss, options):
    X, y = phoneme
    ours, theirs = both("GradientBoostingClassifier", loss=loss, n_estimators=25, **options)
    ours.fit(X, y), theirs.fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-9)
    np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-10)
    assert ours.estimators_.shape == theirs.estimators_.shape
    assert ours.n_estimators_ == theirs.n_estimators_


@pytest.mark.spec("TRE-075")
def test_several_classes_by_exact_trees(covtype):
    X, y = covtype
    ours, theirs = both("GradientBoostingClassifier", n_estimators=6)
    weights = 1.0 + (np.arange(len(y)) % 3 == 0)
    ours.fit(X, y, weights), theirs.fit(X, y, weights)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-9)
    staged = list(zip(ours.staged_predict_proba(X[:50]), theirs.staged_predict_proba(X[:50]), strict=True))
    for mine, other in staged:
        np.testing.assert_allclose(mine, other, atol=1e-9)
    assert ours.apply(X[:5]).shape == theirs.apply(X[:5]).shape


@pytest.mark.spec("TRE-075")
@pytest.mark.parametrize("loss", ["squared_error", "huber", "absolute_error", "quantile"])
def test_numbers_by_exact_trees(housing, loss):
    X, y = numbers(housing)
    ours, theirs = both("GradientBoostingRegressor", loss=loss, n_estimators=25, alpha=0.8137)
    ours.fit(X, y, parting(y)), theirs.fit(X, y, parting(y))
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
    np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-9)
    leaves = [tree.tree_.value.ravel()[tree.tree_.children_left < 0] for tree in theirs.estimators_.ravel()]
    mine = [tree.tree_.answers[tree.tree_.is_leaf, 0] for tree in ours.estimators_.ravel()]
    # Rounding lets scikit-learn divide some rows that pull alike, and have the same price.
    mine, leaves = (np.unique(np.concatenate(values).round(6)) for values in (mine, leaves))
    np.testing.assert_array_equal(mine, leaves)


@pytest.mark.spec("TRE-075")
@pytest.mark.parametrize("options", [{"init": "zero"}, {"ccp_alpha": 40.0}, {"min_impurity_decrease": 50.0},
                                     {"min_weight_fraction_leaf": 0.05}, {"min_samples_split": 0.2}])  # fmt: skip
def test_options_of_exact_trees(housing, options):
    X, y = numbers(housing)
    ours, theirs = both("GradientBoostingRegressor", n_estimators=12, max_depth=4, **options)
    weights = np.linspace(0.5, 2.0, len(y))
    ours.fit(X, y, weights), theirs.fit(X, y, weights)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-7)
    counts = [[tree.tree_.node_count for tree in model.estimators_.ravel()] for model in (ours, theirs)]
    assert counts[0] == counts[1]


@pytest.mark.spec("TRE-075")
def test_another_model_to_start_from(phoneme, housing):
    X, y = phoneme
    ours, theirs = both("GradientBoostingClassifier", n_estimators=5, init=LogisticRegression())
    np.testing.assert_allclose(ours.fit(X, y).predict_proba(X), theirs.fit(X, y).predict_proba(X), atol=1e-6)
    X, y = numbers(housing)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    ours, theirs = both("GradientBoostingRegressor", n_estimators=5, init=LinearRegression())
    np.testing.assert_allclose(ours.fit(X, y).predict(X), theirs.fit(X, y).predict(X), rtol=1e-4)


@pytest.mark.spec("TRE-075")
@pytest.mark.parametrize("seed", range(4))
def test_exact_trees_stop_early_in_the_same_round(phoneme, seed):
    X, y = phoneme
    options = {"n_iter_no_change": 3, "tol": 2e-3, "learning_rate": 0.3, "n_estimators": 200, "random_state": seed}
    theirs = ensemble.GradientBoostingClassifier(**options).fit(X, y, parting(y))
    ours = trees.GradientBoostingClassifier(**options).fit(X, y, parting(y))
    assert ours.n_estimators_ == theirs.n_estimators_ < 200
    assert ours.stop_reason_ == "validation"
    assert ours.converged_
    assert len(ours.history_["validation"]) == ours.n_estimators_


@pytest.mark.spec("TRE-075")
def test_subsamples_do_as_well(spam):
    X, y = spam
    ours, theirs = both("GradientBoostingClassifier", n_estimators=60, subsample=0.5, max_features="sqrt")
    train = np.arange(len(y)) % 2 == 0
    ours.fit(X[train], y[train]), theirs.fit(X[train], y[train])
    assert ours.score(X[~train], y[~train]) > theirs.score(X[~train], y[~train]) - 0.02
    for name in ("oob_improvement_", "oob_scores_", "train_score_"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert mine.shape == other.shape
        assert np.mean(mine[-20:]) == pytest.approx(np.mean(other[-20:]), abs=0.1)
    assert ours.oob_score_ == ours.oob_scores_[-1]


@pytest.mark.spec("TRE-075", "TRE-052")
@pytest.mark.parametrize("loss", ["squared_error", "poisson", "gamma"])
@pytest.mark.parametrize("options", [{}, {"l2_regularization": 3.0, "max_depth": 4}, {"max_bins": 32}])
def test_numbers_by_histograms(housing, loss, options):
    X, y = housing[0].drop(columns="ocean_proximity").to_numpy(float), housing[1]
    ours, theirs = both("HistGradientBoostingRegressor", loss=loss, max_iter=20, **options)
    ours.fit(X, y), theirs.fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-7)
    np.testing.assert_allclose(ours.baseline_, theirs._baseline_prediction[0], rtol=1e-10)


@pytest.mark.spec("TRE-075")
@pytest.mark.parametrize("options", [{"loss": "absolute_error"}, {"loss": "quantile", "quantile": 0.8}])
def test_medians_and_quantiles_by_histograms(housing, options):
    X, y = numbers(housing)
    ours, theirs = both("HistGradientBoostingRegressor", max_iter=40, **options)
    ours.fit(X, y, parting(y)), theirs.fit(X, y, parting(y))
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
    # Without weights scikit-learn interpolates between two rows.
    losses = [mean_pinball_loss(y, model.fit(X, y).predict(X), alpha=0.8) for model in (ours, theirs)]
    assert losses[0] == pytest.approx(losses[1], rel=0.03)


@pytest.mark.spec("TRE-075")
def test_classes_by_histograms(phoneme, covtype):
    for X, y in (phoneme, covtype):
        ours, theirs = both("HistGradientBoostingClassifier", max_iter=10, class_weight="balanced")
        ours.fit(X, y, parting(y)), theirs.fit(X, y, parting(y))
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-7)


@pytest.mark.spec("TRE-075", "TRE-011")
def test_categories_and_gaps_of_a_data_frame(housing):
    frame, y = housing
    frame = frame.assign(ocean_proximity=frame["ocean_proximity"].astype("category"))
    ours, theirs = both("HistGradientBoostingRegressor", max_iter=25)
    ours.fit(frame, y), theirs.fit(frame, y)
    np.testing.assert_allclose(ours.predict(frame), theirs.predict(frame), rtol=1e-7)
    assert ours.is_categorical_.tolist() == [False] * 8 + [True]


@pytest.mark.spec("TRE-075", "TRE-011")
def test_many_categories():
    table = pd.read_csv(data_path("tabular/adult_train.csv.gz"), na_values="?", skipinitialspace=True).iloc[::8]
    y = table.pop("income").to_numpy()
    for name in table.columns[table.dtypes == table["workclass"].dtype]:
        table[name] = table[name].astype("category")
    ours, theirs = both("HistGradientBoostingClassifier", max_iter=15)
    ours.fit(table, y), theirs.fit(table, y)
    np.testing.assert_allclose(ours.predict_proba(table), theirs.predict_proba(table), atol=1e-7)


@pytest.mark.spec("TRE-075")
@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
def test_monotone_columns(housing, loss):
    X, y = numbers(housing)
    cst = [0, 0, -1, 0, 0, 0, 1]
    ours, theirs = both("HistGradientBoostingRegressor", loss=loss, max_iter=20, monotonic_cst=cst)
    ours.fit(X, y), theirs.fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-7)


@pytest.mark.spec("TRE-075")
@pytest.mark.parametrize(("loss", "quantile"), [("absolute_error", None), ("quantile", 0.7)])
def test_medians_of_leaves_keep_the_order_that_scikit_learn_loses(loss, quantile):
    # scikit-learn replaces the bounded value of a leaf by the median (or quantile) of its residuals, which no longer
    # heeds the bounds: its trees break the constraint, and so their predictions differ from ours.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = 2.0 * X[:, 0] - X[:, 1] + 0.5 * np.sin(4.0 * X[:, 2]) + 0.3 * rng.standard_t(2, size=300)
    options = {"loss": loss, "quantile": quantile, "max_iter": 5, "min_samples_leaf": 10, "early_stopping": False}
    rises = []
    for model in both("HistGradientBoostingRegressor", monotonic_cst=[1, -1, 0], **options):
        model.fit(X, y)
        least = np.inf
        for j, sign in ((0, 1.0), (1, -1.0)):
            moved = np.repeat(X, 50, axis=0)
            moved[:, j] = np.tile(np.linspace(-3.0, 3.0, 50), len(X))
            least = min(least, np.min(sign * np.diff(model.predict(moved).reshape(-1, 50), axis=1)))
        rises.append(least)
    assert rises[0] >= -1e-12
    assert rises[1] < -1e-3


@pytest.mark.spec("TRE-075")
@pytest.mark.parametrize("cst", ["pairwise", "no_interactions", [{0, 1}, {1, 2, 6}]])
def test_columns_that_may_meet(housing, cst):
    X, y = numbers(housing)
    ours, theirs = both("HistGradientBoostingRegressor", max_iter=15, interaction_cst=cst)
    ours.fit(X, y), theirs.fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-7)


@pytest.mark.spec("TRE-075")
@pytest.mark.parametrize("scoring", ["loss", None, "neg_mean_absolute_error"])
def test_histograms_stop_in_the_same_round(housing, scoring):
    X, y = numbers(housing)
    train = np.arange(len(y)) % 4 > 0
    options = {"early_stopping": True, "n_iter_no_change": 3, "tol": 1e-3, "learning_rate": 0.4, "scoring": scoring}
    ours, theirs = both("HistGradientBoostingRegressor", **options)
    for model in (ours, theirs):
        model.fit(X[train], y[train], X_val=X[~train], y_val=y[~train])
    assert ours.n_iter_ == theirs.n_iter_ < 100
    np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(ours.validation_score_, theirs.validation_score_, rtol=1e-7, atol=1e-12)


@pytest.mark.spec("TRE-075")
@pytest.mark.parametrize("seed", [lambda: 3, lambda: np.random.RandomState(3)], ids=["int", "RandomState"])
@pytest.mark.parametrize("name", NAMES[2:])
def test_histograms_hold_out_the_same_rows(name, seed):
    X = np.random.default_rng(0).normal(size=(300, 3))
    y = np.arange(300.0) if name.endswith("Regressor") else (X[:, 0] > 0.5).astype(int)
    found = []
    for module in (trees, ensemble):
        asked = []

        def scorer(model, rows, labels, sample_weight, asked=asked):
            asked.append(np.sort(sample_weight))
            return 0.0

        model = getattr(module, name)(early_stopping=True, max_iter=1, scoring=scorer, random_state=seed())
        # Weights tell rows apart.
        model.fit(X, y, 1.0 + np.arange(300) / 1000.0)
        found.append(asked)
    assert [len(part) for part in found[0]] == [270, 30] * 2
    for mine, other in zip(*found, strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.spec("TRE-075")
def test_exact_trees_hold_out_the_same_rows():
    """A mean as F_0 tells which rows were learned from."""
    X, y = np.random.default_rng(0).normal(size=(200, 2)), 2.0 ** (np.arange(200) % 50)
    ours, theirs = (
        module.GradientBoostingRegressor(n_estimators=1, n_iter_no_change=3, random_state=3).fit(X, y)
        for module in (trees, ensemble)
    )
    assert ours.baseline_[0] == pytest.approx(theirs.init_.constant_[0, 0], rel=1e-14)


@pytest.mark.spec("TRE-075")
def test_scorers_are_asked_about_the_same_rows():
    X = np.random.default_rng(0).normal(size=(11_000, 1))
    y = (X[:, 0] > 2.0).astype(int)
    found = []
    for module in (trees, ensemble):
        asked = []

        def scorer(model, rows, labels, sample_weight, asked=asked):
            asked.append(np.sort(sample_weight))
            return 0.0

        options = {"early_stopping": True, "validation_fraction": None, "max_iter": 1, "random_state": 0}
        model = module.HistGradientBoostingClassifier(scoring=scorer, **options)
        model.fit(X, y, 1.0 + np.arange(len(y)) / 1e5)
        found.append(asked)
    assert [len(part) for part in found[0]] == [10_000] * 2
    for mine, other in zip(*found, strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.spec("TRE-075")
@pytest.mark.parametrize("name", ["GradientBoostingClassifier", "HistGradientBoostingClassifier"])
def test_ties_and_shapes_of_two_classes(name, phoneme):
    X, y = np.zeros((40, 1)), np.repeat(["no", "yes"], 20)
    models = both(name)
    answers = [model.fit(X, y).predict(X) for model in models]
    np.testing.assert_array_equal(models[0].decision_function(X), 0.0)
    np.testing.assert_array_equal(answers[0], answers[1])
    for mine, other in zip(*(model.staged_predict(X) for model in models), strict=True):
        np.testing.assert_array_equal(mine, other)
    X, y = phoneme
    for model in models:
        model.set_params(**{"n_estimators" if name.startswith("G") else "max_iter": 3}).fit(X, y, parting(y))
    for mine, other in zip(*(model.staged_decision_function(X) for model in models), strict=True):
        assert mine.shape == other.shape
        np.testing.assert_allclose(mine, other, atol=1e-7)


@pytest.mark.spec("TRE-075")
def test_exact_trees_by_hubers_loss_stop_in_the_same_round(housing):
    X, y = numbers(housing)
    options = {"loss": "huber", "n_iter_no_change": 2, "tol": 5.0, "learning_rate": 0.4, "random_state": 0}
    theirs = ensemble.GradientBoostingRegressor(**options).fit(X, y)
    ours = trees.GradientBoostingRegressor(**options).fit(X, y)
    assert ours.n_estimators_ == theirs.n_estimators_ < 100
