"""Candidates of this family for the command line: one readable tree, a forest, boosting.

Every `make` imports its class when it is called, so that registering is cheap. Regularisation is fixed and mild: the
report's own cross-validation compares the models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gnomon._registry import Candidate, Facts, Make, register, register_warmup
from gnomon._typing import Floats
from gnomon._words import Task

if TYPE_CHECKING:
    # Registering must not import the kernels.
    from gnomon.search import Tree

SHOWN_DEPTH = 4


def _leaf(facts: Facts, share: float = 0.01) -> int:
    """`min_samples_leaf` of a tree that is meant to be read."""
    return max(5, int(share * facts.n_rows))


def _size(facts: Facts) -> int:
    """Number of trees of a forest: fewer on a small table, where a fit should be quick."""
    return 100 if facts.n_rows < 1000 else 200


def _seeds(facts: Facts) -> int:
    """Runs of boosting whose mean is taken: each holds out other rows to say when to stop."""
    return 4 if facts.n_rows * max(1, facts.n_classes) <= MANY_ROWS else 2


MANY_ROWS = 20_000
"""Rows, each as often as there are classes, for which one run takes seconds."""


def _tree_classifier(facts, random_state):
    from gnomon.trees import DecisionTreeClassifier

    # A pseudo-count of one per class: a pure leaf would predict probability 0, which the log loss punishes.
    return DecisionTreeClassifier(min_samples_leaf=_leaf(facts), max_leaf_nodes=32, leaf_alpha=1.0)


def _tree_regressor(facts, random_state):
    from gnomon.trees import DecisionTreeRegressor

    return DecisionTreeRegressor(min_samples_leaf=_leaf(facts), max_leaf_nodes=32)


def _forest_classifier(facts, random_state):
    from gnomon.trees import RandomForestClassifier
    from gnomon.trees._spread_shares import SpreadShares

    return SpreadShares(RandomForestClassifier(_size(facts), min_samples_leaf=2, n_jobs=-1, random_state=random_state))


def _forest_regressor(facts, random_state):
    from gnomon.trees import RandomForestRegressor

    return RandomForestRegressor(
        _size(facts), min_samples_leaf=2, max_features=1 / 3, n_jobs=-1, random_state=random_state
    )


def _extra_classifier(facts, random_state):
    from gnomon.trees import ExtraTreesClassifier
    from gnomon.trees._spread_shares import SpreadShares

    return SpreadShares(
        ExtraTreesClassifier(2 * _size(facts), min_samples_leaf=2, n_jobs=-1, random_state=random_state)
    )


def _extra_regressor(facts, random_state):
    from gnomon.trees import ExtraTreesRegressor

    return ExtraTreesRegressor(
        2 * _size(facts), min_samples_leaf=2, max_features=1 / 2, n_jobs=-1, random_state=random_state
    )


def _boosting_classifier(facts, random_state):
    from gnomon.trees import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(early_stopping=True, max_iter=300, n_jobs=-1, random_state=random_state)


def _boosting_regressor(facts, random_state):
    from gnomon.trees import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(early_stopping=True, max_iter=300, n_jobs=-1, random_state=random_state)


def _slow_boosting_classifier(facts, random_state):
    from sklearn.ensemble import VotingClassifier

    from gnomon.trees import HistGradientBoostingClassifier

    return VotingClassifier(_runs(HistGradientBoostingClassifier, facts, random_state), voting="soft")


def _slow_boosting_regressor(facts, random_state):
    from sklearn.ensemble import VotingRegressor

    from gnomon.trees import HistGradientBoostingRegressor

    return VotingRegressor(_runs(HistGradientBoostingRegressor, facts, random_state))


def _runs(boosting: Any, facts: Facts, random_state: int | None) -> list[tuple[str, Any]]:
    """Boosting by small steps of small trees, with several seeds."""
    first = random_state or 0
    slow = partial(
        boosting,
        learning_rate=0.05,
        max_iter=600,
        max_leaf_nodes=15,
        min_samples_leaf=5 if facts.n_rows < 2000 else 20,
        l2_regularization=1.0,
        max_features=0.5,
        early_stopping=True,
        n_jobs=-1,
    )
    return [(f"seed {seed}", slow(random_state=seed)) for seed in range(first, first + _seeds(facts))]


def _forest_space(facts: Facts) -> dict[str, Any]:
    """Columns at a node and rows of a leaf: what makes trees alike, and how closely they follow the rows."""
    from scipy.stats import randint, uniform

    inside = "forest__" if facts.task == "classification" else ""
    return {f"{inside}max_features": uniform(0.1, 0.9), f"{inside}min_samples_leaf": randint(1, 11)}


def _boosting_space(facts: Facts) -> dict[str, Any]:
    """The length of a step, the size of a tree, and what holds its leaves back."""
    from scipy.stats import loguniform, randint, uniform

    return {
        "learning_rate": loguniform(0.02, 0.3),
        "max_leaf_nodes": randint(4, 64),
        "min_samples_leaf": randint(3, max(10, min(60, facts.n_rows // 20))),
        "l2_regularization": loguniform(1e-3, 30.0),
        "max_features": uniform(0.3, 0.7),
    }


def _rules(estimator, names, center, scale):
    """The upper part of a tree as text, with the names and units of the table."""
    from gnomon.search import tree_text

    words = replace(estimator.words_, names=tuple(names))
    tree = _in_units(estimator.tree_, center, scale)
    return tree_text(tree, words, decimals=3, max_depth=SHOWN_DEPTH)


def _in_units(tree: Tree, center: Floats, scale: Floats) -> Tree:
    """The tree with thresholds in the units of the columns before they were standardised."""
    nodes, inner = tree.nodes.copy(), ~tree.is_leaf
    column = nodes["feature"][inner]
    nodes["threshold"][inner] = nodes["threshold"][inner] * scale[column] + center[column]
    return replace(tree, nodes=nodes)


def _shares(estimator: Any) -> Floats:
    """Importances by impurity."""
    return estimator.feature_importances_


def _mean_shares(estimator: Any) -> Floats:
    """The mean of those of all runs."""
    return np.mean([run.feature_importances_ for run in estimator.estimators_], axis=0)


def _dense(facts: Facts) -> bool:
    return not facts.sparse and facts.n_rows >= 50


def _holds_out(facts: Facts) -> bool:
    """Whether the tenth of any fold that early stopping holds out can have a row of every class."""
    return _dense(facts) and facts.n_rows >= 15 * facts.n_classes


_BY_TASK: dict[Task, tuple[Make, Make, Make, Make, Make]] = {
    "classification": (
        _tree_classifier, _forest_classifier, _extra_classifier, _boosting_classifier, _slow_boosting_classifier,
    ),
    "regression": (
        _tree_regressor, _forest_regressor, _extra_regressor, _boosting_regressor, _slow_boosting_regressor,
    ),
}  # fmt: skip
for _task, (_tree, _forest, _extra, _boosting, _slow_boosting) in _BY_TASK.items():
    register(
        Candidate(
            "decision tree",
            _task,
            _tree,
            complexity=2.5,
            suits=_dense,
            rules=_rules,
            shares=_shares,
            levels="words",
            note="one tree of at most 32 leaves; its rules can be read",
        )
    )
    register(
        Candidate(
            "random forest",
            _task,
            _forest,
            complexity=6.0,
            suits=_dense,
            shares=_shares,
            levels="words",
            space=_forest_space,
            note="the mean of 100 or 200 trees, each grown on a resample of the rows with random columns at every node",
        )
    )
    register(
        Candidate(
            "extra trees",
            _task,
            _extra,
            complexity=6.2,
            suits=_dense,
            shares=_shares,
            levels="words",
            space=_forest_space,
            note="the mean of 200 or 400 trees with thresholds drawn at random, of which each node takes the best",
        )
    )
    register(
        Candidate(
            "gradient boosting",
            _task,
            _boosting,
            complexity=7.0,
            suits=_holds_out,
            shares=_shares,
            levels="words",
            space=_boosting_space,
            note="small trees added one after the other until held-out rows gain no more",
        )
    )
    register(
        Candidate(
            "gradient boosting by small steps",
            _task,
            _slow_boosting,
            complexity=7.5,
            suits=_holds_out,
            shares=_mean_shares,
            levels="words",
            note="the mean of two or four runs of boosting with smaller trees, smaller steps and half of the columns "
            "at every node",
        )
    )


class Shape(NamedTuple):
    """Rows, columns and different values of a table: they decide which kernels grow and ask a tree."""

    rows: int
    columns: int
    values: int | None = None


# Few rows have kernels of their own. Of many, columns have few codes (a byte each) or many; trees keep histograms or
# blocks that fit in the cache; the columns of forests are binned from 20 000 rows on.
FEW = (Shape(80, 3),)
MANY = Shape(2_500, 3), Shape(2_500, 3, values=9)
MOST = Shape(15_000, 10), Shape(21_000, 3), Shape(21_000, 30)


def _warm(make: Make, shapes: Sequence[Shape], numbers: bool, **fewer: int) -> None:
    """Fit a model to tables of all shapes, of numbers and with a column of words."""
    rng = np.random.default_rng(0)
    for shape in shapes:
        X = rng.normal(size=(shape.rows, shape.columns))
        X = X if shape.values is None else np.round(X * shape.values / 6.0)
        words = X.astype(object)
        words[:, 1] = np.where(X[:, 1] > 0, "up", "down")
        # Every tree tests the words.
        score = X[:, 0] + X[:, 1]
        targets = [score] if numbers else [score > 0, np.digitize(score, [-0.5, 0.5])]
        for rows, y in product((X, words), targets):
            facts = Facts("regression", *shape[:2]) if numbers else Facts("classification", *shape[:2], len(set(y)))
            model = make(facts, 0).set_params(**fewer).fit(rows, y)
            for some in (rows, rows[:50]):
                model.predict(some)


def _one_run(facts: Facts, random_state: int) -> Any:
    """Of boosting by small steps: all runs have the same kernels."""
    return _slow_boosting_regressor(facts, random_state).estimators[0][1]


_TREES, _ROUNDS = {"n_estimators": 2}, {"max_iter": 2}
for _name, _make, _many, _numbers, _fewer in (
    ("one tree, classes", _tree_classifier, MANY, False, {}),
    ("one tree, numbers", _tree_regressor, MANY, True, {}),
    ("forest, classes", _forest_classifier, MANY + MOST, False, {"forest__n_estimators": 2}),
    ("forest, numbers", _forest_regressor, MANY + MOST, True, _TREES),
    ("extra trees, classes", _extra_classifier, MANY, False, {"forest__n_estimators": 2}),
    ("extra trees, numbers", _extra_regressor, MANY, True, _TREES),
    ("boosting, classes", _boosting_classifier, MANY[:1], False, _ROUNDS),
    ("boosting, numbers", _boosting_regressor, MANY[:1], True, _ROUNDS),
):
    register_warmup(f"trees: {_name}", partial(_warm, _make, FEW, _numbers, **_fewer))
    register_warmup(f"large tables: {_name}", partial(_warm, _make, _many, _numbers, **_fewer))
# Of few rows these have the kernels of the jobs above.
for _name, _make, _many, _numbers, _fewer in (
    ("random cuts, classes", _extra_classifier, MOST, False, {"forest__n_estimators": 2}),
    ("random cuts, numbers", _extra_regressor, MOST, True, _TREES),
    # Where nodes draw columns, no histograms are kept; classes have the same kernels.
    ("boosting by small steps", _one_run, MANY[:1], True, _ROUNDS),
):
    register_warmup(f"large tables: {_name}", partial(_warm, _make, _many, _numbers, **_fewer))
