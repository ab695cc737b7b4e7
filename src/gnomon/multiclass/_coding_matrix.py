"""Coding matrices: which classes each two-class problem sets against which.

    M ∈ {−1, 0, 1}^{C×L}:  problem l asks "is y among the classes with M_kl = +1 or among those with −1?"        (1)

Classes with a zero take no part. Row k of M is the codeword of class k; the further apart the rows, the more wrong
answers a row of outputs survives. Dietterich & Bakiri (1995), doi:10.1613/jair.105; Allwein, Schapire & Singer (2000),
Journal of Machine Learning Research 1, 113–141.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from gnomon._typing import Integers, RandomState
from gnomon.multiclass._code_search import ecoc, random_code, usual_length
from gnomon.multiclass._fixed_codes import binary, exhaustive, hamming
from gnomon.numerics.coding import pair_code, rest_code
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_choice, check_integer

__all__ = ["CODES", "Code", "coding_matrix"]

Code: TypeAlias = Literal["ovr", "ovo", "binary", "exhaustive", "ecoc", "hamming", "random", "random_sparse"]
"""The codes that need no data."""

CODES: tuple[Code, ...] = get_args(Code)


def coding_matrix(
    code: Code,
    n_classes: int,
    *,
    n_columns: int | None = None,
    n_errors: int = 1,
    n_candidates: int = 1000,
    random_state: RandomState = None,
) -> Integers:
    """A coding matrix for a number of classes, equation (1) of this module.

    Parameters
    ----------
    code : {"ovr", "ovo", "binary", "exhaustive", "ecoc", "hamming", "random", "random_sparse"}
        "ovr": each class against the rest, 2I − 1. "ovo": each class against each other. "binary": the number of the
        class in ⌈log₂C⌉ bits. "exhaustive": all 2^(C−1) − 1 ways to divide the classes in two, for at most 11 of them.
        "ecoc": the exhaustive code for at most 7 classes, the best of its columns for at most 11, beyond that a random
        code improved sign by sign. "hamming": a shortened Hamming code, or a BCH code where `n_errors` > 1. "random":
        signs with equal chance. "random_sparse": zeros with chance ½.
    n_classes : int
        Two classes need one column, whatever the code; one class needs none.
    n_columns : int, optional
        For "ecoc" and the random codes: the length, at most the number of different columns. ⌈10 log₂C⌉ by default,
        with zeros ⌈15 log₂C⌉; "ecoc" has all columns up to 7 classes.
    n_errors : int, default=1
        For "hamming": how many wrong columns are to be repaired.
    n_candidates : int, default=1000
        For the random codes: of so many draws the one with the largest minimal distance between rows is taken.
    random_state : None, int, Generator or RandomState
        For "ecoc" and the random codes.

    Returns
    -------
    ndarray of int of shape (n_classes, n_columns)

    References
    ----------
    Dietterich, T. G. & Bakiri, G. (1995). Solving multiclass learning problems via error-correcting output codes.
    doi:10.1613/jair.105

    Allwein, E. L., Schapire, R. E. & Singer, Y. (2000). Reducing multiclass to binary: a unifying approach for margin
    classifiers. Journal of Machine Learning Research 1, 113–141.

    Hamming, R. W. (1950). Error detecting and error correcting codes. doi:10.1002/j.1538-7305.1950.tb00463.x

    Bose, R. C. & Ray-Chaudhuri, D. K. (1960). On a class of error correcting binary group codes.
    doi:10.1016/S0019-9958(60)90287-4

    Examples
    --------
    >>> from gnomon.multiclass import coding_matrix
    >>> coding_matrix("exhaustive", 3).tolist()
    [[1, 1, 1], [-1, -1, 1], [-1, 1, -1]]
    >>> coding_matrix("hamming", 10).shape
    (10, 7)
    """
    check_choice("code", code, CODES)
    C = check_integer("n_classes", n_classes, 1)
    L = None if n_columns is None else check_integer("n_columns", n_columns, 1)
    if C <= 2:
        return np.array([[-1], [1]])[:C, : C - 1]
    rng = check_rng(random_state)
    sparse = code == "random_sparse"
    draw: dict[str, Any] = {"sparse": sparse, "n_candidates": n_candidates}
    makers = {
        "ovr": lambda: rest_code(C),
        "ovo": lambda: pair_code(C),
        "binary": lambda: binary(C),
        "exhaustive": lambda: exhaustive(C),
        "ecoc": lambda: ecoc(C, L, rng),
        "hamming": lambda: hamming(C, check_integer("n_errors", n_errors, 1)),
        "random": lambda: random_code(C, L or usual_length(C), rng, **draw),
        "random_sparse": lambda: random_code(C, L or usual_length(C, sparse=True), rng, **draw),
    }
    return makers[code]().astype(int)
