"""Rows as a kernel machine reads them.

    numbers: validated as by `validate_rows`;   objects of a kernel of pairs: a list, as they are   (1)

A string, a set or a graph has no columns, so nothing of it is checked but how many there are. A machine counts and
takes rows, and reads its kernel for them, by the functions below, whichever of the two they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.gaussian_process.kernels import Kernel as PeerKernel
from sklearn.utils.validation import check_consistent_length

from gnomon._typing import Floats, Integers, is_sparse
from gnomon.base.parameters import check_parameters
from gnomon.base.rows import validate_rows
from gnomon.base.targets import check_target
from gnomon.kernels import CallableKernel, Kernel, KernelLike, Precomputed, read_kernel
from gnomon.kernels.given import Objects
from gnomon.numerics.scale import largest_entry

__all__ = ["count_rows", "float_type", "has_columns", "is_given_matrix", "kernel_of", "kernel_rows", "take_rows"]

OF_NAMES = ("gamma", "degree", "coef0", "kernel_params")
"""Parameters of estimators that are those of a kernel that is named, or of a function."""


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
        Objects are for kernels of two of them, and for functions of two lists.
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
    of_objects = kernel.takes_objects if isinstance(kernel, Kernel) else callable(kernel) and _is_list_of_objects(X)
    if not of_objects or _is_table(X):
        return validate_rows(estimator, X, y, reset=reset, **options)
    if reset:
        check_parameters(estimator)
    rows = list(X)
    if not rows:
        raise ValueError("X holds 0 objects; a minimum of 1 is required")
    if isinstance(y, str) and y == "no_validation":
        return rows
    y = check_target(y, numeric=options.get("y_numeric", False))
    check_consistent_length(rows, y)
    return rows, y


def _is_list_of_objects(X: Any) -> bool:
    """Whether X is a list of what has neither numbers nor the length of a row."""
    return isinstance(X, list) and bool(X) and isinstance(X[0], str | bytes | Set | Mapping)


def _is_table(X: Any) -> bool:
    """Whether X is a table of numbers."""
    return is_sparse(X) or (isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiub")


def kernel_of(
    model: Any,
    rows: Any,
    *,
    given: KernelLike | None = None,
    gamma: Any = None,
    pairs: bool = False,
    weights: Floats | None = None,
) -> Kernel:
    """The kernel that a model with scikit-learn's words means for its training rows.

    Parameters
    ----------
    model : estimator
        With `kernel`, `gamma`, and perhaps `degree` and `coef0`, of which None is 1/d, 3 and 1, and `kernel_params`,
        the further arguments of a function. A Kernel has parameters of its own: beside it, each must be its default.
    rows : array, sparse matrix or list
    given : Kernel, str or callable, optional
        In place of `model.kernel`.
    gamma : float, optional
        In place of `model.gamma`.
    pairs : bool, default=False
        A function takes two rows, as scikit-learn calls that of `KernelPCA`; otherwise two tables, as for `SVC`. Its
        own kernels of Gaussian processes always take tables.
    weights : ndarray of shape (n,), optional
        Of the rows, where γ depends on their variance.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.base import kernel_of
    >>> from gnomon.decomposition import KernelPCA
    >>> X = np.array([[0.0, 1.0], [2.0, 0.0]])
    >>> kernel_of(KernelPCA(kernel="rbf"), X)
    RBF(length_scale=1.0)
    >>> kernel_of(KernelPCA(kernel=lambda a, b: float(a @ b)), X, pairs=True).gram(X)
    array([[1., 0.],
           [0., 4.]])
    """
    kernel, words = model.kernel if given is None else given, vars(model)
    if isinstance(kernel, Kernel):
        for word, parameter in signature(type(model)).parameters.items():
            if word in OF_NAMES and words[word] != parameter.default:
                raise ValueError(
                    f"{word}={words[word]!r} is for a kernel given by its name, and {kernel!r} has parameters of its "
                    f"own; set them there, and leave {word} at {parameter.default!r}"
                )
    if callable(kernel) and not isinstance(kernel, Kernel):
        more = words.get("kernel_params")
        return CallableKernel(
            partial(kernel, **more) if more else kernel, pairwise=pairs and not isinstance(kernel, PeerKernel)
        )
    found = read_kernel(
        kernel,
        rows if has_columns(rows) else None,
        gamma=model.gamma if gamma is None else gamma,
        degree=3 if words.get("degree") is None else model.degree,
        coef0=1.0 if words.get("coef0", 0.0) is None else words.get("coef0", 0.0),
        names=words.get("feature_names_in_"),
        weights=weights,
    )
    if has_columns(rows) and not isinstance(found, Precomputed):
        largest = largest_entry(rows)
        # Below, eight factors of a polynomial of rows are numbers.
        if largest > float(np.finfo(rows.dtype).max) ** 0.0625 and not np.all(np.isfinite(found.diag(rows))):
            raise ValueError(
                f"kernel={found!r} overflows at rows of X, which has entries up to {largest:.3g}; divide the columns "
                "of X by their scale (StandardScaler)"
            )
    return found


def is_given_matrix(kernel: Any) -> bool:
    """Whether rows are those of a Gram matrix, or of distances.

    Examples
    --------
    >>> from gnomon.base import is_given_matrix
    >>> is_given_matrix("precomputed"), is_given_matrix("rbf")
    (True, False)
    """
    return isinstance(kernel, Precomputed) or (isinstance(kernel, str) and kernel == "precomputed")


def has_columns(rows: Any) -> bool:
    """Whether rows that `kernel_rows` gave are numbers in columns, and not objects.

    Examples
    --------
    >>> from gnomon.base import has_columns
    >>> has_columns(["tea", "sun"])
    False
    """
    return not isinstance(rows, list)


def count_rows(rows: Any) -> int:
    """How many rows or objects there are.

    Examples
    --------
    >>> from gnomon.base import count_rows
    >>> count_rows(["tea", "sun"])
    2
    """
    return len(Objects(rows))


def take_rows(rows: Any, chosen: slice | Integers) -> Any:
    """Some of the rows or objects, in this order.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.base import take_rows
    >>> take_rows(["tea", "sun", "sky"], np.array([2, 0]))
    ['sky', 'tea']
    """
    return Objects(rows).take(chosen).values


def float_type(rows: Any) -> Any:
    """The type of numbers that a model of these rows has: theirs, and double precision for objects.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.base import float_type
    >>> float_type(["tea"]), float_type(np.zeros((1, 1), dtype=np.float32))
    (dtype('float64'), dtype('float32'))
    """
    return rows.dtype if has_columns(rows) else np.dtype(float)
