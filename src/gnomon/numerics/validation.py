"""Validation of arguments: every error names the argument, what was found, what is allowed and what to do.

    ``alpha=-1.0 must be ≥ 0 and finite; give another value``
    ``X contains NaN in column 'age' (3 rows); impute or drop those rows, or use a model that handles them``

`check_interval`, `check_positive`, `check_non_negative`, `check_integer` and `check_choice` return the value they were
given, so that a check reads as an assignment. Estimators read rows by `gnomon.base.validate_rows`.
"""

from __future__ import annotations

import math
import numbers
import reprlib
from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np

from gnomon._typing import Array, Bools, Closed, Compressed, Floats, Matrix, Within, is_sparse

__all__ = [
    "FLOATS",
    "assert_finite",
    "assert_not_infinite",
    "check_choice",
    "check_integer",
    "check_interval",
    "check_label",
    "check_non_negative",
    "check_numbers",
    "check_part",
    "check_positive",
    "machine_numbers",
    "same_word",
]

Real = TypeVar("Real", bound=float)
Choice = TypeVar("Choice")
Part = TypeVar("Part")
M = TypeVar("M", Array, Compressed, Matrix)

FLOATS = (np.float64, np.float32)
"""The floating types that estimators keep; anything else becomes the first."""


def check_interval(
    name: str,
    value: Real,
    low: float = -math.inf,
    high: float = math.inf,
    *,
    closed: Closed = "both",
) -> Real:
    """Return `value` if it is a real number between `low` and `high`; `closed` says which ends belong to it.

    Examples
    --------
    >>> from gnomon.numerics.validation import check_interval
    >>> check_interval("l1_ratio", 0.5, 0.0, 1.0)
    0.5
    >>> check_interval("l1_ratio", 1.5, 0.0, 1.0)
    Traceback (most recent call last):
    ...
    ValueError: l1_ratio=1.5 must be in [0, 1]; give another value
    """
    limits = Within(low, high, closed)
    if not isinstance(value, numbers.Real) or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}={value!r} must be a number {limits}; give a number")
    if not limits.holds(value):
        raise ValueError(f"{name}={value!r} must be {limits}; give another value")
    return value


def check_positive(name: str, value: Real) -> Real:
    """Return `value` if it is a real number > 0.

    Examples
    --------
    >>> from gnomon.numerics.validation import check_positive
    >>> check_positive("tol", 0.0)
    Traceback (most recent call last):
    ...
    ValueError: tol=0.0 must be > 0 and finite; give another value
    """
    return check_interval(name, value, 0, math.inf, closed="neither")


def check_non_negative(name: str, value: Real) -> Real:
    """Return `value` if it is a real number ≥ 0.

    Examples
    --------
    >>> from gnomon.numerics.validation import check_non_negative
    >>> check_non_negative("alpha", -1.0)
    Traceback (most recent call last):
    ...
    ValueError: alpha=-1.0 must be ≥ 0 and finite; give another value
    """
    return check_interval(name, value, 0, math.inf, closed="left")


def check_integer(name: str, value: object, low: float = -math.inf, high: float = math.inf) -> int:
    """Return `value` as an int if it is a whole number between `low` and `high`, ends included.

    Examples
    --------
    >>> from gnomon.numerics.validation import check_integer
    >>> check_integer("max_iter", 10, 1)
    10
    >>> check_integer("max_iter", 2.5, 1)
    Traceback (most recent call last):
    ...
    TypeError: max_iter=2.5 must be a whole number; give an int
    """
    if not isinstance(value, numbers.Integral) or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}={value!r} must be a whole number; give an int")
    return check_interval(name, int(value), low, high)


def check_numbers(name: str, value: object) -> Floats:
    """`value`, a number or an array-like of numbers, as floats.

    Examples
    --------
    >>> from gnomon.numerics.validation import check_numbers
    >>> check_numbers("alpha", [1, 2])
    array([1., 2.])
    >>> check_numbers("alpha", "much")
    Traceback (most recent call last):
    ...
    TypeError: alpha='much' must be numbers; give a number or an array of them
    """
    try:
        array = np.asarray(value)
        if array.dtype.kind in "iuf" or (array.dtype.kind == "O" and array.ndim):
            return array.astype(float)
    except (TypeError, ValueError):
        pass
    shape = getattr(value, "shape", ())
    found = f"{name} of shape {shape}" if shape else f"{name}={reprlib.repr(value)}"
    raise TypeError(f"{found} must be numbers; give a number or an array of them")


def check_label(name: str, value: object) -> object:
    """Return `value` if it can be a label: None, a string or a number.

    Examples
    --------
    >>> from gnomon.numerics.validation import check_label
    >>> check_label("outlier_label", [1, 2])
    Traceback (most recent call last):
    ...
    TypeError: outlier_label=[1, 2] is no label; give a number or a string
    """
    if value is not None and not isinstance(value, (str, np.str_, numbers.Real, np.bool_)):
        raise TypeError(f"{name}={value!r} is no label; give a number or a string")
    return value


def check_part(name: str, value: Part, *verbs: str) -> Part:
    """Return `value`, a part of a model, if it is None or has the methods `verbs`.

    Examples
    --------
    >>> from gnomon.numerics.validation import check_part
    >>> check_part("classifier", "svm", "fit", "predict")
    Traceback (most recent call last):
    ...
    TypeError: classifier='svm' has no fit; give an object that has fit and predict
    """
    for verb in verbs:
        if value is not None and (isinstance(value, type) or not callable(getattr(value, verb, None))):
            raise TypeError(f"{name}={value!r} has no {verb}; give an object that has {' and '.join(verbs)}")
    return value


def check_choice(name: str, value: Choice, choices: Iterable[object]) -> Choice:
    """Return `value` if it is one of `choices`.

    Examples
    --------
    >>> from gnomon.numerics.validation import check_choice
    >>> check_choice("rule", "best", ("min", "1se"))
    Traceback (most recent call last):
    ...
    ValueError: rule='best' is unknown; choose from ['min', '1se']
    """
    choices = list(choices)
    if not any(same_word(value, choice) for choice in choices):
        raise ValueError(f"{name}={value!r} is unknown; choose from {choices}")
    return value


def same_word(value: object, word: object) -> bool:
    """Whether `value` is `word`: it may be a scalar of NumPy, as a grid search gives it; True is not 1.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.validation import same_word
    >>> same_word(np.str_("best"), "best"), same_word(True, 1)
    (True, False)
    """
    # With == alone an array or a data frame would compare elementwise.
    value = value.item() if isinstance(value, np.generic) else value
    return type(value) is type(word) and bool(value == word)


def assert_finite(X: Matrix, name: str = "X", columns: Sequence[object] | Array | None = None) -> None:
    """Raise a ValueError that says where `X` holds NaN or infinity, by column and number of rows.

    Parameters
    ----------
    X : ndarray or sparse matrix
    name : str, default="X"
        What the message calls it.
    columns : sequence of str, optional
        Names of the columns; their numbers by default.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.validation import assert_finite
    >>> assert_finite(np.array([[1.0, np.nan], [2.0, np.nan]]), columns=["height", "age"])
    Traceback (most recent call last):
    ...
    ValueError: X contains NaN in column 'age' (2 rows); impute or drop those rows, or use a model that handles them
    """
    values = X.data if is_sparse(X) else X
    # A finite sum proves that every entry is finite, in one pass without a mask.
    with np.errstate(over="ignore", invalid="ignore"):
        if values.dtype.kind != "f" or np.isfinite(np.sum(values)):
            return
    for word, is_bad, advice in _BAD_VALUES:
        bad = is_bad(values)
        if np.any(bad):
            where = _where(X, bad, columns)
            raise ValueError(f"{name} contains {word}{where}; {advice}")


def assert_not_infinite(X: Matrix, name: str = "X", columns: Sequence[object] | Array | None = None) -> None:
    """Raise a ValueError that says where `X` holds infinity; NaN, a missing cell, passes.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.validation import assert_not_infinite
    >>> assert_not_infinite(np.array([[1.0, np.nan], [np.inf, 2.0]]), columns=["a", "b"])
    Traceback (most recent call last):
    ...
    ValueError: X contains infinity (inf, or a value too large for its type) in column 'a' (1 row); clip or drop ...
    """
    values = X.data if is_sparse(X) else X
    with np.errstate(over="ignore", invalid="ignore"):
        if values.dtype.kind != "f" or np.isfinite(np.sum(values)):
            return
    word, is_bad, advice = _BAD_VALUES[1]
    bad = is_bad(values)
    if np.any(bad):
        raise ValueError(f"{name} contains {word}{_where(X, bad, columns)}; {advice}")


def machine_numbers(X: M) -> M:
    """X, dense or sparse, of a type that compiled code can read: half and extended precision become double.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.validation import machine_numbers
    >>> machine_numbers(np.ones(2, dtype=np.float16)).dtype, machine_numbers(np.ones(2, dtype=">i4")).dtype
    (dtype('float64'), dtype('int32'))
    """
    if X.dtype.kind == "f" and X.dtype not in FLOATS:
        return X.astype(np.float64)
    return X if X.dtype.isnative else X.astype(X.dtype.newbyteorder("="))


_BAD_VALUES = (
    ("NaN", np.isnan, "impute or drop those rows, or use a model that handles them"),
    ("infinity (inf, or a value too large for its type)", np.isinf, "clip or drop those rows"),
)


def _where(X: Matrix, bad: Bools, columns: Sequence[object] | Array | None, *, most: int = 5) -> str:
    if X.ndim != 2:
        return f" ({_rows(int(np.sum(bad)))})"
    counts = np.bincount(X.tocoo().col[bad], minlength=X.shape[1]) if is_sparse(X) else np.sum(bad, axis=0)
    found = np.flatnonzero(counts)
    names = [repr(str(columns[j])) if columns is not None else str(j) for j in found[:most]]
    listed = ", ".join(f"column {name} ({_rows(counts[j])})" for name, j in zip(names, found, strict=False))
    more = f" and {len(found) - most} more columns" if len(found) > most else ""
    return f" in {listed}{more}"


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"
