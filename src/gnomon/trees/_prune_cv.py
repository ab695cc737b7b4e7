"""How much of a tree to keep, by cross-validation.

    CV(k) = (1/n) Σ_folds Σ_held-out ℓ(y_i, f_fold(x_i; α'_k)),    α'_k = √(α_k α_{k+1})                        (1)

At α_1 = 0 < α_2 < … the pruned tree grown from all rows changes, and α'_k is a typical penalty of tree k: the trees of
the folds change at other penalties. The tree with the least CV is chosen ("min"), or the smallest whose CV is
within one standard error of it ("one_se"). Breiman et al. (1984), §3.4, doi:10.1201/9781315139470.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils import _safe_indexing

from gnomon._typing import Array, ArrayLike, Bools, Floats, Folds, Integers, Sparse, TableLike
from gnomon.base.folds import read_folds
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.validation import check_choice, check_part
from gnomon.search import pruning_path
from gnomon.search.prune import TIE

__all__ = ["PruningChoice", "prune_cv"]

PruningChoiceRule: TypeAlias = Literal["min", "one_se"]


class PruningChoice(NamedTuple):
    """The tree that `prune_cv` chose, and the path it was chosen from; arrays have an entry for each tree of the path.

    Parameters
    ----------
    estimator : estimator
        Fitted to all rows and pruned.
    alpha : float
        The α at which it was pruned.
    alphas, leaves : ndarray
        Where the tree changes, and the leaves it has from there.
    training_errors, errors, standard_errors : ndarray
        Mean loss of the rows that grew the tree, (1), and the standard error of (1).
    least, one_se : int
        The places of the trees that the two rules choose.

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees, §3.4.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from gnomon.trees import DecisionTreeClassifier, prune_cv
    >>> X, y = load_iris(return_X_y=True)
    >>> choice = prune_cv(DecisionTreeClassifier(), X, y)
    >>> choice.leaves, int(choice.leaves[choice.one_se])
    (array([9, 7, 5, 4, 3, 2, 1]), 4)
    """

    estimator: Any
    alpha: float
    alphas: Floats
    leaves: Integers
    training_errors: Floats
    errors: Floats
    standard_errors: Floats
    least: int
    one_se: int


def prune_cv(
    tree: BaseEstimator,
    X: TableLike | Sparse,
    y: ArrayLike,
    *,
    cv: Folds = 10,
    rule: PruningChoiceRule = "min",
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> PruningChoice:
    """Prune a tree at the α that cross-validation chooses by (1).

    ℓ is 1 for a wrong class, or the squared difference. Of trees with equal errors the smallest is taken.

    Parameters
    ----------
    tree : estimator
        A single tree, with `prune` and the parameter `ccp_alpha`; it is not changed.
    X, y : array-like
    cv : int, splitter or iterable, default=10
        Folds, as in scikit-learn; a number means shuffled folds, for classes with equal shares of each.
    rule : {"min", "one_se"}, default="min"
    sample_weight : array-like of shape (n_samples,), optional
    n_jobs : int, optional
        Threads, over folds.

    Returns
    -------
    PruningChoice

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees, §3.4.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from gnomon.trees import DecisionTreeClassifier, prune_cv
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> choice = prune_cv(DecisionTreeClassifier(), X, y, cv=5, rule="one_se")
    >>> DecisionTreeClassifier().fit(X, y).get_n_leaves() > choice.estimator.get_n_leaves() > 1
    True
    """
    check_choice("rule", rule, ("min", "one_se"))
    check_part("tree", tree, "fit", "prune")
    tree, y = clone(tree).set_params(ccp_alpha=0.0), np.asarray(y)
    w = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    grown = tree.fit(X, y, w)
    path = pruning_path(grown.tree_, loss=grown.pruning_loss)
    alphas = path.alphas
    penalties = np.append(np.sqrt(alphas[:-1] * alphas[1:]), np.inf)

    def held_out(fold):
        train, test = fold
        model = clone(tree).fit(_safe_indexing(X, train), y[train], w[train])
        return _moments(model, penalties, _safe_indexing(X, test), y[test], w[test])

    errors, squares = sum(map_chunks(held_out, _folds(cv, tree, X, y), n_jobs)) / np.sum(w)
    spread = np.sqrt(np.maximum(squares - errors**2, 0.0) / np.sum(w))
    least = _last(errors <= np.min(errors) * (1.0 + TIE))
    one_se = _last(errors <= (errors[least] + spread[least]) * (1.0 + TIE))
    training = _moments(grown, alphas, X, y, w)[0] / np.sum(w)
    alpha = float(alphas[least if rule == "min" else one_se])
    return PruningChoice(grown.prune(alpha), alpha, alphas, path.leaves, training, errors, spread, least, one_se)


def _folds(cv: Folds, tree: Any, X: Any, y: Array) -> list[tuple[Integers, Integers]]:
    folds = read_folds(cv, X, y, classifier=is_classifier(tree), shuffle=True)
    if not np.array_equal(np.sort(np.concatenate([test for _, test in folds])), np.arange(len(y))):
        raise ValueError(f"cv={cv!r} does not hold out every row once; give a number of folds or such a splitter")
    return folds


def _moments(model: Any, penalties: Floats, X: Any, y: Array, w: Floats) -> Floats:
    """Σ w ℓ and Σ w ℓ² over rows, for each penalty; these ascend, so each tree is pruned from the one before."""
    sums = np.empty((2, len(penalties)))
    for k, penalty in enumerate(penalties):
        model = model.prune(penalty)
        predicted = model.predict(X)
        each = predicted != y if is_classifier(model) else (predicted - y) ** 2
        each = np.mean(each.reshape(len(y), -1), axis=1)
        sums[:, k] = w @ each, w @ each**2
    return sums


def _last(mask: Bools) -> int:
    return int(np.flatnonzero(mask)[-1])
