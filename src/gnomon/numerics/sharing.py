"""Arrays that are handed to a user's function.

    f(view of X)  with a view that cannot be written:    X after the call = X before, or f raises             (1)

A function that works in place would change the data of whoever called the library. With (1) its assignment is an error
of NumPy, "assignment destination is read-only"; nothing is copied.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from gnomon._typing import is_sparse

__all__ = ["read_only"]

T = TypeVar("T")


def read_only(values: T) -> T:
    """The same array, or sparse matrix, as a view that cannot be written; anything else as it is.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.sharing import read_only
    >>> X = np.ones(3)
    >>> view = read_only(X)
    >>> view[0] = 2.0
    Traceback (most recent call last):
    ValueError: assignment destination is read-only
    >>> X[0] = 2.0  # the owner may
    """
    if isinstance(values, np.ndarray):
        rows = values.view()
        rows.flags.writeable = False
        return rows
    given: Any = values
    if is_sparse(values) and given.format in ("csr", "csc"):
        view: Any = type(given)((given.data, given.indices, given.indptr), shape=given.shape)
        view.data, view.indices, view.indptr = map(read_only, (view.data, view.indices, view.indptr))
        return view
    return values
