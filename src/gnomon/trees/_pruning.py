"""The pruning that an estimator's parameters ask for.

    grow on some rows  →  "reduced_error" by the others, "error_based" or "pessimistic" by the same  →  R_α          (1)

Quinlan (1987), doi:10.1016/S0020-7373(87)80053-6; Quinlan (1993), C4.5: Programs for Machine Learning, chapter 4;
Breiman et al. (1984), doi:10.1201/9781315139470, for R_α. `gnomon.search` holds the methods.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats, Integers, Matrix
from gnomon.base.coded_rows import new_rows
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_choice
from gnomon.search import (
    Criterion,
    Tree,
    prune_error_based,
    prune_pessimistic,
    prune_reduced_error,
    prune_tree,
    refit_nodes,
)
from gnomon.search.reduced_error import HeldOutLoss
from gnomon.trees._fill import filled
from gnomon.trees._forms import PruningRule

__all__ = ["PruningLoss", "PruningRows", "apply_pruning", "codes_of", "split_off_pruning_rows"]

PruningLoss: TypeAlias = Literal["impurity", "misclassification"]


class PruningRows(NamedTuple):
    """Held-out rows by which a tree is pruned."""

    X: Matrix
    y: Array
    weights: Floats


def codes_of(labels: ArrayLike, classes: Array) -> Integers:
    """The index of each label among the classes; −1, which no leaf answers, for one that is none of them."""
    labels = np.asarray(labels)
    index = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    return np.where(classes[index] == labels, index, -1)


def split_off_pruning_rows(
    estimator: Any, X: Matrix, y: Array, weights: Floats, coded: Callable[[Any], Array]
) -> tuple[Floats, PruningRows | None]:
    """(weights of the growing rows, rows held out for pruning or None); `coded` turns labels into coded targets."""
    if estimator.pruning != "reduced_error":
        return weights, None
    if estimator.validation is not None:
        rows, targets = estimator.validation
        rows = new_rows(estimator, rows)
        if "fill_values_" in vars(estimator):
            rows = filled(rows, estimator._fill_codes)
        return weights, PruningRows(rows, coded(targets), np.ones(rows.shape[0]))
    used = np.flatnonzero(weights)
    count = min(max(1, round(estimator.validation_fraction * len(used))), len(used) - 1)
    held = check_rng(estimator.random_state).permutation(used)[:count]
    growing = weights.copy()
    growing[held] = 0.0
    return growing, PruningRows(X[held], y[held], weights[held])


def apply_pruning(
    estimator: Any,
    tree: Tree,
    X: Matrix,
    y: Array,
    criterion: Criterion,
    weights: Floats,
    held: PruningRows | None,
    pruning: PruningRule,
) -> Tree:
    """The tree after `pruning`, `refit_leaves` and `ccp_alpha`."""
    known = PRUNERS if criterion.classes else ("none", "reduced_error")
    pruner = PRUNERS[check_choice("pruning", pruning, known)]
    tree = pruner(estimator, tree, X, y, criterion, weights, held)
    alpha = estimator.ccp_alpha
    # At α = 0 nothing is pruned, as in scikit-learn: below a split without gain there may be one with gain.
    return prune_tree(tree, alpha, loss=estimator.pruning_loss) if alpha > 0.0 else tree


def _none(
    estimator: Any, tree: Tree, X: Matrix, y: Array, criterion: Criterion, weights: Floats, held: PruningRows | None
) -> Tree:
    return tree


def _reduced_error(
    estimator: Any, tree: Tree, X: Matrix, y: Array, criterion: Criterion, weights: Floats, held: PruningRows
) -> Tree:
    loss: HeldOutLoss = "misclassification" if criterion.classes else "squared_error"
    tree = prune_reduced_error(tree, held.X, held.y, loss=loss, sample_weight=held.weights)
    return refit_nodes(tree, X, y, criterion, sample_weight=weights) if estimator.refit_leaves else tree


def _error_based(
    estimator: Any, tree: Tree, X: Matrix, y: Array, criterion: Criterion, weights: Floats, held: PruningRows | None
) -> Tree:
    return prune_error_based(tree, X, y, criterion, cf=estimator.cf, sample_weight=weights)


def _pessimistic(
    estimator: Any, tree: Tree, X: Matrix, y: Array, criterion: Criterion, weights: Floats, held: PruningRows | None
) -> Tree:
    return prune_pessimistic(tree)


PRUNERS: dict[str, Callable[..., Tree]] = {
    "none": _none,
    "reduced_error": _reduced_error,
    "error_based": _error_based,
    "pessimistic": _pessimistic,
}
