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
from gnomon.search.grow import grow_tree
from gnomon.search.order_criteria import AbsoluteError, CountsCriterion, PinballError
from gnomon.search.prune import PruningPath, prune_tree, pruning_path
from gnomon.search.tree import LEAF, NODE, Tests, Tree

__all__ = [
    "LEAF",
    "NODE",
    "AbsoluteError",
    "Columns",
    "CountsCriterion",
    "Criterion",
    "Entropy",
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
    "grow_tree",
    "keep_nodes",
    "midpoint",
    "prune_tree",
    "pruning_path",
]
