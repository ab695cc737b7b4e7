"""The bias as a column.

    φ(x) = (x, 1),    so that  wᵀx + b = (w, b)ᵀ φ(x)                                              (1)

Duda, Hart & Stork (2001), Pattern Classification, section 5.3 (augmented vectors), ISBN 978-0-471-05669-0.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from gnomon._typing import Array
from gnomon.features._base import InvertibleMap, Rows, join_columns

__all__ = ["AddBias"]


class AddBias(InvertibleMap):
    """Append a column of ones, φ(x) = (x, 1); sparse rows stay sparse.

    Parameters
    ----------
    position : {"last", "first"}, default="last"
        "first" gives (1, x), the convention x₀ = 1.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns seen in `fit`.

    References
    ----------
    Duda, R. O., Hart, P. E. & Stork, D. G. (2001). Pattern Classification, section 5.3. ISBN 978-0-471-05669-0.

    Examples
    --------
    >>> from gnomon.features import AddBias
    >>> AddBias().fit_transform([[3.0, 4.0]]).tolist()
    [[3.0, 4.0, 1.0]]
    >>> AddBias(position="first").fit_transform([[3.0, 4.0]]).tolist()
    [[1.0, 3.0, 4.0]]
    """

    _sparse = True

    learns_nothing = True

    def __init__(self, position: Literal["last", "first"] = "last"):
        self.position = position

    def _map(self, X: Rows) -> Rows:
        return join_columns(*self._ordered(X, np.ones((X.shape[0], 1), dtype=X.dtype)))

    def _unmap(self, Z: Rows) -> Rows:
        return Z[:, :-1] if self.position == "last" else Z[:, 1:]

    def _names(self, names: Array) -> Array:
        return np.concatenate(self._ordered(names, ["1"]))

    def _ordered(self, columns: Any, bias: Any) -> list[Any]:
        return [columns, bias] if self.position == "last" else [bias, columns]
