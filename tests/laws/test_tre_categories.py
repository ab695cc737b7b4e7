"""Declared categories of any type: a model sees which label a cell has, not of what type the label is."""

import datetime as dt
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone, is_classifier

from gnomon.generative import CategoricalNB, NaiveBayes
from gnomon.trees import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    DecisionStump,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HandTreeClassifier,
    HandTreeRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    OneRule,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomTreesEmbedding,
)
from many_checks import check_all, over

LABELS = {
    "whole numbers": [2, 3, 4, 5],
    "numbers with gaps and signs": [-7, 0, 100, 3],
    "fractions": [0.5, 1.5, 2.25, 1e9],
    "truth values": [False, True],
    "strings": ["b", "a", "d", "c"],
    "strings of numbers": ["10", "9", "1e3", " "],
    "bytes": [b"a", b"b", b"c", b"d"],
    "dates": [dt.date(2020, 1, day) for day in (1, 2, 3, 4)],
    "times": [pd.Timestamp(text) for text in ("2020-01-01", "2020-01-02", "2021-01-01", "1999-12-31 23:59")],
    "tuples": [(1, 2), (3, 4), (5, 6), (7, 8)],
    "tuples of several lengths": [(), (3,), (5, 6), ("a", None, 8)],
    "intervals": list(pd.interval_range(0, 4)),
    "months": list(pd.period_range("2020-01", periods=4, freq="M")),
    "mixed": [1, "1", 2.5, (1, 2)],
}
SMALL = {"n_estimators": 3, "random_state": 0}
MODELS = [
    DecisionTreeClassifier(),
    DecisionTreeClassifier(algorithm="id3", categorical_features=["number"]),
    DecisionTreeClassifier(algorithm="c4.5"),
    DecisionTreeClassifier(categorical_split="equality", missing="most_frequent"),
    DecisionTreeRegressor(),
    DecisionTreeRegressor(criterion="absolute_error", missing="surrogate"),
    RandomForestClassifier(**SMALL),
    RandomForestRegressor(**SMALL),
    ExtraTreesClassifier(**SMALL),
    ExtraTreesRegressor(**SMALL),
    BaggingClassifier(DecisionTreeClassifier(), **SMALL),
    BaggingRegressor(DecisionTreeRegressor(), **SMALL),
    AdaBoostClassifier(**SMALL),
    GradientBoostingClassifier(**SMALL),
    GradientBoostingRegressor(**SMALL),
    HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=1),
    HistGradientBoostingRegressor(max_iter=3, min_samples_leaf=1),
    DecisionStump(),
    OneRule(),
    OptimalTreeClassifier(max_depth=2),
    OptimalTreeRegressor(max_depth=2),
    RandomTreesEmbedding(**SMALL),
    CategoricalNB(),
    NaiveBayes(),
]
PLACE = np.tile([0, 1, 2, 3, 0, 1, -1], 6)
"""The label of every row, −1 where it is missing."""


def column(labels, place, ordered=False):
    """A categorical column of pandas."""
    index = pd.Index(np.fromiter(labels, dtype=object, count=len(labels)), tupleize_cols=False)
    return pd.Categorical.from_codes(place, categories=index.infer_objects(), ordered=ordered)


def table(labels, place=PLACE, ordered=False, other=None):
    """A column of labels and one of numbers."""
    numbers = np.arange(len(place)) % 3 if other is None else other
    return pd.DataFrame({"label": column(labels, place, ordered), "number": numbers})


def names(k):
    """Strings in place of k labels."""
    return [f"v{i}" for i in range(k)]


def places(k):
    """`PLACE` among k labels only."""
    return np.where(PLACE < 0, -1, PLACE % k)


def answers(model, X):
    """What a model says of rows."""
    for verb in ("predict_proba", "predict", "transform"):
        if verb in dir(model):
            found = getattr(model, verb)(X)
            return found if isinstance(found, np.ndarray) else found.toarray()
    raise TypeError(model)


def fitted(model, X, place):
    """A clone of the model, fitted to classes or numbers that depend on the label."""
    y = (np.maximum(place, 0) % 2 + (np.arange(len(place)) % 5 == 0)) % 2
    return clone(model).fit(X, y if is_classifier(model) else y.astype(float))


@over(MODELS)
def test_labels_of_any_type_are_labels(estimator):
    @cache
    def said_of_names(k):
        X = table([*names(k), "unused"], places(k))
        return answers(fitted(estimator, X, places(k)), X)

    def case(labels):
        k, place = len(labels), places(len(labels))
        X = table([*labels, "unused"], place)
        model = fitted(estimator, X, place)
        here = answers(model, X)
        np.testing.assert_array_equal(here, said_of_names(k))
        shuffled = table(labels[::-1], np.where(place < 0, -1, k - 1 - place), ordered=True)
        np.testing.assert_array_equal(answers(model, shuffled), here)
        some = place == place[0]
        fewer = table([labels[place[0]]], np.zeros(np.sum(some), dtype=int), other=X["number"][some])
        np.testing.assert_array_equal(answers(model, fewer), here[some])

    check_all((name, lambda labels=labels: case(labels)) for name, labels in LABELS.items())


@over([model for model in MODELS if "unseen" in model.get_params() and "missing" not in str(model)])
def test_new_labels_are_missing_or_refused(estimator):
    def case(labels):
        place = places(len(labels))
        model = fitted(estimator, table(labels, place), place)
        n, new = len(place), frozenset({"new"})
        X, gaps = table([new], np.zeros(n, dtype=int)), table(labels, np.full(n, -1))
        np.testing.assert_array_equal(answers(model, X), answers(model, gaps))
        with pytest.raises(ValueError, match="which fit did not see"):
            answers(model.set_params(unseen="error"), X)

    check_all((name, lambda labels=labels: case(labels)) for name, labels in list(LABELS.items())[::4])


def test_a_tree_finds_numeric_labels():
    k = np.tile([2, 3, 4, 5], 50)
    X = pd.DataFrame({"k": pd.Categorical(k)})
    assert DecisionTreeClassifier().fit(X, k % 2).score(X, k % 2) == 1.0
    # Cells of the same labels in a column of another type are the same.
    assert DecisionTreeClassifier().fit(X, k % 2).score(pd.DataFrame({"k": k}), k % 2) == 1.0
    assert DecisionTreeClassifier().fit(X, k % 2).score(pl.DataFrame({"k": k}), k % 2) == 1.0


@pytest.mark.parametrize("kind", [pl.Enum(["b", "a", "c", "unused"]), pl.Categorical(), pl.String()])
def test_categories_of_polars(kind):
    words = np.array(["b", "a", "c", None], dtype=object)[np.tile([0, 1, 2, 3], 6)]
    y = (words == "a").astype(int)
    X = pl.DataFrame({"k": pl.Series(words.tolist(), dtype=kind)})
    tree = DecisionTreeClassifier().fit(X, y)
    assert tree.score(X, y) == 1.0
    assert tree.score(pl.DataFrame({"k": words.tolist()}), y) == 1.0
    other = X.with_columns(pl.col("k").cast(pl.String).cast(pl.Enum(["c", "a", "b"])))
    assert tree.score(other, y) == 1.0


def test_a_column_without_any_cell():
    X = pd.DataFrame({"k": pd.Categorical([None] * 6), "x": np.arange(6.0)})
    for model in (DecisionTreeClassifier(), HistGradientBoostingClassifier(max_iter=1, min_samples_leaf=1)):
        assert model.fit(X, X["x"] > 2).score(X, X["x"] > 2) == 1.0


def test_listed_categories_of_one_column_leave_others_as_they_are():
    X = pd.DataFrame({"a": np.tile([0.25, 0.75, -3.5], 4), "b": ["u", "v", "w"] * 4})
    y = (X["a"] == 0.75).astype(int)
    for categories in (None, "auto", [None, ["u", "v", "w"]], {"b": ["u", "v", "w"]}):
        tree = DecisionTreeClassifier(categorical_features=["a"], categories=categories).fit(X, y)
        assert tree.coding_.domains[0].values == (-3.5, 0.25, 0.75)
        assert tree.score(X, y) == 1.0


@pytest.mark.parametrize("labels", [pytest.param(labels, id=name) for name, labels in LABELS.items()])
def test_explanations_and_exports(labels):
    place = np.tile(np.arange(len(labels)), 5)
    X, y = table(labels, place, other=0), place % 2
    tree = DecisionTreeClassifier().fit(X, y)
    for label, answer in zip(labels, y[: len(labels)], strict=True):
        for row in ([label, 0], {"label": label, "number": 0}, X[place == labels.index(label)][:1]):
            explained = tree.explain(row)
            assert explained.label == answer
            assert explained.steps[0].value == label
    words = DecisionTreeClassifier().fit(table(names(len(labels)), place, other=0), y)
    assert len(tree.to_rules()) == len(words.to_rules())
    assert all(str(label) in tree.export_text() for label in labels if not isinstance(label, (float, str)))


@pytest.mark.parametrize("name", ["whole numbers", "fractions", "truth values", "strings", "bytes", "dates", "times",
                                  "tuples", "tuples of several lengths", "mixed"])  # fmt: skip
def test_python_source_answers_as_the_tree(name):
    labels = LABELS[name]
    place = np.tile(np.arange(len(labels)), 5)
    tree = DecisionTreeClassifier().fit(table(labels, place, other=0), place % 2)
    known = {}
    exec(tree.to_python(), known)
    assert [known["predict"]({"label": label, "number": 0}) for label in labels] == [i % 2 for i in range(len(labels))]
    assert known["predict"]({"label": None, "number": 0}) in (0, 1)


def test_literals_of_sql_and_labels_without_one_in_python():
    def tree(name):
        place = np.tile([0, 1], 3)
        return DecisionTreeClassifier().fit(table(LABELS[name][:2], place, other=0), place)

    assert "\"label\" = X'61'" in tree("bytes").to_sql()
    assert "\"label\" = DATE '2020-01-01'" in tree("dates").to_sql()
    assert "\"label\" = TIMESTAMP '2020-01-01 00:00:00'" in tree("times").to_sql()
    assert "\"label\" = '(1, 2)'" in tree("tuples").to_sql()
    with pytest.raises(ValueError, match="Python has no literal"):
        tree("intervals").to_python()


@pytest.mark.parametrize("hand", [HandTreeClassifier, HandTreeRegressor])
def test_a_tree_by_hand_reads_declared_numbers(hand):
    X = pd.DataFrame({"k": pd.Categorical(np.tile([2, 3, 4, 5], 5))})
    y = np.tile([0, 1, 0, 1], 5)
    model = hand("k in {3, 5}: 1\nk in {2, 4}: 0").fit(X, y)
    np.testing.assert_array_equal(np.round(model.predict(X)), y)
