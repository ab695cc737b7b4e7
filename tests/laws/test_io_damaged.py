"""Edited model files: refused when they are loaded, or used without harm."""

import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone, is_regressor
from sklearn.preprocessing import StandardScaler

import public_names
from gnomon.cluster import AgglomerativeClustering
from gnomon.features import ColumnSubset
from gnomon.io import ModelFileError, load, save
from gnomon.io.stored import check_stored
from gnomon.numerics.scale import PowerOfTwo
from gnomon.search import NODE
from gnomon.testing._tables import example_table, fitted
from gnomon.trees import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    DensityTree,
    GradientBoostingClassifier,
    HistGradientBoostingRegressor,
    OptimalTreeClassifier,
    RandomForestClassifier,
    RandomTreesEmbedding,
)
from many_checks import over

SCRIPT = Path(__file__).parents[1] / "model_edits.py"
X = np.random.default_rng(0).normal(size=(60, 4))
COLOUR = np.where(X[:, 3] > 0.5, "red", np.where(X[:, 3] > -0.5, "blue", "green"))
Y = (X[:, 0] + 0.5 * (X[:, 3] > 0.0) > 0.3).astype(int)
MIXED = np.column_stack([X[:, :3].astype(object), COLOUR])

TREES = {
    "forest": (RandomForestClassifier(n_estimators=3, random_state=0), X),
    "categories": (DecisionTreeClassifier(categorical_features=[3], random_state=0), MIXED),
    "oblique": (DecisionTreeClassifier(split="oblique", random_state=0), X),
    "boosted": (GradientBoostingClassifier(n_estimators=3), X),
    "histograms": (HistGradientBoostingRegressor(max_iter=3, min_samples_leaf=5), X),
    "stumps": (AdaBoostClassifier(n_estimators=3), X),
    "optimal": (OptimalTreeClassifier(max_depth=2), X),
    "density": (DensityTree(random_state=0), X),
    "embedding": (RandomTreesEmbedding(n_estimators=3, random_state=0), X),
}


def edited(path, change):
    """The file with `change(array)` in place of every array for which this is an array."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for name in [name for name in members if name.endswith(".npy")]:
        found = change(np.load(io.BytesIO(members[name])))
        if found is not None:
            file = io.BytesIO()
            np.save(file, found)
            members[name] = file.getvalue()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def of_nodes(change):
    """A change of the nodes of trees, which is told which of them are no leaves."""

    def changed(a):
        if a.dtype != NODE:
            return None
        a = a.copy()
        change(a, np.flatnonzero(a["feature"] >= 0))
        return a

    return changed


def put(field, value):
    def change(nodes, inner):
        nodes[field][inner] = value

    return of_nodes(change)


EDITS = {
    "columns beyond the last": put("feature", 2**30),
    "the column after the last": put("feature", 4),
    "negative columns": put("feature", -3),
    "children before their parents": put("right", 0),
    "children beyond the last node": put("right", 2**30),
    "negative children": put("right", -1),
    "fewer nodes": lambda a: a[:-1] if a.dtype == NODE else None,
    "numbers for nodes": lambda a: a["threshold"] if a.dtype == NODE else None,
    "nodes in rows": lambda a: a[None] if a.dtype == NODE else None,
    "other branches for missing values": lambda a: np.full_like(a, 7) if a.dtype == np.int16 else None,
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("case", TREES)
def test_a_tree_that_would_be_left_is_refused(tmp_path, case, edit):
    model, rows = TREES[case]
    save(clone(model).fit(rows, Y), tmp_path / "model.skops")
    with pytest.raises(ModelFileError, match="cannot be rebuilt"):
        load(edited(tmp_path / "model.skops", EDITS[edit]))


@pytest.mark.parametrize("change", [lambda a: a + 1, lambda a: a[::-1], lambda a: np.delete(a, 1), lambda a: a - 1])
def test_roots_that_are_no_roots_are_refused(tmp_path, change):
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, Y)
    save(forest, tmp_path / "model.skops")
    roots = forest.forest_.roots
    with pytest.raises(ModelFileError, match="roots"):
        load(edited(tmp_path / "model.skops", lambda a: change(a) if np.array_equal(a, roots) else None))


@pytest.mark.parametrize("name", ["cells", "branches", "starts", "kinds", "which"])
@pytest.mark.parametrize("case", ["categories", "oblique"])
def test_tests_of_nodes_that_would_be_read_elsewhere_are_refused(tmp_path, case, name):
    model, rows = TREES[case]
    model = clone(model).fit(rows, Y)
    true = getattr(model.tree_.tests, name)
    if case == "categories" and name == "cells":
        pytest.skip("codes of categories are compared, never followed")
    save(model, tmp_path / "model.skops")

    def change(a):
        same = a.dtype == true.dtype and np.array_equal(a, true)
        return np.where(np.arange(len(a)) == 0, 100, a).astype(a.dtype) if same else None

    changed = edited(tmp_path / "model.skops", change)
    if case == "oblique" and name == "branches":
        # The branches of a sum are its sign, whatever is written.
        np.testing.assert_array_equal(load(changed).predict(X), model.predict(X))
    else:
        with pytest.raises(ModelFileError, match="cannot be rebuilt"):
            load(changed)


def test_trees_refuse_rows_with_fewer_columns_than_they_test():
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, Y).forest_
    with pytest.raises(ValueError, match="X has 2 columns; the trees test columns of 4"):
        forest.sum(X[:, :2])


def test_merges_of_clusters_that_are_not_there_are_refused(tmp_path):
    model = AgglomerativeClustering(n_clusters=2).fit(X)
    save(model, tmp_path / "model.skops")
    change = lambda a: np.full_like(a, 119) if np.array_equal(a, model.children_) else None  # noqa: E731
    with pytest.raises(ModelFileError, match="no merges of 60 leaves"):
        load(edited(tmp_path / "model.skops", change))


def test_arrays_that_do_not_fit_each_other_are_refused_with_their_names(tmp_path):
    model = RandomForestClassifier(n_estimators=2, random_state=0).fit(X, Y)
    save(model, tmp_path / "model.skops")
    change = lambda a: np.arange(3) if np.array_equal(a, [0, 1]) else None  # noqa: E731
    with pytest.raises(ModelFileError, match="classes_ of RandomForestClassifier has 3 of 2 classes"):
        load(edited(tmp_path / "model.skops", change))


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("indices_", np.array([0, 9]), "indices_ of ColumnSubset has numbers that are not below n_features"),
        ("indices_", np.array([-1, 0]), "indices_ of ColumnSubset has numbers that are not below n_features"),
        ("indices_", np.array([0.0, 1.0]), "indices_ of ColumnSubset is an array of float64"),
        ("n_features_in_", -1, "n_features_in_ of ColumnSubset is -1, which is no count"),
    ],
)
def test_numbers_that_name_no_column_and_counts_that_are_none_are_refused(name, value, words):
    model = ColumnSubset([0, 1]).fit(X)
    check_stored(model)
    setattr(model, name, value)
    with pytest.raises(ValueError, match=words):
        check_stored(model)


@pytest.mark.parametrize("wrong", ["3", 3.5, None, np.array([0.5])], ids=str)
def test_fields_of_another_type_than_their_annotation_are_refused(wrong):
    check_stored([PowerOfTwo(3), PowerOfTwo(np.array([3, 4]))])
    with pytest.raises(ValueError, match="exponent of PowerOfTwo is"):
        check_stored(PowerOfTwo(wrong))


def test_two_parts_of_one_name_are_refused(tmp_path):
    save(StandardScaler().fit(X), tmp_path / "model.skops")
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(tmp_path / "model.skops", "a") as archive:
        archive.writestr("schema.json", "{}")
    with pytest.raises(ModelFileError, match="two parts of one name"):
        load(tmp_path / "model.skops")


def bad_ends(*arguments):
    """The lines of `model_edits.py` about edits that end as none may."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, str(SCRIPT), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    *lines, last = done.stdout.splitlines()
    assert int(last.split()[1]) > 100, "too few edits"
    return lines


forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="edits are used in processes that are forked")


def words_of(annotation):
    """The words among the values that an annotation admits."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return tuple(word for part in get_args(annotation) for word in words_of(part))


def variants(estimator):
    """The estimator with each word that an option admits, one at a time, and tables of several kinds."""
    rows, y = example_table(estimator, n_rows=36)
    labels = y if is_regressor(estimator) else np.array(["a", "b", "c"])[np.asarray(y, dtype=int) % 3]
    yield from [(estimator, rows, labels), (estimator, rows.astype(np.float32), y), (estimator, csr_array(rows), y)]
    yield from [(estimator, pd.DataFrame(rows, columns=list("abcd")), y), (estimator, rows, np.column_stack([y, y]))]
    hints = get_type_hints(type(estimator).__init__, include_extras=True)
    for name, word in ((name, word) for name, hint in hints.items() for word in dict.fromkeys(words_of(hint))):
        if name in estimator.get_params():
            yield clone(estimator).set_params(**{name: word}), rows, y


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@over(public_names.estimators())
def test_a_model_of_any_option_passes_the_check_at_load(estimator):
    for changed, rows, y in variants(estimator):
        try:
            model = fitted(changed, rows, y)
        except Exception:  # Not every option goes with every table.
            continue
        check_stored(model)


@forks
def test_some_edits_of_model_files_end_well():
    names = ("AdaBoostClassifier", "AgglomerativeClustering", "GaussianNB", "KMeans", "KNeighborsClassifier", "SVC")
    assert bad_ends("12", *names) == []


@forks
@pytest.mark.slow
def test_all_edits_of_all_model_files_end_well():
    assert bad_ends("1") == []
