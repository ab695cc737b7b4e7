"""Categories with many levels: each model gets them as it says, from the training rows of a fold alone."""

import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge

from gnomon._registry import Candidate
from gnomon.io import Table, UserError, load, save
from gnomon.io.numbers import NumberForm
from gnomon.report import learn, page
from gnomon.report._kinds import ColumnKind
from gnomon.report.level_means import shrunk_means
from gnomon.report.prepare import CODINGS, RARE_LEVEL, Preparer

KINDS = (ColumnKind("x", "number"), ColumnKind("city", "category"))


def cities(n=3000, levels=300, seed=0):
    """A number that depends on 300 cities and on x, with noise of standard deviation one half."""
    rng = np.random.default_rng(seed)
    city, x = rng.integers(0, levels, n), rng.normal(size=n)
    effect = 3.0 * rng.normal(size=levels)
    return {"x": x, "city": np.array([f"c{k}" for k in city]), "y": effect[city] + x + 0.5 * rng.normal(size=n)}


@pytest.mark.parametrize("name", ["ridge regression", "decision tree"])
def test_three_hundred_levels_are_used(only, name, tmp_path):
    """The noise is .5; a model that knew only the forty most frequent levels would be left with an error of 2.7."""
    only(name)
    data = cities()
    study = learn(data, "y")
    assert study.judgement.scores["RMSE"] < {"ridge regression": 0.62, "decision tree": 1.2}[name]
    save(study.model, tmp_path / "m.skops")
    np.testing.assert_array_equal(load(tmp_path / "m.skops").predict(data), study.model.predict(data))


def test_every_model_gets_the_matrix_it_asks_for_and_the_report_says_which(only):
    seen = {}

    class Look(DummyRegressor):
        def __init__(self, levels):
            super().__init__()
            self.levels = levels

        def fit(self, X, y):
            seen[self.levels] = X
            return super().fit(X, y)

    candidates = [
        Candidate(f"model {levels}", "regression", lambda facts, seed, levels=levels: Look(levels), 1, levels=levels)
        for levels in CODINGS
    ]
    only(*candidates, Candidate("line", "regression", lambda facts, seed: Ridge(), 2))
    data = cities(600, levels=60)
    study = learn(data, "y")
    assert sp.issparse(seen["columns"]) or seen["columns"].shape[1] > 50
    assert seen["frequent"].shape[1] <= 42
    assert seen["words"].dtype == object
    assert seen["words"].shape[1] == 2
    assert seen["means"].shape[1] == 2
    html = page(study, Table(data))
    for levels, coding in CODINGS.items():
        assert coding.text in html
        assert f"model {levels}" in html


def test_levels_are_learned_from_the_rows_of_the_fit_alone():
    table = Table(cities(400, levels=30))
    some, others = table.take(np.arange(200)), table.take(np.arange(200, 400))
    others = others.replace("city", np.where(np.arange(200) < 100, "Atlantis", others["city"].astype(object)))
    for levels, coding in CODINGS.items():
        if levels == "means":
            continue
        preparer = Preparer(KINDS, levels).fit(some)
        names = preparer.get_feature_names_out().tolist()
        assert not any("Atlantis" in name for name in names)
        M = preparer.transform(others)
        assert M.shape == (200, len(names))
        if levels == "words":
            assert "Atlantis" not in M[:, 1]
            continue
        rows = (M.toarray() if sp.issparse(M) else M)[:100, 1:]
        rare = [name.endswith(RARE_LEVEL) for name in names[1:]]
        assert (rows.sum(axis=1) == any(rare)).all()
        assert preparer.units().shape == (2, len(names))
        counts = np.unique(some["city"], return_counts=True)[1]
        assert len(rare) - any(rare) == min((counts >= coding.least).sum(), coding.most)


def by_hand(codes, y):
    """Equation (1) of the means of levels, level by level."""
    n, mean, levels = len(y), np.mean(y), np.unique(codes)
    of = {level: y[codes == level] for level in levels}
    sizes = np.array([len(rows) for rows in of.values()])
    between = sum(len(rows) * (rows.mean() - mean) ** 2 for rows in of.values()) / (len(levels) - 1)
    within = sum(((rows - rows.mean()) ** 2).sum() for rows in of.values()) / (n - len(levels))
    k = (n - (sizes**2).sum() / n) / (len(levels) - 1)
    m = max(1.0, k * within / (between - within)) if between > within else np.inf
    return np.array([mean + len(rows) * (rows.mean() - mean) / (len(rows) + m) for rows in of.values()])


@pytest.mark.parametrize("spread", [0.0, 0.5, 3.0])
def test_means_of_levels_are_drawn_towards_the_mean_of_all(spread):
    """Levels that say nothing have the mean of all rows; the more they say, the nearer they are to their own."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 40, 400)
    y = spread * rng.normal(size=40)[codes] + rng.normal(size=400)
    found = shrunk_means(codes, y[:, None], 40)[:, 0]
    np.testing.assert_allclose(found, by_hand(codes, y), rtol=1e-12)
    own = np.array([y[codes == level].mean() for level in range(40)])
    kept = np.std(found) / np.std(own)
    assert kept < 0.35 if spread == 0.0 else 0.4 < kept < 0.99


def test_levels_whose_means_differ_less_than_by_chance_have_the_mean_of_all():
    """Means of 0.1 and −0.1 of ten rows each: between them the mean square is 0.2, within them about 1."""
    codes, y = np.repeat([0, 1], 10), np.tile([-1.0, 1.0], 10) + np.repeat([0.1, -0.1], 10)
    np.testing.assert_array_equal(shrunk_means(codes, y[:, None], 2)[:, 0], np.mean(y))


def test_no_row_tells_its_own_target():
    """Levels of one or two rows and a target of pure noise: what models learn from must not know it."""
    rng = np.random.default_rng(0)
    table = Table({"x": rng.normal(size=600), "city": np.array([f"c{k}" for k in rng.integers(0, 400, 600)])})
    y = rng.normal(size=600)
    preparer = Preparer(KINDS, "means")
    learned = preparer.fit_transform(table, y)[:, 1]
    assert abs(np.corrcoef(learned, y)[0, 1]) < 0.1
    with pytest.raises(ValueError, match="need y"):
        Preparer(KINDS, "means").fit(table)


def test_a_level_never_seen_has_the_mean_of_all_rows_and_classes_have_shares(tmp_path):
    data = cities(600, levels=60)
    y = np.digitize(data["y"], [-1.0, 1.0]).astype(str)
    preparer = Preparer(KINDS, "means").fit(Table(data), y)
    names = preparer.get_feature_names_out().tolist()
    assert names == ["x", *(f"city: share of {k}" for k in range(3))]
    center, scale = preparer.units()
    rows = preparer.transform(Table({"x": [0.0, 0.0], "city": ["Atlantis", data["city"][0]]})) * scale + center
    np.testing.assert_allclose(rows[0, 1:], [np.mean(y == str(k)) for k in range(3)])
    np.testing.assert_allclose(rows[:, 1:].sum(axis=1), 1.0, atol=0.05)
    of_two = Preparer(KINDS, "means").fit(Table(data), np.where(y == "0", "no", "yes"))
    assert of_two.get_feature_names_out().tolist()[1:] == ["city: share of yes"]


@pytest.mark.parametrize("task", ["numbers", "classes"])
def test_many_levels_bring_a_model_of_their_means(only, task, tmp_path):
    """A hundred levels and more: where each has few rows their means are what is left to learn."""
    names = {"numbers": "ridge regression on means of levels", "classes": "logistic regression on means of levels"}
    only(names[task])
    few, data = cities(400, levels=10), cities(1500, levels=300)
    if task == "classes":
        few, data = ({**one, "y": np.where(one["y"] > 0.0, "a", "b")} for one in (few, data))
    with pytest.raises(UserError, match="no model could be fitted"):
        learn(few, "y")
    study = learn(data, "y")
    assert study.choice.trial.candidate.name == names[task]
    score = study.scores[0].name
    assert study.judgement.scores[score] < 0.75 * study.judgement.baseline[score]
    save(study.model, tmp_path / "m.skops")
    np.testing.assert_array_equal(load(tmp_path / "m.skops").predict(data), study.model.predict(data))


def test_without_categories_one_matrix_serves_all(only):
    only(Candidate("a", "regression", lambda facts, seed: Ridge(), 1, levels="words"))
    rng = np.random.default_rng(0)
    study = learn({"x": (x := rng.normal(size=100)), "y": x + 0.1 * rng.normal(size=100)}, "y")
    assert study.choice.trial.entrant.levels == "columns"


def test_a_model_file_has_no_node_for_every_column(tmp_path):
    counts = []
    for d in (3, 300):
        table = Table({f"c{j}": np.arange(5.0) + j for j in range(d)})
        kinds = [ColumnKind(f"c{j}", "number", NumberForm(suffix="kg"), n_unreadable=np.int64(j)) for j in range(d)]
        preparer = Preparer(tuple(kinds)).fit(table)
        save(preparer, tmp_path / "model.skops")
        with zipfile.ZipFile(tmp_path / "model.skops") as archive:
            counts.append(archive.read("schema.json").count(b"__class__"))
        again = load(tmp_path / "model.skops")
        assert again.kinds == preparer.kinds
        np.testing.assert_array_equal(again.transform(table), preparer.transform(table))
    assert counts[0] == counts[1]
