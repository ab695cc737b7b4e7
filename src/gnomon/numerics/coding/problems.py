"""Two-class problems made of many classes: one for each column of a coding matrix.

    column l:  rows i with M[cᵢ, l] ≠ 0,  target tᵢ = 1 where M[cᵢ, l] = +1, else 0                           (1)

One-vs-rest is M = 2I − 1; one-vs-one has one column for each pair of classes. Allwein, Schapire & Singer (2000),
Reducing multiclass to binary, JMLR 1, 113–141.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._typing import Array, ArrayLike, Bools, Integers

__all__ = ["BinaryProblem", "code_problem", "rest_code"]


class BinaryProblem(NamedTuple):
    """One two-class problem: rows, their sides, and the names of the sides.

    Parameters
    ----------
    rows : ndarray of int or None
        The rows that take part; None is all of them.
    positive : ndarray of bool
        For each of these rows whether its target is 1.
    names : tuple of str
        What the sides 0 and 1 are called in a warning.

    Examples
    --------
    Class "c" against "a", from rows of three classes:

    >>> import numpy as np
    >>> from gnomon.numerics.coding import code_problem
    >>> problem = code_problem(np.array([0, 1, 2, 0]), [-1, 0, 1], np.array(["a", "b", "c"]))
    >>> problem.rows.tolist(), problem.positive.tolist(), problem.names
    ([0, 2, 3], [False, True, False], ('a', 'c'))
    """

    rows: Integers | None
    positive: Bools
    names: tuple[str, ...]


def rest_code(n_classes: int) -> Integers:
    """The coding matrix of one-vs-rest, 2I − 1.

    References
    ----------
    Allwein, E. L., Schapire, R. E. & Singer, Y. (2000). Reducing multiclass to binary. JMLR 1, 113–141.

    Examples
    --------
    >>> from gnomon.numerics.coding import rest_code
    >>> rest_code(3).tolist()
    [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    """
    return 2 * np.eye(n_classes, dtype=np.int8) - np.int8(1)


def code_problem(index: Integers, column: ArrayLike, classes: Array) -> BinaryProblem:
    """The problem of one column of a coding matrix, equation (1).

    Parameters
    ----------
    index : ndarray of int
        The class of every row, as a row of the matrix.
    column : array-like of shape (n_classes,)
        Entries −1, 0 and +1.
    classes : ndarray of shape (n_classes,)
        Labels, for warnings.

    Returns
    -------
    BinaryProblem

    References
    ----------
    Allwein, E. L., Schapire, R. E. & Singer, Y. (2000). Reducing multiclass to binary. JMLR 1, 113–141.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.coding import code_problem
    >>> problem = code_problem(np.array([0, 1, 2, 1]), [1, -1, 0], np.array(["a", "b", "c"]))
    >>> problem.rows.tolist(), problem.positive.tolist(), problem.names
    ([0, 1, 3], [True, False, False], ('b', 'a'))
    """
    column = np.asarray(column)
    signs = column[index]
    rows = None if np.all(column != 0) else np.flatnonzero(signs)
    names = tuple(", ".join(map(str, classes[column == side])) for side in (-1, 1))
    return BinaryProblem(rows, (signs if rows is None else signs[rows]) > 0, names)
