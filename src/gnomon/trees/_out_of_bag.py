"""Out-of-bag estimates of a forest, from the rows that each tree has not seen.

    answer of row i    (1/|T_i|) Σ_{t ∈ T_i} answer of tree t at x_i,   T_i the trees whose bag lacks row i          (1)
    importance of j    mean over t of  error of tree t on its out-of-bag rows after column j is permuted − before    (2)

Unlike in a split of a bootstrap sample, no copy of a row is used for both growing and validation. Breiman
(2001), Random forests, doi:10.1023/A:1010933404324, §3.1 and §10.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from gnomon._typing import Array, Floats, Integers, Numbers, RandomState
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.random import check_rng
from gnomon.search import Forest, Importances
from gnomon.search.traverse import as_dense
from gnomon.trees._bags import DrawnBags

__all__ = ["RunningMeans", "TreeLoss", "accuracy_loss", "out_of_bag", "permutation_importance", "squared_loss"]

TreeLoss: TypeAlias = Callable[[Array, Floats], float]
"""From targets and answers to their mean loss."""


def accuracy_loss(index: Integers, answers: Floats) -> float:
    """Share of rows whose largest answer is another class, in any of several outputs."""
    index = index.reshape(len(index), -1)
    chosen = np.argmax(answers.reshape(*index.shape, -1), axis=2)
    return float(np.mean(np.any(chosen != index, axis=1)))


def squared_loss(y: Array, answers: Floats) -> float:
    """Mean squared error, over rows and outputs."""
    return float(np.mean((y - answers) ** 2))


class RunningMeans:
    """The answers (1) of the trees so far, and their loss."""

    def __init__(self, bags: DrawnBags, X: Any, truth: Array, loss: TreeLoss):
        self.bags, self.X, self.truth, self.loss = bags, X, truth, loss
        self.total: Numbers = 0.0
        self.votes = np.zeros(X.shape[0])

    def ask(self, t: int, forest: Forest) -> tuple[Integers, Floats]:
        """The rows that tree t has not seen, and its answers for them; `forest` holds this tree alone."""
        rows = np.flatnonzero(self.bags.counts(t) == 0)
        return rows, forest.sum(self.X[rows])

    def add(self, rows: Integers, answers: Floats) -> float:
        """Add the answers of a tree; return the loss of all trees so far, NaN if no row is out of bag."""
        if np.ndim(self.total) == 0:
            self.total = np.zeros((len(self.votes), answers.shape[1]))
        self.total[rows] += answers
        self.votes[rows] += 1.0
        known = self.votes > 0.0
        if not np.any(known):
            return np.nan
        return self.loss(self.truth[known], self.total[known] / self.votes[known, None])


def out_of_bag(
    forest: Forest, bags: DrawnBags, X: Any, truth: Array, loss: TreeLoss, n_jobs: int | None = None
) -> tuple[Floats, Floats]:
    """The answers (1), NaN for a row in every bag, and their loss after 1, 2, … trees."""
    means = RunningMeans(bags, X, truth, loss)
    found = map_chunks(lambda t: means.ask(t, Forest.of([forest.tree(t)])), range(len(forest)), n_jobs)
    # Added in the order of the trees, so that the sums are the same for any number of threads.
    errors = np.array([means.add(rows, answers) for rows, answers in found])
    votes = means.votes
    if not np.all(votes):
        warnings.warn(
            f"{int(np.sum(votes == 0.0))} rows are in the bag of every tree, so they have no out-of-bag answer "
            "(Some inputs do not have OOB scores); grow more trees",
            UserWarning,
            stacklevel=4,
        )
    with np.errstate(invalid="ignore"):
        return means.total / votes[:, None], errors


def permutation_importance(
    forest: Forest,
    bags: DrawnBags,
    X: Any,
    truth: Array,
    loss: TreeLoss,
    *,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> Importances:
    """The means over trees of (2) and their standard deviations; a column that a tree does not test counts zero."""
    seeds = check_rng(random_state).integers(0, 2**63, len(forest))

    def differences(t: int) -> Floats:
        # `fit_unsupervised` appends permuted rows after those of X.
        rows = np.flatnonzero(bags.counts(t)[: X.shape[0]] == 0)
        found = np.zeros(X.shape[1])
        tree, here = forest.tree(t), np.array(as_dense(X[rows]), dtype=float)
        if len(rows) == 0:
            return found
        before = loss(truth[rows], tree.predict(here))
        draw = np.random.default_rng(seeds[t])
        for j in np.unique(tree.feature[~tree.is_leaf]):
            column = here[:, j].copy()
            here[:, j] = draw.permutation(column)
            found[j] = loss(truth[rows], tree.predict(here)) - before
            here[:, j] = column
        return found

    each = np.array(map_chunks(differences, range(len(forest)), n_jobs))
    return Importances(np.mean(each, axis=0), np.std(each, axis=0))
