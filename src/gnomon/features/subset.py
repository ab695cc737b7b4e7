"""A fixed subset of the columns.

    φ_S(x) = x_S = (x_j)_{j∈S},    the same S in training and prediction                            (1)

Guyon & Elisseeff (2003), An introduction to variable and feature selection, https://jmlr.org/papers/v3/guyon03a.html.
"""

from __future__ import annotations

from typing import ClassVar

from gnomon._typing import Array
from gnomon.features._base import Columns, FeatureMap, Rows

__all__ = ["ColumnSubset"]


class ColumnSubset(FeatureMap):
    """Columns x_S by position or by name, in the order given; sparse rows and NaN are passed on.

    Parameters
    ----------
    columns : list of int or str, or mask, optional
        S; negative positions count from the end. By default all columns.

    Attributes
    ----------
    indices_ : ndarray of int
        Positions of S.

    References
    ----------
    Guyon, I. & Elisseeff, A. (2003). An introduction to variable and feature selection.
    https://jmlr.org/papers/v3/guyon03a.html

    Examples
    --------
    >>> from gnomon.features import ColumnSubset
    >>> ColumnSubset([-1, 0]).fit_transform([[1.0, 2.0, 3.0]]).tolist()
    [[3.0, 1.0]]
    """

    _stored: ClassVar[dict[str, str]] = {"indices_": "int (k,) below n_features"}

    _sparse = True
    _nan = True

    learns_nothing = True

    def __init__(self, columns: Columns | None = None):
        self.columns = columns

    def _learn(self, X: Rows) -> None:
        self.indices_ = self._places(range(X.shape[1]) if self.columns is None else self.columns)
        if len(self.indices_) == 0:
            raise ValueError(f"columns={self.columns!r} keeps nothing; name at least one column")

    def _map(self, X: Rows) -> Rows:
        return X[:, self.indices_]

    def _names(self, names: Array) -> Array:
        return names[self.indices_]
