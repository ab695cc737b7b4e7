"""The cost of trees and ensembles, and the fastest prediction of a forest for a single row.

    bytes = Σ over nodes of (16 + 26 + 8 K)       tests of a row = Σ over trees of the depth of its leaf            (1)

Asadi, Lin & de Vries (2014), Runtime optimizations for tree-based machine learning models, doi:10.1109/TKDE.2013.73.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import wraps
from time import perf_counter
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Floats, Sparse, TableLike
from gnomon.search import Forest, Tree

__all__ = ["CostMixin", "Member", "RowPredictor", "TreeCost", "TreeTimes", "members_of", "predict_by", "timed"]

Fit = TypeVar("Fit", bound=Callable[..., Any])


@dataclass(frozen=True)
class TreeCost:
    """The cost of a tree or of an ensemble; `tree` is that of one of its trees, the one with the median of nodes.

    ``print`` shows both side by side. Every number is measured; seconds of prediction are those of the rows that were
    given, NaN without any, as are those of a fit that was not timed.
    """

    n_trees: int
    nodes: int
    leaves: int
    bytes: int
    depth: int
    tests: float
    fit_seconds: float
    predict_seconds: float
    tree: TreeCost | None = None

    def __str__(self) -> str:
        columns = {"one tree": self} if self.tree is None else {"ensemble": self, "one tree": self.tree}
        lines = [f"{'':16}" + "".join(f"{name:>14}" for name in columns)]
        for name in (field.name for field in fields(self) if field.name != "tree"):
            values = (f"{getattr(cost, name):>14.6g}" for cost in columns.values())
            lines += [f"{name:16}" + "".join(values)]
        return "\n".join(lines)


class Member(NamedTuple):
    """A tree of an ensemble, the seconds that it took to fit, and what predicts by it alone."""

    tree: Tree
    seconds: float
    predict: Callable[[Any], object]


def predict_by(tree: Tree, rows: Callable[[Any], Any]) -> Callable[[Any], object]:
    """What predicts by one tree alone, of rows as the ensemble reads them."""
    return lambda X: tree.predict(rows(X))


def members_of(
    models: Sequence[Any], predict: Iterable[Callable[[Any], object]], ended: Sequence[float] | Floats | None = None
) -> list[Member]:
    """Members that are trees, with the seconds of their fits, or the times at which they `ended` in turn."""
    trees = [vars(model).get("tree_") for model in models]
    if any(tree is None for tree in trees):
        raise ValueError(
            f"the members are {type(models[0]).__name__}, which are no trees, so that there are no nodes to count; "
            "summary is for ensembles of trees"
        )
    own = [vars(model).get("_fit_seconds", np.nan) for model in models]
    seconds = own if ended is None else np.diff(ended, prepend=0.0).tolist()
    return [Member(*each) for each in zip(trees, seconds, predict, strict=True)]


class CostMixin:
    """Adds `summary`; an ensemble lists its trees in `_members`, a single tree has none and a `tree_`."""

    tree_: Tree
    _ask = "predict"

    def summary(self, X: TableLike | Sparse | None = None) -> TreeCost:
        """The cost: nodes, leaves, bytes, depth, tests of a training row, seconds to fit and to predict.

        Parameters
        ----------
        X : table, optional
            Rows whose prediction is timed.

        Returns
        -------
        TreeCost
            Of an ensemble with that of one of its trees, measured alike, as `tree`.
        """
        check_is_fitted(self)
        members = self._members()
        trees = [member.tree for member in members] or [self.tree_]
        ask = getattr(self, self._ask)
        whole = _measured(trees, vars(self).get("_fit_seconds", np.nan), _seconds(ask, X))
        if not members:
            return whole
        one = members[int(np.argsort([tree.node_count for tree in trees], kind="stable")[len(trees) // 2])]
        return replace(whole, tree=_measured([one.tree], one.seconds, _seconds(one.predict, X)))

    def _members(self) -> Sequence[Member]:
        return ()


def timed(fit: Fit) -> Fit:
    """`fit`, which then says in `_fit_seconds` how long it took."""

    @wraps(fit)
    def fitted(self: Any, *args: Any, **options: Any) -> Any:
        start = perf_counter()
        found = fit(self, *args, **options)
        self._fit_seconds = perf_counter() - start
        return found

    return cast(Fit, fitted)


class TreeTimes:
    """Seconds that each tree of a forest took: from the drawing of its bag to its end, in one thread."""

    def __init__(self, bags: Any, seconds: Sequence[float]):
        self._bags, self._here, self.seconds = bags, threading.local(), dict(enumerate(seconds))

    @property
    def seeds(self) -> Sequence[int]:
        """Those of the bags."""
        return self._bags.seeds

    def counts(self, t: int) -> Floats:
        """Those of the bags; tree t begins."""
        self._here.t, self._here.start = t, perf_counter()
        return self._bags.counts(t)

    def stop(self) -> None:
        """The tree of this thread is done."""
        self.seconds[self._here.t] = perf_counter() - self._here.start


def _measured(trees: Sequence[Tree], fit_seconds: float, predict_seconds: float) -> TreeCost:
    """(1) of some trees together."""
    # A training row passes as many tests as its leaf is deep.
    tests = [np.average(tree.depth[tree.is_leaf], weights=tree.weight[tree.is_leaf]) for tree in trees]
    return TreeCost(
        len(trees), sum(tree.node_count for tree in trees), sum(tree.n_leaves for tree in trees),
        sum(map(_bytes, trees)), max(tree.max_depth for tree in trees), float(np.sum(tests)), fit_seconds,
        predict_seconds,
    )  # fmt: skip


def _bytes(tree: Tree) -> int:
    arrays = (tree.nodes, tree.answers, tree.impurity, tree.weight, tree.n_rows, tree.missing, tree.ends)
    return sum(array.nbytes for array in (*arrays, *(tree.tests.used or ())))


def _seconds(work: Callable[[Any], object], X: Any) -> float:
    if X is None:
        return float("nan")
    start = perf_counter()
    work(X)
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
