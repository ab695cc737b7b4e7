"""Problems of two classes, and their joint decision.

    two classes   one problem, the second class positive
    "ovo"         one for each pair i < j, the first class positive; the class with most votes wins          (1)
    "ovr"         one for each class against the rest; the class with the largest score wins                 (2)

Signs and order are those of LIBSVM. Chang & Lin (2011), doi:10.1145/1961189.1961199, section 7.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse

from gnomon._typing import Array, Bools, Floats, Integers
from gnomon.numerics.coding import class_pairs, code_problem, pair_problem, pair_sums, rest_code

__all__ = [
    "MultiClass",
    "TwoClasses",
    "by_class",
    "dual_coefficients",
    "pair_votes",
    "two_class_problems",
    "votes_and_sums",
]

MultiClass: TypeAlias = Literal["ovo", "ovr"]


class TwoClasses(NamedTuple):
    """A problem of two classes.

    Fields
    ------
    rows : ndarray of int
        The rows that take part.
    signs : ndarray of shape (len(rows),)
        +1 and −1.
    names : tuple of str
        The classes, negative first.
    """

    rows: Integers
    signs: Floats
    names: tuple[str, ...]


def two_class_problems(index: Integers, classes: Array, multi_class: MultiClass) -> list[TwoClasses]:
    """The problems for rows of classes `index`; a negative index leaves a row out."""
    if len(classes) == 2:
        rows = np.flatnonzero(index >= 0)
        return [TwoClasses(rows, 2.0 * index[rows] - 1.0, (str(classes[0]), str(classes[1])))]
    if multi_class == "ovo":
        members = [np.flatnonzero(index == k) for k in range(len(classes))]
        pairs = [pair_problem(members, i, j, classes) for i, j in class_pairs(len(classes))]
        return [TwoClasses(np.asarray(p.rows), np.where(p.positive, -1.0, 1.0), p.names[::-1]) for p in pairs]
    rows = np.flatnonzero(index >= 0)
    found = [code_problem(index[rows], column, classes) for column in rest_code(len(classes)).T]
    return [TwoClasses(rows, np.where(p.positive, 1.0, -1.0), p.names) for p in found]


def by_class(support: Integers, index: Integers) -> Integers:
    """Support vectors class by class, each in the order of the rows."""
    return support[np.argsort(index[support], kind="stable")]


def dual_coefficients(coef: Floats, index: Integers, n_classes: int, multi_class: MultiClass, is_sparse: bool) -> Array:
    """`dual_coef_` from a column of coefficients for each problem, in the layout of LIBSVM.

    Of "ovo", a vector of class c has a row for each other class: its coefficients in the problems with that class.
    """
    if n_classes == 2 or multi_class == "ovr":
        found = coef.T
    else:
        found = np.zeros((n_classes - 1, len(coef)))
        for p, (i, j) in enumerate(class_pairs(n_classes)):
            found[j - 1, index == i] = coef[index == i, p]
            found[i, index == j] = coef[index == j, p]
    return sparse.csr_matrix(found) if is_sparse else np.ascontiguousarray(found)


def pair_votes(scores: Floats, n_classes: int) -> Integers:
    """The winner of (1), the first of several; a score of zero is a vote for the second class, as in LIBSVM."""
    first: Bools = scores > 0.0
    return np.argmax(pair_sums(first, ~first, n_classes), axis=1)


def votes_and_sums(scores: Floats, n_classes: int) -> Floats:
    """Votes plus a third of a squashed sum of scores, which breaks ties: scikit-learn's scores for "ovr"."""
    second: Bools = scores < 0.0
    sums = pair_sums(scores, -scores, n_classes)
    return pair_sums(~second, second, n_classes) + sums / (3.0 * (np.abs(sums) + 1.0))
