"""How much the structure of a tree changes when the rows are drawn again.

    same root    share of pairs of resamples whose trees test the same column first                                  (1)
    Jaccard      mean over pairs of Σ min(a, b) / Σ max(a, b), with a and b the shares of trees that test            (2)
                 column j at depth d, over all (j, d)

Of single trees the shares are 0 or 1, and (2) is the usual index of two sets of tests. Breiman (1996), Heuristics of
instability and stabilization in model selection, doi:10.1214/aos/1032181158.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from gnomon._typing import ArrayLike, Floats, RandomState, Sparse, TableLike
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.random import check_rng, resamples
from gnomon.numerics.validation import check_integer
from gnomon.search import Tree

__all__ = ["Stability", "structure_stability"]

TestShares: TypeAlias = dict[tuple[int, int], float]
"""Shares of trees that test a column at a depth."""


class Stability(NamedTuple):
    """What `structure_stability` found.

    Parameters
    ----------
    root : ndarray of shape (n_features,)
        Share of trees that test each column first; the rest have no test.
    same_root : float
        Equation (1); of a forest the root is the column that most of its trees test first.
    jaccard : float
        Equation (2).
    depth : ndarray of shape (n_resamples,)
        Depth of the tree of each resample, the mean depth of a forest.

    References
    ----------
    Breiman, L. (1996). Heuristics of instability and stabilization in model selection. doi:10.1214/aos/1032181158

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.trees import Stability
    >>> Stability(np.array([0.9, 0.1]), 0.8, 0.4, np.array([3, 4])).same_root
    0.8
    """

    root: Floats
    same_root: float
    jaccard: float
    depth: Floats


@overload
def structure_stability(
    estimator: Mapping[str, BaseEstimator], X: TableLike | Sparse, y: ArrayLike, *, n_resamples: int = 30,
    n_jobs: int | None = None, random_state: RandomState = None,
) -> dict[str, Stability]: ...  # fmt: skip
@overload
def structure_stability(
    estimator: BaseEstimator, X: TableLike | Sparse, y: ArrayLike, *, n_resamples: int = 30, n_jobs: int | None = None,
    random_state: RandomState = None,
) -> Stability: ...  # fmt: skip
def structure_stability(
    estimator: BaseEstimator | Mapping[str, BaseEstimator],
    X: TableLike | Sparse,
    y: ArrayLike,
    *,
    n_resamples: int = 30,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> Stability | dict[str, Stability]:
    """Fit trees or forests to bootstrap samples and compare the structures.

    Parameters
    ----------
    estimator : estimator, or dict of estimators by name
        With a `tree_`, or with `estimators_` that have one, after `fit`. Those of a dict, such as a tree and a forest,
        are fitted to the same samples, and with the same seeds where they have none of their own, so that they can be
        read side by side.
    X, y : table and targets
    n_resamples : int, default=30
        Number of bootstrap samples.
    n_jobs : int, optional
        Threads, over samples.
    random_state : None, int, Generator or RandomState
        Draws the samples, and the seed of each fit where that of the estimator is None.

    Returns
    -------
    Stability, or dict of them by name

    References
    ----------
    Breiman, L. (1996). Heuristics of instability and stabilization in model selection. doi:10.1214/aos/1032181158

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from gnomon.trees import DecisionTreeClassifier, RandomForestClassifier, structure_stability
    >>> X, y = load_iris(return_X_y=True)
    >>> found = structure_stability(DecisionTreeClassifier(), X, y, n_resamples=10, random_state=0)
    >>> found.root.sum().round(6), 0.0 <= found.jaccard <= 1.0
    (np.float64(1.0), True)
    >>> both = {"tree": DecisionTreeClassifier(), "forest": RandomForestClassifier(20, max_features=None)}
    >>> found = structure_stability(both, X, y, n_resamples=5, random_state=0)
    >>> found["forest"].jaccard > found["tree"].jaccard
    True
    """
    rng = check_rng(random_state)
    drawn = resamples(_num_samples(X), check_integer("n_resamples", n_resamples, 2), random_state=rng)
    samples = [sample.rows for sample in drawn]
    seeds = rng.integers(0, 2**31, len(samples)).tolist()

    def stability(model: BaseEstimator) -> Stability:
        def tests_of(b):
            fresh = clone(model)
            if fresh.get_params().get("random_state", seeds[b]) is None:
                fresh.set_params(random_state=seeds[b])
            return _tests(fresh.fit(_safe_indexing(X, samples[b]), _safe_indexing(y, samples[b])))

        return _compared(map_chunks(tests_of, range(len(samples)), n_jobs))

    if isinstance(estimator, Mapping):
        return {name: stability(model) for name, model in estimator.items()}
    return stability(estimator)


def _compared(each: list[tuple[Floats, TestShares, float]]) -> Stability:
    """(1) and (2) of the trees of all samples."""
    roots = np.array([root for root, _, _ in each])
    firsts = [int(np.argmax(root)) if np.any(root) else -1 for root in roots]
    pairs = list(combinations(range(len(each)), 2))
    same = np.mean([firsts[a] == firsts[b] for a, b in pairs])
    jaccard = np.mean([_jaccard(each[a][1], each[b][1]) for a, b in pairs])
    return Stability(np.mean(roots, axis=0), float(same), float(jaccard), np.array([depth for _, _, depth in each]))


def _tests(model: Any) -> tuple[Floats, TestShares, float]:
    """Shares of trees by the column of their root, shares by (column, depth), and the mean depth."""
    members = [model] if "tree_" in vars(model) else getattr(model, "estimators_", ())
    trees = [vars(member).get("tree_") for member in members]
    if not trees or not all(isinstance(tree, Tree) for tree in trees):
        raise TypeError(f"estimator={model!r} has no trees of this library; give an estimator of gnomon.trees")
    root = np.zeros(trees[0].n_features)
    shares: TestShares = {}
    for tree in trees:
        inner = np.flatnonzero(~tree.is_leaf)
        if len(inner):
            root[tree.feature[0]] += 1.0 / len(trees)
        for test in set(zip(tree.feature[inner].tolist(), tree.depth[inner].tolist(), strict=True)):
            shares[test] = shares.get(test, 0.0) + 1.0 / len(trees)
    return root, shares, float(np.mean([tree.max_depth for tree in trees]))


def _jaccard(a: TestShares, b: TestShares) -> float:
    tests = a.keys() | b.keys()
    most = sum(max(a.get(test, 0.0), b.get(test, 0.0)) for test in tests)
    return sum(min(a.get(test, 0.0), b.get(test, 0.0)) for test in tests) / most if tests else 1.0
