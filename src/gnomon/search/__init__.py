"""Search: growing, reading and pruning trees."""

from __future__ import annotations

from gnomon._jit import noun
from gnomon.search._adaboost import AdaBoosted, adaboost
from gnomon.search._boost import Boosted, BoostingPlan, Round, boost
from gnomon.search._criterion import Criterion, SumCriterion
from gnomon.search._grouped import Groups, Parts
from gnomon.search._grow import grow_tree
from gnomon.search._grow_in_place import grow_in_place
from gnomon.search._growers import applicable_growers
from gnomon.search._merge_tree import LINKAGES, SQUARED, Linkage, merge_rows, merge_tree
from gnomon.search._optimal_tree import OptimalTree, optimal_tree
from gnomon.search._tree_text import tree_text
from gnomon.search.assemble import Fork, assemble_tree
from gnomon.search.by_hand import read_tree
from gnomon.search.class_criteria import ClassCriterion, Entropy, Gini, Misclassification
from gnomon.search.columns import Columns, code_columns, midpoint
from gnomon.search.conditions import Interval, OneOf
from gnomon.search.criteria import Newton, PoissonDeviance, SquaredError
from gnomon.search.cut import cut_at, keep_nodes
from gnomon.search.density import Cells, density_cells, grow_density_tree, measure_density
from gnomon.search.error_based import prune_error_based, upper_error_rate
from gnomon.search.explain import Step, TreeExplanation, contributions, explain_forest, explain_row
from gnomon.search.forest import Bags, Forest, grow_forest
from gnomon.search.grow_general import ColumnScore, data_thresholds, grow_general_tree, score_columns
from gnomon.search.importance import Importances, forest_importance, tree_importance
from gnomon.search.multi_criteria import SeveralOutputs
from gnomon.search.one_rule import ColumnRule, column_rule
from gnomon.search.order_criteria import AbsoluteError, CountsCriterion, PinballError
from gnomon.search.pessimistic import prune_pessimistic
from gnomon.search.prune import PruningPath, prune_tree, pruning_path
from gnomon.search.reduced_error import prune_reduced_error
from gnomon.search.refit import refit_nodes
from gnomon.search.rules import Rule, Rules, tree_rules
from gnomon.search.tree import LEAF, NODE, Tests, Tree
from gnomon.search.walk import leaf_weights
from gnomon.search.words import Words

__all__ = [
    "LEAF",
    "LINKAGES",
    "NODE",
    "SQUARED",
    "AbsoluteError",
    "AdaBoosted",
    "Bags",
    "Boosted",
    "BoostingPlan",
    "Cells",
    "ClassCriterion",
    "ColumnRule",
    "ColumnScore",
    "Columns",
    "CountsCriterion",
    "Criterion",
    "Entropy",
    "Forest",
    "Fork",
    "Gini",
    "Groups",
    "Importances",
    "Interval",
    "Linkage",
    "Misclassification",
    "Newton",
    "OneOf",
    "OptimalTree",
    "Parts",
    "PinballError",
    "PoissonDeviance",
    "PruningPath",
    "Round",
    "Rule",
    "Rules",
    "SeveralOutputs",
    "SquaredError",
    "Step",
    "SumCriterion",
    "Tests",
    "Tree",
    "TreeExplanation",
    "Words",
    "adaboost",
    "applicable_growers",
    "assemble_tree",
    "boost",
    "code_columns",
    "column_rule",
    "contributions",
    "cut_at",
    "data_thresholds",
    "density_cells",
    "explain_forest",
    "explain_row",
    "forest_importance",
    "grow_density_tree",
    "grow_forest",
    "grow_general_tree",
    "grow_in_place",
    "grow_tree",
    "keep_nodes",
    "leaf_weights",
    "measure_density",
    "merge_rows",
    "merge_tree",
    "midpoint",
    "noun",
    "optimal_tree",
    "prune_error_based",
    "prune_pessimistic",
    "prune_reduced_error",
    "prune_tree",
    "pruning_path",
    "read_tree",
    "refit_nodes",
    "score_columns",
    "tree_importance",
    "tree_rules",
    "tree_text",
    "upper_error_rate",
]
