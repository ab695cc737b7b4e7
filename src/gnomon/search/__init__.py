"""Search: growing, reading and pruning trees."""

from gnomon.search.columns import Columns, code_columns, midpoint
from gnomon.search.criteria import (
    Criterion,
    Entropy,
    Gini,
    Misclassification,
    Newton,
    PoissonDeviance,
    SquaredError,
)
from gnomon.search.cut import cut_at, keep_nodes
from gnomon.search.error_based import prune_error_based, upper_error_rate
from gnomon.search.forest import Bags, Forest, grow_forest
from gnomon.search.grow import grow_tree
from gnomon.search.order_criteria import AbsoluteError, CountsCriterion, PinballError
from gnomon.search.pessimistic import prune_pessimistic
from gnomon.search.prune import PruningPath, prune_tree, pruning_path
from gnomon.search.reduced_error import prune_reduced_error
from gnomon.search.refit import refit_nodes
from gnomon.search.tree import LEAF, NODE, Tests, Tree

__all__ = [
    "LEAF",
    "NODE",
    "AbsoluteError",
    "Bags",
    "Columns",
    "CountsCriterion",
    "Criterion",
    "Entropy",
    "Forest",
    "Gini",
    "Misclassification",
    "Newton",
    "PoissonDeviance",
    "PruningPath",
    "SquaredError",
    "Tests",
    "Tree",
    "code_columns",
    "cut_at",
    "grow_forest",
    "grow_tree",
    "keep_nodes",
    "midpoint",
    "prune_error_based",
    "prune_pessimistic",
    "prune_reduced_error",
    "prune_tree",
    "pruning_path",
    "refit_nodes",
    "upper_error_rate",
]
