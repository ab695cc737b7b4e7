"""Rows as a kernel machine reads them.

    numbers: validated as by `validate_rows`;   objects of a kernel of pairs: a list, as they are   (1)

A string, a set or a graph has no columns, so nothing of it is checked but how many there are.
"""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_consistent_length

from gnomon._typing import is_sparse
from gnomon.base.parameters import check_parameters
from gnomon.base.rows import validate_rows
from gnomon.kernels import Kernel

__all__ = ["kernel_rows"]


def kernel_rows(
    estimator: BaseEstimator,
    X: Any,
    y: Any = "no_validation",
    *,
    kernel: Kernel | str | Any,
    reset: bool = True,
    **options: Any,
) -> Any:
    """The rows X (and y) for a machine with this kernel.

    Parameters
    ----------
    estimator : estimator
        Whose `n_features_in_` and `feature_names_in_` are set (``reset=True``) or compared, where rows have columns.
    X : array-like of shape (n, d), sparse matrix, or a list of n objects
    y : array-like of shape (n,), optional
    kernel : Kernel, str or callable
        What the estimator was given.
    reset : bool, default=True
    **options
        Passed to `validate_rows`.

    Returns
    -------
    rows, or (rows, y)

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> from gnomon.base import kernel_rows
    >>> from gnomon.kernels import CallableKernel
    >>> common = CallableKernel(lambda a, b: len(set(a) & set(b)), pairwise=True)
    >>> kernel_rows(BaseEstimator(), ["tea", "sun"], kernel=common)
    ['tea', 'sun']
    """
    if not (isinstance(kernel, Kernel) and kernel.takes_objects and not _has_columns(X)):
        return validate_rows(estimator, X, y, reset=reset, **options)
    if reset:
        check_parameters(estimator)
    rows = list(X)
    if not rows:
        raise ValueError("X holds 0 objects; a minimum of 1 is required")
    if isinstance(y, str) and y == "no_validation":
        return rows
    check_consistent_length(rows, y)
    return rows, np.asarray(y)


def _has_columns(X: Any) -> bool:
    """Whether X is a table of numbers."""
    return is_sparse(X) or (isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiub")
