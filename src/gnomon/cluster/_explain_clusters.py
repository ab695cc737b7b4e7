"""Rules that say which cluster a row is in.

    labels ≈ tree(x),    fidelity = share of held-out rows whose cluster the tree tells right         (1)

A shallow tree on the labels of the clusters: its branches are rules, its fidelity says how far they can be trusted.
Bertsimas, Orfanoudaki & Wiberg (2021), Interpretable clustering, doi:10.1007/s10994-020-05896-2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from gnomon._typing import Array, ArrayLike, Floats, TableLike
from gnomon.cluster._cluster_rows import cluster_rows

__all__ = ["ClusterRules", "explain_clusters"]

FOLDS = 5


class ClusterRules(NamedTuple):
    """A model of the clusters.

    Fields
    ------
    model : classifier
        Fitted to all rows.
    clusters : ndarray of shape (k,)
    rules : dict of label to list of str
        The branches that end in each cluster, those with most rows first; empty lists where the model is no tree.
    importances : ndarray of shape (d,) or None
        Of the columns, where the model has them.
    fidelity : float
        Equation (1), by cross-validation.
    names : tuple of str

    References
    ----------
    Bertsimas, D., Orfanoudaki, A. & Wiberg, H. (2021). Interpretable clustering: an optimization approach.
    doi:10.1007/s10994-020-05896-2

    Examples
    --------
    >>> from gnomon.cluster import explain_clusters
    >>> X = [[0.0, 1.0], [0.5, 2.0], [0.2, 9.0], [5.0, 1.0], [5.5, 8.0], [6.0, 2.0]]
    >>> print(explain_clusters(X, ["a", "a", "a", "b", "b", "b"]))
    a: x0 <= 2.75
    b: x0 > 2.75
    right for 100 % of held-out rows
    """

    model: BaseEstimator
    clusters: Array
    rules: dict[Any, list[str]]
    importances: Floats | None
    fidelity: float
    names: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"{label}: {' | '.join(rules)}" for label, rules in self.rules.items() if rules]
        return "\n".join([*lines, f"right for {100 * self.fidelity:.0f} % of held-out rows"])


def explain_clusters(
    X: TableLike,
    labels: ArrayLike,
    estimator: BaseEstimator | None = None,
    *,
    words: Callable[[int, str, float], str] | None = None,
    random_state: int | None = 0,
) -> ClusterRules:
    """Fit a model that tells the clusters, and say how well it does on rows that it has not seen.

    Parameters
    ----------
    X : array-like or data frame of shape (n, d)
    labels : array-like of shape (n,)
    estimator : classifier, optional
        Any; by default scikit-learn's tree of depth 3 behind a map of every column to [0, 1], because the tree reads
        single precision; its rules are in the units of X.
    words : callable (column, side, threshold) → str, optional
        How rules say a test of column number `column`, on the side "<=" or ">"; by default as in the example.
    random_state : int or None, default=0
        Of that tree and of the folds.

    Returns
    -------
    ClusterRules

    References
    ----------
    Bertsimas, D., Orfanoudaki, A. & Wiberg, H. (2021). Interpretable clustering: an optimization approach.
    doi:10.1007/s10994-020-05896-2

    Examples
    --------
    >>> from gnomon.cluster import explain_clusters
    >>> found = explain_clusters([[0.0], [1.0], [8.0], [9.0]], [0, 0, 1, 1])
    >>> found.rules[1], found.importances
    (['x0 > 4.5'], array([1.]))
    >>> explain_clusters([[0], [0], [1], [1]], [0, 0, 1, 1], words=lambda j, side, t: "no" if side == "<=" else "yes")
    ... # doctest: +ELLIPSIS
    ClusterRules(...rules={0: ['no'], 1: ['yes']}...
    """
    rows = cluster_rows(X, labels)
    y = rows.clusters[rows.place]
    shallow = make_pipeline(_UnitColumns(), DecisionTreeClassifier(max_depth=3, random_state=random_state))
    base = shallow if estimator is None else estimator
    smallest = int(np.min(np.bincount(rows.place)))
    if len(y) < 2:
        raise ValueError("X has 1 row, and rules need rows that are held out; give more")
    splitter = StratifiedKFold if smallest >= 2 else KFold
    most = smallest if smallest >= 2 else len(y)
    folds = splitter(min(FOLDS, most), shuffle=True, random_state=random_state)
    fidelity = float(np.mean(cross_val_score(clone(base), rows.X, y, cv=folds, scoring="accuracy")))
    model = clone(base).fit(rows.X, y)
    say = words or (lambda j, side, t: f"{rows.names[j]} {side} {t:.4g}")
    tree, told = model, say
    if estimator is None:
        units, tree = model[0], model[-1]
        told = lambda j, side, t: say(j, side, units.raw(j, t))  # noqa: E731
    rules = _rules(tree, rows.clusters, told)
    importances = getattr(tree, "feature_importances_", None)
    return ClusterRules(model, rows.clusters, rules, importances, fidelity, rows.names)


class _UnitColumns(TransformerMixin, BaseEstimator):
    """Columns from 0 to 1, whatever their units; a constant one is 0."""

    def fit(self, X: Floats, y: object = None) -> Self:
        """Keep the least value and the width of every column."""
        self.low_, width = X.min(axis=0), np.ptp(X, axis=0)
        self.width_ = np.where(width > 0.0, width, 1.0)
        return self

    def transform(self, X: Floats) -> Floats:
        """(x − low) / width."""
        return (np.asarray(X) - self.low_) / self.width_

    def raw(self, j: int, t: float) -> float:
        """A threshold in the units of column j."""
        return float(self.low_[j] + t * self.width_[j])


def _rules(model: Any, clusters: Array, words: Callable[[int, str, float], str]) -> dict[Any, list[str]]:
    """The branches of a tree by the cluster at their end."""
    found: dict[Any, list[tuple[float, str]]] = {label: [] for label in clusters.tolist()}
    tree: Any = getattr(model, "tree_", None)
    stack: list[tuple[int, tuple[tuple[int, str, float], ...]]] = [] if tree is None else [(0, ())]
    while stack:
        node, path = stack.pop()
        if tree.children_left[node] < 0:
            label = clusters.tolist()[int(np.argmax(tree.value[node][0]))]
            found[label].append((float(tree.weighted_n_node_samples[node]), _sentence(path, words)))
            continue
        j, t = int(tree.feature[node]), float(tree.threshold[node])
        stack.append((int(tree.children_right[node]), (*path, (j, ">", t))))
        stack.append((int(tree.children_left[node]), (*path, (j, "<=", t))))
    return {label: [text for _, text in sorted(rules, key=lambda rule: -rule[0])] for label, rules in found.items()}


def _sentence(path: tuple[tuple[int, str, float], ...], words: Callable[[int, str, float], str]) -> str:
    """The tests of a branch; of several on one side of a column the tightest."""
    tightest: dict[tuple[int, str], float] = {}
    for j, side, t in path:
        keep = min if side == "<=" else max
        tightest[j, side] = keep(t, tightest.get((j, side), t))
    return " and ".join(words(j, side, t) for (j, side), t in tightest.items()) or "all rows"
