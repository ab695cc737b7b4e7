"""Trees, ensembles and rules."""

from gnomon.search import Tree
from gnomon.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "Tree",
]
