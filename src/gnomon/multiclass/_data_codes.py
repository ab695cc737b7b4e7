"""Coding matrices that follow the data: by the principal directions of the class means, and stage by stage.

    S_kk' = (√(n_k n_k') / N) (μ_k − μ)ᵀ(μ_k' − μ),    M = sign E,  E the top L eigenvectors of S                (1)
    M ← M with one sign changed, as long as that raises (ρ, then ⟨M, E⟩)                                       (2)
    stage:  M ← [M, m],  m separates the two classes that are confused most, with the least validation error   (3)

(1) and (2) after Bautista, Pujol, De la Torre & Escalera (2015), Error-correcting factorization, arXiv:1502.07976; (3)
after Pujol, Radeva & Vitrià (2006), Discriminant ECOC, doi:10.1109/TPAMI.2006.116.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from scipy import linalg, sparse

from gnomon._typing import Array, Bools, Floats, Integers, Matrix
from gnomon.multiclass._code_report import distinct_columns, row_distances, separated
from gnomon.multiclass._code_search import check_length, climb_rows, count_columns

__all__ = ["held_out", "pca_code", "stagewise_code"]

_ROUNDING = 1e-12
_MOST_SIGNS = 10


def pca_code(X: Matrix, index: Integers, weights: Floats, n_columns: int | None = None) -> Integers:
    """Equations (1) and (2).

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
    index : ndarray of int
        The class of every row.
    weights : ndarray of shape (n_samples,)
    n_columns : int, optional
        L; C − 1 by default and at most.
    """
    C = int(np.max(index)) + 1
    E = _directions(X, index, weights, C)[:, : C - 1 if n_columns is None else min(n_columns, C - 1)]
    # The sign of a value at the level of rounding must not decide a change of sign.
    E = np.where(np.abs(E) < _ROUNDING, 0.0, E)
    code = np.where(E >= 0.0, 1, -1)
    distinct = distinct_columns(code)
    code = climb_rows(code[:, distinct], _lexicographic(E[:, distinct]))
    if not separated(code):
        raise ValueError(
            f"code='pca' with {code.shape[1]} columns does not tell all {C} classes apart; give a larger n_columns, at "
            f"most {C - 1}"
        )
    return code


def _directions(X: Any, index: Integers, weights: Floats, C: int) -> Floats:
    """All C − 1 eigenvectors of S that are orthogonal to (√n_k), which S sends to zero; the largest first."""
    member = sparse.csr_array((weights, (index, np.arange(len(index)))), shape=(C, len(index)))
    n = np.sum(member, axis=1)
    # Directions do not depend on the unit of X, and squares of huge numbers would overflow.
    unit = float(abs(X).max()) or 1.0
    means = (member @ (X / unit)) / n[:, None]
    means = means.toarray() if sparse.issparse(means) else np.asarray(means)
    centred = np.sqrt(n / np.sum(n))[:, None] * (means - n @ means / np.sum(n))
    S = centred @ centred.T
    q = np.sqrt(n / np.sum(n))
    _, vectors = linalg.eigh(S - (1.0 + np.trace(S)) * np.outer(q, q))
    # The sign of an eigenvector is free: its largest entry is made positive.
    E = vectors[:, :0:-1]
    return E * np.sign(E[np.argmax(np.abs(E), axis=0), np.arange(C - 1)])


def _lexicographic(E: Floats) -> Callable[[Integers, int], Floats]:
    """What a change of sign brings: fewer pairs of equal rows, then a larger ρ, then a larger ⟨M, E⟩."""
    scale = 4.0 * np.sum(np.abs(E))

    def gain(code: Integers, row: int) -> Floats:
        distances = row_distances(code)
        others = np.delete(np.arange(len(code)), row)
        apart = distances[np.ix_(others, others)][~np.eye(len(others), dtype=bool)]
        rest = np.min(apart, initial=np.inf)
        # Where the rows agree the change adds one to their distance, elsewhere it takes one away.
        changed = distances[row, others][:, None] + code[others] * code[row]
        before, after = np.min(distances[row, others]), np.min(changed, axis=0)
        farther = np.minimum(after, rest) - min(before, rest)
        fewer_equal = np.sum(distances[row, others] == 0.0) - np.sum(changed == 0.0, axis=0)
        closer = -2.0 * code[row] * E[row] / scale
        return (1.0 + code.shape[1]) * fewer_equal + farther + closer

    return gain


def held_out(index: Integers, weights: Floats, fraction: float, rng: np.random.Generator) -> Bools:
    """A share of the rows of each class, at least one and never all, where the class has two rows or more."""
    chosen = np.zeros(len(index), dtype=bool)
    for k in range(int(np.max(index)) + 1):
        rows = rng.permutation(np.flatnonzero((index == k) & (weights > 0.0)))
        chosen[rows[: np.clip(round(fraction * len(rows)), min(1, len(rows) - 1), len(rows) - 1)]] = True
    return chosen


def stagewise_code(
    answers: Callable[[Integers], Floats],
    distances: Callable[[Floats, Integers], Floats],
    index: Integers,
    weights: Floats,
    n_classes: int,
    *,
    n_columns: int,
    n_candidates: int,
    patience: int,
    rng: np.random.Generator,
) -> tuple[Integers, dict[str, Array]]:
    """Equation (3), until `patience` columns in a row bring no gain; gives the code and its history.

    Parameters
    ----------
    answers : callable (columns) → ndarray of shape (n_rows, n_columns)
        Fits problems for columns of a coding matrix and gives their margins on the validation rows.
    distances : callable (margins, code) → ndarray of shape (n_rows, n_classes)
    index, weights : ndarray of shape (n_rows,)
        Class and weight of the validation rows.
    n_classes, n_columns, n_candidates, patience : int
    rng : Generator
    """
    check_length(n_classes, n_columns)
    code, f = np.empty((n_classes, 0), dtype=int), np.empty((len(index), 0))
    history, least, length, idle = [], np.inf, 0, 0
    for left in range(min(n_columns, count_columns(n_classes)) - 1, -1, -1):
        confusion = _confusion(distances(f, code), index, weights, n_classes)
        columns = _candidates(code, confusion, n_candidates, rng, left=left)
        margins = answers(columns)
        costs = [
            _validation(distances(np.c_[f, margins[:, j]], np.c_[code, columns[:, j]]), index, weights)
            for j in range(columns.shape[1])
        ]
        best = min(range(len(costs)), key=lambda j: costs[j])
        code, f = np.c_[code, columns[:, best]], np.c_[f, margins[:, best]]
        history.append(costs[best])
        if separated(code):
            gained = costs[best][0] < least
            least, length, idle = (costs[best][0], code.shape[1], 0) if gained else (least, length, idle + 1)
            if least == 0.0 or idle >= patience:
                break
    errors, losses = np.array(history).T
    trace = {"iteration": np.arange(1, len(errors) + 1), "objective": losses, "validation": errors}
    return code[:, :length], trace


def _validation(d: Floats, index: Integers, weights: Floats) -> tuple[float, float]:
    """Error, then mean distance to the own class, over the validation rows."""
    wrong = np.argmin(d, axis=1) != index
    return float(np.average(wrong, weights=weights)), float(np.average(d[np.arange(len(d)), index], weights=weights))


def _confusion(d: Floats, index: Integers, weights: Floats, n_classes: int) -> Floats:
    """How much weight the classes exchange, in both directions."""
    table = np.zeros((n_classes, n_classes))
    np.add.at(table, (index, np.argmin(d, axis=1)), weights)
    return table + table.T


def _candidates(
    code: Integers, confusion: Floats, n_candidates: int, rng: np.random.Generator, *, left: int
) -> Integers:
    """New columns that separate the most confused pair; pairs that nothing separates yet come first.

    After them `left` more columns must be able to tell all classes apart.
    """
    C = len(code)
    a, b = np.triu_indices(C, 1)
    open_pairs = np.all(code[a] == code[b], axis=1)
    for pair in np.lexsort((-confusion[a, b], ~open_pairs)):
        others = np.delete(np.arange(C), [a[pair], b[pair]])
        signs = _sign_columns(len(others), n_candidates, rng)
        columns = np.empty((C, signs.shape[1]), dtype=int)
        columns[a[pair]], columns[b[pair]], columns[others] = 1, -1, signs
        new = np.flatnonzero(distinct_columns(np.c_[code, columns])[code.shape[1] :])
        if 2**left < C:
            new = np.array([j for j in new if _most_alike(np.c_[code, columns[:, j]]) <= 2**left], dtype=int)
        if len(new):
            return columns[:, np.sort(rng.permutation(new)[:n_candidates])]
    raise ValueError(
        f"code='stagewise' finds no column after which {left} more could tell all {C} classes apart; give a larger "
        "n_columns or n_candidates"
    )


def _most_alike(code: Integers) -> int:
    """The largest number of classes with the same codeword."""
    return int(np.max(np.unique(code, axis=0, return_counts=True)[1]))


def _sign_columns(n: int, n_candidates: int, rng: np.random.Generator) -> Integers:
    """All columns of n signs, or where they are many some at random."""
    if n <= _MOST_SIGNS:
        return np.array(list(product((1, -1), repeat=n)), dtype=int).T
    return rng.choice((1, -1), size=(n, n_candidates))
