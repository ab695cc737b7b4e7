"""Trees, ensembles and rules."""

from gnomon.search import Tree
from gnomon.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from gnomon.trees.forest import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from gnomon.trees.impurities import impurity

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Tree",
    "impurity",
]
