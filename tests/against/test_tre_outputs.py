"""Trees and forests of several outputs beside scikit-learn's: the same trees, shapes and scores."""

import numpy as np
import pytest
from sklearn import ensemble
from sklearn import tree as peers
from sklearn.datasets import load_wine, make_multilabel_classification
from sklearn.multioutput import MultiOutputClassifier

from gnomon.io import load, save
from gnomon.search import Entropy, Gini, SeveralOutputs, code_columns, grow_general_tree, grow_tree
from gnomon.trees import (
    DecisionTreeClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomizedTreesClassifier,
    _forest,
)
from stable_ids import stable_repr

WINE, KIND = load_wine(return_X_y=True)
WINE = WINE.astype(np.float32)
STRONG = np.where(WINE[:, 0] + np.random.default_rng(0).normal(size=len(KIND)) > 13.0, "strong", "mild")
PAIR = np.column_stack([np.array(["ash", "birch", "cedar"])[KIND], STRONG])
TAGGED, TAGS = make_multilabel_classification(150, 8, n_classes=4, random_state=0)


def agrees(options, X, Y, **fitting):
    ours = DecisionTreeClassifier(**options).fit(X, Y, **fitting)
    for state in range(20):
        theirs = peers.DecisionTreeClassifier(random_state=state, **options).fit(X, Y, **fitting)
        same = theirs.tree_.node_count == ours.tree_.node_count
        if same and all(np.allclose(a, b) for a, b in zip(ours.predict_proba(X), theirs.predict_proba(X), strict=True)):
            return ours, theirs
    raise AssertionError(f"no state gives our tree of {ours.tree_.node_count} nodes")


OPTIONS = [
    {"max_depth": 3},
    {"criterion": "entropy", "max_depth": 3},
    {"min_samples_leaf": 8},
    {"max_leaf_nodes": 6},
    {"ccp_alpha": 0.02},
    {"class_weight": "balanced", "max_depth": 2},
    {"class_weight": [{"ash": 1, "birch": 2, "cedar": 3}, {"strong": 2, "mild": 1}], "max_depth": 2},
]


@pytest.mark.spec("TRE-006", "TRE-025")
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_trees_are_scikit_learns(options):
    weights = np.random.default_rng(1).integers(1, 4, len(KIND)).astype(float)
    ours, theirs = agrees(options, WINE, PAIR, sample_weight=weights)
    np.testing.assert_array_equal(ours.predict(WINE), theirs.predict(WINE))
    ends = [(model.tree_, model.apply(WINE)) for model in (ours, theirs)]
    np.testing.assert_allclose(*(tree.value[leaf] for tree, leaf in ends), atol=1e-9)
    np.testing.assert_allclose(*(np.sort(tree.impurity) for tree, _ in ends), atol=1e-9)
    np.testing.assert_array_equal(ours.tree_.n_classes, theirs.tree_.n_classes)
    assert (ours.tree_.n_outputs, ours.tree_.max_n_classes, ours.n_outputs_) == (2, 3, 2)
    np.testing.assert_allclose(*(np.sort(model.feature_importances_) for model in (ours, theirs)), atol=1e-9)
    assert ours.n_classes_.tolist() == theirs.n_classes_.tolist()
    for a, b in zip(ours.classes_, theirs.classes_, strict=True):
        np.testing.assert_array_equal(a, b)
    for logs, shares in zip(ours.predict_log_proba(WINE), ours.predict_proba(WINE), strict=True):
        np.testing.assert_allclose(np.exp(logs), shares)


@pytest.mark.spec("TRE-006")
def test_labels_that_are_marks_are_learned_too():
    ours, theirs = agrees({"max_depth": 4}, TAGGED, TAGS)
    assert ours.score(TAGGED, TAGS) == theirs.score(TAGGED, TAGS)
    paths = [model.cost_complexity_pruning_path(TAGGED, TAGS).ccp_alphas for model in (ours, theirs)]
    np.testing.assert_allclose(*(np.unique(alphas.round(9)) for alphas in paths), atol=1e-8)


@pytest.mark.spec("TRE-006", "TRE-059")
@pytest.mark.parametrize("forest", [False, True])
def test_equal_outputs_give_the_tree_of_one(forest):
    same = np.column_stack([KIND, KIND])
    cls, options = (RandomForestClassifier, {"n_estimators": 5}) if forest else (DecisionTreeClassifier, {})
    one, two = (cls(random_state=0, **options).fit(WINE, y) for y in (KIND, same))
    for shares in two.predict_proba(WINE):
        np.testing.assert_allclose(shares, one.predict_proba(WINE), atol=1e-12)
    np.testing.assert_array_equal(two.predict(WINE), np.column_stack([one.predict(WINE)] * 2))


@pytest.mark.slow
@pytest.mark.spec("TRE-059", "TRE-060")
@pytest.mark.parametrize("name", ["RandomForestClassifier", "ExtraTreesClassifier"])
def test_forests_are_as_accurate(name):
    X, Y = make_multilabel_classification(900, 12, n_classes=4, random_state=1)
    test = np.arange(len(X)) % 3 == 0
    scores = []
    for cls in ({"RandomForestClassifier": RandomForestClassifier, "ExtraTreesClassifier": ExtraTreesClassifier}[name],
                getattr(ensemble, name)):  # fmt: skip
        model = cls(40, random_state=0).fit(X[~test], Y[~test])
        scores.append(np.mean(model.predict(X[test]) == Y[test]))
    assert scores[0] == pytest.approx(scores[1], abs=0.02)


@pytest.mark.spec("TRE-059", "TRE-062", "TRE-050")
def test_forests_of_several_outputs_have_the_shapes_of_scikit_learns():
    options = {"n_estimators": 40, "oob_score": True, "random_state": 0}
    ours = RandomForestClassifier(class_weight="balanced_subsample", **options).fit(TAGGED, TAGS)
    theirs = ensemble.RandomForestClassifier(class_weight="balanced_subsample", **options).fit(TAGGED, TAGS)
    assert ours.oob_decision_function_.shape == theirs.oob_decision_function_.shape == (150, 2, 4)
    np.testing.assert_allclose(ours.oob_decision_function_.sum(axis=1), 1.0)
    assert ours.oob_score_ == pytest.approx(theirs.oob_score_, abs=0.1)
    assert ours.oob_score_ == pytest.approx(1.0 - ours.oob_errors_[-1])
    chosen = ours.oob_decision_function_.argmax(axis=1)
    assert ours.oob_score_ == pytest.approx(np.mean(np.all(chosen == TAGS, axis=1)))
    assert [some.shape for some in ours.predict_proba(TAGGED)] == [(150, 2)] * 4
    assert ours.n_classes_ == theirs.n_classes_
    assert ours.predict(TAGGED).shape == ours.estimators_[0].predict(TAGGED).shape == (150, 4)
    assert ours.score(TAGGED, TAGS) > 0.9
    assert ours.importance("oob_permutation", TAGGED, TAGS, random_state=0).mean.max() > 0.0
    assert ours.staged_errors(TAGGED, TAGS).shape == (40,)
    predict_row = ours.compile_row()
    np.testing.assert_array_equal([predict_row(x) for x in TAGGED[:9]], ours.predict(TAGGED[:9]))
    words = RandomForestClassifier(5, oob_score=lambda y, found: np.mean(y == found), random_state=0)
    with pytest.warns(UserWarning, match="grow more trees"):
        words.fit(WINE, PAIR)
    assert words.oob_score_ > 0.7
    assert set(np.unique(words.predict(WINE)[:, 1])) == {"strong", "mild"}


@pytest.mark.spec("TRE-006")
@pytest.mark.parametrize("kind", [Gini, Entropy])
def test_both_splitters_grow_the_same_tree_of_several_outputs(kind):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, (80, 3)).astype(float)
    y = np.column_stack([rng.integers(0, 3, 80), (X[:, 0] > 2).astype(int)]).astype(np.int32)
    columns = code_columns(X)
    criterion, options = SeveralOutputs.of(kind, (3, 2)), {"min_samples_leaf": 4}
    one, other = grow_tree(columns, y, criterion, **options), grow_general_tree(columns, y, criterion, **options)
    np.testing.assert_array_equal(one.feature, other.feature)
    np.testing.assert_allclose(one.answers, other.answers)
    by_hand = np.mean([kind(3).worths(np.column_stack([one.n_rows, one.answers[:, o : o + 3] * one.weight[:, None]]))
                       for o in (0, 3)], axis=0)  # fmt: skip
    np.testing.assert_allclose(one.impurity * one.weight, -by_hand, atol=1e-9)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (DecisionTreeClassifier(criterion=lambda counts: 1.0), "criterion"),
        (DecisionTreeClassifier(split="oblique"), "oblique"),
        (DecisionTreeClassifier(leaf_model="linear"), "leaf_model"),
        (DecisionTreeClassifier(leaf_alpha=1.0), "leaf_alpha"),
        (DecisionTreeClassifier(pruning="pessimistic"), "pruning"),
        (DecisionTreeClassifier(algorithm="c4.5"), "pruning"),
        (DecisionTreeClassifier(pruning_loss="misclassification"), "pruning_loss"),
        (DecisionTreeClassifier(monotonic_cst=[1] + [0] * 12), "monotonic_cst"),
        (DecisionTreeClassifier(class_weight={"ash": 1}), "list of 2 dicts"),
        (RandomForestClassifier(voting="hard"), "voting"),
    ],
    ids=stable_repr,
)
def test_what_goes_with_one_output_is_refused_by_name(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(WINE, PAIR)


def test_models_of_several_outputs_are_saved_and_searched(tmp_path):
    for model in (DecisionTreeClassifier(max_depth=3), RandomizedTreesClassifier(4, random_state=0)):
        save(model.fit(WINE, PAIR), tmp_path / "model.skops")
        np.testing.assert_array_equal(load(tmp_path / "model.skops").predict(WINE), model.predict(WINE))
    assert _forest.ForestClassifier.__sklearn_tags__(RandomForestClassifier()).classifier_tags.multi_label
    alone = MultiOutputClassifier(DecisionTreeClassifier(max_depth=2)).fit(WINE, PAIR)
    assert alone.predict(WINE).shape == PAIR.shape


def test_several_outputs_have_no_words():
    tree = DecisionTreeClassifier(max_depth=2).fit(WINE, PAIR)
    for tell in (tree.to_rules, tree.export_text, lambda: tree.explain(WINE[0])):
        with pytest.raises(ValueError, match="goes with one output, and y has 2"):
            tell()
    assert tree.importance("depth").shape == (13,)
