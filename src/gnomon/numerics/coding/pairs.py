"""Decisions from all pairs of classes: votes, a decision graph, and coupled probabilities.

    pairs  (0,1), (0,2), …, (1,2), …;    votes  v_k(x) = number of pairs that k wins                       (1)
    coupling:  p minimises Σ_{i<j} (r_ji p_i − r_ij p_j)²,  Σ_k p_k = 1,    r_ij ≈ P(i | i or j, x)         (2)

Friedman (1996), Another approach to polychotomous classification; the graph: Platt, Cristianini & Shawe-Taylor (2000),
Large margin DAGs for multiclass classification, NIPS 12, 547–553; (2): Wu, Lin & Weng (2004), Probability estimates for
multi-class classification by pairwise coupling, JMLR 5, 975–1005; and Hastie & Tibshirani (1998), Classification by
pairwise coupling, doi:10.1214/aos/1028144844.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import numpy as np
from scipy.special import expit

from gnomon._typing import Array, ArrayLike, Bools, Floats, Integers
from gnomon.numerics.coding.problems import BinaryProblem
from gnomon.numerics.parallel import split_rows
from gnomon.numerics.validation import check_choice

__all__ = ["COUPLINGS", "class_pairs", "couple_pairs", "dag_winners", "pair_code", "pair_problem", "pair_sums"]

Coupling: TypeAlias = Literal["wu_lin_weng", "hastie_tibshirani"]

COUPLINGS: tuple[Coupling, ...] = ("wu_lin_weng", "hastie_tibshirani")
"""The ways of `couple_pairs`."""

_CELLS = 1 << 20
"""Most entries of the matrices of pairs that are held at once."""

_CLOSEST = 1e-7
"""Pairwise probabilities keep this distance from 0 and 1, where an iteration would crawl."""


def class_pairs(n_classes: int) -> Integers:
    """All pairs i < j of classes, in the order of equation (1).

    Returns
    -------
    ndarray of int of shape (n_classes (n_classes − 1) / 2, 2)

    References
    ----------
    Friedman, J. H. (1996). Another approach to polychotomous classification. Stanford University.

    Examples
    --------
    >>> from gnomon.numerics.coding import class_pairs
    >>> class_pairs(3).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    return np.column_stack(np.triu_indices(n_classes, 1))


def pair_code(n_classes: int) -> Integers:
    """The coding matrix of one-vs-one: for each pair one column, +1 for the first class and −1 for the second.

    References
    ----------
    Allwein, E. L., Schapire, R. E. & Singer, Y. (2000). Reducing multiclass to binary. JMLR 1, 113–141.

    Examples
    --------
    >>> from gnomon.numerics.coding import pair_code
    >>> pair_code(3).tolist()
    [[1, 1, 0], [-1, 0, 1], [0, -1, -1]]
    """
    pairs = class_pairs(n_classes)
    M = np.zeros((n_classes, len(pairs)), dtype=np.int8)
    for side, sign in enumerate((1, -1)):
        M[pairs[:, side], np.arange(len(pairs))] = sign
    return M


def pair_problem(members: Sequence[Integers], i: int, j: int, classes: Array) -> BinaryProblem:
    """The problem of one pair of classes: only their rows, the first class on side 0 and the second on side 1.

    Parameters
    ----------
    members : list of ndarray of int
        The rows of every class.
    i, j : int
    classes : ndarray of shape (n_classes,)
        Labels, for warnings.

    Returns
    -------
    BinaryProblem

    References
    ----------
    Friedman, J. H. (1996). Another approach to polychotomous classification. Stanford University.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.coding import pair_problem
    >>> members = [np.array([0, 4]), np.array([1]), np.array([2, 3])]
    >>> problem = pair_problem(members, 0, 2, np.array(["a", "b", "c"]))
    >>> problem.rows.tolist(), problem.positive.tolist(), problem.names
    ([0, 2, 3, 4], [False, True, True, False], ('a', 'c'))
    """
    rows = np.concatenate([members[i], members[j]])
    order = np.argsort(rows)
    return BinaryProblem(rows[order], order >= len(members[i]), (str(classes[i]), str(classes[j])))


def pair_sums(first: Array, second: Array, n_classes: int) -> Floats:
    """Sum over all pairs of what each gives to its first and to its second class.

    Parameters
    ----------
    first, second : ndarray of shape (n_samples, n_pairs)
        Wins and losses give votes; f and −f give sums of scores.
    n_classes : int

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    References
    ----------
    Friedman, J. H. (1996). Another approach to polychotomous classification. Stanford University.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.coding import pair_sums
    >>> wins = np.array([[True, True, False]])
    >>> pair_sums(wins, ~wins, 3).tolist()
    [[2.0, 0.0, 1.0]]
    """
    floats = first.dtype if first.dtype.kind == "f" else float
    sums, start = np.zeros((len(first), n_classes), dtype=floats), 0
    for i in range(n_classes - 1):
        block = slice(start, start := start + n_classes - 1 - i)
        sums[:, i] += np.sum(first[:, block], axis=1)
        sums[:, i + 1 :] += second[:, block]
    return sums


def dag_winners(
    n_samples: int, order: ArrayLike, wins: Callable[[int, int, Integers], Bools]
) -> tuple[Integers, Integers]:
    """The winner of a decision DAG: of a list the first and the last class are compared and the loser is removed.

    Every row needs C − 1 comparisons. A class that beats all others wins, whatever the order.

    Parameters
    ----------
    n_samples : int
    order : array-like of shape (n_classes,)
        The list: a permutation of 0 … C − 1.
    wins : callable (i, j, rows) → ndarray of bool
        Whether class i beats class j, for some rows; i < j.

    Returns
    -------
    winner : ndarray of int of shape (n_samples,)
    path : ndarray of int of shape (n_samples, n_classes − 1, 2)
        The duels of every row, each as the first and the last class of the list.

    References
    ----------
    Platt, J. C., Cristianini, N. & Shawe-Taylor, J. (2000). Large margin DAGs for multiclass classification.
    NIPS 12, 547–553.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.coding import dag_winners
    >>> cycle = {(0, 1): True, (0, 2): False, (1, 2): True}
    >>> wins = lambda i, j, rows: np.full(len(rows), cycle[i, j])
    >>> [int(dag_winners(1, order, wins)[0][0]) for order in [(0, 1, 2), (0, 2, 1), (1, 0, 2)]]
    [1, 2, 0]
    """
    order, steps = np.asarray(order), len(order) - 1
    path = np.empty((n_samples, steps, 2), dtype=int)
    first = np.zeros(n_samples, dtype=int)
    for step in range(steps):
        groups = [(place, np.flatnonzero(first == place)) for place in np.unique(first)]
        for place, rows in groups:
            a, b = order[place], order[place + steps - step]
            path[rows, step] = a, b
            first[rows] += wins(min(a, b), max(a, b), rows) != (a < b)
    return order[first], path


def couple_pairs(
    r: ArrayLike,
    n_classes: int,
    *,
    method: Coupling = "wu_lin_weng",
    counts: ArrayLike | None = None,
    tol: float = 1e-9,
    max_iter: int = 1000,
) -> Floats:
    """Probabilities of all classes from those of the pairs.

    Parameters
    ----------
    r : ndarray of shape (n_samples, n_pairs)
        r_ij: the probability of the first class of each pair, in the order of `class_pairs`.
    n_classes : int
    method : {"wu_lin_weng", "hastie_tibshirani"}, default="wu_lin_weng"
        Equation (2), a linear system; or the p whose p_i/(p_i + p_j) has the least Kullback–Leibler divergence from r,
        each pair weighted by its rows, by Newton's method.
    counts : array-like of shape (n_pairs,), optional
        Rows of each pair, for "hastie_tibshirani"; equal by default.
    tol, max_iter : float, int
        When that method stops: no log p changes by more, or after so many steps.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    References
    ----------
    Wu, T.-F., Lin, C.-J. & Weng, R. C. (2004). Probability estimates for multi-class classification by pairwise
    coupling. JMLR 5, 975–1005.

    Hastie, T. & Tibshirani, R. (1998). Classification by pairwise coupling. doi:10.1214/aos/1028144844

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.coding import couple_pairs
    >>> couple_pairs(np.array([[0.9, 0.8, 0.6]]), 3).round(6).tolist()
    [[0.742258, 0.109242, 0.1485]]
    """
    check_choice("method", method, COUPLINGS)
    r = np.asarray(r)
    i, j = class_pairs(n_classes).T
    n = np.zeros((n_classes, n_classes))
    sizes = np.ones(len(i)) if counts is None else np.asarray(counts, dtype=float)
    n[i, j] = n[j, i] = sizes / np.mean(sizes)
    p = np.empty((len(r), n_classes), dtype=r.dtype)
    for rows in split_rows(len(r), -(-len(r) * n_classes**2 // _CELLS)):
        R = np.zeros((len(r[rows]), n_classes, n_classes))
        R[:, i, j], R[:, j, i] = r[rows], 1.0 - r[rows]
        p[rows] = _least_squares(R) if method == "wu_lin_weng" else _least_divergence(R, n, tol, max_iter)
    return p / np.sum(p, axis=1, keepdims=True)


def _least_squares(R: Floats) -> Floats:
    """The system of (2): Q p + λ 1 = 0, 1ᵀp = 1. Wu et al. (2004), eq. 21; it is never singular."""
    n_classes = R.shape[1]
    other = np.swapaxes(R, 1, 2)
    system = np.ones((len(R), n_classes + 1, n_classes + 1))
    system[:, -1, -1] = 0.0
    system[:, :-1, :-1] = -R * other
    diagonal = np.arange(n_classes)
    system[:, diagonal, diagonal] = np.sum(other**2, axis=2)
    right = np.zeros((len(R), n_classes + 1, 1))
    right[:, -1] = 1.0
    # The optimum is never negative (their theorem 2), but rounding may make it so.
    return np.maximum(np.linalg.solve(system, right)[:, :-1, 0], 0.0)


def _least_divergence(R: Floats, n: Floats, tol: float, max_iter: int) -> Floats:
    """Newton's method in θ = log p: the cost is convex, and flat only where all θ move together."""
    n_classes, diagonal = R.shape[1], np.arange(R.shape[1])
    wins = np.sum(n * np.clip(R, _CLOSEST, 1.0 - _CLOSEST), axis=2, dtype=float)
    theta = np.log(wins / np.sum(wins, axis=1, keepdims=True))
    for _ in range(max_iter):
        mu = expit(theta[:, :, None] - theta[:, None, :])
        H = 1.0 - n * mu * np.swapaxes(mu, 1, 2)
        H[:, diagonal, diagonal] = 1.0 + np.sum(1.0 - H, axis=2)
        step = np.linalg.solve(H, (wins - np.sum(n * mu, axis=2))[:, :, None])[:, :, 0]
        # Bach (2010), doi:10.1214/09-EJS521: a step shortened by this factor never overshoots.
        width = np.maximum(np.ptp(step, axis=1, keepdims=True), np.finfo(float).tiny)
        theta += step * np.log1p(width) / width
        if np.max(width, initial=0.0) <= tol:
            break
    return np.exp(theta - np.max(theta, axis=1, keepdims=True)).reshape(-1, n_classes)
