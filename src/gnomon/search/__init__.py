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
from gnomon.search.grow import grow_tree
from gnomon.search.tree import LEAF, NODE, Tests, Tree

__all__ = [
    "LEAF",
    "NODE",
    "Columns",
    "Criterion",
    "Entropy",
    "Gini",
    "Misclassification",
    "Newton",
    "PoissonDeviance",
    "SquaredError",
    "Tests",
    "Tree",
    "code_columns",
    "grow_tree",
    "midpoint",
]
