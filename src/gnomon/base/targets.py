"""Targets as estimators read them: one number or one label for each row.

    y is a target   ⇔   no yᵢ is missing,   and all yᵢ are numbers, or labels of one kind that has an order      (1)

What is missing is None, NaN, NaT and pandas' NA. Objects that are to be numbers become floats; what the shape may be,
scikit-learn's validation decides afterwards.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np

from gnomon._typing import Array, Bools, is_sparse
from gnomon.numerics.tables import is_missing
from gnomon.numerics.validation import assert_finite

__all__ = ["TargetError", "check_target", "target_array"]


class TargetError(ValueError, TypeError):
    """A target that no model can take; scikit-learn raises one kind or the other, so this is both.

    Examples
    --------
    >>> from gnomon.base.targets import TargetError
    >>> issubclass(TargetError, ValueError), issubclass(TargetError, TypeError)
    (True, True)
    """


def check_target(y: Any, *, numeric: bool = False, sparse: bool = False, name: str = "y") -> Any:
    """`y` as an array of numbers or labels, by (1); "no_validation", and None, as they are.

    Parameters
    ----------
    y : array-like or sparse matrix of shape (n,) or (n, n_outputs)
    numeric : bool, default=False
        Whether the model fits numbers; otherwise it may fit labels. Objects and text that are numbers become floats.
    sparse : bool, default=False
        Whether the model takes a sparse matrix, which is not looked into.
    name : str, default="y"
        What the errors call it.

    Raises
    ------
    TargetError

    Examples
    --------
    >>> from gnomon.base.targets import check_target
    >>> check_target([1.5, None, 2.0], numeric=True)
    Traceback (most recent call last):
    ...
    gnomon.base.targets.TargetError: Input y contains NaN: None in row 1 (1 row); impute it, or drop that row
    >>> check_target(["low", "high"], numeric=True)
    Traceback (most recent call last):
    ...
    gnomon.base.targets.TargetError: y holds the str 'low' in row 0, which is no float; turn y into numbers, or ...
    >>> check_target(["low", 3])
    Traceback (most recent call last):
    ...
    gnomon.base.targets.TargetError: y has labels of the kinds ['int', 'str'], which have no order; make them one kind
    """
    if y is None or (isinstance(y, str) and y == "no_validation") or (sparse and is_sparse(y)):
        return y
    found = target_array(y, name)
    if found.dtype.kind == "c":
        raise TargetError(f"Complex data not supported: {name} holds complex numbers; give real ones")
    if found.dtype.kind not in "fiub":
        found = _read_cells(found, numeric, name)
    if found.dtype.kind == "f":
        largest = float(np.max(np.abs(found), initial=0.0))
        if not math.isfinite(largest * found.size):
            assert_finite(found, f"Input {name}")
            if numeric:
                raise TargetError(
                    f"{name} has entries of about {largest:.3g}, whose sums overflow; divide it by its scale"
                )
    return found


def target_array(y: Any, name: str = "y") -> Array:
    """`y` as an array, the cells of a list as they are: NumPy would turn numbers and NaN among strings into strings.

    Examples
    --------
    >>> from gnomon.base.targets import target_array
    >>> target_array(["low", 3]).tolist()
    ['low', 3]
    """
    if is_sparse(y):
        raise TargetError(f"{name} is a sparse matrix of shape {y.shape}, but must be dense; give {name}.toarray()")
    try:
        found = np.asarray(y)
    except ValueError as error:
        raise TargetError(f"{name} has rows of different lengths; give one value for each row") from error
    if found.ndim not in (1, 2):
        shown = f"{name}={y!r}" if isinstance(y, (str, Real)) else f"{name} of the type {type(y).__name__}"
        raise TargetError(
            f"{shown} has the shape {found.shape}; give a sequence or an array with one value, or one row, for each "
            "row of X"
        )
    if found.dtype.kind != "U" or not isinstance(y, (list, tuple)):
        return found
    cells = np.array(y, dtype=object)
    return found if all(isinstance(cell, str) for cell in cells.flat) else cells


def _read_cells(found: Array, numeric: bool, name: str) -> Array:
    """Objects, text and times."""
    kind = found.dtype.kind
    if kind in "mMO" and found.size:
        gaps = np.array([is_missing(cell) for cell in found.flat]) if kind == "O" else np.isnat(found).ravel()
        if np.any(gaps):
            raise _gap(found, gaps, name)
    if numeric:
        return _numbers(found, name)
    return _labels(found, name) if kind in "OS" else found


def _gap(found: Array, gaps: Bools, name: str) -> TargetError:
    rows = np.flatnonzero(gaps.reshape(len(found), -1).any(axis=1))
    one = len(rows) == 1
    count, remedy = ("1 row", "it, or drop that row") if one else (f"{len(rows)} rows", "them, or drop such rows")
    cell = found.ravel()[gaps][:1].tolist()[0]
    return TargetError(f"Input {name} contains NaN: {cell} in row {rows[0]} ({count}); impute {remedy}")


def _numbers(found: Array, name: str) -> Array:
    """Floats; times are no numbers, although NumPy counts them."""
    try:
        if found.dtype.kind not in "mM":
            return found.astype(float)
    except (TypeError, ValueError, OverflowError):
        pass
    place, cell = next((place, cell) for place, cell in np.ndenumerate(found) if not _is_float(cell))
    raise TargetError(
        f"{name} holds the {type(cell).__name__.rstrip('_')} {_shown(cell)} in row {place[0]}, which is no float; turn "
        f"{name} into numbers, or fit a classifier"
    )


def _is_float(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError, OverflowError):
        return False
    return not isinstance(cell, (np.datetime64, np.timedelta64))


def _labels(found: Array, name: str) -> Array:
    """Labels of one kind in each column."""
    for column in found.reshape(len(found), -1).T if found.size else ():
        kinds = {_kind(cell): cell for cell in column}
        if len(kinds) > 1:
            names = sorted({type(cell).__name__ for cell in column})
            raise TargetError(f"{name} has labels of the kinds {names}, which have no order; make them one kind")
        for kind, cell in kinds.items():
            if kind not in (Real, str):
                raise TargetError(
                    f"Unknown label type: {name} holds the {kind.__name__} {_shown(cell)}; give one number, string or "
                    "truth value for each row"
                )
    if found.size and all(_kind(cell) is Real for cell in found.flat):
        # Scikit-learn's scores would not know the kind of such labels either.
        raise TargetError(
            f"Unknown label type: {name} holds numbers as objects; give an array of numbers, as np.array(list(y))"
        )
    return found


def _kind(cell: Any) -> type:
    """Truth values are numbers."""
    return Real if isinstance(cell, (Real, np.bool_)) else str if isinstance(cell, str) else type(cell)


def _shown(cell: Any, *, most: int = 40) -> str:
    text = repr(str(cell) if isinstance(cell, (np.str_, np.datetime64, np.timedelta64)) else cell)
    return text if len(text) <= most else f"{text[:most]}…"
