"""Forms of trees: what an estimator's options mean, and which grower supports them.

    cart  two branches, best gain                      (Breiman et al. 1984, doi:10.1201/9781315139470)
    id3   a branch for each value, each column once    (Quinlan 1986, doi:10.1007/BF00116251)
    c4.5  gain ratio, a branch for each value, numbers cut at data, fractional rows for missing values, pruned
                                                       (Quinlan 1993, ISBN 978-1-55860-238-0)                        (1)

An option that is None takes the default of the algorithm; any other value overrides it. Trees with two branches per
test are grown by the compiled `grow_tree`, or by `grow_in_place` if rows are many, where the criterion supports it
(`applicable_growers`); all others by `grow_general_tree`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np
from scipy import sparse

from gnomon._typing import Array, Matrix
from gnomon.base.coded_rows import Coding
from gnomon.numerics.domains import Domain
from gnomon.numerics.validation import check_choice
from gnomon.search import (
    Columns,
    Criterion,
    SumCriterion,
    Tree,
    applicable_growers,
    code_columns,
    data_thresholds,
    grow_general_tree,
    grow_in_place,
    grow_tree,
)
from gnomon.search.traverse import as_dense
from gnomon.trees._oblique import DIRECTIONS, Direction

__all__ = [
    "Algorithm",
    "CategoricalSplit",
    "MissingRule",
    "NumericTest",
    "PruningRule",
    "ThresholdPlace",
    "TreeForm",
    "grow_form",
    "smooth_answers",
    "tree_form",
]

Algorithm: TypeAlias = Literal["cart", "id3", "c4.5"]
CategoricalSplit: TypeAlias = Literal["subset", "multiway", "equality"]
NumericTest: TypeAlias = Literal["le", "three_way"]
ThresholdPlace: TypeAlias = Literal["midpoint", "data"]
MissingRule: TypeAlias = Literal["own_value", "most_frequent", "median", "mean", "surrogate", "fractional"]
PruningRule: TypeAlias = Literal["none", "reduced_error", "error_based", "pessimistic"]

IN_PLACE_FROM = 5000
"""Rows from which exact trees of numbers are grown without codes."""


class TreeForm(NamedTuple):
    """The options of an estimator, with the defaults of its algorithm filled in."""

    categorical_split: CategoricalSplit = "subset"
    threshold: ThresholdPlace = "midpoint"
    reuse_features: bool = True
    missing: MissingRule = "own_value"
    pruning: PruningRule = "none"
    choice: Literal["gain", "gain_ratio", "c4.5"] = "gain"
    declared: bool = False
    numeric_test: NumericTest = "le"
    oblique: Direction | None = None


ALGORITHMS = {
    "cart": TreeForm(),
    "id3": TreeForm(categorical_split="multiway", reuse_features=False, declared=True),
    "c4.5": TreeForm("multiway", "data", True, "fractional", "error_based", "c4.5"),
}
WORDS: dict[str, tuple[Any, ...]] = {
    "categorical_split": ("subset", "multiway", "equality"),
    "threshold": ("midpoint", "data"),
    "reuse_features": (True, False),
    "missing": ("own_value", "most_frequent", "median", "mean", "surrogate", "fractional"),
    "pruning": ("none", "reduced_error", "error_based", "pessimistic"),
}


def tree_form(estimator: Any, algorithm: Algorithm = "cart") -> TreeForm:
    """The form of tree that the parameters of an estimator select."""
    form = ALGORITHMS[check_choice("algorithm", algorithm, ALGORITHMS)]
    for name, words in WORDS.items():
        given = vars(estimator).get(name)
        if given is not None:
            form = form._replace(**{name: check_choice(name, given, words)})
    if estimator.criterion == "gain_ratio":
        form = form._replace(choice="gain_ratio")
    oblique = (
        DIRECTIONS[check_choice("oblique", estimator.oblique, DIRECTIONS)] if estimator.split == "oblique" else None
    )
    return form._replace(numeric_test=estimator.numeric_test, oblique=oblique)


def grow_form(
    form: TreeForm,
    X: Matrix,
    y: Array,
    criterion: Criterion,
    coding: Coding,
    bins: int | None,
    n_jobs: int | None,
    **options: Any,
) -> Tree:
    """Grow a tree of the form; `n_jobs` affects the compiled growers only."""
    if form.declared and not np.all(coding.category):
        numbers = np.flatnonzero(~coding.category).tolist()
        raise ValueError(
            f"algorithm='id3' takes categories only, and columns {numbers} are numbers; name them in "
            "categorical_features, cut them into classes, or choose algorithm='c4.5', which cuts numbers itself"
        )
    if bins is None and _needs_no_codes(form, X, criterion, coding, options):
        limits = {name: options[name] for name in LIMITS}
        tree = grow_in_place(as_dense(X), y, cast(SumCriterion, criterion), n_jobs=n_jobs, **limits)
        return replace(tree, class_counts=criterion.class_counts)
    columns = code_columns(X, category=coding.category, bins=bins, n_jobs=n_jobs)
    if _is_general(form, criterion):
        tree = _general(form, columns, y, criterion, coding.domains, options)
    else:
        split: Literal["equality", "subset"] = "equality" if form.categorical_split == "equality" else "subset"
        summed = cast(SumCriterion, criterion)
        tree = grow_tree(columns, y, summed, categorical_split=split, n_jobs=n_jobs, **options)
    tree = replace(tree, class_counts=criterion.class_counts)
    return data_thresholds(tree, columns, options["sample_weight"]) if form.threshold == "data" else tree


LIMITS = (
    "sample_weight", "max_depth", "min_samples_split", "min_samples_leaf", "min_weight_leaf", "min_impurity", "min_gain"
)  # fmt: skip
"""Options that `grow_in_place` has too."""


def _needs_no_codes(form: TreeForm, X: Matrix, criterion: Criterion, coding: Coding, options: dict[str, Any]) -> bool:
    """Whether `grow_in_place` supports the tree, and there are enough rows for it to be faster."""
    return (
        "grow_in_place" in applicable_growers(criterion)
        and not (_is_general(form, criterion) or sparse.issparse(X) or np.any(coding.category))
        and X.shape[0] > IN_PLACE_FROM
        and form.threshold == "midpoint"
        and options["splitter"] == "best"
        and options["max_features"] == X.shape[1]
        and options["max_leaf_nodes"] is None
        and not np.any(options["monotone"])
    )


def _is_general(form: TreeForm, criterion: Criterion) -> bool:
    """Whether the tree needs `grow_general_tree`."""
    return (
        "grow_tree" not in applicable_growers(criterion)
        or form.choice != "gain"
        or form.categorical_split == "multiway"
        or form.numeric_test != "le"
        or not form.reuse_features
        or form.missing in ("fractional", "surrogate")
        or form.oblique is not None
    )


def _general(
    form: TreeForm,
    columns: Columns,
    y: Array,
    criterion: Criterion,
    domains: tuple[Domain | None, ...],
    options: dict[str, Any],
) -> Tree:
    sizes = np.array([domain.size if domain is not None else 0 for domain in domains])
    return grow_general_tree(
        columns, y, criterion, categorical_split=form.categorical_split, numeric_test=form.numeric_test,
        choice=form.choice, reuse_features=form.reuse_features, oblique=form.oblique,
        missing=form.missing if form.missing in ("fractional", "surrogate") else "own_value",
        declared=sizes if form.declared else None, **options,
    )  # fmt: skip


def smooth_answers(tree: Tree, alpha: float) -> Tree:
    """Class frequencies with α added to the weight of every class: (n_k + α) / (n + α K)."""
    counts = tree.answers * tree.weight[:, None] + alpha
    answers = counts / np.sum(counts, axis=1, keepdims=True)
    for node in np.flatnonzero(tree.weight == 0.0):
        # A declared value without rows takes the frequencies of its parent.
        answers[node] = answers[tree.parent[node]]
    return tree.with_answers(answers)
