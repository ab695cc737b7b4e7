"""The cost of a forest, and its fastest prediction for a single row.

    bytes = Σ over nodes of (16 + 26 + 8 K)       tests of a row = mean over trees of the depth of its leaf         (1)

Asadi, Lin & de Vries (2014), Runtime optimizations for tree-based machine learning models, doi:10.1109/TKDE.2013.73.
"""

from dataclasses import asdict, dataclass
from time import perf_counter

import numpy as np

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

    def __str__(self):
        mine = {name: value for name, value in asdict(self).items() if name != "tree"}
        one = asdict(self.tree)
        lines = [f"{'':16}{'forest':>14}{'one tree':>14}"]
        lines += [f"{name:16}{value:>14.6g}{one[name]:>14.6g}" for name, value in mine.items()]
        return "\n".join(lines)


def forest_cost(forest, fit_seconds, predict=None):
    """The cost of a forest; `predict`, a function without arguments, is timed."""
    trees = [forest.tree(t) for t in range(len(forest))]
    T, whole = len(forest), forest.whole
    arrays = (whole.nodes, whole.answers, whole.impurity, whole.weight, whole.n_rows, whole.missing, whole.ends)
    size = sum(array.nbytes for array in (*arrays, *whole.tests.arrays))
    depths = np.array([tree.max_depth for tree in trees])
    # A training row passes as many tests as its leaf is deep.
    tests = np.array([np.average(tree.depth[tree.is_leaf], weights=tree.weight[tree.is_leaf]) for tree in trees])
    seconds = np.nan if predict is None else _seconds(predict)
    counts = (whole.node_count, whole.n_leaves, size)
    one = ForestCost(
        1, *(count / T for count in counts), np.mean(depths), np.mean(tests), fit_seconds / T, seconds / T
    )  # fmt: skip
    return ForestCost(T, *counts, int(np.max(depths)), np.sum(tests), fit_seconds, seconds, tree=one)


def _seconds(work):
    start = perf_counter()
    work()
    return perf_counter() - start


class RowPredictor:
    """A function from one row to the prediction of a fitted forest; x, a float array of the right length, is unchecked.

    Categories are the numbers by which the forest's `coding_` codes them.
    """

    def __init__(self, forest, finish):
        self._forest = forest
        self._finish = finish

    def __call__(self, x):
        return self._finish(self._forest.sum_row(x))
