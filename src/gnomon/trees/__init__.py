"""Trees, ensembles and rules."""

from gnomon.trees.by_hand import HandTreeClassifier, HandTreeRegressor, Tree
from gnomon.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from gnomon.trees.forest import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from gnomon.trees.hist_gradient_boosting import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from gnomon.trees.impurities import impurity
from gnomon.trees.one_rule import OneRule, RuleTable
from gnomon.trees.prune_cv import PruningChoice, prune_cv

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "HandTreeClassifier",
    "HandTreeRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "OneRule",
    "PruningChoice",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RuleTable",
    "Tree",
    "impurity",
    "prune_cv",
]
