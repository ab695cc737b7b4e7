"""Error-based pruning, that of C4.5: training errors, corrected by an upper limit of confidence.

    predicted errors of a leaf = N · U_CF(E, N),    P(Bin(N, U) ≤ E) = CF                                     (1)

A subtree is worth the sum over its leaves. From the leaves up each node becomes the best of a leaf, its subtree and its
largest branch (`_raising`); at equality the smaller tree stays. Quinlan (1993), C4.5: Programs for Machine Learning,
chapter 4; the exact limit: Clopper & Pearson (1934), doi:10.1093/biomet/26.4.404.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv

from gnomon._typing import ArrayLike, Floats, Integers, Matrix
from gnomon.numerics.validation import check_interval
from gnomon.search._criterion import Criterion
from gnomon.search._cuts import TIE
from gnomon.search._raising import best_of_three
from gnomon.search.cut import cut_at, keep_nodes, least_cuts
from gnomon.search.refit import refit_nodes
from gnomon.search.tree import Tree

__all__ = ["prune_error_based", "upper_error_rate"]


def upper_error_rate(errors: ArrayLike, n: ArrayLike, cf: float = 0.25) -> Floats:
    """The error rate U above which E errors or fewer in N have a probability below CF: equation (1).

    U = BetaInv(1 − CF; E + 1, N − E), which serves weights that are no whole numbers too; 1 where E = N.

    Parameters
    ----------
    errors, n : array-like
        E and N, 0 ≤ E ≤ N.
    cf : float, default=0.25

    Returns
    -------
    ndarray

    References
    ----------
    Clopper, C. J. & Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated in the case of the
    binomial. doi:10.1093/biomet/26.4.404

    Examples
    --------
    >>> from gnomon.search import upper_error_rate
    >>> upper_error_rate([0, 0, 1], [1, 6, 16]).round(6)
    array([0.75    , 0.206299, 0.159611])
    """
    cf = check_interval("cf", cf, 0.0, 1.0, closed="neither")
    errors, n = np.broadcast_arrays(np.asarray(errors, dtype=float), np.asarray(n, dtype=float))
    rate = np.ones(errors.shape)
    some = (errors > 0.0) & (errors < n)
    rate[some] = betaincinv(errors[some] + 1.0, n[some] - errors[some], 1.0 - cf)
    none = (errors <= 0.0) & (n > 0.0)
    rate[none] = -np.expm1(np.log(cf) / n[none])
    return rate


def prune_error_based(
    tree: Tree,
    X: Matrix | None = None,
    y: Integers | None = None,
    criterion: Criterion | None = None,
    *,
    cf: float = 0.25,
    sample_weight: ArrayLike | None = None,
) -> Tree:
    """Prune a classification tree by its predicted errors (1).

    Parameters
    ----------
    tree : Tree
        Its answers are class frequencies.
    X : ndarray or sparse matrix of shape (n_samples, n_features), optional
        The rows that grew the tree, as `Tree.apply` takes them, with `y` and `criterion`. Without them no branch
        can rise.
    y : ndarray of int of shape (n_samples,), optional
        The indices of their classes.
    criterion : Criterion, optional
        Estimates the nodes of a branch that rose.
    cf : float, default=0.25
        CF, between 0 and 1; the smaller, the more is cut.
    sample_weight : ndarray of shape (n_samples,), optional

    Returns
    -------
    Tree

    References
    ----------
    Quinlan, J. R. (1993). C4.5: Programs for Machine Learning, chapter 4. ISBN 978-1-55860-238-0

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, code_columns, grow_tree, prune_error_based
    >>> x, y = np.arange(1.0, 9.0)[:, None], np.array([0, 0, 0, 1, 0, 1, 1, 1])
    >>> tree = grow_tree(code_columns(x), y, Gini(2))
    >>> prune_error_based(tree, x, y, Gini(2)).threshold.tolist()
    [3.5, -2.0, -2.0]
    """
    if X is None:
        as_leaf = predicted_errors(tree.answers * tree.weight[:, None], cf)
        return cut_at(tree, least_cuts(tree, as_leaf, np.where(tree.is_leaf, as_leaf, 0.0)))
    if y is None or criterion is None:
        raise ValueError(
            f"X is given without {'y' if y is None else 'criterion'}, which estimates branches that rise; give all of "
            "X, y and criterion, or none"
        )

    def predicted(counts: Floats) -> Floats:
        return predicted_errors(counts, cf)

    keep, leaf, rose = best_of_three(tree, X, y, sample_weight, predicted)
    pruned = keep_nodes(tree, keep, leaf)
    return refit_nodes(pruned, X, y, criterion, sample_weight=sample_weight) if rose else pruned


def predicted_errors(counts: Floats, cf: float) -> Floats:
    """N · U_CF(E, N) of each row of class weights."""
    n = np.sum(counts, axis=1)
    errors = n - np.max(counts, axis=1)
    # Weights that should cancel leave a trace of rounding, which is no error.
    errors = np.where(errors > TIE * n, errors, 0.0)
    pairs, back = np.unique(np.stack([errors, n], axis=1), axis=0, return_inverse=True)
    return (pairs[:, 1] * upper_error_rate(pairs[:, 0], pairs[:, 1], cf))[back]
