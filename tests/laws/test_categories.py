"""Categories with many levels: each model gets them as it says, from the training rows of a fold alone."""

import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge

from gnomon._registry import Candidate
from gnomon.io import Table, load, save
from gnomon.io.numbers import NumberForm
from gnomon.report import learn, page
from gnomon.report._kinds import ColumnKind
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
    html = page(study, Table(data))
    for levels, coding in CODINGS.items():
        assert coding.text in html
        assert f"model {levels}" in html


def test_levels_are_learned_from_the_rows_of_the_fit_alone():
    table = Table(cities(400, levels=30))
    some, others = table.take(np.arange(200)), table.take(np.arange(200, 400))
    others = others.replace("city", np.where(np.arange(200) < 100, "Atlantis", others["city"].astype(object)))
    for levels, coding in CODINGS.items():
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
