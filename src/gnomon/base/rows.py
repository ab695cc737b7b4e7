"""Rows and targets as estimators read them: scikit-learn's ``validate_data``, with errors that name columns.

    ``X contains NaN in column 'age' (3 rows); impute or drop those rows, or use a model that handles them``

`validate_rows` gives an array or sparse matrix of floats, `table_rows` a table whose columns may be strings or
categories, `given_rows` what another estimator inside this one takes. Each sets or compares `n_features_in_` and
`feature_names_in_` by `read_rows`. Buitinck et al. (2013), arXiv:1309.0238, describe the contract.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import _check_y, check_consistent_length, validate_data

from gnomon._typing import Array, ArrayLike, MatrixLike, Sparse, TableLike, is_sparse
from gnomon.base.parameters import check_parameters
from gnomon.base.targets import check_target
from gnomon.numerics.tables import FeatureTable, as_frame, as_table
from gnomon.numerics.validation import FLOATS, assert_finite

__all__ = ["given_rows", "map_rows", "naming_columns", "read_rows", "stack_rows", "table_rows", "validate_rows"]

SMALL_BYTES = 2**20
"""Up to this size an array is copied sooner than a kernel is compiled for its order, or for its being read-only."""


def read_rows(
    estimator: BaseEstimator,
    X: Any,
    y: ArrayLike | None = "no_validation",
    *,
    reset: bool = True,
    sparse_target: bool = False,
    **options: Any,
) -> Any:
    """Scikit-learn's ``validate_data``; at a fit (with y, or ``reset=True``) the parameters are checked first.

    Targets are read by `check_target`: numbers with ``y_numeric=True``, a sparse matrix with ``sparse_target=True``.

    Small arrays of numbers come back row by row and writable, so that the same compiled kernels serve all of them;
    those of a data frame are column by column and read-only.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> from gnomon.base import read_rows
    >>> class Shrunken(BaseEstimator):
    ...     def __init__(self, alpha: float = 1.0):
    ...         self.alpha = alpha
    >>> read_rows(Shrunken(), [[1, 2]])
    array([[1, 2]])
    >>> read_rows(Shrunken(alpha=True), [[1, 2]])
    Traceback (most recent call last):
    ...
    gnomon.base.parameters.ParameterError: alpha=True must be a number; give another value
    """
    if reset or not isinstance(y, str):
        check_parameters(estimator)
    y = check_target(y, numeric=options.get("y_numeric", False), sparse=sparse_target)
    checked = validate_data(estimator, X, y, reset=reset, **options)
    return tuple(map(_in_rows, checked)) if isinstance(checked, tuple) else _in_rows(checked)


def _in_rows(values: Any) -> Any:
    """A copy of a small array that is not writable row by row; all else as it is."""
    if not isinstance(values, np.ndarray) or values.nbytes > SMALL_BYTES or values.dtype == object:
        return values
    return np.require(values, requirements=["C", "W"])


def validate_rows(
    estimator: BaseEstimator,
    X: MatrixLike,
    y: ArrayLike | None = "no_validation",
    *,
    finite: bool = True,
    **options: Any,
) -> Any:
    """Scikit-learn's ``validate_data``, with errors about NaN and infinity that name the columns of `X`.

    Parameters
    ----------
    estimator : estimator
        Whose `n_features_in_` and `feature_names_in_` are set (``reset=True``, the default) or compared.
    X, y : array-like
        What the user passed; `y` may be left out.
    finite : bool, default=True
        False leaves the check of `X` to the caller, who finds non-finite sums on the way and then calls
        `assert_finite`.
    **options
        Passed to ``validate_data``: `reset`, `dtype`, `accept_sparse`, `multi_output`, `y_numeric` …

    Returns
    -------
    X, or (X, y)

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.base import BaseEstimator
    >>> from gnomon.base import validate_rows
    >>> frame = pd.DataFrame({"age": [1.0, None], "height": [2.0, 3.0]})
    >>> validate_rows(BaseEstimator(), frame)
    Traceback (most recent call last):
    ...
    ValueError: X contains NaN in column 'age' (1 row); impute or drop those rows, or use a model that handles them
    """
    options = {"dtype": FLOATS, **options}
    checked = read_rows(estimator, X, y, ensure_all_finite=False, **options)
    if finite:
        map_rows(lambda rows: assert_finite(rows, columns=getattr(estimator, "feature_names_in_", None)), checked)
    return checked


def table_rows(
    estimator: BaseEstimator,
    X: TableLike | Sparse | FeatureTable,
    y: ArrayLike | None = "no_validation",
    *,
    reset: bool = True,
    **target: bool,
) -> Any:
    """X as a `FeatureTable` (and y), checked against the estimator's columns as scikit-learn's ``validate_data`` does.

    Parameters
    ----------
    estimator : estimator
        Whose `n_features_in_` and `feature_names_in_` are set (``reset=True``) or compared.
    X : array-like or data frame of shape (n_samples, n_features), or FeatureTable
        Numbers, strings and truth values, with gaps; infinity and sparse matrices are refused. A `FeatureTable` was
        checked by whoever made it.
    y : array-like of shape (n_samples,), optional
        Checked like X: without gaps, one column unless `target` says otherwise.
    reset : bool, default=True
    **target
        `multi_output` and `y_numeric` of scikit-learn's ``check_X_y``, where y is given.

    Returns
    -------
    FeatureTable, or (FeatureTable, y)

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.base import BaseEstimator
    >>> from gnomon.base import table_rows
    >>> frame = pd.DataFrame({"hue": pd.Categorical(["red", None], ["red", "blue"]), "size": [1, 2]})
    >>> table = table_rows(BaseEstimator(), frame)
    >>> table.names, table.column(0).declared, table.column(1).cells
    (('hue', 'size'), ('red', 'blue'), array([1., 2.]))
    """
    if isinstance(X, FeatureTable):
        return X
    frame = as_frame(X)
    if frame is None:
        # An array keeps its type; NumPy would turn a list with one string into an array of strings.
        kind = None if isinstance(X, np.ndarray) else object
        checked = read_rows(estimator, X, y, reset=reset, dtype=kind, ensure_all_finite=False, **target)
        return map_rows(lambda rows: as_table(rows, vars(estimator).get("feature_names_in_")), checked)
    if min(frame.shape) == 0:
        raise ValueError(f"X has shape {frame.shape}; give at least one row and one column, a minimum of 1 is required")
    checked = read_rows(estimator, X, y, reset=reset, skip_check_array=True, **target)
    if isinstance(checked, tuple):
        checked = X, _check_y(checked[1], estimator=estimator, **target)
        check_consistent_length(*checked)
    return map_rows(as_table, checked)


def given_rows(owner: BaseEstimator, base: BaseEstimator, X: TableLike | Sparse, *, reset: bool) -> Any:
    """Rows as a base estimator takes them: data frames and texts as they are, all else as array or sparse matrix.

    Parameters
    ----------
    owner : estimator
        Whose `n_features_in_` and `feature_names_in_` are set (``reset=True``) or compared.
    base : estimator
        It refuses cells that it cannot take.
    X : array-like, sparse matrix, data frame or sequence of texts
    reset : bool

    Returns
    -------
    X : array, sparse matrix, data frame or sequence

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> from gnomon.base import given_rows
    >>> owner = BaseEstimator()
    >>> given_rows(owner, BaseEstimator(), [[1, 2], [3, 4]], reset=True).shape, owner.n_features_in_
    ((2, 2), 2)
    """
    if reset:
        # Before `base` is asked anything: it may be no estimator.
        check_parameters(owner)
    if as_frame(X) is not None:
        read_rows(owner, X, reset=reset, skip_check_array=True)
        return X
    if not is_sparse(X) and _are_texts(np.asarray(X)):
        return X
    deep = get_tags(base).input_tags.three_d_array
    options = {"accept_sparse": ("csr", "csc"), "dtype": None, "ensure_all_finite": False, "allow_nd": deep}
    return read_rows(owner, X, reset=reset, **options)


def _are_texts(rows: Array) -> bool:
    return rows.ndim == 1 and len(rows) > 0 and isinstance(rows[0], str)


@contextmanager
def naming_columns(estimator: BaseEstimator, X: MatrixLike) -> Iterator[None]:
    """Errors of the parts of an estimator about NaN or infinity, in words that name the columns of `X` as it does.

    Parts alone know whether they take such cells, but they get plain arrays, without the names.

    Parameters
    ----------
    estimator : estimator
        Whose `feature_names_in_` are used.
    X : array-like, data frame or sparse matrix
        What the parts are given.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from gnomon.base import naming_columns
    >>> X = np.array([[1.0, np.nan], [2.0, 3.0]])
    >>> with naming_columns(LinearRegression(), X):
    ...     LinearRegression().fit(X, [0.0, 1.0])
    Traceback (most recent call last):
    ...
    ValueError: X contains NaN in column 1 (1 row); impute or drop those rows, or use a model that handles them
    """
    try:
        yield
    except ValueError as error:
        if any(word in str(error).lower() for word in ("nan", "inf")):
            cells = X.tocsr() if is_sparse(X) else np.asarray(X)
            assert_finite(cells, columns=vars(estimator).get("feature_names_in_"))
        raise


def map_rows(function: Callable[[Any], Any], checked: Any) -> Any:
    """What ``validate_data`` returned, X alone or (X, y), with ``function(X)`` in place of X.

    Examples
    --------
    >>> from gnomon.base import map_rows
    >>> map_rows(len, [[1.0], [2.0]]), map_rows(len, ([[1.0], [2.0]], ["no", "yes"]))
    (2, (2, ['no', 'yes']))
    """
    if isinstance(checked, tuple):
        return (function(checked[0]), *checked[1:])
    return function(checked)


def stack_rows(first: Any, second: Any) -> Any:
    """Rows below rows: of two arrays, sparse matrices or data frames.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.base.rows import stack_rows
    >>> stack_rows(np.array([[1.0]]), np.array([[2.0]])).ravel()
    array([1., 2.])
    """
    if is_sparse(first):
        return sparse.vstack([first, second], format="csr")
    frames = [frame for frame in map(as_frame, (first, second)) if frame is not None]
    return nw.concat(frames).to_native() if len(frames) == 2 else np.concatenate([first, second])
