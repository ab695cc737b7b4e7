"""Trees, ensembles and rules."""

from __future__ import annotations

from gnomon.trees._data_check import DataCheck, data_check
from gnomon.trees._prune_cv import PruningChoice, prune_cv
from gnomon.trees._structure_stability import Stability, structure_stability
from gnomon.trees.adaboost import AdaBoostClassifier
from gnomon.trees.bagging import BaggingClassifier, BaggingRegressor
from gnomon.trees.by_hand import HandTreeClassifier, HandTreeRegressor, Tree
from gnomon.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from gnomon.trees.density import DensityForest, DensityTree
from gnomon.trees.forest import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from gnomon.trees.gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor
from gnomon.trees.hist_gradient_boosting import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from gnomon.trees.impurities import impurity
from gnomon.trees.one_rule import OneRule, RuleTable
from gnomon.trees.optimal_tree import OptimalTreeClassifier, OptimalTreeRegressor
from gnomon.trees.random_trees_embedding import RandomTreesEmbedding
from gnomon.trees.randomized_trees import RandomizedTreesClassifier, RandomizedTreesRegressor
from gnomon.trees.stump import DecisionStump

__all__ = [
    "AdaBoostClassifier",
    "BaggingClassifier",
    "BaggingRegressor",
    "DataCheck",
    "DecisionStump",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "DensityForest",
    "DensityTree",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "HandTreeClassifier",
    "HandTreeRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "OneRule",
    "OptimalTreeClassifier",
    "OptimalTreeRegressor",
    "PruningChoice",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomTreesEmbedding",
    "RandomizedTreesClassifier",
    "RandomizedTreesRegressor",
    "RuleTable",
    "Stability",
    "Tree",
    "data_check",
    "impurity",
    "prune_cv",
    "structure_stability",
]
