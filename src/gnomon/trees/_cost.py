"""The cost of a forest, and its fastest prediction for a single row.

    bytes = Σ over nodes of (16 + 26 + 8 K)       tests of a row = mean over trees of the depth of its leaf         (1)

Asadi, Lin & de Vries (2014), Runtime optimizations for tree-based machine learning models, doi:10.1109/TKDE.2013.73.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from time import perf_counter
from typing import Any

import numpy as np

from gnomon._typing import Floats
from gnomon.search import Forest

__all__ = ["ForestCost", "RowPredictor", "forest_cost"]


@dataclass(frozen=True)
class ForestCost:
    """The cost of a forest; `tree` is that of one of its trees, on average.

    ``print`` shows both side by side. Seconds of prediction are those of the rows that were given, if any.
    """

    n_trees: float
    nodes: float
    leaves: float
    bytes: float
    depth: float
    tests: float
    fit_seconds: float
    predict_seconds: float
    tree: "ForestCost | None" = None

    def __str__(self) -> str:
        columns = {"one tree": self} if self.tree is None else {"forest": self, "one tree": self.tree}
        lines = [f"{'':16}" + "".join(f"{name:>14}" for name in columns)]
        for name in (field.name for field in fields(self) if field.name != "tree"):
            values = (f"{getattr(cost, name):>14.6g}" for cost in columns.values())
            lines += [f"{name:16}" + "".join(values)]
        return "\n".join(lines)


def forest_cost(forest: Forest, fit_seconds: float, predict: Callable[[], object] | None = None) -> ForestCost:
    """The cost of a forest; `predict`, a function without arguments, is timed."""
    trees = [forest.tree(t) for t in range(len(forest))]
    T, whole = len(forest), forest.whole
    nodes, leaves = whole.node_count, whole.n_leaves
    arrays = (whole.nodes, whole.answers, whole.impurity, whole.weight, whole.n_rows, whole.missing, whole.ends)
    size = sum(array.nbytes for array in (*arrays, *(whole.tests.used or ())))
    depths = np.array([tree.max_depth for tree in trees])
    # A training row passes as many tests as its leaf is deep.
    tests = np.array([np.average(tree.depth[tree.is_leaf], weights=tree.weight[tree.is_leaf]) for tree in trees])
    seconds = np.nan if predict is None else _seconds(predict)
    depth, tested = float(np.mean(depths)), float(np.mean(tests))
    one = ForestCost(1, nodes / T, leaves / T, size / T, depth, tested, fit_seconds / T, seconds / T)
    return ForestCost(T, nodes, leaves, size, int(np.max(depths)), float(np.sum(tests)), fit_seconds, seconds, tree=one)


def _seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


class RowPredictor:
    """A function from one row to the prediction of a fitted forest; x, a float array of the right length, is unchecked.

    Categories are the numbers by which the forest's `coding_` codes them.
    """

    def __init__(self, forest: Forest, finish: Callable[[Floats], Any]):
        self._forest = forest
        self._finish = finish

    def __call__(self, x: Floats) -> Any:
        return self._finish(self._forest.sum_row(x))
